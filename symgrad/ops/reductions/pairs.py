"""Differences and distances along axes, counts, and sums that leave out nan."""

from __future__ import annotations

from typing import Any

from symgrad.errors import ArgumentError, ShapeError
from symgrad.ops.elementwise.declared import BINARY, where
from symgrad.ops.elementwise.logic import LOGIC, bitwise
from symgrad.ops.indexing.select import along
from symgrad.ops.linalg.norms import vector_norm
from symgrad.ops.map import SUB, show_shape
from symgrad.ops.protocol import rename, shape
from symgrad.ops.reduction import Axes, is_float, resolve
from symgrad.ops.reductions.reduce import sum as _sum
from symgrad.ops.shape import Reshape, axis_of
from symgrad.ops.shapes.join import cat


def diff(
    input: Any, n: int = 1, dim: int = -1, prepend: Any = None, append: Any = None, *, axis: int | None = None
) -> Any:
    """x[k + 1] - x[k] along one axis, n times over; of truth values, whether they differ.

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
        return input
    parts = [p for p in (prepend, input, append) if p is not None]
    y = cat(parts, a) if len(parts) > 1 else input
    for _ in range(min(n, shape(y)[a])):
        y = _less(along(y, a, 1, shape(y)[a]), along(y, a, 0, shape(y)[a] - 1))
    return y


def _less(x: Any, z: Any) -> Any:
    dtype = getattr(x, "dtype", None)
    return bitwise("xor", x, z) if dtype is not None and dtype.kind == "b" else SUB(x, z)


def dist(input: Any, other: Any, p: float = 2) -> Any:
    """‖x - other‖ₚ over all entries.

    Args:
        input, other: tensors, broadcast against each other.
        p: the order of the norm.

    Returns:
        A tensor ().

    >>> sg.dist(sg.tensor([3.0, 4.0]), sg.tensor([0.0, 0.0]))
    tensor(5.)
    """
    return rename(vector_norm(SUB(input, other), p), "Dist")


def cdist(x1: Any, x2: Any, p: float = 2.0, compute_mode: str | None = None) -> Any:
    """d[i, j] = ‖x₁[i] - x₂[j]‖ₚ, from the differences: exact where vectors are near each other.

    Args:
        x1: (…, n, k).
        x2: (…, m, k).
        p: the order of the norm.
        compute_mode: torch's choice between this and the faster ‖x‖² - 2⟨x, z⟩ + ‖z‖², which cancels; of no effect.

    Returns:
        The distances (…, n, m). The gradient of a distance 0 is 0.

    Raises:
        ShapeError: k differs, or an input has fewer than two axes.

    >>> sg.cdist(sg.tensor([[0.0, 0.0]]), sg.tensor([[3.0, 4.0], [0.0, 1.0]]))
    tensor([[5., 1.]])
    """
    s, t = shape(x1), shape(x2)
    if len(s) < 2 or len(t) < 2 or s[-1] != t[-1]:
        raise ShapeError(
            "X1 and X2 must have the same number of columns, and at least two dimensions. "
            f"Got X1 {show_shape(s)} and X2 {show_shape(t)}; expected (…, n, k) and (…, m, k)."
        )
    rows, columns = Reshape((*s[:-1], 1, s[-1]))(x1), Reshape((*t[:-2], 1, *t[-2:]))(x2)
    return rename(vector_norm(SUB(rows, columns), p, -1), "Cdist")


def nansum(
    input: Any, dim: Axes = None, keepdim: bool = False, *, axis: Axes = None, keepdims: bool = False
) -> Any:  # fmt: skip
    """Σ x along the axes, nan counting as 0.

    Args:
        input: x, any shape.
        dim, axis: axis or axes, all by default.
        keepdim, keepdims: keep the axes with length one.

    Returns:
        The sums, shaped like x without the axes.

    >>> sg.nansum(sg.tensor([1.0, float("nan"), 2.0]))
    tensor(3.)
    """
    kept = where(LOGIC["isnan"](input), 0.0, input) if is_float(input) else input
    return rename(_sum(kept, dim, keepdim or keepdims, axis=axis), "Nansum")


def count_nonzero(input: Any, dim: Axes = None, *, axis: Axes = None) -> Any:
    """How many entries are not 0.

    Args:
        input: x, any shape.
        dim, axis: axis or axes, all by default.

    Returns:
        An integer tensor, shaped like x without the axes.

    >>> sg.count_nonzero(sg.tensor([1.0, 0.0, 2.0]))
    tensor(2)
    """
    return _sum(BINARY["ne"](input, 0), resolve(input, dim, axis) if shape(input) else None)
