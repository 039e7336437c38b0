"""sg.stats.transforms: Jacobians by autodiff, round trips, Stan's own values, what is printed and what is refused."""

import numpy as np
import pytest

import symgrad as sg
from symgrad.errors import ArgumentError, ArgumentTypeError, NotYet, ShapeError

T = sg.stats.transforms
ALL = [
    T.real, T.positive, T.lower(2.0), T.upper(1.0), T.interval(1.0, 3.0), T.affine(2.0, 3.0), T.ordered,
    T.positive_ordered, T.simplex, T.sum_to_zero, T.unit_vector, T.cholesky_corr, T.corr_matrix, T.cholesky_cov,
    T.cov_matrix,
]  # fmt: skip


def free_entries(transform, x):
    """The entries of x that determine it."""
    if transform.name in ("simplex", "sum_to_zero"):
        return x[:-1]
    if transform.event_dim == 2:
        rows, columns = np.tril_indices(x.shape[-1], -("corr" in transform.name))
        return x[rows, columns]
    return x


@pytest.mark.parametrize("transform", ALL, ids=lambda t: t.name)
def test_log_determinants_are_those_of_jacobians_and_inverses_invert(transform):
    shape = transform.unconstrained_shape((4, 4) if transform.event_dim == 2 else (4,))
    batch = np.random.default_rng(3).normal(size=(2, 3, *shape))
    y = batch[1, 2]
    x, log_det = transform(batch), transform.log_det_jacobian(batch)
    np.testing.assert_allclose(x[1, 2], transform.forward(y), rtol=1e-14)
    np.testing.assert_allclose(log_det[1, 2], transform.log_det_jacobian(y), rtol=1e-14)
    if transform is T.unit_vector:
        np.testing.assert_allclose((x**2).sum(-1), np.ones((2, 3)), rtol=1e-14)
        np.testing.assert_allclose(transform.inverse(x), x, rtol=1e-14)
        np.testing.assert_allclose(log_det, -(batch**2).sum(-1) / 2, rtol=1e-14)
        return
    np.testing.assert_allclose(transform.inverse(x), batch, rtol=1e-11, atol=1e-13)
    jacobian = sg.jacobian(lambda y: free_entries(transform, transform.forward(y)))(y)
    expected = np.linalg.slogdet(np.asarray(jacobian))[1]
    if transform is T.sum_to_zero:  # volumes on the plane: those of the first entries, times √K
        expected += np.log(4) / 2
    np.testing.assert_allclose(log_det[1, 2].sum(), expected, rtol=1e-13, atol=1e-13)
    f = sg.compile(sg.grad(lambda y: (transform(y) ** 2).sum() + transform.log_det_jacobian(y).sum()))
    eager = sg.grad(lambda y: (transform(y) ** 2).sum() + transform.log_det_jacobian(y).sum())
    np.testing.assert_allclose(f(y), eager(y), rtol=1e-11, atol=1e-13)


def test_points_are_those_of_stans_algorithms():
    y = np.array([0.3, -1.2, 0.8])
    x, total = np.zeros(4), 0.0
    for n in (3, 2, 1):
        w = y[n - 1] / np.sqrt(n * (n + 1))
        total += w
        x[n - 1] += total
        x[n] -= w * n
    np.testing.assert_allclose(T.sum_to_zero(y), x, rtol=1e-14)
    np.testing.assert_allclose(T.simplex(y), np.exp(x) / np.exp(x).sum(), rtol=1e-14)
    z = np.tanh(y)
    rows = [[1, 0, 0], [z[0], np.sqrt(1 - z[0] ** 2), 0]]
    rest = np.sqrt(1 - z[1] ** 2)
    rows.append([z[1], z[2] * rest, rest * np.sqrt(1 - z[2] ** 2)])
    np.testing.assert_allclose(T.cholesky_corr(y), rows, rtol=1e-14)
    np.testing.assert_allclose(T.corr_matrix(y), np.array(rows) @ np.array(rows).T, rtol=1e-14)
    partial = sum((3 - i - 1) / 2 * np.log(1 - z[k] ** 2) for k, i in ((0, 1), (1, 1), (2, 2)))
    expected = partial + np.log(1 - z**2).sum()
    np.testing.assert_allclose(T.corr_matrix.log_det_jacobian(y), expected, rtol=1e-14)
    np.testing.assert_allclose(T.cholesky_cov(y), [[np.exp(0.3), 0], [-1.2, np.exp(0.8)]], rtol=1e-15)
    np.testing.assert_allclose(T.cov_matrix.log_det_jacobian(y), 2 * np.log(2) + 3 * 0.3 + 2 * 0.8, rtol=1e-14)


def test_values_far_out_stay_finite():
    y = np.array([300.0, -300.0, 200.0])
    for transform in (T.simplex, T.cholesky_corr, T.corr_matrix):
        assert np.isfinite(transform(y)).all()
        assert np.isfinite(transform.log_det_jacobian(y)).all()
    np.testing.assert_allclose(T.interval(0, 1).log_det_jacobian(-800.0), -800.0)
    np.testing.assert_allclose(T.cholesky_corr.inverse(T.cholesky_corr(y / 40)), y / 40, rtol=1e-9)


