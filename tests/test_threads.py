"""Kernels in chunks that threads share: the same numbers as one loop, and the same bytes for any number of threads."""

from __future__ import annotations

import os
import subprocess
import sys
import threading

import numpy as np
import pytest
from checks import close, number, weighed
from test_compile import agree, point

import symgrad as sg
from symgrad import errors
from symgrad.compiler.backends.backend import Unsuitable
from symgrad.compiler.backends.llvm import chunks, native, pool
from symgrad.support import threads

from cases import ROWS

pytest.importorskip("llvmlite")
pytestmark = pytest.mark.skipif(not pool.available(), reason="no threads on this system")

X = np.random.default_rng(0).normal(size=200_000)
SQUARE = X.reshape(400, 500)
PROGRAMS = {
    "a sum": lambda x: (sg.exp(sg.tanh(x)) * sg.log1p(x**2)).sum(),
    "an angle that is large": lambda x: (sg.sin(x * 1e9) * sg.cos(x)).sum(),
    "maximum and sum": lambda x: sg.nn.functional.softplus(x).amax() * (x * sg.sigmoid(x)).sum(),
    "rows": lambda x: (sg.softmax(x.reshape(400, 500), 1) ** 2).sum(),
    "columns": lambda x: (sg.logsumexp(x.reshape(400, 500) * 2, 0) ** 2).sum(),
    "long rows added up": lambda x: (
        (sg.exp(x.reshape(40, 5000)).sum(0) ** 2).sum() + x.reshape(2, 100_000).amax(0).sum()
    ),
    "float32": lambda x: (sg.exp(sg.tanh(x.to(sg.float32))) ** 2).sum().to(sg.float64),
}


@pytest.fixture(autouse=True)
def _as_before():
    before = sg.get_num_threads()
    yield
    sg.set_num_threads(before)


@pytest.fixture
def forced(monkeypatch):
    """Every nest that can be is cut, into chunks of one step of a loop."""
    for name, value in (("_LEAST", 1), ("_GRAIN", 1), ("_ALIGNED", 1), ("_RUN", 1), ("_STACK", 1 << 20)):
        monkeypatch.setattr(chunks, name, value)
    monkeypatch.setattr(native, "_straight", lambda *given: None)
    cut = []
    split = chunks._split
    monkeypatch.setattr(chunks, "_split", lambda *given: cut.append(split(*given)) or cut[-1])
    return cut


@pytest.mark.parametrize("name", PROGRAMS)
def test_the_bytes_do_not_depend_on_the_number_of_threads(name):
    f = sg.compile(sg.value_and_grad(PROGRAMS[name]), backend="llvm")
    expected = sg.value_and_grad(PROGRAMS[name])(X)
    found = set()
    for n in (1, 2, 5):
        sg.set_num_threads(n)
        value, slope = f(X)
        found.add((value, slope.tobytes()))
    close(value, expected[0], 1e-6 if name == "float32" else 1e-12)
    close(slope, expected[1], 1e-5 if name == "float32" else 1e-9)
    assert len(found) == 1


def test_large_nests_are_cut_and_small_ones_are_not():
    source = lambda n: sg.compile(sg.grad(PROGRAMS["a sum"]), backend="llvm").lower(np.ones(n)).source
    assert ".chunk(" in source(100_000)
    assert ".chunk(" not in source(1000)


@pytest.mark.parametrize("row", [r for k, r in enumerate(ROWS) if k % 12 == 5], ids=lambda r: r.name)
def test_rows_in_chunks_agree_with_eager(row, forced):
    sg.set_num_threads(3)
    case = row.cases[0]
    points = [point(x) for x in case.points]
    both = number(case) if row.discrete else sg.value_and_grad(weighed(case), tuple(range(len(points))))
    try:
        found = sg.compile(both, backend="llvm")(*points)
    except Unsuitable as reason:
        pytest.skip(str(reason))
    agree(found, number(case)(*map(sg.tensor, points)).numpy() if row.discrete else both(*points))


