"""Laplacian matrices of weighted differences: Σ_k w_ik (x_i - x_k) is (diag(w·1) - w)·x.

Pairwise energies, kernels and springs have such gradients; the matrix stays whole, as books on graphs write it.
"""

from __future__ import annotations

from collections import Counter
from typing import Any

from symgrad.forms.canon.broadcast import free_axes, without_axes
from symgrad.forms.canon.patterns.distances import pairs_of_rows
from symgrad.forms.canon.products import laplacian_weights
from symgrad.forms.canon.symmetric import as_matrix
from symgrad.forms.canon.terms import NAMED, PRODUCT, SUM, Draft, Letters, Term, TermPool, below, rule, split

Factor = tuple[Term, Letters]


def _row_sums(pool: TermPool, w: Term) -> Term:
    return pool.product([(w, (0, 1))], (0,), dict(enumerate(w.shape)))


def _laplacian(pool: TermPool, w: Term) -> Term:
    return pool.sum([(1, as_matrix(pool, _row_sums(pool, w))), (-1, w)], w.shape)


@rule(PRODUCT)
def weighted_differences(d: Draft) -> bool:
    """Σ_k w_ik (x_i - x_k) is (diag(w·1) - w)·x."""
    for f, s in d.factors:
        x = _of_pairs(d.pool, f)
        if x is None or len(set(s)) != len(s) or (s[0] in d.out) == (s[1] in d.out):
            continue
        sign, pair = (1, s[:2]) if s[0] in d.out else (-1, s[1::-1])  # Σ_k w_ki (x_k - x_i) has wᵀ, and a minus
        near = [g for g in d.factors if pair[1] in g[1] and g != (f, s)]
        far = [g for g in d.factors if g not in near and g != (f, s)]
        w = _weights(d, near, pair)
        if w is not None:
            d.coef *= sign
            d.factors = [(_laplacian(d.pool, w), pair), (x, (pair[1], *s[2:])), *far]
            return True
    return False


@rule(PRODUCT)
def weighted_distances(d: Draft) -> bool:
    """Σ_k w_ik (x_i - y_k) of rows of two matrices is diag(w·1)·x - w·y, and Σ_i likewise."""
    for f, s in d.factors:
        rows = pairs_of_rows(d.pool, f)
        if rows is None or len(set(s)) != 3 or (s[0] in d.out) == (s[1] in d.out):
            continue
        x, y, sign = rows
        near = [g for g in d.factors if set(s[:2]) & set(g[1]) and g != (f, s)]
        far = [g for g in d.factors if g not in near and g != (f, s)]
        w = _weights(d, near, s[:2])
        if w is None:
            continue
        parts = [(sign, x, (s[0], s[2])), (-sign, y, s[1:])]
        out = tuple(k for k in s if k in d.out)
        sizes = {k: d.sizes[k] for k in s}
        terms = [(c, d.pool.product([(w, s[:2]), (a, t)], out, sizes)) for c, a, t in parts]
        d.factors = [(d.pool.sum(terms, tuple(sizes[k] for k in out)), out), *far]
        d.sizes = {k: n for k, n in d.sizes.items() if k in out or k in d.out or any(k in t for _, t in far)}
        return True
    return False


def _of_pairs(pool: TermPool, f: Term) -> Term | None:
    """Return x of x_i - x_k, also of rows; None of other terms."""
    f = f.args[0] if f.kind == NAMED else f
    if f.kind != SUM or len(f.args) != 2 or f.data != (1, -1) or len(f.shape) not in (2, 3):
        return None
    one, two = f.args
    rank = len(f.shape)
    if f.shape[0] != f.shape[1] or free_axes(one, rank) != {1} or free_axes(two, rank) != {0}:
        return None
    shape = f.shape[1:]
    x = without_axes(pool, one, frozenset({1}), shape)
    return x if x is without_axes(pool, two, frozenset({0}), shape) else None


def _weights(d: Draft, near: list[Factor], pair: Letters) -> Term | None:
    """Return w_ik, the product of the factors beside the difference, if matrix notation has it."""
    if not any(set(s) == set(pair) for _, s in near) or any(set(s) - set(pair) for _, s in near):
        return None
    w = d.pool.product(near, pair, {k: d.sizes[k] for k in pair})
    return w if w.shape and all(len(t.shape) < 3 for t in below([w])) else None


