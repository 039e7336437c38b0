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
    "cho_factor",
    "cho_solve",
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
    """Return the block-diagonal matrix of the given matrices."""
def cg(A: Any, b: Any, *args: Any, x0: Any = None, tol: float = 1e-10, max_steps: int | None = None) -> Tensor:
    """Solve A x = b for a symmetric positive definite A, by conjugate gradients. Gradients: b̄ = A⁻¹ x̄, Ā = −b̄ xᵀ."""
def cho_factor(a: Any, lower: bool = False, *, overwrite_a: bool = False, check_finite: bool = True) -> tuple[Tensor, bool]:
    """Factorise A = L Lᴴ, or A = Uᴴ U if lower is False, for ``cho_solve``."""
def cho_solve(c_and_lower: tuple[Any, bool], b: Any, *, overwrite_b: bool = False, check_finite: bool = True) -> Tensor:
    """Solve A x = b with A = L Lᴴ, or A = Uᴴ U, from ``cho_factor``."""
def cholesky(A: Any, upper: bool = False) -> Tensor:
    """Return the lower triangular L with L Lᵀ = A, or L Lᴴ = A for complex A. The gradient is symmetric or Hermitian."""
def cholesky_ex(A: Any, *, upper: bool = False, check_errors: bool = False) -> CholeskyEx[Tensor]:
    """Compute the Cholesky factor like ``cholesky``, but report a matrix that is not positive definite in ``info``."""
def cond(A: Any, p: Any = None) -> Tensor:
    """Return the condition number ‖A‖ ‖A⁻¹‖ in a matrix norm."""
def cross(input: Any, other: Any, *, dim: int = -1) -> Tensor:
    """Return the cross product a × b of vectors along one axis of length 3."""
def det(A: Any) -> Tensor:
    """Return the determinant. Its gradient is the matrix of cofactors, which is exact for singular matrices too."""
def diagonal(A: Any, offset: int = 0, dim1: int = -2, dim2: int = -1) -> Tensor:
    """Return the diagonal of the last two axes; see ``sg.diagonal``."""
def eig(A: Any) -> Eig[Tensor]:
    """Return the eigenvalues and eigenvectors of a general square matrix, A = V diag(λ) V⁻¹. Both are complex."""
def eigh(A: Any, UPLO: str = 'L') -> Eigh[Tensor]:
    """Return the eigenvalues and orthonormal eigenvectors of a symmetric or Hermitian matrix, A = V diag(λ) Vᴴ."""
def eigvals(A: Any) -> Tensor:
    """Return the eigenvalues of a matrix, which are complex, in LAPACK's order. Gradient: V⁻ᴴ diag(λ̄) Vᴴ."""
def eigvalsh(A: Any, UPLO: str = 'L') -> Tensor:
    """Return the eigenvalues of a symmetric or Hermitian matrix, ascending. Gradient: V diag(λ̄) Vᴴ, V eigenvectors."""
def expm(A: Any) -> Tensor:
    """Return the matrix exponential Σ Aᵏ/k!. Gradient: Dexp(Aᵀ)[Ȳ], the derivative at Aᵀ in the direction Ȳ."""
def expm_frechet(A: Any, E: Any, compute_expm: bool = True) -> Any:
    """Return the matrix exponential and its derivative in a direction, lim (exp(A + tE) - exp(A))/t."""
def gmres(A: Any, b: Any, *args: Any, x0: Any = None, tol: float = 1e-10, max_steps: int | None = None) -> Tensor:
    """Solve A x = b by GMRES, with the arguments of ``cg``, for any nonsingular A. Gradients: b̄ = A⁻ᵀ x̄, Ā = −b̄ xᵀ."""
def householder_product(A: Any, tau: Any) -> Tensor:
    """Return the first columns of the product of the reflections I - τ_k v_k v_kᵀ, or I - τ_k v_k v_kᴴ if complex."""
def inv(A: Any) -> Tensor:
    """Return the inverse A⁻¹. Gradient: −A⁻ᵀ Ȳ A⁻ᵀ."""
def inv_ex(A: Any, *, check_errors: bool = False) -> InvEx[Tensor]:
    """Compute the inverse like ``inv``, but report a singular matrix in ``info``."""
def khatri_rao(A: Any, B: Any) -> Tensor:
    """Return the columnwise Kronecker product, whose row i·m + j is A_ik B_jk."""
