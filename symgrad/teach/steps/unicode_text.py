"""Formulas and numbers in plain text as one writes them on a blackboard: x²·sin(x) for x**2*sin(x)."""

from __future__ import annotations

import re
from typing import Any

import numpy as np

from symgrad.core.promotion import is_floating
from symgrad.forms.nodes import printers
from symgrad.support.foreign import printable

_RAISED = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")
_NAME = re.compile(r"(‹[^›]*›)")
_RULES = (
    (re.compile(r"\*\*(\d+)(?![\d.])|\*\*\((-\d+)\)"), lambda m: (m[1] or m[2]).translate(_RAISED)),
    (re.compile(r"\*\*"), lambda m: "^"),
    (re.compile(r"\*"), lambda m: "·"),
    (re.compile(r"\bsqrt\((\w+)\)"), lambda m: f"√{m[1]}"),
    (re.compile(r"\bsqrt\("), lambda m: "√("),
    (re.compile(r"\bpi\b"), lambda m: "π"),
    (re.compile(r"(?<![\w.⁻])-(?=\S)|(?<= )-(?= )"), lambda m: "−"),
    (re.compile(r"\b([a-z]+)\(([^()]*)\)([²³⁴⁵⁶⁷⁸⁹])(?![⁰¹²³⁴⁵⁶⁷⁸⁹])"), lambda m: f"{m[1]}{m[3]}({m[2]})"),
)
ENTRIES = 12  # of an array that are written out
DIGITS = 6


def unicode_text(e: Any) -> str:
    """Return an expression as one line of text; names of users' making stay as they are."""
    parts = _NAME.split(printable(e if isinstance(e, str) else printers.text(e)))
    for k in range(0, len(parts), 2):
        for pattern, replacement in _RULES:
            parts[k] = pattern.sub(replacement, parts[k])
    return "".join(parts)


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
