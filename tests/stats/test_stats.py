"""sg.stats: SciPy's values, derivatives by finite differences, Fisher information by quadrature, what is printed."""

import itertools
import pickle
import subprocess
import sys
from types import SimpleNamespace

import numpy as np
import pytest

import symgrad as sg
from symgrad.errors import ArgumentError, ArgumentTypeError, LinAlgError
from symgrad.stats.sampling import between

POINTS = np.array([-np.inf, -3, -1, 0, 0.2, 0.5, 1, 1.5, 2, 3, 4, 8, 11, np.inf, np.nan])
QUANTILES = np.array([-1, 0, 0.1, 0.5, 0.9, 1, 2])
SHAPES = {
    "norm": (), "t": (3.5,), "cauchy": (), "laplace": (), "logistic": (), "gumbel_r": (), "gumbel_l": (),
    "vonmises": (2.5,), "gamma": (2.5,), "chi2": (3.0,), "invgamma": (2.5,), "f": (3.0, 5.0), "expon": (),
    "weibull_min": (1.7,), "lognorm": (0.8,), "halfnorm": (), "halfcauchy": (), "rayleigh": (), "pareto": (2.5,),
    "beta": (2.0, 3.5), "uniform": (), "poisson": (2.5,), "binom": (7, 0.3), "bernoulli": (0.3,), "nbinom": (3.5, 0.4),
    "geom": (0.3,), "skewnorm": (1.7,), "exponnorm": (1.5,), "genextreme": (-0.3,), "invgauss": (0.7,),
}  # fmt: skip
DISCRETE = ("poisson", "binom", "bernoulli", "nbinom", "geom")
OF_X = ("pdf", "logpdf", "pmf", "logpmf", "cdf", "sf", "logcdf", "logsf")
SLOPED = ("logpdf", "logpmf", "cdf", "logsf")
OF_Q = ("ppf", "isf")
OF_NOTHING = ("mean", "var", "std", "entropy", "median")


def methods(name, among, shift):
    """The methods of a distribution that are not refused."""
    for method in among:
        call = getattr(getattr(sg.stats, name), method, None)
        try:
            if call is not None:
                call(*[0.5] * (among is not OF_NOTHING), *SHAPES[name], *shift)
                yield method
        except ImportError:  # SciPy is not installed, whose kernel it is
            pass
        except NotImplementedError:
            assert method == "entropy" or name == "vonmises"


@pytest.mark.parametrize("name", SHAPES)
def test_values_are_scipys_also_outside_the_support(name):
    stats = pytest.importorskip("scipy.stats")
    where = {OF_X: (POINTS,), OF_Q: (QUANTILES,), OF_NOTHING: ()}
    for among, first in where.items():
        shift = (1.0,) if name in DISCRETE else (0.3, 1.7)
        for method in methods(name, among, shift):
            found = getattr(getattr(sg.stats, name), method)(*first, *SHAPES[name], *shift).numpy()
            with np.errstate(all="ignore"):
                wanted = getattr(getattr(stats, name), method)(*first, *SHAPES[name], *shift)
            known = ~np.isnan(wanted) | np.isnan(first[0] if first else 0.0)  # SciPy has nan for ∞·0 at infinity
            np.testing.assert_allclose(found, np.where(known, wanted, found), 1e-11, 1e-15, err_msg=method)


def inside(name):
    if name in DISCRETE:
        return 1.0
    return 0.9 if name in ("beta", "uniform") else 3.1


def difference(fn, args, i, h=1e-3):
    """The derivative by the i-th argument, by differences of the fourth order."""

    def at(step):
        return float(fn(*args[:i], args[i] + step, *args[i + 1 :]))

    return (8 * (at(h) - at(-h)) - (at(2 * h) - at(-2 * h))) / (12 * h)


def parameters(name):
    shift = () if name in DISCRETE else (0.3, 1.7)
    return [*map(float, SHAPES[name]), *shift]


@pytest.mark.parametrize("name", SHAPES)
def test_derivatives_in_every_argument_are_those_of_the_values(name):
    args = [inside(name), *parameters(name)]
    for method in methods(name, SLOPED, parameters(name)[len(SHAPES[name]) :]):
        fn = getattr(getattr(sg.stats, name), method)
        for i in range(name in DISCRETE, len(args)):
            if (name, i) != ("binom", 1) and not (name == "bernoulli" and method == "logsf"):  # which is log 0
                found = float(sg.grad(fn, argnums=i)(*args))
                assert found == pytest.approx(difference(fn, args, i), rel=1e-6, abs=1e-8), (method, i)


WHOLE_LINE = ("norm", "t", "cauchy", "laplace", "logistic", "gumbel_r", "gumbel_l", "vonmises", "skewnorm", "exponnorm",
              "genextreme")  # fmt: skip


@pytest.mark.parametrize("name", SHAPES)
def test_derivatives_outside_the_support_are_nought(name):
    outside = [] if name in WHOLE_LINE else [-3.0, -0.5, -np.inf, np.inf]
    for method, x in itertools.product(methods(name, SLOPED, parameters(name)[len(SHAPES[name]) :]), outside):
        fn = getattr(getattr(sg.stats, name), method)
        found = sg.grad(lambda *args, fn=fn: fn(*args), argnums=tuple(range(1 + len(parameters(name)))))
        assert [*map(float, found(x, *parameters(name)))] == [0.0] * (1 + len(parameters(name))), (method, x)


BAD = {"norm": (0.0, -1.0), "gamma": (-1.5,), "beta": (1.0, 0.0), "poisson": (-1.0,), "binom": (2.5, 0.3), "t": (0.0,)}


@pytest.mark.parametrize("name", BAD)
def test_parameters_that_are_none_give_nan_and_a_gradient_of_nan(name):
    d = getattr(sg.stats, name)
    density = getattr(d, d.logs)
    assert np.isnan(density(np.array([-1.0, 0.5, 1.0]), *BAD[name]).numpy()).all()
    assert np.isnan(float(sg.grad(lambda p: density(1.0, *BAD[name][:-1], p))(BAD[name][-1])))


def expectation(name, args, kwargs, fn):
    """E fn(X), by a sum or by Simpson's rule on a line that ±∞ is mapped to."""
    stats = pytest.importorskip("scipy.stats")
    if name in DISCRETE:
        x = np.arange(200.0)
        weights = getattr(stats, name).pmf(x, *args, **kwargs)
    else:
        s = np.linspace(-4, 4, 2001)
        u = 1 / (1 + np.exp(-2 * np.sinh(s)))
        x = getattr(stats, name).ppf(u, *args, **kwargs)
        weights = u * (1 - u) * 2 * np.cosh(s) * (s[1] - s[0])
    kept = np.isfinite(x) & (weights > 1e-30) & (np.abs(x) < 1e8)
    return np.tensordot(weights[kept], fn(x[kept], *args, **kwargs).numpy(), 1)


INFORMED = {  # the parameters for which it is known
    name: ((), {"scale": 1.7}) for name in ("expon", "halfnorm", "halfcauchy", "rayleigh")
} | {
    name: (SHAPES[name], {"scale": 1.7}) for name in ("gamma", "chi2", "invgamma", "weibull_min", "lognorm", "invgauss")
} | {
    name: (SHAPES[name], {}) for name in ("pareto", "beta", "poisson", "binom", "bernoulli", "geom")
} | {
    name: ((*SHAPES[name], 0.3, 1.7), {})
    for name in ("norm", "t", "cauchy", "laplace", "logistic", "gumbel_r", "gumbel_l", "vonmises", "genextreme")
}  # fmt: skip


