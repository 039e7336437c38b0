"""Intervals of real numbers with outward rounding: two ends, each an exact number of Arb's.

Every result contains the results for all numbers of the arguments. A function that has no finite value for some of them
raises; it never answers.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable
from functools import lru_cache
from typing import Any

import numpy as np

from symgrad.errors import ArgumentError, ArgumentTypeError, NotYet
from symgrad.support.extras import required


class Undefined(ArgumentError):
    """A function has no finite value somewhere in the box."""

    is_named = False  # whether the operation is said


@lru_cache(maxsize=1)
def flint() -> Any:
    """Return the module flint, of the extra ``proved``."""
    return required("enclose", "proved", "flint")


class Interval:
    """All real numbers from ``lower`` to ``upper``, which are exact."""

    __slots__ = ("lower", "upper")
    __hash__ = None  # type: ignore[assignment]

    def __init__(self, lower: Any, upper: Any) -> None:
        self.lower, self.upper = lower, upper

    def __repr__(self) -> str:
        low, high = self.floats()
        return f"[{low!r}, {high!r}]"

    # -------------------------------------------------------------- making and reading
    @staticmethod
    def of(x: Any) -> Interval:
        """Return a number as an interval; a float stands for itself, not for the decimal that it prints as."""
        if isinstance(x, Interval):
            return x
        if isinstance(x, (bool, np.bool_)):
            return Interval.of(int(x))
        if isinstance(x, (int, np.integer)):
            return _around(flint().arb(int(x)))
        if isinstance(x, (float, np.floating)):
            if np.isnan(x):
                raise Undefined("enclose: the program has the constant nan, which is not a number.")
            end = flint().arb(float(x))
            return Interval(end, end)
        raise ArgumentTypeError(f"enclose: the bounds of an interval must be real numbers. Got {type(x).__name__}.")

    def floats(self) -> tuple[float, float]:
        """Return the ends as floats, rounded outward."""
        return _rounded(self.lower, -np.inf), _rounded(self.upper, np.inf)

    @property
    def is_point(self) -> bool:
        """Whether it is one number."""
        return bool(self.lower == self.upper)

    @property
    def is_finite(self) -> bool:
        """Whether both ends are numbers."""
        return bool(self.lower.is_finite() and self.upper.is_finite())

    def hull(self, other: Interval) -> Interval:
        """Return the smallest interval that contains both."""
        return Interval(_least(self.lower, other.lower), _most(self.upper, other.upper))

    def meet(self, other: Interval) -> Interval:
        """Return the numbers that are in both, which have some in common."""
        return Interval(_most(self.lower, other.lower), _least(self.upper, other.upper))

    # -------------------------------------------------------------- order: never a guess
    def _refuse(self, other: Any = None) -> Any:
        raise NotYet("it compares numbers that stand for a whole interval")

    __bool__ = __float__ = __int__ = __index__ = __complex__ = _refuse
    __eq__ = __ne__ = __lt__ = __le__ = __gt__ = __ge__ = _refuse

    def contains(self, number: Any) -> bool:
        """Whether a number, an int or an exact one of Arb's, lies in it."""
        return bool(self.lower <= number and number <= self.upper)

    # -------------------------------------------------------------- arithmetic
    def __neg__(self) -> Interval:
        return Interval(_negated(self.upper), _negated(self.lower))

    def __pos__(self) -> Interval:
        return self

    def __add__(self, other: Any) -> Interval:
        other = _operand(other)
        if other is None:
            return NotImplemented
        return _between(self.lower + other.lower, self.upper + other.upper, _opposite, self, other)

    def __mul__(self, other: Any) -> Interval:
        other = _operand(other)
        if other is None:
            return NotImplemented
        a, b, c, d = self.lower, self.upper, other.lower, other.upper
        if a >= 0:
            return _between((a if c >= 0 else b) * c, (b if d >= 0 else a) * d, _vanishing, self, other)
        if b <= 0:
            return _between((a if d >= 0 else b) * d, (b if c >= 0 else a) * c, _vanishing, self, other)
        if c >= 0:
            return _between(a * d, b * d, _vanishing, self, other)
        if d <= 0:
            return _between(b * c, a * c, _vanishing, self, other)
        return _between((a * d).min(b * c), (a * c).max(b * d), _vanishing, self, other)

    def __sub__(self, other: Any) -> Interval:
        other = _operand(other)
        if other is None:
            return NotImplemented
        return _between(self.lower - other.upper, self.upper - other.lower, _opposite, self, -other)

    def __rsub__(self, other: Any) -> Interval:
        return -self + Interval.of(other)

    def __truediv__(self, other: Any) -> Interval:
        other = _operand(other)
        if other is None:
            return NotImplemented
        if other.contains(0):
            raise Undefined(f"division by {other}")
        a, b, c, d = self.lower, self.upper, other.lower, other.upper
        if c > 0:
            return _between(a / (d if a >= 0 else c), b / (c if b >= 0 else d), _infinite, self, other)
        return _between(b / (d if b >= 0 else c), a / (c if a >= 0 else d), _infinite, self, other)

    def __rtruediv__(self, other: Any) -> Interval:
        return Interval.of(other) / self

    __radd__, __rmul__ = __add__, __mul__

    def __abs__(self) -> Interval:
        if self.lower >= 0:
            return self
        if self.upper <= 0:
            return -self
        return Interval(flint().arb(0), _most(_negated(self.lower), self.upper))

    def __pow__(self, other: Any) -> Interval:
        other = _operand(other)
        return NotImplemented if other is None else power(self, other)

    def __rpow__(self, other: Any) -> Interval:
        return power(Interval.of(other), self)


