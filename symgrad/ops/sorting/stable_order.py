"""The stable order of a row's entries.

NumPy sorts integers with vectors, several times as fast as it finds the positions that sort them. So a long row is
sorted as integers whose upper digits are the entry's and whose lower digits are its position.
"""

from __future__ import annotations

from typing import Any

import numpy as np

_LONG = 2048  # entries of a row from which packing pays


def stable_order(x: Any, axis: int = -1) -> Any:
    """Return the positions that sort x along an axis; equal entries keep their order, nan counts as largest."""
    x = np.asarray(x)
    if x.shape[axis] < _LONG or x.dtype not in (np.float64, np.float32):
        return np.argsort(x, axis, kind="stable")
    rows = np.moveaxis(x, axis, -1)
    if rows.ndim == 1:
        return _of_row(rows)
    order = np.empty(rows.shape, np.intp)
    for k in np.ndindex(rows.shape[:-1]):
        order[k] = _of_row(rows[k])
    return np.moveaxis(order, -1, axis)


def _of_row(x: Any) -> Any:
    """Sort by the leading digits and the position, and then those that have the same leading digits by all of them."""
    if np.all(x[1:] >= x[:-1]):
        return np.arange(x.size)
    packed, width = _keys(x), int(x.size - 1).bit_length()
    packed >>= width
    packed <<= width
    packed |= np.arange(x.size)
    packed.sort()
    order = packed & ((1 << width) - 1)
    packed >>= width
    same = packed[1:] == packed[:-1]
    if same.any():
        shared = np.concatenate([[False], same])
        shared[:-1] |= same
        positions = order[shared]
        keys = _keys(x[positions])
        if np.any(keys[1:] < keys[:-1]):
            order[shared] = positions[np.argsort(keys, kind="stable")]
    return order


def _keys(x: Any) -> Any:
    """Return 64-bit integers in the order of floats: ±0 have one key, and every nan has the largest."""
    with np.errstate(invalid="ignore"):
        numbers = np.add(x, 0.0, dtype=np.float64)
    numbers[np.isnan(numbers)] = np.nan
    keys = numbers.view(np.int64)
    flipped = keys >> 63
    flipped &= np.iinfo(np.int64).max
    keys ^= flipped
    return keys
