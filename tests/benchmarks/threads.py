"""One kernel on one thread and on two, in turns: ``python tests/benchmarks/threads.py``. Let the machine be quiet."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable
from typing import Any

import numpy as np

import symgrad as sg

PROGRAMS: dict[str, tuple[Callable[[Any], Any], int]] = {
    "exp·tanh·log, 1e5": (lambda x: (sg.exp(-sg.tanh(x)) * sg.log(1 + x**2)).sum(), 10**5),
    "exp·tanh·log, 1e6": (lambda x: (sg.exp(-sg.tanh(x)) * sg.log(1 + x**2)).sum(), 10**6),
    "cubic, 1e5": (lambda x: (x**3 - 2 * x**2 + x).sum(), 10**5),
    "rational, 1e6": (lambda x: ((x**3 + 2 * x) / (1 + x**2)).sum(), 10**6),
}


def microseconds(f: Callable[[Any], Any], x: Any, rounds: int = 15) -> dict[int, float]:
    """The median time of value and gradient, by the number of threads."""
    kernel = sg.compile(sg.value_and_grad(f))
    found: dict[int, list[float]] = {1: [], 2: []}
    for _ in range(rounds):
        for number, times in found.items():
            sg.set_num_threads(number)
            kernel(x)
            start = time.perf_counter()
            for _ in range(5):
                kernel(x)
            times.append((time.perf_counter() - start) / 5e-6)
    return {number: statistics.median(times) for number, times in found.items()}


if __name__ == "__main__":
    print("| program | 1 thread | 2 threads | ratio |\n|---|---:|---:|---:|")
    for name, (program, size) in PROGRAMS.items():
        one, two = microseconds(program, np.random.default_rng(0).normal(size=size)).values()
        print(f"| {name} | {one:.0f} µs | {two:.0f} µs | {one / two:.2f} |")
