"""Taking tensors apart: split, chunk, unbind, and the same by direction. Every part is a slice."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from symgrad.errors import ArgumentError, ArgumentTypeError, IndexRangeError, ShapeError
from symgrad.ops.indexing.select import along, part
from symgrad.ops.keys import ALL, integers
from symgrad.ops.map import show_shape
from symgrad.ops.protocol import shape
from symgrad.ops.shape import axis_of


def _check_sizes(sizes: Sequence[Any], n: Any, a: int) -> None:
    """Raise unless the sizes of parts add up to that of the axis."""
    if sum(sizes) != n or any(isinstance(m, int) and m < 0 for m in sizes):
        raise ShapeError(
            f"split_with_sizes expects split_sizes to sum exactly to {n} (input tensor's size at dimension "
            f"{a}), but got split_sizes={sizes}. They sum to {sum(sizes)}."
        )


def split(
    x: Any, split_size_or_sections: int | Sequence[Any], dim: int = 0, *, axis: int | None = None
) -> tuple[Any, ...]:
    """Split x along ``dim`` into parts of equal size, of which the last may be smaller, or of the given sizes.

    Args:
        x: tensor with at least one axis.
        split_size_or_sections: the size of each part; or a list of sizes, which add up to the size of x.
        dim: the axis to split.

    Returns:
        A tuple of tensors.

    Raises:
        ShapeError: if x has no axis, or the sizes do not fit.

    >>> sg.split(sg.tensor([1.0, 2.0, 3.0]), 2)
    (tensor([1., 2.]), tensor([3.]))
    """
    if not shape(x):
        raise ShapeError("split expects at least a 1-dimensional tensor. Got a number.")
    a = axis_of(dim if axis is None else axis, len(shape(x)))
    n = shape(x)[a]
    if isinstance(split_size_or_sections, int):
        return _cut(x, a, _equal_sizes(n, split_size_or_sections), "Split")
    sizes = list(split_size_or_sections)
    _check_sizes(sizes, n, a)
    return _cut(x, a, sizes, "SplitWithSizes")


def _equal_sizes(n: Any, size: int) -> list[int]:
    _check_counted(n, "split")
    if size < 0:
        raise ShapeError(f"split expects split_size be non-negative, but got split_size={size}. Pass a positive size.")
    if size == 0 and n > 0:
        raise ShapeError(
            f"split_size can only be 0 if dimension size is 0, but got dimension size of {n}. Pass a positive size."
        )
    return [min(size, n - start) for start in range(0, n, size or 1)] or [0]


def _check_counted(n: Any, who: str) -> None:
    if not isinstance(n, int):
        raise ShapeError(
            f"{who}: the number of parts of an axis of symbolic size {n} is unknown. "
            f"Use split with the sizes, as in [k, {n} - k]."
        )


def _cut(x: Any, axis: int, sizes: Sequence[Any], name: str) -> tuple[Any, ...]:
    result: list[Any] = []
    start: Any = 0
    for n in sizes:
        result.append(along(x, axis, start, start + n, name))
        start = start + n
    return tuple(result)


def chunk(x: Any, chunks: int, dim: int = 0, *, axis: int | None = None) -> tuple[Any, ...]:
    """Split x along ``dim`` into at most ``chunks`` parts of size ⌈n/chunks⌉, of which the last may be smaller.

    Args:
        x: tensor with at least one axis.
        chunks: the maximum number of parts.
        dim: the axis to split.

    Returns:
        A tuple of tensors.

    Raises:
        ShapeError: if x has no axis, or chunks is not positive.

    >>> sg.chunk(sg.tensor([1.0, 2.0, 3.0]), 2)
    (tensor([1., 2.]), tensor([3.]))
    """
    if not shape(x):
        raise ShapeError("chunk expects at least a 1-dimensional tensor. Got a number.")
    if chunks < 1:
        raise ShapeError(f"chunk expects `chunks` to be greater than 0, got: {chunks}. Pass at least 1.")
    a = axis_of(dim if axis is None else axis, len(shape(x)))
    n = shape(x)[a]
    _check_counted(n, "chunk")
    if n == 0:
        return _cut(x, a, [0] * chunks, "Split")
    return _cut(x, a, _equal_sizes(n, -(-n // chunks)), "Split")


def unbind(x: Any, dim: int = 0, *, axis: int | None = None) -> tuple[Any, ...]:
    """Return the slices of x along ``dim``: (x[0], x[1], …) for dim = 0.

    Args:
        x: tensor with at least one axis.
        dim: the axis to remove.

    Returns:
        A tuple of tensors without the axis.

    Raises:
        IndexRangeError: if x has no axis.

    >>> sg.unbind(sg.tensor([1.0, 2.0]))
    (tensor(1.), tensor(2.))
    """
    sizes = shape(x)
    if not sizes:
        raise IndexRangeError(
            "Dimension specified as 0 but tensor has no dimensions. Only tensors with axes come apart."
        )
    a = axis_of(dim if axis is None else axis, len(sizes))
    _check_counted(sizes[a], "unbind")
    after = [ALL] * (len(sizes) - a - 1)
    return tuple(part((*[ALL] * a, k, *after), "Unbind")(x) for k in range(sizes[a]))


# ------------------------------------------------------------------ at given places, and by direction
def _nearly_equal(n: int, count: int) -> list[int]:
    """Return the sizes of the given number of parts of n, the first ones larger by one."""
    if count < 1:
        raise ArgumentError(f"number of sections must be larger than 0, got {count}. Pass how many parts to make.")
    small, larger = divmod(n, count)
    return [small + (k < larger) for k in range(count)]


def tensor_split(input: Any, indices_or_sections: Any = None, dim: int = 0, *, indices: Any = None,
                 sections: Any = None, axis: int | None = None) -> tuple[Any, ...]:  # fmt: skip
    """Split x along ``dim`` into k parts of nearly equal size, or before the given positions.

    Args:
        input, dim (or axis): x, with at least one axis, and the axis to split.
        indices_or_sections, indices, sections: the number of parts, of which the first ones are larger by one if the
            size is not a multiple of it; or the positions to split before.

    Returns:
        A tuple of tensors.

    Raises:
        ShapeError: if x has no axis.
        ArgumentError: if the number of parts is not positive.

    >>> sg.tensor_split(sg.tensor([1.0, 2.0, 3.0]), 2)
    (tensor([1., 2.]), tensor([3.]))
    """
    where = _first("tensor_split", (indices_or_sections, indices, sections))
    if not shape(input):
        raise ShapeError(
            "tensor_split expected at least a 1-dimensional tensor, but got a tensor with 0 dims. Reshape it to (1,)."
        )
    a = axis_of(dim if axis is None else axis, len(shape(input)))
    n = shape(input)[a]
    places = _places(where)
    if isinstance(places, int):
        return tuple(split(input, _nearly_equal(n, places), a))
    parts = [range(n)[slice(start, end)] for start, end in zip([0, *places], [*places, n], strict=True)]
    return tuple(along(input, a, r.start, max(r.stop, r.start)) for r in parts)


def _places(where: Any) -> int | list[int]:
    """Return the number of parts, or the list of places, as Python integers."""
    if isinstance(where, int):
        return where
    result = integers(where, "tensor_split")
    if result.ndim > 1:
        raise ShapeError(f"got positions of shape {show_shape(result.shape)}. Expected a number, or a list of them.")
    return int(result) if result.ndim == 0 else result.tolist()


def split_with_sizes(x: Any, split_sizes: Sequence[Any], dim: int = 0, *, axis: int | None = None) -> tuple[Any, ...]:
    """Split x along ``dim`` into parts of the given sizes, which add up to the size of x.

    Args:
        x: tensor with at least one axis.
        split_sizes: the sizes.
        dim, axis: the axis to split.

    Returns:
        A tuple of tensors.

    Raises:
        ShapeError: if x has no axis, or the sizes do not fit.

    >>> sg.split_with_sizes(sg.tensor([1.0, 2.0, 3.0]), [1, 2])
    (tensor([1.]), tensor([2., 3.]))
    """
    return split(x, list(split_sizes), dim, axis=axis)


def hsplit(
    input: Any, indices_or_sections: Any = None, *, indices: Any = None, sections: Any = None
) -> tuple[Any, ...]:
    """Split x horizontally: along dim 1, or a vector along dim 0.

    Args:
        input: x, with at least one axis.
        indices_or_sections, indices, sections: the number of equal parts, or the positions to split before.

    Returns:
        A tuple of tensors.

    Raises:
        ShapeError: if x has too few axes, or its size is not a multiple of the number of parts.

    >>> sg.hsplit(sg.tensor([[1.0, 2.0], [3.0, 4.0]]), 2)[0]
    tensor([[1.],
            [3.]])
    """
    a = 0 if len(shape(input)) == 1 else 1
    return _directed("hsplit", input, a, 1, (indices_or_sections, indices, sections))


def vsplit(
    input: Any, indices_or_sections: Any = None, *, indices: Any = None, sections: Any = None
) -> tuple[Any, ...]:
    """Split x vertically, along dim 0.

    Args:
        input: x, with at least two axes.
        indices_or_sections, indices, sections: the number of equal parts, or the positions to split before.

    Returns:
        A tuple of tensors.

    Raises:
        ShapeError: if x has too few axes, or its size is not a multiple of the number of parts.

    >>> sg.vsplit(sg.tensor([[1.0, 2.0], [3.0, 4.0]]), 2)[0]
    tensor([[1., 2.]])
    """
    return _directed("vsplit", input, 0, 2, (indices_or_sections, indices, sections))


def dsplit(
    input: Any, indices_or_sections: Any = None, *, indices: Any = None, sections: Any = None
) -> tuple[Any, ...]:
    """Split x in depth, along dim 2.

    Args:
        input: x, with at least three axes.
        indices_or_sections, indices, sections: the number of equal parts, or the positions to split before.

    Returns:
        A tuple of tensors.

    Raises:
        ShapeError: if x has too few axes, or its size is not a multiple of the number of parts.

    >>> sg.dsplit(sg.ones(1, 2, 4), 2)[0].shape
    (1, 2, 2)
    """
    return _directed("dsplit", input, 2, 3, (indices_or_sections, indices, sections))


def _first(name: str, given: tuple[Any, ...]) -> Any:
    """Return the number of parts, or where they begin: by whichever name it was passed."""
    if all(w is None for w in given):
        raise ArgumentTypeError(f"{name}: got no parts. Expected how many, or the positions where they begin.")
    return next(w for w in given if w is not None)


def _directed(name: str, x: Any, axis: int, least: int, given: tuple[Any, ...]) -> tuple[Any, ...]:
    s = shape(x)
    if len(s) < least:
        raise ShapeError(
            f"torch.{name} requires a tensor with at least {least} dimension{'s' * (least > 1)}, but got a tensor "
            f"with {len(s)} dimensions! Use tensor_split with its dim."
        )
    where = _places(_first(name, given))
    if isinstance(where, int) and (where < 1 or s[axis] % where):
        raise ShapeError(
            f"torch.{name} attempted to split along dimension {axis}, but the size of the dimension {s[axis]} "
            f"is not divisible by the split_size {where}! Use tensor_split for parts that differ."
        )
    return tensor_split(x, where, axis)
