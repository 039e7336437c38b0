"""Lagrange's conditions in blocks, for formulas: x and its multipliers are letters, and systems are solved apart.

Of a loss f under h(x) = 0 the conditions ∇f − Jᵀλ = 0 and h = 0 have the derivative K = [H, −Jᵀ; J, 0].
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from symgrad import functions as F
from symgrad.core.node import TRACED, Leaf, tensor_node
from symgrad.engine.program import Spec
from symgrad.engine.record import as_tensor, handle
from symgrad.implicit import programs
from symgrad.ops.contract import mT
from symgrad.ops.linalg.solving import Solve

MULTIPLIERS = "λ"
_REGULAR = 1e10  # condition up to which a matrix counts as one with an inverse


class KktBlocks:
    """The conditions of a problem (``problem.Shape``) at one point.

    Attributes:
        x, multipliers: tensors.
        thetas: what the problem depends on.
    """

    def __init__(self, conditions: Any, z: Any, thetas: Sequence[Any]) -> None:
        self.conditions, self.shape, self.thetas = conditions, conditions.problem, list(thetas)
        self.n, self.k = math.prod(self.shape.shape), len(self.shape.equal)
        self.x, self.multipliers = self.shape.parts(z)

    def envelope(self) -> Any:
        """Return ∇f: of (∇f, 0) K⁻ᵀ is (0, λ), and K⁻¹ is (0, −λ)."""
        return F.reshape(self.shape.slope(self.x, self.thetas), (self.n,))

    def halves(self, right: Any) -> tuple[Any, Any]:
        """Return the parts of a right side."""
        return F.narrow(right, 0, 0, self.n), F.narrow(right, 0, self.n, self.k)

    def shadow(self, transposed: bool) -> Any:
        """Return K⁻ᵀ (∇f, 0), or K⁻¹ (∇f, 0)."""
        multipliers = self.multipliers if transposed else -self.multipliers
        return F.cat([as_tensor(0.0) * F.reshape(self.x, (self.n,)), multipliers], 0)

    def solved(self, right: Any, transposed: bool) -> Any:
        """Return K⁻¹ (a, b), or K⁻ᵀ (a, b) = (u, −w) with K (u, w) = (a, −b)."""
        a, b = self.halves(right)
        u, w = self._solved(a, -b if transposed else b)
        return F.cat([u, -w if transposed else w], 0)

    def _solved(self, a: Any, b: Any) -> tuple[Any, Any]:
        # H u − Jᵀ w = a,  J u = b;  where H has no inverse, (H + JᵀJ) u − Jᵀ (w + b) = a
        H, J = self._curvature(), self._slopes()
        if self.n > self.k and not _has_inverse(H):
            u, w = self._by_inverse(a, b, H + mT(J) @ J, J)
            return u, w - b
        return self._by_inverse(a, b, H, J)

    def _by_inverse(self, a: Any, b: Any, H: Any, J: Any) -> tuple[Any, Any]:
        if self.shape.lone:
            u, w = self._of_one(a, F.reshape(b, ()), H, J)
            return u, F.reshape(w, (1,))
        if self.n == self.k:
            u = Solve(True)(J, b)
            return u, Solve(True)(mT(J), H @ u - a)
        across = Solve(False)(H, mT(J))
        w = Solve(True)(J @ across, b - mT(across) @ a)
        return Solve(True)(H, a) + across @ w, w

    def _of_one(self, a: Any, b: Any, H: Any, J: Any) -> tuple[Any, Any]:
        """Solve with one constraint, where j is its gradient."""
        if self.n == 1:
            h, j = F.reshape(H, ()), F.reshape(J, ())
            u = b / j
            return F.reshape(u, (1,)), (h * u - F.reshape(a, ())) / j
        j = F.reshape(J, (self.n,))
        across = Solve(True)(H, j)
        w = (b - across @ a) / (j @ across)
        return Solve(True)(H, a) + w * across, w

    def _curvature(self) -> Any:
        specs = [self.conditions.body.arguments[0]]
        specs = [Spec(self.shape.shape, specs[0].dtype), Spec((self.k,), specs[0].dtype)]
        rest = self.conditions.body.arguments[1:]

        def rule(x: Any, multipliers: Any, *thetas: Any) -> list[Any]:
            return [self.shape.stationary(x, multipliers, thetas)]

        body = programs.once(self.conditions.body, "stationary", [*specs, *rest], rule)
        hessian = programs.applied_to_units(programs.linearised(body), (self.x, self.multipliers, *self.thetas))
        return hessian if self.n > 1 else F.reshape(hessian, (1, 1))

    def _slopes(self) -> Any:
        limits = [self.thetas[i] for i in self.shape.limits]
        jacobian = programs.applied_to_units(programs.linearised(self.shape.constraints), (self.x, *limits))
        return F.reshape(jacobian, (self.k, self.n))


def _has_inverse(H: Any) -> bool:
    """Whether a matrix of formulas is seen to have an inverse, at the values of its letters."""
    value = programs.evaluated([tensor_node(H)])[tensor_node(H)]
    if value is None or not np.all(np.isfinite(value)) or not np.any(value):
        return False
    return bool(np.linalg.cond(value) < _REGULAR)


def letters(conditions: Any, value: Any) -> Any:
    """Return the unknown made of letters: x, or its blocks, and behind them the multipliers, where there are some."""
    shape, dtype = conditions.problem, conditions.body.arguments[0].dtype
    whole = conditions.body.arguments[0] if shape is None else shape
    blocks = list(conditions.blocks or [(conditions.title, whole.shape)])
    if shape is not None:
        blocks.append((MULTIPLIERS, () if shape.lone else (len(shape.equal),)))
    parts, at = [], 0
    for name, size in blocks:
        many = math.prod(size)
        leaf = Leaf(None if value is None else value[at : at + many].reshape(size), tuple(size), TRACED, name)
        leaf.dtype, at = dtype, at + many
        parts.append(F.reshape(handle(leaf, None), (many,)))
    return F.cat(parts, 0)
