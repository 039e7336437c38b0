"""Kernels of quotients that cancel near 0, and of densities whose exponents are large."""

from __future__ import annotations

import math
from functools import lru_cache
from typing import Any

import numpy as np

from symgrad.scalars.gamma import F64, digamma, lgamma
from symgrad.scalars.numerics import elementwise
from symgrad.scalars.written import polynomial

_BEND = tuple((-1.0) ** (k + 1) * (1 - 1 / k) for k in range(2, 34))
_BEND_SLOPE = tuple(k * c for k, c in enumerate(_BEND))[1:]


@elementwise
def log1p_bend(u: F64) -> F64:
    """(u/(1 + u) - log(1 + u))/u², -1/2 at 0."""
    near = np.abs(u) < 0.3
    v = np.where(near, 1.0, u)
    bend: F64 = np.where(near, polynomial(np.where(near, u, 0.0), _BEND), (v / (1 + v) - np.log1p(v)) / (v * v))
    return bend


@elementwise
def log1p_bend_slope(u: F64) -> F64:
    """The derivative of ``log1p_bend``, 2/3 at 0."""
    near = np.abs(u) < 0.3
    v = np.where(near, 1.0, u)
    far = -1 / (v * (1 + v) ** 2) - 2 * (v / (1 + v) - np.log1p(v)) / v**3
    slope: F64 = np.where(near, polynomial(np.where(near, u, 0.0), _BEND_SLOPE), far)
    return slope


@lru_cache(maxsize=16)
def _powers(n: int) -> tuple[float, ...]:
    return tuple(1 / (math.factorial(k) * (k + n + 1)) for k in range(26))


def exprel_nth(n: int, x: Any) -> Any:
    """∫₀¹ tⁿ exp(xt) dt, the n-th derivative of (exp x - 1)/x."""
    return _exprel(float(n), x)


@elementwise
def _exprel(n: F64, x: F64) -> F64:
    order = int(n[0]) if n.size else 0
    near = np.abs(x) < 2.0 + order
    v = np.where(near, 1.0, x)
    ratio = np.expm1(v) / v
    for k in range(1, order + 1):
        ratio = (np.exp(v) - k * ratio) / v
    w = np.where(near, x, 0.0)
    # of positive terms: exp(x) ∫ sⁿ… for x < 0, where the series alternates
    series = polynomial(np.abs(w), _series(order))
    return np.where(near, np.where(w >= 0, series, _left(order, w)), ratio)


@lru_cache(maxsize=16)
def _series(n: int) -> tuple[float, ...]:
    return tuple(1 / (math.factorial(k) * (k + n + 1)) for k in range(30 + 3 * n))


def _left(n: int, x: F64) -> F64:
    """For x < 0: exp(x) Σ |x|ᵏ n!/(n + k + 1)!."""
    terms = tuple(1 / math.prod(range(n + 1, n + k + 2)) for k in range(30 + 3 * n))
    series: F64 = np.exp(x) * polynomial(-x, terms)
    return series


# ------------------------------------------------------------------ differences of ψ
_PSI = (1 / 12, -1 / 120, 1 / 252, -1 / 240, 1 / 132, -691 / 32760, 1 / 12, -3617 / 8160)


@elementwise
def digamma_gain(z: F64, m: F64) -> F64:
    """ψ(z + m) - ψ(z), of positive arguments with a factor m taken out of every term."""
    inside = (z > 0) & (z + m > 0)
    p, d = np.where(inside, z, 1.0), np.where(inside, m, 0.0)
    low, gain = np.minimum(p, p + d), np.zeros_like(p)
    for k in range(10):
        gain = gain + np.where(low + k < 10, d / (p + k) / (p + d + k), 0.0)
    p = p + np.clip(np.ceil(10 - low), 0.0, 10.0)
    r, s = 1 / p, 1 / (p + d)
    value, quotient = np.full_like(p, _PSI[-1]), np.zeros_like(p)  # Horner's, and that of the divided difference
    for c in _PSI[-2::-1]:
        quotient = quotient * s * s + value
        value = value * r * r + c
    quotient = quotient * s * s + value
    gain = gain + np.log1p(d * r) + d * r * s * (0.5 + quotient * (r + s))
    return np.where(inside, gain, digamma(z + m) - digamma(z))


