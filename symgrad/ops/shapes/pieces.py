"""Putting tensors together and taking them apart by direction: dstack, hsplit, rot90, grids and choices.

All are made of cat, slices and shapes.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from symgrad.core.node import Shape
from symgrad.errors import ArgumentError, ShapeError
from symgrad.ops.indexing.select import along
from symgrad.ops.keys import integers
from symgrad.ops.map import show_shape
from symgrad.ops.protocol import shape
from symgrad.ops.shape import Reshape, axis_of
from symgrad.ops.shapes.join import cat, hstack, split
from symgrad.ops.shapes.padding import pad


# ------------------------------------------------------------------ at least so many axes
def atleast_1d(*tensors: Any) -> Any:
    """Each tensor with at least one axis: a number becomes (1,).

    Args:
        tensors: any number of tensors, or one list of them.

    Returns:
        A tensor for one tensor, else a tuple.

    >>> sg.atleast_1d(sg.tensor(2.0))
    tensor([2.])
    """
    return _each(tensors, lambda s: s or (1,))


def atleast_2d(*tensors: Any) -> Any:
    """Each tensor with at least two axes: a number becomes (1, 1), a vector a row (1, n).

    Args:
        tensors: any number of tensors, or one list of them.

    Returns:
        A tensor for one tensor, else a tuple.

    >>> sg.atleast_2d(sg.tensor([1.0, 2.0])).shape
    (1, 2)
    """
    return _each(tensors, _in_rows)


def atleast_3d(*tensors: Any) -> Any:
    """Each tensor with at least three axes: (1, 1, 1) of a number, (1, n, 1) of a vector, (n, m, 1) of a matrix.

    Args:
        tensors: any number of tensors, or one list of them.

    Returns:
        A tensor for one tensor, else a tuple.

    >>> sg.atleast_3d(sg.tensor([1.0, 2.0])).shape
    (1, 2, 1)
    """
    return _each(tensors, _in_depth)


def _in_rows(s: Shape) -> Shape:
    return s if len(s) > 1 else (1, *(s or (1,)))


def _in_depth(s: Shape) -> Shape:
    return s if len(s) > 2 else (*_in_rows(s), 1)


def _each(tensors: Any, to: Any) -> Any:
    listed = len(tensors) == 1 and isinstance(tensors[0], (list, tuple))
    found = tuple(_shaped(x, to(shape(x))) for x in (tensors[0] if listed else tensors))
    return found[0] if len(found) == 1 and not listed else found


def _shaped(x: Any, to: Shape) -> Any:
    return x if shape(x) == to else Reshape(to)(x)


# ------------------------------------------------------------------ joining
def dstack(tensors: Sequence[Any]) -> Any:
    """The tensors one behind the other: joined along dim 2, vectors as (1, n, 1) and matrices as (n, m, 1).

    Args:
        tensors: shapes equal but for dim 2.

    Returns:
        A tensor with at least three axes.

    Raises:
        ShapeError: the other sizes differ.

    >>> sg.dstack([sg.tensor([1.0, 2.0]), sg.tensor([3.0, 4.0])])
    tensor([[[1., 3.],
             [2., 4.]]])
    """
    return cat([_shaped(x, _in_depth(shape(x))) for x in tensors], 2)


def column_stack(tensors: Sequence[Any]) -> Any:
    """The tensors side by side, numbers and vectors as columns.

    Args:
        tensors: vectors (n,), or shapes equal but for dim 1.

    Returns:
        A tensor with at least two axes.

    Raises:
        ShapeError: the other sizes differ.

    >>> sg.column_stack([sg.tensor([1.0, 2.0]), sg.tensor([3.0, 4.0])])
    tensor([[1., 3.],
            [2., 4.]])
    """
    return hstack([_shaped(x, (*(shape(x) or (1,)), 1)) if len(shape(x)) < 2 else x for x in tensors])


def block_diag(*tensors: Any) -> Any:
    """The matrix with the given ones along its diagonal, and zeros elsewhere.

    Args:
        tensors: matrices (n₀, m₀), (n₁, m₁), …; vectors count as rows, numbers as (1, 1).

    Returns:
        A matrix (n₀ + n₁ + …, m₀ + m₁ + …).

    Raises:
        ShapeError: a tensor has more than two axes.

    >>> sg.block_diag(sg.tensor([[1.0, 2.0]]), sg.tensor(3.0))
    tensor([[1., 2., 0.],
            [0., 0., 3.]])
    """
    for x in tensors:
        if len(shape(x)) > 2:
            raise ShapeError(
                "torch.block_diag: Input tensors must have 2 or fewer dimensions. "
                f"Got shape {show_shape(shape(x))}; take its matrices one by one."
            )
    blocks = [_shaped(x, _in_rows(shape(x))) for x in tensors]
    widths = [shape(x)[1] for x in blocks]
    rows = [pad(x, (sum(widths[:k]), sum(widths[k + 1 :]))) for k, x in enumerate(blocks)]
    return cat(rows, 0)


# ------------------------------------------------------------------ taking apart
def tensor_split(input: Any, indices_or_sections: Any = None, dim: int = 0, *, indices: Any = None,
                 sections: Any = None, axis: int | None = None) -> tuple[Any, ...]:  # fmt: skip
    """x cut along ``dim`` into k parts of nearly equal size, or before the given places.

    Args:
        input: x, with at least one axis.
        indices_or_sections, indices, sections: the number of parts, of which the first ones are larger by one
            where the size is no multiple; or the places to cut at.
        dim, axis: the axis to cut.

    Returns:
        A tuple of tensors.

    Raises:
        ShapeError: x has no axis. ArgumentError: the number of parts is not positive.

    >>> sg.tensor_split(sg.tensor([1.0, 2.0, 3.0]), 2)
    (tensor([1., 2.]), tensor([3.]))
    """
    where = next(w for w in (indices_or_sections, indices, sections) if w is not None)
    if not shape(input):
        raise ShapeError(
            "tensor_split expected at least a 1-dimensional tensor, but got a tensor with 0 dims. Reshape it to (1,)."
        )
    a = axis_of(dim if axis is None else axis, len(shape(input)))
    n = shape(input)[a]
    places = _places(where)
    if isinstance(places, int):
        if places < 1:
            raise ArgumentError(f"number of sections must be larger than 0, got {places}. Pass how many parts to make.")
        small, larger = divmod(n, places)
        return tuple(split(input, [small + (k < larger) for k in range(places)], a))
    ends = [*places, n]
    parts = [range(n)[slice(start, end)] for start, end in zip([0, *places], ends, strict=True)]
    return tuple(along(input, a, r.start, max(r.stop, r.start)) for r in parts)


def _places(where: Any) -> int | list[int]:
    """Return the number of parts, or the list of places, of what stands for one of them."""
    if isinstance(where, int):
        return where
    found = integers(where, "tensor_split")
    return int(found) if found.ndim == 0 else found.tolist()


def split_with_sizes(x: Any, split_sizes: Sequence[Any], dim: int = 0, *, axis: int | None = None) -> tuple[Any, ...]:
    """x cut along ``dim`` into parts of the given sizes, which add up to x's.

    Args:
        x: tensor with at least one axis.
        split_sizes: the sizes.
        dim, axis: the axis to cut.

    Returns:
        A tuple of tensors.

    Raises:
        ShapeError: x has no axis, or the sizes do not fit.

    >>> sg.split_with_sizes(sg.tensor([1.0, 2.0, 3.0]), [1, 2])
    (tensor([1.]), tensor([2., 3.]))
    """
    return split(x, list(split_sizes), dim, axis=axis)


def hsplit(input: Any, indices_or_sections: Any = None, *, indices: Any = None, sections: Any = None) -> Any:
    """x cut from left to right: along dim 1, a vector along dim 0.

    Args:
        input: x, with at least one axis.
        indices_or_sections, indices, sections: the number of equal parts, or the places to cut at.

    Returns:
        A tuple of tensors.

    Raises:
        ShapeError: too few axes, or a size that is no multiple of the number of parts.

    >>> sg.hsplit(sg.tensor([[1.0, 2.0], [3.0, 4.0]]), 2)[0]
    tensor([[1.],
            [3.]])
    """
    a = 0 if len(shape(input)) == 1 else 1
    return _directed("hsplit", input, a, 1, (indices_or_sections, indices, sections))


def vsplit(input: Any, indices_or_sections: Any = None, *, indices: Any = None, sections: Any = None) -> Any:
    """x cut from top to bottom, along dim 0.

    Args:
        input: x, with at least two axes.
        indices_or_sections, indices, sections: the number of equal parts, or the places to cut at.

    Returns:
        A tuple of tensors.

    Raises:
        ShapeError: too few axes, or a size that is no multiple of the number of parts.

    >>> sg.vsplit(sg.tensor([[1.0, 2.0], [3.0, 4.0]]), 2)[0]
    tensor([[1., 2.]])
    """
    return _directed("vsplit", input, 0, 2, (indices_or_sections, indices, sections))


def dsplit(input: Any, indices_or_sections: Any = None, *, indices: Any = None, sections: Any = None) -> Any:
    """x cut from front to back, along dim 2.

    Args:
        input: x, with at least three axes.
        indices_or_sections, indices, sections: the number of equal parts, or the places to cut at.

    Returns:
        A tuple of tensors.

    Raises:
        ShapeError: too few axes, or a size that is no multiple of the number of parts.

    >>> sg.dsplit(sg.ones(1, 2, 4), 2)[0].shape
    (1, 2, 2)
    """
    return _directed("dsplit", input, 2, 3, (indices_or_sections, indices, sections))


def _directed(name: str, x: Any, axis: int, least: int, given: tuple[Any, ...]) -> tuple[Any, ...]:
    s = shape(x)
    if len(s) < least:
        raise ShapeError(
            f"torch.{name} requires a tensor with at least {least} dimension{'s' * (least > 1)}, but got a tensor "
            f"with {len(s)} dimensions! Use tensor_split with its dim."
        )
    where = _places(next(w for w in given if w is not None))
    if isinstance(where, int) and (where < 1 or s[axis] % where):
        raise ShapeError(
            f"torch.{name} attempted to split along dimension {axis}, but the size of the dimension {s[axis]} "
            f"is not divisible by the split_size {where}! Use tensor_split for parts that differ."
        )
    return tensor_split(x, where, axis)
