"""Losses that ask for a margin: hinges on scores, distances and cosines.

A hinge is max(0, ·); at its edge the derivative is that of the open side, as PyTorch's clamp has it.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import sympy as sp

from symgrad.core.node import Shape
from symgrad.errors import ArgumentError, ShapeError
from symgrad.ops.contract import sum_axes
from symgrad.ops.elementwise.declared import BINARY, CLAMP_MIN, UNARY, where
from symgrad.ops.map import ADD, DIV, MUL, SUB, Map, show_shape
from symgrad.ops.nn.distances import pairwise_distance
from symgrad.ops.nn.losses import check_reduction, collected, reduced, show_size
from symgrad.ops.protocol import shape
from symgrad.ops.shape import Expand, Reshape
from symgrad.ops.sorting.order import TakeAlongAxis
from symgrad.scalars import X, clamp_min, softplus

HINGE_EMBEDDING = Map(
    lambda: sp.Piecewise((clamp_min(X[2] - X[0], 0), sp.Ne(X[1], 1)), (0, True))
    + sp.Piecewise((X[0], sp.Ne(X[1], -1)), (0, True)),
    3, "HingeEmbeddingLoss",
)  # fmt: skip
RANKING = Map(lambda: clamp_min(X[3] - X[2] * (X[0] - X[1]), 0), 4, "MarginRankingLoss")
SOFT_MARGIN = Map(lambda: softplus(-X[0] * X[1]), 2, "SoftMarginLoss")
TRIPLET = Map(lambda: clamp_min(X[2] + X[0] - X[1], 0), 3, "TripletMarginLoss")


def _cosine() -> Any:
    """⟨x, z⟩ / (‖x‖ ‖z‖), made on first use: importing does no SymPy arithmetic."""
    return X[0] / sp.sqrt((X[1] + X[5]) * (X[2] + X[5]))


COSINE_EMBEDDING = Map(
    lambda: sp.Piecewise(
        (1 - _cosine(), sp.Eq(X[3], 1)), (clamp_min(_cosine() - X[4], 0), sp.Eq(X[3], -1)), (0, True)
    ),
    6, "CosineEmbeddingLoss",
)  # fmt: skip


def hinge_embedding_loss(input: Any, target: Any, margin: float = 1.0, *, reduction: str = "mean") -> Any:
    """Return the mean of x where t = 1, and of max(0, m - x) where t = -1.

    Args:
        input: distances x, any shape.
        target: t, 1 or -1, broadcast against x.
        margin: m.
        reduction: 'mean', 'sum' or 'none'.

    Returns:
        The loss, shape (); for 'none' the terms.

    Raises:
        ArgumentError: if the reduction is unknown.

    >>> sg.nn.functional.hinge_embedding_loss(sg.tensor([0.5, 0.2]), sg.tensor([1, -1]), reduction="none")
    tensor([0.5000, 0.8000])
    """
    return collected(HINGE_EMBEDDING, (input, target, margin), reduction)


def margin_ranking_loss(
    input1: Any, input2: Any, target: Any, margin: float = 0.0, *, reduction: str = "mean"
) -> Any:  # fmt: skip
    """Return Σ max(0, m - t (x₁ - x₂)) / n, where t = 1 requires x₁ > x₂, and t = -1 requires x₁ < x₂.

    Args:
        input1, input2: scores x₁ and x₂.
        target: t, 1 or -1. All three have the same number of axes.
        margin: m.
        reduction: 'mean', 'sum' or 'none'.

    Returns:
        The loss, shape (); for 'none' the terms.

    Raises:
        ShapeError: if the numbers of axes differ.
        ArgumentError: if the reduction is unknown.

    >>> sg.nn.functional.margin_ranking_loss(sg.tensor([1.0]), sg.tensor([3.0]), sg.tensor([1.0]))
    tensor(2.)
    """
    if not len(shape(input1)) == len(shape(input2)) == len(shape(target)):
        raise ShapeError(
            "margin_ranking_loss : All input tensors should have same dimension but got sizes: "
            f"input1: {show_shape(shape(input1))}, input2: {show_shape(shape(input2))}, "
            f"target: {show_shape(shape(target))} . Unsqueeze the smaller ones."
        )
    return collected(RANKING, (input1, input2, target, margin), reduction)


def soft_margin_loss(input: Any, target: Any, *, reduction: str = "mean") -> Any:
    """Return Σ log(1 + e^(-t x)) / n, without overflow.

    Args:
        input: scores x, any shape.
        target: t, 1 or -1, broadcast against x.
        reduction: 'mean', 'sum' or 'none'.

    Returns:
        The loss, shape (); for 'none' the terms.

    Raises:
        ArgumentError: if the reduction is unknown.

    >>> sg.nn.functional.soft_margin_loss(sg.tensor([0.0]), sg.tensor([1.0]))
    tensor(0.6931)
    """
    return collected(SOFT_MARGIN, (input, target), reduction)


def _check_triplets(anchor: Any, positive: Any, negative: Any, margin: float) -> None:
    ranks = [len(shape(x)) for x in (anchor, positive, negative)]
    if len(set(ranks)) > 1:
        raise ShapeError(
            "The anchor, positive, and negative tensors are expected to have the same number of dimensions, but got: "
            f"anchor {ranks[0]}D, positive {ranks[1]}D, and negative {ranks[2]}D inputs. Unsqueeze the smaller ones."
        )
    if margin <= 0:
        raise ArgumentError(f"triplet_margin_loss: margin must be greater than 0. Got {margin}.")


def triplet_margin_loss(
    anchor: Any, positive: Any, negative: Any, margin: float = 1.0, p: float = 2, eps: float = 1e-6,
    swap: bool = False, *, reduction: str = "mean",
) -> Any:  # fmt: skip
    """Return the mean of max(0, m + d(a, p) - d(a, n)) over triplets, where d is the distance along the last axis.

    Args:
        anchor, positive, negative: a, p and n, (…, k), with equal numbers of axes.
        margin: m > 0.
        p: the order of the norm.
        eps: the number added to each entry of a difference.
        swap: whether to use d(p, n) instead of d(a, n) where it is smaller.
        reduction: 'mean', 'sum' or 'none'.

    Returns:
        The loss, shape (); for 'none' one term per triplet.

    Raises:
        ShapeError: if the numbers of axes differ.
        ArgumentError: if the reduction is unknown, or m ≤ 0.

    >>> sg.nn.functional.triplet_margin_loss(sg.zeros(1, 2), sg.zeros(1, 2), sg.tensor([[0.3, 0.4]]))
    tensor(0.5000)
    """
    _check_triplets(anchor, positive, negative, margin)
    near = pairwise_distance(anchor, positive, p, eps)
    far = pairwise_distance(anchor, negative, p, eps)
    if swap:
        far = BINARY["minimum"](far, pairwise_distance(positive, negative, p, eps))
    return collected(TRIPLET, (near, far, margin), reduction)


def _check_pairs(input1: Any, input2: Any, target: Any) -> None:
    rank = len(shape(target))
    if rank > 1:
        raise ShapeError(
            f"0D or 1D target tensor expected, multi-target not supported. Got {show_size(target)}; flatten the pairs."
        )
    if not len(shape(input1)) == len(shape(input2)) == rank + 1:
        raise ShapeError(
            f"{rank}D target tensor expects {rank + 1}D input tensors, but found inputs with sizes "
            f"{show_shape(shape(input1))} and {show_shape(shape(input2))}. Pass one target per pair."
        )


def cosine_embedding_loss(
    input1: Any, input2: Any, target: Any, margin: float = 0.0, *, reduction: str = "mean"
) -> Any:  # fmt: skip
    """Return the mean over pairs of 1 - cos(x₁, x₂) where t = 1, and of max(0, cos(x₁, x₂) - m) where t = -1.

    Args:
        input1, input2: x₁ and x₂, (n, k) or (k,).
        target: t, 1 or -1, (n,) or ().
        margin: m.
        reduction: 'mean', 'sum' or 'none'.

    Returns:
        The loss, shape (); for 'none' one term per pair.

    Raises:
        ShapeError: if the shapes do not fit.
        ArgumentError: if the reduction is unknown.

    >>> sg.nn.functional.cosine_embedding_loss(sg.tensor([1.0, 1.0]), sg.tensor([2.0, 0.0]), sg.tensor(1))
    tensor(0.2929)
    """
    _check_pairs(input1, input2, target)
    pairs = ((input1, input2), (input1, input1), (input2, input2))
    sums = [sum_axes(MUL(a, b), (len(shape(MUL(a, b))) - 1,)) for a, b in pairs]
    return collected(COSINE_EMBEDDING, (*sums, target, margin, 1e-12), reduction)


def _check_classes(s: Shape, t: Shape) -> None:
    if not 1 <= len(s) <= 2 or (t != s[:-1] and not (len(s) == 1 and t == (1,))):
        raise ShapeError(
            "multi_margin_loss: target tensor should be 1-D with size equal to the number of input samples (batch "
            f"size). Expected target size {show_shape(s[:-1])}, but got {show_shape(t)}. Input has shape "
            f"{show_shape(s)}."
        )


def _class_weights(weight: Any, s: Shape, at: Any) -> Any:
    """Return the weight of the class of each row of scores, which are shaped s."""
    last = len(s) - 1
    wide = Reshape((1,) * last + shape(weight))(weight)
    return TakeAlongAxis(last)(Expand(s)(wide) if last else wide, at)


def multi_margin_loss(
    input: Any, target: Any, p: int = 1, margin: float = 1.0, weight: Any = None, *, reduction: str = "mean"
) -> Any:
    """Return the mean over rows x of Σ_{j≠t} w_t max(0, m - x_t + x_j)ᵖ / C: class t should win by the margin m.

    Args:
        input, target: x (N, C) or (C,), and t (N,) or (), integers 0 … C - 1.
        p, margin, weight: 1 or 2; m; and w (C,), 1 by default.
        reduction: 'mean', 'sum' or 'none'.

    Returns:
        The loss, shape (); for 'none' the terms (N,) or ().

    Raises:
        ArgumentError: if p or the reduction is unknown.
        ShapeError: if target does not fit.

    >>> sg.nn.functional.multi_margin_loss(sg.tensor([0.5, 1.0]), sg.tensor(1))
    tensor(0.2500)
    """
    if p not in (1, 2):
        raise ArgumentError(f"only p == 1 and p == 2 supported. Got p={p}.")
    check_reduction(reduction)
    input = input if shape(input) else Reshape((1,))(input)
    s = shape(input)
    _check_classes(s, shape(target))
    last = len(s) - 1
    at = Reshape((*s[:-1], 1))(target)
    terms = CLAMP_MIN(ADD(SUB(input, TakeAlongAxis(last)(input, at)), margin), 0.0)
    terms = terms if p == 1 else UNARY["square"](terms)
    terms = terms if weight is None else MUL(terms, _class_weights(weight, s, at))
    others = where(BINARY["ne"](np.arange(s[-1]), at), terms, 0.0)
    return reduced(DIV(sum_axes(others, (last,)), s[-1]), reduction, "MultiMarginLoss")
