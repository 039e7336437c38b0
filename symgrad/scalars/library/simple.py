"""Elementary functions of SciPy's: powers, degrees, losses, transformations of data, divergences."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import sympy as sp

from symgrad.scalars.elementary import log1p, power_log, power_slope
from symgrad.scalars.library import ratios
from symgrad.scalars.library.named import function, slope, where_zero
from symgrad.scalars.numerics import elementwise
from symgrad.scalars.special import ndtri

_DEGREE = sp.pi / 180

# ------------------------------------------------------------------ exponentials, degrees
exp10 = function("exp10", "x", "10ˣ.", lambda x, y: sp.log(10) * y, lambda x: 10**x)
exprel_nth: Any = slope(
    "exprel_nth", "n x", lambda n, x, y: (sp.S.Zero, exprel_nth(n + 1, x)),
    lambda n, x: ratios.exprel_nth(int(np.max(n, initial=0)), x), lambda n, x: _exprel_nth(int(n), x), hidden=True,
    ordered=1,
)  # fmt: skip


def _exprel_nth(n: int, x: sp.Expr) -> sp.Expr:
    """x f = exp x - 1, differentiated n times: x f⁽ⁿ⁾ + n f⁽ⁿ⁻¹⁾ = exp x."""
    derivative = exprel(x)
    for k in range(1, n + 1):
        derivative = (sp.exp(x) - k * derivative) / x
    return sp.Piecewise((sp.Rational(1, n + 1), sp.Eq(x, 0)), (derivative, True))


exprel: Any = function(
    "exprel", "x", "(exp x - 1)/x, 1 at 0.", lambda x, y: exprel_nth(1, x),
    lambda x: sp.Piecewise((1, sp.Eq(x, 0)), ((sp.exp(x) - 1) / x, True)),
)  # fmt: skip
cosm1 = function("cosm1", "x", "cos x - 1, accurate near 0.", lambda x, y: -sp.sin(x), lambda x: sp.cos(x) - 1)
powm1 = function(
    "powm1", "x y", "xʸ - 1, accurate near 0.", lambda x, p, y: (power_slope(x, p), power_log(x, p)),
    lambda x, p: x**p - 1,
)  # fmt: skip
sindg: Any = function(
    "sindg", "x", "sin x, x in degrees.", lambda x, y: _DEGREE * cosdg(x), lambda x: sp.sin(_DEGREE * x)
)
cosdg: Any = function(
    "cosdg", "x", "cos x, x in degrees.", lambda x, y: -_DEGREE * sindg(x), lambda x: sp.cos(_DEGREE * x)
)
tandg = function("tandg", "x", "tan x, x in degrees.", lambda x, y: _DEGREE * (1 + y**2), lambda x: sp.tan(_DEGREE * x))
cotdg = function(
    "cotdg", "x", "cot x, x in degrees.", lambda x, y: -_DEGREE * (1 + y**2), lambda x: sp.cot(_DEGREE * x)
)
radian = function(
    "radian", "d m s", "The angle of d degrees, m minutes and s seconds, in radians.",
    lambda d, m, s, y: (_DEGREE, _DEGREE / 60, _DEGREE / 3600), lambda d, m, s: _DEGREE * (d + m / 60 + s / 3600),
)  # fmt: skip

# ------------------------------------------------------------------ Box and Cox
_bend_slope = slope("log1p_bend_slope", "u", lambda u, y: None, ratios.log1p_bend_slope)
log1p_bend = slope(
    "log1p_bend", "u", lambda u, y: _bend_slope(u), ratios.log1p_bend,
    lambda u: (u / (1 + u) - sp.log(1 + u)) / u**2, hidden=True, shown=lambda u: (u / (1 + u) - log1p(u)) / u**2,
)  # fmt: skip


def _boxcox(name: str, words: str, log: Any, one: int) -> Any:
    """(xᵖ - 1)/p = log x · (exp u - 1)/u with u = p log x."""
    return function(
        name, "x lmbda", words,
        lambda x, p, y: ((x + one) ** (p - 1), log(x) ** 2 * exprel_nth(1, p * log(x))),
        lambda x, p: sp.Piecewise((sp.log(x + one), sp.Eq(p, 0)), (((x + one) ** p - 1) / p, True)),
    )  # fmt: skip


boxcox = _boxcox("boxcox", "(x^λ - 1)/λ, log x for λ = 0.", sp.log, 0)
boxcox1p = _boxcox("boxcox1p", "((1 + x)^λ - 1)/λ, log(1 + x) for λ = 0.", log1p, 1)


def _inverse_boxcox(name: str, words: str, one: int) -> Any:
    def rule(x: sp.Expr, p: sp.Expr, y: sp.Expr) -> tuple[sp.Expr, sp.Expr]:
        z = y + one
        return z / (1 + p * x), z * x**2 * log1p_bend(p * x)

    return function(
        name, "y lmbda", words, rule,
        lambda x, p: sp.Piecewise((sp.exp(x), sp.Eq(p, 0)), ((1 + p * x) ** (1 / p), True)) - one,
    )  # fmt: skip


inv_boxcox = _inverse_boxcox("inv_boxcox", "The x with boxcox(x, λ) = y.", 0)
inv_boxcox1p = _inverse_boxcox("inv_boxcox1p", "The x with boxcox1p(x, λ) = y.", 1)

# ------------------------------------------------------------------ losses and divergences
huber = function(
    "huber", "delta r", "Huber's loss: r²/2 for |r| ≤ δ, δ (|r| - δ/2) elsewhere.",
    lambda d, r, y: (
        sp.Piecewise((0, sp.Abs(r) <= d), (sp.Abs(r) - d, True)),
        sp.Piecewise((r, sp.Abs(r) <= d), (d * sp.sign(r), True)),
    ),
    lambda d, r: sp.Piecewise((r**2 / 2, sp.Abs(r) <= d), (d * (sp.Abs(r) - d / 2), True)),
)  # fmt: skip


def _pseudo_huber(d: sp.Expr, r: sp.Expr, y: sp.Expr) -> tuple[sp.Expr, sp.Expr]:
    s = sp.sqrt(1 + (r / d) ** 2)
    return d * (r / d) ** 4 / (s * (1 + s) ** 2), r / s


pseudo_huber = function(
    "pseudo_huber", "delta r", "δ² (√(1 + (r/δ)²) - 1).", _pseudo_huber,
    lambda d, r: d**2 * (sp.sqrt(1 + (r / d) ** 2) - 1),
)  # fmt: skip
log_ratio = slope(
    "log_ratio", "x y", lambda x, z, y: (1 / x, -1 / z), ratios.log_ratio, lambda x, z: sp.log(x / z), hidden=True,
)  # fmt: skip
rel_entr = function(
    "rel_entr", "x y", "x log(x/y), 0 at x = 0: a term of the relative entropy.",
    lambda x, z, y: (log_ratio(x, z) + 1, -x / z),
    lambda x, z: sp.Piecewise((x * sp.log(x / z), x > 0), (0, sp.Eq(x, 0)), (sp.oo, True)),
)  # fmt: skip
kl_div = function(
    "kl_div", "x y", "x log(x/y) - x + y: a term of the Kullback-Leibler divergence.",
    lambda x, z, y: (log_ratio(x, z), 1 - x / z),
    lambda x, z: sp.Piecewise((x * sp.log(x / z) - x + z, x > 0), (z, sp.Eq(x, 0)), (sp.oo, True)),
)  # fmt: skip

# ------------------------------------------------------------------ the normal distribution, and others
nrdtrimn = function(
    "nrdtrimn", "p std x", "The mean of the normal distribution with Φ((x - mean)/std) = p.",
    lambda p, s, x, y: (-s * _ndtri_slope(p), -ndtri(p), sp.S.One), lambda p, s, x: x - s * ndtri(p),
)  # fmt: skip
nrdtrisd = function(
    "nrdtrisd", "mn p x", "The standard deviation of the normal distribution with Φ((x - mn)/std) = p.",
    lambda m, p, x, y: (-1 / ndtri(p), -y * _ndtri_slope(p) / ndtri(p), 1 / ndtri(p)),
    lambda m, p, x: (x - m) / ndtri(p),
)  # fmt: skip


def _ndtri_slope(p: sp.Expr) -> sp.Expr:
    return sp.sqrt(2 * sp.pi) * sp.exp(ndtri(p) ** 2 / 2)


def _tukey(x: sp.Expr, p: sp.Expr, y: sp.Expr) -> tuple[sp.Expr, ...]:
    """Of the quantile (yᵖ - (1 - y)ᵖ)/p = x; the distribution function is constant beyond the support."""
    by_y = y ** (p - 1) + (1 - y) ** (p - 1)
    a, b = sp.log(y), log1p(-y)
    by_p = a**2 * exprel_nth(1, p * a) - b**2 * exprel_nth(1, p * b)
    return tuple(where_zero(y * (1 - y), 0, d / by_y) for d in (sp.S.One, -by_p))


tklmbda = function("tklmbda", "x lmbda", "Tukey's lambda distribution function.", _tukey)


nctdtr: Any = function(
    "nctdtr", "df nc t", "The noncentral t distribution function, differentiable with respect to t only.",
    lambda d, c, t, y: (None, None, d / t * (nctdtr(d + 2, c, t * sp.sqrt(1 + 2 / d)) - y)),
)  # fmt: skip


# ------------------------------------------------------------------ Kolmogorov's distribution
def _kolmogorov(n: int, x: Any) -> Any:
    """The n-th derivative, n = 1, 2, of 2 Σ (-1)^(k-1) exp(-2k²x²), for x < 1 of the other theta series."""
    far, near = np.maximum(x, 1.0), np.clip(x, 0.02, 1.0)
    total, other = np.zeros_like(x), np.zeros_like(x)
    for k in range(1, 12):
        term = (-1.0) ** (k - 1) * np.exp(-2 * k * k * far * far)
        total = total + 2 * term * (-4 * k * k * far if n == 1 else (4 * k * k * far) ** 2 - 4 * k * k)
        c = ((2 * k - 1) * math.pi) ** 2 / 8  # 1 - √(2π)/x Σ exp(-c/x²)
        term = np.exp(-c / (near * near)) / near**2
        other = other - term * (2 * c / near**2 - 1 if n == 1 else 4 * c * c / near**5 - 10 * c / near**3 + 2 / near)
    derivative = np.where(x < 1, math.sqrt(2 * math.pi) * other, total)
    return np.where(x < 0.02, 0.0 * np.where(np.isnan(x), x, 0.0), derivative)


def _kolmogorov_slope(x: Any) -> Any:
    return _kolmogorov(1, x)


def _kolmogorov_bend(x: Any) -> Any:
    return _kolmogorov(2, x)


kolmogorov_bend = slope("kolmogorov_bend", "x", lambda x, y: None, elementwise(_kolmogorov_bend))
kolmogorov_slope = slope("kolmogorov_slope", "x", lambda x, y: kolmogorov_bend(x), elementwise(_kolmogorov_slope))
kolmogorov = function(
    "kolmogorov", "x", "The survival function of Kolmogorov's distribution.", lambda x, y: kolmogorov_slope(x)
)
kolmogi = function("kolmogi", "p", "The x with kolmogorov(x) = p.", lambda p, y: 1 / kolmogorov_slope(y))
