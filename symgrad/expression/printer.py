"""How a formula is written: one way through it, and alphabets for text, a blackboard, LaTeX and MathML.

Each method of the walk returns the formula, and how strongly it binds. Where brackets stand is decided here, and which
word a function has; an alphabet says how its signs look.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from fractions import Fraction
from itertools import pairwise
from typing import Any

from symgrad.core.printing import options
from symgrad.expression import markup
from symgrad.expression.formula import (
    Along,
    Attribute,
    Binary,
    Both,
    Call,
    Cases,
    Compare,
    Constant,
    Differential,
    Entry,
    EntryPower,
    Fenced,
    Formula,
    Infix,
    Keyword,
    Label,
    Letter,
    List,
    Name,
    Number,
    Otherwise,
    Over,
    Power,
    Prime,
    Product,
    Quotient,
    Raised,
    Rows,
    Scaled,
    Selected,
    Slice,
    Spelled,
    Subscript,
    Sum,
    Tuple,
    Unary,
    Verbatim,
    blocks,
    call,
    decimal,
    number,
    replace,
)
from symgrad.expression.words import RAISED
from symgrad.scalars import SCALARS
from symgrad.support.foreign import html, latex_letters, latex_name, plain_name, printable

__all__ = ["blocks", "call", "decimal", "number"]  # with what operations write themselves, too
Written = tuple[str, int]
COMPARED, SUM, INNER, CROSSED, SPREAD, PRODUCT, SIGNED, POWER, ATOM = range(9)
_BINDING = {"⊗": CROSSED, "×": CROSSED, "⊙": SPREAD, "⊘": SPREAD, "@": PRODUCT}
_RAISED = str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹")
_LOW = str.maketrans("0123456789", "₀₁₂₃₄₅₆₇₈₉")
_LATEX_SIGNS = {
    "≤": r"\leq ", "≥": r"\geq ", "≠": r"\neq ", "π": r"\pi ", "∞": r"\infty ", "⊙": r"\odot", "⊘": r"\oslash",
    "⊗": r"\otimes", "×": r"\times", "‖": r"\Vert", "⌊": r"\lfloor", "⌋": r"\rfloor", "⌈": r"\lceil", "⌉": r"\rceil",
    "⊤": r"\top", "ᵀ": r"\top", "ᴴ": r"\mathsf{H}", "⁻¹": "-1", "⁻ᵀ": r"-\top", "⁻ᴴ": r"-\mathsf{H}", "⁺": "+",
    "oo": r"\infty", "-oo": r"-\infty",
    "Sum": r"\sum", "Prod": r"\prod", "and": r"\wedge", "or": r"\vee", "not": r"\neg ",
}  # fmt: skip
_LATEX_WORDS = {
    "sin", "cos", "tan", "cot", "sec", "csc", "sinh", "cosh", "tanh", "coth", "ln", "log", "exp", "max", "min", "arg",
    "arcsin", "arccos", "arctan", "det", "gcd",
}  # fmt: skip
_TURNED = {">": "<", "≥": "≤"}
_FENCES = {"abs": "||", "floor": "⌊⌋", "ceil": "⌈⌉", "|": "||"}
ONE, HALF = Number(Fraction(1)), Number(Fraction(1, 2))


def word(function: str) -> str:
    """Return what a function is called in text."""
    if function == "log":
        return options.logarithm
    return SCALARS[function].text if function in SCALARS else function


def opposite(t: Formula) -> Formula | None:
    """Return −t of a formula that is written with a minus in front, its factors as they stand; else None."""
    if isinstance(t, Number):
        return Number(-t.value, t.decimal) if t.value < 0 else None
    if isinstance(t, Constant):
        negative = isinstance(t.value, (int, float)) and str(t.value).startswith("-")
        return Constant(-t.value) if negative else None
    if isinstance(t, Unary):
        return t.operand if t.op == "-" else None
    if isinstance(t, Product):
        first = opposite(t.args[0])
        if first is None:
            return None
        rest = t.args[1:] if getattr(first, "value", None) == 1 else (first, *t.args[1:])
        return Product(*rest) if len(rest) > 1 else rest[0] if rest else first
    if isinstance(t, (Quotient, Scaled)):
        first, last = t.operands
        first = opposite(first)
        return None if first is None else t.with_operands((first, last))
    return None


class Text:
    """Text in a line, as it is typed and read again."""

    minus, take, plus, times = "-", " - ", " + ", "*"
    wide = "*"  # between factors where one is a fraction
    dash, partial, upright_d = "′", "∂", "d"
    fraction_binds = PRODUCT
    raises_functions = False  # whether sin²(x) is written for the square of sin(x)
    entries_power = "^⊙"

    def __init__(self, named_e: bool = False) -> None:
        self.named_e = named_e  # whether something is called e, so that the exponential is not a power of e

    def write(self, t: Formula) -> str:
        """Return the formula."""
        return self.written(t)[0]

    def at(self, t: Formula, level: int) -> str:
        """Return the formula, in brackets where it binds less than ``level``."""
        text, own = self.written(t)
        return self.brackets(text) if own < level else text

    def written(self, t: Formula) -> Written:
        """Return the formula, and how strongly it binds."""
        method: Any = getattr(self, f"_{type(t).__name__.lower()}")
        formula: Written = method(t)
        return formula

    # ---------------------------------------------------------------- numbers and names
    def _number(self, t: Number) -> Written:
        value = t.value
        if value < 0:
            return self.together(self.minus + self.write(Number(-value, t.decimal))), SUM
        if t.has_point or value.denominator == 1:
            return self.digits(f"{float(value):.12g}" if t.has_point else str(value)), ATOM
        return self.over(self.digits(str(value.numerator)), self.digits(str(value.denominator))), self.fraction_binds

    def _constant(self, t: Constant) -> Written:
        if t.value is Ellipsis:
            return "...", ATOM
        text = str(t.shown or t.value)
        return (self.together(self.minus + self.digits(text[1:])), SUM) if text[0] == "-" else (self.digits(text), ATOM)

    def _letter(self, t: Letter) -> Written:
        return self.constant(t.sign), ATOM

    def _name(self, t: Name) -> Written:
        return self.name(t.id), ATOM

    def _otherwise(self, t: Otherwise) -> Written:
        return self.words("otherwise"), ATOM

    # ---------------------------------------------------------------- arithmetic
    def _sum(self, t: Sum) -> Written:
        parts: list[str] = []
        for term in t.args:
            positive = opposite(term)
            sign = (self.take if parts else self.minus) if positive is not None else self.plus if parts else ""
            parts.append(sign + (self.at(term, INNER) if positive is None else self.subtracted(positive)))
        return self.together("".join(parts)), SUM

    def _negative(self, t: Formula) -> Written:
        return self.together(self.minus + self.subtracted(t)), SUM

    def subtracted(self, t: Formula) -> str:
        """Return what stands behind a minus sign."""
        scaled = isinstance(t, Infix) and t.sign == "⊘" and _is_multiple(t.args[0])  # -2*x ⊘ y
        return self.at(t, SPREAD if scaled else INNER if isinstance(t, Infix) and t.sign == "@" else PRODUCT)

    def _unary(self, t: Unary) -> Written:
        if t.op == "-":
            return self._negative(t.operand)
        return self.together(self.words(t.op) + self.at(t.operand, POWER)), POWER

    def _product(self, t: Product) -> Written:
        positive = opposite(t)
        if positive is not None:
            return self._negative(positive)
        return self.product(t.args), PRODUCT

    def product(self, factors: Sequence[Formula]) -> str:
        """Return factors with the signs between them."""
        wide = any(isinstance(f, Quotient) for f in factors) and self.fraction_binds != ATOM
        numbered = len(factors) == 2 and isinstance(factors[0], (Number, Constant))
        out = ""
        for k, f in enumerate(factors):
            if isinstance(f, Over):  # what follows a sum would be under its sign
                text = self.write(f) if f is factors[-1] else self.brackets(self.write(f))
            else:
                inner = numbered and isinstance(f, Infix) and f.number
                text = self.at(f, INNER if inner else PRODUCT)
            out += ((self.wide if wide else self.between(factors[k - 1], f)) if k else "") + text
        return self.together(out)

    def between(self, a: Formula, b: Formula) -> str:
        """Return the sign between two factors."""
        return self.times

    def _quotient(self, t: Quotient) -> Written:
        positive = opposite(t)
        if positive is not None:
            return self._negative(positive)
        if self.fraction_binds == ATOM:
            return self.over(self.write(t.numerator), self.write(t.denominator)), ATOM
        top = self.above(t.numerator)
        both = isinstance(t.numerator, Quotient) and isinstance(t.denominator, Quotient)
        is_rate = both or (isinstance(t.numerator, Label) and "/" in top)  # (dy/dt)/(dx/dt)
        return self.over(self.brackets(top) if is_rate else top, self.at(t.denominator, POWER)), PRODUCT

    def above(self, t: Formula) -> str:
        """Return what stands before the stroke of a fraction; what follows a sum would be under its sign."""
        if isinstance(t, Product) and isinstance(t.args[-1], Over):
            return self.product((*t.args[:-1], Fenced(t.args[-1], "(", ")")))
        return self.brackets(self.write(t)) if isinstance(t, Over) else self.at(t, INNER)

    def _power(self, t: Power) -> Written:
        base, e = t.base, t.exponent
        if e == HALF:
            return self.root(base)
        if base == Letter("e") and not self.named_e:
            return self.exponential(e)
        if isinstance(base, Call) and self.raises_functions and self.plain(base) and _is_count(e):
            return self.call(base, self.high(e)), ATOM
        rooted = isinstance(base, Power) and base.exponent == HALF and self.raises_functions
        called = isinstance(base, Call) and self.raises_functions and base.name not in _FENCES
        return self.raised(self.brackets(self.write(base)) if rooted or called else self.bearing(base), e), POWER

    def bearing(self, base: Formula) -> str:
        """Return what an exponent stands behind; a fraction with a line in brackets."""
        number = isinstance(base, Number) and not base.has_point and base.value.denominator > 1
        is_lined = self.fraction_binds == ATOM and (number or isinstance(base, Quotient))
        return self.brackets(self.write(base)) if is_lined else self.at(base, ATOM)

    def plain(self, t: Call) -> bool:
        """Whether a power may stand behind the function's name."""
        return t.name != "exp" and t.name not in _FENCES and len(t.args) == 1

    def _call(self, t: Call) -> Written:
        if t.name == "exp" and not (t.plain or self.named_e):
            return self.exponential(t.args[0])
        if t.name == "sqrt":
            return self.root(t.args[0])
        return self.call(t, ""), ATOM

    def exponential(self, e: Formula) -> Written:
        """Return e to a power."""
        return self.call(Call(Name("exp"), [e], plain=True), ""), ATOM

    def call(self, t: Call, high: str) -> str:
        """Return f(a, b); log|x|."""
        t = _with_its_order(t)
        words = [self.listed_word(k) for k in t.keywords]
        inside = [*map(self.write, t.args), *words]
        bars = len(inside) == 1 and isinstance(t.args[0], Fenced) and t.args[0].left == "|"
        return self.called(t) + high + (inside[0] if bars else self.brackets(self.listed(inside)))

    def called(self, t: Call) -> str:
        """Return what the function is called."""
        return self.function(t.name)

    def listed_word(self, k: Keyword) -> str:
        """Return an argument with its name."""
        return f"{k.name}={self.write(k.value)}"

    # ---------------------------------------------------------------- conditions
    def _compare(self, t: Compare) -> Written:
        return self.together(self.write(t.left) + self.sign(t.op) + self.write(t.right)), SUM

    def _both(self, t: Both) -> Written:
        chain = _chain(t)
        if chain is not None:
            return self.together("".join(self.sign(p) if isinstance(p, str) else self.write(p) for p in chain)), SUM
        return self.together(self.joining(t.sign).join(self.at(a, SUM) for a in t.args)), SUM

    def joining(self, sign: str) -> str:
        """Return the sign between two conditions."""
        return self.words(f" {sign} ")

    def _cases(self, t: Cases) -> Written:
        return self.cases([(self.write(v), self.write(c), isinstance(c, Otherwise)) for v, c in t.rows]), ATOM

    # ---------------------------------------------------------------- derivatives
    def _prime(self, t: Prime) -> Written:
        a = t.operand
        if isinstance(a, Call) and t.function:
            return self.call(a, self.dash), ATOM
        bare = isinstance(a, Name) or (isinstance(a, Call) and a.name in _FENCES)
        return (self.write(a) if bare else self.brackets(self.write(a))) + self.dash, POWER

    def _label(self, t: Label) -> Written:
        name, by = t.name, t.by
        if isinstance(by, int):
            given = [self.name(a) if isinstance(a, str) else self.write(a) for a in t.of]
            called = self.brackets(self.listed(given)) if given else ""
            return self.together(self.name(name) + self.dashes(by) + called), ATOM
        d = self.partial if t.sign == "∂" else self.constant("d")
        below = self.together("".join(d + self.often(self.name(v), by.count(v)) for v in dict.fromkeys(by)))
        return self.over(self.together(self.often(d, len(by)) + (self.name(name) if name else "")), below), POWER

    def _differential(self, t: Differential) -> Written:
        return self.together(self.upright_d + self.name(t.whose)), ATOM

    def dashes(self, n: int) -> str:
        """Return the dashes of an n-th derivative."""
        return {0: "", 1: "′", 2: "″", 3: "‴"}.get(n, f"⁽{''.join(RAISED[c] for c in str(n))}⁾")

    def often(self, text: str, n: int) -> str:
        """Return what is repeated n times."""
        return text + str(n).translate(_RAISED) if n > 1 else text

    # ---------------------------------------------------------------- arrays
    def _infix(self, t: Infix) -> Written:
        level = _BINDING[t.sign]
        first = POWER if t.sign in "@×⊗" else level
        later = POWER if t.sign in "@×⊗" else level + 1
        levels = [
            SUM if isinstance(a, Unary) and level == SPREAD else later if k else first for k, a in enumerate(t.args)
        ]
        parts = [self.at(a, least) for a, least in zip(t.args, levels, strict=True)]
        signs = ["", *(self.between(*pair) if t.sign == "@" else self.sign(t.sign) for pair in pairwise(t.args))]
        return self.together("".join(map("".join, zip(signs, parts, strict=True)))), INNER if t.number else level

    def _scaled(self, t: Scaled) -> Written:
        positive = opposite(t)
        if positive is not None:
            return self._negative(positive)
        top, bottom = (t.coefficient.operands) if isinstance(t.coefficient, Quotient) else (t.coefficient, None)
        above = self.front(top, t.array)
        return above if bottom is None else self.over(above, self.at(bottom, POWER)), PRODUCT

    def front(self, number: Formula, array: Formula) -> str:
        """Return an array with its number in front; none for 1."""
        if number == ONE:
            return self.at(array, PRODUCT)
        return self.product((*(number.args if isinstance(number, Product) else (number,)), array))

    def _raised(self, t: Raised) -> Written:
        if isinstance(t.base, Raised) and t.base.sign == "⁻¹" and t.sign in ("ᵀ", "ᴴ"):
            return self.marked(t.base.base, f"⁻{t.sign}"), ATOM
        return self.marked(t.base, t.sign), ATOM if t.sign[-1] in "ᵀᴴ⁺" or t.sign == "⁻¹" else POWER

    def marked(self, base: Formula, sign: str) -> str:
        """Return an array with a sign that stands high."""
        return self.at(base, ATOM) + sign

    def _entrypower(self, t: EntryPower) -> Written:
        simple = isinstance(t.exponent, Number) and t.exponent.value.denominator == 1
        exponent = self.write(t.exponent) if simple else self.at(t.exponent, ATOM)
        return f"{self.at(t.base, ATOM)}^⊙{exponent}", POWER

    def _fenced(self, t: Fenced) -> Written:
        below = f"_{t.below if t.below.isalnum() or t.below == '∞' else f'({t.below})'}" if t.below else ""
        return f"{t.left}{self.write(t.inside)}{t.right}{below}", ATOM

    def _entry(self, t: Entry) -> Written:
        places = list(map(self.write, t.indices))
        array = self.write(t.array)
        if not places:
            return self.written(t.array)
        if all(len(k) == 1 for k in places):
            return f"{array}_{''.join(places)}", ATOM
        return f"{f'({array})' if t.function else array}[{', '.join(places)}]", ATOM

    def _over(self, t: Over) -> Written:
        letters = [self.write(k) for k, *_ in t.limits]
        if t.whole:
            below = joined(letters)
        else:
            ends = (f"{self.write(k)}={self.write(lo)}..{self.write(hi)}" for k, lo, hi in t.limits)
            below = f"{{{', '.join(ends)}}}"
        return f"{t.sign}_{below} {self.at(t.body, INNER)}", PRODUCT

    def _along(self, t: Along) -> Written:
        return f"{self.brackets(self.write(t.inside))}_{{axis={self.write(t.axis)}}}", ATOM

    def _selected(self, t: Selected) -> Written:
        return f"{self.whole(t.array)}[{t.places}]", ATOM

    def whole(self, t: Formula) -> str:
        """Return what brackets behind it select entries of."""
        return self.brackets(self.write(t)) if isinstance(t, Raised) else self.at(t, ATOM)

    def _verbatim(self, t: Verbatim) -> Written:
        return t.written, ATOM

    def _spelled(self, t: Spelled) -> Written:
        return t.text, ATOM

    def _subscript(self, t: Subscript) -> Written:
        return f"{self.at(t.value, ATOM)}[{self.write(t.key).replace(' ', '')}]", ATOM

    def _tuple(self, t: Tuple) -> Written:
        return self.brackets(self.listed(list(map(self.write, t.elts)))), ATOM

    def _rows(self, t: Rows) -> Written:
        rows = [[self.write(a) for a in row] for row in t.rows]
        return self.table(rows, t.between, t.vector), ATOM

    # ---------------------------------------------------------------- how signs look
    def together(self, text: str) -> str:
        """Return what belongs together."""
        return text

    def brackets(self, text: str) -> str:
        """Return it in brackets."""
        return f"({text})"

    def digits(self, text: str) -> str:
        """Return a number's digits."""
        return text

    def name(self, text: str) -> str:
        """Return a user's name."""
        return plain_name(text)

    def function(self, name: str) -> str:
        """Return a function's name."""
        return word(name)

    def constant(self, sign: str) -> str:
        """Return π or e."""
        return {"π": "pi", "e": "e", "∞": "oo", "-∞": "-oo", "𝟏": "1"}.get(sign, sign)

    def words(self, text: str) -> str:
        """Return a sentence as it is."""
        return text

    def sign(self, text: str) -> str:
        """Return a sign between two parts."""
        return f" {text} "

    def listed(self, parts: Sequence[str]) -> str:
        """Return parts with commas."""
        return ", ".join(parts)

    def over(self, a: str, b: str) -> str:
        """Return a fraction of what is in brackets already."""
        return f"{a}/{b}"

    def high(self, e: Formula) -> str:
        """Return an exponent, raised."""
        return f"**{self.at(e, ATOM)}"

    def raised(self, base: str, e: Formula) -> str:
        """Return a power."""
        return base + self.high(e)

    def root(self, t: Formula) -> Written:
        """Return a square root."""
        return f"sqrt({self.write(t)})", ATOM

    def cases(self, rows: Sequence[tuple[str, str, bool]]) -> str:
        """Return a case distinction."""
        return "{" + "; ".join(v + (" " if other else " if ") + c for v, c, other in rows) + "}"

    def table(self, rows: Sequence[Sequence[str]], between: str, vector: bool) -> str:
        """Return an array by its parts."""
        flat = [", ".join(row) for row in rows]
        return f"[{(between or ', ').join(flat if between or vector else [f'[{r}]' for r in flat])}]"