def ldl_factor(A: Any, *, hermitian: bool = False) -> LDLFactor[Tensor]:
    """Factorise a symmetric, possibly indefinite matrix: A = P L D Lᵀ Pᵀ, with L and D in one matrix."""
def ldl_factor_ex(A: Any, *, hermitian: bool = False, check_errors: bool = False) -> LDLFactorEx[Tensor]:
    """Factorise a matrix like ``ldl_factor``, and report a zero on the diagonal of D in ``info``."""
def ldl_solve(LD: Any, pivots: Any, B: Any, *, hermitian: bool = False) -> Tensor:
    """Solve A X = B, with A = P L D Lᵀ Pᵀ from ``ldl_factor``. Gradient: A⁻¹ X̄, with respect to B only."""
def logm(A: Any) -> Tensor:
    """Return the principal logarithm X of a matrix A, for which exp(X) = A."""
def lsqr(A: Any, b: Any, *args: Any, x0: Any = None, tol: float = 1e-10, max_steps: int | None = None) -> Tensor:
    """Solve A x = b by LSQR, which multiplies by A and Aᵀ; in the least-squares sense for a rectangular A."""
def lstsq(A: Any, b: Any, rcond: float | None = None, *, driver: str | None = None) -> LstSq[Tensor]:
    """Return the least-squares solution X = A⁺ b, which minimises ‖A X - b‖² and has the smallest norm."""
def lu(A: Any, *, pivot: bool = True) -> LU[Tensor]:
    """Factorise A = P L U: P is a permutation, L is lower triangular with ones on its diagonal, U is upper triangular."""
def lu_factor(A: Any, *, pivot: bool = True) -> LUFactor[Tensor]:
    """Factorise A = P L U. One matrix contains U on and above the diagonal and L below it; pivots represent P."""
def lu_factor_ex(A: Any, *, pivot: bool = True, check_errors: bool = False) -> LUFactorEx[Tensor]:
    """Factorise a matrix like ``lu_factor``, and report a zero on the diagonal of U in ``info``."""
def lu_solve(LU: Any, pivots: Any, B: Any = None, *, left: bool = True, adjoint: bool = False, trans: int = 0, overwrite_b: bool = False, check_finite: bool = True) -> Tensor:
    """Solve A X = B, or X A = B, with A = P L U: ``lu_solve(LU, pivots, B)``, or SciPy's ``lu_solve((lu, piv), b)``."""
def matmul(input: Any, other: Any) -> Tensor:
    """Return the matrix product of tensors of any rank, with broadcast batch axes, like ``torch.matmul``."""
def matrix_exp(A: Any) -> Tensor:
    """Return the matrix exponential Σ Aᵏ/k!. Gradient: Dexp(Aᵀ)[Ȳ], the derivative at Aᵀ in the direction Ȳ."""
def matrix_norm(A: Any, ord: float | str = 'fro', dim: tuple[int, int] = ..., keepdim: bool = False, *, axis: tuple[int, int] | None = None, keepdims: bool = False) -> Tensor:
    """Return the norm of a matrix."""
def matrix_power(A: Any, n: int) -> Tensor:
    """Return Aⁿ by repeated squaring, and (A⁻¹)⁻ⁿ for a negative n."""
def matrix_rank(A: Any, *, atol: Any = None, rtol: Any = None, hermitian: bool = False) -> Tensor:
    """Return the number of singular values that are not treated as 0. It has no derivative."""
def multi_dot(tensors: Sequence[Any]) -> Tensor:
    """Return the product A₁A₂…A_k, evaluated in the order with the fewest multiplications."""
def norm(A: Any, ord: float | str | None = None, dim: int | Sequence[int] | None = None, keepdim: bool = False, *, axis: int | Sequence[int] | None = None, keepdims: bool = False) -> Tensor:
    """Return the norm of a vector or a matrix: √Σ a² over all entries, or with ord as in vector_norm or matrix_norm."""
def pinv(A: Any, *, atol: float | None = None, rtol: float | None = None, hermitian: bool = False) -> Tensor:
    """Return the pseudoinverse A⁺. Its gradient is valid if the rank is constant in a neighbourhood."""
def qr(A: Any, mode: str = 'reduced') -> QR[Tensor]:
    """Factorise A = Q R, where Q has orthonormal columns and R is upper triangular. The signs are LAPACK's."""
