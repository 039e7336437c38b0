"""sg.stats.fit: statsmodels' figures, committed and compared where it is installed; tests, formulas, errors."""

import numpy as np
import pytest

import symgrad as sg
from symgrad.errors import ArgumentError, ArgumentTypeError, LinAlgError, NotConverged, NotYet, ShapeError

S, T = sg.stats, sg.stats.transforms
DEGREES = np.array([53, 57, 58, 63, 66, 67, 67, 67, 68, 69, 70, 70, 70, 70, 72, 73, 75, 75, 76, 76, 78, 79, 81.0])
DAMAGED = np.array([1, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 0, 0, 0, 1, 0, 0, 0, 0, 0.0])
X = np.column_stack([np.ones(23), DEGREES])
WAITS = np.random.default_rng(0).gamma(3.0, 2.0, 400)
POSITIVE = {"a": T.positive, "scale": T.positive}


def shuttle():
    return S.fit(lambda b, X: S.bernoulli_logit(X @ b), np.zeros(2), X, y=DAMAGED, names=["const", "temp"])


def gammas(x=WAITS):
    return S.fit(lambda p: S.gamma(p["a"], scale=p["scale"]), {"a": 1.0, "scale": 1.0}, y=x, constraints=POSITIVE)


FIGURES = {  # of statsmodels' Logit(DAMAGED, X).fit()
    "params": [15.042901647702429, -0.23216274421859628],
    "bse": [7.378636384916659, 0.10823652164928677],
    "HC0": [5.918990911316514, 0.09073589570909325],
    "aic": 24.31519268786683,
    "bic": 26.58618111972513,
    "pvalues": [0.04147895391134167, 0.03195624124945374],
    "wald": 4.600842888179592,
    "llr": 7.951960046814715,
    "llr_pvalue": 0.004803532509110395,
}
ROWS = """\
const                15.0429     7.379     2.039     0.041     0.581    29.505
temp                 -0.2322     0.108    -2.145     0.032    -0.444    -0.020"""


def test_logistic_regression_has_the_figures_of_statsmodels():
    fit = shuttle()
    np.testing.assert_allclose(fit.params, FIGURES["params"], rtol=1e-9)
    np.testing.assert_allclose(fit.se(), FIGURES["bse"], rtol=1e-9)
    np.testing.assert_allclose(fit.se("expected"), FIGURES["bse"], rtol=1e-9)
    np.testing.assert_allclose(fit.se("sandwich"), FIGURES["HC0"], rtol=1e-9)
    np.testing.assert_allclose([fit.aic, fit.bic], [FIGURES["aic"], FIGURES["bic"]], rtol=1e-11)
    np.testing.assert_allclose(fit.pvalues(), FIGURES["pvalues"], rtol=1e-9)
    assert ROWS in str(fit)
    assert "Log-Likelihood:                -10.158  No. Observations:                   23" in str(fit)
    np.testing.assert_allclose(fit.scores().sum(0), [0, 0], atol=1e-9)


def test_committed_figures_are_those_of_statsmodels():
    api = pytest.importorskip("statsmodels.api")
    peer = api.Logit(DAMAGED, X).fit(disp=0)
    for name in ("params", "bse", "aic", "bic", "pvalues", "llr", "llr_pvalue"):
        np.testing.assert_allclose(getattr(peer, name), FIGURES[name], rtol=1e-7)
    np.testing.assert_allclose(api.Logit(DAMAGED, X).fit(disp=0, cov_type="HC0").bse, FIGURES["HC0"], rtol=1e-7)
    numbers = [row.split()[1:] for row in ROWS.splitlines()]
    printed = [row.split()[1:] for row in str(peer.summary()).splitlines() if row.startswith(("const", "x1"))]
    assert numbers == printed
    counts = np.random.default_rng(1).poisson(np.exp(0.3 + 0.02 * (DEGREES - 60)))
    design = np.column_stack([np.ones(23), DEGREES - 60])
    own, peer = (
        S.fit(lambda b: S.poisson_log(design @ b), np.zeros(2), y=counts),
        api.Poisson(counts, design).fit(disp=0),
    )
    np.testing.assert_allclose(own.params, peer.params, rtol=1e-6)
    np.testing.assert_allclose(own.se(), peer.bse, rtol=1e-6)
    np.testing.assert_allclose(own.loglik, peer.llf, rtol=1e-12)


