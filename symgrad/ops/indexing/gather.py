"""Reading and writing along one axis at given positions: index_select, gather, scatter."""

from __future__ import annotations

from typing import Any

import numpy as np

from symgrad.core.node import Shape
from symgrad.errors import IndexRangeError, ShapeError
from symgrad.ops.indexing.lookup import DynamicGather, DynamicScatterAdd, lookup
from symgrad.ops.indexing.select import getitem
from symgrad.ops.keys import Positions, integers, is_unknown
from symgrad.ops.map import ADD, show_shape
from symgrad.ops.protocol import rename, shape
from symgrad.ops.scaling import scaled
from symgrad.ops.scatter import ScatterAdd
from symgrad.ops.shape import Reshape, axis_of, total
from symgrad.ops.slicing import Gather


def one_dim(dim: Any, axis: Any, default: Any) -> Any:
    """Return the dimension given as ``dim`` or as ``axis``."""
    return axis if axis is not None else default if dim is None else dim


def _check_positions(positions: Any, n: Any) -> None:
    """Raise unless positions are a vector of integers from 0 to n - 1."""
    if positions.ndim > 1:
        raise IndexRangeError(
            f"index_select(): Index is supposed to be a vector. Got shape {show_shape(positions.shape)}; "
            "use gather or x[…]."
        )
    if isinstance(n, int) and np.any((positions < 0) | (positions >= n)):
        raise IndexRangeError(
            f"index out of range in self. Got {positions.min()} … {positions.max()} for size {n}; "
            f"expected 0 to {n - 1}."
        )


def index_select(x: Any, dim: int | None = None, index: Any = None, *, axis: int | None = None) -> Any:
    """Return the entries of x at the positions ``index`` along ``dim``; positions may repeat.

    Args:
        x: tensor of any shape.
        dim: the axis.
        index: integer tensor (k,), entries 0..n-1.

    Returns:
        x with size k along dim.

    Raises:
        IndexRangeError: if a position is out of range, or the index is not a vector.

    >>> sg.index_select(sg.tensor([1.0, 2.0, 3.0]), 0, sg.tensor([2, 2]))
    tensor([3., 3.])
    """
    a = axis_of(one_dim(dim, axis, 0), len(shape(x)))
    if is_unknown(index) and shape(x) and len(shape(index)) < 2:
        return rename(lookup(x, ((a, Reshape((total(shape(index)),))(index)),)), "IndexSelect")
    positions = integers(index, "index_select")
    _check_positions(positions, shape(x)[a] if shape(x) else None)
    positions = np.atleast_1d(positions)
    if not shape(x):
        return _from_number(x, positions)
    return Gather(((a, Positions(positions)),), "IndexSelect")(x)


def _from_number(x: Any, positions: Any) -> Any:
    if positions.size != 1:
        raise ShapeError(
            f"index_select(): Index to scalar can have only 1 value, got {positions.size} value(s). Expand x first."
        )
    return Reshape(())(Gather(((0, Positions(positions)),), "IndexSelect")(Reshape((1,))(x)))


def gather(
    x: Any, dim: int | None = None, index: Any = None, *, sparse_grad: bool = False, axis: int | None = None
) -> Any:  # fmt: skip
    """Return y[i, j] = x[index[i, j], j] for dim = 0, y[i, j] = x[i, index[i, j]] for dim = 1, and so on.

    Args:
        x: tensor (n, m, …).
        dim: the axis that index replaces.
        index: integer tensor with as many axes as x, no larger than x apart from dim.
        sparse_grad: accepted and ignored, because gradients are dense.

    Returns:
        A tensor shaped like index. Repeated positions add up in the gradient.

    Raises:
        ShapeError: if index does not fit x.
        IndexRangeError: if a position is out of range.

    >>> sg.gather(sg.tensor([[1.0, 2.0], [3.0, 4.0]]), 1, sg.tensor([[0], [1]]))
    tensor([[1.],
            [4.]])
    """
    sizes = shape(x)
    if is_unknown(index) and len(shape(index)) == len(sizes):
        return rename(lookup(x, _places(index, axis_of(one_dim(dim, axis, None), len(sizes)))), "Gather")
    positions = integers(index, "gather")
    if positions.ndim != len(sizes) and (positions.size == 0 or max(positions.ndim, len(sizes)) == 1):
        # As in PyTorch: without entries any shape will do, and a number is a vector with one entry.
        flat, places = Reshape((total(sizes),))(x), positions.reshape(-1)
        return Reshape(positions.shape)(_gathering(flat, 0, places, "gather")(flat))
    return _gathering(x, one_dim(dim, axis, 0), index, "gather")(x)


def _gathering(x: Any, dim: int, index: Any, who: str) -> Gather:
    """Return what gather reads, after checking the index."""
    sizes = shape(x)
    a = axis_of(dim, len(sizes))
    positions = integers(index, who)
    if positions.ndim != len(sizes):
        raise ShapeError(
            "Index tensor must have the same number of dimensions as input tensor. "
            f"Got shapes {show_shape(positions.shape)} and {show_shape(sizes)}; unsqueeze the index."
        )
    _check_gathering(positions, sizes, a)
    return Gather(tuple((k, Positions(key)) for k, key in _places(positions, a)), "Gather")


def _places(index: Any, a: int) -> list[tuple[int, Any]]:
    """Pair every axis with the positions that gather reads there: those of the index along axis a."""
    return [(k, index if k == a else grid) for k, grid in enumerate(_grids(index.shape))]


