"""Signs, bounds and roots: a few instructions each. Where NumPy propagates nan, so do these."""

from __future__ import annotations

import math

from symgrad.compiler.backends.llvm.math.builder import (
    Operand,
    Value,
    copysign,
    fma,
    magnitude,
    select,
    sqrt,
)


def rsqrt(x: Value) -> Value:
    """Return the reciprocal 1/√x."""
    return 1.0 / sqrt(x)


def hypot(x: Value, y: Value) -> Value:
    """√(x² + y²) as p √(1 + (q/p)²), p the larger of |x| and |y|: no square overflows. ∞ beside nan is ∞."""
    a, b = magnitude(x), magnitude(y)
    p, q = select(a > b, a, b), select(a > b, b, a)
    ratio = q / p
    length = select(p > 0.0, p * sqrt(fma(ratio, ratio, 1.0)), p + q)  # of zeros the ratio is nan
    return select((a == math.inf) | (b == math.inf), math.inf, length)


def sign(x: Value) -> Value:
    """-1, 0, 1, or nan."""
    return select(magnitude(x) > 0.0, copysign(1.0, x), x + 0.0)


def maximum(x: Value, y: Operand) -> Value:
    """The larger, y where equal; nan if either is."""
    return select(x.is_nan(), x, select(x > y, x, y))


def minimum(x: Value, y: Operand) -> Value:
    """The smaller, y where equal; nan if either is."""
    return select(x.is_nan(), x, select(x < y, x, y))


def fmax(x: Value, y: Value) -> Value:
    """The larger; nan loses."""
    return select((x >= y) | y.is_nan(), x, y)


def fmin(x: Value, y: Value) -> Value:
    """The smaller; nan loses."""
    return select((x <= y) | y.is_nan(), x, y)


def heaviside(x: Value, y: Value) -> Value:
    """0 left of 0, y there, 1 on the right."""
    return select(x.is_nan(), x, select(x < 0.0, 0.0, select(x > 0.0, 1.0, y)))
