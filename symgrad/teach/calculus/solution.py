"""One derivative by one variable, line by line, as it is worked out on a board: the outermost rule first."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from itertools import pairwise
from typing import Any

import numpy as np
import sympy as sp

from symgrad.core.kernels import array_kernel
from symgrad.expression.arithmetic import (
    MINUS,
    ONE,
    TWO,
    ZERO,
    add,
    apply,
    base_and_exponent,
    coefficient,
    div,
    factors,
    is_num,
    mul,
    neg,
    num,
    over_and_under,
    power,
    put,
    terms,
)
from symgrad.expression.formula import (
    Call,
    Cases,
    Formula,
    Label,
    Name,
    Number,
    Power,
    Prime,
    Product,
    Quotient,
    Sum,
)
from symgrad.expression.printer import handwritten
from symgrad.teach.board.line import Equation, Line
from symgrad.teach.board.reading import to_sympy
from symgrad.teach.board.tidy import tidy
from symgrad.teach.calculus.letters import Letters
from symgrad.teach.calculus.remarks import kinks, solved_cases
from symgrad.teach.calculus.rules import (
    BLANK,
    as_powers,
    by_cases_only,
    chain,
    constant_factor,
    function_quotes,
    has_power,
    is_easy,
    many_powers,
    outer_quote,
    outer_word,
    power_quote,
    product_quote,
    quotient_quote,
)
from symgrad.teach.calculus.simplify import cleared, measure, simplified
from symgrad.teach.calculus.slopes import Slopes, by_cases, logarithm, of_size

WIDE = 62  # signs of a formula with dashes that is written before it is worked out
WIDTH = 70  # signs of two formulas that stand in one line
TIMES = {1: "", 2: " twice", 3: " three times"}


class Solution:
    """The lines from f to its derivative.

    Args:
        f: the function.
        x: the variable.
        d: what its derivative is called.
        taken: names that no part may have.
        goal: the derivative in SymPy's classes, as symgrad prints it, or None.
        at: returns symgrad's derivative at a number x, or None.
        quoted: names of rules that were quoted before.

    Attributes:
        lines: what is said.
        result: the derivative.
    """

    def __init__(
        self,
        f: Formula,
        x: str,
        d: Label,
        taken: Sequence[str],
        goal: Any = None,
        at: Callable[[float], float | None] | None = None,
        quoted: set[str] | None = None,
    ) -> None:
        self.f, self.x, self.d, self._goal, self._at = f, x, d, goal, at
        self._slopes = Slopes(x)
        self._letters = Letters(taken)
        self._quoted: set[str] = set() if quoted is None else quoted
        self._sided: set[Formula] = set()
        self._spare: int | None = None
        self.lines: list[Line] = []
        self.result = self._solve()

    # ---------------------------------------------------------------- what is written
    def _why(self, *parts: Any) -> None:
        self.lines.append(Line("why", tuple(map(_formula, parts))))

    def _does(self, *equal: Formula) -> None:
        """Write the derivative and what it equals; what has no room stands on lines of its own."""
        distinct = [e for k, e in enumerate(equal) if k == 0 or handwritten(e) != handwritten(equal[k - 1])]
        first, room = [self.d, distinct[0]], WIDTH - len(handwritten(self.d)) - len(handwritten(distinct[0]))
        beside = len(distinct) > 1 and len(handwritten(distinct[1])) <= room
        if beside:
            first.append(distinct[1])
        self.lines.append(Line("does", (Equation(tuple(first)),)))
        for before, e in pairwise(distinct[beside:]):
            self._then(e)
            self._spare = len(self.lines) - 1 if _alike(before, e) else None

    def _then(self, e: Formula) -> None:
        self.lines.append(Line("then", (Equation((None, e)),)))

    def _quote(self, name: str, *quotes: tuple[Formula, Formula]) -> list[Any]:
        """Return a rule's name, and the first time what it says."""
        if name in self._quoted:
            return [name]
        self._quoted.add(name)
        return [name, *[p for k, q in enumerate(quotes) for p in (", " if k else " ", q)]]

    # ---------------------------------------------------------------- which rule
    def _solve(self) -> Formula:
        f, slopes = self.f, self._slopes
        if not slopes.depends(f):
            self._why("a constant has the derivative 0:")
            self._does(ZERO)
            return ZERO
        split = f if isinstance(f, Cases) else possible(by_cases(f)) if isinstance(f, Call) else None
        derivative = self._cases(split) if split is not None else self._rule()
        steps = list(simplified(derivative, [self.f, derivative], self._goal))
        if steps and self._spare == len(self.lines) - 1:
            self.lines.pop()  # the same with its factors in another order
        for step in steps:
            self._why(*step.reason)
            self._then(step.result)
            derivative = step.result
        solved = solved_cases(derivative, self.x)
        if solved != derivative:
            self._then(solved)
        self._remark_kinks(solved)
        return solved

    def _rule(self) -> Formula:
        f, slopes = self.f, self._slopes
        powers = as_powers(f, slopes)
        if powers != f and isinstance(powers, Quotient):  # which the power rule begins with
            self.f = f = powers
        elif powers != f:
            self._why("write as powers:")
            label = Label(self.d.name, 0, (self.x,)) if isinstance(self.d.by, int) else Name(self.d.name)
            self.lines.append(Line("does", (Equation((label, powers)),)))
            self.f = f = powers
        if is_easy(f, slopes):
            return self._easy()
        if isinstance(f, Sum):
            return self._sum(ONE, f)
        if (factored := many_powers(f, slopes)) is not None:
            return self._by_logarithms(factored)
        if isinstance(f, Quotient) and slopes.depends(f.denominator) and slopes.depends(f.numerator):
            return self._quotient()
        c, core = constant_factor(f, slopes)
        if isinstance(core, Sum):
            return self._sum(c, core)
        if isinstance(core, Product):
            return self._product(c, core)
        if isinstance(core, Power) and all(map(slopes.depends, core.operands)):
            return self._logarithmic(c, core)
        outers, inner = chain(core, slopes)
        if outers:
            return self._chain(c, outers, inner)
        return self._general()

    # ---------------------------------------------------------------- sums
    def _easy(self) -> Formula:
        """Differentiate c·xⁿ + c·sin(x) + … in one line."""
        f = self.f
        if isinstance(f, Quotient) and not self._slopes.depends(f.numerator):
            return self._negative_power(f)
        derivative = tidy(self._slopes.of(f))
        c, core = constant_factor(f, self._slopes)
        if isinstance(core, Sum) and c != ONE:
            self._why(*_staying(c), *self._term_rules(core), ":")
        else:
            self._why(*self._term_rules(f), ":")
        self._does(derivative)
        return derivative

    def _term_rules(self, f: Formula) -> list[Any]:
        """Say which rules the terms need."""
        x = self.x
        rules: list[Any] = ["term by term"] if isinstance(f, Sum) else []
        if has_power(f, x):
            rules += [*([", "] if rules else []), *self._quote("power rule", power_quote(x))]
        new = [q for q in function_quotes(f, x) if handwritten(q[0]) not in self._quoted]
        for q in new[:3]:
            self._quoted.add(handwritten(q[0]))
            rules += [", " if rules else "", q]
        if any(
            isinstance(p, Call) and p.args[0] != Name(x)
            for t in terms(f)
            for p in factors(over_and_under(t)[0])
            if x in p.free and of_size(p) != Name(x)
        ):
            rules += [", chain rule" if rules else "chain rule"]
        if not rules and new != (known := function_quotes(f, x)):
            return [known[0]]
        c = Name("c" if x != "c" else "k")
        return rules or ["constant factor rule ", (Prime(Product(c, Name(x))), c)]

    def _negative_power(self, f: Quotient) -> Formula:
        """Differentiate c/xⁿ as c·x⁻ⁿ."""
        c, core = constant_factor(Quotient(ONE, f.denominator), self._slopes)
        base, n = base_and_exponent(over_and_under(core)[1])
        c = mul(f.numerator, c)
        e = neg(n)
        as_power = _product_of(c, Power(base, e))
        self._why("write as a power: ", (as_power,), ", ", *self._quote("power rule", power_quote(self.x)), ":")
        lower = add(e, MINUS)
        derivative = tidy(self._slopes.of(f))
        self._does(_product_of(mul(c, e), Power(base, lower)), derivative)
        return derivative

    def _sum(self, c: Formula, f: Sum) -> Formula:
        """Differentiate c·(u + v + …), the terms that need a rule of their own first."""
        hard = [t for t in f.args if not is_easy(t, self._slopes)]
        easy = [t for t in f.args if is_easy(t, self._slopes) and self._slopes.depends(t)]
        rules = self._term_rules(Sum(*easy)) if easy else ["term by term"]
        self._why(*_staying(c), *rules, ":")
        for t in hard:
            self._side(t)
        raw = _raw_sum([g for t in f.args for g in terms(tidy(self._slopes.of(t)))])
        derivative = tidy(mul(c, raw))
        self._does(_product_of(c, raw), derivative)
        return derivative

    # ---------------------------------------------------------------- products and quotients
    def _named(self, parts: Sequence[Formula]) -> tuple[list[Name], list[Any]]:
        """Return letters for parts, and the words that introduce them."""
        letters = [self._letters.next() for _ in parts]
        words: list[Any] = [" with "]
        for k, (a, p) in enumerate(zip(letters, parts, strict=True)):
            words += [", " if k else "", (a, p)]
        return letters, words

    def _product(self, c: Formula, core: Product) -> Formula:
        parts = list(core.args)
        if isinstance(parts[0], Sum) or is_num(c, -1):
            front = c
        else:
            parts[0], front = mul(c, parts[0]), ONE
        letters, words = self._named(parts)
        many = len(parts) > 3
        rule = ["product rule, each factor in turn,"] if many else self._quote("product rule", product_quote(letters))
        self._why(*rule, *words, ":")
        before = Sum(*[_product_of(*parts[:k], Prime(p), *parts[k + 1 :]) for k, p in enumerate(parts)])
        for a, p in zip(letters, parts, strict=True):
            self._side(p, a)
        ds = [tidy(self._slopes.of(p)) for p in parts]
        summands = [_product_of(*parts[:k], d, *parts[k + 1 :]) for k, d in enumerate(ds)]
        raw = _raw_sum(summands)
        shown = [_product_of(front, e) for e in (before, raw) if not many and measure(before) < 2 * WIDE]
        shown = shown[measure(before) >= WIDE :]
        derivative = tidy(_product_of(front, raw))
        self._does(*shown, derivative)
        return derivative

    def _quotient(self) -> Formula:
        u, v = self.f.operands
        (a, b), words = self._named([u, v])
        self._why(*self._quote("quotient rule", quotient_quote(a, b)), *words, ":")
        self._side(u, a)
        self._side(v, b)
        du, dv = (tidy(self._slopes.of(p)) for p in (u, v))
        top = _raw_sum([_product_of(du, v), _minus(_product_of(u, dv))])
        raw = Quotient(top, power(v, TWO))
        derivative = tidy(raw)
        self._does(raw, derivative)
        return derivative

    # ---------------------------------------------------------------- chains
    def _chain(self, c: Formula, outers: Sequence[Formula], inner: Formula) -> Formula:
        hard = not is_easy(inner, self._slopes)
        u = self._letters.next() if len(outers) == 1 or hard else None
        self._why(*self._chain_words(outers, u), (inner,) if u is None else (u, inner), ":")
        self._side(inner, u)
        slopes = self._outer_slopes(outers, inner)
        d = tidy(self._slopes.of(inner))
        derivative = tidy(mul(c, *slopes, d))
        if len(outers) > 1 or hard:
            self._does(_product_of(c, *slopes, d), derivative)
        else:
            before = mul(c, *slopes, Prime(inner))
            self._does(*[before] * (measure(before) < WIDE), derivative)
        return derivative

    def _chain_words(self, outers: Sequence[Formula], u: Name | None) -> list[Any]:
        """Name the outer functions; of a power, a root and a reciprocal, quote the rule."""
        if u is not None and len(outers) == 1 and (quote := outer_quote(outers[0], u)) is not None:
            return [*self._quote(quote[0], quote[1]), " with "]
        words: list[Any] = []
        for k, outer in enumerate(outers):
            w = outer_word(outer)
            words += [", outside " if k == 0 else ", then ", w if isinstance(w, str) else (w,)]
        return [f"chain rule{TIMES.get(len(outers), f', {len(outers)} functions')}", *words, ", inside "]

    def _outer_slopes(self, outers: Sequence[Formula], inner: Formula) -> list[Formula]:
        """Return the derivative of each outer function at what is inside it."""
        inside, derivatives = inner, []
        for outer in reversed(outers):
            d = Slopes(BLANK.id).of(outer)
            derivatives.append(put(d, {BLANK: inside}))
            inside = put(outer, {BLANK: inside})
        return derivatives[::-1]

    def _logarithmic(self, c: Formula, core: Power) -> Formula:
        """Differentiate a power whose exponent moves too, through its logarithm."""
        b, e = core.operands
        inside = mul(e, logarithm(b))
        f = self.d.name if isinstance(self.d.by, int) else "f"
        f_, df = (Name(f), Prime(Name(f)))
        if c != ONE:
            f_ = self._letters.next()
            self._why("the factor ", (c,), " stays; for ", (f_, core), ":")
            df = Prime(f_)
        self._why("take logarithms: ", (apply("log", f_), inside), ", differentiate both sides (product rule):")
        for p in (e, logarithm(b)):
            self._side(p)
        raw = _raw_sum([
            _product_of(tidy(self._slopes.of(e)), logarithm(b)), _product_of(e, tidy(self._slopes.of(logarithm(b)))),
        ])  # fmt: skip
        d = tidy(raw)
        self.lines.append(Line("does", (Equation((Quotient(df, f_), *dict.fromkeys((raw, d)))),)))
        for step in cleared(d, [self.f]):
            self._why(*step.reason)
            self._then(step.result)
            d = step.result
        derivative = mul(c, core, d)
        self._does(derivative)
        return derivative

    def _by_logarithms(self, factored: Sequence[tuple[Formula, Formula]]) -> Formula:
        """Differentiate a product of powers through its logarithm: f′/f is a sum."""
        f = Name(self.d.name if isinstance(self.d.by, int) else "f")
        sizes = add(*[mul(e, apply("log", apply("abs", b))) for b, e in factored])
        self._why("take logarithms: ", (apply("log", apply("abs", f)), sizes), ", differentiate both sides:")
        for b, _ in factored:
            self._side(b)
        d = add(*[mul(e, div(tidy(self._slopes.of(b)), b)) for b, e in factored])
        self.lines.append(Line("does", (Equation((Quotient(Prime(f), f), d)),)))
        derivative = mul(self.f, d) if not isinstance(self.f, Quotient) else _product_of(self.f, d)
        self._does(derivative)
        return derivative

    def _general(self) -> Formula:
        """Differentiate a function of several arguments that move: each partial derivative by the argument's own."""
        self._why("chain rule, one part for each argument:")
        for a in self.f.operands:
            if self._slopes.depends(a):
                self._side(a)
        derivative = tidy(self._slopes.of(self.f))
        self._does(derivative)
        return derivative

    # ---------------------------------------------------------------- a part of a formula
    def _side(self, t: Formula, letter: Name | None = None) -> None:
        """Work out the derivative of a part that is not written down at once."""
        if is_easy(t, self._slopes) or t in self._sided:
            return
        self._sided.add(t)
        rule, parts = self._rule_of(t)
        for p in parts:
            self._side(p)
        d = tidy(self._slopes.of(t))
        left = Prime(letter if letter is not None else t)
        shorter = d
        if rule == "quotient rule":
            for step in simplified(d, [self.f]):
                shorter = step.result
            self._slopes.know(t, shorter)
        self.lines.append(Line("side", (Equation((left, *dict.fromkeys((d, shorter)))),), None, rule))

    def _rule_of(self, t: Formula) -> tuple[str, list[Formula]]:
        """Return the rule of a part, and the parts that it goes on with."""
        slopes = self._slopes
        if isinstance(t, Sum):
            return "term by term", list(t.args)
        if isinstance(t, Quotient) and all(map(slopes.depends, t.operands)):
            return "quotient rule", list(t.operands)
        _, core = constant_factor(t, slopes)
        if isinstance(core, Product):
            return "product rule", list(core.args)
        if isinstance(core, Power) and all(map(slopes.depends, core.operands)):
            return "through the logarithm", [core.exponent, logarithm(core.base)]
        if isinstance(core, Cases):
            return "by cases", [value for value, _ in core.rows]
        if isinstance(core, Call) and by_cases_only(core) is not None:
            return "by cases", list(core.args)
        outers, inner = chain(core, slopes)
        if not outers:
            return "chain rule", []
        return f"chain rule, inside {handwritten(inner)}", [inner]

    # ---------------------------------------------------------------- cases and kinks
    def _cases(self, split: Cases) -> Formula:
        if split is self.f:
            self._why("case by case:")
        else:
            self._why("by cases: ", (self.f, split), ":")
        for v, _ in split.rows:
            self._side(v)
        derivative = tidy(self._slopes.of(split))
        self._does(derivative)
        return derivative

    def _remark_kinks(self, derivative: Formula) -> None:
        for t, points in kinks(self.f, self.x):
            self.lines.extend(self._kinks(derivative, sorted(points or [], key=_size)))
            if points is None and self.f.size < 40:
                self.lines.append(Line("remark", (Equation((t,)), " has a kink where its cases meet.")))

    def _kinks(self, derivative: Formula, points: Sequence[Formula]) -> Iterator[Line]:
        """Compare the slopes on both sides of each point; points that have the same to say share a line."""
        alike: dict[tuple[bool, bool], list[tuple[Formula, float | None]]] = {}
        for p in points:
            found_ = self._kink(derivative, p)
            if found_ is not None:
                value, middle = found_
                alike.setdefault((value is not None, middle), []).append((p, value))
        for (known, middle), there in alike.items():
            one = len(there) == 1
            said: list[Any] = ["At ", *_listed([Equation((Name(self.x), p)) for p, _ in there])]
            said.append(f" there {'is a kink' if one else 'are kinks'} and no derivative")
            if known:
                values = dict.fromkeys(Equation((_short(v),)) for _, v in there if v is not None)
                what = "; symgrad's value there is " if len(values) == 1 else "; symgrad's values there are "
                said += [what, *_listed(list(values))]
                said += [", the middle of the slopes on either side"] * middle
            yield Line("remark", (*said, "."))

    def _kink(self, derivative: Formula, point: Formula) -> tuple[float | None, bool] | None:
        """Return symgrad's value at a kink, and whether it is the middle of the slopes; None where there is no kink.

        Of a point with other names in it there are no numbers.
        """
        if point.free:
            return None, False
        where = float(sp.N(to_sympy(point)))
        left, right = (_value(derivative, self.x, where + h) for h in (-1e-7, 1e-7))
        if left is None or right is None or abs(left - right) < 1e-5 * (1 + abs(left)):
            return None
        value = self._at(where) if self._at is not None and isinstance(point, Number) else None
        if value is None or not np.isfinite(value):
            return None, False
        return value, abs(value - (left + right) / 2) < 1e-5


