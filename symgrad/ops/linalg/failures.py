"""Factorisations that report failures for each matrix of a batch by a number, instead of raising an error."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Generic, NamedTuple

import numpy as np
import sympy as sp

from symgrad.core.promotion import Kind, floating
from symgrad.errors import LinAlgError
from symgrad.ops.elementwise.declared import BINARY, where
from symgrad.ops.linalg.factors import no_formula
from symgrad.ops.linalg.ldl import LDL, ldl_factor
from symgrad.ops.linalg.lu import lu_factor
from symgrad.ops.linalg.matrices import identity_like
from symgrad.ops.linalg.solving import cholesky, inv, is_vector, solve
from symgrad.ops.linalg.square import bad_minor, check_square, on_matrices, taken, zero_pivot
from symgrad.ops.protocol import Op, TensorT, shape
from symgrad.ops.shape import Reshape
from symgrad.support.frozen import frozen


def _singular(m: Any) -> int:
    """Return the position, from 1, of the pivot that LAPACK finds zero; 0 if there is none."""
    try:
        np.linalg.inv(m)
    except np.linalg.LinAlgError:
        return zero_pivot(m) or len(m)
    return 0


def _zero_block(m: Any) -> int:
    """Return the position, from 1, of the first zero in D of LDLᵀ; 0 if there is none."""
    packed, pivots = (np.asarray(LDL(part).forward(m)) for part in (0, 1))
    zeros = np.flatnonzero((np.diag(packed) == 0) & (pivots > 0))
    return int(zeros[0]) + 1 if len(zeros) else 0


_TESTS: dict[str, Callable[[Any], int]] = {
    "cholesky": bad_minor, "inv": _singular, "ldl_factor": _zero_block, "lu_factor": zero_pivot,
}  # fmt: skip


@frozen
class Failure(Op):
    """Where a factorisation of each matrix stops, counted from 1, and 0 if it does not: (…, m, n) to (…)."""

    of: str
    saves = ""
    flat = True
    analytic = True
    signature = "(m,n)->()"
    not_exportable = "the targets raise errors, or return numbers that are not finite"
    dense = "a number for each matrix"
    explained = "where a factorisation stops: it is constant between the matrices that it fails for"

    def dtype(self, *kinds: Kind) -> np.dtype[Any]:
        return np.dtype(np.int32)

    def operands(self, *kinds: Kind) -> tuple[np.dtype[Any], ...]:
        return (floating(*kinds),)

    def forward(self, x: Any) -> Any:
        """Factorise each matrix."""
        x = taken(f"linalg.{self.of}_ex", x)
        info = [_TESTS[self.of](x[at]) for at in np.ndindex(x.shape[:-2])]
        return np.array(info, np.int32).reshape(x.shape[:-2])

    def on_symbols(self, x: Any) -> Any:
        """Cases of the minors, for one or two rows."""
        if x.shape[-1] != x.shape[-2] or x.shape[-1] > 2:
            raise no_formula("the failure of a factorisation", x.shape[-1])
        return on_matrices(np.asarray(x, dtype=object), self._minors)

    def _minors(self, m: Any) -> Any:
        """Where the first minor is not positive, or where no entry of the column is a pivot."""
        if self.of == "ldl_factor":  # reads the lower triangle
            m = sp.Matrix(m.rows, m.cols, lambda i, j: m[max(i, j), min(i, j)])
        if self.of == "cholesky":
            bad = [m[:k, :k].det() <= 0 for k in range(1, m.rows + 1)]
        else:
            bad = [sp.And(*[sp.Eq(e, 0) for e in m[:, 0]]), sp.Eq(m.det(), 0)][: m.rows]
        return sp.Piecewise(*[(k + 1, condition) for k, condition in enumerate(bad)], (0, True))

    def out_shape(self, s: Any) -> Any:
        return s[:-2]


class CholeskyEx(NamedTuple, Generic[TensorT]):
    """L, and for each matrix 0 or the order of the leading minor that is not positive."""

    L: TensorT
    info: TensorT


class InvEx(NamedTuple, Generic[TensorT]):
    """The inverses, and for each matrix 0 or the position of a zero pivot."""

    inverse: TensorT
    info: TensorT


class SolveEx(NamedTuple, Generic[TensorT]):
    """The solutions, and for each matrix 0 or the position of a zero pivot."""

    result: TensorT
    info: TensorT


class LUFactorEx(NamedTuple, Generic[TensorT]):
    """L and U in one matrix, the exchanges of rows, and for each matrix 0 or the position of a zero pivot."""

    LU: TensorT
    pivots: TensorT
    info: TensorT


class LDLFactorEx(NamedTuple, Generic[TensorT]):
    """L and D in one matrix, the exchanges of rows, and for each matrix 0 or the position of a zero in D."""

    LD: TensorT
    pivots: TensorT
    info: TensorT


def _guarded(of: str, A: Any, check_errors: bool) -> tuple[Any, Any]:
    """Return A with the identity in place of what cannot be factorised, unless that is to raise, and the info."""
    check_square(f"linalg.{of}_ex", shape(A))
    info = Failure(of)(A)
    return (A if check_errors else where(_is_fine(info), A, identity_like(A))), info


def _marked(info: Any, result: Any, matrix_axes: int = 2) -> Any:
    """Return nan in place of the results that are none."""
    return where(_is_fine(info, matrix_axes), result, np.nan)


def _is_fine(info: Any, matrix_axes: int = 2) -> Any:
    return BINARY["eq"](Reshape((*shape(info), *(1,) * matrix_axes))(info), 0)


def cholesky_ex(A: Any, *, upper: bool = False, check_errors: bool = False) -> CholeskyEx[Any]:
    """Compute the Cholesky factor like ``cholesky``, but report a matrix that is not positive definite in ``info``.

    Args:
        A: (…, n, n), symmetric.
        upper: whether to return Lᵀ.
        check_errors: whether to raise an error for such a matrix.

    Returns:
        A named tuple (L, info). L is shaped like A, with nan for matrices that cannot be factorised. info, (…), is 0
        or the order of the first leading minor that is not positive.

    Raises:
        ShapeError: if A is not square.
        LinAlgError: if check_errors is True and a matrix is not positive definite.

    >>> sg.linalg.cholesky_ex(sg.tensor([[4.0, 0.0], [0.0, -1.0]])).info
    tensor(2, dtype=int32)
    """
    matrix, info = _guarded("cholesky", A, check_errors)
    return CholeskyEx(_marked(info, cholesky(matrix, upper=upper)), info)


def inv_ex(A: Any, *, check_errors: bool = False) -> InvEx[Any]:
    """Compute the inverse like ``inv``, but report a singular matrix in ``info``.

    Args:
        A: (…, n, n).
        check_errors: whether to raise an error for such a matrix.

    Returns:
        A named tuple (inverse, info). The inverse is shaped like A, with nan for singular matrices. info, (…), is 0 or
        the position of a zero pivot.

    Raises:
        ShapeError: if A is not square.
        LinAlgError: if check_errors is True and a matrix is singular.

    >>> sg.linalg.inv_ex(sg.tensor([[2.0, 0.0], [0.0, 0.0]])).info
    tensor(2, dtype=int32)
    """
    matrix, info = _guarded("inv", A, check_errors)
    return InvEx(_marked(info, inv(matrix)), info)


def solve_ex(A: Any, B: Any, *, left: bool = True, check_errors: bool = False) -> SolveEx[Any]:
    """Solve A x = b like ``solve``, but report a singular matrix in ``info``.

    Args:
        A, B, left: see ``solve``.
        check_errors: whether to raise an error for such a matrix.

    Returns:
        A named tuple (result, info). The result is that of ``solve``, with nan for singular matrices. info, (…), is 0
        or the position of a zero pivot.

    Raises:
        ShapeError: if A is not square, or B does not fit.
        LinAlgError: if check_errors is True and a matrix is singular.

    >>> sg.linalg.solve_ex(sg.tensor([[2.0, 0.0], [0.0, 4.0]]), sg.tensor([2.0, 2.0]))
    SolveEx(result=tensor([1.0000, 0.5000]), info=tensor(0, dtype=int32))
    """
    matrix, info = _guarded("inv", A, check_errors)
    result = solve(matrix, B, left=left)
    return SolveEx(_marked(info, result, 2 - is_vector(shape(A), shape(B))), info)


def lu_factor_ex(A: Any, *, pivot: bool = True, check_errors: bool = False) -> LUFactorEx[Any]:
    """Factorise a matrix like ``lu_factor``, and report a zero on the diagonal of U in ``info``.

    Args:
        A, pivot: see ``lu_factor``.
        check_errors: whether to raise an error if U is singular.

    Returns:
        A named tuple (LU, pivots, info): (…, m, n), (…, min(m, n)), and (…), 0 or the position of a zero pivot.

    Raises:
        ShapeError: if A is not a matrix.
        LinAlgError: if check_errors is True and a pivot is zero.

    >>> sg.linalg.lu_factor_ex(sg.tensor([[2.0, 0.0], [0.0, 0.0]])).info
    tensor(2, dtype=int32)
    """
    factor = lu_factor(A, pivot=pivot)
    return LUFactorEx(*factor, _reported("lu_factor", A, check_errors))


def ldl_factor_ex(A: Any, *, hermitian: bool = False, check_errors: bool = False) -> LDLFactorEx[Any]:
    """Factorise a matrix like ``ldl_factor``, and report a zero on the diagonal of D in ``info``.

    Args:
        A, hermitian: see ``ldl_factor``.
        check_errors: whether to raise an error if D is singular.

    Returns:
        A named tuple (LD, pivots, info): (…, n, n), (…, n), and (…), 0 or the position of a zero in D.

    Raises:
        ShapeError: if A is not square.
        LinAlgError: if check_errors is True and D has a zero.

    >>> sg.linalg.ldl_factor_ex(sg.tensor([[2.0, 0.0], [0.0, 0.0]])).info
    tensor(2, dtype=int32)
    """
    factor = ldl_factor(A, hermitian=hermitian)
    return LDLFactorEx(*factor, _reported("ldl_factor", A, check_errors))


def _reported(of: str, A: Any, check_errors: bool) -> Any:
    """The info of a factorisation that ends also where it meets zeros."""
    info = Failure(of)(A)
    values = getattr(info, "_value", info)
    if check_errors and values is not None and np.any(values):
        raise LinAlgError(f"linalg.{of}_ex: a pivot is zero. Got info {np.asarray(values).tolist()}; A is singular.")
    return info
