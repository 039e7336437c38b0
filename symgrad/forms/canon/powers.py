"""Rules of powers and products: xᵇ⁻¹·x is xᵇ, the product of all other entries is Π x/x_i where no entry is 0.

Each rule of products changes the draft it is given and says whether it did.
"""

from __future__ import annotations

from typing import Any

import sympy as sp

from symgrad.forms.canon.terms import (
    CALL,
    FUNCTION,
    LEAF,
    NAMED,
    POWER,
    PRODUCT,
    SUM,
    Draft,
    Letters,
    Term,
    TermPool,
    rule,
    value_of,
)
from symgrad.ops.reductions.reduce import Prod
from symgrad.ops.reductions.scan import Cumprod
from symgrad.ops.reductions.softmax import Softmax
from symgrad.scalars import SCALARS

POSITIVE = {sp.exp, sp.cosh, *(SCALARS[n].function for n in ("sigmoid", "softplus", "normal_pdf", "ndtr"))}


def is_positive(t: Term) -> bool:
    """Whether every entry is above 0, as marks and functions tell; x**a of any numbers a asks it of x."""
    value = value_of(t)
    if value is not None:
        return bool(value.is_positive)
    if t.kind == LEAF:
        return "positive" in t.data[1]
    if t.kind == FUNCTION:
        return t.data in POSITIVE or (t.data is sp.Pow and (value_of(t.args[1]) is None or is_positive(t.args[0])))
    if t.kind == CALL:
        return isinstance(t.data, Softmax)
    if t.kind == SUM:
        above = [is_positive(a) for a in t.args]
        return (
            all(c.is_positive for c in t.data)
            and any(above)
            and all(p or (a.kind == POWER and bool(a.data.is_even)) for p, a in zip(above, t.args, strict=True))
        )
    return t.kind in (POWER, PRODUCT, NAMED) and all(map(is_positive, t.args))


# ------------------------------------------------------------------ powers with an array in the exponent
@rule(PRODUCT)
def powers_of_one_base(d: Draft) -> bool:
    """x·xᵇ⁻¹ is xᵇ, and xᵃ·xᵇ is xᵃ⁺ᵇ where that is shorter."""
    for p, (f, s) in enumerate(d.factors):
        if f.kind != FUNCTION or f.data is not sp.Pow:
            continue
        for q, (g, t) in enumerate(d.factors):
            joined = _joined_power(d.pool, f, g) if q != p and s == t else None
            if joined is not None:
                d.factors[p] = (joined, s)
                del d.factors[q]
                return True
    return False


def _joined_power(pool: TermPool, f: Term, g: Term) -> Term | None:
    """Return xᵃ·xᵇ, one of them perhaps with a number in the exponent, where that is shorter."""
    base, a = f.args
    if g.kind == FUNCTION and g.data is sp.Pow and g.args[0] is base:
        b = g.args[1]
    elif g is base or (g.kind == POWER and g.args[0] is base):
        b = pool.constant(sp.S.One if g is base else g.data, a.shape)
    else:
        return None
    exponent = pool.sum([(1, a), (1, b)], a.shape)
    value = value_of(exponent)
    if value is not None:
        return pool.ones(f.shape) if value == 0 else pool.power(base, value)
    return pool.function(sp.Pow, [base, exponent], f.shape) if exponent.cost < a.cost + (g is not base) else None


@rule(PRODUCT)
def power_of_a_scaled_base(d: Draft) -> bool:
    """x·(x/l)ᵏ⁻¹ is l·(x/l)ᵏ, where l is a number."""
    for p, (f, s) in enumerate(d.factors):
        if f.kind != FUNCTION or f.data is not sp.Pow or f.args[0].kind != PRODUCT or not s:
            continue
        base = f.args[0]
        subs, out, _ = base.data
        arrays = [a for a in base.args if a.shape]
        straight = [t for t in subs if t] == [out]
        q = next((k for k, (g, t) in enumerate(d.factors) if k != p and [g] == arrays and s == t), None)
        joined = _joined_power(d.pool, f, base) if q is not None and straight else None
        if q is not None and joined is not None:
            d.factors += [(d.pool.power(a, -1), ()) for a in base.args if not a.shape]
            d.factors[p] = (joined, s)
            del d.factors[q]
            return True
    return False


@rule(POWER)
def power_of_an_array_power(pool: TermPool, t: Term) -> Term | None:
    """(xᵃ)ⁿ is xⁿᵃ where n is an integer."""
    (b,) = t.args
    if b.kind != FUNCTION or b.data is not sp.Pow or not t.data.is_integer:
        return None
    base, a = b.args
    return pool.function(sp.Pow, [base, pool.sum([(t.data, a)], a.shape)], t.shape)


@rule(PRODUCT)
def product_meets_its_power(d: Draft) -> bool:
    """W·H ⊘ (W·H)² is 1 ⊘ W·H: the factors of what stands below the bar are found above it."""
    for p, (f, s) in enumerate(d.factors):
        if f.kind != POWER or not f.data.is_negative or f.args[0].kind != PRODUCT or len(f.args[0].args) < 2:
            continue
        places = _standing(d, f.args[0], s, p)
        if places is None:
            continue
        rest = f.data + 1
        d.factors[p] = (d.pool.power(f.args[0], rest) if rest != 0 else d.pool.ones(f.shape), s)
        d.factors = [x for k, x in enumerate(d.factors) if k not in places]
        inside = {k for _, t in d.factors for k in t} | set(d.out)
        for k in set(d.sizes) - inside:
            del d.sizes[k]
        return True
    return False


