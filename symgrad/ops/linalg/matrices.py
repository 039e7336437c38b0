"""Matrices without solving: diagonals, triangles and traces.

Diagonal, DiagEmbed, Tril and Triu move entries and are linear; each is the adjoint of another.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import sympy as sp

from symgrad.core.node import Shape
from symgrad.errors import ShapeError, shown_as
from symgrad.ops.contract import Einsum, permute, summing
from symgrad.ops.convert import counted
from symgrad.ops.keys import Positions
from symgrad.ops.map import POW, show_shape
from symgrad.ops.protocol import Op, rename, shape
from symgrad.ops.scatter import Scatter
from symgrad.ops.shape import Reshape, axis_of, total
from symgrad.ops.shapes.sizes import whole
from symgrad.ops.slicing import Gather
from symgrad.support.frozen import frozen


# ------------------------------------------------------------------ diagonals
def _diagonal_size(offset: int, n: Any, m: Any) -> Any:
    """Count the entries of the offset-th diagonal of an n by m matrix."""
    rows, columns = (n, m - offset) if offset >= 0 else (n + offset, m)
    if isinstance(rows, int) and isinstance(columns, int):
        return max(min(rows, columns), 0)
    return rows if rows == columns else sp.Min(rows, columns)


def _diagonal_of(x: Any, offset: int) -> tuple[Any, ...]:
    """Return the NumPy index of the offset-th diagonal of the last two axes."""
    k = np.arange(_diagonal_size(offset, *x.shape[-2:]))
    return (..., k + max(-offset, 0), k + max(offset, 0))


@frozen
class Diagonal(Op):
    """The offset-th diagonal of the last two axes: (…, n, m) to (…, k)."""

    offset: int = 0
    linear = True
    saves = ""
    signature = "(m,n)->(k)"
    rearranges = True
    explained = "diagonal: the adjoint is put on the diagonal"
    views = shares = True

    def forward(self, x: Any) -> Any:
        return x[_diagonal_of(x, self.offset)]

    def out_shape(self, s: Shape) -> Shape:
        return (*s[:-2], _diagonal_size(self.offset, *s[-2:]))

    def vjp(self, i: int, g: Any, y: Any, x: Any) -> Any:
        """Put the cotangent back on the diagonal."""
        return DiagEmbed(self.offset, *x.shape[-2:])(g)

    def put(self, x: Any, v: Any) -> Any:
        """Write v to the places of the diagonal."""
        ndim, k = len(shape(x)), np.arange(_diagonal_size(self.offset, *shape(x)[-2:]))
        below, above = max(-self.offset, 0), max(self.offset, 0)
        at = Gather(((ndim - 2, Positions(k + below)), (ndim - 1, Positions(k + above))))
        return Scatter(at)(x, v)

    def view(self, x: Any, to: Shape) -> Any:
        """A row and a column further with each step."""
        start = max(-self.offset, 0) * x.steps[-2] + max(self.offset, 0) * x.steps[-1]
        return x.offset + start, (*x.steps[:-2], x.steps[-2] + x.steps[-1])

    def in_matrices(self, a: Any) -> Any:
        return sp.DiagonalOf(a) if self.offset == 0 else None

    def index(self, idx: Sequence[sp.Expr], p: Any) -> sp.Expr:
        """x_ii, or x_i,i+offset."""
        *lead, i = idx
        return p([*lead, i + max(-self.offset, 0), i + max(self.offset, 0)])

    def notation(self, write: Any, *args: Any) -> Any:
        return write.call("diag", args[0], *[write.number(self.offset)] * bool(self.offset))


@frozen
class DiagEmbed(Op):
    """The n by m matrix with the given entries on its offset-th diagonal: (…, k) to (…, n, m)."""

    offset: int
    n: Any
    m: Any
    linear = True
    saves = ""
    signature = "(k)->(m,n)"
    rearranges = True
    explained = "diagonal matrix: the adjoint's diagonal"
    routine = "moves"

    def forward(self, x: Any) -> Any:
        """Write the diagonal into zeros."""
        out = np.zeros((*x.shape[:-1], self.n, self.m), x.dtype)
        out[_diagonal_of(out, self.offset)] = x
        return out

    def out_shape(self, s: Shape) -> Shape:
        return (*s[:-1], self.n, self.m)

    def vjp(self, i: int, g: Any, y: Any, x: Any) -> Any:
        """Read the diagonal of the cotangent."""
        return Diagonal(self.offset)(g)

    def in_matrices(self, a: Any) -> Any:
        return sp.DiagMatrix(a) if self.offset == 0 and self.n == self.m else None

    def index(self, idx: Sequence[sp.Expr], p: Any) -> sp.Expr:
        """δ_ij v_i; off the main diagonal a case distinction, so that v is read in its range only."""
        *lead, i, j = idx
        if self.offset == 0 and self.n == self.m:
            return p([*lead, i]) * sp.KroneckerDelta(i, j)
        entry = p([*lead, i - max(-self.offset, 0)])
        return sp.Piecewise((entry, sp.Eq(j, i + self.offset)), (0, True))

    def notation(self, write: Any, *args: Any) -> Any:
        return write.call("diag", args[0], *[write.number(self.offset)] * bool(self.offset))


def diagonal(x: Any, offset: int = 0, dim1: int = 0, dim2: int = 1) -> Any:
    """Return the entries x[…, i, i + offset] along the axes dim1 and dim2, as a new last axis.

    Args:
        x: (…, n, m).
        offset: the number of the diagonal; positive above the main diagonal, negative below.
        dim1, dim2: the two axes, which must differ.

    Returns:
        (…, k), where k is the length of the diagonal, possibly 0.

    Raises:
        IndexRangeError: if an axis is out of range.
        ShapeError: if the axes are the same.

    >>> sg.diagonal(sg.tensor([[1.0, 2.0], [3.0, 4.0]]))
    tensor([1., 4.])
    """
    rows, columns = _two_axes(dim1, dim2, len(shape(x)))
    return Diagonal(offset)(_to_the_end(x, rows, columns))


@shown_as("linalg.diagonal")
def linalg_diagonal(A: Any, offset: int = 0, dim1: int = -2, dim2: int = -1) -> Any:
    """Return the diagonal of the last two axes; see ``sg.diagonal``.

    >>> sg.linalg.diagonal(sg.ones(5, 2, 3)).shape
    (5, 2)
    """
    return diagonal(A, offset, dim1, dim2)


def _two_axes(dim1: int, dim2: int, ndim: int) -> tuple[int, int]:
    rows, columns = axis_of(dim1, ndim), axis_of(dim2, ndim)
    if ndim < 2 or rows == columns:
        raise ShapeError(
            f"diagonal dimensions cannot be identical {dim1}, {dim2}. Got a tensor of {ndim} dimensions; "
            "name two different ones."
        )
    return rows, columns


def _to_the_end(x: Any, rows: int, columns: int) -> Any:
    ndim = len(shape(x))
    order = [k for k in range(ndim) if k not in (rows, columns)] + [rows, columns]
    return x if order == list(range(ndim)) else permute(x, order)


def diag_embed(x: Any, offset: int = 0, dim1: int = -2, dim2: int = -1) -> Any:
    """Return matrices with x on the diagonal numbered offset, and zeros elsewhere.

    Args:
        x: (…, k).
        offset: the number of the diagonal; positive above the main diagonal, negative below.
        dim1, dim2: the axes of rows and columns in the result.

    Returns:
        (…, n, n) with n = k + |offset|.

    >>> sg.diag_embed(sg.tensor([1.0, 2.0]))
    tensor([[1., 0.],
            [0., 2.]])
    """
    sizes = shape(x)
    rows, columns = _two_axes(dim1, dim2, len(sizes) + 1) if sizes else (axis_of(dim1, 1), axis_of(dim2, 1))
    if not sizes:
        raise ShapeError("diag_embed: Expected at least 1 dimension. Got a number; pass a vector.")
    n = sizes[-1] + abs(offset)
    matrices = DiagEmbed(offset, n, n)(x)
    ndim = len(sizes) + 1
    rest = iter(range(ndim - 2))
    order = [ndim - 2 if k == rows else ndim - 1 if k == columns else next(rest) for k in range(ndim)]
    return matrices if order == list(range(ndim)) else permute(matrices, order)


def diagflat(x: Any, offset: int = 0) -> Any:
    """Return the matrix with the entries of x, in row-major order, on a diagonal.

    Args:
        x: any shape.
        offset: the number of the diagonal; positive above the main diagonal, negative below.

    Returns:
        (n, n), where n is the number of entries plus |offset|.

    >>> sg.diagflat(sg.tensor([[1.0], [2.0]]))
    tensor([[1., 0.],
            [0., 2.]])
    """
    return diag_embed(Reshape((total(shape(x)),))(x), offset)


def diag(x: Any, diagonal: int = 0) -> Any:
    """Return the matrix with a given vector on its diagonal, or the diagonal of a given matrix.

    Args:
        x: (n,) or (n, m).
        diagonal: the number of the diagonal: 0 for the main one, positive above it, negative below.

    Returns:
        (n + |diagonal|, n + |diagonal|) for a vector, (k,) for a matrix.

    Raises:
        ShapeError: if x is neither a vector nor a matrix.

    >>> sg.diag(sg.tensor([1.0, 2.0]))
    tensor([[1., 0.],
            [0., 2.]])
    """
    ndim = len(shape(x))
    if ndim == 1:
        return diag_embed(x, diagonal)
    if ndim == 2:
        return rename(Diagonal(diagonal)(x), "Diagonal")
    raise ShapeError(
        f"diag(): Supports 1D or 2D tensors. Got {ndim}D, shape {show_shape(shape(x))}; "
        "for batches use diagonal or diag_embed."
    )


def identity_like(x: Any) -> Any:
    """Return the identity matrix, shaped like x (…, n, n), with x's dtype."""
    if len(shape(x)) < 2:
        raise ShapeError(f"expected a square matrix, or a batch of them. Got shape {show_shape(shape(x))}.")
    n = shape(x)[-1]
    return DiagEmbed(0, n, n)(POW(Diagonal()(x), 0))


