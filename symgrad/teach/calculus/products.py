"""Products of a few entries, written out as numbers that are multiplied, to which the product rule applies."""

from __future__ import annotations

from collections.abc import Mapping
from functools import reduce
from typing import Any

import numpy as np

from symgrad.core.modes import enable_grad
from symgrad.core.node import CONSTANT, AnyNode, Leaf, ancestors, is_node, tensor_node
from symgrad.engine.record import handle
from symgrad.ops.map import MUL, Map
from symgrad.ops.reductions.reduce import Prod
from symgrad.ops.shapes.join import Stack

MOST = 6  # entries of an array that are written out


def written_out(y: Any) -> Any:
    """Return a number whose products of a few entries are written out, as x₀·x₁·x₂; itself where it has none."""
    nodes = ancestors([tensor_node(y)])
    if y.shape or not any(isinstance(getattr(n, "op", None), Prod) for n in nodes):
        return y
    entries: dict[AnyNode, list[Any]] = {}
    with enable_grad():
        for node in nodes:
            numbers = _entries(node, entries)
            if numbers is None:
                return y
            entries[node] = numbers
    (number,) = entries[tensor_node(y)]
    return number


def _entries(node: AnyNode, entries: Mapping[AnyNode, list[Any]]) -> list[Any] | None:
    """Return the entries of a number or a short vector as numbers, None of all else."""
    if len(node.shape) > 1 or not all(isinstance(n, int) and 0 < n <= MOST for n in node.shape):
        return None
    if isinstance(node, Leaf):
        if not node.shape:
            return [handle(node, None)]
        vector = node.value if node.level == CONSTANT and node.title is None else handle(node, None)
        return [vector[i] for i in range(node.shape[0])]
    args = [entries[p] if is_node(p) else list(np.ravel(p)) for p in node.inputs]
    if isinstance(node.op, Map):
        return _of_map(node, args)
    if isinstance(node.op, Prod):
        return [reduce(MUL, args[0])]
    if not node.shape and all(isinstance(p, Leaf) for p in node.inputs):  # an entry
        return [handle(node, None)]
    return [x for a in args for x in a] if isinstance(node.op, Stack) else None


def _of_map(node: Any, args: list[list[Any]]) -> list[Any]:
    many = node.shape[0] if node.shape else 1
    return [node.op(*[a[i if len(a) > 1 else 0] for a in args]) for i in range(many)]
