"""Decimals where the function has decimals: of fractions, under roots, and in the sums that the user wrote."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from typing import Any

import sympy as sp

from symgrad.forms.calculus.display_form import HALF, in_order, rebuilt
from symgrad.forms.calculus.length import length
from symgrad.forms.nodes.elementwise import ElementPower
from symgrad.forms.nodes.matrices import Scaled
from symgrad.forms.nodes.tables import Table

DIGITS = 12  # of a decimal, zeros in front of it aside

LONG = 10**12  # a numerator or denominator that no person writes
LARGE = 10**15  # an integer that is written as 1.2e24


def with_decimals(
    e: sp.Expr, sums: Iterable[sp.Expr] = (), known: Sequence[sp.Rational] = (), exponents: bool = False
) -> sp.Expr:
    """Write fractions as decimals, where all of them end soon; roots stay roots, and sums as they are given.

    Args:
        e: the formula.
        sums: those of the function.
        known: its numbers, of which one may stand under a root.
        exponents: whether it has exponents such as 2.5, so that those of halves are decimals too.
    """
    e = rebuilt(_with_sums(e, list(sums)), lambda f: _without_surd(f, known))
    raised = _exponents(e) if exponents else set()
    rationals = set(_fractions(e))
    if all(map(_ends, rationals)):
        raised |= rationals
    return _decimal(e, raised) if raised else e


def long_as_decimals(e: sp.Expr) -> sp.Expr:
    """Write fractions that come of a program's floats, and are not a known constant, as decimals."""
    rationals = {r for r in _fractions(e) if r.q != 1 and max(abs(r.p), r.q) >= LONG}
    return _decimal(e, rationals) if rationals else e


def with_decimals_in_arrays(e: Any, known: Iterable[sp.Rational]) -> Any:
    """Write the fractions of a formula of arrays as decimals, where the function has some beside halves.

    Args:
        e: the formula.
        known: the decimals of the function.
    """
    if not any(_is_written(r) for r in known) or not all(map(_ends, _factors_in(e))):
        return e
    return _with_floats(e)


def with_decimals_in_table(whole: Any, known: Sequence[sp.Rational]) -> Any:
    """Write the fractions of a table as decimals where the function has some; a fraction in front goes into it."""
    spread = whole
    if isinstance(whole, Scaled):
        number, rest = whole.args[0].as_coeff_Mul()
        if not number.is_Integer:
            inside = whole.args[1]
            spread = Scaled.of(rest, Table.of([number * e for e in inside.entries], inside.shape))
    written = with_decimals_in_arrays(spread, known)
    return whole if written is spread else written


def _is_written(r: sp.Rational) -> bool:
    """Whether a decimal that is not a half is one of a few digits: others, such as log 2, come of a computation."""
    return not (2 * r).is_Integer and _ends(r)


def _factors_in(e: Any) -> list[sp.Rational]:
    """Return the fractions that stand in e, but for halves that are exponents."""
    if e.is_Rational:
        return [e] if e.q != 1 else []
    return [r for a in _parts(e) for r in _factors_in(a)]


def _parts(e: Any) -> list[Any]:
    """Return the arguments of a node, but for halves that are exponents."""
    args = [a for a in e.args if isinstance(a, sp.Basic)]
    return [a for k, a in enumerate(args) if not (k == 1 and _is_power(e) and a.is_Rational and a.q == 2)]


def _is_power(e: Any) -> bool:
    return bool(e.is_Pow) or isinstance(e, ElementPower)


def _with_floats(e: Any) -> Any:
    if e.is_Rational and e.q != 1:
        return sp.Float(str(float(e)))
    if isinstance(e, sp.Function) and e.is_number:
        return e
    mapping = {a: _with_floats(a) for a in _parts(e)}
    if all(a is b for a, b in mapping.items()):
        return e
    kept = {id(a) for a in _parts(e)}
    return e.func(*[mapping[a] if id(a) in kept else a for a in e.args])


# ------------------------------------------------------------------ sums
def _with_sums(e: sp.Expr, sums: list[sp.Expr]) -> sp.Expr:
    """Write powers of a multiple of a sum by the sum: 200/(2x + 1)² is 50/(x + 1/2)²."""
    sums = list(dict.fromkeys(_without_letters(s) for s in sums))
    given = [s for s in sums if any(c.q != 1 for c in s.as_coefficients_dict().values() if c.is_Rational)]
    if not given:
        return e
    formula = _scaled(e, given)
    return rebuilt(formula, _spread) if formula != e else e


def _without_letters(s: sp.Expr) -> sp.Expr:
    """Return a sum without the powers that all its terms have: x + 0.1ax is (1 + 0.1a)·x."""
    powers = [t.as_powers_dict() for t in s.args]
    shared = [
        b ** min(p[b] for p in powers)
        for b in powers[0]
        if b.is_Symbol and all(b in p and p[b].is_Integer and p[b].is_positive for p in powers)
    ]
    return sp.Add(*[t / sp.Mul(*shared) for t in s.args]) if shared else s


def _scaled(e: sp.Expr, given: list[sp.Expr]) -> sp.Expr:
    """Return e with multiples of a given sum, in a denominator or under a root, written as number times sum."""
    if not e.args or not isinstance(e, sp.Expr):
        return e
    args = [_scaled(a, given) for a in e.args]
    e = e if all(a is b for a, b in zip(args, e.args, strict=True)) else e.func(*args)
    if e.is_Mul:
        return _factor_as_given(e, given)
    if not (e.is_Pow and e.base.is_Add and e.exp.is_Rational):
        return e
    for s in given:
        c = _ratio(e.base, s)
        outside = None if c is None else c**e.exp
        if outside is not None and outside.is_Rational:
            return sp.Mul(outside, sp.Pow(s, e.exp))
    return e


