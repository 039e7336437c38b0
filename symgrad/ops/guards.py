"""Elementwise functions whose kernel differs from the payload at a pole or at ∞: numbers are guarded, formulas plain.

Imports map and protocol.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import Any

import numpy as np
import sympy as sp

from symgrad.ops.map import MUL, Map
from symgrad.ops.protocol import Plan
from symgrad.scalars import X


class Guard(Map):
    """A Map of one argument with a kernel of its own. Each is a global of this module, named in capitals."""

    def __init__(self, name: str, make: Callable[[], Any], kernel: Callable[[Any], Any]) -> None:
        super().__init__(make, 1, name)
        self.kernel = kernel

    @cached_property
    def on_array(self) -> Callable[..., Any]:
        """The kernel."""
        return self.kernel

    @cached_property
    def on_float(self) -> Callable[..., Any]:
        """The kernel on a Python float."""
        return lambda x: float(self.kernel(x))

    def __reduce__(self) -> Any:
        return self.name.upper()


class Weigh(Map):
    """g·w, and 0 where the weight w is 0: where nothing flows, no ∞ and no nan of a cotangent arrives."""

    plan_kind = Plan

    @cached_property
    def on_array(self) -> Callable[..., Any]:
        """The kernel."""
        return weigh

    @cached_property
    def on_float(self) -> Callable[..., Any]:
        """The kernel on Python floats."""
        return lambda g, w: g * w if w else 0.0

    def vjp(self, i: int, g: Any, y: Any, *xs: Any) -> Any:
        # ḡ = ȳ w, weighed again;  w̄ = ȳ g
        return MUL(g, xs[0]) if i else self(g, xs[1])

    def __reduce__(self) -> Any:
        return "WEIGH"


def weigh(g: Any, w: Any) -> Any:
    """g·w on arrays, 0 where w is 0."""
    with np.errstate(invalid="ignore"):
        return np.where(w == 0, 0, g * w)


def _lowest(x: Any) -> Any:
    return np.maximum(x, -1e300 if np.asarray(x).dtype == np.float64 else -1e37)


def _log(p: Any) -> Any:
    with np.errstate(divide="ignore"):
        return np.maximum(np.log(p), -100)


WEIGH = Weigh(lambda: X[0] * X[1], 2, "Weigh")
# x, and ∞ for 0: what is divided by it is 0 where x is 0, at every order
NONZERO = Guard("Nonzero", lambda: X[0], lambda x: np.where(x == 0, np.inf, x))
# x, at least 10⁻¹²: torch's bound on p (1 - p) in a denominator
FLOORED = Guard("Floored", lambda: X[0], lambda x: np.maximum(x, 1e-12))
# x, and a lowest number for -∞: the difference of two is then 0 or far below it, never nan
LOWEST = Guard("Lowest", lambda: X[0], _lowest)
# log x, cut at -100 as torch's binary cross entropy does
LOGCUT = Guard("Logcut", lambda: sp.log(X[0]), _log)
