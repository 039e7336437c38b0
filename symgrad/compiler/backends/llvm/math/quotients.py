"""Quotients by a number that others are divided by as well; fmod, remainder and floor_divide, exactly as NumPy rounds.

x - q y with q = trunc(x/y) is exact where the quotient has no more bits than a number; a quotient that was rounded up
to an integer leaves a negative rest, to which y is added, exactly too. A loop that meets larger quotients runs
again with C's fmod, which divides as on paper.
"""

from __future__ import annotations

from symgrad.compiler.backends.llvm.math.builder import Value, copysign, fma, magnitude, rounding, select

LIMIT = {"f64": 2.0**52, "f32": 2.0**23}  # of |x/y|
_FAR = {"f64": (2.0**900, 2.0**100), "f32": (2.0**100, 2.0**30)}  # the |y| beyond which 1/y is scaled, and the scale


def ratio(x: Value, y: Value) -> Value:
    """x/y as x (high + low), where high + low is 1/y with twice the digits: a loop whose y stays computes these once.

    It is the rounded quotient, except where that lies within 2⁻⁴⁸ units (2⁻¹⁹ in float32) of the middle between two
    numbers; an exact quotient stays exact. The first part is rounded towards 0, so that both have one sign: what is
    made of ∞ is no nan. Source: Brisebarre, Muller and Raina, IEEE Transactions on Computers 53, 2004.
    """
    far, scale = _FAR[x.kind.name]
    size = magnitude(y)
    factor = select(size < 1.0 / far, scale, select(size > far, 1.0 / scale, y.constant(1.0)))
    divisor = y * factor
    high = (1.0 / divisor) * (1.0 - 2.0 ** -(x.kind.fraction + 1))
    low = fma(-divisor, high, 1.0) / divisor
    low = select(low.is_nan(), high, low)  # of 0 and ∞
    return fma(x, high, x * low) * factor


def fmod(x: Value, y: Value) -> Value:
    """x - y trunc(x/y)."""
    if x.body.exact:
        return x.emit("frem", x.name, y.name)
    a, b = magnitude(x), magnitude(y)
    r = fma(-rounding("trunc", a / b), b, a)
    return copysign(select(a < b, a, select(r < 0.0, r + b, r)), x)


def remainder(x: Value, y: Value) -> Value:
    """x - y ⌊x/y⌋, with the sign of y."""
    r = fmod(x, y)
    return select(r == 0.0, copysign(0.0, y), select(_across(r, y), r + y, r))


def floor_divide(x: Value, y: Value) -> Value:
    """⌊x/y⌋ from the rest, as the rounded quotient may be the next integer."""
    r, quotient = fmod(x, y), x / y
    n = (x - r) / y
    n = select(_across(r, y), n - 1.0, n)
    low = rounding("floor", n)
    whole = select(n - low > 0.5, low + 1.0, low)
    return select(y == 0.0, quotient, select(n == 0.0, copysign(0.0, quotient), whole))


def _across(r: Value, y: Value) -> Value:
    """Whether a rest has not the divisor's sign."""
    return (r > 0.0) & (y < 0.0) | (r < 0.0) & ~(y < 0.0)
