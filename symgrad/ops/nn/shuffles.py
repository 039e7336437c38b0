"""Channels turned into pixels, pixels into channels, and channels dealt out anew: axes split, moved and joined."""

from __future__ import annotations

from typing import Any

from symgrad.errors import ArgumentError, ShapeError
from symgrad.ops.contract import permute
from symgrad.ops.map import show_shape
from symgrad.ops.protocol import rename, shape
from symgrad.ops.shape import Reshape


def pixel_shuffle(input: Any, upscale_factor: int) -> Any:
    """Return y[c, h r + i, w r + j] = x[c r² + i r + j, h, w]: r² channels become one image that is r times as large.

    Args:
        input: x (…, C r², H, W).
        upscale_factor: r.

    Returns:
        A tensor (…, C, H r, W r).

    Raises:
        ShapeError: if x has fewer than three axes, or the number of channels is not a multiple of r².

    >>> sg.nn.functional.pixel_shuffle(sg.tensor([[[1.0]], [[2.0]], [[3.0]], [[4.0]]]), 2)
    tensor([[[1., 2.],
             [3., 4.]]])
    """
    *lead, c, h, w = _image("pixel_shuffle", input, upscale_factor)
    r, k = upscale_factor, len(shape(input)) - 3
    if c % r**2:
        raise ShapeError(
            "pixel_shuffle expects its input's 'channel' dimension to be divisible by the square of upscale_factor, "
            f"but got {c} channels and upscale_factor={r}."
        )
    x = Reshape((*lead, c // r**2, r, r, h, w))(input)
    return rename(Reshape((*lead, c // r**2, h * r, w * r))(_moved(x, k, (0, 3, 1, 4, 2))), "PixelShuffle")


def pixel_unshuffle(input: Any, downscale_factor: int) -> Any:
    """Return y[c r² + i r + j, h, w] = x[c, h r + i, w r + j]: the inverse of ``pixel_shuffle``.

    Args:
        input: x (…, C, H r, W r).
        downscale_factor: r.

    Returns:
        A tensor (…, C r², H, W).

    Raises:
        ShapeError: if x has fewer than three axes, or a size is not a multiple of r.

    >>> sg.nn.functional.pixel_unshuffle(sg.ones(1, 4, 6), 2).shape
    (4, 2, 3)
    """
    *lead, c, h, w = _image("pixel_unshuffle", input, downscale_factor)
    r, k = downscale_factor, len(shape(input)) - 3
    if h % r or w % r:
        raise ShapeError(
            f"pixel_unshuffle expects height and width to be divisible by downscale_factor, but got {h} x {w} and "
            f"downscale_factor={r}."
        )
    x = Reshape((*lead, c, h // r, r, w // r, r))(input)
    return rename(Reshape((*lead, c * r**2, h // r, w // r))(_moved(x, k, (0, 2, 4, 1, 3))), "PixelUnshuffle")


def channel_shuffle(input: Any, groups: int) -> Any:
    """Return y[c g + k] = x[k C/g + c] along the channels: the channels of g groups are interleaved.

    Args:
        input: x (N, C, …), with three axes or more.
        groups: g, a divisor of C.

    Returns:
        A tensor shaped like x.

    Raises:
        ShapeError: if x has fewer axes, or g does not divide C.

    >>> sg.nn.functional.channel_shuffle(sg.tensor([[[1.0], [2.0], [3.0], [4.0]]]), 2).flatten()
    tensor([1., 3., 2., 4.])
    """
    s = shape(input)
    if len(s) < 3 or groups < 1 or s[1] % groups:
        raise ShapeError(
            f"channel_shuffle expects an input (N, C, …) whose channels are divisible by groups. Got "
            f"{show_shape(s)} and groups={groups}."
        )
    x = Reshape((s[0], groups, s[1] // groups, *s[2:]))(input)
    return rename(Reshape(s)(permute(x, (0, 2, 1, *range(3, len(s) + 1)))), "ChannelShuffle")


def _image(name: str, x: Any, factor: int) -> Any:
    if factor < 1:
        raise ArgumentError(f"{name} expects a positive factor, but got {factor}.")
    if len(shape(x)) < 3:
        raise ShapeError(f"{name} expects input to have at least 3 dimensions, but got {show_shape(shape(x))}.")
    return shape(x)


def _moved(x: Any, lead: int, order: tuple[int, ...]) -> Any:
    """Permute the axes behind the first ones."""
    return permute(x, [*range(lead), *(lead + k for k in order)])
