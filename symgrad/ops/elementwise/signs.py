"""What a sign decides: signbit, the step, and +x."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import sympy as sp

from symgrad.core.promotion import truths
from symgrad.ops.convert import Cast
from symgrad.ops.elementwise.declared import BINARY, is_integer
from symgrad.ops.elementwise.logic import Bits
from symgrad.support.frozen import frozen


@frozen
class SignBit(Bits):
    """Whether the sign is a minus, that of -0.0 included. In a formula x < 0."""

    kind: str = "signbit"
    gives = truths

    def on_symbols(self, *xs: Any) -> Any:
        return np.frompyfunc(lambda x: sp.Lt(x, 0), 1, 1)(xs[0])

    def index(self, idx: Sequence[sp.Expr], p: Any) -> Any:
        """x < 0."""
        return sp.Lt(p(idx), 0)


def signbit(input: Any) -> Any:
    """Return whether the sign of x is negative, which is True for -0.0.

    Args:
        input: x, any shape.

    Returns:
        A bool tensor shaped like input.

    >>> sg.signbit(sg.tensor([-1.0, -0.0, 0.0]))
    tensor([ True,  True, False])
    """
    return SignBit()(input)


def positive(input: Any) -> Any:
    """Return x itself.

    >>> sg.positive(sg.tensor(2.0))
    tensor(2.)
    """
    return input


def heaviside(input: Any, values: Any) -> Any:
    """Return 0 for x < 0, values for x = 0, and 1 for x > 0.

    Derivative with respect to values: 1 where x = 0, else 0. For integers, the result is an integer.
    """
    if is_integer(input) and is_integer(values):
        return Cast(np.result_type(input.dtype, values.dtype))(BINARY["heaviside"](input, values))
    return BINARY["heaviside"](input, values)
