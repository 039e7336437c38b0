"""The incomplete beta function, its inverses, and the distributions that are made of it: binomial, F, Student's t."""

from __future__ import annotations

from typing import Any

import sympy as sp

from symgrad.scalars.elementary import log1p
from symgrad.scalars.library import ratios, slopes
from symgrad.scalars.library.gammas import beta, psi
from symgrad.scalars.library.named import function, slope, where_zero


def _density_meaning(a: sp.Expr, b: sp.Expr, x: sp.Expr, z: sp.Expr) -> sp.Expr:
    return x ** (a - 1) * z ** (b - 1) * sp.gamma(a + b) / (sp.gamma(a) * sp.gamma(b))


# z is 1 - x, given beside it because it may be small: derivatives count it in x.
density: Any = slope(
    "beta_density", "a b x z",
    lambda a, b, x, z, y: (
        y * (sp.log(x) - psi(a) + psi(a + b)), y * (sp.log(z) - psi(b) + psi(a + b)),
        y * ((a - 1) / x - (b - 1) / z), sp.S.Zero,
    ),
    ratios.beta_density, _density_meaning, hidden=True,
    shown=lambda a, b, x, z: x ** (a - 1) * z ** (b - 1) / beta(a, b),
)  # fmt: skip


def _scores(a: sp.Expr, b: sp.Expr, x: sp.Expr) -> tuple[sp.Expr, sp.Expr]:
    """What the density's derivatives with respect to a and b are, over the density."""
    both = psi(a + b)
    return sp.log(x) - psi(a) + both, log1p(-x) - psi(b) + both


def _pdf(a: sp.Expr, b: sp.Expr, x: sp.Expr) -> sp.Expr:
    return density(a, b, x, 1 - x)


def _second(a: sp.Expr, b: sp.Expr, x: sp.Expr, i: int, j: int) -> sp.Expr:
    score, own = _scores(a, b, x), (sp.polygamma(1, a), sp.polygamma(1, b))
    information = sp.polygamma(1, a + b) - (own[i] if i == j else 0)
    return _pdf(a, b, x) * (score[i] * score[j] + information)


betainc_aa = slope("betainc_aa", "a b x", lambda a, b, x, y: (None, None, _second(a, b, x, 0, 0)), slopes.betainc_aa)
betainc_bb = slope("betainc_bb", "a b x", lambda a, b, x, y: (None, None, _second(a, b, x, 1, 1)), slopes.betainc_bb)
betainc_ab = slope("betainc_ab", "a b x", lambda a, b, x, y: (None, None, _second(a, b, x, 0, 1)), slopes.betainc_ab)
betainc_a = slope(
    "betainc_a", "a b x",
    lambda a, b, x, y: (betainc_aa(a, b, x), betainc_ab(a, b, x), _pdf(a, b, x) * _scores(a, b, x)[0]),
    slopes.betainc_a,
)  # fmt: skip
betainc_b = slope(
    "betainc_b", "a b x",
    lambda a, b, x, y: (betainc_ab(a, b, x), betainc_bb(a, b, x), _pdf(a, b, x) * _scores(a, b, x)[1]),
    slopes.betainc_b,
)  # fmt: skip


def _all(a: sp.Expr, b: sp.Expr, x: sp.Expr) -> tuple[sp.Expr, sp.Expr, sp.Expr]:
    return betainc_a(a, b, x), betainc_b(a, b, x), _pdf(a, b, x)


betainc = function(
    "betainc", "a b x", "The regularised incomplete beta function I(a, b, x) = ∫₀ˣ t^(a-1) (1-t)^(b-1) dt/B(a, b).",
    lambda a, b, x, y: _all(a, b, x), latex="I", meaning=lambda a, b, x: sp.betainc_regularized(a, b, 0, x),
)  # fmt: skip
betaincc = function(
    "betaincc", "a b x", "1 - I(a, b, x).", lambda a, b, x, y: tuple(-d for d in _all(a, b, x)),
    lambda a, b, x: sp.betainc_regularized(a, b, x, 1),
)  # fmt: skip


def _inverse_by(a: sp.Expr, b: sp.Expr, x: sp.Expr, sign: int) -> tuple[sp.Expr, ...]:
    by_a, by_b, by_x = _all(a, b, x)
    return *(where_zero(x * (1 - x), 0, -d / by_x) for d in (by_a, by_b)), sign / by_x


betaincinv = function("betaincinv", "a b p", "The x with I(a, b, x) = p.", lambda a, b, p, y: _inverse_by(a, b, y, 1))
betainccinv = function(
    "betainccinv", "a b p", "The x with 1 - I(a, b, x) = p.", lambda a, b, p, y: _inverse_by(a, b, y, -1)
)
btdtria = function(
    "btdtria", "p b x", "The a with I(a, b, x) = p.",
    lambda p, b, x, y: tuple(d / betainc_a(y, b, x) for d in (sp.S.One, -betainc_b(y, b, x), -_pdf(y, b, x))),
)  # fmt: skip
btdtrib = function(
    "btdtrib", "a p x", "The b with I(a, b, x) = p.",
    lambda a, p, x, y: tuple(d / betainc_b(a, y, x) for d in (-betainc_a(a, y, x), sp.S.One, -_pdf(a, y, x))),
)  # fmt: skip


