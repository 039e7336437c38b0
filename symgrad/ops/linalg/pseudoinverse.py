"""The pseudoinverse, least squares, and the rank."""

from __future__ import annotations

from typing import Any, Generic, NamedTuple

import numpy as np
import sympy as sp

from symgrad.core.node import Shape
from symgrad.core.promotion import Kind, floating, positions
from symgrad.errors import ArgumentError, ShapeError
from symgrad.ops.contract import matmul, mT, sum_axes
from symgrad.ops.elementwise.complexes import conj, real
from symgrad.ops.elementwise.declared import BINARY
from symgrad.ops.indexing.select import along
from symgrad.ops.linalg import factors
from symgrad.ops.linalg.hermitian import mH
from symgrad.ops.linalg.spectral import check_matrix, svdvals
from symgrad.ops.linalg.square import adjugate, check_square, determinant
from symgrad.ops.map import ADD, MUL, SUB, show_shape
from symgrad.ops.protocol import Op, TensorT, rename, shape
from symgrad.ops.reductions.extremes import amax
from symgrad.ops.reductions.reduce import sum as _sum
from symgrad.ops.shape import Reshape, total
from symgrad.support.frozen import frozen


def _threshold(s: Any, sizes: Shape, atol: float | None, rtol: float | None) -> Any:
    """Return what counts as 0 among the singular values of each matrix."""
    if rtol is None:
        rtol = 0.0 if atol else float(max(sizes[-2:]) * np.finfo(s.dtype).eps)
    return np.maximum(atol or 0.0, rtol * s.max(-1, keepdims=True, initial=0))


class _ByRank(Op):
    """What the operations share that count singular values: those up to a threshold are 0."""

    atol: float | None
    rtol: float | None

    def _named(self, write: Any, name: str, x: Any) -> Any:
        options = {"atol": self.atol, "rtol": self.rtol}
        return write.call(name, x, **{k: write.decimal(v) for k, v in options.items() if v is not None})


@frozen
class PseudoInverse(_ByRank):
    """The Moore-Penrose inverse of each matrix: (…, m, n) to (…, n, m)."""

    atol: float | None = None
    rtol: float | None = None
    hermitian: bool = False
    name = "LinalgPinv"
    keeps_symmetry = True
    gives = floating
    analytic = True
    signature = "(m,n)->(n,m)"
    explained = "pseudoinverse: −P·dA·P and what leaves the range, transposed"
    routine = "squares"

    def forward(self, x: Any) -> Any:
        """Invert the singular values above the threshold."""
        self.out_shape(np.shape(x))
        if self.hermitian:  # the lower triangle says it all
            below = np.tril(x, -1)
            x = below + below.conj().mT + np.eye(x.shape[-1], dtype=x.real.dtype) * x.real
        u, s, vh = factors.svd(x, False)
        large = s > _threshold(s, np.shape(x), self.atol, self.rtol)
        inverse = np.where(large, 1 / np.where(large, s, s.dtype.type(1)), s.dtype.type(0))
        return (vh.conj().mT * inverse[..., None, :]) @ u.conj().mT

    def out_shape(self, s: Shape) -> Shape:
        check_matrix("linalg.pinv", s)
        return (*s[:-2], s[-1], s[-2])

    def vjp(self, i: int, g: Any, y: Any, x: Any) -> Any:
        # P = A⁺  ⇒  Ā = -Pᵀ P̄ Pᵀ + (I - A P) P̄ᵀ P Pᵀ + Pᵀ P P̄ᵀ (I - P A). Golub and Pereyra 1973, §4.
        # Of complex matrices the first term stays, the others are conjugated, with the adjoint for Pᵀ.
        pt, gt = mT(y), mT(g)
        # The projections come before the factors that are large where A is small: P Pᵀ alone may overflow.
        right = matmul(gt, y)
        right = SUB(right, matmul(x, matmul(y, right)))
        left = matmul(y, gt)
        left = SUB(left, matmul(matmul(left, y), x))
        right, left = conj(matmul(right, mH(y))), conj(matmul(mH(y), left))
        return ADD(SUB(right, matmul(pt, matmul(g, pt))), left)

    def on_symbols(self, *xs: Any) -> Any:
        """(AᵀA)⁻¹Aᵀ or Aᵀ(AAᵀ)⁻¹: letters are a matrix of full rank."""
        return factors.each_matrix(xs[0], _of_full_rank, self.out_shape(xs[0].shape))

    def notation(self, write: Any, *args: Any) -> Any:
        told = self.atol is not None or self.rtol is not None
        return self._named(write, "pinv", args[0]) if told else write.Raised(args[0], "⁺")


