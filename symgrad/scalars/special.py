"""Error function, normal distribution, gamma and Bessel families, products with logarithms.

SymPy's classes where it has them; kernels in ``numerics``, ``normal``, ``gamma`` and ``bessel``.
"""

from __future__ import annotations

import math
from functools import lru_cache
from typing import Any

import sympy as sp

from symgrad.scalars import bessel, cancelling, normal, numerics, scipys, slopes
from symgrad.scalars.declare import declare
from symgrad.scalars.elementary import log1p
from symgrad.scalars.written import part

# x beside a factor that vanishes long before 10⁶
tail_clamp = part("tail_clamp", lambda x: x, lambda x, y: sp.S.One, slopes.tail_clamp)
gaussian = part("gaussian", lambda x: sp.exp(-(x**2)), lambda x, y: -2 * tail_clamp(x) * y, slopes.gaussian)
half_gaussian = part(
    "half_gaussian", lambda x: sp.exp(-(x**2) / 2), lambda x, y: -tail_clamp(x) * y, slopes.half_gaussian
)


def _bell(x: sp.Expr) -> sp.Expr:
    """Return 2/√π exp(−x²), the derivative of erf."""
    return 2 / sp.sqrt(sp.pi) * gaussian(x)


erf = declare(
    "erf", sp.erf, lambda x, y: _bell(x), "The error function 2/√π ∫₀ˣ e^(-t²) dt.", "2/√π e^(-x²)", numpy=scipys.erf,
    float=math.erf, analytic=True,
)  # fmt: skip
erfc = declare(
    "erfc", sp.erfc, lambda x, y: -_bell(x), "1 - erf x, accurate in the tail.", "-2/√π e^(-x²)", numpy=scipys.erfc,
    float=math.erfc, analytic=True,
)  # fmt: skip
lgamma = declare(
    "lgamma", sp.loggamma, lambda x, y: sp.digamma(x), "log |Γ(x)|.", "ψ(x)", numpy=scipys.lgamma, float=math.lgamma,
    latex=r"\log\Gamma", core=(0.1, 8.0),
)  # fmt: skip
digamma = sp.digamma  # SymPy writes it polygamma(0, x)
polygamma = declare(
    "polygamma", sp.polygamma, lambda n, x, y: (sp.S.Zero, sp.polygamma(n + 1, x)), numpy=scipys.polygamma,
    latex=r"\psi", core=(0.1, 8.0), analytic=True,
)  # fmt: skip

# ------------------------------------------------------------------ normal distribution
_ROOT2 = sp.sqrt(2)
_POS = (0.05, 6.0)
erfinv_slope = part(
    "erfinv_slope", lambda x: sp.sqrt(sp.pi) / 2 * sp.exp(sp.erfinv(x) ** 2), lambda x, y: 2 * sp.erfinv(x) * y**2,
    slopes.erfinv_slope, core=(-0.95, 0.95),
)  # fmt: skip
erfinv = declare(
    "erfinv", sp.erfinv, lambda x, y: erfinv_slope(x), "The inverse of erf, ±∞ at ±1 and nan beyond.", "√π/2 e^(y²)",
    numpy=scipys.erfinv, latex=r"\operatorname{erf}^{-1}", core=(-0.95, 0.95),
)  # fmt: skip
mill: Any = part(
    "mill", lambda n, x: _mill_meaning(int(n), x), lambda n, x, y: (sp.S.Zero, -2 * y * (mill(n + 1, x) - y)),
    slopes.mill, orders=1,
)  # fmt: skip


def _mill_meaning(n: int, x: sp.Expr) -> sp.Expr:
    if n == 1:
        return 1 / (sp.sqrt(sp.pi) * erfcx(x)) - x
    return sp.Rational(n - 1, 2) / _mill_meaning(n - 1, x) - x


def _erfcx_nth(n: int, x: sp.Expr) -> sp.Expr:
    """From f' = 2x f - 2/√π, differentiated."""
    derivatives = [erfcx(x), 2 * x * erfcx(x) - 2 / sp.sqrt(sp.pi)]
    for k in range(2, n + 1):
        derivatives.append(2 * x * derivatives[k - 1] + 2 * (k - 1) * derivatives[k - 2])
    return derivatives[n]


