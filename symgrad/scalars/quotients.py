"""How quotients are computed: by one factor after the other, so that no square of an argument overflows.

-g a/b² is -(a/b) g/b: b² overflows beyond 10¹⁵⁴, where a/b² need not vanish. Formulas that people read stay as they
are; whatever turns a payload into code asks ``stepwise`` first. It also puts in full what is declared ``inline``.
"""

from __future__ import annotations

from functools import lru_cache
from itertools import zip_longest
from typing import Any

import sympy as sp

from symgrad.scalars.declare import Atom
from symgrad.scalars.differentiate import scale

_HALF = sp.Rational(1, 2)


class over(sp.Function):
    """a/b, which SymPy leaves as it stands."""

    nargs = 2
    is_real = True

    def _numpycode(self, printer: Any) -> str:
        a, b = map(printer._print, self.args)
        return f"(({a})/({b}))"

    _pythoncode = _numpycode


def folded(e: Any) -> Any:
    """Return an expression with numbers for its constants: π x/180 overflows on the way, (π/180) x does not.

    NumPy would compute log(2) each time, and in float64.
    """
    constants = {c for c in e.atoms(sp.Function, sp.Pow, sp.NumberSymbol) if c.is_number and c.is_finite}
    return e.xreplace({c: c.evalf(20) for c in constants}) if constants else e


@lru_cache(maxsize=8192)
def stepwise(e: Any) -> Any:
    """Return an expression whose quotients by several factors, or by powers, are nested ones."""
    if not isinstance(e, sp.Basic) or not e.args:
        return e
    inline = next((f for f in sp.Mul.make_args(e) if isinstance(f, Atom) and f.declared.inline), None)
    if inline is not None:
        return stepwise(scale(e / inline, inline.declared.meant(*inline.args)))
    if isinstance(e, (sp.Mul, sp.Pow)) and e.is_commutative and not e.is_number:
        return _quotient(e)
    return _inside(e)


def _inside(e: Any) -> Any:
    args = [stepwise(a) for a in e.args]
    return e if all(a is b for a, b in zip(args, e.args, strict=True)) else e.func(*args)


def _quotient(e: Any) -> Any:
    """A product or power: what stands below comes apart into pieces, by which the rest is divided in turn."""
    numbers, above, below = [], [], []
    for f in sp.Mul.make_args(e):
        base, power = f.as_base_exp() if isinstance(f, sp.Pow) else (f, sp.S.One)
        if f.is_number:
            numbers.append(f)
        elif power.is_Rational and power.is_negative:
            below += [stepwise(base) ** p for p in pieces(-power)]
        else:
            above.append(_inside(f) if f is e or isinstance(f, sp.Pow) else stepwise(f))
    lone_root = not above and any(b.is_Pow and b.exp == _HALF for b in below)  # x^(-3/2), which -∞ has, as in C
    if len(below) > 1 and not lone_root:
        return _divided(sp.Mul(*numbers), above, below)
    return _inside(e)


def pieces(power: Any) -> list[Any]:
    """Exponents that add up to a positive one, none beyond half of it: where such a power overflows, the quotient is 0.

    >>> pieces(sp.Integer(5)), pieces(sp.Rational(3, 2)), pieces(sp.Rational(1, 3))
    ([2, 2, 1], [1, 1/2], [1/3])
    """
    if not (power.is_Rational and power.q in (1, 2)):
        return [power]
    whole = sp.Integer(power.p // power.q)
    part = max(whole // 2, sp.S.One)
    exponents = [part] * int(whole // part) + [whole % part, power - whole]
    return [p for p in exponents if p != 0]


def _divided(number: Any, above: list[Any], below: list[Any]) -> Any:
    """The quotient; the last factor above goes first, as the cotangent is the first one."""
    *rest, start = above or [sp.S.One]
    start, rest = (start, [number * sp.Mul(*rest)]) if above else (number, [])
    quotient = over(start, below[0])
    for up, down in zip_longest(rest, below[1:], fillvalue=sp.S.One):
        quotient = over(quotient if up == 1 else quotient * up, down)
    return quotient
