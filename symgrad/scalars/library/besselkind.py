"""Bessel functions of real order, their scaled forms and integrals, Airy, Kelvin and Struve functions."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import sympy as sp

from symgrad.scalars.kinks import trunc
from symgrad.scalars.library.gammas import rgamma
from symgrad.scalars.library.kernels import of_orders, scipys
from symgrad.scalars.library.named import function, slope
from symgrad.scalars.library.slopes import BY_ORDER, over_x

Rule = Callable[..., Any]
_HALF = sp.Rational(1, 2)


# ------------------------------------------------------------------ of any order
def _difference(f: Any, v: sp.Expr, x: sp.Expr, y: sp.Expr) -> sp.Expr:
    """f' = (f_{v-1} - f_{v+1})/2, of J and Y."""
    return _HALF * (f(v - 1, x) - f(v + 1, x))


def _sum(f: Any, v: sp.Expr, x: sp.Expr, y: sp.Expr) -> sp.Expr:
    """f' = (f_{v-1} + f_{v+1})/2, of I."""
    return _HALF * (f(v - 1, x) + f(v + 1, x))


def _minus_sum(f: Any, v: sp.Expr, x: sp.Expr, y: sp.Expr) -> sp.Expr:
    """Likewise, of K."""
    return -_sum(f, v, x, y)


def _scaled_i(f: Any, v: sp.Expr, x: sp.Expr, y: sp.Expr) -> sp.Expr:
    return _sum(f, v, x, y) - sp.sign(x) * y


def _scaled_k(f: Any, v: sp.Expr, x: sp.Expr, y: sp.Expr) -> sp.Expr:
    return y - _sum(f, v, x, y)


def _of_order(name: str, words: str, meaning: Rule, by_x: Rule, latex: str, *, real: int | None = 1) -> Any:
    """A function of an order v and of x. Its derivatives with respect to v obey the same rule in x."""
    twice: Any = slope(f"{name}_vv", "v x", lambda v, x, y: (None, by_x(twice, v, x, y)), BY_ORDER[f"{name}_vv"])
    once: Any = slope(f"{name}_v", "v x", lambda v, x, y: (twice(v, x), by_x(once, v, x, y)), BY_ORDER[f"{name}_v"])
    bessel: Any = function(
        name,
        "v x",
        words,
        lambda v, x, y: (once(v, x), by_x(bessel, v, x, y)),
        meaning,
        latex=latex,
        below=1,
        real=real,
    )
    return bessel


jv = _of_order("jv", "The Bessel function of the first kind, J_v(x).", lambda v, x: sp.besselj(v, x), _difference, "J")
yv = _of_order("yv", "The Bessel function of the second kind, Y_v(x).", lambda v, x: sp.bessely(v, x), _difference, "Y")
iv = _of_order(
    "iv", "The modified Bessel function of the first kind, I_v(x).", lambda v, x: sp.besseli(v, x), _sum, "I"
)
kv = _of_order(
    "kv", "The modified Bessel function of the second kind, K_v(x).", lambda v, x: sp.besselk(v, x), _minus_sum, "K"
)
ive = _of_order(
    "ive", "exp(-|x|) I_v(x).", lambda v, x: sp.exp(-sp.Abs(x)) * sp.besseli(v, x), _scaled_i,
    r"\operatorname{ive}", real=None,
)  # fmt: skip
kve = _of_order("kve", "exp(x) K_v(x).", lambda v, x: sp.exp(x) * sp.besselk(v, x), _scaled_k, r"\operatorname{kve}")
jve, yve = (
    function(
        name, "v x", f"{name[0].upper()}_v(x), for real x.", lambda v, x, y, f=f: (None, _difference(f, v, x, y)),
        lambda v, x, m=m: m(v, x),
    )
    for name, f, m in (("jve", jv, sp.besselj), ("yve", yv, sp.bessely))
)  # fmt: skip


