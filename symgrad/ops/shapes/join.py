"""Putting tensors together and taking them apart: cat, stack, split, chunk, unbind.

Both operations are linear; the cotangent of each input is the part of g that it became.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import sympy as sp

from symgrad.core.node import Shape
from symgrad.core.promotion import stacked
from symgrad.errors import ArgumentError, ArgumentTypeError, IndexRangeError, ShapeError
from symgrad.ops.frozen import frozen
from symgrad.ops.indexing.select import along, getitem, part
from symgrad.ops.keys import ALL
from symgrad.ops.map import show_shape
from symgrad.ops.protocol import Op, rename, shape
from symgrad.ops.scatter import decided
from symgrad.ops.shape import Reshape, axis_of, total


@frozen
class Cat(Op):
    """Join along an axis that exists."""

    axis: int
    linear = True
    saves = ""

    def forward(self, *xs: Any) -> Any:
        """Concatenate."""
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

    def vjp(self, i: int, g: Any, y: Any, *xs: Any) -> Any:
        # x̄ᵢ = the entries of g that came from xᵢ.
        start = sum(x.shape[self.axis] for x in xs[:i])
        return along(g, self.axis, start, start + xs[i].shape[self.axis])

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

    def text(self, *args: str) -> str:
        """[X; Y] one above the other, vectors too, or [X, Y] side by side."""
        return f"[{(', ' if self.axis else '; ').join(args)}]"

    def latex(self, *args: str) -> str:
        """The same as a matrix of blocks."""
        between = " & " if self.axis else r" \\ "
        return f"\\begin{{bmatrix}} {between.join(args)} \\end{{bmatrix}}"


@frozen
class Stack(Op):
    """Join along a new axis."""

    axis: int
    linear = True
    saves = ""
    gives = stacked

    def forward(self, *xs: Any) -> Any:
        """Stack."""
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

    def vjp(self, i: int, g: Any, y: Any, *xs: Any) -> Any:
        # x̄ᵢ = g[…, i, …]
        return part((*[ALL] * self.axis, i, *[ALL] * (len(shape(g)) - self.axis - 1)))(g)

    def index(self, idx: Sequence[sp.Expr], *ps: Any) -> sp.Expr:
        """Position k along the new axis reads input k."""
        k, rest = sp.sympify(idx[self.axis]), [*idx[: self.axis], *idx[self.axis + 1 :]]
        if k.is_Integer:
            found: sp.Expr = ps[int(k)](rest)
            return found
        *front, last = ps
        return sp.Piecewise(*[(p(rest), sp.Eq(k, m)) for m, p in enumerate(front)], (last(rest), True))

    def text(self, *args: str) -> str:
        """[x, y] of columns side by side, or stack(x, y) of rows or numbers."""
        return f"[{', '.join(args)}]" if self.axis else f"stack({', '.join(args)})"

    def latex(self, *args: str) -> str:
        """The same."""
        if self.axis:
            return f"\\begin{{bmatrix}} {' & '.join(args)} \\end{{bmatrix}}"
        return f"\\operatorname{{stack}}\\left({', '.join(args)}\\right)"


# ------------------------------------------------------------------ what users call
def cat(tensors: Sequence[Any], dim: int = 0, *, axis: int | None = None) -> Any:
    """The tensors one after the other along ``dim``: y = [x₀, x₁, …].

    Args:
        tensors: shapes equal but for size n₀, n₁, … along dim. One of shape (0,) fits all.
        dim: the axis to join along.

    Returns:
        A tensor with size n₀ + n₁ + … along dim.

    Raises:
        ShapeError: the other sizes differ, or a tensor has no axis.
        ArgumentError: the list is empty.

    >>> import symgrad as sg
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
    """The tensors along a new axis: y[k] = x_k for dim = 0.

    Args:
        tensors: k tensors of one shape.
        dim: where the new axis stands in the result.

    Returns:
        A tensor with a new axis of size k.

    Raises:
        ShapeError: the shapes differ, or the list is empty.

    >>> import symgrad as sg
    >>> sg.stack([sg.tensor(1.0), sg.tensor(2.0)])
    tensor([1., 2.])
    """
    if len(tensors) == 0:
        raise ShapeError("stack expects a non-empty TensorList. Got none.")
    op = Stack(axis_of(dim if axis is None else axis, len(shape(tensors[0])) + 1))
    op.out_shape(*map(shape, tensors))
    return op(*tensors)


