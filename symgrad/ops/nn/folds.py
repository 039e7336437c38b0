"""Windows as rows or columns, their adjoint, transposed convolution, means over grids.

What reads windows is a Gather; its adjoint, a ScatterAdd, is what fold and the transposed convolutions do.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import Any

import numpy as np

from symgrad.errors import ArgumentError, ShapeError, shown_as
from symgrad.ops.contract import Einsum, permute
from symgrad.ops.indexing.select import along
from symgrad.ops.keys import Positions
from symgrad.ops.map import ADD, IDENTITY, show_shape
from symgrad.ops.nn.windows import (
    MOST_PARTS,
    Sizes,
    around,
    batched,
    check_sizes,
    check_weight,
    drop_batch,
    each,
    for_axes,
    windows,
)
from symgrad.ops.protocol import rename, shape
from symgrad.ops.reductions.reduce import mean
from symgrad.ops.scatter import ScatterAdd
from symgrad.ops.shape import Reshape, axis_of
from symgrad.ops.shapes.join import cat
from symgrad.ops.slicing import Gather


def _check_window(a: int, size: int, step: int, longest: Any) -> None:
    if size > longest or size < 0:
        raise ShapeError(
            f"maximum size for tensor at dimension {a} is {longest} but size is {size}. Pass a shorter window."
        )
    if step <= 0:
        raise ShapeError(f"step is {step} but must be > 0. Pass how far a window is from the next.")


def unfold(x: Any, dimension: int, size: int, step: int) -> Any:
    """Return all windows of ``size`` entries along one axis, ``step`` apart, as a new last axis.

    Args:
        x: tensor with at least one axis.
        dimension: the axis.
        size, step: the length of a window, and the distance between windows.

    Returns:
        A tensor with the number of windows along the axis, and size along the last one.

    Raises:
        ShapeError: if the window is longer than the axis, or the step is not positive.

    >>> sg.tensor([1.0, 2.0, 3.0]).unfold(0, 2, 1)
    tensor([[1., 2.],
            [2., 3.]])
    """
    s = shape(x)
    if not s and 0 <= size <= 1:
        return Gather(((0, Positions(np.zeros(size, np.int64))),), "Unfold")(Reshape((1,))(x))
    a = axis_of(dimension, len(s))
    longest = s[a] if s else 1
    _check_window(a, size, step, longest)
    places = np.add.outer(np.arange(0, s[a] - size + 1, step), np.arange(size))
    y = Gather(((a, Positions(places)),), "Unfold")(x)
    ndim = len(s) + 1
    return y if a == ndim - 2 else permute(y, [*(k for k in range(ndim) if k != a + 1), a + 1])


# ------------------------------------------------------------------ windows as columns
@shown_as("unfold")
def columns(input: Any, kernel_size: Sizes, dilation: Sizes = 1, padding: Sizes = 0, stride: Sizes = 1) -> Any:
    """Return the windows of x as columns: row c·K·L + k·L + l is x[c, i·stride + k·dilation, j·stride + l·dilation].

    Args:
        input: x (N, C, H, W) or (C, H, W).
        kernel_size: (K, L), or one number.
        dilation, stride: the steps within a window, and between windows.
        padding: the number of zeros on either side.

    Returns:
        A tensor (N, C·K·L, number of windows), or without N.

    Raises:
        ShapeError: if no window fits.

    >>> sg.nn.functional.unfold(sg.ones(1, 1, 3, 3), 2).shape
    (1, 4, 4)
    """
    x, single = batched(input, 2, "unfold")
    size, gaps, wide, steps = (each(v, 2) for v in (kernel_size, dilation, padding, stride))
    x = windows(around(x, wide), size, steps, gaps)
    n, c, h, k, w, m = shape(x)
    y = Reshape((n, c * k * m, h * w))(permute(x, (0, 1, 3, 5, 2, 4)))
    return rename(drop_batch(y, single), "Im2Col")


def fold(
    input: Any, output_size: Sizes, kernel_size: Sizes, dilation: Sizes = 1, padding: Sizes = 0, stride: Sizes = 1
) -> Any:
    """Return the sum of all windows, each at its position: the adjoint of unfold.

    Args:
        input: x (N, C·K·L, number of windows), or without N.
        output_size: (H, W), or one number.
        kernel_size: (K, L), or one number.
        dilation, padding, stride: as in ``unfold``.

    Returns:
        A tensor (N, C, H, W), or without N.

    Raises:
        ShapeError: if the sizes of x do not fit.

    >>> sg.nn.functional.fold(sg.ones(1, 4, 4), 3, 2)[0, 0]
    tensor([[1., 2., 1.],
            [2., 4., 2.],
            [1., 2., 1.]])
    """
    to, size, gaps, wide, steps = (each(v, 2) for v in (output_size, kernel_size, dilation, padding, stride))
    s = shape(input)
    if len(s) not in (2, 3):
        raise ShapeError(
            f"Expected 2D or 3D (batch mode) tensor for input with possibly 0 batch size, but got: {show_shape(s)}."
        )
    x, single = (input, False) if len(s) == 3 else (Reshape((1, *s))(input), True)
    n, rows, count = shape(x)
    full = [m + 2 * p for m, p in zip(to, wide, strict=True)]
    counts = [(m - d * (k - 1) - 1) // t + 1 for m, k, d, t in zip(full, size, gaps, steps, strict=True)]
    if rows % prod(size):
        raise ShapeError(
            "Expected size of input's dimension 1 to be divisible by the product of kernel_size, but got "
            f"input.size(1)={rows} and kernel_size={size}."
        )
    if count != prod(counts):
        raise ShapeError(
            f"Given output_size={to}, kernel_size={size}, dilation={gaps}, padding={wide}, stride={steps}, expected "
            f"size of input's dimension 2 to match the calculated number of sliding blocks {counts[0]} * {counts[1]} "
            f"= {prod(counts)}, but got input.size(2)={count}."
        )
    x = permute(Reshape((n, rows // prod(size), *size, *counts))(x), (0, 1, 4, 2, 5, 3))
    y = _cropped(laid(x, full, steps, gaps), wide, to)
    return rename(drop_batch(y, single), "Col2Im")


def laid(x: Any, full: Sequence[int], steps: Sequence[int], gaps: Sequence[int]) -> Any:
    """(…, m, k) to (…, n) in place of each pair of last axes: the windows added at their places. Undoes ``windows``."""
    first = len(shape(x)) - 2 * len(full)
    for d, n in enumerate(full):
        s = shape(x)
        a = first + d
        places = np.add.outer(np.arange(s[a]) * steps[d], np.arange(s[a + 1]) * gaps[d])
        x = ScatterAdd(Gather(((a, Positions(places)),), "Unfold"), (*s[:a], n, *s[a + 2 :]))(x)
    return x


def _cropped(y: Any, wide: Sequence[int], to: Sequence[int]) -> Any:
    for d, (p, n) in enumerate(zip(wide, to, strict=True)):
        a = len(shape(y)) - len(to) + d
        y = along(y, a, p, p + n) if shape(y)[a] != n else y
    return y


# ------------------------------------------------------------------ transposed convolution
def _conv_transpose(
    dims: int, input: Any, weight: Any, bias: Any = None, stride: Sizes = 1, padding: Sizes = 0,
    output_padding: Sizes = 0, groups: int = 1, dilation: Sizes = 1,
) -> Any:  # fmt: skip
    """Return y[n, f, i·stride + k·dilation - padding] = Σ x[n, c, i] W[c, f, k] + b[f], the adjoint of conv.

    Args:
        input: x (N, C, …) or (C, …).
        weight: W (C, F/groups, K, …).
        bias: b (F,).
        stride, dilation: the steps between windows, and within one; one number, or one per axis, like all sizes.
        padding: the number of entries that are removed on either side.
        output_padding: the number of additional entries at the end.
        groups: the number of groups in which channels are convolved.

    Returns:
        A tensor (N, F, …), of sizes (L - 1)·stride - 2·padding + dilation·(K - 1) + output_padding + 1, or without N.

    Raises:
        ShapeError: if the sizes do not fit.

    >>> sg.nn.functional.conv_transpose1d(sg.tensor([[1.0, 2.0]]), sg.tensor([[[1.0, 10.0]]]))
    tensor([[ 1., 12., 20.]])
    """
    x, single = batched(input, dims, f"conv_transpose{dims}d")
    check_weight(f"conv_transpose{dims}d", weight, dims)
    (n, c, *_), (channels, f, *size) = shape(x), shape(weight)
    steps, wide, extra, gaps = (each(v, dims) for v in (stride, padding, output_padding, dilation))
    if channels != c or c % groups:
        raise ShapeError(
            f"Given transposed={dims}, weight of size {show_shape(shape(weight))}, expected input"
            f"{show_shape(shape(x))} to have {channels} channels, but got {c} channels instead."
        )
    check_sizes(size, steps, gaps)
    _check_extra(extra, steps, gaps)
    rest = shape(x)[2:]
    full = [(m - 1) * t + d * (k - 1) + 1 + e for m, t, d, k, e in zip(rest, steps, gaps, size, extra, strict=True)]
    to = [m - 2 * p for m, p in zip(full, wide, strict=True)]
    if any(m < 1 for m in to):
        raise ShapeError(
            f"Given input size per channel: {show_shape(rest)}. Calculated output size per channel: "
            f"{show_shape(tuple(to))}. Output size is too small; pass a smaller padding."
        )
    y = _cropped(laid(_scattered(x, weight, groups), full, steps, gaps), wide, to)
    y = Reshape((n, groups * f, *shape(y)[3:]))(y)
    y = y if bias is None else ADD(y, Reshape((groups * f, *(1,) * dims))(bias))
    return rename(drop_batch(y, single), "Convolution")


def _check_extra(extra: Sequence[int], steps: Sequence[int], gaps: Sequence[int]) -> None:
    if any(e < 0 or e >= max(t, d) for e, t, d in zip(extra, steps, gaps, strict=True)):
        raise ShapeError(
            f"output padding must be smaller than either stride or dilation, and at least 0, but got output_padding: "
            f"{list(extra)}, stride: {list(steps)}, dilation: {list(gaps)}."
        )


def _scattered(x: Any, weight: Any, groups: int) -> Any:
    """Σ W[c, f, k] x[n, c, i] of each group: (n, group, f, i, k), place and offset of each axis side by side."""
    (n, c, *rest), (_, f, *size) = shape(x), shape(weight)
    dims = len(size)
    x = Reshape((n, groups, c // groups, prod(rest)))(x)
    W = Reshape((groups, c // groups, f * prod(size)))(weight)
    y = Reshape((n, groups, f, *size, *rest))(Einsum.of("gcf,ngch->ngfh")(W, x))
    return permute(y, [0, 1, 2, *(3 + k for d in range(dims) for k in (dims + d, d))])


conv_transpose1d, conv_transpose2d, conv_transpose3d = for_axes(_conv_transpose)


# ------------------------------------------------------------------ means over a grid of a given size
def _adaptive_avg_pool(dims: int, input: Any, output_size: Sizes | None) -> Any:
    """Return the mean of x in each of m parts along the {axes}; part i is from ⌊i n/m⌋ to ⌈(i + 1) n/m⌉.

    Args:
        input: x (N, C, …) or (C, …).
        output_size: m, one number or one per axis; None leaves an axis unchanged.

    Returns:
        A tensor (N, C, …) or (C, …).

    >>> sg.nn.functional.adaptive_avg_pool1d(sg.tensor([[1.0, 3.0, 5.0]]), 2)
    tensor([[2., 4.]])
    """
    x, single = batched(input, dims, f"adaptive_avg_pool{dims}d")
    to = each(output_size, dims)
    if any(m is not None and not 0 <= m < MOST_PARTS for m in to):
        raise ArgumentError(f"output_size: got {output_size}. Expected sizes from 0 to {MOST_PARTS - 1}.")
    x = IDENTITY(x) if to == (None,) * dims else x
    for k, m in enumerate(to):
        x = x if m is None else _means(x, 2 + k, m)
    return rename(drop_batch(x, single), f"AdaptiveAvgPool{dims}D")


def _means(x: Any, a: int, m: int) -> Any:
    """The means of m parts of an axis, which may overlap."""
    s = shape(x)
    n = s[a]
    if m and n % m == 0:
        return mean(Reshape((*s[:a], m, n // m, *s[a + 1 :]))(x), a + 1)
    parts = [mean(along(x, a, i * n // m, -(-(i + 1) * n // m)), a, True) for i in range(m)]
    return cat(parts, a) if parts else along(x, a, 0, 0)


adaptive_avg_pool1d, adaptive_avg_pool2d, adaptive_avg_pool3d = for_axes(_adaptive_avg_pool)
