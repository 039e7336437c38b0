"""Entries by index, questions about values and shapes, and tensors like others.

Answers that are indices, booleans or sizes carry no gradient, so the numbers are enough for them.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from symgrad import functions as F
from symgrad.core.node import has_value
from symgrad.engine.record import TensorBase, as_tensor
from symgrad.errors import ArgumentTypeError
from symgrad.numpy_api.reductions import one_axis, summed_axes
from symgrad.numpy_api.table import numpys, shown
from symgrad.ops.elementwise.complexes import holds_complex
from symgrad.tensors.ufuncs import in_dtype


@numpys("take")
def _take(a: Any, indices: Any, axis: int | None = None, out: Any = None, mode: str = "raise") -> Any:
    x = as_tensor(a)
    x, axis = (F.ravel(x), 0) if axis is None else (x, one_axis(x, axis))
    at = np.asarray(as_tensor(indices)._known("np.take"))
    n = x.shape[axis]
    at = at % n if mode == "wrap" else np.clip(at, 0, n - 1) if mode == "clip" else at
    return x[(slice(None),) * axis + (at,)]


@numpys("take_along_axis")
def _take_along_axis(arr: Any, indices: Any, axis: int | None = -1) -> Any:
    return F.take_along_dim(as_tensor(arr), as_tensor(indices), axis)


@numpys("compress")
def _compress(condition: Any, a: Any, axis: int | None = None, out: Any = None) -> Any:
    return _take(a, np.flatnonzero(np.asarray(as_tensor(condition)._known("np.compress"))), axis)


numpys("extract")(lambda condition, arr: _compress(F.ravel(as_tensor(condition)), arr))


@numpys("delete")
def _delete(arr: Any, obj: Any, axis: int | None = None) -> Any:
    n = math.prod(arr.shape) if axis is None else arr.shape[one_axis(arr, axis)]
    return _take(arr, np.delete(np.arange(n), obj), axis)


@numpys("bincount")
def _bincount(x: Any, /, weights: Any = None, minlength: int = 0) -> Any:
    at = np.asarray(as_tensor(x)._known("np.bincount"))
    if weights is None:
        return as_tensor(np.bincount(at, minlength=minlength))
    size = max(int(at.max(initial=-1)) + 1, minlength)
    return F.index_add(as_tensor(np.zeros(size)), 0, as_tensor(at), as_tensor(weights).to(np.float64))


@numpys("copyto")
def _copyto(dst: Any, src: Any, casting: str = "same_kind", where: Any = True) -> None:
    """Write into a tensor, by rebinding it; into an array, numbers only."""
    if isinstance(dst, TensorBase):
        dst.copy_(src if where is True else F.where(as_tensor(where), as_tensor(src), dst))  # type: ignore[attr-defined]
    elif not isinstance(src, TensorBase) or not has_value(src) or src.requires_grad:  # type: ignore[attr-defined]
        raise ArgumentTypeError(
            "np.copyto: a NumPy array cannot hold a tensor's history. Write sg.full(size, x) for np.full(size, x), and "
            "sg.stack([a, b]) for an array that is filled entry by entry."
        )
    else:
        np.copyto(dst, np.asarray(src), casting, where)  # type: ignore[arg-type]


# ------------------------------------------------------------------ of the numbers alone
_OF_NUMBERS = (
    "allclose", "array_equal", "array_equiv", "argwhere", "flatnonzero", "nonzero", "searchsorted", "digitize", "isin",
    "isneginf", "isposinf", "array_repr", "array_str",
    "array2string", "unravel_index", "ravel_multi_index", "linalg.matrix_rank",
)  # fmt: skip


def _numbers(x: Any, name: str) -> Any:
    if isinstance(x, TensorBase):
        return np.asarray(x._known(name))  # type: ignore[attr-defined]
    return type(x)(_numbers(e, name) for e in x) if isinstance(x, (list, tuple)) else x


def _wrapped(y: Any) -> Any:
    if isinstance(y, (list, tuple)):
        return tuple(map(_wrapped, y))
    return as_tensor(y) if isinstance(y, (np.ndarray, np.generic)) and not isinstance(y, np.str_) else y


def _of_numbers(function: Callable[..., Any]) -> Callable[..., Any]:
    def call(*args: Any, **kwargs: Any) -> Any:
        name = shown(function)
        return _wrapped(
            function(*[_numbers(a, name) for a in args], **{k: _numbers(v, name) for k, v in kwargs.items()})
        )

    return call


@numpys("isclose")
def _isclose(a: Any, b: Any, rtol: Any = 1e-5, atol: Any = 1e-8, equal_nan: bool = False) -> Any:
    a, b = as_tensor(a), as_tensor(b)
    near = F.logical_and(F.abs(a - b) <= atol + rtol * F.abs(b), F.isfinite(b))
    same = F.logical_or(a == b, near)
    return F.logical_or(same, F.logical_and(F.isnan(a), F.isnan(b))) if equal_nan else same


numpys("iscomplexobj")(lambda x: holds_complex(x))
numpys("isrealobj")(lambda x: not holds_complex(x))
numpys("iscomplex")(lambda x: F.imag(x) != 0)
numpys("isreal")(lambda x: F.imag(x) == 0)


@numpys("count_nonzero")
def _count_nonzero(a: Any, axis: Any = None, *, keepdims: bool = False) -> Any:
    there = (as_tensor(a) != 0).to(np.int64)
    axes = summed_axes(there, axis)
    return F.sum(there, axes, keepdims) if axes else there


# ------------------------------------------------------------------ sizes and dtypes
numpys("shape")(lambda a: a.shape)
numpys("ndim")(lambda a: len(a.shape))
numpys("may_share_memory", "shares_memory")(lambda a, b, max_work=None: False)


@numpys("size")
def _size(a: Any, axis: Any = None) -> Any:
    return math.prod(a.shape) if axis is None else math.prod(a.shape[k] for k in np.atleast_1d(axis).tolist())


@numpys("result_type")
def _result_type(*arrays_and_dtypes: Any) -> Any:
    return np.result_type(*[x.dtype if isinstance(x, TensorBase) else x for x in arrays_and_dtypes])  # type: ignore[attr-defined]


@numpys("tril_indices_from")
def _tril_indices_from(arr: Any, k: int = 0) -> Any:
    return np.tril_indices(arr.shape[-2], k, arr.shape[-1])


@numpys("triu_indices_from")
def _triu_indices_from(arr: Any, k: int = 0) -> Any:
    return np.triu_indices(arr.shape[-2], k, arr.shape[-1])


numpys("diag_indices_from")(lambda arr: np.diag_indices(arr.shape[0], len(arr.shape)))


# ------------------------------------------------------------------ tensors like others
def _filled(a: Any, value: Any, dtype: Any, shape: Any) -> Any:
    sizes = a.shape if shape is None else tuple(np.atleast_1d(shape).tolist())
    return F.broadcast_to(in_dtype(value, a.dtype if dtype is None else dtype), sizes)


def _like(value: float) -> Callable[..., Any]:
    def call(a: Any, dtype: Any = None, order: str = "K", subok: bool = True, shape: Any = None) -> Any:
        return _filled(a, value, dtype, shape)

    return call


numpys("zeros_like")(_like(0.0))
numpys("ones_like")(_like(1.0))


@numpys("empty_like")
def _empty_like(prototype: Any, dtype: Any = None, order: str = "K", subok: bool = True, shape: Any = None) -> Any:
    return _filled(prototype, 0.0, dtype, shape)


@numpys("full_like")
def _full_like(
    a: Any, fill_value: Any, dtype: Any = None, order: str = "K", subok: bool = True, shape: Any = None
) -> Any:
    return _filled(a, fill_value, dtype, shape)


def _answer_of_numbers() -> None:
    for name in _OF_NUMBERS:
        place, _, last = name.rpartition(".")
        function = getattr(getattr(np, place) if place else np, last, None)
        if function is not None:
            numpys(name)(_of_numbers(function))


_answer_of_numbers()
