"""Eigenvalues and eigenvectors of general square matrices, which are complex. The batch axes come first.

Each part is an operation; both use the same factorisation. Vectors have length one, and an arbitrary phase: only
quantities that do not depend on the phase have a derivative.
"""

from __future__ import annotations

from typing import Any, Generic, NamedTuple

import numpy as np

from symgrad.core.promotion import complexes
from symgrad.ops.contract import matmul, mT
from symgrad.ops.elementwise.complexes import conj, real
from symgrad.ops.linalg import factors
from symgrad.ops.linalg.hermitian import check_phases
from symgrad.ops.linalg.matrices import Diagonal
from symgrad.ops.linalg.solving import Solve
from symgrad.ops.linalg.spectral import EIGENVECTORS, InverseGaps, as_row
from symgrad.ops.linalg.square import OfSquare
from symgrad.ops.map import MUL, SUB
from symgrad.ops.protocol import TensorT, rename
from symgrad.support.frozen import frozen


@frozen
class AnyEigenvalues(OfSquare):
    """The eigenvalues of each matrix, in LAPACK's order: (…, n, n) to (…, n)."""

    name = "LinalgEig"
    called = "linalg.eig"
    spelled = "eigvals"
    saves = "x"
    gives = complexes
    signature = "(n,n)->(n)"
    explained = "eigenvalues: V⁻ᵀ·diag(g)·Vᵀ for the adjoint g"
    not_exportable = "no loop that finds eigenvalues of matrices that are not symmetric"

    def forward(self, x: Any) -> Any:
        """Compute the eigenvalues with LAPACK."""
        self.out_shape(np.shape(x))
        return factors.eig(x)[0]

    def vjp(self, i: int, g: Any, y: Any, x: Any) -> Any:
        # A = V diag(λ) V⁻¹  ⇒  Ā = V⁻ᵀ diag(λ̄) Vᵀ
        v = AnyEigenvectors()(x)
        return Solve(False, True)(v, mT(MUL(v, as_row(g))))


@frozen
class AnyEigenvectors(OfSquare):
    """The eigenvectors of each matrix, as columns of length one: (…, n, n) to (…, n, n)."""

    name = "LinalgEig"
    called = "linalg.eig"
    spelled = "eig_V"
    gives = complexes
    signature = "(n,n)->(n,n)"
    explained = "eigenvectors: V⁻ᵀ·(K∘Vᵀ·G)·Vᵀ for the adjoint G, with K the inverse gaps of the eigenvalues"
    not_exportable = "no loop that finds eigenvalues of matrices that are not symmetric"

    def forward(self, x: Any) -> Any:
        """Compute the eigenvectors with LAPACK."""
        self.out_shape(np.shape(x))
        return factors.eig(x)[1]

    def vjp(self, i: int, g: Any, y: Any, x: Any) -> Any:
        # A = V diag(λ) V⁻¹  ⇒  Ā = V⁻ᵀ (K ∘ M) Vᵀ, K_ij = 1/(λ_j - λ_i), K_ii = 0. Giles 2008, §3.1.
        # Columns keep length one: M = VᵀV̄ - Vᵀ conj(V) Re diag(VᵀV̄). Boeddeker et al. 2019, §4.
        turned = matmul(mT(y), g)
        check_phases(EIGENVECTORS.format("linalg_eig_backward"), turned)
        lengths = real(Diagonal()(turned))
        turned = SUB(turned, matmul(mT(y), MUL(conj(y), as_row(lengths))))
        inner = MUL(InverseGaps()(AnyEigenvalues()(x)), turned)
        return Solve(False, True)(y, matmul(inner, mT(y)))


class Eig(NamedTuple, Generic[TensorT]):
    """The eigenvalues λ and the eigenvectors, the columns of V, of a matrix A = V diag(λ) V⁻¹."""

    eigenvalues: TensorT
    eigenvectors: TensorT


def eig(A: Any) -> Eig[Any]:
    """Return the eigenvalues and eigenvectors of a general square matrix, A = V diag(λ) V⁻¹. Both are complex.

    The loss must not depend on the phases of the eigenvectors; otherwise the backward pass raises an error, as in
    PyTorch. If two eigenvalues are equal, the gradient of the eigenvectors is infinite or nan.

    Args:
        A: (…, n, n), real or complex.

    Returns:
        The pair (eigenvalues, eigenvectors): (…, n), in LAPACK's order, and (…, n, n), whose columns are the vectors,
        of length one.

    Raises:
        ShapeError: if A is not square.
        LinAlgError: if an entry is not finite; in the backward pass, if the loss depends on phases, or if A has too few
            eigenvectors.

    Source: Boeddeker et al. 2019, On the computation of complex-valued gradients, §4.

    >>> sg.linalg.eig(sg.tensor([[2.0, 1.0], [0.0, 3.0]])).eigenvalues
    tensor([2.+0.j, 3.+0.j])
    """
    return Eig(AnyEigenvalues()(A), AnyEigenvectors()(A))


def eigvals(A: Any) -> Any:
    """Return the eigenvalues of a matrix, which are complex, in LAPACK's order. Gradient: V⁻ᴴ diag(λ̄) Vᴴ.

    Args:
        A: (…, n, n), real or complex.

    Returns:
        (…, n).

    Raises:
        ShapeError: if A is not square.
        LinAlgError: if an entry is not finite; in the backward pass, if A has too few eigenvectors.

    >>> sg.linalg.eigvals(sg.tensor([[2.0j, 1.0], [0.0, 3.0]]))
    tensor([0.+2.j, 3.+0.j])
    """
    return rename(AnyEigenvalues()(A), "LinalgEigvals")
