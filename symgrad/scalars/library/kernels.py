"""SciPy's universal functions as kernels, and derivatives with respect to parameters that have no closed form.

SciPy is asked when a kernel is first called: without it, that call says what to install.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from typing import Any

import numpy as np

from symgrad.errors import ArgumentError
from symgrad.scalars.numerics import elementwise
from symgrad.support import extras

Kernel = Callable[..., Any]
_SHORT = (np.dtype(np.float16), np.dtype(np.float32))


@cache
def _special(what: str) -> Any:
    return extras.required(what, "scipy", "scipy.special")


# SciPy's families that end the process, or never end, where the first so many arguments are not small numbers
FRAIL = {"mathieu_": 2, "pro_": 3, "obl_": 3, "pb": 1}
_HIGHEST = 1_000


def _check_orders(name: str, orders: Sequence[Any]) -> None:
    """Refuse orders and parameters that SciPy's program does not survive."""
    if not all(np.all(np.abs(np.asarray(n, np.float64)) <= _HIGHEST) for n in orders):
        raise ArgumentError(
            f"special.{name}: got an order or a parameter that is not below {_HIGHEST}, where SciPy's function "
            "fails. Pass smaller ones."
        )


def polynomials(ufunc: Kernel, n: Any, *xs: Any) -> Any:
    """SciPy's polynomials of degree n, which it computes by recurrence where n is an integer, not a whole float.

    Its series for other degrees loses all digits: of the Laguerre polynomial of degree 30 at 20 it keeps three.
    """
    if not np.all((n >= 0) & (n <= 10_000) & (n == np.floor(n))):
        return ufunc(n, *xs)
    values = ufunc(np.asarray(n, np.int64)[()], *xs)
    return values if np.all(np.isfinite(values)) else np.where(np.isfinite(values), values, ufunc(n, *xs))


def scipys(name: str, part: int | None = None, real: int = 0) -> Kernel:
    """SciPy's function of this name as a kernel; of several results, the one with this number.

    Where numbers are complex, the first ``real`` arguments are not: orders and parameters.
    """
    checked = next((count for family, count in FRAIL.items() if name.startswith(family)), 0)
    by_degree = name.startswith("eval_")

    def kernel(*xs: Any) -> Any:
        if real and any(isinstance(x, np.ndarray) and np.iscomplexobj(x) for x in xs):
            xs = (*map(np.real, xs[:real]), *xs[real:])
        if any(getattr(x, "dtype", None) == np.bool_ for x in xs):  # which SciPy's spherical functions would negate
            xs = tuple(np.asarray(x, np.float64)[()] for x in xs)
        if checked:
            _check_orders(name, xs[:checked])
        ufunc = getattr(_special(f"special.{name}"), name)
        with np.errstate(all="ignore"):
            values = polynomials(ufunc, *xs) if by_degree else ufunc(*xs)
        y = values if part is None else values[part]
        return y.astype(np.result_type(*xs)) if any(getattr(x, "dtype", None) in _SHORT for x in xs) else y

    kernel.__name__ = name if part is None else f"{name}_{part}"
    call = f"polynomials(scipy.special.{name}, {{}})" if by_degree else f"scipy.special.{name}({{}})"
    kernel.written = call if part is None else f"{call}[{part}]"  # type: ignore[attr-defined]
    return kernel


def own(compute: Callable[..., Any]) -> Kernel:
    """A kernel ``compute(special, *xs)`` of flat float64 arrays that asks ``scipy.special`` for others."""

    def kernel(*xs: Any) -> Any:
        return compute(_special(f"special.{compute.__name__}"), *xs)

    kernel.__name__, kernel.__doc__ = compute.__name__, compute.__doc__
    return elementwise(kernel)


def of_orders(compute: Callable[..., Any], count: int = 1) -> Kernel:
    """A kernel ``compute(special, *orders, *xs)`` whose first numbers are whole ones of the payload."""

    def kernel(*given: Any) -> Any:
        orders = [int(np.max(n, initial=0)) for n in given[:count]]

        def flat(*xs: Any) -> Any:
            return compute(_special("special"), *orders, *xs)

        return elementwise(flat)(*given[count:])

    return kernel


# ------------------------------------------------------------------ derivatives with respect to a parameter
_NODES = 16
AT = np.cos(np.pi * (np.arange(_NODES) + 0.5) / _NODES)  # Chebyshev's points in [-1, 1]


@cache
def weights() -> list[Any]:
    """For d = 1, 2, 3 the weights of the d-th derivative at 0 of the polynomial through these points.

    Source: p(t) = 2/n Σₖ' Σⱼ f(tⱼ) Tₖ(tⱼ) Tₖ(t), differentiated.
    """
    chebyshev = np.polynomial.chebyshev
    values = chebyshev.chebvander(AT, _NODES - 1) * (2.0 / _NODES)
    values[:, 0] /= 2
    unit = np.eye(_NODES)
    return [values @ np.array([chebyshev.chebval(0.0, chebyshev.chebder(e, d)) for e in unit]) for d in (1, 2, 3)]


def slopes(f: Callable[[Any], Any], p: Any, radius: Any, count: int, *, scaled: bool = False) -> list[Any]:
    """The first derivatives, up to ``count``, of an analytic f at p, from 16 values at most ``radius`` away.

    With n points and a function that is analytic in a disc of k radii the error is about (2k)⁻ⁿ of its values, and
    rounding is magnified about n-fold, n²-fold in the second derivative. ``scaled`` takes the points p·exp(t).
    """
    radius = np.broadcast_to(radius, np.shape(p))
    points = p * np.exp(np.multiply.outer(AT, radius)) if scaled else p + np.multiply.outer(AT, radius)
    values = f(points)
    return [np.tensordot(weights()[d], values, 1) / radius ** (d + 1) for d in range(count)]


def of_logarithm(y: Any, derivatives: list[Any]) -> Any:
    """The last of the derivatives of y, from those of log y."""
    first = derivatives[0]
    if len(derivatives) == 1:
        return y * first
    return y * (derivatives[1] + first * first)


def by_scale(y: Any, p: Any, derivatives: list[Any]) -> Any:
    """The last of the derivatives of y by p, from those of log y by log p."""
    first = derivatives[0]
    if len(derivatives) == 1:
        return y * first / p
    return y * (derivatives[1] + first * first - first) / (p * p)


def smaller_tail(lower: Callable[..., Any], upper: Callable[..., Any], p: Any, radius: Any, order: int) -> Any:
    """The derivative in p > 0 of a distribution function, from the logarithm of the smaller of its two tails."""
    below, above = lower(p), upper(p)
    low = below < above

    def logarithm(q: Any) -> Any:
        return np.log(np.where(low, lower(q), upper(q)))

    tail = np.where(low, below, above)
    derivative = by_scale(tail, p, slopes(logarithm, p, radius, order, scaled=True))
    return np.where(tail > 1e-280, np.where(low, derivative, -derivative), np.where(np.isnan(tail), tail, 0.0))
