"""What densities are written with: where they hold, standard scores, and products with logarithms that may be 0·∞.

Kernels look at supports and parameters; formulas leave both out, as a textbook writes them beside the density.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import sympy as sp

from symgrad.scalars.elementary import exp, expm1, log, log1p, sin
from symgrad.scalars.special import i0, i1, ndtr, polygamma
from symgrad.scalars.stable import logsigmoid, sigmoid, sigmoid_slope, softplus
from symgrad.scalars.written import part, polynomial

_POSITIVE = (0.1, 3.0)


# ------------------------------------------------------------------ where they hold
def _filled(m: Any, v: Any, d: Any, other: Any) -> Any:
    """Python's floats, arrays and compilers alike: nan where d is nan."""
    return m.where((d >= 0.0) & (d < math.inf), v, m.where(d == d, other, d))


lives: Any = part(
    "lives", lambda d: sp.Piecewise((1, d >= 0), (0, True)), lambda d, y: sp.S.Zero,
    lambda m, d: _filled(m, 1.0, d, 0.0), shown=lambda d: sp.S.One,
)  # fmt: skip
filled: Any = part(
    "filled", lambda v, d, other: sp.Piecewise((v, d >= 0), (other, True)),
    lambda v, d, other, y: (lives(d), sp.S.Zero, 1 - lives(d)), _filled, shown=lambda v, d, other: v,
)  # fmt: skip
checked: Any = part(
    "checked", lambda v, d: v, lambda v, d, y: (checked(sp.S.One, d), sp.S.Zero),
    lambda m, v, d: m.where(d >= 0.0, v, math.nan), core=_POSITIVE,
)  # fmt: skip

# a term of programs, and one of formulas
computed: Any = part("computed", lambda v: v, lambda v, y: computed(sp.S.One), lambda m, v: v, inline=True,
                     shown=lambda v: sp.S.Zero)  # fmt: skip
written: Any = part("written", lambda v: sp.S.Zero, lambda v, y: written(sp.S.One), lambda m, v: 0.0 * v, inline=True,
                    shown=lambda v: v)  # fmt: skip


def instead(program: Any, formula: Any) -> Any:
    """Return the terms of a formula as programs compute them, where those of the textbook would cancel."""
    return sp.Add(*map(computed, sp.Add.make_args(program)), *map(written, sp.Add.make_args(formula)))


WIDEST = 1e150  # stands for ∞ as an end of a support that depends on parameters: its square is a float
finite_end: Any = part(
    "finite_end", lambda x: x, lambda x, y: sp.S.One, lambda m, x: m.minimum(m.maximum(x, -WIDEST), WIDEST)
)
# the number between a and b that is nearest to 0, at which formulas are asked in place of others
nearest: Any = part(
    "nearest", lambda a, b: sp.Min(sp.Max(a, 0), b),
    lambda a, b, y: (sp.Piecewise((1, (a > 0) & (a < b)), (0, True)), sp.Piecewise((1, b < sp.Max(a, 0)), (0, True))),
    lambda m, a, b: m.minimum(m.maximum(a, 0.0), b),
)  # fmt: skip

