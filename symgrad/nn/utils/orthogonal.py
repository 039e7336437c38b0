"""Weights with orthonormal columns, from the exponential or Cayley map of a skew matrix, or products of reflections."""

from __future__ import annotations

from typing import Any

import numpy as np

from symgrad.core.modes import no_grad
from symgrad.core.promotion import is_complex
from symgrad.engine.record import as_tensor
from symgrad.errors import ArgumentError, NotYet, ShapeError
from symgrad.functions import cat, diagonal, tril
from symgrad.linalg import householder_product, matrix_exp, qr, solve
from symgrad.nn.modules.module import Module
from symgrad.nn.utils.parametrize import register_parametrization
from symgrad.ops.map import show_shape
from symgrad.support.arguments import check_all
from symgrad.tensors.creation import eye, zeros
from symgrad.tensors.random import randn

__all__ = ["orthogonal"]
_MAPS = ("matrix_exp", "cayley", "householder")


class _Orthogonal(Module):
    """X ↦ B f(tril X), whose columns are orthonormal; wide matrices are transposed before and after."""

    base: Any

    def __init__(self, weight: Any, orthogonal_map: str, use_trivialization: bool) -> None:
        super().__init__()
        self.shape, self.orthogonal_map = weight.shape, orthogonal_map
        if use_trivialization:
            self.register_buffer("base", None)

    def forward(self, X: Any) -> Any:
        """Return the orthogonal matrix."""
        wide = X.shape[-2] < X.shape[-1]
        X = X.mT if wide else X
        Q = _reflections(X) if self.orthogonal_map == "householder" else _of_skew(X, self.orthogonal_map)
        if hasattr(self, "base"):
            Q = self.base @ Q
        return Q.mT if wide else Q

    def right_inverse(self, Q: Any) -> Any:
        """Return an X for an orthogonal matrix, or for the nearest sign-corrected factor Q of another."""
        if Q.shape != self.shape:
            raise ShapeError(
                f"Expected a matrix or batch of matrices of shape {show_shape(self.shape)}. Got {show_shape(Q.shape)}."
            )
        wide = Q.shape[-2] < Q.shape[-1]
        tall = Q.mT if wide else Q
        if not hasattr(self, "base"):
            if self.orthogonal_map != "householder":
                raise NotYet(
                    "It is not possible to assign to the matrix exponential or the Cayley parametrizations when "
                    "use_trivialization=False. Leave it True."
                )
            X = as_tensor(_reflectors(tall.numpy()))
            return X.mT if wide else X
        *lead, n, k = tall.shape
        whole = tall if n == k else cat([tall, randn(*lead, n, n - k, dtype=tall.dtype)], -1)
        self.base = _orthonormal(whole)
        return zeros(*Q.shape, dtype=Q.dtype) - as_tensor(np.eye(*Q.shape[-2:])).to(Q.dtype)


def _of_skew(X: Any, orthogonal_map: str) -> Any:
    """exp(A), or (I + A/2)(I - A/2)⁻¹, of A = X - Xᴴ with X lower triangular; its first columns."""
    *lead, n, k = X.shape
    X = tril(X)
    X = X if n == k else cat([X, zeros(*lead, n, n - k, dtype=X.dtype)], -1)
    A = X - X.mH
    half = eye(n, dtype=X.dtype)
    Q = matrix_exp(A) if orthogonal_map == "matrix_exp" else solve(half - A / 2, half + A / 2)
    return Q[..., :k]


def _reflections(X: Any) -> Any:
    """The product of reflections by the columns below the diagonal, times the diagonal's signs."""
    A = tril(X, -1)
    signs = diagonal(X.detach(), dim1=-2, dim2=-1).trunc()
    return householder_product(A, 2.0 / (1.0 + (A * A).sum(-2))) * signs.unsqueeze(-2)


def _reflectors(Q: Any) -> Any:
    """LAPACK's reflectors of Q R, below the diagonal, and on it the signs of R."""
    raw, tau = np.linalg.qr(Q, mode="raw")
    A = np.swapaxes(raw, -1, -2).copy()
    k = np.arange(A.shape[-1])
    A[..., k, k] = np.sign(A[..., k, k]) * np.where(tau == 0, -1, 1)
    return A


def _orthonormal(A: Any) -> Any:
    """Q of Q R, with a positive diagonal of R; A itself where it is orthogonal."""
    n, values = A.shape[-1], A.numpy()
    if np.allclose(values @ np.conj(np.swapaxes(values, -1, -2)), np.eye(n), atol=10 * n * np.finfo(A.dtype).eps):
        return A.clone()
    Q, R = qr(A)
    return Q * diagonal(R, dim1=-2, dim2=-1).sgn().unsqueeze(-2)


def orthogonal(
    module: Module, name: str = "weight", orthogonal_map: str | None = None, *, use_trivialization: bool = True
) -> Module:
    """Make the columns of a weight orthonormal, or its rows if it is wider than high: Qᴴ Q = I, or Q Qᴴ = I.

    Args:
        module, name: the module, and the name of its weight (…, m, n).
        orthogonal_map: 'matrix_exp', exp(A) of a skew A, the default of square and complex weights; 'cayley',
            (I + A/2)(I - A/2)⁻¹; or 'householder', a product of reflections.
        use_trivialization: whether to keep a matrix B, so that the weight is B f(X) and starts from its present value.

    Returns:
        The module.

    Raises:
        ArgumentError: if the map is unknown, or the weight is complex with 'householder'.
        ShapeError: if the weight is not a matrix.

    Source: Lezcano-Casado 2019, "Trivializations for gradient-based optimization on manifolds".

    >>> layer = sg.nn.utils.parametrizations.orthogonal(sg.nn.Linear(3, 3))
    >>> sg.allclose(layer.weight @ layer.weight.T, sg.eye(3))
    True
    """
    weight = getattr(module, name)
    if weight.ndim < 2:
        raise ShapeError(f"Expected a matrix or batch of matrices. Got a tensor of {weight.ndim} dimensions.")
    square = weight.shape[-2] == weight.shape[-1] or is_complex(weight.dtype)
    chosen = orthogonal_map or ("matrix_exp" if square else "householder")
    if chosen not in _MAPS or (chosen == "householder" and is_complex(weight.dtype)):
        raise ArgumentError(
            f"orthogonal_map has to be one of {_MAPS}, 'householder' for real weights only. Got {orthogonal_map!r}."
        )
    with no_grad():
        register_parametrization(module, name, _Orthogonal(weight, chosen, use_trivialization), unsafe=True)
    return module


check_all(globals(), __all__)
