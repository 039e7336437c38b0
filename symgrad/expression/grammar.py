"""The one grammar of formulas: tokens of any spelling become a tree.

Programs are strict: what is no formula in Python's or MATLAB's notation is refused, with what to write instead. Paper
leaves signs out; what people read in two ways is noted, with both readings, for the caller to refuse or to discuss.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

from symgrad.errors import ParseError
from symgrad.expression.constants import CONSTANTS
from symgrad.expression.formula import (
    Attribute,
    Binary,
    Call,
    Compare,
    Constant,
    Formula,
    Keyword,
    List,
    Name,
    Slice,
    Span,
    Subscript,
    Tuple,
    Unary,
    replace,
    text,
    walk,
    within,
)
from symgrad.expression.instead import of_a_sign, of_python, product, refused_at, two_ways
from symgrad.expression.listed import listed
from symgrad.expression.tokens import MOST_DEEP, Token, tokens, without_layout
from symgrad.expression.words import ALIASES, GLUED, GREEK, INVERSE, LETTERS, SPOKEN

NEVER_NAMES = ("sin", "cos", "tan", "exp", "log", "ln", "sqrt", "sum")  # while gamma, beta, std often are
F = TypeVar("F", bound=Formula)
_SUM, _PRODUCT, _UNARY, _POWER = 1, 2, 3, 4
_LEVELS = {"+": _SUM, "-": _SUM, "*": _PRODUCT, "/": _PRODUCT, "⊙": _PRODUCT, "⊘": _PRODUCT, "^": _POWER}
_PYTHON = {"@": _PRODUCT, "%": _PRODUCT, "//": _PRODUCT, "**": _POWER}
_MATLAB = {".*": _PRODUCT, "./": _PRODUCT, "\\": _PRODUCT, ".\\": _PRODUCT, ".^": _POWER}
_MEANS = {".*": "*", "./": "/", ".^": "**", "⊘": "/", "^": "mpower"}
_IN_MATLAB = {"*": "@", "/": "mrdivide", "\\": "mldivide", "⊙": "*", **_MEANS}
_COMPARED = ("<", "<=", ">", ">=", "==", "!=", "~=")
_CASES = ("if", "for", "when")
_NOT_FACTORS = {*_CASES, "otherwise", "else", "where", "and", "or", "with"}
_SIGNS_IN_WORDS = {"mod", "times", "plus", "minus", "over", "by", "of", "per", "squared", "cubed", "div"}
_GREEK = {"mu", "nu", "xi", "pi"}
_CLOSED_BY = {"(": ")", "[": "]", "{": "}"}
_LEIBNIZ = re.compile(
    r"[\s$]*(?:\(?d[^\W\d]? ?/ ?d ?([^\W\d])\b\)?|\\[dt]?frac\s*\{\s*d[^\W\d]?\s*\}\s*\{\s*d\s*([^\W\d])\s*\})"
    r"\s*(?=[\w(\[\\])"
)
_LABEL = re.compile(  # f(x) =, y =, f'(x) =, dy/dx =, ∂f/∂x =, \frac{dy}{dx} =, or = alone
    r"\s*(?:(?:[d∂]?([^\W\d]\w*)?['’′″‴]*\s*(?:\(\s*[\w₀-₉]+(?:\s*,\s*[\w₀-₉]+)*\s*\))?(?:\s*/\s*[d∂]\w+)*"
    r"|\\frac\s*\{[^{}]*\}\s*\{[^{}]*\})\s*(?::?=|:)(?!=))"
)
_QUADRATIC = re.compile(r"\b([^\W\d]\w*) ?(?:\^|\*\*) ?t\b ?\* ?[A-Z]\w* ?\* ?\1\b")  # x^t*A*x


@dataclass(frozen=True)
class Reading:
    """A formula that was read.

    Attributes:
        text: as it was typed.
        tree: what it says.
        syntax: "python" or "matlab": what its operators mean for arrays.
        paper: whether it was read as people write.
        two_ways: places that people read in two ways, with what to write for each.
        constant: whether a constant ``+ C`` was taken off an answer.
        differential: whether ``dx`` was taken off an answer.
    """

    text: str
    tree: Formula
    syntax: str = "python"
    paper: bool = False
    two_ways: Sequence[tuple[Span, str]] = ()
    constant: bool = False
    differential: bool = False

    def refuse_two_ways(self) -> Reading:
        """Return the reading, if there is one only.

        Raises:
            ParseError: people read a part in two ways.
        """
        for place, said in self.two_ways:
            raise refused_at(self.text, place[0], said, place[1])
        return self


def read(
    formula: str,
    syntax: str = "python",
    known: Mapping[str, int] | None = None,
    *,
    meaning: str | None = None,
    answer: bool = False,
) -> Reading:
    """Return what a text says.

    Args:
        formula: the text.
        syntax: "python" or "matlab", read strictly; or "paper", which has the signs of both, its own and LaTeX's.
        known: the number of axes of names that are known.
        meaning: of paper, whose meaning operators have between arrays; by default as the signs tell.
        answer: whether a ``+ C`` or ``dx`` at the end is taken off, and sides before the last one are left out.

    Raises:
        ParseError: it is no formula; says where.
    """
    paper = syntax == "paper"
    listing = tokens(formula, paper)
    if "d" not in (known or {}) and not (answer and "=" in formula) and (quotient := _LEIBNIZ.match(formula)):
        name = quotient[1] or quotient[2]
        raise refused_at(formula, 0, f"write only what is differentiated; by {name} is said beside the formula")
    if paper:
        label = _LABEL.match(without_layout(formula))
        body = [t for t in listing if label is None or t.start >= label.end()]
        syntax = meaning or ("matlab" if spelling_of(body) == "matlab" else "python")
    parser = _Parser(formula, listing, syntax == "matlab", paper, known or {}, answer)
    try:
        tree = parser.whole()
    except RecursionError:
        raise ParseError("parse: the formula cannot be read: it is nested too deep.") from None
    _check_depth(formula, tree)
    return Reading(formula, tree, syntax, paper, parser.two_ways, parser.constant, parser.differential)


MOST_PARTS = 1_000


def _check_depth(formula: str, tree: Formula) -> None:
    """Refuse trees that are too large or too deep; a + b + c leans to the left, and is not deep. Not recursive."""
    stack, count = [(tree, 1)], 0
    while stack:
        node, depth = stack.pop()
        count += 1
        place = node.mark or node.place or (0, 1)
        if depth >= MOST_DEEP:
            raise refused_at(
                formula, place[0], f"the formula is nested more than {MOST_DEEP} deep here; name its parts"
            )
        if count > MOST_PARTS:
            raise refused_at(formula, place[0], f"the formula has more than {MOST_PARTS} parts; name some of them")
        left = node.left if isinstance(node, Binary) else None
        stack += [(child, depth + (child is not left)) for child in within(node)]


def spelling_of(listing: Sequence[Token]) -> str:
    """Return "symgrad", "numpy" or "matlab": whose signs a formula has, where it cannot be read without them."""
    python = matlab = False
    for before, token, after in zip([None, *listing], listing, [*listing[1:], None], strict=False):
        ends, follows = before is not None and before.ends, after is not None and after.kind == "name"
        if token.kind == "name" and token.text in ("np", "numpy") and after is not None and after.text == ".":
            return "numpy"
        python |= token.text in ("**", "@", "//", "!=", "%") or (token.text == "." and ends and follows)
        python |= token.text == "[" and before is not None and before.kind == "name" and not token.gap
        python |= token.text == "=" and before is not None and before.kind == "name" and _is_argument(listing, token)
        matlab |= token.text in (".*", "./", ".^", ".\\", ".'", "\\", "~=", "^", "ᵀ", "⊙")
        matlab |= (token.text == "'" and ends) or (token.text == ":" and _is_range(listing, token))
        matlab |= token.kind == "name" and _is_indexed(listing, token)
    return "matlab" if matlab and not python else "symgrad"


def _is_argument(listing: Sequence[Token], token: Token) -> bool:
    """Whether a = stands in brackets."""
    depth = 0
    for other in listing[: listing.index(token)]:
        depth += (other.text == "(") - (other.text == ")")
    return depth > 0


def _is_range(listing: Sequence[Token], token: Token) -> bool:
    """Whether a : stands in the round brackets of indices."""
    opened: list[str] = []
    for other in listing[: listing.index(token)]:
        if other.text in _CLOSED_BY:
            opened.append(other.text)
        elif other.text in (")", "]", "}") and opened:
            opened.pop()
    return bool(opened) and opened[-1] == "(" and not any(t.text == "?" or t.text == "lambda" for t in listing)


def _is_indexed(listing: Sequence[Token], token: Token) -> bool:
    """Whether a name that is no function has brackets behind it with places in them, counted as MATLAB does."""
    at = listing.index(token) + 1
    if token.text in listed() or token.text in ALIASES or listing[at].text != "(":
        return False
    inner: list[Token] = []
    for other in listing[at + 1 :]:
        if other.text in (")", "("):
            break
        inner.append(other)
    return any(t.text == "end" and t.kind == "name" for t in inner) or (
        bool(inner) and all((t.kind == "number" and t.text.isdigit()) or t.text == "," for t in inner)
    )


class _Parser:
    """Precedence climbing over the tokens."""

    def __init__(
        self, formula: str, listing: list[Token], matlab: bool, paper: bool, known: Mapping[str, int], answer: bool
    ) -> None:
        self.text, self.tokens, self.matlab, self.paper, self.known = formula, listing, matlab, paper, known
        self.k = self.depth = self.bars = 0
        self.answer, self.constant, self.differential = answer, False, False
        self.arrays = any(known.values())
        self.two_ways: list[tuple[Span, str]] = []
        self.levels = _LEVELS | (_PYTHON if paper or not matlab else {}) | (_MATLAB if paper or matlab else {})
        if not paper:
            self.levels = {sign: n for sign, n in self.levels.items() if sign not in "⊙⊘"}
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

    # -------------------------------------------------------------- the whole
    def whole(self) -> Formula:
        if self.paper:
            self._trim()
        if self.next.kind == "end":
            raise self.refused("this is not a formula: it is empty")
        found = self.rows() if self.paper else self.listed_parts("")
        while self.matlab and self.take(";"):
            pass
        if self.word("where") and self.paper:
            self.k += 1
            found = self._with_parts(found)
        if self.next.kind != "end":
            raise self._unexpected()
        return found

    def _trim(self) -> None:
        """Step over y = and f'(x) =, and leave off what stands behind a formula: a full stop, + C, dx."""
        last = len(self.tokens) - 1
        while last and self.tokens[last - 1].text in (".", ";"):
            last -= 1
        starts = self._sides()
        if self.answer and starts:
            side = starts[-1]
            if (
                len(starts) > 1
                and not self.arrays
                and re.fullmatch(r"\s*(\w+['’′″]+(\(\w+\))?|d\w*/d\w+)\s*", self.text[self.tokens[side].start :])
            ):  # the name stands last, as in 2x = y'
                last, side = side - 1, starts[-2]
            self.k = side
        elif starts and (label := _LABEL.match(without_layout(self.text))):
            names = [*self.known, *(t.text for t in self.tokens[starts[0] :] if t.kind == "name")]
            if label.end() == self.tokens[starts[0] - 1].end and label[1] not in names:
                self.k = starts[0]
        if self.answer:
            last = self._without_ends(last)
        if last < len(self.tokens) - 1:
            end = self.tokens[last]
            self.tokens = [*self.tokens[:last], Token("end", "", end.start, end.end, False)]

    def _sides(self) -> list[int]:
        """Return where the sides of an equation begin, the first too; nothing where there is no equation."""
        depth, found = 0, []
        for k, token in enumerate(self.tokens):
            depth += (token.text in ("(", "[", "{")) - (token.text in (")", "]", "}"))
            if depth == 0 and token.text == "where" and self.tokens[k + 1].text != "(":
                break
            if depth == 0 and token.text == "=" and token.kind == "sign":
                found.append(k + 1)
        colon = re.match(r"\s*\w+['’′″]+(\(\w+\))?\s*:", self.text) if self.answer else None
        if colon is not None:
            found.insert(0, next(k for k, t in enumerate(self.tokens) if t.start >= colon.end()))
        return [0, *found][-2:] if self.answer and found else found

    def _without_ends(self, last: int) -> int:
        """Return where an answer ends without + C and dx."""
        ending = self.tokens[max(last - 2, 0) : last]
        constant = last - self.k > 2 and ending[0].text == "+" and ending[1].text not in self.known
        if constant and re.fullmatch("[Cc]|const(ant)?", ending[1].text):
            self.constant, last = True, last - 2
        final = self.tokens[last - 1]
        moved = last - self.k > 1 and final.kind == "name" and final.text[:1] == "d" and final.text not in self.known
        if moved and self.known.get(final.text[1:], 1) == 0:
            self.differential, last = True, last - 1
            last -= self.tokens[last - 1].text == "*"
        return last

    def _with_parts(self, body: Formula) -> Formula:
        """Return a formula with its parts put in: z^2 where z = x + 1."""
        defined: list[tuple[str, Formula]] = []
        while self.next.kind == "name" and self.tokens[self.k + 1].text == "=":
            name = self.next.text
            self.k += 2
            defined.append((name, self.compared()))
            if not self.take(",", ";"):
                break
        for name, part in reversed(defined):  # a part may have names of those before it
            body = _put(body, name, replace(part, brackets=part.span))
        return body

    def _unexpected(self) -> ParseError:
        token = self.next
        if token.text == "=":
            label = _LABEL.match(without_layout(self.text))
            own = label is not None and label.end() >= token.end and label[1] not in self._rest()
            meant = "only what stands to its right" if own else "one side, or one side minus the other"
            return self.refused(f"= cannot be part of a formula; write {meant}")
        if token.text == "," and (self.before.kind == "number" or self.matlab):
            return self.refused(_of_a_comma(self.tokens, self.k) or "',' is not expected here")
        if token.kind == "foreign" and self.paper:
            return self.refused(f"{token.text} is not read; write the formula without it")
        if token.kind == "foreign" or (token.kind == "sign" and token.text not in _CLOSED_BY.values()):
            return self.refused(of_a_sign(token.text, self.matlab))
        if token.kind == "end":
            return self.refused("this is not a formula: it ends here, where a number or a name is expected")
        if not self.paper and token.kind == "name" and (said := of_python(token.text, self._rest())):
            return self.refused(said)
        return self.refused(f"this is not a formula: {token.text!r} is not expected here")

    def _rest(self) -> list[str]:
        return [t.text for t in self.tokens[self.k + 1 : -1]]

    # -------------------------------------------------------------- cases
    def rows(self, close: str = "") -> Formula:
        """Read a formula, or cases: 1 for x > 0, -1 for x < 0; 1 if x > 0 else 0; x > 0 ? 1 : -1."""
        first = self.compared()
        if self.take("?"):
            value = self.rows()
            if not self.take(":"):
                raise self.refused("write cases as in {1 for x > 0; -1 for x < 0}")
            return _where(self, first, value, self.rows())
        comma = close == "}" and self.at(",", "&")
        if not comma and not self.word(*_CASES):
            return first
        return self._cases(first, close)

    def _cases(self, value: Formula, close: str) -> Formula:
        rows: list[tuple[Formula, list[Formula]]] = []
        while True:
            self.take(",", "&")
            worded = self.word(*_CASES)
            self.k += worded
            if self.word("otherwise", "else"):
                self.k += 1
                rows.append((value, []))
                break
            if not worded and (self.next.kind == "end" or self.at("}", ")")):
                rows.append((value, []))
                break
            rows.append((value, self._condition()))
            if self.word("else"):
                self.k += 1
                rows.append((self.rows(), []))
                break
            if not (self.take(";", ",", "\\\\", "&") or self._and()) or self.at("}"):
                break
            value = self.compared()
        if len(rows) < 2:
            raise self.refused("a case is missing; write what holds otherwise, as in {1 for x > 0; -1 otherwise}")
        (found, _), *others = reversed(rows)
        for value, conditions in others:
            inner = value
            for condition in reversed(conditions):
                inner = _where(self, condition, inner, found)
            found = inner
        return found

    def _and(self) -> bool:
        found = self.word("and")
        self.k += found
        return found

    def _condition(self, first: Formula | None = None) -> list[Formula]:
        """Return comparisons that hold together: two for 0 < x < 3."""
        left, found = first or self.expression(_SUM), list[Formula]()
        while self.at(*_COMPARED, "="):
            token = self.next._replace(text="==") if self.at("=") else self.next
            self.k += 1
            right = self.expression(_SUM)
            found.append(self.made(Compare(left, token.text, right), left.span, token))
            left = right
        if not found:
            raise self.refused("a condition is missing, such as x > 0", self.before)
        return found

    # -------------------------------------------------------------- operators
    def made(self, node: F, start: Span | None, mark: Token | None = None) -> F:
        """Return a node with its place, from the start of what it begins with to what was read last."""
        first = start[0] if start is not None else self.before.start
        node.place = (first, max(self.before.end, first + 1))
        node.mark = (mark.start, mark.start + 1) if mark is not None else node.place
        return node

    def listed_parts(self, close: str) -> Formula:
        """Read a formula, or several with commas between, as a tuple."""
        first = self.ranged()
        if not self.at(",") or (self.matlab and not close):
            return first
        elts = [first]
        while self.take(","):
            if self.at(close) or self.next.kind == "end":
                break
            elts.append(self.ranged())
        return self.made(Tuple(elts), first.span)

    def ranged(self) -> Formula:
        """Read a formula, or a slice between indices."""
        if not self.at(":"):
            first = self.compared()
            if not self.at(":") or not self._in_indices:
                return first
        else:
            first = None
        token = self.next
        parts: list[Formula | None] = [first]
        while self.take(":"):
            empty = self.at(":", ",", "]", ")")
            parts.append(None if empty else self.compared())
        if self.matlab and len(parts) == 3:
            raise self.refused("a range is written a:b", token)
        parts += [None] * (3 - len(parts))
        return self.made(Slice(*parts), first.span if first else (token.start, token.end), token)

    _in_indices = False
    _in_cases = False

    def compared(self) -> Formula:
        left = self.expression(_SUM)
        if self._in_cases and self.at("="):  # as [x = 0] is printed
            self.tokens[self.k] = self.next._replace(text="==")
        if not self.at(*_COMPARED) or (self.at("~=") and not (self.matlab or self.paper)):
            return left
        token = self.next
        self.k += 1
        op = "!=" if token.text == "~=" else token.text
        right = self.expression(_SUM)
        found: Formula = self.made(Compare(left, op, right), left.span, token)
        if self.at(*_COMPARED) and self.paper:  # which [0 < x < 1] may have
            second = self._condition(right)
            for condition in second:
                found = self.made(Binary(found, "*", condition), left.span, token)
        elif self.at(*_COMPARED):
            raise self.refused("a < b < c is two comparisons; write (a < b)*(b < c)", token)
        return found

    def expression(self, least: int) -> Formula:
        self.depth += 1
        if self.depth > MOST_DEEP + 20:
            raise self.refused(f"the formula is nested more than {MOST_DEEP} deep here; name its parts")
        left = self.unary()
        while True:
            token = self.next
            level = self.levels.get(token.text) if token.kind == "sign" else None
            if level is None and self._begins_a_factor() and least <= _PRODUCT:
                left = self.silent(left)
            elif level is None or level < least:
                break
            else:
                self.k += 1
                left = self.power(left, token) if level == _POWER else self.operation(left, token, level)
        self.depth -= 1
        return left

    def operation(self, left: Formula, token: Token, level: int) -> Formula:
        said, behind = self._said, self.before
        doubt = self.paper and said is not None and said[0] == self.tokens[self.k - 2].end and level == _PRODUCT
        right = self.expression(level + 1)
        op = (_IN_MATLAB if self.matlab else _MEANS).get(token.text, token.text)
        if token.text in ("\\", ".\\") and not self.matlab:
            op = "mldivide"
        if token.text == ".\\":
            left, right, op = right, left, "/"
        found = self.made(Binary(left, op, right), left.span, token)
        if doubt and said is not None and _is_plain(right, token.text):
            call = said[1]
            inner = _argument(call)
            self._doubt(
                call,
                found,
                f"{_said(call)}{behind.text}{text(right)}",
                _said(_with_argument(call, Binary(inner, token.text, right))),
            )
        return found

    def _doubt(self, first: Formula, last: Formula, one: str, other: str) -> None:
        """Note that people read a part in two ways."""
        start, end = (first.span or (0, 1))[0], (last.place or (0, 1))[1]
        one, other = (way.replace(" @ ", "*") for way in (one, other))
        self.two_ways.append(((start, end), two_ways(self.text[start:end].strip(), one, other)))

    def unary(self) -> Formula:
        token = self.next
        if self.at("-", "+"):
            self.k += 1
            return self.made(Unary(token.text, self.expression(_UNARY)), (token.start, token.end))
        return self.postfix()

    def power(self, base: Formula, token: Token) -> Formula:
        """Read an exponent: to the left of a power in MATLAB's notation, else to the right; or a transpose's T."""
        op = "**" if token.text in ("**", ".^") else "mpower"
        if self.paper and (transposed := self._transposed(base, token)) is not None:
            return transposed
        grouped = self.paper and self.at("{", "(")
        if self.matlab and not self.paper:
            exponent = self._signed(lambda: self.expression(_POWER + 1))
        else:
            exponent = self._raised_operand()
        found: Formula = self.made(Binary(base, op, exponent), base.span, token)
        while self.paper and self.at("ᵀ", "'"):  # (X⁻²)ᵀ is written X⁻²ᵀ too
            self.k += 1
            found = self.made(Attribute(found, "T"), base.span, self.before)
        if self.paper and not exponent.brackets:
            plain = isinstance(exponent, Constant) and not isinstance(base, Constant) and base != Name("e")
            self._raised = (
                None if plain or grouped else (self.before.end, found)
            )  # x^2y is x²y, but e^2x perhaps e^(2x)
            if not grouped:
                self._note_a_root(base, exponent)
            inner = exponent
            while isinstance(inner, Unary):
                inner = inner.operand
            if token.text == "^" and isinstance(inner, Binary) and inner.op in ("**", "mpower") and not inner.brackets:
                sign = "-" * isinstance(exponent, Unary)
                self._doubt(
                    found,
                    found,
                    f"{_shown(base)}^({sign}{text(inner)})",
                    f"({_shown(base)}^{sign}{text(inner.left)})^{_shown(inner.right)}",
                )
        return found

    def _note_a_root(self, base: Formula, exponent: Formula) -> None:
        """Note x^1/2, by which people mean a root."""
        over, divisor = self.tokens[self.k : self.k + 2] if self.at("/") else (None, None)
        if over is None or divisor is None or divisor.kind != "number" or over.gap or divisor.gap:
            return
        if exponent in (Constant(1), Unary("-", Constant(1))):
            start, below = _shown(base), f"{text(exponent)}/{divisor.text}"
            part = self.text[base.span[0] : divisor.end]
            said = two_ways(part, f"{start}^({below})", f"({start}^{text(exponent)})/{divisor.text}")
            self.two_ways.append(((base.span[0], divisor.end), said))

    def _raised_operand(self) -> Formula:
        """Read an exponent; of paper a mark behind a number or a group is that of the whole power."""
        token = self.next
        if not self.paper or not (self.at("{") or token.kind == "number"):
            return self.expression(_POWER)
        self.k += 1
        found = self.number(token) if token.kind == "number" else self.in_brackets(token, "}", self.compared)
        while self.at("^", "**", ".^"):
            sign = self.next
            self.k += 1
            found = self.power(found, sign)
        return found

    def _signed(self, read_operand: Callable[[], Formula]) -> Formula:
        token = self.next
        if not self.take("-", "+"):
            return read_operand()
        return self.made(Unary(token.text, self._signed(read_operand)), (token.start, token.end))

    def _transposed(self, base: Formula, token: Token) -> Formula | None:
        r"""Return the transpose of x^T, x^{\top}, and x^{-T}; None where T is a name, and the power a power."""
        k, depth = self.k, 0
        while self.tokens[k].text in ("{", "("):
            k, depth = k + 1, depth + 1
        inverse = self.tokens[k].text == "-"
        k += inverse
        mark = self.tokens[k]
        closing = [t.text for t in self.tokens[k + 1 : k + 1 + depth]]
        is_letter = mark.kind == "name" and mark.text in ("T", "t") and self._is_mark(mark, k)
        closed = all(t in ("}", ")") for t in closing) and len(closing) == depth
        if not (is_letter or mark.text in ("ᵀ", "'")) or not closed:
            return None
        self.k = k + 1 + depth
        if mark.text == "'":
            return self.made(Attribute(base, "H"), base.span, mark)
        if inverse:
            base = self.made(Binary(base, "mpower", Unary("-", Constant(1))), base.span, token)
        return self.made(Attribute(base, "T"), base.span, token)

    def _is_mark(self, mark: Token, k: int) -> bool:
        """Whether a T behind ^ is a transpose's, and no name."""
        if mark.text in self.known:
            return False
        if mark.text == "t" and not _QUADRATIC.search(self.text):
            return False
        for j, other in enumerate(self.tokens):
            raised = self.tokens[j - 1].text in ("^", "**", "{", "(", "-")
            if other.kind == "name" and other.text in ("T", "t") and not raised:
                return False
        return True

    # -------------------------------------------------------------- products without a sign
    def _begins_a_factor(self) -> bool:
        token = self.next
        if token.kind == "name":
            if token.text in _NOT_FACTORS and token.text not in self.known:
                return not self.paper and self._is_missing()
            return True
        if token.kind in ("number", "word"):
            return True
        if token.kind != "sign":
            return False
        if not self.paper:
            return token.text == "(" or (token.text == "[" and self.matlab)
        if token.text == "|":
            return not self.bars
        return token.text in ("(", "[", "{", "√", "\\frac", "\\binom", "\\sqrt", "½") or (
            token.text == "‖" and not self.bars
        )

    def _is_missing(self) -> bool:
        """Whether a word of Python's stands where an operator is missing."""
        said = of_python(self.next.text, self._rest())
        if said is not None:
            raise self.refused(said)
        return True

    def silent(self, left: Formula) -> Formula:
        """Read a factor that stands behind another one without a sign."""
        token, previous = self.next, self.before
        if not self.paper:
            self._refuse_a_missing_sign(previous, token)
        raised, said = self._raised, self._said
        self._check_silent(left, previous, token)
        if _is_typed_fraction(left, token):
            left = replace(left, brackets=left.span)
        numbers = previous.kind == "number" or token.kind == "number"
        right = self.expression(_UNARY)
        names = [n for n, t in ((left, previous), (right, token)) if t.kind == "name" and self.known.get(t.text) == 0]
        op = "@" if self.matlab or (self.arrays and not numbers and not names) else "*"
        found = self.made(Binary(left, op, right, silent=True), left.span, token)
        other = _shown(right)
        if raised is not None and raised[0] == previous.end and not token.gap:
            power: Any = raised[1]
            self._doubt(power, found, f"{text(power)}*{other}", f"{_shown(power.left)}^({text(power.right)}*{other})")
        elif said is not None and said[0] == previous.end and token.text == "(":
            call = said[1]
            self._doubt(
                call, found, f"{_said(call)}*{other}", _said(_with_argument(call, Binary(_argument(call), "*", right)))
            )
        elif previous.kind == "number" and not token.gap and "e" in previous.text.lower():
            front, _, power = previous.text.lower().partition("e")
            self._doubt(left, found, f"{previous.text}*{other}", f"{front}*e^({power}*{other})")
        elif previous.kind == "number" and isinstance(left, Constant) and token.text == "\\frac" and _is_numeric(right):
            self._doubt(left, found, f"{previous.text} + {text(right)}", f"{previous.text}*{other}")
        elif _is_fraction(left):
            self._doubt(left, found, f"({text(left)})*{other}", _below(left, right))
        return found

    def _check_silent(self, left: Formula, before: Token, token: Token) -> None:
        """Refuse two numbers in a row, and a function whose argument has no brackets, as gamma x."""
        name = left.right if isinstance(left, Binary) and not left.brackets else left
        if token.kind == "number" and isinstance(name, Constant) and not _is_power(left):
            raise self.refused(f"a sign is missing between {before.text} and {token.text}")
        for here in (before, token):
            if here.kind == "name" and here.text in _SIGNS_IN_WORDS and here.text not in self.known:
                raise self.refused(f"write a sign for {here.text}", here)
        is_function = isinstance(name, Name) and name.id in listed() and len(name.id) > 1 and name.id not in self.known
        if is_function and before.kind == "name" and isinstance(name, Name):
            said = (f"{before.text}({token.text})", f"{before.text}*{token.text}")
            self.two_ways.append(((before.start, token.end), two_ways(f"{before.text} {token.text}", *said)))

    def _refuse_a_missing_sign(self, before: Token, token: Token) -> None:
        if before.kind == "name" and before.text in listed() and before.text not in self.known and token.text != "(":
            raise self.refused(f"the argument of a function stands in brackets; write {before.text}(…)")
        if before.kind == token.kind == "number":
            raise self.refused(f"a sign is missing between {before.text} and {token.text}")
        if token.kind == "name" and (said := of_python(token.text, self._rest())):
            raise self.refused(said)
        if self.matlab and token.text in ("(", "["):
            raise self.refused("a sign is missing here; for a product write *")
        marks = ""
        k = self.k - 1
        while self.tokens[k].text in ("'", ".'"):
            marks, k = self.tokens[k].text + marks, k - 1
        left = (
            "(…)" if self.tokens[k].text in (")", "]") else re.findall(r"[\w.]+$", self.text[: self.tokens[k].end])[0]
        )
        called = token.kind == "name" and self.tokens[self.k + 1].text == "("
        right = "(…)" if token.text == "(" else f"{token.text}(…)" if called else token.text
        raise self.refused(product(left + marks, right))

    # -------------------------------------------------------------- operands
    def postfix(self) -> Formula:
        found = self.atom()
        while True:
            token = self.next
            if token.kind != "sign":
                return found
            if token.text in ("'", ".'", "ᵀ") and (self.paper or self.matlab):
                self.k += 1
                found = self.made(Attribute(found, "H" if token.text == "'" else "T"), found.span, token)
                if self.matlab and not self.paper:
                    continue
            elif token.text == "'":
                raise self._quoted(found)
            elif token.text == "." and self.tokens[self.k + 1].kind == "name" and not (self.matlab and not self.paper):
                self.k += 2
                found = self.made(Attribute(found, self.before.text), found.span)
                if self.at("("):
                    found = self.call(found)
            elif token.text == "[" and self._is_index(found):
                self.k += 1
                inside, self._in_indices = self._in_indices, True
                key = self.bracketed(token, "]", lambda: self.listed_parts("]"))
                self._in_indices = inside
                found = self.made(Subscript(found, key), found.span)
            elif token.text == "(" and not self.paper and not self.matlab and not isinstance(found, Constant):
                if isinstance(found, (Binary, Unary, Compare)) or found.brackets:
                    return found
                found = self.call(found)
            else:
                return found

    def _quoted(self, found: Formula) -> ParseError:
        """Return the error for a quotation mark behind a part: of a string with a letter before it, or a dash."""
        kinds = {"f": "an f-string", "b": "a constant of type bytes"}
        if isinstance(found, Name) and found.id.lower() in kinds and "'" in self._rest() and not self.next.gap:
            return self.refused(f"{kinds[found.id.lower()]} cannot be part of a formula", self.before)
        return self.refused(of_a_sign("'", False))

    def _is_index(self, found: Formula) -> bool:
        """Whether a bracket behind a part holds indices; of paper perhaps a factor, as in 2[x + 1]."""
        if self.matlab and not self.paper:
            return False
        if not self.paper:
            return True
        if self.next.gap or isinstance(found, Constant):
            return False
        depth, signs = 0, []
        for token in self.tokens[self.k :]:
            depth += (token.text == "[") - (token.text == "]")
            signs.append(token)
            if depth == 0:
                break
        plain = all(t.kind == "number" or t.text in ("[", "]", ":", ",", "-", "...", "end") for t in signs)
        is_array = isinstance(found, Name) and self.known.get(found.id, 0) > 0
        return plain or is_array or not isinstance(found, Name)

    def bracketed(self, opened: Token, close: str, inner: Callable[[], Formula]) -> Formula:
        """Read what stands in brackets, and the bracket that closes them."""
        bars, self.bars = self.bars, 0
        found = inner()
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
        return found

    def in_brackets(self, opened: Token, close: str, inner: Callable[[], Formula]) -> Formula:
        """Read what stands in brackets, and note these."""
        return replace(self.bracketed(opened, close, inner), brackets=(opened.start, self.before.end))

    def atom(self) -> Formula:
        token = self.next
        start = (token.start, token.end)
        if token.kind == "name":
            return self.named()
        self.k += 1
        if token.kind == "number":
            return self.number(token)
        if token.kind == "word":
            return self.made(Constant(token.text), start)
        if token.kind == "sign" and token.text == "..." and not self.matlab:
            return self.made(Constant(...), start)
        if token.kind == "sign" and token.text == "(":
            return self.round(token)
        if token.kind == "sign" and token.text == "[":
            return self.square(token)
        if self.paper and token.kind == "sign":
            found = self.of_paper(token)
            if found is not None:
                return found
        self.k -= 1
        raise self._no_operand(token)

    def _no_operand(self, token: Token) -> ParseError:
        if self.matlab and not self.paper and token.kind != "foreign" and (not token.text or token.text in self.levels):
            what = f"{token.text!r}" if token.text else "the end"
            return self.refused(f"expected a number, a name or a bracket, got {what}")
        if token.kind == "end":
            return self._unexpected()
        if token.text in self.levels or token.text in _COMPARED:
            if self.k and self.before.text in ("(", ",") and token.text in ("*", "**"):
                return self.refused(f"{token.text} cannot be part of a call")
            return self.refused("this is not a formula: a number or a name is expected here")
        return self._unexpected()

    def number(self, token: Token) -> Formula:
        word, value = token.text, 0 + 0j
        if word[-1] in "jJ" and word[:2].lower() != "0x":
            if "j" in self.known:
                digits = replace_end(word)
                if not self.paper:
                    raise refused_at(self.text, token.end - 1, product(digits, word[-1]))
                left = self.made(Constant(_value(digits)), (token.start, token.end))
                right = self.made(Name("j"), (token.start, token.end))
                return self.made(Binary(left, "*", right, silent=True), left.span)
            value = complex(word.replace("_", ""))
            return self.made(Constant(value), (token.start, token.end))
        try:
            found = Constant(_value(word))
        except ValueError as error:
            raise self.refused(f"this is not a formula: {error}", token) from None
        node: Formula = self.made(found, (token.start, token.end))
        if self.paper and self.at("½"):
            above, below = _fraction(self.text[self.next.start])
            raise self.refused(f"write {word} + {above}/{below} or {word}*({above}/{below})")
        return node

    def round(self, token: Token) -> Formula:
        if not self.matlab and self.take(")"):
            return self.made(Tuple([]), (token.start, token.end))
        inside, self._in_indices = self._in_indices, False
        inner = (
            (lambda: self._tuple_or_cases(")"))
            if self.paper
            else (self.compared if self.matlab else (lambda: self.listed_parts(")")))
        )
        found = self.in_brackets(token, ")", inner)
        self._in_indices = inside
        return found

    def _tuple_or_cases(self, close: str) -> Formula:
        first = self.rows(close)
        if not self.at(","):
            return first
        elts = [first]
        while self.take(","):
            elts.append(self.rows())
        return self.made(Tuple(elts), first.span)

    def square(self, token: Token) -> Formula:
        """Read a list; of paper perhaps [x > 0], which is 1 where it holds, or brackets around a part."""
        inside, self._in_indices = self._in_indices, False
        rows: list[list[Formula]] = [[]]
        bars, self.bars = self.bars, 0
        while not self.take("]"):
            if self.next.kind == "end":
                raise self.refused(f"this is not a formula: {token.text!r} was never closed", token)
            if self.matlab and self.take(";"):
                rows.append([])
                continue
            if rows[-1] and not self.take(","):
                if self.next.text in (")", "}"):
                    raise self.refused(f"[ is closed by ], and not by {self.next.text}")
                if self.word("for") and not self.paper:
                    raise self.refused(str(of_python("for", ["x"])))
                raise self._unexpected()
            if not self.at("]"):
                cases, self._in_cases = self._in_cases, self.paper
                rows[-1].append(self.rows() if self.paper else self.compared())
                self._in_cases = cases
        self._in_indices, self.bars = inside, bars
        start = (token.start, token.end)
        single = rows[0][0] if len(rows) == 1 and len(rows[0]) == 1 else None
        if self.paper and single is not None and (conditions := _conditions(single)):
            found: Formula = Constant(1)
            for condition in reversed(conditions):
                found = _where(self, condition, found, Constant(0))
            return found
        if self.paper and single is not None and not self.arrays and not isinstance(single, Tuple):
            behind = self.tokens[self.tokens.index(token) - 1] if self.tokens.index(token) else None
            if behind is None or behind.text not in ("(", ","):
                return replace(single, brackets=(token.start, self.before.end))
        if self.matlab:
            made = [self.made(Tuple(row), start) for row in rows]
            return self.made(List(made), start)
        return self.made(List(rows[0]), start)

    def of_paper(self, token: Token) -> Formula | None:
        """Read what only paper has: roots, bars, fractions of LaTeX, cases in braces."""
        start = (token.start, token.end)
        if token.text == "{":
            return self.in_brackets(token, "}", lambda: self.rows("}"))
        if token.text in ("|", "‖"):
            return self.barred(token)
        if token.text == "½":
            above, below = _fraction(self.text[token.start])
            return self.made(Binary(Constant(above), "/", Constant(below), brackets=start), start)
        if token.text == "√":
            return self.root(token)
        if token.text == "\\sqrt":
            return self.latex_root(token)
        if token.text == "\\binom":
            return self.made(Call(Name("binom"), [self.group(), self.group()]), start)
        if token.text == "\\frac":
            above, below = self.group(), self.group()
            return self.made(Binary(above, "mrdivide" if self.matlab else "/", below, brackets=start), start)
        return None

    def group(self) -> Formula:
        """Read what stands in braces; without them, the one sign that LaTeX takes."""
        token = self.next
        if self.take("{"):
            return self.in_brackets(token, "}", self.rows)
        is_word = token.kind == "name" and token.end - token.start == len(token.text)  # and no command
        if (token.kind == "number" or is_word) and len(token.text) > 1:  # \frac12, \frac x2
            first = Token(token.kind, token.text[0], token.start, token.start + 1, token.gap)
            rest = tokens(token.text[1:], True)[:-1]
            at = token.start + 1
            self.tokens[self.k : self.k + 1] = [first, *(t._replace(start=at + t.start, end=at + t.end) for t in rest)]
        return self.atom()

    def latex_root(self, token: Token) -> Formula:
        start, degree = (token.start, token.end), None
        opened = self.next
        if self.take("["):
            degree = self.bracketed(opened, "]", self.compared)
        inner = self.group()
        if degree is None:
            return self.made(Call(Name("sqrt"), [inner]), start)
        if degree == Constant(3):
            return self.made(Call(Name("cbrt"), [inner]), start)
        exponent = Binary(Constant(1), "/", degree)
        return self.made(Binary(inner, "**", exponent, brackets=start), start)

    def root(self, token: Token) -> Formula:
        first = self.next
        inner = self.postfix()
        found = self.made(Call(Name("sqrt"), [inner]), (token.start, token.end))
        shown, behind = text(inner), self.next
        if first.kind in ("number", "name") and not isinstance(inner, Call) and not behind.gap:
            ways: tuple[str, ...] = ()
            if self.at("^", "**"):
                behind = next(t for t in self.tokens[self.k + 1 :] if t.text not in ("{", "("))
                ways = (f"√({shown})^{behind.text}", f"√({shown}^{behind.text})")
            elif behind.kind in ("name", "number"):
                ways = (f"√({shown})*{behind.text}", f"√({shown}*{behind.text})")
            if ways:
                part = self.text[token.start : behind.end]
                self.two_ways.append(((token.start, behind.end), two_ways(part, *ways)))
        return found

    def barred(self, token: Token) -> Formula:
        """Read |x|, or ||x|| and ‖x‖, which is a norm."""
        opened = self.bars
        self.bars += 1
        found = self.rows()
        self.bars = opened
        if not self.take(token.text):
            raise self.refused("this bar is never closed: write | behind what it holds", token)
        start = (token.start, token.end)
        if token.text == "‖":
            norm: Formula = self.made(Call(Name("norm"), [found]), start)
            if self.next.kind == "name" and self.next.text in ("_2", "_F"):  # ‖x‖_2
                self.k += 1
            return norm
        inner = _argument(found) if _is_barred(found) else None
        if inner is not None and found.place == (token.end, self.before.start):
            return self.made(Call(Name("norm"), [inner]), start)
        return self.made(Call(Name("|"), [found]), start)

    # -------------------------------------------------------------- names and calls
    def named(self) -> Formula:
        token = self.next
        word = token.text
        if not self.paper:
            return self.strict_name(token)
        name = word if word in self.known else LETTERS.get(word, word)
        if name == word and word not in self.known and (said := of_python(word)):
            raise self.refused(said)
        if name not in self.known:
            name = self._alias(name)
            self._note_two_letters(token)
        after = self.tokens[self.k + 1]
        function = name not in self.known and name not in CONSTANTS and name in listed()
        if word[:4] == "log_" and len(word) > 4 and not function and name not in self.known:
            return self.to_base(token)
        spoken = function and (word in SPOKEN or name in SPOKEN or word.lower() in SPOKEN)
        if after.text == "." and self.tokens[self.k + 2].kind == "name" and self._is_module(word):
            self.k += 2
            return self.named()
        if function and after.text in ("(", "[") and (after.text == "(" or not after.gap):
            self.k += 1
            return self.call(self.made(Name(name), (token.start, token.end)))
        if (spoken and self._is_spoken(after)) or (function and self._is_powered(after)):
            self.k += 1
            return self.applied(name, token)
        if name not in self.known and name not in CONSTANTS and not function and word not in LETTERS:
            pieces = self._pieces(token, after)
            if pieces:
                self._split(token, pieces)
                return self.named()
        if after.text == "(" and not self._is_factor(name, token):
            self.k += 1
            return self.call(self.made(Name(name), (token.start, token.end)))
        self.k += 1
        return self.made(Name(name), (token.start, token.end))

    def to_base(self, token: Token) -> Formula:
        """Read a logarithm to a base, as in log_3 x."""
        base = tokens(token.text[4:], True)[0]
        self.tokens[self.k] = token._replace(text="log")
        logarithm = self.named()
        call = logarithm.left if isinstance(logarithm, Binary) else logarithm
        if not isinstance(call, Call):
            raise self.refused("log is a function: write what it is taken of, as in log_3(x)", token)
        of = replace(call, args=[*call.args, _number_or_name(base._replace(start=token.start))])
        found = of if call is logarithm else logarithm.with_operands([of, *logarithm.operands[1:]])
        if self._said is not None and self._said[1] is logarithm:
            self._said = (self._said[0], found)
        return found

    def strict_name(self, token: Token) -> Formula:
        word, start = token.text, (token.start, token.end)
        after = self.tokens[self.k + 1]
        if word in ("None", "True", "False") and not self.matlab:
            self.k += 1
            return self.made(Constant({"None": None, "True": True, "False": False}[word]), start)
        if said := of_python(word, self._rest() if not self.matlab else ()):
            raise self.refused(said, token)
        if len(word) > 1 and word[0] == "π" and word not in self.known:
            raise self.refused(f"{word} is one name; for the product write π*{word[1:]}", token)
        if word in listed() and word not in self.known and after.text in ("^", "**"):
            self._refuse_a_power(token, after)
        self.k += 1
        node: Formula = self.made(Name(word), start)
        return self.call(node) if self.matlab and self.at("(") else node

    def _refuse_a_power(self, token: Token, sign: Token) -> None:
        """Refuse sin^2(x) and sin^2 x."""
        found = re.match(r" ?(\(?-?\d+\)?) ?(?=\(| [^\W\d]|(?<= )[^\W\d])", self.text[sign.end :])
        if found is None:
            return
        own = f"{token.text}(…){sign.text}{found[1]}"
        if "-" in found[1]:
            said = f"inverse functions have names, as asin; for one over the function write {own}"
        else:
            said = f"a power stands behind the brackets; write {own}"
        raise self.refused(said, token)

    def _is_module(self, word: str) -> bool:
        modules = ("np", "numpy", "math", "sg", "torch", "linalg", "special", "fft", "functional", "nn", "F", "symgrad")
        return word in modules and word not in self.known

    def _alias(self, word: str) -> str:
        """Return what formulas call a function: ln is log, Cos is cos."""
        if word in listed() and word not in ALIASES:
            return word
        if word in ALIASES and ALIASES[word] in listed():
            return ALIASES[word]
        small = ALIASES.get(word.lower(), word.lower())
        return small if len(word) > 1 and small in listed() else word

    def _is_spoken(self, after: Token) -> bool:
        """Whether a function's argument follows without brackets."""
        if after.text in ("^", "**") and after.kind == "sign":
            return True
        if after.kind == "name":
            return after.text not in _NOT_FACTORS or after.text in self.known
        opens = after.text in ("√", "\\frac", "\\binom", "\\sqrt", "{", "‖") or (after.text == "|" and not self.bars)
        return after.kind == "number" or (after.kind == "sign" and opens)

    def _is_powered(self, after: Token) -> bool:
        """Whether a power stands before a function's brackets, as in erfinv²(x)."""
        if after.text != "^" or self.tokens[self.k + 2].text != "{":
            return False
        depth = 0
        for k, token in enumerate(self.tokens[self.k + 2 :], self.k + 3):
            depth += (token.text == "{") - (token.text == "}")
            if depth == 0:
                return self.tokens[k].text == "(" and not self.tokens[k].gap
        return False

    def _is_factor(self, name: str, token: Token) -> bool:
        """Whether a bracket behind a name is a factor of its own: x(x + 1), where x is a number."""
        indices = self.matlab and _is_indexed(self.tokens, token) and self.known.get(name, 1) > 0
        if indices or (self.matlab and self.known.get(name, 0) > 0 and not self.answer):
            return False
        if name in self.known or name in CONSTANTS:
            return True
        return any(
            t.kind == "name" and t.text == token.text and self.tokens[k + 1].text != "("
            for k, t in enumerate(self.tokens[:-1])
        )

    def _note_two_letters(self, token: Token) -> None:
        """Note ax where x is known: a product to people, a name to programs."""
        word = token.text
        if len(word) != 2 or not word.isalpha() or word in listed() or word in ALIASES or word in _GREEK:
            return
        known = [self.known.get(letter) == 0 for letter in word]
        if any(known) and not all(letter in self.known or letter in CONSTANTS for letter in word):
            said = f"{word} is read in two ways; write {word[0]}*{word[1]}, or give the name {word} a shape"
            self.two_ways.append(((token.start, token.end), said))

    def _pieces(self, token: Token, after: Token) -> list[str]:
        """Return the names that a word is made of, one of them known or a number; nothing where it is one name."""
        pieces = self._parts(token.text)
        if not pieces and token.text[0] == "π" and token.text not in self.known:
            return [token.text[0], token.text[1:]] if len(token.text) > 1 else []
        called = after.text == "(" and bool(pieces) and self._alias(pieces[-1]) not in listed()
        known = any(p in self.known or p.isdigit() for p in pieces)
        return pieces if len(pieces) > 1 and known and not called else []

    def _parts(self, word: str) -> list[str]:
        """Return the names that a word is made of, as x, sin and x in ``xsinx``; nothing where it is none."""
        if not word or word.lower() in GREEK - {"pi"}:
            return []
        for cut in range(len(word), 0, -1):
            head, tail = word[:cut], word[cut:]
            if head in self.known or head in CONSTANTS:
                behind = self._parts(tail)
                if not tail or behind:
                    return [head, *behind]
            if head in GLUED and tail and not tail[0].isdigit():  # cosx
                behind = self._parts(tail)
                if behind and (behind[0] in self.known or behind[0] in CONSTANTS):
                    return [head, *behind]
            digits = re.match(r"\d+", tail)
            if digits and self._alias(head) in listed():  # ln2
                rest = tail[digits.end() :]
                behind = self._parts(rest)
                if not rest or behind:
                    return [head, digits[0], *behind]
            if not tail and self._alias(head) in listed():
                return [head]
        return []

    def _split(self, token: Token, pieces: Sequence[str]) -> None:
        """Put the names that a word is made of in its place."""
        made, place = list[Token](), token.start
        for piece in pieces:
            kind = "number" if piece[0].isdigit() else "name"
            made.append(Token(kind, piece, place, place + len(piece), token.gap and not made))
            place += len(piece)
        self.tokens[self.k : self.k + 1] = made

    def call(self, func: Formula) -> Formula:
        token = self.next
        self.k += 1
        close = _CLOSED_BY[token.text]
        bars, inside = self.bars, self._in_indices
        self.bars, self._in_indices = 0, self.matlab
        args: list[Formula] = []
        words: list[Keyword] = []
        while not self.take(close):
            if self.next.kind == "end":
                if self.matlab and not self.paper:
                    raise self.refused(f"expected {close!r}, got the end")
                raise self.refused(f"this is not a formula: {token.text!r} was never closed", token)
            if (args or words) and not self.take(",") and not (self.matlab and self.take(";")):
                if self.next.text in (")", "]", "}"):
                    raise self.refused(f"{token.text} is closed by {close}, and not by {self.next.text}")
                if self.word("for") and not self.paper:
                    raise self.refused(str(of_python("for", ["x"])))
                raise self._unexpected()
            if self.at(close):
                continue
            if self.next.kind == "name" and self.tokens[self.k + 1].text == "=":
                name = self.next.text
                self.k += 2
                words.append(Keyword(name, self.compared()))
            else:
                args.append(self._argument(token))
        self.bars, self._in_indices = bars, inside
        return self.made(Call(func, args, words), func.span)

    def _argument(self, opened: Token) -> Formula:
        if not self.matlab and not self.paper and self.at("*", "**"):
            raise self.refused(f"{self.next.text} cannot be part of a call")
        return self.ranged() if self.matlab else self.rows() if self.paper else self.compared()

    def applied(self, name: str, token: Token) -> Formula:
        """Read what a function is taken of without brackets, as in sin x, sin 2x, sin^2 x, ln |x|."""
        start, exponent, sign = (token.start, token.end), None, self.next
        if self.take("^", "**"):
            exponent = self._exponent()
        if self.at("("):
            found = self.call(self.made(Name(name), start))
        elif self._is_spoken(self.next):
            argument = self.spoken()
            found = self.made(Call(Name(name), [argument]), start)
            self._said = (self.before.end, found)
            if name not in ("trace", "det", "logdet") and (other := self._ended_early(found, argument, exponent)):
                self._doubt(found, argument, text(_powered(found, exponent)), other)
        else:
            raise self.refused(f"{token.text} is a function: write what it is taken of, as in {token.text}(x)", token)
        if exponent is None:
            return found
        if name in INVERSE and exponent == Unary("-", Constant(1)):
            inverse = self.made(Call(Name(INVERSE[name]), [_argument(found)]), start)
            self._doubt(inverse, inverse, text(inverse), f"1/{text(found)}")
            return inverse
        powered = self.made(Binary(found, "**", exponent), start, sign)
        if self._said is not None and self._said[1] is found:
            self._said = (self.before.end, powered)
        return powered

    def _ended_early(self, call: Call, argument: Formula, exponent: Formula | None) -> str:
        """Return what sin x y and ln x^2 say where the function is taken of x alone; nothing if nobody says so."""
        factors: list[tuple[Formula, str]] = []
        while isinstance(argument, Binary) and argument.silent and not argument.brackets:
            factors.insert(0, (argument.right, self.text[: (argument.mark or (0, 1))[0]]))
            argument = argument.left
        factors.insert(0, (argument, ""))
        said: Formula | None = None
        for k, (factor, before) in enumerate(factors):
            is_power = isinstance(factor, Binary) and factor.op in ("**", "mpower") and not factor.brackets
            if said is not None and not _is_number(said) and _COMMAND.sub("", before)[-1:].isspace():
                found, rest = _powered(replace(call, args=[said]), exponent), factors[k:]
            elif exponent is None and is_power and not _is_number(factor.left):
                inner = factor.left if said is None else Binary(said, "*", factor.left)
                found, rest = _powered(replace(call, args=[inner]), factor.right), factors[k + 1 :]
            else:
                said = factor if said is None else Binary(said, "*", factor)
                continue
            for other, _ in rest:
                found = Binary(found, "*", other)
            return text(found)
        return ""

    def _exponent(self) -> Formula:
        token = self.next
        if self.take("{"):
            return self.bracketed(token, "}", self.compared)
        if self.take("("):
            return self.bracketed(token, ")", self.compared)
        if self.take("-"):
            inner = self.made(_number_or_name(self.next), (self.next.start, self.next.end))
            self.k += 1
            return self.made(Unary("-", inner), (token.start, token.end))
        self.k += 1
        return self.made(_number_or_name(token), (token.start, token.end))

    def spoken(self) -> Formula:
        """Read the factors that a function without brackets is taken of, with their powers."""
        token = self.next
        if token.kind == "sign" or (token.kind == "name" and self._is_said(token)):
            return self.expression(_UNARY)
        found: Formula | None = None
        while self.next.kind in ("number", "name"):
            here = self.next
            if found is not None and (here.text in _NOT_FACTORS or self._is_said(here)):
                break
            if (
                here.kind == "name"
                and found is not None
                and len(self._parts(here.text)) > 1
                and any(p in GLUED for p in self._parts(here.text))
            ):
                break
            factor = self.number_or_name()
            while self.at("^", "**"):
                sign = self.next
                self.k += 1
                factor = self.made(Binary(factor, "**", self._exponent()), factor.span, sign)
            op = "@" if self.matlab else "*"
            found = factor if found is None else self.made(Binary(found, op, factor, silent=True), found.span, here)
        assert found is not None  # the caller looked
        return found

    def number_or_name(self) -> Formula:
        token = self.next
        if token.kind == "number":
            self.k += 1
            return self.number(token)
        name = LETTERS.get(token.text, token.text)
        if (
            name not in self.known
            and name not in CONSTANTS
            and (pieces := self._pieces(token, self.tokens[self.k + 1]))
        ):
            self._split(token, pieces)
            token = self.next
            name = LETTERS.get(token.text, token.text)
        self.k += 1
        node: Formula = self.made(Name(name), (token.start, token.end))
        if self.at("'", "ᵀ"):
            self.k += 1
            node = self.made(Attribute(node, "T"), node.place)
        return node

    def _is_said(self, token: Token) -> bool:
        """Whether a name is that of a function that is said without brackets, or is called here."""
        after = self.tokens[self.tokens.index(token) + 1]
        name = self._alias(token.text)
        if token.text in self.known or name not in listed():
            return False
        return after.text == "(" or ((token.text in SPOKEN or name in SPOKEN) and self._is_spoken(after))


