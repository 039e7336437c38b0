"""The components of a vector as pupils write it: (2x, 2y)ᵀ, 2x i + 2y j, ⟨2x, 2y⟩, f_x = 2x and f_y = 2y, a column."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from typing import NamedTuple

_LABEL = re.compile(
    r"\s*(?:∇\s*\w*|\\nabla\s*\w*|\\?grad\s+\w+|\\operatorname\s*\{grad\}\s*\w*|d?\w)(?:\s*\([^()]*\))?\s*=(?!=)"
)
_TRANSPOSED = re.compile(
    r"(?<=[)\]}>⟩e])\s*(?:\^\s*\{?\s*(?:T|\\top|\\intercal|\\(?:mathsf|mathrm|text)\s*\{?T\}?)\s*\}?|ᵀ|\.T|['′’])\s*$"
)
_BRACKETS = re.compile(
    r"\s*(?:\\left|\\big[lr]?)?\s*(\(|\[|<|⟨|\\langle)(.*?)(?:\\right|\\big[lr]?)?\s*(\)|\]|>|⟩|\\rangle)\s*$", re.S
)
_PAIRS = {"(": ")", "[": "]", "<": ">", "⟨": "⟩", r"\langle": r"\rangle"}
_MATRIX = re.compile(r"\s*\\begin\s*\{([pbBvV]?matrix|array)\}(?:\{[clr|]*\})?(.*)\\end\s*\{\1\}\s*$", re.S)
_PARTIAL = re.compile(
    r"\s*(?:∂\s*\w+\s*/\s*∂\s*(\w+)|d\w\s*/\s*d(\w+)|\\frac\s*\{\s*\\partial\s*\w+\s*\}\s*\{\s*\\partial\s*(\w+)\s*\}"
    r"|\w_\{?\s*(\w+)\s*\}?|[fgF](\w))\s*(?:\([^()]*\))?\s*=(?!=)"
)
_MARK = r"\\(?:mathbf|boldsymbol|bm|vec|hat|mathrm|bf|underline|overrightarrow)\s*"
_UNIT = (
    rf"(?:(?:{_MARK}\{{?\s*)+(?P<marked>\\imath|\\jmath|[ijk])(?:\s*\}}){{0,2}}|(?<![A-Za-z])(?P<letter>[ijk])"
    rf"|(?:{_MARK}\{{?\s*|(?<![A-Za-z]))[eu]\s*\}}?_\s*\{{?\s*(?P<index>\w)\s*\}}?|(?<![A-Za-z])d(?P<differential>\w))"
)
_LAST_UNIT = re.compile(rf"^(?P<factor>.*?)(?:\\[,;:!]|[\s*·⋅]|\\cdot)*{_UNIT}\s*$", re.S)
_PLAIN = {"î": "i", "ĵ": "j", "k̂": "k", "𝐢": "i", "𝐣": "j", "𝐤": "k", "i⃗": "i", "j⃗": "j", "k⃗": "k"}


class Component(NamedTuple):
    """A component of a vector, and where its text begins; None where it is put together of several places."""

    text: str
    start: int | None


def components(answer: str, names: Sequence[str]) -> list[Component] | None:
    """Return the components with respect to names, in their order; None where an answer is not a vector of these."""
    partials = _named(answer, names)
    if partials is not None:
        return partials
    label = _LABEL.match(answer)
    begin = label.end() if label is not None else 0
    body = answer[begin:]
    transposed = _TRANSPOSED.search(body)
    body = body[: transposed.start()] if transposed is not None else body
    for pattern, part, separators in ((_MATRIX, 2, r"\\\\|&"), (_BRACKETS, 2, r"[,;]|\\\\")):
        match = pattern.match(body)
        if match is not None and (pattern is _MATRIX or _PAIRS[match[1]] == match[3]):
            pieces = _split(match[part], separators, begin + match.start(part))
            return pieces if len(pieces) == len(names) and all(p.text.strip() for p in pieces) else None
    pieces = _split(body, r"[,;](?!\d)", begin)
    if len(pieces) == len(names) and all(p.text.strip() for p in pieces):
        return pieces
    return _with_units(body, begin, names)


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


def _with_units(body: str, begin: int, names: Sequence[str]) -> list[Component] | None:
    """Return the components of 2x i + 2y j, of unit vectors e_x, e_1 and of 2x dx + 2y dy."""
    terms = [t for t in _terms(unicodedata.normalize("NFC", body), begin) if t.text.strip()]
    made: dict[int, Component] = {}
    for term in terms:
        plain = term.text
        for sign, letter in _PLAIN.items():
            plain = plain.replace(sign, f" {letter}")
        match = _LAST_UNIT.match(plain)
        k = None if match is None else _which(match, names)
        if match is None or k is None or k in made:
            return None
        factor = match["factor"].strip().removeprefix("+").strip()
        at = plain.find(factor) if factor not in ("", "-", "−") else -1
        made[k] = Component(factor, (term.start or 0) + at) if at >= 0 else Component(f"{factor}1", None)
    if len(made) < 2 and not (made and len(terms) == 1 and len(names) > 1):
        return None
    return [made.get(k, Component("0", None)) for k in range(len(names))]


def _which(match: re.Match[str], names: Sequence[str]) -> int | None:
    """Return the number of a unit vector; None where it is none of the problem's."""
    letter, index = match["letter"] or match["marked"], match["index"] or match["differential"]
    if letter is not None:
        k = "ijk".index(letter.replace("\\imath", "i").replace("\\jmath", "j"))
        return k if k < len(names) and (match["marked"] or letter not in names) else None
    if index in names:
        return list(names).index(index)
    return int(index) - 1 if index is not None and index.isdigit() and 1 <= int(index) <= len(names) else None


def _terms(text: str, begin: int) -> list[Component]:
    """Return the terms of a sum, each with its sign."""
    signs = re.finditer(r"(?<![\^_eE(*/·{])\s*[+\-−]", text)
    cuts = [m.start() for m in signs if m.start() and _is_closed(text[: m.start()])]
    return [Component(text[a:b], begin + a) for a, b in zip([0, *cuts], [*cuts, len(text)])]
