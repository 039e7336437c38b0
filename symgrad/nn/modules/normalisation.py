"""Normalisation modules: over the last axes, over groups of channels, over each sample."""

from __future__ import annotations

from typing import Any

from symgrad.engine.record import as_tensor
from symgrad.errors import ArgumentError, ShapeError
from symgrad.nn import functional as F
from symgrad.nn.modules.module import Module
from symgrad.nn.parameter import Parameter
from symgrad.ops.map import show_shape
from symgrad.ops.nn.windows import Sizes
from symgrad.support.arguments import check_all, is_whole, shown
from symgrad.tensors.creation import ones, tensor, zeros


class _Scaled(Module):
    """A normalisation with a scale w, initially 1, and a shift b, initially 0."""

    weight: Parameter | None
    bias: Parameter | None

    def _scale(self, shape: Any, weight: bool, bias: bool, dtype: Any) -> None:
        sizes = shape if isinstance(shape, tuple) else (shape,)
        if not all(is_whole(n) and n >= 0 for n in sizes):
            raise ArgumentError(f"{type(self).__name__}: got sizes {shown(shape)}. Expected integers, 0 or more.")
        self.register_parameter("weight", Parameter(ones(shape, dtype=dtype)) if weight else None)
        self.register_parameter("bias", Parameter(zeros(shape, dtype=dtype)) if bias else None)


class LayerNorm(_Scaled):
    """Return (x - μ)/√(σ² + ε) w + b, with the mean and the variance over the last axes.

    Args:
        normalized_shape: the sizes of these axes.
        eps: ε.
        elementwise_affine, bias: whether the module has w and b.
    """

    def __init__(
        self, normalized_shape: Sizes, eps: float = 1e-5, elementwise_affine: bool = True, bias: bool = True,
        device: Any = None, dtype: Any = None,
    ) -> None:  # fmt: skip
        super().__init__()
        self.normalized_shape = (normalized_shape,) if isinstance(normalized_shape, int) else tuple(normalized_shape)
        self.eps, self.elementwise_affine = eps, elementwise_affine
        self._scale(self.normalized_shape, elementwise_affine, elementwise_affine and bias, dtype)

    def forward(self, input: Any) -> Any:
        """Return x normalised."""
        return F.layer_norm(input, self.normalized_shape, self.weight, self.bias, self.eps)

    def extra_repr(self) -> str:
        affine = f"elementwise_affine={self.elementwise_affine}, bias={self.bias is not None}"
        return f"{self.normalized_shape}, eps={self.eps}, {affine}"


class RMSNorm(_Scaled):
    """Return x/√(mean x² + ε) w, with the mean over the last axes.

    Args:
        normalized_shape: the sizes of these axes.
        eps: ε; by default the machine epsilon.
        elementwise_affine: whether the module has w.
    """

    def __init__(
        self, normalized_shape: Sizes, eps: float | None = None, elementwise_affine: bool = True, device: Any = None,
        dtype: Any = None,
    ) -> None:  # fmt: skip
        super().__init__()
        self.normalized_shape = (normalized_shape,) if isinstance(normalized_shape, int) else tuple(normalized_shape)
        self.eps, self.elementwise_affine = eps, elementwise_affine
        self._scale(self.normalized_shape, elementwise_affine, False, dtype)
        del self._parameters["bias"]

    def forward(self, input: Any) -> Any:
        """Return x normalised."""
        return F.rms_norm(input, self.normalized_shape, self.weight, self.eps)

    def extra_repr(self) -> str:
        return f"{self.normalized_shape}, eps={self.eps}, elementwise_affine={self.elementwise_affine}"


