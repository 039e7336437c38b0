"""Forms as operands: ``-sg.derive(F, x)/sg.derive(F, y)`` is a form, made of the graphs of both.

The graph of a Jacobian is one row of it: Jacobians are added, and multiplied by numbers.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from typing import Any, TypeVar

from symgrad.core.modes import enable_grad
from symgrad.core.node import CONSTANT, AnyNode, Leaf, ancestors, tensor_node, tensor_value
from symgrad.engine.record import TensorBase, as_tensor, handle
from symgrad.errors import FormError
from symgrad.forms.replay import replayed

Self = TypeVar("Self", bound="Arithmetic")


class Arithmetic:
    """What ``+ - * / ** @`` make of a form and of what stands beside it: a number, an array, a tensor or a form."""

    __array_ufunc__ = None  # NumPy's arrays leave it to the form
    shape: tuple[Any, ...]

    def __init__(
        self, root: AnyNode, forward: Sequence[AnyNode], bases: Sequence[Leaf] = (), check: bool = True
    ) -> None:
        self._root, self._bases, self._forward, self._verify = root, tuple(bases), list(forward), check

    def __neg__(self: Self) -> Self:
        return _combined(self, operator.mul, self, -1)

    def __add__(self: Self, other: Any) -> Self:
        return _combined(self, operator.add, self, other)

    def __radd__(self: Self, other: Any) -> Self:
        return _combined(self, operator.add, other, self)

    def __sub__(self: Self, other: Any) -> Self:
        return _combined(self, operator.sub, self, other)

    def __rsub__(self: Self, other: Any) -> Self:
        return _combined(self, operator.sub, other, self)

    def __mul__(self: Self, other: Any) -> Self:
        return _combined(self, operator.mul, self, other)

    def __rmul__(self: Self, other: Any) -> Self:
        return _combined(self, operator.mul, other, self)

    def __truediv__(self: Self, other: Any) -> Self:
        return _combined(self, operator.truediv, self, other)

    def __rtruediv__(self: Self, other: Any) -> Self:
        return _combined(self, operator.truediv, other, self)

    def __pow__(self: Self, other: Any) -> Self:
        return _combined(self, operator.pow, self, other)

    def __rpow__(self: Self, other: Any) -> Self:
        return _combined(self, operator.pow, other, self)

    def __matmul__(self: Self, other: Any) -> Self:
        return _combined(self, operator.matmul, self, other)

    def __rmatmul__(self: Self, other: Any) -> Self:
        return _combined(self, operator.matmul, other, self)


def _combined(mine: Self, do: Callable[[Any, Any], Any], a: Any, b: Any) -> Self:
    """Return the form of an operation on two operands, at least one of them a form."""
    if isinstance(a, Arithmetic) and isinstance(b, Arithmetic):
        b = _with_leaves_of(a, b)
    forms = [x for x in (a, b) if isinstance(x, Arithmetic)]
    bases = max((f._bases for f in forms), key=len)
    with enable_grad():
        xs = [_operand(x, bases) for x in (a, b)]
        if bases and not _is_linear(do, a, b, xs):
            raise FormError(
                f"{do.__name__}: Jacobians of the same shape can be added and subtracted, and multiplied and divided "
                "by numbers. For anything else, compute with the arrays of .lambdify()."
            )
        root = tensor_node(do(*xs))
    own = list(dict.fromkeys(n for f in forms for n in f._forward))
    beside = [tensor_node(x) for x in (a, b) if isinstance(x, TensorBase) and tensor_node(x) is not None]
    return type(mine)(root, [*own, *beside], bases, all(f._verify for f in forms))


def _with_leaves_of(a: Any, b: Any) -> Any:
    """Return b with the symbols of a, where they have one name: x is the same in forms of two texts."""
    mine, theirs = _symbols(a), _symbols(b)
    both = {s for s in mine.keys() & theirs.keys() if mine[s] is not theirs[s]}
    new: dict[AnyNode, AnyNode] = {theirs[s]: mine[s] for s in both}
    if not new:
        return b
    root, *forward = replayed([b._root, *b._forward], new)
    return type(b)(root, forward, b._bases, b._verify)


def _symbols(form: Any) -> dict[Any, Leaf]:
    """Return the leaves without a value by name, shape and marks; none of those that share a name."""
    leaves: dict[Any, Any] = {}
    for node in ancestors([form._root, *form._forward]):
        if isinstance(node, Leaf) and node.title is not None and node.value is None:
            key = node.title, node.shape, frozenset(node.assumptions or ())
            leaves[key] = None if key in leaves else node
    return {key: leaf for key, leaf in leaves.items() if leaf is not None}


def _operand(x: Any, bases: Sequence[Leaf]) -> Any:
    """Return a tensor on the graph, without a value; of a Jacobian the row at these bases."""
    if isinstance(x, Arithmetic):
        here: dict[AnyNode, AnyNode] = {
            old: new for old, new in zip(x._bases, bases, strict=False) if old.shape == new.shape
        }
        return handle(replayed([x._root], here)[0] if x._bases and x._bases != bases else x._root, None)
    t = as_tensor(x)
    return handle(Leaf(tensor_value(t), t.shape, CONSTANT) if tensor_node(t) is None else tensor_node(t), None)


def _is_linear(do: Callable[[Any, Any], Any], a: Any, b: Any, xs: Sequence[Any]) -> bool:
    """Whether an operation on Jacobians is the operation on their rows."""
    rows = [isinstance(x, Arithmetic) and bool(x._bases) for x in (a, b)]
    if do in (operator.add, operator.sub):
        return all(rows) and a.shape == b.shape and len(a._bases) == len(b._bases) and xs[0].shape == xs[1].shape
    number = xs[0] if rows[1] else xs[1]
    return not all(rows) and number.shape == () and (do is operator.mul or (do is operator.truediv and rows[0]))
