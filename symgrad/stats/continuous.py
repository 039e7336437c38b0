"""Distributions with a density, each as a declaration. All have a ``loc`` and a ``scale`` where SciPy does.

``density`` is written as textbooks write it, with the terms in x apart from those that only normalise.
"""

from __future__ import annotations

import sympy as sp

from symgrad.scalars import exp, expm1, hypot, log, log1p, logsigmoid, sigmoid
from symgrad.scalars.densities import (
    cos_minus_one,
    cot_of_turn,
    filled,
    half_step,
    i_ratio,
    i_ratio_slope,
    instead,
    log1p_quotient,
    log1p_square,
    log_beta,
    log_i0e,
    log_quotient,
    log_rest,
    quotient,
    raised,
    standard,
    times_log,
    times_log1p,
    trigamma_rest,
)
from symgrad.scalars.deviances import less_beta, less_gamma, log_power, shares_of, shares_of_odds
from symgrad.scalars.library.betas import (
    betainc,
    betaincc,
    betainccinv,
    betaincinv,
    fdtr,
    fdtrc,
    fdtri,
    stdtr,
    stdtrit,
)
from symgrad.scalars.library.gammas import gammainc, gammaincc, gammainccinv, gammaincinv
from symgrad.scalars.special import digamma, erf, lgamma, log_ndtr, logit, ndtr, ndtri, polygamma
from symgrad.scalars.tails import log_gammainc, log_gammaincc
from symgrad.stats.circular import Circular
from symgrad.stats.distribution import Continuous, over

_EULER = sp.EulerGamma
_HALF, _PI = sp.Rational(1, 2), sp.pi
_LOG_2PI = sp.log(2 * sp.pi)


def _real() -> tuple[sp.Expr, sp.Expr]:
    return -sp.oo, sp.oo


def _positive(*shapes: sp.Expr) -> tuple[sp.Expr, sp.Expr]:
    return sp.S.Zero, sp.oo


def _unit(*shapes: sp.Expr) -> tuple[sp.Expr, sp.Expr]:
    return sp.S.Zero, sp.S.One


def _above_zero(*shapes: sp.Expr) -> tuple[bool, bool]:
    return True, False


# ------------------------------------------------------------------ all numbers
norm = Continuous(
    "norm",
    "The normal distribution: log p(x) = -(x - μ)²/(2σ²) - log σ - log(2π)/2, with μ = loc and σ = scale.",
    density=lambda x, s: -(over(x, s) ** 2) / 2 - log(s) - _LOG_2PI / 2,
    cdf=lambda z: ndtr(z),
    sf=lambda z: ndtr(-z),
    logcdf=lambda z: log_ndtr(z),
    logsf=lambda z: log_ndtr(-z),
    ppf=lambda q: ndtri(q),
    isf=lambda q: -ndtri(q),
    mean=lambda: 0,
    var=lambda: 1,
    entropy=lambda: (_LOG_2PI + 1) / 2,
    information=lambda: {("loc", "loc"): 1, ("scale", "scale"): 2},
)
_NORMAL = sp.Float(1e30)  # degrees of freedom, with which t is the normal distribution to all digits


def _log_t(x: sp.Expr, s: sp.Expr, v: sp.Expr) -> sp.Expr:
    return -(v + 1) / 2 * log1p_square(x, s, v) + half_step(0, v / 2) - log(_PI * v) / 2


def _peak_of_t(v: sp.Expr) -> sp.Expr:
    return exp(_log_t(sp.S.Zero, sp.S.One, v))


def _information_of_df(v: sp.Expr) -> sp.Expr:
    """(ψ′(ν/2) - ψ′((ν+1)/2))/4 - (ν + 5)/(2ν (ν + 1)(ν + 3)), less (ν + 1)/(2ν³) from both terms: they cancel."""
    u = 2 / v
    series = u**5 * (sp.Rational(-1, 64) + u**2 * (sp.Rational(3, 256) - u**2 * sp.Rational(17, 1024)))
    exact = (polygamma(1, v / 2) - polygamma(1, (v + 1) / 2)) / 4 - (v + 1) / (2 * v**3)
    return sp.Piecewise((series, v > 150), (exact, True)) + (7 + 3 / v) / (2 * v**2 * (v + 1) * (v + 3))


