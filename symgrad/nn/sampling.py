"""Images sampled at arbitrary positions: affine grids, and interpolation between pixels."""

from __future__ import annotations

from itertools import product
from math import prod
from typing import Any

import numpy as np

from symgrad.engine.adapters import public
from symgrad.engine.record import as_tensor
from symgrad.errors import ArgumentError, ShapeError
from symgrad.functions import clamp, einsum, floor, gather, isnan, where
from symgrad.ops.map import show_shape
from symgrad.support.arguments import check_all

__all__ = ["affine_grid", "grid_sample"]
_MODES, _PADS = ("bilinear", "nearest", "bicubic"), ("zeros", "border", "reflection")


@public
def affine_grid(theta: Any, size: Any, align_corners: bool | None = None) -> Any:
    """Return the positions θ (x, y, 1)ᵀ for all pixels (x, y) of an image, with coordinates from -1 to 1.

    Args:
        theta: θ, (N, 2, 3), or (N, 3, 4) for volumes.
        size: the size of the image: (N, C, H, W), or (N, C, D, H, W).
        align_corners: whether -1 and 1 are the centres of the outermost pixels, instead of their edges.

    Returns:
        A grid (N, H, W, 2) or (N, D, H, W, 3) for ``grid_sample``, with (x, y, …) along the last axis.

    Raises:
        ShapeError: if the sizes do not fit.

    >>> sg.nn.functional.affine_grid(sg.tensor([[[1.0, 0.0, 0.0], [0.0, 1.0, 0.0]]]), (1, 1, 1, 2), align_corners=True)
    tensor([[[[-1.,  0.],
              [ 1.,  0.]]]])
    """
    theta, sizes = as_tensor(theta), [int(n) for n in size]
    d = len(sizes) - 2
    if d not in (2, 3) or theta.shape != (sizes[0], d, d + 1):
        raise ShapeError(
            f"affine_grid: got theta {show_shape(theta.shape)} and size {sizes}. Expected (N, 2, 3) with (N, C, H, W), "
            "or (N, 3, 4) with (N, C, D, H, W)."
        )
    axes = [_centres(n, bool(align_corners)) for n in sizes[2:]]
    places = np.stack([*np.meshgrid(*axes, indexing="ij")[::-1], np.ones(sizes[2:])], -1).astype(theta.dtype)
    return einsum("nij,pj->npi", theta, as_tensor(places.reshape(-1, d + 1))).reshape(sizes[0], *sizes[2:], d)


def _centres(n: int, aligned: bool) -> Any:
    """Return the coordinates of n pixels."""
    if aligned:
        return np.linspace(-1, 1, n) if n > 1 else np.zeros(n)
    return (2 * np.arange(n) + 1) / n - 1


