"""The square root and the logarithm of a matrix: functions that a matrix has where no eigenvalue is negative or 0."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from math import prod
from typing import Any

import numpy as np
import sympy as sp

from symgrad.errors import LinAlgError
from symgrad.ops.linalg import series
from symgrad.ops.linalg.expm import MatrixExp, MatrixFunction
from symgrad.ops.linalg.sylvester import Sylvester
from symgrad.support.frozen import frozen

_EPS = float(np.finfo(np.float64).eps)


class Principal(MatrixFunction):
    """A function of the eigenvalues that has a cut along the negative numbers, and no derivative at 0."""

    def evaluated(self, *xs: Any) -> Any:
        """Compute with directions of length one: the result is linear in each."""
        a, *hs = (np.asarray(x) for x in xs)
        self.out_shape(a.shape, *[h.shape for h in hs])
        self.check(a, bool(hs))
        lengths = [float(np.abs(h).max(initial=0.0)) or 1.0 for h in hs]
        value = super().evaluated(a, *[h / length for h, length in zip(hs, lengths, strict=True)])
        return value * value.dtype.type(prod(lengths)) if hs else value

    def computed(self, x: Any) -> Any:
        """One matrix after the other."""
        values = np.empty_like(x)
        for at in np.ndindex(x.shape[:-2]):
            values[at] = self.one(x[at]) if x[at].size and np.isfinite(x[at]).all() else np.nan
        return values

    def one(self, a: Any) -> Any:
        """Return the function of a matrix."""
        raise NotImplementedError

    def check(self, a: Any, directions: bool) -> None:
        """Refuse matrices without a real value, or without derivative in the directions."""
        for at in np.ndindex(a.shape[:-2]):
            if a[at].size and np.isfinite(a[at]).all():
                where = f"(Batch element {int(np.ravel_multi_index(at, a.shape[:-2]))}): " if at else ""
                values = np.linalg.eigvals(a[at].astype(np.result_type(a, np.float64)))
                self.check_values(values, where, directions, imaginary=np.iscomplexobj(a))

    def check_values(self, values: Any, where: str, directions: bool, imaginary: bool) -> None:
        """Refuse negative eigenvalues of real matrices, and 0 where it has no value or derivative."""
        small = len(values) * _EPS * np.abs(values).max(initial=0.0)
        negative = values[(values.real < -np.sqrt(small * np.abs(values).max())) & (np.abs(values.imag) <= small)]
        if negative.size and not imaginary:
            raise LinAlgError(
                f"{self.called}: {where}The matrix has the negative eigenvalue {negative[0].real:.4g}, so the "
                "principal value is not real. Expected eigenvalues off the negative numbers, or a complex matrix."
            )
        if (directions or not self.at_zero) and (np.abs(values) <= small).any():
            what = "derivative" if self.at_zero else "value"
            raise LinAlgError(f"{self.called}: {where}It has no {what} at a singular matrix. An eigenvalue is 0.")

    at_zero = False


@frozen
class MatrixSqrt(Principal):
    """The X with X X = A whose eigenvalues have positive real parts, and its derivatives in directions."""

    name = "LinalgMatrixSqrt"
    called = "linalg.sqrtm"
    spelled = "sqrtm"
    at_zero = True
    explained = "matrix square root: its derivative is linear, and is transposed"
    not_exportable = "the libraries of the targets lack it, or have it of complex numbers only"

    def forward(self, *xs: Any) -> Any:
        """Compute the value; a matrix whose result is not real is refused."""
        return self.evaluated(*xs)

    def one(self, a: Any) -> Any:
        """By eigenvectors of symmetric and singular matrices, else by Newton's iteration."""
        if (a == a.conj().T).all():
            values, vectors = np.linalg.eigh(a)
            return (vectors * np.sqrt(_principal(values, a))) @ vectors.conj().T
        root = _newton(a)
        return _by_eigenvectors(a, np.sqrt, self.called) if root is None else root

    def of_series(self, y: Any, a: Any, order: int | None) -> Any:
        """X₀ Xₖ + Xₖ X₀ = Aₖ − Σ Xᵢ Xₖ₋ᵢ."""
        return series.root(y, lambda right: Sylvester()(y, y, right), a)

    def formula(self, z: sp.Matrix) -> sp.Matrix:
        """(A + √det A I)/√(tr A + 2 √det A)."""
        if z.rows < 2:
            return z.applyfunc(sp.sqrt)
        root = sp.sqrt(z.det())
        return (z + root * sp.eye(2)) / sp.sqrt(z.trace() + 2 * root)


@frozen
class MatrixLog(Principal):
    """The X with exp(X) = A whose eigenvalues have imaginary parts within ±π, and its derivatives in directions."""

    latex_name = r"\log"

    name = "LinalgMatrixLog"
    called = "linalg.logm"
    spelled = "logm"
    explained = "matrix logarithm: its derivative is linear, and is transposed"
    not_exportable = "the libraries of the targets lack it, or have it of complex numbers only"

    def forward(self, *xs: Any) -> Any:
        """Compute the value; a matrix whose result is not real is refused."""
        return self.evaluated(*xs)

    def one(self, a: Any) -> Any:
        """By eigenvectors of a symmetric matrix, else by roots until the series converges."""
        if (a == a.conj().T).all():
            values, vectors = np.linalg.eigh(a)
            return (vectors * np.log(_principal(values, a))) @ vectors.conj().T
        return _logarithm(a)

    def of_series(self, y: Any, a: Any, order: int | None) -> Any:
        """exp X = A: the exponential of what is known of X lacks Dexp(X₀)[Xₖ], which Dlog(A₀) undoes."""
        at = a[0]
        return series.of_inverse(y, MatrixExp(), lambda right: self(at, right), a)

    def formula(self, z: sp.Matrix) -> sp.Matrix:
        """½ log det A I + atanh(δ/μ)/δ (A - μ I), μ half the trace, δ² = μ² - det A."""
        if z.rows < 2:
            return z.applyfunc(sp.log)
        mean = z.trace() / 2
        delta = sp.sqrt(((z[0, 0] - z[1, 1]) / 2) ** 2 + z[0, 1] * z[1, 0])
        return sp.log(z.det()) / 2 * sp.eye(2) + sp.atanh(delta / mean) / delta * (z - mean * sp.eye(2))