class Typed(Text):
    """A formula as it was read, in Python's notation with ^ for powers; functions have the names that were read."""

    def _constant(self, t: Constant) -> Written:
        return ("..." if t.value is Ellipsis else repr(t.value)), ATOM

    def _name(self, t: Name) -> Written:
        return t.id, ATOM

    def _compare(self, t: Compare) -> Written:
        return f"{self.at(t.left, SUM)} {t.op} {self.at(t.right, SUM)}", COMPARED

    def _unary(self, t: Unary) -> Written:
        return t.op + self.at(t.operand, SIGNED), SIGNED

    def _binary(self, t: Binary) -> Written:
        level = _TYPED.get(t.op, PRODUCT)
        left = self.at(t.left, level + (level == POWER))
        right = self.at(t.right, level + 1)  # a^(b^c), which people read in two ways without brackets
        return f"{left}{_TYPED_SIGNS.get(t.op, f' {t.op} ')}{right}", level

    def _call(self, t: Call) -> Written:
        if t.func == Name("|"):
            return f"|{self.write(t.args[0])}|", ATOM
        called = self.function(t.name) if t.name else self.at(t.func, ATOM)
        words = [self.listed_word(k) for k in t.keywords]
        return f"{called}({self.listed([*map(self.write, t.args), *words])})", ATOM

    def function(self, name: str) -> str:
        return word(name) if name == "log" else name

    def _attribute(self, t: Attribute) -> Written:
        return f"{self.at(t.value, ATOM)}.{t.attr}", ATOM

    def _subscript(self, t: Subscript) -> Written:
        key = self.listed([*map(self.write, t.key.elts)]) if type(t.key) is Tuple else self.write(t.key)
        return f"{self.at(t.value, ATOM)}[{key}]", ATOM

    def _slice(self, t: Slice) -> Written:
        ends = [t.lower, t.upper, *([t.step] if t.step is not None else [])]
        return ":".join("" if end is None else self.write(end) for end in ends), COMPARED

    def _list(self, t: List) -> Written:
        return f"[{self.listed([*map(self.write, t.elts)])}]", ATOM


