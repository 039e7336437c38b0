"""Rules of complex numbers: conj goes inwards to the leaves, x̄ and Re x of real x are x, z·z̄ is |z|²."""

from __future__ import annotations

from typing import Any

import sympy as sp

from symgrad.core.promotion import complexes, parts
from symgrad.forms.canon.terms import (
    CALL,
    EYE,
    FUNCTION,
    LEAF,
    NAMED,
    POWER,
    PRODUCT,
    SUM,
    Draft,
    Term,
    TermPool,
    below,
    rule,
    value_of,
)
from symgrad.ops.linalg.determinant import Det

CONJ, RE, IM, ARG, ABS = sp.conjugate, sp.re, sp.im, sp.arg, sp.Abs
REAL_PARTS = (RE, IM, ARG, ABS)


def is_complex(pool: TermPool, t: Term) -> bool:
    """Whether entries of the term may be no real numbers, as leaves and functions tell."""
    if not pool.imaginary:
        return False
    answer = pool.complexes.get(t)
    if answer is None:
        answer = pool.complexes[t] = _may_be_complex(pool, t)
    return answer


def _may_be_complex(pool: TermPool, t: Term) -> bool:
    if t.kind == LEAF:
        return "complex" in t.data[1]
    if t.kind == EYE or (t.kind == FUNCTION and t.data in REAL_PARTS):
        return False
    if t.kind == CALL and type(t.data).gives in (complexes, parts):
        return type(t.data).gives is complexes
    if t.kind == SUM and any(not c.is_extended_real for c in t.data if c.is_number):
        return True
    return any(is_complex(pool, a) for a in t.args)


def conj(pool: TermPool, t: Term) -> Term:
    """x̄ of a term."""
    return pool.function(CONJ, [t], t.shape)


@rule(FUNCTION)
def conjugate(pool: TermPool, t: Term) -> Term | None:
    """x̄ is x of real x, conj(z̄) is z, and conj goes into sums, products, powers, functions; Āᵀ of a Hermitian is A."""
    if t.data is not CONJ:
        return None
    (a,) = t.args
    if not is_complex(pool, a):
        return a
    if a.kind == SUM:
        return pool.sum([(sp.conjugate(c), conj(pool, b)) for c, b in zip(a.data, a.args, strict=True)], a.shape)
    if a.kind == PRODUCT:
        subs, out, sizes = a.data
        return pool.product([(conj(pool, f), s) for f, s in zip(a.args, subs, strict=True)], out, dict(sizes))
    if a.kind == POWER:
        return pool.power(conj(pool, a.args[0]), a.data)
    if a.kind == FUNCTION and a.data is CONJ:
        return a.args[0]
    if a.kind == FUNCTION:
        return pool.function(a.data, [conj(pool, b) for b in a.args], a.shape)
    if a.kind == LEAF and "hermitian" in a.data[1]:
        return pool.transposed(a)
    if a.kind == CALL and _of_hermitian(pool, a):
        return a if not a.shape else pool.transposed(a)
    return None


def _of_hermitian(pool: TermPool, t: Term) -> bool:
    """Whether this is the inverse or the determinant of a Hermitian matrix, which is Hermitian, or real."""
    kept = bool(t.args) and (isinstance(t.data, Det) or t.data.keeps_symmetry)
    return kept and all(len(a.shape) == 2 and conj(pool, a) is pool.exchanged(a) for a in t.args)


@rule(CALL)
def call_of_conjugates(pool: TermPool, t: Term) -> Term | None:
    """f(Z̄) is conj(f(Z)) of a named operation: (Xᴴ)⁻¹ is the adjoint of X⁻¹."""
    if not (pool.imaginary and t.data.conjugates and any(map(_has_conjugate, t.args))):
        return None
    inner = [conj(pool, a) for a in t.args]
    shorter = sum(a.cost for a in inner) < sum(a.cost for a in t.args)
    return conj(pool, pool.call(t.data, inner, t.shape)) if shorter else None


def _has_conjugate(t: Term) -> bool:
    return any(a.kind == FUNCTION and a.data is CONJ for a in below([t]))


