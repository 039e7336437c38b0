"""Tests for finite numbers, infinities and nan: tests for ∞, closeness, numbers in place of nan and ∞."""

from __future__ import annotations

from typing import Any

import numpy as np
import sympy as sp

from symgrad.core.promotion import FLOAT64, is_differentiable, is_floating
from symgrad.errors import ArgumentError
from symgrad.ops.convert import Cast
from symgrad.ops.elementwise.complexes import each_part, holds_complex, imag
from symgrad.ops.elementwise.declared import BINARY, UNARY, abs_
from symgrad.ops.elementwise.logic import LOGIC
from symgrad.ops.map import ADD, MUL, SUB, Map
from symgrad.scalars import X


def isposinf(input: Any) -> Any:
    """Return whether x is ∞.

    >>> sg.isposinf(sg.tensor([1.0, float("inf")]))
    tensor([False,  True])
    """
    return LOGIC["logical_and"](LOGIC["isinf"](input), BINARY["gt"](input, 0))


def isneginf(input: Any) -> Any:
    """Return whether x is -∞.

    >>> sg.isneginf(sg.tensor([1.0, -float("inf")]))
    tensor([False,  True])
    """
    return LOGIC["logical_and"](LOGIC["isinf"](input), BINARY["lt"](input, 0))


def isreal(input: Any) -> Any:
    """Return whether the imaginary part of x is 0.

    >>> sg.isreal(sg.tensor([1 + 0j, 2j]))
    tensor([ True, False])
    """
    if holds_complex(input):
        return BINARY["eq"](imag(input), 0)
    return LOGIC["logical_or"](BINARY["eq"](input, input), BINARY["ne"](input, input))  # of real numbers always


def isclose(input: Any, other: Any, rtol: float = 1e-5, atol: float = 1e-8, equal_nan: bool = False) -> Any:
    """Return whether |x - other| ≤ atol + rtol |other|; equal infinities are close.

    Args:
        input, other: tensors, broadcast against each other.
        rtol, atol: the largest difference, relative to other and absolute.
        equal_nan: whether nan is close to nan.

    Returns:
        A bool tensor of the broadcast shape.

    Raises:
        ArgumentError: if rtol or atol is negative.

    >>> sg.isclose(sg.tensor([1.0, 2.0]), sg.tensor([1.0 + 1e-9, 2.1]))
    tensor([ True, False])
    """
    for name, v in (("rtol", rtol), ("atol", atol)):
        if not v >= 0:
            raise ArgumentError(f"{name} must be greater than or equal to zero, but got {v}. Pass a distance.")
    x, z = (v if is_differentiable(getattr(v, "dtype", FLOAT64)) else Cast(FLOAT64)(v) for v in (input, other))
    allowed = ADD(MUL(abs_(z), rtol), atol)
    near = BINARY["le"](abs_(SUB(x, z)), allowed)
    result = LOGIC["logical_or"](BINARY["eq"](x, z), LOGIC["logical_and"](near, LOGIC["isfinite"](allowed)))
    if equal_nan:
        result = LOGIC["logical_or"](result, LOGIC["logical_and"](LOGIC["isnan"](x), LOGIC["isnan"](z)))
    return result


FINITE = Map(
    lambda: sp.Piecewise((X[2], sp.Ne(X[1], 0)), (X[3], sp.Eq(X[0], X[5])), (X[4], sp.Eq(X[0], -X[5])), (X[0], True)),
    6, "NanToNum",
)  # fmt: skip


def nan_to_num(input: Any, nan: float = 0.0, posinf: float | None = None, neginf: float | None = None) -> Any:
    """Replace nan, ∞ and -∞ in x by numbers; in real and imaginary parts if x is complex.

    Derivative: 1 where x is a real number, else 0.

    Args:
        input: x.
        nan: the number that replaces nan.
        posinf, neginf: the numbers that replace ∞ and -∞; by default the largest and the smallest of the dtype.

    Returns:
        A tensor shaped like input.

    >>> sg.nan_to_num(sg.tensor([float("nan"), float("inf"), 1.0]), posinf=9.0)
    tensor([0., 9., 1.])
    """
    dtype = getattr(input, "dtype", None)
    if holds_complex(input):
        return each_part(lambda part: nan_to_num(part, nan, posinf, neginf), input)
    if dtype is not None and not is_floating(dtype):
        return UNARY["clone"](input)
    top = float(np.finfo(np.float64 if dtype is None else dtype).max)
    high, lowest = top if posinf is None else posinf, -top if neginf is None else neginf
    return FINITE(input, LOGIC["isnan"](input), nan, high, lowest, float("inf"))
