"""Running sums and products along one axis, and the recurrence that is their derivative.

No rule divides, so products with zeros are differentiated exactly.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import sympy as sp

from symgrad.core.kernels import folded
from symgrad.core.node import Shape
from symgrad.core.promotion import summed
from symgrad.errors import ArgumentTypeError
from symgrad.ops.convert import counted
from symgrad.ops.elementwise.guards import WEIGH, weigh
from symgrad.ops.map import MUL, broadcast_shapes, sum_terms
from symgrad.ops.protocol import Op, rename, shape
from symgrad.ops.shape import Reshape, axis_of
from symgrad.support.frozen import frozen


def _put(idx: Sequence[Any], axis: int, k: Any) -> list[Any]:
    """Return the index with k at the axis."""
    return [k if a == axis else i for a, i in enumerate(idx)]


class AlongAxis(Op):
    """What the operations along one axis share: how they are written."""

    axis: int
    reverse: bool = False
    words: tuple[str, ...] = ("reverse",)  # parameters that are written where they are set

    @property
    def axes(self) -> tuple[int, ...]:
        """The axis, as the notation of calls looks for it."""
        return (self.axis,)

    def out_shape(self, *shapes: Any) -> Shape:
        return shapes[0]  # type: ignore[no-any-return]

    def notation(self, write: Any, *args: Any) -> Any:
        return write.call(self.label.lower(), *args, *map(write.Name, self._set()))

    def enters(self, *numbers: Any) -> tuple[Any, ...]:
        """Return the number of the entry that each input adds at each place, 0 for none, if ``running``."""
        return numbers

    def _set(self) -> list[str]:
        return [w for w in self.words if getattr(self, w)]


@frozen
class Shift(AlongAxis):
    """x_{i-1} at i, with 0 in front; in reverse x_{i+1}, with 0 at the end."""

    axis: int
    reverse: bool = False
    linear = True
    saves = ""
    rearranges = True
    explained = "moved by one place: the adjoint is moved back"
    routine = "rows"

    def forward(self, x: Any) -> Any:
        """Move by one place."""
        y = np.roll(x, -1 if self.reverse else 1, self.axis)
        y[_end(self.axis, self.reverse)] = 0
        return y

    def vjp(self, i: int, g: Any, y: Any, x: Any) -> Any:
        """Shift the other way."""
        return Shift(self.axis, not self.reverse)(g)

    def index(self, idx: Sequence[sp.Expr], p: Any) -> sp.Expr:
        """The neighbour's entry, 0 where there is none."""
        i, n = idx[self.axis], p.shape[self.axis]
        there = p(_put(idx, self.axis, i + 1 if self.reverse else i - 1))
        return sp.Piecewise((0, sp.Eq(i, n - 1 if self.reverse else 0)), (there, True))


def _end(axis: int, last: bool) -> Any:
    """Return the NumPy index of the first or the last place along the axis."""
    return (*(slice(None),) * axis, slice(-1, None) if last else slice(None, 1))


@frozen
class Cumsum(AlongAxis):
    """y_i = Σ_{k≤i} x_k along the axis; in reverse Σ_{k≥i} x_k."""

    axis: int
    reverse: bool = False
    linear = True
    saves = ""
    gives = summed
    running = True
    explained = "running sum: the adjoint's running sum from the other end"
    accumulates = True
    routine = "rows"

    def forward(self, x: Any) -> Any:
        """Add the entries up along the axis."""
        x = np.flip(x, self.axis) if self.reverse else x
        y = folded(np.add.accumulate, x, self.axis)
        return np.flip(y, self.axis) if self.reverse else y

    def vjp(self, i: int, g: Any, y: Any, x: Any) -> Any:
        """Add up from the other end."""
        return Cumsum(self.axis, not self.reverse)(g)

    def index(self, idx: Sequence[sp.Expr], p: Any) -> sp.Expr:
        """Σ x_k from the start to i, or from i to the end."""
        i, k = idx[self.axis], p.fresh()
        limits = (k, i, p.shape[self.axis] - 1) if self.reverse else (k, 0, i)
        total: sp.Expr = p.sum(p(_put(idx, self.axis, k)), [limits])
        return total


