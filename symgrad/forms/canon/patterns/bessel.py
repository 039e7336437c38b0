"""Recurrences of Bessel functions: of three neighbours in order, one is written by the other two where that is shorter.

The derivative of x·J₁(x), J₁(x) + x·(J₀(x) − J₂(x))/2, is x·J₀(x) since x·(J₀(x) + J₂(x)) is 2·J₁(x).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import sympy as sp

from symgrad.forms.canon.elementwise_subterms import Island, length, shortest
from symgrad.forms.canon.terms import CALL, FUNCTION, SUM, Term, TermPool, rule, value_of
from symgrad.ops.elementwise.bessel import Bessel
from symgrad.scalars import BY_FUNCTION


class Family(NamedTuple):
    """f(n+1) = a·2n/x·f(n) + b·f(n-1). Source: DLMF 10.6.1 and 10.29.1."""

    a: int
    b: int


FAMILIES = {"j": Family(1, -1), "y": Family(1, -1), "i": Family(-1, 1), "k": Family(1, 1)}
ORDERS: dict[str, tuple[str, int | None]] = {  # family and order; None where the order is an argument
    name: (name[0], int(name[1]) if name[1].isdigit() else None)
    for name in ("j0", "j1", "jv", "y0", "y1", "yv", "yn", "i0", "i1", "iv", "k0", "k1", "kv", "kn")
}


def _called(head: Any) -> str:
    scalar = BY_FUNCTION.get(head)
    return "" if scalar is None else scalar.name


def _member(t: Term) -> tuple[str, int, Term] | None:
    """Return family, order and argument of a Bessel function of whole order."""
    if t.kind == CALL and isinstance(t.data, Bessel):
        return "j", t.data.n, t.args[0]
    if t.kind != FUNCTION or _called(t.data) not in ORDERS:
        return None
    family, order = ORDERS[_called(t.data)]
    n = order if order is not None else value_of(t.args[0])
    return (family, int(n), t.args[-1]) if n is not None and sp.sympify(n).is_Integer else None


def _by_neighbours(island: Island) -> Iterator[dict[sp.Symbol, sp.Expr]]:
    """Yield what the upper and the lower of three neighbours is in terms of the others."""
    known: dict[tuple[str, int, Term, Any], sp.Symbol] = {}
    for (t, axes), atom in island.atoms.items():
        if (member := _member(t)) is not None:
            known[(*member, axes)] = atom
    for (name, n, x, axes), middle in known.items():
        upper, lower = (known.get((name, n + step, x, axes)) for step in (1, -1))
        if upper is not None and lower is not None:
            a, b = FAMILIES[name]
            slope = 2 * n * a / island.read(x, axes)
            yield {upper: slope * middle + b * lower}
            yield {lower: (upper - slope * middle) / b}


@rule(SUM)
def neighbours_in_order(pool: TermPool, t: Term) -> Term | None:
    """J₁(x) + x·(J₀(x) - J₂(x))/2 is x·J₀(x)."""
    if not any(head is Bessel or _called(head) in ORDERS for head in pool.heads):
        return None
    island, letters = Island(pool), tuple(range(len(t.shape)))
    try:
        e = island.read(t, letters)
        candidates = [shortest(sp.expand(e.xreplace(there))) for there in list(_by_neighbours(island))]
    except OverflowError:
        return None
    functions = {atom for (f, _), atom in island.atoms.items() if _member(f) is not None}

    def weight(e: sp.Expr) -> int:
        return length(e)[0] + sum(a in functions for a in sp.preorder_traversal(e))

    best = min(candidates, key=weight, default=e)
    return island.written(best, t.shape) if weight(best) < weight(e) else None
