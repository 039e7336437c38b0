"""Resampling along axes: each place of the result is a weighted sum of a few entries, the taps of its mode.

All modes go along one axis after the other, so that each is one rule for positions and weights.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from symgrad.errors import ArgumentError, DTypeError, ShapeError
from symgrad.ops.contract import LETTERS, Einsum
from symgrad.ops.convert import Cast
from symgrad.ops.elementwise.declared import BINARY, CLAMP
from symgrad.ops.keys import Positions
from symgrad.ops.map import ADD, IDENTITY, show_shape
from symgrad.ops.nn.folds import adaptive_avg_pool1d, adaptive_avg_pool2d, adaptive_avg_pool3d
from symgrad.ops.nn.windows import Sizes, each
from symgrad.ops.protocol import rename, shape
from symgrad.ops.reduction import is_float
from symgrad.ops.slicing import Gather
from symgrad.ops.value import torch_dtype

_AXES = {"linear": 1, "bilinear": 2, "bicubic": 2, "trilinear": 3}  # of the modes that are for a number of axes
_POOLS = (adaptive_avg_pool1d, adaptive_avg_pool2d, adaptive_avg_pool3d)


def interpolate(
    input: Any, size: Any = None, scale_factor: Any = None, mode: str = "nearest", align_corners: bool | None = None,
    recompute_scale_factor: bool | None = None, antialias: bool = False,
) -> Any:  # fmt: skip
    """Resample x to other sizes of its last axes.

    Args:
        input: x (N, C, …), with one to three axes after the channels.
        size: the new sizes, one number or one per axis.
        scale_factor: alternatively, the factor by which sizes are multiplied, and then rounded down.
        mode: 'nearest' or 'nearest-exact', the entry that is nearest (the first one counted from the corner of a
            pixel, as in OpenCV); 'linear', 'bilinear' or 'trilinear' for 1, 2 or 3 axes; 'bicubic' for 2; 'area' for
            means.
        align_corners: whether to align the centres of the first and the last entries, instead of the outer edges.
        recompute_scale_factor: whether to compute positions from the sizes instead of scale_factor.
        antialias: for 'bilinear' and 'bicubic', whether the filter widens when the result is smaller.

    Returns:
        A tensor (N, C, …).

    Raises:
        ArgumentError: if the mode is unknown or does not have an option, or if not exactly one of size and scale_factor
            is given.
        ShapeError: if the mode is for another number of axes.
        DTypeError: if x holds integers other than uint8 and the mode computes weighted sums.

    Source: Keys 1981, "Cubic convolution interpolation for digital image processing", with a = -0.75; -0.5 with
    antialias.

    >>> sg.nn.functional.interpolate(sg.tensor([[[0.0, 4.0]]]), scale_factor=2, mode="linear")
    tensor([[[0., 1., 3., 4.]]])
    """
    s = shape(input)
    inside = s[2:]
    _check(s, mode, align_corners, antialias)
    if not is_float(input) and input.dtype != np.uint8 and mode in _AXES:
        raise DTypeError(
            f"interpolate: mode {mode!r} takes weighted sums of floats or of uint8, got {torch_dtype(input)}. "
            "Pass x.float(), or mode='nearest'."
        )
    to, steps = _sizes(inside, size, scale_factor, recompute_scale_factor)
    if mode == "area":
        return rename(_POOLS[len(inside) - 1](input, to), "Area")
    x = input if inside else IDENTITY(input)
    tapped, axes = (_resampled, range(len(inside))) if is_float(x) else (_of_bytes, reversed(range(len(inside))))
    for d in axes:
        n, m, step = inside[d], to[d], steps[d]
        if align_corners:
            step = (n - 1) / (m - 1) if m > 1 else 0.0
        x = tapped(x, 2 + d, *_taps(mode, n, m, step, bool(align_corners), antialias))
    return rename(x, "Upsample")


def _check(s: tuple[int, ...], mode: str, align_corners: bool | None, antialias: bool) -> None:
    if mode not in (*_AXES, "nearest", "nearest-exact", "area"):
        raise ArgumentError(f"interpolate: got mode {mode!r}. Expected {', '.join(_AXES)}, nearest(-exact) or area.")
    if not 3 <= len(s) <= 5 or _AXES.get(mode, len(s) - 2) != len(s) - 2:
        needs = f"{_AXES[mode] + 2}D" if mode in _AXES else "3D, 4D or 5D"
        raise ShapeError(f"Got {len(s)}D input {show_shape(s)}, but {mode} mode needs {needs} input.")
    if align_corners is not None and mode not in _AXES:
        raise ArgumentError(
            "align_corners option can only be set with the interpolating modes: linear | bilinear | bicubic | trilinear"
        )
    if antialias and mode not in ("bilinear", "bicubic"):
        raise ArgumentError(f"Anti-alias option is restricted to bilinear and bicubic modes. Got mode {mode!r}.")
    if 0 in s[1:]:
        raise ShapeError(f"interpolate: Non-empty data tensor expected but got {show_shape(s)}.")


def _sizes(inside: Sequence[int], size: Any, scale_factor: Any, recompute: Any) -> tuple[list[int], list[float]]:
    """The sizes of the result, and how far its places are from each other in x."""
    if (size is None) == (scale_factor is None):
        both = "neither" if size is None else "both"
        raise ArgumentError(f"only one of size or scale_factor should be defined. Got {both}.")
    if size is not None:
        if recompute:
            raise ArgumentError("recompute_scale_factor is not meaningful with an explicit size. Leave it out.")
        to = [int(m) for m in each(size, len(inside))]
        factors = [m / n for m, n in zip(to, inside, strict=True)]
    else:
        given = scale_factor if isinstance(scale_factor, (tuple, list)) else (scale_factor,) * len(inside)
        if len(given) != len(inside):
            raise ArgumentError(f"scale_factor: got {scale_factor}. Expected one number, or {len(inside)}.")
        factors = [float(f) for f in given]
        to = [math.floor(float(n) * f) for n, f in zip(inside, factors, strict=True)]
    if any(m < 1 for m in to):
        raise ArgumentError(f"Input and output sizes should be greater than 0, but got {list(inside)} and {to}.")
    if size is not None or recompute:
        return to, [n / m for n, m in zip(inside, to, strict=True)]
    return to, [1 / f for f in factors]


def _taps(mode: str, n: int, m: int, step: float, corners: bool, antialias: bool) -> tuple[Any, Any]:
    """The positions (m, k) along an axis of n entries, and their weights; (m,) and None for one entry each."""
    if antialias:
        return _wide_taps(mode, n, m, step)
    i = np.arange(m)
    if mode.startswith("nearest"):
        return np.minimum(np.floor((i + 0.5 * (mode != "nearest")) * step).astype(np.int64), n - 1), None
    at = i * step if corners else (i + 0.5) * step - 0.5
    at = at if mode == "bicubic" else np.maximum(at, 0.0)
    first = np.floor(at).astype(np.int64)
    if mode != "bicubic":
        first = np.minimum(first, n - 1)
        t = np.clip(at - first, 0.0, 1.0)
        return np.stack([first, np.minimum(first + 1, n - 1)], 1), np.stack([1 - t, t], 1)
    offsets = np.arange(-1, 3)
    return np.clip(first[:, None] + offsets, 0, n - 1), _cubic((at - first)[:, None] - offsets, -0.75)


def _cubic(t: Any, a: float) -> Any:
    """Keys's kernel: 1 at 0, 0 at the other whole numbers and beyond 2."""
    t = np.abs(t)
    inner = ((a + 2) * t - (a + 3)) * t * t + 1
    outer = (((t - 5) * t + 8) * t - 4) * a
    return np.where(t <= 1, inner, np.where(t < 2, outer, 0.0))


