"""Eigenvalues and eigenvectors of symmetric and Hermitian matrices, singular values and vectors. Batches in front.

Each part of a factorisation is an operation of its own. Vectors are fixed up to their sign, complex ones up to a phase:
only what does not depend on it has a derivative of its own.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Generic, NamedTuple

import numpy as np
import sympy as sp

from symgrad.core.node import Shape
from symgrad.core.promotion import floating, sized
from symgrad.errors import ArgumentError, ShapeError
from symgrad.ops.contract import matmul, mT, sum_axes
from symgrad.ops.elementwise.complexes import conj, holds_complex, real
from symgrad.ops.indexing.select import along, getitem
from symgrad.ops.linalg import factors
from symgrad.ops.linalg.hermitian import check_phases, mH, skew
from symgrad.ops.linalg.matrices import Diagonal
from symgrad.ops.linalg.square import OfSquare
from symgrad.ops.map import ADD, DIV, MUL, NEG, SUB, show_shape
from symgrad.ops.protocol import Op, TensorT, rename, shape
from symgrad.ops.shape import Reshape
from symgrad.support.frozen import frozen


def as_row(v: Any) -> Any:
    """Give a vector per matrix the axis of the rows: it then scales the columns."""
    return Reshape((*shape(v)[:-1], 1, shape(v)[-1]))(v)


@frozen
class InverseGaps(Op):
    """1/(λ_j - λ_i), and 0 on the diagonal: (…, n) to (…, n, n). Where two are equal it is infinite."""

    spelled = "invgaps"
    saves = "y"
    gives = floating
    analytic = True
    signature = "(n)->(n,n)"
    explained = "inverse gaps: their squares times the adjoint, row sums less column sums"

    def forward(self, x: Any) -> Any:
        """Compute the inverse gaps between eigenvalues."""
        x = np.asarray(x)
        gaps = x[..., None, :] - x[..., :, None]
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.where(np.eye(x.shape[-1], dtype=bool), x.dtype.type(0), x.dtype.type(1) / gaps)

    def out_shape(self, s: Shape) -> Shape:
        return (*s, s[-1])

    def vjp(self, i: int, g: Any, y: Any, x: Any) -> Any:
        # K_ij = 1/(λ_j - λ_i)  ⇒  λ̄_k = Σ_i H_ki - Σ_i H_ik, H = K̄ K²
        h, rank = MUL(g, MUL(y, y)), len(shape(y))
        return SUB(sum_axes(h, (rank - 1,)), sum_axes(h, (rank - 2,)))

    def index(self, idx: Sequence[sp.Expr], *ps: Any) -> sp.Expr:
        """0 where i = j, else 1/(λ_j - λ_i)."""
        *lead, i, j = idx
        return sp.Piecewise((0, sp.Eq(i, j)), (1 / (ps[0]([*lead, j]) - ps[0]([*lead, i])), True))

    def on_symbols(self, *xs: Any) -> Any:
        x = np.asarray(xs[0], dtype=object)
        out = np.full((*x.shape, x.shape[-1]), sp.S.Zero, dtype=object)
        for *lead, i, j in np.ndindex(out.shape):
            if i != j:
                out[(*lead, i, j)] = 1 / (x[(*lead, j)] - x[(*lead, i)])
        return out


# ------------------------------------------------------------------ symmetric and Hermitian matrices
EIGENVECTORS = (
    "{}: The eigenvectors in the complex case are specified up to multiplication by e^{{i phi}}. The specified loss "
    "function depends on this quantity, so it is ill-defined."
)
_SINGULAR_VECTORS = (
    "svd_backward: The singular vectors in the complex case are specified up to multiplication by e^{i phi}. The "
    "specified loss function depends on this phase term, making it ill-defined."
)


class _OfSymmetric(OfSquare):
    """What the parts of an eigendecomposition share: which triangle they look at."""

    upper: bool
    called = "linalg.eigh"

    def _formula(self, x: Any) -> Any:
        x = np.asarray(x, dtype=object)
        return x.mT if self.upper else x

    def notation(self, write: Any, *args: Any) -> Any:
        upper = [write.Name("upper")] * self.upper
        return write.call(self.spelled, args[0], *upper, latex=self.latex_name)


@frozen
class Eigenvalues(_OfSymmetric):
    """The eigenvalues of each symmetric matrix, ascending: (…, n, n) to (…, n). Looks at one triangle."""

    upper: bool = False
    name = "LinalgEigh"
    saves = "x"
    gives = sized
    spelled = "eigvalsh"
    signature = "(n,n)->(n)"
    explained = "eigenvalues: V·diag(g)·Vᵀ for the adjoint g"

    def forward(self, x: Any) -> Any:
        """Compute the eigenvalues with LAPACK."""
        self.out_shape(np.shape(x))
        return factors.eigh(x, self.upper)[0]

    def vjp(self, i: int, g: Any, y: Any, x: Any) -> Any:
        # A = V diag(λ) Vᵀ  ⇒  Ā = V diag(λ̄) Vᵀ;  A = V diag(λ) Vᴴ  ⇒  Ā = conj(V) diag(λ̄) Vᵀ
        v = Eigenvectors(self.upper)(x)
        return matmul(MUL(conj(v), as_row(g)), mT(v))

    def on_symbols(self, *xs: Any) -> Any:
        """The formula of matrices of at most two rows."""
        x = self._formula(xs[0])
        return factors.each_matrix(x, lambda m: factors.symmetric_2x2(m)[0], x.shape[:-1])

    latex_name = r"\lambda"


@frozen
class Eigenvectors(_OfSymmetric):
    """The orthonormal eigenvectors of each symmetric matrix, as columns. Looks at one triangle."""

    upper: bool = False
    name = "LinalgEigh"
    spelled = "eigh_V"
    signature = "(n,n)->(n,n)"
    explained = "eigenvectors: V·(K∘Vᵀ·G)·Vᵀ for the adjoint G, with K the inverse gaps of the eigenvalues"

    def forward(self, x: Any) -> Any:
        """Compute the eigenvectors with LAPACK."""
        self.out_shape(np.shape(x))
        return factors.eigh(x, self.upper)[1]

    def vjp(self, i: int, g: Any, y: Any, x: Any) -> Any:
        # A = V diag(λ) Vᵀ  ⇒  Ā = V (K ∘ Vᵀ V̄) Vᵀ, K_ij = 1/(λ_j - λ_i), K_ii = 0. Giles 2008, §3.1.
        # A is symmetric, hence Ā: of K ∘ Vᵀ V̄ its symmetric part is taken, K ∘ (Vᵀ V̄ - V̄ᵀ V)/2.
        # A = V diag(λ) Vᴴ  ⇒  Ā = conj(V) (K ∘ (VᵀV̄ - (VᵀV̄)ᴴ)/2) Vᵀ
        k, turned = InverseGaps()(Eigenvalues(self.upper)(x)), matmul(mT(y), g)
        check_phases(EIGENVECTORS.format("linalg_eigh_backward"), turned)
        return matmul(matmul(conj(y), MUL(k, MUL(skew(turned), 0.5))), mT(y))

    def on_symbols(self, *xs: Any) -> Any:
        """The formula of matrices of at most two rows."""
        x = self._formula(xs[0])
        return factors.each_matrix(x, lambda m: factors.symmetric_2x2(m)[1], x.shape)

    latex_name = r"V_{\mathrm{eigh}}"


class Eigh(NamedTuple, Generic[TensorT]):
    """The eigenvalues λ and the eigenvectors, the columns of V, of a symmetric matrix A = V diag(λ) Vᵀ."""

    eigenvalues: TensorT
    eigenvectors: TensorT


def eigh(A: Any, UPLO: str = "L") -> Eigh[Any]:
    """Return the eigenvalues and orthonormal eigenvectors of a symmetric or Hermitian matrix, A = V diag(λ) Vᴴ.

    The loss must not depend on the signs or phases of the eigenvectors; otherwise the backward pass raises an error for
    complex matrices, as in PyTorch. The gradient of the eigenvectors divides by the differences of eigenvalues: if two
    are equal, it is infinite or nan, as in PyTorch.

    Args:
        A: (…, n, n), symmetric or Hermitian; only one triangle is read.
        UPLO: the triangle to read: "L" for the lower, "U" for the upper.

    Returns:
        The pair (eigenvalues, eigenvectors): (…, n), ascending, and (…, n, n), whose columns are the vectors.

    Raises:
        ShapeError: if A is not square.
        ArgumentError: if UPLO is neither "L" nor "U".
        LinAlgError: if an entry is not finite.

    Source: Giles 2008, §3.1.

    >>> sg.linalg.eigh(sg.tensor([[1.0, 0.0], [0.0, 3.0]])).eigenvalues
    tensor([1., 3.])
    """
    upper = _upper("linalg.eigh", UPLO)
    return Eigh(Eigenvalues(upper)(A), Eigenvectors(upper)(A))


def eigvalsh(A: Any, UPLO: str = "L") -> Any:
    """Return the eigenvalues of a symmetric or Hermitian matrix, ascending. Gradient: V diag(λ̄) Vᴴ, V eigenvectors.

    Only one triangle is read, as in NumPy. The gradient is symmetric, as in PyTorch: ⟨gradient, dA⟩ is the change for
    every symmetric dA. If a single off-diagonal entry of the triangle changes, the change of the result is the sum of
    the two corresponding entries of the gradient.

    Args:
        A: (…, n, n), symmetric or Hermitian; only one triangle is read.
        UPLO: the triangle to read: "L" for the lower, "U" for the upper.

    Returns:
        (…, n).

    Raises:
        ShapeError: if A is not square.
        ArgumentError: if UPLO is neither "L" nor "U".
        LinAlgError: if an entry is not finite.

    >>> sg.linalg.eigvalsh(sg.tensor([[0.0, 1.0], [1.0, 0.0]]))
    tensor([-1.,  1.])
    """
    return Eigenvalues(_upper("linalg.eigvalsh", UPLO))(A)


def _upper(name: str, UPLO: Any) -> bool:
    if not isinstance(UPLO, str) or UPLO.upper() not in ("L", "U"):
        raise ArgumentError(f"Expected UPLO argument to be 'L' or 'U', but got {UPLO}. {name} reads only one triangle.")
    return UPLO.upper() == "U"


# ------------------------------------------------------------------ any matrices
def check_matrix(name: str, s: Shape) -> None:
    """Raise PyTorch's error unless s has the two axes of a matrix."""
    if len(s) < 2:
        raise ShapeError(
            f"{name}: The input tensor A must have at least 2 dimensions. Got shape {show_shape(s)}; "
            "pass a matrix (m, n) or a batch of them."
        )


