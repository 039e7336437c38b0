"""Small scalar programs: Rosenbrock's valley, Speelpenning's product, the position of a robot arm."""

from __future__ import annotations

import math
from functools import partial

import numpy as np

from problems.problem import Problem


# ------------------------------------------------------------------ Rosenbrock
def _rosenbrock(m, x):
    u, v = x[1:] - x[:-1] ** 2, 1.0 - x[:-1]
    return m.sum(100.0 * u**2 + v**2)


def _rosenbrock_by_hand(x):
    u, v = x[1:] - x[:-1] ** 2, 1.0 - x[:-1]
    g = np.zeros_like(x)
    g[1:] = 200.0 * u
    g[:-1] -= 400.0 * x[:-1] * u + 2.0 * v
    return 100.0 * (u @ u) + v @ v, g


def rosenbrock(n: int) -> Problem:
    """Σ 100 (xᵢ₊₁ − xᵢ²)² + (1 − xᵢ)²."""
    return Problem(
        name=f"Rosenbrock {n}",
        inputs=lambda: (np.random.default_rng(1).uniform(-1, 1, n),),
        program=lambda m: partial(_rosenbrock, m),
        hand=_rosenbrock_by_hand,
        source="rosenbrock.c",
        sizes={"N": n},
        scalar=True,
    )


# ------------------------------------------------------------------ Speelpenning
def _speelpenning_by_hand(x):
    before, after = np.ones_like(x), np.ones_like(x)
    np.cumprod(x[:-1], out=before[1:])
    np.cumprod(x[:0:-1], out=after[-2::-1])
    return before[-1] * x[-1], before * after


def speelpenning(n: int) -> Problem:
    """Π xᵢ."""
    return Problem(
        name=f"Speelpenning {n}",
        inputs=lambda: (np.random.default_rng(1).uniform(0.9, 1.1, n),),
        program=lambda m: m.prod,
        hand=_speelpenning_by_hand,
        source="speelpenning.c",
        sizes={"N": n},
        scalar=True,
    )


# ------------------------------------------------------------------ an arm of six joints
# Denavit and Hartenberg's parameters of a PUMA 560 with a tool: length a, twist (cos α, sin α), offset d.
JOINTS = [
    (0.0, 0.0, 1.0, 0.6718),
    (0.4318, 1.0, 0.0, 0.1397),
    (0.0203, 0.0, -1.0, 0.15005),
    (0.0, 0.0, 1.0, 0.4318),
    (0.0, 0.0, -1.0, 0.0),
    (0.05, math.cos(0.3), math.sin(0.3), 0.0563),
]


def _arm(m, q):
    """The tool's position, carried from its own frame to the base."""
    x = y = z = 0.0
    for i in range(5, -1, -1):
        a, cos_twist, sin_twist, d = JOINTS[i]
        x, y, z = x + a, cos_twist * y - sin_twist * z, sin_twist * y + cos_twist * z + d
        c, s = m.cos(q[i]), m.sin(q[i])
        x, y = c * x - s * y, s * x + c * y
    return m.stack([x, y, z])


def _arm_by_hand(q):
    """Column i is the axis of joint i, crossed with the way from the joint to the tool."""
    turn, place, axes, places = np.eye(3), np.zeros(3), [], []
    for (a, ct, st, d), c, s in zip(JOINTS, np.cos(q).tolist(), np.sin(q).tolist()):
        axes.append(turn[:, 2])
        places.append(place)
        place = place + turn @ (a * c, a * s, d)
        turn = turn @ np.array([[c, -s * ct, s * st], [s, c * ct, -c * st], [0.0, st, ct]])
    return np.cross(axes, place - np.array(places)).T


def arm() -> Problem:
    """The Jacobian, 3×6, of a tool's position by the angles of the joints."""
    return Problem(
        name="6-DOF arm, Jacobian 3×6",
        inputs=lambda: (np.random.default_rng(1).uniform(-1, 1, 6),),
        program=lambda m: partial(_arm, m),
        hand=_arm_by_hand,
        kind="jacobian",
        source="arm.c",
        scalar=True,
        outputs=3,
    )
