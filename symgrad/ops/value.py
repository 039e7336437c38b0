"""From what users pass to the two kinds of value a tensor holds: a Python float or an ndarray."""

from __future__ import annotations

import sys
from typing import Any

import numpy as np

from symgrad.core.kernels import canonical
from symgrad.core.modes import get_default_dtype
from symgrad.core.promotion import (
    complexes,
    holds,
    is_complex,
    is_integer,
    is_number,
    is_symbolic,
    is_text,
    loses_imaginary,
)
from symgrad.errors import ArgumentError, ArgumentTypeError, DTypeError, NumberRangeError
from symgrad.ops.protocol import Traced

_NO_TEXT = '{} Pass numbers or nested lists of them, or sg.symbol("x") for a letter.'
_TORCH_DTYPE = {
    "int64": "Long", "int32": "Int", "int16": "Short", "int8": "Char", "uint8": "Byte", "bool": "Bool",
    "float64": "Double", "float32": "Float", "float16": "Half", "complex128": "ComplexDouble",
    "complex64": "ComplexFloat",
}  # fmt: skip


def to_value(data: Any, dtype: Any = None) -> Any:
    """Copy a number, array or nested sequence; floats get the default dtype, arrays keep theirs."""
    if type(data) is float and dtype is None:
        return data if get_default_dtype() == np.float64 else np.asarray(data, get_default_dtype())
    if isinstance(data, (str, bytes)):
        _refuse(data)
    if is_foreign(data):
        return to_value(array_of(data), dtype)
    given = isinstance(data, (np.ndarray, np.generic))
    if given and type(data) is not np.ndarray:
        _check_subclass(data)
    array = np.array(data) if given else _from_sequence(data)
    _check_kind(array, data)
    if not array.dtype.isnative:
        array = array.astype(array.dtype.type)
    if dtype is not None:
        wanted = check_dtype(dtype)
        if not given or is_complex(array.dtype):
            check_range(array, wanted)
        array = (array.real if loses_imaginary(array.dtype, wanted) else array).astype(wanted)
    elif not given and array.dtype == np.float64:
        array = array.astype(get_default_dtype(), copy=False)
    elif not given and is_complex(array.dtype):
        array = array.astype(complexes(get_default_dtype()), copy=False)
    return canonical(array)


def _check_imaginary(array: Any, wanted: Any) -> None:
    """Refuse to lose imaginary parts."""
    if np.any(array.imag):
        raise ArgumentTypeError(f"must be real number, not complex. Got {array.dtype} for {wanted}; pass z.real.")


def check_range(numbers: Any, dtype: Any) -> None:
    """Refuse numbers that a dtype does not hold: integers that would wrap, imaginary parts that would be lost."""
    array = np.asarray(numbers)
    if loses_imaginary(array.dtype, np.dtype(dtype)):
        _check_imaginary(array, dtype)
    if not is_integer(dtype) or not array.size:
        return
    for end in (array.min(), array.max()):
        number = end.item() if isinstance(end, np.generic) else end
        if not holds(dtype, number):
            ends = np.iinfo(dtype)
            raise NumberRangeError(
                f"Python {type(number).__name__} {number} out of bounds for {dtype}. Pass numbers from {ends.min} to "
                f"{ends.max}, or another dtype."
            )


def is_foreign(x: Any) -> bool:
    """Whether x is an array of another library, such as a pandas Series: it has ``__array__`` and is not NumPy's."""
    return hasattr(type(x), "__array__") and not isinstance(x, (Traced, np.ndarray, np.generic))


def array_of(x: Any) -> Any:
    """Return the numbers of such an array; pandas has objects for booleans beside numbers, and nullable columns."""
    array = unitless(x)
    if array.dtype != object:
        return array
    try:
        narrow = np.array(array.tolist())
    except ValueError:
        return array
    return narrow if is_number(narrow.dtype) and narrow.shape == array.shape else array


def unitless(x: Any) -> Any:
    """Return the entries of such an array as they are, unless they have a unit or a mask."""
    for holder in (x, getattr(x, "data", None)):  # of an xarray's, around another's
        if isinstance(holder, np.ndarray):
            _check_subclass(holder)
        else:
            _check_units(holder)
    return np.asarray(x)


