"""Creation of tensors from data, with a fill value, and as symbols without a value."""

from __future__ import annotations

import math
import sys
from collections.abc import Sequence
from typing import Any

import numpy as np
import sympy as sp

from symgrad.core.device import placed
from symgrad.core.kernels import canonical
from symgrad.core.modes import complexes, get_default_dtype
from symgrad.core.node import TRACED, Leaf, size_symbol
from symgrad.core.promotion import COMPLEX128, is_complex, is_discrete, is_signed
from symgrad.core.promotion import complexes as complex_of
from symgrad.engine.record import apply, handle
from symgrad.engine.record import as_tensor as as_recorded
from symgrad.errors import ArgumentError, ArgumentTypeError, ShapeError, SharingError
from symgrad.ops.reductions.scan import Cumsum
from symgrad.ops.shape import Expand, Eye
from symgrad.ops.shapes.arrange import broadcast_to
from symgrad.ops.shapes.nested import holds_tensors
from symgrad.ops.value import check_dtype, check_range, is_foreign, to_value, unitless
from symgrad.support.arguments import check_all
from symgrad.support.notices import warn
from symgrad.tensors.structures import STRUCTURES, with_implied
from symgrad.tensors.tensor import Tensor, check_flag, check_name

__all__ = [
    "arange", "as_tensor", "asarray", "empty", "empty_like", "eye", "from_dlpack", "from_numpy", "full", "full_like",
    "linspace", "logspace", "ones", "ones_like", "symbol", "tensor", "tril_indices",
    "triu_indices", "zeros", "zeros_like",
]  # fmt: skip


@placed
def tensor(
    data: Any, *, dtype: Any = None, requires_grad: bool = False, name: str | None = None, device: Any = None
) -> Tensor:
    """Create a tensor from a copy of data. Gradients flow to tensors in the data.

    Args:
        data: a number, array or tensor, or a nested sequence of them.
        dtype: the dtype, by default that of ``data``, or the default dtype (float64) for Python floats.
        requires_grad: whether operations on the tensor are recorded, so that ``backward`` fills its ``.grad``.
        name: its name in formulas; by default symgrad chooses a letter.

    Returns:
        A leaf tensor, or the stack of the entries if the data require a gradient.

    Raises:
        DTypeError: if ``requires_grad`` is set for integers or booleans.
        ArgumentTypeError: if the data are strings or objects.
        ArgumentError: if a nested sequence is ragged.
        GraphError: if ``requires_grad`` is set for data that a transform such as ``sg.grad`` differentiates.

    >>> sg.tensor([1.0, 2.0], requires_grad=True)
    tensor([1., 2.], requires_grad=True)
    >>> sg.grad(lambda z: sg.tensor([z[0] ** 2, z[1]]).sum())(np.ones(2))
    array([2., 1.])
    """
    if isinstance(data, sp.Expr):
        return _of_size(data, dtype, requires_grad, name)
    if not isinstance(data, Tensor) and not holds_tensors(data):
        return leaf(to_value(data, dtype), requires_grad, name)
    if requires_grad or name is not None:
        return leaf(_numbers(data, dtype, requires_grad), requires_grad, name)
    if isinstance(data, Tensor):
        _check_imaginary(data, dtype)
    if isinstance(data, Tensor) and not _has_history(data):
        warn(_COPY)
    converted: Tensor = as_recorded(data).to(dtype, copy=isinstance(data, Tensor))
    return converted


_COPY = (
    "To copy construct from a tensor, it is recommended to use sourceTensor.detach().clone() or "
    "sourceTensor.detach().clone().requires_grad_(True), rather than symgrad.tensor(sourceTensor)."
)


def _has_history(t: Tensor) -> bool:
    return t.requires_grad or t._value is None


def _numbers(data: Any, dtype: Any, requires_grad: bool) -> Any:
    """The numbers of tensors, for a leaf; torch warns where they have a gradient, which stays behind."""
    recorded = as_recorded(data)
    recorded._check_kept(f"tensor(…, {'requires_grad=True' if requires_grad else 'name=…'})")
    if isinstance(data, Tensor):
        warn(_COPY)
    elif recorded.requires_grad:
        recorded._warn_scalar()
    _check_imaginary(recorded, dtype)
    return np.array(recorded.detach().to(dtype)._known("tensor()"))


def _check_imaginary(t: Any, dtype: Any) -> None:
    if dtype is not None and t._value is not None and is_complex(t.dtype):
        check_range(t._value, check_dtype(dtype))


