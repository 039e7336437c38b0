"""vmap: trace the function on one slice without values, then run every operation on the whole batch.

Elementwise operations, contractions and shape operations batch by rule; any other runs slice by slice and is
stacked. Imports creation and below.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from functools import singledispatch
from typing import Any

from symgrad.errors import ArgumentError, ArgumentTypeError, ShapeError
from symgrad.node import AnyNode, Leaf, ancestors, is_node
from symgrad.ops.contract import LETTERS, Einsum, permute, sum_axes
from symgrad.ops.convert import Cast, Detach
from symgrad.ops.extremes import Arg, First, Ties
from symgrad.ops.frozen import replace
from symgrad.ops.join import Cat, Stack, stack
from symgrad.ops.keys import ALL
from symgrad.ops.likelihood import Likelihood
from symgrad.ops.logic import Bits
from symgrad.ops.map import DIV, Map
from symgrad.ops.matrices import DiagEmbed, Diagonal, Tril
from symgrad.ops.norms import Norm
from symgrad.ops.parts import Part
from symgrad.ops.protocol import Op, shape
from symgrad.ops.reduction import Reduction
from symgrad.ops.scan import AlongAxis
from symgrad.ops.scatter import Scatter
from symgrad.ops.shape import Expand, Flip, Reshape, total
from symgrad.ops.softmax import LogSoftmax, Softmax
from symgrad.ops.total import MapTotal
from symgrad.record import Core, as_tensor
from symgrad.tracing import Trace

__all__ = ["vmap"]

_LOOKS = "vmap: the function looks at a value, but is traced once without values, for all slices."


def vmap(
    fn: Callable[..., Any], in_axes: Any = 0, out_axes: int = 0, *, in_dims: Any = None, out_dims: int | None = None
) -> Callable[..., Any]:
    """Return the function that applies fn to every slice of its arguments: y[b] = f(x[b]).

    Args:
        fn: function of positional tensors returning a tensor or a tuple of them. It is traced once without
            values, so it cannot branch on them; use ``sg.where``.
        in_axes, in_dims: the axis to map over, or a tuple with one per argument; None for arguments that are not
            mapped.
        out_axes, out_dims: where the batch axis goes in the results.

    Returns:
        A function of the batched arguments.

    Raises:
        ShapeError: the mapped axes differ in size.

    >>> sg.vmap(lambda a, b: a @ b)(sg.ones(4, 3), sg.ones(4, 3))
    tensor([3., 3., 3., 3.])
    """
    in_axes = in_axes if in_dims is None else in_dims
    out_axes = out_axes if out_dims is None else out_dims

    @functools.wraps(fn)
    def call(*args: Any) -> Any:
        axes = tuple(in_axes) if isinstance(in_axes, (tuple, list)) else (in_axes,) * len(args)
        if len(axes) != len(args):
            raise ArgumentError(
                f"vmap: in_axes has {len(axes)} entries for {len(args)} arguments. Give one per argument."
            )
        xs = [as_tensor(a) if axis is not None else a for a, axis in zip(args, axes, strict=True)]
        size = _batch_size(xs, axes)
        batched = [_front(x, a) if a is not None else x for x, a in zip(xs, axes, strict=True)]
        mapped = [x for x, a in zip(batched, axes, strict=True) if a is not None]
        trace = Trace()
        slices = trace.variables([(x.shape[1:], x.dtype) for x in mapped])
        env = {id(s._node): x for s, x in zip(slices, mapped, strict=True)}
        rest = iter(slices)
        given = [x if a is None else next(rest) for x, a in zip(batched, axes, strict=True)]
        result = trace.run(fn, given, _LOOKS)
        if isinstance(result, (tuple, list)):
            return type(result)(_finish(y, env, trace, size, out_axes) for y in result)
        return _finish(result, env, trace, size, out_axes)

    return call


def _batch_size(xs: Sequence[Any], axes: Sequence[Any]) -> int:
    sizes = set()
    for x, axis in zip(xs, axes, strict=True):
        if axis is None:
            continue
        if not -len(x.shape) <= axis < len(x.shape):
            raise ShapeError(
                f"vmap: got in_axes {axis} for a tensor of shape {list(x.shape)}. Expected an axis it has."
            )
        sizes.add(x.shape[axis])
    if len(sizes) != 1:
        raise ShapeError(
            f"vmap: the mapped axes must have one common size, got {sorted(sizes)}. Map at least one argument."
        )
    return int(sizes.pop())


def _front(x: Any, axis: int) -> Any:
    order = list(range(len(x.shape)))
    order.insert(0, order.pop(axis))
    return x if order == sorted(order) else permute(x, order)


def _finish(y: Any, env: dict[int, Any], trace: Trace, size: int, out_axis: int) -> Any:
    """Compute one result for the whole batch and put the batch axis where it was asked for."""
    if not isinstance(y, Core):
        raise ArgumentTypeError(f"vmap: expected the function to return tensors, got {type(y).__name__}.")
    found = _run(y, env, trace, size)
    if not -len(found.shape) <= out_axis < len(found.shape):
        raise ShapeError(f"vmap: got out_axes {out_axis} for a result of shape {list(found.shape)}.")
    if out_axis == 0:
        return found
    order = list(range(1, len(found.shape)))
    order.insert(out_axis % len(found.shape), 0)
    return permute(found, order)


def _run(y: Any, env: dict[int, Any], trace: Trace, size: int) -> Any:
    root = y._node
    depends = _dependents(root, env)
    if root is None or id(root) not in depends:  # the same for all slices
        y = y if y._value is not None else trace.outside(root)
        return Expand((size, *y.shape))(Reshape((1, *y.shape))(y))
    done: dict[int, Any] = dict(env)
    for node in ancestors([root], {i for i in done}):
        if id(node) in done or id(node) not in depends or isinstance(node, Leaf):
            continue
        flags = [is_node(p) and id(p) in depends for p in node.inputs]
        xs = [done[id(p)] if f else trace.outside(p) for p, f in zip(node.inputs, flags, strict=True)]
        done[id(node)] = batch(node.op, size, xs, flags)
    return done[id(root)]


def _dependents(root: AnyNode | None, env: dict[int, Any]) -> set[int]:
    found = set(env)
    for node in [] if root is None else ancestors([root], found):
        if any(is_node(p) and id(p) in found for p in node.inputs):
            found.add(id(node))
    return found


# ------------------------------------------------------------------ one operation on the whole batch
@singledispatch
def batch(op: Op, size: int, xs: Sequence[Any], flags: Sequence[bool]) -> Any:
    """Apply op to every slice; ``flags`` says which inputs carry the batch in front. Here: one by one."""
    return _one_by_one(op, size, xs, flags)


def _one_by_one(op: Op, size: int, xs: Sequence[Any], flags: Sequence[bool]) -> Any:
    rows = [op(*[x[b] if f else x for x, f in zip(xs, flags, strict=True)]) for b in range(size)]
    return stack([as_tensor(r) for r in rows], 0)


@batch.register(Map)
@batch.register(Bits)
def _(op: Op, size: int, xs: Sequence[Any], flags: Sequence[bool]) -> Any:
    rank = max(len(shape(x)) - f for x, f in zip(xs, flags, strict=True))
    return op(*[_padded(x, rank) if f else x for x, f in zip(xs, flags, strict=True)])


def _padded(x: Any, rank: int) -> Any:
    size, *rest = shape(x)
    missing = rank - len(rest)
    return Reshape((size, *(1,) * missing, *rest))(x) if missing else x


@batch.register
def _(op: Einsum, size: int, xs: Sequence[Any], flags: Sequence[bool]) -> Any:
    letter = next(c for c in LETTERS if c not in op.spec)
    terms = [letter + t if f else t for t, f in zip(op.terms, flags, strict=True)]
    return Einsum.of(f"{','.join(terms)}->{letter}{op.output}")(*xs)


@batch.register
def _(op: Reshape, size: int, xs: Sequence[Any], flags: Sequence[bool]) -> Any:
    return Reshape((size, *op.to))(xs[0])


@batch.register
def _(op: Expand, size: int, xs: Sequence[Any], flags: Sequence[bool]) -> Any:
    return Expand((size, *op.to))(_padded(xs[0], len(op.to)))


@batch.register
def _(op: Flip, size: int, xs: Sequence[Any], flags: Sequence[bool]) -> Any:
    return Flip(tuple(a + 1 for a in op.axes))(xs[0])


@batch.register(Cast)
@batch.register(Detach)
def _(op: Op, size: int, xs: Sequence[Any], flags: Sequence[bool]) -> Any:
    return op(xs[0])


@batch.register
def _(op: MapTotal, size: int, xs: Sequence[Any], flags: Sequence[bool]) -> Any:
    terms = batch(op.map, size, xs, flags)
    sizes = shape(terms)
    added = sum_axes(terms, range(1, len(sizes)))
    return DIV(added, total(sizes[1:])) if op.mean else added


@batch.register
def _(op: Part, size: int, xs: Sequence[Any], flags: Sequence[bool]) -> Any:
    return _behind(op)(xs[0])


@batch.register
def _(op: Scatter, size: int, xs: Sequence[Any], flags: Sequence[bool]) -> Any:
    if not isinstance(op.where, Part):
        return _one_by_one(op, size, xs, flags)
    return Scatter(_behind(op.where), (size, *op.to))(xs[0])


def _behind(part: Part) -> Part:
    """The same part of every slice."""
    return Part((ALL, *part.items), part.name)


@batch.register(Cat)
@batch.register(Stack)
@batch.register(Likelihood)
@batch.register(Arg)
@batch.register(First)
@batch.register(AlongAxis)
def _(op: Any, size: int, xs: Sequence[Any], flags: Sequence[bool]) -> Any:
    """Operations along one axis: it is one further on."""
    return replace(op, axis=op.axis + 1)(*_each_batched(size, xs, flags))


@batch.register(Reduction)
@batch.register(Softmax)
@batch.register(LogSoftmax)
@batch.register(Ties)
@batch.register(Norm)
def _(op: Any, size: int, xs: Sequence[Any], flags: Sequence[bool]) -> Any:
    """Operations along several axes."""
    return replace(op, axes=tuple(a + 1 for a in op.axes))(*_each_batched(size, xs, flags))


@batch.register(Diagonal)
@batch.register(DiagEmbed)
@batch.register(Tril)
def _(op: Any, size: int, xs: Sequence[Any], flags: Sequence[bool]) -> Any:
    """Operations on the last two axes."""
    return op(xs[0])


def _each_batched(size: int, xs: Sequence[Any], flags: Sequence[bool]) -> list[Any]:
    """Repeat the inputs that are the same for all slices."""
    return [x if f else Expand((size, *shape(x)))(Reshape((1, *shape(x)))(x)) for x, f in zip(xs, flags, strict=True)]
