"""Mathematical functions as branch-free instructions on one number, to be inlined into loops that LLVM vectorises.

At most 2.5 units in the last place in float64 and float32, with NumPy's values at ±0, ±∞, nan and in the denormals.
They need fused multiply-add, which processors have had since 2013; older ones get the same numbers slowly, from libm.
A function that ``scalars`` has a kernel of is recorded from that; the others have a file for each family, and a row in
``library``.
"""

from symgrad.compiler.backends.llvm.math.library import FUNCTIONS, LIMIT, definitions

__all__ = ["FUNCTIONS", "LIMIT", "definitions"]
