"""Minimisers that can stop after any step and resume from its state: L-BFGS, Newton-CG, and a trust region.

A step is a function of the state alone, so a run that was interrupted and resumed returns the same numbers as one
that was not. SciPy's minimisers, which ``minimize`` uses otherwise, do not expose their state.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

import numpy as np

from symgrad.errors import ArgumentError, NanBlockError
from symgrad.optim.quasi_newton import direction
from symgrad.optim.wolfe import strong_wolfe


@dataclass(frozen=True)
class State:
    """The state of a minimiser.

    Attributes:
        x, value, gradient: the point, and the loss and its gradient there.
        steps, evaluations, products: their numbers so far.
        message: the reason why it ended; empty while it is running.
        success: whether it ended because a tolerance was reached.
        memory: further state of the method.
    """

    x: Any
    value: float
    gradient: Any
    steps: int = 0
    evaluations: int = 1
    products: int = 0
    message: str = ""
    success: bool = False
    memory: dict[str, Any] = field(default_factory=dict)


class Problem:
    """A loss as minimisers see it: its value with the gradient, and products with its Hessian, both counted."""

    def __init__(self, both: Callable[[Any], tuple[float, Any]], product: Callable[[Any, Any], Any]) -> None:
        self._both, self._product = both, product
        self.evaluations = self.products = 0

    def both(self, x: Any) -> tuple[float, Any]:
        """Return the loss and its gradient; infinity where it is nan on a block of the data."""
        self.evaluations += 1
        try:
            value, gradient = self._both(x)
        except NanBlockError:
            return math.inf, np.zeros_like(x)
        return float(value), np.asarray(gradient)

    def product(self, x: Any, v: Any) -> Any:
        """Return the Hessian at x times v."""
        self.products += 1
        return np.asarray(self._product(x, v))


class Method(NamedTuple):
    """A method: one step of it, the options that it has, with what they are by default, and what its memory holds."""

    step: Callable[[Problem, State, dict[str, Any]], State]
    options: dict[str, Any]
    memory: tuple[str, ...] = ()


def method_named(name: Any) -> Method:
    """Return the method of this name, which is SciPy's.

    Raises:
        ArgumentError: if there is none.
    """
    key = "l-bfgs-b" if name is None else str(name).lower()
    if key not in METHODS:
        raise ArgumentError(
            f"minimize: got method={name!r}. Expected 'L-BFGS-B', 'Newton-CG' or 'trust-ncg' for data in blocks."
        )
    return METHODS[key]


def advanced(problem: Problem, state: State, method: Method, options: dict[str, Any]) -> State:
    """Return the state after one more step, or one that has ended."""
    if np.max(np.abs(state.gradient), initial=0.0) <= options["gtol"]:
        return replace(state, message="The gradient is within gtol.", success=True)
    if state.steps >= options["maxiter"]:
        return replace(state, message="The most iterations (maxiter) were taken.")
    problem.evaluations = problem.products = 0
    after = method.step(problem, state, options)
    return replace(
        after, steps=state.steps + 1, evaluations=state.evaluations + problem.evaluations,
        products=state.products + problem.products,
    )  # fmt: skip


# ------------------------------------------------------------------ L-BFGS
def _lbfgs(problem: Problem, state: State, options: dict[str, Any]) -> State:
    """A step along -H g, H from the last ``maxcor`` steps, to a point that satisfies the strong Wolfe conditions."""
    pairs = [*zip(state.memory.get("y", []), state.memory.get("s", []), strict=True)]
    scale = state.memory.get("scale", 1.0)
    d = direction(state.gradient, pairs, scale)
    if not state.gradient @ d < 0:
        pairs, d = [], -state.gradient
    length = 1.0 if pairs else min(1.0, 1.0 / float(np.abs(state.gradient).sum()))
    after = _along(problem, state, d, length)
    y, s = after.gradient - state.gradient, after.x - state.x
    if y @ s > np.finfo(np.float64).eps * (y @ y):
        pairs, scale = [*pairs, (y, s)][-options["maxcor"] :], float(y @ s / (y @ y))
    memory = {"y": [y for y, _ in pairs], "s": [s for _, s in pairs], "scale": scale}
    return replace(_ended_by_change(state, after, options["ftol"]), memory=memory)


def _along(problem: Problem, state: State, d: Any, length: float) -> State:
    """Return the state at a step along d that satisfies the strong Wolfe conditions."""

    def along(t: float) -> tuple[float, float, Any]:
        value, gradient = problem.both(state.x + t * d)
        return value, float(gradient @ d), gradient

    t, value, gradient = strong_wolfe(along, length, state.value, float(state.gradient @ d), state.gradient)
    return replace(state, x=state.x + t * d, value=value, gradient=gradient)


def _ended_by_change(before: State, after: State, ftol: float) -> State:
    if np.array_equal(before.x, after.x):
        return replace(after, message="No step along the direction makes the loss smaller.")
    if before.value - after.value <= ftol * max(abs(before.value), abs(after.value), 1.0):
        return replace(after, message="The loss changes by less than ftol.", success=True)
    return after


# ------------------------------------------------------------------ Newton's method by conjugate gradients
def _newton(problem: Problem, state: State, options: dict[str, Any]) -> State:
    """A step along an inexact solution of H d = -g, to a point that satisfies the strong Wolfe conditions."""
    d = _conjugate_gradients(problem, state, math.inf)
    after = _along(problem, state, d, 1.0)
    if np.array_equal(state.x, after.x):
        return replace(after, message="No step along the direction makes the loss smaller.")
    if np.mean(np.abs(after.x - state.x)) <= options["xtol"]:
        return replace(after, message="The step is within xtol.", success=True)
    return after


def _conjugate_gradients(problem: Problem, state: State, radius: float) -> Any:
    """Return p with H p ≈ -g and |p| ≤ radius: to the boundary where H curves downwards.

    Source: Steihaug 1983; Nocedal and Wright 2006, algorithm 7.2, with the tolerance min(½, √|g|) |g|.
    """
    r = state.gradient
    size = float(np.linalg.norm(r))
    tolerance = min(0.5, math.sqrt(size)) * size
    p, d = np.zeros_like(r), -r
    for k in range(2 * r.size):
        curved = problem.product(state.x, d)
        curvature = float(d @ curved)
        if curvature <= 0:
            return _to_boundary(p, d, radius) if math.isfinite(radius) else (p if k else d)
        alpha = float(r @ r) / curvature
        if np.linalg.norm(p + alpha * d) >= radius:
            return _to_boundary(p, d, radius)
        p, r, before = p + alpha * d, r + alpha * curved, r
        if np.linalg.norm(r) < tolerance:
            break
        d = -r + float(r @ r) / float(before @ before) * d
    return p


def _to_boundary(p: Any, d: Any, radius: float) -> Any:
    """Return p + τ d with τ ≥ 0 and the norm of the radius."""
    a, b, c = float(d @ d), float(p @ d), float(p @ p) - radius**2
    return p + (math.sqrt(max(b * b - a * c, 0.0)) - b) / a * d


# ------------------------------------------------------------------ a trust region
def _trust(problem: Problem, state: State, options: dict[str, Any]) -> State:
    """A step to the quadratic model's minimum within a radius, which grows and shrinks with the model's success.

    Source: Nocedal and Wright 2006, algorithm 4.1.
    """
    radius = state.memory.get("radius", options["initial_trust_radius"])
    p = _conjugate_gradients(problem, state, radius)
    expected = -float(state.gradient @ p) - 0.5 * float(p @ problem.product(state.x, p))
    value, gradient = problem.both(state.x + p)
    ratio = (state.value - value) / expected if expected > 0 else 0.0
    if ratio < 0.25:
        radius = 0.25 * float(np.linalg.norm(p))
    elif ratio > 0.75 and np.linalg.norm(p) >= 0.999 * radius:
        radius = min(2 * radius, options["max_trust_radius"])
    memory = {"radius": radius}
    if ratio > options["eta"]:
        return replace(state, x=state.x + p, value=value, gradient=gradient, memory=memory)
    if radius <= np.finfo(np.float64).eps * max(1.0, float(np.linalg.norm(state.x))):
        return replace(state, memory=memory, message="The trust region has shrunk to nothing.")
    return replace(state, memory=memory)


_MOST = 15000
METHODS = {
    "l-bfgs-b": Method(
        _lbfgs, {"maxcor": 10, "ftol": 2.220446049250313e-09, "gtol": 1e-5, "maxiter": _MOST}, ("y", "s", "scale")
    ),
    "newton-cg": Method(_newton, {"xtol": 1e-5, "gtol": 0.0, "maxiter": _MOST}),
    "trust-ncg": Method(
        _trust,
        {"initial_trust_radius": 1.0, "max_trust_radius": 1000.0, "eta": 0.15, "gtol": 1e-4, "maxiter": _MOST},
        ("radius",),
    ),
}
METHODS["l-bfgs"] = METHODS["l-bfgs-b"]
