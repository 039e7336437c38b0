"""Elementwise islands: parts of a term that are one scalar expression of whole arrays, handed to SymPy."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from functools import lru_cache
from typing import Any

import sympy as sp

from symgrad.forms.canon.terms import (
    EYE,
    FUNCTION,
    ONE_,
    POWER,
    PRODUCT,
    SUM,
    Draft,
    Letters,
    Shape,
    Term,
    TermPool,
    rule,
    split,
    value_of,
)
from symgrad.forms.rewrites.fractions import one_fraction

LARGE = 60  # operations of an expression beyond which SymPy is not asked
MANY, MUCH = 4, 24  # atoms and operations beyond which it is not asked to cancel: that can take minutes
ATOMS: tuple[sp.Symbol, ...] = sp.symbols("a0:64")
Key = tuple[Term, Letters]


class Island:
    """A scalar expression in atoms that stand for (term, axes of the frame it lies along)."""

    def __init__(self, pool: TermPool, whole: Collection[Term] = ()) -> None:
        self.pool, self.whole = pool, whole
        self.atoms: dict[Key, sp.Symbol] = {}

    def read(self, t: Term, axes: Letters) -> sp.Expr:
        """Return t as an expression; whatever is not elementwise becomes an atom."""
        value = value_of(t)
        if value is not None:
            return value
        if t.kind == SUM and not (t in self.whole and _is_mixed(t)):
            return sp.Add(*[c * self.read(a, axes) for c, a in zip(t.data, t.args, strict=True)])
        if t.kind == PRODUCT and elementwise(t):
            subs, out, _ = t.data
            at = dict(zip(out, axes, strict=True))
            return sp.Mul(*[self.read(f, tuple(at[k] for k in s)) for f, s in zip(t.args, subs, strict=True)])
        if t.kind == POWER and t.data.is_integer:
            return self.read(t.args[0], axes) ** t.data
        if t.kind == POWER and t.data.is_Rational and t.data.p != 1:
            return self.read(self.pool.power(t.args[0], sp.Rational(1, t.data.q)), axes) ** t.data.p
        if t.kind == FUNCTION and t.data is sp.exp:
            c, z = _unit(self.pool, t.args[0])
            if c != 1:
                return self.read(self.pool.function(sp.exp, [z], t.shape), axes) ** c
        if t.kind == PRODUCT and len(t.shape) == 2:
            turned = self.pool.transposed(t)
            t, axes = (turned, axes[::-1]) if turned.uid < t.uid else (t, axes)
        if (t, axes) not in self.atoms:
            if len(self.atoms) == len(ATOMS):
                raise OverflowError
            self.atoms[t, axes] = ATOMS[len(self.atoms)]
        return self.atoms[t, axes]

    @property
    def keeps_a_sum(self) -> bool:
        """Whether a sum stands for itself."""
        return any(t.kind == SUM for t, _ in self.atoms)

    def rewritten(self, e: sp.Expr, shape: tuple[Any, ...]) -> Term | None:
        """Return the shortest form of an expression in the atoms as a term, or None where it is the shortest."""
        best = shortest(e)
        if best is e or length(best)[0] >= length(e)[0]:
            divided = _divided(e)
            best = min([e, *divided], key=self._weight) if divided else e
        key = (best, tuple(self.atoms))
        if best is e or key in self.pool.in_progress:
            return None
        self.pool.in_progress.add(key)
        term = self.written(best, shape)
        self.pool.in_progress.discard(key)
        return term

    def _weight(self, e: sp.Expr) -> int:
        """Return how long an expression is with what its atoms stand for."""
        cost = {a: t.cost for (t, _), a in self.atoms.items()}
        return int(sp.count_ops(e)) + sum(cost.get(a, 1) for a in sp.preorder_traversal(e) if a.is_Symbol)

    def written(self, e: sp.Expr, shape: tuple[Any, ...]) -> Term:
        """Turn an expression in the atoms back into a term of this shape."""
        pool, back = self.pool, {a: key for key, a in self.atoms.items()}
        letters = tuple(range(len(shape)))
        sizes = dict(zip(letters, shape, strict=True))
        if e.is_Add:
            return pool.sum([(1, self.written(a, shape)) for a in e.args], shape)
        number, factors = sp.Integer(1), []
        for f in sp.Mul.make_args(e):
            if not f.free_symbols & back.keys():  # a number, or a size
                number *= f
                continue
            base, exponent = f.as_base_exp()
            if base in back:
                term, axes = back[base]
            else:
                axes = tuple(sorted({k for a in base.free_symbols & back.keys() for k in back[a][1]}))
                local = Island(pool)
                for a in base.free_symbols & back.keys():
                    t, own = back[a]
                    local.atoms[(t, tuple(axes.index(k) for k in own))] = a
                term = local.written(base, tuple(shape[k] for k in axes))
            factors.append((pool.power(term, exponent), axes))
        return pool.sum([(number, pool.product(factors, letters, sizes))], shape)


def _is_mixed(t: Term) -> bool:
    """Whether a sum has several terms beside a number: x - y and 1 + x + y, but not 1 + x."""
    return sum(value_of(a) is None for a in t.args) > 1


def _unit(pool: TermPool, z: Term) -> tuple[Any, Term]:
    """Split an exponent into an integer and the rest, with the sign of the exponential that occurs in the function."""
    c, core = split(z)
    if not c.is_Integer:
        return ONE_, z
    minus = pool.sum([(-1, core)], core.shape)
    ways = [(c, core), (-c, minus)]
    if core.kind == SUM:
        ways.sort(key=lambda w: w[1].uid)
    return next((w for w in ways if pool.has(FUNCTION, (w[1],), sp.exp, z.shape)), ways[0])


def elementwise(t: Term) -> bool:
    """Whether a product sums over nothing and has no identity matrix in it."""
    subs, out, sizes = t.data
    return (
        bool(t.args)
        and len(sizes) == len(out)
        and all(len(set(s)) == len(s) for s in subs)
        and all(a.kind != EYE for a in t.args)
    )


@lru_cache(maxsize=4096)
def shortest(e: sp.Expr) -> sp.Expr:
    """Return the shortest of the usual ways to write a scalar expression."""
    if e.count_ops() > LARGE:
        return e
    candidates = [e, sp.factor_terms(e)]
    if len(e.free_symbols) <= MANY and e.count_ops() <= MUCH:
        candidates += one_fraction(e)
    return min(candidates, key=length)  # the first of equals: as it was written


def _divided(e: sp.Expr) -> list[sp.Expr]:
    """Return (a - b)/a as 1 - b/a, of a product with one bracket, for each divisor that stands in it."""
    powers = e.as_powers_dict() if e.is_Mul else {}
    (bracket, *others) = [a for a in powers if a.is_Add] or [sp.S.Zero]
    if others or powers.get(bracket) != 1:
        return []
    below = [b for b, n in powers.items() if b.is_Symbol and n == -1 and b in bracket.free_symbols]
    return [e / bracket * b * sp.expand(bracket / b) for b in below]


@lru_cache(maxsize=8192)
def length(e: sp.Expr) -> tuple[int, int]:
    """Return how long an expression is: its operations, those below a fraction bar more than once, and its parts."""
    below = sum(1 for p in e.atoms(sp.Pow) if p.exp.is_negative)
    return int(sp.count_ops(e)) + 2 * below, sum(1 for _ in sp.preorder_traversal(e))


def shorter(pool: TermPool, t: Term) -> Term | None:
    """Return an elementwise sum or product in a shorter form, or None."""
    letters = tuple(range(len(t.shape)))
    term = _found(pool, [(t, letters)], letters, t.shape)
    return term if term is not None and term.cost < t.cost else None


def _found(pool: TermPool, parts: Sequence[Key], frame: Letters, shape: Shape) -> Term | None:
    """Return the product of parts in a shorter form, or None; sums that the user wrote are opened where need be."""
    for whole in (pool.written - {f for f, _ in parts}, ()):
        island = Island(pool, whole)
        try:
            e = sp.Mul(*[island.read(f, tuple(frame.index(k) for k in s)) for f, s in parts])
        except OverflowError:
            continue
        term = island.rewritten(e, shape) if _promising(e) else None
        if term is not None or not island.keeps_a_sum:
            return term
    return None


def _promising(e: sp.Expr) -> bool:
    """Whether an atom stands in several places; otherwise there is nothing to cancel or to factor."""
    seen: set[Any] = set()
    for a in sp.preorder_traversal(e):
        if a.is_Symbol:
            if a in seen:
                return True
            seen.add(a)
    return False


@rule(PRODUCT)
def elementwise_part(d: Draft) -> bool:
    """The factors over the same letters in their shortest form: (a/b)·(b + b·c) is a·(1 + c)."""
    if d.pool.light:
        return False
    groups: dict[frozenset[int], list[int]] = {}
    for k, (f, s) in enumerate(d.factors):
        if f.kind != EYE and len(set(s)) == len(s):
            groups.setdefault(frozenset(s), []).append(k)
    for places in groups.values():
        if len(places) > 1 and any(_has_sum(d.factors[k][0]) for k in places) and _rewritten(d, places):
            return True
    return False


def _has_sum(f: Term) -> bool:
    return f.kind == SUM or (f.kind == POWER and f.args[0].kind == SUM)


def _rewritten(d: Draft, places: list[int]) -> bool:
    frame = d.factors[places[0]][1]
    shape = tuple(d.sizes[k] for k in frame)
    parts = [d.factors[k] for k in places]
    term = _found(d.pool, parts, frame, shape)
    if term is None or term.cost >= sum(f.cost for f, _ in parts) + len(parts) - 1:
        return False
    d.factors = [x for k, x in enumerate(d.factors) if k not in places]
    d.factors.append((term, frame))
    return True
