"""Bessel functions Jₙ and the Hurwitz zeta function, each closed under differentiation."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import sympy as sp

from symgrad.core.node import Shape
from symgrad.core.promotion import floating
from symgrad.errors import NotYet
from symgrad.ops.frozen import frozen
from symgrad.ops.map import ADD, MUL, NEG, SUB, broadcast_shapes
from symgrad.ops.protocol import Op
from symgrad.scalars import besselj as kernels


@frozen
class Bessel(Op):
    """Jₙ(x), entry by entry."""

    n: int
    saves = "x"
    gives = floating

    @property
    def label(self) -> str:
        """SpecialBesselJ0 and the like."""
        return f"SpecialBesselJ{self.n}"

    def forward(self, x: Any) -> Any:
        """Compute."""
        if self.n > kernels.MOST:
            raise NotYet(f"J{self.n}: derivatives of Bessel functions of this order are not implemented.")
        return kernels.besselj(self.n, x)

    def on_symbols(self, x: Any) -> Any:
        """SymPy's function."""
        return np.frompyfunc(lambda v: sp.besselj(self.n, v), 1, 1)(x)

    def out_shape(self, s: Shape) -> Shape:
        """The shape stays."""
        return s

    def vjp(self, i: int, g: Any, y: Any, x: Any) -> Any:
        # J₀' = -J₁,  Jₙ' = (Jₙ₋₁ - Jₙ₊₁)/2
        if self.n == 0:
            return MUL(g, NEG(Bessel(1)(x)))
        return MUL(g, MUL(SUB(Bessel(self.n - 1)(x), Bessel(self.n + 1)(x)), 0.5))

    def jvp(self, ts: Sequence[Any], y: Any, *xs: Any) -> Any:
        """The slope is a number for each entry."""
        return self.vjp(0, ts[0], y, *xs)

    def text(self, *args: str) -> str:
        """J0(x)."""
        return f"J{self.n}({args[0]})"

    def latex(self, *args: str) -> str:
        """J_0(x)."""
        return f"J_{{{self.n}}}\\left({args[0]}\\right)"


@frozen
class Zeta(Op):
    """ζ(s, q) = Σₖ (q + k)⁻ˢ, entry by entry; differentiated by q."""

    name = "SpecialZeta"
    saves = "x"
    gives = floating

    def forward(self, s: Any, q: Any) -> Any:
        """Compute."""
        return kernels.zeta(s, q)

    def on_symbols(self, s: Any, q: Any) -> Any:
        """SymPy's function."""
        return np.frompyfunc(sp.zeta, 2, 1)(s, q)

    def out_shape(self, *shapes: Shape) -> Shape:
        """Broadcast the shapes."""
        return broadcast_shapes(*shapes)

    def vjp(self, i: int, g: Any, y: Any, s: Any, q: Any) -> Any:
        # ∂ζ/∂q = -s ζ(s + 1, q)
        if i == 0:
            raise NotYet(
                "the derivative for 'self' is not implemented: of special.zeta(x, other) in x. Pass x.detach(), or a "
                "number."
            )
        return NEG(MUL(g, MUL(s, Zeta()(ADD(s, 1.0), q))))

    def jvp(self, ts: Sequence[Any], y: Any, *xs: Any) -> Any:
        """The slope is a number for each entry."""
        return self.vjp(0 if ts[0] is not None else 1, ts[1], y, *xs)

    def text(self, *args: str) -> str:
        """ζ(s, q)."""
        return f"ζ({', '.join(args)})"

    def latex(self, *args: str) -> str:
        """ζ(s, q)."""
        return f"\\zeta\\left({', '.join(args)}\\right)"


# ------------------------------------------------------------------ what users call
def bessel_j0(input: Any) -> Any:
    """J₀(x), the Bessel function of the first kind of order 0.

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
    """J₁(x), the Bessel function of the first kind of order 1.

    Derivative: (J₀(x) - J₂(x))/2.

    Args:
        input: x, any shape.

    Returns:
        A tensor shaped like input, accurate to 10⁻¹⁵, not to all digits at the zeros.

    >>> sg.special.bessel_j1(sg.tensor(1.0))
    tensor(0.4401)
    """
    return Bessel(1)(input)


def zeta(input: Any, other: Any) -> Any:
    """ζ(x, q) = Σ (q + k)⁻ˣ over k = 0, 1, …, the Hurwitz zeta function, for x > 1; for q = 1 Riemann's.

    Derivative in q: -x ζ(x + 1, q). There is none in x.

    Args:
        input, other: x and q, broadcast against each other.

    Returns:
        A tensor of the broadcast shape; ∞ for x = 1 and at the poles q = 0, -1, …, nan for x < 1.

    Raises:
        NotYet: a derivative by x is asked for.

    >>> sg.special.zeta(sg.tensor(2.0), 1.0)
    tensor(1.6449)
    """
    return Zeta()(input, other)