# ------------------------------------------------------------------ of orders 0 and 1, and of whole orders
def _fixed(name: str, words: str, rule: Rule, meaning: Rule, latex: str) -> Any:
    return function(name, "x", words, rule, meaning, latex=latex)


j0: Any = _fixed("j0", "The Bessel function J₀(x).", lambda x, y: -j1(x), lambda x: sp.besselj(0, x), "J_0")
j1: Any = _fixed(
    "j1", "The Bessel function J₁(x).", lambda x, y: _HALF * (j0(x) - jv(2, x)), lambda x: sp.besselj(1, x), "J_1"
)
y0: Any = _fixed(
    "y0", "The Bessel function of the second kind Y₀(x).", lambda x, y: -y1(x), lambda x: sp.bessely(0, x), "Y_0"
)
y1: Any = _fixed(
    "y1",
    "The Bessel function of the second kind Y₁(x).",
    lambda x, y: _HALF * (y0(x) - yv(2, x)),
    lambda x: sp.bessely(1, x),
    "Y_1",
)
k0: Any = _fixed("k0", "The modified Bessel function K₀(x).", lambda x, y: -k1(x), lambda x: sp.besselk(0, x), "K_0")
k1: Any = _fixed(
    "k1",
    "The modified Bessel function K₁(x).",
    lambda x, y: -_HALF * (k0(x) + kv(2, x)),
    lambda x: sp.besselk(1, x),
    "K_1",
)
k0e: Any = _fixed(
    "k0e", "exp(x) K₀(x).", lambda x, y: y - k1e(x), lambda x: sp.exp(x) * sp.besselk(0, x), r"\operatorname{k0e}"
)
k1e: Any = _fixed(
    "k1e", "exp(x) K₁(x).", lambda x, y: y - _HALF * (k0e(x) + kve(2, x)), lambda x: sp.exp(x) * sp.besselk(1, x),
    r"\operatorname{k1e}",
)  # fmt: skip
yn = function(
    "yn", "n x", "The Bessel function Y_n(x) of integer order n.",
    lambda n, x, y: (None, _difference(yv, trunc(n), x, y)),
    lambda n, x: sp.bessely(n, x), latex="Y", below=1,
)  # fmt: skip
kn = function(
    "kn", "n x", "The Bessel function K_n(x) of integer order n.",
    lambda n, x, y: (None, _minus_sum(kv, trunc(n), x, y)),
    lambda n, x: sp.besselk(n, x), latex="K", below=1,
)  # fmt: skip


def _spherical(name: str, rule: Rule, factor: Rule) -> Any:
    return slope(name, "n x", rule, scipys(name), factor)


def _root(x: sp.Expr) -> sp.Expr:
    return sp.sqrt(sp.pi / (2 * x))


def _neighbours(f: Callable[[], Any], lower: int, upper: int) -> Rule:
    """(2n + 1) f' = ±n f_{n-1} ± (n + 1) f_{n+1} of a whole n. Source: DLMF 10.51.2 and 10.51.5."""

    def rule(n: sp.Expr, x: sp.Expr, y: sp.Expr) -> tuple[Any, sp.Expr]:
        k, own = trunc(n), f()
        both = (lower * k * own(k - 1, x) + upper * (k + 1) * own(k + 1, x)) / (2 * k + 1)
        return None, sp.Piecewise((upper * own(1, x), k < 1), (both, True))

    return rule


spherical_jn: Any = _spherical(
    "spherical_jn", _neighbours(lambda: spherical_jn, 1, -1), lambda n, x: _root(x) * sp.besselj(n + _HALF, x)
)
spherical_yn: Any = _spherical(
    "spherical_yn", _neighbours(lambda: spherical_yn, 1, -1), lambda n, x: _root(x) * sp.bessely(n + _HALF, x)
)
spherical_in: Any = _spherical(
    "spherical_in", _neighbours(lambda: spherical_in, 1, 1), lambda n, x: _root(x) * sp.besseli(n + _HALF, x)
)
spherical_kn: Any = _spherical(
    "spherical_kn", _neighbours(lambda: spherical_kn, -1, -1), lambda n, x: _root(x) * sp.besselk(n + _HALF, x)
)


