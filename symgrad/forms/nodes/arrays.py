"""The base of array expressions, and those without parts: named arrays, ones, the identity."""

from __future__ import annotations

from typing import Any

import sympy as sp
from sympy.core.symbol import Str
from sympy.printing.precedence import PRECEDENCE, precedence
from sympy.printing.pretty.stringpict import prettyForm

from symgrad.errors import FormError
from symgrad.expression import formula as write
from symgrad.forms.nodes import numpycode
from symgrad.forms.nodes.formulas import Printed
from symgrad.forms.nodes.indexed import no_array

ATOM = PRECEDENCE["Atom"]
_BINDING = {
    ATOM: prettyForm.ATOM, PRECEDENCE["Func"]: prettyForm.FUNC, PRECEDENCE["Pow"]: prettyForm.POW,
    PRECEDENCE["Mul"]: prettyForm.MUL,
}  # fmt: skip


class ArrayExpr(Printed, sp.Expr):
    """Base of the array nodes. The last argument is the shape."""

    is_commutative = False
    kept_by_transposing = False
    is_imaginary_array = False  # whether its entries may be no real numbers, whatever its parts are
    _diff_wrt = False

    @property
    def shape(self) -> tuple[Any, ...]:
        """The sizes of the axes."""
        return tuple(self.args[-1])

    @property
    def bar(self) -> tuple[Any, Any] | None:
        """What is above and below the bar of an elementwise quotient; None of all else."""
        return None

    def diff(self, *symbols: Any, **assumptions: Any) -> Any:
        """Refuse the derivative with respect to an array: SymPy would find no symbol of that name, and say 0."""
        arrays = {s.name for s in self.free_symbols if isinstance(s, ArraySymbol)}
        for name in (getattr(s, "name", s) for s in symbols):
            if name in arrays:
                raise FormError(
                    f"diff: {name!r} is an array here. Use sg.derive(form, {name!r}), or form.diff({name!r})."
                )
        return super().diff(*symbols, **assumptions)

    def _pretty(self, printer: Any) -> Any:
        return prettyForm(str(self), binding=_BINDING.get(level(self), prettyForm.ADD))

    def _calls(self, printer: Any, name: str) -> str:
        """Return NumPy source that calls a function of the first argument."""
        return numpycode.call(printer, name, printer._print(self.args[0]))


def level(e: Any) -> int:
    """Return the precedence of an expression in text."""
    return int(getattr(e, "precedence", None) or precedence(e))


class ArraySymbol(ArrayExpr):
    """A named array."""

    precedence = ATOM
    is_symbol = True  # for lambdify
    is_Atom = True  # for cse

    @classmethod
    def of(cls, name: str, shape: Any, symmetric: bool = False) -> Any:
        return cls(Str(str(name)), *[Str("symmetric")] * symmetric, sp.Tuple(*shape))

    @property
    def name(self) -> str:
        """The name that is printed."""
        return str(self.args[0].name)

    def called(self, name: str) -> Any:
        """The same array by another name, its shape apart from marks."""
        return type(self).of(name, self.shape)

    def _eval_subs(self, old: Any, new: Any) -> Any:
        if type(old) is not sp.Symbol or old.name != self.name:
            return None
        if isinstance(new, ArrayExpr) and new.shape == self.shape:
            return new
        raise no_array(self.name)

    @property
    def free_symbols(self) -> set[Any]:
        """Itself, and the symbolic sizes."""
        return {self}.union(*[d.free_symbols for d in self.args[-1]])

    def formula(self) -> write.Formula:
        return write.Name(self.name)

    def _numpycode(self, printer: Any) -> str:
        return numpycode.identifier(self.name)


class ComplexSymbol(ArraySymbol):
    """A named array of complex numbers."""

    is_imaginary_array = True


class OnesVector(ArrayExpr):
    """The column of n ones."""

    precedence = ATOM

    @classmethod
    def of(cls, n: Any) -> Any:
        return cls(sp.Tuple(n))

    def formula(self) -> write.Formula:
        return write.Letter("𝟏")

    def _numpycode(self, printer: Any) -> str:
        return numpycode.call(printer, "numpy.ones", printer._print(self.shape[0]))


class Identity(ArrayExpr):
    """The identity matrix."""

    precedence = ATOM

    @classmethod
    def of(cls, n: Any) -> Any:
        return cls(sp.Tuple(n, n))

    def formula(self) -> write.Formula:
        return write.Letter("I")

    def _numpycode(self, printer: Any) -> str:
        return numpycode.call(printer, "numpy.eye", printer._print(self.shape[0]))
