"""sin, cos, tan: Cody and Waite's reduction by multiples of π or π/2, fused, then one polynomial.

sin x = (-1)ⁿ sin(x - nπ) and cos x = (-1)ⁿ sin(qπ/2 - x) with q = 2n + 1, so both use sin on |r| <= π/2. While n is
an integer below 2^(fraction/2) the first step of the reduction is exact, and the others round relative to the result.
"""

from __future__ import annotations

import math

from symgrad.compiler.backends.llvm.math.builder import (
    Value,
    clip,
    fma,
    horner,
    magnitude,
    round_to_integer,
    select,
)

# sin r = r + r r² P(r²) on |r| <= π/2, to 2^-61 (2^-27); minimax as in exponential.py
SIN = {
    "f64": (
        -0.16666666666666666, 0.008333333333333194, -0.00019841269841209237, 2.7557319211139554e-06,
        -2.505210687296707e-08, 1.605893971249279e-10, -7.642991625966658e-13, 2.7211761000447076e-15,
    ),
    "f32": (-0.1666665955110313, 0.008333066255233596, -0.00019809603199876956, 2.6057807029437016e-06),
}  # fmt: skip

# π/2, rounded in three pieces
HALF_PI = {
    "f64": (1.5707963267948966, 6.123233995736766e-17, -1.4973849048591833e-33),
    "f32": (1.5707963705062866, -4.371138828673793e-08, -1.7151245100058819e-15),
}

# tan r = r + r r² P(r²) on |r| <= π/4, to 2^-56 (2^-30)
TAN = {
    "f64": (
        0.33333333333332776, 0.13333333333414502, 0.05396825392672296, 0.021869489607735052, 0.008863219181325406,
        0.0035922889319333125, 0.001454758814504373, 0.0005950613592590584, 0.00022238934318504123,
        0.00013650658089157402, -2.636013400970388e-05, 8.942889302786497e-05, -4.486410767143593e-05,
        2.086030433289814e-05,
    ),
    "f32": (
        0.33333349785020167, 0.13332662285740432, 0.05406003877069884, 0.02128153960202786, 0.0108375334774623,
        8.730434995290313e-05, 0.004377400073169015,
    ),
}  # fmt: skip

LIMIT = {"f64": 1e8, "f32": 1e5}


def inside(x: Value) -> Value:
    """x >= 0 up to the limit, 0 beyond, nan of ∞ and nan."""
    return select(x <= LIMIT[x.kind.name], x, x * 0.0)


def reduce(x: Value, n: Value, unit: float) -> Value:
    """x - n·unit·π/2; unit is a power of two."""
    for part in HALF_PI[x.kind.name]:
        x = fma(n, -unit * part, x)
    return x


def sin_reduced(r: Value) -> Value:
    """sin r on |r| <= π/2, never beyond ±1."""
    z = r * r
    return clip(fma(r, z * horner(z, SIN[r.kind.name]), r), -1.0, 1.0)


def flip(y: Value, n: Value) -> Value:
    """y (-1)ⁿ, n in the low bits."""
    return (y.bits() ^ (n << y.kind.sign)).number()


def sin(x: Value) -> Value:
    """sin x, with -0 at -0."""
    a = inside(magnitude(x))
    n, bits = round_to_integer(a, 1 / math.pi)
    return flip(sin_reduced(reduce(a, n, 2.0)), bits ^ (x.bits() >> x.kind.sign))


def cos(x: Value) -> Value:
    """Return cos x."""
    x = inside(magnitude(x))
    shifted = fma(x, 1 / math.pi, -0.5) + x.kind.round_shift
    q = fma(shifted - x.kind.round_shift, 2.0, 1.0)
    return flip(sin_reduced(-reduce(x, q, 1.0)), shifted.bits())


def _reduce_twice(x: Value, n: Value) -> tuple[Value, Value]:
    """x - nπ/2 as a number and what it loses in rounding, which counts twice where tan r = 1."""
    first, second, third = HALF_PI[x.kind.name]
    exact = fma(n, -first, x)
    step = n * second
    r = exact - step
    return r, fma(n, -third, (exact - r - step) - fma(n, second, -step))


def tan(x: Value) -> Value:
    """tan x: t = tan r with r = x - nπ/2, or -1/t where n is odd."""
    a = inside(magnitude(x))
    n, bits = round_to_integer(a, 2 / math.pi)
    r, rest = _reduce_twice(a, n)
    z = r * r
    t = r + fma(r * z, horner(z, TAN[x.kind.name]), fma(z, rest, rest))
    odd = (bits << x.kind.sign).number().is_negative()
    y = select(odd, -1.0, t) / select(odd, t, 1.0)
    return flip(y, x.bits() >> x.kind.sign)
