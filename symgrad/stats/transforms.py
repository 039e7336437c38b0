"""``sg.stats.transforms``: maps from all real numbers onto constrained ones, as Stan's reference manual defines them.

Each maps an unconstrained y to a constrained x, and computes log abs(det ∂x/∂y), which relates their densities.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from symgrad.core.node import tensor_value
from symgrad.engine.record import as_tensor
from symgrad.errors import ArgumentError, ArgumentTypeError, LinAlgError, ShapeError
from symgrad.functions import (
    asinh,
    cat,
    cumsum,
    diff,
    exp,
    log,
    log_softmax,
    logaddexp,
    logsigmoid,
    sigmoid,
    softmax,
    tanh,
)
from symgrad.linalg import cholesky, norm
from symgrad.ops.map import show_shape
from symgrad.stats.frozen import Frozen, is_discrete
from symgrad.support.arguments import shown
from symgrad.support.namespace import namespace
from symgrad.tensors.creation import symbol

__all__ = [
    "Transform", "affine", "cholesky_corr", "cholesky_cov", "corr_matrix", "cov_matrix", "interval", "lower",
    "onto_support", "ordered", "positive", "positive_ordered", "real", "simplex", "sum_to_zero", "unit_vector",
    "upper",
]  # fmt: skip

_ROUND_TRIP = 1e-6  # how far x may be from its constraint


class Transform:
    """A map x = T(y) of unconstrained numbers onto constrained ones; printing it shows T and log abs(det ∂x/∂y).

    Numbers are transformed individually, vectors along the last axis, and matrices along the last two. The axes before
    these are batch axes.

    >>> print(sg.stats.transforms.positive)
    x = exp(y)
    log|det J| = y
    """

    constraint = ""  # what x must be, in words
    event_dim = 0  # how many axes one x has

    def __init__(self, name: str) -> None:
        self.name, self.__doc__ = name, type(self).__doc__

    def __repr__(self) -> str:
        return f"symgrad.stats.transforms.{self.name}"

    def __str__(self) -> str:
        return "x = {}\nlog|det J| = {}".format(*self._formulas())

    def __call__(self, y: Any) -> Any:
        """Return the constrained x = T(y)."""
        return self.forward(y)

    def forward(self, y: Any) -> Any:
        """Return the constrained x = T(y)."""
        return self._point(self._arranged(y))

    def log_det_jacobian(self, y: Any) -> Any:
        """Return log abs(det ∂x/∂y), one number for each x. For matrices and simplices, only free entries count."""
        return self._log_det(self._arranged(y))

    def inverse(self, x: Any) -> Any:
        """Return the unconstrained y with T(y) = x.

        Raises:
            ArgumentError: if x has a value that does not satisfy the constraint, or lies on its boundary.
            ShapeError: if x has too few axes.
        """
        x = as_tensor(x)
        self._check_axes("x", x, self.event_dim)
        self.unconstrained_shape(x.shape)
        try:
            with np.errstate(all="ignore"):
                y = self._inverse(x)
        except LinAlgError as error:
            raise self._outside() from error
        known = tensor_value(y)
        if known is not None and not (
            np.all(np.isfinite(known))
            and np.allclose(tensor_value(self.forward(y)), tensor_value(x), _ROUND_TRIP, _ROUND_TRIP)
        ):
            raise self._outside()
        return y

    def contains(self, x: Any) -> bool:
        """Return whether x satisfies the constraint and is not on its boundary."""
        try:
            self.inverse(x)
        except ArgumentError:
            return False
        return True

    def unconstrained_shape(self, shape: Any) -> tuple[Any, ...]:
        """Return the shape of y for an x of this shape."""
        return tuple(shape)

    def _formulas(self) -> tuple[Any, Any]:
        y = symbol("y", "n") if self.event_dim else symbol("y")
        return self._point(y), self._log_det(y)

    def _arranged(self, y: Any) -> Any:
        y = as_tensor(y)
        self._check_axes("y", y, min(self.event_dim, 1))
        return y

    def _check_axes(self, what: str, value: Any, least: int) -> None:
        if value.ndim < least:
            expected = "a vector along the last axis" if least == 1 else "a matrix along the last two axes"
            raise ShapeError(f"{self.name}: {what} has shape {show_shape(value.shape)}. Expected {expected}.")

    def _outside(self) -> ArgumentError:
        return ArgumentError(
            f"{self.name}: x does not satisfy the constraint. Expected {self.constraint}, not on the boundary."
        )

    def _point(self, y: Any) -> Any:
        raise NotImplementedError

    def _log_det(self, y: Any) -> Any:
        raise NotImplementedError

    def _inverse(self, x: Any) -> Any:
        raise NotImplementedError


# ------------------------------------------------------------------ numbers
class Affine(Transform):
    """The numbers loc + scale·y; Stan's offset and multiplier."""

    constraint = "finite numbers"

    def __init__(self, loc: Any, scale: Any, name: str) -> None:
        super().__init__(name)
        self.loc, self.scale = loc, scale

    def _point(self, y: Any) -> Any:
        return self.loc + self.scale * y

    def _log_det(self, y: Any) -> Any:
        return log(as_tensor(self.scale)) + 0 * y

    def _inverse(self, x: Any) -> Any:
        return (x - self.loc) / self.scale


