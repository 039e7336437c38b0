"""Identities that shorten a formula of numbers: each a function of a node, with the identity as its docstring.

A rule answers with what is equal wherever the node has a value, or with None. Where it pays is not its concern: of all
that is found, the shortest is taken.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache, partial
from typing import Any

import sympy as sp

from symgrad.scalars import SCALARS

SIGMOID, SOFTPLUS, NDTR, DENSITY = (SCALARS[name].function for name in ("sigmoid", "softplus", "ndtr", "normal_pdf"))
FEW = 6  # terms of a sum in which some are looked for that belong together
FEW_NAMES, LONG = 3, 60  # names and operations of what is factored below a root


@dataclass(frozen=True)
class Rule:
    """An identity of formulas of numbers.

    Attributes:
        says: the identity as lessons quote it.
        apply: returns what a node is equal to, or None.
    """

    says: str
    apply: Callable[[Any], Any]

    def __call__(self, e: Any) -> Any:
        return self.apply(e)


RULES: list[Rule] = []  # tried when the shortest formula is looked for
OPENINGS: list[Rule] = []  # which lead to longer formulas, in which others are seen to be equal


def rule(says: str) -> Callable[[Callable[[Any], Any]], Rule]:
    """Enter a function as a rule, with the identity as lessons quote it."""
    return partial(_entered, RULES, says)


def opening(says: str) -> Callable[[Callable[[Any], Any]], Rule]:
    """Enter a function as a rule that takes a function apart."""
    return partial(_entered, OPENINGS, says)


def _entered(among: list[Rule], says: str, apply: Callable[[Any], Any]) -> Rule:
    made = Rule(says, apply)
    among.append(made)
    return made


def identity(text: str, says: str, shape: Callable[..., Any], *parts: Any) -> Rule:
    """Enter the rule of this identity: one of a shape that several share, with its functions."""

    def apply(e: sp.Expr) -> sp.Expr | None:
        return shape(e, *parts)

    apply.__doc__ = text
    return _entered(RULES, says, apply)


def rules_for(e: sp.Expr) -> list[Rule]:
    """Return the rules that may shorten e; those of the normal distribution where e has φ or Φ."""
    return RULES if e.has(NDTR, DENSITY) else [r for r in RULES if r not in _OF_THE_NORMAL]


@lru_cache(maxsize=16384)
def everywhere(e: sp.Expr, apply: Callable[[Any], Any]) -> sp.Expr:
    """Return e with the rule applied to all its nodes, arguments first; what formulas share is written once."""
    if not e.args or not isinstance(e, sp.Expr):
        return e
    args = [everywhere(a, apply) for a in e.args]
    e = e if all(a is b for a, b in zip(args, e.args, strict=True)) else e.func(*args)
    replacement = apply(e)
    return e if replacement is None else replacement


# ------------------------------------------------------------------ factors
def _powers(e: sp.Expr) -> dict[Any, Any]:
    """Return the factors of a product as bases and exponents."""
    powers: dict[Any, Any] = {}
    for f in sp.Mul.make_args(e):
        base, exponent = (f, sp.S.One) if isinstance(f, sp.exp) else f.as_base_exp()
        powers[base] = powers.get(base, 0) + exponent
    return powers


def _of(powers: dict[Any, Any]) -> sp.Expr:
    return sp.Mul(*[b**n for b, n in powers.items()])


def _quotients(e: sp.Expr, over: Any, under: Any, result: Any) -> sp.Expr | None:
    """Write f(u)ᵃ g(u)⁻ᵇ with q(u) = f(u)/g(u)."""
    if not e.is_Mul:
        return None
    powers = _powers(e)
    changed = False
    for base in list(powers):
        if not isinstance(base, over):
            continue
        u = base.args[0]
        a, b = powers[base], -powers.get(under(u), sp.S.Zero)
        if a.is_Integer and b.is_Integer and a * b > 0:
            least = min(abs(a), abs(b)) * (1 if a > 0 else -1)
            if least < 0:  # 1/q(u) has no value where g(u) = 0, and f(u)⁻ᵃ g(u)ᵇ has
                continue
            powers[base], powers[under(u)] = a - least, least - b
            powers[result(u)] = powers.get(result(u), 0) + least
            changed = True
    return _of(powers) if changed else None


tangent = identity("sin u/cos u is tan u.", "sin/cos = tan", _quotients, sp.sin, sp.cos, sp.tan)
hyperbolic_tangent = identity("sinh u/cosh u is tanh u.", "sinh/cosh = tanh", _quotients, sp.sinh, sp.cosh, sp.tanh)


@opening("tan = sin/cos")
def sine_of_a_tangent(e: sp.Expr) -> sp.Expr | None:
    """tan u is sin u/cos u."""
    return sp.sin(e.args[0]) / sp.cos(e.args[0]) if isinstance(e, sp.tan) else None


@opening("tanh = sinh/cosh")
def sinh_of_a_tanh(e: sp.Expr) -> sp.Expr | None:
    """tanh u is sinh u/cosh u."""
    return sp.sinh(e.args[0]) / sp.cosh(e.args[0]) if isinstance(e, sp.tanh) else None


@opening("tanh(u) = (exp(u) − exp(−u))/(exp(u) + exp(−u))")
def exponentials_of_a_tanh(e: sp.Expr) -> sp.Expr | None:
    """tanh u is (eᵘ - e⁻ᵘ)/(eᵘ + e⁻ᵘ)."""
    return e.rewrite(sp.exp) if isinstance(e, sp.tanh) else None


@rule("uᵐ·uⁿ = uᵐ⁺ⁿ")
def powers_of_one_base(e: sp.Expr) -> sp.Expr | None:
    """u uⁿ is uⁿ⁺¹, (-u) uⁿ is -uⁿ⁺¹, and uᵐ uⁿ is uᵐ⁺ⁿ, where n is not a number."""
    if not e.is_Mul:
        return None
    for f in e.args:
        if f.is_Pow and not f.exp.is_number:
            for h in e.args:
                base, n = h.as_base_exp()
                if h is not f and not n.is_number and base == f.base:
                    return sp.Mul(*[g for g in e.args if g not in (f, h)], base ** (f.exp + n))
                if n.is_Integer and base in (f.base, -f.base):
                    rest = [g for g in e.args if g not in (f, h)]
                    sign = -1 if base != f.base and n.is_odd else 1
                    return sp.Mul(sign, *rest, f.base ** sp.expand(f.exp + n))
    return None


@rule("uⁿ/u = uⁿ⁻¹")
def power_into_a_sum(e: sp.Expr) -> sp.Expr | None:
    """uⁿ (a/u + b) is uⁿ⁻¹ (a + b u), where n is not a number."""
    if not e.is_Mul:
        return None
    for f in e.args:
        if f.is_Pow and not f.exp.is_number:
            for s in e.args:
                if s.is_Add and s.has(f.base**-1):
                    rest = [g for g in e.args if g not in (f, s)]
                    return sp.Mul(*rest, f.base ** (f.exp - 1), sp.expand(s * f.base))
    return None


@opening("σ(u) = exp(u)/(1 + exp(u))")
def exponential_of_a_logistic(e: sp.Expr) -> sp.Expr | None:
    """σ(u) is eᵘ/(1 + eᵘ)."""
    return sp.exp(e.args[0]) / (1 + sp.exp(e.args[0])) if isinstance(e, SIGMOID) else None


@opening("softplus(u) = log(1 + exp(u))")
def logarithm_of_a_softplus(e: sp.Expr) -> sp.Expr | None:
    """softplus u is log(1 + eᵘ)."""
    return sp.log(1 + sp.exp(e.args[0])) if isinstance(e, SOFTPLUS) else None


_LOGARITHMS = {SCALARS["log2"].function: sp.log(2), SCALARS["log10"].function: sp.log(10)}


@opening("log_b(u) = log(u)/log(b)")
def natural_logarithm(e: sp.Expr) -> sp.Expr | None:
    """log₂ u is log u/log 2."""
    return sp.log(e.args[0]) / _LOGARITHMS[e.func] if e.func in _LOGARITHMS else None


@rule("log_b(u) = log(u)/log(b)")
def logarithm_to_a_base(e: sp.Expr) -> sp.Expr | None:
    """log 2 log₂ u is log u, and log 10 log₁₀ u too."""
    for f in e.args if e.is_Mul else ():
        number = _LOGARITHMS.get(f.func)
        if number in e.args:
            return sp.Mul(sp.log(f.args[0]), *[g for g in e.args if g not in (f, number)])
    return None


def _double(e: sp.Expr, f: Any, g: Any) -> sp.Expr | None:
    """Write f(u)ⁿ g(u)ⁿ as f(2u)ⁿ/2ⁿ."""
    if not e.is_Mul:
        return None
    powers = _powers(e)
    changed = False
    for base in list(powers):
        if isinstance(base, f):
            u = base.args[0]
            a, b = powers[base], powers.get(g(u), sp.S.Zero)
            if a.is_Integer and a == b and a != 0:
                powers[base], powers[g(u)] = sp.S.Zero, sp.S.Zero
                powers[f(2 * u)] = powers.get(f(2 * u), 0) + a
                powers[sp.Integer(2)] = powers.get(sp.Integer(2), 0) - a
                changed = True
    return _of(powers) if changed else None


sine_of_the_double = identity("2 sin u cos u is sin 2u.", "double angle", _double, sp.sin, sp.cos)
sinh_of_the_double = identity("2 sinh u cosh u is sinh 2u.", "double angle", _double, sp.sinh, sp.cosh)


@rule("x·sign(x) = |x|")
def sign_times_its_argument(e: sp.Expr) -> sp.Expr | None:
    """u sign u is |u|, |u| sign u is u, u/|u| and |u|/u are sign u, sign² u over |u| is 1/|u|, |u|/u² too."""
    if not e.is_Mul:
        return None
    powers = _powers(e)
    for base in list(powers):
        if isinstance(base, sp.sign) and powers[base].is_Integer and powers[base] > 0:
            u = base.args[0]
            if powers[base] == 2 and powers.get(sp.Abs(u), sp.S.Zero).is_negative:
                del powers[base]
                return _of(powers)
            for other, left in ((sp.Abs(u), u), (u, sp.Abs(u))):
                if powers.get(other, sp.S.Zero).is_Integer and powers.get(other, sp.S.Zero) > 0:
                    powers[base] -= 1
                    powers[other] -= 1
                    powers[left] = powers.get(left, 0) + 1
                    return _of(powers)
        if isinstance(base, sp.Abs) and abs(powers[base]) == 1:
            for u in (base.args[0], -base.args[0]):
                if powers.get(u, sp.S.Zero) == -powers[base]:
                    del powers[base], powers[u]
                    powers[sp.sign(u)] = sp.S.One
                    return _of(powers)
        if isinstance(base, sp.Abs) and powers[base] == 1 and powers.get(base.args[0], sp.S.Zero) == -2:
            del powers[base.args[0]]
            powers[base] = sp.S.NegativeOne
            return _of(powers)
    return None


@opening("sign(u) = u/|u|")
def quotient_of_a_sign(e: sp.Expr) -> sp.Expr | None:
    """sign u is u/|u|."""
    return e.args[0] / sp.Abs(e.args[0]) if isinstance(e, sp.sign) else None


@rule("sign(u)·sign(v) = sign(u·v)")
def signs_of_factors(e: sp.Expr) -> sp.Expr | None:
    """sign u sign v is sign(u v), of polynomials in one name."""
    signs = [f for f in e.args if isinstance(f, sp.sign)] if e.is_Mul else []
    u = sp.Mul(*[f.args[0] for f in signs])
    if len(signs) < 2 or len(u.free_symbols) > 1 or not u.is_polynomial(*u.free_symbols):
        return None
    return sp.Mul(sp.sign(sp.expand(u)), *[f for f in e.args if f not in signs])


@rule("(a − b)·(a + b) = a² − b²")
def difference_of_squares(e: sp.Expr) -> sp.Expr | None:
    """(a - b) (a + b) is a² - b²: both are names, roots or numbers, or a is a sum such as x - m."""
    if not e.is_Mul:
        return None
    powers = _powers(e)
    pairs = [b for b in powers if b.is_Add and powers[b].is_Rational]
    for k, one in enumerate(pairs):
        for other in pairs[k + 1 :]:
            for sign in (1, -1) if powers[one] == powers[other] else ():
                product = _difference_of_squares(sign * one, other)
                if product is not None:
                    n = powers.pop(one)
                    powers.pop(other)
                    return _of(powers) * (sign if n.is_odd else 1) * product**n if n.is_Integer or sign == 1 else None
    return None


def _difference_of_squares(one: sp.Expr, other: sp.Expr) -> sp.Expr | None:
    """Return (a - b) (a + b) as a² - b²; where a is a sum, b is a name."""
    if len(one.args) == 2 == len(other.args):
        product = sp.expand(one * other)
        return product if len(product.args) == 2 else None
    a, b = (one + other) / 2, (other - one) / 2
    if b.is_Add:
        a, b = b, a
    return a**2 - b**2 if b.is_Symbol or (-b).is_Symbol else None


@rule("a² ± 2a·b + b² = (a ± b)²")
def square_of_two_terms(e: sp.Expr) -> sp.Expr | None:
    """a² - 2 a b + b² + c is (a - b)² + c, where a and b are names or functions."""
    if not (e.is_Add and 2 < len(e.args) <= FEW):
        return None
    bases = [t.base for t in e.args if t.is_Pow and t.exp == 2 and not t.base.is_number]
    for k, a in enumerate(bases):
        for b in bases[k + 1 :]:
            for both in (a + b, a - b):
                rest = e - sp.expand(both**2, deep=False)
                if rest == 0 or len(sp.Add.make_args(rest)) <= len(e.args) - 3:
                    return both**2 + rest
    return None


# ------------------------------------------------------------------ roots
@rule("√(u/a²) = √u/a where a > 0")
def number_into_a_root(e: sp.Expr) -> sp.Expr | None:
    """√(1 - x²/4) is √(4 - x²)/2, and so √(1 - x²/a²) is √(a² - x²)/a of a positive a."""
    if not (e.is_Pow and e.exp.is_Rational and e.exp.q == 2 and e.base.is_Add):
        return None
    above, below = sp.fraction(sp.together(e.base))
    if below == 1:
        return None
    number, rest = below.as_coeff_Mul()
    root = sp.S.One
    for base, n in _powers(rest).items() if rest != 1 else ():
        if not (n.is_Integer and n.is_even and base.is_positive):
            return None
        root *= base ** (n / 2)
    outside, inside = sp.sqrt(number).as_coeff_Mul()
    if inside != 1:
        outside, above = number, sp.expand(above * number)
    return (sp.expand(above) ** e.exp) * (outside * root) ** (-2 * e.exp)


def _is_root(e: sp.Expr) -> bool:
    return bool(e.is_Pow and e.exp.is_Rational and e.exp.q == 2)


@opening("expand below the root")
def root_of_an_expanded_sum(e: sp.Expr) -> sp.Expr | None:
    """√(u (v + w)) is √(u v + u w)."""
    return sp.expand(e.base) ** e.exp if _is_root(e) else None


@opening("√a·√b = √(a·b)")
def roots_of_factors(e: sp.Expr) -> sp.Expr | None:
    """√(a b) is √a √b, where both are positive."""
    factors = sp.Mul.make_args(e.base) if _is_root(e) else ()
    return sp.Mul(*[_root_of_factor(f, e.exp) for f in factors]) if len(factors) > 1 else None


def _root_of_factor(f: sp.Expr, half: sp.Rational) -> sp.Expr:
    """Return the root of a positive factor; of 1/x this is 1/√x."""
    base, n = f.as_base_exp()
    return base ** (n * half) if abs(n) == 1 else f**half


@rule("√(u²) = |u|")
def squares_out_of_a_root(e: sp.Expr) -> sp.Expr | None:
    """√(u² v) is |u| √v, and √(1 - 4x²/(x² + 1)²) is |x² - 1|/(x² + 1), of quotients of polynomials."""
    base = _quotient(e.base) if _is_root(e) and (e.base.is_Add or e.base.is_Mul) else None
    if base is None:
        return None
    inside, above, below = sp.S.One, sp.S.One, sp.S.One
    for b, n in _powers(base).items():
        whole = 0 if b.is_number else sp.sign(n) * (abs(n) // 2)
        inside *= b ** (n - 2 * whole)
        above, below = (above * b**whole, below) if whole > 0 else (above, below * b**-whole)
    if above == below == 1:
        return base**e.exp if base.count_ops() < e.base.count_ops() else None
    return inside**e.exp * (_size(above, inside) / _size(below, inside)) ** (2 * e.exp)


def _quotient(e: sp.Expr) -> sp.Expr | None:
    """Return a quotient of polynomials with its factors, if e is a short one or becomes one multiplied out."""
    if len(e.free_symbols) > FEW_NAMES or e.count_ops() > LONG:
        return None
    e = sp.expand(e) if e.is_Mul and any(_is_root(p) for p in e.atoms(sp.Pow)) else e
    return sp.factor(sp.together(e)) if e.is_rational_function(*e.free_symbols) else None


def _size(e: sp.Expr, inside: sp.Expr) -> sp.Expr:
    """Return |e|, which is e if e is positive wherever the root under it has a value."""
    number, x = inside.as_coeff_Mul()
    there = {x: sp.Symbol(x.name, positive=True)} if x.is_Symbol and number.is_positive else {}
    return e if e.xreplace(there).is_positive else sp.Abs(sp.expand(e))


@rule("√(a/b) = √(a·b)/b where b > 0")
def quotient_in_a_root(e: sp.Expr) -> sp.Expr | None:
    """√(a/b) is √(a b)/b where a + b is a positive number, so that both are positive where a/b is."""
    if not _is_root(e):
        return None
    a, b = sp.fraction(e.base)
    total = sp.expand(a + b) if a.is_Add and b.is_Add else sp.S.Zero
    return sp.expand(a * b) ** e.exp * b ** (-2 * e.exp) if total.is_Rational and total > 0 else None


@rule("u·√u = u^(3/2)")
def factors_into_a_root(e: sp.Expr) -> sp.Expr | None:
    """u v √(u v) is (u v)^(3/2)."""
    powers = _powers(e) if e.is_Mul else {}
    for base in [b for b, n in powers.items() if b.is_Mul and n.is_Rational and n.q == 2]:
        counts = {powers.get(f, sp.S.Zero) for f in base.args if not f.is_number}
        if len(counts) == 1 and (n := counts.pop()).is_Integer and n != 0:
            for f in base.args:
                powers.pop(f, None)
            number = sp.Mul(*[f for f in base.args if f.is_number])
            powers[base] += n
            return _of(powers) / number**n
    return None


# ------------------------------------------------------------------ sums
def _rest_of(e: sp.Expr, function: Any) -> list[tuple[Any, Any, Any]]:
    """Return (term, u, factor) of the terms factor·f(u)²."""
    terms = []
    for t in e.args:
        for f in sp.Mul.make_args(t):
            if f.is_Pow and f.exp == 2 and isinstance(f.base, function):
                terms.append((t, f.base.args[0], t / f))
    return terms


def _sum_rule(e: sp.Expr, f: Any, other: Callable[[Any, Any], Any], result: Callable[[Any, Any], Any]) -> Any:
    """Replace k·f(u)² + other(k, u), where both are terms of the sum, by result(k, u)."""
    if not e.is_Add:
        return None
    terms = list(e.args)
    for t, u, k in _rest_of(e, f):
        partner = other(k, u)
        left = [x for x in terms if x != t]
        if partner in left:
            left.remove(partner)
            return sp.Add(*left, result(k, u))
        if partner.is_Rational:  # of 3 - 2 sin² u, the 2 belongs to it
            number = next((x for x in left if x.is_Rational), None)
            if number is not None and abs(number) > abs(partner) and number * partner > 0:
                left.remove(number)
                return sp.Add(*left, number - partner, result(k, u))
    return None


pythagoras = identity(
    "sin² u + cos² u is 1.", "sin² + cos² = 1", _sum_rule, sp.sin, lambda k, u: k * sp.cos(u) ** 2, lambda k, u: k
)
pythagoras_of_the_sine = identity(
    "1 - sin² u is cos² u.", "1 − sin² = cos²", _sum_rule, sp.sin, lambda k, u: -k, lambda k, u: -k * sp.cos(u) ** 2
)
pythagoras_of_the_cosine = identity(
    "1 - cos² u is sin² u.", "1 − cos² = sin²", _sum_rule, sp.cos, lambda k, u: -k, lambda k, u: -k * sp.sin(u) ** 2
)
pythagoras_of_the_tangent = identity(
    "1 + tan² u is 1/cos² u.", "1 + tan² = 1/cos²", _sum_rule, sp.tan, lambda k, u: k, lambda k, u: k / sp.cos(u) ** 2
)
hyperbolic_pythagoras = identity(
    "1 + sinh² u is cosh² u.", "1 + sinh² = cosh²", _sum_rule, sp.sinh, lambda k, u: k, lambda k, u: k * sp.cosh(u) ** 2
)
hyperbolic_pythagoras_of_the_cosine = identity(
    "cosh² u - 1 is sinh² u.",
    "cosh² − 1 = sinh²",
    _sum_rule,
    sp.cosh,
    lambda k, u: -k,
    lambda k, u: k * sp.sinh(u) ** 2,
)
hyperbolic_pythagoras_of_both = identity(
    "cosh² u - sinh² u is 1.",
    "cosh² − sinh² = 1",
    _sum_rule,
    sp.cosh,
    lambda k, u: -k * sp.sinh(u) ** 2,
    lambda k, u: k,
)
hyperbolic_pythagoras_of_the_tangent = identity(
    "1 - tanh² u is 1/cosh² u.",
    "1 − tanh² = 1/cosh²",
    _sum_rule,
    sp.tanh,
    lambda k, u: -k,
    lambda k, u: -k / sp.cosh(u) ** 2,
)
cosine_of_the_double = identity(
    "cos² u - sin² u is cos 2u.",
    "double angle",
    _sum_rule,
    sp.cos,
    lambda k, u: -k * sp.sin(u) ** 2,
    lambda k, u: k * sp.cos(2 * u),
)
cosine_of_the_double_by_the_sine = identity(
    "1 - 2 sin² u is cos 2u.",
    "double angle",
    _sum_rule,
    sp.sin,
    lambda k, u: -k / 2,
    lambda k, u: -k / 2 * sp.cos(2 * u),
)
cosine_of_the_double_by_the_cosine = identity(
    "2 cos² u - 1 is cos 2u.",
    "double angle",
    _sum_rule,
    sp.cos,
    lambda k, u: -k / 2,
    lambda k, u: k / 2 * sp.cos(2 * u),
)
cosh_of_the_double = identity(
    "cosh² u + sinh² u is cosh 2u.",
    "double angle",
    _sum_rule,
    sp.cosh,
    lambda k, u: k * sp.sinh(u) ** 2,
    lambda k, u: k * sp.cosh(2 * u),
)


def _hyperbolic(e: sp.Expr, sign: int, result: Any) -> sp.Expr | None:
    """Replace k·eᵘ ± k·e⁻ᵘ by 2k·result(u)."""
    if not e.is_Add:
        return None
    for t in e.args:
        for f in sp.Mul.make_args(t):
            if isinstance(f, sp.exp) and not f.args[0].could_extract_minus_sign():
                k = t / f
                partner = sign * k * sp.exp(-f.args[0])
                if partner in e.args:
                    return sp.Add(*[x for x in e.args if x not in (t, partner)], 2 * k * result(f.args[0]))
    return None


hyperbolic_sine = identity("eᵘ - e⁻ᵘ is 2 sinh u.", "exp(u) − exp(−u) = 2·sinh(u)", _hyperbolic, -1, sp.sinh)
hyperbolic_cosine = identity("eᵘ + e⁻ᵘ is 2 cosh u.", "exp(u) + exp(−u) = 2·cosh(u)", _hyperbolic, 1, sp.cosh)


def _over_exponentials(e: sp.Expr, sign: int, below: Any) -> sp.Expr | None:
    """Replace k·eᵘ/(e²ᵘ ± 1) by k/(2·below(u))."""
    powers = _powers(e) if e.is_Mul else {}
    for base, n in powers.items():
        grown, number = sorted(base.args, key=lambda a: bool(a.is_number)) if len(base.args) == 2 else (sp.S.One, 0)
        if base.is_Add and isinstance(grown, sp.exp) and number == sign and n == -1:
            u = grown.args[0] / 2
            rest = sp.Mul(*[f for f in e.args if f.as_base_exp()[0] != base]) * sp.exp(-u)
            if not rest.has(sp.exp):
                return rest / (2 * below(u))
    return None


one_over_hyperbolic_cosine = identity(
    "eᵘ/(e²ᵘ + 1) is 1/(2 cosh u).", "exp(u) + exp(−u) = 2·cosh(u)", _over_exponentials, 1, sp.cosh
)
one_over_hyperbolic_sine = identity(
    "eᵘ/(e²ᵘ - 1) is 1/(2 sinh u).", "exp(u) − exp(−u) = 2·sinh(u)", _over_exponentials, -1, sp.sinh
)


@rule("double angle")
def double_beside_its_angle(e: sp.Expr) -> sp.Expr | None:
    """sin 2u is 2 sin u cos u and cos 2u is cos² u - sin² u beside functions of u, and so sinh 2u and cosh 2u."""
    if not (e.is_Mul or e.is_Add):
        return None
    for sine, cosine, tangent, sign in ((sp.sin, sp.cos, sp.tan, -1), (sp.sinh, sp.cosh, sp.tanh, 1)):
        angles = {f.args[0] for f in e.atoms(sine, cosine, tangent)}
        doubles = {u: v for u in angles if (v := u / 2) in angles}
        opened = {sine(u): 2 * sine(v) * cosine(v) for u, v in doubles.items()}
        opened |= {cosine(u): cosine(v) ** 2 + sign * sine(v) ** 2 for u, v in doubles.items()}
        if opened:
            return e.xreplace(opened)
    return None


# ------------------------------------------------------------------ the normal distribution
@rule("1 + erf(z/√2) = 2·Φ(z)")
def normal_distribution(e: sp.Expr) -> sp.Expr | None:
    """1 + erf(z/√2) is 2 Φ(z), and 1 - erf(z/√2) is 2 Φ(-z)."""
    if not e.is_Add:
        return None
    for t in e.args:
        k, f = t.as_independent(sp.erf)
        if not isinstance(f, sp.erf):
            continue
        z = sp.sqrt(2) * f.args[0]
        for partner, distribution in ((k, NDTR(z)), (-k, -NDTR(-z))):
            rest = [x for x in e.args if x != t]
            if partner in rest:
                rest.remove(partner)
                return sp.Add(*rest, 2 * k * distribution)
    return None


@rule("erfc(−z/√2) = 2·Φ(z)")
def normal_distribution_of_the_complement(e: sp.Expr) -> sp.Expr | None:
    """erfc(-z/√2) is 2 Φ(z)."""
    return 2 * NDTR(-sp.sqrt(2) * e.args[0]) if isinstance(e, sp.erfc) else None


@opening("laws of logarithms")
def logarithm_of_a_product(e: sp.Expr) -> sp.Expr | None:
    """log(uᵃ vᵇ) is a log|u| + b log|v|, of real numbers."""
    if not isinstance(e, sp.log):
        return None
    return sp.Add(*[n * sp.log(sp.Abs(base)) for base, n in _powers(e.args[0]).items()])


@rule("exp(−z²/2)/√(2π) = φ(z)")
def normal_density(e: sp.Expr) -> sp.Expr | None:
    """e^(-z²/2)/√(2π) is φ(z)."""
    if not e.is_Mul:
        return None
    number = sp.Mul(*[f for f in e.args if f.is_number]) * sp.sqrt(2 * sp.pi)
    if not number.is_Rational:  # 2 exp(-x²)/√π is not a density of the book's
        return None
    for f in e.args:
        z = _root_of(-2 * f.args[0]) if isinstance(f, sp.exp) else None
        if z is not None:
            return number * DENSITY(z) * sp.Mul(*[g for g in e.args if g is not f and not g.is_number])
    return None


_OF_THE_NORMAL = (normal_distribution, normal_distribution_of_the_complement, normal_density)


def _root_of(e: sp.Expr) -> sp.Expr | None:
    """Return a root of e where each factor has one without asking for its sign."""
    root = sp.S.One
    for base, n in _powers(e).items():
        if not base.is_positive and not (n.is_Integer and n.is_even):
            return None
        root *= base ** (n / 2)
    return root


@rule("exp(u + log(w)) = w·exp(u)")
def exponentials_meet(e: sp.Expr) -> sp.Expr | None:
    """a eᵘ + b eᵛ is (a + b w) eᵘ, where v - u is log w; φ(z) is an exponential too."""
    if not e.is_Add or len(e.atoms(sp.exp, DENSITY)) < 2:
        return None
    grown = [(t, *_grown(t)) for t in e.args]
    for k, (one, _, factors, u) in enumerate(grown):
        for other, rest, factors2, v in grown[k + 1 :]:
            ratio = None if not factors or not factors2 or factors == factors2 else _exponential(sp.expand(v - u))
            if ratio is not None:
                shared = sp.Mul(*factors) * _density_share(factors, factors2)
                return sp.Add(*[t for t in e.args if t not in (one, other)], one, rest * ratio * shared)
    return None


def _grown(t: sp.Expr) -> tuple[sp.Expr, list[sp.Expr], sp.Expr]:
    """Return a term's other factors, its exponentials, and the sum of their exponents."""
    factors = [f for f in sp.Mul.make_args(t) if isinstance(f, (sp.exp, DENSITY))]
    exponents = [f.args[0] if isinstance(f, sp.exp) else -(f.args[0] ** 2) / 2 for f in factors]
    return sp.Mul(*[f for f in sp.Mul.make_args(t) if f not in factors]), factors, sp.Add(*exponents)