class Board(Text):
    """Text as it is written on a blackboard: 2x²."""

    minus, take, times, wide = "−", " − ", "·", " · "
    raises_functions = True

    def between(self, a: Formula, b: Formula) -> str:
        return "" if _beside(a, b) else self.times

    def name(self, text: str) -> str:
        if text == "·":  # what is inside a function
            return "(·)"
        stem, _, index = text.partition("_")
        if len(stem) == 1 and index.isascii() and index.isdigit():
            return stem + index.translate(_LOW)
        return printable(plain_name(text))

    def call(self, t: Call, high: str) -> str:
        return f"|{self.write(t.args[0])}|" if t.name in ("abs", "|") else super().call(t, high)

    def constant(self, sign: str) -> str:
        return "1" if sign == "𝟏" else sign

    def high(self, e: Formula) -> str:
        text = self.write(e).replace("−", "-").replace(" ", "")
        if all(c in RAISED for c in text):
            return "".join(RAISED[c] for c in text)
        return f"^{self.at(e, ATOM)}"

    def root(self, t: Formula) -> Written:
        simple = isinstance(t, (Name, Letter)) or (isinstance(t, Number) and t.value.denominator == 1)
        return ("√" + (self.write(t) if simple else self.brackets(self.write(t)))), ATOM

    def cases(self, rows: Sequence[tuple[str, str, bool]]) -> str:
        return "{ " + ";  ".join(v + (" " if other else " for ") + c for v, c, other in rows) + " }"


