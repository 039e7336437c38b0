"""Rules of products: what is nested is opened, identities and inverses vanish, equal factors become powers.

Each rule changes the draft it is given and says whether it did.
"""

from __future__ import annotations

from typing import Any

import sympy as sp

from symgrad.forms.canon.sizes import common, number_if_one, tidy
from symgrad.forms.canon.terms import (
    CALL,
    EYE,
    FUNCTION,
    LEAF,
    NAMED,
    ONE_,
    POWER,
    PRODUCT,
    SUM,
    Draft,
    Letters,
    Term,
    TermPool,
    rule,
    split,
)
from symgrad.ops.linalg.solving import Inverse
from symgrad.ops.reductions.softmax import Softmax
from symgrad.ops.shapes.join import Stack


@rule(PRODUCT)
def open_nested(d: Draft) -> bool:
    """A·(B·C) is A·B·C, and coefficients stand in front; a number such as aᵀx stays one factor beside others."""
    stack, changed = list(d.factors), False
    flat: list[tuple[Term, Letters]] = []
    while stack:
        f, s = stack.pop(0)
        c, f = split(f)
        if c != 1:
            changed = True
        d.coef *= c
        if f.kind == SUM and not f.args:
            d.coef = sp.Integer(0)
            return True
        if f.kind != PRODUCT or (is_closed(f) and (stack or flat or d.out)):
            flat.append((f, s))
            continue
        changed = True
        subs, out, sizes = f.data
        at = dict(zip(out, s, strict=True))
        for k, n in sizes:
            if k not in at:
                at[k] = d.fresh(n)
        stack[:0] = [(g, tuple(at[k] for k in t)) for g, t in zip(f.args, subs, strict=True)]
    d.factors = flat
    return changed


def is_closed(t: Term) -> bool:
    """Whether a term is a product summed to a number: aᵀx, ‖x‖², a trace."""
    return t.kind == PRODUCT and not t.shape and any(t.data[0])


def opened(t: Term) -> tuple[list[tuple[Term, Letters]], Letters, dict[int, Any]]:
    """Return a product's factors, with those of the numbers in it, its output letters and the size of each letter."""
    subs, out, pairs = t.data
    sizes, factors = dict(pairs), list[tuple[Term, Letters]]()
    for a, s in zip(t.args, subs, strict=True):
        if not is_closed(a):
            factors.append((a, s))
            continue
        inner, _, own = a.data
        at = {k: len(sizes) + m for m, (k, _) in enumerate(own)}
        sizes.update({at[k]: n for k, n in own})
        factors += [(b, tuple(at[k] for k in r)) for b, r in zip(a.args, inner, strict=True)]
    return factors, out, sizes


@rule(PRODUCT)
def number_apart(d: Draft) -> bool:
    """(aᵀx)·x has two factors: what shares no letter with the rest or the output is a number of its own."""
    if len(d.sizes) == len(d.out):
        return False
    apart = [g for g in linked(d) if not any(k in d.out for _, s in g for k in s)]
    if not apart or (len(apart[0]) == len(d.factors) and not d.out):
        return False
    for group in apart:
        letters = dict.fromkeys(k for _, s in group for k in s)
        number = d.pool.product(group, (), {k: d.sizes.pop(k) for k in letters})
        d.factors = [x for x in d.factors if x not in group]
        d.factors.append((number, ()))
    return True


def linked(d: Draft) -> list[list[tuple[Term, Letters]]]:
    """Return the factors with letters in groups that share none."""
    groups: list[tuple[set[int], list[tuple[Term, Letters]]]] = []
    for f, s in d.factors:
        if s:
            mine = [g for g in groups if g[0] & set(s)]
            groups = [g for g in groups if g not in mine]
            groups.append((set(s).union(*[g[0] for g in mine]), [x for g in mine for x in g[1]] + [(f, s)]))
    return [g for _, g in groups]


@rule(PRODUCT)
def number_in_front(d: Draft) -> bool:
    """(2a - 2b)·c is 2·(a - b)·c, with the sign that the user wrote."""
    changed = False
    for k, (f, s) in enumerate(d.factors):
        c, g = content(d.pool, f)
        if c != 1:
            d.coef *= c
            d.factors[k] = (g, s)
            changed = True
    return changed


def content(pool: TermPool, t: Term) -> tuple[Any, Term]:
    """Split a sum into a number and a sum: the one the user wrote, where there is one."""
    if t.kind != SUM or len(t.args) < 2 or any(c.has(sp.nan, sp.zoo) for c in t.data):  # nan would split off for ever
        return ONE_, t
    pair = pool.contents.get(t)
    if pair is None:
        pair = pool.contents[t] = _content(pool, t)
    return pair


