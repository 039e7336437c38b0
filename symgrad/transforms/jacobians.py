"""Jacobians and Hessians: one sweep per entry of the result, or of the point."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from contextlib import suppress
from contextvars import ContextVar
from functools import partial
from typing import Any, ParamSpec

import numpy as np

from symgrad.core.journal import undoing
from symgrad.core.kernels import canonical
from symgrad.core.node import ancestors, tensor_node
from symgrad.core.pickling import transform
from symgrad.core.trees import unflatten
from symgrad.engine.record import handle
from symgrad.errors import ArgumentError, ShapeError, SymgradError
from symgrad.ops.contract import permute
from symgrad.ops.elementwise.complexes import conj
from symgrad.ops.map import show_shape
from symgrad.ops.shape import Reshape
from symgrad.ops.shapes.join import stack
from symgrad.support.arguments import check_all, shown
from symgrad.transforms.arguments import (
    Argnums,
    check_argnums,
    check_chunk_size,
    check_function,
    check_randomness,
)
from symgrad.transforms.calls import DifferentiatedCall
from symgrad.transforms.holomorphic import mode_for
from symgrad.transforms.vmap import vmap

__all__ = ["hessian", "jacfwd", "jacobian", "jacrev"]

P = ParamSpec("P")


@transform
def jacrev(
    fn: Callable[P, Any], argnums: Argnums = 0, has_aux: bool = False, *, chunk_size: int | None = None,
    holomorphic: bool = False,
) -> Callable[P, Any]:  # fmt: skip
    """Return x ↦ ∂f/∂x by reverse mode, in one backward pass per entry of the result; see ``jacobian``.

    ``chunk_size``, PyTorch's number of simultaneous passes, is accepted and has no effect.
    """
    check_chunk_size("jacrev", chunk_size)
    return _jacobian("jacrev", fn, argnums, has_aux, lambda columns, rows: "reverse", holomorphic)


@transform
def jacfwd(
    fn: Callable[P, Any], argnums: Argnums = 0, has_aux: bool = False, *, randomness: str = "error",
    holomorphic: bool = False,
) -> Callable[P, Any]:  # fmt: skip
    """Return x ↦ ∂f/∂x by forward mode, in one pass per entry of the point; see ``jacobian``.

    ``randomness`` is accepted for PyTorch and has no effect: fn is called once, so all passes see the same random
    numbers.
    """
    check_randomness("jacfwd", randomness)
    return _jacobian("jacfwd", fn, argnums, has_aux, lambda columns, rows: "forward", holomorphic)


@transform
def jacobian(
    fn: Callable[P, Any], argnums: Argnums = 0, has_aux: bool = False, *, chunk_size: int | None = None,
    holomorphic: bool = False,
) -> Callable[P, Any]:  # fmt: skip
    """Return x ↦ ∂f/∂x, by the mode that needs fewer passes. Shape: output shape + input shape.

    Args:
        fn: function that returns an array or a structure of arrays; with ``has_aux``, a pair (result, aux).
        argnums: the position of the argument to differentiate with respect to; a tuple of positions gives a tuple.
        has_aux: whether fn returns a second value, which is returned unchanged.
        chunk_size: accepted for compatibility with PyTorch, without effect.
        holomorphic: whether fn is a holomorphic function of complex arrays, so that the entries are dy/dz. If not, the
            results or the inputs must be real; for real results, the entries for a complex input are ∂f/∂x + i ∂f/∂y.

    Returns:
        A function with fn's arguments. Its result has the structure of fn's result, in which each array is replaced by
        the structure of the argument; with ``has_aux``, a pair (Jacobian, aux).

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
        if not run.ys:
            raise ArgumentError(f"{name}: Expected f to return at least one tensor, got {shown(run.result)}.")
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
                f"a Jacobian is computed row by row or column by column, so its sizes must be numbers. Got shape "
                f"{show_shape(t.shape)}. Give every size a number, or use sg.derive for the formula."
            )
    return sum(int(np.prod(t.shape)) for t in ts)


