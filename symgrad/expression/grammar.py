"""The one grammar of formulas: tokens of any spelling become a tree.

Programs are strict: text that is not a formula in Python's or MATLAB's notation is refused, with a remedy. Paper
leaves signs out; what people read in two ways is noted, with both readings, for the caller to refuse or to discuss.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate

from symgrad.errors import ParseError
from symgrad.expression.cursor import CLOSED_BY, COMPARED, POWER, PRODUCT, SUM, UNARY, label_of
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
    within,
)
from symgrad.expression.function_table import function_table
from symgrad.expression.instead import of_a_sign, of_python, product, refused_at
from symgrad.expression.paper import (
    Paper,
    _argument,
    _fraction,
    _value,
    _where,
    _with_argument,
    shown,
)
from symgrad.expression.printer import typed
from symgrad.expression.spelling import meaning_of, with_one_name
from symgrad.expression.tokens import MOST_DEEP, Token, tokens
from symgrad.expression.vectors import as_vector
from symgrad.expression.words import GREEK

MEANS = {".*": "*", "./": "/", ".^": "**", "⊘": "/", "^": "mpower"}
IN_MATLAB = {"*": "@", "/": "mrdivide", "\\": "mldivide", "⊙": "*", **MEANS}
_ORDER = r"(?: \^ (?:\{ )?\d+(?: \})?)?"
_LETTER = rf"(?:[^\W\d_](?:_?\d+)?|{'|'.join(sorted(GREEK.keys() - {'pi'}))}| \w+)\b"
_BELOW = rf"[d∂](?P<by>{_LETTER}){_ORDER}(?: [d∂]{_LETTER}{_ORDER})*"  # dx, dx², ∂x ∂y
_LEIBNIZ = re.compile(  # d/dx, d²y/dx², ∂f/∂x, and \frac of them, as tokens with blanks between
    rf"(?P<frac>\\frac (?:\{{ )?)?(?P<bracket>\( )?[d∂]{_ORDER}"
    rf"(?: ?[^\W\d_](?: \( \w+ \))?|(?(frac) (?![-+*/])(?:[^{{}}]|\{{[^{{}}]*\}})*?))?"
    rf"(?(frac)(?: \}})? \{{| /) {_BELOW}(?(frac) \}})(?(bracket) \))"
)
MOST_PARTS = 1_000


@dataclass(frozen=True)
class Reading:
    """A formula that was read.

    Attributes:
        text: as it was typed.
        tree: what it says.
        syntax: "python", "matlab" or "matrix": what its operators mean for arrays.
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
            ParseError: if a part is ambiguous.
        """
        for place, said in self.two_ways:
            raise refused_at(self.text, place[0], said, place[1])
        return self


def read(
    formula: str, syntax: str = "python", known: Mapping[str, int] | None = None, *, meaning: str | None = None,
    answer: bool = False,
) -> Reading:  # fmt: skip
    """Return what a string says.

    Args:
        formula, syntax: the text; "python" or "matlab", read strictly, or "paper", with the signs of both and LaTeX's.
        known: the number of axes of names that are known.
        meaning: of paper, whose meaning operators have between arrays; by default as the signs tell.
        answer: whether a ``+ C`` or ``dx`` at the end is taken off, and sides before the last one are left out.

    Raises:
        ParseError: if it is not a formula; the message says where.
    """
    paper = syntax == "paper"
    listing = with_one_name(tokens(formula, paper), known or {})
    label = label_of(formula) if paper else None
    body = [t for t in listing if label is None or t.start >= label.end()]
    syntax = (meaning or meaning_of(body)) if paper else syntax
    if not (answer and "=" in formula):
        _refuse_derivatives(formula, body, paper, known or {})
    parser = _Parser(formula, listing, syntax != "python", paper, known or {}, answer)
    parser.linear = syntax == "matrix"
    try:
        tree = parser.whole()
    except RecursionError:
        raise ParseError("parse: the formula cannot be read: it is nested too deeply.") from None
    check_depth(formula, tree)
    return Reading(formula, tree, syntax, paper, parser.two_ways, parser.constant, parser.differential)


def _refuse_derivatives(formula: str, listing: Sequence[Token], paper: bool, known: Mapping[str, int]) -> None:
    """Refuse d/dx x², which says twice what is to be done; programs' formulas may divide d by dx elsewhere."""
    line = " ".join(t.text for t in listing)
    places = accumulate((len(t.text) + 1 for t in listing), initial=0)
    for place, token in zip(places, listing if paper else listing[:1], strict=False):
        quotient = None if "d" in known else _LEIBNIZ.match(line, place)
        if quotient is None or not (paper or re.match(r" [\w(\[]", line[quotient.end() :])):
            continue
        name = quotient["by"].strip()
        if f"d{name}" not in known:
            said = f"write only what is differentiated; with respect to {name} is said beside the formula"
            raise refused_at(formula, token.start, said, token.end)


