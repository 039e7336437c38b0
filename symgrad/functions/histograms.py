"""Histograms between edges, along one axis or several. Counts have the derivative of their weights."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import Any, Generic, NamedTuple

import numpy as np

from symgrad.core.node import tensor_value
from symgrad.core.promotion import FLOAT64, is_complex, is_floating
from symgrad.engine.adapters import public
from symgrad.engine.record import as_tensor
from symgrad.errors import ArgumentError, DTypeError, ShapeError
from symgrad.functions.indexing import index_add
from symgrad.functions.pointwise import where
from symgrad.functions.reductions import diff
from symgrad.functions.shapes import reshape
from symgrad.functions.sorting import searchsorted
from symgrad.ops.map import show_shape
from symgrad.ops.protocol import TensorT
from symgrad.support.arguments import check_all

__all__ = ["histogram", "histogramdd"]


class Histogram(NamedTuple, Generic[TensorT]):
    """How many values lie in each bin, and the edges of the bins."""

    hist: TensorT
    bin_edges: Any


@public
def histogram(
    input: Any, bins: Any, *, range: Sequence[float] | None = None, weight: Any = None, density: bool = False
) -> Histogram[Any]:
    """Return Σ w over the entries of x in each bin [e_k, e_{k+1}); the last bin includes its end.

    Args:
        input: x, any shape.
        bins: the number of bins of equal width, or the edges (m + 1,) in ascending order. Entries outside of the edges
            are ignored.
        range: the outer edges if bins is a number; by default the smallest and the largest entry.
        weight: w, shaped like x, 1 by default; the result is differentiable with respect to it.
        density: whether to divide by the total and by the widths, so that the integral is 1.

    Returns:
        A named tuple (hist, bin_edges): (m,) and (m + 1,), in the dtype of x.

    Raises:
        ArgumentError: if there are no bins, or the edges do not increase.
        ShapeError: if weight is not shaped like x.

    >>> sg.histogram(sg.tensor([1.0, 2.0, 1.0]), 4, range=(0.0, 3.0)).hist
    tensor([0., 2., 1., 0.])
    """
    x = _floats("histogram", input)
    edges = _edges("histogram", x.reshape(-1), bins, range)
    return Histogram(_counts("histogram", x.reshape(-1, 1), [edges], weight, x.shape, density), edges)


@public
def histogramdd(
    input: Any, bins: Any, *, range: Sequence[float] | None = None, weight: Any = None, density: bool = False
) -> Histogram[Any]:
    """Return Σ w over the points x in each box of a grid of bins; ``histogram`` in several dimensions.

    Args:
        input: x (…, d), points with d coordinates.
        bins: the number of bins along every axis, or a list with a number or with the edges for each axis.
        range: the outer edges, 2 d numbers; by default the smallest and the largest coordinates.
        weight: w (…,), 1 by default; the result is differentiable with respect to it.
        density: whether to divide by the total and by the volumes, so that the integral is 1.

    Returns:
        A named tuple (hist, bin_edges): a tensor with an axis for each coordinate, and a tuple of edges.

    Raises:
        ArgumentError: if bins or range do not have one entry for each coordinate.
        ShapeError: if x is a number, or weight does not fit.

    >>> sg.histogramdd(sg.tensor([[0.0, 1.0], [1.0, 0.0], [1.0, 1.0]]), [2, 2]).hist
    tensor([[0., 1.],
            [1., 1.]])
    """
    x = _floats("histogramdd", input)
    if not x.shape:
        raise ShapeError("histogramdd: got a number. Expected points (n, d).")
    d = x.shape[-1]
    each = list(bins) if np.iterable(bins) else [bins] * d
    if len(each) != d or (range is not None and len(range) != 2 * d):
        raise ArgumentError(
            f"histogramdd: got {len(each)} bins for {d} coordinates. Expected bins and two ends for each."
        )
    points = x.reshape(-1, d)
    ends = [None if range is None else range[2 * k : 2 * k + 2] for k in np.arange(d)]
    edges = [_edges("histogramdd", points[:, k], b, r) for k, (b, r) in enumerate(zip(each, ends, strict=True))]
    return Histogram(_counts("histogramdd", points, edges, weight, x.shape[:-1], density), tuple(edges))


def _floats(name: str, input: Any) -> Any:
    if is_complex(input.dtype):
        raise DTypeError(f"{name}: complex numbers are not ordered. Take x.real, x.imag or abs(x) first.")
    return input if is_floating(input.dtype) else input.to(FLOAT64)


def _edges(name: str, x: Any, bins: Any, ends: Sequence[float] | None) -> Any:
    """The edges, of one width where ``bins`` is a number."""
    if not isinstance(bins, (int, np.integer)):
        edges = as_tensor(bins).to(x.dtype).clone()
        values = tensor_value(edges)
        if edges.ndim != 1 or len(edges) < 2 or (values is not None and np.any(np.diff(values) < 0)):
            raise ArgumentError(f"{name}: got edges of shape {show_shape(edges.shape)}. Expected (m + 1,), ascending.")
        return edges
    if bins < 1:
        raise ArgumentError(f"{name}: bins must be > 0, but got {bins}. Pass the number of bins.")
    low, high = (x.min().item(), x.max().item()) if ends is None and x.numel() else ends or (0.0, 1.0)
    if not (np.isfinite(low) and np.isfinite(high) and low <= high):
        raise ArgumentError(f"{name}: got the range ({low}, {high}). Expected finite ends, the smaller first.")
    low, high = (low - 0.5, high + 0.5) if low == high else (low, high)
    return as_tensor(np.linspace(low, high, bins + 1)).to(x.dtype)


def _counts(name: str, points: Any, edges: list[Any], weight: Any, sizes: Any, density: bool) -> Any:
    """Σ w in each box, of points (n, d)."""
    w = as_tensor(1.0).to(points.dtype) if weight is None else as_tensor(weight)
    if weight is not None and w.shape != sizes:
        raise ShapeError(
            f"{name}: got weight {show_shape(w.shape)}. Expected {show_shape(sizes)}, a weight for each entry."
        )
    place, inside, shape = 0, True, tuple(len(e) - 1 for e in edges)
    for k, e in enumerate(edges):
        x = points[:, k]
        place = place * shape[k] + searchsorted(e[1:-1], x, right=True)
        inside = (x >= e[0]) & (x <= e[-1]) & inside
    shares = where(inside, w.reshape(-1).to(points.dtype), 0.0)
    hist = reshape(index_add(as_tensor(np.zeros(prod(shape), points.dtype)), 0, place, shares), shape)
    if not density:
        return hist
    for k, e in enumerate(edges):
        hist = hist / diff(e).reshape([-1 if j == k else 1 for j in range(len(edges))])
    return hist / shares.sum()


check_all(globals(), __all__)
