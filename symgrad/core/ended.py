"""Traces that are over. A tensor without a value stands in one run of a function, and means nothing beyond it.

The variables of a trace refer to it once it has ended. Only while some of them are held, is anything looked up.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable
from typing import Any
from weakref import ref

from symgrad.core.node import CONSTANT, AnyNode, Leaf, is_node
from symgrad.errors import GraphError


class Ended:
    """A trace that is over.

    Attributes:
        who: the transform that traced.
        function: the name of the function that was traced.
        first, last: its nodes are numbered from first to last.
    """

    __slots__ = ("__weakref__", "first", "function", "last", "who")

    def __init__(self, who: str, fn: Callable[..., Any], first: int) -> None:
        self.who, self.function, self.first = who, _name(fn), first
        self.last = Leaf(None, (), CONSTANT).index

    def reaches(self, node: AnyNode) -> bool:
        """Whether a node depends on a variable of the trace."""
        ahead, seen = [node], set[int]()
        while ahead:
            node = ahead.pop()
            if id(node) in seen or node.index < self.first:
                continue
            seen.add(id(node))
            if isinstance(node, Leaf) and getattr(node, "trace", None) is self:
                return True
            ahead += [p for p in node.inputs if is_node(p)]
        return False


ENDED: dict[int, ref[Ended]] = {}  # those whose variables somebody holds
_last = 0  # the number of the last node of all traces that are over


def end(who: str, fn: Callable[..., Any], variables: Iterable[Leaf]) -> None:
    """Note that the run of a function on these variables is over."""
    global _last
    leaves = list(variables)
    if not leaves:
        return
    trace = Ended(who, fn, min(leaf.index for leaf in leaves))
    for leaf in leaves:
        leaf.trace = trace
    key, _last = id(trace), max(_last, trace.last)
    ENDED[key] = ref(trace, lambda _: ENDED.pop(key, None))


def trace_of(node: AnyNode) -> Ended | None:
    """Return the trace that a node was part of, if that is over."""
    if node.index > _last:  # most are, of the trace that runs
        return None
    for held in list(ENDED.values()):
        trace = held()
        if trace is not None and trace.first <= node.index <= trace.last and trace.reaches(node):
            return trace
    return None


def check_lives(node: AnyNode) -> None:
    """Refuse a node of a trace that is over.

    Raises:
        GraphError: if its tensor is used after the function has returned.
    """
    trace = trace_of(node)
    if trace is not None:
        raise GraphError(
            f"{trace.who}: {trace.function} has kept this tensor in a variable, a container or an attribute. It was "
            f"traced without values, so the tensor has none afterwards. Return it from {trace.function} instead."
        )


def _name(fn: Any) -> str:
    """Return what messages call a function; one of symgrad's own stands for the user's."""
    while isinstance(fn, functools.partial):
        fn = fn.func
    name = str(getattr(fn, "__name__", type(fn).__name__))
    own = str(getattr(fn, "__module__", "")).startswith("symgrad.")
    return name if name.isidentifier() and not own else "the function"
