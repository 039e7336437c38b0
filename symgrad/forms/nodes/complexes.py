"""Conjugates and parts of complex numbers, as nodes of arrays and of numbers: X̄, Re x, Im x, arg x."""

from __future__ import annotations

from typing import Any, NamedTuple

import sympy as sp
from sympy.core.symbol import Str

from symgrad.expression import formula as write
from symgrad.forms.nodes import numpycode
from symgrad.forms.nodes.arrays import ATOM, ArrayExpr
from symgrad.forms.nodes.formulas import call


class _Words(NamedTuple):
    text: str
    latex: str
    numpy: str


WORDS = {
    sp.conjugate: _Words("conj", r"\overline", "numpy.conjugate"),
    sp.re: _Words("Re", r"\operatorname{Re}", "numpy.real"),
    sp.im: _Words("Im", r"\operatorname{Im}", "numpy.imag"),
    sp.arg: _Words("arg", r"\arg", "numpy.angle"),
}


def holds_complex(e: Any) -> bool:
    """Whether the entries of an expression may be no real numbers."""
    if isinstance(e, Part) and not isinstance(e, Conjugated):
        return False
    if getattr(e, "is_imaginary_array", False) or e is sp.I or (isinstance(e, sp.Symbol) and e.is_real is None):
        return True
    if e.is_Function and e.func in (sp.re, sp.im, sp.arg, sp.Abs):
        return False
    if str(e.args[0] if e.args else "") == "abs":
        return False
    return any(holds_complex(a) for a in e.args if isinstance(a, sp.Expr))


class Part(ArrayExpr):
    """The real or imaginary part, or the angle, of each entry."""

    precedence = ATOM

    def __new__(cls, *args: Any) -> Any:
        made = super().__new__(cls, *args)
        made.is_commutative = not made.shape
        return made

    @staticmethod
    def of(head: Any, a: Any, shape: Any) -> Any:
        """Make the node of a function of SymPy's: conjugate, re, im, arg."""
        kind = Conjugated if head is sp.conjugate else Part
        return kind(Str(WORDS[head].text), a, sp.Tuple(*shape))

    @property
    def _words(self) -> _Words:
        return next(w for w in WORDS.values() if w.text == str(self.args[0].name))

    def formula(self) -> write.Formula:
        return call(self._words.text, self.args[1])

    def _numpycode(self, printer: Any) -> str:
        return numpycode.call(printer, self._words.numpy, printer._print(self.args[1]))


class Conjugated(Part):
    """The conjugate of each entry; its transpose is the adjoint Xᴴ."""
