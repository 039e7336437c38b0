"""Sorting, ranks and quantiles; the indices that they find carry no gradient."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from symgrad import functions as F
from symgrad.core.promotion import is_differentiable, is_floating
from symgrad.engine.record import as_tensor
from symgrad.errors import ArgumentError, ArgumentTypeError, ValueNeeded
from symgrad.numpy_api.reductions import axes_of
from symgrad.numpy_api.table import numpys


@numpys("sort")
def _sort(a: Any, axis: int | None = -1, kind: Any = None, *, stable: Any = None) -> Any:
    return F.sort(F.ravel(a), 0).values if axis is None else F.sort(a, axis).values


@numpys("argsort")
def _argsort(a: Any, axis: int | None = -1, kind: Any = None, *, stable: Any = None) -> Any:
    return F.argsort(F.ravel(a), 0) if axis is None else F.argsort(a, axis)


def _place(function: Callable[..., Any]) -> Callable[..., Any]:
    def call(a: Any, axis: int | None = None, out: Any = None, *, keepdims: bool = False) -> Any:
        positions = function(as_tensor(a), axis, keepdims and axis is not None)
        return F.reshape(positions, (1,) * len(a.shape)) if keepdims and axis is None else positions

    return call


numpys("argmax")(_place(F.argmax))
numpys("argmin")(_place(F.argmin))


@numpys("median")
def _median(a: Any, axis: Any = None, out: Any = None, overwrite_input: bool = False, keepdims: bool = False) -> Any:
    return quantile(a, 0.5, axis, keepdims=keepdims)


@numpys("percentile")
def _percentile(
    a: Any, q: Any, axis: Any = None, out: Any = None, overwrite_input: bool = False, method: str = "linear",
    keepdims: bool = False,
) -> Any:  # fmt: skip
    return quantile(a, np.true_divide(_fixed(q), 100), axis, None, False, method, keepdims)


@numpys("quantile")
def quantile(
    a: Any, q: Any, axis: Any = None, out: Any = None, overwrite_input: bool = False, method: str = "linear",
    keepdims: bool = False,
) -> Any:  # fmt: skip
    """Return the entry at rank q(n - 1) of n in order, between two of them by the method; nan where there is one."""
    x, place = as_tensor(a), _fixed(q)
    if np.any((place < 0) | (place > 1)):
        raise ArgumentError(f"Quantiles must be in the range [0, 1]. Got {place.tolist()}.")
    axes = axes_of(x, axis)
    rest = tuple(k for k in range(len(x.shape)) if k not in axes)
    rows = F.reshape(F.permute(x, *rest, *axes) if x.shape else x, (*[x.shape[k] for k in rest], -1))
    quantiles = _between(F.sort(rows).values, place, method)
    kept = tuple(1 if k in axes else n for k, n in enumerate(x.shape)) if keepdims else tuple(x.shape[k] for k in rest)
    return F.reshape(F.movedim(quantiles, -1, 0), (*place.shape, *kept))


def _fixed(q: Any) -> Any:
    """Return the wanted probabilities as an array; no derivative is taken by them."""
    t = as_tensor(q)
    if t.requires_grad:
        raise ArgumentTypeError("np.quantile: there is no derivative with respect to q. Pass q.detach().")
    return np.asarray(t._known("np.quantile"), np.float64)


def _between(rows: Any, q: Any, method: str) -> Any:
    """Return the ranks q of sorted rows, along a new last axis."""
    n = rows.shape[-1]
    if not isinstance(n, int):
        raise ValueNeeded(f"np.quantile: the size {n} of this symbol is not a number, so no rank is. Give it one.")
    if n == 0:
        raise ArgumentError("np.quantile: got no entries along the axis. Expected one or more.")
    rank = np.atleast_1d(q).ravel() * (n - 1)
    if method in _PICKS:
        entries = _picked(rows, _PICKS[method](rank))
    elif method in _SHARES:
        rows = rows if is_differentiable(rows.dtype) else rows.to(np.float64)
        low = np.floor(rank)
        share = _SHARES[method](rank - low)
        after = np.where(share == 0, low, np.minimum(low + 1, n - 1))  # the entry itself, lest 0·∞ come in
        s = as_tensor(np.where(share == 0, 0.5, share))
        s = s if np.ndim(q) else s.to(rows.dtype)
        entries = _picked(rows, low) * (1 - s) + _picked(rows, after) * s
    else:
        raise ArgumentError(
            f"np.quantile: method={method!r} is not supported on tensors. Use one of {[*_SHARES, *_PICKS]}."
        )
    last = F.narrow(rows, -1, n - 1, 1)
    return F.where(F.isnan(last), last, entries) if is_floating(rows.dtype) else entries


_PICKS: dict[str, Callable[[Any], Any]] = {"lower": np.floor, "higher": np.ceil, "nearest": np.round}
_SHARES: dict[str, Callable[[Any], Any]] = {
    "linear": lambda part: part,
    "midpoint": lambda part: np.where(part == 0, 0.0, 0.5),
}


def _picked(rows: Any, rank: Any) -> Any:
    return F.index_select(rows, -1, as_tensor(rank.astype(np.int64)))