# ------------------------------------------------------------------ what they are made of
standard: Any = part(
    "standard", lambda x, scale: x / scale, lambda x, scale, y: (1 / scale, -y / scale), lambda m, x, scale: x / scale,
    core=_POSITIVE,
)  # fmt: skip
quotient: Any = part(
    "quotient", lambda x, z: x / z, lambda x, z, y: (1 / z, -quotient(y, z)),
    lambda m, x, z: m.where(x == 0.0, 0.0, x / m.where(x == 0.0, 1.0, z)), core=_POSITIVE,
)  # fmt: skip
times_log: Any = part(
    "times_log", lambda x, z: x * sp.log(z), lambda x, z, y: (log(z), quotient(x, z)),
    lambda m, x, z: m.where(x == 0.0, 0.0, x * m.log(m.where(x == 0.0, 1.0, z))), core=_POSITIVE,
)  # fmt: skip
times_log1p: Any = part(
    "times_log1p", lambda x, z: x * sp.log(1 + z), lambda x, z, y: (log1p(z), quotient(x, 1 + z)),
    lambda m, x, z: m.where(x == 0.0, 0.0, x * m.log1p(m.where(x == 0.0, 0.0, z))), core=_POSITIVE,
)  # fmt: skip
# so that ∂zᶜ/∂s of z = x/s is -c zᶜ/s
raised: Any = part(
    "raised", lambda z, c: z**c, lambda z, c, y: (quotient(c * y, z), times_log(y, z)), lambda m, z, c: m.pow(z, c),
    core=_POSITIVE,
)  # fmt: skip
log_rest: Any = part(
    "log_rest", lambda x: sp.log(1 - sp.exp(-x)), lambda x, y: 1 / expm1(x),
    lambda m, x: m.where(x < math.log(2), m.log(-m.expm1(-x)), m.log1p(-m.exp(-x))), core=_POSITIVE,
)  # fmt: skip
# of two parts with the sum 1, also where the other one is as small as 1e-300
log_part: Any = part(
    "log_part", lambda p, q: sp.log(p), lambda p, q, y: (1 / p, sp.S.Zero),
    lambda m, p, q: m.where(p < 0.5, m.log(p), m.log1p(-q)), core=(0.1, 0.4),
)  # fmt: skip
# of two logarithms of such parts the first, by the second where it is close to 0
log_share: Any = part(
    "log_share", lambda u, v: u, lambda u, v, y: (sp.S.One, sp.S.Zero),
    lambda m, u, v: m.where(u < -math.log(2), u, m.log1p(-m.exp(m.minimum(v, 0.0)))),
    core=(-3.0, -1.0),
)  # fmt: skip
# cot πq of 0 ≤ q ≤ 1, by the nearer end: the distance from it is exact
cot_of_turn: Any = part(
    "cot_of_turn", lambda q: sp.cot(sp.pi * q), lambda q, y: -sp.pi * (1 + y**2),
    lambda m, q: m.sin(math.pi * (0.5 - q)) / m.sin(math.pi * m.minimum(q, 1.0 - q)), core=(0.1, 0.9),
)  # fmt: skip
cos_minus_one: Any = part(
    "cos_minus_one", lambda x: sp.cos(x) - 1, lambda x, y: -sin(x), lambda m, x: -2.0 * m.sin(0.5 * x) * m.sin(0.5 * x)
)


# of k successes and m failures with p = σ(z), and its derivative with respect to z: the terms meant cancel
log_trials: Any = part(
    "log_trials", lambda k, m, z: k * z - (k + m) * softplus(z),
    lambda k, m, z, y: (logsigmoid(z), logsigmoid(-z), trials_slope(k, m, z)),
    lambda m, k, n, z: k * m.logsigmoid(z) + n * m.logsigmoid(-z),
)  # fmt: skip
trials_slope: Any = part(
    "trials_slope", lambda k, m, z: k - (k + m) * sigmoid(z),
    lambda k, m, z, y: (sigmoid(-z), -sigmoid(z), -(k + m) * sigmoid_slope(z)),
    lambda m, k, n, z: k * m.sigmoid(-z) - n * m.sigmoid(z),
)  # fmt: skip


# ------------------------------------------------------------------ Student's t: log Γ(a + 1/2) - log Γ(a)
_HALF_STEP = (-1 / 8, 1 / 192, -1 / 640, 17 / 14336, -31 / 18432)  # of 1/a, 1/a³, …, beside log(a)/2
_FAR = 40.0


def _half_step(m: Any, n: int, a: Any) -> Any:
    """The n-th derivative; its two terms cancel for large a, where its expansion is differentiated."""
    near, far = m.minimum(a, _FAR), m.maximum(a, _FAR)
    t, sign = 1.0 / far, (-1.0) ** n
    power = 1.0  # tⁿ
    for _ in range(n):
        power = t * power
    if n == 0:
        exact, first = m.lgamma(near + 0.5) - m.lgamma(near), 0.5 * m.log(far)
    else:
        exact = m.polygamma(n - 1, near + 0.5) - m.polygamma(n - 1, near)
        first = -0.5 * sign * math.factorial(n - 1) * power
    rest = polynomial(t * t, [c * sign * math.perm(2 * k + n, n) for k, c in enumerate(_HALF_STEP)])
    return m.where(a > _FAR, first + power * t * rest, exact)


