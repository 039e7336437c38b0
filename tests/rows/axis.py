"""Values and derivatives to order 3 over the whole axis: the functions, the points, and what is exact there.

``python tests/rows/axis.py`` prints a table of docs/accuracy.md; with ``write`` it first writes data/axis.json from
mpmath. test_axis.py compares symgrad with both. The derivatives are SymPy's of the textbook's expression, evaluated
with as many digits as two evaluations agree on.
"""

from __future__ import annotations

import json
import math
import sys
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import mpmath
import numpy as np
import sympy as sp

import symgrad as sg

DATA = Path(__file__).parents[1] / "data" / "axis.json"
ORDER = 3
F = sg.nn.functional
x = sp.Symbol("x", real=True)
Spot = Callable[[float], bool]


class Function(NamedTuple):
    """What is called, the textbook's expression (or its n-th derivative as a function of n and x), and where."""

    ours: Callable[[Any], Any]
    exact: Any
    domain: Spot = lambda v: True
    more: tuple[float, ...] = ()  # points of its own, such as zeros of value and slopes


def _positive(v: float) -> bool:
    return v > 0


def _unit(v: float) -> bool:
    return abs(v) < 1


def _middle(v: float) -> bool:
    return -20 < v < 1e15


def _sigmoid(z: Any) -> Any:
    return 1 / (1 + sp.exp(-z))


def _normal(z: Any) -> Any:
    return sp.erfc(-z / sp.sqrt(2)) / 2


def _beside(f: Callable[[Any, Any], Any], other: float) -> Callable[[Any], Any]:
    return lambda t: f(t, sg.tensor(other))


def _i0e(n: int, v: Any) -> Any:
    """The n-th derivative of exp(-a) I₀(a), a = |v|, is a multiple of M(n + 1/2, n + 1, -2a)."""
    lead = (-2) ** n * mpmath.rf(mpmath.mpf(1) / 2, n) / mpmath.factorial(n)
    return mpmath.sign(v) ** n * lead * mpmath.hyp1f1(mpmath.mpf(1) / 2 + n, 1 + n, -2 * abs(v))


def _i1e(n: int, v: Any) -> Any:
    """I₁ = I₀'."""
    return mpmath.sign(v) * (mpmath.sign(v) ** n * _i0e(n, abs(v)) + mpmath.sign(v) ** n * _i0e(n + 1, abs(v)))


