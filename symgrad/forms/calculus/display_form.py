"""The last touches to a formula of numbers: one root for several, powers below a bar."""

from __future__ import annotations

from collections.abc import Callable, Collection
from functools import cmp_to_key, partial
from typing import Any

import sympy as sp

from symgrad.forms.calculus.length import length

HALF = sp.Rational(1, 2)
_compared = cmp_to_key(sp.Basic.compare)


def roots_joined(e: sp.Expr, numbers: bool = True) -> sp.Expr:
    """Write √a √b as √(a b), and √a/√b as √(a/b), where shorter; SymPy keeps them apart where a or b is positive.

    Args:
        e: the formula.
        numbers: whether roots of numbers are joined with others too.
    """
    return rebuilt(e, partial(_roots_joined, numbers=numbers))


def _roots_joined(e: sp.Expr, numbers: bool) -> sp.Expr | None:
    if not e.is_Mul:
        return None
    ways = (list(e.args), _roots_below(list(e.args))) if numbers else (list(e.args),)
    joined = [_product(_joined(f, numbers)) for f in ways]
    best = min(joined, key=length)
    return best if length(best) < length(e) else None


def _roots_below(factors: list[Any]) -> list[Any]:
    """Return factors with √b/b, of a number b, as 1/√b, beside other roots below."""
    if not any(f.is_Pow and f.exp.is_Rational and f.exp.q == 2 and f.exp < 0 and not f.base.is_number for f in factors):
        return factors
    number = next((f for f in factors if f.is_Rational), sp.S.One)
    for k, f in enumerate(factors):
        if f.is_Pow and f.exp == HALF and f.base.is_Integer and number.q % f.base == 0:
            rest = [g for n, g in enumerate(factors) if n != k and not g.is_Rational]
            coefficient = number * f.base
            return [*([coefficient] if coefficient != 1 else []), *rest, sp.Pow(f.base, -HALF, evaluate=False)]
    return factors


def constants_joined(e: sp.Expr) -> sp.Expr:
    """Write √2/(2 √π) as 1/√(2 π), and √2/√π as √(2/π)."""
    return rebuilt(e, _constant_joined)


def _constant_joined(e: sp.Expr) -> sp.Expr | None:
    numbers = [f for f in sp.Mul.make_args(e) if f.is_number] if e.is_Mul else []
    if not any(f.is_Pow and f.base == sp.pi and f.exp.q == 2 for f in numbers if f.is_Pow and f.exp.is_Rational):
        return None
    above, below = sp.fraction(sp.Mul(*numbers) ** 2)
    if not (above / sp.pi ** above.as_powers_dict()[sp.pi]).is_Rational or below.has(sp.Pow):
        return None
    rest = [f for f in e.args if f not in numbers]
    root, sign = sp.sqrt(above), -1 if sp.Mul(*numbers) < 0 else 1
    if root.is_Rational:
        factors = [*([] if sign * root == 1 else [sign * root]), *rest, sp.Pow(below, -HALF, evaluate=False)]
    else:
        factors = [*([] if sign == 1 else [sp.S.NegativeOne]), *rest, sp.Pow(above / below, HALF, evaluate=False)]
    return _product(factors)


def powers_below(e: sp.Expr) -> sp.Expr:
    """Write u⁻ᵗ⁻¹ as 1/uᵗ⁺¹."""
    return rebuilt(e, _power_below)


def _power_below(e: sp.Expr) -> sp.Expr | None:
    if not (e.is_Pow and e.exp.is_Add and all(t.could_extract_minus_sign() for t in e.exp.args)):
        return None
    return sp.Pow(e.base, sp.Mul(-1, -e.exp, evaluate=False), evaluate=False)


def whole_powers_apart(e: sp.Expr) -> sp.Expr:
    """Write 2ᵘ⁺¹ as 2·2ᵘ."""
    return rebuilt(e, _whole_apart)


def _whole_apart(e: sp.Expr) -> sp.Expr | None:
    if e.is_Pow and e.base.is_Integer and e.exp.is_Add and e.exp.args[0].is_Integer and e.exp.args[0] > 0:
        whole = e.exp.args[0]
        return _product([e.base**whole, sp.Pow(e.base, e.exp - whole, evaluate=False)])
    if e.is_Mul and any(f.is_Mul for f in e.args):
        factors = [g for f in e.args for g in (f.args if f.is_Mul else (f,))]
        number = sp.Mul(*[f for f in factors if f.is_Rational])
        return _product([*([] if number == 1 else [number]), *[f for f in factors if not f.is_Rational]])
    return None


