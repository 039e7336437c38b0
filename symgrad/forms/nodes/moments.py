"""What depends on the step of a loop: a state ``h[t]``, a sum over all steps, and what is stacked step by step."""

from __future__ import annotations

from typing import Any

import sympy as sp
from sympy.core.symbol import Str
from sympy.printing.precedence import PRECEDENCE

from symgrad.expression import markup
from symgrad.forms.nodes.arrays import ATOM, ArrayExpr
from symgrad.support.foreign import latex_name, plain_name

STEP = sp.Symbol("t", integer=True)
_PRODUCT = PRECEDENCE["Mul"]  # what stands behind Σ without brackets


class Moment(ArrayExpr):
    """An array at a step: its name, and which step, as t + 1."""

    precedence = ATOM
    is_symbol = True
    is_Atom = True

    @classmethod
    def of(cls, name: str, at: Any, shape: Any) -> Any:
        return cls(Str(name), sp.sympify(at), sp.Tuple(*shape))

    def _sympystr(self, printer: Any) -> str:
        return f"{plain_name(str(self.args[0]))}[{_close(self.args[1])}]"

    def _latex(self, printer: Any) -> str:
        name = latex_name(str(self.args[0]))
        return f"{{{name}}}_{{{_close(self.args[1])}}}" if "_{" in name else f"{name}_{{{_close(self.args[1])}}}"

    def _mathml(self, printer: Any) -> str:
        return markup.below(markup.name(str(self.args[0])), str(printer._print(self.args[1])))


class MomentNumber(Moment):
    """A number at a step."""

    is_commutative = True
    is_real = True

    def _latex(self, printer: Any, exp: str | None = None) -> str:
        text = super()._latex(printer)
        return text if exp is None else f"{text}^{{{exp}}}"


def _close(at: Any) -> str:
    return str(at).replace(" ", "")


class OverSteps(ArrayExpr):
    """Σ over the steps of a loop of an array: the array, the first and the last step."""

    precedence = PRECEDENCE["Mul"]

    @classmethod
    def of(cls, e: Any, first: int, last: int, shape: Any) -> Any:
        return cls(e, sp.Integer(first), sp.Integer(last), sp.Tuple(*shape))

    def _sympystr(self, printer: Any) -> str:
        e, first, last = self.args[:3]
        return f"Sum_{{t={first}..{last}}} {self._paren(printer, e, _PRODUCT)}"

    def _latex(self, printer: Any) -> str:
        e, first, last = self.args[:3]
        return rf"\sum_{{t={first}}}^{{{last}}} {self._paren_latex(printer, e, _PRODUCT)}"

    def _mathml(self, printer: Any) -> str:
        e, first, last = self.args[:3]
        start = markup.row(markup.mi("t"), markup.mo("="), markup.mn(str(first)))
        sign = f"<munderover>{markup.mo('∑')}{start}{markup.mn(str(last))}</munderover>"
        return markup.row(sign, printer.paren(e, _PRODUCT))


class Stacked(ArrayExpr):
    """The array whose entry t along the first axis this is."""

    precedence = ATOM

    @classmethod
    def of(cls, e: Any, shape: Any) -> Any:
        return cls(e, sp.Tuple(*shape))

    def _sympystr(self, printer: Any) -> str:
        return f"rows({printer._print(self.args[0])})"

    def _latex(self, printer: Any) -> str:
        return rf"\operatorname{{rows}}\left({printer._print(self.args[0])}\right)"

    def _mathml(self, printer: Any) -> str:
        return self._calls_in_mathml(printer, "rows")
