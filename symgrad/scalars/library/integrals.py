"""Exponential, trigonometric, Fresnel and elliptic integrals, error functions, Voigt's profile, Lambert's W."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import sympy as sp

from symgrad.scalars.densities import quotient
from symgrad.scalars.kinks import trunc
from symgrad.scalars.library.besselkind import ive, spherical_in
from symgrad.scalars.library.gammas import rgamma
from symgrad.scalars.library.kernels import of_orders, own, scipys
from symgrad.scalars.library.named import function, slope, where_zero
from symgrad.scalars.library.simple import log1p_bend, log_ratio
from symgrad.scalars.library.slopes import carlson_kernel, faddeeva_nth
from symgrad.scalars.special import half_gaussian, hazard, sinc

_HALF, _PI = sp.Rational(1, 2), sp.pi
_RATIO = 1e-150  # of arguments, whose square is not a float

# ------------------------------------------------------------------ exponential integrals
expi = function("expi", "x", "The exponential integral Ei(x).", lambda x, y: sp.exp(x) / x, lambda x: sp.Ei(x),
                latex=r"\operatorname{Ei}", text="Ei", real=0,
)  # fmt: skip
exp1 = function("exp1", "x", "The exponential integral E₁(x).", lambda x, y: -sp.exp(-x) / x,
                lambda x: sp.expint(1, x), latex=r"\operatorname{E}_1", real=0,
)  # fmt: skip
expn: Any = function(
    "expn", "n x", "The exponential integral E_n(x) of integer order n.",
    lambda n, x, y: (
        None, sp.Piecewise((-expn(trunc(n) - 1, x), n >= 1), (-sp.exp(-x) * (x + 1) / x**2, True))
    ),
    lambda n, x: sp.expint(n, x), latex=r"\operatorname{E}", below=1,
)  # fmt: skip


def _one_of(name: str, kernel: str, part: int, rule: Callable[..., Any], meaning: Any, latex: str = "") -> Any:
    latex = latex or rf"\operatorname{{{name}}}"
    return slope(name, "x", rule, scipys(kernel, part), meaning, latex=latex, analytic=True)


def _sinhc(special: Any, x: Any) -> Any:
    return np.where(x == 0, 1.0, np.sinh(x) / np.where(x == 0, 1.0, x))


def _spence_slope(special: Any, x: Any) -> Any:
    """log x/(1 - x), near 1 as -log1p(u)/u."""
    u = np.where(x == 1, 1.0, x - 1)
    return np.where(x == 1, -1.0, -np.where(np.abs(u) < 0.5, np.log1p(u), np.log(x)) / u)


sinhc: Any = slope(
    "sinhc", "x", lambda x, y: spherical_in(1, x), own(_sinhc),
    lambda x: sp.Piecewise((1, sp.Eq(x, 0)), (sp.sinh(x) / x, True)), hidden=True,
)  # fmt: skip
spence_slope: Any = slope(
    "spence_slope", "x",
    lambda x, y: sp.Piecewise((1 / (x * (1 - x)) + y / (1 - x), x < _HALF), (-log1p_bend(x - 1), True)),
    own(_spence_slope), lambda x: sp.Piecewise((-1, sp.Eq(x, 1)), (sp.log(x) / (1 - x), True)), hidden=True,
)  # fmt: skip
si = _one_of("si", "sici", 0, lambda x, y: sinc(x / _PI), lambda x: sp.Si(x), r"\operatorname{Si}")
ci = _one_of("ci", "sici", 1, lambda x, y: sp.cos(x) / x, lambda x: sp.Ci(x), r"\operatorname{Ci}")
shi = _one_of("shi", "shichi", 0, lambda x, y: sinhc(x), lambda x: sp.Shi(x), r"\operatorname{Shi}")
chi = _one_of("chi", "shichi", 1, lambda x, y: sp.cosh(x) / x, lambda x: sp.Chi(x), r"\operatorname{Chi}")
fresnels = _one_of("fresnels", "fresnel", 0, lambda x, y: sp.sin(_PI * x**2 / 2), lambda x: sp.fresnels(x), "S")
fresnelc = _one_of("fresnelc", "fresnel", 1, lambda x, y: sp.cos(_PI * x**2 / 2), lambda x: sp.fresnelc(x), "C")
spence = function(
    "spence", "x", "Spence's function ∫ log t/(1 - t) dt from 1 to x, the dilogarithm of 1 - x.",
    lambda x, y: spence_slope(x), lambda x: sp.polylog(2, 1 - x), real=0,
)  # fmt: skip

# ------------------------------------------------------------------ error functions
erfi = function(
    "erfi",
    "x",
    "erf(ix)/i = 2/√π ∫₀ˣ e^(t²) dt.",
    lambda x, y: 2 / sp.sqrt(_PI) * sp.exp(x**2),
    lambda x: sp.erfi(x),
    real=0,
)
dawsn: Any = function(
    "dawsn", "x", "Dawson's integral e^(-x²) ∫₀ˣ e^(t²) dt.", lambda x, y: dawsn_slope(x),
    lambda x: sp.sqrt(_PI) / 2 * sp.exp(-(x**2)) * sp.erfi(x), latex=r"\operatorname{dawsn}", real=0,
)  # fmt: skip


def _dawsn_slope(special: Any, x: Any) -> Any:
    """1 - 2x F, which cancels for large x: there the series -Σ (2k - 1)!!/(2x²)ᵏ."""
    far = np.abs(x) > 8
    r = 0.5 / np.where(far, x, 8.0) ** 2
    term, total = np.ones_like(x), np.zeros_like(x)
    for k in range(1, 24):
        term = term * (2 * k - 1) * r
        total = total - term
    return np.where(far, total, 1 - 2 * np.where(far, 0.0, x) * special.dawsn(x))


dawsn_slope: Any = slope(
    "dawsn_slope", "x", lambda x, y: -2 * (dawsn(x) + x * y), own(_dawsn_slope), lambda x: 1 - 2 * x * dawsn(x),
    hidden=True, analytic=False,
)  # fmt: skip
erfcinv = function(
    "erfcinv", "x", "The inverse of erfc.", lambda x, y: -sp.sqrt(_PI) / 2 * sp.exp(y**2), lambda x: sp.erfcinv(x),
    latex=r"\operatorname{erfc}^{-1}",
)  # fmt: skip
ndtri_exp = function(
    "ndtri_exp", "y", "The x with log Φ(x) = y.", lambda x, y: 1 / hazard(y),
    lambda x: sp.sqrt(2) * sp.erfinv(2 * sp.exp(x) - 1),
)  # fmt: skip
owens_t = function(
    "owens_t", "h a", "Owen's T(h, a) = 1/2π ∫₀ᵃ exp(-h² (1 + t²)/2)/(1 + t²) dt.",
    lambda h, a, y: (
        -half_gaussian(h) * sp.erf(a * h / sp.sqrt(2)) / (2 * sp.sqrt(2 * _PI)),
        sp.exp(-(h**2) * (1 + a**2) / 2) / (2 * _PI * (1 + a**2)),
    ),
    latex="T",
)  # fmt: skip


# Voigt's profile is the real part of W = w(z)/(σ√(2π)), z = (x + iγ)/(σ√2), of Faddeeva's function w. Of its n-th
# derivative Wₙ in x the slopes are Wₙ₊₁ in x, iWₙ₊₁ in γ and, as w'' + 2z w' + 2w = 0, σWₙ₊₂ in σ.
def _voigt_rule(n: Any, x: sp.Expr, s: sp.Expr, g: sp.Expr, y: sp.Expr) -> tuple[Any, ...]:
    return sp.S.Zero, voigt_real(n + 1, x, s, g), s * voigt_real(n + 2, x, s, g), -voigt_imag(n + 1, x, s, g)


def _voigt_other_rule(n: Any, x: sp.Expr, s: sp.Expr, g: sp.Expr, y: sp.Expr) -> tuple[Any, ...]:
    return sp.S.Zero, voigt_imag(n + 1, x, s, g), s * voigt_imag(n + 2, x, s, g), voigt_real(n + 1, x, s, g)


def _voigt_part(name: str, part: str, rule: Callable[..., Any]) -> Any:
    def kernel(special: Any, n: int, x: Any, s: Any, g: Any) -> Any:
        return getattr(faddeeva_nth(special, n, x + 1j * g, s * np.sqrt(2)), part)

    return slope(name, "n x sigma gamma", rule, of_orders(kernel), ordered=1)


voigt_profile: Any = function(
    "voigt_profile", "x sigma gamma",
    "Voigt's profile: the convolution of a normal density (σ) and a Cauchy density (γ).",
    lambda x, s, g, y: _voigt_rule(0, x, s, g, y)[1:],
)  # fmt: skip
voigt_real: Any = _voigt_part("voigt_real", "real", _voigt_rule)
voigt_imag: Any = _voigt_part("voigt_imag", "imag", _voigt_other_rule)


# ------------------------------------------------------------------ Lambert's W
def _w_slope(y: sp.Expr) -> sp.Expr:
    return sp.exp(-y) / (1 + y)


def _lambert(special: Any, x: Any, k: Any) -> Any:
    """SciPy's is complex; left of -1/e, and on a branch that is not real, there is no real value."""
    y = special.lambertw(x, k.astype(np.int64))
    return np.where(np.abs(y.imag) > 1e-300, np.nan, y.real)