def _density_share(one: list[sp.Expr], other: list[sp.Expr]) -> sp.Expr:
    """Return the powers of 1/√(2π) that the densities of the second have and those of the first have not."""
    more = sum(isinstance(f, DENSITY) for f in other) - sum(isinstance(f, DENSITY) for f in one)
    return sp.sqrt(2 * sp.pi) ** -more


def _exponential(e: sp.Expr) -> sp.Expr | None:
    """Return eᵘ where u is a sum of whole multiples of logarithms, without an exponential."""
    product = sp.S.One
    for t in sp.Add.make_args(e):
        c, rest = t.as_coeff_Mul()
        if t != 0 and not (c.is_Integer and isinstance(rest, sp.log)):
            return None
        product *= rest.args[0] ** c if t != 0 else 1
    return product


# ------------------------------------------------------------------ the logistic function
@rule("σ(u) = exp(u)/(1 + exp(u))")
def logistic(e: sp.Expr) -> sp.Expr | None:
    """eᵘ/(1 + eᵘ) is σ(u), and 1/(1 + eᵘ) is 1 - σ(u)."""
    factors = sp.Mul.make_args(e)
    for f in factors:
        if not (f.is_Pow and f.exp.is_Integer and f.exp < 0 and f.base.is_Add and len(f.base.args) == 2):
            continue
        one, grown = sorted(f.base.args, key=lambda a: not a.is_Rational)
        if one != 1 or not isinstance(grown, sp.exp):
            continue
        u, n = grown.args[0], -f.exp
        rest = sp.Mul(*[x for x in factors if x is not f])
        for k in range(int(n), -1, -1):
            left = rest * sp.exp(-k * u)
            if not left.has(sp.exp):
                return left * SIGMOID(u) ** k * (1 - SIGMOID(u)) ** (n - k)
    return None


