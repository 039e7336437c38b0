"""Polynomials as products of irreducible ones: one that is linear in a name is split by common divisors alone.

The numerators of derivatives are mostly linear in some logarithm, sine or parameter. So nearly all of them are factored
by greatest common divisors, where the general method tries evaluations at random and may take minutes.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import sympy as sp
from sympy.core.mul import _keep_coeff

TERMS = 48  # of a polynomial that is linear in none of its names, beyond which it is taken for irreducible


@lru_cache(maxsize=2048)
def factored(e: sp.Expr) -> sp.Expr:
    """Return a polynomial with rational coefficients as a product, each sum with a positive first coefficient."""
    if e.is_number:
        return e
    poly = sp.Poly(e)
    if not (poly.domain.is_ZZ or poly.domain.is_QQ):
        return sp.factor(e)
    number, poly = poly.primitive()
    powers, poly = poly.terms_gcd()
    names = sp.Mul(*[g**n for g, n in zip(poly.gens, powers, strict=True)])
    product = sp.Mul(names, *[f.as_expr() ** n for f, n in _factors(poly)])
    return _keep_coeff(-number if _is_negative(poly) else number, product)


def count_of_terms(e: sp.Expr) -> int:
    """Return how many terms a sum has."""
    return len(sp.Add.make_args(e))


def _is_negative(poly: Any) -> bool:
    return bool(poly.LC() < 0)


def _factors(poly: Any) -> list[tuple[Any, int]]:
    """Return the factors that are not numbers, with how often each occurs."""
    poly = -poly if _is_negative(poly) else poly
    if poly.is_ground:
        return []
    linear = [g for g, n in zip(poly.gens, poly.degree_list(), strict=True) if n == 1]
    if not linear:
        hard = len(poly.terms()) > TERMS and not poly.is_univariate
        return [(poly, 1)] if hard else [(f, n) for f, n in sp.factor_list(poly)[1]]
    shared = _content(poly, linear[0])
    if shared.is_ground:
        return [(poly, 1)]
    rest = poly.exquo(shared)
    return [*_factors(shared), *_factors(rest)]


def _content(poly: Any, g: sp.Symbol) -> Any:
    """Return what the coefficients of the powers of a name share."""
    k = poly.gens.index(g)
    parts: dict[int, dict[Any, Any]] = {}
    for powers, c in poly.terms():
        parts.setdefault(powers[k], {})[(*powers[:k], 0, *powers[k + 1 :])] = c
    first, *others = [sp.Poly.from_dict(p, *poly.gens, domain=poly.domain) for p in parts.values()]
    for other in others:
        first = first.gcd(other)
    return first.primitive()[1]
