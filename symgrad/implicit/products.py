"""Products of a derivative with many vectors at once, made beside the function in the graph of one trace.

No part of the function is recorded again: what depends on a vector gets an axis of rows in front, all else stays.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from symgrad.core.node import CONSTANT, AnyNode, Leaf, ancestors, is_node, tensor_node
from symgrad.engine.dtypes import dtype_of
from symgrad.engine.record import handle, input_of
from symgrad.engine.sweep import pushed, sweep, tangent_of
from symgrad.ops.map import Map
from symgrad.ops.protocol import shape
from symgrad.ops.shape import Expand, padded
from symgrad.transforms.batching import batch
from symgrad.transforms.tracing import leaf_of


def pulled(ys: Sequence[Any], cotangents: Sequence[Any], x: Any) -> Any:
    """Return Σ (∂yᵢ/∂x)ᵀ ȳᵢ; None where it is zero."""
    at = tensor_node(x)
    return sweep([input_of(y) for y in ys], cotangents, wrt=[at], handle=handle, symbolic=True).get(at)


def pulled_rows(y: Any, x: Any, rows: Any) -> Any:
    """Return (∂y/∂x)ᵀ u for each row u."""
    blank = _blank(input_of(y))
    product = pulled([y], [handle(blank, None)], x)
    return Expand((shape(rows)[0], *shape(x)))(0.0) if product is None else _of_rows(product, {blank: rows})


def pushed_rows(y: Any, x: Any, rows: Any) -> Any:
    """Return ∂y/∂x v for each row v."""
    size = shape(rows)[0]

    def rule(node: Any, ts: list[Any]) -> Any:
        t = _of_entries(node, ts) if isinstance(node.op, Map) else _of_one(node, ts)
        return t if t is None or shape(t) == (size, *node.shape) else Expand((size, *node.shape))(t)

    (product,) = pushed([input_of(y)], {tensor_node(x): rows}, rule)
    return Expand((size, *shape(y)))(0.0) if product is None else product


def _of_entries(node: Any, ts: Sequence[Any]) -> Any:
    """Return the rows of tangents of an elementwise operation, whose rule broadcasts."""
    rank = len(node.shape)
    return node.op.jvp([t if t is None else padded(t, rank) for t in ts], handle(node, None), *_inputs(node))


def _of_one(node: Any, ts: Sequence[Any]) -> Any:
    """Return the rows of tangents of any other operation: its rule runs once, and what it made gets the rows."""
    blanks = [None if t is None else _blank(p) for p, t in zip(node.inputs, ts, strict=True)]
    single = tangent_of(node, [None if b is None else handle(b, None) for b in blanks], handle, True, True)
    rows: dict[AnyNode, Any] = {b: t for b, t in zip(blanks, ts, strict=True) if b is not None}
    return None if single is None else _of_rows(single, rows, {id(p) for p in (node, *node.inputs)})


def _of_rows(t: Any, rows: dict[AnyNode, Any], stop: frozenset[int] | set[int] = frozenset()) -> Any:
    """Return a tensor for all rows of some leaves; what does not depend on the leaves stays as it is."""
    size, moved, root = shape(next(iter(rows.values())))[0], dict(rows), input_of(t)
    node: Any
    for node in ancestors([root], stop):
        flags = [is_node(p) and p in moved for p in node.inputs]
        if any(flags):
            inputs = zip(node.inputs, _inputs(node), flags, strict=True)
            xs = [moved[p] if moves else x for p, x, moves in inputs]
            moved[node] = batch(node.op, size, xs, flags)
    return moved[root] if root in moved else Expand((size, *shape(t)))(t)


def _blank(node: AnyNode) -> Leaf:
    return leaf_of(node.shape, dtype_of(node))


def _inputs(node: Any) -> list[Any]:
    """Return the inputs of a node as its operation takes them; constants have their values."""
    return [handle(p, p.value if p.level == CONSTANT else None) if is_node(p) else p for p in node.inputs]
