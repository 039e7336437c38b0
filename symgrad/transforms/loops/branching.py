"""Loops and branches that depend on values, with JAX's names: cond, switch, while_loop, associative_scan.

Where the value is known, Python decides. While a function is traced it is not: then both branches are computed and
selected from, and a loop is one operation, which ends where its first carry says so.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from symgrad.core.node import has_value
from symgrad.core.promotion import is_bool, is_differentiable, is_floating
from symgrad.engine.record import TensorBase, as_tensor
from symgrad.errors import ArgumentError, ArgumentTypeError, GraphError, ShapeError
from symgrad.ops.convert import Cast
from symgrad.ops.elementwise.declared import where
from symgrad.ops.map import show_shape
from symgrad.ops.shape import Reshape, axis_of
from symgrad.ops.shapes.arrange import movedim
from symgrad.ops.shapes.join import cat, stack
from symgrad.support.arguments import checked
from symgrad.transforms.loops.scanning import scan_until
from symgrad.transforms.loops.trees import Tree, flatten, unflatten


def _selected(who: str, condition: Any, x: Any, z: Any) -> Any:
    """Return x where the condition holds and z elsewhere, of two structures that are the same."""
    xs: list[Any] = []
    zs: list[Any] = []
    tree, other = flatten(x, xs, f"{who}: the result"), flatten(z, zs, f"{who}: the result")
    if tree != other:
        raise ArgumentTypeError(f"{who}: the results are structured differently: {tree} and {other}. Return the same.")
    pairs = [(as_tensor(a), as_tensor(b)) for a, b in zip(xs, zs, strict=True)]
    for a, b in pairs:
        if a.shape != b.shape:
            raise ShapeError(
                f"{who}: the results have shapes {show_shape(a.shape)} and {show_shape(b.shape)}. Return one shape."
            )
    return unflatten(tree, iter([where(condition, a, b) for a, b in pairs]))


def _condition(who: str, pred: Any) -> Any:
    condition: Any = as_tensor(pred)
    if condition.shape != ():
        raise ShapeError(f"{who}: the condition has shape {show_shape(condition.shape)}. Expected one truth value.")
    return condition


@checked
def cond(pred: Any, true_fun: Callable[..., Any], false_fun: Callable[..., Any], *operands: Any) -> Any:
    """Return true_fun(*operands) if pred holds, and false_fun(*operands) otherwise, as ``jax.lax.cond`` does.

    Under ``sg.compile`` and ``sg.vmap``, where pred has no value, both are computed and one is selected, so both must
    return the same structure and shapes. The derivative of the other branch is multiplied by 0; it must be finite, so
    restrict its arguments, as in ``sg.sqrt(sg.where(pred, x, 1.0))``.

    Args:
        pred: one truth value, or a number.
        true_fun, false_fun: functions of the operands.
        operands: the arguments of both functions.

    Raises:
        ShapeError: if pred is not a single value, or the results have different shapes.
        ArgumentTypeError: if their structures differ.

    >>> f = lambda x: sg.cond(x > 0, sg.sin, lambda x: x**2, x)
    >>> sg.grad(f)(0.0), sg.compile(sg.grad(f))(-3.0)
    (0.0, -6.0)
    """
    condition = _condition("cond", pred)
    if has_value(condition):
        return (true_fun if condition else false_fun)(*operands)
    return _selected("cond", condition != 0, true_fun(*operands), false_fun(*operands))


@checked
def switch(index: Any, branches: Sequence[Callable[..., Any]], *operands: Any) -> Any:
    """Return branches[index](*operands), with the index clamped to the valid range. See ``sg.cond``.

    >>> sg.switch(1, [sg.sin, sg.exp], 0.0)
    tensor(1.)
    """
    if not branches:
        raise ArgumentError("switch: got no branches. Pass at least one function.")
    place = _condition("switch", index)
    if has_value(place):
        return branches[min(max(int(place), 0), len(branches) - 1)](*operands)
    result = branches[0](*operands)
    for k, branch in enumerate(branches[1:], 1):
        result = _selected("switch", place >= k, branch(*operands), result)
    return result


@checked
def while_loop(
    cond_fun: Callable[[Any], Any], body_fun: Callable[[Any], Any], init_val: Any, *, max_steps: int | None = None
) -> Any:
    """Return the first of c, f(c), f(f(c)), … for which cond_fun is false, like ``jax.lax.while_loop``.

    With values, steps are recorded as Python runs them, and all derivatives are available. Under ``sg.compile`` and
    ``sg.vmap``, the loop is one operation, which compiles to machine code, ends where the condition no longer holds,
    and has forward mode. With max_steps, it also has reverse mode, which stores the carries of that many steps.

    Args:
        cond_fun: function of the carry that returns one truth value.
        body_fun: function of the carry that returns the next one, of the same structure and shapes.
        init_val: the first carry: arrays in nested tuples, lists and dicts.
        max_steps: the maximum number of steps, which reverse mode needs under ``sg.compile`` and ``sg.vmap``.

    Returns:
        The last carry. Without values, the results of a loop that has not ended after max_steps are nan.

    Raises:
        GraphError: if a loop with values has not ended after max_steps.
        NotYet: if reverse mode is used without values and without max_steps.

    >>> root = lambda a: sg.while_loop(lambda x: abs(x * x - a) > 1e-12, lambda x: (x + a / x) / 2, a, max_steps=50)
    >>> round(sg.compile(sg.grad(root))(2.0), 6)
    0.353553
    """
    leaves: list[Any] = []
    tree = flatten(init_val, leaves, "while_loop: init_val")
    init = unflatten(tree, map(as_tensor, leaves))
    carry, steps = init, 0
    while has_value(going := _condition("while_loop", cond_fun(carry))):
        if not going:
            return carry
        if max_steps is not None and steps >= max_steps:
            raise GraphError(
                f"while_loop: the loop has not ended after max_steps={max_steps}. Pass a larger one, or check body_fun."
            )
        carry, steps = body_fun(carry), steps + 1
        if (returned := flatten(carry, [], "while_loop: the carry that body_fun returned")) != tree:
            raise ArgumentTypeError(
                f"while_loop: the carry changes its structure: it comes as {tree} and is returned as {returned}. "
                "Return a carry structured like init_val."
            )
    return _without_values(cond_fun, body_fun, init, tree, max_steps)


def _without_values(cond_fun: Any, body_fun: Any, init: Any, tree: Tree, max_steps: int | None) -> Any:
    """Run the loop as one operation; steps behind its end compute with the first carry, where the body has a value."""
    leaves: list[Any] = []
    flatten(init, leaves, "while_loop: init_val")
    floats = [t.dtype for t in leaves if is_floating(t.dtype)]
    flag = Cast(floats[0] if floats else np.dtype(np.int64))  # of a dtype that is carried anyway

    def going(carry: Any) -> Any:
        holds = _condition("while_loop", cond_fun(carry))
        return holds if is_bool(holds.dtype) else holds != 0

    def step(state: Any, _: Any) -> Any:
        goes = state[0] == 0
        following = body_fun(_selected("while_loop", goes, state[1], init))
        carry = _selected("while_loop", goes, following, state[1])
        return (flag(~(goes & going(carry))), carry), None

    (over, last), _ = scan_until(step, (flag(~going(init)), init), None, max_steps, 0, "while_loop")
    if max_steps is None:
        return last
    ends: list[Any] = []
    flatten(last, ends, "while_loop: the carry")
    marked = [where(over == 0, np.nan, t) if is_differentiable(t.dtype) else t for t in ends]
    return unflatten(tree, iter(marked))


def _slices(tensors: list[Any], axis: int) -> list[Any]:
    """Return tensors of one size along the axis, which comes first."""
    if not all(t.shape for t in tensors):
        raise ShapeError("associative_scan: elems contains a number. Expected tensors with an axis to scan.")
    xs = [movedim(t, axis_of(axis, len(t.shape)), 0) for t in tensors]
    if len({t.shape[0] for t in xs}) != 1:
        raise ShapeError(
            f"associative_scan: got sizes {[t.shape[0] for t in xs]} along axis {axis}. Expected one common size."
        )
    return xs


@checked
def associative_scan(fn: Callable[[Any, Any], Any], elems: Any, reverse: bool = False, axis: int = 0) -> Any:
    """Return the running combination x₀, x₀∘x₁, x₀∘x₁∘x₂, … of an associative operation, in log₂ n calls of it.
    The meaning is that of ``jax.lax.associative_scan``.

    Args:
        fn: an associative function that combines two structures like elems, entry by entry along the axis.
        elems: tensors of the same size along the axis, nested.
        reverse, axis: whether to combine from the last to the first, and along which axis.

    Raises:
        ShapeError: if the sizes along the axis differ.

    >>> sg.associative_scan(lambda a, b: a * b, sg.tensor([1.0, 2.0, 3.0, 4.0]))
    tensor([ 1.,  2.,  6., 24.])
    """
    leaves: list[Any] = []
    tree = flatten(elems, leaves, "associative_scan: elems")
    tensors = [as_tensor(t) for t in leaves]
    xs = _slices(tensors, axis)

    def combined(a: list[Any], b: list[Any]) -> list[Any]:
        a, b = (b, a) if reverse else (a, b)
        found: list[Any] = []
        flatten(fn(unflatten(tree, iter(a)), unflatten(tree, iter(b))), found, "associative_scan: the result")
        return [as_tensor(t) for t in found]

    xs = [t.flip(0) for t in xs] if reverse else xs
    ys = _running(combined, xs)
    ys = [t.flip(0) for t in ys] if reverse else ys
    return unflatten(tree, iter([movedim(t, 0, axis_of(axis, len(t.shape))) for t in ys]))


def _running(combined: Callable[[list[Any], list[Any]], list[Any]], xs: list[Any]) -> list[Any]:
    """Combine pairs, scan those, and fill in the entries between them. Source: Blelloch 1990, "Prefix sums"."""
    n = xs[0].shape[0]
    if n < 2:
        return xs
    odd = _running(combined, combined([t[0 : n - 1 : 2] for t in xs], [t[1::2] for t in xs]))
    first = [t[:1] for t in xs]
    if n > 2:
        rest = combined([t[: (n - 1) // 2] for t in odd], [t[2::2] for t in xs])
        even = [cat([a, b], 0) for a, b in zip(first, rest, strict=True)]
    else:
        even = first
    return [_interleaved(a, b) for a, b in zip(even, odd, strict=True)]


def _interleaved(even: Any, odd: Any) -> Any:
    k = odd.shape[0]
    pairs = Reshape((2 * k, *odd.shape[1:]))(stack([even[:k], odd], 1))
    return pairs if even.shape[0] == k else cat([pairs, even[k:]], 0)


@checked
def stop_gradient(x: Any) -> Any:
    """Return the same values without their history, as constants for derivatives. x may be a structure of arrays.

    >>> sg.grad(lambda x: x * sg.stop_gradient(x))(3.0)
    3.0
    """
    if isinstance(x, TensorBase):
        return x.detach()  # type: ignore[attr-defined]
    leaves: list[Any] = []
    tree = flatten(x, leaves, "stop_gradient: x")
    return unflatten(tree, iter([stop_gradient(t) if isinstance(t, TensorBase) else t for t in leaves]))
