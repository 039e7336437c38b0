"""Operations that depend on order: positions along an axis, and reading there.

An index operation finds positions, which have no derivative; TakeAlongAxis reads the entries there, and its adjoint
puts cotangents back. So the gradient of all of these goes to the entry whose index is returned.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import sympy as sp

from symgrad.core.node import Shape
from symgrad.core.promotion import of_first, positions
from symgrad.ops.conditions import one_if
from symgrad.ops.elementwise.guards import WEIGH
from symgrad.ops.reduction import Reduction, each_row, kept, lift, on_rows
from symgrad.ops.reductions.extremes import Ties
from symgrad.ops.reductions.scan import AlongAxis
from symgrad.ops.shape import total
from symgrad.ops.sorting.stable_order import stable_order
from symgrad.support.frozen import frozen

_LONG, _MANY = 32, 1024  # entries of rows, and of all of them, below which sorting is quicker than selection
_FEW = 4  # places up to which selection is quicker


class FindsPositions(AlongAxis):
    """What finds positions along an axis: integers, without derivative."""

    saves = ""
    words: tuple[str, ...] = ()
    gives = positions
    flat = True
    decides = True

    def on_symbols(self, x: Any) -> Any:
        rows = np.moveaxis(x, self.axis, -1)
        positions = [self.search(list(rows[k])) for k in np.ndindex(rows.shape[:-1])]
        flat = np.array(positions, dtype=object).reshape(*rows.shape[:-1], -1)
        return np.moveaxis(flat, -1, self.axis)

    def search(self, row: list[sp.Expr]) -> list[sp.Expr]:
        """Return the positions in one row of expressions."""
        raise NotImplementedError


@frozen
class Argsort(FindsPositions):
    """The positions that sort x along the axis; equal entries keep their order, nan counts as largest."""

    axis: int
    descending: bool = False
    words = ("descending",)
    routine = "rows"

    def forward(self, x: Any) -> Any:
        """Sort; downwards as upwards read from the back, so that equal entries keep their order."""
        if not self.descending:
            return stable_order(x, self.axis)
        back = stable_order(np.flip(x, self.axis), self.axis)
        return np.shape(x)[self.axis] - 1 - np.flip(back, self.axis)

    def search(self, row: list[sp.Expr]) -> list[sp.Expr]:
        """Entry k has as many entries before it as are smaller, or equal and earlier."""
        ranks = [
            sp.Add(*[self._before(a, row[k], j < k) for j, a in enumerate(row) if j != k]) for k in range(len(row))
        ]
        return [sp.Add(*[k * one_if(sp.Eq(rank, r)) for k, rank in enumerate(ranks)]) for r in range(len(row))]

    def _before(self, a: sp.Expr, b: sp.Expr, earlier: bool) -> sp.Expr:
        a, b = (b, a) if self.descending else (a, b)
        return one_if(a <= b if earlier else a < b)


def positions_in_order(x: Any, places: Any, axis: int = -1) -> Any:
    """Return where the entries at these places in order along an axis are; equal entries keep their order.

    Few places of long rows are selected: the value by NumPy's partition, and of the entries equal to it the one with as
    many before it as the place has above the smaller ones. The place of a nan is 0 then.
    """
    kth = np.unique(places)
    if kth.size > _FEW or not is_selected(x.shape, places.shape):
        return np.take_along_axis(stable_order(x, axis), places, axis)
    x, places = np.moveaxis(x, axis, -1), np.moveaxis(places, axis, -1)
    values = np.take_along_axis(np.partition(x, kth, -1), places, -1)
    chosen = [_with_rank(x, values[..., j, None], places[..., j]) for j in range(places.shape[-1])]
    return np.stack(chosen, axis)


def is_selected(s: Shape, result: Shape) -> bool:
    """Whether NumPy's partition is the quickest way to an entry of each row."""
    return bool(_MANY <= total(s) >= _LONG * total(result))


