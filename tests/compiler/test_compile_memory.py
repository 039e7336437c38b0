"""Memory, threads and pickling of compiled functions."""

from __future__ import annotations

import copy
import gc
import os
import pickle
import subprocess
import sys
import threading
import time
from contextlib import suppress
from pathlib import Path

import numpy as np
import pytest
from checks import BACKENDS

import symgrad as sg
from symgrad.compiler.program import Builder
from symgrad.core import pickling
from symgrad.errors import GraphError
from symgrad.support import forks

X = np.arange(6.0).reshape(2, 3) + 1
backends = pytest.mark.parametrize("backend", BACKENDS)


def same(found, expected):
    """Equal arrays and numbers, in tuples and lists."""
    if isinstance(expected, (list, tuple)):
        for y, z in zip(found, expected, strict=True):
            same(y, z)
    else:
        np.testing.assert_array_equal(found, expected, strict=True)


# ------------------------------------------------------------------ memory
CONSTANT = np.arange(3.0)
ALIASES = {
    "the argument": lambda x: x,
    "the argument twice": lambda x: (x, x),
    "a reshaped argument": lambda x: (x.reshape(3, 2), x.reshape(-1)),
    "a transposed argument": lambda x: x.T,
    "a slice": lambda x: (x[:1], x[0], x[:, ::2], sg.flip(x, 0)),
    "an expanded argument": lambda x: x[0].expand(4, 3),
    "a constant": lambda x: CONSTANT,
    "a constant tensor twice": lambda x: (sg.ones(3), sg.ones(3)),
    "one result twice": lambda x: (x * 2, x * 2),
    "a result and a view of it": lambda x: (lambda y: (y, y.reshape(-1), y.T, y[0]))(x * 2),
    "products": lambda x: (lambda y: (y, y.sum(0), (y @ y.T).exp(), y))(x.exp()),
}


def test_a_constant_that_repeats_a_number_takes_the_memory_of_one():
    builder = Builder()
    ones = builder.const(np.ones((50, 40)))
    assert builder.values[ones].op.strides == (0, 0)
    assert builder.const(np.ones((50, 40))) == ones
    assert builder.const(np.ones((50, 40), np.float32)) != ones
    for array in (np.where(np.arange(100) < 50, 0.0, -0.0), np.arange(100) // 99, np.full(100, np.nan)):
        assert builder.values[builder.const(array)].op is array


@backends
@pytest.mark.parametrize("name", ALIASES)
def test_results_share_no_memory(name, backend):
    given = X.copy()
    fast = sg.compile(ALIASES[name], backend=backend)
    first = fast(given)
    first = first if isinstance(first, tuple) else (first,)
    copies = [y.copy() for y in first]
    again = fast(given * 3)
    arrays = [given, CONSTANT, *first, *(again if isinstance(again, tuple) else (again,))]
    assert not any(np.shares_memory(a, b) for k, a in enumerate(arrays) for b in arrays[:k])
    same(list(first), copies)
    for y in first:
        y[...] = -1.0
    fresh = fast(X)
    same(list(fresh) if isinstance(fresh, tuple) else [fresh], copies)
    same(given, X)


@backends
def test_large_results_do_not_change_with_the_next_call(backend):
    if backend == "python":
        pytest.skip("long programs are not written out")
    x = np.random.default_rng(0).normal(size=(200, 300))
    f = sg.compile(lambda x: ((x.exp() + 1).log(), x @ x.T, x.sum(1)), backend=backend)
    first = f(x)
    copies = [y.copy() for y in first]
    f(x + 1)
    same(list(first), copies)


def test_read_only_arrays_are_read():
    x = X.copy()
    x.flags.writeable = False
    for backend in BACKENDS:
        f = sg.compile(lambda x: (x * 2, x), backend=backend)
        same([f(x), f(x)], [(X * 2, X)] * 2)


def resident():
    """Bytes of this process in memory."""
    return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")


@pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="needs Linux")
def test_machine_code_is_freed_with_its_function():
    pytest.importorskip("llvmlite")

    def make_and_delete(count):
        for k in range(count):
            sg.compile(lambda x, k=k: x * (k + 2.5), backend="llvm")(np.ones(700))
        gc.collect()
        return resident()

    first = make_and_delete(15)
    assert make_and_delete(20) - first < 20 * 30_000  # 100 kB each where the passes of LLVM stay


