"""Systems of equations with banded matrices, given by their diagonals: LU within the band, and its derivative."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Any

import numpy as np
import sympy as sp

from symgrad.core.node import Shape
from symgrad.core.promotion import floating, is_complex
from symgrad.errors import LinAlgError, ShapeError
from symgrad.ops.contract import LETTERS, Einsum
from symgrad.ops.elementwise.complexes import conj
from symgrad.ops.indexing.select import along
from symgrad.ops.keys import Positions
from symgrad.ops.linalg.solving import Solve
from symgrad.ops.linalg.square import taken
from symgrad.ops.map import NEG, SUB, broadcast_shapes, show_shape
from symgrad.ops.protocol import Op, shape
from symgrad.ops.scatter import ScatterAdd
from symgrad.ops.shape import Reshape, each_batched, padded
from symgrad.ops.shapes.join import cat
from symgrad.ops.shapes.padding import pad
from symgrad.ops.slicing import Gather
from symgrad.support.frozen import frozen


@frozen
class SolveBanded(Op):
    """x with A x = b, or Aᵀ x = b, where A_ij = ab[up + i − j, j] within the band, and 0 elsewhere.

    Inputs ab (…, low + up + 1, n), whose entries outside of A are not read, and b (…, n) if vector, else
    (…, n, k). Where A is known to be Hermitian, real and positive definite, it is factorised as L D Lᵀ.
    """

    low: int
    up: int
    vector: bool
    transposed: bool = False
    hermitian: bool = False
    name = "LinalgSolveBanded"
    spelled = "solve_banded"
    gives = floating
    analytic = True
    independent_axes = "k"
    explained = "banded system: solve with the transpose; the diagonals receive those of an outer product"
    routine = "rows"

    @property
    def signature(self) -> str:
        """A vector, or columns that are solved for apart."""
        return "(d,n),(n)->(n)" if self.vector else "(d,n),(n,k)->(n,k)"

    def forward(self, ab: Any, b: Any) -> Any:
        """Compute by LAPACK's routines for bands, which SciPy has; without it with the full matrix."""
        ab, b = taken("linalg.solve_banded", ab), taken("linalg.solve_banded", b)
        to = self.out_shape(ab.shape, b.shape)
        routines = _routines()
        if routines is None or not all(to):
            return Solve(self.vector, self.transposed)(full_matrix(ab, self.low, self.up), b)
        dtype = np.result_type(ab, b)
        lead = to[:-1] if self.vector else to[:-2]
        ab, b = np.broadcast_to(ab, (*lead, *ab.shape[-2:])), np.broadcast_to(b, to)
        x = np.empty(to, dtype)
        solve = routines(dtype)
        for number, at in enumerate(np.ndindex(lead)):
            solution = self._solved(solve, ab[at].astype(dtype, copy=False), b[at].astype(dtype, copy=False))
            if solution is None:
                raise LinAlgError(
                    f"linalg.solve_banded: {f'(Batch element {number}): ' if lead else ''}The solver failed because "
                    f"the input matrix is singular. Got diagonals of shape {show_shape(ab.shape)}; the rows of the "
                    "matrix are linearly dependent."
                )
            x[at] = solution
        return x

    def _solved(self, routines: Any, ab: Any, b: Any) -> Any:
        """Solve one system, by Cholesky where the matrix is symmetric and definite; None where it is singular."""
        if self.hermitian and not is_complex(ab.dtype):
            _, x, failed = routines.pbsv(ab[self.up :], b, lower=1)
            if not failed:
                return x
        factors = np.zeros((2 * self.low + self.up + 1, ab.shape[-1]), ab.dtype)
        factors[self.low :] = ab
        lu, pivots, failed = routines.gbtrf(factors, self.low, self.up)
        if failed:
            return None
        return routines.gbtrs(lu, self.low, self.up, b, pivots, trans=int(self.transposed))[0]

    def on_symbols(self, ab: Any, b: Any) -> Any:
        """Solve with the full matrix."""
        return Solve(self.vector, self.transposed).on_symbols(full_matrix(ab, self.low, self.up), b)

    def out_shape(self, ab: Shape, b: Shape) -> Shape:
        rows = self.low + self.up + 1
        if len(ab) < 2 or ab[-2] != rows or min(self.low, self.up) < 0:
            raise ShapeError(
                f"linalg.solve_banded: invalid values for the number of lower and upper diagonals: l + u + 1 = "
                f"{rows} does not equal ab.shape[-2]. Got ab of shape {show_shape(ab)}."
            )
        full = (*b, 1) if self.vector else b
        if len(full) < 2 or full[-2] != ab[-1]:
            raise ShapeError(
                f"linalg.solve_banded: shapes of ab and b are not compatible: {show_shape(ab)} and {show_shape(b)}. "
                f"Expected b to have {ab[-1]} rows."
            )
        out = (*broadcast_shapes(full[:-2], ab[:-2]), *full[-2:])
        return out[:-1] if self.vector else out

    def vjp(self, i: int, g: Any, y: Any, *xs: Any) -> Any:
        # x = A⁻¹ b  ⇒  b̄ = A⁻ᵀ x̄,  āb_dj = −b̄_i x_j with i = d + j − up;  x = A⁻ᵀ b  ⇒  āb_dj = −x_i b̄_j
        transpose = SolveBanded(self.low, self.up, self.vector, not self.transposed, self.hermitian)
        pulled = transpose(xs[0], g)
        if i == 1:
            return pulled
        left, right = (y, pulled) if self.transposed else (pulled, y)
        batch, k = self._letters(y)
        return NEG(Einsum.of(f"{batch}dj{k},{batch}j{k}->{batch}dj")(self._windows(left), right))

    def jvp(self, ts: Sequence[Any], y: Any, *xs: Any) -> Any:
        # ẋ = A⁻¹ (ḃ − Ȧ x)
        moved, right = ts
        if moved is None:
            return self(xs[0], right)
        change = self._product(moved, y)
        return self(xs[0], NEG(change) if right is None else SUB(right, change))

    def _letters(self, y: Any) -> tuple[str, str]:
        """The letters of the batch, and of columns."""
        count = len(shape(y)) - (1 if self.vector else 2)
        return "".join([c for c in LETTERS if c not in "djk"][:count]), "" if self.vector else "k"

    def _windows(self, x: Any) -> Any:
        """x_i with i = d + j − up, as (…, d, j) or (…, d, j, k); 0 outside."""
        wide = pad(x, [self.up, self.low] if self.vector else [0, 0, self.up, self.low])
        return self._reading(x)(wide)

    def _reading(self, x: Any) -> Gather:
        axis = len(shape(x)) - (1 if self.vector else 2)
        return Gather(((axis, Positions(np.add.outer(np.arange(self.low + self.up + 1), np.arange(shape(x)[axis])))),))

    def _product(self, ab: Any, y: Any) -> Any:
        """A y, or Aᵀ y, of the matrix with these diagonals."""
        batch, k = self._letters(y)
        own = batch[len(batch) - len(shape(ab)) + 2 :]
        if self.transposed:
            return Einsum.of(f"{own}dj,{batch}dj{k}->{batch}j{k}")(ab, self._windows(y))
        terms = Einsum.of(f"{own}dj,{batch}j{k}->{batch}dj{k}")(ab, y)
        axis, n = len(batch), shape(ab)[-1]
        to = (*shape(y)[:axis], n + self.low + self.up, *shape(y)[axis + 1 :])
        return along(ScatterAdd(self._reading(y), to)(terms), axis, self.up, self.up + n)

    def batched(self, size: int, xs: Sequence[Any], flags: Sequence[bool]) -> Any:
        """Solve for all slices; their batch axes broadcast."""
        diagonals, right = each_batched(size, xs, flags)
        own = 1 if self.vector else 2
        lead = max(len(shape(diagonals)) - 3, len(shape(right)) - 1 - own)
        return self(padded(diagonals, lead + 2), padded(right, lead + own))


