"""What a compiled function does besides returning results: it draws random numbers, and changes captured tensors.

Kernels do neither. What is drawn, and what tensors hold before a call, are further arguments of the kernel; what they
hold after it are further results, which are written back.
"""

from __future__ import annotations

import gc
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from symgrad.compiler.arguments import as_input
from symgrad.core import trees
from symgrad.core.journal import ABSENT, Journal, changing, changing_gradient, changing_items, unchanged
from symgrad.core.kernels import canonical
from symgrad.core.modes import no_grad
from symgrad.core.node import GRAD, TRACED, AnyNode, Cell, Leaf, Node, is_node
from symgrad.core.promotion import is_differentiable
from symgrad.engine.dtypes import dtype_of
from symgrad.engine.generator import Reading, Tape, tape, taping
from symgrad.engine.record import TensorBase, handle
from symgrad.errors import GraphError
from symgrad.ops.convert import DETACH
from symgrad.ops.map import show_shape
from symgrad.tensors.inplace import rebind

_ONCE = "which would happen once, while it is traced, and not at every call."


def _is_tensor(x: Any) -> bool:
    return isinstance(x, TensorBase)


def cell_of(t: Any) -> Any:
    """Return where the gradient of a leaf accumulates."""
    if t._node is None or t._node.cell is None:
        return None if t._node is None or t._node.level != GRAD else _new_cell(t._node)
    return t._node.cell


def _new_cell(leaf: Any) -> Cell:
    leaf.cell = Cell()
    return leaf.cell  # type: ignore[no-any-return]


def _spec(t: Any) -> tuple[Any, Any]:
    return t.shape, t.dtype


class State:
    """A tensor from outside that the function changes in place."""

    def __init__(self, t: Any) -> None:
        self.tensor, self.specs, self.cell = t, [_spec(t)], cell_of(t)

    def tensors(self) -> list[Any]:
        """The tensor, as it is now."""
        return [self.tensor]

    def fits(self) -> bool:
        """Whether it is as it was while the function was traced."""
        return [_spec(self.tensor)] == self.specs

    def stand_for(self, ts: Sequence[Any]) -> None:
        """Let it stand for another tensor; a leaf that requires a gradient for one that does."""
        t, leaf = self.tensor, ts[0]._node
        if not (t.requires_grad and t.is_leaf and isinstance(leaf, Leaf) and leaf.level == TRACED):
            rebind(t, ts[0])
            return
        changing(t)
        leaf.level, leaf.cell = GRAD, self.cell
        t._value, t._node = None, leaf

    def write(self, ys: Sequence[Any]) -> None:
        """Let it hold another value."""
        with no_grad():
            rebind(self.tensor, handle(None, canonical(ys[0])))

    def after(self) -> list[Any]:
        """The tensor once the function has run."""
        if not self.fits():
            shape, dtype = self.specs[0]
            raise GraphError(
                f"compile: the function changes a captured tensor of shape {show_shape(shape)} and dtype {dtype} "
                f"to shape {show_shape(self.tensor.shape)} and dtype {self.tensor.dtype}. Keep both, or return the "
                "new tensor."
            )
        return [self.tensor]


class Gradient:
    """The ``.grad`` of a tensor that is changed as well; where it is dropped first, what it was is of no matter."""

    def __init__(self, cell: Cell, before: Any, dropped: bool) -> None:
        self.cell, self._dropped = cell, dropped
        self.specs = [] if dropped or before is None else [_spec(before)]

    def tensors(self) -> list[Any]:
        """The gradient that there is, where it matters."""
        return [] if self._dropped or self.cell.grad is None else [self.cell.grad]

    def fits(self) -> bool:
        """Whether there is one, as there was while the function was traced."""
        return list(map(_spec, self.tensors())) == self.specs

    def stand_for(self, ts: Sequence[Any]) -> None:
        """Let another tensor be the gradient."""
        changing_gradient(self.cell)
        self.cell.grad = ts[0] if ts else None

    def write(self, ys: Sequence[Any]) -> None:
        """Let it have another value."""
        self.cell.grad = handle(None, canonical(ys[0])) if ys else None

    def after(self) -> list[Any]:
        """The gradient once the function has run."""
        return [] if self.cell.grad is None else [self.cell.grad]


