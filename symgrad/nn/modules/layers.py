"""Layers with weights, each a call of one function of ``nn.functional``: linear, embeddings, convolutions."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, ClassVar

import numpy as np

from symgrad.core.modes import get_default_dtype, no_grad
from symgrad.errors import ArgumentError, ShapeError
from symgrad.nn import functional as F
from symgrad.nn.modules.module import Module
from symgrad.nn.parameter import Parameter
from symgrad.ops.nn.windows import each
from symgrad.support.arguments import check_all, is_whole
from symgrad.tensors.random import randn


class _Weighted(Module):
    """A layer whose weight and bias are drawn from U(-1/√fan_in, 1/√fan_in), as in PyTorch."""

    weight: Parameter
    bias: Parameter | None

    def _draw(self, shape: tuple[int, ...], bias: bool, dtype: Any, outputs: int | None = None) -> None:
        if not all(isinstance(n, (int, np.integer)) and n >= 0 for n in shape):
            raise ArgumentError(f"{type(self).__name__}: got sizes {list(shape)}. Expected integers, 0 or more.")
        dtype = get_default_dtype() if dtype is None else dtype
        self.weight = Parameter(np.zeros(shape, dtype))
        self.register_parameter(
            "bias", Parameter(np.zeros(shape[0] if outputs is None else outputs, dtype)) if bias else None
        )
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Draw new weights and biases."""
        fan_in = self._fan_in()
        bound = 1 / math.sqrt(fan_in) if fan_in > 0 else 0.0
        with no_grad():
            for p in self.parameters(recurse=False):
                p.uniform_(-bound, bound)

    def _fan_in(self) -> int:
        return math.prod(self.weight.shape[1:])


