"""A lap in the least time: where a car brakes, cuts the corners and accelerates.

The place along the middle of the track stands for time: states are the offset from the middle, the heading relative to
it, and the speed, which end as they start. Tyres limit the acceleration in all directions together.
Run: python examples/race_car.py, or with a picture by matplotlib: python examples/race_car.py race_car.png
Source: Kelly, An Introduction to Trajectory Optimization, SIAM Review 59 (2017), for the method; the track is our own.
"""

import importlib
import sys

import numpy as np

import symgrad as sg

LENGTH, HALF_WIDTH, GRIP, NODES = 800.0, 5.0, 9.0, 60


def curvature(s):
    """Return the curvature of the middle of the track, which is closed since its two halves are the same."""
    turn = 2 * np.pi / LENGTH
    return turn * (1 + 1.5 * sg.cos(2 * turn * s) - 1.5 * sg.cos(4 * turn * s))


def pace(x, s):
    """Return the speed along the middle of the track."""
    return x["speed"] * sg.cos(x["heading"]) / (1 - x["offset"] * curvature(s))


def motion(x, u, s, p):
    """Return the slopes of offset, heading and speed along the track."""
    along = pace(x, s)
    return {
        "offset": x["speed"] * sg.sin(x["heading"]) / along,
        "heading": u["aside"] / x["speed"] / along - curvature(s),
        "speed": u["ahead"] / along,
    }


def problem():
    """Return the lap: its time is least, and the tyres hold."""
    return sg.control.Problem(
        motion,
        states={
            "offset": sg.control.Variable(-HALF_WIDTH, HALF_WIDTH, unit="m", guess=0.0),
            "heading": sg.control.Variable(-1.0, 1.0, unit="rad", guess=0.0),
            "speed": sg.control.Variable(5.0, 70.0, unit="m/s", guess=15.0),
        },
        controls={
            "ahead": sg.control.Variable(-GRIP, 5.0, unit="m/s²", guess=0.0),
            "aside": sg.control.Variable(-GRIP, GRIP, unit="m/s²", guess=0.0),
        },
        time=(0.0, LENGTH),
        running=lambda x, u, s, p: 1 / pace(x, s),
        path=lambda x, u, s, p: {"grip": (u["ahead"] ** 2 + u["aside"] ** 2) / GRIP**2},
        limits={"grip": (None, 1.0)},
        periodic=("offset", "heading", "speed"),
    )


def places(trajectory, many=800):
    """Return the middle of the track, its normals, the car's line, and the speed there."""
    s = np.linspace(0.0, LENGTH, many)
    bend = np.asarray(curvature(sg.tensor(s)))
    step = s[1]
    heading = np.concatenate([[0.0], np.cumsum(0.5 * step * (bend[1:] + bend[:-1]))])
    tangent = np.stack([np.cos(heading), np.sin(heading)])
    middle = np.concatenate([np.zeros((2, 1)), np.cumsum(0.5 * step * (tangent[:, 1:] + tangent[:, :-1]), 1)], 1)
    normal = np.stack([-np.sin(heading), np.cos(heading)])
    states = trajectory.state(s)
    return middle, normal, middle + states["offset"] * normal, states["speed"]


def draw(ax, trajectory):
    """Draw the track, and the car's line coloured by its speed."""
    middle, normal, line, speed = places(trajectory)
    for side in (-HALF_WIDTH, HALF_WIDTH):
        ax.plot(*(middle + side * normal)[::-1], color="0.4", linewidth=0.8)
    dots = ax.scatter(*line[::-1], c=speed, s=4, cmap="plasma")
    ax.figure.colorbar(dots, label="speed [m/s]", shrink=0.8)
    ax.set_title(f"A lap of {LENGTH:.0f} m in {trajectory.cost:.2f} s")
    ax.set_aspect("equal")
    ax.axis("off")


def main(path=None):
    """Solve, compare with the middle of the track, and draw where there is a path."""
    trajectory = problem().solve(NODES, method="trapezoidal")
    assert trajectory.success
    print(trajectory)
    bend = np.abs(np.asarray(curvature(sg.tensor(np.linspace(0.0, LENGTH, 2001)))))
    print(f"A lap takes {trajectory.cost:.2f} s; the middle of the corners allows {np.sqrt(GRIP / bend.max()):.1f} m/s")
    grip = np.hypot(trajectory.controls["ahead"], trajectory.controls["aside"]) / GRIP
    print(f"The tyres are at their limit at {np.sum(grip > 0.99)} of {len(grip)} nodes")
    assert grip.max() < 1 + 1e-6
    if path is not None:
        figure, ax = importlib.import_module("matplotlib.pyplot").subplots(figsize=(6.4, 4.6), layout="constrained")
        draw(ax, trajectory)
        figure.savefig(path, dpi=120)
        print(f"Drawn: {path}")


if __name__ == "__main__":
    main(*sys.argv[1:])
