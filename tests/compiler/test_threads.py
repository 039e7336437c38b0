"""Kernels in chunks that threads share: the same numbers as one loop, and the same bytes for any number of threads."""

from __future__ import annotations

import ctypes
import os
import re
import subprocess
import sys
import threading
import time
from contextlib import suppress

import numpy as np
import pytest
from checks import close, number, weighed
from test_compile import agree, point

import symgrad as sg
from symgrad import errors
from symgrad.compiler.backends import shared
from symgrad.compiler.backends.backend import Unsuitable
from symgrad.compiler.backends.llvm import chunks, native, pool
from symgrad.compiler.backends.llvm.memory import Buffer
from symgrad.compiler.backends.llvm.routines import shared as routines
from symgrad.compiler.backends.llvm.steps import Nest
from symgrad.compiler.primitives.views import View
from symgrad.support import threads

from cases import ROWS

pytest.importorskip("llvmlite")
pytestmark = pytest.mark.skipif(not pool.available(), reason="no threads on this system")

X = np.random.default_rng(0).normal(size=200_000)
SQUARE = X.reshape(400, 500)
PROGRAMS = {
    "a sum": lambda x: (sg.exp(sg.tanh(x)) * sg.log1p(x**2)).sum(),
    "an angle that is large": lambda x: (sg.sin(x * 1e9) * sg.cos(x)).sum(),
    "rows of angles that are large": lambda x: (sg.sin(x.reshape(400, 500) * 1e9).sum(1) ** 2).sum(),
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


AT = np.random.default_rng(1).integers(0, X.size, X.size)
CALLS = {
    "columns sorted": lambda x, i: x.reshape(400, 500).sort(0)[0],
    "rows taken from in their order": lambda x, i: x.reshape(400, 500).sort(1)[0],
    "entries read at an argument": lambda x, i: x[i] * 2,
    "columns read at an argument": lambda x, i: x.reshape(400, 500)[:, i[:600] % 500],
    "a function of two arguments, of which one is repeated": lambda x, i: sg.special.gammainc(
        x[:500] ** 2 + 1, x.reshape(400, 500) ** 2
    ),
    "integers": lambda x, i: i * i + 3,
    "a sum of integers": lambda x, i: (i * i).sum(),
    "the largest integer, by columns": lambda x, i: (i.reshape(2, 100_000) - 7).amax((0, 1)),
    "whether any is": lambda x, i: (x > 3).any(),
    "a Fourier transform of rows": lambda x, i: sg.abs(sg.fft.fft(x.reshape(400, 500))),
    "of columns": lambda x, i: sg.abs(sg.fft.rfft(x.reshape(400, 500), dim=0)),
    "a function without machine code": lambda x, i: sg.special.j0(x),
}


def test_what_several_chunks_add_to_the_same_entries_is_added_once(forced):
    rows, few = X.reshape(40, 5000), AT[:5000] % 31

    def f(x, i):
        at = x.reshape(40, 5000)
        return (
            sg.zeros(31).index_add(0, i % 31, x),
            sg.zeros(31).index_add(0, AT % 31, x),
            sg.zeros(40, 31).index_add(1, few, at),
            sg.zeros(31, 40).index_add(0, few, at.mT),
            sg.zeros(3, 5000).index_add(0, AT[:40] % 3, at),
        )

    expected = [np.zeros(31), np.zeros(31), np.zeros((40, 31)), np.zeros((31, 40)), np.zeros((3, 5000))]
    for k in (0, 1):
        np.add.at(expected[k], AT % 31, X)
    np.add.at(expected[2].T, few, rows.T)
    np.add.at(expected[3], few, rows.T)
    np.add.at(expected[4], AT[:40] % 3, rows)
    compiled = sg.compile(f, backend="llvm")
    for n in (1, 3, 3, 3):
        sg.set_num_threads(n)
        for y, e in zip(compiled(X, AT), expected, strict=True):
            np.testing.assert_allclose(y, e, rtol=1e-12, atol=1e-11)
    assert any(c is not None and c.nest.onto is not None for c in forced)


WHOLE = (  # not by each backend: integers are a nest of machine code, which has chunks of its own
    "columns read at an argument", "a function of two arguments, of which one is repeated", "integers",
)  # fmt: skip


@pytest.fixture
def low(monkeypatch):
    """Calls of NumPy and routines are shared from as many operations on as a chunk has; what was shared."""
    monkeypatch.setattr(shared, "LEAST", 1 << 15)
    monkeypatch.setattr(shared, "GRAIN", 1 << 15)
    made = []
    share = threads.share
    monkeypatch.setattr(threads, "share", lambda run, count: made.append(count) or share(run, count))
    monkeypatch.setattr(routines, "_LEAST", 1 << 15)
    cut = routines.chunks_of

    def seen(step):
        chunks = cut(step)
        made.extend([] if chunks is None else [chunks.count])
        return chunks

    monkeypatch.setattr(routines, "chunks_of", seen)
    return made


@pytest.mark.parametrize("backend", ["llvm", "numpy"])
@pytest.mark.parametrize("name", CALLS)
def test_shared_calls_give_the_bytes_of_one_thread(name, backend, low):
    f = sg.compile(CALLS[name], backend=backend)
    found = set()
    for n in (1, 2, 64):
        sg.set_num_threads(n)
        y = np.asarray(f(X, AT))
        found.add(y.tobytes())
    expected = CALLS[name](sg.tensor(X), sg.tensor(AT)).numpy()
    close(y, expected, 1e-12) if y.dtype.kind == "f" else np.testing.assert_array_equal(y, expected)
    assert (y.dtype, y.shape, len(found)) == (expected.dtype, expected.shape, 1)
    assert name in WHOLE or max(low) > 1


def test_an_error_in_a_chunk_reaches_the_caller_and_the_next_call_is_right(low):
    f, wrong = sg.compile(CALLS["entries read at an argument"], backend="llvm"), AT.copy()
    wrong[-1] = X.size
    sg.set_num_threads(4)
    for _ in range(3):
        with pytest.raises(errors.IndexRangeError, match="200000"):
            f(X, wrong)
        np.testing.assert_array_equal(f(X, AT), X[AT] * 2)
    assert max(low) > 1


def test_broadcast_positions_are_cut_where_they_have_entries(low):
    f = sg.compile(lambda x, i, j: x[i, j], backend="llvm")
    rows, columns = np.arange(399, -1, -1)[:, None], np.arange(0, 500, 2)
    np.testing.assert_array_equal(f(SQUARE, rows, columns), SQUARE[rows, columns])
    np.testing.assert_array_equal(f(SQUARE, columns[:200], rows), SQUARE[columns[:200], rows])
    assert max(low) > 1


def test_real_and_imaginary_parts_are_stored_by_chunks(forced):
    def f(x):
        return sg.abs(sg.exp(sg.complex(x, x * 0.1)).conj() ** 2)

    z = sg.compile(lambda x: sg.complex(sg.exp(x), sg.sin(x)), backend="llvm")
    np.testing.assert_allclose(z(X), np.exp(X) + 1j * np.sin(X), rtol=1e-12)
    agree(sg.compile(f, backend="llvm")(X), f(sg.tensor(X)).numpy())
    assert any(c is not None and len(c.nest.stores) == 2 for c in forced)


@pytest.mark.parametrize("backend", ["llvm", "auto"])
def test_many_entries_that_only_move_are_not_written_one_by_one(backend):
    f = sg.compile(lambda x: x[AT], backend=backend)
    np.testing.assert_array_equal(f(X), X[AT])
    assert len(f.lower(X).source) < 100_000


MATRICES = X[:180_000].reshape(20_000, 3, 3) + 4 * np.eye(3)
STACKED = {
    "products of matrices": (lambda a: a @ a.mT, lambda a: a @ a.swapaxes(-1, -2)),
    "products of complex matrices": (lambda a: ((a + 0.5j * a.mT) @ (a + 1j)).real, lambda a: _complex_products(a)),
    "inverses": (sg.linalg.inv, np.linalg.inv),
    "solutions": (lambda a: sg.linalg.solve(a, a[:, :, 0]), lambda a: np.linalg.solve(a, a[:, :, :1])[..., 0]),
    "columns added up": (lambda a: a.reshape(300, 600).cumsum(0), lambda a: a.reshape(300, 600).cumsum(0)),
    "norms of columns": (
        lambda a: sg.linalg.norm(a.reshape(300, 600), dim=0), lambda a: np.linalg.norm(a.reshape(300, 600), axis=0),
    ),
    "medians of rows": (
        lambda a: a.reshape(300, 600)[:, :599].median(1)[0], lambda a: np.median(a.reshape(300, 600)[:, :599], 1),
    ),
    "columns read": (
        lambda a: a.reshape(300, 600)[:, AT[:900] % 600],
        lambda a: a.reshape(300, 600)[:, AT[:900] % 600],
    ),
    "a block read": (
        lambda a: a.reshape(300, 600)[AT[:250, None] % 300, AT[None, :400] % 600],
        lambda a: a.reshape(300, 600)[AT[:250, None] % 300, AT[None, :400] % 600],
    ),
    "pairs read": (
        lambda a: a.reshape(300, 600)[AT[:180_000] % 300, AT[20_000:] % 600],
        lambda a: a.reshape(300, 600)[AT[:180_000] % 300, AT[20_000:] % 600],
    ),
    "entries added": (
        lambda a: sg.zeros(31).index_add(0, AT[:180_000] % 31, a.reshape(-1)),
        lambda a: np.bincount(AT[:180_000] % 31, a.reshape(-1), 31),
    ),
    "rows added at positions": (
        lambda a: sg.zeros(7, 9).index_add(0, AT[:20_000] % 7, a.reshape(20_000, 9)),
        lambda a: np.stack([a.reshape(20_000, 9)[AT[:20_000] % 7 == k].sum(0) for k in range(7)]),
    ),
}  # fmt: skip


def _complex_products(a):
    return ((a + 0.5j * a.swapaxes(-1, -2)) @ (a + 1j)).real


@pytest.mark.parametrize("name", STACKED)
def test_stacks_rows_and_entries_in_chunks_are_what_numpy_gives(name, low):
    f, expected = STACKED[name]
    compiled = sg.compile(f, backend="numpy")
    found = set()
    for n in (1, 3):
        sg.set_num_threads(n)
        y = compiled(MATRICES)
        found.add(y.tobytes())
    np.testing.assert_allclose(y, expected(MATRICES), rtol=1e-9, atol=1e-11)
    assert len(found) == 1
    assert max(low) > 1


def test_chunks_cover_an_axis_once_and_are_none_where_they_are_not_worth_it():
    assert shared.cut(1000, 3 * shared.GRAIN) == []  # below ``LEAST``
    edges = shared.cut(1003, shared.LEAST)
    assert len(edges) == shared.LEAST // shared.GRAIN
    assert [k for lo, hi in edges for k in range(lo, hi)] == list(range(1003))
    assert {hi - lo for lo, hi in edges} == {125, 126}
    assert len(shared.cut(10**6, 1 << 40)) == shared.MOST
    assert len(shared.cut(5, 1 << 40)) == 5
    assert shared.cut(1, 1 << 40) == []


# ------------------------------------------------------------------ calls of Python among threads
class _Meeting:
    """Notes calls, each thread's first of which waits for those of as many others."""

    def __init__(self, number):
        self.made, self.callers = [], set()
        self._barrier = threading.Barrier(max(1, number))

    def __call__(self, k):
        own = threading.get_ident()
        if own not in self.callers:
            self.callers.add(own)
            with suppress(threading.BrokenBarrierError):
                self._barrier.wait(5)
        self.made.append(k)


@pytest.mark.parametrize("number", [1, 2, 5])
def test_every_call_is_made_once_whoever_makes_it(number):
    sg.set_num_threads(number)
    for count in (0, 1, 3, 40):
        run = _Meeting(min(number, count))
        threads.share(run, count)
        assert sorted(run.made) == list(range(count))
        assert len(run.callers) == min(number, count)
        assert number > 1 or run.made == sorted(run.made)


def test_after_an_error_no_more_calls_are_made_and_the_threads_are_free():
    sg.set_num_threads(3)
    made = []

    def run(k):
        made.append(k)
        time.sleep(0.002)
        if k == 4:
            raise KeyError(k)

    with pytest.raises(KeyError, match="4"):
        threads.share(run, 1000)
    assert len(made) < 1000
    assert threads._pool.free.acquire(blocking=False)
    threads._pool.free.release()


def test_calls_within_a_call_are_made_by_its_own_thread():
    sg.set_num_threads(2)
    callers = []

    def outer(_):
        own = threading.get_ident()
        threads.share(lambda _: callers.append(threading.get_ident() == own), 5)

    threads.share(outer, 4)
    assert callers == [True] * 20


def test_no_more_threads_are_asked_for_than_have_calls_and_one_call_leaves_them_free(monkeypatch):
    sg.set_num_threads(5)
    asked, ready = [], threads._pool._ready
    monkeypatch.setattr(threads._pool, "_ready", lambda n: asked.append(n) or ready(n))
    threads.share(lambda _: None, 3)
    assert asked == [2, 2]
    inner = _Meeting(2)
    threads.share(lambda _: threads.share(inner, 2), 1)
    assert len(inner.callers) == 2


# ------------------------------------------------------------------ the pool of machine code
def _shared(count, run):
    """Post a job of so many chunks to the pool."""
    contexts = set()

    def chunk(context, k):
        contexts.add(context)
        run(k)

    function = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_int64)(chunk)
    at = pool._made[0].machine.address("share")
    share = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_int64)(at)
    share(pool._made[0].address, ctypes.cast(function, ctypes.c_void_p), 77, count)
    assert contexts <= {77}


