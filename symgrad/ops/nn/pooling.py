"""Pooling: the maximum or the mean of each window."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import Any

import numpy as np

from symgrad.core.promotion import is_floating
from symgrad.errors import ArgumentError, ShapeError
from symgrad.ops.contract import permute, sum_axes
from symgrad.ops.convert import lengthened
from symgrad.ops.elementwise.declared import BINARY, divided
from symgrad.ops.keys import Positions
from symgrad.ops.map import ADD, DIV, MUL
from symgrad.ops.nn.windows import Sizes, around, batched, check_sizes, drop_batch, each, windows
from symgrad.ops.protocol import rename, shape
from symgrad.ops.reduction import is_float
from symgrad.ops.reductions.extremes import Arg, Extreme
from symgrad.ops.shape import Reshape
from symgrad.ops.shapes.padding import pad
from symgrad.ops.slicing import Gather


def max_pool1d(
    input: Any, kernel_size: Sizes, stride: Sizes | None = None, padding: Sizes = 0, dilation: Sizes = 1,
    ceil_mode: bool = False, return_indices: bool = False,
) -> Any:  # fmt: skip
    """The largest entry of each window along the last axis.

    Args:
        input: x (N, C, L) or (C, L).
        kernel_size: the size of a window.
        stride: the step between windows, a window's size by default.
        padding: how many places to add on either side; they never are the largest, nor get a gradient.
        dilation: the step within a window.
        ceil_mode: whether a last window may reach beyond the end.
        return_indices: return the pair of the result and the place of each entry in the last axis of x.

    Returns:
        A tensor (N, C, L') or (C, L'). The gradient goes to the first of equals.

    >>> sg.nn.functional.max_pool1d(sg.tensor([[1.0, 3.0, 2.0, 0.0]]), 2)
    tensor([[3., 2.]])
    """
    return _max_pool(1, input, kernel_size, stride, padding, dilation, ceil_mode, return_indices)


def max_pool2d(
    input: Any, kernel_size: Sizes, stride: Sizes | None = None, padding: Sizes = 0, dilation: Sizes = 1,
    ceil_mode: bool = False, return_indices: bool = False,
) -> Any:  # fmt: skip
    """The largest entry of each window over the last two axes.

    Args:
        input: x (N, C, H, W) or (C, H, W).
        kernel_size, stride, padding, dilation: as for ``max_pool1d``; one number, or one per axis.
        ceil_mode: whether last windows may reach beyond the end.
        return_indices: return the pair of the result and the places in the last two axes of x, flattened.

    Returns:
        A tensor (N, C, H', W') or (C, H', W').

    >>> sg.nn.functional.max_pool2d(sg.tensor([[[1.0, 3.0], [2.0, 0.0]]]), 2)
    tensor([[[3.]]])
    """
    return _max_pool(2, input, kernel_size, stride, padding, dilation, ceil_mode, return_indices)


def _max_pool(
    dims: int, x: Any, kernel_size: Sizes, stride: Sizes | None, padding: Sizes, dilation: Sizes, ceil_mode: bool,
    return_indices: bool,
) -> Any:  # fmt: skip
    x, single = batched(x, dims, f"max_pool{dims}d")
    size, wide = each(kernel_size, dims), each(padding, dims)
    steps, gaps, inside = each(size if stride in (None, (), []) else stride, dims), each(dilation, dims), shape(x)[2:]
    check_sizes(size, steps, gaps)
    _check_padding(size, wide, gaps)
    beyond = _beyond(inside, size, steps, wide, gaps) if ceil_mode else (0,) * dims
    windows = _windows_last(_read(x, size, steps, gaps, wide, beyond), dims)
    y = drop_batch(Extreme((2 + dims,), first=True, name=f"MaxPool{dims}D")(windows), single)
    if not return_indices:
        return y
    return y, drop_batch(_places(Arg(2 + dims)(windows), inside, size, steps, wide, gaps), single)


def _read(
    x: Any, size: Sequence[int], steps: Sequence[int], gaps: Sequence[int], wide: Sequence[int], beyond: Sequence[int]
) -> Any:  # fmt: skip
    """The windows, in whose padding the nearest entry of the same window stands again: it changes no maximum.

    So a window of -∞ has its first of equals inside x, and the gradient goes there. A window of nothing but padding, as
    a dilation can make one, has -∞ there.
    """
    if not any(wide) and not any(beyond):
        return windows(x, size, steps, gaps)
    axes = zip(shape(x)[2:], size, steps, gaps, wide, beyond, strict=True)
    places = [_nearest(n, k, step, gap, p, b) for n, k, step, gap, p, b in axes]
    if any(at is None for at in places):
        return windows(_extended(around(x, wide, _least(x)), beyond, _least(x)), size, steps, gaps)
    for d in reversed(range(len(size))):
        x = Gather(((2 + d, Positions(places[d])),), "Unfold")(x)
    return x


def _nearest(n: int, k: int, step: int, gap: int, p: int, b: int) -> Any:
    """The places (m, k) that m windows on an axis of n entries read, none outside; None where a window has no entry."""
    count = (n + 2 * p + b - gap * (k - 1) - 1) // step + 1
    at = np.add.outer(np.arange(count) * step - p, np.arange(k) * gap)
    inside = (at >= 0) & (at < n)
    if count < 1 or not inside.any(1).all():
        return None
    rows = np.arange(count)
    first, last = at[rows, inside.argmax(1)], at[rows, k - 1 - inside[:, ::-1].argmax(1)]
    return np.clip(at, first[:, None], last[:, None])


def _least(x: Any) -> Any:
    """What is never the largest entry."""
    dtype = getattr(x, "dtype", None)
    return float("-inf") if dtype is None or is_floating(dtype) else int(np.iinfo(dtype).min)


def _places(at: Any, inside: Sequence[int], size: Sequence[int], *geometry: Sequence[int]) -> Any:
    """The place in the flattened last axes of x of the entry with number ``at`` in each window."""
    dims, place, weight = len(size), None, 1
    for d, step, p, gap in reversed(list(zip(range(dims), *geometry, strict=True))):
        starts = np.arange(shape(at)[2 + d]) * step - p
        starts = starts.reshape([-1 if k == d else 1 for k in range(dims)])
        inner = BINARY["remainder"](at, size[d])
        if p:  # -∞ is no larger than the padding before it
            inner = BINARY["maximum"](inner, np.maximum(-(starts // gap), 0))
        here = MUL(ADD(MUL(inner, gap), starts), weight)
        place = here if place is None else ADD(place, here)
        at, weight = BINARY["floor_divide"](at, size[d]), weight * inside[d]
    return place


def _windows_last(x: Any, dims: int) -> Any:
    """Bring the entries of a window into one last axis."""
    if dims == 2:
        x = permute(x, (0, 1, 2, 4, 3, 5))
    s = shape(x)
    return Reshape((*s[: 2 + dims], prod(s[2 + dims :])))(x)


def _beyond(
    inside: Sequence[int], size: Sequence[int], steps: Sequence[int], wide: Sequence[int], gaps: Sequence[int]
) -> tuple[int, ...]:
    """How far the last window of each axis reaches beyond the padding; it begins inside or in the padding before."""
    lengths = []
    for n, k, step, p, gap in zip(inside, size, steps, wide, gaps, strict=True):
        span = gap * (k - 1) + 1
        count = -((span - n - 2 * p) // step) + 1
        if (count - 1) * step >= n + p:
            count -= 1
        lengths.append(max((count - 1) * step + span - n - 2 * p, 0))
    return tuple(lengths)


def _extended(x: Any, beyond: Sequence[int], value: float) -> Any:
    return pad(x, [p for b in reversed(beyond) for p in (0, b)], value=value) if any(beyond) else x


def _check_padding(size: Sequence[int], wide: Sequence[int], gaps: Sequence[int]) -> None:
    if any(2 * p > gap * (k - 1) + 1 or p < 0 for p, k, gap in zip(wide, size, gaps, strict=True)):
        raise ShapeError(
            f"pad should be at most half of effective kernel size, but got pad={list(wide)} and kernel {list(size)}."
        )


def avg_pool1d(
    input: Any, kernel_size: Sizes, stride: Sizes | None = None, padding: Sizes = 0, ceil_mode: bool = False,
    count_include_pad: bool = True,
) -> Any:  # fmt: skip
    """The mean of each window along the last axis.

    Args:
        input: x (N, C, L) or (C, L).
        kernel_size, stride: the size of a window; the step between windows, that size by default.
        padding: zeros on either side.
        ceil_mode: whether a last window may reach beyond the end; what lies there does not count.
        count_include_pad: whether the zeros of the padding count in the mean.

    Returns:
        A tensor (N, C, L') or (C, L'); of integers the means without their fractions.

    >>> sg.nn.functional.avg_pool1d(sg.tensor([[1.0, 3.0, 2.0, 0.0]]), 2)
    tensor([[2., 1.]])
    """
    return _avg_pool(1, input, kernel_size, stride, padding, ceil_mode, count_include_pad, None)


def avg_pool2d(
    input: Any, kernel_size: Sizes, stride: Sizes | None = None, padding: Sizes = 0, ceil_mode: bool = False,
    count_include_pad: bool = True, divisor_override: int | None = None,
) -> Any:  # fmt: skip
    """The mean of each window over the last two axes.

    Args:
        input: x (N, C, H, W) or (C, H, W).
        kernel_size, stride, padding, ceil_mode, count_include_pad: as for ``avg_pool1d``; one number, or one per axis.
        divisor_override: what to divide each sum by, in place of the number of entries.

    Returns:
        A tensor (N, C, H', W') or (C, H', W'); of integers the means without their fractions.

    >>> sg.nn.functional.avg_pool2d(sg.tensor([[[1.0, 3.0], [2.0, 0.0]]]), 2)
    tensor([[[1.5000]]])
    """
    return _avg_pool(2, input, kernel_size, stride, padding, ceil_mode, count_include_pad, divisor_override)


def _avg_pool(
    dims: int, x: Any, kernel_size: Sizes, stride: Sizes | None, padding: Sizes, ceil_mode: bool, zeros_count: bool,
    divisor: int | None,
) -> Any:  # fmt: skip
    x, single = batched(lengthened(x), dims, f"avg_pool{dims}d")
    size, wide, ones = each(kernel_size, dims), each(padding, dims), (1,) * dims
    steps, inside = each(size if stride in (None, (), []) else stride, dims), shape(x)[2:]
    check_sizes(size, steps, ones)
    _check_padding(size, wide, ones)
    beyond = _beyond(inside, size, steps, wide, ones) if ceil_mode else (0,) * dims
    added = _window_sums(_extended(around(x, wide), beyond, 0.0), size, steps)
    if divisor == 0:
        raise ArgumentError("divisor must be not zero. avg_pool2d: leave divisor_override out for the mean.")
    n: Any = prod(size) if divisor is None else divisor
    if divisor is None and (any(beyond) or (any(wide) and not zeros_count)):
        within = [(0 if zeros_count else p, b + (0 if zeros_count else p)) for p, b in zip(wide, beyond, strict=True)]
        there = [m + (2 * p if zeros_count else 0) for m, p in zip(inside, wide, strict=True)]
        counted = np.pad(np.ones(there, getattr(x, "dtype", None)), within)
        n = _window_sums(counted[None, None], size, steps)
    mean = DIV(added, n) if is_float(x) else divided(added, n, "trunc")  # PyTorch divides as integers
    return drop_batch(rename(mean, f"AvgPool{dims}D"), single)


def _window_sums(x: Any, size: Sequence[int], steps: Sequence[int]) -> Any:
    return sum_axes(windows(x, size, steps, (1,) * len(size)), [3 + 2 * d for d in range(len(size))])