def _of_size(e: Any, dtype: Any, requires_grad: bool, name: str | None) -> Tensor:
    """A size, or one of SymPy's numbers, as a tensor without axes."""
    if not e.free_symbols:
        return tensor(int(e) if e.is_Integer else float(e), dtype=dtype, requires_grad=requires_grad, name=name)
    _check_symbolic((), requires_grad, name)
    scalar: Tensor = as_recorded(e)
    return scalar if dtype is None else scalar.to(dtype)


def _check_symbolic(sizes: Sequence[Any], requires_grad: bool, name: str | None) -> None:
    """Refuse what only a tensor with a value can be."""
    if requires_grad or name is not None:
        raise ArgumentError(
            f"requires_grad and name: got sizes {list(sizes)}, some of them names, so the tensor has no value. Make a "
            "leaf with named sizes by sg.symbol(name, shape)."
        )


def leaf(value: Any, requires_grad: bool, name: str | None) -> Tensor:
    """Wrap a value that nobody else holds."""
    check_name(name)
    check_flag("tensor", requires_grad)
    t: Tensor = handle(None, canonical(value))
    if name is not None:
        t.name = name
    return t._set_leaf() if requires_grad else t


@placed
def asarray(
    data: Any, *, dtype: Any = None, requires_grad: bool = False, name: str | None = None, device: Any = None,
    copy: bool | None = None,
) -> Tensor:  # fmt: skip
    """Return data as a tensor. Tensors are returned unchanged, and other data are copied.

    With PyTorch's ``copy=True``, tensors are copied too.
    """
    if copy and isinstance(data, Tensor):
        data = data.clone()
    if isinstance(data, Tensor) and not requires_grad and name is None:
        return data.to(dtype)
    return tensor(data, dtype=dtype, requires_grad=requires_grad, name=name)


as_tensor = asarray


def from_numpy(array: np.ndarray[Any, Any]) -> Tensor:
    """Copy a NumPy array into a tensor of the same dtype."""
    if not isinstance(array, np.ndarray):
        raise ArgumentTypeError(f"expected np.ndarray (got {type(array).__name__}). Use sg.tensor for other data.")
    return tensor(array)


def from_dlpack(external: Any) -> Tensor:
    """Copy an array of another library that supports ``__dlpack__`` into a tensor of the same dtype.

    Raises:
        ArgumentTypeError: if external has no ``__dlpack__``.

    >>> sg.from_dlpack(np.array([1.0, 2.0]))
    tensor([1., 2.])
    """
    if not hasattr(external, "__dlpack__"):
        raise ArgumentTypeError(
            f"from_dlpack: got {type(external).__name__}. Expected an object with __dlpack__. Else use sg.tensor."
        )
    try:
        return from_numpy(np.from_dlpack(external))
    except BufferError as error:
        raise SharingError(f"from_dlpack: {error} Got {type(external).__name__}; copy it with sg.tensor.") from error


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


DTYPES = frozenset(
    {"float16", "float32", "float64", "complex64", "complex128", "int8", "int16", "int32", "int64", "bool"}
)


def sizes_of(size: tuple[Any, ...], named: Any = None) -> tuple[Any, ...]:
    """As ``size_of``; sizes may also be names, such as "n", or SymPy expressions of them, such as n - 1."""
    size = size if named is None else (named,)
    flat = tuple(size[0]) if len(size) == 1 and isinstance(size[0], (tuple, list)) else size
    if not any(isinstance(n, (str, sp.Expr)) for n in flat):
        return size_of(flat)
    nested = next((n for n in flat if isinstance(n, (tuple, list))), None)
    if nested is not None or any(isinstance(n, str) and n in DTYPES for n in flat):
        raise ArgumentTypeError(
            f"size: got {list(flat)!r}. Expected the sizes alone; a dtype is passed by keyword, as in dtype=sg.float32."
        )
    digits = next((n for n in flat if isinstance(n, str) and not n.isidentifier()), None)
    if digits is not None:
        raise ArgumentTypeError(f"size: got {digits!r}. Expected integers, or names of sizes such as 'n'.")
    return tuple(_symbolic_size(n) for n in flat)


def filled(
    sizes: tuple[Any, ...], value: Any, dtype: Any, requires_grad: bool = False, name: str | None = None
) -> Tensor:
    """Return a tensor of these sizes filled with one number or size, in this dtype."""
    if not isinstance(value, sp.Expr):
        if all(isinstance(n, int) for n in sizes):
            return made(np.full(sizes, value), dtype, requires_grad, name)
        wanted = _default_for(value) if dtype is None else check_dtype(dtype)
        check_range(value, wanted)
        value = handle(None, canonical(np.asarray(value, wanted)))
    _check_symbolic(sizes, requires_grad, name)
    expanded: Tensor = Expand(sizes)(as_recorded(value))
    return expanded if dtype is None or expanded.dtype == check_dtype(dtype) else expanded.to(dtype)


