"""What ``forward`` of a custom function leaves for its ``backward``."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from symgrad.core.node import CONSTANT, make_node
from symgrad.engine.record import TensorBase, handle
from symgrad.engine.saving import packed, unpacked
from symgrad.errors import ArgumentTypeError, NotYet
from symgrad.ops.protocol import Op


def is_tensor(x: Any) -> bool:
    """Whether x is a tensor."""
    return isinstance(x, TensorBase)


_INPUT, _OUTPUT, _OTHER = range(3)
DIRTY = (
    "Tensors are values, and a custom function does not change its inputs: work on x.clone(), and return the result."
)


class FunctionCtx:
    """The ``ctx`` of a custom function: saved values and requested gradients. Other attributes are the user's.

    Attributes:
        needs_input_grad: for each argument of ``apply``, whether a gradient flows to it.
    """

    def __init__(self, needs_input_grad: tuple[bool, ...] = ()) -> None:
        self.needs_input_grad = needs_input_grad
        self._saving: tuple[Any, ...] = ()
        self._for_forward: tuple[Any, ...] | None = None
        self._discrete: tuple[Any, ...] = ()
        self._materialize = True
        self._saved: tuple[list[Any], list[Any]] = ([], [])
        self._outputs: list[Any] = []  # the shape and dtype of each, None for what is not a tensor

    def save_for_backward(self, *tensors: Any) -> None:
        """Save tensors for ``saved_tensors``: inputs or outputs of ``forward``, or others; None is allowed."""
        self._saving = _checked("save_for_backward", tensors)

    def save_for_forward(self, *tensors: Any) -> None:
        """Save tensors for ``saved_tensors`` in ``jvp``."""
        self._for_forward = _checked("save_for_forward", tensors)

    def mark_non_differentiable(self, *outputs: Any) -> None:
        """Declare that no gradient flows to these outputs."""
        self._discrete = outputs

    def set_materialize_grads(self, value: bool) -> None:
        """Set whether ``backward`` receives zeros instead of None for outputs on which nothing depends."""
        self._materialize = bool(value)

    def mark_dirty(self, *tensors: Any) -> None:
        """Raise an error, because a tensor is a value, and a function cannot modify its arguments."""
        raise NotYet(f"mark_dirty: {DIRTY}")

    @property
    def saved_tensors(self) -> tuple[Any, ...]:
        """The tensors that were saved."""
        return _unpacked(self._saved[0], None, None)

    def _seal(self, inside: Sequence[Any], outputs: Sequence[Any]) -> None:
        """Replace inputs and outputs among what is saved by where they are, so that nothing refers to the node."""
        tensors = [a for a in inside if is_tensor(a)]
        forward = self._saving if self._for_forward is None else self._for_forward
        self._saved = tuple([_packed(t, tensors, outputs) for t in saved] for saved in (self._saving, forward))  # type: ignore[assignment]
        self._outputs = [(t.shape, t.dtype) if is_tensor(t) else None for t in outputs]
        self._saving, self._for_forward, self._discrete = (), None, ()

    def _bound(self, node: Any, output: Any, forward: bool = False) -> _Bound:
        """Return what a rule is given: the same attributes, and saved tensors with their history if there is a node."""
        bound = object.__new__(_Bound)
        bound.__dict__ = self.__dict__
        bound._tensors = _unpacked(self._saved[forward], node, output)
        return bound


class _Bound(FunctionCtx):
    """A context in one run of a rule. Its attributes are those of the context; several threads may have one each."""

    __slots__ = ("_tensors",)
    _tensors: tuple[Any, ...]

    @property
    def saved_tensors(self) -> tuple[Any, ...]:
        """The tensors that were saved."""
        return self._tensors


def _checked(name: str, tensors: tuple[Any, ...]) -> tuple[Any, ...]:
    for t in tensors:
        if t is not None and not is_tensor(t):
            raise ArgumentTypeError(
                f"{name} can only save variables, but argument {tensors.index(t)} is of type {type(t).__name__}. "
                "Keep anything else as an attribute, ctx.n = n."
            )
    return tensors


def _packed(t: Any, inputs: Sequence[Any], outputs: Sequence[Any]) -> Any:
    if t is None:
        return None
    for kind, tensors in ((_INPUT, inputs), (_OUTPUT, outputs)):
        for k, other in enumerate(tensors):
            if other is t:
                return kind, k, packed(t._value)
    return _OTHER, t._node, packed(t._value)


def _unpacked(saved: Sequence[Any], node: Any, output: Any) -> tuple[Any, ...]:
    """Return the saved tensors; with a node, inputs and outputs with their history. ``output(k)`` gives that of one."""
    tensors: list[Any] = []
    for entry in saved:
        if entry is None:
            tensors.append(None)
            continue
        kind, which, value = entry
        value = unpacked(value)
        if kind == _OTHER:
            tensors.append(handle(which, value))
        elif node is None:
            tensors.append(handle(None, value))
        else:
            tensors.append(handle(node.inputs[which] if kind == _INPUT else output(which), value))
    return tuple(tensors)


class Bundle:
    """The cotangents, or tangents, of a function's several outputs, by number."""

    __slots__ = ("parts",)
    shape: tuple[int, ...] = ()

    def __init__(self, parts: dict[int, Any]) -> None:
        self.parts = parts

    def __add__(self, other: Bundle) -> Bundle:
        parts = dict(self.parts)
        for k, g in other.parts.items():
            parts[k] = parts[k] + g if k in parts else g
        return Bundle(parts)


class Pick(Op):
    """One of several outputs, out of the node that stands for all of them."""

    saves = ""
    dense = "one of several results of a function that is not looked into"
    looped = "it stands in graphs only"
    not_exportable = "it stands in graphs only"
    explained = "one of several results: the others receive 0"

    def __init__(self, out: int) -> None:
        self.out = out

    def forward(self, x: Any) -> Any:
        """Return the output at the position that is picked."""
        return x[self.out]

    def out_shape(self, s: Any) -> Any:
        """Unknown here: the node has it."""
        raise NotImplementedError

    def vjp(self, i: int, g: Any, y: Any, x: Any) -> Any:
        # to be added to those of the other outputs
        return Bundle({self.out: g})

    def jvp(self, ts: Sequence[Any], y: Any, *xs: Any) -> Any:
        """The tangent of this output."""
        return ts[0].parts.get(self.out)


def picked(hub: Any, k: int, name: str, shape: Any, level: int) -> Any:
    """Return the node of output k."""
    plan = Pick(k).plan((0,), 1, name)
    return make_node(plan, (hub,), (None, None) if level > CONSTANT else (), shape, level, True)
