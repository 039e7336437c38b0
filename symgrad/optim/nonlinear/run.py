"""One run of a solver: the functions at fixed parameters, the budget of time, and the iterates so far."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np

from symgrad.errors import NotConverged
from symgrad.optim.nonlinear.blocks import Blocks
from symgrad.optim.nonlinear.derivatives import Derivatives
from symgrad.support.progress import Work


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
    began: float = field(default_factory=time.perf_counter)

    @property
    def is_equal(self) -> Any:
        """Which rows of g are equations."""
        return self.lb == self.ub

    # -------------------------------------------------------------- functions
    def objective(self, z: Any) -> float:
        """Return the objective f at a point."""
        try:
            value = self._on_time().objective(np.array(z), self.thetas)
        except NotConverged:  # such as of odeint, at a point that a solver tries
            value = np.nan
        return float(self._finite(value, "f"))

    def gradient(self, z: Any) -> Any:
        """Return the gradient ∇f at a point."""
        return self._finite(self._on_time().gradient(np.array(z), self.thetas), "∇f", 0)

    def constraints(self, z: Any) -> Any:
        """Return the constraints g at a point."""
        try:
            values = self._on_time().constraints(np.array(z), self.thetas)
        except NotConverged:
            values = np.full(len(self.lb), np.nan)
        return self._finite(values, "", 1)

    def jacobian(self, z: Any) -> Any:
        """Return the entries of ∂g/∂x."""
        rows = self.derivatives.jacobian_pattern.rows
        return self._finite(self._on_time().jacobian(np.array(z), self.thetas), "a derivative of", 1, rows)

    def hessian(self, z: Any, scale: float, multipliers: Any) -> Any:
        """Return the entries of the lower triangle of the Hessian of σ f + λᵀ g."""
        rows = self.derivatives.hessian_pattern.rows
        values = self._on_time().hessian(np.array(z), scale, multipliers, self.thetas)
        return self._finite(values, "a second derivative in", 0, rows)

    def matrix(self, z: Any) -> Any:
        """Return ∂g/∂x as a sparse array."""
        return self.derivatives.jacobian_pattern.matrix(self.jacobian(z))

    def curvature(self, z: Any, scale: float, multipliers: Any) -> Any:
        """Return the Hessian of σ f + λᵀ g as a sparse array."""
        return self.derivatives.hessian_pattern.matrix(self.hessian(z, scale, multipliers), symmetric=True)

    def _finite(self, values: Any, what: str, names: int | None = None, rows: Any = None) -> Any:
        """Return the values, and note the name of the first that is not finite."""
        if not self.bad and not np.all(np.isfinite(values)):
            k = int(np.argmin(np.isfinite(np.atleast_1d(values))))
            name = "" if names is None else self.names[names].name(k if rows is None else int(rows[k]))
            self.bad = f"{what} {name}".strip() + f" is {np.atleast_1d(values)[k]}"
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
        self.work.step(f"f = {iterate.f:.6g}, violation = {iterate.violation:.2g}")
        key = max(iterate.violation, self.tol), iterate.f  # what is met is met: the lower f is better then
        if np.all(np.isfinite(key)) and (self.best is None or key < self.best[:2]):
            self.best = (*key, z)
        if self.callback is not None and self.callback(z, iterate):
            self.why = "stopped"
            raise Stop

    def improved(self, outcome: Outcome) -> Outcome:
        """Return an outcome that is no solution at the best iterate, where that is better, or alone finite."""
        if outcome.status in ("solved", "acceptable", "infeasible", "overdetermined"):
            return outcome
        z, best = np.asarray(outcome.z, np.float64), self.best or (np.inf, np.inf, self.z)
        with_limits = self.derivatives.constraints(z, self.thetas)
        key = max(self.violation(z, with_limits), self.tol), self.derivatives.objective(z, self.thetas)
        is_finite = np.all(np.isfinite(z)) and np.all(np.isfinite(key))
        return outcome._replace(z=best[2], multipliers=None) if not is_finite or best[:2] < key else outcome

    def ended(self) -> Outcome:
        """Return the best iterate of a run that was stopped."""
        z = self.z if self.best is None else self.best[2]
        words = {"stopped": "The callback returned True."}
        message = words.get(self.why, f"The {self.max_time:g} seconds of max_time were over.")
        return Outcome(z, None, self.why, message, max(len(self.history) - 1, 0))
