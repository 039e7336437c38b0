"""Formulas as presentation MathML: how SymPy's expressions are written among symgrad's nodes."""

from __future__ import annotations

from typing import Any

import sympy as sp
from sympy.printing.precedence import PRECEDENCE
from sympy.printing.printer import Printer

from symgrad.expression.markup import (
    BEFORE_WORD,
    INVISIBLE,
    below,
    cases,
    fenced,
    fraction,
    listed,
    math,
    mi,
    mn,
    mo,
    name,
    power,
    row,
    signed,
    spaced,
)  # fmt: skip
from symgrad.forms.nodes import printers
from symgrad.forms.nodes.arrays import level
from symgrad.forms.nodes.complexes import WORDS
from symgrad.forms.nodes.indexed import over_and_under
from symgrad.forms.nodes.order import terms_in_order
from symgrad.scalars import BY_FUNCTION
from symgrad.support.foreign import html

MUL, ATOM = PRECEDENCE["Mul"], PRECEDENCE["Atom"]
_RELATIONS = {"==": "=", "!=": "≠", "<=": "≤", ">=": "≥"}


class MathML(Printer):
    """SymPy's classes; symgrad's nodes write themselves, in ``_mathml``."""

    printmethod = "_mathml"
    named_e = False  # whether something is called e, so that the exponential is exp

    def doprint(self, e: Any) -> str:
        """Return e in MathML."""
        self.named_e = any(getattr(s, "name", "") == "e" for s in getattr(e, "free_symbols", ()))
        return str(super().doprint(e))

    def emptyPrinter(self, e: Any) -> str:
        """Anything unknown is written as its text: badly, but readably."""
        return f"<mtext>{html(printers.text(e))}</mtext>"

    def paren(self, e: Any, least: int) -> str:
        """Return e, in brackets where it binds less than ``least``."""
        text = self._print(e)
        return fenced(text) if level(e) < least else str(text)

    # ---------------------------------------------------------------- leaves
    def _print_Symbol(self, e: Any) -> str:
        return name(e.name)

    def _print_Str(self, e: Any) -> str:
        return mi(e.name)

    def _print_Integer(self, e: Any) -> str:
        return mn(str(e)) if e >= 0 else row(mo("−"), mn(str(-e)))

    def _print_Rational(self, e: Any) -> str:
        result = fraction(mn(str(abs(e.p))), mn(str(e.q)))
        return result if e.p >= 0 else row(mo("−"), result)

    def _print_Float(self, e: Any) -> str:
        text = printers.text(e)
        return row(mo("−"), mn(text[1:])) if text.startswith("-") else mn(text)

    def _print_Pi(self, e: Any) -> str:
        return mi("π")

    def _print_Exp1(self, e: Any) -> str:
        return mi("e")

    def _print_Infinity(self, e: Any) -> str:
        return mi("∞")

    def _print_NegativeInfinity(self, e: Any) -> str:
        return row(mo("−"), mi("∞"))

    def _print_NaN(self, e: Any) -> str:
        return mi("nan")

    def _print_BooleanTrue(self, e: Any) -> str:
        return mi("true")

    def _print_BooleanFalse(self, e: Any) -> str:
        return mi("false")

    # ---------------------------------------------------------------- arithmetic
    def _print_Add(self, e: Any) -> str:
        return self.sum(terms_in_order(e, e.as_ordered_terms()))

    def sum(self, terms: Any) -> str:
        """Return a sum of terms in this order."""
        parts = []
        for t in terms:
            negative = t.could_extract_minus_sign() and not t.is_Add
            parts.append((negative, self.paren(_negated(t) if negative else t, MUL)))
        return signed(parts)

    def _print_Mul(self, e: Any) -> str:
        factors = list(e.args if not e.args or type(e) is not sp.Mul else e.as_ordered_factors())
        negative = bool(factors) and factors[0].is_number and factors[0].could_extract_minus_sign()
        if negative:
            factors[0] = -factors[0]
            factors = [f for f in factors if f != 1] or [sp.S.One]
        top, bottom = over_and_under(factors)
        result = self._factors(top)
        if bottom:
            result = fraction(result, self._factors(bottom))
        elif negative and len(top) == 1:
            result = self.paren(top[0], MUL)
        return row(mo("−"), result) if negative else result

    def _factors(self, factors: list[Any]) -> str:
        if not factors:
            return mn("1")
        if len(factors) == 1:
            return str(self._print(factors[0]))
        parts: list[str] = []
        last: Any = None
        for k, f in enumerate(sorted(factors, key=_place)):
            between = mo("·") if last is not None and f.is_number and last.is_number else _times(f)
            text = self._factor(f, k == len(factors) - 1)
            parts.extend([between, text] if parts else [text])
            last = f
        return row(*parts)

    def _factor(self, f: Any, last: bool) -> str:
        """Return a factor; what follows a sum would be under its sign."""
        if not isinstance(f, (sp.Sum, sp.Product)):
            return self.paren(f, MUL)
        return str(self._print(f)) if last else fenced(str(self._print(f)))

    def _print_Pow(self, e: Any) -> str:
        base, exponent = e.args
        if exponent == sp.Rational(1, 2):
            return f"<msqrt>{self._print(base)}</msqrt>"
        if exponent.is_Rational and exponent < 0:
            under = sp.Pow(base, -exponent, evaluate=False) if exponent != -1 else base
            return fraction(mn("1"), str(self._print(under)))
        return self._raised(base, self._print(exponent))

    def _raised(self, base: Any, above: str) -> str:
        if base.is_Function and len(base.args) == 1 and not isinstance(base, (sp.exp, sp.Abs, sp.Piecewise)):
            return row(power(self.function_name(base), above), fenced(str(self._print(base.args[0]))))
        text = self._print(base)
        simple = base.is_Symbol or (base.is_Integer and base >= 0) or isinstance(base, sp.Indexed)
        return power(text if simple or text.startswith("<mrow><mo stretchy") else fenced(text), above)

    # ---------------------------------------------------------------- functions
    def function_name(self, e: Any) -> str:
        """Return the name of a function."""
        scalar = BY_FUNCTION.get(type(e))
        return name(scalar.text if scalar is not None else type(e).__name__)

    def _print_Function(self, e: Any) -> str:
        return row(self.function_name(e), fenced(listed([self._print(a) for a in e.args])))

    def _print_exp(self, e: Any) -> str:
        return self.exponential(str(self._print(e.args[0])))

    def exponential(self, exponent: str) -> str:
        """Return the exponential; no power of what the user calls e."""
        return row(mi("exp"), fenced(exponent)) if self.named_e else power(mi("e"), exponent)

    def _print_ImaginaryUnit(self, e: Any) -> str:
        return mi("i")

    def _print_conjugate(self, e: Any) -> str:
        return f'<mover accent="true">{self._print(e.args[0])}{mo("¯")}</mover>'

    def _print_re(self, e: Any) -> str:
        return row(mi(WORDS[type(e)].text), fenced(str(self._print(e.args[0]))))

    _print_im = _print_arg = _print_re

    def _print_Abs(self, e: Any) -> str:
        return fenced(str(self._print(e.args[0])), "|", "|")

    def _print_polygamma(self, e: Any) -> str:
        order = [] if e.args[0] == 0 else [fenced(str(self._print(e.args[0])))]
        return row(power(mi("ψ"), order[0]) if order else mi("ψ"), fenced(str(self._print(e.args[1]))))

    def _print_Max(self, e: Any) -> str:
        return row(mi("max"), fenced(listed([self._print(a) for a in e.args])))

    def _print_Min(self, e: Any) -> str:
        return row(mi("min"), fenced(listed([self._print(a) for a in e.args])))

    def _print_floor(self, e: Any) -> str:
        return fenced(str(self._print(e.args[0])), "⌊", "⌋")

    def _print_ceiling(self, e: Any) -> str:
        return fenced(str(self._print(e.args[0])), "⌈", "⌉")

    def _print_Tuple(self, e: Any) -> str:
        return fenced(listed([self._print(a) for a in e.args]))

    # ---------------------------------------------------------------- conditions
    def _print_Relational(self, e: Any) -> str:
        return row(self._print(e.lhs), mo(_RELATIONS.get(e.rel_op, e.rel_op)), self._print(e.rhs))

    def _print_And(self, e: Any) -> str:
        return spaced([self.bracketed(a) for a in e.args], mo("∧"))

    def _print_Or(self, e: Any) -> str:
        return spaced([self.bracketed(a) for a in e.args], mo("∨"))

    def _print_Not(self, e: Any) -> str:
        return row(mo("¬"), self.bracketed(e.args[0]))

    def bracketed(self, e: Any) -> str:
        """Return e, in brackets unless it is a symbol."""
        text = str(self._print(e))
        return text if e.is_Symbol else fenced(text)

    def _print_Piecewise(self, e: Any) -> str:
        (value, condition), *_, (other, _) = [tuple(b) for b in e.args]
        if len(e.args) == 2 and value == 1 and other == 0:  # Iverson's bracket
            return fenced(str(self._print(condition)), "[", "]")
        rows = [(self._print(v), None if c == True else self._print(c)) for v, c in e.args]  # noqa: E712
        return cases(rows)

    def _print_ImmutableDenseNDimArray(self, e: Any) -> str:
        return fenced(listed([str(self._print(a)) for a in e]), "[", "]") if e.shape else str(self._print(e[()]))

    def _print_KroneckerDelta(self, e: Any) -> str:
        return below(mi("δ"), self.places(e.args))

    # ---------------------------------------------------------------- entries and sums of them
    def places(self, indices: Any) -> str:
        """Return indices beside each other."""
        parts = [str(self._print(k)) for k in indices]
        return row(*parts) if all(k.is_Symbol or k.is_Integer for k in indices) else listed(parts)

    def _print_Indexed(self, e: Any) -> str:
        return below(name(str(e.base.label)), self.places(e.indices))

    def _print_Sum(self, e: Any) -> str:
        return self._over_indices("∑", e)

    def _print_Product(self, e: Any) -> str:
        return self._over_indices("∏", e)

    def _over_indices(self, sign: str, e: Any) -> str:
        signs = []
        for k, low, high in e.limits:
            start = row(self._print(k), mo("="), self._print(low))
            signs.append(f"<munderover>{mo(sign)}{start}{self._print(high)}</munderover>")
        return row(*signs, self.paren(e.function, MUL))


