"""Systems of equations that share a matrix, which compiled programs factorise once."""

import numpy as np
import pytest

import symgrad as sg
from symgrad.compiler.backends.llvm import systems
from symgrad.errors import LinAlgError

RNG = np.random.default_rng(5)
N = 110  # rows, above those of machine code's own elimination
A = RNG.normal(size=(N, N)) + 12 * np.eye(N)
MATRICES = {
    "full": A,
    "lower": np.tril(A),
    "upper": np.triu(A),
    "with 0 in the corners": np.triu(np.tril(A, N - 2), 2 - N),
}
pytest.importorskip("scipy")


def loss(a, b):
    return (sg.linalg.solve(a, b) ** 2).sum()


def calls(monkeypatch):
    """Count how often LAPACK factorises."""
    seen = []
    known = systems._routines()

    def counted(factorise):
        return lambda a: seen.append(a.shape) or factorise(a)

    monkeypatch.setattr(systems, "_routines", lambda: {k: (counted(f), s) for k, (f, s) in known.items()})
    return seen


@pytest.mark.parametrize("backend", ["llvm", "c"])
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("shape", [(N,), (N, 3)])
@pytest.mark.parametrize("name", list(MATRICES))
def test_solutions_and_gradients_are_those_of_eager_mode(name, shape, dtype, backend):
    a, b = MATRICES[name].astype(dtype), RNG.normal(size=shape).astype(dtype)
    value, slopes = sg.compile(sg.value_and_grad(loss, (0, 1)), backend=backend)(a, b)
    expected, gradients = sg.value_and_grad(loss, (0, 1))(a, b)
    size = 1e-11 if dtype == np.float64 else 2e-3
    for got, want in zip([value, *slopes], [expected, *gradients], strict=True):
        want = np.asarray(want)
        assert np.asarray(got).dtype == dtype
        np.testing.assert_allclose(got, want, rtol=0, atol=size * np.abs(want).max())


def test_value_and_gradient_factorise_once_a_call(monkeypatch):
    seen = calls(monkeypatch)
    f = sg.compile(sg.value_and_grad(loss, (0, 1)), backend="llvm")
    for count, scale in ((1, 1.0), (2, 2.0)):
        _, (slope, _) = f(scale * A, np.ones(N))
        assert len(seen) == count
        np.testing.assert_allclose(slope, sg.grad(loss)(scale * A, np.ones(N)), rtol=1e-9, atol=1e-14)


def test_matrices_that_differ_have_factors_of_their_own():
    def both(a, c, b):
        return (sg.linalg.solve(a, b) * sg.linalg.solve(c, b)).sum()

    args = A, A.T + np.eye(N), np.ones(N)
    got = sg.compile(sg.grad(both, (0, 1, 2)), backend="llvm")(*args)
    for g, want in zip(got, sg.grad(both, (0, 1, 2))(*args), strict=True):
        np.testing.assert_allclose(g, want, rtol=1e-9, atol=1e-13)


def test_singular_matrices_raise_eager_modes_error_and_others_are_solved_after_them():
    f = sg.compile(sg.value_and_grad(loss, (0, 1)), backend="llvm")
    singular = A.copy()
    singular[:, 3] = 0.0
    for _ in range(2):
        with pytest.raises(LinAlgError, match="singular"):
            f(singular, np.ones(N))
        np.testing.assert_allclose(f(A, np.ones(N))[0], loss(A, np.ones(N)), rtol=1e-12)


def test_matrices_that_are_not_finite_have_no_numbers_for_solutions():
    bad = A.copy()
    bad[4, 5] = np.nan
    value, (slope, _) = sg.compile(sg.value_and_grad(loss, (0, 1)), backend="llvm")(bad, np.ones(N))
    assert np.isnan(value)
    np.testing.assert_array_equal(np.isnan(slope), np.isnan(np.asarray(sg.grad(loss)(bad, np.ones(N)))))


def test_without_scipy_each_system_is_solved_for_itself(monkeypatch):
    monkeypatch.setattr(systems, "_routines", dict)
    value, _ = sg.compile(sg.value_and_grad(loss, (0, 1)), backend="llvm")(A, np.ones(N))
    np.testing.assert_allclose(value, loss(A, np.ones(N)), rtol=1e-12)
