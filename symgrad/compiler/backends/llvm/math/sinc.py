"""sin(πx)/(πx) and its slope, as the kernels in ``cancelling`` have them, whose zeros they share."""

from __future__ import annotations

import math

from symgrad.compiler.backends.llvm.math.builder import Value, fma, horner, magnitude, rounding, select, sqrt
from symgrad.compiler.backends.llvm.math.trigonometric import sin_reduced
from symgrad.scalars import cancelling

_PI_LOW = 1.2246467991473532e-16  # π less its rounded value
_NEAR = tuple(-c * math.pi ** (2 * k + 2) for k, c in enumerate(cancelling._ALTERNATING))


def sinc(x: Value) -> Value:
    """sin(πx)/(πx), 1 at 0."""
    y = _sin_pi(x, rounding("rint", x)) / (x * math.pi)
    return select(magnitude(x) < 1e-9, 1.0, select(magnitude(x) == math.inf, 0.0, y))


def sinc_slope(x: Value) -> Value:
    """(cos πx - sinc x)/x, 0 at 0; float32 goes through float64."""
    if x.kind.name == "f32":
        return sinc_slope(x.widen()).narrow()
    a = magnitude(x)
    near = x * horner(x * x, _NEAR)
    whole = rounding("floor", a)
    beside = (magnitude(a - whole - 0.5) < 0.25) & (a > 1.25) & (a < 17.0)
    return select(a < 0.75, near, select(beside, _rooted(a, whole) / x, _away(x)))


def _sin_pi(x: Value, n: Value) -> Value:
    """sin(πx) = (-1)ⁿ sin(π(x - n)) with n = round x."""
    return _signed(sin_reduced((x - n) * math.pi), n)


def _signed(y: Value, n: Value) -> Value:
    """Return y (-1)ⁿ."""
    half = n * 0.5
    return select(rounding("rint", half) == half, y, -y)


def _away(x: Value) -> Value:
    n = rounding("rint", x)
    cos = _signed(sin_reduced((0.5 - magnitude(x - n)) * math.pi), n)
    return select(magnitude(x) == math.inf, 0.0, (cos - _sin_pi(x, n) / (x * math.pi)) / x)


def _rooted(a: Value, whole: Value) -> Value:
    """x times the slope, t away from a zero z = tan z: -sin z (sin t + (sin t - t cos t)/(z πa))."""
    high, low = a.constant(cancelling._ROOT_HIGH[0]), a.constant(cancelling._ROOT_LOW[0])
    for k in range(1, len(cancelling._ROOT_HIGH)):
        there = whole > k + 0.5
        high = select(there, float(cancelling._ROOT_HIGH[k]), high)
        low = select(there, float(cancelling._ROOT_LOW[k]), low)
    apart, z = a - high, high * math.pi
    t = fma(apart, math.pi, fma(apart, _PI_LOW, -low * math.pi))
    r = 1.0 / z
    bend = t * t * t * horner(t * t, cancelling._ALTERNATING)
    y = (sin_reduced(t) + bend / (z * (a * math.pi))) / sqrt(fma(r, r, 1.0))
    return _signed(y, whole + 1.0)
