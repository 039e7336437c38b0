"""An explanation as plain text."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable
from typing import Any

from symgrad.teach.steps.chalk import chalk, number
from symgrad.teach.steps.lines import Formula, Line, Value

WIDTH = 100
LEDGER = 62  # the column of the shapes


def text(lines: Iterable[Line]) -> str:
    """Return lines as text."""
    return "\n".join(part for line in lines for part in _written(line))


def _written(line: Line) -> list[str]:
    body = "".join(map(_inline, line.parts))
    if line.kind == "title":
        return _wrapped(body, "", "  ")
    if line.kind == "heading":
        return ["", body]
    if line.kind == "rule":
        return _wrapped(body, "     ", "       ")
    if line.kind == "value":
        return [f"         = {body}"]
    head = f"{line.number:>3}.   " if line.number is not None else "       "
    found = _wrapped(body, head if line.kind in ("step", "more") else "     ", "         ")
    return _aside(found, line.ledger) if line.ledger else found


def _inline(p: Any) -> str:
    return p if isinstance(p, str) else formula(p) if isinstance(p, Formula) else _part(p)


def _wrapped(body: str, first: str, rest: str) -> list[str]:
    if any(len(word) > WIDTH - len(rest) for word in body.split()):
        body = body.replace("·", "· ")  # a product that no line holds
    return textwrap.wrap(
        body, WIDTH, initial_indent=first, subsequent_indent=rest, break_long_words=False, break_on_hyphens=False
    ) or [first.rstrip()]


def _aside(body: list[str], ledger: str) -> list[str]:
    """Put the shapes beside the last line, or below it where there is no room."""
    if len(body[-1]) < LEDGER:
        return [*body[:-1], f"{body[-1]:<{LEDGER}}| {ledger}"]
    return [*body, f"{'':<{LEDGER}}| {ledger}"]


def formula(f: Formula) -> str:
    """Return equal expressions with equals signs between."""
    return " = ".join(map(_part, f.parts))


def _part(p: Any) -> str:
    return number(p.value) if isinstance(p, Value) else chalk(p)