def _listed(parts: Sequence[Any]) -> list[Any]:
    """Return the parts with commas between them, and a word before the last."""
    last = len(parts) - 1
    return [w for k, p in enumerate(parts) for w in (["" if k == 0 else " and " if k == last else ", ", p])]


def _size(point: Formula) -> float:
    return 0.0 if point.free else float(sp.N(to_sympy(point)))


def possible(split: Cases | None) -> Cases | None:
    """Return a case distinction without the cases that no number has, such as x² < 0."""
    if split is None:
        return None
    kept = [(v, c) for v, c in split.rows if to_sympy(c) is not sp.false]
    return Cases(*[part for row in kept for part in row]) if kept else split


# ------------------------------------------------------------------ products as they are first written
def _staying(c: Formula) -> list[Any]:
    """Say that a constant factor is not differentiated."""
    return [] if c == ONE else ["the minus sign stays; "] if c == MINUS else ["the factor ", (c,), " stays; "]


def _alike(a: Formula, b: Formula) -> bool:
    """Whether two formulas that are equal differ in the order of their terms and factors at most."""
    signs = [sorted(c for c in handwritten(t) if c not in "+ ") for t in (a, b)]
    return signs[0] == signs[1]


def _formula(p: Any) -> Any:
    return Equation(p) if isinstance(p, tuple) else p


