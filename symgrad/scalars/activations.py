"""Activations with a kernel for their slope, which is 0 at a point where its textbook expression cancels."""

from __future__ import annotations

import sympy as sp

from symgrad.scalars import slopes
from symgrad.scalars.elementary import expm1, sech2, tanh
from symgrad.scalars.special import ndtr, normal_pdf, tail_clamp
from symgrad.scalars.stable import sigmoid, sigmoid_slope, softplus
from symgrad.scalars.written import part

silu_slope = part(
    "silu_slope", lambda x: sigmoid(x) + x * sigmoid(x) * sigmoid(-x),
    lambda x, y: sigmoid_slope(x) * (2 - tail_clamp(x) * tanh(x / 2)), slopes.silu_slope,
)  # fmt: skip
silu = part("silu", lambda x: x * sigmoid(x), lambda x, y: silu_slope(x), slopes.silu)

gelu_slope = part(
    "gelu_slope", lambda x: ndtr(x) + x * normal_pdf(x), lambda x, y: (2 - tail_clamp(x) ** 2) * normal_pdf(x),
    slopes.gelu_slope,
)  # fmt: skip
gelu = part("gelu", lambda x: x * ndtr(x), lambda x, y: gelu_slope(x), slopes.gelu)


def _cubic(x: sp.Expr) -> sp.Expr:
    return 2 * sp.sqrt(2 / sp.pi) * (x + sp.Rational(44715, 10**6) * x**3)


def _gelu_tanh_bend(x: sp.Expr) -> sp.Expr:
    """2 v' s + x (v'' s - v'² s tanh(v/2)), s = σ(v) σ(-v)."""
    b = tail_clamp(x)
    c, k = 2 * sp.sqrt(2 / sp.pi), sp.Rational(44715, 10**6)
    v, first, second = _cubic(b), c * (1 + 3 * k * b**2), 6 * c * k * b
    return sigmoid_slope(v) * (2 * first + b * second - b * first**2 * tanh(v / 2))


gelu_tanh_slope = part(
    "gelu_tanh_slope",
    lambda x: sigmoid(_cubic(x)) + x * sp.diff(_cubic(x), x) * sigmoid(_cubic(x)) * sigmoid(-_cubic(x)),
    lambda x, y: _gelu_tanh_bend(x), slopes.gelu_tanh_slope,
)  # fmt: skip
gelu_tanh = part("gelu_tanh", lambda x: x * sigmoid(_cubic(x)), lambda x, y: gelu_tanh_slope(x), slopes.gelu_tanh)


def _mish_bend(x: sp.Expr) -> sp.Expr:
    """With t = tanh s and c = 1/cosh² s, s = softplus(x): 2cσ(x) + x c (σ(x) σ(-x) - 2 t σ(x)²)."""
    b, t, c = tail_clamp(x), tanh(softplus(x)), sech2(softplus(x))
    return 2 * c * sigmoid(x) + b * c * (sigmoid_slope(x) - 2 * t * sigmoid(x) ** 2)


mish_slope = part(
    "mish_slope", lambda x: tanh(softplus(x)) + x * sigmoid(x) / sp.cosh(softplus(x)) ** 2, lambda x, y: _mish_bend(x),
    slopes.mish_slope,
)  # fmt: skip
mish = part("mish", lambda x: x * tanh(softplus(x)), lambda x, y: mish_slope(x), slopes.mish)

exp_ratio = part(
    "exp_ratio", lambda x, a: sp.exp(x / a), lambda x, a, y: (y / a, -x / a**2 * y), slopes.exp_ratio, core=(0.05, 6.0)
)
expm1_ratio = part(
    "expm1_ratio", lambda x, a: expm1(x / a), lambda x, a, y: (exp_ratio(x, a) / a, -x / a**2 * exp_ratio(x, a)),
    slopes.expm1_ratio, core=(0.05, 6.0),
)  # fmt: skip
