"""Loops whose step has zeros of its own, in place of reading them from an array with a row for each step.

The cotangents of carries that a loop stacks for its derivative are such arrays.
"""

from __future__ import annotations

from collections.abc import Collection

import numpy as np

from symgrad.compiler.program import Builder
from symgrad.engine.program import CONST, INPUT, Program, Value
from symgrad.transforms.loops.op import Scan


def without_zero_rows(program: Program) -> Program:
    """Return the program in which no loop reads rows of zeros, or rows that its step ignores."""
    values = program.values
    rows = {k: found for k in program.steps() if (found := _superfluous(program, values[k]))}
    if not rows:
        return program
    out = Builder()
    place: dict[int, int] = {}
    for k in sorted({*program.inputs, *program.live()}):
        v = values[k]
        if k in rows:
            v = v._replace(
                op=_without(v.op, rows[k]), args=tuple([a for i, a in enumerate(v.args) if i not in rows[k]])
            )
        place[k] = out.again(v, place)
    out.program.outputs = [place[k] for k in program.outputs]
    return out.program


def _superfluous(program: Program, v: Value) -> list[int]:
    """Return the positions of a loop's rows that need not be read."""
    if not isinstance(v.op, Scan):
        return []
    rows = range(v.op.carries, v.op.carries + v.op.xs)
    return [i for i in rows if i not in v.op.body.reads or _is_zero(program.values[v.args[i]])]


def _is_zero(v: Value) -> bool:
    return v.kind == CONST and isinstance(v.op, np.ndarray) and not (v.op.any() or np.signbit(v.op.real).any())


def _without(op: Scan, rows: Collection[int]) -> Scan:
    """Return a loop without these inputs, for which zeros stand in its step."""
    body, values, count = op.body, list(op.body.values), 0
    for i, k in enumerate(body.inputs):
        v = values[k]
        if i in rows:
            values[k] = v._replace(kind=CONST, op=v.spec.zeros())
        else:
            values[k], count = v._replace(kind=INPUT, op=count), count + 1
    inputs = [k for i, k in enumerate(body.inputs) if i not in rows]
    step = Program(values, inputs, body.outputs)
    return Scan.of(step, op.carries, op.xs - len(rows), op.length, op.reverse, op.kept, op.until)