@pytest.mark.parametrize("name", [n for n in INFORMED if n != "vonmises"])
def test_fisher_information_is_the_mean_square_of_the_score(name):
    d, (args, kwargs) = getattr(sg.stats, name), INFORMED[name]
    found = d.fisher_information(*args, **kwargs).numpy()

    def squares(x, *args, **kwargs):
        score = d.score(x, *args, **kwargs)
        return score[:, :, None] * score[:, None, :]

    np.testing.assert_allclose(found, expectation(name, args, kwargs, squares), rtol=2e-3, atol=1e-4)
    if name not in ("laplace", "cauchy", "halfcauchy"):
        bent = -expectation(name, args, kwargs, d.hessian)
        np.testing.assert_allclose(found, bent, rtol=2e-3, atol=1e-4)


def test_information_of_von_mises_at_large_and_small_concentration():
    found = sg.stats.vonmises.fisher_information(np.array([0.0, 99.9, 100.1, 1e8])).numpy()[:, 0, 0]
    np.testing.assert_allclose(found[0], 0.5)
    np.testing.assert_allclose(found[1:] * np.array([99.9, 100.1, 1e8]) ** 2, [0.50254, 0.50254, 0.5], rtol=1e-4)


PRINTED = {
    "norm": ("mu sigma", {}, ["sum(x - mu)/sigma**2", "‖x - mu‖²/sigma**3 - n/sigma"]),
    "gamma": ("alpha", {"scale": "theta"}, ["sum(log(x)) - n*(log(theta) + digamma(alpha))",
                                            "(sum(x)/theta - alpha*n)/theta"]),
    "beta": ("alpha beta", {}, ["n*(digamma(alpha + beta) - digamma(alpha)) + sum(log(x))",
                                "n*(digamma(alpha + beta) - digamma(beta)) + sum(log1p(-x))"]),
    "poisson": ("lambda", {}, ["sum(x)/lambda - n"]),
    "expon": ("", {"scale": "theta"}, ["sum(x)/theta**2 - n/theta"]),
    "geom": ("p", {}, ["n/p - sum(x - 1)/(1 - p)"]),
    "nbinom": ("r p", {}, ["n*(log(p) - digamma(r)) + sum(digamma(x + r))", "n*r/p - sum(x)/(1 - p)"]),
    "laplace": ("mu b", {}, ["sum(sign(x - mu))/b", "sum(abs(x - mu))/b**2 - n/b"]),
    "weibull_min": ("c", {"scale": "lambda"}, [
        "n*(1/c - log(lambda)) + sum(log(x) - ((x/lambda)^⊙c ⊙ log(x/lambda)))", "c*(sum((x/lambda)^⊙c) - n)/lambda"]),
    "pareto": ("alpha", {}, ["n/alpha - sum(log(x))"]),
    "invgauss": ("mu", {}, ["sum(x - mu)/mu**3"]),
    "skewnorm": ("a", {}, ["xᵀ*(φ(a*x) ⊘ Φ(a*x))"]),
    "lognorm": ("sigma", {"scale": "theta"}, ["‖log(x) - log(theta)‖²/sigma**3 - n/sigma",
                                              "sum(log(x) - log(theta))/(sigma**2*theta)"]),
}  # fmt: skip


@pytest.mark.parametrize("name", PRINTED)
def test_scores_print_as_in_a_textbook(name):
    positional, named, wanted = PRINTED[name]
    symbols = [sg.symbol(p) for p in positional.split()]
    named = {k: sg.symbol(v) for k, v in named.items()}
    d, x = getattr(sg.stats, name), sg.symbol("x", "n")
    total = getattr(d, d.logs)(x, *symbols, **named).sum()
    assert [str(sg.derive(total, p)) for p in (*symbols, *named.values())] == wanted


def test_the_normal_likelihood_and_its_hessian_in_closed_form():
    x, mu, sigma = sg.symbol("x", "n"), sg.symbol("mu"), sg.symbol("sigma")
    total = sg.stats.norm.logpdf(x, mu, sigma).sum()
    assert str(sg.derive(total, [mu, sigma])) == (
        "d/dmu = sum(x - mu)/sigma**2\nd/dsigma = ‖x - mu‖²/sigma**3 - n/sigma"
    )
    assert str(sg.derive(total, sigma, order=2)) == "n/sigma**2 - 3*‖x - mu‖²/sigma**4"
    one = sg.stats.norm.logpdf(sg.symbol("x"), mu, sigma)
    assert str(sg.derive(one, mu)) == "(x - mu)/sigma**2"


def test_tails_keep_their_digits():
    far = np.array([-40.0, -1e3, 38.0])
    found = sg.stats.norm.logcdf(far).numpy()
    np.testing.assert_allclose(found, [-804.608442013754, -500007.826694812, -2.885428e-316], rtol=1e-6)
    np.testing.assert_allclose(float(sg.grad(sg.stats.norm.logcdf)(-1e3)), 1000.000999998, rtol=1e-12)
    np.testing.assert_allclose(sg.stats.cauchy.cdf(-1e20).item(), 1e-20 / np.pi, rtol=1e-14)
    np.testing.assert_allclose(sg.stats.expon.logcdf(1e-20).item(), np.log(1e-20), rtol=1e-14)
    np.testing.assert_allclose(sg.stats.geom.sf(3.0, 1e-20).item(), 1.0)
    np.testing.assert_allclose(sg.stats.t.logpdf(1.3, 1e12).item(), sg.stats.norm.logpdf(1.3).item(), rtol=1e-11)


def test_transforms_and_compiled_functions_agree_with_calls():
    x, a = np.array([0.5, 1.5, -1.0]), np.array([1.2, 2.2])
    together = sg.stats.gamma.logpdf(x, a[:, None], scale=0.7).numpy()
    batched = sg.vmap(lambda a: sg.stats.gamma.logpdf(x, a, scale=0.7))(sg.tensor(a)).numpy()
    np.testing.assert_allclose(batched, together)

    def loss(a, s):
        return sg.stats.gamma.logpdf(x[:2], a, scale=s).sum() + sg.stats.weibull_min.logsf(x, a, scale=s).sum()

    fast = sg.compile(sg.grad(loss, argnums=(0, 1)))
    np.testing.assert_allclose(fast(2.2, 0.7), sg.grad(loss, argnums=(0, 1))(2.2, 0.7), rtol=1e-12)


def test_single_precision_stays_and_whole_numbers_are_counted():
    assert sg.stats.gamma.logpdf(sg.tensor(np.float32([1.0, 2.0])), 2.0).dtype == np.float32
    assert sg.stats.poisson.logpmf(np.array([1, 2]), 2.0).dtype == np.float64
    assert sg.stats.norm.var(np.zeros(3), 2.0).shape == (3,)


@pytest.mark.parametrize("name", ["norm", "t", "gamma", "weibull_min", "beta", "nbinom", "vonmises"])
def test_hessians_are_those_of_reverse_mode(name):
    d, p = getattr(sg.stats, name), parameters(name)
    p = p if name in ("norm", "t") else p[: len(SHAPES[name])]
    x = 0.4 if name == "beta" else 2.0
    density = getattr(d, d.logs)
    wanted = sg.hessian(lambda theta: density(x, *[theta[k] for k in range(len(p))]))(sg.tensor(p))
    np.testing.assert_allclose(d.hessian(x, *p).numpy(), wanted.detach().numpy(), rtol=1e-9)


