"""Reading and writing entries: x[…], x with x[…] = v, and what masks select."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np

from symgrad.core.node import Shape
from symgrad.core.promotion import is_bool, is_floating
from symgrad.errors import DTypeError, ShapeError
from symgrad.ops.elementwise.declared import where
from symgrad.ops.indexing.lookup import lookup
from symgrad.ops.keys import ALL, Item, Span, constant, is_unknown, known, parse, plain
from symgrad.ops.map import broadcast_shapes
from symgrad.ops.protocol import Traced, rename, shape
from symgrad.ops.scatter import Scatter
from symgrad.ops.shape import Expand, Reshape, axis_of
from symgrad.ops.slicing import Gather, Slice
from symgrad.ops.value import check_range

# ------------------------------------------------------------------ what users call
_STEMS = {int: "Select", type(None): "Unsqueeze", Span: "Slice"}


def part(items: tuple[Item, ...], name: str = "") -> Slice:
    """Return the operation for basic items, named like the last one that does something, as in torch."""
    done = [i for i in items if i != ALL]
    return Slice(items, name or (_STEMS.get(type(done[-1]), "Select") if done else "Alias"))


@lru_cache(maxsize=4096)
def _basic(key: tuple[Any, ...], sizes: Shape) -> Slice:
    return part(parse(key, sizes)[0]).shared()


def reading(x: Any, key: Any) -> Slice | None:
    """Return the operation that reads x at a key, where that is one."""
    items, places = parse(key, shape(x))
    return None if places else part(items)


def getitem(x: Any, key: Any) -> Any:
    """Return the entries of x at the key: integers, slices, None, Ellipsis, integer and boolean arrays, as in PyTorch.

    Args:
        x: tensor of any shape.
        key: the index, as between brackets. Steps of slices may be negative.

    Returns:
        The entries. Without arrays and masks in the key they are a view: changing it changes x.

    Raises:
        IndexRangeError: if a position is out of range, or if there are too many indices or invalid ones.
        ValueNeeded: if an index is a symbol without a value.

    >>> sg.tensor([1.0, 2.0, 3.0])[[2, 0]]
    tensor([3., 1.])
    """
    simple = plain(key)
    if simple is not None:
        return x._apply(_basic(simple, shape(x)), (x,)) if isinstance(x, Traced) else _basic(simple, shape(x))(x)
    items, places = parse(key, shape(x))
    if not places:
        return part(items)(x)
    if any(i != ALL for i in items):
        x = part(items)(x)
    return lookup(x, places) if any(is_unknown(k) for _, k in places) else Gather(places)(x)


def setitem(x: Any, key: Any, value: Any) -> Any:
    """Return x with ``value`` at the key, like x after the statement ``x[key] = value``.

    Args:
        x: tensor of any shape.
        key: the index, as in ``getitem``.
        value: number or tensor that broadcasts to ``x[key]``.

    Returns:
        A new tensor, shaped like x.

    Raises:
        IndexRangeError: as in ``getitem``.
        ShapeError: if the value does not broadcast to the entries written to.

    >>> sg.ops.indexing.select.setitem(sg.zeros(3), slice(1, 3), 5.0)
    tensor([0., 5., 5.])
    """
    items, places = parse(key, shape(x))
    if not places:
        return Scatter(part(items))(x, _without_ones(value, part(items).out_shape(shape(x))))
    take = Gather(known(places))
    if all(i == ALL for i in items):
        return Scatter(take)(x, _without_ones(value, take.out_shape(shape(x))))
    basic = part(items)
    inner = basic(x)
    return Scatter(basic)(x, Scatter(take)(inner, _without_ones(value, take.out_shape(shape(inner)))))


def _without_ones(value: Any, region: Shape) -> Any:
    """Drop leading axes of length one that the region lacks."""
    sizes = shape(value)
    extra = len(sizes) - len(region)
    if extra > 0 and all(n == 1 for n in sizes[:extra]):
        return Reshape(sizes[extra:])(value)
    return value


def select(x: Any, dim: int, index: int) -> Any:
    """Return the slice of x at ``index`` along ``dim``: x[:, …, index].

    Args:
        x: tensor with at least one axis.
        dim: the axis to drop.
        index: the position along the axis; negative ones count from the end.

    Returns:
        x without the axis.

    Raises:
        IndexRangeError: if dim or index is out of range.

    >>> sg.select(sg.tensor([[1.0, 2.0], [3.0, 4.0]]), 1, 0)
    tensor([1., 3.])
    """
    a = axis_of(dim, len(shape(x)))
    return getitem(x, (*[slice(None)] * a, index))


def narrow(x: Any, dim: int, start: Any, length: Any) -> Any:
    """Return the entries start, …, start + length - 1 of x along ``dim``.

    Args:
        x: tensor with at least one axis.
        dim: the axis.
        start, length: the first position, where negative ones count from the end, and the number of entries.

    Returns:
        x with size ``length`` along dim.

    Raises:
        ShapeError: if the range does not lie inside the axis.

    >>> sg.narrow(sg.tensor([1.0, 2.0, 3.0]), 0, 1, 2)
    tensor([2., 3.])
    """
    a = axis_of(dim, len(shape(x)))
    if not shape(x):
        raise ShapeError("narrow() cannot be applied to a 0-dim tensor. Reshape it to (1,) first.")
    n = shape(x)[a]
    length = length.__index__() if isinstance(length, Traced) else length  # type: ignore[attr-defined]
    if is_unknown(start) and isinstance(length, int):
        return getitem(x, (*[slice(None)] * a, where(start < 0, start + n, start) + np.arange(length)))
    start = start.__index__() if isinstance(start, Traced) else start  # type: ignore[attr-defined]
    first = n + start if isinstance(start, int) and start < 0 else start
    known = all(isinstance(k, int) for k in (n, first, length))
    if known and (first + length > n or length < 0 or first < 0):
        raise ShapeError(f"start ({start}) + length ({length}) exceeds dimension size ({n}). Shorten the range.")
    return along(x, a, first, first + length)


def narrow_copy(x: Any, dim: int, start: Any, length: Any) -> Any:
    """Return a copy of a part of x along ``dim``; see ``narrow``.

    >>> sg.tensor([1.0, 2.0, 3.0]).narrow_copy(0, 1, 2)
    tensor([2., 3.])
    """
    return rename(narrow(x, dim, start, length), "NarrowCopy")


def along(x: Any, axis: int, start: Any, stop: Any, name: str = "Slice") -> Any:
    """Entries start … stop - 1 along an axis in 0..ndim-1."""
    rest = len(shape(x)) - axis - 1
    return part((*[ALL] * axis, Span(start, stop, None), *[ALL] * rest), name)(x)


def masked_select(x: Any, mask: Any) -> Any:
    """Return the entries of x where the mask is true, in row-major order; x and mask are broadcast.

    Args:
        x: tensor of any shape.
        mask: boolean tensor.

    Returns:
        A tensor (k,), where k is the number of true entries.

    >>> sg.masked_select(sg.tensor([1.0, 2.0, 3.0]), sg.tensor([True, False, True]))
    tensor([1., 3.])
    """
    chosen = constant(mask)
    if chosen.dtype != bool:
        raise DTypeError(
            f"masked_select: expected BoolTensor for mask. Got dtype {chosen.dtype}; pass a comparison such as x > 0."
        )
    sizes = broadcast_shapes(chosen.shape, shape(x))
    wide = x if shape(x) == sizes else Expand(sizes)(x)
    return rename(getitem(wide, (np.broadcast_to(chosen, sizes),)), "MaskedSelect")


def check_mask(who: str, dtype: Any) -> None:
    """Raise if a mask's dtype, where it has one, is not that of truth values."""
    if dtype is not None and not is_bool(dtype):
        raise DTypeError(
            f"{who} only supports boolean masks, but got mask with dtype {dtype}. Compare it, as in mask > 0."
        )


def masked_fill(x: Any, mask: Any, value: Any) -> Any:
    """Return x with ``value`` where the mask is true.

    Args:
        x: tensor of any shape.
        mask: boolean tensor that broadcasts to x.
        value: number, or tensor without axes.

    Returns:
        A tensor shaped like x.

    Raises:
        DTypeError: if the mask is not boolean.
        ShapeError: if the mask does not broadcast, or the value has axes.

    >>> sg.masked_fill(sg.tensor([1.0, 2.0]), sg.tensor([True, False]), 0.0)
    tensor([0., 2.])
    """
    check_mask("masked_fill_", getattr(mask, "dtype", None))
    if len(shape(value)):
        raise ShapeError(
            "masked_fill_ only supports a 0-dimensional value tensor, but got tensor with "
            f"{len(shape(value))} dimension(s). Use where(mask, value, x)."
        )
    dtype = getattr(x, "dtype", None)
    if dtype is not None and not is_floating(dtype) and isinstance(value, (int, float)):
        check_range(value, dtype)
        value = np.asarray(value).astype(dtype)  # which is that of the result
    return rename(where(mask, value, x), "MaskedFill")
