"""Quantiles: the entry at a place in order, or between two of them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import sympy as sp

from symgrad.core.node import Shape
from symgrad.errors import ArgumentError, DTypeError, ShapeError
from symgrad.ops.conditions import one_if
from symgrad.ops.contract import permute, sum_axes
from symgrad.ops.convert import Cast
from symgrad.ops.elementwise.declared import CLAMP_MIN, UNARY, where
from symgrad.ops.elementwise.fused import LERP
from symgrad.ops.elementwise.logic import LOGIC
from symgrad.ops.map import MUL, SUB, show_shape
from symgrad.ops.protocol import rename, shape
from symgrad.ops.reduction import kept
from symgrad.ops.shape import Reshape, axis_of, total
from symgrad.ops.sorting.order import Argsort, FindsPositions, TakeAlongAxis, positions_in_order
from symgrad.ops.value import torch_dtype
from symgrad.support.frozen import frozen

_WAYS = ("linear", "lower", "higher", "midpoint", "nearest")


def quantile(
    input: Any, q: Any, dim: int | None = None, keepdim: bool = False,
    *, interpolation: str = "linear", axis: int | None = None, keepdims: bool = False,
) -> Any:  # fmt: skip
    """Return the q-quantiles along one axis: the sorted entry at position q (n - 1), interpolated linearly.

    Derivative: the interpolation weights of the two entries.

    Args:
        input: x, any shape.
        q: a number in [0, 1], or a vector of such numbers.
        dim, axis: the axis; None for all entries.
        keepdim, keepdims: keep the axis with length one.
        interpolation: how to interpolate between two entries: "linear", "lower", "higher", "midpoint" or "nearest".

    Returns:
        The quantiles, shaped like x without the axis, with a new first axis if q is a vector. A quantile is nan if an
        entry is nan.

    Raises:
        ArgumentError: if the interpolation is unknown, or q lies outside [0, 1].
        ShapeError: if x is empty.

    >>> sg.quantile(sg.tensor([1.0, 2.0, 4.0]), 0.75)
    tensor(3.)
    """
    dim, keep = dim if axis is None else axis, keepdim or keepdims
    return _quantile("quantile", input, q, dim, keep, interpolation)


def nanquantile(
    input: Any, q: Any, dim: int | None = None, keepdim: bool = False,
    *, interpolation: str = "linear", axis: int | None = None, keepdims: bool = False,
) -> Any:  # fmt: skip
    """Return quantiles of the entries that are not nan; see ``quantile``.

    Args:
        input, q, dim, keepdim, interpolation, axis, keepdims: as in ``quantile``.

    Returns:
        A tensor as from ``quantile``; nan where all entries are nan.

    Raises:
        ArgumentError: if the interpolation is unknown, or q lies outside [0, 1].
        ShapeError: if x is empty.

    >>> sg.nanquantile(sg.tensor([1.0, float("nan"), 4.0]), 0.5)
    tensor(2.5000)
    """
    dim, keep = dim if axis is None else axis, keepdim or keepdims
    return _quantile("nanquantile", input, q, dim, keep, interpolation)


@frozen
class Ranks(FindsPositions):
    """The positions of the q-quantiles in the last axis, rounded down, up or to the nearest; of a nan where one is.

    Inputs x (…, n) and q, a number or (k,). With ``skip`` nan is left out.
    """

    rounding: str
    skip: bool = False
    axis = -1
    name = "Argquantile"
    not_exportable = "no loop for places between entries in order"

    def forward(self, x: Any, q: Any) -> Any:
        """Round the places, and find what is there in order."""
        x, q = np.asarray(x), np.atleast_1d(q)
        there = x == x
        count = there.sum(-1, keepdims=True) if self.skip else x.shape[-1]
        places = getattr(np, _NUMPY[self.rounding])(np.maximum(q * (count - 1.0), 0)).astype(np.int64)
        places = np.broadcast_to(places, self.out_shape(x.shape, q.shape))
        indices = positions_in_order(x, places)
        first = np.argmin(there, -1)[..., None]
        return indices if self.skip else np.where(there.all(-1, keepdims=True), indices, first)

    def on_symbols(self, x: Any, q: Any) -> Any:  # type: ignore[override]
        """Sort, and compare the place with each position."""
        many = np.atleast_1d(np.asarray(q, dtype=object))
        indices = np.empty(self.out_shape(np.shape(x), many.shape), dtype=object)
        n = np.shape(x)[-1]
        for k in np.ndindex(indices.shape[:-1]):
            order = Argsort(0).search(list(x[k]))
            for j, v in enumerate(many):
                place = _SYMPY[self.rounding](sp.nsimplify(v) * (n - 1))
                chosen = [p * one_if(sp.Eq(place, i)) for i, p in enumerate(order)]
                indices[(*k, j)] = order[int(place)] if place.is_Integer else sp.Add(*chosen)
        return indices

    def out_shape(self, s: Shape, q: Shape) -> Shape:
        return (*s[:-1], *(q or (1,)))

    def batched(self, size: int, xs: Sequence[Any], flags: Sequence[bool]) -> Any:
        """At once where the q are the same for all slices."""
        return NotImplemented if flags[1] else self(*xs)


_NUMPY = {"down": "floor", "up": "ceil", "nearest": "rint"}
_SYMPY: dict[str, Any] = {"down": sp.floor, "up": sp.ceiling, "nearest": lambda v: sp.floor(v + sp.Rational(1, 2))}


def _quantile(name: str, x: Any, q: Any, dim: int | None, keepdim: bool, way: str) -> Any:
    q = np.asarray(q) if isinstance(q, (list, tuple)) else q
    _check_quantile(name, x, q, way)
    s, many, skip = shape(x), shape(q), name == "nanquantile"
    a = 0 if dim is None else axis_of(dim, len(s))
    rows = Reshape((total(s),))(x) if dim is None or not s else _last(x, a)
    if way in ("lower", "higher", "nearest"):
        quantiles = _entry(rows, q, {"lower": "down", "higher": "up"}.get(way, way), skip)
    else:
        share = 0.5 if way == "midpoint" else _share(rows, q, skip)
        quantiles = LERP(_entry(rows, q, "down", skip), _entry(rows, q, "up", skip), share)
    return rename(_arranged(quantiles, s, a, dim, keepdim, bool(many)), name.capitalize())


def _entry(rows: Any, q: Any, rounding: str, skip: bool) -> Any:
    return TakeAlongAxis(len(shape(rows)) - 1)(rows, Ranks(rounding, skip)(rows, q))


def _share(rows: Any, q: Any, skip: bool) -> Any:
    """How far the place is from the one below."""
    n = shape(rows)[-1]
    if isinstance(q, (int, float)) and not skip:
        return q * (n - 1) % 1.0
    if skip:
        there = where(LOGIC["isnan"](rows), 0.0, 1.0)
        count = sum_axes(Cast(np.dtype(getattr(rows, "dtype", np.float64)))(there), (len(shape(rows)) - 1,), True)
        place = CLAMP_MIN(MUL(q, SUB(count, 1)), 0.0)
    else:
        place = MUL(q, float(n - 1))
    return SUB(place, UNARY["floor"](place))


def _check_quantile(name: str, x: Any, q: Any, way: str) -> None:
    for what, v in (("input", x), ("q", q)):
        dtype = getattr(v, "dtype", None)
        if dtype is not None and dtype not in (np.float32, np.float64, object):
            raise DTypeError(
                f"{name}() {what} tensor must be either float or double dtype. Got {torch_dtype(v)}; convert it."
            )
    if way not in _WAYS:
        raise ArgumentError(
            f"{name}() interpolation must be one of linear, lower, higher, midpoint or nearest, but got {way}. "
            "Pass one of them."
        )
    if len(shape(q)) > 1:
        raise ShapeError(f"{name}() q must be a scalar or 1D tensor. Got shape {show_shape(shape(q))}; flatten it.")
    if 0 in shape(x):
        raise ShapeError(f"{name}() input tensor must be non-empty. Got shape {show_shape(shape(x))}.")
    known = q if isinstance(q, (int, float)) else getattr(q, "_value", None)
    if known is not None and not np.all((np.asarray(known) >= 0) & (np.asarray(known) <= 1)):
        raise ArgumentError(f"{name}() q values must be in the range [0, 1]. Got {np.asarray(known).tolist()}.")


def _last(x: Any, a: int) -> Any:
    ndim = len(shape(x))
    return x if a == ndim - 1 else permute(x, [*(d for d in range(ndim) if d != a), a])


def _arranged(y: Any, s: Shape, a: int, dim: int | None, keepdim: bool, many: bool) -> Any:
    """Bring (…, k) into the shape that is requested, k first."""
    ndim = len(shape(y))
    y = permute(y, [ndim - 1, *range(ndim - 1)]) if ndim > 1 else y
    if dim is None:
        rest = (1,) * len(s) if keepdim else ()
    else:
        rest = kept(s, (a,) if s else ()) if keepdim else tuple(n for k, n in enumerate(s) if k != a)
    return Reshape((*((shape(y)[0],) if many else ()), *rest))(y)