_REAL, _COMPLEX = own(_lambert), scipys("lambertw")


def _lambert_kernel(x: Any, k: Any) -> Any:
    if np.iscomplexobj(x):
        return _COMPLEX(x, np.asarray(np.real(k)).astype(np.int64))
    return _REAL(x, k)


lambertw = slope(
    "lambertw", "x k", lambda x, k, y: (_w_slope(y), None), _lambert_kernel, lambda x, k: sp.LambertW(x, k), latex="W",
    analytic=True,
)  # fmt: skip
wofz = slope(
    "wofz", "z", lambda z, y: -2 * z * y + 2 * sp.I / sp.sqrt(_PI), scipys("wofz"),
    lambda z: sp.exp(-(z**2)) * sp.erfc(-sp.I * z), latex="w", analytic=True,
)  # fmt: skip
wrightomega = function(
    "wrightomega", "x", "Wright's ω(x) = W(eˣ).", lambda x, y: y / (1 + y), lambda x: sp.LambertW(sp.exp(x)),
    latex=r"\omega", real=0,
)  # fmt: skip


# ------------------------------------------------------------------ complete elliptic integrals
def _third(m: sp.Expr) -> sp.Expr:
    """D(m) = (K(m) - E(m))/m, without cancellation."""
    return ellipd(m)


