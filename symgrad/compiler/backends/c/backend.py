"""The backend ``c``: machine code for the processor at hand, by its C compiler."""

from __future__ import annotations

from symgrad.compiler.backends.backend import Kernel
from symgrad.compiler.backends.c.compiler import assemble, needed
from symgrad.compiler.backends.llvm.native import compiled
from symgrad.core import trees
from symgrad.engine.program import Program


def build(program: Program, args: trees.Tree, results: trees.Tree) -> Kernel:
    """Compile the program to machine code by the C compiler."""
    needed()
    return compiled("c", assemble, program, args, results)
