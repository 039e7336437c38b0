"""Posteriors: densities against mpmath's formulas, names, modes, predictive draws; samplers where installed."""

import functools
import warnings

import mpmath
import numpy as np
import pytest

import symgrad as sg
from symgrad import stats
from symgrad.errors import ArgumentError, ArgumentTypeError, MissingExtra, NotConverged, NotYet, ShapeError
from symgrad.stats import transforms

SCHOOLS = {
    "y": np.array([28.0, 8.0, -3.0, 7.0, -1.0, 1.0, 18.0, 12.0]),
    "sigma": np.array([15.0, 10.0, 16.0, 11.0, 9.0, 11.0, 10.0, 18.0]),
}
PRIORS = {
    "mu": stats.norm(0.0, 5.0),
    "tau": stats.halfcauchy(scale=5.0),
    "theta": lambda mu, tau: stats.norm(mu, tau),
}
V = np.linspace(-1.0, 1.0, 10)


@functools.cache
def schools(is_centred=True):
    """Rubin's eight schools (1981)."""
    constraints = {} if is_centred else {"theta": lambda mu, tau: transforms.affine(mu, tau)}

    def likelihood(theta, sigma):
        return {"y": stats.norm(theta, sigma)}

    return stats.model(PRIORS, likelihood, SCHOOLS, shapes={"theta": 8}, constraints=constraints)


def coin(**words):
    """A beta prior of a coin, whose posterior is beta(2 + 7, 2 + 3)."""
    data = {"heads": np.array([1.0, 1, 1, 0, 1, 1, 0, 1, 0, 1])}
    return stats.model({"p": stats.beta(2.0, 2.0)}, lambda p: {"heads": stats.bernoulli(p)}, data, **words)


def regression():
    """A line with known noise: its posterior is normal."""
    x = np.array([0.0, 1.0, 2.0, 3.0])
    return stats.model(
        {"a": stats.norm(0.0, 10.0), "b": transforms.real},
        lambda a, b, x: {"y": stats.norm(a + b * x, 0.5)},
        {"x": x, "y": np.array([1.0, 2.9, 5.1, 7.0])},
    )


def log_normal(x, m, s):
    """Log of the normal density."""
    return -((x - m) ** 2) / (2 * s**2) - mpmath.log(s) - mpmath.log(2 * mpmath.pi) / 2


def schools_in_mpmath(is_centred, *v):
    """The log-density of the unconstrained numbers (mu, log tau, theta or its standard form)."""
    mu, tau, eta = v[0], mpmath.exp(v[1]), v[2:]
    theta = eta if is_centred else [mu + tau * e for e in eta]
    total = log_normal(mu, 0, 5) + mpmath.log(2 / (5 * mpmath.pi * (1 + (tau / 5) ** 2))) + v[1]
    total += sum(log_normal(t, mu, tau) for t in theta) + (0 if is_centred else 8 * v[1])
    return total + sum(log_normal(y, t, s) for y, s, t in zip(*SCHOOLS.values(), theta, strict=True))


@pytest.mark.parametrize("is_centred", [True, False])
def test_eight_schools_have_the_density_and_gradient_of_their_formula(is_centred):
    value, slope = schools(is_centred).value_and_grad(V)
    with mpmath.workdps(30):
        at = [mpmath.mpf(float(x)) for x in V]
        f = functools.partial(schools_in_mpmath, is_centred)
        assert value == pytest.approx(float(f(*at)), rel=1e-13)
        slopes = [float(mpmath.diff(f, at, tuple(int(k == j) for j in range(10)))) for k in range(10)]
    np.testing.assert_allclose(slope, slopes, rtol=1e-11)


def test_hessian_products_are_those_of_the_hessian():
    model = schools()
    np.testing.assert_allclose(model.hvp(V, V[::-1].copy()), model.hessian(V) @ V[::-1], rtol=1e-12)
    assert model.compiled()(V)[0] == model.compiled("value")(V) == model.log_density(V)