# ------------------------------------------------------------------ binomial and negative binomial distributions
_FLOOR = sp.floor  # SciPy's functions of counts cut them to integers


def _binomial(k: sp.Expr, n: sp.Expr, p: sp.Expr) -> sp.Expr:
    """Of the survival function I(k + 1, n - k, p) by p."""
    return density(_FLOOR(k) + 1, _FLOOR(n) - _FLOOR(k), p, 1 - p)


def _below(k: sp.Expr, n: sp.Expr, derivative: sp.Expr) -> sp.Expr:
    """0 for k = n, where the function is constant."""
    return where_zero(_FLOOR(n) - _FLOOR(k), 0, derivative)


bdtr = function(
    "bdtr", "k n p", "The binomial distribution function: at most ⌊k⌋ successes in n trials.",
    lambda k, n, p, y: (sp.S.Zero, None, _below(k, n, -_binomial(k, n, p))),
    lambda k, n, p: sp.betainc_regularized(_FLOOR(n) - _FLOOR(k), _FLOOR(k) + 1, 0, 1 - p),
)  # fmt: skip
bdtrc = function(
    "bdtrc", "k n p", "The survival function of the binomial distribution.",
    lambda k, n, p, y: (sp.S.Zero, None, _below(k, n, _binomial(k, n, p))),
    lambda k, n, p: sp.betainc_regularized(_FLOOR(k) + 1, _FLOOR(n) - _FLOOR(k), 0, p),
)  # fmt: skip
bdtri = function(
    "bdtri", "k n y", "The p with bdtr(k, n, p) = y.",
    lambda k, n, q, y: (sp.S.Zero, None, -1 / _binomial(k, n, y)),
)  # fmt: skip


def _binomial_parts(k: sp.Expr, n: sp.Expr, p: sp.Expr) -> tuple[sp.Expr, sp.Expr, sp.Expr]:
    """Of I(n - k, k + 1, 1 - p) by k, n and p."""
    by_a, by_b, by_x = _all(n - k, k + 1, 1 - p)
    return by_b - by_a, by_a, -by_x


def _solved(parts: tuple[sp.Expr, ...], which: int, place: int) -> tuple[sp.Expr, ...]:
    """The derivatives of the argument ``which`` as a function of the others, and of the value in front or behind."""
    derivatives = [-d / parts[which] for i, d in enumerate(parts) if i != which]
    derivatives.insert(place, 1 / parts[which])
    return tuple(derivatives)


bdtrik = function(
    "bdtrik", "y n p", "The k with bdtr(k, n, p) = y, where bdtr is continued to real k.",
    lambda q, n, p, y: _solved(_binomial_parts(y, n, p), 0, 0),
)  # fmt: skip
bdtrin = function(
    "bdtrin", "k y p", "The n with bdtr(k, n, p) = y, where bdtr is continued to real n.",
    lambda k, q, p, y: _solved(_binomial_parts(k, y, p), 1, 1),
)  # fmt: skip


def _negative(k: sp.Expr, n: sp.Expr, p: sp.Expr) -> tuple[sp.Expr, sp.Expr, sp.Expr]:
    """Of I(n, k + 1, p) by k, n and p."""
    by_a, by_b, by_x = _all(n, k + 1, p)
    return by_b, by_a, by_x


def _counted(k: sp.Expr, n: sp.Expr, p: sp.Expr) -> sp.Expr:
    return density(_FLOOR(n), _FLOOR(k) + 1, p, 1 - p)


nbdtr = function(
    "nbdtr", "k n p", "The negative binomial distribution function, I(⌊n⌋, ⌊k⌋ + 1, p).",
    lambda k, n, p, y: (None, None, _counted(k, n, p)),
    lambda k, n, p: sp.betainc_regularized(_FLOOR(n), _FLOOR(k) + 1, 0, p),
)  # fmt: skip
nbdtrc = function(
    "nbdtrc", "k n p", "The survival function of the negative binomial distribution.",
    lambda k, n, p, y: (None, None, -_counted(k, n, p)),
    lambda k, n, p: sp.betainc_regularized(_FLOOR(n), _FLOOR(k) + 1, p, 1),
)  # fmt: skip
nbdtri = function(
    "nbdtri", "k n y", "The p with nbdtr(k, n, p) = y.",
    lambda k, n, q, y: (None, None, 1 / _counted(k, n, y)),
)  # fmt: skip
nbdtrik = function(
    "nbdtrik", "y n p", "The k with nbdtr(k, n, p) = y.", lambda q, n, p, y: _solved(_negative(y, n, p), 0, 0)
)
nbdtrin = function(
    "nbdtrin", "k y p", "The n with nbdtr(k, n, p) = y.", lambda k, q, p, y: _solved(_negative(k, y, p), 1, 1)
)