ellipd: Any = slope(
    "ellipd", "m", lambda m, y: 3 * _PI / 32 * hyp2f1(sp.Rational(3, 2), sp.Rational(5, 2), 3, m),
    own(lambda special, m: special.elliprd(0.0, 1 - m, 1.0) / 3),
    lambda m: (sp.elliptic_k(m) - sp.elliptic_e(m)) / m, hidden=True, shown=lambda m: (ellipk(m) - ellipe(m)) / m,
)  # fmt: skip
ellipk: Any = function(
    "ellipk", "m", "The complete elliptic integral of the first kind, K(m).", lambda m, y: ellipk_slope(m),
    lambda m: sp.elliptic_k(m), latex="K",
)  # fmt: skip
ellipk_slope: Any = slope(
    "ellipk_slope", "m",
    lambda m, y: 9 * _PI / 64 * hyp2f1(sp.Rational(5, 2), sp.Rational(5, 2), 3, m),
    own(lambda special, m: (special.ellipk(m) - special.elliprd(0.0, 1 - m, 1.0) / 3) / (2 * (1 - m))),
    lambda m: (sp.elliptic_e(m) - (1 - m) * sp.elliptic_k(m)) / (2 * m * (1 - m)), hidden=True,
    shown=lambda m: (ellipe(m) - (1 - m) * ellipk(m)) / (2 * m * (1 - m)),
)  # fmt: skip
ellipe: Any = function(
    "ellipe", "m", "The complete elliptic integral of the second kind, E(m).", lambda m, y: -_third(m) / 2,
    lambda m: sp.elliptic_e(m), latex="E",
)  # fmt: skip
ellipkm1 = function(
    "ellipkm1", "p", "K(1 - p), more accurate near p = 0.",
    lambda p, y: -(y - elliprd(0, p, 1) / 3) / (2 * p), lambda p: sp.elliptic_k(1 - p),
)  # fmt: skip


