"""Products, and functions of matrices."""

from __future__ import annotations

from typing import Any

from symgrad.engine.adapters import public, public_all
from symgrad.engine.record import as_tensor
from symgrad.errors import shown_as
from symgrad.ops import contract
from symgrad.ops.linalg import (
    determinant,
    expm,
    lu,
    matrices,
    multilinear,
    norms,
    products,
    pseudoinverse,
    triangles,
    updates,
)
from symgrad.ops.linalg import solving as linalg
from symgrad.ops.linalg.einsum import einsum as _einsum
from symgrad.ops.nn import distances
from symgrad.support.arguments import check_all

__all__ = [
    "addmm", "addmv", "addr", "baddbmm", "bmm", "cdist", "cholesky", "det", "diag", "diag_embed", "diagonal",
    "dist", "dot", "einsum", "inner", "inverse", "kron", "logdet", "matmul", "matrix_exp", "matrix_power", "mm",
    "mv", "norm", "outer", "pinverse", "slogdet", "trace", "tril", "triu", "addbmm", "chain_matmul",
    "cholesky_inverse", "cholesky_solve", "cross", "diagflat", "ger", "lu_solve", "tensordot", "triangular_solve",
    "vander", "vdot",
]  # fmt: skip

addmm = public(updates.addmm)
addmv = public(updates.addmv)
addr = public(updates.addr)
baddbmm = public(updates.baddbmm)
dist = public(distances.dist)
cdist = public(distances.cdist)
matmul = public(contract.matmul)
dot = public(products.dot)
mv = public(products.mv)
mm = public(products.mm)
bmm = public(products.bmm)
outer = public(products.outer)
inner = public(products.inner)
kron = public(products.kron)
trace = public(matrices.trace)
diag = public(matrices.diag)
diagonal = public(matrices.diagonal)
diag_embed = public(matrices.diag_embed)
tril = public(matrices.tril)
triu = public(matrices.triu)
det = public(determinant.det)
logdet = public(determinant.logdet)
slogdet = public(determinant.slogdet)
inverse = public(linalg.inv)
cholesky = public(linalg.cholesky)
matrix_power = public(linalg.matrix_power)
norm = public(norms.norm)
matrix_exp = public(expm.matrix_exp)
pinverse = public(pseudoinverse.pinverse)


def einsum(equation: Any, *operands: Any) -> Any:
    """Return the sum of products over the indices that the output lacks, like ``torch.einsum``.

    Args:
        equation: such as ``"ij,jk->ik"``.
        operands: one tensor per term. Without an equation, each is followed by the list of its axes' numbers, and a
            list at the end gives the axes of the result: ``einsum(a, [0, 1], b, [1, 2], [0, 2])``. Ellipsis stands for
            "...".

    >>> sg.einsum("ii->", sg.eye(3)), sg.einsum(sg.eye(3), [0, 0], [])
    (tensor(3.), tensor(3.))
    """
    if not isinstance(equation, str):
        given = (equation, *operands)
        paired = len(given) // 2 * 2
        return _einsum(*[x if k % 2 or k == paired else as_tensor(x) for k, x in enumerate(given)])
    flat = operands[0] if len(operands) == 1 and isinstance(operands[0], (list, tuple)) else operands
    return _einsum(equation, *[as_tensor(x) for x in flat])


ger = outer
vdot = public(products.vdot)


def _chain_matmul(*matrices: Any) -> Any:
    """Return the product A₁A₂…A_k, evaluated in the order with the fewest multiplications; see ``linalg.multi_dot``.

    Args:
        matrices: at least two matrices; the first and the last may be vectors.

    Raises:
        ArgumentError: if there are fewer than two.
        ShapeError: if ranks or sizes do not fit.

    >>> sg.chain_matmul(sg.ones(2, 3), sg.ones(3, 4), sg.ones(4))
    tensor([12., 12.])
    """
    return products.multi_dot(matrices)


chain_matmul = public_all(shown_as("chain_matmul")(_chain_matmul), "chain_matmul", _chain_matmul.__doc__)
diagflat = public(matrices.diagflat)
tensordot = public(multilinear.tensordot)
cross = public(multilinear.cross)
addbmm = public(updates.addbmm)
cholesky_solve = public(triangles.cholesky_solve)
cholesky_inverse = public(triangles.cholesky_inverse)
triangular_solve = public(triangles.triangular_solve)
lu_solve = public(lu.solve_with)


@public
def vander(x: Any, N: int | None = None, increasing: bool = False) -> Any:
    """Return the Vandermonde matrix V[i, k] = x_i^(N - 1 - k), or x_i^k if increasing.

    Args:
        x: (n,).
        N: the number of powers, n by default.
        increasing: begin with the power 0.

    Returns:
        A matrix (n, N).

    >>> sg.vander(sg.tensor([2.0, 3.0]), 3)
    tensor([[4., 2., 1.],
            [9., 3., 1.]])
    """
    return multilinear.powers(x, N, increasing)


check_all(globals(), __all__)