def test_distribution_functions_are_differentiable_in_their_shapes():
    mpmath = pytest.importorskip("mpmath")
    pytest.importorskip("scipy")
    exact = mpmath.diff(lambda a: mpmath.gammainc(a, 0, 2, regularized=True), 3.5)
    assert float(sg.grad(lambda a: sg.stats.gamma.cdf(2.0, a))(3.5)) == pytest.approx(float(exact), rel=1e-9)
    exact = mpmath.diff(lambda b: mpmath.betainc(2, b, 0, 0.25, regularized=True), 3.5)
    assert float(sg.grad(lambda b: sg.stats.beta.cdf(0.25, 2.0, b))(3.5)) == pytest.approx(float(exact), rel=1e-9)
    quantile = sg.stats.chi2.ppf(0.3, 4.0)
    assert sg.stats.chi2.cdf(quantile, 4.0).item() == pytest.approx(0.3)
    assert float(sg.grad(sg.stats.chi2.ppf)(0.3, 4.0)) == pytest.approx(1 / sg.stats.chi2.pdf(quantile, 4.0).item())


def test_kernels_that_were_made_before_the_module_was_loaded_do_no_harm():
    program = "import symgrad as sg; sg.sin(sg.ones(2)).sum(); print(sg.stats.gamma.logpdf(1.0, 2.0).item())"
    found = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True).stdout
    assert float(found) == -1.0


def test_distributions_are_pickled_by_their_name():
    assert pickle.loads(pickle.dumps(sg.stats.norm)) is sg.stats.norm
    assert pickle.loads(pickle.dumps(sg.stats.dirichlet)) is sg.stats.dirichlet
    assert pickle.loads(pickle.dumps(sg.stats.norm(1.0, 2.0))).mean().item() == 1.0


def test_a_frozen_distribution_has_the_methods_of_its_family():
    frozen = sg.stats.norm(1.0, scale=2.0)
    assert frozen.cdf(3.0).item() == sg.stats.norm.cdf(3.0, 1.0, 2.0).item()
    assert frozen.std().item() == 2.0
    assert repr(frozen) == "symgrad.stats.norm(1.0, scale=2.0)"
    assert "logsf" in dir(frozen)


def test_errors_say_which_parameters_there_are():
    with pytest.raises(TypeError, match=r"gamma: its parameters are \(a, loc=0, scale=1\). Got 0 by position"):
        sg.stats.gamma.logpdf(1.0)
    with pytest.raises(TypeError, match=r"and sigma by name"):
        sg.stats.norm.logpdf(1.0, sigma=2.0)
    with pytest.raises(NotImplementedError, match=r"in loc has no closed form"):
        sg.stats.gamma.fisher_information(2.0, loc=0.5)


# ------------------------------------------------------------------ vectors and matrices
RNG = np.random.default_rng(0)
ROOT = RNG.normal(size=(3, 3))
COV, MEAN, ROWS = ROOT @ ROOT.T + np.eye(3), RNG.normal(size=3), RNG.normal(size=(5, 3))
SIMPLEX, ALPHA, P = RNG.dirichlet([1, 1, 1], 4), np.array([0.5, 1, 2.5]), np.array([0.2, 0.3, 0.5])


def test_densities_of_vectors_and_matrices_are_scipys():
    stats, own = pytest.importorskip("scipy.stats"), sg.stats
    pairs = [
        (own.multivariate_normal.logpdf(ROWS, MEAN, COV), stats.multivariate_normal.logpdf(ROWS, MEAN, COV)),
        (own.multivariate_normal.pdf(ROWS[0], cov=2.0), stats.multivariate_normal.pdf(ROWS[0], np.zeros(3), 2.0)),
        (own.multivariate_normal.entropy(MEAN, COV), stats.multivariate_normal.entropy(MEAN, COV)),
        (own.dirichlet.logpdf(SIMPLEX, ALPHA), stats.dirichlet.logpdf(SIMPLEX.T, ALPHA)),
        (own.dirichlet.entropy(ALPHA), stats.dirichlet.entropy(ALPHA)),
        (own.dirichlet.var(ALPHA), stats.dirichlet.var(ALPHA)),
        (own.multinomial.logpmf([1, 2, 3], 6, P), stats.multinomial.logpmf([1, 2, 3], 6, P)),
        (own.multinomial.cov(6, P), stats.multinomial.cov(6, P)),
        (own.wishart.logpdf(COV, 4.5, 2 * np.eye(3)), stats.wishart.logpdf(COV, 4.5, 2 * np.eye(3))),
        (own.categorical.pmf([0, 2], P), P[[0, 2]]),
    ]
    for found, wanted in pairs:
        np.testing.assert_allclose(found.numpy(), wanted, rtol=1e-12)
    rows = own.multivariate_normal.logpdf(ROWS.reshape(1, 5, 3), MEAN, COV)
    assert rows.shape == (1, 5)


_ENDS, _LOGITS = np.array([0.0, 0.4, 0.6]), np.array([0.3, -1.2, 2.0])


def test_moments_and_ends_of_vectors_are_scipys():
    stats, own = pytest.importorskip("scipy.stats"), sg.stats
    nearly = np.array([1e-10, 5e-6])  # what sums of proportions and of parameters may be off by
    pairs = [
        (own.multivariate_normal.fisher_information(MEAN, COV), np.linalg.inv(COV)),
        (own.multivariate_normal.logpdf(1e3 * ROWS, MEAN, 1e6 * COV + np.triu(np.ones((3, 3)), 1)),
         stats.multivariate_normal.logpdf(1e3 * ROWS, MEAN, 1e6 * COV), 1e-5),
        (own.dirichlet.mean(ALPHA), stats.dirichlet.mean(ALPHA)),
        (own.dirichlet.var(np.stack([2 * ALPHA, ALPHA])), [stats.dirichlet.var(k * ALPHA) for k in (2, 1)]),
        (own.dirichlet.logpdf(_ENDS, [2.0, 0.5, 1.5]), -np.inf),
        (own.dirichlet.logpdf(_ENDS, [1.0, 0.5, 1.5]), stats.dirichlet.logpdf(_ENDS, [1.0, 0.5, 1.5])),
        (own.dirichlet.logpdf([[0.2, 0.8 + nearly[0]], [0.2, 0.8 + 1e-6]], [2.0, 3.0]),
         [stats.dirichlet.logpdf([0.2, 0.8], [2.0, 3.0]), -np.inf], 1e-8),
        (own.multinomial.mean(6, P), 6 * P),
        (own.multinomial.logpmf([0, 2, 4], 6, [0.0, 0.4, 0.6]), stats.binom.logpmf(2, 6, 0.4)),
        (own.multinomial.pmf([[1.5, 2, 2.5], [1, 2, 3]], 6, P), [0.0, stats.multinomial.pmf([1, 2, 3], 6, P)]),
        (own.multinomial.mean(6, P + nearly[1] / 3), 6 * P, 1e-4),
        (own.multinomial.mean(6, P + 1e-3), [np.nan] * 3),
        (own.categorical.logpmf([2, 0], logits=_LOGITS), np.log(np.exp(_LOGITS)[[2, 0]] / np.exp(_LOGITS).sum())),
        (own.categorical.entropy(P), stats.entropy(P)),
        (own.categorical.entropy(logits=_LOGITS), stats.entropy(np.exp(_LOGITS))),
        (own.wishart.mean(4.5, COV), 4.5 * COV),
        (own.wishart.logpdf(COV, 2.3, COV + np.eye(3)), stats.wishart.logpdf(COV, 2.3, COV + np.eye(3))),
        (own.wishart.logpdf(COV, 1.9, COV), np.nan),
    ]  # fmt: skip
    for found, wanted, *rtol in pairs:
        np.testing.assert_allclose(found.numpy(), wanted, rtol=rtol[0] if rtol else 1e-12)
    z, x = (own.multivariate_normal.rvs(MEAN, c, size=4, random_state=3).numpy() for c in (np.eye(3), COV))
    np.testing.assert_allclose(x, MEAN + (z - MEAN) @ np.linalg.cholesky(COV).T, rtol=1e-12)
    assert set(own.categorical.rvs(P + nearly[1] / 3, size=40, random_state=0).tolist()) == {0, 1, 2}
    for call, said in [
        (lambda: own.categorical.rvs(P + 1e-3), "have the sum 1. Got the sum 1.003"),
        (lambda: own.categorical.pmf(1, P, logits=_LOGITS), "pass p or logits. Got both"),
        (lambda: own.categorical.pmf(1), "pass p or logits. Got neither"),
        (lambda: own.multivariate_normal.logpdf(ROWS, MEAN, 1e-6 * COV + np.triu(np.full((3, 3), 1e-7), 1)), "differs"),
    ]:
        with pytest.raises((ArgumentError, TypeError, LinAlgError), match=said):
            call()


