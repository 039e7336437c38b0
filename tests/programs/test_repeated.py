"""Repeated structure: stages of Python loops run as one, with the values that they have one by one."""

import numpy as np
import pytest

import symgrad as sg
from symgrad.engine.program import Spec
from symgrad.engine.record import as_tensor
from symgrad.implicit.programs import all_numbers, with_constants
from symgrad.implicit.repeated import grouped
from symgrad.transforms.tracing import Trace

N = 40
A = np.array([[1.0, 2.0], [3.0, 4.0]])


def program(fn, *shapes):
    """Return a function as a program, in which captured arrays are constants."""
    with Trace() as trace:
        variables = trace.variables([Spec(s, np.dtype(float)) for s in shapes])
        roots = [as_tensor(t) for t in trace.run(fn, variables, "test")]
        body, captured = trace.program(variables, roots)
    return with_constants(body, {len(shapes) + k: t._value for k, t in enumerate(captured)})


def shooting(x, p):
    """Return the defects of Runge-Kutta steps of a pendulum."""

    def slopes(x):
        return sg.stack([x[1], -p * sg.sin(x[0])])

    rows = []
    for k in range(N):
        z = x[k]
        for _ in range(3):
            k1 = slopes(z)
            k2 = slopes(z + 0.05 * k1)
            z = z + 0.05 * (k1 + k2)
        rows.append(x[k + 1] - z)
    return [sg.stack(rows)]


def written(x):
    """Return an array that is written row by row."""
    y = sg.zeros(N)
    for k in range(N):
        y[k] = x[k, 0] * sg.exp(x[k, 1]) * k - 1
    return [y]


FORMS = {
    "arrays": (lambda x: [sg.cat([A @ x[k] + sg.sin(x[k + 1]) * k for k in range(N)]),
                          sum(x[k] @ x[k + 1] for k in range(N))], [(N + 1, 2)]),
    "shooting": (shooting, [(N + 1, 2), ()]),
    "cases": (lambda x: [sg.stack([sg.where(x[k] > 1, x[k] ** 2, sg.exp(-x[k])) * sg.linalg.norm(x[k] + k)
                                   for k in range(N)])], [(N, 3)]),
    "matrices": (lambda x: [sg.stack([sg.linalg.inv(x[k] + 3 * sg.eye(2)).sum() for k in range(N)] + [x[3, 0, 0]])],
                 [(N, 2, 2)]),
    "zeros": (lambda x: [sg.cat([sg.cat([sg.zeros(2), x[k] * x[k]]) for k in range(N)] + [x[0]]),
                         sum([x[k, 0] * x[k, 1] for k in range(N)], 1.5)], [(N, 3)]),
    "powers": (lambda x: [sg.stack([x[k, k % 3] ** (k % 3) + x[k].max() * x[k].mean() for k in range(N)])], [(N, 3)]),
    "tensors": (lambda x: [sg.stack([sg.tensor([1.0, 2.0, k]) @ x[k] * sg.tensor([1.0, k, 3.0]) for k in range(N)])],
                [(N, 3)]),
    "written": (written, [(N, 2)]),
}  # fmt: skip


@pytest.mark.parametrize("name", FORMS)
def test_stages_of_a_loop_run_as_one_with_the_same_results(name):
    fn, shapes = FORMS[name]
    body = program(fn, *shapes)
    new = grouped(body, "test")
    assert 4 * len(new.steps()) <= len(body.steps())
    rng = np.random.default_rng(0)
    xs = [rng.uniform(0.5, 1.5, s) for s in shapes]
    for ours, one_by_one in zip(all_numbers(new, *xs), all_numbers(body, *xs), strict=True):
        np.testing.assert_allclose(ours, one_by_one, rtol=1e-13, atol=1e-13)


@pytest.mark.parametrize("fn", [lambda x: [sg.sin(x)], lambda x: [sg.stack(list(steps(x)))]])
def test_programs_without_repeated_stages_stay_as_they_are(fn):
    body = program(fn, (100,))
    assert grouped(body, "test") is body


def steps(x):
    """Yield states that need each other."""
    z = x[0]
    for k in range(100):
        z = sg.sin(z) + x[k]
        yield z
