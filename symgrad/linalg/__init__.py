"""``sg.linalg``: torch.linalg's names. What they compute stands in ``ops``; here is only the door."""

from __future__ import annotations

from symgrad.engine.public import public
from symgrad.ops import contract
from symgrad.ops.linalg import (
    determinant,
    expm,
    lu,
    matrices,
    multilinear,
    norms,
    orthogonal,
    products,
    pseudoinverse,
    solving,
    spectral,
)
from symgrad.ops.linalg.determinant import SlogDet
from symgrad.ops.linalg.lu import LU, LUFactor
from symgrad.ops.linalg.orthogonal import QR
from symgrad.ops.linalg.pseudoinverse import LstSq
from symgrad.ops.linalg.spectral import SVD, Eigh
from symgrad.support.namespace import namespace

__all__ = [
    "Eigh", "LU", "LUFactor", "LstSq", "QR", "SVD", "SlogDet", "cholesky", "cond", "cross", "det", "diagonal", "eigh",
    "eigvalsh", "householder_product", "inv", "lstsq", "lu", "lu_factor", "lu_solve", "matmul", "matrix_exp",
    "matrix_norm", "matrix_power", "matrix_rank", "multi_dot", "norm", "pinv", "qr", "slogdet", "solve",
    "solve_triangular", "svd", "svdvals", "tensorinv", "tensorsolve", "trace", "vander", "vecdot", "vector_norm",
]  # fmt: skip

inv = public(solving.inv)
solve = public(solving.solve)
solve_triangular = public(solving.solve_triangular)
cholesky = public(solving.cholesky)
matrix_power = public(solving.matrix_power)

eigh = public(spectral.eigh)
eigvalsh = public(spectral.eigvalsh)
svd = public(spectral.svd)
svdvals = public(spectral.svdvals)
qr = public(orthogonal.qr)
matrix_exp = public(expm.matrix_exp)
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
lu_factor, lu_solve = public(lu.lu_factor), public(lu.lu_solve)
lu = public(lu.lu)  # type: ignore[assignment]
vecdot = public(multilinear.vecdot)

__getattr__, __dir__ = namespace(globals(), __all__)
