"""The conditions of a minimum, ∇f − Jᵀλ − ν = 0 beside the active constraints: their matrix K, and Newton's steps.

An interior-point method ends beside the bounds that it is at, by as much as its barrier is high. From there Newton's
steps with the exact Hessian, on the constraints that push, reach the solution to rounding.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from symgrad.errors import LinAlgError, NotDifferentiable
from symgrad.optim.nonlinear.run import Run
from symgrad.support.extras import required
from symgrad.support.lazy import cached_property

_NAMED = 2000  # variables up to which a constraint that others imply is looked for
_REPEATED = 1e-9  # of a gradient, that other gradients do not explain
_LOST = 1e-6  # what a solve with a regular matrix may leave
_STEPS = 8  # of Newton's, each of which doubles the digits


class Point(NamedTuple):
    """A point with its multipliers, and how far the conditions of a minimum are from holding there.

    Attributes:
        z, forces, pushes: x, λ and ν.
        stationarity: the largest entry of ∇L, or the distance to the bound that f falls towards.
        violation: of the worst constraint or bound.
        rest, steepest: ∇f − Jᵀλ, and the largest entry of ∇f.
    """

    z: Any
    forces: Any
    pushes: Any
    stationarity: float
    violation: float
    rest: Any
    steepest: float

    @classmethod
    def of(cls, run: Run, z: Any, forces: Any) -> Point:
        """Return the point with the multipliers of its bounds."""
        slope = run.gradient(z)
        rest, steepest = slope - run.pulled(z, forces), float(np.max(np.abs(slope), initial=0.0))
        way = np.where(rest > 0, z - run.low, run.high - z)  # to the bound that f falls towards
        pushes = np.where(way < np.abs(rest), rest, 0.0)
        stationarity = float(np.max(np.minimum(np.abs(rest), np.maximum(way, 0.0)), initial=0.0))
        return cls(z, forces, pushes, stationarity, run.violation(z, run.constraints(z)), rest, steepest)

    def is_level(self, run: Run, tol: float) -> bool:
        """Whether each entry of ∇L is small beside ∇f, or pushes against a bound that is next to the point."""
        way = np.where(self.rest > 0, self.z - run.low, run.high - self.z)
        is_small = np.abs(self.rest) <= tol * (1.0 + self.steepest)
        return bool(np.all(is_small | (way <= tol * (1.0 + np.abs(self.z)))))

    def gap(self, run: Run, g: Any) -> float:
        """Return the largest product of a multiplier and the distance to its end, by which f may be too high."""
        slack = np.where(self.forces > 0, g - run.lb, run.ub - g)[self.forces != 0]
        way = np.where(self.rest > 0, self.z - run.low, run.high - self.z)[self.pushes != 0]
        gaps = np.concatenate([self.forces[self.forces != 0] * slack, self.pushes[self.pushes != 0] * way])
        return float(np.max(np.abs(gaps), initial=0.0))

    @property
    def error(self) -> float:
        """The worst of the conditions."""
        return max(self.stationarity, self.violation)


class Factors:
    """The KKT matrix of the active rows and the held variables, factorised when it is first solved with.

    ``why`` says why there is no derivative, and ``name`` what an active constraint is called.
    """

    def __init__(
        self, run: Run, z: Any, forces: Any, rows: Any, held: Any, why: str = "", name: Callable[[int], str] = str
    ) -> None:
        # K = [[∇²L, −Jᵀ, −I], [−J, 0, 0], [−I, 0, 0]] of the active rows and bounds
        sparse = required("nlp", "scipy", "scipy.sparse")
        J, eye = run.matrix(z).tocsr()[rows], sparse.eye_array(len(z)).tocsr()[held]
        self.active, self.why, self.name = sparse.vstack([J, eye]), why, name
        blocks = [[run.curvature(z, 1.0, -forces), -self.active.T], [-self.active, None]]
        self.matrix = sparse.block_array(blocks).tocsc()

    @cached_property
    def _solve(self) -> Any:
        linalg = required("nlp", "scipy", "scipy.sparse.linalg")
        try:
            return linalg.splu(self.matrix.tocsc()).solve
        except RuntimeError:
            raise LinAlgError(self._singular()) from None

    def _singular(self) -> str:
        """Return why K is singular, with the name of an active constraint that the others imply."""
        k = implied(self.active)
        if k is not None:
            return (
                f"nlp: the gradient of {self.name(k)} is a combination of those of other active constraints, so that "
                "multipliers are not unique, and there is no derivative. Remove this constraint."
            )
        return (
            "nlp: f is level along some direction that the active constraints leave free, so that the solution is not "
            "unique, and there is no derivative. Add a constraint, or a small quadratic term."
        )

    def solve(self, b: Any) -> Any:
        """Return K⁻¹ b, of a vector or of rows of them."""
        if not np.any(b):
            return np.zeros_like(b)
        if self.why:
            raise NotDifferentiable(self.why)
        right = np.reshape(b, (-1, b.shape[-1])).T
        x = self._solve(np.ascontiguousarray(right))
        left = right - self.matrix @ x
        x = x + self._solve(left)
        if not np.max(np.abs(right - self.matrix @ x)) <= _LOST * np.max(np.abs(right)):
            raise LinAlgError(self._singular())
        return x.T.reshape(b.shape)


def implied(gradients: Any) -> int | None:
    """Return a row of a sparse matrix that is a combination of others, if it is small enough to look for one."""
    if max(gradients.shape) > _NAMED or not gradients.shape[0] or not np.all(np.isfinite(gradients.data)):
        return None
    _, R, order = required("nlp", "scipy", "scipy.linalg").qr(gradients.toarray().T, mode="economic", pivoting=True)
    sizes = np.abs(np.diag(R))
    rank = int(np.sum(sizes > _REPEATED * sizes[0]))
    return int(order[rank]) if rank < gradients.shape[0] else None


def polished(run: Run, point: Point) -> Point:
    """Return the point after Newton's steps on the active constraints, while they halve the error at least."""
    for _ in range(_STEPS):
        try:
            after = _newton(run, point)
        except LinAlgError:
            return point
        if not after.error <= 0.5 * point.error:
            return point
        point = after
    return point


def _newton(run: Run, point: Point) -> Point:
    """Return the point after one step, in which no multiplier changes its sign."""
    z, n, g = point.z, len(point.z), run.constraints(point.z)
    ends = np.where(point.forces > 0, run.lb, run.ub)  # that a row pushes from
    is_active = run.is_equal | (np.abs(ends - g) < np.abs(point.forces))
    forces = np.where(is_active, point.forces, 0.0)
    rows, held = np.flatnonzero(is_active), np.flatnonzero((run.low == run.high) | (point.pushes != 0))
    bounds = np.where(point.pushes > 0, run.low, run.high)[held]
    rest = run.pulled(z, forces) - run.gradient(z)
    rest[held] = 0.0  # ν takes it up
    factors = Factors(run, z, forces, rows, held)
    step = factors.solve(np.concatenate([rest, (g - ends)[rows], z[held] - bounds]))
    after = forces.copy()
    after[rows] += step[n : n + len(rows)]
    after = np.where(run.is_equal | (after * forces > 0), after, 0.0)
    return Point.of(run, np.clip(z + step[:n], run.low, run.high), after)
