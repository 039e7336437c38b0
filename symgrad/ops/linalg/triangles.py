"""Systems with triangular matrices, and with matrices given by their Cholesky factors."""

from __future__ import annotations

from typing import Any, Generic, NamedTuple

from symgrad.errors import ShapeError
from symgrad.ops.contract import mT
from symgrad.ops.elementwise.complexes import holds_complex
from symgrad.ops.linalg.hermitian import mH
from symgrad.ops.linalg.matrices import identity_like
from symgrad.ops.linalg.solving import Solve, solve_triangular
from symgrad.ops.linalg.square import check_square
from symgrad.ops.map import IDENTITY
from symgrad.ops.protocol import TensorT, rename, shape


class Triangular(NamedTuple, Generic[TensorT]):
    """The solution, and the coefficients it was found with."""

    solution: TensorT
    cloned_coefficient: TensorT


def cholesky_solve(input: Any, input2: Any, upper: bool = False) -> Any:
    """Solve L Lᵀ X = B, or L Lᴴ X = B for complex L.

    Args:
        input: B, (…, n, k).
        input2: L, (…, n, n), a Cholesky factor with zeros in the other triangle.
        upper: whether L is upper triangular, so that the matrix is Lᵀ L.

    Returns:
        Shaped like B, with the batch axes of both.

    Raises:
        ShapeError: if L is not square, or B does not fit.
        LinAlgError: if L has a zero on its diagonal.

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
    # as in PyTorch, the derivative with respect to L is that of this formula for any L, not only along triangles
    if holds_complex(L):
        first, second = (mH(L), L) if upper else (L, mH(L))
        return rename(Solve(False)(second, Solve(False)(first, B)), "CholeskySolve")
    half = Solve(False, upper)(L, B)
    return rename(Solve(False, not upper)(L, half), "CholeskySolve")


def cholesky_inverse(L: Any, upper: bool = False) -> Any:
    """Return (L Lᵀ)⁻¹, or (L Lᴴ)⁻¹ for complex L: the inverse of a matrix with the Cholesky factor L.

    Args:
        L: (…, n, n), with zeros in the other triangle.
        upper: whether L is upper triangular, so that the matrix is Lᵀ L.

    Returns:
        Shaped like L.

    Raises:
        ShapeError: if L is not square.
        LinAlgError: if L has a zero on its diagonal.

    >>> sg.cholesky_inverse(sg.tensor([[2.0, 0.0], [0.0, 4.0]]))
    tensor([[0.2500, 0.0000],
            [0.0000, 0.0625]])
    """
    check_square("cholesky_inverse", shape(L))
    return rename(cholesky_solve(identity_like(L), L, upper), "CholeskyInverse")


def triangular_solve(
    b: Any, A: Any, upper: bool = True, transpose: bool = False, unitriangular: bool = False
) -> Triangular[Any]:
    """Solve T X = b, or Tᵀ X = b, where T is the upper or lower triangle of A.

    Args:
        b: (…, n, k).
        A: (…, n, n); the other triangle is not read.
        upper: whether T is the upper triangle.
        transpose: whether to solve with Tᵀ.
        unitriangular: whether to treat the diagonal of T as ones.

    Returns:
        A named tuple (solution, cloned_coefficient), where cloned_coefficient is A.

    Raises:
        ShapeError: if A is not square, or b does not fit.
        LinAlgError: if T is singular.

    >>> sg.triangular_solve(sg.tensor([[4.0]]), sg.tensor([[2.0]])).solution
    tensor([[2.]])
    """
    T, above = (mT(A), not upper) if transpose and len(shape(A)) > 1 else (A, upper)
    return Triangular(solve_triangular(T, b, upper=above, unitriangular=unitriangular), IDENTITY(A))
