"""Array expressions of the entries: the elementwise product, powers, and functions of each entry."""

from __future__ import annotations

from typing import Any

import sympy as sp
from sympy.core.symbol import Str
from sympy.printing.precedence import PRECEDENCE

from symgrad.expression import formula as write
from symgrad.expression.arithmetic import ONE
from symgrad.forms.nodes import numpycode
from symgrad.forms.nodes.formulas import call, formula, polygamma
from symgrad.forms.nodes.matrices import ArrayExpr, entries
from symgrad.scalars import BY_FUNCTION, declaration
from symgrad.scalars.quotients import pieces

_ATOM = PRECEDENCE["Atom"]


class Hadamard(ArrayExpr):
    """The elementwise product."""

    precedence = PRECEDENCE["Mul"] - 1

    @classmethod
    def of(cls, factors: Any, shape: Any) -> Any:
        flat: list[Any] = []
        for f in factors:
            flat.extend(f.args[:-1] if isinstance(f, Hadamard) else [f])
        return flat[0] if len(flat) == 1 else cls(*flat, sp.Tuple(*shape))

    def formula(self) -> write.Formula:
        return write.Infix(*map(formula, self.args[:-1]), sign="⊙")

    def _numpycode(self, printer: Any) -> str:
        above = [f for f in self.args[:-1] if not (isinstance(f, ElementPower) and f.args[1].is_negative)]
        below = [p for f in self.args[:-1] if f not in above for p in divisors(f.under())]
        texts = entries(printer, [*above, *below])
        return f"({'*'.join(texts[: len(above)]) or 1}{''.join(f'/{t}' for t in texts[len(above) :])})"


class ElementPower(ArrayExpr):
    """Each entry to a power."""

    @classmethod
    def of(cls, a: Any, power: Any) -> Any:
        return cls(a, power, sp.Tuple(*a.shape))

    @property
    def precedence(self) -> int:
        """A negative power prints as a quotient, a square root as a function."""
        if self.args[1].is_negative:
            return int(Hadamard.precedence)
        return _ATOM if self._is_root() else int(PRECEDENCE["Pow"])

    def _is_root(self) -> bool:
        return bool(self.args[1] == sp.Rational(1, 2))

    def formula(self) -> write.Formula:
        a, power = self.args[:2]
        if power.is_negative:
            return write.Infix(ONE, formula(self.under()), sign="⊘")
        return call("sqrt", a) if self._is_root() else write.EntryPower(formula(a), formula(power))

    @property
    def bar(self) -> tuple[Any, Any] | None:
        """1 above, and what stands below the bar of a negative power."""
        return (sp.S.One, self.under()) if self.args[1].is_negative else None

    def under(self) -> Any:
        """What stands below the bar of a negative power."""
        a, power = self.args[:2]
        return a if power == -1 else ElementPower(a, -power, self.args[-1])

    def _numpycode(self, printer: Any) -> str:
        a, power = self.args[:2]
        if power.is_negative:
            return f"(1/{'/'.join(map(printer._print, divisors(self.under())))})"
        if self._is_root():
            return self._calls(printer, "numpy.sqrt")
        return (
            printer._print(a)
            if power == 1
            else f"({printer._print(a)}**{printer.parenthesize(power, _ATOM, strict=True)})"
        )


def divisors(below: Any) -> list[Any]:
    """By what to divide in turn, for a quotient by this."""
    if isinstance(below, Hadamard):
        return [d for f in below.args[:-1] for d in divisors(f)]
    if not isinstance(below, ElementPower) or below.args[1].is_negative:
        return [below]
    a, power, shape = below.args
    return [a if p == 1 else ElementPower(a, p, shape) for p in pieces(power)]


class ArrayPower(ArrayExpr):
    """Each entry to the power of the other array's entry."""

    precedence = PRECEDENCE["Pow"]

    @classmethod
    def of(cls, base: Any, exponent: Any, shape: Any) -> Any:
        return cls(base, exponent, sp.Tuple(*shape))

    def formula(self) -> write.Formula:
        return write.EntryPower(*map(formula, self.args[:2]))

    def _numpycode(self, printer: Any) -> str:
        return f"({'**'.join(entries(printer, self.args[:2]))})"


class Elementwise(ArrayExpr):
    """A scalar function of each entry."""

    precedence = PRECEDENCE["Func"]

    def __new__(cls, *args: Any) -> Any:
        made = super().__new__(cls, *args)
        made.is_commutative = not made.shape
        return made

    @classmethod
    def of(cls, function: Any, arguments: Any, shape: Any) -> Any:
        return cls(Str(BY_FUNCTION[function].name), *arguments, sp.Tuple(*shape))

    def _declared(self) -> Any:
        return declaration(str(self.args[0].name))

    def _order(self) -> str | None:
        """Which derivative of ψ this is, None of other functions."""
        return str(self.args[1]) if str(self.args[0].name) == "polygamma" else None

    def formula(self) -> write.Formula:
        if str(self.args[0].name) == "polygamma":
            return polygamma(*self.args[1:-1])
        return call(str(self.args[0].name), *self.args[1:-1], plain=bool(self.shape))

    def _numpycode(self, printer: Any) -> str:
        return numpycode.declared(printer, self._declared(), entries(printer, self.args[1:-1]))
