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
    """As searchsorted, with the values first: the bucket of each v between ordered boundaries.

    Args:
        input: v, a number or tensor.
        boundaries: b (n,), in ascending order. v is in bucket k where b_{k-1} < v ≤ b_k.
        out_int32: return int32 rather than int64.
        right: bucket k is where b_{k-1} ≤ v < b_k.

    Returns:
        An integer tensor shaped like input, without gradient.

    Raises:
        ShapeError: boundaries is no vector.

    >>> sg.bucketize(sg.tensor([1.0, 2.5]), sg.tensor([1.0, 2.0, 3.0]))
    tensor([0, 2])
    """
    return search.bucketize(input, as_tensor(boundaries), out_int32=out_int32, right=right)


@public
def isin(elements: Any, test_elements: Any, *, assume_unique: bool = False, invert: bool = False) -> Any:
    """Return whether each entry is among others.

    Args:
        elements: a tensor or number.
        test_elements: the others, a tensor of any shape or a number.
        assume_unique: accepted; the answer is the same.
        invert: whether it is not.

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
    """Where each v belongs in an ordered row: the number of entries below v, or with ``right`` not above it.

    Args:
        sorted_sequence: (n,), or (…, n) with the leading axes of input; in ascending order along the last axis.
        input: v, a number or tensor.
        out_int32: return int32 rather than int64.
        right, side: count entries equal to v as well; side is "left" or "right".
        sorter: the order of sorted_sequence as ``argsort`` returns it, where it is not sorted itself.

    Returns:
        An integer tensor shaped like input, without gradient.

    Raises:
        ShapeError: the leading axes differ. ArgumentError: right and side contradict each other.

    >>> sg.searchsorted(sg.tensor([1.0, 2.0, 3.0]), sg.tensor([2.0, 5.0]))
    tensor([1, 3])
    """
    if sorter is not None:
        sorted_sequence = take_along_dim(sorted_sequence, sorter, -1)
    return search.searchsorted(sorted_sequence, as_tensor(input), out_int32=out_int32, right=right, side=side)


check_all(globals(), __all__)