def _with_rank(x: Any, value: Any, place: Any) -> Any:
    """Return where the value at a place in the order of each row is, counted among those equal to it."""
    equal, rank = x == value, place - np.count_nonzero(x < value, -1)
    return np.argmax(np.cumsum(equal, -1) > rank[..., None] if rank.any() else equal, -1)


@frozen
class Median(FindsPositions):
    """The position of the lower median along the axis, of the first nan if there is one; the axis stays."""

    axis: int
    name = "Argmedian"
    routine = "rows"

    def forward(self, x: Any) -> Any:
        """Select the middle."""
        middle = np.full(self.out_shape(x.shape), (x.shape[self.axis] - 1) // 2)
        positions = positions_in_order(x, middle, self.axis)
        nan = np.isnan(x)
        return np.where(nan.any(self.axis, keepdims=True), nan.argmax(self.axis, keepdims=True), positions)

    def out_shape(self, s: Shape) -> Shape:
        return kept(s, (self.axis,))

    def search(self, row: list[sp.Expr]) -> list[sp.Expr]:
        """Argsort; the values are sorted as ``Sort`` does."""
        return [Argsort(0).search(row)[(len(row) - 1) // 2]]


@frozen
class ArgRunning(FindsPositions):
    """The position of the largest entry so far along the axis, or the smallest; the last one of equals."""

    axis: int
    largest: bool = True
    routine = "rows"

    @property
    def label(self) -> str:
        """Argcummax or Argcummin."""
        return "Argcummax" if self.largest else "Argcummin"

    def forward(self, x: Any) -> Any:
        """Mark the entries that are the extreme so far, and carry their positions on."""
        best = (np.maximum if self.largest else np.minimum).accumulate(x, self.axis)
        places = np.arange(x.shape[self.axis]).reshape([-1 if a == self.axis else 1 for a in range(x.ndim)])
        return np.maximum.accumulate(np.where((x == best) | (x != x), places, 0), self.axis)

    def search(self, row: list[sp.Expr]) -> list[sp.Expr]:
        """Compare each entry with the extreme before it."""
        positions: list[Any] = [sp.S.Zero]
        best = row[0]
        for k, x in enumerate(row[1:], 1):
            positions.append(sp.Piecewise((k, x >= best if self.largest else x <= best), (positions[-1], True)))
            best = (sp.Max if self.largest else sp.Min)(best, x)
        return positions


@frozen
class TakeAlongAxis(AlongAxis):
    """The entries of x at positions along the axis: y[i] = x[at[i]]."""

    axis: int
    words = ()
    saves = "x"
    gives = of_first
    explained = "entries picked by their positions: the adjoint goes back to where they stood"
    routine = "moves"

    def forward(self, x: Any, at: Any) -> Any:
        """Read the entries at the indices along the axis."""
        return np.take_along_axis(np.asarray(x), np.asarray(at, np.int64), self.axis)

    def on_symbols(self, x: Any, at: Any) -> Any:
        """Compare each position with every place."""
        rows, places = np.moveaxis(x, self.axis, -1), np.moveaxis(at, self.axis, -1)
        entries = np.empty(places.shape, dtype=object)
        for k in np.ndindex(places.shape):
            *front, (last, _) = [(v, sp.Eq(places[k], n)) for n, v in enumerate(rows[k[:-1]])]
            entries[k] = sp.Piecewise(*front, (last, True))
        return np.moveaxis(entries, -1, self.axis)

    def out_shape(self, s: Shape, at: Shape) -> Shape:
        return at

    def keeps(self, active: tuple[int, ...], count: int) -> tuple[bool, tuple[bool, ...]]:
        """The rule looks at the positions."""
        return False, (False, True)

    def vjp(self, i: int, g: Any, y: Any, x: Any, at: Any) -> Any:
        """Put the cotangent back."""
        return None if i else AddAlongAxis(self.axis, x.shape[self.axis])(g, at)

    def jvp(self, ts: Sequence[Any], y: Any, x: Any, at: Any) -> Any:
        return None if ts[0] is None else self(ts[0], at)


@frozen
class AddAlongAxis(AlongAxis):
    """The adjoint of TakeAlongAxis: add g into zeros, at positions along the axis, which gets length n."""

    axis: int
    n: Any
    words = ()
    saves = "x"
    gives = of_first
    explained = "entries put back to their positions: the adjoint is read there"
    routine = "moves"

    def forward(self, g: Any, at: Any) -> Any:
        """Add the entries at the indices along the axis."""
        g, at = np.asarray(g), np.asarray(at, np.int64)
        total = np.zeros(self.out_shape(g.shape, at.shape), g.dtype)
        key = [np.arange(m).reshape([-1 if a == k else 1 for a in range(g.ndim)]) for k, m in enumerate(g.shape)]
        key[self.axis] = at
        np.add.at(total, tuple(key), g)
        return total

    def on_symbols(self, g: Any, at: Any) -> Any:
        """Compare each place with every position."""
        rows, places = np.moveaxis(g, self.axis, -1), np.moveaxis(at, self.axis, -1)
        sums = np.empty((*rows.shape[:-1], self.n), dtype=object)
        for *k, n in np.ndindex(sums.shape):
            pairs = zip(rows[tuple(k)], places[tuple(k)], strict=True)
            sums[(*k, n)] = sp.Add(*[v * one_if(sp.Eq(p, n)) for v, p in pairs])
        return np.moveaxis(sums, -1, self.axis)

    def out_shape(self, s: Shape, at: Shape) -> Shape:
        """The axis has length n."""
        return (*s[: self.axis], self.n, *s[self.axis + 1 :])

    def keeps(self, active: tuple[int, ...], count: int) -> tuple[bool, tuple[bool, ...]]:
        """The rule looks at the positions."""
        return False, (False, True)

    def vjp(self, i: int, g: Any, y: Any, v: Any, at: Any) -> Any:
        """Read the cotangent at the indices."""
        return None if i else TakeAlongAxis(self.axis)(g, at)

    def jvp(self, ts: Sequence[Any], y: Any, g: Any, at: Any) -> Any:
        """Add the tangent into zeros."""
        return None if ts[0] is None else self(ts[0], at)


@frozen
class MedianOfAll(Reduction):
    """The lower median of the entries along the axes; equal ones share the gradient evenly."""

    times = WEIGH
    saves = "xy"
    name = "Median"
    explained = "median: the adjoint goes to the entry in the middle; ties share it"
    quoted = "d median({u}) = d{u}ₖ, {u}ₖ the entry in the middle"
    decides = True
    routine = "rows"

    def forward(self, x: Any) -> Any:
        """Select the middle; nan where there is one, which is then the last in order."""
        rows = on_rows(x, self.axes)
        places = (rows.shape[-1] - 1) // 2, rows.shape[-1] - 1
        ordered = np.partition(rows, places, -1)
        middle, last = (ordered[..., k] for k in places)
        return np.where(last != last, last, middle).reshape(self.out_shape(np.shape(x)))

    def on_symbols(self, x: Any) -> Any:
        """Sort by exchanges of neighbours."""
        return each_row(on_rows(x, self.axes), _middle).reshape(self.out_shape(x.shape))

    def slope(self, y: Any, x: Any) -> Any:
        """One at the median; ties share it."""
        return Ties(self.axes)(x, lift(y, x, self.axes))


def _middle(row: list[sp.Expr]) -> sp.Expr:
    for end in range(len(row) - 1, 0, -1):
        for k in range(end):
            row[k], row[k + 1] = sp.Min(row[k], row[k + 1]), sp.Max(row[k], row[k + 1])
    return row[(len(row) - 1) // 2]
