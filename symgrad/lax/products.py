"""Products of arrays in ``jax.lax``, as letters of ``einsum``."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from symgrad import functions as F
from symgrad.engine.record import as_tensor
from symgrad.errors import ShapeError
from symgrad.ops.map import show_shape
from symgrad.ops.shape import axis_of
from symgrad.support.arguments import check_all

__all__ = ["batch_matmul", "dot_general"]

Axes = Sequence[int]


def dot_general(
    lhs: Any, rhs: Any, dimension_numbers: tuple[tuple[Axes, Axes], tuple[Axes, Axes]], precision: Any = None,
    preferred_element_type: Any = None,
) -> Any:  # fmt: skip
    """Return the sums of products over pairs of axes, for each index of other pairs.

    Args:
        lhs, rhs: the arrays.
        dimension_numbers: ((axes of lhs, axes of rhs) that are summed over, (those that are batched)).
        precision: accepted; sums have the precision of their dtype.
        preferred_element_type: the dtype of the result.

    Returns:
        An array with the batched axes first, then the other axes of lhs, then those of rhs.

    Raises:
        ShapeError: if the axes of a pair differ in size, or if the arrays have different numbers of them.

    >>> sg.lax.dot_general(sg.ones(5, 2, 3), sg.ones(5, 3, 4), (((2,), (1,)), ((0,), (0,)))).shape
    (5, 2, 4)
    """
    x, y = as_tensor(lhs), as_tensor(rhs)
    (summed_x, summed_y), (batch_x, batch_y) = dimension_numbers
    left = [axis_of(a, x.ndim) for a in (*batch_x, *summed_x)]
    right = [axis_of(a, y.ndim) for a in (*batch_y, *summed_y)]
    matched = len(batch_x) == len(batch_y) and len(left) == len(right)
    if not matched or any(x.shape[a] != y.shape[b] for a, b in zip(left, right, strict=True)):
        raise ShapeError(
            f"dot_general: dimension_numbers={dimension_numbers} do not pair axes of {show_shape(x.shape)} with axes "
            f"of {show_shape(y.shape)} of the same size. Pass ((lhs, rhs) summed over, (lhs, rhs) batched)."
        )
    letters_x = [*range(x.ndim)]
    letters_y = [left[right.index(k)] if k in right else x.ndim + k for k in range(y.ndim)]
    kept = [k for k in letters_x if k not in left] + [k for k in letters_y if k >= x.ndim]
    z = F.einsum(x, letters_x, y, letters_y, left[: len(batch_x)] + kept)
    return z if preferred_element_type is None else z.to(preferred_element_type)


def batch_matmul(lhs: Any, rhs: Any, precision: Any = None) -> Any:
    """Return the products of the matrices in the last two axes."""
    return F.matmul(as_tensor(lhs), as_tensor(rhs))


check_all(globals(), __all__)
