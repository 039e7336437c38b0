"""Losses of predictions that are numbers: robust errors, Kullback-Leibler, Gaussian and Poisson likelihoods.

Each is one elementwise function and its sum or mean.
"""

from __future__ import annotations

import warnings
from math import log, pi
from typing import Any

import numpy as np
import sympy as sp

from symgrad.errors import ArgumentError
from symgrad.ops.elementwise.declared import CLAMP_MIN
from symgrad.ops.map import ADD, DIV, Map, show_shape
from symgrad.ops.nn.losses import ABSOLUTE_ERROR, check_reduction, show_size, sum_all, value_of
from symgrad.ops.protocol import rename, shape
from symgrad.ops.reduction import over
from symgrad.ops.reductions.total import MapTotal
from symgrad.ops.shape import Reshape, total
from symgrad.scalars import X


def _error() -> Any:
    """x - t, made when it is first asked for: importing does no SymPy arithmetic."""
    return X[0] - X[1]


SMOOTH_L1 = Map(
    lambda: sp.Piecewise((_error()**2 / (2 * X[2]), sp.Abs(_error()) < X[2]), (sp.Abs(_error()) - X[2] / 2, True)),
    3, "SmoothL1Loss",
)  # fmt: skip
HUBER = Map(
    lambda: sp.Piecewise((_error()**2 / 2, sp.Abs(_error()) < X[2]), (X[2] * (sp.Abs(_error()) - X[2] / 2), True)),
    3, "HuberLoss",
)  # fmt: skip
# 0 log 0 is 0: the logarithm of 1 is taken there
DIVERGENCE = Map(lambda: X[1] * (sp.log(sp.Piecewise((X[1], X[1] > 0), (1, True))) - X[0]), 2, "KlDiv")
LOG_DIVERGENCE = Map(lambda: sp.exp(X[1]) * (X[1] - X[0]), 2, "KlDiv")
GAUSSIAN = Map(lambda: (sp.log(X[2]) + _error() ** 2 / X[2]) / 2, 3, "GaussianNllLoss")
POISSON_LOG = Map(lambda: sp.exp(X[0]) - X[1] * X[0], 2, "PoissonNllLoss")
POISSON = Map(lambda: X[0] - X[1] * sp.log(X[0] + X[2]), 3, "PoissonNllLoss")
STIRLING = Map(
    lambda: sp.Piecewise((X[0] * sp.log(X[0]) - X[0] + sp.log(2 * sp.pi * X[0]) / 2, X[0] > 1), (0, True)),
    1, "Stirling",
)  # fmt: skip


def collected(op: Map, args: tuple[Any, ...], reduction: str) -> Any:
    """Return the terms of a loss, their sum or their mean."""
    check_reduction(reduction)
    return op(*args) if reduction == "none" else MapTotal.of(op, reduction == "mean", op.name)(*args)


def _warn_of_broadcasting(x: Any, t: Any) -> None:
    if shape(x) != shape(t):
        warnings.warn(
            f"Using a target size ({show_size(t)}) that is different to the input size ({show_size(x)}). "
            "This will likely lead to incorrect results due to broadcasting. "
            "Please ensure they have the same size.",
            stacklevel=4,
        )


# ------------------------------------------------------------------ errors that are squared only where small
def smooth_l1_loss(input: Any, target: Any, *, reduction: str = "mean", beta: float = 1.0) -> Any:
    """Σ (x - t)²/(2β) where |x - t| < β, |x - t| - β/2 beyond, over n.

    Derivative in x of a term: (x - t)/β, cut to [-1, 1].

    Args:
        input: predictions x, any shape.
        target: t, the shape of x; another shape broadcasts with a warning.
        reduction: 'mean', 'sum' or 'none'.
        beta: β ≥ 0; 0 is the absolute error.

    Returns:
        The loss, shape (); for 'none' the terms.

    Raises:
        ArgumentError: another reduction, or a negative β.

    >>> sg.nn.functional.smooth_l1_loss(sg.tensor([0.5, 3.0]), sg.tensor([0.0, 0.0]), reduction="none")
    tensor([0.1250, 2.5000])
    """
    _warn_of_broadcasting(input, target)
    if beta < 0:
        raise ArgumentError(f"smooth_l1_loss does not support negative values for beta. Got {beta}; pass β ≥ 0.")
    if beta == 0:
        return collected(ABSOLUTE_ERROR, (input, target), reduction)
    return collected(SMOOTH_L1, (input, target, beta), reduction)


