"""What is done to a program before a backend sees it."""

from __future__ import annotations

from symgrad.compiler.passes.assemble import assembled
from symgrad.compiler.passes.factors import with_common_factors
from symgrad.compiler.passes.repeated import run_once
from symgrad.compiler.passes.unread import without_unread
from symgrad.compiler.passes.zero_rows import without_zero_rows
from symgrad.compiler.program import Builder
from symgrad.engine.program import Program


def simplified(program: Program) -> Program:
    """Run loops once, without what nobody reads and rows of zeros; join products with a common factor, and slices."""
    return assembled(with_common_factors(without_zero_rows(without_unread(run_once(program)))))


def program_of_body(body: Program) -> Program:
    """Return a program that was recorded as it is compiled: shared, folded, and with conversions of dtypes as steps."""
    builder = Builder()
    places: dict[int, int] = {}
    for k in sorted({*body.inputs, *body.live()}):
        places[k] = builder.again(body.values[k], places)
    builder.program.outputs = [places[k] for k in body.outputs]
    return simplified(builder.program)