# ------------------------------------------------------------------ Hankel functions, which are complex
def _hankel(name: str, factor: sp.Expr, latex: str) -> Any:
    hankel: Any = slope(
        name, "v z", lambda v, z, y: (None, _difference(hankel, v, z, y) + factor * y), scipys(name, real=1),
        latex=latex, below=1, analytic=True,
    )  # fmt: skip
    return hankel


hankel1 = _hankel("hankel1", sp.S.Zero, "H^{(1)}")
hankel2 = _hankel("hankel2", sp.S.Zero, "H^{(2)}")
hankel1e = _hankel("hankel1e", -sp.I, r"\operatorname{hankel1e}")
hankel2e = _hankel("hankel2e", sp.I, r"\operatorname{hankel2e}")


# ------------------------------------------------------------------ Airy functions
def _of_two(name: str, part: int, rule: Rule, meaning: Rule | None, kernel: str = "airy") -> Any:
    of_complex = kernel == "airy"
    return slope(name, "x", rule, scipys(kernel, part), meaning, latex=rf"\operatorname{{{name}}}", analytic=of_complex)


ai: Any = _of_two("ai", 0, lambda x, y: aip(x), lambda x: sp.airyai(x))
aip: Any = _of_two("aip", 1, lambda x, y: x * ai(x), lambda x: sp.airyaiprime(x))
bi: Any = _of_two("bi", 2, lambda x, y: bip(x), lambda x: sp.airybi(x))
bip: Any = _of_two("bip", 3, lambda x, y: x * bi(x), lambda x: sp.airybiprime(x))


def _exponent(x: sp.Expr) -> sp.Expr:
    """The slope of the exponent 2/3 x^(3/2), which is real for x > 0 only."""
    return sp.Piecewise((sp.sqrt(x), x > 0), (0, True))


def _grows(x: sp.Expr) -> sp.Expr:
    return sp.Rational(2, 3) * sp.Max(x, 0) ** sp.Rational(3, 2)


aie: Any = _of_two("aie", 0, lambda x, y: aiep(x) + sp.sqrt(x) * y, lambda x: sp.airyai(x) * sp.exp(_grows(x)), "airye")
aiep: Any = _of_two(
    "aiep", 1, lambda x, y: x * aie(x) + sp.sqrt(x) * y, lambda x: sp.airyaiprime(x) * sp.exp(_grows(x)), "airye"
)
bie: Any = _of_two(
    "bie", 2, lambda x, y: biep(x) - _exponent(x) * y, lambda x: sp.airybi(x) * sp.exp(-_grows(x)), "airye"
)
biep: Any = _of_two(
    "biep", 3, lambda x, y: x * bie(x) - _exponent(x) * y, lambda x: sp.airybiprime(x) * sp.exp(-_grows(x)), "airye"
)


# ------------------------------------------------------------------ Kelvin functions
def _kelvin(name: str, words: str, rule: Rule) -> Any:
    return function(name, "x", words, rule)


def _over(y: sp.Expr, x: sp.Expr, at_zero: sp.Expr) -> sp.Expr:
    return sp.Piecewise((at_zero, sp.Eq(x, 0)), (y / x, True))


ber: Any = _kelvin("ber", "Kelvin's function ber x.", lambda x, y: berp(x))
bei: Any = _kelvin("bei", "Kelvin's function bei x.", lambda x, y: beip(x))
berp: Any = _kelvin("berp", "The derivative of ber.", lambda x, y: -bei(x) - _over(y, x, sp.S.Zero))
beip: Any = _kelvin("beip", "The derivative of bei.", lambda x, y: ber(x) - _over(y, x, _HALF))
ker: Any = _kelvin("ker", "Kelvin's function ker x.", lambda x, y: kerp(x))
kei: Any = _kelvin("kei", "Kelvin's function kei x.", lambda x, y: keip(x))
kerp: Any = _kelvin("kerp", "The derivative of ker.", lambda x, y: -kei(x) - y / x)
keip: Any = _kelvin("keip", "The derivative of kei.", lambda x, y: ker(x) - y / x)


