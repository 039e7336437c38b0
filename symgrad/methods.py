"""The named operations as methods: ``x.sum()``, ``x.exp()``, ``x.reshape(…)``. Imports ops and record."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from symgrad.ops import contract, elementwise
from symgrad.ops.elementwise import BINARY, UNARY
from symgrad.ops.map import Map
from symgrad.record import Core, apply, as_tensor, binary, unary


def _of(name: str) -> Callable[[Any], Any]:
    op: Map = UNARY[name]
    return lambda self: unary(op, self)


def _with(name: str) -> Callable[[Any, Any], Any]:
    op: Map = BINARY[name]

    def method(self: Any, other: Any) -> Any:
        if isinstance(other, Core):
            return binary(op, self, other)
        return apply(op, (self, other if isinstance(other, (int, float)) else as_tensor(other)))

    return method


class Elementwise(Core):
    """Elementwise functions."""

    __slots__ = ()

    exp, expm1, exp2 = _of("exp"), _of("expm1"), _of("exp2")
    log, log1p, log2, log10 = _of("log"), _of("log1p"), _of("log2"), _of("log10")
    sqrt, rsqrt, square, reciprocal = _of("sqrt"), _of("rsqrt"), _of("square"), _of("reciprocal")
    sin, cos, tan, asin, acos, atan = _of("sin"), _of("cos"), _of("tan"), _of("asin"), _of("acos"), _of("atan")
    sinh, cosh, tanh = _of("sinh"), _of("cosh"), _of("tanh")
    asinh, acosh, atanh = _of("asinh"), _of("acosh"), _of("atanh")
    sigmoid, softplus, logsigmoid, relu = _of("sigmoid"), _of("softplus"), _of("logsigmoid"), _of("relu")
    neg, abs, sign, floor, ceil = _of("neg"), _of("abs"), _of("sign"), _of("floor"), _of("ceil")
    erf, erfc, lgamma, digamma, clone = _of("erf"), _of("erfc"), _of("lgamma"), _of("digamma"), _of("clone")
    add, sub, mul, div = _with("add"), _with("sub"), _with("mul"), _with("div")
    maximum, minimum, atan2 = _with("maximum"), _with("minimum"), _with("atan2")
    eq, ne, lt, le, gt, ge = _with("eq"), _with("ne"), _with("lt"), _with("le"), _with("gt"), _with("ge")
    pow = elementwise.power
    clamp = elementwise.clip_to
    matmul = contract.matmul


class Methods(Elementwise):
    """Everything else that works as a method."""

    __slots__ = ()
