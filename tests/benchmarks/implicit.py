"""What the derivative of a root costs: reverse mode through 1000 equations, in linear solves of that size.

Run: python tests/benchmarks/implicit.py [unknowns]. The figure to hold is 1.3 linear solves for the derivative.
"""

from __future__ import annotations

import statistics
import sys
import time

import numpy as np

import symgrad as sg

MOST = 1.3
ROUNDS = 7


def seconds(action, rounds=ROUNDS):
    """Return the median time of an action."""
    found = []
    for _ in range(rounds):
        start = time.perf_counter()
        action()
        found.append(time.perf_counter() - start)
    return statistics.median(found)


def equations(x, A, b):
    """Return A·x + tanh(x) − b."""
    return A @ x + sg.tanh(x) - b


def backward_seconds(solve, A, b):
    """Return the median time of the reverse sweep through the root, each time of a new one."""
    found = []
    for _ in range(ROUNDS):
        theta, right = sg.tensor(A, requires_grad=True), sg.tensor(b, requires_grad=True)
        total = solve(theta, right).sum()
        start = time.perf_counter()
        total.backward()
        found.append(time.perf_counter() - start)
    return statistics.median(found[1:])


def main(n=1000):
    """Print the costs, and fail where the derivative's is too high."""
    rng = np.random.default_rng(0)
    A, b = rng.normal(size=(n, n)) / np.sqrt(n) + 3 * np.eye(n), rng.normal(size=n)
    one = seconds(lambda: np.linalg.solve(A, b))
    newton = backward_seconds(lambda A, b: sg.root(equations, np.zeros(n), A, b), A, b)
    values = sg.root(equations, np.zeros(n), A, b).numpy()
    foreign = sg.custom_root(equations)(lambda x0, A, b: values)
    custom = backward_seconds(lambda A, b: foreign(np.zeros(n), A, b), A, b)
    print(f"{n} unknowns: a linear solve takes {one * 1e3:.1f} ms")
    print(f"  derivative of sg.root, with the value's factors: {newton / one:.2f} linear solves")
    print(f"  derivative of sg.custom_root, which factorises:  {custom / one:.2f} linear solves")
    if newton > MOST * one:
        sys.exit(f"The derivative costs more than {MOST} linear solves.")


if __name__ == "__main__":
    main(*map(int, sys.argv[1:2]))
