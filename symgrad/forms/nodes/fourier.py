"""The matrix of a Fourier transform as a node: a letter in the formula, and behind ``where`` what the letter is."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import sympy as sp
from sympy.core.symbol import Str

from symgrad.expression import markup
from symgrad.forms.nodes import numpycode
from symgrad.forms.nodes.arrays import ATOM, ArrayExpr, ComplexSymbol
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
        return str(self.args[0])

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

    def _sympystr(self, printer: Any) -> str:
        return f"{self.name}ᴴ" if self.is_adjoint else self.name

    def _latex(self, printer: Any) -> str:
        return f"{self.name}^{{\\mathsf{{H}}}}" if self.is_adjoint else self.name

    def _mathml(self, printer: Any) -> str:
        return markup.power(markup.mi(self.name), markup.mo("H")) if self.is_adjoint else markup.mi(self.name)

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

    def _sympystr(self, printer: Any) -> str:
        n = printer._print(self.args[0])
        return f"rfft(eye({n}))ᵀ" if self._is_half else f"fft(eye({n}))"

    def _latex(self, printer: Any) -> str:
        name, sign = ("rfft", r"^{\top}") if self._is_half else ("fft", "")
        return f"\\operatorname{{{name}}}\\left(I_{{{printer._print(self.args[0])}}}\\right){sign}"

    def _mathml(self, printer: Any) -> str:
        eye = f"<msub>{markup.mi('I')}{printer._print(self.args[0])}</msub>"
        transform = markup.row(markup.mi("rfft" if self._is_half else "fft"), markup.fenced(eye))
        return markup.power(transform, markup.mo("⊤")) if self._is_half else transform

    def _numpycode(self, printer: Any) -> str:
        return _kernel(printer, [self.args[0], self.shape[0]])


def _kernel(printer: Any, args: list[Any]) -> str:
    return numpycode.call(printer, f"{fourier.__module__}.{fourier.__name__}", *map(printer._print, args))


def defined(formulas: Iterable[Any]) -> list[tuple[Any, Any]]:
    """Return the letters of the transforms in formulas with what they stand for, each once, the last first."""
    letters = {s.name: s.definition for e in formulas for s in sp.preorder_traversal(e) if isinstance(s, FourierSymbol)}
    return [letters[name] for name in sorted(letters, reverse=True)]
