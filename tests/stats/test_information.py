"""Fisher information of counts and of extreme values, and the latter's moments: by sums, and in many digits."""

import numpy as np
import pytest

import symgrad as sg

S = sg.stats
COUNTS = [
    ("neg_binomial_2", {"n": 3.5, "mu": 2.0}, ["mu"]),
    ("neg_binomial_2_log", {"n": 0.7, "log_mu": 0.4}, ["log_mu"]),
    ("nbinom", {"n": 3.5, "p": 0.3}, ["p"]),
    ("zero_inflated_poisson", {"mu": 2.0, "pi": 0.3}, ["mu", "pi"]),
    ("zero_inflated_poisson", {"mu": 0.01, "pi": 0.9}, ["mu", "pi"]),
]


@pytest.mark.parametrize(("name", "values", "known"), COUNTS)
def test_information_of_counts_is_the_mean_square_of_the_score(name, values, known):
    family, k = getattr(S, name), np.arange(400.0)
    mass, score = family.pmf(k, **values).numpy(), family.score(k, **values).numpy()
    expected = np.einsum("k,ki,kj->ij", mass, score, score)
    for p in known:
        for q in known:
            at = expected[list(values).index(p), list(values).index(q)]
            assert family.information_entry(p, q, values).item() == pytest.approx(at, rel=1e-10)


def test_information_of_counts_in_extreme_places():
    zeros = S.zero_inflated_poisson.fisher_information
    np.testing.assert_allclose(zeros(900.0, 0.2).numpy(), [[0.8 / 900, 0], [0, 1 / 0.16]], rtol=1e-14, atol=1e-300)
    np.testing.assert_allclose(zeros(4.0, 0.0)[0, 0], S.poisson.fisher_information(4.0)[0, 0], rtol=1e-15)
    large = S.neg_binomial_2_log.information_entry("log_mu", "log_mu", {"n": 3.0, "log_mu": 800.0})
    assert large.item() == pytest.approx(3.0)
    assert S.neg_binomial_2.information_entry("mu", "mu", {"n": 1e300, "mu": 2.0}).item() == pytest.approx(0.5)


def test_a_known_dispersion_leaves_the_expected_information_of_the_mean():
    y = S.nbinom.rvs(3.0, mu=4.0, size=100, random_state=0)
    fitted = S.fit(lambda v: S.nbinom(3.0, mu=v[0]), [3.0], y=y)
    mean = float(np.mean(y.numpy()))
    np.testing.assert_allclose(fitted.se(kind="expected"), [np.sqrt(mean * (1 + mean / 3) / 100)], rtol=1e-6)


@pytest.mark.parametrize(
    ("name", "call"),
    [
        ("n", lambda: S.nbinom.fisher_information(3.5, mu=2.0)),
        ("a", lambda: S.skewnorm.fisher_information(1.0)),
        ("K", lambda: S.exponnorm.fisher_information(1.0)),
    ],
)
def test_information_without_a_closed_form_says_what_to_take(name, call):
    with pytest.raises(NotImplementedError, match=rf"in {name} has no closed form .* Take the observed one, -hessian"):
        call()


# ------------------------------------------------------------------ extreme values
def exact_moments(mp, c):
    c = mp.mpf(c)
    return (1 - mp.gamma(1 + c)) / c, (mp.gamma(1 + 2 * c) - mp.gamma(1 + c) ** 2) / c**2


def exact_information(mp, c):
    """As Prescott and Walden wrote it, of c, loc and scale."""
    c = mp.mpf(c)
    p, h, rest = (1 - c) ** 2 * mp.gamma(1 - 2 * c), mp.gamma(2 - c), 1 - mp.euler
    q = h * (mp.digamma(1 - c) - (1 - c) / c)
    shape = (mp.pi**2 / 6 + (rest - 1 / c) ** 2 + 2 * q / c + p / c**2) / c**2
    mixed = -(q + p / c) / c, (rest - (1 - h) / c - q - p / c) / c**2
    places = [[p, (p - h) / c], [(p - h) / c, (1 - 2 * h + p) / c**2]]
    rows = [[shape, *mixed], [mixed[0], *places[0]], [mixed[1], *places[1]]]
    return np.array([[float(v) for v in row] for row in rows])


