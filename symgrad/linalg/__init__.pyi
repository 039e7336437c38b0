"""``sg.linalg``: functions with the names of ``torch.linalg``, ``scipy.linalg`` and ``scipy.sparse.linalg``."""

# Written by `python tests/tools/stubs.py`; a test compares.

from collections.abc import Sequence
from symgrad.ops.linalg.determinant import SlogDet
from symgrad.ops.linalg.determinant import SlogDet as SlogDet
from symgrad.ops.linalg.eigen import Eig
from symgrad.ops.linalg.eigen import Eig as Eig
from symgrad.ops.linalg.failures import CholeskyEx
from symgrad.ops.linalg.failures import CholeskyEx as CholeskyEx
from symgrad.ops.linalg.failures import InvEx
from symgrad.ops.linalg.failures import InvEx as InvEx
from symgrad.ops.linalg.failures import LDLFactorEx
from symgrad.ops.linalg.failures import LDLFactorEx as LDLFactorEx
from symgrad.ops.linalg.failures import LUFactorEx
from symgrad.ops.linalg.failures import LUFactorEx as LUFactorEx
from symgrad.ops.linalg.failures import SolveEx
from symgrad.ops.linalg.failures import SolveEx as SolveEx
from symgrad.ops.linalg.ldl import LDLFactor
from symgrad.ops.linalg.ldl import LDLFactor as LDLFactor
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
    "CholeskyEx",
    "Eig",
    "Eigh",
    "InvEx",
    "LDLFactor",
    "LDLFactorEx",
    "LU",
    "LUFactor",
    "LUFactorEx",
    "LstSq",
    "QR",
    "SVD",
    "SlogDet",
    "SolveEx",
    "block_diag",
    "cg",
    "cholesky",
    "cholesky_ex",
    "cond",
    "cross",
    "det",
    "diagonal",
    "eig",
    "eigh",
    "eigvals",
    "eigvalsh",
    "expm",
    "expm_frechet",
    "gmres",
    "householder_product",
    "inv",
    "inv_ex",
    "khatri_rao",
    "ldl_factor",
    "ldl_factor_ex",
    "ldl_solve",
    "logm",
    "lsqr",
    "lstsq",
    "lu",
    "lu_factor",
    "lu_factor_ex",
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
    "solve_banded",
    "solve_continuous_are",
    "solve_continuous_lyapunov",
    "solve_discrete_are",
    "solve_discrete_lyapunov",
    "solve_ex",
    "solve_sylvester",
    "solve_triangular",
    "solveh_banded",
    "sqrtm",
    "svd",
    "svdvals",
    "tensorinv",
    "tensorsolve",
    "toeplitz",
    "trace",
    "vander",
    "vecdot",
    "vector_norm",
]

def block_diag(*tensors: Any) -> Tensor:
    """The matrix with the given ones along its diagonal, and zeros elsewhere."""
def cg(A: Any, b: Any, *args: Any, x0: Any = None, tol: float = 1e-10, max_steps: int | None = None) -> Tensor:
    """Solve A x = b for a symmetric positive definite A, by conjugate gradients. Gradients: b̄ = A⁻¹ x̄, Ā = −b̄ xᵀ."""
def cholesky(A: Any, upper: bool = False) -> Tensor:
    """The lower triangular L with L Lᵀ = A, of complex matrices L Lᴴ = A. The gradient is symmetric, or Hermitian."""
def cholesky_ex(A: Any, *, upper: bool = False, check_errors: bool = False) -> CholeskyEx[Tensor]:
    """A = L Lᵀ as ``cholesky`` returns it, without an error where A is not positive definite."""
def cond(A: Any, p: Any = None) -> Tensor:
    """The condition number ‖A‖ ‖A⁻¹‖ in a matrix norm."""
def cross(input: Any, other: Any, *, dim: int = -1) -> Tensor:
    """a × b of vectors along one axis of length 3."""
def det(A: Any) -> Tensor:
    """The determinant. Its gradient is the matrix of cofactors, exact for singular matrices too."""
def diagonal(A: Any, offset: int = 0, dim1: int = -2, dim2: int = -1) -> Tensor:
    """As diagonal, of the last two axes."""
