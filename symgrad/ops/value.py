"""From what users pass to the two kinds of value a tensor holds: a Python float or an ndarray."""

from __future__ import annotations

from typing import Any

import numpy as np

from symgrad.errors import ArgumentError, ArgumentTypeError
from symgrad.kernels import canonical
from symgrad.modes import get_default_dtype

_KINDS = "biuf"


def to_value(data: Any, dtype: Any = None) -> Any:
    """Copy a number, array or nested sequence; floats get the default dtype, arrays keep theirs."""
    if type(data) is float and dtype is None:
        return data if get_default_dtype() == np.float64 else np.asarray(data, get_default_dtype())
    if isinstance(data, (str, bytes)):
        raise ArgumentTypeError(f"new(): invalid data type '{type(data).__name__}'. Pass numbers or nested lists of them.")
    given = isinstance(data, (np.ndarray, np.generic))
    array = np.array(data) if given else _from_sequence(data)
    _check_kind(array, data)
    if dtype is not None:
        array = array.astype(check_dtype(dtype))
    elif not given and array.dtype == np.float64:
        array = array.astype(get_default_dtype(), copy=False)
    return canonical(array)


def _from_sequence(data: Any) -> Any:
    try:
        array = np.array(data)
    except (ValueError, TypeError) as error:
        raise ArgumentError(_ragged(data, str(error))) from error
    return array.astype(get_default_dtype()) if array.size == 0 and array.dtype == np.float64 else array


def _ragged(data: Any, otherwise: str) -> str:
    level, dim = data, 0
    while isinstance(level, (list, tuple)) and level:
        sizes = [len(x) if isinstance(x, (list, tuple)) else 0 for x in level]
        if len(set(sizes)) > 1:
            odd = next(n for n in sizes if n != sizes[0])
            return (
                f"expected sequence of length {sizes[0]} at dim {dim + 1} (got {odd}). "
                "All rows of a tensor have the same length; pad them, or keep a list of tensors."
            )
        level, dim = [x for row in level if isinstance(row, (list, tuple)) for x in row], dim + 1
    return otherwise


def _check_kind(array: Any, data: Any) -> None:
    if array.dtype.kind == "c":
        raise ArgumentTypeError(f"symgrad has no complex tensors so far. Got {array.dtype}; pass real and imaginary parts.")
    if array.dtype.kind not in _KINDS:
        raise ArgumentTypeError(
            f"can't convert np.ndarray of type numpy.{array.dtype.name.removesuffix('_')}{'_' if array.dtype == object else ''}. "
            "The only supported types are: float64, float32, float16, int64, int32, int16, int8, uint64, uint32, "
            "uint16, uint8, and bool."
        )


def check_dtype(dtype: Any) -> np.dtype[Any]:
    """Return the NumPy dtype that ``dtype`` names, refusing complex and object."""
    try:
        found: np.dtype[Any] = np.dtype(dtype)
    except TypeError as error:
        raise ArgumentTypeError(f"dtype: got {dtype!r}. Pass sg.float64, sg.float32, sg.int64, sg.bool or a NumPy dtype.") from error
    _check_kind(np.empty(0, found), None)
    return found
