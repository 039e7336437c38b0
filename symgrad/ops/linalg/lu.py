"""LU with row exchanges, and solving with it: the exchanges are positions, the rest is differentiated."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Generic, NamedTuple

import numpy as np
import sympy as sp

from symgrad.core.node import Shape
from symgrad.core.promotion import is_complex, of_first, positions
from symgrad.errors import ArgumentError, NotYet, ShapeError, shown_as
from symgrad.ops.contract import matmul, mT
from symgrad.ops.convert import Cast
from symgrad.ops.indexing.select import along
from symgrad.ops.linalg import factors
from symgrad.ops.linalg.hermitian import mH
from symgrad.ops.linalg.matrices import Tril, Triu, identity_like
from symgrad.ops.linalg.solving import Solve, solve_triangular
from symgrad.ops.linalg.square import OfSquare, check_square, taken
from symgrad.ops.map import ADD, broadcast_shapes, show_shape
from symgrad.ops.protocol import Op, TensorT, rename, shape
from symgrad.ops.shapes.join import cat
from symgrad.support.arguments import shown
from symgrad.support.frozen import frozen


def _eliminated(x: Any) -> tuple[Any, Any]:
    """Return L and U in one array, and the row that each was exchanged with, counted from 0, of a stack."""
    x = np.array(x)
    m, n = x.shape[-2:]
    k = min(m, n)
    pivots = np.empty((*x.shape[:-2], k), np.int64)
    for b in np.ndindex(x.shape[:-2]):
        a = x[b]
        for j in range(k):
            p = pivots[(*b, j)] = j + int(np.argmax(sizes(a[j:, j])))
            a[[j, p]] = a[[p, j]]
            if a[j, j] != 0:
                a[j + 1 :, j] /= a[j, j]
                a[j + 1 :, j + 1 :] -= np.outer(a[j + 1 :, j], a[j, j + 1 :])
    return x, pivots


def sizes(x: Any) -> Any:
    """|x|, of complex numbers |Re x| + |Im x|, by which LAPACK chooses."""
    return np.abs(x.real) + np.abs(x.imag) if is_complex(x.dtype) else np.abs(x)


@frozen
class Pivots(Op):
    """The row, counted from 1, that each row was exchanged with in LU: (…, m, n) to (…, min(m, n))."""

    saves = ""
    gives = positions
    flat = True
    analytic = True
    signature = "(m,n)->(k)"
    not_exportable = "the libraries of the targets number exchanges otherwise"

    def forward(self, x: Any) -> Any:
        """Factorise the matrix, and return the row exchanges."""
        return self.exchanged(taken("linalg.lu_factor", x))

    def exchanged(self, x: Any) -> Any:
        """The same, of entries of any kind."""
        return _eliminated(x)[1] + 1

    def on_symbols(self, x: Any) -> Any:
        """Of two rows, which is larger in front."""
        x = np.asarray(x, dtype=object)
        if x.shape[-2] != 2:
            raise factors.no_formula("the pivots of LU", x.shape[-2])
        pivots = np.full(self.out_shape(x.shape), sp.Integer(2), dtype=object)
        for b in np.ndindex(x.shape[:-2]):
            pivots[(*b, 0)] = sp.Piecewise((1, sp.Abs(x[(*b, 0, 0)]) >= sp.Abs(x[(*b, 1, 0)])), (2, True))
        return pivots

    def out_shape(self, s: Shape) -> Shape:
        return (*s[:-2], min(s[-2:]))


@frozen
class Exchange(Op):
    """The rows of x (…, m, k), exchanged one after the other as pivots (…, j) say; or that undone."""

    back: bool = False
    gives = of_first
    analytic = True
    signature = "(m,k),(j)->(m,k)"
    independent_axes = "k"
    explained = "exchanged rows: the adjoint is exchanged back"
    not_exportable = "the libraries of the targets number exchanges otherwise"

    def forward(self, x: Any, pivots: Any) -> Any:
        """Exchange the numbers of the rows, and read them."""
        x, pivots = np.asarray(x), np.asarray(pivots, np.int64) - 1
        m = x.shape[-2]
        if ((pivots < np.arange(pivots.shape[-1])) | (pivots >= m)).any():
            raise ArgumentError(
                f"lu_solve: got pivots {shown(pivots + 1)}. Expected row exchanges counted from 1, as lu_factor "
                "returns them; SciPy's count from 0: pass its pair, sg.linalg.lu_solve((lu, piv), b)."
            )
        order = np.broadcast_to(np.arange(m), (*pivots.shape[:-1], m)).copy()
        for b in np.ndindex(pivots.shape[:-1]):
            for j, p in enumerate(pivots[b]):
                order[b][[j, p]] = order[b][[p, j]]
        order = np.argsort(order, -1) if self.back else order
        to = self.out_shape(x.shape, pivots.shape)
        return np.take_along_axis(np.broadcast_to(x, to), np.broadcast_to(order[..., None], to), -2)

    def on_symbols(self, x: Any, pivots: Any) -> Any:
        """Of two rows, take one or the other; numbers that are known as such."""
        pivots = np.asarray(pivots, dtype=object)
        if all(sp.sympify(p).is_Integer for p in pivots.flat):
            return self.forward(x, pivots.astype(np.int64))
        x = np.broadcast_to(x, self.out_shape(np.shape(x), pivots.shape))
        first = np.broadcast_to(pivots[..., :1, None], x.shape)
        return np.frompyfunc(lambda p, a, b: sp.Piecewise((a, sp.Eq(p, 1)), (b, True)), 3, 1)(first, x, np.flip(x, -2))

    def out_shape(self, s: Shape, pivots: Shape) -> Shape:
        return (*broadcast_shapes(s[:-2], pivots[:-1]), *s[-2:])

    def keeps(self, active: tuple[int, ...], count: int) -> tuple[bool, tuple[bool, ...]]:
        """The rule looks at the pivots."""
        return False, (False, True)

    def vjp(self, i: int, g: Any, y: Any, x: Any, pivots: Any) -> Any:
        """Exchange the rows of the cotangent in the opposite order."""
        return None if i else Exchange(not self.back)(g, pivots)

    def jvp(self, ts: Sequence[Any], y: Any, x: Any, pivots: Any) -> Any:
        """Exchange the rows of the tangent."""
        return None if ts[0] is None else self(ts[0], pivots)


@frozen
class Doolittle(OfSquare):
    """L and U of A = L U in one matrix, without exchanges; L has ones on its diagonal. A (…, n, n)."""

    name = "LinalgLuFactorEx"
    called = "linalg.lu_factor"
    spelled = "lu"
    saves = "y"
    signature = "(n,n)->(n,n)"
    explained = "LU: back through A = L·U, each triangle by itself"
    not_exportable = "no library of the targets has LU without exchanges"

    def forward(self, x: Any) -> Any:
        """Eliminate, column by column."""
        y = np.array(self.taken(x))
        with np.errstate(divide="ignore", invalid="ignore"):
            for j in range(y.shape[-1]):
                below = y[..., j + 1 :, j]
                below[...] = np.where(below == 0, 0, below / y[..., j, j, None])
                y[..., j + 1 :, j + 1 :] -= below[..., None] * y[..., j, None, j + 1 :]
        return y

    def on_symbols(self, x: Any) -> Any:
        y = np.array(x, dtype=object)
        for j in range(y.shape[-1]):
            y[..., j + 1 :, j] = y[..., j + 1 :, j] / y[..., j, j, None]
            y[..., j + 1 :, j + 1 :] = y[..., j + 1 :, j + 1 :] - y[..., j + 1 :, j, None] * y[..., j, None, j + 1 :]
        return y

    def vjp(self, i: int, g: Any, y: Any, x: Any) -> Any:
        # A = L U  ⇒  Ā = L⁻ᵀ (tril₋₁(Lᵀ L̄) + triu(Ū Uᵀ)) U⁻ᵀ
        lower, upper = _unit(y), Triu()(y)
        inside = ADD(Tril(-1)(matmul(mT(lower), Tril(-1)(g))), Triu()(matmul(Triu()(g), mT(upper))))
        left = Solve(False, True)(lower, inside)
        return mT(Solve(False)(upper, mT(left)))

    def jvp(self, ts: Sequence[Any], y: Any, *xs: Any) -> Any:
        # with F = L⁻¹ Ȧ U⁻¹:  L̇ = L tril₋₁(F),  U̇ = triu(F) U
        lower, upper = _unit(y), Triu()(y)
        moved = mT(Solve(False, True)(upper, mT(Solve(False)(lower, ts[0]))))
        return ADD(matmul(lower, Tril(-1)(moved)), matmul(Triu()(moved), upper))


def _unit(y: Any) -> Any:
    """L, of L and U in one matrix."""
    return ADD(Tril(-1)(y), identity_like(y))


# ------------------------------------------------------------------ what users call
class LUFactor(NamedTuple, Generic[TensorT]):
    """L and U in one matrix, and the row, counted from 1, that each row was exchanged with."""

    LU: TensorT
    pivots: TensorT


class LU(NamedTuple, Generic[TensorT]):
    """The factors of A = P L U."""

    P: TensorT
    L: TensorT
    U: TensorT


def lu_factor(A: Any, *, pivot: bool = True) -> LUFactor[Any]:
    """Factorise A = P L U. One matrix contains U on and above the diagonal and L below it; pivots represent P.

    Args:
        A: (…, m, n) whose first min(m, n) columns are linearly independent.
        pivot: must be True; LU without row exchanges is not implemented.

    Returns:
        A named tuple (LU, pivots): (…, m, n) and (…, min(m, n)).

    Raises:
        ShapeError: if A is not a matrix.
        NotYet: if pivot is False.

    Source: for the gradient, de Hoog, Anderssen, Lukas 2011, Differentiation of matrix functionals.

    >>> sg.linalg.lu_factor(sg.tensor([[1.0, 2.0], [2.0, 1.0]]))
    LUFactor(LU=tensor([[2.0000, 1.0000],
            [0.5000, 1.5000]]), pivots=tensor([2, 2], dtype=int32))
    """
    packed, pivots = _packed(A, pivot)
    return LUFactor(rename(packed, "LinalgLuFactorEx"), Cast(np.dtype(np.int32))(pivots))


def lu(A: Any, *, pivot: bool = True) -> LU[Any]:
    """Factorise A = P L U: P is a permutation, L is lower triangular with ones on its diagonal, U is upper triangular.

    Args:
        A: (…, m, n) whose first k = min(m, n) columns are linearly independent.
        pivot: must be True; LU without row exchanges is not implemented.

    Returns:
        A named tuple (P, L, U): (…, m, m), (…, m, k) and (…, k, n).

    Raises:
        ShapeError: if A is not a matrix.
        NotYet: if pivot is False.

    >>> sg.linalg.lu(sg.tensor([[1.0, 2.0], [2.0, 1.0]])).L
    tensor([[1.0000, 0.0000],
            [0.5000, 1.0000]])
    """
    packed, pivots = _packed(A, pivot)
    m, n = shape(A)[-2:]
    k = min(m, n)
    ndim = len(shape(A))
    lower = along(packed, ndim - 1, 0, k)
    L = ADD(Tril(-1)(lower), np.eye(m, k, dtype=getattr(A, "dtype", np.float64)))
    U = Triu()(along(packed, ndim - 2, 0, k))
    return LU(Exchange(back=True)(np.eye(m, dtype=L.dtype), pivots), rename(L, "LinalgLu"), rename(U, "LinalgLu"))


def _packed(A: Any, pivot: bool) -> tuple[Any, Any]:
    s = shape(A)
    if len(s) < 2:
        raise ShapeError(
            f"linalg.lu_factor: Expected tensor with 2 or more dimensions. Got size: {show_shape(s)} instead. "
            "Pass a matrix."
        )
    if not pivot:
        raise NotYet("linalg.lu_factor: LU without pivoting is not implemented. Omit pivot=False.")
    pivots = Pivots()(A)
    return _compact(Exchange()(A, pivots), *s[-2:]), pivots


def _compact(A: Any, m: int, n: int) -> Any:
    """Return L and U of a matrix whose rows are in pivot order; the part beyond the square follows by solving."""
    last = len(shape(A)) - 1
    if m == n:
        return Doolittle()(A)
    if m < n:
        square = Doolittle()(along(A, last, 0, m))
        right = solve_triangular(square, along(A, last, m, n), upper=False, unitriangular=True)
        return cat([square, right], last)
    square = Doolittle()(along(A, last - 1, 0, n))
    below = solve_triangular(square, along(A, last - 1, n, m), upper=True, left=False)
    return cat([square, below], last - 1)


def _check_rows(s: Shape, n: Any) -> None:
    if len(s) < 2 or s[-2] != n:
        raise ShapeError(
            f"linalg.lu_solve: Incompatible shapes of A and B for the equation AX = B ({n}x{n} and "
            f"{show_shape(s)}). Expected {n} rows in B."
        )


def check_pivots(name: str, s: Shape, n: Any) -> None:
    """Raise unless each of the n rows has its exchange."""
    if not s or s[-1] != n:
        raise ShapeError(
            f"{name}: Got pivots of shape {show_shape(s)}. Expected {n} in the last axis, one for each row. "
            "Pass the pivots that came with the factor."
        )


def lu_solve(LU: Any, pivots: Any, B: Any, *, left: bool = True, adjoint: bool = False) -> Any:
    """Solve A X = B, or X A = B, with A = P L U from ``lu_factor``.

    Args:
        LU, pivots: (…, n, n) and (…, n).
        B: (…, n, k), or (…, k, n) if left is False.
        left: whether to solve A X = B instead of X A = B.
        adjoint: whether to solve with Aᵀ, or Aᴴ for complex A.

    Returns:
        Shaped like B, with the batch axes of both.

    Raises:
        ShapeError: if LU is not square, or the pivots or B do not fit.

    >>> LU, pivots = sg.linalg.lu_factor(sg.tensor([[0.0, 2.0], [4.0, 0.0]]))
    >>> sg.linalg.lu_solve(LU, pivots, sg.tensor([[2.0], [4.0]]))
    tensor([[1.],
            [1.]])
    """
    check_square("linalg.lu_solve", shape(LU))
    check_pivots("linalg.lu_solve", shape(pivots), shape(LU)[-1])
    if not left:
        return mH(lu_solve(LU, pivots, mH(B), adjoint=not adjoint))
    _check_rows(shape(B), shape(LU)[-1])
    if adjoint:  # Aᴴ = Uᴴ Lᴴ Pᵀ
        half = solve_triangular(mH(LU), B, upper=False)
        whole = solve_triangular(mH(LU), half, upper=True, unitriangular=True)
        return rename(Exchange(back=True)(whole, pivots), "LinalgLuSolve")
    half = solve_triangular(LU, Exchange()(B, pivots), upper=False, unitriangular=True)
    return rename(solve_triangular(LU, half, upper=True), "LinalgLuSolve")


@shown_as("lu_solve")
def solve_with(b: Any, LU_data: Any, LU_pivots: Any) -> Any:
    """Solve A X = b, given the factors of A = P L U that ``linalg.lu_factor`` returns.

    Args:
        b: (…, n, k).
        LU_data, LU_pivots: (…, n, n) and (…, n).

    Returns:
        Shaped like b, with the batch axes of both.

    Raises:
        ShapeError: if the sizes do not fit.

    >>> sg.lu_solve(sg.tensor([[2.0]]), *sg.linalg.lu_factor(sg.tensor([[4.0]])))
    tensor([[0.5000]])
    """
    return lu_solve(LU_data, LU_pivots, b)