class Lower(Transform):
    """The numbers above a bound: x = low + exp(y)."""

    def __init__(self, low: Any, name: str) -> None:
        super().__init__(name)
        self.low, self.constraint = low, f"numbers greater than {shown(low)}"

    def _point(self, y: Any) -> Any:
        return self.low + exp(y)

    def _log_det(self, y: Any) -> Any:
        return y

    def _inverse(self, x: Any) -> Any:
        return log(x - self.low)


class Upper(Transform):
    """The numbers below a bound: x = high - exp(y)."""

    def __init__(self, high: Any, name: str) -> None:
        super().__init__(name)
        self.high, self.constraint = high, f"numbers less than {shown(high)}"

    def _point(self, y: Any) -> Any:
        return self.high - exp(y)

    def _log_det(self, y: Any) -> Any:
        return y

    def _inverse(self, x: Any) -> Any:
        return log(self.high - x)


class Interval(Transform):
    """The numbers between two bounds: x = low + (high - low) σ(y)."""

    def __init__(self, low: Any, high: Any, name: str) -> None:
        super().__init__(name)
        self.low, self.high = low, high
        self.constraint = f"numbers between {shown(low)} and {shown(high)}"

    def _point(self, y: Any) -> Any:
        return self.low + (self.high - self.low) * sigmoid(y)

    def _log_det(self, y: Any) -> Any:
        return log(as_tensor(self.high - self.low)) + logsigmoid(y) + logsigmoid(-y)

    def _inverse(self, x: Any) -> Any:
        return log(x - self.low) - log(self.high - x)


# ------------------------------------------------------------------ vectors
class Ordered(Transform):
    """Ascending vectors: x₁ = y₁ and xₖ = xₖ₋₁ + exp(yₖ)."""

    constraint, event_dim = "a vector whose entries ascend", 1

    def _point(self, y: Any) -> Any:
        return cumsum(cat([y[..., :1], exp(y[..., 1:])], -1), -1)

    def _log_det(self, y: Any) -> Any:
        return y[..., 1:].sum(-1)

    def _inverse(self, x: Any) -> Any:
        return cat([x[..., :1], log(diff(x, dim=-1))], -1)


class PositiveOrdered(Transform):
    """Ascending vectors of positive numbers: xₖ = xₖ₋₁ + exp(yₖ) with x₀ = 0."""

    constraint, event_dim = "a vector of positive entries that ascend", 1

    def _point(self, y: Any) -> Any:
        return cumsum(exp(y), -1)

    def _log_det(self, y: Any) -> Any:
        return y.sum(-1)

    def _inverse(self, x: Any) -> Any:
        return cat([log(x[..., :1]), log(diff(x, dim=-1))], -1)


