"""Compilation of a function of tensors, and of its derivatives, to a kernel.

The stages are: trace the function, build a program (share and fold its steps, drop unused ones), write it as scalars
or arrays, and pass it to a backend, which is one file. The compiler works on the graph, never on the simplified
closed forms.
"""

from symgrad.compiler.compiled import Compiled, Lowered, Stats, compile, jit

__all__ = ["Compiled", "Lowered", "Stats", "compile", "jit"]
