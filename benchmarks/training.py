"""Seconds of a training step of small networks, eager and compiled, beside PyTorch's eager step, on one thread.

Run: OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 python benchmarks/training.py [network]. Models, weights, data and
optimiser (gradient descent) are the same; a compiled step is one program of the parameters and the batch. Every figure
is the least of many steps.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from typing import Any

import numpy as np

import symgrad as sg

RATE, SECONDS = 1e-3, 2.0


def readout(T: Any, network: Any, size: int) -> Any:
    """The module that reads ten scores off the last step of a network of sequences."""

    class Read(T.nn.Module):  # type: ignore[misc]
        def __init__(self) -> None:
            super().__init__()
            self.network, self.head = network, T.nn.Linear(size, 10)

        def forward(self, x: Any) -> Any:
            y = self.network(x)
            return self.head((y[0] if isinstance(y, tuple) else y)[:, -1])

    return Read()


def perceptron(T: Any) -> Any:
    """Two hidden layers."""
    return T.nn.Sequential(T.nn.Linear(64, 128), T.nn.ReLU(), T.nn.Linear(128, 64), T.nn.ReLU(), T.nn.Linear(64, 10))


def windows(T: Any) -> Any:
    """Two layers of windows on small images."""
    return T.nn.Sequential(
        T.nn.Conv2d(1, 8, 3, padding=1), T.nn.ReLU(), T.nn.MaxPool2d(2), T.nn.Conv2d(8, 16, 3, padding=1), T.nn.ReLU(),
        T.nn.MaxPool2d(2), T.nn.Flatten(), T.nn.Linear(64, 10),
    )  # fmt: skip


def recurrent(T: Any) -> Any:
    """A GRU."""
    return readout(T, T.nn.GRU(8, 32, batch_first=True), 32)


def transformer(T: Any) -> Any:
    """A layer of attention."""
    return readout(T, T.nn.TransformerEncoderLayer(32, 4, 64, dropout=0.0, batch_first=True), 32)


NETWORKS: dict[str, tuple[Callable[[Any], Any], tuple[int, ...]]] = {
    "perceptron": (perceptron, (64, 64)), "windows": (windows, (32, 1, 8, 8)), "GRU": (recurrent, (16, 12, 8)),
    "transformer": (transformer, (16, 12, 32)),
}  # fmt: skip


def least(step: Callable[[], Any]) -> float:
    """The least time of a step, of as many as fit into SECONDS."""
    step()
    best, end = float("inf"), time.perf_counter() + SECONDS
    while time.perf_counter() < end:
        start = time.perf_counter()
        step()
        best = min(best, time.perf_counter() - start)
    return best


def eager(T: Any, model: Any, x: np.ndarray[Any, Any], labels: np.ndarray[Any, Any]) -> Callable[[], Any]:
    """A step as one writes it."""
    optimizer, loss_of = T.optim.SGD(model.parameters(), lr=RATE), T.nn.CrossEntropyLoss()
    inputs, targets = T.tensor(x), T.tensor(labels)

    def step() -> float:
        optimizer.zero_grad()
        loss = loss_of(model(inputs), targets)
        loss.backward()
        optimizer.step()
        return float(loss.item())

    return step


def compiled(model: Any, x: np.ndarray[Any, Any], labels: np.ndarray[Any, Any]) -> tuple[Callable[[], Any], float]:
    """A step as one program, and the seconds until it is there."""

    def loss_of(p: Any, x: Any, labels: Any) -> Any:
        return sg.nn.functional.cross_entropy(sg.func.functional_call(model, p, x), labels)

    def step(p: Any, x: Any, labels: Any) -> Any:
        loss, slopes = sg.value_and_grad(loss_of)(p, x, labels)
        return loss, {k: p[k] - RATE * slopes[k] for k in p}

    state = {k: p.detach().numpy().copy() for k, p in model.named_parameters()}
    program = sg.compile(step)
    start = time.perf_counter()
    program(state, x, labels)
    took = time.perf_counter() - start

    def call() -> float:
        nonlocal state
        loss, state = program(state, x, labels)
        return float(loss)

    return call, took


def main() -> None:
    """Print the table."""
    import torch  # a peer, which need not be there

    torch.set_num_threads(1)
    torch.set_default_dtype(torch.float64)
    print("| step | PyTorch ms | eager ms | compiled ms | compiled of PyTorch | compiling s |")
    print("|---|---:|---:|---:|---:|---:|")
    for name in sys.argv[1:] or NETWORKS:
        make, shape = NETWORKS[name]
        rng = np.random.default_rng(0)
        x, labels = rng.normal(size=shape), rng.integers(10, size=shape[0])
        theirs, ours = make(torch), make(sg)
        theirs.load_state_dict({k: torch.tensor(v.numpy()) for k, v in ours.state_dict().items()})
        call, took = compiled(ours, x, labels)
        steps = [eager(torch, theirs, x, labels), eager(sg, ours, x, labels), call]
        first = [step() for step in steps[:2]]
        assert abs(first[0] - first[1]) < 1e-9
        a, b, c = (1e3 * least(step) for step in steps)
        print(f"| {name} | {a:.3f} | {b:.3f} | {c:.3f} | {c / a:.2f} | {took:.1f} |")


if __name__ == "__main__":
    main()
