"""∂L/∂Z as a symbol: a number or array of formulas, printed as a quotient and never divided."""

from __future__ import annotations

from typing import Any

import sympy as sp
from sympy.core.symbol import Str
from sympy.printing.precedence import PRECEDENCE

from symgrad.expression.formula import Fenced, Formula, Label
from symgrad.forms.nodes.arrays import ArrayExpr
from symgrad.forms.nodes.formulas import Printed, entry, formula


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

    def formula(self) -> Formula:
        output, name, sign = self.parts
        return Label(output, (name,), sign=sign)


class AdjointAt(Printed, sp.Expr):
    """An entry of such an array."""

    is_commutative = True
    precedence = PRECEDENCE["Atom"]

    @classmethod
    def of(cls, adjoint: Adjoint, indices: Any) -> Any:
        """Make the entry."""
        return cls(adjoint, *indices)

    def formula(self) -> Formula:
        adjoint, *indices = self.args
        return entry(Fenced(formula(adjoint), "(", ")"), indices)
