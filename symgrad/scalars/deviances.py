"""Logarithms of gamma densities, whose terms are as large as the shape k and cancel: by the distance from the peak.

A density is the sum of k log z - z and -log Γ. For a large k, both leave out k log k - k.
Source: Loader (2000), Fast and accurate computation of binomial probabilities.
"""

from __future__ import annotations

import math
from typing import Any

import sympy as sp

from symgrad.scalars.densities import log1p_quotient, log_quotient, quotient, standard
from symgrad.scalars.elementary import exp, log, log1p
from symgrad.scalars.written import part, polynomial

LARGE = 20.0
_POSITIVE = (0.1, 3.0)
_NEAR = 0.1
_ATANH = tuple(1 / (2 * j + 1) for j in range(9))  # of v, v³, …
_STIRLING = (1 / 12, -1 / 360, 1 / 1260, -1 / 1680, 1 / 1188, -691 / 360360)  # of 1/k, 1/k³, … in log Γ(k)


def _if_large(k: sp.Expr, e: Any) -> sp.Expr:
    return sp.Piecewise((e, k > LARGE), (0, True))


def _left_out(k: sp.Expr) -> sp.Expr:
    return _if_large(k, k * sp.log(k) - k)


def _large_or_one(m: Any, k: Any) -> Any:
    return m.where(k > LARGE, k, 1.0)


def _log_quotient(m: Any, x: Any, s: Any, k: Any) -> Any:
    """Log of x/s, or of x/(s k): the roots of numbers have quotients that are floats."""
    return 2.0 * m.log(m.sqrt(x) / m.sqrt(s) / m.sqrt(_large_or_one(m, k)))


def _from_peak(m: Any, k: Any, z: Any, apart: Any) -> tuple[Any, Any]:
    """Whether k is large and z is close to it, and there (z - k)/(z + k), else 0; apart is z - k."""
    v = apart / (z + _large_or_one(m, k))
    near = (k > LARGE) & (m.abs(v) < _NEAR)
    return near, m.where(near, v, 0.0)


def _power(m: Any, k: Any, z: Any, apart: Any, log_z: Any) -> Any:
    """k log z - z, less k log k - k of a large k; log_z is log(z/k) then."""
    near, v = _from_peak(m, k, z, apart)
    peak = 2.0 * k * v * v * v * polynomial(v * v, _ATANH[1:]) - v * apart
    return m.where(near, peak, m.where(k == 0.0, 0.0, k * log_z) + m.where(k > LARGE, k, 0.0) - z)


def _power_slope(m: Any, k: Any, z: Any, apart: Any, log_z: Any) -> Any:
    near, v = _from_peak(m, k, z, apart)
    return m.where(near, 2.0 * v * polynomial(v * v, _ATANH), log_z)


# of z = x/s
log_power: Any = part(
    "log_power", lambda k, x, s: k * sp.log(x / s) - x / s - _left_out(k),
    lambda k, x, s, y: (log_above(k, x, s), quotient(k, x) - 1 / s, (standard(x, s) - k) / s),
    lambda m, k, x, s: _power(m, k, x / s, x / s - k, _log_quotient(m, m.where(k == 0.0, 1.0, x), s, k)),
    core=_POSITIVE,
)  # fmt: skip
log_above: Any = part(
    "log_above", lambda k, x, s: sp.log(x / s) - _if_large(k, sp.log(k)),
    lambda k, x, s, y: (-large_powers(0, k), 1 / x, -1 / s),
    lambda m, k, x, s: _power_slope(m, k, x / s, x / s - k, _log_quotient(m, x, s, k)),
    core=_POSITIVE,
)  # fmt: skip

# of z = exp(t)
log_power_of_exp: Any = part(
    "log_power_of_exp", lambda k, t: k * t - sp.exp(t) - _left_out(k),
    lambda k, t, y: (log_above_of_exp(k, t), k - exp(t)),
    lambda m, k, t: _power(m, k, m.exp(t), m.exp(t) - k, t - m.log(_large_or_one(m, k))), core=_POSITIVE,
)  # fmt: skip
log_above_of_exp: Any = part(
    "log_above_of_exp", lambda k, t: t - _if_large(k, sp.log(k)), lambda k, t, y: (-large_powers(0, k), sp.S.One),
    lambda m, k, t: _power_slope(m, k, m.exp(t), m.exp(t) - k, t - m.log(_large_or_one(m, k))), core=_POSITIVE,
)  # fmt: skip

# the n-th derivative of 1/k for a large k, of which the terms above and below have less and more
large_powers: Any = part(
    "large_powers", lambda n, k: _if_large(k, (-1) ** n * sp.factorial(n) * k ** (-n - 1)),
    lambda n, k, y: (sp.S.Zero, large_powers(n + 1, k)),
    lambda m, n, k: m.where(k > LARGE, (-1.0) ** n * math.factorial(n) * m.pow(_large_or_one(m, k), -n - 1.0), 0.0),
    orders=1, core=_POSITIVE,
)  # fmt: skip


