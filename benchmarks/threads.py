"""One kernel on one thread and on two, in turns: ``python benchmarks/threads.py``. Let the machine be quiet."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable
from typing import Any

import numpy as np

import symgrad as sg

RNG = np.random.default_rng(0)
AT = RNG.integers(0, 10**6, 10**6)
VECTOR, STACK = RNG.normal(size=10**6), RNG.normal(size=(20_000, 8, 8)) + 8 * np.eye(8)

SQUARE, IMAGES = VECTOR.reshape(1000, 1000), VECTOR[: 2**19].reshape(8, 4, 128, 128)
WINDOW = RNG.normal(size=(8, 4, 3, 3))


def chain(x: Any) -> Any:
    """Three functions of each entry, added up."""
    return (sg.exp(-sg.tanh(x)) * sg.log(1 + x**2)).sum()


PROGRAMS: dict[str, tuple[Callable[[Any], Any], Any, str]] = {
    "exp·tanh·log, 1e5": (chain, VECTOR[: 10**5], "llvm"),
    "exp·tanh·log, 1e6": (chain, VECTOR, "llvm"),
    "exp·tanh·log, 1e7": (chain, np.tile(VECTOR, 10), "llvm"),
    "cubic, 1e5": (lambda x: (x**3 - 2 * x**2 + x).sum(), VECTOR[: 10**5], "llvm"),
    "rational, 1e6": (lambda x: ((x**3 + 2 * x) / (1 + x**2)).sum(), VECTOR, "llvm"),
    "softmax of 1000 rows": (lambda x: (sg.softmax(x, 1) ** 2).sum(), SQUARE, "llvm"),
    "running sums of 1000 rows": (lambda x: (sg.cumsum(x, 1) ** 2).sum(), SQUARE, "llvm"),
    "norms of 1000 rows": (lambda x: (x**2).sum(1).sqrt().sum(), SQUARE, "llvm"),
    "conv2d 3×3, 8 images": (
        lambda x: (sg.conv2d(x, WINDOW) ** 2).sum(),
        VECTOR[: 2**19].reshape(8, 4, 128, 128),
        "llvm",
    ),
    "20,000 inverses 8×8": (lambda a: (sg.linalg.inv(a) ** 2).sum(), STACK, "llvm"),
    "20,000 solves 8×8": (lambda a: (sg.linalg.solve(a, STACK) ** 2).sum(), STACK, "llvm"),
    "20,000 determinants 8×8": (lambda a: sg.linalg.det(a).sum(), STACK, "llvm"),
    "20,000 products 8×8": (lambda a: ((a @ STACK) ** 2).sum(), STACK, "llvm"),
    "1000 rows of 1000 sorted": (lambda x: (x.sort(1)[0] * SQUARE).sum(), SQUARE, "llvm"),
    "1000 columns of 1000 sorted": (lambda x: (x.sort(0)[0] * SQUARE).sum(), SQUARE, "llvm"),
    "1000 rows of 1000, FFT": (lambda x: (sg.abs(sg.fft.fft(x)) ** 2).sum(), SQUARE, "llvm"),
    "lgamma, 1e6": (lambda x: sg.lgamma(2 + x**2).sum(), VECTOR, "llvm"),
    "1e6 entries read from 1e6": (lambda x: (x[AT] ** 2).sum(), VECTOR, "llvm"),
    "1e6 entries read from 1000": (lambda x: (x[AT % 1000] * VECTOR).sum(), VECTOR[:1000], "llvm"),
    "exp·tanh·log, 1e6, backend numpy": (chain, VECTOR, "numpy"),
    "exp·tanh·log, 1e6, backend c": (chain, VECTOR, "c"),
}


def microseconds(f: Callable[[Any], Any], x: Any, backend: str, rounds: int = 15) -> dict[int, float]:
    """The median time of value and gradient, by the number of threads."""
    kernel = sg.compile(sg.value_and_grad(f), backend=backend)
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
    for name, asked in PROGRAMS.items():
        one, two = microseconds(*asked).values()
        print(f"| {name} | {one:.0f} µs | {two:.0f} µs | {one / two:.2f} |")
