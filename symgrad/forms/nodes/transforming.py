"""A Fourier matrix as NumPy source has it: what multiplies by it transforms, and only other uses write its entries."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.lib.mixins import NDArrayOperatorsMixin


class Fourier(NDArrayOperatorsMixin):
    """The first m rows of F_kj = exp(−2πi jk/n), or their conjugates, transposed or not."""

    def __init__(self, n: int, m: int, conjugate: bool = False, transposed: bool = False) -> None:
        self.n, self.m, self.conjugate, self.transposed = int(n), int(m), conjugate, transposed
        self.shape = (self.n, self.m) if transposed else (self.m, self.n)
        self.ndim = 2

    @property
    def T(self) -> Fourier:
        """The transpose of the transform."""
        return Fourier(self.n, self.m, self.conjugate, not self.transposed)

    def _times(self, x: Any) -> Any:
        """The matrix times a vector or a matrix."""
        axis = max(x.ndim - 2, 0)
        y = np.fft.ifft(x, self.n, axis=axis) * self.n if self.conjugate else np.fft.fft(x, self.n, axis=axis)
        return y if self.transposed else np.take(y, range(self.m), axis=axis)

    def _behind(self, x: Any) -> Any:
        """A vector or a matrix times the matrix."""
        return self.T._times(x) if x.ndim == 1 else np.swapaxes(self.T._times(np.swapaxes(x, -1, -2)), -1, -2)

    def __array__(self, dtype: Any = None, copy: Any = None) -> Any:
        return np.asarray(self._times(np.eye(self.shape[1])), dtype=dtype)

    def __array_ufunc__(self, ufunc: Any, method: str, *args: Any, **words: Any) -> Any:
        """Multiply by transforming; anything else takes the entries."""
        if ufunc is np.matmul and method == "__call__" and not words:
            left, right = args
            return left._times(np.asarray(right)) if isinstance(left, Fourier) else right._behind(np.asarray(left))
        return getattr(ufunc, method)(*[np.asarray(a) if isinstance(a, Fourier) else a for a in args], **words)


def fourier(n: int, m: int, adjoint: bool = False) -> Fourier:
    """Return the matrix of a transform of n numbers to m of its entries, or its adjoint."""
    return Fourier(n, m, adjoint, adjoint)
