"""The Sylvester equation A X + X B = C, and the Lyapunov equations."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import sympy as sp

from symgrad.core.node import Shape
from symgrad.core.promotion import floating
from symgrad.errors import LinAlgError, ShapeError
from symgrad.ops.contract import matmul, mT
from symgrad.ops.elementwise.complexes import conj
from symgrad.ops.linalg.matrices import identity_like
from symgrad.ops.linalg.solving import inv
from symgrad.ops.linalg.square import check_square, taken
from symgrad.ops.map import ADD, MUL, NEG, SUB, broadcast_shapes, show_shape
from symgrad.ops.protocol import Op
from symgrad.support.frozen import frozen


@frozen
class Sylvester(Op):
    """X with A X + X B = C. Inputs A (…, n, n), B (…, m, m), C (…, n, m)."""

    spelled = "sylvester"
    gives = floating
    analytic = True
    signature = "(n,n),(m,m),(n,m)->(n,m)"
    explained = "Sylvester's equation: solve it with the transposes; A and B receive products with X"
    not_exportable = "no library of the targets but SciPy has it"

    def forward(self, a: Any, b: Any, c: Any) -> Any:
        """Solve each equation."""
        a, b, c = (taken("linalg.solve_sylvester", x) for x in (a, b, c))
        to = self.out_shape(a.shape, b.shape, c.shape)
        solution = np.empty(to, np.result_type(a, b, c))
        a, b, c = (np.broadcast_to(x, (*to[:-2], *x.shape[-2:])) for x in (a, b, c))
        precise = np.result_type(solution, np.float64)
        for at in np.ndindex(to[:-2]):
            solution[at] = _solution(*(x[at].astype(precise) for x in (a, b, c)))
        return solution

    def out_shape(self, a: Shape, b: Shape, c: Shape) -> Shape:
        check_square("linalg.solve_sylvester", a)
        check_square("linalg.solve_sylvester", b)
        if len(c) < 2 or c[-2] != a[-1] or c[-1] != b[-1]:
            raise ShapeError(
                f"linalg.solve_sylvester: shapes of A, B and C do not fit in AX + XB = C: {show_shape(a)}, "
                f"{show_shape(b)} and {show_shape(c)}. Expected C to be {a[-1]} by {b[-1]}."
            )
        return (*broadcast_shapes(a[:-2], b[:-2], c[:-2]), *c[-2:])

    def vjps(self, which: Sequence[int], g: Any, y: Any, *xs: Any) -> list[Any]:
        # C̄ solves Aᵀ C̄ + C̄ Bᵀ = X̄;  Ā = −C̄ Xᵀ,  B̄ = −Xᵀ C̄
        pulled = self(mT(xs[0]), mT(xs[1]), g)
        parts = (lambda: NEG(matmul(pulled, mT(y))), lambda: NEG(matmul(mT(y), pulled)), lambda: pulled)
        return [parts[i]() for i in which]

    def jvp(self, ts: Sequence[Any], y: Any, *xs: Any) -> Any:
        # A Ẋ + Ẋ B = Ċ − Ȧ X − X Ḃ
        a, b, right = ts
        for moved in (None if a is None else matmul(a, y), None if b is None else matmul(y, b)):
            if moved is not None:
                right = NEG(moved) if right is None else SUB(right, moved)
        return self(xs[0], xs[1], right)

    def on_symbols(self, *xs: Any) -> Any:
        """The linear system of all entries."""
        a, b, c = (np.asarray(x, dtype=object) for x in xs)
        to = self.out_shape(a.shape, b.shape, c.shape)
        a, b, c = (np.broadcast_to(x, (*to[:-2], *x.shape[-2:])) for x in (a, b, c))
        solution = np.empty(to, dtype=object)
        for at in np.ndindex(to[:-2]):
            entries = sp.Matrix(_whole(a[at], b[at])).LUsolve(sp.Matrix(list(c[at].flat)))
            solution[at] = np.array(list(entries), dtype=object).reshape(to[-2:])
        return solution


def _whole(a: Any, b: Any) -> Any:
    """A ⊗ I + I ⊗ Bᵀ, the matrix of the equation on the entries row by row."""
    whole = np.kron(a, np.eye(len(b), dtype=np.int64)) + np.kron(np.eye(len(a), dtype=np.int64), b.T)
    return np.asarray(whole)


_SMALL = 150  # entries up to which the system of all of them is solved
_CLOSE = 1e-13


def _solution(a: Any, b: Any, c: Any) -> Any:
    """By eigenvectors, refined, where that converges; else by the system of all entries."""
    if c.size > _SMALL:
        x = _by_eigenvectors(a, b, c)
        if x is not None:
            return x
    try:
        return np.linalg.solve(_whole(a, b), c.reshape(-1, 1)).reshape(c.shape)
    except np.linalg.LinAlgError as error:
        raise LinAlgError(
            "linalg.solve_sylvester: A and -B have an eigenvalue in common, so AX + XB = C has no unique solution. "
            f"Got A {show_shape(a.shape)} and B {show_shape(b.shape)}."
        ) from error


def _by_eigenvectors(a: Any, b: Any, c: Any) -> Any:
    """X = V ((V⁻¹ C W) / (λ_i + μ_j)) W⁻¹, with three corrections by the residual; None where they are not enough."""
    (p, v), (q, w) = np.linalg.eig(a), np.linalg.eig(b)
    gaps = p[:, None] + q
    if not gaps.all() or max(np.linalg.cond(v), np.linalg.cond(w)) > 1e6:
        return None
    left, right = np.linalg.inv(v), np.linalg.inv(w)
    x = np.zeros_like(c)
    for _ in range(4):
        rest = c - a @ x - x @ b
        step = v @ ((left @ rest @ w) / gaps) @ right
        x = x + (step if np.iscomplexobj(c) else step.real)
    size = (np.abs(a).max() + np.abs(b).max()) * np.abs(x).max() * max(c.shape)
    return x if np.abs(c - a @ x - x @ b).max() <= _CLOSE * size else None


def solve_sylvester(A: Any, B: Any, C: Any) -> Any:
    """Solve A X + X B = C. Gradient: C̄ solves the transposed equation for X̄; Ā = −C̄ Xᵀ, B̄ = −Xᵀ C̄.

    Args:
        A: (…, n, n).
        B: (…, m, m); no eigenvalue of −B is an eigenvalue of A.
        C: (…, n, m).

    Returns:
        Shaped like C, with the batch axes of all.

    Raises:
        ShapeError: if A or B is not square, or C does not fit.
        LinAlgError: if the solution is not unique.

    >>> sg.linalg.solve_sylvester(sg.tensor([[1.0]]), sg.tensor([[3.0]]), sg.tensor([[8.0]]))
    tensor([[2.]])
    """
    return Sylvester()(A, B, C)


def solve_continuous_lyapunov(A: Any, Q: Any) -> Any:
    """Solve A X + X Aᴴ = Q.

    Args:
        A, Q: (…, n, n).

    Returns:
        Shaped like Q.

    Raises:
        ShapeError: if A is not square, or Q does not fit.
        LinAlgError: if the solution is not unique.

    >>> sg.linalg.solve_continuous_lyapunov(sg.tensor([[2.0]]), sg.tensor([[8.0]]))
    tensor([[2.]])
    """
    return Sylvester()(A, conj(mT(A)), Q)


def solve_discrete_lyapunov(A: Any, Q: Any) -> Any:
    """Solve A X Aᴴ − X + Q = 0.

    Args:
        A, Q: (…, n, n).

    Returns:
        Shaped like Q.

    Raises:
        ShapeError: if A is not square, or Q does not fit.
        LinAlgError: if the solution is not unique.

    Source: the bilinear transformation M = (Aᴴ + I)⁻¹ (Aᴴ − I) gives Mᴴ X + X M = −2 (A + I)⁻¹ Q (Aᴴ + I)⁻¹.

    >>> sg.linalg.solve_discrete_lyapunov(sg.tensor([[0.5]]), sg.tensor([[3.0]]))
    tensor([[4.]])
    """
    one, At = identity_like(A), conj(mT(A))
    inverse = inv(ADD(At, one))
    M = matmul(SUB(At, one), inverse)
    return Sylvester()(conj(mT(M)), M, MUL(matmul(matmul(conj(mT(inverse)), Q), inverse), -2.0))
