"""Distributions of vectors, matrices and classes, and those made of others: values, samples, formulas."""

import itertools
import pickle

import numpy as np
import pytest

import symgrad as sg
from symgrad.errors import ArgumentError, ArgumentTypeError, LinAlgError, ShapeError

S, T = sg.stats, sg.stats.transforms
RNG = np.random.default_rng(5)
ROOT = RNG.normal(size=(3, 3))
COV, MEAN, ROWS = ROOT @ ROOT.T + np.eye(3), RNG.normal(size=3), RNG.normal(size=(5, 3))
OTHER = np.array([[2.0, 0.4], [0.4, 1.0]])
SEED = 0


def test_densities_of_vectors_and_matrices_are_scipys():
    peer = pytest.importorskip("scipy.stats")
    matrix, counts = RNG.normal(size=(3, 2)), np.array([2, 0, 5])
    for own, expected in [
        (S.multivariate_t.logpdf(ROWS, MEAN, COV, 3.5), peer.multivariate_t.logpdf(ROWS, MEAN, COV, 3.5)),
        (S.multivariate_t.pdf(ROWS[0], shape=2.0), peer.multivariate_t.pdf(ROWS[0], np.zeros(3), 2 * np.eye(3), 1)),
        (S.invwishart.logpdf(COV, 4.5, COV + np.eye(3)), peer.invwishart.logpdf(COV, 4.5, COV + np.eye(3))),
        (S.invwishart.mean(5.5, COV), peer.invwishart.mean(5.5, COV)),
        (S.matrix_normal.logpdf(matrix, 0 * matrix + 1, COV, OTHER),
         peer.matrix_normal.logpdf(matrix, 0 * matrix + 1, COV, OTHER)),
        (S.dirichlet_multinomial.logpmf(counts, [0.5, 1.0, 2.5], 7),
         peer.dirichlet_multinomial.logpmf(counts, [0.5, 1.0, 2.5], 7)),
        (S.dirichlet_multinomial.var([0.5, 1.0, 2.5], 7), peer.dirichlet_multinomial.var([0.5, 1.0, 2.5], 7)),
        (S.dirichlet_multinomial.mean([0.5, 1.0, 2.5], 7), peer.dirichlet_multinomial.mean([0.5, 1.0, 2.5], 7)),
    ]:  # fmt: skip
        np.testing.assert_allclose(own, expected, rtol=1e-11)
    assert S.dirichlet_multinomial.logpmf([2, 1], [0.5, 1.0], 4).item() == -np.inf
    np.testing.assert_allclose(S.dirichlet_multinomial.logpmf([2, 2], [5e9, 5e9], 4), np.log(6 / 16), rtol=1e-9)


def test_betabinomial_counts_are_scipys():
    peer = pytest.importorskip("scipy.stats").betabinom(7, 2.5, 0.8)
    own, k = S.betabinom(7, 2.5, 0.8), np.array([-1.0, 0.0, 2.0, 3.5, 7.0, 9.0])
    for method in ("pmf", "logpmf", "cdf", "sf", "logcdf", "logsf"):
        with np.errstate(divide="ignore"):
            np.testing.assert_allclose(getattr(own, method)(k), getattr(peer, method)(k), rtol=1e-11, atol=1e-14)
    np.testing.assert_allclose([own.mean(), own.var()], peer.stats("mv"), rtol=1e-13)
    np.testing.assert_array_equal(own.ppf([0.1, 0.5, 0.99]), peer.ppf([0.1, 0.5, 0.99]))
    assert abs(own.rvs(size=2000, random_state=SEED).numpy().mean() - own.mean().item()) < 0.15
    slope = sg.grad(lambda a: S.betabinom.cdf(3.0, 7, a, 0.8))(2.5)
    step = 1e-5
    difference = (S.betabinom.cdf(3.0, 7, 2.5 + step, 0.8) - S.betabinom.cdf(3.0, 7, 2.5 - step, 0.8)).item()
    np.testing.assert_allclose(slope, difference / (2 * step), rtol=1e-8)
    assert np.isnan(S.betabinom.cdf([9.0, np.nan], 7, -1.0, 0.8)).all()


CUTS = [(-1, 2), (30, np.inf), (30, 31), (-np.inf, -40), (-np.inf, np.inf), (1, 1 + 1e-8), (5, 7), (-9, 9),
        (1000, 1010), (-np.inf, 3), (0, np.inf), (-2, -2 + 1e-3), (-8, -1), (-1e-3, 50)]  # fmt: skip


