"""The solution of a nonlinear program, with the names of the problem."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from symgrad.engine.record import TensorBase
from symgrad.optim.nonlinear.blocks import Blocks
from symgrad.optim.nonlinear.run import Iterate
from symgrad.support.extras import required

WORST = 5  # rows that the report names
ACTIVE = 1e-6  # distance from an end, relative to its size, that counts as none

WORDS = {
    "solved": "Solved: the conditions of a minimum hold within the tolerance.",
    "acceptable": "Nearly solved: no step improves it, and the conditions hold within a looser tolerance.",
    "infeasible": "Infeasible: no point nearby meets the constraints any better.",
    "unbounded": "Unbounded: f falls for ever, or x runs away. Bound x, or check the sign of f.",
    "overdetermined": "Overdetermined: there are more equations than free variables.",
    "not finite": "Not finite: f, g or a derivative is nan or infinite, and smaller steps do not help.",
    "stalled": "Stalled: no further step improves the point, and it does not meet the conditions of a minimum.",
    "iteration limit": "Iteration limit: max_steps was reached.",
    "time limit": "Time limit: max_time is over; this is the best iterate.",
    "stopped": "Stopped by the callback; this is the best iterate.",
    "failed": "Failed: the solver gave up.",
}


@dataclass(frozen=True)
class Solution:
    """The result of solving a nonlinear program; ``print`` shows a report.

    Attributes:
        x: the point, in the structure of x0.
        f, g: the objective and the constraints at x.
        multipliers: λ, structured like g: the rate at which the minimum grows with the bound that g attains. It is at
            least 0 at a lower bound, at most 0 at an upper bound, and 0 in between. The Lagrangian is
            L = f − λᵀ g − νᵀ x.
        bound_multipliers: ν, structured like x.
        success: whether the status is "solved" or "acceptable", and the constraints are satisfied.
        status: one of "solved", "acceptable", "infeasible", "unbounded", "overdetermined", "not finite", "stalled",
            "iteration limit", "time limit", "stopped" and "failed".
        message: the status as a sentence, with the solver's own message.
        solver: the name of the solver.
        iterations: the number of iterations.
        times: the seconds spent in "total", and in "values" (of f and g), "slopes" (∇f and the Jacobian of g) and the
            "hessian" of the Lagrangian.
        evaluations: how often each of them was computed.
        violation, stationarity: the largest violation of a constraint or bound, and the largest entry of ∇L.
        history: f and the violation at each step.
    """

    x: Any
    f: Any
    g: Any
    multipliers: Any
    bound_multipliers: Any
    success: bool
    status: str
    message: str
    solver: str
    iterations: int
    times: dict[str, float]
    evaluations: dict[str, int]
    violation: float
    stationarity: float
    history: tuple[Iterate, ...] = field(repr=False)
    active: tuple[str, ...] = field(repr=False)
    worst: tuple[tuple[str, float], ...] = field(repr=False)
    z: Any = field(repr=False)
    forces: Any = field(repr=False)

    def __str__(self) -> str:
        f = self.f.detach() if isinstance(self.f, TensorBase) else self.f  # type: ignore[attr-defined]
        lines = [
            self.message,
            f"  f = {float(f):.10g}, violation {self.violation:.2g}, stationarity {self.stationarity:.2g}",
            f"  {self.solver}: {self.iterations} iterations in {self.times['total']:.3g} s, of which "
            + ", ".join(f"{name} {self.times[name]:.2g} s ({n}×)" for name, n in self.evaluations.items()),
        ]
        if self.worst:
            lines.append("  worst rows: " + ", ".join(f"{name} by {excess:.2g}" for name, excess in self.worst))
        more = len(self.active) - WORST
        shown = ", ".join(self.active[:WORST]) + (f" and {more} more" if more > 0 else "")
        lines.append(f"  active: {shown or 'no inequality or bound'}")
        return "\n".join(lines)

    def plot(self, ax: Any = None) -> Any:
        """Draw f and the violation at each step; return matplotlib's axes.

        Raises:
            MissingExtra: if matplotlib is not installed.
        """
        if ax is None:
            ax = required("Solution.plot", "plot", "matplotlib.pyplot").subplots()[1]
        steps = np.arange(len(self.history))
        ax.plot(steps, [h.f for h in self.history], label="f")
        ax.set(xlabel="step", ylabel="f")
        beside = ax.twinx()
        beside.semilogy(steps, [max(h.violation, 1e-16) for h in self.history], "--", color="C1", label="violation")
        beside.set_ylabel("violation")
        return ax


def worst_rows(blocks: Blocks, excess: Any, tol: float) -> list[tuple[str, float]]:
    """Return the names of the rows that are violated most."""
    order = [int(k) for k in np.argsort(-excess)[:WORST] if excess[k] > tol]
    return [(blocks.name(k), float(excess[k])) for k in order]


def active_names(blocks: Blocks, values: Any, low: Any, high: Any) -> list[str]:
    """Return which entries are at an end that is not an equation's, as ``name ≥ end``."""
    free = low != high
    ends = [(values - low, low, "≥"), (high - values, high, "≤")]
    return [
        f"{blocks.name(int(k))} {sign} {end[k]:.4g}"
        for distance, end, sign in ends
        for k in np.flatnonzero(free & (distance <= ACTIVE * (1.0 + np.abs(end))))
        if np.isfinite(end[k])
    ]
