"""Layers with weights of their own that are one function of ``nn.functional``: linear, embedding, convolutions."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, ClassVar

import numpy as np

from symgrad.core.modes import get_default_dtype, no_grad
from symgrad.errors import ArgumentError
from symgrad.nn import functional as F
from symgrad.nn.modules.module import Module
from symgrad.nn.parameter import Parameter
from symgrad.ops.nn.windows import each
from symgrad.support.arguments import check_all
from symgrad.tensors.random import randn


class _Weighted(Module):
    """A layer whose weight and bias are drawn from U(-1/√fan_in, 1/√fan_in), as torch draws them."""

    weight: Parameter
    bias: Parameter | None

    def _draw(self, shape: tuple[int, ...], bias: bool, dtype: Any) -> None:
        if not all(isinstance(n, (int, np.integer)) and n >= 0 for n in shape):
            raise ArgumentError(f"{type(self).__name__}: got sizes {list(shape)}. Expected integers, 0 or more.")
        dtype = get_default_dtype() if dtype is None else dtype
        self.weight = Parameter(np.zeros(shape, dtype))
        self.register_parameter("bias", Parameter(np.zeros(shape[0], dtype)) if bias else None)
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Draw weight and bias anew."""
        fan_in = math.prod(self.weight.shape[1:])
        bound = 1 / math.sqrt(fan_in) if fan_in > 0 else 0.0
        with no_grad():
            for p in self.parameters(recurse=False):
                p.uniform_(-bound, bound)


class Linear(_Weighted):
    """x Wᵀ + b, with W of shape (out_features, in_features).

    Args:
        in_features: the length of the last axis of x.
        out_features: that of the result.
        bias: whether there is b.
        device, dtype: the processor; the default dtype if none is given.

    >>> layer = sg.nn.Linear(3, 2)
    >>> layer(sg.zeros(5, 3)).shape, layer
    ((5, 2), Linear(in_features=3, out_features=2, bias=True))
    """

    def __init__(
        self, in_features: int, out_features: int, bias: bool = True, device: Any = None, dtype: Any = None
    ) -> None:
        super().__init__()
        self.in_features, self.out_features = in_features, out_features
        self._draw((out_features, in_features), bias, dtype)

    def forward(self, input: Any) -> Any:
        """Return x Wᵀ + b."""
        return F.linear(input, self.weight, self.bias)

    def extra_repr(self) -> str:
        return f"in_features={self.in_features}, out_features={self.out_features}, bias={self.bias is not None}"


class Embedding(Module):
    """Row i of a matrix for each integer i.

    Args:
        num_embeddings, embedding_dim: the shape of the matrix, drawn from N(0, 1).
        padding_idx: a row that starts at zero and gets no gradient.
        device, dtype: the processor; the default dtype if none is given.
    """

    def __init__(
        self, num_embeddings: int, embedding_dim: int, padding_idx: int | None = None, device: Any = None,
        dtype: Any = None,
    ) -> None:  # fmt: skip
        super().__init__()
        if padding_idx is not None and not -num_embeddings <= padding_idx < num_embeddings:
            raise ArgumentError(f"Padding_idx must be within num_embeddings. Got {padding_idx} of {num_embeddings}.")
        self.num_embeddings, self.embedding_dim = num_embeddings, embedding_dim
        self.padding_idx = None if padding_idx is None else padding_idx % num_embeddings
        self.weight = Parameter(randn(num_embeddings, embedding_dim, dtype=dtype))
        if self.padding_idx is not None:
            with no_grad():
                self.weight[self.padding_idx] = 0.0

    def forward(self, input: Any) -> Any:
        """Return the rows of these integers."""
        return F.embedding(input, self.weight, self.padding_idx)

    def extra_repr(self) -> str:
        padding = "" if self.padding_idx is None else f", padding_idx={self.padding_idx}"
        return f"{self.num_embeddings}, {self.embedding_dim}{padding}"


class _Conv(_Weighted):
    """What convolutions share: the sizes of the window along each axis."""

    axes = 0
    correlate: ClassVar[Callable[..., Any]]

    def __init__(
        self, in_channels: int, out_channels: int, kernel_size: Any, stride: Any = 1, padding: Any = 0,
        dilation: Any = 1, groups: int = 1, bias: bool = True, padding_mode: str = "zeros", device: Any = None,
        dtype: Any = None,
    ) -> None:  # fmt: skip
        super().__init__()
        if in_channels % groups or out_channels % groups:
            raise ArgumentError(
                "in_channels and out_channels must be divisible by groups. Got "
                f"{in_channels}, {out_channels}, {groups}."
            )
        if padding_mode != "zeros":
            raise ArgumentError(f"padding_mode: got {padding_mode!r}. Expected 'zeros'; pad with nn.functional.pad.")
        self.in_channels, self.out_channels, self.groups = in_channels, out_channels, groups
        self.kernel_size, self.stride, self.dilation = (self._each(v) for v in (kernel_size, stride, dilation))
        self.padding = padding if isinstance(padding, str) else self._each(padding)
        self._draw((out_channels, in_channels // groups, *self.kernel_size), bias, dtype)

    def _each(self, sizes: Any) -> tuple[int, ...]:
        return each(sizes, self.axes)

    def forward(self, input: Any) -> Any:
        """Return the correlations."""
        options = self.stride, self.padding, self.dilation, self.groups
        return type(self).correlate(input, self.weight, self.bias, *options)

    def extra_repr(self) -> str:
        usual = {"padding": self._each(0), "dilation": self._each(1), "groups": 1}
        chosen = [f", {name}={getattr(self, name)}" for name, value in usual.items() if getattr(self, name) != value]
        sizes = f"{self.in_channels}, {self.out_channels}, kernel_size={self.kernel_size}, stride={self.stride}"
        return sizes + "".join(chosen) + (", bias=False" if self.bias is None else "")


class Conv1d(_Conv):
    """Correlation of windows along one axis: (N, C, L) to (N, out_channels, L′). The arguments are torch's."""

    axes, correlate = 1, staticmethod(F.conv1d)


class Conv2d(_Conv):
    """Correlation of windows of images: (N, C, H, W) to (N, out_channels, H′, W′). The arguments are torch's.

    >>> sg.nn.Conv2d(1, 4, 3, padding=1)(sg.zeros(2, 1, 8, 8)).shape
    (2, 4, 8, 8)
    """

    axes, correlate = 2, staticmethod(F.conv2d)


class PReLU(Module):
    """x for x > 0, a x below, where a is learned: one number, or one for each channel."""

    def __init__(self, num_parameters: int = 1, init: float = 0.25, device: Any = None, dtype: Any = None) -> None:
        super().__init__()
        self.num_parameters = num_parameters
        self.weight = Parameter(np.full(num_parameters, init, get_default_dtype() if dtype is None else dtype))

    def forward(self, input: Any) -> Any:
        """Return x, with the slopes below 0 learned."""
        return F.prelu(input, self.weight)

    def extra_repr(self) -> str:
        return f"num_parameters={self.num_parameters}"


__all__ = ["Conv1d", "Conv2d", "Embedding", "Linear", "PReLU"]


check_all(globals(), __all__)