def by_rows(run: DifferentiatedCall, holomorphic: bool = False) -> list[list[Any]]:
    """Return ∂y/∂x for each y and x, by a sweep for each entry of each y."""
    blocks = []
    for k, y in enumerate(run.ys):
        rows = _swept(run, y, partial(_pulled, run, k, holomorphic), len(run.xs))
        blocks.append([_assembled(r, y, x, 0) for r, x in zip(rows, run.xs, strict=True)])
    return blocks


def by_columns(run: DifferentiatedCall) -> list[list[Any]]:
    """Return the same, by a sweep for each entry of each x."""
    columns = [_swept(run, x, partial(_pushed, run, j), len(run.ys)) for j, x in enumerate(run.xs)]
    return [[_assembled(columns[j][k], y, x, len(y.shape)) for j, x in enumerate(run.xs)] for k, y in enumerate(run.ys)]


def _pulled(run: DifferentiatedCall, k: int, holomorphic: bool, seed: Any) -> list[Any]:
    row = run.pull([seed if j == k else None for j in range(len(run.ys))])
    return [conj(g) for g in row] if holomorphic else row


def _pushed(run: DifferentiatedCall, j: int, seed: Any) -> list[Any]:
    return run.push([seed if k == j else None for k in range(len(run.xs))])


# Whether sweeps in arrays run at once, as the compiler asks: a product of matrices then takes the place of many.
at_once: ContextVar[bool] = ContextVar("symgrad_at_once", default=False)
_MANY_SWEEPS = 16  # from which sweeps run at once
_WIDE = 32  # the mean number of entries of what they run on; of less, straight code leaves zeros out
_ROOM = 1 << 22  # entries of the largest array that sweeps at once make


def _swept(run: DifferentiatedCall, t: Any, sweep: Callable[[Any], list[Any]], count: int) -> list[Any]:
    """Return the results of the passes for all entries of t, ``count`` for each, as a list or as one array."""
    size = _size([t])
    basis = np.eye(size, dtype=t.dtype).reshape(size, *t.shape)
    if at_once.get() and not run.plain and size >= _MANY_SWEEPS:
        with suppress(SymgradError):  # of operations that need values, say: they are swept one by one
            sizes = [_size([n]) for n in ancestors([n for n in map(tensor_node, run.ys) if n is not None])]
            chunk = _ROOM // max(sizes, default=1)
            if chunk >= _MANY_SWEEPS and sum(sizes) >= _WIDE * len(sizes):
                together: list[Any] = vmap(sweep, chunk_size=chunk)(handle(None, basis))
                return together
    sweeps = [sweep(handle(None, canonical(e))) for e in basis]
    return [[s[k] for s in sweeps] for k in range(count)]


def _assembled(parts: Any, y: Any, x: Any, axis: int) -> Any:
    """Put rows (axis 0) or columns (the last axis), or an array of them, into the shape output + input."""
    to = (*y.shape, *x.shape)
    whole: Any
    if not isinstance(parts, list):
        order = [*range(1, axis + 1), 0, *range(axis + 1, len(parts.shape))]
        whole = permute(parts, order) if axis else parts
    elif parts:
        whole = stack(parts, axis) if len(parts) > 1 else parts[0]
    else:
        return handle(None, np.zeros(to, np.result_type(x.dtype, y.dtype)))
    return whole if whole.shape == to else Reshape(to)(whole)


@transform
def hessian(
    fn: Callable[P, Any], argnums: Argnums = 0, has_aux: bool = False, *, holomorphic: bool = False
) -> Callable[P, Any]:
    """Return x ↦ ∂²f/∂x²: the Jacobian of the gradient. Shape: x.shape + x.shape, after the shape of f(x).

    Several argnums give a tuple of rows, whose entry [a][b] is ∂²f/∂xₐ∂x_b, of shape xₐ.shape + x_b.shape. A structure
    of arrays gives a nested structure, such as ``H["w"]["b"]``. For complex arguments, f must be ``holomorphic``.

    >>> sg.hessian(lambda x: (x**3).sum())(np.array([1.0, 2.0]))
    array([[ 6.,  0.],
           [ 0., 12.]])
    """
    check_function("hessian", fn)
    check_argnums("hessian", argnums)
    rows = _jacobian("hessian", fn, argnums, has_aux, lambda columns, rows: "reverse", holomorphic)
    return _jacobian("hessian", rows, argnums, has_aux, _chosen, holomorphic)


check_all(globals(), __all__)