class Linear(_Weighted):
    """A linear layer: x Wᵀ + b, with W of shape (out_features, in_features).

    Args:
        in_features: the length of the last axis of x.
        out_features: the length of the last axis of the result.
        bias: whether the layer has b.
        device, dtype: the device, which is the CPU, and the dtype of the parameters, by default the default dtype.

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


class Bilinear(_Weighted):
    """A bilinear layer: x₁ᵀ Wₖ x₂ + bₖ for each k, with W of shape (out_features, in1_features, in2_features)."""

    def __init__(
        self, in1_features: int, in2_features: int, out_features: int, bias: bool = True, device: Any = None,
        dtype: Any = None,
    ) -> None:  # fmt: skip
        super().__init__()
        if in1_features <= 0:
            raise ArgumentError(f"in1_features must be > 0, but got {in1_features}.")
        self.in1_features, self.in2_features, self.out_features = in1_features, in2_features, out_features
        self._draw((out_features, in1_features, in2_features), bias, dtype)

    def _fan_in(self) -> int:
        return self.in1_features

    def forward(self, input1: Any, input2: Any) -> Any:
        """Return x₁ᵀ W x₂ + b."""
        return F.bilinear(input1, input2, self.weight, self.bias)

    def extra_repr(self) -> str:
        return (
            f"in1_features={self.in1_features}, in2_features={self.in2_features}, out_features={self.out_features}, "
            f"bias={self.bias is not None}"
        )


class _Table(Module):
    """Base class of Embedding and EmbeddingBag: a matrix, drawn from N(0, 1), whose rows are looked up."""

    _shown: ClassVar[dict[str, Any]] = {  # options that are printed where they are others
        "padding_idx": None, "max_norm": None, "norm_type": 2.0, "scale_grad_by_freq": False, "sparse": False,
    }  # fmt: skip

    def _fill(self, padding_idx: int | None, weight: Any, dtype: Any, **options: Any) -> None:
        n, size = self.num_embeddings, self.embedding_dim
        if not (is_whole(n) and is_whole(size) and n >= 0 and size >= 0):
            raise ArgumentError(f"{type(self).__name__}: got sizes {[n, size]}. Expected integers, 0 or more.")
        if padding_idx is not None and not -n <= padding_idx < n:
            raise ArgumentError(f"Padding_idx must be within num_embeddings. Got {padding_idx} of {n}.")
        self.padding_idx = None if padding_idx is None else padding_idx % n
        for name, value in options.items():
            setattr(self, name, value)
        if weight is not None and tuple(weight.shape) != (n, size):
            raise ShapeError(f"Shape of weight {tuple(weight.shape)} does not match num_embeddings and embedding_dim.")
        self.weight = Parameter(randn(n, size, dtype=dtype) if weight is None else weight)
        if self.padding_idx is not None and weight is None:
            with no_grad():
                self.weight[self.padding_idx] = 0.0

    num_embeddings: int
    embedding_dim: int

    def reset_parameters(self) -> None:
        """Draw a new matrix."""
        with no_grad():
            self.weight.normal_()
            if self.padding_idx is not None:
                self.weight[self.padding_idx] = 0.0

    @classmethod
    def from_pretrained(cls, embeddings: Any, freeze: bool = True, **options: Any) -> Any:
        """Create the layer from a matrix (n, d), which is learned only with ``freeze=False``."""
        if embeddings.ndim != 2:
            raise ShapeError(f"Embeddings parameter is expected to be 2-dimensional. Got {embeddings.ndim} axes.")
        table: Any = cls(*embeddings.shape, **options, _weight=embeddings)  # type: ignore[call-arg]
        table.weight.requires_grad_(not freeze)
        return table

    def extra_repr(self) -> str:
        chosen = [f", {k}={getattr(self, k)!r}" for k, usual in self._shown.items() if getattr(self, k) != usual]
        return f"{self.num_embeddings}, {self.embedding_dim}{''.join(chosen)}"


class Embedding(_Table):
    """Look up the row of a matrix for each integer.

    Args:
        num_embeddings, embedding_dim: the shape of the matrix, drawn from N(0, 1).
        padding_idx: a row that starts at zero and receives no gradient.
        max_norm, norm_type: the largest allowed p-norm and its p. Longer rows that are read are first scaled to
            this norm, in the weight itself.
        scale_grad_by_freq: whether to divide the gradient of a row by the number of times it is read.
        sparse: must be False, because gradients are dense.
        device, dtype: the device, which is the CPU, and the dtype of the parameters, by default the default dtype.
    """

    def __init__(
        self, num_embeddings: int, embedding_dim: int, padding_idx: int | None = None, max_norm: float | None = None,
        norm_type: float = 2.0, scale_grad_by_freq: bool = False, sparse: bool = False, _weight: Any = None,
        _freeze: bool = False, device: Any = None, dtype: Any = None,
    ) -> None:  # fmt: skip
        super().__init__()
        self.num_embeddings, self.embedding_dim = num_embeddings, embedding_dim
        options = {"max_norm": max_norm, "norm_type": norm_type, "scale_grad_by_freq": scale_grad_by_freq}
        self._fill(padding_idx, _weight, dtype, sparse=sparse, **options)
        self.weight.requires_grad_(not _freeze)

    def forward(self, input: Any) -> Any:
        """Return the rows at the given integers."""
        options = self.max_norm, self.norm_type, self.scale_grad_by_freq, self.sparse
        return F.embedding(input, self.weight, self.padding_idx, *options)


class EmbeddingBag(_Table):
    """The sum, mean or maximum of the rows of a matrix in each bag of indices.

    Args:
        num_embeddings, embedding_dim: the shape of the matrix, drawn from N(0, 1).
        max_norm, norm_type, scale_grad_by_freq, sparse, padding_idx: see Embedding.
        mode: 'sum', 'mean' or 'max'.
        include_last_offset: whether the last offset is the end of the last bag.
        device, dtype: the device, which is the CPU, and the dtype of the parameters, by default the default dtype.

    >>> sg.nn.EmbeddingBag(10, 3)(sg.tensor([1, 2, 4, 5]), sg.tensor([0, 3])).shape
    (2, 3)
    """

    _shown: ClassVar[dict[str, Any]] = {
        "max_norm": None, "norm_type": 2.0, "scale_grad_by_freq": False, "mode": "", "padding_idx": None,
    }  # fmt: skip

    def __init__(
        self, num_embeddings: int, embedding_dim: int, max_norm: float | None = None, norm_type: float = 2.0,
        scale_grad_by_freq: bool = False, mode: str = "mean", sparse: bool = False, _weight: Any = None,
        include_last_offset: bool = False, padding_idx: int | None = None, device: Any = None, dtype: Any = None,
    ) -> None:  # fmt: skip
        super().__init__()
        self.num_embeddings, self.embedding_dim = num_embeddings, embedding_dim
        options = {"max_norm": max_norm, "norm_type": norm_type, "scale_grad_by_freq": scale_grad_by_freq}
        self._fill(padding_idx, _weight, dtype, sparse=sparse, **options)
        self.mode, self.include_last_offset = mode, include_last_offset

    def forward(self, input: Any, offsets: Any = None, per_sample_weights: Any = None) -> Any:
        """Return one vector for each bag."""
        options = self.max_norm, self.norm_type, self.scale_grad_by_freq, self.mode, self.sparse
        end = self.include_last_offset, self.padding_idx
        return F.embedding_bag(input, self.weight, offsets, *options, per_sample_weights, *end)


class _Windows(_Weighted):
    """Base class of convolutions and transposed convolutions: the sizes of the window along each axis."""

    axes = 0

    def _set(
        self, channels: tuple[int, int], sizes: tuple[Any, Any, Any, Any], groups: int, bias: bool, mode: str,
        dtype: Any, transposed: bool = False,
    ) -> None:  # fmt: skip
        self.in_channels, self.out_channels = channels
        if groups < 1 or self.in_channels % groups or self.out_channels % groups:
            raise ArgumentError(
                "in_channels and out_channels must be divisible by groups. Got "
                f"{self.in_channels}, {self.out_channels}, {groups}."
            )
        if mode not in _MODES or (transposed and mode != "zeros"):
            modes = ["zeros"] if transposed else list(_MODES)
            raise ArgumentError(f"padding_mode must be one of {modes}, but got padding_mode={mode!r}.")
        self.groups, self.padding_mode = groups, mode
        size, stride, padding, dilation = sizes
        self.kernel_size, self.stride, self.dilation = (self._each(v) for v in (size, stride, dilation))
        self.padding = padding if isinstance(padding, str) else self._each(padding)
        if isinstance(self.padding, str) and (transposed or self.padding not in ("same", "valid")):
            raise ArgumentError(
                f"{type(self).__name__}: got padding={padding!r}. Expected sizes{'' if transposed else _PADS}."
            )
        for name, least in {"kernel_size": 1, "stride": 1, "dilation": 1, "padding": 0}.items():
            value = getattr(self, name)
            if not isinstance(value, str) and min(value) < least:
                raise ArgumentError(f"{type(self).__name__}: {name} must be at least {least}. Got {value}.")
        first, second = channels if transposed else channels[::-1]
        self._draw((first, second // groups, *self.kernel_size), bias, dtype, self.out_channels)

    def _each(self, sizes: Any) -> tuple[int, ...]:
        return each(sizes, self.axes)

    def extra_repr(self) -> str:
        usual = {"padding": self._each(0), "dilation": self._each(1), "output_padding": self._each(0), "groups": 1}
        names = [name for name, value in usual.items() if getattr(self, name, value) != value]
        chosen = [f", {name}={getattr(self, name)}" for name in names]
        sizes = f"{self.in_channels}, {self.out_channels}, kernel_size={self.kernel_size}, stride={self.stride}"
        mode = "" if self.padding_mode == "zeros" else f", padding_mode={self.padding_mode}"
        return sizes + "".join(chosen) + (", bias=False" if self.bias is None else "") + mode


_PADS = ", 'same' or 'valid'"
_MODES = {"zeros": "constant", "reflect": "reflect", "replicate": "replicate", "circular": "circular"}


class _Conv(_Windows):
    """Base class of convolutions."""

    correlate: ClassVar[Callable[..., Any]]

    def __init__(
        self, in_channels: int, out_channels: int, kernel_size: Any, stride: Any = 1, padding: Any = 0,
        dilation: Any = 1, groups: int = 1, bias: bool = True, padding_mode: str = "zeros", device: Any = None,
        dtype: Any = None,
    ) -> None:  # fmt: skip
        super().__init__()
        sizes = kernel_size, stride, padding, dilation
        self._set((in_channels, out_channels), sizes, groups, bias, padding_mode, dtype)

    def forward(self, input: Any) -> Any:
        """Return the convolution of the input."""
        padding: Any = self.padding
        if self.padding_mode != "zeros":
            input, padding = F.pad(input, self._around(), _MODES[self.padding_mode]), 0
        options = self.stride, padding, self.dilation, self.groups
        return type(self).correlate(input, self.weight, self.bias, *options)

    def _around(self) -> list[int]:
        """Return the padding before and after each axis, the last axis first."""
        if not isinstance(self.padding, str):
            return [p for k in reversed(self.padding) for p in (k, k)]
        totals: list[int] = [
            d * (k - 1) if self.padding == "same" else 0 for d, k in zip(self.dilation, self.kernel_size)
        ]
        return [p for t in reversed(totals) for p in (t // 2, t - t // 2)]


class Conv1d(_Conv):
    """1-D convolution layer, from (N, C, L) to (N, out_channels, L′). The arguments are PyTorch's."""

    axes, correlate = 1, staticmethod(F.conv1d)


