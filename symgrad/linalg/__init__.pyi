"""``sg.linalg``: torch.linalg's names. What they compute stands in ``ops``; here is only the door."""

# Written by `python tests/stubs.py`; a test compares.

from collections.abc import Sequence
from symgrad.ops.linalg.determinant import SlogDet
from symgrad.ops.linalg.determinant import SlogDet as SlogDet
from symgrad.ops.linalg.lu import LU
from symgrad.ops.linalg.lu import LU as LU
from symgrad.ops.linalg.lu import LUFactor
from symgrad.ops.linalg.lu import LUFactor as LUFactor
from symgrad.ops.linalg.orthogonal import QR
from symgrad.ops.linalg.orthogonal import QR as QR
from symgrad.ops.linalg.pseudoinverse import LstSq
from symgrad.ops.linalg.pseudoinverse import LstSq as LstSq
from symgrad.ops.linalg.spectral import Eigh
from symgrad.ops.linalg.spectral import Eigh as Eigh
from symgrad.ops.linalg.spectral import SVD
from symgrad.ops.linalg.spectral import SVD as SVD
from symgrad.tensors.tensor import Tensor
from typing import Any

__all__ = [
    "Eigh",
    "LU",
    "LUFactor",
    "LstSq",
    "QR",
    "SVD",
    "SlogDet",
    "cholesky",
    "cond",
    "cross",
    "det",
    "diagonal",
    "eigh",
    "eigvalsh",
    "householder_product",
    "inv",
    "lstsq",
    "lu",
    "lu_factor",
    "lu_solve",
    "matmul",
    "matrix_exp",
    "matrix_norm",
    "matrix_power",
    "matrix_rank",
    "multi_dot",
    "norm",
    "pinv",
    "qr",
    "slogdet",
    "solve",
    "solve_triangular",
    "svd",
    "svdvals",
    "tensorinv",
    "tensorsolve",
    "trace",
    "vander",
    "vecdot",
    "vector_norm",
]

def cholesky(A: Any, upper: bool = False) -> Tensor:
    """The lower triangular L with L Lᵀ = A. The gradient is symmetric."""
def cond(A: Any, p: Any = None) -> Tensor:
    """The condition number ‖A‖ ‖A⁻¹‖ in a matrix norm."""
def cross(input: Any, other: Any, *, dim: int = -1) -> Tensor:
    """a × b of vectors along one axis of length 3."""
def det(A: Any) -> Tensor:
    """The determinant. Its gradient is the matrix of cofactors, exact for singular matrices too."""
def diagonal(A: Any, offset: int = 0, dim1: int = -2, dim2: int = -1) -> Tensor:
    """As diagonal, of the last two axes."""
def eigh(A: Any, UPLO: str = 'L') -> Eigh[Tensor]:
    """A = V diag(λ) Vᵀ: the eigenvalues and orthonormal eigenvectors of a symmetric matrix."""
def eigvalsh(A: Any, UPLO: str = 'L') -> Tensor:
    """The eigenvalues of a symmetric matrix, ascending. Gradient: V diag(λ̄) Vᵀ, V the eigenvectors."""
def householder_product(A: Any, tau: Any) -> Tensor:
    """The first columns of the product of the reflections I - τ_k v_k v_kᵀ."""
def inv(A: Any) -> Tensor:
    """The inverse A⁻¹. Gradient: −A⁻ᵀ Ȳ A⁻ᵀ."""
def lstsq(A: Any, b: Any, rcond: float | None = None, *, driver: str | None = None) -> LstSq[Tensor]:
    """The X that minimises ‖A X - b‖², of those the one with the smallest norm: A⁺ b."""
def lu(A: Any, *, pivot: bool = True) -> LU[Tensor]:
    """A = P L U, P a permutation, L lower triangular with ones on its diagonal, U upper triangular."""
def lu_factor(A: Any, *, pivot: bool = True) -> LUFactor[Tensor]:
    """A = P L U in one matrix: U on and above the diagonal, L below it; and the exchanges of rows that are P."""
