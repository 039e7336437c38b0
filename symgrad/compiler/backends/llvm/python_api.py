"""Functions of machine code that Python calls as its own: no ctypes call, no conversion of arguments.

The code is given the Python objects. It reads a float's number and an array's memory where CPython and NumPy keep
them (both layouts are part of their stable interfaces), and makes results through their C functions. Imports
nothing of symgrad else.
"""

from __future__ import annotations

import ctypes
from functools import lru_cache
from typing import Any

import numpy as np

HEADER = object.__basicsize__  # bytes before an object's own fields
# Offsets into PyArrayObject, from the NumPy C API's PyArrayObject_fields.
DATA, NDIM, DIMS, DESCR, FLAGS = HEADER, HEADER + 8, HEADER + 16, HEADER + 40, HEADER + 48
CONTIGUOUS_ALIGNED = 0x0001 | 0x0100
_ARRAY_RETURN, _ARRAY_NEW = 76, 93  # positions in NumPy's table of C functions
_FASTCALL = 0x0080
_DTYPES = ("f8", "f4", "?", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8")
TYPE_NUMBERS = {np.dtype(t): np.dtype(t).num for t in _DTYPES}


class _Method(ctypes.Structure):
    _fields_ = (
        ("name", ctypes.c_char_p),
        ("function", ctypes.c_void_p),
        ("flags", ctypes.c_int),
        ("doc", ctypes.c_char_p),
    )


def supported() -> bool:
    """Whether objects are laid out as this module expects: CPython with its lock, 64 bits.

    Without the lock, 32 bytes stand before an object's own fields.
    """
    return HEADER == 16 and ctypes.sizeof(ctypes.c_void_p) == 8


@lru_cache(maxsize=1)
def functions() -> dict[str, int]:
    """Return the addresses of the C functions that results are made with."""
    api = ctypes.pythonapi
    names = ("PyFloat_FromDouble", "PyTuple_New", "PyTuple_SetItem", "Py_IncRef", "Py_DecRef", "PyEval_SaveThread",
             "PyEval_RestoreThread", "PyErr_NoMemory", "PyErr_Occurred", "PyErr_CheckSignals", "PyGILState_Ensure",
             "PyGILState_Release", "PyErr_SetObject")  # fmt: skip
    addresses = {name: ctypes.cast(getattr(api, name), ctypes.c_void_p).value or 0 for name in names}
    pointer = api.PyCapsule_GetPointer
    pointer.restype, pointer.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
    umath: Any = np._core._multiarray_umath  # type: ignore[attr-defined]
    table = ctypes.cast(pointer(umath._ARRAY_API, None), ctypes.POINTER(ctypes.c_void_p))
    return {**addresses, "PyArray_New": table[_ARRAY_NEW] or 0, "PyArray_Return": table[_ARRAY_RETURN] or 0}


def as_builtin(address: int, name: str, keep: Any) -> Any:
    """Return a Python function from machine code ``f(self, arguments, count)``; ``keep`` lives as long as it."""
    method = _Method(name.encode(), address, _FASTCALL, None)
    make = ctypes.pythonapi.PyCFunction_NewEx
    make.restype, make.argtypes = ctypes.py_object, [ctypes.c_void_p, ctypes.py_object, ctypes.py_object]
    return make(ctypes.addressof(method), _Owner((method, keep)), None)


class _Owner:
    """The function's ``self``: holds what must not be freed before it."""

    def __init__(self, kept: Any) -> None:
        self.kept = kept
