"""How long a formula of numbers is for its reader: names, numbers and signs, brackets and multiplication aside."""

from __future__ import annotations

from functools import lru_cache
from itertools import combinations

import sympy as sp

from symgrad.expression.tokens import signs
from symgrad.forms.nodes import printers
from symgrad.scalars import SCALARS

SIGMOID = SCALARS["sigmoid"].function


@lru_cache(maxsize=8192)
def length(e: sp.Expr) -> int:
    """Return the number of tokens; fractions within fractions and common factors are counted again."""
    return signs(printers.text(e)) + _blemishes(e)


def _blemishes(e: sp.Expr) -> int:
    """How many fractions stand below a fraction bar, or in a sum above one; sums with a common factor; σ beside exp."""
    count = 3 if e.has(SIGMOID) and e.has(sp.exp) else 0
    for p in e.atoms(sp.Pow):
        count += 2 * _is_root_of_a_difference(p)
        if p.exp.is_number and p.exp.is_negative:
            sums = [f for f in sp.Mul.make_args(p.base) if f.is_Add]
            count += 3 * sum(map(_fractions_in, sums))
        count += 4 * _is_raised_to_itself(p)
    for m in e.atoms(sp.Mul):
        count += _of_product(m)
        if _is_fraction(m):
            count += 4 * sum(_fractions_in(f) for f in m.args if f.is_Add)
    count += 3 * _double_angles(e)
    return count + sum(_has_a_common_factor(a) + 2 * _is_secant(a) + _is_square_apart(a) for a in e.atoms(sp.Add))


def _double_angles(e: sp.Expr) -> int:
    """How many circular or hyperbolic functions of 2u there are beside those of u."""
    arguments = {f.args[0] for f in e.atoms(sp.sin, sp.cos, sp.tan, sp.sinh, sp.cosh, sp.tanh)}
    return sum(2 * u in arguments for u in arguments)


def _is_raised_to_itself(p: sp.Pow) -> bool:
    """Whether this is x^(1/x - 2), for x^(1/x)/x²."""
    e = p.exp
    return bool(e.is_Add and any(t.is_Integer for t in e.args) and p.base.free_symbols & e.free_symbols)


def _is_square_apart(a: sp.Add) -> bool:
    """Whether this is 2 - cos² u, for 1 + sin² u."""
    squares = (t for t in a.args if (-t).is_Pow and (-t).exp == 2 and isinstance((-t).base, (sp.sin, sp.cos)))
    return len(a.args) == 2 and any(t.is_Rational and t > 1 for t in a.args) and any(True for _ in squares)


def _is_root_of_a_difference(p: sp.Pow) -> bool:
    """Whether this is √((a - b) (a + b)), for √(a² - b²)."""
    sums = [f for f in p.base.args if f.is_Add] if p.base.is_Mul and p.exp.is_Rational and p.exp.q == 2 else []
    return len(sums) == 2 and _are_conjugate(*sums)


def _are_conjugate(f: sp.Expr, g: sp.Expr) -> bool:
    """Whether two sums are a - b and a + b."""
    return bool(g.is_Add and len((f + g).args) < 3 > len((f - g).args))


def _fractions_in(a: sp.Expr) -> int:
    """How many terms of a sum are fractions; of sums that its terms have as factors, fractions with names below."""
    nested = (t for b in a.args for f in sp.Mul.make_args(b) if f.is_Add for t in f.args)
    return sum(map(_is_fraction, a.args)) + sum(_is_fraction(t.as_coeff_Mul()[1]) for t in nested)


def _fractions_with_names(a: sp.Add) -> int:
    """How many terms of a sum have names below a bar."""
    return sum(_is_fraction(t.as_coeff_Mul()[1]) for t in a.args)


def _is_secant(a: sp.Add) -> bool:
    """Whether this is 1 + tan² u, for 1/cos² u."""
    return any(t.is_Rational for t in a.args) and any(t.has(sp.tan) for t in a.args)


def _has_a_common_factor(a: sp.Add) -> bool:
    """Whether all terms share a factor, and the sum is not a polynomial in one name."""
    first, *others = ({f.as_base_exp()[0] for f in sp.Mul.make_args(t)} for t in a.args)
    shared = {f for f in first.intersection(*others) if not f.is_number}
    names = a.free_symbols
    return bool(shared) and not (len(names) == 1 and a.is_polynomial(*names))


def _of_product(m: sp.Mul) -> int:
    """How often a product has xᵃ beside x, sin u over a cos u, a sum of nothing but negative terms, or 4x + 2."""
    count = sum(1 for f in m.args if f.is_Add and all(t.could_extract_minus_sign() for t in f.args))
    count += sum(1 for f in m.args if f.is_Add and _is_multiple(f))
    count += sum(len(f.free_symbols) > 1 and _are_conjugate(f, g) for f, g in combinations(m.args, 2) if f.is_Add)
    count += 2 * sum(1 for f in m.args if f.is_Add and f.is_rational_function() and _fractions_with_names(f))
    powers = [f.as_base_exp() for f in m.args]
    for base, n in powers:
        count += sum(1 for other, k in powers if other == base and k.is_number and not n.is_number)
        count += 0 if n.is_number else 2 * sum(1 for f in m.args if f.is_Add and _is_divided(f, base))
        if isinstance(base, (sp.sin, sp.sinh)) and n == 1:
            under = (sp.cos if isinstance(base, sp.sin) else sp.cosh)(base.args[0])
            count += sum(1 for other, k in powers if other == under and k.is_negative)
    return 2 * count


def _is_multiple(a: sp.Add) -> bool:
    """Whether the whole numbers in front of the terms have a common factor."""
    numbers = [t.as_coeff_Mul()[0] for t in a.args]
    return all(n.is_Integer for n in numbers) and sp.igcd(*numbers) > 1


def _is_divided(a: sp.Add, base: sp.Expr) -> bool:
    """Whether a sum without functions has a term that is divided by this."""
    return not a.has(sp.Function) and a.has(base**-1)


def _is_fraction(e: sp.Expr) -> bool:
    factors = sp.Mul.make_args(e)
    return any((f.is_Pow and f.exp.is_number and f.exp.is_negative) or (f.is_Rational and f.q != 1) for f in factors)