t = Continuous(
    "t",
    "Student's t distribution with df = ν: log p(z) = log Γ((ν+1)/2) - log Γ(ν/2) - log(πν)/2 - (ν+1)/2 log(1 + z²/ν).",
    "df",
    density=lambda x, s, v: _log_t(x, s, filled(v, v, _NORMAL)) - log(s),
    cdf=lambda z, v: stdtr(v, z),
    sf=lambda z, v: stdtr(v, -z),
    ppf=lambda q, v: sp.Piecewise((-sp.oo, q <= 0), (stdtrit(v, q), True)),  # SciPy's function has ∞ at 0
    isf=lambda q, v: sp.Piecewise((sp.oo, q <= 0), (-stdtrit(v, q), True)),
    mean=lambda v: sp.Piecewise((0, v > 1), (sp.oo, True)),
    var=lambda v: sp.Piecewise((1, v > _NORMAL), (v / (v - 2), v > 2), (sp.oo, v > 1), (sp.nan, True)),
    entropy=lambda v: sp.Piecewise(
        ((_LOG_2PI + 1) / 2, v > _NORMAL),
        ((v + 1) / 2 * (digamma((v + 1) / 2) - digamma(v / 2)) + log(v) / 2 + log_beta(v / 2, _HALF), True),
    ),
    information=lambda v: {
        ("df", "df"): _information_of_df(v),
        ("df", "scale"): -2 / ((v + 1) * (v + 3)),
        ("loc", "loc"): (v + 1) / (v + 3),
        ("scale", "scale"): 2 * v / (v + 3),
    },
)
cauchy = Continuous(
    "cauchy",
    "The Cauchy distribution: log p(z) = -log(1 + z²) - log π.",
    density=lambda x, s: -log1p_square(x, s, sp.S.One) - log(s) - sp.log(_PI),
    cdf=lambda z: sp.atan2(1, -z) / _PI,
    sf=lambda z: sp.atan2(1, z) / _PI,
    ppf=lambda q: -cot_of_turn(q),
    isf=lambda q: cot_of_turn(q),
    mean=lambda: sp.nan,
    var=lambda: sp.nan,
    entropy=lambda: sp.log(4 * _PI),
    information=lambda: {("loc", "loc"): _HALF, ("scale", "scale"): _HALF},
)
laplace = Continuous(
    "laplace",
    "The Laplace distribution: log p(z) = -abs(z) - log 2.",
    density=lambda x, s: -sp.Abs(x) / s - log(s) - sp.log(2),
    cdf=lambda z: sp.Piecewise((exp(-sp.Abs(z)) / 2, z < 0), (1 - exp(-sp.Abs(z)) / 2, True)),
    sf=lambda z: sp.Piecewise((exp(-sp.Abs(z)) / 2, z > 0), (1 - exp(-sp.Abs(z)) / 2, True)),
    logcdf=lambda z: sp.Piecewise((z - sp.log(2), z < 0), (log1p(-exp(-sp.Abs(z)) / 2), True)),
    logsf=lambda z: sp.Piecewise((-z - sp.log(2), z > 0), (log1p(-exp(-sp.Abs(z)) / 2), True)),
    ppf=lambda q: sp.Piecewise((sp.log(2 * q), q < _HALF), (-sp.log(2 * (1 - q)), True)),
    isf=lambda q: sp.Piecewise((-sp.log(2 * q), q < _HALF), (sp.log(2 * (1 - q)), True)),
    mean=lambda: 0,
    var=lambda: 2,
    entropy=lambda: 1 + sp.log(2),
    information=lambda: {("loc", "loc"): 1, ("scale", "scale"): 1},
)
logistic = Continuous(
    "logistic",
    "The logistic distribution: P(Z ≤ z) = σ(z) = 1/(1 + e⁻ᶻ).",
    density=lambda x, s: logsigmoid(over(x, s)) + logsigmoid(-over(x, s)) - log(s),
    cdf=lambda z: sigmoid(z),
    sf=lambda z: sigmoid(-z),
    logcdf=lambda z: logsigmoid(z),
    logsf=lambda z: logsigmoid(-z),
    ppf=lambda q: logit(q),
    isf=lambda q: -logit(q),
    mean=lambda: 0,
    var=lambda: _PI**2 / 3,
    entropy=lambda: 2,
    information=lambda: {("loc", "loc"): sp.Rational(1, 3), ("scale", "scale"): (3 + _PI**2) / 9},
)
gumbel_r = Continuous(
    "gumbel_r",
    "Gumbel's distribution of largest values: log p(z) = -z - e⁻ᶻ.",
    density=lambda x, s: -over(x, s) - exp(-over(x, s)) - log(s),
    support=lambda: _real(),
    cdf=lambda z: exp(-exp(-z)),
    sf=lambda z: -expm1(-exp(-z)),
    logcdf=lambda z: -exp(-z),
    logsf=lambda z: log_rest(exp(-z)),
    ppf=lambda q: -sp.log(-sp.log(q)),
    isf=lambda q: -sp.log(-log1p(-q)),
    mean=lambda: _EULER,
    var=lambda: _PI**2 / 6,
    entropy=lambda: _EULER + 1,
    information=lambda: {
        ("loc", "loc"): 1,
        ("loc", "scale"): _EULER - 1,
        ("scale", "scale"): _PI**2 / 6 + (1 - _EULER) ** 2,
    },
)
gumbel_l = Continuous(
    "gumbel_l",
    "Gumbel's distribution of smallest values: log p(z) = z - eᶻ.",
    density=lambda x, s: over(x, s) - exp(over(x, s)) - log(s),
    support=lambda: _real(),
    cdf=lambda z: -expm1(-exp(z)),
    sf=lambda z: exp(-exp(z)),
    logcdf=lambda z: log_rest(exp(z)),
    logsf=lambda z: -exp(z),
    ppf=lambda q: sp.log(-log1p(-q)),
    isf=lambda q: sp.log(-sp.log(q)),
    mean=lambda: -_EULER,
    var=lambda: _PI**2 / 6,
    entropy=lambda: _EULER + 1,
    information=lambda: {
        ("loc", "loc"): 1,
        ("loc", "scale"): 1 - _EULER,
        ("scale", "scale"): _PI**2 / 6 + (1 - _EULER) ** 2,
    },
)
vonmises = Circular(
    "vonmises",
    "The von Mises distribution of angles in radians: log p(z) = κ cos z - log(2π I₀(κ)).",
    "kappa",
    density=lambda x, s, k: k * cos_minus_one(over(x, s)) - log_i0e(k) - _LOG_2PI - log(s),
    valid=lambda k: k >= 0,
    mean=lambda k: 0,
    entropy=lambda k: log_i0e(k) + _LOG_2PI + k * (1 - i_ratio(k)),
    information=lambda k: {("kappa", "kappa"): i_ratio_slope(k), ("loc", "loc"): k * i_ratio(k)},
)

