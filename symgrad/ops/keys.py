"""What stands between the brackets of ``x[…]``: spans, positions, and how a key is read against a shape.

A key falls apart into a basic half (integers, slices, new axes) and a half of integer arrays that picks from
the result, as in PyTorch.
"""

from __future__ import annotations

import operator
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import sympy as sp

from symgrad.core.node import Shape
from symgrad.core.promotion import is_discrete, is_integer
from symgrad.errors import ArgumentError, ArgumentTypeError, DTypeError, IndexRangeError, ShapeError, ValueNeeded
from symgrad.ops.map import broadcast_shapes, show_shape
from symgrad.ops.protocol import Traced
from symgrad.ops.value import array_of, is_foreign
from symgrad.support.arguments import is_whole, shown

Item = Any  # int, sympy.Expr, Span, or None for a new axis


class Span(NamedTuple):
    """A slice as the user wrote it, hashable."""

    start: Any
    stop: Any
    step: Any

    def over(self, n: Any) -> tuple[Any, Any, Any]:
        """Return (start, step, length) on an axis of size n; symbolic bounds are taken to lie inside."""
        if all(b is None or isinstance(b, int) for b in self) and isinstance(n, int):
            indices = range(n)[slice(*self)]
            return indices.start, indices.step, len(indices)
        step = 1 if self.step is None else self.step
        start = (0 if step > 0 else n - 1) if self.start is None else wrapped(self.start, n)
        stop = (n if step > 0 else -1) if self.stop is None else wrapped(self.stop, n)
        length = sp.ceiling(sp.sympify(stop - start) / step)
        return start, step, int(max(length, 0)) if length.is_Integer else length

    def __str__(self) -> str:
        text = ":".join("" if b is None else str(b) for b in self[:2])
        return text if self.step is None else f"{text}:{self.step}"


ALL = Span(None, None, None)


class Positions:
    """An integer array inside a key, compared by content so that operations can hash it."""

    __slots__ = ("array",)

    def __init__(self, array: Any) -> None:
        self.array = np.asarray(array, dtype=np.int64)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Positions) and np.array_equal(self.array, other.array)

    def __hash__(self) -> int:
        return hash((self.array.shape, self.array.tobytes()))

    def __repr__(self) -> str:
        return f"Positions({self.array.tolist()})"  # in full: formulas tell operations apart by it

    def __str__(self) -> str:
        return np.array2string(self.array, separator=", ", threshold=8, edgeitems=2).replace("\n", "")


Place = tuple[int, Positions]


def is_unknown(k: Any) -> bool:
    """Whether k is a tensor of integers whose values are not known yet."""
    return isinstance(k, Traced) and getattr(k, "_value", 0) is None and is_integer(k.dtype)  # type: ignore[attr-defined]


def wrapped(k: Any, n: Any) -> Any:
    """Count a negative position from the end."""
    return n + k if isinstance(k, int) and k < 0 else k


def known(places: tuple[Place, ...]) -> tuple[Place, ...]:
    """Return the places, which must all be known, as for writing."""
    if any(is_unknown(k) for _, k in places):
        raise ValueNeeded(
            "Positions to write to must be known, but got a tensor of integers without a value. Choose with "
            "sg.where(sg.arange(n) == i, v, x), or read with x[i]."
        )
    return places


def plain(key: Any) -> tuple[Any, ...] | None:
    """Return a key of numbers, slices, None and Ellipsis in a form that can be hashed, None for others."""
    parts: list[Any] = []
    for k in key if type(key) is tuple else (key,):
        if type(k) is int or k is None or k is Ellipsis:
            parts.append(k)
        elif type(k) is slice and all(b is None or type(b) is int for b in (k.start, k.stop, k.step)):
            parts.append(Span(k.start, k.stop, k.step))
        else:
            return None
    return tuple(parts)


def parse(key: Any, sizes: Shape) -> tuple[tuple[Item, ...], tuple[Place, ...]]:
    """Read a key: basic items for every axis, and arrays with the axis of the basic result they pick from.

    Positions that are not known yet stay tensors.
    """
    keys = _filled([_read(k) for k in (key if isinstance(key, tuple) else (key,))], len(sizes))
    items: list[Item] = []
    places: list[Place] = []
    source = 0
    for at, k in enumerate(keys):
        if isinstance(k, Traced):
            places.append((sum(not _is_single(i) for i in items), k))  # type: ignore[arg-type]
            items.append(ALL)
        elif isinstance(k, np.ndarray):
            arrays = _mask(k, sizes, source, at) if k.dtype == bool else [Positions(k)]
            first = sum(not _is_single(i) for i in items)
            places += [(first + d, f) for d, f in enumerate(arrays)]
            items += [ALL] * len(arrays) if k.ndim else [None]
            for d in range(len(arrays) if k.ndim else 0):
                check_range(arrays[d].array, sizes[source + d], source + d)
        else:
            items.append(k)
            if isinstance(k, int):
                check_range(k, sizes[source], source)
        source += _consumed(k)
    _check_broadcast([f for _, f in places])
    return tuple(items), tuple(places)


