"""The tail of the skew normal distribution on the side where densities cancel, by quadrature."""

from __future__ import annotations

from typing import Any

import numpy as np
import sympy as sp

from symgrad.scalars.library.integrals import owens_t
from symgrad.scalars.library.named import slope
from symgrad.scalars.numerics import elementwise
from symgrad.scalars.special import log_ndtr, ndtr

_SPACING, _REACH, _BLOCK = 1 / 48, 4.0, 1024  # of the rule; and of how many integrals at a time


def _skew_tail(h: Any, a: Any) -> Any:
    """Log of 1/π ∫ exp(-h² (1 + t²)/2)/(1 + t²) dt from a to ∞, by the double exponential rule in s = t - a.

    Source: Takahasi and Mori, Publ. RIMS 9, 1974.
    """
    if h.size > _BLOCK:
        return np.concatenate([_skew_tail(h[k : k + _BLOCK], a[k : k + _BLOCK]) for k in range(0, h.size, _BLOCK)])
    u = np.arange(-_REACH, _REACH, _SPACING)[:, None]
    with np.errstate(all="ignore"):
        width = 1 / np.maximum(np.maximum(1 / np.hypot(1, a), h), h * h * a)
        s = width * np.exp(np.pi / 2 * np.sinh(u))
        terms = np.exp(-h * h * (2 * a + s) * s / 2) / (1 + (a + s) ** 2) * s * np.cosh(u)
        decay = h * h * (1 + a * a) / 2
        total = np.log(_SPACING / 2 * terms.sum(0)) - decay
    return np.where(np.isinf(decay) | np.isinf(a), -np.inf, total)


def _skew_tail_rule(h: sp.Expr, a: sp.Expr, y: sp.Expr) -> tuple[sp.Expr, sp.Expr]:
    by_h = -sp.exp(log_ndtr(-a * h) - h**2 / 2 - y) * sp.sqrt(2 / sp.pi)
    return by_h, -sp.exp(-(h**2) * (1 + a**2) / 2 - y) / (sp.pi * (1 + a**2))


# Log P(Z ≤ -h) of a skew normal Z, for h ≥ 0 and a ≥ 0
skew_tail: Any = slope(
    "skew_tail", "h a", _skew_tail_rule, elementwise(_skew_tail), lambda h, a: sp.log(ndtr(-h) - 2 * owens_t(h, a)),
    hidden=True, analytic=False,
)  # fmt: skip
