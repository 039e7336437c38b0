"""Other orders of the same entries: flip, permute, transpose, roll; with those of sizes, all that moves entries.

All are made of Flip, the permuting Einsum, and slices.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from symgrad.errors import ArgumentTypeError, ShapeError, shown_as
from symgrad.ops import contract
from symgrad.ops.elementwise.complexes import conj
from symgrad.ops.indexing.select import along, getitem
from symgrad.ops.map import show_shape
from symgrad.ops.protocol import rename, shape
from symgrad.ops.shape import Flip, Reshape, axis_of, total
from symgrad.ops.shapes.join import Cat
from symgrad.ops.shapes.sizes import (
    axes_of,
    broadcast_to,
    expand,
    expand_as,
    flatten,
    listed,
    ravel,
    repeat,
    repeat_interleave,
    reshape,
    reshape_as,
    squeeze,
    tile,
    unflatten,
    unsqueeze,
    view,
    view_as,
    whole,
)

__all__ = [
    "adjoint", "broadcast_to", "expand", "expand_as", "flatten", "flip", "mT", "moveaxis", "movedim",
    "permute", "ravel", "repeat", "repeat_interleave", "reshape", "reshape_as", "reverse_axes", "squeeze",
    "swapaxes", "swapdims", "t", "tile", "transpose", "unflatten", "unsqueeze", "view", "view_as",
]  # fmt: skip


def flip(x: Any, *axes: Any, dims: Any = None, axis: Any = None) -> Any:
    """Return x with the order of the entries reversed along the axes.

    Args:
        x: tensor of any shape.
        axes, dims, axis: the axes, one by one or as a tuple.

    Returns:
        A tensor shaped like x.

    Raises:
        ShapeError: if an axis appears twice.

    >>> sg.flip(sg.tensor([1.0, 2.0, 3.0]), 0)
    tensor([3., 2., 1.])
    """
    named = dims if axis is None else axis
    if not axes and named is None:
        raise ArgumentTypeError('flip() missing 1 required positional arguments: "dims". Pass the axes to reverse.')
    result = axes_of(listed(axes, named), len(shape(x)) or 1)
    return Flip(result if shape(x) else ())(x)


def permute(x: Any, *order: Any, dims: Any = None) -> Any:
    """Return x with its axes in another order: axis k of the result is axis order[k] of x.

    Args:
        x: tensor of any shape.
        order, dims: a permutation of the axes, one by one or as a tuple.

    Returns:
        A tensor with the axes reordered.

    Raises:
        ShapeError: if order is not a permutation.

    >>> sg.permute(sg.ones(2, 3, 4), (2, 0, 1)).shape
    (4, 2, 3)
    """
    order, ndim = listed(order, dims), len(shape(x))
    if len(order) != ndim:
        raise ShapeError(
            "permute(sparse_coo): number of dimensions in the tensor input does not match the length of "
            f"the desired ordering of dimensions i.e. input.dim() = {ndim} is not equal to "
            f"len(dims) = {len(order)}. Name every axis once."
        )
    result = [axis_of(d, ndim) for d in order]
    if len(set(result)) != ndim:
        raise ShapeError(f"permute(): duplicate dims are not allowed. Got {list(order)}; name every axis once.")
    return contract.permute(x, result)


def transpose(x: Any, dim0: int, dim1: int) -> Any:
    """Return x with two axes exchanged.

    Args:
        x: tensor of any shape.
        dim0, dim1: the axes.

    Returns:
        A tensor with the axes exchanged.

    >>> sg.transpose(sg.ones(2, 3, 4), 0, 2).shape
    (4, 3, 2)
    """
    order = list(range(len(shape(x))))
    a, b = axis_of(dim0, len(order)), axis_of(dim1, len(order))
    if order:
        order[a], order[b] = b, a
    return contract.permute(x, order, "Transpose")


swapdims = transpose


def swapaxes(x: Any, axis0: int, axis1: int) -> Any:
    """Return x with two axes exchanged; NumPy's name for ``transpose``.

    >>> sg.swapaxes(sg.ones(2, 3, 4), 0, 2).shape
    (4, 3, 2)
    """
    return transpose(x, axis0, axis1)


def movedim(x: Any, source: int | Sequence[int], destination: int | Sequence[int]) -> Any:
    """Return x with the axes ``source`` moved to the positions ``destination``; the others keep their order.

    Args:
        x: tensor of any shape.
        source, destination: axis numbers, the same number of each.

    Returns:
        A tensor with the axes reordered.

    Raises:
        ShapeError: if the numbers of axes differ, or an axis appears twice.

    >>> sg.movedim(sg.ones(2, 3, 4), 0, -1).shape
    (3, 4, 2)
    """
    ndim = len(shape(x))
    old = _moved("source", (source,) if isinstance(source, int) else tuple(source), ndim)
    new = _moved("destination", (destination,) if isinstance(destination, int) else tuple(destination), ndim)
    if len(old) != len(new):
        raise ShapeError(
            "movedim: Invalid source or destination dims: source "
            f"({old} dims) should contain the same number of dims as destination ({new} dims). "
            "Pass as many of one as of the other."
        )
    order = [k for k in range(ndim) if k not in old]
    for to, k in sorted(zip(new, old, strict=True)):
        order.insert(to, k)
    return contract.permute(x, order)


moveaxis = movedim


def _moved(which: str, dims: Sequence[int], ndim: int) -> list[int]:
    result = [axis_of(d, ndim) for d in dims]
    if len(set(result)) < len(result):
        raise ShapeError(f"movedim: repeated dim in `{which}` ({list(dims)}). Name each axis once.")
    return result if ndim else []


def t(x: Any) -> Any:
    """Return xᵀ, for x with at most two axes; vectors and numbers are returned unchanged.

    >>> sg.t(sg.ones(2, 3)).shape
    (3, 2)
    """
    ndim = len(shape(x))
    if ndim > 2:
        raise ShapeError(f"t() expects a tensor with <= 2 dimensions, but self is {ndim}D. Use mT or transpose.")
    return contract.permute(x, range(ndim)[::-1], "T")


@shown_as("adjoint")
def mH(input: Any) -> Any:
    """Return the conjugate transpose xᴴ of each matrix in the last two axes.

    >>> sg.tensor([[1.0 + 2.0j, 3.0]]).mH
    tensor([[1.-2.j],
            [3.-0.j]])
    """
    return conj(mT(input))


def mT(x: Any) -> Any:
    """Return the transpose xᵀ of each matrix in the last two axes.

    >>> sg.ones(5, 2, 3).mT.shape
    (5, 3, 2)
    """
    ndim = len(shape(x))
    if ndim < 2:
        raise ShapeError(
            f"tensor.mT is only supported on matrices or batches of matrices. Got {ndim}-D tensor. Unsqueeze it first."
        )
    return contract.mT(x)


adjoint = mT


def reverse_axes(x: Any) -> Any:
    """Return x with the order of all its axes reversed, like ``x.T``.

    >>> sg.ones(2, 3, 4).T.shape
    (4, 3, 2)
    """
    return contract.permute(x, range(len(shape(x)))[::-1])


# ------------------------------------------------------------------ rolling and turning
def roll(x: Any, shifts: int | Sequence[int], dims: int | Sequence[int] | None = None) -> Any:
    """Shift the entries cyclically along axes: y[i] = x[(i - shift) mod n].

    Args:
        x: tensor of any shape.
        shifts: the number of positions to shift by, one number per axis.
        dims: the axes; None rolls the flattened tensor.

    Returns:
        A tensor shaped like x.

    Raises:
        ShapeError: if shifts and dims differ in number.

    >>> sg.roll(sg.tensor([1.0, 2.0, 3.0]), 1)
    tensor([3., 1., 2.])
    """
    sizes = shape(x)
    if dims is None:
        flat = Reshape((total(sizes),))(x)
        return rename(Reshape(sizes)(roll(flat, shifts, 0)), "Roll")
    by, over = (tuple(map(whole, k)) if isinstance(k, (list, tuple, range)) else (whole(k),) for k in (shifts, dims))
    if len(by) != len(over):
        raise ShapeError(
            f"shifts and dimensions must align. shifts: {len(by)}, dims:{len(over)}. Pass one shift per axis."
        )
    for k, d in zip(by, over, strict=True):
        x = _rolled(x, k, axis_of(d, len(sizes)))
    return rename(x, "Roll")


def _rolled(x: Any, k: int, axis: int) -> Any:
    n = shape(x)[axis] if shape(x) else 1
    if isinstance(n, int):
        k = k % n if n else 0
    if k == 0:
        return getitem(x, ...)
    cut = n - k if k > 0 or isinstance(n, int) else -k
    return Cat(axis)(along(x, axis, cut, n), along(x, axis, 0, cut))


def fliplr(x: Any) -> Any:
    """Return x with its columns (dim 1) in reverse order.

    Raises:
        ShapeError: if x has fewer than two axes.

    >>> sg.fliplr(sg.tensor([[1.0, 2.0]]))
    tensor([[2., 1.]])
    """
    if len(shape(x)) < 2:
        raise ShapeError(f"Input must be >= 2-d. Got shape {show_shape(shape(x))}; use flip.")
    return flip(x, (1,))


def flipud(x: Any) -> Any:
    """Return x with its rows (dim 0) in reverse order.

    Raises:
        ShapeError: if x has no axis.

    >>> sg.flipud(sg.tensor([1.0, 2.0]))
    tensor([2., 1.])
    """
    if not shape(x):
        raise ShapeError("Input must be >= 1-d. Got a number, which has no rows.")
    return flip(x, (0,))


def _plane(dims: Sequence[int], ndim: int) -> tuple[int, int]:
    """Return the two axes of the plane of a rotation."""
    if len(dims) != 2:
        raise ShapeError(
            f"expected total rotation dims == 2, but got dims = {len(dims)}. Pass the two axes of the plane."
        )
    a, b = (axis_of(d, ndim) for d in dims)
    if a == b:
        raise ShapeError(
            f"expected rotation dims to be different, but got dim0 = {dims[0]} and dim1 = {dims[1]}. Name two axes."
        )
    return a, b


def rot90(x: Any, k: int = 1, dims: Sequence[int] = (0, 1)) -> Any:
    """Rotate x by k right angles in the plane of two axes, from the first towards the second.

    Args:
        x: tensor with at least two axes.
        k: the number of rotations; negative numbers rotate in the opposite direction.
        dims: the two axes.

    Returns:
        A tensor of the same entries.

    Raises:
        ShapeError: if dims are not two different axes.

    >>> sg.rot90(sg.tensor([[1.0, 2.0], [3.0, 4.0]]))
    tensor([[2., 4.],
            [1., 3.]])
    """
    a, b = _plane(dims, len(shape(x)))
    k = whole(k)
    if k % 4 == 2:
        return flip(x, (a, b))
    if k % 2:
        return transpose(flip(x, (b,)), a, b) if k % 4 == 1 else flip(transpose(x, a, b), (b,))
    return flip(x, ())
