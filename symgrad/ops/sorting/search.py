"""Where entries belong in an ordered row, and how many fall between edges. Nothing here has a derivative."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import sympy as sp

from symgrad.core.node import Shape
from symgrad.core.promotion import is_bool, of_first, positions
from symgrad.errors import ArgumentError, ShapeError
from symgrad.ops.conditions import one_if
from symgrad.ops.convert import Cast
from symgrad.ops.map import show_shape
from symgrad.ops.protocol import Op, shape
from symgrad.ops.shape import Reshape, each_batched
from symgrad.support.frozen import frozen


class _Counts(Op):
    """What the operations here share: integers or counts, and no derivative."""

    saves = ""
    flat = True


@frozen
class SearchSorted(_Counts):
    """How many entries of the ordered row are below v, or not above it; rows (n,) or one for each row of v."""

    right: bool = False
    name = "Searchsorted"
    gives = positions

    def forward(self, row: Any, v: Any) -> Any:
        """Find the places by bisection."""
        row, v = np.asarray(row), np.asarray(v)
        side: Any = "right" if self.right else "left"
        if row.ndim == 1:
            return np.asarray(np.searchsorted(row, v, side))
        count = int(np.prod(v.shape[:-1]))
        flat, wanted = row.reshape(count, row.shape[-1]), v.reshape(count, v.shape[-1])
        return np.array([np.searchsorted(r, w, side) for r, w in zip(flat, wanted)], np.int64).reshape(v.shape)

    def on_symbols(self, row: Any, v: Any) -> Any:
        """The number of boundaries below each entry, by cases of the first boundary that is not."""
        row, v = np.asarray(row, dtype=object), np.asarray(v, dtype=object)
        counts = np.empty(v.shape, dtype=object)
        for k in np.ndindex(v.shape):
            entries = row if row.ndim == 1 else row[k[:-1]]
            cases = [(n, v[k] < e if self.right else v[k] <= e) for n, e in enumerate(entries)]
            counts[k] = sp.Piecewise(*cases, (len(entries), True))
        return counts

    def out_shape(self, row: Shape, v: Shape) -> Shape:
        return v

    def batched(self, size: int, xs: Sequence[Any], flags: Sequence[bool]) -> Any:
        """One row for all, or for each slice its own."""
        row, v = xs
        if not flags[0] and len(shape(row)) == 1:
            return self(row, v)
        row, v = each_batched(size, xs, flags)
        if len(shape(v)) == 1:
            return Reshape((size,))(self(row, Reshape((size, 1))(v)))
        return self(row, v) if len(shape(row)) == len(shape(v)) else NotImplemented


@frozen
class Histogram(_Counts):
    """How many entries of x lie in each of ``bins`` equal parts of [low, high], the last part with its end."""

    bins: int
    low: float
    high: float
    name = "Histc"
    gives = of_first
    looped = "each slice has ends and counts of its own"
    not_exportable = "no loop that counts"
    decides = True

    def forward(self, x: Any) -> Any:
        """Count the entries in each bin."""
        x = np.asarray(x)
        low, high = self.low, self.high
        if low == high and x.size:
            low, high = x.min(), x.max()
        low, high = (low - 1, high + 1) if low == high else (low, high)
        entries = x.astype(np.uint8) if is_bool(x.dtype) else x[np.isfinite(x)]
        return np.histogram(entries, self.bins, (low, high))[0].astype(x.dtype)

    def _ends(self, x: Any) -> tuple[sp.Expr, sp.Expr]:
        """The ends that are given; where they are equal those of the entries, and one to each side of equal ones."""
        low, high = sp.nsimplify(self.low), sp.nsimplify(self.high)
        if low == high and x.size:
            low, high = sp.Min(*x.flat), sp.Max(*x.flat)
        apart = sp.Piecewise((1, sp.Eq(low, high)), (0, True))
        return low - apart, high + apart

    def on_symbols(self, x: Any) -> Any:
        """Count, between edges that are given or those of the entries."""
        low, high = self._ends(x)
        edges = [low + (high - low) * sp.Rational(k, self.bins) for k in range(self.bins + 1)]
        counts = np.empty(self.bins, dtype=object)
        for k in range(self.bins):
            last = k == self.bins - 1
            counts[k] = sp.Add(*[
                one_if(sp.And(v >= edges[k], v <= edges[k + 1] if last else v < edges[k + 1])) for v in x.flat
            ])  # fmt: skip
        return counts

    def out_shape(self, s: Shape) -> Shape:
        return (self.bins,)


def _check_search(s: Shape, v: Shape, right: bool, side: str | None) -> None:
    if side not in (None, "left", "right") or (side == "left" and right):
        raise ArgumentError(
            "torch.searchsorted(): side and right can't be set to opposites, got side of "
            f"{side} while right was {right}. Pass one of them."
        )
    if not s or (len(s) > 1 and s[:-1] != v[:-1]):
        raise ShapeError(
            "torch.searchsorted(): boundaries tensor should be 1 dimension or the first N-1 dimensions of boundaries "
            f"tensor and input value tensor must match, but we got boundaries tensor {show_shape(s)} and input value "
            f"tensor {show_shape(v)}."
        )


def searchsorted(
    sorted_sequence: Any, input: Any, *, out_int32: bool = False, right: bool = False, side: str | None = None
) -> Any:
    """Return the position of each v in an ordered row: the number of entries < v, or with ``right`` ≤ v.

    Args:
        sorted_sequence: (n,), or (…, n) with the leading axes of input; in ascending order along the last axis.
        input: v, a number or tensor.
        out_int32: whether to return int32 instead of int64.
        right, side: whether to count entries equal to v too; side is "left" or "right".

    Returns:
        An integer tensor shaped like input, without gradient.

    Raises:
        ShapeError: if the leading axes differ.
        ArgumentError: if right and side contradict each other.

    >>> sg.searchsorted(sg.tensor([1.0, 2.0, 3.0]), sg.tensor([2.0, 5.0]))
    tensor([1, 3])
    """
    _check_search(shape(sorted_sequence), shape(input), right, side)
    positions = SearchSorted(right or side == "right")(sorted_sequence, input)
    return Cast(np.dtype(np.int32))(positions) if out_int32 else positions


def bucketize(input: Any, boundaries: Any, *, out_int32: bool = False, right: bool = False) -> Any:
    """Return the bucket of each v: k where b_{k-1} < v ≤ b_k, with ``right`` b_{k-1} ≤ v < b_k.

    Args:
        input: v, a number or tensor.
        boundaries: b (n,), in ascending order.
        out_int32: whether to return int32 instead of int64.
        right: True if the left end of each bucket belongs to it, False if the right end does.

    Returns:
        An integer tensor shaped like input, without gradient.

    Raises:
        ShapeError: if boundaries is not a vector.

    >>> sg.bucketize(sg.tensor([1.0, 2.5]), sg.tensor([1.0, 2.0, 3.0]))
    tensor([0, 2])
    """
    if len(shape(boundaries)) != 1:
        raise ShapeError(
            f"bucketize(): boundaries tensor must be 1 dimension, but got dim({len(shape(boundaries))}). Flatten it."
        )
    return searchsorted(boundaries, input, out_int32=out_int32, right=right)


def histc(input: Any, bins: int = 100, min: float = 0, max: float = 0) -> Any:
    """Count the entries of x in equal parts of [min, max]; entries outside are ignored.

    Args:
        input: x, any shape.
        bins: the number of parts.
        min, max: the ends of the interval; if both are 0, the smallest and the largest entry of x.

    Returns:
        A tensor (bins,) of x's dtype, without gradient.

    Raises:
        ArgumentError: if bins is not positive, or max is below min.

    >>> sg.histc(sg.tensor([1.0, 2.0, 1.0]), bins=4, min=0, max=3)
    tensor([0., 2., 1., 0.])
    """
    if bins <= 0:
        raise ArgumentError(f"torch.histc(): bins must be > 0, but got {bins}. Pass the number of bins.")
    if min > max:
        raise ArgumentError(f"torch.histc: max must be larger than min. Got min={min} and max={max}.")
    return Histogram(bins, min, max)(Reshape((int(np.prod(shape(input))),))(input))