def _meet(number, count):
    """Post jobs until so many threads share one: who falls asleep while it is posted sleeps through it."""
    for _ in range(5):
        run = _Meeting(number)
        _shared(count, run)
        assert sorted(run.made) == list(range(count))
        if len(run.callers) == number:
            break
    return len(run.callers)


@pytest.fixture
def started():
    """The pool, with its workers."""
    sg.compile(PROGRAMS["a sum"], backend="llvm")(X)
    return pool._made[0]


def _fields(made):
    return {name: int(made._field(name)[0]) for name in ("busy", "open", "inside")}


@pytest.mark.parametrize("number", [1, 2, 4])
def test_every_chunk_is_run_once_by_as_many_threads_as_there_are(number, started):
    sg.set_num_threads(number)
    for count in (0, 1, 7):
        run = _Meeting(1)
        _shared(count, run)
        assert sorted(run.made) == list(range(count))
        assert len(run.callers) <= min(number, count)
    assert _meet(number, 60) == number
    assert _fields(started) == {"busy": 0, "open": 0, "inside": 0}


def test_workers_that_sleep_are_woken_for_the_next_job(started):
    sg.set_num_threads(3)
    for _ in range(3):
        while int(started._field("asleep")[0]) < 2:
            time.sleep(0.001)
        assert _meet(3, 20) == 3


