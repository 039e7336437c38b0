"""Least squares with an operator that is given by its products: A⁺ b as an operation.

A⁺ is the pseudoinverse: of more equations than unknowns A⁺b is where ‖A x − b‖ is least, of fewer the shortest x that
fulfils them. Its rules are written in A⁺ and A⁺ᵀ, so every mode and every order follows.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from symgrad.core.kernels import canonical
from symgrad.core.node import Shape
from symgrad.core.promotion import Kind
from symgrad.engine.program import Program
from symgrad.errors import LinAlgError, NotConverged
from symgrad.implicit import programs
from symgrad.implicit.conditions import SOLVER
from symgrad.implicit.factors import LARGE, Way, lsqr
from symgrad.ops.contract import mT
from symgrad.ops.linalg.solving import Solve
from symgrad.ops.map import ADD, NEG, SUB
from symgrad.ops.protocol import Op
from symgrad.support.extras import required
from symgrad.support.frozen import frozen

_FAILED = {3: "the condition is too large", 6: "the condition is too large", 7: "the steps did not suffice"}
_SINGULAR = 1e-12  # singular values, relative to the largest, below which the rank is less than full


@frozen
class LeastSquares(Op):
    """A(p)⁺ b, of full rank, by LSQR. Inputs b and p. Source of the rules: Golub and Pereyra 1973.

    Attributes:
        operator: (v, *p) ↦ A(p) v.
        way: the tolerance and the number of steps.
        start: where to start, a ``bodies.Frozen`` array, or None.
    """

    operator: Program
    way: Way
    start: Any = None
    name = "LeastSquares"
    saves = "xy"
    converts = False
    explained = "least squares: the derivative of the pseudoinverse, where the rank is full"
    dense = "each unknown depends on the whole system"
    not_exportable = SOLVER
    looped = "one right side at a time"

    def __repr__(self) -> str:
        return "LeastSquares"

    def forward(self, b: Any, *ps: Any) -> Any:
        """Solve the least squares problem with LSQR."""
        unknown, result = self.operator.arguments[0], self.operator.results[0]
        n, m = int(programs.size_of(unknown)), int(programs.size_of(result))
        turned = programs.transposed(self.operator)

        def times(v: Any) -> Any:
            return np.ravel(programs.numbers(self.operator, np.reshape(v, unknown.shape), *ps))

        def back(u: Any) -> Any:
            return np.ravel(programs.numbers(turned, np.reshape(u, result.shape), *ps))

        right = np.ravel(np.asarray(b, np.float64))
        if not np.all(np.isfinite(right)):
            raise LinAlgError("lsqr: the right side has entries that are nan or infinite.")
        if min(m, n) <= LARGE // 10:
            _full_rank(times, back, m, n)
        sparse = required("lsqr", "scipy", "scipy.sparse.linalg")
        given = sparse.LinearOperator((m, n), matvec=times, rmatvec=back, dtype=np.float64)
        first = None if self.start is None else np.ravel(self.start.value)
        x, why = lsqr(given, right, self.way.tol, self.way.most, first)
        if why in _FAILED or not np.all(np.isfinite(x)):
            raise NotConverged(
                f"lsqr: stopped because {_FAILED.get(why, 'numbers were not finite')} ({m} equations, {n} unknowns). "
                "Raise max_steps, loosen tol, or take sg.linalg.lstsq."
            )
        return canonical(np.asarray(x, unknown.dtype).reshape(unknown.shape))

    def on_symbols(self, *xs: Any) -> Any:
        raise NotImplementedError

    def out_shape(self, b: Shape, *ps: Shape) -> Shape:
        return self.operator.arguments[0].shape

    def dtype(self, *kinds: Kind) -> np.dtype[Any]:
        return self.operator.arguments[0].dtype

    def notation(self, write: Any, *args: Any) -> Any:
        return write.Infix(write.Raised(write.Name("A"), "⁺"), args[0], sign="@")

    def _again(self, b: Any, *ps: Any) -> Any:
        return LeastSquares(self.operator, self.way)(b, *ps)

    def _turned(self, b: Any, *ps: Any) -> Any:
        return LeastSquares(programs.transposed(self.operator), self.way)(b, *ps)

    def vjps(self, which: Sequence[int], g: Any, y: Any, *xs: Any) -> list[Any]:
        # u = A⁺ᵀg: b̄ = u,  p̄ = ∂/∂p (⟨A⁺u, Aᵀr⟩ + ⟨g − A⁺A g, Aᵀ A⁺ᵀx⟩ − ⟨u, A x⟩) with r = b − A x
        b, ps = xs[0], xs[1:]
        u = self._turned(g, *ps)
        wanted = tuple(i for i in which if i > 0 and self.operator.arguments[i].is_float)
        cotangents = {0: u}
        if wanted:
            left = SUB(b, self.operator(y, *ps)[0])
            across = SUB(g, self._again(self.operator(g, *ps)[0], *ps))
            pull = programs.pullback(self.operator, wanted)
            parts = (
                pull(self._again(u, *ps), *ps, left),
                pull(across, *ps, self._turned(y, *ps)),
                pull(y, *ps, NEG(u)),
            )
            cotangents |= {i: ADD(ADD(p, q), s) for i, p, q, s in zip(wanted, *parts, strict=True)}
        return [cotangents.get(i) for i in which]

    def jvp(self, ts: Sequence[Any], y: Any, *xs: Any) -> Any:
        # ẋ = A⁺(ḃ − Ȧx + A⁺ᵀȦᵀr) + (I − A⁺A) Ȧᵀ A⁺ᵀx
        b, ps, right, more = xs[0], xs[1:], ts[0], None
        wanted = tuple(i for i, t in enumerate(ts) if i > 0 and t is not None and self.operator.arguments[i].is_float)
        if wanted:
            tangents, turned = [ts[i] for i in wanted], programs.transposed(self.operator)
            (moved,) = programs.pushforward(self.operator, wanted)(y, *ps, *tangents)
            (slid,) = programs.pushforward(turned, wanted)(SUB(b, self.operator(y, *ps)[0]), *ps, *tangents)
            (w,) = programs.pushforward(turned, wanted)(self._turned(y, *ps), *ps, *tangents)
            change = SUB(self._turned(slid, *ps), moved)
            right = change if right is None else ADD(right, change)
            more = SUB(w, self._again(self.operator(w, *ps)[0], *ps))
        if right is None:
            return None
        tangent = self._again(right, *ps)
        return tangent if more is None else ADD(tangent, more)

    def as_letters(self, b: Any, *ps: Any) -> Any:
        """Return (AᵀA)⁻¹Aᵀb, or Aᵀ(AAᵀ)⁻¹b, as formulas show it."""
        matrix = programs.applied_to_units(self.operator, ps)
        m, n = matrix.shape
        return (
            Solve(True)(mT(matrix) @ matrix, mT(matrix) @ b)
            if m > n
            else mT(matrix) @ Solve(True)(matrix @ mT(matrix), b)
        )


def _full_rank(times: Any, back: Any, m: int, n: int) -> None:
    """Refuse a rank that is less than full, at which the answer jumps: small systems are examined whole."""
    k = min(m, n)
    rows = np.stack([(times if n == k else back)(unit) for unit in np.eye(k)]) if k else np.zeros((0, 0))
    if not np.all(np.isfinite(rows)):
        raise LinAlgError("lsqr: A has entries that are nan or infinite.")
    lengths = np.linalg.svd(rows, compute_uv=False)
    rank = int(np.sum(lengths > _SINGULAR * np.max(lengths, initial=0.0)))
    if rank < k:
        raise LinAlgError(
            f"lsqr: A ({m}×{n}) has rank {rank}, less than {k}: many x fit as well, and the shortest of them has no "
            "derivative. Omit dependent rows or columns, or add a term that makes x unique, as in ridge regression."
        )