# ------------------------------------------------------------------ positive numbers
gamma = Continuous(
    "gamma",
    "The gamma distribution with shape a = α: log p(z) = (α - 1) log z - z - log Γ(α); scale is 1/rate.",
    "a",
    density=lambda x, s, a: instead(
        log_power(a - 1, x, s) + less_gamma(0, 1, a - 1) - log(s),
        times_log(a - 1, x) - over(x, s) - lgamma(a) - a * log(s),
    ),
    support=_positive,
    open=lambda a: (a > 1, False),
    cdf=lambda z, a: gammainc(a, z),
    sf=lambda z, a: gammaincc(a, z),
    logcdf=lambda z, a: log_gammainc(a, z),
    logsf=lambda z, a: log_gammaincc(a, z),
    ppf=lambda q, a: gammaincinv(a, q),
    isf=lambda q, a: gammainccinv(a, q),
    mean=lambda a: a,
    var=lambda a: a,
    entropy=lambda a: a + lgamma(a) + (1 - a) * digamma(a),
    information=lambda a: {("a", "a"): polygamma(1, a), ("a", "scale"): 1, ("scale", "scale"): a},
)
chi2 = Continuous(
    "chi2",
    "The χ² distribution with df = ν: log p(z) = (ν/2 - 1) log z - z/2 - ν/2 log 2 - log Γ(ν/2).",
    "df",
    density=lambda x, s, v: instead(
        log_power(v / 2 - 1, x, 2 * s) + less_gamma(0, 1, v / 2 - 1) - sp.log(2) - log(s),
        times_log(v / 2 - 1, x) - over(x, s) / 2 - lgamma(v / 2) - v / 2 * sp.log(2) - v / 2 * log(s),
    ),
    support=_positive,
    open=lambda v: (v > 2, False),
    cdf=lambda z, v: gammainc(v / 2, z / 2),
    sf=lambda z, v: gammaincc(v / 2, z / 2),
    logcdf=lambda z, v: log_gammainc(v / 2, z / 2),
    logsf=lambda z, v: log_gammaincc(v / 2, z / 2),
    ppf=lambda q, v: 2 * gammaincinv(v / 2, q),
    isf=lambda q, v: 2 * gammainccinv(v / 2, q),
    mean=lambda v: v,
    var=lambda v: 2 * v,
    entropy=lambda v: v / 2 + sp.log(2) + lgamma(v / 2) + (1 - v / 2) * digamma(v / 2),
    information=lambda v: {("df", "df"): polygamma(1, v / 2) / 4, ("df", "scale"): _HALF, ("scale", "scale"): v / 2},
)
invgamma = Continuous(
    "invgamma",
    "The inverse gamma distribution with shape a = α: log p(z) = -(α + 1) log z - 1/z - log Γ(α).",
    "a",
    density=lambda x, s, a: instead(
        log_power(a, s, x) - log(x) + less_gamma(0, 0, a),
        -(a + 1) * log(x) - standard(s, x) - lgamma(a) + a * log(s),
    ),
    support=_positive,
    open=_above_zero,
    cdf=lambda z, a: gammaincc(a, 1 / z),
    sf=lambda z, a: gammainc(a, 1 / z),
    logcdf=lambda z, a: log_gammaincc(a, 1 / z),
    logsf=lambda z, a: log_gammainc(a, 1 / z),
    ppf=lambda q, a: 1 / gammainccinv(a, q),
    isf=lambda q, a: 1 / gammaincinv(a, q),
    mean=lambda a: sp.Piecewise((1 / (a - 1), a > 1), (sp.oo, True)),
    var=lambda a: sp.Piecewise((1 / ((a - 1) ** 2 * (a - 2)), a > 2), (sp.oo, True)),
    entropy=lambda a: a + lgamma(a) - (1 + a) * digamma(a),
    information=lambda a: {("a", "a"): polygamma(1, a), ("a", "scale"): -1, ("scale", "scale"): a},
)