def _half_step_meaning(n: sp.Expr, a: sp.Expr) -> sp.Expr:
    half = sp.Rational(1, 2)
    if n == 0:
        return sp.loggamma(a + half) - sp.loggamma(a)
    return sp.polygamma(n - 1, a + half) - sp.polygamma(n - 1, a)


half_step: Any = part(
    "half_step", _half_step_meaning, lambda n, a, y: (sp.S.Zero, half_step(n + 1, a)), _half_step, orders=1,
    core=_POSITIVE,
)  # fmt: skip


# ------------------------------------------------------------------ Student's t and Cauchy: log(1 + z²/ν), z = x/s
# closed under differentiation with respect to x, s and ν: z² alone may overflow
def _log1p_square(m: Any, x: Any, s: Any, v: Any) -> Any:
    """By logarithms where 1 is nothing beside z²/ν, which may overflow."""
    z = x / s
    u = z * (z / v)
    near = u < 1e20
    far = 2.0 * (m.log(m.where(near, 1.0, m.abs(x))) - m.log(m.where(near, 1.0, s))) - m.log(m.where(near, 1.0, v))
    return m.where(near, m.log1p(m.where(near, u, 0.0)), far)


def _tail(m: Any, x: Any, s: Any, v: Any) -> tuple[Any, Any, Any, Any]:
    """Whether z is near 0; there ν + z², elsewhere 1 + ν/z² and its second term; and x without those near 0."""
    z = x / s
    near = m.abs(z) < 1.0
    away = m.where(near, 1.0, x)
    w = s / away
    rest = v * w * w
    return near, v + m.where(near, z * z, 0.0), rest, away


def _tail_slope(m: Any, x: Any, s: Any, v: Any) -> Any:
    near, inner, rest, away = _tail(m, x, s, v)
    return m.where(near, x / s / inner / s, 1.0 / away / (1.0 + rest))


def _tail_share(m: Any, x: Any, s: Any, v: Any) -> Any:
    near, inner, rest, _ = _tail(m, x, s, v)
    z = m.where(near, x / s, 0.0)
    return m.where(near, z * z / inner, 1.0 / (1.0 + rest))


def _tail_rest(m: Any, x: Any, s: Any, v: Any) -> Any:
    near, inner, rest, _ = _tail(m, x, s, v)
    return m.where(near, v / inner, rest / (1.0 + rest))


def _tail_height(m: Any, x: Any, s: Any, v: Any) -> Any:
    near, inner, rest, away = _tail(m, x, s, v)
    return m.where(near, 1.0 / s / inner / s, 1.0 / away / (1.0 + rest) / away)


log1p_square: Any = part(
    "log1p_square", lambda x, s, v: sp.log(1 + (x / s) ** 2 / v),
    lambda x, s, v, y: (2 * tail_slope(x, s, v), -2 * tail_share(x, s, v) / s, -tail_share(x, s, v) / v),
    _log1p_square, core=_POSITIVE, shown=lambda x, s, v: log1p((x / s) ** 2 / v),
)  # fmt: skip
tail_slope: Any = part(
    "tail_slope", lambda x, s, v: x / (v * s**2 + x**2),
    lambda x, s, v, y: (
        tail_height(x, s, v) - 2 * y**2, -2 * y * tail_rest(x, s, v) / s, -y * tail_rest(x, s, v) / v
    ),
    _tail_slope, core=_POSITIVE,
)  # fmt: skip
tail_share: Any = part(
    "tail_share", lambda x, s, v: x**2 / (v * s**2 + x**2),
    lambda x, s, v, y: (
        2 * tail_slope(x, s, v) * tail_rest(x, s, v), -2 * y * tail_rest(x, s, v) / s, -y * tail_rest(x, s, v) / v
    ),
    _tail_share, core=_POSITIVE,
)  # fmt: skip
tail_rest: Any = part(
    "tail_rest", lambda x, s, v: v * s**2 / (v * s**2 + x**2),
    lambda x, s, v, y: (
        -2 * tail_slope(x, s, v) * y, 2 * tail_share(x, s, v) * y / s, tail_share(x, s, v) * y / v
    ),
    _tail_rest, core=_POSITIVE,
)  # fmt: skip
tail_height: Any = part(
    "tail_height", lambda x, s, v: 1 / (v * s**2 + x**2),
    lambda x, s, v, y: (-2 * tail_slope(x, s, v) * y, -2 * tail_rest(x, s, v) * y / s, -tail_rest(x, s, v) * y / v),
    _tail_height, core=_POSITIVE,
)  # fmt: skip