def test_a_job_within_a_job_is_run_by_its_own_thread(started):
    sg.set_num_threads(3)
    inner, outer = [], []

    def run(k):
        own = _Meeting(1)
        _shared(5, own)
        inner.append((own.made, own.callers == {threading.get_ident()}))
        outer.append(k)

    _shared(6, run)
    assert sorted(outer) == list(range(6))
    assert inner == [([0, 1, 2, 3, 4], True)] * 6


def test_a_lower_number_sends_workers_away_and_a_higher_one_brings_them_back(started):
    def alive():
        return sum(w.is_alive() for w in started.workers.values())

    sg.set_num_threads(4)
    assert alive() == 3
    sg.set_num_threads(2)
    for _ in range(2000):
        _shared(4, lambda _: time.sleep(0.001))  # who sleeps sees the number when it is woken
        if alive() == 1:
            break
    assert alive() == 1
    assert _meet(2, 20) == 2
    sg.set_num_threads(4)
    assert alive() == 3


@pytest.mark.parametrize(
    ("dims", "axis", "work", "length"),
    [
        ((1000, 7), 0, 1 << 20, 32),  # a thousandth of the work a step, and 2^15 a chunk
        ((300, 1000), 0, 1 << 24, 5),  # not more than 64 chunks
        ((100_003,), 0, 1 << 18, 12_544),  # the innermost loop: whole vectors and cache lines,
        ((3, 10_000), 1, 1 << 22, 256),  # or runs of memory
    ],
)
def test_a_chunk_is_as_long_as_it_is_worth(dims, axis, work, length):
    assert chunks._length(list(dims), axis, work) == length


