"""Which nodes a derivative reaches: not those that stand behind ``detach()`` or ``no_grad`` only."""

from __future__ import annotations

from collections.abc import Sequence

from symgrad.core.node import AnyNode, Leaf, is_node
from symgrad.ops.convert import DETACH


def reachable(roots: Sequence[AnyNode]) -> set[AnyNode]:
    """Return the nodes that roots are made of, without crossing a ``detach()``. Not recursive."""
    seen: set[AnyNode] = set()
    stack = list(roots)
    while stack:
        node = stack.pop()
        if node in seen:
            continue
        seen.add(node)
        if not isinstance(node, Leaf) and node.op is not DETACH:
            stack.extend(p for p in node.inputs if is_node(p))
    return seen