def _content(pool: TermPool, t: Term) -> tuple[Any, Term]:
    size = t.data[0].as_coeff_Mul()[1]  # such as 1/n
    ratios = [c / size for c in t.data]
    if not all(c.is_Rational for c in ratios):
        known = _as_written(pool, t)
        if known is not None:
            return known
        shared = common(t.data)
        return shared, t if shared == 1 else pool.make(SUM, t.args, tuple(tidy(c / shared) for c in t.data), t.shape)
    number = sp.Rational(sp.igcd(*[c.p for c in ratios]), sp.ilcm(*[c.q for c in ratios]))
    for one in (number, -number, ratios[0], -ratios[0]):
        plain = tuple(c / one for c in ratios)
        if pool.has(SUM, t.args, plain, t.shape):
            term = pool.make(SUM, t.args, plain, t.shape)
            if term in pool.written or (one in (ratios[0], -ratios[0]) and len({c.q for c in ratios}) > 1):
                return one * size, term
    if len({abs(c) for c in ratios}) > 1 and len({c.q for c in ratios}) > 1:
        number = ONE_
    elif all(c < 0 for c in ratios):
        number = -number
    if number * size == 1:
        return ONE_, t
    return number * size, pool.make(SUM, t.args, tuple(c / number for c in ratios), t.shape)


def _as_written(pool: TermPool, t: Term) -> tuple[Any, Term] | None:
    """Return a sum as a multiple of one that the user wrote: n·x - Σx as n·(x - mean(x))."""
    for w in sorted(pool.written, key=lambda w: (sum(abs(c) != 1 for c in w.data), w.uid)):
        own = dict(zip(w.args, w.data, strict=True))
        if len(own) == len(t.args) and all(a in own for a in t.args):
            ratios = {sp.cancel(c / own[a]) for c, a in zip(t.data, t.args, strict=True)}
            if len(ratios) == 1:
                return ratios.pop(), w
    return None


@rule(PRODUCT)
def identity_vanishes(d: Draft) -> bool:
    """I·A is A: δ_ij renames a letter that is summed over, and joins two of the output's elsewhere."""
    for k, (f, s) in enumerate(d.factors):
        if f.kind != EYE:
            continue
        i, j = s
        if i == j:
            del d.factors[k]
            return True
        if i in d.out and j in d.out:
            first, last = sorted(s, key=d.out.index)
            if s == (first, last) and d.count(last) == 1:
                continue
            d.factors = d.factors[:k] + d.factors[k + 1 :]
            d.rename(last, first)
            d.factors.insert(k, (f, (first, last)))
            return True
        old, new = (j, i) if i in d.out else (i, j)
        del d.factors[k]
        d.rename(old, new)
        del d.sizes[old]
        return True
    return False


@rule(PRODUCT)
def axis_of_one_goes(d: Draft) -> bool:
    """Drop a bound axis of length one from an elementwise product."""
    for p, (f, s) in enumerate(d.factors):
        if f.kind not in (SUM, POWER, FUNCTION):
            continue
        for axis, k in enumerate(s):
            if d.sizes[k] == 1 and k not in d.out and d.count(k) == 1:
                d.factors[p] = (_without(d.pool, f, axis), s[:axis] + s[axis + 1 :])
                del d.sizes[k]
                return True
    return False


def _without(pool: TermPool, t: Term, axis: int) -> Term:
    """Return a term without one of its axes, of length one."""
    if not t.shape:
        return t
    shape = t.shape[:axis] + t.shape[axis + 1 :]
    if t.kind == SUM:
        return pool.sum([(c, _without(pool, a, axis)) for c, a in zip(t.data, t.args, strict=True)], shape)
    if t.kind == POWER:
        return pool.power(_without(pool, t.args[0], axis), t.data)
    if t.kind == FUNCTION:
        return pool.function(t.data, [_without(pool, a, axis) for a in t.args], shape)
    letters = tuple(range(len(t.shape)))
    return pool.product([(t, letters)], letters[:axis] + letters[axis + 1 :], dict(zip(letters, t.shape, strict=True)))


