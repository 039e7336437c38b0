"""``sg.explain`` of an integral: the fundamental theorem of calculus, and Leibniz's rule for what stands inside."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import sympy as sp

from symgrad.core.node import AnyNode, Leaf, Node, is_node
from symgrad.expression.arithmetic import is_negative, put
from symgrad.expression.formula import Compare, Formula, Label, Name, Number, Spelled, Sum
from symgrad.expression.printer import LATEX, handwritten
from symgrad.implicit.integral import Integral
from symgrad.teach.board.line import Equation, Value
from symgrad.teach.board.reading import SympyFormatter, Unwritable, is_of_numbers, number, read, to_sympy
from symgrad.teach.board.tidy import tidy
from symgrad.teach.calculus.lesson import listed, written_form
from symgrad.teach.calculus.remarks import domain, said
from symgrad.teach.calculus.slopes import Slopes
from symgrad.teach.calculus.solution import product_of, raw_sum
from symgrad.teach.implicit import Theorem
from symgrad.teach.steps.lesson import Evaluation, Given, LeibnizRule, LessonStep, Note, distinct
from symgrad.teach.steps.tape import Tape

MOST = 60  # signs of a limit


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
        where = said(list(self._conditions()))
        yield Given(before=Label("f", 0, tuple(names)), after=whole, written=(whole,), ledger=where)
        for name, form in zip(names, self.forms, strict=True):
            if len(names) > 1:
                yield Note(reason=("with respect to ", *listed([name]), ":"))
            label = Label("f", 1, (name,)) if len(names) == 1 else Label("f", (name,))
            yield self._rule(whole, name, label, form)
            if self.tape.known:
                yield from self._value(form, label)

    def _read(self) -> None:
        """Read the limits, and the integrand in a letter that no name has."""
        root: Any = self.tape.root
        leaves: dict[AnyNode, str] = {n: self.tape.names[n] for n in self.tape.nodes if isinstance(n, Leaf)}
        inputs = [_formula_of(p, leaves) for p in root.inputs]
        lower, upper, *others = inputs
        self._letter = next(c for c in (root.op.letter, *"tsuvz") if c not in leaves.values())
        values = root.op.body(sp.Symbol(self._letter, real=True), *[to_sympy(i) for i in others])
        self._limits, self._inside = (lower, upper), SympyFormatter().write(np.asarray(values[0]).item())

    def _conditions(self) -> Iterator[Formula]:
        """Yield where the limits may lie, so that the integrand is defined between them."""
        t = Name(self._letter)
        for c in domain(self._inside, t.id):
            if not isinstance(c, Compare) or c.left != t or not isinstance(c.right, Number):
                continue
            known = [end for end in self._limits if isinstance(end, Number)]
            sign = c.op if c.op != "≠" else ">" if known and known[0].value > c.right.value else "<"
            yield from (
                Compare(end, sign, c.right) for end in self._limits if end not in known and (known or c.op != "≠")
            )

    def _rule(self, whole: Formula, x: str, label: Label, form: Any) -> LeibnizRule:
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
        return LeibnizRule(
            before=whole, after=after, integrand=g, lower=a, upper=b, reason=(*reason, ":"), left=label,
            written=distinct((raw, after)),
        )  # fmt: skip

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


def _integral(g: Formula, letter: str, limits: tuple[Formula, Formula]) -> Formula:
    """Return ∫ₐᵇ g dt, in text ∫[a, b] g dt."""
    a, b = limits
    latex = rf"\int_{{{LATEX.write(a)}}}^{{{LATEX.write(b)}}} {LATEX.write(g)}\,d{letter}"
    body = f"({handwritten(g)})" if isinstance(g, Sum) or is_negative(g) else handwritten(g)
    return Spelled(f"∫[{handwritten(a)}, {handwritten(b)}] {body} d{letter}", latex)
