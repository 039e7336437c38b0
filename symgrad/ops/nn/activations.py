"""Activations of neural networks: each an elementwise function whose numbers are arguments of the payload.

At a kink the slope is PyTorch's. What has a kernel of its own is declared in ``scalars``.
"""

from __future__ import annotations

from typing import Any

import sympy as sp

from symgrad.core.promotion import is_bool, is_integer, is_unsigned
from symgrad.errors import ArgumentError, DTypeError, ShapeError
from symgrad.ops.elementwise.complexes import holds_complex
from symgrad.ops.elementwise.declared import UNARY, abs_
from symgrad.ops.map import ADD, DIV, MUL, NEG, Map
from symgrad.ops.protocol import rename, shape
from symgrad.ops.reductions.softmax import softmax
from symgrad.ops.shape import Reshape, axis_of
from symgrad.ops.shapes.splitting import chunk
from symgrad.scalars import X, expm1, expm1_ratio, gelu_tanh, low, relu
from symgrad.scalars import gelu as gelu_of
from symgrad.scalars import mish as mish_of
from symgrad.scalars import silu as silu_of

_x, _a, _b = X[0], X[1], X[2]
_SELU_SCALE, _SELU_ALPHA = 1.0507009873554805, 1.6732632423543772  # Klambauer et al. 2017, §2


GELU = Map(lambda: gelu_of(_x), 1, "Gelu")
GELU_TANH = Map(lambda: gelu_tanh(_x), 1, "Gelu")
SILU = Map(lambda: silu_of(_x), 1, "Silu")
MISH = Map(lambda: mish_of(_x), 1, "Mish")
LEAKY = Map(lambda: sp.Piecewise((_x, _x > 0), (_a * _x, True)), 2, "LeakyRelu")
PRELU = Map(lambda: sp.Piecewise((_x, _x > 0), (_a * _x, True)), 2, "PreluKernel")
ELU = Map(lambda: relu(_x) + _a * expm1(low(_x)), 2, "Elu")
SELU = Map(lambda: _a * (relu(_x) + _b * expm1(low(_x))), 3, "Elu")
CELU = Map(lambda: relu(_x) + _a * expm1_ratio(low(_x), _a), 2, "Celu")
HARDTANH = Map(lambda: sp.Piecewise((_a, _x <= _a), (_b, _x >= _b), (_x, True)), 3, "Hardtanh")
RELU6 = Map(lambda: sp.Piecewise((0, _x <= 0), (6, _x >= 6), (_x, True)), 1, "Hardtanh")
HARDSIGMOID = Map(lambda: sp.Piecewise((0, _x <= -3), (1, _x >= 3), ((_x + 3) / 6, True)), 1, "Hardsigmoid")
HARDSWISH = Map(lambda: sp.Piecewise((0, _x <= -3), (_x, _x >= 3), (_x * (_x + 3) / 6, True)), 1, "Hardswish")
HARDSHRINK = Map(lambda: sp.Piecewise((0, (_x >= -_a) & (_x <= _a)), (_x, True)), 2, "Hardshrink")
SOFTSHRINK = Map(
    lambda: sp.Piecewise((0, (_x >= -_a) & (_x <= _a)), (_x - _a, _x > _a), (_x + _a, True)), 2, "Softshrink"
)
THRESHOLD = Map(lambda: sp.Piecewise((_b, _x <= _a), (_x, True)), 3, "Threshold")


# ------------------------------------------------------------------ smooth
def gelu(input: Any, approximate: str = "none") -> Any:
    """Return x Φ(x), where Φ is the normal distribution function.

    Derivative: Φ(x) + x φ(x).

    Args:
        input: x, any shape.
        approximate: "none", or "tanh" for x (1 + tanh(√(2/π) (x + 0.044715 x³)))/2.

    Returns:
        A tensor shaped like input.

    Raises:
        ArgumentError: if the approximation is unknown.

    >>> sg.nn.functional.gelu(sg.tensor([0.0, 1.0]))
    tensor([0.0000, 0.8413])
    """
    if approximate not in ("none", "tanh"):
        raise ArgumentError(f"approximate argument must be either none or tanh. Got {approximate!r}.")
    return (GELU if approximate == "none" else GELU_TANH)(input)


