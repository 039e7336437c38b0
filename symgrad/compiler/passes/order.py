"""What is done to a program before a backend sees it."""

from __future__ import annotations

from symgrad.compiler.passes.assemble import assembled
from symgrad.compiler.passes.repeated import run_once
from symgrad.engine.program import Program


def simplified(program: Program) -> Program:
    """Run loops once, and join sums of slices."""
    return assembled(run_once(program))
