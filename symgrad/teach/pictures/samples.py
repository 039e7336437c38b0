"""A function's values over an interval, as a picture needs them: denser where it bends, broken at poles and jumps.

The derivative tells where to look: between two points a smooth function runs as its cubic through values and slopes.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

INTERVALS = 200
MOST = 6000  # points, of a function that is rough everywhere
FINEST = 1e-8  # of the whole interval
BEND, FLAT = 0.05, 1e-12  # what a middle may be off its cubic, as a part of the change; and of the largest value
JUMP = 5e-3  # of a curve's height: a change on the finest interval that no line joins
POLE = 100.0  # times what most values are at most

Point = Sequence[float]


class Samples(NamedTuple):
    """Points, the rows f, f′, … of their values, nan where a line breaks, and the values that a picture goes to."""

    xs: np.ndarray[Any, Any]
    rows: np.ndarray[Any, Any]
    limits: tuple[float, float]


def sampled(at: Callable[[float], Point], low: float, high: float, shown: int) -> Samples:
    """Return f, f′, … over an interval.

    Args:
        at: the numbers f(x), f′(x), … of a point, two at least; those that there are not are nan.
        low, high: the interval.
        shown: how many of these numbers become curves.
    """
    grid = np.linspace(low, high, 2 * INTERVALS + 1)
    known = {float(x): at(float(x)) for x in grid}
    rows = np.array(list(known.values())).T
    rough, open_ = _refined(
        at, known, [float(x) for x in grid], FINEST * (high - low), np.nanmax(np.abs(rows), axis=1, initial=0.0)
    )
    xs = np.array(sorted(known))
    values = np.array([known[float(x)] for x in xs]).T[:shown]
    ends = np.array([known[low], *(known[x] for pair in (*rough, *open_) for x in pair)]).T[:shown]
    return Samples(*_broken(xs, values, rows[:shown], rough), limits(rows[:shown], ends))


def _refined(
    at: Callable[[float], Point], known: dict[float, Point], grid: Sequence[float], finest: float, scale: Any
) -> tuple[list[tuple[float, ...]], list[tuple[float, ...]]]:
    """Add points where a function is not smooth.

    Returns the finest pairs of neighbours between which it is not, and what was left when there were enough points.
    """
    todo = [(grid[k], grid[k + 1], grid[k + 2]) for k in range(0, len(grid) - 2, 2)]
    rough: list[tuple[float, ...]] = []
    while todo and len(known) < MOST:
        later = []
        for a, m, b in todo:
            if _is_smooth(known[a], known[m], known[b], b - a, scale):
                continue
            if b - a <= finest:
                rough += [(a, m), (m, b)]
                continue
            for left, right in ((a, m), (m, b)):
                middle = (left + right) / 2
                known[middle] = at(middle)
                later.append((left, middle, right))
        todo = later
    return rough, list(todo)


def _is_smooth(a: Point, m: Point, b: Point, width: float, scale: Any) -> bool:
    """Whether every curve but the last runs as its cubic; the last one's bends are kinks of that before."""
    finite = [np.isfinite(p).all() for p in (a, m, b)]
    if not all(finite):
        return not any(finite)
    for k in range(len(a) - 1):
        middle = (a[k] + b[k]) / 2 + width * (a[k + 1] - b[k + 1]) / 8
        off = max(abs(m[k] - middle), _unlike(a, m, k, width), _unlike(m, b, k, width))
        change = abs(a[k] - m[k]) + abs(m[k] - b[k]) + width * (abs(a[k + 1]) + abs(b[k + 1])) / 8
        if off > BEND * change + FLAT * scale[k]:
            return False
    return True


def _unlike(a: Point, b: Point, k: int, width: float) -> float:
    """Return how far a change over half the width is from what the slopes at its ends say."""
    return abs(b[k] - a[k] - width * (a[k + 1] + b[k + 1]) / 4)


def _broken(xs: Any, values: Any, rows: Any, rough: Sequence[tuple[float, ...]]) -> tuple[Any, Any]:
    """Return points and values with nan between those that no line joins."""
    heights = np.nanmax(rows, axis=1, initial=-np.inf) - np.nanmin(rows, axis=1, initial=np.inf)
    starts = np.searchsorted(xs, [a for a, _ in rough])
    gaps = np.full((len(values), len(starts)), 0.0)
    for row, height, gap in zip(values, heights, gaps, strict=True):
        gap[np.abs(row[starts + 1] - row[starts]) > JUMP * height] = np.nan
    between = (xs[starts] + xs[starts + 1]) / 2
    filler = (values[:, starts] + values[:, starts + 1]) / 2 + gaps
    return np.insert(xs, starts + 1, between), np.insert(values, starts + 1, filler, axis=1)


def limits(rows: Any, ends: Any = None) -> tuple[float, float]:
    """Return the lowest and the highest value of a picture: all of what is bounded, and most of what is not."""
    bounds = []
    for k, (row, end) in enumerate(zip(rows, rows if ends is None else ends, strict=True)):
        if np.isnan(row).all():
            continue
        if not np.nanmax(np.abs(end), initial=0.0) > POLE * np.nanpercentile(np.abs(row), 95):
            bounds += [np.nanmin(row), np.nanmax(row)]
        elif k == 0:
            low, high = np.nanpercentile(row, (5, 95))
            bounds += [max(low - (high - low) / 2, np.nanmin(row)), min(high + (high - low) / 2, np.nanmax(row))]
        else:
            bounds += [*np.nanpercentile(row, (25, 75))]
    low, high = min(bounds), max(bounds)
    room = 0.05 * (high - low) or 0.5 * max(abs(high), 1.0)
    return float(low - room), float(high + room)
