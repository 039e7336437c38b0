"""Shapes in ``jax.lax``: axes by their numbers, broadcasting, padding, and arrays of constants."""

from __future__ import annotations

import builtins
import math
from collections.abc import Sequence
from typing import Any

from symgrad import functions as F
from symgrad.engine.record import as_tensor
from symgrad.errors import ArgumentError, ShapeError
from symgrad.ops.map import show_shape
from symgrad.ops.shape import axis_of
from symgrad.support.arguments import check_all
from symgrad.tensors import creation

__all__ = [
    "broadcast", "broadcast_in_dim", "broadcasted_iota", "collapse", "concatenate", "expand_dims", "full", "full_like",
    "iota", "pad", "reshape", "rev", "squeeze", "transpose",
]  # fmt: skip


def concatenate(operands: Sequence[Any], dimension: int) -> Any:
    """Join arrays along an axis."""
    return F.cat(list(operands), dimension)


def expand_dims(array: Any, dimensions: Sequence[int] | int) -> Any:
    """Return x with axes of size 1 at these places of the result.

    >>> sg.lax.expand_dims(sg.ones(3), (0, 2)).shape
    (1, 3, 1)
    """
    x = as_tensor(array)
    places = (dimensions,) if isinstance(dimensions, int) else tuple(dimensions)
    for axis in sorted(axis_of(a, x.ndim + len(places)) for a in places):
        x = F.unsqueeze(x, axis)
    return x


def squeeze(array: Any, dimensions: Sequence[int] | int) -> Any:
    """Return x without these axes, whose size is 1.

    Raises:
        ShapeError: if the size of an axis differs.
    """
    x = as_tensor(array)
    axes = [axis_of(a, x.ndim) for a in ((dimensions,) if isinstance(dimensions, int) else dimensions)]
    if any(x.shape[a] != 1 for a in axes):
        raise ShapeError(f"squeeze: got axes {axes} of shape {show_shape(x.shape)}. Expected axes of size 1.")
    return F.squeeze(x, tuple(axes)) if axes else x


def transpose(operand: Any, permutation: Sequence[int]) -> Any:
    """Return x with its axes in another order."""
    return F.permute(as_tensor(operand), *permutation)


def rev(operand: Any, dimensions: Sequence[int]) -> Any:
    """Return x backwards along these axes."""
    return F.flip(as_tensor(operand), tuple(dimensions))


def reshape(operand: Any, new_sizes: Sequence[int], dimensions: Sequence[int] | None = None) -> Any:
    """Return the entries of x in another shape, read with the axes in the order of ``dimensions``."""
    x = as_tensor(operand)
    return F.reshape(x if dimensions is None else transpose(x, dimensions), tuple(new_sizes))


def collapse(operand: Any, start_dimension: int, stop_dimension: int | None = None) -> Any:
    """Return x with the axes from the first to before the second joined to one.

    >>> sg.lax.collapse(sg.ones(2, 3, 4), 0, 2).shape
    (6, 4)
    """
    x = as_tensor(operand)
    first, stop, _ = builtins.slice(start_dimension, stop_dimension).indices(x.ndim)
    return F.reshape(x, (*x.shape[:first], math.prod(x.shape[first:stop]), *x.shape[stop:]))


def broadcast(operand: Any, sizes: Sequence[int]) -> Any:
    """Return x repeated along new first axes of these sizes."""
    x = as_tensor(operand)
    return F.broadcast_to(x, (*sizes, *x.shape))


def broadcast_in_dim(operand: Any, shape: Sequence[int], broadcast_dimensions: Sequence[int]) -> Any:
    """Return x broadcast to a larger shape, in which its axes have the given positions, in increasing order.

    >>> sg.lax.broadcast_in_dim(sg.tensor([1.0, 2.0]), (2, 3), (0,))
    tensor([[1., 1., 1.],
            [2., 2., 2.]])
    """
    x, axes = as_tensor(operand), [*broadcast_dimensions]
    if len(axes) != x.ndim or axes != sorted(set(axes)) or any(not 0 <= a < len(shape) for a in axes):
        raise ArgumentError(
            f"broadcast_in_dim: got axes {axes} for {show_shape(x.shape)} in {show_shape(tuple(shape))}. Expected one "
            "place in the new shape for each axis, in increasing order."
        )
    sizes = dict(zip(axes, x.shape, strict=True))
    return F.broadcast_to(F.reshape(x, tuple(sizes.get(k, 1) for k in range(len(shape)))), tuple(shape))


def full(shape: Sequence[int], fill_value: Any, dtype: Any = None) -> Any:
    """Return an array of one number, with its dtype by default."""
    value = as_tensor(fill_value)
    return F.broadcast_to(value if dtype is None else value.to(dtype), tuple(shape))


def full_like(x: Any, fill_value: Any, dtype: Any = None, shape: Sequence[int] | None = None) -> Any:
    """Return an array of one number, with the shape and dtype of x by default."""
    like = as_tensor(x)
    return full(like.shape if shape is None else shape, fill_value, like.dtype if dtype is None else dtype)


def iota(dtype: Any, size: int) -> Any:
    """Return 0, 1, …, size - 1."""
    return creation.arange(size, dtype=dtype)


def broadcasted_iota(dtype: Any, shape: Sequence[int], dimension: int) -> Any:
    """Return 0, 1, … along one axis, the same along the others."""
    return broadcast_in_dim(iota(dtype, shape[dimension]), shape, (axis_of(dimension, len(shape)),))


def pad(operand: Any, padding_value: Any, padding_config: Sequence[tuple[int, int, int]]) -> Any:
    """Return x with a number before, after and between its entries.

    Args:
        operand: x.
        padding_value: the number.
        padding_config: for each axis, how many before the first entry, after the last, and between each two; a negative
            number before or after takes entries away.

    >>> sg.lax.pad(sg.tensor([1.0, 2.0]), 0.0, [(1, -1, 2)])
    tensor([0., 1., 0., 0.])
    """
    x = as_tensor(operand)
    if len(padding_config) != x.ndim or any(inner < 0 for _, _, inner in padding_config):
        raise ArgumentError(
            f"pad: got padding_config={padding_config} for shape {show_shape(x.shape)}. Expected (before, after, "
            "between) for each axis, and no negative number between."
        )
    sizes = [n + max(n - 1, 0) * inner for n, (_, _, inner) in zip(x.shape, padding_config, strict=True)]
    value = as_tensor(padding_value).to(x.dtype)
    wide = [(max(a, 0), max(b, 0)) for a, b, _ in padding_config]
    full_size = tuple(a + n + b for n, (a, b) in zip(sizes, wide, strict=True))
    places = tuple(
        builtins.slice(a, a + n, inner + 1) for n, (a, _), (*_, inner) in zip(sizes, wide, padding_config, strict=True)
    )
    padded = F.broadcast_to(value, full_size).at[places].set(x)
    return padded[tuple(builtins.slice(max(-a, 0), n - max(-b, 0)) for n, (a, b, _) in
                        zip(full_size, padding_config, strict=True))]  # fmt: skip


check_all(globals(), __all__)