def _information_of_ratio(a: sp.Expr, b: sp.Expr) -> sp.Expr:
    """(ψ′(a) - ψ′(c))/4 + b/(4a (c + 1)) - b/(2a c) of c = a + b, without the terms that cancel."""
    c = a + b
    return b * (b * c + c + a) / (8 * a**2 * c**2 * (c + 1)) + (trigamma_rest(a) - trigamma_rest(c)) / 4


def _log_f(x: sp.Expr, s: sp.Expr, m: sp.Expr, n: sp.Expr) -> sp.Expr:
    """With m/2 - 1 as an exponent, so that there is no logarithm of x for m = 2."""
    a, b = m / 2 - 1, n / 2 + 1
    gammas = less_gamma(0, 1, a) + less_gamma(0, 0, b) - less_gamma(0, 0, a + b)
    return shares_of_odds(a, b, m * x, n * s) + gammas + log(m / 2) - log(s)


f = Continuous(
    "f",
    "The F distribution of Fisher and Snedecor with dfn = m and dfd = n.",
    "dfn dfd",
    density=lambda x, s, m, n: instead(
        _log_f(x, s, m, n),
        times_log(m / 2 - 1, x)
        - (m + n) / 2 * log1p_quotient(m * x, n * s)
        - m / 2 * log(s)
        + m / 2 * log(m / n)
        - log_beta(m / 2, n / 2),
    ),
    support=_positive,
    open=lambda m, n: (m > 2, False),
    cdf=lambda z, m, n: fdtr(m, n, z),
    sf=lambda z, m, n: fdtrc(m, n, z),
    ppf=lambda q, m, n: fdtri(m, n, q),
    isf=lambda q, m, n: 1 / fdtri(n, m, q),
    mean=lambda m, n: sp.Piecewise((n / (n - 2), n > 2), (sp.oo, True)),
    var=lambda m, n: sp.Piecewise(
        (2 * standard(n, n - 2) ** 2 * standard(m + n - 2, n - 4) / m, n > 4), (sp.oo, n > 2), (sp.nan, True)
    ),
    information=lambda m, n: {
        ("dfn", "dfn"): _information_of_ratio(m / 2, n / 2),
        ("dfn", "dfd"): ((m + n) / 2 - 1) / (2 * (m + n) ** 2 * ((m + n) / 2 + 1)) - trigamma_rest((m + n) / 2) / 4,
        ("dfd", "dfd"): _information_of_ratio(n / 2, m / 2),
        ("dfn", "scale"): n / ((m + n) * (m + n + 2)),
        ("dfd", "scale"): -m / ((m + n) * (m + n + 2)),
        ("scale", "scale"): m * n / (2 * (m + n + 2)),
    },
)
expon = Continuous(
    "expon",
    "The exponential distribution: log p(x) = -x/s - log s, with s = scale = 1/rate.",
    density=lambda x, s: -over(x, s) - log(s),
    support=_positive,
    cdf=lambda z: -expm1(-z),
    sf=lambda z: exp(-z),
    logcdf=lambda z: log_rest(z),
    logsf=lambda z: -z,
    ppf=lambda q: -log1p(-q),
    isf=lambda q: -sp.log(q),
    mean=lambda: 1,
    var=lambda: 1,
    entropy=lambda: 1,
    information=lambda: {("scale", "scale"): 1},
)
weibull_min = Continuous(
    "weibull_min",
    "The Weibull distribution with shape c: log p(z) = log c + (c - 1) log z - zᶜ.",
    "c",
    density=lambda x, s, c: times_log(c - 1, x) - raised(over(x, s), c) + log(c) - c * log(s),
    support=_positive,
    open=lambda c: (c > 1, False),
    cdf=lambda z, c: -expm1(-raised(z, c)),
    sf=lambda z, c: exp(-raised(z, c)),
    logcdf=lambda z, c: log_rest(raised(z, c)),
    logsf=lambda z, c: -raised(z, c),
    ppf=lambda q, c: (-log1p(-q)) ** (1 / c),
    isf=lambda q, c: (-sp.log(q)) ** (1 / c),
    mean=lambda c: exp(lgamma(1 + 1 / c)),
    var=lambda c: exp(lgamma(1 + 2 / c)) - exp(2 * lgamma(1 + 1 / c)),
    entropy=lambda c: _EULER * (1 - 1 / c) - log(c) + 1,
    information=lambda c: {
        ("c", "c"): (_PI**2 / 6 + (1 - _EULER) ** 2) / c**2,
        ("c", "scale"): _EULER - 1,
        ("scale", "scale"): c**2,
    },
)
lognorm = Continuous(
    "lognorm",
    "The log-normal distribution: log(X/scale) is normal with standard deviation s.",
    "s",
    density=lambda x, e, s: -((log(x) - log(e)) ** 2) / (2 * s**2) - log(x) - log(s) - _LOG_2PI / 2,
    support=_positive,
    open=_above_zero,
    cdf=lambda z, s: ndtr(log(z) / s),
    sf=lambda z, s: ndtr(-log(z) / s),
    logcdf=lambda z, s: log_ndtr(log(z) / s),
    logsf=lambda z, s: log_ndtr(-log(z) / s),
    ppf=lambda q, s: exp(s * ndtri(q)),
    isf=lambda q, s: exp(-s * ndtri(q)),
    mean=lambda s: exp(s**2 / 2),
    var=lambda s: exp(s**2) * expm1(s**2),
    entropy=lambda s: log(s) + (_LOG_2PI + 1) / 2,
    information=lambda s: {("s", "s"): 2 / s**2, ("scale", "scale"): 1 / s**2},
)
halfnorm = Continuous(
    "halfnorm",
    "The distribution of abs(Z) for a normal Z: log p(z) = -z²/2 + log(2/π)/2.",
    density=lambda x, s: -(over(x, s) ** 2) / 2 - log(s) + sp.log(2 / _PI) / 2,
    support=_positive,
    cdf=lambda z: erf(z / sp.sqrt(2)),
    sf=lambda z: 2 * ndtr(-z),
    logsf=lambda z: sp.Piecewise((log1p(-erf(z / sp.sqrt(2))), z < 1), (log_ndtr(-z) + sp.log(2), True)),
    ppf=lambda q: ndtri((1 + q) / 2),
    isf=lambda q: -ndtri(q / 2),
    mean=lambda: sp.sqrt(2 / _PI),
    var=lambda: 1 - 2 / _PI,
    entropy=lambda: sp.log(_PI / 2) / 2 + _HALF,
    information=lambda: {("scale", "scale"): 2},
)
halfcauchy = Continuous(
    "halfcauchy",
    "The distribution of abs(Z) for a Cauchy Z: log p(z) = -log(1 + z²) + log(2/π).",
    density=lambda x, s: -log1p_square(x, s, sp.S.One) - log(s) + sp.log(2 / _PI),
    support=_positive,
    cdf=lambda z: 2 * sp.atan2(z, 1) / _PI,
    sf=lambda z: 2 * sp.atan2(1, z) / _PI,
    ppf=lambda q: quotient(sp.S.One, cot_of_turn(q / 2)),
    isf=lambda q: cot_of_turn(q / 2),
    mean=lambda: sp.oo,
    var=lambda: sp.oo,
    entropy=lambda: sp.log(2 * _PI),
    information=lambda: {("scale", "scale"): _HALF},
)


