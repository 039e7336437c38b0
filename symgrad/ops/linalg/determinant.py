"""Determinants: det with the gradients of every order that hold for singular matrices too, logdet, slogdet."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations, permutations
from typing import Any, Generic, NamedTuple

import numpy as np
import sympy as sp

from symgrad.core.node import Shape
from symgrad.core.promotion import floating, is_complex, sized
from symgrad.ops.contract import mT
from symgrad.ops.elementwise.complexes import conj, holds_complex
from symgrad.ops.linalg import series
from symgrad.ops.linalg.solving import Inverse
from symgrad.ops.linalg.square import OfSquare, check_square, check_terms, on_matrices, taken
from symgrad.ops.map import MUL, SUB
from symgrad.ops.protocol import Op, TensorT, shape
from symgrad.ops.shape import Reshape
from symgrad.support.frozen import frozen


def _per_matrix(g: Any) -> Any:
    """Give a number per matrix the two axes it is multiplied along."""
    return Reshape((*shape(g), 1, 1))(g) if shape(g) else g


# ------------------------------------------------------------------ det
@frozen
class Det(OfSquare):
    """The determinant of each matrix: (…, n, n) to (…)."""

    name = "LinalgDet"
    called = "linalg.det"
    spelled = "det"
    saves = "x"
    signature = "(n,n)->()"
    quoted = "Jacobi's formula, d det({M}) = det({M})·tr({M}⁻¹·d{M})"
    explained = "determinant: Jacobi's formula, the adjugate's transpose"
    routine = "eliminates"

    def forward(self, x: Any) -> Any:
        """Compute through LU."""
        x = self.taken(x)
        with np.errstate(all="ignore"):  # nan and inf are the result, not a warning
            return np.linalg.det(x)

    def vjp(self, i: int, g: Any, y: Any, x: Any) -> Any:
        # y = det A  ⇒  Ā = ȳ cof A, the matrix of cofactors: det A · A⁻ᵀ where A is invertible
        return MUL(_per_matrix(g), Cofactor(0)(x))

    def series(self, y: Any, xs: Sequence[Any], active: Sequence[int], order: int | None) -> Any:
        """By elimination, where the matrix of order 0 lacks at most three in rank."""
        return series.determinant(xs[0], self, Inverse())

    def on_symbols(self, *xs: Any) -> Any:
        """Berkowitz's division-free determinant."""
        return on_matrices(xs[0], lambda m: m.det(method="berkowitz"))

    def in_matrices(self, a: Any) -> Any:
        return sp.Determinant(a)


