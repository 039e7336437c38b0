"""What a reduction is: its rule is its slope w = ∂y/∂x, shaped like x.

Backward spreads the cotangent and multiplies, x̄ = ȳ w; forward multiplies and sums, ẏ = Σ w ẋ. Imports
contract, shape, map and protocol.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

import numpy as np
import sympy as sp

from symgrad.core.node import Shape
from symgrad.core.promotion import is_differentiable, is_symbolic
from symgrad.errors import IndexRangeError, ShapeError
from symgrad.ops.contract import sum_axes
from symgrad.ops.map import ADD, DIV, MUL, Map, show_shape
from symgrad.ops.protocol import Op, Traced, shape
from symgrad.ops.shape import Reshape, axis_of
from symgrad.support.frozen import frozen

Axes = int | Sequence[int] | None

_EMPTY: tuple[type[Exception], type[Exception]] = ShapeError, IndexRangeError  # of amax, of argmax


@frozen
class Reduction(Op):
    """A function of the entries along some axes. A subclass defines ``forward`` and ``slope``."""

    axes: tuple[int, ...]
    keepdim: bool = False
    times: ClassVar[Map] = MUL  # WEIGH where entries are left out, so that ∞·0 does not make them nan

    def slope(self, y: Any, x: Any) -> Any:
        """Return w = ∂y/∂x, shaped like x, written in other ops."""
        raise NotImplementedError

    def out_shape(self, s: Shape) -> Shape:
        """Drop the axes, or keep them with length one."""
        return kept(s, self.axes) if self.keepdim else dropped(s, self.axes)

    def vjp(self, i: int, g: Any, y: Any, x: Any) -> Any:
        """x̄ = ȳ w."""
        return self.times(lift(g, x, self.axes), self.slope(y, x))

    def jvp(self, ts: Sequence[Any], y: Any, x: Any) -> Any:
        """ẏ = Σ w ẋ."""
        return sum_axes(self.times(ts[0], self.slope(y, x)), self.axes, self.keepdim)

    def spread(self, idx: Sequence[sp.Expr], p: Any) -> tuple[list[Any], list[tuple[Any, Any, Any]]]:
        """Return an index into the input with fresh symbols on the axes, and their limits."""
        rest = iter([i for a, i in enumerate(idx) if not (self.keepdim and a in self.axes)])
        full, limits = [], []
        for a, n in enumerate(p.shape):
            if a not in self.axes:
                full.append(next(rest))
            elif n == 1:
                full.append(sp.S.Zero)
            else:
                full.append(p.fresh())
                limits.append((full[-1], 0, n - 1))
        return full, limits

    def notation(self, write: Any, *args: Any) -> Any:
        return write.call(self.label.lower(), *args)


def kept(s: Shape, axes: Sequence[int]) -> Shape:
    """Return the sizes with those of the axes set to one."""
    return tuple(1 if a in axes else n for a, n in enumerate(s))


def dropped(s: Shape, axes: Sequence[int]) -> Shape:
    """Return the sizes without those of the axes."""
    return tuple(n for a, n in enumerate(s) if a not in axes)


def lift(v: Any, x: Any, axes: Sequence[int]) -> Any:
    """Give a reduced array axes of length one again, so that it broadcasts against x."""
    target = kept(shape(x), axes)
    return v if shape(v) == target else Reshape(target)(v)


def bound_sum(p: Any, body: sp.Expr, limits: Sequence[Any]) -> sp.Expr:
    """Return Σ body over the limits, or the body where there are none."""
    total: sp.Expr = p.sum(body, list(limits)) if limits else body
    return total


def sum_of(a: Any) -> Any:
    """Return the sum of all entries of SymPy's matrix, a column or a matrix: 1ᵀ*X*1."""
    rows, columns = a.shape
    factors = [sp.OneMatrix(1, rows), a, *[sp.OneMatrix(columns, 1)] * (columns != 1)]
    return sp.Trace(sp.MatMul(*factors))


def is_of_all(axes: Sequence[int], a: Any) -> bool:
    """Whether the axes are all axes of SymPy's matrix, where a vector is a column."""
    return a.shape[1] == 1 or len(axes) == 2


def on_rows(x: Any, axes: Sequence[int]) -> Any:
    """Move the axes to the end and flatten them into one: (…, k), every row one reduction."""
    x = np.asarray(x)
    if len(axes) == 1:
        return np.moveaxis(x, axes[0], -1)
    rest = [a for a in range(x.ndim) if a not in axes]
    return x.transpose([*rest, *axes]).reshape([*(x.shape[a] for a in rest), _count(x.shape, axes)])


def _count(s: Shape, axes: Sequence[int]) -> int:
    return int(np.prod([s[a] for a in axes], dtype=np.int64))


def each_row(rows: Any, fn: Any) -> Any:
    """Apply fn, from a list of SymPy expressions to one, to every row of an object array."""
    out = np.empty(rows.shape[:-1], dtype=object)
    for k in np.ndindex(out.shape):
        out[k] = fn(list(rows[k]))
    return out


# ------------------------------------------------------------------ arguments
def axes_of(dim: Axes, ndim: int) -> tuple[int, ...]:
    """Return the axes in 0..ndim-1, ascending; all for None or ()."""
    if dim is None or (isinstance(dim, (tuple, list)) and not dim):
        return tuple(range(ndim))
    many = dim if isinstance(dim, (tuple, list)) else (dim,)
    axes = [axis_of(d, ndim) for d in many]
    for k, a in enumerate(axes):
        if a in axes[:k]:
            raise ShapeError(
                f"dim {a} appears multiple times in the list of dims. Got dim={tuple(many)}; name each once."
            )
    return tuple(sorted(axes)) if ndim else ()


def resolve(x: Any, dim: Axes, axis: Axes) -> tuple[int, ...]:
    """Return the axes that the two spellings ``dim`` and ``axis`` ask for."""
    return axes_of(dim if axis is None else axis, len(shape(x)))


def needs_entries(name: str, x: Any, dim: Any, axes: Sequence[int]) -> None:
    """Raise PyTorch's errors where there is no entry to choose from."""
    s = shape(x)
    for a in axes:
        if s[a] == 0 and dim is None:
            raise _EMPTY[name.startswith("arg")](
                f"{name}(): Expected reduction dim to be specified for input.numel() == 0. "
                f"Specify the reduction dim with the 'dim' argument. Got a tensor of shape {show_shape(s)}."
            )
        if s[a] == 0:
            raise IndexRangeError(
                f"{name}(): Expected reduction dim {a} to have non-zero size. Got a tensor of shape {show_shape(s)}."
            )


def is_float(x: Any) -> bool:
    """Return whether x holds floating-point numbers, or symbols."""
    dtype = getattr(x, "dtype", None)
    return dtype is None or is_differentiable(dtype) or is_symbolic(dtype)


def float_of(x: Any) -> np.dtype[Any]:
    """Return the dtype of x where it holds floating-point numbers, else that of a Python float."""
    dtype = getattr(x, "dtype", None)
    return dtype if dtype is not None and is_differentiable(dtype) else np.dtype(np.float64)


def over(x: Any, n: Any) -> Any:
    """x / n, and nan without a gradient for n = 0."""
    return DIV(x, n) if isinstance(n, Traced) or n != 0 else ADD(MUL(x, 0), float("nan"))