def check_depth(formula: str, tree: Formula, most: int = MOST_DEEP) -> None:
    """Refuse trees that are too large or too deep; a + b + c leans to the left, and is not deep. Not recursive."""
    stack, count = [(tree, 1)], 0
    while stack:
        node, depth = stack.pop()
        count += 1
        place = node.mark or node.place or (0, 1)
        if depth >= most:
            raise refused_at(formula, place[0], f"the formula is nested more than {most} deep here; name its parts")
        if count > MOST_PARTS:
            raise refused_at(formula, place[0], f"the formula has more than {MOST_PARTS} parts; name some of them")
        left = node.left if isinstance(node, Binary) else None
        stack += [(child, depth + (child is not left)) for child in within(node)]


class _Parser(Paper):
    """Precedence climbing over the tokens."""

    def whole(self) -> Formula:
        if self.paper:
            self._trim()
        if self.next.kind == "end":
            raise self.refused("this is not a formula: it is empty")
        formula = self.rows() if self.paper else self.listed_parts("")
        while self.matlab and self.take(";"):
            pass
        comma = self.paper and self.at(",") and self.tokens[self.k + 1].text == "where"
        if self.paper and (comma or self.word("where")):
            self.k += 1 + comma
            formula = self._with_parts(formula)
        if self.next.kind != "end":
            raise self._unexpected()
        return as_vector(formula, self.known, self.matlab) if self.paper and not self.answer else formula

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

    def compared(self) -> Formula:
        left = self.expression(SUM)
        if self._in_cases and self.at("="):  # as [x = 0] is printed
            self.tokens[self.k] = self.next._replace(text="==")
        if not self.at(*COMPARED) or (self.at("~=") and not (self.matlab or self.paper)):
            return left
        token = self.next
        self.k += 1
        op = "!=" if token.text == "~=" else token.text
        right = self.expression(SUM)
        formula: Formula = self.made(Compare(left, op, right), left.span, token)
        if self.at(*COMPARED) and self.paper:  # which [0 < x < 1] may have
            second = self._condition(right)
            for condition in second:
                formula = self.made(Binary(formula, "*", condition), left.span, token)
        elif self.at(*COMPARED):
            raise self.refused("a < b < c is two comparisons; write (a < b)*(b < c)", token)
        return formula

    def expression(self, least: int) -> Formula:
        self.depth += 1
        if self.depth > MOST_DEEP + 20:
            raise self.refused(f"the formula is nested more than {MOST_DEEP} deep here; name its parts")
        left = self.unary()
        while True:
            token = self.next
            level = self.levels.get(token.text) if token.kind == "sign" else None
            if level is None and self._begins_a_factor() and least <= PRODUCT:
                left = self.silent(left)
            elif level is None or level < least:
                break
            else:
                self.k += 1
                left = self.power(left, token) if level == POWER else self.operation(left, token, level)
        self.depth -= 1
        return left

    def operation(self, left: Formula, token: Token, level: int) -> Formula:
        said, behind = self._said, self.before
        doubt = self.paper and said is not None and said[0] == self.tokens[self.k - 2].end and level == PRODUCT
        percent = self.paper and token.text == "%" and isinstance(left, Constant) and not token.gap and self.next.gap
        sign = "" if self.at("+", "-") else "*"
        right = self.expression(level + 1)
        op = (IN_MATLAB if self.matlab else MEANS).get(token.text, token.text)
        if token.text in ("\\", ".\\") and not self.matlab:
            op = "mldivide"
        if token.text == ".\\":
            left, right, op = right, left, "/"
        formula = self.made(Binary(left, op, right), left.span, token)
        if percent:
            other = shown(right) if sign else typed(right)
            self._doubt(formula, formula, f"{typed(left)}/100{sign}{other}", f"{typed(left)} % {shown(right)}")
        if doubt and said is not None and _is_plain(right, token.text):
            call = said[1]
            inner = _argument(call)
            self._doubt(
                call,
                formula,
                f"{typed(call)}{behind.text}{typed(right)}",
                typed(_with_argument(call, Binary(inner, token.text, right))),
            )
        return formula

    def unary(self) -> Formula:
        token = self.next
        if self.at("-", "+"):
            self.k += 1
            return self.made(Unary(token.text, self.expression(UNARY)), (token.start, token.end))
        return self.postfix()

    def power(self, base: Formula, token: Token) -> Formula:
        """Read an exponent: to the left of a power in MATLAB's notation, else to the right; or a transpose's T."""
        op = "mpower" if token.text == "^" else "**"
        if self.paper and self.at("{") and self.tokens[self.k + 1].text == "⊙":  # x^{\odot 2}
            op = "**"
            del self.tokens[self.k + 1]
        if self.paper and (transposed := self._transposed(base, token)) is not None:
            return transposed
        grouped = self.paper and self.at("{", "(")
        if self.matlab and not self.paper:
            exponent = self._signed(lambda: self.expression(POWER + 1))
        else:
            exponent = self._raised_operand()
        formula: Formula = self.made(Binary(base, op, exponent), base.span, token)
        while self.paper and self.at("ᵀ", "'"):  # (X⁻²)ᵀ is written X⁻²ᵀ too
            self.k += 1
            formula = self.made(Attribute(formula, "T"), base.span, self.before)
        if self.paper and not exponent.brackets:
            plain = isinstance(exponent, Constant) and not isinstance(base, Constant) and base != Name("e")
            self._raised = (
                None if plain or grouped else (self.before.end, formula)
            )  # x^2y is x²y, but e^2x perhaps e^(2x)
            if not grouped:
                self._note_a_root(base, exponent)
            if token.text == "^":
                self._doubt_a_tower(formula, base, exponent)
        return formula

    def _doubt_a_tower(self, formula: Formula, base: Formula, exponent: Formula) -> None:
        """Note that x^y^z is read in two ways."""
        inner = exponent
        while isinstance(inner, Unary):
            inner = inner.operand
        if isinstance(inner, Binary) and inner.op in ("**", "mpower") and not inner.brackets:
            sign = "-" * isinstance(exponent, Unary)
            right = f"{shown(base)}^({sign}{typed(inner)})"
            left = f"({shown(base)}^{sign}{typed(inner.left)})^{shown(inner.right)}"
            self._doubt(formula, formula, right, left)

    def _signed(self, read_operand: Callable[[], Formula]) -> Formula:
        token = self.next
        if not self.take("-", "+"):
            return read_operand()
        return self.made(Unary(token.text, self._signed(read_operand)), (token.start, token.end))

    def postfix(self) -> Formula:
        formula = self.atom()
        while True:
            token = self.next
            if token.kind != "sign":
                return formula
            if token.text in ("'", ".'", "ᵀ") and (self.paper or self.matlab):
                self.k += 1
                formula = self.made(Attribute(formula, "H" if token.text == "'" else "T"), formula.span, token)
                if self.matlab and not self.paper:
                    continue
            elif token.text == "'":
                raise self._quoted(formula)
            elif token.text == "." and self.tokens[self.k + 1].kind == "name" and not (self.matlab and not self.paper):
                self.k += 2
                formula = self.made(Attribute(formula, self.before.text), formula.span)
                if self.at("("):
                    formula = self.call(formula)
            elif token.text == "[" and self._is_index(formula):
                self.k += 1
                inside, self._in_indices = self._in_indices, True
                key = self.bracketed(token, "]", lambda: self.listed_parts("]"))
                self._in_indices = inside
                formula = self.made(Subscript(formula, key), formula.span)
            elif token.text == "(" and not self.paper and not self.matlab and not isinstance(formula, Constant):
                if isinstance(formula, (Binary, Unary, Compare)) or formula.brackets:
                    return formula
                formula = self.call(formula)
            else:
                return formula

    def _quoted(self, formula: Formula) -> ParseError:
        """Return the error for a quotation mark behind a part: of a string with a letter before it, or a dash."""
        kinds = {"f": "an f-string", "b": "a constant of type bytes"}
        if isinstance(formula, Name) and formula.id.lower() in kinds and "'" in self._rest() and not self.next.gap:
            return self.refused(f"{kinds[formula.id.lower()]} cannot be part of a formula", self.before)
        return self.refused(of_a_sign("'", False))

    def _is_index(self, formula: Formula) -> bool:
        """Whether a bracket behind a part holds indices; of paper perhaps a factor, as in 2[x + 1]."""
        if self.matlab and not self.paper:
            return False
        if not self.paper:
            return True
        if self.next.gap or isinstance(formula, Constant):
            return False
        depth, signs = 0, []
        for token in self.tokens[self.k :]:
            depth += (token.text == "[") - (token.text == "]")
            signs.append(token)
            if depth == 0:
                break
        plain = all(t.kind == "number" or t.text in ("[", "]", ":", ",", "-", "...", "end") for t in signs)
        if plain or not isinstance(formula, Name):
            return plain or any(self.known.values())
        if self.known.get(formula.id, 0) == 0 and any(t.text == "," for t in signs):
            raise self.refused(f"{formula.id!r} is not a function that formulas may call")
        return self.known.get(formula.id, 0) > 0

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
            formula = self.of_paper(token)
            if formula is not None:
                return formula
        self.k -= 1
        raise self._no_operand(token)

    def _no_operand(self, token: Token) -> ParseError:
        if self.matlab and not self.paper and token.kind != "foreign" and (not token.text or token.text in self.levels):
            what = f"{token.text!r}" if token.text else "the end"
            return self.refused(f"expected a number, a name or a bracket, got {what}")
        if token.kind == "end":
            return self._unexpected()
        if token.text in self.levels or token.text in COMPARED:
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
            constant = Constant(_value(word))
        except ValueError as error:
            raise self.refused(f"this is not a formula: {error}", token) from None
        node: Formula = self.made(constant, (token.start, token.end))
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
        formula = self.in_brackets(token, ")", inner)
        self._in_indices = inside
        return formula

    def _not_closed_here(self) -> ParseError:
        """Return the error of a list in which something else than a comma or ] follows."""
        if self.next.text in (")", "}"):
            return self.refused(f"[ is closed by ], and not by {self.next.text}")
        if self.word("for") and not self.paper:
            return self.refused(str(of_python("for", ["x"])))
        return self._unexpected()

    def square(self, token: Token) -> Formula:
        """Read a list; of paper perhaps [x > 0], which is 1 where it holds, or brackets around a part."""
        inside, self._in_indices = self._in_indices, False
        rows: list[list[Formula]] = [[]]
        bars, self.bars = self.bars, 0
        while not self.take("]"):
            if self.next.kind == "end":
                raise self.refused(f"this is not a formula: {token.text!r} was never closed", token)
            if (self.matlab or self.paper) and self.take(";"):
                rows.append([])
                continue
            if rows[-1] and not self.take(","):
                raise self._not_closed_here()
            if not self.at("]"):
                cases, self._in_cases = self._in_cases, self.paper
                rows[-1].append(self.rows() if self.paper else self.compared())
                self._in_cases = cases
        self._in_indices, self.bars = inside, bars
        start = (token.start, token.end)
        if self.paper and self.next.text == "_" and self.tokens[self.k + 1].text == "*":  # [a]_×
            self.k += 2
            return self.made(Call(Name("skew"), rows[0]), start)
        if self.paper and len(rows) == 1 and len(rows[0]) == 1 and (part := self._single(rows[0][0], token)):
            return part
        return self.of_rows(rows, token)

    def of_rows(self, rows: Sequence[list[Formula]], opened: Token) -> Formula:
        """Return an array of rows; but for MATLAB, one row or one column is a vector."""
        lines, start = [row for row in rows if row], (opened.start, opened.end)
        if self.matlab:
            return self.made(List([self.made(Tuple(row), start) for row in rows]), start)
        if len({len(row) for row in lines}) > 1:
            raise self.refused("the rows of a matrix have one length", opened)
        if len(lines) < 2 or len(lines[0]) == 1:
            return self.made(List([part for row in lines for part in row]), start)
        made = [List(row, place=(row[0].span[0], row[-1].span[1])) for row in lines]
        return self.made(List(made), start)

    def _single(self, single: Formula, token: Token) -> Formula | None:
        """Return [x > 0] as a case distinction, square brackets around a part as that part; None for a list."""
        if conditions := _conditions(single):
            formula: Formula = Constant(1)
            for condition in reversed(conditions):
                formula = _where(self, condition, formula, Constant(0))
            return formula
        if not self.arrays and not isinstance(single, Tuple):
            behind = self.tokens[self.tokens.index(token) - 1] if self.tokens.index(token) else None
            if behind is None or behind.text not in ("(", ","):
                return replace(single, brackets=(token.start, self.before.end))
        return None

    def strict_name(self, token: Token) -> Formula:
        word, start = token.text, (token.start, token.end)
        after = self.tokens[self.k + 1]
        if word in ("None", "True", "False") and (self.paper or not self.matlab):
            self.k += 1
            return self.made(Constant({"None": None, "True": True, "False": False}[word]), start)
        if said := of_python(word, self._rest() if not self.matlab else ()):
            raise self.refused(said, token)
        if len(word) > 1 and word[0] == "π" and word not in self.known:
            raise self.refused(f"{word} is one name; for the product write π*{word[1:]}", token)
        if word in function_table() and word not in self.known and after.text in ("^", "**"):
            self._refuse_a_power(token, after)
        self.k += 1
        node: Formula = self.made(Name(word), start)
        return self.call(node) if self.matlab and self.at("(") else node

    def _refuse_a_power(self, token: Token, sign: Token) -> None:
        """Refuse sin^2(x) and sin^2 x."""
        exponent = re.match(r" ?(\(?-?\d+\)?) ?(?=\(| [^\W\d]|(?<= )[^\W\d])", self.text[sign.end :])
        if exponent is None:
            return
        own = f"{token.text}(…){sign.text}{exponent[1]}"
        if "-" in exponent[1]:
            said = f"inverse functions have names, as asin; for one over the function write {own}"
        else:
            said = f"a power stands behind the brackets; write {own}"
        raise self.refused(said, token)

    def call(self, func: Formula) -> Formula:
        token = self.next
        self.k += 1
        close = CLOSED_BY[token.text]
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


def replace_end(word: str) -> str:
    """Return a number without the letter at its end."""
    return word[:-1] or "1"


def comma_in(formula: str) -> tuple[int, str] | None:
    """Return the place of a comma within a number, and what to write; or None."""
    comma = re.search(r"(?<=\d),(?=\d)", formula)
    return comma and (comma.start(), "a number has a point where others have a comma; write 3.5 for 3,5")


def _conditions(node: Formula) -> list[Formula]:
    """Return the comparisons that a condition is made of; none where it is not a condition."""
    if isinstance(node, Binary) and node.op == "*" and not node.brackets and isinstance(node.right, Compare):
        first = _conditions(node.left)
        return [*first, node.right] if first else []
    return [node] if isinstance(node, Compare) else []


def _is_plain(right: Formula, sign: str) -> bool:
    """Whether a factor behind sin x may be meant as a part of its argument: a number, or for * a name too."""
    return isinstance(right, Constant) or (sign == "*" and isinstance(right, (Name, Constant)))
