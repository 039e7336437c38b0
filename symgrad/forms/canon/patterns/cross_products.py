"""Cross products: in the program products of turned vectors, in formulas a × b, which is the matrix skew(a) times b.

As a matrix it is a product like others: its Jacobian is a factor, and two in a row follow the BAC-CAB rule.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from typing import Any

import numpy as np
import sympy as sp

from symgrad.forms.canon.terms import CALL, LEAF, PRODUCT, SUM, Draft, Term, TermPool, below, rule
from symgrad.ops.protocol import Op
from symgrad.ops.scatter import ScatterAdd
from symgrad.ops.slicing import Gather
from symgrad.support.frozen import frozen

TURNS = {(1, 2, 0): 1, (2, 0, 1): 2}  # positions that read every entry 1 or 2 places further, in a circle
SPACE = (3, 3)


@frozen
class Skew(Op):
    """The skew-symmetric matrix of a vector: skew(a) b is a × b."""

    linear = True
    antisymmetric = True

    def forward(self, *xs: Any) -> Any:
        (a,) = xs
        return np.cross(np.eye(3), a)

    def index(self, idx: Sequence[sp.Expr], *ps: Any) -> sp.Expr:
        entry: sp.Expr = ps[0].entry(self, ps, idx)
        return entry

    def notation(self, write: Any, *args: Any) -> Any:
        return write.call("skew", args[0])


def is_skew(t: Term) -> bool:
    """Whether a term is skew(a)."""
    return t.kind == CALL and isinstance(t.data, Skew)


def cross(pool: TermPool, a: Term, b: Term) -> Term:
    """Return a × b; the factor that a Jacobian is taken by, or that is a cross product itself, stands on the right."""
    if a is b:
        return pool.zero((3,))
    if (_varies(pool, a), _is_cross(a)) > (_varies(pool, b), _is_cross(b)):
        return pool.sum([(-1, cross(pool, b, a))], (3,))
    return pool.product([(pool.call(Skew(), [a], SPACE), (0, 1)), (b, (1,))], (0,), {0: 3, 1: 3})


def _varies(pool: TermPool, t: Term) -> bool:
    """Whether a term depends on what a Jacobian is taken by."""
    return bool(pool.bases) and any(a.kind == LEAF and a.data[0] in pool.bases for a in below([t]))


def _is_cross(t: Term) -> bool:
    return t.kind == PRODUCT and any(map(is_skew, t.args))


# ------------------------------------------------------------------ recognising them
@rule(SUM)
def cross_product(pool: TermPool, t: Term) -> Term | None:
    """a[[1, 2, 0]] ⊙ b[[2, 0, 1]] - a[[2, 0, 1]] ⊙ b[[1, 2, 0]] is a × b."""
    if t.shape != (3,):
        return None
    turned = [_turned(pool, a, 0) for a in t.args]
    for i, j in combinations([k for k, parts in enumerate(turned) if parts[1] and parts[2]], 2):
        (same, a, b), (same2, b2, a2) = turned[i], turned[j]
        if t.data[i] + t.data[j] == 0 and (_equal(same, same2) and _equal(a, a2) and _equal(b, b2)):
            rest = [(c, x) for k, (c, x) in enumerate(zip(t.data, t.args, strict=True)) if k not in (i, j)]
            product = pool.times(*same, cross(pool, pool.times(*a), pool.times(*b)))
            return pool.sum([*rest, (t.data[i], product)], t.shape)
    return None


def _turned(pool: TermPool, t: Term, turn: int) -> tuple[list[Term], list[Term], list[Term]]:
    """Return the factors of an elementwise product by how far each is turned; numbers are as those that are not."""
    groups: tuple[list[Term], list[Term], list[Term]] = ([], [], [])
    stack = [(t, turn)]
    while stack:
        a, k = stack.pop()
        more = _turn(a)
        if more:
            stack.append((a.args[0], (k + more) % 3))
        elif a.kind == PRODUCT and len(factors := _entrywise(pool, a)) > 1:
            stack.extend((b, k) for b in factors)
        else:
            groups[k if a.shape else 0].append(a)
    return groups


def _entrywise(pool: TermPool, t: Term) -> list[Term]:
    """Return vectors and numbers whose elementwise product is the vector; the bound vector is one of them."""
    subs, out, sizes = t.data
    factors = list(zip(t.args, subs, strict=True))
    summed = [x for x in factors if x[1] not in (out, ())]
    if not summed:
        return [f for f, _ in factors]
    inside = {k for _, s in summed for k in s}
    if set(out) - inside:
        return [t]
    whole = pool.product(summed, out, {k: n for k, n in sizes if k in inside})
    return [whole, *[f for f, s in factors if s in (out, ())]]


def _turn(t: Term) -> int:
    """Return how far an operation turns the entries of a vector in a circle; 0 of others."""
    if t.kind != CALL or t.shape != (3,) or t.args[0].shape != (3,):
        return 0
    back = isinstance(t.data, ScatterAdd)
    take = t.data.where if back else t.data
    if not isinstance(take, Gather) or take.axes != (0,):
        return 0
    turn = TURNS.get(tuple(take.places[0][1].array.tolist()), 0)
    return 3 - turn if back and turn else turn


def _equal(a: list[Term], b: list[Term]) -> bool:
    return sorted(x.uid for x in a) == sorted(x.uid for x in b)


# ------------------------------------------------------------------ rules of them
@rule(PRODUCT)
def skew_is_turned(d: Draft) -> bool:
    """skew(a)ᵀ is -skew(a): its rows come first, as seen from the output, and vectors behind it."""
    behind = {s[0] for f, s in d.factors if len(s) == 1}
    for k, (f, s) in enumerate(d.factors):
        if is_skew(f) and s[0] != s[1] and _place(d, behind, s[0]) > _place(d, behind, s[1]):
            d.factors[k] = (f, s[::-1])
            d.coef = -d.coef
            return True
    return False


def _place(d: Draft, behind: set[int], k: int) -> tuple[int, int]:
    if k in d.out:
        return 0, d.out.index(k)
    return (2, 0) if k in behind else (1, 0)


@rule(PRODUCT)
def cross_of_itself(d: Draft) -> bool:
    """a × a is 0."""
    for f, s in d.factors:
        if is_skew(f) and any(g is f.args[0] and t[0] in s and _is_bound(d, t[0]) for g, t in d.factors if len(t) == 1):
            d.coef = sp.S.Zero
            return True
    return False


def _is_bound(d: Draft, k: int) -> bool:
    return k not in d.out and d.count(k) == 2


@rule(PRODUCT)
def bac_minus_cab(d: Draft) -> bool:
    """a × (b × c) is (aᵀc) b - (aᵀb) c: skew(a)·skew(b) is b·aᵀ - (aᵀb) I."""
    skews = [k for k, (f, s) in enumerate(d.factors) if is_skew(f) and s[0] != s[1]]
    for p, q in combinations(skews, 2):
        (f, s), (g, t) = d.factors[p], d.factors[q]
        shared = [k for k in s if k in t and _is_bound(d, k)]
        if not shared:
            continue
        k = shared[0]
        x, y = (sum(letters) - k for letters in (s, t))
        sign = (-1 if s[0] == k else 1) * (-1 if t[1] == k else 1)
        rest = [z for n, z in enumerate(d.factors) if n not in (p, q)]
        sizes = {n: m for n, m in d.sizes.items() if n != k}
        dot = d.pool.product([(f.args[0], (0,)), (g.args[0], (0,))], (), {0: 3})
        outer = d.pool.product([(g.args[0], (x,)), (f.args[0], (y,)), *rest], d.out, sizes)
        inner = d.pool.product([(dot, ()), (d.pool.eye(3), (x, y)), *rest], d.out, sizes)
        total = d.pool.sum([(sign, outer), (-sign, inner)], tuple(d.sizes[n] for n in d.out))
        d.factors, d.sizes = [(total, d.out)], {n: d.sizes[n] for n in d.out}
        return True
    return False


@rule(CALL)
def number_out_of_skew(pool: TermPool, t: Term) -> Term | None:
    """skew((aᵀb) c) is (aᵀb) skew(c)."""
    if not is_skew(t) or t.args[0].kind != PRODUCT:
        return None
    subs, out, sizes = t.args[0].data
    factors = list(zip(t.args[0].args, subs, strict=True))
    numbers = [f for f, s in factors if not s]
    if not numbers:
        return None
    vector = pool.product([x for x in factors if x[1]], out, dict(sizes))
    return pool.times(*numbers, pool.call(Skew(), [vector], SPACE))


@rule(CALL)
def skew_of_a_cross_product(pool: TermPool, t: Term) -> Term | None:
    """skew(a × b) is b·aᵀ - a·bᵀ."""
    if not is_skew(t) or t.args[0].kind != PRODUCT or len(t.args[0].args) != 2:
        return None
    (f, b), (s, _) = t.args[0].args, t.args[0].data[0]
    if not is_skew(f) or s != (0, 1):
        return None
    sides = [
        d.product([(x, (0,)), (y, (1,))], (0, 1), {0: 3, 1: 3})
        for d, x, y in ((pool, b, f.args[0]), (pool, f.args[0], b))
    ]
    return pool.sum([(1, sides[0]), (-1, sides[1])], SPACE)


@rule(PRODUCT)
def transposed_sum_of_skews(d: Draft) -> bool:
    """(skew(a) - B·skew(c))ᵀ is skew(c)·Bᵀ - skew(a), up to the sign."""
    for k, (f, s) in enumerate(d.factors):
        if f.kind != SUM or len(s) != 2 or s[0] == s[1] or not any(is_skew(a) for a in f.args):
            continue
        if _place(d, set(), s[0]) > _place(d, set(), s[1]):
            turned = [(c, d.pool.transposed(a)) for c, a in zip(f.data, f.args, strict=True)]
            d.factors[k] = (d.pool.sum(turned, SPACE), s[::-1])
            return True
    return False


@rule(SUM)
def skews_add(pool: TermPool, t: Term) -> Term | None:
    """skew(a) - skew(b) is skew(a - b)."""
    if t.shape != SPACE or not all(map(is_skew, t.args)):
        return None
    inside = pool.sum([(c, a.args[0]) for c, a in zip(t.data, t.args, strict=True)], (3,))
    return pool.call(Skew(), [inside], SPACE)
