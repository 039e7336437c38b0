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


def factors_in_order(e: sp.Mul, factors: Sequence[Any]) -> list[Any]:
    """Return SymPy's order with sums last, and 2ˣ behind names; beside numbers made of arrays all stays in place."""
    if any(getattr(s, "shape", ()) for s in e.free_symbols):
        return list(factors)
    if any(map(_is_exponential, factors)):
        return sorted(factors, key=_place)
    return sorted(factors, key=lambda f: bool(f.is_Add))


def _is_exponential(f: Any) -> bool:
    """Whether a factor is a power of a number, as 2ˣ."""
    return bool(f.is_Pow and f.base.is_number and f.exp.free_symbols)


def _place(f: Any) -> int:
    """Return where a factor stands: numbers, names and their powers, then 2ˣ, then functions, then sums."""
    if _is_exponential(f):
        return 1
    base = f.base if f.is_Pow else f
    return 0 if base.is_Atom else 3 if f.is_Add else 2


class Factors(sp.Mul):
    """A product whose sums stand last, as a printer sees it."""

    def as_ordered_factors(self, order: Any = None) -> list[Any]:
        """Return the factors as they are printed."""
        return factors_in_order(self, super().as_ordered_factors(order))


class Negated(Factors):
    """Such a product behind a minus sign: SymPy takes the level of a sum for all its factors."""

    precedence = PRECEDENCE["Add"]
