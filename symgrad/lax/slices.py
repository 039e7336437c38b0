"""Slices of ``jax.lax``: with constant bounds, and from places that may be computed."""

from __future__ import annotations

import builtins
from collections.abc import Sequence
from typing import Any

from symgrad import functions as F
from symgrad.engine.record import as_tensor
from symgrad.errors import ArgumentError, ShapeError
from symgrad.ops.map import show_shape
from symgrad.ops.shape import axis_of
from symgrad.support.arguments import check_all
from symgrad.tensors.creation import arange

__all__ = [
    "dynamic_index_in_dim", "dynamic_slice", "dynamic_slice_in_dim", "dynamic_update_index_in_dim",
    "dynamic_update_slice", "dynamic_update_slice_in_dim", "index_in_dim", "slice", "slice_in_dim",
]  # fmt: skip


def _start(index: Any, size: int, length: int) -> Any:
    """A place moved so that a slice of this length fits, as JAX does; a negative one counts from the end."""
    i = as_tensor(index)
    return F.clamp(F.where(i < 0, i + size, i), 0, size - length)


def _places(x: Any, start_indices: Sequence[Any], sizes: Sequence[int]) -> tuple[Any, ...]:
    """Where the entries of the slice are, axis by axis."""
    if not len(start_indices) == len(sizes) == x.ndim:
        raise ShapeError(
            f"dynamic_slice: got {len(start_indices)} places and {len(sizes)} sizes for a tensor of shape "
            f"{show_shape(x.shape)}. Expected {x.ndim} of each."
        )
    if any(k > n for k, n in zip(sizes, x.shape, strict=True)):
        raise ShapeError(
            f"dynamic_slice: got sizes {[*sizes]} for shape {show_shape(x.shape)}. Expected no larger ones."
        )
    rows = [_start(i, n, k) + arange(k) for i, n, k in zip(start_indices, x.shape, sizes, strict=True)]
    return tuple(r.reshape([-1 if j == axis else 1 for j in range(len(rows))]) for axis, r in enumerate(rows))


def dynamic_slice(operand: Any, start_indices: Sequence[Any], slice_sizes: Sequence[int]) -> Any:
    """Return the slice with these sizes that starts at given, maybe computed, indices, shifted to lie within x.

    >>> sg.lax.dynamic_slice(sg.arange(5.0), (sg.tensor(1),), (3,))
    tensor([1., 2., 3.])
    """
    x = as_tensor(operand)
    return x[_places(x, start_indices, slice_sizes)]


def dynamic_update_slice(operand: Any, update: Any, start_indices: Sequence[Any]) -> Any:
    """Return operand with a slice that begins at a place, which may be computed, replaced by update."""
    x, u = as_tensor(operand), as_tensor(update)
    return x.at[_places(x, start_indices, u.shape)].set(u)


def _along(x: Any, axis: int, start: Any) -> list[Any]:
    """The start of a slice along one axis, which is 0 along the others."""
    a = axis_of(axis, x.ndim)
    return [start if k == a else 0 for k in range(x.ndim)]


def dynamic_slice_in_dim(operand: Any, start_index: Any, slice_size: int, axis: int = 0) -> Any:
    """Return ``dynamic_slice`` along one axis."""
    x = as_tensor(operand)
    sizes = [slice_size if k == axis_of(axis, x.ndim) else n for k, n in enumerate(x.shape)]
    return dynamic_slice(x, _along(x, axis, start_index), sizes)


def dynamic_index_in_dim(operand: Any, index: Any, axis: int = 0, keepdims: bool = True) -> Any:
    """Return the slice at a place along one axis, which stays as one of size 1 with ``keepdims``.

    >>> sg.lax.dynamic_index_in_dim(sg.tensor([3.0, 4.0]), sg.tensor(1), keepdims=False)
    tensor(4.)
    """
    y = dynamic_slice_in_dim(operand, index, 1, axis)
    return y if keepdims else F.squeeze(y, axis)


def dynamic_update_slice_in_dim(operand: Any, update: Any, start_index: Any, axis: int) -> Any:
    """Return ``dynamic_update_slice`` along one axis."""
    x = as_tensor(operand)
    return dynamic_update_slice(x, update, _along(x, axis, start_index))


def dynamic_update_index_in_dim(operand: Any, update: Any, index: Any, axis: int) -> Any:
    """Return operand with the slice at a place along one axis replaced by update, with or without that axis."""
    x, u = as_tensor(operand), as_tensor(update)
    return dynamic_update_slice_in_dim(x, u if u.ndim == x.ndim else F.unsqueeze(u, axis), index, axis)


def slice(
    operand: Any, start_indices: Sequence[int], limit_indices: Sequence[int], strides: Sequence[int] | None = None
) -> Any:
    """Return x[start:limit:stride, …] of constant bounds, one for each axis.

    Raises:
        ShapeError: if the number of bounds is not the number of axes.
        ArgumentError: if a bound is out of range.

    >>> sg.lax.slice(sg.arange(6.0), (1,), (6,), (2,))
    tensor([1., 3., 5.])
    """
    x = as_tensor(operand)
    steps = [1] * x.ndim if strides is None else strides
    if not len(start_indices) == len(limit_indices) == len(steps) == x.ndim:
        raise ShapeError(
            f"slice: got {len(start_indices)} starts, {len(limit_indices)} limits and {len(steps)} strides for a "
            f"tensor of shape {show_shape(x.shape)}. Expected {x.ndim} of each."
        )
    for a, b, n in zip(start_indices, limit_indices, x.shape, strict=True):
        if not 0 <= a <= b <= n:
            raise ArgumentError(f"slice: got [{a}, {b}) along an axis of size {n}. Expected 0 ≤ start ≤ limit ≤ {n}.")
    return x[tuple(builtins.slice(*s) for s in zip(start_indices, limit_indices, steps, strict=True))]


def slice_in_dim(operand: Any, start_index: int | None, limit_index: int | None, stride: int = 1, axis: int = 0) -> Any:
    """Return x[start:limit:stride] along one axis; negative bounds count from the end."""
    x = as_tensor(operand)
    return x[(*[builtins.slice(None)] * axis_of(axis, x.ndim), builtins.slice(start_index, limit_index, stride))]


def index_in_dim(operand: Any, index: int, axis: int = 0, keepdims: bool = True) -> Any:
    """Return the slice at a constant place along one axis, which stays as one of size 1 with ``keepdims``."""
    y = F.select(as_tensor(operand), axis, index)
    return F.unsqueeze(y, axis) if keepdims else y


check_all(globals(), __all__)
