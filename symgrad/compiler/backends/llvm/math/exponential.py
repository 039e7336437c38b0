"""exp, exp2 and expm1.

exp x = 2ⁿ exp r with n = round(x / ln 2), so that |r| <= ln 2 / 2. The polynomials are minimax: a Remez exchange with
mpmath at 40 digits, rounded to float64; the exponents of two give the error, relative to the function itself.
"""

from __future__ import annotations

import math

from symgrad.compiler.backends.llvm.math.builder import (
    Value,
    clip,
    fma,
    horner,
    magnitude,
    power_of_two,
    round_to_integer,
    select,
)

# exp r = 1 + r + r² P(r) on |r| <= ln 2 / 2, to 2^-55 (2^-26) of expm1 r
EXP = {
    "f64": (
        0.5000000000000006, 0.16666666666666685, 0.04166666666657362, 0.008333333333314586, 0.0013888888932379413,
        0.00019841269903048082, 2.4801504445394166e-05, 2.7557227934502723e-06, 2.7626327727947964e-07,
        2.511448078424315e-08,
    ),
    "f32": (
        0.5000000062000048, 0.16666542989936708, 0.04166628187217007, 0.008366584183123263, 0.001394645849225117,
    ),
}  # fmt: skip

# 2^r = 1 + r P(r) on |r| <= 1/2, to 2^-58 (2^-29) of 2^r - 1
EXP2 = {
    "f64": (
        0.6931471805599453, 0.24022650695910133, 0.05550410866482174, 0.009618129107593328, 0.0013333558146378756,
        0.00015403530458084824, 1.5252733867755094e-05, 1.321543481391454e-06, 1.0178046390075552e-07,
        7.073860754489898e-09, 4.4573958160179575e-10,
    ),
    "f32": (
        0.6931472062497157, 0.2402265134658606, 0.05550327786655359, 0.009618003800313475, 0.0013400271771361236,
        0.00015476325506929485,
    ),
}  # fmt: skip

# ln 2 in two parts; the first is short enough that n times it is exact
LN2 = {"f64": (0.6931471805598903, 5.497923018708371e-14), "f32": (0.693145751953125, 1.428606765330187e-06)}
TINY = {"f64": 2.0**-54, "f32": 2.0**-25}  # x² / 2 is below half a unit of x
# exp x is 0 below, infinite above
RANGE = {"f64": (-746.0, 710.0), "f32": (-104.0, 89.0)}
EXP2_RANGE = {"f64": (-1076.0, 1025.0), "f32": (-151.0, 129.0)}


def reduce(x: Value) -> tuple[Value, Value, Value]:
    """n, r and rest with x = n ln 2 + r + rest, |r| <= ln 2 / 2; rest is what r lost in rounding."""
    n, _ = round_to_integer(x, 1 / math.log(2))
    high, low = LN2[x.kind.name]
    exact = fma(n, -high, x)
    r = fma(n, -low, exact)
    return n, r, fma(n, -low, exact - r)


def expm1_reduced(r: Value, rest: Value | None = None) -> Value:
    """exp(r + rest) - 1 on |r| <= ln 2 / 2."""
    square, curve = r * r, horner(r, EXP[r.kind.name])
    return fma(square, curve, r) if rest is None else r + fma(square, curve, rest)


def exp_reduced(r: Value) -> Value:
    """exp r on |r| <= ln 2 / 2."""
    return expm1_reduced(r) + 1.0


def scale(y: Value, n: Value) -> Value:
    """y 2ⁿ in two steps, for 2ⁿ itself may overflow or be denormal: rounds once."""
    half, _ = round_to_integer(n, 0.5)
    return y * power_of_two(half) * power_of_two(n - half)


def exp(x: Value) -> Value:
    """Return exp x."""
    n, r, _ = reduce(clip(x, *RANGE[x.kind.name]))
    return scale(exp_reduced(r), n)


def exp_of_negative(x: Value) -> Value:
    """exp x of x <= 0."""
    n, r, _ = reduce(clip(x, low=RANGE[x.kind.name][0]))
    return scale(exp_reduced(r), n)


def exp2(x: Value) -> Value:
    """Return the power 2^x."""
    x = clip(x, *EXP2_RANGE[x.kind.name])
    n, _ = round_to_integer(x, 1.0)
    r = x - n
    return scale(fma(r, horner(r, EXP2[x.kind.name]), 1.0), n)


def expm1_scaled(x: Value, shift: int) -> Value:
    """2^shift (exp x - 1), for x clipped by the caller; a shift of -1 lets exp x overflow by 2."""
    n, r, rest = reduce(x)
    s = power_of_two(n + float(shift) if shift else n)
    return fma(s, expm1_reduced(r, rest), s - 2.0**shift)


def expm1(x: Value) -> Value:
    """exp x - 1."""
    low, high = {"f64": (-40.0, 710.0), "f32": (-20.0, 89.0)}[x.kind.name]
    y = expm1_scaled(clip(x, low, high), -1)
    return select(magnitude(x) < TINY[x.kind.name], x, y + y)  # halves of denormals are not exact
