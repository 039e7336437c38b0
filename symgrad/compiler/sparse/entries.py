"""Facts about the entries of an array without its values: the inputs on which they depend, and constants."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from math import prod
from typing import Any, NamedTuple

import numpy as np

from symgrad.compiler.primitives.map_steps import steps_of_map
from symgrad.compiler.primitives.payload import replay
from symgrad.compiler.sparse.sets import Ints, Sets, Slice, Together, none, union
from symgrad.core.node import Shape
from symgrad.ops.map import Map
from symgrad.scalars import SCALARS


class Entries(NamedTuple):
    """An array's entries: the inputs that each depends on, and the constants among them.

    ``joint`` has the sets and is None where all are empty, ``known`` where no entry is a constant. ``known`` and
    ``value`` have the array's shape: where ``known`` is true, the entry is the number in ``value``.
    """

    shape: Shape
    joint: Sets | Together | None = None
    known: Any = None
    value: Any = 0.0

    @property
    def size(self) -> int:
        """The number of entries."""
        return prod(self.shape)

    @property
    def sets(self) -> Sets | None:
        """The inputs that each entry depends on; None where all are empty."""
        return self.joint.sets if isinstance(self.joint, Together) else self.joint

    @property
    def places(self) -> Ints:
        """The numbers of the entries, in the array's shape."""
        return np.arange(self.size).reshape(self.shape)

    @property
    def zero(self) -> Any:
        """Where entries are known to be zero; None where that is nowhere."""
        mask = None if self.known is None else self.known & (self.value == 0)
        return mask if mask is not None and mask.any() else None


def joined(to: Shape, parts: Sequence[tuple[Entries, Ints, Ints]]) -> Sets | None:
    """Return the sets of an array: for each part, entry out[k] depends on what entry which[k] depends on."""
    slices: list[Slice] = [(sets, out, which) for a, out, which in parts if (sets := a.sets) is not None]
    return union(prod(to), slices) if slices else None


class Abstract(NamedTuple):
    """A scalar step for all entries at once: the arguments it depends on, as bits, and whether it is a constant."""

    bits: Any
    known: Any
    value: Any


# ------------------------------------------------------------------ elementwise operations
def dependence(op: Map, args: Sequence[Entries]) -> Abstract:
    """Return what each entry of an elementwise operation depends on."""
    given = [
        Abstract(np.int64(0 if a.joint is None else 1 << k), np.False_ if a.known is None else a.known, a.value)
        for k, a in enumerate(args)
    ]
    with np.errstate(all="ignore"):
        abstract: Abstract = replay(steps_of_map(op), given, _emit, _const)
    return abstract


def reads(op: Map, args: Sequence[Entries]) -> list[bool]:
    """Return which arguments, of which no entry is a constant, the entries of the result depend on."""
    bits = _bits(op, tuple([a.joint is not None for a in args]))
    return [bool(bits >> k & 1) for k in range(len(args))]


@functools.lru_cache(maxsize=4096)
def _bits(op: Map, moving: tuple[bool, ...]) -> int:
    return int(dependence(op, [Entries((), none(1, 0) if m else None) for m in moving]).bits)


def _const(value: float) -> Abstract:
    return Abstract(np.int64(0), np.True_, np.float64(value))


def _emit(name: str, *args: Abstract) -> Abstract:
    if name == "select":
        return _select(*args)
    known = _joined(np.logical_and, [a.known for a in args])
    value = _value(name, args) if np.any(known) else 0.0
    bits = _joined(np.bitwise_or, [np.int64(0), *[a.bits for a, moves in zip(args, _moves(name, args)) if moves]])
    for fixed, number in _fixed(name, args):
        known, value = known | fixed, np.where(fixed, number, value)
    return Abstract(np.where(known, 0, bits), known, value)


def _joined(join: Any, parts: Sequence[Any]) -> Any:
    total = parts[0]
    for p in parts[1:]:
        total = join(total, p)
    return total


def _moves(name: str, args: Sequence[Abstract]) -> list[bool]:
    """Which arguments the result moves with."""
    if name in _FLAT:
        return [False] * len(args)
    scalar = SCALARS.get(name)
    return [True] * len(args) if scalar is None else [p != 0 for p in scalar.partials]


def _fixed(name: str, args: Sequence[Abstract]) -> list[tuple[Any, float]]:
    """Where the result is a number although an argument moves: a product with a factor 0, a power of exponent 0."""
    number = 1.0 if name == "pow" else 0.0
    zeros = {"mul": args, "div": args[:1], "pow": args[1:]}.get(name, ())
    return [(a.known & (a.value == 0), number) for a in zeros if np.any(a.known)]


def _select(c: Abstract, a: Abstract, b: Abstract) -> Abstract:
    yes, no = c.known & (c.value != 0), c.known & (c.value == 0)
    both = a.known & b.known & (a.value == b.value)
    bits = np.where(yes, a.bits, np.where(no, b.bits, a.bits | b.bits))
    known = np.where(yes, a.known, np.where(no, b.known, both))
    return Abstract(bits, known, np.where(no, b.value, a.value))


def _value(name: str, args: Sequence[Abstract]) -> Any:
    function = _COMPUTE[name] if name in _COMPUTE else SCALARS[name].numpy
    return function(*[np.asarray(a.value) for a in args])


_FLAT = {"eq", "ne", "lt", "le", "gt", "ge", "and", "or", "not"}
_COMPUTE: dict[str, Callable[..., Any]] = {
    "add": np.add, "sub": np.subtract, "mul": np.multiply, "div": np.divide, "neg": np.negative, "pow": np.power,
    "sqrt": np.sqrt, "eq": np.equal, "ne": np.not_equal, "lt": np.less, "le": np.less_equal, "gt": np.greater,
    "ge": np.greater_equal, "and": np.logical_and, "or": np.logical_or, "not": np.logical_not,
}  # fmt: skip