def smaller(m: Any, n: Any) -> Any:
    """Return the smaller of two sizes."""
    if isinstance(m, int) and isinstance(n, int):
        return min(m, n)
    return m if m == n else sp.Min(m, n)


@frozen
class SingularValues(Op):
    """The singular values of each matrix, descending: (…, m, n) to (…, k), k the smaller size."""

    name = "LinalgSvd"
    spelled = "svdvals"
    saves = "x"
    gives = sized
    analytic = True
    signature = "(m,n)->(k)"
    explained = "singular values: U·diag(g)·Vᵀ for the adjoint g"

    def forward(self, x: Any) -> Any:
        """Compute the singular values with LAPACK."""
        self.out_shape(np.shape(x))
        return factors.svd(x, False)[1]

    def out_shape(self, s: Shape) -> Shape:
        check_matrix("linalg.svd", s)
        return (*s[:-2], smaller(*s[-2:]))

    def vjp(self, i: int, g: Any, y: Any, x: Any) -> Any:
        # X = U diag(s) Vᵀ  ⇒  X̄ = U diag(s̄) Vᵀ;  X = U diag(s) Vᴴ  ⇒  X̄ = conj(U) diag(s̄) Vᵀ
        return matmul(MUL(conj(SingularVectors(True)(x)), as_row(g)), mT(SingularVectors(False)(x)))

    def on_symbols(self, *xs: Any) -> Any:
        """The formula of matrices with at most two rows or columns."""
        return factors.each_matrix(xs[0], lambda m: factors.singular_2(m)[1], self.out_shape(xs[0].shape))


