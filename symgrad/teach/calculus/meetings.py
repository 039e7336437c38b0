"""How the pieces of a function meet: with a jump, a kink, a vertical tangent or smoothly, told by values and slopes."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np
import sympy as sp

from symgrad.core.kernels import array_kernel
from symgrad.expression.arithmetic import add, neg, num, put
from symgrad.expression.formula import Formula, Name, Number
from symgrad.teach.board.line import Equation
from symgrad.teach.board.reading import to_sympy
from symgrad.teach.steps.lesson import Note

CLOSE = np.array([1e-9, 1e-11])  # how far from a point values are compared, and slopes that may have no bound
NEAR = 1e-7 * np.array([1, 1.3, 1.7, 2.3, 3.1])  # how far from a point slopes are compared
SHRINKS = 0.999  # the gap of slopes a hundred times as close, where both sides have one limit
DRAWS = (5, 9, 4, 11)  # sevenths that names stand for, more of each later name
INFINITE = 1e12  # what rounding makes of a pole
WINDOW, MANY = (-7.83, 8.37), 12  # where zeros are looked for, and how many are tried
STEEPER = 1.1  # times as steep a hundred times as close: x^(1/3) is 21 times, log(x) 1.2 times
SCALES = 10.0 ** -np.arange(3, 8)  # of the steps in difference quotients
STEPS = np.r_[np.linspace(0.5, 1, 40), -np.linspace(0.52, 0.98, 40)]
SETTLED = 0.3  # how much less quotients differ at a tenth of the step, where they tend to a limit
DIGITS = 5  # after the point, of a value or slope that is told
SAID = {  # of one point, and of several
    "kink": (" there is a kink and no derivative", " there are kinks and no derivative"),
    "some": (
        " there is a kink and no derivative, unless the slopes of both sides agree",
        " there are kinks and no derivative, unless the slopes of both sides agree",
    ),
    "jump": (" there is a jump and no derivative", " there are jumps and no derivative"),
    "steep": (" the slopes grow without bound, so there is no derivative",) * 2,
    "vertical": (" there is a vertical tangent and no derivative", " there are vertical tangents and no derivative"),
    "cusp": (" there is a cusp and no derivative", " there are cusps and no derivative"),
    "smooth": (" the pieces join smoothly, so the derivative exists there too",) * 2,
    "outside": (" the rules do not apply, but both sides meet smoothly, so the derivative exists there too",) * 2,
    "swing": (" the slopes have no limit; whether there is a derivative follows from its definition",) * 2,
    "tends": (" the slopes have no limit, but the difference quotient has one, which is the derivative there: ",) * 2,
    "wavers": (" the difference quotient has no limit, so there is no derivative",) * 2,
}


WITHOUT = " the function has no value, but a limit. With the value "
FILLED = {
    "tends": " there, the difference quotient has a limit, although the slopes have none; the derivative is ",
    "wavers": " there, the difference quotient still has no limit, so there is no derivative",
}


class Meeting(NamedTuple):
    """How a function's two sides meet at a point.

    Attributes:
        kind: a key of ``SAID``; None where nothing is known.
        slope: the slope from the left and that from the right in the middle.
        told: what both sides have in common there, in words and formulas.
    """

    kind: str | None
    slope: float = np.nan
    told: tuple[Any, ...] = ()


def meetings(
    f: Formula,
    derivative: Formula,
    x: str,
    points: Sequence[Formula],
    at: Callable[[float], float | None] | None,
    *,
    smooth: str | None,
) -> Iterator[Note]:
    """Say how both sides of each point meet; points that have the same to say share a line.

    Args:
        f: the function.
        derivative: its derivative.
        x: the variable.
        points: the points, each a formula.
        at: returns symgrad's derivative at a number, or None.
        smooth: the kind as which a smooth join is told, None where it is not.
    """
    alike: dict[tuple[Any, ...], list[tuple[Formula, float | None]]] = {}
    for p in points:
        meeting = meeting_at(f, derivative, x, p)
        value = _convention(meeting, p, at)
        middle = value is not None and meeting.kind == "kink" and bool(abs(value - meeting.slope) < 1e-5)
        alike.setdefault((meeting.kind, meeting.told, value is not None, middle), []).append((p, value))
    for (kind, told, known, middle), there in alike.items():
        kind = smooth if kind == "smooth" else kind
        if kind is None:
            continue
        said: list[Any] = ["At ", *_listed([Equation((Name(x), p)) for p, _ in there])]
        letters = sorted({n for p, _ in there for n in p.free - f.free})
        said += [f", {letter} an integer," for letter in letters]
        said += [SAID[kind][len(there) > 1 or bool(letters)], *told]
        if known:
            values = dict.fromkeys(Equation((_short(v),)) for _, v in there if v is not None)
            words = "; symgrad's value there is " if len(values) == 1 else "; symgrad's values there are "
            said += [words, *_listed(list(values))]
            said += [", the middle of the slopes on either side"] * middle
        yield Note(kind="remark", reason=(*said, "."))


def meeting_at(f: Formula, derivative: Formula, x: str, p: Formula) -> Meeting:
    """Return how both sides of a point meet, tried with numbers for all names but x; of no kind where they differ."""
    names, integers = sorted((f.free | p.free) - {x}), p.free - f.free
    if not names:
        return _meeting(f, derivative, x, _number(p))
    tried = set()
    for k, draw in enumerate(DRAWS):
        there: dict[Formula, Formula] = {}
        for j, n in enumerate(names):
            number = Fraction(draw + 3 * j, 7) * (-1) ** (k // 2 * (j + 1))
            there[Name(n)] = num(k - len(DRAWS) // 2) if n in integers else num(number)
        tried.add(_meeting(put(f, there), put(derivative, there), x, _number(put(p, there))).kind)
    tried -= {None}
    return Meeting(tried.pop() if len(tried) == 1 else "some" if tried == {"kink", "smooth"} else None)


def meetings_of(f: Formula, derivative: Formula, x: str, a: Formula, b: Formula) -> Iterator[Note]:
    """Say how cases meet where a = b, an equation that is not solved: by trying it with numbers for all other names."""
    kinds: set[str | None] = set()
    names = sorted((f.free | a.free | b.free) - {x})
    for draw in DRAWS[: None if names else 1]:
        there: dict[Formula, Formula] = {Name(n): num(Fraction(draw + 3 * j, 7)) for j, n in enumerate(names)}
        g, slope, *sides = (put(t, there) for t in (f, derivative, a, b))
        points = _zeros(add(sides[0], neg(sides[1])), x)
        kinds |= {_meeting(g, slope, x, p).kind for p in points}
    kinds -= {None}
    kind = "some" if kinds == {"kink", "smooth"} else kinds.pop() if len(kinds) == 1 else None
    if kind not in (None, "smooth"):
        yield Note(kind="remark", reason=("Where ", Equation((a, b)), ",", SAID[kind][0], "."))


def _zeros(t: Formula, x: str) -> list[float]:
    """Return some of the zeros of a formula, with and without a change of sign."""
    grid = np.linspace(*WINDOW, 1009)
    size = np.abs(_values(t, x, grid))
    (lowest,) = np.nonzero((size[1:-1] <= size[:-2]) & (size[1:-1] <= size[2:]))
    points = []
    for p in grid[lowest + 1]:
        for width in (grid[1] - grid[0]) * 0.1 ** np.arange(13):
            near = p + width * np.linspace(-1, 1, 41)
            p = near[np.nanargmin(np.abs(_values(t, x, near)))]
        points += [float(p)] * bool(abs(_values(t, x, np.array([p]))[0]) < 1e-9)
    return sorted(points, key=abs)[:MANY]


def holes(f: Formula, derivative: Formula, x: str, points: Sequence[Formula]) -> Iterator[Note]:
    """Say which value would fill a hole of a function whose slopes have no limit there, and whether f′ would exist."""
    for p in (p for p in points if not p.free):
        values = np.concatenate([_values(f, x, _number(p) + h * CLOSE) for h in (-1, 1)])
        filling = _told(float(np.mean(values)))
        near = [_values(derivative, x, _number(p) + h * NEAR) for h in (-1, 1)]
        is_hole = not np.isfinite(_values(f, x, np.array([_number(p)]))[0]) and np.ptp(values) < 1e-8
        if filling is None or not is_hole or not _swing(near):
            continue
        meeting = _by_definition(f, x, _number(p), float(to_sympy(filling)))
        said = FILLED.get(meeting.kind or "")
        if said is not None:
            there, value = Equation((Name(x), p)), Equation((filling,))
            yield Note(kind="remark", reason=("At ", there, WITHOUT, value, said, *meeting.told, "."))


def _convention(meeting: Meeting, p: Formula, at: Callable[[float], float | None] | None) -> float | None:
    """Return symgrad's derivative at a point where there is none."""
    if at is None or not isinstance(p, Number) or meeting.kind in (None, "smooth", "tends"):
        return None
    value = at(_number(p))
    return value if value is not None and np.isfinite(value) else None