class UnitVector(Transform):
    """Vectors of length 1: x = y/‖y‖, where y has as many entries; -‖y‖²/2 makes the density of y proper."""

    constraint, event_dim = "a vector of length 1", 1

    def _point(self, y: Any) -> Any:
        return y / norm(y, dim=-1, keepdim=True) if y.ndim > 1 else y / norm(y)

    def _log_det(self, y: Any) -> Any:
        return -(y**2).sum(-1) / 2

    def _inverse(self, x: Any) -> Any:
        return 1.0 * x


class SumToZero(Transform):
    """Vectors with sum 0: x = V y with orthonormal columns V, which preserves lengths and volumes."""

    constraint, event_dim = "a vector with sum 0", 1

    def unconstrained_shape(self, shape: Any) -> tuple[Any, ...]:
        """Return the shape of y for an x of this shape: one entry less."""
        return (*shape[:-1], shape[-1] - 1)

    def _arranged(self, y: Any) -> Any:
        y = super()._arranged(y)
        return y @ _contrasts(y.shape[-1] + 1).T

    def _formulas(self) -> tuple[Any, Any]:
        z = symbol("V", ("K", "n")) @ symbol("y", "n")
        return self._point(z), self._log_det(z)

    def _point(self, y: Any) -> Any:
        return y

    def _log_det(self, y: Any) -> Any:
        return 0.0 * y[..., 0]

    def _inverse(self, x: Any) -> Any:
        return x @ _contrasts(x.shape[-1])


class Simplex(SumToZero):
    """Positive vectors with sum 1: x = softmax(V y), the isometric log-ratio transform (Stan 2.37 and later)."""

    constraint = "a vector of positive entries with sum 1"

    def _point(self, y: Any) -> Any:
        return softmax(y, -1)

    def _log_det(self, y: Any) -> Any:
        return log_softmax(y, -1).sum(-1) + log(as_tensor(y.shape[-1])) / 2

    def _inverse(self, x: Any) -> Any:
        return super()._inverse(log(x))


def _contrasts(size: int) -> Any:
    """Orthonormal columns with sum 0: column n is (1, …, 1, -n, 0, …)/√(n(n + 1)). Source: Helmert."""
    n = np.arange(1, size)
    rows = np.arange(size)[:, None]
    return (np.where(rows < n, 1.0, 0.0) - np.where(rows == n, n, 0)) / np.sqrt(n * (n + 1.0))


