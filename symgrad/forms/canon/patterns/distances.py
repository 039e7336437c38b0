"""Distances of all pairs of rows: Σ_k (x_ik - y_jk)² is d_ij² of the matrix of distances, which prints ``cdist(X, Y)``.

The matrix is an operation that no program records: what broadcasting makes of three axes has a word of two.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import sympy as sp

from symgrad.forms.canon.broadcast import free_axes, without_axes
from symgrad.forms.canon.terms import CALL, FUNCTION, NAMED, POWER, PRODUCT, SUM, Draft, Term, TermPool, rule
from symgrad.ops.linalg.norms import Norm
from symgrad.ops.protocol import Op
from symgrad.support.frozen import frozen


@frozen
class Distances(Op):
    """d_ij = (Σ_k |x_ik - y_jk|ᵖ)^(1/p); of rows from themselves it is symmetric."""

    p: int = 2
    own: bool = False
    spelled = "cdist"

    @property
    def symmetric(self) -> bool:  # type: ignore[override]
        """Whether the distances are those of rows from themselves."""
        return self.own

    def forward(self, *xs: Any) -> Any:
        x, y = xs
        return np.linalg.norm(x[:, None, :] - y[None, :, :], self.p, axis=-1)

    def index(self, idx: Sequence[sp.Expr], *ps: Any) -> sp.Expr:
        """(Σ_k |x_ik - y_jk|ᵖ)^(1/p)."""
        (i, j), (x, y) = idx, ps
        k, last = x.fresh(), x.shape[1] - 1
        difference = x((i, k)) - y((j, k))
        body = sp.Abs(difference) if self.p == 1 else difference**self.p
        return sp.Pow(x.sum(body, [(k, 0, last)]), sp.Rational(1, self.p))

    def notation(self, write: Any, *args: Any) -> Any:
        return super().notation(write, *args, *[write.number(self.p)] * (self.p != 2))


def pairs_of_rows(pool: TermPool, f: Term) -> tuple[Term, Term, int] | None:
    """Return X, Y and the sign s of s·(x_ik - y_jk); None of other terms."""
    f = f.args[0] if f.kind == NAMED else f
    if f.kind != SUM or len(f.args) != 2 or len(f.shape) != 3:
        return None
    ways = [(a, c, free_axes(a, 3)) for c, a in zip(f.data, f.args, strict=True)]
    first = next((w for w in ways if w[2] == {1}), None)
    second = next((w for w in ways if w[2] == {0}), None)
    if first is None or second is None:
        return None
    sign = -1 if first[1].could_extract_minus_sign() else 1
    x = without_axes(pool, first[0], frozenset({1}), (f.shape[0], f.shape[2]))
    y = without_axes(pool, second[0], frozenset({0}), (f.shape[1], f.shape[2]))
    return pool.sum([(sign * first[1], x)], x.shape), pool.sum([(-sign * second[1], y)], y.shape), sign


@rule(PRODUCT)
def squared_distances(d: Draft) -> bool:
    """Σ_k (x_ik - y_jk)² is d_ij², and Σ_k |x_ik - y_jk| the distance of order 1."""
    for place, (f, s) in enumerate(d.factors):
        order = 2 if f.kind == POWER and f.data == 2 else 1 if f.kind == FUNCTION and f.data is sp.Abs else 0
        if not order or len(s) != 3 or len(set(s)) != 3 or s[2] in d.out or d.count(s[2]) != 1:
            continue
        rows = pairs_of_rows(d.pool, f.args[0])
        if rows is None:
            continue
        d.factors[place] = (d.pool.power(distances(d.pool, *rows[:2], order), order), s[:2])
        del d.sizes[s[2]]
        return True
    return False


@rule(CALL)
def norms_of_differences(pool: TermPool, t: Term) -> Term | None:
    """The norms of x_i - y_j are their distances."""
    if not isinstance(t.data, Norm) or t.data.p not in (1, 2) or t.data.axes != (2,):
        return None
    rows = pairs_of_rows(pool, t.args[0])
    return None if rows is None else distances(pool, *rows[:2], int(t.data.p))


def distances(pool: TermPool, x: Term, y: Term, order: int) -> Term:
    """Return the distances of the rows of x from those of y."""
    return pool.call(Distances(order, x is y), [x, y], (x.shape[0], y.shape[0]))


@rule(POWER)
def root_of_a_square(pool: TermPool, t: Term) -> Term | None:
    """√(d²) is d."""
    (a,) = t.args
    if a.kind != POWER or not is_distance(a.args[0]):
        return None
    return pool.power(a.args[0], a.data * t.data)


def is_distance(t: Term) -> bool:
    """Whether a term is the matrix of distances, which are not negative."""
    return t.kind == CALL and isinstance(t.data, Distances)
