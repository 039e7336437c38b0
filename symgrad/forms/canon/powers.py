"""Rules of powers and products: xᵇ⁻¹·x is xᵇ, the product of all other entries is Π x/x_i where no entry is 0.

Each rule of products changes the draft it is given and says whether it did.
"""

from __future__ import annotations

import sympy as sp

from symgrad.forms.canon.terms import (
    CALL,
    FUNCTION,
    LEAF,
    NAMED,
    POWER,
    PRODUCT,
    SUM,
    Draft,
    Letters,
    Pool,
    Term,
    rule,
    value_of,
)
from symgrad.ops.reductions.reduce import Prod
from symgrad.ops.reductions.scan import Cumprod
from symgrad.ops.reductions.softmax import Softmax
from symgrad.scalars import SCALARS

POSITIVE = {sp.exp, sp.cosh, *(SCALARS[n].function for n in ("sigmoid", "softplus", "normal_pdf", "ndtr"))}


def is_positive(t: Term) -> bool:
    """Whether every entry is above 0, as marks and functions tell."""
    value = value_of(t)
    if value is not None:
        return bool(value.is_positive)
    if t.kind == LEAF:
        return "positive" in t.data[1]
    if t.kind == FUNCTION:
        return t.data in POSITIVE or (t.data is sp.Pow and is_positive(t.args[0]))
    if t.kind == CALL:
        return isinstance(t.data, Softmax)
    if t.kind == SUM:
        return bool(t.args) and all(c.is_positive for c in t.data) and all(map(is_positive, t.args))
    return t.kind in (POWER, PRODUCT, NAMED) and all(map(is_positive, t.args))


# ------------------------------------------------------------------ powers with an array in the exponent
@rule(PRODUCT)
def powers_of_one_base(d: Draft) -> bool:
    """x·xᵇ⁻¹ is xᵇ, and xᵃ·xᵇ is xᵃ⁺ᵇ where that is shorter."""
    for p, (f, s) in enumerate(d.factors):
        if f.kind != FUNCTION or f.data is not sp.Pow:
            continue
        for q, (g, t) in enumerate(d.factors):
            joined = _joined_power(d.pool, f, g) if q != p and s == t else None
            if joined is not None:
                d.factors[p] = (joined, s)
                del d.factors[q]
                return True
    return False


def _joined_power(pool: Pool, f: Term, g: Term) -> Term | None:
    """Return xᵃ·xᵇ, one of them perhaps with a number in the exponent, where that is shorter."""
    base, a = f.args
    if g.kind == FUNCTION and g.data is sp.Pow and g.args[0] is base:
        b = g.args[1]
    elif g is base or (g.kind == POWER and g.args[0] is base):
        b = pool.constant(sp.S.One if g is base else g.data, a.shape)
    else:
        return None
    exponent = pool.sum([(1, a), (1, b)], a.shape)
    value = value_of(exponent)
    if value is not None:
        return pool.ones(f.shape) if value == 0 else pool.power(base, value)
    return pool.function(sp.Pow, [base, exponent], f.shape) if exponent.cost < a.cost + (g is not base) else None


@rule(POWER)
def power_of_an_array_power(pool: Pool, t: Term) -> Term | None:
    """(xᵃ)ⁿ is xⁿᵃ where n is a whole number."""
    (b,) = t.args
    if b.kind != FUNCTION or b.data is not sp.Pow or not t.data.is_integer:
        return None
    base, a = b.args
    return pool.function(sp.Pow, [base, pool.sum([(t.data, a)], a.shape)], t.shape)


# ------------------------------------------------------------------ products of all entries
@rule(PRODUCT)
def product_of_the_others(d: Draft) -> bool:
    """Π_{k≠i} x_k is Π x/x_i where no entry is 0: they are positive, or Π x stands below the bar."""
    for p, (f, s) in enumerate(d.factors):
        if not _runs(f, reverse=False):
            continue
        (x,), axis = f.args, f.data.axis
        q = next((k for k, (g, t) in enumerate(d.factors) if _runs(g, reverse=True) and g.args[0] is x and t == s), -1)
        whole = d.pool.call(Prod((axis,), False), [x], (*x.shape[:axis], *x.shape[axis + 1 :]))
        at = (*s[:axis], *s[axis + 1 :])
        if q < 0 or not (is_positive(x) or _is_below(d, whole, at)):
            continue
        d.factors = [pair for k, pair in enumerate(d.factors) if k not in (p, q)]
        d.factors += [(whole, at), (d.pool.power(x, -1), s)]
        return True
    return False


def _runs(f: Term, reverse: bool) -> bool:
    return f.kind == CALL and isinstance(f.data, Cumprod) and f.data.exclusive and f.data.reverse == reverse


def _is_below(d: Draft, whole: Term, at: Letters) -> bool:
    return any(f.kind == POWER and f.args[0] is whole and f.data.is_negative and s == at for f, s in d.factors)
