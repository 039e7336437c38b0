"""Products of a Jacobian with many vectors, made in the trace of the function, against the dense Jacobian."""

import numpy as np
import pytest

import symgrad as sg
from symgrad.engine.program import Spec
from symgrad.engine.record import as_tensor
from symgrad.implicit import products, programs

A = np.random.default_rng(0).normal(size=(4, 4)) + 4 * np.eye(4)
FUNCTIONS = {
    "elementwise": lambda x: sg.sin(x) * sg.exp(-x) / (1 + x**2),
    "broadcast": lambda x: sg.sin(x.reshape(4, 1) * x[:2]) + x[0],
    "contracted": lambda x: A @ sg.cos(x) + x * (x @ x),
    "gathered and joined": lambda x: sg.cat([x[[3, 0, 0]] ** 2, x[1:3] * x[0]]),
    "reduced": lambda x: sg.stack([x.prod(), (x**2).max(), sg.logsumexp(x, 0), x.std()]),
    "solved": lambda x: sg.linalg.solve(sg.tensor(A) + sg.diag(x), x**2),
    "chosen": lambda x: sg.where(x > 0.5, x**3, sg.abs(x)),
    "looped": lambda x: sg.scan(lambda c, v: (c * v + 1, c), x[0], x)[1],
    "constant in part": lambda x: sg.cat([x * 0.0 + 1.0, sg.floor(x), x]),
    "constant": lambda x: sg.floor(x),
    "the argument": lambda x: x,
}
DOUBLE = np.dtype(np.float64)


@pytest.mark.parametrize("name", FUNCTIONS)
def test_products_with_rows_are_those_of_the_dense_jacobian(name):
    fn, x = FUNCTIONS[name], np.array([0.3, 0.9, -1.2, 0.7])
    J = np.asarray(sg.jacobian(fn)(x))
    shape, rng = J.shape[:-1], np.random.default_rng(1)
    ahead, back = rng.normal(size=(3, 4)), rng.normal(size=(2, *shape))

    def both(x, v, u):
        y = as_tensor(fn(x))
        return [products.pushed_rows(y, x, v), products.pulled_rows(y, x, u)]

    program = programs.traced([Spec(a.shape, DOUBLE) for a in (x, ahead, back)], both, "test: traced")
    pushed, pulled = programs.all_numbers(program, x, ahead, back)
    np.testing.assert_allclose(pushed, np.einsum("kj,...j->k...", ahead, J), atol=1e-12)
    np.testing.assert_allclose(pulled, back.reshape(2, -1) @ J.reshape(-1, 4), atol=1e-12)