def _default_for(value: Any) -> np.dtype[Any]:
    default = get_default_dtype()
    return complex_of(default) if is_complex(np.asarray(value).dtype) else default


def made(value: Any, dtype: Any, requires_grad: bool, name: str | None) -> Tensor:
    """Wrap an array that nobody else holds, in this dtype or the default one, of complex numbers the complex one."""
    wanted = _default_for(value) if dtype is None else check_dtype(dtype)
    check_range(value, wanted)
    return leaf(np.asarray(value).astype(wanted, copy=False), requires_grad, name)


@placed
def zeros(
    *sizes: Any,
    size: Any = None,
    dtype: Any = None,
    requires_grad: bool = False,
    name: str | None = None,
    device: Any = None,
) -> Tensor:
    """Return a tensor of zeros with the given sizes, which may be names.

    >>> sg.zeros("n", 2).shape
    (n, 2)
    """
    return filled(sizes_of(sizes, size), 0.0, dtype, requires_grad, name)


@placed
def ones(
    *sizes: Any,
    size: Any = None,
    dtype: Any = None,
    requires_grad: bool = False,
    name: str | None = None,
    device: Any = None,
) -> Tensor:
    """Return a tensor of ones with the given sizes. If a size is a name, the tensor is a symbol.

    >>> sg.ones(2, 3)
    tensor([[1., 1., 1.],
            [1., 1., 1.]])
    """
    return filled(sizes_of(sizes, size), 1.0, dtype, requires_grad, name)


@placed
def full(
    size: Any,
    fill_value: Any,
    *,
    dtype: Any = None,
    requires_grad: bool = False,
    name: str | None = None,
    device: Any = None,
) -> Tensor:
    """Return a tensor with the given sizes, filled with one number or size, through which gradients flow."""
    sizes = sizes_of((size,))
    if isinstance(fill_value, Tensor) and _has_history(fill_value) and not (requires_grad or name):
        spread: Tensor = broadcast_to(fill_value if dtype is None else fill_value.to(dtype), sizes)
        return spread
    if isinstance(fill_value, Tensor):
        fill_value = _numbers([fill_value], None, requires_grad)[0]
    if is_foreign(fill_value):
        fill_value = unitless(fill_value)
    if dtype is None and not isinstance(fill_value, sp.Expr) and is_discrete(np.asarray(fill_value).dtype):
        dtype = np.asarray(fill_value).dtype
    return filled(sizes, fill_value, dtype, requires_grad, name)


@placed
def empty(
    *sizes: Any,
    size: Any = None,
    dtype: Any = None,
    requires_grad: bool = False,
    name: str | None = None,
    device: Any = None,
) -> Tensor:
    """Return a tensor of the given size, whose entries are 0, so that undefined values are never read."""
    return zeros(*sizes, size=size, dtype=dtype, requires_grad=requires_grad, name=name)


@placed
def eye(
    n: Any,
    m: Any = None,
    *,
    dtype: Any = None,
    requires_grad: bool = False,
    name: str | None = None,
    device: Any = None,
) -> Tensor:
    """Return the n by m matrix with ones on the diagonal, by default square. Sizes may be names."""
    rows, columns = sizes_of((n, n if m is None else m))
    if isinstance(rows, int) and isinstance(columns, int):
        return made(np.eye(rows, columns), dtype, requires_grad, name)
    _check_symbolic((rows, columns), requires_grad, name)
    matrix: Tensor = apply(Eye(rows, columns, get_default_dtype() if dtype is None else check_dtype(dtype)), ())
    return matrix


@placed
def arange(
    start: float | str | None = None, end: float | str | None = None, step: float | str = 1, *, dtype: Any = None,
    requires_grad: bool = False, name: str | None = None, device: Any = None,
) -> Tensor:  # fmt: skip
    """Return start, start + step, … below end; integers if all arguments are. A single argument is the end.

    >>> sg.arange(1, 4)
    tensor([1, 2, 3])
    """
    low: Any = 0 if start is None or end is None else start
    high: Any = start if end is None else end
    by: Any = step
    if high is None:
        raise ArgumentTypeError('arange() missing 1 required positional arguments: "end". Pass where to stop.')
    if any(isinstance(v, (str, sp.Expr)) for v in (low, high, by)):
        _check_symbolic((low, high), requires_grad, name)
        return _range(_number(low), _number(high), _number(by), dtype)
    if not (math.isfinite(low) and math.isfinite(high)):
        raise ArgumentError(f"arange: unsupported range: {low} -> {high}. Pass finite numbers.")
    if by == 0 or (high - low) / by < 0:
        raise ArgumentError(
            f"arange: upper bound and lower bound inconsistent with step sign. Got start={low}, end={high}, step={by}."
        )
    value = np.arange(low, high, by)
    return made(value, value.dtype if dtype is None and is_signed(value.dtype) else dtype, requires_grad, name)


