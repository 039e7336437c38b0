"""The functions that a formula may call: symgrad's own that compute, by their names, and a classroom's beside them."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable
from typing import Any

import sympy as sp

from symgrad import fft, functions, linalg, special
from symgrad.engine.record import as_tensor, unary
from symgrad.errors import ArgumentError
from symgrad.expression.bounds import MOST_ENTRIES
from symgrad.functions import clamp, where
from symgrad.nn import functional
from symgrad.ops.map import Map
from symgrad.scalars import BY_FUNCTION, X, normal_pdf
from symgrad.scalars.library.kernels import FRAIL
from symgrad.tensors.creation import eye, ones, zeros
from symgrad.tensors.tensor import Tensor

_CUBE_ROOT = Map(lambda: sp.sign(X[0]) * sp.Abs(X[0]) ** sp.Rational(1, 3), 1, "CubeRoot")
CLASSROOM: dict[str, Callable[..., Any]] = {
    "sec": lambda u: 1 / functions.cos(u),
    "csc": lambda u: 1 / functions.sin(u),
    "cot": lambda u: functions.cos(u) / functions.sin(u),
    "cosec": lambda u: 1 / functions.sin(u),
    "sech": lambda u: 1 / functions.cosh(u),
    "csch": lambda u: 1 / functions.sinh(u),
    "coth": lambda u: functions.cosh(u) / functions.sinh(u),
    "asec": lambda u: functions.acos(1 / u),
    "acsc": lambda u: functions.asin(1 / u),
    "acot": lambda u: functions.atan(1 / u),
    "tg": lambda u: functions.tan(u),
    "ctg": lambda u: functions.cos(u) / functions.sin(u),
    "arctg": lambda u: functions.atan(u),
    "cbrt": lambda u: unary(_CUBE_ROOT, as_tensor(u)),
}  # of numbers that may have all digits: a third of log u, where 1/3 would be rounded

_NORMAL_PDF = Map(functools.partial(normal_pdf, X[0]), 1, "NormalPdf")  # which has all digits of √(2π)
ALONG = ("softmax", "log_softmax", "softmin", "cumsum", "cumprod", "logcumsumexp", "cummax", "cummin")


@functools.cache
def function_table() -> dict[str, Callable[..., Any]]:
    """Return the functions that a formula may call, by name: those of symgrad that compute, and a classroom's."""
    table: dict[str, Any] = dict(CLASSROOM)
    for module in (fft, linalg, special, functional, functions):  # where two have a name, the last one's is meant
        table |= {name: getattr(module, name) for name in module.__all__ if name not in CLASSROOM}
        if module in (fft, linalg, special):
            table |= {f"{module.__name__.split('.')[1]}.{name}": getattr(module, name) for name in module.__all__}
    printed = {d.text: table[d.name] for d in BY_FUNCTION.values() if d.text.isidentifier() and d.name in table}
    table = printed | table
    table = {name: f for name, f in table.items() if not name.removeprefix("special.").startswith(tuple(FRAIL))}
    table |= {"φ": lambda u: unary(_NORMAL_PDF, as_tensor(u))}
    table |= {f"J{n}": functools.partial(table["jv"], n) for n in range(2, 10)}
    table |= {"Γ": table["gamma"], "ζ": table["zeta"], "J0": table["bessel_j0"], "J1": table["bessel_j1"]}
    table |= {name: functools.partial(_bessel, table, any_order, low) for name, (any_order, *low) in _BESSEL.items()}
    table |= {"re": table["real"], "im": table["imag"], "arg": table["angle"], "abs2": _squared_modulus}
    table |= {"Re": table["real"], "Im": table["imag"]}
    table |= {"max": _larger, "min": _smaller, "eye": _eye, "ones": ones, "zeros": zeros, "clip": clamp, "where": where}
    table |= {"combinations": _combinations, "toeplitz": _toeplitz, "linalg.toeplitz": _toeplitz}
    table |= {name: _along(name, table[name]) for name in ALONG}
    table |= {"rowmean": lambda x: _line_means(x, 1), "colmean": lambda x: _line_means(x, 0), "skew": _skew}
    table |= {"tr": table["trace"], "log": _logarithm}
    table |= {"arcsin": table["asin"], "arccos": table["acos"], "arctan": table["atan"], "ln": functions.log}
    return table


