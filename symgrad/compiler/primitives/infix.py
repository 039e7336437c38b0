"""Operators that stand beside their arguments: their signs, for all that is written in Python, and what they do."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

SIGNS = {
    "add": "+", "sub": "-", "mul": "*", "div": "/", "lt": "<", "le": "<=", "gt": ">", "ge": ">=", "eq": "==",
    "ne": "!=", "and": "and", "or": "or", "neg": "-", "not": "not ",
}  # fmt: skip
FUNCTIONS: dict[str, Callable[..., Any]] = {
    "add": operator.add, "sub": operator.sub, "mul": operator.mul, "div": operator.truediv, "lt": operator.lt,
    "le": operator.le, "gt": operator.gt, "ge": operator.ge, "eq": operator.eq, "ne": operator.ne,
    "and": lambda a, b: a and b, "or": lambda a, b: a or b, "neg": operator.neg, "not": operator.not_,
}  # fmt: skip
ON_ARRAYS = {**SIGNS, "and": "&", "or": "|", "not": "~"}  # where booleans are entries
BINDS = {
    "lt": 1, "le": 1, "gt": 1, "ge": 1, "eq": 1, "ne": 1, "or": 2, "and": 3, "add": 4, "sub": 4, "mul": 5, "div": 5,
    "neg": 6, "not": 6,
}  # fmt: skip


def infix(signs: dict[str, str]) -> dict[str, str]:
    """Return a template for each operator, with its sign before one argument or between two."""
    return {n: f"{s}{{}}" if n in ("neg", "not") else f"{{}} {s} {{}}" for n, s in signs.items()}
