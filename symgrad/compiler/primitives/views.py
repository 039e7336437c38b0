"""Where an array's entries lie in flat memory, with sizes that may have names.

A view is memory, an offset and a step for each axis: what reshapes, slices, expands or transposes makes no loop.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from symgrad.ops.shape import is_row_major, row_major
from symgrad.ops.slicing import Slice


class View(NamedTuple):
    """Entries of flat memory: at ``offset + Σ steps[a] i_a``, in units of entries.

    What memory is, is the writer's: a buffer, the name of an array, or of a number without axes its text.
    """

    memory: Any
    offset: Any
    steps: tuple[Any, ...]
    shape: tuple[Any, ...]

    @property
    def is_plain(self) -> bool:
        """Whether the entries follow each other from the offset on."""
        return is_row_major(self)

    def is_same(self, other: View | None) -> bool:
        """Whether both address the same entries in the same order; the step of an axis of length 1 means nothing."""
        if other is None or (self.memory, self.offset, self.shape) != (other.memory, other.offset, other.shape):
            return False
        return all(s == t or n == 1 for s, t, n in zip(self.steps, other.steps, self.shape, strict=True))

    def to(self, shape: Sequence[Any]) -> View:
        """Return the view broadcast to a shape."""
        lead = len(shape) - len(self.shape)
        steps = [0 if n == 1 and m != 1 else s for n, m, s in zip(self.shape, shape[lead:], self.steps, strict=True)]
        return View(self.memory, self.offset, (*[0] * lead, *steps), tuple(shape))


def whole(memory: Any, shape: Sequence[Any], offset: Any = 0) -> View:
    """Return all of an array, in row-major order."""
    return View(memory, offset, row_major(shape), tuple(shape))


def view_of(op: Any, x: View, to: Sequence[Any]) -> View | None:
    """Return the view that an operation gives of x; None where it computes, or x would have to be copied first."""
    layout = op.view(x, tuple(to))
    if layout is None:
        return None
    offset, steps = layout
    return View(x.memory, offset, steps, tuple(to))


def part_of(op: Slice, x: View) -> View:
    """Return the view of slices and single positions."""
    offset, steps = op.view(x, ())
    return View(x.memory, offset, steps, op.out_shape(x.shape))
