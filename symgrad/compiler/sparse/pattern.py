"""The pattern of a derivative, read off the program: which entries of a result depend on which of an argument."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import Any

import numpy as np

from symgrad.compiler.primitives.decompose import program_of
from symgrad.compiler.sparse.entries import Entries, joined
from symgrad.compiler.sparse.rules import constant, dense, rule, variables
from symgrad.compiler.sparse.sets import Sets, none
from symgrad.core.node import Shape
from symgrad.core.promotion import is_floating
from symgrad.engine.program import CONST, Program, Value
from symgrad.ops.protocol import Op
from symgrad.transforms.loops.op import Scan

_MOST_STEPS = 20_000  # of loops that are followed step by step


def pattern(program: Program, argument: int) -> Sets:
    """For each entry of the one result, the entries of this argument that it can depend on."""
    (sets,) = patterns(program, argument)
    return sets


def patterns(program: Program, argument: int) -> list[Sets]:
    """The same for each result, in one pass."""
    given = program.values[program.inputs[argument]]
    places = {k: Entries(program.values[k].shape) for k in program.inputs}
    places[program.inputs[argument]] = variables(given.shape)
    return [none(r.size, given.size) if r.sets is None else r.sets for r in _run(program, places)]


def _run(program: Program, places: dict[int, Entries]) -> list[Entries]:
    for k in program.live():
        if k not in places:
            places[k] = _entries(program, program.values[k], places)
    return [places[k] for k in program.outputs]


def _entries(program: Program, v: Value, places: dict[int, Entries]) -> Entries:
    if v.kind == CONST:
        return constant(v.op)
    args = [places[a] for a in v.args]
    inner = program_of(v, [program.values[a] for a in v.args])
    if inner is not None and any(a.joint is not None for a in args):
        return _run(inner, dict(zip(inner.inputs, args, strict=True)))[0]
    return apply(v.op, args, v.shape, v.dtype)


def apply(op: Op, args: Sequence[Entries], to: Shape, dtype: Any) -> Entries:
    """Return the entries of an operation's result."""
    if all(a.joint is None and a.known is None for a in args) or not is_floating(dtype):
        return Entries(to)
    return _loop(op, args, to) if isinstance(op, Scan) else rule(op, args, to)


# ------------------------------------------------------------------ loops
def _loop(op: Scan, args: Sequence[Entries], to: Shape) -> Entries:
    """Follow the loop step by step; a long one as any operation."""
    if op.length * len(op.body.steps()) > _MOST_STEPS:
        return dense(args, to)
    n, m = op.carries, op.carries + op.xs
    carry, parts = list(args[:n]), []
    for t in op.steps():
        outputs = _step(op, [*carry, *[_slice(x, t) for x in args[n:m]], *args[m:]])
        carry = outputs[:n]
        parts += [(y, p.start + t * y.size) for y, p in zip(outputs[n:], op.pieces[n:], strict=True)]
    parts += [(c, p.start) for c, p in zip(carry, op.pieces, strict=False)]
    return Entries(to, joined(to, [(a, start + np.arange(a.size), np.arange(a.size)) for a, start in parts]))


def _slice(x: Entries, t: int) -> Entries:
    to = x.shape[1:]
    return Entries(to, joined(to, [(x, np.arange(prod(to)), x.places[t].ravel())]))


def _step(op: Scan, args: Sequence[Entries]) -> list[Entries]:
    return op.body.walk(args, lambda v, xs: apply(v.op, xs, v.shape, v.dtype), constant)