def _read(k: Any) -> Any:
    """Bring one entry of a key to None, Ellipsis, an int, an expression, a Span, or an int or bool array."""
    if k is None or k is Ellipsis or type(k) is int:
        return k
    if isinstance(k, (slice, Span)):
        return _span(k)
    if isinstance(k, sp.Expr):
        return int(k) if k.is_Integer else k
    if is_unknown(k):
        return k
    if isinstance(k, (Traced, np.ndarray, np.generic, list, tuple, range, bool)) or is_foreign(k):
        array = constant(k)
        return int(array) if array.ndim == 0 and is_integer(array.dtype) else array
    raise IndexRangeError(
        "only integers, slices (`:`), ellipsis (`...`), None and long or byte Variables are valid indices "
        f"(got {type(k).__name__}). Convert it with int(…) if it counts entries."
    )


def _span(k: Any) -> Span:
    span = k if isinstance(k, Span) else Span(*map(_bound, (k.start, k.stop, k.step)))
    if span.step == 0:
        raise ArgumentError("slice step cannot be zero. Expected a positive or negative step.")
    return span


def _bound(b: Any) -> Any:
    if b is None or isinstance(b, sp.Expr):
        return int(b) if b is not None and b.is_Integer else b
    if is_unknown(b):
        raise ValueNeeded(
            "A slice needs its ends, but got a symbol without a value. Write sg.where(sg.arange(n) < stop, x, 0) for "
            "x[:stop]."
        )
    if not is_whole(b):
        raise ArgumentTypeError(f"A slice goes from integer to integer. Got {shown(b)}; expected an integer or None.")
    return operator.index(b)


def constant(k: Any) -> Any:
    """Return the integer or boolean array that an index tensor, array or list holds."""
    array = _array(k)
    if not is_discrete(array.dtype):
        raise IndexRangeError(
            f"tensors used as indices must be long, int, byte or bool tensors. Got dtype {array.dtype}; "
            "convert it with .to(int)."
        )
    return array


def integers(index: Any, who: str) -> Any:
    """Return the integer array that an index argument holds."""
    array = _array(index)
    if not is_integer(array.dtype):
        raise DTypeError(
            f"{who}(): Expected dtype int32 or int64 for index. Got {array.dtype}; convert it with .to(int), "
            "or use x[mask] for a mask."
        )
    return array.astype(np.int64)


def _array(k: Any) -> Any:
    value = getattr(k, "_value", None) if isinstance(k, Traced) else k
    if value is None:
        raise ValueNeeded(
            "An index needs its numbers, but got a symbol without a value. Write sg.where(mask, x, 0) for x[mask], or "
            "index with a tensor of integers."
        )
    try:
        array = array_of(value) if is_foreign(value) else np.asarray(value)
    except ValueError as error:
        raise ShapeError(
            f"The index is a list whose parts have different lengths: {shown(value)}. Pass integers, lists of integers "
            "of one length, or a mask."
        ) from error
    return array.astype(np.int64) if array.size == 0 and not hasattr(value, "dtype") else array


def _consumed(k: Any) -> int:
    """How many axes an entry of a key uses up."""
    if k is None or k is Ellipsis:
        return 0
    return k.ndim if isinstance(k, np.ndarray) and k.dtype == bool else 1


def _is_single(item: Item) -> bool:
    return isinstance(item, (int, sp.Expr))


def _filled(keys: list[Any], ndim: int) -> list[Any]:
    """Replace the ellipsis, or the missing end, by full spans."""
    used = sum(map(_consumed, keys))
    if used > ndim:
        if ndim == 0:
            raise IndexRangeError(
                "invalid index of a 0-dim tensor. Use `tensor.item()` in Python or `tensor.item<T>()` in C++ "
                "to convert a 0-dim tensor to a number"
            )
        raise IndexRangeError(
            f"too many indices for tensor of dimension {ndim}. Got {used}; drop some, or add an axis with None."
        )
    at = next((d for d, k in enumerate(keys) if k is Ellipsis), len(keys))
    return [*keys[:at], *[ALL] * (ndim - used), *[k for k in keys[at:] if k is not Ellipsis]]


def _mask(mask: Any, sizes: Shape, source: int, at: int) -> list[Positions]:
    """Return where a mask is true, one array per axis; a mask without axes picks from a new one."""
    for d, n in enumerate(mask.shape):
        if n != sizes[source + d]:
            raise IndexRangeError(
                f"The shape of the mask {show_shape(mask.shape)} at index {d} does not match the shape of "
                f"the indexed tensor {show_shape(sizes)} at index {source + d}. A mask has the sizes of the "
                "axes it picks from."
            )
    return [Positions(f) for f in (mask.nonzero() if mask.ndim else [np.zeros(int(mask), np.int64)])]


def check_range(k: Any, n: Any, axis: int) -> None:
    """Check positions against a size, where the size is a number."""
    if not isinstance(n, int):
        return
    if type(k) is int:  # as most
        low = high = k
    else:
        positions = np.asarray(k)
        if positions.size == 0:
            return
        low, high = int(positions.min()), int(positions.max())
    if low < -n or high >= n:
        raise IndexRangeError(
            f"index {low if low < -n else high} is out of bounds for dimension {axis} with size {n}. "
            f"Expected {f'{-n} to {n - 1}' if n else 'none: the axis is empty'}."
        )


def _check_broadcast(positions: Sequence[Any]) -> None:
    broadcast([f.array.shape if isinstance(f, Positions) else f.shape for f in positions])


def broadcast(blocks: Sequence[Shape]) -> Shape:
    """Return the common shape of positions; sizes may have names."""
    try:
        return broadcast_shapes(*blocks)
    except ShapeError:
        raise IndexRangeError(
            "shape mismatch: indexing tensors could not be broadcast together with shapes "
            f"{', '.join(map(show_shape, blocks))}. Give them one shape, or index twice."
        ) from None