def test_three_tests_of_a_parameter_and_their_p_values():
    fit = shuttle()
    lr, wald, score = fit.lr_test({"temp": 0.0}), fit.wald_test({"temp": 0.0}), fit.score_test({"temp": 0.0})
    expected = [FIGURES["llr"], FIGURES["llr_pvalue"], FIGURES["wald"]]
    np.testing.assert_allclose([lr.statistic, lr.pvalue, wald.statistic], expected, rtol=1e-9)
    p = DAMAGED.mean()  # the score test of a slope in closed form
    centred = DEGREES - DEGREES.mean()
    expected = (centred @ DAMAGED) ** 2 / (p * (1 - p) * (centred @ centred))
    np.testing.assert_allclose(score.statistic, expected, rtol=1e-9)
    smaller = S.fit(lambda b: S.bernoulli_logit(b * np.ones(23)), 0.0, y=DAMAGED)
    np.testing.assert_allclose(fit.lr_test(smaller).statistic, lr.statistic, rtol=1e-9)
    assert str(lr) == "likelihood ratio test: statistic = 7.9520, df = 1, p = 0.004804"
    np.testing.assert_allclose(fit.wald_test(lambda b: b[1]).statistic, wald.statistic, rtol=1e-12)
    assert fit.wald_test({"const": 15.0, "temp": -0.2}).df == 2


def test_profile_intervals_end_where_the_likelihood_has_fallen():
    fit = gammas()
    ends = fit.confint(method="profile")
    for i, name in enumerate(fit.names):
        for end in ends[i]:
            np.testing.assert_allclose(fit.lr_test({name: float(end)}).statistic, 3.841458820694124, rtol=1e-8)
    wald = fit.confint()
    assert (ends[:, 0] > wald[:, 0]).all()
    assert (ends[:, 1] > wald[:, 1]).all()
    one = S.fit(lambda r: S.expon(scale=1 / r), 1.0, y=np.array([1.0, 3.0, 0.5, 2.5]))
    low, high = one.confint(method="profile")[0]
    for end in (low, high):  # log L = n log r - r Σ y
        np.testing.assert_allclose(2 * (4 * np.log(4 / 7 / end) - 4 + 7 * end), 3.841458820694124, rtol=1e-8)


def test_information_of_a_gamma_sample_in_closed_form():
    fit, n = gammas(), len(WAITS)
    a, scale = fit.vector
    trigamma = sg.special.polygamma(1, a).item()
    expected = n * np.array([[trigamma, 1 / scale], [1 / scale, a / scale**2]])
    np.testing.assert_allclose(fit.information("expected"), expected, rtol=1e-10)
    np.testing.assert_allclose(fit.information("observed"), expected, rtol=1e-8)  # at the maximum Σ y = n a scale
    np.testing.assert_allclose(a * scale, WAITS.mean(), rtol=1e-11)
    scores = fit.scores()
    np.testing.assert_allclose(fit.information("opg"), scores.T @ scores, rtol=1e-12)
    assert str(fit.formulas()) == (
        "d/da = sum(log(y)) - n*(log(scale) + digamma(a))\nd/dscale = (sum(y)/scale - a*n)/scale"
    )
    assert "d²/da² = -n*polygamma(1, a)" in str(fit.formulas(2))
    assert str(shuttle().formulas()) == "Xᵀ*(y - σ(X*b))"
    assert "σ" in str(S.fit(lambda b: S.bernoulli_logit(X @ b), np.zeros(2), y=DAMAGED).formulas())


def test_the_expected_information_counts_all_observations_alike():
    x = DEGREES - 70
    fit = S.fit(lambda p: S.norm(p["a"] + p["b"] * x, p["s"]), {"a": 0.0, "b": 0.0, "s": 1.0}, y=0.1 * x + DAMAGED)
    s = fit.params["s"].item()
    expected = np.zeros((3, 3))
    expected[:2, :2] = np.array([[23, x.sum()], [x.sum(), x @ x]]) / s**2
    expected[2, 2] = 2 * 23 / s**2
    np.testing.assert_allclose(fit.information("expected"), expected, rtol=1e-10)


