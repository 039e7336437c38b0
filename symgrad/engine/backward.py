"""PyTorch's doors onto the engine: checks, seeds, accumulation into ``.grad``.

A backward computes everything first and deposits last, so one that fails leaves no partial ``.grad``.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from symgrad.core import modes
from symgrad.core.journal import changing_gradient
from symgrad.core.kernels import canonical
from symgrad.core.node import GRAD, AnyNode, Cell, Node, reaches
from symgrad.core.promotion import is_complex, is_differentiable
from symgrad.core.upcalls import UPCALLS
from symgrad.engine.dtypes import dtype_of
from symgrad.engine.generator import is_traced_for_calls
from symgrad.engine.record import TensorBase, handle
from symgrad.engine.sweep import sweep
from symgrad.errors import ArgumentError, ArgumentTypeError, GraphError, ShapeError, ValueNeeded
from symgrad.ops.convert import DETACH, Cast
from symgrad.ops.map import show_shape
from symgrad.ops.protocol import shape
from symgrad.support.notices import warn

_FLOAT64 = np.dtype(np.float64)
NO_GRAD = "element 0 of tensors does not require grad and does not have a grad_fn"
UNUSED = (
    "The differentiated Tensor at index {i} appears to not have been used in the graph. "
    "Set allow_unused=True if this is the desired behavior."
)
_CYCLE = (
    "Using backward() with create_graph=True will create a reference cycle between the parameter and its gradient "
    "which can cause a memory leak. We recommend using autograd.grad when creating the graph to avoid this. If you "
    "have to use this function, make sure to reset the .grad fields of your parameters to None after use to break "
    "the cycle and avoid the leak."
)


def backward(
    tensors: Sequence[Any],
    gradients: Sequence[Any],
    *,
    retain_graph: bool | None = None,
    create_graph: bool = False,
    inputs: Sequence[Any] | None = None,
) -> None:
    """Accumulate d(Σ tensors·gradients)/dx into ``.grad`` of the leaves x, or of ``inputs`` only."""
    retain = create_graph if retain_graph is None else retain_graph
    roots, seeds = _roots(tensors, gradients)
    for t in (*tensors, *seeds):
        _check_outside(t)
    wrt = None if inputs is None else cells(inputs)
    traced = any(t._value is None for t in (*tensors, *seeds))
    cotangents = _sweep(roots, seeds, wrt, create_graph or traced, retain)
    for node, g in cotangents.items():
        _deposit(node, DETACH(g) if traced and not create_graph else g)


def cells(inputs: Sequence[Any]) -> list[AnyNode]:
    """Return the nodes of ``inputs=``, each with a place for its gradient."""
    if not inputs:
        raise ArgumentError("`inputs` argument to `backward()` cannot be empty. Leave it out to reach every leaf.")
    nodes = [_wanted(t, i) for i, t in enumerate(inputs)]
    for node in nodes:
        if node.cell is None:
            node.cell = Cell()
    return nodes


def _check_used(wrt: Sequence[AnyNode], cotangents: dict[AnyNode, Any]) -> None:
    for i, node in enumerate(wrt):
        if node not in cotangents:
            raise GraphError(UNUSED.format(i=i))


def _gradient_of(x: Any, node: AnyNode, cotangents: dict[AnyNode, Any], materialize: bool) -> Any:
    """Return the gradient with respect to x, and None or zeros where the outputs do not depend on it."""
    if node not in cotangents and not materialize:
        return None
    value = np.zeros(x.shape, x.dtype) if x._value is None else x._value
    return _as_gradient(cotangents.get(node), value)


def grad(
    outputs: Sequence[Any],
    inputs: Sequence[Any],
    gradients: Sequence[Any],
    *,
    retain_graph: bool | None = None,
    create_graph: bool = False,
    allow_unused: bool = False,
    materialize: bool = False,
) -> tuple[Any, ...]:
    """Return d(Σ outputs·gradients)/dx for each x in inputs, leaving ``.grad`` of leaves alone.

    In a function that a transform runs, the result has a graph in any case: as a constant it would be wrong there.
    """
    create_graph = create_graph or modes.transformed()
    retain = create_graph if retain_graph is None else retain_graph
    if not inputs:
        raise ArgumentError("`inputs` argument to `grad()` cannot be empty. Pass the tensors of the gradient.")
    roots, seeds = _roots(outputs, gradients)
    wrt = [_wanted(t, i) for i, t in enumerate(inputs)]
    traced = any(t._value is None for t in (*outputs, *seeds))
    cotangents = _sweep(roots, seeds, wrt, create_graph or traced, retain)
    for node, g in cotangents.items():
        if isinstance(node, Node):
            _deposit(node, g)  # where it retains its gradient
    if not (allow_unused or materialize):
        _check_used(wrt, cotangents)
    return tuple([_gradient_of(x, node, cotangents, materialize) for node, x in zip(wrt, inputs, strict=True)])


def _sweep(
    roots: list[AnyNode], seeds: list[Any], wrt: list[AnyNode] | None, create_graph: bool, retain: bool
) -> dict[AnyNode, Any]:
    with np.errstate(all="ignore"):
        if not create_graph:
            return sweep(roots, [canonical(s._value) for s in seeds], wrt=wrt, retain=retain)
        with modes.enable_grad():
            return sweep(roots, seeds, wrt=wrt, handle=handle, retain=retain)


def _roots(tensors: Sequence[Any], gradients: Sequence[Any]) -> tuple[list[AnyNode], list[Any]]:
    """Check outputs and their cotangents, and fill in ones for scalars."""
    if len(tensors) != len(gradients):
        raise GraphError(f"got {len(tensors)} tensors and {len(gradients)} gradients. Pass one gradient per tensor.")
    roots, seeds = [], []
    for k, (t, g) in enumerate(zip(tensors, gradients, strict=True)):
        if not isinstance(t, TensorBase):
            raise ArgumentTypeError(f"expected a Tensor to differentiate, got {type(t).__name__}. Return a tensor.")
        if t._node is None or t._node.level != GRAD:
            raise GraphError(NO_GRAD.replace("0", str(k), 1) + ". " + _why(t))
        roots.append(t._node)
        seeds.append(_seed(t, g, k))
    return roots, seeds


def _check_outside(t: Any) -> None:
    """Refuse a backward of a tensor without a value, or in a function that a transform differentiates."""
    if t._value is None and not is_traced_for_calls():
        raise ValueNeeded(
            "backward needs values, and this tensor is a symbol. Use sg.derive for its formula, or mode='symbolic'."
        )
    if t._node is not None and modes.transformed() and reaches(t._node, modes.variables() or ()):
        raise GraphError(
            "backward() was called in a function that a transform such as sg.grad differentiates, to which the .grad "
            "that it leaves is a constant. Use sg.grad or sg.autograd.grad there, or call backward() outside."
        )


def _why(t: Any) -> str:
    if t._value is None:
        return (
            "Make an input with requires_grad=True, or by sg.grad(f)(x) in functions that sg.vmap or sg.compile trace."
        )
    if t._value is not None and not is_differentiable(np.asarray(t._value).dtype):
        return f"Its dtype is {np.asarray(t._value).dtype}; only floating-point results carry gradients."
    return "Make an input with requires_grad=True, and compute outside no_grad()."


def _seed(t: Any, g: Any, k: int) -> Any:
    if g is None:
        if type(t._value) is float:
            return handle(None, 1.0)
        if is_complex(t.dtype):
            raise GraphError(
                "grad can be implicitly created only for real scalar outputs but got "
                f"{t.dtype}. Take a real number of it, as abs(z)**2 or z.real; or pass gradient=."
            )
        if t.numel() != 1:
            raise GraphError(
                "grad can be implicitly created only for scalar outputs. "
                f"Got shape {show_shape(t.shape)}; pass gradient=, a tensor of that shape."
            )
        return handle(None, canonical(np.ones(t.shape, t.dtype)))
    if not isinstance(g, TensorBase):
        kind = type(g[0] if isinstance(g, (list, tuple)) and g else g).__name__
        kind = str(g.dtype) if isinstance(g, np.ndarray) else kind
        raise ArgumentTypeError(f"gradients can be either Tensors or None, but got {kind}. Use sg.tensor(…).")
    if shape(g) != t.shape:
        raise ShapeError(
            f"Mismatch in shape: grad_output[{k}] has a shape of torch.Size({show_shape(shape(g))}) and "
            f"output[{k}] has a shape of torch.Size({show_shape(t.shape)}). They must be the same."
        )
    return g


def _wanted(t: Any, i: int) -> AnyNode:
    if not isinstance(t, TensorBase):
        raise ArgumentTypeError(f"inputs must be Tensors, got {type(t).__name__} at index {i}.")
    if t._node is None or t._node.level != GRAD:
        raise GraphError(
            f"One of the differentiated Tensors does not require grad. It is the one at index {i}. {_why(t)}"
        )
    node: AnyNode = t._node
    return node


def _as_gradient(g: Any, value: Any) -> Any:
    """Return a cotangent as a tensor of its own, of the dtype of the value it belongs to."""
    if g is None:
        return handle(None, 0.0 if type(value) is float else np.zeros_like(value))
    if isinstance(g, TensorBase):
        wanted = value.dtype if type(value) is np.ndarray else _FLOAT64
        fits = g._value is None or getattr(g._value, "dtype", _FLOAT64) == wanted
        return handle(g._node, g._value) if fits else Cast(wanted)(g)
    if type(value) is np.ndarray:
        fits = type(g) is np.ndarray and g.dtype is value.dtype
        return handle(None, g if fits else canonical(np.asarray(g, value.dtype)))
    return handle(None, float(g))


def _deposit(node: AnyNode, g: Any) -> None:
    """Accumulate a cotangent into a node's ``.grad``, between the hooks of a leaf."""
    cell = node.cell
    if cell is None:
        return
    hooks = cell.hooks
    if hooks is None:
        _accumulate(node, cell, g)
        return
    with modes.set_grad_enabled(isinstance(g, TensorBase)):
        g = g if g is None else hooks.on_entry(g)
        _accumulate(node, cell, g)
        if g is not None:
            hooks.on_exit(g, [])
        hooks.on_accumulated(lambda: handle(node, node.value))


