"""The shortest of equal formulas: rules and fractions applied to the best so far, as far as a budget goes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import Any

import sympy as sp

from symgrad.forms.calculus.length import length
from symgrad.forms.rewrites.fractions import fractions
from symgrad.forms.rewrites.identities import Rule, common_factor, everywhere, rules_for

ROUNDS, KEPT = 4, 4  # how often, and how many of the shortest, are written anew
PATIENCE = 2  # rounds without a shorter one, after which the search ends
WORK = 500  # operations of all that is written anew, in one search
HIGH = 40  # a power of which nothing is multiplied out or factored
ROOT = 60  # a root of an order that divides this is taken as a kernel of its own
LARGE = 250  # operations beyond which sums are multiplied out, or have common factors taken out, and no more
FEW = 4  # terms of a sum that is multiplied out in a long formula
LONGER = 2  # how many times the length a polynomial may have when it is multiplied out


@lru_cache(maxsize=1024)
def shortest(e: sp.Expr) -> sp.Expr:
    """Return the shortest of the equal formulas; the first of several, so that a short formula stays as it is."""
    if not e.args or e.count_ops() > LARGE or _has_high_powers(e):
        return _in_parts(e)
    best, rules = _with_shortest_arguments(e), rules_for(e)
    frontier, seen, work, waited = [best], {best}, 0, 0
    given: set[Any] = set()
    for _ in range(ROUNDS):
        new: list[sp.Expr] = []
        for old in frontier:
            work += old.count_ops()
            if new and work > WORK:
                break
            new += _not_seen(_rewritten(old, rules, given), seen)
        frontier = sorted(new, key=length)[:KEPT]
        waited = 0 if frontier and length(frontier[0]) < length(best) else waited + 1
        best = min([best, *frontier[:1]], key=length)
        if not frontier or waited == PATIENCE or work > WORK:
            break
    return _polished(best, rules)


def _has_high_powers(e: sp.Expr) -> bool:
    """Whether a power would make polynomials of high degree, as (x + 1)**1000 and x**3.14159 would."""
    exponents = [p.exp for p in e.atoms(sp.Pow) if p.exp.is_number and not p.base.is_number]
    return any(abs(n) > HIGH or not (n * ROOT).is_integer for n in exponents if n.is_real)


def _in_parts(e: sp.Expr) -> sp.Expr:
    """Return a long formula with its sums multiplied out or with common factors, whichever is shorter."""
    candidates = [e, everywhere(e, common_factor), everywhere(e, _terms_added)]
    return min(candidates, key=lambda f: f.count_ops())


def _terms_added(e: sp.Expr) -> sp.Expr | None:
    """Multiply a long sum out, so that like terms are added."""
    return sp.expand_mul(e) if e.is_Add and len(e.args) > FEW else None


def _polished(e: sp.Expr, rules: Sequence[Rule]) -> sp.Expr:
    """Return e with the rules that shorten it applied, where the search ended before it came to them."""
    for _ in range(ROUNDS):
        best = min([e, *(everywhere(e, rule) for rule in rules)], key=length)
        if best == e:
            break
        e = best
    return e


def _not_seen(formulas: Iterator[sp.Expr], seen: set[sp.Expr]) -> list[sp.Expr]:
    new = []
    for e in map(polynomials_opened, formulas):
        if e not in seen and not e.has(sp.zoo, sp.nan, sp.oo):
            seen.add(e)
            new.append(e)
    return new


def _with_shortest_arguments(e: sp.Expr) -> sp.Expr:
    if e.is_Function and not e.is_Piecewise:
        return e.func(*map(shortest, e.args))
    if not e.args:
        return e
    return e.func(*[_with_shortest_arguments(a) if isinstance(a, sp.Expr) else a for a in e.args])


def polynomials_opened(e: sp.Expr) -> sp.Expr:
    """Multiply out the sums within e that are polynomials in one name: x(x - 5) + 7 is x² - 5x + 7."""
    return everywhere(e, _opened)


def _opened(e: sp.Expr) -> sp.Expr | None:
    nested = e.is_Add and any(f.is_Add for t in e.args for f in sp.Mul.make_args(t))
    names = e.free_symbols if nested else set()
    if len(names) != 1 or not e.is_polynomial(*names):
        return None
    expansion = sp.expand(e, log=False)
    return expansion if length(expansion) <= LONGER * length(e) else None


def _rewritten(e: sp.Expr, rules: Sequence[Rule], given: set[Any]) -> Iterator[sp.Expr]:
    for rule in rules:
        yield everywhere(e, rule)
    yield from fractions(e, given)
