"""The mode of a posterior, the normal distribution around it, and how well this describes the posterior."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from symgrad.errors import LinAlgError, NotConverged, SymgradError
from symgrad.stats.sampling import check_count, seeded
from symgrad.support.extras import required
from symgrad.support.notices import warn

_GRADIENT = 1e-6  # of a mode, relative to 1 + |log p|
_DECREMENT = 1e-8  # of log p to the top of the parabola: a mode that is off by 1e-4 standard deviations
_FLAT = 1e-10  # of a curvature beside those of the parameters one by one
_DENSE = 200  # unconstrained numbers up to which a mode is found by Newton's method
_RELIABLE = 0.7  # of Pareto's k, up to which weighted draws describe the target (Vehtari et al. 2024)
_DRAWS = 2000
_EQUAL = 1e-6  # of the relative differences of weights that rounding may explain
_SMALLEST = 1e-300


@dataclass(frozen=True)
class Mode:
    """The mode of a density: ``values`` by name, ``log_density``, and the unconstrained ``vector``."""

    values: dict[str, Any]
    log_density: float
    vector: Any


@dataclass(frozen=True)
class Laplace:
    """A normal distribution of the unconstrained vector, with ``mode`` and ``covariance`` (size, size).

    ``log_evidence`` approximates the logarithm of ∫ p(data, y) dy.
    """

    model: Any
    mode: Mode
    covariance: Any
    log_evidence: float

    def draw(self, draws: int = 1000, *, seed: Any = None) -> dict[str, Any]:
        """Return parameters by name, each of shape (draws, …)."""
        check_count("draw", "draws", draws)
        values: dict[str, Any] = self.model.constrain(self._vectors(draws, seed)[0])
        return values

    def _vectors(self, draws: int, seed: Any) -> tuple[Any, Any]:
        """Return draws of the vector, and the standard normal numbers from which they were computed."""
        z = seeded("draw", seed).standard_normal((draws, self.model.size))
        return self.mode.vector + z @ np.linalg.cholesky(self.covariance).T, z

    @cached_property
    def pareto_k(self) -> float:
        """Return Pareto's k for the weights p/q of 2000 draws. If it exceeds 0.7, draws do not describe the posterior.

        Source: Yao, Vehtari, Simpson and Gelman 2018, "Yes, but did it work?".
        """
        y, z = self._vectors(_DRAWS, 0)
        with np.errstate(all="ignore"):
            log_p = np.array([_log_density(self.model, row) for row in y])
        return tail_shape(np.nan_to_num(log_p, nan=-np.inf, posinf=np.inf, neginf=-np.inf) + (z**2).sum(1) / 2)


def _log_density(model: Any, y: Any) -> float:
    """Log p(y), -∞ where a matrix has no factor or a solver fails."""
    try:
        return float(model.log_density(y))
    except (LinAlgError, NotConverged):
        return -np.inf


# ------------------------------------------------------------------ modes
def mode_of(model: Any, y0: Any, *, jacobian: bool) -> Mode:
    """Return the mode of a model's density that is reached from a vector.

    Raises:
        NotConverged: if no mode was reached.
    """
    optimize = required("map", "scipy", "scipy.optimize")

    def objective(y: Any) -> Any:
        try:
            value, slope = model.value_and_grad(y, jacobian=jacobian)
        except (LinAlgError, NotConverged):
            return np.inf, np.zeros_like(y)
        return (-value, -slope) if np.isfinite(value) else (np.inf, np.zeros_like(y))

    words: dict[str, Any] = {"method": "L-BFGS-B", "options": {"maxiter": 10_000, "ftol": 1e-15, "gtol": 1e-10}}
    if model.size <= _DENSE:
        curvature = lambda y: -model.hessian(y, jacobian=jacobian)
        words = {"method": "trust-exact", "options": {"gtol": 1e-9}, "hess": curvature}
    with np.errstate(all="ignore"):
        try:
            y = optimize.minimize(objective, y0, jac=True, **words).x
        except ValueError as error:  # of SciPy, where derivatives are not finite
            if isinstance(error, SymgradError):
                raise
            raise NotConverged(
                "map: no maximum was reached, because the derivatives of the log-density are not finite on the way. "
                "Expected a bounded density: give every parameter a proper prior, or pass another start."
            ) from error
        value, slope = model.value_and_grad(y, jacobian=jacobian)
        if not np.max(np.abs(slope)) <= _GRADIENT * (1 + abs(value)) and not _is_near(model, y, slope, jacobian):
            raise NotConverged(_unreached(model, value, slope))
    return Mode(model.constrain(y), value, y)


def _unreached(model: Any, value: float, slope: Any) -> str:
    return (
        f"map: no maximum was reached. The gradient is {np.max(np.abs(slope)):.3g} in "
        f"{model.owner(int(np.argmax(np.abs(slope))))!r}, at log-density {value:.6g}. Expected a bounded density: pass "
        "another start, or jacobian=True, which bounds the scales of hierarchical models in noncentred form."
    )


def _is_near(model: Any, y: Any, slope: Any, jacobian: bool) -> bool:
    """Whether the top of the parabola at y is hardly higher: the steps of a solver leave that much of a gradient."""
    if model.size > _DENSE or not np.all(np.isfinite(slope)):
        return False
    precision = -np.asarray(model.hessian(y, jacobian=jacobian))
    if flat_names(model, precision):
        return False
    return bool(slope @ np.linalg.solve(precision, slope) / 2 <= _DECREMENT)


def flat_names(model: Any, precision: Any) -> list[str]:
    """Return the parameters of a direction in which a density with these negative curvatures does not fall."""
    size = np.sqrt(np.abs(np.diag(precision)))
    if not np.all(np.isfinite(precision)) or not np.all(size):
        largest = np.where(np.isfinite(size) & (size > 0), 0.0, 1.0)
    else:
        values, vectors = np.linalg.eigh((precision + precision.T) / 2 / size / size[:, None])
        if values[0] > _FLAT:
            return []
        largest = np.abs(vectors[:, 0])
    return list(dict.fromkeys(model.owner(int(i)) for i in np.flatnonzero(largest > 0.1 * largest.max())))


def warn_of_flat(model: Any, mode: Mode, jacobian: bool) -> None:
    """Warn if other values are as likely as those of a mode."""
    if model.size <= _DENSE and (names := flat_names(model, -model.hessian(mode.vector, jacobian=jacobian))):
        warn(
            f"map: the density does not fall in a direction of {', '.join(map(repr, names))}, so that other values are "
            "as likely as these. Give every parameter a proper prior."
        )


def laplace_at(model: Any, mode: Mode) -> Laplace:
    """Return the normal distribution with the curvature of the mode, and warn if it does not describe the posterior.

    Raises:
        NotConverged: if the density is flat in some direction.
    """
    precision = -np.asarray(model.hessian(mode.vector))
    if names := flat_names(model, precision):
        raise NotConverged(
            "laplace: -∇² log p is not positive definite at the mode: the data and the priors leave a direction of "
            f"{', '.join(map(repr, names))} undetermined. Give every parameter a proper prior."
        )
    root = np.linalg.cholesky((precision + precision.T) / 2)
    evidence = mode.log_density + model.size / 2 * np.log(2 * np.pi) - np.log(np.diag(root)).sum()
    half = np.linalg.inv(root)
    approximation = Laplace(model, mode, half.T @ half, float(evidence))
    if (k := approximation.pareto_k) > _RELIABLE:
        warn(
            f"laplace: the normal distribution does not describe this posterior: Pareto's k of its weights is {k:.2f}, "
            f"more than {_RELIABLE}. Integrate the effects of groups out of the likelihood, or draw with sample()."
        )
    return approximation


def tail_shape(log_weights: Any) -> float:
    """Return the shape k of a generalised Pareto distribution of the largest weights; -∞ if they are equal.

    Source: Zhang and Stephens 2009; the prior of k and the length of the tail are those of Vehtari et al. 2024.
    """
    ordered = np.sort(log_weights)
    count = math.ceil(min(len(ordered) / 5, 3 * len(ordered) ** 0.5))
    if not np.isfinite(ordered[-1]):
        return np.inf
    x = np.exp(ordered[-count:] - ordered[-1]) - np.exp(ordered[-count - 1] - ordered[-1])
    if x[-1] < _EQUAL:
        return -np.inf
    trials = 30 + int(count**0.5)
    quartile = max(x[int(count / 4 + 0.5) - 1], _SMALLEST)
    b = (1 - np.sqrt(trials / (np.arange(1, trials + 1) - 0.5))) / (3 * quartile) + 1 / x[-1]
    k = np.log1p(-b[:, None] * x).mean(1)
    profile = count * (np.log(-b / k) - k - 1)
    weights = np.exp(profile - profile.max())
    shape = np.log1p(-(b @ weights / weights.sum()) * x).mean()
    return float((count * shape + 5) / (count + 10))