def _accumulate(node: AnyNode, cell: Cell, g: Any) -> None:
    value = node.value
    if type(g) is np.ndarray and (type(value) is np.ndarray and g.dtype is value.dtype):
        new = handle(None, g)
    else:
        if value is None:
            value = np.zeros(node.shape if g is None else (), dtype_of(node))
        new = _as_gradient(g, value)
    changing_gradient(cell)
    with cell.lock:
        old = cell.grad
        if old is None:
            cell.grad = new
        elif isinstance(g, TensorBase) or old._value is None:
            cell.grad = old + new
        else:
            total = old._value + new._value
            cell.grad = handle(None, total if type(total) is np.ndarray else canonical(total))


def warn_of_cycle() -> None:
    """Warn as PyTorch does: a leaf holds its gradient, whose graph holds the leaf."""
    warn(_CYCLE)


def run(t: Any, gradient: Any, retain_graph: bool | None, create_graph: bool, inputs: Any, mode: str) -> None:
    """Fill ``.grad`` of the leaves, as ``Tensor.backward`` does."""
    if gradient is None and inputs is None and not create_graph and type(t._value) is float and mode == "numeric":
        _of_scalar(t, bool(retain_graph))
        return
    if not isinstance(mode, str) or mode not in MODES:
        raise ArgumentError(f"backward: mode={mode!r} is unknown. Expected one of {sorted(MODES)}.")
    if create_graph and mode == "numeric":
        warn_of_cycle()
    if inputs is not None and isinstance(inputs, TensorBase):
        inputs = [inputs]
    MODES[mode](t, gradient, retain_graph, create_graph, inputs)


def _of_scalar(t: Any, retain: bool) -> None:
    """Run the commonest backward, of a loss, without ceremony."""
    node = t._node
    if node is None or node.level != GRAD:
        raise GraphError(f"{NO_GRAD}. {_why(t)}")
    _check_outside(t)
    with np.errstate(all="ignore"):
        cotangents = sweep((node,), (1.0,), retain=retain)
    for leaf, g in cotangents.items():
        _deposit(leaf, g)


def _numeric(t: Any, gradient: Any, retain_graph: bool | None, create_graph: bool, inputs: Any) -> None:
    backward([t], [gradient], retain_graph=retain_graph, create_graph=create_graph, inputs=inputs)


def _symbolic(*args: Any) -> None:
    UPCALLS["backward_symbolic"](*args)


# what Tensor.backward(mode=…) runs
MODES: dict[str, Callable[..., None]] = {"numeric": _numeric, "symbolic": _symbolic}
