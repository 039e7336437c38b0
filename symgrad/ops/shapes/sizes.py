"""Other shapes for the same entries: reshape, squeeze, expand, repeat. Made of Reshape and Expand."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import sympy as sp

from symgrad.core.node import Shape
from symgrad.errors import ArgumentError, ArgumentTypeError, ShapeError
from symgrad.ops.keys import Positions, integers
from symgrad.ops.map import show_shape
from symgrad.ops.protocol import shape
from symgrad.ops.shape import Expand, Reshape, axis_of, total
from symgrad.ops.slicing import Gather

Dims = int | Sequence[int] | None


def listed(args: Sequence[Any], named: Any = None) -> tuple[Any, ...]:
    """Return sizes or dims given one by one, as one sequence, or by name."""
    args = args if named is None else (named,)
    result = args[0] if len(args) == 1 and isinstance(args[0], (tuple, list)) else args
    return tuple(k if isinstance(k, sp.Expr) and not k.is_Integer else whole(k) for k in result)


def whole(k: Any) -> int:
    """Return an integer of Python, NumPy or a tensor as Python's; refuse anything else, 5.0 included."""
    try:
        return k.__index__()  # type: ignore[no-any-return]
    except (AttributeError, TypeError):
        raise ArgumentTypeError(f"sizes and dims must be integers. Got {k!r}.") from None


def axes_of(dims: Sequence[int], ndim: int) -> tuple[int, ...]:
    """Return the dims in 0..ndim-1, each once."""
    result = [axis_of(d, ndim) for d in dims]
    for d in result:
        if result.count(d) > 1:
            raise ShapeError(
                f"dim {d} appears multiple times in the list of dims. Got {list(dims)}; name each axis once."
            )
    return tuple(result)


def reshape(x: Any, *sizes: Any, shape: Any = None) -> Any:
    """Return the entries of x in row-major order, in another shape.

    Args:
        x: tensor of any shape.
        sizes, shape: the new shape, one by one or as a tuple; one of them may be -1, to be inferred.

    Returns:
        A tensor of that shape.

    Raises:
        ShapeError: if the number of entries differs, or more than one size is -1.

    >>> sg.reshape(sg.tensor([1.0, 2.0, 3.0, 4.0]), (2, -1))
    tensor([[1., 2.],
            [3., 4.]])
    """
    return _reshaping(x, listed(sizes, shape))(x)


def view(x: Any, *sizes: Any, size: Any = None) -> Any:
    """Return x in another shape. This is ``reshape``, because the memory layout of a tensor does not matter.

    >>> sg.ones(2, 3).view(3, -1).shape
    (3, 2)
    """
    return _reshaping(x, listed(sizes, size)).viewing("always")(x)


def _reshaping(x: Any, wanted: tuple[Any, ...]) -> Reshape:
    have = shape(x)
    op = Reshape(_inferred(wanted, have))
    op.out_shape(have)
    return op


def _inferred(to: tuple[Any, ...], have: Shape) -> tuple[Any, ...]:
    """Replace -1 by the size that keeps the number of entries."""
    for k, n in enumerate(to):
        if isinstance(n, int) and n < -1:
            raise ShapeError(
                f"invalid shape dimension {n} at index {k} of shape {show_shape(to)}. Expected sizes ≥ 0, or -1."
            )
    if -1 not in to:
        return to
    at = to.index(-1)
    known, entries = total([n for k, n in enumerate(to) if k != at]), total(have)
    if -1 in to[at + 1 :]:
        raise ShapeError(f"only one dimension can be inferred. Got {show_shape(to)}.")
    if known == 0:
        raise ShapeError(
            f"cannot reshape tensor of {entries} elements into shape {show_shape(to)} because the "
            "unspecified dimension size -1 can be any value and is ambiguous. Give all sizes."
        )
    if isinstance(known, int) and isinstance(entries, int):
        if entries % known:
            raise ShapeError(
                f"shape '{show_shape(to)}' is invalid for input of size {entries}. "
                f"Got a tensor of shape {show_shape(have)}."
            )
        missing: Any = entries // known
    else:
        missing = sp.cancel(entries / known)
    return (*to[:at], missing, *to[at + 1 :])


