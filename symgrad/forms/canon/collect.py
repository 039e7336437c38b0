"""Like terms that stand in different brackets: a·A/c + (b·A + B)/c is opened where it then has fewer terms."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from symgrad.forms.canon.products import opened
from symgrad.forms.canon.terms import PRODUCT, SUM, Term, TermPool, rule

MOST = 16  # terms that a sum is opened to


@rule(SUM)
def like_terms_meet(pool: TermPool, t: Term) -> Term | None:
    """(I - x·xᵀ)·A + (B - x·xᵀ·A) is A + B - 2x·xᵀ·A: the brackets are opened where terms then add up."""
    if (
        pool.light
        or len(t.shape) not in (1, 2)
        or like_terms_meet in pool.in_progress
        or all(_bracket(pool, a) is None for a in t.args)
    ):
        return None
    pool.in_progress.add(like_terms_meet)
    terms = list(_opened(pool, t))
    met = len({a for _, a in terms}) < len(terms) <= MOST
    total = pool.sum(terms, t.shape) if met else t
    pool.in_progress.discard(like_terms_meet)
    return total if total.cost < t.cost else None


def _opened(pool: TermPool, t: Term) -> Iterator[tuple[Any, Term]]:
    """Return the terms of a sum with the brackets in their products opened."""
    left = list(zip(t.data, t.args, strict=True))
    count = 0
    while left and count <= MOST:
        c, a = left.pop(0)
        k = _bracket(pool, a)
        if k is None:
            count += 1
            yield c, a
            continue
        factors, out, sizes = opened(a)
        inner, letters = factors.pop(k)
        for d, b in zip(inner.data, inner.args, strict=True):
            made = pool.product([*factors, (b, letters)], out, sizes)
            left += [(c * d * e, f) for e, f in _terms(made)]


def _bracket(pool: TermPool, a: Term) -> int | None:
    """Return the place of a factor that is a sum of arrays, also in aᵀ(b + c), and none that the user wrote."""
    if a.kind != PRODUCT:
        return None
    factors, _, _ = opened(a)
    if len(factors) == 1:  # a transpose
        return None
    sums = (k for k, (f, _) in enumerate(factors) if _is_bracket(pool, f))
    return next(sums, None)


def _is_bracket(pool: TermPool, f: Term) -> bool:
    return f.kind == SUM and bool(f.shape) and len(f.args) > 1 and f not in pool.written


def _terms(t: Term) -> list[tuple[Any, Term]]:
    return list(zip(t.data, t.args, strict=True)) if t.kind == SUM else [(1, t)]
