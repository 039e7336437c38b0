"""Recording and the backward pass in eager mode, beside PyTorch and HIPS autograd: ``python benchmarks/eager.py``.

Each library runs in its own process on one thread; rounds are interleaved, and the median counts.
"""

from __future__ import annotations

import importlib.util
import json
import os
import statistics
import subprocess
import sys
from pathlib import Path

from worker import PROBLEMS

ROUNDS = 3
ONE_THREAD = {name: "1" for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")}
PEERS = [p for p in ("torch", "autograd") if importlib.util.find_spec(p)]
TORCH_ONLY = {"tutorial", "chain under no_grad", "chain without requires_grad"}
Runs = dict[str, list[dict[str, float]]]


def measure(peer: str, problem: str) -> dict[str, float]:
    """Run one worker."""
    command = [sys.executable, str(Path(__file__).with_name("worker.py")), peer, problem]
    done = subprocess.run(command, env={**os.environ, **ONE_THREAD}, capture_output=True, text=True, check=True)
    return json.loads(done.stdout)


def runs_of(problem: str) -> Runs:
    """Measure a problem with each library in turns."""
    peers = [p for p in PEERS if p == "torch" or problem not in TORCH_ONLY]
    runs: Runs = {p: [] for p in ["symgrad", *peers]}
    for _ in range(ROUNDS):
        for peer, found in runs.items():
            found.append(measure(peer, problem))
    return runs


def time_of(runs: list[dict[str, float]]) -> float:
    """The median of the microseconds."""
    return statistics.median(run["us"] for run in runs)


def main() -> None:
    """Print a row for each problem."""
    print("| program | symgrad, µs | PyTorch, µs | ratio | autograd, µs | ratio |\n|---|---:|---:|---:|---:|---:|")
    for problem in PROBLEMS:
        us = {peer: time_of(found) for peer, found in runs_of(problem).items()}
        cells = [problem, f"{us['symgrad']:.2f}"]
        for peer in ("torch", "autograd"):
            there = peer in us
            cells += [f"{us[peer]:.2f}" if there else "–", f"{us[peer] / us['symgrad']:.1f}" if there else "–"]
        print(f"| {' | '.join(cells)} |", flush=True)


if __name__ == "__main__":
    main()
