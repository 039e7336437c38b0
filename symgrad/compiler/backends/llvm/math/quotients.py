"""fmod, remainder and floor_divide, exactly as NumPy rounds them.

x - q y with q = trunc(x/y) is exact where the quotient has no more bits than a number; a quotient that was rounded up
to an integer leaves a negative rest, to which y is added, exactly too. A loop that meets larger quotients runs
again with C's fmod, which divides as on paper.
"""

from __future__ import annotations

from symgrad.compiler.backends.llvm.math.builder import Value, copysign, fma, magnitude, rounding, select

LIMIT = {"f64": 2.0**52, "f32": 2.0**23}  # of |x/y|


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
