"""Variance and standard deviation, with any correction."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import sympy as sp

from symgrad.core.kernels import folded
from symgrad.core.promotion import floating
from symgrad.errors import DTypeError
from symgrad.ops.contract import sum_axes
from symgrad.ops.convert import in_single
from symgrad.ops.elementwise.complexes import holds_complex, imag, real
from symgrad.ops.elementwise.declared import BINARY
from symgrad.ops.elementwise.guards import NONZERO, WEIGH
from symgrad.ops.map import ADD, SUB, emap, exact
from symgrad.ops.protocol import Op, rename, shape
from symgrad.ops.reduction import Axes, Reduction, axes_of, bound_sum, is_float, is_of_all, lift, over, sum_of
from symgrad.ops.shape import total
from symgrad.ops.value import torch_dtype
from symgrad.scalars import X
from symgrad.support.frozen import field, frozen
from symgrad.support.notices import warn


@frozen
class Var(Reduction):
    """Σ (x - μ)² / (n - correction) along the axes, μ their mean."""

    correction: float = 1
    name: str = field(default="Var", compare=False)  # type: ignore[misc]
    saves = "x"
    gives = floating
    explained = "spread around the mean: the deviation from the mean, scaled"
    quoted = "{u} = {z} − mean({z}): d(Σ {u}ᵢ²) = 2·Σ {u}ᵢ·d{u}ᵢ, where Σ {u}ᵢ = 0 removes mean(d{z})"
    routine = "rows"

    def forward(self, x: Any) -> Any:
        """Subtract the mean first: E x² - μ² would cancel."""
        x = np.asarray(x)
        if x.dtype == np.float16:  # squares overflow at 256
            with np.errstate(over="ignore"):
                return self._spread(x.astype(np.float32)).astype(np.float16)
        return self._spread(x)

    def _spread(self, x: Any) -> Any:
        n = total([x.shape[a] for a in self.axes])
        with np.errstate(invalid="ignore", divide="ignore"):
            x = x - x[tuple(slice(1) if a in self.axes else slice(None) for a in range(x.ndim))]  # equal: 0
            x = x - folded(np.add.reduce, x, self.axes, keepdims=True) / n
            return folded(np.add.reduce, x * x, self.axes, keepdims=self.keepdim) / max(n - self.correction, 0)

    def on_symbols(self, x: Any) -> Any:
        n = sp.Integer(total([x.shape[a] for a in self.axes]))
        mean = np.add.reduce(x, axis=self.axes, keepdims=True) / n
        squares = np.sum((x - mean) ** 2, axis=self.axes, keepdims=self.keepdim)
        return squares / (n - exact(self.correction))

    def freedom(self, x: Any) -> Any:
        """Return n - correction; nan where it is not positive."""
        n = total([shape(x)[a] for a in self.axes])
        if isinstance(n, sp.Basic):
            return n - exact(self.correction)
        return n - self.correction if n > self.correction else float("nan")

    def decompose(self, x: Any) -> Any:
        """Σ (x - μ)²/(n - c)."""
        n = total([shape(x)[a] for a in self.axes])
        centred = SUB(x, emap(X[0] / X[1], sum_axes(x, self.axes, True), n))
        squares = sum_axes(emap(X[0] ** 2, centred), self.axes, self.keepdim)
        free = n - self.correction
        return emap(X[0] / X[1], squares, free if isinstance(n, sp.Expr) else float(max(free, 0)))

    def slope(self, y: Any, x: Any) -> Any:
        # w = 2 (x - μ) / (n - c)
        return emap(2 * (X[0] - X[1]) / X[2], x, mean_of(x, self.axes), self.freedom(x))

    def in_matrices(self, a: Any) -> Any:
        if self.keepdim or not is_of_all(self.axes, a):
            return None
        apart = a - sum_of(a) / sp.Mul(*a.shape) * sp.OneMatrix(*a.shape)
        return sp.Trace(sp.MatMul(apart.T, apart)) / (sp.Mul(*a.shape) - exact(self.correction))

    def notation(self, write: Any, *args: Any) -> Any:
        told = {} if self.correction == 1 else {"correction": write.decimal(self.correction)}
        return write.call(self.spelled or self.label.lower(), *args, **told)

    def index(self, idx: Sequence[sp.Expr], p: Any) -> sp.Expr:
        """Σ (x_k - Σ x_l / n)² / (n - c)."""
        full, limits = self.spread(idx, p)
        inner, bounds = self.spread(idx, p)
        n = total([p.shape[a] for a in self.axes])
        centred = p(full) - bound_sum(p, p(inner), bounds) / n
        return bound_sum(p, centred**2, limits) / (n - exact(self.correction))


@frozen
class Std(Var):
    """√Var along the axes. The slope at a constant is 0."""

    name: str = field(default="Std", compare=False)  # type: ignore[misc]
    times = WEIGH
    saves = "xy"
    quoted = "d√{v} = d{v}/(2·√{v}); d(Σ {u}ᵢ²) = 2·Σ {u}ᵢ·d{u}ᵢ, where Σ {u}ᵢ = 0 for {u} = {z} − mean({z})"
    decompose = Op.decompose  # type: ignore[assignment]  # a step of its own

    def _spread(self, x: Any) -> Any:
        return np.sqrt(super()._spread(x))

    def on_symbols(self, x: Any) -> Any:
        return np.frompyfunc(sp.sqrt, 1, 1)(super().on_symbols(x))

    def slope(self, y: Any, x: Any) -> Any:
        # w = (x - μ) / ((n - c) y)
        y = NONZERO(lift(y, x, self.axes))
        return emap((X[0] - X[1]) / (X[2] * X[3]), x, mean_of(x, self.axes), self.freedom(x), y)

    def in_matrices(self, a: Any) -> Any:
        variance = super().in_matrices(a)
        return None if variance is None else sp.sqrt(variance)

    def index(self, idx: Sequence[sp.Expr], p: Any) -> sp.Expr:
        """The root of the variance's entry."""
        return sp.sqrt(super().index(idx, p))


