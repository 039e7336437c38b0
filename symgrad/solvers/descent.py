"""The ways down to a minimum: Newton's method with a positive Hessian, SciPy's methods, and past saddle points."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from symgrad.engine.program import Program
from symgrad.errors import ArgumentError, LinAlgError, NotConverged
from symgrad.implicit import programs
from symgrad.implicit.conditions import Conditions, EachSlice
from symgrad.implicit.factors import LinearSystem, Record, norm
from symgrad.solvers.newton import Newton, few, polished
from symgrad.solvers.problem import WEAK, Shape
from symgrad.solvers.quadratic import Together
from symgrad.support.extras import required
from symgrad.support.frozen import frozen

_SMOOTH = (
    "Is the loss smooth there? A minimum on a kink, as that of |x|, has no gradient 0: write |x| as u + v with "
    "x = u - v and bounds u, v ≥ 0."
)
_LEVEL = 1e-5  # what is left of the conditions of a minimum along a valley
_SHORT = 1e-8  # a step that rounding makes
_SHRINKS = 0.9  # by how much Newton's steps to a minimum shrink at least
_FLAT = 1e-8  # curvature, relative to the largest, that counts as none
_ASIDE = 1e-2  # how far aside a lower point is looked for
_ESCAPES = 8
_FAR = 1e12  # as far from the start as only a loss without a bound leads


@frozen
class Minimiser:
    """Goes down to a minimum, and takes the last steps by Newton's method on the conditions."""

    shape: Shape
    method: str
    tol: float
    most: int

    def __call__(self, conditions: Conditions, start: Any, thetas: Sequence[Any]) -> Any:
        """Return x, and the multipliers behind it."""
        size = math.prod(self.shape.shape)
        x = np.array(start, np.float64)
        x = x[:size].reshape(self.shape.shape) if self.shape.equal else x
        x = self._down(conditions, x, thetas) if self.method == "newton" else self._lowest(conditions, x, thetas)
        z = with_multipliers(self.shape, x, thetas)
        try:
            return Newton(self.tol, self.most)(conditions, z, thetas)
        except (NotConverged, LinAlgError):  # where an active constraint has a multiplier of 0, or along a valley
            is_constrained = bool(self.shape.equal or self.shape.bounded)
            if (is_constrained or self._is_level(x, thetas)) and self._has_settled(conditions, z, thetas):
                return z
            if is_constrained:
                raise NotConverged(
                    f"{conditions.who}: SciPy's {self.method} ended at x = {few(x)}, which does not meet the "
                    "conditions of a minimum: the loss may decrease forever, or the gradient of a constraint is 0 "
                    "there. Bound x, rewrite the constraint, or start elsewhere."
                ) from None
            raise NotConverged(
                f"{conditions.who}: the gradient's length is {norm(self._slope(x, thetas)):.3g} where {self.method} "
                f"ended, x = {few(x)}. {_SMOOTH} Start closer, or use another of SciPy's methods."
            ) from None

    def together(self, each: EachSlice) -> Together:
        """Return what finds the minima of all slices at once, where they are those of quadratic problems."""
        return Together(each, self.tol)

    def _is_level(self, x: Any, thetas: Sequence[Any]) -> bool:
        slope = norm(self._slope(x, thetas))
        return slope * norm(x) <= 1e-9 * (1 + abs(self._loss(x, thetas)))

    def _has_settled(self, conditions: Conditions, z: Any, thetas: Sequence[Any]) -> bool:
        """Whether Newton's steps from z are short, or shrink; those along a loss that falls for ever do not."""
        operator, lengths = programs.linearised(conditions.body), []
        for _ in range(2):
            rest = np.ravel(programs.numbers(conditions.body, _read(z), *thetas))
            try:
                step = LinearSystem(operator, conditions.way, (_read(z), *thetas), conditions.who, Record()).solve(rest)
            except LinAlgError:
                return norm(rest) <= _LEVEL * (1.0 + norm(self._slope(self.shape.point(z), thetas)))
            lengths.append(norm(step))
            if lengths[-1] <= _SHORT * (1.0 + norm(z)):
                return True
            z = z - np.reshape(step, np.shape(z))
        return bool(lengths[1] < _SHRINKS * lengths[0])

    def _loss(self, x: Any, thetas: Sequence[Any]) -> float:
        try:
            return float(programs.numbers(self.shape.loss, _read(x), *[thetas[k] for k in self.shape.losses]))
        except NotConverged:  # a root inside of the loss, which is not there for this x
            return math.inf

    def _slope(self, x: Any, thetas: Sequence[Any]) -> Any:
        return slope_of(self.shape, x, thetas)

    def _down(self, conditions: Conditions, x: Any, thetas: Sequence[Any]) -> Any:
        """Newton's method for a minimum: the Hessian is shifted until it is positive definite."""
        if self.shape.equal or self.shape.bounded:
            raise ArgumentError(
                f"{conditions.who}: Newton's method takes no bounds or constraints. Use method='SLSQP'."
            )
        curvature = programs.matrix(programs.linearised(conditions.body))
        value, size = self._loss(x, thetas), x.size
        if not math.isfinite(value):
            raise NotConverged(f"{conditions.who}: the loss is {value} at the starting point. Choose another.")
        for _ in range(self.most):
            slope = self._slope(x, thetas)
            matrix = np.reshape(programs.numbers(curvature, _read(x), *thetas), (size, size))
            if not (math.isfinite(value) and np.all(np.isfinite(slope)) and np.all(np.isfinite(matrix))):
                break
            step = -_positive_solve(matrix, slope)
            lower = self._lowered(x, step, value, float(slope @ step), thetas)
            if lower is None:
                return self._near(conditions, x, step, slope)
            x, value = lower
            if norm(step) <= 1e-6 * norm(x) or not np.any(slope):
                aside = self._off_saddle(matrix, x, value, thetas)
                if aside is None:
                    return x
                x, value = aside
        raise NotConverged(
            f"{conditions.who}: no minimum after {self.most} steps: the gradient's length is "
            f"{norm(self._slope(x, thetas)):.3g}, the loss {value:.6g}. Is it bounded from below? "
            "Start closer, or use one of SciPy's methods, as in method='BFGS'."
        )

    def _lowered(
        self, x: Any, step: Any, value: float, slope: float, thetas: Sequence[Any]
    ) -> tuple[Any, float] | None:
        """Return a point along the step where the loss falls as its slope promises, and the loss; None without one."""
        t = 1.0
        while t > 1e-12:
            ahead = x + t * step.reshape(x.shape)
            loss = self._loss(ahead, thetas)
            if loss <= value + 1e-4 * t * slope:
                return ahead, loss
            t /= 2
        return None

    def _off_saddle(self, matrix: Any, x: Any, value: float, thetas: Sequence[Any]) -> Any:
        """Return a lower point beside a saddle or a maximum, and its loss; None elsewhere.

        Where there is no curvature, as of x³ at 0, the loss itself tells.
        """
        lengths, vectors = np.linalg.eigh(matrix)
        largest, far = float(np.max(np.abs(lengths))), _ASIDE * (1.0 + norm(x))
        ways = vectors.T[lengths <= _FLAT * largest][:_ESCAPES]
        points = [x + sign * far * np.reshape(way, x.shape) for way in ways for sign in (1.0, -1.0)]
        losses = [self._loss(z, thetas) for z in points]
        least = 4 * np.finfo(float).eps * abs(value) + 1e-2 * _FLAT * largest * far**2  # which rounding does not make
        k = int(np.argmin(losses)) if losses else -1
        return (points[k], losses[k]) if losses and losses[k] < value - least else None

    @staticmethod
    def _near(conditions: Conditions, x: Any, step: Any, slope: Any) -> Any:
        """Return x where rounding hides what a step gains; elsewhere there is no minimum in sight."""
        if norm(step) <= 1e-5 * (1 + norm(x)):
            return x
        raise NotConverged(
            f"{conditions.who}: no step lowers the loss, and its gradient's length is "
            f"{norm(slope):.3g}. {_SMOOTH} Start closer, or use one of SciPy's methods, as in method='BFGS'."
        )

    def _lowest(self, conditions: Conditions, x: Any, thetas: Sequence[Any]) -> Any:
        """Let SciPy find a minimum; from a saddle or a maximum, where its slopes are 0 too, go on beside it."""
        for _ in range(_ESCAPES):
            x = self._borrowed(conditions, x, thetas)
            way = falling(self.shape, x, thetas)
            if way is None:
                return x
            aside = [self._within(x + s * way * 1e-2 * (1.0 + norm(x)), thetas) for s in (1.0, -1.0)]
            minima = [self._borrowed(conditions, z, thetas) for z in aside if np.any(z != x)]
            lower = [z for z in minima if self._loss(z, thetas) < self._loss(x, thetas)]
            if not lower:
                break
            x = min(lower, key=lambda z: self._loss(z, thetas))
        raise NotConverged(
            f"{conditions.who}: SciPy's {self.method} ended at x = {few(x)}, a saddle point or a maximum, from which "
            "the loss falls. Start elsewhere."
        )

    def _within(self, x: Any, thetas: Sequence[Any]) -> Any:
        return np.clip(x, thetas[-2], thetas[-1]) if self.shape.bounded else x

    def _borrowed(self, conditions: Conditions, x: Any, thetas: Sequence[Any]) -> Any:
        optimize = required(f"{conditions.who} with bounds or constraints", "scipy", "scipy.optimize")
        shape, limits = self.shape, [thetas[k] for k in self.shape.limits]

        def at(z: Any) -> Any:
            return _read(np.reshape(z, shape.shape))

        given: dict[str, Any] = {}
        if shape.bounded:
            _check_ends(conditions.who, thetas[-2], thetas[-1])
            given["bounds"] = list(zip(np.ravel(thetas[-2]), np.ravel(thetas[-1]), strict=True))
        if shape.constraints is not None:
            given["constraints"] = [self._limit(kind, at, limits) for kind in (True, False) if kind in shape.equal]
        try:
            answer = optimize.minimize(
                lambda z: self._loss(at(z), thetas), np.ravel(x), jac=lambda z: self._slope(at(z), thetas),
                method=self.method, tol=1e-12 if self.method == "SLSQP" else None,
                options={"maxiter": max(self.most, 500)}, **given,
            )  # fmt: skip
        except ValueError as error:
            raise ArgumentError(f"{conditions.who}: method={self.method!r}: {str(error).rstrip('.')}.") from error
        self._check(conditions, answer, x, thetas)
        if not answer.success and not self._is_close(answer.x, at, thetas):
            raise NotConverged(
                f"{conditions.who}: SciPy's {self.method} did not converge after {answer.get('nit', 'some')} steps: "
                f"{' '.join(str(answer.message).split()).rstrip('.')}. Start closer, check that the constraints can be "
                "met, or use another method."
            )
        return np.reshape(np.asarray(answer.x, np.float64), shape.shape)

    def _check(self, conditions: Conditions, answer: Any, x: Any, thetas: Sequence[Any]) -> None:
        """Refuse a result that diverged from its starting point."""
        if not np.all(np.isfinite(answer.x)) and math.isfinite(self._loss(x, thetas)):
            raise NotConverged(
                f"{conditions.who}: SciPy's {self.method} diverged to x = {few(answer.x)}: the loss decreases "
                "without bound, or is undefined on the way. Bound x, start closer to the minimum, or check the sign of "
                "the loss."
            )
        if norm(answer.x) > _FAR * (1.0 + norm(x)):
            raise NotConverged(
                f"{conditions.who}: the loss decreases without bound: it is {float(answer.fun):.3g} where x is as "
                f"large as {float(np.max(np.abs(answer.x))):.3g}. Bound x, or check the sign of the loss."
            )

    def _limit(self, equal: bool, at: Any, limits: Sequence[Any]) -> dict[str, Any]:
        body: Any = self.shape.constraints
        chosen = np.flatnonzero(np.array(self.shape.equal) == equal)
        slopes = programs.matrix(programs.linearised(body))
        return {
            "type": "eq" if equal else "ineq",
            "fun": lambda z: np.ravel(programs.numbers(body, at(z), *limits))[chosen],
            "jac": lambda z: np.reshape(programs.numbers(slopes, at(z), *limits), (len(self.shape.equal), -1))[chosen],
        }

    def _is_close(self, z: Any, at: Any, thetas: Sequence[Any]) -> bool:
        """Whether rounding alone kept a method from going on: Newton takes the last steps from there."""
        held = self.shape.constraints
        if held is None:
            return bool(np.all(np.isfinite(z)))
        left = np.ravel(programs.numbers(held, at(z), *[thetas[k] for k in self.shape.limits]))
        off = np.where(np.array(self.shape.equal), np.abs(left), -left)
        return bool(np.all(off <= 1e-6))


