"""Optimal transport with entropy: points that move along the gradient of what it costs to bring them to a target.

The plan Pᵢⱼ = exp((fᵢ + gⱼ − Cᵢⱼ)/ε) has the row sums 1/n and the column sums 1/n: a fixed point in f (Sinkhorn 1964).
sg.fixed_point follows it: the cost's gradient in the points costs one linear solve, however many iterations were made;
through the iterations it is the same, in more time and memory. (Cuturi 2013; Peyré, Cuturi 2019, section 4.2.)
Run: python examples/optimal_transport.py, or with a picture by matplotlib: … optimal_transport.py moved.png
"""

import importlib
import sys
from time import perf_counter

import numpy as np

import symgrad as sg

EPSILON, POINTS = 0.1, 40


def half(f, C, axis):
    """Return the potential of one side by that of the other, so that its sums are 1/n."""
    return -EPSILON * (np.log(POINTS) + sg.logsumexp((sg.unsqueeze(f, 1 - axis) - C) / EPSILON, axis))


def both(f, C):
    """Return the next f; the first is 0, since f + c and g − c make the same plan."""
    new = half(half(f, C, 0), C, 1)
    return new - new[0]


def cost(X, Y, solve):
    """Return ⟨P, C⟩ of squared distances, and the plan."""
    C = ((X[:, None, :] - Y[None, :, :]) ** 2).sum(2)
    g = half(solve(C), C, 0)
    P = sg.exp((half(g, C, 1)[:, None] + g[None, :] - C) / EPSILON)
    return (P * C).sum(), P


SOLVERS = {
    "as a fixed point": lambda C: sg.fixed_point(both, np.zeros(POINTS), C),
    "through 400 iterations": lambda C: sg.fori_loop(0, 400, lambda _, f: both(f, C), np.zeros(POINTS)),
}


def moved(steps=15):
    """Return the target, the places of a ring's points on their way down the gradient, and what each place costs."""
    s, u = np.linspace(0.0, 2 * np.pi, POINTS, endpoint=False), np.linspace(-0.3, np.pi + 0.3, POINTS)
    X, Y = np.stack([np.cos(s), np.sin(s)], 1), np.stack([2.2 + 0.9 * np.cos(u), np.sin(u) - 0.4 * np.cos(2 * u)], 1)
    slope = sg.value_and_grad(lambda X: cost(X, Y, SOLVERS["as a fixed point"])[0])
    places, found = [X], []
    for _ in range(steps):
        value, change = slope(places[-1])
        found.append(float(value))
        places.append(places[-1] - 0.15 * POINTS * change)
    return Y, np.stack(places), found


def main(path=None):
    """Compare the two gradients, move the points, and draw where there is a path."""
    Y, places, found = moved()
    slopes = []
    for name, solve in SOLVERS.items():
        slope = sg.grad(lambda X, solve=solve: cost(X, Y, solve)[0])
        start = perf_counter()
        slopes.append(slope(places[0]))
        print(f"The gradient {name}: {perf_counter() - start:.3f} s")
    np.testing.assert_allclose(*slopes, atol=1e-7)
    P = cost(sg.tensor(places[0]), Y, SOLVERS["as a fixed point"])[1].numpy()
    np.testing.assert_allclose([P.sum(0), P.sum(1)], 1 / POINTS, rtol=1e-6)
    print(f"They differ by {np.max(np.abs(slopes[0] - slopes[1])):.0e}.")
    print(f"The cost falls from {found[0]:.3f} to {found[-1]:.3f}.")
    if path is not None:
        figure, axes = importlib.import_module("matplotlib.pyplot").subplots(figsize=(6, 3.4), layout="constrained")
        axes.plot(places[:, :, 0], places[:, :, 1], color="tab:blue", linewidth=0.6)
        axes.plot(*Y.T, "x", color="tab:orange")
        figure.savefig(path, dpi=120)


if __name__ == "__main__":
    main(*sys.argv[1:])
