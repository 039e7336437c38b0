"""The components of a vector as pupils write it: (2x, 2y)ᵀ, 2x i + 2y j, ⟨2x, 2y⟩, f_x = 2x and f_y = 2y, a column."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from symgrad.errors import ParseError
from symgrad.expression.formula import Formula
from symgrad.expression.grammar import read
from symgrad.expression.printer import typed
from symgrad.expression.vectors import listed

_LABEL = re.compile(
    r"\s*(?:∇\s*\w*|\\nabla\s*\w*|\\?grad\s+\w+|\\operatorname\s*\{grad\}\s*\w*|d?\w)(?:\s*\([^()]*\))?\s*=(?!=)"
)
_PARTIAL = re.compile(
    r"\s*(?:∂\s*\w+\s*/\s*∂\s*(\w+)|d\w\s*/\s*d(\w+)|\\frac\s*\{\s*\\partial\s*\w+\s*\}\s*\{\s*\\partial\s*(\w+)\s*\}"
    r"|\w_\{?\s*(\w+)\s*\}?|[fgF](\w))\s*(?:\([^()]*\))?\s*=(?!=)"
)


class Component(NamedTuple):
    """A component of a vector, and where its text begins; None where it is put together of several places."""

    text: str
    start: int | None


def components(answer: str, names: Sequence[str], known: Mapping[str, int]) -> list[Component] | None:
    """Return the components with respect to names, in their order; None where an answer is not a vector of these.

    Args:
        answer: the answer as text.
        names: by what the function is differentiated.
        known: the number of axes of the problem's names.
    """
    partials = _named(answer, names)
    if partials is not None:
        return partials
    label = _LABEL.match(answer)
    begin = label.end() if label is not None else 0
    body = answer[begin:]
    if (row := _row_of_blanks(body, begin)) is not None and len(row) == len(names):
        return row
    try:
        tree = read(body, "paper", {**known, **{f"d{n}": 0 for n in names}}).tree
    except ParseError:  # as of 2x, 2y without brackets
        pieces = _split(body, r"[,;](?!\d)", begin)
        return pieces if len(pieces) == len(names) and all(p.text.strip() for p in pieces) else None
    parts = listed(tree, names)
    return [_component(part, body, begin) for part in parts] if parts and len(parts) == len(names) else None


def _component(part: Formula, body: str, begin: int) -> Component:
    """Return a component as it stands in the text, or as it is put together."""
    start, end = part.span
    if part.place is None or "&" in body[start:end]:
        return Component(typed(part), None)
    return Component(body[start:end], begin + start)


def _named(answer: str, names: Sequence[str]) -> list[Component] | None:
    """Return the components of f_x = 2x, f_y = 2y."""
    by_name: dict[str, Component] = {}
    for piece in _split(answer, r"[,;\n]|\band\b|\\quad|\\\\", 0):
        match = _PARTIAL.match(piece.text)
        if match is None:
            return None
        name = next(filter(None, match.groups()))
        by_name[name] = Component(piece.text[match.end() :], (piece.start or 0) + match.end())
    return [by_name[n] for n in names] if set(by_name) == set(names) else None


def _row_of_blanks(body: str, begin: int) -> list[Component] | None:
    """Return the entries of [2x 2y], where only blanks stand between them."""
    match = re.fullmatch(r"\s*\[\s*([^\[\],;&]*?)\s*\]\s*(?:\^\s*\{?(?:T|\\top)\}?|ᵀ|\.?'|\.T)?\s*", body)
    pieces = [] if match is None else _split(match[1], r"\s+", begin + match.start(1))
    is_whole = all(re.fullmatch(r"[-−+]?[^-−+*/·=^\s](.*[^-−+*/·=^])?", p.text) for p in pieces)
    return pieces if is_whole and len(pieces) > 1 else None


def _split(text: str, separators: str, begin: int) -> list[Component]:
    """Return the pieces of a text between separators that stand in no brackets."""
    pieces, start = [], 0
    for match in re.finditer(separators, text):
        if _is_closed(text[: match.start()]):
            pieces.append(Component(text[start : match.start()], begin + start))
            start = match.end()
    return [*pieces, Component(text[start:], begin + start)]


def _is_closed(text: str) -> bool:
    return all(text.count(a) == text.count(b) for a, b in ("()", "[]", "{}"))