def _free(shape: Shape, x: Any, thetas: Sequence[Any], slope: Any) -> Any:
    """Return which numbers no bound holds that the loss pushes them against."""
    free = np.ones(x.size, bool)
    if shape.bounded:
        low, high = (np.ravel(e) for e in thetas[-2:])
        ends = (np.ravel(x) - low <= WEAK) | (high - np.ravel(x) <= WEAK)
        free = ~(ends & (np.abs(slope) > WEAK * (1.0 + norm(slope))))
    return free


def _kernel(matrix: Any) -> Any:
    """Return an orthonormal basis of what a matrix maps to 0, by columns."""
    _, lengths, rows = np.linalg.svd(matrix)
    return rows[int(np.sum(lengths > 1e-9 * np.max(lengths, initial=0.0))) :].T


def _curvature(body: Program, size: int, *args: Any) -> Any:
    """Return the second derivatives of a program's result, times the last of the arguments."""
    return _square(programs.matrix(programs.linearised(programs.pullback(body, (0,)))), size, *args)


def falling(shape: Shape, x: Any, thetas: Sequence[Any]) -> Any:
    """Return a direction along which the loss falls from a stationary point, by its curvature; None at a minimum.

    It is the lowest eigenvector of the Lagrangian's Hessian on what the active constraints leave free; a constraint
    that holds without a force is not among these.
    """
    size, at = x.size, _read(x)
    curvature = _curvature(shape.loss, size, at, *[thetas[k] for k in shape.losses], 1.0)
    slope, held = slope_of(shape, x, thetas), np.zeros((0, size))
    if shape.constraints is not None:
        limits, body = [thetas[k] for k in shape.limits], shape.constraints
        forces = with_multipliers(shape, x, thetas)[size:]
        curvature = curvature - _curvature(body, size, at, *limits, forces)
        slopes = np.reshape(programs.numbers(programs.matrix(programs.linearised(body)), at, *limits), (-1, size))
        slope = slope - forces @ slopes
        held = slopes[np.array(shape.equal) | (forces > WEAK * (1.0 + norm(forces)))]
    free = _free(shape, x, thetas, slope)
    if not free.any() or not np.all(np.isfinite(curvature)):
        return None
    ways = _kernel(held[:, free])
    if not ways.shape[1]:
        return None
    lengths, vectors = np.linalg.eigh(ways.T @ curvature[np.ix_(free, free)] @ ways)
    if not lengths[0] < -1e-6 * float(np.max(np.abs(curvature))):
        return None
    direction = np.zeros(size)
    direction[free] = ways @ vectors[:, 0]
    return np.reshape(direction, x.shape)