# ------------------------------------------------------------------ small pieces
def replace_end(word: str) -> str:
    """Return a number without the letter at its end."""
    return word[:-1] or "1"


def _value(word: str) -> int | float:
    """Return a number as Python reads it."""
    plain = word.replace("_", "")
    if plain[:2].lower() in ("0x", "0o", "0b"):
        return int(plain, 0)
    if not plain.isdigit():
        return float(plain)
    if len(plain) > 1 and plain[0] == "0" and int(plain) != 0:
        raise ValueError("a whole number does not begin with 0")
    return int(plain)


def _number_or_name(token: Token) -> Formula:
    if token.kind == "number":
        return Constant(_value(token.text))
    return Name(token.text)


def _of_a_comma(listing: Sequence[Token], k: int) -> str | None:
    """Return what is said of a comma within a number."""
    before, after = listing[k - 1], listing[k + 1]
    if before.kind == after.kind == "number" and not after.gap:
        return "a number has a point where others have a comma; write 3.5 for 3,5"
    return None


def comma_in(formula: str) -> tuple[int, str] | None:
    """Return the place of a comma within a number, and what to write; or None."""
    found = re.search(r"(?<=\d),(?=\d)", formula)
    return found and (found.start(), "a number has a point where others have a comma; write 3.5 for 3,5")


