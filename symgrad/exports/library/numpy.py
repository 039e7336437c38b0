"""What differs in NumPy's words from those of ``arrays``, and the kernels of symgrad's that its sources hold."""

from __future__ import annotations

from typing import Any

import numpy as np

from symgrad.ops.linalg.determinant import _diagonal_case
from symgrad.ops.linalg.expm import _exponential
from symgrad.ops.linalg.norms import _p_norm as norm
from symgrad.scalars.bessel import besselj
from symgrad.scalars.numerics import power
from symgrad.scalars.zeta import zeta

__all__ = ["besselj", "norm", "power", "zeta"]  # kernels that sources hold as they are


# ------------------------------------------------------------------ parts
def complex_of(x: Any, y: Any) -> Any:
    """x + iy."""
    z = np.empty(np.broadcast(x, y).shape, np.result_type(x, y, np.complex64))
    z.real, z.imag = x, y
    return z


def placed(g: Any, key: Any, shape: Any) -> Any:
    """Zeros with g in its place."""
    array = np.zeros(shape, g.dtype)
    array[key] = g
    return array


def added(g: Any, key: Any, shape: Any) -> Any:
    """Zeros with every entry of g added to its place."""
    array = np.zeros(shape, g.dtype)
    np.add.at(array, key, g)
    return array


def assembled(gs: Any, keys: Any, shape: Any) -> Any:
    """Zeros with each g added to its part."""
    array = np.zeros(shape, np.result_type(*gs))
    for g, key in zip(gs, keys):
        array[key] += g
    return array


def put(x: Any, key: Any, v: Any) -> Any:
    """A copy of x with v in place of a part."""
    array = np.array(x)
    array[key] = v
    return array


def diagonal(x: Any, offset: int, row: int, column: int) -> Any:
    """The diagonal of each matrix, no view."""
    return np.diagonal(x, offset, row, column).copy()


# ------------------------------------------------------------------ along an axis
def running(x: Any, axis: int, largest: bool) -> Any:
    """The extreme so far."""
    return (np.maximum if largest else np.minimum).accumulate(x, axis)


def whole(x: Any) -> Any:
    """Integers for positions."""
    return np.asarray(x, np.int64)


# ------------------------------------------------------------------ linear algebra
def cofactor(a: Any, *hs: Any) -> Any:
    """The gradient of the determinant, or of its derivative in directions; also of singular matrices."""
    if not np.isfinite(a).all():
        return np.full_like(a, np.nan)
    u, s, vt = np.linalg.svd(a)
    flip = np.sign(np.linalg.det(u) * np.linalg.det(vt))[..., None, None]
    ks = [np.swapaxes(u, -1, -2) @ h @ np.swapaxes(vt, -1, -2) for h in hs]
    return flip * (u @ _diagonal_case(s, ks) @ vt)


def expm(a: Any) -> Any:
    """The exponential of each matrix."""
    return _exponential(a.astype(np.float64)).astype(a.dtype)