def _half_t_cdf(z: sp.Expr, v: sp.Expr) -> sp.Expr:
    """Return an incomplete beta function of the smaller part; where z² may underflow, the first term in z."""
    c = sp.Min(v, _NORMAL)
    r = z / sp.sqrt(c)
    return sp.Piecewise(
        (erf(z / sp.sqrt(2)), v > _NORMAL),
        (2 * z * _peak_of_t(c), z**2 < 1e-18 * sp.Min(v, 1)),
        (betainc(_HALF, v / 2, (r / hypot(sp.S.One, r)) ** 2), r < 1),
        (betaincc(v / 2, _HALF, 1 / hypot(sp.S.One, r) ** 2), True),
    )


def _half_t_ppf(q: sp.Expr, rest: sp.Expr, v: sp.Expr) -> sp.Expr:
    """Return the quantile of q = 1 - rest: z²/ν is y/(1 - y) of an incomplete beta function's inverse y, or of 1 - y.

    By the smaller of the two that is not near 1; at both ends y underflows, and the first term of the series is exact.
    """
    c = sp.Min(v, _NORMAL)
    lower, upper = betaincinv(_HALF, c / 2, q), betainccinv(_HALF, c / 2, rest)
    one_less = betaincinv(c / 2, _HALF, rest)
    odds = sp.Piecewise(
        (quotient(lower, 1 - lower), (q < _HALF) & (lower < _HALF)),
        (quotient(upper, 1 - upper), (q >= _HALF) & (upper < _HALF)),
        (quotient(1 - one_less, one_less), True),
    )
    first = q / (2 * _peak_of_t(c))
    last = exp(log(c) / 2 - (times_log(sp.S.One, rest) + log(c / 2) + log_beta(c / 2, _HALF)) / c)
    normal = sp.Piecewise((sp.sqrt(2) * sp.erfinv(q), q < _HALF), (-ndtri(rest / 2), True))
    return sp.Piecewise(
        (first, q**2 < 1e-18 * sp.Min(v, 1)),
        (normal, v > _NORMAL),
        (last, (rest < _HALF) & (one_less < 1e-250)),
        (sp.sqrt(c * odds), True),
    )