def _is_there(powers: dict[sp.Expr, Any], base: sp.Expr) -> bool:
    """Whether a factor stands there once at least; of a power such as (eᵘ)ˣ nobody knows."""
    n = sp.sympify(powers.get(base, 0))
    return bool(n.is_number and n >= 1)


@rule("exp(u)·(1 − σ(u)) = σ(u)")
def exponential_times_a_logistic(e: sp.Expr) -> sp.Expr | None:
    """eᵘ (1 - σ(u)) is σ(u), and e⁻ᵘ σ(u) is 1 - σ(u)."""
    if not e.is_Mul:
        return None
    powers = _powers(e)
    for base in list(powers):
        if not (isinstance(base, sp.exp) and _is_there(powers, base)):
            continue
        s, t = SIGMOID(base.args[0]), SIGMOID(-base.args[0])
        for old, new in ((1 - s, s), (t, 1 - t)):
            if _is_there(powers, old):
                powers[base], powers[old], powers[new] = powers[base] - 1, powers[old] - 1, powers.get(new, 0) + 1
                return _of(powers)
    return None


# ------------------------------------------------------------------ signs and common factors
@rule("−(a − b) = b − a")
def sign_into_a_sum(e: sp.Expr) -> sp.Expr | None:
    """-(a - b) is b - a, above and below a fraction bar."""
    if not e.is_Mul or not e.as_coeff_Mul()[0].is_negative:
        return None
    for f in e.args:
        base, n = f.as_base_exp()
        if base.is_Add and n.is_Integer and n.is_odd and any(t.could_extract_minus_sign() for t in base.args):
            return sp.Mul(-1, *[g for g in e.args if g is not f]) * (-base) ** n
    return None


