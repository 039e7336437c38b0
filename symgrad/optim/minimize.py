"""``scipy.optimize.minimize`` with derivatives."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from symgrad.errors import ArgumentError
from symgrad.func import grad, hessian, jvp, value_and_grad
from symgrad.ops.contract import matmul
from symgrad.optim import implicit_result
from symgrad.optim.limits import (
    by_array,
    check_constraints,
    check_pairs,
    flat_bounds,
    flat_constraints,
    has_sparse,
    pairs_of,
    reading,
)
from symgrad.optim.nonlinear import NLP, Solution
from symgrad.optim.vectors import Vector, check_derivatives, joined, scalar, several, tensors_in
from symgrad.solvers.minima import known_minimum
from symgrad.support.arguments import check_all
from symgrad.support.extras import required
from symgrad.support.progress import Work, long_work
from symgrad.transforms.arguments import check_function

_WITHOUT_GRADIENT = {"nelder-mead", "powell", "cobyla", "cobyqa"}
_WITH_HESSIAN = {"dogleg", "trust-exact"}
_WITH_PRODUCTS = {"newton-cg", "trust-ncg", "trust-krylov", "trust-constr"}


def minimize(
    fun: Callable[..., Any], x0: Any, args: Any = (), method: str | Callable[..., Any] | None = None, *,
    bounds: Any = None, constraints: Any = (), tol: float | None = None, callback: Callable[..., Any] | None = None,
    options: Mapping[str, Any] | None = None, compile: bool = True, data: Any = None, reduce: str = "sum",
    checkpoint: Any = None, progress: bool = True, jac: Any = None, hess: Any = None, hessp: Any = None,
) -> Any:  # fmt: skip
    """Minimise fun(x) with ``scipy.optimize.minimize`` and exact derivatives.

    symgrad supplies the gradient and, if the method uses it, the Hessian or its product with a vector.

    Args:
        fun: fun(x, *args), a function of tensors that returns one number.
        x0: the starting point: an array, tensor or number, or nested dicts, lists, tuples and dataclasses of them. A
            list of numbers is an array. fun receives float64 tensors in the same structure.
        args: further arguments of fun, as a tuple; a single argument need not be wrapped in one.
        method: SciPy's name of the method, or "ipopt": IPOPT receives the sparse Jacobian of the constraints and the
            sparse Hessian of the Lagrangian from one trace, as in ``sg.optim.nlp``. The attribute ``solution`` of the
            result is then a ``Solution``. The options are IPOPT's, and SciPy's maxiter and disp.
        bounds: for a single array as in SciPy; for a structure, the same structure with a pair (lower, upper) in place
            of each array. None means no bound.
        constraints: as in SciPy, on functions of the structure; Jacobians and Hessians are filled in, and are sparse
            for trust-constr with more than 50 variables.
        tol, callback, options: as in SciPy; the callback receives x in the structure of x0.
        compile: whether to use ``sg.compile``. The compiled function is compared with eager mode at evaluations
            1, 2, 4, 8, …, and discarded if they differ, for example because it draws random numbers.
        data: one or a tuple of Dask arrays, dataframes, lists of delayed blocks, arrays, or ``np.memmap``, whose
            blocks of rows fun takes after x, as in ``sg.distributed.value_and_grad``. The methods are then L-BFGS-B
            (without bounds; the default), Newton-CG and trust-ncg, with SciPy's options.
        reduce: "sum", or "mean" if fun is the mean over the rows of a block.
        checkpoint: with data, a file that is written after each step. If it already exists, the run resumes
            from it, and returns the same bytes as a run without interruption.
        progress: whether to report the progress of long work, on a terminal or in a notebook.
        jac, hess, hessp: SciPy's derivatives, accepted and not called, because those of fun are exact. ``jac=True``
            raises an error.

    Returns:
        SciPy's ``OptimizeResult``, with ``x`` and the gradient ``jac`` (``grad`` of trust-constr, whose jac are those
        of the constraints) in the structure and dtypes of x0. If a tensor in args requires a gradient, x, fun, jac
        and hess are tensors that are differentiable with respect to args, as in ``sg.argmin``, and arrays without a
        derivative, such as ``hess_inv``, are omitted. Inside ``sg.compile`` and ``sg.vmap`` the result has x and fun
        only, and failure to converge raises an error.

    Raises:
        MissingExtra: if SciPy is not installed.
        ArgumentError: if fun returns several numbers, bounds do not fit x0, the checkpoint belongs to another run, or a
            constraint is ``keep_feasible`` with IPOPT.
        BlockError, DistributedError: as ``sg.distributed.value_and_grad``.

    >>> found = sg.optim.minimize(lambda p: (p["a"] - 3) ** 2 + (p["b"] ** 2).sum(), {"a": 0.0, "b": np.ones(2)})
    >>> round(found.x["a"], 6), found.x["b"].round(6) + 0.0
    (3.0, array([0., 0.]))
    """
    check_function("minimize", fun)
    check_derivatives("minimize", jac, hess, hessp)
    if data is not None:
        if bounds is not None or constraints or args or tol is not None:
            raise ArgumentError(
                "minimize: data cannot be combined with bounds, constraints, args or tol. Use options for gtol."
            )
        with long_work("minimize", shown=progress) as work:
            return _over_data(fun, x0, data, method, options, reduce, checkpoint, callback, compile, work)
    if checkpoint is not None or reduce != "sum":
        raise ArgumentError("minimize: checkpoint and reduce require data. Pass data, whose blocks are passed to fun.")
    if implicit_result.is_traced(x0, args, constraints):
        return _traced(fun, x0, args, method, bounds, constraints, tol, callback, options)
    optimize, vector = required("minimize", "scipy", "scipy.optimize"), Vector(x0)
    check_constraints(constraints)
    if vector.single:
        check_pairs(bounds)
    if isinstance(method, str) and method.lower() == "ipopt":
        return _by_ipopt(fun, vector, args, bounds, constraints, tol, callback, options, compile, progress)
    args, given, objective = implicit_result.tuple_of(args), implicit_result.without_graphs(args), scalar(fun, vector)
    sparse = has_sparse(vector, constraints, method)
    with long_work("minimize", shown=progress) as work:
        optimum = optimize.minimize(
            x0=vector.start, method=method, bounds=flat_bounds(vector, bounds, optimize),
            constraints=flat_constraints(vector, constraints, optimize, compile, sparse), tol=tol,
            callback=None if callback is None else _callback(callback, vector),
            options={"sparse_jacobian": True, **(options or {})} if sparse else options,
            **_derivatives(objective, method, given, compile, work),
        )  # fmt: skip
    slope = "grad" if "grad" in optimum else "jac"  # trust-constr's jac are those of the constraints
    done = restored(optimum, vector, ("x", slope))
    if _is_followed(vector, args, (objective, given), constraints):
        done["x"] = x = known_minimum("minimize", fun, done["x"], args, pairs_of(bounds), _conditions(constraints))
        _follow(done, fun, objective, x, args, slope)
    return done


def _is_followed(vector: Vector, args: Any, call: tuple[Any, Any], constraints: Any) -> bool:
    """Return whether the minimum is to be differentiated: with respect to args, or to captured tensors."""
    limits = [c for c in _listed(constraints) if isinstance(c, dict)]
    calls = [(several(c["fun"], vector), implicit_result.without_graphs(c.get("args", ()))) for c in limits]
    followed = implicit_result.is_followed(args, [c.get("args") for c in limits])
    return followed or implicit_result.reach_outside([call, *calls], vector)


def _follow(done: Any, fun: Any, objective: Any, x: Any, args: Any, slope: str) -> None:
    """Put tensors at x, which are differentiable in args, in place of a result's arrays."""
    done["fun"] = fun(x, *args)
    if slope in done:
        done[slope] = grad(fun)(x, *args)
    if "hess" in done:
        done["hess"] = hessian(objective)(joined(x), *args)
    implicit_result.without_others(done, ("x", "fun", slope, "hess"))


