"""The named products outer, dot, mv, mm, bmm, inner, kron, and chains of matrices. All use Einsum."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

from symgrad.core.node import Shape
from symgrad.errors import ArgumentError, ShapeError
from symgrad.ops.contract import LETTERS, Einsum, matmul
from symgrad.ops.elementwise.complexes import conj
from symgrad.ops.map import MUL, show_shape
from symgrad.ops.protocol import shape
from symgrad.ops.shape import Reshape


def _need(fits: bool, message: str, *shapes: Shape) -> None:
    """Raise PyTorch's message with the shapes that were received."""
    if not fits:
        got = " and ".join(map(show_shape, shapes))
        raise ShapeError(f"{message.rstrip('.')}. Got {got}; reshape them, or use matmul.")


def outer(x: Any, vec2: Any) -> Any:
    """Return the outer product x_i v_j.

    Args:
        x: (n,).
        vec2: (m,).

    Returns:
        (n, m).

    Raises:
        ShapeError: if an argument is not a vector.

    >>> sg.outer(sg.tensor([1.0, 2.0]), sg.tensor([3.0, 4.0]))
    tensor([[3., 4.],
            [6., 8.]])
    """
    p, q = shape(x), shape(vec2)
    _need(len(p) == 1, f"outer: Expected 1-D argument self, but got {len(p)}-D", p, q)
    _need(len(q) == 1, f"outer: Expected 1-D argument vec2, but got {len(q)}-D", p, q)
    return Einsum.of("i,j->ij", "Mul")(x, vec2)


def dot(x: Any, tensor: Any) -> Any:
    """Return the inner product Σ x_i t_i of two vectors.

    Args:
        x, tensor: (n,).

    Returns:
        A number.

    Raises:
        ShapeError: if an argument is not a vector, or the lengths differ.

    >>> sg.dot(sg.tensor([1.0, 2.0]), sg.tensor([3.0, 4.0]))
    tensor(11.)
    """
    p, q = shape(x), shape(tensor)
    _need(len(p) == len(q) == 1, f"1D tensors expected, but got {len(p)}D and {len(q)}D tensors", p, q)
    return matmul(x, tensor)


def vdot(x: Any, other: Any) -> Any:
    """Return the inner product Σ conj(x_i) y_i of two vectors, which is ``dot`` for real numbers.

    Args:
        x, other: (n,).

    Returns:
        A number.

    Raises:
        ShapeError: if the ranks or sizes do not fit.

    >>> sg.vdot(sg.tensor([1.0, 2.0]), sg.tensor([3.0, 4.0]))
    tensor(11.)
    """
    return dot(conj(x), other)


def mv(x: Any, vec: Any) -> Any:
    """Return the matrix-vector product Σ_j x_ij v_j.

    Args:
        x: (n, m).
        vec: (m,).

    Returns:
        (n,).

    Raises:
        ShapeError: if the ranks or sizes do not fit.

    >>> sg.mv(sg.tensor([[1.0, 2.0], [3.0, 4.0]]), sg.tensor([1.0, 1.0]))
    tensor([3., 7.])
    """
    p, q = shape(x), shape(vec)
    _need((len(p), len(q)) == (2, 1), f"vector + matrix @ vector expected, got 1, {len(p)}, {len(q)}", p, q)
    return matmul(x, vec)


def mm(x: Any, mat2: Any) -> Any:
    """Return the matrix product Σ_j x_ij y_jk.

    Args:
        x: (n, m).
        mat2: (m, k).

    Returns:
        (n, k).

    Raises:
        ShapeError: if an argument is not a matrix, or the inner sizes differ.

    >>> sg.mm(sg.tensor([[1.0, 2.0]]), sg.tensor([[3.0], [4.0]]))
    tensor([[11.]])
    """
    p, q = shape(x), shape(mat2)
    _need(len(p) == 2, "self must be a matrix", p, q)
    _need(len(q) == 2, "mat2 must be a matrix", p, q)
    return matmul(x, mat2)


def bmm(x: Any, mat2: Any) -> Any:
    """Return the batch of matrix products Σ_j x_bij y_bjk.

    Args:
        x: (b, n, m).
        mat2: (b, m, k).

    Returns:
        (b, n, k).

    Raises:
        ShapeError: if the ranks or sizes do not fit; batches are not broadcast.

    >>> sg.bmm(sg.ones(2, 1, 3), sg.ones(2, 3, 1)).shape
    (2, 1, 1)
    """
    p, q = shape(x), shape(mat2)
    _need(len(p) == 3, "batch1 must be a 3D tensor", p, q)
    _need(len(q) == 3, "batch2 must be a 3D tensor", p, q)
    expected = (p[0], p[2])
    message = (
        f"Expected size for first two dimensions of batch2 tensor to be: {show_shape(expected)} "
        f"but got: {show_shape(q[:2])}."
    )
    _need(expected == q[:2], message, p, q)
    return Einsum.of("bij,bjk->bik", "Bmm")(x, mat2)


