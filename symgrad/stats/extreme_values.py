"""Moments and Fisher information of the generalised extreme value distribution, also near its limit c = 0.

They are sums of gamma functions over powers of c, which cancel near 0. There the same sums are taken of power series,
from which the power of c is divided.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

import sympy as sp
from numpy.polynomial import Polynomial

from symgrad.scalars import exp
from symgrad.scalars.special import digamma, lgamma

_NEAR = sp.Rational(1, 10)  # up to here the series: the poles of their gamma functions are at 1/2 or beyond
_DEGREE = 28

Gammas = Callable[[int], Any]  # n ↦ Γ(1 + n c)
Numerator = Callable[[Any, Gammas, Any], Any]  # of c, of the gamma functions, and of Γ′(1 - c)


@cache
def _series() -> tuple[Polynomial, Polynomial]:
    """Γ(1 + x) and its derivative, by Γ′ = Γ ψ with ψ(1 + x) = -γ + ζ(2) x - ζ(3) x² + …."""
    psi = [-float(sp.EulerGamma), *((-1) ** n * float(sp.zeta(n)) for n in range(2, _DEGREE + 2))]
    gamma = [1.0]
    for n in range(1, _DEGREE + 2):
        gamma.append(sum(a * b for a, b in zip(gamma, psi[n - 1 :: -1], strict=True)) / n)
    whole = Polynomial(gamma)
    return whole.cutdeg(_DEGREE), whole.deriv()


def _over_power(c: sp.Expr, power: int, numerator: Numerator) -> sp.Expr:
    """A numerator over a power of c: by the series where c is small."""
    gamma, slope = _series()
    x = Polynomial([0.0, 1.0])
    near = numerator(x, lambda n: gamma(n * x), slope(-x)).coef[power : _DEGREE + 1]
    far = numerator(c, lambda n: exp(lgamma(1 + n * c)), exp(lgamma(1 - c)) * digamma(1 - c))
    total = sp.Float(near[-1])
    for coefficient in near[-2::-1]:
        total = total * c + sp.Float(coefficient)
    return sp.Piecewise((total, sp.Abs(c) < _NEAR), (far / c**power, True))


def mean(c: sp.Expr) -> sp.Expr:
    """(1 - Γ(1 + c))/c, which is γ for c = 0, and ∞ for c ≤ -1."""
    return sp.Piecewise((_over_power(c, 1, lambda c, gamma, slope: 1 - gamma(1)), c > -1), (sp.oo, True))


def var(c: sp.Expr) -> sp.Expr:
    """(Γ(1 + 2c) - Γ(1 + c)²)/c², which is π²/6 for c = 0, and ∞ for c ≤ -1/2."""
    finite = _over_power(c, 2, lambda c, gamma, slope: gamma(2) - gamma(1) ** 2)
    return sp.Piecewise((finite, c > -sp.Rational(1, 2)), (sp.oo, c > -1), (sp.nan, True))


# with h = Γ(2 - c) and p = (1 - c)² Γ(1 - 2c); r = c q, where q = h (ψ(1 - c) - (1 - c)/c)
def _h(c: Any, gamma: Gammas) -> Any:
    return (1 - c) * gamma(-1)


def _p(c: Any, gamma: Gammas) -> Any:
    return (1 - c) ** 2 * gamma(-2)


def _r(c: Any, gamma: Gammas, slope: Any) -> Any:
    return (1 - c) * (c * slope - _h(c, gamma))


def information(c: sp.Expr) -> dict[tuple[str, str], sp.Expr]:
    """The Fisher information of c < 1/2, and nan beyond, where the score has no variance.

    Source: Prescott and Walden (1980), Maximum likelihood estimation of the parameters of the generalized
    extreme-value distribution, Biometrika 67, 723-724.
    """
    rest = 1 - float(sp.EulerGamma)
    entries: dict[tuple[str, str], tuple[int, Numerator]] = {
        ("loc", "loc"): (0, lambda c, gamma, slope: _p(c, gamma)),
        ("loc", "scale"): (1, lambda c, gamma, slope: _p(c, gamma) - _h(c, gamma)),
        ("c", "loc"): (2, lambda c, gamma, slope: -_r(c, gamma, slope) - _p(c, gamma)),
        ("scale", "scale"): (2, lambda c, gamma, slope: 1 - 2 * _h(c, gamma) + _p(c, gamma)),
        ("c", "scale"): (
            3,
            lambda c, gamma, slope: rest * c - 1 + _h(c, gamma) - _r(c, gamma, slope) - _p(c, gamma),
        ),
        ("c", "c"): (
            4,
            lambda c, gamma, slope: (
                float(sp.pi**2 / 6) * c**2 + (rest * c - 1) ** 2 + 2 * _r(c, gamma, slope) + _p(c, gamma)
            ),
        ),
    }
    half = sp.Rational(1, 2)
    return {
        pair: sp.Piecewise((_over_power(c, power, numerator), c < half), (sp.nan, True))
        for pair, (power, numerator) in entries.items()
    }
