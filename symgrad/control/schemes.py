"""Collocation schemes: points c in an interval, and the integrals of the polynomials through them.

x(c_i) = x(0) + h Σ_j A_ij f_j with A_ij = ∫₀^{c_i} ℓ_j. Lobatto's points have both ends: two are the trapezoidal rule,
three Hermite and Simpson's. Legendre–Gauss–Radau's have the right end.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np
from numpy.polynomial import legendre

SHOOTING = ("shooting", "odeint")
METHODS = ("trapezoidal", "hermite-simpson", "radau", "lobatto", *SHOOTING)


class Scheme(NamedTuple):
    """A scheme on the interval [0, 1].

    Attributes:
        points: c.
        A: the integrals up to each point; its last row has the weights of a quadrature, since the last point is 1.
        inverse: what takes values at the points to coefficients of Legendre's polynomials.
    """

    points: Any
    A: Any
    inverse: Any

    @property
    def has_start(self) -> bool:
        """Whether 0 is a point, which an interval then shares with the one before."""
        return bool(self.points[0] == 0.0)

    def basis(self, at: Any) -> Any:
        """Return ℓ_j(s), shape (s, j)."""
        return legendre.legvander(2 * np.asarray(at) - 1, len(self.points) - 1) @ self.inverse

    def integrals(self, at: Any) -> Any:
        """Return ∫₀ˢ ℓ_j, shape (s, j)."""
        return _integrated(np.asarray(at), len(self.points)) @ self.inverse


def scheme_of(method: str, degree: int) -> Scheme:
    """Return the scheme of this name; ``degree`` is that of polynomials for f, where the name leaves it open."""
    if method == "radau":
        ends = np.zeros(degree + 1)
        ends[-2:] = 1.0  # P_{d-1} + P_d
        points = np.sort(0.5 - 0.5 * legendre.legroots(ends))
        points[-1] = 1.0
    else:
        count = {"trapezoidal": 2, "hermite-simpson": 3}.get(method, degree + 1)
        inner = legendre.legroots(legendre.legder([0.0] * (count - 1) + [1.0])) if count > 2 else np.zeros(0)
        points = np.concatenate([[0.0], np.sort(0.5 + 0.5 * inner), [1.0]])
    inverse = np.linalg.inv(legendre.legvander(2 * points - 1, len(points) - 1))
    A = _integrated(points, len(points)) @ inverse
    return Scheme(points, np.where(np.abs(A) < 1e-15, 0.0, A), inverse)


def _integrated(at: Any, count: int) -> Any:
    """Return ∫₀ˢ P_j(2s − 1) ds, shape (s, j)."""
    return np.stack([0.5 * legendre.legval(2 * at - 1, c) for c in _antiderivatives(count)], -1)


@lru_cache(maxsize=32)
def _antiderivatives(count: int) -> list[Any]:
    """Return the coefficients of ∫₋₁ˣ P_j."""
    return [legendre.legint(np.eye(count)[j], lbnd=-1) for j in range(count)]
