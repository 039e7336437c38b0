"""Newton's method with the exact Jacobian, damped so that the residual falls."""

from __future__ import annotations

import math
import warnings
from collections.abc import Sequence
from typing import Any

import numpy as np

from symgrad.errors import ArgumentError, LinAlgError, NotConverged
from symgrad.implicit import programs
from symgrad.implicit.conditions import Conditions, EachSlice
from symgrad.implicit.factors import LinearSystem, Record, keep, norm, norms
from symgrad.ops.protocol import shape
from symgrad.support.extras import required
from symgrad.support.frozen import frozen

_HALVINGS = 40
_SMALLEST = 1e-30
_SMALL = 1e-8  # a residual, relative to the first, from where Newton's steps should square the error
_FINE = 1e-14  # a step of one unknown, relative to all of them, that may be rounding
_QUICK = 1e-3  # how much shorter than the one before a step is where the next will be its square
_ASIDE = 1e-3  # how far aside it is looked whether a start is an answer by itself
_BLURRED = 64 * float(np.finfo(float).eps)  # a step, relative to x, whose length rounding makes
_ROUGH = 100.0  # how many times rounding may change the residual
_STALLED = 1e-7  # a step that cannot be taken because of rounding is at most so long, relative to the answer


@frozen
class Newton:
    """x ← x − t·(∂F/∂x)⁻¹ F, t = 1, ½, ¼, … until the residual falls.

    Attributes:
        tol: the step, relative to x, that is the last one; Newton's next would be about its square.
        most: the number of steps.
    """

    tol: float = 1e-10
    most: int = 100

    def __call__(self, conditions: Conditions, start: Any, thetas: Sequence[Any]) -> Any:
        """Return the answer; its derivatives find the last step's factors."""
        body, operator = conditions.body, programs.linearised(conditions.body)
        x = np.array(start, np.float64)
        rest = _residual(body, x, thetas)
        if not np.all(np.isfinite(rest)):
            raise NotConverged(
                f"{conditions.who}: f is not finite at the starting point. Choose one at which it is defined."
            )
        record, first, before, is_slow = None, norm(rest), np.full_like(x, np.nan), False
        for _ in range(self.most):
            if not np.any(rest):
                if record is None:
                    _warn_if_flat(conditions, x, thetas)
                return _answer(conditions, operator, x, thetas, record)
            record, step = _step(conditions, operator, x, rest, thetas)
            x, rest, length = _damped(body, x, step, rest, thetas)
            if length == 0.0:
                if record is None or not _is_rounding(body, x, step, rest, thetas):
                    raise NotConverged(self._stuck(conditions, rest, "no step along Newton's direction lowers it"))
                return _answer(conditions, operator, x + step, thetas, record)
            if record is not None and _settled(step, before, x, self.tol, 1).all():
                return _answer(conditions, operator, x, thetas, record)
            is_slow, before = norm(step) < norm(before) and norm(rest) <= _SMALL * first, step
        if is_slow:
            raise NotConverged(
                f"{conditions.who}: the root near {few(x)} is multiple: the Jacobian is singular there, so that "
                f"Newton's method takes ever smaller steps (the residual is {norm(rest):.3g} after {self.most}), "
                "and the implicit function theorem gives no derivative. Divide the multiple factor out, or move the "
                "parameters; max_steps= goes on."
            )
        raise NotConverged(self._stuck(conditions, rest, f"{self.most} steps did not suffice"))

    def together(self, each: EachSlice) -> Newtons:
        """Return the method for all slices at once."""
        return Newtons(self, each)

    @staticmethod
    def _stuck(conditions: Conditions, rest: Any, why: str) -> str:
        return (
            f"{conditions.who}: Newton's method did not converge: the residual is {norm(rest):.3g}, "
            f"and {why}. Start closer to a solution, check that one exists, or use a method of SciPy, as in  "
            "method='hybr'."
        )


