"""In which order terms and factors are written: a positive term first, polynomials by descending powers, sums last."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import sympy as sp
from sympy.printing.precedence import PRECEDENCE


def terms_in_order(e: sp.Add, terms: Sequence[Any]) -> list[Any]:
    """Return SymPy's order of terms with a positive one in front: 1 - x, but -3x² + 4x + 11; simple fractions first."""
    ordered = list(terms)
    if _is_of_fractions(e):
        return sorted(reversed(ordered), key=lambda t: (_is_negative(t), t.count_ops()))
    if len(ordered) < 2 or not _is_negative(ordered[0]) or _is_long_polynomial(e):
        return ordered
    first = next((t for t in ordered if not _is_negative(t)), None)
    if first is not None:
        ordered.remove(first)
        ordered.insert(0, first)
    return ordered


def _is_negative(t: Any) -> bool:
    return bool(t.could_extract_minus_sign())


def _is_of_fractions(e: sp.Add) -> bool:
    """Whether every term is a quotient of polynomials in one name, with the name below."""
    names = e.free_symbols
    return len(names) == 1 and all(sp.denom(t).has(*names) and t.is_rational_function(*names) for t in e.args)


def _is_long_polynomial(e: sp.Add) -> bool:
    """Whether a sum of more than two terms is a polynomial in one name."""
    names = e.free_symbols
    return len(e.args) > 2 and len(names) == 1 and bool(e.is_polynomial(*names))


class Factors(sp.Mul):
    """A product whose sums stand last, as a printer sees it."""

    def as_ordered_factors(self, order: Any = None) -> list[Any]:
        """Return SymPy's order with sums behind all else; beside numbers made of arrays they stay where they are."""
        factors: list[Any] = super().as_ordered_factors(order)
        if any(getattr(s, "shape", ()) for s in self.free_symbols):
            return factors
        return sorted(factors, key=lambda f: bool(f.is_Add))


class Negated(Factors):
    """Such a product behind a minus sign: SymPy takes the level of a sum for all its factors."""

    precedence = PRECEDENCE["Add"]
