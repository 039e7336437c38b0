"""SciPy's ufuncs in place of kernels of ours, for long arrays and where they are as accurate.

SciPy is an extra: it is imported when a kernel first meets a long array, and without it ours compute. Either keeps the
bounds of the accuracy table.
"""

from __future__ import annotations

import importlib.util
import math
from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np

from symgrad.scalars import gamma, normal, numerics
from symgrad.scalars.gamma import F64, select
from symgrad.scalars.numerics import in_blocks

_MOST = 1000  # steps of a recurrence
_LONG = 256  # entries from which SciPy is worth its import
_TAKEN = (np.dtype(np.float64), np.dtype(np.float32))
Kernel = Callable[..., Any]


@cache
def _special() -> Any:
    """``scipy.special``, None where SciPy is not installed."""
    if importlib.util.find_spec("scipy") is None:
        return None
    from scipy import special

    return special


def quick(own: Kernel, fast: Callable[[Any, F64], F64], whole: str = "") -> Kernel:
    """Return a kernel: ``fast(scipy.special, x)`` on long arrays of floats where there is SciPy, else our own.

    ``whole`` is SciPy's function of complex numbers.
    """

    def kernel(x: Any) -> Any:
        if whole and isinstance(x, np.ndarray) and np.iscomplexobj(x) and _special() is not None:
            with np.errstate(all="ignore"):
                return getattr(_special(), whole)(x)
        if type(x) is not np.ndarray or x.dtype not in _TAKEN or x.size < _LONG or _special() is None:
            return own(x)
        flat, special = x.reshape(-1).astype(np.float64, copy=False), _special()
        with np.errstate(all="ignore"):
            y = in_blocks(lambda x: fast(special, x), flat)
            return y.reshape(x.shape).astype(x.dtype, copy=False)

    kernel.own = own  # type: ignore[attr-defined]  # the kernel that machine code is made of
    kernel.__name__ = own.__name__
    kernel.__doc__ = own.__doc__
    return kernel


def _erfc(special: Any, x: F64) -> F64:
    """Ours on the right, where SciPy subtracts erf from 1, and has exp(-x²) of a rounded square in the tail."""
    return select(x < 0.5, special.erfc, numerics.erfc_tail, x)


def _ndtr(special: Any, x: F64) -> F64:
    """As erfc, of -x/√2."""
    return select(x < -0.7, normal.ndtr_tail, special.ndtr, x)


def _log_ndtr(special: Any, x: F64) -> F64:
    """Return log Φ(x), in the tails from the scaled complementary error function."""
    return select(x < 0, lambda x: _log_ndtr_left(special, x), lambda x: np.log1p(-_ndtr(special, -x)), x)


def _log_ndtr_left(special: Any, x: F64) -> F64:
    return select(x > -37, lambda x: np.log(_ndtr(special, x)), normal.log_ndtr_tail, x)


def _erfcx(special: Any, x: F64) -> F64:
    """SciPy's erfc where it is nearly 2."""
    return select(x < -0.75, lambda x: normal.grown(x) * special.erfc(x), normal.scaled, x)


def _lgamma(special: Any, x: F64) -> F64:
    """Ours between 1/2 and 2, where SciPy adds a logarithm that cancels, beyond the poles left of -2, and beside 0."""
    return select(((x >= 2.0) | (x <= 0.5)) & (x >= -2.0) & (np.abs(x) > 1e-300), special.gammaln, gamma.lgamma, x)


def _digamma(special: Any, x: F64) -> F64:
    """Ours left of 0, and at 0 where the sign of a zero counts."""
    return select((x > 1e-3) & (x < 1e300), special.psi, gamma.digamma, x)


erf = quick(numerics.erf, lambda special, x: special.erf(x), "erf")
erfinv = quick(numerics.erfinv, lambda special, x: np.copysign(special.erfinv(x), x))
erfc = quick(numerics.erfc, _erfc, "erfc")
erfcx = quick(normal.erfcx, _erfcx, "erfcx")
ndtr = quick(normal.ndtr, _ndtr, "ndtr")
log_ndtr = quick(normal.log_ndtr, _log_ndtr)
lgamma = quick(numerics.lgamma, _lgamma)
ndtri = quick(normal.ndtri, lambda special, x: special.ndtri(x))
digamma = quick(numerics.digamma, _digamma, "psi")


def polygamma(n: Any, x: Any) -> Any:
    """ψₙ(x); of order 0 digamma."""
    if isinstance(x, np.ndarray) and np.iscomplexobj(x):
        return _of_complex(int(np.real(n)), x)
    return digamma(x) if type(n) is int and n == 0 else numerics.polygamma(n, x)


_FROM = 20.0  # from which real part on the asymptotic series has all digits


def _of_complex(n: int, z: Any) -> Any:
    """ψₙ(z) by the recurrence and the asymptotic series. Source: Abramowitz & Stegun 1964, 6.4.6, 6.4.11."""
    if n == 0:
        return digamma(z)
    steps = np.clip(np.ceil(_FROM - z.real), 0.0, _MOST)
    total, factorial = np.zeros_like(z), math.factorial(n)
    for k in range(int(np.max(steps, initial=0.0))):
        total = total + np.where(steps > k, factorial / (z + k) ** (n + 1), 0.0)
    r = 1 / (z + steps)
    tail = math.factorial(n - 1) * r**n + factorial / 2 * r ** (n + 1)
    for j, b in enumerate(gamma._BERNOULLI, 1):
        tail = tail + b * math.factorial(2 * j + n - 1) * r ** (2 * j + n)
    values = np.where(z.real < _FROM - _MOST, np.nan, total + tail)
    return (values if n % 2 else -values).astype(z.dtype)
