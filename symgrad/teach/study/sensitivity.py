"""How a result depends on its inputs: error propagation, sensitivities and elasticities."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import sympy as sp

from symgrad.errors import ArgumentError
from symgrad.expression.formula import Name, Number, Spelled
from symgrad.support.arguments import check_methods, checked
from symgrad.teach.board.line import Equation
from symgrad.teach.places.points import derived, digits, number
from symgrad.teach.steps.lesson import Evaluate, Finding, LessonStep, Note, PartialRule, distinct
from symgrad.teach.study.approximations import exact_number
from symgrad.teach.study.several.field import Field, scalar_field
from symgrad.teach.study.several.surfaces import value_there
from symgrad.teach.study.solution import Solution, equation, listed, shortest, write


def shown(e: Any, decimal: bool) -> tuple[Any, ...]:
    """Return a number behind its name: exact where it is short, else its digits; of decimals a decimal."""
    exact = write(e, decimal)
    ends = isinstance(exact, Number) and (exact.has_point or exact.value.denominator == 1)
    if ends or (not decimal and e.count_ops() <= 6 and (not e.is_Rational or e.q <= 10000)):
        return " = ", equation(exact)
    return (f" ≈ {digits(number(e))}",)


def partial_there(solution: Solution, f: Field, name: str, slope: Any, value: Any) -> PartialRule:
    """Return the step to ∂f/∂x and its value."""
    near = solution.near(value)
    return f.partial(name, slope, *([] if near else [write(value, solution.decimal)]), near=near)


class ErrorPropagation(Solution):
    """The propagation of errors of inputs to a result, to first order.

    Attributes:
        value: the value of f at the measured numbers.
        contributions: |∂f/∂x|·Δx for each input.
        maximal: their sum, which bounds the linear part of the error.
        standard: the square root of the sum of their squares, for independent errors.
    """

    def __init__(self, f: Any, data: dict[str, tuple[Any, Any]]) -> None:
        super().__init__(f, data)
        who = "error_propagation"
        if not data or not all(isinstance(d, (tuple, list)) and len(d) == 2 for d in data.values()):
            raise ArgumentError(f"{who}: got {data}. Expected a number and its error for each name, as in m=(2, 0.1).")
        self._field: Field = scalar_field(who, f, [*data])
        if self._field.others:
            raise ArgumentError(
                f"{who}: {self._field.others[0]!r} has no value. Expected a number and its error for it."
            )
        (e,) = self._field.components
        self._point = {s: exact_number(who, data[s.name][0]) for s in self._field.symbols}
        self._errors = [exact_number(who, data[n][1]) for n in self._field.names]
        if any(d.is_negative for d in self._errors):
            raise ArgumentError(f"{who}: got the errors {self._errors}. Expected numbers that are not negative.")
        self._slopes = [shortest(derived(e, s)) for s in self._field.symbols]
        self.value = value_there(who, e, self._point)
        self._there = [value_there(who, s, self._point) for s in self._slopes]
        self.contributions = {
            n: abs(s) * d for n, s, d in zip(self._field.names, self._there, self._errors, strict=True)
        }
        self.maximal = sp.Add(*self.contributions.values())
        self.standard = sp.sqrt(sum(c**2 for c in self.contributions.values()))

    def _steps(self) -> Iterator[LessonStep]:
        f = self._field
        yield f.given()
        data = zip(f.names, self._point.values(), self._errors, strict=True)
        given = [(n, *(self.equation(v) for v in pair)) for n, *pair in data]
        measured = listed([(f"{n} = ", v, " ± ", d) for n, v, d in given])
        yield Note(reason=("measured: ", *measured))
        yield Note(reason=("the partial derivatives, and their values at the measured numbers:",))
        for n, e, v in zip(f.names, self._slopes, self._there, strict=True):
            yield partial_there(self, f, n, e, v)
        yield Note(kind="does", reason=(f.letter, *shown(self.value, self.decimal)))
        parts = " + ".join(f"|∂{f.letter}/∂{n}|·Δ{n}" for n in f.names)
        yield Note(reason=(f"to first order the error is at most Δ{f.letter} = {parts}",))
        yield Note(kind="does", reason=(f"Δ{f.letter}", *shown(self.maximal, self.decimal)))
        yield Note(reason=("of independent errors with these standard deviations, the squares of the terms are added",))
        yield Note(kind="does", reason=(f"σ of {f.letter}", *shown(self.standard, self.decimal)))


class Sensitivity(Solution):
    """The sensitivity of a result to its inputs at a point.

    Attributes:
        value: the value of f.
        derivatives: ∂f/∂x for each input.
        elasticities: x/f·∂f/∂x for each input: the change of f in percent if x changes by one percent.
        formulas: the elasticities as formulas.
    """

    def __init__(self, who: str, f: Any, wrt: Any, at: dict[str, Any]) -> None:
        super().__init__(who, f, wrt, at)
        self._field: Field = scalar_field(who, f, wrt)
        (e,) = self._field.components
        names = [*self._field.names, *self._field.others]
        unknown = sorted({*at} - {*names})
        if unknown or (at and {*names} - {*at}):
            raise ArgumentError(f"{who}: got values of {', '.join(at)}. Expected one for each of {', '.join(names)}.")
        point = {sp.Symbol(n, real=True): exact_number(who, v) for n, v in at.items()}
        self._slopes = [shortest(derived(e, s)) for s in self._field.symbols]
        elastic = [shortest(s * d / e) for s, d in zip(self._field.symbols, self._slopes, strict=True)]
        self.formulas = dict(zip(self._field.names, elastic, strict=True))
        self._point = point
        put: Callable[[Any], Any] = (lambda v: value_there(who, v, point)) if at else (lambda v: v)
        self.value = put(e)
        self.derivatives = {n: put(s) for n, s in zip(self._field.names, self._slopes, strict=True)}
        self.elasticities = {n: put(s) for n, s in self.formulas.items()} if not at or self.value != 0 else {}
        if at and self.value == 0 and who == "elasticity":
            raise ArgumentError(
                "elasticity: the function is 0 there, so relative changes are undefined. Choose another point."
            )

    def _steps(self) -> Iterator[LessonStep]:
        f = self._field
        yield f.given()
        if self._point:
            there = [(self.equation(s, v),) for s, v in self._point.items()]
            yield Note(reason=("at ", *listed(there), ":"))
            value, near = write(self.value, self.decimal), self.near(self.value)
            yield Evaluate(before=f.written[0], after=value, left=Name(f.letter), written=(value,), near=near)
        for n, e in zip(f.names, self._slopes, strict=True):
            yield partial_there(self, f, n, e, self.derivatives[n])
        said = tuple(("does", self._elasticity(n)) for n in self.elasticities)
        if said:
            yield Finding(
                topic="Elasticities", reason=(f"ε = x/{f.letter}·∂{f.letter}/∂x of each input x",), statements=said
            )
        if self._point and self.elasticities:
            yield Finding(topic="To first order", statements=tuple(("remark", s) for s in self._percents()))

    def _elasticity(self, n: str) -> tuple[Any, ...]:
        formula = self.formulas[n]
        parts = distinct(
            (write(formula, self.decimal and formula.is_number), write(self.elasticities[n], self.decimal))
        )
        return (Equation((Spelled(f"ε of {n}", rf"\varepsilon_{{{n}}}"), *parts)),)

    def _percents(self) -> Iterator[tuple[Any, ...]]:
        for n, e in self.elasticities.items():
            value = number(e)
            if value == 0:
                yield (f"A small change of {n} does not change {self._field.letter} to first order.",)
            else:
                way = "increases" if value > 0 else "decreases"
                yield (f"An increase of |{n}| by 1 % {way} |{self._field.letter}| by about {digits(abs(value))} %.",)


@checked
def error_propagation(f: Any, **data: Any) -> ErrorPropagation:
    """Return the propagation of measurement errors, Δf = Σ |∂f/∂x|·Δx and the root of squares, with steps.

    Args:
        f: a formula as text.
        data: the number and the error for each name, as in ``m=(2, 0.1), v=(3, 0.05)``.

    Raises:
        ArgumentError: if a name has no number, or f has no derivative there.

    >>> sg.error_propagation("m*v**2/2", m=(2, 0.1), v=(3, 0.05)).maximal
    3/4
    """
    return ErrorPropagation(f, data)


@checked
def sensitivity(f: Any, wrt: Any = None, **at: Any) -> Sensitivity:
    """Return the derivatives and elasticities of a result with respect to each input, with steps.

    Args:
        f: a formula as text.
        wrt: the inputs; by default all names.
        at: a value for each name; without values, the results are formulas.

    Raises:
        ArgumentError: if a name has no value, or f has no derivative there.

    >>> sg.sensitivity("a*b**2", a=2, b=3).elasticities
    {'a': 1, 'b': 2}
    """
    return Sensitivity("sensitivity", f, wrt, at)


@checked
def elasticity(f: Any, wrt: Any = None, **at: Any) -> Sensitivity:
    """Return the elasticity ε = x/f·f′(x), the change of f in percent if x changes by one percent, with steps.

    Args:
        f: a formula as text.
        wrt: the input, or several; by default all names.
        at: a value for each name; without values, the elasticity is a formula.

    Raises:
        ArgumentError: if a name has no value, or f is 0 there or has no derivative.

    >>> sg.elasticity("100 - 2*p", p=20).elasticities["p"]
    -2/3
    """
    return Sensitivity("elasticity", f, wrt, at)


for _result in (ErrorPropagation, Sensitivity):
    check_methods(_result)
