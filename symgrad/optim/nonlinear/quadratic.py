"""Quadratic programs, min ½ xᵀP x + qᵀx with l ≤ A x ≤ u and bounds, by Clarabel, PIQP or OSQP."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import numpy as np

from symgrad.errors import ArgumentError
from symgrad.optim.nonlinear.run import Outcome, Run
from symgrad.support.extras import required

Options = Mapping[str, Any]
_SMALL = 1e-10  # by how much, relative to P, rounding may bend a convex function
_CHEAP = 33  # iterations of OSQP, each a solve with one factorisation, that count as a step


class Matrices(NamedTuple):
    """A quadratic program; ``lb`` and ``ub`` are the ends of A x, without g(0), in the ``rows`` of g that have ends."""

    P: Any
    q: Any
    A: Any
    lb: Any
    ub: Any
    rows: Any

    @classmethod
    def of(cls, run: Run) -> Matrices:
        """Return the matrices of a problem that is quadratic, read at x = 0."""
        zero, none = np.zeros(run.derivatives.size), np.zeros(run.derivatives.held)
        rows, g = np.flatnonzero(np.isfinite(run.lb) | np.isfinite(run.ub)), run.constraints(zero)
        lb, ub = (run.lb - g)[rows], (run.ub - g)[rows]
        return cls(run.curvature(zero, 1.0, none), run.gradient(zero), run.matrix(zero).tocsr()[rows], lb, ub, rows)

    @property
    def is_convex(self) -> bool:
        """Whether P is positive semidefinite: P + ε I has an LDLᵀ with positive pivots."""
        linalg = required("nlp", "scipy", "scipy.sparse.linalg")
        sparse = required("nlp", "scipy", "scipy.sparse")
        size = float(np.max(np.abs(self.P.data), initial=0.0))
        if size == 0.0:
            return True
        shifted = self.P + _SMALL * size * sparse.eye_array(len(self.q))
        try:
            factors = linalg.splu(
                shifted.tocsc(), permc_spec="MMD_AT_PLUS_A", diag_pivot_thresh=0.0, options={"SymmetricMode": True}
            )
        except RuntimeError:  # exactly singular
            return False
        return bool(np.array_equal(factors.perm_r, factors.perm_c) and np.all(factors.U.diagonal() > 0))


def _set(settings: Any, who: str, options: Options) -> None:
    for name, value in options.items():
        if not hasattr(settings, name):
            raise ArgumentError(f"nlp: {who} does not have the option {name!r}.")
        try:
            setattr(settings, name, value)
        except (TypeError, ValueError, OverflowError):
            like = getattr(settings, name)
            raise ArgumentError(
                f"nlp: {who} does not take the option {name}={value!r}. Expected a value like {like!r}."
            ) from None


def clarabel(run: Run, m: Matrices, options: Options) -> Outcome:
    """Run Clarabel, an interior-point method for cones."""
    solver = required("nlp: solver='clarabel'", "clarabel", "clarabel")
    sparse = required("nlp", "scipy", "scipy.sparse")
    rows = sparse.vstack([m.A, sparse.eye_array(len(m.q))]).tocsr()
    lb, ub = np.concatenate([m.lb, run.low]), np.concatenate([m.ub, run.high])
    equal = np.flatnonzero(lb == ub)
    above, below = np.flatnonzero((ub < np.inf) & (lb != ub)), np.flatnonzero((lb > -np.inf) & (lb != ub))
    settings = solver.DefaultSettings()
    settings.verbose, settings.max_iter = False, run.max_steps
    settings.tol_gap_abs = settings.tol_gap_rel = settings.tol_feas = run.tol
    settings.time_limit = run.max_time
    _set(settings, "Clarabel", options)
    cones = [solver.ZeroConeT(len(equal)), solver.NonnegativeConeT(len(above) + len(below))]
    system = sparse.vstack([rows[equal], rows[above], -rows[below]]).tocsc()
    right = np.concatenate([lb[equal], ub[above], -lb[below]])
    result = solver.DefaultSolver(sparse.triu(m.P).tocsc(), m.q, system, right, cones, settings).solve()
    duals = np.zeros(len(lb))
    z = np.asarray(result.z)
    parts = np.split(z, [len(equal), len(equal) + len(above)])
    duals[equal] = -parts[0]
    duals[above] -= parts[1]
    duals[below] += parts[2]
    words = {
        "Solved": "solved", "AlmostSolved": "acceptable", "PrimalInfeasible": "infeasible",
        "AlmostPrimalInfeasible": "infeasible", "DualInfeasible": "unbounded", "AlmostDualInfeasible": "unbounded",
        "MaxIterations": "iteration limit", "MaxTime": "time limit",
    }  # fmt: skip
    status = words.get(str(result.status), "stalled")
    return Outcome(np.array(result.x), duals[: len(m.lb)], status, str(result.status), int(result.iterations))


def piqp(run: Run, m: Matrices, options: Options) -> Outcome:
    """Run PIQP, a proximal interior-point method."""
    solver = required("nlp: solver='piqp'", "piqp", "piqp")
    if np.isfinite(run.max_time):
        raise ArgumentError("nlp: PIQP does not look at the clock. Use max_steps=, or solver='clarabel'.")
    work = solver.SparseSolver()
    work.settings.eps_abs = work.settings.eps_duality_gap_abs = run.tol
    work.settings.eps_rel = work.settings.eps_duality_gap_rel = run.tol
    work.settings.max_iter = run.max_steps
    _set(work.settings, "PIQP", options)
    equal, rest = np.flatnonzero(m.lb == m.ub), np.flatnonzero(m.lb != m.ub)
    A, matrix = m.A, required("nlp", "scipy", "scipy.sparse").csc_matrix
    work.setup(
        matrix(m.P), m.q, matrix(A[equal]), m.lb[equal], matrix(A[rest]), m.lb[rest], m.ub[rest], run.low, run.high
    )
    work.solve()
    result, duals = work.result, np.zeros(len(m.lb))
    duals[equal], duals[rest] = -np.asarray(result.y), np.asarray(result.z_l) - np.asarray(result.z_u)
    words = {
        solver.PIQP_SOLVED: "solved", solver.PIQP_PRIMAL_INFEASIBLE: "infeasible",
        solver.PIQP_DUAL_INFEASIBLE: "unbounded", solver.PIQP_MAX_ITER_REACHED: "iteration limit",
    }  # fmt: skip
    info, message = result.info, str(result.info.status).rpartition(".")[2]
    return Outcome(np.array(result.x), duals, words.get(info.status, "stalled"), message, int(info.iter))


def osqp(run: Run, m: Matrices, options: Options) -> Outcome:
    """Run OSQP, an operator splitting method; its own polishing prints to the terminal, and is left to ``kkt``."""
    solver = required("nlp: solver='osqp'", "osqp", "osqp")
    sparse = required("nlp", "scipy", "scipy.sparse")
    held = np.flatnonzero(np.isfinite(run.low) | np.isfinite(run.high))
    system = sparse.vstack([m.A, sparse.eye_array(len(m.q)).tocsr()[held]]).tocsc()
    work, matrix = solver.OSQP(), sparse.csc_matrix
    given: dict[str, Any] = {"verbose": False, "eps_abs": run.tol, "eps_rel": run.tol, "polishing": False}
    given |= {"max_iter": max(1, _CHEAP * run.max_steps)}
    if np.isfinite(run.max_time):
        given["time_limit"] = run.max_time
    try:
        work.setup(
            matrix(sparse.triu(m.P)), m.q, matrix(system), np.concatenate([m.lb, run.low[held]]),
            np.concatenate([m.ub, run.high[held]]), **{**given, **options},
        )  # fmt: skip
    except (TypeError, AttributeError, ValueError) as error:
        why = "a value has the wrong type" if isinstance(error, TypeError) and options else error
        raise ArgumentError(f"nlp: OSQP does not take the options {dict(options)!r}: {why}.") from None
    if run.is_warm:
        work.warm_start(x=run.z, y=-np.concatenate([run.multipliers[m.rows], run.pushes[held]]))
    result = work.solve(raise_error=False)
    words = {
        "solved": "solved", "solved inaccurate": "acceptable", "primal infeasible": "infeasible",
        "dual infeasible": "unbounded", "primal infeasible inaccurate": "infeasible",
        "dual infeasible inaccurate": "unbounded", "maximum iterations reached": "iteration limit",
        "run time limit reached": "time limit",
    }  # fmt: skip
    status = words.get(str(result.info.status), "stalled")
    message, steps = str(result.info.status), int(result.info.iter)
    if status in ("infeasible", "unbounded"):  # it has a certificate then, and no point
        return Outcome(run.z, None, status, message, steps)
    return Outcome(np.array(result.x), -np.asarray(result.y)[: len(m.lb)], status, message, steps)


def quadratic(name: str, run: Run, m: Matrices, options: Options) -> Outcome:
    """Run a solver for quadratic programs; rows of g without ends have the multiplier 0."""
    outcome = QUADRATIC[name](run, m, options)
    if outcome.multipliers is None:
        return outcome
    multipliers = np.zeros(len(run.lb))
    multipliers[m.rows] = outcome.multipliers
    return outcome._replace(multipliers=multipliers)


QUADRATIC: dict[str, Callable[[Run, Matrices, Options], Outcome]] = {"clarabel": clarabel, "piqp": piqp, "osqp": osqp}