def _meeting(f: Formula, derivative: Formula, x: str, where: float) -> Meeting:
    size = max(1.0, abs(where))
    here = _values(f, x, np.array([where]))[0]
    below, above = (_values(f, x, where + h * size * CLOSE) for h in (-1, 1))
    near = [_values(derivative, x, where + h * size * NEAR) for h in (-1, 1)]
    if not np.isfinite(near).all() or not abs(here) < INFINITE:
        return Meeting(None)
    slope = (near[0][0] + near[1][0]) / 2
    if any(_stays_apart(one, other) for one, other in ((below, above), (below, here), (above, here))):
        return Meeting("jump", slope)
    if _swing(near):
        return _by_definition(f, x, where, here)
    closer = [_values(derivative, x, where + h * size * CLOSE) for h in (-1, 1)]
    steep = [np.isfinite(s).all() and abs(s[1]) > STEEPER * abs(s[0]) > STEEPER for s in closer]
    if any(steep):
        turns = closer[0][1] * closer[1][1] < 0
        return Meeting("steep" if not all(steep) else "cusp" if turns else "vertical", slope)
    gap, closer_gap = (abs(closer[0][k] - closer[1][k]) for k in (0, 1))
    if abs(near[0][0] - near[1][0]) >= 1e-5 * (1 + abs(near[0][0])) and not closer_gap < SHRINKS * gap:
        return Meeting("kink", slope)
    return Meeting("smooth", slope, _in_common(here, slope))


