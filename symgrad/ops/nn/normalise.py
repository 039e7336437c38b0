"""Normalisation: entries less their mean over their standard deviation, over layers, batches, groups, instances.

Written in variance and elementwise, so that every reading of these is one of this.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import sympy as sp

from symgrad.core.node import Shape
from symgrad.errors import ArgumentError, ShapeError
from symgrad.ops.convert import in_single
from symgrad.ops.elementwise.declared import power
from symgrad.ops.indexing.select import along
from symgrad.ops.map import ADD, DIV, IDENTITY, MUL, Map, show_shape
from symgrad.ops.protocol import rename, shape
from symgrad.ops.reduction import is_float
from symgrad.ops.reductions.variance import Var, mean_of
from symgrad.ops.shape import Reshape, total
from symgrad.ops.shapes.padding import pad
from symgrad.scalars import X

CENTRED = Map(lambda: (X[0] - X[1]) / sp.sqrt(X[2] + X[3]), 4, "Normalised")
SCALED = Map(lambda: X[0] / sp.sqrt(X[1] + X[2]), 3, "RmsNorm")
SQUARED = Map(lambda: X[0] ** 2, 1, "Pow")


def standardised(x: Any, axes: Sequence[int], eps: float) -> Any:
    """(x - μ)/√(σ² + ε), mean and variance along the axes; x itself where it has no entries, so that none is 1/0."""
    axes = tuple(axes)
    if total(shape(x)) == 0:
        return IDENTITY(x)
    return in_single(lambda x: CENTRED(x, mean_of(x, axes), Var(axes, True, 0)(x), eps), x)


def affine(y: Any, weight: Any, bias: Any, name: str) -> Any:
    """Return y w + b, each where given, under PyTorch's name."""
    if weight is not None:
        y = MUL(y, weight)
    if bias is not None:
        y = ADD(y, bias)
    return rename(y, name)


def layer_norm(
    input: Any, normalized_shape: Sequence[int], weight: Any = None, bias: Any = None, eps: float = 1e-5
) -> Any:
    """Return (x - μ)/√(σ² + ε) w + b, with the mean and the variance over the last axes.

    Args:
        input: x, (…, *normalized_shape).
        normalized_shape: the sizes of the axes to normalise over, or one size.
        weight, bias: w and b, of shape normalized_shape.
        eps: ε.

    Returns:
        A tensor shaped like x.

    Raises:
        ShapeError: if the sizes of the last axes of x differ.

    >>> sg.nn.functional.layer_norm(sg.tensor([1.0, 3.0]), (2,), eps=0.0)
    tensor([-1.,  1.])
    """
    return affine(standardised(input, _last(input, normalized_shape, weight, bias), eps), weight, bias, "LayerNorm")


def rms_norm(input: Any, normalized_shape: Sequence[int], weight: Any = None, eps: float | None = None) -> Any:
    """Return x/√(mean x² + ε) w, with the mean over the last axes.

    Args:
        input: x, (…, *normalized_shape).
        normalized_shape: the sizes of the axes to normalise over, or one size.
        weight: w, of shape normalized_shape.
        eps: ε; by default the machine epsilon.

    Returns:
        A tensor shaped like x.

    Raises:
        ShapeError: if the sizes of the last axes of x differ.

    >>> sg.nn.functional.rms_norm(sg.tensor([3.0, -4.0, 0.0, 0.0]), (4,))
    tensor([ 1.2000, -1.6000,  0.0000,  0.0000])
    """
    axes = _last(input, normalized_shape, weight, None)
    if eps is None:
        eps = float(np.finfo(getattr(input, "dtype", np.float64)).eps)
    return affine(in_single(lambda x: SCALED(x, mean_of(SQUARED(x), axes), eps), input), weight, None, "RmsNorm")


def _last(x: Any, sizes: Any, *given: Any) -> tuple[int, ...]:
    """Return the axes that layers are normalised over, after checking the sizes."""
    sizes, s = (sizes,) if isinstance(sizes, int) else tuple(sizes), shape(x)
    if not sizes:
        raise ShapeError(
            "Expected normalized_shape to be at least 1-dimensional, i.e., containing at least one element, but got "
            "normalized_shape = []. Pass the sizes of the last axes."
        )
    if s[max(len(s) - len(sizes), 0) :] != sizes:
        raise ShapeError(
            f"Given normalized_shape={list(sizes)}, expected input with shape "
            f"[*, {', '.join(map(str, sizes))}], but got input of size{list(s)}. Pass the sizes of the last axes."
        )
    for w in given:
        if w is not None and shape(w) != sizes:
            raise ShapeError(
                "Expected weight and bias to be of same shape as normalized_shape, but got shape "
                f"{show_shape(shape(w))} and normalized_shape = {show_shape(sizes)}."
            )
    return tuple(range(len(s) - len(sizes), len(s)))


