"""First results before there is a kernel: bytes of the results of later calls, or none where that is not plain."""

from __future__ import annotations

import random
import threading

import numpy as np
import pytest

import symgrad as sg
from symgrad.compiler import compiled
from symgrad.compiler.backends import choose

UNARY = {
    "sin": sg.sin, "exp": lambda x: sg.exp(-x * x), "tanh": sg.tanh, "log": lambda x: sg.log(2 + x * x),
    "root": lambda x: sg.sqrt(1 + x * x), "neg": lambda x: -x, "cube": lambda x: x**3,
    "silu": lambda x: x * sg.sigmoid(x),
    "erf": sg.erf, "inverse": lambda x: 1 / (3 + sg.cos(x)), "scaled": lambda x: 2.5 * x - 1, "atan": sg.atan,
}  # fmt: skip
BINARY = [lambda a, b: a + b, lambda a, b: a - b, lambda a, b: a * b, lambda a, b: a / (4 + sg.sin(b))]


@pytest.fixture(autouse=True)
def alone(monkeypatch):
    """Be without LLVM."""
    for module in (choose, compiled):
        monkeypatch.setattr(module, "is_installed", lambda extra: False)


@pytest.fixture
def built(monkeypatch):
    """The backends of the kernels that were built."""
    found, real = [], compiled.build_with
    monkeypatch.setattr(compiled, "build_with", lambda *args: found.append(args[0]) or real(*args))
    return found


def straight(seed):
    """A random program of numbers, some of which are used several times."""
    rng = random.Random(seed)
    code = [(rng.choice(list(UNARY)), rng.randrange(4 + k), rng.randrange(len(BINARY)), rng.randrange(4 + k))
            for k in range(30)]  # fmt: skip

    def f(x):
        values = [x[k] for k in range(4)]
        for name, i, how, j in code:
            values.append(sg.tanh(BINARY[how](UNARY[name](values[i]), values[j])))
        return sum(values[-5:])

    return f


def bits(y):
    """What a result consists of, to the last bit."""
    return [np.asarray(v).tobytes() for v in y] if isinstance(y, tuple) else np.asarray(y).tobytes()


@pytest.mark.parametrize("seed", range(20))
def test_the_first_result_has_the_bytes_of_later_ones(seed, built):
    x = np.random.default_rng(seed).normal(size=4)
    f = sg.compile(sg.value_and_grad(straight(seed)))
    first = f(x)
    assert built == []
    second, third = f(x), f(x)
    assert built == ["auto"]
    assert f.stats.backend == "python"
    assert bits(first) == bits(second) == bits(third)
    for ours, theirs in zip(first, sg.value_and_grad(straight(seed))(x), strict=True):
        np.testing.assert_allclose(ours, theirs, rtol=1e-12)
        assert type(ours) is type(theirs)


def test_results_are_new_arrays():
    x = np.array([1.0, 2.0])
    f = sg.compile(lambda x: (x, x[:1], x * 1.0))
    for y in f(x):
        y[:] = 7
    assert x.tolist() == [1, 2]


DIFFERENT = {
    "a choice": (lambda x: sg.where(x > 0, x, -x), 0.5),
    "a comparison": (lambda x: x > 0, 0.5),
    "a sum of entries": (lambda x: x.sum(), np.array([0.1, 0.2, 0.3])),
    "functions of entries": (lambda x: sg.sin(x), np.array([0.1, 0.2, 0.3])),
    "a matrix": (lambda x: x[0, 0] * 2, np.ones((2, 2))),
    "integers": (lambda x: x[0] * 2, np.array([1, 2])),
    "single precision": (lambda x: x[0] * 2, np.array([1, 2], np.float32)),
    "complex numbers": (lambda x: x[0] * 2j, np.array([1.0, 2.0])),
    "infinity": (lambda x: sg.exp(x), 1e4),
    "a division by 0": (lambda x: 1 / x, np.float64(0.0)),
    "nan": (lambda x: x * 2, float("nan")),
    "0 beside infinity": (sg.grad(lambda x: 0 * sg.exp(x[0]) + x[1]), np.array([1e4, 1.0])),
    "a constant array": (lambda x: x * np.array([1.0, 2.0]), 3.0),
    "places that are met twice": (sg.grad(lambda x: x[[0, 0]][0] * 3), np.array([1.0, 2.0])),
}


@pytest.mark.parametrize("name", DIFFERENT)
def test_what_is_not_plain_is_left_to_the_kernel(name, built):
    f, x = DIFFERENT[name]
    g = sg.compile(f)
    first = g(x)
    assert built == ["auto"]
    assert bits(first) == bits(g(x))
    np.testing.assert_array_equal(first, np.asarray(f(x) if name != "0 beside infinity" else [0.0, 1.0]))


@pytest.mark.parametrize("options", [{"backend": "python"}, {"backend": "numpy"}, {"donate": 0}])
def test_what_was_asked_for_is_built_at_once(options, built):
    sg.compile(lambda x: x * 2.0, **options)(np.ones(3))
    assert len(built) == 1


def test_a_variable_from_outside_is_an_error_at_once():
    w = sg.tensor(2.0, requires_grad=True)
    with pytest.raises(sg.errors.GraphError, match="not among its arguments"):
        sg.compile(lambda x: x * w)(1.5)


def test_a_kernel_is_built_where_somebody_looks():
    f = sg.compile(lambda x: sg.sin(x) * x)
    assert f(0.5) == np.sin(0.5) * 0.5
    assert f.stats.operations == 2
    assert "sin" in f.source


def test_threads_that_call_at_once_get_the_same(built):
    f, x, found = sg.compile(sg.value_and_grad(straight(3))), np.ones(4), []
    callers = [threading.Thread(target=lambda: found.extend(bits(f(x)) for _ in range(3))) for _ in range(8)]
    for caller in callers:
        caller.start()
    for caller in callers:
        caller.join()
    assert len(found) == 24
    assert all(y == found[0] for y in found)
    assert set(built) == {"auto"}  # a thread that meets another one's trace makes a kernel as well
