"""Making tensors: from data, filled, and symbols without a value. Imports tensor and below."""

from __future__ import annotations

import math
import sys
import warnings
from collections.abc import Sequence
from typing import Any

import numpy as np
import sympy as sp

from symgrad.errors import ArgumentError, ArgumentTypeError, DTypeError, ShapeError
from symgrad.kernels import canonical
from symgrad.modes import get_default_dtype
from symgrad.node import TRACED, Leaf, size_symbol
from symgrad.ops.value import check_dtype, to_value
from symgrad.record import handle
from symgrad.tensor import Tensor, check_flag, check_name

__all__ = [
    "arange", "as_tensor", "asarray", "empty", "empty_like", "eye", "from_dlpack", "from_numpy", "full", "full_like",
    "linspace", "ones", "ones_like", "symbol", "tensor", "zeros", "zeros_like",
]  # fmt: skip


def tensor(data: Any, *, dtype: Any = None, requires_grad: bool = False, name: str | None = None) -> Tensor:
    """Copy numbers into a tensor.

    Args:
        data: number, nested sequence of numbers, array or tensor.
        dtype: default as ``data``; Python floats get the default dtype (float64).
        requires_grad: record operations on it, so that ``backward`` fills its ``.grad``.
        name: how formulas call it; default minted.

    Returns:
        A leaf tensor.

    Raises:
        DTypeError: ``requires_grad`` on integers or bools.
        ArgumentTypeError: complex numbers, strings or objects.
        ArgumentError: a ragged nested sequence.

    >>> sg.tensor([1.0, 2.0], requires_grad=True)
    tensor([1., 2.], requires_grad=True)
    """
    if isinstance(data, Tensor):
        warnings.warn(
            "To copy construct from a tensor, it is recommended to use sourceTensor.detach().clone() or "
            "sourceTensor.detach().clone().requires_grad_(True), rather than symgrad.tensor(sourceTensor).",
            UserWarning,
            stacklevel=2,
        )
        data = data.detach()._value
    return leaf(to_value(_plain(data), dtype), requires_grad, name)


def _plain(data: Any) -> Any:
    """Replace tensors inside nested sequences by their numbers."""
    if isinstance(data, (list, tuple)):
        return [_plain(x) for x in data]
    return data.item() if isinstance(data, Tensor) else data


def leaf(value: Any, requires_grad: bool, name: str | None) -> Tensor:
    """Wrap a value that nobody else holds."""
    check_name(name)
    check_flag("tensor", requires_grad)
    t: Tensor = handle(None, canonical(value))
    if requires_grad and t.dtype.kind != "f":
        raise DTypeError(
            f"Only Tensors of floating point and complex dtype can require gradients. Got {t.dtype}; "
            "pass dtype=sg.float64, or floats such as 1.0."
        )
    if name is not None:
        t.name = name
    return t.requires_grad_() if requires_grad else t


def asarray(data: Any, *, dtype: Any = None, requires_grad: bool = False, name: str | None = None) -> Tensor:
    """Return data as a tensor: a tensor as it is, all else copied (tensors are values and never alias)."""
    if isinstance(data, Tensor) and (dtype is None or check_dtype(dtype) == data.dtype) and not requires_grad:
        return data
    return tensor(
        data.detach().numpy() if isinstance(data, Tensor) else data,
        dtype=dtype,
        requires_grad=requires_grad,
        name=name,
    )


as_tensor = asarray


def from_numpy(array: np.ndarray[Any, Any]) -> Tensor:
    """Copy a NumPy array into a tensor of the same dtype."""
    if not isinstance(array, np.ndarray):
        raise ArgumentTypeError(f"expected np.ndarray (got {type(array).__name__}). Use sg.tensor for other data.")
    return tensor(array)


def from_dlpack(external: Any) -> Tensor:
    """Copy the array of another library, one with ``__dlpack__``, into a tensor of the same dtype.

    Raises:
        ArgumentTypeError: external has no ``__dlpack__``.

    >>> sg.from_dlpack(np.array([1.0, 2.0]))
    tensor([1., 2.])
    """
    if not hasattr(external, "__dlpack__"):
        raise ArgumentTypeError(
            f"from_dlpack: got {type(external).__name__}. Expected an object with __dlpack__. Else use sg.tensor."
        )
    return from_numpy(np.from_dlpack(external))


