"""Log-densities, scores and curvatures where arguments and scales are near the ends of floats, beside mpmath."""

import itertools

import numpy as np
import pytest
import sympy as sp

import symgrad as sg

mp = pytest.importorskip("mpmath")
S = sg.stats
HUGE = (1e-300, 1e-150, 1.0, 1e150, 1e300)
X, E = sp.Symbol("x", positive=True), sp.Symbol("e", positive=True)
Z = X / E
SHAPES = {
    **{"t": (3.5,), "halft": (0.8,), "gamma": (2.5,), "invgamma": (2.5,), "invgauss": (0.7,), "lognorm": (0.8,)},
    **{"f": (3.0, 5.0), "pareto": (2.5,)},
}
LOGS = {  # the terms of log p that have x or the scale e in them, at x > 0
    "norm": -(Z**2) / 2 - sp.log(E),
    "t": -sp.Rational(9, 4) * sp.log(1 + 2 * Z**2 / 7) - sp.log(E),
    "halft": -sp.Rational(9, 10) * sp.log(1 + 5 * Z**2 / 4) - sp.log(E),
    "cauchy": -sp.log(1 + Z**2) - sp.log(E),
    "halfcauchy": -sp.log(1 + Z**2) - sp.log(E),
    "laplace": -Z - sp.log(E),
    "gamma": 3 * sp.log(X) / 2 - Z - 5 * sp.log(E) / 2,
    "invgamma": -7 * sp.log(X) / 2 - 1 / Z + 5 * sp.log(E) / 2,
    "invgauss": -((Z - sp.Rational(7, 10)) ** 2) * 50 / (49 * Z) - 3 * sp.log(X) / 2 + sp.log(E) / 2,
    "lognorm": -25 * sp.log(Z) ** 2 / 32 - sp.log(X),
    "f": sp.log(X) / 2 - 4 * sp.log(1 + 3 * Z / 5) - 3 * sp.log(E) / 2,
    "pareto": -sp.Rational(7, 2) * sp.log(X) + sp.Rational(5, 2) * sp.log(E),
    "rayleigh": sp.log(X) - Z**2 / 2 - 2 * sp.log(E),
}


def exact(name):
    """The value and its derivatives with respect to loc and scale, and the sizes of what may cancel in them."""
    log = LOGS[name]
    slopes = [log, -log.diff(X), log.diff(E), log.diff(X, 2), -log.diff(X, E), log.diff(E, 2)]
    return sp.lambdify((X, E), slopes, "mpmath")


@pytest.mark.parametrize("name", LOGS)
def test_densities_have_their_digits_near_the_ends_of_floats(name):
    family, shapes, function = getattr(S, name), SHAPES.get(name, ()), exact(name)
    pairs = np.array(list(itertools.product(HUGE, HUGE)))
    pairs = pairs[pairs[:, 0] >= pairs[:, 1]] if name == "pareto" else pairs
    x, s = pairs.T
    constant = family.logpdf(1.0, *shapes).item() - float(LOGS[name].subs({X: 1, E: 1}).evalf())
    score = family.score(x, *shapes, sg.tensor(0.0), s).numpy()[:, -2:]
    hessian = family.hessian(x, *shapes, sg.tensor(0.0), s).numpy()[:, -2:, -2:]
    own = np.column_stack(
        [family.logpdf(x, *shapes, 0.0, s).numpy() - float(constant), score, hessian[:, 0], hessian[:, 1, 1]]
    )
    with mp.workdps(2500):
        for row, pair in zip(own, pairs, strict=True):
            for k, (a, b) in enumerate(zip(row, function(*map(mp.mpf, pair)), strict=True)):
                if 1e-290 < abs(b) < 1e290:
                    assert abs(a - b) <= 1e-12 * abs(b) + 1e-12 * (k == 0), (name, *pair, k, a, float(b))
                elif k == 0:
                    assert a == pytest.approx(float(b), rel=1e-12, abs=1e-12), (name, *pair, a)


@pytest.mark.parametrize("size", [1.0, 1e149, 1e151, 1e300])
def test_compiled_densities_of_vectors_have_their_digits_far_from_the_centre(size):
    x, v = np.array([0.3, -2.0]), 3.5
    scale = np.array([[2.0, 0.3], [0.3, 1.0]])
    q, det = x @ np.linalg.solve(scale, x), np.linalg.det(scale)
    with mp.workdps(700):
        end = mp.log(1 + mp.mpf(size) ** 2 * q / v)
        whole = mp.loggamma(v / 2 + 1) - mp.loggamma(v / 2) - mp.log(v * mp.pi) - mp.log(det) / 2 - (v + 2) / 2 * end
        slope = -(v + 2) * size * q / (v + mp.mpf(size) ** 2 * q)  # along x
    both = sg.compile(sg.value_and_grad(lambda x: S.multivariate_t.logpdf(x, None, scale, v)))
    value, gradient = both(x * size)
    assert value == pytest.approx(float(whole), rel=1e-13)
    assert gradient @ x == pytest.approx(float(slope), rel=1e-12)
    assert S.multivariate_t.logpdf(x * size, None, scale, v).item() == pytest.approx(value, rel=1e-14)


def test_moments_of_huge_parameters_do_not_overflow():
    assert S.skewnorm.mean(-1e200).item() == pytest.approx(-np.sqrt(2 / np.pi), rel=1e-14)
    assert S.f.var(3.0, 1e200).item() == pytest.approx(2 / 3, rel=1e-14)
    assert S.beta.var(1e160, 3e160).item() == pytest.approx(3 / 64e160, rel=1e-14)
    assert S.pareto.var(1e120).item() == pytest.approx(1e-240, rel=1e-14)
    assert S.neg_binomial_2.var(1e100, 1e160).item() == pytest.approx(1e220, rel=1e-14)
    assert S.neg_binomial_2_log.var(1e100, 400.0).item() == pytest.approx(np.exp(800.0 - 100 * np.log(10)), rel=1e-12)