def mean_of(x: Any, axes: Sequence[int], keepdim: bool = True) -> Any:
    """Return the mean along the axes; of half precision in single, where the sum does not overflow."""
    n = total([shape(x)[a] for a in axes])
    return in_single(lambda x: over(sum_axes(x, axes, keepdim), n), x)


# ------------------------------------------------------------------ functions
def var(
    x: Any, dim: Any = None, unbiased: bool | None = None, keepdim: bool = False,
    *, correction: float | None = None, axis: Axes = None, keepdims: bool = False,
) -> Any:  # fmt: skip
    """Return the variance Σ (x - μ)² / (n - correction) along the axes, with |x - μ|² for complex numbers.

    Derivative: 2 (x - μ) / (n - correction).

    Args:
        x: floating-point tensor or array, any shape.
        dim, axis: the axis or axes to reduce, by default all.
        unbiased: False for correction 0, True for 1.
        keepdim, keepdims: keep the axes with length one.
        correction: the number to subtract from n, 1 by default.

    Returns:
        The variances, shaped like x without the axes; nan, with a warning, where n ≤ correction.

    Raises:
        DTypeError: if x holds integers.

    >>> sg.var(sg.tensor([1.0, 2.0, 3.0]))
    tensor(1.)
    """
    return _apply(Var, x, dim, unbiased, keepdim or keepdims, correction, axis)


def std(
    x: Any, dim: Any = None, unbiased: bool | None = None, keepdim: bool = False,
    *, correction: float | None = None, axis: Axes = None, keepdims: bool = False,
) -> Any:  # fmt: skip
    """Return the standard deviation √(Σ (x - μ)² / (n - correction)) along the axes, with |x - μ|² for complex numbers.

    Derivative: (x - μ) / ((n - correction) std), and 0 where all entries are equal.

    Args:
        x: floating-point tensor or array, any shape.
        dim, axis: the axis or axes to reduce, by default all.
        unbiased: False for correction 0, True for 1.
        keepdim, keepdims: keep the axes with length one.
        correction: the number to subtract from n, 1 by default.

    Returns:
        The standard deviations, shaped like x without the axes; nan, with a warning, where n ≤ correction.

    Raises:
        DTypeError: if x holds integers.

    >>> sg.std(sg.tensor([1.0, 2.0, 3.0]))
    tensor(1.)
    """
    return _apply(Std, x, dim, unbiased, keepdim or keepdims, correction, axis)