class Latex(Text):
    """The alphabet of LaTeX."""

    times, wide, dash, partial, upright_d = " ", " ", "'", r"\partial ", r"\mathrm{d}"
    fraction_binds = ATOM
    raises_functions = True

    def between(self, a: Formula, b: Formula) -> str:
        mixed = isinstance(b, Quotient) and all(map(_starts_with_digit, (a, *b.operands)))  # 2 1/3 is 2 + 1/3
        return r" \cdot " if mixed or _starts_with_digit(b) else r" \, " if _is_word(a) and _is_word(b) else " "

    def dashes(self, n: int) -> str:
        return self.dash * n if n < 4 else f"^{{({n})}}"

    def often(self, text: str, n: int) -> str:
        return f"{text}^{{{n}}}" if n > 1 else text

    def brackets(self, text: str) -> str:
        return rf"\left({text}\right)"

    def digits(self, text: str) -> str:
        mantissa, e, power = text.partition("e")
        return rf"{mantissa} \cdot 10^{{{int(power)}}}" if e else text

    def name(self, text: str) -> str:
        return r"(\cdot)" if text == "·" else latex_name(text)

    def function(self, name: str) -> str:
        if name == "log":
            return rf"\{word(name)}"
        if name in SCALARS or name in _SIGNED:
            return _SIGNED.get(name) or SCALARS[name].latex
        if name in _LATEX_WORDS:
            return f"\\{name}"
        return rf"\operatorname{{{latex_letters(name)}}}" if len(name) > 1 else latex_name(name)

    def call(self, t: Call, high: str) -> str:
        if t.name in _FENCES:
            return self._fenced(Fenced(t.args[0], *_FENCES[t.name]))[0]
        if t.name == "conj":
            return rf"\overline{{{self.write(t.args[0])}}}"
        if t.name == "∫":
            body, x, low, high = map(self.write, t.args)
            return rf"\int_{{{low}}}^{{{high}}} {body}\,d{x}"
        if t.name == "skew":
            return self.write(Fenced(t.args[0], "[", "]", "×"))
        if t.name == "eye":
            return f"I_{{{self.write(t.args[0])}}}"
        if t.name == "expm" and len(t.args) == 1:
            return f"{{e{self.high(t.args[0])}}}"
        told = [a for a in t.args if isinstance(a, Verbatim)]
        if told:  # a shape or a slice is written below the name
            mark = "".join(a.latex or self.write(a) for a in told)
            t = replace(t, args=tuple(a for a in t.args if a not in told), latex=f"{self.called(t)}_{{{mark}}}")
        if t.name in _NUMBERED:
            high = f"^{{({self.write(t.args[0])})}}{high}"
            t = Call(t.func, t.args[1:], latex=r"\psi")
        below = SCALARS[t.name].below if t.name in SCALARS and not t.latex else 0
        if not below:
            return super().call(t, high)
        under, inside = (self.listed([self.write(a) for a in part]) for part in (t.args[:below], t.args[below:]))
        return f"{self.called(t)}_{{{under}}}{high}{self.brackets(inside)}"

    def plain(self, t: Call) -> bool:
        return super().plain(t) and "^" not in self.called(t)

    def called(self, t: Call) -> str:
        return t.latex or self.function(t.name)

    def listed_word(self, k: Keyword) -> str:
        return rf"\mathrm{{{k.name}}}={self.write(k.value)}"

    def constant(self, sign: str) -> str:
        return r"\mathbf{1}" if sign == "𝟏" else _LATEX_SIGNS.get(sign) or latex_name(sign)

    def words(self, text: str) -> str:
        return rf"\text{{{text}}}"

    def joining(self, sign: str) -> str:
        return f" {_LATEX_SIGNS[sign]} "

    def sign(self, text: str) -> str:
        return f" {_LATEX_SIGNS.get(text, text).rstrip()} "

    def over(self, a: str, b: str) -> str:
        return rf"\frac{{{a}}}{{{b}}}"

    def high(self, e: Formula) -> str:
        return f"^{{{self.write(e)}}}"

    def root(self, t: Formula) -> Written:
        return rf"\sqrt{{{self.write(t)}}}", ATOM

    def exponential(self, e: Formula) -> Written:
        return f"e{self.high(e)}", POWER

    def cases(self, rows: Sequence[tuple[str, str, bool]]) -> str:
        body = r" \\ ".join(v + " & " + (c if other else rf"\text{{if }} {c}") for v, c, other in rows)
        return rf"\begin{{cases}} {body} \end{{cases}}"

    def table(self, rows: Sequence[Sequence[str]], between: str, vector: bool) -> str:
        lines = r" \\ ".join(" & ".join(row) for row in rows)
        return rf"\begin{{bmatrix}} {lines} \end{{bmatrix}}"

    def _scaled(self, t: Scaled) -> Written:
        positive = opposite(t)
        if positive is not None:
            return self._negative(positive)
        return self.front(t.coefficient, t.array), PRODUCT

    def marked(self, base: Formula, sign: str) -> str:
        text, level = self.written(base)
        text = self.brackets(text) if level < ATOM else f"{{{text}}}" if isinstance(base, Raised) else text
        return f"{text}^{{{_LATEX_SIGNS.get(sign, sign.translate(_LEVEL))}}}"

    def _entrypower(self, t: EntryPower) -> Written:
        return f"{self.bearing(t.base)}^{{\\odot {self.at(t.exponent, PRODUCT)}}}", POWER

    def bearing(self, base: Formula) -> str:  # one superscript is all that TeX takes
        return self.brackets(self.write(base)) if isinstance(base, Raised) else super().bearing(base)

    def _fenced(self, t: Fenced) -> Written:
        left, right = (r"\lVert", r"\rVert") if t.left == "‖" else (_LATEX_SIGNS.get(s, s) for s in (t.left, t.right))
        below = f"_{{{_below(t.below)}}}" if len(t.below) > 1 else f"_{_below(t.below)}" if t.below else ""
        gap = " " if len(left) > 1 else ""
        return rf"\left{left}{gap}{self.write(t.inside)}{gap}\right{right}{below}", ATOM

    def _entry(self, t: Entry) -> Written:
        if not t.indices:
            return self.written(t.array)
        array, places = self.write(t.array), joined([self.write(k) for k in t.indices])
        array = rf"\left[{array}\right]" if t.function else f"{{{array}}}" if "_{" in array else array
        return f"{array}_{{{places}}}", ATOM

    def _along(self, t: Along) -> Written:
        return rf"{self.brackets(self.write(t.inside))}_{{\mathrm{{axis}}={self.write(t.axis)}}}", ATOM

    def _selected(self, t: Selected) -> Written:
        return rf"{{{self.whole(t.array)}}}_{{[{t.places.replace('...', _DOTS)}]}}", ATOM

    def _verbatim(self, t: Verbatim) -> Written:
        return t.written.replace("...", _DOTS), ATOM

    def _spelled(self, t: Spelled) -> Written:
        return t.latex, SUM if t.latex.startswith(r"\int") else ATOM

    def _subscript(self, t: Subscript) -> Written:
        array = self.write(t.value)
        return f"{f'{{{array}}}' if '_{' in array else array}_{{{self.write(t.key).replace(' ', '')}}}", ATOM

    def _over(self, t: Over) -> Written:
        sign = _LATEX_SIGNS[t.sign]
        ends = [f"{sign}_{{{self.write(k)}={self.write(lo)}}}^{{{self.write(hi)}}}" for k, lo, hi in t.limits]
        return f"{' '.join(ends)} {self.at(t.body, INNER)}", PRODUCT