# ------------------------------------------------------------------ ψ′(x) - 1/x - 1/(2x²), which cancels for large x
_TRIGAMMA = (1 / 6, -1 / 30, 1 / 42, -1 / 30, 5 / 66)  # of 1/x³, 1/x⁵, …


def trigamma_rest(x: sp.Expr) -> sp.Expr:
    """Return it by its expansion from 40 on."""
    series = polynomial(x**-2, [sp.Float(c) for c in _TRIGAMMA]) / x**3
    return sp.Piecewise((series, x > _FAR), (polygamma(1, x) - 1 / x - 1 / (2 * x**2), True))


# ------------------------------------------------------------------ of quotients that may overflow
def _log1p_quotient(m: Any, u: Any, v: Any) -> Any:
    near = u / v < 1e300
    far = m.log(m.where(near, 1.0, u)) - m.log(m.where(near, 1.0, v))
    return m.where(near, m.log1p(m.where(near, u / v, 1.0)), far)


log1p_quotient: Any = part(
    "log1p_quotient", lambda u, v: sp.log(1 + u / v), lambda u, v, y: (1 / (u + v), -standard(u, u + v) / v),
    _log1p_quotient, core=_POSITIVE, shown=lambda u, v: log1p(u / v),
)  # fmt: skip
log_quotient: Any = part(  # roots have quotients that are floats
    "log_quotient", lambda u, v: sp.log(u) - sp.log(v), lambda u, v, y: (1 / u, -1 / v),
    lambda m, u, v: 2.0 * m.log(m.sqrt(u) / m.sqrt(v)), core=_POSITIVE, shown=lambda u, v: log(u) - log(v),
)  # fmt: skip


# ------------------------------------------------------------------ the inverse Gaussian distribution
def _arrival_square(m: Any, x: Any, s: Any, mu: Any) -> Any:
    z, r = x / s, m.sqrt(x) / m.sqrt(s)
    near = (z > 1e-300) & (z < 1e300)
    root = m.where(near, (z - mu) / mu / m.sqrt(m.where(near, z, 1.0)), r / mu - 1.0 / r)
    return root * root


# of z = x/s; its terms are differentiated apart, z/μ² + 1/z - 2/μ, because their powers may overflow
arrival_square: Any = part(
    "arrival_square", lambda x, s, mu: (x / s - mu) ** 2 / (mu**2 * x / s),
    lambda x, s, mu, y: (
        1 / (mu**2 * s) - standard(s, x) / x,
        1 / x - standard(x, s) / (mu**2 * s),
        -2 * standard(standard(x, s) - mu, mu) / mu**2,
    ),
    _arrival_square, core=_POSITIVE,
)  # fmt: skip


# ------------------------------------------------------------------ log B(a, b)
_STIRLING = (1 / 12, -1 / 360, 1 / 1260, -1 / 1680, 1 / 1188, -691 / 360360)  # of 1/x, 1/x³, … in log Γ(x)
_LARGE = 20.0


def _log_beta(m: Any, a: Any, b: Any) -> Any:
    """Where one is large, log Γ(q) - log Γ(p + q) by differences of Stirling's terms: the values cancel."""
    p, q = m.minimum(a, b), m.maximum(a, b)
    near, far = m.minimum(q, _LARGE), m.maximum(q, _LARGE)
    exact = m.lgamma(p) + m.lgamma(near) - m.lgamma(p + near)
    total, t, u = p + far, 1.0 / far, 1.0 / (p + far)
    rest = t * polynomial(t * t, _STIRLING) - u * polynomial(u * u, _STIRLING)
    return m.where(q > _LARGE, m.lgamma(p) + (0.5 - far) * m.log1p(p / far) - p * m.log(total) + p + rest, exact)


log_beta: Any = part(
    "log_beta", lambda a, b: sp.loggamma(a) + sp.loggamma(b) - sp.loggamma(a + b),
    lambda a, b, y: (sp.digamma(a) - sp.digamma(a + b), sp.digamma(b) - sp.digamma(a + b)), _log_beta, core=_POSITIVE,
)  # fmt: skip


