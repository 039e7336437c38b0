"""SciPy's ufuncs in place of kernels of ours, for long arrays and where they are as accurate.

SciPy is an extra: it is imported when a kernel first meets a long array, and without it ours compute. Either keeps the
bounds of the accuracy table.
"""

from __future__ import annotations

import importlib.util
from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np

from symgrad.scalars import gamma, normal, numerics
from symgrad.scalars.gamma import F64, horner, select

_LONG = 256  # entries from which SciPy is worth its import
_BLOCK = 32768  # smaller ones leave few entries to each of the polynomials that mend the rest
Kernel = Callable[..., Any]

# Φ(t - 1.1) for |t| <= 0.42, interpolated as in ``gamma``
_MIDDLE = (
    0.13566606094638264, 0.21785217703255058, 0.11981869736790282, 0.0076248261961234295, -0.017872955690718843,
    -0.005075774180407134, 0.0014525021592515128, 0.0008325091441511302, -4.1155231436494035e-05,
    -8.596811046991482e-05, -5.798136810694627e-06, 6.451252298038871e-06, 1.0297336225182659e-06,
    -3.576066215242657e-07, -9.25202341578753e-08,
)  # fmt: skip


@cache
def _special() -> Any:
    """``scipy.special``, None where SciPy is not installed."""
    if importlib.util.find_spec("scipy") is None:
        return None
    from scipy import special

    return special


def quick(own: Kernel, fast: Callable[[Any, F64], F64]) -> Kernel:
    """Return a kernel: ``fast(scipy.special, x)`` on long arrays of float64 where there is SciPy, else our own."""

    def kernel(x: Any) -> Any:
        if type(x) is not np.ndarray or x.dtype != np.float64 or x.size < _LONG or _special() is None:
            return own(x)
        flat, special = x.reshape(-1), _special()
        with np.errstate(all="ignore"):
            if flat.size <= _BLOCK:
                return fast(special, flat).reshape(x.shape)
            parts = [fast(special, flat[k : k + _BLOCK]) for k in range(0, flat.size, _BLOCK)]
        return np.concatenate(parts).reshape(x.shape)

    kernel.__name__ = own.__name__
    kernel.__doc__ = own.__doc__
    return kernel


def _bare(own: Kernel) -> Kernel:
    """The kernel on flat arrays."""
    found: Kernel = own.__wrapped__  # type: ignore[attr-defined]
    return found


def _middle(x: F64) -> F64:
    return horner(x + 1.1, _MIDDLE)


def _erfc(special: Any, x: F64) -> F64:
    """Ours on the right, where SciPy subtracts erf from 1, and has exp(-x²) of a rounded square in the tail."""
    return select(x < 0.5, special.erfc, _bare(numerics.erfc), x)


def _ndtr(special: Any, x: F64) -> F64:
    """As erfc, of -x/√2."""
    return select(x < -0.7, lambda x: select(x > -1.5, _middle, _bare(normal.ndtr), x), special.ndtr, x)


def _log_ndtr(special: Any, x: F64) -> F64:
    """On the right the logarithm of 1 - Φ(-x)."""
    return select(x < 0.9, special.log_ndtr, lambda x: np.log1p(-_ndtr(special, -x)), x)


def _lgamma(special: Any, x: F64) -> F64:
    """Ours between 1/2 and 2, where SciPy adds a logarithm that cancels, and beyond the poles left of -2."""
    return select(((x >= 2.0) | (x <= 0.5)) & (x >= -2.0), special.gammaln, gamma.lgamma, x)


def _digamma(special: Any, x: F64) -> F64:
    """Ours left of 0, and at 0 where the sign of a zero counts."""
    return select((x > 1e-3) & (x < 1e300), special.psi, gamma.digamma, x)


erf = quick(numerics.erf, lambda special, x: special.erf(x))
erfinv = quick(numerics.erfinv, lambda special, x: np.copysign(special.erfinv(x), x))
erfc = quick(numerics.erfc, _erfc)
ndtr = quick(normal.ndtr, _ndtr)
log_ndtr = quick(normal.log_ndtr, _log_ndtr)
lgamma = quick(numerics.lgamma, _lgamma)
ndtri = quick(normal.ndtri, lambda special, x: special.ndtri(x))
digamma = quick(numerics.digamma, _digamma)


def polygamma(n: Any, x: Any) -> Any:
    """ψₙ(x); of order 0 digamma."""
    return digamma(x) if type(n) is int and n == 0 else numerics.polygamma(n, x)
