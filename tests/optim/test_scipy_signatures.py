"""SciPy's signatures beside SciPy: curve_fit, solve_ivp, args=, singular covariances; and its functions on tensors."""

import re

import numpy as np
import pytest

import symgrad as sg
from symgrad.errors import ArgumentError, ArgumentTypeError, GraphError, ShapeError

scipy = pytest.importorskip("scipy")
optimize, integrate, stats, interpolate = (
    pytest.importorskip(f"scipy.{name}") for name in ("optimize", "integrate", "stats", "interpolate")
)
linalg, special, signal, fft = (pytest.importorskip(f"scipy.{name}") for name in ("linalg", "special", "signal", "fft"))

X = np.linspace(0.0, 2.0, 15)
Y = 2.5 * np.exp(-1.3 * X) + 0.5 + 0.05 * np.cos(40 * X)
SIGMA = 0.1 + 0.05 * X
COVARIANCE = np.diag(SIGMA**2) + 0.001


def decay(lib):
    return lambda x, a, b, c: a * lib.exp(-b * x) + c


@pytest.mark.parametrize("options", [
    {}, {"p0": [1.0, 2.0, 0.0]}, {"sigma": SIGMA}, {"sigma": SIGMA, "absolute_sigma": True},
    {"sigma": COVARIANCE, "absolute_sigma": True}, {"bounds": ([0.0, 0.0, 0.0], [2.0, 3.0, 1.0])},
    {"bounds": (0, [3.0, 0.9, 0.5])}, {"bounds": (-np.inf, [2.0, 3.0, 0.9])},
    {"method": "trf", "p0": [2.0, 1.0, 1.0]}, {"method": "lm"}, {"method": "dogbox", "p0": [2.0, 1.0, 1.0]},
], ids=lambda o: ",".join(o) or "default")  # fmt: skip
def test_fits_and_their_covariances_are_scipys(options):
    p, cov = sg.optim.curve_fit(decay(sg), X, Y, **options)
    expected, expected_cov = optimize.curve_fit(decay(np), X, Y, **options)
    np.testing.assert_allclose(p, expected, rtol=2e-4)
    np.testing.assert_allclose(cov, expected_cov, rtol=1e-3)


def test_a_fit_that_starts_outside_its_bounds_blames_p0():
    for method in (None, "trf", "dogbox"):
        with pytest.raises(ArgumentError, match=r"curve_fit: p0\[1\] = 9 is outside its bounds, 0 and 5. Start within"):
            sg.optim.curve_fit(decay(sg), X, Y, p0=[1.0, 9.0, 0.0], bounds=(0, 5), method=method)


@pytest.mark.parametrize(
    ("method", "says"), [("lm", "Method 'lm' doesn't support bounds"), ("foo", "`method` must be")]
)
def test_a_method_that_cannot_fit_is_refused_in_scipys_words(method, says):
    with pytest.raises(ArgumentError, match=says):
        sg.optim.curve_fit(decay(sg), X, Y, bounds=(0, 5), method=method)


def test_data_that_is_not_finite_is_refused():
    with pytest.raises(ArgumentError, match="not finite"):
        sg.optim.curve_fit(decay(sg), X, np.where(X > 1, np.nan, Y))


@pytest.mark.parametrize(
    "options", [{}, {"t_eval": [0.0, 0.5, 2.0]}, {"t_eval": [0.5, 1.0]}, {"method": "Radau"}], ids=str
)
def test_initial_value_problems_are_scipys(options):
    def f(t, y, k):
        return [y[1], -k * y[0] + t]

    ours = sg.solve_ivp(f, (0.0, 2.0), [1.0, 0.0], args=(2.0,), **options)
    theirs = integrate.solve_ivp(f, (0.0, 2.0), [1.0, 0.0], args=(2.0,), rtol=1e-9, atol=1e-11, **options)
    columns = slice(None) if "t_eval" in options else [0, -1]
    np.testing.assert_allclose(ours.y.numpy(), theirs.y[:, columns], rtol=1e-6, atol=1e-8)
    np.testing.assert_allclose(ours.t.numpy(), theirs.t[columns])
    assert ours.success