class Place:
    """An attribute of a module to which the function assigns tensors, or a structure of them."""

    def __init__(self, module: Any, registry: dict[str, Any], name: str, before: Any) -> None:
        self.module, self.registry, self.name = module, registry, name
        self._before = self._taken(before)
        self.specs = list(map(_spec, self._before[1]))
        self._tree: Any = None

    def _taken(self, value: Any) -> tuple[Any, list[Any]]:
        """The structure around tensors, and these; nothing is read of a value without any."""
        tensors: list[Any] = []
        tree = trees.flatten(value, _is_tensor, tensors)
        return (tree, tensors) if tensors else (None, [])

    def _now(self) -> tuple[Any, list[Any]]:
        return self._taken(self.registry.get(self.name))

    def tensors(self) -> list[Any]:
        """The tensors that it holds."""
        return self._now()[1]

    def fits(self) -> bool:
        """Whether it holds what it held while the function was traced."""
        tree, tensors = self._now()
        return tree == self._before[0] and list(map(_spec, tensors)) == self.specs

    def stand_for(self, ts: Sequence[Any]) -> None:
        """Hold other tensors."""
        if ts:
            changing_items(self.module)
            self.registry[self.name] = trees.unflatten(self._before[0], iter(ts))

    def write(self, ys: Sequence[Any]) -> None:
        """Hold other values."""
        changing_items(self.module)
        self.registry[self.name] = trees.unflatten(self._tree, iter([handle(None, canonical(y)) for y in ys]))

    def after(self) -> list[Any]:
        """The tensors once the function has run."""
        self._tree, tensors = self._now()
        return tensors


class Effects:
    """The states of a traced function, and its draws: the last arguments of its program, and the last results.

    Attributes:
        states: what it changes.
        draws: what it draws, in order.
        counts: how many results belong to each state.
        carries: whether a gradient would flow from what is written back to an argument.
    """

    def __init__(self, states: Sequence[Any] = (), draws: Sequence[Any] = ()) -> None:
        self.states, self.draws = list(states), list(draws)
        self.counts: list[int] = []
        self.carries = False

    def __bool__(self) -> bool:
        return bool(self.states or self.draws)

    @property
    def count(self) -> int:
        """The number of results that are written back."""
        return sum(self.counts)

    @contextmanager
    def standing(self, ts: Sequence[Any]) -> Iterator[None]:
        """Let these tensors stand inside for what states hold, and for what is drawn."""
        rest = iter(ts)
        with unchanged():
            self.stand(rest)
            with taping(Tape(list(rest))):
                yield

    def stand(self, ts: Iterator[Any]) -> None:
        """Let the states stand for tensors."""
        for state in self.states:
            state.stand_for([next(ts) for _ in state.specs])

    def after(self) -> list[Any]:
        """The tensors that states stand for once the function has run."""
        groups = [state.after() for state in self.states]
        self.counts = list(map(len, groups))
        return [t for ts in groups for t in ts]

    def fits(self) -> bool:
        """Whether the states are as they were while the function was traced."""
        return all(each.fits() for each in (*self.states, *[d for d in self.draws if isinstance(d, Reading)]))

    def traced(self) -> bool:
        """Whether the call is part of a function that is being traced."""
        return tape() is not None or any(t._value is None for s in self.states for t in s.tensors())

    def arguments(self) -> list[Any]:
        """The current values of states, and newly drawn random numbers."""
        held = [as_input(t._value) for state in self.states for t in state.tensors()]
        return held + [as_input(y) for draw in self.draws for y in draw.arrays()]

    def write(self, ys: Sequence[Any]) -> None:
        """Write back what the kernel returned."""
        rest = iter(ys)
        for state, count in zip(self.states, self.counts, strict=True):
            state.write([next(rest) for _ in range(count)])


# ------------------------------------------------------------------ what was changed
def changed(journal: Journal, known: Sequence[Any], who: str = "compile") -> list[Any]:
    """Return the states that a function changed, but those that are known.

    Raises:
        GraphError: if it changed state that no kernel can write back.
    """
    if known and _changed(journal, known, who):  # tensors in a reference cycle may be no more than garbage
        gc.collect()
    return _changed(journal, known, who)


