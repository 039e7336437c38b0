"""What depends on the step of a loop: a state ``h[t]``, a sum over all steps, and what is stacked step by step."""

from __future__ import annotations

from typing import Any

import sympy as sp
from sympy.core.symbol import Str
from sympy.printing.precedence import PRECEDENCE

from symgrad.expression import formula as write
from symgrad.forms.nodes.arrays import ATOM, ArrayExpr
from symgrad.forms.nodes.formulas import call, formula

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

    def formula(self) -> write.Formula:
        return write.Subscript(write.Name(str(self.args[0].name)), formula(self.args[1]))


class MomentNumber(Moment):
    """A number at a step."""

    is_commutative = True
    is_real = True


class OverSteps(ArrayExpr):
    """Σ over the steps of a loop of an array: the array, the first and the last step."""

    precedence = PRECEDENCE["Mul"]

    @classmethod
    def of(cls, e: Any, first: int, last: int, shape: Any) -> Any:
        return cls(e, sp.Integer(first), sp.Integer(last), sp.Tuple(*shape))

    def formula(self) -> write.Formula:
        e, first, last = self.args[:3]
        return write.Over("Sum", formula(e), ((formula(STEP), formula(first), formula(last)),))


class Stacked(ArrayExpr):
    """The array whose entry t along the first axis this is."""

    precedence = ATOM

    @classmethod
    def of(cls, e: Any, shape: Any) -> Any:
        return cls(e, sp.Tuple(*shape))

    def formula(self) -> write.Formula:
        return call("rows", self.args[0])
