"""Calculus of samples: differences along an axis, and the trapezoidal rule, of all samples or of those so far."""

from __future__ import annotations

from typing import Any

from symgrad.core.promotion import is_bool
from symgrad.errors import ArgumentError, ShapeError
from symgrad.ops.contract import sum_axes
from symgrad.ops.convert import as_floats
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
    """x[k + 1] - x[k] along one axis, n times over; of booleans, whether they differ.

    Args:
        input: x, with at least one axis.
        n: how often.
        dim, axis: the axis.
        prepend, append: entries to join before and after first.

    Returns:
        A tensor with n fewer entries along the axis.

    Raises:
        ShapeError: x has no axis.
        ArgumentError: n is negative.

    >>> sg.diff(sg.tensor([1.0, 4.0, 9.0]))
    tensor([3., 5.])
    """
    if not shape(input):
        raise ShapeError("diff expects input to be at least one-dimensional. Got a number.")
    a = axis_of(dim if axis is None else axis, len(shape(input)))
    if n < 0:
        raise ArgumentError(f"order must be non-negative but got {n}. diff: pass how often to take differences.")
    if n == 0:  # as in torch and NumPy, without what is to be joined
        return IDENTITY(input)
    parts = [p for p in (prepend, input, append) if p is not None]
    y = cat(parts, a) if len(parts) > 1 else input
    for _ in range(min(n, shape(y)[a])):
        y = _less(along(y, a, 1, shape(y)[a]), along(y, a, 0, shape(y)[a] - 1))
    return y


def _less(x: Any, z: Any) -> Any:
    dtype = getattr(x, "dtype", None)
    return bitwise("xor", x, z) if dtype is not None and is_bool(dtype) else SUB(x, z)


def trapezoid(y: Any, x: Any = None, *, dx: Any = None, dim: int = -1, axis: int | None = None) -> Any:
    """Σ (x_{k+1} - x_k) (y_k + y_{k+1})/2 along one axis: ∫ y dx of the straight lines between the samples.

    Args:
        y: the samples, with at least one axis.
        x: where they were taken; a vector (n,), or a tensor that broadcasts against y.
        dx: the distance between samples where x is not given, 1 by default.
        dim, axis: the axis.

    Returns:
        The integrals, shaped like y without the axis.

    Raises:
        ArgumentError: x and dx are both given. ShapeError: x has another length along the axis.

    >>> sg.trapezoid(sg.tensor([1.0, 2.0, 4.0]), sg.tensor([0.0, 1.0, 3.0]))
    tensor(7.5000)
    """
    areas, a = _areas("trapezoid", y, x, dx, dim if axis is None else axis)
    return rename(sum_axes(areas, (a,)), "Trapezoid")


def cumulative_trapezoid(
    y: Any, x: Any = None, *, dx: Any = None, dim: int = -1, axis: int | None = None, initial: float | None = None
) -> Any:
    """The trapezoidal rule up to each sample but the first.

    Args:
        y, x, dx, dim, axis: as for ``trapezoid``.
        initial: 0 to put 0 before the first integral, as SciPy does; None to leave that out.

    Returns:
        The integrals, shaped like y with one entry less along the axis, or like y with ``initial``.

    Raises:
        ArgumentError: x and dx are both given. ShapeError: x has another length along the axis.

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
    s = shape(y)
    if not s:
        raise ShapeError(f"{name}: Expected y to have at least one dimension. Got a number; pass samples.")
    if x is not None and dx is not None:
        raise ArgumentError(f"{name}() received an invalid combination of arguments: x and dx. Pass one of them.")
    a = axis_of(dim, len(s))
    y, x = as_floats(y), as_floats(x)  # sums of short integers, and differences of unsigned ones, wrap
    heights = DIV(ADD(*_neighbours(y, a)), 2)
    if x is None:
        return heights if dx is None else MUL(heights, dx), a
    x = _aligned(name, x, s, a)
    later, earlier = _neighbours(x, a + len(shape(x)) - len(s))
    areas = MUL(SUB(later, earlier), heights)
    return areas, a + len(shape(areas)) - len(s)


def _aligned(name: str, x: Any, s: Any, a: int) -> Any:
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


def _neighbours(x: Any, a: int) -> tuple[Any, Any]:
    n = shape(x)[a]
    return along(x, a, 1, n), along(x, a, 0, n - 1)
