"""Special functions of eager mode beside SciPy's on 20,000 numbers: ``python benchmarks/special.py [NAME…]``.

Both run in turns in one process, and the least of the repeats is shown.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from typing import Any

import numpy as np
from scipy import special

import symgrad as sg

COUNT, ROUNDS = 20_000, 60
# ours, SciPy's, and between which numbers
CASES: dict[str, tuple[Callable[..., Any], Callable[..., Any], float, float]] = {
    "erf": (sg.erf, special.erf, -3, 3),
    "erfc": (sg.erfc, special.erfc, -3, 3),
    "erfc, tail": (sg.erfc, special.erfc, 1, 7),
    "erfcx": (sg.special.erfcx, special.erfcx, -3, 3),
    "erfinv": (sg.erfinv, special.erfinv, -0.95, 0.95),
    "ndtr": (sg.special.ndtr, special.ndtr, -3, 3),
    "ndtr, tail": (sg.special.ndtr, special.ndtr, -7, -1),
    "log_ndtr": (sg.special.log_ndtr, special.log_ndtr, -3, 3),
    "log_ndtr, tail": (sg.special.log_ndtr, special.log_ndtr, -7, -1),
    "ndtri": (sg.special.ndtri, special.ndtri, 0.02, 0.98),
    "lgamma": (sg.lgamma, special.gammaln, 0.1, 8),
    "lgamma below 0": (sg.lgamma, special.gammaln, -6, 6),
    "digamma": (sg.digamma, special.psi, 0.1, 8),
    "polygamma 1": (lambda x: sg.polygamma(1, x), lambda x: special.polygamma(1, x), 0.1, 8),
    "i0": (sg.i0, special.i0, -3, 3),
    "i1e": (sg.special.i1e, special.i1e, -3, 3),
    "gelu": (sg.nn.functional.gelu, lambda x: x * special.ndtr(x), -3, 3),
}


def seconds(name: str) -> tuple[float, float]:
    """The least time of a call, ours and SciPy's."""
    ours, theirs, low, high = CASES[name]
    numbers = np.random.default_rng(0).uniform(low, high, COUNT)
    tensor = sg.tensor(numbers)
    return tuple(map(min, zip(*[(_once(ours, tensor), _once(theirs, numbers)) for _ in range(ROUNDS)], strict=True)))  # type: ignore[return-value]


def _once(f: Callable[[Any], Any], x: Any) -> float:
    start = time.perf_counter()
    f(x)
    return time.perf_counter() - start


if __name__ == "__main__":
    print("| function | from | to | symgrad | SciPy | ratio |\n|---|---|---|---:|---:|---:|")
    for case in sys.argv[1:] or CASES:
        own, peer = seconds(case)
        low, high = CASES[case][2:]
        print(f"| {case} | {low:g} | {high:g} | {own * 1e6:.0f} µs | {peer * 1e6:.0f} µs | {own / peer:.2f} |")
