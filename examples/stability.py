"""From where a damped pendulum certainly comes to rest: a Lyapunov function, proved to fall on a whole box.

V = xᵀ P x solves Lyapunov's equation of the linearised pendulum. That V falls along the true motion is proved in two
parts: near the origin −V′ − ε|x|² is convex with slope 0 there, and elsewhere −V′ is positive. Every motion from the
largest ellipse of V in the box therefore tends to rest.
Run: python examples/stability.py, or with a picture by matplotlib: python examples/stability.py region.png
"""

import importlib
import sys

import numpy as np
from scipy.linalg import solve_continuous_lyapunov

import symgrad as sg

DAMPING, SMALL, EPSILON, BOX = 0.5, 0.5, 0.01, np.array([1.6, 1.6])  # the angle and its rate to either side


def motion(v):
    """Return the rate of change of the angle and of its rate."""
    return sg.stack([v[1], -sg.sin(v[0]) - DAMPING * v[1]])


A = np.array(sg.jacobian(motion)(np.zeros(2)))
P = solve_continuous_lyapunov(A.T, -np.eye(2)).round(12)  # symmetric


def fall(v):
    """Return −V′ = −∇V · motion."""
    return -2 * ((sg.tensor(P) @ v) * motion(v)).sum()


def parts():
    """Return four boxes that cover the large box without the small one around the origin."""
    (a, b), s = BOX, SMALL
    return [([s, -b], [a, b]), ([-a, -b], [-s, b]), ([-s, s], [s, b]), ([-s, -b], [s, -s])]


def level():
    """Return the largest c whose ellipse V ≤ c lies in the box: there the i-th number is at most √(c P⁻¹ᵢᵢ)."""
    return float((BOX**2 / np.diag(np.linalg.inv(P))).min()) * (1 - 1e-9)


def edge(c, count=60):
    """Return points on the ellipse V = c."""
    angle = np.linspace(0, 2 * np.pi, count)
    return np.linalg.solve(np.linalg.cholesky(P).T, np.sqrt(c) * np.array([np.cos(angle), np.sin(angle)])).T


def show(ax, c):
    """Draw the ellipse, and motions from its edge, on axes."""
    ax.plot(*edge(c).T, color="C1", label=f"V = {c:.2f}")
    for start in edge(c, 13):
        ax.plot(*sg.odeint(lambda y, t: motion(y), start, np.linspace(0, 12, 200)).numpy().T, color="C0", linewidth=0.7)
    ax.set(xlabel="angle", ylabel="rate", xlim=(-BOX[0], BOX[0]), ylim=(-BOX[1], BOX[1]))
    ax.legend()


def main(path=None):
    """Prove that V falls, check the certificates and some motions, and draw where there is a path."""
    assert sg.prove.convex(lambda v: fall(v) - EPSILON * (v**2).sum(), ([-SMALL] * 2, [SMALL] * 2))
    assert np.array_equal(sg.grad(fall)(np.zeros(2)), np.zeros(2))
    proofs = [sg.prove.positive(fall, part) for part in parts()]
    assert all(proof and sg.prove.check(proof.certificate, fall) for proof in proofs)
    c = level()
    print(f"V = xᵀ P x with P = {P.round(3).tolist()} falls in |angle| ≤ {BOX[0]}, |rate| ≤ {BOX[1]}, but at rest")
    print(f"Every motion that starts where V ≤ {c:.3f} tends to rest: this is proved")
    assert all(abs(sg.odeint(lambda y, t: motion(y), y0, [0.0, 60.0])[-1]).max() < 1e-5 for y0 in edge(c, 9))
    print("So do 9 motions from its edge, by odeint")
    if path is not None:
        plt = importlib.import_module("matplotlib.pyplot")
        figure, ax = plt.subplots(figsize=(6, 4), layout="constrained")
        show(ax, c)
        figure.savefig(path, dpi=120)
        print(f"Drawn: {path}")


if __name__ == "__main__":
    main(*sys.argv[1:2])
