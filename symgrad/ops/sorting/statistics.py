"""Means and medians without nan, the most frequent entry, covariances."""

from __future__ import annotations

from typing import Any, Generic, NamedTuple

import numpy as np
import sympy as sp

from symgrad.core.promotion import is_integer
from symgrad.errors import ArgumentError, ShapeError
from symgrad.ops.conditions import one_if
from symgrad.ops.contract import matmul
from symgrad.ops.convert import Cast, in_single
from symgrad.ops.elementwise.complexes import each_part, real
from symgrad.ops.elementwise.declared import BINARY, UNARY, clip_to, where
from symgrad.ops.elementwise.logic import LOGIC
from symgrad.ops.linalg.hermitian import mH
from symgrad.ops.linalg.matrices import Diagonal
from symgrad.ops.linalg.norms import vector_norm
from symgrad.ops.map import ADD, DIV, MUL, SUB, show_shape
from symgrad.ops.protocol import TensorT, rename, shape
from symgrad.ops.reduction import Axes, float_of, is_float, kept, needs_entries, on_rows, resolve
from symgrad.ops.reductions.extremes import amax, amin
from symgrad.ops.reductions.reduce import mean, nansum
from symgrad.ops.reductions.reduce import sum as _sum
from symgrad.ops.shape import Reshape, axis_of, total
from symgrad.ops.sorting.order import Argsort, FindsPositions, MedianOfAll, positions_in_order
from symgrad.ops.sorting.sorting import Ordered, _row, _single, median, sort
from symgrad.ops.sorting.stable_order import stable_order
from symgrad.support.frozen import frozen


# ------------------------------------------------------------------ nan left out
def nanmean(
    input: Any, dim: Axes = None, keepdim: bool = False,
    *, dtype: Any = None, axis: Axes = None, keepdims: bool = False,
) -> Any:  # fmt: skip
    """Return the mean along the axes, of the entries that are not nan.

    Derivative: 1/n for each of these n entries, 0 for nan.

    Args:
        input: x, any shape.
        dim, axis: the axis or axes to reduce, by default all.
        keepdim, keepdims: keep the axes with length one.
        dtype: dtype to convert to first.

    Returns:
        The means, shaped like x without the axes; nan if there is no entry.

    >>> sg.nanmean(sg.tensor([1.0, float("nan"), 2.0]))
    tensor(1.5000)
    """
    x = input if dtype is None else Cast(np.dtype(dtype))(input)
    axes, keep = resolve(x, dim, axis), keepdim or keepdims
    return rename(in_single(lambda x: _nanmean(x, axes, keep), x), "Nanmean")


def _nanmean(x: Any, axes: Any, keepdim: bool) -> Any:
    there = Cast(float_of(x))(where(LOGIC["isnan"](x), 0.0, 1.0))
    return DIV(nansum(x, axes, keepdim), _sum(there, axes, keepdim))


@frozen
class NanMedianOfAll(MedianOfAll):
    """The lower median of the entries along the axes that are not nan; equal ones share the gradient evenly."""

    name = "Nanmedian"
    not_exportable = "medians that leave out nan are written along one axis only"

    def forward(self, x: Any) -> Any:
        """Sort, nan last, and take the middle of the others."""
        rows = np.sort(on_rows(x, self.axes), -1)
        middle = np.maximum((rows == rows).sum(-1, keepdims=True) - 1, 0) // 2
        return np.take_along_axis(rows, middle, -1)[..., 0].reshape(self.out_shape(np.shape(x)))