class Conv2d(_Conv):
    """2-D convolution layer, from (N, C, H, W) to (N, out_channels, H′, W′). The arguments are PyTorch's.

    >>> sg.nn.Conv2d(1, 4, 3, padding=1)(sg.zeros(2, 1, 8, 8)).shape
    (2, 4, 8, 8)
    """

    axes, correlate = 2, staticmethod(F.conv2d)


class Conv3d(_Conv):
    """3-D convolution layer, from (N, C, D, H, W) to (N, out_channels, D′, H′, W′). The arguments are PyTorch's."""

    axes, correlate = 3, staticmethod(F.conv3d)


class _ConvTranspose(_Windows):
    """Base class of transposed convolutions."""

    spread: ClassVar[Callable[..., Any]]

    def __init__(
        self, in_channels: int, out_channels: int, kernel_size: Any, stride: Any = 1, padding: Any = 0,
        output_padding: Any = 0, groups: int = 1, bias: bool = True, dilation: Any = 1, padding_mode: str = "zeros",
        device: Any = None, dtype: Any = None,
    ) -> None:  # fmt: skip
        super().__init__()
        sizes = kernel_size, stride, self._each(padding), dilation
        self.output_padding = self._each(output_padding)
        self._set((in_channels, out_channels), sizes, groups, bias, padding_mode, dtype, transposed=True)

    def forward(self, input: Any, output_size: Any = None) -> Any:
        """Return the transposed convolution. ``output_size`` selects among the sizes that the stride allows."""
        extra = self.output_padding if output_size is None else self._extra(input.shape, output_size)
        options = self.stride, self.padding, extra, self.groups, self.dilation
        return type(self).spread(input, self.weight, self.bias, *options)

    def _extra(self, shape: Any, output_size: Any) -> list[int]:
        to, inside = [int(m) for m in output_size][-self.axes :], shape[-self.axes :]
        rows: Any = zip(inside, self.stride, self.padding, self.dilation, self.kernel_size)
        least: list[int] = [(n - 1) * t - 2 * p + d * (k - 1) + 1 for n, t, p, d, k in rows]
        extra = [m - n for m, n in zip(to, least)]
        if len(to) != self.axes or any(not 0 <= e < t for e, t in zip(extra, self.stride)):
            most = [n + t - 1 for n, t in zip(least, self.stride)]
            raise ShapeError(f"requested an output size of {to}, but valid sizes range from {least} to {most}.")
        return extra