def _with_its_order(t: Call) -> Call:
    """Return J2(x) for jv(2, x), as formulas call it."""
    order = t.args[0] if t.name == "jv" else None
    value = order.value if isinstance(order, (Number, Constant)) else None
    return replace(t, func=Name(f"J{value}"), args=t.args[1:]) if value in range(10) else t


class MathML(Text):
    """Presentation MathML, without the element around it."""

    minus, take, plus = markup.mo("−"), markup.mo("−"), markup.mo("+")
    times = wide = markup.INVISIBLE
    dash, partial, upright_d = markup.DASH, '<mo rspace="0" lspace="0">∂</mo>', markup.mi("d")
    fraction_binds = ATOM
    raises_functions = True
    _scaled = Latex._scaled

    def between(self, a: Formula, b: Formula) -> str:
        if _starts_with_digit(b):
            return markup.mo("·")
        base = b.base if isinstance(b, Power) else b
        called = isinstance(base, Call) and base.name != "exp" and base.name not in _FENCES
        return markup.BEFORE_WORD if called or _is_word(a) or _is_word(b) else markup.INVISIBLE

    def dashes(self, n: int) -> str:
        return self.dash * n

    def often(self, text: str, n: int) -> str:
        return markup.power(text, markup.mn(str(n))) if n > 1 else text

    def together(self, text: str) -> str:
        return markup.row(text, "")

    def brackets(self, text: str) -> str:
        return markup.fenced(text)

    def digits(self, text: str) -> str:
        return markup.mn(text)

    def name(self, text: str) -> str:
        return markup.name(text)

    def function(self, name: str) -> str:
        return markup.mi("ψ") if name == "digamma" else markup.name(word(name))

    def constant(self, sign: str) -> str:
        return '<mn mathvariant="bold">𝟏</mn>' if sign == "𝟏" else markup.mi(sign)

    def words(self, text: str) -> str:
        return f"<mtext>{text.replace(' ', '&#xa0;')}</mtext>"

    def joining(self, sign: str) -> str:
        return markup.mo({"and": "∧", "or": "∨"}[sign])

    def sign(self, text: str) -> str:
        return markup.mo(text)

    def listed(self, parts: Sequence[str]) -> str:
        return markup.listed(parts)

    def over(self, a: str, b: str) -> str:
        return markup.fraction(a, b)

    def call(self, t: Call, high: str) -> str:
        if t.name in _FENCES:
            return self._fenced(Fenced(t.args[0], *_FENCES[t.name]))[0]
        if t.name == "eye":
            return markup.below(markup.mi("I"), self.write(t.args[0]))
        if t.name == "conj":
            return f'<mover accent="true">{self.write(t.args[0])}{markup.mo("¯")}</mover>'
        if t.name in _NUMBERED:
            psi = markup.power(markup.mi("ψ"), markup.fenced(self.write(t.args[0])))
            return markup.row(psi, self.brackets(self.write(t.args[1])))
        t = _with_its_order(t)
        name = self.function(t.name)
        name = markup.row(name, high) if high == self.dash else markup.power(name, high) if high else name
        inside = [*map(self.write, t.args), *map(self.listed_word, t.keywords)]
        bars = len(inside) == 1 and isinstance(t.args[0], Fenced) and t.args[0].left == "|"
        return markup.row(name, inside[0] if bars else markup.fenced(self.listed(inside)))

    def listed_word(self, k: Keyword) -> str:
        return markup.row(markup.mi(k.name), markup.mo("="), self.write(k.value))

    def _prime(self, t: Prime) -> Written:
        return markup.row(super()._prime(t)[0], ""), POWER

    def high(self, e: Formula) -> str:
        return self.write(e)

    def raised(self, base: str, e: Formula) -> str:
        return markup.power(base, self.high(e))

    def root(self, t: Formula) -> Written:
        return f"<msqrt>{self.write(t)}</msqrt>", ATOM

    def exponential(self, e: Formula) -> Written:
        return markup.power(markup.mi("e"), self.high(e)), POWER

    def cases(self, rows: Sequence[tuple[str, str, bool]]) -> str:
        return markup.cases([(v, None if other else c) for v, c, other in rows])

    def table(self, rows: Sequence[Sequence[str]], between: str, vector: bool) -> str:
        if between:
            return markup.fenced(markup.spaced([p for row in rows for p in row], markup.mo(between.strip())), "[", "]")
        cells = ["".join(f"<mtd>{part}</mtd>" for part in row) for row in rows]
        return markup.fenced(f"<mtable>{''.join(f'<mtr>{row}</mtr>' for row in cells)}</mtable>", "[", "]")

    def marked(self, base: Formula, sign: str) -> str:
        plain = {"⁻¹": "−1", "ᵀ": "⊤", "ᴴ": "H", "⁻ᵀ": "−⊤", "⁻ᴴ": "−H", "⁺": "+"}.get(sign) or sign.translate(_LEVEL)
        parts = [markup.mn(p) if p.isdigit() else markup.mo(p) for p in re.findall(r"\d+|.", plain.replace("-", "−"))]
        return markup.power(self.at(base, ATOM), markup.row(*parts))

    def _entrypower(self, t: EntryPower) -> Written:
        base = self.write(t.base) if isinstance(t.base, Name) else markup.fenced(self.write(t.base))
        return markup.power(base, markup.row(markup.mo("⊙"), self.write(t.exponent))), POWER

    def _fenced(self, t: Fenced) -> Written:
        text = markup.fenced(self.write(t.inside), t.left, t.right)
        return markup.below(text, markup.mi(t.below)) if t.below else text, ATOM

    def _entry(self, t: Entry) -> Written:
        if not t.indices:
            return self.written(t.array)
        array = markup.fenced(self.write(t.array), "[", "]") if t.function else self.write(t.array)
        return markup.below(array, self.places(t.indices)), ATOM

    def _along(self, t: Along) -> Written:
        axis = markup.row(markup.mi("axis"), markup.mo("="), self.write(t.axis))
        return markup.below(self.brackets(self.write(t.inside)), axis), ATOM

    def _selected(self, t: Selected) -> Written:
        return markup.row(self.whole(t.array), self._verbatim(Verbatim(f"[{t.places}]"))[0]), ATOM

    def _verbatim(self, t: Verbatim) -> Written:
        parts = re.findall(r"\d+|[^\W\d]\w*|\S", t.written)
        kinds = (markup.mn(p) if p.isdigit() else markup.mi(p) if p.isidentifier() else markup.mo(p) for p in parts)
        return markup.row("".join(kinds), ""), ATOM

    def _spelled(self, t: Spelled) -> Written:
        return f"<mtext>{html(t.text)}</mtext>", ATOM

    def _subscript(self, t: Subscript) -> Written:
        return markup.below(self.write(t.value), self.write(t.key)), ATOM

    def places(self, indices: Sequence[Formula]) -> str:
        """Return indices beside each other."""
        parts = list(map(self.write, indices))
        return markup.row(*parts) if all(isinstance(k, (Name, Number)) for k in indices) else markup.listed(parts)

    def _over(self, t: Over) -> Written:
        sign, signs = markup.mo({"Sum": "∑", "Prod": "∏"}[t.sign]), []
        for k, low, high in t.limits:
            start = markup.row(self.write(k), markup.mo("="), self.write(low))
            signs.append(f"<munderover>{sign}{start}{self.write(high)}</munderover>")
        return markup.row(*signs, self.at(t.body, INNER)), PRODUCT


