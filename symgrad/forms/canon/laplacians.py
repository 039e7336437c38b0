"""Laplacian matrices of weighted differences: Σ_k w_ik (x_i - x_k) is (diag(w·1) - w)·x.

Pairwise energies, kernels and springs have such gradients; the matrix stays whole, as books on graphs write it.
"""

from __future__ import annotations

from typing import Any

from symgrad.forms.canon.spreads import free_axes, without_axes
from symgrad.forms.canon.symmetric import as_matrix
from symgrad.forms.canon.terms import NAMED, PRODUCT, SUM, Draft, Letters, Pool, Term, below, rule

Factor = tuple[Term, Letters]


def _row_sums(pool: Pool, w: Term) -> Term:
    return pool.product([(w, (0, 1))], (0,), dict(enumerate(w.shape)))


def _laplacian(pool: Pool, w: Term) -> Term:
    return pool.sum([(1, as_matrix(pool, _row_sums(pool, w))), (-1, w)], w.shape)


@rule(PRODUCT)
def weighted_differences(d: Draft) -> bool:
    """Σ_k w_ik (x_i - x_k) is (diag(w·1) - w)·x."""
    for f, s in d.factors:
        x = _of_pairs(d.pool, f)
        if x is None or len(set(s)) != len(s) or s[0] not in d.out or s[1] in d.out:
            continue
        near = [g for g in d.factors if s[1] in g[1] and g != (f, s)]
        far = [g for g in d.factors if g not in near and g != (f, s)]
        w = _weights(d, near, s[:2])
        if w is not None:
            d.factors = [(_laplacian(d.pool, w), s[:2]), (x, s[1:]), *far]
            return True
    return False


def _of_pairs(pool: Pool, f: Term) -> Term | None:
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
    """Return w_ik, the product of what stands beside the difference, where it is a matrix with a notation."""
    if not any(set(s) == set(pair) for _, s in near) or any(set(s) - set(pair) for _, s in near):
        return None
    w = d.pool.product(near, pair, {k: d.sizes[k] for k in pair})
    return w if w.shape and all(len(t.shape) < 3 for t in below([w])) else None


@rule(SUM)
def laplacian_of_two_terms(pool: Pool, t: Term) -> Term | None:
    """diag(w·1)·x - w·x is (diag(w·1) - w)·x."""
    for c, a in zip(t.data, t.args, strict=True):
        found = _product_with(pool, a)
        if found is None:
            continue
        w, x = found
        other = pool.times(_row_sums(pool, w), x) if len(x.shape) == 1 else _diagonal_times(pool, w, x)
        for c2, b in zip(t.data, t.args, strict=True):
            if b is other and c + c2 == 0:
                rest = [(c3, e) for c3, e in zip(t.data, t.args, strict=True) if e not in (a, b)]
                return pool.sum([*rest, (c2, _times(pool, _laplacian(pool, w), x))], t.shape)
    return None


def _product_with(pool: Pool, a: Term) -> tuple[Term, Term] | None:
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


def _diagonal_times(pool: Pool, w: Term, x: Term) -> Term:
    return pool.product([(_row_sums(pool, w), (0,)), (x, (0, 1))], (0, 1), dict(enumerate(x.shape)))


def _times(pool: Pool, m: Term, x: Term) -> Term:
    letters = tuple(range(1, len(x.shape) + 1))
    sizes: dict[int, Any] = {0: m.shape[0], **dict(zip(letters, x.shape, strict=True))}
    return pool.product([(m, (0, 1)), (x, letters)], (0, *letters[1:]), sizes)