@frozen
class Recurrence(AlongAxis):
    """s_i = b_i + a s_{i-1} along the axis, from s = 0; in reverse s_i = b_i + a s_{i+1}.

    Between two neighbours stands the coefficient of the upper one, or of the lower one.
    """

    axis: int
    reverse: bool = False
    upper: bool = True
    analytic = True
    words = ("reverse", "upper")
    running = True
    explained = "recurrence: the adjoint runs through it from the other end"
    routine = "rows"

    def forward(self, a: Any, b: Any) -> Any:
        """Step through the axis, all else at once."""
        a, b = (np.moveaxis(v, self.axis, 0) for v in np.broadcast_arrays(a, b))
        s = np.array(b, np.result_type(a, b))
        n, low = len(s), 0 if self.upper else 1
        for k in range(n - 2, -1, -1) if self.reverse else range(1, n):
            s[k] += weigh(s[k + 1], a[k + 1 - low]) if self.reverse else weigh(s[k - 1], a[k - low])
        return np.moveaxis(s, 0, self.axis)

    def out_shape(self, *shapes: Shape) -> Shape:
        return broadcast_shapes(*shapes)

    def enters(self, *numbers: Any) -> tuple[Any, ...]:
        """The coefficient between an entry and the one before, which has it or else hands it over; and b."""
        a, b = np.broadcast_arrays(*numbers)
        if self.upper == self.reverse:
            return Shift(self.axis, self.reverse).forward(a), b
        a = np.array(a)
        a[_end(self.axis, self.reverse)] = 0  # what precedes the first is 0, whatever its coefficient
        return a, b

    def vjp(self, i: int, g: Any, y: Any, a: Any, b: Any) -> Any:
        # b̄ is ȳ through the recurrence from the other end;  ā = b̄ y, where y or b̄ is the neighbour's
        back = Recurrence(self.axis, not self.reverse, self.upper)(a, g)
        if i == 1:
            return back
        neighbour = Shift(self.axis, not self.upper)
        return MUL(neighbour(back), y) if self.reverse == self.upper else MUL(back, neighbour(y))

    def jvp(self, ts: Sequence[Any], y: Any, a: Any, b: Any) -> Any:
        """The tangent runs through the same recurrence, fed with ḃ + ȧ s of the neighbour."""
        terms = [] if ts[1] is None else [ts[1]]
        if ts[0] is not None:
            neighbour = Shift(self.axis, self.reverse)
            inside = self.reverse == self.upper
            terms.append(neighbour(MUL(ts[0], y)) if inside else MUL(ts[0], neighbour(y)))
        return self(a, sum_terms(terms))

    def index(self, idx: Sequence[sp.Expr], pa: Any, pb: Any) -> sp.Expr:
        """Σ_k b_k times the product of the coefficients between k and i."""
        i, n, k, j = idx[self.axis], pb.shape[self.axis], pb.fresh(), pb.fresh()
        low, high = (i, k) if self.reverse else (k, i)
        between = (j, low + 1, high) if self.upper else (j, low, high - 1)
        body = pb(_put(idx, self.axis, k)) * pa.product(pa(_put(idx, self.axis, j)), [between])
        total: sp.Expr = pb.sum(body, [(k, i, n - 1) if self.reverse else (k, 0, i)])
        return total