def _check_units(x: Any) -> None:
    """Refuse quantities of Pint, astropy or unyt, since an array of numbers would lose their unit."""
    unit = next((getattr(x, name) for name in ("units", "unit") if hasattr(type(x), name)), None)
    if unit is not None and (isinstance(x, np.ndarray) or hasattr(type(x), "magnitude")):
        raise ArgumentTypeError(
            f"tensors have no units, and this quantity's, {unit}, would be lost. Pass its number in a unit that you "
            f"choose, as in q.to({str(unit)!r}).magnitude, and give the result its unit again."
        )


def _check_subclass(data: Any) -> None:
    """Refuse the arrays that mean something else by what a tensor does."""
    _check_units(data)
    if hasattr(data, "mask"):
        raise ArgumentTypeError("tensors have no mask. Got a masked array; pass a.filled(0), or a[~a.mask].")
    if isinstance(data, np.matrix):
        raise ArgumentTypeError("np.matrix multiplies by matrix product, a tensor entry by entry. Pass np.asarray(m).")


def _from_sequence(data: Any) -> Any:
    try:
        array = np.array(data)
    except (ValueError, TypeError) as error:
        for entry in data if isinstance(data, (list, tuple)) else ():
            _check_units(entry)
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


def _odd(data: Any) -> Any:
    """Return the first entry of a nested sequence that no numeric array can hold."""
    ahead = [data]
    while ahead:
        entry = ahead.pop()
        if isinstance(entry, (list, tuple)):
            ahead.extend(reversed(entry))
        elif not is_number(np.asarray(entry).dtype):
            return entry
    return data


def _caller() -> str:
    """Return the name of the public function that was called; "" for those that make tensors of anything."""
    frame: Any = sys._getframe(1)
    while frame.f_back is not None and str(frame.f_back.f_globals.get("__name__")).startswith("symgrad."):
        frame = frame.f_back
    values, module = frame.f_locals, frame.f_globals["__name__"]
    fn = values.get("fn")
    if frame.f_code.co_name not in ("call", "one", "two") or module == "symgrad.core.device":
        return ""
    if not str(getattr(fn, "__module__", "")).startswith("symgrad."):
        return str(getattr(values.get("op"), "name", "")).lower()
    return type(values["args"][0]).__name__ if fn.__name__.startswith("__") else str(fn.__name__)


def _refuse(entry: Any) -> None:
    kind, who = type(entry).__name__, _caller()
    refusal = f"{who}(): an argument must be a tensor, not {kind}." if who else ""
    if isinstance(entry, (str, bytes)):
        raise ArgumentTypeError(_NO_TEXT.format(refusal or f"new(): invalid data type {kind!r}."))
    if isinstance(entry, int):
        raise ArgumentError(
            f"Overflow when unpacking long long. Got an integer of {entry.bit_length()} bits; pass a float."
        )
    raise DTypeError(f"{refusal or f'Could not infer dtype of {kind}.'} Pass numbers or nested lists of them.")


def _check_kind(array: Any, data: Any) -> None:
    if (is_symbolic(array.dtype) or is_text(array.dtype)) and not isinstance(data, (np.ndarray, np.generic)):
        _refuse(_odd(data))
    if not is_number(array.dtype):
        who, kind = _caller(), f"numpy.{array.dtype.name}{'_' if is_symbolic(array.dtype) else ''}"
        raise ArgumentTypeError(
            f"{who and f'{who}(): '}can't convert np.ndarray of type {kind}. "
            "The only supported types are: complex128, complex64, float64, float32, float16, int64, int32, int16, "
            "int8, uint64, uint32, "
            "uint16, uint8, and bool. Convert it first, as in a.astype(float)."
        )


def torch_dtype(x: Any) -> str:
    """Return PyTorch's name of the dtype of x."""
    return _TORCH_DTYPE.get(str(x.dtype), str(x.dtype))


def check_dtype(dtype: Any) -> np.dtype[Any]:
    """Return the NumPy dtype that ``dtype`` names, refusing text and object."""
    try:
        kind: np.dtype[Any] = np.dtype(dtype)
    except TypeError as error:
        raise ArgumentTypeError(
            f"dtype: got {dtype!r}. Pass sg.float64, sg.float32, sg.int64, sg.bool or a NumPy dtype."
        ) from error
    probe = np.empty(0, kind)
    _check_kind(probe, probe)
    return kind if kind.isnative else np.dtype(kind.type)
