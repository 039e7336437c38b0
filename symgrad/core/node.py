"""The graph: immutable nodes, leaves, and the walks over them.

A node never refers to a tensor, so a graph has no cycles and is freed by reference count. Every walk is
iterative: depth is limited by memory, not by Python's recursion limit.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Sequence
from operator import attrgetter
from typing import Any, Protocol

import sympy as sp

from symgrad.core.hooks import Hook, Hooks, RemovableHandle, hooks_on
from symgrad.support.forks import Lock

# What a node needs to be: an unnamed constant, part of a formula only, or on the way to a gradient.
CONSTANT, TRACED, GRAD = 0, 1, 2
_count = itertools.count(1).__next__
_LOCKS = tuple([Lock() for _ in range(16)])  # cells share them: a lock for each leaf would have to be found by a fork

Size = Any  # int or sympy.Expr
Shape = tuple[Size, ...]


class Cell:
    """Where a leaf's gradient accumulates. Shared by the leaf's successors when its value is rebound."""

    __slots__ = ("__weakref__", "grad", "grad_expr", "hooks")
    rebindable = False  # whether a statement in place may change a handle on the leaf: on a transform's own variable

    def __init__(self) -> None:
        self.grad: Any = None
        self.hooks: Hooks | None = None
        self.grad_expr: Any = None

    @property
    def lock(self) -> Any:
        """The lock to accumulate under."""
        return _LOCKS[id(self) >> 4 & 15]


class Rule(Protocol):
    """What a node needs of its operation; ``ops.protocol.Plan`` implements it."""

    op: Any
    name: str
    active: tuple[int, ...]


class Leaf:
    """A graph input: a parameter, named data, a symbol, or an unnamed constant."""

    __slots__ = ("assumptions", "cell", "dtype", "index", "level", "shape", "title", "trace", "value")
    trace: Any  # that it was a variable of, once that is over; else without a value
    inputs: tuple[Any, ...] = ()
    saved: tuple[Any, ...] = ()
    op = None

    def __init__(
        self, value: Any, shape: Shape, level: int, title: str | None = None, cell: Cell | None = None
    ) -> None:
        self.value, self.shape, self.level, self.title, self.cell = value, shape, level, title, cell
        self.index = _count()
        self.dtype: Any = None
        self.assumptions: frozenset[str] = frozenset()

    def __repr__(self) -> str:
        return f"<{self.kind} object at {hex(id(self))}>"

    def successor(self, value: Any, shape: Shape, level: int, title: str | None) -> Leaf:
        """Return the leaf that takes this one's place behind its handle, with the same gradient and assumptions."""
        if self.cell is None:
            self.cell = Cell()
        new = Leaf(value, shape, level, title, self.cell)
        new.assumptions = self.assumptions
        return new

    @property
    def kind(self) -> str:
        """The name that torch gives to the node of a leaf."""
        return "AccumulateGrad"

    @property
    def next_functions(self) -> tuple[Any, ...]:
        """A leaf has no inputs."""
        return ()

    def name(self) -> str:
        """Return the kind of node."""
        return self.kind

    @property
    def hooks(self) -> Hooks | None:
        """The hooks, which a leaf's successors share."""
        return None if self.cell is None else self.cell.hooks

    def _held(self) -> Hooks:
        if self.cell is None:
            self.cell = Cell()
        return hooks_on(self.cell)

    def register_prehook(self, hook: Hook) -> RemovableHandle:
        """Call ``hook((g,))`` before g is added to ``.grad``; a tuple that it returns takes its place."""
        return self._held().before.add(hook)

    def register_hook(self, hook: Hook) -> RemovableHandle:
        """Call ``hook((), (g,))`` once g was added to ``.grad``."""
        return self._held().behind.add(hook)