_DOTS = r"\ldots"
_LEVEL = str.maketrans("⁻⁰¹²³⁴⁵⁶⁷⁸⁹", "-0123456789")
_NUMBERED = {"polygamma"}
_SIGNED = {"digamma": r"\psi"}


def joined(indices: Sequence[str]) -> str:
    """Write indices together where each is one sign, else with commas."""
    return "".join(indices) if all(len(k) == 1 for k in indices) else ", ".join(indices)


def _is_count(e: Formula) -> bool:
    return isinstance(e, Number) and e.value.denominator == 1 and e.value > 0


def _below(mark: str) -> str:
    """Return in LaTeX which norm it is."""
    top, _, bottom = mark.partition("/")
    return rf"\frac{{{top}}}{{{bottom}}}" if bottom else _LATEX_SIGNS.get(mark, mark)


def _is_multiple(t: Formula) -> bool:
    return isinstance(t, Scaled) or (isinstance(t, Number) and t != ONE)


def _starts_with_digit(t: Formula) -> bool:
    if isinstance(t, Power) and t.exponent != HALF:  # a root stands for itself
        t = t.base
    return isinstance(t, (Number, Constant))


def _is_word(t: Formula) -> bool:
    """Whether LaTeX writes a factor as a word, which would run together with another."""
    while isinstance(t, (Power, Raised, Entry)):
        t = t.operands[0]
    return isinstance(t, Name) and latex_name(t.id).startswith(r"\mathrm")


