"""Sorting, the k largest, medians, running extremes: what users call.

The gradient of an entry goes to where it was found, which is the index returned with it.
"""

from __future__ import annotations

from typing import Any, Generic, NamedTuple

from symgrad.errors import IndexRangeError, ShapeError
from symgrad.ops.contract import sum_axes
from symgrad.ops.indexing.select import along
from symgrad.ops.map import show_shape
from symgrad.ops.protocol import TensorT, rename, shape
from symgrad.ops.reduction import is_float, kept, needs_entries, over
from symgrad.ops.reductions.extremes import Extremum
from symgrad.ops.shape import Reshape, axis_of
from symgrad.ops.shapes.sizes import whole
from symgrad.ops.sorting.order import ArgRunning, Argsort, Median, MedianOfAll, TakeAlongAxis


class Ordered(NamedTuple, Generic[TensorT]):
    """Entries in order, and where each was."""

    values: TensorT
    indices: TensorT


def _row(x: Any, dim: Any, axis: Any) -> tuple[Any, int]:
    """Return x with at least one axis, and the axis meant."""
    a = axis_of(dim if axis is None else axis, len(shape(x)))
    return (x, a) if shape(x) else (Reshape((1,))(x), 0)


def _back(y: Any, x: Any) -> Any:
    return y if shape(x) else Reshape(())(y)


def sort(
    input: Any, dim: int = -1, descending: bool = False, stable: bool = False, *, axis: int | None = None
) -> Ordered[Any]:
    """Return the sorted entries along one axis, and their indices.

    Args:
        input: tensor of any shape.
        dim, axis: the axis.
        descending: whether to sort from the largest to the smallest.
        stable: accepted and ignored; equal entries always keep their order.

    Returns:
        A named tuple (values, indices). The gradient of a value goes to the entry at its index.

    Raises:
        IndexRangeError: if the axis is out of range.

    >>> sg.sort(sg.tensor([2.0, 3.0, 1.0]))
    Ordered(values=tensor([1., 2., 3.]), indices=tensor([2, 0, 1]))
    """
    x, a = _row(input, dim, axis)
    at = Argsort(a, descending)(x)
    return Ordered(_back(rename(TakeAlongAxis(a)(x, at), "Sort"), input), _back(at, input))


def argsort(
    input: Any, dim: int = -1, descending: bool = False, stable: bool = False, *, axis: int | None = None
) -> Any:
    """Return the indices that sort x along one axis.

    Args:
        input, dim, descending, stable, axis: as in ``sort``.

    Returns:
        An integer tensor shaped like x, without gradient.

    >>> sg.argsort(sg.tensor([2.0, 3.0, 1.0]))
    tensor([2, 0, 1])
    """
    return sort(input, dim, descending, stable, axis=axis).indices


def topk(
    input: Any, k: int, dim: int = -1, largest: bool = True, sorted: bool = True, *, axis: int | None = None
) -> Ordered[Any]:
    """Return the k largest entries along one axis, sorted, and their indices.

    Args:
        input: tensor of any shape.
        k: the number of entries.
        dim, axis: the axis.
        largest: False for the k smallest entries.
        sorted: accepted and ignored; the entries are always sorted.

    Returns:
        A named tuple (values, indices), with size k along the axis. PyTorch may choose other indices among equal
        entries.

    Raises:
        ShapeError: if the axis has fewer than k entries.

    >>> sg.topk(sg.tensor([2.0, 3.0, 1.0]), 2)
    Ordered(values=tensor([3., 2.]), indices=tensor([1, 0]))
    """
    x, a = _row(input, dim, axis)
    k, n = whole(k), shape(x)[a]
    if k < 0 or (isinstance(n, int) and k > n):
        raise ShapeError(f"selected index k out of range. Got k={k} for an axis of size {n}; expected 0 to {n}.")
    at = along(Argsort(a, largest)(x), a, 0, k)
    ordered = Ordered(rename(TakeAlongAxis(a)(x, at), "Topk"), at)
    return ordered if shape(input) or k == 0 else Ordered(*(_back(y, input) for y in ordered))