def test_names_go_to_the_vector_and_back():
    model = schools(False)
    values = model.constrain(V)
    assert {k: v.shape for k, v in values.items()} == {"mu": (), "tau": (), "theta": (8,)} == model.shapes
    np.testing.assert_allclose(model.unconstrain(values), V, atol=1e-12)
    many = np.stack([V, V, V]).reshape(3, 1, 10)
    assert model.constrain(many)["theta"].shape == model.pointwise(many)["y"].shape == (3, 1, 8)


def test_terms_have_names_and_sum_to_the_density():
    model = schools()
    terms = model.terms(V)
    assert "the prior of 'tau'" in terms
    assert "the likelihood of 'y'" in terms
    assert sum(terms.values()) == pytest.approx(model.log_density(V))
    without = sum(v for k, v in terms.items() if "transform" not in k)
    assert model.log_density(V, jacobian=False) == pytest.approx(without)


def test_vectors_and_matrices_are_parameters():
    model = stats.model(
        {"w": stats.dirichlet([2.0, 3.0, 4.0]), "m": stats.norm(0.0, 1.0), "S": stats.wishart(5.0, np.eye(2))},
        lambda w, m, S, y: {"y": stats.multivariate_normal(m * w[:2], S)},
        {"y": np.array([[0.1, 0.2], [0.3, -0.4], [1.0, 0.5]])},
    )
    assert model.shapes == {"w": (3,), "m": (), "S": (2, 2)}
    assert model.size == 6
    y = np.linspace(-0.5, 0.5, 6)
    step = [(model.log_density(y + h) - model.log_density(y - h)) / 2e-5 for h in 1e-5 * np.eye(6)]
    np.testing.assert_allclose(model.value_and_grad(y)[1], step, rtol=1e-6, atol=1e-7)


def test_vectors_are_drawn_from_their_priors():
    model = stats.model(
        {"w": stats.dirichlet([2.0, 3.0, 4.0])},
        lambda w: {"y": stats.multivariate_normal(w[:2], np.eye(2)), "k": stats.categorical(w)},
        {"y": np.array([[0.1, 0.2], [0.3, -0.4], [1.0, 0.5]]), "k": np.array([0, 1, 2, 2])},
    )
    shapes = {k: v.shape for k, v in model.prior_predictive(5, seed=0).items()}
    assert shapes == {"w": (5, 3), "y": (5, 3, 2), "k": (5, 4)}


def test_a_constraint_orders_the_means_of_a_mixture():
    def likelihood(m, y):
        return sg.logsumexp(sg.stack([stats.norm.logpdf(y, m[0], 1.0), stats.norm.logpdf(y, m[1], 1.0)], -1), -1)

    data = {"y": np.array([-2.0, -1.8, 2.1, 2.2])}
    constraints = {"m": transforms.ordered}
    model = stats.model({"m": stats.norm(0.0, 5.0)}, likelihood, data, shapes={"m": 2}, constraints=constraints)
    mode = model.map().values["m"]
    np.testing.assert_allclose(mode, [-1.83, 2.08], atol=0.05)
    with pytest.raises(NotYet, match="likelihood returns numbers"):
        model.prior_predictive(2)


def test_new_data_run_the_same_program():
    model = coin()
    other = model.with_data(heads=np.zeros(10))
    assert model._density is other._density
    at = np.array([0.5])  # the logarithm of the odds, which seven heads more raise by as many
    assert model.log_density(at) - other.log_density(at) == pytest.approx(7 * 0.5)
    assert other.map().values["p"] == pytest.approx(1 / 12, rel=1e-6)
    with pytest.raises(ArgumentError, match="'tails' is not among the data"):
        model.with_data(tails=1.0)


def test_an_integer_among_the_data_is_a_size():
    model = stats.model({"x": lambda n: stats.norm(np.zeros(n), 1.0)}, lambda x, n: -((x[n - 1] - 1.0) ** 2), {"n": 3})
    assert model.size == 3
    assert model.with_data(n=5).size == 5


