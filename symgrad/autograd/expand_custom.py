"""Custom functions in a graph, opened for closed forms: what ``symbolic`` writes, or a function with a name."""

from __future__ import annotations

from typing import Any

from symgrad.autograd.context import Pick
from symgrad.autograd.function import Applied
from symgrad.autograd.opaque import Opaque, filled
from symgrad.core import modes
from symgrad.core.ended import check_lives
from symgrad.core.node import AnyNode, Leaf, ancestors, is_node, make_node
from symgrad.engine.record import handle
from symgrad.errors import ShapeError
from symgrad.ops.map import show_shape


def opened(root: AnyNode) -> dict[AnyNode, AnyNode]:
    """Return, for the nodes that change, what takes their place: custom functions, and all that was made of them."""
    check_lives(root)
    nodes = ancestors([root])
    if not any(type(getattr(n, "rule", None)) is Applied for n in nodes):
        return {}
    new: dict[AnyNode, AnyNode] = {}
    for node in nodes:
        if isinstance(node, Leaf):
            continue
        if isinstance(node.op, Pick):
            new[node] = _written(node.inputs[0], node.op.out, node.shape, new)
        elif type(node.rule) is Applied:
            if not node.rule.several:
                new[node] = _written(node, None, node.shape, new)
        elif any(is_node(p) and p in new for p in node.inputs):
            new[node] = _again(node, new)
    return new


def _again(node: Any, new: dict[AnyNode, AnyNode]) -> AnyNode:
    inputs = tuple([new.get(p, p) if is_node(p) else p for p in node.inputs])
    made = make_node(node.rule, inputs, node.saved, node.shape, node.level, node.fits)
    made.dtype, made.cell = node.dtype, node.cell
    return made


def _written(node: Any, out: int | None, shape: Any, new: dict[AnyNode, AnyNode]) -> AnyNode:
    """Return the node of an output, by the function's ``symbolic`` or as an opaque operation."""
    function, form = node.op.function, node.op.form
    xs = [handle(new.get(p, p), None) for p in node.inputs]
    with modes.enable_grad():
        if function.symbolic is None:
            op = Opaque(function, form, out)
            op._shapes[tuple(x.shape for x in xs)] = shape
            return op(*xs)._node  # type: ignore[no-any-return]
        y = function.symbolic(*filled(form, xs))
    y = y if out is None else y[out]
    if y.shape != shape:
        raise ShapeError(
            f"{function.__name__}.symbolic: the result has shape {show_shape(y.shape)}. Expected "
            f"{show_shape(shape)}, as forward's."
        )
    return y._node  # type: ignore[no-any-return]
