"""Writing at given places: take and put, index_put, index_copy, masked_scatter, and slices.

All are reading (Gather, Slice), adding (ScatterAdd) and writing (Scatter).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from symgrad.core.node import Shape
from symgrad.errors import IndexRangeError, ShapeError
from symgrad.ops.contract import permute
from symgrad.ops.indexing.select import check_mask, getitem, part, setitem
from symgrad.ops.keys import Positions, constant, integers, is_unknown, known, parse
from symgrad.ops.map import ADD, broadcast_shapes, show_shape
from symgrad.ops.protocol import rename, shape
from symgrad.ops.scatter import Scatter, ScatterAdd, Selection
from symgrad.ops.shape import Expand, Reshape, axis_of, total
from symgrad.ops.slicing import Gather


# ------------------------------------------------------------------ positions in the flattened tensor
def take(input: Any, index: Any) -> Any:
    """Return the entries of the flattened x at the given positions.

    Args:
        input: x, any shape.
        index: integer tensor of any shape; negative entries count from the end.

    Returns:
        A tensor shaped like index.

    Raises:
        IndexRangeError: if a position is out of range.

    >>> sg.take(sg.tensor([[1.0, 2.0], [3.0, 4.0]]), sg.tensor([0, 3]))
    tensor([1., 4.])
    """
    places = index if is_unknown(index) else _in_flat(input, index, "take")
    return rename(getitem(Reshape((total(shape(input)),))(input), (places,)), "Take")


def as_strided(input: Any, size: Any, stride: Any, storage_offset: int | None = None) -> Any:
    """Return a copy whose entry (i, j, …) is entry storage_offset + i·stride₀ + j·stride₁ + … of the flattened x.

    Args:
        input: x, any shape.
        size: the shape of the result.
        stride: the steps ≥ 0 along the axes of the result, in entries.
        storage_offset: the position of entry (0, 0, …).

    Returns:
        An independent tensor: changing it does not change x.

    Raises:
        ShapeError: if size and stride differ in length.
        IndexRangeError: if an entry lies outside of x.

    >>> sg.as_strided(sg.arange(5.0), (3, 2), (1, 2))
    tensor([[0., 2.],
            [1., 3.],
            [2., 4.]])
    """
    if len(size) != len(stride):
        raise ShapeError(f"as_strided: got size {list(size)} and stride {list(stride)}. Expected lists of one length.")
    start = np.asarray(storage_offset or 0)
    steps = np.ix_(*[np.arange(n) * s for n, s in zip(size, stride, strict=True)])
    places = sum(steps, start=start) if size else start
    return take(input, np.broadcast_to(places, tuple(size)).astype(np.int64))


def put(x: Any, index: Any, source: Any, accumulate: bool = False) -> Any:
    """Return x with the entries of source at the given positions of the flattened x.

    Args:
        x: tensor of any shape.
        index: integer tensor; negative entries count from the end.
        source: a tensor with as many entries as index.
        accumulate: whether to add to x's entries instead of replacing them; repeated positions then add up.

    Returns:
        A tensor shaped like x.

    Raises:
        ShapeError: if source and index differ in number.
        IndexRangeError: if a position is out of range.

    >>> sg.zeros(2, 2).put(sg.tensor([3]), sg.tensor([5.0]))
    tensor([[0., 0.],
            [0., 5.]])
    """
    places = _in_flat(x, index, "put_")
    if total(shape(source)) != places.size:
        raise ShapeError(
            f"put_(): Expected source and index to have the same number of elements, but got source.numel() = "
            f"{total(shape(source))}, index.numel() = {places.size}. Pass one entry for each position."
        )
    flat, values = Reshape((total(shape(x)),))(x), Reshape((places.size,))(source)
    return rename(Reshape(shape(x))(_write(Gather(((0, Positions(places.ravel())),)), flat, values, accumulate)), "Put")


def _in_flat(x: Any, index: Any, who: str) -> Any:
    places, n = integers(index, who), total(shape(x))
    wrong = places[(places < -n) | (places >= n)] if isinstance(n, int) else places[:0]
    if wrong.size:
        raise IndexRangeError(
            f"out of range: tried to access index {int(wrong.flat[0])} on a tensor of {n} elements. "
            f"Expected {-n} to {n - 1}."
        )
    return places


def _write(at: Selection, x: Any, values: Any, accumulate: bool) -> Any:
    return ADD(x, ScatterAdd(at, shape(x))(values)) if accumulate else Scatter(at)(x, values)


# ------------------------------------------------------------------ index_put and its kin
def index_put(input: Any, indices: Sequence[Any], values: Any, accumulate: bool = False) -> Any:
    """Return x after x[indices] = values, or after x[indices] += values, where repeated indices add up.

    Args:
        input: x, any shape.
        indices: integer or boolean tensors, one per axis from the first on.
        values: tensor that broadcasts to x[indices].
        accumulate: whether to add to the entries instead of replacing them.

    Returns:
        A tensor shaped like x.

    Raises:
        IndexRangeError: if a position is out of range.
        ShapeError: if the values do not fit.

    >>> sg.index_put(sg.zeros(3), (sg.tensor([1, 1]),), sg.tensor([1.0, 2.0]), accumulate=True)
    tensor([0., 3., 0.])
    """
    key = tuple(indices)
    if not accumulate:
        return setitem(input, key, values)
    at = Gather(known(parse(key, shape(input))[1]))
    region = at.out_shape(shape(input))
    at.check_fit(shape(values), region)
    wide = values if shape(values) == region else Expand(region)(values)
    return rename(_write(at, input, wide, True), "IndexPut")


def index_copy(input: Any, dim: int, index: Any, source: Any) -> Any:
    """Return x with source[k] at index[k] along ``dim``.

    Args:
        input: x, any shape.
        dim: the axis.
        index: integer tensor (k,). Of repeated positions the last one wins.
        source: tensor shaped like x, with size k along dim.

    Returns:
        A tensor shaped like x.

    Raises:
        ShapeError: if source does not fit.
        IndexRangeError: if a position is out of range.

    >>> sg.index_copy(sg.zeros(3), 0, sg.tensor([2, 0]), sg.tensor([1.0, 2.0]))
    tensor([2., 0., 1.])
    """
    if not shape(input):  # a vector with one entry, as in PyTorch
        return Reshape(())(index_copy(Reshape((1,))(input), dim, index, Reshape((1,))(source)))
    at, wanted = rows(input, dim, index, "index_copy")
    if shape(source) != wanted:
        raise ShapeError(
            "index_copy_(): Source/destination tensor must have same slice shapes. "
            f"Got source {show_shape(shape(source))}; expected {show_shape(wanted)}."
        )
    return rename(Scatter(at)(input, source), "IndexCopy")


def index_fill(input: Any, dim: int, index: Any, value: Any) -> Any:
    """Return x with one value at the positions ``index`` along ``dim``.

    Args:
        input: x, any shape.
        dim: the axis.
        index: integer tensor (k,).
        value: number, or tensor without axes.

    Returns:
        A tensor shaped like x.

    Raises:
        ShapeError: if the value has axes.
        IndexRangeError: if a position is out of range.

    >>> sg.index_fill(sg.ones(3), 0, sg.tensor([2, 0]), 7.0)
    tensor([7., 1., 7.])
    """
    if shape(value):
        raise ShapeError(
            "index_fill_ only supports a 0-dimensional value tensor, but got tensor with "
            f"{len(shape(value))} dimension(s). Use index_copy."
        )
    if not shape(input):
        return Reshape(())(index_fill(Reshape((1,))(input), dim, index, value))
    return rename(Scatter(rows(input, dim, index, "index_fill")[0])(input, value), "IndexFill")


def rows(x: Any, dim: int, index: Any, who: str) -> tuple[Gather, Shape]:
    """Return what index_select reads, and the shape of it."""
    a, places = axis_of(dim, len(shape(x))), np.atleast_1d(integers(index, who))
    if places.ndim > 1:
        raise IndexRangeError(
            f"{who}_(): Index should have dimension 1 or 0 (got {places.ndim}). Flatten it, or use index_put."
        )
    at = Gather(((a, Positions(places)),))
    return at, at.out_shape(shape(x))


def masked_scatter(input: Any, mask: Any, source: Any) -> Any:
    """Return x with the entries of source, in row-major order, where the mask is true.

    Args:
        input: x, any shape.
        mask: boolean tensor, broadcast against x.
        source: a tensor with at least as many entries as the mask has true ones.

    Returns:
        A tensor of the broadcast shape.

    Raises:
        DTypeError: if the mask is not boolean.
        ShapeError: if source is too small.

    >>> sg.masked_scatter(sg.zeros(3), sg.tensor([True, False, True]), sg.tensor([1.0, 2.0]))
    tensor([1., 0., 2.])
    """
    chosen = constant(mask)
    check_mask("masked_scatter_", chosen.dtype)
    sizes = broadcast_shapes(chosen.shape, shape(input))
    x = input if shape(input) == sizes else Expand(sizes)(input)
    places = np.flatnonzero(np.broadcast_to(chosen, sizes))
    if places.size > total(shape(source)):
        raise ShapeError(
            f"masked_scatter: expected self and source to have at least as many elements as the mask has ones. "
            f"Got {total(shape(source))} elements for {places.size} ones."
        )
    values = getitem(Reshape((total(shape(source)),))(source), slice(0, places.size))
    flat = Scatter(Gather(((0, Positions(places)),)))(Reshape((total(sizes),))(x), values)
    return rename(Reshape(sizes)(flat), "MaskedScatter")


# ------------------------------------------------------------------ slices
def select_scatter(input: Any, src: Any, dim: int, index: int) -> Any:
    """Return a copy of x whose slice at ``index`` along ``dim`` is src.

    Args:
        input: x, with at least one axis.
        src: tensor shaped like x without the axis.
        dim, index: as in ``select``.

    Returns:
        A tensor shaped like x.

    Raises:
        ShapeError: if the shape of src differs.
        IndexRangeError: if dim or index is out of range.

    >>> sg.select_scatter(sg.zeros(2, 2), sg.ones(2), 0, 1)
    tensor([[0., 0.],
            [1., 1.]])
    """
    a = axis_of(dim, len(shape(input)))
    return _into(input, src, (*[slice(None)] * a, int(index)), "SelectScatter")


def slice_scatter(
    input: Any, src: Any, dim: int = 0, start: int | None = None, end: int | None = None, step: int = 1
) -> Any:
    """Return a copy of x whose slice start:end:step along ``dim`` is src.

    Args:
        input: x, with at least one axis.
        src: tensor shaped like the slice.
        dim, start, end, step: the slice.

    Returns:
        A tensor shaped like x.

    Raises:
        ShapeError: if the shape of src differs.

    >>> sg.slice_scatter(sg.zeros(4), sg.ones(2), 0, 1, 3)
    tensor([0., 1., 1., 0.])
    """
    a = axis_of(dim, len(shape(input)))
    return _into(input, src, (*[slice(None)] * a, slice(start, end, step)), "SliceScatter")


def _into(x: Any, src: Any, key: tuple[Any, ...], name: str) -> Any:
    wanted = part(parse(key, shape(x))[0]).out_shape(shape(x))
    _check_slice(shape(src), wanted)
    return rename(setitem(x, key, src), name)


def _check_slice(have: Shape, wanted: Shape) -> None:
    if have != wanted:
        raise ShapeError(
            f"expected src to have a size equal to the slice of self. src size = {show_shape(have)}, "
            f"slice size = {show_shape(wanted)}. Reshape src."
        )


def diagonal_scatter(input: Any, src: Any, offset: int = 0, dim1: int = 0, dim2: int = 1) -> Any:
    """Return a copy of x whose diagonal x[…, i, i + offset] along the axes dim1 and dim2 is src.

    Args:
        input: x, with at least two axes.
        src: tensor shaped like ``diagonal(x, offset, dim1, dim2)``.
        offset, dim1, dim2: as in ``diagonal``.

    Returns:
        A tensor shaped like x.

    Raises:
        ShapeError: if the shape of src differs, or the axes are the same.

    >>> sg.diagonal_scatter(sg.zeros(2, 2), sg.ones(2))
    tensor([[1., 0.],
            [0., 1.]])
    """
    s, ndim = shape(input), len(shape(input))
    a, b = axis_of(dim1, ndim), axis_of(dim2, ndim)
    if a == b:
        raise ShapeError(f"diagonal dimensions cannot be identical {dim1}, {dim2}. Name two different axes.")
    k = np.arange(max(min(s[a] + min(offset, 0), s[b] - max(offset, 0)), 0))
    rest = [d for d in range(ndim) if d not in (a, b)]
    _check_slice(shape(src), (*(s[d] for d in rest), k.size))
    order = [*rest, a, b]
    at = Gather(((ndim - 2, Positions(k - min(offset, 0))), (ndim - 1, Positions(k + max(offset, 0)))))
    y = Scatter(at)(permute(input, order), src)
    return rename(permute(y, [order.index(d) for d in range(ndim)]), "DiagonalScatter")