# ------------------------------------------------------------------ matrices
class Triangular(Transform):
    """Matrices made of a lower triangle, whose entries y lists row by row."""

    event_dim = 2
    diagonal = 0  # -1 where the diagonal has no entries of its own

    def unconstrained_shape(self, shape: Any) -> tuple[Any, ...]:
        """Return the shape of y for an x of this shape (…, K, K)."""
        if shape[-2] != shape[-1]:
            raise ShapeError(f"{self.name}: x has shape {show_shape(tuple(shape))}. Expected a square matrix.")
        k = shape[-1]
        return (*shape[:-2], k * (k + 1 + 2 * self.diagonal) // 2)

    def _arranged(self, y: Any) -> Any:
        y = super()._arranged(y)
        n = y.shape[-1]
        k = (math.isqrt(8 * n + 1) - 1) // 2 - self.diagonal
        if self.unconstrained_shape((k, k)) != (n,):
            kind = "K(K + 1)/2" if self.diagonal == 0 else "K(K - 1)/2"
            raise ShapeError(f"{self.name}: y has {n} entries. Expected {kind} of them, for a matrix (K, K).")
        rows, columns = self._places(k)
        at, inside = np.zeros((k, k), int), np.zeros((k, k))
        at[rows, columns], inside[rows, columns] = np.arange(n), 1.0
        return y[..., at] * inside

    def _places(self, k: int) -> Any:
        return np.tril_indices(k, self.diagonal)

    def _listed(self, x: Any) -> Any:
        rows, columns = self._places(x.shape[-1])
        return x[..., rows, columns]


class CholeskyCorr(Triangular):
    """Cholesky factors L of correlation matrices, with rows of length 1: Lᵢⱼ = tanh(yᵢⱼ) Π sech(yᵢₖ) over k < j."""

    constraint, diagonal = "a lower triangular matrix with a positive diagonal and rows of length 1", -1

    def _formulas(self) -> tuple[str, str]:
        return "L, L_ij = tanh(y_ij)*Prod_{k<j} sech(y_ik), tanh(y_ii) = 1", "-Sum_{j<i} (i - j + 1)*log(cosh(y_ij))"

    def _point(self, y: Any) -> Any:
        k = y.shape[-1]
        return (tanh(y) + np.eye(k)) * exp(-_log_cosh(y) @ np.triu(np.ones((k, k)), 1))

    def _log_det(self, y: Any) -> Any:
        i = np.arange(y.shape[-1])
        return -(_log_cosh(y) * np.tril(i[:, None] - i + 1.0, -1)).sum((-2, -1))

    def _inverse(self, x: Any) -> Any:
        rest = (x**2) @ np.tril(np.ones(x.shape[-2:]), -1)  # of the row, beyond an entry
        return asinh(self._listed(x) / self._listed(rest) ** 0.5)


class CorrMatrix(CholeskyCorr):
    """Correlation matrices L Lᵀ, with L as in ``cholesky_corr``: tanh(y) are canonical partial correlations."""

    constraint = "a symmetric and positive definite matrix with ones on its diagonal"

    def _formulas(self) -> tuple[str, str]:
        return "L*Lᵀ, " + super()._formulas()[0][3:], "-Sum_{j<i} (K - j + 1)*log(cosh(y_ij))"

    def _point(self, y: Any) -> Any:
        root = super()._point(y)
        return root @ root.mT

    def _log_det(self, y: Any) -> Any:
        k = y.shape[-1]
        return -(_log_cosh(y) @ np.arange(k + 0.0, 0.0, -1)).sum(-1)

    def _inverse(self, x: Any) -> Any:
        return super()._inverse(cholesky(x))


class CholeskyCov(Triangular):
    """Cholesky factors L of covariance matrices: Lᵢᵢ = exp(yᵢᵢ), and Lᵢⱼ = yᵢⱼ below the diagonal."""

    constraint = "a lower triangular matrix with a positive diagonal"

    def _formulas(self) -> tuple[str, str]:
        return "L, L_ii = exp(y_ii), L_ij = y_ij for j < i", "Sum_i y_ii"

    def _point(self, y: Any) -> Any:
        one = np.eye(y.shape[-1])
        return y * (1 - one) + exp(y) * one

    def _log_det(self, y: Any) -> Any:
        return (y * np.eye(y.shape[-1])).sum((-2, -1))

    def _inverse(self, x: Any) -> Any:
        one = np.eye(x.shape[-1])
        return self._listed(x * (1 - one) + log(x * one + (1 - one)))


class CovMatrix(CholeskyCov):
    """Symmetric, positive definite matrices L Lᵀ, with L as in ``cholesky_cov``."""

    constraint = "a symmetric and positive definite matrix"

    def _formulas(self) -> tuple[str, str]:
        return "L*Lᵀ, " + super()._formulas()[0][3:], "K*log(2) + Sum_i (K - i + 2)*y_ii"

    def _point(self, y: Any) -> Any:
        root = super()._point(y)
        return root @ root.mT

    def _log_det(self, y: Any) -> Any:
        k = y.shape[-1]
        return (y * np.diag(k + 1.0 - np.arange(k))).sum((-2, -1)) + k * math.log(2)

    def _inverse(self, x: Any) -> Any:
        return super()._inverse(cholesky(x))


def _log_cosh(y: Any) -> Any:
    return logaddexp(y, -y) - math.log(2)


# ------------------------------------------------------------------ what users call
real = Affine(0, 1, "real")
positive = Lower(0, "positive")
ordered, positive_ordered = Ordered("ordered"), PositiveOrdered("positive_ordered")
simplex, sum_to_zero, unit_vector = Simplex("simplex"), SumToZero("sum_to_zero"), UnitVector("unit_vector")
cholesky_corr, corr_matrix = CholeskyCorr("cholesky_corr"), CorrMatrix("corr_matrix")
cholesky_cov, cov_matrix = CholeskyCov("cholesky_cov"), CovMatrix("cov_matrix")


def affine(loc: Any, scale: Any) -> Transform:
    """Return the transform x = loc + scale·y, with a positive scale."""
    if isinstance(scale, (int, float)) and not scale > 0:
        raise ArgumentError(f"affine: scale is {shown(scale)}. Expected a positive number.")
    return Affine(loc, scale, f"affine({shown(loc)}, {shown(scale)})")


def lower(low: Any) -> Transform:
    """Return the transform x = low + exp(y), onto the numbers above ``low``."""
    return interval(low, math.inf)


def upper(high: Any) -> Transform:
    """Return the transform x = high - exp(y), onto the numbers below ``high``."""
    return interval(-math.inf, high)


def interval(low: Any, high: Any) -> Transform:
    """Return the transform x = low + (high - low) σ(y), onto the numbers between two bounds.

    Args:
        low: a number, a tensor, or -∞.
        high: a number, a tensor, or ∞.

    Raises:
        ArgumentError: if the lower bound is not below the upper bound.

    >>> print(sg.stats.transforms.interval(2, 5))
    x = 3*σ(y) + 2
    log|det J| = logsigmoid(-y) + logsigmoid(y) + log(3)
    """
    numbers = [b for b in (low, high) if isinstance(b, (int, float))]
    if any(math.isnan(b) for b in numbers) or (len(numbers) == 2 and not low < high):
        raise ArgumentError(f"interval: got the bounds {shown(low)} and {shown(high)}. Expected low < high.")
    below, above = (isinstance(b, (int, float)) and math.isinf(b) for b in (low, high))
    if below or above:
        if below and above:
            return real
        return Upper(high, f"upper({shown(high)})") if below else _above(low)
    return Interval(low, high, f"interval({shown(low)}, {shown(high)})")


def _above(low: Any) -> Transform:
    return positive if isinstance(low, (int, float)) and low == 0 else Lower(low, f"lower({shown(low)})")


def onto_support(distribution: Any) -> Transform:
    """Return the transform onto the support of a distribution with its parameters, such as ``sg.stats.gamma(2.0)``.

    Raises:
        ArgumentTypeError: if it is not a distribution with parameters, or if it is a distribution of integers.
        NotYet: if parameters without a value determine whether the support has an end.

    >>> sg.stats.transforms.onto_support(sg.stats.beta(2.0, 3.0))
    symgrad.stats.transforms.interval(0.0, 1.0)
    """
    if not isinstance(distribution, Frozen):
        raise ArgumentTypeError(
            f"onto_support: got {shown(distribution)}. Expected a distribution with its parameters, as norm(0, 1)."
        )
    family = distribution.dist
    transform: Transform | None = getattr(family, "transform", None)
    if transform is None and hasattr(family, "support") and not is_discrete(distribution):
        transform = interval(*distribution.support())
    if transform is None:
        raise ArgumentTypeError(f"onto_support: {family.name} is a distribution of integers, onto which nothing maps.")
    return transform


__getattr__, __dir__ = namespace(globals(), __all__)
