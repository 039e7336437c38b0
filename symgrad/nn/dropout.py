"""Entries or channels left out at random while training, and slopes and classes drawn at random."""

from __future__ import annotations

from typing import Any

import numpy as np
import sympy as sp

from symgrad.engine.adapters import public
from symgrad.engine.generator import Generator, drawn
from symgrad.errors import ArgumentError, ArgumentTypeError, ShapeError, ValueNeeded
from symgrad.functions import argmax, log, softmax, where
from symgrad.ops.map import MUL, show_shape
from symgrad.ops.nn.activations import leaky_relu
from symgrad.ops.nn.layers import one_hot
from symgrad.ops.protocol import rename, shape
from symgrad.ops.reduction import float_of
from symgrad.support.arguments import misfit, shown


@public
def dropout(input: Any, p: float = 0.5, training: bool = True, *, generator: Generator | None = None) -> Any:
    """Set entries of x to 0 at random: x m/(1 - p), where each entry of m is 0 with probability p, and 1 otherwise.

    Outside training, the result is x itself. Derivative: m/(1 - p), for the m that was drawn.

    Args:
        input: x, any shape.
        p: the probability that an entry is set to 0.
        training: whether to apply dropout.
        inplace: whether to write the result into x.
        generator: the source of random numbers; by default the generator that ``manual_seed`` seeds.

    Returns:
        A tensor shaped like x, whose expected value is x.

    Raises:
        ArgumentError: if p lies outside [0, 1].
        ValueNeeded: if a size of x is symbolic.

    >>> sg.nn.functional.dropout(sg.tensor([1.0, 2.0]), training=False)
    tensor([1., 2.])
    """
    return _dropped("dropout", input, shape(input), p, training, generator)


def _dropped(name: str, x: Any, mask: Any, p: float, training: bool, generator: Generator | None) -> Any:
    """x times factors of the mask's shape."""
    check_share(name, p)
    sizes = shape(x)
    if not training or p == 0:
        return x
    if any(isinstance(n, sp.Expr) for n in sizes):
        raise ValueNeeded(f"{name}: got sizes {list(sizes)} without numbers, so no random numbers can be drawn.")
    return rename(MUL(x, drawn(generator, _factors, mask, p, float_of(x))), "Dropout")


def check_share(name: str, p: float) -> None:
    """Refuse what is not a share of entries."""
    if misfit("float", p):
        raise ArgumentTypeError(f"{name}: got p={shown(p)}. Expected a number between 0 and 1.")
    if not 0 <= p <= 1:
        raise ArgumentError(f"{name} probability has to be between 0 and 1, but got {p}. Expected a share of entries.")


def _factors(rng: Any, sizes: Any, p: float, dtype: Any) -> Any:
    """What each entry is multiplied by."""
    return np.where(rng.random(sizes) >= p, 0.0 if p == 1 else 1 / (1 - p), 0.0).astype(dtype)


# ------------------------------------------------------------------ whole channels
def _of_channels(name: str, x: Any, axes: tuple[int, ...], p: float, training: bool, generator: Any) -> Any:
    """Leave out channels: of x (N, C, …), or of x (C, …) where that is the first of the numbers of axes."""
    s = shape(x)
    if len(s) not in axes:
        raise ShapeError(f"{name}: Expected {' or '.join(f'{n}D' for n in axes)} input, but received {show_shape(s)}.")
    lead = 1 if len(s) == axes[0] else 2
    return _dropped(name, x, (*s[:lead], *(1,) * (len(s) - lead)), p, training, generator)


@public
def dropout1d(input: Any, p: float = 0.5, training: bool = True, *, generator: Generator | None = None) -> Any:
    """Set channels of x, (N, C, L) or (C, L), to 0 with probability p, and divide the others by 1 - p."""
    return _of_channels("dropout1d", input, (2, 3), p, training, generator)


@public
def dropout2d(input: Any, p: float = 0.5, training: bool = True, *, generator: Generator | None = None) -> Any:
    """Set channels of x, (N, C, H, W) or (N, C, L), to 0 with probability p, and divide the others by 1 - p."""
    return _of_channels("dropout2d", input, (2, 3, 4), p, training, generator)