def _traced(
    fun: Any, x0: Any, args: Any, method: Any, bounds: Any, constraints: Any, tol: Any, callback: Any, options: Any
) -> Any:
    """Return the result for tensors without values: SciPy runs when they have some."""
    args = implicit_result.tuple_of(args)

    def run(start: Any, *given: Any) -> Any:
        optimum = minimize(
            fun, start, given, method, bounds=bounds, constraints=constraints, tol=tol, options=options, compile=False
        )
        return implicit_result.arrived("minimize", optimum)

    implicit_result.untold("minimize", callback)
    if implicit_result.is_traced(constraints):
        raise ArgumentError(
            "minimize: the args of a constraint have no value here, as sg.compile or sg.vmap traces them. Take "
            "sg.argmin, whose constraints get its args."
        )
    x = known_minimum("minimize", fun, x0, args, pairs_of(bounds), _conditions(constraints), run)
    return required("minimize", "scipy", "scipy.optimize").OptimizeResult(x=x, fun=fun(x, *args))


def _listed(constraints: Any) -> Any:
    return constraints if isinstance(constraints, (list, tuple)) else [constraints]


def _conditions(constraints: Any) -> list[Any]:
    """Return SciPy's constraints, which take arguments of their own, as ``sg.argmin`` takes them."""
    conditions = []
    for c in _listed(constraints):
        if not isinstance(c, dict):
            conditions.append(c)
            continue
        own = implicit_result.tuple_of(c.get("args", ()))
        conditions.append({"type": c["type"], "fun": lambda x, *_, f=c["fun"], own=own: f(x, *own)})
    return conditions


