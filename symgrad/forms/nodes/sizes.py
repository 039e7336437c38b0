"""Products of sizes, printed in the order in which the arrays beside them have their axes: 1/(n k) of an n×k matrix.

SymPy's printers sort by name.
"""

from __future__ import annotations

from typing import Any

import sympy as sp

from symgrad.expression.formula import Formula, Quotient
from symgrad.forms.nodes.arrays import ArraySymbol
from symgrad.forms.nodes.formulas import formula, multiplied


def fraction(e: Any) -> tuple[Any, Any]:
    """Return what is above and below the bar; a power is below it where its exponent is a negative number."""
    top, bottom = [], []
    for f in sp.Mul.make_args(e):
        if f.is_Rational:
            top.append(sp.Integer(f.p))
            bottom.append(sp.Integer(f.q))
        elif is_below(f):
            base, exponent = f.as_base_exp()
            bottom.append(base**-exponent)
        else:
            top.append(f)
    return _multiplied(top), sp.Mul(*bottom)


def _multiplied(factors: list[Any]) -> Any:
    """Return a product in which a number stays in front of a sum."""
    number, rest = sp.Mul(*factors).as_coeff_Mul()
    if not rest.is_Add or any(f.is_Add for f in factors if f.is_number):
        return number * rest
    inner, plain = rest.primitive()
    return sp.Mul(number * inner, plain, evaluate=False) if number * inner != 1 else plain


def is_below(f: Any) -> bool:
    """Whether a factor is written below the bar: exp(-2), but not exp(-u)."""
    if not (f.is_commutative and (f.is_Pow or isinstance(f, sp.exp))):
        return False
    exponent = f.as_base_exp()[1]
    return bool(exponent.is_number and exponent.is_negative)


def in_order(e: Any, array: Any) -> list[Any] | None:
    """Return the factors of a product of an integer and several sizes, in the array's order; else None."""
    factors = list(sp.Mul.make_args(e))
    bases = [f.base if f.is_Pow and f.exp.is_Integer and f.exp > 0 else f for f in factors]
    sizes = [b for b in bases if b.is_Symbol]
    if len(sizes) < 2 or any(not (b.is_Symbol or b.is_Integer) for b in bases):
        return None
    order = _order(array)
    if not set(sizes) <= set(order):
        return None
    place = {s: k for k, s in enumerate(order)}
    return [f for _, f in sorted(zip(bases, factors, strict=True), key=lambda p: place.get(p[0], -1))]


def _order(array: Any) -> list[Any]:
    """Return the symbolic sizes of the arrays in an expression, in the order of writing, then the result's."""
    shapes = [a.shape for a in sp.preorder_traversal(array) if isinstance(a, ArraySymbol)]
    return list(dict.fromkeys(n for shape in (*shapes, array.shape) for n in shape if n.is_Symbol))


def coefficient(e: Any, array: Any) -> Formula:
    """Return a number beside an array as a formula, a product of sizes below its bar in the array's order."""
    top, bottom = fraction(e)
    factors = in_order(bottom, array)
    below = formula(bottom) if factors is None else multiplied(factors)
    return formula(top) if bottom == 1 else Quotient(formula(top), below)