def test_modes_are_those_of_the_parameters_or_of_the_vector():
    assert coin().map().values["p"] == pytest.approx(8 / 12, rel=1e-6)
    assert coin().map(jacobian=True).values["p"] == pytest.approx(9 / 14, rel=1e-6)
    with pytest.raises(NotConverged, match=r"gradient is .* in '.*', at log-density"):
        schools().map()


def test_laplace_is_exact_for_normal_posteriors():
    model = regression()
    approximation = model.laplace()
    x, y = model.data["x"], model.data["y"]
    design = np.stack([np.ones(4), x], -1)
    precision = design.T @ design / 0.25 + np.diag([0.01, 0.0])
    np.testing.assert_allclose(approximation.covariance, np.linalg.inv(precision), rtol=1e-9)
    np.testing.assert_allclose(approximation.mode.vector, np.linalg.solve(precision, design.T @ y / 0.25), rtol=1e-8)
    covariance = np.linalg.inv(precision)
    r = y - design @ approximation.mode.vector
    peak = -r @ r / 0.5 - 4 * np.log(0.5 * np.sqrt(2 * np.pi)) - approximation.mode.vector[0] ** 2 / 200
    peak -= np.log(10 * np.sqrt(2 * np.pi))
    expected = peak + np.log(2 * np.pi) + np.linalg.slogdet(covariance)[1] / 2
    assert approximation.log_evidence == pytest.approx(expected, rel=1e-9)
    draws = approximation.draw(4000, seed=1)
    assert draws["b"].std() == pytest.approx(covariance[1, 1] ** 0.5, rel=0.05)


def test_predictive_draws_follow_their_seed():
    model = coin()
    first, again = (model.prior_predictive(20, seed=3) for _ in range(2))
    assert {k: v.shape for k, v in first.items()} == {"p": (20,), "heads": (20, 10)}
    assert all(np.array_equal(first[k], again[k]) for k in first)
    later = model.posterior_predictive({"p": np.full((2, 5), 0.999999)}, seed=0)
    assert later["heads"].shape == (2, 5, 10)
    assert later["heads"].mean() > 0.9
    with pytest.raises(ShapeError, match="'tau' has shape"):
        schools().posterior_predictive({"mu": np.zeros(3), "tau": np.ones(2), "theta": np.zeros((3, 8))})
    with pytest.raises(NotYet, match="the prior of 'b' is flat"):
        regression().prior_predictive(2)


