"""Moments of truncated distributions, and Fisher information by sums and closed forms, beside mpmath."""

import numpy as np
import pytest

import symgrad as sg
from symgrad.errors import NotConverged

mp = pytest.importorskip("mpmath")
S = sg.stats
CUTS = [(-1.0, 2.0), (30.0, np.inf), (1e5, np.inf), (-np.inf, np.inf), (1.0, 1.0 + 1e-8), (5.0, 7.0), (-9.0, 9.0),
        (-np.inf, -40.0), (-3.0, -3.0 + 1e-3), (-1e3, 50.0)]  # fmt: skip


def exact_normal(a, b):
    """E z, E z³ and the variance of a normal number between a and b."""
    a, b = mp.mpf(a), mp.mpf(b)
    u, v = (a, b) if a + b > 0 else (-b, -a)
    mass = (mp.erfc(u / mp.sqrt(2)) - mp.erfc(v / mp.sqrt(2))) / 2
    first, last = mp.npdf(a) / mass, mp.npdf(b) / mass

    def weighted(end, p, k):
        return end**k * p if mp.isfinite(end) else 0

    m1 = first - last
    m2 = 1 + weighted(a, first, 1) - weighted(b, last, 1)
    m3 = 2 * m1 + weighted(a, first, 2) - weighted(b, last, 2)
    return m1, m3, m2 - m1**2


@pytest.mark.parametrize(("a", "b"), CUTS)
def test_moments_of_a_truncated_normal_keep_their_digits(a, b):
    with mp.workdps(60):
        m1, m3, var = exact_normal(a, b)
        if not np.isfinite(a + b):
            a, b = float(a), float(b)
    own = S.truncnorm
    assert own.mean(a, b).item() == pytest.approx(float(m1), rel=1e-12, abs=1e-13)
    assert own.var(a, b).item() == pytest.approx(float(var), rel=2e-12)
    skewed = own.information_entry("loc", "scale", {"a": a, "b": b, "loc": 0.0, "scale": 1.0}).item()
    assert skewed == pytest.approx(float(m3 - m1), rel=1e-11, abs=1e-12)


def test_moments_of_a_truncated_normal_have_their_derivatives():
    values = [sg.tensor(v, requires_grad=True) for v in ([-1.0, 0.3, 4.0, -6.0], [2.0, 0.4, 9.0, 7.0])]
    for f in (S.truncnorm.mean, S.truncnorm.var):
        assert sg.autograd.gradcheck(f, values)
    assert np.isfinite(sg.grad(S.truncnorm.var)(1.0, np.inf))
    assert sg.compile(S.truncnorm.var)(1.0, 3.0) == pytest.approx(S.truncnorm.var(1.0, 3.0).item(), rel=1e-13)


def exact_moments(density, low, high, points=()):
    with mp.workdps(30):
        nodes = [low, *points, high]
        mass, first, second = (mp.quad(lambda x, k=k: x**k * density(x), nodes) for k in range(3))
        return float(first / mass), float(second / mass - (first / mass) ** 2)


TRUNCATED = [
    (S.gamma(2.5, scale=1.7), 1.0, 4.0, lambda x: x**1.5 * mp.exp(-x / 1.7), ()),
    (S.gamma(2.5, scale=2.0**-60), 3e-17, np.inf, lambda x: (x * 2**60) ** 1.5 * mp.exp(-x * 2**60), (5e-17,)),
    (S.laplace(0.3), -1e6, 1e6, lambda x: mp.exp(-abs(x - 0.3)), (-50, 0.3, 50)),
    (S.t(5.0), -2.0, np.inf, lambda x: (1 + x**2 / 5) ** -3, (0, 10)),
    (S.beta(0.5, 3.0), 0.1, 2.0, lambda x: x**-0.5 * (1 - x) ** 2 if x < 1 else mp.mpf(0), (1,)),
    (S.mixture([S.norm(-20.0, 0.1), S.norm(7.0, 1.0)], [0.3, 0.7]), -30.0, 7.5,
     lambda x: 3 * mp.exp(-((x + 20) * 10) ** 2 / 2) + 0.7 * mp.exp(-((x - 7) ** 2) / 2), (-21, -20, -19, 0, 5)),
]  # fmt: skip


