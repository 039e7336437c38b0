"""Posteriors of posteriordb: densities against formulas in mpmath and NumPy, and means against its reference draws."""

import functools
from types import SimpleNamespace

import mpmath
import numpy as np
import pytest
from problems.posteriors import POSTERIORS
from scipy.integrate import solve_ivp

import symgrad as sg
from symgrad import stats

GP = {  # posteriordb's gp_pois_regr
    "x": np.array([-10.0, -8.0, -6.0, -4.0, -2.0, 0.0, 2.0, 4.0, 6.0, 8.0, 10.0]),
    "y": np.array([4.75906, 1.59423, 2.99548, 5.27501, 1.66472, 2.24347, 2.8914, 4.08681, 4.60588, 0.802364, 3.92136]),
}
GP_MEANS = {"rho": 6.87434817782581, "alpha": 2.4423998398757, "sigma": 1.82873106572797}  # errors up to 0.013


@functools.cache
def process():
    """A Gaussian process with a squared exponential covariance, gp_regr of posteriordb."""
    squares = (GP["x"][:, None] - GP["x"]) ** 2

    def likelihood(rho, alpha, sigma):
        covariance = alpha**2 * sg.exp(-squares / (2 * rho**2)) + sigma * np.eye(11)
        return {"y": stats.multivariate_normal(np.zeros(11), covariance)}

    priors = {"rho": stats.gamma(25.0, scale=0.25), "alpha": stats.halfnorm(scale=2.0), "sigma": stats.halfnorm()}
    return stats.model(priors, likelihood, {"y": GP["y"]})


def process_in_mpmath(*v):
    """The log-density of log rho, log alpha and log sigma."""
    rho, alpha, sigma = map(mpmath.exp, v)
    x, y = ([mpmath.mpf(float(e)) for e in GP[k]] for k in "xy")
    k = mpmath.matrix(11, 11)
    for i in range(11):
        for j in range(11):
            k[i, j] = alpha**2 * mpmath.exp(-((x[i] - x[j]) ** 2) / (2 * rho**2)) + (sigma if i == j else 0)
    y = mpmath.matrix(y)
    total = -((y.T * mpmath.lu_solve(k, y))[0] + mpmath.log(mpmath.det(k)) + 11 * mpmath.log(2 * mpmath.pi)) / 2
    total += 24 * mpmath.log(rho) - 4 * rho + 25 * mpmath.log(4) - mpmath.loggamma(25)
    total += mpmath.log(2 / mpmath.pi) - mpmath.log(2) - alpha**2 / 8 - sigma**2 / 2
    return total + sum(v)


def test_a_gaussian_process_has_the_density_and_gradient_of_its_formula():
    at = [1.7, 0.4, 0.2]
    value, slope = process().value_and_grad(np.array(at))
    with mpmath.workdps(30):
        at = [mpmath.mpf(x) for x in at]
        assert value == pytest.approx(float(process_in_mpmath(*at)), rel=1e-12)
        slopes = [float(mpmath.diff(process_in_mpmath, at, tuple(int(k == j) for j in range(3)))) for k in range(3)]
    np.testing.assert_allclose(slope, slopes, rtol=1e-10)


def scan_by_numpy(step, carry, xs):
    """A loop, which returns the last carry and the results of all steps."""
    ys = []
    for x in xs:
        carry, y = step(carry, x)
        ys.append(y)
    return carry, np.stack(ys)


def odeint_by_scipy(right, y0, t, p, **_):
    """A solution by DOP853, complex where p is."""
    start = np.asarray(y0, np.asarray(p).dtype)
    flow = solve_ivp(lambda t, y: right(y, t, p), (t[0], t[-1]), start, "DOP853", t, rtol=1e-11, atol=1e-10)
    return flow.y.T


NUMPY = SimpleNamespace(
    exp=np.exp, log=np.log, sqrt=np.sqrt, stack=np.stack, scan=scan_by_numpy, odeint=odeint_by_scipy
)


@functools.cache
def model(name):
    """A posterior of the table, with its data."""
    posterior = POSTERIORS[name]
    return posterior.model(posterior.data)


@pytest.mark.parametrize("name", POSTERIORS)
def test_density_and_gradient_are_those_of_the_formula(name):
    posterior = POSTERIORS[name]
    at = posterior.point(model(name).size)
    value, slope = model(name).value_and_grad(at)
    density = functools.partial(posterior.log_density, NUMPY, posterior.data)
    assert value == pytest.approx(density(at), rel=posterior.rtol)
    # f(x + i h e) = f(x) + i h f'(x) e + O(h²), without cancellation (Squire and Trapp 1998)
    slopes = [density(at + 1e-40j * e).imag * 1e40 for e in np.eye(len(at))]
    scale = np.abs(slopes).max()
    np.testing.assert_allclose(slope, slopes, rtol=100 * posterior.rtol, atol=posterior.rtol * scale)


@pytest.mark.parametrize("name", [name for name, posterior in POSTERIORS.items() if posterior.means])
def test_posterior_means_are_those_of_published_draws(name):
    pytest.importorskip("arviz")
    pytest.importorskip("nutpie")
    trace = model(name).sample(1000, chains=2, seed=1, progress=False).posterior
    for parameter, mean in POSTERIORS[name].means.items():
        draws = trace[parameter]
        error = 0.15 * draws.std(("chain", "draw")).values  # the standard error of 2000 draws is about 0.03 of this
        np.testing.assert_array_less(np.abs(draws.mean(("chain", "draw")).values - mean), error)


def test_means_of_the_gaussian_process_are_those_of_published_draws():
    pytest.importorskip("arviz")
    pytest.importorskip("nutpie")
    trace = process().sample(1000, chains=2, seed=1, progress=False)
    for name, mean in GP_MEANS.items():
        assert float(trace.posterior[name].mean()) == pytest.approx(mean, abs=0.1)