# ------------------------------------------------------------------ bad input
NORMAL = stats.norm(0.0, 1.0)
WRONG = [
    (({}, lambda: 0.0), {}, ArgumentError, "no priors are given"),
    (([NORMAL], lambda: 0.0), {}, ArgumentTypeError, "Expected a dict by name"),
    (({"a b": NORMAL}, lambda: 0.0), {}, ArgumentTypeError, "Expected names of Python"),
    (({"a": stats.norm}, lambda a: a), {}, ArgumentTypeError, r"Write symgrad.stats.norm\(…\) with its parameters"),
    (({"a": 3.0}, lambda a: a), {}, ArgumentTypeError, "the prior of 'a' is 3.0"),
    (({"a": stats.poisson(2.0)}, lambda a: a), {}, ArgumentTypeError, "of integers, which have no gradient"),
    (({"a": lambda b: stats.norm(b, 1.0), "b": NORMAL}, lambda a: a), {}, ArgumentError, "takes 'b', which is neither"),
    (({"a": NORMAL}, lambda a, b: a + b), {}, ArgumentError, "the likelihood takes 'b', which is neither data nor"),
    (({"a": NORMAL}, 3.0), {}, ArgumentTypeError, "the likelihood is 3.0"),
    (({"a": NORMAL}, lambda a: a, {"a": 1.0}), {}, ArgumentError, "'a' is a parameter and data"),
    (({"a": NORMAL}, lambda a: a, {"y": 1.0}), {}, ArgumentError, "nothing uses the data 'y'"),
    (({"a": NORMAL}, lambda a: {"y": stats.norm(a, 1.0)}), {}, ArgumentError, "of 'y', which is not among the data"),
    (({"a": NORMAL}, lambda a: stats.norm(a, 1.0)), {}, ArgumentTypeError, "without the name of its data"),
    (({"a": NORMAL}, lambda a, y: a, {"y": ["x", "z"]}), {}, ArgumentTypeError, "number classes from 0"),
    (({"a": NORMAL}, lambda a: a), {"shapes": {"b": 3}}, ArgumentError, "shapes names 'b', which has no prior"),
    (({"a": NORMAL}, lambda a: a), {"constraints": {"b": transforms.real}}, ArgumentError, "constraints names 'b'"),
    (({"a": NORMAL}, lambda a: a), {"constraints": {"a": (0, 1)}}, ArgumentTypeError, "Expected a transform"),
    (({"a": NORMAL}, lambda a: a), {"constraints": {"a": transforms.ordered}}, ShapeError, "makes a vector"),
    (({"a": stats.halfnorm()}, lambda a: a), {"constraints": {"a": transforms.real}}, ArgumentError, "has no density"),
    (({"a": stats.norm(np.zeros(3), 1.0)}, lambda a: a.sum()), {"shapes": {"a": 2}}, ShapeError, r"has \[2\] for 'a'"),
    (({"a": NORMAL}, lambda a: None), {}, ArgumentTypeError, "the likelihood returns None"),
    (({"a": NORMAL}, lambda a: {"y": "norm"}, {"y": np.ones(2)}), {}, ArgumentTypeError, "returns 'norm' as 'y'"),
    (({"a": NORMAL}, lambda a: {"y": stats.norm}, {"y": np.ones(2)}), {}, ArgumentTypeError, "Pass it its parameters"),
    (({"a": NORMAL}, lambda a: (stats.norm(a, 1.0), 2.0)), {}, ArgumentTypeError, "Expected a dict of distributions"),
    (({"a": transforms.interval}, lambda a: a), {}, ArgumentTypeError, r"Call it, as transforms.interval\(…\)"),
    (({"a": NORMAL}, lambda a: a), {"constraints": {"a": transforms.affine}}, ArgumentTypeError, "'a' is a function"),
    (({"a": NORMAL}, lambda a: a.sum()), {"shapes": {"a": -2}}, ArgumentError, "shapes has -2 for 'a'. Expected an"),
    (({"a": NORMAL}, lambda a: a.sum()), {"shapes": {"a": 2.5}}, ArgumentError, "shapes has 2.5 for 'a'"),
    (({"a": NORMAL}, lambda a: a.sum()), {"shapes": {"a": (2, "x")}}, ArgumentError, "1 or more, or a tuple"),
    (({"a": NORMAL}, lambda a: a.sum()), {"shapes": {"a": 0}}, ArgumentError, "shapes has 0 for 'a'"),
    (({"a": NORMAL}, lambda a, y: a, {"y": [[1.0], [1.0, 2.0]]}), {}, ArgumentTypeError, "'y' is not an array"),
    (({"a": NORMAL}, lambda a, y: a, {"y": [1.0, None]}), {}, ArgumentTypeError, "'y' has dtype object"),
    (({"a": NORMAL}, lambda a, y: a, {"y": np.array([1j])}), {}, ArgumentTypeError, "'y' has dtype complex128"),
    (
        ({"a": NORMAL}, lambda a, y: a, {"y": np.ma.masked_equal([1.0, -9.0], -9.0)}),
        {}, ArgumentTypeError, "'y' has masked entries",
    ),
    (
        ({"a": NORMAL}, lambda a: {"y": stats.norm(a + np.zeros(4), 1.0)}, {"y": np.zeros(5)}),
        {}, ShapeError, r"the data 'y' has shape \[5\], which the parameters of norm do not fit",
    ),
    (
        ({"a": NORMAL}, lambda a: {"y": stats.norm(a + np.zeros((3, 1)), 1.0)}, {"y": np.zeros(3)}),
        {}, ShapeError, r"'y' has shape \[3\], but its log-density under norm has shape \[3, 3\]",
    ),
]  # fmt: skip


