"""Spectra of pieces of a signal: short-time Fourier transforms, there and back."""

from __future__ import annotations

from typing import Any

import numpy as np

from symgrad.core.promotion import parts
from symgrad.errors import ArgumentError, ArgumentTypeError, ShapeError
from symgrad.ops.contract import permute
from symgrad.ops.elementwise.complexes import holds_complex, view_as_real
from symgrad.ops.indexing.select import along
from symgrad.ops.map import DIV, MUL, show_shape
from symgrad.ops.nn.folds import laid, unfold
from symgrad.ops.protocol import shape
from symgrad.ops.shapes.join import stack
from symgrad.ops.shapes.padding import pad
from symgrad.ops.shapes.sizes import whole
from symgrad.ops.signal.fourier import fft, ifft, irfft, resized, rfft

_LEAST = 1e-11  # of the sum of squared windows, that istft divides by


def _window(window: Any, n_fft: int, win_length: int, name: str, like: Any) -> Any:
    """The window with zeros on both sides; without it ones, in the precision of the signal."""
    if not 0 < win_length <= n_fft:
        raise ArgumentError(f"{name}: expected 0 < win_length <= n_fft, but got win_length={win_length}.")
    w = np.ones(win_length, parts(like.dtype)) if window is None else window
    if shape(w) != (win_length,):
        raise ShapeError(
            f"{name}: expected a 1D window tensor of size equal to win_length={win_length}, but got window with size "
            f"{show_shape(shape(w))}."
        )
    left = (n_fft - win_length) // 2
    return w if win_length == n_fft else pad(w, (left, n_fft - win_length - left))


