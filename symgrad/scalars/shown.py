"""Payloads as formulas show them."""

from __future__ import annotations

from typing import Any

import sympy as sp

from symgrad.scalars.declare import SCALARS


def in_full(e: Any) -> Any:
    """Replace hidden functions by their meaning, which may have others in it."""
    hidden = tuple(s.function for s in SCALARS.values() if s.hidden)
    while e.has(*hidden):
        e = e.replace(lambda a: isinstance(a, hidden), lambda a: (a.declared.shown or a.declared.meant)(*a.args))
    return e


def tidy(e: sp.Expr) -> sp.Expr:
    """Move a number common to all terms of a bracket in front of it: a/3 - b/3 becomes (a - b)/3."""
    if not any(f.is_Add for f in sp.Mul.make_args(e)):
        return e
    outside, brackets = sp.S.One, []
    for f in sp.Mul.make_args(e):
        if f.is_Add:
            number, f = f.primitive()
            if all(t.could_extract_minus_sign() for t in f.args):
                number, f = -number, -f
            outside *= number
        brackets.append(f)
    rest = sp.Mul(*brackets)
    return sp.Mul(outside, rest, evaluate=False) if rest.is_Add and outside != 1 else outside * rest