def var_mean(
    x: Any, dim: Any = None, unbiased: bool | None = None, keepdim: bool = False,
    *, correction: float | None = None, axis: Axes = None, keepdims: bool = False,
) -> tuple[Any, Any]:  # fmt: skip
    """Return the variance and the mean along the axes.

    Args:
        x, dim, unbiased, keepdim, correction: as in ``var``.
        axis, keepdims: aliases of dim and keepdim.

    Returns:
        The pair (variance, mean).

    Raises:
        DTypeError: if x holds integers.

    >>> sg.var_mean(sg.tensor([1.0, 2.0, 3.0]))
    (tensor(1.), tensor(2.))
    """
    keep = keepdim or keepdims
    spread = var(x, dim, unbiased, keep, correction=correction, axis=axis)
    return rename(spread, "VarMean"), rename(_mean(x, dim, axis, keep), "VarMean")


def std_mean(
    x: Any, dim: Any = None, unbiased: bool | None = None, keepdim: bool = False,
    *, correction: float | None = None, axis: Axes = None, keepdims: bool = False,
) -> tuple[Any, Any]:  # fmt: skip
    """Return the standard deviation and the mean along the axes.

    Args:
        x, dim, unbiased, keepdim, correction: as in ``std``.
        axis, keepdims: aliases of dim and keepdim.

    Returns:
        The pair (standard deviation, mean).

    Raises:
        DTypeError: if x holds integers.

    >>> sg.std_mean(sg.tensor([1.0, 2.0, 3.0]))
    (tensor(1.), tensor(2.))
    """
    keep = keepdim or keepdims
    spread = std(x, dim, unbiased, keep, correction=correction, axis=axis)
    return rename(spread, "StdMean"), rename(_mean(x, dim, axis, keep), "StdMean")


def _mean(x: Any, dim: Any, axis: Axes, keepdim: bool) -> Any:
    return mean_of(x, _arguments(x, dim, None, axis)[0], keepdim)


def _arguments(x: Any, dim: Any, unbiased: bool | None, axis: Axes) -> tuple[tuple[int, ...], bool | None]:
    """Tell PyTorch's var(x, unbiased) from var(x, dim, unbiased)."""
    if isinstance(dim, bool):
        dim, unbiased = None, dim
    return axes_of(dim if axis is None else axis, len(shape(x))), unbiased


def _apply(op: type[Var], x: Any, dim: Any, unbiased: bool | None, keepdim: bool, correction: Any, axis: Axes) -> Any:
    name = op.__name__.lower()
    axes, unbiased = _arguments(x, dim, unbiased, axis)
    if not is_float(x):
        raise DTypeError(
            f"std and var only support floating point and complex dtypes. {name}: got {torch_dtype(x)}; "
            "convert it with .to(float) first."
        )
    correction = correction if correction is not None else int(unbiased is not False)
    n = total([shape(x)[a] for a in axes])
    if isinstance(n, int) and n <= correction:
        warn(
            f"{name}(): degrees of freedom is <= 0. Correction should be strictly less than the reduction "
            f"factor (input numel divided by output numel). Got {n} entries and correction {correction}.",
        )
    spread = op(axes, keepdim, correction)
    if not holds_complex(x):
        return in_single(spread, x)
    # real and imaginary parts are spread around their own means, and |x - μ|² is the sum of the two squares
    join = ADD if op is Var else BINARY["hypot"]
    return rename(join(spread(real(x)), spread(imag(x))), spread.name)
