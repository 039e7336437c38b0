"""Memory of the backend numpy: arrays lie where a later result will, and are freed once they have been read."""

from __future__ import annotations

import tracemalloc

import numpy as np
import pytest

import symgrad as sg
from symgrad.compiler.backends import numpy as backend

RNG = np.random.default_rng(8)
X = RNG.normal(size=(30, 8))
PROGRAMS = {
    "softmax": lambda x: (sg.softmax(x, 1) ** 2).sum(),
    "running sums": lambda x: (sg.cumsum(sg.exp(x), 0) * sg.softmax(x, 0)).sum(),
    "views": lambda x: (sg.softmax(x.T, 1).T * x.flip(0) * sg.softmax(x, 1)).sum(),
    "sorted": lambda x: (sg.sort(x * x, 0)[0] * x).sum(),
    "products": lambda x: sg.tanh(sg.softmax(x @ x.T, 1) @ x).sum(),
}


@pytest.fixture
def one_thread():
    before = sg.get_num_threads()
    sg.set_num_threads(1)
    yield
    sg.set_num_threads(before)


@pytest.mark.parametrize("name", PROGRAMS)
def test_results_lend_their_memory_to_what_comes_before(name, monkeypatch):
    f = sg.value_and_grad(PROGRAMS[name])
    expected = sg.compile(f, backend="numpy")(X)
    monkeypatch.setattr(backend, "_LARGE", 0)
    compiled = sg.compile(f, backend="numpy")
    first, again = compiled(X), compiled(X + 1)
    for a, b in zip(first, expected, strict=True):  # which the second call does not write to
        np.testing.assert_array_equal(a, b)
    assert not np.shares_memory(first[1], again[1])
    np.testing.assert_array_equal(compiled(X)[1], expected[1])


@pytest.mark.usefixtures("one_thread")  # each has a block of rows
def test_softmax_works_in_one_array_beside_its_own_value_and_the_gradient():
    x = RNG.normal(size=(400, 1000))
    compiled = sg.compile(sg.value_and_grad(PROGRAMS["softmax"]), backend="numpy")
    assert compiled.lower(x).stats.bytes < 1.2 * x.nbytes
    tracemalloc.start()
    compiled(x)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 3.3 * x.nbytes