def group_norm(input: Any, num_groups: int, weight: Any = None, bias: Any = None, eps: float = 1e-5) -> Any:
    """Return (x - μ)/√(σ² + ε) w + b, with the mean and the variance over each group of channels of each sample.

    Args:
        input: x, (N, C, …).
        num_groups: a divisor of C.
        weight, bias: w and b, (C,).
        eps: ε.

    Returns:
        A tensor shaped like x.

    Raises:
        ShapeError: if C is not a multiple of num_groups, or x has fewer than two axes.

    >>> sg.nn.functional.group_norm(sg.tensor([[1.0, 3.0, 0.0, 8.0]]), 2, eps=0.0)
    tensor([[-1.,  1., -1.,  1.]])
    """
    s = check_channels("group_norm", input, weight, bias)
    if num_groups < 1 or s[1] % num_groups:
        raise ShapeError(
            "Expected number of channels in input to be divisible by num_groups, but got input of shape "
            f"{show_shape(s)} and num_groups={num_groups}. Pass a divisor of {s[1]}."
        )
    groups = Reshape((s[0], num_groups, total(s[1:]) // num_groups))(input)
    y = Reshape(s)(standardised(groups, (2,), eps))
    return affine(y, on_channels(weight, len(s)), on_channels(bias, len(s)), "NativeGroupNorm")


def local_response_norm(input: Any, size: int, alpha: float = 1e-4, beta: float = 0.75, k: float = 1.0) -> Any:
    """Return x/(k + α m)^β with the mean m of x² over ``size`` neighbouring channels; channels beyond the ends are 0.

    Args:
        input: x, (N, C, …), with three axes or more.
        size: the number of channels in a mean: size // 2 before, and (size - 1) // 2 after.
        alpha, beta, k: α, β and k.

    Returns:
        A tensor shaped like x.

    Raises:
        ShapeError: if x has too few axes.

    Source: Krizhevsky et al. 2012, "ImageNet classification with deep convolutional neural networks", §3.3.

    >>> sg.nn.functional.local_response_norm(sg.tensor([[[3.0], [4.0]]]), 2, alpha=2.0, beta=0.5, k=0.0)
    tensor([[[1.0000],
             [0.8000]]])
    """
    s = shape(input)
    if len(s) < 3:
        raise ShapeError(f"Expected 3D or higher dimensionality input (got {len(s)} dimensions, {show_shape(s)}).")
    zeros = (0, 0) * (len(s) - 2)
    squares = pad(SQUARED(input), (*zeros, size // 2, (size - 1) // 2))
    sums = along(squares, 1, 0, s[1])
    for j in range(1, size):
        sums = ADD(sums, along(squares, 1, j, j + s[1]))
    return rename(DIV(input, power(ADD(MUL(sums, alpha / size), k), beta)), "LocalResponseNorm")


def check_channels(name: str, x: Any, *given: Any) -> Shape:
    """Return the shape of x, (N, C, …), after checking it and what is given per channel."""
    s = shape(x)
    if len(s) < 2:
        raise ShapeError(f"Expected at least 2 dimensions for input tensor but received {len(s)}. {name}: pass (N, C).")
    for w in given:
        if w is not None and shape(w) != (s[1],):
            raise ShapeError(
                f"{name}: expected weight, bias, mean and variance to be vectors of size equal to the number of "
                f"channels in input, but got {show_shape(shape(w))} and input of shape {show_shape(s)}."
            )
    if not is_float(x):
        raise ArgumentError(
            f"{name}: expected floating-point numbers. Got dtype {x.dtype}; convert it with .to(float)."
        )
    return s


def on_channels(w: Any, ndim: int) -> Any:
    """Give what stands for channels the axes of (N, C, …)."""
    return w if w is None or ndim == 2 else Reshape((-1 if not shape(w) else shape(w)[0], *(1,) * (ndim - 2)))(w)


def channel_axes(ndim: int) -> tuple[int, ...]:
    """Return all axes but that of the channels."""
    return (0, *range(2, ndim))


def by_given(x: Any, statistics: tuple[Any, Any], eps: float) -> Any:
    """(x - μ)/√(σ² + ε), mean and variance of each channel given."""
    ndim = len(shape(x))
    mean, var = (on_channels(s, ndim) for s in statistics)
    return CENTRED(x, mean, var, eps)