def inner(x: Any, other: Any) -> Any:
    """Return the product Σ_k x_…k y_…k over the last axes; a number is a factor.

    Args:
        x: (…, n).
        other: (…, n).

    Returns:
        A tensor whose shape is that of x, then that of other, without their last axes.

    Raises:
        ShapeError: if the last sizes differ.

    >>> sg.inner(sg.tensor([1.0, 2.0]), sg.tensor([3.0, 4.0]))
    tensor(11.)
    """
    p, q = shape(x), shape(other)
    if not p or not q:
        return MUL(x, other)
    if p[-1] != q[-1]:
        raise ShapeError(
            "inner() the last dimension must match on both input tensors but got shapes "
            f"{show_shape(p)} and {show_shape(q)}. Transpose or slice one of them."
        )
    one, two = LETTERS[1 : len(p)], LETTERS[len(p) : len(p) + len(q) - 1]
    return Einsum.of(f"{one}a,{two}a->{one}{two}")(x, other)


def kron(x: Any, other: Any) -> Any:
    """Return the Kronecker product, whose blocks are x_ij Y.

    Args:
        x: (n0, n1, …).
        other: (m0, m1, …); ones are prepended to the shorter shape.

    Returns:
        (n0 m0, n1 m1, …).

    >>> sg.kron(sg.tensor([1.0, 2.0]), sg.tensor([1.0, 10.0]))
    tensor([ 1., 10.,  2., 20.])
    """
    p, q = shape(x), shape(other)
    ndim = max(len(p), len(q))
    p, q = (1,) * (ndim - len(p)) + p, (1,) * (ndim - len(q)) + q
    one, two = LETTERS[:ndim], LETTERS[ndim : 2 * ndim]
    spec = f"{one},{two}->{''.join(a + b for a, b in zip(one, two, strict=True))}"
    blocks = Einsum.of(spec)(Reshape(p)(x), Reshape(q)(other))
    return Reshape(tuple(n * m for n, m in zip(p, q, strict=True)), "UnsafeView")(blocks)


# ------------------------------------------------------------------ chains
def multi_dot(tensors: Sequence[Any]) -> Any:
    """Return the product A₁A₂…A_k, evaluated in the order with the fewest multiplications.

    Args:
        tensors: at least two matrices; the first and the last may be vectors.

    Returns:
        The product, without the axes that a vector does not have.

    Raises:
        ArgumentError: if there are fewer than two.
        ShapeError: if ranks or sizes do not fit.

    Source: Cormen et al., Introduction to Algorithms, §15.2.

    >>> sg.linalg.multi_dot([sg.ones(2, 3), sg.ones(3, 4), sg.ones(4)])
    tensor([12., 12.])
    """
    shapes = [shape(t) for t in tensors]
    _check_chain(shapes)
    if len(tensors) == 2:
        return matmul(*tensors)
    rows = shapes[0][0] if len(shapes[0]) == 2 else 1
    sizes = [rows, *[s[0] for s in shapes[1:]], shapes[-1][1] if len(shapes[-1]) == 2 else 1]
    return _multiply(tensors, _best_cuts(sizes))


def _check_chain(shapes: Sequence[Shape]) -> None:
    if len(shapes) < 2:
        raise ArgumentError(f"multi_dot(): expected at least 2 tensors but got {len(shapes)}. Pass a list of matrices.")
    for k, which in ((0, "first"), (-1, "last")):
        if len(shapes[k]) not in (1, 2):
            raise ShapeError(
                f"multi_dot(): the {which} tensor must be 1D or 2D but got {len(shapes[k])}D. "
                f"Got shape {show_shape(shapes[k])}; for batches use matmul."
            )
    for k, s in enumerate(shapes[1:-1], 1):
        if len(s) != 2:
            raise ShapeError(f"multi_dot(): tensor {k} must be 2D but got {len(s)}D. Got {show_shape(s)}.")
    for k, (p, q) in enumerate(pairwise(shapes)):
        if p[-1] != q[0]:
            raise ShapeError(
                f"multi_dot(): tensors {k} and {k + 1} with shapes {show_shape(p)} and {show_shape(q)} "
                "cannot be multiplied. The last size of one must be the first of the next."
            )


def _best_cuts(sizes: Sequence[Any]) -> dict[tuple[int, int], int]:
    """Return where to split each run i..j of matrices; from the left where sizes are symbolic."""
    count = len(sizes) - 1
    known = all(isinstance(n, int) for n in sizes)
    cost: dict[tuple[int, int], Any] = {(i, i): 0 for i in range(count)}
    cuts: dict[tuple[int, int], int] = {}
    for length in range(1, count):
        for i in range(count - length):
            j = i + length
            if not known:
                cuts[i, j] = j - 1
                continue
            ends = sizes[i] * sizes[j + 1]
            costs = {k: cost[i, k] + cost[k + 1, j] + ends * sizes[k + 1] for k in range(i, j)}
            cuts[i, j] = min(costs, key=costs.__getitem__)
            cost[i, j] = costs[cuts[i, j]]
    return cuts


def _multiply(tensors: Sequence[Any], cuts: dict[tuple[int, int], int]) -> Any:
    """Multiply shorter runs first, each needed one once."""
    needed, stack = [], [(0, len(tensors) - 1)]
    while stack:
        i, j = stack.pop()
        if i < j:
            needed.append((i, j))
            stack += [(i, cuts[i, j]), (cuts[i, j] + 1, j)]
    products = {(i, i): t for i, t in enumerate(tensors)}
    for i, j in reversed(needed):
        k = cuts[i, j]
        products[i, j] = matmul(products[i, k], products[k + 1, j])
    return products[0, len(tensors) - 1]
