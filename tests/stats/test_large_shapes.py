"""Log-densities and their slopes at large shapes, where the terms of a textbook cancel, beside mpmath."""

import numpy as np
import pytest

import symgrad as sg

mp = pytest.importorskip("mpmath")
S = sg.stats


def less_beta(a, b):
    return mp.loggamma(a + b) - mp.loggamma(a) - mp.loggamma(b)


def choices(k, n):
    return less_beta(k + 1, n - k + 1) - mp.log(n + 1)


def odds(k, n, p):
    return n * mp.log(p) + k * mp.log(1 - p) + less_beta(n, k + 1) - mp.log(n + k)


EXACT = {
    "gamma": lambda x, a: (a - 1) * mp.log(x) - x - mp.loggamma(a),
    "chi2": lambda x, v: (v / 2 - 1) * mp.log(x / 2) - x / 2 - mp.loggamma(v / 2) - mp.log(2),
    "invgamma": lambda x, a: -(a + 1) * mp.log(x) - 1 / x - mp.loggamma(a),
    "beta": lambda x, a, b: (a - 1) * mp.log(x) + (b - 1) * mp.log(1 - x) + less_beta(a, b),
    "f": lambda x, m, n: m / 2 * mp.log(m * x / n) - mp.log(x) - (m + n) / 2 * mp.log(1 + m * x / n)
    + less_beta(m / 2, n / 2),
    "poisson": lambda k, mu: k * mp.log(mu) - mu - mp.loggamma(k + 1),
    "poisson_log": lambda k, eta: k * eta - mp.exp(eta) - mp.loggamma(k + 1),
    "binom": lambda k, n, p: choices(k, n) + k * mp.log(p) + (n - k) * mp.log(1 - p),
    "binomial_logit": lambda k, n, z: choices(k, n) - k * mp.log(1 + mp.exp(-z)) - (n - k) * mp.log(1 + mp.exp(z)),
    "nbinom": odds,
    "neg_binomial_2": lambda k, n, mu: odds(k, n, n / (n + mu)),
    "neg_binomial_2_log": lambda k, n, eta: odds(k, n, n / (n + mp.exp(eta))),
}  # fmt: skip
ROUGH = ("f", "neg_binomial_2")  # whose slopes have terms that cancel
CASES = [
    ("gamma", 100010000.0, 1e8), ("gamma", 1e8, 1.0003e8), ("gamma", 1e12, 1.000001e12), ("gamma", 30.0, 25.0),
    ("gamma", 22.0, 21.0), ("gamma", 21.0, 20.5), ("gamma", 1e-5, 1e-3), ("gamma", 10.0, 1e8),
    ("chi2", 1.0002e6, 1e6), ("chi2", 3.0, 60.0), ("invgamma", 1.0001e-8, 1e8), ("invgamma", 0.3, 25.0),
    ("beta", 0.50001, 1e8, 1e8), ("beta", 1e-8, 1.5, 1e8), ("beta", 1e-3, 1e5, 1e8), ("beta", 0.7, 15.0, 8.0),
    ("beta", 0.2, 0.5, 40.0), ("f", 1.0001, 1e8, 1e8), ("f", 1.3, 5.0, 1e8), ("f", 1.001, 1e8, 5.0),
    ("f", 0.2, 2.0, 3.0),
    ("poisson", 1e8, 1.0001e8), ("poisson", 1e5, 1.01e5), ("poisson", 0.0, 1e8), ("poisson_log", 100.0, 4.7),
    ("binom", 5e7, 1e8, 0.5001), ("binom", 99999997.0, 1e8, 0.99999999), ("binom", 0.0, 100.0, 1e-20),
    ("binomial_logit", 5e7, 1e8, 1e-3), ("binomial_logit", 3.0, 30.0, -800.0), ("nbinom", 1e8, 1e8, 0.5001),
    ("nbinom", 1e4, 1e8, 0.9999), ("nbinom", 1e8, 3.0, 3e-8), ("neg_binomial_2", 1e8, 1e8, 1.001e8),
    ("neg_binomial_2", 1e8, 3.0, 1.3e8), ("neg_binomial_2", 0.0, 1e8, 0.3), ("neg_binomial_2_log", 30.0, 40.0, 3.2),
]  # fmt: skip


def relative(own, exact):
    return float(abs(mp.mpf(float(own)) - exact) / abs(exact))


@pytest.mark.parametrize("case", CASES, ids=str)
def test_densities_of_large_shapes_have_their_digits(case):
    name, *at = case
    family = getattr(S, name)
    log = getattr(family, family.logs)
    with mp.workdps(80):
        numbers = [mp.mpf(v) for v in at]
        assert relative(log(*at), EXACT[name](*numbers)) < 3e-13
        for i in range(1, len(at)):
            if name in ("binom", "binomial_logit") and i == 1:
                continue

            def along(v, i=i):
                return EXACT[name](*numbers[:i], v, *numbers[i + 1 :])

            slope = sg.grad(log, argnums=i)(*at)
            step = numbers[i] * mp.mpf(10) ** -20
            exact = (along(numbers[i] + step) - along(numbers[i] - step)) / (2 * step)
            # of a rounded argument itself: the slope changes by the curvature times its last place
            bend = (along(numbers[i] + step) - 2 * along(numbers[i]) + along(numbers[i] - step)) / step**2
            room = (1e-7 if name in ROUGH else 1e-12) * abs(exact) + 30 * abs(bend * numbers[i]) * mp.mpf(2) ** -52
            assert abs(mp.mpf(slope) - exact) < room, (i, slope, float(exact))


