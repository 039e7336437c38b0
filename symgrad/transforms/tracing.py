"""Running a function once on tensors without values, and finding again what it used from outside."""

from __future__ import annotations

import gc
from collections.abc import Callable, Sequence
from typing import Any

from symgrad.core import modes
from symgrad.core.ended import end
from symgrad.core.journal import Journal
from symgrad.core.node import TRACED, AnyNode, Leaf, has_value, is_node, tensor_node, tensor_value
from symgrad.core.trees import flatten, unflatten
from symgrad.engine.program import Program, Recorder, Spec
from symgrad.engine.record import TensorBase, as_tensor, handle, input_of, noting
from symgrad.errors import GraphError, ValueNeeded, uncovered


class Trace:
    """One run of a function: its variables, and the tensors that its operations were applied to.

    At the end of a ``with`` block it is over, and what the function has kept of it cannot be used.
    """

    def __init__(self) -> None:
        self.known: dict[int, Any] = {}
        self.start = 0
        self.leaves: list[Leaf] = []
        self._run: tuple[str, Callable[..., Any]] | None = None

    def __enter__(self) -> Trace:
        return self

    def __exit__(self, *_: object) -> None:
        if self._run is not None:
            end(*self._run, self.leaves)

    def variables(self, specs: Sequence[tuple[Any, Any]]) -> list[Any]:
        """Return tensors of these shapes and dtypes, without values."""
        self.start = leaf_of((), None).index  # what is older comes from outside
        self.leaves += [leaf_of(shape, dtype) for shape, dtype in specs]
        return [handle(leaf, None) for leaf in self.leaves]

    def run(self, fn: Callable[..., Any], args: Sequence[Any], who: str, steps: bool = False) -> Any:
        """Call the function.

        Raises:
            GraphError: if it changes a captured tensor in place, by what has no value, or at all if it is run for
                many ``steps``.
        """
        self._run = who.partition(":")[0], fn
        try:
            with Journal(settles=True) as journal, uncovered(), noting() as seen, modes.enable_grad():
                result = fn(*args)
                if journal.changes:
                    result = _apart(result)
                    self._check_unchanged(journal, who, steps)
        except ValueNeeded as error:
            raise ValueNeeded(f"{who} {error}") from error
        self.known = {key: t for key, t in seen.items() if has_value(t) or tensor_node(t).index < self.start}
        return result

    def program(self, variables: Sequence[Any], roots: Sequence[Any]) -> tuple[Program, list[Any]]:
        """Return the program that computes the roots, and the captured tensors that it uses.

        The latter are its arguments after the variables.
        """
        closing = _Closing(variables, self)
        closing.program.outputs = [closing.root(t) for t in roots]
        return closing.program, list(closing.captured.values())

    def _check_unchanged(self, journal: Journal, who: str, steps: bool) -> None:
        """Refuse changes of what outlives the function; garbage is collected before one is told of."""
        if not self._changed(journal, steps):
            return
        gc.collect()
        what = self._changed(journal, steps)
        if what:
            raise GraphError(
                f"{who.partition(':')[0]}: {what} is not possible, since the function is traced once for all "
                f"{'steps' if steps else 'slices'}. Use out-of-place operators, and return the new tensor."
            )

    def _changed(self, journal: Journal, steps: bool) -> str:
        """Return what the function did to what outlives it; "" where it did nothing."""
        if any(self._is_changed(*entry, steps) for entry in journal.handles()):
            return "in-place arithmetic on a captured tensor"
        for module, registry, name, _ in journal.items():
            tensors: list[Any] = []
            flatten(registry.get(name), lambda x: isinstance(x, TensorBase), tensors)
            if any(not has_value(t) and tensor_node(t).index > self.start for t in tensors):
                return f"assigning to .{name} of a {type(module).__name__}"
        return ""

    def _is_changed(self, t: Any, value: Any, node: Any, steps: bool) -> bool:
        """Whether a captured tensor, which was there before the variables, is changed."""
        if value is None and node.index > self.start:
            return False
        return steps or (not has_value(t) and tensor_node(t) is not node and tensor_node(t).index > self.start)

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
        return as_tensor(node.op(*[self.known[id(q)] if is_node(q) else q for q in node.inputs]))


def _apart(result: Any) -> Any:
    """Return a result with handles of its own: those that are still held elsewhere are from outside."""
    tensors: list[Any] = []
    tree = flatten(result, lambda x: isinstance(x, TensorBase), tensors)
    return unflatten(tree, iter([handle(tensor_node(t), tensor_value(t)) for t in tensors]))


class _Closing(Recorder):
    """Writes the program between variables and roots; what comes from outside is an argument after the variables."""

    def __init__(self, variables: Sequence[Any], trace: Trace) -> None:
        super().__init__([])
        self.trace = trace
        self.captured: dict[int, Any] = {}  # by place
        self._alive: list[Any] = []  # what ids were taken of
        for t in variables:
            self.argument(tensor_node(t), spec_of(t))

    def root(self, t: Any) -> int:
        """Return the place of a result."""
        node = input_of(t)
        self._alive.append(node)
        for n in self._inside(node):
            if any(self.captured.get(self.places.get(id(p), -1)) is None and id(p) in self.places for p in n.inputs):
                self.places[id(n)] = self.step(n)
        place = self.places.get(id(node))
        return self._capture(node, t if has_value(t) else self.trace.outside(node)) if place is None else place

    def _inside(self, root: AnyNode) -> list[AnyNode]:
        """Return the nodes made since the variables, oldest first, that have no place yet."""
        seen: dict[int, AnyNode] = {}
        ahead = [root]
        while ahead:
            node = ahead.pop()
            if id(node) not in seen and id(node) not in self.places and node.index > self.trace.start:
                seen[id(node)] = node
                ahead.extend(p for p in node.inputs if is_node(p))
        return sorted(seen.values(), key=lambda n: n.index)

    def outside(self, node: AnyNode) -> int:
        """Return the place of what depends on no variable."""
        return self._capture(node, self.trace.outside(node))

    def _capture(self, node: AnyNode, t: Any) -> int:
        place = self.argument(node, spec_of(t))
        self.captured[place] = t
        return place


def spec_of(t: Any) -> Spec:
    """Return the shape and dtype of a tensor."""
    return Spec(t.shape, t.dtype)


def leaf_of(shape: Any, dtype: Any) -> Leaf:
    """Return a variable of a traced function."""
    leaf = Leaf(None, shape, TRACED)
    leaf.dtype = dtype
    return leaf