@frozen
class Cofactor(Op):
    """The gradient in A of Dᵏdet(A)[H₁, …, H_k]; for k = 0 the matrix of cofactors.

    det is a polynomial, so this exists at singular A of every rank, and differentiating adds a direction.
    Inputs A, H₁, …, H_k: (…, n, n).
    """

    order: int = 0
    saves = "x"
    gives = floating
    analytic = True
    signature = "(n,n)->(n,n)"
    explained = "cofactors: the second derivative of the determinant, along the adjoint"
    routine = "squares"

    def forward(self, a: Any, *hs: Any) -> Any:
        # A = U S Vᴴ, det(A + H) = det(U Vᴴ) det(S + UᴴHV): what is left is the case of a diagonal A.
        a = taken("linalg.det", a)
        self.out_shape(a.shape, *map(np.shape, hs))
        if not np.isfinite(a).all():
            return np.full_like(a, np.nan)
        u, s, vh = np.linalg.svd(a)
        flip = np.sign(np.linalg.det(u) * np.linalg.det(vh))[..., None, None]
        ks = [u.conj().mT @ h @ vh.conj().mT for h in hs]
        return flip * (u.conj() @ _diagonal_case(s, ks) @ vh.conj())

    def out_shape(self, *shapes: Shape) -> Shape:
        check_square("linalg.det", shapes[0])
        return shapes[0]

    def vjp(self, i: int, g: Any, y: Any, *xs: Any) -> Any:
        # Dᵏ⁺¹det(A)[H₁, …, H_k, G] is symmetric in its directions: G takes the place of H_i, or joins them.
        if i == 0:
            return Cofactor(self.order + 1)(*xs, g)
        return self(*xs[:i], g, *xs[i + 1 :])

    def jvp(self, ts: Sequence[Any], y: Any, *xs: Any) -> Any:
        """The same by symmetry: tangents are cotangents."""
        terms = [self.vjp(i, t, y, *xs) for i, t in enumerate(ts) if t is not None]
        return sum(terms[1:], terms[0])

    def series(self, y: Any, xs: Sequence[Any], active: Sequence[int], order: int | None) -> Any:
        """Expand the cofactors by minors, or as det A·A⁻ᵀ."""
        return series.cofactors(y, xs, Det(), Inverse())

    def index(self, idx: Sequence[sp.Expr], *ps: Any) -> sp.Expr:
        """Jacobi's complementary minors: det A · Σ ΠH_r[a_r, b_r] · det(A⁻¹[b_r, a_s]), for invertible A."""
        *lead, i, j = idx
        a, *hs = ps
        at = [(a.fresh(), a.fresh()) for _ in hs] + [(i, j)]
        inverse = sp.Matrix([[a.entry(Inverse(), (a,), (*lead, column, row)) for row, _ in at] for _, column in at])
        weights = [h([*lead, *pair]) for h, pair in zip(hs, at, strict=False)]
        body = sp.Mul(a.entry(Det(), (a,), tuple(lead)), *weights, inverse.det())
        limits = [(k, 0, a.shape[-1] - 1) for pair in at[:-1] for k in pair]
        return a.sum(body, limits) if limits else body

    def on_symbols(self, *xs: Any) -> Any:
        """Differentiate the cofactors, which are polynomials."""
        batch = np.stack([np.asarray(x, dtype=object) for x in xs], axis=-3)
        out = np.empty(xs[0].shape, dtype=object)
        for at in np.ndindex(out.shape[:-2]):
            out[at] = _symbolic_cofactors(*map(sp.Matrix, batch[at]))
        return out

    def in_matrices(self, a: Any, *hs: Any) -> Any:
        return None if hs else sp.Determinant(a) * sp.Inverse(a).T

    def notation(self, write: Any, *args: Any) -> Any:
        if self.order:
            return write.call("grad_det", *args)
        return write.Product(write.call("det", args[0]), write.Raised(args[0], "⁻ᵀ"))


def _symbolic_cofactors(a: sp.Matrix, *hs: sp.Matrix) -> Any:
    z = sp.Matrix(a.rows, a.cols, lambda i, j: sp.Dummy(f"z{i}{j}"))
    check_terms(z)
    matrix = z.cofactor_matrix(method="berkowitz") if a.rows else z
    for h in hs:
        matrix = matrix.applyfunc(lambda e, h=h: sp.Add(*[e.diff(z[k]) * h[k] for k in range(len(z))]))
    return np.array(matrix.xreplace(dict(zip(z, a, strict=True))).tolist(), dtype=object).reshape(a.shape)


def _diagonal_case(s: Any, ks: Sequence[Any]) -> Any:
    """Return the gradient of Dᵏdet(diag(s))[K₁, …, K_k]."""
    n = s.shape[-1]
    if not ks:
        return _without_one(s)[..., None] * np.eye(n, dtype=s.dtype)
    if len(ks) == 1:
        # det(S + K) = … + Σ_{i<j} (K_ii K_jj - K_ij K_ji) Π_{l≠i,j} s_l
        rest, k = _without_two(s), ks[0]
        diagonal = rest @ np.diagonal(k, 0, -2, -1)[..., None]
        return diagonal * np.eye(n, dtype=s.dtype) - rest * k.mT
    ks = np.broadcast_arrays(*ks)
    out = np.zeros_like(ks[0])
    for at in np.ndindex(out.shape[:-2]):
        out[at] = _by_minors(np.broadcast_to(s, out.shape[:-1])[at], [k[at] for k in ks])
    return out


