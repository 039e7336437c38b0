"""Equations as text, and their sides: what curves and systems are written as."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

from symgrad.errors import ParseError
from symgrad.expression.tokens import opens_parts, tokens, without_dollars

_EQUALS = ("=", "==")


class Sides(NamedTuple):
    """The two sides of an equation, as text, and what stands behind them, as where z = x + 1."""

    left: str
    right: str
    parts: str = ""

    @property
    def formulas(self) -> tuple[str, str]:
        """The two sides, each with what its parts stand for."""
        return f"{self.left} {self.parts}".rstrip(), f"{self.right} {self.parts}".rstrip()


def equations_in(who: str, text: str | Sequence[str]) -> list[Sides]:
    """Return the equations of a text, or of several; between equations stands a comma, a semicolon or a new line.

    Behind ``where`` a comma stands between the names of parts.

    Raises:
        ParseError: if a part is not an equation, or has more than one equals sign.

    >>> equations_in("derive", "x = cos(t), y = sin(t)")
    [Sides(left='x', right='cos(t)', parts=''), Sides(left='y', right='sin(t)', parts='')]
    """
    texts = [text] if isinstance(text, str) else list(text)
    return [_sides(who, part) for one in texts for part in _parts(one)]


def equation_in(who: str, text: str) -> Sides:
    """Return the one equation of a text.

    Raises:
        ParseError: if there is none, or there are several.
    """
    found = equations_in(who, text)
    if len(found) != 1:
        raise ParseError(f"{who}: {text!r} has {len(found)} equations. Expected one, such as 'x**2 + y**2 = 25'.")
    return found[0]


def has_equals_sign(text: str) -> bool:
    """Whether a text is an equation; keywords, cases and the names of parts have equals signs of their own.

    >>> [has_equals_sign(t) for t in ("x**2 + y**2 = 25", "x*z where z = x + 1", "elu(x, alpha=2)", "x == 1")]
    [True, False, False, False]
    """
    return any(sign == "=" for _, sign, named in _outer(text) if not named)


def _parts(text: str) -> Iterator[str]:
    """Yield what stands between the separators outside of brackets."""
    for line in without_dollars(text).splitlines():
        separators = (start for start, sign, named in _outer(line) if sign == ";" or (sign == "," and not named))
        cuts = [-1, *separators, len(line)]
        yield from (part for a, b in pairwise(cuts) if (part := line[a + 1 : b].strip()))


def _outer(text: str) -> Iterator[tuple[int, str, bool]]:
    """Yield the tokens outside of brackets, with their places, and whether they name parts, behind where."""
    depth, named, listing = 0, False, tokens(text, True)
    for k, token in enumerate(listing):
        depth += (token.text in ("(", "[", "{")) - (token.text in (")", "]", "}"))
        if depth == 0:
            named = (named or opens_parts(listing, k)) and token.text != ";"
            yield token.start, token.text, named


def _sides(who: str, text: str) -> Sides:
    outer = list(_outer(text))
    signs = [(start, sign) for start, sign, named in outer if sign in _EQUALS and not named]
    if len(signs) != 1:
        many = "no equals sign" if not signs else f"{len(signs)} equals signs"
        raise ParseError(f"{who}: {text!r} has {many}. Expected an equation of two sides, such as 'x**2 + y**2 = 25'.")
    ((place, sign),) = signs
    end = next((start for start, _, named in outer if named), len(text))
    return Sides(text[:place].strip(), text[place + len(sign) : end].strip(), text[end:])
