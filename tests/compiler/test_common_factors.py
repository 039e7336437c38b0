"""Sums of products with a common factor: one product of the factors' sum."""

from __future__ import annotations

import numpy as np
import pytest

import symgrad as sg
from symgrad.compiler.backends.c import compiler
from symgrad.ops.contract import Einsum

RNG = np.random.default_rng(5)
X, W, B, C = RNG.normal(size=(50, 6)), RNG.normal(size=(6, 6)), RNG.normal(size=(3, 40, 6)), RNG.normal(size=(3, 6, 6))
PROGRAMS = {  # with how many products value and gradient have
    "gram matrix": (lambda x, w: ((x.T @ x) * w).sum(), X, W, 2),
    "gram matrix of rows": (lambda x, w: ((x.T @ x) * w).sum(), X.T.copy().T, W, 2),
    "covariance": (lambda x, w: (sg.cov(x.T) * w).sum(), X, W, 2),
    "in batches": (lambda x, w: ((x.mT @ x) * w).sum(), B, C, 2),
    "with a term beside": (lambda x, w: ((x.T @ x) * w).sum() + sg.sin(x).sum(), X, W, 2),
    "two axes summed": (lambda x, w: (sg.einsum("bni,bnj->ij", x, x) * w).sum(), B, W, 2),
    "two layers": (lambda x, w: sg.tanh(x @ w + x @ sg.sin(w)).sum(), X, W, 3),
}


def _compiled(name, backend):
    f, x, w, _ = PROGRAMS[name]
    wanted = (0, 1) if name == "two layers" else 0
    return sg.compile(sg.value_and_grad(f, wanted), backend=backend), x, w


def _products(f, *args):
    program = f.lower(*args).program
    operations = [program.values[k].op for k in program.live()]
    return sum(isinstance(op, Einsum) and len(op.terms) == 2 for op in operations)


@pytest.mark.parametrize("name", PROGRAMS)
def test_products_with_a_common_factor_become_one(name):
    f, x, w = _compiled(name, "numpy")
    value, slopes = f(x, w)
    eager, others = sg.value_and_grad(PROGRAMS[name][0], (0, 1) if name == "two layers" else 0)(
        sg.tensor(x), sg.tensor(w)
    )
    np.testing.assert_allclose(value, eager.numpy(), rtol=1e-12)
    pairs = zip(slopes, others, strict=True) if isinstance(slopes, tuple) else [(slopes, others)]
    for a, b in pairs:
        np.testing.assert_allclose(a, b.numpy(), rtol=1e-9, atol=1e-12)
    assert _products(f, x, w) == PROGRAMS[name][3]


@pytest.mark.parametrize("backend", ["llvm", "c", "python"])
def test_every_backend_computes_the_joint_product(backend):
    if backend == "llvm":
        pytest.importorskip("llvmlite")
    if backend == "c" and compiler.command() is None:
        pytest.skip("no C compiler")
    expected = _compiled("covariance", "numpy")
    f, x, w = _compiled("covariance", backend)
    np.testing.assert_allclose(f(x, w)[1], expected[0](x, w)[1], rtol=1e-10, atol=1e-13)


def test_products_that_another_step_reads_or_that_are_small_stay_apart():
    x, a, b = RNG.normal(size=(8, 8)), RNG.normal(size=8), RNG.normal(size=8)
    vectors = sg.compile(lambda x, y, a: x @ a + y @ a, backend="numpy")
    assert _products(vectors, x, x + 1, a) == 2  # a sum of matrices costs as much as a product with a vector
    shared = sg.compile(lambda x, y, z: (y @ x + z @ x, y @ x, z @ x), backend="numpy")
    assert _products(shared, x, x + 1, x + 2) == 2
    integers = sg.compile(lambda x, y, z: y @ x + z @ x, backend="numpy")
    assert _products(integers, *[np.arange(256).reshape(16, 16) % k for k in (3, 5, 7)]) == 2
    np.testing.assert_allclose(vectors(x, x + 1, b), x @ b + (x + 1) @ b)


def test_numbers_times_different_arrays_are_not_joined():
    x, y = RNG.normal(size=(4, 4)), RNG.normal(size=(4, 4))
    scaled = sg.compile(lambda s, t, x, y: sg.einsum(",ab->ab", s, x) + sg.einsum(",ab->ab", t, y), backend="numpy")
    np.testing.assert_allclose(scaled(2.0, 5.0, x, y), 2 * x + 5 * y)
    beside = sg.compile(lambda s, x, y: sg.einsum(",ab->ab", s, x) + x @ y, backend="numpy")
    np.testing.assert_allclose(beside(2.0, x, y), 2 * x + x @ y)