_X, _Q = np.array([-7.9, -2.1, 0.3, 1.4, 4.6, 9.5, -np.inf, np.inf]), np.array([0.0, 1e-7, 0.35, 0.9, 1.0])
SAME = [  # what is called in the same way in SciPy
    *[lambda s, m=m, k=k: getattr(s.vonmises, m)(_X, k, 0.7, 1.3) for m in ("cdf", "sf") for k in (0.3, 2.5, 1e5)],
    *[lambda s, m=m: getattr(s.vonmises, m)(_X[1:5], 2.5, 0.7, 1.3) for m in ("logcdf", "logsf")],
    *[lambda s, m=m, k=k: getattr(s.vonmises, m)(_Q, k, 0.7, 1.3) for m in ("ppf", "isf") for k in (0.3, 2.5)],
    *[lambda s, m=m: getattr(s.binom, m)(np.array([*_Q, -0.1, 1.1]), 5, 0.3, 2) for m in ("ppf", "isf")],
    *[lambda s, m=m: getattr(s.expon, m)(np.array([*_Q, -0.1, 1.1]), 0.7, 1.3) for m in ("ppf", "isf")],
    *[lambda s, m=m: getattr(s.gamma, m)(2.3, 0.7, 1.3) for m in ("mean", "var", "std", "entropy", "median")],
    *[lambda s, m=m: getattr(s.norm, m)(np.nan, 1.3) for m in ("mean", "var", "entropy", "median")],
    *[lambda s, m=m: getattr(s.norm, m)(np.zeros(3), 1.3) for m in ("mean", "var", "entropy")],
    *[lambda s, m=m: getattr(s.norm, m)(_X, 0.7, 0.0) for m in ("logpdf", "cdf", "logsf")],
]


@pytest.mark.parametrize("k", range(len(SAME)))
def test_calls_with_loc_and_scale_are_scipys(k):
    stats = pytest.importorskip("scipy.stats")
    np.testing.assert_allclose(SAME[k](sg.stats).numpy(), SAME[k](stats), rtol=1e-9, atol=1e-13)


def test_parameters_keep_scipys_order_and_defaults_are_left_out():
    norm, both = sg.stats.norm, np.array([[(0.4 - 0.5) / 4, (0.1**2 / 4 - 1) / 2]])
    for score in (norm.score(np.array([0.4]), 0.5, 2.0), norm.score(np.array([0.4]), scale=2.0, loc=0.5)):
        np.testing.assert_allclose(score.numpy(), both, rtol=1e-12)
    assert norm.score(0.4, 0, 2.0).shape == (1,)
    assert norm.score(0.4, sg.tensor(0.0), 1.0).shape == (1,)
    assert sg.stats.binom.score(2, 5, 0.3).shape == (1,)
    assert sg.stats.expon.score(np.array([-1.0, 0.5]), scale=2.0).tolist() == [[0.0], [-0.375]]
    np.testing.assert_allclose(norm.fisher_information(0.5, 2.0).numpy(), [[0.25, 0.0], [0.0, 0.5]])
    with pytest.raises(TypeError, match=r"Got 1 by position, and loc by name"):
        norm.logpdf(1.0, 2.0, loc=3.0)


def test_derivatives_of_densities_of_vectors_pass_gradcheck():
    own, C = sg.stats, sg.tensor(COV, requires_grad=True)
    m, a, p = (sg.tensor(v, requires_grad=True) for v in (MEAN, ALPHA, P))
    assert sg.autograd.gradcheck(lambda m, C: own.multivariate_normal.logpdf(ROWS, m, C), (m, C))
    assert sg.autograd.gradcheck(lambda a: own.dirichlet.logpdf(SIMPLEX, a), (a,))
    assert sg.autograd.gradcheck(lambda p: own.multinomial.logpmf([1, 2, 3], 6, p), (p,))
    assert sg.autograd.gradcheck(lambda C: own.wishart.logpdf(COV, 4.5, C), (C,))
    hessian = sg.hessian(lambda a: own.dirichlet.logpdf(SIMPLEX[0], a))(a)
    np.testing.assert_allclose(-hessian.detach().numpy(), own.dirichlet.fisher_information(ALPHA).numpy(), rtol=1e-12)


def test_outside_the_support_of_vectors_nothing_has_a_slope():
    off = sg.grad(lambda a: sg.stats.dirichlet.logpdf([0.5, 0.6, 0.1], a))(sg.tensor(ALPHA))
    few = sg.grad(lambda p: sg.stats.multinomial.logpmf([1, 2, 4], 6, p))(sg.tensor(P))
    assert off.tolist() == few.tolist() == [0.0, 0.0, 0.0]
    assert sg.stats.multinomial.pmf([-1, 2, 5], 6, P).item() == 0.0
    assert np.isnan(sg.stats.dirichlet.logpdf([0.5, 0.5], [1.0, -1.0]).item())
    with pytest.raises(np.linalg.LinAlgError, match=r"cov must be symmetric and positive definite"):
        sg.stats.multivariate_normal.logpdf(ROWS, MEAN, -COV)


def test_scores_of_vectors_and_matrices_print_as_in_a_textbook():
    x, mu, cov = sg.symbol("x", "d"), sg.symbol("mu", "d"), sg.symbol("Sigma", ("d", "d"))
    normal = sg.stats.multivariate_normal.logpdf(x, mu, cov)
    assert str(sg.derive(normal, mu)) == "(Sigma⁻¹ + Sigma⁻ᵀ)*(x - mu)/2"
    assert str(sg.derive(normal, cov)) == "(Sigma⁻¹*(x - mu)*(x - mu)ᵀ*Sigma⁻¹ - Sigma⁻¹)ᵀ/2"
    alpha, p = sg.symbol("alpha", "k"), sg.symbol("p", "k")
    dirichlet = sg.stats.dirichlet.logpdf(sg.symbol("x", "k"), alpha)
    assert str(sg.derive(dirichlet, alpha)) == "digamma(sum(alpha)) - digamma(alpha) + log(x)"
    assert str(sg.derive(sg.stats.multinomial.logpmf(sg.symbol("x", "k"), sg.symbol("N"), p), p)) == "x ⊘ p"
    X, V, nu = sg.symbol("X", (3, 3)), sg.symbol("V", (3, 3)), sg.symbol("nu")
    assert str(sg.derive(sg.stats.wishart.logpdf(X, nu, V), V)) == "(V⁻¹*X*V⁻¹ - nu*V⁻¹)ᵀ/2"


