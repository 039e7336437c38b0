"""Curves and contours on matplotlib's axes; the only file that knows matplotlib."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from symgrad.errors import ArgumentTypeError
from symgrad.support.extras import required
from symgrad.teach.pictures.samples import Point, sampled

# Colours that are told apart with any colour vision, on white and on black.
COLOURS = ("#2f7fc1", "#d9691d", "#3a9a6b", "#a3579b")
LINES = ("-", "--", "-.", ":")
GREY, RED = "#808890", "#c8324b"
ACROSS, ARROWS = 61, 15  # points of contours and arrows along an axis
LEVELS = 14
SKEWED = 4.0  # times the middle half of the values: beyond, levels are laid where the values are


class Words(NamedTuple):
    """What stands beside the axes, and in the legend or at the colour bar."""

    x: str
    y: str
    labels: tuple[str, ...]


class Touch(NamedTuple):
    """A point of a curve, and the slope there."""

    x: float
    value: float
    slope: float


def axes(who: str, ax: Any) -> Any:
    """Return these axes, or those of a new figure."""
    pyplot = required(who, "plot", "matplotlib.pyplot")
    if ax is None:
        return pyplot.subplots(figsize=(7, 4.5), layout="constrained")[1]
    if not hasattr(ax, "quiver"):
        raise ArgumentTypeError(
            f"{who}: ax is a {type(ax).__name__}. Expected one of matplotlib's axes, as fig, ax = plt.subplots() gives."
        )
    return ax


def curves(
    at: Callable[[float], Point], over: tuple[float, float], words: Words, touch: Touch | None, path: Any, ax: Any
) -> Any:
    """Draw f, f′, …, as many as there are labels, the tangent that touches f at a point, and points on f."""
    samples = sampled(at, *over, len(words.labels))
    had = ax.get_ylim() if ax.has_data() else samples.limits
    ax.axhline(0, color=GREY, linewidth=0.6)
    for k, (row, label) in enumerate(zip(samples.rows, words.labels, strict=True)):
        ax.plot(samples.xs, row, color=COLOURS[k % 4], linestyle=LINES[k % 4], label=label)
    if touch is not None:
        _tangent(ax, samples.xs, touch)
    if path is not None:
        values = [at(x)[0] for x in path]
        ax.plot(path, values, "o-", color=RED, markersize=4, linewidth=0.8, label="path")
    ax.set_ylim(min(samples.limits[0], had[0]), max(samples.limits[1], had[1]))  # a steep tangent must not flatten f
    ax.set(xlabel=words.x, ylabel=words.y)
    ax.legend(frameon=False)
    return ax


def _tangent(ax: Any, xs: Any, touch: Touch) -> None:
    label = f"tangent at {touch.x:g}, slope {touch.slope:.3g}"
    ax.plot(xs, touch.value + touch.slope * (xs - touch.x), color=GREY, linewidth=1.2, label=label)
    ax.plot([touch.x], [touch.value], "o", color=GREY)


class Field(NamedTuple):
    """A function of two numbers: its value, its gradient, and whether arrows are drawn."""

    value: Callable[[float, float], float]
    slope: Callable[[float, float], Sequence[float]]
    has_arrows: bool


def contours(
    field: Field, over: Sequence[tuple[float, float]], words: Words, touch: Sequence[float] | None, path: Any, ax: Any
) -> Any:
    """Draw contours, arrows along the gradient, the gradient and the tangent of the contour at a point, and a path."""
    xs, ys = (np.linspace(low, high, ACROSS) for low, high in over)
    heights = np.ma.masked_invalid([[field.value(float(x), float(y)) for x in xs] for y in ys])
    drawn = ax.contourf(xs, ys, heights, levels=_levels(heights.compressed()), cmap="cividis")
    ax.figure.colorbar(drawn, ax=ax, label=words.labels[0], format="%.3g")
    wide, tall = (high - low for low, high in over)
    if 0.2 < wide / tall < 5:
        ax.set_aspect("equal")  # so that gradients stand upright on contours
    if field.has_arrows:
        _arrows(ax, field.slope, over)
    if touch is not None:
        _touched(ax, touch, field.slope(*touch), 0.12 * min(wide, tall))
    if path is not None:
        ax.plot(path[:, 0], path[:, 1], "o-", color="white", markeredgecolor=RED, markersize=4, label="path")
    ax.set(xlim=over[0], ylim=over[1], xlabel=words.x, ylabel=words.y)
    if touch is not None or path is not None:
        ax.legend(loc="best")
    return ax


def _levels(values: Any) -> Any:
    """Return increasing levels: evenly spaced, or where the values are where most of them are near each other."""
    low, quarter, middle, three, high = np.quantile(values, (0, 0.25, 0.5, 0.75, 1))
    if high - low <= 1e-12 * max(abs(low), abs(high)):
        return [middle - 0.5, middle, middle + 0.5]
    if high - low <= SKEWED * (three - quarter):
        return np.linspace(low, high, LEVELS)
    return np.unique(np.quantile(values, np.linspace(0, 1, LEVELS)))


def _arrows(ax: Any, slope: Callable[[float, float], Sequence[float]], over: Sequence[tuple[float, float]]) -> None:
    """Draw the gradients, longer ones longer, but not by as much."""
    inside = [np.linspace(low, high, 2 * ARROWS + 1)[1::2] for low, high in over]
    places = np.array([(x, y) for y in inside[1] for x in inside[0]])
    gradients = np.array([slope(float(x), float(y)) for x, y in places], dtype=np.float64)
    lengths = np.hypot(gradients[:, 0], gradients[:, 1])
    kept = np.isfinite(lengths) & (lengths > 0)
    if not kept.any():
        return
    places, gradients, lengths = places[kept], gradients[kept], lengths[kept]
    scaled = gradients / lengths[:, None] * (lengths / lengths.max())[:, None] ** 0.25
    step = min(high - low for low, high in over) / ARROWS
    ax.quiver(
        *places.T, *(0.9 * step * scaled).T, angles="xy", scale_units="xy", scale=1, pivot="mid",
        color="white", edgecolor="#303030", linewidth=0.4, width=0.004,
    )  # fmt: skip


def _touched(ax: Any, point: Sequence[float], slope: Sequence[float], size: float) -> None:
    x, y = point
    length = math.hypot(*slope)
    ax.plot([x], [y], "o", color=RED, label=f"gradient ({slope[0]:.3g}, {slope[1]:.3g}) at ({x:g}, {y:g})")
    if 0 < length < np.inf:
        u, v = (size * s / length for s in slope)
        ax.plot([x - v, x + v], [y + u, y - u], color=RED, linewidth=1.2)
        ax.annotate("", (x + u, y + v), (x, y), arrowprops={"arrowstyle": "-|>", "color": RED, "linewidth": 1.6})
