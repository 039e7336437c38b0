"""Losses on arrays of numbers: squared and absolute error, binary cross entropy."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import sympy as sp

from symgrad import scalars
from symgrad.core.promotion import floating
from symgrad.errors import ArgumentError
from symgrad.ops.contract import sum_axes
from symgrad.ops.convert import in_single
from symgrad.ops.elementwise.complexes import holds_complex
from symgrad.ops.elementwise.declared import BCE_LOGITS, abs_
from symgrad.ops.elementwise.guards import FLOORED, LOGCUT
from symgrad.ops.map import DIV, MUL, NEG, SUB, Entrywise, Map, emap, show_shape
from symgrad.ops.protocol import rename, shape
from symgrad.ops.reduction import over
from symgrad.ops.reductions.total import MapTotal
from symgrad.ops.shape import total
from symgrad.scalars import X, logsigmoid
from symgrad.support.frozen import frozen
from symgrad.support.notices import warn


def _error() -> Any:
    """x - t, made on first use: importing does no SymPy arithmetic."""
    return X[0] - X[1]


SQUARED_ERROR = Map(lambda: (X[0] - X[1]) ** 2, 2, "MseLoss")
ABSOLUTE_ERROR = Map(lambda: sp.Abs(X[0] - X[1]), 2, "Abs")
BCE_POSITIVE = Map(
    lambda: (1 - X[1]) * X[0] - (1 + (X[2] - 1) * X[1]) * logsigmoid(X[0]), 3, "BinaryCrossEntropyWithLogits"
)


# ------------------------------------------------------------------ from terms to a loss
def check_reduction(reduction: str) -> None:
    """Raise PyTorch's error unless the reduction is none, mean or sum."""
    if reduction not in ("none", "mean", "sum"):
        raise ArgumentError(f"{reduction} is not a valid value for reduction. Pass 'none', 'mean' or 'sum'.")


def reduced(terms: Any, reduction: str, name: str, n: Any = None) -> Any:
    """Return the terms, their sum, or their sum over n (their number by default), under PyTorch's name."""
    s = shape(terms)
    if reduction == "none":
        return rename(terms, name)
    if reduction == "sum":
        return rename(sum_all(terms), name)
    return rename(in_single(lambda x: over(sum_all(x), total(s) if n is None else n), terms), name)


def collected(op: Map, args: tuple[Any, ...], reduction: str) -> Any:
    """Return the terms of a loss, their sum or their mean."""
    check_reduction(reduction)
    if reduction == "none":
        return op(*args)
    return in_single(MapTotal.of(op, reduction == "mean", op.name), *args)


def value_of(x: Any) -> Any:
    """Return the array behind a tensor, None for a symbol."""
    return getattr(x, "_value", x)


def show_size(x: Any) -> str:
    """Write the shape of x as PyTorch writes a size."""
    return f"torch.Size({show_shape(shape(x))})"


def sum_all(x: Any) -> Any:
    """Return the sum of all entries."""
    return sum_axes(x, range(len(shape(x))))


# ------------------------------------------------------------------ errors squared and absolute
def mse_loss(input: Any, target: Any, *, reduction: str = "mean", weight: Any = None) -> Any:
    """Return Σ (x - t)² / n, the mean squared error.

    Derivative with respect to x: 2 (x - t) / n.

    Args:
        input: predictions x, any shape.
        target: t, shaped like x; other shapes are broadcast with a warning.
        reduction: 'mean', 'sum' or 'none'.
        weight: factors of the terms; the mean is then the sum divided by the sum of these factors.

    Returns:
        The loss, shape (); for 'none' the terms.

    Raises:
        ArgumentError: if the reduction is unknown.
        ShapeError: if the shapes do not broadcast.

    >>> sg.nn.functional.mse_loss(sg.tensor([1.0, 3.0]), sg.tensor([0.0, 0.0]))
    tensor(5.)
    """
    return _difference(SQUARED_ERROR, "MseLoss", input, target, reduction, weight)


