"""``sg.linalg``: functions with the names of ``torch.linalg``, ``scipy.linalg`` and ``scipy.sparse.linalg``.

They are implemented in ``ops`` and ``solvers``.
"""

from __future__ import annotations

from symgrad.engine.adapters import public, public_all, public_named
from symgrad.errors import LinAlgError as LinAlgError
from symgrad.ops import contract
from symgrad.ops.linalg import (
    banded,
    determinant,
    eigen,
    failures,
    ldl,
    lu,
    matrices,
    multilinear,
    norms,
    orthogonal,
    products,
    pseudoinverse,
    riccati,
    roots,
    solving,
    spectral,
    structured,
    sylvester,
)
from symgrad.ops.linalg import expm as expm_
from symgrad.ops.linalg.determinant import SlogDet
from symgrad.ops.linalg.eigen import Eig
from symgrad.ops.linalg.failures import CholeskyEx, InvEx, LDLFactorEx, LUFactorEx, SolveEx
from symgrad.ops.linalg.ldl import LDLFactor
from symgrad.ops.linalg.lu import LU, LUFactor
from symgrad.ops.linalg.orthogonal import QR
from symgrad.ops.linalg.pseudoinverse import LstSq
from symgrad.ops.linalg.spectral import SVD, Eigh
from symgrad.ops.shapes import join
from symgrad.support.namespace import namespace

__all__ = [
    "CholeskyEx", "Eig", "Eigh", "InvEx", "LDLFactor", "LDLFactorEx", "LU", "LUFactor", "LUFactorEx",
    "LstSq",
    "QR", "SVD", "SlogDet", "SolveEx", "block_diag", "cg", "cho_factor", "cho_solve", "cholesky", "cholesky_ex", "cond",
    "cross", "det", "diagonal",
    "eig", "eigh", "eigvals", "eigvalsh", "expm", "expm_frechet", "gmres", "householder_product", "inv", "inv_ex",
    "khatri_rao", "ldl_factor", "ldl_factor_ex", "ldl_solve", "logm", "lsqr", "lstsq", "lu", "lu_factor",
    "lu_factor_ex", "lu_solve", "matmul", "matrix_exp", "matrix_norm", "matrix_power", "matrix_rank", "multi_dot",
    "norm", "pinv", "qr", "slogdet", "solve", "solve_banded", "solve_continuous_are", "solve_continuous_lyapunov",
    "solve_discrete_are", "solve_discrete_lyapunov", "solve_ex", "solve_sylvester", "solve_triangular", "solveh_banded",
    "sqrtm", "svd", "svdvals", "tensorinv", "tensorsolve", "toeplitz", "trace", "vander", "vecdot", "vector_norm",
]  # fmt: skip

inv = public(solving.inv)
solve = public(solving.solve)
solve_triangular = public(solving.solve_triangular)
cholesky = public(solving.cholesky)
matrix_power = public(solving.matrix_power)
cholesky_ex, inv_ex = public(failures.cholesky_ex), public(failures.inv_ex)
lu_factor_ex, ldl_factor_ex = public(failures.lu_factor_ex), public(failures.ldl_factor_ex)
solve_ex = public(failures.solve_ex)

eigh = public(spectral.eigh)
eigvalsh = public(spectral.eigvalsh)
svd = public(spectral.svd)
svdvals = public(spectral.svdvals)
eig = public(eigen.eig)
eigvals = public(eigen.eigvals)
qr = public(orthogonal.qr)
matrix_exp = public(expm_.matrix_exp)
pinv = public(pseudoinverse.pinv)
lstsq = public(pseudoinverse.lstsq)
matrix_rank = public(pseudoinverse.matrix_rank)

det = public(determinant.det)
slogdet = public(determinant.slogdet)

norm = public(norms.linalg_norm)
vector_norm = public(norms.vector_norm)
matrix_norm = public(norms.matrix_norm)

multi_dot = public(products.multi_dot)
matmul = public(contract.matmul)
diagonal = public(matrices.linalg_diagonal)
trace = public(matrices.trace)

cross, vander = public(multilinear.linalg_cross), public(multilinear.vander)
tensorinv, tensorsolve = public(multilinear.tensorinv), public(multilinear.tensorsolve)
cond, householder_product = public(norms.cond), public(orthogonal.householder_product)
ldl_factor, ldl_solve = public(ldl.ldl_factor), public_named(ldl.ldl_solve, "LD", "pivots", "B")
lu_factor = public(lu.lu_factor)
lu = public(lu.lu)  # type: ignore[assignment]
vecdot = public(multilinear.vecdot)

expm, expm_frechet = public(expm_.matrix_exp), public(expm_.expm_frechet)
sqrtm, logm = public(roots.sqrtm), public(roots.logm)
solve_sylvester = public(sylvester.solve_sylvester)
solve_continuous_lyapunov = public(sylvester.solve_continuous_lyapunov)
solve_continuous_are, solve_discrete_are = public(riccati.solve_continuous_are), public(riccati.solve_discrete_are)
solve_discrete_lyapunov = public(sylvester.solve_discrete_lyapunov)
solveh_banded, toeplitz = public(banded.solveh_banded), public(structured.toeplitz)
solve_banded, khatri_rao = public_named(banded.solve_banded, "ab", "b"), public(structured.khatri_rao)
block_diag = public_all(join.block_diag)

__getattr__, __dir__ = namespace(
    globals(),
    __all__,
    dict.fromkeys(["cg", "gmres", "lsqr"], "symgrad.implicit.operators")
    | dict.fromkeys(["cho_factor", "cho_solve", "lu_solve"], "symgrad.linalg.factors"),
)
