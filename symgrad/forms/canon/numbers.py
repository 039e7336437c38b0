"""Numbers of a program as a formula shows them: 1.4142135623730951 is √2, and 3.141592653589793 is π."""

from __future__ import annotations

from fractions import Fraction
from functools import lru_cache
from typing import Any

import numpy as np
import sympy as sp

from symgrad.ops.map import exact

_COMPLEX = (np.dtype(np.complex64), np.dtype(np.complex128))
_MOST = 240  # numerators and denominators beside a constant
_LEAST = 1e-9  # what is recognised is larger, and smaller than its reciprocal
_NEAR = 3e-16  # relative: as far as one rounding or two go
_CONSTANTS = (
    sp.S.One, sp.pi, 1 / sp.pi, sp.sqrt(sp.pi), 1 / sp.sqrt(sp.pi), sp.sqrt(2 * sp.pi), 1 / sp.sqrt(2 * sp.pi),
    sp.pi**2, sp.log(2), 1 / sp.log(2), sp.log(10), 1 / sp.log(10), sp.log(3), sp.log(5), sp.E, sp.exp(2),
    sp.EulerGamma,
)  # fmt: skip


def number(value: Any) -> sp.Expr:
    """Return a number as SymPy's, a float that a program computed as √2 or π as that."""
    if isinstance(value, (complex, np.complexfloating)) or getattr(value, "dtype", None) in _COMPLEX:
        z = complex(value)
        return number(z.real) + sp.I * number(z.imag)
    expression = exact(value)
    return recognised(float(expression)) or expression if expression.is_Float else expression


@lru_cache(maxsize=1024)
def recognised(value: float) -> sp.Expr | None:
    """Return √2, π, log 2, … where a number is that to its last digits, times a fraction; else None."""
    if not _LEAST < abs(value) < 1 / _LEAST or not _is_computed(value):
        return None
    for constant in _CONSTANTS:
        times = _ratio(value / float(constant))
        if times is not None and abs(float(times * constant) - value) <= _NEAR * abs(value):
            return times * constant
    square = _ratio(value * value)
    root = None if square is None else sp.sqrt(square) * (1 if value > 0 else -1)
    return root if root is not None and abs(float(root) - value) <= _NEAR * abs(value) else None


def _is_computed(value: float) -> bool:
    """Whether a number has all digits of its precision: what a person writes has few."""
    return len(repr(abs(value)).split("e")[0].replace(".", "").lstrip("0")) >= 14


def _ratio(value: float) -> sp.Rational | None:
    ratio = Fraction(value).limit_denominator(_MOST)
    near = abs(float(ratio) - value) <= 4 * _NEAR * abs(value)
    return sp.Rational(ratio.numerator, ratio.denominator) if near and 0 < abs(ratio.numerator) <= _MOST else None
