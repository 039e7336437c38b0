"""Laws as a lesson quotes them: in letters that the problem does not use."""

from __future__ import annotations

from symgrad.expression.printer import word
from symgrad.forms.names import Mint

_SMALL, _LARGE = "abcuvwpqrstxyz", "ABCMNKLPQRUVW"


class Letters(dict[str, str]):
    """The letters of laws: the usual ones, and others in place of those that the problem has.

    Args:
        mint: the names of the problem; the letters that are chosen are added to them.
        signs: what else means something in the problem, as the sizes.
    """

    def __init__(self, mint: Mint, signs: set[str]) -> None:
        super().__init__(log=word("log"))
        self._mint, self._signs = mint, signs

    def __missing__(self, letter: str) -> str:
        pool = letter + (_LARGE if letter.isupper() else _SMALL)
        mine: str = next(c for c in (*pool, *map("{}′".format, pool)) if c not in self._mint.used | self._signs)
        self._mint.used.add(mine)
        self[letter] = mine
        return mine

    def quote(self, law: str) -> str:
        """Return a law, whose letters stand in braces, as it is written: ``tr({M}ᵀ) = tr({M})``."""
        return law.format_map(self)