_bce = F.binary_cross_entropy_with_logits
_CUBIC = 2 * sp.sqrt(2 / sp.pi) * (x + sp.Rational(44715, 10**6) * x**3)
FUNCTIONS: dict[str, Function] = {
    "exp": Function(sg.exp, sp.exp(x)),
    "expm1": Function(sg.expm1, sp.exp(x) - 1),
    "exp2": Function(sg.exp2, 2**x, lambda v: not 1024.5 < v < 1026, (1024.0, 1024.25)),
    "log": Function(sg.log, sp.log(x), _positive),
    "log1p": Function(sg.log1p, sp.log(1 + x), lambda v: v > -1),
    "log2": Function(sg.log2, sp.log(x) / sp.log(2), _positive),
    "log10": Function(sg.log10, sp.log(x) / sp.log(10), _positive),
    "sqrt": Function(sg.sqrt, sp.sqrt(x), _positive),
    "rsqrt": Function(sg.rsqrt, 1 / sp.sqrt(x), _positive),
    "reciprocal": Function(sg.reciprocal, 1 / x),
    "x**3": Function(lambda t: t**3, x**3),
    "x**1.5": Function(lambda t: t**1.5, x ** sp.Rational(3, 2), _positive),
    "sin": Function(sg.sin, sp.sin(x)),
    "cos": Function(sg.cos, sp.cos(x)),
    "tan": Function(sg.tan, sp.tan(x)),
    "asin": Function(sg.asin, sp.asin(x), _unit),
    "acos": Function(sg.acos, sp.acos(x), _unit),
    "atan": Function(sg.atan, sp.atan(x), more=(1 / math.sqrt(3),)),
    "sinh": Function(sg.sinh, sp.sinh(x)),
    "cosh": Function(sg.cosh, sp.cosh(x)),
    "tanh": Function(sg.tanh, sp.tanh(x), more=(0.6584789484624084, 356.0, 372.5)),
    "asinh": Function(sg.asinh, sp.asinh(x)),
    "acosh": Function(sg.acosh, sp.acosh(x), lambda v: v > 1),
    "atanh": Function(sg.atanh, sp.atanh(x), _unit),
    "sigmoid": Function(sg.sigmoid, _sigmoid(x)),
    "softplus": Function(sg.softplus, sp.log(1 + sp.exp(x))),
    "logsigmoid": Function(sg.logsigmoid, -sp.log(1 + sp.exp(-x))),
    "logit": Function(sg.logit, sp.log(x / (1 - x)), lambda v: 0 < v < 1),
    "softsign": Function(F.softsign, x / (1 + sp.Abs(x))),
    "tanhshrink": Function(F.tanhshrink, x - sp.tanh(x)),
    "erf": Function(sg.erf, sp.erf(x)),
    "erfc": Function(sg.erfc, sp.erfc(x)),
    "erfcx": Function(sg.special.erfcx, sp.exp(x**2) * sp.erfc(x), lambda v: v < 1e8),
    "erfinv": Function(sg.erfinv, sp.erfinv(x), _unit),
    "ndtr": Function(sg.special.ndtr, _normal(x)),
    "log_ndtr": Function(sg.special.log_ndtr, sp.log(_normal(x)), lambda v: abs(v) < 1e8),
    "ndtri": Function(sg.special.ndtri, sp.sqrt(2) * sp.erfinv(2 * x - 1), lambda v: 1e-20 < v < 1),
    "entr": Function(sg.special.entr, -x * sp.log(x), _positive, (1 / math.e,)),
    "lgamma": Function(sg.lgamma, sp.loggamma(x), lambda v: 0 < v < 1e15, (1.4616321449683622,)),
    "digamma": Function(sg.digamma, sp.digamma(x), _middle, (1.4616321449683622,)),
    "polygamma 1": Function(lambda t: sg.polygamma(1, t), sp.polygamma(1, x), _middle),
    "polygamma 2": Function(lambda t: sg.polygamma(2, t), sp.polygamma(2, x), _middle),
    "zeta": Function(lambda t: sg.special.zeta(3.0, t), -sp.polygamma(2, x) / 2, lambda v: 0 < v < 1e15),
    "i0": Function(sg.i0, sp.besseli(0, x), lambda v: abs(v) < 1e4),
    "i1": Function(sg.special.i1, sp.besseli(1, x), lambda v: abs(v) < 1e4),
    "i0e": Function(sg.special.i0e, _i0e),
    "i1e": Function(sg.special.i1e, _i1e, more=(1.5451272579925426, 1.9, 2.5)),
    "sinc": Function(
        sg.sinc, sp.sin(sp.pi * x) / (sp.pi * x), more=(1.4302966531242027, 2.459024032956761, 7.48647424)
    ),
    "gelu": Function(F.gelu, x * _normal(x), more=(-0.7517915246935645, math.sqrt(2))),
    "gelu, tanh": Function(
        lambda t: F.gelu(t, "tanh"), x * _sigmoid(_CUBIC), lambda v: abs(v) < 1e6, (-0.7524614220710163,)
    ),
    "silu": Function(F.silu, x * _sigmoid(x), more=(-1.2784645427610738, 2.399357280520546)),
    "mish": Function(F.mish, x * (1 - 2 / (1 + (1 + sp.exp(x)) ** 2)), more=(-1.1924312145154952,)),
    "celu": Function(
        lambda t: F.celu(t, 1.5), sp.Piecewise((x, x > 0), (sp.Rational(3, 2) * (sp.exp(2 * x / 3) - 1), True))
    ),
    "logaddexp": Function(_beside(sg.logaddexp, 0.5), sp.log(sp.exp(x) + sp.exp(sp.Rational(1, 2)))),
    "logaddexp2": Function(_beside(sg.logaddexp2, 0.5), sp.log(2**x + sp.sqrt(2)) / sp.log(2)),
    "hypot": Function(_beside(sg.hypot, 1.5), sp.sqrt(x**2 + sp.Rational(9, 4))),
    "hypot of a denormal": Function(_beside(sg.hypot, 1e-310), sp.sqrt(x**2 + sp.Rational(1e-310) ** 2)),
    "atan2, first": Function(_beside(sg.atan2, 1.5), sp.atan(2 * x / 3)),
    "atan2, second": Function(lambda t: sg.atan2(sg.tensor(1e-200), t), sp.atan2(sp.Rational(1e-200), x)),
    "xlogy": Function(lambda t: sg.xlogy(sg.tensor(1.5), t), sp.Rational(3, 2) * sp.log(x), _positive),
    "xlog1py": Function(
        lambda t: sg.special.xlog1py(sg.tensor(1.5), t), sp.Rational(3, 2) * sp.log(1 + x), lambda v: v > -1
    ),
    "logits, 1": Function(lambda t: _bce(t, sg.ones(*t.shape), reduction="none"), sp.log(1 + sp.exp(-x))),
    "logits, 0.25": Function(
        lambda t: _bce(t, 0.25 * sg.ones(*t.shape), reduction="none"), sp.log(1 + sp.exp(x)) - x / 4
    ),
    "2.5**x": Function(lambda t: sg.pow(sg.tensor(2.5), t), sp.Rational(5, 2) ** x),
}
EXPONENTS = (-300, -160, -110, -50, -20, -10, -8, -5, -3, -1, 3, 5, 8, 15, 20, 77, 103, 120, 150, 200, 300, 308)
HALVES = (
    0.25,
    0.5,
    0.75,
    1.0,
    1.5,
    2.0,
    2.5,
    3.0,
    5.0,
    10.0,
    14.5,
    20.0,
    26.5,
    38.0,
    100.0,
    350.0,
    400.0,
    700.0,
    711.0,
)


