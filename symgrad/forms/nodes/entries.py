"""An entry of a named array function, such as inv(X)[i, j]: what index notation shows where an operation has
no elementary entry.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import sympy as sp
from sympy.printing.precedence import PRECEDENCE

from symgrad.expression import markup
from symgrad.forms.nodes.arrays import ATOM, OnesVector, level
from symgrad.forms.nodes.indexed import joined
from symgrad.forms.nodes.matrices import Operation


class Entry(sp.Expr):
    """Entry(operation, whole arguments, index, shapes of the arguments).

    Arguments are Lambdas of their entries, or scalars.
    """

    is_commutative = True
    is_real = True

    @staticmethod
    def of(op: Any, wholes: Sequence[sp.Expr], idx: Sequence[Any], shapes: Sequence[Sequence[Any]]) -> Entry:
        """Return the entry of op(*wholes) at idx, for arguments of these shapes."""
        return Entry(
            op if isinstance(op, Operation) else Operation(op),
            sp.Tuple(*wholes),
            sp.Tuple(*idx),
            sp.Tuple(*[sp.Tuple(*s) for s in shapes]),
        )

    @property
    def op(self) -> Any:
        """The operation that is named."""
        return self.args[0].op

    @property
    def indices(self) -> tuple[sp.Expr, ...]:
        """Where the entry stands, named as in SymPy's Indexed."""
        return tuple(self.args[2])

    def argument_texts(self, printer: Any) -> list[str]:
        """Return the arguments as they are written in the name of the whole."""
        return [_shown(w, printer, "_whole_text") for w in self.args[1]]

    def _whole_text(self, printer: Any) -> str:
        return str(self.args[0].text(printer, self.argument_texts(printer), len(self.args[3][0])))

    def _whole_latex(self, printer: Any) -> str:
        texts = [_shown(w, printer, "_whole_latex") for w in self.args[1]]
        return str(self.args[0].latex(printer, texts, len(self.args[3][0])))

    def _sympystr(self, printer: Any) -> str:
        places = [printer._print(k) for k in self.indices]
        if not all(len(k) == 1 for k in places):
            return f"({self._whole_text(printer)})[{', '.join(places)}]"
        return f"{self._whole_text(printer)}{'_' if places else ''}{''.join(places)}"

    def _latex(self, printer: Any, exp: str | None = None) -> str:
        places = [printer._print(k) for k in self.indices]
        between = " " if all(len(k) == 1 for k in places) else ", "
        place = f"_{{{between.join(places)}}}" if places else ""
        power = f"^{{{exp}}}" if exp else ""
        return f"\\left[{self._whole_latex(printer)}\\right]{place}{power}"

    def _mathml(self, printer: Any) -> str:
        shown = [_shown_in_mathml(w, printer) for w in self.args[1]]
        texts, atoms = [t for t, _ in shown], [atom for _, atom in shown]
        whole = str(self.args[0].mathml(printer, texts, atoms, len(self.args[3][0])))
        return markup.below(markup.fenced(whole, "[", "]"), printer.places(self.indices)) if self.indices else whole


def _shown(whole: sp.Expr, printer: Any, how: str) -> str:
    """Show a whole array by its name, or as a named function, where it is read straight; else by its entries.

    The letters of its axes stand in the entry; for an axis along which all entries are equal, 1 has the letter.
    """
    body = whole.expr if isinstance(whole, sp.Lambda) else whole
    straight = not isinstance(whole, sp.Lambda) or tuple(getattr(body, "indices", ())) == tuple(whole.variables)
    if straight and isinstance(body, sp.Indexed):
        return str(printer._print(body.base.label))
    if straight and isinstance(body, Entry):
        return str(getattr(body, how)(printer))
    equal = [printer._print(k) for k in getattr(whole, "variables", ()) if k not in body.free_symbols]
    text = str(printer._print(body))
    return _times_ones(text, level(body) < PRECEDENCE["Mul"], equal, how == "_whole_latex") if equal else text


def _times_ones(text: str, open_sum: bool, letters: Sequence[str], latex: bool) -> str:
    """Write an entry times the entry of an array of ones that has these axes."""
    left, right = ("\\left(", "\\right)") if latex else ("(", ")")
    bracketed = f"{left}{text}{right}" if open_sum else text
    return f"{bracketed} \\mathbf{{1}}_{{{joined(letters)}}}" if latex else f"{bracketed}*1_{joined(letters)}"


def _shown_in_mathml(whole: sp.Expr, printer: Any) -> tuple[str, bool]:
    """Show a whole array in MathML, and say whether it needs no brackets where something stands behind it."""
    body = whole.expr if isinstance(whole, sp.Lambda) else whole
    straight = not isinstance(whole, sp.Lambda) or tuple(getattr(body, "indices", ())) == tuple(whole.variables)
    atom = isinstance(body, sp.Indexed) or level(body) >= ATOM
    if straight and isinstance(body, sp.Indexed):
        return markup.name(str(body.base.label)), atom
    equal = [k for k in getattr(whole, "variables", ()) if k not in body.free_symbols]
    if not equal:
        return str(printer._print(body)), atom
    ones = markup.below(printer._print(OnesVector.of(1)), printer.places(equal))
    return markup.row(printer.paren(body, PRECEDENCE["Mul"]), markup.INVISIBLE, ones), False
