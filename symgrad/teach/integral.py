"""``sg.explain`` of an integral: the fundamental theorem of calculus, and Leibniz's rule for what stands inside."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import mpmath
import numpy as np
import sympy as sp
from sympy.integrals.manualintegrate import manualintegrate

from symgrad.core.node import AnyNode, Leaf, Node, is_node
from symgrad.expression.arithmetic import ONE, add, apply, is_negative, is_num, mul, neg, num, put
from symgrad.expression.formula import Formula, Label, Name, Number, Quotient, Spelled, Sum
from symgrad.expression.printer import LATEX, handwritten
from symgrad.implicit.integral import Integral
from symgrad.teach.board.line import Equation, Value
from symgrad.teach.board.reading import SympyFormatter, Unwritable, is_of_numbers, number, read, to_sympy
from symgrad.teach.board.tidy import tidy
from symgrad.teach.calculus.lesson import listed, written_form
from symgrad.teach.calculus.remarks import conditions_on, domain, said, zeros_in
from symgrad.teach.calculus.simplify import alike, simplified
from symgrad.teach.calculus.slopes import Slopes
from symgrad.teach.calculus.solution import product_of, raw_sum
from symgrad.teach.implicit import Theorem
from symgrad.teach.places.points import asked
from symgrad.teach.steps.lesson import Evaluation, Given, LeibnizRule, LessonStep, Note, Simplify, distinct
from symgrad.teach.steps.tape import Tape

MOST = 60  # signs of a limit
_CLOSE = 1e-9  # of an integral by quadrature and by its antiderivative
_SMOOTH = (sp.exp, sp.sin, sp.cos, sp.sinh, sp.cosh, sp.log, sp.erf)  # what an antiderivative may have in it


class IntegralLesson(Theorem):
    """The derivation of d/dx ∫ₐᵇ g(t, x) dt = g(b)·b′ − g(a)·a′ + ∫ₐᵇ ∂g/∂x dt.

    Attributes:
        forms: the closed form for each target, as returned by ``sg.derive``.
        lesson: the derivation, step by step.
    """

    def _steps(self, targets: Sequence[Any]) -> Iterator[LessonStep]:
        self._read()
        names = [self.tape.names[t] for t in self.targets]
        whole = _integral(self._inside, self._letter, self._limits)
        where = said(self._conditions(names))
        yield Given(before=Label("f", 0, tuple(names)), after=whole, written=(whole,), ledger=where)
        for name, form in zip(names, self.forms, strict=True):
            if len(names) > 1:
                yield Note(reason=("with respect to ", *listed([name]), ":"))
            label = Label("f", 1, (name,)) if len(names) == 1 else Label("f", (name,))
            yield from self._rule(whole, name, label, form)
            if self.tape.known:
                yield from self._value(form, label)
        yield from self._continued()

    def _read(self) -> None:
        """Read the limits, and the integrand in a letter that no name has."""
        root: Any = self.tape.root
        leaves: dict[AnyNode, str] = {n: self.tape.names[n] for n in self.tape.nodes if isinstance(n, Leaf)}
        inputs = [_formula_of(p, leaves) for p in root.inputs]
        lower, upper, *others = inputs
        self._letter = next(c for c in (root.op.letter, *"tsuvz") if c not in leaves.values())
        values = root.op.body(sp.Symbol(self._letter, real=True), *[to_sympy(i) for i in others])
        self._limits, self._inside = (lower, upper), SympyFormatter().write(np.asarray(values[0]).item())

    def _conditions(self, names: Sequence[str]) -> list[Formula]:
        """Return where the limits may lie, so that the integrand is defined between them and the derivative exists."""
        t, (a, b) = self._letter, self._limits
        positive: list[Formula] = []
        apart: list[Formula] = []
        for sign, part in conditions_on(self._inside, t):
            points, ends = self._zeros(part), [put(part, {Name(t): end}) for end in (a, b)]
            positive += [e for e in ends if not is_num(e, 0)] if sign == ">" else [] if points else [mul(*ends)]
            for p in points:
                sides = [add(end, neg(p)) for end in (a, b)]
                if self._limit(p) is not None:
                    apart += sides
                elif any(is_num(side, 0) for side in sides):  # an integral from a point where the integrand grows
                    positive += [mul(side, num(self._side(p))) for side in sides]
                else:
                    positive.append(mul(*sides))
        logarithms = [apply("log", p) for p in positive]
        needed = Sum(*self._limits, *logarithms, *[Quotient(ONE, p) for p in apart], *self._antiderivative_ends(names))
        return list(dict.fromkeys(c for x in names for c in domain(needed, x)))

    def _continued(self) -> Iterator[Note]:
        """Say by which limit the integrand is continued where it has no value, as sin(t)/t at 0."""
        t, e = Name(self._letter), to_sympy(self._inside)
        for p in dict.fromkeys(p for _, part in conditions_on(self._inside, t.id) for p in self._zeros(part)):
            value = e.subs(sp.Symbol(t.id, real=True), to_sympy(p))
            if value.is_finite is not True and (limit := self._limit(p)) is not None:
                ends = " the integrand is continued by its limit ", Equation((limit,)), "."
                yield Note(kind="remark", reason=("At ", Equation((t, p)), *ends))

    def _zeros(self, part: Formula) -> list[Formula]:
        """Return where a part of the integrand is 0; of a family, the two zeros on either side of a known limit."""
        known = [end for end in self._limits if isinstance(end, Number)]
        single: list[Formula] = []
        families: list[Formula] = []
        for p in zeros_in(part, self._letter):
            (families if p.free - part.free else single).append(p)
        there = [tidy(put(p, {Name(n): num(k)})) for p in families for n in p.free - part.free for k in range(-9, 10)]
        for end in known[:1]:
            distances = sorted((float(to_sympy(p)) - float(end.value), k) for k, p in enumerate(there))
            below, above = ([k for d, k in distances if (d > 0) is side] for side in (False, True))
            single += [there[k] for k in (*below[-1:], *above[:1])]
        return single

    def _limit(self, p: Formula) -> Formula | None:
        """Return the limit of the integrand at a point, None without."""
        e, s = to_sympy(self._inside), sp.Symbol(self._letter, real=True)
        limit = asked(lambda: [sp.limit(e, s, to_sympy(p), side) for side in "+-"])
        there = limit is not None and limit[0] == limit[1] and limit[0].is_finite
        return SympyFormatter().write(limit[0]) if there else None

    def _side(self, p: Formula) -> int:
        """Return on which side of a point the integrand is defined: 1 or −1."""
        e, s = to_sympy(self._inside), sp.Symbol(self._letter, real=True)
        above = sp.N(e.subs(s, to_sympy(p) + sp.Rational(1, 1000)))
        return 1 if above.is_real is not False else -1

    def _rule(self, whole: Formula, x: str, label: Label, form: Any) -> Iterator[LessonStep]:
        slopes, (a, b), g = Slopes(x), self._limits, self._inside
        moving = [(n, end) for n, end in (("b", b), ("a", a)) if slopes.depends(end)]
        parts = [product_of(*[number(-1)] * (n == "a"), self._at(end, x), slopes.of(end)) for n, end in moving]
        quoted = [f"{'−' * (n == 'a')}g({n})·{n}′" for n, _ in moving]
        if slopes.depends(g):
            quoted.append(f"∫ₐᵇ ∂g/∂{x} d{self._letter}")
            inner_slope = slopes.of(g)
            parts.append(_integral(inner_slope, self._letter, self._limits))
        says = " + ".join(quoted).replace("+ −", "− ")
        inner = all(end == Name(x) for _, end in moving)
        rule = "Leibniz's rule" if slopes.depends(g) else "fundamental theorem of calculus"
        rule += "" if inner or slopes.depends(g) else ", chain rule"
        reason: list[Any] = [f"{rule}, (∫ₐᵇ g d{self._letter})′ = {says}"]
        for k, (n, end) in enumerate(moving):
            reason += [", " if k else " with ", Equation((Name(n), end))]
        raw = raw_sum(parts)
        if slopes.depends(g):
            after = raw_sum([*parts[:-1], _integral(tidy(inner_slope), self._letter, self._limits)])
        else:
            after = written_form(form)
        yield LeibnizRule(
            before=whole, after=after, integrand=g, lower=a, upper=b, reason=(*reason, ":"), left=label,
            written=distinct((raw, after)),
        )  # fmt: skip
        if (antiderivative := self._antiderivative(x)) is not None:
            yield from self._integrated(after, parts[:-1], tidy(inner_slope), antiderivative)

    def _integrated(
        self, before: Formula, others: Sequence[Formula], g: Formula, inner: Formula
    ) -> Iterator[LessonStep]:
        """Yield the steps that work the integral of ∂g/∂x out."""
        ends = [put(inner, {Name(self._letter): end}) for end in reversed(self._limits)]
        after = raw_sum([*others, *[e for e in (tidy(ends[0]), tidy(neg(ends[1]))) if not is_num(e, 0)]])
        found = Equation((_integral(g, self._letter, None), inner))
        yield Simplify(before=before, after=after, reason=("with ", found, ":"), written=(after,))
        collected = tidy(after)
        if not alike(collected, after):
            yield Simplify(before=after, after=collected, reason=("collect terms:",), written=(collected,))
        yield from simplified(collected, [collected])

    def _antiderivative(self, x: str) -> Formula | None:
        """Return an antiderivative of ∂g/∂x in the letter, where it is smooth between the limits and was tried."""
        slopes, s = Slopes(x), sp.Symbol(self._letter, real=True)
        if not slopes.depends(self._inside):
            return None
        e = to_sympy(tidy(slopes.of(self._inside)))
        found = asked(lambda: manualintegrate(e, s))
        found = found.args[0][0] if isinstance(found, sp.Piecewise) else found
        if found is None or found.has(sp.Integral) or any(f.func not in _SMOOTH for f in found.atoms(sp.Function)):
            return None
        names = sorted({n for t in (self._inside, *self._limits) for n in to_sympy(t).free_symbols} - {s}, key=str)
        at = {n: sp.Rational(7 + 2 * k, 10) for k, n in enumerate(names)}
        low, high = (float(to_sympy(end).subs(at)) for end in self._limits)
        function, whole = (sp.lambdify(s, p.subs(at), "mpmath") for p in (e, found))
        is_right = abs(mpmath.quad(function, [low, high]) - whole(high) + whole(low)) < _CLOSE
        return SympyFormatter([self._inside]).write(found) if is_right else None

    def _antiderivative_ends(self, names: Sequence[str]) -> list[Formula]:
        inner = [f for x in names if (f := self._antiderivative(x)) is not None]
        return [put(f, {Name(self._letter): end}) for f in inner for end in self._limits]

    def _at(self, end: Formula, x: str) -> Formula:
        """Return the integrand at a limit; what the limit x makes of it is put in order."""
        there = put(self._inside, {Name(self._letter): end})
        return tidy(there) if end == Name(x) else there

    def _value(self, form: Any, label: Label) -> Iterator[LessonStep]:
        (value,) = self.tape.values([form._root])
        points = {self.tape.names[n]: n.value for n in self.tape.nodes if isinstance(n, Leaf)}
        at = [w for k, (n, v) in enumerate(points.items()) for w in (", " if k else "", Equation((Name(n), Value(v))))]
        yield Note(reason=("at ", *at, ":"))
        if isinstance(label.by, int) and len(points) == 1:
            label = Label("f", 1, (number(float(*points.values())),))
        yield Evaluation(before=form._expr, after=Value(np.asarray(value)[()]), left=label)


def integral_lesson(tape: Tape, targets: Sequence[Any]) -> IntegralLesson | None:
    """Return the lesson of an integral of a formula of numbers, None of all else."""
    root = tape.root
    if not isinstance(root, Node) or not isinstance(root.op, Integral) or root.shape:
        return None
    if not all(is_of_numbers(p) for p in root.inputs if is_node(p)):
        return None
    try:
        return IntegralLesson(tape, targets, 1)
    except (Unwritable, NotImplementedError):
        return None


def _formula_of(p: Any, leaves: Mapping[AnyNode, str]) -> Formula:
    formula = read(p, leaves, MOST) if is_node(p) else number(p)
    if formula is None:
        raise Unwritable("a limit of an integral is a long formula")
    return formula


def _integral(g: Formula, letter: str, limits: tuple[Formula, Formula] | None) -> Formula:
    """Return ∫ₐᵇ g dt, in text ∫[a, b] g dt; without limits ∫ g dt."""
    body = f"({handwritten(g)})" if isinstance(g, Sum) or is_negative(g) else handwritten(g)
    between, bounds = "", ""
    if limits is not None:
        between = f"[{', '.join(map(handwritten, limits))}]"
        bounds = "_{{{}}}^{{{}}}".format(*map(LATEX.write, limits))
    return Spelled(f"∫{between} {body} d{letter}", rf"\int{bounds} {LATEX.write(g)}\,d{letter}")