@pytest.mark.parametrize("name", ["gamma", "beta", "nbinom", "poisson_log"])
def test_densities_pass_smoothly_from_small_shapes_to_large(name):
    k = np.array([19.5, 20.0, np.nextafter(20, 21), 20.5, 21.0, np.nextafter(21, 22)])
    args = {
        "gamma": (22.0, k),
        "beta": (0.4, k, 25.0),
        "nbinom": (np.floor(k), k, 0.5),
        "poisson_log": (np.floor(k), 3.1),
    }
    log = getattr(getattr(S, name), getattr(S, name).logs)
    own = log(*args[name]).numpy()
    with mp.workdps(40):
        rows = np.broadcast_arrays(*args[name])
        exact = [float(EXACT[name](*map(mp.mpf, map(float, row)))) for row in zip(*rows, strict=True)]
    np.testing.assert_allclose(own, exact, rtol=2e-14)
    compiled = sg.compile(lambda *xs: log(*xs), backend="llvm")(*rows)
    np.testing.assert_allclose(compiled, exact, rtol=2e-14)


def log_upper(a, x):
    """By the continued fraction from its end."""
    c = mp.mpf(0)
    for i in range(400, 0, -1):
        c = i * (i - a) / (x + 1 - a + 2 * i - c)
    return a * mp.log(x) - x - mp.loggamma(a) - mp.log(x + 1 - a - c)


def log_lower(a, x):
    terms = [mp.mpf(1)]
    while terms[-1] > mp.mpf(10) ** -45:
        terms.append(terms[-1] * x / (a + len(terms)))
    return a * mp.log(x) - x - mp.loggamma(a + 1) + mp.log(mp.fsum(terms))


@pytest.mark.parametrize(
    ("method", "a", "x"),
    [("logsf", 2.5, 300.0), ("logsf", 2.3, 1e4), ("logsf", 0.3, 90.0), ("logsf", 400.0, 1200.0), ("logsf", 1.0, 800.0),
     ("logcdf", 2.5, 1e-60), ("logcdf", 400.0, 10.0), ("logcdf", 400.0, 150.0), ("logcdf", 0.5, 1e-120)],
)  # fmt: skip
def test_tails_of_gamma_have_their_digits_where_the_probability_underflows(method, a, x):
    pytest.importorskip("scipy")
    log, exact = getattr(S.gamma, method), log_upper if method == "logsf" else log_lower
    with mp.workdps(60):
        at, h = [mp.mpf(a), mp.mpf(x)], mp.mpf(10) ** -20
        assert relative(log(x, a), exact(*at)) < 1e-13
        by_a = (exact(at[0] * (1 + h), at[1]) - exact(at[0] * (1 - h), at[1])) / (2 * h * at[0])
        by_x = (exact(at[0], at[1] * (1 + h)) - exact(at[0], at[1] * (1 - h))) / (2 * h * at[1])
        bend = (exact(at[0], at[1] * (1 + h)) - 2 * exact(*at) + exact(at[0], at[1] * (1 - h))) / (h * at[1]) ** 2
        assert relative(sg.grad(lambda a: log(x, a))(a), by_a) < 1e-12
        assert relative(sg.grad(lambda x: log(x, a))(x), by_x) < 1e-12
        second = sg.grad(sg.grad(lambda x: log(x, a)))(x)
        assert abs(second - bend) < 1e-9 * abs(bend) + 1e-13 * abs(by_x)


def test_tails_of_relatives_are_those_of_gamma():
    pytest.importorskip("scipy")
    far = S.gamma.logsf(800.0, 2.5).item()
    assert S.chi2.logsf(1600.0, 5.0).item() == pytest.approx(far, rel=1e-14)
    assert S.invgamma.logcdf(1 / 800.0, 2.5).item() == pytest.approx(far, rel=1e-13)
    assert S.poisson.logcdf(3.0, 800.0).item() == pytest.approx(S.gamma.logsf(800.0, 4.0).item(), rel=1e-14)
    assert S.poisson_log.logcdf(3.0, np.log(800.0)).item() == pytest.approx(S.gamma.logsf(800.0, 4.0).item(), rel=1e-13)
    assert S.gamma.logcdf([-1.0, 0.0, np.inf], 2.0).numpy().tolist() == [-np.inf, -np.inf, 0.0]


def test_moments_of_censored_distributions_are_those_of_clipped_numbers():
    pytest.importorskip("scipy")
    p, k = S.poisson.pmf(np.arange(60.0), 3.0).numpy(), np.arange(60.0).clip(1, 4)
    counts = S.censored(S.poisson(3.0), 1, 4)
    assert counts.mean().item() == pytest.approx(p @ k, rel=1e-12)
    assert counts.var().item() == pytest.approx(p @ k**2 - (p @ k) ** 2, rel=1e-11)
    number = S.censored(S.norm(0.5, 2.0), high=1.0)
    alpha = 0.25  # E min(X, c) = m Φ(α) - s φ(α) + c (1 - Φ(α))
    below, density = S.norm.cdf(alpha).item(), S.norm.pdf(alpha).item()
    assert number.mean().item() == pytest.approx(0.5 * below - 2 * density + 1 - below, rel=1e-12)
    assert number.support() == (-np.inf, 1.0)
    assert number.median().item() == 0.5
    assert sg.grad(lambda c: S.censored(S.norm(), high=c).mean())(0.3) == pytest.approx(
        S.norm.sf(0.3).item(), rel=1e-10
    )


def test_a_beta_density_beside_a_huge_scale_has_its_logarithm():
    own = S.beta.logpdf(1e-160, 2.0, 3.0, scale=1e160).item()
    assert own == pytest.approx(np.log(12) - 480 * np.log(10), rel=1e-14)
