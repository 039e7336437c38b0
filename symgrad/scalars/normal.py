"""Kernels of the normal distribution: Φ, log Φ, Φ⁻¹, and the scaled tail erfcx."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from symgrad.scalars import numerics
from symgrad.scalars.gamma import F64, horner, select
from symgrad.scalars.numerics import elementwise, erfc_near, erfc_ratio, over_sum, squared

_ROOT2 = math.sqrt(2)
_ROOT_PI = math.sqrt(math.pi)
_SERIES = (1.0, -0.5, 0.75, -1.875, 6.5625, -29.53125, 162.421875, -1055.7421875)  # (-1)ᵏ (2k-1)!!/2ᵏ
# (x + 3/4) exp(x²/2) Φ(-x) = _NDTR_SHIFT + P((x - 4)/(x + 4)) for 0.7 <= x <= 39
_NDTR_SHIFT = 0.453125
_NDTR = (
    -0.004674453815647546, -0.05410404693941191, -0.017095179110393138, 0.0465272158879837,
    -0.039914038454499215, 0.020059121350117996, -0.005129269113791813, -0.00044532655699466086,
    0.0007416932204672566, -8.304159276033727e-05, -9.5015606896134e-05, 2.009267730169088e-05,
    1.4704163349132105e-05, -3.2273602301912598e-06, -2.7817922468449846e-06, 3.6044319185108806e-07,
    5.804141658158779e-07, 1.2432862234251827e-09, -1.1603391226927097e-07, -9.115147241455114e-09,
    1.6499930193125457e-08,
)  # fmt: skip
_FAR = 39.0  # Φ(-39) is 0 in float64

_erfinv: Callable[[F64], F64] = numerics.erfinv.__wrapped__  # type: ignore[attr-defined]


def scaled(x: F64) -> F64:
    """exp(x²) erfc x."""
    return select(np.abs(x) < 0.75, lambda x: grown(x) * erfc_near(x), _scaled_away, x)


def _scaled_away(x: F64) -> F64:
    y = _scaled_far(np.abs(x))
    return select(x < 0, lambda x, y: 2 * grown(x) - y, lambda x, y: y, x, y)


def grown(x: F64) -> F64:
    """exp(x²), of x >= -39; ∞ is reached before."""
    square, lost = squared(np.maximum(x, -_FAR))
    return np.exp(square) * (1 + lost)


def _scaled_far(x: F64) -> F64:
    return np.where(x > 28, _scaled_tail(x), erfc_ratio(np.minimum(x, 28.0), 0.0))


def _scaled_tail(x: F64) -> F64:
    """exp(x²) erfc x, x >= 26."""
    r = 1 / x
    return r / _ROOT_PI * horner(r * r, _SERIES)


@elementwise
def erfcx(x: F64) -> F64:
    """Scaled complement, exp(x²) erfc x."""
    return scaled(x)


@elementwise
def ndtr(x: F64) -> F64:
    """Normal distribution function, Φ(x) = erfc(-x/√2)/2, relatively accurate down to its underflow near -38."""
    return _ndtr(x)


def _ndtr(x: F64) -> F64:
    return select(np.abs(x) < 0.75, lambda x: 0.5 * erfc_near(-x / _ROOT2), _ndtr_away, x)


def _ndtr_away(x: F64) -> F64:
    y = ndtr_tail(-np.abs(x))
    return np.where(x < 0, y, 1 - y)


def ndtr_tail(x: F64) -> F64:
    """Φ(x), x <= -0.7."""
    x = np.minimum(-x, _FAR)
    square, lost = squared(x)
    return np.exp(-0.5 * square) * over_sum(horner((x - 4) / (x + 4), _NDTR), _NDTR_SHIFT, x, 0.75, 0.5 * lost)


@elementwise
def log_ndtr(x: F64) -> F64:
    """Logarithm of Φ, without underflow."""
    return _log_ndtr(x)


def _log_ndtr(x: F64) -> F64:
    """Of Φ(x) and 1 - Φ(-x) the logarithm of the one that is less rounded; far on the left of the scaled tail."""
    far = x < -37
    y = np.where(far, _scaled_tail(-x / _ROOT2) / 2, _ndtr(-np.abs(x)))
    return np.where(x < 0, np.log(y) - np.where(far, x * x / 2, 0.0), np.log1p(-y))


def log_ndtr_tail(x: F64) -> F64:
    """log Φ(x), x <= -37."""
    return np.log(_scaled_tail(-x / _ROOT2) / 2) - x * x / 2


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
        x = x - (_log_ndtr(x) - log_q) * _scaled_far(-x / _ROOT2) * math.sqrt(math.pi / 2)
    return x


@elementwise
def logit(p: F64) -> F64:
    """Log-odds, log(p/(1 - p)), with relative accuracy near 1/2 too; nan outside [0, 1]."""
    return select(np.abs(p - 0.5) < 0.25, lambda p: 2 * np.arctanh(2 * p - 1), lambda p: np.log(p / (1 - p)), p)