# ------------------------------------------------------------------ samples and quantiles of counts
def test_samples_have_the_derivatives_of_quantiles():
    mu, sigma = sg.tensor(1.0, requires_grad=True), sg.tensor(2.0, requires_grad=True)
    x = sg.stats.norm.rvs(mu, sigma, size=500, random_state=3)
    np.testing.assert_allclose(x.detach().numpy(), 1 + 2 * sg.stats.norm.rvs(size=500, random_state=3).numpy())
    x.mean().backward()
    assert mu.grad.item() == pytest.approx(1)
    assert sigma.grad.item() == pytest.approx((x.mean().item() - 1) / 2)
    frozen = sg.stats.norm(1.0, 2.0).rvs(size=(2, 3), random_state=np.random.default_rng(3))
    assert frozen.shape == (2, 3)


def test_samples_follow_the_seed_that_was_set():
    sg.manual_seed(5)
    first = sg.stats.logistic.rvs(size=4).numpy()
    sg.manual_seed(5)
    np.testing.assert_array_equal(first, sg.stats.logistic.rvs(size=4).numpy())
    generator = sg.Generator().manual_seed(5)
    assert sg.stats.expon.rvs(size=3, random_state=generator).shape == (3,)
    assert (
        sg.stats.norm.rvs(size=3, random_state=0).shape == sg.stats.norm.rvs(np.zeros(3), random_state=0).shape == (3,)
    )
    assert sg.stats.norm.rvs(size=0, random_state=np.int64(0)).shape == (0,)
    assert len(set(sg.stats.norm.rvs(np.zeros(3), random_state=0).tolist())) == 3
    with pytest.raises(ValueError, match="do not fit into size=1"):
        sg.stats.norm.rvs(np.ones(2), size=1)
    with pytest.raises(sg.errors.ShapeError, match="size=-1"):
        sg.stats.norm.rvs(size=-1)
    nought = SimpleNamespace(random=np.zeros)
    assert (between(nought, (2,)) > 0).all()
    for state in ("seed", -1, 0.5):
        with pytest.raises(TypeError, match=f"random_state is {state!r}"):
            sg.stats.norm.rvs(random_state=state)
    with pytest.raises(ValueError, match=r"do not fit into size=\(2, 2\)"):
        sg.stats.norm.rvs(np.ones((3, 1, 1)), size=(2, 2))


def test_samples_of_vectors_have_derivatives():
    pytest.importorskip("scipy")  # the quantiles of gamma variables
    alpha, C = sg.tensor([1.0, 2.0, 3.0], requires_grad=True), sg.tensor([[2.0, 0.5], [0.5, 1.0]], requires_grad=True)
    p = sg.stats.dirichlet.rvs(alpha, size=400, random_state=1)
    p.mean(0)[0].backward()
    np.testing.assert_allclose(p.sum(-1).detach().numpy(), 1)
    np.testing.assert_allclose(alpha.grad.numpy(), [5 / 36, -1 / 36, -1 / 36], atol=0.02)
    x = sg.stats.multivariate_normal.rvs([1.0, 2.0], C, size=2000, random_state=1)
    (x**2).sum(-1).mean().backward()
    np.testing.assert_allclose(C.grad.numpy(), np.eye(2), atol=0.15)
    assert sg.stats.multivariate_normal.rvs([1.0, 2.0], C, random_state=1).shape == (2,)


def test_samples_of_counts_are_counts():
    pytest.importorskip("scipy")
    x = sg.stats.poisson.rvs(4.0, size=2000, random_state=2).numpy()
    assert x.mean() == pytest.approx(4, abs=0.2)
    assert x.var() == pytest.approx(4, abs=0.5)
    assert sg.stats.binom.rvs(3, [0.1, 0.9], size=(5, 2), random_state=1).numpy().max() <= 3
    assert sg.stats.multinomial.rvs(5, [0.2, 0.8], random_state=1).sum().item() == 5
    assert set(sg.stats.categorical.rvs([0.0, 1.0], size=9, random_state=1).tolist()) == {1}


def test_quantiles_of_counts_are_far_out_where_the_mean_is():
    pytest.importorskip("scipy")
    found = sg.stats.poisson.ppf(0.5, np.array([1e6, 3.0, 1e12])).numpy()
    np.testing.assert_array_equal(found, [1e6, 3, 1e12])
    assert np.isnan(sg.stats.poisson.ppf(0.5, -1.0).item())


def test_angles_have_distribution_functions_and_quantiles():
    T = [sg.tensor(v, requires_grad=True) for v in (np.array([-3.2, 0.3, 2.0]), 2.5, 0.1, 1.2)]
    assert sg.autograd.gradcheck(sg.stats.vonmises.cdf, T)
    T[0] = sg.tensor([0.1, 0.7], requires_grad=True)
    assert sg.autograd.gradcheck(sg.stats.vonmises.ppf, T)
    assert sg.autograd.gradgradcheck(sg.stats.vonmises.ppf, T[:2])
    for kappa in (0.0, 30.0, 1e6):
        q = np.array([1e-6, 0.3, 0.9])
        back = sg.stats.vonmises.cdf(sg.stats.vonmises.ppf(q, kappa), kappa).numpy()
        np.testing.assert_allclose(back, q, rtol=1e-9)
    assert sg.stats.vonmises.rvs(3.0, size=4, random_state=1).shape == (4,)


def test_t_of_endlessly_many_degrees_of_freedom_is_normal():
    x = sg.tensor([0.3, -2.0], requires_grad=True)
    y = sg.stats.t.logpdf(x, np.inf)
    np.testing.assert_allclose(y.detach().numpy(), sg.stats.norm.logpdf(x).detach().numpy())
    y.sum().backward()
    np.testing.assert_allclose(x.grad.numpy(), [-0.3, 2.0])
    assert sg.stats.t.var(np.inf).item() == 1
    assert sg.stats.t.entropy(np.inf).item() == pytest.approx(sg.stats.norm.entropy().item())


def rest_of(name, x, shapes):
    """P(X > x) and P(X ≤ x) to 50 digits, of what is left out near the ends of the support."""
    mp = pytest.importorskip("mpmath")
    x, a = mp.mpf(x), [mp.mpf(v) for v in shapes]
    gamma = {"gamma": lambda: (a[0], x), "chi2": lambda: (a[0] / 2, x / 2), "invgamma": lambda: (a[0], 1 / x)}
    with mp.workdps(50):
        if name in gamma:
            s, z = gamma[name]()
            below, above = (mp.gammainc(s, lo, hi, regularized=True) for lo, hi in ((0, z), (z, mp.inf)))
            return (above, below) if name != "invgamma" else (below, above)
        if name == "beta":
            return mp.betainc(*a, x, 1, regularized=True), mp.betainc(*a, 0, x, regularized=True)
        if name == "t":
            half = mp.betainc(a[0] / 2, mp.mpf(1) / 2, 0, a[0] / (a[0] + x * x), regularized=True) / 2
            return (half, 1 - half) if x > 0 else (1 - half, half)
        if name == "cauchy":
            half = mp.atan(1 / abs(x)) / mp.pi
            return (half, 1 - half) if x > 0 else (1 - half, half)
        if name == "halfcauchy":
            return 2 * mp.atan(1 / x) / mp.pi, 2 * mp.atan(x) / mp.pi
        if name == "halft":
            half, rest = mp.mpf(1) / 2, a[0] / (a[0] + x * x)
            above = mp.betainc(a[0] / 2, half, 0, rest, regularized=True)
            return above, mp.betainc(half, a[0] / 2, 0, x * x / (a[0] + x * x), regularized=True)
        if name == "halfnorm":
            return mp.erfc(x / mp.sqrt(2)), mp.erf(x / mp.sqrt(2))
        return 1 - x, x  # uniform


