"""``scipy.optimize.minimize`` with derivatives."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

import numpy as np

from symgrad.func import grad, hessian, jvp, value_and_grad
from symgrad.optim.limits import flat_bounds, flat_constraints, reading
from symgrad.optim.vectors import Vector, plain, scalar
from symgrad.support.extras import required

_WITHOUT_GRADIENT = {"nelder-mead", "powell", "cobyla", "cobyqa"}
_WITH_HESSIAN = {"dogleg", "trust-exact"}
_WITH_PRODUCTS = {"newton-cg", "trust-ncg", "trust-krylov", "trust-constr"}


def minimize(
    fun: Callable[..., Any], x0: Any, args: Any = (), method: Any = None, *, bounds: Any = None,
    constraints: Any = (), tol: float | None = None, callback: Any = None, options: Any = None, compile: bool = True,
) -> Any:  # fmt: skip
    """Find x where fun(x) is least, by ``scipy.optimize.minimize`` with exact derivatives.

    The gradient, and where the method takes one the Hessian or its product with a vector, are symgrad's.

    Args:
        fun: fun(x, *args), of tensors, returning one number.
        x0: where to start: an array, tensor, number, or nested dicts, lists, tuples and dataclasses of them. A list of
            numbers is an array. fun gets tensors in the same structure, in float64.
        args: further arguments of fun; a tuple, or one that is none.
        method: SciPy's name of the method.
        bounds: for one array as in SciPy; for a structure, the same structure with a pair (lower, upper) in place of
            each array. None is no bound.
        constraints: as in SciPy, on functions of the structure; Jacobians and Hessians are filled in.
        tol, callback, options: as in SciPy; the callback gets the structure.
        compile: whether to use ``sg.compile``. A compiled function is compared with eager mode at its evaluations
            number 1, 2, 4, 8, …, and given up where they differ, as for one that draws random numbers.

    Returns:
        SciPy's ``OptimizeResult``, with ``x`` and the gradient ``jac`` in the structure and dtypes of x0. What belongs
        to the vector of all numbers, such as ``hess_inv``, stays one array.

    Raises:
        MissingExtra: SciPy is not installed.
        ArgumentError: fun returns several numbers, or bounds do not fit x0.

    >>> found = sg.optim.minimize(lambda p: (p["a"] - 3) ** 2 + (p["b"] ** 2).sum(), {"a": 0.0, "b": np.ones(2)})
    >>> round(found.x["a"], 6), found.x["b"].round(6) + 0.0
    (3.0, array([0., 0.]))
    """
    optimize, vector = required("minimize", "scipy", "scipy.optimize"), Vector(x0)
    given = plain(args if isinstance(args, tuple) else (args,))
    objective = scalar(fun, vector)
    found = optimize.minimize(
        x0=vector.start, method=method, bounds=flat_bounds(vector, bounds, optimize),
        constraints=flat_constraints(vector, constraints, optimize, compile), tol=tol,
        callback=None if callback is None else _callback(callback, vector), options=options,
        **_derivatives(objective, method, given, compile),
    )  # fmt: skip
    return restored(found, vector, ("x", "jac"))


def _derivatives(objective: Any, method: Any, args: tuple[Any, ...], kernels: bool) -> dict[str, Any]:
    """Return what SciPy's method takes: fun with its gradient, hess or hessp."""
    name = method.lower() if isinstance(method, str) else ""
    both = reading(value_and_grad(objective), kernels)
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
    found = type(result)(result) if copied else result
    for name in names:
        value = found.get(name)
        if value is not None and np.shape(value) == vector.start.shape:
            found[name] = vector.structure(value)
    return found
