"""``sg.argmin``: the point where a loss is least, as a function of what the loss depends on."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from symgrad.implicit import programs
from symgrad.implicit.factors import Way, positive, whole
from symgrad.solvers.descent import Known, Minimiser
from symgrad.solvers.problem import Minimum, Problem, listed
from symgrad.solvers.scipy_methods import foreign
from symgrad.support.arguments import check_all
from symgrad.transforms.arguments import check_function


def argmin(
    loss: Callable[..., Any], x0: Any, *args: Any, bounds: Any = None, constraints: Any = (), method: str | None = None,
    tol: float = 1e-10, max_steps: int = 200, solve: str = "auto",
) -> Any:  # fmt: skip
    """Find the x where loss(x, *args) is least. Derivative: −H⁻¹ ∂(∇loss)/∂θ, and with constraints that of KKT.

    Differentiable in args, in tensors that the functions take from outside, and in the bounds, as ``sg.root`` is.

    Args:
        loss: loss(x, *args), one number. It cannot branch on values.
        x0: where to start: a number, an array, or a structure of them.
        args: what the loss and the constraints depend on.
        bounds: a pair (lower, upper) of numbers, arrays, tensors or None; or a list of pairs, one for each number, as
            in SciPy; for a structure, the same structure of pairs.
        constraints: h, with h(x, *args) = 0; SciPy's {"type": "eq" or "ineq", "fun": h}, where "ineq" is h ≥ 0, and
            "args", where given, take the place of args; SciPy's LinearConstraint and NonlinearConstraint, of x alone;
            or a list of those.
        method: one of ``scipy.optimize.minimize``'s; by default Newton's, which needs no SciPy, and SLSQP with
            bounds or constraints. Newton takes the last steps of each.
        tol, max_steps, solve: as for ``root``.

    Returns:
        x, in the structure of x0, also with bounds alone, where the multiplier of an active bound is ∇loss there. With
        constraints a named tuple (x, multipliers), where the multipliers λ are shaped like the constraints and
        differentiable too. The Lagrangian is L = loss − λᵀh, so that ∇loss = λᵀ∇h: λ is by how much the least
        loss grows where h = 0 becomes h = ε, per ε; of h ≥ 0 it is at least 0. SciPy's objects have one array
        for their equations, one for lower ends, h − l ≥ 0, and one for upper ends, u − h ≥ 0.
        In a closed form of symbols, the loss's matrix of second derivatives is assumed to be positive definite.

    Raises:
        NotConverged: no minimum was reached: the loss falls without end, or a saddle point or a maximum was found,
            from which no way down was.
        NotDifferentiable: a bound or an inequality is active by chance, with a multiplier of 0, when a derivative is
            asked for: there it has one from either side.
        LinAlgError: the conditions do not determine x, as for a valley or constraints that repeat each other.
        MissingExtra: SciPy is needed and not installed.

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
    return problem.answer(Minimiser(problem.shape, method, tol, max_steps), way)


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
