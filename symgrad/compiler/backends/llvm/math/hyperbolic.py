"""sinh, cosh, tanh and their inverses, through exp, expm1 and log1p of |x|."""

from __future__ import annotations

import math

from symgrad.compiler.backends.llvm.math.builder import (
    Value,
    clip,
    copysign,
    fma,
    horner,
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

# x - tanh x = x³ P(x²) on |x| <= 1.1, to 2^-55 (2^-28)
SHRINK = {
    "f64": (
        0.3333333333333333, -0.13333333333333047, 0.05396825396802685, -0.021869488528966603, 0.008863235409690442,
        -0.003592126811637875, 0.001455826113978458, -0.0005899883512545956, 0.0002389951338022267,
        -9.657391846107122e-05, 3.862032235394535e-05, -1.4949520408526306e-05, 5.351813230055938e-06,
        -1.6476356363502865e-06, 3.941828922548805e-07, -6.307988756547442e-08, 4.9465106272517795e-09,
    ),
    "f32": (
        0.33333333270922416, -0.13333324952197403, 0.053966378492968606, -0.02185310351980842,
        0.008790184432976226, -0.0034039657112881327, 0.0011572077630116477, -0.00028724349731210324,
        3.630294933323605e-05,
    ),
}  # fmt: skip


def tanh(x: Value) -> Value:
    """tanh |x| = |E|/(E + 2), where E is exp 2|x| - 1 or exp(-2|x|) - 1.

    The second is for small x: a sum below 2 rounds finer than one above. For larger x the error of E counts less in
    the first.
    """
    b = clip(magnitude(x) * 2.0, high={"f64": 40.0, "f32": 19.0}[x.kind.name])
    e = expm1_scaled(select(b < 0.8, -b, b), 0)
    return copysign(e / (e + 2.0), x)


def tanhshrink(x: Value) -> Value:
    """x - tanh x; away from 0 it is x - 1 + 2/(exp 2x + 1)."""
    a = magnitude(x)
    n, r, _ = reduce(clip(a + a, high=40.0))
    far = (a - 1.0) + 2.0 / (exp_reduced(r) * power_of_two(n) + 1.0)
    s = a * a
    return copysign(select(a > 1.1, far, s * a * horner(s, SHRINK[x.kind.name])), x)


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
    return copysign(select(a < 1.0, y, select(a == 1.0, math.inf, x.constant(math.nan))), x)