def hstack(tensors: Sequence[Any]) -> Any:
    """The tensors side by side: joined along dim 1, vectors and numbers along dim 0.

    >>> import symgrad as sg
    >>> sg.hstack([sg.tensor(1.0), sg.tensor([2.0, 3.0])])
    tensor([1., 2., 3.])
    """
    wide = [x if shape(x) else Reshape((1,))(x) for x in tensors]
    return cat(wide, 0 if wide and len(shape(wide[0])) == 1 else 1)


def vstack(tensors: Sequence[Any]) -> Any:
    """The tensors one above the other: joined along dim 0, vectors as rows.

    >>> import symgrad as sg
    >>> sg.vstack([sg.tensor([1.0, 2.0]), sg.tensor([3.0, 4.0])])
    tensor([[1., 2.],
            [3., 4.]])
    """
    return cat([_rows(x) for x in tensors], 0)


def _rows(x: Any) -> Any:
    sizes = shape(x)
    return x if len(sizes) > 1 else Reshape((1, *(sizes or (1,))))(x)


def split(x: Any, split_size_or_sections: Any, dim: int = 0, *, axis: int | None = None) -> tuple[Any, ...]:
    """x cut along ``dim`` into parts of one size, the last one smaller, or of the sizes given.

    Args:
        x: tensor with at least one axis.
        split_size_or_sections: the size of a part, or the list of sizes, which add up to x's.
        dim: the axis to cut.

    Returns:
        A tuple of tensors.

    Raises:
        ShapeError: x has no axis, or the sizes do not fit.

    >>> import symgrad as sg
    >>> sg.split(sg.tensor([1.0, 2.0, 3.0]), 2)
    (tensor([1., 2.]), tensor([3.]))
    """
    if not shape(x):
        raise ShapeError("split expects at least a 1-dimensional tensor. Got a number.")
    a = axis_of(dim if axis is None else axis, len(shape(x)))
    n = shape(x)[a]
    if isinstance(split_size_or_sections, int):
        return _cut(x, a, _equal_sizes(n, split_size_or_sections), "Split")
    sizes = list(split_size_or_sections)
    if sum(sizes) != n or any(isinstance(m, int) and m < 0 for m in sizes):
        raise ShapeError(
            f"split_with_sizes expects split_sizes to sum exactly to {n} (input tensor's size at dimension "
            f"{a}), but got split_sizes={sizes}. They sum to {sum(sizes)}."
        )
    return _cut(x, a, sizes, "SplitWithSizes")


def _equal_sizes(n: Any, size: int) -> list[int]:
    _check_counted(n, "split")
    if size < 0:
        raise ShapeError(f"split expects split_size be non-negative, but got split_size={size}. Pass a positive size.")
    if size == 0 and n > 0:
        raise ShapeError(
            f"split_size can only be 0 if dimension size is 0, but got dimension size of {n}. Pass a positive size."
        )
    return [min(size, n - start) for start in range(0, n, size or 1)] or [0]


def _check_counted(n: Any, who: str) -> None:
    if not isinstance(n, int):
        raise ShapeError(
            f"{who}: the number of parts of an axis of symbolic size {n} is unknown. "
            f"Use split with the sizes, as in [k, {n} - k]."
        )


def _cut(x: Any, axis: int, sizes: Sequence[Any], name: str) -> tuple[Any, ...]:
    found: list[Any] = []
    start: Any = 0
    for n in sizes:
        found.append(along(x, axis, start, start + n, name))
        start = start + n
    return tuple(found)


