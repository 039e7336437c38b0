"""What a result says about its arguments: the numbers of their intervals that can lead to it.

A rule takes the intervals of an instruction's result and of its arguments, and returns intervals that contain those
numbers. ``Empty`` is raised where there are none.

Source: Benhamou, Goualard, Granvilliers and Puget, Revising Hull and Box Consistency, 1999.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Any

import sympy as sp

from symgrad.proved.expressions import FUNCTIONS
from symgrad.proved.interval import Interval, flint, integer_power, root
from symgrad.scalars import X

Rule = Callable[..., Sequence[Interval]]


class Empty(Exception):
    """No number of the box leads to the result."""


def meet(x: Interval, y: Interval) -> Interval:
    """Return the numbers that are in both intervals."""
    if x.upper < y.lower or y.upper < x.lower:
        raise Empty
    return x.meet(y)


def _hull(x: Interval, parts: Sequence[Interval]) -> Interval:
    """The smallest interval with all numbers of x that are in one of the parts."""
    inside = [x.meet(p) for p in parts if not (x.upper < p.lower or p.upper < x.lower)]
    if not inside:
        raise Empty
    whole = inside[0]
    for part in inside[1:]:
        whole = whole.hull(part)
    return whole


def _ray(end: Interval, sign: int) -> Interval:
    """The numbers above (1) or below (-1) one that lies in an interval."""
    far = flint().arb.pos_inf()
    return Interval(end.lower, far) if sign > 0 else Interval(-far, end.upper)


def _point(end: Any) -> Interval:
    return Interval(end, end)


def quotient(z: Interval, y: Interval, x: Interval) -> Interval:
    """Return the numbers of x with a product in z with a number of y, which may be 0."""
    if not y.contains(0):
        return meet(x, z / y)
    if z.contains(0):
        return x
    sign, near = (1, z.lower) if z.lower > 0 else (-1, z.upper)
    ends = [(y.upper, sign), (y.lower, -sign)]
    return _hull(x, [_ray(_point(near) / _point(end), side) for end, side in ends if not end.is_zero()])


def _even(z: Interval, x: Interval, inverse: Callable[[Interval], Interval]) -> tuple[Interval]:
    """The numbers whose absolute value is the inverse of a number of z."""
    size = inverse(meet(z, Interval(flint().arb(0), flint().arb.pos_inf())))
    return (_hull(x, [size, -size]),)


def _odd_root(z: Interval, n: int) -> Interval:
    if z.lower >= 0:
        return root(z, n)
    if z.upper <= 0:
        return -root(-z, n)
    zero = flint().arb(0)
    return _odd_root(Interval(z.lower, zero), n).hull(root(Interval(zero, z.upper), n))


def _power(n: int) -> Rule:
    def rule(z: Interval, x: Interval) -> Sequence[Interval]:
        if n % 2:
            return (_odd_root(z, n),)
        return _even(z, x, lambda y: root(y, n))

    return rule


def _wave(crest: float) -> Rule:
    """The numbers whose cosine, or sine, is in z; those of one turn are ± an angle from a crest."""

    def rule(z: Interval, x: Interval) -> Sequence[Interval]:
        first, last = (float(end) / (2 * math.pi) - crest for end in (x.lower, x.upper))
        if not (first > -_FAR and last < _FAR and last - first < 2):
            return (x,)
        one, turn = flint().arb(1), 2 * flint().arb.pi()
        z = meet(z, Interval(-one, one))
        angle = Interval(z.upper.acos().lower(), z.lower.acos().upper())
        turns = range(math.floor(first + 0.5 - _SLACK), math.floor(last + 0.5 + _SLACK) + 1)
        middles = [turn * (k + crest) for k in turns]
        at = [Interval(m.lower(), m.upper()) for m in middles]
        return (_hull(x, [m + side for m in at for side in (angle, -angle)]),)

    return rule


_FAR, _SLACK = 1e5, 1e-9
_INVERSES = {sp.exp: sp.log, sp.sinh: sp.asinh, sp.tanh: sp.atanh, sp.erf: sp.erfinv}
_INVERSES |= {g: f for f, g in _INVERSES.items()} | {sp.asin: sp.sin, sp.acos: sp.cos, sp.atan: sp.tan}
_RULES: dict[Any, Rule] = {
    X[0] + X[1]: lambda z, a, b: (z - b, z - a),
    X[0] - X[1]: lambda z, a, b: (z + b, a - z),
    X[0] * X[1]: lambda z, a, b: (quotient(z, b, a), quotient(z, a, b)),
    X[0] / X[1]: lambda z, a, b: (z * b, quotient(a, z, b)),
    -X[0]: lambda z, a: (-z,),
    sp.Abs(X[0]): lambda z, a: _even(z, a, lambda y: y),
    sp.sin(X[0]): _wave(0.25),
    sp.cos(X[0]): _wave(0.0),
    1 / X[0]: lambda z, a: (quotient(Interval.of(1), z, a),),
    sp.sqrt(X[0]): lambda z, a: (integer_power(z, 2),),
}


@lru_cache(maxsize=1024)
def inverse(meaning: Any) -> Rule | None:
    """Return the rule of an instruction; None where its result says nothing that is easily read."""
    if type(meaning) in _INVERSES and meaning.args == (X[0],):
        back = FUNCTIONS[_INVERSES[type(meaning)]]
        return lambda z, a: (back(z),)
    if isinstance(meaning, sp.Pow) and meaning.base == X[0] and meaning.exp.is_Integer and meaning.exp > 1:
        return _power(int(meaning.exp))
    return _RULES.get(meaning)