def test_an_initial_value_problem_is_differentiable():
    f = lambda k: sg.solve_ivp(lambda t, y, k: -k * y, (0.0, 1.0), [1.0], args=(k,)).y[0, -1]
    assert sg.grad(f)(2.0) == pytest.approx(-np.exp(-2.0), rel=1e-6)
    for options, word in (
        ({"events": abs}, "events"),
        ({"dense_output": True}, "dense_output"),
        ({"t_eval": [3.0]}, "t_span"),
    ):
        with pytest.raises(ArgumentError, match=word):
            sg.solve_ivp(lambda t, y: -y, (0.0, 1.0), [1.0], **options)


def test_further_arguments_are_taken_as_scipys_args():
    assert sg.quad(lambda x, a: a * x, 0, 1, args=(2.0,)).item() == pytest.approx(1.0)
    assert sg.root(lambda x, a: x * x - a, 1.0, args=(2.0,)).item() == pytest.approx(2**0.5)
    assert sg.fixed_point(lambda x, a: sg.cos(x) * a, 0.5, args=(1.0,)).item() == pytest.approx(0.7390851332)
    t = np.linspace(0, 1, 3)
    np.testing.assert_allclose(
        sg.odeint(lambda y, t, k: -k * y, 1.0, t, args=(2.0,)).numpy(), np.exp(-2 * t), rtol=1e-6
    )
    with pytest.raises(ArgumentTypeError, match=re.escape("odeint: args must be a tuple. Got 2.0. Write args=(2.0,).")):
        sg.odeint(lambda y, t, k: -k * y, 1.0, t, args=2.0)


@pytest.mark.parametrize("cov", [np.ones((2, 2)), np.diag([1.0, 0.0]), np.array([[2.0, 0.5], [0.5, 1.0]])], ids=str)
def test_a_density_on_the_support_of_a_singular_covariance_is_scipys(cov):
    points = np.array([[0.0, 0.0], [0.7, 0.7], [0.5, 0.0], [1.0, -1.0]])
    ours = sg.stats.multivariate_normal.logpdf(points, np.zeros(2), cov, allow_singular=True)
    theirs = stats.multivariate_normal.logpdf(points, np.zeros(2), cov, allow_singular=True)
    np.testing.assert_allclose(np.asarray(ours), theirs, rtol=1e-9)


def test_running_integrals_begin_with_zero_where_that_is_asked_for():
    y = np.cos(np.arange(12.0)).reshape(3, 4)
    for axis in (0, 1):
        expected = integrate.cumulative_trapezoid(y, dx=0.5, axis=axis, initial=0)
        np.testing.assert_allclose(
            sg.cumulative_trapezoid(sg.tensor(y), dx=0.5, axis=axis, initial=0).numpy(), expected
        )
    with pytest.raises(ArgumentError, match="Expected 0 or None"):
        sg.cumulative_trapezoid(sg.ones(3), initial=1)


@pytest.mark.parametrize("n", range(1, 9))
def test_simpsons_rule_is_scipys(n):
    rng = np.random.default_rng(n)
    for axis, y in ((0, rng.normal(size=(n, 3))), (1, rng.normal(size=(3, n)))):
        places = np.cumsum(rng.uniform(0.1, 1.0, n))
        for where in ({}, {"dx": 0.3}, {"x": places}, {"x": places[::-1].copy()}, {"x": np.sort(y, axis)}):
            np.testing.assert_allclose(
                sg.simpson(y, axis=axis, **where), integrate.simpson(y, axis=axis, **where), rtol=1e-10, atol=1e-12
            )
    assert sg.simpson(np.array([1, 200, 4], "uint8")).item() == pytest.approx(805 / 3)
    assert sg.simpson(sg.ones(4, dtype=sg.float32)).dtype == np.float32


def test_derivatives_for_scipy_are_accepted_and_not_needed():
    rosen, start = lambda x: (100 * (x[1:] - x[:-1] ** 2) ** 2 + (1 - x[:-1]) ** 2).sum(), np.array([1.3, 0.7, 0.8])
    found = sg.optim.minimize(rosen, start, method="trust-exact", jac=optimize.rosen_der, hess=optimize.rosen_hess)
    np.testing.assert_allclose(found.x, np.ones(3), rtol=1e-6)
    fit = sg.optim.least_squares(lambda p: p[0] * np.exp(-p[1] * X) - Y, [1.0, 1.0], jac="3-point")
    theirs = optimize.least_squares(lambda p: p[0] * np.exp(-p[1] * X) - Y, [1.0, 1.0], jac="3-point")
    np.testing.assert_allclose(fit.x, theirs.x, rtol=1e-6)
    assert sg.optim.root(lambda x: x**2 - 4, [1.0], jac=lambda x: 2 * x).x == pytest.approx([2.0])
    for call in (sg.optim.minimize, sg.optim.root, sg.optim.least_squares):
        with pytest.raises(ArgumentError, match=r"with jac=True fun returns its value and .*\. Leave jac out"):
            call(lambda x: (x**2, 2 * x), [1.0], jac=True)