def huber_loss(input: Any, target: Any, *, reduction: str = "mean", delta: float = 1.0) -> Any:
    """Σ (x - t)²/2 where |x - t| < δ, δ (|x - t| - δ/2) beyond, over n.

    Derivative in x of a term: x - t, cut to [-δ, δ].

    Args:
        input: predictions x, any shape.
        target: t, the shape of x; another shape broadcasts with a warning.
        reduction: 'mean', 'sum' or 'none'.
        delta: δ > 0.

    Returns:
        The loss, shape (); for 'none' the terms.

    Raises:
        ArgumentError: another reduction, or δ ≤ 0.

    >>> sg.nn.functional.huber_loss(sg.tensor([0.5, 3.0]), sg.tensor([0.0, 0.0]), reduction="none")
    tensor([0.1250, 2.5000])
    """
    _warn_of_broadcasting(input, target)
    if delta <= 0:
        raise ArgumentError(f"huber_loss does not support non-positive values for delta. Got {delta}; pass δ > 0.")
    return collected(HUBER, (input, target, delta), reduction)


# ------------------------------------------------------------------ likelihoods
def kl_div(input: Any, target: Any, *, reduction: str = "mean", log_target: bool = False) -> Any:
    """Σ t (log t - x), the Kullback-Leibler divergence of probabilities t from log probabilities x.

    Derivative in x: -t.

    Args:
        input: log probabilities x, any shape.
        target: probabilities t, broadcast against x; 0 log 0 is 0.
        reduction: 'batchmean' (the sum over the size of the first axis), 'mean', 'sum' or 'none'.
        log_target: whether target holds log t.

    Returns:
        The loss, shape (); for 'none' the terms.

    Raises:
        ArgumentError: another reduction.

    >>> sg.nn.functional.kl_div(sg.log(sg.tensor([0.5, 0.5])), sg.tensor([1.0, 0.0]), reduction="sum")
    tensor(0.6931)
    """
    op = LOG_DIVERGENCE if log_target else DIVERGENCE
    if reduction != "batchmean":
        return collected(op, (input, target), reduction)
    added = MapTotal.of(op, False, op.name)(input, target)
    return rename(DIV(added, shape(input)[0]), "KlDiv") if shape(input) else added


def gaussian_nll_loss(
    input: Any, target: Any, var: Any, full: bool = False, eps: float = 1e-6, reduction: str = "mean"
) -> Any:
    """Σ (log v + (x - t)²/v) / 2 over n, v = max(var, ε): minus the logarithm of a normal density.

    Args:
        input: means x, any shape.
        target: t, broadcast against x.
        var: variances, shaped like x, or without its last axis, or with one entry there; or a number.
        full: add the constant log(2π)/2 to each term.
        eps: the least variance.
        reduction: 'mean', 'sum' or 'none'.

    Returns:
        The loss, shape (); for 'none' the terms.

    Raises:
        ArgumentError: a variance is negative, its shape does not fit, or another reduction.

    >>> sg.nn.functional.gaussian_nll_loss(sg.tensor([1.0]), sg.tensor([3.0]), sg.tensor([4.0]))
    tensor(1.1931)
    """
    check_reduction(reduction)
    var = _fitting(var, shape(input))
    value = value_of(var)
    if value is not None and np.any(np.asarray(value) < 0):
        raise ArgumentError(f"var has negative entry/entries. Got {np.min(value)}; pass variances, as in s**2.")
    terms = GAUSSIAN(input, target, CLAMP_MIN(var, eps))
    if full:
        terms = ADD(terms, log(2 * pi) / 2)
    return _over_all(terms, reduction)


def _fitting(var: Any, s: Any) -> Any:
    have = shape(var)
    if have in ((), s) or have == (*s[:-1], 1):
        return var
    if have == s[:-1]:
        return Reshape((*have, 1))(var)
    raise ArgumentError(
        f"var is of incorrect size. Got {show_shape(have)} for means {show_shape(s)}; pass {show_shape(s)} "
        f"or {show_shape((*s[:-1], 1))}."
    )


def _over_all(terms: Any, reduction: str) -> Any:
    if reduction == "none":
        return terms
    added = sum_all(terms)
    return added if reduction == "sum" else rename(over(added, total(shape(terms))), "Mean")


def poisson_nll_loss(
    input: Any, target: Any, log_input: bool = True, *, full: bool = False, eps: float = 1e-8, reduction: str = "mean"
) -> Any:
    """Σ eˣ - t x, or Σ x - t log(x + ε), over n: minus the logarithm of a Poisson probability of t.

    Args:
        input: logarithm of the rate, any shape; the rate where log_input is false.
        target: counts t, broadcast against x.
        log_input: whether input holds logarithms.
        full: add Stirling's t log t - t + log(2π t)/2 where t > 1.
        eps: ε.
        reduction: 'mean', 'sum' or 'none'.

    Returns:
        The loss, shape (); for 'none' the terms.

    Raises:
        ArgumentError: another reduction.

    >>> sg.nn.functional.poisson_nll_loss(sg.tensor([0.0]), sg.tensor([2.0]))
    tensor(1.)
    """
    op, args = (POISSON_LOG, (input, target)) if log_input else (POISSON, (input, target, eps))
    if not full:
        return collected(op, args, reduction)
    check_reduction(reduction)
    return _over_all(ADD(op(*args), STIRLING(target)), reduction)
