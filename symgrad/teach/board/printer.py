"""One way through a formula, and three notations: text for a blackboard, LaTeX, MathML."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from symgrad.expression import markup
from symgrad.expression.arithmetic import HALF, apply, coefficient, factors, num
from symgrad.expression.formula import (
    Both,
    Call,
    Cases,
    Compare,
    Formula,
    Label,
    Letter,
    Name,
    Number,
    Otherwise,
    Power,
    Prime,
    Product,
    Quotient,
    Sum,
)
from symgrad.scalars import SCALARS
from symgrad.support.foreign import latex_letters, latex_name, plain_name, printable

SUM, PRODUCT, POWER, ATOM = range(4)
_WORDS = {"log": "ln"}
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


def word(function: str) -> str:
    """Return what a function is called."""
    if function in _WORDS:
        return _WORDS[function]
    return SCALARS[function].text if function in SCALARS else function.lower()


class Pen:
    """Text, as one writes it in a line."""

    def write(self, t: Formula) -> str:
        """Return the formula."""
        return self.at(t, SUM)

    def at(self, t: Formula, level: int) -> str:
        """Return the formula, in brackets where it binds less than ``level``."""
        text, own = self.term(t)
        return self.brackets(text) if own < level else text

    def term(self, t: Formula) -> tuple[str, int]:
        """Return the formula, and how strongly it binds."""
        method: Any = getattr(self, f"_{type(t).__name__.lower()}")
        formula: tuple[str, int] = method(t)
        return formula

    # ---------------------------------------------------------------- numbers and names
    def _number(self, t: Number) -> tuple[str, int]:
        value = t.value
        if t.has_point or value.denominator == 1:
            text = self.digits(f"{float(value):.12g}" if t.has_point else str(abs(value)))
            return (f"{self.minus}{text.lstrip('-')}", SUM) if value < 0 else (text, ATOM)
        text = self.over(self.digits(str(abs(value.numerator))), self.digits(str(value.denominator)))
        return (f"{self.minus}{text}", SUM) if value < 0 else (text, self.fraction_binds)

    def _letter(self, t: Letter) -> tuple[str, int]:
        return self.constant(t.sign), ATOM

    def _name(self, t: Name) -> tuple[str, int]:
        return self.name(t.id), ATOM

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
        if isinstance(n, Number) and n.value < 0:
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
        above, below = t.numerator, t.denominator
        n, _ = coefficient(above)
        if n.value < 0:
            return self.together(self.minus + self.term(Quotient(mul_raw(above), below))[0]), SUM
        if self.fraction_binds == ATOM:
            return self.over(self.write(above), self.write(below)), ATOM
        return self.over(self.at(above, PRODUCT), self.at(below, POWER)), PRODUCT

    def _power(self, t: Power) -> tuple[str, int]:
        base, e = t.base, t.exponent
        if e == HALF:
            return self.root(base)
        if isinstance(base, Call) and isinstance(e, Number) and e.value.denominator == 1 and self.plain(base):
            return self.call(base, self.high(e)), ATOM
        rooted = isinstance(base, Call) or (isinstance(base, Power) and base.exponent == HALF)
        return self.raise_(self.brackets(self.write(base)) if rooted else self.at(base, ATOM), e), POWER

    def plain(self, t: Call) -> bool:
        """Whether a power may stand behind the function's name."""
        return t.name not in ("exp", "abs") and len(t.args) == 1

    def _call(self, t: Call) -> tuple[str, int]:
        if t.name == "abs":
            return self.bars(self.write(t.args[0])), ATOM
        if t.name == "exp":
            return self.exponential(t.args[0])
        return self.call(t, ""), ATOM

    def exponential(self, e: Formula) -> tuple[str, int]:
        """Return e to a power."""
        return self.call(apply("exp", e), ""), ATOM

    def call(self, t: Call, high: str) -> str:
        """Return f(a, b)."""
        return self.function(word(t.name)) + high + self.brackets(self.listed([self.write(a) for a in t.args]))

    def _compare(self, t: Compare) -> tuple[str, int]:
        return self.together(self.write(t.left) + self.sign(t.op) + self.write(t.right)), SUM

    def _both(self, t: Both) -> tuple[str, int]:
        first, *rest = t.args
        second = rest[0] if len(rest) == 1 else None
        if (
            isinstance(first, Compare)
            and isinstance(second, Compare)
            and (first.right, first.op) == (second.left, second.op)
        ):
            between = map(self.write, (first.left, first.right, second.right))  # a < b and b < c
            return self.together(self.sign(first.op).join(between)), SUM
        return self.together(self.words(" and ").join(map(self.write, t.args))), SUM

    def _cases(self, t: Cases) -> tuple[str, int]:
        return self.cases([(self.write(v), self.write(c), isinstance(c, Otherwise)) for v, c in t.rows]), ATOM

    def _prime(self, t: Prime) -> tuple[str, int]:
        a = t.operand
        bare = isinstance(a, Name) or (isinstance(a, Call) and a.name == "abs")
        return (self.write(a) if bare else self.brackets(self.write(a))) + self.dash, POWER

    def _label(self, t: Label) -> tuple[str, int]:
        name, by, of = t.name, t.by, t.of
        if isinstance(by, int):
            given = [self.name(a) if isinstance(a, str) else self.write(a) for a in of]
            called = self.brackets(self.listed(given)) if of else ""
            return self.together(self.name(name) + self.dashes(by) + called), ATOM
        order = self.high(num(len(by))) if len(by) > 1 else ""
        below = [self.partial + self.name(v) + self.often(n) for v, n in _runs(by)]
        return self.over(self.partial + order + self.name(name), self.together("".join(below))), PRODUCT

    def dashes(self, n: int) -> str:
        """Return the dashes of an n-th derivative."""
        return {0: "", 1: "′", 2: "″", 3: "‴"}.get(n, f"⁽{''.join(_HIGH[c] for c in str(n))}⁾")

    def often(self, n: int) -> str:
        """Return the exponent of a variable that is differentiated by n times."""
        return self.high(num(n)) if n > 1 else ""

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

    def high(self, e: Formula) -> str:
        """Return an exponent, raised."""
        text = Pen().write(e).replace("−", "-").replace(" ", "")
        if all(c in _HIGH for c in text):
            return "".join(_HIGH[c] for c in text)
        return f"^{Pen().at(e, ATOM)}"

    def raise_(self, base: str, e: Formula) -> str:
        """Return a power."""
        return base + self.high(e)

    def root(self, t: Formula) -> tuple[str, int]:
        """Return a square root."""
        simple = isinstance(t, (Name, Letter)) or (isinstance(t, Number) and t.value.denominator == 1)
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

    def high(self, e: Formula) -> str:
        return f"^{{{self.write(e)}}}"

    def root(self, t: Formula) -> tuple[str, int]:
        return rf"\sqrt{{{self.write(t)}}}", ATOM

    def exponential(self, e: Formula) -> tuple[str, int]:
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

    def call(self, t: Call, high: str) -> str:
        name = self.function(word(t.name))
        name = markup.power(name, high) if high else name
        return markup.row(name, markup.fenced(self.listed([self.write(a) for a in t.args])))

    def _prime(self, t: Prime) -> tuple[str, int]:
        return markup.row(super()._prime(t)[0], ""), POWER

    def _label(self, t: Label) -> tuple[str, int]:
        name, by = t.name, t.by
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

    def high(self, e: Formula) -> str:
        return markup.row(self.write(e), "")

    def raise_(self, base: str, e: Formula) -> str:
        return markup.power(markup.row(base, ""), self.high(e))

    def root(self, t: Formula) -> tuple[str, int]:
        return f"<msqrt>{self.write(t)}</msqrt>", ATOM

    def exponential(self, e: Formula) -> tuple[str, int]:
        return markup.power(markup.mi("e"), self.high(e)), POWER

    def cases(self, rows: Sequence[tuple[str, str, bool]]) -> str:
        return markup.cases([(v, None if other else c) for v, c, other in rows])


def mul_raw(t: Formula) -> Formula:
    """Return −t for a term that is written with a minus, its factors as they stand."""
    n, _ = coefficient(t)
    if isinstance(t, Number):
        return Number(-t.value, t.decimal)
    if isinstance(t, Quotient):
        return Quotient(mul_raw(t.numerator), t.denominator)
    rest = factors(t)[1:]
    if n.value == -1:
        return rest[0] if len(rest) == 1 else Product(*rest)
    return Product(Number(-n.value, n.decimal), *rest)


def _beside(a: Formula, b: Formula) -> bool:
    """Whether two factors stand beside each other without a sign: 2x, 2π."""
    base = b.base if isinstance(b, Power) and b.exponent != HALF else b
    short = isinstance(base, Letter) or (isinstance(base, Name) and len(base.id.partition("_")[0]) == 1)
    return isinstance(a, Number) and short and (a.value.denominator == 1 or a.has_point)


def _runs(by: tuple[str, ...]) -> list[tuple[str, int]]:
    return [(v, by.count(v)) for v in dict.fromkeys(by)]


TEXT, LATEX, MATHML = Pen(), LatexPen(), MathPen()


def text(t: Formula) -> str:
    """Return a formula as one line of text."""
    return TEXT.write(t)
