"""Exponentials, logarithms, trigonometric and hyperbolic functions.

Where SymPy has the function it is SymPy's own class, so formulas stay ordinary SymPy; the derivative is
the one that is accurate in floating point. Angles are in radians.
"""

from __future__ import annotations

import math

import numpy as np
import sympy as sp

from symgrad.scalars.declare import declare

_LN2 = sp.log(2)
_LN10 = sp.log(10)
_POS = (0.05, 6.0)
_UNIT = (-0.95, 0.95)

# ------------------------------------------------------------------ exponentials and logarithms
exp = declare("exp", sp.exp, lambda x, y: y, numpy=np.exp, float=math.exp, latex=r"\exp")
log = declare("log", sp.log, lambda x, y: 1 / x, numpy=np.log, float=math.log, latex=r"\log", core=_POS)
expm1 = declare("expm1", lambda x: sp.exp(x) - 1, lambda x, y: sp.exp(x), numpy=np.expm1, float=math.expm1)
log1p = declare(
    "log1p",
    lambda x: sp.log(1 + x),
    lambda x, y: 1 / (1 + x),
    numpy=np.log1p,
    float=math.log1p,
    core=(-0.9, 6.0),
)
exp2 = declare("exp2", lambda x: 2**x, lambda x, y: _LN2 * y, numpy=np.exp2, latex=r"\exp_2")
log2 = declare(
    "log2",
    lambda x: sp.log(x) / _LN2,
    lambda x, y: 1 / (x * _LN2),
    numpy=np.log2,
    float=math.log2,
    latex=r"\log_2",
    core=_POS,
)
log10 = declare(
    "log10",
    lambda x: sp.log(x) / _LN10,
    lambda x, y: 1 / (x * _LN10),
    numpy=np.log10,
    float=math.log10,
    latex=r"\log_{10}",
    core=_POS,
)

# ------------------------------------------------------------------ trigonometric
sin = declare("sin", sp.sin, lambda x, y: sp.cos(x), numpy=np.sin, float=math.sin, latex=r"\sin")
cos = declare("cos", sp.cos, lambda x, y: -sp.sin(x), numpy=np.cos, float=math.cos, latex=r"\cos")
tan = declare("tan", sp.tan, lambda x, y: 1 + y**2, numpy=np.tan, float=math.tan, latex=r"\tan", core=(-1.4, 1.4))
# (1 - x)(1 + x) keeps the digits that 1 - x² loses near ±1
asin = declare(
    "asin",
    sp.asin,
    lambda x, y: 1 / sp.sqrt((1 - x) * (1 + x)),
    numpy=np.arcsin,
    float=math.asin,
    latex=r"\arcsin",
    core=_UNIT,
)
acos = declare(
    "acos",
    sp.acos,
    lambda x, y: -1 / sp.sqrt((1 - x) * (1 + x)),
    numpy=np.arccos,
    float=math.acos,
    latex=r"\arccos",
    core=_UNIT,
)
atan = declare("atan", sp.atan, lambda x, y: 1 / (1 + x**2), numpy=np.arctan, float=math.atan, latex=r"\arctan")


def _atan2_partials(a: sp.Expr, b: sp.Expr, y: sp.Expr) -> tuple[sp.Expr, sp.Expr]:
    at_origin = sp.Eq(a, 0) & sp.Eq(b, 0)  # flat there, as in torch
    return (
        sp.Piecewise((0, at_origin), (b / (a**2 + b**2), True)),
        sp.Piecewise((0, at_origin), (-a / (a**2 + b**2), True)),
    )


atan2 = declare("atan2", sp.atan2, _atan2_partials, numpy=np.arctan2, float=math.atan2, nargs=2)

# ------------------------------------------------------------------ hyperbolic
sinh = declare("sinh", sp.sinh, lambda x, y: sp.cosh(x), numpy=np.sinh, float=math.sinh, latex=r"\sinh")
cosh = declare("cosh", sp.cosh, lambda x, y: sp.sinh(x), numpy=np.cosh, float=math.cosh, latex=r"\cosh")
# 1 - tanh² cancels to 0 beyond |x| = 19; 1/cosh² is right to underflow
tanh = declare("tanh", sp.tanh, lambda x, y: 1 / sp.cosh(x) ** 2, numpy=np.tanh, float=math.tanh, latex=r"\tanh")
asinh = declare(
    "asinh",
    sp.asinh,
    lambda x, y: 1 / sp.sqrt(1 + x**2),
    numpy=np.arcsinh,
    float=math.asinh,
    latex=r"\operatorname{arsinh}",
)
acosh = declare(
    "acosh",
    sp.acosh,
    lambda x, y: 1 / (sp.sqrt(x - 1) * sp.sqrt(x + 1)),
    numpy=np.arccosh,
    float=math.acosh,
    latex=r"\operatorname{arcosh}",
    core=(1.05, 6.0),
)
atanh = declare(
    "atanh",
    sp.atanh,
    lambda x, y: 1 / ((1 - x) * (1 + x)),
    numpy=np.arctanh,
    float=math.atanh,
    latex=r"\operatorname{artanh}",
    core=_UNIT,
)
