"""PyTorch's short-time Fourier transforms, and the windows that signals are cut with."""

from __future__ import annotations

from typing import Any

from symgrad.core.device import placed
from symgrad.core.modes import get_default_dtype
from symgrad.engine.adapters import public_named
from symgrad.ops.signal import spectra
from symgrad.support.arguments import check_all
from symgrad.tensors.creation import tensor
from symgrad.tensors.tensor import Tensor

__all__ = ["bartlett_window", "blackman_window", "hamming_window", "hann_window", "istft", "kaiser_window", "stft"]

stft = public_named(spectra.stft, "input", "window")
istft = public_named(spectra.istft, "input", "window")


def _tensor(values: Any, dtype: Any, requires_grad: bool) -> Tensor:
    return tensor(values, dtype=get_default_dtype() if dtype is None else dtype, requires_grad=requires_grad)


@placed
def hann_window(
    window_length: int, periodic: bool = True, *, dtype: Any = None, requires_grad: bool = False, device: Any = None
) -> Tensor:
    """Return the Hann window w_j = ½ − ½ cos(2πj/N) = sin²(πj/N).

    Args:
        window_length: the number of entries.
        periodic: True for a periodic window, where N is the number of entries; False for a symmetric one, where N is
            one less.
        dtype, requires_grad: as in ``tensor``.

    Returns:
        A tensor (window_length,).

    >>> sg.hann_window(4)
    tensor([0.0000, 0.5000, 1.0000, 0.5000])
    """
    return _tensor(spectra.cosines(window_length, periodic, (0.5, 0.5)), dtype, requires_grad)


@placed
def hamming_window(
    window_length: int, periodic: bool = True, alpha: float = 0.54, beta: float = 0.46,
    *, dtype: Any = None, requires_grad: bool = False, device: Any = None,
) -> Tensor:  # fmt: skip
    """Return the Hamming window w_j = α − β cos(2πj/N).

    Args:
        window_length, periodic: as in ``hann_window``.
        alpha, beta: α and β.
        dtype, requires_grad: as in ``tensor``.

    Returns:
        A tensor (window_length,).

    >>> sg.hamming_window(2)
    tensor([0.0800, 1.0000])
    """
    return _tensor(spectra.cosines(window_length, periodic, (alpha, beta)), dtype, requires_grad)


@placed
def blackman_window(
    window_length: int, periodic: bool = True, *, dtype: Any = None, requires_grad: bool = False, device: Any = None
) -> Tensor:
    """Return the Blackman window w_j = 0.42 − 0.5 cos(2πj/N) + 0.08 cos(4πj/N).

    Args:
        window_length, periodic, dtype, requires_grad: as in ``hann_window``.

    Returns:
        A tensor (window_length,).

    >>> sg.blackman_window(4)[2]
    tensor(1.0000)
    """
    return _tensor(spectra.cosines(window_length, periodic, (0.42, 0.5, 0.08)), dtype, requires_grad)


@placed
def bartlett_window(
    window_length: int, periodic: bool = True, *, dtype: Any = None, requires_grad: bool = False, device: Any = None
) -> Tensor:
    """Return the Bartlett window w_j = 1 − |2j/N − 1|.

    Args:
        window_length, periodic, dtype, requires_grad: as in ``hann_window``.

    Returns:
        A tensor (window_length,).

    >>> sg.bartlett_window(4)
    tensor([0.0000, 0.5000, 1.0000, 0.5000])
    """
    return _tensor(spectra.triangle(window_length, periodic), dtype, requires_grad)


@placed
def kaiser_window(
    window_length: int,
    periodic: bool = True,
    beta: float = 12.0,
    *,
    dtype: Any = None,
    requires_grad: bool = False,
    device: Any = None,
) -> Tensor:
    """Return the Kaiser window w_j = I₀(β √(1 − (2j/N − 1)²)) / I₀(β).

    Args:
        window_length, periodic: as in ``hann_window``.
        beta: β.
        dtype, requires_grad: as in ``tensor``.

    Returns:
        A tensor (window_length,).

    >>> sg.kaiser_window(2, periodic=False, beta=0.0)
    tensor([1., 1.])
    """
    return _tensor(spectra.kaiser(window_length, periodic, beta), dtype, requires_grad)


check_all(globals(), __all__)
