"""Values and derivatives of smooth functions of one argument against mpmath, in units of the last place.

``python tests/tools/accuracy.py`` prints the table of docs/accuracy.md; test_accuracy.py checks it.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any, NamedTuple

import mpmath
import numpy as np

import symgrad as sg

POINTS = 300
F = sg.nn.functional


class Smooth(NamedTuple):
    """A function, what it is at 50 digits, and where it is measured."""

    ours: Callable[[Any], Any]
    exact: Callable[[Any], Any]
    low: float = -3.0
    high: float = 3.0


def _sigmoid(x: Any) -> Any:
    return 1 / (1 + mpmath.exp(-x))


def _normal(x: Any) -> Any:
    return mpmath.erfc(-x / mpmath.sqrt(2)) / 2


def _quantile(p: Any) -> Any:
    return mpmath.sqrt(2) * mpmath.erfinv(2 * p - 1)


def _elu(alpha: float, beta: float = 1.0, scale: float = 1.0) -> Callable[[Any], Any]:
    a, b, s = mpmath.mpf(alpha), mpmath.mpf(beta), mpmath.mpf(scale)
    return lambda x: s * (x if x > 0 else a * mpmath.expm1(x / b))


def _cubic(x: Any) -> Any:
    return x * _sigmoid(2 * mpmath.sqrt(2 / mpmath.pi) * (x + mpmath.mpf(44715) / 10**6 * x**3))


SMOOTH: dict[str, Smooth] = {
    "exp": Smooth(sg.exp, mpmath.exp),
    "expm1": Smooth(sg.expm1, mpmath.expm1),
    "exp2": Smooth(sg.exp2, lambda x: 2**x),
    "log": Smooth(sg.log, mpmath.log, 0.05, 6),
    "log1p": Smooth(sg.log1p, mpmath.log1p, -0.9, 6),
    "log2": Smooth(sg.log2, lambda x: mpmath.log(x, 2), 0.05, 6),
    "log10": Smooth(sg.log10, mpmath.log10, 0.05, 6),
    "sqrt": Smooth(sg.sqrt, mpmath.sqrt, 0.05, 6),
    "rsqrt": Smooth(sg.rsqrt, lambda x: 1 / mpmath.sqrt(x), 0.05, 6),
    "square": Smooth(sg.square, lambda x: x * x),
    "reciprocal": Smooth(sg.reciprocal, lambda x: 1 / x, 0.05, 6),
    "x**3": Smooth(lambda x: x**3, lambda x: x**3),
    "x**1.5": Smooth(lambda x: x**1.5, lambda x: x * mpmath.sqrt(x), 0.05, 6),
    "sin": Smooth(sg.sin, mpmath.sin),
    "cos": Smooth(sg.cos, mpmath.cos),
    "tan": Smooth(sg.tan, mpmath.tan, -1.4, 1.4),
    "asin": Smooth(sg.asin, mpmath.asin, -0.95, 0.95),
    "acos": Smooth(sg.acos, mpmath.acos, -0.95, 0.95),
    "atan": Smooth(sg.atan, mpmath.atan),
    "sinh": Smooth(sg.sinh, mpmath.sinh),
    "cosh": Smooth(sg.cosh, mpmath.cosh),
    "tanh": Smooth(sg.tanh, mpmath.tanh),
    "asinh": Smooth(sg.asinh, mpmath.asinh),
    "acosh": Smooth(sg.acosh, mpmath.acosh, 1.05, 6),
    "atanh": Smooth(sg.atanh, mpmath.atanh, -0.95, 0.95),
    "sinc": Smooth(sg.sinc, lambda x: mpmath.sin(mpmath.pi * x) / (mpmath.pi * x)),
    "deg2rad": Smooth(sg.deg2rad, lambda x: x * mpmath.pi / 180),
    "rad2deg": Smooth(sg.rad2deg, lambda x: x * 180 / mpmath.pi),
    "sigmoid": Smooth(sg.sigmoid, _sigmoid),
    "logit": Smooth(sg.logit, lambda x: mpmath.log(x / (1 - x)), 0.05, 0.95),
    "softplus": Smooth(sg.softplus, lambda x: mpmath.log1p(mpmath.exp(x))),
    "logsigmoid": Smooth(sg.logsigmoid, lambda x: -mpmath.log1p(mpmath.exp(-x))),
    "erf": Smooth(sg.erf, mpmath.erf),
    "erfc": Smooth(sg.erfc, mpmath.erfc),
    "erfinv": Smooth(sg.erfinv, mpmath.erfinv, -0.95, 0.95),
    "erfcx": Smooth(sg.special.erfcx, lambda x: mpmath.exp(x * x) * mpmath.erfc(x)),
    "ndtr": Smooth(sg.special.ndtr, _normal),
    "log_ndtr": Smooth(sg.special.log_ndtr, lambda x: mpmath.log(_normal(x))),
    "ndtri": Smooth(sg.special.ndtri, _quantile, 0.02, 0.98),
    "entr": Smooth(sg.special.entr, lambda x: -x * mpmath.log(x), 0.05, 6),
    "lgamma": Smooth(sg.lgamma, mpmath.loggamma, 0.1, 8),
    "digamma": Smooth(sg.digamma, mpmath.digamma, 0.1, 8),
    "polygamma 1": Smooth(lambda x: sg.polygamma(1, x), lambda x: mpmath.polygamma(1, x), 0.1, 8),
    "i0": Smooth(sg.i0, lambda x: mpmath.besseli(0, x)),
    "i0e": Smooth(sg.special.i0e, lambda x: mpmath.exp(-abs(x)) * mpmath.besseli(0, x), 0.05, 6),
    "i1": Smooth(sg.special.i1, lambda x: mpmath.besseli(1, x)),
    "i1e": Smooth(sg.special.i1e, lambda x: mpmath.exp(-abs(x)) * mpmath.besseli(1, x), 0.05, 6),
    "gelu": Smooth(F.gelu, lambda x: x * _normal(x)),
    "gelu, tanh": Smooth(lambda x: F.gelu(x, "tanh"), _cubic),
    "silu": Smooth(F.silu, lambda x: x * _sigmoid(x)),
    "mish": Smooth(F.mish, lambda x: x * mpmath.tanh(mpmath.log1p(mpmath.exp(x)))),
    "elu": Smooth(F.elu, _elu(1.0)),
    "selu": Smooth(F.selu, _elu(1.6732632423543772, 1.0, 1.0507009873554805)),
    "celu": Smooth(lambda x: F.celu(x, 1.5), _elu(1.5, 1.5)),
    "softsign": Smooth(F.softsign, lambda x: x / (1 + abs(x))),
    "tanhshrink": Smooth(F.tanhshrink, lambda x: x - mpmath.tanh(x)),
}


def ulps(found: float, exact: Any) -> float:
    """The distance in units of the last place of the exact value."""
    return float(abs(mpmath.mpf(float(found)) - exact) / mpmath.mpf(float(np.spacing(abs(float(exact))))))


@cache
def measured(name: str) -> tuple[float, float]:
    """The largest errors of the value and of the derivative at random points."""
    f = SMOOTH[name]
    points = np.random.default_rng(0).uniform(f.low, f.high, POINTS)
    x = sg.tensor(points, requires_grad=True)
    y = f.ours(x)
    y.sum().backward()
    with mpmath.workdps(50):
        at = [mpmath.mpf(float(p)) for p in points]
        value = max(ulps(v, f.exact(p)) for v, p in zip(y.detach().numpy(), at, strict=True))
        slope = max(ulps(v, mpmath.diff(f.exact, p)) for v, p in zip(x.grad.numpy(), at, strict=True))
    return value, slope


def table() -> str:
    """The rows of the table in docs/accuracy.md."""
    rows = ["| function | from | to | value | derivative |", "|---|---|---|---|---|"]
    for name, f in SMOOTH.items():
        value, slope = measured(name)
        rows.append(f"| {name} | {f.low:g} | {f.high:g} | {value:.1f} | {slope:.1f} |")
    return "\n".join(rows)


if __name__ == "__main__":
    print(table())
