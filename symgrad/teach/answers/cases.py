"""Cases as people write them, ``{2x if x > 2; 2 otherwise}``, ``1 if x > 0 else 0`` and ``[x > 0]``, by ``where``."""

from __future__ import annotations

import re

_RELATION = re.compile(r"\[([^\[\],]*[<>≤≥][^\[\],]*)\]")
_WORDS = r"\b(?:if|for|when)\b"
_CASE = re.compile(rf"(.+?){_WORDS}(.+)|(.+)[,&](.+)", re.DOTALL)
_CHOICE = re.compile(r"(.+?)\bif\b(.+?)\belse\b(.+)", re.DOTALL)
_ASKED = re.compile(r"([^?]+)\?([^:?]+):(.+)", re.DOTALL)
_SIGN = re.compile(r"(<=|>=|≤|≥|<|>)")
_BRACES = re.compile(r"\{([^{}]*)\}")
_LATEX_CASES = re.compile(r"\\begin\{cases\}(.*?)\\end\{cases\}", re.DOTALL)
_LATEX_SIGNS = {r"\le": "<=", r"\ge": ">=", r"\lt": "<", r"\gt": ">"}


def with_where(text: str) -> str:
    """Return the formula with ``where(condition, value, other)`` for each of its cases."""
    text = _LATEX_CASES.sub(_of_latex, text)
    text = _BRACES.sub(lambda m: _of_cases(m[0], m[1]), text)
    text = _RELATION.sub(lambda m: _where(m[1], "1", "0"), text)
    text = _in_brackets(text)
    return text if "where(" in text else _listed(text)


def _of_latex(found: re.Match[str]) -> str:
    """Cases as LaTeX writes them, a line for each."""
    body = re.sub(r"\\text\s*\{([^{}]*)\}", r"\1", found[1])
    for word, sign in _LATEX_SIGNS.items():
        body = re.sub(rf"{re.escape(word)}(?:q|qslant)?(?![a-z])", sign, body)
    return _of_cases(found[0], body.replace("\\\\", ";").rstrip().rstrip(";"))


def _of_cases(whole: str, inside: str) -> str:
    """Cases in braces; other braces stay."""
    separator = ";" if ";" in inside else ","
    found = _joined(inside.split(separator))
    return whole if found is None else found


def _listed(text: str) -> str:
    """Cases in a row without braces: 1 for x > 0, -1 for x < 0."""
    head, equals, body = text.rpartition("=") if re.search(r"[^<>=!]=\s", text) else ("", "", text)
    if len(_SIGN.findall(body)) < 1 or not re.search(_WORDS, body):
        return text
    found = _joined(re.split(r";|,|\band\b|\n", body))
    return text if found is None else f"{head}{equals}{found}"


def _joined(cases: list[str]) -> str | None:
    """The cases as one choice within another; None where they are no cases."""
    matched = [_CASE.fullmatch(c.strip()) for c in cases]
    parted = [None if m is None else (m[1] or m[3], m[2] or m[4]) for m in matched]
    found = [m if m is None or _SIGN.search(m[1]) else None for m in parted]
    if len(cases) < 2 or not all(found[:-1]):
        return None
    last = re.sub(r"(,|&|\b(for)\b)?\s*\b(otherwise|else)\b", "", cases[-1]).strip()
    if found[-1] is not None:  # the last condition is what is left
        last = found[-1][0].rstrip(" ,&")
    for case in reversed(found[:-1]):
        if case is not None:
            last = _where(re.sub(_WORDS, "", case[1]), case[0].rstrip(" ,&"), last)
    return last


def _in_brackets(text: str) -> str:
    """The text with choices in it written by ``where``, those in the innermost brackets first."""
    out, at = "", 0
    while (start := text.find("(", at)) >= 0:
        end = _closing(text, start)
        if end is None:
            break
        out += text[at : start + 1] + _in_brackets(text[start + 1 : end]) + ")"
        at = end + 1
    return _chosen(out + text[at:])


def _closing(text: str, start: int) -> int | None:
    depth = 0
    for k in range(start, len(text)):
        depth += (text[k] == "(") - (text[k] == ")")
        if depth == 0:
            return k
    return None


def _chosen(text: str) -> str:
    found = _CHOICE.fullmatch(text.strip())
    if found is not None:
        return _where(found[2], found[1], _chosen(found[3]))
    asked = _ASKED.fullmatch(text.strip())
    return text if asked is None else _where(asked[1], asked[2], _chosen(asked[3]))


def _where(condition: str, value: str, other: str) -> str:
    """A choice; of a < x < b, both must hold."""
    condition = condition.strip(" ,")
    sides = _SIGN.split(condition)
    if len(sides) == 5:
        a, first, x, second, b = sides
        return f"where({a}{first}{x}, where({x}{second}{b}, {value}, {other}), {other})"
    return f"where({condition}, {value.strip()}, {other.strip()})"
