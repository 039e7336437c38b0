"""Rules of softmax and log Σ eˣ however they were written: quotients of exponentials, the largest entry subtracted.

Rules of products change the draft they are given and say whether they did; others answer with another term, or None.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import sympy as sp

from symgrad.forms.canon.terms import (
    CALL,
    FUNCTION,
    POWER,
    PRODUCT,
    SUM,
    Draft,
    Term,
    TermPool,
    rule,
    split,
)
from symgrad.ops.reductions.softmax import LogSumExp, Softmax


def sum_of_exp(a: Term) -> tuple[Term, int] | None:
    """Return z and the axis where a is Σ eᶻ along one axis."""
    if a.kind != PRODUCT or len(a.args) != 1 or a.args[0].kind != FUNCTION or a.args[0].data is not sp.exp:
        return None
    (s,), out, _ = a.data
    own = [axis for axis, k in enumerate(s) if k not in out]
    return (a.args[0].args[0], own[0]) if len(own) == 1 and _without(s, own[0]) == out else None


def _without(s: Sequence[Any], axis: int) -> tuple[Any, ...]:
    return (*s[:axis], *s[axis + 1 :])


def axis_last(pool: TermPool, z: Term, axis: int) -> Term:
    """Return a term with one axis moved to the end."""
    letters = tuple(range(len(z.shape)))
    return pool.product([(z, letters)], (*_without(letters, axis), axis), dict(enumerate(z.shape)))


def log_sum_exp(pool: TermPool, z: Term, axis: int) -> Term:
    """Log Σ eᶻ along an axis."""
    moved = axis_last(pool, z, axis)
    return pool.call(LogSumExp((len(z.shape) - 1,), False), [moved], moved.shape[:-1])


def softmax(pool: TermPool, z: Term, axis: int) -> Term:
    """Softmax along an axis, moved to the end."""
    moved = axis_last(pool, z, axis)
    return pool.call(Softmax((len(z.shape) - 1,)), [moved], moved.shape)


@rule(PRODUCT)
def softmax_quotient(d: Draft) -> bool:
    """eˣ/Σ eˣ is softmax(x), and so with powers."""
    for p, (f, s) in enumerate(d.factors):
        pair = sum_of_exp(f.args[0]) if f.kind == POWER and f.data.is_integer and f.data.is_negative else None
        for q, (g, t) in enumerate(d.factors):
            if pair is None or g.kind != FUNCTION or g.data is not sp.exp or _without(t, pair[1]) != s:
                continue
            z, axis = pair
            n = _multiple(d.pool, g.args[0], z)
            if not (n.is_Integer and n >= 1):
                continue
            m = min(n, -f.data)
            rest = d.pool.function(sp.exp, [d.pool.sum([(n - m, z)], z.shape)], z.shape)
            d.factors[q] = (d.pool.power(softmax(d.pool, z, axis), m), (*_without(t, axis), t[axis]))
            d.factors[p] = (d.pool.power(f.args[0], f.data + m) if f.data + m else d.pool.ones(f.shape), s)
            d.factors.append((rest, t))
            return True
    return False


def _multiple(pool: TermPool, a: Term, z: Term) -> Any:
    """Return n where a is n·z, else 0."""
    if a is z:
        return sp.S.One
    if a.kind != SUM or not a.args:
        return sp.S.Zero
    own = split(z)[0] if z.kind == SUM and len(z.args) == 1 else (z.data[0] if z.kind == SUM else sp.S.One)
    n = a.data[0] / own
    return n if pool.sum([(n, z)], z.shape) is a else sp.S.Zero


@rule(CALL)
def shifted_softmax(pool: TermPool, t: Term) -> Term | None:
    """softmax(x + c) is softmax(x), and log Σ eˣ⁺ᶜ is c + log Σ eˣ, where c is equal along the axis."""
    if not isinstance(t.data, (Softmax, LogSumExp)) or t.args[0].kind != SUM:
        return None
    (z,), (axis,) = t.args, t.data.axes if len(t.data.axes) == 1 else (None,)
    if axis != len(z.shape) - 1:
        return None
    parts = [x for c, a in zip(z.data, z.args, strict=True) for x in _parts(pool, c, a)]
    moved = [(c, a) for c, a in parts if _is_equal_along_last(a)]
    kept = [(c, a) for c, a in parts if not _is_equal_along_last(a)]
    if not moved or not kept:
        return None
    term = pool.call(t.data, [pool.sum(kept, z.shape)], t.shape)
    if isinstance(t.data, Softmax):
        return term
    return pool.sum([(1, term), *[(c, _without_last(pool, a)) for c, a in moved]], t.shape)


def _parts(pool: TermPool, c: Any, a: Term) -> list[tuple[Any, Term]]:
    """Return a term of a sum, or where it is a sum in each row, 1·(l - c)ᵀ, the terms of that."""
    if (
        a.kind != PRODUCT
        or len(a.args) != 1
        or a.args[0].kind != SUM
        or not any(map(_is_equal_along_last, a.args[0].args))
    ):
        return [(c, a)]
    (inner,), (subs, out, sizes) = a.args, a.data
    return [
        (c * d, pool.product([(b, subs[0])], out, dict(sizes))) for d, b in zip(inner.data, inner.args, strict=True)
    ]


def _is_equal_along_last(a: Term) -> bool:
    if a.kind != PRODUCT:
        return False
    subs, out, _ = a.data
    return not any(out[-1] in s for s in subs)


def _without_last(pool: TermPool, a: Term) -> Term:
    subs, out, sizes = a.data
    return pool.product(list(zip(a.args, subs, strict=True)), out[:-1], {k: n for k, n in sizes if k != out[-1]})