def size_of(size: tuple[Any, ...], named: Any = None) -> tuple[int, ...]:
    """Read ``f(2, 3)``, ``f((2, 3))``, ``f([2, 3])`` and ``f(size=(2, 3))`` alike."""
    size = size if named is None else (named,)
    flat = tuple(size[0]) if len(size) == 1 and isinstance(size[0], (tuple, list)) else size
    for n in flat:
        if isinstance(n, bool) or not isinstance(n, (int, np.integer)):
            raise ArgumentTypeError(
                f"size: got {n!r}. Expected integers; a tensor with named sizes is made by sg.symbol(name, shape)."
            )
        if n < 0:
            raise ShapeError(
                f"Trying to create tensor with negative dimension {n}: {list(flat)}. Sizes are at least 0."
            )
    if len(flat) > 64:
        raise ShapeError(f"Trying to create tensor with {len(flat)} dimensions. NumPy's arrays have at most 64.")
    if 8 * math.prod(int(n) for n in flat if n) > sys.maxsize:
        raise ShapeError(f"Storage size calculation overflowed with sizes={list(flat)}. Memory cannot hold as many.")
    return tuple(int(n) for n in flat)


def made(value: Any, dtype: Any, requires_grad: bool, name: str | None) -> Tensor:
    """Wrap an array that nobody else holds, in this dtype or the default one."""
    wanted = get_default_dtype() if dtype is None else check_dtype(dtype)
    return leaf(np.asarray(value).astype(wanted, copy=False), requires_grad, name)


def zeros(
    *sizes: Any, size: Any = None, dtype: Any = None, requires_grad: bool = False, name: str | None = None
) -> Tensor:
    """A tensor of zeros of this size."""
    return made(np.zeros(size_of(sizes, size)), dtype, requires_grad, name)


def ones(
    *sizes: Any, size: Any = None, dtype: Any = None, requires_grad: bool = False, name: str | None = None
) -> Tensor:
    """A tensor of ones of this size.

    >>> sg.ones(2, 3)
    tensor([[1., 1., 1.],
            [1., 1., 1.]])
    """
    return made(np.ones(size_of(sizes, size)), dtype, requires_grad, name)


def full(
    size: Any, fill_value: float, *, dtype: Any = None, requires_grad: bool = False, name: str | None = None
) -> Tensor:
    """A tensor of this size filled with one number."""
    value = np.full(size_of((size,)), fill_value)
    return made(value, value.dtype if dtype is None and value.dtype.kind in "biu" else dtype, requires_grad, name)


def empty(
    *sizes: Any, size: Any = None, dtype: Any = None, requires_grad: bool = False, name: str | None = None
) -> Tensor:
    """A tensor of this size; here its entries are zero, so that nothing undefined is ever read."""
    return zeros(*sizes, size=size, dtype=dtype, requires_grad=requires_grad, name=name)


def eye(
    n: int, m: int | None = None, *, dtype: Any = None, requires_grad: bool = False, name: str | None = None
) -> Tensor:
    """The n by m matrix with ones on the diagonal; square by default."""
    rows, columns = size_of((n, n if m is None else m))
    return made(np.eye(rows, columns), dtype, requires_grad, name)


def arange(
    start: float | None = None,
    end: float | None = None,
    step: float = 1,
    *,
    dtype: Any = None,
    requires_grad: bool = False,
    name: str | None = None,
) -> Tensor:
    """start, start + step, … below end; integers if all are. One number alone is end."""
    if end is None:
        start, end = None, start
    if end is None:
        raise ArgumentTypeError('arange() missing 1 required positional arguments: "end". Pass where to stop.')
    start = 0 if start is None else start
    if not (math.isfinite(start) and math.isfinite(end)):
        raise ArgumentError(f"arange: unsupported range: {start} -> {end}. Pass finite numbers.")
    if step == 0 or (end - start) / step < 0:
        raise ArgumentError(
            f"arange: upper bound and lower bound inconsistent with step sign. "
            f"Got start={start}, end={end}, step={step}."
        )
    value = np.arange(start, end, step)
    return made(value, value.dtype if dtype is None and value.dtype.kind == "i" else dtype, requires_grad, name)