erfcx_nth: Any = part(
    "erfcx_nth", lambda n, x: _erfcx_nth(int(n), x), lambda n, x, y: (sp.S.Zero, erfcx_nth(n + 1, x)), slopes.erfcx_nth,
    orders=1,
)  # fmt: skip
erfcx = declare(
    "erfcx", lambda x: sp.exp(x**2) * sp.erfc(x), lambda x, y: erfcx_nth(1, x), "exp(x²) erfc x, without underflow.",
    "2x y - 2/√π", numpy=scipys.erfcx, analytic=True, public="special",
)  # fmt: skip
normal_pdf: Any = part(
    "normal_pdf", lambda x: sp.exp(-(x**2) / 2) / sp.sqrt(2 * sp.pi), lambda x, y: -tail_clamp(x) * y,
    slopes.normal_pdf, latex=r"\varphi", text="φ", hidden=False,
)  # fmt: skip
ndtr = declare(
    "ndtr", lambda x: sp.erfc(-x / _ROOT2) / 2, lambda x, y: normal_pdf(x),
    "Φ(x), the normal distribution function, accurate in the tail.", "exp(-x²/2)/√(2π)", numpy=scipys.ndtr,
    analytic=True, latex=r"\Phi", text="Φ", public="special",
)  # fmt: skip


def _hazard(x: sp.Expr) -> sp.Expr:
    """φ(x)/Φ(x): the quotient itself underflows on the left, erfcx loses digits on the right."""
    left = sp.sqrt(2 / sp.pi) / erfcx(-x / _ROOT2)
    return sp.Piecewise((left, x < 0), (sp.exp(-(x**2) / 2) / (sp.sqrt(2 * sp.pi) * ndtr(x)), True))


hazard_second = part(
    "hazard_second", lambda x: (x + _hazard(x)) * (x + 2 * _hazard(x)) - 1, lambda x, y: _hazard_bend_slope(x),
    slopes.hazard_second, shown=lambda x: (x + hazard(x)) * (x + 2 * hazard(x)) - 1,
)  # fmt: skip
hazard_slope = part(
    "hazard_slope", lambda x: -_hazard(x) * (x + _hazard(x)), lambda x, y: hazard(x) * hazard_second(x),
    slopes.hazard_slope, shown=lambda x: -hazard(x) * (x + hazard(x)),
)  # fmt: skip
hazard: Any = part(
    "hazard", _hazard, lambda x, y: hazard_slope(x), slopes.hazard, shown=lambda x: normal_pdf(x) / ndtr(x)
)


def _hazard_bend_slope(x: sp.Expr) -> sp.Expr:
    """h = φ/Φ has (x + h)' = 1 - h (x + h)."""
    h, slope = hazard(x), hazard_slope(x)
    return (1 + slope) * (x + 2 * h) + (x + h) * (1 + 2 * slope)


log_ndtr = declare(
    "log_ndtr", lambda x: sp.log(sp.erfc(-x / _ROOT2) / 2), lambda x, y: hazard(x), "log Φ(x), without underflow.",
    "φ(x)/Φ(x)", numpy=scipys.log_ndtr, latex=r"\log\Phi", public="special",
)  # fmt: skip
ndtri_slope = part(
    "ndtri_slope", lambda x: sp.sqrt(2 * sp.pi) * sp.exp(ndtri(x) ** 2 / 2), lambda x, y: ndtri(x) * y**2,
    slopes.ndtri_slope, core=(0.02, 0.98),
)  # fmt: skip
ndtri: Any = declare(
    "ndtri", lambda x: _ROOT2 * sp.erfinv(2 * x - 1), lambda x, y: ndtri_slope(x),
    "Φ⁻¹(x), the inverse of the normal distribution function.", "√(2π) exp(y²/2)", numpy=scipys.ndtri,
    latex=r"\Phi^{-1}", core=(0.02, 0.98), public="special",
)  # fmt: skip