@pytest.mark.parametrize(("args", "words", "error", "message"), WRONG, ids=[w[3] for w in WRONG])
def test_a_declaration_that_is_wrong_is_refused(args, words, error, message):
    with pytest.raises(error, match=message):
        stats.model(*args, **words)


def test_a_density_that_is_not_finite_names_its_term():
    model = stats.model(
        {"rate": stats.gamma(2.0)}, lambda rate: {"y": stats.poisson(rate)}, {"y": np.array([1.0, -2.0, 0.5])}
    )
    with pytest.raises(ArgumentError, match=r"the likelihood of 'y' is -inf, first at index \[1\] \(2 of 3 terms\)"):
        model.start(0)
    missing = coin().with_data(heads=np.full(10, np.nan))
    with pytest.raises(ArgumentError, match=r"the likelihood of 'heads' is nan"):
        missing.map()


def test_vectors_of_other_sizes_are_refused():
    with pytest.raises(ShapeError, match=r"Expected a vector \(10,\)"):
        schools().log_density(np.zeros(3))
    with pytest.raises(ArgumentError, match="Expected mu, tau, theta"):
        schools().unconstrain({"mu": 0.0})
    with pytest.raises(ArgumentError, match="Expected 'value'"):
        schools().compiled("jacobian")


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda m: m.log_density(np.array([1j])), ArgumentTypeError, "y is complex"),
        (lambda m: m.unconstrain({"p": 2.0}), ArgumentError, r"'p' is 2\.0\. .*Expected numbers between 0\.0 and 1\.0"),
        (lambda m: m.unconstrain({"p": "half"}), ArgumentTypeError, "'p' is 'half'. Expected numbers"),
        (lambda m: m.map(start={"p": np.nan}), ArgumentError, "'p' is nan"),
        (lambda m: m.map(start={"p": np.zeros(2)}), ShapeError, r"'p' has shape \[2\]. Expected \[\]"),
        (lambda m: m.start("x"), ArgumentTypeError, "start: seed is 'x'. Expected an integer, 0 or more"),
        (lambda m: m.prior_predictive(3, seed=-1), ArgumentTypeError, "prior_predictive: seed is -1"),
        (lambda m: m.prior_predictive(0), ArgumentError, "draws is 0. Expected 1 or more"),
        (lambda m: m.posterior_predictive({"q": np.zeros(3)}), ArgumentError, "no draws of 'p'"),
        (lambda m: m.posterior_predictive(3), ArgumentError, "Expected draws by name"),
        (lambda m: m.laplace().draw(-2), ArgumentError, "draw: draws is -2"),
        (lambda m: m.laplace().draw(2, seed=1.5), ArgumentTypeError, "draw: seed is 1.5"),
        (lambda m: m.sample(10.5), ArgumentError, "draws is 10.5. Expected 1 or more, as an integer"),
        (lambda m: m.sample(chains=0), ArgumentError, "chains is 0"),
        (lambda m: m.sample(seed=-1), ArgumentError, "seed is -1. Expected 0 or more"),
        (lambda m: m.sample(seed="x"), ArgumentError, "seed is 'x'"),
        (
            lambda m: m.sample(target_accept=2.0),
            ArgumentError,
            "target_accept is 2.0. Expected a number between 0 and 1",
        ),
        (lambda m: m.sample(sampler=3), ArgumentError, "sampler is 3. Expected one of nutpie"),
        (
            lambda m: m.with_data(heads=np.zeros((2, 2))).log_density(np.zeros(2)),
            ShapeError,
            r"Expected a vector \(1,\)",
        ),
    ],
)
def test_arguments_of_methods_that_are_wrong_are_refused(call, error, message):
    with pytest.raises(error, match=message):
        call(coin())