@rule(PRODUCT)
def inverse_cancels(d: Draft) -> bool:
    """A·A⁻¹ is I."""
    for p, (f, s) in enumerate(d.factors):
        if f.kind != CALL or not isinstance(f.data, Inverse) or len(s) != 2:
            continue
        for q, (g, t) in enumerate(d.factors):
            if g is not f.args[0] or q == p:
                continue
            ends = _chained(d, s, t) or (_chained(d, s, t[::-1]) if d.pool.symmetric(g) else None)
            if ends is not None:
                d.factors = [x for k, x in enumerate(d.factors) if k not in (p, q)]
                d.factors.append((d.pool.eye(f.shape[0]), ends))
                (gone,) = set(s) - set(ends) if len(set(s) - set(ends)) == 1 else set(t) - set(ends)
                del d.sizes[gone]
                return True
    return False


def _chained(d: Draft, s: Letters, t: Letters) -> Letters | None:
    """Return the ends of two matrices multiplied over a letter that nothing else has."""
    if len(t) != 2:
        return None
    for (a, b), (c, e) in (((s[0], s[1]), (t[0], t[1])), ((s[1], s[0]), (t[1], t[0]))):
        if b == c and b not in d.out and d.count(b) == 2 and a != b != e:
            return (a, e)
    return None


@rule(PRODUCT)
def probabilities_sum_to_one(d: Draft) -> bool:
    """Σ_j P_ij is 1, where the rows of P are softmax, one-hot or marked as probabilities."""
    for k, (f, s) in enumerate(d.factors):
        if is_simplex(f) and s and s[-1] not in d.out and d.count(s[-1]) == 1:
            del d.factors[k]
            del d.sizes[s[-1]]
            return True
    return False


def is_simplex(f: Term) -> bool:
    """Whether the rows of a term, or its entries, are probabilities that sum to 1."""
    if f.kind == NAMED:
        return is_simplex(f.args[0])
    if f.kind == LEAF:
        return bool({"simplex", "onehot"} & f.data[1])
    return f.kind == CALL and isinstance(f.data, Softmax)


@rule(PRODUCT)
def sum_over_a_stack(d: Draft) -> bool:
    """Σ over the new axis of a stack is the sum of the stacked terms."""
    for k, (f, s) in enumerate(d.factors):
        if f.kind != CALL or not isinstance(f.data, Stack):
            continue
        axis = f.data.axis
        if s[axis] not in d.out and d.count(s[axis]) == 1:
            d.factors[k] = (d.pool.sum([(1, a) for a in f.args], f.args[0].shape), s[:axis] + s[axis + 1 :])
            del d.sizes[s[axis]]
            return True
    return False


@rule(PRODUCT)
def equal_factors_are_a_power(d: Draft) -> bool:
    """x·x is x², x·x⁻¹ is 1, and eᵃ·eᵇ is eᵃ⁺ᵇ where that is shorter."""
    for p, (f, s) in enumerate(d.factors):
        for q in range(p + 1, len(d.factors)):
            g, t = d.factors[q]
            if t != s and not (len(t) == 2 and t[::-1] == s and f.kind != LEAF and d.pool.symmetric(g)):
                continue
            joined = _joined(d.pool, f, g)
            if joined is not None:
                del d.factors[q]
                d.factors[p] = (joined, s)
                return True
    return False


def _joined(pool: TermPool, f: Term, g: Term) -> Term | None:
    (a, m), (b, n) = _base(f), _base(g)
    if a is b:
        if a.kind == EYE:
            return a
        return pool.power(a, added) if (added := number_if_one(m + n)) != 0 else pool.ones(a.shape)
    if _is_exp(f) and _is_exp(g):
        both = pool.sum([(1, f.args[0]), (1, g.args[0])], f.shape)
        if both.cost < f.args[0].cost + g.args[0].cost:
            return pool.function(sp.exp, [both], f.shape)
    return None


def _base(f: Term) -> tuple[Term, Any]:
    return (f.args[0], f.data) if f.kind == POWER else (f, ONE_)


def _is_exp(f: Term) -> bool:
    return f.kind == FUNCTION and f.data is sp.exp


@rule(PRODUCT)
def a_sum_of_nothing_counts(d: Draft) -> bool:
    """Σ_k 1 is the size of the axis."""
    inside = {k for _, s in d.factors for k in s} | set(d.out)
    lost = [k for k in d.sizes if k not in inside]
    for k in lost:
        d.coef *= d.sizes.pop(k)
    return bool(lost)


