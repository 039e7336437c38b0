"""Negative log likelihoods: of classes, given log probabilities or logits, and of numbers and distributions.

Class indices are data: they become a constant array of ones and zeros, t, and the loss is -Σ t log p. Where their
values are not known yet, the log probabilities are read at them.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import log, pi
from typing import Any, NamedTuple

import numpy as np
import sympy as sp

from symgrad.core.node import Shape
from symgrad.core.promotion import is_integer
from symgrad.errors import ArgumentError, DTypeError, IndexRangeError, ShapeError, ValueNeeded
from symgrad.ops.contract import sum_axes
from symgrad.ops.convert import Cast, in_single
from symgrad.ops.elementwise.declared import BINARY, CLAMP_MIN, where
from symgrad.ops.elementwise.guards import WEIGH
from symgrad.ops.indexing.gather import take_along_dim
from symgrad.ops.keys import is_unknown
from symgrad.ops.map import ADD, DIV, MUL, NEG, SUB, Map, broadcast_shapes, emap, show_shape
from symgrad.ops.nn.losses import _error, check_reduction, collected, reduced, sum_all, value_of
from symgrad.ops.protocol import Op, Traced, rename, shape
from symgrad.ops.reduction import bound_sum, dropped, float_of, is_float, lift, over
from symgrad.ops.reductions.softmax import LogSoftmax, Softmax, settled
from symgrad.ops.reductions.total import MapTotal
from symgrad.ops.shape import Expand, Reshape, total
from symgrad.ops.value import torch_dtype
from symgrad.scalars import X
from symgrad.support.frozen import frozen


@frozen
class Likelihood(Op):
    """-Σ t x along the class axis, where 0 · ∞ is 0: entries of weight 0 do not count."""

    axis: int
    name = "NllLoss"
    explained = "cross-entropy: what was predicted less what is true"

    def forward(self, x: Any, t: Any) -> Any:
        """Leave out the entries with t = 0."""
        return -np.sum(np.where(t == 0, 0, x) * t, axis=self.axis)

    def on_symbols(self, x: Any, t: Any) -> Any:
        """As the textbook writes it."""
        return -np.sum(x * t, axis=self.axis)

    def out_shape(self, *shapes: Shape) -> Shape:
        """The common shape without the class axis."""
        return dropped(broadcast_shapes(*shapes), (self.axis,))

    def decompose(self, x: Any, t: Any) -> Any:
        """The terms, those of weight 0 left out, and their sum."""
        terms = emap(sp.Piecewise((0, sp.Eq(X[1], 0)), (X[0], True)) * X[1], x, t)
        return NEG(sum_axes(terms, (self.axis,)))

    def vjp(self, i: int, g: Any, y: Any, x: Any, t: Any) -> Any:
        # x̄ = -ȳ t;  t̄ = -ȳ x
        g = lift(g, x, (self.axis,))
        return NEG(MUL(g, x) if i else WEIGH(g, t))

    def index(self, idx: Sequence[sp.Expr], px: Any, pt: Any) -> sp.Expr:
        """-Σ t_k x_k."""
        k, n = px.fresh(), px.shape[self.axis]
        full = [*idx[: self.axis], k, *idx[self.axis :]]
        return -bound_sum(px, pt(full) * px(full), [(k, 0, n - 1)])


@frozen
class CrossEntropy(Likelihood):
    """-Σ t log softmax(x) along the class axis. ``unit`` says that t sums to 1 wherever the result counts."""

    unit: bool = False

    def forward(self, x: Any, t: Any) -> Any:
        """Take the accurate logarithm of softmax."""
        return super().forward(LogSoftmax((self.axis,)).forward(x), t)

    def on_symbols(self, x: Any, t: Any) -> Any:
        """As the textbook writes it."""
        return super().on_symbols(LogSoftmax((self.axis,)).on_symbols(x), t)

    def decompose(self, x: Any, t: Any) -> Any:
        """Of the accurate logarithm of softmax."""
        return super().decompose(LogSoftmax((self.axis,))(x), t)

    def vjp(self, i: int, g: Any, y: Any, x: Any, t: Any) -> Any:
        # x̄ = ȳ (softmax(x) Σ t - t), Σ t = 1 for classes;  t̄ = -ȳ log softmax(x)
        g = lift(g, x, (self.axis,))
        if i:
            return NEG(MUL(g, LogSoftmax((self.axis,))(x)))
        p = Softmax((self.axis,))(x)
        slope = SUB(p if self.unit else MUL(p, sum_axes(t, (self.axis,), keepdim=True)), t)
        return WEIGH(g, settled(slope, p, (self.axis,)))

    def index(self, idx: Sequence[sp.Expr], px: Any, pt: Any) -> sp.Expr:
        """-Σ t_k (x_k - log Σ exp x_l)."""
        k, l, n = px.fresh(), px.fresh(), px.shape[self.axis]
        at = [[*idx[: self.axis], c, *idx[self.axis :]] for c in (k, l)]
        norm = sp.log(bound_sum(px, sp.exp(px(at[1])), [(l, 0, n - 1)]))
        return -bound_sum(px, pt(at[0]) * (px(at[0]) - norm), [(k, 0, n - 1)])


class _Classes(NamedTuple):
    """Class indices as data: ones and zeros, and the weight of each sample (None where all are 1)."""

    onehot: Any
    weights: Any


# ------------------------------------------------------------------ of classes
def nll_loss(input: Any, target: Any, weight: Any = None, *, ignore_index: int = -100, reduction: str = "mean") -> Any:
    """Return -Σ w_t x_t / Σ w_t over samples, where x_t is the log probability of the sample's class t.

    Derivative with respect to x: -w_t / Σ w_t at the sample's class, 0 elsewhere.

    Args:
        input: log probabilities, (C,), (N, C) or (N, C, …).
        target: classes 0..C-1, (), (N,) or (N, …), without derivative.
        weight: weight of each class, (C,); the loss is differentiated with respect to it too.
        ignore_index: a class whose samples are ignored.
        reduction: 'mean', 'sum' or 'none'.

    Returns:
        The loss, shape (); for 'none' the terms, shaped like target.

    Raises:
        IndexRangeError: if a class lies outside 0..C-1.
        ShapeError, ArgumentError: if sizes differ.

    >>> sg.nn.functional.nll_loss(sg.tensor([[-1.0, -2.0]]), sg.tensor([1]))
    tensor(2.)
    """
    check_reduction(reduction)
    axis = _class_axis(input)
    if is_unknown(target):
        return _of_unknown(input, target, weight, ignore_index, reduction, 0.0, axis)
    classes = _classes(input, target, weight, ignore_index, axis)
    return _averaged(Likelihood(axis)(input, classes.onehot), classes, reduction, len(shape(input)))


def cross_entropy(
    input: Any, target: Any, weight: Any = None, *, ignore_index: int = -100, reduction: str = "mean",
    label_smoothing: float = 0.0,
) -> Any:  # fmt: skip
    """Return -Σ w_t log softmax(x)_t / Σ w_t over samples with classes t, or -Σ t log softmax(x) / N for probabilities.

    Derivative of a sample with respect to x: softmax(x) - t, with t one at the class and zero elsewhere.

    Args:
        input: logits x, (C,), (N, C) or (N, C, …).
        target: classes 0..C-1, (), (N,) or (N, …), without derivative; or probabilities shaped like x.
        weight: weight of each class, (C,); the loss is differentiated with respect to it too.
        ignore_index: a class whose samples are ignored.
        reduction: 'mean', 'sum' or 'none'.
        label_smoothing: ε in [0, 1], which replaces t by (1 - ε) t + ε/C.

    Returns:
        The loss, shape (); for 'none' the terms, one per sample.

    Raises:
        IndexRangeError: if a class lies outside 0..C-1.
        ShapeError, ArgumentError: if sizes differ.

    >>> sg.nn.functional.cross_entropy(sg.tensor([[0.0, 0.0]]), sg.tensor([1]))
    tensor(0.6931)
    """
    check_reduction(reduction)
    if not 0 <= label_smoothing <= 1:
        raise ArgumentError(f"label_smoothing must be between 0.0 and 1.0. Got: {label_smoothing}. Pass 0 for none.")
    axis = _class_axis(input)
    if shape(target) == shape(input):
        return _of_probabilities(input, target, weight, ignore_index, reduction, label_smoothing, axis)
    if is_unknown(target):
        logs = LogSoftmax((axis,))(input)
        return _of_unknown(logs, target, weight, ignore_index, reduction, label_smoothing, axis)
    classes = _classes(input, target, weight, ignore_index, axis)
    ndim = len(shape(input))
    if label_smoothing == 0:
        return _averaged(CrossEntropy(axis, unit=True)(input, classes.onehot), classes, reduction, ndim)
    counted = np.sum(classes.onehot, axis=axis, keepdims=True)
    t = (1 - label_smoothing) * classes.onehot + counted * (label_smoothing / shape(input)[axis])
    if weight is not None:
        t = MUL(t, _along(weight, input, axis))
    terms = CrossEntropy(axis, unit=weight is None and bool(np.all(counted == 1)))(input, t)
    return reduced(terms, reduction, _name(ndim), _counted(classes))


def _of_probabilities(
    x: Any, t: Any, weight: Any, ignore_index: int, reduction: str, smoothing: float, axis: int
) -> Any:
    if not is_float(t):
        raise DTypeError(
            f"Expected floating point type for target with class probabilities, got {torch_dtype(t)}. "
            "Pass classes without the class axis, or probabilities as floats."
        )
    if ignore_index >= 0:
        raise ArgumentError(
            f"ignore_index is not supported for floating point target. Got {ignore_index}; set those rows to 0 instead."
        )
    if smoothing:
        t = ADD(MUL(t, 1 - smoothing), smoothing / shape(x)[axis])
    if weight is not None:
        t = MUL(t, _along(weight, x, axis))
    return reduced(CrossEntropy(axis)(x, t), reduction, _name(len(shape(x))))


def _of_unknown(
    logs: Any, target: Any, weight: Any, ignore_index: int, reduction: str, smoothing: float, axis: int
) -> Any:
    """The loss of log probabilities for classes that are not known yet: Σ w_t (-(1 - ε) x_t) - ε/C Σ w_c x_c."""
    s = shape(logs)
    _check_target(s, target)
    target = Reshape(dropped(s, (axis,)))(target)
    counted = BINARY["ne"](target, ignore_index)
    at = Reshape((*shape(target)[:axis], 1, *shape(target)[axis:]))(where(counted, target, 0))
    logs = logs if is_float(logs) else Cast(float_of(logs))(logs)
    each = None if weight is None else Expand(s)(_along(weight, logs, axis))
    terms = NEG(_picked(logs, at, axis))
    weights = counted if each is None else where(counted, _picked(each, at, axis), 0.0)
    if each is not None:
        terms = MUL(terms, weights)
    if smoothing:
        spread = sum_axes(logs if each is None else MUL(logs, each), (axis,))
        terms = SUB(MUL(terms, 1 - smoothing), MUL(spread, smoothing / s[axis]))
    terms = where(counted, terms, 0.0)
    if reduction != "mean":
        return reduced(terms, reduction, _name(len(s)))
    return rename(DIV(sum_all(terms), sum_all(Cast(terms.dtype)(weights))), _name(len(s)))


def _picked(x: Any, at: Any, axis: int) -> Any:
    return sum_axes(take_along_dim(x, at, axis), (axis,))


def _averaged(terms: Any, classes: _Classes, reduction: str, ndim: int) -> Any:
    if classes.weights is None:
        return reduced(terms, reduction, _name(ndim))
    return reduced(WEIGH(terms, classes.weights), reduction, _name(ndim), _counted(classes))


def _counted(classes: _Classes) -> Any:
    """The sum of the samples' weights; None where all are 1."""
    w = classes.weights
    if w is None or isinstance(w, Traced):
        return w if w is None else sum_all(w)
    return float(np.sum(w))


