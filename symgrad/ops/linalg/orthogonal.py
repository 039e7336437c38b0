"""QR: an orthonormal basis of the columns, and the triangle; products of reflections."""

from __future__ import annotations

from typing import Any, Generic, NamedTuple

import numpy as np

from symgrad.core.node import Shape
from symgrad.core.promotion import floating
from symgrad.errors import ArgumentError, NotYet, ShapeError
from symgrad.ops.contract import matmul, mT
from symgrad.ops.elementwise.complexes import conj, holds_complex, real
from symgrad.ops.indexing.select import along, getitem
from symgrad.ops.linalg import factors
from symgrad.ops.linalg.hermitian import mH
from symgrad.ops.linalg.matrices import Tril, Triu
from symgrad.ops.linalg.solving import Solve
from symgrad.ops.map import ADD, MUL, SUB, show_shape
from symgrad.ops.protocol import Op, TensorT, rename, shape
from symgrad.ops.shape import Reshape
from symgrad.ops.shapes.join import cat
from symgrad.support.frozen import frozen


@frozen
class QRBasis(Op):
    """Q of A = Q R with orthonormal columns, QᴴQ = I: (…, m, n), m ≥ n, to (…, m, n)."""

    latex_name = r"Q_{\mathrm{qr}}"

    name = "LinalgQr"
    spelled = "qr_Q"
    gives = floating
    analytic = True
    signature = "(m,n)->(m,n)"
    explained = "QR: back through A = Q·R with QᵀQ = I"
    routine = "squares"

    def forward(self, x: Any) -> Any:
        """Compute Q of the QR factorisation."""
        self.out_shape(np.shape(x))
        return factors.qr(x)[0]

    def out_shape(self, s: Shape) -> Shape:
        return s

    def vjp(self, i: int, g: Any, y: Any, x: Any) -> Any:
        # A = Q R  ⇒  Ā = (Q̄ - Q copyutl(QᵀQ̄)) R⁻ᵀ; copyutl mirrors the upper triangle below the diagonal
        # with QᴴQ = I, R's diagonal real  ⇒  conj(Q) for Q in front
        return _divided(SUB(g, matmul(conj(y), _mirrored(matmul(mT(y), g)))), QRTriangle()(x))

    def on_symbols(self, *xs: Any) -> Any:
        """Householder's reflections, up to two columns."""
        return factors.each_matrix(xs[0], lambda m: factors.reflected(m)[0], xs[0].shape)


@frozen
class QRTriangle(Op):
    """The upper triangular R of A = Q R: (…, m, n), m ≥ n, to (…, n, n)."""

    latex_name = r"R_{\mathrm{qr}}"

    name = "LinalgQr"
    spelled = "qr_R"
    gives = floating
    analytic = True
    signature = "(m,n)->(n,n)"
    explained = "QR: back through A = Q·R with QᵀQ = I"
    routine = "squares"

    def forward(self, x: Any) -> Any:
        """Compute R of the QR factorisation."""
        self.out_shape(np.shape(x))
        return factors.qr(x)[1]

    def out_shape(self, s: Shape) -> Shape:
        return (*s[:-2], s[-1], s[-1])

    def vjp(self, i: int, g: Any, y: Any, x: Any) -> Any:
        # A = Q R  ⇒  Ā = Q copyutl(R̄ Rᵀ) R⁻ᵀ; with QᴴQ = I conj(Q)
        return _divided(matmul(conj(QRBasis()(x)), _mirrored(matmul(g, mT(y)))), y)

    def on_symbols(self, *xs: Any) -> Any:
        """Householder's reflections, up to two columns."""
        return factors.each_matrix(xs[0], lambda m: factors.reflected(m)[1], self.out_shape(xs[0].shape))


def _mirrored(x: Any) -> Any:
    """Return the symmetric, or Hermitian, matrix with x's upper triangle."""
    upper, above = Triu()(x), Triu(1)(x)
    upper = ADD(above, real(SUB(upper, above))) if holds_complex(x) else upper
    return ADD(upper, mH(above))


def _divided(x: Any, r: Any) -> Any:
    """Return X R⁻ᵀ."""
    return mT(Solve(False)(r, mT(x)))


class QR(NamedTuple, Generic[TensorT]):
    """The factors of A = Q R, where QᴴQ = I and R is upper triangular."""

    Q: TensorT
    R: TensorT


