"""The formula of a graph as it stands in exported source, beside the operations."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any

import numpy as np

from symgrad.core.modes import enable_grad
from symgrad.core.node import CONSTANT, AnyNode, Leaf, ancestors, is_node
from symgrad.engine.record import handle, input_of
from symgrad.forms.closed import ClosedForm
from symgrad.forms.names import same_everywhere
from symgrad.forms.replay import replayed
from symgrad.ops.shape import Expand


def formula(
    root: AnyNode,
    bases: Sequence[Leaf] = (),
    new: Mapping[AnyNode, AnyNode] = MappingProxyType({}),
    sizes: Mapping[Any, Any] = MappingProxyType({}),
) -> ClosedForm:
    """Return the closed form of a node, in which constants that are one number everywhere are that number.

    ``new`` are leaves in place of others, and ``sizes`` what sizes are called in the source.
    """
    (root,) = replayed([root], new, sizes) if new else [root]
    with enable_grad():
        root = _with_numbers(root)
    return ClosedForm(root, [root], bases, check=False)


def _with_numbers(root: AnyNode) -> AnyNode:
    """Return the graph with constants that are one number everywhere written as that number."""
    env: dict[int, Any] = {}
    for node in ancestors([root]):
        if isinstance(node, Leaf):
            env[id(node)] = _number(node) if same_everywhere(node) and node.shape else handle(node, None)
        elif not node.inputs:  # such as an identity matrix, whose size may be a letter
            env[id(node)] = handle(node, None)
        else:
            env[id(node)] = node.op(*[env[id(p)] if is_node(p) else p for p in node.inputs])
    found: AnyNode = input_of(env[id(root)])
    return found


def _number(leaf: Leaf) -> Any:
    if leaf.level != CONSTANT or leaf.title is not None:
        return handle(leaf, leaf.value)
    return Expand(leaf.shape)(handle(Leaf(float(np.ravel(leaf.value)[0]), (), CONSTANT), None))