def chunk(x: Any, chunks: int, dim: int = 0, *, axis: int | None = None) -> tuple[Any, ...]:
    """x cut along ``dim`` into at most ``chunks`` parts of size ⌈n/chunks⌉, the last one smaller.

    Args:
        x: tensor with at least one axis.
        chunks: how many parts at most.
        dim: the axis to cut.

    Returns:
        A tuple of tensors.

    Raises:
        ShapeError: x has no axis, or chunks is not positive.

    >>> import symgrad as sg
    >>> sg.chunk(sg.tensor([1.0, 2.0, 3.0]), 2)
    (tensor([1., 2.]), tensor([3.]))
    """
    if not shape(x):
        raise ShapeError("chunk expects at least a 1-dimensional tensor. Got a number.")
    if chunks < 1:
        raise ShapeError(f"chunk expects `chunks` to be greater than 0, got: {chunks}. Pass at least 1.")
    a = axis_of(dim if axis is None else axis, len(shape(x)))
    n = shape(x)[a]
    _check_counted(n, "chunk")
    if n == 0:
        return _cut(x, a, [0] * chunks, "Split")
    return _cut(x, a, _equal_sizes(n, -(-n // chunks)), "Split")


def unbind(x: Any, dim: int = 0, *, axis: int | None = None) -> tuple[Any, ...]:
    """The slices of x along ``dim``: (x[0], x[1], …) for dim = 0.

    Args:
        x: tensor with at least one axis.
        dim: the axis to take apart.

    Returns:
        A tuple of tensors without the axis.

    Raises:
        IndexRangeError: x has no axis.

    >>> import symgrad as sg
    >>> sg.unbind(sg.tensor([1.0, 2.0]))
    (tensor(1.), tensor(2.))
    """
    sizes = shape(x)
    if not sizes:
        raise IndexRangeError(
            "Dimension specified as 0 but tensor has no dimensions. Only tensors with axes come apart."
        )
    a = axis_of(dim if axis is None else axis, len(sizes))
    _check_counted(sizes[a], "unbind")
    after = [ALL] * (len(sizes) - a - 1)
    return tuple(part((*[ALL] * a, k, *after), "Unbind")(x) for k in range(sizes[a]))


def roll(x: Any, shifts: int | Sequence[int], dims: int | Sequence[int] | None = None) -> Any:
    """Entries moved along axes, coming back at the start from the end: y[i] = x[(i - shift) mod n].

    Args:
        x: tensor of any shape.
        shifts: by how many places, one number per axis.
        dims: the axes; None rolls the flattened tensor.

    Returns:
        A tensor shaped like x.

    Raises:
        ShapeError: shifts and dims differ in number.

    >>> import symgrad as sg
    >>> sg.roll(sg.tensor([1.0, 2.0, 3.0]), 1)
    tensor([3., 1., 2.])
    """
    sizes = shape(x)
    if dims is None:
        flat = Reshape((total(sizes),))(x)
        return rename(Reshape(sizes)(roll(flat, shifts, 0)), "Roll")
    by = (shifts,) if isinstance(shifts, int) else tuple(shifts)
    if not all(isinstance(k, int) for k in by):
        raise ArgumentTypeError(f"roll: shifts are integers. Got {shifts!r}.")
    over = (dims,) if isinstance(dims, int) else tuple(dims)
    if len(by) != len(over):
        raise ShapeError(
            f"shifts and dimensions must align. shifts: {len(by)}, dims:{len(over)}. Pass one shift per axis."
        )
    for k, d in zip(by, over, strict=True):
        x = _rolled(x, k, axis_of(d, len(sizes)))
    return rename(x, "Roll")


def _rolled(x: Any, k: int, axis: int) -> Any:
    n = shape(x)[axis] if shape(x) else 1
    if isinstance(n, int):
        k = k % n if n else 0
    if k == 0:
        return getitem(x, ...)
    cut = n - k if k > 0 or isinstance(n, int) else -k
    return Cat(axis)(along(x, axis, cut, n), along(x, axis, 0, cut))
