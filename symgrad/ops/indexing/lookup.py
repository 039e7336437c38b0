"""Reading at positions that are inputs, known only when a traced function runs; known positions make a Gather.

The adjoint, DynamicScatterAdd, adds up at such positions.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import Any

import numpy as np
import sympy as sp

from symgrad.core.kernels import canonical
from symgrad.core.node import Shape
from symgrad.core.promotion import of_first
from symgrad.ops.conditions import one_if
from symgrad.ops.contract import permute
from symgrad.ops.keys import broadcast, check_range
from symgrad.ops.protocol import Op, shape
from symgrad.ops.shape import padded, repeated
from symgrad.support.frozen import frozen


class _AtPositions(Op):
    """What reading and adding share: of their inputs, the positions have no derivative."""

    saves = ""
    gives = of_first
    analytic = True

    def keeps(self, active: tuple[int, ...], count: int) -> tuple[bool, tuple[bool, ...]]:
        """The rule needs the positions."""
        return False, (False,) + (True,) * (count - 1)

    def jvp(self, ts: Sequence[Any], y: Any, *xs: Any) -> Any:
        """Linear in the first input."""
        return None if ts[0] is None else self(ts[0], *xs[1:])


@frozen
class DynamicGather(_AtPositions):
    """The entries of x at integer arrays, one for each of the axes, broadcast together, as in x[i, j]."""

    axes: tuple[int, ...]
    name = "Index"
    explained = "indexing: the adjoint goes back to the entries that were read, all others receive 0"
    routine = "moves"

    @property
    def front(self) -> int:
        """The axis at which the block of positions stands: in place of its axes if they are neighbours, else first."""
        first = self.axes[0]
        return first if self.axes == tuple(range(first, first + len(self.axes))) else 0

    def key(self, positions: Sequence[Any]) -> tuple[Any, ...]:
        """The key in NumPy's words."""
        by_axis = dict(zip(self.axes, positions, strict=True))
        return tuple(by_axis.get(a, slice(None)) for a in range(max(self.axes) + 1))

    def check(self, sizes: Shape, positions: Sequence[Any]) -> None:
        """Refuse positions outside."""
        for a, k in zip(self.axes, positions, strict=True):
            check_range(k, sizes[a], a)

    def forward(self, x: Any, *positions: Any) -> Any:
        """Read the entries at the indices."""
        positions = tuple(np.asarray(k, dtype=np.int64) for k in positions)
        self.check(np.shape(x), positions)
        return canonical(np.asarray(x)[self.key(positions)])

    def on_symbols(self, x: Any, *positions: Any) -> Any:
        """Σ over the entries of x, each where it is the one read."""
        whole = np.moveaxis(np.asarray(x, dtype=object), self.axes, range(len(self.axes)))
        at = self.block(positions)
        entries = np.empty(at.shape[1:] + whole.shape[len(self.axes) :], dtype=object)
        sizes = whole.shape[: len(self.axes)]
        for e in np.ndindex(at.shape[1:]):
            entries[e] = sum(whole[c] * _hit(at[:, *e], c, sizes) for c in np.ndindex(sizes))
        return np.moveaxis(entries, range(at.ndim - 1), range(self.front, self.front + at.ndim - 1))

    @staticmethod
    def block(positions: Sequence[Any]) -> Any:
        """Return the positions, broadcast and stacked."""
        return np.stack(np.broadcast_arrays(*[np.asarray(k, dtype=object) for k in positions]))

    def out_shape(self, s: Shape, *blocks: Shape) -> Shape:
        """The block replaces the axes picked from."""
        rest = [n for a, n in enumerate(s) if a not in self.axes]
        return (*rest[: self.front], *broadcast(blocks), *rest[self.front :])

    def batched(self, size: int, xs: Sequence[Any], flags: Sequence[bool]) -> Any:
        """Read in every slice: its number is one more position."""
        x, *at = xs
        block, front = _block(at, flags[1:]), self.front
        at = _in_slices(size, at, flags[1:], block)
        y, start = (self.of_slices()(x, *at), 0) if flags[0] else (self(x, *at[1:]), front)
        axes = list(range(len(shape(y))))
        lead, others = axes[start], axes[start + 1 : start + 1 + block]
        rest = [a for a in axes if a != lead and a not in others]
        return permute(y, [lead, *rest[:front], *others, *rest[front:]])

    def of_slices(self) -> DynamicGather:
        """Return the positions in every slice of a batch, with the slice's number as first position."""
        return DynamicGather((0, *[a + 1 for a in self.axes]))

    def reads(self, numbers: Sequence[Any], known: Sequence[Any]) -> Any:
        """Return the entries along the axes whose positions are unknown."""
        x, *at = numbers
        block, front = np.broadcast_shapes(*map(np.shape, at)), self.front
        told = {a: np.broadcast_to(k, block) for a, k in zip(self.axes, known[1:], strict=True) if k is not None}
        free = [a for a in self.axes if a not in told]
        rest = [a for a in range(x.ndim) if a not in self.axes]
        whole = np.transpose(x, [*told, *rest, *free])
        entries = whole[tuple(k.astype(np.int64) for k in told.values())] if told else whole[(None,) * len(block)]
        width = prod(x.shape[a] for a in free)
        entries = entries.reshape(*entries.shape[: len(block) + len(rest)], width)
        entries = np.moveaxis(entries, range(len(block)), range(front, front + len(block)))
        sizes = [x.shape[a] for a in rest]
        return np.broadcast_to(entries, (*sizes[:front], *block, *sizes[front:], width))

    def vjp(self, i: int, g: Any, y: Any, x: Any, *positions: Any) -> Any:
        # y = x[i]  ⇒  x̄ = Σ ȳ over the entries of y that were read from here
        return None if i else DynamicScatterAdd(self, shape(x))(g, *positions)


