"""How expressions print: as formulas, in text, LaTeX and MathML."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import sympy as sp

from symgrad.expression.formula import Label
from symgrad.expression.markup import math, mo, row
from symgrad.expression.printer import TEXT, Latex, MathML
from symgrad.forms.nodes.formulas import formula


def text(e: Any) -> str:
    """Return e as plain text."""
    return TEXT.write(formula(e))


def arguments(call: Any) -> list[str]:
    """Return the arguments of an operation's call as they are written in it."""
    if hasattr(call, "wholes"):
        return [TEXT.write(whole) for whole in call.wholes()]
    return [text(a) for a in call.args[1:] if not isinstance(a, sp.Tuple)]


def latex(e: Any, named_e: bool | None = None) -> str:
    """Return e as LaTeX; ``named_e``: whether something is called e in it, or in formulas beside it."""
    return Latex(named_e=has_e([e]) if named_e is None else named_e).write(formula(e))


def has_e(formulas: Iterable[Any]) -> bool:
    """Whether something is called e in formulas."""
    return any(getattr(s, "name", "") == "e" for f in formulas for s in getattr(f, "free_symbols", ()))


# ------------------------------------------------------------------ MathML
def inside(e: Any) -> str:
    """Return the MathML of an expression, without the element around it."""
    return MathML(named_e=has_e([e])).write(formula(e))


def mathml(e: Any) -> str:
    """Return an expression as a MathML element."""
    return math(inside(e), text(e))


def equation(left: Any, right: Any) -> str:
    """Return left = right as a MathML element."""
    return math(row(inside(left), mo("="), inside(right)), f"{text(left)} = {text(right)}")


def derivative_by(names: list[str], right: Any, said: str) -> str:
    """Return ∂/∂x = right, ∂²/∂x∂y = right as a MathML element, of names of what is differentiated by; said in text."""
    by = MathML().write(Label("", tuple(names)))
    return math(row(by, mo("="), inside(right)), f"{said} = {text(right)}")


def in_html(*lines: str) -> str:
    """Return lines as a fragment of HTML that needs neither a script nor a network, as in a notebook."""
    style = "overflow:auto hidden;padding:0.3em 0;line-height:2.2;font-size:1.05em"
    return "".join(f'<div class="symgrad-form" style="{style}">{line}</div>' for line in lines)
