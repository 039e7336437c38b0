"""What is done to a program before a backend sees it."""

from __future__ import annotations

from symgrad.compiler.passes.assemble import assembled
from symgrad.compiler.passes.repeated import run_once
from symgrad.compiler.program import Builder
from symgrad.engine.program import Program


def simplified(program: Program) -> Program:
    """Run loops once, and join sums of slices."""
    return assembled(run_once(program))


def program_of_body(body: Program) -> Program:
    """Return a loop's body as it is compiled: shared, folded, and with conversions of dtypes as steps."""
    builder = Builder()
    places: list[int] = []
    for v in body.values:
        places.append(builder.again(v, places))
    builder.program.outputs = [places[k] for k in body.outputs]
    return simplified(builder.program)
