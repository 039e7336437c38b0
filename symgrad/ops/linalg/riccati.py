"""Riccati's equations in continuous and discrete time.

Both are equations of A, G = B R⁻¹Bᴴ and Q, and both derivatives are Lyapunov's equations of the closed loop.
Source: Chu, Fan, Lin and Wang, Structure-preserving algorithms for periodic discrete-time algebraic Riccati equations
(2004).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import sympy as sp

from symgrad.core.node import Shape
from symgrad.core.promotion import floating, is_complex
from symgrad.errors import LinAlgError, NotYet, ShapeError
from symgrad.ops.contract import matmul, mT
from symgrad.ops.linalg.matrices import identity_like
from symgrad.ops.linalg.solving import inv, solve
from symgrad.ops.linalg.square import check_square, taken
from symgrad.ops.linalg.sylvester import Sylvester, solve_continuous_lyapunov, solve_discrete_lyapunov
from symgrad.ops.map import ADD, NEG, SUB, broadcast_shapes, show_shape
from symgrad.ops.protocol import Op, shape
from symgrad.support.frozen import frozen

_DOUBLINGS = 60  # of the horizon
_ROUNDING = 1e-8  # asymmetry that is not a fault of the caller


@frozen
class Riccati(Op):
    """The stabilising X of AᵀX + X A − X G X + Q = 0, or of X = AᵀX (I + G X)⁻¹A + Q. Inputs A, G, Q (…, n, n)."""

    discrete: bool

    spelled = "riccati"
    gives = floating
    signature = "(n,n),(n,n),(n,n)->(n,n)"
    explained = "Riccati's equation: solve Lyapunov's of the closed loop; A, G and Q receive products with X"
    not_exportable = "no library of the targets but SciPy has it"

    @property
    def called(self) -> str:
        """What users call it."""
        return f"linalg.solve_{'discrete' if self.discrete else 'continuous'}_are"

    def forward(self, a: Any, g: Any, q: Any) -> Any:
        """Solve each equation."""
        xs = [taken(self.called, x) for x in (a, g, q)]
        if any(is_complex(x.dtype) for x in xs):
            raise NotYet(f"{self.called}: complex matrices are not supported. Pass real ones.")
        to, dtype = self.out_shape(*[x.shape for x in xs]), np.result_type(*xs)
        a, g, q = (np.broadcast_to(x, to).astype(np.float64) for x in xs)
        for x, what in ((g, "R"), (q, "Q")):
            if np.any(np.abs(x - np.swapaxes(x, -1, -2)) > _ROUNDING * np.max(np.abs(x), initial=0.0)):
                raise LinAlgError(f"{self.called}: {what} is not symmetric. Pass (M + M.T) / 2 of it.")
        solution, compute = np.empty(to), _discrete if self.discrete else _continuous
        for at in np.ndindex(to[:-2]):
            try:
                X = compute(a[at], g[at], q[at])
                loop = np.linalg.eigvals(
                    np.linalg.solve(np.eye(len(X)) + g[at] @ X, a[at]) if self.discrete else a[at] - g[at] @ X
                )
            except np.linalg.LinAlgError:
                loop = np.array([np.inf])
            if not np.max(np.abs(loop) - 1.0 if self.discrete else loop.real, initial=-1.0) < 0:
                raise LinAlgError(
                    f"{self.called}: no feedback stabilises the loop. Expected that B reaches each mode of A that "
                    "grows, that Q sees those that stay, and that R is positive definite."
                )
            solution[at] = 0.5 * (X + X.T)
        return solution.astype(dtype)

    def out_shape(self, a: Shape, g: Shape, q: Shape) -> Shape:
        for sizes in (a, g, q):
            check_square(self.called, sizes)
        if not a[-1] == g[-1] == q[-1]:
            raise ShapeError(
                f"{self.called}: A, B R⁻¹Bᵀ and Q have shapes {show_shape(a)}, {show_shape(g)} and {show_shape(q)}. "
                "Expected matrices of one size."
            )
        return (*broadcast_shapes(a[:-2], g[:-2], q[:-2]), *a[-2:])

    def on_symbols(self, *xs: Any) -> Any:
        """The root of the quadratic equation that one number solves."""
        a, g, q = (np.asarray(x, dtype=object) for x in xs)
        if self.out_shape(a.shape, g.shape, q.shape)[-1] != 1:
            raise NotYet(f"{self.called}: the entries have a formula for one state only. Use numbers.")
        half = (g * q + a * a - 1) / sp.Integer(2) if self.discrete else a
        return (half + (half * half + g * q) ** sp.Rational(1, 2)) / g

    def _closed(self, y: Any, a: Any, g: Any) -> tuple[Any, Any]:
        """Return the closed loop F, and P = X F in discrete time, X in continuous time."""
        if not self.discrete:
            return SUB(a, matmul(g, y)), y
        loop = matmul(inv(ADD(identity_like(y), matmul(g, y))), a)
        return loop, matmul(y, loop)

    def _lyapunov(self, F: Any, right: Any) -> Any:
        """X with F X + X Fᵀ + C = 0, or F X Fᵀ − X + C = 0."""
        return solve_discrete_lyapunov(F, right) if self.discrete else solve_continuous_lyapunov(F, NEG(right))

    def vjps(self, which: Sequence[int], g: Any, y: Any, *xs: Any) -> list[Any]:
        # F W + W Fᵀ + X̄ = 0, or W = F W Fᵀ + X̄;  Ā = P (W + Wᵀ),  Ḡ = −P W Pᵀ,  Q̄ = W
        F, P = self._closed(y, xs[0], xs[1])
        W = self._lyapunov(F, g)
        parts = (
            lambda: matmul(P, ADD(W, mT(W))),
            lambda: NEG(matmul(matmul(P, W), mT(P))),
            lambda: W,
        )  # fmt: skip
        return [parts[i]() for i in which]

    def jvp(self, ts: Sequence[Any], y: Any, *xs: Any) -> Any:
        # Fᵀ Ẋ + Ẋ F + T = 0, or Ẋ = Fᵀ Ẋ F + T, with T = Ȧᵀ P + Pᵀ Ȧ − Pᵀ Ġ P + Q̇
        F, P = self._closed(y, xs[0], xs[1])
        a, g, right = ts
        if a is not None:
            moved = ADD(matmul(mT(a), P), matmul(mT(P), a))
            right = moved if right is None else ADD(right, moved)
        if g is not None:
            moved = NEG(matmul(matmul(mT(P), g), P))
            right = moved if right is None else ADD(right, moved)
        return self._lyapunov(mT(F), right)


def _continuous(A: Any, G: Any, Q: Any) -> Any:
    """Return X from the stable eigenvectors of Hamilton's matrix [[A, −G], [−Q, −Aᵀ]], and one step of Newton."""
    n = len(A)
    values, vectors = np.linalg.eig(np.block([[A, -G], [-Q, -A.T]]))
    stable = np.argsort(values.real)[:n]
    X = np.linalg.solve(vectors[:n, stable].T, vectors[n:, stable].T).T.real
    loop = A - G @ X
    return Sylvester().forward(loop.T, loop, -(Q + X @ G @ X))