def test_logarithms_of_a_truncated_normal_keep_their_digits():
    mp = pytest.importorskip("mpmath")
    with mp.workdps(600):

        def mass(u, v):
            u, v = (u, v) if u + v > 0 else (-v, -u)
            return (mp.erfc(u / mp.sqrt(2)) - mp.erfc(v / mp.sqrt(2))) / 2

        for (a, b), share in itertools.product(CUTS, (1e-9, 0.3, 0.99)):
            low = a if np.isfinite(a) else b - 5 if np.isfinite(b) else -5
            z = float(low + ((b if np.isfinite(b) else low + 5) - low) * share)
            total = mass(mp.mpf(a), mp.mpf(b))
            if a < z < b:
                parts = mp.npdf(mp.mpf(z)), mass(mp.mpf(a), mp.mpf(z)), mass(mp.mpf(z), mp.mpf(b))
                for method, part in zip(("logpdf", "logcdf", "logsf"), parts, strict=True):
                    expected = mp.log(part / total)
                    value = getattr(S.truncnorm, method)(z, float(a), float(b)).item()
                    assert abs(expected) < 1e-300 or abs(value - expected) <= 1e-12 * abs(expected), (method, a, b, z)


def test_a_truncated_normal_has_scipys_methods_and_slopes():
    peer, own = pytest.importorskip("scipy.stats").truncnorm, S.truncnorm
    args = (-1.0, 2.0, 0.3, 1.7)
    x = np.array([-2.0, -1.3, 0.5, 3.6, 4.0])
    for method in ("pdf", "cdf", "sf"):
        np.testing.assert_allclose(getattr(own, method)(x, *args), getattr(peer, method)(x, *args), rtol=1e-11)
    q = np.array([0.0, 1e-9, 0.4, 1.0])
    np.testing.assert_allclose(own.ppf(q, *args), peer.ppf(q, *args), rtol=1e-11)
    for a, b in ((-1.0, 2.0), (-1.0, np.inf), (-np.inf, 0.5)):
        np.testing.assert_allclose([own.mean(a, b), own.var(a, b)], peer.stats(a, b), rtol=1e-11)
    h = 1e-5
    for i in range(5):
        at = np.array([0.9, *args])
        step = h * np.eye(5)[i]
        difference = (own.logpdf(*(at + step)) - own.logpdf(*(at - step))).item() / (2 * h)
        np.testing.assert_allclose(sg.grad(own.logpdf, argnums=i)(*at), difference, rtol=1e-7, atol=1e-10)
    assert own.support(-1.0, np.inf, 0.5, 2.0) == (-1.5, np.inf)
    assert np.isnan(own.logpdf(0.0, 2.0, 1.0).item())
    sample = own.rvs(3.0, np.inf, size=500, random_state=SEED).numpy()
    assert sample.min() > 3
    assert sample.mean() == pytest.approx(own.mean(3.0, np.inf).item(), abs=0.05)


def test_correlations_have_the_density_of_lkj():
    x = np.array([[1.0, 0.3], [0.3, 1.0]])
    np.testing.assert_allclose(S.lkj.logpdf(x, 1.0), np.log(0.5), rtol=1e-14)  # uniform on (-1, 1)
    np.testing.assert_allclose(S.lkj.logpdf(np.eye(3), 1.0), np.log(2 / np.pi**2), rtol=1e-13)  # volume π²/2
    r = T.corr_matrix(np.array([0.3, -0.5, 0.8]))
    for eta in (0.7, 1.0, 4.0):
        y = T.corr_matrix.inverse(r)
        by_root = S.lkj_cholesky.logpdf(T.cholesky_corr(y), eta) + T.cholesky_corr.log_det_jacobian(y)
        by_matrix = S.lkj.logpdf(r, eta) + T.corr_matrix.log_det_jacobian(y)
        np.testing.assert_allclose(by_root, by_matrix, rtol=1e-13)
    sample = S.lkj.rvs(2.0, 3, size=4000, random_state=SEED).numpy()
    np.testing.assert_allclose((sample**2).mean(0), np.where(np.eye(3), 1, 1 / 6), atol=0.015)  # 1/(2η + d - 1)
    assert S.lkj_cholesky.rvs(2.0, 3, random_state=SEED).shape == (3, 3)
    mp = pytest.importorskip("mpmath")
    for eta in (1e-3, 3.0, 1e9):
        with mp.workdps(40):
            beta = [mp.mpf(eta) + mp.mpf(4 - k - 1) / 2 for k in (1, 2, 3)]
            exact = sum(-(4 - k) * mp.log(mp.beta(mp.mpf(1) / 2, b)) for k, b in zip((1, 2, 3), beta, strict=True))
        np.testing.assert_allclose(S.lkj.logpdf(np.eye(4), eta), float(exact), rtol=1e-12)


