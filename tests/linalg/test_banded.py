"""Systems with matrices of bands: values of the full matrix, derivatives, batches, pivots, errors, machine code."""

from __future__ import annotations

import shutil

import numpy as np
import pytest

import symgrad as sg
from symgrad.errors import LinAlgError, ShapeError
from symgrad.ops.linalg import banded

RNG = np.random.default_rng(28)
L = sg.linalg
BANDS = [(1, 1), (2, 0), (0, 1), (0, 0), (3, 1), (2, 4)]


def full(ab, low, up):
    """The matrix with these diagonals."""
    return banded.full_matrix(ab, low, up)


def both(solve, *arguments, backend=None):
    """The sum of squares of a solution, and its gradients."""
    f = sg.value_and_grad(lambda *xs: (solve(*xs) ** 2).sum(), tuple(range(len(arguments))))
    value, gradients = (f if backend is None else sg.compile(f, backend=backend))(*arguments)
    return [np.asarray(value), *map(np.asarray, gradients)]


def assert_equal(results, expected, rtol=1e-8):
    for x, y in zip(results, expected, strict=True):
        np.testing.assert_allclose(x, y, rtol=rtol, atol=rtol * np.abs(y).max())


@pytest.mark.parametrize("with_scipy", [True, False])
@pytest.mark.parametrize(("low", "up"), BANDS)
def test_values_and_gradients_are_those_of_the_full_matrix(monkeypatch, low, up, with_scipy):
    if not with_scipy:
        monkeypatch.setattr(banded, "_routines", lambda: None)
    for shape, right in [((), (9,)), ((), (9, 2)), ((3,), (3, 9)), ((2, 1), (1, 3, 9, 2)), ((), (4, 9, 1))]:
        ab, b = RNG.standard_normal((*shape, low + up + 1, 9)), RNG.standard_normal(right)
        expected = np.linalg.solve(full(ab, low, up), b[..., None] if len(right) == len(shape) + 1 else b)
        value = L.solve_banded((low, up), ab, b).numpy()
        np.testing.assert_allclose(value, expected.reshape(value.shape), rtol=1e-7, atol=1e-9)
        dense = both(lambda ab, b: sg.linalg.solve_banded((low, up), ab, b), ab, b)
        number = (RNG.standard_normal(ab.shape), RNG.standard_normal(b.shape))
        f = lambda t, ab=ab, b=b, number=number: (
            sg.linalg.solve_banded((low, up), ab + t * number[0], b + t * number[1]) ** 2
        ).sum()
        along = sum((g * v).sum() for g, v in zip(dense[1:], number, strict=True))
        np.testing.assert_allclose(sg.jvp(f, (np.array(0.0),), (np.array(1.0),))[1], along, rtol=1e-7)


@pytest.mark.parametrize("lower", [True, False])
def test_a_symmetric_matrix_is_factorised_whether_it_is_definite_or_not(lower):
    ab, b = RNG.standard_normal((3, 8)), RNG.standard_normal(8)
    for shift in (9.0, 0.0, -1.0):
        half = ab + shift * np.array([1.0, 0.0, 0.0])[:: 1 if lower else -1, None]
        bands = half if lower else np.array([[*half[2 - d, d:], *np.zeros(d)] for d in range(3)])
        A = full(bands, 2, 0)
        A = A + np.tril(A, -1).T
        np.testing.assert_allclose(L.solveh_banded(half, b, lower=lower).numpy(), np.linalg.solve(A, b), rtol=1e-8)


def test_a_complex_matrix_is_hermitian():
    linalg = pytest.importorskip("scipy.linalg")
    ab = RNG.standard_normal((2, 6)) + 1j * RNG.standard_normal((2, 6))
    ab[0] = 9.0
    b = RNG.standard_normal(6) + 1j
    np.testing.assert_allclose(L.solveh_banded(ab, b, lower=True).numpy(), linalg.solveh_banded(ab, b, lower=True))


def test_entries_outside_of_the_matrix_are_not_looked_at():
    ab, b = RNG.standard_normal((3, 6)) + np.array([[0.0], [5.0], [0.0]]), np.ones(6)
    other = ab.copy()
    other[0, 0], other[2, -1] = np.nan, np.inf
    results = [both(lambda ab, b: L.solve_banded((1, 1), ab, b), m, b) for m in (ab, other)]
    assert_equal(*results, rtol=1e-14)
    assert results[1][1][0, 0] == results[1][1][2, -1] == 0.0
    assert_equal(both(lambda ab, b: L.solve_banded((1, 1), ab, b), other, b, backend="auto"), results[0])


def test_errors_are_of_the_shapes_and_of_singular_matrices():
    for backend in (None, "numpy"):
        f = lambda ab, b: L.solve_banded((1, 1), ab, b)
        f = f if backend is None else sg.compile(f, backend=backend)
        with pytest.raises(LinAlgError, match="singular"):
            f(np.zeros((3, 4)), np.ones(4))
    with pytest.raises(ShapeError, match=r"not compatible.*Expected b to have 4 rows"):
        L.solve_banded((1, 1), np.ones((3, 4)), np.ones(3))
    with pytest.raises(ShapeError, match=r"l . u . 1 = 2 does not equal"):
        L.solve_banded((-1, 2), np.ones((2, 4)), np.ones(4))
    with pytest.raises(ShapeError, match="matrix of diagonals"):
        L.solveh_banded(np.ones(4), np.ones(4))


def test_vmap_solves_a_batch_at_once():
    ab, b = RNG.standard_normal((5, 3, 7)), RNG.standard_normal((5, 7))
    solve = lambda ab, b: L.solve_banded((1, 1), ab, b)
    np.testing.assert_allclose(sg.vmap(solve)(ab, b), solve(ab, b).numpy())
    np.testing.assert_allclose(sg.vmap(solve, (None, 0))(ab[0], b), solve(ab[0], b.T).numpy().T, rtol=1e-9)


# ------------------------------------------------------------------ machine code
def heat(u):
    """Ten implicit steps of the heat equation."""
    step = lambda u, _: (L.solve_banded((1, 1), np.array([[-1.0], [3.0], [-1.0]]) * np.ones(len(u)), u), None)
    return (sg.scan(step, u, None, length=10)[0] ** 2).sum()


@pytest.mark.parametrize("backend", ["llvm", "c"])
def test_a_loop_of_implicit_steps_is_machine_code(backend):
    pytest.importorskip("llvmlite.binding")
    if backend == "c" and not shutil.which("cc"):
        pytest.skip("there is no C compiler")
    u = RNG.standard_normal(20)
    f = sg.value_and_grad(heat)
    fast = sg.compile(f, backend=backend)
    assert_equal(fast(u), [x.detach().numpy() for x in f(sg.tensor(u))], rtol=1e-12)
    assert "Outside(" not in fast.lower(u).stages["nests"]


def test_value_and_gradient_factorise_once():
    pytest.importorskip("llvmlite.binding")
    ab, b = RNG.standard_normal((3, 8)), RNG.standard_normal(8)
    f = sg.value_and_grad(lambda ab, b: (L.solve_banded((1, 1), ab, b) ** 2).sum(), (0, 1))
    nests = sg.compile(f, backend="llvm").lower(ab, b).stages["nests"]
    assert (nests.count("band_factors("), nests.count("band_solved(")) == (1, 2)
