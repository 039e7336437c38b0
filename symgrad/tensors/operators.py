"""Python's operators on tensors."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import sympy as sp

from symgrad.core.promotion import is_floating
from symgrad.engine.record import TensorBase, apply, as_tensor, binary, unary, with_number
from symgrad.errors import ArgumentTypeError
from symgrad.ops.contract import matmul
from symgrad.ops.elementwise.declared import BINARY, power
from symgrad.ops.elementwise.logic import bitwise
from symgrad.ops.indexing.select import getitem
from symgrad.ops.map import ADD, DIV, MUL, NEG, SUB, Map
from symgrad.ops.value import is_foreign

_SCALARS = (TensorBase, int, float, complex, sp.Expr)
_TEXTS = (str, bytes, bytearray)
_ARRAYS = (np.ndarray, np.generic, list, tuple, range)


def _operand(x: Any) -> Any:
    """Return x as an operation takes it: arrays, lists and arrays of other libraries as tensors, others not at all."""
    if isinstance(x, _ARRAYS) or is_foreign(x):
        return as_tensor(x)
    return x if isinstance(x, _SCALARS) else NotImplemented


def _general(op: Map, a: Any, b: Any) -> Any:
    """The operands that no fast path takes."""
    left, right = _operand(a), _operand(b)
    if left is not NotImplemented and right is not NotImplemented:
        return apply(op, (left, right))
    if _times_text(op, a, b):
        kinds = f"'{type(a).__name__}' and '{type(b).__name__}'"
        raise ArgumentTypeError(f"unsupported operand type(s) for *: {kinds}. Multiply tensors, numbers and arrays.")
    return NotImplemented


def _times_text(op: Map, a: Any, b: Any) -> bool:
    """Whether Python would repeat a string or bytes, asking for an index, which none but integers are."""
    text, number = (a, b) if isinstance(a, _TEXTS) else (b, a)
    return op is MUL and isinstance(text, _TEXTS) and (number.ndim > 0 or is_floating(number.dtype))


def _forward(op: Map) -> Callable[[Any, Any], Any]:
    def operate(self: Any, other: Any) -> Any:
        if isinstance(other, TensorBase):
            return binary(op, self, other)
        if type(other) is float or type(other) is int:
            return with_number(op, self, other)
        return _general(op, self, other)

    return operate


def _reflected(op: Map) -> Callable[[Any, Any], Any]:
    return lambda self, other: _general(op, other, self)


def _bitwise(name: str) -> tuple[Callable[[Any, Any], Any], Callable[[Any, Any], Any]]:
    def operate(a: Any, b: Any) -> Any:
        a, b = _operand(a), _operand(b)
        return NotImplemented if a is NotImplemented or b is NotImplemented else bitwise(name, a, b)

    return operate, lambda self, other: operate(other, self)


class Operators(TensorBase):
    """+ - * / // % ** @, & | ^ ~ and comparisons, elementwise with broadcasting."""

    __slots__ = ()
    _op_priority = 1000.0  # what SymPy asks of the right operand: n * x of a size n is this class's

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
    __lshift__, __rlshift__ = _bitwise("left_shift")
    __rshift__, __rrshift__ = _bitwise("right_shift")
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

    def __divmod__(self, other: Any) -> Any:
        return self // other, self % other

    def __rdivmod__(self, other: Any) -> Any:
        return other // self, other % self

    def __neg__(self) -> Any:
        return unary(NEG, self)

    def __invert__(self) -> Any:
        return bitwise("not", self)

    def __pos__(self) -> Any:
        return self

    def __abs__(self) -> Any:
        return self.abs()  # type: ignore[attr-defined]

    def __pow__(self, other: Any) -> Any:
        b = _operand(other)
        return NotImplemented if b is NotImplemented else power(self, b)

    def __rpow__(self, other: Any) -> Any:
        b = _operand(other)
        return NotImplemented if b is NotImplemented else power(b, self)

    def __matmul__(self, other: Any) -> Any:
        b = _operand(other)
        return matmul(self, b) if isinstance(b, TensorBase) else NotImplemented

    def __rmatmul__(self, other: Any) -> Any:
        b = _operand(other)
        return matmul(b, self) if isinstance(b, TensorBase) else NotImplemented

    def __getitem__(self, key: Any) -> Any:
        return getitem(self, key)
