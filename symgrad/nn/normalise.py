"""Normalisation with running statistics, which are updated in place and not recorded."""

from __future__ import annotations

from typing import Any

from symgrad.core.journal import is_settled
from symgrad.core.modes import no_grad
from symgrad.core.node import Shape
from symgrad.engine.adapters import public
from symgrad.errors import ArgumentError, ArgumentTypeError
from symgrad.ops.map import IDENTITY, show_shape
from symgrad.ops.nn.normalise import affine, by_given, channel_axes, check_channels, on_channels, standardised
from symgrad.ops.protocol import Traced, shape
from symgrad.ops.reductions.reduce import mean
from symgrad.ops.reductions.variance import var
from symgrad.ops.shape import total
from symgrad.support.arguments import check_all


def _check_count(s: Shape, count: Any, of: str, instead: str) -> None:
    """Raise an error if the mean and the variance would be those of a single number."""
    if count == 1:
        raise ArgumentError(
            f"Expected more than 1 {of} when training, got input size torch.Size({show_shape(s)}). {instead}"
        )


@public
def batch_norm(
    input: Any, running_mean: Any, running_var: Any, weight: Any = None, bias: Any = None, training: bool = False,
    momentum: float = 0.1, eps: float = 1e-5,
) -> Any:  # fmt: skip
    """Return (x - μ)/√(σ² + ε) w + b, with the mean and variance of each channel over the batch.

    Outside training, the running statistics are used instead.

    Args:
        input: x, (N, C, …); an empty vector is returned unchanged.
        running_mean, running_var: (C,), or None in training. In training, each statistic r is replaced by
            (1 - momentum) r + momentum · (statistic of the batch).
        weight, bias: w and b, (C,).
        training: whether to use the statistics of the batch.
        momentum: the weight of this batch in the running statistics.
        eps: ε.

    Returns:
        A tensor shaped like x.

    Raises:
        ShapeError: if the size of an argument with an entry per channel is not C.
        ArgumentError: if there is only one value per channel in training, or no running statistics outside it.

    >>> sg.nn.functional.batch_norm(sg.tensor([[1.0], [3.0]]), None, None, training=True, eps=0.0)
    tensor([[-1.],
            [ 1.]])
    """
    if shape(input) == (0,):
        return affine(IDENTITY(input), None, None, "NativeBatchNorm")
    s = check_channels("batch_norm", input, running_mean, running_var, weight, bias)
    given = on_channels(weight, len(s)), on_channels(bias, len(s)), "NativeBatchNorm"
    if not training:
        return affine(by_given(input, _known("batch_norm", running_mean, running_var), eps), *given)
    _check_count(s, total(s) // s[1] if s[1] != 0 else 0, "value per channel", "Pass a batch of two or more.")
    axes = channel_axes(len(s))
    _keep(input, axes, running_mean, running_var, momentum)
    return affine(standardised(input, axes, eps), *given)


@public
def instance_norm(
    input: Any, running_mean: Any = None, running_var: Any = None, weight: Any = None, bias: Any = None,
    use_input_stats: bool = True, momentum: float = 0.1, eps: float = 1e-5,
) -> Any:  # fmt: skip
    """Return (x - μ)/√(σ² + ε) w + b, with the mean and variance of each channel of each sample.

    Args:
        input: x, (N, C, …), with an axis after the channels.
        running_mean, running_var: (C,), updated with the mean over samples; used if use_input_stats is False.
        weight, bias: w and b, (C,).
        use_input_stats: whether to use the statistics of x.
        momentum, eps: the weight of this batch in the running statistics, and ε.

    Returns:
        A tensor shaped like x.

    Raises:
        ShapeError: if the size of an argument with an entry per channel is not C.
        ArgumentError: if there is only one value per channel, or if the running statistics to be used are missing.

    >>> sg.nn.functional.instance_norm(sg.tensor([[[1.0, 3.0]]]), eps=0.0)
    tensor([[[-1.,  1.]]])
    """
    s = check_channels("instance_norm", input, running_mean, running_var, weight, bias)
    given = on_channels(weight, len(s)), on_channels(bias, len(s)), "NativeBatchNorm"
    if not use_input_stats:
        return affine(by_given(input, _known("instance_norm", running_mean, running_var), eps), *given)
    _check_count(s, total(s[2:]), "spatial element", "Use layer_norm over the channels.")
    axes = tuple(range(2, len(s)))
    _keep(input, axes, running_mean, running_var, momentum)
    return affine(standardised(input, axes, eps), *given)


def _known(name: str, *statistics: Any) -> tuple[Any, Any]:
    if any(r is None for r in statistics):
        raise ArgumentError(
            f"{name}: Expected running_mean and running_var to be defined when training=False. "
            "Pass both, or use the statistics of the input."
        )
    return statistics[0], statistics[1]


def has_statistics(x: Any) -> bool:
    """Return whether x can update running statistics. A symbol in a user's formula has no value, and cannot."""
    return getattr(x, "_value", x) is not None or is_settled()


def _keep(x: Any, axes: tuple[int, ...], running_mean: Any, running_var: Any, momentum: float) -> None:
    """Update the running statistics by those of x, or by their mean over instances. An empty x has no effect."""
    if not isinstance(momentum, (int, float, Traced)):
        raise ArgumentTypeError(f"momentum: got {momentum!r}. Expected a number from 0 to 1.")
    if total(shape(x)) == 0 or not has_statistics(x):
        return
    with no_grad():
        for r, of in ((running_mean, mean(x, axes)), (running_var, var(x, axes))):
            if r is not None:
                now = of if shape(of) == shape(r) else mean(of, 0)
                r.mul_(1 - momentum).add_(now * momentum)


__all__ = ["batch_norm", "instance_norm"]


check_all(globals(), __all__)
