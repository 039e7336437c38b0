"""Functions with a kink or a jump; what their derivative is there follows torch.

abs'(0) = 0, relu'(0) = 0, clamp's edges count as inside, maximum and minimum split ties evenly.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import sympy as sp

from symgrad.scalars.declare import declare

_HALF = sp.Rational(1, 2)


def _zero(x: sp.Expr, y: sp.Expr) -> sp.Expr:
    return sp.S.Zero


def _relu_kernel(x: Any) -> Any:
    return np.maximum(x, 0)


sign = declare("sign", sp.sign, _zero, numpy=np.sign, latex=r"\operatorname{sign}")
abs_ = declare("abs", sp.Abs, lambda x, y: sp.sign(x), numpy=np.abs, float=abs)
floor = declare("floor", sp.floor, _zero, numpy=np.floor)
ceil = declare("ceil", sp.ceiling, _zero, numpy=np.ceil)

relu = declare(
    "relu",
    lambda x: sp.Max(x, 0),
    lambda x, y: sp.Piecewise((1, x > 0), (0, True)),
    numpy=_relu_kernel,
)


def _pick(a: sp.Expr, b: sp.Expr) -> sp.Expr:
    return sp.Piecewise((1, a > b), (_HALF, sp.Eq(a, b)), (0, True))


maximum = declare(
    "maximum",
    sp.Max,
    lambda a, b, y: (_pick(a, b), _pick(b, a)),
    numpy=np.maximum,
    nargs=2,
    latex=r"\max",
    text="max",
)
minimum = declare(
    "minimum",
    sp.Min,
    lambda a, b, y: (_pick(b, a), _pick(a, b)),
    numpy=np.minimum,
    nargs=2,
    latex=r"\min",
    text="min",
)


def _clamp_partials(x: sp.Expr, lo: sp.Expr, hi: sp.Expr, y: sp.Expr) -> tuple[sp.Expr, ...]:
    inside, below, above = (x >= lo) & (x <= hi), (x < lo) & (lo < hi), (x > hi) | (hi < lo)
    return tuple(sp.Piecewise((1, where), (0, True)) for where in (inside, below, above))


def _clamp_kernel(x: Any, lo: Any, hi: Any) -> Any:
    return np.minimum(np.maximum(x, lo), hi)


clamp = declare(
    "clamp",
    lambda x, lo, hi: sp.Min(sp.Max(x, lo), hi),
    _clamp_partials,
    numpy=_clamp_kernel,
    nargs=3,
    latex=r"\operatorname{clamp}",
)
clamp_min = declare(
    "clamp_min",
    lambda x, lo: sp.Max(x, lo),
    lambda x, lo, y: (sp.Piecewise((1, x >= lo), (0, True)), sp.Piecewise((1, x < lo), (0, True))),
    numpy=np.maximum,
    nargs=2,
)
clamp_max = declare(
    "clamp_max",
    lambda x, hi: sp.Min(x, hi),
    lambda x, hi, y: (sp.Piecewise((1, x <= hi), (0, True)), sp.Piecewise((1, x > hi), (0, True))),
    numpy=np.minimum,
    nargs=2,
)
