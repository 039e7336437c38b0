"""Bessel functions Jₙ: closed under differentiation."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import sympy as sp

from symgrad.core.promotion import floating
from symgrad.errors import NotYet
from symgrad.ops.map import MUL, NEG, SUB, Entrywise
from symgrad.scalars import bessel as kernels
from symgrad.support.frozen import frozen


@frozen
class Bessel(Entrywise):
    """Jₙ(x), entry by entry."""

    n: int
    saves = "x"
    gives = floating
    explained = "Bessel function: half the difference of its neighbours in order, times the adjoint"

    @property
    def label(self) -> str:
        """SpecialBesselJ0 and the like."""
        return f"SpecialBesselJ{self.n}"

    def forward(self, x: Any) -> Any:
        if self.n > kernels.MOST:
            raise NotYet(f"J{self.n}: derivatives of Bessel functions of this order are not implemented.")
        return kernels.besselj(self.n, x)

    def on_symbols(self, x: Any) -> Any:
        return np.frompyfunc(lambda v: sp.besselj(self.n, v), 1, 1)(x)

    def vjp(self, i: int, g: Any, y: Any, x: Any) -> Any:
        # J₀' = -J₁,  Jₙ' = (Jₙ₋₁ - Jₙ₊₁)/2
        if self.n == 0:
            return MUL(g, NEG(Bessel(1)(x)))
        return MUL(g, MUL(SUB(Bessel(self.n - 1)(x), Bessel(self.n + 1)(x)), 0.5))

    def jvp(self, ts: Sequence[Any], y: Any, *xs: Any) -> Any:
        """The slope is a number for each entry."""
        return self.vjp(0, ts[0], y, *xs)

    def notation(self, write: Any, *args: Any) -> Any:
        return write.call(f"J{self.n}", args[0], latex=f"J_{{{self.n}}}")


# ------------------------------------------------------------------ what users call
def bessel_j0(input: Any) -> Any:
    """Return J₀(x), the Bessel function of the first kind of order 0.

    Derivative: -J₁(x).

    Args:
        input: x, any shape.

    Returns:
        A tensor shaped like input, accurate to 10⁻¹⁵, not to all digits at the zeros.

    >>> sg.special.bessel_j0(sg.tensor(1.0))
    tensor(0.7652)
    """
    return Bessel(0)(input)


def bessel_j1(input: Any) -> Any:
    """Return J₁(x), the Bessel function of the first kind of order 1.

    Derivative: (J₀(x) - J₂(x))/2.

    Args:
        input: x, any shape.

    Returns:
        A tensor shaped like input, accurate to 10⁻¹⁵, not to all digits at the zeros.

    >>> sg.special.bessel_j1(sg.tensor(1.0))
    tensor(0.4401)
    """
    return Bessel(1)(input)