def _half_t_mean(v: sp.Expr) -> sp.Expr:
    capped = sp.Min(v, _NORMAL)
    return sp.Piecewise((2 * capped / (capped - 1) * _peak_of_t(capped), v > 1), (sp.oo, True))


halft = Continuous(
    "halft",
    "The distribution of abs(T) for Student's T with df = ν: twice its density, of z ≥ 0.",
    "df",
    density=lambda x, s, v: _log_t(x, s, filled(v, v, _NORMAL)) - log(s) + sp.log(2),
    support=_positive,
    cdf=_half_t_cdf,
    sf=lambda z, v: 2 * stdtr(v, -z),
    ppf=lambda q, v: _half_t_ppf(q, 1 - q, v),
    isf=lambda q, v: _half_t_ppf(1 - q, q, v),
    mean=_half_t_mean,
    var=lambda v: sp.Piecewise((t.declared["var"](v) - _half_t_mean(v) ** 2, v > 2), (t.declared["var"](v), True)),
    entropy=lambda v: t.declared["entropy"](v) - sp.log(2),
    information=lambda v: {pair: e for pair, e in t.declared["information"](v).items() if "loc" not in pair},
)
rayleigh = Continuous(
    "rayleigh",
    "The Rayleigh distribution: log p(z) = log z - z²/2.",
    density=lambda x, s: log(x) - over(x, s) ** 2 / 2 - 2 * log(s),
    support=_positive,
    open=_above_zero,
    cdf=lambda z: -expm1(-(z**2) / 2),
    sf=lambda z: exp(-(z**2) / 2),
    logcdf=lambda z: log_rest(z**2 / 2),
    logsf=lambda z: -(z**2) / 2,
    ppf=lambda q: sp.sqrt(-2 * log1p(-q)),
    isf=lambda q: sp.sqrt(-2 * sp.log(q)),
    mean=lambda: sp.sqrt(_PI / 2),
    var=lambda: 2 - _PI / 2,
    entropy=lambda: 1 + _EULER / 2 - sp.log(2) / 2,
    information=lambda: {("scale", "scale"): 4},
)
pareto = Continuous(
    "pareto",
    "The Pareto distribution of z ≥ 1 with shape b: log p(z) = log b - (b + 1) log z.",
    "b",
    density=lambda x, s, b: -b * log_quotient(x, s) - log(x) + log(b),
    support=lambda b: (sp.S.One, sp.oo),
    cdf=lambda z, b: -expm1(-b * log(z)),
    sf=lambda z, b: exp(-b * log(z)),
    logcdf=lambda z, b: log_rest(b * log(z)),
    logsf=lambda z, b: -b * log(z),
    ppf=lambda q, b: exp(-log1p(-q) / b),
    isf=lambda q, b: exp(-sp.log(q) / b),
    mean=lambda b: sp.Piecewise((b / (b - 1), b > 1), (sp.oo, True)),
    var=lambda b: sp.Piecewise((standard(b, b - 2) / (b - 1) ** 2, b > 2), (sp.oo, True)),
    entropy=lambda b: 1 + 1 / b - log(b),
    information=lambda b: {("b", "b"): 1 / b**2},
)


