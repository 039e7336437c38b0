"""A controller that plans ahead: each step solves a quadratic program whose numbers come from generated C.

A pendulum is kept upright by a motor of limited torque; after two seconds somebody pushes it. At each sample, the plan
for the next 1.5 seconds is improved by one step of sequential quadratic programming: generated C computes the
gradient, the constraints and both sparse matrices, and SciPy solves the quadratic program in the torques.
Needs a C compiler; without one, the source is written all the same.
Run: python examples/mpc_in_c.py, or with a picture by matplotlib: python examples/mpc_in_c.py mpc.png
Source: Diehl, Bock and Schlöder, A Real-Time Iteration Scheme, SIAM Journal on Control and Optimization 43 (2005).
"""

import importlib
import sys
import tempfile
from pathlib import Path

import numpy as np
from scipy import optimize, sparse

import symgrad as sg
from symgrad.errors import MissingExtra
from symgrad.exports import load_c

NODES, HORIZON, SAMPLE, LIMIT = 30, 1.5, 0.05, 5.0


def pendulum(x, u, t, p):
    """Return the slopes of the angle, 0 where the pendulum stands, and of its speed."""
    return {"angle": x["spin"], "spin": 9.81 * sg.sin(x["angle"]) + u["torque"]}


def program():
    """Return the nonlinear program of one plan; where it starts is a parameter."""
    problem = sg.control.Problem(
        pendulum,
        states={"angle": None, "spin": None},
        controls={"torque": (-LIMIT, LIMIT)},
        time=(0.0, HORIZON),
        start={"angle": 0.0, "spin": 0.0},
        running=lambda x, u, t, p: 10 * x["angle"] ** 2 + x["spin"] ** 2 + 0.1 * u["torque"] ** 2,
    )
    return problem.program(NODES, method="trapezoidal")


class Controller:
    """The plan, improved by one quadratic program at each sample."""

    def __init__(self, path, nlp):
        self.patterns = nlp.exported()[1]
        self.functions = {
            name: load_c(path, f"mpc_{name}") for name in ("gradient", "constraints", "jacobian", "hessian")
        }
        self.plan, self.rows = np.zeros(3 * (NODES + 1)), 2 * (NODES + 1)

    def torque(self, angle, spin):
        """Return the torque for this measurement."""
        call = lambda name, *more: np.asarray(self.functions[name](self.plan, *more, angle, spin, 0.0, HORIZON))
        as_matrix = lambda values, kind, rows: sparse.csc_array(
            (values, self.patterns[f"{kind}_rows"], self.patterns[f"{kind}_columns"]), (rows, len(self.plan))
        )
        jacobian = as_matrix(call("jacobian"), "jacobian", self.rows).toarray()
        lower = as_matrix(call("hessian", 1.0, np.zeros(self.rows)), "hessian", len(self.plan)).toarray()
        hessian, n = lower + np.tril(lower, -1).T, self.rows
        # the linearised dynamics say how states follow the torques: step = along · torques + rest
        follow = np.linalg.solve(jacobian[:, :n], np.c_[jacobian[:, n:], call("constraints")])
        along, rest = np.r_[-follow[:, :-1], np.eye(NODES + 1)], np.r_[-follow[:, -1], np.zeros(NODES + 1)]
        root = np.linalg.cholesky(along.T @ hessian @ along)
        target = np.linalg.solve(root, along.T @ (call("gradient") + hessian @ rest))
        ends = -LIMIT - self.plan[n:], LIMIT - self.plan[n:]
        self.plan += along @ optimize.lsq_linear(root.T, -target, ends).x + rest
        return self.plan[n]


def closed_loop(controller, seconds=5.0):
    """Return times, angles and torques of the pendulum under control; it is pushed after two seconds."""
    state, rows = np.array([0.4, 0.0]), []
    for k in range(round(seconds / SAMPLE)):
        if k == round(2.0 / SAMPLE):
            state = np.add(state, [0.0, 1.2])
        torque = float(controller.torque(*state))
        rows.append((k * SAMPLE, state[0], torque))
        fall = lambda y, t, torque: sg.stack([y[1], 9.81 * sg.sin(y[0]) + torque])
        state = sg.odeint(fall, state, [0.0, SAMPLE], torque)[-1].numpy()
    return np.array(rows).T


def draw(axes, times, angles, torques):
    """Draw the angle, and the torque between its limits."""
    axes[0].plot(times, angles)
    axes[0].set(ylabel="angle [rad]", title="A pendulum kept upright by a controller in C; a push after 2 s")
    axes[1].step(times, torques, where="post", color="C1")
    for limit in (-LIMIT, LIMIT):
        axes[1].axhline(limit, color="0.6", linestyle="--", linewidth=0.8)
    axes[1].set(xlabel="t [s]", ylabel="torque")


def main(path=None):
    """Write the C, close the loop, and draw where there is a path."""
    nlp, file = program(), Path(tempfile.mkdtemp()) / "mpc.c"
    source = sg.export(nlp, target="c", path=file, name="mpc")
    print(f"1. {file.name}: {len(source.splitlines())} lines for {nlp}")
    try:
        controller = Controller(file, nlp)
    except MissingExtra as missing:
        print(f"2. Not compiled: {missing}")
        return
    times, angles, torques = closed_loop(controller)
    print(f"2. The angle goes from {angles[0]:.2f} to {angles[39]:.4f} at the push, and to {angles[-1]:.4f} at the end")
    print(f"   The torque is at its limit at {np.sum(np.abs(torques) > LIMIT - 1e-6)} of {len(torques)} samples")
    assert abs(angles[-1]) < 1e-2
    assert np.max(np.abs(torques)) < LIMIT + 1e-6
    if path is not None:
        plt = importlib.import_module("matplotlib.pyplot")
        figure, axes = plt.subplots(2, 1, figsize=(6.4, 4.0), sharex=True, layout="constrained")
        draw(axes, times, angles, torques)
        figure.savefig(path, dpi=120)
        print(f"Drawn: {path}")


if __name__ == "__main__":
    main(*sys.argv[1:])
