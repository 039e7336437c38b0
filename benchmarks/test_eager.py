"""Eager speed as ratios against named peers: run by hand with ``pytest benchmarks -s``, never in CI.

Each peer runs in its own process on one thread; repeats are interleaved; values are compared before times.
The bounds are loose ones that catch a lost fast path; the measured table is in docs/performance.md.
"""

from __future__ import annotations

import pytest
from eager import runs_of, time_of
from worker import PROBLEMS


@pytest.mark.parametrize("problem", PROBLEMS)
def test_ratios_of_peer_time_to_symgrad_time(problem: str) -> None:
    runs = runs_of(problem)
    us = {peer: time_of(found) for peer, found in runs.items()}
    for peer, found in runs.items():
        assert found[0]["value"] == pytest.approx(runs["symgrad"][0]["value"], rel=1e-9)
        assert found[0]["norm"] == pytest.approx(runs["symgrad"][0]["norm"], rel=1e-9)
        print(f"\n| {problem} | {peer} {us[peer]:.2f} µs | {us[peer] / us['symgrad']:.1f}× |")
    assert all(us[peer] / us["symgrad"] > 0.8 for peer in us), us
