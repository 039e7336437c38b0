"""An explanation as plain text."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterable
from typing import Any

from symgrad.expression.formula import Formula
from symgrad.expression.printer import handwritten
from symgrad.teach.board.line import SOLUTION, Equation, Line, Value
from symgrad.teach.steps.unicode_text import number, unicode_text

LEDGER = 46  # the column of the shapes
BOARD = 80  # signs in a line
TIED = 40  # signs of a formula that no line ends in
SECOND, THIRD = 34, 68  # the columns of a differential, and of a shape
BESIDE = 44  # the column of what stands beside one
INDENT = {"given": "", "side": "    "}


def text(lines: Iterable[Line]) -> str:
    """Return lines as text."""
    out: list[str] = []
    equals = 0
    for line in lines:
        if line.kind in SOLUTION:
            rows, equals = _on_board(line, equals)
            out.extend(rows)
        else:
            out.extend(_written(line))
    return "\n".join(out)


def _on_board(line: Line, equals: int) -> tuple[list[str], int]:
    """Write a line of a solution, and say where its equals sign stands, under which the next may go on."""
    body = _CASES.sub(_kept, "".join(_tied(p) if line.kind == "why" else _inline(p) for p in line.parts))
    if line.kind in ("given", "side", "does", "then"):
        body = _whole_brackets(body)
    if line.kind == "pair":
        return _paired(line), equals
    if line.kind == "then":
        rows = _wrapped(body, " " * equals, " " * (equals + 2))
    else:
        indent = INDENT.get(line.kind, "  ")
        if line.kind == "does":
            equals = len(indent) + max(body.find(" = "), 0) + 1
        formula_first = line.kind not in ("why", "remark") and " = " in body[:20]
        rest = " " * (len(indent) + body.index(" = ") + 3) if formula_first else indent + "  "
        column = len(indent) + body.find(" = ") + 1
        rows = _by_equals(body, indent, column) if formula_first else _wrapped(body, indent, rest)
    rows = [part.replace("\u00a0", " ") for part in rows]
    return (_beside(rows, line.ledger) if line.ledger else rows), equals


def _by_equals(body: str, indent: str, column: int) -> list[str]:
    """Write a chain of equals, each where it has room, else below the first equals sign."""
    body, *names = body.split(" where ", 1)
    first, *others = body.split(" = ")
    out = [f"{indent}{first}"]
    for k, other in enumerate(others):
        if k and len(out[-1]) + 3 + len(other) > BOARD:
            out.append(" " * column + f"= {other}")
        else:
            out[-1] += f" = {other}"
    out[-1] += "".join(f" where {n}" for n in names)
    return [part for line in out for part in _wrapped(line.lstrip(), _margin(line), " " * (column + 2))]


def _margin(line: str) -> str:
    return line[: len(line) - len(line.lstrip())]


def _whole_brackets(body: str) -> str:
    """Tie what stands in short brackets together, so that no line ends in it."""
    out, at = "", 0
    while (start := body.find("(", at)) >= 0:
        end = _closing(body, start)
        if end is None:
            break
        inside = body[start + 1 : end]
        tied = inside.replace(" ", "\u00a0") if len(inside) < TIED else _whole_brackets(inside)
        out += f"{body[at:start]}({tied})"
        at = end + 1
    return out + body[at:]


def _closing(body: str, start: int) -> int | None:
    depth = 0
    for k in range(start, len(body)):
        depth += (body[k] == "(") - (body[k] == ")")
        if depth == 0:
            return k
    return None


def _paired(line: Line) -> list[str]:
    """Write a part of a formula with its differential in columns, the differential below where there is no room."""
    first, *others = map(_inline, line.parts)
    out = _wrapped(first, "  ", "    ")
    for other in others:
        if len(out[-1]) + 2 <= SECOND and SECOND + len(other) + 2 + len(line.ledger) <= BOARD:
            out[-1] = f"{out[-1]:<{SECOND}}{other}"
        else:
            out.extend(_wrapped(other, "      ", "          "))
    return _beside(out, line.ledger, THIRD) if line.ledger else out


_JOINT = "\x00"  # where a product may be broken
_CASES = re.compile(r"\{ [^{}]* (?:for|otherwise)[^{}]* \}")


def _kept(m: re.Match[str]) -> str:
    """Return cases of which no line ends in one."""
    return m[0].replace(" ", "\u00a0").replace(";\u00a0\u00a0", ";  ")


def _tied(p: Any) -> str:
    """Return a part of a reason; a short formula stays in one line."""
    piece = _inline(p)
    return piece.replace(" ", "\u00a0") if isinstance(p, Equation) and len(piece) < TIED else piece


def _beside(body: list[str], ledger: str, at: int = BESIDE) -> list[str]:
    """Put where a line holds, or its rule, to the right of it; or below where there is no room."""
    if len(body[-1]) + 2 + len(ledger) <= BOARD:
        column = at if len(body[-1]) + 2 <= at <= BOARD - len(ledger) else BOARD - len(ledger)
        return [*body[:-1], f"{body[-1]:<{column}}{ledger}"]
    return [*body, *textwrap.wrap(ledger, BOARD, initial_indent=" " * 8, subsequent_indent=" " * 8)]


def _written(line: Line) -> list[str]:
    body = "".join(map(_tied if line.kind == "rule" else _inline, line.parts))
    if line.kind == "title":
        return _wrapped(body, "", "  ")
    if line.kind == "heading":
        return ["", body]
    if line.kind == "rule":
        return [part.replace("\u00a0", " ") for part in _wrapped(body, "     ", "       ")]
    if line.kind == "value":
        return [f"         = {body}"]
    head = f"{line.number:>3}.   " if line.number is not None else "       "
    rows = _wrapped(body, head if line.kind in ("step", "more") else "     ", "         ")
    return _aside(rows, line.ledger) if line.ledger else rows


def _inline(p: Any) -> str:
    return p if isinstance(p, str) else formula(p) if isinstance(p, Equation) else _part(p)


def _wrapped(body: str, first: str, rest: str) -> list[str]:
    room = BOARD - len(rest)
    body = " ".join(word if len(word) <= room else word.replace("\u00a0", " ") for word in body.split(" "))
    if any(len(word) > room for word in body.split()):
        body = body.replace("·", f"·{_JOINT} ")  # a product that no line holds
    rows = textwrap.wrap(
        body, BOARD, initial_indent=first, subsequent_indent=rest, break_long_words=True, break_on_hyphens=False
    )
    return [part.replace(f"{_JOINT} ", "").replace(_JOINT, "") for part in rows] or [first.rstrip()]


def _aside(body: list[str], ledger: str) -> list[str]:
    """Put the shapes beside the last line, or below it where there is no room."""
    beside = f"| {ledger}"
    column = min(LEDGER, BOARD - len(beside))
    if len(body[-1]) < column:
        return [*body[:-1], f"{body[-1]:<{column}}{beside}"]
    return [*body, *textwrap.wrap(beside, BOARD, initial_indent=" " * max(column, 9), subsequent_indent=" " * 11)]


def formula(f: Equation) -> str:
    """Return equal expressions with equals signs between."""
    return " = ".join(map(_part, f.parts)).lstrip()


def _part(p: Any) -> str:
    if p is None:
        return ""
    if isinstance(p, Formula):
        return handwritten(p)
    return number(p.value) if isinstance(p, Value) else unicode_text(p)
