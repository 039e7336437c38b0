"""Goddard's rocket: which thrust carries it highest, where air resists and fuel weighs.

The answer is famous: full thrust, then a singular arc on which drag and weight are in balance, then none. The time of
the flight is free, and the fuel's end is found. In units where height, mass and gravity on the ground are 1.
Run: python examples/rocket.py, or with a picture by matplotlib: python examples/rocket.py rocket.png
Source: Dolan, Moré and Munson, Benchmarking Optimization Software with COPS 3.0 (2004).
"""

import importlib
import sys

import numpy as np

import symgrad as sg

DRAG, THRUST, EXHAUST, NODES = 310.0, 3.5, 0.5, 20


def flight(x, u, t, p):
    """Return the slopes of height, speed and mass."""
    drag = DRAG * x["speed"] ** 2 * sg.exp(500.0 * (1 - x["height"]))
    return {
        "height": x["speed"],
        "speed": (u["thrust"] - drag) / x["mass"] - 1 / x["height"] ** 2,
        "mass": -u["thrust"] / EXHAUST,
    }


def problem():
    """Return the flight, which ends with 0.6 of the mass."""
    return sg.control.Problem(
        flight,
        states={"height": (1.0, None), "speed": (0.0, None), "mass": (0.6, 1.0)},
        controls={"thrust": (0.0, THRUST)},
        time=(0.0, (0.05, 0.5)),
        start={"height": 1.0, "speed": 0.0, "mass": 1.0},
        end={"mass": 0.6},
        final=lambda x, t, p: -x["height"],
    )


def draw(path, trajectory):
    """Draw height, speed and thrust over time."""
    plt = importlib.import_module("matplotlib.pyplot")
    figure, axes = plt.subplots(1, 3, figsize=(10, 3.2), layout="constrained")
    times = np.linspace(*trajectory.t[[0, -1]], 300)
    drawn = {**trajectory.state(times), **trajectory.control(times)}
    for ax, name in zip(axes, ("height", "speed", "thrust"), strict=True):
        ax.plot(times, drawn[name])
        ax.set(xlabel="t", title=name)
    figure.savefig(path, dpi=120)
    plt.close(figure)


def main(path=None):
    """Solve, compare with the height of the literature, and draw where there is a path."""
    guess = {"height": lambda s: 1 + 0.01 * s, "speed": lambda s: 0.4 * s * (1 - s), "thrust": 1.75, "end": 0.2}
    trajectory = problem().solve(NODES, method="trapezoidal", guess=guess)
    assert trajectory.success
    print(trajectory)
    height = float(trajectory.states["height"][-1])
    thrust = trajectory.controls["thrust"]
    print(f"It reaches {height:.5f} (1.01283 in the literature) after t = {trajectory.t[-1]:.4f}")
    print(f"Thrust at the start {thrust[0]:.3f}, at the end {abs(thrust[-1]):.3f}")
    assert abs(height - 1.01283) < 2e-4
    if path is not None:
        draw(path, trajectory)
        print(f"Drawn: {path}")


if __name__ == "__main__":
    main(*sys.argv[1:])