def _name(ndim: int) -> str:
    return "NllLoss" if ndim <= 2 else "NllLoss2D"


def _class_axis(x: Any) -> int:
    s = shape(x)
    if not s:
        raise ShapeError("Expected an input with a class axis. Got shape []; pass (C,), (N, C) or (N, C, …).")
    return 0 if len(s) == 1 else 1


def _along(weight: Any, x: Any, axis: int) -> Any:
    """Give the class weights the axes and the dtype of x."""
    n, ndim = shape(x)[axis], len(shape(x))
    if shape(weight) != (n,):
        raise ShapeError(
            f"weight tensor should be defined either for all {n} classes or no classes but got weight tensor "
            f"of shape: {show_shape(shape(weight))}. Pass one weight per class."
        )
    to = tuple(n if a == axis else 1 for a in range(ndim))
    if _is_recorded(weight):
        return Cast(float_of(x))(Reshape(to)(weight))
    return np.reshape(value_of(weight), to).astype(float_of(x))


def _is_recorded(weight: Any) -> bool:
    """Whether the weights are differentiated, or have no values yet."""
    return getattr(weight, "_node", None) is not None


def _classes(x: Any, target: Any, weight: Any, ignore_index: int, axis: int) -> _Classes:
    t = value_of(target)
    if t is None:
        raise ValueNeeded(
            "Class indices are data and need values; this target is a symbol. Pass probabilities shaped like the input."
        )
    s, t = shape(x), np.asarray(t)
    _check_target(s, t)
    t = t.reshape(dropped(s, (axis,)))
    counted = t != ignore_index
    _check_range(t[counted], s[axis])
    classes = np.arange(s[axis]).reshape([-1 if a == axis else 1 for a in range(len(s))])
    onehot = ((np.expand_dims(t, axis) == classes) & np.expand_dims(counted, axis)).astype(float_of(x))
    if weight is not None:
        return _Classes(onehot, sum_axes(MUL(onehot, _along(weight, x, axis)), (axis,)))
    return _Classes(onehot, None if counted.all() else counted.astype(onehot.dtype))


