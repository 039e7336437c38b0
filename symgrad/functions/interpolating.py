"""What lies between knots: lines as ``np.interp``, and SciPy's cubic splines, differentiable in knots and values."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from symgrad.core.node import has_value, tensor_value
from symgrad.core.promotion import is_complex, is_differentiable
from symgrad.engine.record import as_tensor
from symgrad.errors import ArgumentError, DTypeError, NotYet, ShapeError
from symgrad.functions.algebra import diag
from symgrad.functions.pointwise import where
from symgrad.functions.reductions import cumsum, diff
from symgrad.functions.shapes import cat, movedim, roll, stack
from symgrad.functions.sorting import argsort, searchsorted
from symgrad.ops.linalg.banded import solve_banded
from symgrad.ops.linalg.solving import solve
from symgrad.ops.map import show_shape
from symgrad.ops.shape import axis_of
from symgrad.ops.shapes.sizes import whole
from symgrad.support.arguments import check_all, shown
from symgrad.tensors.creation import ones_like, zeros_like

__all__ = ["CubicSpline", "interp"]


def _check_lengths(knots: Any, values: Any) -> None:
    if len(knots.shape) != 1 or knots.shape != values.shape:
        raise ShapeError(
            f"interp: fp and xp are not of the same length. Got shapes {show_shape(knots.shape)} and "
            f"{show_shape(values.shape)}."
        )


def interp(x: Any, xp: Any, fp: Any, left: Any = None, right: Any = None, period: Any = None) -> Any:
    """Interpolate linearly between knots, like ``np.interp``.

    Args:
        x: where, any shape.
        xp: (n,), the knots, ascending.
        fp: (n,), the values at the knots.
        left, right: the value before the first knot, and after the last one; without them the first and the last.
        period: the length after which the values repeat.

    Returns:
        A tensor shaped like x, differentiable in x, xp and fp.

    Raises:
        ShapeError: if xp and fp are not vectors of the same length.

    >>> sg.interp(sg.tensor([0.5, 5.0]), [0.0, 1.0, 2.0], [0.0, 10.0, 20.0])
    tensor([ 5., 20.])
    """
    at, knots, values = _real("interp", x), _real("interp", xp), _floating(fp)
    _check_lengths(knots, values)
    if period is not None:
        period = abs(_real("interp", period))
        if has_value(period) and not np.all(tensor_value(period) > 0):
            raise ArgumentError(f"interp: period must be a non-zero value. Got {period}; omit it for no period.")
        at, knots, values, left, right = at % period, *_periodic(knots, values, period), None, None
    n = knots.shape[0]
    inner = values[0] if n == 1 else _on_segments(at, knots, values)
    low, high = (values[k] if end is None else as_tensor(end) for k, end in ((0, left), (n - 1, right)))
    return where(at < knots[0], low, where(at > knots[n - 1], high, inner))


def _segment(at: Any, knots: Any) -> Any:
    """The number of the segment of each number; those at the ends reach outward."""
    return searchsorted(knots.detach()[1:-1], at.detach(), right=True)


def _on_segments(at: Any, knots: Any, values: Any) -> Any:
    k = _segment(at, knots)
    x0, y0 = knots[k], values[k]
    return y0 + (at - x0) * ((values[k + 1] - y0) / (knots[k + 1] - x0))


def _periodic(knots: Any, values: Any, period: Any) -> tuple[Any, Any]:
    """One period of the knots in order, with the neighbours of its ends."""
    knots = knots % period
    order = argsort(knots)
    knots, values = knots[order], values[order]
    return cat([knots[-1:] - period, knots, knots[:1] + period]), cat([values[-1:], values, values[:1]])


def _floating(x: Any) -> Any:
    t = as_tensor(x)
    return t if is_differentiable(t.dtype) else t.to(np.float64)


def _real(who: str, x: Any) -> Any:
    """Return places along a line as a tensor."""
    t = _floating(x)
    if is_complex(t.dtype):
        raise DTypeError(
            f"{who}: places and knots must be real; only values may be complex. Got {t.dtype}; pass z.real."
        )
    return t


# ------------------------------------------------------------------ piecewise polynomials
class PiecewisePolynomial:
    """Σ_k c_k (t − x_i)^(K−k) on each segment [x_i, x_{i+1}]: ``c`` (K + 1, n − 1, …), ``x`` (n,), as SciPy's PPoly."""

    def __init__(self, c: Any, x: Any, extrapolate: bool | str = True, axis: int = 0) -> None:
        self.c, self.x, self.extrapolate, self.axis = c, x, extrapolate, axis

    def __call__(self, t: Any, nu: int = 0, extrapolate: bool | str | None = None) -> Any:
        """The value at t, any shape, or the derivative of order ``nu``: the axis of the knots is replaced by t's."""
        if nu:
            return self.derivative(nu)(t, extrapolate=extrapolate)
        beyond = self.extrapolate if extrapolate is None else extrapolate
        at, n = _real("spline", t), self.x.shape[0]
        first, last = self.x[0], self.x[n - 1]
        if beyond == "periodic":
            at = first + (at - first) % (last - first)
        k = _segment(at, self.x)
        rest = len(self.c.shape) - 2
        step = (at - self.x[k]).reshape(*at.shape, *(1,) * rest)
        y = self.c[0][k]
        for row in range(1, self.c.shape[0]):
            y = y * step + self.c[row][k]
        if not beyond:
            inside = ((at >= first) & (at <= last)).reshape(*at.shape, *(1,) * rest)
            y = where(inside, y, np.nan)
        return movedim(y, tuple(range(len(at.shape))), tuple(range(self.axis, self.axis + len(at.shape))))

    def derivative(self, nu: int = 1) -> PiecewisePolynomial:
        """Return the derivative of order ``nu``; a negative order means the repeated integral from the first knot."""
        if whole(nu) < -100:
            raise ArgumentError(f"derivative: got nu={shown(nu)}. Expected an order of at least -100.")
        if nu < 0:
            return self._integral().derivative(nu + 1)
        c = self.c
        for _ in range(min(nu, len(c))):
            degree = c.shape[0] - 1
            c = stack([c[k] * (degree - k) for k in range(degree)]) if degree else c * 0.0
        return PiecewisePolynomial(c, self.x, self.extrapolate, self.axis)

    def antiderivative(self, nu: int = 1) -> PiecewisePolynomial:
        """Return the integral from the first knot, repeated ``nu`` times; a negative ``nu`` gives the derivative."""
        return self.derivative(-whole(nu))

    def _integral(self) -> PiecewisePolynomial:
        order, widths = self.c.shape[0], diff(self.x).reshape(-1, *(1,) * (len(self.c.shape) - 2))
        rows = [self.c[k] / (order - k) for k in range(order)]
        areas = rows[0] * widths
        for row in rows[1:]:
            areas = (areas + row) * widths
        before = cumsum(areas, 0) - areas
        beyond = False if self.extrapolate == "periodic" else self.extrapolate  # it grows from period to period
        return PiecewisePolynomial(stack([*rows, before]), self.x, beyond, self.axis)

    def integrate(self, a: Any, b: Any) -> Any:
        """Return the integral from a to b, which must lie between the ends unless the polynomials are extrapolated."""
        whole = self.antiderivative()
        if self.extrapolate != "periodic":
            return whole(b) - whole(a)
        first, last = self.x[0], self.x[self.x.shape[0] - 1]
        turns = [(_floating(t).detach() - first.detach()) // (last - first).detach() for t in (a, b)]
        within = whole(b, extrapolate="periodic") - whole(a, extrapolate="periodic")
        return within + (turns[1] - turns[0]) * whole(last)


class CubicSpline(PiecewisePolynomial):
    """Cubic polynomials between knots with two continuous derivatives, like ``scipy.interpolate.CubicSpline``.

    Args:
        x: (n,), the knots, ascending; at least two.
        y: the values, n of them along the axis.
        axis: the axis of y.
        bc_type: what holds at the ends: "not-a-knot", the first two cubics are one, as are the last two; "natural",
            the second derivative is 0; "clamped", the first one is; "periodic"; or for each end one of the first
            three, or (order, value) of the derivative.
        extrapolate: whether the outer cubics go on beyond the ends; False for nan there, "periodic" to repeat.

    Calling it with t gives the spline's value there, ``derivative()`` its derivative, ``integrate(a, b)`` the integral.
    All are differentiable in t, x, y and the values at the ends.

    Raises:
        ArgumentError: if bc_type is unknown, the knots do not increase, or periodic values differ at the ends.
        ShapeError: if x and y do not fit.

    Source: de Boor 1978, A Practical Guide to Splines, chapter IV.

    >>> s = sg.CubicSpline([0.0, 1.0, 2.0, 3.0], [0.0, 1.0, 8.0, 27.0])
    >>> s(1.5), s.derivative()(sg.tensor(2.5))
    (tensor(3.3750), tensor(18.7500))
    """

    def __init__(
        self, x: Any, y: Any, axis: int = 0, bc_type: Any = "not-a-knot", extrapolate: bool | str | None = None
    ) -> None:
        knots, values = _real("CubicSpline", x), _floating(y)
        axis = axis_of(axis, len(values.shape))
        values = movedim(values, axis, 0)
        _check_knots(knots, values)
        periodic = isinstance(bc_type, str) and bc_type == "periodic"
        if periodic:
            _check_periodic(values)
        if extrapolate is None:
            extrapolate = "periodic" if periodic else True
        c = _hermite(knots, values, _slopes_around(knots, values) if periodic else _slopes(knots, values, bc_type))
        super().__init__(c, knots, extrapolate, axis)


def _check_knots(x: Any, y: Any) -> None:
    if not all(isinstance(n, int) for n in (*x.shape, *y.shape)):
        raise NotYet(
            "CubicSpline: it depends on a size that is a name, and needs its number. Got shapes "
            f"{show_shape(x.shape)} and {show_shape(y.shape)}; make the symbol with numbers for such sizes."
        )
    if len(x.shape) != 1 or x.shape[0] < 2 or y.shape[0] != x.shape[0]:
        raise ShapeError(
            f"CubicSpline: x must be a vector of at least two knots, with a value for each. Got shapes "
            f"{show_shape(x.shape)} and {show_shape(y.shape)}."
        )
    known = getattr(x, "_value", None)
    if isinstance(known, np.ndarray) and not (np.diff(known) > 0).all():
        raise ArgumentError("CubicSpline: `x` must be strictly increasing sequence. Sort the knots first.")


def _check_periodic(y: Any) -> None:
    known = getattr(y, "_value", None)
    if isinstance(known, np.ndarray) and not np.allclose(known[0], known[-1], rtol=1e-15, atol=1e-15):
        raise ArgumentError(
            "CubicSpline: The first and last `y` point must be identical (within machine precision) when "
            "bc_type='periodic'. Repeat the first value at the end."
        )


def _columns(x: Any, y: Any) -> tuple[Any, Any]:
    """The widths of the segments, shaped so that they divide values; and the slopes of the lines."""
    widths = diff(x).reshape(-1, *(1,) * (len(y.shape) - 1))
    return widths, diff(y, dim=0) / widths


def _hermite(x: Any, y: Any, s: Any) -> Any:
    """The cubics with these values and slopes at the knots."""
    w, slope = _columns(x, y)
    bend = (s[:-1] + s[1:] - 2 * slope) / w
    return stack([bend / w, (slope - s[:-1]) / w - bend, s[:-1], y[:-1]])


_NAMES = {"natural": (2, 0.0), "clamped": (1, 0.0), "not-a-knot": "not-a-knot"}


def _ends(bc_type: Any) -> list[Any]:
    """What holds at either end: (order, value), or the name not-a-knot."""
    given = [bc_type, bc_type] if isinstance(bc_type, str) else bc_type
    ends = [_NAMES.get(e) if isinstance(e, str) else e for e in given] if isinstance(given, Sequence) else []
    fine = [e == "not-a-knot" or (isinstance(e, Sequence) and len(e) == 2 and e[0] in (1, 2)) for e in ends]
    if len(ends) != 2 or not all(fine):
        raise ArgumentError(
            f"CubicSpline: got bc_type={bc_type!r}. Expected 'not-a-knot', 'natural', 'clamped', 'periodic', or one of "
            "the first three or (order, value) of a derivative, order 1 or 2, for each end."
        )
    return ends


def _slopes(x: Any, y: Any, bc_type: Any) -> Any:
    """The slopes at the knots, such that second derivatives join: a system with three diagonals."""
    w, (wide, slope), n = diff(x), _columns(x, y), x.shape[0]
    ends = _ends(bc_type)
    if n == 3 and ends == ["not-a-knot"] * 2:  # one parabola
        ends[0] = (1, slope[:1] - (slope[1:] - slope[:1]) * (wide[:1] / (wide[:1] + wide[1:])))
    if n == 2:
        ends = [(1, slope) if e == "not-a-knot" else e for e in ends]
    first, next_, start = _end_row(ends[0], w, wide, slope, 1)
    last, before, end = _end_row(ends[1], w.flip(0), wide.flip(0), slope.flip(0), -1)
    main = cat([first, 2 * (w[:-1] + w[1:]), last])
    none = zeros_like(w[:1])
    bands = stack([cat([none, next_, w[:-1]]), main, cat([w[1:], before, none])])
    right = cat([start, 3 * (wide[1:] * slope[:-1] + wide[:-1] * slope[1:]), end])
    return solve_banded((1, 1), bands, right.reshape(n, -1)).reshape(right.shape)


def _end_row(end: Any, w: Any, wide: Any, slope: Any, sign: int) -> tuple[Any, Any, Any]:
    """The entry on the diagonal, its neighbour, and the right-hand side, one row each; counted from the end."""
    if end == "not-a-knot":
        reach = wide[:1] + wide[1:2]
        right = ((wide[:1] + 2 * reach) * wide[1:2] * slope[:1] + wide[:1] ** 2 * slope[1:2]) / reach
        return w[1:2], w[:1] + w[1:2], right
    order, value = end
    value = as_tensor(value) + zeros_like(slope[:1])
    if order == 1:
        return ones_like(w[:1]), zeros_like(w[:1]), value
    return 2 * w[:1], w[:1], 3 * slope[:1] * wide[:1] - 0.5 * sign * value * wide[:1] ** 2


def _slopes_around(x: Any, y: Any) -> Any:
    """The slopes where the last knot is the first one again."""
    w, (wide, slope), m = diff(x), _columns(x, y), x.shape[0] - 1
    last, one = roll(w, 1), np.eye(m)
    before, after = np.roll(one, -1, 1), np.roll(one, 1, 1)
    matrix = diag(2 * (last + w)) + w[:, None] * before + last[:, None] * after
    right = 3 * (wide * roll(slope, 1, 0) + roll(wide, 1, 0) * slope)
    slopes = solve(matrix, right.reshape(m, -1)).reshape(right.shape)
    return cat([slopes, slopes[:1]])


check_all(globals(), __all__)
