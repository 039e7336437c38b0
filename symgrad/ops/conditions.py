"""Conditions as numbers, in the entries that operations compute on symbols."""

from __future__ import annotations

from typing import Any

import sympy as sp


def one_if(condition: Any) -> sp.Expr:
    """1 where a condition holds, else 0."""
    return sp.Piecewise((1, condition), (0, True))