def eig(A: Any) -> Eig[Tensor]:
    """A = V diag(λ) V⁻¹: the eigenvalues and eigenvectors of a matrix that need not be symmetric. Both are complex."""
def eigh(A: Any, UPLO: str = 'L') -> Eigh[Tensor]:
    """A = V diag(λ) Vᵀ, or V diag(λ) Vᴴ: eigenvalues and orthonormal eigenvectors of a symmetric or Hermitian matrix."""
def eigvals(A: Any) -> Tensor:
    """The eigenvalues of a matrix, which are complex, in LAPACK's order. Gradient: V⁻ᴴ diag(λ̄) Vᴴ."""
def eigvalsh(A: Any, UPLO: str = 'L') -> Tensor:
    """The eigenvalues of a symmetric or Hermitian matrix, real and ascending. Gradient: V diag(λ̄) Vᴴ, V eigenvectors."""
def expm(A: Any) -> Tensor:
    """The exponential Σ Aᵏ/k! of a matrix. Gradient: Dexp(Aᵀ)[Ȳ], the derivative at Aᵀ in the direction Ȳ."""
def expm_frechet(A: Any, E: Any, compute_expm: bool = True) -> Any:
    """The exponential of a matrix, and its derivative in a direction: lim (exp(A + tE) - exp(A))/t."""
def gmres(A: Any, b: Any, *args: Any, x0: Any = None, tol: float = 1e-10, max_steps: int | None = None) -> Tensor:
    """Solve A x = b by GMRES: as ``cg``, of any nonsingular A. Gradients: b̄ = A⁻ᵀ x̄, Ā = −b̄ xᵀ."""
def householder_product(A: Any, tau: Any) -> Tensor:
    """The first columns of the product of the reflections I - τ_k v_k v_kᵀ, of complex v_k I - τ_k v_k v_kᴴ."""
def inv(A: Any) -> Tensor:
    """The inverse A⁻¹. Gradient: −A⁻ᵀ Ȳ A⁻ᵀ."""
def inv_ex(A: Any, *, check_errors: bool = False) -> InvEx[Tensor]:
    """A⁻¹, without an error where A is singular."""
def khatri_rao(A: Any, B: Any) -> Tensor:
    """The Kronecker product column by column: row i·m + j has A_ik B_jk."""
def ldl_factor(A: Any, *, hermitian: bool = False) -> LDLFactor[Tensor]:
    """A = P L D Lᵀ Pᵀ of a symmetric matrix, which need not be definite: L and D in one matrix, and the exchanges."""
def ldl_factor_ex(A: Any, *, hermitian: bool = False, check_errors: bool = False) -> LDLFactorEx[Tensor]:
    """A = P L D Lᵀ Pᵀ as ``ldl_factor`` returns it, and whether D has a zero on its diagonal."""
def ldl_solve(LD: Any, pivots: Any, B: Any, *, hermitian: bool = False) -> Tensor:
    """X with A X = B, A = P L D Lᵀ Pᵀ as ``ldl_factor`` returns it. Gradient: A⁻¹ X̄, with respect to B alone."""
def logm(A: Any) -> Tensor:
    """The principal logarithm X of a matrix: exp(X) = A. Gradient: the derivative at Aᵀ in the direction Ȳ."""
def lsqr(A: Any, b: Any, *args: Any, x0: Any = None, tol: float = 1e-10, max_steps: int | None = None) -> Tensor:
    """Solve A x = b by LSQR: as ``gmres``, by products with A and Aᵀ; of a rectangular A, A⁺ b by least squares."""
def lstsq(A: Any, b: Any, rcond: float | None = None, *, driver: str | None = None) -> LstSq[Tensor]:
    """The X that minimises ‖A X - b‖², of those the one with the smallest norm: A⁺ b."""
def lu(A: Any, *, pivot: bool = True) -> LU[Tensor]:
    """A = P L U, P a permutation, L lower triangular with ones on its diagonal, U upper triangular."""
def lu_factor(A: Any, *, pivot: bool = True) -> LUFactor[Tensor]:
    """A = P L U in one matrix: U on and above the diagonal, L below it; and the exchanges of rows that are P."""
