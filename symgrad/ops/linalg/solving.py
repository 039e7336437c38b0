"""Inverse, linear systems, Cholesky factors, powers of matrices. The batch axes come first."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import sympy as sp

from symgrad.core.node import Shape
from symgrad.core.promotion import floating
from symgrad.errors import ArgumentError, ArgumentTypeError, LinAlgError, ShapeError
from symgrad.ops.contract import LETTERS, Einsum, matmul, mT
from symgrad.ops.elementwise.complexes import conj, holds_complex
from symgrad.ops.linalg.hermitian import mH
from symgrad.ops.linalg.matrices import Tril, Triu, identity_like
from symgrad.ops.linalg.square import (
    OfSquare,
    adjugate,
    bad_minor,
    check_square,
    determinant,
    first_bad,
    on_matrices,
    taken,
    zero_pivot,
)
from symgrad.ops.linalg.substitution import solved
from symgrad.ops.map import ADD, MUL, NEG, SUB, broadcast_shapes, show_shape
from symgrad.ops.protocol import Op, rename, shape
from symgrad.ops.shape import each_batched, padded
from symgrad.support.frozen import frozen


# ------------------------------------------------------------------ inverse
@frozen
class Inverse(OfSquare):
    """The inverse of each matrix."""

    keeps_symmetry = True
    name = "LinalgInvEx"
    called = "linalg.inv"
    saves = "y"
    signature = "(n,n)->(n,n)"
    quoted = "d({M}⁻¹) = −{M}⁻¹·d{M}·{M}⁻¹"
    explained = "inverse: d(A⁻¹) = −A⁻¹·dA·A⁻¹, transposed"
    routine = "eliminates"

    def forward(self, x: Any) -> Any:
        """Compute through LU."""
        x = self.taken(x)
        try:
            return np.linalg.inv(x)
        except np.linalg.LinAlgError as error:
            where, k = first_bad(x, zero_pivot)
            raise LinAlgError(
                f"linalg.inv: {where}The diagonal element {k or len(x)} is zero, the inversion could "
                f"not be completed because the input matrix is singular. Got shape {show_shape(x.shape)}; "
                "its rows are linearly dependent."
            ) from error

    def vjp(self, i: int, g: Any, y: Any, x: Any) -> Any:
        # Y = A⁻¹  ⇒  Ā = −Yᵀ Ȳ Yᵀ
        return NEG(matmul(matmul(mT(y), g), mT(y)))

    def jvp(self, ts: Sequence[Any], y: Any, *xs: Any) -> Any:
        # Ẏ = −Y Ȧ Y
        return NEG(matmul(matmul(y, ts[0]), y))

    def on_symbols(self, *xs: Any) -> Any:
        """Adjugate over determinant."""
        return on_matrices(xs[0], lambda m: adjugate(m) / determinant(m))

    def in_matrices(self, a: Any) -> Any:
        return sp.Inverse(a)

    def notation(self, write: Any, *args: Any) -> Any:
        return write.Raised(args[0], "⁻¹")


def inv(A: Any) -> Any:
    """Return the inverse A⁻¹. Gradient: −A⁻ᵀ Ȳ A⁻ᵀ.

    Args:
        A: (…, n, n), nonsingular.

    Returns:
        Shaped like A.

    Raises:
        ShapeError: if A is not square.
        LinAlgError: if A is singular.

    Source: Giles 2008, §2.2.3.

    >>> sg.linalg.inv(sg.tensor([[2.0, 0.0], [0.0, 4.0]]))
    tensor([[0.5000, 0.0000],
            [0.0000, 0.2500]])
    """
    return Inverse()(A)


# ------------------------------------------------------------------ linear systems
@frozen
class Solve(Op):
    """x with A x = b, or Aᵀ x = b. Inputs A (…, n, n), and b (…, n) if vector, else (…, n, k)."""

    vector: bool
    transposed: bool = False
    name = "LinalgSolveEx"
    gives = floating
    analytic = True
    independent_axes = "k"
    explained = "linear system: solve with the transpose; the matrix receives an outer product"
    routine = "eliminates"

    @property
    def signature(self) -> str:
        """A vector, or columns that are solved for apart."""
        return "(n,n),(n)->(n)" if self.vector else "(n,n),(n,k)->(n,k)"

    def forward(self, a: Any, b: Any) -> Any:
        """Compute through LU, or by substitution."""
        a, b = taken("linalg.solve", a), taken("linalg.solve", b)
        self.out_shape(a.shape, b.shape)
        a = a.mT if self.transposed else a
        try:
            return solved(a, b[..., None])[..., 0] if self.vector else solved(a, b)
        except np.linalg.LinAlgError as error:
            where, _ = first_bad(a, zero_pivot)
            raise LinAlgError(
                f"linalg.solve: {where}The solver failed because the input matrix is singular. "
                f"Got A of shape {show_shape(a.shape)}; its rows are linearly dependent."
            ) from error

    def out_shape(self, a: Shape, b: Shape) -> Shape:
        check_square("linalg.solve", a)
        b = (*b, 1) if self.vector else b
        if a[-1] != b[-2]:
            raise ShapeError(
                f"linalg.solve: Incompatible shapes of A and B for the equation AX = B ({a[-2]}x{a[-1]} and "
                f"{b[-2]}x{b[-1]}). Expected {a[-1]} rows in B."
            )
        out = (*broadcast_shapes(b[:-2], a[:-2]), *b[-2:])
        return out[:-1] if self.vector else out

    def vjp(self, i: int, g: Any, y: Any, *xs: Any) -> Any:
        # x = A⁻¹ b  ⇒  b̄ = A⁻ᵀ x̄,  Ā = −b̄ xᵀ;  x = A⁻ᵀ b  ⇒  b̄ = A⁻¹ x̄,  Ā = −x b̄ᵀ
        pulled = Solve(self.vector, not self.transposed)(xs[0], g)
        if i == 1:
            return pulled
        return NEG(self._product(y, pulled) if self.transposed else self._product(pulled, y))

    def _product(self, b: Any, y: Any) -> Any:
        if not self.vector:
            return matmul(b, mT(y))
        batch = LETTERS[2 : len(shape(y)) + 1]
        return Einsum.of(f"{batch}a,{batch}b->{batch}ab")(b, y)

    def batched(self, size: int, xs: Sequence[Any], flags: Sequence[bool]) -> Any:
        """Solve for all slices; their batch axes broadcast."""
        matrix, right = each_batched(size, xs, flags)
        own = 1 if self.vector else 2
        lead = max(len(shape(matrix)) - 3, len(shape(right)) - 1 - own)
        return self(padded(matrix, lead + 2), padded(right, lead + own))

    def jvp(self, ts: Sequence[Any], y: Any, *xs: Any) -> Any:
        # ẋ = A⁻¹ (ḃ − Ȧ x)
        moved, right = ts
        if moved is None:
            return self(xs[0], right)
        moved = mT(moved) if self.transposed else moved
        change = Einsum.of(self._times(shape(moved), shape(y)))(moved, y) if self.vector else matmul(moved, y)
        return self(xs[0], NEG(change) if right is None else SUB(right, change))

    @staticmethod
    def _times(a: Shape, y: Shape) -> str:
        """The spec of a batch of matrices times a batch of vectors; A may have fewer batch axes than y."""
        batch = LETTERS[2 : len(y) + 1]
        return f"{batch[len(batch) - len(a) + 2 :]}ab,{batch}b->{batch}a"

    def index(self, idx: Sequence[sp.Expr], *ps: Any) -> sp.Expr:
        """Σ_k (A⁻¹)_ik b_k, or Σ_k (A⁻¹)_ki b_k."""
        a, b = ps
        *lead, i = idx if self.vector else idx[:-1]
        last = () if self.vector else idx[-1:]
        k = a.fresh()
        at = (k, i) if self.transposed else (i, k)
        left = a.entry(Inverse(), (a,), (*_aligned(lead, a.shape[:-2]), *at))
        right = b([*_aligned(lead, b.shape[: -1 if self.vector else -2]), k, *last])
        return a.sum(left * right, [(k, 0, a.shape[-1] - 1)])

    def on_symbols(self, *xs: Any) -> Any:
        """A⁻¹ b, or A⁻ᵀ b."""
        inverse = Inverse().on_symbols(np.asarray(xs[0], dtype=object))
        inverse = inverse.mT if self.transposed else inverse
        b = np.asarray(xs[1], dtype=object)
        return np.matmul(inverse, b[..., None])[..., 0] if self.vector else np.matmul(inverse, b)

    def in_matrices(self, a: Any, b: Any) -> Any:
        return sp.MatMul(sp.Inverse(a.T if self.transposed else a), b)

    def notation(self, write: Any, *args: Any) -> Any:
        return write.Infix(write.Raised(args[0], "⁻ᵀ" if self.transposed else "⁻¹"), args[1], sign="@")


def _aligned(lead: Sequence[Any], sizes: Shape) -> list[Any]:
    """Read broadcasting of the batch axes backwards."""
    return [sp.S.Zero if n == 1 else k for k, n in zip(lead[len(lead) - len(sizes) :], sizes, strict=True)]


def is_vector(a: Shape, b: Shape) -> bool:
    """Whether the right side is a vector for each matrix, not a matrix."""
    return len(b) == 1 or (len(a) - 1 == len(b) and a[:-1] == b)


def solve(A: Any, B: Any, *, left: bool = True) -> Any:
    """Solve A x = b, or x A = b if left is False. Gradients: b̄ = A⁻ᵀ x̄ and Ā = −b̄ xᵀ.

    Args:
        A: (…, n, n), nonsingular.
        B: (n,), or (…, n) with the batch axes of A, or (…, n, k) with axes that broadcast against them.
        left: whether to solve A x = b instead of x A = b.

    Returns:
        Shaped like B, with the batch axes of both.

    Raises:
        ShapeError: if A is not square, or B does not fit.
        LinAlgError: if A is singular.

    Source: Giles 2008, §2.3.

    >>> sg.linalg.solve(sg.tensor([[2.0, 0.0], [0.0, 4.0]]), sg.tensor([2.0, 2.0]))
    tensor([1.0000, 0.5000])
    """
    a, b = shape(A), shape(B)
    check_square("linalg.solve", a)
    vector = is_vector(a, b)
    if not vector and len(b) < 2:
        raise ShapeError(
            f"linalg.solve: The input tensor B must have at least 2 dimensions. Got shape {show_shape(b)}; "
            f"pass a vector ({a[-1]},) or a matrix ({a[-1]}, k)."
        )
    if left:
        return Solve(vector)(A, B)
    return Solve(True, True)(A, B) if vector else mT(Solve(False, True)(A, mT(B)))


def solve_triangular(
    A: Any, B: Any, trans: int | str = 0, lower: bool | None = None, unit_diagonal: bool = False,
    *, upper: bool | None = None, left: bool = True, unitriangular: bool = False,
) -> Any:  # fmt: skip
    """Solve T X = B, or X T = B, where T is the upper or lower triangle of A.

    Args:
        A: (…, n, n); the other triangle is not read.
        B: (…, n, k), or (…, k, n) if left is False; without ``upper`` also a vector (n,), as in SciPy.
        trans: SciPy's argument: 1 or 'T' to solve with Tᵀ, 2 or 'C' with Tᴴ.
        lower: SciPy's argument: whether T is the lower triangle; by default the upper one.
        unit_diagonal: SciPy's name for ``unitriangular``.
        upper: PyTorch's argument: whether T is the upper triangle.
        left: whether to solve T X = B instead of X T = B.
        unitriangular: whether to treat the diagonal of T as ones.

    Returns:
        Shaped like B, with the batch axes of both.

    Raises:
        ArgumentError: if upper and lower contradict each other, or trans is none of these.
        ShapeError: if A is not square, or B does not fit.
        LinAlgError: if T is singular.

    >>> sg.linalg.solve_triangular(sg.tensor([[2.0, 9.0], [0.0, 4.0]]), sg.tensor([[1.0], [0.0]]), upper=True)
    tensor([[0.5000],
            [0.0000]])
    """
    check_square("linalg.solve_triangular", shape(A))
    turned = _is_transposed(trans)
    if upper is not None and lower is not None and upper == lower:
        raise ArgumentError(f"linalg.solve_triangular: upper={upper} and lower={lower} contradict. Pass one of them.")
    vector = upper is None and left and len(shape(B)) == 1
    if len(shape(B)) < 2 and not vector:
        raise ShapeError(
            "linalg.solve_triangular: The input tensor B must have at least 2 dimensions. "
            f"Got shape {show_shape(shape(B))}; make a vector a column with b[:, None]."
        )
    above = upper if upper is not None else not lower
    ones = unitriangular or unit_diagonal
    T = Triu(int(ones))(A) if above else Tril(-int(ones))(A)
    T = ADD(T, identity_like(A)) if ones else T
    T = conj(T) if trans in (2, "C") and holds_complex(A) else T
    X = Solve(vector, turned)(T, B) if left else mT(Solve(False, not turned)(T, mT(B)))
    return rename(X, "LinalgSolveTriangular")


def _is_transposed(trans: Any) -> bool:
    if trans not in (0, 1, 2, "N", "T", "C"):
        raise ArgumentError(f"linalg.solve_triangular: got trans={trans!r}. Expected 0, 1, 2, 'N', 'T' or 'C'.")
    return trans not in (0, "N")


# ------------------------------------------------------------------ Cholesky
class HalfTril(Tril):
    """Φ: the lower triangle with its diagonal halved."""

    rearranges = False

    def forward(self, x: Any) -> Any:
        """Zero the upper triangle, halve the diagonal."""
        return (np.tril(x) + np.tril(x, -1)) / 2

    def origins(self, x: Any) -> Any:
        """Each entry is a multiple of the triangle's."""
        return super().forward(x)

    def index(self, idx: Sequence[sp.Expr], p: Any) -> sp.Expr:
        """x_ij below the diagonal, half of it on it."""
        i, j = idx[-2:]
        return sp.Piecewise((p(idx), j < i), (p(idx) / 2, sp.Eq(i, j)), (0, True))


