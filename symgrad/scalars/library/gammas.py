"""Gamma functions and what is made of them: beta, binomial, Pochhammer, zeta, incomplete gamma, its distributions."""

from __future__ import annotations

from typing import Any

import numpy as np
import sympy as sp

from symgrad.scalars.library import ratios, slopes
from symgrad.scalars.library.kernels import own, scipys
from symgrad.scalars.library.named import function, slope, where_zero

psi = sp.digamma

# ------------------------------------------------------------------ Γ
gamma: Any = function(
    "gamma",
    "x",
    "The gamma function Γ(x).",
    lambda x, y: y * psi(x),
    lambda x: sp.gamma(x),
    latex=r"\Gamma",
    text="Γ",
    real=0,
)


def _rgamma_parts(x: sp.Expr) -> tuple[sp.Expr, sp.Expr]:
    return gamma(1 - x), psi(1 - x)


def _rgamma_left(x: sp.Expr) -> sp.Expr:
    """(1/Γ)' of 1/Γ(x) = Γ(1-x) sin(πx)/π, which has no poles for x < 1."""
    g, p = _rgamma_parts(x)
    return g * (sp.cos(sp.pi * x) - p * sp.sin(sp.pi * x) / sp.pi)


def _rgamma_left_slope(x: sp.Expr) -> sp.Expr:
    g, p = _rgamma_parts(x)
    wave, turned = sp.sin(sp.pi * x), sp.cos(sp.pi * x)
    return g * (wave * (p**2 + sp.polygamma(1, 1 - x)) / sp.pi - 2 * p * turned - sp.pi * wave)


rgamma: Any = function(
    "rgamma", "x", "1/Γ(x), 0 at the poles.", lambda x, y: rgamma_slope(x), lambda x: 1 / sp.gamma(x),
    latex=r"\frac{1}{\Gamma}", real=0,
)  # fmt: skip


def _by_reflection(special: Any, x: Any) -> Any:
    """Beyond 1/2 of Γ(1 - x) sin(πx)/π."""
    left = x < 0.5
    u, v = np.where(left, x, 0.0), np.where(left, 1.0, x)
    whole = np.rint(u)
    sign = np.where(whole % 2 == 0, 1.0, -1.0)
    wave, turned = sign * np.sin(np.pi * (u - whole)), sign * np.cos(np.pi * (u - whole))
    below = special.gamma(1 - u) * (turned - special.psi(1 - u) * wave / np.pi)
    return np.where(left, below, -special.psi(v) * special.rgamma(v))


rgamma_slope: Any = slope(
    "rgamma_slope", "x",
    lambda x, y: sp.Piecewise(
        (_rgamma_left_slope(x), x < sp.Rational(1, 2)), (-psi(x) * y - sp.polygamma(1, x) * rgamma(x), True)
    ),
    own(_by_reflection), lambda x: -psi(x) * rgamma(x), hidden=True,
)  # fmt: skip
gammasgn = function("gammasgn", "x", "The sign of Γ(x).", lambda x, y: sp.S.Zero, lambda x: sp.sign(sp.gamma(x)))
loggamma = function(
    "loggamma",
    "x",
    "log Γ(x) for x > 0.",
    lambda x, y: psi(x),
    lambda x: sp.loggamma(x),
    latex=r"\log\Gamma",
    real=0,
)
gain = slope(
    "digamma_gain", "z m", lambda z, m, y: (sp.polygamma(1, z + m) - sp.polygamma(1, z), sp.polygamma(1, z + m)),
    ratios.digamma_gain, lambda z, m: psi(z + m) - psi(z), hidden=True,
)  # fmt: skip


def _beside_zero(factor: Any, other: Any, score: Any) -> Any:
    """(f·r)' of a reciprocal r = 1/Γ that may be 0: f r' + f r·score, the score f'/f."""
    return factor * rgamma_slope(other) + factor * score * rgamma(other)


def _beta_by(a: sp.Expr, b: sp.Expr, y: sp.Expr) -> sp.Expr:
    return where_zero(y, _beside_zero(gamma(a) * gamma(b), a + b, psi(a)), -y * gain(a, b))


def _binom_rule(n: sp.Expr, k: sp.Expr, y: sp.Expr) -> tuple[sp.Expr, sp.Expr]:
    """The zeros are those of 1/Γ(k + 1), at whole k < 0, and of 1/Γ(n - k + 1)."""
    rest, left = n - k + 1, (k < 0) & sp.Eq(sp.floor(k), k)
    above, below = 1 / poch(n + 1, k - n), poch(rest, k)
    by_n, by_k = y * gain(rest, k), y * gain(k + 1, n - 2 * k)
    zero_n = sp.Piecewise((by_n, left), (_beside_zero(above, rest, psi(n + 1)), True))
    zero_k = sp.Piecewise((_beside_zero(below, k + 1, psi(rest)), left), (-_beside_zero(above, rest, psi(k + 1)), True))
    return where_zero(y, zero_n, by_n), where_zero(y, zero_k, by_k)


