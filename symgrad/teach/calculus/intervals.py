"""Where a condition on one number holds: as a set of open intervals with exact ends, and how that is written."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import lru_cache, partial
from itertools import pairwise
from typing import Any, NamedTuple

import mpmath
import sympy as sp

from symgrad.expression.arithmetic import apply, num
from symgrad.expression.formula import Both, Compare, Formula, Letter, Name, Product, Sum
from symgrad.teach.board.reading import SympyFormatter
from symgrad.teach.places.points import Place, asked, compiled
from symgrad.teach.places.zeros import zeros

KINKED = (sp.Abs, sp.sign, sp.Max, sp.Min, sp.Piecewise, sp.floor, sp.ceiling)
_BENT = (sp.Abs, sp.Max, sp.Min)  # what has branches
_TINY = 1e-20
_PERIODIC = (sp.sin, sp.cos, sp.tan)
FAMILIES = 4  # of zeros that are listed
ENDS = 6  # of the intervals that are written
_CALLS = 450_000  # of functions, until SymPy gives a question up


class Interval(NamedTuple):
    """The numbers between two ends in SymPy's classes, which may be infinite."""

    low: Any
    high: Any

    @property
    def inside(self) -> Any:
        """A number between the ends."""
        low, high = (e if e.is_infinite else sp.N(e, 30) for e in self)
        if low.is_infinite:
            return sp.Float("0.137") if high.is_infinite else high - sp.Float("1.137")
        return low + sp.Float("1.137") if high.is_infinite else low + (high - low) * sp.Float("0.4137")


EVERYWHERE = (Interval(-sp.oo, sp.oo),)
Intervals = Sequence[Interval]


# ------------------------------------------------------------------ zeros
@lru_cache(maxsize=1024)
def zeros_on(e: Any, s: Any, there: tuple[Interval, ...] = EVERYWHERE) -> list[Any] | None:
    """Return the zeros of a formula of s on intervals where it is smooth; None unless all are known exactly."""
    if e.free_symbols != {s}:
        return [] if not e.free_symbols else None
    bent = min(e.atoms(*_BENT), key=lambda a: a.count_ops(), default=None)
    if bent is not None:
        branches = bent.args if not isinstance(bent, sp.Abs) else (bent.args[0], -bent.args[0])
        candidates = [zeros_on(e.xreplace({bent: b}), s, there) for b in branches]
        points = {p for these in candidates for p in these or () if abs(sp.N(e.subs(s, p), 30)) < _TINY}
        return None if None in candidates else sorted(points, key=sp.N)
    if e.has(*KINKED) or (e.has(*_PERIODIC) and any(s in f.free_symbols for f in e.atoms(*_PERIODIC))):
        return None
    proved: list[Any] = []
    for low, high in there:
        answer = asked(partial(zeros, e, s, _as_place(low), _as_place(high)), _CALLS)
        if answer is None or not answer.complete or any(p.exact is None for p in answer.places):
            return None
        proved += [p.exact for p in answer.places]
    return sorted(proved, key=sp.N)


def _as_place(end: Any) -> Any:
    """Return an end as a number of mpmath."""
    return mpmath.mpf("inf") * (1 if end > 0 else -1) if end.is_infinite else mpmath.mpf(sp.N(end, 50))


@lru_cache(maxsize=1024)
def families(e: Any, s: Any, letter: str) -> list[Formula] | None:
    """Return the zeros of a periodic formula of s as π/4 + k·π, of an integer k; None unless all are known exactly."""
    waves = [f for f in e.atoms(*_PERIODIC) if s in f.free_symbols]
    slopes = [sp.diff(f.args[0], s) for f in waves]
    rest = e.xreplace({f: sp.Dummy() for f in waves})
    if not waves or e.free_symbols != {s} or s in rest.free_symbols or e.has(*KINKED):
        return None
    if not all(a.is_number and a.is_real and (a / slopes[0]).is_Rational for a in slopes):
        return None
    ratios = [abs(a / slopes[0]) for a in slopes]
    below = math.lcm(*[int(r.q) for r in ratios])
    period = 2 * sp.pi / (abs(slopes[0]) * sp.Rational(math.gcd(*[int(r * below) for r in ratios]), below))
    start = sp.Rational(-137, 10**4)  # no place of interest
    answer = asked(partial(zeros, e, s, _as_place(start), _as_place(start + period)), _CALLS)
    if answer is None or not answer.complete or any(p.exact is None for p in answer.places):
        return None
    offsets, step = _spaced(answer.places, period)
    return None if len(offsets) > FAMILIES else [_of_family(p, step, letter) for p in offsets]


