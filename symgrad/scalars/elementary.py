"""Exponentials, logarithms, trigonometric and hyperbolic functions.

Where SymPy has the function it is SymPy's own class, so formulas stay ordinary SymPy; the derivative is
the one that is accurate in floating point. Angles are in radians.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import sympy as sp

from symgrad.scalars import complexes, slopes
from symgrad.scalars.declare import declare
from symgrad.scalars.written import part

LN2 = sp.log(2, evaluate=False)  # not evaluated, which loads SymPy's sets
LN10 = sp.log(10, evaluate=False)
_POS = (0.05, 6.0)
_UNIT = (-0.95, 0.95)

# ------------------------------------------------------------------ exponentials and logarithms
exp = declare(
    "exp", sp.exp, lambda x, y: y, "eˣ, elementwise.", "eˣ", numpy=np.exp, float=math.exp, latex=r"\exp", analytic=True
)
log = declare(
    "log", sp.log, lambda x, y: 1 / x, "log x, the natural logarithm.", "1/x", numpy=np.log, float=math.log,
    latex=r"\log", core=_POS, analytic=True,
)  # fmt: skip
expm1 = declare(
    "expm1", lambda x: sp.exp(x) - 1, lambda x, y: sp.exp(x), "eˣ - 1, accurate near 0.", "eˣ", numpy=np.expm1,
    float=math.expm1, analytic=True,
)  # fmt: skip
log1p = declare(
    "log1p", lambda x: sp.log(1 + x), lambda x, y: 1 / (1 + x), "log(1 + x), accurate near 0.", "1/(1 + x)",
    numpy=np.log1p, float=math.log1p, core=(-0.9, 6.0), analytic=complexes.complex_log1p,
)  # fmt: skip
exp2_slope = part("exp2_slope", lambda x: LN2 * exp2(x), lambda x, y: LN2 * y, slopes.exp2_slope)
exp2: Any = declare(
    "exp2", lambda x: 2**x, lambda x, y: exp2_slope(x), "2ˣ.", "2ˣ log 2", numpy=np.exp2, latex=r"\exp_2", analytic=True
)
log2 = declare(
    "log2", lambda x: sp.log(x) / LN2, lambda x, y: 1 / (x * LN2), "log₂ x.", "1/(x log 2)", numpy=np.log2,
    float=math.log2, latex=r"\log_2", core=_POS, analytic=True,
)  # fmt: skip
log10 = declare(
    "log10", lambda x: sp.log(x) / LN10, lambda x, y: 1 / (x * LN10), "log₁₀ x.", "1/(x log 10)", numpy=np.log10,
    float=math.log10, latex=r"\log_{10}", core=_POS, analytic=True,
)  # fmt: skip


# ------------------------------------------------------------------ powers with a variable exponent
def _power_meaning(n: int, k: int, x: sp.Expr, y: sp.Expr) -> sp.Expr:
    lead, e = sp.ff(y, n), sp.Dummy()
    terms = [sp.binomial(k, j) * sp.diff(sp.ff(e, n), e, j).subs(e, y) * sp.log(x) ** (k - j) for j in range(k + 1)]
    guard = sp.Eq(x, 0) & (y >= n) if k else sp.Eq(lead, 0)
    return sp.Piecewise((0, guard), (sp.Add(*terms) * x ** (y - n), True))


# xʸ log x, whose slope with respect to x does not pass through xʸ: that may underflow where xʸ⁻¹ does not
power_log = declare(
    "power_log", lambda x, y: sp.Piecewise((0, sp.Eq(x, 0) & (y >= 0)), (x**y * sp.log(x), True)),
    lambda x, y, out: (power_nth(1, 1, x, y), power_nth(0, 2, x, y)),
    numpy=lambda x, y: np.where(np.equal(x, 0) & (y >= 0), 0.0, np.power(x, y) * np.log(x)), core=_POS, hidden=True,
    inline=True,
)  # fmt: skip

# The slopes of xʸ. Where y, or y - 1, is exactly 0, the slope with respect to x is 0 at x = 0 too;
# its slopes with respect to y do not vanish.
power_nth: Any = part(
    "power_nth", lambda n, k, x, y: _power_meaning(int(n), int(k), x, y),
    lambda n, k, x, y, out: (sp.S.Zero, sp.S.Zero, power_nth(n + 1, k, x, y), power_nth(n, k + 1, x, y)),
    slopes.power_nth, orders=2, core=_POS,
)  # fmt: skip
power_slope = declare(
    "power_slope", lambda x, y: sp.Piecewise((0, sp.Eq(y, 0)), (y * x ** (y - 1), True)),
    lambda x, y, out: (power_nth(2, 0, x, y), power_nth(1, 1, x, y)),
    numpy=lambda x, y: np.where(np.equal(y, 0), 0.0, y * np.power(x, y - 1.0)), core=_POS, hidden=True, inline=True,
)  # fmt: skip

# ------------------------------------------------------------------ trigonometric
sin = declare(
    "sin", sp.sin, lambda x, y: sp.cos(x), "sin x, x in radians.", "cos x", numpy=np.sin, float=math.sin, latex=r"\sin",
    analytic=True,
)  # fmt: skip
cos = declare(
    "cos", sp.cos, lambda x, y: -sp.sin(x), "cos x, x in radians.", "-sin x", numpy=np.cos, float=math.cos,
    latex=r"\cos", analytic=True,
)  # fmt: skip
sec2: Any = declare(
    "sec2", lambda x: 1 + sp.tan(x) ** 2, lambda x, y: 2 * sp.tan(x) * y, numpy=lambda x: 1 + np.tan(x) ** 2,
    analytic=complexes.complex_sec2, hidden=True, inline=True,
)  # fmt: skip
tan = declare(
    "tan", sp.tan, lambda x, y: sec2(x), "tan x, x in radians.", "1 + tan² x", numpy=np.tan, float=math.tan,
    latex=r"\tan", core=(-1.4, 1.4), analytic=True,
)  # fmt: skip
# (1 - x)(1 + x) keeps the digits that 1 - x² loses near ±1
asin_slope: Any = declare(
    "asin_slope", lambda x: 1 / sp.sqrt((1 - x) * (1 + x)), lambda x, y: x * y**3,
    numpy=lambda x: 1 / np.sqrt((1 - x) * (1 + x)), core=_UNIT, analytic=complexes.complex_asin_slope, hidden=True,
    inline=True,
)  # fmt: skip
asin = declare(
    "asin", sp.asin, lambda x, y: asin_slope(x), "arcsin x in radians, for |x| ≤ 1.", "1/√((1 - x)(1 + x))",
    numpy=np.arcsin, float=math.asin, latex=r"\arcsin", core=_UNIT, analytic=True,
)  # fmt: skip
acos = declare(
    "acos", sp.acos, lambda x, y: -asin_slope(x), "arccos x in radians, for |x| ≤ 1.", "-1/√((1 - x)(1 + x))",
    numpy=np.arccos, float=math.acos, latex=r"\arccos", core=_UNIT, analytic=True,
)  # fmt: skip
# In products of 1/(1 + x²) and x/(1 + x²) no power of x overflows
cauchy_times: Any = part(
    "cauchy_times", lambda x: x / (1 + x**2), lambda x, y: cauchy(x) - 2 * y**2, slopes.cauchy_times
)
cauchy: Any = part(
    "cauchy", lambda x: 1 / (1 + x**2), lambda x, y: -2 * cauchy_times(x) * y, slopes.cauchy,
    analytic=complexes.complex_cauchy,
)  # fmt: skip
atan = declare(
    "atan", sp.atan, lambda x, y: cauchy(x), "arctan x in radians.", "1/(1 + x²)", numpy=np.arctan, float=math.atan,
    latex=r"\arctan", analytic=True,
)  # fmt: skip

# ------------------------------------------------------------------ of a point in the plane
direction: Any = part(
    "direction", lambda a, b: sp.Piecewise((0, sp.Eq(hypot(a, b), 0)), (a / hypot(a, b), True)),
    lambda a, b, y: (direction(b, a) * atan2_slope(a, b), -y * atan2_slope(a, b)), slopes.direction,
)  # fmt: skip
# flat at the origin
hypot: Any = declare(
    "hypot", lambda a, b: sp.sqrt(a**2 + b**2), lambda a, b, y: (direction(a, b), direction(b, a)),
    "√(x² + other²), without overflow.", numpy=np.hypot, float=math.hypot, note="The gradient at the origin is 0.",
)  # fmt: skip


def _over_square(along: int) -> Any:
    """b/(a² + b²) along 1, a/(a² + b²) along 0; flat at the origin, as in torch."""
    return lambda *p: sp.Piecewise((0, sp.Eq(p[0], 0) & sp.Eq(p[1], 0)), (p[along] / (p[0] ** 2 + p[1] ** 2), True))


def _turned(a: sp.Expr, b: sp.Expr) -> tuple[sp.Expr, sp.Expr]:
    """-2ab/(a² + b²)² and (a² - b²)/(a² + b²)²."""
    p, q = atan2_across(a, b), atan2_slope(a, b)
    return -2 * p * q, (p - q) * (p + q)


atan2_across: Any = part(
    "atan2_across", _over_square(0), lambda a, b, y: (-_turned(a, b)[1], _turned(a, b)[0]), slopes.atan2_across
)
atan2_slope: Any = part("atan2_slope", _over_square(1), lambda a, b, y: _turned(a, b), slopes.atan2_slope)
atan2 = declare(
    "atan2", sp.atan2, lambda a, b, y: (atan2_slope(a, b), -atan2_across(a, b)), numpy=np.arctan2, float=math.atan2
)

# ------------------------------------------------------------------ hyperbolic
sinh = declare(
    "sinh", sp.sinh, lambda x, y: sp.cosh(x), "sinh x.", "cosh x", numpy=np.sinh, float=math.sinh, latex=r"\sinh",
    analytic=True,
)  # fmt: skip
cosh = declare(
    "cosh", sp.cosh, lambda x, y: sp.sinh(x), "cosh x.", "sinh x", numpy=np.cosh, float=math.cosh, latex=r"\cosh",
    analytic=True,
)  # fmt: skip


def _sech2(x: Any) -> Any:
    """1/cosh² x; where cosh overflows, the square has long been 0."""
    y = 1 / np.cosh(x)
    return y * y


# 1 - tanh² cancels to 0 beyond |x| = 19, and cosh² overflows beyond 355
# on arrays cosh is cheaper than all that exp needs
sech2: Any = part(
    "sech2", lambda x: 1 / sp.cosh(x) ** 2, lambda x, y: -2 * sp.tanh(x) * y, slopes.sech2, numpy=_sech2,
    analytic=complexes.complex_sech2,
)  # fmt: skip
tanh = declare(
    "tanh", sp.tanh, lambda x, y: sech2(x), "tanh x.",
    "1/cosh² x, which keeps its digits where 1 - tanh² x has none left", numpy=np.tanh, float=math.tanh, latex=r"\tanh",
    analytic=True,
)  # fmt: skip
asinh_slope = part(
    "asinh_slope", lambda x: 1 / sp.sqrt(1 + x**2), lambda x, y: -cauchy_times(x) * y, slopes.asinh_slope,
    analytic=complexes.complex_asinh_slope,
)  # fmt: skip
asinh = declare(
    "asinh", sp.asinh, lambda x, y: asinh_slope(x), "arsinh x.", "1/√(1 + x²)", numpy=np.arcsinh, float=math.asinh,
    latex=r"\operatorname{arsinh}", analytic=True,
)  # fmt: skip
# x/(x² - 1) and 1/(x² - 1), as for atan
acosh_times: Any = part(
    "acosh_times", lambda x: x / ((x - 1) * (x + 1)), lambda x, y: acosh_square(x) - 2 * y**2, slopes.acosh_times,
    core=_UNIT,
)  # fmt: skip
acosh_square: Any = part(
    "acosh_square", lambda x: 1 / ((x - 1) * (x + 1)), lambda x, y: -2 * acosh_times(x) * y, slopes.acosh_square,
    core=_UNIT,
)  # fmt: skip
acosh_slope = part(
    "acosh_slope", lambda x: 1 / (sp.sqrt(x - 1) * sp.sqrt(x + 1)), lambda x, y: -acosh_times(x) * y,
    slopes.acosh_slope, analytic=complexes.complex_acosh_slope, core=(1.05, 6.0),
)  # fmt: skip
acosh = declare(
    "acosh", sp.acosh, lambda x, y: acosh_slope(x), "arcosh x, for x ≥ 1.", "1/(√(x - 1) √(x + 1))", numpy=np.arccosh,
    float=math.acosh, latex=r"\operatorname{arcosh}", core=(1.05, 6.0), analytic=True,
)  # fmt: skip
atanh_slope = part(
    "atanh_slope", lambda x: 1 / ((1 - x) * (1 + x)), lambda x, y: -2 * acosh_times(x) * y, slopes.atanh_slope,
    core=_UNIT,
)  # fmt: skip
atanh = declare(
    "atanh", sp.atanh, lambda x, y: atanh_slope(x), "artanh x, for |x| < 1.", "1/((1 - x)(1 + x))", numpy=np.arctanh,
    float=math.atanh, latex=r"\operatorname{artanh}", core=_UNIT, analytic=True,
)  # fmt: skip
