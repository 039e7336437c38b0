"""Kernels of the Bessel functions Jₙ and of the Hurwitz zeta function."""

from __future__ import annotations

import math
from functools import lru_cache
from typing import Any

import numpy as np

from symgrad.scalars.gamma import _BERNOULLI, F64, horner, select
from symgrad.scalars.numerics import elementwise

_SMALL, _LARGE = 2.0, 25.0
_START = 72  # J₇₂(25) is below 10⁻²⁰
MOST = 24  # of n: in the recurrence below, Jₙ is found on the way down from _START


@lru_cache(maxsize=2 * MOST)
def _series(n: int) -> tuple[float, ...]:
    """Jₙ(x) = (x/2)ⁿ Σ (-x²/4)ᵏ/(k! (k+n)!)."""
    return tuple((-1) ** k / (math.factorial(k) * math.factorial(k + n)) for k in range(16))


@lru_cache(maxsize=2)
def _hankel(n: int) -> tuple[tuple[float, ...], tuple[float, ...]]:
    """Coefficients in 1/x² of P and of x Q. Source: Abramowitz & Stegun 1964, 9.2.9 and 9.2.10."""
    a = [1.0]
    for k in range(1, 24):
        a.append(a[-1] * (4 * n * n - (2 * k - 1) ** 2) / (8 * k))
    signed = [(-1.0) ** (k // 2) * v for k, v in enumerate(a)]
    return tuple(signed[0::2]), tuple(signed[1::2])


def _near(n: int, a: F64) -> F64:
    return (a / 2) ** n * horner(a * a / 4, _series(n))


def _between(n: int, a: F64) -> F64:
    """Down the recurrence J_{k-1} = 2k/x J_k - J_{k+1}, scaled so that J₀ + 2 Σ J₂ₖ = 1. Source: Miller 1952."""
    upper, here, even, wanted = np.zeros_like(a), np.full_like(a, 1e-150), np.zeros_like(a), np.zeros_like(a)
    for k in range(_START, 0, -1):
        upper, here = here, 2 * k / a * here - upper  # J_{k-1}, but for a factor
        if k % 2 and k > 1:
            even = even + here
        if k - 1 == n:
            wanted = here
    return wanted / (here + 2 * even)


def _far(n: int, a: F64) -> F64:
    """√(2/πa) (P cos χ - Q sin χ), χ = a - (2n + 1) π/4 not rounded, for n ≤ 1; from these up the recurrence."""
    lower, here = _wave(0, a), _wave(1, a)
    if n == 0:
        return lower
    for k in range(1, n):
        lower, here = here, 2 * k / a * here - lower
    return here


def _wave(n: int, a: F64) -> F64:
    p, q = (horner(1 / (a * a), c) for c in _hankel(n))
    s, c = np.sin(a), np.cos(a)
    cos, sin = (c + s, s - c) if n == 0 else (s - c, -s - c)
    found: F64 = (p * cos - q / a * sin) / np.sqrt(math.pi * a)
    return found


def besselj(n: int, x: Any) -> Any:
    """Jₙ(x), n one of 0, …, MOST, to an absolute 10⁻¹⁵.

    >>> float(besselj(0, 0.0)), float(besselj(1, 0.0))
    (1.0, 0.0)
    """
    return _kernel(n)(x)


@lru_cache(maxsize=2 * MOST)
def _kernel(n: int) -> Any:
    def rest(a: F64) -> F64:
        return select(a < _LARGE, lambda v: _between(n, v), lambda v: _far(n, v), a)

    def kernel(x: F64) -> F64:
        a = np.abs(x)
        with np.errstate(invalid="ignore"):
            y = select(a < _SMALL, lambda v: _near(n, v), rest, a)
        return np.where(a == np.inf, 0.0, y) * (np.where(x < 0, -1.0, 1.0) if n % 2 else 1.0)

    return elementwise(kernel)


# ------------------------------------------------------------------ zeta
_TERMS = 10  # added one by one before Euler–Maclaurin takes over


def _zeta(s: F64, q: F64) -> F64:
    """Σₖ (q + k)⁻ˢ; of terms below 0, whose s is whole, by (-1)ˢ as the difference of two sums over terms above 0."""
    whole, below = np.floor(s) == s, q < 0
    pole = (q <= 0) & (np.floor(q) == q)
    near = np.where(below & ~pole, np.ceil(q) - q, 0.5)  # how far below 0 the last of them is
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        y = _positive(s, np.where(below, 1 - near, q))
        if below.any():
            sign = np.where(np.floor(s / 2) == s / 2, 1.0, -1.0)
            beyond = _positive(s, 1 - np.where(below & ~pole, q, 0.5))
            y = np.where(below, (y + sign * _positive(s, near)) - sign * beyond, y)
        y = np.where(s == 1, np.inf, np.where((s < 1) | (below & ~pole & ~whole), np.nan, y))
    return np.where(pole & (s > 1), np.inf, np.where(np.isnan(s) | np.isnan(q), np.nan, y))


def _positive(s: F64, q: F64) -> F64:
    """Σₖ (q + k)⁻ˢ for q ≥ 0. Source: Euler–Maclaurin, as Abramowitz & Stegun 1964, 23.2.9."""
    far, total = np.array(q), np.zeros_like(s)
    for _ in range(_TERMS):
        total += far**-s
        far = far + 1
    tail, rising = far ** (1 - s) / (s - 1) + far**-s / 2, far**-s * s / far
    for j, b in enumerate(_BERNOULLI, 1):
        tail = tail + b * rising
        rising = rising * (s + 2 * j - 1) * (s + 2 * j) / (far * far)
    return np.where(np.isfinite(tail), total + tail, total)


zeta = elementwise(_zeta)