@rule(FUNCTION)
def part(pool: TermPool, t: Term) -> Term | None:
    """Re x is x and Im x is 0 of real x; both go into sums with real coefficients; |z̄| is |z|, |c z| is |c| |z|."""
    if t.data not in REAL_PARTS:
        return None
    (a,) = t.args
    if not is_complex(pool, a):
        return {RE: a, IM: pool.zero(t.shape)}.get(t.data)
    if not t.shape and (value := value_of(a)) is not None:
        return pool.constant(t.data(value))
    if t.data is RE and a.kind == PRODUCT and conj(pool, a) is a:  # wᴴ A w of a Hermitian A
        return a
    if _has_conjugate(a) and conj(pool, a).cost < a.cost:
        z = pool.function(t.data, [conj(pool, a)], t.shape)
        return z if t.data in (RE, ABS) else pool.sum([(-1, z)], t.shape)
    if a.kind != SUM:
        return None
    if t.data is ABS and len(a.args) == 1:
        return pool.sum([(abs(a.data[0]), pool.function(ABS, a.args, t.shape))], t.shape)
    if t.data in (RE, IM) and all(_is_plain(c) for c in a.data):
        return pool.sum([_part_of(pool, t.data, c, b) for c, b in zip(a.data, a.args, strict=True)], t.shape)
    return None


def _is_plain(c: Any) -> bool:
    """Whether a coefficient is real or imaginary."""
    return bool(c.is_extended_real or not c.is_number or (c / sp.I).is_extended_real)


def _part_of(pool: TermPool, head: Any, c: Any, b: Term) -> tuple[Any, Term]:
    """Re(i x) = -Im x, Im(i x) = Re x."""
    if c.is_extended_real or not c.is_number:
        return c, pool.function(head, [b], b.shape)
    c = c / sp.I
    return (-c, pool.function(IM, [b], b.shape)) if head is RE else (c, pool.function(RE, [b], b.shape))


@rule(PRODUCT)
def square_of_the_absolute_value(d: Draft) -> bool:
    """z·z̄ is |z|², entry by entry."""
    for p, (f, s) in enumerate(d.factors):
        if not is_complex(d.pool, f) or f.kind == NAMED:
            continue
        other = conj(d.pool, f)
        q = next((k for k, (g, t) in enumerate(d.factors) if k != p and g is other and t == s), -1)
        if q >= 0:
            d.factors[p] = (d.pool.power(d.pool.function(ABS, [f if f.uid < other.uid else other], f.shape), 2), s)
            del d.factors[q]
            return True
    return False


@rule(SUM)
def twice_a_part(pool: TermPool, t: Term) -> Term | None:
    """z + z̄ is 2 Re z, and z - z̄ is 2i Im z."""
    for k, (c, a) in enumerate(zip(t.data, t.args, strict=True)):
        if not is_complex(pool, a):
            continue
        other = conj(pool, a)
        m = next((m for m, b in enumerate(t.args) if m > k and b is other and abs(t.data[m]) == abs(c)), -1)
        if m < 0 or c not in (t.data[m], -t.data[m]):
            continue
        z = a if a.uid < other.uid else other
        same = t.data[m] == c
        rest = _without(t, k, m)
        twice = 2 * c if same else 2 * sp.I * (c if z is a else -c)
        return pool.sum([*rest, (twice, pool.function(RE if same else IM, [z], t.shape))], t.shape)
    return None


@rule(SUM)
def parts_together(pool: TermPool, t: Term) -> Term | None:
    """Re z + i Im z is z, and Re z - i Im z is z̄."""
    if not pool.imaginary:
        return None
    for k, (c, a) in enumerate(zip(t.data, t.args, strict=True)):
        if a.kind != FUNCTION or a.data is not RE:
            continue
        other = pool.function(IM, a.args, a.shape)
        m = next((m for m, b in enumerate(t.args) if b is other and t.data[m] in (c * sp.I, -c * sp.I)), -1)
        if m >= 0:
            (z,) = a.args
            whole = (c, z if t.data[m] == c * sp.I else conj(pool, z))
            return pool.sum([*_without(t, k, m), whole], t.shape)
    return None


def _without(t: Term, *places: int) -> list[tuple[Any, Term]]:
    """The terms of a sum but for those at these places."""
    return [(c, a) for j, (c, a) in enumerate(zip(t.data, t.args, strict=True)) if j not in places]
