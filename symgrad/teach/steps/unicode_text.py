"""Formulas and numbers in plain text as one writes them on a blackboard: x²·sin(x) for x**2*sin(x)."""

from __future__ import annotations

import re
from typing import Any

import numpy as np

from symgrad.core.promotion import is_floating
from symgrad.expression.formula import Formula
from symgrad.expression.printer import Board, Text
from symgrad.forms.nodes.formulas import formula

ENTRIES = 12  # of an array that are written out
DIGITS = 6


class Dotted(Board):
    """Text of a blackboard with a dot between all factors: steps are about names of several letters, too."""

    cases = Text.cases

    def between(self, a: Formula, b: Formula) -> str:
        return self.times


def unicode_text(e: Any) -> str:
    """Return an expression as one line of text; names of users' making stay as they are."""
    return Dotted().write(formula(e))


def number(value: Any) -> str:
    """Return a value on one line: a number to six digits, an array with its middle left out."""
    array = np.asarray(value)
    if array.dtype == object:
        return "…"
    if not array.ndim:
        return _digits(array[()]).replace("-", "−")
    array = array + 0.0 if is_floating(array.dtype) else array  # -0 is 0
    text = np.array2string(
        array, separator=", ", threshold=ENTRIES, edgeitems=2, max_line_width=10**6,
        formatter={"float_kind": lambda x: f"{x:.4g}", "complex_kind": _imaginary},
    )  # fmt: skip
    return re.sub(r"\s+", " ", text).replace("...", "…").replace("-", "−")


def _imaginary(z: Any) -> str:
    return f"{z.real:.4g} {'-' if z.imag < 0 else '+'} {abs(z.imag):.4g}i"


def _digits(x: Any) -> str:
    if isinstance(x, (bool, np.bool_)):
        return str(bool(x))
    if isinstance(x, complex):
        return _imaginary(x)
    return f"{int(x)}" if float(x).is_integer() and abs(x) < 1e15 else f"{float(x):.{DIGITS}g}"


def sizes(shape: Any) -> str:
    """Return a shape in brackets; a number has none."""
    return f"[{', '.join(map(str, shape))}]" if len(shape) else "number"
