"""The closed interval method: the extreme values of a continuous function, by comparing candidates."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import mpmath

from symgrad.errors import ArgumentError
from symgrad.expression.formula import Label
from symgrad.forms.derive import derive
from symgrad.support.arguments import check_methods, checked
from symgrad.teach.board.line import Equation
from symgrad.teach.calculus.lesson import written_form
from symgrad.teach.places.points import Place, place
from symgrad.teach.steps.lesson import Finding, Given, LessonStep, Note
from symgrad.teach.study.approximations import exact_number
from symgrad.teach.study.chart import Chart
from symgrad.teach.study.functions import Interval, Subject
from symgrad.teach.study.solution import Solution, listed

_SMALL = mpmath.mpf(10) ** -30


class Candidate(NamedTuple):
    """A point at which a continuous function may have its largest or smallest value, with the value and the reason."""

    x: Place
    y: Place
    reason: str


class ClosedInterval(Solution):
    """The largest and the smallest value of a function on a closed interval.

    Attributes:
        candidates: the ends, the zeros of f′ and the kinks, in order.
        maximum, minimum: the first candidates with the largest and the smallest value.
    """

    def __init__(self, f: str, low: Any, high: Any, wrt: str | None = None) -> None:
        super().__init__(f, low, high, wrt)
        who = "closed_interval"
        a, b = (place(exact_number(who, e)) for e in (low, high))
        if not a.value < b.value:
            raise ArgumentError(f"closed_interval: got the ends {low} and {high}. Expected the smaller one first.")
        self._subject = subject = Subject(who, f, wrt)
        subject.period, subject.bounded, subject.window = None, True, Interval(a, b, True, True)
        self._ends = a, b
        self._chart = chart = Chart(subject)
        parts = chart.domain
        continuous = (
            len(parts) == 1 and parts[0].low is a and parts[0].high is b and parts[0].has_low and parts[0].has_high
        )
        if not continuous or any(not chart.joins(p, q) for p, q in chart.meetings()):
            raise ArgumentError(
                f"closed_interval: {f!r} is not defined everywhere on [{low}, {high}], or jumps there. Expected an "
                "interval on which it is continuous."
            )
        if chart.is_doubted(1):
            raise ArgumentError(
                f"closed_interval: the zeros of the derivative of {f!r} were not all found on the interval."
            )
        self.candidates = list(self._compared())
        self.maximum = max(self.candidates, key=lambda c: c.y.value)
        self.minimum = min(self.candidates, key=lambda c: c.y.value)

    def _compared(self) -> Iterator[Candidate]:
        low, high = self._ends
        yield Candidate(low, self._subject.exact_at(low), "end")
        for p, q in self._chart.meetings():
            x = p.interval.high
            if not self._chart.is_smooth(p, q):
                yield Candidate(x, self._subject.exact_at(x), "no derivative")
            elif abs(self._chart.slopes_at(p, q)[0]) < _SMALL:
                yield Candidate(x, self._subject.exact_at(x), "f′ = 0")
        yield Candidate(high, self._subject.exact_at(high), "end")

    def _steps(self) -> Iterator[LessonStep]:
        f, (low, high) = self._subject, self._ends
        yield Given(before=Label("f", 0, (f.name,)), after=f.written, written=(f.written,))
        why = (
            "f is continuous on [",
            *low.shown,
            ", ",
            *high.shown,
            "], so that it has a greatest and a least value: at ",
        )
        yield Note(reason=(*why, "an end, where f′ = 0, or where there is no derivative"))
        form = derive(f.text, f.name, verify=False)
        yield Note(kind="does", reason=(Equation((Label("f", 1, (f.name,)), written_form(form))),))
        said = [
            ("remark", (f"f({f.name})", *c.y.parts, f" at {f.name}", *c.x.parts, f" ({c.reason})"))
            for c in self.candidates
        ]
        yield Finding(topic="Candidates", statements=tuple(said))
        best = [("greatest", self.maximum), ("least", self.minimum)]
        lines = [("remark", (f"the {word} value is ", *c.y.shown, *self._where(c))) for word, c in best]
        yield Finding(topic="Greatest and least value", statements=tuple(lines))

    def _where(self, best: Candidate) -> tuple[Any, ...]:
        same = [c for c in self.candidates if abs(c.y.value - best.y.value) < _SMALL * (1 + abs(best.y.value))]
        return (", at ", *listed([(self._subject.name, *c.x.parts) for c in same], " and "))


@checked
def closed_interval(f: str, low: Any, high: Any, wrt: str | None = None) -> ClosedInterval:
    """Return the largest and the smallest value of f on [low, high] by the closed interval method, with steps.

    Args:
        f: a formula of one number as text.
        low, high: the ends: numbers, or exact ones as text, such as ``"2*pi"``.
        wrt: the name of the number; it may be omitted if there is only one.

    Raises:
        ArgumentError: if f is not continuous there, or it cannot be proved that all critical numbers were found.

    >>> best = sg.closed_interval("x**3 - 3*x", 0, 3)
    >>> str(best.maximum.y), str(best.minimum.x)
    ('18', '1')
    """
    return ClosedInterval(f, low, high, wrt)


check_methods(ClosedInterval)