_BESSEL = {  # by MATLAB's and SymPy's names: of any order, of orders 0 and 1
    "besselj": ("jv", "bessel_j0", "bessel_j1"),
    "bessely": ("yv", "y0", "y1"),
    "besseli": ("iv", "i0", "i1"),
    "besselk": ("kv", "k0", "k1"),
}


def _bessel(table: dict[str, Any], any_order: str, low: list[str], n: Any, x: Any) -> Any:
    """A Bessel function of order n."""
    return table[low[n]](x) if isinstance(n, int) and 0 <= n < len(low) else table[any_order](n, x)


def _skew(a: Any) -> Tensor:
    """The matrix of the cross product with a."""
    zero = 0 * a[0]
    rows = [[zero, -a[2], a[1]], [a[2], zero, -a[0]], [-a[1], a[0], zero]]
    skew: Tensor = functions.stack([functions.stack(row) for row in rows])
    return skew


def _line_means(x: Any, axis: int) -> Any:
    """A matrix with each entry replaced by the mean along an axis."""
    return functions.mean(x, axis, keepdim=True) + 0 * x


def _along(name: str, f: Callable[..., Any]) -> Callable[..., Any]:
    """Return a function that goes along an axis, which need not be said where there is only one."""

    @functools.wraps(f)
    def along(x: Any, *args: Any, **words: Any) -> Any:
        if args or not words.keys().isdisjoint(("dim", "axis")):
            return f(x, *args, **words)
        axes = len(getattr(x, "shape", ()))
        if axes == 0:
            raise ArgumentError(f"{name} is of a vector or a matrix; this is a number")
        if axes > 1:
            raise ArgumentError(f"{name} goes along an axis; write {name}(…, 0) for columns, {name}(…, 1) for rows")
        return f(x, 0, **words)

    return along


def _logarithm(x: Any, base: Any = None) -> Any:
    """The natural logarithm, or to a base: log x / log b."""
    if isinstance(base, (int, float)) and (base <= 0 or base == 1):
        raise ArgumentError(f"a logarithm's base is positive and not 1; this is {base}")
    return functions.log(x) if base is None else functions.log(x) / functions.log(base)


def _larger(x: Any, *args: Any, **words: Any) -> Any:
    """Return the largest of several numbers, or what ``max`` makes of an array."""
    if _are_numbers(x, *args):
        return functools.reduce(functions.maximum, args, x)
    return functions.max(x, *args, **words)


def _smaller(x: Any, *args: Any, **words: Any) -> Any:
    if _are_numbers(x, *args):
        return functools.reduce(functions.minimum, args, x)
    return functions.min(x, *args, **words)


def _are_numbers(*args: Any) -> bool:
    """Whether all arguments are numbers, so that the second is not an axis."""
    return len(args) > 1 and all(type(a) in (int, float) or getattr(a, "shape", None) == () for a in args)


def _squared_modulus(z: Any) -> Any:
    """Return the square |z|²."""
    return functions.abs(z) ** 2


def _eye(n: Any) -> Tensor:
    if isinstance(n, int) and n * n > MOST_ENTRIES:
        raise ArgumentError(f"eye({n}) has more than {MOST_ENTRIES} entries")
    return eye(n)


def _combinations(x: Any, r: int = 2, with_replacement: bool = False) -> Any:
    """All ways to take r entries; the function lists their places before a step is recorded."""
    n: tuple[Any, ...] = getattr(x, "shape", ())
    if len(n) == 1 and isinstance(n[0], int) and r >= 0:
        _check_size(r * math.comb(n[0] + (r - 1 if with_replacement else 0), r))
    return functions.combinations(x, r, with_replacement)


def _toeplitz(c: Any, r: Any = None) -> Any:
    """Build Toeplitz's matrix. Its size is checked before a step is recorded."""
    sizes = [s for t in (c, c if r is None else r) for s in getattr(t, "shape", ())[-1:]]
    if all(isinstance(s, int) for s in sizes):
        _check_size(math.prod(sizes))
    return linalg.toeplitz(c, r)


def _check_size(entries: int) -> None:
    if entries > MOST_ENTRIES:
        raise ArgumentError(f"this makes an array of more than {MOST_ENTRIES} entries")