def _check_range(t: Any, n: int) -> None:
    outside = t[(t < 0) | (t >= n)]
    if outside.size:
        raise IndexRangeError(f"Target {outside[0]} is out of bounds. Expected classes 0 to {n - 1}.")


def _check_target(s: Shape, t: Any) -> None:
    expected = dropped(s, (1,)) if len(s) > 1 else ()
    if len(s) > 1 and (not t.ndim or t.shape[0] != s[0]):
        raise ArgumentError(
            f"Expected input batch_size ({s[0]}) to match target batch_size ({t.shape[0] if t.ndim else 1}). "
            f"Got input {show_shape(s)} and target {show_shape(t.shape)}."
        )
    if not is_integer(t.dtype):
        raise DTypeError(
            f"expected target dtype to be Long or Byte, but got {torch_dtype(t)}. Pass classes as integers; "
            f"cross_entropy also takes probabilities of shape {show_shape(s)}."
        )
    if len(s) <= 2 and t.ndim > 1:
        raise ShapeError(
            "0D or 1D target tensor expected, multi-target not supported. "
            f"Got {show_shape(t.shape)}; pass probabilities of shape {show_shape(s)} instead."
        )
    if t.shape != expected and not (len(s) == 1 and t.shape == (1,)):
        raise ShapeError(
            f"Expected target size {show_shape(expected)}, got {show_shape(t.shape)}. Pass one class for each sample."
        )