@frozen
class Cholesky(OfSquare):
    """The lower triangular L with L Lᴴ = A, of each matrix; looks at one triangle of A only."""

    upper: bool = False
    name = "LinalgCholeskyEx"
    called = "linalg.cholesky"
    spelled = "chol"
    saves = "y"
    signature = "(n,n)->(n,n)"
    explained = "Cholesky factor: back through A = L·Lᵀ"
    routine = "eliminates"

    def forward(self, x: Any) -> Any:
        """Compute the lower triangular factor."""
        x = self.taken(x)
        x = x.conj().mT if self.upper else x
        try:
            factor = np.linalg.cholesky(x)
        except np.linalg.LinAlgError:
            raise _not_positive(x) from None
        if np.isnan(factor).any():  # LAPACK lets nan through
            raise _not_positive(x)
        return factor

    def vjp(self, i: int, g: Any, y: Any, x: Any) -> Any:
        # L Lᵀ = A  ⇒  Ā = ½ (S + Sᵀ), S = L⁻ᵀ Φ(Lᵀ L̄) L⁻¹; Φ: lower triangle, diagonal halved. Murray 2016.
        turned = matmul(mT(y), g)
        if holds_complex(y):
            return self._of_hermitian(turned, y)
        left = Solve(False, True)(y, HalfTril()(turned))
        outer = Solve(False, True)(y, mT(left))
        return MUL(ADD(outer, mT(outer)), 0.5)

    @staticmethod
    def _of_hermitian(turned: Any, y: Any) -> Any:
        # L Lᴴ = A  ⇒  Ā = L⁻ᵀ M conj(L)⁻¹, M the lower triangle of Lᵀ L̄ and its adjoint, halved. As in PyTorch, the
        # imaginary part of M's diagonal stays, which no Hermitian change of A meets.
        inner = MUL(ADD(Tril()(turned), mH(Tril(-1)(turned))), 0.5)
        return mH(Solve(False, True)(y, mH(Solve(False, True)(y, inner))))

    def jvp(self, ts: Sequence[Any], y: Any, *xs: Any) -> Any:
        # L̇ = L Φ(L⁻¹ Ȧ L⁻ᴴ), with the Hermitian part of Ȧ
        left = Solve(False)(y, MUL(ADD(ts[0], mH(ts[0])), 0.5))
        return matmul(y, HalfTril()(Solve(False)(y, mH(left))))

    def on_symbols(self, *xs: Any) -> Any:
        """Cholesky and Banachiewicz, row by row."""
        return on_matrices(xs[0], _symbolic_cholesky)


