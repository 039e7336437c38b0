"""Linear systems with an operator that is given by its products: SciPy's Krylov methods, differentiable."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from symgrad.core.node import has_value, tensor_value
from symgrad.engine.program import Spec
from symgrad.engine.record import as_tensor
from symgrad.errors import ArgumentError, ShapeError
from symgrad.implicit import programs
from symgrad.implicit.conditions import OperatorSolve
from symgrad.implicit.factors import Way, positive, whole
from symgrad.implicit.rectangular import LeastSquares
from symgrad.implicit.unknowns import Arguments, floating, traced
from symgrad.ops.convert import Cast
from symgrad.ops.map import show_shape
from symgrad.support.arguments import check_all
from symgrad.transforms.tracing import spec_of

__all__ = ["cg", "gmres", "lsqr"]


def cg(A: Any, b: Any, *args: Any, x0: Any = None, tol: float = 1e-10, max_steps: int | None = None) -> Any:
    """Solve A x = b for a symmetric positive definite A, by conjugate gradients. Gradients: b̄ = A⁻¹ x̄, Ā = −b̄ xᵀ.

    Args:
        A: a matrix (n, n), or a linear function A(v, *args), shaped like v.
        b: the right-hand side, of any shape that A accepts.
        args: further arguments of A. Gradients flow to them, and to tensors that the function A captures.
        x0: the initial guess, shaped like x; by default 0. The answer does not depend on it, and compiled or mapped
            functions ignore it.
        tol: stop when the residual, relative to b, is at most this.
        max_steps: the maximum number of steps; None for SciPy's default.

    Returns:
        The solution x, shaped like b.

    Raises:
        NotConverged: if the residual is still above tol after the last step.
        ArgumentError: if A is not linear.
        ShapeError: if A v is not shaped like v.
        MissingExtra: if SciPy is not installed.

    >>> sg.linalg.cg(lambda v, a: a * v, sg.tensor([2.0, 4.0]), 2.0).numpy().round(6)
    array([1., 2.])
    """
    return _solved("cg", A, b, args, x0, tol, max_steps)


def gmres(A: Any, b: Any, *args: Any, x0: Any = None, tol: float = 1e-10, max_steps: int | None = None) -> Any:
    """Solve A x = b by GMRES, with the arguments of ``cg``, for any nonsingular A. Gradients: b̄ = A⁻ᵀ x̄, Ā = −b̄ xᵀ.

    >>> sg.linalg.gmres(sg.tensor([[2.0, 1.0], [0.0, 4.0]]), sg.tensor([3.0, 4.0])).numpy().round(6)
    array([1., 1.])
    """
    return _solved("gmres", A, b, args, x0, tol, max_steps)


def lsqr(A: Any, b: Any, *args: Any, x0: Any = None, tol: float = 1e-10, max_steps: int | None = None) -> Any:
    """Solve A x = b by LSQR, which multiplies by A and Aᵀ; in the least-squares sense for a rectangular A.

    The arguments are those of ``cg``. With more equations than unknowns, x minimises ‖A x − b‖; with fewer, x is the
    solution with the smallest norm. A must have full rank. If A is a function of a v that is not shaped like b, pass
    an x0 that is shaped like v.

    >>> sg.linalg.lsqr(sg.tensor([[2.0, 1.0], [0.0, 4.0]]), sg.tensor([3.0, 4.0])).numpy().round(6)
    array([1., 1.])
    """
    return _solved("lsqr", A, b, args, x0, tol, max_steps)


def _solved(
    method: str, A: Any, b: Any, args: tuple[Any, ...], x0: Any, tol: float, most: int | None
) -> Any:  # fmt: skip
    most = None if most is None else whole(method, "max_steps", most)
    right = floating(method, as_tensor(b))
    spec = spec_of(right)
    product, args, unknown = _product(method, A, args, x0, spec)
    given = Arguments(args)

    def call(v: Any, *tensors: Any) -> Any:
        tensor = as_tensor(product(v, *given.put(tensors)))
        return tensor if tensor.dtype == spec.dtype else Cast(spec.dtype)(tensor)

    body, inputs = traced(method, call, unknown, given.tensors)
    if body.results[0].shape != spec.shape:
        raise ShapeError(
            f"{method}: A·v has shape {show_shape(body.results[0].shape)} for v of shape {show_shape(unknown.shape)}. "
            f"Expected {'the same' if unknown == spec else show_shape(spec.shape)}."
        )
    if programs.is_read(programs.linearised(body), 1):
        raise ArgumentError(f"{method}: A(v) is not linear in v. Pass a linear function, or use sg.root.")
    way, start = Way(method, positive(method, "tol", tol), most), _start(method, x0, unknown)
    if unknown.shape == spec.shape:
        return as_tensor(OperatorSolve(body, False, way, None, start)(right, *inputs))
    return as_tensor(LeastSquares(body, way, start)(right, *inputs))


def _product(
    method: str, A: Any, args: tuple[Any, ...], x0: Any, spec: Spec
) -> tuple[Callable[..., Any], tuple[Any, ...], Spec]:  # fmt: skip
    """Return v, *args ↦ A·v, the arguments, and the shape and dtype of the unknown, for a right side like ``spec``."""
    of_least_squares = method == "lsqr"
    if callable(A):
        shaped = Spec(tuple(as_tensor(x0).shape), spec.dtype) if of_least_squares and x0 is not None else spec
        return A, args, shaped
    if args:
        raise ArgumentError(
            f"{method}: got {len(args)} arguments after b, which are arguments of A; but A is a matrix."
        )
    matrix = as_tensor(A)
    rectangular = of_least_squares and len(matrix.shape) == 2 and len(spec.shape) == 1
    unknown = Spec((matrix.shape[1],), spec.dtype) if rectangular else spec
    return (lambda v, matrix: matrix @ v), (matrix,), unknown


def _start(method: str, x0: Any, unknown: Spec) -> Any:
    """Return where to start as a value; None without one, or where it has no value."""
    if x0 is None:
        return None
    t: Any = as_tensor(x0)
    if tuple(t.shape) != tuple(unknown.shape):
        raise ShapeError(f"{method}: x0 has shape {show_shape(t.shape)}. Expected {show_shape(unknown.shape)}.")
    return None if not has_value(t) else programs.FrozenArray(np.asarray(tensor_value(t), np.float64))


check_all(globals(), __all__)
