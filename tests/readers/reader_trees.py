"""What the readers of printed formulas share: the tree of a formula, and reading by precedence from tokens."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple


class Unreadable(Exception):
    """The text is not in the notation."""


class Untold(Unreadable):
    """A size that nothing in the text tells, as that of I in blocksum(X, I): see docs/notation.md."""


class Tree(NamedTuple):
    """A part of a formula: what it is, and its parts or parameters."""

    kind: str
    parts: tuple[Any, ...]


def tree(kind: str, *parts: Any) -> Tree:
    """Return a part of a formula."""
    return Tree(kind, parts)


def rebuilt(e: Any, change: Callable[[Tree], Tree]) -> Any:
    """Return a formula with each part changed, those inside a part before it."""
    if isinstance(e, Tree):
        return change(Tree(e.kind, tuple(rebuilt(p, change) for p in e.parts)))
    if isinstance(e, tuple):
        return tuple(rebuilt(p, change) for p in e)
    return {k: rebuilt(v, change) for k, v in e.items()} if isinstance(e, dict) else e


def split(pattern: re.Pattern[str], text: str) -> list[str]:
    """Split a string into tokens, without spaces; the last is empty."""
    return [m[1] for m in pattern.finditer(text) if m[1].strip()] + [""]


class Precedence:
    """Precedence climbing over tokens, the last of which is empty.

    From loose to tight: relations; ``+`` and ``-``; ``⊙`` and ``⊘``; ``⊗``; then what ``product`` reads.

    Attributes:
        relations: the signs of relations, and what they are.
        joins: the signs that join conditions, and what they are.
        signs: the signs between terms and between entrywise factors, and what they are.
    """

    relations: Mapping[str, str]
    joins: Mapping[str, str]
    signs: Mapping[str, str]

    def __init__(self, tokens: Sequence[str]) -> None:
        self.tokens, self.at = tokens, 0

    @property
    def next(self) -> str:
        """The token that follows."""
        return self.tokens[self.at]

    def take(self, *wanted: str) -> str:
        """Take the next token; it must be one of these, where any are given."""
        token = self.next
        if wanted and token not in wanted:
            raise Unreadable(f"expected {wanted}, got {token!r} {self.rest()}")
        self.at += 1
        return token

    def rest(self) -> str:
        """Say what follows."""
        return f"before {' '.join(self.tokens[self.at :])[:80]!r}"

    def whole(self) -> Tree:
        """Read all of it."""
        found = self.relation()
        self.take("")
        return found

    def relation(self) -> Tree:
        """Read a formula, or a condition."""
        left = self.sum()
        if self.next in self.relations:
            left = tree("relation", self.relations[self.take()], left, self.sum())
            if self.next in self.relations:  # a < x < b
                left = tree(
                    "logic", "&", left, tree("relation", self.relations[self.take()], left.parts[2], self.sum())
                )
        while self.next in self.joins:
            left = tree("logic", self.joins[self.take()], left, self.relation())
        return left

    def sum(self) -> Tree:
        """Read terms."""
        return self.left(self.entrywise, "+", "-")

    def entrywise(self) -> Tree:
        """Read factors of an elementwise product."""
        return self.left(self.kronecker, "⊙", "⊘")

    def kronecker(self) -> Tree:
        """Read factors of a Kronecker product, or of a cross product."""
        return self.left(self.product, "⊗", "×")

    def product(self) -> Tree:
        """Read factors of a product."""
        raise NotImplementedError

    def left(self, operand: Callable[[], Tree], *kinds: str) -> Tree:
        """Read operands with these signs between them, from left to right."""
        found = operand()
        while (kind := self.signs.get(self.next)) in kinds:
            self.take()
            found = tree(str(kind), found, operand())
        return found