@pytest.mark.parametrize("c", [-0.45, -0.1001, -0.0999, -1e-3, 1e-9, 0.05, 0.0999, 0.1001, 0.3, 0.45])
def test_extreme_values_keep_their_digits_near_gumbels_distribution(c):
    mp = pytest.importorskip("mpmath")
    with mp.workdps(80):
        moments, information = [float(m) for m in exact_moments(mp, c)], exact_information(mp, c)
    np.testing.assert_allclose([S.genextreme.mean(c), S.genextreme.var(c)], moments, rtol=1e-13)
    scales = np.array([1.0, 1.7, 1.7])
    own = S.genextreme.fisher_information(c, 0.2, 1.7).numpy() * np.outer(scales, scales)
    np.testing.assert_allclose(own, information, rtol=2e-11)


@pytest.mark.parametrize("c", [-0.3, 0.05, 0.2])
def test_information_of_extreme_values_is_the_mean_square_of_the_score(c):
    t, step = np.linspace(-40.0, 5.0, 20001, retstep=True)  # of E = exp(t), an exponential number: F(x) = exp(-E)
    x = -np.expm1(c * t) / c
    weight = np.exp(t - np.exp(t)) * step
    score = S.genextreme.score(x * 1.7 + 0.2, c, 0.2, 1.7).numpy()
    score = np.where(weight[:, None] > 0, score, 0.0)
    expected = np.einsum("k,ki,kj->ij", weight, score, score)
    np.testing.assert_allclose(S.genextreme.fisher_information(c, 0.2, 1.7).numpy(), expected, rtol=1e-5)


def test_extreme_values_with_c_of_nought_are_gumbels():
    np.testing.assert_allclose(S.genextreme.mean(0.0, 0.3, 2.0), S.gumbel_r.mean(0.3, 2.0), rtol=1e-14)
    np.testing.assert_allclose(S.genextreme.var(0.0, 0.3, 2.0), S.gumbel_r.var(0.3, 2.0), rtol=1e-14)
    own = S.genextreme.fisher_information(0.0, 0.3, 2.0).numpy()[1:, 1:]
    np.testing.assert_allclose(own, S.gumbel_r.fisher_information(0.3, 2.0).numpy(), rtol=1e-14)


def test_extreme_values_without_moments_or_information():
    np.testing.assert_array_equal(S.genextreme.mean([-1.0, -2.0, np.nan]).numpy(), [np.inf, np.inf, np.nan])
    np.testing.assert_array_equal(S.genextreme.var([-0.5, -1.0, np.nan]).numpy(), [np.inf, np.nan, np.nan])
    assert np.isnan(S.genextreme.fisher_information(0.5, 0.2, 1.7).numpy()).all()


@pytest.mark.parametrize("method", ["mean", "var"])
def test_moments_of_extreme_values_have_their_derivatives(method):
    c = sg.tensor([-0.3, -0.0999, -1e-4, 0.0, 0.05, 0.2, 1.5], requires_grad=True)
    assert sg.autograd.gradcheck(getattr(S.genextreme, method), [c])


def test_the_expected_information_of_extreme_values_is_that_of_the_estimates():
    y = S.genextreme.rvs(-0.2, 1.0, 2.0, size=200, random_state=0)
    fitted = S.fit(lambda v: S.genextreme(v[0], v[1], v[2]), [-0.1, 0.5, 1.5], y=y)
    expected = 200 * S.genextreme.fisher_information(*np.asarray(fitted.params)).numpy()
    np.testing.assert_allclose(np.asarray(fitted.information("expected")), expected, rtol=1e-10)
