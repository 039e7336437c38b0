"""Where arrays lie: buffers, and views of them by offset and strides.

Which view an operation gives is asked of NumPy: the operation's own forward runs on an array that is never touched.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import Any, NamedTuple

import numpy as np

from symgrad.ops.protocol import Op
from symgrad.ops.slicing import Slice

Shape = tuple[int, ...]


class Buffer(NamedTuple):
    """Memory: argument, result, workspace or constant number ``k``."""

    kind: str  # "x", "o", "w" or "c"
    number: int
    size: int
    dtype: np.dtype[Any]

    @property
    def name(self) -> str:
        """What the code calls it."""
        return f"{self.kind}{self.number}"


class View(NamedTuple):
    """Entries of a buffer, in units of entries."""

    buffer: Buffer
    offset: int
    strides: tuple[int, ...]
    shape: Shape

    def to(self, shape: Shape) -> View:
        """Broadcast."""
        lead = len(shape) - len(self.shape)
        strides = [0 if n == 1 and m != 1 else s for n, m, s in zip(self.shape, shape[lead:], self.strides)]
        return View(self.buffer, self.offset, (0,) * lead + tuple(strides), shape)


def whole(buffer: Buffer, shape: Shape) -> View:
    """Return all of a buffer in row-major order."""
    strides = tuple(prod(shape[a + 1 :]) for a in range(len(shape)))
    return View(buffer, 0, strides, shape)


def view_of(op: Op, source: View) -> View | None:
    """Return the view that an operation of one argument gives, None where it computes or copies."""
    memory = np.empty(max(1, source.buffer.size), np.int64)
    start = memory.__array_interface__["data"][0]
    array = np.lib.stride_tricks.as_strided(
        memory[source.offset :], source.shape, [8 * s for s in source.strides], writeable=False
    )
    try:
        # The dots keep a single entry a view.
        found = array[(*op.key, ...)] if isinstance(op, Slice) else np.asarray(op.forward(array))
    except (TypeError, ValueError):
        return None
    if not found.size and found.dtype == np.int64:
        return View(source.buffer, 0, (0,) * found.ndim, found.shape)
    place = found.__array_interface__["data"][0] - start
    if not 0 <= place < memory.nbytes or found.dtype != np.int64:
        return None
    return View(source.buffer, place // 8, tuple(s // 8 for s in found.strides), found.shape)


def numpy_view(view: View, memory: Any) -> Any:
    """Return the view of an actual array, which is the buffer."""
    flat = np.asarray(memory).reshape(-1)
    step = flat.itemsize
    return np.lib.stride_tricks.as_strided(flat[view.offset :], view.shape, [step * s for s in view.strides])


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