def reshape_as(x: Any, other: Any) -> Any:
    """Return x in the shape of ``other``.

    >>> sg.ones(4).reshape_as(sg.ones(2, 2)).shape
    (2, 2)
    """
    return reshape(x, shape(other))


view_as = reshape_as


def flatten(x: Any, start_dim: int = 0, end_dim: int = -1) -> Any:
    """Return x with the axes from ``start_dim`` to ``end_dim`` joined into one, in row-major order.

    Args:
        x: tensor of any shape.
        start_dim, end_dim: first and last axis to join.

    Returns:
        A tensor; a number becomes a vector of one entry.

    Raises:
        ShapeError: if start_dim comes after end_dim.

    >>> sg.flatten(sg.ones(2, 3, 4), 1).shape
    (2, 12)
    """
    sizes = shape(x)
    first, last = axis_of(start_dim, len(sizes)), axis_of(end_dim, len(sizes))
    if first > last:
        raise ShapeError(
            f"flatten() has invalid args: start_dim cannot come after end_dim. Got {start_dim} and {end_dim}."
        )
    if first == last and sizes:
        return x
    return Reshape((*sizes[:first], total(sizes[first : last + 1]), *sizes[last + 1 :]))(x)


def ravel(x: Any) -> Any:
    """Return the entries of x as a vector, in row-major order.

    >>> sg.ravel(sg.tensor([[1.0, 2.0], [3.0, 4.0]]))
    tensor([1., 2., 3., 4.])
    """
    return Reshape((total(shape(x)),)).viewing("contiguous")(x)


def unflatten(x: Any, dim: int, sizes: Sequence[Any]) -> Any:
    """Return x with the axis ``dim`` split into axes of the given sizes, one of which may be -1.

    >>> sg.ones(2, 12).unflatten(1, (3, 4)).shape
    (2, 3, 4)
    """
    have = shape(x)
    a = axis_of(dim, len(have))
    wanted = listed([tuple(sizes)])
    if (-1 not in wanted and total(wanted) != have[a]) or (-1 in wanted and _uneven(wanted, have[a])):
        raise ShapeError(
            f"unflatten: Provided sizes {show_shape(wanted)} don't multiply up to the size of dim {a} "
            f"({have[a]}) in the input tensor. One of them may be -1, to be inferred."
        )
    return Reshape((*have[:a], *_inferred(wanted, (have[a],)), *have[a + 1 :]))(x)


def _uneven(sizes: Sequence[Any], n: Any) -> bool:
    known = total([m for m in sizes if m != -1])
    return isinstance(n, int) and isinstance(known, int) and known > 0 and n % known != 0


def squeeze(x: Any, dim: Dims = None, *, axis: Dims = None) -> Any:
    """Return x without its axes of size 1, or only without those that are listed in ``dim``.

    Args:
        x: tensor of any shape.
        dim: an axis, several, or None for all.

    Returns:
        A tensor with the same entries.

    >>> sg.squeeze(sg.ones(1, 3, 1)).shape
    (3,)
    """
    sizes = shape(x)
    dims = dim if axis is None else axis
    if dims is None:
        gone: tuple[int, ...] = tuple(range(len(sizes)))
    else:
        gone = axes_of((dims,) if isinstance(dims, (int, np.integer)) else tuple(dims), len(sizes))
    return Reshape(tuple(n for k, n in enumerate(sizes) if not (k in gone and n == 1)), "Squeeze")(x)


