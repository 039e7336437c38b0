"""What operations on square matrices share: shape and dtype checks, the place of a failure, SymPy matrices."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, ClassVar

import numpy as np
import sympy as sp

from symgrad.core.node import Shape
from symgrad.core.promotion import floating
from symgrad.errors import DTypeError, FormError, ShapeError
from symgrad.ops.map import show_shape
from symgrad.ops.protocol import Op
from symgrad.ops.signature import read


class OfSquare(Op):
    """An operation on each square matrix, ``called`` so where it refuses others. The signature says the rest."""

    called: ClassVar[str]
    gives = floating
    analytic = True

    def out_shape(self, s: Shape) -> Shape:
        """The axes in front, and those of the result that the signature names."""
        check_square(self.called, s)
        return (*s[:-2], *s[-1:] * len(read(self.signature).result))

    def taken(self, x: Any) -> Any:
        """Return square matrices as LAPACK takes them."""
        x = taken(self.called, x)
        self.out_shape(x.shape)
        return x


def check_square(name: str, s: Shape) -> None:
    """Raise PyTorch's error unless s is (…, n, n)."""
    if len(s) < 2:
        raise ShapeError(
            f"{name}: The input tensor A must have at least 2 dimensions. Got shape {show_shape(s)}; "
            "pass a matrix (n, n) or a batch of them."
        )
    if s[-1] != s[-2]:
        raise ShapeError(
            f"{name}: A must be batches of square matrices, but they are {s[-2]} by {s[-1]} matrices. "
            f"Got shape {show_shape(s)}."
        )


_LAPACK = frozenset({np.float32, np.float64, np.complex64, np.complex128})


def taken(name: str, x: Any) -> Any:
    """Return x as an array that LAPACK takes: in single or double precision, integers as float64."""
    x = np.asarray(x)
    if x.dtype == np.float16:
        raise DTypeError(f"{name}: Low precision dtypes not supported. Got Half; use .to(sg.float32) first.")
    return x if x.dtype.type in _LAPACK else x.astype(np.float64)


def on_matrices(x: Any, fn: Callable[[sp.Matrix], Any]) -> Any:
    """Apply fn to each matrix of an object array of SymPy expressions."""
    check_square("on_symbols", x.shape)
    matrices = [sp.Matrix(*x.shape[-2:], list(m.flat)) for m in x.reshape(-1, *x.shape[-2:])]
    for m in matrices:
        check_terms(m)
    values = [fn(m) for m in matrices]
    if values and isinstance(values[0], sp.MatrixBase):
        out = np.array([m.tolist() for m in values], dtype=object)
        return out.reshape(x.shape)
    out = np.empty(len(values), dtype=object)
    out[:] = values
    return out.reshape(x.shape[:-2])


_TERMS = 10**5  # of a determinant that is written out; dense matrices of seven rows have more


def check_terms(m: sp.Matrix) -> None:
    """Raise an error for a matrix of expressions whose determinant would be too long to read."""
    if m.free_symbols and math.prod(sum(e != 0 for e in m.row(k)) for k in range(m.rows)) > _TERMS:
        raise FormError(
            f"a matrix of {m.rows} rows is too large to write its determinant or inverse out entry by entry. "
            "Use the matrix or index form, or a smaller case."
        )


_LAPLACE = 4  # rows up to which minors are written out; beyond, Berkowitz's algorithm


def determinant(m: sp.Matrix) -> Any:
    """Return the determinant of a matrix of expressions, without dividing and without expanding."""
    if m.rows > _LAPLACE:
        return m.det(method="berkowitz")
    if m.rows == 0:
        return sp.Integer(1)
    return sp.Add(*[(-1) ** k * m[0, k] * determinant(m.minor_submatrix(0, k)) for k in range(m.rows)])


def adjugate(m: sp.Matrix) -> Any:
    """Return the transposed cofactors of a matrix of expressions."""
    if m.rows > _LAPLACE:
        return m.adjugate(method="berkowitz")
    return sp.Matrix(m.rows, m.rows, lambda i, j: (-1) ** (i + j) * determinant(m.minor_submatrix(j, i)))


def first_bad(x: Any, bad: Callable[[Any], int]) -> tuple[str, int]:
    """Find the first matrix that is bad: its "(Batch element k): ", and what bad says of it."""
    for k, m in enumerate(x.reshape(-1, *x.shape[-2:])):
        problem = bad(m)
        if problem:
            return (f"(Batch element {k}): " if x.ndim > 2 else ""), problem
    return "", 0


def zero_pivot(m: Any) -> int:
    """Return the position, from 1, of the first zero pivot of LU with row exchanges; 0 if there is none."""
    m = m.copy()
    for k in range(min(m.shape)):
        best = k + int(np.argmax(np.abs(m[k:, k])))
        if m[best, k] == 0:
            return k + 1
        m[[k, best]] = m[[best, k]]
        m[k + 1 :, k:] -= np.outer(m[k + 1 :, k] / m[k, k], m[k, k:])
    return 0


def bad_minor(m: Any) -> int:
    """Return the order of the first leading minor that is not positive definite; 0 if all are."""
    for k in range(1, len(m) + 1):
        try:
            factor = np.linalg.cholesky(m[:k, :k])
        except np.linalg.LinAlgError:
            return k
        if np.isnan(factor[-1, -1]):
            return k
    return 0
