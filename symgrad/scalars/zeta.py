"""The kernel of the Hurwitz zeta function."""

from __future__ import annotations

import numpy as np

from symgrad.scalars.gamma import _BERNOULLI, F64
from symgrad.scalars.numerics import elementwise

_TERMS = 10  # added one by one before Euler–Maclaurin takes over


@elementwise
def zeta(s: F64, q: F64) -> F64:
    """Σₖ (q + k)⁻ˢ; of terms below 0, whose s is whole, by (-1)ˢ as the difference of two sums over terms above 0."""
    whole = np.floor(s) == s
    below = q < 0
    pole = (q <= 0) & (np.floor(q) == q)
    near = np.where(below & ~pole, np.ceil(q) - q, 0.5)  # how far below 0 the last of them is
    y = _positive(s, np.where(below, 1 - near, q))
    if below.any():
        sign = np.where(np.floor(s / 2) == s / 2, 1.0, -1.0)
        beyond = _positive(s, 1 - np.where(below & ~pole, q, 0.5))
        y = np.where(below, (y + sign * _positive(s, near)) - sign * beyond, y)
    y = np.where(s == 1, np.inf, np.where((s < 1) | (below & ~pole & ~whole), np.nan, y))
    return np.where(pole & (s > 1), np.inf, np.where(np.isnan(s) | np.isnan(q), np.nan, y))


def _positive(s: F64, q: F64) -> F64:
    """Σₖ (q + k)⁻ˢ for q ≥ 0. Source: Euler–Maclaurin, as Abramowitz & Stegun 1964, 23.2.9."""
    far = q
    total = np.zeros_like(s)
    for _ in range(_TERMS):
        total = total + far**-s
        far = far + 1
    tail = far ** (1 - s) / (s - 1) + far**-s / 2
    rising = far**-s * s / far
    for j in range(1, 13):
        tail = tail + _BERNOULLI[j - 1] * rising
        rising = rising * (s + 2 * j - 1) * (s + 2 * j) / (far * far)
    return np.where(np.isfinite(tail), total + tail, total)