# ------------------------------------------------------------------ incomplete elliptic integrals
def _by_parameter(of_rd: Callable[..., Any], complete: Callable[..., Any], sign: float) -> Callable[..., Any]:
    """Half of ∫₀^φ sin²/Δ or /Δ³, Δ² = 1 - m sin², as Carlson's R_D; over φ = kπ whole periods."""

    def kernel(special: Any, phi: Any, m: Any) -> Any:
        k = np.rint(phi / np.pi)
        s, c = np.sin(phi - k * np.pi), np.cos(phi - k * np.pi)
        part = s**3 / 6 * of_rd(special, c * c, 1 - m * s * s)
        return sign * (part + np.where(k != 0, 2 * k * complete(special, np.where(k != 0, m, 0.0)), 0.0))

    return kernel


def _delta(phi: sp.Expr, m: sp.Expr) -> sp.Expr:
    return 1 - m * sp.sin(phi) ** 2


def _first_by_m(phi: sp.Expr, m: sp.Expr) -> sp.Expr:
    """Return the derivative in m, DLMF 19.4.5."""
    rest = sp.sin(2 * phi) / (4 * (1 - m) * sp.sqrt(_delta(phi, m)))
    return ellipeinc(phi, m) / (2 * m * (1 - m)) - ellipkinc(phi, m) / (2 * m) - rest


def _second_by_m(phi: sp.Expr, m: sp.Expr) -> sp.Expr:
    """Return the derivative in m, DLMF 19.4.6."""
    return (ellipeinc(phi, m) - ellipkinc(phi, m)) / (2 * m)


ellipkinc_m: Any = slope(
    "ellipkinc_m", "phi m",
    lambda p, m, y: (
        sp.sin(p) ** 2 / (2 * _delta(p, m) ** sp.Rational(3, 2)), _kinc_mm(p, m, y)
    ),
    own(_by_parameter(
        lambda special, c, d: special.elliprd(c, 1.0, d),
        lambda special, m: (special.ellipk(m) - special.elliprd(0.0, 1 - m, 1.0) / 3) / (2 * (1 - m)), 1.0,
    )),
    hidden=True, shown=_first_by_m,
)  # fmt: skip
ellipeinc_m: Any = slope(
    "ellipeinc_m", "phi m",
    lambda p, m, y: (-sp.sin(p) ** 2 / (2 * sp.sqrt(_delta(p, m))), (y - ellipkinc_m(p, m)) / (2 * m) - y / m),
    own(_by_parameter(
        lambda special, c, d: special.elliprd(c, d, 1.0),
        lambda special, m: special.elliprd(0.0, 1 - m, 1.0) / 6, -1.0,
    )),
    hidden=True, shown=_second_by_m,
)  # fmt: skip


def _kinc_mm(phi: sp.Expr, m: sp.Expr, y: sp.Expr) -> sp.Expr:
    """The second derivative of F by m, from E and F and their first derivatives."""
    e, f, e1 = ellipeinc(phi, m), ellipkinc(phi, m), ellipeinc_m(phi, m)
    d = _delta(phi, m)
    rest = sp.sin(2 * phi) / 4 * (1 / ((1 - m) ** 2 * sp.sqrt(d)) + sp.sin(phi) ** 2 / (2 * (1 - m) * d * sp.sqrt(d)))
    first = e1 / (2 * m * (1 - m)) - e * (1 - 2 * m) / (2 * m**2 * (1 - m) ** 2)
    return first - y / (2 * m) + f / (2 * m**2) - rest


ellipkinc: Any = function(
    "ellipkinc", "phi m", "The incomplete elliptic integral of the first kind, F(φ, m).",
    lambda p, m, y: (1 / sp.sqrt(_delta(p, m)), ellipkinc_m(p, m)), lambda p, m: sp.elliptic_f(p, m), latex="F",
)  # fmt: skip
ellipeinc: Any = function(
    "ellipeinc", "phi m", "The incomplete elliptic integral of the second kind, E(φ, m).",
    lambda p, m, y: (sp.sqrt(_delta(p, m)), ellipeinc_m(p, m)), lambda p, m: sp.elliptic_e(p, m), latex="E",
)  # fmt: skip


