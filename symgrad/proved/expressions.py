"""What a SymPy expression comes to on intervals: the meaning of elementwise operations.

Where an interval leaves a condition open, both sides are taken, and the walk is told.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from functools import reduce
from typing import Any

import sympy as sp
from sympy.core.relational import Relational
from sympy.logic.boolalg import BooleanAtom

from symgrad.errors import NotYet
from symgrad.proved.interval import (
    Interval,
    Undefined,
    ball,
    flint,
    floor,
    integer_power,
    monotone,
    polygamma,
    power,
    root,
    wave,
)
from symgrad.scalars import Atom, X, fmax, fmin
from symgrad.scalars.special import sinc


class Evaluator:
    """The values of expressions whose symbols have these intervals; shared parts are evaluated once.

    ``is_open`` becomes true where a condition, a sign, a larger or smaller one, or a whole part is not decided.
    ``constants`` are the symbols that have these values in the whole box.
    """

    def __init__(self, values: dict[Any, Interval], constants: Collection[Any] = ()) -> None:
        self._known: dict[Any, Interval] = dict(values)
        self._constants = frozenset(constants)
        self.is_open = False

    def varies(self, e: Any) -> bool:
        """Whether an expression may have other values elsewhere in the box."""
        return not e.free_symbols <= self._constants

    def __call__(self, e: Any) -> Interval:
        """Return the interval of an expression; one of a condition is made of 0, false, and 1, true."""
        value = self._known.get(e)
        if value is None:
            value = self._known[e] = self._evaluated(e)
        elif isinstance(value, Undefined):
            raise value
        return value

    def _evaluated(self, e: Any) -> Interval:
        for kind in type(e).__mro__:
            rule = _RULES.get(kind)
            if rule is not None:
                return rule(self, e)
        if isinstance(e, Atom):
            constants = [x for x, a in zip(X, e.args, strict=False) if not self.varies(a)]
            inner = Evaluator(dict(zip(X, [self(a) for a in e.args], strict=False)), constants)
            value = inner(e.declared.meaning_at(e.args))
            self.is_open |= inner.is_open
            return value
        raise NotYet(f"{type(e).__name__} has no meaning on intervals")

    def truth(self, condition: Any) -> bool | None:
        """Return whether a condition holds for all numbers, for none (False), or for some (None)."""
        value = self(condition)
        if not value.contains(0):
            return True
        if value.is_point:
            return False
        self.is_open = True
        return None


def _truth_value(truth: bool | None) -> Interval:
    return Interval(flint().arb(0), flint().arb(1)) if truth is None else Interval.of(truth)


# ------------------------------------------------------------------ numbers and arithmetic
def _number(at: Evaluator, e: Any) -> Interval:
    if e.is_Rational:
        return Interval.of(int(e.p)) / Interval.of(int(e.q))
    if e in (sp.oo, -sp.oo):
        return Interval.of(float(e))
    if not e.is_Float:
        raise Undefined(f"the constant {e}")
    sign, mantissa, exponent, _ = e._mpf_
    end = flint().arb((-int(mantissa) if sign else int(mantissa), int(exponent)))
    return Interval(end, end)


def _constant(name: str) -> Callable[[Evaluator, Any], Interval]:
    def value(at: Evaluator, e: Any) -> Interval:
        x = getattr(flint().arb, name)()
        return Interval(x.lower(), x.upper())

    return value


def _add(at: Evaluator, e: Any) -> Interval:
    return reduce(lambda a, b: a + b, map(at, e.args))


def _mul(at: Evaluator, e: Any) -> Interval:
    return reduce(lambda a, b: a * b, map(at, e.args))


def _pow(at: Evaluator, e: Any) -> Interval:
    base, exponent = at(e.base), e.exp
    if exponent.is_Integer:
        return integer_power(base, int(exponent))
    if exponent.is_Rational:
        return integer_power(root(base, int(exponent.q)), int(exponent.p))
    return power(base, at(exponent))


# ------------------------------------------------------------------ both sides
def _steps(step: Callable[[Interval], Interval]) -> Callable[[Evaluator, Any], Interval]:
    """A function that is constant between its jumps; a point may be one of them, beside which it has other values."""

    def value(at: Evaluator, e: Any) -> Interval:
        x = at(e.args[0])
        y = step(x)
        at.is_open |= not y.is_point or (x.is_point and bool(x.lower.is_integer()) and at.varies(e))
        return y

    return value


def _mod(at: Evaluator, e: Any) -> Interval:
    """The remainder a - b⌊a/b⌋; between 0 and b where the quotient is not decided."""
    a, b = map(at, e.args)
    ratio = a / b
    quotient = floor(ratio)
    if quotient.is_point:
        at.is_open |= bool(ratio.lower <= quotient.lower and a.is_point and b.is_point) and at.varies(e)
        return a - b * quotient
    at.is_open = True
    return b.hull(Interval.of(0))


def _abs(at: Evaluator, e: Any) -> Interval:
    x = at(e.args[0])
    at.is_open |= x.contains(0)
    return abs(x)


def sign(x: Interval) -> Interval:
    """Return the signs of the numbers."""
    low, high = (int(end > 0) - int(end < 0) for end in (x.lower, x.upper))
    return Interval(flint().arb(low), flint().arb(high))


def largest(a: Interval, b: Interval) -> Interval:
    """Return the larger of two."""
    return Interval(a.lower if a.lower >= b.lower else b.lower, a.upper if a.upper >= b.upper else b.upper)


def _extreme(side: int) -> Callable[[Evaluator, Any], Interval]:
    """The largest argument (side 1), or the smallest (-1)."""

    def value(at: Evaluator, e: Any) -> Interval:
        xs = [at(a) if side > 0 else -at(a) for a in e.args]
        top = reduce(largest, xs)
        at.is_open |= sum(bool(x.upper >= top.lower) for x in xs) > 1
        return top if side > 0 else -top

    return value


def _piecewise(at: Evaluator, e: Any) -> Interval:
    """The first piece whose condition holds; all that may be it, where that is not decided."""
    result: Interval | None = None
    for value, condition in e.args:
        truth = at.truth(condition)
        if truth is False:
            continue
        piece = at(value)
        result = piece if result is None else result.hull(piece)
        if truth:
            return result
    raise Undefined(f"a choice among cases, none of which need hold: {e}")


def _ite(at: Evaluator, e: Any) -> Interval:
    condition, yes, no = e.args
    truth = at.truth(condition)
    return at(yes).hull(at(no)) if truth is None else at(yes if truth else no)


def _all(at: Evaluator, e: Any) -> Interval:
    truths = [at.truth(a) for a in e.args]
    return _truth_value(False if False in truths else None if None in truths else True)


def _any(at: Evaluator, e: Any) -> Interval:
    truths = [at.truth(a) for a in e.args]
    return _truth_value(True if True in truths else None if None in truths else False)


def _not(at: Evaluator, e: Any) -> Interval:
    truth = at.truth(e.args[0])
    return _truth_value(None if truth is None else not truth)


def _xor(at: Evaluator, e: Any) -> Interval:
    truths = [at.truth(a) for a in e.args]
    return _truth_value(None if None in truths else sum(map(bool, truths)) % 2 == 1)


def _less(a: Interval, b: Interval) -> bool | None:
    return True if a.upper < b.lower else False if a.lower >= b.upper else None


def _equal(a: Interval, b: Interval) -> bool | None:
    if a.is_point and b.is_point and a.lower == b.lower:
        return True
    return False if a.upper < b.lower or b.upper < a.lower else None


def _negation(truth: bool | None) -> bool | None:
    return None if truth is None else not truth


_COMPARE: dict[Any, Callable[[Interval, Interval], bool | None]] = {
    sp.StrictLessThan: _less,
    sp.LessThan: lambda a, b: _negation(_less(b, a)),
    sp.StrictGreaterThan: lambda a, b: _less(b, a),
    sp.GreaterThan: lambda a, b: _negation(_less(a, b)),
    sp.Equality: _equal,
    sp.Unequality: lambda a, b: _negation(_equal(a, b)),
}


def _compare(at: Evaluator, e: Relational) -> Interval:
    a, b = at(e.args[0]), at(e.args[1])
    truth = _COMPARE[type(e)](a, b)
    # A program may compute with it as a number, which jumps; also beside a point where both are equal. What is not 0 is
    # mostly a condition that has been evaluated before.
    at.is_open |= truth is None or (
        bool(_equal(a, b)) and at.varies(e) and not (isinstance(e, sp.Ne) and e.args[1] == 0)
    )
    return _truth_value(truth)


# ------------------------------------------------------------------ functions of Arb's
def _function(function: Callable[..., Interval]) -> Callable[[Evaluator, Any], Interval]:
    return lambda at, e: function(*map(at, e.args))


def _at_order(name: str) -> Callable[[Evaluator, Any], Interval]:
    """A Bessel function, whose order comes first in SymPy and last in python-flint."""
    return lambda at, e: ball(name)(at(e.args[1]), at(e.args[0]))


def _incomplete(name: str) -> Callable[[Evaluator, Any], Interval]:
    """An incomplete gamma function, which SciPy has on numbers that are not negative."""

    def value(at: Evaluator, e: Any) -> Interval:
        order, x = map(at, e.args)
        if not (order.lower > 0 and x.lower >= 0):
            raise Undefined(f"{name} of {order} and {x}")
        return ball(name)(x, order)

    return value


def _polygamma(at: Evaluator, e: Any) -> Interval:
    if not e.args[0].is_Integer:
        raise NotYet("polygamma of an order that is no constant has no meaning on intervals")
    return polygamma(int(e.args[0]), at(e.args[1]))


def _atan2(at: Evaluator, e: Any) -> Interval:
    """The angle of (x, y); all angles where the box meets the cut, x ≤ 0 and y = 0."""
    y, x = map(at, e.args)
    atan, pi = monotone("atan"), _constant("pi")(at, e)
    if x.lower > 0:
        return atan(y / x)
    if not y.contains(0):
        return sign(y) * (pi / Interval.of(2)) - atan(x / y)
    at.is_open = True
    return pi.hull(-pi)


FUNCTIONS: dict[Any, Callable[[Interval], Interval]] = {
    **{
        getattr(sp, name): monotone(name)
        for name in ("exp", "log", "asin", "atan", "sinh", "tanh", "asinh", "acosh", "atanh", "erf", "erfinv")
    },
    **{getattr(sp, name): monotone(name, -1) for name in ("acos", "erfc")},
    sp.sin: wave("sin", 0.25),
    sp.cos: wave("cos", 0.0),
    **{getattr(sp, name): ball(name) for name in ("tan", "cot", "gamma")},
}
_RULES: dict[Any, Callable[[Evaluator, Any], Interval]] = {
    sp.Number: _number,
    BooleanAtom: lambda at, e: Interval.of(bool(e)),
    sp.Add: _add,
    sp.Mul: _mul,
    sp.Pow: _pow,
    sp.floor: _steps(floor),
    sp.ceiling: _steps(lambda x: -floor(-x)),
    sp.sign: _steps(sign),
    sp.Mod: _mod,
    sp.Abs: _abs,
    sp.Max: _extreme(1),
    sp.Min: _extreme(-1),
    fmax: _extreme(1),
    fmin: _extreme(-1),
    sp.Piecewise: _piecewise,
    sp.And: _all,
    sp.Or: _any,
    sp.Not: _not,
    sp.Xor: _xor,
    sp.ITE: _ite,
    **dict.fromkeys(_COMPARE, _compare),
    **{kind: _function(function) for kind, function in FUNCTIONS.items()},
    sp.atan2: _atan2,
    sp.cosh: lambda at, e: monotone("cosh")(abs(at(e.args[0]))),
    sp.loggamma: _function(ball("lgamma")),
    sp.polygamma: _polygamma,
    sp.Ei: _function(ball("ei")),
    sp.lowergamma: _incomplete("gamma_lower"),
    sp.uppergamma: _incomplete("gamma_upper"),
    sp.besselj: _at_order("bessel_j"),
    sp.besseli: _at_order("bessel_i"),
    sinc: _function(ball("sinc_pi")),
    type(sp.pi): _constant("pi"),
    type(sp.E): _constant("const_e"),
    type(sp.EulerGamma): _constant("const_euler"),
}
