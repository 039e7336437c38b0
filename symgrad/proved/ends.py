"""A program near an end of its interval, where it may be unbounded: y(s) = c + sᵖ r for all 0 < s ≤ w, with bounds.

A sum keeps the lower power, and a product adds the powers. A smooth function of c + sᵖ r is f(c) + f'(ξ) sᵖ r.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from functools import lru_cache, reduce
from typing import Any, NamedTuple

import sympy as sp

from symgrad.errors import NotYet
from symgrad.proved.expressions import Evaluator
from symgrad.proved.interval import Interval, Undefined, flint, power
from symgrad.proved.tape import Tape
from symgrad.scalars import Atom, X, fmax, fmin

_SMALL = Fraction(1, 8)  # |log s| is bounded by a number times s to minus this
_MOST = 64  # the power of s, at most, that bounds exp(-1/s)
_BOUNDED = {sp.sin: (-1, 1), sp.cos: (-1, 1), sp.tanh: (-1, 1), sp.erf: (-1, 1), sp.erfc: (0, 2), sp.atan: (-2, 2)}


class Near(NamedTuple):
    """All c + sᵖ r, where c and r are functions of s between these bounds; if p < 0, c is 0."""

    constant: Interval
    power: Fraction
    rest: Interval


class End:
    """The numbers 0 < s ≤ w, and arithmetic of functions of s."""

    def __init__(self, width: Interval) -> None:
        if not width.lower > 0:
            raise Undefined("a piece without width")
        self.width = width

    def run(self, tape: Tape, x: Near) -> Near:
        """Return the result of a program of one number."""
        values = [x]
        for rule, meaning, places, *_ in tape.code:
            known = dict(zip(X, [values[p] for p in places], strict=False))
            values.append(_fixed(rule()) if meaning is None else self.value(meaning, known))  # type: ignore[misc]
        (y,) = tape.outputs
        return values[y.place] if y.constant is None else _fixed(y.constant)

    def integral(self, y: Near, weight: int) -> Interval:
        """Return ∫ s^weight y(s) ds from 0 to w."""
        total = Interval.of(0)
        for p, r in ((Fraction(weight), y.constant), (y.power + weight, y.rest)):
            if _is_zero(r):
                continue
            if p <= -1:
                raise Undefined(f"a power {p} of the distance to an end")
            total = total + r * self._raised(p + 1) / _interval(p + 1)
        return total

    # -------------------------------------------------------------- powers of s
    def _raised(self, p: Fraction) -> Interval:
        return power(self.width, _interval(p))

    def _powers(self, p: Fraction) -> Interval:
        """Bounds of sᵖ, p ≥ 0, and of 0 if p > 0."""
        return Interval.of(1) if p == 0 else Interval.of(0).hull(self._raised(p))

    def near(self, constant: Interval, p: Fraction, rest: Interval) -> Near:
        """Return c + sᵖ r; a constant beside a negative power becomes a part of it."""
        if _is_zero(rest):
            return _fixed(constant)
        if p == 0:
            return _fixed(constant + rest)
        return Near(constant, p, rest) if p > 0 else Near(Interval.of(0), p, rest + constant * self._powers(-p))

    def bounds(self, y: Near) -> Interval:
        """Return bounds of y, and of its constant; an end is infinite where y has no bound."""
        if y.power > 0:
            return y.constant + self._powers(y.power) * y.rest
        near, far = self._raised(y.power) * y.rest, flint().arb.pos_inf()
        return Interval(near.lower if y.rest.lower >= 0 else -far, near.upper if y.rest.upper <= 0 else far)

    # -------------------------------------------------------------- expressions
    def value(self, e: Any, known: dict[Any, Near]) -> Near:
        """Return an expression of slots."""
        if e in known:
            return known[e]
        if not e.free_symbols:
            return _fixed(Evaluator({})(e))
        if (
            type(e) in _RULES
            or isinstance(e, Atom)
            or (isinstance(e, sp.Function) and not e.args[1:] and not isinstance(e, sp.Piecewise))
        ):
            return self._of_arguments(e, [self.value(a, known) for a in e.args])
        at = Evaluator({x: self.bounds(y) for x, y in known.items() if x in e.free_symbols})
        for piece, condition in e.args if isinstance(e, sp.Piecewise) else ():
            truth = at.truth(condition)
            if truth is None:
                break
            if truth:
                return self.value(piece, known)
        return _fixed(at(e))

    def _of_arguments(self, e: Any, args: list[Near]) -> Near:
        if isinstance(e, Atom):
            return self.value(e.declared.meaning_at(e.args), dict(zip(X, args, strict=False)))
        return _RULES[type(e)](self, e, args) if type(e) in _RULES else self.smooth(e.func(X[0]), args[0])

    def smooth(self, e: Any, y: Near) -> Near:
        """Return an expression of y: f(c) + f'(ξ) sᵖ r, or where that has no slope bounds of it."""
        if y.power < 0 and type(e) in _BOUNDED:
            low, high = map(Interval.of, _BOUNDED[type(e)])
            return _fixed(low.hull(high))
        at = Evaluator({X[0]: self.bounds(y)})
        whole = at(e)
        if _is_zero(y.rest) or y.power < 0 or at.is_open:
            return _fixed(whole)
        try:
            slope = at(_slope(e))
        except (Undefined, NotYet):
            return _fixed(whole)
        if at.is_open or not slope.is_finite:
            return _fixed(whole)
        return self.near(Evaluator({X[0]: y.constant})(e), y.power, slope * y.rest)

    def add(self, a: Near, b: Near) -> Near:
        """Return a + b."""
        constant = a.constant + b.constant
        if _is_zero(a.rest) or _is_zero(b.rest):
            return self.near(constant, *(b if _is_zero(a.rest) else a)[1:])
        p = min(a.power, b.power)
        return self.near(constant, p, self._powers(a.power - p) * a.rest + self._powers(b.power - p) * b.rest)

    def multiply(self, a: Near, b: Near) -> Near:
        """Return a b."""
        zero = Interval.of(0)
        terms = [
            _fixed(_product(a.constant, b.constant)),
            self.near(zero, a.power, _product(a.rest, b.constant)),
            self.near(zero, b.power, _product(b.rest, a.constant)),
            self.near(zero, a.power + b.power, _product(a.rest, b.rest)),
        ]
        return reduce(self.add, terms)

    def raised(self, y: Near, exponent: Fraction) -> Near:
        """Return y to a constant power."""
        if _is_zero(y.constant) and not _is_zero(y.rest):
            return self.near(y.constant, y.power * exponent, _power(y.rest, _interval(exponent)))
        if exponent.denominator == 1 and 0 < exponent <= _MOST:
            return reduce(self.multiply, [y] * int(exponent))
        return self.smooth(X[0] ** sp.Rational(exponent.numerator, exponent.denominator), y)

    def exponential(self, y: Near) -> Near:
        """Return the exponential, by exp(v(s)) ≥ exp(v(w)) (v(s)/v(w))^j for j ≤ v(w) if |y| ≥ v(s) = m sᵖ, p < 0."""
        if y.power > 0:
            return self.smooth(sp.exp(X[0]), y)
        if y.rest.contains(0):
            raise Undefined("the exponential of a function that is unbounded at an end")
        sign, m = (1, y.rest.lower) if y.rest.lower > 0 else (-1, y.rest.upper)
        nearest = self._raised(y.power) * Interval(m, m)
        j = min(_MOST, int(abs(nearest).lower.floor().unique_fmpz()))
        p = sign * j * y.power
        factor = Evaluator({X[0]: nearest})(sp.exp(X[0])) * self._raised(-p)
        rest = Interval(factor.lower, flint().arb.pos_inf()) if sign > 0 else Interval.of(0).hull(factor)
        return self.near(Interval.of(0), p, rest)

    def logarithm(self, y: Near) -> Near:
        """Return log y: log r + p log s, where s^ε log s is between bounds."""
        if not _is_zero(y.constant) or _is_zero(y.rest):
            return self.smooth(sp.log(X[0]), y)
        log, at_end = _log(y.rest), _log(self.width)
        ends = Interval.of(0).hull(self._raised(_SMALL) * at_end)
        if not at_end.upper < int(-1 / _SMALL):  # where s^ε log s is least, -1/(ε e), at s = exp(-1/ε)
            ends = ends.hull(-_interval(1 / _SMALL) * Evaluator({})(sp.exp(-1)))
        return self.near(log, -_SMALL, _interval(y.power) * ends)