@pytest.mark.parametrize(("base", "low", "high", "density", "points"), TRUNCATED)
def test_moments_of_truncated_distributions_are_integrals(base, low, high, density, points):
    cut = S.truncated(base, low, high)
    mean, var = exact_moments(density, low, min(high, 1) if "beta" in repr(base) else high, points)
    assert cut.mean().item() == pytest.approx(mean, rel=1e-9)
    assert cut.var().item() == pytest.approx(var, rel=1e-9)
    assert cut.std().item() == pytest.approx(var**0.5, rel=1e-9)


def test_a_truncated_normal_distribution_has_the_moments_of_truncnorm():
    cut, args = S.truncated(S.norm(0.3, 1.7), -1.0, 2.0), (-1.3 / 1.7, 1.0, 0.3, 1.7)
    np.testing.assert_allclose([cut.mean(), cut.var()], [S.truncnorm.mean(*args), S.truncnorm.var(*args)], rtol=1e-14)
    assert cut.median().item() == pytest.approx(S.truncnorm.median(*args).item(), rel=1e-12)
    many = S.truncated(S.norm([0.0, 1.0]), 0.5).mean()
    np.testing.assert_allclose(many, [S.truncnorm.mean(0.5, np.inf), S.truncnorm.mean(-0.5, np.inf, 1.0)], rtol=1e-14)


def test_moments_of_truncated_distributions_have_their_derivatives():
    def mean(a, low, high):
        return S.truncated(S.gamma(a), low, high).mean()

    at, h = (2.5, 0.5, 3.0), 1e-4
    slopes = sg.grad(mean, argnums=(0, 1, 2))(*at)
    for k, slope in enumerate(slopes):
        step = h * np.eye(3)[k]
        change = (mean(*(at + step)) - mean(*(at - step))).item() / (2 * h)
        assert slope == pytest.approx(change, rel=1e-6)
    several = S.truncated(S.gamma([2.5, 4.0]), [0.5, 1.0], 3.0).mean().numpy()
    np.testing.assert_allclose(several, [mean(2.5, 0.5, 3.0).item(), mean(4.0, 1.0, 3.0).item()], rtol=1e-9)


COUNTS = [
    (S.poisson(2.5), 1, 4),
    (S.poisson(2.5), 30, np.inf),
    (S.nbinom(1.5, 0.3), 2, np.inf),
    (S.binom(9, 0.4), 0, 5),
]


@pytest.mark.parametrize(("base", "low", "high"), COUNTS)
def test_moments_of_truncated_counts_are_sums(base, low, high):
    cut, k = S.truncated(base, low, high), np.arange(low, min(high, low + 2000) + 1.0)
    mass = base.logpmf(k).numpy()
    mass = np.exp(mass - mass.max())
    mean = (k * mass).sum() / mass.sum()
    assert cut.mean().item() == pytest.approx(mean, rel=1e-12)
    assert cut.var().item() == pytest.approx((((k - mean) ** 2) * mass).sum() / mass.sum(), rel=1e-10)


def test_zeros_count_in_moments_of_truncated_counts():
    inflated = S.truncated(S.zero_inflated(S.poisson(400.0), 0.3), 0, np.inf)
    assert inflated.mean().item() == pytest.approx(280.0, rel=1e-12)


@pytest.mark.parametrize(
    ("error", "words", "call"),
    [
        (
            NotImplementedError,
            "of a censored distribution",
            lambda: S.truncated(S.censored(S.gamma(2.0), 1.0), 0.5).mean(),
        ),
        (NotImplementedError, "sum has .* terms", lambda: S.truncated(S.poisson(1e12), 1.0).mean()),
        (ValueError, "no probability between", lambda: S.truncated(S.gamma(2.0), 3.0, 2.0).mean()),
        (NotConverged, "may diverge", lambda: S.truncated(S.cauchy(), 0.0).mean()),
    ],
)
def test_moments_that_cannot_be_had_say_why(error, words, call):
    with pytest.raises(error, match=words):
        call()