@rule(PRODUCT)
def numerator_with_the_denominator(d: Draft) -> bool:
    """(a + c·D) ⊘ D is a ⊘ D + c: what stands below the bar is divided out of a sum above it."""
    for p, (f, s) in enumerate(d.factors):
        if f.kind != POWER or f.data != -1 or f.args[0].kind != SUM:
            continue
        for q, (g, t) in enumerate(d.factors):
            rest = _without(d.pool, g, f.args[0]) if s == t else None
            if rest is not None:
                sign, quotient = _divided(d.pool, *rest, f.args[0])
                d.coef, d.factors[p] = d.coef * sign, (quotient, s)
                del d.factors[q]
                return True
    return False


def _divided(pool: TermPool, c: Any, a: Term, below: Term) -> tuple[int, Term]:
    """Return a ⊘ below + c and its sign; y ⊘ (u - 1) + 1 is -(y ⊘ (1 - u) - 1)."""
    sign, letters = 1, tuple(range(len(below.shape)))
    numbers = [k for k, t in zip(below.data, below.args, strict=True) if value_of(t) is not None]
    if c > 0 and sum(below.data) == 0 and numbers and numbers[0] < 0:
        sign, c, below = -1, -c, pool.sum([(-1, below)], below.shape)
    over = pool.product([(a, letters), (pool.power(below, -1), letters)], letters, dict(enumerate(below.shape)))
    return sign, pool.sum([(1, over), (c, pool.ones(below.shape))], below.shape)


def _without(pool: TermPool, above: Term, below: Term) -> tuple[Any, Term] | None:
    """Return c and a of a + c·below, a sum that has all terms of the other and more."""
    if above.kind != SUM or len(above.args) <= len(below.args):
        return None
    known = dict(zip(above.args, above.data, strict=True))
    ratios = {known[a] / c if a in known else None for c, a in zip(below.data, below.args, strict=True)}
    (ratio,) = ratios if len(ratios) == 1 else (None,)
    if ratio is None:
        return None
    return ratio, pool.sum([(c, a) for a, c in known.items() if a not in below.args], above.shape)


def _standing(d: Draft, base: Term, s: Letters, skipped: int) -> set[int] | None:
    """Return the places of the factors that make up the base at these letters, its bound letters nowhere else."""
    subs, out, sizes = base.data
    at, places = dict(zip(out, s, strict=True)), set[int]()
    for a, letters in sorted(zip(base.args, subs, strict=True), key=lambda x: -sum(k in out for k in x[1])):
        match = next(
            (
                (q, t)
                for q, (g, t) in enumerate(d.factors)
                if g is a and q not in places and q != skipped and _agrees(at, letters, t)
            ),
            None,
        )
        if match is None:
            return None
        places.add(match[0])
        at.update(zip(letters, match[1], strict=True))
    bound = [at[k] for k, _ in sizes if k not in out and k in at]
    used = [k for q, (_, t) in enumerate(d.factors) if q not in places for k in t]
    free = len(set(bound)) == len(bound) == len(sizes) - len(out) and not set(bound) & {*d.out, *used}
    return places if free else None


def _agrees(at: dict[int, int], letters: Letters, t: Letters) -> bool:
    return all(at.get(k, m) == m for k, m in zip(letters, t, strict=True))


@rule(POWER)
def power_of_factors_apart(pool: TermPool, t: Term) -> Term | None:
    """(A·x ⊙ B·x)ⁿ is (A·x)ⁿ ⊙ (B·x)ⁿ: factors that share no letter that is summed over have powers of their own."""
    (b,) = t.args
    if b.kind != PRODUCT or not t.data.is_integer:
        return None
    subs, out, sizes = b.data
    bound = [k for k, _ in sizes if k not in out]
    groups: list[tuple[set[int], list[tuple[Term, Letters]]]] = []
    for a, s in zip(b.args, subs, strict=True):
        mine = [g for g in groups if g[0] & set(s)]
        groups = [g for g in groups if g not in mine]
        letters = {k for k in s if k in bound}.union(*[g[0] for g in mine])
        groups.append((letters, [x for g in mine for x in g[1]] + [(a, s)]))
    if len(groups) < 2 or not bound:
        return None
    known, factors = dict(sizes), []
    for letters, inside in groups:
        own = tuple(k for k in out if any(k in s for _, s in inside))
        part = pool.product(inside, own, {k: known[k] for k in (*own, *letters)})
        factors.append((pool.power(part, t.data), own))
    return pool.product(factors, out, {k: known[k] for k in out})


# ------------------------------------------------------------------ products of all entries
@rule(PRODUCT)
def product_of_the_others(d: Draft) -> bool:
    """Π_{k≠i} x_k is Π x/x_i where no entry is 0: they are positive, or Π x stands below the bar."""
    for p, (f, s) in enumerate(d.factors):
        if not _runs(f, reverse=False):
            continue
        (x,), axis = f.args, f.data.axis
        q = next((k for k, (g, t) in enumerate(d.factors) if _runs(g, reverse=True) and g.args[0] is x and t == s), -1)
        whole = d.pool.call(Prod((axis,), False), [x], (*x.shape[:axis], *x.shape[axis + 1 :]))
        at = (*s[:axis], *s[axis + 1 :])
        if q < 0 or not (is_positive(x) or _is_below(d, whole, at)):
            continue
        d.factors = [pair for k, pair in enumerate(d.factors) if k not in (p, q)]
        d.factors += [(whole, at), (d.pool.power(x, -1), s)]
        return True
    return False


def _runs(f: Term, reverse: bool) -> bool:
    return f.kind == CALL and isinstance(f.data, Cumprod) and f.data.exclusive and f.data.reverse == reverse


def _is_below(d: Draft, whole: Term, at: Letters) -> bool:
    return any(f.kind == POWER and f.args[0] is whole and f.data.is_negative and s == at for f, s in d.factors)
