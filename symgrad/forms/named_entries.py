"""Derivatives shown by their entries, with names for what the entries share: what ``WhereForm`` is for small arrays."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import sympy as sp

from symgrad.forms.calculus.cases import in_matrix_notation
from symgrad.forms.calculus.length import length
from symgrad.forms.names import Mint
from symgrad.forms.notations.tables import with_names
from symgrad.forms.where import Definition, Named
from symgrad.scalars import ndtr, normal_pdf


class Tabled(Named):
    """Small arrays written out, and what their names stand for."""

    def __init__(self, tables: Sequence[Any], taken: Iterable[str]) -> None:
        self.bodies, defined = with_names(tables, taken)
        self.definitions = [Definition(name, e) for name, e in defined]
        self.matrix, self.indices = False, list[sp.Symbol]()


LONG = 8  # tokens of an argument of Φ or φ that has a name, as d₁ has in the formula of Black and Scholes


class Numbered(Named):
    """Formulas of numbers, and what their names stand for: long arguments of Φ and φ, and what they repeat."""

    def __init__(self, formulas: Sequence[sp.Expr], taken: Iterable[str]) -> None:
        long = sorted({a for f in formulas for a in _normal_arguments(f)}, key=lambda a: (-length(a), str(a)))
        mint = Mint(taken)
        called = [sp.Symbol(name, real=True) for name in (mint.names("zu", len(long)) if long else [])]
        bodies = [f.xreplace(dict(zip(long, called, strict=True))) for f in formulas]
        together, defined = with_names([*bodies, *long], mint.used)
        mine = zip(called, together[len(bodies) :], strict=True)
        self.definitions = [Definition(name, in_matrix_notation(e)) for name, e in [*defined, *mine]]
        self.bodies = [in_matrix_notation(e) for e in together[: len(bodies)]]
        self.matrix, self.indices = True, list[sp.Symbol]()


def _normal_arguments(e: sp.Expr) -> list[sp.Expr]:
    return [f.args[0] for f in e.atoms(ndtr, normal_pdf) if length(f.args[0]) >= LONG]


def has_long_normal(e: sp.Expr) -> bool:
    """Whether a formula has Φ or φ of something long."""
    return bool(_normal_arguments(e))
