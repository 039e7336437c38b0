"""The matrix of a Fourier transform as a node: a letter in the formula, and behind ``where`` what the letter is."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import sympy as sp
from sympy.core.symbol import Str

from symgrad.expression import formula as write
from symgrad.forms.nodes import numpycode
from symgrad.forms.nodes.arrays import ATOM, ArrayExpr, ComplexSymbol
from symgrad.forms.nodes.formulas import call
from symgrad.forms.nodes.transforming import fourier


class FourierSymbol(ArrayExpr):
    """F of F*x, or Fᴴ; of half the frequencies it has fewer rows than columns."""

    precedence = ATOM
    is_imaginary_array = True

    @classmethod
    def of(cls, name: str, n: Any, shape: Any, adjoint: bool = False) -> Any:
        """Make the node by its letter, the length of what is transformed, and its shape."""
        return cls(Str(name), sp.sympify(n), *[Str("adjoint")] * adjoint, sp.Tuple(*shape))

    @property
    def name(self) -> str:
        """The letter of the Fourier matrix."""
        return str(self.args[0].name)

    @property
    def is_adjoint(self) -> bool:
        """Whether it is conjugated, too."""
        return len(self.args) == 4

    @property
    def kept_by_transposing(self) -> bool:  # type: ignore[override]
        """Whether all frequencies are there, so that it is symmetric."""
        return bool(self.shape[0] == self.shape[1])

    @property
    def definition(self) -> tuple[Any, Any]:
        """The letter, and what it stands for."""
        shape = self.shape if not self.is_adjoint else self.shape[::-1]
        whole = Transform(self.args[1], sp.Tuple(*shape))
        return ComplexSymbol.of(self.name, shape), whole

    def formula(self) -> write.Formula:
        return write.Raised(write.Letter(self.name), "ᴴ") if self.is_adjoint else write.Letter(self.name)

    def _numpycode(self, printer: Any) -> str:
        rows = self.shape[1] if self.is_adjoint else self.shape[0]
        return _kernel(printer, [self.args[1], rows, *[sp.S.One] * self.is_adjoint])


class Transform(ArrayExpr):
    """The transform of the identity: ``fft(eye(n))``, or ``rfft(eye(n))ᵀ``."""

    precedence = ATOM
    is_imaginary_array = True

    @property
    def _is_half(self) -> bool:
        return bool(self.shape[0] != self.shape[1])

    def formula(self) -> write.Formula:
        transform = write.Call(write.Name("rfft" if self._is_half else "fft"), [call("eye", self.args[0])])
        return write.Raised(transform, "ᵀ") if self._is_half else transform

    def _numpycode(self, printer: Any) -> str:
        return _kernel(printer, [self.args[0], self.shape[0]])


def _kernel(printer: Any, args: list[Any]) -> str:
    return numpycode.call(printer, f"{fourier.__module__}.{fourier.__name__}", *map(printer._print, args))


def defined(formulas: Iterable[Any]) -> list[tuple[Any, Any]]:
    """Return the letters of the transforms in formulas with what they stand for, each once, the last first."""
    letters = {s.name: s.definition for e in formulas for s in sp.preorder_traversal(e) if isinstance(s, FourierSymbol)}
    return [letters[name] for name in sorted(letters, reverse=True)]
