"""Properties of tensors: dtypes, equality, positions, distinct entries; and tensors that are shaped like another.

Functions that depend on entries need a value. Selected entries, and weights, keep their gradient.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import sympy as sp

from symgrad.core.device import placed
from symgrad.core.kernels import canonical
from symgrad.core.promotion import is_complex as is_complex_dtype
from symgrad.core.promotion import is_floating, is_integer, is_signed
from symgrad.engine.record import TensorBase, as_tensor, handle
from symgrad.errors import ArgumentError, ArgumentTypeError, DTypeError, IndexRangeError, ShapeError
from symgrad.ops.contract import sum_axes
from symgrad.ops.convert import Cast
from symgrad.ops.elementwise import finite
from symgrad.ops.indexing.gather import index_add, index_select
from symgrad.ops.indexing.select import getitem
from symgrad.ops.map import show_shape
from symgrad.ops.protocol import shape
from symgrad.ops.shape import Expand, Reshape, total
from symgrad.ops.shapes.arrange import broadcast_to, ravel
from symgrad.ops.shapes.sizes import listed
from symgrad.ops.value import check_dtype, check_range, torch_dtype
from symgrad.support.arguments import check_all
from symgrad.tensors.conversions import dtype_of

__all__ = [
    "allclose", "argwhere", "bincount", "broadcast_shapes", "can_cast", "equal", "is_complex", "is_floating_point",
    "is_nonzero",
    "is_tensor", "nonzero", "numel", "promote_types", "result_type", "unique", "unique_consecutive",
    "unravel_index",
]  # fmt: skip


def is_tensor(obj: Any) -> bool:
    """Return whether obj is a tensor.

    >>> sg.is_tensor(sg.tensor(1.0)), sg.is_tensor(1.0)
    (True, False)
    """
    return isinstance(obj, TensorBase)


def is_floating_point(input: Any) -> bool:
    """Return whether x holds floating-point numbers, which can require a gradient.

    >>> sg.is_floating_point(sg.tensor([1, 2]))
    False
    """
    return is_floating(dtype_of(as_tensor(input)))


def is_complex(input: Any) -> bool:
    """Return whether x holds complex numbers.

    >>> sg.is_complex(sg.tensor(1j))
    True
    """
    return is_complex_dtype(dtype_of(as_tensor(input)))


def numel(input: Any) -> Any:
    """Return the number of entries.

    >>> sg.numel(sg.ones(2, 3))
    6
    """
    return total(shape(as_tensor(input)))


def is_nonzero(input: Any) -> bool:
    """Return whether the only entry of x is not 0.

    Raises:
        GraphError: if x does not have exactly one entry.

    >>> sg.is_nonzero(sg.tensor([0.0]))
    False
    """
    return bool(as_tensor(input))


def promote_types(type1: Any, type2: Any) -> np.dtype[Any]:
    """Return the common dtype of two dtypes, by NumPy's rules.

    >>> sg.promote_types(sg.int64, sg.float32)
    dtype('float64')
    """
    return np.promote_types(check_dtype(type1), check_dtype(type2))


def result_type(tensor1: Any, tensor2: Any) -> np.dtype[Any]:
    """Return the dtype of tensor1 + tensor2; numbers take the tensor's.

    Args:
        tensor1, tensor2: tensors or numbers.

    >>> sg.result_type(sg.tensor([1.0], dtype=sg.float32), 2.0)
    dtype('float32')
    """
    return dtype_of(as_tensor(as_tensor(tensor1) + tensor2))


def can_cast(from_: Any, to: Any) -> bool:
    """Return whether a dtype may be converted to another: not complex to real, float to integer, or number to bool.

    >>> sg.can_cast(sg.float64, sg.float32), sg.can_cast(sg.float64, sg.int64)
    (True, False)
    """
    return bool(np.can_cast(check_dtype(from_), check_dtype(to), "same_kind"))


def broadcast_shapes(*shapes: Any) -> tuple[int, ...]:
    """Return the shape to which arrays of these shapes broadcast.

    Raises:
        ShapeError: if they do not broadcast.

    >>> sg.broadcast_shapes((2, 1), (3,))
    (2, 3)
    """
    try:
        return np.broadcast_shapes(*shapes)
    except TypeError as error:
        raise ArgumentTypeError(f"broadcast_shapes: {error}. Expected shapes, such as (2, 3) or x.shape.") from error
    except ValueError as error:
        raise ShapeError(
            f"broadcast_shapes: {' and '.join(str(list(listed(s))) for s in shapes)} do not broadcast. Expected sizes "
            "that are equal or 1 along each axis, counted from the last."
        ) from error


def unravel_index(indices: Any, shape: Any) -> tuple[Any, ...]:
    """Convert flat indices into a tensor of the given shape to a tuple with an index tensor for each axis.

    Raises:
        DTypeError: if the numbers are not integers.
        IndexRangeError: if an index is not below the number of entries.

    >>> sg.unravel_index(sg.tensor([1, 5]), (2, 3))
    (tensor([0, 1]), tensor([1, 2]))
    """
    numbers = np.asarray(as_tensor(indices)._known("unravel_index"))
    if not is_integer(numbers.dtype):
        raise DTypeError(f"unravel_index: got {numbers.dtype}. Expected integers; use x.to(sg.int64).")
    sizes = listed(shape)
    try:
        places = np.unravel_index(numbers, tuple(sizes))
    except ValueError as error:
        raise IndexRangeError(
            f"unravel_index: got a number beyond the {total(tuple(sizes))} entries of shape {list(sizes)}. Expected "
            f"0 to {total(tuple(sizes)) - 1}."
        ) from error
    return tuple([as_tensor(np.asarray(k, np.int64)) for k in places])


def equal(input: Any, other: Any) -> bool:
    """Return whether x and other have the same shape and the same entries.

    >>> sg.equal(sg.tensor([1.0, 2.0]), sg.tensor([1.0, 2.0]))
    True
    """
    x, z = as_tensor(input), as_tensor(other)
    return shape(x) == shape(z) and bool(np.all(x._known("equal") == z._known("equal")))


def allclose(input: Any, other: Any, rtol: float = 1e-5, atol: float = 1e-8, equal_nan: bool = False) -> bool:
    """Return whether |x - other| ≤ atol + rtol |other| everywhere.

    Args:
        input, other: tensors, broadcast against each other.
        rtol, atol, equal_nan: as in ``isclose``.

    Raises:
        ArgumentError: if rtol or atol is negative.

    >>> sg.allclose(sg.tensor([1.0, 2.0]), sg.tensor([1.0, 2.0 + 1e-7]))
    True
    """
    close = finite.isclose(as_tensor(input), as_tensor(other), rtol, atol, equal_nan)
    return bool(np.all(close._known("allclose")))


# ------------------------------------------------------------------ places and distinct entries
def nonzero(input: Any, *, as_tuple: bool = False) -> Any:
    """Return the positions of the entries that are not 0.

    Args:
        input: x, any shape.
        as_tuple: whether to return a tuple with one index vector per axis.

    Returns:
        An integer tensor (k, number of axes), with one position per row; or the tuple of its columns.

    >>> sg.nonzero(sg.tensor([[1.0, 0.0], [0.0, 2.0]]))
    tensor([[0, 0],
            [1, 1]])
    """
    value = np.asarray(as_tensor(input)._known("nonzero"))
    if as_tuple:
        return tuple(as_tensor(k) for k in np.atleast_1d(value).nonzero())
    return as_tensor(np.argwhere(value))


def argwhere(input: Any) -> Any:
    """Return the positions of the entries that are not 0, one per row.

    >>> sg.argwhere(sg.tensor([0.0, 3.0]))
    tensor([[1]])
    """
    return nonzero(input)


def bincount(input: Any, weights: Any = None, minlength: int = 0) -> Any:
    """Count the occurrences of 0, 1, … in x, or sum the weights of their occurrences.

    Args:
        input, weights: a vector of integers ≥ 0; and a vector of the same length.
        minlength: the minimum length of the result.

    Raises:
        ShapeError: if x is not a vector.
        DTypeError: if it does not hold integers.
        ArgumentError: if an entry is negative.

    >>> sg.bincount(sg.tensor([0, 2, 2]))
    tensor([1, 0, 2])
    """
    value = np.asarray(as_tensor(input)._known("bincount"))
    if not is_integer(value.dtype):
        raise DTypeError(f"bincount: expected integers. Got {torch_dtype(value)}; convert with .to(sg.int64).")
    if value.ndim != 1 or (value.size and value.min() < 0):
        wrong = ShapeError if value.ndim != 1 else ArgumentError
        raise wrong(f"bincount only supports 1-d non-negative integral inputs. Got shape {show_shape(value.shape)}.")
    value = value.astype(np.int64)
    if weights is None:
        return as_tensor(np.bincount(value, None, minlength))
    shares = as_tensor(weights).to(np.float64)
    if shape(shares) != value.shape:
        raise ShapeError(
            f"bincount: weights should be 1-d and have the same length as input. Got shape "
            f"{show_shape(shape(shares))}; expected {show_shape(value.shape)}."
        )
    size = max(int(value.max(initial=-1)) + 1, minlength)
    return index_add(as_tensor(np.zeros(size)), 0, value, shares)


def unique(
    input: Any, sorted: bool = True, return_inverse: bool = False, return_counts: bool = False, dim: int | None = None
) -> Any:
    """Return the distinct entries of x in order, or the distinct slices along one axis.

    The gradient of each entry flows to its first occurrence.

    Args:
        input: x, any shape.
        sorted: accepted; the entries are always in order.
        return_inverse: whether to return the index of each entry of x among the distinct ones.
        return_counts: whether to return the number of occurrences of each.
        dim: the axis of the slices; None for entries.

    Returns:
        A tensor, or a tuple of it and the other requested results.

    >>> sg.unique(sg.tensor([3.0, 1.0, 3.0]), return_counts=True)
    (tensor([1., 3.]), tensor([1, 2]))
    """
    x = as_tensor(input)
    value = np.asarray(x._known("unique"))
    _, first, inverse, counts = np.unique(value, True, True, True, axis=dim, equal_nan=False)
    inverse = inverse.reshape(value.shape if dim is None else -1)
    return _asked(_slices(x, first, dim), (inverse, return_inverse), (counts, return_counts))


def _slices(x: Any, at: Any, dim: int | None) -> Any:
    """The entries of x at these places among all, or the slices along an axis."""
    return getitem(ravel(x), (at,)) if dim is None else index_select(x, dim, at)


def unique_consecutive(
    input: Any, return_inverse: bool = False, return_counts: bool = False, dim: int | None = None
) -> Any:
    """Return the first entry of each run of equal entries, or the first slice along one axis.

    Args:
        input: x, any shape; flattened if dim is None.
        return_inverse, return_counts, dim: see ``unique``.

    Returns:
        A tensor, or a tuple of it and the other requested results.

    >>> sg.unique_consecutive(sg.tensor([1, 1, 2, 1]))
    tensor([1, 2, 1])
    """
    x = as_tensor(input)
    value = np.asarray(x._known("unique_consecutive"))
    rows = value.reshape(-1) if dim is None else np.moveaxis(value, dim, 0)
    flat = rows.reshape(len(rows), int(np.prod(rows.shape[1:])))
    starts = np.concatenate([np.ones(min(1, len(rows)), bool), (flat[1:] != flat[:-1]).any(1)])
    first = np.flatnonzero(starts)
    inverse = (np.cumsum(starts) - 1).reshape(value.shape if dim is None else -1)
    return _asked(
        _slices(x, first, dim), (inverse, return_inverse), (np.diff(np.append(first, len(rows))), return_counts)
    )


def _asked(value: Any, *more: tuple[Any, bool]) -> Any:
    tensors = tuple(as_tensor(v) for v in (value, *(v for v, wanted in more if wanted)))
    return tensors if len(tensors) > 1 else tensors[0]


# ------------------------------------------------------------------ methods
class Queries(TensorBase):
    """What a tensor answers about itself, and tensors made like it."""

    __slots__ = ()

    is_floating_point, is_complex, is_nonzero = is_floating_point, is_complex, is_nonzero
    equal, allclose, nonzero, argwhere = equal, allclose, nonzero, argwhere
    bincount, unique, unique_consecutive = bincount, unique, unique_consecutive

    def nelement(self) -> Any:
        """Return the number of entries."""
        return total(shape(self))

    def ndimension(self) -> int:
        """Return the number of axes."""
        return len(shape(self))

    def is_signed(self) -> bool:
        """Return whether the dtype has negative numbers."""
        dtype = dtype_of(self)
        return is_floating(dtype) or is_signed(dtype)

    def is_contiguous(self, memory_format: Any = None) -> bool:
        """Return True: the order of the entries in memory makes no difference."""
        return True

    def is_same_size(self, other: Any) -> bool:
        """Return whether other has the same shape."""
        return shape(self) == shape(as_tensor(other))

    def element_size(self) -> int:
        """Return the number of bytes of an entry."""
        return dtype_of(self).itemsize

    itemsize = property(element_size, doc="The number of bytes of an entry.")

    @property
    def nbytes(self) -> Any:
        """The number of bytes of all entries."""
        return total(shape(self)) * dtype_of(self).itemsize

    def type_as(self, other: Any) -> Any:
        """Convert to other's dtype."""
        me: Any = self
        return me.to(as_tensor(other).dtype)

    def sum_to_size(self, *size: Any) -> Any:
        """Undo ``expand``: sum over the axes that broadcasting from this size has added or repeated."""
        have, to = shape(self), listed(size, None)
        lead = len(have) - len(to)
        if lead < 0 or any(n not in (1, m) for n, m in zip(to, have[lead:])):
            raise ShapeError(
                f"size {{{show_shape(to)}}} is not expandable to size {{{show_shape(have)}}}. "
                "Expected sizes of the tensor, or 1."
            )
        axes = [k for k, m in enumerate(have) if k < lead or (to[k - lead] == 1 and m != 1)]
        summed = sum_axes(self, axes, True) if axes else self
        return Reshape(to)(summed) if shape(summed) != to else summed

    @placed
    def new_tensor(self, data: Any, *, dtype: Any = None, requires_grad: bool = False, device: Any = None) -> Any:
        """Create a tensor from data, by default with this tensor's dtype. Gradients flow to tensors in the data."""
        source = as_tensor(data)
        if not isinstance(data, TensorBase):
            check_range(source._value, dtype_of(self) if dtype is None else check_dtype(dtype))
        return self._made(source.to(dtype_of(self) if dtype is None else dtype, copy=True), requires_grad)

    @placed
    def new_full(
        self,
        size: Sequence[Any],
        fill_value: Any,
        *,
        dtype: Any = None,
        requires_grad: bool = False,
        device: Any = None,
    ) -> Any:
        """Return a tensor filled with one number, by default with this tensor's dtype. Gradients flow to a tensor."""
        size = (size,) if isinstance(size, (int, np.integer, sp.Expr)) else size
        if any(isinstance(v, sp.Expr) for v in (*size, fill_value)):
            return self._of_sizes((tuple(size),), fill_value, dtype, requires_grad)
        wanted = dtype_of(self) if dtype is None else check_dtype(dtype)
        if not isinstance(fill_value, TensorBase):
            check_range(fill_value, wanted)
        source = as_tensor(fill_value).to(wanted)
        return self._made(broadcast_to(source, tuple(size)), requires_grad)

    def _made(self, t: Any, requires_grad: bool) -> Any:
        """The tensor, or a leaf of its numbers where gradients are requested."""
        if not requires_grad:
            return t
        t._check_kept("new_tensor(…, requires_grad=True)")
        return t.detach()._set_leaf()

    @placed
    def new_zeros(self, *size: Any, dtype: Any = None, requires_grad: bool = False, device: Any = None) -> Any:
        """Return zeros, by default with this tensor's dtype."""
        return self._of_sizes(size, 0, dtype, requires_grad)

    @placed
    def new_ones(self, *size: Any, dtype: Any = None, requires_grad: bool = False, device: Any = None) -> Any:
        """Return ones, by default with this tensor's dtype."""
        return self._of_sizes(size, 1, dtype, requires_grad)

    @placed
    def new_empty(self, *size: Any, dtype: Any = None, requires_grad: bool = False, device: Any = None) -> Any:
        """Return zeros, by default with this tensor's dtype, so that undefined values are never read."""
        return self.new_zeros(*size, dtype=dtype, requires_grad=requires_grad)

    def _of_sizes(self, size: tuple[Any, ...], value: Any, dtype: Any, requires_grad: bool) -> Any:
        sizes = listed(size, None)
        if any(isinstance(n, int) and n < 0 for n in sizes):
            raise ShapeError(f"got sizes {list(sizes)}. Expected sizes of 0 or more.")
        if not isinstance(value, (sp.Expr, TensorBase)):
            check_range(value, dtype_of(self) if dtype is None else check_dtype(dtype))
        if not isinstance(value, (sp.Expr, TensorBase)) and all(isinstance(n, int) for n in sizes):
            return self._like(np.full(sizes, value), dtype, requires_grad)
        if requires_grad:
            raise ArgumentError(
                f"requires_grad: got sizes {list(sizes)} filled with {value}, a tensor without a value of its own. "
                "Make a leaf with named sizes by sg.symbol(name, shape)."
            )
        wanted = dtype_of(self) if dtype is None else check_dtype(dtype)
        expanded = Expand(sizes)(
            as_tensor(value if isinstance(value, (sp.Expr, TensorBase)) else np.asarray(value, wanted))
        )
        return expanded if dtype_of(expanded) == wanted else Cast(wanted)(expanded)

    def _like(self, value: Any, dtype: Any, requires_grad: bool) -> Any:
        tensor = handle(None, canonical(value.astype(dtype_of(self) if dtype is None else check_dtype(dtype))))
        return tensor._set_leaf() if requires_grad else tensor


check_all(globals(), __all__)
