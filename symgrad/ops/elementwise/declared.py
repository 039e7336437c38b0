"""The elementwise functions, each made from its declaration or payload. Works on tensors, arrays, numbers.

What a declaration says is public becomes an operation here, a function in ``functions`` or ``special``, and a method.
"""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
import sympy as sp

from symgrad.core.promotion import FLOAT64, is_bool, is_complex, is_discrete, is_symbolic
from symgrad.errors import ArgumentError, DTypeError, shown_as
from symgrad.ops.convert import Cast
from symgrad.ops.map import ADD, DIV, IDENTITY, MUL, NEG, POW, SUB, Map, power_map
from symgrad.ops.value import torch_dtype
from symgrad.scalars import SCALARS, Scalar, X, clamp, clamp_max, clamp_min, floor_divide, fmod, remainder, trunc
from symgrad.scalars import bce_logits as _bce_logits

# PyTorch's stem of the backward function where it is not the name with a capital.
_STEMS = {"logsigmoid": "LogSigmoid"}


def _declared(nargs: int) -> dict[str, Map]:
    """The operations that declarations ask for, each with the function as its payload."""
    return {
        s.name: Map(partial(s.function, *X[:nargs]), nargs, _stem(s))
        for s in SCALARS.values()
        if s.public and s.nargs == nargs
    }


def _stem(s: Scalar) -> str:
    if s.public == "special" and s.nargs == 1:
        return f"Special{s.name.title().replace('_', '')}"
    return _STEMS.get(s.name, s.name.capitalize())


UNARY: dict[str, Map] = _declared(1) | {
    "digamma": Map(lambda: sp.digamma(X[0]), 1, "Digamma"),
    "neg": NEG,
    "sqrt": Map(lambda: sp.sqrt(X[0]), 1, "Sqrt"),
    "rsqrt": Map(lambda: 1 / sp.sqrt(X[0]), 1, "Rsqrt"),
    "square": Map(lambda: X[0] ** 2, 1, "Pow"),
    "reciprocal": Map(lambda: 1 / X[0], 1, "Reciprocal"),
    "clone": IDENTITY,
    "frac": Map(lambda: X[0] - trunc(X[0]), 1, "Frac"),
    "deg2rad": Map(lambda: X[0] * sp.pi / 180, 1, "Deg2Rad"),
    "rad2deg": Map(lambda: X[0] * 180 / sp.pi, 1, "Rad2Deg"),
}

BINARY: dict[str, Map] = _declared(2) | {
    "add": ADD,
    "sub": SUB,
    "mul": MUL,
    "div": DIV,
    "maximum": Map(lambda: sp.Max(X[0], X[1]), 2, "Maximum"),
    "minimum": Map(lambda: sp.Min(X[0], X[1]), 2, "Minimum"),
    "remainder": Map(lambda: remainder(X[0], X[1]), 2, "Remainder"),
    "fmod": Map(lambda: fmod(X[0], X[1]), 2, "Fmod"),
    "floor_divide": Map(lambda: floor_divide(X[0], X[1]), 2, "FloorDivide"),
    "atan2": Map(lambda: sp.atan2(X[0], X[1]), 2, "Atan2"),
    "eq": Map(lambda: sp.Eq(X[0], X[1]), 2, "Eq"),
    "ne": Map(lambda: sp.Ne(X[0], X[1]), 2, "Ne"),
    "lt": Map(lambda: X[0] < X[1], 2, "Lt"),
    "le": Map(lambda: X[0] <= X[1], 2, "Le"),
    "gt": Map(lambda: X[0] > X[1], 2, "Gt"),
    "ge": Map(lambda: X[0] >= X[1], 2, "Ge"),
}

MOST_DECIMALS = 300  # of a float
CLAMP = Map(lambda: clamp(X[0], X[1], X[2]), 3, "Clamp")
CLAMP_MIN = Map(lambda: clamp_min(X[0], X[1]), 2, "ClampMin")
CLAMP_MAX = Map(lambda: clamp_max(X[0], X[1]), 2, "ClampMax")
WHERE = Map(lambda: sp.Piecewise((X[1], sp.Ne(X[0], 0)), (X[2], True)), 3, "Where")
BCE_LOGITS = Map(lambda: _bce_logits(X[0], X[1]), 2, "BinaryCrossEntropyWithLogits")

exp, log, sqrt, sigmoid, tanh, abs_, sign, clone = (
    UNARY[n] for n in ("exp", "log", "sqrt", "sigmoid", "tanh", "abs", "sign", "clone")
)


