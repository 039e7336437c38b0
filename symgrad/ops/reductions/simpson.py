"""Simpson's rule: ∫ y dx of parabolas through the samples, evenly spaced or not."""

from __future__ import annotations

from typing import Any

import numpy as np

from symgrad.ops.contract import sum_axes
from symgrad.ops.convert import as_floats
from symgrad.ops.indexing.select import along, part
from symgrad.ops.keys import ALL, Span
from symgrad.ops.map import ADD, DIV, MUL, SUB
from symgrad.ops.protocol import rename, shape
from symgrad.ops.reductions.calculus import aligned, neighbours, sampled, trapezoid


def simpson(y: Any, x: Any = None, *, dx: Any = None, dim: int = -1, axis: int | None = None) -> Any:
    """Integrate samples by Simpson's rule: Σ (h₀+h₁)/6·((2-h₁/h₀) y₀ + (h₀+h₁)²/(h₀h₁) y₁ + (2-h₀/h₁) y₂).

    The sum is over pairs of intervals of lengths h₀ and h₁. For even spacing it is h/3 (y₀ + 4 y₁ + 2 y₂ + … + y_n),
    which is exact for cubic polynomials. If the number of samples is even, the parabola through the last three samples
    is integrated over the last interval, as in SciPy; two samples are integrated by the trapezoidal rule.

    Args:
        y: the samples, with at least one axis.
        x: the positions of the samples, increasing or decreasing; a vector (n,), or a tensor that broadcasts against y.
        dx: the distance between samples if x is not given, 1 by default.
        dim, axis: the axis.

    Returns:
        The integrals, shaped like y without the axis; not finite if two samples have the same position.

    Raises:
        ArgumentError: if x and dx are both given.
        ShapeError: if the length of x along the axis differs.

    Source: K. V. Cartwright, Simpson's Rule Cumulative Integration with MS Excel and Irregularly-spaced Data, 2017.

    >>> sg.simpson(sg.tensor([0.0, 1.0, 16.0]), sg.tensor([0.0, 1.0, 4.0]))
    tensor(21.3333)
    """
    a = sampled("simpson", y, x, dx, dim if axis is None else axis)
    n, y, x = shape(y)[a], as_floats(y), as_floats(x)
    if n <= 2:
        return rename(trapezoid(y, x, dx=dx, dim=a), "Simpson")
    total = _even(y, n, a, dx) if x is None else _uneven(y, n, a, aligned("simpson", x, shape(y), a))
    return rename(total, "Simpson")


def _even(y: Any, n: int, a: int, dx: Any) -> Any:
    """The rule for even spacing, each sample with one weight."""
    weights = np.zeros(n)
    for k in range(0, n - 2, 2):
        weights[k : k + 3] += np.array([1.0, 4.0, 1.0]) / 3
    if n % 2 == 0:
        weights[-3:] += np.array([-1.0, 8.0, 5.0]) / 12
    dtype = getattr(y, "dtype", weights.dtype)
    column = weights.astype(dtype).reshape((n, *[1] * (len(shape(y)) - a - 1)))
    total = sum_axes(MUL(y, column), (a,))
    return total if dx is None else MUL(total, dx)


def _uneven(y: Any, n: int, a: int, x: Any) -> Any:
    """The rule for places x, which has an axis for each of y's, and may have more before them."""
    along_x = a + len(shape(x)) - len(shape(y))
    widths = SUB(*neighbours(x, along_x))
    m = n - 1 if n % 2 == 0 else n  # so many samples are in pairs of intervals
    first, second = _every_second(widths, along_x, 0, m - 1), _every_second(widths, along_x, 1, m - 1)
    y0, y1, y2 = (_every_second(y, a, k, m - 2 + k) for k in range(3))
    both = ADD(first, second)
    inner = MUL(DIV(MUL(both, both), MUL(first, second)), y1)
    outer = ADD(MUL(SUB(2.0, DIV(second, first)), y0), MUL(SUB(2.0, DIV(first, second)), y2))
    pairs = MUL(DIV(both, 6.0), ADD(outer, inner))
    total = sum_axes(pairs, (a + len(shape(pairs)) - len(shape(y)),))
    return total if m == n else ADD(total, _last(y, n, a, widths, along_x))


def _last(y: Any, n: int, a: int, widths: Any, along_x: int) -> Any:
    """The last interval, h₁ wide, under the parabola through the last three samples; the one before is h₀ wide."""
    before, here = along(widths, along_x, n - 3, n - 2), along(widths, along_x, n - 2, n - 1)
    both = ADD(before, here)
    square, product = MUL(here, here), MUL(MUL(before, here), 3.0)
    end = DIV(ADD(MUL(square, 2.0), product), MUL(both, 6.0))
    middle = DIV(ADD(square, product), MUL(before, 6.0))
    start = DIV(MUL(square, here), MUL(MUL(before, both), 6.0))
    y0, y1, y2 = (along(y, a, n - 3 + k, n - 2 + k) for k in range(3))
    area = SUB(ADD(MUL(end, y2), MUL(middle, y1)), MUL(start, y0))
    return sum_axes(area, (a + len(shape(area)) - len(shape(y)),))


def _every_second(x: Any, a: int, start: int, stop: int) -> Any:
    return part((*[ALL] * a, Span(start, stop, 2), *[ALL] * (len(shape(x)) - a - 1)), "Slice")(x)
