"""What is done to a program before a backend sees it. Imports assemble and repeated."""

from __future__ import annotations

from symgrad.compiler.assemble import assembled
from symgrad.compiler.program import Program
from symgrad.compiler.repeated import run_once


def simplified(program: Program) -> Program:
    """Run loops once, and join sums of slices."""
    return assembled(run_once(program))