@frozen
class SingularVectors(Op):
    """U or V of X = U diag(s) Vᴴ, vectors as columns: (…, m, k) or (…, n, k), square where full.

    The rule is that of a loss that does not depend on phases, which only all three parts together show: see Singular.
    """

    left: bool
    full: bool = False
    name = "LinalgSvd"
    gives = floating
    analytic = True
    signature = "(m,n)->(i,j)"
    explained = "singular vectors: back through A = U·S·Vᵀ, over the gaps between the squares of the singular values"

    def forward(self, x: Any) -> Any:
        """Compute the singular vectors with LAPACK."""
        self.out_shape(np.shape(x))
        u, _, vh = factors.svd(x, self.full)
        return u if self.left else vh.conj().mT

    def out_shape(self, s: Shape) -> Shape:
        check_matrix("linalg.svd", s)
        rows = s[-2] if self.left else s[-1]
        return (*s[:-2], rows, rows if self.full else smaller(*s[-2:]))

    def vjp(self, i: int, g: Any, y: Any, x: Any) -> Any:
        # Vectors beyond the k-th are any basis of what is left, without gradient.
        s, k = SingularValues()(x), smaller(*shape(x)[-2:])
        other = SingularVectors(not self.left, self.full)(x)
        cotangent = _vectors_pulled(_thin(y, k), _thin(other, k), s, _thin(g, k))
        return cotangent if self.left else mH(cotangent)

    def on_symbols(self, *xs: Any) -> Any:
        """The formula of matrices with at most two rows or columns."""
        to = self.out_shape(xs[0].shape)
        if to[-1] != smaller(*xs[0].shape[-2:]):
            raise factors.no_formula("svd with full_matrices", to[-1])
        return factors.each_matrix(xs[0], lambda m: factors.singular_2(m)[0 if self.left else 2], to)

    def notation(self, write: Any, *args: Any) -> Any:
        side = "U" if self.left else "V"
        full = [write.Name("full")] * self.full
        return write.call(f"svd_{side}", args[0], *full, latex=rf"{side}_{{\mathrm{{svd}}}}")


