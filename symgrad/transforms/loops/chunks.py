"""A loop as a loop over shorter ones, whose derivative keeps the carry between them only."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from symgrad.core import trees
from symgrad.engine.record import as_tensor
from symgrad.errors import ArgumentError
from symgrad.ops.shapes.join import Cat
from symgrad.transforms.calls import is_array

Scan = Callable[..., tuple[Any, Any]]


def in_chunks(
    scan: Scan, f: Callable[..., Any], init: Any, xs: Any, length: int, reverse: bool, every: int
) -> tuple[Any, Any]:
    """Return what ``scan(f, init, xs)`` returns, from chunks of ``every`` steps, and the rest after them.

    Where the derivative runs backwards through a chunk, its carries are computed again from the first. So about
    length/every + every of them are in memory at a time in place of length.
    """
    if every < 1:
        raise ArgumentError(f"scan: got checkpoint_every={every}. Expected a number of steps, 1 or more.")
    whole = length // every * every
    if every == 1 or whole <= every:
        return scan(f, init, xs, length, reverse)
    first, rest = (slice(length - whole, length), slice(0, length - whole)) if reverse else (
        slice(0, whole), slice(whole, length)
    )  # fmt: skip

    def chunk(carry: Any, rows: Any) -> tuple[Any, Any]:
        return scan(f, carry, rows, every, reverse)

    split = _each(xs, lambda x: x[first].reshape(whole // every, every, *x.shape[1:]))
    carry, ys = scan(chunk, init, split, whole // every, reverse)
    ys = _each(ys, lambda y: y.reshape(whole, *y.shape[2:]))
    if whole == length:
        return carry, ys
    carry, more = scan(f, carry, _each(xs, lambda x: x[rest]), length - whole, reverse)
    return carry, _joined([more, ys] if reverse else [ys, more])


def _each(tree: Any, change: Callable[[Any], Any]) -> Any:
    leaves: list[Any] = []
    around = trees.flatten(tree, is_array, leaves)
    return trees.unflatten(around, iter([change(as_tensor(x)) for x in leaves]))


def _joined(parts: list[Any]) -> Any:
    """Join the tensors of two structures along their first axes."""
    columns: list[list[Any]] = [[], []]
    around = [trees.flatten(p, is_array, leaves) for p, leaves in zip(parts, columns, strict=True)]
    return trees.unflatten(around[0], iter([Cat(0)(a, b) for a, b in zip(*columns, strict=True)]))
