"""asin, acos, atan, atan2: arguments brought to at most 1/2, then one polynomial."""

from __future__ import annotations

import math

from symgrad.compiler.backends.llvm.math.builder import Value, copysign, fma, horner, magnitude, select, sqrt
from symgrad.compiler.backends.llvm.math.trigonometric import HALF_PI

# asin r = r + r r² P(r²) on |r| <= 1/2, to 2^-56 (2^-28); minimax as in exponential.py
ASIN = {
    "f64": (
        0.16666666666665375, 0.0750000000034471, 0.04464285682204195, 0.03038195939298105, 0.022371751994072583,
        0.01735979483675081, 0.013884358009817676, 0.012174895284828608, 0.006503713187115315, 0.019593838307146075,
        -0.01632593745473556, 0.03198119152178111,
    ),
    "f32": (0.1666675412437374, 0.07495232815106082, 0.045478332465106124, 0.024141017925600965, 0.04223052573377879),
}  # fmt: skip

# atan r = r + r r² P(r²) on |r| <= 1/2, to 2^-58 (2^-27)
ATAN = {
    "f64": (
        -0.33333333333332993, 0.1999999999990526, -0.14285714276556769, 0.11111110666408787, -0.09090896400645926,
        0.07692076169243206, -0.06663832013589395, 0.058584338136734325, -0.051225662692060886, 0.041879786320030456,
        -0.02745719947258725, 0.010131523398381205,
    ),
    "f32": (
        -0.33333236544407985, 0.19994312398842906, -0.14176031445223747, 0.10164805987692443, -0.05140347177199101,
    ),
}  # fmt: skip


def _halved(a: Value) -> tuple[Value, Value, Value]:
    """Whether a > 1/2; s = a, or √((1 - a)/2) there; asin s - s. 2 asin √((1 - a)/2) = π/2 - asin a."""
    far = a > 0.5
    z = select(far, fma(a, -0.5, 0.5), a * a)
    s = select(far, sqrt(z), a)
    return far, s, s * z * horner(z, ASIN[a.kind.name])


def asin(x: Value) -> Value:
    """The angle in [-π/2, π/2] whose sine is x."""
    quarter, quarter_rest, _ = HALF_PI[x.kind.name]
    far, s, p = _halved(magnitude(x))
    y = select(far, fma(s, -2.0, quarter) + fma(p, -2.0, quarter_rest), s + p)
    return copysign(y, x)


def acos(x: Value) -> Value:
    """The angle in [0, π] whose cosine is x."""
    quarter, quarter_rest, _ = HALF_PI[x.kind.name]
    far, s, p = _halved(magnitude(x))
    upper = s + p
    s, p = select(far, s, x), select(far, p, copysign(p, x))
    lower = quarter - (s + (p - quarter_rest))
    return select(far, select(x > 0.0, upper, lower) * 2.0, lower)


def _angle(y: Value, x: Value, left: Value | None = None) -> Value:
    """The angle of (x, y), both >= 0 and not both ∞; of (-x, y) where left.

    It is atan(y/x), π/4 + atan((y - x)/(y + x)) or π/2 - atan(x/y): one division, of at most 1/2.
    """
    near, far = y <= x * 0.5, y > x * 3.0
    top = select(near, y, select(far, -x, y - x))
    bottom = select(near, x, select(far, y, y + x))
    r = top / select(bottom == 0.0, 1.0, bottom)
    z = r * r
    p = r * z * horner(z, ATAN[x.kind.name])
    base, rest = (_chosen(near, far, part) for part in HALF_PI[x.kind.name][:2])
    if left is None:
        return base + (r + (p + rest))
    whole, whole_rest = (2 * part for part in HALF_PI[x.kind.name][:2])
    base, rest = select(left, whole - base, base), select(left, whole_rest - rest, rest)
    r, p = select(left, -r, r), select(left, -p, p)
    return base + (r + (p + rest))


def _chosen(near: Value, far: Value, half_pi: float) -> Value:
    """0, π/4 or π/2, or a part of it."""
    return select(near, 0.0, select(far, half_pi, near.constant(half_pi / 2)))


def atan(x: Value) -> Value:
    """The angle in [-π/2, π/2] whose tangent is x."""
    return copysign(_angle(magnitude(x), x.constant(1.0)), x)


def atan2(y: Value, x: Value) -> Value:
    """The angle of the point (x, y), in [-π, π]; ±0 and ±∞ as in C."""
    a, b = magnitude(y), magnitude(x)
    large = 2.0 ** (x.kind.bias - 1)
    shrink = select((a > large) | (b > large), 0.25, x.constant(1.0))
    both = (a == math.inf) & (b == math.inf)
    a, b = select(both, 1.0, a * shrink), select(both, 1.0, b * shrink)
    return copysign(_angle(a, b, x.is_negative()), y)
