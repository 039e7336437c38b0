"""Losses composed of functions of tensors: over labels, over alignments, over user-defined distances."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from symgrad.engine.adapters import public
from symgrad.engine.record import as_tensor
from symgrad.errors import ArgumentError, IndexRangeError, ShapeError
from symgrad.functions import cat, clamp, cumprod, logaddexp, logsigmoid, minimum, stack, where
from symgrad.ops.map import show_shape
from symgrad.ops.nn.distances import pairwise_distance
from symgrad.ops.nn.losses import check_reduction, reduced
from symgrad.support.arguments import check_all

__all__ = [
    "ctc_loss", "multilabel_margin_loss", "multilabel_soft_margin_loss", "triplet_margin_with_distance_loss",
]  # fmt: skip
_NEVER = -1e30  # the logarithm of a probability of 0, finite so that slopes are


@public
def multilabel_soft_margin_loss(input: Any, target: Any, weight: Any = None, *, reduction: str = "mean") -> Any:
    """Return the mean over C classes of -(t log σ(x) + (1 - t) log σ(-x)) w, a binary cross entropy for each class.

    Args:
        input: scores x, (N, C) or (C,).
        target: t, 0 or 1, shaped like x.
        weight: w, (C,).
        reduction: 'mean', 'sum' or 'none'.

    Returns:
        The loss, shape (); for 'none' the terms (N,) or ().

    >>> sg.nn.functional.multilabel_soft_margin_loss(sg.tensor([[0.0, 0.0]]), sg.tensor([[1.0, 0.0]]))
    tensor(0.6931)
    """
    check_reduction(reduction)
    t = as_tensor(target)
    terms = -(t * logsigmoid(input) + (1 - t) * logsigmoid(-input))
    terms = terms if weight is None else terms * weight
    return reduced(terms.sum(-1) / input.shape[-1], reduction, "MultilabelSoftMarginLoss")


def _check_labels(input: Any, labels: Any) -> None:
    if labels.shape != input.shape or input.ndim > 2:
        raise ShapeError(
            f"multilabel_margin_loss: inconsistent target size {show_shape(labels.shape)} for an input of size "
            f"{show_shape(input.shape)}. Pass labels shaped like the input, the rest of them -1."
        )


@public
def multilabel_margin_loss(input: Any, target: Any, *, reduction: str = "mean") -> Any:
    """Return Σ max(0, 1 - (x_j - x_i)) / C, summed over the labels j of a sample and all other classes i.

    Args:
        input: scores x, (N, C), (C,) or ().
        target: labels, integers shaped like x; in each row, the labels precede the first -1.
        reduction: 'mean', 'sum' or 'none'.

    Returns:
        The loss, shape (); for 'none' the terms (N,) or ().

    Raises:
        ShapeError: if the shapes differ.

    >>> sg.nn.functional.multilabel_margin_loss(sg.tensor([0.1, 0.2, 0.4, 0.8]), sg.tensor([3, 0, -1, 1]))
    tensor(0.8500)
    """
    check_reduction(reduction)
    labels = as_tensor(target)
    _check_labels(input, labels)
    if not input.ndim:
        input, labels = input.reshape(1), labels.reshape(1)
    counts = cumprod(where(labels >= 0, 1, 0), -1) > 0
    labels = clamp(labels, 0)
    hits = counts[..., None] & (labels[..., None] == np.arange(input.shape[-1]))  # (…, label, class)
    of_labels = input.gather(-1, labels)
    terms = clamp(1 - of_labels[..., None] + input[..., None, :], 0)
    asked = counts[..., None] & ~hits.any(-2)[..., None, :]
    loss = where(asked, terms, 0.0).sum(-1).sum(-1) / input.shape[-1]
    return reduced(loss, reduction, "MultilabelMarginLoss")


@public
def triplet_margin_with_distance_loss(
    anchor: Any, positive: Any, negative: Any, *, distance_function: Callable[[Any, Any], Any] | None = None,
    margin: float = 1.0, swap: bool = False, reduction: str = "mean",
) -> Any:  # fmt: skip
    """Return the mean of max(0, m + d(a, p) - d(a, n)) over triplets, for a user-defined distance d.

    Args:
        anchor, positive, negative: a, p and n, all with the same shape.
        distance_function: d, a function of two tensors; ``pairwise_distance`` by default.
        margin: m > 0.
        swap: whether to use d(p, n) instead of d(a, n) where it is smaller.
        reduction: 'mean', 'sum' or 'none'.

    Returns:
        The loss, shape (); for 'none' the terms, with the shape of the distances.

    >>> F, a = sg.nn.functional, sg.zeros(1, 2)
    >>> F.triplet_margin_with_distance_loss(a, a, a + 0.5, distance_function=lambda x, y: abs(x - y).sum(-1))
    tensor(0.)
    """
    check_reduction(reduction)
    if margin <= 0:
        raise ArgumentError(f"margin must be greater than 0. Got {margin}.")
    distance = distance_function or pairwise_distance
    positive, negative = as_tensor(positive), as_tensor(negative)
    near, far = distance(anchor, positive), distance(anchor, negative)
    if swap:
        far = minimum(far, distance(positive, negative))
    return reduced(clamp(margin + near - far, 0), reduction, "TripletMarginLoss")


# ------------------------------------------------------------------ alignments
def ctc_loss(
    log_probs: Any, targets: Any, input_lengths: Any, target_lengths: Any, blank: int = 0, reduction: str = "mean",
    zero_infinity: bool = False,
) -> Any:  # fmt: skip
    """Return -log Σ Π p over all alignments of a label sequence with T steps: connectionist temporal classification.

    An alignment may repeat labels and insert blanks between them. Let l be the labels with blanks between and around
    them. Then α_t(s) = p_t(l_s) Σ_r α_{t-1}(r), where r is s, s - 1 and, if l_s is a label other than l_{s-2}, s - 2.
    The loss is -log of the sum of the last two α. The derivative is that of this function of log_probs, even if
    log_probs is not the result of log_softmax.

    Args:
        log_probs: logarithms of probabilities (T, N, C) or (T, C).
        targets: labels (N, S), or the concatenated labels of all sequences (Σ target_lengths,).
        input_lengths, target_lengths: (N,) or (), the numbers of steps and labels of each sequence.
        blank: the class that stands for "no label".
        reduction: 'mean' (each loss divided by its number of labels), 'sum' or 'none'.
        zero_infinity: whether to return 0 instead of infinity if there are too many labels for the steps.

    Returns:
        The loss, shape (); for 'none' the losses (N,) or ().

    Raises:
        ShapeError: if the sizes do not fit.
        ArgumentError: if the reduction is unknown.
        IndexRangeError: if a label or a length is out of range.

    Source: Graves et al. 2006, "Connectionist temporal classification", §4.1.

    >>> p = sg.log(sg.tensor([[0.5, 0.5], [0.5, 0.5]]))
    >>> sg.nn.functional.ctc_loss(p, sg.tensor([1]), 2, 1, reduction="sum").exp()
    tensor(1.3333)
    """
    check_reduction(reduction)
    log_probs, targets, steps, counts = map(as_tensor, (log_probs, targets, input_lengths, target_lengths))
    single = log_probs.ndim == 2
    if single:
        log_probs, targets, steps, counts = log_probs[:, None], targets[None], steps.reshape(1), counts.reshape(1)
    if log_probs.ndim != 3 or targets.ndim not in (1, 2):
        raise ShapeError(
            f"ctc_loss: got log_probs {show_shape(log_probs.shape)} and targets {show_shape(targets.shape)}. Expected "
            "(T, N, C) and (N, S), or (T, C) and (S,)."
        )
    labels = _padded_labels(targets, counts) if targets.ndim == 1 else targets
    _check_alignment(log_probs, labels, steps, counts, blank)
    loss = _alignment_loss(log_probs, clamp(labels, 0, log_probs.shape[2] - 1), steps, counts, blank)
    loss = where(loss > -_NEVER / 2, 0.0 if zero_infinity else np.inf, loss)
    if reduction == "mean":
        loss = loss / clamp(counts, 1).to(loss.dtype)
    return reduced(loss[0] if single else loss, reduction, "CtcLoss")


def _padded_labels(targets: Any, counts: Any) -> Any:
    """Labels one after the other as rows, filled up with zeros."""
    known, length = targets.detach().numpy(), counts.detach().numpy()
    rows = np.split(known, np.cumsum(length))
    if len(known) != length.sum():
        raise ShapeError(f"ctc_loss: got {len(known)} targets for target_lengths that add up to {length.sum()}.")
    return as_tensor(np.stack([np.pad(row, (0, max(length, default=0) - len(row))) for row in rows[:-1]]))


def _check_alignment(log_probs: Any, labels: Any, steps: Any, counts: Any, blank: int) -> None:
    most, n, classes = log_probs.shape
    if not labels.shape[0] == steps.shape[0] == counts.shape[0] == n:
        raise ShapeError(
            f"ctc_loss: input_lengths and target_lengths must be of size batch_size, {n}. Got "
            f"{show_shape(steps.shape)}, {show_shape(counts.shape)} and targets {show_shape(labels.shape)}."
        )
    if not 0 <= blank < classes:
        raise IndexRangeError(f"ctc_loss: blank must be in label range. Got {blank} of {classes} classes.")
    bounds = (("input_lengths", steps, 1, most), ("target_lengths", counts, 0, labels.shape[1]))
    for name, t, low, high in bounds:
        known = t._value
        if known is not None and not np.all((low <= known) & (known <= high)):
            raise IndexRangeError(f"ctc_loss: got {name} {known.tolist()}. Expected numbers from {low} to {high}.")
    if labels._value is not None and counts._value is not None:
        valid = labels._value[np.arange(labels.shape[1]) < counts._value[:, None]]
        if not np.all((valid >= 0) & (valid < classes)):
            raise IndexRangeError(f"ctc_loss: got labels {valid.tolist()}. Expected 0 to {classes - 1}.")


def _alignment_loss(log_probs: Any, labels: Any, steps: Any, counts: Any, blank: int) -> Any:
    (most, n, _), s = log_probs.shape, labels.shape[1]
    blanks = as_tensor(np.full((n, s + 1), blank))
    spaced = cat([stack([blanks[:, 1:], labels], -1).reshape(n, 2 * s), blanks[:, :1]], 1)
    emitted = clamp(log_probs.gather(2, spaced[None].expand(most, n, 2 * s + 1)), _NEVER)
    skip = spaced[:, 2:] != spaced[:, :-2]  # of blanks never
    never = as_tensor(np.full((n, 2), _NEVER, log_probs.dtype))
    alpha = emitted[0] + np.where(np.arange(2 * s + 1) < 2, 0.0, _NEVER).astype(log_probs.dtype)
    all_run = steps._value is not None and bool((steps._value == most).all())
    for t in range(1, most):
        ahead = logaddexp(alpha, cat([never[:, :1], alpha[:, :-1]], 1))
        if s:
            ahead = logaddexp(ahead, cat([never, where(skip, alpha[:, :-2], _NEVER)], 1))
        ahead = ahead + emitted[t]
        alpha = ahead if all_run else where((steps > t)[:, None], ahead, alpha)
    last = alpha.gather(1, (2 * counts)[:, None])[:, 0]
    before = alpha.gather(1, clamp(2 * counts - 1, 0)[:, None])[:, 0]
    return -where(counts > 0, logaddexp(last, before), last)


check_all(globals(), __all__)
