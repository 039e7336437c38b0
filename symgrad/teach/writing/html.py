"""An explanation in HTML, its formulas in MathML, without scripts."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from symgrad.expression.formula import Formula
from symgrad.expression.markup import math, mo, row
from symgrad.expression.printer import MATHML
from symgrad.forms.nodes.printers import inside
from symgrad.support import foreign
from symgrad.teach.board.line import Equation, Line, Value
from symgrad.teach.steps.unicode_text import number
from symgrad.teach.writing.text import formula as as_text

LINE = 80  # signs of a formula that fit on a line of paper
SMALLEST = 0.3  # of the usual size: smaller letters are not read
# Colours are the page's own: a notebook's dark theme does not tell the browser that it is dark.
STYLE = """
.symgrad-steps { line-height: 1.7; max-width: 64rem; overflow-x: auto; }
.symgrad-steps h3 { margin: 1.1em 0 0.3em; font-size: 1.05em; }
.symgrad-steps p { margin: 0.35em 0; }
.symgrad-steps p.sg-rule { margin-top: 0.7em; opacity: 0.82; }
.symgrad-steps p.sg-step, .symgrad-steps p.sg-more, .symgrad-steps p.sg-value { padding-left: 2.6em; }
.symgrad-steps p.sg-step > b { display: inline-block; width: 2.1em; margin-left: -2.6em; text-align: right;
  margin-right: 0.5em; font-weight: normal; opacity: 0.65; }
.symgrad-steps p.sg-more, .symgrad-steps p.sg-value { margin-top: 0; }
.symgrad-steps p.sg-value { font-size: 0.9em; overflow-x: auto; white-space: nowrap; }
.symgrad-steps small { margin-left: 1.2em; opacity: 0.7; white-space: nowrap; }
.symgrad-steps math { font-size: 1.05em;
  font-family: "STIX Two Math", "Cambria Math", "Latin Modern Math", "DejaVu Math TeX Gyre", math; }
.symgrad-steps p.sg-why, .symgrad-steps p.sg-remark { padding-left: 1.2em; opacity: 0.82; }
.symgrad-steps p.sg-does { padding-left: 1.2em; }
.symgrad-steps p.sg-pair { padding-left: 2em; }
.symgrad-steps p.sg-pair math + math { margin-left: 2em; }
.symgrad-steps p.sg-then, .symgrad-steps p.sg-side { padding-left: 3.4em; }
.symgrad-steps p.sg-result { padding: 0.3em 0.8em; border-left: 3px solid currentColor; }
@media print {
  .symgrad-steps, .symgrad-steps p.sg-value { overflow: visible; }
  .symgrad-steps p.sg-value, .symgrad-steps small { white-space: normal; overflow-wrap: anywhere; }
  .symgrad-steps p { break-inside: avoid; }
  .symgrad-steps .sg-long math { font-size: calc(1em * var(--fit, 1)); }
}
""".strip()


def html(lines: Iterable[Line]) -> str:
    """Return lines as a fragment of HTML."""
    return f'<div class="symgrad-steps"><style>{STYLE}</style>{body(lines)}</div>'


def body(lines: Iterable[Line]) -> str:
    """Return the paragraphs alone."""
    return "\n".join(map(_paragraph, lines))


def _paragraph(line: Line) -> str:
    text = "".join(map(_inline, line.parts))
    if line.kind == "heading":
        return f"<h3>{text}</h3>"
    number_ = f"<b>{line.number}.</b>" if line.number is not None else ""
    ledger = f" <small>{foreign.html(line.ledger)}</small>" if line.ledger else ""
    return f'<p class="sg-{line.kind}">{number_}{text}{ledger}</p>'


def _inline(p: Any) -> str:
    if isinstance(p, str):
        return foreign.html(p)
    return mathml(p) if isinstance(p, Equation) else f"= {foreign.html(number(p.value))}"


def mathml(f: Equation) -> str:
    """Return equal expressions in MathML: an element for each, so that a narrow page can break the line between."""
    first, *rest = f.parts
    left = "" if first is None else inner(first)
    parts = [row(left, mo("="), inner(rest[0])) if rest else left]
    parts.extend(row(mo("="), inner(p)) for p in rest[1:])
    texts = [as_text(Equation(f.parts[:2])), *(f"= {as_text(Equation((p,)))}" for p in rest[1:])]
    return " ".join(_fitted(math(p, t), len(t)) for p, t in zip(parts, texts, strict=True))


def _fitted(element: str, signs: int) -> str:
    """Return an element that is written smaller on paper where it has more signs than a line."""
    if signs <= LINE:
        return element
    return f'<span class="sg-long" style="--fit: {max(LINE / signs, SMALLEST):.2f}">{element}</span>'


def inner(p: Any) -> str:
    """Return a part of a formula in MathML, without the element around it."""
    if isinstance(p, Formula):
        return MATHML.write(p)
    return f"<mn>{foreign.html(number(p.value))}</mn>" if isinstance(p, Value) else inside(p)
