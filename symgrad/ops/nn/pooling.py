"""Pooling: the maximum or the mean of each window."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import Any

import numpy as np

from symgrad.core.promotion import is_floating
from symgrad.errors import ArgumentError, IndexRangeError, ShapeError
from symgrad.ops.contract import permute, sum_axes
from symgrad.ops.convert import Cast, lengthened
from symgrad.ops.elementwise.declared import BINARY, CLAMP_MIN, divided, power
from symgrad.ops.indexing.gather import index_add
from symgrad.ops.keys import Positions, is_unknown
from symgrad.ops.map import ADD, DIV, MUL, show_shape
from symgrad.ops.nn.windows import MOST_PARTS, Sizes, around, batched, check_sizes, drop_batch, each, for_axes, windows
from symgrad.ops.protocol import rename, shape
from symgrad.ops.reduction import is_float
from symgrad.ops.reductions.extremes import Arg, Extreme
from symgrad.ops.reductions.merging import scatter
from symgrad.ops.shape import Reshape
from symgrad.ops.shapes.padding import pad
from symgrad.ops.slicing import Gather


def _window(
    x: Any, dims: int, kernel_size: Sizes, stride: Sizes | None, padding: Sizes, dilation: Sizes, ceil_mode: bool
) -> tuple[Any, ...]:
    """Return, for each axis, a window's size and step, what is added before, the step within, and what lies beyond."""
    size, wide, gaps = each(kernel_size, dims), each(padding, dims), each(dilation, dims)
    steps = each(size if stride in (None, (), []) else stride, dims)
    check_sizes(size, steps, gaps)
    _check_padding(size, wide, gaps)
    beyond = _beyond(shape(x)[2:], size, steps, wide, gaps) if ceil_mode else (0,) * dims
    return size, steps, wide, gaps, beyond


def _max_pool(
    dims: int, input: Any, kernel_size: Sizes, stride: Sizes | None = None, padding: Sizes = 0, dilation: Sizes = 1,
    ceil_mode: bool = False, return_indices: bool = False,
) -> Any:  # fmt: skip
    """Return the largest entry of each window along the {axes}.

    Args:
        input: x (N, C, …) or (C, …).
        kernel_size: the size of a window; one number, or one per axis, like all sizes.
        stride: the step between windows, by default the size of a window.
        padding: the number of entries to add on either side, which are never the maximum.
        dilation: the step within a window.
        ceil_mode: whether the last windows may extend beyond the end.
        return_indices: whether to return, in addition, the index of each entry in the flattened last axes of x.

    Returns:
        A tensor (N, C, …) or (C, …). Among equal entries, the gradient flows to the first.

    >>> sg.nn.functional.max_pool1d(sg.tensor([[1.0, 3.0, 2.0, 0.0]]), 2)
    tensor([[3., 2.]])
    """
    x, single = batched(input, dims, f"max_pool{dims}d")
    size, steps, wide, gaps, beyond = _window(x, dims, kernel_size, stride, padding, dilation, ceil_mode)
    windows = _windows_last(_read(x, size, steps, gaps, wide, beyond), dims)
    y = drop_batch(Extreme((2 + dims,), first=True, name=f"MaxPool{dims}D")(windows), single)
    if not return_indices:
        return y
    at = Arg(2 + dims)(windows)
    starts = [np.arange(m) * step - p for m, step, p in zip(shape(at)[2:], steps, wide, strict=True)]
    return y, drop_batch(_places(at, shape(x)[2:], size, starts, gaps), single)


def _part_counts(dims: int, output_size: Sizes | None, x: Any) -> list[int]:
    """Return into how many parts each axis is divided."""
    inside = shape(x)[2:]
    to = [n if m is None else m for m, n in zip(each(output_size, dims), inside, strict=True)]
    if any(not 0 < m < MOST_PARTS for m in to) or 0 in inside:
        raise ArgumentError(
            f"adaptive_max_pool{dims}d: got output_size {output_size} for an input of shape {show_shape(shape(x))}. "
            f"Expected sizes from 1 to {MOST_PARTS - 1}, of axes with entries."
        )
    return to


