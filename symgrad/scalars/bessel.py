"""Kernels of the modified Bessel functions I₀ and I₁ and of the Bessel functions Jₙ.

Up to 14 the power series of I, whose terms are all positive; beyond, √(2π x) e⁻ˣ I(x) in 1/x, interpolated at
Chebyshev nodes with mpmath as in ``gamma``.
"""

from __future__ import annotations

import math
from functools import lru_cache
from typing import Any

import numpy as np

from symgrad.scalars.gamma import F64, horner, select
from symgrad.scalars.numerics import elementwise

_NEAR = 14.0
# Iₙ(x) = (x/2)ⁿ Σ (x²/4)ᵏ/(k! (k+n)!)
_I0_NEAR = tuple(1 / math.factorial(k) ** 2 for k in range(36))
_I1_NEAR = tuple(1 / (math.factorial(k) * math.factorial(k + 1)) for k in range(36))
# √x e⁻ˣ Iₙ(x) = 1/√(2π) + P(1/x)/x for x >= 14
_I0_FAR = (
    0.049867785050179046, 0.02805062909095834, 0.029219405061845886, 0.04474231217271326, 0.09058237071197002,
    0.23098664682108455, 0.47896905621149577, 13.964789263089152, -430.16263505243387, 11810.809176328274,
    -219717.10411158937, 2809372.1188080325, -23269183.189236585, 112389234.93418328, -236891876.35050207,
)  # fmt: skip
_I1_FAR = (
    -0.14960335515053722, -0.04675104848478428, -0.04090716717389438, -0.05752580567027822, -0.11071559528668283,
    -0.27260951769920894, -0.5772353337365288, -14.710712693385485, 444.9547211686469, -12235.902047856001,
    227422.8541214503, -2906051.2057680367, 24047345.26237151, -116012915.77005614, 244089022.7569214,
)  # fmt: skip
_ROOT = 1 / math.sqrt(2 * math.pi)


def _i0_near(a: F64) -> F64:
    return horner(a * a / 4, _I0_NEAR)


def _i1_near(a: F64) -> F64:
    return a / 2 * horner(a * a / 4, _I1_NEAR)


def _i0_far(a: F64) -> F64:
    """Return e⁻ᵃ I₀(a) of a large argument."""
    return (_ROOT + horner(1 / a, _I0_FAR) / a) / np.sqrt(a)


def _i1_far(a: F64) -> F64:
    """Return e⁻ᵃ I₁(a) of a large argument."""
    return (_ROOT + horner(1 / a, _I1_FAR) / a) / np.sqrt(a)


def _grown(far: F64, a: F64) -> F64:
    """Return far·eᵃ, infinite only where that is: eᵃ overflows before I does."""
    half = np.exp(a / 2)
    return far * half * half


@elementwise
def i0(x: F64) -> F64:
    """Modified Bessel function I₀."""
    a = np.abs(x)
    y = select(a < _NEAR, _i0_near, lambda a: _grown(_i0_far(a), a), a)
    return np.where(a == np.inf, np.inf, y)


@elementwise
def i0e(x: F64) -> F64:
    """I₀ scaled, exp(-|x|) I₀(x)."""
    return select(np.abs(x) < _NEAR, lambda a: np.exp(-a) * _i0_near(a), _i0_far, np.abs(x))


@elementwise
def i1(x: F64) -> F64:
    """Modified Bessel function I₁."""
    a = np.abs(x)
    y = select(a < _NEAR, _i1_near, lambda a: _grown(_i1_far(a), a), a)
    return np.copysign(np.where(a == np.inf, np.inf, y), x)


@elementwise
def i1e(x: F64) -> F64:
    """I₁ scaled, exp(-|x|) I₁(x)."""
    return np.copysign(select(np.abs(x) < _NEAR, lambda a: np.exp(-a) * _i1_near(a), _i1_far, np.abs(x)), x)


# ------------------------------------------------------------------ Jₙ
_SMALL, _LARGE = 2.0, 25.0
_START = 72  # J₇₂(25) is below 10⁻²⁰
MOST = 24  # of n: in the recurrence below, Jₙ is found on the way down from _START


def _hankel(n: int) -> tuple[float, ...]:
    """Coefficients in 1/x² of P and of x Q in turn. Source: Abramowitz & Stegun 1964, 9.2.9 and 9.2.10."""
    a = [1.0]
    for k in range(1, 24):
        a.append(a[-1] * (4 * n * n - (2 * k - 1) ** 2) / (8 * k))
    return tuple((-1.0) ** (k // 2) * v for k, v in enumerate(a))


_P0, _Q0 = _hankel(0)[0::2], _hankel(0)[1::2]
_P1, _Q1 = _hankel(1)[0::2], _hankel(1)[1::2]


def _near(n: int, a: F64) -> F64:
    """(a/2)ⁿ Σ (-a²/4)ᵏ/(k! (k+n)!)."""
    table = [0.0] * 16
    table[0] = 1.0
    for k in range(2, n + 1):
        table[0] = table[0] / k
    for k in range(1, 16):
        table[k] = -table[k - 1] / (k * (k + n))
    return (a / 2) ** n * horner(a * a / 4, table)


def _between(n: int, a: F64) -> F64:
    """Down the recurrence J_{k-1} = 2k/x J_k - J_{k+1}, scaled so that J₀ + 2 Σ J₂ₖ = 1. Source: Miller 1952."""
    upper = even = wanted = np.zeros_like(a)
    here = upper + 1e-150
    for k in range(_START, 0, -1):
        lower = 2 * k / a * here - upper  # J_{k-1}, but for a factor
        upper = here
        here = lower
        if k % 2 == 1 and k > 1:
            even = even + here
        if k - 1 == n:
            wanted = here
    return wanted / (here + 2 * even)


def _far(n: int, a: F64) -> F64:
    """√(2/πa) (P cos χ - Q sin χ), χ = a - (2n + 1) π/4 not rounded, for n ≤ 1; from these up the recurrence."""
    lower = _wave(0, a)
    if n == 0:
        return lower
    here = _wave(1, a)
    for k in range(1, n):
        upper = 2 * k / a * here - lower
        lower = here
        here = upper
    return here


def _wave(n: int, a: F64) -> F64:
    r = 1 / (a * a)
    p = horner(r, _P0) if n == 0 else horner(r, _P1)
    q = horner(r, _Q0) if n == 0 else horner(r, _Q1)
    s = np.sin(a)
    c = np.cos(a)
    cosine = c + s if n == 0 else s - c
    sine = s - c if n == 0 else -s - c
    y: F64 = (p * cosine - q / a * sine) / np.sqrt(math.pi * a)
    return y


def _rest(n: int, a: F64) -> F64:
    return select(a < _LARGE, lambda a: _between(n, a), lambda a: _far(n, a), a)


def bessel(n: int, x: F64) -> F64:
    """Jₙ(x) of a flat array."""
    a = np.abs(x)
    y = np.where(a == np.inf, 0.0, select(a < _SMALL, lambda a: _near(n, a), lambda a: _rest(n, a), a))
    return y * np.where(x < 0, -1.0, 1.0) if n % 2 == 1 else y


def besselj(n: int, x: Any) -> Any:
    """Jₙ(x), n one of 0, …, MOST, to an absolute 10⁻¹⁵.

    >>> float(besselj(0, 0.0)), float(besselj(1, 0.0))
    (1.0, 0.0)
    """
    return _kernel(n)(x)


@lru_cache(maxsize=2 * MOST)
def _kernel(n: int) -> Any:
    def kernel(x: F64) -> F64:
        return bessel(n, x)

    return elementwise(kernel)
