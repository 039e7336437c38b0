"""What happens in a forked process, and that compiled results are the same in every process."""

import os
import subprocess
import sys
import threading

import numpy as np
import pytest
from checks import BACKENDS

import symgrad as sg

needs_fork = pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no fork")
pytestmark = pytest.mark.filterwarnings("ignore:This process:DeprecationWarning")  # is multi-threaded, under xdist


def in_child(work):
    """Run work() in a forked child and return the text it gives; an error there is its text."""
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
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
    for seed in ("0", "1", "4711"):
        env = os.environ | {"PYTHONHASHSEED": seed}
        run = [sys.executable, "-P", "-c", COMPILED, backend]
        printed.add(subprocess.run(run, cwd=tmp_path, env=env, capture_output=True, text=True, check=True).stdout)
    assert len(printed) == 1
    assert "0x" in printed.pop()