# ------------------------------------------------------------------ an interval
beta = Continuous(
    "beta",
    "The beta distribution: log p(z) = (a - 1) log z + (b - 1) log(1 - z) - log B(a, b).",
    "a b",
    density=lambda x, s, a, b: instead(
        shares_of(a - 1, b - 1, x, s) + less_beta(a - 1, b - 1) - log(s),
        times_log(a - 1, over(x, s)) + times_log1p(b - 1, -over(x, s)) - log_beta(a, b) - log(s),
    ),
    support=_unit,
    open=lambda a, b: (a > 1, b > 1),
    cdf=lambda z, a, b: betainc(a, b, z),
    sf=lambda z, a, b: betaincc(a, b, z),
    ppf=lambda q, a, b: betaincinv(a, b, q),
    isf=lambda q, a, b: betainccinv(a, b, q),
    mean=lambda a, b: a / (a + b),
    var=lambda a, b: standard(a, a + b) * standard(b, a + b) / (a + b + 1),
    entropy=lambda a, b: log_beta(a, b) - (a - 1) * digamma(a) - (b - 1) * digamma(b) + (a + b - 2) * digamma(a + b),
    information=lambda a, b: {
        ("a", "a"): polygamma(1, a) - polygamma(1, a + b),
        ("a", "b"): -polygamma(1, a + b),
        ("b", "b"): polygamma(1, b) - polygamma(1, a + b),
    },
)
uniform = Continuous(
    "uniform",
    "The uniform distribution on [loc, loc + scale]: log p(x) = -log scale.",
    density=lambda x, s: -log(s),
    support=_unit,
    cdf=lambda z: z,
    sf=lambda z: 1 - z,
    ppf=lambda q: q,
    isf=lambda q: 1 - q,
    mean=lambda: _HALF,
    var=lambda: sp.Rational(1, 12),
    entropy=lambda: 0,
)
