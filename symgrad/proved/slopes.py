"""Slopes of a recorded program between a box and a point c of it: F(x) - F(c) lies in S (x - c) for all x of the box.

They are about half as wide as bounds of the Jacobian, since one factor of each product is taken at c.

Source: Neumaier, Interval Methods for Systems of Equations, 1990, section 2.2.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Any, NamedTuple

import sympy as sp
from sympy.logic.boolalg import Boolean

from symgrad.errors import NotYet
from symgrad.proved.expressions import Evaluator
from symgrad.proved.interval import Interval, Undefined, as_ball
from symgrad.proved.tape import Instruction, Tape
from symgrad.scalars import X

Row = dict[int, Any]  # the slopes by an argument that are not zero, as balls
_RULES: dict[Any, Callable[..., Row]] = {
    operator.add: lambda a, b, c: _sum(a.row, b.row),
    operator.sub: lambda a, b, c: _sum(a.row, _scaled(b.row, -1)),
    operator.neg: lambda a, c: _scaled(a.row, -1),
    operator.mul: lambda a, b, c: _sum(_scaled(a.row, b.ball), _scaled(b.row, a.center)),
    operator.truediv: lambda a, b, c: _scaled(_sum(a.row, _scaled(b.row, -c)), 1 / b.ball),
}
_SQUARE = X[0] ** 2


class Number(NamedTuple):
    """A value on the box, also as a ball, its value at the point, and its slopes."""

    value: Interval
    ball: Any
    center: Any
    row: Row


def run(tape: Tape, xs: Sequence[Interval], c: Sequence[Any] | None = None) -> list[Number] | None:
    """Return the outputs on a box, with slopes from a point; None where one is undefined, or not smooth.

    The slopes bound each value of the program, too. Without a point, they are the derivatives in the whole box.
    """
    balls = [as_ball(x) for x in xs]
    away = None if c is None else [x - y for x, y in zip(balls, c, strict=True)]
    one, numbers = as_ball(Interval.of(1)), list[Number]()
    for k, (x, ball, y) in enumerate(zip(xs, balls, c or balls, strict=True)):
        numbers.append(Number(x, ball, y, {k: one}))
    try:
        for step in tape.code:
            numbers.append(_computed(step, [numbers[p] for p in step.places], away))
    except (Undefined, NotYet):
        return None
    return [numbers[y.place] if y.constant is None else _fixed(y.constant) for y in tape.outputs]


def _fixed(x: Interval) -> Number:
    return Number(x, as_ball(x), as_ball(x), {})


def _computed(step: Instruction, args: Sequence[Number], away: Sequence[Any] | None) -> Number:
    """Return what an instruction computes."""
    rule, meaning = step.rule, step.meaning
    value = _value(step, [a.value for a in args])
    if meaning is None or (value.is_point and isinstance(meaning, Boolean)):
        return _fixed(value)
    if away is None:
        center = as_ball(value)
    elif rule is not None and rule in _RULES:
        center = rule(*[a.center for a in args])
    else:
        center = as_ball(_value(step, [_interval(a.center) for a in args]))
    row = _RULES[rule](*args, center) if rule in _RULES else _of_function(meaning, args)
    if away is not None and args[1:] and all([a.row for a in args]):  # else the value is as narrow by itself
        estimate = sum((slope * away[k] for k, slope in row.items()), start=center)
        if not estimate.is_finite():
            raise Undefined("a slope without a bound")
        value = value.meet(_interval(estimate))
    return Number(value, as_ball(value), center, row)


def _value(step: Instruction, xs: Sequence[Interval]) -> Interval:
    value: Interval = step.rule(*xs) if step.rule is not None else _closed(step.meaning, xs)
    return value


def _closed(meaning: Any, xs: Sequence[Interval]) -> Interval:
    """The value of an expression whose conditions are all decided."""
    at = Evaluator(dict(zip(X, xs, strict=False)))
    value = at(meaning)
    if at.is_open:
        raise Undefined("a condition that is open")
    return value


def _of_function(meaning: Any, args: Sequence[Number]) -> Row:
    """The slopes by the mean value theorem; those of a square are exact."""
    if meaning == _SQUARE:
        return _scaled(args[0].row, args[0].ball + args[0].center)
    xs = [a.value for a in args]
    row: Row = {}
    for k, a in enumerate(args):
        row = _sum(row, _scaled(a.row, as_ball(_closed(_partial(meaning, k), xs))))
    return row


@lru_cache(maxsize=1024)
def _partial(meaning: Any, k: int) -> Any:
    return sp.diff(meaning, X[k])


def _interval(ball: Any) -> Interval:
    return Interval(ball.lower(), ball.upper())


def _scaled(row: Row, factor: Any) -> Row:
    return {k: slope * factor for k, slope in row.items()}


def _sum(a: Row, b: Row) -> Row:
    return {k: a[k] + b[k] if k in a and k in b else a.get(k, b.get(k)) for k in a.keys() | b.keys()}
