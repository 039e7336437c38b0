"""Rows of the test table for functions by SciPy's names: matrices, filters, splines; torch has few of them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from table import Row, Spec, real

ROWS: list[Row] = []


def row(name: str, f: Callable[..., Any], *samples: tuple[Spec, ...], **known: Any) -> None:
    """Add a row."""
    ROWS.append(Row(name, f, samples, **{"peer": None, **known}))


def definite(n: int) -> Spec:
    """A matrix that is not symmetric, with eigenvalues near 2."""
    return lambda rng: 2 * np.eye(n) + rng.uniform(-0.5, 0.5, (n, n))


# fmt: off
row("linalg.sqrtm", lambda L, A: L.linalg.sqrtm(A), (definite(2),))
row("linalg.logm", lambda L, A: L.linalg.logm(A), (definite(2),))
row("linalg.expm", lambda L, A: L.linalg.expm(A), (real(1, 1),), peer=lambda T, A: T.linalg.matrix_exp(A))
row("linalg.expm_frechet", lambda L, A, E: L.linalg.expm_frechet(A, E)[1], (real(1, 1), real(1, 1)))
row("linalg.solve_sylvester", lambda L, A, B, C: L.linalg.solve_sylvester(A, B, C),
    (definite(2), definite(1), real(2, 1)))
row("linalg.solve_continuous_lyapunov", lambda L, A, Q: L.linalg.solve_continuous_lyapunov(A, Q),
    (definite(2), real(2, 2)))
row("linalg.solve_discrete_lyapunov", lambda L, A, Q: L.linalg.solve_discrete_lyapunov(A, Q),
    (definite(1), real(1, 1)))
row("linalg.solve_continuous_are",
    lambda L, A, B, C: L.linalg.solve_continuous_are(A, B, C @ C.mT + 1.0, B.mT @ B + 1.0),
    (definite(1), definite(1), definite(1)))
row("linalg.solve_discrete_are", lambda L, A, B, C: L.linalg.solve_discrete_are(A, B, C @ C.mT + 1.0, B.mT @ B + 1.0),
    (definite(1), definite(1), definite(1)))
row("linalg.solve_triangular, SciPy's words", lambda L, A, b: L.linalg.solve_triangular(A, b, "T", True),
    (definite(2), real(2)), peer=lambda T, A, b: T.linalg.solve_triangular(A.mT, b[:, None], upper=True)[:, 0])
row("linalg.solve_banded", lambda L, a, b: L.linalg.solve_banded((1, 0), a * 0.2 + 1, b), (real(2, 3), real(3)))
row("linalg.solveh_banded", lambda L, a, b: L.linalg.solveh_banded(L.stack([a, a * 0.1 + 3]), b), (real(2), real(2)))
row("linalg.toeplitz", lambda L, c, r: L.linalg.toeplitz(c, r), (real(3), real(2)), analytic=True)
row("linalg.khatri_rao", lambda L, A, B: L.linalg.khatri_rao(A, B), (real(2, 2), real(3, 2)), analytic=True)
row("linalg.block_diag", lambda L, A, b: L.linalg.block_diag(A, b), (real(1, 2), real()), analytic=True,
    peer=lambda T, A, b: T.block_diag(A, b))

row("signal.convolve", lambda L, x, h: L.signal.convolve(x, h), (real(3), real(2)), (real(2, 2), real(1, 3)),
    analytic=True)
row("signal.convolve same", lambda L, x, h: L.signal.convolve(x, h, "same"), (real(2), real(4)), analytic=True)
row("signal.correlate valid", lambda L, x, h: L.signal.correlate(x, h, "valid"), (real(4), real(2)), analytic=True)
row("signal.fftconvolve axes", lambda L, x, h: L.signal.fftconvolve(x, h, axes=0), (real(2, 2), real(3, 1)),
    analytic=True)
row("signal.convolve2d", lambda L, x, h: L.signal.convolve2d(x, h, "same", "symm"), (real(2, 3), real(2, 2)),
    analytic=True)
row("signal.correlate2d", lambda L, x, h: L.signal.correlate2d(x, h, "full", "fill", 2.0), (real(2, 2), real(1, 2)),
    analytic=True)
row("signal.lfilter", lambda L, b, a, x: L.signal.lfilter(b, 2 + 0.2 * a, x), (real(2), real(3), real(4)))
row("signal.lfilter with a state", lambda L, b, x, z: L.cat(L.signal.lfilter(b, 2 + 0.2 * b[:2], x, 0, z)),
    (real(3), real(3, 2), real(2, 2)))
row("windows", lambda L, x: x * L.hann_window(4) + L.hamming_window(4) * L.bartlett_window(4, periodic=False)
    + L.blackman_window(4) ** 2 * L.kaiser_window(4, beta=2.0), (real(4),), analytic=True)
row("interp", lambda L, x, y, t: L.interp(t, L.cumsum(x, 0), y, left=-1.0), (real(2, lo=0.5, hi=1.0), real(2),
    real(2, lo=0.6, hi=1.4)))
row("CubicSpline", lambda L, x, y, t: L.CubicSpline(L.cumsum(x, 0), y, bc_type=("natural", "clamped"))(t),
    (real(3, lo=0.5, hi=1.0), real(3), real(1, lo=0.8, hi=0.9)), fixed=(0,))
