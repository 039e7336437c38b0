"""Function transforms: grad, value_and_grad, vjp, jvp, jacobian, hessian, hvp, vmap.

NumPy in, NumPy out; tensors in, tensors out. They nest: a transform inside another is differentiated again.
Imports vmap, engine and below.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from contextvars import ContextVar
from typing import Any

import numpy as np

from symgrad import modes
from symgrad.engine import push
from symgrad.errors import ArgumentError, ArgumentTypeError, GraphError, ShapeError
from symgrad.kernels import canonical
from symgrad.ops.join import stack
from symgrad.ops.map import IDENTITY, show_shape
from symgrad.ops.shape import Reshape
from symgrad.record import Core, apply, as_tensor, handle
from symgrad.variables import Argnums, Call, check_argnums, ones, pair, positions, zeros
from symgrad.vmap import vmap

__all__ = [
    "grad", "grad_and_value", "hessian", "hvp", "jacfwd", "jacobian", "jacrev", "jvp", "value_and_grad", "vjp", "vmap",
]  # fmt: skip


# ------------------------------------------------------------------ gradients
def value_and_grad(fn: Callable[..., Any], argnums: Argnums = 0, has_aux: bool = False) -> Callable[..., Any]:
    """Return the function x ↦ (f(x), ∇f(x)) for a scalar f.

    Args:
        fn: function of positional arguments returning a scalar, or (scalar, aux) with ``has_aux``.
        argnums: position, or positions, to differentiate by; a tuple gives a tuple of gradients.
        has_aux: fn returns a second value, which is handed through.

    Returns:
        A function with fn's arguments. NumPy arrays and floats in give NumPy and floats out, ready for SciPy.

    Raises:
        GraphError: the result is not a scalar.

    >>> sg.value_and_grad(lambda x: (x**2).sum())(np.array([1.0, 2.0]))
    (5.0, array([2., 4.]))
    """
    check_argnums("value_and_grad", argnums)

    @functools.wraps(fn)
    def call(*args: Any, **kwargs: Any) -> Any:
        run = Call(fn, args, kwargs, argnums)
        if has_aux:
            run.result, aux = pair(run.result)
        y = run.output("value_and_grad")
        if y.shape != ():
            raise GraphError(
                f"grad_and_value(f)(*args): Expected f(*args) to return a scalar Tensor, got tensor with "
                f"{len(y.shape)} dims. Maybe you wanted to use the vjp or jacrev APIs instead?"
            )
        gradients = run.each(run.pull(y, ones(y)))
        value = run.out(y)
        return ((value, aux), gradients) if has_aux else (value, gradients)

    return call


def grad(fn: Callable[..., Any], argnums: Argnums = 0, has_aux: bool = False) -> Callable[..., Any]:
    """Return the function x ↦ ∇f(x) for a scalar f; see ``value_and_grad``.

    >>> sg.grad(sg.grad(lambda x: x**3))(2.0)
    12.0
    """
    check_argnums("grad", argnums)
    both = value_and_grad(fn, argnums, has_aux)

    @functools.wraps(fn)
    def call(*args: Any, **kwargs: Any) -> Any:
        value, gradients = both(*args, **kwargs)
        return (gradients, value[1]) if has_aux else gradients

    return call


def grad_and_value(fn: Callable[..., Any], argnums: Argnums = 0, has_aux: bool = False) -> Callable[..., Any]:
    """Return the function x ↦ (∇f(x), f(x)): torch.func's order of ``value_and_grad``."""
    check_argnums("grad_and_value", argnums)
    both = value_and_grad(fn, argnums, has_aux)

    @functools.wraps(fn)
    def call(*args: Any, **kwargs: Any) -> Any:
        value, gradients = both(*args, **kwargs)
        return gradients, value

    return call


