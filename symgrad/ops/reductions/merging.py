"""What comes together at one place: scatter_reduce and index_reduce.

Sums are scattered. For the others the entries are laid out in layers, one above the other, and reduced.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import inf
from typing import Any

import numpy as np

from symgrad.core.node import Shape
from symgrad.core.promotion import is_bool
from symgrad.errors import ArgumentError, ShapeError
from symgrad.ops.convert import counted
from symgrad.ops.elementwise.declared import BINARY
from symgrad.ops.indexing.gather import _corner, _gathering, one_dim
from symgrad.ops.indexing.placing import rows
from symgrad.ops.keys import Positions
from symgrad.ops.map import ADD, DIV, show_shape
from symgrad.ops.protocol import Traced, rename, shape
from symgrad.ops.reduction import is_float
from symgrad.ops.reductions.extremes import Extreme
from symgrad.ops.reductions.reduce import Prod
from symgrad.ops.scatter import Scatter, ScatterAdd
from symgrad.ops.shape import Expand, Reshape
from symgrad.ops.shapes.join import cat
from symgrad.ops.slicing import Gather

_REDUCTIONS = ("sum", "prod", "mean", "amax", "amin")
_ONLY = Gather(((0, Positions([0])),))


def _check_reduction(reduce: Any, words: Sequence[Any], listed: str, instead: str) -> None:
    if reduce not in words:
        raise ArgumentError(f"reduce argument must be either {listed}, got {reduce}. {instead}")


def scatter(x: Any, dim: int, index: Any, src: Any = None, *, value: Any = None, reduce: str | None = None) -> Any:
    """Return x with x[index[i, j], j] = src[i, j] for dim = 0, and so on: the writing counterpart of gather.

    Args:
        x: tensor (n, m, …).
        dim: the axis that index replaces.
        index: integer tensor with as many axes as x.
        src, value: number, or tensor at least as large as index. Of repeated positions the last one wins.
        reduce: "add" or "multiply", to add or multiply instead of overwriting; repeated positions all count.

    Returns:
        A tensor shaped like x.

    Raises:
        ArgumentError: if ``reduce`` is unknown.
        ShapeError, IndexRangeError: if the index does not fit.

    >>> sg.scatter(sg.zeros(3), 0, sg.tensor([2, 0]), sg.tensor([1.0, 2.0]))
    tensor([2., 0., 1.])
    >>> sg.scatter(sg.ones(2), 0, sg.tensor([1, 1]), 3.0, reduce="multiply")
    tensor([1., 9.])
    """
    _check_reduction(reduce, (None, "add", "multiply"), "add or multiply", "scatter: pass one of them.")
    src = value if src is None else src
    at = _gathering(x, dim, index, "scatter")
    if reduce is None:
        return rename(Scatter(at, "Scatter")(x, _corner(src, at.block)), "Scatter")
    sent = _corner(src, at.block)
    if not shape(sent):
        sent = Expand(at.block)(sent if isinstance(sent, Traced) else np.asarray(sent, getattr(x, "dtype", None)))
    return rename(scatter_reduce(x, dim, index, sent, "sum" if reduce == "add" else "prod"), "Scatter")


def scatter_reduce(
    input: Any, dim: int | None = None, index: Any = None, src: Any = None, reduce: str = "sum",
    include_self: bool = True, *, axis: int | None = None,
) -> Any:  # fmt: skip
    """Reduce each entry of x and all entries of src that index assigns to it: sum, product, mean, maximum or minimum.

    Args:
        input: x (n, m, …).
        dim, axis: the axis that index replaces.
        index: integer tensor with as many axes as x.
        src: tensor at least as large as index.
        reduce: "sum", "prod", "mean", "amax" or "amin".
        include_self: whether to include the entry of x itself.

    Returns:
        A tensor shaped like x. Ties share the gradient of a maximum or minimum evenly. The gradient of a product is
        exact, also where factors are 0.

    Raises:
        ArgumentError: if ``reduce`` is unknown.
        ShapeError, IndexRangeError: if the index does not fit.

    >>> sg.scatter_reduce(sg.ones(2), 0, sg.tensor([0, 0]), sg.tensor([3.0, 4.0]), "prod")
    tensor([12.,  1.])
    """
    _check_reduction(reduce, _REDUCTIONS, "sum, prod, mean, amax or amin", "Pass one of them.")
    if not shape(input):
        row = _reduced(Reshape((1,))(input), _ONLY, Reshape((1,))(src), reduce, include_self, "ScatterReduce")
        return Reshape(())(row)
    at = _gathering(input, one_dim(dim, axis, 0), index, "scatter_reduce")
    return _reduced(input, at, _corner(src, at.block), reduce, include_self, "ScatterReduce")


def _check_slices(source: Any, wanted: Shape) -> None:
    if shape(source) != wanted:
        raise ShapeError(
            "index_reduce_(): Source/destination tensor must have same slice shapes. "
            f"Got source {show_shape(shape(source))}; expected {show_shape(wanted)}."
        )


def index_reduce(input: Any, dim: int, index: Any, source: Any, reduce: str, *, include_self: bool = True) -> Any:
    """Reduce slices along ``dim``, like scatter_reduce with an index (k,) for whole slices.

    Args:
        input: x, any shape.
        dim: the axis.
        index: integer tensor (k,).
        source: tensor shaped like x, with size k along dim.
        reduce: "prod", "mean", "amax" or "amin".
        include_self: whether to include the entry of x itself.

    Returns:
        A tensor shaped like x.

    Raises:
        ArgumentError: if ``reduce`` is unknown.
        ShapeError: if source does not fit.

    >>> sg.ones(2).index_reduce(0, sg.tensor([0, 0]), sg.tensor([3.0, 4.0]), "amax")
    tensor([4., 1.])
    """
    _check_reduction(reduce, _REDUCTIONS[1:], "prod, mean, amax or amin", "For sums use index_add.")
    if not shape(input):
        one = Reshape((1,))
        return Reshape(())(index_reduce(one(input), dim, index, one(source), reduce, include_self=include_self))
    at, wanted = rows(input, dim, index, "index_reduce")
    _check_slices(source, wanted)
    a, places = at.places[0][0], at.places[0][1].array
    spread = np.broadcast_to(places.reshape([-1 if k == a else 1 for k in range(len(wanted))]), wanted)
    full = _gathering(input, a, spread, "index_reduce")
    return _reduced(input, full, source, reduce, include_self, "IndexReduce")


def _reduced(x: Any, at: Gather, src: Any, reduce: str, include_self: bool, name: str) -> Any:
    sizes = shape(x)
    counts = np.zeros(sizes, dtype=np.int64)
    np.add.at(counts, at.key, 1)
    if reduce in ("sum", "mean"):
        base = x if include_self else Scatter(at)(x, 0)
        y = ADD(base, ScatterAdd(at, sizes)(src))
        share = counts + 1 if include_self else np.maximum(counts, 1)
        by = DIV if is_float(x) else BINARY["floor_divide"]
        return rename(y if reduce == "sum" else by(y, share.astype(getattr(x, "dtype", np.float64))), name)
    layers = _layers(x, at, src, counts, _neutral(x, reduce), include_self)
    if reduce == "prod":
        return rename(counted(Prod((0,)), layers, None if is_float(x) else x.dtype), name)
    return rename(Extreme((0,), largest=reduce == "amax")(layers), name)


def _neutral(x: Any, reduce: str) -> Any:
    """What changes nothing, in the dtype of x."""
    if reduce == "prod":
        return 1
    if is_float(x):
        return -inf if reduce == "amax" else inf
    if is_bool(x.dtype):
        return reduce == "amin"
    return int(np.iinfo(x.dtype).min if reduce == "amax" else np.iinfo(x.dtype).max)


def _layers(x: Any, at: Gather, src: Any, counts: Any, neutral: float, include_self: bool) -> Any:
    """x, and what comes to each place, one after the other along a new first axis; the neutral number elsewhere."""
    sizes = shape(x)
    first = x if include_self else Scatter(at)(x, neutral)
    depth = int(counts.max(initial=0))
    if depth == 0:
        return Reshape((1, *sizes))(x)
    empty = np.full((depth, *sizes), neutral, dtype=getattr(x, "dtype", np.float64))
    deep = Gather(tuple((k, Positions(key)) for k, key in enumerate((_turn(at, sizes), *at.key))))
    return cat([Reshape((1, *sizes))(first), Scatter(deep)(empty, src)], 0)


def _turn(at: Gather, sizes: Shape) -> Any:
    """Return how many entries came to the same place before each one."""
    keys = np.broadcast_arrays(*at.key)
    flat = np.ravel_multi_index([k.ravel() for k in keys], sizes)
    order = np.argsort(flat, kind="stable")
    starts = np.flatnonzero(np.diff(flat[order], prepend=-1))
    runs = np.diff(np.append(starts, flat.size))
    turn = np.empty(flat.size, dtype=np.int64)
    turn[order] = np.arange(flat.size) - np.repeat(starts, runs)
    return turn.reshape(keys[0].shape)