def _grids(sizes: Shape) -> list[Any]:
    """Return arange(n) along each axis, to be broadcast."""
    ndim = len(sizes)
    return [np.arange(n).reshape([-1 if d == k else 1 for d in range(ndim)]) for k, n in enumerate(sizes)]


def _check_gathering(positions: Any, sizes: Shape, a: int) -> None:
    for d, (n, m) in enumerate(zip(positions.shape, sizes, strict=True)):
        if d != a and isinstance(m, int) and n > m:
            raise ShapeError(
                f"Size does not match at dimension {d} expected index {show_shape(positions.shape)} to be no "
                f"larger than self {show_shape(sizes)} apart from dimension {a}. Slice the index."
            )
    n = sizes[a] if sizes else 1
    wrong = positions[(positions < 0) | (positions >= n)] if isinstance(n, int) else positions[:0]
    if wrong.size:
        raise IndexRangeError(
            f"index {int(wrong.flat[0])} is out of bounds for dimension {a} with size {n}. Expected 0 to {n - 1}."
        )


def _check_axes(positions: Any, sizes: Shape) -> None:
    if positions.ndim != len(sizes):
        raise ShapeError(
            "torch.take_along_dim(): input and indices should have the same number of dimensions, but got "
            f"{len(sizes)} dimensions for input, and {positions.ndim} dimensions for indices. "
            "Unsqueeze the indices."
        )


def take_along_dim(x: Any, indices: Any, dim: int | None = None, *, axis: int | None = None) -> Any:
    """Gather entries along ``dim``, with x and indices broadcast along the other axes; without dim, x is flattened.

    Args:
        x: tensor (n, m, …).
        indices: integer tensor with as many axes as x; negative entries count from the end.
        dim: the axis, or None.

    Returns:
        The entries, with the broadcast shape.

    Raises:
        ShapeError: if the numbers of axes of x and indices differ.

    >>> sg.take_along_dim(sg.tensor([[1.0, 2.0], [3.0, 4.0]]), sg.tensor([[1]]), 1)
    tensor([[2.],
            [4.]])
    """
    positions = indices if is_unknown(indices) else integers(indices, "take_along_dim")
    dim = one_dim(dim, axis, None)
    if dim is None:
        flat = Reshape((total(shape(x)),))(x)
        return rename(getitem(flat, (positions.reshape(-1),)), "Gather")
    sizes = shape(x)
    _check_axes(positions, sizes)
    a = axis_of(dim, len(sizes))
    keys = [positions if k == a else grid for k, grid in enumerate(_grids(sizes))]
    return rename(getitem(x, tuple(keys)), "Gather")


def scatter_add(x: Any, dim: int, index: Any, src: Any) -> Any:
    """Return x with src[i, j] added to x[index[i, j], j] for dim = 0, and so on: the adjoint of gather.

    Args:
        x: tensor (n, m, …).
        dim: the axis that index replaces.
        index: integer tensor with as many axes as x; repeated positions add up.
        src: tensor at least as large as index.

    Returns:
        A tensor shaped like x.

    >>> sg.scatter_add(sg.zeros(3), 0, sg.tensor([2, 2]), sg.tensor([1.0, 2.0]))
    tensor([0., 0., 3.])
    """
    at = _gathering(x, dim, index, "scatter_add")
    return rename(ADD(x, ScatterAdd(at, shape(x))(_corner(src, at.block))), "ScatterAdd")


def index_add(x: Any, dim: int, index: Any, source: Any, *, alpha: float = 1) -> Any:
    """Return x with alpha·source[k] added to x[index[k]] along ``dim``: the adjoint of index_select.

    Args:
        x, dim: tensor of any shape, and the axis.
        index: integer tensor (k,); repeated positions add up.
        source: tensor shaped like x, with size k along dim.
        alpha: factor.

    Returns:
        A tensor shaped like x.

    >>> sg.index_add(sg.zeros(3), 0, sg.tensor([1, 1]), sg.tensor([1.0, 2.0]))
    tensor([0., 3., 0.])
    """
    if not shape(x):
        one = index_add(Reshape((1,))(x), dim, index, source if shape(source) else Reshape((1,))(source), alpha=alpha)
        return Reshape(())(one)
    sizes, a = shape(x), axis_of(dim, len(shape(x)))
    unknown = is_unknown(index)
    at: Any = DynamicGather((a,)) if unknown else Gather(((a, Positions(integers(index, "index_add"))),), "IndexSelect")
    wanted = at.out_shape(sizes, *[shape(index)] * unknown)
    if shape(source) != wanted:
        raise ShapeError(
            f"index_add_(): self and source have incompatible shapes. Got {show_shape(shape(source))}; "
            f"expected {show_shape(wanted)}."
        )
    term = scaled(x, source, alpha)
    added = DynamicScatterAdd(at, sizes)(term, index) if unknown else ScatterAdd(at, sizes)(term)
    return rename(ADD(x, added), "IndexAdd")


def _corner(src: Any, sizes: Shape) -> Any:
    """Return the leading entries of src; a number stays."""
    have = shape(src)
    if not have or have == sizes:
        return src
    if len(have) != len(sizes) or any(n > m for n, m in zip(sizes, have, strict=True)):
        raise ShapeError(
            f"Expected index {show_shape(sizes)} to be no larger than src {show_shape(have)}. Slice the index."
        )
    return getitem(src, tuple(slice(n) for n in sizes))