# ------------------------------------------------------------------ F
def _f_parts(d1: sp.Expr, d2: sp.Expr, x: sp.Expr) -> tuple[sp.Expr, sp.Expr, sp.Expr]:
    """Of I(a, b, w) with w = d1 x/(d1 x + d2); from w = 1/2 on that is 1 - I(b, a, 1 - w), as w loses its digits."""
    a, b, total = d1 / 2, d2 / 2, d1 * x + d2
    w, z = d1 * x / total, d2 / total
    pdf = density(a, b, w, z) / total**2
    by_a = sp.Piecewise((betainc_a(a, b, w), w < z), (-betainc_b(b, a, z), True))
    by_b = sp.Piecewise((betainc_b(a, b, w), w < z), (-betainc_a(b, a, z), True))
    moved = where_zero(x, 0, pdf * x)
    return by_a / 2 + moved * d2, by_b / 2 - moved * d1, pdf * d1 * d2


def _inverse_f(d1: sp.Expr, d2: sp.Expr, x: sp.Expr) -> tuple[sp.Expr, ...]:
    by_d1, by_d2, by_p = _solved(_f_parts(d1, d2, x), 2, 2)
    return where_zero(x, 0, by_d1), where_zero(x, 0, by_d2), by_p


fdtr = function(
    "fdtr", "dfn dfd x", "The F distribution function.", lambda m, n, x, y: _f_parts(m, n, x),
    lambda m, n, x: sp.betainc_regularized(m / 2, n / 2, 0, m * x / (m * x + n)),
)  # fmt: skip
fdtrc = function(
    "fdtrc", "dfn dfd x", "The survival function of the F distribution.",
    lambda m, n, x, y: tuple(-d for d in _f_parts(m, n, x)),
    lambda m, n, x: sp.betainc_regularized(n / 2, m / 2, 0, n / (m * x + n)),
)  # fmt: skip
fdtri = function("fdtri", "dfn dfd p", "The x with fdtr(dfn, dfd, x) = p.", lambda m, n, p, y: _inverse_f(m, n, y))
fdtridfd = function(
    "fdtridfd", "dfn p x", "The dfd with fdtr(dfn, dfd, x) = p.", lambda m, p, x, y: _solved(_f_parts(m, y, x), 1, 1)
)


# ------------------------------------------------------------------ Student's t
def _t_density(df: sp.Expr, t: sp.Expr) -> sp.Expr:
    return sp.exp(-(df + 1) / 2 * log1p(t**2 / df)) / (sp.sqrt(df) * beta(df / 2, sp.Rational(1, 2)))


def _t_score(df: sp.Expr, t: sp.Expr) -> sp.Expr:
    """The derivative of the density's logarithm by df."""
    half = sp.Rational(1, 2)
    return half * (psi(df / 2 + half) - psi(df / 2) - 1 / df - log1p(t**2 / df) + (df + 1) * t**2 / (df * (df + t**2)))


stdtr_dfdf = slope(
    "stdtr_dfdf", "df t",
    lambda d, t, y: (None, _t_density(d, t) * (_t_score(d, t) ** 2 + sp.diff(_t_score(d, t), d))), slopes.stdtr_dfdf,
)  # fmt: skip
stdtr_df = slope(
    "stdtr_df", "df t", lambda d, t, y: (stdtr_dfdf(d, t), _t_density(d, t) * _t_score(d, t)), slopes.stdtr_df
)
stdtr = function(
    "stdtr", "df t", "Student's t distribution function.", lambda d, t, y: (stdtr_df(d, t), _t_density(d, t)),
    lambda d, t: sp.Piecewise(
        (sp.betainc_regularized(d / 2, sp.Rational(1, 2), 0, d / (d + t**2)) / 2, t < 0),
        (1 - sp.betainc_regularized(d / 2, sp.Rational(1, 2), 0, d / (d + t**2)) / 2, True),
    ),
)  # fmt: skip
stdtrit = function(
    "stdtrit", "df p", "The t with stdtr(df, t) = p.",
    lambda d, p, y: (-stdtr_df(d, y) / _t_density(d, y), 1 / _t_density(d, y)),
)  # fmt: skip


def _where_solved(t: sp.Expr, df: sp.Expr, derivative: sp.Expr) -> sp.Expr:
    """The search of ``stdtridf`` ends at 10¹⁰ where no df has this p, and at t = 0 anywhere: there is no slope."""
    return where_zero(t * sp.Piecewise((1, df < 10**10), (0, True)), sp.nan, derivative)


stdtridf = function(
    "stdtridf", "p t", "The df with stdtr(df, t) = p.",
    lambda p, t, y: tuple(_where_solved(t, y, d / stdtr_df(y, t)) for d in (sp.S.One, -_t_density(y, t))),
)  # fmt: skip
