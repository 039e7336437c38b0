"""Modes: flat directions and unbounded densities; and Pareto's k of weights against its exact value."""

import warnings

import numpy as np
import pytest

import symgrad as sg
from symgrad import stats
from symgrad.errors import NotConverged
from symgrad.stats import transforms
from symgrad.stats.modes import tail_shape

SCHOOLS = {
    "y": np.array([28.0, 8.0, -3.0, 7.0, -1.0, 1.0, 18.0, 12.0]),
    "sigma": np.array([15.0, 10.0, 16.0, 11.0, 9.0, 11.0, 10.0, 18.0]),
}
HYPER = {"mu": stats.norm(0.0, 5.0), "tau": stats.halfcauchy(scale=5.0)}


def flat(scale=1.0):
    """A sum of two numbers is determined, and their difference is not."""
    return stats.model(
        {"a": transforms.real, "b": transforms.real, "c": stats.norm(0.0, 1.0)},
        lambda a, b, c, y: {"y": stats.norm(a + scale * b, 1.0)},
        {"y": np.array([1.0, 2.0])},
    )


@pytest.mark.parametrize("scale", [1.0, 1e6])
def test_a_direction_that_is_flat_is_named(scale):
    with pytest.warns(UserWarning, match="does not fall in a direction of 'a', 'b', so that"):
        assert flat(scale).map().values["c"] == pytest.approx(0.0, abs=1e-8)
    with pytest.raises(NotConverged, match="leave a direction of 'a', 'b' undetermined"):
        flat(scale).laplace()


def test_a_density_that_depends_on_nothing_is_flat():
    model = stats.model({"s": transforms.positive, "x": stats.norm(0.0, 1.0)}, lambda s: 0.0 * s)
    with pytest.warns(UserWarning, match="in a direction of 's', so"):
        model.map()


def test_parameters_of_very_different_sizes_are_not_flat():
    model = stats.model({"a": stats.norm(0.0, 1e-6), "b": stats.norm(0.0, 1e6)}, lambda a, b: 0.0 * (a + b))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        covariance = model.laplace().covariance
    np.testing.assert_allclose(np.diag(covariance), [1e-12, 1e12], rtol=1e-9)


def test_an_unbounded_density_has_no_mode():
    with pytest.raises(NotConverged, match="Expected a bounded density"):
        stats.model({"s": transforms.positive}, lambda s: s).map()


def test_a_start_beside_which_a_matrix_has_no_factor_has_a_mode():
    y = np.array([[0.4, 0.1], [-0.3, 0.2], [0.5, 0.6], [-0.4, -0.7], [0.2, 0.1]])

    def likelihood(r, y):
        covariance = sg.stack([sg.stack([1.0 + 0 * r, r]), sg.stack([r, 1.0 + 0 * r])])
        return {"y": stats.multivariate_normal(np.zeros(2), covariance)}

    mode = stats.model({"r": stats.norm(0.0, 1.0)}, likelihood, {"y": y}).map(start={"r": -0.9})
    assert -1.0 < mode.values["r"] < 1.0


@pytest.mark.parametrize(("variance", "k"), [(0.5, 0.5), (0.8, 0.2), (0.95, 0.05)])
def test_the_shape_of_weights_of_normal_numbers_is_one_minus_their_variance(variance, k):
    x = variance**0.5 * np.random.default_rng(0).standard_normal(40_000)
    assert tail_shape(-(x**2) / 2 * (1 - 1 / variance)) == pytest.approx(k, abs=0.1)


def test_weights_that_are_equal_have_no_tail():
    assert tail_shape(np.full(500, -3.0)) == -np.inf
    assert tail_shape(np.full(500, -np.inf)) == np.inf


def test_the_shape_is_that_of_arviz():
    arviz = pytest.importorskip("arviz")
    for seed in range(3):
        log_weights = 2.0 * np.random.default_rng(seed).standard_normal(2000)
        assert tail_shape(log_weights) == pytest.approx(float(arviz.psislw(log_weights)[1]), abs=1e-6)


def test_a_normal_posterior_is_described_by_its_normal_approximation():
    model = stats.model({"a": stats.norm(0.0, 2.0)}, lambda a: {"y": stats.norm(a, 1.0)}, {"y": np.array([1.0, 3.0])})
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert model.laplace().pareto_k < 0.1


def test_the_mode_of_a_noncentred_model_warns_that_it_is_no_summary():
    noncentred = stats.model(
        HYPER | {"theta": lambda mu, tau: stats.norm(mu, tau)},
        lambda theta, sigma: {"y": stats.norm(theta, sigma)},
        SCHOOLS, shapes={"theta": 8}, constraints={"theta": lambda mu, tau: transforms.affine(mu, tau)},
    )  # fmt: skip
    with pytest.warns(UserWarning, match=r"Pareto's k of its weights is 1\.\d+, more than 0\.7\. Integrate"):
        assert noncentred.laplace().mode.values["tau"] > 20  # the posterior mean is 3.6
