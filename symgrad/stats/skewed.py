"""Skewed and truncated distributions, each as a declaration."""

from __future__ import annotations

import sympy as sp

from symgrad.scalars import exp, expm1, hypot, log, log1p
from symgrad.scalars.densities import (
    WIDEST,
    arrival_square,
    finite_end,
    log_rest,
    log_share,
    log_within,
    moments_within,
    nearest,
    var_within,
)
from symgrad.scalars.extremes import log1p_over
from symgrad.scalars.library.simple import exprel
from symgrad.scalars.library.skewed import skew_tail
from symgrad.scalars.special import erf, erfcx, log_ndtr, ndtr
from symgrad.scalars.stable import logaddexp
from symgrad.stats import extreme_values
from symgrad.stats.distribution import Continuous, over, positive

_LOG_2PI = sp.log(2 * sp.pi)
_LOG_2 = sp.log(2)
_WIDEST = sp.Float(WIDEST)
_FAR = sp.Float(1e150)  # its square is a float


def _log_scaled_tail(t: sp.Expr) -> sp.Expr:
    """Log of Φ(-t)/φ(t) with φ without its factor 1/√(2π)."""
    return log(erfcx(t / sp.sqrt(2)) / 2)


# ------------------------------------------------------------------ skewed
def _skewness(a: sp.Expr) -> sp.Expr:
    return a / hypot(sp.S.One, a) * sp.sqrt(2 / sp.pi)


def _lower_tail(z: sp.Expr, a: sp.Expr) -> tuple[sp.Expr, sp.Expr]:
    """Log P(Z ≤ -abs(z)) of the skewness abs(a), and of -abs(a): 2 Φ(-abs(z)) less the former."""
    h, b = sp.Piecewise((-z, z < 0), (z, True)), sp.Piecewise((-a, a < 0), (a, True))
    less = skew_tail(h, b)
    h = sp.Piecewise((_FAR, h > _FAR), (h, True))
    return less, log_ndtr(-h) + log(2 - exp(skew_tail(h, b) - log_ndtr(-h)))


def _skewnorm_logcdf(z: sp.Expr, a: sp.Expr) -> sp.Expr:
    """Log of Φ(z) - 2 T(z, a), with Owen's T: a tail on the left, and near 1 the logarithm of 1 less a tail."""
    less, more = _lower_tail(z, a)
    middle = sp.Piecewise((z, (z >= 0) & (z < 1)), (1, True))
    right = sp.Piecewise((log(exp(less) + erf(middle / sp.sqrt(2))), z < 1), (log1p(-exp(more)), True))
    left = sp.Piecewise((-sp.oo, z < -_FAR), (more, True))
    return sp.Piecewise((less, (z < 0) & (a >= 0)), (left, z < 0), (right, a >= 0), (log1p(-exp(less)), True))


skewnorm = Continuous(
    "skewnorm",
    "Azzalini's skew normal distribution: log p(z) = log 2 + log φ(z) + log Φ(a z).",
    "a",
    density=lambda x, s, a: -(over(x, s) ** 2) / 2 + log_ndtr(a * over(x, s)) - log(s) + _LOG_2 - _LOG_2PI / 2,
    valid=lambda a: sp.Abs(a) < sp.oo,
    cdf=lambda z, a: exp(_skewnorm_logcdf(z, a)),
    sf=lambda z, a: exp(_skewnorm_logcdf(-z, -a)),
    logcdf=_skewnorm_logcdf,
    logsf=lambda z, a: _skewnorm_logcdf(-z, -a),
    mean=_skewness,
    var=lambda a: 1 - _skewness(a) ** 2,
)


def _log_exponnorm(z: sp.Expr, k: sp.Expr) -> sp.Expr:
    """Log p(z): with the scaled tail where the exponent and log Φ would cancel."""
    w = 1 / k - z
    near = -(z**2) / 2 + _log_scaled_tail(sp.Piecewise((w, w > 0), (1, True)))
    return sp.Piecewise((near, w > 0), (log_ndtr(-w) + (1 / k - 2 * z) / (2 * k), True)) - log(k)


