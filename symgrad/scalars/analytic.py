"""Payloads of complex numbers: stable kernels are made for real ones, so functions that have one are written out.

What is left consists of sums, products, powers and the functions declared ``analytic``; cases ask only what is equal.
"""

from __future__ import annotations

from typing import Any

import sympy as sp
from sympy.core.function import Application
from sympy.core.relational import Relational

from symgrad.scalars.declare import BY_FUNCTION, Atom

_CASES = (sp.Piecewise, sp.And, sp.Or, sp.Not)


def analytic(payload: Any) -> Any:
    """Return the payload in functions that complex numbers have; None where one of them has no such meaning."""
    while True:
        real = [f for f in payload.atoms(Atom) if BY_FUNCTION[type(f)].analytic is not True]
        if not real:
            break
        payload = payload.xreplace({f: _among_complex(f) for f in real if not any(a.has(*real) for a in f.args)})
    ordered = [r for r in payload.atoms(Relational) if not isinstance(r, (sp.Eq, sp.Ne))]
    known = all(isinstance(f, _CASES) or _is_analytic(f) for f in payload.atoms(Application))
    return payload if known and not ordered else None


def _among_complex(f: Any) -> Any:
    """The call of the function that takes its place, or what it means."""
    return (f.declared.analytic or f.declared.meant)(*f.args)


def _is_analytic(f: Any) -> bool:
    scalar = BY_FUNCTION.get(type(f))
    return scalar is not None and scalar.analytic is True
