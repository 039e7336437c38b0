"""Normalisation that keeps running statistics: those are updated in place, unrecorded."""

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
    """Raise where one number alone would make a mean and a variance."""
    if count == 1:
        raise ArgumentError(
            f"Expected more than 1 {of} when training, got input size torch.Size({show_shape(s)}). {instead}"
        )


@public
def batch_norm(
    input: Any, running_mean: Any, running_var: Any, weight: Any = None, bias: Any = None, training: bool = False,
    momentum: float = 0.1, eps: float = 1e-5,
) -> Any:  # fmt: skip
    """(x - μ)/√(σ² + ε) w + b, mean and variance of each channel over the batch in training, else the running ones.

    Args:
        input: x, (N, C, …); or a vector without entries, which stays as it is.
        running_mean, running_var: (C,), or None in training; in training r becomes (1 - momentum) r + momentum
            times the batch's.
        weight, bias: w and b, (C,).
        training: whether to use the statistics of the batch.
        momentum: the share of this batch in the running statistics.
        eps: ε.

    Returns:
        A tensor shaped like x.

    Raises:
        ShapeError: an argument per channel has a size other than C.
        ArgumentError: one value per channel in training, or no running statistics outside it.

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
    """(x - μ)/√(σ² + ε) w + b, mean and variance of each channel of each sample.

    Args:
        input: x, (N, C, …), with an axis after the channels.
        running_mean, running_var: (C,), updated from the mean over samples; used without use_input_stats.
        weight, bias: w and b, (C,).
        use_input_stats: whether to use the statistics of x.
        momentum, eps: the share of this batch in the running statistics, and ε.

    Returns:
        A tensor shaped like x.

    Raises:
        ShapeError: an argument per channel has a size other than C.
        ArgumentError: one value per channel, or no running statistics where they are to be used.

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
    """Whether running statistics can follow x: a symbol in a formula of the user's has no numbers to move them by."""
    return getattr(x, "_value", x) is not None or is_settled()


def _keep(x: Any, axes: tuple[int, ...], running_mean: Any, running_var: Any, momentum: float) -> None:
    """Move the running statistics towards those of x; of instances, towards their mean. No entries move nothing."""
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
