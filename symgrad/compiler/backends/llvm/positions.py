"""Nests that read or add at constant positions, which are memory beside the array.

Threads that add must not add to the same entry. Where no axis lies apart, a small array has copies, one for each chunk
of what is added; for a large one this is put in the order of its positions, and chunks are cut where these change.
"""

from __future__ import annotations

from collections.abc import Callable
from math import prod
from typing import Any

import numpy as np

from symgrad.compiler.backends.llvm.memory import Shape, is_apart
from symgrad.compiler.backends.llvm.steps import ONTO, Nest
from symgrad.compiler.primitives.views import View
from symgrad.ops.slicing import Gather

Table = Callable[[Any], View]  # gives a constant array its memory

_READ, _FROM, _TO, _EDGES = -1, -2, -3, -4
_SORTED = 1 << 16  # entries from which it pays to sort the positions they are added at
_ENOUGH = 4  # entries of an axis that threads can share
_GRAIN = 1 << 15  # about how many entries a chunk has
_MOST = 64  # chunks
_COPIES = 16  # of an array that is small beside what is added
_SMALL = 1 << 16  # its entries at most


def read(op: Gather, source: View, to: Shape, table: Table) -> tuple[View, View]:
    """Return what is read as a view, and how much further each entry lies."""
    offset, steps, further = op.addresses(source)
    return View(source.memory, offset, steps, to), _beside(op, to, table(_short(further)))


def copies(op: Gather, given: Shape, to: Shape) -> int:
    """Return how many copies an array has while so much is added; no more than cost a quarter of that."""
    size = max(1, prod(to))
    if size > _SMALL or prod(given) < _SORTED:
        return 1
    return min(_COPIES, prod(given) // (4 * size), given[op.front])


def adding_apart(op: Gather, source: View, parts: View, table: Table) -> list[Nest]:
    """Return the nests that add chunks of the block's first axis to copies of the array; what remains to the first."""
    count, axis = parts.shape[0], op.front
    offset, steps, further = op.addresses(View(parts.memory, parts.offset, parts.steps[1:], parts.shape[1:]))
    onto = View(parts.memory, offset, steps, source.shape)
    views = [source, _beside(op, source.shape, table(_short(further))), onto]
    rows = source.shape[axis] // count
    chunked = [_chunked(v, axis, rows, count) for v in views]
    chunked[2] = chunked[2]._replace(steps=(chunked[2].steps[0] + parts.steps[0], *chunked[2].steps[1:]))
    rest = [_after(v, axis, rows * count) for v in views]
    reach = int(np.max(further, initial=0))
    return [
        Nest(o.shape, {_READ: s, _TO: p}, sums=[(ONTO["sum"], _READ, o)], onto=_TO, reach=reach)
        for s, p, o in (chunked, rest)
        if prod(o.shape)
    ]


def _chunked(v: View, axis: int, rows: int, count: int) -> View:
    """So many rows along an axis at a time: a new first axis."""
    shape = (count, *v.shape[:axis], rows, *v.shape[axis + 1 :])
    return View(v.memory, v.offset, (rows * v.steps[axis], *v.steps), shape)


def _after(v: View, axis: int, start: int) -> View:
    shape = (*v.shape[:axis], v.shape[axis] - start, *v.shape[axis + 1 :])
    return View(v.memory, v.offset + start * v.steps[axis], v.steps, shape)


def adding(op: Gather, source: View, target: View, table: Table) -> Nest:
    """Return the nest that adds to the target."""
    offset, steps, further = op.addresses(target)
    onto = View(target.memory, offset, steps, source.shape)
    reach = int(np.max(further, initial=0))
    is_shared = source.shape[0] >= _ENOUGH and is_apart(onto.shape, onto.steps, 0, reach)
    if is_shared or prod(source.shape) < _SORTED:
        loads = {_READ: source, _TO: _beside(op, source.shape, table(_short(further)))}
        return Nest(source.shape, loads, sums=[(ONTO["sum"], _READ, onto)], onto=_TO, reach=reach)
    return _in_order(op, source, onto, further, table)


def _in_order(op: Gather, source: View, onto: View, further: Any, table: Table) -> Nest:
    """Add by position: the block is one loop, over entries whose places in source and target are both given."""
    block = slice(op.front, op.front + len(op.block))
    to = (_places(op.block, onto.steps[block]) + further).ravel()
    order = _sorted(to)
    to, at = to[order], _places(op.block, source.steps[block]).ravel()[order]
    dims = (to.size, *_without(source.shape, block))
    once = (1, *[0] * (len(dims) - 1))
    read, written = [View(v.memory, v.offset, (0, *_without(v.steps, block)), dims) for v in (source, onto)]
    loads = {_READ: read, **{k: table(_short(p))._replace(steps=once, shape=dims) for k, p in ((_FROM, at), (_TO, to))}}
    nest = Nest(dims, loads, sums=[(ONTO["sum"], _READ, written)], at={_READ: _FROM}, onto=_TO, reach=int(to[-1]))
    edges = _edges(to, prod(dims))
    if len(edges) > 2:
        nest.edges = _EDGES
        nest.loads[_EDGES] = table(edges)._replace(steps=(0,) * len(dims), shape=dims)
    return nest


def _edges(to: Any, work: int) -> Any:
    """Return where chunks of about equal length begin and end: at the first entry of a position."""
    count = min(_MOST, work // _GRAIN)
    starts = np.searchsorted(to, to[len(to) * np.arange(count) // max(1, count)])
    return np.append(np.unique(starts), len(to)).astype(np.int64)


def _sorted(to: Any) -> Any:
    """Return a stable order: by the lower and then the upper half of their digits, which NumPy sorts by counting."""
    if to.max(initial=0) >= 1 << 32:
        return np.argsort(to, kind="stable")
    order = np.argsort(to.astype(np.uint16), kind="stable")
    return order[np.argsort((to[order] >> 16).astype(np.uint16), kind="stable")]


def _places(block: Shape, steps: tuple[int, ...]) -> Any:
    """Return where the entries of a block lie."""
    offsets = np.zeros((), np.int64)
    for n, s in zip(block, steps, strict=True):
        offsets = offsets[..., None] + s * np.arange(n)
    return offsets


def _beside(op: Gather, to: Shape, numbers: View) -> View:
    """Return numbers that go with the block of positions as a view of the shape of what is read."""
    rest = [0] * (len(to) - len(op.block))
    return View(numbers.memory, 0, tuple(op.beside(numbers.to(op.block).steps, rest)), to)


def _short(places: Any) -> Any:
    """Positions in half the memory, where they fit."""
    return places.astype(np.int32) if places.max(initial=0) < 1 << 31 else places


def _without(values: tuple[int, ...], block: slice) -> tuple[int, ...]:
    return (*values[: block.start], *values[block.stop :])
