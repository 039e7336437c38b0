"""Array expressions of the entries: the elementwise product, powers, and functions of each entry."""

from __future__ import annotations

from typing import Any

import sympy as sp
from sympy.core.symbol import Str
from sympy.printing.precedence import PRECEDENCE

from symgrad.expression import markup
from symgrad.forms.nodes import numpycode
from symgrad.forms.nodes.matrices import ArrayExpr, ArraySymbol, entries
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

    def _sympystr(self, printer: Any) -> str:
        return " ⊙ ".join(self._paren(printer, f, self.precedence + 1) for f in self.args[:-1])

    def _latex(self, printer: Any) -> str:
        return r" \odot ".join(self._paren_latex(printer, f, self.precedence + 1) for f in self.args[:-1])

    def _mathml(self, printer: Any) -> str:
        return markup.spaced([printer.paren(f, self.precedence + 1) for f in self.args[:-1]], markup.mo("⊙"))

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

    def _sympystr(self, printer: Any) -> str:
        a, power = self.args[:2]
        if power.is_negative:
            return f"1 ⊘ {self._paren(printer, self.under(), Hadamard.precedence + 1)}"
        if self._is_root():
            return f"sqrt({printer._print(a)})"
        text, base = printer._print(power), self._paren(printer, a, PRECEDENCE["Func"])
        return f"{base}^⊙{text if power.is_Atom and power.is_Integer else f'({text})'}"

    @property
    def bar(self) -> tuple[Any, Any] | None:
        """1 above, and what stands below the bar of a negative power."""
        return (sp.S.One, self.under()) if self.args[1].is_negative else None

    def under(self) -> Any:
        """What stands below the bar of a negative power."""
        a, power = self.args[:2]
        return a if power == -1 else ElementPower(a, -power, self.args[-1])

    def _latex(self, printer: Any) -> str:
        a, power = self.args[:2]
        if power.is_negative:
            return f"1 \\oslash {self._paren_latex(printer, self.under(), Hadamard.precedence + 1)}"
        if self._is_root():
            return f"\\sqrt{{{printer._print(a)}}}"
        base = self._paren_latex(printer, a, PRECEDENCE["Func"])
        if base.endswith(("^{\\top}", "^{-1}", "{-\\top}")):  # one superscript is all that TeX takes
            base = f"\\left({base}\\right)"
        return f"{base}^{{\\odot {printer._print(power)}}}"

    def _mathml(self, printer: Any) -> str:
        a, power = self.args[:2]
        if power.is_negative:
            below = printer.paren(self.under(), Hadamard.precedence + 1)
            return markup.row(markup.mn("1"), markup.mo("⊘"), below)
        if self._is_root():
            return f"<msqrt>{printer._print(a)}</msqrt>"
        return _raised(printer, a, printer._print(power))

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


def _raised(printer: Any, base: Any, exponent: str) -> str:
    """Write a power of each entry in MathML; what is raised is in brackets unless it is a name."""
    text = str(printer._print(base))
    text = text if isinstance(base, ArraySymbol) else markup.fenced(text)
    return markup.power(text, markup.row(markup.mo("⊙"), exponent))


class ArrayPower(ArrayExpr):
    """Each entry to the power of the other array's entry."""

    precedence = PRECEDENCE["Pow"]

    @classmethod
    def of(cls, base: Any, exponent: Any, shape: Any) -> Any:
        return cls(base, exponent, sp.Tuple(*shape))

    def _sympystr(self, printer: Any) -> str:
        base, exponent = (self._paren(printer, a, _ATOM) for a in self.args[:2])
        return f"{base}^⊙{exponent}"

    def _latex(self, printer: Any) -> str:
        base = self._paren_latex(printer, self.args[0], _ATOM)
        base = f"\\left({base}\\right)" if base.endswith("}") else base  # one superscript is all that TeX takes
        return f"{base}^{{\\odot {self._paren_latex(printer, self.args[1], _ATOM)}}}"

    def _mathml(self, printer: Any) -> str:
        return _raised(printer, self.args[0], printer.paren(self.args[1], _ATOM))

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
        return declaration(str(self.args[0]))

    def _order(self) -> str | None:
        """Which derivative of ψ this is, None of other functions."""
        return str(self.args[1]) if str(self.args[0]) == "polygamma" else None

    def _sympystr(self, printer: Any) -> str:
        if self._order() == "0":
            return f"digamma({printer._print(self.args[2])})"
        return f"{self._declared().text}({', '.join(map(printer._print, self.args[1:-1]))})"

    def _latex(self, printer: Any) -> str:
        if (n := self._order()) is not None:
            return f"\\psi{'' if n == '0' else f'^{{({n})}}'}\\left({printer._print(self.args[2])}\\right)"
        return str(self._declared().spelled(list(map(printer._print, self.args[1:-1]))))

    def _mathml(self, printer: Any) -> str:
        texts = [str(printer._print(a)) for a in self.args[1:-1]]
        if (n := self._order()) is not None:
            psi = markup.mi("ψ") if n == "0" else markup.power(markup.mi("ψ"), markup.fenced(markup.mn(n)))
            return markup.row(psi, markup.fenced(texts[1]))
        if str(self.args[0]) == "exp" and not self.shape:
            return str(printer.exponential(texts[0]))
        return markup.row(markup.name(self._declared().text), markup.fenced(markup.listed(texts)))

    def _numpycode(self, printer: Any) -> str:
        return numpycode.declared(printer, self._declared(), entries(printer, self.args[1:-1]))
