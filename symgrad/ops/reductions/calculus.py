"""Calculus of samples: differences and slopes along axes, and the trapezoidal rule, over all or over those so far."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from symgrad.core.promotion import is_bool
from symgrad.errors import ArgumentError, ShapeError
from symgrad.ops.contract import sum_axes
from symgrad.ops.convert import Cast, as_floats
from symgrad.ops.elementwise.logic import bitwise
from symgrad.ops.indexing.select import along
from symgrad.ops.map import ADD, DIV, IDENTITY, MUL, SUB
from symgrad.ops.protocol import rename, shape
from symgrad.ops.reductions.scan import Cumsum
from symgrad.ops.shape import Reshape, axis_of
from symgrad.ops.shapes.join import cat


def diff(
    input: Any, n: int = 1, dim: int = -1, prepend: Any = None, append: Any = None, *, axis: int | None = None
) -> Any:
    """Return the n-th differences x[k + 1] - x[k] along one axis; for booleans, whether neighbours differ.

    Args:
        input: x, with at least one axis.
        n, dim, axis: the order of the differences, and the axis.
        prepend, append: entries to add before and after x.

    Returns:
        A tensor with n fewer entries along the axis.

    Raises:
        ShapeError: if x has no axis.
        ArgumentError: if n is negative.

    >>> sg.diff(sg.tensor([1.0, 4.0, 9.0]))
    tensor([3., 5.])
    """
    if not shape(input):
        raise ShapeError("diff expects input to be at least one-dimensional. Got a number.")
    a = axis_of(dim if axis is None else axis, len(shape(input)))
    if n < 0:
        raise ArgumentError(f"order must be non-negative but got {n}. diff: pass the number of differences.")
    if n == 0:  # as in PyTorch and NumPy, without what is to be joined
        return IDENTITY(input)
    y = input if prepend is None and append is None else cat([p for p in (prepend, input, append) if p is not None], a)
    for _ in range(min(n, shape(y)[a])):
        y = _less(along(y, a, 1, shape(y)[a]), along(y, a, 0, shape(y)[a] - 1))
    return y


def _less(x: Any, z: Any) -> Any:
    dtype = getattr(x, "dtype", None)
    return bitwise("xor", x, z) if dtype is not None and is_bool(dtype) else SUB(x, z)


def gradient(
    input: Any, *, spacing: Any = None, dim: int | Sequence[int] | None = None, edge_order: int = 1
) -> tuple[Any, ...]:
    """Return the derivatives ∂y/∂x_k of samples, from the parabola through three neighbours, as in (y₊ - y₋)/(2h).

    Args:
        input: y, the samples on a grid.
        spacing: h, a number for all axes, by default 1, or a list with a number or the coordinates (n,) for each.
        dim: the axes, by default all.
        edge_order: at the ends, 1 to use the line to the neighbour, 2 to use the parabola through three samples.

    Returns:
        A tuple with a tensor shaped like y for each axis.

    Raises:
        ArgumentError: if edge_order is unknown, or there is not one spacing for each axis.
        ShapeError: if an axis has fewer than edge_order + 1 samples, or not one for each coordinate.

    >>> sg.gradient(sg.tensor([0.0, 1.0, 4.0, 9.0]), edge_order=2)
    (tensor([0., 2., 4., 6.]),)
    """
    y, ndim = as_floats(input), len(shape(input))
    dims = range(ndim) if dim is None else [dim] if isinstance(dim, (int, np.integer)) else dim
    axes = [axis_of(int(a), ndim) for a in dims]
    steps = list(spacing) if isinstance(spacing, (tuple, list)) else [1.0 if spacing is None else spacing] * len(axes)
    if len(steps) != len(axes) or edge_order not in (1, 2):
        raise ArgumentError(
            f"gradient: got {len(steps)} spacings for {len(axes)} axes, and edge_order {edge_order}. Expected a "
            "number, or a list with one spacing for each axis, and edge_order 1 or 2."
        )
    return tuple(_slopes(y, a, h, edge_order) for a, h in zip(axes, steps, strict=True))


def _slopes(y: Any, a: int, spacing: Any, edge_order: int) -> Any:
    """The slopes along one axis; ``spacing`` is a number, or the coordinates."""
    n = shape(y)[a]
    if n <= edge_order:
        raise ShapeError(f"gradient: got {n} samples along axis {a}. Expected {edge_order + 1} or more.")
    h = _widths(y, a, spacing)
    slopes = DIV(SUB(*neighbours(y, a)), h)

    def part(x: Any, start: int, length: int) -> Any:
        return along(x, a, start, start + length) if shape(x) else x

    def extended(end: int, inner: int) -> Any:
        outer, other = part(slopes, end, 1), part(slopes, inner, 1)
        wide = part(h, end, 1)
        return ADD(outer, MUL(SUB(outer, other), DIV(wide, ADD(wide, part(h, inner, 1)))))

    within = _within(y, a, h)
    ends = (extended(0, 1), extended(n - 2, n - 3)) if edge_order == 2 else (part(slopes, 0, 1), part(slopes, n - 2, 1))
    return cat([ends[0], within, ends[1]], a)


def _within(y: Any, a: int, h: Any) -> Any:
    """The slopes between the ends, each sample with one weight, so that no sample is added and taken off again."""
    n = shape(y)[a]
    before, here, after = (along(y, a, k, k + n - 2) for k in range(3))
    if not shape(h):
        return DIV(MUL(SUB(after, before), 0.5), h)
    left, right = along(h, a, 0, n - 2), along(h, a, 1, n - 1)
    both = ADD(left, right)
    middle = MUL(here, DIV(SUB(right, left), MUL(left, right)))
    return ADD(SUB(MUL(after, DIV(left, MUL(right, both))), MUL(before, DIV(right, MUL(left, both)))), middle)


def _widths(y: Any, a: int, spacing: Any) -> Any:
    """The distances of neighbours along an axis, a number or shaped to divide their differences."""
    if not shape(spacing):
        return spacing
    if len(shape(spacing)) != 1:
        raise ShapeError(f"gradient: got coordinates of shape {list(shape(spacing))}. Expected (n,) for each axis.")
    widths, dtype = SUB(*neighbours(aligned("gradient", spacing, shape(y), a), a)), getattr(y, "dtype", None)
    return widths if dtype is None or getattr(widths, "dtype", dtype) == dtype else Cast(dtype)(widths)


def trapezoid(y: Any, x: Any = None, *, dx: Any = None, dim: int = -1, axis: int | None = None) -> Any:
    """Integrate samples along one axis by the trapezoidal rule, Σ (x_{k+1} - x_k) (y_k + y_{k+1})/2.

    Args:
        y: the samples, with at least one axis.
        x: their positions; a vector (n,), or a tensor that broadcasts against y.
        dx: the distance between samples if x is not given, by default 1.
        dim, axis: the axis.

    Returns:
        The integrals, shaped like y without the axis.

    Raises:
        ArgumentError: if x and dx are both given.
        ShapeError: if the length of x along the axis differs.

    >>> sg.trapezoid(sg.tensor([1.0, 2.0, 4.0]), sg.tensor([0.0, 1.0, 3.0]))
    tensor(7.5000)
    """
    areas, a = _areas("trapezoid", y, x, dx, dim if axis is None else axis)
    return rename(sum_axes(areas, (a,)), "Trapezoid")


def cumulative_trapezoid(
    y: Any, x: Any = None, *, dx: Any = None, dim: int = -1, axis: int | None = None, initial: float | None = None
) -> Any:
    """Return the integrals up to each sample after the first, by the trapezoidal rule.

    Args:
        y, x, dx, dim, axis: see ``trapezoid``.
        initial: 0 to insert 0 before the first integral, as in SciPy; None for no insertion.

    Returns:
        The integrals, shaped like y with one entry less along the axis, or like y with ``initial``.

    Raises:
        ArgumentError: if x and dx are both given.
        ShapeError: if the length of x along the axis differs.

    >>> sg.cumulative_trapezoid(sg.tensor([1.0, 2.0, 4.0]))
    tensor([1.5000, 4.5000])
    """
    areas, a = _areas("cumulative_trapezoid", y, x, dx, dim if axis is None else axis)
    if initial not in (None, 0):
        raise ArgumentError(f"cumulative_trapezoid: got initial={initial}. Expected 0 or None.")
    sums = rename(Cumsum(a)(areas), "CumulativeTrapezoid")
    return sums if initial is None else cat([MUL(along(y, a, 0, 1), 0), sums], a)


def _areas(name: str, y: Any, x: Any, dx: Any, dim: int) -> tuple[Any, int]:
    """Return the area between each two samples, and their axis."""
    s, a = shape(y), sampled(name, y, x, dx, dim)
    y, x = as_floats(y), as_floats(x)  # sums of short integers, and differences of unsigned ones, wrap
    heights = DIV(ADD(*neighbours(y, a)), 2)
    if x is None:
        return heights if dx is None else MUL(heights, dx), a
    x = aligned(name, x, s, a)
    later, earlier = neighbours(x, a + len(shape(x)) - len(s))
    areas = MUL(SUB(later, earlier), heights)
    return areas, a + len(shape(areas)) - len(s)


def sampled(name: str, y: Any, x: Any, dx: Any, dim: int) -> int:
    """Return the axis of the samples as a number in 0..ndim-1; refuse a number, and both places and a distance."""
    s = shape(y)
    if not s:
        raise ShapeError(f"{name}: Expected y to have at least one dimension. Got a number; pass samples.")
    if x is not None and dx is not None:
        raise ArgumentError(f"{name}() received an invalid combination of arguments: x and dx. Pass one of them.")
    return axis_of(dim, len(s))


def aligned(name: str, x: Any, s: Any, a: int) -> Any:
    """Return x with axes that stand against those of y."""
    given = shape(x)
    if len(given) == 1 and len(s) > 1:
        x = Reshape((*given, *(1,) * (len(s) - a - 1)))(x)
    x = Reshape((*(1,) * (len(s) - len(shape(x))), *shape(x)))(x) if len(shape(x)) < len(s) else x
    n = shape(x)[a - len(s)]
    if n != s[a]:
        raise ShapeError(
            f"{name}: There must be one `x` value for each sample point. Got {n} along dimension {a}, where y has "
            f"{s[a]}."
        )
    return x


def neighbours(x: Any, a: int) -> tuple[Any, Any]:
    """Return the entries but the first along an axis, and those but the last."""
    n = shape(x)[a]
    return along(x, a, 1, n), along(x, a, 0, n - 1)
