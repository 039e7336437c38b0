"""Functions of complex numbers whose textbook's expression overflows, cancels, or loses the side of a cut.

Each is written once in parts, see ``written``: ``(m, x, y)`` to the real and the imaginary part of f(x + iy). Sums with
1 are of real parts alone, so that the sign of an imaginary 0 says on which side of its cut a number lies.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import sympy as sp

from symgrad.scalars.declare import declare
from symgrad.scalars.written import ARRAYS

Pair = tuple[Any, Any]


# ------------------------------------------------------------------ arithmetic
def _root(m: Any, x: Any, y: Any) -> Pair:
    """t + iy/(2t) right of the imaginary axis, |y|/(2t) ± it left of it; t = √((|x| + |z|)/2)."""
    t = m.sqrt(0.5 * m.abs(x) + 0.5 * m.hypot(x, y))
    other = m.where(t == 0.0, y, 0.5 * y / m.where(t == 0.0, 1.0, t))
    return m.where(x >= 0.0, t, m.abs(other)), m.where(x >= 0.0, other, m.copysign(t, y))


def over(m: Any, a: Any, b: Any, c: Any, d: Any) -> Pair:
    """(a + ib)/(c + id), by the larger part first. Source: Smith 1962."""
    first = m.abs(c) >= m.abs(d)
    large, small = m.where(first, c, d), m.where(first, d, c)
    ratio = small / m.where(large == 0.0, 1.0, large)
    below = large + small * ratio
    p, q = m.where(first, a, b), m.where(first, b, a)
    im = q - p * ratio
    return (p + q * ratio) / below, m.where(first, im, -im) / below


def _scaled(m: Any, x: Any, y: Any) -> tuple[Any, Any, Any]:
    """The parts of z s², whose size neither overflows nor has few digits, and s, a power of two that is 1 elsewhere."""
    size = m.maximum(m.abs(x), m.abs(y))
    root = m.where(size > 2.0**1000, 2.0**-32, m.where(size < 2.0**-960, 2.0**32, 1.0))
    unit = root * root
    return x * unit, y * unit, root


def sqrt(m: Any, x: Any, y: Any) -> Pair:
    """The root right of the imaginary axis."""
    x, y, root = _scaled(m, x, y)
    re, im = _root(m, x, y)
    return re / root, im / root


def sign(m: Any, x: Any, y: Any) -> Pair:
    """z/|z|, 0 at 0."""
    x, y, _ = _scaled(m, x, y)
    size = m.hypot(x, y)
    below = m.where(size == 0.0, 1.0, size)
    return x / below, y / below


# ------------------------------------------------------------------ what NumPy computes
def exp(m: Any, x: Any, y: Any) -> Pair:
    """e^x (cos y + i sin y); without an imaginary part that is ∞·0."""
    size, flat = m.exp(x), y == 0.0
    return m.where(flat, size, size * m.cos(y)), m.where(flat, y, size * m.sin(y))


def log(m: Any, x: Any, y: Any) -> Pair:
    """log|z| + i·angle; beside |z| = 1 the logarithm is that of |z|² - 1 = (p - 1)(p + 1) + q², p the larger part."""
    p, q = m.maximum(m.abs(x), m.abs(y)), m.minimum(m.abs(x), m.abs(y))
    near = 0.5 * m.log1p((p - 1.0) * (p + 1.0) + q * q)
    x, y, root = _scaled(m, x, y)
    size = m.hypot(x, y)
    far = m.log(size) - 2.0 * m.log(root)
    return m.where((size > 0.7) * (size < 1.4), near, far), m.atan2(y, x)


def tanh(m: Any, x: Any, y: Any) -> Pair:
    """(t + iu)/(1 + itu) of t = tanh x and u = tan y."""
    t, u = m.tanh(x), m.tan(y)
    return over(m, t, u, 1.0, t * u)


def tan(m: Any, x: Any, y: Any) -> Pair:
    """Return tan z as −i tanh(iz)."""
    re, im = tanh(m, -y, x)
    return im, -re


FORMULAS: dict[str, Callable[..., Pair]] = {
    "sqrt": sqrt, "exp": exp, "log": log, "tanh": tanh, "tan": tan,
    "sin": lambda m, x, y: (m.sin(x) * m.cosh(y), m.cos(x) * m.sinh(y)),
    "cos": lambda m, x, y: (m.cos(x) * m.cosh(y), -(m.sin(x) * m.sinh(y))),
    "sinh": lambda m, x, y: (m.sinh(x) * m.cos(y), m.cosh(x) * m.sin(y)),
    "cosh": lambda m, x, y: (m.cosh(x) * m.cos(y), m.sinh(x) * m.sin(y)),
}  # fmt: skip


def _below_two(m: Any, p: Pair, q: Pair) -> Pair:
    """1/(pq), whose product may overflow."""
    return over(m, *over(m, 1.0, 0.0, *p), *q)


# ------------------------------------------------------------------ the functions
def asin_slope(m: Any, x: Any, y: Any) -> Pair:
    """1/(√(1 - z) √(1 + z))."""
    return _below_two(m, _root(m, 1.0 - x, -y), _root(m, 1.0 + x, y))


def asinh_slope(m: Any, x: Any, y: Any) -> Pair:
    """1/√(1 + z²), which is arcsin's slope at iz."""
    return asin_slope(m, -y, x)


