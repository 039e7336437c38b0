"""A pendulum on a cart is swung up in two seconds with the least ∫ force² dt, and how the cost depends on the start.

sg.control turns the problem into a sparse nonlinear program, whose multipliers also give the derivative of the cost.
Run: python examples/cart_pole.py, or with a picture by matplotlib: python examples/cart_pole.py cart.png
Source: Kelly, An Introduction to Trajectory Optimization, SIAM Review 59 (2017).
"""

import importlib
import sys

import numpy as np

import symgrad as sg


def cart_pole(x, u, t, p):
    """Return the slopes of the states: a mass of 0.3 on a rod of 0.5, on a cart of mass 1."""
    s, c = sg.sin(x["angle"]), sg.cos(x["angle"])
    swing, mass = 0.15 * s * x["spin"] ** 2, 1 + 0.3 * s**2
    return {
        "place": x["speed"],
        "angle": x["spin"],
        "speed": (swing + u["force"] + 0.3 * 9.81 * c * s) / mass,
        "spin": -(swing * c + u["force"] * c + 1.3 * 9.81 * s) / (0.5 * mass),
    }


def problem():
    """Return the swing-up, from hanging at 0 to standing at 1."""
    return sg.control.Problem(
        cart_pole,
        states={"place": (-2.0, 2.0), "angle": None, "speed": None, "spin": None},
        controls={"force": sg.control.Variable(-20.0, 20.0, unit="N")},
        time=(0.0, 2.0),
        start={"place": 0.0, "angle": 0.0, "speed": 0.0, "spin": 0.0},
        end={"place": 1.0, "angle": np.pi, "speed": 0.0, "spin": 0.0},
        running=lambda x, u, t, p: u["force"] ** 2,
    )


def draw(path, trajectory):
    """Draw the pendulum along its way, and the force."""
    plt = importlib.import_module("matplotlib.pyplot")
    figure, (left, right) = plt.subplots(1, 2, figsize=(9, 3.4), layout="constrained")
    times = np.linspace(0, 2, 25)
    states = trajectory.state(times)
    tips = states["place"] + 0.5 * np.sin(states["angle"]), -0.5 * np.cos(states["angle"])
    for k in range(len(times)):
        shade = plt.cm.viridis(k / (len(times) - 1))
        left.plot([states["place"][k], tips[0][k]], [0.0, tips[1][k]], "o-", color=shade, markersize=3)
    left.set(aspect="equal", title="the pendulum, from dark to light")
    fine = np.linspace(0, 2, 200)
    right.plot(fine, trajectory.control(fine)["force"])
    right.set(xlabel="t", title="force [N]")
    figure.savefig(path, dpi=120)
    plt.close(figure)


def main(path=None):
    """Solve, refine, compare the derivative of the cost with differences, and draw where there is a path."""
    swing_up = problem()
    trajectory = swing_up.solve(16, refine=1e-3)
    assert trajectory.success
    print(trajectory)

    def cost(place):
        return swing_up.solve(16, start={"place": place}).cost

    slope, step = sg.grad(cost)(0.0), 1e-4
    difference = (cost(step) - cost(-step)) / (2 * step)
    print(f"Each metre that it starts nearer changes the cost by {slope:.4f}; by differences {difference:.4f}")
    assert abs(slope - difference) < 1e-3 * abs(slope)
    if path is not None:
        draw(path, trajectory)
        print(f"Drawn: {path}")


if __name__ == "__main__":
    main(*sys.argv[1:])