@cache
def points(name: str) -> tuple[float, ...]:
    """The points of a function: decades and halves with both signs, 1 ± 2⁻ᵏ, and beside its own points."""
    f = FUNCTIONS[name]
    beside = [b * (1 + s * 2.0**-k) for b in (1.0, *f.more) for k in (10, 30, 52) for s in (1, -1)]
    plain = [*HALVES, *(10.0**k for k in EXPONENTS), *beside, *(0.5 + s * 2.0**-k for k in (10, 40) for s in (1, -1))]
    every = {float(s * v) for v in [*plain, *f.more] for s in (1, -1)}
    return tuple(sorted(v for v in every if f.domain(v)))


def _derivatives(exact: Any) -> list[Callable[[Any], Any]]:
    if not isinstance(exact, sp.Expr):
        return [lambda v, n=n: exact(n, v) for n in range(ORDER + 2)]
    found = [exact]
    for _ in range(ORDER + 1):
        found.append(sp.diff(found[-1], x).doit().replace(sp.DiracDelta, lambda *a: sp.S.Zero))
    return [sp.lambdify(x, e, "mpmath") for e in found]


def exactly(f: Callable[[Any], Any], v: float) -> Any:
    """The value that more digits do not change; None where there is none."""
    size = abs(math.log10(abs(v)))
    for digits in (60, int(120 + 2 * size), int(160 + 5 * size)):
        found = [_with(f, v, d) for d in (digits, 2 * digits)]
        if None not in found and found[1] and abs(found[0] - found[1]) <= abs(found[1]) * mpmath.mpf(10) ** -20:
            return found[1]
    return found[1]