def stft(
    input: Any, n_fft: int, hop_length: int | None = None, win_length: int | None = None, window: Any = None,
    center: bool = True, pad_mode: str = "reflect", normalized: bool = False, onesided: bool | None = None,
    return_complex: bool | None = None,
) -> Any:  # fmt: skip
    """Return the short-time Fourier transform X[k, t] = Σ_j w_j x[t·hop + j] exp(−2πi jk/n) of a signal.

    Args:
        input: x, (L,) or (B, L).
        n_fft: n, the length of a segment.
        hop_length: the distance between segments; ⌊n/4⌋ by default.
        win_length, window: the length of the window, at most n, and the window w; by default n ones.
        center: whether to pad x on both sides, so that segment t is centred at t·hop.
        pad_mode: how to pad x: "reflect", "constant", "replicate" or "circular".
        normalized: whether to divide by √n.
        onesided: whether to return only the first ⌊n/2⌋ + 1 frequencies; the default for a real x.
        return_complex: True; or False for real and imaginary parts along a new last axis.

    Returns:
        A complex tensor (K, T), or (B, K, T).

    Raises:
        ArgumentTypeError: if return_complex is missing.
        ArgumentError: if a length is invalid, or onesided is set for complex numbers.
        ShapeError: if x has another number of axes, or is shorter than a segment.

    Source: PyTorch's ``torch.stft``.

    >>> sg.stft(sg.ones(8), 4, window=sg.hann_window(4), return_complex=True).shape
    (3, 9)
    """
    s, imaginary = shape(input), holds_complex(input) or holds_complex(window)
    if len(s) not in (1, 2):
        raise ShapeError(f"stft: expected a 1D or 2D tensor. Got shape {show_shape(s)}.")
    if return_complex is None and not imaginary:
        raise ArgumentTypeError(
            "stft requires the return_complex parameter be given for real inputs, and will further require that "
            "return_complex=True in a future PyTorch release. Pass return_complex=True."
        )
    if onesided and imaginary:
        raise ArgumentError("Cannot have onesided output if window or input is complex. Pass onesided=False.")
    hop = n_fft // 4 if hop_length is None else hop_length
    w = _window(window, n_fft, n_fft if win_length is None else win_length, "stft", input)
    x = _continued(input, n_fft // 2, pad_mode) if center else input
    length = shape(x)[-1]
    if not 0 < n_fft <= length or hop <= 0:
        raise ArgumentError(
            f"stft: expected 0 < n_fft <= {length} and hop_length > 0, but got n_fft={n_fft}, hop_length={hop}."
        )
    pieces = MUL(unfold(x, -1, n_fft, hop), w)
    norm = "ortho" if normalized else None
    half = not imaginary if onesided is None else onesided
    y = (rfft if half else fft)(pieces, None, -1, norm)
    y = permute(y, [*range(len(s) - 1), len(s), len(s) - 1])
    return y if return_complex or return_complex is None else view_as_real(y, stack)


def _continued(x: Any, more: int, mode: str) -> Any:
    return pad(x, (more, more), mode=mode)


def istft(
    input: Any, n_fft: int, hop_length: int | None = None, win_length: int | None = None, window: Any = None,
    center: bool = True, normalized: bool = False, onesided: bool | None = None, length: int | None = None,
    return_complex: bool = False,
) -> Any:  # fmt: skip
    """Return the signal whose segments have these transforms in the least-squares sense: the inverse of stft.

    Args:
        input: X, complex, (K, T) or (B, K, T).
        n_fft, hop_length, win_length, window, center, normalized, onesided: as in ``stft``.
        length: the length of the signal; by default up to the end of the last segment.
        return_complex: whether the signal is complex; X then has all frequencies.

    Returns:
        A tensor (L,) or (B, L).

    Raises:
        ArgumentError: if a length is invalid, the windows leave gaps, or the window is complex but the signal real.
        ShapeError: if the axes or frequencies of X do not fit.
        ArgumentTypeError: if X is real.

    Source: Griffin and Lim 1984; PyTorch's ``torch.istft``.

    >>> w = sg.hann_window(4)
    >>> sg.istft(sg.stft(sg.tensor([1.0, 2.0, 3.0, 4.0]), 4, window=w, return_complex=True), 4, window=w)
    tensor([1.0000, 2.0000, 3.0000, 4.0000])
    """
    s, hop = shape(input), n_fft // 4 if hop_length is None else hop_length
    half = (not return_complex and s[-2:-1] != (n_fft,)) if onesided is None else onesided  # all frequencies, or half
    _check_spectrum(input, n_fft, hop, half, return_complex)
    if holds_complex(window) and not return_complex:
        raise ArgumentError("istft: a complex window has no real signal. Got return_complex=False; pass True.")
    w = _window(window, n_fft, n_fft if win_length is None else win_length, "istft", input)
    norm = "ortho" if normalized else None
    z = permute(input, [*range(len(s) - 2), len(s) - 1, len(s) - 2])
    pieces = (ifft if return_complex else irfft)(z, n_fft, -1, norm)  # irfft cuts off what the others repeat
    count = s[-1]
    whole = n_fft + hop * (count - 1)
    y = laid(MUL(pieces, w), (whole,), (hop,), (1,))
    squares = MUL(MUL(w, w), np.ones((count, 1)))
    weight = laid(squares, (whole,), (hop,), (1,))
    start = n_fft // 2 if center else 0
    stop = start + length if length is not None else whole - (n_fft // 2 if center else 0)
    reached = min(stop, whole)
    weight = along(weight, 0, start, reached)
    _check_gaps(weight)
    y = DIV(along(y, len(s) - 2, start, reached), weight)
    return y if reached == stop else resized(y, len(s) - 2, stop - start, "istft")


def _check_spectrum(z: Any, n_fft: int, hop: int, half: bool, return_complex: bool) -> None:
    s = shape(z)
    if not holds_complex(z):
        raise ArgumentTypeError(
            "istft requires a complex-valued input tensor matching the output from stft with return_complex=True. Got "
            f"{getattr(z, 'dtype', type(z).__name__)}."
        )
    if half and return_complex:
        raise ArgumentError("istft: cannot have onesided spectra of a complex signal. Pass onesided=False.")
    if len(s) not in (2, 3) or 0 in s:
        raise ShapeError(f"istft: expected a tensor with 2 or 3 dimensions, none of them 0. Got {show_shape(s)}.")
    wanted = n_fft // 2 + 1 if half else n_fft
    if s[-2] != wanted:
        raise ShapeError(
            f"istft: expected the frequency dimension (3rd to the last) of the input tensor to match n_fft={n_fft}, "
            f"that is {wanted} frequencies. Got {s[-2]}."
        )
    if hop <= 0:
        raise ArgumentError(f"istft: expected 0 < hop_length <= win_length. Got hop_length={hop}.")


def _check_gaps(weight: Any) -> None:
    known = getattr(weight, "_value", weight)
    if isinstance(known, np.ndarray) and known.dtype != object and known.size and np.abs(known).min() < _LEAST:
        raise ArgumentError(
            f"istft: window overlap add min: {np.abs(known).min():.3g}, so the signal is not determined there. Use a "
            "shorter hop_length, a wider window, or center=True."
        )


# ------------------------------------------------------------------ windows
def _places(length: int, periodic: bool) -> Any:
    """j/N, with N the length if the window is to be repeated, else one less."""
    if whole(length) < 0:
        raise ArgumentError(f"A window needs a length that is not negative. Got {length}.")
    return np.arange(length) / (length if periodic else max(length - 1, 1)) if length > 1 else None


def cosines(length: int, periodic: bool, terms: tuple[float, ...]) -> Any:
    """Σ_k (−1)ᵏ a_k cos(2πk j/N)."""
    at = _places(length, periodic)
    if at is None:
        return np.ones(length)
    return np.sum([(-1) ** k * a * np.cos(2 * np.pi * k * at) for k, a in enumerate(terms)], 0)


def triangle(length: int, periodic: bool) -> Any:
    """1 − |2j/N − 1|."""
    at = _places(length, periodic)
    return np.ones(length) if at is None else 1 - np.abs(2 * at - 1)


def kaiser(length: int, periodic: bool, beta: float) -> Any:
    """I₀(β √(1 − (2j/N − 1)²)) / I₀(β)."""
    at = _places(length, periodic)
    return np.ones(length) if at is None else np.i0(beta * np.sqrt(1 - (2 * at - 1) ** 2)) / np.i0(beta)
