"""Grids, and choices of entries."""

from __future__ import annotations

from math import prod
from typing import Any

import numpy as np

from symgrad.errors import ArgumentError, ShapeError
from symgrad.ops.indexing.gather import index_select
from symgrad.ops.indexing.select import along
from symgrad.ops.map import broadcast_shapes, show_shape
from symgrad.ops.protocol import shape
from symgrad.ops.shape import Expand, Reshape
from symgrad.ops.shapes.arrange import transpose
from symgrad.ops.shapes.join import stack


def broadcast_tensors(*tensors: Any) -> tuple[Any, ...]:
    """Return the tensors, expanded to a common shape.

    Args:
        tensors: tensors whose shapes broadcast.

    Returns:
        A tuple of tensors of one shape.

    Raises:
        ShapeError: if the shapes do not fit.

    >>> [x.shape for x in sg.broadcast_tensors(sg.ones(2, 1), sg.ones(3))]
    [(2, 3), (2, 3)]
    """
    to = broadcast_shapes(*map(shape, tensors))
    return tuple(x if shape(x) == to else Expand(to)(x) for x in tensors)


def _coordinates(tensors: tuple[Any, ...], indexing: str) -> tuple[Any, ...]:
    """Return the vectors that span a grid, which are passed one by one or as a list."""
    if len(tensors) == 1 and isinstance(tensors[0], (list, tuple)):
        tensors = tuple(tensors[0])
    if not tensors:
        raise ArgumentError("meshgrid expects a non-empty TensorList. Got none.")
    if indexing not in ("ij", "xy"):
        raise ArgumentError(
            f'torch.meshgrid: indexing must be one of "xy" or "ij", but received: {indexing}. Pass one of them.'
        )
    for x in tensors:
        if len(shape(x)) > 1:
            raise ShapeError(
                "torch.meshgrid: Expected 0D or 1D tensor in the tensor list but got: a tensor of shape "
                f"{show_shape(shape(x))}. Flatten it first."
            )
    return tensors


def meshgrid(*tensors: Any, indexing: str = "ij") -> tuple[Any, ...]:
    """Return the coordinates of the points of a grid: for "ij" the k-th result is y[i₀, i₁, …] = x_k[i_k].

    Args:
        tensors: vectors (n₀,), (n₁,), …, or one list of vectors; a number is treated as (1,).
        indexing: "ij", or "xy" to swap the first two axes of the grid.

    Returns:
        A tuple of tensors (n₀, n₁, …).

    Raises:
        ShapeError: if a tensor has more than one axis.
        ArgumentError: if there is no tensor, or the indexing is unknown.

    >>> sg.meshgrid(sg.tensor([1.0, 2.0]), sg.tensor([3.0, 4.0, 5.0]))[0]
    tensor([[1., 1., 1.],
            [2., 2., 2.]])
    """
    tensors = _coordinates(tensors, indexing)
    sizes = tuple((shape(x) or (1,))[0] for x in tensors)
    ndim = len(sizes)
    grids = [
        Expand(sizes)(Reshape(tuple(n if d == k else 1 for d in range(ndim)))(x))
        for k, (x, n) in enumerate(zip(tensors, sizes, strict=True))
    ]
    swapped = indexing == "xy" and ndim > 1
    return tuple(transpose(y, 0, 1) if swapped else y for y in grids)


def cartesian_prod(*tensors: Any) -> Any:
    """Return all combinations of one entry from each vector, as rows; the last entry changes fastest.

    Args:
        tensors: vectors (n₀,), (n₁,), …

    Returns:
        A matrix (n₀ n₁ …, k) for k vectors; for a single vector, the vector itself.

    Raises:
        ShapeError: if a tensor is not a vector.

    >>> sg.cartesian_prod(sg.tensor([1.0, 2.0]), sg.tensor([3.0, 4.0]))
    tensor([[1., 3.],
            [1., 4.],
            [2., 3.],
            [2., 4.]])
    """
    for x in tensors:
        if len(shape(x)) != 1:
            raise ShapeError(
                f"Expect a 1D vector, but got shape {show_shape(shape(x))}. cartesian_prod takes vectors: flatten it."
            )
    if len(tensors) == 1:
        return tensors[0]
    grids = meshgrid(*tensors)
    return stack([Reshape((prod(shape(y)),))(y) for y in grids], 1)


def combinations(input: Any, r: int = 2, with_replacement: bool = False) -> Any:
    """Return all combinations of r entries of x, as rows, in the order of x.

    Args:
        input: x, a vector (n,).
        r: the number of entries to take.
        with_replacement: whether an entry may be chosen more than once.

    Returns:
        A matrix (k, r).

    Raises:
        ShapeError: if x is not a vector.
        ArgumentError: if r is negative.

    >>> sg.combinations(sg.tensor([1.0, 2.0, 3.0]))
    tensor([[1., 2.],
            [1., 3.],
            [2., 3.]])
    """
    if len(shape(input)) != 1:
        raise ShapeError(f"Expect a 1D vector, but got shape {show_shape(shape(input))}. Flatten it first.")
    if r < 0:
        raise ArgumentError(f"Expect a non-negative number, but got {r}. Pass how many entries to take.")
    n = shape(input)[0]
    if r == 0:
        return along(input, 0, 0, 0)
    places = _places(n, r, 0 if with_replacement else 1)
    return Reshape(places.shape)(index_select(input, 0, places.reshape(-1)))


def _places(n: int, r: int, step: int) -> np.ndarray:
    """All rows of r numbers below n, each at least ``step`` above the one before it, in lexicographic order."""
    rows = np.arange(n)[:, None]
    for _ in range(r - 1):
        first = rows[:, -1] + step
        count = n - first
        start = np.cumsum(count) - count
        last = np.arange(count.sum()) - np.repeat(start - first, count)
        rows = np.column_stack([np.repeat(rows, count, axis=0), last])
    return rows
