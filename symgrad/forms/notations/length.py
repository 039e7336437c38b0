"""How long a formula is to read: names, numbers and signs count; brackets, commas and the sign of a product do not."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

from symgrad.expression.tokens import signs
from symgrad.forms.nodes import printers

# what signs that have to be worked out count more than others: a reader puts numbers into δ_ij
_HARD = {"δ": 2, "scatter": 2, "stack": 2, "Piecewise": 50, " if ": 50, "[0; ": 1, "[0, ": 1, "; 0]": 1}


def weight(text: str) -> int:
    """Return how long a formula is, with what must be worked out counted more."""
    return signs(text) + sum(more * text.count(word) for word, more in _HARD.items())


@lru_cache(maxsize=8192)
def length(e: Any) -> int:
    """Return how many names, numbers and signs an expression is written with."""
    return signs(printers.text(e))
