"""What a key reads: a Slice by integers, slices and new axes, a Gather by arrays of integers."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import prod
from typing import Any

import numpy as np
import sympy as sp

from symgrad.core.node import Shape
from symgrad.errors import GraphError, ShapeError
from symgrad.ops.keys import ALL, Item, Place, Span, check_range, wrapped
from symgrad.ops.map import show_shape
from symgrad.ops.scatter import Case, Selection, bare
from symgrad.ops.shape import Expand
from symgrad.support.frozen import frozen
from symgrad.support.lazy import cached_property

MARGIN = 3  # zeros that are written out
FEW = 16  # positions up to this many are written out in an index form
SMALL = 4096  # entries up to this many are added one by one


@frozen
class Slice(Selection):
    """The part of x that integers, slices and new axes select; ``items`` covers every axis."""

    items: tuple[Item, ...]
    name: str = "Slice"  # type: ignore[misc]
    unique = True
    views = shares = True

    def __str__(self) -> str:
        return ", ".join(map(str, self.items))

    @cached_property
    def key(self) -> Any:
        """The key in NumPy's words."""
        return tuple(slice(*i) if isinstance(i, Span) else i for i in self.items)

    def _over(self, sizes: Shape) -> Iterator[tuple[Item, Any]]:
        """Pair the items with the sizes of their axes."""
        rest = iter(sizes)
        return ((i, None if i is None else next(rest)) for i in self.items)

    def out_shape(self, s: Shape) -> Shape:
        """Integers drop an axis, slices shorten it, None adds one."""
        lengths: list[Any] = []
        for axis, (item, n) in enumerate(self._over(s)):
            if item is None:
                lengths.append(1)
            elif isinstance(item, Span):
                lengths.append(n if item == ALL else item.over(n)[2])
            elif isinstance(item, int):
                check_range(item, n, axis)
        return tuple(lengths)

    def margins(self, sizes: Shape) -> tuple[int, int, int] | None:
        """A slice without steps that leaves out up to three places of one axis."""
        cut = [k for k, item in enumerate(self.items) if item != ALL]
        item = self.items[cut[0]] if len(cut) == 1 and len(sizes) < 3 else None
        if not isinstance(item, Span) or item.step not in (None, 1):
            return None
        n = sizes[cut[0]]
        before, _, length = item.over(n)
        behind = sp.sympify(n) - before - length
        if not all(k.is_Integer and 0 <= k <= MARGIN for k in map(sp.sympify, (before, behind))):
            return None
        return cut[0], int(before), int(behind)

    def in_short(self, sizes: Shape) -> Slice:
        """The same places with the ends of axes left out: 1:n is 1:, and 0:n - 1 is :-1."""
        items: list[Item] = []
        for item, n in self._over(sizes):
            if isinstance(item, Span) and item.step in (None, 1) and not isinstance(n, int):
                start, stop = item.start, item.stop
                behind = None if stop is None else sp.sympify(stop) - n
                stop = None if behind == 0 else int(behind) if behind is not None and behind.is_Integer else stop
                item = Span(None if start == 0 else start, stop, None)
            items.append(item)
        return Slice(tuple(items), self.name)

    def behind(self) -> Slice:
        """All of a further axis in front."""
        return Slice((ALL, *self.items), self.name)

    def check_fit(self, v: Shape, region: Shape) -> None:
        """Check that v broadcasts to the selection, as PyTorch's ``expand`` does."""
        Expand(region).out_shape(v)

    def view(self, x: Any, to: Shape) -> Any:
        """Slices start and step; integers start only."""
        offset, steps, axis = x.offset, [], 0
        for item in self.items:
            if item is None:
                steps.append(0)
                continue
            n, s = x.shape[axis], x.steps[axis]
            axis += 1
            if isinstance(item, Span):
                start, step, _ = item.over(n)
                offset, steps = offset + start * s, [*steps, step * s]
            else:
                offset = offset + (n + item if isinstance(item, int) and item < 0 else item) * s
        return offset, (*steps, *x.steps[axis:])

    def index(self, idx: Sequence[sp.Expr], p: Any) -> sp.Expr:
        """Entry k of a slice lies at start + step k."""
        rest = iter(idx)
        indices: list[Any] = []
        for item, n in self._over(p.shape):
            if isinstance(item, Span):
                start, step, _ = item.over(n)
                indices.append(start + step * next(rest))
            elif item is None:
                next(rest)
            else:
                indices.append(sp.sympify(wrapped(item, n)))
        return p(indices)

    def add(self, target: Any, g: Any) -> None:
        """Nothing was read twice, so adding is assigning."""
        target[self.key] = bare(g)

    def cases(self, idx: Sequence[Any], sizes: Shape) -> list[Case] | None:
        """Each entry of the whole was read at most once."""
        rest = iter(idx)
        conditions: list[Any] = []
        local: list[Any] = []
        for item, n in self._over(sizes):
            if item is None:
                local.append(sp.S.Zero)
            elif isinstance(item, Span):
                hit, where = _inside(sp.sympify(next(rest)), n, *item.over(n))
                conditions += hit
                local.append(where)
            else:
                conditions.append(sp.Eq(next(rest), wrapped(item, n)))
        return _possible([(conditions, local)])