class ConvTranspose1d(_ConvTranspose):
    """Transposed Conv1d, from (N, C, L) to (N, out_channels, L′). The arguments are PyTorch's."""

    axes, spread = 1, staticmethod(F.conv_transpose1d)


class ConvTranspose2d(_ConvTranspose):
    """Transposed Conv2d, from (N, C, H, W) to (N, out_channels, H′, W′). The arguments are PyTorch's.

    >>> sg.nn.ConvTranspose2d(3, 2, 2, stride=2)(sg.zeros(1, 3, 4, 4)).shape
    (1, 2, 8, 8)
    """

    axes, spread = 2, staticmethod(F.conv_transpose2d)


class ConvTranspose3d(_ConvTranspose):
    """Transposed Conv3d, from (N, C, D, H, W) to (N, out_channels, D′, H′, W′). The arguments are PyTorch's."""

    axes, spread = 3, staticmethod(F.conv_transpose3d)


class PReLU(Module):
    """Return x for x > 0, and a x otherwise, where a is learned: one number, or one for each channel."""

    def __init__(self, num_parameters: int = 1, init: float = 0.25, device: Any = None, dtype: Any = None) -> None:
        super().__init__()
        self.num_parameters = num_parameters
        self.weight = Parameter(np.full(num_parameters, init, get_default_dtype() if dtype is None else dtype))

    def forward(self, input: Any) -> Any:
        """Return x for x > 0, and a x otherwise."""
        return F.prelu(input, self.weight)

    def extra_repr(self) -> str:
        return f"num_parameters={self.num_parameters}"


__all__ = [
    "Bilinear", "Conv1d", "Conv2d", "Conv3d", "ConvTranspose1d", "ConvTranspose2d", "ConvTranspose3d", "Embedding",
    "EmbeddingBag", "Linear", "PReLU",
]  # fmt: skip


check_all(globals(), __all__)
