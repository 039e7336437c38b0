"""Which dtype a result has: the few rules that operations answer ``dtype`` with; and what a dtype holds.

What is known of an input is its *kind*: a dtype, or the class ``float``, ``int`` or ``complex`` of a Python number,
which takes the dtype of what it meets. A float64 array without axes is a Python float to a tensor, so its kind is
``float``, and a complex128 one's is ``complex``.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np

Kind = Any  # np.dtype, or the class float, int or complex of a number
FLOAT64, INT64, BOOL = np.dtype(np.float64), np.dtype(np.int64), np.dtype(np.bool_)
COMPLEX128 = np.dtype(np.complex128)
HALF = np.dtype(np.float16)
# what has gradients; for the tape, where a call would be felt
FLOATING = frozenset({np.float16, np.float32, np.float64, np.longdouble, np.complex64, np.complex128})
_SHOWN: dict[Kind, Any] = {float: 1.0, int: 1, complex: 1j}  # NumPy knows a number from its value only


_NUMBERS: dict[Any, Kind] = {FLOAT64: float, COMPLEX128: complex}


def kind_of(shape: Any, dtype: Any) -> Kind:
    """Return the kind of an array of this shape and dtype."""
    return _NUMBERS.get(dtype, dtype) if shape == () else dtype


def kind_of_number(x: Any) -> Kind:
    """Return the kind of a Python number; a size that is an expression counts as a float."""
    return int if type(x) is int else complex if type(x) is complex else float


def is_float(kind: Kind) -> bool:
    """Whether a kind is that of floating-point numbers."""
    return kind is float or (isinstance(kind, np.dtype) and kind.kind == "f")


# ------------------------------------------------------------------ what a dtype holds
def is_floating(dtype: np.dtype[Any]) -> bool:
    """Whether it holds real floating-point numbers."""
    return dtype.kind == "f"


def is_differentiable(dtype: np.dtype[Any]) -> bool:
    """Whether it holds floating-point numbers, real or complex, which alone have gradients."""
    return dtype.kind in "fc"


def is_integer(dtype: np.dtype[Any]) -> bool:
    """Whether it holds integers; booleans are none."""
    return dtype.kind in "iu"


def is_signed(dtype: np.dtype[Any]) -> bool:
    """Whether it holds integers of both signs."""
    return dtype.kind == "i"


def is_unsigned(dtype: np.dtype[Any]) -> bool:
    """Whether it holds integers that are not negative."""
    return dtype.kind == "u"


def is_bool(dtype: np.dtype[Any]) -> bool:
    """Whether it holds booleans."""
    return dtype.kind == "b"


def is_discrete(dtype: np.dtype[Any]) -> bool:
    """Whether it holds integers or booleans."""
    return dtype.kind in "biu"


def is_real(dtype: np.dtype[Any]) -> bool:
    """Whether it holds real numbers or booleans."""
    return dtype.kind in "biuf"


def is_number(dtype: np.dtype[Any]) -> bool:
    """Whether a tensor can hold it: numbers and booleans."""
    return dtype.kind in "biuf" or dtype.type in (np.complex64, np.complex128)


def is_complex(dtype: np.dtype[Any]) -> bool:
    """Whether it holds complex numbers."""
    return dtype.kind == "c"


def loses_imaginary(own: np.dtype[Any], to: np.dtype[Any]) -> bool:
    """Whether imaginary parts are lost from one dtype to another; a boolean says whether there is any part."""
    return own.kind == "c" and to.kind in "iuf"


def is_symbolic(dtype: np.dtype[Any]) -> bool:
    """Whether it holds objects, such as SymPy expressions."""
    return dtype.kind == "O"


def is_text(dtype: np.dtype[Any]) -> bool:
    """Whether it holds texts."""
    return dtype.kind in "US"


def holds(dtype: np.dtype[Any], number: float) -> bool:
    """Whether a number lies in the range of a dtype of integers; every other dtype takes all numbers."""
    if not is_integer(dtype):
        return True
    ends = np.iinfo(dtype)
    return bool(ends.min - 1 < number < ends.max + 1)  # what stands after the point is cut off


def one_of(kind: Kind, shape: tuple[int, ...]) -> Any:
    """Return ones of a kind, to ask a kernel with."""
    return _SHOWN[kind] if kind in _SHOWN else np.ones(shape, kind)


@lru_cache(maxsize=4096)
def promoted(*kinds: Kind) -> np.dtype[Any]:
    """NumPy's promotion: numbers take the dtype of the others."""
    return np.result_type(*[_SHOWN.get(k, k) for k in kinds]) if kinds else FLOAT64


def stacked(*kinds: Kind) -> np.dtype[Any]:
    """NumPy's promotion where numbers become arrays first, and promote as well."""
    return np.result_type(*kinds) if kinds else FLOAT64


def floating(*kinds: Kind) -> np.dtype[Any]:
    """Floating-point numbers: of integers and booleans in double precision."""
    dtype = promoted(*kinds)
    return dtype if dtype.kind in "fc" else FLOAT64


def parts(*kinds: Kind) -> np.dtype[Any]:
    """The real floating-point numbers that numbers consist of: of complex128 float64, of integers as well."""
    dtype = floating(*kinds)
    return np.dtype(dtype.type(0).real.dtype) if dtype.kind == "c" else dtype


def sized(*kinds: Kind) -> np.dtype[Any]:
    """The dtype of norms and singular values: real floating-point numbers."""
    return parts(floating(*kinds))


def complexes(*kinds: Kind) -> np.dtype[Any]:
    """The complex numbers of real parts: of float32 complex64, of all else complex128."""
    return np.result_type(floating(*kinds), np.complex64)


def summed(*kinds: Kind) -> np.dtype[Any]:
    """The dtype of sums and products along axes: long integers for short integers and booleans."""
    return accumulated(promoted(*kinds))


def accumulated(dtype: np.dtype[Any]) -> np.dtype[Any]:
    """Return the dtype in which NumPy adds up numbers of this one."""
    return {"b": INT64, "i": INT64, "u": np.dtype(np.uint64)}.get(dtype.kind, dtype)


def positions(*kinds: Kind) -> np.dtype[Any]:
    """Return int64, the dtype of counts and positions."""
    return INT64


def truths(*kinds: Kind) -> np.dtype[Any]:
    """Return the dtype of booleans, whatever the arguments are."""
    return BOOL


def doubles(*kinds: Kind) -> np.dtype[Any]:
    """Return float64, whatever the arguments are."""
    return FLOAT64


def of_first(*kinds: Kind) -> np.dtype[Any]:
    """The dtype of the first input; the others say where its entries go."""
    return np.dtype(kinds[0])


CONVERTING = frozenset({promoted, stacked, floating, summed})  # whose operations compute in the dtype of the result