# ------------------------------------------------------------------ products with the Jacobian
def vjp(fn: Callable[..., Any], *primals: Any) -> tuple[Any, Callable[[Any], Any]]:
    """Return f(x) and the function v ↦ Jᵀv.

    Args:
        fn: function of the primals returning one tensor of any shape.
        primals: arrays or tensors.

    Returns:
        The value, and a function taking v (shaped like the value) to one cotangent per primal, always a tuple.

    Raises:
        ShapeError: v is shaped unlike the value.
    """
    run = Call(fn, primals, {}, tuple(range(len(primals))))
    y = run.output("vjp")

    def pull(v: Any) -> tuple[Any, ...]:
        seed = as_tensor(v)
        if seed.shape != y.shape:
            raise ShapeError(
                f"Mismatch in shape: grad_output[0] has a shape of torch.Size({show_shape(seed.shape)}) and output[0] "
                f"has a shape of torch.Size({show_shape(y.shape)}). They must be the same."
            )
        return tuple(run.out(g) for g in run.pull(y, seed))

    return run.out(y), pull


def jvp(fn: Callable[..., Any], primals: Sequence[Any], tangents: Sequence[Any]) -> tuple[Any, Any]:
    """Return f(x) and Jt: forward mode, one sweep over the recorded operations.

    Args:
        fn: function of the primals returning one tensor of any shape.
        primals: tuple of arrays or tensors.
        tangents: tuple of the same shapes.

    Raises:
        ShapeError: a tangent is shaped unlike its primal.
    """
    if not isinstance(primals, (tuple, list)) or not isinstance(tangents, (tuple, list)):
        raise ArgumentTypeError("jvp: primals and tangents are tuples, one entry per argument: jvp(f, (x,), (t,)).")
    if len(primals) != len(tangents):
        raise ArgumentError(
            f"jvp: got {len(primals)} primals and {len(tangents)} tangents. Pass one tangent per primal."
        )
    run = Call(fn, primals, {}, tuple(range(len(primals))))
    run.plain = run.plain and not any(isinstance(t, Core) for t in tangents)
    y, ts = run.output("jvp"), [as_tensor(t) for t in tangents]
    for x, t in zip(run.xs, ts, strict=True):
        if x.shape != t.shape:
            raise ShapeError(
                "Trying to set a forward gradient that has a different size than that of the original Tensor, this is "
                f"not supported. Tensor is of size {show_shape(x.shape)} while the given forward gradient is of size "
                f"{show_shape(t.shape)}."
            )
    return run.out(y), run.out(_push(run, y, ts))


def _push(run: Call, y: Any, ts: Sequence[Any]) -> Any:
    if y._node is None:
        return zeros(y)
    tangents = {x._node: t if not run.plain else t._value for x, t in zip(run.xs, ts, strict=True)}
    with np.errstate(all="ignore"), modes.enable_grad():
        (found,) = push([y._node], tangents, handle, record=not run.plain, symbolic=y._value is None)
    if found is None:
        return zeros(y)
    t: Any = found if isinstance(found, Core) else handle(None, canonical(found))
    return t if t.shape == y.shape else apply(IDENTITY, (t + zeros(y),))


# ------------------------------------------------------------------ Jacobians
def jacrev(fn: Callable[..., Any], argnums: Argnums = 0) -> Callable[..., Any]:
    """Return x ↦ ∂f/∂x by reverse mode, one sweep per output entry. Shape: output shape + input shape."""
    return _jacobian("jacrev", fn, argnums, lambda run, y: "reverse")


def jacfwd(fn: Callable[..., Any], argnums: Argnums = 0) -> Callable[..., Any]:
    """Return x ↦ ∂f/∂x by forward mode, one sweep per input entry. Shape: output shape + input shape."""
    return _jacobian("jacfwd", fn, argnums, lambda run, y: "forward")


def jacobian(fn: Callable[..., Any], argnums: Argnums = 0) -> Callable[..., Any]:
    """Return x ↦ ∂f/∂x, by the mode that needs fewer sweeps. Shape: output shape + input shape.

    >>> sg.jacobian(lambda x: x**2)(np.array([1.0, 2.0]))
    array([[2., 0.],
           [0., 4.]])
    """
    return _jacobian("jacobian", fn, argnums, lambda run, y: choose_mode.get()(_size(run.xs), _size([y])))


