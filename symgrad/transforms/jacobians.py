"""Jacobians and Hessians: one sweep per entry of the result, or of the point."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from contextvars import ContextVar
from typing import Any, ParamSpec

import numpy as np

from symgrad.core.journal import undoing
from symgrad.core.kernels import canonical
from symgrad.core.pickling import transform
from symgrad.core.trees import unflatten
from symgrad.engine.record import handle
from symgrad.errors import ArgumentError, ShapeError
from symgrad.ops.elementwise.complexes import conj
from symgrad.ops.map import show_shape
from symgrad.ops.shape import Reshape
from symgrad.ops.shapes.join import stack
from symgrad.support.arguments import check_all
from symgrad.transforms.arguments import Argnums, check_argnums, check_function
from symgrad.transforms.calls import DifferentiatedCall
from symgrad.transforms.holomorphic import mode_for

__all__ = ["hessian", "jacfwd", "jacobian", "jacrev"]

P = ParamSpec("P")


@transform
def jacrev(
    fn: Callable[P, Any], argnums: Argnums = 0, has_aux: bool = False, *, chunk_size: int | None = None,
    holomorphic: bool = False,
) -> Callable[P, Any]:  # fmt: skip
    """Return x ↦ ∂f/∂x by reverse mode, one sweep per entry of the result; see ``jacobian``.

    ``chunk_size``, torch's number of sweeps at a time, is accepted: here it is one whatever is asked for.
    """
    check_chunk_size("jacrev", chunk_size)
    return _jacobian("jacrev", fn, argnums, has_aux, lambda columns, rows: "reverse", holomorphic)


@transform
def jacfwd(
    fn: Callable[P, Any], argnums: Argnums = 0, has_aux: bool = False, *, randomness: str = "error",
    holomorphic: bool = False,
) -> Callable[P, Any]:  # fmt: skip
    """Return x ↦ ∂f/∂x by forward mode, one sweep per entry of the point; see ``jacobian``.

    ``randomness`` is torch's and accepted: fn is called once, so that all sweeps see the same random numbers.
    """
    check_randomness("jacfwd", randomness)
    return _jacobian("jacfwd", fn, argnums, has_aux, lambda columns, rows: "forward", holomorphic)


@transform
def jacobian(
    fn: Callable[P, Any], argnums: Argnums = 0, has_aux: bool = False, *, chunk_size: int | None = None,
    holomorphic: bool = False,
) -> Callable[P, Any]:  # fmt: skip
    """Return x ↦ ∂f/∂x, by the mode that needs fewer sweeps. Shape: output shape + input shape.

    Args:
        fn: function returning an array, or a structure of them; or (this, aux) with ``has_aux``.
        argnums: position, or positions, to differentiate by; a tuple gives a tuple.
        has_aux: fn returns a second value, which is handed through.
        chunk_size: torch's; sweeps are made one at a time whatever is asked for.
        holomorphic: promise that fn is a holomorphic function of complex arrays; the entries are then dy/dz. Without it
            results are real, and complex inputs have gradients ∂f/∂x + i ∂f/∂y; or inputs are real.

    Returns:
        A function with fn's arguments, whose result has the structure of fn's result, with the structure of the
        argument in the place of each array; (this, aux) with ``has_aux``.

    >>> sg.jacobian(lambda x: x**2)(np.array([1.0, 2.0]))
    array([[2., 0.],
           [0., 4.]])
    >>> sg.jacobian(lambda p: {"y": p["a"] * p["b"]})({"a": 2.0, "b": 3.0})
    {'y': {'a': 3.0, 'b': 2.0}}
    """
    check_chunk_size("jacobian", chunk_size)
    return _jacobian("jacobian", fn, argnums, has_aux, _chosen, holomorphic)


def fewer_sweeps(columns: int, rows: int) -> str:
    """Return the mode that needs fewer sweeps."""
    return "forward" if columns < rows else "reverse"


def _chosen(columns: int, rows: int) -> str:
    return choose_mode.get()(columns, rows)


# How a Jacobian with so many columns and rows is computed. The compiler asks for either, and keeps the shorter program.
choose_mode: ContextVar[Callable[[int, int], str]] = ContextVar("symgrad_choose_mode", default=fewer_sweeps)


def check_chunk_size(name: str, chunk_size: Any) -> None:
    """Refuse a chunk size that is no positive integer."""
    if chunk_size is not None and (not isinstance(chunk_size, int) or chunk_size < 1):
        raise ArgumentError(f"{name}: `chunk_size` should be greater than 0, got {chunk_size!r}. Pass an int, or None.")


def check_randomness(name: str, randomness: Any) -> None:
    """Refuse other behaviours than torch's three."""
    if randomness not in ("error", "same", "different"):
        raise ArgumentError(
            f"Only allowed values for randomness are 'error', 'different', or 'same'. {name} got {randomness!r}."
        )