def l1_loss(input: Any, target: Any, *, reduction: str = "mean", weight: Any = None) -> Any:
    """Return Σ |x - t| / n, the mean absolute error.

    Derivative with respect to x: sign(x - t) / n, 0 where x = t.

    Args:
        input: predictions x, any shape.
        target: t, shaped like x; other shapes are broadcast with a warning.
        reduction: 'mean', 'sum' or 'none'.
        weight: factors of the terms; the mean is then the sum divided by the sum of these factors.

    Returns:
        The loss, shape (); for 'none' the terms.

    Raises:
        ArgumentError: if the reduction is unknown.
        ShapeError: if the shapes do not broadcast.

    >>> sg.nn.functional.l1_loss(sg.tensor([1.0, 3.0]), sg.tensor([0.0, 0.0]))
    tensor(2.)
    """
    name = {"none": "Abs", "mean": "Mean", "sum": "Sum"}.get(reduction, "")
    return _difference(ABSOLUTE_ERROR, name, input, target, reduction, weight)


def warn_of_broadcasting(x: Any, t: Any) -> None:
    """Warn of a target shaped unlike the input, as PyTorch does."""
    if shape(x) != shape(t):
        warn(
            f"Using a target size ({show_size(t)}) that is different to the input size ({show_size(x)}). "
            "This will likely lead to incorrect results due to broadcasting. "
            "Please ensure they have the same size.",
        )


def _difference(op: Map, name: str, x: Any, t: Any, reduction: str, weight: Any) -> Any:
    warn_of_broadcasting(x, t)
    check_reduction(reduction)
    of_complex = op is ABSOLUTE_ERROR and (holds_complex(x) or holds_complex(t))
    if weight is None and reduction != "none" and not of_complex:
        return in_single(MapTotal.of(op, reduction == "mean", name), x, t)
    terms = abs_(SUB(x, t)) if of_complex else op(x, t)
    if weight is None:
        return reduced(terms, reduction, name)
    check_weight(weight, terms)
    if reduction == "mean":
        return in_single(lambda x, w: DIV(sum_all(MUL(x, w)), sum_all(w)), terms, weight)
    return reduced(MUL(terms, weight), reduction, "Mul" if reduction == "none" else "Sum")


def check_weight(weight: Any, terms: Any) -> None:
    """Refuse factors that are not one for each term."""
    if shape(weight) != shape(terms):
        raise ArgumentError(
            "Weights and input must have the same size. "
            f"Got weight {show_shape(shape(weight))} for terms {show_shape(shape(terms))}."
        )


# ------------------------------------------------------------------ binary cross entropy
@frozen
class BinaryCrossEntropy(Entrywise):
    """-(t log p + (1 - t) log(1 - p)) of p and t of one shape, with logarithms cut at -100."""

    gives = floating
    explained = "cross-entropy of a probability: (p − y)/(p·(1 − p)), times the weight"

    def forward(self, p: Any, t: Any) -> Any:
        """Cut the logarithms, so that 0 log 0 is 0."""
        p = np.asarray(p)
        with np.errstate(divide="ignore"):
            yes, no = np.maximum(np.log(p), -100), np.maximum(np.log1p(-p), -100)
        return -(t * yes + (1 - t) * no)

    def on_symbols(self, p: Any, t: Any) -> Any:
        """As the textbook writes it."""
        return np.asarray(np.frompyfunc(_bce, 2, 1)(p, t), dtype=object)

    def decompose(self, p: Any, t: Any) -> Any:
        """−(t log p + (1 − t) log(1 − p)), each logarithm at least −100."""
        yes, no = scalars.maximum(scalars.log(X[0]), -100), scalars.maximum(scalars.log1p(-X[0]), -100)
        return NEG(emap(X[1] * yes + (1 - X[1]) * no, p, t))

    def vjp(self, i: int, g: Any, y: Any, p: Any, t: Any) -> Any:
        # p̄ = ȳ (p - t) / (p (1 - p)), the denominator at least 10⁻¹²;  t̄ = ȳ (log(1 - p) - log p)
        if i == 0:
            return DIV(MUL(g, SUB(p, t)), FLOORED(emap(X[0] * (1 - X[0]), p)))
        return MUL(g, SUB(LOGCUT(SUB(1, p)), LOGCUT(p)))

    def index(self, idx: Sequence[sp.Expr], *ps: Any) -> sp.Expr:
        """-(t_i log p_i + (1 - t_i) log(1 - p_i))."""
        return _bce(*[p(idx) for p in ps])


