"""Derivatives shown by their entries, with names for what the entries share: what ``WhereForm`` is for small arrays."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import sympy as sp

from symgrad.forms.notations.tables import with_names
from symgrad.forms.where import Definition, Named


class Tabled(Named):
    """Small arrays written out, and what their names stand for."""

    def __init__(self, tables: Sequence[Any], taken: Iterable[str]) -> None:
        self.bodies, defined = with_names(tables, taken)
        self.definitions = [Definition(name, e) for name, e in defined]
        self.matrix, self.indices = False, list[sp.Symbol]()
