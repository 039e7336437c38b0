"""What is known of a function: on which intervals it rises, falls and bends, and the places between them.

All of it comes from one list of cells, between whose ends f, f′ and f″ have no zero and no kink.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import chain, pairwise
from typing import Any, NamedTuple

import mpmath
import sympy as sp

from symgrad.teach.places.points import DIGITS, Place, compiled, derived, number, place
from symgrad.teach.places.zeros import merged, zeros
from symgrad.teach.study.functions import Interval, Subject, split
from symgrad.teach.study.limits import limit

_PLACES = ("the zeros of f", "the zeros of f′", "the zeros of f″")
_SMALL = mpmath.mpf(10) ** -30


class Cell(NamedTuple):
    """An open interval on which f is a smooth formula, and f, f′ and f″ have one sign each."""

    interval: Interval
    expr: Any
    signs: tuple[int, int, int]


class Extremum(NamedTuple):
    """A local extremum at x with the value y.

    Attributes:
        kind: "maximum" or "minimum".
        x, y: the position and the value.
        is_global: whether it is a global extremum.
        at_end: whether the domain ends there.
        has_kink: whether f has no derivative there.
    """

    kind: str
    x: Place
    y: Place
    is_global: bool
    at_end: bool = False
    has_kink: bool = False

    def __str__(self) -> str:
        return f"{'global' if self.is_global else 'local'} {self.kind} at x = {self.x}, y = {self.y}"


class Inflection(NamedTuple):
    """An inflection point, with its value and slope."""

    x: Place
    y: Place
    slope: Place


class Asymptote(NamedTuple):
    """An asymptote of the curve.

    Attributes:
        kind: "vertical", "horizontal" or "oblique".
        ends: the ends at which the curve approaches it: −∞, ∞, or the sides "−" and "+" of x.
        x: the position of a vertical asymptote.
        slope, height: the coefficients of any other asymptote, y = slope·x + height.
    """

    kind: str
    ends: tuple[Any, ...]
    x: Place | None = None
    slope: Place | None = None
    height: Place | None = None


class Gap(NamedTuple):
    """A point at which f is undefined or jumps, with the limits from below and above; None if they are unknown."""

    x: Place
    below: Any
    above: Any


@dataclass
class Chart:
    """What is known of a function.

    Attributes:
        subject: the function.
        domain: the intervals on which it is defined.
        cells: for each interval of the domain, its cells in order.
        doubts: what could not be proved, in words.
    """

    subject: Subject
    domain: list[Interval] = field(default_factory=list)
    cells: list[list[Cell]] = field(default_factory=list)
    doubts: list[str] = field(default_factory=list)
    _limits: dict[tuple[Any, Place], Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.domain, complete = self.subject.domain()
        self._note(complete, "where f is defined")
        for part in self.domain:
            pieces, whole = self.subject.pieces(part)
            self._note(whole, "the kinks of f")
            self.cells.append([cell for piece, e in pieces for cell in self._cells(piece, e)])

    def _note(self, complete: bool, what: str) -> None:
        if not complete and what not in self.doubts:
            self.doubts.append(what)

    def _cells(self, piece: Interval, e: Any) -> Iterator[Cell]:
        x = self.subject.x
        orders = [e]
        for _ in range(2):
            orders.append(derived(orders[-1], x))
        cuts: list[Place] = []
        for n, what in enumerate(_PLACES):
            found = zeros(orders[n], x, *piece.ends)
            self._note(found.complete, what)
            cuts = merged([*cuts, *found.places])
        functions = [compiled(o, x) for o in orders]
        for part in split(piece, cuts):
            with mpmath.workdps(DIGITS):
                values = [mpmath.mpmathify(f(part.inside)) for f in functions]
            yield Cell(part, e, tuple(0 if abs(v) < _SMALL else int(mpmath.sign(v.real)) for v in values))  # type: ignore[arg-type]

    def is_doubted(self, n: int) -> bool:
        """Whether the signs of f, f′ or f″ could not be proved, so that nothing is said of them."""
        return any(what in self.doubts for what in ("where f is defined", "the kinks of f", _PLACES[n]))

    # ---------------------------------------------------------------- limits and values
    def side(self, cell: Cell, high: bool, order: int = 0) -> Any:
        """Return the limit of f, or of a derivative, towards an end of a cell: a ``Place``, ±∞ or None."""
        end, e = cell.interval.high if high else cell.interval.low, cell.expr
        for _ in range(order):
            e = derived(e, self.subject.x)
        if order == 0 and end not in (sp.oo, -sp.oo) and self._continues(cell, end):
            return self.subject.exact_at(end)
        return limit(e, self.subject.x, end, -1 if high else 1)

    def _continues(self, cell: Cell, end: Place) -> bool:
        """Whether f has the value at an end that its formula in the cell has there, or tends to."""
        there = self.subject.at(end.value)
        if not mpmath.isfinite(there):
            return False
        v = self._at_end(cell.expr, cell, end)
        return bool(abs(v - there) < _SMALL * (1 + abs(there)))

    def _at_end(self, e: Any, cell: Cell, end: Place) -> Any:
        """Return the value of a formula at an end of a cell; where it has none, as sin(x)/x at 0, its finite limit."""
        with mpmath.workdps(DIGITS):
            try:
                return mpmath.mpmathify(compiled(e, self.subject.x)(end.value))
            except (ArithmeticError, ValueError, TypeError):
                pass
        if (e, end) not in self._limits:
            side = -1 if end is cell.interval.high else 1
            towards = limit(e, self.subject.x, end, side)
            self._limits[e, end] = towards.value if isinstance(towards, Place) else mpmath.nan
        return self._limits[e, end]

    def joins(self, a: Cell, b: Cell) -> bool:
        """Whether f is continuous where two cells meet."""
        end = a.interval.high
        return end is b.interval.low and self._continues(a, end) and self._continues(b, end)

    def slopes_at(self, a: Cell, b: Cell) -> tuple[Any, Any]:
        """Return the slopes where two cells meet, of both sides; nan where there is none."""
        left, right = (self._at_end(derived(c.expr, self.subject.x), c, a.interval.high) for c in (a, b))
        return left, right

    def is_smooth(self, a: Cell, b: Cell) -> bool:
        """Whether f has one slope where two cells meet."""
        left, right = self.slopes_at(a, b)
        return self.joins(a, b) and bool(abs(left - right) < _SMALL * (1 + abs(left)))

    def meetings(self) -> Iterator[tuple[Cell, Cell]]:
        """Yield cells that touch, within each interval of the domain."""
        for cells in self.cells:
            yield from pairwise(cells)

    @cached_property
    def joined(self) -> list[Cell]:
        """All cells in order; what a period's window cuts apart is one."""
        cells = [*chain(*self.cells)]
        if self.subject.period is None or len(cells) < 2 or not self._wraps or cells[0].signs != cells[-1].signs:
            return cells
        first, *middle, last = cells
        high = shifted(first.interval.high, self.subject.period)
        return [*middle, last._replace(interval=last.interval._replace(high=high, has_high=first.interval.has_high))]

    # ---------------------------------------------------------------- intervals
    def runs(self, n: int, sign: int, joins: Callable[[Cell, Cell], bool]) -> list[Interval]:
        """Return the largest intervals on which f, f′ or f″ has a sign, apart from single places."""
        if self.is_doubted(n):
            return []
        out: list[Interval] = []
        for cells, part in zip(self.cells, self.domain, strict=True):
            run: list[Cell] = []
            for cell in [*cells, None]:
                if cell is not None and cell.signs[n] == sign and (not run or joins(run[-1], cell)):
                    run.append(cell)
                    continue
                if run:
                    out.append(self._run(run, part))
                run = [cell] if cell is not None and cell.signs[n] == sign else []
        return self.around(out)

    def _run(self, run: Sequence[Cell], part: Interval) -> Interval:
        low, high = run[0].interval.low, run[-1].interval.high
        has = [e not in (sp.oo, -sp.oo) and self._continues(c, e) for c, e in ((run[0], low), (run[-1], high))]
        return Interval(low, high, *has)

    def around(self, parts: list[Interval]) -> list[Interval]:
        """Join what a period's window cuts apart."""
        if self.subject.period is None or len(parts) < 2 or not self.domain:
            return parts
        first, last = parts[0], parts[-1]
        start, stop = self.domain[0].low, self.domain[-1].high
        if first.low is not start or last.high is not stop or not self._wraps:
            return parts
        return [
            *parts[1:-1],
            Interval(last.low, shifted(first.high, self.subject.period), last.has_low, first.has_high),
        ]

    @property
    def _wraps(self) -> bool:
        """Whether f is defined at the ends of its window of one period."""
        return self.domain[0].low is self.subject.window.low and self.domain[-1].high is self.subject.window.high

    @cached_property
    def increasing(self) -> list[Interval]:
        """The largest intervals on which f increases strictly."""
        return self.runs(1, 1, self.joins)

    @cached_property
    def decreasing(self) -> list[Interval]:
        """The largest intervals on which f decreases strictly."""
        return self.runs(1, -1, self.joins)

    @cached_property
    def constant(self) -> list[Interval]:
        """The largest intervals on which f is constant."""
        return self.runs(1, 0, self.joins)

    def _bends(self, sign: int) -> list[Interval]:
        def joins(a: Cell, b: Cell) -> bool:
            left, right = self.slopes_at(a, b)
            return self.joins(a, b) and (self.is_smooth(a, b) or bool((right - left) * sign > 0))

        return self.runs(2, sign, joins)

    @cached_property
    def convex(self) -> list[Interval]:
        """The largest intervals on which f is strictly convex."""
        return self._bends(1)

    @cached_property
    def concave(self) -> list[Interval]:
        """The largest intervals on which f is strictly concave."""
        return self._bends(-1)

    # ---------------------------------------------------------------- places
    @cached_property
    def zeros(self) -> list[Place]:
        """The zeros of f."""
        places = [e for cells in self.cells for c in cells for e in c.interval[:2] if e not in (sp.oo, -sp.oo)]
        found = [p for p in dict.fromkeys(places) if abs(self.subject.at(p.value)) < _SMALL]
        return [p for k, p in enumerate(found) if all(abs(p.value - q.value) > _SMALL for q in found[:k])]

    @cached_property
    def flat(self) -> list[Interval]:
        """The intervals on which f is 0."""
        return self.runs(0, 0, self.joins)

    @cached_property
    def extrema(self) -> list[Extremum]:
        """The local extrema, those at ends of the domain too."""
        out: list[Extremum] = []
        if self.is_doubted(1):
            return out
        for a, b in self.meetings():
            if self.joins(a, b) and a.signs[1] * b.signs[1] < 0:
                out.append(self._extremum(a.interval.high, a.signs[1], not self.is_smooth(a, b)))
        for cells, part in zip(self.cells, self.domain, strict=True):
            for cell, end, has, sign in (
                (cells[0], part.low, part.has_low, -1),
                (cells[-1], part.high, part.has_high, 1),
            ):
                if has and not self._is_window(end) and self._continues(cell, end) and cell.signs[1]:
                    out.append(self._extremum(end, sign * cell.signs[1], False)._replace(at_end=True))
        return sorted(out, key=lambda e: e.x.value)

    def _is_window(self, end: Any) -> bool:
        """Whether an end is that of a window, and not of the domain."""
        return end not in (sp.oo, -sp.oo) and any(end is w for w in self.subject.window[:2])

    def _extremum(self, x: Place, sign: int, kink: bool) -> Extremum:
        y = self.subject.exact_at(x)
        best = (self.bounds[1] if sign > 0 else self.bounds[0]) if not self.subject.bounded else None
        is_global = isinstance(best, Place) and bool(abs(best.value - y.value) < _SMALL * (1 + abs(y.value)))
        return Extremum("maximum" if sign > 0 else "minimum", x, y, is_global, has_kink=kink)

    @cached_property
    def inflections(self) -> list[Inflection]:
        """The places with a tangent where the curve bends to the other side."""
        out: list[Inflection] = []
        if self.is_doubted(2):
            return out
        for a, b in self.meetings():
            if a.signs[2] * b.signs[2] < 0 and self.is_smooth(a, b):
                x = a.interval.high
                slope = derived(a.expr, self.subject.x)
                exact = None if x.exact is None else place(sp.simplify(slope.subs(self.subject.x, x.exact)))
                out.append(Inflection(x, self.subject.exact_at(x), exact or Place(self.slopes_at(a, b)[0])))
        return out

    @cached_property
    def gaps(self) -> list[Gap]:
        """The places within or at an end of the domain where f has no value, or jumps."""
        ends: dict[Any, list[Any]] = {}
        for cells in self.cells:
            for c in cells:
                for high in (False, True):
                    end: Any = c.interval[high]
                    if end in (sp.oo, -sp.oo) or self._continues(c, end):
                        continue
                    ends.setdefault(float(end.value), [end, None, None])[1 + (not high)] = self.side(c, high) or "?"
        return [Gap(*ends[k]) for k in sorted(ends)]

    @cached_property
    def asymptotes(self) -> list[Asymptote]:
        """The vertical, horizontal and oblique asymptotes."""
        out = [
            Asymptote("vertical", tuple(s for s, v in (("−", g.below), ("+", g.above)) if v in (sp.oo, -sp.oo)), g.x)
            for g in self.gaps
            if g.below in (sp.oo, -sp.oo) or g.above in (sp.oo, -sp.oo)
        ]
        far = []
        for cells in self.cells[:1]:
            far += [self._far(cells[0], False)] if cells and cells[0].interval.low == -sp.oo else []
        for cells in self.cells[-1:]:
            far += [self._far(cells[-1], True)] if cells and cells[-1].interval.high == sp.oo else []
        lines = [a for a in far if a is not None]
        same = len(lines) == 2 and lines[0][2:] == lines[1][2:]
        return [*out, *([lines[0]._replace(ends=(-sp.oo, sp.oo))] if same else lines)]

    def _far(self, cell: Cell, high: bool) -> Asymptote | None:
        """Return the asymptote towards ±∞."""
        if cell.signs[2] == 0:  # the curve is the line itself
            return None
        value, x, end = self.side(cell, high), self.subject.x, sp.oo if high else -sp.oo
        if isinstance(value, Place):
            return Asymptote("horizontal", (end,), None, place(sp.S.Zero), value)
        if value is None:
            return None
        slope = limit(cell.expr / x, x, end, 1)
        if not isinstance(slope, Place) or slope.exact is None or slope.exact == 0:
            return None
        height = limit(cell.expr - slope.exact * x, x, end, 1)
        return Asymptote("oblique", (end,), None, slope, height) if isinstance(height, Place) else None

    # ---------------------------------------------------------------- range
    @cached_property
    def range(self) -> list[Interval] | None:
        """The values of f, as intervals; None where an end is not told, or f is studied in a window."""
        if self.subject.bounded or self.is_doubted(1):
            return None
        parts: list[Interval] = []
        for cells in self.cells:
            for c in cells:
                ends = [(self.side(c, h), self._takes(c, h)) for h in (False, True)]
                if any(v is None for v, _ in ends):
                    return None
                (low, has_low), (high, has_high) = sorted(ends, key=lambda e: _size(e[0]))
                parts.append(Interval(low, high, has_low, has_high))
        values = [self.subject.exact_at(g.x) for g in self.gaps if self.subject.is_defined(g.x.value)]
        points = [Interval(v, v, True, True) for v in values]
        return _united([*parts, *points])

    def _takes(self, c: Cell, high: bool) -> bool:
        end: Any = c.interval[high]
        return c.signs[1] == 0 or (end not in (sp.oo, -sp.oo) and self._continues(c, end))

    @cached_property
    def bounds(self) -> tuple[Any, Any]:
        """The largest lower and the smallest upper bound that are values; None where there is none."""
        parts = self.range
        if not parts:
            return None, None
        return parts[0].low if parts[0].has_low else None, parts[-1].high if parts[-1].has_high else None

    # ---------------------------------------------------------------- symmetry
    @cached_property
    def symmetry(self) -> str | None:
        """Return "even", "odd", or None."""
        with mpmath.workdps(DIGITS):
            points = [mpmath.mpf(k) ** 2 / 7 + mpmath.mpf("0.0713") for k in range(24)]
            pairs = [(self.subject.at(p), self.subject.at(-p)) for p in points]
            if not any(mpmath.isfinite(a) for a, _ in pairs):
                return None
            for kind, sign in (("even", 1), ("odd", -1)):
                if all(
                    (mpmath.isnan(a) and mpmath.isnan(b)) or abs(a - sign * b) < _SMALL * (1 + abs(a)) for a, b in pairs
                ):
                    return kind
        return None