def _is_wide(s: Shape) -> bool:
    """Return whether a matrix is known to have more columns than rows."""
    m, n = s[-2:]
    return isinstance(m, int) and isinstance(n, int) and m < n


def _check_qr(s: Shape, mode: str) -> None:
    if len(s) < 2:
        raise ShapeError(
            f"linalg.qr: The input tensor A must have at least 2 dimensions. Got shape {show_shape(s)}; "
            "pass a matrix (m, n) or a batch of them."
        )
    if mode not in ("reduced", "complete", "r"):
        raise ArgumentError(
            f"qr received unrecognized mode '{mode}' but expected one of 'reduced' (default), 'r', or 'complete'. "
            "Choose one of them."
        )
    if mode == "complete" and not _is_wide(s) and s[-2] != s[-1]:
        raise NotYet(f"linalg.qr: mode 'complete' needs as many columns as rows so far. Got {show_shape(s)}.")


def qr(A: Any, mode: str = "reduced") -> QR[Any]:
    """Factorise A = Q R, where Q has orthonormal columns and R is upper triangular. The signs are LAPACK's.

    Args:
        A: (…, m, n) whose first min(m, n) columns are linearly independent.
        mode: "reduced"; "complete", only for m ≤ n, where it is the same; or "r" for R alone, with an empty Q.

    Returns:
        The pair (Q, R): (…, m, k) and (…, k, n) with k = min(m, n).

    Raises:
        ShapeError: if A is not a matrix.
        ArgumentError: if the mode is unknown.
        NotYet: if Q would have to be completed.
        LinAlgError: if an entry is not finite; in the backward pass, if R is singular.

    Source: Walter and Lehmann 2018, Algorithmic differentiation of linear algebra functions.

    >>> sg.linalg.qr(sg.tensor([[0.0, 1.0], [-2.0, 3.0]])).R
    tensor([[-2.,  3.],
            [ 0.,  1.]])
    """
    s = shape(A)
    _check_qr(s, mode)
    (m, n), last = s[-2:], len(s) - 1
    wide = _is_wide(s)
    first = along(A, last, 0, m) if wide else A
    q, r = QRBasis()(first), QRTriangle()(first)
    if wide:
        # A = Q [R₁ R₂]  ⇒  R₂ = Qᴴ A₂
        r = cat([r, matmul(mH(q), along(A, last, m, n))], -1)
    return QR(Reshape((0,))(along(q, last, 0, 0)) if mode == "r" else q, r)


def _check_reflections(s: Shape, t: Shape) -> None:
    """Raise unless there are at most as many factors as columns, and at most as many columns as rows."""
    if len(s) < 2:
        raise ShapeError(
            f"linalg.householder_product: input must have at least 2 dimensions. Got shape {show_shape(s)}."
        )
    m, n = s[-2:]
    if m < n or not t or t[-1] > n or t[:-1] != s[:-2]:
        raise ShapeError(
            "linalg.householder_product: input.shape[-2] must be greater than or equal to input.shape[-1], and "
            f"that to tau.shape[-1]. Got A {show_shape(s)} and tau {show_shape(t)}."
        )


def householder_product(A: Any, tau: Any) -> Any:
    """Return the first columns of the product of the reflections I - τ_k v_k v_kᵀ, or I - τ_k v_k v_kᴴ if complex.

    Args:
        A: (…, m, n), m ≥ n; its columns below the diagonal are the v_k, whose first entry, on the diagonal, is 1.
        tau: (…, k), k ≤ n.

    Returns:
        A tensor shaped like A.

    Raises:
        ShapeError: if m < n, k > n, or the batch axes differ.

    >>> sg.linalg.householder_product(sg.tensor([[1.0], [1.0]]), sg.tensor([1.0]))
    tensor([[ 0.],
            [-1.]])
    """
    s, t = shape(A), shape(tau)
    _check_reflections(s, t)
    m, n = s[-2:]
    ones = np.eye(m, n, dtype=getattr(A, "dtype", np.float64))
    v = ADD(Tril(-1)(A), ones)
    y: Any = ones
    for k in range(t[-1] - 1, -1, -1):
        column = getitem(v, (..., slice(k, k + 1)))
        factor = Reshape((*s[:-2], 1, 1))(getitem(tau, (..., k)))
        y = SUB(y, MUL(factor, matmul(column, matmul(mH(column), y))))
    y = y if t[-1] else ADD(MUL(A, 0.0), ones)
    return rename(y, "LinalgHouseholderProduct")