# ------------------------------------------------------------------ rules
_Rule = Callable[[End, Any, list[Near]], Near]


def _pow(end: End, e: Any, args: list[Near]) -> Near:
    base, exponent = args
    if e.exp.is_Rational:
        return end.raised(base, Fraction(int(e.exp.p), int(e.exp.q)))
    if _is_zero(exponent.rest) and exponent.constant.is_point:
        mantissa, shift = map(int, exponent.constant.lower.man_exp())
        return end.raised(base, mantissa * Fraction(2) ** shift)
    return end.exponential(end.multiply(exponent, end.logarithm(base)))


def _abs(end: End, e: Any, args: list[Near]) -> Near:
    (y,) = args
    return end.near(y.constant, y.power, abs(y.rest)) if _is_zero(y.constant) else end.smooth(sp.Abs(X[0]), y)


def _hyperbolic(sign: int) -> _Rule:
    """The hyperbolic sine (-1) or cosine (1)."""

    def rule(end: End, e: Any, args: list[Near]) -> Near:
        (y,) = args
        if y.power > 0:
            return end.smooth(e.func(X[0]), y)
        less = end.multiply(y, _number(-1))
        both = end.add(end.exponential(y), end.multiply(end.exponential(less), _number(sign)))
        return end.multiply(both, _fixed(_interval(Fraction(1, 2))))

    return rule


