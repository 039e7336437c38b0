"""Operations outside machine code, in chunks: eager mode's numbers, and the same bytes for any number of threads."""

from __future__ import annotations

import os
import threading

import numpy as np
import pytest

import symgrad as sg
from symgrad.compiler.backends import shared
from symgrad.ops.linalg.norms import Norm
from symgrad.ops.linalg.solving import Inverse
from symgrad.ops.reductions.scan import Cumsum
from symgrad.support import threads

RNG = np.random.default_rng(0)
STACK = RNG.normal(size=(40, 4, 4)) + 4 * np.eye(4)
LARGER = RNG.normal(size=(40, 12, 12))
ROWS, VECTOR = RNG.normal(size=(30, 50)), RNG.normal(size=30)
AT = RNG.integers(0, 30, size=(2000, 2))
PROGRAMS = {
    "inverses": (lambda a: (sg.linalg.inv(a) ** 2).sum(), STACK),
    "equations": (lambda a: (sg.linalg.solve(a, a[:, :, :2] * 2) ** 2).sum(), STACK),
    "factors": (lambda a: sg.linalg.cholesky(a @ a.mT).sum(), STACK),
    "eigenvalues": (lambda a: sg.linalg.eigvalsh(a @ a.mT).sum(), STACK),
    "products": (lambda a: (a @ a).tanh().sum(), LARGER),
    "a batch": (lambda a: sg.vmap(lambda m: sg.linalg.inv(m).sum())(a).sum(), STACK),
    "entries": (lambda x: (x[AT[:, 0]] * x[AT[:, 1]]).sum(), VECTOR),
    "rows": (lambda x: (x[AT[:, 0]] * x[AT[:, 1]]).sum(), ROWS),
    "columns": (lambda x: (x[:, AT[:, 0]] ** 3).sum(), ROWS),
    "a grid": (lambda x: (x[AT[:, :1], AT[:9, 0]] ** 2).sum(), ROWS),
    "sorted rows": (lambda x: (sg.sort(x, 1).values * np.arange(50)).sum(), ROWS),
    "running sums": (lambda x: (sg.cumsum(x, 0) ** 2).sum(), ROWS),
}


# What machine code computes in loops of its own.
IN_LOOPS = {
    "inverses",
    "equations",
    "factors",
    "products",
    "a batch",
    "entries",
    "rows",
    "columns",
    "a grid",
    "running sums",
}


@pytest.fixture
def forced(monkeypatch):
    """Cut whatever can be, and note into how many chunks."""
    monkeypatch.setattr(shared, "LEAST", 1)
    monkeypatch.setattr(shared, "GRAIN", 1)
    counts = []
    real = threads.share
    monkeypatch.setattr(threads, "share", lambda run, count: counts.append(count) or real(run, count))
    before = sg.get_num_threads()
    yield counts
    sg.set_num_threads(before)


@pytest.mark.parametrize("backend", ["numpy", "llvm"])
@pytest.mark.parametrize("name", PROGRAMS)
def test_the_bytes_do_not_depend_on_the_number_of_threads(name, backend, forced):
    if backend == "llvm":
        pytest.importorskip("llvmlite")
    f, x = PROGRAMS[name]
    kernel = sg.compile(sg.value_and_grad(f), backend=backend)
    found = {}
    for number in (1, 2, 7):
        sg.set_num_threads(number)
        value, slope = kernel(x)
        found[number] = value, slope.tobytes()
    assert found[1] == found[2] == found[7]
    if backend != "llvm" or name not in IN_LOOPS:
        assert max(forced) > 1
    expected = sg.value_and_grad(f)(x)
    np.testing.assert_allclose(value, expected[0], rtol=1e-10)
    np.testing.assert_allclose(slope, expected[1], rtol=1e-8, atol=1e-8)


@pytest.mark.parametrize("name", ["a sum", "rows", "float32", "a column's maximum"])
def test_blocks_of_numpy_calls_are_shared(name, forced):
    f = {
        "a sum": lambda x: (sg.exp(sg.tanh(x)) * x**2).sum(),
        "rows": lambda x: (sg.softmax(x, 1) ** 2).sum(),
        "float32": lambda x: (sg.exp(x.to(sg.float32)) ** 2).sum().to(sg.float64),
        "a column's maximum": lambda x: (sg.amax(x * sg.sigmoid(x), 0) ** 2).sum(),
    }[name]
    x = np.random.default_rng(0).normal(size=(9000, 3))
    kernel = sg.compile(sg.value_and_grad(f), backend="numpy")
    found = {}
    for number in (1, 2, 5):
        sg.set_num_threads(number)
        value, slope = kernel(x)
        found[number] = value, slope.tobytes()
    assert found[1] == found[2] == found[5]
    assert "share(" in kernel.source
    assert max(forced) > 1
    expected = sg.value_and_grad(f)(x)
    np.testing.assert_allclose(value, expected[0], rtol=1e-6)
    np.testing.assert_allclose(slope, expected[1], rtol=1e-6, atol=1e-9)


def test_what_blas_shares_and_what_is_small_stays_in_one_piece():
    write = lambda *arrays: None
    inverse, large = Inverse(), (1000, 100, 100)
    assert shared.in_chunks(inverse, write, [large], large) is write  # n³ is more than BLAS computes on one thread
    assert shared.in_chunks(inverse, write, [(10, 8, 8)], (10, 8, 8)) is write
    assert shared.in_chunks(inverse, write, [(10_000, 8, 8)], (10_000, 8, 8)) is not write


def test_rows_that_are_added_up_are_cut_where_they_are_many():
    write, rows = lambda *arrays: None, Norm(2.0, (1,))
    assert shared.in_chunks(rows, write, [(1000, 1000)], (1000,)) is write
    assert shared.in_chunks(rows, write, [(4000, 1000)], (4000,)) is not write


def test_running_sums_are_cut_but_for_those_along_rows_of_memory():
    write, wide = lambda *arrays: None, (1000, 10_000)
    assert shared.in_chunks(Cumsum(0), write, [wide], wide) is not write
    assert shared.in_chunks(Cumsum(1), write, [wide], wide) is write


# ------------------------------------------------------------------ the threads
@pytest.fixture
def three():
    before = sg.get_num_threads()
    sg.set_num_threads(3)
    yield
    sg.set_num_threads(before)


def test_calls_are_shared_once_each_and_calls_within_them_run_alone(three):
    done = []
    threads.share(lambda k: threads.share(lambda m: done.append((k, m)), 3), 20)
    assert sorted(done) == [(k, m) for k in range(20) for m in range(3)]


def test_an_error_ends_the_job_and_leaves_the_threads_free(three):
    meeting = threading.Barrier(3, timeout=20)

    def run(k):
        if k < 3:
            meeting.wait()  # on three threads at once
        if k == 1:
            raise KeyboardInterrupt
        assert k < 1000

    with pytest.raises(KeyboardInterrupt):
        threads.share(run, 1001)
    done = []
    threads.share(done.append, 5)
    assert sorted(done) == [0, 1, 2, 3, 4]


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork on this system")
def test_a_forked_child_has_threads_of_its_own(three):
    threads.share(lambda k: None, 4)
    read, write = os.pipe()
    child = os.fork()
    if child == 0:
        done = []
        threads.share(done.append, 6)
        os.write(write, b"right" if sorted(done) == list(range(6)) else b"wrong")
        os._exit(0)
    os.waitpid(child, 0)
    assert os.read(read, 5) == b"right"