def _exponnorm_cdf(z: sp.Expr, k: sp.Expr) -> sp.Expr:
    """Φ(z) - K p(z), whose factor exp(-z²/2) is taken out on the left."""
    t = sp.Piecewise((-z, z < 0), (1, True))
    left = exp(-(z**2) / 2) * (erfcx(t / sp.sqrt(2)) - erfcx((1 / k + t) / sp.sqrt(2))) / 2
    return sp.Piecewise((left, z < 0), (ndtr(z) - exp(_log_exponnorm(z, k) + log(k)), True))


def _exponnorm_logcdf(z: sp.Expr, k: sp.Expr) -> sp.Expr:
    t = sp.Piecewise((-z, z < 0), (1, True))
    left = -(z**2) / 2 + log((erfcx(t / sp.sqrt(2)) - erfcx((1 / k + t) / sp.sqrt(2))) / 2)
    above = _exponnorm_logsf(z, k)
    return sp.Piecewise((left, z < 0), (log1p(-exp(above)), True))


def _exponnorm_logsf(z: sp.Expr, k: sp.Expr) -> sp.Expr:
    right = logaddexp(log_ndtr(-z), _log_exponnorm(z, k) + log(k))
    return sp.Piecewise((log1p(-_exponnorm_cdf(z, k)), z < 0), (right, True))


exponnorm = Continuous(
    "exponnorm",
    "The sum of a normal and K times an exponential number: log p(z) = 1/(2K²) - z/K + log Φ(z - 1/K) - log K.",
    "K",
    density=lambda x, s, k: _log_exponnorm(over(x, s), k) - log(s),
    cdf=_exponnorm_cdf,
    sf=lambda z, k: exp(_exponnorm_logsf(z, k)),
    logcdf=_exponnorm_logcdf,
    logsf=_exponnorm_logsf,
    mean=lambda k: k,
    var=lambda k: 1 + k**2,
)


# ------------------------------------------------------------------ the largest of many
def _gumbel(z: sp.Expr, c: sp.Expr) -> sp.Expr:
    """The number w = -log(1 - cz)/c, which has Gumbel's distribution."""
    return log1p_over(z, -c)


def _from_gumbel(w: sp.Expr, c: sp.Expr) -> sp.Expr:
    """Return (1 - exp(-cw))/c, which is w for c = 0; beyond 750 only an infinite w is left."""
    far = sp.Piecewise((-expm1(-c * w) / c, sp.Ne(c, 0)), (w, True))
    return sp.Piecewise((w * exprel(-c * w), sp.Abs(w) <= 750), (far, True))


genextreme = Continuous(
    "genextreme",
    "The generalised extreme value distribution, with SciPy's sign of c: log F(z) = -(1 - cz)^(1/c), -e⁻ᶻ for c = 0.",
    "c",
    density=lambda x, s, c: (c - 1) * _gumbel(over(x, s), c) - exp(-_gumbel(over(x, s), c)) - log(s),
    support=lambda c: (
        sp.Piecewise((1 / c, c < 0), (-_WIDEST, True)),
        sp.Piecewise((1 / c, c > 0), (_WIDEST, True)),
    ),
    inner=lambda c: sp.S.Zero,
    open=lambda c: (True, True),
    valid=lambda c: sp.Abs(c) < sp.oo,
    cdf=lambda z, c: exp(-exp(-_gumbel(z, c))),
    sf=lambda z, c: -expm1(-exp(-_gumbel(z, c))),
    logcdf=lambda z, c: -exp(-_gumbel(z, c)),
    logsf=lambda z, c: log_rest(exp(-_gumbel(z, c))),
    ppf=lambda q, c: _from_gumbel(-sp.log(-sp.log(q)), c),
    isf=lambda q, c: _from_gumbel(-sp.log(-log1p(-q)), c),
    mean=extreme_values.mean,
    var=extreme_values.var,
    entropy=lambda c: sp.EulerGamma * (1 - c) + 1,
    information=extreme_values.information,
)


# ------------------------------------------------------------------ when a walk with drift arrives
def _arrival(z: sp.Expr, mu: sp.Expr) -> tuple[sp.Expr, sp.Expr]:
    return (z / mu - 1) / sp.sqrt(z), (z / mu + 1) / sp.sqrt(z)


def _invgauss_logcdf(z: sp.Expr, mu: sp.Expr) -> sp.Expr:
    """Log of Φ(a) + exp(2/μ) Φ(-b), where exp(2/μ) φ(b) = φ(a)."""
    a, b = _arrival(z, mu)
    left = -(a**2) / 2 + log((erfcx(sp.Piecewise((-a, a < 0), (1, True)) / sp.sqrt(2)) + erfcx(b / sp.sqrt(2))) / 2)
    return sp.Piecewise((left, a < -1), (log1p(-exp(_invgauss_tail(z, mu))), True))


