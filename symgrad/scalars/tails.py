"""Logarithms of distribution functions far in their tails, where the probability may be less than any float.

There the probability is the density times a quotient R, which varies slowly: an integral by Laguerre's rule, or a power
series near 0. Its derivatives with respect to the argument follow from those of the density.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import sympy as sp

from symgrad.scalars.densities import filled, instead, log_part
from symgrad.scalars.deviances import less_gamma, log_power
from symgrad.scalars.elementary import exp
from symgrad.scalars.library.gammas import gammainc, gammaincc
from symgrad.scalars.written import part, polynomial

TINY, _LARGEST = sp.Float(1e-30), sp.Float(1e308)
_NODES, _WEIGHTS = ([float(v) for v in vs] for vs in np.polynomial.laguerre.laggauss(16))
_TERMS = 28
_BEND = tuple((-1.0) ** k / (k + 2) for k in range(9))
_LEAST = -0.999  # of log1p's argument, where an integral is not needed
_SMALL = 0.25  # quotients of terms up to which the series is summed


def _integral(m: Any, rate: Any, exponent: Any, slope: Any) -> tuple[Any, Any]:
    """Log ∫ exp(-rate t + exponent(t)) dt, and the mean of a slope(t) with this weight."""
    safe = m.where(rate > 0.0, rate, 1.0)
    total, mean = 0.0, 0.0
    for node, weight in zip(_NODES, _WEIGHTS, strict=True):
        t = node / safe
        mass = weight * m.exp(exponent(t))
        total, mean = total + mass, mean + mass * slope(t)
    return m.log(total) - m.log(safe), mean / total


def _series(quotient: Any) -> tuple[Any, Any]:
    """1 + q₁ (1 + q₂ (1 + …)), and its derivative; ``quotient(k)`` is qₖ with its derivative."""
    total, slope = 1.0, 0.0
    for k in range(_TERMS, 0, -1):
        q, change = quotient(k)
        total, slope = 1.0 + q * total, q * slope + change * total
    return total, slope


def _bend(m: Any, v: Any) -> Any:
    """v - log(1 + v)."""
    near = m.abs(v) < 0.01
    u = m.where(near, v, 0.0)
    return m.where(near, u * u * polynomial(u, _BEND), v - m.log1p(m.where(near, 0.0, v)))


# ------------------------------------------------------------------ P(a, x), or Q(a, x), over the density of x
def _gamma_rest(m: Any, sign: int, a: Any, x: Any) -> tuple[Any, Any]:
    """Log R, and its derivative with respect to a; the sign is -1 for P and 1 for Q."""

    def moved(t: Any) -> Any:
        return m.maximum(sign * t / x, _LEAST)

    rate = sign * (1.0 - (a - 1.0) / x)
    log_r, slope = _integral(m, rate, lambda t: (1.0 - a) * _bend(m, moved(t)), lambda t: m.log1p(moved(t)))
    if sign == 1:
        return log_r, slope
    total, change = _series(lambda k: (x / (a + k), -x / (a + k) / (a + k)))
    near = x < _SMALL * (a + 1.0)
    return m.where(near, m.log(x / a * total), log_r), m.where(near, change / total - 1.0 / a, slope)


def _where_far(of: Callable[..., Any], which: int, orders: int = 0) -> Callable[..., Any]:
    """A kernel of (m, *orders, margin, *xs) that is asked where the margin is at least 0, and is 0 elsewhere."""

    def kernel(m: Any, *given: Any) -> Any:
        numbers, (margin, *xs) = given[:orders], given[orders:]
        return m.select(margin >= 0.0, lambda *at: of(m, *numbers, *at)[which], lambda *at: 0.0 * at[0], *xs)

    return kernel


gamma_rest: Any = part(
    "gamma_rest", lambda sign, d, a, x: sp.log(_regularized(sign, a, x)) - _log_gamma_density(a, x),
    lambda sign, d, a, x, y: (
        sp.S.Zero, sp.S.Zero, gamma_rest_a(sign, d, a, x), -sign * exp(-y) - (a - 1) / x + 1
    ),
    _where_far(_gamma_rest, 0, 1), orders=1,
)  # fmt: skip
gamma_rest_a: Any = part(
    "gamma_rest_a", lambda sign, d, a, x: sp.Function("gamma_rest_a")(sign, d, a, x),
    lambda sign, d, a, x, y: (sp.S.Zero, sp.S.Zero, sp.nan, sign * exp(-gamma_rest(sign, d, a, x)) * y - 1 / x),
    _where_far(_gamma_rest, 1, 1), orders=1,
)  # fmt: skip


def _regularized(sign: sp.Expr, a: sp.Expr, x: sp.Expr) -> sp.Expr:
    return (sp.uppergamma(a, x) if sign == 1 else sp.lowergamma(a, x)) / sp.gamma(a)


def _log_gamma_density(a: sp.Expr, x: sp.Expr) -> sp.Expr:
    return (a - 1) * sp.log(x) - x - sp.loggamma(a)


# ------------------------------------------------------------------ what distributions are declared with
def _tail(p: sp.Expr, rest: sp.Expr, margin: sp.Expr, far: sp.Expr) -> Any:
    """Log p, where rest is 1 - p: by ``far`` where the margin is at least 0."""
    return instead(filled(far, margin, log_part(filled(1, margin, p), rest)), log_part(p, rest))


def log_gammainc(a: sp.Expr, x: sp.Expr) -> Any:
    """Return log P(a, x)."""
    return _log_gamma(-1, a, x, gammainc(a, x), gammaincc(a, x))


def log_gammaincc(a: sp.Expr, x: sp.Expr) -> Any:
    """Return log Q(a, x)."""
    return _log_gamma(1, a, x, gammaincc(a, x), gammainc(a, x))


def _log_gamma(sign: int, a: sp.Expr, x: sp.Expr, p: sp.Expr, rest: sp.Expr) -> Any:
    """The margin is at least 0 where p is tiny, but not because x is 0 or infinite."""
    margin = sp.Min(TINY - p, sp.Piecewise((_LARGEST - x, x > 0), (-1, True)))
    z = filled(x, margin, 4 * (a + 10) if sign == 1 else a / 10)  # a number for which no formula fails
    return _tail(p, rest, margin, log_power(a - 1, z, 1) + less_gamma(0, 1, a - 1) + gamma_rest(sign, margin, a, z))