def _inside(k: Any, n: Any, start: Any, step: Any, length: Any) -> tuple[list[Any], Any]:
    """Say when entry k of an axis of size n is one of start, start + step, …, and which."""
    if length == 0:
        return [sp.false], sp.S.Zero
    end = start + step * (length - 1)
    low, high = (start, end) if step > 0 else (end, start)
    conditions = [] if low == 0 else [sp.Ge(k, low)]
    if high != n - 1 and high + abs(step) != n:
        conditions.append(sp.Le(k, high))
    if abs(step) != 1:
        conditions.append(sp.Eq(sp.Mod(k - start, abs(step)), 0))
    return conditions, (k - start) / step


def _possible(cases: Sequence[Case]) -> list[Case]:
    """Leave out the cases that cannot occur, and conditions that always hold."""
    return [([c for c in cs if c != sp.true], at) for cs, at in cases if not any(c == sp.false for c in cs)]


@frozen
class Gather(Selection):
    """The entries of x at integer positions; ``places`` pairs an axis with an array, broadcast together."""

    places: tuple[Place, ...]
    name: str = "Index"  # type: ignore[misc]
    unique = False

    @property
    def shares(self) -> bool:
        """Entries at positions are copies, but for windows that slide."""
        return self.name == "Unfold"

    def put(self, x: Any, v: Any) -> Any:
        """Write v to windows that have no entry in common."""
        if any(np.unique(f.array).size < f.array.size for _, f in self.places):
            raise GraphError("unfold: windows that overlap cannot be written to. Clone them first.")
        return super().put(x, v)

    def __str__(self) -> str:
        by_axis = dict(self.places)
        return ", ".join(str(by_axis[a]) if a in by_axis else ":" for a in range(max(by_axis, default=-1) + 1))

    @cached_property
    def axes(self) -> tuple[int, ...]:
        """The axes picked from."""
        return tuple(a for a, _ in self.places)

    @cached_property
    def key(self) -> Any:
        """The key in NumPy's words; an empty one reads all."""
        by_axis = {a: f.array for a, f in self.places}
        return tuple(by_axis.get(a, slice(None)) for a in range(max(by_axis, default=-1) + 1))

    @cached_property
    def block(self) -> tuple[int, ...]:
        """The common shape of the arrays."""
        return np.broadcast_shapes(*[f.array.shape for _, f in self.places])

    @cached_property
    def front(self) -> int:
        """The axis at which the block stands: in place of its axes if they are neighbours, else first."""
        neighbours = self.axes == tuple(range(self.axes[0], self.axes[-1] + 1)) if self.axes else False
        return self.axes[0] if neighbours else 0

    def beside(self, block: Sequence[Any], rest: Sequence[Any]) -> list[Any]:
        """Put what belongs to the block's axes among what belongs to the others."""
        return [*rest[: self.front], *block, *rest[self.front :]]

    def _rest(self, values: Sequence[Any]) -> list[Any]:
        return [v for a, v in enumerate(values) if a not in self.axes]

    def out_shape(self, s: Shape) -> Shape:
        """The block replaces the axes picked from."""
        for a, f in self.places:
            check_range(f.array, s[a], a)
        return tuple(self.beside(self.block, self._rest(s)))

    def behind(self) -> Gather:
        """The axes are one further on."""
        return Gather(tuple((a + 1, f) for a, f in self.places), self.name)

    def batch_axis(self) -> int:
        """Behind a block of positions that stands in front."""
        return len(self.block) if self.places and self.behind().front == 0 else 0

    def check_fit(self, v: Shape, region: Shape) -> None:
        """Broadcasting, without new leading axes."""
        if len(v) > len(region) or any(n not in (1, m) for n, m in zip(v[::-1], region[::-1])):
            raise ShapeError(
                f"shape mismatch: value tensor of shape {show_shape(v)} cannot be broadcast to indexing "
                f"result of shape {show_shape(region)}. Expand or reshape the value."
            )

    def at(self, entry: tuple[int, ...], sizes: Shape) -> list[Any]:
        """Return the positions that an entry of the block reads, one per axis picked from."""
        positions = (np.broadcast_to(f.array, self.block)[entry] for _, f in self.places)
        return [wrapped(int(k), sizes[a]) for k, a in zip(positions, self.axes, strict=True)]

    def view(self, x: Any, to: Shape) -> Any:
        """Positions in equal steps, as those of windows, lie at equal steps."""
        offset, steps, further = self.addresses(x)
        return None if further is not None else (offset, steps)

    def addresses(self, x: Any) -> tuple[Any, tuple[Any, ...], Any]:
        """Return (offset, steps, further): in the memory of x, entries lie ``further`` than a view of these has them.

        Positions in equal steps are steps of the view. The others make an array beside the block; None without any.
        """
        offset, steps, further = x.offset, [0] * len(self.block), None
        for a, f in self.places:
            positions = _counted(f.array, x.shape[a])
            straight = None if positions is None else _straight(positions)
            if straight is None:
                more = (f.array if positions is None else positions) * x.steps[a]
                further = more if further is None else further + more
                continue
            offset += straight[0] * x.steps[a]
            for d, s in enumerate(straight[1], len(steps) - f.array.ndim):
                steps[d] += s * x.steps[a]
        return offset, tuple(self.beside(steps, self._rest(x.steps))), further

    def index(self, idx: Sequence[sp.Expr], p: Any) -> sp.Expr:
        """Positions in equal steps become a formula, a few of them a case each, more stay a named entry."""
        block, rest = idx[self.front : self.front + len(self.block)], list(idx)
        del rest[self.front : self.front + len(self.block)]
        straight = [_affine(np.broadcast_to(f.array, self.block), block, p.shape[a]) for a, f in self.places]
        if all(s is not None for s in straight):
            return p(self._whole(straight, rest))
        if self._many():
            return p.entry(self, (p,), idx)
        reads = ((self._whole(self.at(e, p.shape), rest), _equal(block, e)) for e in np.ndindex(self.block))
        cases = _possible([([c for c in cs if c != sp.true], at) for at, cs in reads])
        return sp.Piecewise(*[(p(at), sp.And(*cs)) for cs, at in cases[:-1]], (p(cases[-1][1]), True))

    def _many(self) -> bool:
        return int(np.prod(self.block, dtype=int)) > FEW

    def _whole(self, positions: Sequence[Any], rest: Sequence[Any]) -> list[Any]:
        """Return the index into x."""
        by_axis, others = dict(zip(self.axes, positions, strict=True)), iter(rest)
        ndim = len(positions) + len(rest)
        return [sp.sympify(by_axis[a]) if a in by_axis else next(others) for a in range(ndim)]

    def add(self, target: Any, g: Any) -> None:
        """Add up entries that were read twice. ``np.add.at`` is slow on rows: those are sorted and summed in runs."""
        if np.size(g) < SMALL or np.size(g) == prod(self.block):
            np.add.at(target, self.key, g)
            return
        front, ndim = self.front, len(self.block)
        taken = [target.shape[a] for a in self.axes]
        rows = np.moveaxis(g, range(front, front + ndim), range(ndim)).reshape(prod(self.block), -1)
        at = np.ravel_multi_index([f.array % n for (_, f), n in zip(self.places, taken, strict=True)], taken)
        flat = np.zeros((prod(taken), rows.shape[1]), target.dtype)
        _add_rows(flat, np.broadcast_to(at, self.block).ravel(), rows)
        np.moveaxis(target, self.axes, range(len(taken)))[...] = flat.reshape(*taken, *self._rest(target.shape))

    def cases(self, idx: Sequence[Any], sizes: Shape) -> list[Case] | None:
        """One case for each entry of the block; an entry of the whole may have been read several times."""
        wanted, rest = [idx[a] for a in self.axes], self._rest(idx)
        if all(_is_number(k) and isinstance(sizes[a], int) for k, a in zip(wanted, self.axes)):
            hits = [f.array % sizes[a] == int(k) for (a, f), k in zip(self.places, wanted, strict=True)]
            mask = np.broadcast_to(np.logical_and.reduce(np.broadcast_arrays(*hits)), self.block)
            return [([], self.beside(list(map(sp.Integer, e)), rest)) for e in np.argwhere(mask).tolist()]
        straight = self._progression(sizes)
        if straight is not None:
            hit, where = _inside(sp.sympify(wanted[0]), sizes[self.axes[0]], *straight)
            return _possible([(hit, self.beside([where], rest))])
        if self._many():
            return None
        entries = list(np.ndindex(self.block))
        conditions = [_equal(wanted, self.at(e, sizes)) for e in entries]
        targets = [self.beside(list(map(sp.Integer, e)), rest) for e in entries]
        return _possible(list(zip(conditions, targets)))

    def window(self, idx: Sequence[Any], sizes: Shape, p: Any) -> tuple[list[Any], list[Any], list[Any]] | None:
        """Entry k was read as entry q of window m, where k = first + s m + d q."""
        if len(self.places) != 1 or len(self.block) != 2 or min(self.block) < 2:
            return None
        (axis, positions), (count, size) = self.places[0], self.block
        m, q = sp.Dummy(), sp.Dummy()
        position = _affine(positions.array, [m, q], sizes[axis])
        if position is None or _is_number(idx[axis]):
            return None
        s, d, k = position.coeff(m), position.coeff(q), sp.sympify(idx[axis]) - position.subs({m: 0, q: 0})
        if s < 1 or d < 1:
            return None
        apart = d == 1 and size <= s
        inside = sp.Mod(k, s) if apart else p.fresh()
        window = sp.floor(k / s) if apart else (k - d * inside) / s
        limits = [] if apart else [(inside, sp.S.Zero, sp.Integer(size - 1))]
        conditions = [sp.Ge(k - d * inside, 0), sp.Le(k - d * inside, s * (count - 1))]
        if apart:
            conditions = [sp.Lt(inside, size)] if size < s else []
            conditions += [sp.Lt(k, s * count)] if s * count < sizes[axis] else []
        elif s > 1:
            conditions.append(sp.Eq(sp.Mod(k - d * inside, s), 0))
        return conditions, self.beside([window, inside], self._rest(idx)), limits

    def _progression(self, sizes: Shape) -> tuple[Any, int, int] | None:
        """Return (start, step, length) where one vector of positions goes in equal steps, without repeats."""
        if len(self.places) != 1 or self.places[0][1].array.ndim != 1 or self.places[0][1].array.size < 3:
            return None
        (axis, positions), k = self.places[0], sp.Dummy()
        position = _affine(positions.array, [k], sizes[axis])
        step = 0 if position is None else position.coeff(k)
        return None if step == 0 else (position.subs(k, 0), int(step), positions.array.size)