def _wide_taps(mode: str, n: int, m: int, step: float) -> tuple[Any, Any]:
    """Taps that reach as far as a step, so that no entry is passed over."""
    wide = max(step, 1.0)
    reach = (1 if mode == "bilinear" else 2) * wide
    centre = (np.arange(m) + 0.5) * step
    first = np.maximum((centre - reach + 0.5).astype(np.int64), 0)
    end = np.minimum((centre + reach + 0.5).astype(np.int64), n)
    places = first[:, None] + np.arange(max(int((end - first).max()), 1))
    t = (places - centre[:, None] + 0.5) / wide
    weights = np.maximum(1 - np.abs(t), 0.0) if mode == "bilinear" else _cubic(t, -0.5)
    weights = np.where(places < end[:, None], weights, 0.0)
    return np.minimum(places, n - 1), weights / weights.sum(1, keepdims=True)


def _resampled(x: Any, a: int, places: Any, weights: Any) -> Any:
    x = Gather(((a, Positions(places)),), "Unfold")(x)
    if weights is None:
        return x
    ndim = len(shape(x))
    letters = LETTERS[:ndim]
    spec = f"{letters},{letters[a : a + 2]}->{letters[: a + 1]}{letters[a + 2 :]}"
    return Einsum.of(spec)(x, weights.astype(getattr(x, "dtype", np.float64)))


def _of_bytes(x: Any, a: int, places: Any, weights: Any) -> Any:
    """Resample uint8 as PyTorch: weights are multiples of 2⁻ᵖ that fit 15 bits, and each axis is rounded."""
    if weights is None:
        return _resampled(x, a, places, None)
    same = places[:, :, None] == places[:, None, :]
    first = ~np.tril(same, -1).any(2)  # beyond an edge its entry comes again, and adds up before it is rounded
    weights = np.where(first, np.where(same, weights[:, None, :], 0.0).sum(2), 0.0)
    p = next(p for p in range(23) if p == 22 or int(0.5 + weights.max() * 2 ** (p + 1)) >= 2**15)
    parts = np.trunc(weights * 2**p + np.copysign(0.5, weights)).astype(np.int64)
    sums = _resampled(Cast(np.dtype(np.int64))(x), a, places, parts)
    return Cast(x.dtype)(CLAMP(BINARY["floor_divide"](ADD(sums, 2**p // 2), 2**p), 0, 255))


def upsample(input: Any, size: Sizes | None = None, scale_factor: Any = None, mode: str = "nearest",
             align_corners: bool | None = None) -> Any:  # fmt: skip
    """Resample x: an older name of ``interpolate``."""
    return interpolate(input, size, scale_factor, mode, align_corners)
