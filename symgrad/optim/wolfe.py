"""A step length that satisfies the strong Wolfe conditions, by bracketing and cubic interpolation."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, NamedTuple

_DECREASE, _CURVATURE = 1e-4, 0.9  # c₁ and c₂
_MOST = 25  # evaluations


class _Point(NamedTuple):
    """A step length, and there the value, the slope along the direction, and the gradient."""

    t: float
    value: float
    slope: float
    gradient: Any


def strong_wolfe(
    along: Callable[[float], tuple[float, float, Any]], t: float, value: float, slope: float, gradient: Any
) -> tuple[float, float, Any]:
    """Find t with φ(t) ≤ φ(0) + c₁ t φ′(0) and |φ′(t)| ≤ c₂ |φ′(0)|.

    Args:
        along: φ, φ′ and the gradient at a step length.
        t: where to begin.
        value, slope, gradient: those at 0.

    Returns:
        t, φ(t) and the gradient there; where none is found, those of the least value that was met.

    Source: Nocedal and Wright 2006, algorithms 3.5 and 3.6.
    """
    best = before = origin = _Point(0.0, value, slope, gradient)
    for k in range(_MOST):
        here = _Point(t, *along(t))
        best = min(best, here, key=_value)
        if not math.isfinite(here.value):
            t = (before.t + t) / 2
            continue
        if _rises(here, origin) or (k > 0 and here.value >= before.value):
            return _zoom(along, origin, before, here, best, _MOST - k - 1)
        if abs(here.slope) <= -_CURVATURE * slope:
            return here.t, here.value, here.gradient
        if here.slope >= 0:
            return _zoom(along, origin, here, before, best, _MOST - k - 1)
        t, before = min(max(_between(before, here, here.t * 1.01, here.t * 10), here.t * 1.01), here.t * 10), here
    return best.t, best.value, best.gradient


def _zoom(along: Any, origin: _Point, low: _Point, high: _Point, best: _Point, most: int) -> tuple[float, float, Any]:
    """Narrow a bracket: ``low`` has the least value so far, and the slope there points to ``high``."""
    for _ in range(most):
        left, right = sorted((low.t, high.t))
        margin = 0.1 * (right - left)
        if margin <= 1e-16 * right:
            break
        t = min(max(_between(low, high, left, right), left + margin), right - margin)
        here = _Point(t, *along(t))
        best = min(best, here, key=_value)
        if _rises(here, origin) or here.value >= low.value:
            high = here
            continue
        if abs(here.slope) <= -_CURVATURE * origin.slope:
            return here.t, here.value, here.gradient
        if here.slope * (high.t - low.t) >= 0:
            high = low
        low = here
    return best.t, best.value, best.gradient


def _value(p: _Point) -> float:
    return p.value if math.isfinite(p.value) else math.inf


def _rises(here: _Point, origin: _Point) -> bool:
    return not here.value <= origin.value + _DECREASE * here.t * origin.slope


def _between(a: _Point, b: _Point, left: float, right: float) -> float:
    """Where the cubic through two values and slopes is least; the middle where it has no minimum."""
    if a.t == b.t or not (math.isfinite(a.value) and math.isfinite(b.value)):
        return (left + right) / 2
    d = a.slope + b.slope - 3 * (a.value - b.value) / (a.t - b.t)
    square = d * d - a.slope * b.slope
    if not square >= 0:
        return (left + right) / 2
    root = math.copysign(math.sqrt(square), b.t - a.t)
    denominator = b.slope - a.slope + 2 * root
    return b.t - (b.t - a.t) * (b.slope + root - d) / denominator if denominator else (left + right) / 2
