"""Triangular systems by substitution in blocks: the numbers of elimination, and its errors."""

from __future__ import annotations

import numpy as np
import pytest

import symgrad as sg
from symgrad.ops.linalg import substitution
from symgrad.ops.linalg.substitution import BLOCK, solved

RNG = np.random.default_rng(0)
N = 2 * BLOCK + 37


def triangular(*batch: int, upper: bool = False, dtype: type = float) -> np.ndarray:
    """Well-conditioned triangular matrices."""
    a = RNG.normal(size=(*batch, N, N)) / N + np.eye(N) * np.linspace(1, 2, N)
    a = a + 1j * RNG.normal(size=a.shape) / N if dtype is complex else a.astype(dtype)
    return np.triu(a) if upper else np.tril(a)


@pytest.fixture
def sizes(monkeypatch):
    """The sizes of the systems that elimination gets."""
    found, real = [], np.linalg.solve
    monkeypatch.setattr(substitution.np.linalg, "solve", lambda a, b: found.append(a.shape[-1]) or real(a, b))
    return found


@pytest.mark.parametrize("dtype", [np.float32, float, complex])
@pytest.mark.parametrize("upper", [False, True])
@pytest.mark.parametrize(("batch", "columns"), [((), 1), ((), 70), ((3,), 5), ((0,), 5)])
def test_substitution_gives_the_numbers_of_elimination(batch, columns, upper, dtype, sizes):
    a, b = triangular(*batch, upper=upper, dtype=dtype), RNG.normal(size=(N, columns)).astype(dtype)
    found = solved(a, b)
    assert max(sizes) == N if batch == (0,) else max(sizes) <= BLOCK
    expected = np.linalg.solve(a, b)
    assert found.dtype == expected.dtype
    np.testing.assert_allclose(found, expected, rtol=1e-4 if dtype is np.float32 else 1e-12, atol=1e-6)


@pytest.mark.parametrize("upper", [False, True])
@pytest.mark.parametrize("n", [2, 40, BLOCK + 10])
def test_unknowns_of_ill_conditioned_triangles_keep_their_digits(n, upper):
    a = np.random.default_rng(3).normal(size=(3, n, n))
    a, b = np.triu(a) if upper else np.tril(a), RNG.normal(size=(3, n, 2))
    x = sg.linalg.solve_triangular(sg.tensor(a), sg.tensor(b), upper=upper).numpy()
    assert np.all(abs(a @ x - b) <= n * 2**-52 * (abs(a) @ abs(x) + abs(b)))


def test_what_is_not_triangular_is_eliminated(sizes):
    a = triangular()
    a[3, 4] = 1e-9
    solved(a, np.ones((N, 1)))
    assert sizes == [N]


@pytest.mark.parametrize("upper", [False, True])
@pytest.mark.parametrize("k", [0, BLOCK, N - 1])
def test_a_singular_triangle_is_an_error(k, upper):
    a = triangular(upper=upper)
    a[k, k] = 0
    with pytest.raises(sg.errors.LinAlgError, match="singular"):
        sg.linalg.solve_triangular(a, np.ones((N, 1)), upper=upper)


def test_the_gradient_of_a_factor_is_that_of_the_matrix():
    x = RNG.normal(size=(N, N))
    a, c = x @ x.T / N + np.eye(N), RNG.normal(size=N)
    f = sg.compile(sg.value_and_grad(lambda a: sg.linalg.slogdet(a).logabsdet + c @ sg.linalg.solve(a, c)))
    g = sg.compile(
        sg.value_and_grad(lambda a: 2 * sg.log(sg.diagonal(L := sg.linalg.cholesky(a))).sum()
                          + (sg.linalg.solve_triangular(L, c[:, None], upper=False) ** 2).sum())
    )  # fmt: skip
    for ours, expected in zip(g(a), f(a), strict=True):
        np.testing.assert_allclose(ours, (expected + np.transpose(expected)) / 2, rtol=1e-9, atol=1e-9)
