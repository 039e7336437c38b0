"""Why two formulas of numbers are equal: by arithmetic alone, or by which identity."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import sympy as sp

from symgrad.forms.rewrites.fractions import powers_replaced, squares, squares_replaced
from symgrad.forms.rewrites.identities import OPENINGS, RULES, Rule, everywhere, root_of_an_expanded_sum
from symgrad.forms.rewrites.kernels import HYPERBOLIC, TRIGONOMETRIC, Kernels
from symgrad.forms.rewrites.quotients import quotient

Formula = tuple[tuple[str, ...], sp.Expr]  # with the identities that led to it
MOST = 120  # operations of a difference of formulas that is examined
SQUARES = ((TRIGONOMETRIC, "sin² + cos² = 1"), (HYPERBOLIC, "cosh² − sinh² = 1"))


def reason(a: sp.Expr, b: sp.Expr) -> str | None:
    """Return the identity by which a is b: "" where arithmetic shows it, None where no identity here does."""
    difference = a - b
    if difference.count_ops() > MOST:
        return None
    ways = list(_rewritten(difference))
    plain = next((says for says, e in ways if _is_zero(e)), None)
    if plain is not None:
        return plain
    by_squares = ((says, name) for says, e in ways for square, name in SQUARES if _is_zero(e, square))
    return next((", ".join(dict.fromkeys(filter(None, (says, name)))) for says, name in by_squares), None)


def _rewritten(e: sp.Expr) -> Iterator[tuple[str, sp.Expr]]:
    """Yield a formula as it is, by one identity, and by two in turn, each with their words."""
    yield "", e
    level: list[Formula] = [((), e)]
    for _ in range(2):
        level = list(_one_more(level))
        yield from ((", ".join(dict.fromkeys(says)), other) for says, other in level)


def _one_more(level: Sequence[Formula]) -> Iterator[Formula]:
    for says, e in level:
        yield from _each(OPENINGS, says, e)
        for functions, square in SQUARES:
            kernels = Kernels(e)
            replaced = [squares(functions, s, c)[0] for s, c in kernels.pairs(functions)]
            if replaced:
                yield (*says, square), kernels.restored(squares_replaced(kernels.expr, replaced))
        yield from _each(RULES, says, e)


def _each(rules: Sequence[Rule], says: tuple[str, ...], e: sp.Expr) -> Iterator[Formula]:
    for rule in rules:
        other = everywhere(e, rule)
        if other != e:
            yield (*says, rule.says), other


def _is_zero(e: sp.Expr, square: Any = None) -> bool:
    """Whether a formula is 0, once its fractions are added up and the squares of these functions are replaced."""
    kernels = Kernels(everywhere(e, root_of_an_expanded_sum), opened=True)
    try:
        above = quotient(kernels.expr)[0]
    except sp.PolynomialError:
        return False
    for symbol, n, inside in kernels.roots_of_sums():
        above = powers_replaced(sp.expand(above), symbol, n, inside)
    if square is not None:
        above = squares_replaced(sp.expand(above), [squares(square, s, c)[0] for s, c in kernels.pairs(square)])
    return bool(sp.expand(above) == 0)