# ------------------------------------------------------------------ the normal distribution between a and b
_NODES, _WEIGHTS = ([float(v) for v in vs] for vs in np.polynomial.legendre.leggauss(12))
_ROOT2, _LOG_ROOT_2PI = math.sqrt(2), math.log(2 * math.pi) / 2


def _log_within(m: Any, z: Any, a: Any, b: Any) -> Any:
    """Of the interval that lies more to the left, relative to the density at its end nearest to 0.

    A narrow one is integrated by Gauss' rule, because the difference of Φ cancels.
    """
    mirrored = a + b > 0.0
    x, low, high = m.where(mirrored, -z, z), m.where(mirrored, -b, a), m.where(mirrored, -a, b)
    nearest, width = m.minimum(high, 0.0), high - low
    fall = m.where(width < math.inf, 0.5 * width * (nearest + low), -math.inf)
    left = 0.5 * (m.erfcx(-nearest / _ROOT2) - m.erfcx(-m.minimum(low, 0.0) / _ROOT2) * m.exp(m.minimum(fall, 0.0)))
    around = 1.0 - m.ndtr(-m.maximum(high, 0.0)) - m.ndtr(low)
    is_narrow = width * m.maximum(1.0, -low) < 2.0
    end, half = m.where(is_narrow, high, 0.0), m.where(is_narrow, 0.5 * width, 0.5)
    inner = 0.0
    for node, weight in zip(_NODES, _WEIGHTS, strict=True):
        at = end - half * (1.0 + node)
        inner = inner + weight * m.exp(0.5 * (nearest - at) * (nearest + at))
    mass = m.where(is_narrow, inner * half * (1 / math.sqrt(2 * math.pi)), m.where(high > 0.0, around, left))
    return 0.5 * (nearest - x) * (nearest + x) - _LOG_ROOT_2PI - m.log(mass)


# log of φ(z)/(Φ(b) - Φ(a))
log_within: Any = part(
    "log_within", lambda z, a, b: -(z**2) / 2 - sp.log(2 * sp.pi) / 2 - sp.log(ndtr(b) - ndtr(a)),
    lambda z, a, b, y: (-z, exp(log_within(a, a, b)), -exp(log_within(b, a, b))), _log_within,
)  # fmt: skip


# its moments, by Gauss' rule where the density is not negligible: formulas in φ and Φ cancel
def _gauss(count: int) -> tuple[list[float], list[float]]:
    """Nodes between 0 and 1, and weights, after a step of Newton's method: NumPy's weights lack two digits."""
    x: Any = np.polynomial.legendre.leggauss(count)[0].astype(np.longdouble)
    for _ in range(2):
        before, p = np.ones_like(x), x
        for k in range(1, count):
            before, p = p, ((2 * k + 1) * x * p - k * before) / (k + 1)
        slope = count * (before - x * p) / (1 - x * x)
        x = x - p / slope
    return [float(v) for v in (1 + x) / 2], [float(w) for w in 1 / ((1 - x * x) * slope**2)]


_FRACTIONS, _PARTS = _gauss(48)
_NEGLIGIBLE = 92.0  # exp(-92/2) is less than the rounding of 1


def _between(m: Any, a: Any, b: Any) -> tuple[Any, Any, Any, list[Any]]:
    """Return whether the interval is mirrored to lie more to the left, its upper end, its width, and its weights."""
    mirrored = a + b > 0.0
    low, high = m.where(mirrored, -b, a), m.where(mirrored, -a, b)
    end, top = m.minimum(high, 0.0), m.minimum(high, math.sqrt(_NEGLIGIBLE))
    reach = _NEGLIGIBLE / (m.hypot(end, math.sqrt(_NEGLIGIBLE)) - end)
    width = m.minimum(top - low, (top - end) + reach)
    below = [(end - top) + width * t for t in _FRACTIONS]
    weights = [w * m.exp(0.5 * d * (2.0 * end - d)) for w, d in zip(_PARTS, below, strict=True)]
    total = sum(weights[1:], weights[0])
    return mirrored, top, width, [w / total for w in weights]