@rule("factor out")
def common_factor(e: sp.Expr) -> sp.Expr | None:
    """a u + b u is u (a + b)."""
    return sp.factor_terms(e, clear=False) if e.is_Add else None


@rule("factor out")
def two_terms_share(e: sp.Expr) -> sp.Expr | None:
    """a u + b u + c is u (a + b) + c."""
    if not (e.is_Add and 2 < len(e.args) <= FEW):
        return None
    counts: dict[Any, list[Any]] = {}
    for t in e.args:
        for f in sp.Mul.make_args(t):
            base = f.base if f.is_Pow and f.exp.is_Integer and f.exp > 0 else f
            if not base.is_number:
                counts.setdefault(base, []).append(t)
    candidates = []
    for base, terms in counts.items():
        power = base.is_Symbol and e.is_polynomial(base) and (sp.degree(e, base) > 1 or len(e.free_symbols) == 1)
        if 1 < len(terms) < len(e.args) and not power:
            rest = [t for t in e.args if t not in terms]
            inside = sp.Add(*[t / base for t in terms])
            negative = inside.is_Add and all(t.could_extract_minus_sign() for t in inside.args)
            candidates.append(sp.Add(*rest, sp.Mul(-1, base, -inside) if negative else sp.Mul(base, inside)))
    return min(candidates, key=lambda f: f.count_ops(), default=None)
