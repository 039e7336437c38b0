"""Donated arguments: results in their memory where that is safe, and right everywhere."""

from __future__ import annotations

import numpy as np
import pytest
from checks import BACKENDS

import symgrad as sg
from symgrad.errors import ArgumentError

SIZES = [(3,), (40, 50), (300, 200)]  # written out; in one piece; in blocks


def numbers(*shape):
    return np.random.default_rng(0).normal(size=shape)


def flipped(x, y):
    z = sg.flip(x, 0)
    return z.exp() + x + y


REUSED = {
    "elementwise": lambda x, y: sg.exp(x) * y - x,
    "chosen, with the argument in the condition": lambda x, y: sg.where(x > 0, y, y * y),
    "twice": lambda x, y: (lambda z: (z, z))(x * y),
    "beside a sum": lambda x, y: ((x * y).sum(), x + y),
    "after a sum": lambda x, y: (lambda z: (z, z.sum() * x))(x * y),
    "after a product": lambda x, y: (x - x.sum(0)) * (y @ y.T).sum() if x.ndim == 2 else x * y,
}
KEPT = {
    "chosen": lambda x, y: sg.where(y > 0, x, y),
    "reversed": flipped,
    "the argument as well": lambda x, y: (x * y, x),
    "a view as well": lambda x, y: (x * y, x[1:]),
    "a sum of it later": lambda x, y: (x + y, (x * y).sum()),
    "another shape": lambda x, y: sg.stack([x, y]) * 2.0,
    "a sum": lambda x, y: (x * y).sum(),
}


def parts(result):
    return result if isinstance(result, tuple) else (result,)


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("shape", SIZES)
@pytest.mark.parametrize("name", [*REUSED, *KEPT])
def test_results_are_right(name, shape, backend):
    if backend == "python" and shape != (3,):
        pytest.skip("long programs are not written out")
    f = {**REUSED, **KEPT}[name]
    fast = sg.compile(f, backend=backend, donate=0)
    for _ in range(3):
        x, y = numbers(2, *shape)
        expected = [t.numpy() for t in parts(f(sg.tensor(x), sg.tensor(y)))]
        before = y.copy()
        found = parts(fast(x, y))
        for a, b in zip(found, expected, strict=True):
            np.testing.assert_allclose(a, b, rtol=1e-12, atol=1e-12 * np.max(np.abs(b)))
        np.testing.assert_array_equal(y, before)
        arrays = [a for a in (*found, y) if isinstance(a, np.ndarray)]
        assert not any(np.shares_memory(a, b) for k, a in enumerate(arrays) for b in arrays[:k])


@pytest.mark.parametrize("shape", SIZES)
@pytest.mark.parametrize("name", [*REUSED, *KEPT])
def test_numpy_backend_reuses_memory_where_that_is_safe(name, shape):
    fast = sg.compile({**REUSED, **KEPT}[name], backend="numpy", donate=0)
    x, y = numbers(2, *shape)
    shared = [np.shares_memory(a, x) for a in map(np.asarray, parts(fast(x, y)))]
    assert sum(shared) == (name in REUSED)


def test_what_may_not_be_overwritten_is_copied():
    f = sg.compile(lambda x, y: x * 2 + y, backend="numpy", donate=(0,))
    x = numbers(4, 5)
    before = x.copy()
    np.testing.assert_array_equal(f(x, x), 3 * before)  # the other argument is not donated
    np.testing.assert_array_equal(x, before)
    x.flags.writeable = False
    np.testing.assert_array_equal(f(x, 1.0), 2 * before + 1)
    t = sg.tensor(before, requires_grad=True)
    np.testing.assert_array_equal(f(sg.tensor(before), 1.0).numpy(), 2 * before + 1)
    f(t, 1.0).sum().backward()
    np.testing.assert_array_equal(t.detach().numpy(), before)
    np.testing.assert_array_equal(t.grad.numpy(), np.full((4, 5), 2.0))


def test_all_arrays_of_a_donated_structure_are_given_away():
    f = sg.compile(lambda p, g: {k: p[k] - 0.1 * g[k] for k in p}, backend="numpy", donate=0)
    p, g = ({k: numbers(3, 4) for k in "ab"} for _ in range(2))
    new = f(p, g)
    assert all(new[k] is p[k] for k in p)
    assert not any(np.shares_memory(new[k], g[k]) for k in g)


def test_pickled_functions_still_know_what_is_donated():
    f = sg.compile(lambda x: x + 1, backend="numpy", donate=0)
    f(np.ones(3))
    make, state = f.__reduce__()
    x = np.ones(3)
    assert make(*state)(x) is x
    np.testing.assert_array_equal(x, np.full(3, 2.0))


@pytest.mark.parametrize("unread", [np.ones(3), np.ones(4, np.float32)])
def test_memory_of_an_argument_that_is_not_read_stays_as_it_is(unread):
    y = np.arange(4.0)
    np.testing.assert_array_equal(sg.compile(lambda x, y: 2 * y + y, backend="numpy", donate=0)(unread, y), 3 * y)
    assert unread.tolist() == [1.0] * len(unread)


def test_donated_arguments_are_given_by_position():
    with pytest.raises(ArgumentError, match="donate names argument 1, but 1 were given by position"):
        sg.compile(lambda x, y: x * y, donate=1)(np.ones(3), y=np.ones(3))
