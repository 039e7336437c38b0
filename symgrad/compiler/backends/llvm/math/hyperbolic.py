"""sinh, cosh, tanh and their inverses, through exp, expm1 and log1p of |x|."""

from __future__ import annotations

import math

from symgrad.compiler.backends.llvm.math.builder import (
    Value,
    clip,
    copysign,
    fma,
    magnitude,
    power_of_two,
    select,
    sqrt,
)
from symgrad.compiler.backends.llvm.math.exponential import TINY, exp_of_negative, exp_reduced, expm1_scaled, reduce
from symgrad.compiler.backends.llvm.math.logarithms import log_of_sum, two_sum

# beyond, sinh and cosh are infinite, and exp |x| / 4 is not
_LARGE = {"f64": 710.6, "f32": 89.6}
# beyond, sinh |y| = cosh y = exp |y| / 2
_HUGE = {"f64": 2.0**30, "f32": 2.0**15}


def tanh(x: Value) -> Value:
    """tanh |x| = |E|/(E + 2), where E is exp 2|x| - 1 or exp(-2|x|) - 1.

    The second is for small x: a sum below 2 rounds finer than one above. For larger x the error of E counts less in
    the first.
    """
    b = clip(magnitude(x) * 2.0, high={"f64": 40.0, "f32": 19.0}[x.kind.name])
    e = expm1_scaled(select(b < 0.8, -b, b), 0)
    return copysign(e / (e + 2.0), x)


def sinh(x: Value) -> Value:
    """sinh |x| = 2 (e + e/(4e + 1)) with e = (exp |x| - 1)/4."""
    a = magnitude(x)
    e = expm1_scaled(clip(a, high=_LARGE[x.kind.name]), -2)
    half = e + e / fma(e, 4.0, 1.0)
    return select(a < TINY[x.kind.name], x, copysign(half + half, x))


def cosh(x: Value) -> Value:
    """cosh x = 2e + 1/(8e) with e = exp |x| / 4."""
    n, r, _ = reduce(clip(magnitude(x), high=_LARGE[x.kind.name]))
    e = exp_reduced(r) * power_of_two(n - 2.0)
    return fma(e, 2.0, 0.125 / e)


def sech2(x: Value) -> Value:
    """1/cosh² x = 4q/(1 + q)² with q = exp(-2|x|); what rounding takes from (1 + q)² is put back at the end."""
    q = exp_of_negative(magnitude(x) * -2.0)
    d = q + 1.0
    square = d * d
    rest = fma(d, d, -square) + (d + d) * (q - (d - 1.0))
    r = 1.0 / square
    y = q * 4.0 * r
    return fma(-y, rest * r, y)


def asinh(x: Value) -> Value:
    """arsinh |x| = log1p(|x| + x²/(1 + √(1 + x²)))."""
    a = magnitude(x)
    y = _log_sum(a, a, a * a / (sqrt(fma(a, a, 1.0)) + 1.0))
    return copysign(select(a < math.inf, y, a), x)


def acosh(x: Value) -> Value:
    """arcosh x = log1p(d + √(d² + 2d)) with d = x - 1; nan below 1."""
    d = x - 1.0
    y = _log_sum(x, sqrt(fma(d, d, d + d)), d)
    return select(x < 1.0, math.nan, select(x < math.inf, y, x))


def _log_sum(x: Value, a: Value, b: Value) -> Value:
    """log1p(a + b), or log 2x where x is huge."""
    huge = x > _HUGE[x.kind.name]
    t, t_rest = two_sum(a, b)
    u, rest = two_sum(x.constant(1.0), t)
    return log_of_sum(select(huge, x, u), select(huge, 0.0, rest + t_rest), select(huge, 1.0, x.constant(0.0)))


def atanh(x: Value) -> Value:
    """artanh |x| = log1p(2|x| + 2x²/(1 - |x|))/2; ±∞ at ±1 and nan beyond."""
    a = magnitude(x)
    t, t_rest = two_sum(a + a, (a + a) * a / (1.0 - a))
    u, rest = two_sum(x.constant(1.0), t)
    y = log_of_sum(u, rest + t_rest) * 0.5
    return copysign(select(a < 1.0, y, select(a.equals(1.0), math.inf, x.constant(math.nan))), x)
