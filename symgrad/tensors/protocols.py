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
from symgrad.support.neighbours import instead
from symgrad.tensors import ufuncs
from symgrad.tensors.conversions import read_only

_LIST = "An array has no gradient. Write sg.stack([a, b]) or sg.tensor([a, b]) for np.array([a, b])."


def _without_history() -> str:
    """Return what to write for the function of another library that asks for an array: its twin, where there is one."""
    frame: Any = sys._getframe(2)
    calls: list[Any] = []
    while frame is not None and _root(frame) in _LIBRARIES:
        calls.append(frame)
        frame = frame.f_back
    public = [f for f in calls if _root(f) != "symgrad" and f.f_code.co_name.isidentifier() and not _is_inner(f)]
    if not public:
        return _LIST
    where, root, name = public[-1], _root(public[-1]), public[-1].f_code.co_name
    owner = where.f_locals.get("self")
    takes = "takes arrays, which have no gradient."
    if where.f_globals["__name__"].startswith("scipy.stats") and owner is not None:
        distribution = getattr(owner, "name", None) or type(owner).__name__.removesuffix("_gen")
        return f"scipy.stats.{distribution}.{name} {takes} Use sg.stats.{distribution}.{name}."
    if root == "pandas":
        return f"pandas {takes} Write df.to_numpy() @ x for df @ x."
    if root == "numpy" and (advice := _as_tensors(where)):
        return f"numpy's {name} {takes} {advice}"
    twin = instead(name, root).removeprefix(". ")
    return f"{root}'s {name} {takes} {twin + '.' if twin else _DETACH}"


def _as_tensors(frame: Any) -> str:
    """Return how to call a function of NumPy's, which takes tensors, where they stand in a list or an option."""
    code, values = frame.f_code, frame.f_locals
    names = code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]
    arguments = {k: values[k] for k in names if k in values} | values.get("kwargs", {})
    name = ("linalg." if ".linalg" in frame.f_globals["__name__"] else "") + code.co_name
    if any(_holds_tensor(v) for v in arguments.values()):
        return f"Pass sg.stack([a, b]) to np.{name} in place of [a, b]."
    option = next((k for k, v in arguments.items() if isinstance(v, TensorBase)), None)
    if option and isinstance(next(iter(arguments.values())), np.ndarray):
        return f"Write np.{name}(sg.asarray(a), ..., {option}=x) where only an option is a tensor."
    return ""


def _holds_tensor(values: Any) -> bool:
    """Whether a list, or one in it, has a tensor as an entry."""
    return isinstance(values, (list, tuple)) and any(isinstance(v, TensorBase) or _holds_tensor(v) for v in values)


def _root(frame: Any) -> str:
    return str(frame.f_globals.get("__name__", "")).split(".")[0]


def _is_inner(frame: Any) -> bool:
    return frame.f_code.co_name.startswith("_") or frame.f_code.co_name in ("wrapper", "inner", "wrapped")


_DETACH = (
    "Call it on x.detach().numpy() for the numbers; where only an option is a tensor, pass the others as sg.asarray(a)."
)
_LIBRARIES = frozenset({"numpy", "scipy", "pandas", "symgrad"})


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
                f"Can't call numpy() on Tensor that requires grad. Use tensor.detach().numpy() instead. "
                f"{_without_history()}"
            )
        if self._value is None:
            check_lives(self._node)
            raise ValueNeeded(f"np.asarray: this tensor is a symbol and has no value. {_without_history()}")
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
