"""Factorisations that report where they fail, and histograms with weights."""

import numpy as np
import pytest

import symgrad as sg
from symgrad.errors import ArgumentError, LinAlgError, ShapeError

MIXED = np.array([[[2.0, 1.0], [1.0, 3.0]], [[1.0, 2.0], [2.0, 4.0]]])
FACTORISATIONS = ("inv_ex", "cholesky_ex", "lu_factor_ex", "ldl_factor_ex")


@pytest.mark.parametrize("name", FACTORISATIONS)
def test_a_matrix_that_fails_leaves_the_others_and_their_gradients(name):
    f = getattr(sg.linalg, name)
    assert f(MIXED).info.tolist() == [0, 2]
    assert f(np.ones((2, 0, 0))).info.tolist() == [0, 0]
    with pytest.raises(LinAlgError):
        f(MIXED, check_errors=True)
    if name in ("inv_ex", "cholesky_ex"):
        result = f(MIXED)[0].numpy()
        assert np.isfinite(result[0]).all()
        assert np.isnan(result[1]).all()
        gradient = sg.grad(lambda A: sg.nansum(f(A)[0]))(MIXED)
        plain = getattr(sg.linalg, name.removesuffix("_ex"))
        np.testing.assert_allclose(gradient[0], sg.grad(lambda A: plain(A).sum())(MIXED[0]))
        np.testing.assert_array_equal(gradient[1], np.zeros((2, 2)))


def test_systems_report_which_of_them_are_singular():
    x, info = sg.linalg.solve_ex(MIXED, np.ones((2, 2)))
    assert info.tolist() == [0, 2]
    np.testing.assert_allclose(x[0], np.linalg.solve(MIXED[0], np.ones(2)))
    assert np.isnan(x[1].numpy()).all()


def test_counts_are_differentiated_in_their_weights():
    x, edges = np.array([0.1, 0.9, 0.95, 3.0]), np.array([0.0, 0.5, 1.0])
    counts, returned = sg.histogram(x, edges, weight=np.array([1.0, 2.0, 4.0, 8.0]))
    np.testing.assert_array_equal(counts, [1.0, 6.0])
    np.testing.assert_array_equal(returned, edges)
    gradient = sg.grad(lambda w: sg.histogram(x, edges, weight=w).hist[1])(np.ones(4))
    np.testing.assert_array_equal(gradient, [0.0, 1.0, 1.0, 0.0])
    density = sg.histogramdd(np.stack([x, x], 1), [2, 3], density=True)
    volumes = np.outer(np.diff(density.bin_edges[0]), np.diff(density.bin_edges[1]))
    np.testing.assert_allclose((density.hist.numpy() * volumes).sum(), 1.0)


@pytest.mark.parametrize(("call", "error", "text"), [
    (lambda: sg.histogram(np.ones(2), 0), ArgumentError, "bins must be > 0"),
    (lambda: sg.histogram(np.ones(2), np.array([1.0, 0.0])), ArgumentError, "Expected .* ascending"),
    (lambda: sg.histogram(np.ones(2), 2, range=(1.0, 0.0)), ArgumentError, "the smaller first"),
    (lambda: sg.histogram(np.ones(2), 2, weight=np.ones(3)), ShapeError, "a weight for each entry"),
    (lambda: sg.histogramdd(np.ones((2, 3)), [1, 2]), ArgumentError, "2 bins for 3 coordinates"),
    (lambda: sg.gradient(np.ones((2, 3)), spacing=[1.0]), ArgumentError, "1 spacings for 2 axes"),
    (lambda: sg.gradient(np.ones(2), edge_order=2), ShapeError, "Expected 3 or more"),
])  # fmt: skip
def test_what_cannot_be_counted_is_refused(call, error, text):
    with pytest.raises(error, match=text):
        call()


@pytest.mark.parametrize("name", FACTORISATIONS)
def test_compiled_factorisations_of_numbers_below_one_succeed(name):
    A = np.array([[[0.5, 0.25], [0.25, 0.5]], [[0.0, 0.0], [0.0, 0.5]], [[np.inf, 0.0], [0.0, 1.0]]])
    expected = getattr(sg.linalg, name)(sg.tensor(A)).info.numpy()
    for backend in ("numpy", "llvm"):
        if backend == "llvm":
            pytest.importorskip("llvmlite")
        np.testing.assert_array_equal(
            sg.compile(lambda A: getattr(sg.linalg, name)(A).info, backend=backend)(A), expected
        )
