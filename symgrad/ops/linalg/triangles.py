"""Solving with triangles that are at hand, condition numbers, products of reflections."""

from __future__ import annotations

from math import inf
from typing import Any, NamedTuple

import numpy as np

from symgrad.errors import ArgumentError, ShapeError
from symgrad.ops.contract import matmul, mT
from symgrad.ops.indexing.select import getitem
from symgrad.ops.linalg.matrices import Tril, identity_like
from symgrad.ops.linalg.norms import matrix_norm
from symgrad.ops.linalg.solving import Solve, inv, solve_triangular
from symgrad.ops.linalg.spectral import svdvals
from symgrad.ops.linalg.square import check_square
from symgrad.ops.map import ADD, DIV, MUL, SUB, show_shape
from symgrad.ops.protocol import rename, shape
from symgrad.ops.shape import Reshape

_ORDERS = (None, 2, -2, 1, -1, inf, -inf, "fro", "nuc")


class Triangular(NamedTuple):
    """The solution, and the coefficients it was found with."""

    solution: Any
    cloned_coefficient: Any


def cholesky_solve(input: Any, input2: Any, upper: bool = False) -> Any:
    """X with L Lᵀ X = B.

    Args:
        input: B, (…, n, k).
        input2: L, (…, n, n), a Cholesky factor with zeros in the other triangle.
        upper: L is upper triangular, and the matrix Lᵀ L.

    Returns:
        Shaped like B, with the batch axes of both.

    Raises:
        ShapeError: L is not square, or B does not fit. LinAlgError: L has a zero on its diagonal.

    >>> sg.cholesky_solve(sg.tensor([[4.0], [9.0]]), sg.tensor([[2.0, 0.0], [0.0, 3.0]]))
    tensor([[1.],
            [1.]])
    """
    B, L = input, input2
    check_square("cholesky_solve", shape(L))
    if len(shape(B)) < 2:
        raise ShapeError(
            f"b should have at least 2 dimensions, but has {len(shape(B))} dimensions instead. Unsqueeze it."
        )
    # as in torch, the derivative by L is that of this formula for any L, not only along triangles
    half = Solve(False, upper)(L, B)
    return rename(Solve(False, not upper)(L, half), "CholeskySolve")


def cholesky_inverse(L: Any, upper: bool = False) -> Any:
    """(L Lᵀ)⁻¹, the inverse of the matrix that L is a Cholesky factor of.

    Args:
        L: (…, n, n), with zeros in the other triangle.
        upper: L is upper triangular, and the matrix Lᵀ L.

    Returns:
        Shaped like L.

    Raises:
        ShapeError: L is not square. LinAlgError: L has a zero on its diagonal.

    >>> sg.cholesky_inverse(sg.tensor([[2.0, 0.0], [0.0, 4.0]]))
    tensor([[0.2500, 0.0000],
            [0.0000, 0.0625]])
    """
    check_square("cholesky_inverse", shape(L))
    return rename(cholesky_solve(identity_like(L), L, upper), "CholeskyInverse")


def triangular_solve(
    b: Any, A: Any, upper: bool = True, transpose: bool = False, unitriangular: bool = False
) -> Triangular:
    """X with T X = b, or Tᵀ X = b, T the upper or lower triangle of A.

    Args:
        b: (…, n, k).
        A: (…, n, n); the other triangle is not looked at.
        upper: which triangle.
        transpose: solve with Tᵀ.
        unitriangular: take T's diagonal as ones.

    Returns:
        A named tuple (solution, cloned_coefficient), the latter being A.

    Raises:
        ShapeError: A is not square, or b does not fit. LinAlgError: T is singular.

    >>> sg.triangular_solve(sg.tensor([[4.0]]), sg.tensor([[2.0]])).solution
    tensor([[2.]])
    """
    T, above = (mT(A), not upper) if transpose and len(shape(A)) > 1 else (A, upper)
    return Triangular(solve_triangular(T, b, upper=above, unitriangular=unitriangular), A)


def cond(A: Any, p: Any = None) -> Any:
    """The condition number ‖A‖ ‖A⁻¹‖ in a matrix norm.

    Args:
        A: (…, m, n), square unless p is None, 2 or -2.
        p: None or 2 for σ₁/σₙ, -2 for σₙ/σ₁; 1, -1, inf, -inf, "fro" or "nuc".

    Returns:
        A tensor (…).

    Raises:
        ArgumentError: another p. ShapeError: A is not square. LinAlgError: A is singular, in a norm of entries.

    >>> sg.linalg.cond(sg.tensor([[2.0, 0.0], [0.0, 4.0]]))
    tensor(2.)
    """
    if p not in _ORDERS:
        raise ArgumentError(
            f"linalg.cond got an invalid norm type: {p}. Expected None, 2, -2, 1, -1, inf, -inf, 'fro' or 'nuc'."
        )
    if p in (None, 2, -2):
        s = svdvals(A)
        large, small = getitem(s, (..., 0)), getitem(s, (..., -1))
        return rename(DIV(small, large) if p == -2 else DIV(large, small), "LinalgCond")
    check_square("linalg.cond", shape(A))
    return rename(MUL(matrix_norm(A, p), matrix_norm(inv(A), p)), "LinalgCond")


def householder_product(A: Any, tau: Any) -> Any:
    """The first columns of the product of the reflections I - τ_k v_k v_kᵀ.

    Args:
        A: (…, m, n), m ≥ n; below its diagonal stand the v_k, whose first entry, on the diagonal, is 1.
        tau: (…, k), k ≤ n.

    Returns:
        A tensor shaped like A.

    Raises:
        ShapeError: m < n, k > n, or the batch axes differ.

    >>> sg.linalg.householder_product(sg.tensor([[1.0], [1.0]]), sg.tensor([1.0]))
    tensor([[ 0.],
            [-1.]])
    """
    s, t = shape(A), shape(tau)
    if len(s) < 2:
        raise ShapeError(
            f"linalg.householder_product: input must have at least 2 dimensions. Got shape {show_shape(s)}."
        )
    m, n = s[-2:]
    if m < n or t[-1] > n or t[:-1] != s[:-2]:
        raise ShapeError(
            "linalg.householder_product: input.shape[-2] must be greater than or equal to input.shape[-1], and "
            f"that to tau.shape[-1]. Got A {show_shape(s)} and tau {show_shape(t)}."
        )
    ones = np.eye(m, n, dtype=getattr(A, "dtype", np.float64))
    v = ADD(Tril(-1)(A), ones)
    y: Any = ones
    for k in range(t[-1] - 1, -1, -1):
        column = getitem(v, (..., slice(k, k + 1)))
        factor = Reshape((*s[:-2], 1, 1))(getitem(tau, (..., k)))
        y = SUB(y, MUL(factor, matmul(column, matmul(mT(column), y))))
    y = y if t[-1] else ADD(MUL(A, 0.0), ones)
    return rename(y, "LinalgHouseholderProduct")
