"""How long entries are when written out, counted before anybody writes them."""

from __future__ import annotations

from typing import Any

import numpy as np
import sympy as sp

from symgrad.errors import FormError

MOST = 3_000_000  # operations of all entries together: some seconds of writing


class Budget:
    """Counts the operations of expressions, looking at each part once however often it stands in them."""

    def __init__(self, most: int = MOST) -> None:
        self._most = most
        self._sizes: dict[Any, int] = {}

    def check(self, array: Any) -> None:
        """Raise FormError where the entries of an array have too many operations to be written out."""
        count = sum(self.size(e) for e in np.ravel(array) if isinstance(e, sp.Basic))
        if count > self._most:
            raise FormError(
                f"scalar: written out, the entries have {count} operations, more than {self._most}. Use index(), whose "
                "length does not grow with the sizes, or .where, which names intermediates."
            )

    def size(self, e: Any) -> int:
        """Return how many operations an expression has as a tree."""
        stack = [e]
        while stack:
            top = stack[-1]
            inside = [a for a in top.args if a not in self._sizes]
            if inside and top not in self._sizes:
                stack.extend(inside)
                continue
            self._sizes.setdefault(top, 1 + sum(self._sizes[a] for a in top.args))
            stack.pop()
        return self._sizes[e]