def test_the_delta_method_and_its_interval():
    fit = shuttle()
    estimate = S.delta(lambda b: sg.sigmoid(b[0] + 31 * b[1]), fit)
    p = 1 / (1 + np.exp(-fit.vector @ [1, 31]))
    slope = p * (1 - p) * np.array([1, 31])
    np.testing.assert_allclose(estimate.se, np.sqrt(slope @ fit.cov() @ slope), rtol=1e-10)
    np.testing.assert_allclose(estimate.confint(), p + np.array([-1, 1]) * 1.959963984540054 * estimate.se, rtol=1e-12)
    both = S.delta(lambda b: 2 * b, fit)
    np.testing.assert_allclose(both.cov, 4 * fit.cov(), rtol=1e-12)
    assert both.confint(0.9).shape == (2, 2)


def test_the_bootstrap_has_the_spread_of_the_sandwich():
    fit = S.fit(lambda p: S.norm(p["mu"], p["s"]), {"mu": 5.0, "s": 3.0}, y=WAITS)
    estimates = fit.bootstrap(400, seed=2)
    assert np.isfinite(estimates).all()
    np.testing.assert_allclose(estimates.std(0), fit.se("sandwich"), rtol=0.12)
    weights = np.random.default_rng(2).multinomial(400, np.full(400, 1 / 400), size=400)
    np.testing.assert_allclose(estimates[:, 0], weights @ WAITS / 400, rtol=1e-9)
    mean = estimates[:, 0]
    np.testing.assert_allclose(estimates[:, 1], np.sqrt(weights @ WAITS**2 / 400 - mean**2), rtol=1e-9)


def test_the_delta_method_takes_estimates_by_name():
    fit = S.fit(lambda p: S.norm(p["mu"], p["s"]), {"mu": 5.0, "s": 3.0}, y=WAITS)
    ratio = lambda p: p["mu"] / p["s"]
    assert S.delta(ratio, fit.params, fit.cov()).se == pytest.approx(S.delta(ratio, fit).se, rel=1e-14)


def test_every_sample_of_a_bootstrap_with_a_maximum_has_an_estimate():
    y = np.random.default_rng(1).gamma(2.0, 1.5, 200)
    fit = S.fit(lambda p: S.gamma(p[0], scale=p[1]), np.ones(2), y=y, constraints=T.positive)
    estimates = fit.bootstrap(200, seed=0)
    assert np.isfinite(estimates).all()
    weights = np.random.default_rng(0).multinomial(200, np.full(200, 1 / 200), size=200)
    np.testing.assert_allclose(estimates.prod(1), weights @ y / 200, rtol=1e-8)  # a s is the mean


def test_classes_that_a_line_separates_warn_that_there_is_no_maximum():
    x, y = np.arange(4.0), np.array([0.0, 0.0, 1.0, 1.0])
    with pytest.warns(UserWarning, match="may have no maximum. Classes that a line separates"):
        fit = S.fit(lambda b: S.bernoulli_logit(b[0] + b[1] * x), np.zeros(2), y=y)
    assert fit.loglik > -1e-9


def test_a_profile_that_does_not_fall_far_enough_has_no_end():
    fit = S.fit(lambda p: -(p**2) / (1 + p**2), 0.3)
    np.testing.assert_array_equal(fit.confint(method="profile"), [[-np.inf, np.inf]])


def test_a_sum_has_no_bic():
    fit = S.fit(lambda m: S.norm.logpdf(WAITS, m).sum(), 1.0)
    assert np.isnan(fit.bic)
    assert "nan" in repr(fit)
    assert np.isfinite(fit.aic)


