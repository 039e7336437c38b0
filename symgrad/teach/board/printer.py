"""One way through a formula, and three notations: text for a blackboard, LaTeX, MathML."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import sympy as sp

from symgrad.expression import markup
from symgrad.scalars import BY_FUNCTION
from symgrad.support.foreign import latex_letters, latex_name, plain_name, printable
from symgrad.teach.board.terms import (
    HALF,
    Apply,
    Both,
    Cases,
    Compare,
    Const,
    Label,
    Name,
    Num,
    Otherwise,
    Power,
    Prime,
    Product,
    Quotient,
    Sum,
    Term,
    coefficient,
    factors,
)

SUM, PRODUCT, POWER, ATOM = range(4)
_WORDS: dict[Any, str] = {sp.log: "ln", sp.Max: "max", sp.Min: "min"}
_HIGH = dict(zip("-0123456789abcdefghijklmnoprstuvwxyz", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹ᵃᵇᶜᵈᵉᶠᵍʰⁱʲᵏˡᵐⁿᵒᵖʳˢᵗᵘᵛʷˣʸᶻ", strict=True))
_LOW = str.maketrans("0123456789", "₀₁₂₃₄₅₆₇₈₉")
_LATEX_SIGNS = {"≤": r"\le ", "≥": r"\ge ", "≠": r"\ne ", "<": "<", ">": ">", "=": "=", "π": r"\pi ", "e": "e"}
_KNOWN = {
    "sin",
    "cos",
    "tan",
    "cot",
    "sec",
    "csc",
    "sinh",
    "cosh",
    "tanh",
    "coth",
    "ln",
    "max",
    "min",
    "arcsin",
    "arccos",
}
_KNOWN |= {"arctan"}


def word(function: Any) -> str:
    """Return what a function is called."""
    if function in _WORDS:
        return _WORDS[function]
    scalar = BY_FUNCTION.get(function)
    if scalar is not None:
        return scalar.text or scalar.name
    return str(getattr(function, "__name__", function)).lower()


class Pen:
    """Text, as one writes it in a line."""

    def write(self, t: Term) -> str:
        """Return the formula."""
        return self.at(t, SUM)

    def at(self, t: Term, level: int) -> str:
        """Return the formula, in brackets where it binds less than ``level``."""
        text, own = self.term(t)
        return self.brackets(text) if own < level else text

    def term(self, t: Term) -> tuple[str, int]:
        """Return the formula, and how strongly it binds."""
        method: Any = getattr(self, f"_{type(t).__name__.lower()}")
        formula: tuple[str, int] = method(t)
        return formula

    # ---------------------------------------------------------------- numbers and names
    def _num(self, t: Num) -> tuple[str, int]:
        value = t.value
        if t.decimal or value.denominator == 1:
            text = self.digits(f"{float(value):.12g}" if t.decimal else str(abs(value)))
            return (f"{self.minus}{text.lstrip('-')}", SUM) if value < 0 else (text, ATOM)
        text = self.over(self.digits(str(abs(value.numerator))), self.digits(str(value.denominator)))
        return (f"{self.minus}{text}", SUM) if value < 0 else (text, self.fraction_binds)

    def _const(self, t: Const) -> tuple[str, int]:
        return self.constant(t.args[0]), ATOM

    def _name(self, t: Name) -> tuple[str, int]:
        return self.name(t.args[0]), ATOM

    def _otherwise(self, t: Otherwise) -> tuple[str, int]:
        return self.words("otherwise"), ATOM

    # ---------------------------------------------------------------- operations
    def _sum(self, t: Sum) -> tuple[str, int]:
        out = ""
        for k, p in enumerate(t.args):
            n, _ = coefficient(p)
            minus = n.value < 0
            part = self.at(mul_raw(p), PRODUCT) if minus else self.at(p, PRODUCT)
            sign = (self.minus if minus else "") if k == 0 else (self.take if minus else self.plus)
            out += sign + part
        return self.together(out), SUM

    def _product(self, t: Product) -> tuple[str, int]:
        n = t.args[0]
        if isinstance(n, Num) and n.value < 0:
            return self.together(self.minus + self.at(mul_raw(t), PRODUCT)), SUM
        wide = any(isinstance(f, Quotient) for f in t.args) and self.fraction_binds != ATOM
        out, before = "", None
        for f in t.args:
            text = self.at(f, PRODUCT)
            if before is not None:
                out += self.wide if wide else "" if _beside(before, f) else self.times
            out, before = out + text, f
        return self.together(out), PRODUCT

    def _quotient(self, t: Quotient) -> tuple[str, int]:
        above, below = t.args
        n, _ = coefficient(above)
        if n.value < 0:
            return self.together(self.minus + self.term(Quotient(mul_raw(above), below))[0]), SUM
        if self.fraction_binds == ATOM:
            return self.over(self.write(above), self.write(below)), ATOM
        return self.over(self.at(above, PRODUCT), self.at(below, POWER)), PRODUCT

    def _power(self, t: Power) -> tuple[str, int]:
        base, e = t.args
        if e == HALF:
            return self.root(base)
        if isinstance(base, Apply) and isinstance(e, Num) and e.value.denominator == 1 and self.plain(base):
            return self.call(base, self.high(e)), ATOM
        rooted = isinstance(base, Apply) or (isinstance(base, Power) and base.args[1] == HALF)
        return self.raise_(self.brackets(self.write(base)) if rooted else self.at(base, ATOM), e), POWER

    def plain(self, t: Apply) -> bool:
        """Whether a power may stand behind the function's name."""
        return t.args[0] not in (sp.exp, sp.Abs) and len(t.args) == 2

    def _apply(self, t: Apply) -> tuple[str, int]:
        if t.args[0] is sp.Abs:
            return self.bars(self.write(t.args[1])), ATOM
        if t.args[0] is sp.exp:
            return self.exponential(t.args[1])
        return self.call(t, ""), ATOM

    def exponential(self, e: Term) -> tuple[str, int]:
        """Return e to a power."""
        return self.call(Apply(sp.exp, e), ""), ATOM

    def call(self, t: Apply, high: str) -> str:
        """Return f(a, b)."""
        function, *args = t.args
        return self.function(word(function)) + high + self.brackets(self.listed([self.write(a) for a in args]))

    def _compare(self, t: Compare) -> tuple[str, int]:
        sign, a, b = t.args
        return self.together(self.write(a) + self.sign(sign) + self.write(b)), SUM

    def _both(self, t: Both) -> tuple[str, int]:
        first, *rest = t.args
        if isinstance(first, Compare) and len(rest) == 1 and isinstance(rest[0], Compare):
            (s, a, b), (r, c, d) = first.args, rest[0].args
            if b == c and s == r:  # a < b and b < d
                return self.together(self.sign(s).join(map(self.write, (a, b, d)))), SUM
        return self.together(self.words(" and ").join(map(self.write, t.args))), SUM

    def _cases(self, t: Cases) -> tuple[str, int]:
        return self.cases([(self.write(v), self.write(c), isinstance(c, Otherwise)) for v, c in t.rows]), ATOM

    def _prime(self, t: Prime) -> tuple[str, int]:
        (a,) = t.args
        bare = isinstance(a, Name) or (isinstance(a, Apply) and a.args[0] is sp.Abs)
        return (self.write(a) if bare else self.brackets(self.write(a))) + self.dash, POWER

    def _label(self, t: Label) -> tuple[str, int]:
        name, by, of = t.args
        if isinstance(by, int):
            given = [self.name(a) if isinstance(a, str) else self.write(a) for a in of]
            called = self.brackets(self.listed(given)) if of else ""
            return self.together(self.name(name) + self.dashes(by) + called), ATOM
        order = self.high(Num(Fraction(len(by)), False)) if len(by) > 1 else ""
        below = [self.partial + self.name(v) + self.often(n) for v, n in _runs(by)]
        return self.over(self.partial + order + self.name(name), self.together("".join(below))), PRODUCT

    def dashes(self, n: int) -> str:
        """Return the dashes of an n-th derivative."""
        return {0: "", 1: "′", 2: "″", 3: "‴"}.get(n, f"⁽{''.join(_HIGH[c] for c in str(n))}⁾")

    def often(self, n: int) -> str:
        """Return the exponent of a variable that is differentiated by n times."""
        return self.high(Num(Fraction(n), False)) if n > 1 else ""

    # ---------------------------------------------------------------- signs of this notation
    minus, take, plus, times, wide, dash, partial = "−", " − ", " + ", "·", " · ", "′", "∂"
    fraction_binds = PRODUCT

    def together(self, text: str) -> str:
        """Return what belongs together."""
        return text

    def brackets(self, text: str) -> str:
        """Return it in brackets."""
        return f"({text})"

    def bars(self, text: str) -> str:
        """Return the absolute value |a|."""
        return f"|{text}|"

    def digits(self, text: str) -> str:
        """Return a number's digits."""
        return text

    def name(self, text: str) -> str:
        """Return a user's name; a dot in brackets stands for what is inside a function."""
        if text == "·":
            return "(·)"
        stem, _, index = text.partition("_")
        if len(stem) == 1 and index.isascii() and index.isdigit():
            return stem + index.translate(_LOW)
        return printable(plain_name(text))

    def function(self, text: str) -> str:
        """Return a function's name."""
        return text

    def constant(self, text: str) -> str:
        """Return π or e."""
        return text

    def words(self, text: str) -> str:
        """Return a sentence as it is."""
        return text

    def sign(self, text: str) -> str:
        """Return a sign of comparison."""
        return f" {text} "

    def listed(self, parts: Sequence[str]) -> str:
        """Return parts with commas."""
        return ", ".join(parts)

    def over(self, a: str, b: str) -> str:
        """Return a fraction of what is in brackets already."""
        return f"{a}/{b}"

    def high(self, e: Term) -> str:
        """Return an exponent, raised."""
        text = Pen().write(e).replace("−", "-").replace(" ", "")
        if all(c in _HIGH for c in text):
            return "".join(_HIGH[c] for c in text)
        return f"^{Pen().at(e, ATOM)}"

    def raise_(self, base: str, e: Term) -> str:
        """Return a power."""
        return base + self.high(e)

    def root(self, t: Term) -> tuple[str, int]:
        """Return a square root."""
        simple = isinstance(t, (Name, Const)) or (isinstance(t, Num) and t.value.denominator == 1)
        return ("√" + (self.write(t) if simple else self.brackets(self.write(t)))), ATOM

    def cases(self, rows: Sequence[tuple[str, str, bool]]) -> str:
        """Return a case distinction."""
        return "{ " + ";  ".join(v + (" " if other else " for ") + c for v, c, other in rows) + " }"