class _Routines:
    """LAPACK's routines of one dtype."""

    def __init__(self, lapack: Any, letter: str) -> None:
        self.gbtrf, self.gbtrs, self.pbsv = (getattr(lapack, letter + name) for name in ("gbtrf", "gbtrs", "pbsv"))


@lru_cache(maxsize=1)
def _routines() -> Callable[[Any], _Routines] | None:
    """LAPACK's routines by dtype; None without SciPy."""
    try:
        from scipy.linalg import lapack
    except ImportError:
        return None
    known = {np.dtype(kind): _Routines(lapack, letter) for kind, letter in zip("fdFD", "sdcz", strict=True)}
    return known.__getitem__


def full_matrix(ab: Any, low: int, up: int) -> Any:
    """A (…, n, n) of its diagonals (…, low + up + 1, n), an array of any kind."""
    ab = np.asarray(ab)
    n = ab.shape[-1]
    row, column = np.indices((n, n))
    place = up + row - column
    inside = (place >= 0) & (place <= low + up)
    zero = sp.S.Zero if ab.dtype == object else ab.dtype.type(0)
    return np.where(inside, ab[..., np.where(inside, place, 0), column], zero)


def solve_banded(l_and_u: tuple[int, int], ab: Any, b: Any) -> Any:
    """Solve A x = b with A_ij = ab[u + i − j, j] within the band of l diagonals below and u above, 0 elsewhere.

    The gradients are b̄ = A⁻ᵀ x̄, and the diagonals of Ā = −b̄ xᵀ. Both take time and memory proportional to n.

    Args:
        l_and_u: (l, u).
        ab: (…, l + u + 1, n), a diagonal in each row; entries that lie outside of A are not read.
        b: (n,), or (…, n) with the batch axes of ab, or (…, n, k) with axes that broadcast against them.

    Returns:
        Shaped like b, with the batch axes of both.

    Raises:
        ShapeError: if ab does not have l + u + 1 rows, or b does not fit.
        LinAlgError: if A is singular.

    >>> import symgrad as sg
    >>> sg.linalg.solve_banded((0, 1), sg.tensor([[0.0, 1.0], [2.0, 4.0]]), sg.tensor([4.0, 8.0]))
    tensor([1., 2.])
    """
    low, up = (int(k) for k in l_and_u)
    return SolveBanded(low, up, _is_vector(ab, b))(ab, b)


