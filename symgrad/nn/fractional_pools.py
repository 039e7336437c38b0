"""Maxima of windows at random, irregular distances: fractional pooling."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import Any

import numpy as np

from symgrad.engine.adapters import public
from symgrad.engine.generator import Generator
from symgrad.engine.record import as_tensor
from symgrad.errors import ArgumentError, ShapeError
from symgrad.functions import cat, floor, gather, max
from symgrad.ops.map import show_shape
from symgrad.ops.nn.windows import Sizes, batched, check_sizes, each
from symgrad.support.arguments import check_all
from symgrad.tensors.random import rand

__all__ = ["fractional_max_pool2d", "fractional_max_pool3d"]


@public
def fractional_max_pool2d(
    input: Any, kernel_size: Sizes, output_size: Sizes | None = None,
    output_ratio: float | Sequence[float] | None = None, return_indices: bool = False, _random_samples: Any = None,
    *, generator: Generator | None = None,
) -> Any:  # fmt: skip
    """Return the maximum of each window along the last two axes. Window i starts at ⌊α (i + u)⌋ - ⌊α u⌋.

    Here α = (n - k)/(m - 1), and u is uniform in [0, 1), drawn for each image, channel and axis.

    Args:
        input: x (N, C, H, W) or (C, H, W).
        kernel_size: k, one number or one per axis, like all sizes.
        output_size: m; or
        output_ratio: m/n, between 0 and 1.
        return_indices: whether to return, in addition, the index of each entry in the flattened last axes of x.
        _random_samples: u (N, C, 2), drawn by default; W comes first along the last axis.
        generator: the source of random numbers; by default the generator that ``manual_seed`` seeds.

    Returns:
        A tensor (N, C, H′, W′) or (C, H′, W′).

    Raises:
        ArgumentError: if not exactly one of output_size and output_ratio is given.
        ShapeError: if the windows do not fit.

    Source: Graham 2014, "Fractional max-pooling".

    >>> sg.nn.functional.fractional_max_pool2d(sg.tensor([[[1.0, 2.0], [3.0, 4.0]]]), 1, output_size=2)
    tensor([[[1., 2.],
             [3., 4.]]])
    """
    return _pool(2, input, kernel_size, output_size, output_ratio, return_indices, _random_samples, generator)


@public
def fractional_max_pool3d(
    input: Any, kernel_size: Sizes, output_size: Sizes | None = None,
    output_ratio: float | Sequence[float] | None = None, return_indices: bool = False, _random_samples: Any = None,
    *, generator: Generator | None = None,
) -> Any:  # fmt: skip
    """Return the maximum of each window along the last three axes, like ``fractional_max_pool2d`` along two.

    Args:
        input: x (N, C, D, H, W) or (C, D, H, W).
        kernel_size, output_size, output_ratio, return_indices, generator: see ``fractional_max_pool2d``.
        _random_samples: u (N, C, 3), drawn by default; D comes first along the last axis.

    Returns:
        A tensor (N, C, D′, H′, W′) or (C, D′, H′, W′).

    Raises:
        ArgumentError: if not exactly one of output_size and output_ratio is given.
        ShapeError: if the windows do not fit.

    >>> sg.nn.functional.fractional_max_pool3d(sg.ones(1, 4, 4, 4), 2, output_ratio=0.5).shape
    (1, 2, 2, 2)
    """
    return _pool(3, input, kernel_size, output_size, output_ratio, return_indices, _random_samples, generator)


def _pool(
    dims: int, input: Any, kernel_size: Any, output_size: Any, output_ratio: Any, return_indices: bool, samples: Any,
    generator: Generator | None,
) -> Any:  # fmt: skip
    name = f"fractional_max_pool{dims}d"
    x, single = batched(input, dims, name)
    inside, size = x.shape[2:], each(kernel_size, dims)
    to = _sizes(name, dims, inside, output_size, output_ratio)
    check_sizes(size, to, size)
    if any(k + m - 1 > n for n, k, m in zip(inside, size, to, strict=True)):
        raise ShapeError(f"{name}: got windows {size} and output_size {to}. Expected less, for axes of {list(inside)}.")
    u = rand(*x.shape[:2], dims, dtype=x.dtype, generator=generator) if samples is None else as_tensor(samples)
    if u.shape != (*x.shape[:2], dims):
        raise ShapeError(f"{name}: got _random_samples {show_shape(u.shape)}. Expected {[*x.shape[:2], dims]}.")
    places: Any = 0
    for d, (n, k, m) in enumerate(zip(inside, size, to, strict=True)):
        starts = _starts(u[..., 1 - d if dims == 2 else d], n, k, m)
        at = starts.unsqueeze(-1) + as_tensor(np.arange(k))
        here = [m if j == d else k if j == dims + d else 1 for j in range(2 * dims)]
        places = places * n + at.reshape(*x.shape[:2], *here)
    places = places.reshape(*x.shape[:2], prod(to), prod(size))
    windows = gather(x.flatten(2), 2, places.flatten(2)).reshape(places.shape)
    y, at = max(windows, -1)
    shape = (*x.shape[:2], *to)
    y, at = y.reshape(shape), gather(places, 3, at.unsqueeze(-1)).reshape(shape)
    y, at = (y[0], at[0]) if single else (y, at)
    return (y, at) if return_indices else y


def _sizes(name: str, dims: int, inside: Any, output_size: Any, output_ratio: Any) -> list[int]:
    if (output_size is None) == (output_ratio is None):
        raise ArgumentError(f"{name}: got output_size={output_size} and output_ratio={output_ratio}. Pass one of them.")
    if output_size is not None:
        return list(each(output_size, dims))
    ratios = [output_ratio] * dims if isinstance(output_ratio, (int, float)) else list(output_ratio)
    if len(ratios) != dims or not all(0 < r < 1 for r in ratios):
        raise ArgumentError(
            f"{name}: got output_ratio={output_ratio}. Expected numbers between 0 and 1, one or {dims}."
        )
    return [int(n * r) for n, r in zip(inside, ratios, strict=True)]


def _starts(u: Any, n: int, k: int, m: int) -> Any:
    """Where m windows of k entries start on an axis of n; the last one ends with the axis."""
    last = as_tensor(np.full((*u.shape, 1), n - k))
    if m == 1:
        return last
    u, width = u.detach().unsqueeze(-1), (n - k) / (m - 1)
    steps = floor((u + as_tensor(np.arange(m - 1))) * width) - floor(u * width)
    return cat([steps.to(np.int64), last], -1)


check_all(globals(), __all__)