def test_simpsons_rule_refuses_what_does_not_fit():
    with pytest.raises(ArgumentError, match="invalid combination of arguments: x and dx"):
        sg.simpson(sg.ones(3), sg.ones(3), dx=1.0)
    with pytest.raises(ShapeError, match=r"simpson: There must be one `x` value for each sample point\. Got 2"):
        sg.simpson(sg.ones(3), sg.ones(2))
    with pytest.raises(ShapeError, match="simpson: Expected y to have at least one dimension"):
        sg.simpson(1.0)


W = sg.tensor([1.0, 2.0], requires_grad=True)
TWINS = {
    "scipy.stats.norm.logpdf takes arrays, which have no gradient. Use sg.stats.norm.logpdf.":
        lambda: stats.norm.logpdf(W),
    "scipy.stats.gamma.cdf takes arrays, which have no gradient. Use sg.stats.gamma.cdf.":
        lambda: stats.gamma.cdf(W, 2.0),
    "scipy.stats.norm.pdf takes arrays, which have no gradient. Use sg.stats.norm.pdf.": lambda: stats.norm(W).pdf(0.0),
    "scipy.stats.norm.fit takes arrays, which have no gradient. Use sg.stats.fit.": lambda: stats.norm.fit(W),
    "scipy.stats.pearsonr takes arrays, which have no gradient. Use sg.corrcoef(sg.stack([x, y]))[0, 1].":
        lambda: stats.pearsonr(W, W),
    "scipy.linalg.expm takes arrays, which have no gradient. Use sg.linalg.expm.": lambda: linalg.expm(sg.eye(2) * W),
    "scipy.linalg.schur takes arrays, which have no gradient. Use sg.linalg.eigh(A) or sg.linalg.eig(A).":
        lambda: linalg.schur(sg.eye(2) * W),
    "scipy.special.logsumexp takes arrays, which have no gradient. Use sg.special.logsumexp.":
        lambda: special.logsumexp(W),
    "scipy.special.comb takes arrays, which have no gradient. Call it on x.detach().numpy() for the numbers.":
        lambda: special.comb(W, 2),
    "scipy.signal.convolve takes arrays, which have no gradient. Use sg.signal.convolve.":
        lambda: signal.convolve(W, W),
    "scipy.fft.fft takes arrays, which have no gradient. Use sg.fft.fft.": lambda: fft.fft(W),
    "scipy.integrate.simpson takes arrays, which have no gradient. Use sg.simpson.": lambda: integrate.simpson(W),
    "scipy.integrate.solve_ivp takes arrays, which have no gradient. Use sg.solve_ivp.":
        lambda: integrate.solve_ivp(lambda t, y: -y * W, (0, 1), [1.0, 2.0]),
    "scipy.interpolate.CubicSpline takes arrays, which have no gradient. Use sg.CubicSpline.":
        lambda: interpolate.CubicSpline([0.0, 1.0], W),
    "scipy.optimize.root takes arrays, which have no gradient. Use sg.optim.root.":
        lambda: optimize.root(lambda x: x**2 - 2, W),
    "scipy.optimize.rosen takes arrays, which have no gradient. Call it on x.detach().numpy() for the numbers.":
        lambda: sg.optim.minimize(optimize.rosen, [1.3, 0.7], compile=False),
    "requires grad. An array has no gradient. Write sg.stack([a, b]) or sg.tensor([a, b]) for np.array([a, b]).":
        lambda: np.array(W),
    "Write sg.stack([a, b]) or sg.tensor([a, b]) for np.array([a, b]).": lambda: np.array([W.sum(), 1.0]),
}  # fmt: skip


@pytest.mark.parametrize("words", TWINS)
def test_a_function_of_scipys_on_tensors_is_answered_by_its_twin(words):
    with pytest.raises(GraphError, match=re.escape(words) + "$"):
        TWINS[words]()
