"""Nested sequences, and arrays of objects, that hold tensors: stacked, so that every entry keeps its history.

Numbers among them are weak, as in arithmetic: beside a float32 tensor, 1.0 is float32.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import sympy as sp

from symgrad.core.modes import get_default_dtype
from symgrad.core.promotion import complexes, is_differentiable
from symgrad.errors import ArgumentError
from symgrad.ops.convert import Cast
from symgrad.ops.map import show_shape
from symgrad.ops.protocol import Traced, shape
from symgrad.ops.shape import Reshape
from symgrad.ops.shapes.join import stack
from symgrad.ops.value import is_foreign, to_value, unitless

_SEQUENCES = (list, tuple)
_DEEPEST = 64  # as many axes as NumPy's arrays have


def holds_tensors(data: Any, depth: int = 0) -> bool:
    """Whether there is a tensor in nested sequences, or in an array of objects."""
    if is_foreign(data):
        data = unitless(data)
    if isinstance(data, np.ndarray):
        return data.dtype == object and any(isinstance(x, Traced) for x in data.flat)
    if not isinstance(data, _SEQUENCES) or depth > _DEEPEST:
        return False
    for x in data:
        if type(x) is not float and type(x) is not int and (isinstance(x, Traced) or holds_tensors(x, depth + 1)):
            return True
    return False


def stacked(data: Any) -> Any:
    """Return the tensor of a nested sequence that holds tensors.

    Raises:
        ArgumentError: if the rows have different shapes.
        ArgumentTypeError: if an entry is neither a number nor a tensor, such as text.
    """
    return _stacked(data, _common(list(_entries(data))))


def _entries(data: Any) -> Iterator[Any]:
    """The tensors, arrays and numbers in a nested sequence."""
    for x in _parts(data):
        if isinstance(x, _SEQUENCES) or _is_objects(x):
            yield from _entries(x)
        else:
            yield x if isinstance(x, (Traced, bool, int, float, sp.Expr)) else np.asarray(to_value(x))


def _is_objects(x: Any) -> bool:
    if is_foreign(x):
        return bool(unitless(x).dtype == object)
    return isinstance(x, np.ndarray) and x.dtype == object


def _parts(data: Any) -> Any:
    return np.asarray(data).flat if _is_objects(data) else data


def _common(entries: list[Any]) -> np.dtype[Any]:
    """The dtype that holds all entries: that of the arrays, unless Python's floats make integers floating."""
    weak = (bool, int, float, complex, sp.Expr)
    result = np.result_type(*{x.dtype for x in entries if not isinstance(x, weak)})
    kinds = {type(x) for x in entries if isinstance(x, weak)}
    if complex in kinds:
        return complexes(result)
    if is_differentiable(result):
        return result
    if not kinds <= {bool, int}:
        return get_default_dtype()
    return np.result_type(result, *kinds)


def _stacked(data: Any, dtype: np.dtype[Any]) -> Any:
    if isinstance(data, sp.Expr):
        return data
    if isinstance(data, Traced):
        return data if data.dtype == dtype else Cast(dtype)(data)  # type: ignore[attr-defined]
    if not holds_tensors(data):
        return np.asarray(to_value(data)).astype(dtype)
    rows = [_stacked(x, dtype) for x in _parts(data)]
    sizes = [tuple(shape(x)) for x in rows]
    odd = next((s for s in sizes if s != sizes[0]), None)
    if odd is not None:
        raise ArgumentError(
            f"expected entries of one shape, got {show_shape(sizes[0])} and {show_shape(odd)}. Reshape them, or keep a "
            "list of tensors."
        )
    return Reshape((*data.shape, *sizes[0]))(stack(rows)) if _is_objects(data) else stack(rows)
