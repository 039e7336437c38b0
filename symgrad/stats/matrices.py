"""Distributions of correlation and covariance matrices, and of matrices with correlated rows and columns."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from symgrad.core.promotion import FLOAT64
from symgrad.engine.record import as_tensor
from symgrad.errors import ArgumentTypeError, ShapeError
from symgrad.functions import broadcast_to, log, log1p, mvlgamma
from symgrad.linalg import cholesky, slogdet, solve, solve_triangular
from symgrad.ops.map import show_shape
from symgrad.stats import transforms
from symgrad.stats.continuous import beta
from symgrad.stats.multivariate import (
    HALF_STEP,
    POSITIVE,
    WHERE_CLOSE,
    Density,
    bartlett,
    check_positive,
    degrees,
    many,
    matrix,
    squared,
    traces,
)
from symgrad.stats.sampling import drawn_by
from symgrad.tensors.sampling import numbers


class InverseWishart(Density):
    """The inverse Wishart distribution: log p(X) = (ν log det Ψ - (ν+p+1) log det X - tr Ψ X⁻¹
    - νp log 2)/2 - log Γₚ(ν/2).

    Parameters: df = ν > p - 1, scale = Ψ.
    """

    name, transform = "invwishart", transforms.cov_matrix

    def logpdf(self, x: Any, df: Any, scale: Any) -> Any:
        """Return log p(X) for a positive definite X (p, p)."""
        x, scale = matrix("invwishart: x", x), matrix("invwishart: scale", scale)
        p = scale.shape[-1]
        check_positive("invwishart: x", x)
        check_positive("invwishart: scale", scale)
        df = degrees(df, p)
        each = broadcast_to(scale, x.shape) if x.ndim > scale.ndim else scale  # else solve takes rows for vectors
        of_x = (df + (p + 1)) * slogdet(x)[1] + traces(solve(x, each))
        return (df * slogdet(scale)[1] - of_x - df * (p * math.log(2))) / 2 - mvlgamma(df / 2, p)

    def rvs(self, df: Any, scale: Any, size: Any = 1, random_state: Any = None) -> Any:
        """Draw random matrices L A⁻ᵀ (L A⁻ᵀ)ᵀ with L Lᵀ = Ψ, with derivatives with respect to both parameters."""
        scale = matrix("invwishart: scale", scale)
        check_positive("invwishart: scale", scale)
        a = bartlett(df, scale.shape[-1], size, random_state)
        root = solve_triangular(a, cholesky(scale).mT, upper=False)
        return root.mT @ root

    def mean(self, df: Any, scale: Any) -> Any:
        """Return the mean E X = Ψ/(ν - p - 1), for ν > p + 1."""
        scale = matrix("invwishart: scale", scale)
        return scale / POSITIVE(as_tensor(df) - (scale.shape[-1] + 1))


class MatrixNormal(Density):
    """The matrix normal distribution with covariances U, V: log p(X) = -tr(V⁻¹ Rᵀ U⁻¹ R)/2 - n log det U/2
    - m log det V/2 - m n log(2π)/2, with R = X - M.

    Parameters: mean = M (m, n), rowcov = U (m, m), colcov = V (n, n).
    """

    name, transform = "matrix_normal", transforms.real

    def logpdf(self, x: Any, mean: Any = None, rowcov: Any = 1, colcov: Any = 1) -> Any:
        """Return log p(X) of a matrix X (m, n)."""
        x = matrix("matrix_normal: x", x)
        r = x if mean is None else x - as_tensor(mean)
        rows, columns = r.shape[-2:]
        u, v = self._covariances(rows, columns, rowcov, colcov)
        squares = traces(solve(v, r.mT @ solve(u, r)))
        constant = math.log(2 * math.pi) * (rows * columns)
        return -(squares + slogdet(u)[1] * columns + slogdet(v)[1] * rows + constant) / 2

    def rvs(self, mean: Any, rowcov: Any = 1, colcov: Any = 1, size: Any = 1, random_state: Any = None) -> Any:
        """Draw random matrices M + A Z Bᵀ with A Aᵀ = U and B Bᵀ = V, differentiable with respect to all parameters."""
        mean = matrix("matrix_normal: mean", mean)
        u, v = self._covariances(mean.shape[-2], mean.shape[-1], rowcov, colcov)
        shape = () if size == 1 else many(size)
        z = drawn_by(random_state, numbers, "standard_normal", (*shape, *mean.shape), FLOAT64)
        return mean + cholesky(u) @ z @ cholesky(v).mT

    def _covariances(self, rows: Any, columns: Any, rowcov: Any, colcov: Any) -> tuple[Any, Any]:
        u, v = squared(rows, rowcov), squared(columns, colcov)
        check_positive("matrix_normal: rowcov", u)
        check_positive("matrix_normal: colcov", v)
        return u, v


class Lkj(Density):
    """The LKJ distribution of correlations: log p(R) = (η - 1) log det R + Σₖ (d - k) log [Γ(βₖ+1/2)/(√π Γ(βₖ))],
    βₖ = η + (d - k - 1)/2.

    Parameters: eta = η > 0, and dim = d, which is required for draws. Source: Lewandowski, Kurowicka and Joe 2009.
    """

    name = "lkj"
    transform: transforms.Transform = transforms.corr_matrix

    def logpdf(self, x: Any, eta: Any, dim: Any = None) -> Any:
        """Return log p(R) of a correlation matrix R (d, d); -∞ if its diagonal is not 1."""
        x = self._checked(x, dim)
        check_positive("lkj: x", x)
        density = (as_tensor(eta) - 1) * slogdet(x)[1] + _lkj_constant(eta, x.shape[-1])
        return WHERE_CLOSE(density, abs(x * np.eye(x.shape[-1]) - np.eye(x.shape[-1])).sum((-2, -1)), 0.0)

    def rvs(self, eta: Any, dim: Any = None, size: Any = 1, random_state: Any = None) -> Any:
        """Draw random correlation matrices, with derivatives with respect to eta."""
        return transforms.corr_matrix.forward(self._unconstrained(eta, dim, size, random_state))

    def _checked(self, x: Any, dim: Any) -> Any:
        x = matrix(f"{self.name}: x", x)
        if x.shape[-2] != x.shape[-1] or dim not in (None, x.shape[-1]):
            expected = "a square matrix" if dim is None else f"({dim}, {dim})"
            raise ShapeError(f"{self.name}: x has shape {show_shape(x.shape)}. Expected {expected}.")
        return x

    def _unconstrained(self, eta: Any, dim: Any, size: Any, random_state: Any) -> Any:
        """Return atanh of partial correlations z, of which (z + 1)/2 has a beta distribution."""
        if dim is None:
            raise ArgumentTypeError(f"{self.name}: samples need the number of rows. Pass dim.")
        columns = np.tril_indices(int(dim), -1)[1]
        b = POSITIVE(as_tensor(eta))[..., None] + (dim - columns - 2) / 2
        u = beta.rvs(b, b, size=(*(() if size == 1 else many(size)), len(columns)), random_state=random_state)
        return (log(u) - log1p(-u)) / 2


class LkjCholesky(Lkj):
    """Cholesky factors L of correlation matrices L Lᵀ of the LKJ distribution: Π Lₖₖ^(d - k + 2η - 2), normalised.

    Parameters: eta = η > 0, and dim = d, which is required for draws.
    """

    name, transform = "lkj_cholesky", transforms.cholesky_corr

    def logpdf(self, x: Any, eta: Any, dim: Any = None) -> Any:
        """Return log p(L) of a Cholesky factor L (d, d); -∞ if its rows do not have length 1."""
        x = self._checked(x, dim)
        d = x.shape[-1]
        diagonal = x[..., np.arange(d), np.arange(d)]
        powers = 2 * as_tensor(eta)[..., None] + (d - 3.0 - np.arange(d))
        density = (powers * log(diagonal))[..., 1:].sum(-1) + _lkj_constant(eta, d)
        off = abs((x**2).sum(-1) - 1).sum(-1) + abs(x * np.triu(np.ones((d, d)), 1)).sum((-2, -1))
        return WHERE_CLOSE(density, off, 0.0)

    def rvs(self, eta: Any, dim: Any = None, size: Any = 1, random_state: Any = None) -> Any:
        """Draw random Cholesky factors, with derivatives with respect to eta."""
        return transforms.cholesky_corr.forward(self._unconstrained(eta, dim, size, random_state))


def _lkj_constant(eta: Any, d: int) -> Any:
    k = np.arange(1.0, d)
    steps = HALF_STEP(POSITIVE(as_tensor(eta))[..., None] + (d - k - 1) / 2)
    return ((steps - math.log(math.pi) / 2) * (d - k)).sum(-1)


invwishart, matrix_normal, lkj, lkj_cholesky = InverseWishart(), MatrixNormal(), Lkj(), LkjCholesky()