def _moment_within(k: int, m: Any, a: Any, b: Any) -> Any:
    mirrored, top, width, weights = _between(m, a, b)
    total = 0.0
    for t, weight in zip(_FRACTIONS, weights, strict=True):
        power = z = top - width * t
        for _ in range(k - 1):
            power = power * z
        total = total + weight * power
    return m.where(mirrored, (-1.0) ** k * total, total)


def _var_within(m: Any, a: Any, b: Any) -> Any:
    _, _, width, weights = _between(m, a, b)
    middle, total = 0.0, 0.0
    for t, weight in zip(_FRACTIONS, weights, strict=True):
        middle = middle + weight * t
    for t, weight in zip(_FRACTIONS, weights, strict=True):
        total = total + weight * (t - middle) * (t - middle)
    return width * width * total


def _at_end(end: sp.Expr, a: sp.Expr, b: sp.Expr, change: Callable[[sp.Expr], sp.Expr]) -> sp.Expr:
    """A change times the density at an end, 0 at an infinite one."""
    margin = WIDEST - sp.Abs(end)
    place = filled(end, margin, 0)
    return filled(exp(log_within(place, a, b)) * change(place), margin, 0)


def _moment_meaning(k: int, a: sp.Expr, b: sp.Expr) -> sp.Expr:
    if k < 1:
        return sp.Integer(k + 1)
    ends = a ** (k - 1) * exp(log_within(a, a, b)) - b ** (k - 1) * exp(log_within(b, a, b))
    return (k - 1) * _moment_meaning(k - 2, a, b) + ends


def _moment_part(k: int) -> Any:
    """Declare E zᵏ."""
    return part(
        f"moment_within_{k}", lambda a, b: _moment_meaning(k, a, b),
        lambda a, b, y: (_at_end(a, a, b, lambda end: y - end**k), _at_end(b, a, b, lambda end: end**k - y)),
        lambda m, a, b: _moment_within(k, m, a, b),
    )  # fmt: skip


moments_within = [_moment_part(k) for k in range(1, 5)]
var_within: Any = part(
    "var_within", lambda a, b: _moment_meaning(2, a, b) - _moment_meaning(1, a, b) ** 2,
    lambda a, b, y: (
        _at_end(a, a, b, lambda end: y - (end - moments_within[0](a, b)) ** 2),
        _at_end(b, a, b, lambda end: (end - moments_within[0](a, b)) ** 2 - y),
    ),
    _var_within,
)  # fmt: skip


# ------------------------------------------------------------------ von Mises: I₀(κ), and its slope A = I₁/I₀
_BEND = (0.5, 0.25, 0.375, 0.78125, 2.03125, 6.287109375, 22.53125, 91.731689453125)


def _bend(m: Any, x: Any) -> Any:
    """A' = 1 - A/x - A², which cancels for large x: there by the expansion in 1/x that satisfies it."""
    near = m.minimum(x, 100.0)
    a = m.i1e(near) / m.i0e(near)
    t = 1.0 / m.maximum(x, 100.0)
    far = t * t * polynomial(t, _BEND)
    exact = 1.0 - a / m.where(near == 0.0, 1.0, near) - a * a
    return m.where(x == 0.0, 0.5, m.where(x > 100.0, far, exact))


i_ratio_slope: Any = part(
    "i_ratio_slope", lambda x: 1 - _ratio(x) / x - _ratio(x) ** 2,
    lambda x, y: (i_ratio(x) / x - y) / x - 2 * i_ratio(x) * y, _bend, core=_POSITIVE,
    shown=lambda x: 1 - i1(x) / (x * i0(x)) - i1(x) ** 2 / i0(x) ** 2,
)  # fmt: skip
i_ratio: Any = part(
    "i_ratio", lambda x: _ratio(x), lambda x, y: i_ratio_slope(x), lambda m, x: m.i1e(x) / m.i0e(x),
    shown=lambda x: i1(x) / i0(x),
)  # fmt: skip
log_i0e: Any = part(
    "log_i0e", lambda x: sp.log(sp.besseli(0, x)) - x, lambda x, y: i_ratio(x) - 1, lambda m, x: m.log(m.i0e(x)),
    core=_POSITIVE, shown=lambda x: log(i0(x)) - x,
)  # fmt: skip


def _ratio(x: sp.Expr) -> sp.Expr:
    return sp.besseli(1, x) / sp.besseli(0, x)
