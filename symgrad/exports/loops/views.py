"""Where an array's entries lie in flat memory, with sizes that may have names.

A view is a name, an offset and a step for each axis: what reshapes, slices, expands or transposes makes no loop.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from symgrad.ops.contract import Einsum
from symgrad.ops.keys import Span
from symgrad.ops.linalg.matrices import Diagonal
from symgrad.ops.shape import Expand, Flip, Reshape, total
from symgrad.ops.slicing import Slice


class View(NamedTuple):
    """Entries of a flat array: at ``offset + Σ steps[a] i_a``. A number without axes may be text instead of memory."""

    name: str
    offset: Any
    steps: tuple[Any, ...]
    shape: tuple[Any, ...]

    @property
    def is_plain(self) -> bool:
        """Whether the entries follow each other from the offset on."""
        expected = row_major(self.shape)
        return all(s == e or n == 1 for s, e, n in zip(self.steps, expected, self.shape, strict=True))

    def to(self, shape: Sequence[Any]) -> View:
        """Broadcast."""
        lead = len(shape) - len(self.shape)
        steps = [0 if n == 1 and m != 1 else s for n, m, s in zip(self.shape, shape[lead:], self.steps, strict=True)]
        return View(self.name, self.offset, (*[0] * lead, *steps), tuple(shape))


def row_major(shape: Sequence[Any]) -> tuple[Any, ...]:
    """Return the steps of an array whose entries follow each other."""
    return tuple(total(shape[a + 1 :]) for a in range(len(shape)))


def whole(name: str, shape: Sequence[Any], offset: Any = 0) -> View:
    """Return all of an array."""
    return View(name, offset, row_major(shape), tuple(shape))


def view_of(op: Any, x: View, to: Sequence[Any]) -> View | None:
    """Return the view that an operation gives of x; None where it computes, or x would have to be copied first."""
    if isinstance(op, Reshape):
        return View(x.name, x.offset, row_major(to), tuple(to)) if x.is_plain else _ones_moved(x, to)
    if isinstance(op, Expand):
        return x.to(to)
    if isinstance(op, Slice):
        return part_of(op, x)
    if isinstance(op, Flip):
        ends = [(n - 1) * s for a, (n, s) in enumerate(zip(x.shape, x.steps)) if a in op.axes]
        steps = tuple(-s if a in op.axes else s for a, s in enumerate(x.steps))
        return View(x.name, x.offset + sum(ends), steps, x.shape)
    if isinstance(op, Diagonal):
        start = max(-op.offset, 0) * x.steps[-2] + max(op.offset, 0) * x.steps[-1]
        return View(x.name, x.offset + start, (*x.steps[:-2], x.steps[-2] + x.steps[-1]), tuple(to))
    if isinstance(op, Einsum) and len(op.terms) == 1 and set(op.output) == set(op.terms[0]):
        steps = tuple(sum(s for c, s in zip(op.terms[0], x.steps) if c == d) for d in op.output)
        return View(x.name, x.offset, steps, tuple(to))
    return None


def _ones_moved(x: View, to: Sequence[Any]) -> View | None:
    """Axes of length one come and go in any view."""
    kept = [(n, s) for n, s in zip(x.shape, x.steps) if n != 1]
    if [n for n, _ in kept] != [n for n in to if n != 1]:
        return None
    rest = iter(kept)
    return View(x.name, x.offset, tuple(0 if n == 1 else next(rest)[1] for n in to), tuple(to))


def part_of(op: Slice, x: View) -> View:
    """Return the view of slices and single positions."""
    offset, steps, shape, axis = x.offset, [], [], 0
    for item in op.items:
        if item is None:
            steps.append(0)
            shape.append(1)
            continue
        n, s = x.shape[axis], x.steps[axis]
        axis += 1
        if isinstance(item, Span):
            start, step, length = item.over(n)
            offset, steps, shape = offset + start * s, [*steps, step * s], [*shape, length]
        else:
            offset = offset + (n + item if isinstance(item, int) and item < 0 else item) * s
    return View(x.name, offset, (*steps, *x.steps[axis:]), (*shape, *x.shape[axis:]))
