"""Sums, extremes, moments and running sums along axes, with NumPy's defaults."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from symgrad import functions as F
from symgrad.core.promotion import is_differentiable
from symgrad.engine.record import as_tensor
from symgrad.errors import ArgumentError, ArgumentTypeError, IndexRangeError, ShapeError
from symgrad.numpy_api.table import numpys
from symgrad.tensors.ufuncs import masked, reduced


def axes_of(x: Any, axis: Any) -> tuple[int, ...]:
    """Return the axes that ``axis`` names: None means all."""
    n = len(x.shape)
    if axis is None:
        return tuple(range(n))
    try:
        return tuple(np.lib.array_utils.normalize_axis_tuple(axis, n))
    except np.exceptions.AxisError as error:
        raise IndexRangeError(f"{error}. Count axes from 0, or from -1 backwards.") from error
    except ValueError as error:
        raise ArgumentError(f"axis: got {axis!r}, which names an axis twice. Name each once.") from error


def one_axis(x: Any, axis: Any) -> int:
    """Return the axis that ``axis`` names."""
    if not isinstance(axis, (int, np.integer)):
        raise ArgumentTypeError(f"axis: got {axis!r}. Expected an integer.")
    return axes_of(x, axis)[0]


def summed_axes(x: Any, axis: Any) -> tuple[int, ...]:
    """Return the axes to reduce; a number may be reduced along its axis 0, as in NumPy."""
    return () if not x.shape and axis in (0, -1) else axes_of(x, axis)


def _along(name: str, x: Any, axis: Any, keepdims: bool, **options: Any) -> Any:
    x = as_tensor(x)
    return reduced(name, x, axis=summed_axes(x, axis), keepdims=bool(keepdims), **options)


def _cast(x: Any, dtype: Any) -> Any:
    return as_tensor(x) if dtype is None else as_tensor(x).to(dtype)


def _total(name: str) -> Callable[..., Any]:
    def call(
        a: Any, axis: Any = None, dtype: Any = None, out: Any = None, keepdims: bool = False, initial: Any = None,
        where: Any = True,
    ) -> Any:  # fmt: skip
        return _along(name, _cast(a, dtype), axis, keepdims, initial=initial, where=where)

    return call


def _extreme(name: str) -> Callable[..., Any]:
    def call(
        a: Any, axis: Any = None, out: Any = None, keepdims: bool = False, initial: Any = None, where: Any = True
    ) -> Any:
        return _along(name, a, axis, keepdims, initial=initial, where=where)

    return call


def _truth(name: str) -> Callable[..., Any]:
    def call(a: Any, axis: Any = None, out: Any = None, keepdims: bool = False, *, where: Any = True) -> Any:
        return _along(name, a, axis, keepdims, where=where)

    return call


_sum, _prod = _total("add"), _total("multiply")
_max, _min = _extreme("maximum"), _extreme("minimum")
_any = _truth("logical_or")
numpys("sum")(_sum)
numpys("prod")(_prod)
numpys("max", "amax")(_max)
numpys("min", "amin")(_min)
numpys("all")(_truth("logical_and"))
numpys("any")(_any)


@numpys("ptp")
def _ptp(a: Any, axis: Any = None, out: Any = None, keepdims: bool = False) -> Any:
    return _max(a, axis, None, keepdims) - _min(a, axis, None, keepdims)


def _floating(x: Any) -> Any:
    return x if is_differentiable(x.dtype) else x.to(np.float64)


def _count(mask: Any, x: Any, axis: Any, keepdims: bool) -> Any:
    """Return how many entries of x the mask keeps, in the dtype of x."""
    one = F.broadcast_to(as_tensor(1.0).to(x.dtype), x.shape)
    return _sum(masked(mask, one, 0), axis, None, None, keepdims)


@numpys("mean")
def mean(
    a: Any, axis: Any = None, dtype: Any = None, out: Any = None, keepdims: bool = False, *, where: Any = True
) -> Any:
    """Σ x / n, over the entries that the mask keeps."""
    x = _floating(_cast(a, dtype))
    axes = summed_axes(x, axis)
    if where is not True:
        return _sum(masked(where, x, 0), axes, None, None, keepdims) / _count(where, x, axes, keepdims)
    return F.mean(x, axes, bool(keepdims)) if axes else x


@numpys("var")
def var(
    a: Any, axis: Any = None, dtype: Any = None, out: Any = None, ddof: Any = 0, keepdims: bool = False, *,
    correction: Any = None,
) -> Any:  # fmt: skip
    """Σ (x - mean)² / (n - ddof)."""
    x = _floating(_cast(a, dtype))
    axes = summed_axes(x, axis)
    return F.var(x, axes, correction=ddof if correction is None else correction, keepdim=bool(keepdims))


@numpys("std")
def std(
    a: Any, axis: Any = None, dtype: Any = None, out: Any = None, ddof: Any = 0, keepdims: bool = False, *,
    correction: Any = None,
) -> Any:  # fmt: skip
    """Return the root of the variance."""
    x = _floating(_cast(a, dtype))
    axes = summed_axes(x, axis)
    return F.std(x, axes, correction=ddof if correction is None else correction, keepdim=bool(keepdims))


@numpys("average")
def average(a: Any, axis: Any = None, weights: Any = None, returned: bool = False, *, keepdims: bool = False) -> Any:
    """Σ w x / Σ w."""
    x = as_tensor(a)
    axes = summed_axes(x, axis)
    w = F.broadcast_to(as_tensor(1.0), x.shape) if weights is None else _weights(as_tensor(weights), x, axes)
    total = _sum(w, axes, None, None, keepdims)
    averages = mean(x, axes, keepdims=keepdims) if weights is None else _sum(x * w, axes, None, None, keepdims) / total
    return (averages, F.broadcast_to(total, averages.shape)) if returned else averages


def _weights(w: Any, x: Any, axes: tuple[int, ...]) -> Any:
    if w.shape == x.shape:
        return w
    if w.shape != tuple(x.shape[k] for k in axes):
        raise ShapeError(
            f"np.average: weights of shape {list(w.shape)} do not fit {list(x.shape)} along axes {list(axes)}. "
            "Pass one weight per entry, or per entry along the axes."
        )
    w = F.permute(w, *np.argsort(axes).tolist()) if len(axes) > 1 else w
    return F.broadcast_to(F.reshape(w, tuple(n if k in axes else 1 for k, n in enumerate(x.shape))), x.shape)


# ------------------------------------------------------------------ without nan
@numpys("nansum")
def _nansum(a: Any, axis: Any = None, dtype: Any = None, out: Any = None, keepdims: bool = False) -> Any:
    x = _cast(a, dtype)
    return _sum(x, axis, None, None, keepdims, None, ~F.isnan(x))


@numpys("nanprod")
def _nanprod(a: Any, axis: Any = None, dtype: Any = None, out: Any = None, keepdims: bool = False) -> Any:
    x = _cast(a, dtype)
    return _prod(x, axis, None, None, keepdims, None, ~F.isnan(x))


@numpys("nanmean")
def _nanmean(a: Any, axis: Any = None, dtype: Any = None, out: Any = None, keepdims: bool = False) -> Any:
    x = _cast(a, dtype)
    return mean(x, axis, None, None, keepdims, where=~F.isnan(x))


@numpys("nanvar")
def _nanvar(a: Any, axis: Any = None, dtype: Any = None, out: Any = None, ddof: Any = 0, keepdims: bool = False) -> Any:
    x = _cast(a, dtype)
    there = ~F.isnan(x)
    residual = masked(there, x - _nanmean(x, axis, None, None, True), 0)
    squares = (residual * residual.conj()).real
    return _sum(squares, axis, None, None, keepdims) / (_count(there, x, axis, keepdims).real - ddof)


@numpys("nanstd")
def _nanstd(a: Any, axis: Any = None, dtype: Any = None, out: Any = None, ddof: Any = 0, keepdims: bool = False) -> Any:
    return F.sqrt(_nanvar(a, axis, dtype, None, ddof, keepdims))


def _without_nan(name: str, worst: float) -> Callable[..., Any]:
    def call(a: Any, axis: Any = None, out: Any = None, keepdims: bool = False) -> Any:
        x = as_tensor(a)
        if not is_differentiable(x.dtype):
            return _along(name, x, axis, keepdims)
        there = ~F.isnan(x)
        extreme = _along(name, masked(there, x, worst), axis, keepdims)
        return masked(_any(there, axis, None, keepdims), extreme, math.nan)

    return call


numpys("nanmax")(_without_nan("maximum", -math.inf))
numpys("nanmin")(_without_nan("minimum", math.inf))


# ------------------------------------------------------------------ running
def _running(function: Callable[..., Any]) -> Callable[..., Any]:
    def call(a: Any, axis: Any = None, dtype: Any = None, out: Any = None) -> Any:
        x = _cast(a, dtype)
        return function(F.ravel(x), 0) if axis is None else function(x, axis)

    return call


numpys("cumsum")(_running(F.cumsum))
numpys("cumprod")(_running(F.cumprod))


def _cumulative(function: Callable[..., Any], start: float) -> Callable[..., Any]:
    def call(
        x: Any, /, *, axis: int | None = None, dtype: Any = None, out: Any = None, include_initial: bool = False
    ) -> Any:
        x = _cast(x, dtype)
        if axis is None and len(x.shape) != 1:
            raise ArgumentError(f"axis: got None for {len(x.shape)} axes. Name the axis to go along.")
        k = one_axis(x, 0 if axis is None else axis)
        cumulative = function(x, k)
        return F.cat([_end(start, x, k).to(cumulative.dtype), cumulative], k) if include_initial else cumulative

    return call


numpys("cumulative_sum")(_cumulative(F.cumsum, 0.0))
numpys("cumulative_prod")(_cumulative(F.cumprod, 1.0))


@numpys("diff")
def diff(a: Any, n: int = 1, axis: int = -1, prepend: Any = None, append: Any = None) -> Any:
    """Return the differences of neighbours, n times."""
    x = as_tensor(a)
    k = one_axis(x, axis)
    ends = [_end(prepend, x, k), x, _end(append, x, k)]
    return F.diff(
        F.cat([e for e in ends if e is not None], k) if prepend is not None or append is not None else x, n, k
    )


def _end(value: Any, x: Any, axis: int) -> Any:
    if value is None:
        return None
    v = as_tensor(value)
    return v if v.shape else F.broadcast_to(v, (*x.shape[:axis], 1, *x.shape[axis + 1 :]))


@numpys("gradient")
def _gradient(f: Any, *varargs: Any, axis: Any = None, edge_order: int = 1) -> Any:
    x = _floating(as_tensor(f))
    axes = axes_of(x, axis)
    spacing = list(varargs) * (len(axes) if len(varargs) == 1 else 1) or 1.0
    slopes = F.gradient(x, spacing=spacing, dim=axes, edge_order=edge_order)
    return slopes[0] if len(slopes) == 1 else slopes


@numpys("ediff1d")
def _ediff1d(ary: Any, to_end: Any = None, to_begin: Any = None) -> Any:
    ary = as_tensor(ary)
    parts = [to_begin, F.diff(F.ravel(ary)), to_end]
    return F.cat([F.ravel(as_tensor(p)).to(ary.dtype) for p in parts if p is not None])


@numpys("trapezoid", "trapz")
def _trapezoid(y: Any, x: Any = None, dx: Any = 1.0, axis: int = -1) -> Any:
    if x is None:
        return F.trapezoid(as_tensor(y), dx=dx, dim=axis)
    return F.trapezoid(as_tensor(y), as_tensor(x), dim=axis)


@numpys("cov")
def cov(
    m: Any, y: Any = None, rowvar: bool = True, bias: bool = False, ddof: Any = None, fweights: Any = None,
    aweights: Any = None, *, dtype: Any = None,
) -> Any:  # fmt: skip
    """X Xᴴ/(n - ddof) of the centred variables, which are the rows."""
    if fweights is not None or aweights is not None:
        raise ArgumentTypeError("np.cov: weights are not supported on tensors. Write X @ (w * X).T / w.sum().")
    x = _variables(m, dtype, rowvar)
    if y is not None:
        x = F.cat([x, _variables(y, dtype, rowvar)], 0)
    centred = x - F.mean(x, 1, True)
    factor = x.shape[1] - (ddof if ddof is not None else 0 if bias else 1)
    return F.squeeze(centred @ centred.mH / factor)


def _variables(m: Any, dtype: Any, rowvar: bool) -> Any:
    x = as_tensor(m)
    x = x.to(np.result_type(x.dtype, np.float64) if dtype is None else dtype)
    if len(x.shape) > 2:
        raise ShapeError(f"np.cov: got {len(x.shape)} axes. Expected one variable, or a matrix of variables.")
    x = F.reshape(x, (1, -1)) if len(x.shape) < 2 else x
    return x if rowvar or x.shape[0] == 1 else x.T


@numpys("corrcoef")
def _corrcoef(x: Any, y: Any = None, rowvar: bool = True, *, dtype: Any = None) -> Any:
    c = cov(x, y, rowvar, dtype=dtype)
    if not c.shape:
        return c / c
    deviation = F.sqrt(F.diagonal(c).real)
    return c / F.outer(deviation, deviation)
