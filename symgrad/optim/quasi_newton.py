"""The direction of L-BFGS, from the last steps and the gradients' differences along them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any


def direction(gradient: Any, pairs: Sequence[tuple[Any, Any]], scale: float) -> Any:
    """-H g, where H, ``scale`` times the identity at first, was updated by the pairs (y, s), oldest first.

    Source: Nocedal and Wright 2006, algorithm 7.4.
    """
    q, weights = -gradient, []
    for y, s in reversed(pairs):
        weights.append(s @ q / (y @ s))
        q = q - weights[-1] * y
    d = q * scale
    for (y, s), weight in zip(pairs, reversed(weights), strict=True):
        d = d + s * (weight - y @ d / (y @ s))
    return d