def acosh_slope(m: Any, x: Any, y: Any) -> Pair:
    """1/(√(z - 1) √(z + 1))."""
    return _below_two(m, _root(m, x - 1.0, y), _root(m, x + 1.0, y))


def cauchy(m: Any, x: Any, y: Any) -> Pair:
    """1/((1 + iz)(1 - iz))."""
    return _below_two(m, (1.0 - y, x), (1.0 + y, -x))


def sech2(m: Any, x: Any, y: Any) -> Pair:
    """1/cosh² z, which is 0 long before cosh overflows."""
    c = m.clamp(x, -400.0, 400.0)
    re, im = over(m, 1.0, 0.0, m.cosh(c) * m.cos(y), m.sinh(c) * m.sin(y))
    return re * re - im * im, 2.0 * re * im


def sec2(m: Any, x: Any, y: Any) -> Pair:
    """Return 1/cos² z, the derivative of the tangent."""
    return sech2(m, -y, x)


def sigmoid(m: Any, x: Any, y: Any) -> Pair:
    """1/(1 + q) right and q/(1 + q) left of the imaginary axis, q = exp(∓z)."""
    right, size = x >= 0.0, m.exp(-m.abs(x))
    re, im = size * m.cos(y), m.where(right, -size, size) * m.sin(y)
    return over(m, m.where(right, 1.0, re), m.where(right, 0.0, im), 1.0 + re, im)


def log1p(m: Any, x: Any, y: Any) -> Pair:
    """log |1 + z|, of |1 + z|² - 1 for small z."""
    near = m.maximum(m.abs(x), m.abs(y)) < 0.5
    a, b = m.where(near, x, 0.0), m.where(near, y, 0.0)
    size = m.hypot(m.where(near, 1.0, 1.0 + x), y)
    return m.where(near, 0.5 * m.log1p(a * (2.0 + a) + b * b), m.log(size)), m.atan2(y, 1.0 + x)


# ------------------------------------------------------------------ their declarations
def _twin(formula: Any, meaning: Any, derivative: Any) -> Any:
    """Declare what takes a function's place among complex numbers."""

    def kernel(z: Any) -> Any:
        z = np.asarray(z)
        with np.errstate(all="ignore"):
            re, im = formula(ARRAYS, z.real.reshape(-1), z.imag.reshape(-1))
        values = np.empty(z.shape, np.result_type(z, np.complex64))
        values.real, values.imag = re.reshape(z.shape), im.reshape(z.shape)
        return values[()]

    name = f"complex_{formula.__name__}"
    kernel.__name__ = name
    return declare(name, meaning, derivative, numpy=kernel, parts=formula, hidden=True, analytic=True)


complex_sech2: Any = _twin(sech2, lambda z: 1 / sp.cosh(z) ** 2, lambda z, y: -2 * sp.tanh(z) * y)
complex_sec2: Any = _twin(sec2, lambda z: 1 / sp.cos(z) ** 2, lambda z, y: 2 * sp.tan(z) * y)
complex_cauchy: Any = _twin(cauchy, lambda z: 1 / (1 + z**2), lambda z, y: -2 * z * y**2)
complex_asin_slope: Any = _twin(asin_slope, lambda z: 1 / sp.sqrt((1 - z) * (1 + z)), lambda z, y: z * y**3)
complex_asinh_slope: Any = _twin(asinh_slope, lambda z: 1 / sp.sqrt(1 + z**2), lambda z, y: -z * y**3)
complex_acosh_slope: Any = _twin(acosh_slope, lambda z: 1 / (sp.sqrt(z - 1) * sp.sqrt(z + 1)), lambda z, y: -z * y**3)
complex_sigmoid: Any = _twin(sigmoid, lambda z: 1 / (1 + sp.exp(-z)), lambda z, y: y * complex_sigmoid(-z))
complex_log1p: Any = _twin(log1p, lambda z: sp.log(1 + z), lambda z, y: 1 / (1 + z))
