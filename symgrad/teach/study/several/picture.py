"""The contours of a function of two variables, with its critical points marked."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from symgrad.errors import ArgumentError
from symgrad.teach.places.points import Place
from symgrad.teach.plot import plot

_MARKERS = {"local minimum": "o", "local maximum": "^", "saddle point": "X", "not decided": "s"}
_ROOM = 0.5  # beyond what is marked, times its width
_LEAST = 2.0  # width of what is marked


def contours_of(
    text: str, names: Sequence[str], points: Sequence[tuple[str, Mapping[str, Place]]], over: Any, ax: Any
) -> Any:
    """Return matplotlib's axes with the contours, and points marked by their kinds."""
    if len(names) != 2:
        raise ArgumentError(
            f"plot: the function has the variables {', '.join(names)}. Expected two; of one, sg.study(f, 'x').plot() "
            "draws the curve."
        )
    if over is None:
        over = {n: _around([float(at[n]) for _, at in points]) for n in names}
    canvas = plot(text, over, order=0, ax=ax)
    across, up = canvas.get_xlabel(), canvas.get_ylabel()
    for kind, marker in _MARKERS.items():
        inside = [(float(at[across]), float(at[up])) for k, at in points if k == kind]
        if inside:
            canvas.plot(
                *zip(*inside, strict=True), marker, label=kind, color="white", markeredgecolor="black", markersize=9
            )
    if points:
        canvas.legend()
    return canvas


def _around(values: Sequence[float]) -> tuple[float, float]:
    """Return a range in which all values are, with some room."""
    low, high = min(values, default=0.0), max(values, default=0.0)
    room = _ROOM * max(high - low, _LEAST) + 0.5
    return low - room, high + room
