"""Which dtype the result of an operation has while there is no value yet. Imports ops and below.

A node's dtype is worked out when it is first asked for, and kept on the node.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from symgrad.modes import get_default_dtype
from symgrad.node import AnyNode, Leaf, is_node
from symgrad.ops.convert import Cast
from symgrad.ops.join import Stack
from symgrad.ops.logic import Bits
from symgrad.ops.map import Map
from symgrad.ops.shape import Eye
from symgrad.ops.total import MapTotal

_FLOAT64, _BOOL = np.dtype(np.float64), np.dtype(np.bool_)


def dtype_of(root: AnyNode) -> np.dtype[Any]:
    """Return the dtype of a node, working out those it depends on."""
    ahead: list[Any] = [root]
    if root.dtype is not None:
        ahead = []
    while ahead:
        node = ahead[-1]
        missing = [p for p in node.inputs if is_node(p) and p.dtype is None] if node.dtype is None else []
        if missing:
            ahead.extend(missing)
            continue
        if node.dtype is None:
            node.dtype = _of_leaf(node) if isinstance(node, Leaf) else _of_result(node)
        ahead.pop()
    found: np.dtype[Any] = root.dtype
    return found


def _of_leaf(leaf: Leaf) -> np.dtype[Any]:
    if leaf.value is None:
        return get_default_dtype()
    return np.dtype(getattr(leaf.value, "dtype", _FLOAT64))


def _of_result(node: Any) -> np.dtype[Any]:
    op = node.op
    if op.truth:
        return _BOOL
    if type(op) is Map and all(type(p) is float or getattr(p, "dtype", None) == _FLOAT64 for p in node.inputs):
        return _FLOAT64
    if isinstance(op, Cast):
        return op.dtype
    if op.own_dtype:
        first = node.inputs[0]
        return first.dtype if is_node(first) else np.result_type(first)
    if op.whole:
        return np.dtype(np.int64)
    if isinstance(op, Eye):
        return _FLOAT64 if op.dtype is None else np.dtype(op.dtype)
    if isinstance(op, Stack):  # where NumPy promotes numbers as well
        return np.result_type(*[p.dtype if is_node(p) else type(p) for p in node.inputs])
    # A Python float is a 0-d tensor too, and does not promote.
    inputs = [(p.dtype, p.shape) for p in node.inputs if is_node(p)]
    return result_dtype(op, [d for d, s in inputs if s != () or d != _FLOAT64], node.inputs)


def result_dtype(op: Any, dtypes: Sequence[Any], inputs: Sequence[Any]) -> np.dtype[Any]:
    """Return the dtype of op's result for inputs of these dtypes; numbers among the inputs are weak."""
    distinct = set(dtypes)
    if not distinct:
        return _FLOAT64
    if len(distinct) == 1 and next(iter(distinct)).kind == "f":
        return next(iter(distinct))
    if isinstance(op, (Map, MapTotal, Bits)):
        return _of_kernel(op, inputs)
    return np.result_type(*dtypes)


def _of_kernel(op: Any, inputs: Sequence[Any]) -> np.dtype[Any]:
    """Ask the kernel, with ones."""
    ones = []
    for p in inputs:
        strong = is_node(p) and (p.shape != () or p.dtype != _FLOAT64)
        ones.append(np.ones(1, p.dtype) if strong else 1.0 if is_node(p) else p)
    with np.errstate(all="ignore"):
        return np.asarray(op.forward(*ones)).dtype