def trace(x: Any) -> Any:
    """Return the trace Σ x_ii.

    Args:
        x: (n, m).

    Returns:
        A number.

    Raises:
        ShapeError: if x is not a matrix.

    >>> sg.trace(sg.tensor([[1.0, 2.0], [3.0, 4.0]]))
    tensor(5.)
    """
    sizes = shape(x)
    if len(sizes) != 2:
        raise ShapeError(
            f"trace: expected a matrix, but got tensor with dim {len(sizes)}. Got shape {show_shape(sizes)}; "
            "for batches sum the diagonal: x.diagonal(0, -2, -1).sum(-1)."
        )
    if sizes[0] == sizes[1]:
        return counted(Einsum.of("ii->", "Trace"), x)
    return rename(counted(summing(1, (0,)), Diagonal()(x)), "Trace")


# ------------------------------------------------------------------ triangles
@frozen
class Tril(Op):
    """The entries on and below the k-th diagonal, zero elsewhere."""

    k: int = 0
    linear = True
    saves = ""
    signature = "(m,n)->(m,n)"
    rearranges = True
    explained = "triangle: the adjoint's triangle"
    routine = "moves"

    def forward(self, x: Any) -> Any:
        """Zero the rest."""
        return np.tril(x, self.k)

    def out_shape(self, s: Shape) -> Shape:
        if len(s) < 2:
            raise ShapeError(
                f"{self.label.lower()}: input tensor must have at least 2 dimensions. "
                f"Got shape {show_shape(s)}; reshape it into a matrix."
            )
        return s

    def vjp(self, i: int, g: Any, y: Any, x: Any) -> Any:
        return self(g)

    def index(self, idx: Sequence[sp.Expr], p: Any) -> sp.Expr:
        """x_ij where j ≤ i + k."""
        i, j = idx[-2:]
        return sp.Piecewise((p(idx), j <= i + self.k), (0, True))

    def notation(self, write: Any, *args: Any) -> Any:
        return write.call(self.label.lower(), args[0], *[write.number(self.k)] * bool(self.k))


