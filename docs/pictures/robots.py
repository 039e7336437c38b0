"""Arms and pendulums: Jacobians of motion."""

from typing import Any

import numpy as np

import symgrad as sg
from pictures import canvas

LINKS = np.array([1.0, 0.8, 0.5])


def _joints(q: Any) -> Any:
    """The places of the joints and of the tool of an arm in the plane, of shape (3, 2)."""
    angles = sg.cumsum(q, 0)
    return sg.stack([sg.cumsum(LINKS * sg.cos(angles), 0), sg.cumsum(LINKS * sg.sin(angles), 0)], 1)


def _tool(q: Any) -> Any:
    return _joints(q)[2]


def _draw(ax: Any, q: Any, **how: Any) -> Any:
    """The arm, and where its tool is."""
    points = np.vstack([[0, 0], np.asarray(_joints(sg.tensor(q)))])
    ax.plot(*points.T, "-o", **{"color": "#606870", "linewidth": 3, "markersize": 5, **how})
    return points[-1]


def manipulability() -> Any:
    """An arm with three links in four poses; an ellipse at its tool shows how fast it moves in each direction."""
    figure, ax = canvas(size=(6.0, 4.4))
    angles = np.linspace(0, 2 * np.pi, 80)
    circle = np.stack([np.cos(angles), np.sin(angles)])
    poses = [(2.6, -0.9, -0.7), (1.9, -0.3, -0.4), (1.3, -1.3, -0.9), (0.3, 0.25, 0.2)]
    for colour, q in zip(["#2f7fc1", "#d9691d", "#2c9c69", "#8e5bb5"], poses, strict=True):
        at = _draw(ax, np.array(q), alpha=0.75)
        U, s, _ = np.linalg.svd(np.asarray(sg.jacobian(_tool)(np.array(q))))
        ax.fill(*(at[:, None] + 0.3 * U @ (s[:, None] * circle)), color=colour, alpha=0.35)
    ax.set_aspect("equal")
    ax.set_title("J Jᵀ at the tool: round where it moves freely, flat near a singularity")
    return figure


def reaching() -> Any:
    """Poses of an arm on its way to a target: six damped Gauss-Newton steps with the exact Jacobian."""
    figure, ax = canvas(size=(5.6, 4.2))
    q, target = np.array([2.4, -0.6, -0.4]), np.array([1.4, 0.9])
    for step in range(7):
        _draw(ax, q, alpha=0.15 + 0.12 * step, color="#2f7fc1")
        r, J = np.asarray(_tool(sg.tensor(q))) - target, np.asarray(sg.jacobian(_tool)(q))
        q = q - J.T @ np.linalg.solve(J @ J.T + 0.15 * np.eye(2) * (r @ r), r)
    ax.plot(*target, "*", color="#d9691d", markersize=14)
    ax.set_aspect("equal")
    ax.set_title("Inverse kinematics")
    return figure


def _swing(length: Any, friction: Any) -> Any:
    """Angles of a pendulum, by semi-implicit steps of 0.02 s."""

    def step(state: Any, _: Any) -> Any:
        angle, speed = state
        speed = speed + 0.02 * (-9.81 / length * sg.sin(angle) - friction * speed)
        return (angle + 0.02 * speed, speed), angle

    return sg.scan(step, (sg.tensor(2.0), sg.tensor(0.0)), length=400)[1]


def pendulum_sensitivity() -> Any:
    """The angle of a pendulum against time, and below it its derivatives with respect to length and friction."""
    t = 0.02 * np.arange(400)
    figure, (above, below) = canvas(2, 1, size=(6.4, 4.2), sharex=True)
    above.plot(t, np.asarray(_swing(sg.tensor(1.3), sg.tensor(0.15))))
    above.set_title("angle of a pendulum")
    for k, name in enumerate(("length", "friction")):
        tangent = [sg.tensor(float(k == i)) for i in range(2)]
        _, moved = sg.jvp(_swing, (sg.tensor(1.3), sg.tensor(0.15)), tuple(tangent))
        below.plot(t, np.asarray(moved), label=f"by {name}")
    below.set_title("its derivatives")
    below.set_xlabel("seconds")
    below.legend(fontsize=9)
    return figure


def orbit_of_the_logistic_map() -> Any:
    """Lyapunov exponent of x → r x (1 − x) against r: the mean log slope, below zero where there is order."""
    r = np.linspace(2.8, 4.0, 400)
    slope = sg.vmap(sg.grad(lambda x, r: r * x * (1 - x)))
    x, total = np.full(r.size, 0.4), np.zeros(r.size)
    for k in range(260):
        if k >= 60:
            total += np.log(np.abs(np.asarray(slope(x, r))) + 1e-12)
        x = r * x * (1 - x)
    figure, ax = canvas(size=(6.4, 3.0))
    ax.axhline(0, color="#808890", linewidth=0.8)
    ax.plot(r, total / 200, linewidth=1)
    ax.set_ylim(-2.5, 1)
    ax.set_xlabel("r")
    ax.set_title("Lyapunov exponent of r x (1 − x): chaos above the line")
    return figure
