"""Rules of what is equal along an axis: it is computed without the axis, and then spread, as in 1/(r·1ᵀ) = (1/r)·1ᵀ.

Each rule answers with another term, or None where it does not apply.
"""

from __future__ import annotations

from symgrad.forms.canon.terms import FUNCTION, POWER, PRODUCT, SUM, Pool, Shape, Term, rule, value_of


def _free(t: Term, rank: int) -> frozenset[int]:
    """Return the axes along which all entries of a term are equal."""
    if not t.shape or value_of(t) is not None:
        return frozenset(range(rank))
    if t.kind != PRODUCT:
        return frozenset()
    subs, out, _ = t.data
    used = {k for s in subs for k in s}
    return frozenset(axis for axis, k in enumerate(out) if k not in used)


def _reduced(pool: Pool, t: Term, axes: frozenset[int], shape: Shape) -> Term:
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
    free = frozenset(range(rank)).intersection(*[_free(a, rank) for a in t.args])
    return frozenset() if all(value_of(a) is not None for a in t.args) else free


def _spread(pool: Pool, found: Term, axes: frozenset[int], shape: Shape) -> Term:
    letters = tuple(range(len(shape)))
    return pool.product(
        [(found, tuple(k for k in letters if k not in axes))], letters, dict(zip(letters, shape, strict=True))
    )


def _apart(pool: Pool, t: Term) -> tuple[list[Term], frozenset[int], Shape] | None:
    """Return the arguments without the axes along which they are equal, these axes, and the shape that is left."""
    axes = _axes(t)
    if not axes:
        return None
    shape = tuple(n for axis, n in enumerate(t.shape) if axis not in axes)
    return [_reduced(pool, a, axes, shape) for a in t.args], axes, shape


@rule(POWER)
def power_of_a_spread(pool: Pool, t: Term) -> Term | None:
    """(r·1ᵀ)ⁿ is rⁿ·1ᵀ."""
    found = _apart(pool, t)
    return None if found is None else _spread(pool, pool.power(found[0][0], t.data), found[1], t.shape)


@rule(FUNCTION)
def function_of_a_spread(pool: Pool, t: Term) -> Term | None:
    """f(r·1ᵀ) is f(r)·1ᵀ."""
    found = _apart(pool, t)
    return None if found is None else _spread(pool, pool.function(t.data, found[0], found[2]), found[1], t.shape)


@rule(SUM)
def sum_of_spreads(pool: Pool, t: Term) -> Term | None:
    """r·1ᵀ + s·1ᵀ is (r + s)·1ᵀ."""
    found = _apart(pool, t)
    if found is None:
        return None
    return _spread(pool, pool.sum(zip(t.data, found[0], strict=True), found[2]), found[1], t.shape)
