"""An explanation as data, for pages that lay it out themselves: words, and formulas as MathML and as text."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from symgrad.expression.markup import math, mo, row
from symgrad.teach.board.line import Equation, Line
from symgrad.teach.steps.unicode_text import number
from symgrad.teach.writing.html import inner
from symgrad.teach.writing.text import formula as as_text


def data(lines: Iterable[Line]) -> list[dict[str, Any]]:
    """Return a record for each line: ``kind``, ``number``, ``parts``, ``ledger``, and its ``text``.

    Each of the parts has ``text``; those that are formulas have ``mathml`` as well, a list of elements, between which
    a narrow page may break the line.
    """
    return [_record(line) for line in lines]


def _record(line: Line) -> dict[str, Any]:
    parts = [_part(p) for p in line.parts]
    text = "".join(p["text"] for p in parts)
    return {"kind": line.kind, "number": line.number, "parts": parts, "ledger": line.ledger, "text": text}


def _part(p: Any) -> dict[str, Any]:
    if isinstance(p, str):
        return {"text": p}
    if isinstance(p, Equation):
        return {"text": as_text(p), "mathml": elements(p)}
    return {"text": f"= {number(p.value)}"}


def elements(f: Equation) -> list[str]:
    """Return equal expressions in MathML: an element for each that has a sign of equality before it."""
    first, *rest = f.parts
    left = "" if first is None else inner(first)
    whole = row(left, mo("="), inner(rest[0])) if rest else left
    return [
        math(whole, as_text(Equation(f.parts[:2]))),
        *(math(row(mo("="), inner(p)), f"= {as_text(Equation((p,)))}") for p in rest[1:]),
    ]