def silu(input: Any) -> Any:
    """Return x σ(x), also called swish.

    Derivative: σ(x) + x σ(x) σ(-x).
    """
    return SILU(input)


def mish(input: Any) -> Any:
    """Return the function x tanh(softplus(x))."""
    return MISH(input)


def softsign(input: Any) -> Any:
    """Return x/(1 + |x|).

    Derivative: 1/(1 + |x|)².
    """
    if holds_complex(input):
        return rename(DIV(input, ADD(abs_(input), 1.0)), "Softsign")
    return UNARY["softsign"](input)


def tanhshrink(input: Any) -> Any:
    """Return x - tanh x, accurate near 0.

    Derivative: tanh² x.
    """
    return UNARY["tanhshrink"](input)


# ------------------------------------------------------------------ with a kink
def leaky_relu(input: Any, negative_slope: float = 0.01) -> Any:
    """Return x for x > 0, and ``negative_slope`` times x otherwise.

    Derivative: 1 for x > 0, else negative_slope.
    """
    return LEAKY(input, negative_slope)


def prelu(input: Any, weight: Any) -> Any:
    """Return x for x > 0, and w x otherwise, with a single w or one for each channel.

    Args:
        input: x; its channels are the second axis, or the first of a vector.
        weight: w, with one entry or with as many as there are channels.

    Returns:
        A tensor shaped like input.

    Raises:
        ShapeError: if the number of weights does not fit.
    """
    sizes, weights = shape(input), shape(weight)
    if weights in ((), (1,)):
        return PRELU(input, Reshape(())(weight) if weights else weight)
    channels = sizes[1] if len(sizes) > 1 else 1
    if len(weights) != 1 or weights[0] != channels:
        raise ShapeError(
            f"Mismatch of parameter numbers and input channel size. Found parameter numbers = {list(weights)} and "
            f"channel size = {channels}. Pass one weight, or one per channel."
        )
    return PRELU(input, Reshape((channels, *[1] * (len(sizes) - 2)))(weight))


def elu(input: Any, alpha: float = 1.0) -> Any:
    """Return x for x > 0, and α (eˣ - 1) otherwise.

    Derivative: 1 for x > 0, else α eˣ.
    """
    return ELU(input, alpha)


def selu(input: Any) -> Any:
    """Return 1.0507 times elu with α = 1.6733, which preserves mean 0 and variance 1."""
    return SELU(input, _SELU_SCALE, _SELU_ALPHA)


def celu(input: Any, alpha: float = 1.0) -> Any:
    """Return x for x > 0, and α (exp(x/α) - 1) otherwise.

    Derivative: 1 for x > 0, else exp(x/α).
    """
    if alpha == 0:
        raise ArgumentError("ZeroDivisionError: alpha cannot be 0 for CELU. Pass a number that is not 0.")
    return CELU(input, alpha)


def hardtanh(input: Any, min_val: float = -1.0, max_val: float = 1.0) -> Any:
    """Return x limited to [min_val, max_val].

    Derivative: 1 strictly inside, 0 at the edges and beyond. For integers, the fractions of the limits are dropped.
    """
    if min_val > max_val:
        raise ArgumentError(f"min_val cannot be greater than max_val. Got {min_val} and {max_val}.")
    dtype = getattr(input, "dtype", None)
    if dtype is not None and is_bool(dtype):
        raise DTypeError("Bool inputs not supported for hardtanh. Convert first, as in x.to(sg.float64).")
    if dtype is None or not is_integer(dtype):
        return HARDTANH(input, min_val, max_val)
    low, high = int(min_val), int(max_val)  # of integers, as PyTorch
    if is_unsigned(dtype) and min(low, high) < 0:
        raise DTypeError(
            f"cannot do hardtanh on an unsigned type with negative limits. Got {dtype}, {min_val} and {max_val}; "
            "convert first, as in x.to(sg.int64)."
        )
    return HARDTANH(input, low, high)