class LatexPen(Pen):
    """The printer for LaTeX."""

    def dashes(self, n: int) -> str:
        return self.dash * n if n < 4 else f"^{{({n})}}"

    minus, take, plus, times, wide, dash, partial = "-", " - ", " + ", r" \cdot ", r" \cdot ", "'", r"\partial "
    fraction_binds = ATOM

    def brackets(self, text: str) -> str:
        return rf"\left({text}\right)"

    def bars(self, text: str) -> str:
        return rf"\left|{text}\right|"

    def name(self, text: str) -> str:
        if text == "·":
            return r"(\cdot)"
        latex = latex_name(text)
        return latex if len(latex) == 1 else f"{{{latex}}}"

    def function(self, text: str) -> str:
        if text in _KNOWN:
            return f"\\{text}"
        return rf"\operatorname{{{latex_letters(text)}}}" if len(text) > 1 else latex_name(text)

    def constant(self, text: str) -> str:
        return _LATEX_SIGNS[text]

    def words(self, text: str) -> str:
        return rf"\text{{{text}}}"

    def sign(self, text: str) -> str:
        return f" {_LATEX_SIGNS[text]} "

    def over(self, a: str, b: str) -> str:
        return rf"\frac{{{a}}}{{{b}}}"

    def high(self, e: Term) -> str:
        return f"^{{{self.write(e)}}}"

    def root(self, t: Term) -> tuple[str, int]:
        return rf"\sqrt{{{self.write(t)}}}", ATOM

    def exponential(self, e: Term) -> tuple[str, int]:
        return f"e{self.high(e)}", POWER

    def cases(self, rows: Sequence[tuple[str, str, bool]]) -> str:
        body = r" \\ ".join(v + " & " + (c if other else rf"\text{{for }} {c}") for v, c, other in rows)
        return rf"\begin{{cases}} {body} \end{{cases}}"


