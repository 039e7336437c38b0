"""Kernels of the normal distribution: Φ, log Φ, Φ⁻¹, and the scaled tail erfcx."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from symgrad.scalars import numerics
from symgrad.scalars.gamma import F64, horner, select
from symgrad.scalars.numerics import elementwise, erfc_ratio

_ROOT2 = math.sqrt(2)
_ROOT_PI = math.sqrt(math.pi)
# 1/√2 in three parts: 24 bits, 29 bits, and the rest
_HIGH = 0.7071067690849304
_LOW = 1.2101617152815436e-08
_REST = -4.833646656726457e-17
_SERIES = (1.0, -0.5, 0.75, -1.875, 6.5625, -29.53125, 162.421875, -1055.7421875)  # (-1)ᵏ (2k-1)!!/2ᵏ
_FAR = 40.0  # Φ(-40) is 0 in float64

_erfc: Callable[[F64], F64] = numerics.erfc.__wrapped__  # type: ignore[attr-defined]
_erfinv: Callable[[F64], F64] = numerics.erfinv.__wrapped__  # type: ignore[attr-defined]


def _scaled(x: F64) -> F64:
    return select(x < 0.75, _scaled_near, _scaled_far, x)


def _scaled_near(x: F64) -> F64:
    square, lost = squared(np.maximum(x, -_FAR))
    grown = np.exp(square) * (1 + lost)
    small = np.maximum(x, -0.75)
    return np.where(x > -0.75, grown * _erfc(small), 2 * grown - _scaled_far(np.maximum(-x, 0.75)))


def _scaled_far(x: F64) -> F64:
    r = 1 / x
    series = r / _ROOT_PI * horner(r * r, _SERIES)
    return np.where(x > 28, series, erfc_ratio(np.minimum(x, 28.0), 0.0))


def squared(x: F64) -> tuple[F64, F64]:
    """Return x² rounded, and what that lost."""
    head = x.astype(np.float32).astype(np.float64)
    rest = x - head
    s = x * x
    return s, ((head * head - s) + 2 * head * rest) + rest * rest


@elementwise
def erfcx(x: F64) -> F64:
    """Scaled complement, exp(x²) erfc x."""
    return _scaled(x)


def _over_root2(x: F64) -> tuple[F64, F64]:
    """Return x/√2 rounded, and what that lost; |x| <= 40."""
    head = x.astype(np.float32).astype(np.float64)
    rest = x - head
    high = _HIGH + _LOW
    t = x * high
    return t, ((head * _HIGH - t) + (head * _LOW + rest * _HIGH)) + (rest * _LOW + x * _REST)


@elementwise
def ndtr(x: F64) -> F64:
    """Normal distribution function, Φ(x) = erfc(-x/√2)/2, relatively accurate down to its underflow near -38."""
    return _ndtr(x)


def _ndtr(x: F64) -> F64:
    t, lost = _over_root2(np.clip(x, -_FAR, _FAR))
    return 0.5 * _erfc(-t) + lost * np.exp(-t * t) / _ROOT_PI


@elementwise
def log_ndtr(x: F64) -> F64:
    """Logarithm of Φ, without underflow."""
    return _log_ndtr(x)


def _log_ndtr(x: F64) -> F64:
    return select(x > -1, lambda x: np.log1p(-_ndtr(-x)), _log_ndtr_tail, x)


def _log_ndtr_tail(x: F64) -> F64:
    return np.log(_scaled(-x / _ROOT2) / 2) - x * x / 2


@elementwise
def ndtri(p: F64) -> F64:
    """Inverse of Φ, ±∞ at 1 and 0, nan beyond."""
    upper = p > 0.5
    q = np.where(upper, 1 - p, p)  # exact
    x = select(q > 0.1, lambda q: -_ROOT2 * _erfinv(1 - 2 * q), _ndtri_tail, q)
    return np.where(q == 0, -np.inf, x) * np.where(upper, -1.0, 1.0) + 0.0


def _ndtri_tail(q: F64) -> F64:
    log_q = np.log(q)
    r = -2 * log_q
    x: F64 = -np.sqrt(r - np.log(2 * math.pi) - np.log(np.maximum(r - math.log(2 * math.pi), 0.5)))
    for _ in range(5):  # Newton on log Φ(x) = log q, whose slope is √(2/π)/erfcx(-x/√2); it is nearly quadratic
        x = x - (_log_ndtr(x) - log_q) * _scaled(-x / _ROOT2) * math.sqrt(math.pi / 2)
    return x


@elementwise
def logit(p: F64) -> F64:
    """Log-odds, log(p/(1 - p)), with relative accuracy near 1/2 too; nan outside [0, 1]."""
    return select(np.abs(p - 0.5) < 0.25, lambda p: 2 * np.arctanh(2 * p - 1), lambda p: np.log(p / (1 - p)), p)
