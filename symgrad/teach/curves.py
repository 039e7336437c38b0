"""``sg.explain`` of equations: both sides are differentiated, and the linear equations for the slopes are solved."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import sympy as sp

from symgrad.core.node import tensor_node
from symgrad.expression.arguments import text_of_names
from symgrad.expression.arithmetic import MINUS, ONE, apply, coefficient, div, put
from symgrad.expression.equations import equations_in
from symgrad.expression.formula import Compare, Formula, Label, Name, Prime, Product, Quotient
from symgrad.expression.reader import Expression
from symgrad.forms.closed import ClosedForm
from symgrad.forms.implicit_functions import Curve, as_form, curve, slopes, without_equations
from symgrad.teach.board.line import Equation
from symgrad.teach.board.reading import SympyFormatter, number, read, to_sympy
from symgrad.teach.board.tidy import tidy
from symgrad.teach.calculus.lesson import listed, written_form
from symgrad.teach.calculus.remarks import domain, kinks, once, said
from symgrad.teach.calculus.rules import rule_of
from symgrad.teach.calculus.simplify import alike, equal, positive, rewritten
from symgrad.teach.calculus.slopes import Slopes
from symgrad.teach.calculus.solution import Solution
from symgrad.teach.steps.lesson import (
    DifferentiateBothSides,
    LessonStep,
    Note,
    QuotientRule,
    SolveForSlope,
    UseEquation,
    distinct,
)

MOST = 400  # signs of a side


def formula_of(e: Expression) -> Formula:
    """Return a formula of numbers as it was typed."""
    root = tensor_node(e.value)
    if root is None:
        return number(e.value.item())
    names: Any = {tensor_node(leaf): name for name, leaf in e.leaves.items()}
    written = read(root, names, MOST)
    return written if written is not None else SympyFormatter().write(ClosedForm(root, [root]).expr)


class CurveLesson:
    """The derivation of dy/dx from equations.

    Attributes:
        forms: the closed form for each requested name, as returned by ``sg.derive``.
        lesson: the derivation, step by step.
    """

    def __init__(self, equations: str | Sequence[str], wanted: Any, x: str, order: int) -> None:
        self.arguments, self.order = (equations, wanted, x), order
        self.curve: Curve = curve("explain", equations, wanted, x)
        self.x = x
        self._sides = [(formula_of(a), formula_of(b)) for a, b in self.curve.sides]
        self._slopes = Slopes(x, self.curve.unknowns)
        self._known: list[Formula] = []  # the conditions that are said
        self._results = [[as_form(s, x) for s in slopes(self.curve, n)] for n in range(1, order + 1)]
        self.forms: tuple[ClosedForm, ...] = tuple(self._results[-1])
        self.lesson: tuple[LessonStep, ...] = tuple(self._steps())

    # ---------------------------------------------------------------- lines
    def _steps(self) -> Iterator[LessonStep]:
        yield from self._polar()
        for sides in self._sides:
            new = [c for c in self._conditions(sides) if c not in self._known]
            self._known += new
            yield Note(kind="given", reason=(Equation(sides),), ledger=said(new))
        t = self.curve.parameter
        first = self._with_parameter(t) if t is not None else self._implicit()
        yield from first
        for n in range(2, self.order + 1):
            yield from self._again(n, t)

    def _conditions(self, sides: Sequence[Formula]) -> list[Formula]:
        """Return where both sides of an equation can be differentiated."""
        varying = [n for n in (self.x, *self.curve.unknowns, self.curve.parameter) if n is not None]
        smooth = [c for side in sides for n in varying for c in domain(side, n)]
        bent = [(n, p) for side in sides for n in varying for _, points in kinks(side, n) for p in points or ()]
        return once([*smooth, *[Compare(Name(n), "≠", p) for n, p in bent if not p.free]])

    def _polar(self) -> Iterator[LessonStep]:
        """Yield the equation of a polar curve as it was given, and x and y by r and the angle."""
        equations = equations_in("explain", self.arguments[0])
        if self.curve.parameter is None or len(equations) != 1 or equations[0].left != "r":
            return
        angle, (given,) = Name(self.curve.parameter), equations
        r = formula_of(text_of_names(f"{given.right} {given.parts}", {}, [angle.id]))
        yield Note(kind="given", reason=(Equation((Name("r"), r)),))
        coordinates = [(Name(n), Product(Name("r"), apply(f, angle))) for n, f in (("x", "cos"), ("y", "sin"))]
        x, y = map(Equation, coordinates)
        yield Note(reason=("with ", x, " and ", y, ":"))

    def _implicit(self) -> Iterator[LessonStep]:
        unknowns, x = self.curve.unknowns, self.x
        still = [n for n in self.curve.names if n not in (*unknowns, x)]
        if still:
            yield Note(reason=(*listed(still), " is a constant" if len(still) == 1 else " are constants"))
        primes = ", ".join(f"{u}′" for u in unknowns)
        verb = "is a function" if len(unknowns) == 1 else "are functions"
        why: list[Any] = [*listed(unknowns), f" {verb} of ", Equation((Name(x),)), "; differentiate both sides, with "]
        why += [f"{primes} by the chain rule:"]
        derived = [(tidy(self._slopes.of(a)), tidy(self._slopes.of(b))) for a, b in self._sides]
        for k, (sides, after) in enumerate(zip(self._sides, derived, strict=True)):
            reason = tuple(why) if k == 0 else ()
            yield DifferentiateBothSides(before=Equation(sides), after=Equation(after), reason=reason)
        yield from self._solved(derived)

    def _solved(self, derived: Sequence[tuple[Formula, Formula]]) -> Iterator[LessonStep]:
        """Solve the linear equations for the slopes; of one, with its terms collected first."""
        c, write = self.curve, SympyFormatter().write
        why: tuple[Any, ...] = ("solve for ", ", ".join(f"{u}′" for u in c.unknowns), ":")
        for k, u in enumerate(c.wanted):
            dash, result = Prime(Name(u)), self._written(1, k)
            if len(c.unknowns) > 1:
                yield SolveForSlope(before=dash, after=result, reason=why, left=dash, written=(result,))
            else:
                slope = to_sympy(dash)
                e = sp.expand(to_sympy(derived[0][0]) - to_sympy(derived[0][1]))
                a, b = sp.factor_terms(e.coeff(slope, 1)), sp.factor_terms(-e.coeff(slope, 0))
                a, b = (-a, -b) if a.could_extract_minus_sign() else (a, b)
                below, wanted = (sp.fraction(to_sympy(f))[1] for f in (div(write(b), write(a)), result))
                if sp.cancel(below / wanted).is_negative:  # the result has the other sign above and below
                    a, b = (positive(sp.factor_terms(-e)) for e in (a, b))
                why = (*why[:-1], *self._where_not_zero(a, b), ":")
                collected = None if a == 1 else Equation((write(a * slope), write(b)))
                solved = div(write(b), write(a)) if a != 1 else write(b)
                written = (result,) if alike(solved, result) else (solved, result)
                yield SolveForSlope(
                    before=dash, after=result, reason=why, left=dash, written=written, equation=collected
                )
            why = ()

    def _where_not_zero(self, a: Any, b: Any) -> list[Any]:
        """Say where a·y′ = b can be solved: where a is not 0, and nothing that a or b is divided by."""
        below = sorted({*_bases(a, 1), *_bases(b, 1)}, key=str)
        parts = [sp.Mul(*self._not_known(_bases(a, 0))), *self._not_known(below)]
        written = [SympyFormatter().write(f) for f in parts if f != 1]
        listed_ = [w for k, f in enumerate(written) for w in (" and " if k else "", Equation((f,)), " is not 0")]
        return [", where ", *listed_] if written else []

    def _not_known(self, factors: Sequence[Any]) -> list[Any]:
        """Return the factors that may be 0 where the equations with their fractions and conditions hold."""
        known = {c.left for c in self._known if isinstance(c, Compare) and c.op in ">≠" and c.right == number(0)}
        divided = {base for sides in self._sides for side in sides for base in _bases(to_sympy(side), 1)}
        moving = [f for f in factors if f.free_symbols and f not in divided and not _is_never_zero(f)]
        return [f for f in moving if SympyFormatter().write(f) not in known]

    def _with_parameter(self, t: str) -> Iterator[LessonStep]:
        """Divide dy/dt by dx/dt."""
        bodies = {a.id: b for a, b in self._sides if isinstance(a, Name)}
        y, along, write = self.curve.wanted[0], Slopes(t), SympyFormatter().write
        yield Note(reason=("both depend on ", Equation((Name(t),)), ":"))
        rates = {n: tidy(along.of(bodies[n])) for n in (self.x, y)}
        for n in (self.x, y):
            left, written = _ratio(n, t), distinct((rates[n],))
            yield DifferentiateBothSides(before=bodies[n], after=Equation((left, *written)))
        result = self._written(1, 0)
        quotient = write(to_sympy(rates[y])) if rates[self.x] == number(1) else div(rates[y], rates[self.x])
        shown = [] if any(isinstance(t, Quotient) for t in rates.values()) else [Quotient(rates[y], rates[self.x])]
        why = ("the slope is the quotient of the two, where ", Equation((_ratio(self.x, t),)), " is not 0:")
        shown *= coefficient(rates[self.x])[0] not in (ONE, MINUS)  # a number that is cancelled at once
        left, written = _ratio(y, self.x), distinct((Quotient(_ratio(y, t), _ratio(self.x, t)), *shown, quotient))
        yield SolveForSlope(before=left, after=quotient, reason=why, left=left, written=written)
        yield from rewritten(quotient, result)

    def _again(self, n: int, t: str | None) -> Iterator[LessonStep]:
        """Differentiate the last derivative once more, and put the first one in."""
        for k, y in enumerate(self.curve.wanted):
            yield Note(kind="gap", reason=("",))
            before, result, left = self._written(n - 1, k), self._written(n, k), Label(y, n, ())
            why = ("differentiate ", Equation((Label(y, n - 1, ()), before)))
            if t is not None:
                yield Note(reason=(*why, " with respect to ", Equation((Name(t),)), ":"))
                yield from self._along(t, y, n, before, result)
                continue
            raw = tidy(self._slopes.of(before))
            by = f" ({QuotientRule.name})" * (rule_of(before, self._slopes)[0] is QuotientRule)
            yield DifferentiateBothSides(before=before, after=Equation((left, raw)), reason=(*why, f" once more{by}:"))
            yield from self._put_in(raw, result, y, self._written(1, k))

    def _put_in(self, raw: Formula, result: Formula, y: str, slope: Formula) -> Iterator[LessonStep]:
        """Put the first derivatives in, and use the equation where the result needs it."""
        with_slopes = tidy(put(raw, {Prime(Name(u)): self._written(1, j) for j, u in enumerate(self.curve.wanted)}))
        by_equation = not equal(with_slopes, result)
        sides = [to_sympy(a) - to_sympy(b) for a, b in self._sides]
        simpler = SympyFormatter().write(without_equations(to_sympy(with_slopes), sides)) if by_equation else result
        with_slopes = simpler if alike(with_slopes, simpler) else with_slopes
        why = ("substitute ", Equation((Prime(Name(y)), slope)), ":")
        yield UseEquation(before=raw, after=with_slopes, reason=why, written=(with_slopes,))
        yield from rewritten(with_slopes, simpler) if with_slopes is not simpler else ()
        if by_equation:
            equations = [Equation(pair) for pair in self._sides]
            says = ("use the equation ", *equations, ":") if len(sides) == 1 else ("use the equations:",)
            yield UseEquation(before=simpler, after=result, reason=says, written=(result,))

    def _along(self, t: str, y: str, n: int, before: Formula, result: Formula) -> Iterator[LessonStep]:
        """Differentiate a derivative with respect to the parameter, and divide by dx/dt."""
        rate = Solution(before, t, Label(y + "′″‴"[n - 2], (t,), (), sign="d"), list(self.curve.names))
        yield from rate.steps
        over = tidy(Slopes(t).of(dict(self._sides)[Name(self.x)]))
        quotient, left = tidy(div(rate.result, over)), Label(y, n, ())
        why = ("divide by ", Equation((_ratio(self.x, t), over)), ":")
        yield QuotientRule(
            before=before, after=quotient, u=rate.result, v=over, reason=why, left=left, written=(quotient,)
        )
        yield from rewritten(quotient, result)

    def _written(self, n: int, k: int) -> Formula:
        """Return the n-th derivative of the k-th name as it is printed."""
        return written_form(self._results[n - 1][k])


def _is_never_zero(e: Any) -> bool:
    """Whether a formula of real numbers is never 0, as 5y⁴ + 1."""
    return any(bool(f.is_positive or f.is_negative) for f in (e, sp.factor(e)))


def _bases(e: Any, side: int) -> list[Any]:
    """Return the factors of the numerator (side 0) or the denominator (side 1) of a formula, without exponents."""
    part = positive(sp.factor_terms(sp.fraction(sp.together(e))[side]))
    return [f.as_base_exp()[0] for f in sp.Mul.make_args(part)]


def _ratio(y: str, x: str) -> Formula:
    return Quotient(Name(f"d{y}"), Name(f"d{x}"))
