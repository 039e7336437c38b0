"""Rules of the normal distribution: what a program writes with exp, √(2π) and erf is φ and Φ."""

from __future__ import annotations

from typing import Any

import sympy as sp

from symgrad.forms.canon.products import content
from symgrad.forms.canon.terms import FUNCTION, POWER, PRODUCT, SCALED, SUM, Term, TermPool, rule, split, value_of
from symgrad.scalars import SCALARS

DENSITY, DISTRIBUTION = SCALARS["normal_pdf"].function, SCALARS["ndtr"].function
HALF = sp.Rational(1, 2)


@rule(SCALED)
def normal_density(pool: TermPool, c: Any, t: Term) -> tuple[Any, Term] | None:
    """exp(-z²/2)/√(2π) is φ(z), where the function has it, or Φ: the slope of erf is not a density to its reader."""
    if c.is_Rational or not c.has(sp.pi) or (pool.is_read and not pool.heads & {DENSITY, DISTRIBUTION}):
        return None
    rest = c * sp.sqrt(2 * sp.pi)
    if rest.has(sp.pi):
        return None
    if t.kind != PRODUCT:
        density = _density(pool, t)
        return None if density is None else (rest, density)
    for k, f in enumerate(t.args):
        density = _density(pool, f)
        if density is not None:
            subs, out, sizes = t.data
            factors = [(density if m == k else a, s) for m, (a, s) in enumerate(zip(t.args, subs, strict=True))]
            return rest, pool.product(factors, out, dict(sizes))
    return None


def _density(pool: TermPool, f: Term) -> Term | None:
    """Return φ(z) where f is exp(-z²/2)."""
    if f.kind != FUNCTION or f.data is not sp.exp:
        return None
    z = _root(pool, f.args[0])
    return None if z is None else pool.function(DENSITY, [z], f.shape)


def _root(pool: TermPool, t: Term) -> Term | None:
    """Return z where t is -z²/2."""
    c, square = split(t)
    number, size = c.as_coeff_Mul()
    if not (number == -HALF and size == 1):
        return None
    factors = square.args if square.kind == PRODUCT else (square,)
    if not all(a.kind == POWER and a.data.is_Integer and a.data.is_even for a in factors):
        return None
    roots = [pool.power(a.args[0], a.data / 2) for a in factors]
    if square.kind != PRODUCT:
        return roots[0]
    subs, out, sizes = square.data
    return pool.product(list(zip(roots, subs, strict=True)), out, dict(sizes)) if len(out) == len(sizes) else None


@rule(FUNCTION)
def even_function(pool: TermPool, t: Term) -> Term | None:
    """φ(-z) is φ(z), and so for cos, cosh and |z|."""
    if t.data not in (DENSITY, sp.cos, sp.cosh, sp.Abs):
        return None
    c, z = content(pool, t.args[0])
    c, z = split(t.args[0]) if c == 1 else (c, z)
    return pool.function(t.data, [pool.sum([(-c, z)], t.shape)], t.shape) if c.could_extract_minus_sign() else None


@rule(SUM)
def normal_distribution(pool: TermPool, t: Term) -> Term | None:
    """1 + erf(z/√2) is 2Φ(z), and 1 - erf(z/√2) is 2Φ(-z)."""
    if len(t.args) != 2:
        return None
    for (c, one), (d, e) in (zip(t.data, t.args, strict=True), list(zip(t.data, t.args, strict=True))[::-1]):
        if value_of(one) != 1 or abs(c) != abs(d) or e.kind != FUNCTION or e.data is not sp.erf:
            continue
        k, z = content(pool, e.args[0])
        k, z = split(e.args[0]) if k == 1 else (k, z)
        k = k * sp.sqrt(2) * d / c
        if k.is_Rational:
            return pool.sum([(2 * c, pool.function(DISTRIBUTION, [pool.sum([(k, z)], t.shape)], t.shape))], t.shape)
    return None