def _swing(near: Sequence[Any]) -> bool:
    """Whether slopes on a side go up and down, however close to a point."""
    return any(bool(np.ptp(s) > 1e-3 * (1 + abs(s[0])) and np.ptp(np.sign(np.diff(s)))) for s in near)


def _stays_apart(one: Any, other: Any) -> bool:
    """Whether values on two sides do not come together: the gap of a continuous function goes to 0."""
    gap, closer = np.abs(other - one)
    return bool(closer > max(gap / 2, 1e-12 * (1 + np.abs(one).min())))


def _by_definition(f: Formula, x: str, where: float, here: float) -> Meeting:
    """Say whether (f(p + h) − f(p))/h has a limit, by its values for ever smaller steps."""
    quotients = [(_values(f, x, where + s * STEPS) - here) / (s * STEPS) for s in SCALES]
    spread = np.ptp(quotients, axis=1)
    if not np.isfinite(spread).all():
        return Meeting(None)
    if (spread[1:] < SETTLED * spread[:-1]).all() and (limit := _told(float(np.mean(quotients[-1])))) is not None:
        return Meeting("tends", told=(Equation((limit,)),))
    return Meeting("wavers" if spread[-1] > spread[0] / 2 else "swing")


def _in_common(value: float, slope: float) -> tuple[Any, ...]:
    """Say which value and slope both sides have, where they are short."""
    numbers = [_told(v) for v in (value, slope)]
    if None in numbers:
        return ()
    return ": both have the value ", Equation((numbers[0],)), " and the slope ", Equation((numbers[1],)), " there"


def _told(value: float) -> Formula | None:
    """Return a number that values come close to, None where it has many digits."""
    near = round(value, DIGITS - 2)
    return _short(near + 0.0) if abs(near - value) < 10.0**-DIGITS * (1 + abs(value)) else None


def _number(point: Formula) -> float:
    return float(sp.N(to_sympy(point)))


def size_of(point: Formula) -> float:
    """Return where a point stands among others; one with names in it stands where it is for zeros."""
    e = to_sympy(put(point, {Name(n): num(0) for n in point.free}))
    return float(sp.N(e)) if e.is_finite else 0.0


def _listed(parts: Sequence[Any]) -> list[Any]:
    """Return the parts with commas between them, and a word before the last."""
    last = len(parts) - 1
    return [w for k, p in enumerate(parts) for w in (["" if k == 0 else " and " if k == last else ", ", p])]


def _values(t: Formula, x: str, at: Any) -> Any:
    """Return a formula's values at points x; nan if it has other names."""
    if t.free - {x}:
        return np.full(len(at), np.nan)
    e = to_sympy(t).replace(_is_odd_root, lambda p: sp.sign(p.base) ** p.exp.p * sp.Abs(p.base) ** p.exp)
    with np.errstate(all="ignore"):
        values = array_kernel(e, (sp.Symbol(x, real=True),))(at)
    return np.broadcast_to(np.asarray(values, dtype=float), at.shape)


def _is_odd_root(e: Any) -> bool:
    """Whether a power is a root that negative numbers have too, as x^(2/3)."""
    return bool(e.is_Pow and e.exp.is_Rational and e.exp.q % 2 and e.exp.q > 1 and e.base.is_nonnegative is not True)


def _short(value: float) -> Formula:
    return num(int(value)) if float(value).is_integer() else num(Fraction(repr(float(value))), True)
