"""The backend ``llvm``: machine code for the processor at hand."""

from __future__ import annotations

from symgrad.compiler.backends.backend import Kernel
from symgrad.compiler.backends.llvm.machine import assemble
from symgrad.compiler.backends.llvm.native import compiled
from symgrad.core import trees
from symgrad.engine.program import Program


def build(program: Program, args: trees.Tree, results: trees.Tree) -> Kernel:
    """Compile the program to machine code by LLVM."""
    return compiled("llvm", assemble, program, args, results)
