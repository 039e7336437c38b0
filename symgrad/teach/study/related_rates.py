"""Related rates: an equation differentiated with respect to time, solved for the rate that is requested."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Set
from typing import Any

import sympy as sp

from symgrad.errors import ArgumentError, ParseError
from symgrad.expression.arithmetic import add, mul
from symgrad.expression.equations import Sides, equations_in
from symgrad.expression.formula import Formula, Label, Name, Product
from symgrad.support.arguments import check_methods, checked
from symgrad.teach.board.line import Equation
from symgrad.teach.places.points import derived, number
from symgrad.teach.steps.lesson import DifferentiateBothSides, Evaluate, LessonStep, Note, SolveForSlope
from symgrad.teach.study.approximations import exact_number
from symgrad.teach.study.several.field import Field, scalar_field
from symgrad.teach.study.solution import Solution, listed, shortest, write


class RelatedRates(Solution):
    """The rate of one quantity, from the rates of other quantities in the same equation.

    Attributes:
        expr: the rate as a formula of the quantities and the other rates, which are called ``dx``.
        rate: the value of the rate, as a SymPy number.
    """

    def __init__(self, text: str, wanted: str, rates: dict[str, Any], t: str, at: dict[str, Any]) -> None:
        super().__init__(text, wanted, rates, t, at)
        who = "related_rates"
        sides, self._put = _one_equation(who, text, {wanted, *rates})
        names = sorted({n for s in sides for n in scalar_field(who, s, None).names})
        moving = [n for n in names if n == wanted or n in rates]
        if wanted not in names or wanted in rates or len(moving) != len(rates) + 1:
            raise ArgumentError(
                f"{who}: the equation has the names {', '.join(names)}. Expected one of them whose rate is requested "
                "for, and in rates= the rates of others, as in rates={'x': 2}."
            )
        self._t, self._wanted, self._moving = t, wanted, moving
        self._left, self._right = (scalar_field(who, s, names) for s in sides)
        self._rates = {n: exact_number(who, v) for n, v in rates.items()}
        every = {sp.Symbol(n, real=True): exact_number(who, v) for n, v in at.items()}
        self._at = {s: v for s, v in every.items() if s.name not in self._put}
        for s, v in every.items():
            if s.name in self._put and shortest((self._put[s.name].components[0] - v).subs(self._at)) != 0:
                raise ArgumentError(f"{who}: {s.name} = {v} does not solve the equations. Omit it.")
        f = self._left.components[0] - self._right.components[0]
        slopes = {n: derived(f, sp.Symbol(n, real=True)) for n in moving}
        known = sum(slopes[n] * sp.Symbol(f"d{n}", real=True) for n in self._rates)
        self.expr = shortest(-known / slopes[wanted])
        self._check(who, f, names)
        made = self.expr.subs({sp.Symbol(f"d{n}", real=True): v for n, v in self._rates.items()}).subs(self._at)
        self.rate = shortest(made)
        if not (self.rate.is_number and self.rate.is_finite and self.rate.is_real):
            raise ArgumentError(f"{who}: the equation does not determine the rate of {wanted} there: its factor is 0.")

    def _check(self, who: str, f: Any, names: list[str]) -> None:
        there = {s.name for s in self._at}
        missing = sorted({s.name for s in self.expr.free_symbols} - {f"d{n}" for n in self._rates} - there)
        unknown = sorted(there - {*names})
        if missing or unknown:
            raise ArgumentError(
                f"{who}: got values for {', '.join(sorted(there)) or 'nothing'}. Expected values for "
                f"{', '.join(sorted(({*missing} | there) - {*unknown}))} then, as in {(missing or names)[0]}=3."
            )
        rest = f.subs(self._at)
        if rest.is_number and abs(number(rest)) > 1e-9:
            raise ArgumentError(f"{who}: the values do not solve the equation: the sides differ by {sp.N(rest, 6)}.")

    def _label(self, n: str) -> Label:
        return Label(n, (self._t,), (), sign="d")

    def _differentiated(self, side: Field) -> Formula:
        """Return d/dt of a side, with the rates as dx/dt."""
        terms: list[Formula] = []
        for n in self._moving:
            slope = shortest(derived(side.components[0], sp.Symbol(n, real=True)))
            if slope != 0:
                terms.append(self._label(n) if slope == 1 else Product(*_factors(write(slope)), self._label(n)))
        return add(*terms) if terms else write(0)

    def _steps(self) -> Iterator[LessonStep]:
        sides = (self._left.written[0], self._right.written[0])
        for n, field in self._put.items():
            yield Note(kind="given", reason=(Equation((Name(n), field.written[0])), ", which is substituted into"))
        yield Note(kind="given", reason=(Equation(sides),))
        moving = " and ".join(", ".join(self._moving).rsplit(", ", 1))
        reason = (f"{moving} depend on {self._t}; differentiate both sides with respect to {self._t}:",)
        after = Equation((self._differentiated(self._left), self._differentiated(self._right)))
        yield DifferentiateBothSides(before=Equation(sides), after=after, reason=reason)
        names = {sp.Symbol(f"d{n}", real=True): self._label(n) for n in self._rates}
        solved = _with_labels(self.expr, names)
        left = self._label(self._wanted)
        if after.parts != (left, solved):
            yield SolveForSlope(
                before=left, after=solved, reason=("solve for the rate:",), left=left, written=(solved,)
            )
        put = [(self.equation(s, v),) for s, v in self._at.items()]
        put += [(self.equation(self._label(n), v),) for n, v in self._rates.items()]
        rate = write(self.rate, self.decimal)
        yield Evaluate(
            before=solved, after=rate, reason=("substitute ", *listed(put), ":"), left=left, written=(rate,),
            near=self.near(self.rate),
        )  # fmt: skip


def _one_equation(who: str, text: str, used: Set[str]) -> tuple[tuple[str, str], dict[str, Field]]:
    """Return the sides of an equation, with others such as r = h/2 put in, and what was put in by name."""
    equations = equations_in(who, text)
    put = [e for e in equations if len(equations) > 1 and _says_what_is(who, e, used)]
    rest = [e for e in equations if e not in put]
    if len(rest) != 1:
        raise ParseError(
            f"{who}: {text!r} has {len(equations)} equations. Expected one, such as 'x**2 + y**2 = 25', and others "
            "only for names without a rate, such as 'r = h/2'."
        )
    ((left, right, parts),) = rest
    for e in put:
        parts += f"{',' if parts else 'where'} {e.left} = {e.right}"
    return Sides(left, right, parts).formulas, {e.left: scalar_field(who, e.right, None) for e in put}


def _says_what_is(who: str, e: Sides, used: Set[str]) -> bool:
    """Whether an equation gives a name without a rate, as r = h/2."""
    return e.left.isidentifier() and not e.parts and e.left not in {*used, *scalar_field(who, e.right, None).names}


def _factors(t: Formula) -> tuple[Formula, ...]:
    return tuple(t.args) if isinstance(t, Product) else (t,)


def _with_labels(e: Any, names: Mapping[Any, Label]) -> Formula:
    """Return a formula that is linear in rates, with their labels."""
    terms = []
    for s, label in names.items():
        slope = shortest(derived(e, s))
        if slope != 0:
            front = write(slope)
            terms.append(label if slope == 1 else mul(front, label))
    return add(*terms) if terms else write(0)


@checked
def related_rates(equation: str, wanted: str, *, rates: Mapping[str, Any], t: str = "t", **at: Any) -> RelatedRates:
    """Return the rate dy/dt from an equation between quantities that depend on t, and their rates, with steps.

    Args:
        equation: the equation as text; others, as in ``"V = pi*r**2*h/3, r = h/2"``, are put into it.
        wanted: the name whose rate is requested.
        rates: the rates of other names; names without a rate are constants.
        t: the name of the time.
        at: the values at the given moment, as in ``x=3, y=4``.

    Raises:
        ParseError: if the text is not one equation, perhaps with others such as ``r = h/2`` that are put in.
        ArgumentError: if values are missing or do not solve the equation.

    >>> sg.related_rates("x**2 + y**2 = 25", "y", rates={"x": 2}, x=3, y=4).rate
    -3/2
    """
    return RelatedRates(equation, wanted, dict(rates), t, at)


check_methods(RelatedRates)