def test_samples_of_matrices_and_vectors_have_their_moments():
    cov, df = COV / 3, 6.5
    for own, n in ((S.wishart, 4000), (S.invwishart, 8000)):
        sample = own.rvs(df, cov, size=n, random_state=SEED).numpy()
        np.testing.assert_allclose(sample.mean(0), own.mean(df, cov).numpy(), rtol=0.1, atol=0.1)
    sample = S.multivariate_t.rvs(MEAN, COV, 7.0, size=6000, random_state=SEED).numpy()
    np.testing.assert_allclose(np.cov(sample.T), COV * 7 / 5, rtol=0.15, atol=0.15)
    sample = S.matrix_normal.rvs(np.zeros((3, 2)), COV, OTHER, size=6000, random_state=SEED).numpy()
    np.testing.assert_allclose(np.cov(sample.reshape(len(sample), -1).T), np.kron(COV, OTHER), rtol=0.15, atol=0.25)
    sample = S.dirichlet_multinomial.rvs([0.5, 1.0, 2.5], 7, size=2000, random_state=SEED).numpy()
    np.testing.assert_allclose(sample.mean(0), 7 * np.array([0.5, 1, 2.5]) / 4, atol=0.2)
    df = sg.tensor(6.5, requires_grad=True)
    S.invwishart.rvs(df, cov, random_state=SEED).sum().backward()
    assert np.isfinite(df.grad.item())


def test_classes_of_an_ordered_logistic_number():
    cuts, eta = np.array([-1.0, 0.5, 2.0]), np.array([0.3, -40.0, 900.0])
    p = S.ordered_logistic.pmf(np.arange(4)[:, None], eta, cuts)
    np.testing.assert_allclose(p.sum(0), np.ones(3), rtol=1e-14)
    sigma = 1 / (1 + np.exp(cuts - 0.3))
    np.testing.assert_allclose(p[:, 0], -np.diff([1, *sigma, 0]), rtol=1e-13)
    np.testing.assert_allclose(S.ordered_logistic.logpmf(2, -40.0, cuts), -40.5 + np.log1p(-np.exp(-1.5)), rtol=1e-13)
    np.testing.assert_array_equal(S.ordered_logistic.logpmf([-1, 4, 0.5], 0.0, cuts), [-np.inf] * 3)
    assert np.isnan(S.ordered_logistic.logpmf(1, 0.0, [1.0, 0.0, 2.0]).item())
    arguments = [sg.tensor(v, requires_grad=True) for v in (np.array([0.3, -1.0]), cuts)]
    for k in range(4):
        assert sg.autograd.gradcheck(lambda e, c, k=k: S.ordered_logistic.logpmf(k, e, c), arguments)
    sample = S.ordered_logistic.rvs(0.3, cuts, size=4000, random_state=SEED).numpy()
    np.testing.assert_allclose(np.bincount(sample) / 4000, p[:, 0], atol=0.03)


def test_counts_by_the_logarithm_of_their_mean():
    pytest.importorskip("scipy")
    k, eta = np.array([0.0, 3.0, 40.0]), 0.7
    for by_log, by_mean in (
        (S.poisson_log(eta), S.poisson(np.exp(eta))), (S.poisson(log_mu=eta), S.poisson(np.exp(eta))),
        (S.neg_binomial_2_log(3.5, eta), S.neg_binomial_2(3.5, np.exp(eta))),
        (S.nbinom(3.5, log_mu=eta), S.nbinom(3.5, mu=np.exp(eta))),
    ):  # fmt: skip
        for method in ("logpmf", "cdf", "sf"):
            np.testing.assert_allclose(getattr(by_log, method)(k), getattr(by_mean, method)(k), rtol=1e-12)
        np.testing.assert_allclose([by_log.mean(), by_log.var()], [by_mean.mean(), by_mean.var()], rtol=1e-13)
    assert S.poisson_log.logpmf(0, -800.0).item() == -np.exp(-800.0)
    np.testing.assert_allclose(S.neg_binomial_2_log.logpmf(0, 3.5, -300.0), -np.exp(-300.0), rtol=1e-12)
    np.testing.assert_allclose(S.neg_binomial_2_log.logpmf(0, 3.5, 800.0), 3.5 * (np.log(3.5) - 800), rtol=1e-13)
    np.testing.assert_allclose(S.poisson.fisher_information(log_mu=eta), [[np.exp(eta)]])
    for family in (S.bernoulli_logit, S.binomial_logit, S.poisson_log, S.neg_binomial_2_log, S.betabinom, S.lkj):
        assert pickle.loads(pickle.dumps(family)) is family