def _with(f: Callable[[Any], Any], v: float, digits: int) -> Any:
    with mpmath.workdps(digits):
        try:
            y = mpmath.mpmathify(f(mpmath.mpf(v)))
        except (ZeroDivisionError, ValueError, OverflowError, NotImplementedError, mpmath.libmp.NoConvergence):
            return None
        return None if mpmath.isnan(y) or (isinstance(y, mpmath.mpc) and y.imag) else y.real


def references(name: str) -> list[list[float | None]]:
    """For each order up to 4 the exact derivatives at the points, rounded; what exceeds the range is ±∞."""
    return [[_rounded(exactly(f, v)) for v in points(name)] for f in _derivatives(FUNCTIONS[name].exact)]


def _rounded(exact: Any) -> float | None:
    """The nearest double; ±∞ beyond the range, None where mpmath itself has no number."""
    if exact is None or mpmath.isinf(exact):
        return None
    return float(exact) if abs(exact) < mpmath.mpf(2) ** 1024 else math.inf if exact > 0 else -math.inf


def written() -> str:
    """The file of references, a line for each function and order."""
    lines = [f'"{name}": [\n' + ",\n".join(json.dumps(row) for row in references(name)) + "]" for name in FUNCTIONS]
    return "{" + ",\n".join(lines) + "}\n"


@cache
def table() -> dict[str, list[list[float | None]]]:
    """What the file says."""
    found: dict[str, list[list[float | None]]] = json.loads(DATA.read_text(encoding="utf-8"))
    return found


def units(found: Any, exact: Any) -> Any:
    """Distances in units of the last place of the exact values; 0 where both overflow alike, ∞ at a nan."""
    found, exact = np.asarray(found, np.float64), np.asarray(exact, np.float64)
    with np.errstate(all="ignore"):
        apart = np.abs(found - exact) / np.spacing(np.minimum(np.abs(exact), np.finfo(np.float64).max))
    apart = np.where(found == exact, 0.0, apart)
    near_overflow = (np.abs(found) > 1e308) & (np.abs(exact) > 1e308) & (np.sign(found) == np.sign(exact))
    return np.where(np.isnan(found), np.inf, np.where(near_overflow, 0.0, apart))


def derived(name: str) -> list[Any]:
    """The value and the derivatives at the points, eagerly."""
    t = sg.tensor(np.array(points(name)), requires_grad=True)
    with np.errstate(all="ignore"):
        y = FUNCTIONS[name].ours(t)
        found = [y.detach().numpy()]
        for _ in range(ORDER):
            (y,) = sg.autograd.grad(y.sum(), t, create_graph=True, allow_unused=True)
            if y is None or not y.requires_grad:
                break
            found.append(y.detach().numpy())
    return found


def known(name: str, order: int) -> tuple[Any, Any]:
    """Where there is a reference, and the reference."""
    row = table()[name][order]
    at = np.array([k for k, r in enumerate(row) if r is not None])
    return at, np.array([row[k] for k in at])


UNDERFLOWS = float(np.finfo(np.float64).tiny / np.finfo(np.float64).eps)


def measured(name: str) -> tuple[float, float]:
    """The largest errors of value and first derivative in units of the last place, denormal results aside."""
    found = []
    for order, y in enumerate(derived(name)[:2]):
        at, exact = known(name, order)
        found.append(float(np.max(units(y[at], exact)[np.abs(exact) > UNDERFLOWS], initial=0)))
    return found[0], found[1]


def page() -> str:
    """The second table of docs/accuracy.md."""
    rows = ["| function | value at hard points | derivative |", "|---|---|---|"]
    for name in FUNCTIONS:
        value, slope = measured(name)
        rows.append(f"| {name} | {value:.1f} | {slope:.1f} |")
    return "\n".join(rows)


if __name__ == "__main__":
    if sys.argv[1:] == ["write"]:
        DATA.write_text(written(), encoding="utf-8")
    print(page())
