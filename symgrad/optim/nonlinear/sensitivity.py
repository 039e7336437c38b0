"""Solutions as functions of parameters: x*(θ) and the multipliers by Newton's steps on the active conditions.

At a solution z the conditions F(z, θ) = 0 hold, and K = ∂F/∂z is symmetric. With K held fixed, each step
z ← z − K⁻¹ F(z, θ) makes one more derivative in θ exact; two give the first and the second. K is sparse, and is
factorised once, when a derivative is first requested.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from typing import Any

import numpy as np

from symgrad import functions as F
from symgrad.core import trees
from symgrad.core.kernels import canonical
from symgrad.core.node import Shape
from symgrad.core.promotion import Kind
from symgrad.engine.record import as_tensor
from symgrad.implicit import programs
from symgrad.ops.protocol import Op
from symgrad.optim.nonlinear.kkt import Factors
from symgrad.optim.nonlinear.run import Run
from symgrad.optim.nonlinear.solution import ACTIVE, Solution
from symgrad.solvers.problem import WEAK
from symgrad.support.frozen import frozen

_STEPS = 2  # derivatives that are exact


@frozen
class KKTSolve(Op):
    """K⁻¹ b, along the last axis, of a symmetric matrix that is held fixed."""

    factors: Factors
    name = "KKTSolve"
    linear = True
    saves = ""
    dense = "each unknown depends on the whole system"
    explained = "the conditions of the minimum, solved with the factors of their symmetric matrix"
    not_exportable = "a solver runs in Python only"
    theorem = True

    def forward(self, b: Any) -> Any:
        """Return the solution for these parameters."""
        return canonical(self.factors.solve(np.asarray(b)))

    def on_symbols(self, *xs: Any) -> Any:
        """No formula in letters."""
        raise NotImplementedError

    def out_shape(self, b: Shape) -> Shape:
        """That of b."""
        return b

    def dtype(self, *kinds: Kind) -> np.dtype[Any]:
        """Return double precision, in which programs are solved."""
        return np.dtype(np.float64)

    def notation(self, write: Any, *args: Any) -> Any:
        return write.Infix(write.Raised(write.Name("K"), "⁻¹"), args[0], sign="@")

    def batched(self, size: int, xs: Sequence[Any], flags: Sequence[bool]) -> Any:
        """All right sides at once."""
        return self(xs[0])

    def vjp(self, i: int, g: Any, y: Any, *xs: Any) -> Any:
        # y = K⁻¹ b  ⇒  b̄ = K⁻¹ ȳ, since K is symmetric
        return self(g)


class Sensitivity:
    """A solution with the conditions that hold there.

    Args:
        problem: the ``NLP``.
        run: its functions at these parameters.
        solution: in numbers.
        tensors: the parameters.
        pushes: the multipliers of bounds.
    """

    def __init__(self, problem: Any, run: Run, solution: Solution, tensors: Sequence[Any], pushes: Any) -> None:
        self.problem, self.run, self.solution, self.tensors = problem, run, solution, tensors
        z, forces = solution.z, solution.forces
        g = run.constraints(z)
        at_end = np.minimum(np.abs(g - run.lb), np.abs(g - run.ub)) <= ACTIVE * (1.0 + np.abs(g))
        at_bound = np.minimum(np.abs(z - run.low), np.abs(z - run.high)) <= ACTIVE * (1.0 + np.abs(z))
        scale = WEAK * (1.0 + float(np.max(np.abs(forces), initial=0.0)))
        self.rows = np.flatnonzero(run.is_equal | (at_end & (np.abs(forces) > scale)))
        self.held = np.flatnonzero((run.low == run.high) | (at_bound & (np.abs(pushes) > scale)))
        self.start = np.concatenate([z, forces[self.rows], pushes[self.held]])
        chance = [problem.rows.name(int(k)) for k in np.flatnonzero(at_end & ~run.is_equal & (np.abs(forces) <= scale))]
        chance += [
            problem.unknowns.name(int(k))
            for k in np.flatnonzero(at_bound & (run.low != run.high) & (np.abs(pushes) <= scale))
        ]
        why = ""
        if not solution.success:
            why = f"nlp: the result is not a minimum, and has no derivative: the status is {solution.status!r}."
        elif chance:
            why = (
                f"nlp: {chance[0]} is at its end with a multiplier of 0: it is active by chance, and the derivative "
                "from one side is not that from the other. Move the parameters off this point, or drop that end."
            )
        self.factors = Factors(run, z, forces, self.rows, self.held, why, self._name)

    def _name(self, k: int) -> str:
        """Return the name of an active constraint, or of a variable at a bound."""
        m = len(self.rows)
        return str(
            self.problem.rows.name(int(self.rows[k])) if k < m else self.problem.unknowns.name(int(self.held[k - m]))
        )

    def _conditions(self, unknown: Any) -> Any:
        """Return F: ∇f − Jᵀλ − ν, then ends − g and bounds − x where these are active."""
        problem, n, m = self.problem, self.run.derivatives.size, len(self.rows)
        body = problem.derivatives.body
        z, forces = unknown[:n], _scattered(unknown[n : n + m], self.rows, problem.rows.size)
        pushes = _scattered(unknown[n + m :], self.held, n)
        (slope,) = programs.pullback(body, (0,))(z, *self.tensors, 1.0, -1.0 * forces)
        g = body(z, *self.tensors)[1]
        return F.cat([as_tensor(slope) - pushes, -1.0 * g[self.rows], -1.0 * z[self.held]], 0)

    def differentiable(self) -> Solution:
        """Return the solution with tensors that depend on the parameters."""
        problem, solution, n = self.problem, self.solution, self.run.derivatives.size
        solve, unknown = KKTSolve(self.factors), as_tensor(self.start)
        for _ in range(_STEPS):
            rest = self._conditions(unknown)
            unknown = unknown - as_tensor(solve(rest - rest.detach()))
        z, m = unknown[:n], len(self.rows)
        f, g = problem.derivatives.body(z, *self.tensors)
        forces = _scattered(unknown[n : n + m], self.rows, problem.rows.size)
        pushes = _scattered(unknown[n + m :], self.held, n)
        x, bound_multipliers = (_tensors(problem.unknowns, v) for v in (z, pushes))
        return dataclasses.replace(
            solution, x=x, f=as_tensor(f), g=_tensors(problem.rows, g), multipliers=_tensors(problem.rows, forces),
            bound_multipliers=bound_multipliers,
        )  # fmt: skip


def _scattered(values: Any, rows: Any, size: int) -> Any:
    """Return the vector of this size with the values in these rows, and 0 elsewhere."""
    where = np.full(size, len(rows))
    where[rows] = np.arange(len(rows))
    return F.cat([values, as_tensor(np.zeros(1))], 0)[where]


def _tensors(blocks: Any, v: Any) -> Any:
    """Return a vector as the structure of tensors."""
    edges = zip(blocks.edges[:-1], blocks.edges[1:], blocks.shapes, strict=True)
    return trees.unflatten(blocks.tree, iter([F.reshape(v[a:b], s) for a, b, s in edges]))