def _operand(x: Any) -> Interval | None:
    if type(x) is Interval:
        return x
    return None if isinstance(x, np.ndarray) else Interval.of(x)


def _negated(end: Any) -> Any:
    """The negative of an end, which is exact whatever the precision."""
    return end.neg(exact=True)


def _least(a: Any, b: Any) -> Any:
    return a if a <= b else b


def _most(a: Any, b: Any) -> Any:
    return a if a >= b else b


def _between(low: Any, high: Any, *clash: Any) -> Interval:
    """The interval from a ball's lower to another's upper end.

    If one is infinite, ``clash`` tells, of the arguments that follow, whether some of their numbers have no result.
    """
    lower, upper = low.lower(), high.upper()
    if lower <= upper and ((lower.is_finite() and upper.is_finite()) or not (clash and clash[0](*clash[1:]))):
        return Interval(lower, upper)
    raise Undefined("∞ - ∞, 0·∞ or ∞/∞")


def _opposite(x: Interval, y: Interval) -> bool:
    """Whether ∞ is in one interval and -∞ in the other."""
    return bool((x.lower + y.upper).is_nan() or (x.upper + y.lower).is_nan())


def _vanishing(x: Interval, y: Interval) -> bool:
    """Whether 0 is in one interval and an infinity in the other."""
    return (x.contains(0) and not y.is_finite) or (y.contains(0) and not x.is_finite)


def _infinite(x: Interval, y: Interval) -> bool:
    """Whether infinities are in both intervals."""
    return not (x.is_finite or y.is_finite)


def _spanned(balls: list[Any]) -> Interval:
    """The smallest interval that contains these balls."""
    interval = _around(balls[0])
    for ball in balls[1:]:
        interval = interval.hull(_around(ball))
    return interval


def _around(ball: Any) -> Interval:
    return _between(ball, ball)


def _rounded(end: Any, side: float) -> float:
    """The float nearest to an exact end on this side of it."""
    if not end.is_finite():
        return float(end)
    near = float(end)
    exact = flint().arb(near)
    inside = exact > end if side < 0 else exact < end
    return float(np.nextafter(near, side)) if inside else near


# ------------------------------------------------------------------ functions
Function = Callable[[Interval], Interval]


def _finite(lower: Any, upper: Any, name: str, x: Any) -> Interval:
    if not (lower.is_finite() and upper.is_finite()):
        raise Undefined(f"{name} of {x}")
    return Interval(lower.lower(), upper.upper())


