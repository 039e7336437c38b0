"""Which dtype the result of an operation has while there is no value yet.

The operation answers (``Op.dtype``); a node's dtype is requested when it is first needed, and kept on the node.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from symgrad.core.modes import complexes, get_default_dtype
from symgrad.core.node import AnyNode, Leaf, is_node
from symgrad.core.promotion import FLOAT64, is_complex, kind_of, kind_of_number


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
    dtype: np.dtype[Any] = root.dtype
    return dtype


def _of_leaf(leaf: Leaf) -> np.dtype[Any]:
    if leaf.value is None:
        return get_default_dtype()
    return np.dtype(getattr(leaf.value, "dtype", FLOAT64))


def _of_result(node: Any) -> np.dtype[Any]:
    kinds = [kind_of(p.shape, p.dtype) if is_node(p) else kind_of_number(p) for p in node.inputs]
    dtype: np.dtype[Any] = node.op.dtype(*kinds)
    return dtype


def is_imaginary(node: AnyNode) -> bool:
    """Whether a node is of complex numbers."""
    return complexes.met and is_complex(dtype_of(node))