def _spaced(places: Sequence[Place], period: Any) -> tuple[list[Any], Any]:
    """Return the zeros within the smallest step after which all of them stand again, and the step."""
    exact = [p.exact for p in places]
    for many in range(len(exact), 1, -1):
        size, rest = divmod(len(exact), many)
        if not rest and all(sp.simplify(q - p - period / many) == 0 for p, q in zip(exact, exact[size:], strict=False)):
            return exact[:size], period / many
    return exact, period


def _of_family(offset: Any, step: Any, letter: str) -> Formula:
    write = SympyFormatter().write
    multiple = write(step * sp.Symbol(letter, real=True))
    if step.as_coeff_Mul()[1] == sp.pi and step.as_coeff_Mul()[0].is_Integer:
        number_ = step.as_coeff_Mul()[0]
        multiple = Product(*[num(int(number_))] * (number_ != 1), Name(letter), Letter("π"))
    return multiple if offset == 0 else Sum(write(offset), multiple)


# ------------------------------------------------------------------ sets of intervals
def where_positive(e: Any, s: Any, there: Intervals = EVERYWHERE) -> Intervals | None:
    """Return where e > 0 within intervals on which it is defined up to poles; None where that is not known."""
    cuts = [zeros_on(p, s, tuple(there)) for p in _parts(e)]
    if any(c is None for c in cuts):
        return None
    value = compiled(e, s)
    return [p for p in split(there, [p for c in cuts for p in c or ()]) if _is_positive(value, p.inside)]


def _parts(e: Any) -> list[Any]:
    """Return the formulas whose zeros are where a formula may change its sign."""
    if not isinstance(e, sp.Piecewise):
        return [*sp.fraction(sp.together(e))]
    relations = [r.lhs - r.rhs for _, c in e.args for r in c.atoms(sp.core.relational.Relational)]
    return [*relations, *[p for v, _ in e.args for p in _parts(v)]]


def split(there: Intervals, points: Sequence[Any]) -> list[Interval]:
    """Return the parts of intervals between points."""
    parts: list[Interval] = []
    for low, high in there:
        inner = sorted({p for p in points if low < p < high}, key=sp.N)
        parts += [Interval(*pair) for pair in pairwise([low, *inner, high])]
    return parts


def _is_positive(value: Callable[[Any], Any], at: Any) -> bool:
    try:
        v = mpmath.mpmathify(value(mpmath.mpf(at)))
        return bool(isinstance(v, mpmath.mpf) and v > 0)
    except (ArithmeticError, ValueError, TypeError):
        return False


# ------------------------------------------------------------------ as they are written
def _joined(there: Intervals) -> tuple[list[Interval], list[Any]]:
    """Return intervals joined where one point is between them, and these points."""
    joined: list[Interval] = []
    gaps: list[Any] = []
    for part in there:
        if joined and joined[-1].high == part.low:
            gaps.append(part.low)
            joined[-1] = Interval(joined[-1].low, part.high)
        else:
            joined.append(part)
    return joined, gaps


def joined(there: Intervals, holds: Callable[[Any], bool]) -> list[Interval]:
    """Return intervals with neighbours joined where the point between them belongs to both."""
    parts: list[Interval] = []
    for part in there:
        if parts and parts[-1].high == part.low and holds(part.low):
            parts[-1] = Interval(parts[-1].low, part.high)
        else:
            parts.append(part)
    return parts


def is_short(there: Intervals) -> bool:
    """Whether conditions for these intervals are written at a glance."""
    joined, gaps = _joined(there)
    return len(gaps) + sum(not e.is_infinite for part in joined for e in part) <= ENDS


def conditions_of(there: Intervals, x: str) -> list[Formula]:
    """Return intervals as x > a, |x| < a, or as x < a or x > b, with x ≠ p for the points between them."""
    joined, gaps = _joined(there)
    name = Name(x)
    ends = [e for part in joined for e in part if not e.is_infinite]
    if len(joined) == 2 and len(ends) == 2 and ends[0] == -ends[1]:
        parts: list[Formula] = [Compare(apply("abs", name), ">", written_number(ends[1]))]
    else:
        parts = [c for part in joined if (c := _condition(part, name)) is not None]
    whole = parts if len(parts) < 2 else [Both(*parts, sign="or")]
    return [*whole, *[Compare(name, "≠", written_number(p)) for p in gaps]]


def _condition(part: Interval, name: Name) -> Formula | None:
    low, high = part
    over = None if low.is_infinite else Compare(name, ">", written_number(low))
    under = None if high.is_infinite else Compare(name, "<", written_number(high))
    if over is None or under is None:
        return over or under
    if low == -high:
        return Compare(apply("abs", name), "<", written_number(high))
    return Both(Compare(written_number(low), "<", name), under)


def written_number(end: Any) -> Formula:
    """Return a number as a hand writes it: (1 + √5)/2."""
    return SympyFormatter().write(sp.together(end))
