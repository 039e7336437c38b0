"""Rules of two functions of one argument: sinh/cosh is tanh, sign(x)·|x| is x, relu(x)·[x > 0] is relu(x).

Each rule of products changes the draft it is given and says whether it did.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import sympy as sp

from symgrad.forms.canon.terms import FUNCTION, LEAF, POWER, PRODUCT, Draft, Letters, Term, TermPool, rule, value_of
from symgrad.scalars import SCALARS, clamp_min

RELU, CLAMP = SCALARS["relu"].function, SCALARS["clamp"].function
QUOTIENTS = {sp.sinh: (sp.cosh, sp.tanh), sp.sin: (sp.cos, sp.tan)}


def _factors(d: Draft) -> Iterator[tuple[int, Term, Any, Letters]]:
    """Yield place, base, exponent and letters of each factor."""
    for k, (f, s) in enumerate(d.factors):
        yield (k, f.args[0], f.data, s) if f.kind == POWER else (k, f, sp.S.One, s)


def _is(t: Term, head: Any) -> bool:
    return t.kind == FUNCTION and t.data is head


@rule(PRODUCT)
def tangent(d: Draft) -> bool:
    """sinh/cosh is tanh, and sin/cos is tan."""
    for p, f, m, s in _factors(d):
        under, quotient = QUOTIENTS.get(f.data, (None, None)) if f.kind == FUNCTION else (None, None)
        for q, g, n, t in _factors(d):
            if under is None or t != s or not _is(g, under) or g.args != f.args or not m.is_positive or n > -m:
                continue
            d.factors[p] = (d.pool.power(d.pool.function(quotient, f.args, f.shape), m), s)
            d.factors[q] = (_power(d.pool, g, n + m), t)
            return True
    return False


def _power(pool: TermPool, a: Term, n: Any) -> Term:
    return pool.ones(a.shape) if n == 0 else pool.power(a, n)


@rule(PRODUCT)
def sign_of_a_factor(d: Draft) -> bool:
    """sign(x)·|x|ⁿ is x·|x|ⁿ⁻¹, sign(x)/|x| is 1/x, and sign(x)·xⁿ is |x|·xⁿ⁻¹."""
    for p, f, m, s in _factors(d):
        if not _is(f, sp.sign) or m != 1:
            continue
        (x,) = f.args
        size = d.pool.function(sp.Abs, [x], x.shape)
        for q, g, n, t in _factors(d):
            other = {size: x, x: size}.get(g)
            if t != s or other is None or not (n >= 1 or n == -1):
                continue
            d.factors[p] = (d.pool.power(other, 1 if n >= 1 else -1), s)
            d.factors[q] = (_power(d.pool, g, n - 1 if n >= 1 else 0), t)
            return True
    return False


@rule(FUNCTION)
def clamped_at_zero(pool: TermPool, t: Term) -> Term | None:
    """Replace max(x, 0) by relu(x)."""
    if t.data is not clamp_min or value_of(t.args[1]) != 0:
        return None
    return pool.function(RELU, t.args[:1], t.shape)


@rule(PRODUCT)
def relu_is_zero_elsewhere(d: Draft) -> bool:
    """relu(x)·[x > 0] is relu(x), and so with ≥."""
    for _, f, m, s in _factors(d):
        if not _is(f, RELU) or not m.is_positive:
            continue
        for q, g, _, t in _factors(d):
            above = g.kind == FUNCTION and g.data in (sp.Gt, sp.Ge)
            if t == s and above and g.args[0] is f.args[0] and value_of(g.args[1]) == 0:
                del d.factors[q]
                return True
    return False


@rule(PRODUCT)
def clamp_is_its_argument_between(d: Draft) -> bool:
    """clamp(x, a, b)·[x ≥ a]·[x ≤ b] is x·[x ≥ a]·[x ≤ b], and so with > and <."""
    for p, f, n, s in _factors(d):
        if not _is(f, CLAMP) or f.args[0].shape != f.shape or not (n.is_Integer and n.is_positive):
            continue
        x, low, high = f.args
        held = [g for g, t in d.factors if t == s and g.kind == FUNCTION and g.args[0] is x]
        above = any(g.data in (sp.Gt, sp.Ge) and g.args[1] is low for g in held)
        if above and any(g.data in (sp.Lt, sp.Le) and g.args[1] is high for g in held):
            d.factors[p] = (d.pool.power(x, n), s)
            return True
    return False


@rule(FUNCTION)
def power_without_a_case(pool: TermPool, t: Term) -> Term | None:
    """where(a = 0, 0, a·xᵃ⁻¹) is a·xᵃ⁻¹, where x is marked positive."""
    if t.data is not sp.Piecewise or len(t.args) != 4 or value_of(t.args[0]) != 0 or t.args[2].kind != PRODUCT:
        return None
    _, condition, otherwise, _ = t.args
    powers = [f.args[0] for f in otherwise.args if _is(f, sp.Pow)]
    if not _is(condition, sp.Eq) or value_of(condition.args[1]) != 0 or condition.args[0] not in otherwise.args:
        return None
    return otherwise if powers and all(_is_positive(x) for x in powers) else None


def _is_positive(x: Term) -> bool:
    value = value_of(x)
    return value.is_positive if value is not None else x.kind == LEAF and "positive" in x.data[1]
