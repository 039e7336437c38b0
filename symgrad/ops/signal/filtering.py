"""Filters along an axis: a convolution, then Feedback, the recurrence of what came out before."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from symgrad.core.node import Shape
from symgrad.core.promotion import floating
from symgrad.errors import ArgumentError, ShapeError
from symgrad.ops.contract import permute
from symgrad.ops.indexing.select import along
from symgrad.ops.map import ADD, DIV, NEG, SUB, broadcast_shapes, show_shape
from symgrad.ops.protocol import Op, shape
from symgrad.ops.shape import Expand, Flip, axis_of, each_batched, padded
from symgrad.ops.shapes.padding import pad
from symgrad.ops.signal.convolving import Convolve
from symgrad.support.frozen import frozen


@frozen
class Feedback(Op):
    """y_i = u_i − Σ_{k≥1} c_k y_{i−k} along the last axis. Inputs c (…, m) and u (…, n)."""

    spelled = "feedback"
    gives = floating
    signature = "(m),(n)->(n)"
    explained = "recurrence with feedback: the adjoint runs through it from the other end"
    not_exportable = "no library of the targets but SciPy has it"

    def forward(self, c: Any, u: Any) -> Any:
        """Block by block: a block's own entries by its inverse, and those before by their effect on it."""
        c, u = np.asarray(c), np.asarray(u)
        to, kind = self.out_shape(c.shape, u.shape), self.dtype(c.dtype, u.dtype)
        y, m = np.array(np.broadcast_to(u, to), np.result_type(kind, np.float64)), c.shape[-1]
        if not m or not y.size:
            return y.astype(kind)
        each = np.broadcast_to(c, (*to[:-1], m)) if c.ndim > 1 else c
        for at in np.ndindex(each.shape[:-1]):
            run = _in_blocks if y.shape[-1] > _BLOCK and np.isfinite(y[at]).all() else _run
            run(each[at].astype(y.dtype), y[at])
        return y.astype(kind)

    def out_shape(self, c: Shape, u: Shape) -> Shape:
        if not c or not u:
            raise ShapeError(f"lfilter: both inputs need an axis. Got shapes {show_shape(c)} and {show_shape(u)}.")
        return (*broadcast_shapes(c[:-1], u[:-1]), u[-1])

    def vjps(self, which: Sequence[int], g: Any, y: Any, *xs: Any) -> list[Any]:
        # ū runs through the recurrence from the other end;  c̄_k = −Σ_i ū_i y_{i−k}
        c, last = xs[0], len(shape(y)) - 1
        back = Flip((last,))(self(c, Flip((last,))(g)))
        return [back if i == 1 else self._of_coefficients(back, y, shape(c)[-1]) for i in which]

    @staticmethod
    def _of_coefficients(back: Any, y: Any, m: int) -> Any:
        n, last = shape(y)[-1], len(shape(y)) - 1
        if not n:
            return Expand((*shape(y)[:-1], m))(0.0)
        full = NEG(Convolve(1)(back, Flip((last,))(y)))
        return along(pad(full, (0, max(0, m - n + 1))), last, n, n + m)

    def jvp(self, ts: Sequence[Any], y: Any, c: Any, u: Any) -> Any:
        # ẏ_i = u̇_i − Σ ċ_k y_{i−k} − Σ c_k ẏ_{i−k}
        moved, right = ts
        if moved is not None and shape(y)[-1]:
            last, n = len(shape(y)) - 1, shape(y)[-1]
            effect = along(Convolve(1)(pad(moved, (1, 0)), y), last, 0, n)
            right = NEG(effect) if right is None else SUB(right, effect)
        return self(c, right)

    def batched(self, size: int, xs: Sequence[Any], flags: Sequence[bool]) -> Any:
        """Filter all slices at once; their axes in front broadcast."""
        c, u = each_batched(size, xs, flags)
        rank = max(len(shape(c)), len(shape(u))) - 1
        return self(padded(c, rank), padded(u, rank))

    def on_symbols(self, *xs: Any) -> Any:
        c, u = (np.asarray(x, dtype=object) for x in xs)
        y = np.array(np.broadcast_to(u, self.out_shape(c.shape, u.shape)))
        _run(c, y)
        return y


_BLOCK = 32


def _run(c: Any, y: Any) -> None:
    """Run the recurrence along the last axis of y, in place."""
    for i in range(y.shape[-1]):
        for k in range(1, min(i, c.shape[-1]) + 1):
            y[..., i] -= c[..., k - 1] * y[..., i - k]


