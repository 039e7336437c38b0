"""Rules of diagonal matrices: I + diag(u) is diag(1 + u), and (I - u·1ᵀ)·diag(u) is diag(u) - u·uᵀ."""

from __future__ import annotations

from typing import Any

from symgrad.forms.canon.products import is_whole, opened
from symgrad.forms.canon.terms import CALL, EYE, PRODUCT, SUM, Draft, Letters, Term, TermPool, rule, split
from symgrad.ops.linalg.solving import Inverse


def diagonal(pool: TermPool, t: Term) -> Term | None:
    """Return v of diag(v), ones of I, and None of any other matrix."""
    if t.kind == EYE:
        return pool.ones(t.shape[:1])
    if t.kind != PRODUCT or len(t.shape) != 2:
        return None
    subs, out, sizes = t.data
    factors = list(zip(t.args, subs, strict=True))
    rest = [(f, s) for f, s in factors if f.kind != EYE]
    across = [s for f, s in factors if f.kind == EYE]
    if len(across) != 1 or set(across[0]) != set(out) or any(out[1] in s for _, s in rest):
        return None
    return pool.product(rest, out[:1], {k: n for k, n in sizes if k != out[1]})


def as_matrix(pool: TermPool, v: Term) -> Term:
    """Return the matrix diag(v)."""
    (n,) = v.shape
    return pool.product([(v, (0,)), (pool.eye(n), (0, 1))], (0, 1), {0: n, 1: n})


@rule(SUM)
def diagonals_add(pool: TermPool, t: Term) -> Term | None:
    """I + diag(u) is diag(1 + u)."""
    if len(t.shape) != 2:
        return None
    diagonals = [(c, v) for c, a in zip(t.data, t.args, strict=True) if (v := diagonal(pool, a)) is not None]
    if len(diagonals) < 2:
        return None
    rest = [(c, a) for c, a in zip(t.data, t.args, strict=True) if diagonal(pool, a) is None]
    joined = as_matrix(pool, pool.sum(diagonals, t.shape[:1]))
    return pool.sum([(1, joined), *rest], t.shape)


@rule(SUM)
def symmetric_factor(pool: TermPool, t: Term) -> Term | None:
    """A + x·xᵀ·A is (I + x·xᵀ)·A: a common matrix is taken out where the other factor is symmetric."""
    if len(t.shape) != 2 or len(t.args) != 2:
        return None
    one, two = ((c, *_opened(a)) for c, a in zip(t.data, t.args, strict=True))
    for near, far in ((one, two), (two, one)):
        for axis in (0, 1):
            product = _taken_out(pool, near, far, axis)
            if product is not None:
                return product
    return None


Opened = tuple[Any, list[tuple[Term, Letters]], Letters, dict[int, Any]]  # coefficient, factors, output and sizes


def _opened(a: Term) -> tuple[list[tuple[Term, Letters]], Letters, dict[int, Any]]:
    return opened(a) if a.kind == PRODUCT else ([(a, (0, 1))], (0, 1), dict(enumerate(a.shape)))


def _taken_out(pool: TermPool, near: Opened, far: Opened, axis: int) -> Term | None:
    """Return (c·I + d·rest)·A of c·A and d·rest·A, or its mirror image, where A alone has the output's axis."""
    a, b = (_alone(side[1], side[2][axis]) for side in (near, far))
    if a is None or b is None or a[0] is not b[0] or a[0].kind == EYE:
        return None
    (f, s), (_, t) = a, b
    place = s.index(near[2][axis])
    start, k = s[1 - place], t[1 - place]
    if start != near[2][1 - axis] or k in far[2] or t.index(far[2][axis]) != place:
        return None
    n = near[3][start]
    fresh = max(near[3]) + 1
    one = _rest(pool, near, a, (start, fresh), [(pool.eye(n), (start, fresh))])
    two = _rest(pool, far, b, (far[2][1 - axis], k), [])
    inner = pool.sum([(near[0], one), (far[0], two)], (n, n))
    if diagonal(pool, two) is not None or not is_whole(pool, inner):
        return None
    at = (1, 2) if place == 1 else (2, 1)
    sizes = {0: n, 1: n, 2: near[3][s[place]]}
    return pool.product([(inner, (0, 1)), (f, at)], (2, 0) if axis == 0 else (0, 2), sizes)


def _alone(factors: list[tuple[Term, Letters]], k: int) -> tuple[Term, Letters] | None:
    """Return the one factor with a letter, a matrix."""
    matches = [(f, s) for f, s in factors if k in s]
    return matches[0] if len(matches) == 1 and len(set(matches[0][1])) == 2 else None


def _rest(pool: TermPool, side: Opened, gone: Any, out: Letters, more: list[tuple[Term, Letters]]) -> Term:
    """Return the product without a factor, with another output."""
    factors = [x for x in side[1] if x != gone] + more
    inside = {k for _, s in factors for k in s} | set(out)
    sizes = {**side[3], out[1]: side[3][out[0]]}
    return pool.product(factors, out, {k: m for k, m in sizes.items() if k in inside})


@rule(PRODUCT)
def symmetric_matrix_stays_whole(d: Draft) -> bool:
    """diag(u)·(I - 1·uᵀ) is diag(u) - u·uᵀ: a symmetric matrix is written so that one sees it, also as a factor."""
    if symmetric_matrix_stays_whole in d.pool.in_progress:
        return False
    for p, (f, s) in enumerate(d.factors):
        if f.kind != SUM or len(f.args) != 2 or len(set(s)) != 2:
            continue
        for q, (v, letters) in enumerate(d.factors):
            if len(letters) != 1 or letters[0] not in s:
                continue
            d.pool.in_progress.add(symmetric_matrix_stays_whole)
            whole = _times_diagonal(d.pool, f, v, s.index(letters[0]))
            d.pool.in_progress.discard(symmetric_matrix_stays_whole)
            if _has_whole(d.pool, whole) and not _has_whole(d.pool, f):
                d.factors[p] = (whole, s)
                del d.factors[q]
                return True
    return False


def _has_whole(pool: TermPool, t: Term) -> bool:
    return any(is_whole(pool, f) for f in (t.args if t.kind == PRODUCT else (t,)))


def _times_diagonal(pool: TermPool, f: Term, v: Term, axis: int) -> Term:
    """Return diag(v)·f, or f·diag(v), term by term."""
    sizes: dict[int, Any] = dict(enumerate(f.shape))
    out: Letters = (0, 1)
    parts = [(c, pool.product([(a, out), (v, (axis,))], out, sizes)) for c, a in zip(f.data, f.args, strict=True)]
    numbers, terms = zip(*[(c * split(a)[0], split(a)[1]) for c, a in parts], strict=True)
    return symmetric_factor(pool, pool.make(SUM, terms, numbers, f.shape)) or pool.sum(parts, f.shape)


@rule(CALL)
def inverse_of_a_diagonal(pool: TermPool, t: Term) -> Term | None:
    """The inverse of diag(v) is diag(1/v)."""
    v = diagonal(pool, t.args[0]) if isinstance(t.data, Inverse) else None
    return None if v is None else as_matrix(pool, pool.power(v, -1))