# ------------------------------------------------------------------ kernels
_STEPS = 60  # of Newton's iteration, which doubles the digits once it is close


def _newton(a: Any) -> Any:
    """The square root by the product form of Denman and Beavers' iteration, scaled; None where it meets no root.

    Source: Higham 2008, Functions of Matrices, (6.29).
    """
    n, one = len(a), np.eye(len(a))
    x, m, best = a, a, np.inf
    for _ in range(_STEPS):
        try:
            sign, log = np.linalg.slogdet(m)
            inverse = np.linalg.inv(m)
        except np.linalg.LinAlgError:
            return None
        scale = np.exp(-log / (2 * n)) if best > 1e-2 and sign else 1.0
        x = scale * x @ (one + inverse / scale**2) / 2
        m = (one + (scale**2 * m + inverse / scale**2) / 2) / 2
        change = np.abs(m - one).sum(0).max()
        if not np.isfinite(change):
            return None
        if change < 2 * n * _EPS or (best < 1e-6 and change >= best / 2):
            break
        best = min(best, change)
    near = np.abs(x @ x - a).max() <= 1e-6 * max(np.abs(a).max(), np.abs(x).max() ** 2)
    return x if near else None


def _principal(values: Any, a: Any) -> Any:
    """The eigenvalues of a Hermitian matrix for a function with a cut: complex numbers, or real ones not below 0."""
    return values.astype(complex) if np.iscomplexobj(a) else np.maximum(values, 0)


def _by_eigenvectors(a: Any, fn: Callable[[Any], Any], called: str) -> Any:
    """f(A) = V f(Λ) V⁻¹ of a matrix that is singular or has eigenvalues below 0, if it has that many eigenvectors."""
    values, vectors = np.linalg.eig(a)
    values = np.where(np.abs(values) <= len(a) * _EPS * np.abs(values).max(initial=0.0), 0, values)
    if np.linalg.cond(vectors) < 1e8:
        matrix = (vectors * fn(values.astype(complex))) @ np.linalg.inv(vectors)
        return matrix if np.iscomplexobj(a) else matrix.real
    raise LinAlgError(
        f"{called}: no square root was found; the matrix is singular, or has eigenvalues below 0, and lacks "
        "eigenvectors, as [[0, 1], [0, 0]] does."
    )


# log(I + X) = ∫₀¹ X (I + t X)⁻¹ dt; Gauss' rule of eight points is the [8/8] Padé approximant, exact to double
# precision up to this norm. Source: Higham 2008, §11.4.
_RADIUS = 0.3


@cache
def _rule() -> list[tuple[float, float]]:
    """The rule's points in [0, 1] and their weights; to load NumPy's polynomials takes long."""
    points, weights = np.polynomial.legendre.leggauss(8)
    return list(zip((points + 1) / 2, weights / 2, strict=True))


def _logarithm(a: Any) -> Any:
    """Take square roots until the matrix is near I, and double the logarithm back."""
    one, halvings = np.eye(len(a)), 0
    while np.abs(a - one).sum(0).max() > _RADIUS and halvings < _STEPS:
        root = _newton(a)
        if root is None:
            root = _by_eigenvectors(a, np.sqrt, "linalg.logm") if np.iscomplexobj(a) else None
        if root is None:
            raise LinAlgError("linalg.logm: no square root was found; the matrix is too close to a singular one.")
        a, halvings = root, halvings + 1
    x = a - one
    terms = [w * np.linalg.solve(one + t * x, x) for t, w in _rule()]
    return np.sum(terms, 0) * 2.0**halvings


# ------------------------------------------------------------------ what users call
def sqrtm(A: Any) -> Any:
    """Return the principal square root X of a matrix A, for which X X = A.

    The gradient with respect to A is the Fréchet derivative at Aᵀ in the direction Ȳ, the gradient with respect to X.

    Args:
        A: (…, n, n); if real, without negative eigenvalues. A singular matrix has a root, but no derivative.

    Returns:
        Shaped like A.

    Raises:
        ShapeError: if A is not square.
        LinAlgError: if the root is not real, or does not exist.

    Source: Higham 2008, Functions of Matrices, chapter 6.

    >>> sg.linalg.sqrtm(sg.tensor([[4.0, 1.0], [0.0, 4.0]]))
    tensor([[2.0000, 0.2500],
            [0.0000, 2.0000]])
    """
    return MatrixSqrt()(A)


def logm(A: Any) -> Any:
    """Return the principal logarithm X of a matrix A, for which exp(X) = A.

    The gradient with respect to A is the Fréchet derivative at Aᵀ in the direction Ȳ, the gradient with respect to X.

    Args:
        A: (…, n, n), nonsingular; if real, without negative eigenvalues.

    Returns:
        Shaped like A.

    Raises:
        ShapeError: if A is not square.
        LinAlgError: if A is singular, or the logarithm is not real.

    Source: Higham 2008, Functions of Matrices, chapter 11.

    >>> sg.linalg.logm(sg.tensor([[2.0]]))
    tensor([[0.6931]])
    """
    return MatrixLog()(A)
