"""Solvers for nonlinear programs: IPOPT by cyipopt, Uno by unopy, and SciPy's SLSQP and trust-constr."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from symgrad.errors import ArgumentError
from symgrad.optim.nonlinear.kkt import implied
from symgrad.optim.nonlinear.run import Outcome, Run
from symgrad.support.extras import required

Options = Mapping[str, Any]
NO_BOUND = 1e20  # what solvers take for infinite
_DEPENDENT = (4, 6)  # what SLSQP returns where the gradients of equations are linearly dependent, and elsewhere

_IPOPT = {
    0: "solved", 1: "acceptable", 2: "infeasible", 3: "stalled", 4: "unbounded", 5: "stopped", 6: "solved",
    -1: "iteration limit", -2: "stalled", -3: "stalled", -4: "time limit", -5: "time limit",
    -10: "overdetermined", -13: "not finite",
}  # fmt: skip

_UNO = {
    "ITERATION_LIMIT": "iteration limit", "TIME_LIMIT": "time limit", "EVALUATION_ERROR": "not finite",
    "FEASIBLE_KKT_POINT": "solved", "INFEASIBLE_STATIONARY_POINT": "infeasible",
    "UNBOUNDED_OBJECTIVE": "unbounded", "DIVERGING_ITERATE": "unbounded",
}  # fmt: skip


_UNO_WARM = {
    "barrier_initial_parameter": 1e-6, "barrier_push_variable_to_interior_k1": 1e-9,
    "barrier_push_variable_to_interior_k2": 1e-9,
}  # fmt: skip


def _ends(values: Any) -> Any:
    return np.clip(values, -NO_BOUND, NO_BOUND)


# ------------------------------------------------------------------ IPOPT
class _Callbacks:
    """The functions under the names that cyipopt calls them by; what they raise is kept until it has ended."""

    def __init__(self, run: Run) -> None:
        self.run, self.steps = run, 0
        self.problem: Any = None
        self.error: BaseException | None = None
        d = run.derivatives
        self.objective, self.gradient = self._held(run.objective), self._held(run.gradient)
        self.constraints = self._held(run.constraints)
        rows, columns, _ = d.jacobian_pattern
        pad = int(d.held > 0 and not len(rows))  # cyipopt makes no problem of constraints without entries
        self.jacobian = self._held((lambda z: np.zeros(1)) if pad else run.jacobian)
        self.hessian = self._held(lambda z, multipliers, scale: run.hessian(z, scale, multipliers))
        self.jacobianstructure = lambda: (np.zeros(1, int),) * 2 if pad else (rows, columns)
        self.hessianstructure = lambda: (d.hessian_pattern.rows, d.hessian_pattern.columns)

    def _held(self, fn: Callable[..., Any]) -> Callable[..., Any]:
        """Return fn, whose errors end the solver at its next iterate; until then it computes with nan."""

        def call(*args: Any) -> Any:
            try:
                return fn(*args)
            except BaseException as error:
                self.error = error
                raise

        return call

    def intermediate(self, mode: int, count: int, f: float, *_: Any) -> bool:
        """Look at an iterate; False ends the solver."""
        self.steps = count
        try:
            if self.error is None:
                at = self.problem.get_current_iterate()
                if at is not None and mode == 0:
                    self.run.step(at["x"], float(f), at["g"])
        except BaseException as error:
            self.error = error
        return self.error is None


def _set_options(problem: Any, run: Run, options: Options) -> None:
    """Set IPOPT's options: those that follow from the program, and the user's."""
    d = run.derivatives
    defaults: dict[str, Any] = {"print_level": 0, "sb": "yes", "tol": run.tol, "max_iter": run.max_steps}
    defaults["honor_original_bounds"] = "yes"
    defaults["check_derivatives_for_naninf"] = "yes"  # the factorisation of an infinite matrix ends the process
    if d.held and d.is_linear:  # whose Jacobian is then requested once
        defaults |= {"jac_c_constant": "yes", "jac_d_constant": "yes"}
    if d.is_quadratic:
        defaults["hessian_constant"] = "yes"
    if run.is_warm:
        defaults |= {
            "warm_start_init_point": "yes", "mu_init": 1e-6, "warm_start_bound_push": 1e-9,
            "warm_start_mult_bound_push": 1e-9, "warm_start_slack_bound_push": 1e-9,
        }  # fmt: skip
    for name, value in {**defaults, **options}.items():
        try:
            problem.add_option(name, value)
        except (TypeError, ValueError) as error:
            raise ArgumentError(f"nlp: IPOPT does not take the option {name}={value!r}: {error}.") from None


def ipopt(run: Run, options: Options) -> Outcome:
    """Run IPOPT, with the program's sparse derivatives."""
    cyipopt = required("nlp: solver='ipopt'", "nlp", "cyipopt")
    d, calls = run.derivatives, _Callbacks(run)
    problem = calls.problem = cyipopt.Problem(
        n=d.size, m=d.held, problem_obj=calls,
        lb=_ends(run.low), ub=_ends(run.high), cl=_ends(run.lb), cu=_ends(run.ub),
    )  # fmt: skip
    _set_options(problem, run, options)
    duals = {}
    if run.is_warm:
        pushes = run.pushes
        duals = {"lagrange": -run.multipliers, "zl": np.maximum(pushes, 0.0), "zu": np.maximum(-pushes, 0.0)}
    try:
        z, info = problem.solve(run.z, **duals)
    except BaseException as error:
        raise calls.error or error from None
    if calls.error is not None:
        raise calls.error
    status = _IPOPT.get(info["status"], "failed")
    message = info["status_msg"]
    message = message.decode() if isinstance(message, bytes) else str(message)
    return Outcome(z, -np.asarray(info["mult_g"]), status, message, calls.steps)