@rule(PRODUCT)
def identity_distributes(d: Draft) -> bool:
    """(I - A)·B is B - A·B, where that is no longer, and the user did not write I - A."""
    for p, (f, s) in enumerate(d.factors):
        rest = d.factors[:p] + d.factors[p + 1 :]
        if not rest or f in d.pool.written or not _has_identity(f) or identity_distributes in d.pool.in_progress:
            continue
        if laplacian_weights(d.pool, f) is not None:
            continue
        if is_whole(d.pool, f) and all(len(g.shape) != 1 for g, _ in rest):
            continue
        d.pool.in_progress.add(identity_distributes)
        parts = [(c, d.pool.product([*rest, (a, s)], d.out, d.sizes)) for c, a in zip(f.data, f.args, strict=True)]
        apart = d.pool.sum(parts, tuple(d.sizes[k] for k in d.out))
        d.pool.in_progress.discard(identity_distributes)
        cost = sum(g.cost for g, _ in d.factors) + len(rest) + 2  # diag(…) is longer than its parts
        if apart.kind != SUM or apart.cost > cost:
            continue
        d.factors, d.sizes = [(apart, d.out)], _sizes(d, d.out)
        return True
    return False


def is_whole(pool: TermPool, t: Term) -> bool:
    """Whether a term is a symmetric sum of a diagonal matrix and products of vectors, such as diag(u) - u·uᵀ."""
    if len(t.shape) != 2 or not _has_identity(t) or not pool.symmetric(t):
        return False
    return any(_is_outer(pool, a) for a in t.args)


def laplacian_weights(pool: TermPool, t: Term) -> Term | None:
    """Return w of diag(w·1) - w; None of other matrices."""
    parts = list(zip(t.data, t.args, strict=True)) if len(t.shape) == 2 and _has_identity(t) else []
    if any(a.kind == EYE for _, a in parts) or all(_is_diagonal(a) or _is_outer(pool, a) for _, a in parts):
        return None
    weights = pool.sum([(-c, a) for c, a in parts if not _is_diagonal(a)], t.shape)
    diagonal = _rows(pool, pool.sum([(c, a) for c, a in parts if _is_diagonal(a)], t.shape))
    ways = ([(1, weights)], [(-c, a) for c, a in parts if not _is_diagonal(a)])  # (a + b)·1, or a·1 + b·1
    sums = [pool.sum([(1, diagonal), *[(-c, _rows(pool, a)) for c, a in way]], t.shape[:1]) for way in ways]
    return weights if any(f.kind == SUM and not f.args for f in sums) else None


def _rows(pool: TermPool, a: Term) -> Term:
    return pool.product([(a, (0, 1))], (0,), dict(enumerate(a.shape)))


def _is_diagonal(a: Term) -> bool:
    """Whether a matrix is 0 off its diagonal."""
    if a.kind != PRODUCT:
        return a.kind == EYE
    subs, out, _ = a.data
    return any(f.kind == EYE and set(s) == set(out) for f, s in zip(a.args, subs, strict=True))


def _is_outer(pool: TermPool, a: Term) -> bool:
    """Whether a term is u·vᵀ: nothing leads from its rows to its columns."""
    if a.kind != PRODUCT or not a.args:
        return False
    subs, (i, j), sizes = a.data
    groups = linked(Draft(pool, ONE_, list(zip(a.args, subs, strict=True)), (i, j), dict(sizes)))
    return not any({i, j} <= {k for _, s in group for k in s} for group in groups)


def _has_identity(t: Term) -> bool:
    """Whether a term is a sum with an identity matrix in it, as I - A or diag(x) - A."""
    terms = t.args if t.kind == SUM else ()
    return any(a.kind == EYE or (a.kind == PRODUCT and EYE in {b.kind for b in a.args}) for a in terms)


@rule(PRODUCT)
def sum_of_a_sum(d: Draft) -> bool:
    """Σ (a + b) is Σ a + Σ b where that is shorter, as in Σ (x - mean x) = 0."""
    for p, (f, s) in enumerate(d.factors):
        own = [k for k in s if k not in d.out and d.count(k) == s.count(k)]
        if f.kind != SUM or not own:
            continue
        rest = tuple(k for k in dict.fromkeys(s) if k not in own)
        parts = [(c, d.pool.product([(a, s)], rest, _sizes(d, s))) for c, a in zip(f.data, f.args, strict=True)]
        apart = d.pool.sum(parts, tuple(d.sizes[k] for k in rest))
        if apart.cost <= f.cost or (apart.kind == SUM and len(apart.args) < len(f.args)):
            d.factors[p] = (apart, rest)
            for k in set(own):
                del d.sizes[k]
            return True
    return False


def _sizes(d: Draft, letters: Letters) -> dict[int, Any]:
    return {k: d.sizes[k] for k in letters}
