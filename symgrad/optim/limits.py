"""Bounds and constraints in the user's structure, as SciPy takes them on one vector."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from symgrad.compiler import compile
from symgrad.compiler.sparse import sparse_hessian, sparse_jacobian
from symgrad.engine.record import TensorBase
from symgrad.errors import ArgumentError, ArgumentTypeError, SymgradError
from symgrad.func import hessian, jacobian
from symgrad.optim.implicit_result import without_graphs
from symgrad.optim.vectors import Checked, Vector, several
from symgrad.solvers.bounds import pairs
from symgrad.support.arguments import shown
from symgrad.support.extras import required

_MANY = 50  # variables from which Jacobians of constraints are sparse


def flat_bounds(vector: Vector, bounds: Any, optimize: Any) -> Any:
    """Return bounds on the vector: of one array as SciPy takes them, of a structure one pair for each array."""
    if bounds is None or vector.single or isinstance(bounds, optimize.Bounds):
        return bounds
    low, high = [], []
    for pair, shape in zip(pairs(vector.tree, bounds, "bounds"), vector.shapes, strict=True):
        ends = (None, None) if pair is None else pair
        low.append(_full(ends[0], shape, -np.inf))
        high.append(_full(ends[1], shape, np.inf))
    return optimize.Bounds(np.concatenate(low), np.concatenate(high))


def by_array(vector: Vector, bounds: Any) -> Any:
    """Return bounds as a structure of pairs, also SciPy's ``Bounds``, which are on the vector."""
    if not hasattr(bounds, "lb") or vector.single:
        return pairs_of(bounds)
    ends = [np.broadcast_to(end, vector.start.shape) for end in (bounds.lb, bounds.ub)]
    return vector.pairs(*ends)


def check_pairs(bounds: Any) -> None:
    """Refuse bounds on one array that are not one pair for each number, as SciPy's minimisers take them."""
    listed = bounds if isinstance(bounds, (list, tuple, np.ndarray)) else ()
    wrong = [b for b in listed if np.shape(np.asarray(b, object)) != (2,)]
    if wrong:
        raise ArgumentError(
            f"minimize: got {shown(wrong[0])} in bounds. Expected a pair (lower, upper) for each number of x0, with "
            "None for no bound."
        )


def check_constraints(constraints: Any) -> None:
    """Refuse what is not a constraint of SciPy's."""
    for c in constraints if isinstance(constraints, (list, tuple)) else [constraints]:
        known = c.get("type") in ("eq", "ineq") and callable(c.get("fun")) if isinstance(c, dict) else hasattr(c, "lb")
        if not known:
            raise ArgumentTypeError(
                f"minimize: got the constraint {shown(c)}. Expected a dict with 'type', 'eq' or 'ineq', and 'fun', or "
                "SciPy's LinearConstraint or NonlinearConstraint, or a list of these."
            )


def pairs_of(bounds: Any) -> Any:
    """Return bounds as ``sg.argmin`` takes them: SciPy's ``Bounds`` as a pair."""
    return (bounds.lb, bounds.ub) if hasattr(bounds, "lb") else bounds


def _full(end: Any, shape: tuple[int, ...], otherwise: float) -> Any:
    return np.broadcast_to(otherwise if end is None else np.asarray(end, np.float64), shape).ravel()


def flat_constraints(vector: Vector, constraints: Any, optimize: Any, kernels: bool, sparse: bool = False) -> Any:
    """Return constraints on the vector, with their Jacobians; those of NonlinearConstraint sparse where requested."""
    if not isinstance(constraints, (list, tuple)):
        return _constraint(vector, constraints, optimize, kernels, sparse)
    return [_constraint(vector, c, optimize, kernels, sparse) for c in constraints]


def has_sparse(vector: Vector, constraints: Any, method: Any) -> bool:
    """Whether constraints get sparse Jacobians: many variables, and a method that takes them."""
    each = constraints if isinstance(constraints, (list, tuple)) else [constraints]
    is_ours = any(callable(getattr(c, "fun", None)) and not callable(getattr(c, "jac", None)) for c in each)
    is_open = not any(isinstance(c, dict) or callable(getattr(c, "jac", None)) for c in each)
    return method == "trust-constr" and vector.start.size > _MANY and is_ours and is_open


def _constraint(vector: Vector, constraint: Any, optimize: Any, kernels: bool, sparse: bool = False) -> Any:
    if isinstance(constraint, dict):
        args = without_graphs(constraint.get("args", ()))
        values, slopes, _ = _readings(constraint["fun"], vector, args, kernels)
        mine = constraint.get("jac")
        own = {**constraint, "fun": values, "jac": slopes if mine is None else _on_structure(mine, vector, args)}
        return {k: v for k, v in own.items() if k != "args"}
    if isinstance(constraint, optimize.NonlinearConstraint):
        readings = _sparse_readings if sparse and kernels else _readings
        values, slopes, curvature = readings(constraint.fun, vector, (), kernels)
        mine = _on_structure(constraint.jac, vector, ()) if callable(constraint.jac) else slopes
        return optimize.NonlinearConstraint(
            values, constraint.lb, constraint.ub, mine, curvature, constraint.keep_feasible
        )
    return constraint


def _on_structure(function: Callable[..., Any], vector: Vector, args: tuple[Any, ...]) -> Callable[..., Any]:
    return lambda z: function(vector.structure(z), *args)


def _readings(
    fun: Callable[..., Any], vector: Vector, args: tuple[Any, ...], kernels: bool
) -> tuple[Callable[..., Any], Callable[..., Any], Callable[..., Any]]:
    """Return c(z), its Jacobian, and the Hessian of v·c."""
    c = several(fun, vector)
    values, slopes = reading(lambda z, *xs: c(z, *xs), kernels, plainly=True), reading(jacobian(c), kernels)
    curvature = reading(hessian(lambda z, v, *xs: (v * c(z, *xs)).sum()), kernels)
    return lambda z: values(z, *args), lambda z: slopes(z, *args), lambda z, v: curvature(z, v, *args)


def _sparse_readings(
    fun: Callable[..., Any], vector: Vector, args: tuple[Any, ...], kernels: bool
) -> tuple[Callable[..., Any], Callable[..., Any], Callable[..., Any]]:
    """Return the same with sparse arrays; with dense ones where the function can only be run on values."""
    values, dense, _ = readings = _readings(fun, vector, args, kernels)
    c = several(fun, vector)
    slopes: Any = sparse_jacobian(c, progress=False)
    curvature: Any = sparse_hessian(lambda z, v: (v * c(z)).sum(), progress=False)
    try:
        slopes(vector.start), curvature(vector.start, values(vector.start))
    except SymgradError:
        matrix = required("minimize", "scipy", "scipy.sparse").csr_array
        return values, lambda z: matrix(dense(z)), readings[2]
    return values, slopes, curvature


def reading(fn: Callable[..., Any], kernels: bool, plainly: bool = False) -> Checked:
    """Return a function of arrays, compiled where it can be; ``plainly`` of tensors, whose result becomes an array."""
    eager = (lambda *xs: np.array(fn(*xs).detach()._value)) if plainly else lambda *xs: _arrays(fn(*xs))
    kernel = compile(fn) if kernels else None
    return Checked(eager, None if kernel is None else lambda *xs: _arrays(kernel(*xs)))


def _arrays(value: Any) -> Any:
    """Return results as arrays and floats, also where a transform runs around, which gets tensors."""
    if isinstance(value, tuple):
        return tuple([_arrays(v) for v in value])
    return value.detach()._value if isinstance(value, TensorBase) else value  # type: ignore[attr-defined]
