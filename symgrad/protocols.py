"""NumPy's protocols: ``ndarray * tensor``, ``np.sin(tensor)``, ``np.asarray(tensor)``. Imports record and ops."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from symgrad.errors import ArgumentTypeError, GraphError, ValueNeeded
from symgrad.graph import GRAD
from symgrad.ops.contract import matmul
from symgrad.ops.elementwise import BINARY, UNARY, power
from symgrad.record import Core, apply, as_tensor

_RENAMED = {
    "subtract": "sub", "multiply": "mul", "divide": "div", "true_divide": "div", "negative": "neg", "absolute": "abs",
    "fabs": "abs", "arcsin": "asin", "arccos": "acos", "arctan": "atan", "arcsinh": "asinh", "arccosh": "acosh",
    "arctanh": "atanh", "arctan2": "atan2", "equal": "eq", "not_equal": "ne", "less": "lt", "less_equal": "le",
    "greater": "gt", "greater_equal": "ge", "positive": "clone",
}  # fmt: skip


def _ufunc(name: str) -> Callable[..., Any] | None:
    if name == "matmul":
        return matmul
    if name in ("power", "float_power"):
        return power
    own = _RENAMED.get(name, name)
    op = UNARY.get(own) or BINARY.get(own)
    return None if op is None else lambda *xs: apply(op, xs)


class Protocols(Core):
    """What NumPy asks of an operand."""

    __slots__ = ()
    __array_priority__ = 1000

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **kwargs: Any) -> Any:
        function = _ufunc(ufunc.__name__) if method == "__call__" else None
        if function is None or any(v is not None for v in kwargs.values()):
            raise ArgumentTypeError(
                f"np.{ufunc.__name__}: symgrad does not record this call. Use sg.{ufunc.__name__}, or "
                "x.detach().numpy() for plain numbers."
            )
        return function(*[x if isinstance(x, (int, float)) else as_tensor(x) for x in inputs])

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray[Any, Any]:
        if self._node is not None and self._node.level == GRAD:
            raise GraphError("Can't call numpy() on Tensor that requires grad. Use tensor.detach().numpy() instead.")
        if self._value is None:
            raise ValueNeeded("np.asarray: this tensor is a symbol and has no value.")
        return np.array(self._value, dtype=dtype)
