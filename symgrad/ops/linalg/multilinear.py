"""Contractions over chosen axes, the cross product, Vandermonde matrices."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import Any

from symgrad.core.node import Shape
from symgrad.errors import ArgumentError, LinAlgError, ShapeError, shown_as
from symgrad.ops.contract import LETTERS, Einsum, permute, sum_axes
from symgrad.ops.convert import lengthened
from symgrad.ops.elementwise.complexes import conj
from symgrad.ops.elementwise.declared import power
from symgrad.ops.indexing.gather import index_select
from symgrad.ops.indexing.select import getitem
from symgrad.ops.linalg.products import _need
from symgrad.ops.linalg.solving import inv, solve
from symgrad.ops.map import MUL, SUB, broadcast_shapes, show_shape
from symgrad.ops.protocol import rename, shape
from symgrad.ops.shape import Expand, Reshape, axis_of
from symgrad.ops.shapes.join import stack

MOST_POWERS = 1_000_000  # each of them a step of its own


def _unequal(p: Shape, k: int, q: Shape, m: int) -> ShapeError:
    return ShapeError(
        f"contracted dimensions need to match, but first has size {p[k]} in dim {k} and second has size "
        f"{q[m]} in dim {m}. Got shapes {show_shape(p)} and {show_shape(q)}."
    )


def tensordot(a: Any, b: Any, dims: int | Sequence[int] | Sequence[Sequence[int]] = 2) -> Any:
    """Contract pairs of axes: the last n axes of a with the first n of b, or the listed ones.

    Args:
        a, b: tensors.
        dims: n, or a pair of lists of axes.

    Returns:
        A tensor with the remaining axes of a, followed by those of b.

    Raises:
        ShapeError: if the sizes of a pair of axes differ.
        ArgumentError: if n is negative, or the lists differ in length.

    >>> sg.tensordot(sg.ones(2, 3), sg.ones(3, 4), 1).shape
    (2, 4)
    """
    p, q = shape(a), shape(b)
    one, two = _pairs(dims, len(p), len(q))
    for k, m in zip(one, two, strict=True):
        if p[k] != q[m] and 1 in (p[k], q[m]):  # broadcast, as in PyTorch
            a, b = (sum_axes(a, (k,), True), b) if q[m] == 1 else (a, sum_axes(b, (m,), True))
        elif p[k] != q[m]:
            raise _unequal(p, k, q, m)
    first, second = list(LETTERS[: len(p)]), list(LETTERS[len(p) : len(p) + len(q)])
    for k, m in zip(one, two, strict=True):
        second[m] = first[k]
    rest = [c for k, c in enumerate(first) if k not in one] + [c for m, c in enumerate(second) if m not in two]
    return Einsum.of(f"{''.join(first)},{''.join(second)}->{''.join(rest)}", "Tensordot")(a, b)


def _pairs(dims: Any, p: int, q: int) -> tuple[list[int], list[int]]:
    if isinstance(dims, int):
        if dims < 0:
            raise ArgumentError(f"tensordot expects dims >= 0, but got dims={dims}. Pass how many axes to sum over.")
        if dims > min(p, q):
            raise ShapeError(f"tensordot expects dims < ndim_a or ndim_b. Got dims={dims} for {p} and {q} axes.")
        return list(range(p - dims, p)), list(range(dims))
    if len(dims) != 2:
        raise ArgumentError(
            f"tensordot: got dims={dims}. Expected how many axes to sum over, or their lists for a and b."
        )
    one, two = ([d] if isinstance(d, int) else list(d) for d in dims)
    if len(one) != len(two):
        raise ArgumentError(
            f"both dimension lists should have same length. Got {one} and {two}; each axis of a has one of b."
        )
    return [axis_of(d, p) for d in one], [axis_of(d, q) for d in two]


# ------------------------------------------------------------------ cross products
def cross(input: Any, other: Any, dim: int | None = None, *, axis: int | None = None) -> Any:
    """Return the cross product a × b of vectors along one axis of length 3.

    Args:
        input, other: a and b, broadcast against each other.
        dim, axis: the axis; by default the first one of length 3.

    Returns:
        A tensor of the broadcast shape.

    Raises:
        ShapeError: if the axis does not have length 3.

    >>> sg.cross(sg.tensor([1.0, 0.0, 0.0]), sg.tensor([0.0, 1.0, 0.0]))
    tensor([0., 0., 1.])
    """
    dim = dim if axis is None else axis
    if dim is None:
        dim = next((k for k, n in enumerate(shape(input)) if n == 3), None)
        if dim is None:
            raise ShapeError(
                f"no dimension of size 3 in input. Got shape {show_shape(shape(input))}; vectors have three entries."
            )
    return linalg_cross(input, other, dim=dim)


def _axis_of_three(p: Shape, q: Shape, dim: int) -> int:
    """Return the axis of length 3 along which vectors lie."""
    if len(p) != len(q):
        raise ShapeError(
            f"linalg.cross: inputs must have the same number of dimensions. Got {show_shape(p)} and {show_shape(q)}; "
            "unsqueeze one."
        )
    a = axis_of(dim, len(p))
    if not p or p[a] != 3 or q[a] != 3:
        raise ShapeError(
            f"linalg.cross: inputs dimension {dim} must have length 3. Got shapes {show_shape(p)} and {show_shape(q)}."
        )
    return a


@shown_as("linalg.cross")
def linalg_cross(input: Any, other: Any, *, dim: int = -1) -> Any:
    """Return the cross product a × b of vectors along one axis of length 3.

    Args:
        input, other: a and b, with the same number of axes, broadcast against each other.
        dim: the axis, by default the last one.

    Returns:
        A tensor of the broadcast shape.

    Raises:
        ShapeError: if the axis does not have length 3, or one has more axes than the other.

    >>> sg.linalg.cross(sg.tensor([0.0, 1.0, 0.0]), sg.tensor([1.0, 0.0, 0.0]))
    tensor([ 0.,  0., -1.])
    """
    p, q = shape(input), shape(other)
    a = _axis_of_three(p, q, dim)
    to = broadcast_shapes(p, q)
    x, z = (v if shape(v) == to else Expand(to)(v) for v in (input, other))
    (x1, z1), (x2, z2) = (tuple(index_select(v, a, turn) for v in (x, z)) for turn in ([1, 2, 0], [2, 0, 1]))
    return rename(SUB(MUL(x1, z2), MUL(x2, z1)), "LinalgCross")


# ------------------------------------------------------------------ products along an axis
def vecdot(x: Any, y: Any, *, dim: int = -1) -> Any:
    """Return the dot products Σ x y along one axis, or Σ x̄ y for complex numbers.

    Args:
        x, y: tensors, broadcast against each other.
        dim: the axis.

    Returns:
        A tensor of the broadcast shape without the axis.

    Raises:
        ShapeError: if the shapes do not fit.

    >>> sg.linalg.vecdot(sg.tensor([[1.0, 2.0]]), sg.tensor([3.0, 4.0]))
    tensor([11.])
    """
    p, q = shape(x), shape(y)
    _need(not p or not q or p[axis_of(dim, len(p))] == q[axis_of(dim, len(q))],
          "linalg.vecdot: Expected x and y to have the same size along the dimension", p, q)  # fmt: skip
    terms = MUL(conj(x), y)
    return rename(sum_axes(terms, (axis_of(dim, len(shape(terms))),)), "LinalgVecdot")


# ------------------------------------------------------------------ products of stacks
# ------------------------------------------------------------------ tensors as matrices
def tensorinv(A: Any, ind: int = 2) -> Any:
    """Return the inverse of A, regarded as a matrix whose rows are the first ``ind`` axes.

    Args:
        A: a tensor in which the product of the first ``ind`` sizes equals that of the other sizes.
        ind: the number of axes that represent rows.

    Returns:
        A tensor that starts with the last axes of A.

    Raises:
        ShapeError: if it is not a square matrix.
        ArgumentError: if ind is not positive.
        LinAlgError: if A is singular.

    >>> sg.linalg.tensorinv(2 * sg.eye(4).reshape(2, 2, 4), 2).shape
    (4, 2, 2)
    """
    if ind <= 0:
        raise ArgumentError(f"Expected a strictly positive integer for 'ind'. Got {ind}.")
    s = shape(A)
    rows, columns = prod(s[:ind]), prod(s[ind:])
    if rows != columns:
        raise ShapeError(
            "Expected self to satisfy the requirement prod(self.shape[ind:]) == prod(self.shape[:ind]), but got "
            f"{columns} != {rows}. Choose another ind."
        )
    try:
        result = inv(Reshape((rows, columns))(A))
    except LinAlgError as error:
        raise LinAlgError(f"Failed to invert the input tensor, because it is singular. {error}") from error
    return Reshape((*s[ind:], *s[:ind]))(result)


def tensorsolve(A: Any, other: Any, dims: Sequence[int] | None = None) -> Any:
    """Solve Σ A X = B for X, where the sum is over the axes of A that B does not have.

    Args:
        A: a tensor with the sizes of B, followed by sizes with the same product.
        other: B, the right-hand side.
        dims: axes of A that are first moved to its end.

    Returns:
        X, with the remaining sizes of A.

    Raises:
        ShapeError: if A is not a square matrix from X to B.
        LinAlgError: if it is singular.

    >>> sg.linalg.tensorsolve(2 * sg.eye(4).reshape(2, 2, 4), sg.ones(2, 2))
    tensor([0.5000, 0.5000, 0.5000, 0.5000])
    """
    ndim = len(shape(A))
    if dims is not None:
        last = [axis_of(d, ndim) for d in dims]
        A = permute(A, [*(k for k in range(ndim) if k not in last), *last])
    s, b = shape(A), shape(other)
    rest = s[len(b) :]
    n = prod(b)
    if prod(s) != n * n or prod(rest) != n:
        raise ShapeError(
            "Expected self to satisfy the requirement prod(self.shape[other.ndim:]) == prod(self.shape[:other.ndim]), "
            f"but got {prod(rest)} != {prod(s[: len(b)])}. Got shapes {show_shape(s)} and {show_shape(b)}."
        )
    return Reshape(rest)(solve(Reshape((n, n))(A), Reshape((n,))(other)))


def vander(x: Any, N: int | None = None) -> Any:
    """Return the Vandermonde matrix V[…, i, k] = x_i^k.

    Args:
        x: (…, n); a number is a vector with one entry.
        N: the number of powers, by default n.

    Returns:
        A tensor (…, n, N).

    Raises:
        ArgumentError: if N is below 2.

    >>> sg.linalg.vander(sg.tensor([2.0, 3.0]), N=3)
    tensor([[1., 2., 4.],
            [1., 3., 9.]])
    """
    x = lengthened(x if shape(x) else Reshape((1,))(x))
    s = shape(x)
    count = s[-1] if N is None else N
    if N is not None and not 1 < N < MOST_POWERS:
        raise ArgumentError(f"N must be greater than 1, and less than {MOST_POWERS}. Got {N}.")
    return rename(stack([power(x, k) for k in range(count)], -1), "LinalgVander")


def powers(x: Any, N: int | None, increasing: bool) -> Any:
    """Return the powers N - 1, …, 0 of a vector as columns, or 0, …, N - 1."""
    s = shape(x)
    _need(len(s) == 1, "x must be a one-dimensional tensor", s)
    count = s[0] if N is None else N
    if count < 0:
        raise ArgumentError(f"N must be non-negative. Got {count}.")
    if count == 0:
        return Reshape((s[0], 0))(getitem(x, slice(0, 0)))
    order = range(count) if increasing else range(count - 1, -1, -1)
    return rename(stack([power(x, k) for k in order], -1), "Vander")
