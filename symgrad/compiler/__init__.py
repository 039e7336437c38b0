"""From a function of tensors to a compiled kernel of its values and derivatives.

trace → program (share, fold, drop) → scalars or arrays → one backend a file. The graph is compiled, never the
prettified closed forms.
"""

from symgrad.compiler.compiled import Compiled, Lowered, Stats, compile, jit

__all__ = ["Compiled", "Lowered", "Stats", "compile", "jit"]