def linspace(
    start: Any,
    end: Any,
    steps: int,
    *,
    dtype: Any = None,
    requires_grad: bool = False,
    name: str | None = None,
) -> Tensor:
    """``steps`` evenly spaced numbers from start to end, both included; of tensors without axes, their values."""
    start, end = (x.item() if isinstance(x, Tensor) else x for x in (start, end))
    return made(np.linspace(start, end, size_of((steps,))[0]), dtype, requires_grad, name)


def like(x: Any, dtype: Any) -> tuple[tuple[int, ...], Any]:
    """Return the shape of x, and the dtype given or that of x."""
    source = x if isinstance(x, Tensor) else asarray(x)
    return source.shape, source.dtype if dtype is None else dtype


def zeros_like(input: Any, *, dtype: Any = None, requires_grad: bool = False, name: str | None = None) -> Tensor:
    """Zeros of input's shape and dtype."""
    shape, dtype = like(input, dtype)
    return zeros(shape, dtype=dtype, requires_grad=requires_grad, name=name)


def ones_like(input: Any, *, dtype: Any = None, requires_grad: bool = False, name: str | None = None) -> Tensor:
    """Ones of input's shape and dtype."""
    shape, dtype = like(input, dtype)
    return ones(shape, dtype=dtype, requires_grad=requires_grad, name=name)


def empty_like(input: Any, *, dtype: Any = None, requires_grad: bool = False, name: str | None = None) -> Tensor:
    """As zeros_like, so that nothing undefined is ever read."""
    return zeros_like(input, dtype=dtype, requires_grad=requires_grad, name=name)


def full_like(
    input: Any, fill_value: float, *, dtype: Any = None, requires_grad: bool = False, name: str | None = None
) -> Tensor:
    """One number in input's shape and dtype."""
    shape, dtype = like(input, dtype)
    return full(shape, fill_value, dtype=dtype, requires_grad=requires_grad, name=name)


_ASSUMPTIONS = frozenset({"positive", "symmetric", "onehot", "simplex"})


def symbol(name: str, shape: Sequence[Any] | int | str = (), **assumptions: bool) -> Tensor:
    """A tensor without a value, for formulas.

    Args:
        name: how formulas call it. Any text: it is printed, never executed.
        shape: sizes, each an integer ≥ 0, a name such as "n", or a SymPy expression of such names.
        assumptions: ``positive=True`` and the like, for the closed forms to use.

    Returns:
        A tensor that every operation and ``sg.derive`` accept.

    >>> X, w = sg.symbol("X", ("n", "d")), sg.symbol("w", "d")
    >>> (X @ w).shape
    (n,)
    """
    if name is None:
        raise ArgumentError("symbol: got no name. Expected a non-empty string.")
    check_name(name)
    unknown = set(assumptions) - _ASSUMPTIONS
    if unknown:
        raise ArgumentError(f"symbol: unknown assumptions {sorted(unknown)}. Expected some of {sorted(_ASSUMPTIONS)}.")
    sizes = (shape,) if isinstance(shape, (int, str, sp.Expr)) else tuple(shape)
    leaf_ = Leaf(None, tuple(_symbolic_size(n) for n in sizes), TRACED, name)
    _check_assumptions(leaf_.shape, {k for k, v in assumptions.items() if v})
    leaf_.assumptions = frozenset(k for k, v in assumptions.items() if v)
    found: Tensor = handle(leaf_, None)
    return found


def _check_assumptions(s: Any, marks: set[str]) -> None:
    """Refuse marks that no array of this shape can bear."""
    if "symmetric" in marks and (len(s) != 2 or s[0] != s[1]):
        raise ShapeError(f"symbol: symmetric=True needs a square matrix. Got shape {list(s)}.")
    if marks & {"onehot", "simplex"} and not s:
        raise ShapeError(f"symbol: {sorted(marks)} speaks of rows. Got shape [], which has none.")


def _symbolic_size(n: Any) -> Any:
    if isinstance(n, str):
        check_name(n)
        return size_symbol(n)
    if isinstance(n, sp.Expr):
        return int(n) if n.is_Integer else n
    return size_of((n,))[0]
