"""Mathematical functions as branch-free scalar LLVM IR, to be inlined into loops that LLVM vectorises.

At most 2.5 units in the last place in float64 and float32, with NumPy's values at ±0, ±∞, nan and in the denormals.
They need fused multiply-add, which processors have had since 2013; older ones get the same numbers slowly, from libm.
One file a family; ``library`` has the table, so a new function is one definition and one row.
"""

from symgrad.compiler.backends.llvm.math.library import FUNCTIONS, LIMIT, definitions

__all__ = ["FUNCTIONS", "LIMIT", "definitions"]
