"""Coefficients with symbolic sizes in them, such as 2/(n - 1): factored, and what several have in common."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Any

import sympy as sp

from symgrad.forms.canon.numbers import number


def tidy(c: Any) -> Any:
    """Return a coefficient as a product of powers: 2n/(n² - n) is 2/(n - 1), d**0.5 is √d, 0.7071067811865476 √2/2."""
    c = sp.sympify(c)
    if c.is_Rational:
        return c
    c = c.xreplace({f: number(float(f)) for f in c.atoms(sp.Float)})
    return c if not c.has(sp.Add) else _factored(c)


def number_if_one(exponent: Any) -> Any:
    """Return an exponent as a number where it is one: 1 - (n - 1)/n - 1/n is 0."""
    e = sp.sympify(exponent)
    value = e if e.is_number or not e.is_Add else sp.cancel(e)
    return value if value.is_number else e


@lru_cache(maxsize=1024)
def _factored(c: Any) -> Any:
    rational = all(p.exp.is_Integer for p in c.atoms(sp.Pow)) and not c.atoms(sp.Function) and not c.atoms(sp.Float)
    return sp.factor(c) if rational else c


def common(coefficients: Sequence[Any]) -> Any:
    """Return the product of the powers that stand in every coefficient: of 2/(n - 1) and -2/(n (n - 1)), 2/(n - 1)."""
    numbers, rests = zip(*[c.as_coeff_Mul() for c in coefficients], strict=True)
    powers = [rest.as_powers_dict() for rest in rests]
    product = sp.Mul(*[b ** _least([sp.sympify(p[b]) for p in powers]) for b in powers[0] if b != 1])
    size = abs(numbers[0])
    shared = len(set(map(abs, numbers))) == 1 and not (size - 1).is_zero  # SymPy's 1.0 is not equal to 1
    return product * size if shared else product


def _least(exponents: Sequence[Any]) -> Any:
    """Return the exponent nearest to 0; where some are positive and some negative, the largest of halves, else 0."""
    if all(e.is_Rational and e.q == 2 for e in exponents) and max(exponents) > 0:
        return min(exponents, key=abs) if min(exponents) > 0 else max(exponents)
    same = all(e.is_positive for e in exponents) or all(e.is_negative for e in exponents)
    return min(exponents, key=abs) if same else 0