@public
def dropout3d(input: Any, p: float = 0.5, training: bool = True, *, generator: Generator | None = None) -> Any:
    """Set channels of x, (N, C, D, H, W) or (C, D, H, W), to 0 with probability p, and divide the others by 1 - p."""
    return _of_channels("dropout3d", input, (4, 5), p, training, generator)


# ------------------------------------------------------------------ that keep mean and variance
_SATURATED = -1.7580993408473766  # what selu tends to: Klambauer et al. 2017, §3


def _alpha(name: str, x: Any, mask: Any, p: float, training: bool, generator: Any) -> Any:
    check_share(name, p)
    if not training or p == 0:
        return x
    if p == 1:
        return MUL(x, 0.0)
    scale = ((1 - p) * (1 + p * _SATURATED**2)) ** -0.5
    stays = drawn(generator, _factors, mask, p, float_of(x)) > 0
    return rename(where(stays, x, _SATURATED) * scale - scale * _SATURATED * p, "AlphaDropout")


@public
def alpha_dropout(input: Any, p: float = 0.5, training: bool = False, *, generator: Generator | None = None) -> Any:
    """Replace entries of x by -1.758 with probability p, and return a x + b, with mean 0 and variance 1.

    It is meant for networks with selu. Derivative: a, and 0 where x was replaced.

    Args:
        input: x, any shape.
        p: the probability that an entry is replaced.
        training: whether to replace entries; if not, the result is x itself.
        inplace: whether to write the result into x.
        generator: the source of random numbers.

    Source: Klambauer et al. 2017, "Self-normalizing neural networks".
    """
    return _alpha("alpha_dropout", input, shape(input), p, training, generator)


@public
def feature_alpha_dropout(
    input: Any, p: float = 0.5, training: bool = False, *, generator: Generator | None = None
) -> Any:
    """Apply ``alpha_dropout`` to whole channels of x, (N, C, …)."""
    s = shape(input)
    return _alpha("feature_alpha_dropout", input, (*s[:2], *(1,) * (len(s) - 2)), p, training, generator)


# ------------------------------------------------------------------ slopes and classes
@public
def rrelu(
    input: Any, lower: float = 1 / 8, upper: float = 1 / 3, training: bool = False, *,
    generator: Generator | None = None,
) -> Any:  # fmt: skip
    """Return x for x > 0, and a x otherwise.

    In training, a is drawn from [lower, upper) for each entry; otherwise it is (lower + upper)/2. Derivative: 1 for
    x > 0, and a otherwise.
    """
    if lower > upper:
        raise ArgumentError(f"rrelu: lower must be less than or equal to upper. Got {lower} and {upper}.")
    if not training:
        return rename(leaky_relu(input, (lower + upper) / 2), "Rrelu")
    slopes = drawn(generator, _uniform, shape(input), lower, upper, float_of(input))
    return rename(where(input > 0, input, slopes * input), "Rrelu")


def _uniform(rng: Any, sizes: Any, low: float, high: float, dtype: Any) -> Any:
    return rng.uniform(low, high, sizes).astype(dtype)


@public
def gumbel_softmax(
    logits: Any, tau: float = 1, hard: bool = False, eps: float = 1e-10, dim: int = -1, *,
    generator: Generator | None = None,
) -> Any:  # fmt: skip
    """Draw a smooth sample of a class with probabilities softmax(z): softmax((z + g)/τ), g = -log(-log u), u uniform.

    Args:
        logits: z, any shape.
        tau: τ; the smaller it is, the closer the sample is to a single class.
        hard: whether to return the class as ones and zeros, with the gradient of the smooth sample.
        eps: not used.
        dim: the axis of the classes.
        generator: the source of random numbers.

    Source: Jang, Gu and Poole 2017, "Categorical reparameterization with Gumbel-softmax".
    """
    noise = -log(drawn(generator, _exponential, shape(logits), float_of(logits)))
    soft = softmax((logits + noise) / tau, dim)
    if not hard:
        return soft
    one = one_hot(argmax(soft.detach(), dim), shape(logits)[dim]).movedim(-1, dim)
    return one - soft.detach() + soft


def _exponential(rng: Any, sizes: Any, dtype: Any) -> Any:
    return rng.standard_exponential(sizes).astype(dtype)