@rule(SUM)
def sum_of_laplacians(pool: TermPool, t: Term) -> Term | None:
    """diag(u)·(diag(v·1) - v)·x + (diag(w·1) - w)·x has the weights diag(u)·v + w, once."""
    pairs = list(zip(t.data, t.args, strict=True))
    read = [_laplacian_product(pool, a) if c.is_Rational else None for c, a in pairs]
    count = Counter(r[1] for r in read if r is not None)
    x = next((x for x, n in count.items() if n > 1), None)
    if x is None:
        return None
    w = pool.sum([(c, r[0]) for (c, _), r in zip(pairs, read, strict=True) if r and r[1] is x], (x.shape[0],) * 2)
    rest = [pair for pair, r in zip(pairs, read, strict=True) if r is None or r[1] is not x]
    return pool.sum([*rest, (1, _times(pool, _laplacian(pool, w), x))], t.shape)


def _laplacian_product(pool: TermPool, a: Term) -> tuple[Term, Term] | None:
    """Return w and x of diag(u)·(diag(v·1) - v)·x, which has the weights w = diag(u)·v."""
    if a.kind != PRODUCT or not a.shape:
        return None
    subs, out, sizes = a.data
    for f, s in zip(a.args, subs, strict=True):
        if f.kind != SUM or len(s) != 2 or out[0] not in s or s[0] == s[1]:
            continue
        i, k = out[0], s[0] if s[1] == out[0] else s[1]
        rest = [(g, r) for g, r in zip(a.args, subs, strict=True) if g is not f]
        x = [(g, r) for g, r in rest if r == (k, *out[1:])]
        beside = [(g, r) for g, r in rest if r in ((), (i,))]
        v = laplacian_weights(pool, f if s == (i, k) else pool.transposed(f))
        if v is not None and len(x) == 1 and len(rest) == 1 + len(beside) and k not in out:
            n = dict(sizes)[i]
            return pool.product([(v, (0, 1)), *[(g, (0,) if r else ()) for g, r in beside]], (0, 1), {0: n, 1: n}), x[
                0
            ][0]
    return None


@rule(SUM)
def laplacian_of_two_terms(pool: TermPool, t: Term) -> Term | None:
    """diag(w·1)·x - w·x is (diag(w·1) - w)·x."""
    for c, a in zip(t.data, t.args, strict=True):
        pair = _product_with(pool, a)
        if pair is None:
            continue
        w, x = pair
        other = pool.times(_row_sums(pool, w), x) if len(x.shape) == 1 else _diagonal_times(pool, w, x)
        sign, other = split(other)
        for c2, b in zip(t.data, t.args, strict=True):
            if b is other and c * sign + c2 == 0:
                rest = [(c3, e) for c3, e in zip(t.data, t.args, strict=True) if e not in (a, b)]
                return pool.sum([*rest, (-c, _times(pool, _laplacian(pool, w), x))], t.shape)
    return None


def _product_with(pool: TermPool, a: Term) -> tuple[Term, Term] | None:
    """Return w and x of w·x, where w is a square matrix and neither is a product."""
    if a.kind != PRODUCT or len(a.args) != 2:
        return None
    (w, x), (s, t) = a.args, a.data[0]
    if len(w.shape) != 2 or not a.shape or len(x.shape) != len(a.shape) or w.shape[0] != w.shape[1]:
        return None
    out = a.data[1]
    if t[1:] != out[1:] or t[0] in out or set(s) != {out[0], t[0]}:
        return None
    return (w if s[0] == out[0] else pool.transposed(w)), x


def _diagonal_times(pool: TermPool, w: Term, x: Term) -> Term:
    return pool.product([(_row_sums(pool, w), (0,)), (x, (0, 1))], (0, 1), dict(enumerate(x.shape)))


def _times(pool: TermPool, m: Term, x: Term) -> Term:
    letters = tuple(range(1, len(x.shape) + 1))
    sizes: dict[int, Any] = {0: m.shape[0], **dict(zip(letters, x.shape, strict=True))}
    return pool.product([(m, (0, 1)), (x, letters)], (0, *letters[1:]), sizes)