# ------------------------------------------------------------------ Struve functions, and integrals
def _struve(name: str, words: str, latex: str, sign: int) -> Any:
    """H' = (H_{v-1} - H_{v+1} + (x/2)ᵛ/(√π Γ(v + 3/2)))/2, and L' with a plus (Abramowitz & Stegun 1964, 12.1.10)."""

    def rule(v: sp.Expr, x: sp.Expr, y: sp.Expr) -> tuple[Any, sp.Expr]:
        rest = (x / 2) ** v * rgamma(v + sp.Rational(3, 2)) / sp.sqrt(sp.pi)
        return None, _HALF * (struve(v - 1, x) + sign * struve(v + 1, x) + rest)

    struve: Any = function(name, "v x", words, rule, latex=latex, below=1)
    return struve


struve = _struve("struve", "The Struve function H_v(x).", r"\mathbf{H}", -1)
modstruve = _struve("modstruve", "The modified Struve function L_v(x).", r"\mathbf{L}", 1)
besselpoly: Any = function(
    "besselpoly", "a lmb nu", "∫₀¹ x^λ J_ν(2ax) dx.",
    lambda a, m, n, y: (besselpoly(a, m + 1, n - 1) - besselpoly(a, m + 1, n + 1), None, None),
)  # fmt: skip


def _integral(name: str, part: int | None, kernel: str, rule: Rule) -> Any:
    return slope(name, "x", rule, scipys(kernel, part))


itj0 = _integral("itj0", 0, "itj0y0", lambda x, y: j0(x))
ity0 = _integral("ity0", 1, "itj0y0", lambda x, y: y0(x))
iti0 = _integral("iti0", 0, "iti0k0", lambda x, y: iv(0, x))
itk0 = _integral("itk0", 1, "iti0k0", lambda x, y: k0(x))


def _over_x(name: str, sign: int, meaning: Rule) -> Any:
    """The n-th derivative of (1 - J₀(x))/x or (I₀(x) - 1)/x."""
    quotient: Any = slope(
        name, "n x", lambda n, x, y: (sp.S.Zero, quotient(n + 1, x)), of_orders(partial(over_x, sign)),
        lambda n, x: sp.diff(meaning(x), x, int(n)), hidden=True, ordered=1,
    )  # fmt: skip
    return quotient


_j0_over_x = _over_x("j0_over_x", -1, lambda x: (1 - j0(x)) / x)
_i0_over_x = _over_x("i0_over_x", 1, lambda x: (iv(0, x) - 1) / x)
it2j0 = _integral("it2j0", 0, "it2j0y0", lambda x, y: _j0_over_x(0, x))
it2y0 = _integral("it2y0", 1, "it2j0y0", lambda x, y: -y0(x) / x)
it2i0 = _integral("it2i0", 0, "it2i0k0", lambda x, y: _i0_over_x(0, x))
it2k0 = _integral("it2k0", 1, "it2i0k0", lambda x, y: -k0(x) / x)
itai = _integral("itai", 0, "itairy", lambda x, y: ai(x))
itbi = _integral("itbi", 1, "itairy", lambda x, y: bi(x))
itain = _integral("itain", 2, "itairy", lambda x, y: ai(-x))
itbin = _integral("itbin", 3, "itairy", lambda x, y: bi(-x))
itstruve0 = function("itstruve0", "x", "∫₀ˣ H₀(t) dt.", lambda x, y: struve(0, x))
it2struve0 = function("it2struve0", "x", "∫ H₀(t)/t dt from x to ∞.", lambda x, y: -struve(0, x) / x)
itmodstruve0 = function("itmodstruve0", "x", "∫₀ˣ L₀(t) dt.", lambda x, y: modstruve(0, x))