def check_pure(who: str, journal: Journal) -> None:
    """Refuse a function that changes captured tensors, where there is a program alone.

    Raises:
        GraphError: if it does.
    """
    if changed(journal, (), who):
        raise GraphError(
            f"{who}: the function changes a captured tensor in place, which a program alone cannot. Call "
            "model.eval() where it is the running statistics of a module, or return the new tensor."
        )


def _changed(journal: Journal, known: Sequence[Any], who: str) -> list[Any]:
    # what a known place holds now is a known state, or was made by this run: it is written back with the place
    mine = {id(t) for s in known for t in s.tensors()} | {id(cell.grad) for cell, *_ in journal.gradients()}
    places = {(id(s.registry), s.name) for s in known if isinstance(s, Place)}
    handles = [(t, value, node) for t, value, node in journal.handles() if id(t) not in mine]
    states: list[Any] = [_state(t, value, node, who) for t, value, node in handles if _is_changed(t, value, node)]
    for module, registry, name, before in journal.items():
        if (id(registry), name) not in places:
            states += _place(module, registry, name, before, who)
    return states + _gradients(journal, known, states, who)


def _gradients(journal: Journal, known: Sequence[Any], states: Sequence[Any], who: str) -> list[Gradient]:
    """Return the gradients of tensors that are changed as well; those of others are refused, which are constants."""
    mine = {id(s.cell) for s in known if isinstance(s, Gradient)}
    cells = {id(s.cell) for s in (*known, *states) if isinstance(s, State)}
    written = [(cell, *rest) for cell, *rest in journal.gradients() if id(cell) not in mine]
    if not states and any(id(cell) not in cells and cell.grad is not before for cell, before, _ in written):
        raise GraphError(
            f"{who}: the function adds to the .grad of a tensor that requires grad, {_ONCE} Step an optimiser that has "
            "the tensor in the same function, call requires_grad_(False) where it stays, or differentiate by sg.grad, "
            "and return the gradient."
        )
    return [Gradient(*found) for found in written if id(found[0]) in cells]


def _level(node: Any) -> int:
    return 0 if node is None else node.level


def _is_changed(t: Any, value: Any, node: Any) -> bool:
    """Whether more than a place for a gradient was added."""
    moved = value is None and t._node is not node
    return moved or t._value is not value or _level(t._node) != _level(node)


def _state(t: Any, value: Any, node: Any, who: str) -> State:
    if t._value is value and value is not None:
        raise GraphError(
            f"{who}: the function changes requires_grad, or the name, of a captured tensor, {_ONCE} Do so before."
        )
    if isinstance(node, Node) and node.level == GRAD:
        raise GraphError(
            f"{who}: the function changes a captured tensor in place that is itself a result with a gradient. "
            "Change x.detach(), or return the new tensor."
        )
    now = t._value, t._node
    t._value, t._node = value, node
    try:
        return State(t)
    finally:
        t._value, t._node = now


def _place(module: Any, registry: dict[str, Any], name: str, before: Any, who: str) -> list[Place]:
    now = registry.get(name, ABSENT)
    tensors: list[Any] = []
    trees.flatten(now, _is_tensor, tensors)
    kind = type(module).__name__
    if not tensors or registry is module._parameters:
        if registry is module.__dict__ and _same(before, now):
            return []
        what = f"deletes .{name}" if now is ABSENT else f"sets .{name}"
        raise GraphError(
            f"{who}: the function {what} of a {kind}, {_ONCE} Do so outside of it, or keep "
            "what changes in a tensor of register_buffer()."
        )
    return [Place(module, registry, name, None if before is ABSENT else before)]


def _same(a: Any, b: Any) -> bool:
    return type(a) is type(b) and isinstance(a, (bool, int, float, str)) and a == b


def carries(roots: Sequence[Any], leaves: Sequence[Leaf]) -> bool:
    """Whether a gradient would flow from what is written back to an argument."""
    targets = {id(leaf) for leaf in leaves}
    ahead: list[AnyNode] = [node for node in roots if is_node(node) and is_differentiable(dtype_of(node))]
    seen: set[int] = set()
    while ahead:
        node = ahead.pop()
        if id(node) in targets:
            return True
        if id(node) not in seen and node.op is not DETACH:
            seen.add(id(node))
            ahead += [p for p in node.inputs if is_node(p)]
    return False