def _not_positive(x: Any) -> LinAlgError:
    where, k = first_bad(x, bad_minor)
    return LinAlgError(
        f"linalg.cholesky: {where}The factorization could not be completed because the input is not "
        f"positive-definite (the leading minor of order {k} is not positive-definite). "
        "If rounding is the cause, add a small multiple of the identity."
    )


def _symbolic_cholesky(a: sp.Matrix) -> sp.Matrix:
    factor = sp.zeros(*a.shape)
    for i in range(a.rows):
        for j in range(i + 1):
            rest = a[i, j] - sum(factor[i, k] * factor[j, k] for k in range(j))
            factor[i, j] = sp.sqrt(rest) if i == j else rest / factor[j, j]
    return factor


def cholesky(A: Any, upper: bool = False) -> Any:
    """Return the lower triangular L with L Lᵀ = A, or L Lᴴ = A for complex A. The gradient is symmetric or Hermitian.

    Args:
        A: (…, n, n), symmetric or Hermitian, positive definite; only its lower triangle is read.
        upper: whether to return Lᴴ instead.

    Returns:
        Shaped like A.

    Raises:
        ShapeError: if A is not square.
        LinAlgError: if A is not positive definite.

    Source: I. Murray 2016, Differentiation of the Cholesky decomposition, §3.

    >>> sg.linalg.cholesky(sg.tensor([[4.0, 2.0], [2.0, 2.0]]))
    tensor([[2., 0.],
            [1., 1.]])
    """
    if not upper:
        return Cholesky()(A)
    # of complex matrices the operation knows the triangle, so that the gradient is PyTorch's in all of A
    return mH(Cholesky(True)(A) if holds_complex(A) else Cholesky()(mT(A) if len(shape(A)) > 1 else A))


