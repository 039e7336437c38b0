"""The Hessian, and whether a symmetric matrix of numbers is definite.

The signs of the characteristic polynomial's coefficients tell: all its roots are real, so that Descartes' rule counts
them exactly.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import mpmath
import sympy as sp

from symgrad.teach.places.points import COMPARED, DIGITS, derived, digits, number
from symgrad.teach.study.several.field import low
from symgrad.teach.study.solution import equation, listed, shortest

_SMALL = mpmath.mpf(10) ** -30
_LONG = 12  # operations of a number that is written as a formula


def sign(e: Any) -> int:
    """Return the sign of a number to 50 digits; 0 where it is too small to tell."""
    value = number(e)
    return 0 if abs(value) < _SMALL else int(mpmath.sign(value))


def second_derivatives(gradient: Sequence[Any], symbols: Sequence[Any]) -> Any:
    """Return the Hessian of a gradient, which is symmetric."""
    half = {(i, k): shortest(derived(gradient[i], symbols[k])) for i in range(len(symbols)) for k in range(i + 1)}
    return sp.Matrix(len(symbols), len(symbols), lambda i, k: half[max(i, k), min(i, k)])


def definiteness(matrix: Any) -> str:
    """Return "positive definite", "negative semidefinite", "indefinite" and so on.

    >>> definiteness(sp.Matrix([[2, 1], [1, 2]])), definiteness(sp.Matrix([[0, 1], [1, 0]]))
    ('positive definite', 'indefinite')
    """
    positive, negative = eigenvalue_signs(matrix)
    if positive and negative:
        return "indefinite"
    kind = "definite" if positive + negative == matrix.rows else "semidefinite"
    if not positive and not negative:
        return "zero"
    return f"{'positive' if positive else 'negative'} {kind}"


def eigenvalue_signs(matrix: Any) -> tuple[int, int]:
    """Return how many eigenvalues of a symmetric matrix are positive, and how many are negative."""
    with mpmath.workdps(DIGITS + 10):
        signs = [sign(c) for c in matrix.charpoly().all_coeffs()]
    turned = [s * (-1) ** k for k, s in enumerate(signs)]
    return _changes(signs), _changes(turned)


def _changes(signs: Sequence[int]) -> int:
    return sum(a != b for a, b in pairwise([s for s in signs if s]))


def listed_minors(matrix: Any) -> list[Any]:
    """Return the determinants D₁, D₂, … of the upper left corners with their signs, for a line."""
    minors = [sp.expand(matrix[:k, :k].det(method="berkowitz")) for k in range(1, matrix.rows + 1)]
    return listed([(f"D{low(k)} ", *_value(m), *_compared(m)) for k, m in enumerate(minors, start=1)])


def _value(e: Any) -> tuple[Any, ...]:
    """Return a number behind its name: with = where it is exact, else with ≈."""
    if e.has(sp.Float) or e.count_ops() > _LONG:
        return (f"≈ {digits(number(e))}",)
    return "= ", equation(e)


def _compared(e: Any) -> tuple[str, ...]:
    """Return how a number compares with 0, where that is not written already."""
    return (f" {COMPARED[sign(e)]}",) if sign(e) else ()
