"""The largest and smallest entries, and where they are.

``amax`` and ``max()`` share the gradient evenly among ties; ``max(dim)`` gives it to the entry whose index it
returns, as PyTorch does.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Any, Generic, NamedTuple

import numpy as np
import sympy as sp

from symgrad import scalars
from symgrad.core.node import Shape
from symgrad.core.promotion import positions
from symgrad.errors import ArgumentTypeError
from symgrad.ops.contract import sum_axes
from symgrad.ops.elementwise.declared import BINARY
from symgrad.ops.elementwise.guards import WEIGH
from symgrad.ops.map import emap
from symgrad.ops.protocol import Op, TensorT, Traced, rename, shape
from symgrad.ops.reduction import (
    Axes,
    Reduction,
    bound_sum,
    dropped,
    each_row,
    kept,
    lift,
    needs_entries,
    on_rows,
    resolve,
)
from symgrad.ops.shape import Reshape, axis_of, total
from symgrad.scalars import X
from symgrad.support.frozen import field, frozen


class Extremum(NamedTuple, Generic[TensorT]):
    """The extreme entries along an axis, and the index of each."""

    values: TensorT
    indices: TensorT


@frozen
class Extreme(Reduction):
    """The largest entry along the axes, or the smallest; its slope is shared by ties or goes to the first."""

    largest: bool = True
    first: bool = False
    times = WEIGH
    name: str = field(default="Amax", compare=False)  # type: ignore[misc]
    explained = "largest or smallest entry: the adjoint goes to the one that was chosen; ties share it"
    fuses = True

    @property
    def quoted(self) -> str:  # type: ignore[override]
        """The entry that is chosen is the only one that counts."""
        return (
            "d max({u}) = d{u}ₖ, {u}ₖ the largest entry"
            if self.largest
            else "d min({u}) = d{u}ₖ, {u}ₖ the smallest entry"
        )

    @property
    def combine(self) -> Any:
        """The larger of two, or the smaller."""
        return np.maximum if self.largest else np.minimum

    def forward(self, x: Any) -> Any:
        """Compare the entries along the axis."""
        return (np.max if self.largest else np.min)(x, axis=self.axes, keepdims=self.keepdim)

    def on_symbols(self, x: Any) -> Any:
        pick = sp.Max if self.largest else sp.Min
        y = each_row(on_rows(x, self.axes), lambda row: pick(*row))
        return y.reshape(self.out_shape(x.shape))

    def slope(self, y: Any, x: Any) -> Any:
        """One where x is the extreme entry; ties share it, or the first takes it."""
        if self.first:
            return First(self.axes[0], self.largest)(x)
        return Ties(self.axes)(x, lift(y, x, self.axes))

    def notation(self, write: Any, *args: Any) -> Any:
        return write.call("max" if self.largest else "min", args[0])


@frozen
class Ties(Op):
    """The share of each entry of x in the extreme y: [x = y] / Σ [x = y]. Constant between ties."""

    axes: tuple[int, ...]
    saves = ""
    flat = True

    def forward(self, x: Any, y: Any) -> Any:
        """Mark and divide; nan is equal to nan here."""
        mark = np.asarray((x == y) | ((x != x) & (y != y)))
        dtype = getattr(x, "dtype", np.dtype(np.float64))
        return (mark / np.maximum(mark.sum(self.axes, keepdims=True), 1)).astype(dtype)

    def on_symbols(self, x: Any, y: Any) -> Any:
        mark = np.asarray(np.frompyfunc(_mark, 2, 1)(x, y), dtype=object)
        return mark / np.sum(mark, axis=self.axes, keepdims=True)

    def out_shape(self, *shapes: Shape) -> Shape:
        return shapes[0]

    def decompose(self, x: Any, y: Any) -> Any:
        """Mark and divide; nan is equal to nan."""
        mark = emap(sp.Piecewise((1, _same()), (0, True)), x, y, x, y)
        return emap(X[0] / scalars.maximum(X[1], 1), mark, sum_axes(mark, self.axes, True))

    def index(self, idx: Sequence[sp.Expr], px: Any, py: Any) -> sp.Expr:
        """[x = y] / Σ [x = y]."""
        top = py([sp.S.Zero if a in self.axes else i for a, i in enumerate(idx)])
        full, limits = list(idx), []
        for a in self.axes:
            if px.shape[a] != 1:
                full[a] = px.fresh()
                limits.append((full[a], 0, px.shape[a] - 1))
        if not limits:  # a single entry is the extreme
            return sp.S.One
        return _mark(px(idx), top) / bound_sum(px, _mark(px(full), top), limits)


@cache
def _same() -> Any:
    """Whether x is y, of x, y, x, y: nan differs from itself. Importing compares nothing, which loads much of SymPy."""
    return sp.Eq(X[0], X[1]) | (sp.Ne(X[0], X[2]) & sp.Ne(X[1], X[3]))


def _mark(x: sp.Expr, y: sp.Expr) -> sp.Expr:
    return sp.Piecewise((1, sp.Eq(x, y)), (0, True))


@frozen
class Arg(Op):
    """The index of the first extreme entry along the axis. Integer, without derivative."""

    axis: int
    largest: bool = True
    keepdim: bool = False
    saves = ""
    gives = positions
    flat = True
    routine = "rows"

    @property
    def label(self) -> str:
        """Argmax or Argmin."""
        return "Argmax" if self.largest else "Argmin"

    def forward(self, x: Any) -> Any:
        """Search for the first extreme along the axis."""
        search = np.argmax if self.largest else np.argmin
        return np.asarray(search(x, axis=self.axis, keepdims=self.keepdim))

    def on_symbols(self, x: Any) -> Any:
        y = each_row(np.moveaxis(x, self.axis, -1), lambda row: _search(row, self.largest))
        return y.reshape(self.out_shape(x.shape))

    def out_shape(self, s: Shape) -> Shape:
        """Drop the axis, or keep it with length one."""
        return kept(s, (self.axis,)) if self.keepdim else dropped(s, (self.axis,))

    @property
    def axes(self) -> tuple[int, ...]:
        """The axis, as the notation of calls looks for it."""
        return (self.axis,)

    def notation(self, write: Any, *args: Any) -> Any:
        return write.call(self.label.lower(), args[0])


def _search(row: list[sp.Expr], largest: bool) -> sp.Expr:
    pick = sp.Max if largest else sp.Min
    return sp.Piecewise(*[(k, sp.Eq(v, pick(*row))) for k, v in enumerate(row[:-1])], (len(row) - 1, True))


@frozen
class First(Op):
    """One at the first extreme entry along the axis, zero elsewhere."""

    axis: int
    largest: bool = True
    saves = ""
    flat = True
    routine = "rows"

    def forward(self, x: Any) -> Any:
        """Mark the entry that argmax finds."""
        y = np.zeros_like(x)
        np.put_along_axis(y, Arg(self.axis, self.largest, keepdim=True).forward(x), 1, self.axis)
        return y

    def on_symbols(self, x: Any) -> Any:
        """Compare the index that was found with every index."""
        rows = np.moveaxis(x, self.axis, -1)
        marked = np.empty(rows.shape, dtype=object)
        for k in np.ndindex(rows.shape[:-1]):
            index = _search(list(rows[k]), self.largest)
            marked[k] = [_mark(index, sp.Integer(i)) for i in range(rows.shape[-1])]
        return np.moveaxis(marked, -1, self.axis)

    def decompose(self, x: Any) -> Any:
        """Find the smallest index of an entry that is the extreme one, and compare it with every index."""
        y, n = Extreme((self.axis,), True, self.largest)(x), shape(x)[self.axis]
        if not isinstance(n, int):
            return NotImplemented
        number = np.arange(n, dtype=x.dtype).reshape(n, *(1,) * (len(shape(x)) - 1 - self.axis))
        place = emap(sp.Piecewise((X[4], _same()), (n, True)), x, y, x, y, number)
        first = Extreme((self.axis,), True, largest=False)(place)
        return emap(sp.Piecewise((1, sp.Eq(X[0], X[1])), (0, True)), first, number)

    def out_shape(self, s: Shape) -> Shape:
        return s

    @property
    def axes(self) -> tuple[int, ...]:
        """The axis, as the notation of calls looks for it."""
        return (self.axis,)

    def notation(self, write: Any, *args: Any) -> Any:
        return write.call("onehot", write.call("argmax" if self.largest else "argmin", args[0]))


# ------------------------------------------------------------------ functions
def amax(x: Any, dim: Axes = None, keepdim: bool = False, *, axis: Axes = None, keepdims: bool = False) -> Any:
    """Return the maximum along the axes; ties share the gradient evenly.

    Args:
        x: tensor, array or number, any shape.
        dim, axis: the axis or axes to reduce, by default all.
        keepdim, keepdims: keep the axes with length one.

    Returns:
        The largest entries, shaped like x without the axes.

    Raises:
        ShapeError, IndexRangeError: if there are no entries to choose from.

    >>> sg.amax(sg.tensor([[1.0, 3.0], [4.0, 2.0]]), 1)
    tensor([3., 4.])
    """
    return _extreme("amax", x, dim if axis is None else axis, keepdim or keepdims)


def amin(x: Any, dim: Axes = None, keepdim: bool = False, *, axis: Axes = None, keepdims: bool = False) -> Any:
    """Return the minimum along the axes; ties share the gradient evenly.

    Args:
        x: tensor, array or number, any shape.
        dim, axis: the axis or axes to reduce, by default all.
        keepdim, keepdims: keep the axes with length one.

    Returns:
        The smallest entries, shaped like x without the axes.

    Raises:
        ShapeError, IndexRangeError: if there are no entries to choose from.

    >>> sg.amin(sg.tensor([[1.0, 3.0], [4.0, 2.0]]), 1)
    tensor([1., 2.])
    """
    return _extreme("amin", x, dim if axis is None else axis, keepdim or keepdims)


def max(
    x: Any, dim: Any = None, keepdim: bool = False,
    *, other: Any = None, axis: Any = None, keepdims: bool = False,
) -> Any:  # fmt: skip
    """Return the maximum of all entries, along one axis, or of two tensors, like PyTorch's three calls.

    Args:
        x: tensor, array or number, any shape.
        dim, axis: one axis; or a second tensor or array, which means ``maximum``.
        keepdim, keepdims: keep the axis with length one.
        other: a second tensor for the elementwise maximum.

    Returns:
        ``max(x)``: the largest entry, shape (); ties share the gradient evenly. ``max(x, dim)``: a named
        tuple (values, indices); the gradient goes to the entry at the index, the first among ties.
        ``max(x, other)``: the elementwise maximum.

    Raises:
        ShapeError, IndexRangeError: if there are no entries to choose from.

    >>> sg.max(sg.tensor([1.0, 3.0]), 0)
    Extremum(values=tensor(3.), indices=tensor(1))
    """
    return _three_calls("max", x, dim if axis is None else axis, keepdim, keepdims, other)


def min(
    x: Any, dim: Any = None, keepdim: bool = False,
    *, other: Any = None, axis: Any = None, keepdims: bool = False,
) -> Any:  # fmt: skip
    """Return the minimum of all entries, along one axis, or of two tensors, like PyTorch's three calls.

    Args:
        x: tensor, array or number, any shape.
        dim, axis: one axis; or a second tensor or array, which means ``minimum``.
        keepdim, keepdims: keep the axis with length one.
        other: a second tensor for the elementwise minimum.

    Returns:
        See ``max``.

    Raises:
        ShapeError, IndexRangeError: if there are no entries to choose from.

    >>> sg.min(sg.tensor([1.0, 3.0]))
    tensor(1.)
    """
    return _three_calls("min", x, dim if axis is None else axis, keepdim, keepdims, other)


def argmax(
    x: Any, dim: int | None = None, keepdim: bool = False, *, axis: int | None = None, keepdims: bool = False
) -> Any:
    """Return the index of the largest entry, the first among ties; without an axis, in the flattened tensor.

    Args:
        x: tensor, array or number, any shape.
        dim, axis: the axis.
        keepdim, keepdims: keep the axis with length one.

    Returns:
        An integer tensor, which carries no gradient.

    Raises:
        IndexRangeError: if there are no entries to choose from.

    >>> sg.argmax(sg.tensor([1.0, 3.0, 3.0]))
    tensor(1)
    """
    return _arg("argmax", x, dim if axis is None else axis, keepdim or keepdims)


def argmin(
    x: Any, dim: int | None = None, keepdim: bool = False, *, axis: int | None = None, keepdims: bool = False
) -> Any:
    """Return the index of the smallest entry, the first among ties; without an axis, in the flattened tensor.

    Args:
        x: tensor, array or number, any shape.
        dim, axis: the axis.
        keepdim, keepdims: keep the axis with length one.

    Returns:
        An integer tensor, which carries no gradient.

    Raises:
        IndexRangeError: if there are no entries to choose from.

    For a function, ``sg.argmin(loss, x0, *args)`` is the point of its minimum: see ``sg.solvers.argmin``.

    >>> sg.argmin(sg.tensor([1.0, 3.0, 1.0]))
    tensor(0)
    """
    return _arg("argmin", x, dim if axis is None else axis, keepdim or keepdims)


def _extreme(name: str, x: Any, dim: Axes, keepdim: bool) -> Any:
    axes = resolve(x, dim, None)
    needs_entries(name, x, dim, axes)
    return Extreme(axes, keepdim, largest=name.endswith("max"), name=name.capitalize())(x)


def _three_calls(name: str, x: Any, dim: Any, keepdim: bool, keepdims: bool, other: Any) -> Any:
    if isinstance(keepdim, (Traced, np.ndarray)):
        raise ArgumentTypeError(
            f"{name}: got a tensor for keepdim. Expected True or False; of three tensors write "
            f"sg.{name}(sg.{name}(x, y), z)."
        )
    keepdim = keepdim or keepdims
    if other is None and isinstance(dim, (Traced, np.ndarray)):
        other = dim
    if other is not None:
        return BINARY[f"{name}imum"](x, other)
    if dim is None:
        return rename(_extreme(name, x, None, keepdim), name.capitalize())
    return _with_indices(name, x, _one_axis(name, x, dim), keepdim)


def _with_indices(name: str, x: Any, axis: int | None, keepdim: bool) -> Extremum[Any]:
    largest = name == "max"
    axes = () if axis is None else (axis,)
    needs_entries(name, x, axis, axes)
    values = Extreme(axes, keepdim, largest, first=axis is not None, name=name.capitalize())(x)
    return Extremum(values, _arg(f"arg{name}", x, axis, keepdim))


def _one_axis(name: str, x: Any, dim: Any) -> int | None:
    """Return the axis, None for a tensor without axes."""
    if not isinstance(dim, (int, np.integer)) or isinstance(dim, bool):
        raise ArgumentTypeError(
            f"{name}() received an invalid combination of arguments - got ({type(dim).__name__}). "
            f"Pass one axis, a second tensor, or use a{name} for several axes."
        )
    ndim = len(shape(x))
    axis = axis_of(dim, ndim)
    return axis if ndim else None


def _arg(name: str, x: Any, dim: int | None, keepdim: bool) -> Any:
    s = shape(x)
    largest = name == "argmax"
    if dim is None or not s:
        needs_entries(name, x, None, range(len(s)))
        index = Arg(0, largest)(Reshape((total(s),))(x))
        return Reshape((1,) * len(s))(index) if keepdim else index
    axis = axis_of(dim, len(s))
    needs_entries(name, x, axis, (axis,))
    return Arg(axis, largest, keepdim)(x)