def _invgauss_tail(z: sp.Expr, mu: sp.Expr) -> sp.Expr:
    """Log of Φ(-a) - exp(2/μ) Φ(-b), of a ≥ -1."""
    a, b = _arrival(z, mu)
    at = sp.Piecewise((a, a >= -1), (1, True))
    return -(at**2) / 2 + log((erfcx(at / sp.sqrt(2)) - erfcx(sp.Piecewise((b, a >= -1), (2, True)) / sp.sqrt(2))) / 2)


def _invgauss_logsf(z: sp.Expr, mu: sp.Expr) -> sp.Expr:
    a, _ = _arrival(z, mu)
    return sp.Piecewise((log1p(-exp(_invgauss_logcdf(z, mu))), a < -1), (_invgauss_tail(z, mu), True))


invgauss = Continuous(
    "invgauss",
    "The inverse Gaussian distribution: log p(z) = -(z - μ)²/(2μ² z) - 3/2 log z - log(2π)/2.",
    "mu",
    density=lambda x, s, mu: -arrival_square(x, s, mu) / 2 - 3 * log(x) / 2 + log(s) / 2 - _LOG_2PI / 2,
    support=lambda mu: (sp.S.Zero, sp.oo),
    open=lambda mu: (True, False),
    valid=positive,
    cdf=lambda z, mu: exp(_invgauss_logcdf(z, mu)),
    sf=lambda z, mu: exp(_invgauss_logsf(z, mu)),
    logcdf=_invgauss_logcdf,
    logsf=_invgauss_logsf,
    mean=lambda mu: mu,
    var=lambda mu: mu**3,
    information=lambda mu: {
        ("mu", "mu"): 1 / mu**3,
        ("mu", "scale"): 1 / mu**2,
        ("scale", "scale"): sp.Rational(1, 2) + 1 / mu,
    },
)


# ------------------------------------------------------------------ cut off
def _truncated_logs(z: sp.Expr, a: sp.Expr, b: sp.Expr) -> tuple[sp.Expr, sp.Expr]:
    """Log of P(Z ≤ z) and of P(Z > z), by quotients of densities: φ(z)/(Φ(b) - Φ(a)) over φ(z)/(Φ(z) - Φ(a))."""
    density = log_within(z, a, b)
    return density - log_within(z, a, z), density - log_within(z, z, b)


def _truncated_information(a: sp.Expr, b: sp.Expr) -> dict[tuple[str, str], sp.Expr]:
    """Of the score (p(a), -p(b), z, z² - 1), by the moments of z."""
    first, last = (exp(log_within(end, a, b)) for end in (a, b))
    m1, m2, m3, m4 = (moment(a, b) for moment in moments_within)
    return {
        ("a", "a"): first**2,
        ("a", "b"): -first * last,
        ("b", "b"): last**2,
        ("a", "loc"): first * m1,
        ("b", "loc"): -last * m1,
        ("a", "scale"): first * (m2 - 1),
        ("b", "scale"): -last * (m2 - 1),
        ("loc", "loc"): m2,
        ("loc", "scale"): m3 - m1,
        ("scale", "scale"): m4 - 2 * m2 + 1,
    }


truncnorm = Continuous(
    "truncnorm",
    "The normal distribution between a and b, in units of scale from loc: log p(z) = log φ(z) - log(Φ(b) - Φ(a)).",
    "a b",
    density=lambda x, s, a, b: log_within(over(x, s), a, b) - log(s),
    support=lambda a, b: (finite_end(a), finite_end(b)),
    inner=lambda a, b: nearest(a, b),
    valid=lambda a, b: a < b,
    cdf=lambda z, a, b: exp(log_share(*_truncated_logs(z, a, b))),
    sf=lambda z, a, b: exp(log_share(*_truncated_logs(z, a, b)[::-1])),
    logcdf=lambda z, a, b: log_share(*_truncated_logs(z, a, b)),
    logsf=lambda z, a, b: log_share(*_truncated_logs(z, a, b)[::-1]),
    mean=moments_within[0],
    var=var_within,
    information=_truncated_information,
)
