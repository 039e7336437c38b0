"""``np.fft`` on tensors: NumPy's names of Fourier transforms, whose arguments ``sg.fft`` has."""

from __future__ import annotations

from typing import Any

from symgrad import fft
from symgrad.numpy_api.table import numpys

_ONE = ("fft", "ifft", "rfft", "irfft", "hfft", "ihfft")
_SEVERAL = ("fft2", "ifft2", "rfft2", "irfft2", "fftn", "ifftn", "rfftn", "irfftn")


def _one(name: str) -> None:
    @numpys(f"fft.{name}")
    def _(a: Any, n: Any = None, axis: int = -1, norm: Any = None) -> Any:
        return getattr(fft, name)(a, n, axis, norm)


def _several(name: str, default: Any) -> None:
    @numpys(f"fft.{name}")
    def _(a: Any, s: Any = None, axes: Any = default, norm: Any = None) -> Any:
        return getattr(fft, name)(a, s, axes, norm)


for _name in _ONE:
    _one(_name)
for _name in _SEVERAL:
    _several(_name, (-2, -1) if _name.endswith("2") else None)
numpys("fft.fftshift")(lambda x, axes=None: fft.fftshift(x, axes))
numpys("fft.ifftshift")(lambda x, axes=None: fft.ifftshift(x, axes))
