"""A graph made again, with other things in place of some of its leaves: numbers, arrays, sizes, other tensors."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any

import numpy as np
import sympy as sp

from symgrad.core.modes import enable_grad
from symgrad.core.node import CONSTANT, AnyNode, Leaf, ancestors, is_node, tensor_node, tensor_value
from symgrad.engine.record import handle
from symgrad.errors import ShapeError
from symgrad.ops.map import show_shape
from symgrad.ops.resize import solved, with_sizes
from symgrad.ops.value import to_value
from symgrad.tensors.tensor import Tensor

_NONE: Mapping[Any, int] = MappingProxyType({})


def replayed(
    roots: Sequence[AnyNode], given: Mapping[AnyNode, AnyNode], sizes: Mapping[Any, int] = _NONE
) -> list[AnyNode]:
    """Return the roots with these nodes in place of leaves, and numbers in place of sizes."""
    held = {node: node.value for node in given.values() if isinstance(node, Leaf) and isinstance(node.value, sp.Expr)}
    for leaf in held:
        leaf.value = None  # an operation on SymPy's numbers alone would compute, and not write them
    try:
        env: dict[int, Any] = {id(old): handle(new, None) for old, new in given.items()}
        with enable_grad():
            for node in ancestors(list(roots)):
                if id(node) not in env:
                    env[id(node)] = _again(node, env, sizes)
    finally:
        for leaf, value in held.items():
            leaf.value = value
    return [tensor_node(env[id(r)]) for r in roots]


def _again(node: AnyNode, env: Mapping[int, Any], sizes: Mapping[Any, int]) -> Any:
    if isinstance(node, Leaf):
        return handle(resized(node, sizes), None)
    args = [env[id(p)] if is_node(p) else _number(p, sizes) for p in node.inputs]
    return with_sizes(node.op, dict(sizes))(*args)


def resized(leaf: Leaf, sizes: Mapping[Any, int]) -> Leaf:
    """Return a leaf with numbers for sizes: itself where it has none of them."""
    shape = tuple(_number(n, sizes) for n in leaf.shape)
    value = _number(leaf.value, sizes)
    if shape == leaf.shape and value is leaf.value:
        return leaf
    return _marked(Leaf(value, shape, leaf.level, leaf.title), leaf)


def _marked(new: Leaf, old: Leaf) -> Leaf:
    new.assumptions = old.assumptions
    return new


def _number(x: Any, sizes: Mapping[Any, int]) -> Any:
    if not isinstance(x, sp.Expr) or not x.free_symbols & set(sizes):
        return x
    size = x.xreplace({s: sp.sympify(n) for s, n in sizes.items()})
    return int(size) if size.is_Integer else size


def substitutes(leaves: Mapping[str, Leaf], values: Mapping[str, Any], sizes: dict[Any, int]) -> dict[AnyNode, Any]:
    """Return the node that takes the place of each leaf. Adds to the sizes those that arrays tell.

    Raises:
        ShapeError: if the shape of an array differs from that of the leaf.
    """
    nodes = {name: _substitute(name, leaves[name], v) for name, v in values.items()}
    for name, node in nodes.items():
        want, have = leaves[name].shape, node.shape
        fits = all(n == m for n, m in zip(want, have) if isinstance(n, int) or not isinstance(m, int))
        if len(want) != len(have) or not fits:
            raise ShapeError(f"subs: {name!r} got shape {show_shape(have)}, expected {show_shape(want)}.")
    plain = [(leaves[k].shape, n.shape) for k, n in nodes.items() if all(isinstance(m, int) for m in n.shape)]
    sizes.update(solved([want for want, _ in plain], [have for _, have in plain], sizes))
    return {leaves[name]: node for name, node in nodes.items()}


def _substitute(name: str, leaf: Leaf, value: Any) -> AnyNode:
    """Return the node of a tensor, or a leaf of a value; an array of numbers keeps the leaf's name."""
    if isinstance(value, Tensor):
        node = tensor_node(value)
        return Leaf(tensor_value(value), value.shape, CONSTANT) if node is None else node
    if isinstance(value, sp.Expr):
        return Leaf(value, (), CONSTANT)
    array = to_value(value)
    shape = np.shape(array)
    return _marked(Leaf(array, shape, CONSTANT, leaf.title), leaf) if shape else Leaf(array, (), CONSTANT)
