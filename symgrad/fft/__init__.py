"""``sg.fft``: functions with the names of ``torch.fft`` and ``numpy.fft``. They are implemented in ``ops``."""

from __future__ import annotations

from typing import Any

import numpy as np

from symgrad.engine.adapters import public
from symgrad.errors import ArgumentError
from symgrad.ops.signal import fourier
from symgrad.support.arguments import check_all
from symgrad.support.namespace import namespace
from symgrad.tensors.creation import tensor
from symgrad.tensors.tensor import Tensor

__all__ = [
    "fft", "fft2", "fftfreq", "fftn", "fftshift", "hfft", "hfft2", "hfftn", "ifft", "ifft2", "ifftn", "ifftshift",
    "ihfft", "ihfft2", "ihfftn", "irfft", "irfft2", "irfftn", "rfft", "rfft2", "rfftfreq", "rfftn",
]  # fmt: skip

fft, ifft, rfft, irfft = public(fourier.fft), public(fourier.ifft), public(fourier.rfft), public(fourier.irfft)
hfft, ihfft = public(fourier.hfft), public(fourier.ihfft)
fft2, ifft2, rfft2 = public(fourier.fft2), public(fourier.ifft2), public(fourier.rfft2)
irfft2, hfft2, ihfft2 = public(fourier.irfft2), public(fourier.hfft2), public(fourier.ihfft2)
fftn, ifftn, rfftn = public(fourier.fftn), public(fourier.ifftn), public(fourier.rfftn)
irfftn, hfftn, ihfftn = public(fourier.irfftn), public(fourier.hfftn), public(fourier.ihfftn)
fftshift, ifftshift = public(fourier.fftshift), public(fourier.ifftshift)


def _points(n: int, least: int) -> int:
    if n < least:
        raise ArgumentError(f"fftfreq: got n={n}. Expected a number of samples, {least} or more.")
    return n


def fftfreq(n: int, d: float = 1.0, *, dtype: Any = None, requires_grad: bool = False) -> Tensor:
    """Return the frequencies of the entries of fft: 0, 1, …, then the negative ones from the middle on, divided by n·d.

    Args:
        n: how many.
        d: the time between two samples.
        dtype: the dtype.
        requires_grad: whether they are to have a gradient.

    Returns:
        A tensor (n,).

    >>> sg.fft.fftfreq(4)
    tensor([ 0.0000,  0.2500, -0.5000, -0.2500])
    """
    return tensor(np.fft.fftfreq(n, d) if _points(n, 0) else np.empty(0), dtype=dtype, requires_grad=requires_grad)


def rfftfreq(n: int, d: float = 1.0, *, dtype: Any = None, requires_grad: bool = False) -> Tensor:
    """Return the frequencies of rfft's entries: 0, 1, …, ⌊n/2⌋, over n·d.

    Args:
        n: the length of the signal.
        d: the time between two samples.
        dtype: the dtype.
        requires_grad: whether they are to have a gradient.

    Returns:
        A tensor (⌊n/2⌋ + 1,).

    >>> sg.fft.rfftfreq(4)
    tensor([0.0000, 0.2500, 0.5000])
    """
    return tensor(np.fft.rfftfreq(_points(n, 1), d), dtype=dtype, requires_grad=requires_grad)


__getattr__, __dir__ = namespace(globals(), __all__)


check_all(globals(), __all__)