def _number(v: Any) -> Any:
    """A size by its name; numbers and expressions of sizes as they are."""
    if isinstance(v, str) and not any(c.isalpha() for c in v):
        raise ArgumentTypeError(f"arange: got {v!r}. Expected numbers, or names of sizes such as 'n'.")
    return _symbolic_size(v) if isinstance(v, str) else v


def _range(start: Any, end: Any, step: Any, dtype: Any) -> Tensor:
    """start, start + step, …, where the count is an expression of sizes: a running sum of ones."""
    whole = all(v.is_integer if isinstance(v, sp.Expr) else isinstance(v, (int, np.integer)) for v in (start, step))
    given = (np.dtype(np.int64) if whole else None) if dtype is None else check_dtype(dtype)
    count = sp.ceiling((sp.sympify(end) - start) / step)
    places: Any = Cumsum(0)(filled((_symbolic_size(count),), 1, np.dtype(np.int64) if whole else None)) - 1
    values: Tensor = places if step == 1 else places * step
    values = values if start == 0 else values + start
    return values if given is None or values.dtype == given else values.to(given)


@placed
def linspace(
    start: float,
    end: float,
    steps: Any,
    *,
    dtype: Any = None,
    requires_grad: bool = False,
    name: str | None = None,
    device: Any = None,
) -> Tensor:
    """Return ``steps`` evenly spaced numbers from start to end, both included. Gradients flow to the ends."""
    (count,) = sizes_of((steps,))
    if isinstance(count, sp.Expr):
        _check_symbolic((count,), requires_grad, name)
        places = _range(0, count, 1, get_default_dtype() if dtype is None else dtype)
        points: Tensor = places * ((end - start) / sp.Max(count - 1, 1)) + start
        return points
    if any(isinstance(x, Tensor) and _has_history(x) for x in (start, end)) and not (requires_grad or name):
        share = leaf(np.linspace(0.0, 1.0, count), False, None)
        return (start * (1 - share) + end * share).to(dtype)
    start, end = (x.item() if isinstance(x, Tensor) else x for x in (start, end))
    return made(np.linspace(start, end, count), dtype, requires_grad, name)


@placed
def logspace(
    start: float,
    end: float,
    steps: Any,
    base: float = 10.0,
    *,
    dtype: Any = None,
    requires_grad: bool = False,
    name: str | None = None,
    device: Any = None,
) -> Tensor:
    """Return ``steps`` numbers from baseˢᵗᵃʳᵗ to baseᵉⁿᵈ with evenly spaced logarithms. Gradients flow to the ends.

    >>> sg.logspace(0, 2, 3)
    tensor([  1.,  10., 100.])
    """
    exponents = linspace(start, end, steps)
    powers: Tensor = base**exponents
    if powers._value is None or powers.requires_grad:
        return powers if dtype is None else powers.to(dtype)
    return made(powers._value, dtype, requires_grad, name)


@placed
def tril_indices(row: int, col: int, offset: int = 0, *, dtype: Any = np.int64, device: Any = None) -> Tensor:
    """Return the indices (2, k) of the entries of a matrix (row, col) on and below the diagonal ``offset``, row by row.

    >>> sg.tril_indices(2, 2)
    tensor([[0, 1, 1],
            [0, 0, 1]])
    """
    return tensor(np.array(np.tril_indices(*_matrix_sizes(row, col, offset))), dtype=dtype)


@placed
def triu_indices(row: int, col: int, offset: int = 0, *, dtype: Any = np.int64, device: Any = None) -> Tensor:
    """Return the indices (2, k) of the entries of a matrix (row, col) on and above the diagonal ``offset``, row by row.

    >>> sg.triu_indices(2, 2)
    tensor([[0, 0, 1],
            [0, 1, 1]])
    """
    return tensor(np.array(np.triu_indices(*_matrix_sizes(row, col, offset))), dtype=dtype)


def _matrix_sizes(row: int, col: int, offset: int) -> tuple[int, int, int]:
    """Return what NumPy takes: rows, diagonal, columns."""
    rows, columns = size_of((row, col))
    return rows, offset, columns