# ------------------------------------------------------------------ logarithms
odds_slope = part(
    "odds_slope", lambda x: 1 / (x * (1 - x)), lambda x, y: (2 * x - 1) * y**2, slopes.odds_slope, core=(0.05, 0.95)
)
logit = declare(
    "logit", lambda x: sp.log(x / (1 - x)), lambda x, y: odds_slope(x), numpy=normal.logit, core=(0.05, 0.95),
    public="ops",
)  # fmt: skip
log_e = part("log_e", lambda x: sp.log(x) + 1, lambda x, y: 1 / x, slopes.log_e, core=_POS)
entr = declare(
    "entr", lambda x: sp.Piecewise((-x * sp.log(x), x > 0), (0, sp.Eq(x, 0)), (-sp.oo, True)), lambda x, y: -log_e(x),
    "-x log x, 0 at 0 and -∞ below.", "-log x - 1", numpy=numerics.entr, core=(0.05, 6.0), public="special",
)  # fmt: skip


def _xlogy_partials(x: sp.Expr, z: sp.Expr, y: sp.Expr) -> tuple[sp.Expr, ...]:
    return sp.Piecewise((0, sp.Eq(x, 0) & (z <= 0)), (sp.log(z), True)), x / z


def _xlog1py_partials(x: sp.Expr, z: sp.Expr, y: sp.Expr) -> tuple[sp.Expr, ...]:
    return sp.Piecewise((0, sp.Eq(x, 0) & (z <= -1)), (log1p(z), True)), x / (1 + z)


xlogy = declare(
    "xlogy", lambda x, z: sp.Piecewise((0, sp.Eq(x, 0)), (x * sp.log(z), True)), _xlogy_partials,
    "x log other, and 0 where x = 0.", numpy=numerics.xlogy, core=(0.05, 6.0),
)  # fmt: skip
xlog1py = declare(
    "xlog1py", lambda x, z: sp.Piecewise((0, sp.Eq(x, 0)), (x * sp.log(1 + z), True)), _xlog1py_partials,
    "x log(1 + other), and 0 where x = 0.", numpy=numerics.xlog1py, core=(-0.9, 6.0), public="special",
)  # fmt: skip


# ------------------------------------------------------------------ Bessel functions
def _nth(n: int, x: sp.Expr, at_zero: sp.Expr, first: Any, step: Any) -> sp.Expr:
    """The n-th derivative by a recurrence that divides by x, and its value at 0."""
    derivatives = list(first)
    for k in range(len(derivatives), n + 1):
        derivatives.append(step(k, derivatives))
    return sp.Piecewise((at_zero, sp.Eq(x, 0)), (derivatives[n], True))