def lu_solve(LU: Any, pivots: Any, B: Any, *, left: bool = True, adjoint: bool = False) -> Tensor:
    """Solve A X = B, or X A = B, with A = P L U as lu_factor returns it."""
def matmul(input: Any, other: Any) -> Tensor:
    """The matrix product of any ranks, batch axes broadcast, as ``torch.matmul``."""
def matrix_exp(A: Any) -> Tensor:
    """The exponential Σ Aᵏ/k! of a matrix. Gradient: Dexp(Aᵀ)[Ȳ], the derivative at Aᵀ in the direction Ȳ."""
def matrix_norm(A: Any, ord: float | str = 'fro', dim: tuple[int, int] = ..., keepdim: bool = False, *, axis: tuple[int, int] | None = None, keepdims: bool = False) -> Tensor:
    """The norm of a matrix: "fro" √Σ a², 1 and -1 the extreme column sum of |a|, inf and -inf row sum."""
def matrix_power(A: Any, n: int) -> Tensor:
    """Aⁿ by repeated squaring; of a negative n, (A⁻¹)⁻ⁿ."""
def matrix_rank(A: Any, *, atol: Any = None, rtol: Any = None, hermitian: bool = False) -> Tensor:
    """The number of singular values that are not taken for 0. It has no derivative."""
def multi_dot(tensors: Sequence[Any]) -> Tensor:
    """The product A₁A₂…A_k, bracketed so that it takes the fewest multiplications."""
def norm(A: Any, ord: float | str | None = None, dim: int | Sequence[int] | None = None, keepdim: bool = False, *, axis: int | Sequence[int] | None = None, keepdims: bool = False) -> Tensor:
    """The norm of a vector or matrix: without ord √Σ a² of all entries, else as vector_norm or matrix_norm."""
def pinv(A: Any, *, atol: float | None = None, rtol: float | None = None, hermitian: bool = False) -> Tensor:
    """The pseudoinverse A⁺. Its gradient holds where the rank stays the same nearby."""
def qr(A: Any, mode: str = 'reduced') -> QR[Tensor]:
    """A = Q R, Q with orthonormal columns and R upper triangular; the signs are LAPACK's."""
def slogdet(A: Any) -> SlogDet[Tensor]:
    """The sign and the logarithm of |det A|, which neither over- nor underflow."""
def solve(A: Any, B: Any, *, left: bool = True) -> Tensor:
    """Solve A x = b, or x A = b if left is False. Gradients: b̄ = A⁻ᵀ x̄ and Ā = −b̄ xᵀ."""
def solve_triangular(A: Any, B: Any, *, upper: bool, left: bool = True, unitriangular: bool = False) -> Tensor:
    """Solve T X = B, or X T = B, with T the upper or lower triangle of A."""
def svd(A: Any, full_matrices: bool = True) -> SVD[Tensor]:
    """A = U diag(s) Vᵀ, the singular value decomposition."""
def svdvals(A: Any) -> Tensor:
    """The singular values, descending. Gradient: U diag(s̄) Vᵀ."""
def tensorinv(A: Any, ind: int = 2) -> Tensor:
    """The inverse of A, read as a matrix from its last axes to its first ``ind`` ones."""
def tensorsolve(A: Any, other: Any, dims: Sequence[int] | None = None) -> Tensor:
    """X with Σ A X = B, summed over the axes of A that B lacks."""
def trace(input: Any) -> Tensor:
    """The trace Σ x_ii."""
def vander(input: Any, N: int | None = None) -> Tensor:
    """The Vandermonde matrix V[…, i, k] = x_i^k."""
def vecdot(input: Any, y: Any, *, dim: int = -1) -> Tensor:
    """Σ x y along one axis."""
def vector_norm(input: Any, ord: float = 2, dim: int | Sequence[int] | None = None, keepdim: bool = False, *, axis: int | Sequence[int] | None = None, keepdims: bool = False) -> Tensor:
    """The norm (Σ|x|ᵖ)^(1/p) of the entries, p = ord. Its gradient where the norm is 0 is 0."""