def unsqueeze(x: Any, dim: int | None = None, *, axis: int | None = None) -> Any:
    """Return x with a new axis of size 1 at ``dim``.

    Args:
        x: tensor of any shape.
        dim: the position of the axis in the result; negative numbers count from its end.

    Returns:
        A tensor with one axis more.

    >>> sg.unsqueeze(sg.ones(3), -1).shape
    (3, 1)
    """
    given = dim if axis is None else axis
    if given is None:
        raise ArgumentTypeError(
            'unsqueeze() missing 1 required positional arguments: "dim". Pass where the new axis goes.'
        )
    sizes = shape(x)
    a = axis_of(given, len(sizes) + 1)
    return Reshape((*sizes[:a], 1, *sizes[a:]), "Unsqueeze")(x)


# ------------------------------------------------------------------ repetition
def expand(x: Any, *sizes: Any, size: Any = None) -> Any:
    """Return x repeated along axes of size 1 and along new leading axes.

    Args:
        x: tensor of any shape.
        sizes, size: the new shape, one by one or as a tuple; -1 keeps a size.

    Returns:
        A tensor of that shape.

    Raises:
        ShapeError: if a size other than 1 would change.

    >>> sg.tensor([1.0, 2.0]).expand(2, -1)
    tensor([[1., 2.],
            [1., 2.]])
    """
    have, to = shape(x), listed(sizes, size)
    lead = len(to) - len(have)
    if -1 in to[: max(lead, 0)]:
        raise ShapeError(
            "The expanded size of the tensor (-1) isn't allowed in a leading, non-existing dimension "
            f"{to.index(-1)}. Got {show_shape(to)} for a tensor of shape {show_shape(have)}."
        )
    op = Expand(tuple(have[k - lead] if n == -1 and lead >= 0 else n for k, n in enumerate(to)))
    op.out_shape(have)
    return op(x)


def expand_as(x: Any, other: Any) -> Any:
    """Return x expanded to the shape of ``other``.

    >>> sg.ones(3).expand_as(sg.ones(2, 3)).shape
    (2, 3)
    """
    return expand(x, shape(other))


def broadcast_to(x: Any, size: Sequence[Any]) -> Any:
    """Return x expanded to the shape ``size``.

    >>> sg.broadcast_to(sg.ones(3), (2, 3)).shape
    (2, 3)
    """
    return expand(x, size)


def _check_counts(counts: Sequence[Any], to: Shape) -> None:
    if any(isinstance(r, int) and r < 0 for r in counts):
        wrong = next(n for n in to if n < 0)
        raise ShapeError(
            f"Trying to create tensor with negative dimension {wrong}: {show_shape(to)}. Repeat 0 times or more."
        )


def repeat(x: Any, *counts: Any, repeats: Any = None) -> Any:
    """Return x repeated ``counts`` times along each axis; additional counts create new leading axes.

    Args:
        x: tensor (n, m, …).
        counts, repeats: (r, s, …), at least as many as x has axes.

    Returns:
        A tensor (r n, s m, …).

    Raises:
        ShapeError: if there are fewer counts than axes, or a count is negative.

    >>> sg.tensor([1.0, 2.0]).repeat(2)
    tensor([1., 2., 1., 2.])
    """
    counts, sizes = listed(counts, repeats), shape(x)
    if len(counts) < len(sizes):
        raise ShapeError(
            "Number of dimensions of repeat dims can not be smaller than number of dimensions of tensor. "
            f"Got {len(counts)} counts for shape {show_shape(sizes)}."
        )
    sizes = (*[1] * (len(counts) - len(sizes)), *sizes)
    to = tuple(r * n for r, n in zip(counts, sizes, strict=True))
    _check_counts(counts, to)
    apart = Reshape(tuple(m for n in sizes for m in (1, n)))(x)
    wide = Expand(tuple(m for r, n in zip(counts, sizes, strict=True) for m in (r, n)))(apart)
    return Reshape(to, "Repeat")(wide)


def tile(x: Any, *counts: Any, dims: Any = None) -> Any:
    """Return x repeated along each axis, like ``repeat``; missing leading counts are 1.

    >>> sg.tile(sg.tensor([1.0, 2.0]), (2,))
    tensor([1., 2., 1., 2.])
    """
    counts = listed(counts, dims)
    return repeat(x, (*[1] * (len(shape(x)) - len(counts)), *counts))


