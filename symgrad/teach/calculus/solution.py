"""One derivative with respect to one variable, line by line as on a board: the outermost rule first."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import sympy as sp

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
    over_and_under,
    power,
    put,
    terms,
)
from symgrad.expression.formula import (
    Call,
    Cases,
    Compare,
    Formula,
    Label,
    Name,
    Number,
    Power,
    Prime,
    Product,
    Quotient,
    Sum,
    walk,
)
from symgrad.expression.printer import handwritten, text
from symgrad.teach.board.line import Equation
from symgrad.teach.board.reading import to_sympy
from symgrad.teach.board.tidy import tidy
from symgrad.teach.calculus.intervals import written_number
from symgrad.teach.calculus.letters import Letters
from symgrad.teach.calculus.logarithms import condition, know_logarithms, logarithm_of, quotes, taken_apart
from symgrad.teach.calculus.meetings import holes, meeting_at, meetings, meetings_of, size_of
from symgrad.teach.calculus.pieces import by_intervals
from symgrad.teach.calculus.remarks import CONSTANT, STEPS, defined_on, jumps, kinks, left_out, swings
from symgrad.teach.calculus.rules import (
    BLANK,
    as_powers,
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
    rule_of,
)
from symgrad.teach.calculus.simplify import alike, as_one_fraction, cleared, measure, rewritten, simplified, why
from symgrad.teach.calculus.slopes import Slopes, by_cases, logarithm, of_size
from symgrad.teach.steps.lesson import (
    ClosedFormStep,
    CommonDenominator,
    ConstantRule,
    ConstantTimesRule,
    FactorOut,
    LessonStep,
    LogarithmicRule,
    Note,
    PiecewiseRule,
    QuotientRule,
    Rewriting,
    Rule,
    Simplify,
    SolveConditions,
    SolveForDerivative,
    TakeLogarithmsApart,
    WriteAsPowers,
    distinct,
)

WIDE = 62  # signs of a formula with dashes that is written before it is worked out
_BACK = ((FactorOut, "expand"), (CommonDenominator, "divide term by term"))  # steps with reasons that lead back
IDLE = ("−(a − b) = b − a", "collect terms")  # what no step is worth that makes nothing shorter
PUT_IN = ("substitute the parts:",)
TIMES = {1: "", 2: " twice", 3: " three times"}


class Printed(NamedTuple):
    """A derivative as ``sg.derive`` prints it.

    Attributes:
        formula: the formula, with names for some of its parts.
        where: the names with what they stand for, each before those that its own formula uses.
    """

    formula: Formula
    where: tuple[tuple[Formula, Formula], ...] = ()

    def __str__(self) -> str:
        named = [f"{text(name)} = {text(t)}" for name, t in self.where]
        return text(self.formula) + (f" where {'; '.join(named)}" if named else "")

    def put_in(self) -> Formula:
        """Return the formula without names."""
        whole = self.formula
        for name, t in self.where:
            whole = put(whole, {name: t})
        return whole

    def step(self, before: Formula, reason: tuple[Any, ...]) -> ClosedFormStep:
        """Return the step that ends in it."""
        end = self.formula
        return ClosedFormStep(before=before, after=end, reason=reason, written=(end,), where=self.where)


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
        printed: the derivative as ``sg.derive`` prints it, in which the steps end.

    Attributes:
        steps: the rules, the rewritings, and remarks on kinks.
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
        printed: Printed | None = None,
    ) -> None:
        self.f, self.x, self.d, self._goal, self._at, self._printed = f, x, d, goal, at, printed
        self._given = f  # which logarithms are not taken apart in
        self._slopes = Slopes(x)
        self._taken = taken
        self._letters = Letters(taken)
        self._quoted: set[str] = set() if quoted is None else quoted
        self._sided: set[Formula] = set()
        self.steps: list[LessonStep] = []
        self.result = self._solve()

    # ---------------------------------------------------------------- what is written
    def _derive(self, rule: Rule, why: Sequence[Any], *equal: Formula, left: Any = None) -> Formula:
        """Write a rule's step: why, and the derivative with what it equals."""
        reason, written = tuple(map(_formula, why)), distinct(equal)
        left = self.d if left is None else left
        self.steps.append(replace(rule, after=equal[-1], reason=reason, written=written, left=left))
        return equal[-1]

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
            return self._derive(ConstantRule(before=f, after=ZERO), ["a constant has the derivative 0:"], ZERO)
        split = tidy(f) if isinstance(f, (Sum, Product)) else possible(by_cases(f)) if isinstance(f, Call) else f
        derivative = self._cases(split) if isinstance(split, Cases) else self._rule()
        rewritings = self._without_detour(derivative, list(simplified(derivative, [self.f, derivative], self._goal)))
        if rewritings:
            self._drop_spare()
            self.steps += [replace(rewritings[0], before=self.steps[-1].after), *rewritings[1:]]
        derivative = rewritings[-1].after if rewritings else derivative
        solved = by_intervals(derivative, self.x, defined_on(self._given, self.x), self._joins(derivative))
        if solved != derivative:
            says = "solve the conditions:" if isinstance(derivative, Cases) else "interval by interval:"
            self.steps.append(SolveConditions(before=derivative, after=solved, reason=(says,), written=(solved,)))
        if solved == derivative or isinstance(solved, Cases):
            self._close(solved)
        self._remark_kinks(solved)
        return solved

    def _joins(self, derivative: Formula) -> Callable[[Any], bool]:
        """Return whether the derivative exists at a point, by the values and slopes on both sides."""
        return lambda p: meeting_at(self._given, derivative, self.x, written_number(p)).kind == "smooth"

    def _without_detour(self, derivative: Formula, rewritings: list[Rewriting]) -> list[Rewriting]:
        """Leave out rewritings from which the last step would lead back to what stood before them."""
        if self._printed is None or self._printed.where:
            return rewritings
        there = [alike(self._printed.formula, t) for t in (derivative, *[r.after for r in rewritings])]
        return rewritings[: there.index(True)] if any(there) else rewritings

    def _close(self, derivative: Formula) -> None:
        """End in what ``sg.derive`` prints: terms in its order, and another formula where it has one."""
        printed, last = self._printed, self.steps[-1]
        if printed is None or (not printed.where and handwritten(printed.formula) == handwritten(derivative)):
            return
        if last.written and not printed.where and alike(printed.formula, derivative):
            end = printed.formula
            self.steps[-1] = replace(last, after=end, written=(*last.written[:-1], end))
            return
        end = printed.put_in()
        if alike(end, derivative) or (isinstance(end, Cases) and isinstance(derivative, Cases)) or _has_ties(end):
            return  # what differs where the cases meet, a remark says
        if (type(last), why(derivative, end)) in _BACK:
            self.steps.pop()
            derivative = last.before
        says = why(derivative, end)
        if not printed.where and measure(end) > measure(derivative) - 3 and (says in IDLE or says.count(", ") > 1):
            return
        steps = [] if printed.where else rewritten(derivative, end, short=True)
        before, reason = (steps[-1].before, steps[-1].reason) if steps else (derivative, (f"{says}:",))
        self.steps += [*steps[:-1], printed.step(before, reason)]

    def _drop_spare(self) -> None:
        """Leave out the last formula of a rule where it has the one before in another order."""
        rule = self.steps[-1]
        if len(rule.written) > 1 and alike(*rule.written[-2:]):
            self.steps[-1] = replace(rule, written=rule.written[:-1], after=rule.written[-2])

    def _rule(self) -> Formula:
        f, slopes = self.f, self._slopes
        powers = as_powers(f, slopes)
        if powers != f and not isinstance(powers, Quotient):  # which the power rule begins with
            step = WriteAsPowers(before=f, after=powers, left=self._label, written=(powers,))
            self.steps.append(replace(step, reason=("write as powers:",)))
        self.f = f = self._logarithms_apart(powers)
        know_logarithms(f, slopes)
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
        why = ["chain rule, one part for each argument:"]
        return self._derive(self._part(f, line=False), why, tidy(slopes.of(f)))

    @property
    def _label(self) -> Formula:
        """What the function is called that is differentiated here: f(x), f′(x) or ∂f/∂x."""
        name, by = self.d.name, self.d.by
        if isinstance(by, int):
            return Label(name, by - 1, (self.x,))
        return Label(name, by[:-1]) if by[1:] else Name(name)

    def _logarithms_apart(self, f: Formula) -> Formula:
        """Use the laws of logarithms first, where they take f apart."""
        apart = taken_apart(f, self._slopes)
        if apart is None:
            return f
        letters = Letters(self._taken)
        u, v = letters.next(), letters.next()
        laws = quotes(apart, u, v, Name("n" if self.x != "n" else "k"))
        name = f"law{'s' * (len(laws) > 1)} of logarithms"
        new = [q for q in laws if handwritten(q[0]) not in self._quoted]
        self._quoted |= {handwritten(q[0]) for q in new}
        said = [name, *[w for k, q in enumerate(new) for w in (", " if k else " ", q)]]
        reason = (*map(_formula, said), f"{condition(apart, u, v) if new else ''}:")
        step = TakeLogarithmsApart(
            before=f, after=apart.formula, reason=reason, left=self._label, written=(apart.formula,), laws=tuple(laws)
        )
        self.steps.append(step)
        return apart.formula

    # ---------------------------------------------------------------- sums
    def _easy(self) -> Formula:
        """Differentiate c·xⁿ + c·sin(x) + … in one line."""
        f = self.f
        if isinstance(f, Quotient) and not self._slopes.depends(f.numerator):
            return self._negative_power(f)
        c, core = constant_factor(f, self._slopes)
        of_sum = isinstance(core, Sum) and c != ONE
        why = [*_staying(c), *self._term_rules(core), ":"] if of_sum else [*self._term_rules(f), ":"]
        return self._derive(self._part(f, line=False), why, tidy(self._slopes.of(f)))

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
            isinstance(p, Call) and Name(x) not in p.args
            for t in terms(f)
            for p in factors(over_and_under(t)[0])
            if x in p.free and of_size(p) != Name(x)
        ):
            rules += [", chain rule" if rules else "chain rule"]
        if not rules and new != (known := function_quotes(f, x)):
            return [known[0]]
        if not rules and f == Name(x):
            return ["identity rule ", (Prime(Name(x)), ONE)]
        c = Name("c" if x != "c" else "k")
        return rules or ["constant factor rule ", (Prime(Product(c, Name(x))), c)]

    def _negative_power(self, f: Quotient) -> Formula:
        """Differentiate c/xⁿ as c·x⁻ⁿ."""
        c, core = constant_factor(Quotient(ONE, f.denominator), self._slopes)
        base, n = base_and_exponent(over_and_under(core)[1])
        c, e = mul(f.numerator, c), neg(n)
        as_power = product_of(c, Power(base, e))
        why = ["write as a power: ", (as_power,), ", ", *self._quote("power rule", power_quote(self.x)), ":"]
        raw = product_of(mul(c, e), Power(base, add(e, MINUS)))
        return self._derive(self._part(f, line=False), why, raw, tidy(self._slopes.of(f)))

    def _sum(self, c: Formula, f: Sum) -> Formula:
        """Differentiate c·(u + v + …), the terms that need a rule of their own first."""
        easy = [t for t in f.args if is_easy(t, self._slopes) and self._slopes.depends(t)]
        rules = self._term_rules(Sum(*easy)) if easy else ["term by term"]
        rule = self._times(c, self._part(f, line=False))
        raw = raw_sum([g for t in f.args for g in terms(tidy(self._slopes.of(t)))])
        shown = [] if isinstance(c, Quotient) and c.numerator == ONE else [product_of(c, raw)]
        return self._derive(rule, [*_staying(c), *rules, ":"], *shown, tidy(mul(c, raw)))

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
        before = Sum(*[product_of(*parts[:k], Prime(p), *parts[k + 1 :]) for k, p in enumerate(parts)])
        step = self._times(front, self._part(Product(*parts), letters, line=False))
        ds = [tidy(self._slopes.of(p)) for p in parts]
        raw = raw_sum([product_of(*parts[:k], d, *parts[k + 1 :]) for k, d in enumerate(ds)])
        shown = [product_of(front, e) for e in (before, raw) if not many and measure(before) < 2 * WIDE]
        shown = shown[measure(before) >= WIDE :]
        return self._derive(step, [*rule, *words, ":"], *shown, tidy(product_of(front, raw)))

    def _quotient(self) -> Formula:
        u, v = self.f.operands
        letters, words = self._named([u, v])
        step = self._part(self.f, letters, line=False)
        du, dv = (tidy(self._slopes.of(p)) for p in (u, v))
        raw = Quotient(raw_sum([product_of(du, v), _minus(product_of(u, dv))]), power(v, TWO))
        why = [*self._quote("quotient rule", quotient_quote(*letters)), *words, ":"]
        return self._derive(step, why, raw, tidy(raw))

    # ---------------------------------------------------------------- chains
    def _chain(self, c: Formula, outers: Sequence[Formula], inner: Formula) -> Formula:
        hard = not is_easy(inner, self._slopes)
        u = self._letters.next() if len(outers) == 1 or hard else None
        why = [*self._chain_words(outers, u), (inner,) if u is None else (u, inner), *self._of_sizes(inner), ":"]
        core = constant_factor(self.f, self._slopes)[1]
        step = self._times(c, self._part(core, [] if u is None else [u], line=False))
        slopes = self._outer_slopes(outers, inner)
        d = tidy(self._slopes.of(inner))
        derivative = tidy(mul(c, *slopes, d))
        if len(outers) > 1 or hard:
            return self._derive(step, why, _in_turn(c, *slopes, d), derivative)
        before = mul(c, *slopes, Prime(inner))
        return self._derive(step, why, *[before] * (measure(before) < WIDE), derivative)

    def _chain_words(self, outers: Sequence[Formula], u: Name | None) -> list[Any]:
        """Name the outer functions; of a power, a root and a reciprocal, quote the rule."""
        if u is not None and len(outers) == 1 and (quote := outer_quote(outers[0], u)) is not None:
            return [*self._quote(quote[0], quote[1]), " with "]
        words: list[Any] = []
        for k, outer in enumerate(outers):
            w = outer_word(outer)
            words += [", outside " if k == 0 else ", then ", w if isinstance(w, str) else (w,)]
        return [f"chain rule{TIMES.get(len(outers), f', {len(outers)} functions')}", *words, ", inside "]

    def _of_sizes(self, inner: Formula) -> list[Any]:
        """Quote the derivative of |u| the first time that one is inside and has no line of its own."""
        sizes = [t for t in walk(inner) if isinstance(t, Call) and t.name == "abs" and of_size(inner) is None]
        if not any(map(self._slopes.depends, sizes)) or not is_easy(inner, self._slopes) or "|u|" in self._quoted:
            return []
        self._quoted.add("|u|")
        v = self._letters.next()
        slope = Product(apply("sign", v), Prime(v))
        return [", ", (Prime(apply("abs", v)), slope), " for ", (Compare(v, "≠", ZERO),)]

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
        f = self.d.name if isinstance(self.d.by, int) else "f"
        f_, df, staying = Name(f), Prime(Name(f)), []
        if c != ONE:
            f_ = self._letters.next()
            staying = ["the factor ", (c,), " stays; for ", (f_, core), ":"]
            df = Prime(f_)
        rule = self._part(core, line=False)
        sides = (apply("log", f_), mul(e, logarithm(b)))
        says = ["take logarithms: ", sides, ", differentiate both sides (product rule):"]
        raw = raw_sum([
            product_of(tidy(self._slopes.of(e)), logarithm(b)), product_of(e, tidy(self._slopes.of(logarithm(b)))),
        ])  # fmt: skip
        if staying:
            self.steps.append(Note(reason=tuple(map(_formula, staying))))
        d = self._derive(rule, says, *dict.fromkeys((raw, tidy(raw))), left=Quotient(df, f_))
        for step in cleared(d, [self.f]):
            self.steps.append(step)
            d = step.after
        return self._derive(SolveForDerivative(before=self.f, after=d), [], mul(c, core, d))

    def _by_logarithms(self, factored: Sequence[tuple[Formula, Formula]]) -> Formula:
        """Differentiate a product of powers through its logarithm: f′/f is a sum."""
        f = Name(self.d.name if isinstance(self.d.by, int) else "f")
        sizes, sized = logarithm_of(self.f, factored, self._slopes)
        log_f = apply("log", apply("abs", f) if sized else f)
        says = [f"take logarithms{f' where {f.id} is not 0' * sized}: ", (log_f, sizes), ", differentiate both sides:"]
        parts = tuple(self._part(b) for b, _ in factored)
        d = add(*[mul(e, div(tidy(self._slopes.of(b)), b)) for b, e in factored])
        rule = LogarithmicRule(before=self.f, after=d, logarithm=sizes, substeps=parts)
        self._derive(rule, says, d, left=Quotient(Prime(f), f))
        derivative = mul(self.f, d) if not isinstance(self.f, Quotient) else product_of(self.f, d)
        self._derive(SolveForDerivative(before=self.f, after=derivative), [], derivative)
        return self._with_one_fraction(derivative, d)

    def _with_one_fraction(self, derivative: Formula, d: Formula) -> Formula:
        """Write f·(a + b + …), of fractions a, b, …, as one fraction: first the bracket, then the product."""
        fraction = as_one_fraction(d)
        if fraction is None:
            return derivative
        shown, whole = product_of(self.f, fraction), tidy(mul(self.f, fraction))
        bracket, cancelled = ("common denominator in the bracket:",), ("multiply the fractions and cancel:",)
        self.steps.append(CommonDenominator(before=derivative, after=shown, reason=bracket, written=(shown,)))
        self.steps.append(Simplify(before=shown, after=whole, reason=cancelled, written=(whole,)))
        return whole

    # ---------------------------------------------------------------- a part of a formula
    def _part(self, t: Formula, letters: Sequence[Name] = (), *, line: bool = True, quiet: bool = False) -> Rule:
        """Return the rule of a part with those of its own parts; what is written down at once has no line.

        Args:
            t: the part.
            letters: what its own parts are called.
            line: whether a line may be written for it, and not for its own parts alone.
            quiet: whether nothing is written.
        """
        rule, named, parts = rule_of(t, self._slopes)
        quiet = quiet or is_easy(t, self._slopes) or (line and t in self._sided)
        if line and not quiet:
            self._sided.add(t)
        wrapped = rule is ConstantTimesRule  # what it multiplies has no line of its own
        substeps = tuple(self._part(p, letters if wrapped else (), line=not wrapped, quiet=quiet) for p in parts)
        if letters and not wrapped:
            substeps = tuple(replace(r, left=Prime(a)) for r, a in zip(substeps, letters, strict=True))
        written: tuple[Formula, ...] = (tidy(self._slopes.of(t)),)
        if rule is QuotientRule and line and not quiet:
            written += tuple(step.after for step in simplified(written[0], [self.f]))[-1:]
            self._slopes.know(t, written[-1])
        shown = tuple(dict.fromkeys(written)) if line and not quiet else ()
        return rule(before=t, after=written[-1], left=Prime(t), written=shown, substeps=substeps, **named)

    def _times(self, c: Formula, rule: Rule) -> Rule:
        """Return the rule of c·u from that of u."""
        if c == ONE:
            return rule
        return ConstantTimesRule(before=self.f, after=rule.after, constant=c, other=rule.before, substeps=(rule,))

    # ---------------------------------------------------------------- cases and kinks
    def _cases(self, split: Cases) -> Formula:
        why = ["case by case:"] if split is self.f else ["by cases: ", (self.f, split), ":"]
        parts = tuple(self._part(v) for v, _ in split.rows)
        derivative = tidy(self._slopes.of(split))
        rule = PiecewiseRule(before=self.f, after=derivative, cases=split, substeps=parts)
        return self._derive(rule, why, derivative)

    def _remark_kinks(self, derivative: Formula) -> None:
        told_as: dict[Formula, str | None] = {}  # what is said of a smooth join at a point
        unsolved: list[Formula] = []
        in_cases = isinstance(derivative, Cases)
        for t, points in kinks(self.f, self.x):
            for p in points or ():
                of_pieces = in_cases or not isinstance(t, Call) or t.name in STEPS
                told_as[p] = "smooth" if of_pieces else told_as.get(p)
            if points is None and self.f.size < 40:
                unsolved.append(t)
            if points and len(points) == 1 and isinstance(t, Call) and t.name in CONSTANT and t != self.f:
                sides = (Equation((t,)), " is constant on either side of ", Equation((Name(self.x), points[0])), ".")
                self.steps.append(Note(kind="remark", reason=sides))
        told_as |= dict.fromkeys(left_out(self._given, self.x), "outside")
        for smooth in ("smooth", "outside", None):
            there = sorted((p for p, kind in told_as.items() if kind == smooth), key=size_of)
            self.steps.extend(meetings(self._given, derivative, self.x, there, self._at, smooth=smooth))
        self.steps.extend(holes(self.f, derivative, self.x, list(dict.fromkeys(swings(self.f, self.x)))))
        for t in unsolved:
            self.steps.extend(meetings_of(self._given, derivative, self.x, *_sides(t)))
        for t, a, where in jumps(self.f, self.x):
            constant = " and is constant in between" * is_num(self._slopes.of(t), 0)
            says, ends = " jumps where ", f" is {where}{constant}; the formula holds for all other {self.x}."
            self.steps.append(Note(kind="remark", reason=(Equation((t,)), says, Equation((a,)), ends)))


