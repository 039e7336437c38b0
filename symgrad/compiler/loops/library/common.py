"""What sources on single numbers call, in Python that reads as C does: numbers, flat arrays, loops.

The targets ``python`` and ``c`` write these functions, the second in C. Arrays come with the place where their entries
begin and the step from one to the next. Types of arguments are told: float, int, Read (an array that stays) and Array.
"""

from __future__ import annotations

import math

from symgrad.compiler.loops.library.python import div, exp, floor, fmod, log1p


# ------------------------------------------------------------------ compositions that stay accurate
def logaddexp(a: float, b: float) -> float:
    """log(exp a + exp b)."""
    if a == b:
        return a + 0.6931471805599453
    if a != a or b != b:
        return a + b
    return maximum(a, b) + log1p(exp(-math.fabs(a - b)))


def logaddexp2(a: float, b: float) -> float:
    """log₂(2ᵃ + 2ᵇ)."""
    return logaddexp(a * 0.6931471805599453, b * 0.6931471805599453) / 0.6931471805599453


def round_even(x: float) -> float:
    """The nearest integer, the even one of two."""
    if math.fabs(x) > 4503599627370496.0 or x != x:
        return x
    low_ = floor(x)
    if x - low_ > 0.5 or (x - low_ == 0.5 and fmod(low_, 2.0) != 0.0):
        return math.copysign(low_ + 1.0, x)
    return math.copysign(low_, x)


def relu(x: float) -> float:
    """Return max(x, 0)."""
    return maximum(x, 0.0)


def low(x: float) -> float:
    """Return min(x, 0)."""
    return minimum(x, 0.0)


def maximum(a: float, b: float) -> float:
    """The larger of two numbers, nan where one is."""
    if a != a:
        return a
    if b != b or b > a:
        return b
    return a


def minimum(a: float, b: float) -> float:
    """The smaller of two numbers, nan where one is."""
    if a != a:
        return a
    if b != b or b < a:
        return b
    return a


def clamp(x: float, lo: float, hi: float) -> float:
    """x between two bounds."""
    return minimum(maximum(x, lo), hi)


def clamp_min(x: float, lo: float) -> float:
    """x, at least lo."""
    return maximum(x, lo)


def clamp_max(x: float, hi: float) -> float:
    """x, at most hi."""
    return minimum(x, hi)


def sign(x: float) -> float:
    """-1, 0 or 1; nan of nan."""
    if x > 0.0:
        return 1.0
    if x < 0.0:
        return -1.0
    return x


def heaviside(a: float, b: float) -> float:
    """0 for negative a, b at 0, 1 for positive a."""
    if a == 0.0:
        return b
    if a != a:
        return a
    if a < 0.0:
        return 0.0
    return 1.0


def floor_divide(a: float, b: float) -> float:
    """The largest integer up to a/b."""
    if b == 0.0:
        return div(a, b)
    r = fmod(a, b)
    q = floor((a - r) / b + 0.5)
    if r != 0.0 and (r < 0.0) != (b < 0.0):
        q = q - 1.0
    return q


def remainder(a: float, b: float) -> float:
    """a - b ⌊a/b⌋."""
    r = fmod(a, b)
    if r != 0.0 and (r < 0.0) != (b < 0.0):
        r = r + b
    return r


# ------------------------------------------------------------------ integers that wrap around
def wrapped(x: float, low: float, count: float) -> float:
    """The integer of a dtype with ``count`` numbers from ``low`` on that x wraps around to; 0 for nan and ∞."""
    return x - floor((x - low) / count) * count if math.isfinite(x) else 0.0


def times(a: float, b: float, low: float, count: float) -> float:
    """The product of two integers of at most 32 bits, wrapped around: in two parts, so that each is exact."""
    high = floor(b / 65536.0)
    return wrapped(wrapped(a * high, low, count) * 65536.0 + a * (b - high * 65536.0), low, count)