def repeat_interleave(
    x: Any, repeats: Any, dim: int | None = None, *, output_size: int | None = None, axis: int | None = None
) -> Any:
    """Return x with each entry repeated ``repeats`` times along ``dim``; without dim, x is flattened first.

    Args:
        x: tensor of any shape.
        repeats: a number, or one for each entry along the axis, as an integer tensor.
        dim, axis: the axis.
        output_size: the size of the result along the axis, only to check it.

    Returns:
        A tensor shaped like x, except for the length of the axis; without dim, a vector.

    Raises:
        ShapeError: if the size of repeats is not that of the axis, or output_size is not their sum.
        ArgumentError: if a count is negative.

    >>> sg.repeat_interleave(sg.tensor([1.0, 2.0]), 2)
    tensor([1., 1., 2., 2.])
    """
    given = dim if axis is None else axis
    if given is None:
        x, given = ravel(x), 0
    sizes = shape(x)
    a = axis_of(given, len(sizes))
    if not isinstance(repeats, (int, sp.Expr)):
        return Gather(((a, Positions(_repeated(sizes[a], repeats, output_size))),), "RepeatInterleave")(x)
    apart = Reshape((*sizes[: a + 1], 1, *sizes[a + 1 :]))(x)
    wide = Expand((*sizes[: a + 1], repeats, *sizes[a + 1 :]))(apart)
    return Reshape((*sizes[:a], sizes[a] * repeats, *sizes[a + 1 :]), "Repeat")(wide)


def _repeated(n: Any, repeats: Any, output_size: int | None) -> Any:
    """The positions 0, …, n - 1, each as often as it says."""
    counts = integers(repeats, "repeat_interleave")
    if counts.ndim > 1 or counts.size not in (1, n):
        raise ShapeError(
            "repeats must have the same size as input along dim, but got repeats.size(0) = "
            f"{show_shape(counts.shape)} and input.size = {n}. Pass one number, or one per entry."
        )
    if counts.size and counts.min() < 0:
        raise ArgumentError(f"repeats can not be negative. Got {counts.min()}.")
    places = np.repeat(np.arange(n), counts)
    if output_size not in (None, len(places)):
        raise ShapeError(f"allocated size does not match required size. Got {output_size}, expected {len(places)}.")
    return places


# ------------------------------------------------------------------ at least so many axes
def atleast_1d(*tensors: Any) -> Any:
    """Return each tensor with at least one axis: a number becomes (1,).

    Args:
        tensors: any number of tensors, or one list of them.

    Returns:
        A tensor if there is one tensor, else a tuple.

    >>> sg.atleast_1d(sg.tensor(2.0))
    tensor([2.])
    """
    return _each(tensors, lambda s: s or (1,))


def atleast_2d(*tensors: Any) -> Any:
    """Return each tensor with at least two axes: a number becomes (1, 1), a vector a row (1, n).

    Args:
        tensors: any number of tensors, or one list of them.

    Returns:
        A tensor if there is one tensor, else a tuple.

    >>> sg.atleast_2d(sg.tensor([1.0, 2.0])).shape
    (1, 2)
    """
    return _each(tensors, _in_rows)


def atleast_3d(*tensors: Any) -> Any:
    """Return each tensor with at least three axes: a number as (1, 1, 1), a vector as (1, n, 1), a matrix as (n, m, 1).

    Args:
        tensors: any number of tensors, or one list of them.

    Returns:
        A tensor if there is one tensor, else a tuple.

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
    shaped = tuple(_shaped(x, to(shape(x))) for x in (tensors[0] if listed else tensors))
    return shaped[0] if len(shaped) == 1 and not listed else shaped


def _shaped(x: Any, to: Shape) -> Any:
    return x if shape(x) == to else Reshape(to)(x)