def _jacobian(
    name: str,
    fn: Callable[..., Any],
    argnums: Argnums,
    has_aux: bool,
    choose: Callable[[int, int], str],
    holomorphic: bool = False,
) -> Callable[..., Any]:
    check_function(name, fn)
    check_argnums(name, argnums)

    @undoing
    @functools.wraps(fn)
    def call(*args: Any, **kwargs: Any) -> Any:
        run = DifferentiatedCall(fn, args, kwargs, argnums)
        aux = run.split_aux(name) if has_aux else None
        run.returns(name)
        mode = choose(_size(run.xs), _size(run.ys))
        mode = mode_for(name, run.xs, run.ys, mode, holomorphic, free=choose is _chosen)
        blocks = by_columns(run) if mode == "forward" else by_rows(run, holomorphic)
        done = unflatten(run.tree, iter([run.each(row) for row in blocks]))
        return (done, run.aux(aux)) if has_aux else done

    return call


def _size(ts: Sequence[Any]) -> int:
    for t in ts:
        if not all(isinstance(n, (int, np.integer)) for n in t.shape):
            raise ShapeError(
                f"a Jacobian is made row by row or column by column: expected sizes that are numbers, got "
                f"{show_shape(t.shape)}. Give every size a number, or use sg.derive for its formula."
            )
    return sum(int(np.prod(t.shape)) for t in ts)


def by_rows(run: DifferentiatedCall, holomorphic: bool = False) -> list[list[Any]]:
    """Return ∂y/∂x for each y and x, by a sweep for each entry of each y."""
    blocks = []
    for k, y in enumerate(run.ys):
        rows = [run.pull(_alone(e, k, len(run.ys))) for e in _basis(y)]
        rows = [[conj(g) for g in r] for r in rows] if holomorphic else rows
        blocks.append([_assembled([r[j] for r in rows], y, x, 0) for j, x in enumerate(run.xs)])
    return blocks


def by_columns(run: DifferentiatedCall) -> list[list[Any]]:
    """Return the same, by a sweep for each entry of each x."""
    columns = [[run.push(_alone(e, j, len(run.xs))) for e in _basis(x)] for j, x in enumerate(run.xs)]
    return [
        [_assembled([c[k] for c in columns[j]], y, x, len(y.shape)) for j, x in enumerate(run.xs)]
        for k, y in enumerate(run.ys)
    ]


def _alone(e: Any, k: int, count: int) -> list[Any]:
    return [e if j == k else None for j in range(count)]


def _basis(t: Any) -> list[Any]:
    size = _size([t])
    eye = np.eye(size, dtype=t.dtype).reshape(size, *t.shape)
    return [handle(None, canonical(e)) for e in eye]


def _assembled(parts: Sequence[Any], y: Any, x: Any, axis: int) -> Any:
    """Stack rows (axis 0) or columns (the last axis) into the shape output + input."""
    to = (*y.shape, *x.shape)
    if not parts:
        return handle(None, np.zeros(to, np.result_type(x.dtype, y.dtype)))
    whole = stack(parts, axis) if len(parts) > 1 else parts[0]
    return whole if whole.shape == to else Reshape(to)(whole)


@transform
def hessian(
    fn: Callable[P, Any], argnums: Argnums = 0, has_aux: bool = False, *, holomorphic: bool = False
) -> Callable[P, Any]:
    """Return x ↦ ∂²f/∂x²: the Jacobian of the gradient. Shape: x.shape + x.shape, after f's own where it has one.

    Several argnums give a tuple of rows: entry [a][b] is ∂²f/∂xₐ∂x_b, of shape xₐ.shape + x_b.shape; and so does a
    structure of arrays: ``H["w"]["b"]``. Of complex numbers it is that of a ``holomorphic`` function.

    >>> sg.hessian(lambda x: (x**3).sum())(np.array([1.0, 2.0]))
    array([[ 6.,  0.],
           [ 0., 12.]])
    """
    check_function("hessian", fn)
    check_argnums("hessian", argnums)
    rows = _jacobian("hessian", fn, argnums, has_aux, lambda columns, rows: "reverse", holomorphic)
    return _jacobian("hessian", rows, argnums, has_aux, _chosen, holomorphic)


check_all(globals(), __all__)
