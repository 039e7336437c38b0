"""The pieces of a range between points that may move: sorted, and kept inside of it."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from symgrad import functions as F
from symgrad.errors import ArgumentError
from symgrad.implicit.unknowns import number

End = tuple[Any, Any]  # a limit as the user gave it, and as a tensor


def infinite(x: Any) -> int:
    """1 for ∞, −1 for −∞, 0 for others: of a number of the user's, since a rule's form cannot depend on a variable."""
    if isinstance(x, (int, float, np.number)) and math.isinf(x):
        return 1 if x > 0 else -1
    return 0


def split(who: str, a: End, b: End, points: Sequence[Any]) -> list[End]:
    """Return a, the points between a and b in their order on the way, and b; points outside are put on a or b.

    With no point, a range from −∞ to ∞ stays whole.
    """
    inner = [number(who, "a point", p) for p in points]
    if any(map(infinite, points)):
        raise ArgumentError(f"{who}: a point is infinite. Expected places inside of the range.")
    low, high = infinite(a[0]), infinite(b[0])
    if inner and low * high > 0:
        raise ArgumentError(f"{who}: both limits are the same infinity.")
    if low or high:
        forward: Any = float(-low or high)
    elif len(inner) > 1:
        forward = F.where(F.le(a[1], b[1]), 1.0, -1.0)
    inner = [_inside(p, a, b) for p in inner]
    if len(inner) > 1:
        ordered, _ = F.sort(F.mul(F.stack(inner), forward))
        inner = [F.mul(ordered[k], forward) for k in range(len(inner))]
    return [a, *[(None, p) for p in inner], b]


def _inside(p: Any, a: End, b: End) -> Any:
    """Return a point, or the limit that it is beyond."""
    low, high = infinite(a[0]), infinite(b[0])
    if low and high:
        return p
    if low or high:
        end, sign = (b[1], low) if low else (a[1], high)
        return F.maximum(p, end) if sign > 0 else F.minimum(p, end)
    return F.clamp(p, F.minimum(a[1], b[1]), F.maximum(a[1], b[1]))
