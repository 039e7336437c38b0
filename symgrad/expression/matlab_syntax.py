"""Formulas in MATLAB's notation read: ``x'*A*x``, ``.*``, ``norm(x)^2``, ``x(1)``; tokens become trees like Python's.

What an operator means is told in ``matlab``.
"""

from __future__ import annotations

import ast
import re
from itertools import takewhile
from typing import Any, NamedTuple

from symgrad.expression.evaluation import refused_at
from symgrad.expression.slips import of_a_comma, of_a_sign, of_python, product


class Right(ast.operator):
    """``B/A``, which is B A⁻¹."""


class Left(ast.operator):
    """The backslash: A⁻¹ b."""


class Raised(ast.operator):
    """``A^2``, the matrix power."""


_OPERATORS: dict[str, tuple[int, ast.operator]] = {
    "+": (1, ast.Add()), "-": (1, ast.Sub()), "*": (2, ast.MatMult()), ".*": (2, ast.Mult()), "/": (2, Right()),
    "./": (2, ast.Div()), "\\": (2, Left()), "^": (4, Raised()), ".^": (4, ast.Pow()),
}  # fmt: skip
_COMPARED: dict[str, ast.cmpop] = {
    "<": ast.Lt(), "<=": ast.LtE(), ">": ast.Gt(), ">=": ast.GtE(), "==": ast.Eq(), "~=": ast.NotEq(),
}  # fmt: skip
_UNARY, _POSTFIX = 3, 4
MOST_DEEP = 240  # levels of operators within each other
_TOKEN = re.compile(
    r"(?P<number>(?:\d+(?:\.(?![*/^'\\])\d*)?|\.\d+)(?:[eE][-+]?\d+)?)|(?P<name>[^\W\d]\w*)"
    r"|(?P<sign>\.\^|\.\*|\./|\.\\|\.'|<=|>=|==|~=|[-+*/\\^<>()\[\],;:'])|(?P<space>\s+)"
)


class Token(NamedTuple):
    """A number, a name, a word in quotes or a sign, and where it stands."""

    kind: str
    text: str
    place: int


def tokens(text: str) -> list[Token]:
    """Return the tokens of a formula, and one for its end."""
    found: list[Token] = []
    place = 0
    while place < len(text):
        match = _TOKEN.match(text, place)
        quoted = re.compile(r"'([A-Za-z]\w*)'").match(text, place) if not found or not _ends(found[-1]) else None
        if quoted:
            found.append(Token("word", quoted[1], place))
            place = quoted.end()
            continue
        if match is not None and match.lastgroup == "name" and not match[0].isidentifier():  # x² is a word to re
            place, match = (
                next(k for k in range(place + 1, match.end() + 1) if not text[place : k + 1].isidentifier()),
                None,
            )
        if match is None:
            said = of_a_sign(text, place) or f"{text[place]!r} is no sign of a formula in MATLAB's notation"
            raise refused_at(text, place, said)
        if match.lastgroup != "space":
            if found and _ends(found[-1]) and match.lastgroup in ("number", "name"):
                raise refused_at(text, place, product(_factor(found), match[0]))
            found.append(Token(str(match.lastgroup), match[0], place))
        place = match.end()
    while found and found[-1].text == ";":
        found.pop()
    return [*found, Token("end", "", len(text))]


def _ends(t: Token) -> bool:
    """Whether what ends with this token can be transposed."""
    return t.kind in ("number", "name", "word") or t.text in (")", "]", "'", ".'")


def _factor(found: list[Token]) -> str:
    """Return the factor that ends with the last token, as x' or (…)'."""
    marks = list(takewhile(lambda t: t.text in ("'", ".'"), reversed(found)))
    inner = found[-1 - len(marks)]
    return ("(…)" if inner.text in (")", "]") else inner.text) + "".join(t.text for t in marks)


def tree(text: str) -> ast.expr:
    """Return the tree of a formula."""
    found: ast.expr = _Parser(text).whole()
    return found


def chained(text: str) -> int | None:
    """Return the place of the second power in a^b^c, which paper reads from the right and MATLAB from the left.

    >>> chained("e^-x^2"), chained("(a^b)^c + x^2")
    (4, None)
    """
    parser = _Parser(text)
    parser.whole()
    return parser.chained


