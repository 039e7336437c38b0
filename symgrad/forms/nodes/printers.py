"""How formulas print: SymPy's printers, with users' names escaped in LaTeX."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

import sympy as sp
from sympy.printing.latex import LatexPrinter
from sympy.printing.precedence import PRECEDENCE
from sympy.printing.str import StrPrinter

from symgrad.forms.nodes.complexes import WORDS
from symgrad.forms.nodes.indexed import Branches, joined
from symgrad.forms.nodes.matrices import without_brackets
from symgrad.forms.nodes.order import Factors, Negated, terms_in_order
from symgrad.scalars import BY_FUNCTION
from symgrad.support.foreign import latex_name, plain_name


class FormPrinter(StrPrinter):
    """Plain text; functions under the names they were declared with."""

    def _print_conjugate(self, e: Any) -> str:
        return self._print_Function(e)

    _print_re = _print_im = _print_arg = _print_conjugate

    def _print_Symbol(self, e: sp.Symbol) -> str:
        return plain_name(e.name)

    def _print_Mul(self, e: Any) -> str:
        e = without_brackets(e) if e.could_extract_minus_sign() else e
        if type(e) is not sp.Mul or any(f.is_Number for f in e.args[1:]):
            return str(super()._print_Mul(e))
        number, rest = e.as_coeff_Mul()
        if not number.is_negative:
            return str(super()._print_Mul(Factors._from_args(e.args)))
        factors = [*([] if number == -1 else [-number]), *sp.Mul.make_args(rest)]
        if len(factors) == 1:
            return f"-{self.parenthesize(rest, PRECEDENCE['Add'], strict=False)}"
        return f"-{super()._print_Mul(Negated._from_args(factors))}"

    def _as_ordered_terms(self, e: Any, order: Any = None) -> list[Any]:
        return terms_in_order(e, super()._as_ordered_terms(e, order))

    def _print_Pow(self, e: Any, rational: bool = False) -> str:
        base, exponent = e.args
        if not exponent.is_Rational or exponent >= 0 or exponent in (-1, -sp.Rational(1, 2)):
            return str(super()._print_Pow(e, rational))
        return f"1/{super()._print_Pow(sp.Pow(base, -exponent, evaluate=False), rational)}"

    def _print_ImaginaryUnit(self, e: Any) -> str:
        return "i"

    def _print_Function(self, e: Any) -> str:
        if type(e) in WORDS:
            return f"{WORDS[type(e)].text}({self._print(e.args[0])})"
        scalar = BY_FUNCTION.get(type(e))
        name = scalar.text if scalar is not None else type(e).__name__
        return f"{name}({', '.join(self._print(a) for a in e.args)})"

    def _print_Piecewise(self, e: Any) -> str:
        return str(Branches(*e.args)._sympystr(self))

    def _print_Max(self, e: Any) -> str:
        return self._print_Function(e)

    _print_Min = _print_Max

    def _print_polygamma(self, e: Any) -> str:
        return f"digamma({self._print(e.args[1])})" if e.args[0] == 0 else self._print_Function(e)


class Raised(sp.Expr):
    """A power with a symbolic exponent as a printer sees it: SymPy's would try for minutes to simplify the exponent."""

    is_commutative = True

    def sort_key(self, order: Any = None) -> Any:
        """Where it stands among other factors: where it would as what it is."""
        return self.args[0].sort_key(order)

    def _latex(self, printer: Any) -> str:
        return str(printer._print(self.args[0]))


def _raised(f: Any) -> Any:
    if not f.is_commutative or not (f.is_Pow or isinstance(f, sp.exp)) or f.as_base_exp()[1].is_number:
        return f
    return Raised(f)


class FormLatexPrinter(LatexPrinter):
    """LaTeX, with every user's name escaped."""

    named_e = False  # whether something is called e, so that the exponential is \\exp

    def _as_ordered_terms(self, e: Any, order: Any = None) -> list[Any]:
        return terms_in_order(e, super()._as_ordered_terms(e, order))

    def _print_Mul(self, e: Any) -> str:
        factors = [_raised(f) for f in e.args]
        return str(super()._print_Mul(e if factors == list(e.args) else e.func(*factors, evaluate=False)))

    def _print_ExpBase(self, e: Any, exp: Any = None) -> str:
        if not self.named_e:
            return str(super()._print_ExpBase(e, exp))
        text = f"\\exp\\left({self._print(e.args[0])}\\right)"
        return text if exp is None else f"\\left({text}\\right)^{{{exp}}}"

    _print_exp = _print_ExpBase

    def _print_re(self, e: Any, exp: Any = None) -> str:
        text = f"{WORDS[type(e)].latex}\\left({self._print(e.args[0])}\\right)"
        return text if exp is None else f"{text}^{{{exp}}}"

    _print_im = _print_re

    def _print_polygamma(self, e: Any, exp: Any = None) -> str:
        order = "" if e.args[0] == 0 else f"^{{({self._print(e.args[0])})}}"
        text = f"\\psi{order}\\left({self._print(e.args[1])}\\right)"
        return text if exp is None else f"\\left({text}\\right)^{{{exp}}}"

    def _print_Symbol(self, e: sp.Symbol, style: str = "plain") -> str:
        return latex_name(e.name)

    def _print_KroneckerDelta(self, e: Any, exp: Any = None) -> str:
        text = f"\\delta_{{{joined([self._print(k) for k in e.args])}}}"
        return text if exp is None else f"{text}^{{{exp}}}"


def text(e: Any) -> str:
    """Return e as plain text."""
    return str(FormPrinter({"full_prec": False}).doprint(e))


def arguments(call: Any) -> list[str]:
    """Return the arguments of an operation's call as they are written in it."""
    printer = FormPrinter({"full_prec": False})
    if hasattr(call, "argument_texts"):
        return list(call.argument_texts(printer))
    return [str(printer.doprint(a)) for a in call.args[1:] if not isinstance(a, sp.Tuple)]


_WORD = r"\\mathrm\{[^{}]+\}"
_WORDS = re.compile(rf"({_WORD}(?:_\{{[^{{}}]+\}})?(?:\^\{{[^{{}}]+\}})?) (?={_WORD})")  # which would run together


def latex(e: Any, named_e: bool | None = None) -> str:
    """Return e as LaTeX; ``named_e``: whether something is called e in it, or in formulas beside it."""
    printer = FormLatexPrinter()
    printer.named_e = has_e([e]) if named_e is None else named_e
    return _WORDS.sub(r"\1 \, ", str(printer.doprint(e)))


def has_e(formulas: Iterable[Any]) -> bool:
    """Whether something is called e in formulas."""
    return any(getattr(s, "name", "") == "e" for f in formulas for s in f.free_symbols)
