"""Losses on arrays of numbers: squared and absolute error, binary cross entropy; and the linear layer.

Imports elementwise, contract, reduction and below.
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import sympy as sp

from symgrad.errors import ArgumentError, ShapeError
from symgrad.graph import Shape
from symgrad.ops.contract import LETTERS, Einsum, sum_axes
from symgrad.ops.elementwise import BCE_LOGITS
from symgrad.ops.map import ADD, MUL, NEG, Map, broadcast_shapes, clip, emap, show_shape
from symgrad.ops.protocol import Op, rename, shape
from symgrad.ops.reduction import over
from symgrad.ops.shape import total
from symgrad.scalars import X, abs_, clamp_min, logsigmoid

_FLOOR = 1e-12  # torch's bound on p (1 - p) in a denominator

SQUARED = Map.of((X[0] - X[1]) ** 2, 2, "MseLoss")
ABSOLUTE = Map.of(abs_(X[0] - X[1]), 2, "Abs")
BCE_POSITIVE = Map.of(
    (1 - X[1]) * X[0] - (1 + (X[2] - 1) * X[1]) * logsigmoid(X[0]), 3, "BinaryCrossEntropyWithLogits"
)


# ------------------------------------------------------------------ from terms to a loss
def check_reduction(reduction: str) -> None:
    """Raise torch's error unless the reduction is none, mean or sum."""
    if reduction not in ("none", "mean", "sum"):
        raise ArgumentError(f"{reduction} is not a valid value for reduction. Pass 'none', 'mean' or 'sum'.")


def reduced(terms: Any, reduction: str, name: str, n: Any = None) -> Any:
    """Return the terms, their sum, or their sum over n (their number by default), under torch's name."""
    s = shape(terms)
    if reduction == "none":
        return rename(terms, name)
    added = sum_axes(terms, range(len(s)))
    return rename(added if reduction == "sum" else over(added, total(s) if n is None else n), name)


def value_of(x: Any) -> Any:
    """Return the array behind a tensor, None for a symbol."""
    return getattr(x, "_value", x)


def show_size(x: Any) -> str:
    """Write the shape of x as torch writes a size."""
    return f"torch.Size({show_shape(shape(x))})"


def _weighted(terms: Any, weight: Any, name: str) -> Any:
    return terms if weight is None else rename(MUL(terms, weight), name)


# ------------------------------------------------------------------ errors squared and absolute
def mse_loss(input: Any, target: Any, reduction: str = "mean", weight: Any = None) -> Any:
    """Σ (x - t)² / n, the mean squared error.

    Derivative in x: 2 (x - t) / n.

    Args:
        input: predictions x, any shape.
        target: t, the shape of x; another shape broadcasts with a warning.
        reduction: 'mean', 'sum' or 'none'.
        weight: factors of the terms; the mean then divides by their sum.

    Returns:
        The loss, shape (); for 'none' the terms.

    Raises:
        ArgumentError: another reduction. ShapeError: the shapes do not broadcast.

    >>> sg.nn.functional.mse_loss(sg.tensor([1.0, 3.0]), sg.tensor([0.0, 0.0]))
    tensor(5.)
    """
    return _difference(SQUARED, "MseLoss", input, target, reduction, weight)


def l1_loss(input: Any, target: Any, reduction: str = "mean", weight: Any = None) -> Any:
    """Σ |x - t| / n, the mean absolute error.

    Derivative in x: sign(x - t) / n, 0 where x = t.

    Args:
        input: predictions x, any shape.
        target: t, the shape of x; another shape broadcasts with a warning.
        reduction: 'mean', 'sum' or 'none'.
        weight: factors of the terms; the mean then divides by their sum.

    Returns:
        The loss, shape (); for 'none' the terms.

    Raises:
        ArgumentError: another reduction. ShapeError: the shapes do not broadcast.

    >>> sg.nn.functional.l1_loss(sg.tensor([1.0, 3.0]), sg.tensor([0.0, 0.0]))
    tensor(2.)
    """
    name = {"none": "Abs", "mean": "Mean", "sum": "Sum"}.get(reduction, "")
    return _difference(ABSOLUTE, name, input, target, reduction, weight)


def _difference(op: Map, name: str, x: Any, t: Any, reduction: str, weight: Any) -> Any:
    if shape(x) != shape(t):
        warnings.warn(
            f"Using a target size ({show_size(t)}) that is different to the input size ({show_size(x)}). This will "
            "likely lead to incorrect results due to broadcasting. Please ensure they have the same size.",
            stacklevel=3,
        )
    check_reduction(reduction)
    terms = _weighted(op(x, t), weight, name)
    n = None if weight is None else total_weight(weight, shape(terms))
    return reduced(terms, reduction, name, n)