def _in_blocks(c: Any, y: Any) -> None:
    """Compute what ``_run`` does by matrix products: faster, but infinities and nan spread over a block."""
    n, m = y.shape[-1], len(c)
    size = min(_BLOCK, n)
    response = np.zeros(size)
    response[0] = 1.0
    for i in range(1, size):
        k = min(i, m)
        response[i] = -c[:k] @ response[i - k : i][::-1]
    row, column = np.indices((size, size))
    inverse = np.where(row >= column, response[row - column], 0.0)
    row, column = np.indices((size, m))
    before = np.where(m - column + row <= m, c[np.minimum(m - column + row, m) - 1], 0.0)  # of y_{column − m} on row
    state = np.zeros((*y.shape[:-1], m))
    for start in range(0, n, size):
        part = y[..., start : start + size]
        k = part.shape[-1]
        part[...] = (part - state @ before[:k].T) @ inverse[:k, :k].T
        state = np.concatenate([state, part], -1)[..., -m:]


def lfilter(b: Any, a: Any, x: Any, axis: int = -1, zi: Any = None) -> Any:
    """Filter x along one axis: a_0 y_i = Σ_k b_k x_{i−k} − Σ_{k≥1} a_k y_{i−k}.

    Args:
        b, a: (p,) and (q,), the numerator and the denominator; a_0 is not 0.
        x, axis: tensor of any shape with at least one axis, and the axis to filter along.
        zi: the initial state, shaped like x but with max(p, q) − 1 entries along the axis.

    Returns:
        y, shaped like x; with ``zi`` a pair of y and the final state, from which filtering can be continued.

    Raises:
        ArgumentError: if a_0 is 0.
        ShapeError: if b or a is not a vector, or the length of zi differs.

    >>> sg.signal.lfilter([1.0], [1.0, -0.5], sg.tensor([1.0, 0.0, 0.0]))
    tensor([1.0000, 0.5000, 0.2500])
    """
    _check(b, a, x)
    first, ndim = along(a, 0, 0, 1), len(shape(x))
    b, c = DIV(b, first), DIV(along(a, 0, 1, shape(a)[0]), first)
    at = axis_of(axis, ndim)
    order = [*(k for k in range(ndim) if k != at), at]
    x, last, n = permute(x, order), ndim - 1, shape(x)[at]
    state = _state(zi, order, max(shape(a)[0], shape(b)[0]) - 1, shape(x)) if zi is not None else None
    full = _sum(Convolve(1)(x, b) if n else x, state, last)
    fed = along(full, last, 0, n)
    y = Feedback()(c, fed) if shape(c)[0] else fed
    back = [order.index(k) for k in range(ndim)]
    filtered = permute(y, back)
    return filtered if zi is None else (filtered, permute(_end(full, y, c, n, shape(state)[-1]), back))


def _check(b: Any, a: Any, x: Any) -> None:
    for what, v in (("b", b), ("a", a)):
        if len(shape(v)) != 1 or not shape(v)[0]:
            raise ShapeError(f"lfilter: {what} must be a vector with at least one entry. Got {show_shape(shape(v))}.")
    if not shape(x):
        raise ShapeError("lfilter: x needs an axis to run along. Got a number; pass at least a vector.")
    value = getattr(a, "_value", a)
    if isinstance(value, np.ndarray) and value.dtype != object and value[0] == 0:
        raise ArgumentError("lfilter: a[0] is 0. Expected a denominator that begins with another number.")


def _state(zi: Any, order: Sequence[int], size: int, like: Shape) -> Any:
    if len(shape(zi)) != len(like):
        raise ShapeError(f"lfilter: zi must have as many axes as x, {len(like)}. Got shape {show_shape(shape(zi))}.")
    state = permute(zi, order)
    if shape(state)[-1] != size:
        raise ShapeError(
            f"lfilter: zi must have max(len(a), len(b)) - 1 = {size} entries along the axis. Got {shape(state)[-1]}."
        )
    return Expand((*like[:-1], size))(state)


def _sum(x: Any, state: Any, last: int) -> Any:
    """x with the state added to its first entries, both continued by zeros."""
    if state is None:
        return x
    n = shape(x)[-1]
    size = max(n, shape(state)[-1])
    return ADD(pad(x, (0, size - n)), pad(state, (0, size - shape(state)[-1])))


def _end(full: Any, y: Any, c: Any, n: int, size: int) -> Any:
    """What would still come out after x, were the outputs held at 0 from there on."""
    last, width = len(shape(y)) - 1, n + size
    rest = pad(full, (0, max(0, width - shape(full)[-1])))
    if shape(c)[0] and n:
        effect = Convolve(1)(y, pad(c, (1, 0)))
        effect = pad(effect, (0, max(0, width - shape(effect)[-1])))
        rest = SUB(along(rest, last, n, width), along(effect, last, n, width))
        return rest
    return along(rest, last, n, width)