@pytest.mark.parametrize(
    ("name", "points"),
    [("halfnorm", (1e-300, 1e-20, 0.7, 3, 9)), ("beta", (1e-100, 1e-9, 0.4)), ("uniform", (1e-300, 1e-12, 0.6)),
     ("gamma", (1e-90, 1e-8, 3, 60, 700)), ("chi2", (1e-90, 1e-8, 3, 90)), ("invgamma", (1e90, 1e7, 3, 0.02)),
     ("t", (1e10, 300, -700, -1e20)), ("cauchy", (1e100, -1e100, 3e10, -0.4)),
     ("halfcauchy", (1e-200, 0.3, 1e100)), ("halft", (1e-200, 1e-9, 0.4, 3, 1e20))],
)  # fmt: skip
def test_logarithms_keep_their_digits_where_they_are_nearly_nought(name, points):
    mp = pytest.importorskip("mpmath")
    for x in points:
        shapes = (SHAPES | UNNAMED)[name]
        above, below = rest_of(name, x, shapes)
        for method, part, other in (("logsf", above, below), ("logcdf", below, above)):
            with mp.workdps(50):
                expected = float(mp.log(part) if part < 0.5 else mp.log1p(-other))
            found = getattr(getattr(sg.stats, name), method)(float(x), *shapes).item()
            np.testing.assert_allclose(found, expected, rtol=2e-12, err_msg=f"{name}.{method}({x})")


UNNAMED = {"halft": (3.5,)}  # what SciPy has no name for


def skew_normal_tails(mp, h, a):
    """P(Z ≤ -h) of a skew normal number of skewness a, by Owen's integral, and of -a."""
    width = 1 / max(1 / mp.sqrt(1 + a * a), h, h * h * a)
    with mp.workdps(25):
        ends = [0, *[width * 8**k for k in range(4)], mp.inf]
        rest = mp.quad(lambda s: mp.exp(-h * h * (2 * a + s) * s / 2) / (1 + (a + s) ** 2), ends)
    less = rest / mp.pi * mp.exp(-h * h * (1 + a * a) / 2)
    return less, 2 * mp.ncdf(-h) - less


def exact_logarithms(name, x, shape):
    """The logarithms of the density, of P(X ≤ x) and of P(X > x) from their textbook formulas, to 250 digits."""
    mp = pytest.importorskip("mpmath")
    x, c = mp.mpf(x), mp.mpf(shape)
    if name == "skewnorm":
        tails = skew_normal_tails(mp, abs(x), abs(c))
        tail = tails[(x < 0) != (c >= 0)]  # on the side of x
        logs = [mp.log(tail), mp.log1p(-tail)]
        return [mp.log(2 * mp.npdf(x) * mp.ncdf(c * x)), *(logs if x < 0 else logs[::-1])]
    if name == "exponnorm":
        p = mp.exp(1 / (2 * c * c) - x / c) * mp.ncdf(x - 1 / c) / c
        return [mp.log(v) for v in (p, mp.ncdf(x) - c * p, mp.ncdf(-x) + c * p)]
    if name == "invgauss":
        a, b, factor = (x / c - 1) / mp.sqrt(x), (x / c + 1) / mp.sqrt(x), mp.exp(2 / c)
        p = mp.exp(-((x - c) ** 2) / (2 * c**2 * x)) / mp.sqrt(2 * mp.pi * x**3)
        return [mp.log(v) for v in (p, mp.ncdf(a) + factor * mp.ncdf(-b), mp.ncdf(-a) - factor * mp.ncdf(-b))]
    u = mp.exp(-x) if c == 0 else (1 - c * x) ** (1 / c)
    return [(1 - c) * mp.log(u) - u, -u, mp.log(-mp.expm1(-u))]


@pytest.mark.parametrize(
    ("name", "shapes", "points"),
    [("skewnorm", (-5, 0, 0.5, 200), (-30, -1, -1e-3, 0.3, 9, 100)),
     ("exponnorm", (0.01, 0.3, 1, 5, 100), (-30, -8, -1, -1e-3, 0.3, 2, 9, 100)),
     ("invgauss", (1e-3, 0.1, 1, 30, 1e3), (1e-3, 0.1, 0.9, 1.1, 5, 100, 1e4)),
     ("genextreme", (-2.5, -0.3, -1e-9, 0, 1e-9, 0.3, 2.5), (-0.3, 0.2, 0.39)),
     ("genextreme", (-0.3, 0.0), (3, 50, 600))],
)  # fmt: skip
def test_skewed_densities_keep_their_digits_in_both_tails(name, shapes, points):
    mp, own = pytest.importorskip("mpmath"), getattr(sg.stats, name)
    for shape in shapes:
        for x in points:
            with mp.workdps(250):
                expected = exact_logarithms(name, x, shape)
                for method, wanted in zip(("logpdf", "logcdf", "logsf"), expected, strict=False):
                    found = getattr(own, method)(float(x), float(shape)).item()
                    if abs(wanted) > 1e-300:
                        assert abs(found - wanted) <= 1e-12 * abs(wanted), (method, x, shape)


@pytest.mark.parametrize(
    ("name", "shape"), [("exponnorm", 1.5), ("invgauss", 0.7), ("genextreme", 0.3), ("skewnorm", 2.0)]
)
def test_quantiles_that_are_searched_for_undo_the_distribution_function(name, shape):
    own, q = getattr(sg.stats, name), np.array([1e-200, 1e-12, 0.1, 0.5, 0.9])
    np.testing.assert_allclose(own.cdf(own.ppf(q, shape, 0.3, 1.7), shape, 0.3, 1.7), q, rtol=1e-9)
    np.testing.assert_allclose(own.sf(own.isf(q[1:], shape), shape), q[1:], rtol=1e-9)
    assert np.isnan(own.ppf(0.5, shape, 0.0, -1.0).item())
    for i in range(4):
        slope = sg.grad(own.ppf, argnums=i)(0.4, shape, 0.3, 1.7)
        assert float(slope) == pytest.approx(difference(own.ppf, [0.4, shape, 0.3, 1.7], i), rel=1e-6)
    sample = own.rvs(shape, size=400, random_state=0).numpy()
    assert np.median(sample) == pytest.approx(own.median(shape).item(), abs=0.25)


def test_the_half_of_t_has_the_values_of_t_twice():
    stats = pytest.importorskip("scipy.stats")
    x, own = np.array([-1.0, 0.0, 0.3, 2.0, 50.0]), sg.stats.halft
    for v in (0.7, 3.5, 1e6, np.inf):
        np.testing.assert_allclose(own.pdf(x, v, 0, 1.7), 2 * stats.t.pdf(x, v, 0, 1.7) * (x >= 0), rtol=1e-11)
        np.testing.assert_allclose(own.sf(x[1:], v, 0, 1.7), 2 * stats.t.sf(x[1:], v, 0, 1.7), rtol=1e-11)
        q = np.array([1e-200, 1e-9, 0.3, 0.7, 1 - 1e-10])
        np.testing.assert_allclose(own.cdf(own.ppf(q, v), v), q, rtol=1e-12)
        np.testing.assert_allclose(own.sf(own.isf(q[1:], v), v), q[1:], rtol=1e-12)
        np.testing.assert_array_equal(own.ppf([0.0, 1.0], v), [0.0, np.inf])
    peer = stats.t(3.5)
    mean = peer.expect(np.abs)
    wanted = [mean, peer.var() - mean**2, peer.entropy() - np.log(2), peer.isf(0.25)]
    np.testing.assert_allclose([getattr(own, m)(3.5).item() for m in ("mean", "var", "entropy", "median")], wanted)
    assert own.mean(1.0).item() == own.var(1.5).item() == np.inf
    information = sg.stats.t.fisher_information(3.5, scale=1.7)
    np.testing.assert_array_equal(own.fisher_information(3.5, scale=1.7), information)
    assert own.rvs(3.5, size=4, random_state=0).numpy().min() > 0