def test_most_nests_can_be_cut(forced):
    for f in PROGRAMS.values():
        sg.compile(sg.value_and_grad(f), backend="llvm")(X[:2000].repeat(100))
    assert sum(c is not None for c in forced) > 0.7 * len(forced)


def test_a_sum_of_many_entries_is_cut_along_them(forced, monkeypatch):
    monkeypatch.setattr(chunks, "_STACK", 0)
    x = np.random.default_rng(1).normal(size=(3, 4, 5))
    sums = [lambda x: (sg.exp(x).sum(0) ** 2).sum(), lambda x: sg.tanh(x).amax((0, 2)).sum(), lambda x: x.prod(1).sum()]
    sums += [lambda x: sg.sin(x).sum(0).prod(), lambda x: (sg.exp(x) * x.sum(0)).sum(1).prod()]
    for f in sums:
        sg.set_num_threads(3)
        agree(sg.compile(sg.value_and_grad(f), backend="llvm")(x), sg.value_and_grad(f)(x))
    assert any(c is not None and c.axis > 0 for c in forced)


def test_callers_at_once_share_the_pool_and_wait_for_nobody():
    sg.set_num_threads(4)
    f = sg.compile(sg.value_and_grad(PROGRAMS["a sum"]), backend="llvm")
    expected = f(X)
    wrong = []

    def call():
        for _ in range(30):
            value, slope = f(X)
            if value != expected[0] or not np.array_equal(slope, expected[1]):
                wrong.append(value)

    callers = [threading.Thread(target=call) for _ in range(4)]
    for c in callers:
        c.start()
    for c in callers:
        c.join()
    assert not wrong


def test_the_number_of_threads_may_change_at_any_time():
    f = sg.compile(sg.value_and_grad(PROGRAMS["a sum"]), backend="llvm")
    expected = f(X)[0]
    for n in (3, 1, 6, 2, 1, 4) * 5:
        sg.set_num_threads(n)
        assert f(X)[0] == expected
    assert sum(t.name == "symgrad" for t in threading.enumerate()) <= 5


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork on this system")
def test_a_forked_child_computes_alone():
    text = """
import os, numpy as np, symgrad as sg
sg.set_num_threads(3)
f = sg.compile(sg.value_and_grad(lambda x: (sg.exp(sg.tanh(x)) * sg.log1p(x**2)).sum()), backend="llvm")
x = np.linspace(0, 1, 200_000)
before = f(x)[0]
child = os.fork()
if not child:
    os._exit(0 if f(x)[0] == before and f(x)[0] == before else 1)
assert os.waitpid(child, 0)[1] == 0
assert f(x)[0] == before
print("done")
"""
    run = subprocess.run([sys.executable, "-W", "ignore", "-c", text], capture_output=True, text=True, check=False)
    assert run.stdout == "done\n", run.stderr


@pytest.mark.parametrize(("set_", "expected"), [
    ({"SYMGRAD_NUM_THREADS": "3", "OMP_NUM_THREADS": "1"}, 3),
    ({"OMP_NUM_THREADS": "2,1"}, 2),
    ({"SYMGRAD_NUM_THREADS": "0", "OMP_NUM_THREADS": "5"}, 5),
    ({"SYMGRAD_NUM_THREADS": "many", "OMP_NUM_THREADS": "4"}, 4),
])  # fmt: skip
def test_the_environment_sets_the_number(set_, expected, monkeypatch):
    for name in ("SYMGRAD_NUM_THREADS", "OMP_NUM_THREADS"):
        monkeypatch.delenv(name, raising=False)
    for name, text in set_.items():
        monkeypatch.setenv(name, text)
    assert threads._default() == expected


@pytest.mark.parametrize("bad", [0, -1, 1025, True, 2.0, "2", None])
def test_numbers_of_threads_that_are_none(bad):
    before = sg.get_num_threads()
    with pytest.raises((errors.ArgumentError, errors.ArgumentTypeError), match="set_num_threads"):
        sg.set_num_threads(bad)
    assert sg.get_num_threads() == before
