"""A loop that runs twice, plainly and keeping its carries for the derivative, runs once.

The packed result of the plain loop is the front of the other's.
"""

from __future__ import annotations

from symgrad.compiler.program import Builder
from symgrad.engine.program import Program
from symgrad.ops.keys import Span
from symgrad.ops.slicing import Slice
from symgrad.transforms.loops.op import Scan


def run_once(program: Program) -> Program:
    """Return the program with such pairs of loops joined."""
    values = program.values
    if not any([isinstance(v.op, Scan) for v in values]):
        return program
    scans = [k for k in program.steps() if isinstance(values[k].op, Scan)]
    fuller: dict[int, int] = {}
    for k in scans:
        for other in scans:
            if values[k].args == values[other].args and _is_front(values[k].op, values[other].op):
                fuller[k] = other
    return _joined(program, fuller) if fuller else program


def _is_front(plain: Scan, full: Scan) -> bool:
    same = (plain.carries, plain.xs, plain.length, plain.reverse) == (full.carries, full.xs, full.length, full.reverse)
    own, outputs = plain.body, full.body.outputs
    return (
        same
        and plain is not full
        and not plain.kept
        and own == full.body.returning(outputs[: len(own.outputs)])
        and plain.packed == full.packed
    )


def _joined(program: Program, fuller: dict[int, int]) -> Program:
    """Write the program again, with the fuller loop in the plain one's place."""
    values, out = program.values, Builder()
    place: dict[int, int] = {}
    for k in sorted({*program.inputs, *program.live()}):
        v = values[k]
        place[k] = out.again(values[fuller.get(k, k)], place)
        if k in fuller:
            place[fuller[k]] = place[k]
            place[k] = out.step(Slice((Span(0, v.op.size, None),)), (place[k],), v.shape)
    out.program.outputs = [place[k] for k in program.outputs]
    return out.program