def _of_full_rank(a: sp.Matrix) -> sp.Matrix:
    tall = a.rows >= a.cols
    gram = a.T * a if tall else a * a.T
    inverse = adjugate(gram) / determinant(gram)
    return inverse * a.T if tall else a.T * inverse


def pinv(A: Any, *, atol: float | None = None, rtol: float | None = None, hermitian: bool = False) -> Any:
    """Return the pseudoinverse A⁺. Its gradient is valid if the rank is constant in a neighbourhood.

    Args:
        A: (…, m, n).
        atol: singular values up to this value are treated as 0; by default 0.
        rtol: singular values up to this multiple of the largest are treated as 0; by default max(m, n) times the
            dtype's precision, or 0 if atol is given.
        hermitian: whether A is known to be symmetric or Hermitian; if so, only its lower triangle is read.

    Returns:
        (…, n, m).

    Raises:
        ShapeError: if A is not a matrix, or not square although ``hermitian=True``.
        LinAlgError: if an entry is not finite.

    Source: Golub and Pereyra 1973, §4.

    >>> sg.linalg.pinv(sg.tensor([[2.0, 0.0], [0.0, 0.0]]))
    tensor([[0.5000, 0.0000],
            [0.0000, 0.0000]])
    """
    check_matrix("linalg.pinv", shape(A))
    if hermitian:
        check_square("linalg.pinv", shape(A))
    return PseudoInverse(atol, rtol, hermitian)(A)


def pinverse(A: Any, rcond: float = 1e-15) -> Any:
    """Return the pseudoinverse; singular values up to rcond times the largest are treated as 0.

    >>> sg.pinverse(sg.tensor([[2.0, 0.0], [0.0, 4.0]]))
    tensor([[0.5000, 0.0000],
            [0.0000, 0.2500]])
    """
    return pinv(A, rtol=rcond)


@frozen
class MatrixRank(_ByRank):
    """The number of singular values above the threshold: an integer, without derivative."""

    atol: float | None = None
    rtol: float | None = None
    saves = ""
    gives = positions
    flat = True
    signature = "(m,n)->()"
    decides = True
    analytic = True

    def operands(self, *kinds: Kind) -> tuple[np.dtype[Any], ...]:
        return (floating(*kinds),)

    def forward(self, x: Any) -> Any:
        """Count the singular values above the tolerance."""
        self.out_shape(np.shape(x))
        s = factors.svd(x, False)[1]
        return np.asarray((s > _threshold(s, np.shape(x), self.atol, self.rtol)).sum(-1))

    def out_shape(self, s: Shape) -> Shape:
        """Drop the matrix axes."""
        check_matrix("linalg.matrix_rank", s)
        return s[:-2]

    def on_symbols(self, *xs: Any) -> Any:
        return factors.each_matrix(xs[0], lambda m: sp.Integer(m.rank()), self.out_shape(xs[0].shape))

    def notation(self, write: Any, *args: Any) -> Any:
        return self._named(write, "rank", args[0])


def matrix_rank(A: Any, *, atol: Any = None, rtol: Any = None, hermitian: bool = False) -> Any:
    """Return the number of singular values that are not treated as 0. It has no derivative.

    Args:
        A: (…, m, n).
        atol, rtol: see ``pinv``; here also tensors (…), with a tolerance for each matrix.
        hermitian: whether A is known to be symmetric; the result is the same.

    Returns:
        (…), integers.

    Raises:
        ShapeError: if A is not a matrix, or not square although ``hermitian=True``.
        LinAlgError: if an entry is not finite.

    >>> sg.linalg.matrix_rank(sg.tensor([[1.0, 2.0], [2.0, 4.0]]))
    tensor(1)
    """
    check_matrix("linalg.matrix_rank", shape(A))
    if hermitian:
        check_square("linalg.matrix_rank", shape(A))
    if len(shape(atol)) == len(shape(rtol)) == 0:
        return MatrixRank(*[None if t is None else float(t) for t in (atol, rtol)])(A)
    s, none = svdvals(A), np.zeros(())
    zeros = BINARY["maximum"](none if atol is None else atol, MUL(none if rtol is None else rtol, _largest(s)))
    return _sum(BINARY["gt"](s, Reshape((*shape(zeros), 1))(zeros)), -1)


