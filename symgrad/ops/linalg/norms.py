"""Norms: (Σ|x|ᵖ)^(1/p) over any axes, without overflow, flat where the norm is zero; condition numbers.

One op, Norm; matrix norms are made of it.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from math import inf
from typing import Any

import numpy as np
import sympy as sp

from symgrad.core.node import Shape
from symgrad.core.promotion import floating, is_floating
from symgrad.errors import ArgumentError, ShapeError, shown_as
from symgrad.ops.contract import permute, sum_axes
from symgrad.ops.elementwise.complexes import holds_complex, view_as_real
from symgrad.ops.elementwise.declared import abs_
from symgrad.ops.elementwise.guards import NONZERO, WEIGH
from symgrad.ops.indexing.select import getitem
from symgrad.ops.linalg.solving import inv
from symgrad.ops.linalg.spectral import svdvals
from symgrad.ops.linalg.square import check_square
from symgrad.ops.map import DIV, MUL, emap, exact, show_shape
from symgrad.ops.protocol import Op, rename, shape
from symgrad.ops.reduction import is_of_all, sum_of
from symgrad.ops.reductions.extremes import amax, amin
from symgrad.ops.shape import Reshape, axis_of
from symgrad.ops.shapes.join import stack
from symgrad.scalars.declare import X
from symgrad.support.frozen import frozen

Dims = int | Sequence[int] | None
_X0, _X1, _X2 = X[:3]


@frozen
class Norm(Op):
    """(Σ|x|ᵖ)^(1/p) over the axes, p any number: 0 counts the nonzeros, ±∞ are the extremes of |x|."""

    p: float
    axes: tuple[int, ...]
    name = "LinalgVectorNorm"
    gives = floating
    explained = "norm: the direction of the array, times the adjoint"
    routine = "rows"

    def forward(self, x: Any) -> Any:
        """Compute the norm, scaled where a power would leave the range of the dtype."""
        x = np.asarray(x)
        self.out_shape(x.shape)
        if not is_floating(x.dtype):
            x = x.astype(np.float64)
        if self.p == 0:
            return np.add.reduce(x != 0, axis=self.axes, dtype=x.dtype)
        if math.isinf(self.p):
            return (np.max if self.p > 0 else np.min)(np.abs(x), axis=self.axes)
        return _p_norm(x, self.p, self.axes)

    def out_shape(self, s: Shape) -> Shape:
        """Drop the axes; the extremes need at least one entry."""
        if (self.p < 0 or math.isinf(self.p)) and any(s[k] == 0 for k in self.axes):
            raise ShapeError(
                f"linalg.vector_norm cannot compute the {self.p:g} norm on an empty tensor because the "
                f"operation does not have an identity. Got shape {show_shape(s)}; use 0 <= p < inf."
            )
        return tuple(n for k, n in enumerate(s) if k not in self.axes)

    def vjp(self, i: int, g: Any, y: Any, x: Any) -> Any:
        # y = ‖x‖_p  ⇒  x̄ = ȳ sign(x) (|x|/y)^(p-1), and 0 where y = 0
        if self.p == 0:
            return None
        if self.p == 1:
            return emap(_X0 * sp.sign(_X1), self._kept(g, x), x)
        g, y = self._kept(g, x), self._kept(y, x)
        if self.p == 2:
            return emap(_X0 * _X1 / _X2, g, x, NONZERO(y))
        if math.isinf(self.p):
            return self._extreme(g, y, x)
        # The ratio is formed first: the powers of |x| and y may overflow where their quotient does not.
        if self.p > 1:
            ratio = DIV(abs_(x), NONZERO(y))
            return WEIGH(g, emap(sp.sign(_X0) * _X1 ** exact(self.p - 1), x, ratio))
        ratio = DIV(y, NONZERO(abs_(x)))
        return emap(_X0 * sp.sign(_X1) * _X2 ** exact(1 - self.p), g, x, ratio)

    def _kept(self, z: Any, x: Any) -> Any:
        """Give z its axes of length one back."""
        return z if not shape(z) else Reshape(_ones(x.shape, self.axes))(z)

    def _extreme(self, g: Any, y: Any, x: Any) -> Any:
        # y = max |x|  ⇒  x̄ = ȳ sign(x) [|x| = y] / the number of ties
        chosen = emap(sp.Piecewise((sp.sign(_X0), sp.Eq(sp.Abs(_X0), _X1)), (0, True)), x, y)
        ties = sum_axes(abs_(chosen), self.axes, keepdim=True)
        return DIV(WEIGH(g, chosen), NONZERO(ties))

    def index(self, idx: Sequence[sp.Expr], *ps: Any) -> sp.Expr:
        """(Σ|x|ᵖ)^(1/p); an entry of a named function where p is 0 or infinite."""
        p = ps[0]
        if self.p == 0 or math.isinf(self.p):
            return p.entry(self, ps, idx)
        rest = iter(idx)
        bound = {k: p.fresh() if p.shape[k] != 1 else sp.S.Zero for k in self.axes}
        at = [bound[k] if k in bound else next(rest) for k in range(len(p.shape))]
        limits = [(at[k], 0, p.shape[k] - 1) for k in self.axes if p.shape[k] != 1]
        power = exact(self.p)
        body = _power(p(at), power)
        return (p.sum(body, limits) if limits else body) ** (1 / power)

    def on_symbols(self, *xs: Any) -> Any:
        """The definition, entry by entry."""
        x = np.asarray(xs[0], dtype=object)
        self.out_shape(x.shape)
        moved = np.moveaxis(x, self.axes, range(-len(self.axes), 0))
        rows = moved.reshape(*moved.shape[: x.ndim - len(self.axes)], -1)
        out = np.empty(rows.shape[:-1], dtype=object)
        for at in np.ndindex(out.shape):
            out[at] = self._of(list(rows[at]))
        return out

    def _of(self, entries: list[Any]) -> sp.Expr:
        if math.isinf(self.p):
            return (sp.Max if self.p > 0 else sp.Min)(*map(sp.Abs, entries))
        if self.p == 0:
            return sp.Add(*[sp.Piecewise((1, sp.Ne(e, 0)), (0, True)) for e in entries])
        power = exact(self.p)
        return sp.Add(*[_power(sp.sympify(e), power) for e in entries]) ** (1 / power)

    def in_matrices(self, a: Any) -> Any:
        p = exact(self.p)
        if not p or p.is_infinite or not is_of_all(self.axes, a):
            return None
        size = a.applyfunc(sp.Abs)
        return sum_of(size if p == 1 else sp.HadamardPower(size, p)) ** (1 / p)

    def notation(self, write: Any, *args: Any) -> Any:
        return write.Fenced(args[0], "‖", "‖", "" if self.p == 2 else str(exact(self.p)).replace("oo", "∞"))


def _power(x: sp.Expr, p: sp.Expr) -> sp.Expr:
    """|x|ᵖ, without the bars where p is even."""
    return x**p if p.is_Integer and p % 2 == 0 else sp.Abs(x) ** p


def _ones(sizes: Shape, axes: Sequence[int]) -> Shape:
    return tuple(1 if k in axes else n for k, n in enumerate(sizes))


def _p_norm(x: Any, p: float, axes: tuple[int, ...]) -> Any:
    """Σ|x|ᵖ and its root; once more, with x scaled by its largest entry, where that over- or underflowed."""
    with np.errstate(all="ignore"):
        total = np.add.reduce(_raise(x, p), axis=axes)
        info = np.finfo(x.dtype)
        safe = (total > info.tiny / info.eps) & (total < np.inf)
        if x.size == 0 or p == 1 or np.all(safe):
            return _root(total, p)
        size = np.abs(x)
        unit = (np.max if p > 0 else np.min)(size, axis=axes, keepdims=True)
        unit = np.where((unit > 0) & (unit < np.inf), unit, x.dtype.type(1))
        scaled = _root(np.add.reduce(_raise(size / unit, p), axis=axes), p)
        return np.where(safe, _root(total, p), scaled * unit.reshape(np.shape(scaled)))


def _raise(x: Any, p: float) -> Any:
    return x * x if p == 2 else np.abs(x) if p == 1 else np.abs(x) ** p


def _root(total: Any, p: float) -> Any:
    return np.sqrt(total) if p == 2 else total if p == 1 else total ** (1 / p)


# ------------------------------------------------------------------ what users call
def vector_norm(
    x: Any, ord: float = 2, dim: Dims = None, keepdim: bool = False, *, axis: Dims = None, keepdims: bool = False
) -> Any:
    """Return the norm (Σ|x|ᵖ)^(1/p) of the entries, with p = ord. Where the norm is 0, its gradient is 0.

    Args:
        x: any shape.
        ord: any number; 0 counts the nonzero entries, inf and -inf give the largest and the smallest |x|.
        dim (or axis): the axes to reduce; by default all.
        keepdim (or keepdims): whether to keep these axes with length one.

    Returns:
        A tensor with the shape of x without these axes.

    Raises:
        IndexRangeError: if an axis is out of range.
        ShapeError: if an axis is named twice, or there is nothing to take an extreme of.

    >>> sg.linalg.vector_norm(sg.tensor([3.0, -4.0]), 1)
    tensor(7.)
    """
    dim, keepdim = dim if axis is None else axis, keepdim or keepdims
    if isinstance(ord, str) or not isinstance(ord, (int, float, np.number)):
        raise ArgumentError(f"linalg.vector_norm: Order {ord} not supported. Pass a number.")
    axes = _axes(dim, len(shape(x)))
    result = _of_complex(x, float(ord), axes) if holds_complex(x) else Norm(float(ord), axes)(x)
    if not keepdim or not axes:
        return result
    return rename(Reshape(_ones(shape(x), axes))(result), Norm.name)


def _of_complex(x: Any, p: float, axes: tuple[int, ...]) -> Any:
    """The norm of the absolute values; for p = 2 that of real and imaginary parts, smooth where some entries are 0."""
    if p == 2:
        return Norm(p, (*axes, len(shape(x))))(view_as_real(x, stack))
    return Norm(p, axes)(abs_(x))


def _axes(dim: Dims, ndim: int) -> tuple[int, ...]:
    """Return the axes in 0..ndim-1, ascending; all of them for None or ()."""
    if dim is None or dim == ():
        return tuple(range(ndim))
    axes = [axis_of(d, ndim) for d in (dim if isinstance(dim, Sequence) else [dim])]
    for a in axes:
        if axes.count(a) > 1:
            raise ShapeError(f"dim {a} appears multiple times in the list of dims. Got {dim}; name it once.")
    return tuple(sorted(axes)) if ndim else ()


def matrix_norm(
    A: Any, ord: float | str = "fro", dim: tuple[int, int] = (-2, -1), keepdim: bool = False, *,
    axis: tuple[int, int] | None = None, keepdims: bool = False,
) -> Any:  # fmt: skip
    """Return the norm of a matrix.

    "fro" is √Σ a²; 1 and -1 are the largest and the smallest column sum of |a|, inf and -inf the row sums; "nuc" is
    the sum of the singular values, 2 is the largest one, and -2 the smallest.

    Args:
        A: (…, n, m).
        ord: "fro", "nuc", 1, -1, 2, -2, inf or -inf.
        dim, keepdim (or axis, keepdims): the axes of rows and columns, and whether to keep them with length one.

    Returns:
        A tensor with the shape of A without the two axes.

    Raises:
        ArgumentError: if ord is unknown.
        ShapeError: if A is not a matrix, or the axes are the same.

    >>> sg.linalg.matrix_norm(sg.tensor([[1.0, 2.0], [3.0, 4.0]]), 1)
    tensor(6.)
    """
    dim, keepdim = dim if axis is None else axis, keepdim or keepdims
    rows, columns = _matrix_axes(A, dim)
    if ord == "fro":
        return vector_norm(A, 2, (rows, columns), keepdim)
    if ord in (1, 2, math.inf) and 0 in (shape(A)[rows], shape(A)[columns]):
        return vector_norm(A, 1, (rows, columns), keepdim)  # 0, though there is nothing to take the largest of
    if ord in ("nuc", 2, -2):
        return _of_singular_values(A, ord, (rows, columns), keepdim)
    return _of_sums(A, ord, (rows, columns), keepdim)


def _of_sums(A: Any, ord: float | str, axes: tuple[int, int], keepdim: bool) -> Any:
    """Return the largest or smallest sum of absolute values in a column, or a row."""
    rows, columns = axes
    if ord not in (1, -1, math.inf, -math.inf):
        raise ArgumentError(
            f"linalg.matrix_norm: Order {ord} not supported. Use 'fro', 'nuc', 1, -1, 2, -2, inf or -inf."
        )
    inner, outer = (rows, columns) if abs(float(ord)) == 1 else (columns, rows)
    sums = vector_norm(A, 1, inner, keepdim=True)
    result = vector_norm(sums, math.copysign(math.inf, float(ord)), (inner, outer), keepdim)
    return rename(result, "Amax" if float(ord) > 0 else "Amin") if len(shape(A)) else result


def _of_singular_values(A: Any, ord: float | str, axes: tuple[int, int], keepdim: bool) -> Any:
    sizes = shape(A)
    rest = [k for k in range(len(sizes)) if k not in axes]
    order = [*rest, *axes]
    s = svdvals(A if order == sorted(order) else permute(A, order))
    result = sum_axes(s, (len(rest),)) if ord == "nuc" else (amax if float(ord) > 0 else amin)(s, -1)
    return Reshape(_ones(sizes, axes))(result) if keepdim else result


def _matrix_axes(A: Any, dim: Any) -> tuple[int, int]:
    sizes = shape(A)
    if len(sizes) < 2:
        raise ShapeError(
            f"linalg.matrix_norm: The input tensor A must have at least 2 dimensions. "
            f"Got shape {show_shape(sizes)}; use vector_norm."
        )
    if not isinstance(dim, Sequence) or len(dim) != 2:
        got = " ".join(map(str, dim)) if isinstance(dim, Sequence) else dim
        raise ShapeError(f"linalg.matrix_norm: dim must be a 2-tuple. Got {got}. Else use vector_norm.")
    rows, columns = (axis_of(d, len(sizes)) for d in dim)
    if rows == columns:
        raise ShapeError(f"linalg.matrix_norm: dims must be different. Got ({dim[0]}, {dim[1]}). Name two.")
    return rows, columns


def norm(
    x: Any, p: float | str | None = "fro", dim: Dims = None, keepdim: bool = False, *,
    axis: Dims = None, keepdims: bool = False,
) -> Any:  # fmt: skip
    """Return the norm (Σ|x|ᵖ)^(1/p) of the entries, for a matrix by default the Frobenius norm.

    Where the norm is 0, its gradient is 0.

    Args:
        x, p: any shape; and any number, including inf and -inf, or "fro", which is 2.
        dim (or axis): the axes to reduce; by default all.
        keepdim (or keepdims): whether to keep these axes with length one.

    Returns:
        A tensor with the shape of x without these axes.

    Raises:
        ArgumentError: if p is unknown.
        IndexRangeError: if an axis is out of range.

    >>> sg.norm(sg.tensor([3.0, 4.0]))
    tensor(5.)
    """
    dim, keepdim = dim if axis is None else axis, keepdim or keepdims
    if p is None or p == "fro":
        if isinstance(dim, Sequence) and len(dim) > 2:
            _matrix_axes(x, dim)
        p = 2
    if isinstance(p, str):
        if p != "nuc":
            raise ArgumentError(f"linalg.matrix_norm: Order {p} not supported. Pass a number or 'fro'.")
        return matrix_norm(x, p, (-2, -1) if dim is None else dim, keepdim)  # type: ignore[arg-type]
    return vector_norm(x, p, dim, keepdim)


def _check_axes(dims: Sequence[int] | None, ord: float | str | None, ndim: int) -> None:
    """Raise unless the axes, or without them the rank, tell a vector's norm from a matrix's."""
    if dims is not None and len(dims) not in (1, 2):
        raise ShapeError(
            f"linalg.norm: If dim is specified, it must be of length 1 or 2. Got {list(dims)}. "
            "For other axes use vector_norm."
        )
    if dims is None and ord is not None and not isinstance(ord, str) and ndim not in (1, 2):
        raise ShapeError(
            f"linalg.norm: If dim is not specified but ord is, the input must be 1D or 2D. Got {ndim}D. Pass dim."
        )


@shown_as("linalg.norm")
def linalg_norm(
    A: Any, ord: float | str | None = None, dim: Dims = None, keepdim: bool = False, *,
    axis: Dims = None, keepdims: bool = False,
) -> Any:  # fmt: skip
    """Return the norm of a vector or a matrix: √Σ a² over all entries, or with ord as in vector_norm or matrix_norm.

    Args:
        A: any shape; (n,) or (n, m) if ord is given without dim.
        ord: a norm of vectors if dim is one axis, and a norm of matrices if dim is two axes.
        dim (or axis): the axis of the vectors, or the two axes of the matrices. By default, all axes.
        keepdim (or keepdims): keep these axes, with length one.

    Returns:
        A tensor with the shape of A without these axes.

    Raises:
        ArgumentError: if ord is unknown.
        ShapeError: if ord does not apply to this number of axes.

    >>> sg.linalg.norm(sg.tensor([[1.0, 2.0], [3.0, 4.0]]), 1)
    tensor(6.)
    """
    dim, keepdim, ndim = dim if axis is None else axis, keepdim or keepdims, len(shape(A))
    dims = (dim,) if isinstance(dim, int) else dim
    _check_axes(dims, ord, ndim)
    if ord is None:
        return vector_norm(A, 2, dim, keepdim)
    if isinstance(ord, str) or len(dims if dims is not None else range(ndim)) == 2:
        return matrix_norm(A, ord, (-2, -1) if dims is None else dims, keepdim)  # type: ignore[arg-type]
    return vector_norm(A, ord, dim, keepdim)


_ORDERS = (None, 2, -2, 1, -1, inf, -inf, "fro", "nuc")


def cond(A: Any, p: Any = None) -> Any:
    """Return the condition number ‖A‖ ‖A⁻¹‖ in a matrix norm.

    Args:
        A: (…, m, n), square unless p is None, 2 or -2.
        p: None or 2 for σ₁/σₙ, -2 for σₙ/σ₁; 1, -1, inf, -inf, "fro" or "nuc".

    Returns:
        A tensor (…).

    Raises:
        ArgumentError: if p is unknown.
        ShapeError: if A is not square.
        LinAlgError: if A is singular and p is a norm of the entries.

    >>> sg.linalg.cond(sg.tensor([[2.0, 0.0], [0.0, 4.0]]))
    tensor(2.)
    """
    if p not in _ORDERS:
        raise ArgumentError(
            f"linalg.cond got an invalid norm type: {p}. Expected None, 2, -2, 1, -1, inf, -inf, 'fro' or 'nuc'."
        )
    if p in (None, 2, -2):
        s = svdvals(A)
        large, small = getitem(s, (..., 0)), getitem(s, (..., -1))
        return rename(DIV(small, large) if p == -2 else DIV(large, small), "LinalgCond")
    check_square("linalg.cond", shape(A))
    return rename(MUL(matrix_norm(A, p), matrix_norm(inv(A), p)), "LinalgCond")