def kthvalue(
    input: Any, k: int, dim: int = -1, keepdim: bool = False, *, axis: int | None = None, keepdims: bool = False
) -> Ordered[Any]:
    """Return the k-th smallest entry along one axis, with k counted from 1, and its index.

    Args:
        input: tensor of any shape.
        k: 1 for the smallest.
        dim, axis: the axis.
        keepdim, keepdims: keep the axis with length one.

    Returns:
        A named tuple (values, indices).

    Raises:
        ShapeError: if k lies outside 1..n.

    >>> sg.kthvalue(sg.tensor([2.0, 3.0, 1.0]), 2)
    Ordered(values=tensor(2.), indices=tensor(0))
    """
    x, a = _row(input, dim, axis)
    n = shape(x)[a]
    if k < 1 or (isinstance(n, int) and k > n):
        raise ShapeError(f"kthvalue(): selected number k out of range for dimension {a}. Got k={k}; expected 1 to {n}.")
    return _single(input, x, along(Argsort(a)(x), a, k - 1, k), a, keepdim or keepdims, "Kthvalue")


def median(
    input: Any, dim: int | None = None, keepdim: bool = False, *, axis: int | None = None, keepdims: bool = False
) -> Any:
    """Return the median, or the lower one for an even number of entries; nan if an entry is nan.

    Args:
        input, dim (or axis): tensor of any shape, and the axis; None for all entries.
        keepdim, keepdims: keep the axis with length one.

    Returns:
        ``median(x)``: a tensor (); equal entries share the gradient evenly. ``median(x, dim)``: a named tuple
        (values, indices); the gradient goes to the entry at the index.

    Raises:
        ShapeError, IndexRangeError: if there are no entries to choose from.

    >>> sg.median(sg.tensor([2.0, 4.0, 1.0, 3.0]))
    tensor(2.)
    """
    dim = dim if axis is None else axis
    if dim is None:
        axes = tuple(range(len(shape(input))))
        if 0 not in shape(input):
            return MedianOfAll(axes)(input)
        if not is_float(input):
            raise IndexRangeError(f"median(): got an empty tensor of shape {show_shape(shape(input))}. Pass entries.")
        return rename(over(sum_axes(input, axes), 0), "Median")
    x, a = _row(input, dim, None)
    needs_entries("median", x, a, (a,))
    return _single(input, x, Median(a)(x), a, keepdim or keepdims, "Median")


def _single(input: Any, x: Any, at: Any, a: int, keepdim: bool, name: str) -> Ordered[Any]:
    """Return the entries at positions of length one along the axis, which goes unless it is to stay."""
    to = kept(shape(input), (a,)) if keepdim else (*shape(x)[:a], *shape(x)[a + 1 :])
    return Ordered(*(rename(Reshape(to)(y), name) for y in (TakeAlongAxis(a)(x, at), at)))


def cummax(input: Any, dim: int | None = None, *, axis: int | None = None) -> Extremum[Any]:
    """Return the largest entry so far along one axis, and its index, the last one among ties.

    Args:
        input: tensor of any shape.
        dim, axis: the axis.

    Returns:
        A named tuple (values, indices), each shaped like x.

    >>> sg.cummax(sg.tensor([1.0, 3.0, 2.0]), 0)
    Extremum(values=tensor([1., 3., 3.]), indices=tensor([0, 1, 1]))
    """
    return _running(input, dim, axis, largest=True)


def cummin(input: Any, dim: int | None = None, *, axis: int | None = None) -> Extremum[Any]:
    """Return the smallest entry so far along one axis, and its index, the last one among ties.

    Args:
        input: tensor of any shape.
        dim, axis: the axis.

    Returns:
        A named tuple (values, indices), each shaped like x.

    >>> sg.cummin(sg.tensor([3.0, 1.0, 2.0]), 0)
    Extremum(values=tensor([3., 1., 1.]), indices=tensor([0, 1, 1]))
    """
    return _running(input, dim, axis, largest=False)


def _running(input: Any, dim: Any, axis: Any, *, largest: bool) -> Extremum[Any]:
    x, a = _row(input, dim, axis)
    at = ArgRunning(a, largest)(x)
    name = "Cummax" if largest else "Cummin"
    return Extremum(_back(rename(TakeAlongAxis(a)(x, at), name), input), _back(at, input))