# ------------------------------------------------------------------ Uno
class _UnoCalls:
    """The functions as unopy calls them, which put results into its arrays; what they raise is kept until it ends."""

    def __init__(self, run: Run) -> None:
        self.run, self.size = run, run.derivatives.size
        self.errors: list[BaseException] = []

    def into(self, fn: Callable[..., Any]) -> Callable[..., None]:
        """Return fn, of the point and what follows it, writing to the last argument."""

        def call(z: Any, *args: Any) -> None:
            try:
                values = fn(z[: self.size], *args[:-1])  # slacks stand behind x
                args[-1][: len(values)] = values
            except BaseException as error:
                self.errors.append(error)
                args[-1][:] = np.nan

        return call

    def objective(self, z: Any) -> float:
        """Return f at a point, and nan where it raises."""
        try:
            return self.run.objective(z[: self.size])
        except BaseException as error:
            self.errors.append(error)
            return float("nan")

    def ends(self, z: Any, *_: Any) -> bool:
        """Look at an iterate, and return whether the solver is to end."""
        try:
            if not self.errors:
                self.run.step(z[: self.size])
        except BaseException as error:
            self.errors.append(error)
        return bool(self.errors)


def _uno_model(unopy: Any, run: Run, calls: _UnoCalls) -> Any:
    """Return Uno's model of a program: its functions, the patterns of their derivatives, and where to start."""
    d = run.derivatives
    model = unopy.Model(unopy.PROBLEM_NONLINEAR, d.size, list(run.low), list(run.high), unopy.ZERO_BASED_INDEXING)
    model.set_objective(unopy.MINIMIZE, calls.objective, calls.into(run.gradient))
    rows, columns, _ = d.jacobian_pattern
    if d.held:
        model.set_constraints(
            d.held, calls.into(run.constraints), list(run.lb), list(run.ub), len(rows), rows.tolist(),
            columns.tolist(), calls.into(run.jacobian),
        )  # fmt: skip
        model.set_initial_dual_iterate(-run.multipliers)
    rows, columns, _ = d.hessian_pattern
    model.set_lagrangian_sign_convention(unopy.MULTIPLIER_POSITIVE)  # L = σ f + λᵀ g
    model.set_lagrangian_hessian(
        len(rows), unopy.LOWER_TRIANGLE, rows.tolist(), columns.tolist(),
        calls.into(lambda z, scale, multipliers: run.hessian(z, scale, multipliers)),
    )  # fmt: skip
    model.set_initial_primal_iterate(run.z)
    return model


def uno(run: Run, options: Options) -> Outcome:
    """Run Uno, with the preset "ipopt" unless options say otherwise."""
    unopy = required("nlp: solver='uno'", "uno", "unopy")
    calls = _UnoCalls(run)
    model = _uno_model(unopy, run, calls)
    solver = unopy.UnoSolver()
    asked = {"preset": "ipopt", **options}
    preset = asked.pop("preset")
    solver.set_preset(preset)
    defaults = {"primal_tolerance": run.tol, "dual_tolerance": run.tol, "max_iterations": run.max_steps}
    defaults |= _UNO_WARM if run.is_warm and preset == "ipopt" else {}
    for name, value in {**defaults, "logger": "SILENT", **asked}.items():
        try:
            solver.set_option(name, value)
        except (TypeError, ValueError, RuntimeError, KeyError) as error:
            raise ArgumentError(f"nlp: Uno does not take the option {name}={value!r}: {error}.") from None
    solver.set_termination_callback(calls.ends)
    result = solver.optimize(model)
    if calls.errors:
        raise calls.errors[0]
    ended, at = (str(s).rpartition(".")[2] for s in (result.optimization_status, result.solution_status))
    if ended == "USER_INTERRUPTION":
        raise KeyboardInterrupt
    status = _UNO.get(ended) or _UNO.get(at, "stalled")
    multipliers = -np.asarray(result.constraint_dual_solution, np.float64)
    z = np.array(result.primal_solution)[: calls.size]
    return Outcome(z, multipliers, status, f"{ended}, {at}", int(result.number_iterations))


