"""Tiers: steps on arrays answer until machine code is ready, and both give the same."""

import threading

import numpy as np
import pytest

import symgrad as sg
from symgrad.compiler import tiers
from symgrad.engine.program import Spec
from symgrad.implicit.programs import traced
from symgrad.support.extras import is_installed


def program(fn, shape):
    """Return a function as a program of one argument."""
    return traced([Spec(shape, np.dtype(float))], lambda x: [fn(x)], "test")


@pytest.mark.skipif(not is_installed("llvm"), reason="LLVM is not installed")
def test_a_kernel_that_is_called_much_becomes_machine_code(monkeypatch):
    monkeypatch.setattr(tiers, "HOT", -0.5)
    function, x = tiers.Tiered(program(lambda x: sg.sin(x) * x, (3,))), np.arange(3.0)
    (before,) = function(x)
    for thread in threading.enumerate():
        if thread.daemon and thread is not threading.current_thread() and "_compile" in thread.name:
            thread.join()
    assert function.kernel.stats.backend == "llvm"
    np.testing.assert_allclose(function(x)[0], before)


def test_a_kernel_that_is_called_little_is_not_compiled():
    function = tiers.Tiered(program(lambda x: x + 1, (2,)))
    for _ in range(3):
        np.testing.assert_allclose(function(np.ones(2)), [[2.0, 2.0]])
    assert function.kernel is None or not is_installed("llvm")
    assert tiers.Tiered(program(lambda x: x + 1, ()), "python")(1.0) == [2.0]


@pytest.mark.skipif(not is_installed("llvm"), reason="LLVM is not installed")
def test_first_results_are_arrays_of_their_own_and_nan_where_a_function_is_not_defined():
    x = np.array([-1.0, 4.0])
    (kept,) = tiers.Tiered(program(lambda x: x[:1], (2,)))(x)
    x[:] = 7.0
    assert kept == [-1.0]
    with np.errstate(all="ignore"):
        assert np.isnan(tiers.Tiered(program(lambda x: sg.sqrt(x), ()))(-1.0)[0])
