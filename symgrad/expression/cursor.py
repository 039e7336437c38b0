"""Where a reader stands among the tokens of a formula: what comes next, what it steps over, what it refuses."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import TypeVar

from symgrad.errors import ParseError
from symgrad.expression.formula import (
    Formula,
    Span,
    replace,
)
from symgrad.expression.instead import of_a_sign, of_python, refused_at
from symgrad.expression.tokens import Token, without_layout

F = TypeVar("F", bound=Formula)
SUM, SPREAD, PRODUCT, UNARY, POWER = range(1, 6)
LEVELS = {"+": SUM, "-": SUM, "*": PRODUCT, "/": PRODUCT, "⊙": SPREAD, "⊘": SPREAD, "^": POWER, "^⊙": POWER}
PYTHON = {"@": PRODUCT, "%": PRODUCT, "//": PRODUCT, "**": POWER}
MATLAB = {".*": PRODUCT, "./": PRODUCT, "\\": PRODUCT, ".\\": PRODUCT, ".^": POWER}
COMPARED = ("<", "<=", ">", ">=", "==", "!=", "~=")
CLOSED_BY = {"(": ")", "[": "]", "{": "}"}
_LABEL = re.compile(  # f(x) =, y =, f'(x) =, dy/dx =, ∂f/∂x =, \frac{dy}{dx} =, or = alone
    r"(?:(?:[d∂]?([^\W\d]\w*)?['’′″‴]*(?:\s*\(\s*[\w₀-₉]+(?:\s*[,;]\s*[\w₀-₉]+)*\s*\))?(?:\s*/\s*[d∂]\w+)*"
    r"|\\frac\s*\{[^{}]*\}\s*\{[^{}]*\})\s*(?::?=|:)(?!=))"
)


def label_of(formula: str) -> re.Match[str] | None:
    """Return what names a formula at its beginning, as in f(x) =; None without."""
    plain = without_layout(formula)
    return _LABEL.match(plain, len(plain) - len(plain.lstrip()))


class Cursor:
    """The tokens of a formula, and how far they were read."""

    _in_indices: bool = False
    _in_cases: bool = False
    linear: bool = False  # whether the formula has the signs of linear algebra

    def __init__(
        self, formula: str, listing: list[Token], matlab: bool, paper: bool, known: Mapping[str, int], answer: bool
    ) -> None:
        self.text, self.tokens, self.matlab, self.paper, self.known = formula, listing, matlab, paper, known
        self.k = self.depth = self.bars = 0
        self.answer, self.constant, self.differential = answer, False, False
        self.arrays = any(known.values())
        self.two_ways: list[tuple[Span, str]] = []
        self._apart: dict[str, list[str]] = {}  # words that were tried, so that none is tried again
        self.levels = LEVELS | (PYTHON if paper or not matlab else {}) | (MATLAB if paper or matlab else {})
        if not paper:
            self.levels = {sign: n for sign, n in self.levels.items() if sign not in ("⊙", "⊘", "^⊙")}
        if not (paper or matlab):
            del self.levels["^"]
        self._raised: tuple[int, Formula] | None = None  # where a power ends whose exponent has no brackets
        self._said: tuple[int, Formula] | None = None  # where a function's argument ends that has no brackets

    @property
    def next(self) -> Token:
        return self.tokens[self.k]

    @property
    def before(self) -> Token:
        return self.tokens[self.k - 1]

    def at(self, *signs: str) -> bool:
        """Whether one of these signs comes next."""
        return self.next.kind == "sign" and self.next.text in signs

    def take(self, *signs: str) -> bool:
        """Step over a sign if it comes next."""
        if not self.at(*signs):
            return False
        self.k += 1
        return True

    def word(self, *words: str) -> bool:
        """Whether one of these words comes next."""
        return self.next.kind == "name" and self.next.text in words and self.next.text not in self.known

    def refused(self, reason: str, token: Token | None = None) -> ParseError:
        token = token or self.next
        return refused_at(self.text, token.start, reason, token.end)

    def _rest(self) -> list[str]:
        return [t.text for t in self.tokens[self.k + 1 : -1]]

    def made(self, node: F, start: Span | None, mark: Token | None = None) -> F:
        """Return a node with its place, from the start of what it begins with to what was read last."""
        first = start[0] if start is not None else self.before.start
        node.place = (first, max(self.before.end, first + 1))
        node.mark = (mark.start, mark.start + 1) if mark is not None else node.place
        return node

    def bracketed(self, opened: Token, close: str, inner: Callable[[], Formula]) -> Formula:
        """Read the contents of brackets, and the closing bracket."""
        bars, self.bars = self.bars, 0
        formula = inner()
        self.bars = bars
        if not self.take(close):
            if self.next.kind == "end":
                if self.matlab and not self.paper:
                    raise self.refused(f"expected {close!r}, got the end")
                raise self.refused(f"this is not a formula: {opened.text!r} was never closed", opened)
            if self.next.text in (")", "]", "}"):
                raise self.refused(f"{opened.text} is closed by {close}, and not by {self.next.text}")
            if self.word("for", "if", "and", "or") and not self.paper:
                raise self.refused(str(of_python(self.next.text, ["x"])))
            raise self._unexpected()
        return formula

    def in_brackets(self, opened: Token, close: str, inner: Callable[[], Formula]) -> Formula:
        """Read the contents of brackets, and note the brackets in the tree."""
        return replace(self.bracketed(opened, close, inner), brackets=(opened.start, self.before.end))

    def _unexpected(self) -> ParseError:
        token = self.next
        if token.text == "=":
            label = label_of(self.text)
            own = label is not None and label.end() >= token.end and label[1] not in self._rest()
            meant = "only what stands to its right" if own else "one side, or one side minus the other"
            return self.refused(f"= cannot be part of a formula; write {meant}")
        if token.text == "," and (self.before.kind == "number" or self.matlab):
            return self.refused(_of_a_comma(self.tokens, self.k) or "',' is not expected here")
        if token.kind == "foreign" and self.paper:
            instead = "the index first, as in x_1^2" if token.text[0].isdigit() else "the formula without it"
            return self.refused(f"{token.text} is not read; write {instead}")
        if token.kind == "foreign" or (token.kind == "sign" and token.text not in CLOSED_BY.values()):
            return self.refused(of_a_sign(token.text, self.matlab))
        if token.kind == "end":
            return self.refused("this is not a formula: it ends here, where a number or a name is expected")
        if not self.paper and token.kind == "name" and (said := of_python(token.text, self._rest())):
            return self.refused(said)
        return self.refused(f"this is not a formula: {token.text!r} is not expected here")

    def expression(self, least: int) -> Formula:
        """Read operations that bind at least as strongly."""
        raise NotImplementedError

    def compared(self) -> Formula:
        """Read an expression, or a comparison of two."""
        raise NotImplementedError

    def power(self, base: Formula, token: Token) -> Formula:
        """Read an exponent."""
        raise NotImplementedError

    def postfix(self) -> Formula:
        """Read an operand with its postfixes, such as calls and indices."""
        raise NotImplementedError

    def atom(self) -> Formula:
        """Read an operand."""
        raise NotImplementedError

    def number(self, token: Token) -> Formula:
        """Return the number of a token."""
        raise NotImplementedError

    def call(self, func: Formula) -> Formula:
        """Read the arguments of a function."""
        raise NotImplementedError

    def strict_name(self, token: Token) -> Formula:
        """Read a name as programs have it."""
        raise NotImplementedError

    def of_rows(self, rows: Sequence[list[Formula]], opened: Token) -> Formula:
        """Return an array of rows."""
        raise NotImplementedError


def _of_a_comma(listing: Sequence[Token], k: int) -> str | None:
    """Return the message for a comma within a number."""
    before, after = listing[k - 1], listing[k + 1]
    if before.kind == after.kind == "number" and not after.gap:
        return "a number has a point where others have a comma; write 3.5 for 3,5"
    return None
