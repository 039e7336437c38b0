"""A loop that runs twice, plainly and keeping its carries for the derivative, runs once.

The packed result of the plain loop is the front of the other's.
"""

from __future__ import annotations

from symgrad.compiler.program import Builder
from symgrad.engine.program import STEP, Program
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
    for k in program.inputs:
        place[k] = out.input(values[k].shape, values[k].dtype)
    for k in program.live():
        v = values[k]
        if k in place:
            continue
        if v.kind != STEP:
            place[k] = out.const(v.op)
            continue
        w = values[fuller.get(k, k)]
        found = out.step(w.op, tuple(place[a] for a in w.args), w.shape)
        if k in fuller:
            place[fuller[k]] = found
            found = out.step(Slice((Span(0, v.op.size, None),)), (found,), v.shape)
        place[k] = found
    out.program.outputs = [place[k] for k in program.outputs]
    return out.program
