"""Stable NumPy kernels of the functions that NumPy lacks or that overflow as textbooks write them.

Each takes a float or an array and keeps float32 and float64; integers become float64. All compute on flat
float64 arrays, silently: no kernel warns. Lowest layer, with ``gamma``; imports nothing of symgrad else.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import wraps
from typing import TYPE_CHECKING, Any, TypeAlias, TypeGuard

import numpy as np

from symgrad.scalars import gamma
from symgrad.scalars.gamma import F64, horner, select

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

Real: TypeAlias = "float | NDArray[Any]"
_BLOCK = 32768  # elements that a kernel sees at a time, so that its temporaries stay in cache
np.empty(8 * _BLOCK)  # C's heap, once it freed as much, keeps what temporaries free, whose pages it else maps anew
_FLOAT64 = np.dtype(np.float64)

# erf x = x + x P(x²) for |x| <= 1. Fits as in gamma.py: interpolated at Chebyshev nodes with mpmath.
_ERF = (
    0.1283791670955126, -0.3761263890318375, 0.11283791670954879, -0.026866170645076792,
    0.0052239776248180145, -0.000854832698083379, 0.0001205533111164271, -1.4925595266831182e-05,
    1.6461000484121368e-06, -1.6350312701054695e-07, 1.4659775274047436e-08, -1.1372848856791674e-09,
    5.957176147748911e-11,
)  # fmt: skip

# (x + 1/2) exp(x²) erfc x = _ERFC_SHIFT + P((x - 3)/(x + 3)) for 0.5 <= x <= 28
_ERFC_SHIFT = 0.6015625
_ERFC = (
    0.024941529134864804, -0.06781055306229036, -0.023781147176716748, 0.06482257935135244, -0.05963683170819597,
    0.03415401367302335, -0.011885257446112001, 0.0012646958898925248, 0.0009443450151087396,
    -0.00038991595602316846, -5.257871331441393e-05, 6.25485741446614e-05, 2.4694619408010922e-06,
    -1.0045959839643636e-05, -3.5089874924536e-07, 1.725278874905504e-06, 1.5216294328737225e-07,
    -2.910479125148188e-07, -4.285611393519171e-08, 3.520108019248683e-08, 4.661540394929059e-09,
)  # fmt: skip
_ERFC_UNDERFLOWS = 28.0

# erfinv x = x P(w), w = -log(1 - x²) <= 6, and x P(√w - 4) beyond: to 3e-7, the start of one Halley step.
# Source for the variables: Giles 2010, "Approximating the erfinv function".
_ERFINV_CENTRE = (
    0.8862269375861314, 0.2320131742080709, 0.011552723173310409, -0.0023443659538198124,
    -0.00011474669235783891, 3.5271022375011886e-05, 8.127665696452118e-06, -3.1235567176126065e-06,
    4.133411787696772e-07, -2.667491734136269e-08, 7.079419551812506e-10,
)  # fmt: skip
_ERFINV_TAIL = (
    3.8397838334137657, 1.009496593843846, 0.0012599611938213624, -0.0008870734259503436,
    0.00032107668079253053, -8.86708685259096e-05, 5.154239273130534e-05, -5.204992812463968e-05,
    2.501057448759589e-05, -4.190171296637292e-06,
)  # fmt: skip


def power(x: Any, y: Any, out: Any = None) -> Any:
    """xʸ. Where y is one number 1/2 NumPy takes √x, which -∞ has not, though its power is ∞, as in C."""
    if np.ndim(y) or y != 0.5:
        try:
            return np.power(x, y, out)
        except ValueError as error:  # of shapes, or of integers
            raise ValueError(f"{error} Pass floats, as in 2.0**x." if "powers" in str(error) else error) from None
    roots = np.power(x, np.full(np.shape(x) or 1, y, np.result_type(x, y)), out)
    return roots if np.ndim(x) or out is not None else roots[0]


def elementwise(kernel: Callable[..., F64]) -> Callable[..., Real]:
    """Lift a kernel on flat float64 arrays to broadcasting arguments of any shape and real dtype."""

    @wraps(kernel)
    def lifted(*xs: ArrayLike) -> Real:
        if _alike(xs):
            with np.errstate(all="ignore"):
                return kernel(*xs) if xs[0].ndim == 1 else kernel(*(x.reshape(-1) for x in xs)).reshape(xs[0].shape)
        operands: list[Any] = [x if isinstance(x, (int, float)) else np.asarray(x) for x in xs]
        dtype = np.result_type(*operands)
        if dtype.kind not in "fiub":
            raise TypeError(f"{kernel.__name__}: expected real numbers, got dtype {dtype}")
        arrays: Sequence[F64] = [np.asarray(x, dtype=np.float64) for x in operands]
        if len(arrays) > 1:
            arrays = np.broadcast_arrays(*arrays)
        flat = [a.reshape(-1) for a in arrays]
        with np.errstate(all="ignore"):
            y = in_blocks(kernel, *flat)
            y = y.astype(dtype if dtype.kind == "f" else np.float64, copy=False)
        values: Real = y.reshape(arrays[0].shape)[()]
        return values

    return lifted


def in_blocks(kernel: Callable[..., F64], *flat: F64) -> F64:
    """Return the kernel's values, computed in as few equal parts of flat arrays as fit into the cache."""
    count = -(-flat[0].size // _BLOCK)
    if count <= 1:
        return kernel(*flat)
    return np.concatenate([kernel(*parts) for parts in zip(*(np.array_split(a, count) for a in flat), strict=True)])


def _alike(xs: Sequence[Any]) -> TypeGuard[Sequence[F64]]:
    """Whether all are float64 arrays of one shape that fit into a block: most calls, which need no more looking at."""
    first = xs[0]
    if type(first) is not np.ndarray or first.dtype is not _FLOAT64 or not first.ndim or not 0 < first.size <= _BLOCK:
        return False
    return len(xs) == 1 or all(type(x) is np.ndarray and x.dtype is _FLOAT64 and x.shape == first.shape for x in xs[1:])


@elementwise
def erf(x: F64) -> F64:
    """Error function, erf x = 2/√π ∫₀ˣ exp(-t²) dt."""
    return select(np.abs(x) < 1, lambda x: x + _erf_less_x(x), _erf_far, x)


@elementwise
def erfc(x: F64) -> F64:
    """Complement erfc x = 1 - erf x, with relative accuracy down to its underflow near 27."""
    return select(np.abs(x) < 0.75, erfc_near, _erfc_far, x)


@elementwise
def erfinv(x: F64) -> F64:
    """Inverse of erf, ±∞ at ±1 and nan beyond."""
    a = np.abs(x)
    w = -np.log((1 - a) * (1 + a))
    y = a * select(w <= 6, _erfinv_over_x, _erfinv_over_x_far, w)
    # f(y) = erf y - a has f''/f' = -2y, whence Halley's step y - u/(1 + u y), u = f/f'
    f = select(a < 0.7, _erfinv_miss, _erfinv_miss_far, a, y)
    u = f * (math.sqrt(math.pi) / 2) * np.exp(y * y)
    return np.copysign(np.where(a == 1, np.inf, y - u / (1 + u * y)), x)


def _erfinv_miss(a: F64, y: F64) -> F64:
    """Erf y - a; the first difference is exact, here and below."""
    return (y - a) + _erf_less_x(y)


def _erfinv_miss_far(a: F64, y: F64) -> F64:
    return (1 - a) - erfc_tail(y)


def _erfinv_over_x(w: F64) -> F64:
    return horner(w, _ERFINV_CENTRE)


def _erfinv_over_x_far(w: F64) -> F64:
    return horner(np.sqrt(w) - 4, _ERFINV_TAIL)


def _erf_less_x(x: F64) -> F64:
    return x * horner(x * x, _ERF)


def _erf_far(x: F64) -> F64:
    return np.copysign(1 - erfc_tail(np.abs(x)), x)


def _erfc_far(x: F64) -> F64:
    tail = erfc_tail(np.abs(x))
    return np.where(x < 0, 2 - tail, tail)


def erfc_near(x: F64) -> F64:
    """erfc(x), |x| <= 0.75."""
    return 0.5 - ((x - 0.5) + _erf_less_x(x))


def erfc_tail(x: F64) -> F64:
    """erfc(x), x >= 0.5."""
    x = np.minimum(x, _ERFC_UNDERFLOWS)
    square, lost = squared(x)
    return np.exp(-square) * erfc_ratio(x, lost)


def squared(x: F64) -> tuple[F64, F64]:
    """x² rounded, and what that lost, which exp would magnify: exact but for rest², as head has 24 bits, rest 29."""
    head = x.astype(np.float32).astype(np.float64)
    square = x * x
    lost = (head * head - square) + (x + head) * (x - head)
    return square, lost


def erfc_ratio(x: F64, lost: F64 | float) -> F64:
    """Return exp(x²) erfc(x) (1 - lost) for 0.5 <= x <= 28."""
    return over_sum(horner((x - 3) / (x + 3), _ERFC), _ERFC_SHIFT, x, 0.5, lost)


def over_sum(p: F64, shift: float, x: F64, b: float, lost: F64 | float) -> F64:
    """Return (shift + p)/(x + b) times 1 - lost."""
    y = x + b
    lost = lost + (x - (y - b)) / y  # and what y lost, likewise relative to the result
    return (shift + (p - (shift + p) * lost)) / y


lgamma = elementwise(gamma.lgamma)
digamma = elementwise(gamma.digamma)


def polygamma(n: ArrayLike, x: ArrayLike) -> Real:
    """ψₙ(x) = dⁿψ/dxⁿ, the n-th derivative of digamma; n and x broadcast, the dtype is x's.

    Raises ValueError if some n is not one of the integers 0, …, 100.

    >>> bool(polygamma(0, 2.5) == digamma(2.5))
    True
    """
    orders = np.unique(np.asarray(n)).tolist()
    if not all(0 <= k <= gamma.MAX_ORDER and k == int(k) for k in orders):
        raise ValueError(f"polygamma: expected n in 0, 1, …, {gamma.MAX_ORDER}, got n = {n!r}")
    return _polygamma(np.asarray(n, dtype=np.int8), x)  # int8 leaves the dtype to x


@elementwise
def _polygamma(n: Any, x: F64) -> F64:
    y = np.empty_like(x)
    for order in np.unique(n):
        y[n == order] = gamma.polygamma(int(order), x[n == order])
    return y


@elementwise
def sigmoid(x: F64) -> F64:
    """σ(x) = 1/(1 + exp(-x)), relatively accurate in both tails."""
    z: F64 = np.exp(-np.abs(x))
    return np.where(x < 0, z, 1.0) / (1 + z)


@elementwise
def softplus(x: F64) -> F64:
    """Softplus, log(1 + exp x) = max(x, 0) + log1p(exp(-|x|)).

    >>> float(softplus(1000.0))
    1000.0
    """
    return np.maximum(x, 0) + np.log1p(np.exp(-np.abs(x)))


@elementwise
def logsigmoid(x: F64) -> F64:
    """Log-sigmoid, log σ(x) = -softplus(-x)."""
    return np.minimum(x, 0) - np.log1p(np.exp(-np.abs(x)))


@elementwise
def xlogy(x: F64, y: F64) -> F64:
    """Product x log y, and 0 where x = 0, unless y is nan.

    >>> float(xlogy(0.0, 0.0))
    0.0
    """
    return np.where((x == 0) & ~np.isnan(y), 0.0, x * np.log(y))


@elementwise
def xlog1py(x: F64, y: F64) -> F64:
    """Product x log(1 + y), and 0 where x = 0, unless y is nan."""
    return np.where((x == 0) & ~np.isnan(y), 0.0, x * np.log1p(y))


@elementwise
def entr(x: F64) -> F64:
    """Entropy -x log x, 0 at 0 and -∞ below.

    >>> float(entr(0.0))
    0.0
    """
    return np.where(x == 0, 0.0, np.where(x < 0, -np.inf, -x * np.log(x)))


def bce_logits(z: F64, t: F64) -> F64:
    """Softplus(z) - t z, which cancels where t = 1 and z is large."""
    return (1 - t) * z - logsigmoid(z)


def softsign(x: F64) -> F64:
    """x/(1 + |x|)."""
    y: F64 = x / (1 + np.abs(x))
    return y


def sigmoid_float(x: float) -> float:
    """σ(x) on Python floats."""
    z = math.exp(-abs(x))
    return (z if x < 0 else 1.0) / (1.0 + z)


def softplus_float(x: float) -> float:
    """Softplus, log(1 + exp x), on Python floats."""
    return max(x, 0.0) + math.log1p(math.exp(-abs(x)))


def logsigmoid_float(x: float) -> float:
    """Log-sigmoid, log σ(x), on Python floats."""
    return min(x, 0.0) - math.log1p(math.exp(-abs(x)))