def _by_ipopt(
    fun: Any, vector: Vector, args: Any, bounds: Any, constraints: Any, tol: Any, callback: Any, options: Any,
    compile: bool, progress: bool,
) -> Any:  # fmt: skip
    """Return SciPy's result of the same program, solved by IPOPT."""
    optimize, own = required("minimize", "scipy", "scipy.optimize"), dict(options or {})
    args = tensors_in(implicit_result.tuple_of(args))
    blocks = {f"constraints[{k}]": _block(c) for k, c in enumerate(_listed(constraints))}
    shown = None if callback is None else _callback(callback, vector)

    def step(x: Any, iterate: Any) -> Any:
        try:
            return shown and _tell(shown, optimize.OptimizeResult(x=vector.flat(x), fun=iterate.f))
        except StopIteration:  # SciPy's way to end a run
            return True

    if own.pop("disp", False):
        own.setdefault("print_level", 5)
    problem = NLP(
        lambda x: fun(x, *args), vector.structure(vector.start),
        constraints=(lambda x: {name: g(x) for name, (g, _, _) in blocks.items()}) if blocks else None,
        lb={name: low for name, (_, low, _) in blocks.items()} if blocks else 0.0,
        ub={name: high for name, (_, _, high) in blocks.items()} if blocks else 0.0,
        bounds=by_array(vector, bounds), backend="auto" if compile else "numpy",
    )  # fmt: skip
    solution = problem.solve(
        solver="ipopt", tol=1e-8 if tol is None else tol, max_steps=own.pop("maxiter", 3000),
        callback=None if callback is None else step, options=own, progress=progress,
    )  # fmt: skip
    return optimize.OptimizeResult(**_fields(solution), jac=grad(fun)(solution.x, *args))


def _fields(solution: Solution) -> dict[str, Any]:
    """Return what SciPy's result says of a solution of a nonlinear program."""
    calls = solution.evaluations
    return {
        "x": solution.x, "fun": solution.f, "success": solution.success, "status": 0 if solution.success else 1,
        "message": solution.message, "nit": solution.iterations, "nfev": calls.get("values", 0),
        "njev": calls.get("slopes", 0), "nhev": calls.get("hessian", 0), "constr_violation": solution.violation,
        "solution": solution,
    }  # fmt: skip


