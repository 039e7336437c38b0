"""A robot arm with six joints: position and direction of its tool, their 6 x 6 Jacobian compiled, inverse kinematics.

The arm is given by Denavit-Hartenberg parameters, those of a Universal Robots UR5 (metres, radians).
Run: pip install ".[examples]" && python examples/robot_arm.py
"""

import timeit

import numpy as np

import symgrad as sg

# a (along x), d (along z) and alpha (about x) of each joint
ARM = [
    (0.0, 0.089159, np.pi / 2),
    (-0.425, 0.0, 0.0),
    (-0.39225, 0.0, 0.0),
    (0.0, 0.10915, np.pi / 2),
    (0.0, 0.09465, -np.pi / 2),
    (0.0, 0.0823, 0.0),
]


def joint(angle, a, d, alpha):
    """The 4 x 4 matrix of one joint: turn about z, move by d and a, turn about x."""
    c, s, ca, sa = sg.cos(angle), sg.sin(angle), float(np.cos(alpha)), float(np.sin(alpha))
    rows = [[c, -s * ca, s * sa, a * c], [s, c * ca, -c * sa, a * s], [0.0, sa, ca, d], [0.0, 0.0, 0.0, 1.0]]
    return sg.stack([sg.stack(row) for row in rows])


def tool(q):
    """Position (3,) of the tool, and the axes (3, 3) it is turned to, at joint angles q (6,)."""
    pose = sg.eye(4)
    for angle, parameters in zip(sg.unbind(q), ARM, strict=True):
        pose = pose @ joint(angle, *parameters)
    return pose[:3, 3], pose[:3, :3]


def miss(q, position, axes):
    """How far the tool is from where it should be: 3 lengths, and 3 angles while they are small."""
    p, R = tool(q)
    turn = R @ axes.T
    angles = sg.stack([turn[2, 1] - turn[1, 2], turn[0, 2] - turn[2, 0], turn[1, 0] - turn[0, 1]]) / 2
    return sg.cat([p - position, angles])


def solve(q, position, axes, both):
    """Damped Gauss-Newton steps until the tool is there; return the angles and the number of steps."""
    for steps in range(100):
        r, J = both(q, position, axes)
        if np.abs(r).max() < 1e-12:
            return q, steps
        q = q - np.linalg.solve(J.T @ J + 1e-3 * (r @ r) * np.eye(6), J.T @ r)
    raise SystemExit("the arm does not reach the target")


def main():
    """Compile the Jacobian, check it, and reach for a pose that is known to be possible."""
    both = sg.compile(lambda q, position, axes: (miss(q, position, axes), sg.jacobian(miss)(q, position, axes)))
    where = sg.compile(tool)
    goal = np.array([0.4, -1.2, 1.5, -0.6, 0.9, 0.3])
    position, axes = where(goal)
    start = goal + np.array([0.5, -0.4, 0.3, -0.5, 0.4, -0.6])

    _, J = both(start, position, axes)
    microseconds = timeit.timeit(lambda: both(start, position, axes), number=2000) / 2000 * 1e6
    print(f"1. Residual and Jacobian {J.shape}: {both.stats.operations} operations, {microseconds:.1f} µs a call")
    print(sg.testing.crosscheck(lambda q: miss(q, position, axes), start))
    q, steps = solve(start, position, axes, both)
    print(f"2. Inverse kinematics: {steps} steps, joint angles {q.round(4)}")
    error = np.abs(where(q)[0] - position).max()
    print(f"3. The tool is {error:.1e} m from its target {position.round(3)}")
    assert error < 1e-10


if __name__ == "__main__":
    main()
