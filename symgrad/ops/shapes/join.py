"""Putting tensors together: cat, stack, and the same by direction.

Both operations are linear; the cotangent of each input is the part of g that it became.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate
from typing import Any

import numpy as np
import sympy as sp

from symgrad.core.node import Shape
from symgrad.core.promotion import stacked
from symgrad.errors import ArgumentError, ShapeError
from symgrad.ops.indexing.select import along, part
from symgrad.ops.keys import ALL
from symgrad.ops.map import show_shape
from symgrad.ops.protocol import Op, shape
from symgrad.ops.scatter import decided
from symgrad.ops.shape import Reshape, axis_of
from symgrad.ops.shapes.padding import pad
from symgrad.ops.shapes.sizes import _in_depth, _in_rows, _shaped
from symgrad.support.frozen import frozen


@frozen
class Cat(Op):
    """Join along an axis that exists."""

    axis: int
    linear = True
    saves = ""
    rearranges = indexes = True
    explained = "joined arrays: each receives its own piece of the adjoint"

    def forward(self, *xs: Any) -> Any:
        """Concatenate the arrays along the axis."""
        return np.concatenate(xs, axis=self.axis)

    def out_shape(self, *shapes: Shape) -> Shape:
        """Sizes along the axis add up; the others agree."""
        first, got = shapes[0], ", ".join(map(show_shape, shapes))
        for k, s in enumerate(shapes):
            if not s:
                raise ShapeError(
                    f"zero-dimensional tensor (at position {k}) cannot be concatenated. "
                    "Use stack, or reshape it to (1,)."
                )
            if len(s) != len(first):
                raise ShapeError(
                    f"Tensors must have same number of dimensions: got {len(first)} and {len(s)}. "
                    f"Got shapes {got}; unsqueeze the smaller one."
                )
            wrong = next((d for d, (n, m) in enumerate(zip(first, s)) if d != self.axis and n != m), None)
            if wrong is not None:
                raise ShapeError(
                    f"Sizes of tensors must match except in dimension {self.axis}. Expected size "
                    f"{first[wrong]} but got size {s[wrong]} for tensor number {k} in the list. "
                    f"Got shapes {got}."
                )
        return (*first[: self.axis], sum(s[self.axis] for s in shapes), *first[self.axis + 1 :])

    def vjps(self, which: Sequence[int], g: Any, y: Any, *xs: Any) -> list[Any]:
        # x̄ᵢ = the entries of g that came from xᵢ; sizes are counted once for all inputs, which may be many
        ends = list(accumulate((x.shape[self.axis] for x in xs), initial=0))
        return [along(g, self.axis, ends[i], ends[i + 1]) for i in which]

    def index(self, idx: Sequence[sp.Expr], *ps: Any) -> sp.Expr:
        """Read from the input whose range the position lies in."""
        cases: list[tuple[sp.Expr, Any]] = []
        start: Any = 0
        for p in ps:
            k = sp.sympify(idx[self.axis])
            stop = start + p.shape[self.axis]
            inside = sp.true if p is ps[-1] else decided(sp.Lt(k, stop))
            if inside != sp.false and stop != start:
                cases.append((p([*idx[: self.axis], k - start, *idx[self.axis + 1 :]]), inside))
            if inside == sp.true:
                break
            start = stop
        return sp.Piecewise(*cases)

    def notation(self, write: Any, *args: Any) -> Any:
        return write.blocks(args, ", " if self.axis else "; ")


@frozen
class Stack(Op):
    """Join along a new axis."""

    axis: int
    linear = True
    saves = ""
    gives = stacked
    rearranges = indexes = True
    explained = "stacked arrays: each receives its own layer of the adjoint"

    def forward(self, *xs: Any) -> Any:
        """Stack the arrays along a new axis."""
        if all(type(x) is float for x in xs):
            return np.array(xs)
        return np.stack(xs, axis=self.axis)

    def out_shape(self, *shapes: Shape) -> Shape:
        """All shapes are the same; the new axis has their number."""
        first = shapes[0]
        for k, s in enumerate(shapes):
            if s != first:
                raise ShapeError(
                    f"stack expects each tensor to be equal size, but got {show_shape(first)} at entry 0 and "
                    f"{show_shape(s)} at entry {k}. Reshape or expand them to one shape, or use cat."
                )
        return (*first[: self.axis], len(shapes), *first[self.axis :])

    def vjps(self, which: Sequence[int], g: Any, y: Any, *xs: Any) -> list[Any]:
        # x̄ᵢ = g[…, i, …]
        before, after = [ALL] * self.axis, [ALL] * (len(shape(g)) - self.axis - 1)
        return [part((*before, i, *after))(g) for i in which]

    def index(self, idx: Sequence[sp.Expr], *ps: Any) -> sp.Expr:
        """Position k along the new axis reads input k."""
        k, rest = sp.sympify(idx[self.axis]), [*idx[: self.axis], *idx[self.axis + 1 :]]
        if k.is_Integer:
            entry: sp.Expr = ps[int(k)](rest)
            return entry
        *front, last = ps
        return sp.Piecewise(*[(p(rest), sp.Eq(k, m)) for m, p in enumerate(front)], (last(rest), True))

    def notation(self, write: Any, *args: Any) -> Any:
        return write.blocks(args, ", ") if self.axis else write.call("stack", *args)


# ------------------------------------------------------------------ what users call
def cat(tensors: Sequence[Any], dim: int = 0, *, axis: int | None = None) -> Any:
    """Concatenate tensors along ``dim``: y = [x₀, x₁, …].

    Args:
        tensors: shapes equal but for size n₀, n₁, … along dim. One of shape (0,) fits all.
        dim: the axis to join along.

    Returns:
        A tensor with size n₀ + n₁ + … along dim.

    Raises:
        ShapeError: if the other sizes differ, or a tensor has no axis.
        ArgumentError: if the list is empty.

    >>> sg.cat([sg.tensor([1.0]), sg.tensor([2.0, 3.0])])
    tensor([1., 2., 3.])
    """
    if len(tensors) == 0:
        raise ArgumentError("torch.cat(): expected a non-empty list of Tensors. Got none.")
    model = next((s for s in map(shape, tensors) if s != (0,)), (0,))
    op = Cat(axis_of(dim if axis is None else axis, len(model)))
    filled = [_empty_like(x, model, op.axis) if shape(x) == (0,) else x for x in tensors]
    op.out_shape(*map(shape, filled))
    return op(*filled)


def _empty_like(x: Any, model: Shape, axis: int) -> Any:
    """Return the empty vector x in a shape that joins."""
    return x if len(model) < 2 else Reshape((*model[:axis], 0, *model[axis + 1 :]))(x)


concat = concatenate = cat


def stack(tensors: Sequence[Any], dim: int = 0, *, axis: int | None = None) -> Any:
    """Stack tensors along a new axis: y[k] = x_k for dim = 0.

    Args:
        tensors: k tensors of one shape.
        dim: the position of the new axis in the result.

    Returns:
        A tensor with a new axis of size k.

    Raises:
        ShapeError: if the shapes differ, or the list is empty.

    >>> sg.stack([sg.tensor(1.0), sg.tensor(2.0)])
    tensor([1., 2.])
    """
    if len(tensors) == 0:
        raise ShapeError("stack expects a non-empty TensorList. Got none.")
    op = Stack(axis_of(dim if axis is None else axis, len(shape(tensors[0])) + 1))
    op.out_shape(*map(shape, tensors))
    return op(*tensors)


def hstack(tensors: Sequence[Any]) -> Any:
    """Concatenate tensors along dim 1; vectors and numbers along dim 0.

    >>> sg.hstack([sg.tensor(1.0), sg.tensor([2.0, 3.0])])
    tensor([1., 2., 3.])
    """
    wide = [x if shape(x) else Reshape((1,))(x) for x in tensors]
    return cat(wide, 0 if wide and len(shape(wide[0])) == 1 else 1)


def vstack(tensors: Sequence[Any]) -> Any:
    """Concatenate tensors along dim 0, with vectors as rows.

    >>> sg.vstack([sg.tensor([1.0, 2.0]), sg.tensor([3.0, 4.0])])
    tensor([[1., 2.],
            [3., 4.]])
    """
    return cat([_rows(x) for x in tensors], 0)


def _rows(x: Any) -> Any:
    sizes = shape(x)
    return x if len(sizes) > 1 else Reshape((1, *(sizes or (1,))))(x)


# ------------------------------------------------------------------ by direction
def dstack(tensors: Sequence[Any]) -> Any:
    """Concatenate tensors along dim 2, with vectors as (1, n, 1) and matrices as (n, m, 1).

    Args:
        tensors: shapes equal but for dim 2.

    Returns:
        A tensor with at least three axes.

    Raises:
        ShapeError: if the other sizes differ.

    >>> sg.dstack([sg.tensor([1.0, 2.0]), sg.tensor([3.0, 4.0])])
    tensor([[[1., 3.],
             [2., 4.]]])
    """
    return cat([_shaped(x, _in_depth(shape(x))) for x in tensors], 2)


def column_stack(tensors: Sequence[Any]) -> Any:
    """Concatenate tensors along dim 1, with numbers and vectors as columns.

    Args:
        tensors: vectors (n,), or shapes equal but for dim 1.

    Returns:
        A tensor with at least two axes.

    Raises:
        ShapeError: if the other sizes differ.

    >>> sg.column_stack([sg.tensor([1.0, 2.0]), sg.tensor([3.0, 4.0])])
    tensor([[1., 3.],
            [2., 4.]])
    """
    return hstack([_shaped(x, (*(shape(x) or (1,)), 1)) if len(shape(x)) < 2 else x for x in tensors])


def block_diag(*tensors: Any) -> Any:
    """Return the block-diagonal matrix of the given matrices.

    Args:
        tensors: matrices (n₀, m₀), (n₁, m₁), …; vectors count as rows, numbers as (1, 1).

    Returns:
        A matrix (n₀ + n₁ + …, m₀ + m₁ + …).

    Raises:
        ShapeError: if a tensor has more than two axes.

    >>> sg.block_diag(sg.tensor([[1.0, 2.0]]), sg.tensor(3.0))
    tensor([[1., 2., 0.],
            [0., 0., 3.]])
    """
    for x in tensors:
        if len(shape(x)) > 2:
            raise ShapeError(
                "torch.block_diag: Input tensors must have 2 or fewer dimensions. "
                f"Got shape {show_shape(shape(x))}; pass its matrices one at a time."
            )
    blocks = [_shaped(x, _in_rows(shape(x))) for x in tensors]
    widths = [shape(x)[1] for x in blocks]
    rows = [pad(x, (sum(widths[:k]), sum(widths[k + 1 :]))) for k, x in enumerate(blocks)]
    return cat(rows, 0)
