"""``sg.signal``: functions with the names of ``scipy.signal``. They are implemented in ``ops``."""

# Written by `python tests/tools/stubs.py`; a test compares.

from symgrad.signal import windows as windows
from symgrad.tensors.tensor import Tensor
from typing import Any

__all__ = [
    "convolve",
    "convolve2d",
    "correlate",
    "correlate2d",
    "fftconvolve",
    "lfilter",
    "windows",
]

def convolve(in1: Any, in2: Any, mode: str = 'full', method: str = 'auto') -> Tensor:
    """Return the convolution y_i = Σ_j x_j h_{i−j} along all axes. Gradients: correlations with the other input."""
def convolve2d(in1: Any, in2: Any, mode: str = 'full', boundary: str = 'fill', fillvalue: float = 0) -> Tensor:
    """Return the convolution of two matrices, with x extended beyond its edges."""
def correlate(in1: Any, in2: Any, mode: str = 'full', method: str = 'auto') -> Tensor:
    """Return the correlation y_k = Σ_l x_l h_{l−k+m−1} along all axes: the convolution with h flipped."""
def correlate2d(in1: Any, in2: Any, mode: str = 'full', boundary: str = 'fill', fillvalue: float = 0) -> Tensor:
    """Return the correlation of two matrices, with x extended beyond its edges: the convolution with h flipped."""
def fftconvolve(in1: Any, in2: Any, mode: str = 'full', axes: Any = None) -> Tensor:
    """Return the convolution along some axes, like ``convolve``; the other axes are broadcast."""
def lfilter(b: Any, a: Any, x: Any, axis: int = -1, zi: Any = None) -> Any:
    """Filter x along one axis: a_0 y_i = Σ_k b_k x_{i−k} − Σ_{k≥1} a_k y_{i−k}."""