# ------------------------------------------------------------------ SciPy
def _minimized(run: Run, optimize: Any, objective: Callable[..., float], **arguments: Any) -> Any:
    """Call SciPy's minimize, which warns of options that it does not know, and of Jacobians that are singular."""
    run.needs_slopes = True
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        warnings.simplefilter("error", optimize.OptimizeWarning)
        try:
            return optimize.minimize(objective, run.z, **arguments)
        except (optimize.OptimizeWarning, TypeError) as warning:
            if isinstance(warning, TypeError) and "keyword argument" not in str(warning):
                raise
            raise ArgumentError(f"nlp: {arguments['method']} does not take these options: {warning}.") from None
        except ValueError as error:
            if "curvature" not in str(error):
                raise
            return optimize.OptimizeResult(message=str(error))  # a direction that f falls in for ever


def _watched(run: Run, z: Any) -> None:
    """Look at an iterate of SciPy's solvers, which would go on to their limits where nothing changes."""
    run.step(z)
    run.check_progress()


def slsqp(run: Run, options: Options) -> Outcome:
    """Run SciPy's SLSQP, whose matrices are dense."""
    optimize = required("nlp: solver='slsqp'", "scipy", "scipy.optimize")
    equal, low, high = run.is_equal, np.isfinite(run.lb) & ~run.is_equal, np.isfinite(run.ub) & ~run.is_equal
    ends = [("eq", equal, run.lb, 1.0), ("ineq", low, run.lb, 1.0), ("ineq", high, run.ub, -1.0)]

    def limit(kind: str, which: Any, end: Any, sign: float) -> dict[str, Any]:
        return {
            "type": kind,
            "fun": lambda z: sign * (run.constraints(z) - end)[which],
            "jac": lambda z: sign * run.matrix(z).toarray()[which],
        }

    result = _minimized(
        run, optimize, run.objective, jac=run.gradient, bounds=optimize.Bounds(run.low, run.high), method="SLSQP",
        constraints=[limit(*e) for e in ends if e[1].any()], callback=lambda z: _watched(run, z),
        options={"maxiter": run.max_steps, "ftol": min(run.tol**1.5, 1e-12), **options},
    )  # fmt: skip
    status = {0: "solved", 9: "iteration limit"}.get(result.get("status", 0), "stalled")
    steps = int(result.get("nit", 0))  # without either, SciPy has seen that bounds fix all variables
    message = str(result.message) + (
        repeated(run, "drop it, or use solver='ipopt' or 'trust-constr'") if result.get("status") in _DEPENDENT else ""
    )
    return Outcome(np.clip(result.x, run.low, run.high), None, status, message, steps)


def repeated(run: Run, advice: str) -> str:
    """Return which equation the others imply, at the start or at the best iterate, with advice; nothing for none."""
    rows = np.flatnonzero(run.is_equal)
    for z in (run.z, run.best[2] if run.best else run.z):
        k = implied(run.matrix(z).tocsr()[rows])
        if k is not None:
            name = run.names[1].name(int(rows[k]))
            return f". The gradient of {name} is a combination of those of other equations: {advice}"
    return ""


def _repelling(values: Any) -> Any:
    """Return infinity for nan: from there trust-constr takes shorter steps, from nan the same one again."""
    return np.where(np.isnan(values), np.inf, values)


def trust_constr(run: Run, options: Options) -> Outcome:
    """Run SciPy's trust-constr, with sparse matrices."""
    optimize = required("nlp: solver='trust-constr'", "scipy", "scipy.optimize")
    none, limits = np.zeros(run.derivatives.held), []
    is_free = bool(np.all(run.is_equal) and np.all(np.isinf(run.low) & np.isinf(run.high)))
    gtol = run.tol if is_free else 0.0  # it would stop while the barrier is still high
    if np.any(np.isfinite(run.lb) | np.isfinite(run.ub)):  # SciPy fails on constraints without an end
        g, hess = (lambda z: _repelling(run.constraints(z))), (lambda z, v: run.curvature(z, 0.0, v))
        limits = [optimize.NonlinearConstraint(g, run.lb, run.ub, run.matrix, hess)]

    result = _minimized(
        run, optimize, lambda z: _repelling(run.objective(z)), jac=run.gradient,
        hess=lambda z: run.curvature(z, 1.0, none), method="trust-constr",
        bounds=optimize.Bounds(run.low, run.high), constraints=limits, callback=lambda z, _: _watched(run, z),
        options={"maxiter": run.max_steps, "gtol": gtol, "xtol": 1e-10, "barrier_tol": run.tol, **options},
    )  # fmt: skip
    if not hasattr(result, "v"):
        return Outcome(run.z if run.best is None else run.best[2], None, "unbounded", result.message, len(run.history))
    multipliers = -np.asarray(result.v[0]) if limits else none
    status = {1: "solved", 2: "acceptable", 0: "iteration limit"}.get(result.status, "stalled")
    message = "" if "'gtol'" in result.message else result.message  # of a limit that is 0
    return Outcome(np.clip(result.x, run.low, run.high), multipliers, status, message, int(result.nit))


NONLINEAR: dict[str, Callable[[Run, Options], Outcome]] = {
    "ipopt": ipopt, "uno": uno, "slsqp": slsqp, "trust-constr": trust_constr,
}  # fmt: skip