@shown_as("pow")
def power(x: Any, exponent: Any) -> Any:
    """xᵖ. A simple literal exponent becomes part of the payload, so that x² differentiates to 2x.

    The payload has lost whether the exponent was 2 or 2.0, so integers to the power 2.0 become floats before.
    """
    p = exponent
    if isinstance(p, float) and is_integer(x):
        x = Cast(FLOAT64)(x)
    if isinstance(p, int) and getattr(x, "dtype", None) == np.bool_:
        x = Cast(np.dtype(np.int64))(x)
    if isinstance(p, (int, float)) and not isinstance(p, bool) and p == p and abs(p) <= 16 and p != 0:
        op = power_map(p)
        if op is not None and not (p < 0 and is_integer(x)):
            return op(x)
    if isinstance(p, int) and p < 0 and is_integer(x):
        raise DTypeError(
            f"Integers to negative integer powers are not allowed. Got an integer tensor to the power {p}; "
            "convert it with .to(float) first."
        )
    return POW(x, p)


def is_integer(x: Any) -> bool:
    """Whether x is a tensor of integers or booleans."""
    dtype = getattr(x, "dtype", None)
    return dtype is not None and is_discrete(dtype)


def divided(x: Any, other: Any, rounding_mode: str) -> Any:
    """x / other, rounded towards 0 for 'trunc', down for 'floor'."""
    if rounding_mode == "floor":
        return BINARY["floor_divide"](x, other)
    if rounding_mode == "trunc":
        if all(isinstance(a, int) or is_integer(a) for a in (x, other)):
            return BINARY["floor_divide"](SUB(x, BINARY["fmod"](x, other)), other)  # exact
        return UNARY["trunc"](DIV(x, other))
    raise ArgumentError(
        "div expected rounding_mode to be one of None, 'trunc', or 'floor' but found "
        f"{rounding_mode!r}. Leave it out for the quotient."
    )


@shown_as("round")
def rounded(x: Any, *, decimals: int = 0) -> Any:
    """Round x to the given number of decimals; halves are rounded to even."""
    if decimals == 0:
        return UNARY["round"](x)
    if abs(decimals) > MOST_DECIMALS:
        raise ArgumentError(
            f"round: got decimals={decimals}. Expected at most {MOST_DECIMALS}, before or after the point."
        )
    return DIV(UNARY["round"](MUL(x, 10.0**decimals)), 10.0**decimals)


@shown_as("clamp")
def clip_to(x: Any, min: Any = None, max: Any = None) -> Any:
    """Limit x to [min, max]; either bound may be omitted. The derivative at the bounds is 1."""
    if min is None and max is None:
        raise ArgumentError("torch.clamp: At least one of 'min' or 'max' must not be None. Pass min=, max= or both.")
    if max is None:
        return CLAMP_MIN(x, min)
    if min is None:
        return CLAMP_MAX(x, max)
    return CLAMP(x, min, max)


def where(condition: Any, input: Any, other: Any) -> Any:
    """Return the entries of input where the condition holds, and those of other elsewhere."""
    dtype = getattr(condition, "dtype", np.asarray(condition).dtype if not hasattr(condition, "shape") else None)
    if dtype is not None and not is_bool(dtype) and not is_symbolic(dtype):
        raise DTypeError(
            "where expected condition to be a boolean tensor, but got a tensor with dtype "
            f"{torch_dtype(np.empty(0, dtype))}. Compare it with something, as in x > 0."
        )
    return WHERE(condition, input, other)


def float_power(input: Any, exponent: Any) -> Any:
    """Return xᵖ in double precision, or for complex numbers in that of their parts.

    Args:
        input, exponent: x and p; a tensor, and a tensor or number.

    Returns:
        A float64 or complex128 tensor of the broadcast shape.
    """
    x, p = (Cast(_doubled(a.dtype))(a) if hasattr(a, "dtype") else a for a in (input, exponent))
    return power(x, p)


def _doubled(dtype: np.dtype[Any]) -> np.dtype[Any]:
    return np.dtype(np.complex128 if is_complex(dtype) else np.float64)


def logit(input: Any, eps: float | None = None) -> Any:
    """Return log(p/(1 - p)), the inverse of the logistic function.

    Derivative: 1/(p (1 - p)).

    Args:
        input: p in [0, 1]; nan outside.
        eps: limit p to [eps, 1 - eps] first; the derivative is then 0 outside.

    Returns:
        A tensor shaped like input.

    >>> sg.logit(sg.tensor([0.5, 1.0]), eps=0.25)
    tensor([0.0000, 1.0986])
    """
    return UNARY["logit"](input if eps is None else clip_to(input, eps, 1 - eps))
