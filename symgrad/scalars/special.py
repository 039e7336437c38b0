"""Error function and gamma family. SymPy's classes; kernels in ``numerics`` and ``gamma``."""

from __future__ import annotations

import math

import sympy as sp

from symgrad.scalars import numerics
from symgrad.scalars.declare import declare


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
