"""Normalisation over a batch, with running statistics for evaluation."""

from __future__ import annotations

from typing import Any

from symgrad.errors import ArgumentTypeError
from symgrad.nn import functional as F
from symgrad.nn.modules.module import Module
from symgrad.nn.modules.normalisation import Running
from symgrad.nn.normalise import has_statistics
from symgrad.support.arguments import check_all, shown

__all__ = ["BatchNorm1d", "BatchNorm2d", "BatchNorm3d"]


class _BatchNorm(Running):
    """Base class of batch normalisation for any number of axes."""

    def __init__(
        self, num_features: int, eps: float = 1e-5, momentum: float | None = 0.1, affine: bool = True,
        track_running_stats: bool = True, device: Any = None, dtype: Any = None, *, bias: bool = True,
    ) -> None:  # fmt: skip
        super().__init__()
        self._set(num_features, eps, momentum, affine, track_running_stats, dtype, bias)

    def forward(self, input: Any) -> Any:
        """Return x normalised. In training, the statistics of the batch are used, and update the running statistics.

        If x is a symbol, the running statistics do not change.
        """
        input = self._checked(input)
        by_batch = self.training or self.running_mean is None
        moves = self.training and self.running_mean is not None and has_statistics(input)
        share = self._share() if moves else 0.0
        return F.batch_norm(
            input, self.running_mean, self.running_var, self.weight, self.bias, by_batch, share, self.eps
        )

    def _share(self) -> Any:
        """Return the weight of this batch in the running statistics; without a momentum, all weights are equal."""
        self.num_batches_tracked.add_(1)
        return 1 / self.num_batches_tracked if self.momentum is None else self.momentum


class BatchNorm1d(_BatchNorm):
    """Return (x - μ)/√(σ² + ε) w + b for x (N, C) or (N, C, L), with the mean and variance of each channel."""

    axes = (2, 3)


class BatchNorm2d(_BatchNorm):
    """Return (x - μ)/√(σ² + ε) w + b for images (N, C, H, W), with the mean and variance of each channel."""

    axes = (4,)


class BatchNorm3d(_BatchNorm):
    """Return (x - μ)/√(σ² + ε) w + b for x (N, C, D, H, W), with the mean and variance of each channel."""

    axes = (5,)


def replace_all_batch_norm_modules_(root: Any) -> Any:
    """Let batch normalisation inside a module use the statistics of each batch, always, and return the module.

    Its running statistics are removed, so that transforms of ``functional_call`` have nothing to update.

    >>> model = sg.func.replace_all_batch_norm_modules_(sg.nn.Sequential(sg.nn.BatchNorm1d(2)))
    >>> model[0].running_mean is None
    True
    """
    if not isinstance(root, Module):
        raise ArgumentTypeError(f"replace_all_batch_norm_modules_: got {shown(root)}. Expected a module.")
    for module in root.modules():
        if isinstance(module, _BatchNorm):
            module.running_mean = module.running_var = module.num_batches_tracked = None
            module.track_running_stats = False
    return root


check_all(globals(), __all__)
