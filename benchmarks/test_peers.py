"""Every installed peer computes every reduced problem as hand-written NumPy does: ``pytest benchmarks``."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from measure import arrays
from peers import PEERS, LeftOut, Missing
from problems import REDUCED, Problem


@pytest.mark.parametrize("problem", REDUCED.values(), ids=list(REDUCED))
@pytest.mark.parametrize("peer", [p for p in PEERS if not p.startswith("symgrad")])
def test_a_peer_agrees_with_hand_written_numpy(peer: str, problem: Problem) -> None:
    try:
        start = PEERS[peer](problem)
    except (LeftOut, Missing, ImportError) as e:
        pytest.skip(str(e))
    call, read = start()
    found, expected = arrays(read(call())), arrays(problem.hand(*problem.inputs()))
    assert [a.shape for a in found] == [a.shape for a in expected]
    for a, b in zip(found, expected):
        np.testing.assert_allclose(a, b, rtol=problem.rtol, atol=problem.rtol * np.abs(b).max())


def test_the_table_names_every_peer_or_why_it_is_missing() -> None:
    driver = Path(__file__).with_name("run.py")
    asked = ["--reduced", "--only", "cubic", "--rounds", "1", "--backend", "eager"]
    done = subprocess.run([sys.executable, str(driver), *asked], capture_output=True, text=True, check=True)
    assert all(peer in done.stdout for peer in ("NumPy", "C", "jax.jit", "PyTorch", "autograd", "symgrad eager"))