PRINTED = {
    "poisson_log": (lambda y, X, b: S.poisson_log.logpmf(y, X @ b), "Xᵀ*(y - exp(X*b))"),
    "bernoulli_logit": (lambda y, X, b: S.bernoulli_logit.logpmf(y, X @ b), "Xᵀ*(y - σ(X*b))"),
    "binomial_logit": (lambda y, X, b: S.binomial_logit.logpmf(y, sg.symbol("N"), X @ b), "Xᵀ*(y - N*σ(X*b))"),
}


@pytest.mark.parametrize("name", PRINTED)
def test_scores_of_generalised_linear_models_print_as_in_a_textbook(name):
    y, X, b = sg.symbol("y", "n"), sg.symbol("X", ("n", "d")), sg.symbol("b", "d")
    logpmf, expected = PRINTED[name]
    printed = str(sg.derive(logpmf(y, X, b).sum(), b))
    assert printed == expected


def test_formulas_of_vectors_and_matrices():
    x, mu, Sigma, nu = sg.symbol("x", "d"), sg.symbol("mu", "d"), sg.symbol("Sigma", ("d", "d")), sg.symbol("nu")
    assert "(x - mu)" in str(sg.derive(S.multivariate_t.logpdf(x, mu, Sigma, nu), mu))
    R = sg.symbol("R", (3, 3))
    assert "R⁻ᵀ" in str(sg.derive(S.lkj.logpdf(R, sg.symbol("eta")), R))


def test_matrices_without_a_unit_diagonal_have_no_density_of_correlations():
    x = np.array([[2.0, 0.3], [0.3, 1.0]])
    assert S.lkj.logpdf(x, 2.0).item() == -np.inf == S.lkj_cholesky.logpdf(np.linalg.cholesky(x), 2.0).item()
    assert S.lkj_cholesky.logpdf([[1.0, 0.5], [0.6, 0.8]], 2.0).item() == -np.inf
    y = sg.tensor([0.3, -0.5, 0.8], requires_grad=True)
    assert sg.autograd.gradcheck(lambda y: S.lkj.logpdf(T.corr_matrix(y), 2.0), [y])
    assert sg.autograd.gradcheck(lambda y: S.lkj_cholesky.logpdf(T.cholesky_corr(y), 2.0), [y])


def test_cutpoints_that_do_not_ascend_and_weights_that_do_not_add_up_are_nan():
    assert np.isnan(S.ordered_logistic.logpmf(np.arange(4), 0.3, [1.0, 0.0, 2.0]).numpy()).all()
    for weights in ([0.25, 0.7], [1.25, -0.25]):
        own = S.mixture([S.norm(), S.norm(4.0)], weights)
        assert np.isnan([own.logpdf(1.0).item(), own.logsf(1.0).item(), own.mean().item()]).all()
    batched = S.mixture([S.norm(), S.norm(4.0)], [[0.25, 0.75], [0.25, 0.7]])
    np.testing.assert_array_equal(np.isnan(batched.logpdf([1.0, 1.0])), [False, True])


@pytest.mark.parametrize("size", [3.0, 1e8, 1e15])
def test_large_parameters_keep_the_digits_of_log_densities(size):
    mp = pytest.importorskip("mpmath")
    with mp.workdps(60):
        a, nu = mp.mpf(size), mp.mpf(size)
        counts = mp.log(mp.binomial(100, 5) * mp.rf(a, 5) * mp.rf(2 * a, 95) / mp.rf(3 * a, 100))
        gammas = [mp.loggamma((nu + d) / 2) - mp.loggamma(nu / 2) for d in (1, 2, 3)]
        heights = [g - d * mp.log(nu * mp.pi) / 2 - (nu + d) / 2 * mp.log1p(d / nu) for d, g in enumerate(gammas, 1)]
    np.testing.assert_allclose(S.betabinom.logpmf(5, 100, size, 2 * size), float(counts), rtol=1e-12)
    values = [S.multivariate_t.logpdf(np.ones(d), df=size).item() for d in (1, 2, 3)]
    np.testing.assert_allclose(values, [float(h) for h in heights], rtol=1e-12)


def test_heavy_tails_have_a_density_where_squares_overflow():
    x = 1e155
    end = -4 * np.log(x) + 2 * np.log(3.0) + S.t.logpdf(0.0, 3.0).item()
    np.testing.assert_allclose(S.t.logpdf([-x, x], 3.0), [end, end], rtol=1e-14)
    np.testing.assert_allclose(S.halft.logpdf(x, 3.0), end + np.log(2), rtol=1e-14)
    np.testing.assert_allclose(S.cauchy.logpdf(x), -2 * np.log(x) - np.log(np.pi), rtol=1e-14)
    np.testing.assert_allclose(S.halfcauchy.logpdf(x), -2 * np.log(x) + np.log(2 / np.pi), rtol=1e-14)
    np.testing.assert_allclose(S.t.score(x, 3.0, 0.0, 2.0)[1], 1.5, rtol=1e-14)
    np.testing.assert_allclose(sg.grad(lambda x: S.t.logpdf(x, 3.0))(x), -4 / x, rtol=1e-14)
    peak = S.multivariate_t.logpdf([0.0, 0.0], df=3.0).item()
    both = S.multivariate_t.logpdf([[x, 0.0], [0.0, 0.0]], df=3.0)
    np.testing.assert_allclose(both, [peak - 5 * np.log(x) + 2.5 * np.log(3.0), peak], rtol=1e-14)


