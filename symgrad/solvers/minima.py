"""``sg.argmin``: the minimiser of a loss, as a function of the loss's other arguments."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from symgrad.implicit import programs
from symgrad.implicit.factors import Way, positive, whole
from symgrad.solvers.descent import Known, Minimiser
from symgrad.solvers.problem import Minimum, Problem, listed
from symgrad.solvers.proofs import ProvedMinimum
from symgrad.solvers.scipy_methods import foreign
from symgrad.support.arguments import check_all
from symgrad.transforms.arguments import check_function


def argmin(
    loss: Callable[..., Any], x0: Any, *args: Any, bounds: Any = None, constraints: Any = (), method: str | None = None,
    tol: float = 1e-10, max_steps: int = 200, solve: str = "auto", prove: bool = False,
) -> Any:  # fmt: skip
    """Find the x that minimises loss(x, *args). Derivative: −H⁻¹ ∂(∇loss)/∂θ, or that of the KKT conditions.

    The minimiser is differentiable with respect to args, the bounds, and tensors that the functions capture, like the
    result of ``sg.root``.

    Args:
        loss: loss(x, *args), which returns one number. It cannot branch on values.
        x0: the starting point: a number, an array, or a structure of them.
        args: further arguments of the loss and the constraints.
        bounds: a pair (lower, upper) of numbers, arrays, tensors or None; or a list of pairs, one for each number, as
            in SciPy; for a structure, the same structure of pairs.
        constraints: h, with h(x, *args) = 0; SciPy's {"type": "eq" or "ineq", "fun": h}, where "ineq" means h ≥ 0, and
            "args" replaces args; SciPy's LinearConstraint and NonlinearConstraint, which depend on x only; or a list of
            these.
        method: a method of ``scipy.optimize.minimize``; by default Newton's method, which does not need SciPy, or
            SLSQP with bounds or constraints. Newton's method computes the last steps of each.
        tol, max_steps, solve: see ``root``.
        prove: whether to prove, with the extra ``proved``, that exactly one local minimum lies within tol of the
            result, and that it is strict: the first-order conditions have one solution there, and the Hessian is
            positive definite on the tangent space of the constraints. ``sg.prove.minimum`` proves global minima.

    Returns:
        x, in the structure of x0. With constraints, a named tuple (x, multipliers), where the multipliers λ are shaped
        like the constraints and differentiable too. The Lagrangian is L = loss − λᵀh, so that ∇loss = λᵀ∇h: λ is the
        rate at which the minimum grows with ε if h = 0 becomes h = ε; for h ≥ 0 it is at least 0. SciPy's objects have
        one array for their equations, one for lower bounds, h − l ≥ 0, and one for upper bounds, u − h ≥ 0. With
        bounds alone, the multiplier of an active bound is ∇loss.
        In a closed form of symbols, the Hessian of the loss is assumed to be positive definite.

    Raises:
        NotConverged: if no minimum was reached, because the loss is unbounded below, or because the method stopped at a
            saddle point or a maximum.
        NotProved: if ``prove=True`` and the proof fails, for example in a valley or if an active bound has a
            multiplier of 0.
        NotDifferentiable: if a derivative is requested and an active bound or inequality has a multiplier of 0, so that
            only one-sided derivatives exist.
        LinAlgError: if the conditions do not determine x, as in a valley or with redundant constraints.
        MissingExtra: if SciPy is needed and not installed.

    >>> sg.grad(lambda a: sg.argmin(lambda x, a: (x - a) ** 2 + x**4, 0.0, a))(0.0)
    1.0
    >>> at = sg.argmin(lambda x: (x**2).sum(), [1.0, 1.0], constraints=lambda x: x.sum() - 2)
    >>> at.x, at.multipliers
    (tensor([1., 1.]), tensor(2.))
    """
    check_function("argmin", loss)
    way = Way.of("argmin", solve)
    positive("argmin", "tol", tol)
    max_steps = whole("argmin", "max_steps", max_steps)
    problem = Problem("argmin", loss, x0, args, bounds, constraints)
    if method is None:
        method = "SLSQP" if problem.is_constrained else "newton"
    solver = Minimiser(problem.shape, method, tol, max_steps)
    return problem.answer(ProvedMinimum(solver, tol) if prove else solver, way)


def known_minimum(
    who: str, loss: Any, x: Any, args: Sequence[Any], bounds: Any = None, constraints: Any = (), run: Any = None
) -> Any:
    """Return a minimum that was found, or that ``run(x, *args)`` finds, in its structure, with its derivative."""
    problem = Problem(who, loss, x, args, bounds, list(listed(constraints)))
    at = programs.FrozenArray(np.asarray(problem.unknown.start._value)) if run is None else None
    answer = problem.answer(Known(problem.shape, at, foreign(who, run, x, args)), Way())
    return answer.x if isinstance(answer, Minimum) else answer


__all__ = ["Minimum", "argmin", "known_minimum"]


check_all(globals(), __all__)