def test_the_half_of_t_has_slopes_in_all_arguments():
    pytest.importorskip("scipy")
    own = sg.stats.halft
    for x in (0.9, 12.0):
        for i in range(4):
            expected = difference(own.logpdf, [x, 3.5, 0.1, 1.7], i)
            assert float(sg.grad(own.logpdf, argnums=i)(x, 3.5, 0.1, 1.7)) == pytest.approx(expected, rel=1e-7)
    for method, x in (("cdf", 0.4), ("cdf", 4.0), ("ppf", 0.2), ("ppf", 0.7), ("isf", 0.05)):
        fn = getattr(own, method)
        for i, slope in enumerate(sg.grad(fn, argnums=(0, 1))(x, 3.5)):
            assert float(slope) == pytest.approx(difference(fn, [x, 3.5], i), rel=1e-6), (method, x, i)


def test_counts_by_mean_and_dispersion_and_with_more_zeros():
    mp, stats = pytest.importorskip("mpmath"), pytest.importorskip("scipy.stats")
    k, n, mu = np.array([-1.0, 0.0, 3.0, 7.5, 40.0]), 3.5, 2.0
    own, by_p = sg.stats.nbinom(n, mu=mu), stats.nbinom(n, n / (n + mu))
    for method in ("pmf", "logpmf", "cdf", "sf", "logcdf", "logsf"):
        np.testing.assert_allclose(getattr(own, method)(k), getattr(by_p, method)(k), rtol=1e-12)
    np.testing.assert_allclose([own.mean(), own.var()], by_p.stats("mv"), rtol=1e-14)
    np.testing.assert_array_equal(own.ppf([0.1, 0.5, 0.99]), by_p.ppf([0.1, 0.5, 0.99]))
    own, peer = sg.stats.zero_inflated_poisson(mu, 0.3), stats.poisson(mu)
    np.testing.assert_allclose(own.pmf(k), 0.3 * (k == 0) + 0.7 * peer.pmf(k), rtol=1e-12)
    np.testing.assert_allclose(own.cdf(k), (0.3 + 0.7 * peer.cdf(k)) * (k >= 0), rtol=1e-12)
    np.testing.assert_allclose(own.sf(k[1:]), 0.7 * peer.sf(k[1:]), rtol=1e-12)
    far = np.arange(60.0)
    mass = own.pmf(far).numpy()
    np.testing.assert_allclose([own.mean(), own.var()], [far @ mass, far**2 @ mass - (far @ mass) ** 2], rtol=1e-12)
    assert (own.rvs(size=400, random_state=0).numpy() == 0).mean() == pytest.approx(mass[0], abs=0.06)
    with mp.workdps(60):
        for n, mu, at in ((1e10, 2.0, 3), (1e16, 5.0, 5), (1e-3, 50.0, 7), (3.5, 1e6, 10)):
            N, M = mp.mpf(n), mp.mpf(mu)
            kernel = at * mp.log(M / (N + M)) - N * mp.log1p(M / N)
            expected = mp.loggamma(at + N) - mp.loggamma(at + 1) - mp.loggamma(N) + kernel
            assert sg.stats.nbinom.logpmf(at, n, mu=mu).item() == pytest.approx(float(expected), rel=3e-12)
        for mu, pi in ((2.5, 0.3), (50.0, 1e-20), (1e-9, 0.9), (699.0, 0.4), (900.0, 0.2), (900.0, 0.0), (2.0, 1.0)):
            expected = float(mp.log(pi + (1 - mp.mpf(pi)) * mp.exp(-mp.mpf(mu))))
            assert sg.stats.zero_inflated_poisson.logpmf(0, mu, pi).item() == pytest.approx(expected, rel=1e-12)
    T = [sg.tensor(p, requires_grad=True) for p in (2.5, 0.3)]
    for at in (0.0, 3.0):
        for fn in (lambda n, mu, at=at: sg.stats.nbinom.logpmf(at, n, mu=mu),
                   lambda mu, pi, at=at: sg.stats.zero_inflated_poisson.logpmf(at, mu, pi)):  # fmt: skip
            assert sg.autograd.gradcheck(fn, T)
    score = sg.stats.zero_inflated_poisson.score(0.0, 2.5, 0.3).numpy()
    zero = 0.3 + 0.7 * np.exp(-2.5)
    np.testing.assert_allclose(score, [-0.7 * np.exp(-2.5) / zero, (1 - np.exp(-2.5)) / zero], rtol=1e-13)
    assert np.isnan(sg.stats.zero_inflated_poisson.pmf(1, 2.0, 1.2).item())
    assert np.isnan(sg.stats.nbinom.pmf(1, 2.0, mu=-1.0).item())


@pytest.mark.parametrize("name", DISCRETE)
def test_quantiles_of_counts_at_steps_are_scipys(name):
    scipy_stats = pytest.importorskip("scipy.stats")
    rng = np.random.default_rng(7)
    family, peer = getattr(sg.stats, name), getattr(scipy_stats, name)
    for _ in range(12):
        p = rng.uniform(0.05, 0.95)
        shapes = {"binom": (int(rng.integers(2, 50)), p), "nbinom": (rng.uniform(0.5, 20), p),
                  "poisson": (40 * p,)}.get(name, (p,))  # fmt: skip
        k = np.arange(float(name == "geom"), 30)
        q = peer.cdf(k, *shapes)
        for at in (q, q * (1 - 1e-11)):
            inside = q < 1 - 1e-12
            np.testing.assert_array_equal(family.ppf(at[inside], *shapes), peer.ppf(at[inside], *shapes))
        above = family.sf(k, *shapes).numpy()
        inside = (above > 0) & (above < 1 - 1e-12)
        np.testing.assert_array_equal(family.isf(above[inside], *shapes), k[inside])
    far = family.isf(1e-300, *SHAPES[name]).item()
    assert family.sf(far, *SHAPES[name]).item() <= 1e-300 < family.sf(far - 1, *SHAPES[name]).item()


def test_quantiles_of_cauchy_keep_their_digits_at_both_ends():
    q = np.array([1e-300, 1e-9, 0.3, 0.5, 0.8, 1 - 1e-10, 1 - 2.0**-53])
    np.testing.assert_allclose(sg.stats.cauchy.isf(q[:3]), 1 / np.tan(np.pi * q[:3]), rtol=1e-14)
    assert sg.stats.cauchy.ppf(0.5).item() == 0
    np.testing.assert_allclose(sg.stats.cauchy.ppf(q[4:]), 1 / np.tan(np.pi * (1 - q[4:])), rtol=1e-14)