def _largest(s: Any) -> Any:
    return amax(s, -1) if shape(s)[-1] else _sum(s, -1)


# ------------------------------------------------------------------ least squares
class LstSq(NamedTuple, Generic[TensorT]):
    """A least squares solution, its residuals, and the rank and singular values of A."""

    solution: TensorT
    residuals: TensorT
    rank: TensorT
    singular_values: TensorT


def _is_vector(p: Shape, q: Shape, driver: str | None) -> bool:
    """Return whether the right side is a vector for each matrix; raise where it is neither that nor a matrix."""
    if driver not in _EMPTY:
        raise ArgumentError(
            f"linalg.lstsq: parameter `driver` should be one of (gels, gelsy, gelsd, gelss). Got {driver!r}."
        )
    vector = len(q) == len(p) - 1 and q == p[:-1]
    if not vector and (len(q) < 2 or q[-2] != p[-2]):
        raise ShapeError(
            f"linalg.lstsq: input.size(-2) should match other.size(-2). Got {show_shape(p)} and "
            f"{show_shape(q)}; b has a row for each row of A."
        )
    return vector


def _residuals(left: Any, tall: bool) -> Any:
    """Return the sums of squares that are left, by columns, where there are more equations than unknowns."""
    squares = real(MUL(left, conj(left)))
    return sum_axes(squares, (len(shape(left)) - 2,)) if tall else Reshape((0,))(along(squares, 0, 0, 0))


def lstsq(A: Any, b: Any, rcond: float | None = None, *, driver: str | None = None) -> LstSq[Any]:
    """Return the least-squares solution X = A⁺ b, which minimises ‖A X - b‖² and has the smallest norm.

    Args:
        A, b: (…, m, n); and (…, m, k), or (…, m) with the batch axes of A.
        rcond: singular values up to this multiple of the largest are treated as 0; by default max(m, n) times the
            dtype's precision.
        driver: LAPACK's routine in PyTorch: 'gels', 'gelsy', 'gelsd' or 'gelss'. symgrad always uses the singular
            value decomposition, but returns the same results empty as PyTorch: the rank for 'gels', the singular
            values for 'gels' and 'gelsy', the residuals for 'gelsy'.

    Returns:
        (solution, residuals, rank, singular_values): (…, n, k) or (…, n); the sums of squared residuals if m > n,
        and otherwise an empty tensor; and the rank and the singular values of A. The rank has no gradient.

    Raises:
        ShapeError: if the ranks or sizes do not fit.
        LinAlgError: if an entry of A is not finite.

    >>> sg.linalg.lstsq(sg.tensor([[2.0]]), sg.tensor([[1.0]])).solution
    tensor([[0.5000]])
    """
    p, q = shape(A), shape(b)
    check_matrix("linalg.lstsq", p)
    vector = _is_vector(p, q, driver)
    columns = Reshape((*q, 1))(b) if vector else b
    fit = matmul(pinv(A, rtol=rcond), columns)
    residuals = _residuals(SUB(matmul(A, fit), columns), _tall(p))
    solution = Reshape(shape(fit)[:-1])(fit) if vector else fit
    fit = LstSq(rename(solution, "LinalgLstsq"), residuals, matrix_rank(A, rtol=rcond), svdvals(A))
    return LstSq(*[_emptied(x) if n in _EMPTY[driver] else x for n, x in zip(fit._fields, fit)])


_EMPTY: dict[str | None, tuple[str, ...]] = {
    None: (), "gels": ("rank", "singular_values"), "gelsy": ("residuals", "singular_values"), "gelsd": (), "gelss": (),
}  # fmt: skip


def _emptied(x: Any) -> Any:
    return along(Reshape((total(shape(x)),))(x), 0, 0, 0)


def _tall(a: Shape) -> bool:
    m, n = a[-2:]
    return not (isinstance(m, int) and isinstance(n, int)) or m > n
