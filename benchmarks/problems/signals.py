"""Losses of complex signals: what is measured is the absolute value of numbers, or of a spectrum."""

from __future__ import annotations

from functools import partial

import numpy as np

from problems.problem import Problem


def _misfit(m, z, mask, seen):
    return m.sum((abs(mask * z) ** 2 - seen) ** 2)


def _misfit_by_hand(z, mask, seen):
    y = mask * z
    apart = y.real**2 + y.imag**2 - seen
    return (apart**2).sum(), 4.0 * apart * y * mask.conj()


def _signals(n):
    rng = np.random.default_rng(0)
    z, mask = (rng.normal(size=n) + 1j * rng.normal(size=n) for _ in range(2))
    return z, mask, rng.uniform(0, 2, n)


def phases(n: int) -> Problem:
    """Σ (|m z|² − b)² of complex z, whose gradient is 4(|m z|² − b) |m|² z."""
    return Problem(
        name=f"phase retrieval, {n:.0e}".replace("e+0", "e"),
        inputs=lambda: _signals(n),
        program=lambda m: partial(_misfit, m),
        hand=_misfit_by_hand,
    )


def _power(m, x, seen):
    return m.sum((abs(m.rfft(x)) ** 2 - seen) ** 2)


def _power_by_hand(x, seen):
    y = np.fft.rfft(x)
    apart = y.real**2 + y.imag**2 - seen
    slope = (
        2.0 * apart * y
    )  # by the half that is there: each entry of it stands for two, but for the first and the last
    slope[0] *= 2.0
    slope[-1] *= 2.0
    return (apart**2).sum(), len(x) * np.fft.irfft(slope, len(x))


def spectrum(n: int) -> Problem:
    """Σ (|F x|² − b)² of a real signal of even length and the first half of its spectrum."""
    return Problem(
        name=f"spectrum of {n}",
        inputs=lambda: (
            np.random.default_rng(0).normal(size=n),
            np.random.default_rng(1).uniform(0, 2 * n, n // 2 + 1),
        ),
        program=lambda m: partial(_power, m),
        hand=_power_by_hand,
    )