# ------------------------------------------------------------------ -log Γ(k + e), and k log k - k of a large k
def _less_gamma(m: Any, n: int, e: int, k: Any) -> Any:
    """The n-th derivative, of e = 0 or 1."""
    near, far = m.minimum(k, LARGE), m.maximum(k, LARGE)
    t, sign = 1.0 / far, (-1.0) ** n
    if n == 0:
        exact, first = -m.lgamma(near + e), (0.5 - e) * m.log(far) - math.log(2 * math.pi) / 2
    else:
        exact = -m.polygamma(n - 1, near + e)
        first = (e - 0.5) * sign * math.factorial(n - 1) * _product(t, n)
    rest = polynomial(t * t, [c * sign * math.perm(2 * j + n, n) for j, c in enumerate(_STIRLING)])
    return m.where(k > LARGE, first - _product(t, n + 1) * rest, exact)


def _product(t: Any, n: int) -> Any:
    power = t
    for _ in range(n - 1):
        power = power * t
    return power


def _less_gamma_meaning(n: sp.Expr, e: sp.Expr, k: sp.Expr) -> sp.Expr:
    if n == 0:
        return _if_large(k, k * sp.log(k) - k) - sp.loggamma(k + e)
    left_out = sp.log(k) if n == 1 else (-1) ** n * sp.factorial(n - 2) * k ** (1 - n)
    return _if_large(k, left_out) - sp.polygamma(n - 1, k + e)


less_gamma: Any = part(
    "less_gamma", _less_gamma_meaning, lambda n, e, k, y: (sp.S.Zero, sp.S.Zero, less_gamma(n + 1, e, k)), _less_gamma,
    orders=2, core=_POSITIVE,
)  # fmt: skip


# ------------------------------------------------------------------ a log z + b log w of z + w = 1, for beta densities
def _scaled(m: Any, a: Any, b: Any, z: Any, w: Any) -> tuple[Any, Any]:
    """n = a + b if that is large, else 1; and n z - a = b - n w."""
    return _large_or_one(m, a + b), z * b - a * w


def _shares(m: Any, a: Any, b: Any, z: Any, w: Any, log_z: Any, log_w: Any) -> Any:
    n, apart = _scaled(m, a, b, z, w)
    log_n = m.log(n)
    first = _power(m, a, n * z, apart, log_z + log_n - m.log(_large_or_one(m, a)))
    second = _power(m, b, n * w, -apart, log_w + log_n - m.log(_large_or_one(m, b)))
    plain = m.where(a == 0.0, 0.0, a * log_z) + m.where(b == 0.0, 0.0, b * log_w)
    return m.where(a + b > LARGE, first + second, plain)


def _share_slope(m: Any, a: Any, b: Any, z: Any, w: Any, log_z: Any) -> Any:
    n, apart = _scaled(m, a, b, z, w)
    exact = m.where((z == 0.0) & (log_z == 0.0), -math.inf, log_z)  # see _instead_at
    return _power_slope(m, a, n * z, apart, exact + m.log(n) - m.log(_large_or_one(m, a)))


# z and w are given beside their logarithms, in which they are differentiated
log_shares: Any = part(
    "log_shares", lambda a, b, z, w, u, v: a * u + b * v + _left_out(a + b) - _left_out(a) - _left_out(b),
    lambda a, b, z, w, u, v, y: (log_share_of(a, b, z, w, u), log_share_of(b, a, w, z, v), sp.S.Zero, sp.S.Zero, a, b),
    _shares,
)  # fmt: skip
log_share_of: Any = part(
    "log_share_of", lambda a, b, z, w, u: u + _if_large(a + b, sp.log(a + b)) - _if_large(a, sp.log(a)),
    lambda a, b, z, w, u, y: (
        large_powers(0, a + b) - large_powers(0, a), large_powers(0, a + b), sp.S.Zero, sp.S.Zero, sp.S.One
    ),
    _share_slope,
)  # fmt: skip


def _instead_at(k: sp.Expr, z: sp.Expr, there: Any, x: sp.Expr) -> Any:
    """Return x, but another number where k log z is 0·log 0, which has no slope with respect to z."""
    return sp.Piecewise((there, sp.Eq(k, 0) & sp.Eq(z, 0)), (x, True))


def shares_of(a: sp.Expr, b: sp.Expr, x: sp.Expr, s: sp.Expr = sp.S.One) -> Any:
    """Return a log z + b log(1 - z) of z = x/s."""
    z = x if s == 1 else standard(x, s)
    above, below = _instead_at(a, x, s, x), _instead_at(b, 1 - z, 0, z)
    return log_shares(a, b, z, 1 - z, log(above) if s == 1 else log_quotient(above, s), log1p(-below))


def shares_of_odds(a: sp.Expr, b: sp.Expr, u: sp.Expr, v: sp.Expr) -> Any:
    """Return a log(u/(u + v)) + b log(v/(u + v))."""
    z, w = 1 / (1 + standard(v, u)), 1 / (1 + standard(u, v))
    log_z = -log1p_quotient(_instead_at(a, u, 0, v), _instead_at(a, u, 1, u))
    return log_shares(a, b, z, w, log_z, -log1p_quotient(u, v))


def less_beta(a: sp.Expr, b: sp.Expr) -> Any:
    """Return -log B(a + 1, b + 1), with the terms that ``shares_of`` leaves out."""
    return less_gamma(0, 1, a) + less_gamma(0, 1, b) - less_gamma(0, 1, a + b) + log1p(a + b)