def _put(node: Formula, name: str, part: Formula) -> Formula:
    if isinstance(node, Name):
        return part if node.id == name else node
    if not node.operands:
        return node
    return node.with_operands([_put(p, name, part) for p in node.operands])


def _where(parser: _Parser, condition: Formula, value: Formula, other: Formula) -> Formula:
    found: Formula = parser.made(Call(Name("where"), [condition, value, other]), condition.span)
    return found


def _conditions(node: Formula) -> list[Formula]:
    """Return the comparisons that a condition is made of; none where it is no condition."""
    if isinstance(node, Binary) and node.op == "*" and not node.brackets and isinstance(node.right, Compare):
        first = _conditions(node.left)
        return [*first, node.right] if first else []
    return [node] if isinstance(node, Compare) else []


def _is_power(node: Formula) -> bool:
    return isinstance(node, Binary) and node.op in ("**", "mpower")


_COMMAND = re.compile(r"\\[A-Za-z]+\s+$")  # whose blank ends it, and says nothing


def _is_number(node: Formula) -> bool:
    """Whether a part is made of numbers and constants only."""
    return all(n.id in CONSTANTS for n in walk(node) if isinstance(n, Name))


def _is_numeric(node: Formula) -> bool:
    """Whether a part is a fraction of two numbers."""
    return isinstance(node, Binary) and all(isinstance(part, Constant) for part in node.operands)


