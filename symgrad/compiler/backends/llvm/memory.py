"""Where arrays lie: buffers, and how their views are found and joined.

Which view an operation gives is asked of NumPy: the operation's own forward runs on an array that is never touched.
Where positions are read, of which NumPy makes a copy, the operation says it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from symgrad.compiler.primitives import views
from symgrad.compiler.primitives.views import View
from symgrad.ops.protocol import Op
from symgrad.ops.slicing import Gather, Slice

Shape = tuple[int, ...]

_MOST_WORK = 100_000  # steps of NumPy's search for an entry that two views share


class Buffer(NamedTuple):
    """Memory: argument, result, workspace or constant number ``k``."""

    kind: str  # "x", "o", "w" or "c"
    number: int
    size: int
    dtype: np.dtype[Any]

    @property
    def name(self) -> str:
        """The name in the code."""
        return f"{self.kind}{self.number}"


def view_of(op: Op, source: View) -> View | None:
    """Return the view that an operation of one argument gives, None where it computes or copies."""
    if isinstance(op, Gather):
        return views.view_of(op, source, op.out_shape(source.shape))
    if not op.views:  # its forward would compute, in memory of its own
        return None
    memory = np.empty(max(1, source.memory.size), np.int64)
    start = memory.__array_interface__["data"][0]
    array = np.lib.stride_tricks.as_strided(
        memory[source.offset :], source.shape, [8 * s for s in source.steps], writeable=False
    )
    try:
        # The dots keep a single entry a view.
        part = array[(*op.key, ...)] if isinstance(op, Slice) else np.asarray(op.forward(array))
    except (TypeError, ValueError):
        return None
    if not part.size and part.dtype == np.int64:
        return View(source.memory, 0, (0,) * part.ndim, part.shape)
    place = part.__array_interface__["data"][0] - start
    if not 0 <= place < memory.nbytes or part.dtype != np.int64:
        return views.view_of(op, source, op.out_shape(source.shape))
    return View(source.memory, place // 8, tuple(s // 8 for s in part.strides), part.shape)


def numpy_view(view: View, memory: Any) -> Any:
    """Return the view of an actual array, which is the buffer."""
    flat = np.asarray(memory).reshape(-1)
    step = flat.itemsize
    return np.lib.stride_tricks.as_strided(flat[view.offset :], view.shape, [step * s for s in view.steps])


def overlap(a: View, b: View) -> bool:
    """Whether two views may share an entry: NumPy's exact answer, and True where that would take too long."""
    if a.memory != b.memory:
        return False
    entries = np.empty(max(1, a.memory.size), np.int8)
    x, y = [np.lib.stride_tricks.as_strided(entries[v.offset :], v.shape, v.steps, writeable=False) for v in (a, b)]
    try:
        return np.shares_memory(x, y, _MOST_WORK)  # type: ignore[arg-type]  # NumPy's hints know -1 and 0 alone
    except np.exceptions.TooHardError:
        return True


def collapsed(shape: Shape, strides: Sequence[Sequence[int]]) -> tuple[list[int], list[list[int]]]:
    """Join neighbouring axes that every view runs through without a gap; drop axes of length one."""
    dims: list[int] = []
    rows: list[list[int]] = [[] for _ in strides]
    for a, n in enumerate(shape):
        if n == 1:
            continue
        joins = bool(dims) and all(row[-1] == n * s[a] for row, s in zip(rows, strides))
        if joins:
            dims[-1] *= n
            for row, s in zip(rows, strides):
                row[-1] = s[a]
        else:
            dims.append(n)
            for row, s in zip(rows, strides):
                row.append(s[a])
    return dims, rows


def is_apart(shape: Sequence[int], steps: Sequence[int], axis: int | None = None, reach: int = 0) -> bool:
    """Whether entries lie in different places: all of them, or those with different positions along an axis.

    An axis without a step repeats what lies there, and does not count. ``reach``: how far further they may lie.
    """
    seen = axis is None
    for step, n, a in sorted((abs(s), n, a) for a, (s, n) in enumerate(zip(steps, shape, strict=True)) if s and n > 1):
        seen = seen or a == axis
        if seen and step <= reach:
            return False
        reach += step * (n - 1)
    return seen