def test_logits_keep_what_probabilities_lose():
    z = np.array([40.0, -700.0, 0.3, 3.7])
    bernoulli, binom = sg.stats.bernoulli, sg.stats.binom
    np.testing.assert_allclose(bernoulli.logpmf(0, logits=z), -np.logaddexp(0, z), rtol=1e-15)
    np.testing.assert_allclose(bernoulli.logpmf(1, logits=z), -np.logaddexp(0, -z), rtol=1e-15)
    np.testing.assert_allclose(bernoulli.score(1, logits=z)[:, 0], 1 / (1 + np.exp(z)), rtol=1e-14)
    p = 1 / (1 + np.exp(-z[2:]))
    for family, first in ((bernoulli, ()), (binom, (9,))):
        by_p, by_logits = family(*first, p), family(*first, logits=z[2:])
        for method in ("cdf", "sf", "logcdf", "logsf", "logpmf", "pmf", "ppf", "isf"):
            x = 0.3 if method in OF_Q else 1.0
            np.testing.assert_allclose(getattr(by_logits, method)(x), getattr(by_p, method)(x), rtol=1e-12)
        for method in ("mean", "var", "std", "median", *["entropy"] * (family is bernoulli)):
            np.testing.assert_allclose(getattr(by_logits, method)(), getattr(by_p, method)(), rtol=1e-12)
        slope = (p * (1 - p))[:, None, None]
        found = family.fisher_information(*first, logits=z[2:])
        np.testing.assert_allclose(found, family.fisher_information(*first, p=p) * slope**2, rtol=1e-12)
    assert (
        binom.rvs(9, logits=0.4, size=5, random_state=1).tolist()
        == binom(9, logits=0.4).rvs(size=5, random_state=1).tolist()
    )
    categorical = sg.stats.categorical
    np.testing.assert_allclose(categorical.logpmf([1, 0], logits=[100.0, 0.0]), [-100.0, -3.720075976020836e-44])
    np.testing.assert_allclose(
        categorical.entropy(logits=np.log([0.2, 0.8])), categorical.entropy([0.2, 0.8]), rtol=1e-14
    )
    with pytest.raises(ArgumentTypeError, match=r"^bernoulli: got both p and logits. Pass one of them"):
        bernoulli.logpmf(0, 0.3, logits=1.0)
    with pytest.raises(ArgumentTypeError, match="pass p or logits"):
        categorical.logpmf(0, [0.2, 0.8], logits=[1.0, 2.0])
    assert np.isnan(bernoulli.mean(logits=np.nan).item())


SKEW = np.array([[2.0, 0.5], [0.9, 1.0]])
INVALID = {
    "multinomial, sum 2": lambda s: s.multinomial.logpmf([1, 2], 3, [1.0, 1.0]),
    "multinomial, sum 1/2": lambda s: s.multinomial.mean(3, [0.2, 0.3]),
    "multinomial, below 0": lambda s: s.multinomial.cov(3, [-0.2, 1.2]),
    "categorical, sum 2": lambda s: s.categorical.logpmf(1, [1.0, 1.0]),
    "categorical, below 0": lambda s: s.categorical.logpmf(1, [-1.0, 2.0]),
    "categorical, nan": lambda s: s.categorical.entropy([np.nan, 1.0]),
    "dirichlet, below 0": lambda s: s.dirichlet.mean([-2.0, 3.0]),
    "dirichlet, information": lambda s: s.dirichlet.fisher_information([0.0, 3.0]),
    "wishart, few degrees of freedom": lambda s: s.wishart.logpdf(np.eye(3), 2.0, np.eye(3)),
    "wishart, mean": lambda s: s.wishart.mean(0.5, np.eye(2)),
    "counts without end": lambda s: s.binom.cdf(1.0, np.inf, 0.37),
    "a mean without end": lambda s: s.poisson.ppf(0.4, np.inf),
    "successes without end": lambda s: s.nbinom.sf(1.0, np.inf, 0.4),
    "angles, distribution": lambda s: s.vonmises.cdf(0.5, 2.3, 0.1, [0.0, -1.0, np.nan]),
    "angles, quantile": lambda s: s.vonmises.isf(0.3, 2.3, 0.1, [0.0, -1.0, np.nan]),
    "variance of loc nan": lambda s: s.norm.var(np.nan, 2.0),
    "entropy of loc nan": lambda s: s.laplace.entropy(np.nan),
}


@pytest.mark.parametrize("name", INVALID)
def test_parameters_that_are_invalid_together_give_nan(name):
    assert np.isnan(INVALID[name](sg.stats).numpy()).all()


def test_matrices_that_are_not_symmetric_and_classes_without_number_are_refused():
    for call in (
        lambda: sg.stats.multivariate_normal.logpdf([0.0, 1.0], None, SKEW),
        lambda: sg.stats.multivariate_normal.rvs([0.0, 1.0], SKEW),
        lambda: sg.stats.multivariate_normal.entropy([0.0, 1.0], SKEW),
        lambda: sg.stats.wishart.logpdf(SKEW, 3.0, np.eye(2)),
        lambda: sg.stats.wishart.logpdf(np.eye(2), 3.0, SKEW),
    ):
        with pytest.raises(LinAlgError, match=r"differs from its transpose by 0\.4"):
            call()
    with pytest.raises(ArgumentError, match="Got the sum 2"):
        sg.stats.categorical.rvs([1.0, 1.0])
    p = np.array([0.2, 0.3, 0.5])
    expected = [np.log(0.5), -np.inf, -np.inf, np.log(0.2)]
    for f in (sg.stats.categorical.logpmf, sg.compile(sg.stats.categorical.logpmf)):
        np.testing.assert_allclose(f(np.array([2, -1, 3, 0]), p), expected)


def test_ends_of_parameters_are_degenerate_distributions():
    stats = sg.stats
    for family, shapes, mass in (
        (stats.nbinom, (2.5, 1.0), 0), (stats.geom, (1.0,), 1), (stats.binom, (3, 1.0), 3), (stats.binom, (3, 0.0), 0),
        (stats.poisson, (0.0,), 0), (stats.bernoulli, (1.0,), 1),
    ):  # fmt: skip
        counts = np.arange(4.0)
        np.testing.assert_array_equal(family.pmf(counts, *shapes), (counts == mass).astype(float))
        np.testing.assert_array_equal(family.cdf(counts, *shapes), (counts >= mass).astype(float))
    slope = sg.grad(lambda x: stats.vonmises.cdf(x, 2.5).sum())(np.array([-np.inf, 0.4, np.inf]))
    np.testing.assert_allclose(slope, [0.0, stats.vonmises.pdf(0.4, 2.5).item(), 0.0], rtol=1e-12)


@pytest.mark.parametrize("name", ["norm", "laplace", "logistic", "cauchy", "gumbel_r", "expon", "uniform"])
@pytest.mark.parametrize("what", ["mean", "median", "var"])
def test_moments_of_an_infinite_scale_are_scipys(name, what):
    expected = getattr(getattr(pytest.importorskip("scipy.stats"), name), what)(0.3, np.inf)
    np.testing.assert_equal(float(getattr(getattr(sg.stats, name), what)(0.3, np.inf)), expected)


@pytest.mark.parametrize(
    ("name", "shapes"), [("poisson", (3,)), ("binom", (7, 0.4)), ("geom", (0.2,)), ("nbinom", (3.5, 0.4))]
)
def test_quantiles_of_a_shifted_discrete_distribution_are_scipys(name, shapes):
    peer = pytest.importorskip("scipy.stats")
    q = np.array([0, 0.01, 0.3, 0.5, 0.999, 1])
    for loc in (0.3, -2.7, 5):
        for what in ("ppf", "isf"):
            expected = getattr(getattr(peer, name), what)(q, *shapes, loc=loc)
            np.testing.assert_allclose(getattr(getattr(sg.stats, name), what)(q, *shapes, loc=loc).numpy(), expected)
