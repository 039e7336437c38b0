"""Windows that slide along axes: convolution and pooling. Imports padding, extremes and below.

A window is a Take of the positions start·stride + offset·dilation; what is done with it is a contraction, a mean
or a maximum.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import Any

import numpy as np

from symgrad.errors import ArgumentError, ShapeError
from symgrad.ops.contract import Einsum, permute, sum_axes
from symgrad.ops.extremes import Extreme
from symgrad.ops.keys import Positions
from symgrad.ops.map import ADD, DIV, show_shape
from symgrad.ops.padding import pad
from symgrad.ops.parts import Take
from symgrad.ops.protocol import rename, shape
from symgrad.ops.shape import Reshape

Sizes = int | Sequence[int]


def _each(sizes: Any, dims: int) -> tuple[int, ...]:
    found = (sizes,) * dims if isinstance(sizes, int) else tuple(sizes)
    return found * dims if len(found) == 1 else found


def windows(x: Any, size: Sequence[int], stride: Sequence[int], dilation: Sequence[int]) -> Any:
    """(…, n) to (…, m, k) in place of each of the last axes: m windows of k entries."""
    first = len(shape(x)) - len(size)
    for d in range(len(size) - 1, -1, -1):
        n = shape(x)[first + d]
        count = (n - dilation[d] * (size[d] - 1) - 1) // stride[d] + 1
        if count < 1:
            raise ShapeError(
                f"Kernel size can't be greater than actual input size. Got {size[d]} entries, {dilation[d]} apart, on "
                f"an axis of {n} entries with the padding."
            )
        places = np.add.outer(np.arange(count) * stride[d], np.arange(size[d]) * dilation[d])
        x = Take(((first + d, Positions(places)),), "Unfold")(x)
    return x


def _around(x: Any, padding: Sequence[int], value: float = 0.0) -> Any:
    return pad(x, [p for k in reversed(padding) for p in (k, k)], value=value) if any(padding) else x


def _batched(x: Any, dims: int, name: str) -> tuple[Any, bool]:
    """Return x as (N, C, …), and whether it came without N."""
    s = shape(x)
    if len(s) not in (dims + 1, dims + 2):
        raise ShapeError(
            f"Expected {dims + 1}D (unbatched) or {dims + 2}D (batched) input to {name}, but got input of size: "
            f"{show_shape(s)}. Add or drop axes."
        )
    return (x, False) if len(s) == dims + 2 else (Reshape((1, *s))(x), True)


def _drop_batch(y: Any, single: bool) -> Any:
    return Reshape(shape(y)[1:])(y) if single else y


# ------------------------------------------------------------------ convolution
def conv1d(
    input: Any, weight: Any, bias: Any = None, stride: Sizes = 1, padding: Sizes | str = 0, dilation: Sizes = 1,
    groups: int = 1,
) -> Any:  # fmt: skip
    """y[n, f, i] = Σ W[f, c, k] x[n, c, i·stride + k·dilation] + b[f].

    Args:
        input: x (N, C, L) or (C, L).
        weight: W (F, C/groups, K).
        bias: b (F,).
        stride, dilation: the steps between windows, and within one.
        padding: zeros on either side; 'valid' for none, 'same' for as many as keep L.
        groups: in how many groups channels are convolved, each with its own filters.

    Returns:
        A tensor (N, F, L') or (F, L').

    Raises:
        ShapeError: the sizes do not fit.

    >>> sg.nn.functional.conv1d(sg.tensor([[1.0, 2.0, 4.0]]), sg.tensor([[[-1.0, 1.0]]]))
    tensor([[1., 2.]])
    """
    return _conv(1, input, weight, bias, stride, padding, dilation, groups)


def conv2d(
    input: Any, weight: Any, bias: Any = None, stride: Sizes = 1, padding: Sizes | str = 0, dilation: Sizes = 1,
    groups: int = 1,
) -> Any:  # fmt: skip
    """y[n, f, i, j] = Σ W[f, c, k, l] x[n, c, i·stride + k·dilation, j·stride + l·dilation] + b[f].

    Args:
        input: x (N, C, H, W) or (C, H, W).
        weight: W (F, C/groups, K, L).
        bias, stride, padding, dilation, groups: as for ``conv1d``; one number, or one per axis.

    Returns:
        A tensor (N, F, H', W') or (F, H', W').

    Raises:
        ShapeError: the sizes do not fit.

    >>> sg.nn.functional.conv2d(sg.ones(1, 1, 3, 3), sg.ones(1, 1, 2, 2)).shape
    (1, 1, 2, 2)
    """
    return _conv(2, input, weight, bias, stride, padding, dilation, groups)


def _conv(
    dims: int, x: Any, weight: Any, bias: Any, stride: Sizes, padding: Any, dilation: Sizes, groups: int
) -> Any:  # fmt: skip
    x, single = _batched(x, dims, f"conv{dims}d")
    (n, c, *_), (f, *rest) = shape(x), shape(weight)
    steps, gaps = _each(stride, dims), _each(dilation, dims)
    if len(rest) != dims + 1 or f % groups or rest[0] * groups != c:
        raise ShapeError(
            f"Given groups={groups}, weight of size {show_shape(shape(weight))}, expected input{show_shape(shape(x))} "
            f"to have {rest[0] * groups} channels, but got {c} channels instead."
        )
    x = windows(_padded(x, padding, rest[1:], steps, gaps), rest[1:], steps, gaps)
    x = Reshape((n, groups, c // groups, *shape(x)[2:]))(x)
    W = Reshape((groups, f // groups, *rest))(weight)
    spec = "ngchi,gfci->ngfh" if dims == 1 else "ngchiwj,gfcij->ngfhw"
    y = Einsum.of(spec)(x, W)
    y = Reshape((n, f, *shape(y)[3:]))(y)
    if bias is not None:
        y = ADD(y, Reshape((f, *(1,) * dims))(bias))
    return rename(_drop_batch(y, single), "Convolution")


def _padded(x: Any, padding: Any, size: Sequence[int], steps: Sequence[int], gaps: Sequence[int]) -> Any:
    if padding == "valid":
        return x
    if padding != "same":
        return _around(x, _each(padding, len(size)))
    if any(s != 1 for s in steps):
        raise ArgumentError("padding='same' is not supported for strided convolutions. Pass numbers of zeros.")
    totals = [g * (k - 1) for k, g in zip(size, gaps, strict=True)]
    return pad(x, [p for t in reversed(totals) for p in (t // 2, t - t // 2)])


# ------------------------------------------------------------------ pooling
def max_pool1d(
    input: Any, kernel_size: Sizes, stride: Sizes | None = None, padding: Sizes = 0, dilation: Sizes = 1
) -> Any:
    """The largest entry of each window along the last axis.

    Args:
        input: x (N, C, L) or (C, L).
        kernel_size: the size of a window.
        stride: the step between windows, a window's size by default.
        padding: how many places to add on either side; they never are the largest.
        dilation: the step within a window.

    Returns:
        A tensor (N, C, L') or (C, L'). The gradient goes to the first of equals.

    >>> sg.nn.functional.max_pool1d(sg.tensor([[1.0, 3.0, 2.0, 0.0]]), 2)
    tensor([[3., 2.]])
    """
    return _max_pool(1, input, kernel_size, stride, padding, dilation)


def max_pool2d(
    input: Any, kernel_size: Sizes, stride: Sizes | None = None, padding: Sizes = 0, dilation: Sizes = 1
) -> Any:
    """The largest entry of each window over the last two axes.

    Args:
        input: x (N, C, H, W) or (C, H, W).
        kernel_size, stride, padding, dilation: as for ``max_pool1d``; one number, or one per axis.

    Returns:
        A tensor (N, C, H', W') or (C, H', W').

    >>> sg.nn.functional.max_pool2d(sg.tensor([[[1.0, 3.0], [2.0, 0.0]]]), 2)
    tensor([[[3.]]])
    """
    return _max_pool(2, input, kernel_size, stride, padding, dilation)


def _max_pool(dims: int, x: Any, kernel_size: Sizes, stride: Sizes | None, padding: Sizes, dilation: Sizes) -> Any:
    x, single = _batched(x, dims, f"max_pool{dims}d")
    size, wide = _each(kernel_size, dims), _each(padding, dims)
    _check_padding(size, wide)
    x = windows(_around(x, wide, float("-inf")), size, _each(stride or size, dims), _each(dilation, dims))
    y = Extreme((2 + dims,), first=True, name=f"MaxPool{dims}D")(_windows_last(x, dims))
    return _drop_batch(y, single)


def _windows_last(x: Any, dims: int) -> Any:
    """Bring the entries of a window into one last axis."""
    if dims == 2:
        x = permute(x, (0, 1, 2, 4, 3, 5))
    s = shape(x)
    return Reshape((*s[: 2 + dims], prod(s[2 + dims :])))(x)


def _check_padding(size: Sequence[int], wide: Sequence[int]) -> None:
    if any(2 * p > k for p, k in zip(wide, size, strict=True)):
        raise ShapeError(
            f"pad should be at most half of effective kernel size, but got pad={list(wide)} and kernel {list(size)}."
        )


def avg_pool1d(
    input: Any, kernel_size: Sizes, stride: Sizes | None = None, padding: Sizes = 0, *, count_include_pad: bool = True
) -> Any:
    """The mean of each window along the last axis.

    Args:
        input: x (N, C, L) or (C, L).
        kernel_size, stride: the size of a window; the step between windows, that size by default.
        padding: zeros on either side.
        count_include_pad: whether those zeros count in the mean.

    Returns:
        A tensor (N, C, L') or (C, L').

    >>> sg.nn.functional.avg_pool1d(sg.tensor([[1.0, 3.0, 2.0, 0.0]]), 2)
    tensor([[2., 1.]])
    """
    return _avg_pool(1, input, kernel_size, stride, padding, count_include_pad)


def avg_pool2d(
    input: Any, kernel_size: Sizes, stride: Sizes | None = None, padding: Sizes = 0, *, count_include_pad: bool = True
) -> Any:
    """The mean of each window over the last two axes.

    Args:
        input: x (N, C, H, W) or (C, H, W).
        kernel_size, stride, padding, count_include_pad: as for ``avg_pool1d``; one number, or one per axis.

    Returns:
        A tensor (N, C, H', W') or (C, H', W').

    >>> sg.nn.functional.avg_pool2d(sg.tensor([[[1.0, 3.0], [2.0, 0.0]]]), 2)
    tensor([[[1.5000]]])
    """
    return _avg_pool(2, input, kernel_size, stride, padding, count_include_pad)


def _avg_pool(dims: int, x: Any, kernel_size: Sizes, stride: Sizes | None, padding: Sizes, zeros_count: bool) -> Any:
    x, single = _batched(x, dims, f"avg_pool{dims}d")
    size, wide = _each(kernel_size, dims), _each(padding, dims)
    _check_padding(size, wide)
    steps, ones = _each(stride or size, dims), (1,) * dims
    added = _window_sums(_around(x, wide), size, steps, ones)
    n: Any = prod(size)
    if not zeros_count:
        inside = np.pad(np.ones(shape(x)[2:], getattr(x, "dtype", None)), [(p, p) for p in wide])
        n = _window_sums(inside[None, None], size, steps, ones)
    return _drop_batch(rename(DIV(added, n), f"AvgPool{dims}D"), single)


def _window_sums(x: Any, size: Sequence[int], steps: Sequence[int], gaps: Sequence[int]) -> Any:
    return sum_axes(windows(x, size, steps, gaps), [3 + 2 * d for d in range(len(size))])
