"""The linear-quadratic regulator: Riccati's equation in numbers, then by Newton's steps, which derivatives follow.

Source: Kleinman, On an iterative technique for Riccati equation computations, IEEE Trans. Autom. Control 13 (1968);
Chu, Fan, Lin and Wang, Structure-preserving algorithms for periodic discrete-time algebraic Riccati equations (2004).
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from symgrad import linalg
from symgrad.engine.record import as_tensor
from symgrad.errors import LinAlgError, ShapeError
from symgrad.ops.map import show_shape

_STEPS = 2  # of Newton: the derivatives up to the third are exact
_DOUBLINGS = 60  # of the horizon


class Regulator(NamedTuple):
    """A feedback u = −K x, and the matrix X of the cost xᵀX x that is left from a state x."""

    K: Any
    X: Any


def lqr(A: Any, B: Any, Q: Any, R: Any, discrete: bool = False) -> Regulator:
    """Minimise ∫ xᵀQ x + uᵀR u dt for ẋ = A x + B u, or Σ xᵀQ x + uᵀR u for x ← A x + B u.

    X solves Riccati's equation AᵀX + X A − X B R⁻¹BᵀX + Q = 0 with K = R⁻¹BᵀX, or with ``discrete``
    X = AᵀX (A − B K) + Q with K = (R + BᵀX B)⁻¹BᵀX A. Differentiable in all matrices, up to third derivatives.

    Args:
        A: (n, n).
        B: (n, m).
        Q: (n, n), symmetric and positive semidefinite.
        R: (m, m), symmetric and positive definite.
        discrete: whether time is discrete.

    Returns:
        K (m, n) and X (n, n).

    Raises:
        ShapeError: sizes do not fit.
        LinAlgError: no feedback makes the loop stable, or R is singular.

    >>> K, X = sg.control.lqr(np.array([[0.0, 1.0], [0.0, 0.0]]), np.array([[0.0], [1.0]]), np.eye(2), np.eye(1))
    >>> K.numpy().round(6)
    array([[1.      , 1.732051]])
    """
    tensors = [as_tensor(M) for M in (A, B, Q, R)]
    _check_sizes(tensors)
    numbers = [np.asarray(t.detach()._known("lqr"), np.float64) for t in tensors]
    X = as_tensor(_discrete(*numbers) if discrete else _continuous(*numbers))
    A, B, Q, R = tensors
    for _ in range(_STEPS):
        K = _gain(A, B, R, X, discrete)
        loop, cost = (A - B @ K).T, Q + K.T @ R @ K
        X = (
            linalg.solve_discrete_lyapunov(loop, cost)
            if discrete
            else linalg.solve_continuous_lyapunov(loop, -1.0 * cost)
        )
    return Regulator(_gain(A, B, R, X, discrete), X)


def _gain(A: Any, B: Any, R: Any, X: Any, discrete: bool) -> Any:
    return linalg.solve(R + B.T @ X @ B, B.T @ X @ A) if discrete else linalg.solve(R, B.T @ X)


def _check_sizes(tensors: list[Any]) -> None:
    shapes = [tuple(t.shape) for t in tensors]
    if len(shapes[1]) != 2 or shapes != [(n := shapes[1][0], n), shapes[1], (n, n), (m := shapes[1][1], m)]:
        raise ShapeError(
            f"lqr: A, B, Q and R have shapes {', '.join(map(show_shape, shapes))}. Expected [n, n], [n, m], [n, n] and "
            "[m, m]."
        )


def _continuous(A: Any, B: Any, Q: Any, R: Any) -> Any:
    """Return X from the stable eigenvectors of Hamilton's matrix [[A, −B R⁻¹Bᵀ], [−Q, −Aᵀ]]."""
    n = len(A)
    try:
        values, vectors = np.linalg.eig(np.block([[A, -B @ np.linalg.solve(R, B.T)], [-Q, -A.T]]))
        stable = np.argsort(values.real)[:n]
        X = np.linalg.solve(vectors[:n, stable].T, vectors[n:, stable].T).T.real
    except np.linalg.LinAlgError:
        raise LinAlgError(_UNSTABLE) from None
    _check(np.linalg.eigvals(A - B @ np.linalg.solve(R, B.T @ X)).real, 0.0)
    return 0.5 * (X + X.T)


def _discrete(A: Any, B: Any, Q: Any, R: Any) -> Any:
    """Return X by doubling the horizon until the cost from there on is the same."""
    A0 = A
    try:
        G, X, one = B @ np.linalg.solve(R, B.T), Q, np.eye(len(A))
        with np.errstate(all="ignore"):
            for _ in range(_DOUBLINGS):
                W = np.linalg.solve(one + G @ X, np.concatenate([A, G], 1))
                ahead, weights = W[:, : len(A)], W[:, len(A) :]
                G, change, A = G + A @ weights @ A.T, A.T @ X @ ahead, A @ ahead
                X = X + change
                if not np.max(np.abs(change)) > 1e-15 * np.max(np.abs(X)):
                    break
        loop = A0 - B @ np.linalg.solve(R + B.T @ X @ B, B.T @ X @ A0)
        _check(np.abs(np.linalg.eigvals(loop)), 1.0)
    except np.linalg.LinAlgError:
        raise LinAlgError(_UNSTABLE) from None
    return 0.5 * (X + X.T)


def _check(sizes: Any, limit: float) -> None:
    if not np.max(sizes) < limit:
        raise LinAlgError(_UNSTABLE)


_UNSTABLE = (
    "lqr: no feedback makes the loop stable, or R is singular. Expected that B reaches each mode of A that grows, that "
    "Q sees those that stay, and that R is positive definite."
)

__all__ = ["Regulator", "lqr"]