def monotone(name: str, sign: int = 1) -> Function:
    """Return a function of Arb's that rises (sign 1) or falls (-1) wherever it is defined, which is an interval."""
    read = operator.methodcaller(name)

    def function(x: Interval) -> Interval:
        low, high = (read(x.lower), read(x.upper))[::sign]
        return _finite(low, high, name, x)

    return function


def ball(name: str) -> Callable[..., Interval]:
    """Return a function of Arb's on balls."""

    def function(x: Interval, *others: Interval) -> Interval:
        if not x.is_finite:
            raise Undefined(f"{name} of {x}")
        y = getattr(as_ball(x), name)(*map(as_ball, others))
        return _finite(y, y, name, x if not others else (x, *others))

    return function


def wave(name: str, crest: float) -> Function:
    """Return the sine or the cosine, which is 1 at ``crest`` turns and -1 half a turn later."""
    read = operator.methodcaller(name)

    def function(x: Interval) -> Interval:
        if not x.is_finite:
            raise Undefined(f"{name} of {x}")
        if x.is_point:
            y = read(x.lower)
            return _finite(y, y, name, x)
        first, last = float(x.lower) / _TURN - crest, float(x.upper) / _TURN - crest
        if not (first > -_FAR and last < _FAR and last - first < 1):
            return Interval(flint().arb(-1), flint().arb(1))
        a, b = read(x.lower), read(x.upper)
        has_least, has_most = _meets_integer(first - 0.5, last - 0.5), _meets_integer(first, last)
        lower = flint().arb(-1) if has_least else _least(a.lower(), b.lower())
        return Interval(lower, flint().arb(1) if has_most else _most(a.upper(), b.upper()))

    return function


def polygamma(n: int, x: Interval) -> Interval:
    """Return ψ⁽ⁿ⁾(x), which rises for even n and falls for odd n where x is positive."""

    def read(end: Any) -> Any:
        return flint().acb(end).polygamma(flint().acb(n)).real

    if x.lower > 0:
        low, high = (read(x.lower), read(x.upper))[:: -1 if n % 2 else 1]
    else:
        low = high = read(as_ball(x))
    return _finite(low, high, f"polygamma {n}", x)


_TURN, _FAR, _SLACK = 2 * np.pi, 1e5, 1e-9


def _meets_integer(first: float, last: float) -> bool:
    """Whether an integer may lie between two floats, which are not quite certain."""
    return math.floor(last + _SLACK) > math.floor(first - _SLACK)


def as_ball(x: Interval) -> Any:
    """Return the ball of Arb's that contains an interval."""
    return x.lower if x.is_point else x.lower.union(x.upper)


_exp, _log = monotone("exp"), monotone("log")


def power(base: Interval, exponent: Interval) -> Interval:
    """Return the powers of non-negative bases; of negative ones those with an integer in the exponent."""
    if exponent.is_point and exponent.lower.is_integer() and abs(exponent.lower) < 1 << 31:
        return integer_power(base, int(exponent.lower.unique_fmpz()))
    if base.lower > 0:
        return _exp(exponent * _log(base))
    if base.lower >= 0 and exponent.lower > 0:  # 0 to a positive power is 0
        largest = _exp(exponent * _log(Interval(base.upper, base.upper))) if base.upper > 0 else base
        return Interval(flint().arb(0), largest.upper)
    raise Undefined(f"power of {base} to {exponent}")


def integer_power(base: Interval, n: int) -> Interval:
    """Return xⁿ; x⁰ is 1, of 0 too, as in NumPy."""
    if n < 0:
        return Interval.of(1) / integer_power(base, -n)
    x = base if n % 2 or base.lower >= 0 else abs(base)
    return _finite(x.lower**n, x.upper**n, f"power {n}", x)


def root(x: Interval, q: int) -> Interval:
    """Return the q-th root of a non-negative number."""
    if not x.lower >= 0:
        raise Undefined(f"root {q} of {x}")
    lower, upper = (end if end.is_zero() else end.root(q) for end in (x.lower, x.upper))
    return _finite(lower, upper, f"root {q}", x)


def floor(x: Interval) -> Interval:
    """Return the greatest integers up to x."""
    return _finite(x.lower.floor(), x.upper.floor(), "floor", x)