def _has_ties(t: Formula) -> bool:
    """Whether a formula has another value where the cases meet, as 1 − [x = 0]."""
    return any(isinstance(p, Compare) and p.op in ("=", "≠") for p in walk(t))


def _sides(t: Formula) -> tuple[Formula, Formula]:
    """Return what is equal where the cases of a function meet."""
    if isinstance(t, Compare):
        return t.left, t.right
    return t.operands[0], t.operands[1] if len(t.operands) > 1 else ZERO


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


def _formula(p: Any) -> Any:
    return Equation(p) if isinstance(p, tuple) else p


def product_of(*parts: Formula) -> Formula:
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


def _in_turn(*parts: Formula) -> Formula:
    """Return the product of a chain's derivatives from the outside in, the number of the innermost last."""
    moving = [p for p in parts if p != ONE]
    last = moving[-1]
    return Product(*factors(product_of(*moving[:-1])), last) if len(moving) > 1 and is_num(last) else product_of(*parts)


def _stays(p: Formula) -> bool:
    """Whether a factor stands as one: 2x after a bracket, or with a minus in brackets."""
    return isinstance(p, Product) and isinstance(p.args[0], Number)


def _minus(t: Formula) -> Formula:
    if is_num(t):
        return neg(t)
    return Product(MINUS, *(t.args if isinstance(t, Product) and not _stays(t) else (t,)))


def raw_sum(parts: Sequence[Formula]) -> Formula:
    """Return a sum whose terms stay as they are; zeros are left out."""
    kept = [p for p in parts if not is_num(p, 0) and not (isinstance(p, Product) and p.args[-1] == ZERO)]
    return ZERO if not kept else kept[0] if len(kept) == 1 else Sum(*kept)