def _negated(t: Any) -> Any:
    """Return -t; of a product that is kept as it is written, with its first number changed."""
    if not t.is_Mul or type(t) is sp.Mul:
        return -t
    number, *rest = t.args
    if not number.is_number:
        return -t
    return t.func(*([] if number == -1 else [-number]), *rest, evaluate=False) if rest else -number


def _times(f: Any) -> str:
    """Return the sign between a factor and the one before it: none that is seen."""
    worded = f.is_Function or (f.is_Pow and f.base.is_Function)
    return BEFORE_WORD if worded and not f.has(sp.exp) else INVISIBLE


def _place(f: Any) -> int:
    """Where a factor stands: numbers first, then names, functions, brackets and sums."""
    if f.is_number:
        return 0
    if isinstance(f, (sp.Sum, sp.Product)):
        return 4
    return 3 if f.is_Add else 1 if isinstance(f, sp.Indexed) or f.is_Symbol else 2


def inside(e: Any) -> str:
    """Return the MathML of an expression, without the element around it."""
    return str(MathML().doprint(e))


def mathml(e: Any) -> str:
    """Return an expression as a MathML element."""
    return math(inside(e), printers.text(e))


def equation(left: Any, right: Any) -> str:
    """Return left = right as a MathML element."""
    return math(row(inside(left), mo("="), inside(right)), f"{printers.text(left)} = {printers.text(right)}")


def derivative_by(names: list[str], right: Any, said: str) -> str:
    """Return ∂/∂x = right, ∂²/∂x∂y = right as a MathML element, of names of what is differentiated by; said in text."""
    order = len(names)
    above = mo("∂") if order == 1 else power(mo("∂"), mn(str(order)))
    under = row(*[row(mo("∂"), name(n)) for n in names])
    return math(row(fraction(above, under), mo("="), inside(right)), f"{said} = {printers.text(right)}")


def in_html(*lines: str) -> str:
    """Return lines as a fragment of HTML that needs neither a script nor a network, as in a notebook."""
    style = "overflow-x:auto;line-height:2.2;font-size:1.05em"
    return "".join(f'<div class="symgrad-form" style="{style}">{line}</div>' for line in lines)
