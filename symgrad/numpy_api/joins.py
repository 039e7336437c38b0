"""Joining, splitting and padding, of tensors and arrays together."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from symgrad import functions as F
from symgrad.engine.record import TensorBase, as_tensor
from symgrad.errors import ArgumentError, ArgumentTypeError
from symgrad.numpy_api.reductions import one_axis
from symgrad.numpy_api.shapes import ravel
from symgrad.numpy_api.table import numpys
from symgrad.tensors.ufuncs import in_dtype


def _tensors(arrays: Any) -> list[Any]:
    return [as_tensor(a) for a in arrays]


@numpys("concatenate", "concat")
def _concatenate(arrays: Any, /, axis: int | None = 0, out: Any = None, *, dtype: Any = None) -> Any:
    parts = _tensors(arrays)
    joined = F.cat([ravel(p) for p in parts], 0) if axis is None else F.cat(parts, axis)
    return joined if dtype is None else joined.to(dtype)


@numpys("stack")
def _stack(arrays: Any, axis: int = 0, out: Any = None, *, dtype: Any = None) -> Any:
    stacked = F.stack(_tensors(arrays), axis)
    return stacked if dtype is None else stacked.to(dtype)


def _joined(at_least: Callable[..., Any], axis: int) -> Callable[..., Any]:
    def call(tup: Any, *, dtype: Any = None) -> Any:
        parts = [at_least(as_tensor(a)) for a in tup]
        joined = F.cat(parts, 0 if len(parts[0].shape) == 1 else axis)
        return joined if dtype is None else joined.to(dtype)

    return call


numpys("hstack")(_joined(F.atleast_1d, 1))
numpys("vstack", "row_stack")(_joined(F.atleast_2d, 0))
numpys("dstack")(_joined(F.atleast_3d, 2))


numpys("column_stack")(lambda tup: F.column_stack(_tensors(tup)))


@numpys("append")
def _append(arr: Any, values: Any, axis: int | None = None) -> Any:
    return _concatenate([arr, values], axis)


numpys("block")(lambda arrays: _blocks(arrays, 1, _depth(arrays))[0])


def _depth(arrays: Any) -> int:
    return 1 + max(map(_depth, arrays)) if isinstance(arrays, list) else 0


def _blocks(arrays: Any, level: int, depth: int) -> tuple[Any, int]:
    """Join nested lists: the innermost along the last axis, the next along the one before."""
    if not isinstance(arrays, list):
        x = as_tensor(arrays)
        return F.reshape(x, (*[1] * (depth - len(x.shape)), *x.shape)), level
    parts = [_blocks(a, level + 1, depth)[0] for a in arrays]
    return F.cat(parts, len(parts[0].shape) - depth + level - 1), level


@numpys("meshgrid")
def _meshgrid(*xi: Any, copy: bool = True, sparse: bool = False, indexing: str = "xy") -> tuple[Any, ...]:
    if indexing not in ("xy", "ij"):
        raise ArgumentError(f"np.meshgrid: got indexing={indexing!r}. Valid values for indexing are 'xy' and 'ij'.")
    xs = [ravel(x) for x in xi]
    places = list(range(len(xs)))
    if indexing == "xy" and len(xs) > 1:
        places[:2] = 1, 0
    sizes = [0] * len(xs)
    for x, k in zip(xs, places, strict=True):
        sizes[k] = x.shape[0]
    grids = [F.reshape(x, tuple(-1 if j == k else 1 for j in range(len(xs)))) for x, k in zip(xs, places, strict=True)]
    return tuple(x if sparse else F.broadcast_to(x, tuple(sizes)) for x in grids)


# ------------------------------------------------------------------ splitting
def _pieces(x: Any, sections: Any, axis: int, even: bool) -> list[Any]:
    n = x.shape[axis]
    if isinstance(sections, (int, np.integer)):
        if even and n % sections:
            raise ArgumentError(f"array split does not result in an equal division. Got {n} entries, {sections} parts.")
        sizes = [n // sections + (k < n % sections) for k in range(sections)]
        edges = [0, *np.cumsum(sizes).tolist()]
    else:
        edges = [0, *[slice(None, int(k)).indices(n)[1] for k in sections], n]
    return [F.narrow(x, axis, a, max(b - a, 0)) for a, b in itertools.pairwise(edges)]


@numpys("split")
def _split(ary: Any, indices_or_sections: Any, axis: int = 0) -> list[Any]:
    return _pieces(as_tensor(ary), indices_or_sections, one_axis(ary, axis), even=True)


@numpys("array_split")
def _array_split(ary: Any, indices_or_sections: Any, axis: int = 0) -> list[Any]:
    return _pieces(as_tensor(ary), indices_or_sections, one_axis(ary, axis), even=False)


numpys("hsplit")(lambda ary, indices_or_sections: _split(ary, indices_or_sections, int(len(ary.shape) > 1)))
numpys("vsplit")(lambda ary, indices_or_sections: _split(ary, indices_or_sections, 0))
numpys("dsplit")(lambda ary, indices_or_sections: _split(ary, indices_or_sections, 2))
numpys("unstack")(lambda x, /, *, axis=0: F.unbind(x, axis))


# ------------------------------------------------------------------ padding
@numpys("pad")
def _pad(array: Any, pad_width: Any, mode: str = "constant", *, constant_values: Any = 0) -> Any:
    x = as_tensor(array)
    widths = _pairs(pad_width, len(x.shape))
    if mode == "constant":
        return _padded(x, widths, _pairs(constant_values, len(x.shape)))
    if mode not in ("edge", "reflect", "symmetric", "wrap"):
        raise ArgumentTypeError(
            f"np.pad: mode={mode!r} is not supported on tensors. Use 'constant', 'edge', 'reflect', 'symmetric' or "
            "'wrap'."
        )
    for k, width in enumerate(widths):
        if any(width):
            x = F.index_select(x, k, as_tensor(np.pad(np.arange(x.shape[k]), width, mode=mode)))  # type: ignore[call-overload]
    return x


def _pairs(value: Any, count: int) -> list[tuple[Any, Any]]:
    if isinstance(value, TensorBase):
        return [(value, value)] * count
    if isinstance(value, dict):
        given: list[Any] = [value.get(k, value.get(k - count, 0)) for k in range(count)]
        return [tuple(np.broadcast_to(pair, 2).tolist()) for pair in given]
    return [tuple(pair) for pair in np.broadcast_to(np.asarray(value), (count, 2)).tolist()]


def _padded(x: Any, widths: Sequence[tuple[Any, Any]], values: Sequence[tuple[Any, Any]]) -> Any:
    for k, (width, value) in enumerate(zip(widths, values, strict=True)):
        sizes = [(*x.shape[:k], n, *x.shape[k + 1 :]) for n in width]
        ends = [F.broadcast_to(in_dtype(v, x.dtype), s) for s, v in zip(sizes, value, strict=True)]
        x = F.cat([ends[0], x, ends[1]], k) if any(width) else x
    return x
