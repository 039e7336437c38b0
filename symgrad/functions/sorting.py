"""Functions of order: sorting, ranks, quantiles, places in an ordered row."""

from __future__ import annotations

from typing import Any

from symgrad.engine.adapters import public
from symgrad.engine.record import as_tensor
from symgrad.functions.indexing import take_along_dim
from symgrad.ops.sorting import quantiles, search, sorting, statistics
from symgrad.support.arguments import check_all

__all__ = [
    "argsort", "kthvalue", "median", "sort", "topk", "bucketize", "histc", "mode", "msort", "nanmedian",
    "nanquantile", "quantile", "searchsorted", "isin",
]  # fmt: skip

sort = public(sorting.sort)
argsort = public(sorting.argsort)
topk = public(sorting.topk)
median = public(sorting.median)
kthvalue = public(sorting.kthvalue)
nanmedian = public(statistics.nanmedian)
mode = public(statistics.mode)
msort = public(statistics.msort)
quantile = public(quantiles.quantile)
nanquantile = public(quantiles.nanquantile)
histc = public(search.histc)


@public
def bucketize(input: Any, boundaries: Any, *, out_int32: bool = False, right: bool = False) -> Any:
    """Return the index of the bucket that contains each value; like ``searchsorted``, with the values first.

    Args:
        input: the values v, a number or tensor.
        boundaries: the boundaries b of the buckets, (n,), in ascending order. Bucket k contains b_{k-1} < v ≤ b_k.
        out_int32: whether to return int32 instead of int64.
        right: True if bucket k contains b_{k-1} ≤ v < b_k instead.

    Returns:
        An integer tensor shaped like input, without gradient.

    Raises:
        ShapeError: if boundaries is not a vector.

    >>> sg.bucketize(sg.tensor([1.0, 2.5]), sg.tensor([1.0, 2.0, 3.0]))
    tensor([0, 2])
    """
    return search.bucketize(input, as_tensor(boundaries), out_int32=out_int32, right=right)


@public
def isin(elements: Any, test_elements: Any, *, assume_unique: bool = False, invert: bool = False) -> Any:
    """Return whether each entry is one of the test elements.

    Args:
        elements: a tensor or number.
        test_elements: the values to look for, a tensor of any shape or a number.
        assume_unique: accepted and ignored.
        invert: whether to return the opposite.

    Returns:
        A tensor of bools shaped like elements, without gradient.

    >>> sg.isin(sg.tensor([1, 2, 3]), sg.tensor([2, 5]))
    tensor([False,  True, False])
    """
    others = as_tensor(test_elements)
    count = (elements.unsqueeze(-1) == others.reshape(-1)).sum(-1)
    return count == 0 if invert else count > 0


@public
def searchsorted(
    sorted_sequence: Any, input: Any, *, out_int32: bool = False, right: bool = False, side: str | None = None,
    sorter: Any = None,
) -> Any:  # fmt: skip
    """Return the position of each v in an ordered row: the number of entries < v, or with ``right`` ≤ v.

    Args:
        sorted_sequence: (n,), or (…, n) with the leading axes of input; in ascending order along the last axis.
        input: v, a number or tensor.
        out_int32: whether to return int32 instead of int64.
        right, side: whether to count entries equal to v too; side is "left" or "right".
        sorter: if sorted_sequence is not sorted, the indices that sort it, as ``argsort`` returns them.

    Returns:
        An integer tensor shaped like input, without gradient.

    Raises:
        ShapeError: if the leading axes differ.
        ArgumentError: if right and side contradict each other.

    >>> sg.searchsorted(sg.tensor([1.0, 2.0, 3.0]), sg.tensor([2.0, 5.0]))
    tensor([1, 3])
    """
    if sorter is not None:
        sorted_sequence = take_along_dim(sorted_sequence, sorter, -1)
    return search.searchsorted(sorted_sequence, as_tensor(input), out_int32=out_int32, right=right, side=side)


check_all(globals(), __all__)