def _erfc(end: End, e: Any, args: list[Near]) -> Near:
    (y,) = args
    if y.power > 0 or not y.rest.lower > 0:
        return end.smooth(sp.erfc(X[0]), y)
    square = end.multiply(end.multiply(y, y), _number(-1))
    return end.multiply(end.exponential(square), _fixed(Interval.of(0).hull(Interval.of(1))))  # erfc x ≤ exp(-x²)


def _extreme(end: End, e: Any, args: list[Near]) -> Near:
    """The largest or the smallest argument: that which certainly is it, else between the bounds of all."""
    ranges, side = [end.bounds(y) for y in args], 1 if isinstance(e, (sp.Max, fmax)) else -1
    for y, x in zip(args, ranges, strict=True):
        if all(x is z or (x.lower >= z.upper if side > 0 else x.upper <= z.lower) for z in ranges):
            return y
    return _fixed(Evaluator(dict(zip(X, ranges, strict=False)))(e.func(*X[: len(args)])))


_RULES: dict[Any, _Rule] = {
    sp.Add: lambda end, e, args: reduce(end.add, args),
    sp.Mul: lambda end, e, args: reduce(end.multiply, args),
    sp.Pow: _pow,
    sp.exp: lambda end, e, args: end.exponential(args[0]),
    sp.log: lambda end, e, args: end.logarithm(args[0]),
    sp.Abs: _abs,
    sp.cosh: _hyperbolic(1),
    sp.sinh: _hyperbolic(-1),
    sp.erfc: _erfc,
    **dict.fromkeys((sp.Max, sp.Min, fmax, fmin), _extreme),
}


def _fixed(c: Interval) -> Near:
    """A function between two bounds."""
    return Near(c, Fraction(1), Interval.of(0))


def _number(n: int) -> Near:
    return _fixed(Interval.of(n))


def _is_zero(x: Interval) -> bool:
    return x.is_point and x.contains(0)


def _product(a: Interval, b: Interval) -> Interval:
    """The product, where a zero makes even one without bounds zero."""
    return Interval.of(0) if _is_zero(a) or _is_zero(b) else a * b


def _power(x: Interval, exponent: Interval) -> Interval:
    """The powers of positive numbers that may have no upper bound; of all numbers with one those that they have."""
    if x.is_finite or not x.lower > 0:
        return power(x, exponent)
    at_lower = power(Interval(x.lower, x.lower), exponent)
    return Interval(at_lower.lower, x.upper) if exponent.lower > 0 else Interval.of(0).hull(at_lower)


def _interval(p: Fraction) -> Interval:
    return Interval.of(p.numerator) / Interval.of(p.denominator)


def _log(x: Interval) -> Interval:
    return Evaluator({X[0]: x})(sp.log(X[0]))


@lru_cache(maxsize=256)
def _slope(e: Any) -> Any:
    return sp.diff(e, X[0])
