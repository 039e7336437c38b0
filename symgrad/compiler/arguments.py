"""The arguments of a compiled function: floats and arrays, converted to the form that kernels read."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any

import numpy as np

from symgrad.core import trees
from symgrad.engine.record import TensorBase
from symgrad.errors import ArgumentError, ArgumentTypeError
from symgrad.ops.value import array_of, is_foreign

_ndarray = np.ndarray
_ARRAYS = (float, TensorBase, _ndarray, np.generic, complex)
_FLOAT64 = np.dtype(np.float64)
# Kernels recognise a dtype by its identity, but the dtype of an unpickled array, say, is an equal object.
_NATIVE = {
    np.dtype(t): np.dtype(t)
    for t in ("?", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "f2", "f4", "f8", "c8", "c16")
}


def is_array(x: Any) -> bool:
    """Whether x is traced; everything else is a container or part of the signature."""
    return type(x) is _ndarray or isinstance(x, _ARRAYS) or is_foreign(x)


def as_input(x: Any) -> Any:
    """Return a float, or a contiguous, aligned array in native byte order."""
    if type(x) is float:
        return x
    array = x if type(x) is _ndarray else array_of(x)
    dtype = _NATIVE.get(array.dtype)
    if dtype is None:
        dtype = _native(array.dtype)
        array = array.astype(dtype)
    if array.dtype is not dtype:
        array = array.view(dtype)
    if dtype is _FLOAT64 and array.ndim == 0:
        return float(array)
    flags = array.flags
    return array if flags.c_contiguous and flags.aligned else array.copy()


def _native(dtype: Any) -> Any:
    """Return a dtype in the processor's byte order."""
    native = _NATIVE.get(dtype.newbyteorder("="))
    if native is None:
        raise ArgumentTypeError(
            f"compile: got an array of {dtype}. Expected numbers of at most 64 bits, complex ones of two such, or "
            "booleans."
        )
    return native


def given_away(values: Sequence[Any], which: Collection[int]) -> list[Any]:
    """Return values of which some will be overwritten: copies, where others would be overwritten with them."""
    arrays = list(values)
    for k in which:
        others = [v for j, v in enumerate(arrays) if j != k and type(v) is _ndarray]
        if not arrays[k].flags.writeable or any(np.may_share_memory(arrays[k], v) for v in others):
            arrays[k] = arrays[k].copy()
    return arrays


def positions_of(arguments: Collection[int], tree: trees.Tree) -> frozenset[int]:
    """Return the positions, among all arrays, of those in some arguments."""
    if not arguments:
        return frozenset()
    assert isinstance(tree, trees.ContainerSpec)  # narrows the type: (args, kwargs)
    positions: set[int] = set()
    start = 0
    for k, part in enumerate(tree.parts[0].parts):
        stop = start + trees.count(part)
        positions.update(range(start, stop) if k in arguments else ())
        start = stop
    missing = [k for k in arguments if k >= len(tree.parts[0].parts)]
    if missing:
        raise ArgumentError(
            f"compile: donate names argument {missing[0]}, but {len(tree.parts[0].parts)} were given by position."
        )
    return frozenset(positions)
