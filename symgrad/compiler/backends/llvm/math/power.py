"""x**y = exp(y log |x|), with the logarithm to 2^-65: y log |x| may be 745, and exp magnifies its error so often.

float32 goes through float64, where one number holds the logarithm well enough.
"""

from __future__ import annotations

import math

from symgrad.compiler.backends.llvm.math.builder import Value, copysign, fma, horner, magnitude, rounding, select
from symgrad.compiler.backends.llvm.math.exponential import LN2, RANGE, exp, exp_reduced, reduce, scale
from symgrad.compiler.backends.llvm.math.logarithms import log, split_any

# 2 artanh s = 2s + 2/3 s³ + s³ s² Q(s²) on |s| <= (√2 - 1)/(√2 + 1), to 2^-66; minimax as in exponential.py
TWO_THIRDS = (0.6666666666666666, 3.700743415417188e-17)
ARTANH_FAR = (
    0.4000000000000155, 0.2857142857039844, 0.22222222471924097, 0.18181788200087298, 0.1538659450692732,
    0.13260342234463662, 0.13165726815843531,
)  # fmt: skip


def pow_(x: Value, y: Value) -> Value:
    """x**y, with C's values at 0, 1, ±∞ and nan; nan of x < 0 unless y is an integer."""
    if x.kind.name == "f64":
        return _at_edges(x, y, _power(magnitude(x), y))
    x, y = x.widen(), y.widen()
    return _at_edges(x, y, exp(y * log(magnitude(x)))).narrow()


def _power(a: Value, y: Value) -> Value:
    """a**y of a >= 0."""
    k, f = split_any(a)
    high, low = _log(k, f)
    high = select(a < math.inf, select(a == 0.0, -math.inf, high), a)
    p = y * high
    inside = magnitude(p) < -RANGE[a.kind.name][0]
    rest = select(inside, fma(y, low, fma(y, high, -p)), k.constant(0.0))
    n, r, _ = reduce(select(inside, p, k.constant(0.0)))
    outside = select(p < 0.0, 0.0, p.constant(math.inf))
    return select(inside, scale(exp_reduced(r + rest), n), select(p.is_nan(), p, outside))


def _log(k: Value, f: Value) -> tuple[Value, Value]:
    """k ln 2 + log(1 + f) as a sum of two."""
    d = f + 2.0
    inverse = 1.0 / d
    s = f * inverse
    s_rest = (fma(-s, d, f) - s * (f - (d - 2.0))) * inverse  # s + s_rest = f/(2 + f)
    t, t_rest = _cubic(s, s_rest)
    y = fma(s, 2.0, t)
    y_rest = (fma(s, 2.0, -y) + t) + fma(s_rest, 2.0, t_rest)
    high, low = LN2[f.kind.name]
    whole = k * high  # exact
    total = whole + y
    return total, (whole - total + y) + fma(k, low, y_rest)


def _cubic(s: Value, s_rest: Value) -> tuple[Value, Value]:
    """2 artanh s - 2s = s³ (2/3 + s² Q(s²)) as a sum of two."""
    z = s * s
    z_rest = fma(s + s, s_rest, fma(s, s, -z))
    q = z * horner(z, ARTANH_FAR)
    c = q + TWO_THIRDS[0]
    c_rest = TWO_THIRDS[0] - c + q + TWO_THIRDS[1]
    m = z * c
    m_rest = fma(z, c, -m) + fma(z, c_rest, z_rest * c)
    t = s * m
    return t, fma(s, m, -t) + fma(s, m_rest, s_rest * m)


def _at_edges(x: Value, y: Value, size: Value) -> Value:
    """x**y from size = |x|**y: the sign, and the values that the logarithm cannot give."""
    size = select((magnitude(x) == 1.0) & (magnitude(y) == math.inf), 1.0, size)
    size = select(x.is_nan(), x, size)
    whole = rounding("rint", y) == y
    half = y * 0.5
    odd = whole & ~(rounding("rint", half) == half)
    signed = select(odd, copysign(size, x), size)
    undefined = (x < 0.0) & (x > -math.inf) & ~whole
    return select((x == 1.0) | (y == 0.0), 1.0, select(undefined, math.nan, signed))