def _thin(x: Any, k: Any) -> Any:
    """Return the first k columns."""
    return x if shape(x)[-1] == k else along(x, len(shape(x)) - 1, 0, k)


def _vectors_pulled(u: Any, v: Any, s: Any, g: Any) -> Any:
    # X = U S Vᵀ  ⇒  X̄ = [U ((UᵀŪ - ŪᵀU) ∘ K) S + (I - U Uᵀ) Ū S⁻¹] Vᵀ, K_ij = 1/(s_j² - s_i²). Townsend 2016.
    # X = U S Vᴴ  ⇒  the same with conj(U) for U in front, the adjoint of UᵀŪ, and on the diagonal half of it: phases
    # that U and V have in common stay open, what they have not turns U by one half and V by the other.
    turned = skew(matmul(mT(u), g))
    inner = MUL(InverseGaps()(MUL(s, s)), turned)
    cotangent = MUL(matmul(conj(u), inner), as_row(s))
    if holds_complex(u):
        phases = MUL(DIV(Diagonal()(turned), s), 0.25)
        cotangent = ADD(cotangent, MUL(conj(u), as_row(phases)))
    if shape(u)[-2] != shape(u)[-1]:
        scaled = DIV(g, as_row(s))
        cotangent = ADD(cotangent, ADD(scaled, NEG(matmul(conj(u), matmul(mT(u), scaled)))))
    return matmul(cotangent, mT(v))