def _without_one(s: Any) -> Any:
    """Return Π_{l≠i} s_l for each i, without dividing."""
    one = np.ones_like(s[..., :1])
    before = np.cumprod(np.concatenate([one, s[..., :-1]], -1), -1)
    after = np.cumprod(np.concatenate([one, s[..., :0:-1]], -1), -1)[..., ::-1]
    return (before * after)[..., : s.shape[-1]]


def _without_two(s: Any) -> Any:
    """Return Π_{l≠i,j} s_l for each i ≠ j, and 0 for i = j."""
    n = s.shape[-1]
    eye = np.eye(n, dtype=bool)
    rows = np.where(eye, s.dtype.type(1), s[..., None, :])
    return np.where(eye, s.dtype.type(0), _without_one(rows))


def _by_minors(s: Any, ks: Sequence[Any]) -> Any:
    """Expand over the principal minors of size k + 1: exact, n!/(k + 1)!(n - k - 1)! terms."""
    n, m = len(s), len(ks) + 1
    out = np.zeros((n, n), ks[0].dtype)
    subsets = np.array(list(combinations(range(n), m)), dtype=int).reshape(-1, m)
    inside = (subsets[:, :, None] == np.arange(n)).any(1)
    weight = np.where(inside, s.dtype.type(1), s).prod(-1)
    for a in range(m):
        rows = np.delete(subsets, a, 1)
        for b in range(m):
            columns = np.delete(subsets, b, 1)
            minors = [k[rows[:, :, None], columns[:, None, :]] for k in ks]
            mixed = sum(np.linalg.det(_mix(minors, order)) for order in permutations(range(m - 1)))
            np.add.at(out, (subsets[:, a], subsets[:, b]), (-1) ** (a + b) * weight * mixed)
    return out


def _mix(minors: Sequence[Any], order: Sequence[int]) -> Any:
    """Take row r of each minor from the matrix order[r]."""
    return np.stack([minors[k][:, r, :] for r, k in enumerate(order)], axis=1)


def det(A: Any) -> Any:
    """Return the determinant. Its gradient is the matrix of cofactors, which is exact for singular matrices too.

    Args:
        A: (…, n, n).

    Returns:
        (…), one number for each matrix.

    Raises:
        ShapeError: if A is not square.

    Source: the product of the cofactors of A = U S Vᵀ; K. B. Petersen, The Matrix Cookbook, §2.1.

    >>> sg.linalg.det(sg.tensor([[2.0, 0.0], [1.0, 3.0]]))
    tensor(6.)
    """
    return Det()(A)


# ------------------------------------------------------------------ log |det|
@frozen
class LogAbsDet(OfSquare):
    """log |det X| of each matrix, which is real: (…, n, n) to (…)."""

    name = "LinalgSlogdet"
    called = "linalg.slogdet"
    gives = sized
    saves = "x"
    signature = "(n,n)->()"
    explained = "log-determinant: the inverse's transpose"
    quoted = "Jacobi's formula, d {log} det({M}) = tr({M}⁻¹·d{M})"
    routine = "eliminates"

    def forward(self, x: Any) -> Any:
        """Compute through LU, without forming the determinant."""
        x = self.taken(x)
        with np.errstate(all="ignore"):
            return np.linalg.slogdet(x)[1]

    def vjp(self, i: int, g: Any, y: Any, x: Any) -> Any:
        # y = log |det A|  ⇒  Ā = ȳ A⁻ᵀ
        return MUL(_per_matrix(g), mT(Inverse()(x)))

    def on_symbols(self, *xs: Any) -> Any:
        return on_matrices(xs[0], lambda m: sp.log(sp.Abs(m.det(method="berkowitz"))))

    def in_matrices(self, a: Any) -> Any:
        return sp.log(sp.Abs(sp.Determinant(a)))

    def notation(self, write: Any, *args: Any) -> Any:
        return write.call("log", write.Fenced(write.call("det", args[0]), "|", "|"))


