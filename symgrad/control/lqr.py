"""The linear-quadratic regulator, by Riccati's equation."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from symgrad import linalg
from symgrad.engine.record import as_tensor
from symgrad.errors import ArgumentTypeError, ShapeError
from symgrad.ops.map import show_shape


class Regulator(NamedTuple):
    """A feedback u = −K x, and the matrix X of the remaining cost xᵀX x from a state x."""

    K: Any
    X: Any


def lqr(A: Any, B: Any, Q: Any, R: Any, discrete: bool = False) -> Regulator:
    """Minimise ∫ xᵀQ x + uᵀR u dt for ẋ = A x + B u, or Σ xᵀQ x + uᵀR u for x ← A x + B u.

    X solves Riccati's equation AᵀX + X A − X B R⁻¹BᵀX + Q = 0 with K = R⁻¹BᵀX, or with ``discrete``
    X = AᵀX (A − B K) + Q with K = (R + BᵀX B)⁻¹BᵀX A. Both are differentiable with respect to all matrices.

    Args:
        A: (n, n).
        B: (n, m).
        Q: (n, n), symmetric and positive semidefinite.
        R: (m, m), symmetric and positive definite.
        discrete: whether time is discrete.

    Returns:
        K (m, n) and X (n, n).

    Raises:
        ShapeError: if the sizes do not fit.
        LinAlgError: if no feedback stabilises the loop, or if R is singular.

    >>> K, X = sg.control.lqr(np.array([[0.0, 1.0], [0.0, 0.0]]), np.array([[0.0], [1.0]]), np.eye(2), np.eye(1))
    >>> K.numpy().round(6)
    array([[1.      , 1.732051]])
    """
    if not isinstance(discrete, (bool, np.bool_)):
        raise ArgumentTypeError(f"lqr: got discrete={discrete!r}. Expected True or False.")
    tensors = [as_tensor(M) for M in (A, B, Q, R)]
    _check_sizes(tensors)
    A, B, Q, R = tensors
    X = linalg.solve_discrete_are(A, B, Q, R) if discrete else linalg.solve_continuous_are(A, B, Q, R)
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


__all__ = ["Regulator", "lqr"]