BAD = {
    "is nan at the start": (ArgumentError, lambda: S.fit(lambda s: S.norm(0.0, s), -1.0, y=WAITS)),
    r"is nan at the start, first at index \[1\] \(1 of 2 observations\)": (ArgumentError, lambda: S.fit(
        lambda m: S.norm(m, 1.0), 1.0, y=np.array([1.0, np.nan]))),
    "-inf at the start, first at index": (ArgumentError, lambda: S.fit(
        lambda s: S.expon(scale=s), 1.0, y=np.array([1.0, -2.0]))),
    "start of 'm' is nan. Expected finite": (ArgumentError, lambda: S.fit(
        lambda p: S.norm(p["m"], 1.0), {"m": np.nan}, y=WAITS)),
    "x0 is empty": (ArgumentError, lambda: S.fit(lambda p: S.norm(0.0, 1.0), {}, y=WAITS)),
    r"y has shape \(4,\), which the parameters of norm do not fit": (ShapeError, lambda: S.fit(
        lambda m: S.norm(m * np.ones(3), 1.0), 1.0, y=np.ones(4))),
    "level is 0. Expected": (ArgumentError, lambda: shuttle().confint(0, method="profile")),
    r"cov has shape \(1, 1\). Expected \(2, 2\)": (ShapeError, lambda: S.delta(
        lambda p: p["a"], {"a": 1.0, "b": 2.0}, 3.0)),
    "size is 0. Expected 1 or more": (ArgumentError, lambda: shuttle().bootstrap(0)),
    "bootstrap: seed is -1": (ArgumentTypeError, lambda: shuttle().bootstrap(3, seed=-1)),
    "log-likelihoods, or that you pass y": (ArgumentTypeError, lambda: S.fit(lambda s: S.norm(0.0, s), 1.0)),
    "the distribution of y": (ArgumentTypeError, lambda: S.fit(lambda s: -s, 1.0, y=WAITS)),
    "do not determine all parameters": (LinAlgError, lambda: S.fit(
        lambda p: S.norm(p["a"] + p["b"], 1.0), {"a": 0.0, "b": 0.0}, y=WAITS).se()),
    "2 names for 1 parameters": (ArgumentError, lambda: S.fit(
        lambda s: S.norm(0.0, s), 1.0, y=WAITS, names=["a", "b"])),
    "Newton's method stopped": (NotConverged, lambda: S.fit(lambda b: -b, 1.0)),
    "The parameters are const, temp": (ArgumentError, lambda: shuttle().wald_test({"z": 1.0})),
    "level is 2": (ArgumentError, lambda: shuttle().confint(2)),
    "Expected one of observed": (ArgumentError, lambda: shuttle().cov("robust")),
    "'sandwich'. Expected one of observed, expected, opg": (
        ArgumentError, lambda: shuttle().score_test({"temp": 0.0}, kind="sandwich")),
    "that keep their number": (ArgumentError, lambda: S.fit(
        lambda s: S.norm(0.0, s), 1.0, y=WAITS, constraints={"q": T.positive})),
    "Pass a Fit, or estimates and cov": (ArgumentTypeError, lambda: S.delta(lambda b: b, [1.0])),
    "log-likelihood of each observation": (NotYet, lambda: S.fit(
        lambda m: S.norm.logpdf(WAITS, m).sum(), 1.0).se("opg")),
    "needs a distribution": (NotYet, lambda: S.fit(lambda m: S.norm.logpdf(WAITS, m), 1.0).se("expected")),
    "other fit has 3 observations": (ArgumentError, lambda: S.fit(
        lambda p: S.norm(p[0], p[1]), [1.0, 1.0], y=WAITS).lr_test(S.fit(lambda m: S.norm(m, 1.0), 1.0, y=WAITS[:3]))),
    "flat at the start": (NotConverged, lambda: S.fit(
        lambda p: S.mixture([S.norm(p[0], 1.0), S.norm(p[1], 1.0)]), [0.0, 0.0], y=[-4.0, -3.0, 3.0, 4.5])),
    "does not have fewer parameters": (ArgumentError, lambda: shuttle().lr_test(shuttle())),
}  # fmt: skip


@pytest.mark.parametrize("words", BAD)
def test_what_cannot_be_fitted_is_said(words):
    error, call = BAD[words]
    with pytest.raises(error, match=words):
        call()
