"""Cases as people write them, ``{2x if x > 2; 2 otherwise}``, ``1 if x > 0 else 0`` and ``[x > 0]``, by ``where``."""

from __future__ import annotations

import re

_BRACE = re.compile(r"\{([^{}]*\b(?:if|for)\b[^{}]*)\}")
_RELATION = re.compile(r"\[([^\[\],]*[<>≤≥][^\[\],]*)\]")
_CASE = re.compile(r"(.+?)\b(?:if|for)\b(.+)", re.DOTALL)
_CHOICE = re.compile(r"(.+?)\bif\b(.+?)\belse\b(.+)", re.DOTALL)
_SIGN = re.compile(r"(<=|>=|≤|≥|<|>)")


def with_where(text: str) -> str:
    """Return the formula with ``where(condition, value, other)`` for each of its cases."""
    text = _BRACE.sub(lambda m: _of_cases(m[0], m[1].split(";")), text)
    text = _RELATION.sub(lambda m: _where(m[1], "1", "0"), text)
    return _chosen(text)


def _of_cases(whole: str, cases: list[str]) -> str:
    found = [_CASE.fullmatch(c.strip()) for c in cases]
    last = re.sub(r"\b(otherwise|else)\b", "", cases[-1]).strip()
    if not all(found[:-1]):
        return whole
    if found[-1] is not None:  # the last condition is what is left
        last = found[-1][1]
    for case in reversed(found[:-1]):
        if case is not None:
            last = _where(case[2], case[1], last)
    return last if len(cases) > 1 else whole


def _chosen(text: str) -> str:
    found = _CHOICE.fullmatch(text.strip())
    return text if found is None else _where(found[2], found[1], _chosen(found[3]))


def _where(condition: str, value: str, other: str) -> str:
    """A choice; of a < x < b, both must hold."""
    sides = _SIGN.split(condition)
    if len(sides) == 5:
        a, first, x, second, b = sides
        return f"where({a}{first}{x}, where({x}{second}{b}, {value}, {other}), {other})"
    return f"where({condition.strip()}, {value.strip()}, {other.strip()})"
