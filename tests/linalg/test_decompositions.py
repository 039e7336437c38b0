"""Matrix decompositions and functions beyond what the table shows: errors, limits, and parts that fit together."""

import numpy as np
import pytest

import symgrad as sg

A = np.random.default_rng(0).normal(size=(5, 4))
SQUARE = A[:4] + A[:4].T


def test_parts_of_equal_eigenvalues_and_singular_values_fit_together():
    values, vectors = sg.linalg.eigh(sg.eye(4))
    np.testing.assert_allclose((vectors * values) @ vectors.mT, np.eye(4), atol=1e-14)
    U, S, Vh = sg.linalg.svd(sg.ones(3, 3))
    np.testing.assert_allclose((U * S) @ Vh, np.ones((3, 3)), atol=1e-14)


@pytest.mark.parametrize("mode", [False, True])
def test_singular_vectors_are_orthonormal(mode):
    U, S, Vh = sg.linalg.svd(sg.tensor(A), full_matrices=mode)
    assert U.shape == ((5, 5) if mode else (5, 4))
    np.testing.assert_allclose(U.mT @ U, np.eye(U.shape[1]), atol=1e-14)
    np.testing.assert_allclose((U[:, :4] * S) @ Vh, A, atol=1e-14)


def test_changing_an_array_that_was_returned_changes_no_later_result():
    x = sg.tensor(SQUARE)
    before = np.array(sg.linalg.eigvalsh(x))
    kept = before.copy()
    before[:] = 0
    np.testing.assert_array_equal(sg.linalg.eigvalsh(x), kept)


def test_eigenvectors_of_equal_eigenvalues_have_no_finite_gradient():
    x = sg.eye(2).requires_grad_()
    sg.linalg.eigh(x).eigenvectors.sum().backward()
    assert not np.isfinite(x.grad.numpy()).any()


def test_sum_of_equal_eigenvalues_has_a_gradient():
    x = sg.eye(3).requires_grad_()
    sg.linalg.eigvalsh(x).sum().backward()
    np.testing.assert_allclose(x.grad, np.eye(3), atol=1e-15)


@pytest.mark.parametrize("size", [1e-9, 1.0, 1e3])
def test_exponential_of_a_matrix_has_the_eigenvalues_exponential(size):
    values, vectors = np.linalg.eigh(SQUARE)
    values = size * (values - values.max())
    x = (vectors * values) @ vectors.T
    np.testing.assert_allclose(sg.matrix_exp(sg.tensor(x)), (vectors * np.exp(values)) @ vectors.T, atol=1e-11)


def test_exponential_takes_each_matrix_of_a_batch_at_its_own_scale():
    batch = np.stack([1e-3 * SQUARE, 9 * SQUARE])
    for found, x in zip(sg.matrix_exp(sg.tensor(batch)).numpy(), batch, strict=True):
        np.testing.assert_allclose(found, sg.matrix_exp(sg.tensor(x)).numpy(), rtol=1e-10)


def test_third_derivative_of_the_exponential_of_a_number_is_itself():
    f = lambda x: sg.matrix_exp(x.reshape(1, 1)).sum()
    third = sg.grad(lambda x: sg.grad(lambda z: sg.grad(f)(z))(x))
    np.testing.assert_allclose(third(sg.tensor(0.7)), np.exp(0.7))


def test_least_squares_leaves_what_is_orthogonal_to_the_columns():
    b = np.arange(5.0)
    found = sg.linalg.lstsq(sg.tensor(A), sg.tensor(b))
    left = A @ found.solution.numpy() - b
    np.testing.assert_allclose(A.T @ left, 0, atol=1e-13)
    np.testing.assert_allclose(found.residuals, [left @ left])
    assert found.rank.item() == 4


REFUSED = [
    (lambda: sg.linalg.eigh(sg.ones(2, 3)), sg.errors.ShapeError, "square matrices"),
    (lambda: sg.linalg.eigvalsh(sg.ones(2, 2), "X"), sg.errors.ArgumentError, "Expected UPLO argument"),
    (lambda: sg.linalg.eigh(sg.tensor([[np.nan, 0], [0, 1.0]])), sg.errors.LinAlgError, "non-finite values"),
    (lambda: sg.linalg.svd(sg.ones(3)), sg.errors.ShapeError, "at least 2 dimensions"),
    (lambda: sg.linalg.qr(sg.ones(2, 2), "full"), sg.errors.ArgumentError, "unrecognized mode"),
    (lambda: sg.linalg.qr(sg.ones(3, 2), "complete"), sg.errors.NotYet, "as many columns as rows"),
    (lambda: sg.matrix_exp(sg.ones(2, 3)), sg.errors.ShapeError, "square matrices"),
    (lambda: sg.linalg.pinv(sg.ones(2)), sg.errors.ShapeError, "at least 2 dimensions"),
    (lambda: sg.linalg.lstsq(sg.ones(2, 2), sg.ones(3, 1)), sg.errors.ShapeError, "should match"),
    (lambda: sg.linalg.matrix_norm(sg.ones(2, 2), 3), sg.errors.ArgumentError, "Order 3 not supported"),
]


@pytest.mark.parametrize(("call", "kind", "words"), REFUSED)
def test_bad_input_is_refused_in_words(call, kind, words):
    with pytest.raises(kind, match=words):
        call()


@pytest.mark.parametrize("function", [sg.linalg.svdvals, sg.matrix_exp, lambda X: sg.linalg.qr(X).R])
def test_entries_of_larger_matrices_have_no_formula(function):
    X = sg.symbol("X", (3, 3))
    with pytest.raises(sg.errors.FormError, match="3 rows have no formula"):
        sg.derive(function(X).sum(), X).scalar()
