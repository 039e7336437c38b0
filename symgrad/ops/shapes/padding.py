"""Padding: what stands around the entries, a constant or entries again."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from symgrad.core.promotion import is_bool, is_integer
from symgrad.errors import ArgumentError, ShapeError
from symgrad.ops.elementwise.declared import where
from symgrad.ops.indexing.select import along, part
from symgrad.ops.keys import ALL, Positions, Span
from symgrad.ops.map import IDENTITY, show_shape
from symgrad.ops.protocol import rename, shape
from symgrad.ops.scatter import ScatterAdd
from symgrad.ops.slicing import Gather

# Which entry of n stands at a place before, inside or after them.
_MODES: dict[str, Any] = {
    "reflect": lambda place, n: (n - 1) - np.abs((n - 1) - np.abs(place)),
    "replicate": lambda place, n: np.clip(place, 0, n - 1),
    "circular": lambda place, n: place % n,
}


def _check_pad(pad: Sequence[int], ndim: int, mode: str, value: float | None) -> None:
    if len(pad) % 2 or len(pad) // 2 > ndim:
        raise ArgumentError(
            f"Padding length should be divisible by two and at most twice the number of dimensions of the input. "
            f"Got {len(pad)} lengths for {ndim} axes; pass (before, after) per axis, the last first."
        )
    if mode != "constant" and mode not in _MODES:
        raise ArgumentError(f"Unrecognised padding mode {mode}. Pass 'constant', 'reflect', 'replicate' or 'circular'.")
    if mode != "constant" and value:
        raise ArgumentError(f'Padding mode "{mode}" doesn\'t take in value argument. Leave it out.')


def pad(input: Any, pad: Sequence[int], mode: str = "constant", value: float | None = None) -> Any:
    """Return x with entries added before and after, from the last axis on; negative numbers cut entries off.

    Args:
        input: x, any shape.
        pad: (before, after) of the last axis, then of the one before it, and so on.
        mode: 'constant'; 'reflect' (x mirrored, its edge once), 'replicate' (the edge again) or 'circular'.
        value: the constant, 0 by default.

    Returns:
        The longer tensor.

    Raises:
        ArgumentError: if the number of lengths is odd or too large, or if the mode is unknown.
        ShapeError: if the padding is longer than the part that it reflects or repeats.

    >>> sg.nn.functional.pad(sg.tensor([1.0, 2.0, 3.0]), (1, 2), mode="reflect")
    tensor([2., 1., 2., 3., 2., 1.])
    """
    s = shape(input)
    _check_pad(pad, len(s), mode, value)
    x, value = input, _in_dtype(value or 0.0, getattr(input, "dtype", None))
    for k in range(len(pad) // 2):
        before, after = pad[2 * k], pad[2 * k + 1]
        x = _on_axis(x, len(s) - 1 - k, before, after, mode, value)
    x = IDENTITY(x) if x is input else x
    return rename(x, "ConstantPadNd") if mode == "constant" else x


def _in_dtype(value: float, dtype: Any) -> Any:
    if dtype is None:
        return value
    return np.array(bool(value)) if is_bool(dtype) else int(value) if is_integer(dtype) else value


def _on_axis(x: Any, a: int, before: int, after: int, mode: str, value: float) -> Any:
    n = shape(x)[a]
    cut_first = mode in ("constant", "circular")  # the others look at entries that are cut off
    if n + (min(before, 0) + min(after, 0) if cut_first else before + after) < 0:
        raise ShapeError(f"pad: ({before}, {after}) cuts off more than axis {a} of {show_shape(shape(x))} has.")
    if cut_first and (before < 0 or after < 0):
        x = along(x, a, max(-before, 0), n + min(after, 0))
        before, after, n = max(before, 0), max(after, 0), shape(x)[a]
    if not before and not after:
        return x
    if mode == "constant":
        return _in_constants(x, a, before, after, value)
    most = {"reflect": n - 1, "circular": n}.get(mode, max(before, after))
    if max(before, after) > most or n == 0:
        raise ShapeError(
            f"Padding size should be less than the corresponding input dimension, but got: padding ({before}, {after}) "
            f"at dimension {a} of input {show_shape(shape(x))}. At most {max(most, 0)} can be taken again."
        )
    places = _MODES[mode](np.arange(-before, n + after), n)
    return Gather(((a, Positions(places)),), f"{mode.capitalize()}Pad")(x)


def _in_constants(x: Any, a: int, before: int, after: int, value: float) -> Any:
    s = shape(x)
    to = (*s[:a], before + s[a] + after, *s[a + 1 :])
    inside = part((*[ALL] * a, Span(before, before + s[a], None), *[ALL] * (len(s) - a - 1)))
    y = ScatterAdd(inside, to)(x)
    if value == 0:
        return y
    place = np.arange(to[a]).reshape([-1 if k == a else 1 for k in range(len(to))])
    return where((place >= before) & (place < before + s[a]), y, value)
