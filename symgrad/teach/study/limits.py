"""Limits towards an end, read off values that come ever closer to it, and exact where they are recognised."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from typing import Any

import mpmath
import sympy as sp

from symgrad.teach.places.points import DIGITS, Place, asked, compiled, exact_value, number, place

_STEPS = (8, 16, 32, 64, 128, 256)  # powers of ten by which an end comes closer
_PRECISION = 700
_VANISHES = mpmath.mpf(10) ** -7
_NEAR = 0.05  # of a limit that values come to slowly
_CONVERGES, _GROWS = 0.8, 0.95  # how much a difference shrinks from one step to the next


def limit(f: Any, x: Any, end: Any, side: int) -> Any:
    """Return the limit of a formula towards an end from one side: a ``Place``, ±∞, or None where it is not told.

    Args:
        f: the formula.
        x: its name.
        end: a ``Place``, or ±∞.
        side: 1 from above, -1 from below.
    """
    values = _values(compiled(f, x), end, side)
    if len(values) < 4:
        return None
    infinite = _infinite(values)
    if infinite is not None:
        return infinite
    gaps = [abs(b - a) for a, b in pairwise(values)]
    if not all(b <= _CONVERGES * a or b == 0 for a, b in pairwise(gaps)):
        return None
    if abs(values[-1]) < _VANISHES and 2 * abs(values[-1]) < abs(values[-2]):
        return place(sp.S.Zero)
    return _recognised(f, x, end, side, values[-1], gaps[-1])


def _values(f: Callable[..., Any], end: Any, side: int) -> list[Any]:
    values = []
    with mpmath.workdps(_PRECISION):
        at = None if end in (sp.oo, -sp.oo) else number(end.exact) if end.exact is not None else end.value
        if at is not None and end.exact is not None:
            at = mpmath.mpmathify(sp.N(end.exact, _PRECISION))
        for k in _STEPS if at is None or end.exact is not None else (8, 12, 16, 20, 24, 28):
            far = mpmath.mpf(10) ** k * (1 if end == sp.oo else -1)
            where = far if at is None else at + side * mpmath.mpf(10) ** -k
            try:
                v = mpmath.mpmathify(f(where))
            except (ArithmeticError, ValueError, TypeError, MemoryError):
                break
            if not isinstance(v, mpmath.mpf) or not mpmath.isfinite(v):
                break
            values.append(v)
    return values


def _infinite(values: list[Any]) -> Any:
    """Return ±∞ where sizes grow by steps that do not shrink."""
    sizes = [abs(v) for v in values]
    growing = all(b > a for a, b in pairwise(sizes))
    gaps = [b - a for a, b in pairwise(sizes)]
    if growing and all(b >= _GROWS * a for a, b in pairwise(gaps)):
        return sp.oo if values[-1] > 0 else -sp.oo
    return None


def _recognised(f: Any, x: Any, end: Any, side: int, value: Any, gap: Any) -> Any:
    if gap > mpmath.mpf(10) ** -DIGITS * (1 + abs(value)):
        return _asked(f, x, end, side, value)
    exact = exact_value(value, lambda c: True)
    return Place(value) if exact is None else place(exact)


def _asked(f: Any, x: Any, end: Any, side: int, value: Any) -> Any:
    """Return SymPy's limit where it is near the last value, which comes closer too slowly."""
    at = end if end in (sp.oo, -sp.oo) else end.exact
    if at is None:
        return None
    made = asked(lambda: sp.limit(f, x, at, "+" if side > 0 else "-"))
    if made is None or not made.is_number or not made.is_finite:
        return None
    return place(made) if abs(number(made) - value) < _NEAR * (1 + abs(value)) else None