@frozen
class DynamicScatterAdd(_AtPositions):
    """Add g into zeros of shape ``to`` at positions that are inputs. What falls on one place adds up."""

    where: DynamicGather
    to: Shape
    name = "IndexPut"
    explained = "entries added into zeros: each receives the adjoint from its place"
    accumulates = True
    routine = "moves"

    def forward(self, g: Any, *positions: Any) -> Any:
        """Add into zeros."""
        positions = tuple(np.asarray(k, dtype=np.int64) for k in positions)
        self.where.check(self.to, positions)
        g = np.asarray(g)
        total = np.full(self.to, sp.S.Zero if g.dtype == object else 0, dtype=g.dtype)
        np.add.at(total, self.where.key(positions), g)
        return canonical(total)

    def on_symbols(self, g: Any, *positions: Any) -> Any:
        """Σ over the entries of g, each where it falls."""
        axes, front, at = self.where.axes, self.where.front, self.where.block(positions)
        given = np.moveaxis(np.asarray(g, dtype=object), range(front, front + at.ndim - 1), range(at.ndim - 1))
        sizes = [self.to[a] for a in axes]
        entries = np.empty((*sizes, *given.shape[at.ndim - 1 :]), dtype=object)
        for c in np.ndindex(*sizes):
            entries[c] = sum(given[e] * _hit(at[:, *e], c, sizes) for e in np.ndindex(at.shape[1:]))
        return np.moveaxis(entries, range(len(axes)), axes)

    def out_shape(self, s: Shape, *blocks: Shape) -> Shape:
        return self.to

    def batched(self, size: int, xs: Sequence[Any], flags: Sequence[bool]) -> Any:
        """Add in every slice: its number is one more position."""
        g, *at = xs
        block, front = _block(at, flags[1:]), self.where.front
        g = g if flags[0] else repeated(g, size)
        inner = list(range(1 + front, 1 + front + block))
        order = [0, *inner, *[a for a in range(1, len(shape(g))) if a not in inner]]
        at = _in_slices(size, at, flags[1:], block)
        return DynamicScatterAdd(self.where.of_slices(), (size, *self.to))(permute(g, order), *at)

    def reads(self, numbers: Sequence[Any], known: Sequence[Any]) -> Any:
        """Return the entries along the axes of the positions, except those that known positions exclude."""
        g, *at = numbers
        shape = np.broadcast_shapes(*map(np.shape, at))
        n, front = len(shape), self.where.front
        block = np.moveaxis(g, range(front, front + n), range(g.ndim - n, g.ndim))
        width = prod(shape)
        flat = block.reshape(*block.shape[: g.ndim - n], width)
        entries = np.broadcast_to(np.expand_dims(flat, self.where.axes), (*self.to, width))
        for a, k in zip(self.where.axes, known[1:], strict=True):
            if k is not None:
                here = np.arange(self.to[a])[:, None] == np.broadcast_to(k, shape).reshape(-1) % self.to[a]
                entries = np.where(
                    here.reshape([m if d in (a, len(self.to)) else 1 for d, m in enumerate(entries.shape)]), entries, 0
                )
        return entries

    def vjp(self, i: int, g: Any, y: Any, x: Any, *positions: Any) -> Any:
        # y = Σ x at the positions  ⇒  x̄ = ȳ read there
        return None if i else self.where(g, *positions)


def _block(at: Sequence[Any], flags: Sequence[bool]) -> int:
    """Return the number of axes that the positions have in one slice."""
    return max(len(shape(k)) - f for k, f in zip(at, flags, strict=True))


def _in_slices(size: int, at: Sequence[Any], flags: Sequence[bool], block: int) -> list[Any]:
    """Return the number of the slice and the positions, with the batch in front."""
    number = np.arange(size).reshape(size, *(1,) * block)
    return [number, *[padded(k, block) if f else k for k, f in zip(at, flags, strict=True)]]


def _hit(positions: Sequence[Any], entry: Sequence[int], sizes: Sequence[int]) -> Any:
    """1 where the positions, which may count from the end, are those of the entry, else 0."""
    return one_if(sp.And(*[_same(k, c, n) for k, c, n in zip(positions, entry, sizes, strict=True)]))


def _same(position: Any, entry: int, size: int) -> Any:
    """Whether a position is an entry's: by the conditions of its cases where it has cases, so that none are nested."""
    position = sp.piecewise_fold(sp.sympify(position))
    cases = position.args if isinstance(position, sp.Piecewise) else [(position, sp.true)]
    equal, before = [], sp.false
    for value, condition in cases:
        equal.append(sp.And(sp.Or(sp.Eq(value, entry), sp.Eq(value, entry - size)), condition, sp.Not(before)))
        before = sp.Or(before, condition)
    return sp.Or(*equal)


def lookup(x: Any, places: Sequence[tuple[int, Any]]) -> Any:
    """Return x at ``places``, pairs of an axis and positions, some of them not known yet."""
    op = DynamicGather(tuple(a for a, _ in places))
    return op(x, *[getattr(k, "array", k) for _, k in places])
