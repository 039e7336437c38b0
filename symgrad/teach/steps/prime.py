"""What is written before it is worked out: (a·b)′, sin′(z), and dy/dv·dv/dx."""

from __future__ import annotations

from typing import Any

import sympy as sp
from sympy.printing.precedence import PRECEDENCE

from symgrad.expression import formula as write
from symgrad.expression.formula import Formula
from symgrad.forms.nodes.elementwise import Elementwise
from symgrad.forms.nodes.formulas import Printed, formula


class Prime(Printed, sp.Expr):
    """An expression with a dash; a function of one variable has it behind its name."""

    is_commutative = True
    precedence = PRECEDENCE["Func"]

    @classmethod
    def of(cls, e: Any) -> Any:
        """Make the node."""
        return cls(e)

    @property
    def names_function(self) -> bool:
        """Whether the dash stands behind a function's name."""
        (e,) = self.args
        inside: Any = e.args[1:-1] if isinstance(e, Elementwise) else e.args if e.is_Function else ()
        return len(inside) == 1 and bool(inside[0].is_Symbol)

    def formula(self) -> Formula:
        return write.Prime(formula(self.args[0]), function=self.names_function)


class Chain(Printed, sp.Expr):
    """A product in the order of the chain."""

    is_commutative = True
    precedence = PRECEDENCE["Mul"]

    def formula(self) -> Formula:
        return write.Product(*map(formula, self.args))
