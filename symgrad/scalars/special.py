"""Error function, normal distribution, gamma and Bessel families, products with logarithms.

SymPy's classes where it has them; kernels in ``numerics``, ``normal``, ``gamma`` and ``bessel``.
"""

from __future__ import annotations

import math
from typing import Any

import sympy as sp

from symgrad.scalars import bessel, normal, numerics
from symgrad.scalars.declare import declare
from symgrad.scalars.elementary import log1p


def _bell(x: sp.Expr) -> sp.Expr:
    """2/√π exp(-x²)."""
    return 2 / sp.sqrt(sp.pi) * sp.exp(-(x**2))


erf = declare("erf", sp.erf, lambda x, y: _bell(x), numpy=numerics.erf, float=math.erf)
erfc = declare("erfc", sp.erfc, lambda x, y: -_bell(x), numpy=numerics.erfc, float=math.erfc)
lgamma = declare(
    "lgamma",
    sp.loggamma,
    lambda x, y: sp.digamma(x),
    numpy=numerics.lgamma,
    float=math.lgamma,
    latex=r"\log\Gamma",
    core=(0.1, 8.0),
)
digamma = sp.digamma  # SymPy writes it polygamma(0, x)
polygamma = declare(
    "polygamma",
    sp.polygamma,
    lambda n, x, y: (sp.S.Zero, sp.polygamma(n + 1, x)),
    numpy=numerics.polygamma,
    nargs=2,
    latex=r"\psi",
    core=(0.1, 8.0),
)

# ------------------------------------------------------------------ normal distribution
_ROOT2 = sp.sqrt(2)
erfinv = declare(
    "erfinv",
    sp.erfinv,
    lambda x, y: sp.sqrt(sp.pi) / 2 * sp.exp(y**2),
    numpy=numerics.erfinv,
    latex=r"\operatorname{erf}^{-1}",
    core=(-0.95, 0.95),
)
erfcx = declare(
    "erfcx",
    lambda x: sp.exp(x**2) * sp.erfc(x),
    lambda x, y: 2 * x * y - 2 / sp.sqrt(sp.pi),
    numpy=normal.erfcx,
)
ndtr = declare(
    "ndtr",
    lambda x: sp.erfc(-x / _ROOT2) / 2,
    lambda x, y: sp.exp(-(x**2) / 2) / sp.sqrt(2 * sp.pi),
    numpy=normal.ndtr,
    latex=r"\Phi",
    text="Φ",
)


def _hazard(x: sp.Expr) -> sp.Expr:
    """φ(x)/Φ(x): the quotient itself underflows on the left, erfcx loses digits on the right."""
    left = sp.sqrt(2 / sp.pi) / erfcx(-x / _ROOT2)
    return sp.Piecewise((left, x < 0), (sp.exp(-(x**2) / 2) / (sp.sqrt(2 * sp.pi) * ndtr(x)), True))


log_ndtr = declare(
    "log_ndtr",
    lambda x: sp.log(sp.erfc(-x / _ROOT2) / 2),
    lambda x, y: _hazard(x),
    numpy=normal.log_ndtr,
    latex=r"\log\Phi",
)
ndtri = declare(
    "ndtri",
    lambda x: _ROOT2 * sp.erfinv(2 * x - 1),
    lambda x, y: sp.sqrt(2 * sp.pi) * sp.exp(y**2 / 2),
    numpy=normal.ndtri,
    latex=r"\Phi^{-1}",
    core=(0.02, 0.98),
)

# ------------------------------------------------------------------ logarithms
logit = declare(
    "logit",
    lambda x: sp.log(x / (1 - x)),
    lambda x, y: 1 / (x * (1 - x)),
    numpy=normal.logit,
    core=(0.05, 0.95),
)
entr = declare(
    "entr",
    lambda x: sp.Piecewise((-x * sp.log(x), x > 0), (0, sp.Eq(x, 0)), (-sp.oo, True)),
    lambda x, y: -sp.log(x) - 1,
    numpy=numerics.entr,
    core=(0.05, 6.0),
)


def _xlogy_partials(x: sp.Expr, z: sp.Expr, y: sp.Expr) -> tuple[sp.Expr, ...]:
    return sp.Piecewise((0, sp.Eq(x, 0) & (z <= 0)), (sp.log(z), True)), x / z


def _xlog1py_partials(x: sp.Expr, z: sp.Expr, y: sp.Expr) -> tuple[sp.Expr, ...]:
    return sp.Piecewise((0, sp.Eq(x, 0) & (z <= -1)), (log1p(z), True)), x / (1 + z)


xlogy = declare(
    "xlogy",
    lambda x, z: sp.Piecewise((0, sp.Eq(x, 0)), (x * sp.log(z), True)),
    _xlogy_partials,
    numpy=numerics.xlogy,
    nargs=2,
    core=(0.05, 6.0),
)
xlog1py = declare(
    "xlog1py",
    lambda x, z: sp.Piecewise((0, sp.Eq(x, 0)), (x * sp.log(1 + z), True)),
    _xlog1py_partials,
    numpy=numerics.xlog1py,
    nargs=2,
    core=(-0.9, 6.0),
)

# ------------------------------------------------------------------ Bessel functions
_I: dict[str, Any] = {}  # each function's derivative has the other one in it


def _over(y: sp.Expr, x: sp.Expr) -> sp.Expr:
    """y/x, 1/2 at 0."""
    return sp.Piecewise((sp.Rational(1, 2), sp.Eq(x, 0)), (y / x, True))


_I["i0"] = i0 = declare("i0", lambda x: sp.besseli(0, x), lambda x, y: _I["i1"](x), numpy=bessel.i0, latex="I_0")
_I["i1"] = i1 = declare(
    "i1", lambda x: sp.besseli(1, x), lambda x, y: _I["i0"](x) - _over(y, x), numpy=bessel.i1, latex="I_1"
)
_I["i0e"] = i0e = declare(
    "i0e",
    lambda x: sp.exp(-sp.Abs(x)) * sp.besseli(0, x),
    lambda x, y: _I["i1e"](x) - sp.sign(x) * y,
    numpy=bessel.i0e,
)
_I["i1e"] = i1e = declare(
    "i1e",
    lambda x: sp.exp(-sp.Abs(x)) * sp.besseli(1, x),
    lambda x, y: _I["i0e"](x) - sp.sign(x) * y - _over(y, x),
    numpy=bessel.i1e,
)

# ------------------------------------------------------------------ sin(πx)/(πx)
sinc_slope = declare(
    "sinc_slope",
    lambda x: sp.Piecewise((0, sp.Eq(x, 0)), ((sp.cos(sp.pi * x) - sp.sin(sp.pi * x) / (sp.pi * x)) / x, True)),
    lambda x, y: sp.Piecewise((-(sp.pi**2) / 3, sp.Eq(x, 0)), (-(sp.pi**2) * _I["sinc"](x) - 2 * y / x, True)),
    numpy=bessel.sinc_slope,
    hidden=True,
)
_I["sinc"] = sinc = declare(
    "sinc",
    lambda x: sp.Piecewise((1, sp.Eq(x, 0)), (sp.sin(sp.pi * x) / (sp.pi * x), True)),
    lambda x, y: sinc_slope(x),
    numpy=bessel.sinc,
)