def _jacobi(name: str, part: int, rule: Callable[..., Any]) -> Any:
    return slope(name, "u m", rule, scipys("ellipj", part), latex=rf"\operatorname{{{name}}}")


def _turn(u: sp.Expr, m: sp.Expr) -> sp.Expr:
    """How the amplitude φ, u = F(φ, m), moves with m."""
    return -ellipkinc_m(jacobi_am(u, m), m) * jacobi_dn(u, m)


jacobi_sn: Any = _jacobi(
    "jacobi_sn", 0, lambda u, m, y: (jacobi_cn(u, m) * jacobi_dn(u, m), jacobi_cn(u, m) * _turn(u, m))
)
jacobi_cn: Any = _jacobi(
    "jacobi_cn", 1, lambda u, m, y: (-jacobi_sn(u, m) * jacobi_dn(u, m), -jacobi_sn(u, m) * _turn(u, m))
)
jacobi_dn: Any = _jacobi(
    "jacobi_dn", 2,
    lambda u, m, y: (
        -m * jacobi_sn(u, m) * jacobi_cn(u, m),
        -(jacobi_sn(u, m) ** 2 / 2 + m * jacobi_sn(u, m) * jacobi_cn(u, m) * _turn(u, m)) / y,
    ),
)  # fmt: skip
jacobi_am: Any = _jacobi("jacobi_am", 3, lambda u, m, y: (jacobi_dn(u, m), _turn(u, m)))


# ------------------------------------------------------------------ Carlson's integrals
def _apart(y: sp.Expr, other: sp.Expr, x: sp.Expr, z: sp.Expr) -> sp.Expr:
    """∂R/∂x of R_D and R_J, whose last argument is z: (R - R_D(…, x))/(2(z - x)), from partial fractions."""
    return (y - other) / (2 * (z - x))


def _last(y: sp.Expr, z: sp.Expr, *pairs: tuple[sp.Expr, sp.Expr]) -> sp.Expr:
    """The derivative in the last argument z of a function that is homogeneous of degree -3/2."""
    return -(sp.Rational(3, 2) * y + sum(x * d for x, d in pairs)) / z


def _rd_by(x: sp.Expr, y: sp.Expr, z: sp.Expr) -> tuple[sp.Expr, ...]:
    r = elliprd(x, y, z)
    by = [_apart(r, elliprd(y, z, x), x, z), _apart(r, elliprd(x, z, y), y, z)]
    return (*by, _last(r, z, *zip((x, y), by, strict=True)))


def _rj_by(x: sp.Expr, y: sp.Expr, z: sp.Expr, p: sp.Expr) -> tuple[sp.Expr, ...]:
    r = elliprj(x, y, z, p)
    by = [_apart(r, elliprd(*[w for k, w in enumerate((x, y, z)) if k != i], v), v, p) for i, v in enumerate((x, y, z))]
    return (*by, _last(r, p, *zip((x, y, z), by, strict=True)))


def _carlson_meaning(a: Any, b: Any, c: Any, d: Any, x: Any, y: Any, z: Any, p: Any) -> Any:
    """Of those that are first derivatives, in functions with names."""
    known = {
        (1, 0, 1, 0): lambda: -4 * _rd_by(x, y, z)[0] / 3, (0, 0, 2, 0): lambda: -4 * _rd_by(x, y, z)[2] / 9,
        (1, 0, 0, 1): lambda: -4 * _rj_by(x, y, z, p)[0] / 3, (0, 0, 0, 2): lambda: -2 * _rj_by(x, y, z, p)[3] / 3,
    }.get((a, b, c, d))  # fmt: skip
    return known() if known else sp.Function("carlson")(a, b, c, d, x, y, z, p)


