"""What is written before it is worked out: (a·b)′, sin′(z), and dy/dv·dv/dx."""

from __future__ import annotations

from typing import Any

import sympy as sp
from sympy.printing.precedence import PRECEDENCE

from symgrad.expression import markup
from symgrad.expression.markup import DASH
from symgrad.forms.nodes.elementwise import Elementwise


class Prime(sp.Expr):
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

    def _sympystr(self, printer: Any) -> str:
        (e,) = self.args
        text = printer._print(e)
        if self.names_function and "(" in text:
            return str(text.replace("(", "′(", 1))
        return f"{text}′" if e.is_Symbol else f"({text})′"

    def _latex(self, printer: Any, exp: str | None = None) -> str:
        (e,) = self.args
        text = printer._print(e)
        for opening in (r"{\left(", r"\left("):
            if self.names_function and opening in text:
                return str(text.replace(opening, f"'{opening}", 1))
        return f"{text}'" if e.is_Symbol else f"\\left({text}\\right)'"

    def _mathml(self, printer: Any) -> str:
        (e,) = self.args
        if self.names_function and isinstance(e, Elementwise):
            return markup.row(markup.name(e._declared().text), DASH, markup.fenced(str(printer._print(e.args[1]))))
        if self.names_function and not hasattr(printer, f"_print_{type(e).__name__}"):
            return markup.row(printer.function_name(e), DASH, markup.fenced(str(printer._print(e.args[0]))))
        text = str(printer._print(e))
        return markup.row(text if e.is_Symbol else markup.fenced(text), DASH)


class Chain(sp.Expr):
    """A product in the order of the chain."""

    is_commutative = True
    precedence = PRECEDENCE["Mul"]

    def _sympystr(self, printer: Any) -> str:
        return "*".join(printer.parenthesize(a, PRECEDENCE["Mul"]) for a in self.args)

    def _latex(self, printer: Any) -> str:
        return r" \cdot ".join(printer._print(a) for a in self.args)

    def _mathml(self, printer: Any) -> str:
        return markup.spaced([printer.paren(a, PRECEDENCE["Mul"]) for a in self.args], markup.mo("·"))