def test_what_is_written_lies_apart():
    out, other = Buffer("o", 0, 20, np.dtype(float)), Buffer("o", 1, 20, np.dtype(float))

    def differ(*stores, sums=()):
        nest = Nest((5,), stores=[(k, v) for k, v in enumerate(stores)], sums=[("sum", 9, v) for v in sums])
        return chunks._differ(nest, [v.memory for v in (*stores, *sums)])

    real = View(out, 0, (2,), (5,))
    assert differ(real, real._replace(offset=1))
    assert differ(real, real._replace(memory=other))
    assert differ(real, sums=[real._replace(memory=other)])
    assert not differ(real, real)
    assert not differ(real, real._replace(offset=4))  # it would write where the other does
    assert not differ(View(out, 0, (1,), (5,)), View(out, 1, (1,), (5,)))
    assert not differ(real, View(out, 1, (3,), (5,)))
    assert not differ(real, sums=[real._replace(offset=1)])


def test_chunks_are_as_long_as_vectors_and_caches_want_and_not_too_many(monkeypatch):
    monkeypatch.setattr(native, "_straight", lambda *given: None)
    for n in (100_003, 900_001, 30_000_000):
        source = sg.compile(PROGRAMS["a sum"], backend="llvm").lower((n,)).source
        counts = [int(k) for k in re.findall(r"call void %share\(.*i64 (\d+)\)", source)]
        lengths = [int(k) for k in re.findall(r"%lo = mul nuw nsw i64 %number, (\d+)", source)]
        assert [count for count, length in zip(counts, lengths, strict=True) if -(-n // length) != count] == []
        assert all(1 < count <= 64 and length % 64 == 0 for count, length in zip(counts, lengths, strict=True))
        assert counts


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
    ({"SYMGRAD_NUM_THREADS": " 1024 ", "OMP_NUM_THREADS": "many"}, 1024),
    ({"SYMGRAD_NUM_THREADS": "", "OMP_NUM_THREADS": "4"}, 4),
])  # fmt: skip
def test_the_environment_sets_the_number(set_, expected, monkeypatch):
    for name in ("SYMGRAD_NUM_THREADS", "OMP_NUM_THREADS"):
        monkeypatch.delenv(name, raising=False)
    for name, text in set_.items():
        monkeypatch.setenv(name, text)
    assert threads._default() == expected


@pytest.mark.parametrize("bad", ["0", "-1", "1025", "many", "2.0", "3,1", "²", "9" * 5000])
def test_a_number_of_threads_in_the_environment_that_is_none_is_refused(bad, monkeypatch):
    monkeypatch.setenv("SYMGRAD_NUM_THREADS", bad)
    with pytest.raises(errors.ArgumentError, match=r"SYMGRAD_NUM_THREADS=.* Expected an integer from 1 to 1024"):
        threads._default()


@pytest.mark.parametrize("bad", [0, -1, 1025, True, 2.0, "2", None])
def test_numbers_of_threads_that_are_none(bad):
    before = sg.get_num_threads()
    with pytest.raises((errors.ArgumentError, errors.ArgumentTypeError), match="set_num_threads"):
        sg.set_num_threads(bad)
    assert sg.get_num_threads() == before
