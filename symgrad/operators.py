"""Python's operators on tensors. Imports record and ops."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import sympy as sp

from symgrad.ops.contract import matmul
from symgrad.ops.elementwise import BINARY, power
from symgrad.ops.logic import bitwise
from symgrad.ops.map import ADD, DIV, MUL, NEG, SUB, Map
from symgrad.ops.select import getitem
from symgrad.record import Core, apply, as_tensor, binary, unary, with_number

_OPERANDS = (Core, int, float, np.ndarray, np.generic, sp.Expr)


def _general(op: Map, a: Any, b: Any) -> Any:
    """The operands that no fast path takes."""
    if not isinstance(a, _OPERANDS) or not isinstance(b, _OPERANDS):
        return NotImplemented
    if isinstance(a, (np.ndarray, np.generic)):
        a = as_tensor(a)
    if isinstance(b, (np.ndarray, np.generic)):
        b = as_tensor(b)
    return apply(op, (a, b))


def _forward(op: Map) -> Callable[[Any, Any], Any]:
    def operate(self: Any, other: Any) -> Any:
        if isinstance(other, Core):
            return binary(op, self, other)
        if type(other) is float or type(other) is int:
            return with_number(op, self, other)
        return _general(op, self, other)

    return operate


def _reflected(op: Map) -> Callable[[Any, Any], Any]:
    return lambda self, other: _general(op, other, self)


def _bitwise(name: str) -> tuple[Callable[[Any, Any], Any], Callable[[Any, Any], Any]]:
    def operate(a: Any, b: Any) -> Any:
        if not isinstance(a, _OPERANDS) or not isinstance(b, _OPERANDS):
            return NotImplemented
        return bitwise(name, *[as_tensor(x) if isinstance(x, (np.ndarray, np.generic)) else x for x in (a, b)])

    return operate, lambda self, other: operate(other, self)


class Operators(Core):
    """+ - * / // % ** @, & | ^ ~ and comparisons, elementwise with broadcasting."""

    __slots__ = ()

    __add__ = _forward(ADD)
    __sub__ = _forward(SUB)
    __mul__ = _forward(MUL)
    __truediv__ = _forward(DIV)
    __mod__ = _forward(BINARY["remainder"])
    __floordiv__ = _forward(BINARY["floor_divide"])
    __rmod__ = _reflected(BINARY["remainder"])
    __rfloordiv__ = _reflected(BINARY["floor_divide"])
    __and__, __rand__ = _bitwise("and")
    __or__, __ror__ = _bitwise("or")
    __xor__, __rxor__ = _bitwise("xor")
    __radd__ = _reflected(ADD)
    __rsub__ = _reflected(SUB)
    __rmul__ = _reflected(MUL)
    __rtruediv__ = __rdiv__ = _reflected(DIV)
    __lt__ = _forward(BINARY["lt"])
    __le__ = _forward(BINARY["le"])
    __gt__ = _forward(BINARY["gt"])
    __ge__ = _forward(BINARY["ge"])
    __eq__ = _forward(BINARY["eq"])
    __ne__ = _forward(BINARY["ne"])
    __hash__ = object.__hash__

    def __neg__(self) -> Any:
        return unary(NEG, self)

    def __invert__(self) -> Any:
        return bitwise("not", self)

    def __pos__(self) -> Any:
        return self

    def __abs__(self) -> Any:
        return self.abs()  # type: ignore[attr-defined]

    def __pow__(self, other: Any) -> Any:
        if not isinstance(other, _OPERANDS):
            return NotImplemented
        return power(self, as_tensor(other) if isinstance(other, (np.ndarray, np.generic)) else other)

    def __rpow__(self, other: Any) -> Any:
        if not isinstance(other, _OPERANDS):
            return NotImplemented
        return power(as_tensor(other) if isinstance(other, (np.ndarray, np.generic)) else other, self)

    def __matmul__(self, other: Any) -> Any:
        if not isinstance(other, (Core, np.ndarray)):
            return NotImplemented
        return matmul(self, as_tensor(other))

    def __rmatmul__(self, other: Any) -> Any:
        if not isinstance(other, (Core, np.ndarray)):
            return NotImplemented
        return matmul(as_tensor(other), self)

    def __getitem__(self, key: Any) -> Any:
        return getitem(self, key)
