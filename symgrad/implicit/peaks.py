"""Where an integrand has narrow peaks, which the nodes of a rule may miss.

A peak comes of a steep function of something that passes 0 or turns, as exp(-((x - m)/s)²) does where x - m = 0: that
is seen from any distance. So all parts of the integrand are examined in a few hundred places, and around each place
where one passes 0 or turns, the integrand is examined in ever smaller steps.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from itertools import chain, starmap
from typing import Any, NamedTuple

import numpy as np
import sympy as sp

from symgrad.core.promotion import is_bool
from symgrad.engine.program import Program, Value
from symgrad.errors import SymgradError
from symgrad.implicit import programs
from symgrad.implicit.discontinuities import places
from symgrad.ops.map import Map

Parts = Callable[[Any], Any]  # of places, the values of all parts: a row for each place, f's entries last


class Look(NamedTuple):
    """The values seen of an integrand.

    Attributes:
        inner: where to split the range, so that nodes see its narrow peaks.
        size: the largest integral of an entry's absolute value, by the places alone.
        places: how many these are.
        waves: whether a part has so many turns that there may be more peaks.
    """

    inner: list[float]
    size: float
    places: int
    waves: bool


_ROWS = 256  # places that are examined together
_TURNS = 24  # beyond which a part oscillates, and its turns are not peaks
_MOST = 128  # places around which is looked
_ROUNDS = 40
_WIDTHS = 120  # steps around a place, each half of the one before
_LEAST = 1e-16  # of the range, which no step goes below where the place is 0
_APART = 2**12  # neighbouring floats, closer than which nodes round to each other
_SEEN = 5  # of which the first are no smaller than the distances of nodes
_FLAT = 1e-9  # of the largest value, below which steps are rounding
_GROWTH = 16.0  # of pieces away from a peak


def parts_of(body: Program, thetas: Sequence[Any]) -> tuple[Parts, int] | None:
    """Return the function from places to parts, and how many columns f has; None where parts cannot be looked at."""
    many = body.once("parts", lambda: _parts(body))
    if many is None:
        return None

    def at(places: Any) -> Any:
        padded = np.resize(places, (-(-len(places) // _ROWS), _ROWS))
        runs = [_columns(x, programs.all_numbers(many, x, *thetas)) for x in padded]
        return np.concatenate(runs)[: len(places)]

    return at, math.prod(body.results[0].shape)


def _parts(body: Program) -> Program | None:
    """Return a vector of places ↦ what a body computes on the way to f, sums within its maps too, and f."""
    moving, sums = body.depending(body.inputs[:1]), list[Value]()
    for v in (body.values[k] for k in sorted(moving.difference(body.inputs))):
        if v.op.looped:  # one place at a time
            return None
        if isinstance(v.op, Map):
            known = [e for e in v.op.payload.atoms(sp.Add) if e != v.op.payload]
            sums += [v._replace(op=Map.of(e, len(v.args))) for e in known]
    values = [*body.values, *sums]
    inner = [*sorted(moving.difference(body.inputs)), *range(len(body.values), len(values))]
    full = Program(values, body.inputs, [*inner, *body.outputs])
    try:
        return programs.mapped(full, _ROWS, (True, *(False,) * (len(body.inputs) - 1)))
    except SymgradError:
        return None


def _columns(x: Any, values: Sequence[Any]) -> Any:
    """Return real numbers: of booleans ±1, of complex numbers both parts."""
    rows = [x[:, None]]
    for v in values:
        row = np.reshape(v, (len(x), -1))
        row = row * 2.0 - 1.0 if is_bool(row.dtype) else row
        rows += [row.real, row.imag] if np.iscomplexobj(row) else [row]
    return np.hstack(rows)


def look(body: Program, low: float, high: float, thetas: Sequence[Any]) -> Look:
    """Look for narrow peaks of (x, *θ) ↦ f between low and high."""
    parts = parts_of(body, thetas) if low < high and programs.is_read(body, 0) else None
    if parts is None:
        return Look([], math.inf, 0, False)
    at, width = parts
    x = places(low, high)
    values = at(x)
    turns, waves = _turns(at, x, values, width)
    f = np.where(np.isfinite(values[:, -width:]), np.abs(values[:, -width:]), 0.0)
    inner = _around(lambda x: at(x)[:, -width:], turns, low, high, np.max(f, axis=0))
    return Look(inner, float(np.max(np.trapezoid(f, x, axis=0))), len(x), waves)


def _around(f: Parts, turns: Sequence[float], low: float, high: float, size: Any) -> list[float]:
    """Return where to split, around those of the turns where f has a narrow peak."""
    ends = [x for x in (low, high) if math.isfinite(x)]
    origin = ends[0] if ends else 0.0
    turns = list(dict.fromkeys([*ends, *turns]))
    # nodes lie so much wider far out on infinite ranges
    reaches = [high - low if len(ends) == 2 else (1.0 + abs(c - origin)) ** 2 for c in turns]
    rows = [_beside(c, reach, low, high) for c, reach in zip(turns, reaches, strict=True)]
    if not any(map(len, rows)):
        return []
    parts = np.split(f(np.concatenate(rows)), np.cumsum([*map(len, rows)]))
    peaks: list[tuple[float, float, float]] = []
    within: list[float] = []
    for c, reach, y in zip(turns, reaches, parts, strict=False):
        step = _width(y, reach, size)
        if step and all(abs(c - other) > step for other, _, _ in peaks):
            peaks.append((c, step, reach))
        elif step:
            within.append(c)
    if not peaks:
        return []
    least = min(step for _, step, _ in peaks) / _GROWTH
    if len(ends) < 2:  # what is smooth around the origin, which nodes of the whole range would see
        peaks.append((origin, 1.0, max(reach for *_, reach in peaks)))
    splits = [low]
    for p in sorted(p for p in chain(within, *starmap(_pieces, peaks)) if low < p < high):
        if min(p - splits[-1], high - p) > max(least, _APART * np.spacing(abs(p))):
            splits.append(p)
    return splits[1:]


def _pieces(c: float, step: float, reach: float) -> list[float]:
    """Return ends of pieces that grow away from a peak."""
    steps = step * _GROWTH ** np.arange(-1.0, math.ceil(math.log(reach / step, _GROWTH)))
    return [c, *(c - steps).tolist(), *(c + steps).tolist()]


def _turns(at: Parts, x: Any, values: Any, width: int) -> tuple[list[float], bool]:
    """Return where a part passes 0 or turns, and whether some do more often than is followed."""
    with np.errstate(all="ignore"):
        above, ways = values >= 0, np.sign(np.diff(values, axis=0))
        crossings = (above[:-1] != above[1:]) & ~np.isnan(values[:-1]) & ~np.isnan(values[1:])
        turns = np.where(ways[:-1] * ways[1:] < 0, ways[:-1], 0.0)
    counts = np.count_nonzero(crossings, axis=0) + np.count_nonzero(turns, axis=0)
    exact: set[float] = set()
    brackets: list[tuple[float, float, float, Any]] = []  # with 1 for a top, -1 for a bottom, 0 for a zero
    for column in np.flatnonzero((counts > 0) & (counts <= _TURNS)):
        rows, tops = np.flatnonzero(crossings[:, column]), np.flatnonzero(turns[:, column])
        exact.update(float(x[k + j]) for k in rows for j in (0, 1) if values[k + j, column] == 0)
        brackets += [(x[k], x[k + 1], 0.0, column) for k in rows if np.all(values[k : k + 2, column])]
        brackets += [(x[k], x[k + 2], turns[k, column], column) for k in tops]
    points = [*exact, *(_narrowed(at, brackets[:_MOST]) if brackets else [])]
    inner = counts[:-width] if np.all(counts[-width:] <= _TURNS) else counts[:0]  # f's own turns are seen
    return points, bool(np.any(inner > _TURNS)) or len(brackets) > _MOST


def _narrowed(at: Parts, brackets: list[tuple[float, float, float, Any]]) -> list[float]:
    """Return the zeros and turning points in all brackets, by ever finer grids."""
    low, high, way, column = map(np.array, zip(*brackets, strict=True))
    t = np.linspace(0.0, 1.0, max(9, _ROWS // len(brackets)))
    each, least = np.arange(len(brackets)), np.maximum(4 * np.spacing(np.abs(low)), _LEAST * (high - low))
    for _ in range(_ROUNDS):
        x = low[:, None] + (high - low)[:, None] * t
        values = at(x.ravel()).reshape(*x.shape, -1)[each, :, column]
        passed = (values >= 0) != (values[:, :1] >= 0)
        best = np.argmax(np.where(way[:, None] == 0, passed, values * way[:, None]), axis=1)
        low, high = x[each, np.maximum(best - 1, 0)], x[each, np.minimum(best + (way != 0), len(t) - 1)]
        if np.all(high - low <= least):
            break
    return [float(c) for c in np.unique(np.where(way == 0, high, (low + high) / 2))]


def _beside(c: float, reach: float, low: float, high: float) -> Any:
    """Return places on both sides of c within the range, each half as far as the one before."""
    steps = reach * 0.5 ** np.arange(_WIDTHS)
    steps = steps[steps > _APART * np.spacing(max(abs(c), reach * _LEAST))]
    return np.clip(np.concatenate([c - steps, c + steps]), np.nextafter(low, np.inf), np.nextafter(high, -np.inf))


def _width(values: Any, reach: float, size: Any) -> float:
    """Return how wide a peak is; 0 where f, with these values beside it, changes no faster than elsewhere."""
    if len(values) < 2 * _SEEN + 4 or not np.all(np.isfinite(values)):
        return 0.0
    changes = np.max(np.abs(np.diff(np.split(values, 2), axis=1)), axis=0) / (size + np.max(np.abs(values), axis=0))
    changes = np.where(changes > _FLAT, changes, 0.0)
    narrow = np.where(changes[_SEEN:] > 0.75 * changes[_SEEN - 1 : -1], changes[_SEEN:], 0.0)
    narrow[:, changes[-1] > np.max(narrow, axis=0) / 4] = 0.0  # a singular place, or rounding
    strong = np.flatnonzero(np.any((narrow > np.max(narrow, axis=0) / 8) & (narrow > 0), axis=1))
    return float(reach * 0.5 ** (_SEEN + strong[-1])) if len(strong) else 0.0
