"""log, log1p, log2, log10, what is made of log1p, such as softplus and logaddexp, and products with logarithms.

log x = k ln 2 + log(1 + f) where x = 2ᵏ (1 + f) and √½ <= 1 + f < √2; then log(1 + f) = 2 artanh s with s = f/(2 + f).
"""

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
)
from symgrad.compiler.backends.llvm.math.exponential import LN2, exp2, exp_of_negative
from symgrad.compiler.backends.llvm.math.simple import maximum

# 2 artanh s = 2s + s s² P(s²) on |s| <= (√2 - 1)/(√2 + 1), to 2^-59 (2^-30); minimax as in exponential.py
ARTANH = {
    "f64": (
        0.6666666666666726, 0.39999999999455316, 0.28571428734838417, 0.22222199243747684, 0.18183533479073738,
        0.1531475973063986, 0.1478950473823795,
    ),
    "f32": (0.6666677442982465, 0.3997771826638687, 0.2986802210383473),
}  # fmt: skip


# 1/ln b and log_b 2, each in two parts, the first of log_b 2 short enough that k times it is exact
_LOG2_E, _LOG2_E_F32 = (1.4426950408889634, 2.0355273740931033e-17), (1.4426950216293335, 1.925963033500011e-08)
_LOG10 = (0.4342944819032518, 1.098319650216765e-17, 0.30102999566395283, 2.8363394551044964e-14)
_LOG10_F32 = (0.4342944920063019, -1.0103049952192578e-08, 0.301025390625, 4.605039066518657e-06)


def split(x: Value) -> tuple[Value, Value]:
    """x = 2ᵏ (1 + f) with √½ <= 1 + f < √2: k and f. x is normal and positive."""
    kind = x.kind
    root = kind.bits(math.sqrt(0.5))
    lifted = x.bits() + (kind.bits(1.0) - root)  # the exponent field now changes at √½ 2ᵏ
    m = ((lifted & ((1 << kind.fraction) - 1)) + root).number()
    shifted = ((lifted >> kind.fraction) | kind.bits(kind.exponent_shift)).number()
    return shifted - (kind.exponent_shift + kind.bias), m - 1.0


def split_any(x: Value) -> tuple[Value, Value]:
    """k and f of ``split``, of denormals too."""
    kind = x.kind
    lift = kind.fraction + 2
    denormal = x < 2.0 ** (1 - kind.bias)
    k, f = split(select(denormal, x * 2.0**lift, x))
    return select(denormal, k - float(lift), k), f


def bend(f: Value) -> Value:
    """f - log(1 + f), of √½ <= 1 + f < √2; relative error 2 ε."""
    s = f / (f + 2.0)
    z = s * s
    return s * fma(-z, horner(z, ARTANH[f.kind.name]), f)


def with_exponent(k: Value, f: Value) -> Value:
    """k ln 2 + log(1 + f)."""
    high, low = LN2[f.kind.name]
    return fma(k, high, fma(k, low, f - bend(f)))


def at_edges(x: Value, y: Value, zero: float = 0.0) -> Value:
    """y, a logarithm of x - zero, set right where x <= zero, x = ∞ or nan."""
    y = select(x < math.inf, y, x)
    outside = select(x == zero, -math.inf, x.constant(math.nan))
    return select(x <= zero, outside, y)


def log(x: Value) -> Value:
    """The natural logarithm."""
    return at_edges(x, with_exponent(*split_any(x)))


def log2(x: Value) -> Value:
    """The logarithm to base 2."""
    return at_edges(x, _to_base(x, *{"f64": _LOG2_E, "f32": _LOG2_E_F32}[x.kind.name], 1.0, 0.0))


def log10(x: Value) -> Value:
    """The logarithm to base 10."""
    return at_edges(x, _to_base(x, *{"f64": _LOG10, "f32": _LOG10_F32}[x.kind.name]))


def _to_base(x: Value, c: float, c_rest: float, two: float, two_rest: float) -> Value:
    """c log x: k log_b 2 + c f - c (f - log(1 + f)), whose larger terms carry what they lose in rounding."""
    k, f = split_any(x)
    h = f * c
    rest = fma(bend(f), -c, fma(f, c_rest, fma(f, c, -h)))
    whole = k * two  # exact
    y = whole + h
    return y + ((whole - y + h) + fma(k, two_rest, rest))


def log1p(x: Value) -> Value:
    """log(1 + x)."""
    y = at_edges(x, log_of_sum(*two_sum(x.constant(1.0), x)), -1.0)
    return copysign(y, x)  # of -0 too


def two_sum(a: Value, b: Value) -> tuple[Value, Value]:
    """a + b rounded, and what it loses (Knuth)."""
    s = a + b
    v = s - a
    return s, (a - (s - v)) + (b - v)


def log_of_sum(u: Value, rest: Value, more: Value | None = None) -> Value:
    """log(u + rest) + more ln 2, where |rest| is at most half a unit of u, and u >= 2^-fraction."""
    k, f = split(u)
    f = fma(rest, power_of_two(-clip(k, high=u.kind.bias - 1.0)), f)  # beyond, rest is nothing
    return with_exponent(k if more is None else k + more, f)


def log1p_of_fraction(u: Value) -> Value:
    """log(1 + u) of 0 <= u <= 1."""
    upper = u > math.sqrt(2) - 1
    f = select(upper, fma(u, 0.5, -0.5), u)
    high, low = LN2[u.kind.name]
    return select(upper, high, f.constant(0.0)) + (f - bend(f) + select(upper, low, f.constant(0.0)))


def softplus(x: Value) -> Value:
    """log(1 + exp x) = max(x, 0) + log1p(exp(-|x|))."""
    return clip(x, low=0.0) + log1p_of_fraction(exp_of_negative(-magnitude(x)))


def logsigmoid(x: Value) -> Value:
    """log σ(x) = min(x, 0) - log1p(exp(-|x|))."""
    return clip(x, high=0.0) - log1p_of_fraction(exp_of_negative(-magnitude(x)))


def bce_logits(z: Value, t: Value) -> Value:
    """-t log σ(z) - (1 - t) log(1 - σ(z)), computed as its declaration does."""
    return (1.0 - t) * z - logsigmoid(z)


def logaddexp(x: Value, y: Value) -> Value:
    """log(exp x + exp y) = max(x, y) + log1p(exp(-|x - y|))."""
    return maximum(x, y) + log1p_of_fraction(exp_of_negative(_apart(x, y)))


def logaddexp2(x: Value, y: Value) -> Value:
    """log₂(2ˣ + 2ʸ)."""
    return maximum(x, y) + log1p_of_fraction(exp2(_apart(x, y))) * (1 / math.log(2))


def _apart(x: Value, y: Value) -> Value:
    """-|x - y|, 0 of equal infinities."""
    return select(x == y, 0.0, -magnitude(x - y))