def _chain(t: Both) -> list[Any] | None:
    """Return the parts of a < b < c, its signs as text; None of other conditions."""
    conditions = [c for c in t.args if isinstance(c, Compare)]
    if t.sign != "and" or len(conditions) != 2 or len(t.args) != 2:
        return None
    low, high = sorted(conditions, key=lambda c: c.op not in _TURNED)
    if low.op in _TURNED and high.op in _TURNED.values() and low.left == high.left:  # x > a and x < b
        return [low.right, _TURNED[low.op], low.left, high.op, high.right]
    first, last = conditions
    alike = first.right == last.left and {first.op, last.op} <= {"<", "≤"}
    return [first.left, first.op, first.right, last.op, last.right] if alike else None


def _beside(a: Formula, b: Formula) -> bool:
    """Whether two factors stand beside each other without a sign: 2x, 2π."""
    base = b.base if isinstance(b, Power) and b.exponent != HALF else b
    short = isinstance(base, Letter) or (isinstance(base, Name) and len(base.id.partition("_")[0]) == 1)
    return isinstance(a, Number) and short and (a.value.denominator == 1 or a.has_point)


_TYPED = {"+": SUM, "-": SUM, "**": POWER, "mpower": POWER}
_TYPED_SIGNS = {"**": "^", "mpower": "^", "*": "*", "/": "/", "mrdivide": "/", "mldivide": "\\"}
TEXT, TYPED, BOARD, LATEX, MATHML = Text(), Typed(), Board(), Latex(), MathML()


def text(t: Formula) -> str:
    """Return a formula as it is typed."""
    return TEXT.write(t)


def typed(t: Formula) -> str:
    """Return a formula as it was read, in Python's notation with ^ for powers.

    >>> typed(Binary(Binary(Constant(2), "*", Name("x")), "**", Unary("-", Constant(1))))
    '(2*x)^(-1)'
    """
    return TYPED.write(t)


def handwritten(t: Formula) -> str:
    """Return a formula in one line, as it is written on a blackboard."""
    return BOARD.write(t)
