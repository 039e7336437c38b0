"""Complex arrays as pairs of real numbers, for methods that need an order, squares or steps."""

from __future__ import annotations

from typing import Any

import numpy as np

from symgrad.core.promotion import is_complex


def in_parts(x: Any) -> Any:
    """Return a complex array as its real and imaginary parts along a last axis; a real one as it is."""
    x = np.asarray(x)
    return np.stack([x.real, x.imag], -1) if is_complex(x.dtype) else x


def of_parts(x: Any, dtype: np.dtype[Any]) -> Any:
    """Return what ``in_parts`` made of an array of this dtype as that array again."""
    if not is_complex(dtype):
        return x
    array = np.empty(x.shape[:-1], dtype)
    array.real, array.imag = x[..., 0], x[..., 1]
    return array
