"""What happens in a forked process, and that compiled results are the same in every process."""

import gc
import os
import signal
import subprocess
import sys
import threading
import time
from importlib import import_module

import numpy as np
import pytest
from checks import BACKENDS

import symgrad as sg

needs_fork = pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no fork")
pytestmark = pytest.mark.filterwarnings("ignore:This process:DeprecationWarning")  # is multi-threaded, under xdist


def in_child(work):
    """Run work() in a forked child and return the text it gives; an error there is its text, a hang gives none."""
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        signal.alarm(60)
        try:
            text = work()
        except BaseException as error:
            text = repr(error)
        os.write(writing, str(text).encode())
        os._exit(0)
    os.close(writing)
    with os.fdopen(reading, "rb") as pipe:
        found = pipe.read().decode()
    os.waitpid(child, 0)
    return found


def installed(backend):
    return backend != "llvm" or pytest.importorskip("llvmlite", reason="llvmlite is not installed")


@needs_fork
def test_a_child_runs_backward_on_what_its_parent_recorded():
    x = sg.tensor([1.0, 2.0], requires_grad=True)
    y = (x * x).sum()

    def work():
        y.backward()
        (x**3).sum().backward()
        return x.grad.tolist()

    assert in_child(work) == "[5.0, 16.0]"
    assert x.grad is None
    y.backward()
    assert x.grad.tolist() == [2.0, 4.0]


@needs_fork
@pytest.mark.parametrize("backend", BACKENDS)
def test_a_child_runs_what_its_parent_compiled_and_compiles_more(backend):
    installed(backend)
    f = sg.compile(sg.value_and_grad(lambda x: (sg.sin(x) * x).sum()), backend=backend)
    g = sg.compile(sg.grad(lambda x: (sg.exp(x) / x).sum()), backend=backend)
    x = np.linspace(0.5, 2.0, 5)
    before = f(x)

    def work():
        return np.array_equal(f(x)[1], before[1]), np.allclose(g(x), np.exp(x) * (x - 1) / x**2)

    assert in_child(work) == "(True, True)"
    assert np.allclose(g(x), np.exp(x) * (x - 1) / x**2)


@needs_fork
def test_a_child_has_the_grad_mode_of_the_thread_that_forked():
    seen = {}

    def recorded():
        return (sg.ones(1, requires_grad=True) * 2).requires_grad

    def quiet():
        with sg.no_grad():
            seen["inside"] = in_child(recorded)
        seen["after"] = in_child(recorded)

    thread = threading.Thread(target=quiet)
    thread.start()
    thread.join()
    assert seen == {"inside": "False", "after": "True"}


# ------------------------------------------------------------------ beside a thread that holds a lock
def beside(busy, work):
    """Run work() in a child that is forked while a thread is in the middle of ``busy(reached)``."""
    started = threading.Event()

    def hold():
        started.set()
        time.sleep(0.2)  # the fork comes meanwhile, or waits for the end of this

    thread = threading.Thread(target=busy, args=(hold,))
    thread.start()
    try:
        assert started.wait(60), "the thread did not come to where it holds"
        return in_child(work)
    finally:
        thread.join()


@needs_fork
@pytest.mark.parametrize("backend", BACKENDS)
def test_a_child_compiles_what_another_thread_was_tracing(backend):
    installed(backend)
    here = threading.get_ident()
    reached = []

    def slow(x):
        if threading.get_ident() != here:
            reached[0]()
        return (x * x).sum()

    f = sg.compile(slow, backend=backend)

    def busy(hold):
        reached.append(hold)
        f(np.ones(3))

    assert beside(busy, lambda: f(np.ones(3))) == "3.0"


@needs_fork
def test_a_child_compiles_while_another_thread_is_inside_of_llvm(monkeypatch):
    installed("llvm")
    machine = import_module("symgrad.compiler.backends.llvm.machine")
    compiled, here, reached = machine._compiled, threading.get_ident(), []

    def slow(*args):
        if threading.get_ident() != here:
            reached[0]()
        return compiled(*args)

    monkeypatch.setattr(machine, "_compiled", slow)

    def busy(hold):
        reached.append(hold)
        sg.compile(lambda x: (sg.sin(x) * x).sum(), backend="llvm")(np.ones(4))

    assert beside(busy, lambda: sg.compile(lambda x: (x * 3).sum(), backend="llvm")(np.ones(4))) == "12.0"


