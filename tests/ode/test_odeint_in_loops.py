"""Differential equations in the steps of a loop, and the loop over the steps of one equation."""

import numpy as np
import pytest

import symgrad as sg
from symgrad.support.extras import is_installed
from symgrad.transforms.loops.op import Scan
from symgrad.transforms.loops.scanning import scan_until

TIMES = np.linspace(0.0, 2.0, 4)


def growth(y, t, k):
    return k * y * (1 - y)


def descent(k, c):
    """Three steps along the slope of a solution, with a value of each."""

    def step(k, x):
        value, slope = sg.value_and_grad(lambda k: (sg.odeint(growth, 0.3 * x, TIMES, k) ** 2).sum())(k)
        return k - 0.1 * c * slope, value

    return sg.scan(step, k, np.array([1.0, 0.9, 0.8]))


@pytest.mark.skipif(not is_installed("llvm"), reason="needs the extra llvm")
def test_steps_of_a_loop_around_an_equation_are_compiled(monkeypatch):
    last, values = descent(1.2, 0.7)
    loop = sg.compile(descent, backend="llvm")

    def refused(*args):
        raise AssertionError("the loop ran without a kernel for its steps")

    monkeypatch.setattr(Scan, "forward", refused)
    own_last, own_values = loop(1.2, 0.7)
    np.testing.assert_allclose(own_last, last.item(), rtol=1e-13)
    np.testing.assert_allclose(own_values, values.numpy(), rtol=1e-13)
    assert "Flow" in loop.lower(1.2, 0.7).cost["outside"][0]


@pytest.mark.parametrize("backend", ["llvm", "numpy", "c"])
def test_a_loop_ends_after_the_step_that_says_so(backend):
    if backend == "llvm" and not is_installed("llvm"):
        pytest.skip("needs the extra llvm")

    def halved(x):
        def step(carry, _):
            x, ended = carry
            after = sg.where(ended > 0, x, x / 2)
            return (after, sg.where(after < 1.0, 1.0, ended)), after

        (last, ended), rows = scan_until(step, (x, 0.0), None, 50, until=1)
        return last, ended, rows[:3]

    last, ended, rows = sg.compile(halved, backend=backend)(5.0)
    assert (last, ended, rows.tolist()) == (0.625, 1.0, [2.5, 1.25, 0.625])


def test_a_loop_runs_no_step_after_its_end():
    runs = []

    def counted(*xs):
        runs.append(xs)
        return [xs[0] + 1, float(xs[0] + 1 >= 3)]

    op = Scan.of(body_of_count(), 2, 0, 50, until=1)
    op.stepped(counted, [0.0, 0.0], op.packed)
    assert len(runs) == 3


def body_of_count():
    def step(carry, _):
        n, ended = carry
        return (n + 1, sg.where(n + 1 >= 3.0, 1.0, ended)), None

    def run(n):
        return scan_until(step, (n, 0.0), None, 50, until=1)[0][0]

    program = sg.compile(run, backend="numpy").lower(0.0).program
    return next(v.op.body for v in program.values if isinstance(v.op, Scan))
