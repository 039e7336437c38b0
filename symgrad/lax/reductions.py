"""Reductions of ``jax.lax``, running ones, and orders: they return values alone, where PyTorch adds their places."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from symgrad import functions as F
from symgrad.engine.record import as_tensor
from symgrad.errors import ArgumentError
from symgrad.support.arguments import check_all

__all__ = [
    "argmax", "argmin", "cumlogsumexp", "cummax", "cummin", "cumprod", "cumsum", "reduce_max", "reduce_min",
    "reduce_prod", "reduce_sum", "sort", "sort_key_val", "top_k",
]  # fmt: skip


def _running(function: Callable[..., Any], operand: Any, axis: int, reverse: bool) -> Any:
    """Return a running reduction along an axis, from the end with ``reverse``."""
    x = as_tensor(operand)
    y = function(F.flip(x, axis) if reverse else x, axis)
    return F.flip(y, axis) if reverse else y


def cumsum(operand: Any, axis: int = 0, reverse: bool = False) -> Any:
    """Return the running sums along an axis; with ``reverse``, those from the end.

    >>> sg.lax.cumsum(sg.tensor([1.0, 2.0, 3.0]), reverse=True)
    tensor([6., 5., 3.])
    """
    return _running(F.cumsum, operand, axis, reverse)


def cumprod(operand: Any, axis: int = 0, reverse: bool = False) -> Any:
    """Return the running products along an axis; with ``reverse``, those from the end."""
    return _running(F.cumprod, operand, axis, reverse)


def cumlogsumexp(operand: Any, axis: int = 0, reverse: bool = False) -> Any:
    """Return the logarithms of the running sums of exp(x) along an axis; with ``reverse``, those from the end."""
    return _running(F.logcumsumexp, operand, axis, reverse)


def cummax(operand: Any, axis: int = 0, reverse: bool = False) -> Any:
    """Return the largest entries so far along an axis; with ``reverse``, those from the end."""
    return _running(lambda x, a: F.cummax(x, a)[0], operand, axis, reverse)


def cummin(operand: Any, axis: int = 0, reverse: bool = False) -> Any:
    """Return the smallest entries so far along an axis; with ``reverse``, those from the end."""
    return _running(lambda x, a: F.cummin(x, a)[0], operand, axis, reverse)


def reduce_sum(operand: Any, axes: Sequence[int]) -> Any:
    """Return the sum over axes."""
    return F.sum(as_tensor(operand), tuple(axes)) if axes else as_tensor(operand)


def reduce_max(operand: Any, axes: Sequence[int]) -> Any:
    """Return the largest entry over axes."""
    return F.amax(as_tensor(operand), tuple(axes)) if axes else as_tensor(operand)


def reduce_min(operand: Any, axes: Sequence[int]) -> Any:
    """Return the smallest entry over axes."""
    return F.amin(as_tensor(operand), tuple(axes)) if axes else as_tensor(operand)


def reduce_prod(operand: Any, axes: Sequence[int]) -> Any:
    """Return the product over axes."""
    y = as_tensor(operand)
    for axis in sorted((a % y.ndim for a in axes), reverse=True):
        y = F.prod(y, axis)
    return y


def argmax(operand: Any, axis: int, index_dtype: Any) -> Any:
    """Return where the first of the largest entries is along an axis."""
    return F.argmax(as_tensor(operand), axis).to(index_dtype)


def argmin(operand: Any, axis: int, index_dtype: Any) -> Any:
    """Return where the first of the smallest entries is along an axis."""
    return F.argmin(as_tensor(operand), axis).to(index_dtype)


def sort(operand: Any, dimension: int = -1, is_stable: bool = True, num_keys: int = 1) -> Any:
    """Return the entries along an axis in increasing order; of several arrays, in the order of the first.

    Args:
        operand: an array, or a sequence of arrays of one shape.
        dimension: the axis.
        is_stable: accepted; equal entries keep their order.
        num_keys: by how many of the arrays they are ordered, the first before the second.

    >>> sg.lax.sort((sg.tensor([2.0, 1.0]), sg.tensor([5.0, 6.0])))
    (tensor([1., 2.]), tensor([6., 5.]))
    """
    if not isinstance(operand, (tuple, list)):
        return F.sort(as_tensor(operand), dimension)[0]
    arrays = tuple(map(as_tensor, operand))
    if not 1 <= num_keys <= len(arrays):
        raise ArgumentError(f"sort: got num_keys={num_keys} for {len(arrays)} arrays. Expected 1 to {len(arrays)}.")
    for key in reversed(range(num_keys)):  # a stable sort by the last key first
        order = F.argsort(arrays[key], dimension, stable=True)
        arrays = tuple(F.gather(x, dimension, order) for x in arrays)
    return arrays


def sort_key_val(keys: Any, values: Any, dimension: int = -1, is_stable: bool = True) -> tuple[Any, Any]:
    """Return keys in increasing order along an axis, and values in the same order."""
    ordered, moved = sort((keys, values), dimension)
    return ordered, moved


def top_k(operand: Any, k: int) -> Any:
    """Return the k largest entries along the last axis, and where they are."""
    return F.topk(as_tensor(operand), k)


check_all(globals(), __all__)
