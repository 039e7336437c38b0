"""The curve of a study with what was found out about it: as points, and drawn."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple

import numpy as np
import sympy as sp

from symgrad.errors import ArgumentError
from symgrad.support.extras import needs
from symgrad.teach.pictures import axes
from symgrad.teach.places.points import Place
from symgrad.teach.study.chart import Chart

MANY = 1200  # points of a curve
_ROOM = 0.25  # beyond what is marked
_MARKERS = {"zeros": "o", "extrema": "D", "inflection points": "s"}


class Curve(NamedTuple):
    """A curve, and what is marked on it.

    Attributes:
        x, y: its points; y is nan where the curve is broken.
        heights: what is shown of the vertical axis.
        marks: points by what they are called.
        uprights: the places of vertical asymptotes.
        lines: slope and height at 0 of the other asymptotes.
    """

    x: Any
    y: Any
    heights: tuple[float, float]
    marks: dict[str, list[tuple[float, float]]]
    uprights: list[float]
    lines: list[tuple[float, float]]


def curve_of(c: Chart, over: Any = None, many: int = MANY) -> Curve:
    """Return the curve of a study over a range, by default one in which all its places are."""
    low, high = _range(c) if over is None else over
    if not (np.isfinite([low, high]).all() and low < high):
        raise ArgumentError(f"plot: the range ({low:g}, {high:g}) is empty or not bounded. Expected low < high.")
    x = np.linspace(low, high, many)
    y = np.array([float(c.subject.at(v)) for v in x])
    cuts = [float(g.x) for g in c.gaps]
    y[[k for k, v in enumerate(x) if any(abs(v - cut) < (high - low) / many for cut in cuts)]] = np.nan
    places = {
        "zeros": [(z, 0.0) for z in c.zeros],
        "extrema": [(e.x, float(e.y)) for e in c.extrema],
        "inflection points": [(i.x, float(i.y)) for i in c.inflections],
    }
    inside = {name: [(float(p), v) for p, v in points if low <= float(p) <= high] for name, points in places.items()}
    uprights = [float(a.x) for a in c.asymptotes if a.x is not None]
    lines = [(float(a.slope), float(a.height)) for a in c.asymptotes if a.slope is not None and a.height is not None]
    return Curve(x, y, _heights(c, y), inside, uprights, lines)


def drawn(c: Chart, over: Any, ax: Any) -> Any:
    """Return matplotlib's axes with the curve, and its zeros, extrema, inflection points and asymptotes marked."""
    needs("plot", "plot")
    curve = curve_of(c, over)
    canvas = axes.axes("plot", ax)
    canvas.plot(curve.x, curve.y, label="f")
    for name, points in curve.marks.items():
        if points:
            canvas.plot(*zip(*points, strict=True), _MARKERS[name], label=name)
    for x in curve.uprights:
        canvas.axvline(x, ls="--", lw=0.8, color="0.5")
    for slope, height in curve.lines:
        canvas.plot(curve.x, slope * curve.x + height, "--", lw=0.8, color="0.5")
    canvas.set_ylim(*curve.heights)
    canvas.axhline(0, lw=0.6, color="0.5")
    canvas.set_xlabel(c.subject.name)
    canvas.legend()
    return canvas


def _range(c: Chart) -> tuple[float, float]:
    """Return a range in which all places are, with some room."""
    ends = [e for i in c.domain for e in i[:2] if isinstance(e, Place)]
    places = [*c.zeros, *(e.x for e in c.extrema), *(i.x for i in c.inflections), *(g.x for g in c.gaps), *ends]
    values = [float(p) for p in places] or [0.0]
    width = max(max(values) - min(values), 2.0)
    low, high = min(values) - _ROOM * width - 1, max(values) + _ROOM * width + 1
    first, last = c.subject.window[:2]
    if first != -sp.oo:
        return float(first.value), float(last.value)
    return low, high


def _heights(c: Chart, y: Any) -> tuple[float, float]:
    """Return the heights that are shown: those of the places and most of the curve's."""
    finite = y[np.isfinite(y)]
    marked: Iterable[float] = [0.0, *(float(e.y) for e in c.extrema), *(float(i.y) for i in c.inflections)]
    low, high = (np.quantile(finite, q) for q in (0.08, 0.92)) if len(finite) else (-1.0, 1.0)
    low, high = min(low, *marked), max(high, *marked)
    room = 0.15 * max(high - low, 1e-3)
    return low - room, high + room