def _adaptive_max_pool(dims: int, input: Any, output_size: Sizes | None, return_indices: bool = False) -> Any:
    """Return the largest entry of x in each of m parts along the {axes}; part i is from ⌊i n/m⌋ to ⌈(i + 1) n/m⌉.

    Args:
        input: x (N, C, …) or (C, …).
        output_size: m, one number or one per axis; None leaves an axis unchanged.
        return_indices: whether to return, in addition, the index of each entry in the flattened last axes of x.

    Returns:
        A tensor (N, C, …) or (C, …). Among equal entries, the gradient flows to the first.

    >>> sg.nn.functional.adaptive_max_pool1d(sg.tensor([[1.0, 3.0, 5.0]]), 2)
    tensor([[3., 5.]])
    """
    # Parts differ in length by one or two: a shorter one has its last entry again, which changes no maximum.
    x, single = batched(input, dims, f"adaptive_max_pool{dims}d")
    inside = shape(x)[2:]
    to = _part_counts(dims, output_size, x)
    starts = [np.arange(m) * n // m for m, n in zip(to, inside, strict=True)]
    ends = [-(-(np.arange(m) + 1) * n // m) for m, n in zip(to, inside, strict=True)]
    size = [int((e - s).max()) for s, e in zip(starts, ends, strict=True)]
    for d in reversed(range(dims)):
        places = np.minimum(starts[d][:, None] + np.arange(size[d]), ends[d][:, None] - 1)
        x = Gather(((2 + d, Positions(places)),), "Unfold")(x)
    windows = _windows_last(x, dims)
    y = drop_batch(Extreme((2 + dims,), first=True, name=f"AdaptiveMaxPool{dims}D")(windows), single)
    if not return_indices:
        return y
    return y, drop_batch(_places(Arg(2 + dims)(windows), inside, size, starts, (1,) * dims), single)


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


def _places(
    at: Any, inside: Sequence[int], size: Sequence[int], starts: Sequence[Any], gaps: Sequence[int]
) -> Any:  # fmt: skip
    """The place in the flattened last axes of x of the entry with number ``at`` in each window."""
    dims, place, weight = len(size), None, 1
    for d in reversed(range(dims)):
        start, gap = starts[d].reshape([-1 if k == d else 1 for k in range(dims)]), gaps[d]
        inner = BINARY["remainder"](at, size[d])
        if starts[d].min() < 0:  # -∞ is no larger than the padding before it
            inner = BINARY["maximum"](inner, np.maximum(-(start // gap), 0))
        here = MUL(ADD(MUL(inner, gap), start), weight)
        place = here if place is None else ADD(place, here)
        at, weight = BINARY["floor_divide"](at, size[d]), weight * inside[d]
    return place


def _windows_last(x: Any, dims: int) -> Any:
    """Bring the entries of a window into one last axis."""
    if dims > 1:
        x = permute(x, [0, 1, *range(2, 2 + 2 * dims, 2), *range(3, 3 + 2 * dims, 2)])
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


def _avg_pool(
    dims: int, input: Any, kernel_size: Sizes, stride: Sizes | None = None, padding: Sizes = 0,
    ceil_mode: bool = False, count_include_pad: bool = True, divisor_override: int | None = None,
) -> Any:  # fmt: skip
    """Return the mean of each window along the {axes}.

    Args:
        input: x (N, C, …) or (C, …).
        kernel_size, stride: the size of a window; and the step between windows, by default this size.
        padding: the number of zeros on either side.
        ceil_mode: whether the last window may extend beyond the end; entries there do not count.
        count_include_pad: whether the zeros of the padding count in the mean.
        divisor_override: a divisor for each sum, instead of the number of entries.

    Returns:
        A tensor (N, C, …) or (C, …); for integers, the means without their fractions.

    >>> sg.nn.functional.avg_pool1d(sg.tensor([[1.0, 3.0, 2.0, 0.0]]), 2)
    tensor([[2., 1.]])
    """
    x, single = batched(lengthened(input), dims, f"avg_pool{dims}d")
    size, steps, wide, _, beyond = _window(x, dims, kernel_size, stride, padding, 1, ceil_mode)
    added = _window_sums(_extended(around(x, wide), beyond, 0.0), size, steps)
    if divisor_override == 0:
        raise ArgumentError(f"divisor must be not zero. avg_pool{dims}d: omit divisor_override for the mean.")
    n: Any = prod(size) if divisor_override is None else divisor_override
    if divisor_override is None and (any(beyond) or (any(wide) and not count_include_pad)):
        n = _window_sums(_counted(x, wide, beyond, with_padding=count_include_pad)[None, None], size, steps)
    mean = DIV(added, n) if is_float(x) else divided(added, n, "trunc")  # PyTorch divides as integers
    return drop_batch(rename(mean, f"AvgPool{dims}D"), single)


def _counted(x: Any, wide: Sequence[int], beyond: Sequence[int], *, with_padding: bool) -> Any:
    """1 for each entry that counts in a mean, and 0 for the padding that does not and what lies beyond it."""
    pads = [(0, b) if with_padding else (p, p + b) for p, b in zip(wide, beyond, strict=True)]
    there = [m + (2 * p if with_padding else 0) for m, p in zip(shape(x)[2:], wide, strict=True)]
    return np.pad(np.ones(there, getattr(x, "dtype", None)), pads)


def _window_sums(x: Any, size: Sequence[int], steps: Sequence[int]) -> Any:
    return sum_axes(windows(x, size, steps, (1,) * len(size)), [3 + 2 * d for d in range(len(size))])


def _lp_pool(
    dims: int, input: Any, norm_type: float, kernel_size: Sizes, stride: Sizes | None = None, ceil_mode: bool = False
) -> Any:
    """Return (Σ xᵖ)^(1/p) of each window along the {axes}.

    Args:
        input: x (N, C, …) or (C, …).
        norm_type: p.
        kernel_size, stride, ceil_mode: see ``avg_pool1d``.

    Returns:
        A tensor (N, C, …) or (C, …).

    >>> sg.nn.functional.lp_pool1d(sg.tensor([[3.0, 4.0]]), 2, 2)
    tensor([[5.]])
    """
    means = _avg_pool(dims, power(input, norm_type), kernel_size, stride, 0, ceil_mode, True, None)
    return power(MUL(means, prod(each(kernel_size, dims))), 1.0 / norm_type)


def _unpooled(rest: Any, steps: Any, size: Any, wide: Any, output_size: Sequence[int] | None) -> list[int]:
    """Return the sizes that a pool made these of: the usual ones, or those near them that are requested."""
    usual = [(m - 1) * t + k - 2 * p for m, t, k, p in zip(rest, steps, size, wide, strict=True)]
    to = usual if output_size is None else [int(m) for m in output_size][-len(usual) :]
    if len(to) != len(usual) or any(not u - t < m < u + t for m, u, t in zip(to, usual, steps, strict=True)):
        raise ShapeError(
            f"invalid output_size {output_size}: expected sizes near {usual}, less than one stride {list(steps)} away."
        )
    return to


# ------------------------------------------------------------------ maxima put back
def _check_places(dims: int, places: Any, count: int) -> None:
    if places is not None and not np.all((np.asarray(places) >= 0) & (np.asarray(places) < count)):
        raise IndexRangeError(f"max_unpool{dims}d: found an invalid max index. Expected 0 to {count - 1}.")


def _max_unpool(
    dims: int, input: Any, indices: Any, kernel_size: Sizes, stride: Sizes | None = None, padding: Sizes = 0,
    output_size: Sequence[int] | None = None,
) -> Any:  # fmt: skip
    """Undo max pooling along the {axes} in part: return x at its positions, with zeros elsewhere.

    Args:
        input, indices: x (N, C, …) or (C, …), and the indices from ``max_pool1d(…, return_indices=True)``.
        kernel_size, stride, padding: the arguments of the pool.
        output_size: the sizes of the result, or its shape, if the input of the pool did not have the default sizes.

    Returns:
        A tensor (N, C, …) or (C, …).

    Raises:
        ShapeError: if the pool cannot have come from an array of size output_size.
        IndexRangeError: if an index is out of range.

    >>> sg.nn.functional.max_unpool1d(sg.tensor([[3.0, 2.0]]), sg.tensor([[1, 2]]), 2)
    tensor([[0., 3., 2., 0.]])
    """
    x, single = batched(input, dims, f"max_unpool{dims}d")
    at = batched(indices, dims, f"max_unpool{dims}d")[0]
    size, wide = each(kernel_size, dims), each(padding, dims)
    steps, (n, c, *rest) = each(size if stride in (None, (), []) else stride, dims), shape(x)
    to = _unpooled(rest, steps, size, wide, output_size)
    _check_places(dims, getattr(at, "_value", at), prod(to))
    flat, rows = prod(to), np.arange(n * c).reshape(n, c, 1) * prod(to)
    places = Reshape((n * c * prod(rest),))(ADD(Reshape((n, c, prod(rest)))(at), rows))
    y = Reshape((n, c, *to))(_put(Reshape((n * c * prod(rest),))(x), places, n * c * flat))
    return drop_batch(rename(y, f"MaxUnpool{dims}D"), single)


def _put(x: Any, places: Any, length: int) -> Any:
    """A vector of zeros with the entries of x at these places; of equals, which one place may get from several, one."""
    if not is_unknown(places):
        return scatter(np.zeros(length, getattr(x, "dtype", None)), 0, places, x)
    wide, divide = (x, DIV) if is_float(x) else (Cast(np.dtype(np.int64))(x), BINARY["floor_divide"])
    zeros = np.zeros(length, getattr(wide, "dtype", None))
    counts = index_add(zeros, 0, places, np.ones(shape(x), zeros.dtype))
    y = divide(index_add(zeros, 0, places, wide), CLAMP_MIN(counts, 1))
    return y if wide is x else Cast(x.dtype)(y)


max_pool1d, max_pool2d, max_pool3d = for_axes(_max_pool)
avg_pool1d, avg_pool2d, avg_pool3d = for_axes(_avg_pool)
lp_pool1d, lp_pool2d, lp_pool3d = for_axes(_lp_pool)
adaptive_max_pool1d, adaptive_max_pool2d, adaptive_max_pool3d = for_axes(_adaptive_max_pool)
max_unpool1d, max_unpool2d, max_unpool3d = for_axes(_max_unpool)
