"""From SymPy's expressions to formulas: what stands above a bar and what below it, and in which order, is decided here.

Symgrad's nodes say in ``formula`` what they are; the rules here are for SymPy's classes.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Any

import sympy as sp

from symgrad.expression.arithmetic import HALF, ONE
from symgrad.expression.formula import (
    Along,
    Both,
    Call,
    Cases,
    Compare,
    Constant,
    Entry,
    Fenced,
    Formula,
    Keyword,
    Letter,
    Name,
    Otherwise,
    Over,
    Power,
    Product,
    Quotient,
    Rows,
    Spelled,
    Sum,
    Tuple,
    Unary,
    number,
    replace,
)
from symgrad.expression.printer import ATOM, LATEX, TEXT
from symgrad.forms.nodes.order import factors_in_order, terms_in_order
from symgrad.scalars import BY_FUNCTION
from symgrad.support.foreign import latex

Rule = Callable[[Any], Formula]
_SIGNS = {"==": "=", "!=": "≠", "<=": "≤", ">=": "≥"}
_LETTERS = {
    sp.S.Pi: "π", sp.S.Exp1: "e", sp.S.ImaginaryUnit: "i", sp.S.Infinity: "∞", sp.S.NegativeInfinity: "∞",
    sp.S.ComplexInfinity: "zoo", sp.S.NaN: "nan", sp.S.true: "true", sp.S.false: "false",
}  # fmt: skip
_WORDS = {sp.conjugate: "conj", sp.re: "Re", sp.im: "Im", sp.arg: "arg"}


class Printed:
    """What prints as its ``formula`` says, in SymPy's printers too."""

    __slots__ = ()

    def formula(self) -> Formula:
        """Return it as a formula."""
        raise NotImplementedError

    def _sympystr(self, printer: Any) -> str:
        return TEXT.write(self.formula())

    def _latex(self, printer: Any, exp: str | None = None) -> str:
        written = self.formula()
        return LATEX.write(written) if exp is None else f"{LATEX.at(written, ATOM)}^{{{exp}}}"


def formula(e: Any) -> Formula:
    """Return an expression as a formula; what is unknown is written as SymPy writes it."""
    own = getattr(e, "formula", None)
    if own is not None:
        written: Formula = own()
        return written
    if e in _LETTERS:
        return negative(Letter("∞")) if e is sp.S.NegativeInfinity else Letter(_LETTERS[e])
    for kind in type(e).__mro__:
        if kind in _RULES:
            return _RULES[kind](e)
    return unknown(e)


def unknown(e: Any) -> Formula:
    """Write what no rule is for as SymPy does: badly, but readably."""
    return Spelled(str(e), rf"\text{{{latex(str(e))}}}")


def negative(t: Formula) -> Formula:
    """Return a formula behind a minus sign."""
    return Unary("-", t)


def call(name: str, *args: Any, plain: bool = False) -> Call:
    """Return a function of expressions."""
    return Call(Name(name), [formula(a) for a in args], plain=plain)


# ------------------------------------------------------------------ numbers
def _rational(e: Any) -> Formula:
    return number(Fraction(int(e.p), int(e.q)))


def _float(e: Any) -> Formula:
    return Constant(float(e), shown=sp.sstr(e, full_prec=False))


# ------------------------------------------------------------------ arithmetic
def total(terms: Sequence[Any]) -> Formula:
    """Return the sum of expressions, in this order."""
    return Sum(*map(formula, terms))


def _add(e: Any) -> Formula:
    return total(terms_in_order(e, e.as_ordered_terms()))


def _mul(e: Any) -> Formula:
    if e.args[0] is sp.S.One or any(f.is_Number for f in e.args[1:]):  # kept as it is written
        return product(e.args)
    n, rest = e.as_coeff_Mul()
    if n.is_extended_negative:
        inner = sp.Mul(-n, rest, evaluate=False) if n != -1 else rest
        return negative(inner_formula(inner, rest, n))
    return product(factors_in_order(e, e.as_ordered_factors()))


def inner_formula(e: Any, rest: Any, n: Any) -> Formula:
    """Return what stands behind the minus sign of a product."""
    factors = factors_in_order(rest, rest.as_ordered_factors()) if rest.is_Mul else [rest]
    return product(factors if n == -1 else [-n, *factors])


def product(factors: Sequence[Any]) -> Formula:
    """Return the product of expressions, in this order, with what is divided by below the bar."""
    above: list[Any] = []
    below: list[Any] = []
    for f in factors:
        if f.is_Rational:
            above.extend([sp.Integer(f.p)] if f.p != 1 else [])
            below.extend([sp.Integer(f.q)] if f.q != 1 else [])
        elif f.is_commutative and f.is_Pow and f.exp.as_coeff_Mul()[0].is_extended_negative:
            below.append(f.base if f.exp == -1 else sp.Pow(f.base, -f.exp, evaluate=False))
        else:
            above.append(f)
    top = multiplied(above)
    return Quotient(top, multiplied(below)) if below else top