def _carlson_rule(a: Any, b: Any, c: Any, d: Any, x: Any, y: Any, z: Any, p: Any, v: Any) -> tuple[Any, ...]:
    by = [
        -(a + _HALF) * carlson(a + 1, b, c, d, x, y, z, p), -(b + _HALF) * carlson(a, b + 1, c, d, x, y, z, p),
        -(c + _HALF) * carlson(a, b, c + 1, d, x, y, z, p), -d * carlson(a, b, c, d + 1, x, y, z, p),
    ]  # fmt: skip
    return *[sp.S.Zero] * 4, *by


# ∫₀^∞ (t + x)^(-a - 1/2) (t + y)^(-b - 1/2) (t + z)^(-c - 1/2) (t + p)^(-d) dt: the slopes of R_D and R_J, and theirs
carlson: Any = slope(
    "carlson", "a b c d x y z p", _carlson_rule, of_orders(carlson_kernel, 4), _carlson_meaning, hidden=True, ordered=4,
)  # fmt: skip


def _rd_rule(x: sp.Expr, y: sp.Expr, z: sp.Expr, r: sp.Expr) -> tuple[Any, ...]:
    three = -sp.Rational(3, 4)
    by = three * carlson(1, 0, 1, 0, x, y, z, 1), three * carlson(1, 0, 1, 0, y, x, z, 1)
    return (*by, 3 * three * carlson(0, 0, 2, 0, x, y, z, 1))


def _rj_rule(x: sp.Expr, y: sp.Expr, z: sp.Expr, p: sp.Expr, r: sp.Expr) -> tuple[Any, ...]:
    turned = ((x, y, z), (y, x, z), (z, x, y))
    by = [-sp.Rational(3, 4) * carlson(1, 0, 0, 1, *args, p) for args in turned]
    return (*by, -sp.Rational(3, 2) * carlson(0, 0, 0, 2, x, y, z, p))


elliprd: Any = function(
    "elliprd",
    "x y z",
    "Carlson's R_D(x, y, z).",
    _rd_rule,
    latex="R_D",
    real=0,
)
elliprj: Any = function(
    "elliprj",
    "x y z p",
    "Carlson's R_J(x, y, z, p).",
    _rj_rule,
    latex="R_J",
    real=0,
)
elliprf: Any = function(
    "elliprf", "x y z", "Carlson's R_F(x, y, z).",
    lambda x, y, z, r: (-elliprd(y, z, x) / 6, -elliprd(x, z, y) / 6, -elliprd(x, y, z) / 6), latex="R_F", real=0,
)  # fmt: skip
elliprc = function(
    "elliprc", "x y", "Carlson's R_C(x, y) = R_F(x, y, y).",
    lambda x, y, r: (-elliprd(y, y, x) / 6, -elliprd(x, y, y) / 3),
    latex="R_C", real=0,
)  # fmt: skip
elliprg = function(
    "elliprg", "x y z", "Carlson's R_G(x, y, z).",
    lambda x, y, z, r: tuple(
        where_zero(
            others[0],
            where_zero(others[1], 1 / (4 * sp.sqrt(v)), by),
            by,
        )
        for v, others in ((x, (y, z)), (y, (x, z)), (z, (x, y)))
        for by in [(elliprf(x, y, z) - where_zero(v, 0, v * elliprd(*others, v)) / 3) / 4]
    ),
    latex="R_G", real=0,
)  # fmt: skip


def _mean_slope(a: sp.Expr, b: sp.Expr, y: sp.Expr) -> sp.Expr:
    """Of π/(2 R_F(0, a², b²)) by a; R_D is homogeneous of degree -3/2, and far out a logarithm or a power.

    Source: Carlson and Gustafson 1994, Asymptotic approximations for symmetric elliptic integrals.
    """
    above, below = sp.log(4) + log_ratio(a, b), sp.log(4) + log_ratio(b, a)
    far, back = _PI * (above - 1) / (2 * above**2), _PI * b / (2 * below**2 * a)
    near = 2 * quotient(y, a) ** 2 * elliprd(0, quotient(b, a) ** 2, 1) / (3 * _PI)
    small, large = (sp.Piecewise((0, p < _RATIO * q), (1, True)) for p, q in ((b, a), (a, b)))
    return where_zero(small, far, where_zero(large, back, near))