def _poch_rule(z: sp.Expr, m: sp.Expr, y: sp.Expr) -> tuple[sp.Expr, sp.Expr]:
    """Zeros are those of 1/Γ(z); of a whole m, (z)ₘ is (-1)ᵐ Γ(1 - z)/Γ(1 - z - m), which has no poles on the left."""
    left = (z < 1) & (z + m < 1) & sp.Eq(sp.floor(m), m)
    by_z = where_zero(sp.Piecewise((0, left), (1, True)), y * gain(1 - z, -m), y * gain(z, m))
    return where_zero(y, _beside_zero(gamma(z + m), z, psi(z + m)), by_z), y * psi(z + m)


beta: Any = function(
    "beta", "a b", "The beta function B(a, b) = Γ(a) Γ(b)/Γ(a + b).",
    lambda a, b, y: (_beta_by(a, b, y), _beta_by(b, a, y)),
    lambda a, b: sp.gamma(a) * sp.gamma(b) / sp.gamma(a + b), latex=r"\mathrm{B}",
)  # fmt: skip
betaln = function(
    "betaln", "a b", "log |B(a, b)|.", lambda a, b, y: (-gain(a, b), -gain(b, a)),
    lambda a, b: sp.loggamma(a) + sp.loggamma(b) - sp.loggamma(a + b), latex=r"\log\mathrm{B}",
)  # fmt: skip
binom = function(
    "binom", "n k", "The binomial coefficient Γ(n + 1)/(Γ(k + 1) Γ(n - k + 1)), for real n and k.",
    _binom_rule,
    lambda n, k: sp.gamma(n + 1) / (sp.gamma(k + 1) * sp.gamma(n - k + 1)),
)  # fmt: skip
poch: Any = function(
    "poch", "z m", "Pochhammer's symbol Γ(z + m)/Γ(z).", _poch_rule, lambda z, m: sp.gamma(z + m) / sp.gamma(z),
)  # fmt: skip

# ------------------------------------------------------------------ ζ
zeta_ss = slope("zeta_ss", "s q", lambda s, q, y: (None, None), slopes.zeta_ss)
zeta_s: Any = slope(
    "zeta_s", "s q", lambda s, q, y: (zeta_ss(s, q), -hurwitz(s + 1, q) - s * zeta_s(s + 1, q)), slopes.zeta_s
)
hurwitz: Any = slope(
    "hurwitz", "s q", lambda s, q, y: (zeta_s(s, q), -s * hurwitz(s + 1, q)), scipys("zeta"),
    lambda s, q: sp.zeta(s, q),
    latex=r"\zeta", text="ζ",
)  # fmt: skip
riemann_ss = slope("riemann_ss", "s", lambda s, y: None, slopes.riemann_ss)
riemann_s = slope("riemann_s", "s", lambda s, y: riemann_ss(s), slopes.riemann_s, latex=r"\zeta'", text="ζ′")
riemann: Any = slope(
    "riemann", "s", lambda s, y: riemann_s(s), scipys("zeta"), lambda s: sp.zeta(s), latex=r"\zeta", text="ζ"
)
zetac = function("zetac", "s", "ζ(s) - 1.", lambda s, y: riemann_s(s), lambda s: sp.zeta(s) - 1)

# ------------------------------------------------------------------ the incomplete gamma functions
gamma_density: Any = slope(
    "gamma_density", "a x", lambda a, x, y: (y * (sp.log(x) - psi(a)), y * ((a - 1) / x - 1)), ratios.gamma_density,
    lambda a, x: x ** (a - 1) * sp.exp(-x) / sp.gamma(a), hidden=True,
    shown=lambda a, x: x ** (a - 1) * sp.exp(-x) / gamma(a),
)  # fmt: skip
gammainc_aa = slope(
    "gammainc_aa", "a x",
    lambda a, x, y: (None, gamma_density(a, x) * ((sp.log(x) - psi(a)) ** 2 - sp.polygamma(1, a))),
    slopes.gammainc_aa,
)  # fmt: skip
gammainc_a: Any = slope(
    "gammainc_a", "a x",
    lambda a, x, y: (gammainc_aa(a, x), gamma_density(a, x) * (sp.log(x) - psi(a))), slopes.gammainc_a,
)  # fmt: skip
gammainc: Any = function(
    "gammainc", "a x", "The regularised lower incomplete gamma function P(a, x) = ∫₀ˣ t^(a-1) e^(-t) dt/Γ(a).",
    lambda a, x, y: (gammainc_a(a, x), gamma_density(a, x)),
    lambda a, x: sp.lowergamma(a, x) / sp.gamma(a), latex="P",
)  # fmt: skip
gammaincc: Any = function(
    "gammaincc", "a x", "The regularised upper incomplete gamma function Q(a, x) = 1 - P(a, x).",
    lambda a, x, y: (-gammainc_a(a, x), -gamma_density(a, x)),
    lambda a, x: sp.uppergamma(a, x) / sp.gamma(a), latex="Q",
)  # fmt: skip


