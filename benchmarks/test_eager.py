"""Eager speed as ratios against named peers: run by hand with ``pytest benchmarks -s``, never in CI.

Each peer runs in its own process on one thread; repeats are interleaved; values are compared before times.
The bounds are loose ones that catch a lost fast path; the measured table is in docs/performance.md.
"""

from __future__ import annotations

import importlib.util
import json
import os
import statistics
import subprocess
import sys
from pathlib import Path

import pytest
from worker import PROBLEMS

ROUNDS = 3
ONE_THREAD = {name: "1" for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")}
PEERS = [p for p in ("torch", "autograd") if importlib.util.find_spec(p)]
TORCH_ONLY = {"tutorial", "chain under no_grad", "chain without requires_grad"}


def measure(peer: str, problem: str) -> dict[str, float]:
    """Run one worker."""
    worker = Path(__file__).with_name("worker.py")
    done = subprocess.run(
        [sys.executable, str(worker), peer, problem],
        env={**os.environ, **ONE_THREAD},
        capture_output=True,
        text=True,
        check=True,
    )
    return json.loads(done.stdout)


@pytest.mark.parametrize("problem", PROBLEMS)
def test_ratios_of_peer_time_to_symgrad_time(problem: str) -> None:
    peers = [p for p in PEERS if p == "torch" or problem not in TORCH_ONLY]
    runs: dict[str, list[dict[str, float]]] = {p: [] for p in ["symgrad", *peers]}
    for _ in range(ROUNDS):
        for peer, found in runs.items():
            found.append(measure(peer, problem))
    own = runs["symgrad"]
    us = {peer: statistics.median(r["us"] for r in found) for peer, found in runs.items()}
    for peer in peers:
        assert runs[peer][0]["value"] == pytest.approx(own[0]["value"], rel=1e-9)
        assert runs[peer][0]["norm"] == pytest.approx(own[0]["norm"], rel=1e-9)
        ratio = us[peer] / us["symgrad"]
        print(f"\n| {problem} | symgrad {us['symgrad']:.2f} µs | {peer} {us[peer]:.2f} µs | {ratio:.1f}× |")
    assert all(us[peer] / us["symgrad"] > 0.8 for peer in peers), us
