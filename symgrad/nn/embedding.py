"""Rows of a table by their numbers: one by one, or each bag of them as one vector."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np

from symgrad.core.modes import no_grad
from symgrad.engine.adapters import public
from symgrad.engine.record import as_tensor
from symgrad.errors import ArgumentError, ShapeError
from symgrad.functions import amax, index_add, stack, where
from symgrad.ops.map import show_shape
from symgrad.ops.nn.layers import embedding as rows_of
from symgrad.support.arguments import check_all
from symgrad.tensors.creation import zeros

__all__ = ["embedding", "embedding_bag"]


@public
def embedding(
    input: Any, weight: Any, padding_idx: int | None = None, max_norm: float | None = None, norm_type: float = 2.0,
    scale_grad_by_freq: bool = False, sparse: bool = False,
) -> Any:  # fmt: skip
    """Return the rows of the weight at the indices: y[i] = W[input[i]].

    Args:
        input: integer tensor, any shape.
        weight: W, (n, d).
        padding_idx: a row that receives no gradient.
        max_norm, norm_type: the largest allowed p-norm and its p. Longer rows that are read are first scaled to
            this norm, in the weight itself.
        scale_grad_by_freq: whether to divide the gradient of a row by the number of times it is read.
        sparse: must be False, because gradients are dense.

    Returns:
        A tensor (*input.shape, d). The gradients of repeated rows are added.

    Raises:
        IndexRangeError: if an index lies outside 0..n-1.
        ShapeError: if the weight is not a matrix.
        ArgumentError: if sparse is True.

    >>> sg.nn.functional.embedding(sg.tensor([1, 0]), sg.tensor([[1.0, 2.0], [3.0, 4.0]]))
    tensor([[3., 4.],
            [1., 2.]])
    """
    if sparse:
        raise ArgumentError("embedding: got sparse=True. Gradients are dense in symgrad; omit it.")
    if max_norm is not None:
        _shorten(weight, input, max_norm, norm_type)
    y = rows_of(input, weight, padding_idx)
    return _by_frequency(y, input) if scale_grad_by_freq else y


def _shorten(weight: Any, indices: Any, most: float, p: float) -> None:
    with no_grad():
        used = np.unique(indices.detach().numpy())
        rows = weight.detach()[used]
        norms = rows.norm(p, -1, keepdim=True)
        weight[used] = where(norms > most, rows * (most / (norms + 1e-7)), rows)


def _by_frequency(y: Any, indices: Any) -> Any:
    """y itself, whose gradient is divided by the count of its row."""
    known = indices.detach().numpy()
    _, back, counts = np.unique(known, return_inverse=True, return_counts=True)
    constant = y.detach()
    return constant + (y - constant) / counts[back].reshape(known.shape)[..., None]


def _check_bags(input: Any, offsets: Any, mode: str, per_sample_weights: Any, scale_grad_by_freq: bool) -> None:
    if mode not in ("sum", "mean", "max"):
        raise ArgumentError(f"mode has to be one of sum, mean or max. Got {mode!r}.")
    if per_sample_weights is not None and mode != "sum":
        raise ArgumentError(f"per_sample_weights is for mode='sum'. Got mode={mode!r}; multiply the result instead.")
    if scale_grad_by_freq and mode == "max":
        raise ArgumentError("max mode does not support scaling the gradient by the frequency.")
    if input.ndim not in (1, 2) or (input.ndim == 2) != (offsets is None):
        raise ArgumentError(
            f"embedding_bag: got input {show_shape(input.shape)} and offsets {offsets}. Expected indices (B, n) alone, "
            "or indices (N,) with offsets (B,)."
        )


@public
def embedding_bag(
    input: Any, weight: Any, offsets: Any = None, max_norm: float | None = None, norm_type: float = 2,
    scale_grad_by_freq: bool = False, mode: str = "mean", sparse: bool = False, per_sample_weights: Any = None,
    include_last_offset: bool = False, padding_idx: int | None = None,
) -> Any:  # fmt: skip
    """Return the sum, mean or maximum of the rows of the weight in each bag of indices.

    Args:
        input: indices (B, n), a bag in each row; or (N,), with the start of each bag in offsets.
        weight: W, (n, d).
        offsets: (B,), ascending from 0; for a one-dimensional input only.
        max_norm, norm_type, scale_grad_by_freq, sparse: as in ``embedding``.
        mode: 'sum', 'mean' or 'max'.
        per_sample_weights: factors of the rows, shaped like input; for mode 'sum' only.
        include_last_offset: whether the last offset is the end of the last bag.
        padding_idx: an index to ignore.

    Returns:
        A tensor (B, d); zeros for a bag without indices.

    Raises:
        ArgumentError: if the mode is unknown, or the offsets do not fit.
        ShapeError: if the shapes do not fit.

    >>> W = sg.tensor([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])
    >>> sg.nn.functional.embedding_bag(sg.tensor([0, 2, 1]), W, sg.tensor([0, 2]))
    tensor([[3., 4.],
            [3., 4.]])
    """
    _check_bags(input, offsets, mode, per_sample_weights, scale_grad_by_freq)
    ends = _ends(input, offsets, include_last_offset)
    rows = embedding(input.reshape(-1), weight, padding_idx, max_norm, norm_type, scale_grad_by_freq, sparse)
    counted = np.ones(rows.shape[0]) if padding_idx is None else input.reshape(-1).numpy() != padding_idx % len(weight)
    if mode == "max":
        bags = [rows[np.flatnonzero(counted[a:b]) + a] for a, b in ends]
        return stack([amax(r, 0) if r.shape[0] else zeros(weight.shape[1], dtype=weight.dtype) for r in bags])
    bag = np.repeat(np.arange(len(ends)), [b - a for a, b in ends])
    factors = counted[: len(bag)].astype(weight.dtype)
    if mode == "mean":
        factors /= np.maximum(np.bincount(bag, factors, len(ends)), 1).astype(weight.dtype)[bag]
    factors = as_tensor(factors)
    if per_sample_weights is not None:
        w = as_tensor(per_sample_weights)
        if w.shape != input.shape:
            raise ShapeError(f"per_sample_weights: got {show_shape(w.shape)}. Expected {show_shape(input.shape)}.")
        factors = factors * w.reshape(-1)[: len(bag)]
    sums = zeros(len(ends), weight.shape[1], dtype=weight.dtype)
    return index_add(sums, 0, bag, rows[: len(bag)] * factors[:, None])


def _ends(indices: Any, offsets: Any, include_last: bool) -> list[tuple[int, int]]:
    """Where each bag begins and ends in the flattened indices."""
    if offsets is None:
        b, n = indices.shape
        return [(k * n, (k + 1) * n) for k in range(b)]
    starts, n = as_tensor(offsets).numpy().tolist(), indices.shape[0]
    starts = starts if include_last else [*starts, n]
    if not starts or starts[0] != 0 or starts[-1] > n or sorted(starts) != starts:
        raise ArgumentError(f"offsets: got {starts}. Expected ascending positions, from 0 up to {n}.")
    return [*pairwise(starts)]


check_all(globals(), __all__)