def test_matrices_of_a_batch_have_a_density_each():
    x = np.array([np.eye(2), [[2.0, 0.3], [0.3, 1.0]]])
    for family in (S.wishart, S.invwishart):
        expected = [family.logpdf(one, 4.0, np.eye(2)).item() for one in x]
        np.testing.assert_allclose(family.logpdf(x, 4.0, np.eye(2)), expected, rtol=1e-14)
    expected = [S.matrix_normal.logpdf(one).item() for one in x]
    np.testing.assert_allclose(S.matrix_normal.logpdf(x), expected, rtol=1e-14)


@pytest.mark.parametrize("c", [-0.3, 0.0, 0.4])
def test_compiled_densities_of_extreme_values_end_where_their_support_does(c):
    x = np.array([-9.0, -2.0, 0.5, 4.0, 60.0])  # at some of these there is no density
    values = np.array([c, 0.3, 1.5])
    terms = lambda v: S.genextreme.logpdf(x, v[0], v[1], v[2])
    np.testing.assert_allclose(sg.compile(terms)(values), terms(values).numpy(), rtol=1e-12)
    slopes = sg.jacobian(terms)
    np.testing.assert_allclose(sg.compile(slopes)(values), slopes(values), rtol=1e-10, atol=1e-12)


def test_extreme_values_are_fitted():
    y = S.genextreme.rvs(-0.2, 1.0, 2.0, size=300, random_state=SEED)
    fitted = S.fit(lambda v: S.genextreme(v[0], v[1], v[2]), [-0.1, 0.5, 1.5], y=y)
    assert (np.abs(np.asarray(fitted.params) - [-0.2, 1.0, 2.0]) < 4 * np.asarray(fitted.se())).all()
    np.testing.assert_allclose(np.asarray(fitted.scores()).sum(0), 0.0, atol=1e-5)


# ------------------------------------------------------------------ made of others
def test_mixtures_add_their_components():
    parts, w = [S.norm(0.0, 1.0), S.norm(3.0, 2.0)], np.array([0.3, 0.7])
    own, x = S.mixture(parts, w), np.array([-40.0, 0.3, 2.0, 50.0])
    for method in ("pdf", "cdf", "sf"):
        expected = sum(p * getattr(d, method)(x).numpy() for p, d in zip(w, parts, strict=True))
        np.testing.assert_allclose(getattr(own, method)(x), expected, rtol=1e-13)
    np.testing.assert_allclose(own.logpdf(-400.0), np.log(0.7) + parts[1].logpdf(-400.0).item(), rtol=1e-14)
    assert own.mean().item() == pytest.approx(2.1)
    assert own.var().item() == pytest.approx(0.3 + 0.7 * 4 + 0.3 * 0.7 * 9)
    np.testing.assert_allclose(S.mixture(parts, logits=np.log(w)).logpdf(x), own.logpdf(x), rtol=1e-14)
    np.testing.assert_allclose(S.mixture(parts).mean(), 1.5)
    cut = S.truncated(S.mixture(weights=w, components=parts), 0.0)
    np.testing.assert_allclose(cut.logpdf(2.0), own.logpdf(2.0) - own.logsf(0.0), rtol=1e-14)
    sample = own.rvs(size=4000, random_state=SEED).numpy()
    assert sample.mean() == pytest.approx(2.1, abs=0.1)
    counts = S.mixture([S.poisson(1.0), S.poisson(9.0)], w)
    np.testing.assert_allclose(counts.logpmf(2), np.log(0.3 * np.exp(-1) / 2 + 0.7 * 81 / 2 * np.exp(-9)), rtol=1e-13)
    assert own.support() == (-np.inf, np.inf)
    assert T.onto_support(S.mixture([S.gamma(2.0), S.gamma(3.0)])) is T.positive
    mu = sg.tensor([0.5, 2.0], requires_grad=True)
    assert sg.autograd.gradcheck(lambda m: S.mixture([S.norm(m[0]), S.norm(m[1])], w).logpdf(x[1:3]), [mu])


