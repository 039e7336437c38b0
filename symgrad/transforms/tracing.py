"""Running a function once on tensors without values, and finding again what it used from outside."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from symgrad.core import modes
from symgrad.core.node import TRACED, AnyNode, Leaf, is_node
from symgrad.engine.record import handle, noting
from symgrad.errors import ValueNeeded, uncovered

ADVICE = "Choose with sg.where(x > 0, a, b) instead of if, and leave float(), item() and numpy() to the result."


class Trace:
    """One run of a function: its variables, and the tensors that its operations were applied to."""

    def __init__(self) -> None:
        self.known: dict[int, Any] = {}
        self.start = 0

    def variables(self, specs: Sequence[tuple[Any, Any]]) -> list[Any]:
        """Return tensors of these shapes and dtypes, without values."""
        self.start = leaf_of((), None).index  # what is older comes from outside
        return [handle(leaf_of(shape, dtype), None) for shape, dtype in specs]

    def run(self, fn: Callable[..., Any], args: Sequence[Any], who: str) -> Any:
        """Call the function."""
        try:
            with uncovered(), noting() as seen, modes.enable_grad():
                result = fn(*args)
        except ValueNeeded as error:
            raise ValueNeeded(f"{who} {error} {ADVICE}") from error
        self.known = {key: t for key, t in seen.items() if t._value is not None or t._node.index < self.start}
        return result

    def outside(self, p: Any) -> Any:
        """Return the tensor, with its history, of a node that depends on no variable; a number stays."""
        if not is_node(p):
            return p
        known, ahead = self.known, [p]
        while ahead:
            node = ahead[-1]
            if id(node) not in known:
                missing = self._missing(node)
                if missing:
                    ahead.extend(missing)
                    continue
                known[id(node)] = self._again(node)
            ahead.pop()
        return known[id(p)]

    def _is_older(self, node: AnyNode) -> bool:
        return isinstance(node, Leaf) or node.index < self.start

    def _missing(self, node: AnyNode) -> list[AnyNode]:
        return [] if self._is_older(node) else [q for q in node.inputs if is_node(q) and id(q) not in self.known]

    def _again(self, node: Any) -> Any:
        """Return the tensor of a node; what was traced without a value is computed from what has one."""
        if self._is_older(node):
            return handle(node, node.value)
        return node.op(*[self.known[id(q)] if is_node(q) else q for q in node.inputs])


def leaf_of(shape: Any, dtype: Any) -> Leaf:
    """Return a variable of a traced function."""
    leaf = Leaf(None, shape, TRACED)
    leaf.dtype = dtype
    return leaf