@frozen
class NanMedian(FindsPositions):
    """The position of the lower median of the entries along the axis that are not nan; the axis stays."""

    axis: int
    name = "Argnanmedian"
    not_exportable = "no loop for medians that leave out nan"

    def forward(self, x: Any) -> Any:
        """Find the middle of what is not nan; nan is last in order."""
        middle = np.maximum((x == x).sum(self.axis, keepdims=True) - 1, 0) // 2
        return positions_in_order(x, middle, self.axis)

    def out_shape(self, s: Any) -> Any:
        return kept(s, (self.axis,))

    def search(self, row: list[sp.Expr]) -> list[sp.Expr]:
        """As for sorting: letters are real numbers."""
        return [Argsort(0).search(row)[(len(row) - 1) // 2]]


def nanmedian(
    input: Any, dim: int | None = None, keepdim: bool = False, *, axis: int | None = None, keepdims: bool = False
) -> Any:
    """Return the median of the entries that are not nan, or the lower one for an even number of them.

    Args:
        input: tensor of any shape.
        dim, axis: the axis; None for all entries.
        keepdim, keepdims: keep the axis with length one.

    Returns:
        The same as from ``median``; nan if all entries are nan.

    Raises:
        IndexRangeError: if there are no entries to choose from.

    >>> sg.nanmedian(sg.tensor([2.0, float("nan"), 3.0]))
    tensor(2.)
    """
    dim = dim if axis is None else axis
    if dim is None:
        if 0 in shape(input) and is_float(input):
            return median(input)
        axes = tuple(range(len(shape(input))))
        needs_entries("nanmedian", input, None, axes)
        return NanMedianOfAll(axes)(input)
    x, a = _row(input, dim, None)
    needs_entries("nanmedian", x, a, (a,))
    return _single(input, x, NanMedian(a)(x), a, keepdim or keepdims, "Nanmedian")


# ------------------------------------------------------------------ the most frequent entry
@frozen
class ArgMode(FindsPositions):
    """The last position of the most frequent entry along the axis, of the smallest of several; the axis stays."""

    axis: int
    not_exportable = "no library of the targets counts equal entries"

    def forward(self, x: Any) -> Any:
        """Sort, and find the longest run of equal entries."""
        order = stable_order(x, self.axis)
        rows = np.moveaxis(np.take_along_axis(x, order, self.axis), self.axis, -1)
        n = rows.shape[-1]
        starts = np.concatenate([np.ones((*rows.shape[:-1], 1), bool), rows[..., 1:] != rows[..., :-1]], -1)
        first = np.maximum.accumulate(np.where(starts, np.arange(n), 0), -1)
        end = np.argmax(np.arange(n) - first, -1)[..., None]  # the first of the longest runs
        return np.take_along_axis(order, np.moveaxis(end, -1, self.axis), self.axis)

    def out_shape(self, s: Any) -> Any:
        return kept(s, (self.axis,))

    def search(self, row: list[sp.Expr]) -> list[sp.Expr]:
        """The entry that no other beats: by how many are equal to it, by being smaller, by being later."""
        counts = [sp.Add(*[one_if(sp.Eq(a, b)) for b in row]) for a in row]
        cases = []
        for k, a in enumerate(row):
            better = [
                sp.Or(counts[k] > counts[j], sp.And(sp.Eq(counts[k], counts[j]), a < b if j > k else a <= b))
                for j, b in enumerate(row)
                if j != k
            ]
            cases.append((k, sp.And(*better)))
        return [sp.Piecewise(*cases[:-1], (cases[-1][0], True))]


def mode(
    input: Any, dim: int = -1, keepdim: bool = False, *, axis: int | None = None, keepdims: bool = False
) -> Ordered[Any]:
    """Return the most frequent entry along one axis, the smallest among ties, and the index of its last occurrence.

    Args:
        input: tensor of any shape.
        dim, axis: the axis.
        keepdim, keepdims: keep the axis with length one.

    Returns:
        A named tuple (values, indices). The gradient goes to the entry at the index.

    Raises:
        IndexRangeError: if there are no entries to choose from.

    >>> sg.mode(sg.tensor([2.0, 3.0, 2.0]))
    Ordered(values=tensor(2.), indices=tensor(2))
    """
    x, a = _row(input, dim, axis)
    needs_entries("mode", x, a, (a,))
    return _single(input, x, ArgMode(a)(x), a, keepdim or keepdims, "Mode")


# ------------------------------------------------------------------ both ends, and columns in order
class Range(NamedTuple, Generic[TensorT]):
    """The smallest entries, and the largest."""

    min: TensorT
    max: TensorT


def aminmax(
    input: Any, *, dim: int | None = None, keepdim: bool = False, axis: int | None = None, keepdims: bool = False
) -> Range[Any]:
    """Return min x and max x; equal entries share the gradient evenly.

    Args:
        input: x, any shape.
        dim, axis: the axis; None for all entries.
        keepdim, keepdims: keep the axis with length one.

    Returns:
        A named tuple (min, max).

    Raises:
        ShapeError, IndexRangeError: if there are no entries to choose from.

    >>> sg.aminmax(sg.tensor([2.0, 3.0, 1.0]))
    Range(min=tensor(1.), max=tensor(3.))
    """
    extremes = (f(input, dim, keepdim or keepdims, axis=axis) for f in (amin, amax))
    return Range(*(rename(y, "Aminmax") for y in extremes))


def msort(input: Any) -> Any:
    """Return x sorted along dim 0.

    >>> sg.msort(sg.tensor([[2.0, 1.0], [1.0, 3.0]]))
    tensor([[1., 1.],
            [2., 3.]])
    """
    return rename(sort(input, 0).values, "Msort")


def _second_moments(x: Any, w: Any, aweights: Any, correction: int) -> Any:
    """Return Σ_k w_k (x_k - μ)(x_k - μ)ᴴ over the number of observations, or over what the weights make of it."""
    n = shape(x)[1]
    if w is None:
        centred = SUB(x, mean(x, 1, True))
        y = DIV(matmul(centred, mH(centred)), n - correction if not isinstance(n, int) or n > correction else 0.0)
    else:
        whole = _sum(w)
        centred = SUB(x, DIV(_sum(MUL(x, w), 1, True), whole))
        lost = correction if aweights is None else MUL(DIV(_sum(MUL(w, aweights)), whole), correction)
        y = DIV(matmul(MUL(centred, w), mH(centred)), SUB(whole, lost))
    return y


# ------------------------------------------------------------------ covariance
def _too_many_axes(ndim: int) -> ShapeError:
    return ShapeError(
        f"cov(): expected input to have two or fewer dimensions but got an input with {ndim} dimensions. "
        "Pass its matrices one at a time."
    )


def cov(input: Any, *, correction: int = 1, fweights: Any = None, aweights: Any = None) -> Any:
    """Return the covariance C = Σ_k w_k (x_k - μ)(x_k - μ)ᴴ / (Σ w - correction) of the rows of x.

    Each row is a variable, and each column an observation. With weights, w = f a and μ = Σ w x / Σ w, and the
    denominator is Σ w - correction · Σ w a / Σ w.

    Args:
        input: x (d, n), or (n,) for one variable.
        correction: 1 by default.
        fweights, aweights: f, how often each observation occurred, integers (n,); and a, the weight of each, (n,).

    Returns:
        C (d, d), or () for one variable.

    Raises:
        ShapeError: if x has more than two axes, or the shape of a weight is not (n,).

    Source: Bevington, Data Reduction, §4.1, for the weights.

    >>> sg.cov(sg.tensor([[1.0, 2.0], [3.0, 1.0]]))
    tensor([[ 0.5000, -1.0000],
            [-1.0000,  2.0000]])
    """
    s = shape(input)
    if len(s) > 2:
        raise _too_many_axes(len(s))
    x = Reshape((1, total(s)))(input) if len(s) < 2 else input
    x = x if is_float(x) else Cast(float_of(x))(x)
    w = _weights(shape(x)[1], float_of(x), fweights, aweights)
    y = _second_moments(x, w, aweights, correction)
    return rename(Reshape(())(y) if len(s) < 2 or s[0] == 1 else y, "Cov")


def _weights(n: Any, dtype: Any, *given: Any) -> Any:
    """Return the product of the weights that are given, None without any."""
    weights = None
    for name, w in zip(("fweights", "aweights"), given, strict=True):
        if w is None:
            continue
        if shape(w) != (n,):
            raise ShapeError(
                f"cov(): expected {name} to have the same numel as there are observations in the input. "
                f"Got shape {show_shape(shape(w))}; expected ({n},)."
            )
        w = Cast(dtype)(w) if is_integer(getattr(w, "dtype", dtype)) else w
        weights = w if weights is None else MUL(weights, w)
    return weights


def corrcoef(input: Any) -> Any:
    """Return the correlation coefficients C_ij / √(C_ii C_jj), where C is the covariance, limited to [-1, 1].

    Args:
        input: x (d, n), or (n,) for one variable.

    Returns:
        A matrix (d, d), or () for one variable.

    Raises:
        ShapeError: if x has more than two axes.

    >>> sg.corrcoef(sg.tensor([[1.0, 2.0, 3.0], [3.0, 1.0, 2.0]]))
    tensor([[ 1.0000, -0.5000],
            [-0.5000,  1.0000]])
    """
    c = cov(input)
    if not shape(c):
        return rename(DIV(c, c), "Corrcoef")
    d = shape(c)[0]
    spread = UNARY["sqrt"](real(Diagonal()(c)))
    y = DIV(DIV(c, Reshape((d, 1))(spread)), Reshape((1, d))(spread))
    return rename(each_part(lambda part: clip_to(part, -1, 1), y), "Corrcoef")


def renorm(input: Any, p: float, dim: int, maxnorm: float, *, axis: int | None = None) -> Any:
    """Return x with each slice along ``dim`` whose p-norm exceeds maxnorm scaled down to that norm.

    Args:
        input: x, with at least two axes.
        p: the order of the norm, positive.
        dim, axis: the axis.
        maxnorm: the largest norm allowed.

    Returns:
        A tensor shaped like x. As in PyTorch the factor is maxnorm/(‖x‖ + 10⁻⁷).

    Raises:
        ShapeError: if x has fewer than two axes.
        ArgumentError: if p is not positive, or maxnorm is negative.

    >>> sg.renorm(sg.tensor([[3.0, 4.0], [0.0, 1.0]]), 2, 0, 1.0)
    tensor([[0.6000, 0.8000],
            [0.0000, 1.0000]])
    """
    s = shape(input)
    if len(s) < 2:
        raise ShapeError(f"renorm: input needs at least 2 dimensions, got {len(s)} dimensions. Unsqueeze it.")
    if p <= 0:
        raise ArgumentError(f"renorm: non-positive norm not supported. Got p={p}.")
    if maxnorm < 0:
        raise ArgumentError(f"renorm: expected maxnorm to be >= 0 but got {maxnorm}. Pass the largest norm allowed.")
    a = axis_of(dim if axis is None else axis, len(s))
    size = vector_norm(input, p, tuple(d for d in range(len(s)) if d != a), True)
    factor = where(BINARY["gt"](size, maxnorm), DIV(maxnorm, ADD(size, 1e-7)), 1.0)
    return rename(MUL(input, factor), "Renorm")
