"""Places on a line: exact where SymPy has a formula for them, else to 50 digits; and numbers recognised as formulas."""

from __future__ import annotations

import inspect
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache, partial
from typing import Any

import mpmath
import sympy as sp

from symgrad.expression.printer import handwritten
from symgrad.expression.words import RAISED
from symgrad.scalars import differentiate, in_full
from symgrad.teach.board.line import Equation
from symgrad.teach.board.reading import SympyFormatter

DIGITS = 50
COMPARED = {1: "> 0", -1: "< 0", 0: "= 0"}  # by the sign of a number
SHOWN = 6  # digits of a number that has no formula
_SMALL = mpmath.mpf(10) ** -38
_CALLS = 600_000  # of Python's functions that one question to SymPy may take; no clock, so that answers do not change
_LONG = 9  # operations of a number that is written as a formula


class _Spent(BaseException):
    """More calls than a question may take."""


def asked(question: Callable[[], Any], calls: int = _CALLS) -> Any:
    """Return what SymPy answers within so many calls of functions; None where it takes more, or fails."""
    spent = 0

    def count(frame: Any, event: str, _: Any) -> None:  # without a result, so that no lines are traced
        nonlocal spent
        spent += 1
        if spent > calls and not frame.f_code.co_flags & inspect.CO_GENERATOR:  # one that is closed swallows errors
            raise _Spent

    before = sys.gettrace()
    sys.settrace(count)
    try:
        return question()
    except (_Spent, Exception):  # of any kind: SymPy has no answer
        return None
    finally:
        sys.settrace(before)


@dataclass(frozen=True)
class Place:
    """A number, with its formula where one is known.

    Attributes:
        value: to 50 digits.
        exact: the formula in SymPy's classes, or None.
    """

    value: Any
    exact: Any = None

    def __float__(self) -> float:
        return float(self.value)

    def __str__(self) -> str:
        return digits(self.value) if self.exact is None else handwritten(SympyFormatter().write(self.exact))

    @property
    def parts(self) -> tuple[Any, ...]:
        """How it stands behind a name: = and its formula, or ≈ and its digits."""
        if self.exact is not None:
            return (" = ", Equation((SympyFormatter().write(self.exact),)))
        return (f" ≈ {digits(self.value)}",)

    @property
    def shown(self) -> tuple[Any, ...]:
        """How it stands alone."""
        return self.parts[1:] if self.exact is not None else (digits(self.value),)


def digits(value: Any, many: int = SHOWN) -> str:
    """Return a number to six digits, or as many, as 1.5·10⁻⁷ where it is small."""
    first, e, power = str(mpmath.nstr(value, many, strip_zeros=True)).partition("e")
    raised = "·10" + "".join(RAISED[c] for c in power.removeprefix("+")) if e else ""
    return first.replace("-", "−").removesuffix(".0") + raised


def number(e: Any) -> Any:
    """Return a constant of SymPy's to 50 digits; nan where it is not real."""
    with mpmath.workdps(DIGITS + 10):
        try:
            value = mpmath.mpmathify(sp.N(e, DIGITS + 10))
        except (TypeError, ValueError):
            return mpmath.nan
        return value if isinstance(value, mpmath.mpf) else value.real if abs(value.imag) < _SMALL else mpmath.nan


def place(e: Any) -> Place:
    """Return the place of a formula without names; a long one is a number."""
    e = sp.sympify(e)
    short = e.count_ops() <= _LONG and not e.has(sp.CRootOf) and not e.has(sp.I)
    return Place(number(e), e if short else None)


def recognised(value: Any) -> Iterator[Any]:
    """Yield formulas that a number of 50 digits may be: fractions, multiples of π, e, logarithms, roots, angles."""
    with mpmath.workdps(DIGITS):
        x = mpmath.mpf(value)
        for front, unit in ((sp.S.One, mpmath.mpf(1)), (sp.pi, +mpmath.pi), (sp.E, +mpmath.e)):
            q = _fraction(x / unit)
            if q is not None:
                yield front * q
        if x != 0 and abs(x) < 100 and (q := _fraction(mpmath.exp(x))) is not None:
            yield sp.log(q)
        if x != 0 and (q := _fraction(mpmath.log(abs(x)))) is not None:
            yield sp.exp(q) if x > 0 else -sp.exp(q)
        yield from _algebraic(x)
        for base in (2, 3, 5, 10):
            for unit in (sp.log(base), 1 / sp.log(base)):
                if (q := _fraction(x / number(unit))) is not None:
                    yield q * unit
        for angle, function in ((sp.atan, mpmath.tan), (sp.acos, mpmath.cos), (sp.asin, mpmath.sin)):
            if abs(x) < 7 and (q := _fraction(function(x))) is not None:
                for k in range(-4, 5):
                    for sign in (1, -1):
                        yield sign * angle(q) + k * sp.pi


def _fraction(x: Any) -> Any:
    """Return a number as a fraction of small numbers; None where it is none."""
    if not mpmath.isfinite(x) or abs(x) > 10**6:
        return None
    nearest = Fraction(float(x)).limit_denominator(5000)
    q = sp.Rational(nearest.numerator, nearest.denominator)
    return q if abs(mpmath.mpf(q.p) / q.q - x) < _SMALL * (1 + abs(x)) else None


def _algebraic(x: Any) -> Iterator[Any]:
    """Yield roots of quadratic equations, and squares' roots of those."""
    if abs(x) < 1e-9:  # less than every root of numbers up to 400, and too little for PSLQ
        return
    for power in (1, 2):
        coefficients = mpmath.findpoly(x**power, 2, maxcoeff=400, tol=_SMALL)
        if coefficients and len(coefficients) == 3:
            a, b, c = map(int, coefficients)
            for sign in (1, -1):
                root = sp.nsimplify((-b + sign * sp.sqrt(b * b - 4 * a * c)) / (2 * a))
                yield root if power == 1 else sp.sqrt(root) * (1 if x > 0 else -1)


def exact_value(value: Any, holds: Callable[[Any], bool]) -> Any:
    """Return the formula of a number among those that it may be, for which it was proved; None without."""
    for candidate in recognised(value):
        if abs(number(candidate) - value) < _SMALL * (1 + abs(value)) and holds(candidate):
            return candidate
    return None


@lru_cache(maxsize=1024)
def compiled(e: Any, x: Any) -> Callable[[Any], Any]:
    """Return a formula as a function of mpmath's numbers."""
    return sp.lambdify(x, e, "mpmath")  # type: ignore[no-any-return]


@lru_cache(maxsize=1024)
def derived(e: Any, x: Any) -> Any:
    """Return the derivative of a formula, in SymPy's own functions."""
    return in_full(differentiate(e, x))


def is_zero(e: Any) -> bool:
    """Whether a constant of SymPy's is 0, proved by rewriting."""
    e = sp.sympify(e)
    if e == 0:
        return True
    if abs(number(e)) > _SMALL or not mpmath.isfinite(number(e)):
        return False
    rewritings = (sp.simplify, lambda c: sp.simplify(sp.expand_trig(c)), lambda c: sp.radsimp(sp.expand(c)))
    return any(asked(partial(rewrite, e)) == 0 for rewrite in rewritings)