class MathPen(Pen):
    """The printer for MathML."""

    def dashes(self, n: int) -> str:
        return self.dash * n

    minus, take, plus = markup.mo("−"), markup.mo("−"), markup.mo("+")
    times = wide = markup.mo("·")
    dash, partial = markup.DASH, '<mo rspace="0" lspace="0">∂</mo>'
    fraction_binds = ATOM

    def together(self, text: str) -> str:
        return markup.row(text, "")

    def brackets(self, text: str) -> str:
        return markup.fenced(text)

    def bars(self, text: str) -> str:
        return markup.fenced(text, "|", "|")

    def digits(self, text: str) -> str:
        return markup.mn(text)

    def name(self, text: str) -> str:
        return markup.name(text)

    def function(self, text: str) -> str:
        return markup.mi(text)

    def constant(self, text: str) -> str:
        return markup.mi(text)

    def words(self, text: str) -> str:
        return f"<mtext>{text.replace(' ', '&#xa0;')}</mtext>"

    def sign(self, text: str) -> str:
        return markup.mo(text)

    def listed(self, parts: Sequence[str]) -> str:
        return markup.listed(parts)

    def over(self, a: str, b: str) -> str:
        return markup.fraction(markup.row(a, ""), markup.row(b, ""))

    def call(self, t: Apply, high: str) -> str:
        function, *args = t.args
        name = self.function(word(function))
        name = markup.power(name, high) if high else name
        return markup.row(name, markup.fenced(self.listed([self.write(a) for a in args])))

    def _prime(self, t: Prime) -> tuple[str, int]:
        return markup.row(super()._prime(t)[0], ""), POWER

    def _label(self, t: Label) -> tuple[str, int]:
        name, by, _ = t.args
        if isinstance(by, int):
            return super()._label(t)
        d = [self.partial, markup.name(name)]
        if len(by) > 1:
            d[0] = markup.power(markup.mo("∂"), markup.mn(str(len(by))))
        below = [
            markup.row(self.partial, markup.power(self.name(v), markup.mn(str(n))) if n > 1 else self.name(v))
            for v, n in _runs(by)
        ]
        return markup.fraction(markup.row(*d), markup.row(*below, "")), PRODUCT

    def high(self, e: Term) -> str:
        return markup.row(self.write(e), "")

    def raise_(self, base: str, e: Term) -> str:
        return markup.power(markup.row(base, ""), self.high(e))

    def root(self, t: Term) -> tuple[str, int]:
        return f"<msqrt>{self.write(t)}</msqrt>", ATOM

    def exponential(self, e: Term) -> tuple[str, int]:
        return markup.power(markup.mi("e"), self.high(e)), POWER

    def cases(self, rows: Sequence[tuple[str, str, bool]]) -> str:
        return markup.cases([(v, None if other else c) for v, c, other in rows])