def test_an_error_of_a_function_of_the_model_says_which_function_it_is():
    priors = {"a": lambda y: stats.norm(y[7], 1.0)}
    with pytest.raises(IndexError) as raised:
        stats.model(priors, lambda a: a, {"y": np.ones(3)})
    assert raised.value.__notes__ == ["It was raised by the prior of 'a' of a model."]


# ------------------------------------------------------------------ samplers
def test_a_sampler_that_is_not_installed_names_its_extra(monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "arviz", None)
    with pytest.raises(MissingExtra, match="arviz"):
        coin().sample(sampler="nutpie")
    with pytest.raises(ArgumentError, match="Expected one of nutpie, blackjax, mici, emcee"):
        coin().sample(sampler="stan")
    with pytest.raises(ArgumentError, match=r"draws is 0\. Expected 1 or more"):
        coin().sample(0)


def drawn(sampler, **words):
    """Draws of the coin, whose exact mean is 9/14."""
    pytest.importorskip("arviz")
    pytest.importorskip(sampler)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return coin().sample(sampler=sampler, seed=1, progress=False, **words)


@pytest.mark.parametrize("sampler", ["nutpie", "blackjax", "mici", "emcee"])
def test_samplers_draw_from_the_posterior(sampler):
    words = {"draws": 400, "tune": 300, "chains": 10 if sampler == "emcee" else 2}
    trace = drawn(sampler, **words)
    p = np.asarray(trace.posterior["p"])
    assert p.shape == (words["chains"], 400)
    assert p.mean() == pytest.approx(9 / 14, abs=0.03)
    assert p.std() == pytest.approx((9 * 5 / (14**2 * 15)) ** 0.5, rel=0.2)
    assert {"posterior", "sample_stats", "log_likelihood", "observed_data"} <= set(trace.groups())
    assert trace.log_likelihood["heads"].shape == (*p.shape, 10)


@pytest.mark.parametrize("sampler", ["nutpie", "blackjax", "mici", "emcee"])
def test_an_option_that_a_sampler_does_not_have_is_named(sampler):
    with pytest.raises(ArgumentError, match=f"{sampler} refuses the option 'nonsense'"):
        drawn(sampler, draws=10, tune=10, chains=2, nonsense=1)


@pytest.mark.parametrize("sampler", ["nutpie", "mici"])
def test_chains_in_processes_are_those_of_one_process(sampler):
    one, two = (drawn(sampler, draws=50, tune=100, chains=2, cores=c) for c in (1, 2))
    assert np.array_equal(one.posterior["p"], two.posterior["p"])


def test_divergences_are_reported_in_words():
    pytest.importorskip("arviz")
    pytest.importorskip("nutpie")
    with pytest.warns(UserWarning, match=r"nutpie: \d+ of 400 draws diverged.*noncentred"):
        schools().sample(200, tune=200, chains=2, cores=1, seed=3, progress=False)


def test_an_error_in_a_chains_process_is_raised_here():
    pytest.importorskip("arviz")
    pytest.importorskip("nutpie")
    with pytest.raises(Exception, match="depths"):
        coin().sample(10, sampler="nutpie", chains=2, cores=2, progress=False, depths=3)


def test_prior_draws_satisfy_constraints():
    def likelihood(s, m):
        return {"y": stats.norm(m[0], s)}

    model = stats.model(
        {"s": stats.norm(), "m": stats.norm(0.0, 5.0)}, likelihood, {"y": np.ones(2)}, shapes={"m": 2},
        constraints={"s": transforms.positive, "m": transforms.ordered},
    )  # fmt: skip
    draws = model.prior_predictive(40, seed=0)
    assert (draws["s"] > 0).all()
    assert (np.diff(draws["m"]) > 0).all()
    assert np.isfinite(draws["y"]).all()
    far = stats.model({"s": stats.norm()}, lambda s: -s, constraints={"s": transforms.lower(9.0)})
    with pytest.raises(NotYet, match="satisfies its constraint"):
        far._drawn_parameters(np.random.default_rng(0))
