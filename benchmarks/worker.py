"""Time one problem with one peer, in a process of its own: ``python worker.py PEER PROBLEM`` prints JSON.

The value and the gradient are printed too, so that the caller checks that all peers computed the same.
"""

from __future__ import annotations

import json
import statistics
import sys
import time
from collections.abc import Callable

import numpy as np

LINKS = 500  # of the chain: two operations each


def chain(m, x, w):
    """y ← sin(y·w), 1000 operations."""
    for _ in range(LINKS):
        x = m.sin(x * w)
    return x


def tape(peer: str, size: int) -> Callable[[], tuple]:
    """Forward and backward of the chain, on a scalar (size 0) or a vector."""
    x0 = 0.5 if size == 0 else np.linspace(0.1, 1.0, size)
    w0 = 1.1 if size == 0 else np.full(size, 1.1)
    if peer == "autograd":
        import autograd
        import autograd.numpy as anp

        both = autograd.value_and_grad(lambda x: anp.sum(chain(anp, x, w0)))
        return lambda: both(x0)
    m = __import__(peer)
    x, w = m.tensor(x0, requires_grad=True), m.tensor(w0, requires_grad=True)

    def step():
        x.grad = w.grad = None
        y = chain(m, x, w)
        y = y if size == 0 else y.sum()
        y.backward()
        return y, x.grad

    return step


def tutorial(peer: str) -> Callable[[], tuple]:
    """The model of the PyTorch autograd tutorial: a 5×3 linear layer and binary cross entropy."""
    m = __import__(peer)
    rng = np.random.default_rng(0)
    x, y = m.ones(5), m.zeros(3)
    w = m.tensor(rng.normal(size=(5, 3)), requires_grad=True)
    b = m.tensor(rng.normal(size=3), requires_grad=True)
    loss_of = m.nn.functional.binary_cross_entropy_with_logits

    def step():
        w.grad = b.grad = None
        loss = loss_of(m.matmul(x, w) + b, y)
        loss.backward()
        return loss, w.grad

    return step


def no_grad(peer: str) -> Callable[[], tuple]:
    """The chain on a vector under ``no_grad``: what is left of the tape."""
    m = __import__(peer)
    x, w = m.tensor(np.linspace(0.1, 1.0, 10), requires_grad=True), m.tensor(np.full(10, 1.1))

    def step():
        with m.no_grad():
            y = chain(m, x, w)
        return y.sum(), y

    return step


def plain(peer: str) -> Callable[[], tuple]:
    """The chain on tensors that never required grad."""
    m = __import__(peer)
    x, w = m.tensor(np.linspace(0.1, 1.0, 10)), m.tensor(np.full(10, 1.1))

    def step():
        y = chain(m, x, w)
        return y.sum(), y

    return step


PROBLEMS = {
    "chain of 1000, scalars": (lambda p: tape(p, 0), 2 * LINKS),
    "chain of 1000, (10,)": (lambda p: tape(p, 10), 2 * LINKS),
    "chain under no_grad": (no_grad, 2 * LINKS),
    "chain without requires_grad": (plain, 2 * LINKS),
    "tutorial": (tutorial, 1),
}


def main(peer: str, problem: str) -> None:
    """Time the problem and print the median microseconds per operation."""
    if peer == "torch":
        import torch

        torch.set_num_threads(1)
        torch.set_default_dtype(torch.float64)
    make, operations = PROBLEMS[problem]
    step = make(peer)
    value, gradient = step()
    start = time.perf_counter()
    step()
    rounds = max(1, int(0.1 / (time.perf_counter() - start)))
    times = []
    for _ in range(9):
        start = time.perf_counter()
        for _ in range(rounds):
            step()
        times.append((time.perf_counter() - start) / rounds)
    detach = getattr(gradient, "detach", lambda: gradient)
    found = np.asarray(detach())
    print(
        json.dumps(
            {
                "us": statistics.median(times) / operations * 1e6,
                "value": float(getattr(value, "detach", lambda: value)()),
                "norm": float(np.linalg.norm(found)),
            }
        )
    )


if __name__ == "__main__":
    main(*sys.argv[1:])
