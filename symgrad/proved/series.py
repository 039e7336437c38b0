"""A recorded program on power series of Arb's: the Taylor coefficients of its results, with certain radii."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import reduce
from operator import add, mul
from typing import Any

import sympy as sp

from symgrad.errors import NotYet
from symgrad.proved.expressions import Evaluator
from symgrad.proved.interval import Interval, Undefined, as_ball, flint
from symgrad.proved.tape import Tape
from symgrad.scalars import Atom, X

Series = Any  # flint.arb_series


def run(tape: Tape, rows: Sequence[Sequence[Any]], length: int) -> list[Series]:
    """Return the series of the outputs, with so many coefficients; those of the inputs are given."""
    context = flint().ctx
    cap, context.cap = context.cap, length
    try:
        return _series(tape, [flint().arb_series(list(row)) for row in rows])
    finally:
        context.cap = cap


def _series(tape: Tape, values: list[Series]) -> list[Series]:
    for rule, meaning, places, *_ in tape.code:
        try:
            known = dict(zip(X, [values[p] for p in places], strict=False))
            values.append(_constant(rule()) if meaning is None else _value(meaning, known))  # type: ignore[misc]
        except (ValueError, ZeroDivisionError) as error:
            raise Undefined(str(error)) from error
        if values[-1].prec < flint().ctx.cap:  # a series that is shorter, whose further coefficients read as 0
            raise Undefined(f"{meaning} has no power series")
    return [_constant(c.constant) if c.constant is not None else values[c.place] for c in tape.outputs]


def _constant(x: Any) -> Series:
    return flint().arb_series([as_ball(x if isinstance(x, Interval) else Evaluator({})(x))])


def _value(e: Any, known: dict[Any, Series]) -> Series:
    """Return the series of an expression of slots."""
    if e in known:
        return known[e]
    if not e.free_symbols:
        return _constant(e)
    rule = _RULES.get(type(e))
    if rule is not None:
        return rule(e, [_value(a, known) for a in e.args])
    if isinstance(e, Atom):
        return _value(e.declared.meaning_at(e.args), dict(zip(X, [_value(a, known) for a in e.args], strict=False)))
    raise NotYet(f"{type(e).__name__} has no power series")


def _whole(base: Series, n: int) -> Series:
    """Return a power by products, since Arb's power of a constant that may be 0 goes by the logarithm."""
    power = flint().arb_series([1])
    while n:
        power = power * base if n % 2 else power
        base, n = base * base, n // 2
    return power


def _power(e: Any, args: Sequence[Series]) -> Series:
    base, exponent = args
    if e.exp.is_Integer and e.exp >= 0:
        return _whole(base, int(e.exp))
    if e.exp.is_Integer and not base[0].contains(0):  # else Arb divides t² by t
        return 1 / _whole(base, -int(e.exp))
    if not base[0] > 0:
        raise Undefined(f"power of {base[0]} to {e.exp}")
    if e.exp.is_Rational and e.exp.q == 2:
        return _whole(base.sqrt() if e.exp > 0 else base.rsqrt(), abs(int(e.exp.p)))
    return (exponent * base.log()).exp()


def _tanh(e: Any, args: Sequence[Series]) -> Series:
    return 1 - 2 / ((2 * args[0]).exp() + 1)


def _sinh(sign: int) -> Callable[[Any, Sequence[Series]], Series]:
    return lambda e, args: (args[0].exp() + sign * (-args[0]).exp()) / 2


def _named(name: str) -> Callable[[Any, Sequence[Series]], Series]:
    return lambda e, args: getattr(args[0], name)()


_RULES: dict[Any, Callable[[Any, Sequence[Series]], Series]] = {
    sp.Add: lambda e, args: reduce(add, args),
    sp.Mul: lambda e, args: reduce(mul, args),  # a quotient is a product with a power
    sp.Pow: _power,
    sp.tanh: _tanh,
    sp.sinh: _sinh(-1),
    sp.cosh: _sinh(1),
    **{
        getattr(sp, name): _named(name)
        for name in ("exp", "log", "sin", "cos", "tan", "asin", "acos", "atan", "erf", "erfc", "gamma")
    },
}