def _bce(p: sp.Expr, t: sp.Expr) -> sp.Expr:
    return -t * sp.log(p) - (1 - t) * sp.log(1 - p)


def binary_cross_entropy(input: Any, target: Any, weight: Any = None, *, reduction: str = "mean") -> Any:
    """Return Σ -(t log p + (1 - t) log(1 - p)) / n for probabilities p.

    Derivative with respect to p: (p - t) / (p (1 - p) n). For logits, use ``binary_cross_entropy_with_logits``, which
    is accurate.

    Args:
        input: probabilities p in [0, 1], any shape.
        target: t in [0, 1], shaped like p.
        weight: factors of the terms, broadcast against them.
        reduction: 'mean', 'sum' or 'none'.

    Returns:
        The loss, shape (); for 'none' the terms. Logarithms are at least -100.

    Raises:
        ArgumentError: if sizes differ, entries lie outside [0, 1], or the reduction is unknown.

    >>> sg.nn.functional.binary_cross_entropy(sg.tensor([0.5, 0.5]), sg.tensor([0.0, 1.0]))
    tensor(0.6931)
    """
    check_reduction(reduction)
    if shape(input) != shape(target):
        raise ArgumentError(
            f"Using a target size ({show_size(target)}) that is different to the input size ({show_size(input)}) is "
            "deprecated. Please ensure they have the same size. Reshape or unsqueeze one of them."
        )
    _check_unit_interval("input", input)
    _check_unit_interval("target", target)
    terms = BinaryCrossEntropy()(input, target)
    return reduced(terms if weight is None else MUL(terms, weight), reduction, "BinaryCrossEntropy")


def _check_unit_interval(name: str, x: Any) -> None:
    value = value_of(x)
    if value is not None and not np.all((np.asarray(value) >= 0) & (np.asarray(value) <= 1)):
        raise ArgumentError(
            f"all elements of {name} should be between 0 and 1. Got {np.min(value)} to {np.max(value)}; "
            "for logits use binary_cross_entropy_with_logits."
        )


def _check_size_of_logits(input: Any, target: Any) -> None:
    if shape(input) != shape(target):
        raise ArgumentError(
            f"Target size ({show_size(target)}) must be the same as input size ({show_size(input)}). "
            "Reshape or unsqueeze one of them."
        )


def binary_cross_entropy_with_logits(
    input: Any, target: Any, weight: Any = None, *, reduction: str = "mean", pos_weight: Any = None
) -> Any:
    """Return Σ (log(1 + eᶻ) - t z) / n: the cross entropy of t and σ(z), without overflow.

    Derivative with respect to z: (σ(z) - t) / n.

    Args:
        input: logits z, any shape.
        target: t in [0, 1], shaped like z.
        weight: factors of the terms, broadcast against them.
        reduction: 'mean', 'sum' or 'none'.
        pos_weight: factor of the terms t log σ(z), broadcast against them.

    Returns:
        The loss, shape (); for 'none' the terms.

    Raises:
        ArgumentError: if sizes differ, or the reduction is unknown.

    >>> sg.nn.functional.binary_cross_entropy_with_logits(sg.tensor([0.0, 0.0]), sg.tensor([0.0, 1.0]))
    tensor(0.6931)
    """
    check_reduction(reduction)
    _check_size_of_logits(input, target)
    op, args = (BCE_LOGITS, (input, target)) if pos_weight is None else (BCE_POSITIVE, (input, target, pos_weight))
    if weight is None and reduction != "none":
        return in_single(MapTotal.of(op, reduction == "mean", op.name), *args)
    terms = op(*args) if weight is None else MUL(op(*args), weight)
    return reduced(terms, reduction, op.name)