class Node:
    """An operation that was applied: its rule, its inputs, and the values its rule needs. Immutable but
    for ``saved``, which ``backward`` drops, ``cell``, which ``retain_grad`` sets, and hooks.
    """

    # ``hooks`` and ``origin`` stay without a value in all but a few nodes: setting them would cost every operation.
    __slots__ = (
        "__weakref__", "cell", "dtype", "fits", "hooks", "index", "inputs", "level", "origin", "rule", "saved", "shape"
    )  # fmt: skip
    value = None

    rule: Any
    inputs: tuple[Any, ...]
    saved: Any
    shape: Shape
    level: int
    fits: bool
    index: int
    cell: Cell | None
    hooks: Hooks
    origin: Any  # where it was made, noted in anomaly mode
    dtype: Any  # determined by dtypes.py on first use

    @property
    def op(self) -> Any:
        """The operation that made the node."""
        return self.rule.op

    @property
    def kind(self) -> str:
        """PyTorch's name of the backward function, such as ``AddBackward0``."""
        name = self.rule.name
        return name if name.endswith("Backward") else f"{name}Backward0"

    def name(self) -> str:
        """Return PyTorch's name of the backward function, such as ``AddBackward0``."""
        return self.kind

    @property
    def next_functions(self) -> tuple[tuple[Any, int], ...]:
        """The functions of the inputs, PyTorch's pairs ``(grad_fn or None, 0)``."""
        nodes = (n if isinstance(n, (Node, Leaf)) and n.level == GRAD else None for n in self.inputs)
        return tuple((n, 0) for n in nodes)

    def register_prehook(self, hook: Hook) -> RemovableHandle:
        """Call ``hook((g,))`` with the gradient of this function's result; a tuple that it returns takes its place."""
        return hooks_on(self).before.add(hook)

    def register_hook(self, hook: Hook) -> RemovableHandle:
        """Call ``hook(grad_inputs, grad_outputs)`` once the gradients of the inputs are known.

        ``grad_inputs`` has an entry for each of ``next_functions``; a tuple that the hook returns takes its place.
        """
        return hooks_on(self).behind.add(hook)

    def __repr__(self) -> str:
        return f"<{self.kind} object at {hex(id(self))}>"


_new = object.__new__


def make_node(rule: Any, inputs: tuple[Any, ...], saved: Any, shape: Shape, level: int, fits: bool) -> Node:
    """Return a node. A function, not ``__init__``: calling a class costs twice as much, once per operation."""
    node: Node = _new(Node)
    node.rule = rule
    node.inputs = inputs
    node.saved = saved
    node.shape = shape
    node.level = level
    node.fits = fits
    node.cell = None
    node.dtype = None
    node.index = _count()
    return node


AnyNode = Node | Leaf
_NODES = (Node, Leaf)
_INDEX = attrgetter("index")


def is_node(x: Any) -> bool:
    """Whether an entry of ``Node.inputs`` is a node rather than a plain number or size."""
    return isinstance(x, _NODES)


def is_outside(leaf: Leaf) -> bool:
    """Whether a leaf is an array that the function took from outside: it has numbers, and the user gave it no name."""
    return leaf.level == CONSTANT and leaf.title is None and leaf.value is not None


def ancestors(roots: Iterable[AnyNode], stop: frozenset[int] | set[int] = frozenset()) -> list[AnyNode]:
    """Return all nodes that the roots depend on, oldest first; do not look behind nodes whose id is in ``stop``."""
    seen: dict[int, AnyNode] = {}
    stack = list(roots)
    while stack:
        node = stack.pop()
        key = id(node)
        if key in seen:
            continue
        seen[key] = node
        if key in stop:
            continue
        for p in node.inputs:
            if isinstance(p, _NODES) and id(p) not in seen:
                stack.append(p)
    return sorted(seen.values(), key=_INDEX)


def reaches(root: AnyNode, targets: Sequence[AnyNode]) -> bool:
    """Whether a gradient flows from the root to one of the targets. Nodes older than all targets are skipped."""
    wanted, oldest = {id(t) for t in targets}, min((t.index for t in targets), default=0)
    seen: set[int] = set()
    stack = [root] if wanted else []
    while stack:
        node = stack.pop()
        if id(node) in wanted:
            return True
        if id(node) not in seen:
            seen.add(id(node))
            stack.extend(p for p in node.inputs if is_node(p) and p.level == GRAD and p.index >= oldest)
    return False


def evaluate(roots: Sequence[AnyNode], env: dict[int, Any] | None = None, *, keep: bool = False) -> list[Any]:
    """Compute the roots from the leaves' values by running every operation's forward, oldest first.

    Args:
        roots: nodes to compute.
        env: values by ``id(node)``, taking precedence over what a leaf holds; any values that the
            operations accept (ndarrays, object arrays of SymPy expressions, tensors).
        keep: return the whole environment's values for all nodes instead of the roots only.
    """
    values = dict(env or {})
    for node in ancestors(roots, set(values)):
        if id(node) in values:
            continue
        if isinstance(node, Leaf):
            values[id(node)] = node.value
        else:
            values[id(node)] = node.op(*[values[id(p)] if is_node(p) else p for p in node.inputs])
    return list(values.values()) if keep else [values[id(r)] for r in roots]


def size_symbol(name: str) -> sp.Symbol:
    """Return the symbol of a named size such as "n"."""
    return sp.Symbol(name, integer=True, positive=True)


# ------------------------------------------------------------------ what a tensor holds
tensor_node: Callable[[Any], Any] = attrgetter("_node")  # None if nothing was recorded of the tensor
tensor_value: Callable[[Any], Any] = attrgetter("_value")  # a number or an array; None if there is none


def has_value(t: Any) -> bool:
    """Whether a tensor has a value, which symbols and traced results lack."""
    return t._value is not None
