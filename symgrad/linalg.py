"""``sg.linalg``: torch.linalg's names. What they compute stands in ``ops``; here is only the door.

Imports functions and ops.
"""

from __future__ import annotations

from symgrad.ops import contract, determinant, matrices, norms, products
from symgrad.ops import linalg as solving
from symgrad.ops.determinant import SlogDet
from symgrad.public import public

__all__ = [
    "SlogDet", "cholesky", "det", "diagonal", "inv", "matmul", "matrix_norm", "matrix_power", "multi_dot",
    "norm", "slogdet", "solve", "solve_triangular", "trace", "vector_norm",
]  # fmt: skip

inv = public(solving.inv)
solve = public(solving.solve)
solve_triangular = public(solving.solve_triangular)
cholesky = public(solving.cholesky)
matrix_power = public(solving.matrix_power)

det = public(determinant.det)
slogdet = public(determinant.slogdet)

norm = public(norms.linalg_norm)
vector_norm = public(norms.vector_norm)
matrix_norm = public(norms.matrix_norm)

multi_dot = public(products.multi_dot)
matmul = public(contract.matmul)
diagonal = public(matrices.linalg_diagonal)
trace = public(matrices.trace)