@frozen
class Singular(Op):
    """U, V and s of X = U diag(s) Vᴴ, one below the other: (…, m, n) to (…, m + n + 1, k), filled up with zeros.

    One operation, because only of all cotangents together one sees whether the loss depends on phases.
    """

    full: bool
    name = "LinalgSvd"
    spelled = "svd"
    gives = floating
    analytic = True
    saves = "xy"
    signature = "(m,n)->(i,j)"
    explained = "singular value decomposition: each part by itself"
    not_exportable = "no library of the targets has one array of all three parts"

    def forward(self, x: Any) -> Any:
        """Compute the singular value decomposition with LAPACK."""
        self.out_shape(np.shape(x))
        u, s, vh = factors.svd(x, self.full)
        out = np.zeros(self.out_shape(np.shape(x)), vh.dtype)
        m, n = np.shape(x)[-2:]
        out[..., :m, : u.shape[-1]] = u
        out[..., m : m + n, : vh.shape[-2]] = vh.conj().mT
        out[..., -1, : s.shape[-1]] = s
        return out

    def out_shape(self, s: Shape) -> Shape:
        check_matrix("linalg.svd", s)
        m, n = s[-2:]
        return (*s[:-2], m + n + 1, max(m, n) if self.full else smaller(m, n))

    def vjp(self, i: int, g: Any, y: Any, x: Any) -> Any:
        """The sum of the rules of the parts."""
        (u, v, s), (gu, gv, gs) = self.parts(y, shape(x)), self.parts(g, shape(x))
        check_phases(_SINGULAR_VECTORS, ADD(matmul(mT(u), gu), matmul(mT(v), gv)))
        s, gs = real(s), real(gs)
        left, right = _vectors_pulled(u, v, s, gu), mH(_vectors_pulled(v, u, s, gv))
        return ADD(ADD(left, right), matmul(MUL(conj(u), as_row(gs)), mT(v)))

    def parts(self, y: Any, s: Shape) -> tuple[Any, Any, Any]:
        """The first k columns of U and V, and s."""
        m, n, last = *s[-2:], len(s) - 1
        y = _thin(y, smaller(m, n))
        return along(y, last - 1, 0, m), along(y, last - 1, m, m + n), getitem(y, (..., -1, slice(None)))


class SVD(NamedTuple, Generic[TensorT]):
    """The factors of A = U diag(S) Vh, where Vh is Vᴴ."""

    U: TensorT
    S: TensorT
    Vh: TensorT


def svd(A: Any, full_matrices: bool = True) -> SVD[Any]:
    """Return the singular value decomposition A = U diag(s) Vᴴ.

    The loss must not depend on the signs or phases of the singular vectors; otherwise the backward pass raises an error
    for complex matrices, as in PyTorch. The gradients of U and V divide by differences of squared singular values, and
    for matrices that are not square by the values themselves: if two are equal or one is 0, they are infinite or nan,
    as in PyTorch. Vectors beyond the k-th have no gradient.

    Args:
        A: (…, m, n).
        full_matrices: whether U and V are square, instead of having k = min(m, n) vectors each.

    Returns:
        The triple (U, S, Vh): (…, m, k), (…, k), descending, and (…, k, n); (…, m, m) and (…, n, n) if full.

    Raises:
        ShapeError: if A is not a matrix.
        LinAlgError: if an entry is not finite; in the backward pass, if the loss depends on phases.

    Source: Townsend 2016, Differentiating the singular value decomposition.

    >>> sg.linalg.svd(sg.tensor([[3.0, 0.0], [0.0, 4.0]])).S
    tensor([4., 3.])
    """
    s = shape(A)
    check_matrix("linalg.svd", s)
    full = bool(full_matrices) and s[-2] != s[-1]
    if holds_complex(A):
        return _complex_svd(A, full, *s[-2:])
    return SVD(SingularVectors(True, full)(A), SingularValues()(A), mT(SingularVectors(False, full)(A)))


def _complex_svd(A: Any, full: bool, m: Any, n: Any) -> SVD[Any]:
    factors, k = Singular(full)(A), smaller(m, n)
    u = getitem(factors, (..., slice(0, m), slice(0, m if full else k)))
    v = getitem(factors, (..., slice(m, m + n), slice(0, n if full else k)))
    return SVD(rename(u, "LinalgSvd"), real(getitem(factors, (..., -1, slice(0, k)))), mH(v))


def svdvals(A: Any) -> Any:
    """Return the singular values, in descending order. Gradient: U diag(s̄) Vᴴ.

    Args:
        A: (…, m, n).

    Returns:
        (…, min(m, n)).

    Raises:
        ShapeError: if A is not a matrix.
        LinAlgError: if an entry is not finite.

    >>> sg.linalg.svdvals(sg.tensor([[0.0, 2.0], [1.0, 0.0]]))
    tensor([2., 1.])
    """
    return SingularValues()(A)
