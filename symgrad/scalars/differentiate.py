"""Derivative of a payload: sums, products, powers, piecewise, and the declared functions.

SymPy's ``diff`` would use SymPy's derivatives (tanh' = 1 - tanh²); symgrad declares its own, chosen for
accuracy, so it differentiates by itself. Payloads are small: one operation, or a few fused ones.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import sympy as sp

from symgrad.scalars.declare import BY_FUNCTION, X, Y
from symgrad.scalars.elementary import power_log, power_slope


@lru_cache(maxsize=4096)
def differentiate(e: sp.Expr, x: sp.Symbol) -> sp.Expr:
    """Return de/dx for an expression made of +, ·, powers, Piecewise and declared functions."""
    if e == x:
        return sp.S.One
    if x not in e.free_symbols or not isinstance(e, sp.Expr):
        return sp.S.Zero
    if isinstance(e, sp.Add):
        return sp.Add(*[differentiate(a, x) for a in e.args])
    if isinstance(e, sp.Mul):
        return _product(e, x)
    if isinstance(e, sp.Pow):
        return _power(e, x)
    if isinstance(e, sp.Piecewise):
        return _piecewise([(differentiate(a, x), c) for a, c in e.args])
    return _declared(e, x)


def scale(g: sp.Expr, d: sp.Expr) -> sp.Expr:
    """Return g·d with g moved into the branches of a Piecewise, where ∞·0 would else give nan."""
    if isinstance(d, sp.Piecewise):
        return _piecewise([(scale(g, a), c) for a, c in d.args])
    if isinstance(d, sp.Mul):
        branches = [a for a in d.args if isinstance(a, sp.Piecewise)]
        if branches:
            rest = sp.Mul(g, *[a for a in d.args if a is not branches[0]])
            return scale(rest, branches[0])
    return g * d


def _piecewise(pairs: list[tuple[Any, Any]]) -> sp.Expr:
    if all(a == pairs[0][0] for a, _ in pairs):
        return pairs[0][0]
    return sp.Piecewise(*pairs)


def _product(e: sp.Mul, x: sp.Symbol) -> sp.Expr:
    terms = []
    for k, a in enumerate(e.args):
        d = differentiate(a, x)
        if d != 0:
            terms.append(scale(sp.Mul(*e.args[:k], *e.args[k + 1 :]), d))
    return sp.Add(*terms)


def _power(e: sp.Pow, x: sp.Symbol) -> sp.Expr:
    b, p = e.base, e.exp
    total = sp.S.Zero
    if x in b.free_symbols:
        slope = p * b ** (p - 1) if p.is_number else power_slope(b, p)
        total += scale(differentiate(b, x), slope)
    if x in p.free_symbols:
        slope = e * sp.log(b) if b.is_number else power_log(b, p)  # 0**p = 0 for every p > 0: flat in p
        total += scale(differentiate(p, x), slope)
    return total


def _declared(e: sp.Expr, x: sp.Symbol) -> sp.Expr:
    scalar = BY_FUNCTION.get(type(e))
    if scalar is None:
        raise TypeError(f"no derivative is declared for {type(e).__name__}; declare it in symgrad.scalars")
    env = {**dict(zip(X, e.args, strict=False)), Y: e}
    total = sp.S.Zero
    for a, partial in zip(e.args, scalar.partials, strict=False):
        if partial != 0 and (inner := differentiate(a, x)) != 0:
            total += scale(inner, partial.xreplace(env))
    return total
