"""NumPy's protocols: ``ndarray * tensor``, ``np.sin(tensor)``, ``np.asarray(tensor)``. Imports record and ops."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from symgrad.errors import ArgumentError, ArgumentTypeError, GraphError, ValueNeeded
from symgrad.node import GRAD
from symgrad.ops.contract import matmul
from symgrad.ops.elementwise import BINARY, UNARY, power
from symgrad.ops.logic import LOGIC
from symgrad.record import Core, apply, as_tensor

_RENAMED = {
    "subtract": "sub", "multiply": "mul", "divide": "div", "true_divide": "div", "negative": "neg", "absolute": "abs",
    "fabs": "abs", "arcsin": "asin", "arccos": "acos", "arctan": "atan", "arcsinh": "asinh", "arccosh": "acosh",
    "arctanh": "atanh", "arctan2": "atan2", "equal": "eq", "not_equal": "ne", "less": "lt", "less_equal": "le",
    "greater": "gt", "greater_equal": "ge", "positive": "clone", "power": "pow", "float_power": "pow",
    "rint": "round", "invert": "bitwise_not",
}  # fmt: skip


def _ufunc(name: str) -> Callable[..., Any] | None:
    if name == "matmul":
        return matmul
    own = _RENAMED.get(name, name)
    if own == "pow":
        return power
    if own in LOGIC:
        return LOGIC[own]
    op = UNARY.get(own) or BINARY.get(own)
    return None if op is None else lambda *xs: apply(op, xs)


class Protocols(Core):
    """What NumPy asks of an operand."""

    __slots__ = ()
    __array_priority__ = 1000

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **kwargs: Any) -> Any:
        name = ufunc.__name__
        function = _ufunc(name)
        if function is None or method != "__call__" or any(v is not None for v in kwargs.values()):
            call = name if method == "__call__" else f"{name}.{method}"
            own = "operations of symgrad" if function is None else f"sg.{_RENAMED.get(name, name)}"
            raise ArgumentTypeError(
                f"np.{call}: symgrad does not record this call. Use {own}, or x.detach().numpy() for plain numbers."
            )
        return function(*[x if isinstance(x, (int, float)) else as_tensor(x) for x in inputs])

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray[Any, Any]:
        if self._node is not None and self._node.level == GRAD:
            raise GraphError("Can't call numpy() on Tensor that requires grad. Use tensor.detach().numpy() instead.")
        if self._value is None:
            raise ValueNeeded("np.asarray: this tensor is a symbol and has no value.")
        if copy is False:
            raise ArgumentError("np.asarray: copy=False cannot be met, a tensor shares its memory with nothing.")
        return np.array(self._value, dtype=dtype)
