"""A softmax for many classes: frequent classes come first, the others are in clusters of lower dimension."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any, NamedTuple

from symgrad.engine.record import as_tensor
from symgrad.errors import ArgumentError, ShapeError
from symgrad.functions import argmax, cat, gather
from symgrad.nn import functional as F
from symgrad.nn.modules.containers import ModuleList, Sequential
from symgrad.nn.modules.layers import Linear
from symgrad.nn.modules.module import Module
from symgrad.ops.map import show_shape
from symgrad.support.arguments import check_all, is_whole


class AdaptiveOutput(NamedTuple):
    """The log-probability of each sample's class, and their negative mean."""

    output: Any
    loss: Any


class AdaptiveLogSoftmaxWithLoss(Module):
    """The logarithm of a softmax over n_classes classes, sorted by frequency and grouped into clusters.

    The head predicts the most frequent classes and the clusters; each cluster has a smaller network of its own.

    Args:
        in_features: the length of a sample.
        n_classes: the number of classes; the most frequent come first.
        cutoffs: the first class of each cluster, increasing and below n_classes.
        div_value: the factor by which the vectors of each cluster are shorter than those of the previous one.
        head_bias: whether the head has a bias.
        device, dtype: the device, which is the CPU, and the dtype of the parameters, by default the default dtype.

    Raises:
        ArgumentError: if the cutoffs do not increase, or exceed the number of classes.

    Source: Grave et al. 2017, "Efficient softmax approximation for GPUs".

    >>> m = sg.nn.AdaptiveLogSoftmaxWithLoss(4, 10, [3, 6])
    >>> m(sg.zeros(2, 4), sg.tensor([0, 8])).output.shape, m.log_prob(sg.zeros(2, 4)).shape
    ((2,), (2, 10))
    """

    def __init__(
        self, in_features: int, n_classes: int, cutoffs: Sequence[int], div_value: float = 4.0, head_bias: bool = False,
        device: Any = None, dtype: Any = None,
    ) -> None:  # fmt: skip
        super().__init__()
        ends = list(cutoffs)
        if not ends or not all(map(is_whole, ends)) or any(b <= a for a, b in pairwise([0, *ends, n_classes])):
            raise ArgumentError(
                "cutoffs should be a sequence of unique, positive integers sorted in an increasing order, where each "
                f"value is between 1 and n_classes-1. Got {ends} for {n_classes} classes."
            )
        self.in_features, self.n_classes, self.cutoffs = in_features, n_classes, [*ends, n_classes]
        self.div_value, self.head_bias = div_value, head_bias
        self.shortlist_size, self.n_clusters = ends[0], len(ends)
        self.head_size = self.shortlist_size + self.n_clusters
        self.head = Linear(in_features, self.head_size, head_bias, device, dtype)
        self.tail = ModuleList()
        for k, (start, end) in enumerate(pairwise(self.cutoffs), 1):
            size = int(in_features // div_value**k)
            inner = Linear(in_features, size, False, device, dtype), Linear(size, end - start, False, device, dtype)
            self.tail.append(Sequential(*inner))

    def forward(self, input_: Any, target_: Any) -> AdaptiveOutput:
        """Return the log-probabilities of the samples' classes, and their negative mean."""
        x, target = as_tensor(input_), as_tensor(target_)
        if x.shape[:-1] != target.shape or target.ndim > 1:
            raise ShapeError(
                "Input and target should have the same size in the batch dimension. Got "
                f"{show_shape(x.shape)} and {show_shape(target.shape)}."
            )
        output = gather(self.log_prob(x), -1, target[..., None])[..., 0]
        return AdaptiveOutput(output, -output.mean())

    def log_prob(self, input: Any) -> Any:
        """Return the log-probabilities of all classes, (N, n_classes)."""
        head = F.log_softmax(self.head(input), -1)
        first = self.shortlist_size
        others = [F.log_softmax(t(input), -1) + head[..., first + k, None] for k, t in enumerate(self.tail)]
        return cat([head[..., :first], *others], -1)

    def predict(self, input: Any) -> Any:
        """Return the most likely class of each sample."""
        return argmax(self.log_prob(input), -1)


__all__ = ["AdaptiveLogSoftmaxWithLoss"]


check_all(globals(), __all__)
