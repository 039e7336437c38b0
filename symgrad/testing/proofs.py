"""How many digits of a gradient are certain: its float64 numbers beside the balls of backend ``arb``."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from symgrad.compiler.compiled import compile as compile_function
from symgrad.errors import SymgradError
from symgrad.func import jacrev
from symgrad.support.extras import is_installed


def certain_digits(f: Callable[..., Any], values: Sequence[Any], k: int, reading: Any, digits: int) -> int | None:
    """Return how many digits of ``reading`` agree with ∂f/∂x for the k-th input, wherever in its balls that lies.

    With a the reading and b any number in the ball of an entry, |a - b| ≤ 10⁻ᵈ |b| holds for all entries. None if
    python-flint is not installed, if the program has an operation that backend ``arb`` does not take, or if d < 1.
    """
    if not is_installed("proved"):
        return None
    try:
        balls = np.asarray(compile_function(jacrev(f, k), backend="arb", digits=digits)(*values))
    except SymgradError:
        return None
    if balls.shape != np.shape(reading):
        return None
    entries = zip(np.ravel(reading), balls.flat, strict=True)
    return min((_common_digits(number, ball, digits) for number, ball in entries), default=0) or None


def _common_digits(number: Any, ball: Any, digits: int) -> int:
    """Return the largest d up to ``digits`` with |number - b| ≤ 10⁻ᵈ |b| for all b in the ball; 0 if there is none."""
    if not ball.is_finite() or not math.isfinite(number):
        return 0
    gap, size = abs(ball - float(number)).upper(), abs(ball).lower()
    if gap == 0:
        return digits
    return next((d for d in range(digits, 0, -1) if gap <= size / 10**d), 0)
