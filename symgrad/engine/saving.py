"""``saved_tensors_hooks``: what nodes save for their derivatives is packed when saved, and unpacked when read."""

from __future__ import annotations

from collections.abc import Callable
from contextvars import ContextVar
from typing import Any

from symgrad.core.node import Node
from symgrad.engine.record import TensorBase, handle, watch_nodes
from symgrad.errors import ArgumentTypeError, GraphError

Pair = tuple[Callable[[Any], Any], Callable[[Any], Any]]
_PAIRS: ContextVar[tuple[Pair, ...]] = ContextVar("symgrad_saved_tensors_hooks", default=())
_DISABLED: ContextVar[str | None] = ContextVar("symgrad_disable_saved_tensors_hooks", default=None)
_saved: Any = vars(Node)["saved"]  # the slot, behind the property of the class below
_open = 0  # how many blocks there are, in all threads


class _Packed:
    """The result of ``pack`` for a value, and the hook that unpacks it."""

    __slots__ = ("content", "unpack")

    def __init__(self, content: Any, unpack: Callable[[Any], Any]) -> None:
        self.content, self.unpack = content, unpack


class PackedNode(Node):
    """A node that was made in a block of ``saved_tensors_hooks``."""

    __slots__ = ()

    @property
    def saved(self) -> Any:
        """The values that were saved, unpacked anew at every look."""
        values = _saved.__get__(self)
        return None if values is None else tuple([unpacked(v) for v in values])

    @saved.setter
    def saved(self, values: Any) -> None:
        _saved.__set__(self, values)


def packed(value: Any) -> Any:
    """Return what is kept of a number or an array: what the innermost ``pack`` makes of it, if there is one."""
    pairs = _PAIRS.get()
    if not pairs or isinstance(value, _Packed) or not (isinstance(value, float) or hasattr(value, "dtype")):
        return value
    pack, unpack = pairs[-1]
    return _Packed(pack(handle(None, value)), unpack)


def unpacked(value: Any) -> Any:
    """Return the number or array of which ``packed`` kept something."""
    if not isinstance(value, _Packed):
        return value
    tensor = value.unpack(value.content)
    if not isinstance(tensor, TensorBase):
        raise ArgumentTypeError(
            f"Output of saved tensor unpack_hook expected to be a Tensor but got {type(tensor).__name__}. Return what "
            "pack_hook was given, or a tensor like it."
        )
    return tensor._value


def _pack_node(node: Node) -> None:
    if _PAIRS.get() and node.saved:
        node.saved = tuple([packed(v) for v in node.saved])
        node.__class__ = PackedNode


class saved_tensors_hooks:
    """Save values for the backward pass as ``pack_hook(x)`` inside the block, and read them by ``unpack_hook``.

    Args:
        pack_hook: takes each tensor that is saved, detached, and returns anything, such as the name of a file.
        unpack_hook: takes what ``pack_hook`` returned, and returns the tensor, whenever a derivative looks at it.

    Raises:
        GraphError: if hooks are disabled.
        ArgumentTypeError: in ``backward``, if ``unpack_hook`` does not return a tensor.

    >>> x = sg.tensor([1.0, 2.0], requires_grad=True)
    >>> with sg.autograd.graph.saved_tensors_hooks(lambda t: t.to(sg.float32), lambda t: t.to(sg.float64)):
    ...     y = (x.exp() * x).sum()
    >>> y.backward()
    """

    def __init__(self, pack_hook: Callable[[Any], Any], unpack_hook: Callable[[Any], Any]) -> None:
        self._pair = pack_hook, unpack_hook

    def __enter__(self) -> None:
        if (message := _DISABLED.get()) is not None:
            raise GraphError(message)
        _PAIRS.set((*_PAIRS.get(), self._pair))
        _count(1)

    def __exit__(self, *error: object) -> None:
        _PAIRS.set(_PAIRS.get()[:-1])
        _count(-1)


class disable_saved_tensors_hooks:
    """Let ``saved_tensors_hooks`` raise an error with this message inside the block.

    Raises:
        GraphError: if hooks are in use.
    """

    def __init__(self, error_message: str) -> None:
        self._message = error_message

    def __enter__(self) -> None:
        if _PAIRS.get():
            raise GraphError(self._message)
        self._token = _DISABLED.set(self._message)

    def __exit__(self, *error: object) -> None:
        _DISABLED.reset(self._token)


def _count(step: int) -> None:
    global _open
    _open += step
    watch_nodes("saving", _pack_node if _open else None)
