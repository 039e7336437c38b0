"""How wide text is on a terminal: letters of two columns, and marks that take none."""

from __future__ import annotations

import unicodedata


def columns(text: str) -> int:
    r"""Return how many columns a string takes.

    >>> columns("x + 中"), columns("e\u0301")
    (6, 1)
    """
    return sum(map(_width, text))


def _width(sign: str) -> int:
    if unicodedata.category(sign) in ("Mn", "Me", "Cf"):
        return 0
    return 2 if unicodedata.east_asian_width(sign) in "WF" else 1
