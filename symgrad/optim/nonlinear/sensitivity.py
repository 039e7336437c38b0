"""Solutions as functions of parameters: x*(θ) and the multipliers by Newton's steps on the active conditions.

At a solution z the conditions F(z, θ) = 0 hold, and K = ∂F/∂z is symmetric. With K held fixed, each step
z ← z − K⁻¹ F(z, θ) makes one more derivative in θ exact; two give the first and the second. K is sparse, and is
factorised once, when a derivative is first asked for.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from symgrad import functions as F
from symgrad.core import trees
from symgrad.core.kernels import canonical
from symgrad.core.node import Shape
from symgrad.core.promotion import Kind
from symgrad.engine.record import as_tensor
from symgrad.errors import LinAlgError, NotDifferentiable
from symgrad.implicit import programs
from symgrad.ops.protocol import Op
from symgrad.optim.nonlinear.run import Run
from symgrad.optim.nonlinear.solution import ACTIVE, Solution
from symgrad.solvers.problem import WEAK
from symgrad.support.extras import required
from symgrad.support.frozen import frozen
from symgrad.support.lazy import cached_property

_STEPS = 2  # derivatives that are exact
_NAMED = 2000  # variables up to which a constraint that others imply is looked for
_REPEATED = 1e-9  # of a gradient, that other gradients do not explain
_LOST = 1e-6  # what a solve with a regular matrix may leave


class Factors:
    """The KKT matrix, factorised when it is first solved with; ``why`` says why it must not be."""

    def __init__(self, matrix: Any, why: str, active: Any, name: Callable[[int], str]) -> None:
        self.matrix, self.why, self.active, self.name = matrix, why, active, name

    @cached_property
    def _solve(self) -> Any:
        linalg = required("nlp", "scipy", "scipy.sparse.linalg")
        try:
            return linalg.splu(self.matrix.tocsc()).solve
        except RuntimeError:
            raise LinAlgError(self._singular()) from None

    def _singular(self) -> str:
        """Return why K is singular, with the name of an active constraint that the others imply."""
        gradients = self.active.toarray().T if max(self.active.shape) <= _NAMED else np.zeros((0, 0))
        if gradients.size:
            _, R, order = required("nlp", "scipy", "scipy.linalg").qr(gradients, mode="economic", pivoting=True)
            sizes = np.abs(np.diag(R))
            rank = int(np.sum(sizes > _REPEATED * sizes[0]))
            if rank < gradients.shape[1]:
                return (
                    f"nlp: the gradient of {self.name(int(order[rank]))} is a combination of those of other active "
                    "constraints, so that multipliers are not unique. There is no derivative; drop this constraint."
                )
        return (
            "nlp: f is level along some direction that the active constraints leave free, so that the solution is not "
            "unique. There is no derivative; add a constraint, or a small quadratic term."
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
        """Solve."""
        return canonical(self.factors.solve(np.asarray(b)))

    def on_symbols(self, *xs: Any) -> Any:
        """No formula in letters."""
        raise NotImplementedError

    def out_shape(self, b: Shape) -> Shape:
        """That of b."""
        return b

    def dtype(self, *kinds: Kind) -> np.dtype[Any]:
        """Double precision."""
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
            why = f"nlp: there is no derivative of what is no minimum: the status is {solution.status!r}."
        elif chance:
            why = (
                f"nlp: {chance[0]} is at its end with a multiplier of 0: it is active by chance, and the derivative "
                "from one side is not that from the other. Move the parameters off this point, or drop that end."
            )
        # K = [[∇²L, −Jᵀ, −I], [−J, 0, 0], [−I, 0, 0]] of the active rows and bounds
        sparse = required("nlp", "scipy", "scipy.sparse")
        J, eye = run.matrix(z).tocsr()[self.rows], sparse.eye_array(len(z)).tocsr()[self.held]
        active = sparse.vstack([J, eye])
        K = sparse.block_array([[run.curvature(z, 1.0, -forces), -active.T], [-active, None]]).tocsc()
        self.factors = Factors(K, why, active, self._name)

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