def fewer_sweeps(columns: int, rows: int) -> str:
    """Return the mode that needs fewer sweeps."""
    return "forward" if columns < rows else "reverse"


# How a Jacobian with so many columns and rows is computed. The compiler asks for either, and keeps the shorter program.
choose_mode: ContextVar[Callable[[int, int], str]] = ContextVar("symgrad_choose_mode", default=fewer_sweeps)


def _size(ts: Sequence[Any]) -> int:
    return sum(int(np.prod(t.shape)) for t in ts)


def _jacobian(
    name: str, fn: Callable[..., Any], argnums: Argnums, choose: Callable[[Call, Any], str]
) -> Callable[..., Any]:
    check_argnums(name, argnums)

    @functools.wraps(fn)
    def call(*args: Any, **kwargs: Any) -> Any:
        run = Call(fn, args, kwargs, argnums)
        y = run.output("jacobian")
        rows = _by_columns(run, y) if choose(run, y) == "forward" else _by_rows(run, y)
        return run.each(rows)

    return call


def _by_rows(run: Call, y: Any) -> list[Any]:
    rows = [run.pull(y, basis) for basis in _basis(y)]
    return [_assembled([r[k] for r in rows], y.shape, x.shape, 0, x.dtype) for k, x in enumerate(run.xs)]


def _by_columns(run: Call, y: Any) -> list[Any]:
    out = []
    for k, x in enumerate(run.xs):
        still = [zeros(v) for v in run.xs]
        columns = [_push(run, y, [*still[:k], e, *still[k + 1 :]]) for e in _basis(x)]
        out.append(_assembled(columns, y.shape, x.shape, len(y.shape), x.dtype))
    return out


def _basis(t: Any) -> list[Any]:
    size = _size([t])
    eye = np.eye(size, dtype=t.dtype).reshape(size, *t.shape)
    return [handle(None, canonical(e)) for e in eye]


def _assembled(parts: list[Any], out: Any, into: Any, axis: int, dtype: Any) -> Any:
    """Stack rows (axis 0) or columns (the last axis) into the shape output + input."""
    if not parts:
        return handle(None, np.zeros((*out, *into), dtype))
    return Reshape((*out, *into))(stack(parts, axis))


def hessian(fn: Callable[..., Any], argnums: Argnums = 0) -> Callable[..., Any]:
    """Return x ↦ ∂²f/∂x² of a scalar f: the Jacobian of its gradient. Shape: x.shape + x.shape.

    Several argnums give a tuple of rows: entry [a][b] is ∂²f/∂xₐ∂x_b, of shape xₐ.shape + x_b.shape.

    >>> sg.hessian(lambda x: (x**3).sum())(np.array([1.0, 2.0]))
    array([[ 6.,  0.],
           [ 0., 12.]])
    """
    check_argnums("hessian", argnums)
    if isinstance(argnums, int):
        return jacobian(grad(fn, argnums), argnums)

    @functools.wraps(fn)
    def call(*args: Any, **kwargs: Any) -> Any:
        return tuple(jacobian(grad(fn, a), argnums)(*args, **kwargs) for a in positions(argnums, len(args)))

    return call


def hvp(fn: Callable[..., Any], primals: Any, tangents: Any) -> Any:
    """Return H·v, the Hessian of a scalar f at x times a vector, without forming H: forward over reverse.

    Args:
        fn: function of the primals returning a scalar.
        primals: x, or a tuple of arrays.
        tangents: v shaped like x, or a tuple of them.

    Returns:
        H·v shaped like x; a tuple where a tuple came in.
    """
    single = not isinstance(primals, (tuple, list))
    xs, vs = ((primals,), (tangents,)) if single else (tuple(primals), tuple(tangents))
    products = []
    for k in range(len(xs)):
        products.append(jvp(grad(fn, k), xs, vs)[1])
    return products[0] if single else tuple(products)
