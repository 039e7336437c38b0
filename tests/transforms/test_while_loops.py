"""while_loop without values: one operation that ends where its condition no longer holds."""

import pickle

import numpy as np
import pytest

import symgrad as sg
from symgrad.errors import NotYet
from symgrad.transforms.loops.op import Scan


def root(a):
    return sg.while_loop(lambda x: abs(x * x - a) > 1e-12, lambda x: (x + a / x) / 2, a)


def grown(v):
    return sg.while_loop(lambda x: (x**2).sum() < 100, lambda x: x * v, v)


@pytest.mark.parametrize("backend", ["auto", "llvm", "c", "numpy"])
def test_a_loop_without_a_bound_is_compiled_with_forward_derivatives(backend):
    compiled = lambda f: sg.compile(f, backend=backend)
    assert compiled(root)(2.0) == pytest.approx(np.sqrt(2))
    slope = lambda a: sg.jvp(root, (a,), (1.0,))[1]
    assert compiled(slope)(2.0) == pytest.approx(0.5 / np.sqrt(2))
    assert compiled(lambda a: sg.jvp(slope, (a,), (1.0,))[1])(2.0) == pytest.approx(-0.25 / 2**1.5)
    v = np.array([2.0, 3.0])
    np.testing.assert_allclose(compiled(sg.jacfwd(grown))(v), sg.jacobian(grown)(v), rtol=1e-12)


@pytest.mark.parametrize("backend", ["llvm", "c", "numpy"])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_a_mapped_loop_goes_on_until_the_last_slice_is_done(backend, dtype):
    f = sg.vmap(lambda a: sg.while_loop(lambda x: x < 10, lambda x: x * a, a))
    xs = np.array([2.0, 12.0, 3.0, 1.5], dtype)
    expected = np.array([16.0, 12.0, 27.0, 1.5**6], dtype)
    found = sg.compile(f, backend=backend)(xs)
    assert found.dtype == dtype
    np.testing.assert_array_equal(found, expected)
    np.testing.assert_array_equal(f(xs), expected)


def test_a_loop_that_never_starts_and_one_of_integers():
    assert sg.compile(grown)(np.array([20.0])) == 20.0
    halved = lambda n: sg.where(n % 2 == 0, n // 2, 3 * n + 1)
    steps = sg.compile(lambda n: sg.while_loop(lambda s: s[0] != 1, lambda s: (halved(s[0]), s[1] + 1), (n, 0))[1])
    assert [int(steps(np.int64(n))) for n in (1, 6, 27)] == [0, 8, 111]


def test_a_bounded_loop_stops_early_too():
    f = lambda a: sg.while_loop(lambda x: x < a, lambda x: x + 1, 0.0, max_steps=10**12)
    assert sg.compile(f, backend="numpy")(3.0) == 3.0
    assert sg.compile(f)(2.5) == 3.0


def test_a_loop_inside_a_scan_ends_at_each_step():
    f = lambda a: sg.scan(lambda c, x: (root(c + x), None), a, np.arange(3.0))[0]
    expected = 2.0
    for x in range(3):
        expected = np.sqrt(expected + x)
    assert sg.compile(f)(2.0) == pytest.approx(expected, rel=1e-12)


def test_reverse_mode_asks_for_a_bound():
    with pytest.raises(NotYet, match="Pass max_steps=, or use forward mode"):
        sg.compile(sg.grad(root))(2.0)
    bounded = lambda a: sg.while_loop(lambda x: abs(x * x - a) > 1e-12, lambda x: (x + a / x) / 2, a, max_steps=40)
    assert sg.compile(sg.grad(bounded))(2.0) == pytest.approx(0.5 / np.sqrt(2))


def test_random_numbers_need_a_bound():
    f = lambda a: sg.while_loop(lambda x: x < a, lambda x: x + sg.rand(()), 0.0)
    with pytest.raises(NotYet, match="draws random numbers"):
        sg.compile(f)(2.0)


def test_exported_source_ends_at_the_condition():
    space = {}
    exec(sg.export(root, 2.0, target="python"), space)
    assert space["root"](2.0) == pytest.approx(np.sqrt(2))
    assert "break;" in sg.export(root, 2.0, target="c")
    with pytest.raises(NotYet, match="Pass max_steps="):
        sg.export(root, 2.0, target="jax")


def test_balls_decide_the_condition():
    pytest.importorskip("flint")
    assert float(sg.compile(root, backend="arb")(2.0)) == pytest.approx(np.sqrt(2))


def test_the_operation_is_pickled_with_its_end():
    op = next(v.op for v in sg.compile(root).lower(2.0).program.values if isinstance(v.op, Scan))
    again = pickle.loads(pickle.dumps(op))
    assert again.until == 0
    assert not again.is_bounded
    assert repr(again) == repr(op)


@pytest.mark.parametrize("dtype", ["int64", "int32", "uint8", "bool", "float32", "complex128"])
@pytest.mark.parametrize("shape", [(), (3,)])
def test_loops_that_leave_machine_code_take_carries_of_every_dtype(dtype, shape):
    start, rows = np.ones(shape, dtype), np.ones((4, *shape), dtype)
    a = np.array([[2.0, 1.0], [0.0, 3.0]])

    def f(c, xs, a):
        def step(c, x):
            weight = sg.linalg.eigvals(a).real.sum()
            return sg.where(weight > 0, c | x if dtype == "bool" else c + x, c), weight

        return sg.scan(step, c, xs)

    (c, w), expected = sg.compile(f, backend="llvm")(start, rows, a), 1 if dtype == "bool" else 5
    assert np.asarray(c).dtype == dtype
    np.testing.assert_array_equal(c, np.full(shape, expected))
    np.testing.assert_allclose(w, np.full(4, 5.0))
