"""Tiers: NumPy answers until machine code is ready, and both give the same."""

import threading

import numpy as np
import pytest

import symgrad as sg
from symgrad.compiler import tiers
from symgrad.support.extras import is_installed


@pytest.mark.skipif(not is_installed("llvm"), reason="LLVM is not installed")
def test_a_kernel_that_is_called_much_becomes_machine_code(monkeypatch):
    monkeypatch.setattr(tiers, "HOT", -0.5)
    function, x = tiers.Tiered(lambda x: sg.sin(x) * x), np.arange(3.0)
    before = function(x)
    first = function.kernel
    for thread in threading.enumerate():
        if thread.daemon and thread is not threading.current_thread() and "_compile" in thread.name:
            thread.join()
    assert first.stats.backend == "numpy"
    assert function.kernel.stats.backend == "llvm"
    np.testing.assert_allclose(function(x), before)


def test_a_kernel_that_is_called_little_stays_with_numpy():
    function = tiers.Tiered(lambda x: x + 1)
    for _ in range(3):
        np.testing.assert_allclose(function(np.ones(2)), 2.0)
    assert function.kernel.stats.backend in ("numpy", "python")
    assert tiers.Tiered(lambda x: x + 1, "python")(1.0) == 2.0