def _by_squaring(base: Any, rest: int) -> Any:
    """Return the power of a matrix whose exponent is at least 1."""
    power = None
    while rest:
        if rest & 1:
            power = base if power is None else matmul(power, base)
        rest >>= 1
        base = matmul(base, base) if rest else base
    return power


# ------------------------------------------------------------------ powers
def matrix_power(A: Any, n: int) -> Any:
    """Return Aⁿ by repeated squaring, and (A⁻¹)⁻ⁿ for a negative n.

    Args:
        A: (…, n, n).
        n: any integer.

    Returns:
        Shaped like A.

    Raises:
        ArgumentTypeError: if n is not an integer.
        ShapeError: if A is not square.
        LinAlgError: if n is negative and A is singular.

    >>> sg.linalg.matrix_power(sg.tensor([[1.0, 1.0], [0.0, 1.0]]), 5)
    tensor([[1., 5.],
            [0., 1.]])
    """
    if isinstance(n, bool) or not isinstance(n, (int, np.integer)):
        raise ArgumentTypeError(
            f"matrix_power(): argument 'n' (position 2) must be int, not {type(n).__name__}. Got {n!r}."
        )
    check_square("linalg.matrix_power", shape(A))
    if n == 0:
        return identity_like(A)
    return _by_squaring(A if n > 0 else inv(A), abs(int(n)))
