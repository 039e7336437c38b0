"""Elementwise functions whose kernel differs from the payload at a pole or at ∞: numbers are guarded, formulas plain.

What is computed is declared beside the kernel as a payload too, ``meaning``, from which backends and exports write it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import sympy as sp

from symgrad.ops.map import MUL, NEG, AnalyticMap, Map
from symgrad.ops.protocol import Op, Plan
from symgrad.scalars import X, capped, exp, finite, log, maximum, minimum
from symgrad.support.lazy import cached_property


class Guard(Map):
    """A Map with a kernel of its own. Each is a global of this module, named in capitals.

    The payload is what formulas show and derivatives come from, ``meaning`` what the kernel computes, and ``imaginary``
    the kernel of complex numbers.
    """

    def __init__(
        self,
        name: str,
        make: Callable[[], Any],
        kernel: Callable[..., Any],
        meaning: Callable[[], Any],
        arity: int = 1,
        imaginary: Callable[..., Any] | None = None,
    ) -> None:
        super().__init__(make, arity, name)
        self.kernel, self._meaning, self._imaginary = kernel, meaning, imaginary

    def in_complex(self) -> Op:
        """The payload with the kernel of complex numbers; without one, the payload alone."""
        if self._imaginary is None or self.twin is not None:
            return super().in_complex()
        self.twin = AnalyticMap(lambda: self.formula, self.arity, self.name, self._imaginary)
        return self.twin

    @cached_property
    def meaning(self) -> Any:
        """The SymPy expression that the kernel computes."""
        return self._meaning()

    @cached_property
    def on_array(self) -> Callable[..., Any]:
        """Return the kernel that checks an array."""
        return self.kernel

    @cached_property
    def on_float(self) -> Callable[..., Any]:
        """The kernel on Python floats."""
        return lambda *xs: float(self.kernel(*xs))

    def __reduce__(self) -> Any:
        return self.name.upper()


class Weigh(Guard):
    """g·w, and 0 where the weight w is 0: where nothing flows, no ∞ and no nan of a cotangent arrives."""

    plan_kind = Plan

    @cached_property
    def on_float(self) -> Callable[..., Any]:
        """The kernel on Python floats."""
        return lambda g, w: g * w if w else 0.0

    def vjp(self, i: int, g: Any, y: Any, *xs: Any) -> Any:
        # ḡ = ȳ w, weighed again;  w̄ = ȳ g
        return MUL(g, xs[0]) if i else self(g, xs[1])


class Share(Guard):
    """exp(x - y) for x ≤ y, and 1 where both are -∞: the part of the sum exp y that exp x makes."""

    plan_kind = Plan

    def vjp(self, i: int, g: Any, y: Any, *xs: Any) -> Any:
        # x̄ = ȳ s, and the opposite for y;  s is the result
        result = MUL(g, y)
        return NEG(result) if i else result


def weigh(g: Any, w: Any) -> Any:
    """g·w on arrays, 0 where w is 0."""
    with np.errstate(invalid="ignore"):
        return np.where(w == 0, 0, g * w)


def settle(x: Any, y: Any, rest: Any) -> Any:
    """X - y rest on arrays, x where rest is ∞ or nearly so."""
    with np.errstate(invalid="ignore", over="ignore"):
        return x - y * np.where(np.abs(rest) < 1e300, rest, 0)


def _capped(z: Any) -> Any:
    return np.where((z.real > 700.0) & (z.real < np.inf), 700.0 + 1j * z.imag, z).astype(z.dtype)


def _counted(x: Any, b: Any) -> Any:
    return np.where(b == 0, x.dtype.type(-np.inf), x)


def _share(x: Any, y: Any) -> Any:
    with np.errstate(invalid="ignore"):
        return np.where((x == y) & (x < 0), 1, np.exp(np.minimum(x - y, 0)))


def _log(p: Any) -> Any:
    with np.errstate(divide="ignore"):
        return np.maximum(np.log(p), -100)


WEIGH = Weigh(
    "Weigh",
    lambda: X[0] * X[1],
    weigh,
    lambda: sp.Piecewise((0, sp.Eq(X[1], 0)), (X[0] * X[1], True)),
    arity=2,
    imaginary=weigh,
)
# x, and ∞ for 0: what is divided by it is 0 where x is 0, at every order
NONZERO = Guard(
    "Nonzero",
    lambda: X[0],
    lambda x: np.where(x == 0, np.inf, x),
    lambda: sp.Piecewise((sp.oo, sp.Eq(X[0], 0)), (X[0], True)),
)
# x, at least 10⁻¹²: PyTorch's bound on p (1 - p) in a denominator
FLOORED = Guard("Floored", lambda: X[0], lambda x: np.maximum(x, 1e-12), lambda: maximum(X[0], sp.Float("1e-12")))
# log x, cut at -100 as PyTorch's binary cross entropy does
LOGCUT = Guard("Logcut", lambda: sp.log(X[0]), _log, lambda: maximum(log(X[0]), -100))
SHARE = Share(
    "Share",
    lambda: exp(X[0] - X[1]),
    _share,
    lambda: sp.Piecewise((1, sp.Eq(X[0], X[1]) & (X[0] < 0)), (exp(minimum(X[0] - X[1], 0)), True)),
    arity=2,
)
# x, and -∞ where the factor is 0: what does not count in a largest entry
COUNTED = Guard(
    "Counted",
    lambda: X[0],
    lambda x, b: np.where(b == 0, -np.inf, x),
    lambda: sp.Piecewise((-sp.oo, sp.Eq(X[1], 0)), (X[0], True)),
    arity=2,
    imaginary=_counted,
)
# 0 in formulas: a finite number that is added to a logarithm and taken from its exponents
SHIFT = Guard(
    "Shift",
    lambda: sp.S.Zero,
    lambda x: np.where(np.isfinite(x), x, 0.0),
    lambda: finite(X[0]),  # 0 of nan, too
    imaginary=lambda z: np.where(np.isfinite(z), z, z.dtype.type(0)),
)
# x, at most 700 where it is finite: exp does not overflow, so that 0 times it is 0
CAPPED = Guard(
    "Capped",
    lambda: X[0],
    lambda x: np.where((x > 700.0) & (x < np.inf), 700.0, x),
    lambda: capped(X[0]),
    imaginary=_capped,
)
# x in formulas, of rows that sum to 0: x less the share y of what rounding made of that sum
SETTLED = Guard(
    "Settled",
    lambda: X[0],
    settle,
    lambda: X[0] - X[1] * sp.Piecewise((X[2], sp.Abs(X[2]) < sp.Float("1e300")), (0, True)),
    arity=3,
)
