"""NumPy's protocols: ``ndarray * tensor``, ``np.sin(tensor)``, ``np.sum(tensor)``, ``np.asarray(tensor)``.

The table of NumPy's other functions is loaded when the first of them is called.
"""

from __future__ import annotations

import sys
from typing import Any

import numpy as np
import sympy as sp

from symgrad.core.ended import check_lives
from symgrad.core.node import GRAD
from symgrad.core.upcalls import UPCALLS
from symgrad.engine.record import TensorBase
from symgrad.errors import ArgumentError, GraphError, SharingError, SympyError, ValueNeeded
from symgrad.tensors import ufuncs
from symgrad.tensors.conversions import read_only

_NO_HISTORY = (
    "An array has no gradient: to keep it, write sg.stack([a, b]) for np.array([a, b]) and np.sum(sg.stack([a, b])) "
    "for np.sum([a, b]), a @ b for a.dot(b), df.to_numpy() @ b for a DataFrame's df @ b, and "
    "np.pad(sg.asarray(a), 1, constant_values=x) where only an option is a tensor."
)


class Protocols(TensorBase):
    """The methods that NumPy calls on an operand."""

    __slots__ = ()
    __array_priority__ = 1000
    __pandas_priority__ = 5000  # above a DataFrame's: frame * tensor is a tensor

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **kwargs: Any) -> Any:
        if kwargs or method != "__call__":
            return ufuncs.call(ufunc, method, inputs, kwargs)
        return ufuncs.simple_call(ufunc, inputs)

    def __array_function__(self, function: Any, types: Any, args: Any, kwargs: Any) -> Any:
        return UPCALLS["numpy_function"](function, types, args, kwargs)

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray[Any, Any]:
        if self._node is not None and self._node.level == GRAD:
            raise GraphError(
                f"Can't call numpy() on Tensor that requires grad. Use tensor.detach().numpy() instead. {_NO_HISTORY}"
            )
        if self._value is None:
            check_lives(self._node)
            raise ValueNeeded(f"np.asarray: this tensor is a symbol and has no value. {_NO_HISTORY}")
        if copy is False:
            raise ArgumentError("np.asarray: copy=False cannot be met, a tensor shares its memory with nothing.")
        array = np.array(self._value, dtype=dtype)
        return array if copy else read_only(array)

    def _sympy_(self) -> Any:
        """SymPy's number for a number without gradient; its functions, sympy.sin(x), take no other tensor."""
        if self._node is None and type(self._value) is float:
            return sp.Float(self._value)
        if sys._getframe(1).f_code.co_name == "_do_eq_sympify":  # SymPy's ==, which catches no error of ours
            return _Compared(self)
        raise SympyError(
            "SymPy's functions take expressions, and this is a tensor: write sg.sin(x) for sympy.sin(x), and "
            "sg.derive(y, x).expr for an expression. x.item() is the number that a tensor without axes holds."
        )

    def __dlpack__(self, **options: Any) -> Any:
        """A DLPack capsule of a copy, for ``torch.from_dlpack`` and its like."""
        if self._node is not None and self._node.level == GRAD:
            raise SharingError(
                "Can't export tensors that require gradient, use tensor.detach(). Gradients do not pass."
            )
        if options.get("copy") is False:
            raise SharingError("DLPack: copy=False cannot be met, a tensor shares its memory with nothing.")
        return np.array(self._known("DLPack")).__dlpack__(**{k: v for k, v in options.items() if k != "copy"})  # type: ignore[attr-defined]

    def __dlpack_device__(self) -> tuple[int, int]:
        """Return the CPU as DLPack names it."""
        return np.empty(0).__dlpack_device__()


class _Compared:
    """What SymPy's ``==`` gets for a tensor: something that it does not know, and that compares as the tensor."""

    __slots__ = ("_tensor",)
    __hash__ = None  # type: ignore[assignment]

    def __init__(self, tensor: Any) -> None:
        self._tensor = tensor

    def __eq__(self, other: object) -> Any:
        return self._tensor == other
