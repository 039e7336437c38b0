"""One run of a solver: the functions at fixed parameters, the budget of time, and the iterates so far."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np

from symgrad.errors import ArgumentTypeError, NotConverged
from symgrad.optim.nonlinear.blocks import Blocks
from symgrad.optim.nonlinear.derivatives import Derivatives
from symgrad.support.progress import Work

PATIENCE = 100  # steps without a change after which a solver is stopped
EDGE = 50  # the same, where f or g is not finite at an eighth of the points that are tried
BOTTOMLESS = -1e15  # f that says, where a solver gives up, that there is no minimum
_BEYOND = 1e10  # size of x with such an f, at which solvers are stopped
_ROUGH = 1e-4  # relative change that counts as none beside such an edge


class Stop(Exception):
    """Ends a solver from inside of a function that it calls."""


class Iterate(NamedTuple):
    """One step of a solver: f, and by how much the worst constraint or bound is violated."""

    f: float
    violation: float


class Outcome(NamedTuple):
    """What a solver returned.

    Attributes:
        z: the point.
        multipliers: λ of L = f − λᵀ g; None where the solver has none.
        status: one of the words of ``Solution.status``.
        message: the solver's own words.
        iterations: how many there were.
    """

    z: Any
    multipliers: Any
    status: str
    message: str
    iterations: int


@dataclass
class Run:
    """The problem as a solver sees it; every function looks at the clock."""

    derivatives: Derivatives
    thetas: tuple[Any, ...]
    z: Any
    multipliers: Any
    low: Any
    high: Any
    lb: Any
    ub: Any
    tol: float
    max_steps: int
    max_time: float
    is_warm: bool
    work: Work
    names: tuple[Blocks, Blocks]
    callback: Callable[[Any, Iterate], Any] | None = None
    history: list[Iterate] = field(default_factory=list)
    best: tuple[float, float, Any] | None = None  # violation, f and point
    why: str = ""  # it was stopped
    bad: str = ""  # the first value that was not finite
    cause: str = ""  # why it was not, in brackets
    lost: list[int] = field(default_factory=list)  # the steps in which f or g was not finite, as often as it was
    needs_slopes: bool = False  # whether the solver cannot go on from derivatives that are nan or infinite
    began: float = field(default_factory=time.perf_counter)

    @property
    def pushes(self) -> Any:
        """Return ∇f − Jᵀλ at the start, with which its bounds push."""
        return self.gradient(self.z) - self.pulled(self.z, self.multipliers)

    @property
    def is_equal(self) -> Any:
        """Which rows of g are equations."""
        return self.lb == self.ub

    # -------------------------------------------------------------- functions
    def objective(self, z: Any) -> float:
        """Return the objective f at a point."""
        try:
            value = self._on_time().objective(np.array(z), self.thetas)
        except NotConverged as error:  # such as of odeint, at a point that a solver tries
            value = self._unknown("f", np.nan, error)
        return float(self._known(value, "f"))

    def gradient(self, z: Any) -> Any:
        """Return the gradient ∇f at a point."""
        return self._slopes(self._on_time().gradient(np.array(z), self.thetas), "∇f in", 0)

    def constraints(self, z: Any) -> Any:
        """Return the constraints g at a point."""
        try:
            values = self._on_time().constraints(np.array(z), self.thetas)
        except NotConverged as error:
            values = self._unknown("g", np.full(len(self.lb), np.nan), error)
        return self._known(values, "", 1)

    def jacobian(self, z: Any) -> Any:
        """Return the entries of ∂g/∂x."""
        rows = self.derivatives.jacobian_pattern.rows
        return self._slopes(self._on_time().jacobian(np.array(z), self.thetas), "a derivative of", 1, rows)

    def hessian(self, z: Any, scale: float, multipliers: Any) -> Any:
        """Return the entries of the lower triangle of the Hessian of σ f + λᵀ g."""
        rows = self.derivatives.hessian_pattern.rows
        values = self._on_time().hessian(np.array(z), scale, multipliers, self.thetas)
        return self._slopes(values, "a second derivative in", 0, rows)

    def matrix(self, z: Any) -> Any:
        """Return ∂g/∂x as a sparse array."""
        return self.derivatives.jacobian_pattern.matrix(self.jacobian(z))

    def pulled(self, z: Any, forces: Any) -> Any:
        """Return Jᵀλ, for which SciPy is not imported."""
        rows, columns, _ = self.derivatives.jacobian_pattern
        return np.bincount(columns, self.jacobian(z) * forces[rows], len(z))

    def curvature(self, z: Any, scale: float, multipliers: Any) -> Any:
        """Return the Hessian of σ f + λᵀ g as a sparse array."""
        return self.derivatives.hessian_pattern.matrix(self.hessian(z, scale, multipliers), symmetric=True)

    def _known(self, values: Any, what: str, names: int | None = None) -> Any:
        """Return the values of a function, and note the step where they are not finite."""
        if not np.all(np.isfinite(values)):
            self.lost.append(len(self.history))
        return self._finite(values, what, names)

    def _finite(self, values: Any, what: str, names: int | None = None, rows: Any = None) -> Any:
        """Return the values, and note the name of the first that is not finite."""
        if not self.bad and not np.all(np.isfinite(values)):
            k = int(np.argmin(np.isfinite(np.atleast_1d(values))))
            name = "" if names is None else self.names[names].name(k if rows is None else int(rows[k]))
            self.bad = f"{what} {name}".strip() + f" is {np.atleast_1d(values)[k]}"
        return values

    def _slopes(self, values: Any, what: str, names: int, rows: Any = None) -> Any:
        """Return derivatives; stop where they are not finite, and the solver needs that they are."""
        self._finite(values, what, names, rows)
        if self.needs_slopes and self.bad and not np.all(np.isfinite(values)):
            self.why = "not finite"
            raise Stop
        return values

    def _unknown(self, what: str, values: Any, error: NotConverged) -> Any:
        """Return nan as the values of a function whose own solver failed, and note why."""
        if not self.bad:
            self.bad, self.cause = f"{what} is nan", f" ({str(error).partition('. ')[0].rstrip('.')})"
        return values

    def _on_time(self) -> Derivatives:
        if time.perf_counter() - self.began > self.max_time:
            self.why = "time limit"
            raise Stop
        return self.derivatives

    # -------------------------------------------------------------- iterates
    def violation(self, z: Any, g: Any) -> float:
        """Return by how much the worst constraint or bound is violated."""
        excess = [self.lb - g, g - self.ub, self.low - z, z - self.high]
        return float(max(np.max(e, initial=0.0) for e in excess))

    def step(self, z: Any, f: float | None = None, g: Any = None) -> None:
        """Note an iterate, and stop where the callback says so."""
        z = np.array(z)
        f = self.objective(z) if f is None else f
        iterate = Iterate(f, self.violation(z, self.constraints(z) if g is None else g))
        self.history.append(iterate)
        size = float(np.max(np.abs(z), initial=0.0))
        self.work.step(f"f = {iterate.f:.6g}, violation = {iterate.violation:.2g}")
        key = max(iterate.violation, self.tol), iterate.f  # what is met is met: the lower f is better then
        if np.all(np.isfinite(key)) and (self.best is None or key < self.best[:2]):
            self.best = (*key, z)
        if f < BOTTOMLESS and iterate.violation <= self.tol * (1.0 + size) and size > _BEYOND:
            self.why = "unbounded"
            raise Stop
        if self.callback is not None and _is_true(self.callback(z, iterate)):
            self.why = "stopped"
            raise Stop

    def check_progress(self) -> None:
        """Stop where steps change nothing, and sooner beside values that are not finite; SciPy would go on."""
        eighth = EDGE // 8
        is_edge = len(self.lost) >= eighth and self.lost[-eighth] >= len(self.history) - EDGE
        many, slack = (EDGE, _ROUGH) if is_edge else (PATIENCE, self.tol)
        last = np.array(self.history[-many:])
        if len(last) == many and np.all(np.ptp(last, 0) <= slack * (1.0 + np.abs(last[-1]))):
            self.why = "stalled"
            raise Stop

    def improved(self, outcome: Outcome) -> Outcome:
        """Return an outcome that is not a solution at the best iterate, where that is better, or alone finite."""
        z, best = np.asarray(outcome.z, np.float64), self.best or (np.inf, np.inf, self.z)
        key = max(self.violation(z, self.constraints(z)), self.tol), self.objective(z)
        has_ended = outcome.status in ("solved", "acceptable", "infeasible", "overdetermined")
        if not (np.all(np.isfinite(z)) and np.all(np.isfinite(key))):
            status = "not finite" if has_ended else outcome.status
            return outcome._replace(z=best[2], multipliers=None, status=status)
        return outcome if has_ended or key <= best[:2] else outcome._replace(z=best[2], multipliers=None)

    def ended(self) -> Outcome:
        """Return the best iterate of a run that was stopped."""
        z = self.z if self.best is None else self.best[2]
        words = {
            "stopped": "The callback returned True.", "not finite": "", "unbounded": "",
            "stalled": "The last steps changed neither f nor the violation",
        }  # fmt: skip
        message = words.get(self.why, f"The {self.max_time:g} seconds of max_time were over.")
        return Outcome(z, None, self.why, message, max(len(self.history) - 1, 0))


def _is_true(answer: Any) -> bool:
    """Return what a callback returned as a bool."""
    try:
        return bool(answer)
    except ValueError:
        raise ArgumentTypeError(
            f"nlp: the callback returned {answer!r:.40}. Expected True, which ends the run, or False."
        ) from None