def signs_as_written(e: sp.Expr, sums: Callable[[], Collection[Any]]) -> sp.Expr:
    """Write (n p - k)/(p (p - 1)) as (k - n p)/(p (1 - p)), where the function has 1 - p.

    Args:
        e: the formula.
        sums: returns the sums in the function.
    """
    e = _squares_as_written(e, sums)
    factors = list(sp.Mul.make_args(e))
    differences = [f for f in factors if _is_difference(f)]
    if len(differences) != 2:
        return e
    known = sums()
    better = [f for f in differences if -f.as_base_exp()[0] in known and f.as_base_exp()[0] not in known]
    worse = [f for f in differences if f.as_base_exp()[0] in known]
    if not better or worse:
        return e
    return _product([_opposite(f) if f in differences else f for f in factors])


def _squares_as_written(e: sp.Expr, sums: Callable[[], Collection[Any]]) -> sp.Expr:
    """Write (m - x)² as (x - m)², where the function has x - m."""
    squares = [p for p in e.atoms(sp.Pow) if p.exp.is_Integer and p.exp.is_even and len(p.base.args) == 2]
    known = sums() if any(p.base.is_Add for p in squares) else ()
    turned = [p for p in squares if p.base not in known and -p.base in known]
    return rebuilt(e, lambda t: sp.Pow(-t.base, t.exp) if t in turned else None) if turned else e


def _is_difference(f: sp.Expr) -> bool:
    """Whether a factor is a - b or 1/(a - b), to an odd power; longer polynomials begin with their highest power."""
    base, n = f.as_base_exp()
    mixed = base.is_Add and len(base.args) == 2 and len({bool(t.could_extract_minus_sign()) for t in base.args}) == 2
    return bool(mixed and n.is_Integer and n.is_odd)


def _opposite(f: sp.Expr) -> sp.Expr:
    base, n = f.as_base_exp()
    return sp.Pow(-base, n)


def rebuilt(e: sp.Expr, apply: Callable[[Any], Any]) -> sp.Expr:
    """Return e with what a function makes of its nodes, arguments first; nothing else is evaluated."""
    if not e.args or not isinstance(e, sp.Expr):
        return e
    args = [rebuilt(a, apply) for a in e.args]
    if any(a is not b for a, b in zip(args, e.args, strict=True)):
        e = e.func(*args, evaluate=False) if e.is_Add or e.is_Mul or e.is_Pow else e.func(*args)
    replacement = apply(e)
    return e if replacement is None else replacement


def _joined(factors: list[Any], numbers: bool) -> list[Any]:
    """Return factors with one root in the numerator and one in the denominator; x^(3/2) is written x √x."""
    halves = [f for f in factors if f.is_Pow and f.exp.is_Rational and f.exp.q == 2]
    roots = [f for f in halves if not f.base.is_number]
    if roots and numbers:
        roots += [f for f in halves if f.base.is_Integer]  # √2 √x is √(2x)
    if any(p.exp.is_Rational and p.exp.q == 2 for f in roots for p in f.base.atoms(sp.Pow)):
        return factors  # a root within a root stays by itself
    if len(roots) < 2:
        return factors
    others = [f for f in factors if f not in roots]
    if len({f.exp for f in roots}) == 1:
        return [*others, sp.Pow(sp.Mul(*[f.base for f in roots]), roots[0].exp, evaluate=False)]
    signs = {1 if f.exp > 0 else -1 for f in roots}
    inside = sp.Mul(*[f.base ** (1 if f.exp > 0 else -1) for f in roots])
    root = sp.Pow(inside if 1 in signs else 1 / inside, HALF if 1 in signs else -HALF, evaluate=False)
    whole = [f.base ** (f.exp - (HALF if f.exp > 0 else -HALF)) for f in roots]
    return [*others, *[w for w in whole if w != 1], root]


def _product(factors: list[Any]) -> sp.Expr:
    """Return the product of factors without multiplying roots out, numbers in front."""
    return factors[0] if len(factors) == 1 else sp.Mul(*in_order(factors), evaluate=False)


def in_order(parts: list[Any]) -> list[Any]:
    """Return factors or terms in SymPy's order, numbers in front, so that what they make is equal to its copies."""
    return sorted(parts, key=lambda f: (not f.is_Rational, _compared(f)))