def _square(body: Program, size: int, *args: Any) -> Any:
    return np.reshape(np.asarray(programs.numbers(body, *args), np.float64), (size, size))


def _check_ends(who: str, low: Any, high: Any) -> None:
    if not np.all(low <= high):
        raise ArgumentError(f"{who}: a lower bound is above its upper bound, or a bound is nan: got {low} and {high}.")


def _read(x: Any) -> Any:
    return float(x) if np.ndim(x) == 0 else x


def _positive_solve(matrix: Any, slope: Any) -> Any:
    """Solve with the matrix; where it is not positive definite, with the absolute values of its eigenvalues."""
    try:
        np.linalg.cholesky(matrix)
        return np.linalg.solve(matrix, slope)
    except np.linalg.LinAlgError:
        values, vectors = np.linalg.eigh(matrix)
        size = float(np.max(np.abs(values), initial=0.0))
        lengths = np.maximum(np.abs(values), 1e-3 * size) if size > 0 else np.ones(len(slope))
        return vectors @ ((vectors.T @ slope) / lengths)


def with_multipliers(shape: Shape, x: Any, thetas: Sequence[Any]) -> Any:
    """Return x with the multipliers that fit best behind it: of inactive inequalities, 0."""
    body = shape.constraints
    if body is None:
        return x
    limits, at = [thetas[k] for k in shape.limits], _read(x)
    held = np.ravel(programs.numbers(body, at, *limits))
    slopes = np.reshape(programs.numbers(programs.matrix(programs.linearised(body)), at, *limits), (len(held), -1))
    active = np.array(shape.equal) | (np.abs(held) <= 1e-5)
    free = np.ones(x.size, bool)
    if shape.bounded:
        low, high = (np.ravel(e) for e in thetas[-2:])
        free = (np.ravel(x) - low > 1e-7) & (high - np.ravel(x) > 1e-7)
    multipliers = np.zeros(len(held))
    slope = slope_of(shape, x, thetas)
    multipliers[active] = np.linalg.lstsq(slopes[active][:, free].T, slope[free], rcond=None)[0]
    return np.concatenate([np.ravel(x), multipliers])


def slope_of(shape: Shape, x: Any, thetas: Sequence[Any]) -> Any:
    """Return the gradient of the loss, as a vector."""
    pull = programs.pullback(shape.loss, (0,))
    return np.ravel(programs.numbers(pull, _read(x), *[thetas[k] for k in shape.losses], 1.0))


@frozen
class Known:
    """A minimum that somebody else found, or finds.

    Attributes:
        x: where it is; None with ``run``.
        run: the solver, or None.
    """

    shape: Shape
    x: Any
    run: Any = None

    def __call__(self, conditions: Conditions, start: Any, thetas: Sequence[Any]) -> Any:
        """Return it with its multipliers."""
        if self.run is None:
            x = self.x.value
        else:
            size = math.prod(self.shape.shape)
            first = np.ravel(start)[:size].reshape(self.shape.shape)
            x = self.run(conditions, first, thetas)
        z = with_multipliers(self.shape, np.reshape(x, self.shape.shape), thetas)
        return polished(conditions, z, thetas)