def _is_vector(ab: Any, b: Any) -> bool:
    s, t = shape(ab), shape(b)
    return len(t) < 2 or (len(t) == len(s) - 1 and t[:-1] == s[:-2])


def solveh_banded(ab: Any, b: Any, lower: bool = False) -> Any:
    """Solve A x = b with a symmetric A, given by its upper diagonals, A_ij = ab[u + i − j, j], or its lower diagonals.

    A complex A is Hermitian. A is factorised as L D Lᴴ if it is positive definite, and otherwise as in
    ``solve_banded``.

    Args:
        ab: (…, u + 1, n); the last row is the diagonal, or the first if lower.
        b: (n,), or (…, n) with the batch axes of ab, or (…, n, k) with axes that broadcast against them.
        lower: whether ab contains the lower diagonals, A_ij = ab[i − j, j].

    Returns:
        Shaped like b, with the batch axes of both.

    Raises:
        ShapeError: if ab is not a matrix, or b does not fit.
        LinAlgError: if A is singular.

    >>> import symgrad as sg
    >>> sg.linalg.solveh_banded(sg.tensor([[2.0, 4.0]]), sg.tensor([4.0, 8.0]))
    tensor([2.0000, 2.0000])
    """
    s = shape(ab)
    if len(s) < 2 or not s[-2]:
        raise ShapeError(f"linalg.solveh_banded: ab must be a matrix of diagonals. Got {show_shape(s)}.")
    k, n = s[-2] - 1, s[-1]
    if k:
        other = conj(_mirrored(ab, k * (n - 1) if lower else k * n - (n - 1)))
        ab = cat([other, ab] if lower else [ab, other], len(s) - 2)
    return SolveBanded(k, k, _is_vector(ab, b), hermitian=True)(ab, b)


def _mirrored(ab: Any, start: int) -> Any:
    """The other half's diagonals: in the memory of ab, each begins n − 1 entries before the one above it."""
    *lead, rows, n = shape(ab)
    positions = np.add.outer(start - (n - 1) * np.arange(rows - 1), np.arange(n))
    return Gather(((len(lead), Positions(positions)),), "Banded")(Reshape((*lead, rows * n))(ab))