def slogdet(A: Any) -> SlogDet[Tensor]:
    """Return the sign of the determinant and the logarithm of |det A|, neither of which overflows or underflows."""
def solve(A: Any, B: Any, *, left: bool = True) -> Tensor:
    """Solve A x = b, or x A = b if left is False. Gradients: b̄ = A⁻ᵀ x̄ and Ā = −b̄ xᵀ."""
def solve_banded(l_and_u: tuple[int, int], ab: Any, b: Any) -> Tensor:
    """Solve A x = b with A_ij = ab[u + i − j, j] within the band of l diagonals below and u above, 0 elsewhere."""
def solve_continuous_are(a: Any, b: Any, q: Any, r: Any, e: Any = None, s: Any = None, balanced: bool = True) -> Tensor:
    """Return the X with AᵀX E + EᵀX A − (EᵀX B + S) R⁻¹ (BᵀX E + Sᵀ) + Q = 0 that makes the closed loop stable."""
def solve_continuous_lyapunov(A: Any, Q: Any) -> Tensor:
    """Solve A X + X Aᴴ = Q."""
def solve_discrete_are(a: Any, b: Any, q: Any, r: Any, e: Any = None, s: Any = None, balanced: bool = True) -> Tensor:
    """Return the X with AᵀX A − EᵀX E − (AᵀX B + S) (R + BᵀX B)⁻¹ (BᵀX A + Sᵀ) + Q = 0 that makes the loop stable."""
def solve_discrete_lyapunov(A: Any, Q: Any) -> Tensor:
    """Solve A X Aᴴ − X + Q = 0."""
def solve_ex(A: Any, B: Any, *, left: bool = True, check_errors: bool = False) -> SolveEx[Tensor]:
    """Solve A x = b like ``solve``, but report a singular matrix in ``info``."""
def solve_sylvester(A: Any, B: Any, C: Any) -> Tensor:
    """Solve A X + X B = C. Gradient: C̄ solves the transposed equation for X̄; Ā = −C̄ Xᵀ, B̄ = −Xᵀ C̄."""
def solve_triangular(A: Any, B: Any, trans: int | str = 0, lower: bool | None = None, unit_diagonal: bool = False, *, upper: bool | None = None, left: bool = True, unitriangular: bool = False) -> Tensor:
    """Solve T X = B, or X T = B, where T is the upper or lower triangle of A."""
def solveh_banded(ab: Any, b: Any, lower: bool = False) -> Tensor:
    """Solve A x = b with a symmetric A, given by its upper diagonals, A_ij = ab[u + i − j, j], or its lower diagonals."""
def sqrtm(A: Any) -> Tensor:
    """Return the principal square root X of a matrix A, for which X X = A."""
def svd(A: Any, full_matrices: bool = True) -> SVD[Tensor]:
    """Return the singular value decomposition A = U diag(s) Vᴴ."""
def svdvals(A: Any) -> Tensor:
    """Return the singular values, in descending order. Gradient: U diag(s̄) Vᴴ."""
def tensorinv(A: Any, ind: int = 2) -> Tensor:
    """Return the inverse of A, regarded as a matrix whose rows are the first ``ind`` axes."""
def tensorsolve(A: Any, other: Any, dims: Sequence[int] | None = None) -> Tensor:
    """Solve Σ A X = B for X, where the sum is over the axes of A that B does not have."""
def toeplitz(c: Any, r: Any = None) -> Tensor:
    """Return the Toeplitz matrix, with T_ij = c_{i−j} on and below the diagonal, and r_{j−i} above it."""
def trace(input: Any) -> Tensor:
    """Return the trace Σ x_ii."""
def vander(input: Any, N: int | None = None) -> Tensor:
    """Return the Vandermonde matrix V[…, i, k] = x_i^k."""
def vecdot(input: Any, y: Any, *, dim: int = -1) -> Tensor:
    """Return the dot products Σ x y along one axis, or Σ x̄ y for complex numbers."""
def vector_norm(input: Any, ord: float = 2, dim: int | Sequence[int] | None = None, keepdim: bool = False, *, axis: int | Sequence[int] | None = None, keepdims: bool = False) -> Tensor:
    """Return the norm (Σ|x|ᵖ)^(1/p) of the entries, with p = ord. Where the norm is 0, its gradient is 0."""
