"""Elementwise chains over one array: with sines, with exponentials alone, and of plain arithmetic."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from problems.problem import FAST, WIDE, Problem


def _sines(m, x):
    return m.sum(m.tanh(1.3 * x + 0.2) * m.exp(-x * x) * m.sin(x) + m.sqrt(1.0 + x * x))


def _sines_by_hand(x):
    t, e, s, q = np.tanh(1.3 * x + 0.2), np.exp(-x * x), np.sin(x), np.sqrt(1.0 + x * x)
    es = e * s
    return (t * es + q).sum(), 1.3 * (1.0 - t * t) * es + t * e * (np.cos(x) - 2.0 * x * s) + x / q


def _exponentials(m, x):
    return m.sum(m.tanh(1.3 * x + 0.2) * m.exp(-x * x) + m.log(1.0 + m.exp(x)))


def _exponentials_by_hand(x):
    t, e, p = np.tanh(1.3 * x + 0.2), np.exp(-x * x), np.exp(x)
    return (t * e + np.log(1.0 + p)).sum(), e * (1.3 * (1.0 - t * t) - 2.0 * x * t) + p / (1.0 + p)


def _rational(m, x):
    return m.sum((1.3 * x + 0.2) * (x * x - 0.5) * (0.7 * x - 1.0) + 0.25 * x * x * x / (1.0 + x * x))


def _rational_by_hand(x):
    a, b, c, q = 1.3 * x + 0.2, x * x - 0.5, 0.7 * x - 1.0, 1.0 + x * x
    value = a * b * c + 0.25 * x**2 * x / q
    return value.sum(), 1.3 * b * c + 2.0 * x * a * c + 0.7 * a * b + 0.25 * x * x * (3.0 + x * x) / (q * q)


def _cubic(m, x):
    return m.sum((1.3 * x + 0.2) * (x * x - 0.5))


def _cubic_by_hand(x):
    a, b = 1.3 * x + 0.2, x * x - 0.5
    return (a * b).sum(), 1.3 * b + 2.0 * x * a


def _problem(
    name: str, n: int, program: Callable[..., Any], hand: Callable[..., Any], source: str, flags: tuple[str, ...] = FAST
) -> Problem:
    return Problem(
        name=f"{name}, {n:.0e}".replace("e+0", "e"),
        inputs=lambda: (np.random.default_rng(0).uniform(-2, 2, n),),
        program=lambda m: partial(program, m),
        hand=hand,
        source=source,
        sizes={"N": n},
        flags=flags,
    )


def chain(n: int) -> Problem:
    """Σ tanh(1.3x + 0.2)·exp(−x²)·sin x + √(1 + x²)."""
    return _problem("chain", n, _sines, _sines_by_hand, "chain.c", ("-fno-math-errno", "-fno-trapping-math", *WIDE))


def exponentials(n: int) -> Problem:
    """Σ tanh(1.3x + 0.2)·exp(−x²) + log(1 + eˣ)."""
    return _problem("exp·tanh·log chain", n, _exponentials, _exponentials_by_hand, "exponentials.c")


def rational(n: int) -> Problem:
    """Σ (1.3x + 0.2)(x² − 0.5)(0.7x − 1) + x³/4(1 + x²)."""
    return _problem("rational", n, _rational, _rational_by_hand, "rational.c")


def cubic(n: int) -> Problem:
    """Σ (1.3x + 0.2)(x² − 0.5)."""
    return _problem("cubic", n, _cubic, _cubic_by_hand, "cubic.c")