def mul_raw(t: Term) -> Term:
    """Return −t for a term that is written with a minus, its factors as they stand."""
    n, _ = coefficient(t)
    if isinstance(t, Num):
        return Num(-t.value, t.args[1])
    if isinstance(t, Quotient):
        return Quotient(mul_raw(t.args[0]), t.args[1])
    rest = factors(t)[1:]
    if n.value == -1:
        return rest[0] if len(rest) == 1 else Product(*rest)
    return Product(Num(-n.value, n.args[1]), *rest)


def _beside(a: Term, b: Term) -> bool:
    """Whether two factors stand beside each other without a sign: 2x, 2π."""
    base = b.args[0] if isinstance(b, Power) and b.args[1] != HALF else b
    short = isinstance(base, Const) or (isinstance(base, Name) and len(base.args[0].partition("_")[0]) == 1)
    return (isinstance(a, Num) and a.value.denominator == 1 and short) or (isinstance(a, Num) and a.decimal and short)


def _runs(by: tuple[str, ...]) -> list[tuple[str, int]]:
    return [(v, by.count(v)) for v in dict.fromkeys(by)]


TEXT, LATEX, MATHML = Pen(), LatexPen(), MathPen()


def text(t: Term) -> str:
    """Return a formula as one line of text."""
    return TEXT.write(t)
