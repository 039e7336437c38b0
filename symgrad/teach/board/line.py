"""A line of an explanation, for every notation alike: prose, and formulas as lists of equal expressions."""

from __future__ import annotations

from typing import Any, NamedTuple

SOLUTION = ("given", "why", "side", "pair", "does", "then", "remark", "gap")  # kinds of lines


class Value(NamedTuple):
    """A number or an array of numbers."""

    value: Any


class Equation(NamedTuple):
    """Expressions and values that are equal, one after the other; a first part of None goes on from the line above."""

    parts: tuple[Any, ...]


class Line(NamedTuple):
    """One line.

    Attributes:
        kind: of the sweep "title", "heading", "rule", "step", "more" or the "value" of a step, "result" or "note"; of
            a solution, one of ``SOLUTION``: what is given, the reason, a derivation beside, what is written, how it
            goes on, a remark, or an empty line.
        parts: strings, formulas and values, in order.
        number: of the step.
        ledger: what stands beside it: the shapes, where there are arrays; where it holds, or why.
    """

    kind: str
    parts: tuple[str | Equation | Value, ...]
    number: int | None = None
    ledger: str = ""
