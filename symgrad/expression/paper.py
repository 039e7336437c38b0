"""What only paper has: products without a sign, sin x, bars, roots, cases, f(x) = …, words that run together, LaTeX."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from functools import cached_property
from itertools import pairwise
from typing import Any

from symgrad.expression.constants import CONSTANTS
from symgrad.expression.cursor import COMPARED, POWER, SUM, UNARY, Cursor, label_of
from symgrad.expression.formula import (
    Attribute,
    Binary,
    Call,
    Compare,
    Constant,
    Formula,
    Name,
    Subscript,
    Tuple,
    Unary,
    replace,
    walk,
)
from symgrad.expression.function_table import function_table
from symgrad.expression.instead import of_python, product, two_ways
from symgrad.expression.printer import typed
from symgrad.expression.spelling import behind_power, is_indexed
from symgrad.expression.tokens import MOST_DEEP, Token, opens_parts, tokens
from symgrad.expression.words import ALIASES, GLUED, GREEK, INVERSE, LETTERS, SPOKEN

_APART = {*GREEK.values()} - {"δ"}  # letters that no name of others begins with; δx is one
_CASES = ("if", "for", "when")
_NOT_FACTORS = {*_CASES, "otherwise", "else", "where", "and", "or", "with"}
_OPENING = ("√", "∛", "∜", "\\frac", "\\binom", "\\sqrt", "{", "‖")
_SIGNS_IN_WORDS = {"mod", "times", "plus", "minus", "over", "by", "of", "per", "squared", "cubed", "div"}
_QUADRATIC = re.compile(r"\b([^\W\d]\w*) ?(?:\^|\*\*) ?t\b ?\* ?[A-Z]\w* ?\* ?\1\b")  # x^t*A*x
_FACTOR = re.compile("pi|.")
_OF_LATEX = re.compile(
    r"(?<![\w)\]'])\\[A-Za-z]{2}|\\(?:[dtc]?frac|sqrt|cdot|times|left)(?![A-Za-z])"
)  # A\\b is MATLAB's
_UPRIGHT = re.compile(r"\\(?:math|text|operatorname)\w*\s*\{\s*$")
MOST_FACTORS = 3  # of letters that stand together; more are a word
_COMMAND = re.compile(r"\\[A-Za-z]+\s+$")  # whose blank ends it, and says nothing


class Paper(Cursor):
    """Reads what people write and programs do not."""

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
        elif starts and (label := label_of(self.text)):
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
        depth, equals = 0, []
        for k, token in enumerate(self.tokens):
            depth += (token.text in ("(", "[", "{")) - (token.text in (")", "]", "}"))
            if depth == 0 and opens_parts(self.tokens, k):
                break
            if depth == 0 and token.text == "=" and token.kind == "sign":
                equals.append(k + 1)
        colon = re.match(r"\s*\w+['’′″]+(\(\w+\))?\s*:", self.text) if self.answer else None
        if colon is not None:
            equals.insert(0, next(k for k, t in enumerate(self.tokens) if t.start >= colon.end()))
        return [0, *equals][-2:] if self.answer and equals else equals

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
        for name, part in [*reversed(defined), *defined]:  # a part may have names of those before or behind it
            body = _put(body, name, replace(part, brackets=part.span))
        return body

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

    def _nested(self, rows: list[tuple[Formula, list[Formula]]]) -> Formula:
        """Return where(…, where(…, …)) of values with their conditions, the last of which holds otherwise."""
        (cases, _), *others = reversed(rows)
        for value, conditions in others:
            inner = value
            for condition in reversed(conditions):
                inner = _where(self, condition, inner, cases)
            cases = inner
        return cases

    def _cases(self, value: Formula, close: str) -> Formula:
        rows: list[tuple[Formula, list[Formula]]] = []
        while True:
            while self.take(",", "&"):  # x^2, & x > 0
                pass
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
            ended = self.take(";", ",", ".", "&") + self.take("\\\\")  # both in x > 0, \\
            if not (ended or self._and()) or self.at("}"):
                break
            value = self.compared()
        if len(rows) < 2:
            raise self.refused("a case is missing; write what holds otherwise, as in {1 for x > 0; -1 otherwise}")
        return self._nested(rows)

    def _and(self) -> bool:
        present = self.word("and")
        self.k += present
        return present

    def _condition(self, first: Formula | None = None) -> list[Formula]:
        """Return comparisons that hold together: two for 0 < x < 3, and for x = 0 and y = 0."""
        left, comparisons = first or self.expression(SUM), list[Formula]()
        while self.at(*COMPARED, "="):
            token = self.next._replace(text="==") if self.at("=") else self.next
            self.k += 1
            right = self.expression(SUM)
            comparisons.append(self.made(Compare(left, token.text, right), left.span, token))
            left = right
        if not comparisons:
            raise self.refused("a condition is missing, such as x > 0", self.before)
        start = self.k
        if self._and():
            left = self.expression(SUM)
            if self.at(*COMPARED, "="):
                return [*comparisons, *self._condition(left)]
            self.k = start  # what follows is the next case
        return comparisons

    def _doubt(self, first: Formula, last: Formula, one: str, other: str) -> None:
        """Note that people read a part in two ways."""
        start, end = (first.span or (0, 1))[0], (last.place or (0, 1))[1]
        one, other = (way.replace(" @ ", "*") for way in (one, other))
        self.two_ways.append(((start, end), two_ways(self.text[start:end].strip(), one, other)))

    def _raised_operand(self) -> Formula:
        """Read an exponent; of paper a mark behind a number or a group is that of the whole power."""
        token = self.next
        if not self.paper or not (self.at("{") or token.kind == "number"):
            return self.expression(POWER)
        self.k += 1
        operand = self.number(token) if token.kind == "number" else self.in_brackets(token, "}", self.compared)
        while self.at("^", "**", ".^"):
            sign = self.next
            self.k += 1
            operand = self.power(operand, sign)
        return operand

    def _note_a_root(self, base: Formula, exponent: Formula) -> None:
        """Note x^1/2, by which people mean a root."""
        over, divisor = self.tokens[self.k : self.k + 2] if self.at("/") else (None, None)
        if over is None or divisor is None or divisor.kind != "number" or over.gap or divisor.gap:
            return
        if exponent in (Constant(1), Unary("-", Constant(1))):
            start, below = shown(base), f"{typed(exponent)}/{divisor.text}"
            part = self.text[base.span[0] : divisor.end]
            said = two_ways(part, f"{start}^({below})", f"({start}^{typed(exponent)})/{divisor.text}")
            self.two_ways.append(((base.span[0], divisor.end), said))

    def _transposed(self, base: Formula, token: Token) -> Formula | None:
        r"""Return the transpose of x^T, x^{\top}, and x^{-T}; None where T is a name, and the power a power."""
        self._refuse_a_glued_mark(base)
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

    def _refuse_a_glued_mark(self, base: Formula) -> None:
        """Refuse x^TAx of arrays: in LaTeX an exponent is one sign, in programs it is the name TAx."""
        word = self.next.text
        glued = self.next.kind == "name" and word[:1] == "T" and len(word) > 1 and word not in self.known
        if glued and {*word[1:]} <= self.known.keys() and any(self.known[name] for name in word[1:]):
            start = shown(base)
            raise self.refused(two_ways(f"{start}^{word}", f"{start}^T {' '.join(word[1:])}", f"{start}^({word})"))

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

    def _check_silent(self, left: Formula, before: Token, token: Token) -> None:
        """Refuse two numbers in a row, and a function whose argument has no brackets, as gamma x."""
        name = left.right if isinstance(left, Binary) and not left.brackets else left
        if token.kind == "number" and isinstance(name, Constant) and not _is_power(left):
            raise self.refused(f"an operator is missing between {before.text} and {token.text}")
        for here in (before, token):
            if here.kind == "name" and here.text in _SIGNS_IN_WORDS and here.text not in self.known:
                raise self.refused(f"write an operator for {here.text}", here)
        is_function = (
            isinstance(name, Name) and name.id in function_table() and len(name.id) > 1 and name.id not in self.known
        )
        if is_function and before.kind == "name" and isinstance(name, Name):
            said = (f"{before.text}({token.text})", f"{before.text}*{token.text}")
            self.two_ways.append(((before.start, token.end), two_ways(f"{before.text} {token.text}", *said)))

    def _tuple_or_cases(self, close: str) -> Formula:
        first = self.rows(close)
        if not self.at(","):
            return first
        elts = [first]
        while self.take(","):
            elts.append(self.rows())
        return self.made(Tuple(elts), first.span)

    def of_paper(self, token: Token) -> Formula | None:
        """Read what only paper has: roots, bars, fractions of LaTeX, cases in braces."""
        start = (token.start, token.end)
        if token.text == "{":
            return self.in_brackets(token, "}", lambda: self.rows("}"))
        if token.text in ("|", "‖"):
            return self.barred(token)
        if token.text == "½":
            parts = map(Constant, _fraction(self.text[token.start]))
            return self.made(Binary(next(parts), "/", next(parts), brackets=start), start)
        if token.text == "√":
            return self.root(token)
        if token.text == "∛":
            return self.made(Call(Name("cbrt"), [self.postfix()]), start)
        if token.text == "∜":
            return self.made(Binary(self.postfix(), "**", Constant(0.25), brackets=start), start)
        if token.text in ("⟨", "<"):
            return self.angled(token)
        if token.text == "\\matrix":
            return self.table(token)
        if token.text == "\\sqrt":
            return self.latex_root(token)
        if token.text == "\\binom":
            return self.made(Call(Name("binom"), [self.group(), self.group()]), start)
        if token.text == "\\frac":
            above, below = self.group(), self.group()
            return self.made(Binary(above, "mrdivide" if self.matlab else "/", below, brackets=start), start)
        return None

    def group(self) -> Formula:
        """Read the contents of braces; without them, the one sign that LaTeX takes."""
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

    def table(self, token: Token) -> Formula:
        """Read the entries of LaTeX's matrix: an array of numbers; one column, or one row, is a vector."""
        rows: list[list[Formula]] = [[]]
        while not self.take("\\end"):
            if self.take("\\\\"):
                rows.append([])
            elif not self.take("&"):
                if self.next.kind == "end":
                    raise self.refused("this is not a formula: the matrix was never closed", token)
                rows[-1].append(self.compared())
        return self.of_rows([row for row in rows if row], token)

    def angled(self, token: Token) -> Formula:
        """Read ⟨a, b⟩ and <a, b>, which is a vector of numbers."""
        if self.arrays:
            raise self.refused(
                "⟨a, b⟩ is read in two ways; write a @ b for the inner product, [a, b] for a vector", token
            )
        parts = [self.expression(SUM)]
        while self.take(","):
            parts.append(self.expression(SUM))
        if not self.take("⟩" if token.text == "⟨" else ">"):
            raise self.refused(f"this is not a formula: {token.text!r} was never closed", token)
        return self.of_rows([parts], token)

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
        formula = self.made(Call(Name("sqrt"), [inner]), (token.start, token.end))
        shown, behind = typed(inner), self.next
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
        return formula

    def barred(self, token: Token) -> Formula:
        """Read |x|, or ||x|| and ‖x‖, which is a norm."""
        opened = self.bars
        self.bars += 1
        formula = self.rows()
        self.bars = opened
        if not self.take(token.text):
            raise self.refused("this bar is never closed: write | behind what it holds", token)
        start = (token.start, token.end)
        if token.text == "‖":
            norm: Formula = self.made(Call(Name("norm"), [formula]), start)
            if self.next.kind == "name" and self.next.text in ("_2", "_F"):  # ‖x‖_2
                self.k += 1
            return norm
        inner = _argument(formula) if (isinstance(formula, Call) and formula.func == Name("|")) else None
        if inner is not None and formula.place == (token.end, self.before.start):
            return self.made(Call(Name("norm"), [inner]), start)
        return self.made(Call(Name("|"), [formula]), start)

    def _letter(self, word: str) -> str:
        """Return the name that a word spells: itself where it is known, else a letter such as α."""
        name = word if word in self.known else LETTERS.get(word, word)
        name = self._printed(name) if name == word else name
        if name == word and word not in self.known and (said := of_python(word)):
            raise self.refused(said)
        return name

    def _called(self, name: str, token: Token) -> Formula:
        """Read the brackets behind a name, which is called."""
        self.k += 1
        return self.call(self.made(Name(name), (token.start, token.end)))

    def named(self) -> Formula:
        token, word = self.next, self.next.text
        if not self.paper or (word in ("None", "True", "False") and word not in self.known):
            return self.strict_name(token)
        name, after = self._letter(word), self.tokens[self.k + 1]
        if word == "log_" and after.text == "{":
            return self.to_base(token, self._base())
        if name not in self.known and (letters := self._letters(token)):
            self._split(token, letters)
            return self.named()
        if name not in self.known:
            if len(word) > 1 or after.text == "(" or self._is_powered():  # σ alone is a letter
                name = self._alias(name)
            self._note_letters(token)
            self._note_glued(token)
        function = name not in self.known and name not in CONSTANTS and name in function_table()
        if word[:4] == "log_" and len(word) > 4 and not function and name not in self.known:
            return self.to_base(token, self._base_below(token))
        spoken = function and (word in SPOKEN or name in SPOKEN or word.lower() in SPOKEN)
        if after.text == "." and self.tokens[self.k + 2].kind == "name" and self._is_module(word):
            self.k += 2
            return self.named()
        if function and after.text in ("(", "[") and (after.text == "(" or not after.gap):
            return self._called(name, token)
        if (spoken and self._is_spoken(after)) or (function and self._is_powered()):
            self.k += 1
            return self.applied(name, token)
        is_unknown = name not in self.known and name not in CONSTANTS and not function and word not in LETTERS
        if is_unknown and (pieces := self._pieces(token, after)):
            self._split(token, pieces)
            return self.named()
        if after.text == "(" and not self._is_factor(name, token):
            return self._called(name, token)
        self.k += 1
        return self._entry(name, token)

    def _entry(self, name: str, token: Token) -> Formula:
        """Return a name, or the entry of an array that x_0 and A_01 stand for."""
        array, _, places = name.rpartition("_")
        indexed = array in ("Sum", "sum", "prod") or self.known.get(array) == len(places)
        if name not in self.known and places.isalpha() and indexed:
            raise self.refused("index notation is not read; write sum(x*y) for Sum_i x_i*y_i, and x[0] for x_0", token)
        if name in self.known or not places.isdecimal() or self.known.get(array) != len(places):
            return self.made(Name(name), (token.start, token.end))
        keys = [Constant(int(place)) for place in places]
        key = keys[0] if len(keys) == 1 else Tuple(keys)
        return self.made(Subscript(Name(array), key), (token.start, token.end))

    def _printed(self, word: str) -> str:
        """Return the function that W(x) and J_1(x) stand for, as LaTeX writes them; any other word as it is."""
        after = self.tokens[self.k + 1]
        if word in self.known or not (after.text == "(" or self._is_powered()):
            return word
        if word == "W" and not any(t.text == "W" and a.text not in ("(", "^") for t, a in pairwise(self.tokens)):
            return "lambertw"
        plain = word.replace("_", "")
        return plain if re.fullmatch(r"[JYIK]\d", plain) and plain in function_table() else word

    @cached_property
    def _in_latex(self) -> bool:
        return _OF_LATEX.search(self.text) is not None

    def _letters(self, token: Token) -> list[str]:
        """Return the factors of 2hc², and of hc in LaTeX: letters without a sign, where no name can be meant.

        A name stands behind no number, and in LaTeX it is upright; dx, and what may be a word, are left as they are.
        """
        word, previous = token.text, self.tokens[self.k - 1] if self.k else None
        glued = previous is not None and previous.kind == "number" and not token.gap
        if not (glued or self._in_latex) or "*" in self.text or self._is_word(token):
            return []
        if _UPRIGHT.search(self.text[: token.start]) or (word[0] == "d" and word[1:] in self.known):
            return []
        return _FACTOR.findall(word)

    def _is_word(self, token: Token) -> bool:
        """Whether these letters are one name: too many for factors, a function, a Greek letter, or glued to one."""
        word, after = token.text, self.tokens[self.k + 1]
        called = after.text in ("(", "[") or self._is_powered() or (word in SPOKEN and self._is_spoken(after))
        module = after.text == "." and self._is_module(word)
        named = word in GREEK or module or (called and (word in function_table() or word in ALIASES or word in SPOKEN))
        typed = token.end - token.start == len(word) and word.isalpha()
        few = 2 <= len(_FACTOR.findall(word)) <= MOST_FACTORS
        return named or not (typed and few) or any(function in word for function in GLUED)

    def _note_letters(self, token: Token) -> None:
        """Note ax where x is known: a product to people, a name to programs; and xyz where x stands nowhere else."""
        word, after = token.text, self.tokens[self.k + 1].text
        # x₁ is a name, and so is x2 where products are written with *, or beside x1; else it may be meant as x^2
        typed = "*" not in self.text and self.text[token.start : token.end].isascii()
        if typed and re.fullmatch(r"[^\W\d_][2-9]", word) and self.known.get(word[0]) == 0 and not self._counts(word):
            said = f"{two_ways(word, f'{word[0]}^{word[1]}', f'{word[0]}*{word[1]}')}, or give the name {word} a shape"
            self.two_ways.append(((token.start, token.end), said))
        self._note_indices(token)
        if self._is_word(token) or len(word) > 3 or (len(word) == 3 and {t.text for t in self.tokens} & {*word}):
            return
        parts = _FACTOR.findall(word)
        known = any(self.known.get(letter) == 0 for letter in parts)
        typed = typed and word[-1] != "e" and len(self.known) > 0  # xe^x has its own message
        if typed and after == "^" and word.isascii() and not known:
            said = f"{'*'.join(parts)}^, or give the name {word} a shape"
            self.two_ways.append(((token.start, token.end), f"{word}^ is read in two ways; write {said}"))
        elif known and (
            word in function_table() or not all(p in self.known or p in CONSTANTS or p in _APART for p in parts)
        ):
            said = f"{word} is read in two ways; write {'*'.join(parts)}, or give the name {word} a shape"
            self.two_ways.append(((token.start, token.end), said))

    def _counts(self, word: str) -> bool:
        """Whether the digit behind a letter counts names, as in x1 + x2, or belongs to a function."""
        others = {t.text for t in self.tokens if t.kind == "name" and t.text != word}
        return word in function_table() or any(re.fullmatch(rf"{word[0]}\d", other) for other in others)

    def _note_indices(self, token: Token) -> None:
        """Note a_1x and x_1x_2, where one of the factors is known: LaTeX's index is one sign, a program's is not."""
        word = token.text
        factors = re.findall(r"[^\W\d_](?:_?\d+)?", word)
        glued = re.search(r"\d[^\W\d_]", word) and "".join(factors) == word and word not in function_table()
        plain = {name.replace("_", "") for name, rank in self.known.items() if rank == 0}
        if glued and not plain.isdisjoint(factor.replace("_", "") for factor in factors):
            said = f"{word} is read in two ways; write {'*'.join(factors)}, or give the name {word} a shape"
            self.two_ways.append(((token.start, token.end), said))

    def _note_glued(self, token: Token) -> None:
        """Note Ae^x, klnx and Asin(x), in which people read a factor, and programs one name."""
        word, after = token.text, self.tokens[self.k + 1]
        head, rest = word[0], word[1:]
        parts = self._parts(rest) if rest else []
        glued = any(part in GLUED for part in parts[:-1]) or (rest in GLUED and self._is_spoken(after))
        if not self.known:
            return
        if head == "A" and rest in INVERSE:
            self.two_ways.append(((token.start, token.end), two_ways(word, word.lower(), f"A*{rest}")))
        elif after.text == "^" and re.fullmatch(r"[^\W\d_](_?\d+)?e", word) and not self._pieces(token, after):
            said = f"{word}^ is read in two ways; write {word[:-1]}*e^, or give the name {word} a shape"
            self.two_ways.append(((token.start, token.end), said))
        elif glued and word not in function_table() and not self._parts(word):
            said = f"{word} is read in two ways; write {head}*{rest}, or give the name {word} a shape"
            self.two_ways.append(((token.start, token.end), said))

    def _pieces(self, token: Token, after: Token) -> list[str]:
        """Return the names that a word is made of, one of them known or a number; nothing where it is one name."""
        pieces = self._parts(token.text)
        if not pieces and token.text[0] == "π" and token.text not in self.known:
            return [token.text[0], token.text[1:]] if len(token.text) > 1 else []
        called = after.text == "(" and bool(pieces) and self._alias(pieces[-1]) not in function_table()
        known = any(p in self.known or p.isdigit() for p in pieces)
        known = known or (after.text == "^" and pieces[1:] == ["e"])  # λe^x
        return pieces if len(pieces) > 1 and known and not called else []

    def _parts(self, word: str) -> list[str]:
        """Return the names that a word is made of, as x, sin and x in ``xsinx``; nothing where it is none."""
        if not word or len(word) > MOST_DEEP or word.lower() in GREEK.keys() - {"pi"}:
            return []
        if word not in self._apart:
            self._apart[word] = self._taken_apart(word)
        return self._apart[word]

    def _taken_apart(self, word: str) -> list[str]:
        for cut in range(len(word), 0, -1):
            head, tail = word[:cut], word[cut:]
            if head in self.known or head in CONSTANTS or (head in _APART and tail):  # ωx
                behind = self._parts(tail)
                if not tail or behind:
                    return [head, *behind]
            if head in GLUED and tail and not tail[0].isdigit():  # cosx
                behind = self._parts(tail)
                if behind and (behind[0] in self.known or behind[0] in CONSTANTS):
                    return [head, *behind]
            digits = re.match(r"\d+", tail)
            if digits and self._alias(head) in function_table():  # ln2
                rest = tail[digits.end() :]
                behind = self._parts(rest)
                if not rest or behind:
                    return [head, digits[0], *behind]
            if not tail and self._alias(head) in function_table():
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

    def _is_module(self, word: str) -> bool:
        modules = ("np", "numpy", "math", "sg", "torch", "linalg", "special", "fft", "functional", "nn", "F", "symgrad")
        return word in modules and word not in self.known

    def _alias(self, word: str) -> str:
        """Return what formulas call a function: ln is log, Cos is cos."""
        if word in function_table() and word not in ALIASES:
            return word
        if word in ALIASES and ALIASES[word] in function_table():
            return ALIASES[word]
        small = ALIASES.get(word.lower(), word.lower())
        return small if len(word) > 1 and small in function_table() else word

    def _is_spoken(self, after: Token) -> bool:
        """Whether a function's argument follows without brackets."""
        if after.text in ("^", "**") and after.kind == "sign":
            return True
        if after.kind == "name":
            return after.text not in _NOT_FACTORS or after.text in self.known
        opens = after.text in _OPENING or (after.text == "|" and not self.bars)
        return after.kind == "number" or (after.kind == "sign" and opens)

    def _is_powered(self) -> bool:
        """Whether a power stands before a function's brackets, as in erfinv²(x) and σ^2(x); σ² (x) is a product."""
        opening = behind_power(self.tokens, self.k + 1)
        if opening is None:
            return False
        if self.tokens[self.k + 2].text == "{":
            return len(self.next.text) > 1 or not opening.gap
        return not self.next.text.isascii() and not opening.gap

    def _is_factor(self, name: str, token: Token) -> bool:
        """Whether a bracket behind a name is a factor of its own: x(x + 1), where x is a number."""
        indices = self.matlab and is_indexed(self.tokens, token) and self.known.get(name, 1) > 0
        if indices or (self.matlab and not self.linear and self.known.get(name, 0) > 0 and not self.answer):
            return False
        if name in self.known or name in CONSTANTS:
            return True
        return any(
            t.kind == "name" and t.text == token.text and self.tokens[k + 1].text != "("
            for k, t in enumerate(self.tokens[:-1])
        )

    def applied(self, name: str, token: Token) -> Formula:
        """Read what a function is taken of without brackets, as in sin x, sin 2x, sin^2 x, ln |x|."""
        start, exponent, sign = (token.start, token.end), None, self.next
        if self.take("^", "**"):
            exponent = self._exponent()
        if self.at("("):
            formula = self.call(self.made(Name(name), start))
        elif self._is_spoken(self.next):
            argument = self.spoken()
            formula = self.made(Call(Name(name), [argument]), start)
            self._said = (self.before.end, formula)
            if name not in ("trace", "det", "logdet") and (other := self._ended_early(formula, argument, exponent)):
                self._doubt(formula, argument, typed(_powered(formula, exponent)), other)
        else:
            raise self.refused(f"{token.text} is a function: write its argument, as in {token.text}(x)", token)
        if exponent is None:
            return formula
        if name in INVERSE and exponent == Unary("-", Constant(1)):
            inverse = self.made(Call(Name(INVERSE[name]), [_argument(formula)]), start)
            if name == "Φ":  # which is never one over Φ
                return inverse
            self._doubt(inverse, inverse, typed(inverse), f"1/{typed(formula)}")
            return inverse
        powered = self.made(Binary(formula, "**", exponent), start, sign)
        if self._said is not None and self._said[1] is formula:
            self._said = (self.before.end, powered)
        return powered

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
        if token.kind not in ("number", "name"):
            raise self._unexpected()
        self.k += 1
        return self.made(_number_or_name(token), (token.start, token.end))

    def spoken(self) -> Formula:
        """Read the factors that a function without brackets is taken of, with their powers."""
        token = self.next
        if token.kind == "sign" or (token.kind == "name" and self._is_said(token)):
            return self.expression(UNARY)
        formula: Formula | None = None
        while self.next.kind in ("number", "name"):
            here = self.next
            if formula is not None and (here.text in _NOT_FACTORS or self._is_said(here)):
                break
            if (
                here.kind == "name"
                and formula is not None
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
            formula = (
                factor if formula is None else self.made(Binary(formula, op, factor, silent=True), formula.span, here)
            )
        assert formula is not None  # the caller looked
        return formula

    def number_or_name(self) -> Formula:
        token = self.next
        if token.kind == "number":
            self.k += 1
            return self.number(token)
        name = LETTERS.get(token.text, token.text)
        if (
            name not in self.known
            and name not in CONSTANTS
            and (pieces := self._letters(token) or self._pieces(token, self.tokens[self.k + 1]))
        ):
            self._split(token, pieces)
            token = self.next
            name = LETTERS.get(token.text, token.text)
        if name not in self.known:
            self._note_letters(token)
            self._note_glued(token)
        self.k += 1
        node = self._entry(name, token)
        if self.at("'", "ᵀ"):
            self.k += 1
            node = self.made(Attribute(node, "T"), node.place)
        return node

    def _is_said(self, token: Token) -> bool:
        """Whether a name is that of a function that is said without brackets, or is called here."""
        after = self.tokens[self.tokens.index(token) + 1]
        name = self._alias(token.text)
        if token.text in self.known or name not in function_table():
            return False
        return after.text == "(" or ((token.text in SPOKEN or name in SPOKEN) and self._is_spoken(after))

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
        return token.text in ("(", "[", "{", "√", "∛", "∜", "\\frac", "\\binom", "\\sqrt", "½", "\\matrix") or (
            token.text == "‖" and not self.bars
        )

    def _silent_product(self, left: tuple[Formula, Token], right: tuple[Formula, Token]) -> str:
        """Return @ between two factors that may be matrices, and * where one is a number."""
        if self.matlab:
            return "@"
        if not self.arrays or "number" in (left[1].kind, right[1].kind):
            return "*"
        return "*" if any(t.kind == "name" and self.known.get(t.text) == 0 for _, t in (left, right)) else "@"

    def _doubt_silent(
        self, formula: Formula, before: tuple[Formula, Token], after: tuple[Formula, Token], raised: Any, said: Any
    ) -> None:
        """Write both readings of a product without a sign that people read in two ways, such as x^2y and 1/2x."""
        (left, previous), (right, token) = before, after
        other = shown(right)
        if raised is not None and raised[0] == previous.end and not token.gap:
            power: Any = raised[1]
            self._doubt(
                power, formula, f"{typed(power)}*{other}", f"{shown(power.left)}^({typed(power.right)}*{other})"
            )
        elif said is not None and said[0] == previous.end and token.text == "(":
            call = said[1]
            self._doubt(
                call,
                formula,
                f"{typed(call)}*{other}",
                typed(_with_argument(call, Binary(_argument(call), "*", right))),
            )
        elif previous.kind == "number" and not token.gap and "e" in previous.text.lower():
            front, _, power = previous.text.lower().partition("e")
            self._doubt(left, formula, f"{previous.text}*{other}", f"{front}*e^({power}*{other})")
        elif previous.kind == "number" and isinstance(left, Constant) and token.text == "\\frac" and _is_numeric(right):
            self._doubt(left, formula, f"{previous.text} + {typed(right)}", f"{previous.text}*{other}")
        elif _is_fraction(left):
            self._doubt(left, formula, f"({typed(left)})*{other}", _below(left, right))

    def silent(self, left: Formula) -> Formula:
        """Read a factor that stands behind another one without a sign."""
        token, previous = self.next, self.before
        if not self.paper:
            self._refuse_a_missing_sign(previous, token)
        raised, said = self._raised, self._said
        self._check_silent(left, previous, token)
        if _is_typed_fraction(left, token):
            left = replace(left, brackets=left.span)
        right = self.expression(UNARY)
        op = self._silent_product((left, previous), (right, token))
        formula = self.made(Binary(left, op, right, silent=True), left.span, token)
        self._doubt_silent(formula, (left, previous), (right, token), raised, said)
        return formula

    def _is_missing(self) -> bool:
        """Whether a word of Python's stands where an operator is missing."""
        said = of_python(self.next.text, self._rest())
        if said is not None:
            raise self.refused(said)
        return True

    def _refuse_a_missing_sign(self, before: Token, token: Token) -> None:
        if (
            before.kind == "name"
            and before.text in function_table()
            and before.text not in self.known
            and token.text != "("
        ):
            raise self.refused(f"put the argument of a function in brackets; write {before.text}(…)")
        if before.kind == token.kind == "number":
            raise self.refused(f"an operator is missing between {before.text} and {token.text}")
        if token.kind == "name" and (said := of_python(token.text, self._rest())):
            raise self.refused(said)
        if self.matlab and token.text in ("(", "["):
            raise self.refused("an operator is missing here; for a product write *")
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

    def _base_below(self, token: Token) -> Formula:
        """Return the base of log_3 and log_a."""
        base, *others = tokens(token.text[4:], True)
        after = self.tokens[self.k + 1]
        if len(others) > 1 or (base.kind == after.kind == "number" and not after.gap):
            digits = token.text[4:] + (after.text if after.kind == "number" and not after.gap else "")
            raise self.refused(f"write the base in braces, as in log_{{{digits}}}(x)", token)
        return _number_or_name(base._replace(start=token.start))

    def _base(self) -> Formula:
        """Read the base of log_{0.5} and log_{a+1}, and let log stand where it ends."""
        self.k += 1
        opened = self.next
        self.k += 1
        base = self.bracketed(opened, "}", self.compared)
        self.k -= 1
        return base

    def to_base(self, token: Token, base: Formula) -> Formula:
        """Read a logarithm to a base, as in log_3 x."""
        self.tokens[self.k] = token._replace(text="log")
        logarithm = self.named()
        call = logarithm.left if isinstance(logarithm, Binary) else logarithm
        if not isinstance(call, Call):
            raise self.refused("log is a function: write its argument, as in log_3(x)", token)
        of = replace(call, args=[*call.args, base])
        formula = of if call is logarithm else logarithm.with_operands([of, *logarithm.operands[1:]])
        if self._said is not None and self._said[1] is logarithm:
            self._said = (self._said[0], formula)
        return formula

    def _ended_early(self, call: Call, argument: Formula, exponent: Formula | None) -> str:
        """Return what sin x y and ln x^2 say where the function is taken of x alone; nothing if nobody says so."""
        factors: list[tuple[Formula, str]] = []
        while isinstance(argument, Binary) and argument.silent and not argument.brackets:
            factors.insert(0, (argument.right, self.text[: (argument.mark or (0, 1))[0]]))
            argument = argument.left
        factors.insert(0, (argument, ""))
        said: Formula | None = None
        for k, (factor, before) in enumerate(factors):
            power = factor if isinstance(factor, Binary) and _is_power(factor) and not factor.brackets else None
            if said is not None and not _is_number(said) and _COMMAND.sub("", before)[-1:].isspace():
                opening, rest = _powered(replace(call, args=[said]), exponent), factors[k:]
            elif exponent is None and power is not None and not _is_number(power.left):
                inner = power.left if said is None else Binary(said, "*", power.left)
                opening, rest = _powered(replace(call, args=[inner]), power.right), factors[k + 1 :]
            else:
                said = factor if said is None else Binary(said, "*", factor)
                continue
            for other, _ in rest:
                opening = Binary(opening, "*", other)
            return typed(opening)
        return ""


def _value(word: str) -> int | float:
    """Return a number as Python reads it."""
    plain = word.replace("_", "")
    if plain[:2].lower() in ("0x", "0o", "0b"):
        return int(plain, 0)
    if not plain.isdigit():
        return float(plain)
    if len(plain) > 1 and plain[0] == "0" and int(plain) != 0:
        raise ValueError("an integer does not begin with 0")
    return int(plain)


def _number_or_name(token: Token) -> Formula:
    if token.kind == "number":
        return Constant(_value(token.text))
    return Name(token.text)


def _put(node: Formula, name: str, part: Formula) -> Formula:
    if isinstance(node, Name):
        return part if node.id == name else node
    if not node.operands:
        return node
    return node.with_operands([_put(p, name, part) for p in node.operands])


def _where(parser: Paper, condition: Formula, value: Formula, other: Formula) -> Formula:
    formula: Formula = parser.made(Call(Name("where"), [condition, value, other]), condition.span)
    return formula


def _is_power(node: Formula) -> bool:
    return isinstance(node, Binary) and node.op in ("**", "mpower")


def _is_numeric(node: Formula) -> bool:
    """Whether a part is a fraction of two numbers."""
    return isinstance(node, Binary) and all(isinstance(part, Constant) for part in node.operands)


def _powered(node: Formula, exponent: Formula | None) -> Formula:
    return node if exponent is None else Binary(node, "**", exponent)


def _fraction(sign: str) -> tuple[int, int]:
    """Return what a sign such as ½ stands for: 1 and 2."""
    above, below = unicodedata.normalize("NFKC", sign).split("\u2044")
    return int(above), int(below)


def _is_fraction(node: Formula) -> bool:
    """Whether a product ends with a quotient, so that people may read the next factor as part of its denominator."""
    if isinstance(node, Binary) and not node.brackets:
        return node.op in ("/", "mrdivide", "mldivide") or (node.silent and _is_fraction(node.left))
    return False


def _is_typed_fraction(node: Formula, token: Token) -> bool:
    """Whether this is 1/2 of 1/2 x: integers, and a space behind them."""
    if isinstance(node, Unary):
        return _is_typed_fraction(node.operand, token)
    whole = isinstance(node, Binary) and all(isinstance(p, Constant) and type(p.value) is int for p in node.operands)
    return whole and token.gap


def _below(left: Formula, factor: Formula) -> str:
    """Return the quotient with one more factor in its denominator."""
    if isinstance(left, Binary) and left.silent:
        return _below(left.left, Binary(left.right, "*", factor))
    above, below = left.operands
    return typed(Binary(above, "/", Binary(below, "*", factor)))


def shown(node: Formula) -> str:
    """Return a part as a factor, in brackets where it is a sum."""
    return typed(Binary(node, "**", Constant(2)))[:-2]


def _argument(node: Formula) -> Formula:
    call = node.left if isinstance(node, Binary) else node
    assert isinstance(call, Call)  # what was said is a call, or its power
    return call.args[0]


def _with_argument(node: Formula, new: Formula) -> Formula:
    if isinstance(node, Binary):
        return node.with_operands([_with_argument(node.left, new), node.right])
    assert isinstance(node, Call)  # as above
    return replace(node, args=[new])


def _is_number(node: Formula) -> bool:
    """Whether a part is made of numbers and constants only."""
    return all(n.id in CONSTANTS for n in walk(node) if isinstance(n, Name))
