"""SciPy's signatures beside SciPy: curve_fit, solve_ivp, args=, singular covariances; and its functions on tensors."""

import re

import numpy as np
import pytest

import symgrad as sg
from symgrad.errors import ArgumentError, ArgumentTypeError, GraphError

scipy = pytest.importorskip("scipy")
optimize, integrate, stats = (pytest.importorskip(f"scipy.{name}") for name in ("optimize", "integrate", "stats"))
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
    {"method": "trf", "p0": [2.0, 1.0, 1.0]},
], ids=lambda o: ",".join(o) or "default")  # fmt: skip
def test_fits_and_their_covariances_are_scipys(options):
    p, cov = sg.optim.curve_fit(decay(sg), X, Y, **options)
    expected, expected_cov = optimize.curve_fit(decay(np), X, Y, **options)
    np.testing.assert_allclose(p, expected, rtol=2e-4)
    np.testing.assert_allclose(cov, expected_cov, rtol=1e-3)


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


W = sg.tensor([1.0, 2.0], requires_grad=True)
TWINS = {
    "scipy.stats.norm.logpdf takes arrays, which have no gradient. Use sg.stats.norm.logpdf.":
        lambda: stats.norm.logpdf(W),
    "scipy.stats.gamma.cdf takes arrays, which have no gradient. Use sg.stats.gamma.cdf.":
        lambda: stats.gamma.cdf(W, 2.0),
    "scipy's expm takes arrays, which have no gradient. Use sg.linalg.expm.": lambda: linalg.expm(sg.eye(2) * W),
    "scipy's logsumexp takes arrays, which have no gradient. Use sg.logsumexp.": lambda: special.logsumexp(W),
    "scipy's convolve takes arrays, which have no gradient. Use sg.signal.convolve.": lambda: signal.convolve(W, W),
    "scipy's fft takes arrays, which have no gradient. Use sg.fft.fft.": lambda: fft.fft(W),
    "Write sg.stack([a, b]) or sg.tensor([a, b]) for np.array([a, b]).": lambda: np.array([W.sum(), 1.0]),
}  # fmt: skip


@pytest.mark.parametrize("words", TWINS)
def test_a_function_of_scipys_on_tensors_is_answered_by_its_twin(words):
    with pytest.raises(GraphError, match=re.escape(words) + "$"):
        TWINS[words]()