def _discrete(A: Any, G: Any, Q: Any) -> Any:
    """Return X by doubling the horizon until the cost from there on is the same."""
    X, one = Q, np.eye(len(A))
    with np.errstate(all="ignore"):
        for _ in range(_DOUBLINGS):
            W = np.linalg.solve(one + G @ X, np.concatenate([A, G], 1))
            ahead, weights = W[:, : len(A)], W[:, len(A) :]
            G, change, A = G + A @ weights @ A.T, A.T @ X @ ahead, A @ ahead
            X = X + change
            if not np.max(np.abs(change)) > 1e-15 * np.max(np.abs(X)):
                break
    return X


def _equation(discrete: bool, a: Any, b: Any, q: Any, r: Any, e: Any, s: Any) -> Any:
    """Solve by A, G and Q of the equation without E and S: those of x ← E x and u ← u + R⁻¹Sᵀx."""
    for letter, matrix in zip("abqres", (a, b, q, r, e, s), strict=True):
        if matrix is not None and len(shape(matrix)) < 2:
            name = f"linalg.solve_{'discrete' if discrete else 'continuous'}_are"
            raise ShapeError(
                f"{name}: {letter} must have at least 2 dimensions. Got shape {show_shape(shape(matrix))}."
            )
    if e is not None:  # A E⁻¹, E⁻ᵀ Q E⁻¹ and E⁻ᵀ S
        left = mT(e)
        a, q, s = mT(solve(left, mT(a))), mT(solve(left, mT(solve(left, q)))), None if s is None else solve(left, s)
    if s is not None:
        a, q = SUB(a, matmul(b, solve(r, mT(s)))), SUB(q, matmul(s, solve(r, mT(s))))
    return Riccati(discrete)(a, matmul(b, solve(r, mT(b))), q)


def solve_continuous_are(a: Any, b: Any, q: Any, r: Any, e: Any = None, s: Any = None, balanced: bool = True) -> Any:
    """Return the X with AᵀX E + EᵀX A − (EᵀX B + S) R⁻¹ (BᵀX E + Sᵀ) + Q = 0 that makes the closed loop stable.

    The gradient follows from the Lyapunov equation F W + W Fᵀ + X̄ = 0 of the closed loop F = A − B R⁻¹BᵀX.

    Args:
        a: A (…, n, n).
        b: B (…, n, m).
        q: Q (…, n, n), symmetric.
        r: R (…, m, m), symmetric and nonsingular.
        e: E (…, n, n), nonsingular; by default the identity.
        s: S (…, n, m); by default 0.
        balanced: accepted for compatibility with SciPy; it has no effect.

    Returns:
        X (…, n, n), symmetric.

    Raises:
        ShapeError: if the sizes do not fit.
        LinAlgError: if no X stabilises the loop, or if R is singular.

    >>> one = sg.tensor([[1.0]])
    >>> sg.linalg.solve_continuous_are(0.75 * one, one, one, one)
    tensor([[2.]])
    """
    return _equation(False, a, b, q, r, e, s)


def solve_discrete_are(a: Any, b: Any, q: Any, r: Any, e: Any = None, s: Any = None, balanced: bool = True) -> Any:
    """Return the X with AᵀX A − EᵀX E − (AᵀX B + S) (R + BᵀX B)⁻¹ (BᵀX A + Sᵀ) + Q = 0 that makes the loop stable.

    The gradient follows from the Lyapunov equation W = F W Fᵀ + X̄ of the closed loop F.

    Args:
        a: A (…, n, n).
        b: B (…, n, m).
        q: Q (…, n, n), symmetric.
        r: R (…, m, m), symmetric and nonsingular.
        e: E (…, n, n), nonsingular; by default the identity.
        s: S (…, n, m); by default 0.
        balanced: accepted for compatibility with SciPy; it has no effect.

    Returns:
        X (…, n, n), symmetric.

    Raises:
        ShapeError: if the sizes do not fit.
        LinAlgError: if no X stabilises the loop, or if R is singular.

    >>> one = sg.tensor([[1.0]])
    >>> sg.linalg.solve_discrete_are(1.5 * one, one, one, 2.0 * one)
    tensor([[4.]])
    """
    return _equation(True, a, b, q, r, e, s)
