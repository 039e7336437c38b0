"""NumPy's protocols: ``ndarray * tensor``, ``np.sin(tensor)``, ``np.sum(tensor)``, ``np.asarray(tensor)``.

The table of NumPy's other functions is loaded when the first of them is called.
"""

from __future__ import annotations

import sys
from types import FunctionType
from typing import Any

import numpy as np
import sympy as sp

from symgrad.core.ended import check_lives
from symgrad.core.node import GRAD
from symgrad.core.upcalls import UPCALLS
from symgrad.engine.record import TensorBase
from symgrad.errors import ArgumentError, GraphError, SharingError, SympyError, ValueNeeded
from symgrad.support.neighbours import instead, twin_of_scipys
from symgrad.tensors import ufuncs
from symgrad.tensors.conversions import read_only

_LIST = "An array has no gradient. Write sg.stack([a, b]) or sg.tensor([a, b]) for np.array([a, b])."


def _without_history() -> str:
    """Return what to write for the function of another library that asks for an array: its twin, where there is one."""
    frame: Any = sys._getframe(2)
    calls: list[Any] = []
    while frame is not None and _root(frame) in _LIBRARIES:
        if _root(frame) != "symgrad":
            calls.append(frame)
        elif calls:  # which called the library itself
            break
        frame = frame.f_back
    if not calls:  # a function of symgrad's that needs an array, as np.save does, or np.array in the user's own line
        return "Use tensor.detach().numpy() instead." if _root(sys._getframe(2)) == "symgrad" else _LIST
    root = _root(calls[-1])
    if root in ("numpy", "pandas"):
        return _numpys(calls) if root == "numpy" else f"pandas {_TAKES} Write df.to_numpy() @ x for df @ x."
    return _scipys(calls) if root == "scipy" else f"{root} {_TAKES} Pass x.detach().numpy()."


def _numpys(calls: list[Any]) -> str:
    """Return what to write for a function of NumPy's, of whose frames the last is the outermost."""
    public = [f for f in calls if f.f_code.co_name.isidentifier() and not _is_inner(f)]
    if not public:
        return _LIST
    where, name = public[-1], public[-1].f_code.co_name
    if advice := _as_tensors(where):
        return f"numpy's {name} {_TAKES} {advice}"
    twin = instead(name, "numpy").removeprefix(". ")
    return f"numpy's {name} {_TAKES} {twin + '.' if twin else _DETACH}"


def _scipys(calls: list[Any]) -> str:
    """Return what to write for a function or method of SciPy's, of whose frames the last is the outermost."""
    where = calls[-1]
    owner = where.f_locals.get("self")
    if where.f_globals["__name__"].startswith("scipy.stats") and owner is not None:
        name, method = _distribution(owner), where.f_code.co_name
        if method in _WRAPPERS:  # that of fit
            return f"scipy.stats.{name}.fit {_TAKES} Use sg.stats.fit."
        return f"scipy.stats.{name}.{method} {_TAKES} Use sg.stats.{name}.{method}."
    called = next((f for f in map(_function_of, reversed(calls)) if f is not None), None)
    if called is None:
        return f"scipy {_TAKES} {_NUMBERS}"
    place, name = called
    return f"scipy.{place}.{name} {_TAKES} {twin_of_scipys(place, name) or _NUMBERS}"


def _distribution(owner: Any) -> str:
    """Return the name of a distribution of SciPy's, also of one with its parameters."""
    named = getattr(owner, "dist", owner)
    return getattr(named, "name", None) or type(named).__name__.removesuffix("_gen")


def _function_of(frame: Any) -> tuple[str, str] | None:
    """Return the module of SciPy's and the name of the function or class that runs in a frame; None if not public."""
    values = [*frame.f_locals.values()] if _is_inner(frame) else []
    functions = [v for v in values if isinstance(v, FunctionType) and not v.__name__.startswith("_")]
    place, name = frame.f_globals["__name__"], frame.f_code.co_name
    if name == "__init__":
        place, name = type(frame.f_locals["self"]).__module__, type(frame.f_locals["self"]).__name__
    elif functions:  # a decorator's frame, which holds the function
        place, name = functions[0].__module__, functions[0].__name__
    parts = place.split(".")
    public = parts[0] == "scipy" and len(parts) > 1 and not parts[1].startswith("_")
    return (parts[1], name) if public and not name.startswith("_") and name not in _WRAPPERS else None


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
    return frame.f_code.co_name.startswith("_") or frame.f_code.co_name in _WRAPPERS


_DETACH = (
    "Call it on x.detach().numpy() for the numbers; where only an option is a tensor, pass the others as sg.asarray(a)."
)
_TAKES = "takes arrays, which have no gradient."
_NUMBERS = "Call it on x.detach().numpy() for the numbers."
_WRAPPERS = frozenset({"wrapper", "inner", "wrapped", "axis_nan_policy_wrapper", "fun_wrapped"})
_LIBRARIES = frozenset({"numpy", "scipy", "pandas", "symgrad", "matplotlib", "seaborn", "sklearn", "statsmodels"})


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
            raise GraphError(f"Can't call numpy() on Tensor that requires grad. {_without_history()}")
        if self._value is None:
            check_lives(self._node)
            raise ValueNeeded(f"np.asarray: this tensor is a symbol and has no value. {_without_history()}")
        if copy is False:
            raise ArgumentError("np.asarray: copy=False is not possible, because a tensor does not share its memory.")
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
            raise SharingError("DLPack: copy=False is not possible, because a tensor does not share its memory.")
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