def test_truncated_distributions_are_renormalised():
    peer = pytest.importorskip("scipy.stats")
    x = np.array([-3.0, -0.9, 0.5, 1.9, 2.5])
    own, exact = S.truncated(S.norm(0.3, 1.7), -1.0, 2.0), peer.truncnorm(-1.3 / 1.7, 1.0, 0.3, 1.7)
    for method in ("pdf", "cdf", "sf", "logcdf", "logsf"):
        with np.errstate(divide="ignore"):
            np.testing.assert_allclose(getattr(own, method)(x), getattr(exact, method)(x), rtol=1e-12, err_msg=method)
    np.testing.assert_allclose(own.ppf([0.01, 0.5, 0.99]), exact.ppf([0.01, 0.5, 0.99]), rtol=1e-12)
    far = S.truncated(S.norm(), 30.0)
    np.testing.assert_allclose(far.logpdf(30.1), S.truncnorm.logpdf(30.1, 30.0, np.inf), rtol=1e-11)
    assert (far.rvs(size=50, random_state=SEED).numpy() > 30).all()
    counts, k = S.truncated(S.poisson(2.5), 1, 4), np.arange(7)
    mass = peer.poisson(2.5).pmf(k) * (k >= 1) * (k <= 4)
    np.testing.assert_allclose(counts.pmf(k), mass / mass.sum(), rtol=1e-13)
    np.testing.assert_allclose(counts.cdf(k), np.cumsum(mass / mass.sum()), rtol=1e-12)
    np.testing.assert_allclose(counts.sf(k), 1 - np.cumsum(mass / mass.sum()), rtol=1e-12, atol=1e-15)
    assert set(counts.rvs(size=200, random_state=SEED).tolist()) == {1, 2, 3, 4}
    assert T.onto_support(S.truncated(S.norm(), 0.0)) is T.positive
    assert own.support() == (-1.0, 2.0)
    values = [sg.tensor(v, requires_grad=True) for v in (0.3, 1.7, -1.0, 2.0)]
    assert sg.autograd.gradcheck(lambda m, s, a, b: S.truncated(S.norm(m, s), a, b).logpdf(x[1:4]), values)
    assert sg.autograd.gradcheck(lambda m, s: S.truncated(S.norm(m, s), 1.0).logpdf(2.0), values[:2])


@pytest.mark.parametrize(("low", "high"), [(-1e-9, 1e-9), (2.0, 2.0 + 1e-6), (-8.001, -8.0), (-1e-3, 2e-3)])
def test_narrow_truncations_keep_their_digits(low, high):
    x = (low + high) / 2
    np.testing.assert_allclose(S.truncated(S.norm(), low, high).logpdf(x), S.truncnorm.logpdf(x, low, high), rtol=1e-12)
    if low < 0 < high:
        mass = (-np.expm1(low) - np.expm1(-high)) / 2
        np.testing.assert_allclose(S.truncated(S.laplace(), low, high).pdf(0.0), 0.5 / mass, rtol=1e-11)
    slope = sg.grad(lambda h: S.truncated(S.norm(), low, h).logpdf(x))(high)
    np.testing.assert_allclose(slope, -S.truncnorm.pdf(high, low, high).item(), rtol=1e-11)


def test_bounds_in_the_wrong_order_give_nan():
    cut = S.truncated(S.norm(), 2.0, 1.0)
    values = [f(0.5).item() for f in (cut.logpdf, cut.pdf, cut.cdf, cut.sf, cut.ppf)]
    assert np.isnan(values).all()
    assert np.isnan(S.truncated(S.norm(), [2.0, -1.0], 1.0).logpdf(0.0)).tolist() == [True, False]


def test_censored_distributions_have_the_probability_beyond_their_bounds():
    base = S.weibull_min(1.5, scale=2.0)
    times, ends = np.array([0.5, 2.0, 3.0]), np.array([4.0, 2.0, 3.0])
    expected = [base.logpdf(0.5).item(), base.logsf(2.0).item(), base.logsf(3.0).item()]
    np.testing.assert_allclose(S.censored(base, high=ends).logpdf(times), expected, rtol=1e-14)
    both = S.censored(S.norm(), -1.0, 1.0)
    np.testing.assert_allclose(
        both.logpdf([-1.0, 0.0, 1.0]), [S.norm.logcdf(-1.0), S.norm.logpdf(0.0), S.norm.logsf(1.0)]
    )
    np.testing.assert_array_equal(both.logpdf([-2.0, 3.0]), [-np.inf, -np.inf])
    counts = S.censored(S.poisson(2.5), high=4.0)
    np.testing.assert_allclose(counts.pmf(np.arange(5.0)).sum(), 1.0, rtol=1e-13)
    sample = both.rvs(size=300, random_state=SEED).numpy()
    assert (sample.min(), sample.max()) == (-1.0, 1.0)
    np.testing.assert_allclose(both.cdf([-2.0, -1.0, 1.0]), [0.0, S.norm.cdf(-1.0).item(), 1.0])
    values = [sg.tensor(v, requires_grad=True) for v in (1.5, 2.0)]
    assert sg.autograd.gradcheck(lambda c, s: S.censored(S.weibull_min(c, scale=s), high=ends).logpdf(times), values)


