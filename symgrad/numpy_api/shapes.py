"""Arranging entries: shapes, axes, flips, repeats, diagonals, and elementwise functions that are not ufuncs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from symgrad import functions as F
from symgrad.core.promotion import is_integer
from symgrad.engine.record import TensorBase, as_tensor
from symgrad.errors import ArgumentError, IndexRangeError, ShapeError
from symgrad.numpy_api.reductions import axes_of, one_axis
from symgrad.numpy_api.table import numpys


@numpys("reshape")
def _reshape(a: Any, /, shape: Any = None, order: str = "C", *, newshape: Any = None, copy: bool | None = None) -> Any:
    x = as_tensor(a)
    sizes = newshape if shape is None else shape
    sizes = tuple(sizes) if isinstance(sizes, (tuple, list)) else (sizes,)
    return F.reshape(x.T, sizes[::-1]).T if _by_columns("reshape", order) else F.reshape(x, sizes)


def _by_columns(name: str, order: str) -> bool:
    """Whether entries are read column by column."""
    if order not in ("C", "F", "A", "K"):
        raise ArgumentError(f"np.{name}: order must be one of 'C', 'F', 'A', or 'K'. Got {order!r}.")
    return order == "F"


@numpys("ravel")
def ravel(a: Any, order: str = "C") -> Any:
    """All entries in one axis."""
    return F.ravel(as_tensor(a).T if _by_columns("ravel", order) else as_tensor(a))


@numpys("transpose", "permute_dims")
def _transpose(a: Any, axes: Sequence[int] | None = None) -> Any:
    x = as_tensor(a)
    return F.permute(x, *axes) if axes is not None else F.permute(x, *range(len(x.shape))[::-1])


numpys("matrix_transpose", "linalg.matrix_transpose")(lambda x, /: as_tensor(x).mT)


@numpys("swapaxes")
def _swapaxes(a: Any, axis1: int, axis2: int) -> Any:
    return F.swapaxes(a, axis1, axis2)


numpys("moveaxis")(lambda a, source, destination: F.movedim(a, source, destination))


@numpys("rollaxis")
def _rollaxis(a: Any, axis: int, start: int = 0) -> Any:
    k = one_axis(a, axis)
    start = start + len(a.shape) if start < 0 else start
    return F.movedim(a, k, start - 1 if k < start else start)


@numpys("squeeze")
def _squeeze(a: Any, axis: Any = None) -> Any:
    x = as_tensor(a)
    if axis is None:
        return F.squeeze(x)
    axes = axes_of(x, axis)
    if any(x.shape[k] != 1 for k in axes):
        raise ShapeError(
            f"cannot select an axis to squeeze out which has size not equal to one. Got axes {list(axes)} of shape "
            f"{list(x.shape)}."
        )
    return F.reshape(x, tuple(n for k, n in enumerate(x.shape) if k not in axes))


@numpys("expand_dims")
def _expand_dims(a: Any, axis: Any) -> Any:
    x = as_tensor(a)
    wanted = axis if isinstance(axis, (tuple, list)) else (axis,)
    n, sizes = len(x.shape) + len(wanted), iter(x.shape)
    if any(not -n <= k < n for k in wanted):
        raise IndexRangeError(f"np.expand_dims: got axis {axis!r} of {n} axes. Expected numbers from {-n} to {n - 1}.")
    places = [k % n for k in wanted]
    return F.reshape(x, tuple(1 if k in places else next(sizes) for k in range(n)))


@numpys("broadcast_to")
def _broadcast_to(array: Any, shape: Any) -> Any:
    return F.broadcast_to(array, tuple(shape) if isinstance(shape, (tuple, list)) else (shape,))


@numpys("broadcast_arrays")
def _broadcast_arrays(*args: Any) -> tuple[Any, ...]:
    xs = [as_tensor(a) for a in args]
    sizes = np.broadcast_shapes(*[x.shape for x in xs])
    return tuple(F.broadcast_to(x, sizes) for x in xs)


numpys("atleast_1d")(lambda *arys: F.atleast_1d(*map(as_tensor, arys)))
numpys("atleast_2d")(lambda *arys: F.atleast_2d(*map(as_tensor, arys)))
numpys("atleast_3d")(lambda *arys: F.atleast_3d(*map(as_tensor, arys)))


@numpys("flip")
def _flip(m: Any, axis: Any = None) -> Any:
    x = as_tensor(m)
    axes = axes_of(x, axis)
    return F.flip(x, axes) if axes else x


numpys("flipud")(lambda m: F.flip(m, (0,)))
numpys("fliplr")(lambda m: F.flip(m, (1,)))


@numpys("roll")
def _roll(a: Any, shift: Any, axis: Any = None) -> Any:
    shifts = tuple(shift) if isinstance(shift, (tuple, list)) else shift
    return F.roll(a, shifts, axis) if axis is not None else F.reshape(F.roll(F.ravel(a), shifts, 0), a.shape)


@numpys("rot90")
def _rot90(m: Any, k: int = 1, axes: tuple[int, int] = (0, 1)) -> Any:
    return F.rot90(m, k, tuple(axes))


numpys("tile")(lambda A, reps: F.tile(A, tuple(reps) if isinstance(reps, (tuple, list, np.ndarray)) else (reps,)))


@numpys("repeat")
def _repeat(a: Any, repeats: Any, axis: int | None = None) -> Any:
    counts = repeats if isinstance(repeats, (int, TensorBase)) else as_tensor(np.asarray(repeats))
    return F.repeat_interleave(as_tensor(a), counts, axis)


numpys("copy")(lambda a: F.clone(a))


@numpys("astype")
def _astype(x: Any, dtype: Any, /, *, copy: bool = True) -> Any:
    return x.to(dtype)


# ------------------------------------------------------------------ diagonals and triangles
@numpys("diag")
def _diag(v: Any, k: int = 0) -> Any:
    return F.diag(v, k)


@numpys("diagflat")
def _diagflat(v: Any, k: int = 0) -> Any:
    return F.diag(F.ravel(v), k)


@numpys("diagonal")
def _diagonal(a: Any, offset: int = 0, axis1: int = 0, axis2: int = 1) -> Any:
    return F.diagonal(a, offset, axis1, axis2)


@numpys("trace")
def _trace(a: Any, offset: int = 0, axis1: int = 0, axis2: int = 1, dtype: Any = None, out: Any = None) -> Any:
    x = a.to(np.int64 if a.dtype == bool else a.dtype) if dtype is None else a.to(dtype)
    return F.trace(x) if (offset, len(x.shape)) == (0, 2) else F.sum(F.diagonal(x, offset, axis1, axis2), -1)


numpys("linalg.diagonal")(lambda x, /, *, offset=0: F.diagonal(x, offset, -2, -1))
numpys("linalg.trace")(lambda x, /, *, offset=0, dtype=None: F.sum(F.diagonal(x, offset, -2, -1), -1, dtype=dtype))


@numpys("tril")
def _tril(m: Any, k: int = 0) -> Any:
    return F.tril(m, k)


@numpys("triu")
def _triu(m: Any, k: int = 0) -> Any:
    return F.triu(m, k)


@numpys("vander")
def _vander(x: Any, N: int | None = None, increasing: bool = False) -> Any:
    n = len(x) if N is None else N
    x = x.to(np.promote_types(x.dtype, np.int64))
    powers = [x**k for k in range(n)]
    return F.stack(powers if increasing else powers[::-1], -1)


# ------------------------------------------------------------------ elementwise
@numpys("clip")
def _clip(a: Any, a_min: Any = None, a_max: Any = None, out: Any = None, *, min: Any = None, max: Any = None) -> Any:
    low, high = a_min if min is None else min, a_max if max is None else max
    low, high = (x if x is None or isinstance(x, (int, float)) else as_tensor(x) for x in (low, high))
    return as_tensor(a) if low is None and high is None else F.clamp(as_tensor(a), low, high)


@numpys("round", "around")
def _round(a: Any, decimals: int = 0, out: Any = None) -> Any:
    return a if is_integer(a.dtype) and decimals >= 0 else F.round(a, decimals=decimals)


@numpys("nan_to_num")
def _nan_to_num(
    x: Any, copy: bool = True, nan: float = 0.0, posinf: float | None = None, neginf: float | None = None
) -> Any:
    if not copy:
        raise ArgumentError("np.nan_to_num: copy=False would write into the tensor. Use the result instead.")
    return F.nan_to_num(x, nan, posinf, neginf)


numpys("fix")(lambda x, out=None: F.trunc(x))
numpys("sinc")(lambda x: F.sinc(x))
numpys("i0")(lambda x: F.i0(x))
numpys("real")(lambda val: F.real(val))
numpys("imag")(lambda val: F.imag(val))
numpys("angle")(lambda z, deg=False: F.rad2deg(F.angle(z)) if deg else F.angle(z))


@numpys("where")
def _where(condition: Any, x: Any = None, y: Any = None, /) -> Any:
    if x is None or y is None:
        indices = np.nonzero(as_tensor(condition)._known("np.where(condition)"))
        return tuple(as_tensor(k) for k in indices)
    c = as_tensor(condition)
    return F.where(c if c.dtype == bool else c != 0, *[_number(v) for v in (x, y)])


def _number(x: Any) -> Any:
    return x if isinstance(x, (int, float)) else as_tensor(x)


@numpys("select")
def _select(condlist: Any, choicelist: Any, default: Any = 0) -> Any:
    chosen = _number(default)
    for condition, choice in reversed(list(zip(condlist, choicelist, strict=True))):
        chosen = F.where(as_tensor(condition), _number(choice), chosen)
    return chosen