def relu6(input: Any) -> Any:
    """Return x limited to [0, 6].

    Derivative: 1 strictly inside, 0 at the edges and beyond.
    """
    return RELU6(input)


def hardsigmoid(input: Any) -> Any:
    """Return (x + 3)/6 limited to [0, 1].

    Derivative: 1/6 for |x| < 3, else 0.
    """
    return HARDSIGMOID(input)


def hardswish(input: Any) -> Any:
    """Return x · hardsigmoid(x): 0 for x ≤ -3, x for x ≥ 3, and x (x + 3)/6 in between.

    Derivative: (2x + 3)/6 for |x| < 3, then 0 or 1.
    """
    return HARDSWISH(input)


def hardshrink(input: Any, lambd: float = 0.5) -> Any:
    """Return x where |x| > λ, and 0 elsewhere.

    Derivative: 1 where |x| > λ, else 0.
    """
    return HARDSHRINK(input, lambd)


def softshrink(input: Any, lambd: float = 0.5) -> Any:
    """Return x moved towards 0 by λ, and 0 where |x| ≤ λ.

    Derivative: 1 where |x| > λ, else 0.
    """
    if lambd < 0:
        raise ArgumentError(f"lambda must be greater or equal to 0, but found to be {lambd}. Pass λ ≥ 0.")
    return SOFTSHRINK(input, lambd)


def threshold(input: Any, threshold: float, value: float) -> Any:
    """Return x where x > threshold, and value elsewhere.

    Derivative: 1 where x > threshold, else 0.
    """
    return THRESHOLD(input, threshold, value)


# ------------------------------------------------------------------ along an axis
def glu(input: Any, dim: int = -1) -> Any:
    """Return a σ(b), where a and b are the halves of x along ``dim``.

    Args:
        input: x, of even size along dim.
        dim: the axis to split into halves.

    Returns:
        A tensor of half that size.

    Raises:
        ShapeError: if the size is odd.

    >>> sg.nn.functional.glu(sg.tensor([1.0, 2.0, 0.0, 0.0]))
    tensor([0.5000, 1.0000])
    """
    sizes = shape(input)
    if not sizes:
        raise ShapeError("glu does not support 0-dimensional tensors. Pass an axis of an even size to halve.")
    n = sizes[axis_of(dim, len(sizes))]
    if n % 2 == 1:
        raise ShapeError(
            f"Halving dimension must be even, but dimension {dim} is size {n}. Choose another axis to halve."
        )
    a, b = chunk(input, 2, dim)
    return rename(MUL(a, UNARY["sigmoid"](b)), "Glu")


def softmin(input: Any, dim: int | None = None, *, dtype: Any = None) -> Any:
    """Return exp(-x) / Σ exp(-x) along one axis."""
    return softmax(NEG(input), dim, dtype=dtype)


def softplus(input: Any, beta: float = 1, threshold: float = 20) -> Any:
    """Return log(1 + exp(β x)) / β.

    Derivative: σ(β x).

    Args:
        input: tensor, array or number, any shape.
        beta: β.
        threshold: accepted and ignored. PyTorch returns x itself where β x > threshold, with an error of up to 2e-9;
            symgrad's kernel does not overflow, and needs no threshold.

    Returns:
        A tensor shaped like input.

    >>> sg.nn.functional.softplus(sg.tensor([0.0, 1000.0]))
    tensor([6.9315e-01, 1.0000e+03])
    """
    if beta == 1:
        return UNARY["softplus"](input)
    return rename(DIV(UNARY["softplus"](MUL(input, beta)), beta), "Softplus")