COUNTS = {  # a distribution of integers, its parameters, and SciPy's with the same ones
    "nbinom": (lambda n, mu: S.nbinom(n, mu=mu), (3.5, 2.0), lambda peer, n, mu: peer.nbinom(n, n / (n + mu))),
    "binom": (lambda p: S.binom(6.0, p), (0.3,), lambda peer, p: peer.binom(6, p)),
    "geom": (lambda p: S.geom(p), (0.4,), lambda peer, p: peer.geom(p)),  # has no zeros of its own
    "poisson, shifted": (lambda mu: S.poisson(mu, -2.0), (1.5,), lambda peer, mu: peer.poisson(mu, -2)),
}


@pytest.mark.parametrize("name", COUNTS)
def test_zero_inflated_counts_have_the_probabilities_of_their_definition(name):
    family, values, of_scipy = COUNTS[name]
    base, p, k = of_scipy(pytest.importorskip("scipy.stats"), *values), 0.3, np.arange(-3.0, 90.0)
    own, mass = S.zero_inflated(family(*values), p), p * (k == 0) + (1 - p) * base.pmf(k)
    np.testing.assert_allclose(own.pmf(k), mass, rtol=1e-11, atol=1e-300)
    np.testing.assert_allclose(own.cdf(k), p * (k >= 0) + (1 - p) * base.cdf(k), rtol=1e-12)
    np.testing.assert_allclose(own.sf(k), p * (k < 0) + (1 - p) * base.sf(k), rtol=1e-11, atol=1e-300)
    np.testing.assert_array_equal(own.logpmf([0.5, np.inf, np.nan]), [-np.inf, -np.inf, np.nan])
    mean = k @ mass
    np.testing.assert_allclose([own.mean(), own.var()], [mean, k**2 @ mass - mean**2], rtol=1e-10)
    sample = own.rvs(size=4000, random_state=SEED).numpy()
    assert (sample == 0).mean() == pytest.approx(mass[k == 0].item(), abs=0.03)
    assert sample.mean() == pytest.approx(mean, abs=0.15)
    ends = [min(base.support()[0], 0), max(base.support()[1], 0)]
    np.testing.assert_array_equal([float(e) for e in own.support()], ends)
    T = [sg.tensor(v, requires_grad=True) for v in (p, *values)]
    x = [0.0, 1.0, 3.0]
    for method in ("logpmf", "pmf"):
        call = getattr(S.zero_inflated, method)
        assert sg.autograd.gradcheck(lambda p, *v, call=call: call(x, family(*v), p), T)


def test_zero_inflated_poisson_numbers_are_those_of_the_family_with_that_name():
    k = np.array([0.0, 1.0, 4.0, 30.0])
    for mu, p in ((2.5, 0.3), (50.0, 1e-20), (1e-9, 0.9), (900.0, 0.2), (900.0, 0.0)):
        for method in ("logpmf", "cdf", "sf"):
            expected = getattr(S.zero_inflated_poisson(mu, p), method)(k)
            np.testing.assert_allclose(
                getattr(S.zero_inflated(S.poisson(mu), p), method)(k), expected, rtol=1e-13, atol=1e-310
            )


def test_additional_zeros_at_the_ends_of_their_probability():
    slope = sg.grad(lambda p, k, mu: S.zero_inflated.logpmf(k, S.poisson(mu), p), argnums=0)
    ends = [(0.0, 0.0), (0.0, 3.0), (0.0, -1.0), (1.0, 0.0)]
    found = [float(slope(p, k, 2.0)) for p, k in ends]
    np.testing.assert_allclose(found, [np.expm1(2.0), -1.0, 0.0, -np.expm1(-2.0)], rtol=1e-13)
    np.testing.assert_array_equal(S.zero_inflated(S.poisson(2.0), 1.0).pmf([0.0, 1.0]), [1.0, 0.0])
    for p in (-0.1, 1.2, np.nan):
        bad = S.zero_inflated(S.poisson(2.0), p)
        values = [bad.logpmf(0.0), bad.pmf(-1.0), bad.cdf(1.0), bad.sf(1.0), bad.mean(), bad.var(), bad.rvs()]
        assert np.isnan([v.item() for v in values]).all()
        assert np.isnan(float(slope(p, 1.0, 2.0)))