class _Parser:
    """Precedence climbing over the tokens.

    Attributes:
        chained: where a power of a power stands without brackets, from the first exponent on; None where none does.
    """

    def __init__(self, text: str) -> None:
        self.text, self.tokens, self.k, self.depth = text, tokens(text), 0, 0
        self.chained: int | None = None

    @property
    def next(self) -> Token:
        return self.tokens[self.k]

    def whole(self) -> Any:
        found = self.compared()
        if self.next.kind != "end":
            if _ends(self.tokens[self.k - 1]) and self.next.text in ("(", "["):
                raise refused_at(self.text, self.next.place, "a sign is missing here; for a product write *")
            if self.next.text == "," and (comma := of_a_comma(self.text)):
                raise refused_at(self.text, *comma)
            raise refused_at(self.text, self.next.place, f"{self.next.text!r} is not expected here")
        return found

    def take(self, text: str) -> bool:
        """Step over a sign if it comes next."""
        if self.next.kind == "sign" and self.next.text == text:
            self.k += 1
            return True
        return False

    def expect(self, text: str) -> None:
        if not self.take(text):
            what = repr(self.next.text) if self.next.text else "the end"
            raise refused_at(self.text, self.next.place, f"expected {text!r}, got {what}")

    def made(self, node: Any, place: int) -> Any:
        node.lineno, node.col_offset = 1, len(self.text[:place].encode())
        return node

    def compared(self) -> Any:
        left = self.ranged()
        token = self.next
        if token.kind == "sign" and token.text in _COMPARED:
            self.k += 1
            return self.made(ast.Compare(left, [_COMPARED[token.text]], [self.ranged()]), token.place)
        return left

    def ranged(self) -> Any:
        """Read an expression, or a : b between indices."""
        first = self.expression(1)
        if self.next.text != ":":
            return first
        place = self.next.place
        self.k += 1
        return self.made(ast.Slice(first, self.expression(1)), place)

    def expression(self, least: int) -> Any:
        self.depth += 1
        if self.depth > MOST_DEEP:
            raise refused_at(self.text, self.next.place, "the formula is nested too deep here; name its parts")
        left, powers = self.unary(), 0
        while self.next.kind == "sign" and (found := _OPERATORS.get(self.next.text)) and found[0] >= least:
            token = self.next
            powers = powers + 1 if found[0] == _POSTFIX else 0
            self.chained = token.place if powers == 2 and self.chained is None else self.chained
            self.k += 1
            left = self.made(ast.BinOp(left, found[1], self.operand(found[0])), token.place)
        self.depth -= 1
        return left

    def operand(self, level: int) -> Any:
        """Read what stands behind an operator; an exponent may have a sign of its own."""
        if level == _POSTFIX and self.next.text in ("-", "+"):
            token = self.next
            self.k += 1
            return self.signed(token, self.operand(level))
        return self.expression(level + 1)

    def unary(self) -> Any:
        token = self.next
        if token.kind == "sign" and token.text in ("-", "+"):
            self.k += 1
            return self.signed(token, self.expression(_UNARY))
        return self.postfix()

    def signed(self, token: Token, inner: ast.expr) -> Any:
        return self.made(ast.UnaryOp(ast.USub() if token.text == "-" else ast.UAdd(), inner), token.place)

    def postfix(self) -> Any:
        found = self.atom()
        while self.next.text in ("'", ".'") and self.next.kind == "sign":
            sign = "H" if self.next.text == "'" else "T"  # the adjoint, and the transpose
            found = self.made(ast.Attribute(found, sign, ast.Load()), self.next.place)
            self.k += 1
        return found

    def atom(self) -> Any:
        token = self.next
        self.k += 1
        if token.kind == "number":
            value = float(token.text)
            return self.made(ast.Constant(int(token.text) if token.text.isdigit() else value), token.place)
        if token.kind == "word":
            return self.made(ast.Constant(token.text), token.place)
        if token.kind == "name" and (said := of_python(token.text)):
            raise refused_at(self.text, token.place, said)
        if token.kind == "name":
            name = self.made(ast.Name(token.text, ast.Load()), token.place)
            return self.made(ast.Call(name, self.arguments(), []), token.place) if self.take("(") else name
        if token.text == "(":
            found = self.compared()
            self.expect(")")
            return found
        if token.text == "[":
            return self.rows(token)
        self.k -= 1
        what = f"{token.text!r}" if token.text else "the end"
        raise refused_at(self.text, token.place, f"expected a number, a name or a bracket, got {what}")

    def arguments(self) -> list[Any]:
        found: list[Any] = []
        while not self.take(")"):
            if found:
                self.expect(",")
            if self.next.text == ":":
                found.append(self.made(ast.Slice(), self.next.place))
                self.k += 1
            else:
                found.append(self.compared())
        return found

    def rows(self, start: Token) -> Any:
        """Read [a, b; c, d]."""
        rows: list[ast.expr] = []
        row: list[ast.expr] = []
        while not self.take("]"):
            if self.take(";"):
                rows.append(self.made(ast.Tuple(row, ast.Load()), start.place))
                row = []
                continue
            if row:
                self.expect(",")
            row.append(self.compared())
        rows.append(self.made(ast.Tuple(row, ast.Load()), start.place))
        return self.made(ast.List(rows, ast.Load()), start.place)
