"""Sums of parts written into zeros, as gradients of slices are, become one step.

Σ Scatter(partₖ)(gₖ) makes an array of zeros for each term; Assemble makes one and adds every term where it belongs.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import Any

import numpy as np

from symgrad.core.node import Shape
from symgrad.engine.program import STEP, Program, Value
from symgrad.ops.keys import ALL
from symgrad.ops.map import ADD, Map
from symgrad.ops.protocol import Op
from symgrad.ops.scatter import ScatterAdd
from symgrad.ops.slicing import Slice
from symgrad.support.frozen import frozen
from symgrad.support.lazy import cached_property


@frozen
class Assemble(Op):
    """Zeros of shape ``to`` with every input added to its part."""

    parts: tuple[Slice, ...]
    to: Shape
    linear = True
    saves = ""
    looped = "programs are made of it once slices are joined"
    explained = "parts added into zeros: each receives the adjoint from its place"
    accumulates = True

    def forward(self, *gs: Any) -> Any:
        """Write what comes first to a place, add what comes later."""
        array = np.zeros(self.to, np.result_type(*gs))
        later = self.overlaps
        for g, part, again in zip(gs, self.parts, later, strict=True):
            entries = np.asarray(g)[()]  # of no axes: the number, which NumPy would keep as an array among objects
            array[part.key] = array[part.key] + entries if again else entries
        return array

    @property
    def adds(self) -> tuple[Slice, ...]:
        """To its part, each."""
        return self.parts

    @cached_property
    def overlaps(self) -> list[bool]:
        """For each part, whether an earlier one has an entry in common with it.

        Few parts are compared with each other; of many, the entries that are taken already are marked.
        """
        boxes = [_box(p, self.to) for p in self.parts]
        if len(boxes) ** 2 > sum(self._sizes):
            return _taken(self.parts, self.to)
        return [any(_meet(box, other) for other in boxes[:k]) for k, box in enumerate(boxes)]

    @cached_property
    def covers(self) -> bool:
        """Whether the parts leave no entry out, and have none in common."""
        return sum(self._sizes) == prod(self.to) and not any(self.overlaps)

    @cached_property
    def _sizes(self) -> list[int]:
        """The entries of each part."""
        return [prod(map(len, _box(p, self.to))) for p in self.parts]

    def decompose(self, *gs: Any) -> Any:
        """Add what goes to the same part, and then the sums to their parts."""
        sums: dict[Slice, Any] = {}
        for g, part in zip(gs, self.parts, strict=True):
            sums[part] = sums[part] + g if part in sums else g
        return Assemble(tuple(sums), self.to)(*sums.values()) if len(sums) < len(gs) else NotImplemented

    def out_shape(self, *shapes: Shape) -> Shape:
        """Return the shape of the assembled array."""
        return self.to


def _taken(parts: Sequence[Slice], to: Shape) -> list[bool]:
    """For each part, whether an earlier one has an entry in common with it."""
    marked = np.zeros(to, np.bool_)
    flags = []
    for part in parts:
        flags.append(bool(np.any(marked[part.key])))
        marked[part.key] = True
    return flags


def _box(part: Slice, sizes: Shape) -> list[range]:
    """The positions of a part along each axis."""
    ranges, axes = [], iter(sizes)
    for item in part.items:
        if item is None:
            continue
        n = next(axes)
        ranges.append(range(n)[item : item + 1 or None] if isinstance(item, int) else range(n)[slice(*item)])
    return ranges


def _meet(a: Sequence[range], b: Sequence[range]) -> bool:
    return all(_common(x, y) for x, y in zip(a, b, strict=True))


def _common(a: range, b: range) -> bool:
    if not a or not b or max(a[0], a[-1]) < min(b[0], b[-1]) or max(b[0], b[-1]) < min(a[0], a[-1]):
        return False
    return not set(a).isdisjoint(b) if abs(a.step) + abs(b.step) > 2 else True


def assembled(program: Program) -> Program:
    """Join such sums in a program, in place."""
    values = program.values
    held = {
        k for k, v in enumerate(values) if type(v.op) is not Map and _is_part(v)
    }  # parts, and then the sums that have some
    if len(held) < 2:
        return program
    steps = program.steps()
    sums = []
    for k in steps:
        if values[k].op is ADD and not held.isdisjoint(values[k].args):
            held.add(k)
            sums.append(k)
    uses = uses_of(program, steps)
    inner = {a for k in sums for a in values[k].args}
    for k in sums:
        if not (k in inner and uses[k] == 1):
            terms = terms_of(values, k, uses)
            if sum(_is_part(values[t]) for t in terms) > 1:
                program.replace(k, _joined(values, k, terms))
    return program


def uses_of(program: Program, steps: Sequence[int]) -> list[int]:
    """The number of times that steps and results read each value."""
    counts = [0] * len(program.values)
    for k in program.outputs:
        counts[k] += 1
    for k in steps:
        for a in program.values[k].args:
            counts[a] += 1
    return counts


def _is_sum(v: Value) -> bool:
    return v.kind == STEP and v.op is ADD


def _is_part(v: Value) -> bool:
    return v.kind == STEP and isinstance(v.op, ScatterAdd) and isinstance(v.op.where, Slice)


def terms_of(values: Sequence[Value], root: int, uses: Sequence[int]) -> list[int]:
    """Return the terms of a tree of sums, which nothing else needs, in order."""
    terms: list[int] = []
    ahead = [root]
    while ahead:
        k = ahead.pop()
        v = values[k]
        if _is_sum(v) and (k == root or uses[k] == 1) and v.shape == values[root].shape:
            ahead.extend(reversed(v.args))
        else:
            terms.append(k)
    return terms


def _joined(values: Sequence[Value], root: int, terms: Sequence[int]) -> Value:
    """The sum as one step; a term that is not part of a slice adds to the whole."""
    whole = Slice((ALL,) * len(values[root].shape))
    parts = tuple(values[t].op.where if _is_part(values[t]) else whole for t in terms)
    args = tuple(values[t].args[0] if _is_part(values[t]) else t for t in terms)
    return values[root]._replace(op=Assemble(parts, values[root].shape), args=args)