@frozen
class Newtons:
    """Newton's method on slices at once, each with steps of its own length.

    Attributes:
        newton: the method.
        each: the slices one by one, where one of them fails.
    """

    newton: Newton
    each: EachSlice

    def __call__(self, conditions: Conditions, start: Any, thetas: Sequence[Any]) -> Any:
        """Return the answers, one after the other."""
        if self.each.conditions.way.slices == 1:
            try:
                answers = self._at_once(conditions, np.array(start, np.float64), thetas)
            except LinAlgError:
                answers = None
            if answers is not None:
                return answers
        return self.each(conditions, start, thetas)

    def _at_once(self, conditions: Conditions, x: Any, thetas: Sequence[Any]) -> Any:
        """Return the answers; None where a slice does not get there."""
        body, operator, many = conditions.body, programs.linearised(conditions.body), self.each.size
        rest = _residual(body, x, thetas)
        if not np.all(np.isfinite(rest)):
            return None
        done, before = np.zeros(many, bool), np.full((many, x.size // many), np.nan)
        for _ in range(self.newton.most):
            system = LinearSystem(operator, conditions.way, (x, *thetas), conditions.who, Record())
            step = np.where(done[:, None], 0.0, -system.solve(rest).reshape(many, -1))
            t = self._lengths(body, x, step, rest, thetas)
            if np.any(t == 0.0):
                return None
            x = x + (t[:, None] * step).reshape(x.shape)
            rest = _residual(body, x, thetas)
            done |= _settled(step, before, x, self.newton.tol, many)
            done |= ~np.any(rest.reshape(many, -1), axis=1)
            before = step
            if np.all(done):
                return x
        return None

    def _lengths(self, body: Any, x: Any, step: Any, rest: Any, thetas: Sequence[Any]) -> Any:
        """Return how much of each step is taken, so that its residual falls; 0 where none helps."""
        before, t = norms(rest, self.each.size), np.ones(self.each.size)
        still = np.any(step, axis=1)
        for _ in range(_HALVINGS):
            left = norms(_residual(body, x + (t[:, None] * step).reshape(x.shape), thetas), self.each.size)
            still = still & ~(left <= (1.0 - 1e-4 * t) * before)
            if not np.any(still):
                return t
            t = np.where(still, t / 2, t)
        short = norms(step, self.each.size) <= _STALLED * (1.0 + norms(x, self.each.size))
        return np.where(still & ~short, 0.0, np.where(still, _SMALLEST, t))


@frozen
class Iteration:
    """x ← g(x), as x − F(x), until x stays.

    Where each step is ρ times the one before, a step s leaves s·ρ/(1 − ρ): a slow iteration has not come to rest yet.
    """

    tol: float = 1e-12
    most: int = 10_000

    def __call__(self, conditions: Conditions, start: Any, thetas: Sequence[Any]) -> Any:
        """Return the fixed point."""
        x, before, rate = np.array(start, np.float64), None, np.inf
        for _ in range(self.most):
            change = np.reshape(programs.numbers(conditions.body, _read(x), *thetas), x.shape)
            x = x - change
            if not np.all(np.isfinite(x)):
                break
            length, size = norm(change), norm(x)
            if before is not None and norm(before) > _BLURRED * size:
                rate = length / norm(before)
            elif before is not None and rate == np.inf:  # rounding goes to and fro, a drift goes on
                rate = 1.0 if norm(change - before) < length / 2 else 0.0
            left = length * rate / (1 - rate) if rate < 1 else np.inf
            is_short = length <= self.tol * size + _SMALLEST
            if not length or (is_short and left <= math.sqrt(self.tol) * size + _SMALLEST):
                return x
            before = change
        raise NotConverged(
            f"{conditions.who}: the iteration did not come to rest: after at most {self.most} steps x changes by "
            f"{norm(change):.3g}. Start closer, or use method='newton'."
        )


@frozen
class ScipyRoot:
    """One of ``scipy.optimize.root``'s methods, from whose answer Newton takes the last steps."""

    method: str
    tol: float = 1e-10
    most: int = 100

    def __call__(self, conditions: Conditions, start: Any, thetas: Sequence[Any]) -> Any:
        """Return the answer."""
        optimize = required(conditions.who, "scipy", "scipy.optimize")
        body, to = conditions.body, shape(start)
        slope = programs.matrix(programs.linearised(body))
        size = int(programs.size_of(body.arguments[0]))

        def jacobian(z: Any) -> Any:
            return np.reshape(programs.numbers(slope, np.reshape(z, to), *thetas), (size, size))

        try:
            answer = optimize.root(
                lambda z: np.ravel(programs.numbers(body, np.reshape(z, to), *thetas)), np.ravel(start),
                method=self.method, jac=jacobian if self.method in ("hybr", "lm") else None,
            )  # fmt: skip
        except ValueError as error:
            raise ArgumentError(f"{conditions.who}: method={self.method!r}: {error}.") from error
        except ArithmeticError as error:
            raise NotConverged(
                f"{conditions.who}: SciPy's {self.method} exceeded the range of floats. Start closer, or "
                "use another method."
            ) from error
        if not answer.success:
            left = norm(answer.fun)
            raise NotConverged(
                f"{conditions.who}: SciPy's {self.method} did not converge: the residual is {left:.3g} after "
                f"{answer.get('nfev', 'some')} evaluations. {' '.join(str(answer.message).split())} Start closer, or "
                "use another method."
            )
        return Newton(self.tol, self.most)(conditions, np.reshape(answer.x, to), thetas)


def polished(conditions: Conditions, z: Any, thetas: Sequence[Any]) -> Any:
    """Return what Newton makes of an answer in few steps; the answer where that does not converge."""
    try:
        return Newton(most=10)(conditions, z, thetas)
    except (NotConverged, LinAlgError):
        return z


@frozen
class StartIsRoot:
    """The start itself, which is an answer already."""

    def __call__(self, conditions: Conditions, start: Any, thetas: Sequence[Any]) -> Any:
        """Return the start."""
        return start


def few(x: Any) -> str:
    """Return the first numbers of an answer, as errors show them."""
    return np.array2string(np.ravel(x)[:5], precision=4) if np.ndim(x) else f"{float(x):.4g}"


def _read(x: Any) -> Any:
    return float(x) if x.ndim == 0 else x


def _residual(body: Any, x: Any, thetas: Sequence[Any]) -> Any:
    try:
        return np.ravel(programs.numbers(body, _read(x), *thetas))
    except NotConverged:  # a root inside of the conditions, which is not there for this x
        return np.full(x.size, np.inf)


def _step(conditions: Conditions, operator: Any, x: Any, rest: Any, thetas: Sequence[Any]) -> tuple[Any, Any]:
    """Return what is kept of the Jacobian at x, and Newton's step; a least-squares step where it is singular."""
    record = Record()
    system = LinearSystem(operator, conditions.way, (_read(x), *thetas), conditions.who, record)
    try:
        return record, -np.reshape(system.solve(rest), x.shape)
    except LinAlgError:
        matrix = np.reshape(programs.numbers(programs.matrix(operator), _read(x), *thetas), (rest.size, rest.size))
        if not np.all(np.isfinite(matrix)):
            raise
        return None, -np.reshape(np.linalg.lstsq(matrix, rest, rcond=1e-8)[0], x.shape)


def _damped(body: Any, x: Any, step: Any, rest: Any, thetas: Sequence[Any]) -> tuple[Any, Any, float]:
    """Return the next x, its residual, and the part of the step that was taken."""
    size, t = norm(rest), 1.0
    for _ in range(_HALVINGS):
        new = x + t * step
        left = _residual(body, new, thetas)
        if norm(left) <= (1.0 - 1e-4 * t) * size:
            return new, left, t
        t /= 2
    return x, rest, 0.0


def _warn_if_flat(conditions: Conditions, x: Any, thetas: Sequence[Any]) -> None:
    """Say that a start is an answer like all numbers around it, as where exp(-x) is too small for a float."""
    aside = _ASIDE * (1.0 + np.abs(x))
    if x.size and not any(np.any(_residual(conditions.body, z, thetas)) for z in (x + aside, x - aside)):
        warnings.warn(
            f"{conditions.who}: the conditions hold at all points around x = {few(x)}, where the search began, "
            "so they do not determine x. They may be constant there, or too small for a float: start elsewhere.",
            stacklevel=2,
        )


def _is_rounding(body: Any, x: Any, step: Any, rest: Any, thetas: Sequence[Any]) -> bool:
    """Whether a step that lowers no residual is short, and changes what is left no more than rounding does."""
    is_short = norm(step) <= _STALLED * (1.0 + norm(x))
    return is_short and norm(_residual(body, x + step, thetas)) <= _ROUGH * norm(rest)


def _settled(step: Any, before: Any, x: Any, tol: float, slices: int) -> Any:
    """Whether steps are the last ones: short beside x, and beside each of its numbers, unless rounding made them."""
    s, p, each = (np.abs(np.reshape(v, (slices, -1))) for v in (step, before, x))
    size = norms(x, slices)
    is_fine = (s <= _FINE * size[:, None]) & ((s <= _QUICK * p) | (p <= s))
    return (norms(step, slices) <= tol * size + _SMALLEST) & np.all((s <= tol * each + _SMALLEST) | is_fine, axis=1)


def _answer(conditions: Conditions, operator: Any, x: Any, thetas: Sequence[Any], record: Any) -> Any:
    """Hand out the answer, and keep for its derivatives what the last step was computed with."""
    y: Any = np.array(x) if x.ndim else float(x)
    if record is not None and record.dense is not None and x.ndim:
        kept = Record(record.dense)
        keep(operator, conditions.way, (y, *thetas), kept)
    return y
