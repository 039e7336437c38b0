"""The nodes of index notation: SymPy's Indexed, Sum and Mul that print as a textbook writes them.

``x_i`` for x[i], ``Sum_k …`` for Σ_k, products with their sum last. They behave as their SymPy classes do.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import sympy as sp
from sympy.printing.precedence import PRECEDENCE

from symgrad.forms.names import latex_name


def joined(indices: Sequence[str]) -> str:
    """Write indices together where each is one sign, else with commas."""
    return "".join(indices) if all(len(k) == 1 for k in indices) else ", ".join(indices)


class At(sp.Indexed):
    """An entry of a named array."""

    precedence = PRECEDENCE["Atom"]

    def _sympystr(self, printer: Any) -> str:
        places = [printer._print(k) for k in self.indices]
        plain = all(len(k) == 1 for k in places)
        return f"{self.base.label}_{''.join(places)}" if plain else f"{self.base.label}[{', '.join(places)}]"

    def _latex(self, printer: Any, exp: str | None = None) -> str:
        name = latex_name(str(self.base.label))
        name = f"{{{name}}}" if "_{" in name else name  # TeX refuses a second subscript
        text = f"{name}_{{{joined([printer._print(k) for k in self.indices])}}}"
        return text if exp is None else f"{text}^{{{exp}}}"


class Sigma(sp.Sum):
    """Σ over indices that run through an axis, kept as written.

    SymPy's Sum folds a Piecewise outwards, also over conditions on its own bound index, which is wrong.
    """

    def __new__(cls, function: Any, *limits: Any, **hints: Any) -> Any:
        made = sp.Expr.__new__(cls, function, *[sp.Tuple(*limit) for limit in limits])
        made.is_commutative = function.is_commutative
        return made

    precedence = PRECEDENCE["Mul"]

    def _sympystr(self, printer: Any) -> str:
        letters = joined([str(k) for k, *_ in self.limits])
        if any(lo != 0 or not all(s.is_positive for s in hi.free_symbols) for _, lo, hi in self.limits):
            letters = (
                "{" + ", ".join(f"{k}={printer._print(lo)}..{printer._print(hi)}" for k, lo, hi in self.limits) + "}"
            )
        body = printer._print(self.function)
        return f"Sum_{letters} {f'({body})' if self.function.is_Add else body}"


class Term(sp.Mul):
    """A product: entries first, then brackets, sums last, where they need no bracket of their own."""

    def __getnewargs_ex__(self) -> tuple[tuple[Any, ...], dict[str, bool]]:
        return self.args, {"evaluate": False}  # a copy is written as the original is

    def _sympystr(self, printer: Any) -> str:
        top, bottom = _fraction(self)
        factors = sorted(top, key=_place)
        texts = [printer.parenthesize(f, PRECEDENCE["Mul"]) for f in factors]
        sign = ""
        if factors and factors[0] == -1:
            sign, factors, texts = "-", factors[1:], texts[1:]
        elif factors and factors[0].is_Rational:
            texts[0] = printer._print(factors[0])
        if factors and isinstance(factors[-1], sp.Sum) and not bottom:
            texts[-1] = printer._print(factors[-1])
        under = [printer.parenthesize(f, PRECEDENCE["Pow"]) for f in bottom]
        below = "" if not under else f"/{under[0]}" if len(under) == 1 else f"/({'*'.join(under)})"
        return sign + ("*".join(texts) or "1") + below


def _fraction(e: sp.Mul) -> tuple[list[Any], list[Any]]:
    """Split the factors into those above and below the fraction bar, without evaluating."""
    top, bottom = [], []
    for f in e.args:
        if f.is_Rational and not f.is_Integer:
            top.extend([sp.Integer(f.p)] if f.p != 1 else [])
            bottom.append(sp.Integer(f.q))
        elif f.is_Pow and f.exp.is_Rational and f.exp < 0:
            bottom.append(f.base if f.exp == -1 else sp.Pow(f.base, -f.exp, evaluate=False))
        else:
            top.append(f)
    return top, bottom


def _place(f: Any) -> tuple[int, Any]:
    rank = (
        0
        if f.is_number
        else 4
        if isinstance(f, sp.Sum)
        else 3
        if f.is_Add
        else 1
        if isinstance(f, sp.Indexed) or f.is_Symbol
        else 2
    )
    return rank, f.sort_key() if rank < 3 else str(f)


class Bracket(sp.Add):
    """A sum of terms, one that is not negative in front."""

    def __getnewargs_ex__(self) -> tuple[tuple[Any, ...], dict[str, bool]]:
        return self.args, {"evaluate": False}  # a copy is written as the original is

    def _ordered(self) -> list[Any]:
        return sorted(self.args, key=lambda t: (t.could_extract_minus_sign(), t.is_number, _kind(t), str(t)))

    def _sympystr(self, printer: Any) -> str:
        return _signed([printer._print(t) for t in self._ordered()])

    def _latex(self, printer: Any) -> str:
        return _signed([printer._print(t) for t in self._ordered()])


def _kind(t: Any) -> int:
    return 1 if t.has(sp.Sum) and not isinstance(t, sp.Function) else 0


def _signed(texts: list[str]) -> str:
    out = texts[0]
    for t in texts[1:]:
        out += f" - {t[1:].lstrip()}" if t.startswith("-") else f" + {t}"
    return out


def dressed(e: Any, args: Sequence[Any]) -> Any:
    """Rebuild a node of SymPy's from printing nodes."""
    if e.is_Mul and e.is_commutative:
        return Term(*args, evaluate=False)
    if e.is_Add:
        return Bracket(*args, evaluate=False)
    return e.func(*args)
