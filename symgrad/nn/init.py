"""Initial values of parameters, like ``torch.nn.init``. Each function fills a tensor in place and returns it."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from symgrad.core.modes import no_grad
from symgrad.core.promotion import FLOAT64
from symgrad.engine.generator import Generator, drawn
from symgrad.engine.record import as_tensor
from symgrad.errors import ArgumentError, ArgumentTypeError, ShapeError
from symgrad.ops.elementwise.declared import UNARY
from symgrad.support.arguments import check_all
from symgrad.support.namespace import namespace
from symgrad.support.notices import warn
from symgrad.tensors.sampling import numbers
from symgrad.tensors.tensor import Tensor

__all__ = [
    "calculate_gain", "constant_", "dirac_", "eye_", "kaiming_normal_", "kaiming_uniform_", "normal_", "ones_",
    "orthogonal_", "sparse_", "trunc_normal_", "uniform_", "xavier_normal_", "xavier_uniform_", "zeros_",
]  # fmt: skip

_GAINS = {"tanh": 5 / 3, "relu": math.sqrt(2), "selu": 3 / 4, "sigmoid": 1.0, "linear": 1.0}
_GAINS |= {f"conv{kind}{n}d": 1.0 for n in (1, 2, 3) for kind in ("", "_transpose")}


def calculate_gain(nonlinearity: str, param: float | None = None) -> float:
    """Return the factor that preserves the variance of signals through a nonlinearity.

    It is √2 for relu, √(2/(1 + a²)) for leaky_relu with slope a = param (0.01 by default), 5/3 for tanh, 3/4 for selu,
    and 1 for sigmoid and linear layers.

    Raises:
        ArgumentError: if the nonlinearity is unknown, or the slope is not a number.

    >>> sg.nn.init.calculate_gain("relu")
    1.4142135623730951
    """
    if nonlinearity != "leaky_relu":
        if nonlinearity not in _GAINS:
            raise ArgumentError(
                f"Unsupported nonlinearity {nonlinearity}. Expected one of {sorted([*_GAINS, 'leaky_relu'])}."
            )
        return _GAINS[nonlinearity]
    slope = 0.01 if param is None else param
    if isinstance(slope, bool) or not isinstance(slope, (int, float)):
        raise ArgumentError(f"negative_slope {slope} not a valid number. Pass a float.")
    return math.sqrt(2 / (1 + slope**2))


# ------------------------------------------------------------------ given values
def constant_(tensor: Tensor, val: float) -> Any:
    """Fill the tensor with one number."""
    with no_grad():
        return tensor.fill_(val)


def ones_(tensor: Tensor) -> Any:
    """Fill the tensor with ones."""
    return constant_(tensor, 1.0)


def zeros_(tensor: Tensor) -> Any:
    """Fill the tensor with zeros."""
    return constant_(tensor, 0.0)


def eye_(tensor: Tensor) -> Any:
    """Fill a matrix with ones on the diagonal and zeros elsewhere.

    Raises:
        ShapeError: if the tensor does not have two axes.
    """
    if tensor.ndim != 2:
        raise ShapeError(f"Only tensors with 2 dimensions are supported. Got {tensor.ndim} dimensions.")
    return _filled(tensor, np.eye(*tensor.shape))


def dirac_(tensor: Tensor, groups: int = 1) -> Any:
    """Fill the weight of a convolution, (F, C, …), so that it preserves its input.

    The weight from each channel to the channel of the same number is 1 at the centre; all others are 0.

    Args:
        tensor: a tensor with three to five axes.
        groups: the number of groups of channels, a divisor of F.

    Raises:
        ShapeError: if the number of axes differs, or F is not a multiple of groups.
    """
    if tensor.ndim not in (3, 4, 5):
        raise ShapeError(f"Only tensors with 3, 4, or 5 dimensions are supported. Got {tensor.ndim} dimensions.")
    if tensor.shape[0] % groups:
        raise ShapeError(f"dim 0 must be divisible by groups. Got {tensor.shape[0]} and {groups}.")
    values, rows = np.zeros(tensor.shape), tensor.shape[0] // groups
    middle = tuple(n // 2 for n in tensor.shape[2:])
    for g in range(groups):
        for k in range(min(rows, tensor.shape[1])):
            values[(g * rows + k, k, *middle)] = 1.0
    return _filled(tensor, values)


def _filled(tensor: Tensor, values: Any) -> Any:
    with no_grad():
        return tensor.copy_(as_tensor(values))


# ------------------------------------------------------------------ random values
def uniform_(tensor: Tensor, a: float = 0.0, b: float = 1.0, generator: Generator | None = None) -> Any:
    """Fill the tensor with uniform random numbers in [a, b)."""
    with no_grad():
        return tensor.uniform_(a, b, generator=generator)


def normal_(tensor: Tensor, mean: float = 0.0, std: float = 1.0, generator: Generator | None = None) -> Any:
    """Fill the tensor with normal random numbers."""
    with no_grad():
        return tensor.normal_(mean, std, generator=generator)


def trunc_normal_(
    tensor: Tensor, mean: float = 0.0, std: float = 1.0, a: float = -2.0, b: float = 2.0,
    generator: Generator | None = None,
) -> Any:  # fmt: skip
    """Fill the tensor with normal random numbers, truncated to [a, b].

    x = mean + std Φ⁻¹(u), where u is uniform between Φ((a - mean)/std) and Φ((b - mean)/std). The computation uses the
    lower tail, where Φ is accurate.
    """
    if mean < a - 2 * std or mean > b + 2 * std:
        warn(
            "mean is more than 2 std from [a, b] in nn.init.trunc_normal_. The distribution of values may be "
            "incorrect.",
        )
    low, high = (a - mean) / std, (b - mean) / std
    side = -1.0 if low > 0 else 1.0  # mirrored, so that no probability is near 1
    ends = np.sort([side * low, side * high])
    p, q = (float(UNARY["ndtr"].forward(np.float64(e))) for e in ends)
    u = p + (q - p) * drawn(generator, numbers, "random", tensor.shape, FLOAT64)
    z = side * UNARY["ndtri"](u).clip(*ends.tolist())
    return _filled(tensor, (mean + std * z).clip(a, b))


def _fans(tensor: Tensor) -> tuple[int, int]:
    """Return the number of inputs of each output, and the number of outputs that use each input."""
    if tensor.ndim < 2:
        raise ShapeError(
            "Fan in and fan out can not be computed for tensor with fewer than 2 dimensions. "
            f"Got {tensor.ndim}; use uniform_ or normal_."
        )
    field = math.prod(tensor.shape[2:])
    return tensor.shape[1] * field, tensor.shape[0] * field


def xavier_uniform_(tensor: Tensor, gain: float = 1.0, generator: Generator | None = None) -> Any:
    """Fill the tensor with uniform numbers in ±gain √(6/(fan in + fan out)).

    Source: Glorot and Bengio 2010, "Understanding the difficulty of training deep feedforward neural networks".
    """
    bound = gain * math.sqrt(6 / sum(_fans(tensor)))
    return uniform_(tensor, -bound, bound, generator)


def xavier_normal_(tensor: Tensor, gain: float = 1.0, generator: Generator | None = None) -> Any:
    """Fill the tensor with normal numbers of standard deviation gain √(2/(fan in + fan out)).

    Source: Glorot and Bengio 2010.
    """
    return normal_(tensor, 0.0, gain * math.sqrt(2 / sum(_fans(tensor))), generator)


def kaiming_uniform_(
    tensor: Tensor, a: float = 0, mode: str = "fan_in", nonlinearity: str = "leaky_relu",
    generator: Generator | None = None,
) -> Any:  # fmt: skip
    """Fill the tensor with uniform numbers in ±gain √(3/fan).

    Args:
        tensor: a tensor with at least two axes.
        a: the slope of leaky_relu.
        mode: "fan_in" preserves the variance of signals in the forward pass, "fan_out" that of gradients in the
            backward pass.
        nonlinearity: the nonlinearity that follows; see ``calculate_gain``.
        generator: the source of random numbers.

    Source: He et al. 2015, "Delving deep into rectifiers".
    """
    deviation = _deviation(tensor, a, mode, nonlinearity)
    bound = math.sqrt(3) * deviation
    return tensor if 0 in tensor.shape else uniform_(tensor, -bound, bound, generator)


def kaiming_normal_(
    tensor: Tensor, a: float = 0, mode: str = "fan_in", nonlinearity: str = "leaky_relu",
    generator: Generator | None = None,
) -> Any:  # fmt: skip
    """Fill the tensor with normal numbers of standard deviation gain/√fan; see ``kaiming_uniform_`` for the arguments.

    Source: He et al. 2015.
    """
    deviation = _deviation(tensor, a, mode, nonlinearity)
    return tensor if 0 in tensor.shape else normal_(tensor, 0.0, deviation, generator)


def _deviation(tensor: Tensor, a: float, mode: str, nonlinearity: str) -> float:
    if 0 in tensor.shape:
        warn("Initializing zero-element tensors is a no-op")
        return 0.0
    if not isinstance(mode, str):
        raise ArgumentTypeError(f"mode: got {type(mode).__name__}. Expected 'fan_in' or 'fan_out'.")
    if mode.lower() not in ("fan_in", "fan_out"):
        raise ArgumentError(f"Mode {mode} not supported, please use one of ['fan_in', 'fan_out'].")
    fan = _fans(tensor)[mode.lower() == "fan_out"]
    return calculate_gain(nonlinearity, a) / math.sqrt(fan)


def sparse_(tensor: Tensor, sparsity: float, std: float = 0.01, generator: Generator | None = None) -> Any:
    """Fill a matrix with normal numbers of standard deviation std, and set the share ``sparsity`` of each column to 0.

    Raises:
        ShapeError: if the tensor does not have two axes.

    Source: Martens 2010, "Deep learning via Hessian-free optimization".
    """
    if tensor.ndim != 2:
        raise ShapeError(f"Only tensors with 2 dimensions are supported. Got {tensor.ndim} dimensions.")
    return _filled(tensor, drawn(generator, _sparse, *tensor.shape, sparsity, std))


def _sparse(rng: Any, rows: int, columns: int, sparsity: float, std: float) -> Any:
    values = rng.normal(0.0, std, (rows, columns))
    for column in values.T:
        column[rng.permutation(rows)[: math.ceil(sparsity * rows)]] = 0.0
    return values


def orthogonal_(tensor: Tensor, gain: float = 1, generator: Generator | None = None) -> Any:
    """Fill the tensor with gain times a random orthogonal matrix, with a row for each index along the first axis.

    The matrix is the factor Q of a matrix of normal numbers.

    Source: Saxe et al. 2013, "Exact solutions to the nonlinear dynamics of learning in deep linear neural networks".
    """
    if tensor.ndim < 2:
        raise ShapeError(f"Only tensors with 2 or more dimensions are supported. Got {tensor.ndim} dimensions.")
    if 0 in tensor.shape:
        return tensor
    rows, columns = tensor.shape[0], math.prod(tensor.shape[1:])
    return _filled(tensor, gain * drawn(generator, _orthogonal, rows, columns).reshape(tensor.shape))


def _orthogonal(rng: Any, rows: int, columns: int) -> Any:
    q, r = np.linalg.qr(rng.standard_normal((max(rows, columns), min(rows, columns))))
    q = q * np.sign(np.diag(r))  # uniform over orthogonal matrices
    return q if rows >= columns else q.T


__getattr__, __dir__ = namespace(globals(), __all__)
check_all(globals(), __all__)