@frozen
class Triu(Tril):
    """The entries on and above the k-th diagonal, zero elsewhere."""

    def forward(self, x: Any) -> Any:
        """Zero the rest."""
        return np.triu(x, self.k)

    def index(self, idx: Sequence[sp.Expr], p: Any) -> sp.Expr:
        """x_ij where j ≥ i + k."""
        i, j = idx[-2:]
        return sp.Piecewise((p(idx), j >= i + self.k), (0, True))


def tril(x: Any, diagonal: int = 0) -> Any:
    """Return the lower triangle: x_ij if j ≤ i + diagonal, and 0 otherwise.

    Args:
        x: (…, n, m).
        diagonal: the uppermost diagonal to keep.

    Returns:
        Shaped like x.

    Raises:
        ShapeError: if x has fewer than two dimensions.

    >>> sg.tril(sg.tensor([[1.0, 2.0], [3.0, 4.0]]))
    tensor([[1., 0.],
            [3., 4.]])
    """
    op = Tril(whole(diagonal))
    op.out_shape(shape(x))
    return op(x)


def triu(x: Any, diagonal: int = 0) -> Any:
    """Return the upper triangle: x_ij if j ≥ i + diagonal, and 0 otherwise.

    Args:
        x: (…, n, m).
        diagonal: the lowest diagonal to keep.

    Returns:
        Shaped like x.

    Raises:
        ShapeError: if x has fewer than two dimensions.

    >>> sg.triu(sg.tensor([[1.0, 2.0], [3.0, 4.0]]))
    tensor([[1., 2.],
            [0., 4.]])
    """
    op = Triu(whole(diagonal))
    op.out_shape(shape(x))
    return op(x)


# ------------------------------------------------------------------ notation