agm = function(
    "agm", "a b", "The arithmetic-geometric mean of a, b > 0.",
    lambda a, b, y: (_mean_slope(a, b, y), _mean_slope(b, a, y)),
    lambda a, b: _PI / 4 * (a + b) / sp.elliptic_k(((a - b) / (a + b)) ** 2),
)  # fmt: skip

# ------------------------------------------------------------------ hypergeometric functions
hyp0f1: Any = function(
    "hyp0f1", "v z", "The hypergeometric function ₀F₁(v; z).", lambda v, z, y: (None, hyp0f1(v + 1, z) / v),
    lambda v, z: sp.hyper([], [v], z), latex=r"{}_0F_1", real=1,
)  # fmt: skip
hyp1f1: Any = function(
    "hyp1f1", "a b x", "Kummer's function ₁F₁(a; b; x).",
    lambda a, b, x, y: (None, None, a / b * hyp1f1(a + 1, b + 1, x)),
    lambda a, b, x: sp.hyper([a], [b], x), latex=r"{}_1F_1", real=2,
)  # fmt: skip
hyp2f1: Any = function(
    "hyp2f1", "a b c z", "Gauss's function ₂F₁(a, b; c; z).",
    lambda a, b, c, z, y: (None, None, None, a * b / c * hyp2f1(a + 1, b + 1, c + 1, z)),
    lambda a, b, c, z: sp.hyper([a, b], [c], z), latex=r"{}_2F_1", real=3,
)  # fmt: skip
hyperu: Any = function(
    "hyperu", "a b x", "Tricomi's function U(a, b, x).", lambda a, b, x, y: (None, None, -a * hyperu(a + 1, b + 1, x)),
    latex="U",
)  # fmt: skip
wright_bessel: Any = function(
    "wright_bessel", "a b x", "Wright's generalised Bessel function Σ xᵏ/(k! Γ(ak + b)).",
    lambda a, b, x, y: (None, None, wright_bessel(a, a + b, x)),
)  # fmt: skip
log_wright_bessel: Any = function(
    "log_wright_bessel", "a b x", "The logarithm of Wright's generalised Bessel function.",
    lambda a, b, x, y: (None, None, sp.exp(log_wright_bessel(a, a + b, x) - y)),
)  # fmt: skip


# ------------------------------------------------------------------ the noncentral χ² distribution
def _chi2_pdf(x: sp.Expr, k: sp.Expr, c: sp.Expr) -> sp.Expr:
    """The density of the noncentral χ² distribution; near c = 0 that of χ² times a series in cx."""
    from_peak = sp.exp(-((sp.sqrt(x) - sp.sqrt(c)) ** 2) / 2)
    far = from_peak * (x / c) ** ((k - 2) / 4) * ive(k / 2 - 1, sp.sqrt(c * x)) / 2
    near = sp.exp(-(x + c) / 2) * (x / 2) ** (k / 2 - 1) * rgamma(k / 2) * hyp0f1(k / 2, c * x / 4) / 2
    return where_zero(sp.Piecewise((0, c * x < 1), (1, True)), near, far)


def _chi2_by_c(x: sp.Expr, k: sp.Expr, c: sp.Expr) -> sp.Expr:
    return (chndtr(x, k + 2, c) - chndtr(x, k, c)) / 2


chndtr: Any = function(
    "chndtr", "x df nc", "The noncentral χ² distribution function, for nc ≥ 0.",
    lambda x, k, c, y: (_chi2_pdf(x, k, c), None, (chndtr(x, k + 2, c) - y) / 2),
)  # fmt: skip
chndtrix = function(
    "chndtrix", "p df nc", "The x with chndtr(x, df, nc) = p.",
    lambda p, k, c, y: (1 / _chi2_pdf(y, k, c), None, -_chi2_by_c(y, k, c) / _chi2_pdf(y, k, c)),
)  # fmt: skip
chndtrinc = function(
    "chndtrinc", "x df p", "The nc with chndtr(x, df, nc) = p.",
    lambda x, k, p, y: (-_chi2_pdf(x, k, y) / _chi2_by_c(x, k, y), None, 1 / _chi2_by_c(x, k, y)),
)  # fmt: skip
