"""Distributions of correlation and covariance matrices, and of matrices with correlated rows and columns."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from symgrad.core.promotion import FLOAT64
from symgrad.engine.record import as_tensor
from symgrad.errors import ArgumentTypeError, ShapeError
from symgrad.functions import exp, log, log1p, mvlgamma, trace
from symgrad.linalg import cholesky, slogdet, solve, solve_triangular
from symgrad.ops.map import Map, show_shape
from symgrad.scalars import X
from symgrad.scalars.densities import half_step
from symgrad.stats import transforms
from symgrad.stats.continuous import beta
from symgrad.stats.multivariate import POSITIVE, Multivariate, bartlett, check_positive, degrees, many, matrix, squared
from symgrad.stats.sampling import drawn_by
from symgrad.tensors.sampling import numbers

HALF_STEP = Map(lambda: half_step(0, X[0]), 1, "LogGammaStep")


class InverseWishart(Multivariate):
    """The distribution of inverses of Wishart's matrices: log p(X) = (ν log det Ψ - (ν+p+1) log det X - tr Ψ X⁻¹
    - νp log 2)/2 - log Γₚ(ν/2).

    Parameters: df = ν > p - 1, scale = Ψ.
    """

    name, transform = "invwishart", transforms.cov_matrix

    def logpdf(self, x: Any, df: Any, scale: Any) -> Any:
        """Log p(X) of a positive definite X (p, p)."""
        x, scale = matrix("invwishart: x", x), matrix("invwishart: scale", scale)
        p = scale.shape[-1]
        check_positive("invwishart: x", x)
        check_positive("invwishart: scale", scale)
        df = degrees(df, p)
        of_x = (df + (p + 1)) * slogdet(x)[1] + trace(solve(x, scale))
        return (df * slogdet(scale)[1] - of_x - df * (p * math.log(2))) / 2 - mvlgamma(df / 2, p)

    def pdf(self, x: Any, df: Any, scale: Any) -> Any:
        """The density p(X) of a positive definite X (p, p)."""
        return exp(self.logpdf(x, df, scale))

    def rvs(self, df: Any, scale: Any, size: Any = 1, random_state: Any = None) -> Any:
        """Random matrices L A⁻ᵀ (L A⁻ᵀ)ᵀ with L Lᵀ = Ψ, with derivatives with respect to both parameters."""
        scale = matrix("invwishart: scale", scale)
        check_positive("invwishart: scale", scale)
        a = bartlett(df, scale.shape[-1], size, random_state)
        root = solve_triangular(a, cholesky(scale).mT, upper=False)
        return root.mT @ root

    def mean(self, df: Any, scale: Any) -> Any:
        """E X = Ψ/(ν - p - 1), for ν > p + 1."""
        scale = matrix("invwishart: scale", scale)
        return scale / POSITIVE(as_tensor(df) - (scale.shape[-1] + 1))


class MatrixNormal(Multivariate):
    """Normal matrices with covariances U of rows and V of columns: log p(X) = -tr(V⁻¹ Rᵀ U⁻¹ R)/2 - n log det U/2
    - m log det V/2 - m n log(2π)/2, with R = X - M.

    Parameters: mean = M (m, n), rowcov = U (m, m), colcov = V (n, n).
    """

    name, transform = "matrix_normal", transforms.real

    def logpdf(self, x: Any, mean: Any = None, rowcov: Any = 1, colcov: Any = 1) -> Any:
        """Log p(X) of a matrix X (m, n)."""
        x = matrix("matrix_normal: x", x)
        r = x if mean is None else x - as_tensor(mean)
        rows, columns = r.shape[-2:]
        u, v = self._covariances(rows, columns, rowcov, colcov)
        squares = trace(solve(v, r.mT @ solve(u, r)))
        constant = math.log(2 * math.pi) * (rows * columns)
        return -(squares + slogdet(u)[1] * columns + slogdet(v)[1] * rows + constant) / 2

    def pdf(self, x: Any, mean: Any = None, rowcov: Any = 1, colcov: Any = 1) -> Any:
        """The density p(X) of a matrix X (m, n)."""
        return exp(self.logpdf(x, mean, rowcov, colcov))

    def rvs(self, mean: Any, rowcov: Any = 1, colcov: Any = 1, size: Any = 1, random_state: Any = None) -> Any:
        """Random matrices M + A Z Bᵀ with A Aᵀ = U and B Bᵀ = V, with derivatives with respect to all parameters."""
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


class Lkj(Multivariate):
    """Correlation matrices R (d, d) with density log p(R) = (η - 1) log det R + Σₖ (d - k) log [Γ(βₖ+1/2)/(√π Γ(βₖ))],
    βₖ = η + (d - k - 1)/2.

    Parameters: eta = η > 0, and dim = d, which samples need. Source: Lewandowski, Kurowicka and Joe 2009.
    """

    name = "lkj"
    transform: transforms.Transform = transforms.corr_matrix

    def logpdf(self, x: Any, eta: Any, dim: Any = None) -> Any:
        """Log p(R) of a correlation matrix R (d, d)."""
        x = self._checked(x, dim)
        check_positive("lkj: x", x)
        return (as_tensor(eta) - 1) * slogdet(x)[1] + _lkj_constant(eta, x.shape[-1])

    def pdf(self, x: Any, eta: Any, dim: Any = None) -> Any:
        """The density p(R)."""
        return exp(self.logpdf(x, eta, dim))

    def rvs(self, eta: Any, dim: Any = None, size: Any = 1, random_state: Any = None) -> Any:
        """Random correlation matrices, with derivatives with respect to eta."""
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

    Parameters: eta = η > 0, and dim = d, which samples need.
    """

    name, transform = "lkj_cholesky", transforms.cholesky_corr

    def logpdf(self, x: Any, eta: Any, dim: Any = None) -> Any:
        """Log p(L) of a Cholesky factor L (d, d)."""
        x = self._checked(x, dim)
        d = x.shape[-1]
        diagonal = x[..., np.arange(d), np.arange(d)]
        powers = 2 * as_tensor(eta)[..., None] + (d - 3.0 - np.arange(d))
        return (powers * log(diagonal))[..., 1:].sum(-1) + _lkj_constant(eta, d)

    def rvs(self, eta: Any, dim: Any = None, size: Any = 1, random_state: Any = None) -> Any:
        """Random Cholesky factors, with derivatives with respect to eta."""
        return transforms.cholesky_corr.forward(self._unconstrained(eta, dim, size, random_state))


def _lkj_constant(eta: Any, d: int) -> Any:
    k = np.arange(1.0, d)
    steps = HALF_STEP(POSITIVE(as_tensor(eta))[..., None] + (d - k - 1) / 2)
    return ((steps - math.log(math.pi) / 2) * (d - k)).sum(-1)


invwishart, matrix_normal, lkj, lkj_cholesky = InverseWishart(), MatrixNormal(), Lkj(), LkjCholesky()
