"""Robust losses: errors that are squared only where they are small, each one elementwise function."""

from __future__ import annotations

from typing import Any

import sympy as sp

from symgrad.errors import ArgumentError
from symgrad.ops.map import MUL, Map
from symgrad.ops.nn.losses import (
    ABSOLUTE_ERROR,
    _error,
    check_reduction,
    check_weight,
    collected,
    reduced,
    warn_of_broadcasting,
)
from symgrad.scalars import X

SMOOTH_L1 = Map(
    lambda: sp.Piecewise((_error()**2 / (2 * X[2]), sp.Abs(_error()) < X[2]), (sp.Abs(_error()) - X[2] / 2, True)),
    3, "SmoothL1Loss",
)  # fmt: skip
HUBER = Map(
    lambda: sp.Piecewise((_error()**2 / 2, sp.Abs(_error()) < X[2]), (X[2] * (sp.Abs(_error()) - X[2] / 2), True)),
    3, "HuberLoss",
)  # fmt: skip


def smooth_l1_loss(input: Any, target: Any, *, reduction: str = "mean", beta: float = 1.0) -> Any:
    """Return the mean of (x - t)²/(2β) where |x - t| < β, and of |x - t| - β/2 elsewhere.

    Derivative of a term with respect to x: (x - t)/β, limited to [-1, 1].

    Args:
        input: predictions x, any shape.
        target: t, shaped like x; other shapes are broadcast with a warning.
        reduction: 'mean', 'sum' or 'none'.
        beta: β ≥ 0; with 0, the loss is the mean absolute error.

    Returns:
        The loss, shape (); for 'none' the terms.

    Raises:
        ArgumentError: if the reduction is unknown, or β is negative.

    >>> sg.nn.functional.smooth_l1_loss(sg.tensor([0.5, 3.0]), sg.tensor([0.0, 0.0]), reduction="none")
    tensor([0.1250, 2.5000])
    """
    warn_of_broadcasting(input, target)
    if beta < 0:
        raise ArgumentError(f"smooth_l1_loss does not support negative values for beta. Got {beta}; pass β ≥ 0.")
    if beta == 0:
        return collected(ABSOLUTE_ERROR, (input, target), reduction)
    return collected(SMOOTH_L1, (input, target, beta), reduction)


def huber_loss(input: Any, target: Any, *, reduction: str = "mean", delta: float = 1.0, weight: Any = None) -> Any:
    """Return the mean of (x - t)²/2 where |x - t| < δ, and of δ (|x - t| - δ/2) elsewhere.

    Derivative of a term with respect to x: x - t, limited to [-δ, δ].

    Args:
        input: predictions x, any shape.
        target: t, shaped like x; other shapes are broadcast with a warning.
        reduction: 'mean', 'sum' or 'none'.
        delta: δ > 0.
        weight: factors of the terms; the mean is over their number, as in PyTorch.

    Returns:
        The loss, shape (); for 'none' the terms.

    Raises:
        ArgumentError: if the reduction is unknown, or δ ≤ 0.

    >>> sg.nn.functional.huber_loss(sg.tensor([0.5, 3.0]), sg.tensor([0.0, 0.0]), reduction="none")
    tensor([0.1250, 2.5000])
    """
    warn_of_broadcasting(input, target)
    if delta <= 0:
        raise ArgumentError(f"huber_loss does not support non-positive values for delta. Got {delta}; pass δ > 0.")
    if weight is not None:
        check_reduction(reduction)
        check_weight(weight, terms := HUBER(input, target, delta))
        return reduced(MUL(terms, weight), reduction, "Mul" if reduction == "none" else reduction.title())
    return collected(HUBER, (input, target, delta), reduction)