def test_zero_inflated_samples_have_the_shape_of_the_parameters_together():
    assert S.zero_inflated(S.poisson([1.0, 2.0]), [[0.1], [0.2], [0.3]]).rvs(random_state=SEED).shape == (3, 2)
    sample = S.zero_inflated(S.poisson(5.0), np.full(50, 0.1)).rvs(random_state=SEED).numpy()
    assert len(set(sample.tolist())) > 3
    with pytest.raises(ArgumentError, match="do not fit"):
        S.zero_inflated(S.poisson(5.0), [0.1, 0.2]).rvs(size=1)


def test_zero_inflated_negative_binomial_counts_are_fitted():
    y = S.zero_inflated(S.nbinom(3.0, mu=4.0), 0.3).rvs(size=2000, random_state=SEED)
    family = lambda q: S.zero_inflated(S.nbinom(q["n"], mu=q["mu"]), q["p"])
    fitted = sg.stats.fit(family, {"n": 1.0, "mu": 2.0, "p": 0.2}, y=y)
    estimates = np.array([float(fitted.params[name]) for name in ("n", "mu", "p")])
    assert (np.abs(estimates - [3.0, 4.0, 0.3]) < 4 * np.asarray(fitted.se())).all()


def test_bad_arguments_of_families_are_refused():
    for error, words, call in [
        (ArgumentTypeError, "Expected a list of distributions", lambda: S.mixture.logpdf(0.0, S.norm())),
        (ArgumentError, "2 components, and weights of shape",
         lambda: S.mixture.logpdf(0.0, [S.norm(), S.norm()], [1.0])),
        (ArgumentError, "others probabilities of integers", lambda: S.mixture.logpdf(0.0, [S.norm(), S.poisson(1.0)])),
        (ArgumentTypeError, "got weights and logits",
         lambda: S.mixture.logpdf(0.0, [S.norm()], [1.0], logits=[0.0])),
        (ArgumentTypeError, "as norm\\(0, 1\\)", lambda: S.truncated.logpdf(0.0, S.norm, 0.0)),
        (ArgumentError, "zero_inflated: .* has a density. Expected a distribution of integers",
         lambda: S.zero_inflated.logpmf(0.0, S.norm(), 0.2)),
        (ArgumentTypeError, "^bernoulli: got both p and logits", lambda: S.bernoulli.logpmf(1, 0.5, logits=1.0)),
        (ArgumentTypeError, "^nbinom: got both p and mu", lambda: S.nbinom.logpmf(1, 2.0, p=0.5, mu=1.0)),
        (ArgumentTypeError, "classes k must be integers", lambda: S.categorical.logpmf([0.0, 1.0], [0.5, 0.5])),
        (ArgumentTypeError, "Pass dim", lambda: S.lkj.rvs(1.0)),
        (ShapeError, r"Expected \(3, 3\)", lambda: S.lkj.logpdf(np.eye(2), 1.0, 3)),
        (LinAlgError, "not; add a multiple", lambda: S.lkj.logpdf(np.ones((2, 2)), 1.0)),
        (LinAlgError, "rowcov must be symmetric",
         lambda: S.matrix_normal.logpdf(np.eye(2), None, [[1.0, 2.0], [2.0, 1.0]])),
    ]:  # fmt: skip
        with pytest.raises(error, match=words):
            call()
    assert np.isnan(S.lkj.logpdf(np.eye(2), -1.0).item())
    assert np.isnan(S.multivariate_t.logpdf(np.zeros(2), df=-1.0).item())


def test_the_first_argument_of_rvs_of_a_frozen_distribution_is_the_size():
    for frozen in (S.gamma(2.0), S.binom(5, 0.3), S.norm(0.0, 1.0)):
        np.testing.assert_array_equal(
            frozen.rvs(3, random_state=SEED).numpy(), frozen.rvs(size=3, random_state=SEED).numpy()
        )


@pytest.mark.parametrize(
    "frozen",
    [
        sg.stats.norm(1.0, 2.0),
        sg.stats.dirichlet([2.0, 3.0]),
        sg.stats.wishart(5.0, np.eye(2)),
        sg.stats.multivariate_normal([1.0, 2.0], np.eye(2)),
        sg.stats.categorical([0.2, 0.8]),
    ],
    ids=repr,
)
def test_one_draw_of_a_frozen_distribution_is_that_of_its_family(frozen):
    one = frozen.dist.rvs(*frozen.args, random_state=0)
    np.testing.assert_array_equal(frozen.rvs(random_state=0), one)
    assert frozen.rvs(size=3, random_state=0).shape[0] == 3