def lu_factor_ex(A: Any, *, pivot: bool = True, check_errors: bool = False) -> LUFactorEx[Tensor]:
    """A = P L U as ``lu_factor`` returns it, and whether U has a zero on its diagonal."""
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
def solve_banded(l_and_u: tuple[int, int], ab: Any, b: Any) -> Tensor:
    """Solve A x = b with A_ij = ab[u + i − j, j] within the band of l diagonals below and u above, 0 elsewhere."""
def solve_continuous_are(a: Any, b: Any, q: Any, r: Any, e: Any = None, s: Any = None, balanced: bool = True) -> Tensor:
    """X with AᵀX E + EᵀX A − (EᵀX B + S) R⁻¹ (BᵀX E + Sᵀ) + Q = 0 for which the closed loop is stable."""
def solve_continuous_lyapunov(A: Any, Q: Any) -> Tensor:
    """X with A X + X Aᴴ = Q."""
def solve_discrete_are(a: Any, b: Any, q: Any, r: Any, e: Any = None, s: Any = None, balanced: bool = True) -> Tensor:
    """X with AᵀX A − EᵀX E − (AᵀX B + S) (R + BᵀX B)⁻¹ (BᵀX A + Sᵀ) + Q = 0 for which the closed loop is stable."""
def solve_discrete_lyapunov(A: Any, Q: Any) -> Tensor:
    """X with A X Aᴴ − X + Q = 0."""
def solve_ex(A: Any, B: Any, *, left: bool = True, check_errors: bool = False) -> SolveEx[Tensor]:
    """Solve A x = b as ``solve`` does, without an error where A is singular."""
def solve_sylvester(A: Any, B: Any, C: Any) -> Tensor:
    """X with A X + X B = C. Gradient: C̄ solves the transposed equation for X̄; Ā = −C̄ Xᵀ, B̄ = −Xᵀ C̄."""
def solve_triangular(A: Any, B: Any, trans: int | str = 0, lower: bool | None = None, unit_diagonal: bool = False, *, upper: bool | None = None, left: bool = True, unitriangular: bool = False) -> Tensor:
    """Solve T X = B, or X T = B, with T the upper or lower triangle of A."""
def solveh_banded(ab: Any, b: Any, lower: bool = False) -> Tensor:
    """Solve A x = b with a symmetric A given by its diagonals: those above, A_ij = ab[u + i − j, j], or those below."""
def sqrtm(A: Any) -> Tensor:
    """The principal square root X of a matrix: X X = A. Gradient: the derivative at Aᵀ in the direction Ȳ."""
def svd(A: Any, full_matrices: bool = True) -> SVD[Tensor]:
    """A = U diag(s) Vᵀ, of complex matrices U diag(s) Vᴴ, the singular value decomposition."""
def svdvals(A: Any) -> Tensor:
    """The singular values, descending. Gradient: U diag(s̄) Vᵀ, of complex A U diag(s̄) Vᴴ."""
def tensorinv(A: Any, ind: int = 2) -> Tensor:
    """The inverse of A, read as a matrix from its last axes to its first ``ind`` ones."""
def tensorsolve(A: Any, other: Any, dims: Sequence[int] | None = None) -> Tensor:
    """X with Σ A X = B, summed over the axes of A that B lacks."""
def toeplitz(c: Any, r: Any = None) -> Tensor:
    """The matrix with T_ij = c_{i−j} below and on the diagonal, and r_{j−i} above it."""
def trace(input: Any) -> Tensor:
    """The trace Σ x_ii."""
def vander(input: Any, N: int | None = None) -> Tensor:
    """The Vandermonde matrix V[…, i, k] = x_i^k."""
def vecdot(input: Any, y: Any, *, dim: int = -1) -> Tensor:
    """Σ x y along one axis, of complex numbers Σ x̄ y."""
def vector_norm(input: Any, ord: float = 2, dim: int | Sequence[int] | None = None, keepdim: bool = False, *, axis: int | Sequence[int] | None = None, keepdims: bool = False) -> Tensor:
    """The norm (Σ|x|ᵖ)^(1/p) of the entries, p = ord. Its gradient where the norm is 0 is 0."""
