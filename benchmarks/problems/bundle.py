"""Bundle adjustment: the error of one point seen by one camera, and of all points at once.

The residual is that of ADBench: a camera of eleven parameters (rotation vector, centre, focal length, principal point,
two of radial distortion), a point in space and a weight.
"""

from __future__ import annotations

from functools import partial

import numpy as np

from problems.problem import Problem


def _cross(a, b):
    return [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]


def _dot(a, b):
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


def _residual(m, v, seen):
    r, centre, f, principal, k1, k2 = [v[i] for i in range(3)], [v[3], v[4], v[5]], v[6], (v[7], v[8]), v[9], v[10]
    point, w = [v[11], v[12], v[13]], v[14]
    angle = m.sqrt(_dot(r, r))
    c, s = m.cos(angle), m.sin(angle)
    axis = [r[i] / angle for i in range(3)]
    p = [point[i] - centre[i] for i in range(3)]
    n, along = _cross(axis, p), _dot(axis, p) * (1.0 - c)
    y = [p[i] * c + n[i] * s + axis[i] * along for i in range(3)]
    u = [y[0] / y[2], y[1] / y[2]]
    square = u[0] * u[0] + u[1] * u[1]
    bend = 1.0 + k1 * square + k2 * square * square
    return m.stack([w * (u[i] * bend * f + principal[i] - seen[i]) for i in range(2)])


def _by_hand(v, seen):
    """The Jacobian of every row, written out: rotation by Rodrigues' formula Y = c P + a r×P + b (r·P) r."""
    v, seen = v.T, seen.T
    r, f, k1, k2, w = v[0:3], v[6], v[9], v[10], v[14]
    p = v[11:14] - v[3:6]
    angle = np.sqrt(_dot(r, r))
    c, s = np.cos(angle), np.sin(angle)
    a, b = s / angle, (1.0 - c) / angle**2
    n, rp = np.stack(_cross(r, p)), _dot(r, p)
    y = c * p + a * n + b * rp * r
    by_angle = (-s * p + (c - a) / angle * n + (a - 2.0 * b) / angle * rp * r) / angle
    u = y[:2] / y[2]
    square = u[0] ** 2 + u[1] ** 2
    bend = 1.0 + k1 * square + k2 * square**2
    slope = 2.0 * (k1 + 2.0 * k2 * square)
    out = np.zeros((2, 15, *np.shape(f)))
    for i in range(2):
        row, scale = out[i], w * f / y[2]
        by_u = [scale * (slope * u[i] * u[j] + (bend if i == j else 0.0)) for j in range(2)]
        e = np.stack([*by_u, -(by_u[0] * u[0] + by_u[1] * u[1])])
        re = _dot(r, e)
        row[0:3] = _dot(e, by_angle) * r + a * np.stack(_cross(p, e)) + b * (rp * e + re * p)
        row[11:14] = c * e - a * np.stack(_cross(r, e)) + b * re * r
        row[3:6] = -row[11:14]
        row[6] = w * u[i] * bend
        row[7 + i] = w
        row[9] = w * f * u[i] * square
        row[10] = row[9] * square
        row[14] = f * u[i] * bend + v[7 + i] - seen[i]
    return np.moveaxis(out, (0, 1), (-2, -1))


# A camera, a point before it and a weight; of many, each is a little elsewhere.
_VIEW = np.array([0.1, -0.2, 0.3, 0.5, 0.2, -1.0, 500.0, 3.0, 4.0, 0.01, -0.002, 0.7, -0.4, 6.0, 0.9])
_SEEN = np.array([-12.3, 7.9])


def _one():
    return _VIEW.copy(), _SEEN.copy()


def _many(n):
    rng = np.random.default_rng(1)
    return _VIEW * rng.uniform(0.9, 1.1, (n, 15)), _SEEN * rng.uniform(0.9, 1.1, (n, 2))


def residual() -> Problem:
    """The Jacobian, 2×15, of one residual."""
    return Problem(
        name="bundle adjustment, Jacobian 2×15",
        inputs=_one,
        program=lambda m: partial(_residual, m),
        hand=_by_hand,
        kind="jacobian",
        source="bundle.c",
        sizes={"N": 1},
        scalar=True,
        outputs=2,
    )


def observations(n: int) -> Problem:
    """The Jacobians, n×2×15, of n residuals."""
    return Problem(
        name=f"bundle adjustment, {n} observations",
        inputs=lambda: _many(n),
        program=lambda m: partial(_residual, m),
        hand=_by_hand,
        kind="batched",
        source="bundle.c",
        sizes={"N": n},
        scalar=True,
        outputs=2,
    )
