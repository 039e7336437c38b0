"""∂L/∂Z as a symbol: a number or array of formulas, printed as a quotient and never divided."""

from __future__ import annotations

from typing import Any

import sympy as sp
from sympy.core.symbol import Str
from sympy.printing.precedence import PRECEDENCE

from symgrad.expression import markup
from symgrad.forms.nodes.arrays import ArrayExpr
from symgrad.forms.nodes.indexed import joined
from symgrad.support.foreign import latex_name, plain_name


class Adjoint(ArrayExpr):
    """The derivative of the output by an intermediate, shaped like the intermediate."""

    precedence = PRECEDENCE["Func"]  # a transposed one is in brackets, one that is multiplied is not

    @classmethod
    def of(cls, output: str, name: str, shape: Any, straight: bool) -> Any:
        """Make the symbol; ``straight`` writes dy/du, as one does where all are numbers."""
        return cls(Str(output), Str(name), Str("d" if straight else "∂"), sp.Tuple(*shape))

    def __new__(cls, *args: Any) -> Any:
        """Make the node; a number commutes."""
        made = super().__new__(cls, *args)
        made.is_commutative = not made.shape
        return made

    @property
    def parts(self) -> tuple[str, str, str]:
        """The output's name, the intermediate's, and d or ∂."""
        output, name, sign, _ = map(str, self.args)
        return output, name, sign

    def _sympystr(self, printer: Any) -> str:
        output, name, sign = self.parts
        return f"{sign}{plain_name(output)}/{sign}{plain_name(name)}"

    def _latex(self, printer: Any, exp: str | None = None) -> str:
        output, name, sign = self.parts
        sign = r"\partial " if sign == "∂" else "d"
        text = f"\\frac{{{sign}{latex_name(output)}}}{{{sign}{latex_name(name)}}}"
        return f"\\left({text}\\right)^{{{exp}}}" if exp else text

    def _mathml(self, printer: Any) -> str:
        output, name, sign = self.parts
        d = '<mo rspace="0" lspace="0">∂</mo>' if sign == "∂" else markup.mi("d")
        return markup.fraction(markup.row(d, markup.name(output)), markup.row(d, markup.name(name)))


class AdjointAt(sp.Expr):
    """An entry of such an array."""

    is_commutative = True
    precedence = PRECEDENCE["Atom"]

    @classmethod
    def of(cls, adjoint: Adjoint, indices: Any) -> Any:
        """Make the entry."""
        return cls(adjoint, *indices)

    def _sympystr(self, printer: Any) -> str:
        adjoint, *indices = self.args
        return f"({printer._print(adjoint)})_{joined([printer._print(k) for k in indices])}"

    def _latex(self, printer: Any, exp: str | None = None) -> str:
        adjoint, *indices = self.args
        places = joined([printer._print(k) for k in indices])
        text = f"\\left({printer._print(adjoint)}\\right)_{{{places}}}"
        return f"{text}^{{{exp}}}" if exp else text

    def _mathml(self, printer: Any) -> str:
        adjoint, *indices = self.args
        return markup.below(markup.fenced(str(printer._print(adjoint))), printer.places(indices))
