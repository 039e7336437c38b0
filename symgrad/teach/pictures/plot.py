"""A function, its derivative and a tangent in one picture; the only file that knows matplotlib."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from symgrad.errors import SymgradError
from symgrad.func import value_and_grad
from symgrad.support.extras import required

SAMPLES = 241
# Colours that are told apart with any colour vision, on white and on black.
BLUE, ORANGE, GREY = "#2f7fc1", "#d9691d", "#808890"


def draw(f: Callable[..., Any], points: Sequence[float], touch: tuple[float, float, float], name: str, ax: Any) -> Any:
    """Draw f, f′ and the tangent that touches at (x, value, slope) over the points, on these axes or new ones."""
    pyplot = required("plot", "plot", "matplotlib.pyplot")
    if ax is None:
        _, ax = pyplot.subplots(figsize=(7, 4.5), layout="constrained")
    low, high = min(points), max(points)
    room = 0.1 * (high - low) or 2.0
    xs = np.linspace(low - room, high + room, SAMPLES)
    values, slopes = np.array([_both(f, x) for x in xs]).T
    x, value, slope = touch
    ax.axhline(0, color=GREY, linewidth=0.6)
    ax.plot(xs, values, color=BLUE, label=f"f({name})")
    ax.plot(xs, slopes, color=ORANGE, linestyle="--", label=f"f′({name})")
    limits = ax.get_ylim()
    ax.plot(xs, value + slope * (xs - x), color=GREY, linewidth=1.2, label=f"tangent at {x:g}, slope {slope:.3g}")
    ax.plot([x], [value], "o", color=GREY)
    ax.set_ylim(limits)  # a steep tangent must not flatten f
    ax.set_xlabel(name)
    ax.legend(frameon=False)
    return ax


def _both(f: Callable[..., Any], x: float) -> tuple[float, float]:
    """Return f(x) and f′(x), nan where f has no value."""
    try:
        with np.errstate(all="ignore"):
            value, slope = value_and_grad(f)(float(x))
    except SymgradError:
        return float("nan"), float("nan")
    return float(value), float(slope)
