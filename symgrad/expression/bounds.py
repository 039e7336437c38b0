"""Limits on the cost of untrusted formulas: sizes and work, known from shapes before anything is computed.

A call on constants runs twice: first on tensors of the same shapes without values, which computes nothing and records
what would be; where that is too much, the second time never comes.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import Any

import numpy as np

from symgrad.core.modes import enable_grad
from symgrad.core.node import TRACED, Leaf, Node, ancestors, has_value, is_node, tensor_node, tensor_value
from symgrad.engine.record import handle
from symgrad.errors import ArgumentError, ValueNeeded
from symgrad.ops.contract import Einsum
from symgrad.ops.map import Map
from symgrad.ops.protocol import shape
from symgrad.ops.reduction import Reduction
from symgrad.ops.reductions.scan import AlongAxis
from symgrad.ops.reductions.total import MapTotal
from symgrad.scalars import BY_FUNCTION, Atom
from symgrad.tensors.tensor import Tensor

MOST_INTEGER = 10_000  # in arguments and indices, and along an axis
MOST_ENTRIES = 10**6  # of an array
MOST_WORK = 10**8  # additions, for all of a formula: about a second
MOST_RECORDED = 20_000  # operations
SMALL = 4096  # entries that a function may look at
_NONE: Mapping[str, Any] = MappingProxyType({})
_PER_ENTRY, _PER_ROTATION = 20, 30  # additions: a function of one number; a factorisation, by n³
_PER_SERIES = 2_000  # a function of SciPy's that may add up a series, as polynomials of any degree do


class Bounds:
    """The remaining work that a formula may ask for."""

    def __init__(self) -> None:
        self.left, self._first = MOST_WORK, Leaf(None, (), TRACED).index

    @property
    def spent(self) -> int:
        """The work so far."""
        return MOST_WORK - self.left

    def call(self, f: Callable[..., Any], args: Sequence[Any], words: Mapping[str, Any]) -> Any:
        """Return f of the arguments, whose integers may be sizes, if the work is within bounds.

        Raises:
            ArgumentError: if it is not; the message shows the difference.
        """
        self._check_sizes([*args, *words.values()])
        return self.operate(f, args, words)

    def operate(
        self, f: Callable[..., Any], args: Sequence[Any], words: Mapping[str, Any] = MappingProxyType({})
    ) -> Any:
        """Return f of the arguments, whose integers are numbers and positions."""
        tensors = [x for x in leaves_of([*args, *words.values()]) if isinstance(x, Tensor)]
        self._check_sizes(tensors)
        if tensors and all(has_value(x) for x in tensors):
            self._check_steps(f, args, words, sum(int(np.size(tensor_value(x))) for x in tensors))
        with np.errstate(all="ignore"):
            result = f(*args, **words)
        for y in leaves_of([result]):
            if isinstance(y, Tensor) and has_value(y):
                check_shape(y.shape)
                self._spend(_PER_ENTRY * math.prod(y.shape))
        if Leaf(None, (), TRACED).index - self._first > MOST_RECORDED:
            raise ArgumentError(f"this takes more than {MOST_RECORDED} operations")
        return result

    def _spend(self, work: int) -> None:
        self.left -= work
        if self.left < 0:
            raise ArgumentError(f"this takes more than {MOST_WORK} additions of constants")

    def _check_sizes(self, values: Sequence[Any]) -> None:
        """Refuse calls on constants of the text that could make arrays without end."""
        entries = longest = 1
        for value in values:
            numbers = 0
            for v in leaves_of([value]):
                if type(v) is int:
                    if abs(v) > MOST_INTEGER:
                        raise ArgumentError(f"the integer {v} is larger than {MOST_INTEGER}")
                    entries *= max(1, abs(v))
                elif isinstance(v, Tensor):
                    if not has_value(v):
                        return
                    entries *= max(1, int(np.size(tensor_value(v))))
                    longest = max(longest, *v.shape, 1)
                numbers += type(v) is float
            entries *= max(1, numbers)
        if entries > MOST_ENTRIES:
            raise ArgumentError(f"this could create an array of more than {MOST_ENTRIES} entries")
        if longest > MOST_INTEGER:  # a function may take it apart
            raise ArgumentError(f"an argument has an axis of {longest} entries, more than {MOST_INTEGER}")

    def _check_steps(self, f: Callable[..., Any], args: Any, words: Any, given: int) -> None:
        """Record the operations of f, and refuse those that take too much work."""
        try:
            with enable_grad(), np.errstate(all="ignore"):
                traced = f(*_blank(args), **dict(zip(words, _blank(list(words.values())))))
        except Exception as error:  # of any kind: f has no meaning there, or looks at values
            if given > SMALL:
                raise _unknown(error, given) from error
            return
        made = [tensor_node(y) for y in leaves_of([traced]) if isinstance(y, Tensor) and is_node(tensor_node(y))]
        for node in ancestors(made):
            if isinstance(node, Node):
                check_shape(node.shape)
                self._spend(work(node))


def _unknown(error: Exception, given: int) -> Exception:
    if isinstance(error, ValueNeeded):
        return ArgumentError(f"this reads {given} numbers, more than {SMALL}")
    return error


def _blank(x: Any) -> Any:
    """Return arguments with tensors of the same shape and dtype, but without values."""
    if isinstance(x, Tensor):
        leaf = Leaf(None, x.shape, TRACED)
        leaf.dtype = np.dtype(getattr(tensor_value(x), "dtype", np.float64))
        return handle(leaf, None)
    if type(x) in (list, tuple):
        return type(x)(_blank(v) for v in x)
    return x


def check_shape(sizes: Sequence[Any]) -> None:
    """Refuse an array that is too large."""
    numbers = [n for n in sizes if isinstance(n, int)]
    if math.prod(numbers) > MOST_ENTRIES:
        raise ArgumentError(f"this makes an array of more than {MOST_ENTRIES} entries")


def work(node: Node) -> int:
    """Estimate how many additions a step takes: the cube of its rows, unless the operation is known to be simple."""
    shapes = [shape(p) for p in node.inputs]
    op: Any = node.op
    entries: int = math.prod(node.shape) + sum(map(math.prod, shapes))
    if isinstance(op, Einsum):
        return entries + int(math.prod(op.sizes(shapes).values()))
    if isinstance(op, (Map, MapTotal)):
        return _per_entry(op) * math.prod(np.broadcast_shapes(*shapes, node.shape if isinstance(op, Map) else ()))
    if op.linear:
        return entries
    if isinstance(op, (Reduction, AlongAxis)):
        return _PER_ENTRY * entries
    return _PER_ROTATION * sum(math.prod(s) * max(s[-2:], default=1) if len(s) > 1 else math.prod(s) for s in shapes)


def _per_entry(op: Any) -> int:
    """The work of a function of numbers on one entry."""
    series = any(BY_FUNCTION[type(f)].library for f in getattr(op, "map", op).payload.atoms(Atom))
    return _PER_SERIES if series else _PER_ENTRY


def leaves_of(x: Any) -> Iterator[Any]:
    """Yield the leaves of nested lists and tuples."""
    stack = [x]
    while stack:
        v = stack.pop()
        if isinstance(v, (tuple, list)):
            stack.extend(v)
        else:
            yield v
