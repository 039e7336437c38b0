"""SciPy's solvers that take the factors as one pair: ``cho_solve((c, lower), b)`` and ``lu_solve((lu, piv), b)``."""

from __future__ import annotations

from typing import Any

import numpy as np

from symgrad.engine.adapters import public
from symgrad.engine.record import as_tensor
from symgrad.errors import ArgumentError
from symgrad.ops.linalg import lu, solving
from symgrad.support.arguments import check_all

__all__ = ["cho_factor", "cho_solve", "lu_solve"]

_cholesky, _triangular, _lu_solve = public(solving.cholesky), public(solving.solve_triangular), public(lu.lu_solve)


def cho_factor(
    a: Any, lower: bool = False, *, overwrite_a: bool = False, check_finite: bool = True
) -> tuple[Any, bool]:
    """Factorise A = L Lᴴ, or A = Uᴴ U if lower is False, for ``cho_solve``.

    Args:
        a: (…, n, n), Hermitian and positive definite.
        lower: whether to return L instead of U.
        overwrite_a, check_finite: accepted as in SciPy and ignored: values are never overwritten, and always checked.

    Returns:
        The pair (factor, lower). The other triangle of the factor is zero; in SciPy its entries are arbitrary.

    Raises:
        LinAlgError: if a is not positive definite.

    >>> sg.linalg.cho_factor([[4.0, 2.0], [2.0, 5.0]], lower=True)
    (tensor([[2., 0.],
            [1., 2.]]), True)
    """
    return _cholesky(a, upper=not lower), lower


def cho_solve(c_and_lower: tuple[Any, bool], b: Any, *, overwrite_b: bool = False, check_finite: bool = True) -> Any:
    """Solve A x = b with A = L Lᴴ, or A = Uᴴ U, from ``cho_factor``.

    Args:
        c_and_lower: the factor (…, n, n), and whether it is lower triangular; the other triangle is not read.
        b: (n,) or (…, n, k).
        overwrite_b, check_finite: as for ``cho_factor``.

    Returns:
        Shaped like b.

    >>> sg.linalg.cho_solve(sg.linalg.cho_factor([[4.0, 2.0], [2.0, 5.0]]), [2.0, 9.0])
    tensor([-0.5000,  2.0000])
    """
    c, lower = _pair("cho_solve", c_and_lower, "(c, lower)")
    half = _triangular(c, b, trans=0 if lower else 2, lower=bool(lower))
    return _triangular(c, half, trans=2 if lower else 0, lower=bool(lower))


def lu_solve(
    LU: Any, pivots: Any, B: Any = None, *, left: bool = True, adjoint: bool = False, trans: int = 0,
    overwrite_b: bool = False, check_finite: bool = True,
) -> Any:  # fmt: skip
    """Solve A X = B, or X A = B, with A = P L U: ``lu_solve(LU, pivots, B)``, or SciPy's ``lu_solve((lu, piv), b)``.

    Args:
        LU, pivots: (…, n, n) and (…, n) from ``lu_factor``; or SciPy's: the pair of them, and b, (n,) or (…, n, k).
            Pivots in a NumPy array are SciPy's, counted from 0.
        B: (…, n, k), or (…, k, n) if left is False.
        left: whether to solve A X = B instead of X A = B.
        adjoint: whether to solve with Aᵀ, or Aᴴ for complex A.
        trans: SciPy's option, of a pair only: 0 for A x = b, 1 for Aᵀ x = b, 2 for Aᴴ x = b.
        overwrite_b, check_finite: as for ``cho_factor``.

    Returns:
        Shaped like B, with the batch axes of both.

    Raises:
        ShapeError: if LU is not square, or the pivots or B do not fit.
        ArgumentError: if pivots are no row exchanges of a factorization.

    >>> factors = sg.linalg.lu_factor(sg.tensor([[0.0, 2.0], [4.0, 0.0]]))
    >>> sg.linalg.lu_solve(*factors, sg.tensor([[2.0], [4.0]]))
    tensor([[1.],
            [1.]])
    >>> sg.linalg.lu_solve(factors, [2.0, 4.0])
    tensor([1., 1.])
    """
    if B is not None:
        return _lu_solve(LU, pivots, B, left=left, adjoint=adjoint)
    (factor, exchanges), b = _pair("lu_solve", LU, "(lu, piv)"), as_tensor(pivots)
    if trans not in (0, 1, 2):
        raise ArgumentError(f"lu_solve: got trans={trans!r}. Expected 0 for A, 1 for Aᵀ, or 2 for Aᴴ.")
    if isinstance(exchanges, np.ndarray):
        exchanges = exchanges + 1
    columns = b[:, None] if b.ndim == 1 else b
    if trans == 1:
        x = _lu_solve(factor, exchanges, columns.conj(), adjoint=True).conj()
    else:
        x = _lu_solve(factor, exchanges, columns, adjoint=trans == 2)
    return x[..., 0] if b.ndim == 1 else x


def _pair(name: str, factors: Any, words: str) -> tuple[Any, Any]:
    if isinstance(factors, tuple) and len(factors) == 2:
        return factors
    raise ArgumentError(f"{name}: got a {type(factors).__name__} for the factors. Expected the pair {words}.")


check_all(globals(), __all__)
