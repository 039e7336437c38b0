"""What compiled loops hold in memory between their passes, in counted bytes."""

import numpy as np
import pytest

import symgrad as sg
from symgrad.support.extras import is_installed
from symgrad.transforms.loops.op import Scan

STEPS, WIDTH = 200, 30
STACK = 8 * STEPS * WIDTH
X = np.linspace(0.1, 0.9, WIDTH)
A = np.eye(WIDTH) * 0.9 + 0.01

LOOPS = {  # and how many stacks of carries the derivative reads
    "linear": (lambda k, c: c * 0.5 + 1.0, 0),
    "a matrix": (lambda k, c: A @ c, 0),
    "with the counter": (lambda k, c: c * 0.99 + k, 0),
    "sine": (lambda k, c: sg.sin(c), 1),
    "choice": (lambda k, c: sg.where(c > 0.5, c * 0.5, c * 1.5), 1),
}


def compiled(f, backend="llvm"):
    return sg.compile(sg.value_and_grad(f), backend=backend)


def loop(step):
    return lambda x: sg.fori_loop(0, STEPS, step, x).sum()


@pytest.mark.skipif(not is_installed("llvm"), reason="LLVM is not installed")
@pytest.mark.parametrize("name", LOOPS)
def test_a_loop_holds_the_carries_that_its_derivative_reads_and_no_others(name):
    step, stacks = LOOPS[name]
    assert compiled(loop(step)).lower(X).cost_analysis()["workspace"] - stacks * STACK < STACK / 5


@pytest.mark.skipif(not is_installed("llvm"), reason="LLVM is not installed")
def test_of_two_carries_one_is_held():
    f = compiled(lambda x: sum(t.sum() for t in sg.fori_loop(0, STEPS, lambda k, c: (c[0] * 0.5, c[1] ** 2), (x, x))))
    assert f.lower(X).cost_analysis()["workspace"] < 1.5 * STACK


@pytest.mark.parametrize("backend", ["numpy", "llvm"])
@pytest.mark.parametrize("name", LOOPS)
def test_values_and_gradients_are_those_of_eager_mode(name, backend):
    if backend == "llvm" and not is_installed("llvm"):
        pytest.skip("LLVM is not installed")
    f = loop(LOOPS[name][0])
    x = sg.tensor(X, requires_grad=True)
    y = f(x)
    y.backward()
    value, slope = compiled(f, backend)(X)
    np.testing.assert_allclose(value, float(y.detach()), rtol=1e-12)
    np.testing.assert_allclose(slope, x.grad.numpy(), rtol=1e-12)


def test_stacked_results_that_nobody_reads_are_not_stacked():
    rows = np.ones((STEPS, WIDTH))

    def f(x):
        last, (_, second, _) = sg.scan(lambda c, r: (c * r, (c + 1, c + 2, c.sum())), x, rows)
        return last, second

    program = sg.compile(f, backend="numpy").lower(X).program
    (op,) = [v.op for v in program.values if isinstance(v.op, Scan)]
    assert op.size == WIDTH + STEPS * WIDTH
    last, second = sg.compile(f, backend="numpy")(X)
    np.testing.assert_allclose(last, X)
    np.testing.assert_allclose(second, np.broadcast_to(X + 2, (STEPS, WIDTH)))


def test_rows_of_zeros_become_zeros_of_the_step_with_their_sign():
    def f(x, rows):
        return sg.scan(lambda c, r: (c, c * r), x, rows)[1]

    for zero in (0.0, -0.0):
        rows = np.full((3, WIDTH), zero)
        y = sg.compile(lambda x, rows=rows: f(x, rows), backend="numpy")(X)
        np.testing.assert_array_equal(np.signbit(y), np.signbit(rows))
    infinite = sg.compile(lambda x: f(x, np.zeros((3, 1))), backend="numpy")(np.array([np.inf]))
    assert np.isnan(infinite).all()