@needs_fork
def test_a_fork_waits_for_the_end_of_a_call_of_llvm():
    installed("llvm")
    lock = import_module("symgrad.compiler.backends.llvm.machine")._LOCK

    def busy(hold):
        with lock:
            hold()

    def free():
        with lock:
            return "free"

    assert beside(busy, free) == "free"


@needs_fork
def test_a_child_accumulates_gradients_of_a_leaf_that_another_thread_was_at():
    x = sg.tensor([1.0, 2.0], requires_grad=True)

    def busy(hold):
        with x._node.cell.lock:
            hold()

    def work():
        (x * x).sum().backward()
        return x.grad.tolist()

    assert beside(busy, work) == "[2.0, 4.0]"


@needs_fork
def test_a_child_prepares_sparse_derivatives_while_another_thread_does():
    pytest.importorskip("scipy")
    here, reached = threading.get_ident(), []

    def slow(x):
        if threading.get_ident() != here:
            reached.pop()() if reached else None
        return x[1:] * x[:-1]

    jacobian = sg.sparse_jacobian(slow)

    def busy(hold):
        reached.append(hold)
        jacobian(np.ones(4))

    assert beside(busy, lambda: jacobian(np.ones(4)).nnz) == "6"


@needs_fork
def test_a_child_collects_garbage_while_another_thread_compiles():
    reached = []

    def slow(x):
        if reached:
            reached.pop()()
        return x * 2

    def busy(hold):
        reached.append(hold)
        sg.compile(slow)(1.0)

    assert beside(busy, gc.isenabled) == "True"
    assert gc.isenabled()


@needs_fork
@pytest.mark.slow
@pytest.mark.parametrize("backend", BACKENDS)
def test_children_forked_at_any_moment_of_compiling_come_to_an_end(backend):
    installed(backend)
    stop = threading.Event()

    def compile_on():
        k = 1.0
        while not stop.is_set():
            k += 1
            sg.compile(sg.value_and_grad(lambda x, k=k: (sg.sin(x * k) ** 2).sum()), backend=backend)(np.ones(5))

    threads = [threading.Thread(target=compile_on) for _ in range(2)]
    for thread in threads:
        thread.start()
    try:
        for k in range(8):
            f = sg.compile(sg.grad(lambda x, k=k: (x**3 * k).sum()), backend=backend)
            assert in_child(lambda f=f, k=k: np.array_equal(f(np.ones(3)), np.full(3, 3.0 * k))) == "True"
    finally:
        stop.set()
        for thread in threads:
            thread.join()


COMPILED = """
import sys
import numpy as np
import symgrad as sg
rng = np.random.default_rng(0)
A, b = rng.normal(size=(4, 3)), rng.normal(size=3)
def loss(A, b):
    z = A @ b
    return sg.logsumexp(sg.tanh(z) * A.sum(1) + z**2, 0) + (sg.softmax(A, 1) * sg.sigmoid(A)).sum()
f = sg.compile(sg.value_and_grad(loss, (0, 1)), backend=sys.argv[1])
value, gradients = f(A, b)
print(float(value).hex(), *[v.hex() for g in gradients for v in np.ravel(g).tolist()])
print([v.hex() for v in np.ravel(sg.compile(sg.hessian(loss, 1), backend=sys.argv[1])(A, b)).tolist()])
"""


@pytest.mark.parametrize("backend", BACKENDS)
def test_compiled_gradients_do_not_depend_on_the_order_of_hashes(backend, tmp_path):
    installed(backend)
    printed = set()
    for seed in ("0", "4711"):
        env = os.environ | {"PYTHONHASHSEED": seed}
        run = [sys.executable, "-P", "-c", COMPILED, backend]
        printed.add(subprocess.run(run, cwd=tmp_path, env=env, capture_output=True, text=True, check=True).stdout)
    assert len(printed) == 1
    assert "0x" in printed.pop()