def _factor_as_given(e: sp.Expr, given: list[sp.Expr]) -> sp.Expr:
    """Write a factor as a sum that is given, where that is no longer or leaves an integer in front.

    0.12·x·(5a + 1) is 0.6·x·(a + 0.2), and 0.2·x·(a + 20) is 2·x·(0.1a + 2).
    """
    number = e.args[0]
    if not number.is_Rational or number.q == 1:
        return e
    for f in (f for f in e.args if f.is_Add):
        for s in given:
            c = _ratio(f, s)
            if c is None:
                continue
            front = [] if c * number == 1 else [c * number]
            candidate = sp.Mul(*in_order([*front, s, *[g for g in e.args[1:] if g is not f]]), evaluate=False)
            if (c * number).is_Integer or _length(candidate) <= _length(e):
                return candidate
    return e


def _length(e: sp.Expr) -> Any:
    """Return the length of a formula with decimals."""
    return length(_decimal(e, {*_fractions(e)}))


def _ratio(a: sp.Expr, s: sp.Expr) -> Any:
    """Return the number c of a = c·s, if there is one."""
    one, other = a.as_coefficients_dict(), s.as_coefficients_dict()
    if set(one) != set(other):
        return None
    ratios = {one[t] / other[t] for t in one}
    return ratios.pop() if len(ratios) == 1 and all(c.is_Rational for c in ratios) else None


def _spread(e: sp.Expr) -> sp.Expr | None:
    """Multiply a fraction into the only sum above the bar: (x - 2)/20 is 0.05x - 0.1."""
    if not e.is_Mul or not e.args[0].is_Rational or e.args[0].q == 1:
        return None
    sums = [f for f in e.args if f.is_Add]
    below = [f for f in e.args if f.is_Pow and f.exp.is_negative]
    if len(sums) != 1 or not below:
        return None
    rest = [f for f in e.args[1:] if f is not sums[0]]
    return sp.Mul(*in_order([sp.expand(e.args[0] * sums[0]), *rest]), evaluate=False)


# ------------------------------------------------------------------ roots
def _without_surd(e: sp.Expr, known: Iterable[sp.Rational]) -> sp.Expr | None:
    """Write c √u as √(c²u), and c/√u as c √m/√(mu), where c is not a fraction and c √m a decimal: 9.81/√(19.62x)."""
    if not e.is_Mul:
        return None
    number = sp.Mul(*[f for f in e.args if f.is_number and not f.has(sp.pi)])
    rest = [f for f in e.args if not f.is_number or f.has(sp.pi)]
    roots = [f for f in rest if f.is_Pow and f.exp.is_Rational and f.exp.q == 2]
    square = number**2
    if len(roots) != 1 or number.is_Rational or not square.is_Rational or square.q == 1:
        return None
    (root,) = roots
    half = HALF if root.exp > 0 else -HALF
    others = [f for f in [*rest, root.base ** (root.exp - half)] if f not in (root, 1)]
    for m in (square,) if half > 0 else (*known, 4 * square):
        c = sp.sign(number) * (1 if half > 0 else sp.sqrt(square * m))
        if c.is_Rational and _ends(c) and _ends(m):
            under = sp.Pow(sp.Mul(m, root.base, evaluate=False), half, evaluate=False)
            return sp.Mul(*[f for f in (c,) if f != 1], *in_order([*others, under]), evaluate=False)
    return None


# ------------------------------------------------------------------ numbers
def _fractions(e: Any) -> list[sp.Rational]:
    """Return the fractions that stand in e, but for the halves of roots."""
    if getattr(e, "is_Rational", False):
        return [] if e.q == 1 and abs(e) < LARGE else [e]
    if e.is_Pow and e.exp.is_Rational and e.exp.q == 2:
        return _fractions(e.base)
    return [r for a in e.args if isinstance(a, sp.Basic) for r in _fractions(a)]


def _exponents(e: sp.Expr) -> set[Any]:
    """Return the exponents 3/2, 5/2, …; that of a root is none."""
    return {p.exp for p in e.atoms(sp.Pow) if p.exp.is_Rational and p.exp.q == 2 and abs(p.exp) != HALF}


def _ends(r: sp.Rational) -> bool:
    """Whether a fraction is a decimal of not too many digits, such as 0.3333 and 1.334e-10."""
    return bool(sp.Rational(f"{float(r):.{DIGITS}g}") == r)


def _decimal(e: Any, chosen: Collection[sp.Rational]) -> Any:
    """Write the chosen fractions as decimals, except where SymPy would evaluate roots and powers of them."""
    if e in chosen:
        return sp.Float(str(float(e)))
    if not e.args or _is_constant(e):
        return e
    args = [a if _is_half(e, k) else _decimal(a, chosen) for k, a in enumerate(e.args)]
    if all(a is b for a, b in zip(args, e.args, strict=True)):
        return e
    apart = _is_half(e, 1) or (e.is_Mul and any(_is_half(f, 1) for f in args))  # SymPy would take a root of a decimal
    return e.func(*args, evaluate=False) if apart else e.func(*args)


def _is_half(e: Any, k: int) -> bool:
    """Whether the argument at this place is the exponent of a root."""
    return k == 1 and bool(e.is_Pow) and abs(e.exp) == HALF


def _is_constant(e: Any) -> bool:
    """Whether this is a number with a root or π in it, or a function of a number: of sin(0.3) SymPy makes 0.2955."""
    return bool(getattr(e, "is_number", False)) and (isinstance(e, sp.Function) or not e.atoms(sp.Function))
