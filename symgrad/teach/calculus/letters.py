"""Letters for parts of formulas."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import count

from symgrad.expression.formula import Name

_LETTERS = "uvwpqrst"


class Letters:
    """Letters for parts of formulas, none of them a user's.

    Args:
        taken: names that are in use.
    """

    def __init__(self, taken: Iterable[str]) -> None:
        self._taken = {*taken}
        self._numbered = count(1)

    def next(self) -> Name:
        """Return a letter that was not given out."""
        letter = next((c for c in _LETTERS if c not in self._taken), None)
        while letter is None or letter in self._taken:
            letter = f"u_{next(self._numbered)}"
        self._taken.add(letter)
        return Name(letter)
