"""What the derivative of a root costs: reverse mode through 1000 equations, in linear solves of that size.

Run: python benchmarks/implicit.py [unknowns]. The figure to hold is 1.3 linear solves for the derivative.
"""

from __future__ import annotations

import statistics
import sys
import time

import numpy as np

import symgrad as sg

MOST = 1.3
ROUNDS = 15


def seconds(action):
    """Return the time of an action."""
    start = time.perf_counter()
    action()
    return time.perf_counter() - start


def equations(x, A, b):
    """Return A·x + tanh(x) − b."""
    return A @ x + sg.tanh(x) - b


def backward_seconds(solve, A, b):
    """Return the time of the reverse sweep through a new root."""
    theta, right = sg.tensor(A, requires_grad=True), sg.tensor(b, requires_grad=True)
    return seconds(solve(theta, right).sum().backward)


def main(n=1000):
    """Print the costs, taken in turns with a linear solve, and fail where a derivative's is too high."""
    rng = np.random.default_rng(0)
    A, b = rng.normal(size=(n, n)) / np.sqrt(n) + 3 * np.eye(n), rng.normal(size=n)
    values = sg.root(equations, np.zeros(n), A, b).numpy()
    foreign = sg.custom_root(equations)(lambda x0, A, b: values)
    kinds = {
        "sg.root, with the value's factors": lambda A, b: sg.root(equations, np.zeros(n), A, b),
        "sg.custom_root, which factorises": lambda A, b: foreign(np.zeros(n), A, b),
    }
    too_high = False
    for name, solve in kinds.items():
        backward_seconds(solve, A, b)
        ratios = [backward_seconds(solve, A, b) / seconds(lambda: np.linalg.solve(A, b)) for _ in range(ROUNDS)]
        ratio = statistics.median(ratios)
        too_high |= ratio > MOST
        print(f"{n} unknowns: derivative of {name}: {ratio:.2f} linear solves")
    if too_high:
        sys.exit(f"A derivative costs more than {MOST} linear solves.")


if __name__ == "__main__":
    main(*map(int, sys.argv[1:2]))