def _block(constraint: Any) -> tuple[Callable[[Any], Any], Any, Any]:
    """Return one of SciPy's constraints as g(x) and its ends."""
    if isinstance(constraint, dict):
        own = tensors_in(implicit_result.tuple_of(constraint.get("args", ())))
        high = 0.0 if constraint["type"] == "eq" else np.inf
        return (lambda x: joined(constraint["fun"](x, *own))), 0.0, high
    if np.any(constraint.keep_feasible):
        raise ArgumentError(
            "minimize: IPOPT meets constraints at the end, not at every step. Leave keep_feasible out, or take "
            "method='trust-constr'."
        )
    if callable(getattr(constraint, "fun", None)):
        return (lambda x: joined(constraint.fun(x))), constraint.lb, constraint.ub
    A = constraint.A.toarray() if hasattr(constraint.A, "toarray") else np.asarray(constraint.A, np.float64)
    return (lambda x: matmul(np.atleast_2d(A), joined(x))), constraint.lb, constraint.ub


def _tell(callback: Callable[..., Any], record: Any) -> Any:
    """Call SciPy's kind of callback, which takes the record of a step, or its x."""
    if "intermediate_result" in inspect.signature(callback).parameters:
        return callback(intermediate_result=record)
    return callback(record.x)


def _over_data(
    fun: Any, x0: Any, data: Any, method: Any, options: Any, reduce: str, checkpoint: Any, callback: Any, compile: bool,
    work: Work,
) -> Any:  # fmt: skip
    """Return ``minimize_over``'s result in the structure of x0."""
    from symgrad.optim import over_data  # which few need: others start sooner

    shown = None if callback is None else _callback(callback, Vector(x0))

    def report(state: Any) -> None:
        work.step(f"f = {state.value:.6g}")
        if shown is not None:
            _tell(shown, over_data.Result(x=state.x, fun=state.value))

    vector, optimum = over_data.minimize_over(fun, x0, data, method, options, reduce, checkpoint, report, compile)
    return restored(optimum, vector, ("x", "jac"))


def _derivatives(objective: Any, method: Any, args: tuple[Any, ...], kernels: bool, work: Work) -> dict[str, Any]:
    """Return what SciPy's method takes: fun with its gradient, hess or hessp."""
    name = method.lower() if isinstance(method, str) else ""
    computed = reading(value_and_grad(objective), kernels)

    def both(z: Any, *xs: Any) -> Any:
        value, slope = computed(z, *xs)
        value = implicit_result.known("minimize", value)
        work.step(f"f = {value:.6g}")
        return value, slope

    if name in _WITHOUT_GRADIENT:
        return {"fun": lambda z: both(z, *args)[0]}
    out: dict[str, Any] = {"fun": lambda z: both(z, *args), "jac": True}
    if name in _WITH_HESSIAN:
        curvature = reading(hessian(objective), kernels)
        out["hess"] = lambda z: curvature(z, *args)
    if name in _WITH_PRODUCTS:
        slope = grad(objective)
        product = reading(lambda z, v, *xs: jvp(lambda q: slope(q, *xs), (z,), (v,))[1], kernels)
        out["hessp"] = lambda z, v: product(z, np.asarray(v, np.float64).ravel(), *args)
    return out


def _callback(callback: Callable[..., Any], vector: Vector) -> Callable[..., Any]:
    """Return a callback on the vector. SciPy tells by the argument's name what to pass."""
    try:
        names = set(inspect.signature(callback).parameters)
    except ValueError:
        names = set()
    if names == {"intermediate_result"}:
        return lambda intermediate_result: callback(
            intermediate_result=restored(intermediate_result, vector, ("x",), copied=True)
        )
    return lambda xk, *rest: callback(vector.structure(xk), *rest)


def restored(result: Any, vector: Vector, names: tuple[str, ...], copied: bool = False) -> Any:
    """Put the structure back into a result."""
    structured = type(result)(result) if copied else result
    for name in names:
        value = structured.get(name)
        if value is not None and np.shape(value) == vector.start.shape:
            structured[name] = vector.structure(value)
    return structured


check_all(globals(), ["minimize"])
