"""Matrices that few numbers make: Toeplitz, banded, products column by column; and their equations."""

from __future__ import annotations

from typing import Any

import numpy as np

from symgrad.errors import ShapeError
from symgrad.ops.contract import LETTERS, Einsum, mT
from symgrad.ops.elementwise.declared import where
from symgrad.ops.indexing.select import along
from symgrad.ops.keys import Positions
from symgrad.ops.linalg.matrices import Tril
from symgrad.ops.linalg.solving import solve
from symgrad.ops.map import ADD, show_shape
from symgrad.ops.protocol import shape
from symgrad.ops.shape import Flip, Reshape
from symgrad.ops.shapes.join import cat
from symgrad.ops.slicing import Gather


def toeplitz(c: Any, r: Any = None) -> Any:
    """The matrix with T_ij = c_{i−j} below and on the diagonal, and r_{j−i} above it.

    Args:
        c: (…, n), the first column.
        r: (…, m), the first row, whose first entry is not looked at; without it c.

    Returns:
        (…, n, m).

    Raises:
        ShapeError: c or r has no axis.

    >>> import symgrad as sg
    >>> sg.linalg.toeplitz(sg.tensor([1.0, 2.0]), sg.tensor([1.0, 5.0, 6.0]))
    tensor([[1., 5., 6.],
            [2., 1., 5.]])
    """
    r = c if r is None else r
    if not shape(c) or not shape(r):
        raise ShapeError(
            f"linalg.toeplitz: c and r are vectors. Got shapes {show_shape(shape(c))} and {show_shape(shape(r))}."
        )
    a, n, m = len(shape(c)) - 1, shape(c)[-1], shape(r)[-1]
    if not n or not m:
        return Reshape((*shape(c)[:-1], n, m))(along(c, a, 0, 0))
    line = cat([Flip((a,))(c), along(r, len(shape(r)) - 1, 1, m)], a)
    return Gather(((a, Positions(np.subtract.outer(n - 1 - np.arange(n), -np.arange(m)))),), "Toeplitz")(line)


def khatri_rao(A: Any, B: Any) -> Any:
    """The Kronecker product column by column: row i·m + j has A_ik B_jk.

    Args:
        A: (…, n, k).
        B: (…, m, k).

    Returns:
        (…, n·m, k).

    Raises:
        ShapeError: A or B is no matrix, or they have different numbers of columns.

    >>> import symgrad as sg
    >>> sg.linalg.khatri_rao(sg.tensor([[1.0, 2.0]]), sg.tensor([[3.0, 4.0], [5.0, 6.0]]))
    tensor([[ 3.,  8.],
            [ 5., 12.]])
    """
    p, q = shape(A), shape(B)
    if len(p) < 2 or len(q) < 2 or p[-1] != q[-1]:
        raise ShapeError(
            f"linalg.khatri_rao: A and B must be matrices with as many columns. Got {show_shape(p)} and "
            f"{show_shape(q)}."
        )
    lead = LETTERS[3 : max(len(p), len(q)) + 1]
    left, right = lead[len(lead) - len(p) + 2 :], lead[len(lead) - len(q) + 2 :]
    y = Einsum.of(f"{left}ac,{right}bc->{lead}abc")(A, B)
    return Reshape((*shape(y)[:-3], p[-2] * q[-2], p[-1]))(y)


def solve_banded(l_and_u: tuple[int, int], ab: Any, b: Any) -> Any:
    """Solve A x = b with A_ij = ab[u + i − j, j] within the band of l diagonals below and u above, 0 elsewhere.

    Args:
        l_and_u: (l, u).
        ab: (l + u + 1, n), a diagonal in each row.
        b: (n,) or (n, k).

    Returns:
        Shaped like b.

    Raises:
        ShapeError: ab has not l + u + 1 rows, or b does not fit.
        LinAlgError: if A is singular.

    >>> import symgrad as sg
    >>> sg.linalg.solve_banded((0, 1), sg.tensor([[0.0, 1.0], [2.0, 4.0]]), sg.tensor([4.0, 8.0]))
    tensor([1., 2.])
    """
    low, up = (int(k) for k in l_and_u)
    return solve(banded(low, up, ab), b)


def banded(low: int, up: int, ab: Any) -> Any:
    """A from its diagonals in the rows of ab."""
    s = shape(ab)
    if len(s) != 2 or s[0] != low + up + 1 or min(low, up) < 0:
        raise ShapeError(
            f"linalg.solve_banded: invalid values for the number of lower and upper diagonals: l + u + 1 = "
            f"{low + up + 1} does not equal ab.shape[0]. Got ab of shape {show_shape(s)}."
        )
    n = s[1]
    row, column = np.indices((n, n))
    place = up + row - column
    inside = (place >= 0) & (place < s[0])
    entries = Gather(((0, Positions(np.where(inside, place * n + column, 0))),), "Banded")(Reshape((s[0] * n,))(ab))
    return where(inside, entries, 0.0)


def solveh_banded(ab: Any, b: Any, lower: bool = False) -> Any:
    """Solve A x = b with a symmetric A given by its diagonals: those above, A_ij = ab[u + i − j, j], or those below.

    Args:
        ab: (u + 1, n); the last row is the diagonal, or the first if lower.
        b: (n,) or (n, k).
        lower: ab has the diagonals below, A_ij = ab[i − j, j].

    Returns:
        Shaped like b.

    Raises:
        ShapeError: ab is no matrix, or b does not fit.
        LinAlgError: if A is singular.

    >>> import symgrad as sg
    >>> sg.linalg.solveh_banded(sg.tensor([[2.0, 4.0]]), sg.tensor([4.0, 8.0]))
    tensor([2., 2.])
    """
    if len(shape(ab)) != 2 or not shape(ab)[0]:
        raise ShapeError(f"linalg.solveh_banded: ab must be a matrix of diagonals. Got {show_shape(shape(ab))}.")
    k = shape(ab)[0] - 1
    half = banded(k, 0, ab) if lower else mT(banded(0, k, ab))
    return solve(ADD(half, mT(Tril(-1)(half))), b)
