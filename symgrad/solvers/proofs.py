"""What ``prove=True`` adds to a solver: its answer, once it is certain that a solution lies within ``tol`` of it.

The proofs are those of ``sg.prove``, on the small box around the answer, for the equations of real numbers.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from symgrad import functions as F
from symgrad.engine.program import Program
from symgrad.errors import NotProved
from symgrad.implicit.conditions import Conditions
from symgrad.proved.covering import Box, intervals_of
from symgrad.proved.enclosure import Flat
from symgrad.proved.integrals import integral
from symgrad.proved.interval import Interval, Undefined, flint
from symgrad.proved.newton import System
from symgrad.proved.statements import is_definite
from symgrad.solvers.descent import Minimiser
from symgrad.solvers.newton import few
from symgrad.solvers.problem import Shape
from symgrad.support.frozen import frozen

_BITS = 128  # of the ends of intervals
_WEIGHTS = 10.0 ** np.arange(0, 13, 3)  # with which the constraints' slopes are added to the Hessian
_FAR = 1e300  # a bound beyond which no answer lies, in place of an infinite one
_ROOM = 0.999  # of the error that is allowed; the rest is for the rounding of what is compared


@frozen
class ProvedRoot:
    """A solver whose answer has exactly one root within ``tol``, relative to numbers above 1; else it raises."""

    solver: Any
    tol: float

    def __call__(self, conditions: Conditions, start: Any, thetas: Sequence[Any]) -> Any:
        """Return the answer."""
        x = self.solver(conditions, start, thetas)
        with flint().ctx.workprec(_BITS):
            _check_root(conditions, x, thetas, self.tol)
        return x


@frozen
class ProvedMinimum:
    """A minimiser whose answer has exactly one local minimum within ``tol``, a strict one; else it raises."""

    solver: Minimiser
    tol: float

    def __call__(self, conditions: Conditions, start: Any, thetas: Sequence[Any]) -> Any:
        """Return x, and the multipliers behind it."""
        z = self.solver(conditions, start, thetas)
        if self.solver.shape.bounded:
            thetas = [*thetas[:-2], *[np.clip(end, -_FAR, _FAR) for end in thetas[-2:]]]
        with flint().ctx.workprec(_BITS):
            flat = _check_root(conditions, z, thetas, self.tol)
            if not _is_strict(self.solver.shape, flat, thetas):
                raise NotProved(
                    f"{conditions.who}: it is not certain that the point near {few(z)} is a minimum: the Hessian, on "
                    f"what the constraints leave free, may not be positive definite within {self.tol:g}. Pass a "
                    "smaller tol=, or prove=False."
                )
        return z


def _around(x: Any, tol: float) -> tuple[Any, Any]:
    """Return the box around an answer, relative to numbers above 1."""
    x = np.asarray(x, np.float64)
    size = tol * np.maximum(1.0, np.abs(x))
    return x - size, x + size


def _check_root(conditions: Conditions, x: Any, thetas: Sequence[Any], tol: float) -> Flat:
    """Return the conditions on the box around an answer, which they have exactly one root in."""
    flat = Flat(lambda z: conditions.body(z, *thetas)[0], _around(x, tol))
    if not System(flat.run, flat.tape(0)).has_one_zero(_floats(flat)):
        raise NotProved(
            f"{conditions.who}: it is not certain that exactly one solution lies within {tol:g} of {few(x)}: the "
            "Jacobian may be singular or ill-conditioned there, or f is not smooth. Pass a larger tol=, or prove=False."
        )
    return flat


def _floats(flat: Flat) -> Box:
    return np.array([x.floats() for x in flat.box], np.float64)


# ------------------------------------------------------------------ second-order conditions
def _is_strict(shape: Shape, flat: Flat, thetas: Sequence[Any]) -> bool:
    """Whether the one point of a box that meets the conditions of first order is a strict minimum.

    It is where H + ρ Σ a aᵀ is positive definite for some ρ, so that the Lagrangian's Hessian H is on what the
    slopes a of the active constraints leave free.
    """
    box = [tuple(np.reshape(end, flat.shapes[0]) for end in _floats(flat).T)]
    xs, size = intervals_of(_floats(flat)), math.prod(shape.shape)

    def derivative(f: Callable[..., Any]) -> Any:
        rows, is_open = Flat(f, box).run(1, xs)
        return None if is_open else rows[:, :size]

    try:
        curvature = derivative(lambda z: shape.stationary(*shape.parts(z), thetas))
        active = _active(shape, box, xs, thetas)
        slopes = derivative(lambda z: shape.held(shape.parts(z)[0], thetas)) if shape.equal else ()
    except Undefined:
        return False
    if curvature is None or slopes is None:
        return False
    units = np.array([[Interval.of(int(i == j)) for j in range(size)] for i in range(size)], dtype=object)
    rows = [row for row, is_on in zip([*units, *slopes], active, strict=True) if is_on]
    return any(is_definite(_with(curvature, rows, weight)) for weight in _WEIGHTS[: len(_WEIGHTS) if rows else 1])


def _with(curvature: Any, rows: Sequence[Any], weight: float) -> Any:
    """Return H + ρ Σ a aᵀ, with ρ relative to H and each a."""
    total, size = curvature, max(_size(curvature), 1e-300)
    for a in rows:
        total = total + np.multiply.outer(a, a) * Interval.of(float(weight * size / max(_size(a), 1e-150) ** 2))
    return total


def _size(xs: Any) -> float:
    return max(float(np.abs(x.floats()).max()) for x in np.ravel(xs))


def _active(shape: Shape, box: Any, xs: Any, thetas: Sequence[Any]) -> list[bool]:
    """Which bounds of x and which constraints hold with equality, everywhere in a box where that is decided."""
    size = math.prod(shape.shape)

    def overlaps(z: Any) -> list[Any]:
        x, multipliers = shape.parts(z)
        parts = []
        if shape.bounded:
            ahead, (low, high) = x - shape.stationary(x, multipliers, thetas), thetas[-2:]
            parts = [low - ahead, ahead - high]
        return [*parts, multipliers - shape.held(x, thetas)] if shape.equal else parts

    if not shape.bounded and not shape.equal:
        return [False] * size
    above = [bool(y.lower > 0) for y in Flat(overlaps, box).run(0, xs)[0]]
    bounds, held = (above[: 2 * size], above[2 * size :]) if shape.bounded else ([False] * 2 * size, above)
    ends = [low or high for low, high in zip(bounds[:size], bounds[size:], strict=True)]
    return [*ends, *[is_on or is_equal for is_on, is_equal in zip(held, shape.equal, strict=True)]]


# ------------------------------------------------------------------ integrals
@frozen
class ProvedIntegral:
    """Refuses an integral that is not certain to ``atol + rtol |value|``, in each entry."""

    rtol: float
    atol: float

    def __call__(self, body: Program, a: float, b: float, thetas: Sequence[Any], value: Any) -> None:
        """Check the value of ∫ₐᵇ f dx."""
        low, high = min(a, b), max(a, b)
        for k, y in enumerate(np.ravel(value)):
            error = self.atol + self.rtol * abs(float(y))
            entry = lambda x, k=k: F.ravel(body(x, *thetas)[0])[k]
            ends = np.array(integral(entry, (low, high), atol=error / 2).value) * (1 if a <= b else -1)
            if not np.abs(ends - y).max() <= _ROOM * error:
                raise NotProved(
                    f"quad: the integral from {a:g} to {b:g} is certainly between {ends.min()} and {ends.max()}; that "
                    f"{float(y)} is right to {error:.2g} is not certain. Pass a larger atol= or rtol=."
                )


__all__ = ["ProvedIntegral", "ProvedMinimum", "ProvedRoot"]