@frozen
class Cumprod(AlongAxis):
    """y_i = Π_{k≤i} x_k along the axis; exclusive Π_{k<i}; in reverse from the other end."""

    axis: int
    reverse: bool = False
    exclusive: bool = False
    analytic = True
    saves = "x"
    words = ("reverse", "exclusive")
    gives = summed
    running = True
    explained = "running product: to each entry, the adjoint times the products without it, added up"
    accumulates = True
    routine = "rows"

    def forward(self, x: Any) -> Any:
        """Multiply the entries up along the axis."""
        x = np.flip(x, self.axis) if self.reverse else x
        if self.exclusive:
            x = np.roll(x, 1, self.axis)
            x[_end(self.axis, False)] = 1
        y = folded(np.multiply.accumulate, x, self.axis)
        return np.flip(y, self.axis) if self.reverse else y

    def enters(self, *numbers: Any) -> tuple[Any, ...]:
        """The entry before, where it is exclusive."""
        return (Shift(self.axis, self.reverse).forward(numbers[0]),) if self.exclusive else numbers

    def vjp(self, i: int, g: Any, y: Any, x: Any) -> Any:
        # x̄_i = (Π_{k<i} x_k) s_i with s_i = ȳ_i + x_{i+1} s_{i+1}; exclusive: ȳ_{i+1} in place of ȳ_i
        g = Shift(self.axis, not self.reverse)(g) if self.exclusive else g
        tail = Recurrence(self.axis, not self.reverse, upper=not self.reverse)(x, g)
        return WEIGH(tail, Cumprod(self.axis, self.reverse, exclusive=True)(x))

    def index(self, idx: Sequence[sp.Expr], p: Any) -> sp.Expr:
        """Π x_k over the range."""
        i, n, k, gap = idx[self.axis], p.shape[self.axis], p.fresh(), int(self.exclusive)
        limits = (k, i + gap, n - 1) if self.reverse else (k, 0, i - gap)
        return p.product(p(_put(idx, self.axis, k)), [limits])


def others(x: Any, axis: int) -> Any:
    """Π_{k≠i} x_k along the axis: the product from the front times the product from the back."""
    return MUL(Cumprod(axis, exclusive=True)(x), Cumprod(axis, reverse=True, exclusive=True)(x))


def cumsum(x: Any, dim: int | None = None, *, dtype: Any = None, axis: int | None = None) -> Any:
    """Return the cumulative sum y_i = Σ_{k≤i} x_k along one axis.

    The cotangent is summed from the other end.

    Args:
        x: tensor, array or number, any shape.
        dim, axis: the axis.
        dtype: dtype to convert to before adding.

    Returns:
        A tensor shaped like x.

    Raises:
        IndexRangeError: if the axis is out of range.

    >>> sg.cumsum(sg.tensor([1.0, 2.0, 3.0]), 0)
    tensor([1., 3., 6.])
    """
    return _scan(Cumsum, x, dim, axis, dtype)


def cumprod(x: Any, dim: int | None = None, *, dtype: Any = None, axis: int | None = None) -> Any:
    """Return the cumulative product y_i = Π_{k≤i} x_k along one axis.

    The derivative never divides by x, so zeros are exact at every order.

    Args:
        x: tensor, array or number, any shape.
        dim, axis: the axis.
        dtype: dtype to convert to before multiplying.

    Returns:
        A tensor shaped like x.

    Raises:
        IndexRangeError: if the axis is out of range.

    >>> sg.cumprod(sg.tensor([1.0, 2.0, 3.0]), 0)
    tensor([1., 2., 6.])
    """
    return _scan(Cumprod, x, dim, axis, dtype)


def _scan(op: type[Cumsum] | type[Cumprod], x: Any, dim: int | None, axis: int | None, dtype: Any) -> Any:
    dims = shape(x)
    along = axis_of(_given(op, dim, axis), len(dims))
    if dims:
        return counted(op(along), x, dtype)
    return rename(Reshape(())(counted(op(0), Reshape((1,))(x), dtype)), op.__name__)


def _given(op: type[Op], dim: int | None, axis: int | None) -> int:
    chosen = dim if axis is None else axis
    if chosen is None:
        raise ArgumentTypeError(
            f'{op.__name__.lower()}() missing 1 required positional arguments: "dim". Pass dim=, or flatten first.'
        )
    return chosen
