"""The table of functions, and their definitions. Lowest of the LLVM backend, beside the instructions."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import cache, partial
from typing import Any

from symgrad.compiler.backends.llvm.instructions import Function, Parameter
from symgrad.compiler.backends.llvm.math import (
    exponential,
    hyperbolic,
    inverse,
    logarithms,
    power,
    quotients,
    simple,
    sinc,
    trigonometric,
)
from symgrad.compiler.backends.llvm.math.builder import KINDS, Body, Value, copysign, magnitude, rounding, sqrt
from symgrad.compiler.backends.llvm.math.kernels import answer, polygamma, recorded
from symgrad.scalars import SCALARS

# sech2 is what 1/(cosh x · cosh x) is replaced by, ratio a quotient in a loop whose divisor stays
_TABLE: dict[str, Callable[..., Value]] = {
    "exp": exponential.exp, "exp2": exponential.exp2, "expm1": exponential.expm1, "log": logarithms.log,
    "log1p": logarithms.log1p, "log2": logarithms.log2, "log10": logarithms.log10, "softplus": logarithms.softplus,
    "logsigmoid": logarithms.logsigmoid, "bce_logits": logarithms.bce_logits, "logaddexp": logarithms.logaddexp,
    "logaddexp2": logarithms.logaddexp2, "sin": trigonometric.sin, "cos": trigonometric.cos, "tan": trigonometric.tan,
    "sinc": sinc.sinc, "sinc_slope": sinc.sinc_slope, "asin": inverse.asin, "acos": inverse.acos, "atan": inverse.atan,
    "atan2": inverse.atan2, "sinh": hyperbolic.sinh, "cosh": hyperbolic.cosh, "tanh": hyperbolic.tanh,
    "tanhshrink": hyperbolic.tanhshrink, "sech2": hyperbolic.sech2, "asinh": hyperbolic.asinh,
    "acosh": hyperbolic.acosh, "atanh": hyperbolic.atanh, "pow": power.pow_, "fmod": quotients.fmod,
    "remainder": quotients.remainder, "floor_divide": quotients.floor_divide, "sqrt": sqrt, "rsqrt": simple.rsqrt,
    "hypot": simple.hypot, "ratio": quotients.ratio, "abs": magnitude, "sign": simple.sign,
    "floor": partial(rounding, "floor"), "ceil": partial(rounding, "ceil"),
    "trunc": partial(rounding, "trunc"), "round": partial(rounding, "rint"),
    "maximum": simple.maximum, "minimum": simple.minimum, "clamp_min": simple.maximum, "clamp_max": simple.minimum,
    "fmax": simple.fmax, "fmin": simple.fmin, "copysign": copysign, "heaviside": simple.heaviside,
}  # fmt: skip
# Functions that are recorded from their kernels, and those of them that have the digits of float32 in float64 alone
_MADE = (
    "sigmoid", "logit", "xlogy", "xlog1py", "entr", "relu", "low", "clamp", "softsign", "erf", "erfc", "erfcx", "ndtr",
)  # fmt: skip
_WIDE = ("erfinv", "log_ndtr", "lgamma", "i0", "i0e", "i1", "i1e")
_ORDERS = 4  # of polygamma: beyond them NumPy computes it
answer(_TABLE)
_TABLE |= {name: recorded(name, name in _WIDE) for name in (*_MADE, *_WIDE)}
_TABLE |= {f"polygamma{n}": polygamma(n) for n in range(_ORDERS)}


def _arity(function: Any) -> int:
    """Return the number of arguments; a signature takes longer."""
    count: int = function.__code__.co_argcount
    return count


# name -> number of arguments
FUNCTIONS = {name: SCALARS[name].nargs if name in SCALARS else _arity(f) for name, f in _TABLE.items()}

# (name, kind) -> the |x|, or |x/y|, up to which the function is accurate; beyond it gives some number
LIMIT = {
    (name, kind): limit
    for names, limits in [("sin cos tan", trigonometric.LIMIT), ("fmod remainder floor_divide", quotients.LIMIT)]
    for name in names.split()
    for kind, limit in limits.items()
}


def definitions(names: Iterable[tuple[str, str]]) -> list[Function]:
    """Return the functions ``sg.<name>.<kind>``, one for each (name, kind).

    Args: pairs of a key of ``FUNCTIONS`` and "f64" or "f32"; repetitions are dropped. Raises KeyError of others. With
    ".exact" after the key a quotient has no limit; such code is not vectorised.

    >>> [f.name for f in definitions([("sqrt", "f64")])]
    ['sg.sqrt.f64']
    """
    return [_definition(name, kind) for name, kind in sorted(set(names))]


@cache
def _definition(name: str, kind_name: str) -> Function:
    own, _, exact = name.partition(".")
    kind, body = KINDS[kind_name], Body(bool(exact))
    arguments = [f"%x{i}" for i in range(FUNCTIONS[own])]
    result = _TABLE[own](*(Value(body, kind, kind.type, argument) for argument in arguments))
    body.give(kind.type, result.name)
    parameters = [Parameter(kind.type, argument) for argument in arguments]
    attributes = "alwaysinline nounwind willreturn readnone"  # which every LLVM reads; memory(none) came with 16
    return body.function(f"sg.{name}.{kind_name}", parameters, attributes, kind.type)