@frozen
class LogDet(LogAbsDet):
    """log det X of each matrix, of real ones nan where the determinant is negative."""

    latex_name = r"\log\det"

    name = "Logdet"
    called = "logdet"
    spelled = "logdet"
    gives = floating

    def forward(self, x: Any) -> Any:
        """Compute through LU, without forming the determinant."""
        x = self.taken(x)
        with np.errstate(all="ignore"):
            sign, size = np.linalg.slogdet(x)
        if is_complex(x.dtype):
            return size + 1j * np.angle(sign)
        return np.where(sign < 0, x.dtype.type(np.nan), size)

    def on_symbols(self, *xs: Any) -> Any:
        return on_matrices(xs[0], lambda m: sp.log(m.det(method="berkowitz")))

    def in_matrices(self, a: Any) -> Any:
        return sp.log(sp.Determinant(a))


@frozen
class DetSign(OfSquare):
    """The sign of each determinant, which is flat."""

    name = "LinalgSlogdet"
    called = "linalg.slogdet"
    saves = ""
    signature = "(n,n)->()"
    flat = True
    analytic = False  # of complex matrices it is a phase
    routine = "eliminates"

    def forward(self, x: Any) -> Any:
        """Compute through LU."""
        x = self.taken(x)
        with np.errstate(all="ignore"):
            return np.linalg.slogdet(x)[0]

    def on_symbols(self, *xs: Any) -> Any:
        return on_matrices(xs[0], lambda m: sp.sign(m.det(method="berkowitz")))

    def in_matrices(self, a: Any) -> Any:
        return sp.sign(sp.Determinant(a))

    def notation(self, write: Any, *args: Any) -> Any:
        return write.call("sign", write.call("det", args[0]))


@frozen
class DetPhase(OfSquare):
    """det/|det| of each complex matrix."""

    name = "LinalgSlogdet"
    called = "linalg.slogdet"
    spelled = "sign_det"
    signature = "(n,n)->()"
    explained = "phase of a determinant: what turns it, times the inverse's transpose"
    not_exportable = "loops have no complex numbers"

    def forward(self, x: Any) -> Any:
        """Compute through LU."""
        x = self.taken(x)
        with np.errstate(all="ignore"):
            return np.linalg.slogdet(x)[0]

    def vjp(self, i: int, g: Any, y: Any, x: Any) -> Any:
        # y = det A/|det A|, dy = y i Im tr(A⁻¹ dA)  ⇒  Ā = i Im(ȳ y) A⁻ᵀ
        turned = MUL(g, y)
        return MUL(_per_matrix(MUL(SUB(turned, conj(turned)), 0.5)), mT(Inverse()(x)))


class SlogDet(NamedTuple, Generic[TensorT]):
    """The two parts of a determinant: sign · exp(logabsdet)."""

    sign: TensorT
    logabsdet: TensorT


def logdet(A: Any) -> Any:
    """Return log det A: nan if A is real and det A < 0, and -inf if det A = 0.

    The gradient is A⁻ᵀ, or its conjugate for complex A.

    Args:
        A: (…, n, n).

    Returns:
        (…), one number for each matrix.

    Raises:
        ShapeError: if A is not square.
        LinAlgError: in the backward pass, if A is singular.

    >>> sg.logdet(sg.tensor([[1.0, 0.0], [5.0, 1.0]]))
    tensor(0.)
    """
    return LogDet()(A)


def slogdet(A: Any) -> SlogDet[Any]:
    """Return the sign of the determinant and the logarithm of |det A|, neither of which overflows or underflows.

    Args:
        A: (…, n, n).

    Returns:
        The pair (sign, logabsdet), each (…). The gradient of logabsdet is A⁻ᵀ, or its conjugate for complex A. The
        sign of a real matrix has the gradient 0; that of a complex matrix is a number on the unit circle, with a
        gradient.

    Raises:
        ShapeError: if A is not square.
        LinAlgError: in the backward pass, if A is singular.

    >>> sg.linalg.slogdet(sg.tensor([[0.0, 1.0], [1.0, 0.0]]))
    SlogDet(sign=tensor(-1.), logabsdet=tensor(0.))
    """
    return SlogDet((DetPhase() if holds_complex(A) else DetSign())(A), LogAbsDet()(A))