def like(x: Any, dtype: Any) -> tuple[tuple[int, ...], Any]:
    """Return the shape of x, and the dtype given or that of x."""
    source = x if isinstance(x, Tensor) else asarray(x)
    return source.shape, source.dtype if dtype is None else dtype


@placed
def zeros_like(
    input: Any, *, dtype: Any = None, requires_grad: bool = False, name: str | None = None, device: Any = None
) -> Tensor:
    """Return zeros with the shape and the dtype of input."""
    shape, dtype = like(input, dtype)
    return zeros(shape, dtype=dtype, requires_grad=requires_grad, name=name)


@placed
def ones_like(
    input: Any, *, dtype: Any = None, requires_grad: bool = False, name: str | None = None, device: Any = None
) -> Tensor:
    """Return ones with the shape and the dtype of input."""
    shape, dtype = like(input, dtype)
    return ones(shape, dtype=dtype, requires_grad=requires_grad, name=name)


@placed
def empty_like(
    input: Any, *, dtype: Any = None, requires_grad: bool = False, name: str | None = None, device: Any = None
) -> Tensor:
    """Return zeros with the shape and the dtype of input, so that undefined values are never read."""
    return zeros_like(input, dtype=dtype, requires_grad=requires_grad, name=name)


@placed
def full_like(
    input: Any,
    fill_value: float,
    *,
    dtype: Any = None,
    requires_grad: bool = False,
    name: str | None = None,
    device: Any = None,
) -> Tensor:
    """Return a tensor filled with one number, with the shape and the dtype of input."""
    shape, dtype = like(input, dtype)
    return full(shape, fill_value, dtype=dtype, requires_grad=requires_grad, name=name)


_ASSUMPTIONS = frozenset({"positive", "hermitian", "onehot", "simplex", *STRUCTURES})
_DENSE = frozenset({"symmetric", "positive_definite"})  # structures of matrices whose entries can all be positive


def symbol(name: str, shape: Sequence[Any] | int | str = (), *, dtype: Any = None, **assumptions: bool) -> Tensor:
    """Return a tensor without a value, for formulas.

    Args:
        name: its name in formulas. Any text is allowed, because it is only printed and never executed.
        shape: the sizes, each an integer ≥ 0, a name such as "n", or a SymPy expression of such names.
        dtype: the dtype, by default the default dtype; a complex dtype creates a complex symbol.
        assumptions: ``positive=True``, ``onehot=True`` or ``simplex=True``; for a square matrix ``symmetric=True``,
            ``positive_definite``, ``diagonal``, ``lower``, ``upper``, ``orthogonal`` or ``skew``; and
            ``hermitian=True`` for a complex matrix. Closed forms use these assumptions.

    Returns:
        A tensor that all operations and ``sg.derive`` accept.

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
    marks = {k for k, v in assumptions.items() if v}
    _check_assumptions(leaf_.shape, marks)
    leaf_.assumptions = with_implied(marks)
    if dtype is not None or "hermitian" in leaf_.assumptions:
        leaf_.dtype = check_dtype(COMPLEX128 if dtype is None else dtype)
        complexes.met = complexes.met or is_complex(leaf_.dtype)
    return handle(leaf_, None)  # type: ignore[no-any-return]


def _check_assumptions(s: Any, marks: set[str]) -> None:
    """Refuse marks that no array of this shape can bear."""
    square = marks & {"hermitian", *STRUCTURES}
    if square and (len(s) != 2 or s[0] != s[1]):
        raise ShapeError(f"symbol: {min(square)}=True needs a square matrix. Got shape {list(s)}.")
    _check_together(marks)
    if marks & {"onehot", "simplex"} and not s:
        raise ShapeError(f"symbol: {sorted(marks)} refers to rows. Got shape [], which has no rows.")


def _check_together(marks: set[str]) -> None:
    """Refuse structures of which none implies the others, and those beside which an entry cannot be as assumed."""
    structures = marks & set(STRUCTURES)
    implied = frozenset[str]().union(*[STRUCTURES[name].implies for name in structures])
    others = marks & {"positive", "hermitian", "onehot", "simplex"} if structures - _DENSE else set()
    together = sorted((structures - implied) | others)
    if len(together) > 1:
        raise ArgumentError(f"symbol: got {' and '.join(together)} together. Expected one of them.")


def _symbolic_size(n: Any) -> Any:
    if isinstance(n, str):
        check_name(n)
        return size_symbol(n)
    if isinstance(n, sp.Expr):
        return int(n) if n.is_Integer else n
    return size_of((n,))[0]


check_all(globals(), __all__)
