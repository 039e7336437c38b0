"""logsumexp, softmax and log_softmax, with kernels that neither overflow nor cancel."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import sympy as sp

from symgrad import scalars
from symgrad.core.kernels import folded
from symgrad.core.node import Shape
from symgrad.core.promotion import floating, is_complex
from symgrad.errors import ArgumentTypeError
from symgrad.ops.contract import sum_axes
from symgrad.ops.convert import Cast, as_floats
from symgrad.ops.elementwise.declared import abs_, exp, log, sign
from symgrad.ops.elementwise.guards import CAPPED, COUNTED, SETTLED, SHIFT, WEIGH, settle
from symgrad.ops.map import ADD, MUL, SUB, broadcast_shapes, emap
from symgrad.ops.protocol import Op, Traced, shape
from symgrad.ops.reduction import Axes, Reduction, bound_sum, is_of_all, resolve, sum_of
from symgrad.ops.reductions.extremes import Extreme
from symgrad.ops.shape import Expand, Reshape, axis_of
from symgrad.scalars import X
from symgrad.support.frozen import frozen

_exp = np.frompyfunc(sp.exp, 1, 1)
_log = np.frompyfunc(sp.log, 1, 1)


def _shifted(x: Any, axes: tuple[int, ...]) -> tuple[Any, Any]:
    """Return x - m, m the largest entry along the axes, and m; x - m is nan where both are infinite."""
    top = np.maximum.reduce(x, axis=axes, keepdims=True)
    with np.errstate(invalid="ignore"):
        return x - top, top


def _excess(z: Any, axes: tuple[int, ...]) -> Any:
    """Return log Σ exp z for z ≤ 0 with largest entry 0, through log1p of the sum of the others."""
    tops = z == 0
    others = folded(np.add.reduce, np.where(tops, 0, np.exp(z)), axes, keepdims=True)
    return np.log1p(others + (folded(np.add.reduce, tops.astype(z.dtype), axes, keepdims=True) - 1))


def _below(x: Any, axes: tuple[int, ...]) -> tuple[Any, Any]:
    """x - m and m, the largest entry along the axes."""
    top = Extreme(axes, True)(x)
    return SUB(x, top), top


def _beside(z: Any, axes: tuple[int, ...]) -> Any:
    """log Σ exp z for z ≤ 0 with largest entry 0, through log1p of the sum of the others."""
    others = sum_axes(emap(sp.Piecewise((0, sp.Eq(X[0], 0)), (scalars.exp(X[0]), True)), z), axes, True)
    ties = sum_axes(emap(sp.Piecewise((1, sp.Eq(X[0], 0)), (0, True)), z), axes, True)
    return emap(scalars.log1p(X[0] + (X[1] - 1)), others, ties)


def _sums(a: Any, axes: tuple[int, ...]) -> Any:
    """Return Σ exp(x_k) along an axis, in every entry: exp(X)*1*1ᵀ, or 1*1ᵀ*exp(X)."""
    e, (rows, columns) = a.applyfunc(sp.exp), a.shape
    if len(axes) == 2 or columns == 1:
        return sum_of(e) * sp.OneMatrix(rows, columns)
    return e * sp.OneMatrix(columns, columns) if axes == (1,) else sp.OneMatrix(rows, rows) * e


@frozen
class LogSumExp(Reduction):
    """log Σ exp x along the axes."""

    name = "Logsumexp"
    saves = "x"
    gives = floating
    analytic = True
    quoted = "chain rule, ∂({log} Σᵢ exp({u}ᵢ))/∂{u}ⱼ = exp({u}ⱼ)/Σᵢ exp({u}ᵢ)"
    explained = "log-sum-exp: the adjoint is shared out by softmax"

    def forward(self, x: Any) -> Any:
        """m + log1p(Σ exp(x - m)) without the largest entry m in the sum."""
        x = np.asarray(x)
        s = self.out_shape(x.shape)
        if 0 in (x.shape[a] for a in self.axes):
            return np.full(s, -np.inf, x.dtype)
        if is_complex(x.dtype):
            top = np.maximum.reduce(x.real, axis=self.axes, keepdims=True)
            return (np.log(np.add.reduce(np.exp(x - top), axis=self.axes, keepdims=True)) + top).reshape(s)
        z, top = _shifted(x, self.axes)
        return np.where(np.isfinite(top), top + _excess(z, self.axes), top).reshape(s)

    def on_symbols(self, x: Any) -> Any:
        return _log(np.sum(_exp(x), axis=self.axes, keepdims=self.keepdim))

    def in_matrices(self, a: Any) -> Any:
        e, (rows, columns) = a.applyfunc(sp.exp), a.shape
        if self.keepdim:
            return None
        if is_of_all(self.axes, a):
            return sp.log(sum_of(e))
        total = e * sp.OneMatrix(columns, 1) if self.axes == (1,) else e.T * sp.OneMatrix(rows, 1)
        return total.applyfunc(sp.log)

    def decompose(self, x: Any) -> Any:
        """m + log Σ exp(x - m)."""
        z, top = _below(x, self.axes)
        finite = sp.Piecewise((X[0] + X[1], sp.Abs(X[0]) < X[2]), (X[0], True))
        return Reshape(self.out_shape(shape(x)))(emap(finite, top, _beside(z, self.axes), float("inf")))

    def slope(self, y: Any, x: Any) -> Any:
        # w = softmax(x)
        return Softmax(self.axes)(x)

    def index(self, idx: Sequence[sp.Expr], p: Any) -> sp.Expr:
        """log Σ exp(x_k)."""
        full, limits = self.spread(idx, p)
        return sp.log(bound_sum(p, sp.exp(p(full)), limits))


@frozen
class _Normalised(Op):
    """What softmax and log_softmax share: the axes, and a shape that stays."""

    axes: tuple[int, ...]
    by_rows = True
    gives = floating

    def out_shape(self, s: Shape) -> Shape:
        return s

    def notation(self, write: Any, *args: Any) -> Any:
        return write.call(type(self).__name__, args[0])

    def exponentials(self, idx: Sequence[sp.Expr], p: Any) -> sp.Expr:
        """Return Σ exp(x_k) of the row that an entry belongs to."""
        row = Reduction(self.axes, keepdim=True)
        full, limits = row.spread(idx, p)
        return bound_sum(p, sp.exp(p(full)), limits)


def settled(slope: Any, y: Any, axes: tuple[int, ...]) -> Any:
    """Return the slope along rows y that sum to 1, using that the slope sums to 0.

    Where an entry of y is nearly 1, its slope is a small difference; what rounding left there is the sum of all.
    """
    if isinstance(slope, Traced):
        return SETTLED(slope, y, sum_axes(slope, axes, keepdim=True))
    with np.errstate(invalid="ignore", over="ignore"):
        return settle(slope, y, np.add.reduce(slope, axis=axes, keepdims=True))


@frozen
class Softmax(_Normalised):
    """exp x / Σ exp x along the axes."""

    analytic = True
    saves = "y"
    quoted = "quotient rule, ∂{s}ᵢ/∂{u}ⱼ = {s}ᵢ·(δᵢⱼ − {s}ⱼ) with {s} = softmax({u})"
    explained = "softmax p: p times the adjoint less its mean under p"

    def forward(self, x: Any) -> Any:
        """Shift by the largest entry, so that nothing overflows."""
        if np.size(x) == 0:
            return np.array(x)
        e = np.exp(_shifted(x, self.axes)[0])
        total = folded(np.add.reduce, e, self.axes, keepdims=True)
        if np.isnan(total).any():  # beside ∞, what is finite has no share
            return np.where(e == 0, e, e / total)
        return e / total

    def on_symbols(self, x: Any) -> Any:
        e = _exp(x)
        return e / np.add.reduce(e, axis=self.axes, keepdims=True)

    def in_matrices(self, a: Any) -> Any:
        return sp.HadamardProduct(a.applyfunc(sp.exp), sp.HadamardPower(_sums(a, self.axes), -1))

    def decompose(self, x: Any) -> Any:
        """exp(x - m) over its sum."""
        e = emap(scalars.exp(X[0]), _below(x, self.axes)[0])
        beside = sp.Piecewise((X[0], sp.Eq(X[0], 0)), (X[0] / X[1], True))  # beside ∞, what is finite has no share
        return emap(beside, e, sum_axes(e, self.axes, True))

    def vjp(self, i: int, g: Any, y: Any, x: Any) -> Any:
        # x̄ = y ⊙ (ȳ - Σ ȳ ⊙ y)
        return settled(MUL(y, SUB(g, sum_axes(MUL(g, y), self.axes, keepdim=True))), y, self.axes)

    def jvp(self, ts: Sequence[Any], y: Any, x: Any) -> Any:
        """The Jacobian is symmetric."""
        return self.vjp(0, ts[0], y, x)

    def index(self, idx: Sequence[sp.Expr], p: Any) -> sp.Expr:
        """exp(x_i) / Σ exp(x_k)."""
        return sp.exp(p(idx)) / self.exponentials(idx, p)

    def notation(self, write: Any, *args: Any) -> Any:
        return write.call("softmax", args[0])


@frozen
class LogSoftmax(_Normalised):
    """x - log Σ exp x along the axes."""

    saves = "x"
    explained = "log-softmax: the adjoint less softmax times its sum"

    def forward(self, x: Any) -> Any:
        """(x - m) - log1p(Σ exp(x - m)) without the largest entry m in the sum."""
        if np.size(x) == 0:
            return np.array(x)
        z, _ = _shifted(x, self.axes)
        return z - _excess(z, self.axes)

    def on_symbols(self, x: Any) -> Any:
        return x - _log(np.add.reduce(_exp(x), axis=self.axes, keepdims=True))

    def in_matrices(self, a: Any) -> Any:
        return a - _sums(a, self.axes).applyfunc(sp.log)

    def decompose(self, x: Any) -> Any:
        """x - m - log Σ exp(x - m)."""
        z, _ = _below(x, self.axes)
        return SUB(z, _beside(z, self.axes))

    def vjp(self, i: int, g: Any, y: Any, x: Any) -> Any:
        # x̄ = ȳ - softmax(x) Σ ȳ
        p = Softmax(self.axes)(x)
        return settled(SUB(g, MUL(p, sum_axes(g, self.axes, keepdim=True))), p, self.axes)

    def jvp(self, ts: Sequence[Any], y: Any, x: Any) -> Any:
        """ẏ = ẋ - Σ softmax(x) ⊙ ẋ, twice: Σ softmax(x) ⊙ ẏ = 0, but for what ẏ lacks beside probability 1."""
        p = Softmax(self.axes)(x)
        tangent = SUB(ts[0], sum_axes(MUL(p, ts[0]), self.axes, keepdim=True))
        rest = sum_axes(MUL(p, tangent), self.axes, keepdim=True)
        return (SETTLED if isinstance(tangent, Traced) else settle)(tangent, 1.0, rest)

    def index(self, idx: Sequence[sp.Expr], p: Any) -> sp.Expr:
        """x_i - log Σ exp(x_k)."""
        return p(idx) - sp.log(self.exponentials(idx, p))

    def notation(self, write: Any, *args: Any) -> Any:
        return write.call("log_softmax", args[0], latex=r"\log\operatorname{softmax}")


# ------------------------------------------------------------------ functions
def logsumexp(
    x: Any, dim: Axes = None, keepdim: bool = False, *, axis: Axes = None, keepdims: bool = False, b: Any = None,
    return_sign: bool = False,
) -> Any:  # fmt: skip
    """Return log Σ exp x along the axes, without overflow, or log Σ b exp x. Derivative: softmax(x); in b, exp(x - y).

    Args:
        x: tensor, array or number, any shape.
        dim, axis: the axis or axes to reduce, by default all.
        keepdim, keepdims: keep the axes with length one.
        b: factors of any sign, broadcast against x, as in SciPy. An entry with the factor 0 is ignored.
        return_sign: whether to return log |Σ b exp x| and the sign of the sum.

    Returns:
        A tensor shaped like x without the axes: -∞ if there is no entry, and nan if the sum is negative and return_sign
        is False. With return_sign, a pair of tensors.

    >>> sg.logsumexp(sg.tensor([1000.0, 1000.0]), 0)
    tensor(1000.6931)
    >>> sg.logsumexp(sg.tensor([1.0, 2.0]), 0, b=[1.0, -1.0], return_sign=True)
    (tensor(1.5413), tensor(-1.))
    """
    x = as_floats(x)
    if b is None and not return_sign:
        return LogSumExp(resolve(x, dim, axis), keepdim or keepdims)(x)
    b = 1.0 if b is None else b if isinstance(b, Traced) else np.asarray(b)
    sizes = broadcast_shapes(shape(x), shape(b))
    x, b = (a if shape(a) == sizes else Expand(sizes)(a) for a in (x, b))
    return _signed(x, b, resolve(x, dim, axis), keepdim or keepdims, return_sign)


def _signed(x: Any, b: Any, axes: tuple[int, ...], keepdim: bool, return_sign: bool) -> Any:
    """log Σ b exp x as m + log Σ b exp(x - m), where m = log Σ exp x of the entries with b ≠ 0."""
    m = SHIFT(LogSumExp(axes, True)(COUNTED(x, b)))
    total = sum_axes(WEIGH(exp(CAPPED(SUB(x, m))), b), axes, keepdim=True)
    logarithm = ADD(log(abs_(total) if return_sign else total), m)
    results = [y if keepdim else sum_axes(y, axes) for y in ((logarithm, sign(total)) if return_sign else (logarithm,))]
    return tuple(results) if return_sign else results[0]


def softmax(x: Any, dim: int | None = None, *, dtype: Any = None, axis: int | None = None) -> Any:
    """Return exp x / Σ exp x along one axis.

    Derivative: y_i (δ_ij - y_j).

    Args:
        x: tensor, array or number, any shape.
        dim, axis: the axis.
        dtype: dtype to convert to first.

    Returns:
        A tensor shaped like x, whose entries along the axis sum to 1; nan for a row that is all -∞.

    Raises:
        ArgumentTypeError: if no axis is given.
        IndexRangeError: if it is out of range.

    >>> sg.softmax(sg.tensor([0.0, 0.0]), 0)
    tensor([0.5000, 0.5000])
    """
    return _along(Softmax, "softmax", x, dim if axis is None else axis, dtype)


def log_softmax(x: Any, dim: int | None = None, *, dtype: Any = None, axis: int | None = None) -> Any:
    """Return x - log Σ exp x along one axis, accurate even where softmax rounds to 0 or 1.

    Derivative: δ_ij - softmax(x)_j.

    Args:
        x: tensor, array or number, any shape.
        dim, axis: the axis.
        dtype: dtype to convert to first.

    Returns:
        A tensor shaped like x; nan for a row that is all -∞.

    Raises:
        ArgumentTypeError: if no axis is given.
        IndexRangeError: if it is out of range.

    >>> sg.log_softmax(sg.tensor([0.0, 0.0]), 0)
    tensor([-0.6931, -0.6931])
    """
    return _along(LogSoftmax, "log_softmax", x, dim if axis is None else axis, dtype)


def _along(op: type[_Normalised], name: str, x: Any, dim: int | None, dtype: Any) -> Any:
    if dim is None:
        raise ArgumentTypeError(
            f'{name}() missing 1 required positional arguments: "dim". Pass dim=-1 for the last axis.'
        )
    ndim = len(shape(x))
    axis = axis_of(dim, ndim)
    return op((axis,) if ndim else ())(x if dtype is None else Cast(np.dtype(dtype))(x))
