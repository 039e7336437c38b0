"""The functions of ``jax.nn`` with JAX's arguments and defaults: ``sg.nn.softmax(x)`` acts along the last axis.

They belong to ``sg.nn``, like PyTorch's modules; ``sg.nn.functional`` contains PyTorch's functions. ``gelu`` is
missing, because its default is exact in PyTorch and an approximation in JAX.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from symgrad import functions as F
from symgrad.engine.record import as_tensor
from symgrad.nn import functional
from symgrad.support.arguments import check_all
from symgrad.tensors.creation import arange

_SAME = ("celu", "elu", "leaky_relu", "mish", "relu", "relu6", "selu", "sigmoid", "silu", "tanh")
_TWINS = {
    **{name: name for name in _SAME}, "swish": "silu", "hard_sigmoid": "hardsigmoid", "hard_silu": "hardswish",
    "hard_swish": "hardswish", "hard_tanh": "hardtanh", "log_sigmoid": "logsigmoid", "soft_sign": "softsign",
}  # fmt: skip
__all__ = [*_TWINS, "glu", "log_softmax", "logsumexp", "one_hot", "softmax", "softplus", "squareplus", "standardize"]
globals().update({name: getattr(functional, own) for name, own in _TWINS.items()})

Axes = int | Sequence[int] | None


def softplus(x: Any) -> Any:
    """Return log(1 + exp(x))."""
    return F.logaddexp(as_tensor(x), 0.0)


def squareplus(x: Any, b: Any = 4) -> Any:
    """Return (x + √(x² + b))/2."""
    x = as_tensor(x)
    return (x + F.sqrt(F.square(x) + b)) / 2


def glu(x: Any, axis: int = -1) -> Any:
    """Return the product of the first half of x along an axis and the sigmoid of the second half."""
    return functional.glu(as_tensor(x), axis)


def softmax(x: Any, axis: int = -1) -> Any:
    """Return exp(x) divided by its sum along an axis, by default the last.

    >>> sg.nn.softmax(sg.zeros(2, 4))[0]
    tensor([0.2500, 0.2500, 0.2500, 0.2500])
    """
    return F.softmax(as_tensor(x), axis)


def log_softmax(x: Any, axis: int = -1) -> Any:
    """Return x - log Σ exp(x) along an axis, by default the last."""
    return F.log_softmax(as_tensor(x), axis)


def logsumexp(a: Any, axis: Axes = None, keepdims: bool = False) -> Any:
    """Return log Σ exp(x) over the given axes, by default all."""
    x = as_tensor(a)
    return F.logsumexp(x, tuple(range(x.ndim)) if axis is None else axis, keepdims)


def one_hot(x: Any, num_classes: int, *, dtype: Any = float, axis: int = -1) -> Any:
    """Return a tensor with a new axis, which is 1 at index x and 0 elsewhere; it is all 0 if x is out of range.

    >>> sg.nn.one_hot(sg.tensor([1, 3]), 3)
    tensor([[0., 1., 0.],
            [0., 0., 0.]])
    """
    hot = F.unsqueeze(as_tensor(x), -1) == arange(num_classes)
    return F.movedim(hot.to(dtype), -1, axis)


def standardize(x: Any, axis: Axes = -1, mean: Any = None, variance: Any = None, epsilon: Any = 1e-5) -> Any:
    """Return (x - mean)/√(variance + epsilon), by default with the mean and the variance of x along the given axes."""
    x = as_tensor(x)
    middle = F.mean(x, axis, keepdim=True) if mean is None else mean
    spread = F.mean(F.square(x - middle), axis, keepdim=True) if variance is None else variance
    return (x - middle) * F.rsqrt(spread + epsilon)


check_all(globals(), __all__)