class GroupNorm(_Scaled):
    """Return (x - μ)/√(σ² + ε) w + b, with the mean and the variance over each group of channels of each sample.

    Args:
        num_groups, num_channels: the number of groups, which divides the number of channels.
        eps: ε.
        affine, bias: whether the module has w and b.
    """

    def __init__(
        self, num_groups: int, num_channels: int, eps: float = 1e-5, affine: bool = True, device: Any = None,
        dtype: Any = None, *, bias: bool = True,
    ) -> None:  # fmt: skip
        super().__init__()
        if num_groups < 1 or num_channels % num_groups:
            raise ArgumentError(f"num_channels ({num_channels}) must be divisible by num_groups ({num_groups}).")
        self.num_groups, self.num_channels, self.eps, self.affine = num_groups, num_channels, eps, affine
        self._scale(num_channels, affine, affine and bias, dtype)

    def forward(self, input: Any) -> Any:
        """Return x normalised."""
        return F.group_norm(input, self.num_groups, self.weight, self.bias, self.eps)

    def extra_repr(self) -> str:
        affine = f"affine={self.affine}, bias={self.bias is not None}"
        return f"{self.num_groups}, {self.num_channels}, eps={self.eps}, {affine}"


class Running(_Scaled):
    """A normalisation of channels with optional running statistics."""

    axes: tuple[int, ...] = ()
    running_mean: Any
    running_var: Any
    num_batches_tracked: Any

    def _set(
        self, num_features: int, eps: float, momentum: float | None, affine: bool, kept: bool, dtype: Any, bias: bool
    ) -> None:
        self.num_features, self.eps, self.momentum = num_features, eps, momentum
        self.affine, self.track_running_stats = affine, kept
        self._scale(num_features, affine, affine and bias, dtype)
        self.register_buffer("running_mean", zeros(num_features, dtype=dtype) if kept else None)
        self.register_buffer("running_var", ones(num_features, dtype=dtype) if kept else None)
        self.register_buffer("num_batches_tracked", tensor(0) if kept else None)

    def reset_running_stats(self) -> None:
        """Reset the running statistics."""
        if self.track_running_stats:
            self.running_mean.zero_()
            self.running_var.fill_(1.0)
            self.num_batches_tracked.zero_()

    def _checked(self, input: Any) -> Any:
        input = as_tensor(input)
        if input.ndim not in self.axes:
            expected = " or ".join(f"{n}D" for n in self.axes)
            raise ShapeError(
                f"expected {expected} input (got {input.ndim}D input). Its shape is {show_shape(input.shape)}."
            )
        return input

    def extra_repr(self) -> str:
        return (
            f"{self.num_features}, eps={self.eps}, momentum={self.momentum}, affine={self.affine}, "
            f"bias={self.bias is not None}, track_running_stats={self.track_running_stats}"
        )


class _InstanceNorm(Running):
    """Base class of instance normalisation for any number of axes."""

    def __init__(
        self, num_features: int, eps: float = 1e-5, momentum: float = 0.1, affine: bool = False,
        track_running_stats: bool = False, device: Any = None, dtype: Any = None, *, bias: bool = True,
    ) -> None:  # fmt: skip
        super().__init__()
        self._set(num_features, eps, momentum, affine, track_running_stats, dtype, bias)

    def forward(self, input: Any) -> Any:
        """Return x normalised; the batch axis may be omitted."""
        input = self._checked(input)
        single = input.ndim == self.axes[0]
        x = input[None] if single else input
        by_sample = self.training or self.running_mean is None
        statistics = self.running_mean, self.running_var, self.weight, self.bias
        y = F.instance_norm(x, *statistics, by_sample, self.momentum or 0.0, self.eps)
        return y[0] if single else y


class InstanceNorm1d(_InstanceNorm):
    """Return (x - μ)/√(σ² + ε) w + b for x (N, C, L) or (C, L), with mean and variance per channel and sample."""

    axes = (2, 3)


class InstanceNorm2d(_InstanceNorm):
    """Return (x - μ)/√(σ² + ε) w + b for x (N, C, H, W) or (C, H, W), with mean and variance per channel and sample."""

    axes = (3, 4)


class InstanceNorm3d(_InstanceNorm):
    """Return (x - μ)/√(σ² + ε) w + b for x (N, C, D, H, W) or (C, D, H, W), normalised per channel and sample."""

    axes = (4, 5)


__all__ = ["GroupNorm", "InstanceNorm1d", "InstanceNorm2d", "InstanceNorm3d", "LayerNorm", "RMSNorm"]


check_all(globals(), __all__)
