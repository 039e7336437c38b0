"""The first result: NumPy's, while machine code is compiled behind it; from then on machine code's."""

import gc
import os
import pickle
import subprocess
import sys
import threading
import warnings
import weakref

import numpy as np
import pytest

import symgrad as sg
from symgrad.compiler import background
from symgrad.support.extras import is_installed

pytestmark = pytest.mark.skipif(not is_installed("llvm"), reason="LLVM is not installed")
X = np.linspace(0.1, 2.0, 400).reshape(20, 20) + 3 * np.eye(20)


def solved(a):
    return (sg.linalg.inv(a) * sg.exp(-a)).sum()


@pytest.fixture
def built(monkeypatch):
    """The backends that build kernels, in order."""
    from symgrad.compiler import compiled

    real, names = compiled.build_with, []
    monkeypatch.setattr(compiled, "build_with", lambda name, *rest: names.append(name) or real(name, *rest))
    return names


def bits(result):
    return [np.asarray(x).tobytes() for x in (result if isinstance(result, tuple) else (result,))]


def test_numpy_computes_the_first_result_and_machine_code_all_others(built):
    f = sg.compile(sg.value_and_grad(solved))
    first = f(X)
    assert built[0] == "numpy"
    background.QUEUE.join()
    assert built == ["numpy", "auto"]
    others = [f(X), f(X)]
    assert f.stats.backend == "llvm"
    assert bits(first) == bits(sg.compile(sg.value_and_grad(solved), backend="numpy")(X))
    expected = bits(sg.compile(sg.value_and_grad(solved), backend="llvm")(X))
    assert [bits(y) for y in others] == [expected, expected]
    np.testing.assert_allclose(first[1], others[0][1], rtol=1e-12)


def test_the_second_call_has_the_same_bytes_whether_or_not_it_waits():
    waiting, late = (sg.compile(sg.value_and_grad(solved)) for _ in range(2))
    late(X)
    background.QUEUE.join()
    waiting(X)
    assert bits(waiting(X)) == bits(late(X))


@pytest.mark.parametrize("options", [{"backend": "llvm"}, {"tiers": False}, {"donate": 0}])
def test_a_backend_that_is_named_computes_the_first_result(options, built):
    f = sg.compile(solved, **options)
    f(X.copy())
    assert built == [options.get("backend", "auto")]


def test_the_environment_switches_tiers_off(built, monkeypatch):
    monkeypatch.setenv("SYMGRAD_TIERS", "0")
    sg.compile(solved)(X)
    assert built == ["auto"]


def test_short_programs_and_long_loops_are_compiled_at_once(built):
    sg.compile(lambda x: sg.sin(x) * x)(1.0)
    sg.compile(lambda x: sg.scan(lambda c, _: (sg.cos(c), None), x, None, length=30_000)[0])(1.0)
    assert built == ["auto", "auto"]


def test_large_arrays_are_compiled_at_once(built):
    def loss(x):
        return (sg.softmax(x, 1) ** 2).sum()

    sg.compile(sg.value_and_grad(loss))(np.ones((500, 600)))
    sg.compile(sg.value_and_grad(loss))(np.ones((50, 600)))
    assert built[:2] == ["auto", "numpy"]


def test_lower_and_stats_are_those_of_machine_code():
    f = sg.compile(solved)
    assert f.lower(X).stats.backend == "llvm"
    assert bits(f(X)) == bits(sg.compile(solved, backend="llvm")(X))
    g = sg.compile(solved)
    g(X)
    assert g.stats.backend == "llvm"


def test_random_numbers_are_drawn_and_tensors_written_once_for_each_call():
    norm = sg.nn.BatchNorm1d(20, affine=False)
    drop = sg.nn.Dropout(0.5)

    def layer(x):
        return drop(norm(x)).sum()

    results = []
    for options in ({"tiers": False}, {}):
        norm.reset_running_stats()
        sg.manual_seed(3)
        f = sg.compile(layer, **options)
        results.append([float(f(sg.tensor(X))) for _ in range(3)] + norm.running_mean.tolist())
    np.testing.assert_allclose(results[0], results[1], rtol=1e-12)


def test_gradients_of_tensors_flow_through_the_first_result():
    slopes = []
    for options in ({"backend": "numpy"}, {}):
        x = sg.tensor(X, requires_grad=True)
        sg.compile(solved, **options)(x).backward()
        slopes.append(x.grad.numpy())
    np.testing.assert_allclose(*slopes, rtol=1e-12)


def test_an_error_behind_is_raised_by_the_call_that_meets_it(monkeypatch):
    from symgrad.compiler import compiled

    real = compiled.build_with

    def build(name, *rest):
        if name == "auto":
            raise ValueError("no machine code")
        return real(name, *rest)

    monkeypatch.setattr(compiled, "build_with", build)
    f = sg.compile(solved)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        f(X)
        background.QUEUE.join()
    with pytest.raises(ValueError, match="no machine code"):
        f(X)


def test_an_error_of_the_first_call_leaves_the_second_to_machine_code():
    f = sg.compile(lambda a: sg.linalg.cholesky(a).sum())
    for _ in range(2):
        with pytest.raises(sg.SymgradError):
            f(-X @ X.T)
    assert np.isfinite(f(X @ X.T + np.eye(20)))


def test_threads_that_call_at_once_get_results():
    f, results = sg.compile(sg.value_and_grad(solved)), []
    threads = [threading.Thread(target=lambda: results.extend([f(X), f(X)])) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(results) == 8
    for value, _ in results:
        np.testing.assert_allclose(value, results[0][0], rtol=1e-12)


def test_a_function_that_nobody_holds_is_not_compiled(built):
    with background.QUEUE._lock:  # nothing is built before it is gone
        f = sg.compile(solved)
        f(X)
        gone = weakref.ref(f)
        del f
        gc.collect()
        assert gone() is None
    background.QUEUE.join()
    assert built == ["numpy"]


def test_pickles_have_the_choice_and_their_copies_begin_with_numpy(built):
    pickle.loads(pickle.dumps(sg.compile(solved)))(X)
    pickle.loads(pickle.dumps(sg.compile(solved, tiers=False)))(X)
    background.QUEUE.join()
    assert built in (["numpy", "auto"], ["numpy", "auto", "auto"])


LAST = """
import os, numpy as np, symgrad as sg
f = sg.compile(sg.value_and_grad(lambda a: (sg.linalg.inv(a) * sg.exp(-a)).sum()))
a = np.eye(9) + 1
first = f(a)[0]
{then}
"""
FORKS = """
child = os.fork()
if child == 0:
    os._exit(0 if abs(f(a)[0] - first) < 1e-9 else 1)
raise SystemExit(os.waitpid(child, 0)[1])
"""


@pytest.mark.parametrize("then", ["", pytest.param(FORKS, marks=pytest.mark.skipif(os.name == "nt", reason="no fork"))])
def test_a_process_ends_or_forks_while_machine_code_is_compiled(then):
    command = [sys.executable, "-W", "ignore::DeprecationWarning", "-c", LAST.format(then=then)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
    assert (done.returncode, done.stderr) == (0, "")