PRINTED = [
    (T.real, "y", "0"),
    (T.positive, "exp(y)", "y"),
    (T.upper(sg.symbol("b")), "b - exp(y)", "y"),
    (T.interval(0, 1), "σ(y)", "logsigmoid(-y) + logsigmoid(y)"),
    (T.ordered, "Sum_{k=0..i} {y_k if k < 1; exp(y_k) otherwise}", "sum(y[1:])"),
    (T.simplex, "softmax(V*y)", "log(K)/2 + sum(V*y - logsumexp(V*y))"),
    (T.unit_vector, "y/‖y‖", "-‖y‖²/2"),
    (T.cov_matrix, "L*Lᵀ, L_ii = exp(y_ii), L_ij = y_ij for j < i", "K*log(2) + Sum_i (K - i + 2)*y_ii"),
]


@pytest.mark.parametrize(("transform", "x", "log_det"), PRINTED, ids=lambda v: getattr(v, "name", ""))
def test_transforms_print_as_formulas(transform, x, log_det):
    assert str(transform) == f"x = {x}\nlog|det J| = {log_det}"


def test_supports_of_distributions_have_their_transforms():
    s = sg.stats
    names = {
        s.norm(0.0, 1.0): "real", s.gamma(2.0, scale=3.0): "positive", s.beta(1.0, 2.0): "interval(0.0, 1.0)",
        s.uniform(1.0, 2.0): "interval(1.0, 3.0)", s.genextreme(0.5, 1.0, 2.0): "upper(5.0)",
        s.genextreme(0.0): "real", s.pareto(2.0, scale=3.0): "lower(3.0)", s.dirichlet(np.ones(3)): "simplex",
        s.multivariate_normal(np.zeros(2)): "real", s.wishart(3.0, np.eye(2)): "cov_matrix",
    }  # fmt: skip
    assert [T.onto_support(d).name for d in names] == [*names.values()]
    scale = sg.tensor(3.0, requires_grad=True)
    x = T.onto_support(s.uniform(1.0, scale)).forward(0.0)
    assert x.item() == 2.5
    x.backward()
    assert scale.grad.item() == 0.5
    low, high = T.onto_support(s.vonmises(2.0, 1.0)).forward(np.array([-50.0, 50.0])).tolist()
    np.testing.assert_allclose([low, high], [1 - np.pi, 1 + np.pi])
    np.testing.assert_array_equal(s.pareto.support(np.array([1.0, 2.0]), 0.5)[0], [1.5, 1.5])
    with pytest.raises(NotYet, match="whether the support has an end depends on c"):
        s.genextreme.support(np.array([0.1, -0.1]))


BAD = {
    "greater than 0, not on the boundary": lambda: T.positive.inverse(-1.0),
    "numbers between 0 and 1": lambda: T.interval(0, 1).inverse([0.3, 1.0]),
    "positive entries with sum 1": lambda: T.simplex.inverse([0.2, 0.2]),
    "entries ascend": lambda: T.ordered.inverse([2.0, 1.0]),
    "length 1": lambda: T.unit_vector.inverse([1.0, 1.0]),
    "with sum 0": lambda: T.sum_to_zero.inverse([1.0, 1.0]),
    "ones on its diagonal": lambda: T.corr_matrix.inverse(2 * np.eye(3)),
    "symmetric and positive definite": lambda: T.cov_matrix.inverse(-np.eye(3)),
    "rows of length 1": lambda: T.cholesky_corr.inverse(np.eye(3) + 1),
    "Expected low < high": lambda: T.interval(3, 2),
    "Expected a positive number": lambda: T.affine(0.0, -1.0),
}


@pytest.mark.parametrize("words", BAD)
def test_numbers_off_the_constraint_are_refused(words):
    with pytest.raises(ArgumentError, match=words):
        BAD[words]()


def test_shapes_and_distributions_that_have_no_transform_are_refused():
    with pytest.raises(ShapeError, match=r"y has 4 entries. Expected K\(K - 1\)/2"):
        T.corr_matrix(np.ones(4))
    with pytest.raises(ShapeError, match="Expected a square matrix"):
        T.cholesky_cov.inverse(np.ones((2, 3)))
    with pytest.raises(ShapeError, match="Expected a vector along the last axis"):
        T.simplex(2.0)
    with pytest.raises(ArgumentTypeError, match="Expected a distribution with its parameters"):
        T.onto_support(sg.stats.norm)
    with pytest.raises(ArgumentTypeError, match="poisson is a distribution of integers"):
        T.onto_support(sg.stats.poisson(2.0))
    with pytest.raises(ArgumentTypeError, match="truncated is a distribution of integers"):
        T.onto_support(sg.stats.truncated(sg.stats.poisson(2.0), 1, 4))
