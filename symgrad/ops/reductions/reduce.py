"""Sum, mean, product, counts, all and any; with the extremes and the variance, all reductions by name."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import sympy as sp

from symgrad.core.kernels import folded
from symgrad.core.promotion import summed, truths
from symgrad.errors import DTypeError
from symgrad.ops.contract import permute, summing
from symgrad.ops.convert import Cast, counted
from symgrad.ops.elementwise.declared import BINARY, where
from symgrad.ops.elementwise.guards import WEIGH
from symgrad.ops.elementwise.logic import LOGIC
from symgrad.ops.protocol import rename, shape
from symgrad.ops.reduction import (
    Axes,
    Reduction,
    axes_of,
    each_row,
    is_float,
    kept,
    on_rows,
    resolve,
)
from symgrad.ops.reductions.extremes import Extremum, amax, amin, argmax, argmin, max, min
from symgrad.ops.reductions.scan import others
from symgrad.ops.reductions.variance import mean_of, std, std_mean, var, var_mean
from symgrad.ops.shape import Reshape, total
from symgrad.ops.value import torch_dtype
from symgrad.support.frozen import frozen

__all__ = [
    "Extremum", "all", "amax", "amin", "any", "argmax", "argmin", "axes_of", "max", "mean", "min", "prod",
    "std", "std_mean", "sum", "var", "var_mean",
]  # fmt: skip


@frozen
class Prod(Reduction):
    """Π x along the axes. The slope is the product of the others: exact with zeros, nothing is divided."""

    times = WEIGH
    analytic = True
    saves = "x"
    gives = summed
    explained = "product of entries: to each, the adjoint times the product of all others"
    quoted = "product rule, d(Π {z}ᵢ) = Σᵢ (Π_(j≠i) {z}ⱼ)·d{z}ᵢ"
    accumulates = True
    routine = "rows"

    def forward(self, x: Any) -> Any:
        """Multiply the entries along the axes."""
        return folded(np.multiply.reduce, np.asarray(x), self.axes, keepdims=self.keepdim)

    def slope(self, y: Any, x: Any) -> Any:
        # w_i = Π_{k≠i} x_k
        if len(self.axes) == 1:
            return others(x, self.axes[0])
        s = shape(x)
        rest = [a for a in range(len(s)) if a not in self.axes]
        order = [*rest, *self.axes]
        rows = Reshape((*(s[a] for a in rest), total([s[a] for a in self.axes])))(permute(x, order))
        result = Reshape(tuple(s[a] for a in order))(others(rows, len(rest)))
        return permute(result, [order.index(a) for a in range(len(s))])

    def index(self, idx: Sequence[sp.Expr], p: Any) -> sp.Expr:
        """Return Π x_k."""
        full, limits = self.spread(idx, p)
        return p.product(p(full), limits) if limits else p(full)


@frozen
class Truth(Reduction):
    """Whether all entries along the axes are nonzero, or any. Without derivative."""

    every: bool = True
    saves = ""
    gives = truths
    flat = True
    analytic = True
    not_exportable = "booleans along axes are not written so far"

    @property
    def combine(self) -> Any:
        return np.logical_and if self.every else np.logical_or

    @property
    def label(self) -> str:
        return "All" if self.every else "Any"

    def forward(self, x: Any) -> Any:
        """Test the entries along the axes."""
        return np.asarray((np.all if self.every else np.any)(x, axis=self.axes, keepdims=self.keepdim))

    def on_symbols(self, x: Any) -> Any:
        join = sp.And if self.every else sp.Or
        y = each_row(on_rows(x, self.axes), lambda row: join(*[_nonzero(v) for v in row]))
        return y.reshape(self.out_shape(x.shape))


def _nonzero(v: Any) -> Any:
    return sp.Ne(v, 0) if isinstance(v, sp.Expr) else v


# ------------------------------------------------------------------ functions
def sum(
    x: Any, dim: Axes = None, keepdim: bool = False,
    *, dtype: Any = None, axis: Axes = None, keepdims: bool = False,
) -> Any:  # fmt: skip
    """Return Σ x along the axes.

    Derivative: 1 for every entry.

    Args:
        x: tensor, array or number, any shape; sizes may be symbolic.
        dim, axis: the axis or axes to reduce, by default all.
        keepdim, keepdims: keep the axes with length one.
        dtype: dtype to convert to before adding.

    Returns:
        The sums, shaped like x without the axes.

    Raises:
        IndexRangeError: if an axis is out of range.
        ShapeError: if an axis is named twice.

    >>> sg.sum(sg.tensor([[1.0, 2.0], [3.0, 4.0]]), 0)
    tensor([4., 6.])
    """
    keep = keepdim or keepdims
    axes = resolve(x, dim, axis)
    added = counted(summing(len(shape(x)), axes), x, dtype)
    if not keep:
        return added
    return rename(Reshape(kept(shape(x), axes))(added), "Sum")


def mean(
    x: Any, dim: Axes = None, keepdim: bool = False,
    *, dtype: Any = None, axis: Axes = None, keepdims: bool = False,
) -> Any:  # fmt: skip
    """Return Σ x / n along the axes, where n is the number of entries that are added.

    Derivative: 1/n for every entry.

    Args:
        x: floating-point tensor, array or number, any shape; sizes may be symbolic.
        dim, axis: the axis or axes to reduce, by default all.
        keepdim, keepdims: keep the axes with length one.
        dtype: dtype to convert to before adding.

    Returns:
        The means, shaped like x without the axes; nan where there is no entry.

    Raises:
        DTypeError: if x holds integers and dtype is not given.

    >>> sg.mean(sg.tensor([[1.0, 2.0], [3.0, 4.0]]))
    tensor(2.5000)
    """
    x = x if dtype is None else Cast(np.dtype(dtype))(x)
    if not is_float(x):
        raise DTypeError(
            "mean(): could not infer output dtype. Input dtype must be either a floating point or complex "
            f"dtype. Got: {torch_dtype(x)}. Pass dtype=sg.float64, or convert with .to(float)."
        )
    return rename(mean_of(x, resolve(x, dim, axis), keepdim or keepdims), "Mean")


def prod(
    x: Any, dim: Axes = None, keepdim: bool = False,
    *, dtype: Any = None, axis: Axes = None, keepdims: bool = False,
) -> Any:  # fmt: skip
    """Return Π x along the axes.

    Derivative: the product of the other entries, exact where some are 0, at every order.

    Args:
        x: tensor, array or number, any shape.
        dim, axis: the axis or axes to reduce, by default all.
        keepdim, keepdims: keep the axes with length one.
        dtype: dtype to convert to before multiplying.

    Returns:
        The products, shaped like x without the axes.

    Raises:
        IndexRangeError: if an axis is out of range.
        ShapeError: if an axis is named twice.

    >>> sg.prod(sg.tensor([2.0, 3.0, 4.0]))
    tensor(24.)
    """
    return counted(Prod(resolve(x, dim, axis), keepdim or keepdims), x, dtype)


def all(x: Any, dim: Axes = None, keepdim: bool = False, *, axis: Axes = None, keepdims: bool = False) -> Any:
    """Return whether every entry along the axes is nonzero.

    Args:
        x: tensor, array or number, any shape.
        dim, axis: the axis or axes to reduce, by default all.
        keepdim, keepdims: keep the axes with length one.

    Returns:
        A bool tensor, shaped like x without the axes; True where there is no entry.

    >>> sg.all(sg.tensor([1.0, 0.0]))
    tensor(False)
    """
    return Truth(resolve(x, dim, axis), keepdim or keepdims, every=True)(x)


def any(x: Any, dim: Axes = None, keepdim: bool = False, *, axis: Axes = None, keepdims: bool = False) -> Any:
    """Return whether some entry along the axes is nonzero.

    Args:
        x: tensor, array or number, any shape.
        dim, axis: the axis or axes to reduce, by default all.
        keepdim, keepdims: keep the axes with length one.

    Returns:
        A bool tensor, shaped like x without the axes; False where there is no entry.

    >>> sg.any(sg.tensor([1.0, 0.0]))
    tensor(True)
    """
    return Truth(resolve(x, dim, axis), keepdim or keepdims, every=False)(x)


def nansum(
    input: Any, dim: Axes = None, keepdim: bool = False, *, axis: Axes = None, keepdims: bool = False
) -> Any:  # fmt: skip
    """Return Σ x along the axes, with each nan replaced by 0.

    Args:
        input: x, any shape.
        dim, axis: the axis or axes to reduce, by default all.
        keepdim, keepdims: keep the axes with length one.

    Returns:
        The sums, shaped like x without the axes.

    >>> sg.nansum(sg.tensor([1.0, float("nan"), 2.0]))
    tensor(3.)
    """
    kept = where(LOGIC["isnan"](input), 0.0, input) if is_float(input) else input
    return rename(sum(kept, dim, keepdim or keepdims, axis=axis), "Nansum")


def count_nonzero(input: Any, dim: Axes = None, *, axis: Axes = None) -> Any:
    """Return the number of entries that are not 0.

    Args:
        input: x, any shape.
        dim, axis: the axis or axes to reduce, by default all.

    Returns:
        An integer tensor, shaped like x without the axes.

    >>> sg.count_nonzero(sg.tensor([1.0, 0.0, 2.0]))
    tensor(2)
    """
    return sum(BINARY["ne"](input, 0), resolve(input, dim, axis) if shape(input) else None)