def _add_rows(target: Any, at: Any, rows: Any) -> None:
    order = np.argsort(at, kind="stable")
    at = at[order]
    starts = np.flatnonzero(np.diff(at, prepend=-1))
    target[at[starts]] = np.add.reduceat(rows[order], starts, axis=0)


def _equal(block: Sequence[Any], entry: Sequence[Any]) -> list[Any]:
    return [sp.Eq(k, m) for k, m in zip(block, entry, strict=True)]


def _is_number(k: Any) -> bool:
    return isinstance(k, int) or bool(k.is_Integer)


def _affine(array: Any, idx: Sequence[Any], n: Any) -> Any:
    """Return the position at ``idx`` as a formula where positions go in equal steps, else None."""
    if not array.size:
        return sp.S.Zero
    positions = _counted(array, n)
    if positions is None:
        return None
    if all(map(_is_number, idx)):
        return wrapped(int(positions[tuple(map(int, idx))]), n)
    straight = _straight(positions)
    if straight is None:
        return None
    first, steps = straight
    return sp.sympify(wrapped(first, n)) + sum(s * k for s, k in zip(steps, idx, strict=True))


def _counted(array: Any, n: Any) -> Any:
    """Return positions that all count from the same end; None where the size has a name and they do not."""
    if isinstance(n, int):
        return array % n if array.size else array
    return None if array.size and array.min() < 0 <= array.max() else array


def _straight(array: Any) -> tuple[int, list[int]] | None:
    """Return the first position, and the steps along each axis of the array; None where they are not equal."""
    if not array.size:
        return 0, [0] * array.ndim
    first = int(array.flat[0])
    steps = [int(np.take(array, 1, d).flat[0]) - first if m > 1 else 0 for d, m in enumerate(array.shape)]
    ends = sum(s * (m - 1) for s, m in zip(steps, array.shape, strict=True))
    if array.flat[-1] != first + ends:  # most of those that are not
        return None
    rest = np.array(first)
    for s, m in zip(steps, array.shape, strict=True):
        rest = rest[..., None] + s * np.arange(m)
    return None if np.any(array != rest) else (first, steps)
