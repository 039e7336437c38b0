"""The curve of a study, drawn with what was found out about it."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
import sympy as sp

from symgrad.errors import ArgumentError
from symgrad.support.extras import needs
from symgrad.teach.pictures import axes
from symgrad.teach.study.chart import Chart
from symgrad.teach.study.points import Place

_MANY = 1200  # points of a curve
_ROOM = 0.25  # beyond what is marked


def drawn(c: Chart, over: Any, ax: Any) -> Any:
    """Return matplotlib's axes with the curve, and its zeros, extrema, inflection points and asymptotes marked."""
    needs("plot", "plot")
    low, high = _range(c) if over is None else over
    if not (np.isfinite([low, high]).all() and low < high):
        raise ArgumentError(f"plot: the range ({low:g}, {high:g}) is empty or not bounded. Expected low < high.")
    canvas = axes.axes("plot", ax)
    x = np.linspace(low, high, _MANY)
    y = np.array([float(c.subject.at(v)) for v in x])
    cuts = [float(g.x) for g in c.gaps]
    y[[k for k, v in enumerate(x) if any(abs(v - cut) < (high - low) / _MANY for cut in cuts)]] = np.nan
    canvas.plot(x, y, label="f")
    for name, marker, places in (
        ("zeros", "o", [(z, 0.0) for z in c.zeros]),
        ("extrema", "D", [(e.x, float(e.y)) for e in c.extrema]),
        ("inflection points", "s", [(i.x, float(i.y)) for i in c.inflections]),
    ):
        inside = [(float(p), v) for p, v in places if low <= float(p) <= high]
        if inside:
            canvas.plot(*zip(*inside, strict=True), marker, label=name)
    _lines(c, canvas, x)
    canvas.set_ylim(*_heights(c, y))
    canvas.axhline(0, lw=0.6, color="0.5")
    canvas.set_xlabel(c.subject.name)
    canvas.legend()
    return canvas


def _lines(c: Chart, canvas: Any, x: Any) -> None:
    for a in c.asymptotes:
        if a.x is not None:
            canvas.axvline(float(a.x), ls="--", lw=0.8, color="0.5")
        elif a.slope is not None and a.height is not None:
            canvas.plot(x, float(a.slope) * x + float(a.height), "--", lw=0.8, color="0.5")


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