def shifted(p: Any, by: Any) -> Any:
    """Return a place moved on."""
    if p in (sp.oo, -sp.oo):
        return p
    return place(sp.simplify(p.exact + by)) if p.exact is not None else Place(p.value + number(by))


def _size(v: Any) -> Any:
    return mpmath.inf if v == sp.oo else -mpmath.inf if v == -sp.oo else v.value


def _united(parts: list[Interval]) -> list[Interval]:
    """Return the union of intervals."""
    out: list[Interval] = []
    for p in sorted(parts, key=lambda p: (_size(p.low), not p.has_low)):
        if out and _touch(out[-1], p):
            last = out[-1]
            gap = _size(p.high) - _size(last.high) if _size(p.high) != _size(last.high) else mpmath.mpf(0)
            if abs(gap) < _SMALL:
                out[-1] = last._replace(has_high=last.has_high or p.has_high)
            elif gap > 0:
                out[-1] = last._replace(high=p.high, has_high=p.has_high)
            if abs(_size(p.low) - _size(last.low)) < _SMALL if mpmath.isfinite(_size(p.low)) else False:
                out[-1] = out[-1]._replace(has_low=last.has_low or p.has_low)
        else:
            out.append(p)
    return out


def _touch(a: Interval, b: Interval) -> bool:
    high, low = _size(a.high), _size(b.low)
    if mpmath.isinf(high) or mpmath.isinf(low):
        return bool(low <= high)
    near = abs(high - low) < _SMALL * (1 + abs(low))
    return bool(a.has_high or b.has_low) if near else bool(low < high)
