"""Rules for terms that are constant along an axis: computed without it, then spread, as in 1/(r·1ᵀ) = (1/r)·1ᵀ.

Rules of products change the draft they are given and say whether they did; others answer with another term, or None.
"""

from __future__ import annotations

from symgrad.forms.canon.products import is_simplex
from symgrad.forms.canon.terms import (
    FUNCTION,
    POWER,
    PRODUCT,
    SUM,
    Draft,
    Letters,
    Shape,
    Term,
    TermPool,
    rule,
    value_of,
)


def free_axes(t: Term, rank: int) -> frozenset[int]:
    """Return the axes along which all entries of a term are equal."""
    if not t.shape or value_of(t) is not None:
        return frozenset(range(rank))
    if t.kind != PRODUCT:
        return frozenset()
    subs, out, _ = t.data
    used = {k for s in subs for k in s}
    return frozenset(axis for axis, k in enumerate(out) if k not in used)


def without_axes(pool: TermPool, t: Term, axes: frozenset[int], shape: Shape) -> Term:
    """Return a term without axes along which it is equal."""
    value = value_of(t)
    if value is not None:
        return pool.constant(value, shape if t.shape else ())
    if not t.shape:
        return t
    subs, out, sizes = t.data
    kept = tuple(k for axis, k in enumerate(out) if axis not in axes)
    gone = set(out) - set(kept)
    return pool.product(list(zip(t.args, subs, strict=True)), kept, {k: n for k, n in sizes if k not in gone})


def _axes(t: Term) -> frozenset[int]:
    """Return the axes along which all arguments are equal; none where they are numbers in every entry."""
    rank = len(t.shape)
    free = frozenset(range(rank)).intersection(*[free_axes(a, rank) for a in t.args])
    return frozenset() if all(value_of(a) is not None for a in t.args) else free


def _spread(pool: TermPool, term: Term, axes: frozenset[int], shape: Shape) -> Term:
    letters = tuple(range(len(shape)))
    return pool.product(
        [(term, tuple(k for k in letters if k not in axes))], letters, dict(zip(letters, shape, strict=True))
    )


def _apart(pool: TermPool, t: Term) -> tuple[list[Term], frozenset[int], Shape] | None:
    """Return the arguments without the axes along which they are equal, these axes, and the shape that is left."""
    axes = _axes(t)
    if not axes:
        return None
    shape = tuple(n for axis, n in enumerate(t.shape) if axis not in axes)
    return [without_axes(pool, a, axes, shape) for a in t.args], axes, shape


@rule(POWER)
def power_of_a_spread(pool: TermPool, t: Term) -> Term | None:
    """(r·1ᵀ)ⁿ is rⁿ·1ᵀ."""
    parts = _apart(pool, t)
    return None if parts is None else _spread(pool, pool.power(parts[0][0], t.data), parts[1], t.shape)


@rule(FUNCTION)
def function_of_a_spread(pool: TermPool, t: Term) -> Term | None:
    """f(r·1ᵀ) is f(r)·1ᵀ."""
    parts = _apart(pool, t)
    return None if parts is None else _spread(pool, pool.function(t.data, parts[0], parts[2]), parts[1], t.shape)


@rule(SUM)
def sum_of_spreads(pool: TermPool, t: Term) -> Term | None:
    """r·1ᵀ + s·1ᵀ is (r + s)·1ᵀ."""
    parts = _apart(pool, t)
    if parts is None:
        return None
    return _spread(pool, pool.sum(zip(t.data, parts[0], strict=True), parts[2]), parts[1], t.shape)


@rule(PRODUCT)
def mean_of_a_constant(d: Draft) -> bool:
    """Σ_j p_j (x_j - c) is Σ_j p_j x_j - c of probabilities p, where that is shorter: 0 where c is the mean."""
    for k, (p, s) in enumerate(d.factors):
        if not is_simplex(p) or not s or s[-1] in d.out or d.count(s[-1]) != 2:
            continue
        for m, (f, t) in enumerate(d.factors):
            mean = _mean(d, (p, s), (f, t)) if f.kind == SUM and t.count(s[-1]) == 1 else None
            if mean is not None:
                d.factors = [g for n, g in enumerate(d.factors) if n not in (k, m)] + [mean]
                del d.sizes[s[-1]]
                return True
    return False


def _mean(d: Draft, weights: tuple[Term, Letters], values: tuple[Term, Letters]) -> tuple[Term, Letters] | None:
    """Return the mean of a sum, without the part that is constant along the weights' last letter, and its letters."""
    (p, s), (f, t) = weights, values
    axis, kept = t.index(s[-1]), tuple(k for k in t if k != s[-1])
    if not set(s[:-1]) <= set(kept):
        return None
    alike = [axis in free_axes(a, len(f.shape)) for a in f.args]
    if not any(alike):
        return None
    shape = tuple(d.sizes[k] for k in kept)
    parts = list(zip(f.data, f.args, alike, strict=True))
    rest = d.pool.sum([(c, a) for c, a, same in parts if not same], f.shape)
    mean = d.pool.product([(p, s), (rest, t)], kept, {k: d.sizes[k] for k in t})
    apart = [(c, without_axes(d.pool, a, frozenset({axis}), shape)) for c, a, same in parts if same]
    total = d.pool.sum([(1, mean), *apart], shape)
    fewer = total.kind != SUM or len(total.args) < len(f.args)
    shorter = bool(kept) and len(s) == 1 and len(total.args) == len(f.args) and total.cost < f.cost + p.cost + 1
    return (total, kept) if fewer or shorter else None
