"""An explanation in LaTeX."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from symgrad.expression.formula import Formula
from symgrad.expression.printer import LATEX
from symgrad.forms.nodes import printers
from symgrad.support import foreign
from symgrad.support.foreign import latex_in_html
from symgrad.teach.board.line import SOLUTION, Equation, Line, Value
from symgrad.teach.steps.unicode_text import number

_INDENT = {"why": "1em", "does": "1em", "remark": "1em", "side": "2em", "pair": "2em", "then": "3em"}
_LETTERS = {"−": "-", "…": r"\dots ", "nan": r"\mathrm{nan}", "inf": r"\infty"}


def latex(lines: Iterable[Line]) -> str:
    """Return lines as LaTeX: text with formulas in it, one paragraph a line; needs amsmath and amssymb."""
    return "\n".join(_paragraph(line) for line in lines)


def _paragraph(line: Line) -> str:
    body = (r"\qquad " if line.kind == "pair" else "").join(map(_inline, line.parts))
    if line.kind == "heading":
        return f"\n\\medskip\\noindent\\textbf{{{body}}}\\par"
    if line.kind == "value":
        return f"\\hspace*{{4em}}$= {body.strip('$')}$\\par\\smallskip"
    number_ = f"\\makebox[2em][r]{{{line.number}.}}\\quad " if line.number is not None else ""
    indent = {"rule": "1em", "more": "3em", "result": "1em", "note": "1em", **_INDENT}.get(line.kind, "0em")
    ledger = f" \\hfill {{\\small {foreign.latex(line.ledger)}}}" if line.ledger else ""
    start = f"\\hspace*{{{indent}}}" if indent != "0em" else ""
    return f"\\noindent {start}{number_}{body}{ledger}\\par\\smallskip"


def _inline(p: Any) -> str:
    if isinstance(p, str):
        return foreign.latex(p)
    return f"$\\displaystyle {formula(p)}$" if isinstance(p, Equation) else f"${_part(p)}$"


def formula(f: Equation) -> str:
    """Return equal expressions with equals signs between, without dollars."""
    return " = ".join(map(_part, f.parts))


def _part(p: Any) -> str:
    if p is None:
        return "{}"
    if isinstance(p, Formula):
        return LATEX.write(p)
    if not isinstance(p, Value):
        return printers.latex(p)
    text = number(p.value)
    for sign, written in _LETTERS.items():
        text = text.replace(sign, written)
    mantissa, e, exponent = text.partition("e") if "[" not in text and text[-1].isdigit() else (text, "", "")
    return f"{mantissa} \\cdot 10^{{{int(exponent)}}}" if e else text


def aligned(lines: Iterable[Line]) -> str:
    """Return the steps' formulas alone, below each other, for where mathematics is shown and no text."""
    rows = [
        f
        for line in lines
        if line.kind in ("step", "more", "result", *SOLUTION)
        for f in line.parts
        if isinstance(f, Equation)
    ]
    return r" \\ ".join(_row(f) for f in rows if len(f.parts) > 1)


def _row(f: Equation) -> str:
    left, *rights = map(_part, f.parts)
    return latex_in_html(f"{left} &= {' = '.join(rights)}")


def markdown(lines: Iterable[Line]) -> str:
    """Return lines as Markdown with formulas between dollars, for notebooks."""
    return "\n".join(map(_markdown, lines))


def _markdown(line: Line) -> str:
    body = (r" &emsp; " if line.kind == "pair" else "").join(map(_in_markdown, line.parts))
    if line.kind == "heading":
        return f"\n**{body}**\n"
    if line.kind == "value":
        return f"{body}  "
    start = f"({line.number}) " if line.number is not None else ""
    if line.kind in SOLUTION:
        return f"{body}{f' — {foreign.markdown(line.ledger)}' if line.ledger else ''}  "
    ledger = f" — shapes {foreign.markdown(line.ledger)}" if line.ledger else ""
    return f"{start}{body}{ledger}  "


def _in_markdown(p: Any) -> str:
    if isinstance(p, str):
        return foreign.markdown(p)
    return f"${latex_in_html(formula(p))}$" if isinstance(p, Equation) else f"$= {_part(p)}$"