# ------------------------------------------------------------------ Fisher information
@pytest.mark.parametrize(("n", "a", "b"), [(7, 0.6, 2.5), (40, 30.0, 1e-3), (1, 2.0, 3.0)])
def test_information_of_beta_binomial_counts_is_a_sum(n, a, b):
    with mp.workdps(40):
        total = mp.matrix(2)
        for k in range(n + 1):
            p = mp.binomial(n, k) * mp.beta(k + a, n - k + b) / mp.beta(a, b)
            common = mp.digamma(n + a + b) - mp.digamma(a + b)
            score = [
                mp.digamma(k + a) - mp.digamma(mp.mpf(a)) - common,
                mp.digamma(n - k + b) - mp.digamma(mp.mpf(b)) - common,
            ]
            for i in range(2):
                for j in range(2):
                    total[i, j] += p * score[i] * score[j]
    own = S.betabinom.fisher_information(n, a, b).numpy()
    np.testing.assert_allclose(own, np.array(total.tolist(), float), rtol=1e-9)
    np.testing.assert_allclose(S.betabinom.fisher_information(n, [a, a], b).numpy()[1], own, rtol=1e-13)


@pytest.mark.parametrize(("m", "n"), [(3.5, 7.0), (1e4, 3.0), (3.0, 1e7), (1e5, 1e5), (0.3, 0.2)])
def test_information_of_ratios_of_variances(m, n):
    """The score is linear in log w, log(1 - w) and w, of w with a beta distribution."""
    with mp.workdps(60):
        a, b = mp.mpf(m) / 2, mp.mpf(n) / 2
        c = a + b
        var, by_log, by_rest = a * b / c**2 / (c + 1), b / c**2, -a / c**2
        psi = [mp.psi(1, v) for v in (a, b, c)]
        covariances = mp.matrix(
            [[psi[0] - psi[2], -psi[2], by_log], [-psi[2], psi[1] - psi[2], by_rest], [by_log, by_rest, var]]
        )
        half = mp.mpf(1) / 2
        rows = mp.matrix([[half, 0, -c / (2 * a)], [0, half, c / (2 * b)], [0, 0, c]])
        exact = np.array((rows * covariances * rows.T).tolist(), float)
    own = S.f.fisher_information(m, n, scale=sg.tensor(1.0)).numpy()
    np.testing.assert_allclose(own, exact, rtol=1e-10)


def test_information_of_ratios_is_the_mean_square_of_the_score():
    w = (np.arange(20_000) + 0.5) / 20_000
    x = S.f.ppf(w, 6.0, 9.0, scale=2.0).numpy()
    score = S.f.score(x, 6.0, 9.0, scale=2.0).numpy()
    np.testing.assert_allclose(S.f.fisher_information(6.0, 9.0, scale=2.0), score.T @ score / len(w), rtol=5e-3)


def test_information_of_truncated_normal_numbers_is_the_mean_square_of_the_score():
    x, w = np.polynomial.legendre.leggauss(60)
    args = (-1.0, 2.0, 0.3, 1.7)
    at = 0.3 + 1.7 * (0.5 + 1.5 * x)
    score = S.truncnorm.score(at, *args).numpy()
    mass = S.truncnorm.pdf(at, *args).numpy() * w * 1.5 * 1.7
    own = S.truncnorm.fisher_information(*args).numpy()
    np.testing.assert_allclose(own, np.einsum("k,ki,kj->ij", mass, score, score), rtol=1e-11)


def test_the_expected_information_between_fixed_bounds_is_the_observed_one():
    """Normal numbers above 0 are an exponential family, though a of truncnorm moves with both parameters."""
    y = S.truncnorm.rvs(-0.5, np.inf, 1.0, 2.0, size=200, random_state=1)
    fitted = S.fit(lambda v: S.truncnorm(-v[0] / v[1], np.inf, v[0], v[1]), [0.5, 1.5], y=y)
    np.testing.assert_allclose(fitted.se(kind="expected"), fitted.se(), rtol=1e-6)


@pytest.mark.parametrize("v", [0.5, 3.5, 149.0, 151.0, 1e4, 1e8])
def test_information_of_degrees_of_freedom_keeps_its_digits(v):
    with mp.workdps(80):
        x = mp.mpf(v)
        exact = (mp.psi(1, x / 2) - mp.psi(1, (x + 1) / 2)) / 4 - (x + 5) / (2 * x * (x + 1) * (x + 3))
    assert S.t.fisher_information(v).item() == pytest.approx(float(exact), rel=1e-11)
