"""The derivative of a formula that is short already: of order n + 1 from order n, as one goes on by hand.

The graph of a higher derivative holds every rule that was applied; what cancels in it is found again only with luck.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import sympy as sp

from symgrad.forms.canon.cases import KINKS
from symgrad.forms.rewrites.identities import SIGMOID, everywhere
from symgrad.scalars import differentiate, in_full, tidy


def derivative(e: sp.Expr, x: sp.Symbol) -> sp.Expr | None:
    """Return de/dx, or None if e has kinks, or functions whose derivative has no formula."""
    if e.has(sp.Piecewise, *KINKS):
        return None
    try:
        slope = _slope(in_one_function(e), x)
    except TypeError:  # no derivative is declared
        return None
    return None if slope.has(sp.Piecewise, *KINKS) else slope


def in_one_function(e: sp.Expr) -> sp.Expr:
    """Write σ(-u) as 1 - σ(u), and 1/cosh² beside tanh as 1 - tanh²: each then stays a polynomial of itself."""
    e = everywhere(e, _one_logistic)
    return everywhere(e, _one_tangent) if e.has(sp.tanh) else e


def _one_logistic(e: sp.Expr) -> sp.Expr | None:
    turned = isinstance(e, SIGMOID) and e.args[0].could_extract_minus_sign()
    return 1 - SIGMOID(-e.args[0]) if turned else None


def _one_tangent(e: sp.Expr) -> sp.Expr | None:
    if not (e.is_Pow and isinstance(e.base, sp.cosh) and e.exp.is_Integer and e.exp < 0 and e.exp.is_even):
        return None
    return (1 - sp.tanh(e.base.args[0]) ** 2) ** (-e.exp / 2)


@lru_cache(maxsize=4096)
def _slope(e: Any, x: sp.Symbol) -> sp.Expr:
    if e == x:
        return sp.S.One
    if x not in e.free_symbols:
        return sp.S.Zero
    if e.is_Add:
        return sp.Add(*[_slope(t, x) for t in e.args])
    if e.is_Mul:
        return sp.Add(*[sp.Mul(*e.args[:k], *e.args[k + 1 :], _slope(f, x)) for k, f in enumerate(e.args)])
    if e.is_Pow:
        return _slope_of_power(e.base, e.exp, x)
    if isinstance(e, SIGMOID):
        return e * (1 - e) * _slope(e.args[0], x)
    if isinstance(e, sp.tanh):
        return (1 - e**2) * _slope(e.args[0], x)
    return in_one_function(tidy(in_full(differentiate(e, x))))


def _slope_of_power(base: sp.Expr, n: sp.Expr, x: sp.Symbol) -> sp.Expr:
    """(uⁿ)′ = n uⁿ⁻¹ u′, and uᵛ (v′ log u + v u′/u) where the exponent depends on x."""
    if x not in n.free_symbols:
        return n * base ** (n - 1) * _slope(base, x)
    return base**n * (_slope(n, x) * sp.log(base) + n * _slope(base, x) / base)