# The lower end of the support is 0 whatever the parameter
gammaincinv = function(
    "gammaincinv", "a p", "The x with P(a, x) = p.",
    lambda a, p, y: (where_zero(y, 0, -gammainc_a(a, y) / gamma_density(a, y)), 1 / gamma_density(a, y)),
)  # fmt: skip
gammainccinv = function(
    "gammainccinv", "a p", "The x with Q(a, x) = p.",
    lambda a, p, y: (where_zero(y, 0, -gammainc_a(a, y) / gamma_density(a, y)), -1 / gamma_density(a, y)),
)  # fmt: skip

# ------------------------------------------------------------------ χ², gamma and Poisson distributions


def _chi2(v: sp.Expr, x: sp.Expr) -> tuple[sp.Expr, sp.Expr]:
    return gammainc_a(v / 2, x / 2) / 2, gamma_density(v / 2, x / 2) / 2


def _poisson(k: sp.Expr, m: sp.Expr) -> sp.Expr:
    return gamma_density(sp.floor(k) + 1, m)


chdtr = function(
    "chdtr", "v x", "The χ² distribution function P(v/2, x/2).", lambda v, x, y: _chi2(v, x),
    lambda v, x: sp.lowergamma(v / 2, x / 2) / sp.gamma(v / 2),
)  # fmt: skip
chdtrc = function(
    "chdtrc", "v x", "The survival function of χ², Q(v/2, x/2).", lambda v, x, y: tuple(-d for d in _chi2(v, x)),
    lambda v, x: sp.uppergamma(v / 2, x / 2) / sp.gamma(v / 2),
)  # fmt: skip
chdtri = function(
    "chdtri", "v p", "The x with chdtrc(v, x) = p.",
    lambda v, p, y: (where_zero(y, 0, -_chi2(v, y)[0] / _chi2(v, y)[1]), -1 / _chi2(v, y)[1]),
)  # fmt: skip
chdtriv = function(
    "chdtriv", "p x", "The v with chdtr(v, x) = p.",
    lambda p, x, y: (1 / _chi2(y, x)[0], -_chi2(y, x)[1] / _chi2(y, x)[0]),
)  # fmt: skip
gdtr = function(
    "gdtr", "a b x", "The gamma distribution function P(b, ax), with rate a and shape b.",
    lambda a, b, x, y: (x * gamma_density(b, a * x), gammainc_a(b, a * x), a * gamma_density(b, a * x)),
    lambda a, b, x: sp.lowergamma(b, a * x) / sp.gamma(b),
)  # fmt: skip
gdtrc = function(
    "gdtrc", "a b x", "The survival function of the gamma distribution, Q(b, ax).",
    lambda a, b, x, y: (-x * gamma_density(b, a * x), -gammainc_a(b, a * x), -a * gamma_density(b, a * x)),
    lambda a, b, x: sp.uppergamma(b, a * x) / sp.gamma(b),
)  # fmt: skip
gdtria = function(
    "gdtria", "p b x", "The a with gdtr(a, b, x) = p.",
    lambda p, b, x, y: (
        1 / (x * gamma_density(b, x * y)), -gammainc_a(b, x * y) / (x * gamma_density(b, x * y)), -y / x
    ),
)  # fmt: skip
gdtrib = function(
    "gdtrib", "a p x", "The b with gdtr(a, b, x) = p.",
    lambda a, p, x, y: (
        -x * gamma_density(y, a * x) / gammainc_a(y, a * x), 1 / gammainc_a(y, a * x),
        -a * gamma_density(y, a * x) / gammainc_a(y, a * x),
    ),
)  # fmt: skip
gdtrix = function(
    "gdtrix", "a b p", "The x with gdtr(a, b, x) = p.",
    lambda a, b, p, y: (
        -y / a, where_zero(y, 0, -gammainc_a(b, a * y) / (a * gamma_density(b, a * y))),
        1 / (a * gamma_density(b, a * y)),
    ),
)  # fmt: skip
pdtr = function(
    "pdtr", "k m", "The Poisson distribution function Q(⌊k⌋ + 1, m).", lambda k, m, y: (sp.S.Zero, -_poisson(k, m)),
    lambda k, m: sp.uppergamma(sp.floor(k) + 1, m) / sp.gamma(sp.floor(k) + 1),
)  # fmt: skip
pdtrc = function(
    "pdtrc", "k m", "The survival function of the Poisson distribution, P(⌊k⌋ + 1, m).",
    lambda k, m, y: (sp.S.Zero, _poisson(k, m)),
    lambda k, m: sp.lowergamma(sp.floor(k) + 1, m) / sp.gamma(sp.floor(k) + 1),
)  # fmt: skip
pdtri = function("pdtri", "k p", "The m with pdtr(k, m) = p.", lambda k, p, y: (None, -1 / _poisson(k, y)))
pdtrik = function(
    "pdtrik", "p m", "The k with Q(k + 1, m) = p.",
    lambda p, m, y: (-1 / gammainc_a(y + 1, m), -gamma_density(y + 1, m) / gammainc_a(y + 1, m)),
)  # fmt: skip
