"""Newton's method, xₙ₊₁ = xₙ − f(xₙ)/f′(xₙ), step by step."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import mpmath

from symgrad.errors import ArgumentError, ArgumentTypeError
from symgrad.expression.formula import Label, Quotient, Spelled, Sum, Unary
from symgrad.support.arguments import check_methods, checked
from symgrad.teach.board.line import Equation
from symgrad.teach.places.points import DIGITS, compiled, derived, digits, number
from symgrad.teach.steps.lesson import Given, LessonStep, NewtonStep, Note
from symgrad.teach.study.approximations import exact_number
from symgrad.teach.study.functions import Subject
from symgrad.teach.study.several.field import low
from symgrad.teach.study.solution import Solution, shortest, write

_MOST = 50
_SHOWN = 10  # digits
_CLOSE, _FLAT = mpmath.mpf(10) ** -12, mpmath.mpf(10) ** -9


class Newton(Solution):
    """The iterates of Newton's method.

    Attributes:
        iterates: x₀, x₁, … to 50 digits.
        converged: whether the last step changed x by a relative amount of less than 10⁻¹².
    """

    def __init__(self, f: str, steps: int, at: dict[str, Any]) -> None:
        super().__init__(f, steps, at)
        if isinstance(steps, bool) or not isinstance(steps, int) or not 1 <= steps <= _MOST:
            raise ArgumentError(f"newton: got steps={steps!r}. Expected a number from 1 to {_MOST}.")
        if len(at) != 1:
            raise ArgumentTypeError(f"newton: expected the starting point by name, as in x=1. Got {sorted(at)}.")
        ((name, start),) = at.items()
        self._subject = Subject("newton", f, name)
        self.name, self.slope = name, shortest(derived(self._subject.expr, self._subject.x))
        self.iterates = [number(exact_number("newton", start))]
        self.converged = False
        self._rows: list[tuple[Any, Any, Any]] = []
        slope = compiled(derived(self._subject.expr, self._subject.x), self._subject.x)
        for _ in range(steps):
            self._step(slope)
            if self.converged:
                break

    def _step(self, slope: Any) -> None:
        x = self.iterates[-1]
        y = self._subject.at(x)
        with mpmath.workdps(DIGITS + 10):
            try:
                m = mpmath.mpmathify(slope(x))
            except (ArithmeticError, ValueError, TypeError):
                m = mpmath.nan
            if not (mpmath.isfinite(y) and isinstance(m, mpmath.mpf) and mpmath.isfinite(m)):
                raise ArgumentError(
                    f"newton: no value or no derivative at {self.name} = {_text(x)}. Choose another start."
                )
            if m == 0 and y != 0:
                raise ArgumentError(
                    f"newton: f′ is 0 at {self.name} = {_text(x)}: the tangent has no zero. Choose another start."
                )
            new = x if y == 0 else x - y / m
            self.converged = bool(abs(new - x) <= _CLOSE * (1 + abs(new)))
        self._rows.append((x, y, m))
        self.iterates.append(new)

    @property
    def root(self) -> Any:
        """The last iterate if the method has converged; otherwise None."""
        return self.iterates[-1] if self.converged else None

    def _steps(self) -> Iterator[LessonStep]:
        f, x = self._subject, self.name
        label, slope = Label("f", 0, (x,)), Label("f", 1, (x,))
        yield Given(before=label, after=f.written, written=(f.written,))
        yield Note(kind="does", reason=(Equation((slope, write(self.slope))),))
        new, old = Spelled(f"{x}ₙ₊₁", f"{x}_{{n+1}}"), Spelled(f"{x}ₙ", f"{x}_n")
        rule = Equation((new, Sum(old, Unary("-", Quotient(Label("f", 0, (old,)), Label("f", 1, (old,)))))))
        yield Note(reason=("the tangent's zero is the next number: ", rule))
        yield Note(kind="does", reason=(f"{x}₀ = {_text(self.iterates[0])}",))
        for k, (at, y, m) in enumerate(self._rows):
            last, following = (f"{x}{low(n)}" for n in (k, k + 1))
            said = f"f({last}) = {_text(y)}, f′({last}) = {_text(m)}, {following} = {_text(self.iterates[k + 1])}"
            yield NewtonStep(before=_text(at), after=_text(self.iterates[k + 1]), reason=(said,))
        if self.converged and abs(self._subject.at(self.iterates[-1])) < _FLAT:
            end = f"{x} ≈ {_text(self.iterates[-1])} is a zero of f to these digits"
            yield Note(kind="remark", reason=(f"the last step changed {x} by less than 10⁻¹²: {end}",))
        else:
            yield Note(kind="remark", reason=("the numbers have not settled yet",))


def _text(value: Any) -> str:
    return digits(value, _SHOWN)


@checked
def newton(f: str, *, steps: int = 8, **at: Any) -> Newton:
    """Return the iterates of Newton's method, xₙ₊₁ = xₙ − f(xₙ)/f′(xₙ), with steps.

    Args:
        f: a formula of one number as text, whose zero is sought.
        steps: the maximum number of steps; the iteration ends when x no longer changes.
        at: the starting point, by name, as in ``x=1``.

    Raises:
        ArgumentError: if f has no value there, or f′ is 0.

    >>> [round(float(x), 6) for x in sg.newton("x**2 - 2", x=1).iterates[:4]]
    [1.0, 1.5, 1.416667, 1.414216]
    """
    return Newton(f, steps, at)


check_methods(Newton)
