"""Interval arithmetic on many intervals at once: bounds of a formula's values that no rounding can break.

Source: Moore, Kearfott, Cloud, Introduction to Interval Analysis, 2009.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import sympy as sp

Bounds = tuple[Any, Any]  # the lower and the upper ends
_ULPS = 8  # by which every result is widened: more than NumPy's functions are off
_RISING: dict[Any, Any] = {
    sp.exp: np.exp, sp.log: np.log, sp.sinh: np.sinh, sp.asinh: np.arcsinh, sp.tanh: np.tanh, sp.atan: np.arctan,
    sp.asin: np.arcsin, sp.acosh: np.arccosh, sp.atanh: np.arctanh,
}  # fmt: skip
_WITHIN: dict[Any, tuple[float, float]] = {  # where they are defined
    sp.log: (0, np.inf), sp.asin: (-1, 1), sp.acos: (-1, 1), sp.acosh: (1, np.inf), sp.atanh: (-1, 1)
}  # fmt: skip


class NotEnclosed(Exception):
    """A function whose bounds are not known here."""


def enclose(e: Any, x: Any, low: Any, high: Any) -> Bounds:
    """Return bounds of a formula's values on intervals of x; of what is not defined everywhere there, where it is."""
    known: dict[Any, Bounds] = {x: (np.asarray(low, float), np.asarray(high, float))}
    with np.errstate(all="ignore"):
        return _bounds(e, known)


def _bounds(e: Any, known: dict[Any, Bounds]) -> Bounds:
    if e not in known:
        low, high = _fresh(e, known)
        known[e] = np.where(np.isnan(low), -np.inf, low), np.where(np.isnan(high), np.inf, high)
    return known[e]


def _fresh(e: Any, known: dict[Any, Bounds]) -> Bounds:
    if e.is_number:
        value = float(e)
        return _wide(np.float64(value), np.float64(value))
    args = [_bounds(a, known) for a in e.args] if not e.is_Pow else []
    if e.is_Add:
        low, high = args[0]
        for a, b in args[1:]:
            low, high = _wide(low + a, high + b)
        return low, high
    if e.is_Mul:
        low, high = args[0]
        for a, b in args[1:]:
            low, high = _product((low, high), (a, b))
        return low, high
    if e.is_Pow:
        return _power(e, known)
    if e.func in _RISING or e.func is sp.acos:
        return _monotone(e.func, *args[0])
    rule = _OTHERS.get(e.func)
    if rule is None:
        raise NotEnclosed(str(e.func))
    return rule(*args[0])


def _wide(low: Any, high: Any) -> Bounds:
    for _ in range(2):
        low, high = np.nextafter(low, -np.inf), np.nextafter(high, np.inf)
    return low - _ULPS * _spacing(low), high + _ULPS * _spacing(high)


def _spacing(v: Any) -> Any:
    """Return the distance to the next float; 0 of what is infinite, so that it stays a bound."""
    return np.where(np.isfinite(v), np.spacing(np.abs(v)), 0.0)


def _product(a: Bounds, b: Bounds) -> Bounds:
    each = [p * q for p in a for q in b]
    each = [np.where(np.isnan(p), 0.0, p) for p in each]  # 0·∞ of bounds is 0
    return _wide(np.minimum.reduce(np.broadcast_arrays(*each)), np.maximum.reduce(np.broadcast_arrays(*each)))


def _power(e: Any, known: dict[Any, Bounds]) -> Bounds:
    low, high = _bounds(e.base, known) if e.base is not sp.E else (0, 0)
    n = e.exp
    if e.base is sp.E:
        return _monotone(sp.exp, *_bounds(n, known))
    if n.is_Integer:
        up = _whole_power(low, high, abs(int(n)))
        return up if n > 0 else _reciprocal(*up)
    low, high = np.maximum(low, 0), np.maximum(high, 0)
    if n.is_number:
        up = _wide(low ** abs(float(n)), high ** abs(float(n)))
        up = (np.maximum(up[0], 0), up[1])
        return up if n > 0 else _reciprocal(*up)
    return _monotone(sp.exp, *_product(_bounds(n, known), _monotone(sp.log, low, high)))


def _whole_power(low: Any, high: Any, n: int) -> Bounds:
    a, b = low**n, high**n
    if n % 2:
        return _wide(a, b)
    inside = (low <= 0) & (high >= 0)
    smallest = np.where(inside, 0, np.maximum(_wide(np.minimum(a, b), b)[0], 0))
    return smallest, _wide(a, np.maximum(a, b))[1]


def _reciprocal(low: Any, high: Any) -> Bounds:
    a, b = _wide(1 / high, 1 / low)
    a, b = np.where(low == 0, np.where(high == 0, -np.inf, a), a), np.where(low == 0, np.inf, b)
    a, b = np.where(high == 0, -np.inf, a), np.where(high == 0, np.where(low == 0, np.inf, b), b)
    inside = (low < 0) & (high > 0)
    return np.where(inside, -np.inf, a), np.where(inside, np.inf, b)


def _monotone(function: Any, low: Any, high: Any) -> Bounds:
    least, most = _WITHIN.get(function, (-np.inf, np.inf))
    low, high = np.clip(low, least, most), np.clip(high, least, most)
    if function is sp.acos:
        return _wide(np.arccos(high), np.arccos(low))
    a, b = _wide(_RISING[function](low), _RISING[function](high))
    return (np.maximum(a, 0), b) if function is sp.exp else (a, b)


def _wave(low: Any, high: Any, shift: float) -> Bounds:
    """Return bounds of cos(x − shift)."""
    low, high = low - shift, high - shift
    a, b = np.cos(low), np.cos(high)
    turn = 2 * np.pi
    slack = 1e-9 + 1e-15 * np.maximum(np.abs(low), np.abs(high))
    top = np.ceil((low - slack) / turn) * turn <= high + slack
    foot = np.ceil((low - slack - np.pi) / turn) * turn + np.pi <= high + slack
    far = ~(np.isfinite(low) & np.isfinite(high)) | (np.maximum(np.abs(low), np.abs(high)) > 1e12)
    least, most = np.minimum(a, b) - 1e-14 - slack * 1e-3, np.maximum(a, b) + 1e-14 + slack * 1e-3
    return np.where(foot | far, -1.0, least), np.where(top | far, 1.0, most)


def _tangent(low: Any, high: Any) -> Bounds:
    k = np.ceil((low - np.pi / 2) / np.pi)
    pole = (k * np.pi + np.pi / 2 <= high + 1e-12) | ~(np.abs(low) < 1e12) | ~(np.abs(high) < 1e12)
    a, b = np.tan(low), np.tan(high)
    pad = 1e-13 * (1 + a**2 + b**2)
    return np.where(pole, -np.inf, a - pad), np.where(pole, np.inf, b + pad)


def _size(low: Any, high: Any) -> Bounds:
    inside = (low <= 0) & (high >= 0)
    a, b = np.abs(low), np.abs(high)
    return np.where(inside, 0.0, np.minimum(a, b)), np.maximum(a, b)


def _even(low: Any, high: Any) -> Bounds:
    a, b = _size(low, high)
    lower, upper = _wide(np.cosh(a), np.cosh(b))
    return np.maximum(lower, 1), upper


_OTHERS: dict[Any, Callable[..., Bounds]] = {
    sp.sin: lambda a, b: _wave(a, b, np.pi / 2),
    sp.cos: lambda a, b: _wave(a, b, 0.0),
    sp.tan: _tangent,
    sp.cosh: _even,
    sp.Abs: _size,
}