# ------------------------------------------------------------------ threads
@backends
@pytest.mark.parametrize("n", [4, 40_000])
def test_threads_get_their_own_results(backend, n):
    if backend == "python" and n > 4:
        pytest.skip("long programs are not written out")
    f = sg.compile(lambda x: ((x.exp() * x).tanh() + x, (x * x).sum()), backend=backend)
    wrong = []

    def work(number):
        size = n + number % 3
        x = np.linspace(-1, 1, size) * (number + 1)
        expected = np.tanh(np.exp(x) * x) + x
        for _ in range(20):
            y, total = f(x)
            if not np.allclose(y, expected, rtol=1e-12) or not np.isclose(total, x @ x, rtol=1e-10):
                wrong.append(number)

    workers = [threading.Thread(target=work, args=(k,)) for k in range(8)]
    for w in workers:
        w.start()
    for w in workers:
        w.join()
    assert not wrong
    assert repr(f).endswith("3 signatures>")


def at_once(count, work):
    """Run work() in threads that start together."""
    start = threading.Barrier(count)
    threads = [threading.Thread(target=lambda: (start.wait(), work())) for _ in range(count)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()


@pytest.mark.parametrize("compiled", [sg.compile, sg.sparse_jacobian], ids=["compile", "sparse_jacobian"])
def test_threads_that_ask_for_one_signature_at_once_get_the_same(compiled):
    pytest.importorskip("scipy")
    all_here, results = threading.Barrier(4, timeout=20), []

    def f(x):
        if not results:
            with suppress(threading.BrokenBarrierError):
                all_here.wait()  # nobody waits for another one's trace
        return x * x

    g = compiled(f)
    at_once(4, lambda: results.append(np.asarray(g(np.ones(3)).sum())))
    assert [float(y) for y in results] == [float(np.asarray(compiled(lambda x: x * x)(np.ones(3)).sum()))] * 4
    assert "1 signature" in repr(g)


def test_a_traced_function_may_wait_for_a_thread_that_calls_it():
    guard, inside, results = threading.RLock(), threading.Event(), []

    def f(x):
        inside.set()
        with guard:
            return x * 2

    def call():
        results.append(g(np.ones(2)).tolist())

    def hold_and_call():
        with guard:
            threads[1].start()
            assert inside.wait(20)
            call()

    g = sg.compile(f)
    threads = [threading.Thread(target=work, daemon=True) for work in (hold_and_call, call)]
    threads[0].start()
    for t in threads:
        t.join(20)
    assert results == [[2.0, 2.0]] * 2


def test_a_traced_function_may_start_a_thread_that_calls_it():
    starter, results = threading.current_thread(), []

    def f(x):
        if threading.current_thread() is starter:
            other = threading.Thread(target=lambda: results.append(g(np.ones(2)).tolist()), daemon=True)
            other.start()
            other.join(20)
        return x * 2

    g = sg.compile(f)
    assert g(np.ones(2)).tolist() == [2.0, 2.0]
    assert results == [[2.0, 2.0]]


@pytest.mark.parametrize("second", ["train", "eval"])
def test_a_model_that_one_thread_traces_is_left_alone_by_others(second):
    model, inside, go_on, results = sg.nn.BatchNorm1d(2, affine=False), threading.Event(), threading.Event(), {}
    rows = np.array([[1.0, 2.0], [3.0, 6.0]])

    def f(x, how):
        y = model(x) if how == "train" else x - model.running_mean
        if how == "train" and threading.current_thread() is threads[0]:
            inside.set()
            assert go_on.wait(20)
        return y.sum()

    g = sg.compile(f, backend="numpy")
    threads = [
        threading.Thread(target=lambda: results.update(first=g(rows, "train")), daemon=True),
        threading.Thread(target=lambda: results.update(second=g(rows, second)), daemon=True),
    ]
    threads[0].start()
    assert inside.wait(20)
    threads[1].start()
    while g._lock not in list(forks._WAITING.values()):  # the second one has seen that it has to wait
        time.sleep(0.001)
    go_on.set()
    for t in threads:
        t.join(20)
    assert set(results) == {"first", "second"}
    # Only the tracing is guarded: two calls that run at once may both add to the same count, as in PyTorch.
    assert model.num_batches_tracked.item() in ((1, 2) if second == "train" else (1,))
    assert all(isinstance(b.tolist(), (list, int)) for b in model.buffers())


def test_another_function_of_a_model_that_a_thread_traces_is_refused_and_leaves_it_whole():
    model, inside, go_on, results = sg.nn.BatchNorm1d(2, affine=False), threading.Event(), threading.Event(), []
    rows = np.array([[1.0, 2.0], [3.0, 6.0]])

    def slow(x):
        y = model(x)
        inside.set()
        assert go_on.wait(20)
        return y.sum()

    first, second = sg.compile(slow, backend="numpy"), sg.compile(lambda x: model(x).mean(), backend="numpy")
    thread = threading.Thread(target=lambda: results.append(first(rows)), daemon=True)
    thread.start()
    assert inside.wait(20)
    try:
        with pytest.raises(
            GraphError, match="another thread is tracing a function that changes the same tensor or mod"
        ):
            second(rows)
    finally:
        go_on.set()
        thread.join(20)
    assert len(results) == 1
    second(rows)
    assert model.num_batches_tracked.item() == 2
    np.testing.assert_allclose(model.running_mean.tolist(), rows.mean(0) * (1 - 0.9**2), rtol=1e-14)


def test_functions_that_trace_each_other_from_two_threads_do_not_wait_for_each_other():
    both, depth, results = threading.Barrier(2, timeout=20), threading.local(), {}

    def calling(k):
        def f(x):
            if getattr(depth, "here", 0):
                return x * 3
            depth.here = 1
            both.wait()
            return x * functions[1 - k](np.full((1,), 2.0))  # whose lock the other thread holds

        return f

    functions = [sg.compile(calling(k), backend="numpy") for k in range(2)]
    threads = [
        threading.Thread(target=lambda k=k: results.update({k: functions[k](np.ones(3)).tolist()}), daemon=True)
        for k in range(2)
    ]
    for t in threads:
        t.start()
    for t in threads:
        t.join(20)
    assert results == {0: [6.0, 6.0, 6.0], 1: [6.0, 6.0, 6.0]}


def test_a_circle_of_three_locks_is_an_error_and_a_line_is_waiting():
    locks, ready, ended = [forks.Lock() for _ in range(3)], threading.Barrier(3, timeout=20), []

    def hold_and_want(k, want):
        with locks[k]:
            ready.wait()
            if want is None:
                while len(forks._WAITING) < 2:  # the others wait for this one
                    time.sleep(0.001)
                return
            try:
                with locks[k], locks[want], locks[want]:
                    ended.append("held")
            except GraphError:
                ended.append("refused")

    for wanted, expected in (((1, 2, 0), ["refused", "held", "held"]), ((1, 2, None), ["held", "held"])):
        ended.clear()
        threads = [threading.Thread(target=hold_and_want, args=(k, wanted[k]), daemon=True) for k in range(3)]
        for t in threads:
            t.start()
        for t in threads:
            t.join(20)
        assert ended == expected
        assert forks._WAITING == {}
        for lock in locks:
            with lock:
                assert lock._owner == threading.get_ident()
            assert lock._owner is None


def test_a_compiled_function_may_call_itself_while_it_is_traced():
    @sg.compile
    def f(x, n):
        return x if n == 0 else x * f(np.full(3, 2.0), n - 1)

    same(f(np.ones(3), 3), np.full(3, 8.0))


# ------------------------------------------------------------------ pickling
def cube(x):
    return (x**3).sum()


@sg.compile(backend="python")
def decorated(x):
    return (x**2).sum()


@backends
def test_pickled_functions_are_found_again_by_name(backend):
    f = sg.compile(cube, backend=backend)
    assert f(X) == pickle.loads(pickle.dumps(f))(X) == (X**3).sum()
    again = pickle.loads(pickle.dumps(f))
    assert again(np.ones(7)) == 7  # a signature that was not compiled before
    assert pickle.loads(pickle.dumps(decorated)) is decorated
    assert copy.deepcopy(decorated) is decorated


@backends
@pytest.mark.parametrize("make", [lambda f: f, sg.value_and_grad, sg.grad, sg.hessian])
def test_pickled_lambdas_and_transforms_serve_what_they_were_compiled_for(make, backend, monkeypatch):
    monkeypatch.setattr(pickling, "_WRITERS", ())  # which would write the source of the lambda
    f = sg.compile(make(lambda x: (sg.tanh(x) * x.detach()).sum()), backend=backend)
    x = X[0]
    expected = f(x)
    text = pickle.dumps(f)
    assert b"code" not in text
    again = pickle.loads(text)
    for g in (again, pickle.loads(pickle.dumps(again)), copy.deepcopy(f)):
        found = g(x)
        same(found, expected)
        assert g.stats.operations == f.stats.operations
    with pytest.raises(GraphError, match="unpickled without its source"):
        again(np.ones(5))


def test_pickles_of_module_functions_load_in_another_process(tmp_path):
    (tmp_path / "model.py").write_text("import symgrad as sg\n@sg.compile\ndef f(x):\n    return (x**2).sum()\n")
    code = "import pickle, model, numpy as np; model.f(np.ones(3)); open('f', 'wb').write(pickle.dumps(model.f))"
    again = "import pickle, numpy as np; print(pickle.load(open('f', 'rb'))(np.ones(4)))"
    found = [
        subprocess.run([sys.executable, "-c", c], cwd=tmp_path, capture_output=True, text=True, check=True).stdout
        for c in (code, again)
    ]
    assert found == ["", "4.0\n"]
