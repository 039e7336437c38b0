"""Orthogonal polynomials of degree n, Legendre, parabolic cylinder, Mathieu and spheroidal functions, in x."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import sympy as sp

from symgrad.scalars.library.gammas import binom
from symgrad.scalars.library.kernels import scipys
from symgrad.scalars.library.named import function, slope

Rule = Callable[..., Any]


def _above_zero(n: sp.Expr, derivative: sp.Expr) -> sp.Expr:
    """0 for n = 0, where the polynomial is constant."""
    return sp.Piecewise((0, sp.Eq(n, 0)), (derivative, True))


def _polynomial(name: str, words: str, by_x: Rule, meaning: Rule | None, latex: str) -> Any:
    return function(
        name, "n x", f"{words} of degree n.", lambda n, x, y: (None, _above_zero(n, by_x(n, x))), meaning,
        latex=latex, below=1, real=1 if name not in ("eval_hermite", "eval_hermitenorm") else None,
    )  # fmt: skip


eval_jacobi: Any = function(
    "eval_jacobi", "n alpha beta x", "Jacobi's polynomial P_n^(α, β)(x).",
    lambda n, a, b, x, y: (
        None, None, None, _above_zero(n, (n + a + b + 1) * eval_jacobi(n - 1, a + 1, b + 1, x) / 2)
    ),
    lambda n, a, b, x: sp.jacobi(n, a, b, x), latex="P", real=3,
)  # fmt: skip
eval_gegenbauer: Any = function(
    "eval_gegenbauer", "n alpha x", "Gegenbauer's polynomial C_n^(α)(x).",
    lambda n, a, x, y: (None, None, _above_zero(n, 2 * a * eval_gegenbauer(n - 1, a + 1, x))),
    lambda n, a, x: sp.gegenbauer(n, a, x), latex="C", real=2,
)  # fmt: skip
eval_chebyt = _polynomial(
    "eval_chebyt", "Chebyshev's polynomial T_n(x)", lambda n, x: n * eval_chebyu(n - 1, x),
    lambda n, x: sp.chebyshevt(n, x), "T",
)  # fmt: skip
eval_chebyu: Any = _polynomial(
    "eval_chebyu", "Chebyshev's polynomial U_n(x)", lambda n, x: 2 * eval_gegenbauer(n - 1, 2, x),
    lambda n, x: sp.chebyshevu(n, x), "U",
)  # fmt: skip
eval_chebyc = _polynomial(
    "eval_chebyc", "The polynomial 2 T_n(x/2)", lambda n, x: n * eval_chebyu(n - 1, x / 2),
    lambda n, x: 2 * sp.chebyshevt(n, x / 2), r"\mathrm{C}",
)  # fmt: skip
eval_chebys = _polynomial(
    "eval_chebys", "The polynomial U_n(x/2)", lambda n, x: eval_gegenbauer(n - 1, 2, x / 2),
    lambda n, x: sp.chebyshevu(n, x / 2), r"\mathrm{S}",
)  # fmt: skip
eval_sh_chebyt = _polynomial(
    "eval_sh_chebyt", "The polynomial T_n(2x - 1)", lambda n, x: 2 * n * eval_chebyu(n - 1, 2 * x - 1),
    lambda n, x: sp.chebyshevt(n, 2 * x - 1), "T^*",
)  # fmt: skip
eval_sh_chebyu = _polynomial(
    "eval_sh_chebyu", "The polynomial U_n(2x - 1)", lambda n, x: 4 * eval_gegenbauer(n - 1, 2, 2 * x - 1),
    lambda n, x: sp.chebyshevu(n, 2 * x - 1), "U^*",
)  # fmt: skip
eval_legendre = _polynomial(
    "eval_legendre", "Legendre's polynomial P_n(x)", lambda n, x: eval_gegenbauer(n - 1, sp.Rational(3, 2), x),
    lambda n, x: sp.legendre(n, x), "P",
)  # fmt: skip
eval_sh_legendre = _polynomial(
    "eval_sh_legendre", "The polynomial P_n(2x - 1)",
    lambda n, x: 2 * eval_gegenbauer(n - 1, sp.Rational(3, 2), 2 * x - 1), lambda n, x: sp.legendre(n, 2 * x - 1),
    "P^*",
)  # fmt: skip
eval_genlaguerre: Any = function(
    "eval_genlaguerre", "n alpha x", "The generalised Laguerre polynomial L_n^(α)(x).",
    lambda n, a, x, y: (None, None, _above_zero(n, -eval_genlaguerre(n - 1, a + 1, x))),
    lambda n, a, x: sp.assoc_laguerre(n, a, x), latex="L", real=2,
)  # fmt: skip
eval_laguerre = _polynomial(
    "eval_laguerre", "Laguerre's polynomial L_n(x)", lambda n, x: -eval_genlaguerre(n - 1, 1, x),
    lambda n, x: sp.laguerre(n, x), "L",
)  # fmt: skip
eval_hermite: Any = _polynomial(
    "eval_hermite", "Hermite's polynomial H_n(x)", lambda n, x: 2 * n * eval_hermite(n - 1, x),
    lambda n, x: sp.hermite(n, x), "H",
)  # fmt: skip
eval_hermitenorm: Any = _polynomial(
    "eval_hermitenorm", "Hermite's polynomial He_n(x)", lambda n, x: n * eval_hermitenorm(n - 1, x),
    lambda n, x: sp.hermite_prob(n, x), r"\mathrm{He}",
)  # fmt: skip
eval_sh_jacobi = function(
    "eval_sh_jacobi", "n p q x", "The shifted Jacobi polynomial G_n^(p, q)(x).",
    lambda n, p, q, x, y: (
        None, None, None,
        _above_zero(n, (n + p) * eval_jacobi(n - 1, p - q + 1, q, 2 * x - 1) / binom(2 * n + p - 1, n)),
    ),
    latex="G", real=3,
)  # fmt: skip
lpmv: Any = function(
    "lpmv", "m v x", "The associated Legendre function of order m and degree v.",
    lambda m, v, x, y: (None, None, (v * x * y - (v + m) * lpmv(m, v - 1, x)) / (x**2 - 1)), latex="P",
)  # fmt: skip


# ------------------------------------------------------------------ a function and its derivative, of an equation
def _pair(ufunc: str, letters: str, bend: Rule, unit: sp.Expr = sp.S.One) -> tuple[Any, Any]:
    """The two results of a function of SciPy's: y and dy/dx, where y'' = bend(…, x, y, y'); ``unit`` is that of x."""
    count = len(letters.split())

    def of_value(*given: Any) -> tuple[Any, ...]:
        return (*[None] * (count - 1), unit * second(*given[:-1]))

    def of_slope(*given: Any) -> tuple[Any, ...]:
        return (*[None] * (count - 1), unit * bend(*given[:-1], first(*given[:-1]), given[-1]))

    first: Any = slope(ufunc, letters, of_value, scipys(ufunc, 0))
    second: Any = slope(f"{ufunc}p", letters, of_slope, scipys(ufunc, 1))
    return first, second


_QUARTER = sp.Rational(1, 4)
PAIRS: dict[str, tuple[Any, Any]] = {
    name: _pair(name, "v x", lambda v, x, y, dy: (x**2 / 4 - v - sp.Rational(1, 2)) * y) for name in ("pbdv", "pbvv")
}
PAIRS["pbwa"] = _pair("pbwa", "a x", lambda a, x, y, dy: (a - x**2 / 4) * y)

mathieu_a = slope("mathieu_a", "m q", lambda m, q, y: (None, None), scipys("mathieu_a"))
mathieu_b = slope("mathieu_b", "m q", lambda m, q, y: (None, None), scipys("mathieu_b"))


def _mathieu(value: Any, of_x: Any, sign: int, turn: sp.Expr) -> Rule:
    """y'' = ∓(a - 2q cos 2x) y, with cosh for the modified functions."""
    return lambda m, q, x, y, dy: sign * (value(m, q) - 2 * q * of_x(2 * turn * x)) * y


_DEGREE = sp.pi / 180
for _name, _value in (("cem", mathieu_a), ("sem", mathieu_b)):
    PAIRS[f"mathieu_{_name}"] = _pair(f"mathieu_{_name}", "m q x", _mathieu(_value, sp.cos, -1, _DEGREE), _DEGREE)
    for _kind in "12":
        _full = f"mathieu_mod{_name}{_kind}"
        PAIRS[_full] = _pair(_full, "m q x", _mathieu(_value, sp.cosh, 1, sp.S.One))

pro_cv = slope("pro_cv", "m n c", lambda m, n, c, y: (None,) * 3, scipys("pro_cv"))
obl_cv = slope("obl_cv", "m n c", lambda m, n, c, y: (None,) * 3, scipys("obl_cv"))


def _spheroidal(value: Any, sign: int, angular: bool) -> Rule:
    """((1 - x²) y')' + (λ - c²x² - m²/(1 - x²)) y = 0, for the oblate functions at ic and ix. Source: DLMF 30.2.1."""

    def bend(m: Any, n: Any, c: Any, x: Any, y: Any, dy: Any) -> sp.Expr:
        if sign > 0 or angular:
            weight = 1 - x**2
            rest = value(m, n, c) - sign * c**2 * x**2 - m**2 / weight
            return (2 * x * dy - rest * y) / weight
        weight = 1 + x**2
        rest = value(m, n, c) - c**2 * x**2 - m**2 / weight
        return (rest * y - 2 * x * dy) / weight

    return bend


for _kind in ("ang1", "rad1"):
    for _name, _value, _sign in (("pro", pro_cv, 1), ("obl", obl_cv, -1)):
        _full = f"{_name}_{_kind}"
        PAIRS[_full] = _pair(_full, "m n c x", _spheroidal(_value, _sign, _kind == "ang1"))