def _product_of(*parts: Formula) -> Formula:
    """Return a product whose factors stay where they are; ones are left out."""
    if any(is_num(p, 0) for p in parts):
        return ZERO
    whole = 1 if all(coefficient(p)[0] == ONE for p in parts[1:]) else 0  # a number alone needs no brackets
    flat = [
        g for k, p in enumerate(parts) if not is_num(p, 1) for g in ([p] if k >= whole and _stays(p) else factors(p))
    ]
    kept = (
        sorted(flat, key=lambda p: not isinstance(p, Number)) if sum(isinstance(p, Number) for p in flat) < 2 else flat
    )
    return ONE if not kept else kept[0] if len(kept) == 1 else Product(*kept)


def _stays(p: Formula) -> bool:
    """Whether a factor stands as one: 2x after a bracket, or with a minus in brackets."""
    return isinstance(p, Product) and isinstance(p.args[0], Number)


def _minus(t: Formula) -> Formula:
    if is_num(t):
        return neg(t)
    return Product(MINUS, *(t.args if isinstance(t, Product) and not _stays(t) else (t,)))


def _raw_sum(parts: Sequence[Formula]) -> Formula:
    kept = [p for p in parts if not is_num(p, 0) and not (isinstance(p, Product) and p.args[-1] == ZERO)]
    return ZERO if not kept else kept[0] if len(kept) == 1 else Sum(*kept)


def _value(t: Formula, x: str, at: float) -> float | None:
    if t.free - {x}:
        return None
    with np.errstate(all="ignore"):
        return float(np.ravel(array_kernel(to_sympy(t), (sp.Symbol(x, real=True),))(np.asarray([at])))[0])


def _short(value: float) -> Formula:
    return num(int(value)) if float(value).is_integer() else num(Fraction(repr(value)), True)
