"""Matrices that few numbers make: Toeplitz, and products column by column."""

from __future__ import annotations

from typing import Any

import numpy as np

from symgrad.errors import ShapeError
from symgrad.ops.contract import LETTERS, Einsum
from symgrad.ops.indexing.select import along
from symgrad.ops.keys import Positions
from symgrad.ops.map import show_shape
from symgrad.ops.protocol import shape
from symgrad.ops.shape import Flip, Reshape
from symgrad.ops.shapes.join import cat
from symgrad.ops.slicing import Gather


def toeplitz(c: Any, r: Any = None) -> Any:
    """Return the Toeplitz matrix, with T_ij = c_{i−j} on and below the diagonal, and r_{j−i} above it.

    Args:
        c: (…, n), the first column.
        r: (…, m), the first row, whose first entry is ignored; by default c.

    Returns:
        (…, n, m).

    Raises:
        ShapeError: if c or r has no axis.

    >>> sg.linalg.toeplitz(sg.tensor([1.0, 2.0]), sg.tensor([1.0, 5.0, 6.0]))
    tensor([[1., 5., 6.],
            [2., 1., 5.]])
    """
    r = c if r is None else r
    if not shape(c) or not shape(r):
        raise ShapeError(
            f"linalg.toeplitz: c and r must be vectors. Got shapes {show_shape(shape(c))} and {show_shape(shape(r))}."
        )
    a, n, m = len(shape(c)) - 1, shape(c)[-1], shape(r)[-1]
    if not n or not m:
        return Reshape((*shape(c)[:-1], n, m))(along(c, a, 0, 0))
    line = cat([Flip((a,))(c), along(r, len(shape(r)) - 1, 1, m)], a)
    return Gather(((a, Positions(np.subtract.outer(n - 1 - np.arange(n), -np.arange(m)))),), "Toeplitz")(line)


def khatri_rao(A: Any, B: Any) -> Any:
    """Return the columnwise Kronecker product, whose row i·m + j is A_ik B_jk.

    Args:
        A: (…, n, k).
        B: (…, m, k).

    Returns:
        (…, n·m, k).

    Raises:
        ShapeError: if A or B is not a matrix, or they have different numbers of columns.

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