@elementwise
def log_ratio(x: F64, y: F64) -> F64:
    """log(x/y), also where the quotient has no float."""
    q = x / y
    return np.where((q > 1e-290) & (q < 1e290), np.log(q), np.log(x) - np.log(y))


# ------------------------------------------------------------------ densities
_STIRLING = (1 / 12, -1 / 360, 1 / 1260, -1 / 1680, 1 / 1188, -691 / 360360, 1 / 156)


def _stirling(a: F64) -> F64:
    """log Γ(a) - (a - 1/2) log a + a - log √(2π), for a >= 10."""
    r = 1 / a
    correction: F64 = r * polynomial(r * r, _STIRLING)
    return correction


def _bent(d: F64) -> F64:
    """d - log(1 + d)."""
    near = np.abs(d) < 0.1
    t = np.where(near, d, 0.0)
    series = t * t * polynomial(t, tuple((-1.0) ** k / k for k in range(2, 20)))
    return np.where(near, series, d - np.log1p(np.where(near, 0.0, d)))


@elementwise
def gamma_density(a: F64, x: F64) -> F64:
    """x^(a-1) exp(-x)/Γ(a); for large a about its peak. Source: Loader 2000, "Fast and accurate … binomial"."""
    large = a > 10
    b, t = np.where(large, a, 20.0), np.where(large & (x > 0), x, 1.0)
    far = np.exp(-b * _bent((t - b) / b) - _stirling(b)) * np.sqrt(b / (2 * math.pi)) / t
    s, c = np.where(x > 0, x, 1.0), np.where(large, 1.0, a)
    near = np.exp((c - 1) * np.log(s) - s - lgamma(c))
    at_zero = np.where(a == 1, 1.0, np.where(a < 1, np.inf, 0.0))
    y = np.where(x > 0, np.where(large, far, near), np.where(x == 0, at_zero, 0.0))
    return np.where(np.isnan(a) | np.isnan(x) | (a <= 0), np.nan, np.where(x == np.inf, 0.0, y))


@elementwise
def beta_density(a: F64, b: F64, x: F64, z: F64) -> F64:
    """x^(a-1) z^(b-1)/B(a, b), z = 1 - x; for large a and b about its peak, likewise."""
    large = (a > 10) & (b > 10)
    a1, b1 = np.where(large, a, 20.0), np.where(large, b, 20.0)
    inside = (x > 0) & (z > 0)
    u, v = np.where(inside, x, 0.5), np.where(inside, z, 0.5)
    n = a1 + b1
    bent = a1 * _bent((n * u - a1) / a1) + b1 * _bent((n * v - b1) / b1)
    scale = _stirling(n) - _stirling(a1) - _stirling(b1)
    far = np.exp(scale - bent) * np.sqrt(a1 * b1 / (2 * math.pi * n)) / (u * v)
    a2, b2 = np.where(large, 1.0, a), np.where(large, 1.0, b)
    near = np.exp((a2 - 1) * np.log(u) + (b2 - 1) * np.log(v) - betaln(a2, b2))
    left, right = (np.where(p == 1, 1.0, np.where(p < 1, np.inf, 0.0)) for p in (a, b))
    edge = np.where(x == 0, left * np.where(a == 1, b, 1.0), right * np.where(b == 1, a, 1.0))
    outside = (x < 0) | (z < 0) | ~((a > 0) & (b > 0)) | np.isnan(x)
    return np.where(outside, np.nan, np.where(inside, np.where(large, far, near), edge))


def betaln(a: F64, b: F64) -> F64:
    """log B(a, b), of which one argument may be large."""
    small, large = np.minimum(a, b), np.maximum(a, b)
    wide = large > 10
    c = np.where(wide, large, 20.0)
    s = small
    gained = _stirling(c) - _stirling(c + s) + s - s * np.log(c) - (c + s - 0.5) * np.log1p(s / c)
    return lgamma(s) + np.where(wide, gained, lgamma(np.where(wide, 1.0, large)) - lgamma(np.where(wide, 1.0, a + b)))
