"""NumPy's spelling of methods beside PyTorch's: ``x.var(ddof=1)``, ``x.reshape(2, 2, order="F")``, ``x.transpose()``.

PyTorch's meaning stays wherever a call can be read both ways; arguments that only NumPy has ask for NumPy's function.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from symgrad.engine.record import as_tensor
from symgrad.ops.elementwise.complexes import conj
from symgrad.ops.indexing.select import getitem, setitem
from symgrad.ops.protocol import shape
from symgrad.ops.shapes.arrange import ravel, reshape
from symgrad.ops.sorting import search
from symgrad.tensors.inplace import prepare, rebind
from symgrad.tensors.methods import Methods

Method = Callable[..., Any]
_NUMPYS = {"dim": "axis", "keepdim": "keepdims"}


def _either(name: str, *only: str) -> Method:
    """PyTorch's method, or NumPy's function where one of its own arguments is given by name."""
    own, numpys, words = getattr(Methods, name), getattr(np, name), frozenset(only)

    @functools.wraps(own)
    def method(self: Any, *args: Any, **kwargs: Any) -> Any:
        if kwargs and not words.isdisjoint(kwargs):
            return numpys(self, *args, **{_NUMPYS.get(k, k): v for k, v in kwargs.items()})
        return own(self, *args, **kwargs)

    method.words = only  # type: ignore[attr-defined]  # for the stub
    return method


def _running(name: str) -> Method:
    """A running sum or product: along an axis, or without one of all entries in order."""
    along = _either(name, "out")

    @functools.wraps(along)
    def method(self: Any, *args: Any, **kwargs: Any) -> Any:
        if not args and not {"dim", "axis"} & kwargs.keys():
            return getattr(np, name)(self, **kwargs)
        return along(self, *args, **kwargs)

    return method


def _over_axes(name: str) -> Method:
    """An extreme: PyTorch's along one axis, NumPy's along several."""
    along = _either(name, "out", "initial", "where")

    @functools.wraps(along)
    def method(self: Any, *args: Any, **kwargs: Any) -> Any:
        axis = kwargs.get("axis", args[0] if args else None)
        if isinstance(axis, tuple):
            return getattr(np, name)(self, *args, **kwargs)
        return along(self, *args, **kwargs)

    return method


def _in_order(name: str) -> Method:
    """All entries in one axis: row by row, or with ``order="F"`` column by column."""
    own = getattr(Methods, name)

    @functools.wraps(own)
    def method(self: Any, *args: Any, order: str = "C", **kwargs: Any) -> Any:
        if args and isinstance(args[0], str):
            order, args = args[0], args[1:]
        return np.ravel(self, order=order) if order != "C" else own(self, *args, **kwargs)  # type: ignore[call-overload]

    return method


class Size(int):
    """The number of entries, as NumPy's attribute ``x.size``; called, PyTorch's sizes."""

    sizes: tuple[int, ...]

    def __call__(self, dim: int | None = None) -> Any:
        """The sizes, or that of one axis."""
        return Methods.size(as_tensor(np.empty(self.sizes)), dim) if dim is not None else self.sizes


class Flat:
    """The entries of a tensor one after the other; writing an entry changes the tensor."""

    __slots__ = ("_of",)

    def __init__(self, of: Any) -> None:
        self._of = of

    def __len__(self) -> int:
        return len(ravel(self._of))

    def __iter__(self) -> Iterator[Any]:
        return iter(ravel(self._of))

    def __getitem__(self, key: Any) -> Any:
        return getitem(ravel(self._of), key)

    def __setitem__(self, key: Any, value: Any) -> None:
        prepare(self._of)
        rebind(self._of, reshape(setitem(ravel(self._of), key, as_tensor(value)), shape(self._of)))


class Spellings(Methods):
    """Methods that NumPy's arrays have under the same name with other arguments, or alone."""

    __slots__ = ()

    sum, prod = _either("sum", "out", "initial", "where"), _either("prod", "out", "initial", "where")
    mean = _either("mean", "out", "where")
    std, var = (
        _either("std", "ddof", "dtype", "out", "where", "mean"),
        _either("var", "ddof", "dtype", "out", "where", "mean"),
    )
    all, any = _either("all", "out", "where"), _either("any", "out", "where")
    max, min = _over_axes("max"), _over_axes("min")
    argmax, argmin = _either("argmax", "out"), _either("argmin", "out")
    argsort = _either("argsort", "kind", "order")
    cumsum, cumprod = _running("cumsum"), _running("cumprod")
    diagonal = _either("diagonal", "axis1", "axis2")
    repeat = _either("repeat", "axis")
    take = _either("take", "axis", "mode", "out", "indices")
    clip = _either("clip", "out")
    ravel, flatten = _in_order("ravel"), _in_order("flatten")

    def reshape(self, *shape: Any, order: str = "C", copy: bool | None = None, **named: Any) -> Any:
        """Return the entries in another shape, read and written row by row, or with order="F" column by column."""
        if order == "C":
            return Methods.reshape(self, *shape, **named)
        to = shape[0] if len(shape) == 1 else shape
        return np.reshape(self, named.get("shape", to), order=order)  # type: ignore[call-overload]

    def transpose(self, *axes: Any, **named: Any) -> Any:
        """Exchange two axes, as in PyTorch; any other number of axes, or a tuple, is their new order, as in NumPy."""
        if named or (len(axes) == 2 and not isinstance(axes[0], (tuple, list))):
            return Methods.transpose(self, *axes, **named)
        order = axes[0] if len(axes) == 1 and not isinstance(axes[0], int) else axes or None
        return np.transpose(self, order)

    def trace(self, offset: int = 0, axis1: int = 0, axis2: int = 1, dtype: Any = None, out: Any = None) -> Any:
        """Return the sum of a diagonal."""
        if (offset, axis1, axis2, dtype, out) == (0, 0, 1, None, None) and len(shape(self)) == 2:
            return Methods.trace(self)
        return np.trace(self, offset, axis1, axis2, dtype, out)

    def dot(self, tensor: Any, out: Any = None) -> Any:
        """Return Σ xᵢ yᵢ for vectors, and the product of matrices, as NumPy's method does."""
        y = as_tensor(tensor)
        both = (len(shape(self)), len(shape(y)))
        return Methods.dot(self, y) if both == (1, 1) and out is None else np.dot(self, y, out)

    def round(self, decimals: int = 0, out: Any = None) -> Any:
        """Round to the given number of decimals; halves are rounded to even."""
        return Methods.round(self, decimals=decimals) if out is None else np.round(self, decimals, out)

    def ptp(self, axis: Any = None, out: Any = None, keepdims: bool = False) -> Any:
        """Return max x - min x."""
        return np.ptp(self, axis, out, keepdims)

    def compress(self, condition: Any, axis: int | None = None, out: Any = None) -> Any:
        """Return the entries, or the slices along an axis, for which the condition holds."""
        return np.compress(condition, self, axis, out)

    def searchsorted(self, v: Any, side: str | None = None, sorter: Any = None, **named: Any) -> Any:
        """Return the positions at which v belongs in this sorted vector (or sorted by ``sorter``), or in these rows."""
        ordered = self if sorter is None else getitem(self, (as_tensor(sorter),))
        return search.searchsorted(ordered, as_tensor(v), side=side, **named)

    def fill(self, value: Any) -> None:
        """Set all entries to a number."""
        me: Any = self
        me.fill_(value)

    def conjugate(self) -> Any:
        """Return the conjugate; for real numbers, this is the tensor itself."""
        return conj(self)

    def tobytes(self, order: str = "C") -> bytes:
        """Return the bytes of the numbers. Raises GraphError if the tensor requires a gradient."""
        me: Any = self
        return np.asarray(me.numpy()).tobytes(order)  # type: ignore[arg-type]

    @property
    def flat(self) -> Flat:
        """The entries, one after the other."""
        return Flat(self)

    @property
    def size(self) -> Any:
        """The number of entries, as in NumPy; ``x.size()`` and ``x.size(k)`` are the sizes, as in PyTorch."""
        sizes = shape(self)
        if not all(isinstance(n, int) for n in sizes):
            return functools.partial(Methods.size, self)  # sizes with names have no number
        count = Size(np.prod(sizes, dtype=np.int64))
        count.sizes = sizes
        return count