@public
def grid_sample(
    input: Any, grid: Any, mode: str = "bilinear", padding_mode: str = "zeros", align_corners: bool | None = None
) -> Any:
    """Interpolate images at the positions of a grid.

    Args:
        input: images (N, C, H, W), or volumes (N, C, D, H, W).
        grid: positions (N, H′, W′, 2), or (N, D′, H′, W′, 3); (x, y, …) range from -1 to 1 over the image.
        mode: 'bilinear' (linear along all axes), 'nearest', or, for images only, 'bicubic'.
        padding_mode: the values outside the image: 'zeros', those of the 'border', or a 'reflection' of the image.
        align_corners: whether -1 and 1 are the centres of the outermost pixels, instead of their edges.

    Returns:
        A tensor (N, C, H′, W′), or (N, C, D′, H′, W′). With 'nearest', the derivative with respect to the grid is 0.

    Raises:
        ShapeError: if the sizes do not fit.
        ArgumentError: if the mode is unknown.

    Source: Jaderberg et al. 2015, "Spatial transformer networks".

    >>> sg.nn.functional.grid_sample(sg.tensor([[[[0.0, 4.0]]]]), sg.zeros(1, 1, 1, 2), align_corners=True)
    tensor([[[[2.]]]])
    """
    x, grid = as_tensor(input), as_tensor(grid)
    _check(x, grid, mode, padding_mode)
    sizes, d, out = x.shape[2:], x.ndim - 2, grid.shape[1:-1]
    flat = x.reshape(*x.shape[:2], prod(sizes))
    places = [_pixels(grid[:, None, ..., d - 1 - k], n, bool(align_corners)) for k, n in enumerate(sizes)]
    if padding_mode != "zeros" and mode != "bicubic":
        places = [_inside(p, n, padding_mode, bool(align_corners)) for p, n in zip(places, sizes, strict=True)]
    taps = [_taps(p, mode) for p in places]
    y: Any = 0.0
    for corner in product(*taps):
        index: Any = 0
        weight: Any = 1.0
        there: Any = True
        for (at, share), n in zip(corner, sizes, strict=True):
            if mode == "bicubic" and padding_mode != "zeros":
                at = _inside(at, n, padding_mode, bool(align_corners))
            at = at.detach()
            index = index * n + where((at >= 0) & (at <= n - 1), at, 0.0).to(np.int64)
            there = ~((at < 0) | (at > n - 1)) & there  # nan is there, so that it is seen in the result
            weight = weight * share
        values = gather(flat, 2, index.reshape(x.shape[0], 1, -1).expand(x.shape[0], x.shape[1], prod(out)))
        y = y + where(there, values.reshape(*x.shape[:2], *out), 0.0) * where(there, weight, 0.0)  # 0, not 0·∞, outside
    return y


def _check(x: Any, grid: Any, mode: str, padding_mode: str) -> None:
    if mode not in _MODES or (mode == "bicubic" and x.ndim != 4):
        raise ArgumentError(f"grid_sample: got mode={mode!r}. Expected one of {_MODES}, 'bicubic' for (N, C, H, W).")
    if padding_mode not in _PADS:
        raise ArgumentError(f"grid_sample: got padding_mode={padding_mode!r}. Expected one of {_PADS}.")
    if x.ndim not in (4, 5) or grid.ndim != x.ndim or grid.shape[0] != x.shape[0] or grid.shape[-1] != x.ndim - 2:
        raise ShapeError(
            f"grid_sample: got input {show_shape(x.shape)} and grid {show_shape(grid.shape)}. Expected "
            "(N, C, H, W) and (N, H', W', 2), or (N, C, D, H, W) and (N, D', H', W', 3)."
        )
    if 0 in x.shape[2:]:
        raise ShapeError(f"grid_sample: got input {show_shape(x.shape)}. Expected images that have pixels.")


def _pixels(c: Any, n: int, aligned: bool) -> Any:
    """Return coordinates from -1 to 1 as numbers of pixels."""
    return (c + 1) * ((n - 1) / 2) if aligned else ((c + 1) * n - 1) / 2


def _inside(p: Any, n: int, padding_mode: str, aligned: bool) -> Any:
    """Return places outside of an axis as the border, or as their reflection."""
    if padding_mode == "reflection":
        low, span = (0.0, n - 1.0) if aligned else (-0.5, float(n))
        if span == 0:
            return p * 0
        far = abs(p - low)
        turns = floor(far / span).detach()
        rest = far - turns * span
        p = where(turns % 2 == 0, rest, span - rest) + low
    return clamp(p, 0, n - 1)


def _taps(p: Any, mode: str) -> list[tuple[Any, Any]]:
    """Return the pixels along an axis that a place is made of, and their shares."""
    if mode == "nearest":
        place = p.detach()
        return [(place.round(), where(isnan(place), place, 1.0))]
    start = floor(p.detach())
    t = p - start
    if mode == "bilinear":
        return [(start, 1 - t), (start + 1, t)]
    shares = [_far(t + 1), _near(t), _near(1 - t), _far(2 - t)]
    return [(start + k - 1, share) for k, share in enumerate(shares)]


_A = -0.75  # the slope of the cubic at its first zero


def _near(s: Any) -> Any:
    return ((_A + 2) * s - (_A + 3)) * s * s + 1


def _far(s: Any) -> Any:
    return ((_A * s - 5 * _A) * s + 8 * _A) * s - 4 * _A


check_all(globals(), __all__)