@lru_cache(maxsize=64)
def _i0_at_zero(n: int) -> sp.Expr:
    return sp.S.Zero if n % 2 else sp.factorial(n) / (sp.factorial(n // 2) ** 2 * 2**n)


def _i0_nth(n: int, x: sp.Expr) -> sp.Expr:
    """From x f'' + f' = x f, differentiated."""
    return _nth(
        n,
        x,
        _i0_at_zero(n),
        [i0(x), i1(x)],
        lambda k, f: f[k - 2] + ((k - 2) * f[k - 3] if k > 2 else 0) / x - (k - 1) * f[k - 1] / x,
    )


i0_nth: Any = part(
    "i0_nth", lambda n, x: _i0_nth(int(n), x), lambda n, x, y: (sp.S.Zero, i0_nth(n + 1, x)), slopes.i0_nth, orders=1
)


def _over(y: sp.Expr, x: sp.Expr) -> sp.Expr:
    """y/x, 1/2 at 0."""
    return sp.Piecewise((sp.Rational(1, 2), sp.Eq(x, 0)), (y / x, True))


i1_slope = part("i1_slope", lambda x: i0(x) - _over(i1(x), x), lambda x, y: i0_nth(3, x), slopes.i1_slope)
i0: Any = declare(
    "i0", lambda x: sp.besseli(0, x), lambda x, y: i1(x), "The modified Bessel function I₀(x).", "I₁(x)",
    numpy=bessel.i0, latex="I_0",
)  # fmt: skip
i1: Any = declare(
    "i1", lambda x: sp.besseli(1, x), lambda x, y: i1_slope(x), "The modified Bessel function I₁(x).", "I₀(x) - y/x",
    numpy=bessel.i1, latex="I_1", public="special",
)  # fmt: skip


def _decay(n: int, x: sp.Expr) -> sp.Expr:
    """The n-th derivative of exp(-a) I₀(a) at a = |x| > 0: f' = h - f and h' = f - h - h/a with h = exp(-a) I₁(a)."""
    a, f, h = sp.Symbol("a", positive=True), sp.Symbol("f"), sp.Symbol("h")
    derivative: sp.Expr = f
    for _ in range(n):
        derivative = (
            sp.diff(derivative, a) + sp.diff(derivative, f) * (h - f) + sp.diff(derivative, h) * (f - h - h / a)
        )
    return sp.expand(derivative).subs({f: i0e(x), h: i1e(sp.Abs(x)), a: sp.Abs(x)})


decay: Any = part(
    "decay", lambda n, x: _decay(int(n), x), lambda n, x, y: (sp.S.Zero, sp.sign(x) * decay(n + 1, x)), slopes.decay,
    orders=1,
)  # fmt: skip
i0e_slope = part("i0e_slope", lambda x: i1e(x) - sp.sign(x) * i0e(x), lambda x, y: decay(2, x), slopes.i0e_slope)
i1e_slope = part(
    "i1e_slope", lambda x: i0e(x) - sp.sign(x) * i1e(x) - _over(i1e(x), x),
    lambda x, y: sp.sign(x) * (decay(2, x) + decay(3, x)), slopes.i1e_slope,
)  # fmt: skip
i0e: Any = declare(
    "i0e", lambda x: sp.exp(-sp.Abs(x)) * sp.besseli(0, x), lambda x, y: i0e_slope(x), "exp(-|x|) I₀(x).",
    "exp(-|x|) I₁(x) - sign(x) y", numpy=bessel.i0e, public="special",
)  # fmt: skip
i1e: Any = declare(
    "i1e", lambda x: sp.exp(-sp.Abs(x)) * sp.besseli(1, x), lambda x, y: i1e_slope(x), "exp(-|x|) I₁(x).",
    "exp(-|x|) I₀(x) - y (sign(x) + 1/x)", numpy=bessel.i1e, public="special",
)  # fmt: skip


# ------------------------------------------------------------------ sin(πx)/(πx)
def _sinc_nth(n: int, x: sp.Expr) -> sp.Expr:
    """From x f'' + 2f' = -π² x f, differentiated."""
    at_zero = sp.S.Zero if n % 2 else (-1) ** (n // 2) * sp.pi**n / (n + 1)
    return _nth(
        n,
        x,
        at_zero,
        [sinc(x), sinc_slope(x)],
        lambda k, f: -(sp.pi**2) * (f[k - 2] + ((k - 2) * f[k - 3] / x if k > 2 else 0)) - k * f[k - 1] / x,
    )


sinc_nth: Any = part(
    "sinc_nth", lambda n, x: _sinc_nth(int(n), x), lambda n, x, y: (sp.S.Zero, sinc_nth(n + 1, x)), slopes.sinc_nth,
    orders=1,
)  # fmt: skip
sinc_slope: Any = declare(
    "sinc_slope",
    lambda x: sp.Piecewise((0, sp.Eq(x, 0)), ((sp.cos(sp.pi * x) - sp.sin(sp.pi * x) / (sp.pi * x)) / x, True)),
    lambda x, y: sinc_nth(2, x), numpy=cancelling.sinc_slope, hidden=True,
)  # fmt: skip
sinc: Any = declare(
    "sinc", lambda x: sp.Piecewise((1, sp.Eq(x, 0)), (sp.sin(sp.pi * x) / (sp.pi * x), True)),
    lambda x, y: sinc_slope(x), "sin(πx)/(πx), 1 at 0.", "(cos πx - sinc x)/x, 0 at 0", numpy=cancelling.sinc,
)  # fmt: skip
