"""``sg.fft``: functions with the names of ``torch.fft`` and ``numpy.fft``. They are implemented in ``ops``."""

# Written by `python tests/tools/stubs.py`; a test compares.

from collections.abc import Sequence
from symgrad.tensors.tensor import Tensor
from typing import Any

__all__ = [
    "fft",
    "fft2",
    "fftfreq",
    "fftn",
    "fftshift",
    "hfft",
    "hfft2",
    "hfftn",
    "ifft",
    "ifft2",
    "ifftn",
    "ifftshift",
    "ihfft",
    "ihfft2",
    "ihfftn",
    "irfft",
    "irfft2",
    "irfftn",
    "rfft",
    "rfft2",
    "rfftfreq",
    "rfftn",
]

def fft(input: Any, n: int | None = None, dim: int = -1, norm: str | None = None, *, axis: int | None = None) -> Tensor:
    """Return the Fourier transform y_k = Σ_j exp(−2πi jk/n) x_j along an axis. Gradient: its transform."""
def fft2(input: Any, s: Any = None, dim: Any = ..., norm: str | None = None, *, axes: Any = None) -> Tensor:
    """Return the Fourier transform along two axes."""
def fftfreq(n: int, d: float = 1.0, *, dtype: Any = None, requires_grad: bool = False) -> Tensor:
    """Return the frequencies of the entries of fft: 0, 1, …, then the negative ones from the middle on, divided by n·d."""
def fftn(input: Any, s: int | Sequence[int] | None = None, dim: Any = None, norm: str | None = None, *, axes: Any = None) -> Tensor:
    """Return the Fourier transform along several axes."""
def fftshift(input: Any, dim: Any = None, *, axes: Any = None) -> Tensor:
    """Shift the entries so that frequency 0 is in the middle: entry 0 of n moves to ⌊n/2⌋."""
def hfft(input: Any, n: int | None = None, dim: int = -1, norm: str | None = None, *, axis: int | None = None) -> Tensor:
    """Return the real transform of n numbers that begin with z and continue with its conjugates: n · irfft(conj z)."""
def hfft2(input: Any, s: Any = None, dim: Any = ..., norm: str | None = None, *, axes: Any = None) -> Tensor:
    """Return the real transform of an array that continues with its conjugates."""
def hfftn(input: Any, s: int | Sequence[int] | None = None, dim: Any = None, norm: str | None = None, *, axes: Any = None) -> Tensor:
    """Return the real transform of an array that begins with z along the last axis, and continues with its conjugates."""
def ifft(input: Any, n: int | None = None, dim: int = -1, norm: str | None = None, *, axis: int | None = None) -> Tensor:
    """Return the inverse of fft, y_j = Σ_k exp(2πi jk/n) x_k / n."""
def ifft2(input: Any, s: Any = None, dim: Any = ..., norm: str | None = None, *, axes: Any = None) -> Tensor:
    """Return the inverse transform of fft2."""
def ifftn(input: Any, s: int | Sequence[int] | None = None, dim: Any = None, norm: str | None = None, *, axes: Any = None) -> Tensor:
    """Return the inverse of fftn."""
def ifftshift(input: Any, dim: Any = None, *, axes: Any = None) -> Tensor:
    """Undo fftshift: entry ⌊n/2⌋ of n moves to 0."""
def ihfft(input: Any, n: int | None = None, dim: int = -1, norm: str | None = None, *, axis: int | None = None) -> Tensor:
    """Return the inverse of hfft: conj(rfft(x)) / n."""
def ihfft2(input: Any, s: Any = None, dim: Any = ..., norm: str | None = None, *, axes: Any = None) -> Tensor:
    """Return the inverse transform of hfft2."""
def ihfftn(input: Any, s: int | Sequence[int] | None = None, dim: Any = None, norm: str | None = None, *, axes: Any = None) -> Tensor:
    """Return the inverse of hfftn."""
def irfft(input: Any, n: int | None = None, dim: int = -1, norm: str | None = None, *, axis: int | None = None) -> Tensor:
    """Return the n real numbers whose transform begins with z: the inverse of rfft."""
def irfft2(input: Any, s: Any = None, dim: Any = ..., norm: str | None = None, *, axes: Any = None) -> Tensor:
    """Return the inverse transform of rfft2, which is real."""
def irfftn(input: Any, s: int | Sequence[int] | None = None, dim: Any = None, norm: str | None = None, *, axes: Any = None) -> Tensor:
    """Return the inverse of rfftn: real numbers."""
def rfft(input: Any, n: int | None = None, dim: int = -1, norm: str | None = None, *, axis: int | None = None) -> Tensor:
    """Return the first ⌊n/2⌋ + 1 entries of the transform of real numbers; the others are their conjugates."""
def rfft2(input: Any, s: Any = None, dim: Any = ..., norm: str | None = None, *, axes: Any = None) -> Tensor:
    """Return the transform of real numbers along two axes: half of it along the last axis."""
def rfftfreq(n: int, d: float = 1.0, *, dtype: Any = None, requires_grad: bool = False) -> Tensor:
    """Return the frequencies of rfft's entries: 0, 1, …, ⌊n/2⌋, over n·d."""
def rfftn(input: Any, s: int | Sequence[int] | None = None, dim: Any = None, norm: str | None = None, *, axes: Any = None) -> Tensor:
    """Return the Fourier transform of real numbers along several axes: the first half along the last axis."""