def _powered(node: Formula, exponent: Formula | None) -> Formula:
    return node if exponent is None else Binary(node, "**", exponent)


def _fraction(sign: str) -> tuple[int, int]:
    """Return what a sign such as ½ stands for: 1 and 2."""
    above, below = unicodedata.normalize("NFKC", sign).split("\u2044")
    return int(above), int(below)


def _is_barred(node: Formula) -> bool:
    return isinstance(node, Call) and node.func == Name("|")


def _is_fraction(node: Formula) -> bool:
    """Whether a product ends with a quotient whose bar people may take to go on."""
    if isinstance(node, Binary) and not node.brackets:
        return node.op in ("/", "mrdivide", "mldivide") or (node.silent and _is_fraction(node.left))
    return False


def _is_typed_fraction(node: Formula, token: Token) -> bool:
    """Whether this is 1/2 of 1/2 x: whole numbers, and a space behind them."""
    if isinstance(node, Unary):
        return _is_typed_fraction(node.operand, token)
    whole = isinstance(node, Binary) and all(isinstance(p, Constant) and type(p.value) is int for p in node.operands)
    return whole and token.gap


def _below(left: Formula, factor: Formula) -> str:
    """Return how a quotient is written whose bar goes on over one more factor."""
    if isinstance(left, Binary) and left.silent:
        return _below(left.left, Binary(left.right, "*", factor))
    above, below = left.operands
    return text(Binary(above, "/", Binary(below, "*", factor)))


def _is_plain(right: Formula, sign: str) -> bool:
    """Whether a factor behind sin x may be meant as a part of its argument: a number, or for * a name too."""
    return isinstance(right, Constant) or (sign == "*" and isinstance(right, (Name, Constant)))


def _shown(node: Formula) -> str:
    """Return a part as a factor, in brackets where it is a sum."""
    return text(Binary(node, "**", Constant(2)))[:-2]


def _argument(node: Formula) -> Formula:
    call = node.left if isinstance(node, Binary) else node
    assert isinstance(call, Call)  # what was said is a call, or its power
    return call.args[0]


def _with_argument(node: Formula, new: Formula) -> Formula:
    if isinstance(node, Binary):
        return node.with_operands([_with_argument(node.left, new), node.right])
    assert isinstance(node, Call)  # as above
    return replace(node, args=[new])


_said = text
