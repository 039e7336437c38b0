"""Signs, binary exponents, closeness, and the multivariate log-gamma function."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import sympy as sp

from symgrad.core.node import Shape
from symgrad.core.promotion import Kind, floating, positions, truths
from symgrad.errors import ArgumentError
from symgrad.ops.convert import Cast
from symgrad.ops.elementwise.declared import BINARY, UNARY, abs_
from symgrad.ops.elementwise.logic import LOGIC, Bits
from symgrad.ops.frozen import frozen
from symgrad.ops.map import ADD, MUL, SUB, sum_terms
from symgrad.ops.protocol import Op, rename


# ------------------------------------------------------------------ signs
@frozen
class SignBit(Bits):
    """Whether the sign is a minus, that of -0.0 included. In a formula x < 0."""

    kind: str = "signbit"
    gives = truths

    def on_symbols(self, *xs: Any) -> Any:
        """Compare with 0."""
        return np.frompyfunc(lambda x: sp.Lt(x, 0), 1, 1)(xs[0])

    def index(self, idx: Sequence[sp.Expr], p: Any) -> Any:
        """x < 0."""
        return sp.Lt(p(idx), 0)


def signbit(input: Any) -> Any:
    """Whether the sign of x is a minus; that of -0.0 is.

    Args:
        input: x, any shape.

    Returns:
        A bool tensor shaped like input.

    >>> sg.signbit(sg.tensor([-1.0, -0.0, 0.0]))
    tensor([ True,  True, False])
    """
    return SignBit()(input)


def real(input: Any) -> Any:
    """x itself: tensors are real.

    >>> sg.real(sg.tensor(2.0))
    tensor(2.)
    """
    return input


def isposinf(input: Any) -> Any:
    """Whether x is ∞.

    >>> sg.isposinf(sg.tensor([1.0, float("inf")]))
    tensor([False,  True])
    """
    return LOGIC["logical_and"](LOGIC["isinf"](input), BINARY["gt"](input, 0))


def isneginf(input: Any) -> Any:
    """Whether x is -∞.

    >>> sg.isneginf(sg.tensor([1.0, -float("inf")]))
    tensor([False,  True])
    """
    return LOGIC["logical_and"](LOGIC["isinf"](input), BINARY["lt"](input, 0))


# ------------------------------------------------------------------ closeness
def isclose(input: Any, other: Any, rtol: float = 1e-5, atol: float = 1e-8, equal_nan: bool = False) -> Any:
    """Whether |x - other| ≤ atol + rtol |other|; equal infinities are close.

    Args:
        input, other: tensors, broadcast against each other.
        rtol, atol: how far apart they may be, relative to other and absolutely.
        equal_nan: whether nan is close to nan.

    Returns:
        A bool tensor of the broadcast shape.

    Raises:
        ArgumentError: rtol or atol is negative.

    >>> sg.isclose(sg.tensor([1.0, 2.0]), sg.tensor([1.0 + 1e-9, 2.1]))
    tensor([ True, False])
    """
    for name, v in (("rtol", rtol), ("atol", atol)):
        if not v >= 0:
            raise ArgumentError(f"{name} must be greater than or equal to zero, but got {v}. Pass a distance.")
    x, z = (v if getattr(v, "dtype", np.dtype(float)).kind == "f" else Cast(np.dtype(float))(v) for v in (input, other))
    allowed = ADD(MUL(abs_(z), rtol), atol)
    near = BINARY["le"](abs_(SUB(x, z)), allowed)
    found = LOGIC["logical_or"](BINARY["eq"](x, z), LOGIC["logical_and"](near, LOGIC["isfinite"](allowed)))
    if equal_nan:
        found = LOGIC["logical_or"](found, LOGIC["logical_and"](LOGIC["isnan"](x), LOGIC["isnan"](z)))
    return found


# ------------------------------------------------------------------ binary exponents
@frozen
class Exponent(Op):
    """The integer e with x = m 2ᵉ, ½ ≤ |m| < 1; 0 of 0."""

    saves = ""
    gives = positions

    def operands(self, *kinds: Kind) -> tuple[np.dtype[Any], ...]:
        """As floating-point numbers."""
        return (floating(*kinds),)

    def forward(self, x: Any) -> Any:
        """Read the bits."""
        return np.asarray(np.frexp(np.asarray(x))[1], np.int64)

    def on_symbols(self, x: Any) -> Any:
        """⌊log₂|x|⌋ + 1."""
        return np.frompyfunc(_exponent, 1, 1)(x)

    def out_shape(self, s: Shape) -> Shape:
        """The shape stays."""
        return s

    def vjp(self, i: int, g: Any, y: Any, x: Any) -> Any:
        """An integer has no derivative."""

    def jvp(self, ts: Sequence[Any], y: Any, *xs: Any) -> Any:
        """An integer has no derivative."""


@frozen
class Mantissa(Op):
    """The number m with x = m 2ᵉ, ½ ≤ |m| < 1; 0 of 0. Its slope is 2⁻ᵉ."""

    name = "Frexp"
    saves = "x"
    gives = floating

    def forward(self, x: Any) -> Any:
        """Read the bits."""
        return np.frexp(np.asarray(x))[0]

    def on_symbols(self, x: Any) -> Any:
        """x 2⁻ᵉ."""
        return np.frompyfunc(lambda v: v * 2 ** -_exponent(v), 1, 1)(x)

    def out_shape(self, s: Shape) -> Shape:
        """The shape stays."""
        return s

    def vjp(self, i: int, g: Any, y: Any, x: Any) -> Any:
        # x̄ = ȳ 2⁻ᵉ
        return MUL(g, Binade()(x))

    def jvp(self, ts: Sequence[Any], y: Any, *xs: Any) -> Any:
        """The slope is a number for each entry."""
        return self.vjp(0, ts[0], y, *xs)


@frozen
class Binade(Exponent):
    """The number 2⁻ᵉ that takes x to its mantissa."""

    gives = floating

    def forward(self, x: Any) -> Any:
        """Read the bits."""
        x = np.asarray(x)
        return np.ldexp(np.ones_like(x), -np.frexp(x)[1])

    def on_symbols(self, x: Any) -> Any:
        """2⁻ᵉ."""
        return np.frompyfunc(lambda v: 2 ** -_exponent(v), 1, 1)(x)


def _exponent(x: sp.Expr) -> sp.Expr:
    return sp.Piecewise((0, sp.Eq(x, 0)), (sp.floor(sp.log(sp.Abs(x)) / sp.log(2)) + 1, True))


class Frexp(NamedTuple):
    """m and e with x = m 2ᵉ."""

    mantissa: Any
    exponent: Any


def frexp(input: Any) -> Frexp:
    """m and e with x = m 2ᵉ and ½ ≤ |m| < 1.

    Derivative: 2⁻ᵉ of m, none of e.

    Args:
        input: x, any shape.

    Returns:
        A named tuple (mantissa, exponent), the exponents int32.

    >>> sg.frexp(sg.tensor(12.0))
    Frexp(mantissa=tensor(0.7500), exponent=tensor(4, dtype=int32))
    """
    return Frexp(Mantissa()(input), Cast(np.dtype(np.int32))(Exponent()(input)))


# ------------------------------------------------------------------ the multivariate gamma function
def mvlgamma(input: Any, p: int) -> Any:
    """log Γₚ(x) = p (p - 1)/4 log π + Σ log Γ(x - j/2) over j = 0, …, p - 1.

    Derivative: Σ ψ(x - j/2).

    Args:
        input: x > (p - 1)/2, any shape.
        p: the dimension, at least 1.

    Returns:
        A tensor shaped like input.

    Raises:
        ArgumentError: p is below 1.

    >>> sg.mvlgamma(sg.tensor(2.0), 1)
    tensor(0.)
    """
    if p < 1:
        raise ArgumentError(f"p has to be greater than or equal to 1. Got {p}.")
    terms = sum_terms([UNARY["lgamma"](SUB(input, j / 2) if j else input) for j in range(p)])
    return rename(ADD(terms, p * (p - 1) / 4 * math.log(math.pi)), "Mvlgamma")
