"""Binary exponents: x = m 2ᵉ taken apart and put together."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Generic, NamedTuple

import numpy as np
import sympy as sp

from symgrad.core.modes import get_default_dtype
from symgrad.core.promotion import Kind, floating, positions
from symgrad.ops.convert import Cast
from symgrad.ops.elementwise.declared import is_integer
from symgrad.ops.map import MUL, Entrywise, Map
from symgrad.ops.protocol import TensorT
from symgrad.scalars import X
from symgrad.support.frozen import frozen


@frozen
class Exponent(Entrywise):
    """The integer e with x = m 2ᵉ, ½ ≤ |m| < 1; 0 of 0."""

    saves = ""
    gives = positions
    flat = True
    not_exportable = "no loop that reads the bits of a number"

    def operands(self, *kinds: Kind) -> tuple[np.dtype[Any], ...]:
        return (floating(*kinds),)

    def forward(self, x: Any) -> Any:
        return np.asarray(np.frexp(np.asarray(x))[1], np.int64)

    def on_symbols(self, x: Any) -> Any:
        """⌊log₂|x|⌋ + 1."""
        return np.frompyfunc(_exponent, 1, 1)(x)


@frozen
class Mantissa(Entrywise):
    """The number m with x = m 2ᵉ, ½ ≤ |m| < 1; 0 of 0. Its slope is 2⁻ᵉ."""

    name = "Frexp"
    saves = "x"
    gives = floating
    explained = "mantissa: the adjoint, divided by the power of two that was taken out"
    not_exportable = "no loop that reads the bits of a number"

    def forward(self, x: Any) -> Any:
        return np.frexp(np.asarray(x))[0]

    def on_symbols(self, x: Any) -> Any:
        """Return x 2⁻ᵉ."""
        return np.frompyfunc(lambda v: v * 2 ** -_exponent(v), 1, 1)(x)

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
        x = np.asarray(x)
        return np.ldexp(np.ones_like(x), -np.frexp(x)[1])

    def on_symbols(self, x: Any) -> Any:
        return np.frompyfunc(lambda v: 2 ** -_exponent(v), 1, 1)(x)


def _exponent(x: sp.Expr) -> sp.Expr:
    return sp.Piecewise((0, sp.Eq(x, 0)), (sp.floor(sp.log(sp.Abs(x)) / sp.log(2)) + 1, True))


class Frexp(NamedTuple, Generic[TensorT]):
    """m and e with x = m 2ᵉ."""

    mantissa: TensorT
    exponent: TensorT


def frexp(input: Any) -> Frexp[Any]:
    """Return m and e with x = m 2ᵉ and ½ ≤ |m| < 1.

    Derivative: 2⁻ᵉ for m; e has none.

    Args:
        input: x, any shape.

    Returns:
        A named tuple (mantissa, exponent), the exponents int32.

    >>> sg.frexp(sg.tensor(12.0))
    Frexp(mantissa=tensor(0.7500), exponent=tensor(4, dtype=int32))
    """
    return Frexp(Mantissa()(input), Cast(np.dtype(np.int32))(Exponent()(input)))


LDEXP = Map(lambda: X[0] * 2 ** X[1], 2, "Ldexp")


def ldexp(input: Any, other: Any) -> Any:
    """Return x · 2ⁿ.

    Args:
        input: x.
        other: n, integers as a rule.

    Returns:
        A tensor of the broadcast shape, of the dtype of x, of the default dtype for integers.
    """
    if is_integer(input):
        input = Cast(get_default_dtype())(input)
    dtype = getattr(input, "dtype", None)
    return LDEXP(input, Cast(dtype)(other) if dtype is not None and is_integer(other) else other)