def multiplied(factors: Sequence[Any]) -> Formula:
    """Return a product of expressions that has no bar."""
    return times([formula(f) for f in factors])


def times(parts: Sequence[Formula]) -> Formula:
    """Return a product of formulas."""
    return Product(*parts) if len(parts) > 1 else parts[0] if parts else ONE


def _pow(e: Any) -> Formula:
    base, exponent = e.args
    if exponent.is_Rational and exponent < 0 and base.is_commutative:
        return Quotient(ONE, formula(base if exponent == -1 else sp.Pow(base, -exponent, evaluate=False)))
    return Power(formula(base), HALF if exponent == sp.Rational(1, 2) else formula(exponent))


# ------------------------------------------------------------------ functions
def _function(e: Any) -> Formula:
    scalar = BY_FUNCTION.get(type(e))
    return call(scalar.name if scalar is not None else type(e).__name__, *e.args)


def polygamma(n: Any, x: Any) -> Formula:
    """Return the n-th derivative of ψ at x."""
    order = formula(n)
    return call("digamma", x) if order == number(0) else Call(Name("polygamma"), [order, formula(x)])


# ------------------------------------------------------------------ conditions
def _relation(e: Any) -> Formula:
    return Compare(formula(e.lhs), _SIGNS.get(e.rel_op, e.rel_op), formula(e.rhs))


def cases(rows: Sequence[tuple[Formula, Formula]], bracket: Formula | None) -> Formula:
    """Return a case distinction, or Iverson's bracket of the condition."""
    return Fenced(bracket, "[", "]") if bracket is not None else Cases(*(part for row in rows for part in row))


def condition(e: Any) -> Formula:
    """Return a condition; what always holds is what is left."""
    return Otherwise() if e == True else formula(e)  # noqa: E712  (SymPy's true)


def _piecewise(e: Any) -> Formula:
    (value, first), *_, (other, _) = e.args
    is_bracket = len(e.args) == 2 and value == 1 and other == 0
    return cases([(formula(v), condition(c)) for v, c in e.args], formula(first) if is_bracket else None)


# ------------------------------------------------------------------ entries
def entry(name: Formula, indices: Sequence[Any]) -> Entry:
    """Return an entry of an array."""
    return Entry(name, tuple(map(formula, indices)))


def over(sign: str, e: Any, whole: bool) -> Over:
    """Return a sum or a product over indices."""
    limits = tuple(tuple(map(formula, limit)) for limit in e.limits)
    return Over(sign, formula(e.function), limits, whole=whole)


def with_axes(written: Formula, axes: Sequence[int], linear: bool) -> Formula:
    """Return a call with the axes along which it goes; what selects entries has them behind it."""
    along = formula(sp.Integer(axes[0])) if len(axes) == 1 else Tuple(tuple(map(number, axes)))
    if isinstance(written, Call):
        return replace(written, keywords=(*written.keywords, Keyword("axis", along)))
    return written if linear else Along(written, along)


_RULES: dict[type, Rule] = {
    sp.Symbol: lambda e: Name(e.name),
    sp.Dummy: lambda e: Name(f"_{e.name}"),
    sp.Integer: lambda e: number(int(e)),
    sp.Rational: _rational,
    sp.Float: _float,
    sp.Add: _add,
    sp.Mul: _mul,
    sp.Pow: _pow,
    sp.Function: _function,
    sp.exp: lambda e: call("exp", e.args[0]),
    sp.Abs: lambda e: call("abs", e.args[0]),
    sp.polygamma: lambda e: polygamma(*e.args),
    **{kind: (lambda e: call(_WORDS[type(e)], *e.args)) for kind in _WORDS},
    sp.Max: _function,
    sp.Min: _function,
    sp.core.relational.Relational: _relation,
    sp.And: lambda e: Both(*map(formula, e.args)),
    sp.Or: lambda e: Both(*map(formula, e.args), sign="or"),
    sp.Not: lambda e: Unary("not", formula(e.args[0])),
    sp.Piecewise: _piecewise,
    sp.Indexed: lambda e: entry(Name(str(e.base.label)), e.indices),
    sp.IndexedBase: lambda e: Name(str(e.label)),
    sp.Sum: lambda e: over("Sum", e, whole=False),
    sp.Product: lambda e: over("Prod", e, whole=False),
    sp.KroneckerDelta: lambda e: entry(Letter("δ"), e.args),
    sp.Tuple: lambda e: Tuple(tuple(map(formula, e.args))),
    sp.NDimArray: lambda e: Rows(tuple((formula(a),) for a in e), vector=True) if e.shape else formula(e[()]),
    sp.core.symbol.Str: lambda e: Name(e.name),
}