# ------------------------------------------------------------------ of numbers and distributions
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


def kl_div(input: Any, target: Any, *, reduction: str = "mean", log_target: bool = False) -> Any:
    """Return Σ t (log t - x): the Kullback-Leibler divergence of probabilities t from log probabilities x.

    Derivative with respect to x: -t.

    Args:
        input: log probabilities x, any shape.
        target: probabilities t, broadcast against x; 0 log 0 is 0.
        reduction: 'batchmean' (the sum over the size of the first axis), 'mean', 'sum' or 'none'.
        log_target: whether the target contains log t.

    Returns:
        The loss, shape (); for 'none' the terms.

    Raises:
        ArgumentError: if the reduction is unknown.

    >>> sg.nn.functional.kl_div(sg.log(sg.tensor([0.5, 0.5])), sg.tensor([1.0, 0.0]), reduction="sum")
    tensor(0.6931)
    """
    op = LOG_DIVERGENCE if log_target else DIVERGENCE
    if reduction != "batchmean":
        return collected(op, (input, target), reduction)
    added = MapTotal.of(op, False, op.name)
    if not shape(input):
        return added(input, target)
    return rename(in_single(lambda x, t: DIV(added(x, t), shape(x)[0]), input, target), "KlDiv")


def gaussian_nll_loss(
    input: Any, target: Any, var: Any, full: bool = False, eps: float = 1e-6, reduction: str = "mean"
) -> Any:
    """Return Σ (log v + (x - t)²/v) / (2n) with v = max(var, ε): the negative log density of normal distributions.

    Args:
        input: means x, any shape.
        target: t, broadcast against x.
        var: variances, shaped like x, or without its last axis, or with one entry there; or a number.
        full: whether to add the constant log(2π)/2 to each term.
        eps: the smallest variance.
        reduction: 'mean', 'sum' or 'none'.

    Returns:
        The loss, shape (); for 'none' the terms.

    Raises:
        ArgumentError: if a variance is negative, its shape does not fit, or the reduction is unknown.

    >>> sg.nn.functional.gaussian_nll_loss(sg.tensor([1.0]), sg.tensor([3.0]), sg.tensor([4.0]))
    tensor(1.1931)
    """
    check_reduction(reduction)
    var = _fitting(var, shape(input))
    value = value_of(var)
    if value is not None and np.any(np.asarray(value) < 0):
        raise ArgumentError(f"var has negative entry/entries. Got {np.min(value)}; pass variances, as in s**2.")
    terms = GAUSSIAN(input, target, CLAMP_MIN(var, eps))
    return _over_all(ADD(terms, log(2 * pi) / 2) if full else terms, reduction)


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
    if reduction == "sum":
        return sum_all(terms)
    return rename(in_single(lambda x: over(sum_all(x), total(shape(x))), terms), "Mean")


def poisson_nll_loss(
    input: Any, target: Any, log_input: bool = True, *, full: bool = False, eps: float = 1e-8, reduction: str = "mean"
) -> Any:
    """Return the negative log-likelihood of Poisson counts t: Σ (eˣ - t x) / n, or Σ (x - t log(x + ε)) / n of rates.

    Args:
        input: x, the logarithm of the rate, any shape; or the rate if log_input is False.
        target: counts t, broadcast against x.
        log_input: whether the input contains logarithms.
        full: whether to add Stirling's approximation t log t - t + log(2π t)/2 where t > 1.
        eps: ε.
        reduction: 'mean', 'sum' or 'none'.

    Returns:
        The loss, shape (); for 'none' the terms.

    Raises:
        ArgumentError: if the reduction is unknown.

    >>> sg.nn.functional.poisson_nll_loss(sg.tensor([0.0]), sg.tensor([2.0]))
    tensor(1.)
    """
    op, args = (POISSON_LOG, (input, target)) if log_input else (POISSON, (input, target, eps))
    if not full:
        return collected(op, args, reduction)
    check_reduction(reduction)
    return _over_all(ADD(op(*args), STIRLING(target)), reduction)
