"""Solutions of differential equations within bounds: exact solutions lie inside, and certificates check."""

import json

import mpmath
import numpy as np
import pytest
from slow_tests import draws

import symgrad as sg
from symgrad import prove


def oscillator(y, t):
    return sg.stack([y[1], -y[0]])


def pendulum(y, t):
    return sg.stack([y[1], -sg.sin(y[0])])


def lotka_volterra(y, t):
    return sg.stack([y[0] * (1.5 - y[1]), y[1] * (y[0] - 3.0)])


def kepler(y, t):
    r3 = (y[0] ** 2 + y[1] ** 2) ** 1.5
    return sg.stack([y[2], y[3], -y[0] / r3, -y[1] / r3])


EXACT = {  # f with functions of mpmath, to compare with
    pendulum: lambda t, y: [y[1], -mpmath.sin(y[0])],
    lotka_volterra: lambda t, y: [y[0] * (1.5 - y[1]), y[1] * (y[0] - 3)],
    kepler: lambda t, y: [y[2], y[3], *[-u / (y[0] ** 2 + y[1] ** 2) ** 1.5 for u in y[:2]]],
}


def solved(f, y0, *times):
    """The solution at increasing times, to 20 digits, by mpmath."""
    with mpmath.workdps(20):
        y = mpmath.odefun(f, 0, [mpmath.mpf(float(u)) for u in np.ravel(y0)])
        return [[+u for u in y(mpmath.mpf(float(t)))] for t in times]


def contains(bounds, ys):
    """Whether exact numbers lie between bounds."""
    pairs = zip(np.ravel(bounds.lower), np.ravel(bounds.upper), ys, strict=True)
    return all(mpmath.mpf(float(low)) <= y <= mpmath.mpf(float(high)) for low, high, y in pairs)


def rechecked(solution, f, **changes):
    return prove.check({**json.loads(json.dumps(solution.certificate)), **changes}, f)


@pytest.mark.parametrize(
    ("f", "y0", "t1", "exact"),
    [
        (lambda y, t: y, 1.0, 1.0, lambda t: [mpmath.e]),
        (lambda y, t: -2 * t * y, 1.0, 2.0, lambda t: [mpmath.exp(-(t**2))]),
        (oscillator, [1.0, 0.0], 20.0, lambda t: [mpmath.cos(t), -mpmath.sin(t)]),
        (lambda y, t: y * (1 - y), 0.5, 4.0, lambda t: [1 / (1 + mpmath.exp(-t))]),
        (lambda y, t: -sg.sqrt(y), 1.0, 1.5, lambda t: [(1 - t / 2) ** 2]),
        (lambda y, t: t**2 + 0 * y, 0.0, 3.0, lambda t: [t**3 / 3]),
        (lambda y, t: 1 + y * y, 0.0, 1.5, lambda t: [mpmath.tan(t)]),
        (lambda y, t: sg.tanh(t) * y, 1.0, 2.0, lambda t: [mpmath.cosh(t)]),
        (lambda y, t: -2 * t * y**2, -0.5, 1.0, lambda t: [1 / (t**2 - 2)]),
        (lambda y, t: y / (t + 1.0) ** 2 + t ** 0.5 * 0, 1.0, 2.0, None),  # undefined derivatives at 0
    ],
)  # fmt: skip
def test_the_end_lies_within_narrow_bounds_and_the_certificate_checks(f, y0, t1, exact):
    if exact is None:
        with pytest.raises(sg.errors.NotProved, match=r"beyond t = 0\.0 is not certain"):
            prove.ode(f, y0, 0.0, t1)
        return
    solution = prove.ode(f, y0, 0.0, t1)
    with mpmath.workdps(30):
        assert contains(solution.value, exact(mpmath.mpf(t1)))
    assert (np.subtract(solution.value.upper, solution.value.lower) < 1e-10).all()
    assert rechecked(solution, f)


@pytest.mark.parametrize(
    ("f", "y0", "t1"),
    [(pendulum, [2.0, 0.0], 3.0), (lotka_volterra, [1.0, 1.0], 2.0), (kepler, [0.5, 0.0, 0.0, 3**0.5], 0.6)],
)
def test_systems_agree_with_mpmath_at_the_end_and_on_the_way(f, y0, t1):
    solution = prove.ode(f, y0, 0.0, t1)
    assert (np.subtract(solution.value.upper, solution.value.lower) < 1e-10).all()
    assert [solution.times[0], solution.times[-1]] == [0.0, t1]
    assert len(solution.tube) == len(solution.times) - 1
    k = len(solution.tube) // 2
    between, end = solved(EXACT[f], y0, (solution.times[k] + solution.times[k + 1]) / 2, t1)
    assert contains(solution.tube[k], between)
    assert contains(solution.value, end)
    assert rechecked(solution, f)


def test_bounds_of_a_box_do_not_wrap_when_it_turns():
    box = np.array([0.9, -0.1]), np.array([1.1, 0.1])
    value = prove.ode(oscillator, box, 0.0, 8 * np.pi).value
    np.testing.assert_allclose(value.lower, box[0], atol=1e-6)
    np.testing.assert_allclose(value.upper, box[1], atol=1e-6)
    start = {"a": (0.0, 1.0), "b": (np.zeros(2), np.ones(2))}
    value = prove.ode(lambda y, t: {"a": -y["a"], "b": y["a"] - y["b"]}, start, 0.0, 1.0).value
    assert value["a"].upper == pytest.approx(np.exp(-1))
    assert value["b"].upper.tolist() == pytest.approx([2 * np.exp(-1)] * 2)


@pytest.mark.parametrize("seed", draws(range(30), first=2))
def test_no_bounds_of_random_equations_are_false(seed):
    rng = np.random.default_rng(seed)
    A, B, c = rng.uniform(-2, 2, (2, 2)), rng.uniform(-1, 1, (2, 3)), rng.uniform(-1, 1, 2)
    y0, t1 = rng.uniform(-1, 1, 2), float(rng.uniform(0.2, 0.5))

    def f(y, t, sin=sg.sin):
        y = [y[0], y[1]]
        terms = [y[0] * y[1], sin(y[0] + t), y[1] / (3.0 + y[0] * y[0])]
        return [
            sum(float(w) * u for w, u in zip([*a, *b, k], [*y, *terms, 1], strict=True))
            for a, b, k in zip(A, B, c, strict=True)
        ]

    g = lambda y, t: sg.stack(f(y, t))
    size = 10.0 ** rng.uniform(-6, -2, 2)
    solution = prove.ode(g, (y0 - size, y0 + size), 0.0, t1)
    exact = lambda t, y: f(y, t, mpmath.sin)
    k = int(rng.integers(len(solution.tube)))
    for start in (y0 - size, y0 + size * rng.uniform(-1, 1, 2)):
        between, end = solved(exact, start, rng.uniform(*solution.times[k : k + 2]), t1)
        assert contains(solution.tube[k], between)
        assert contains(solution.value, end)
    assert rechecked(solution, g)


def test_a_square_of_a_number_that_may_be_0_is_no_obstacle():
    value = prove.ode(lambda y, t: y**2 + (1 + y**2) ** -1.5, (-0.01, 0.01), 0.0, 0.5).value
    assert value.lower < value.upper < value.lower + 0.03


def test_certificates_of_other_equations_and_boxes_do_not_hold():
    solution = prove.ode(pendulum, [2.0, 0.0], 0.0, 1.0)
    assert not rechecked(solution, lambda y, t: sg.stack([y[1], -1.0001 * sg.sin(y[0])]))
    value, tube = solution.certificate["value"], solution.certificate["tube"]
    assert not rechecked(solution, pendulum, value=[[low, low] for low, _ in value])
    assert not rechecked(solution, pendulum, tube=[[[2.0, 2.0], [0.0, 0.0]], *tube[1:]])
    assert not rechecked(solution, pendulum, times=[0.0, 1.0], tube=tube[:1])
    assert not rechecked(solution, pendulum, times=[0.0, *solution.times[2:]], tube=tube)


def test_what_is_not_certain_raises():
    with pytest.raises(sg.errors.NotProved, match=r"beyond t = 0\.9\d* is not "):
        prove.ode(lambda y, t: y**2, 1.0, 0.0, 2.0, steps=20)
    with pytest.raises(sg.errors.NotProved, match="not reached in 2 steps"):
        prove.ode(oscillator, [1.0, 0.0], 0.0, 9.0, steps=2)
    with pytest.raises(sg.errors.NotYet, match="Abs has no power series"):
        prove.ode(lambda y, t: abs(y), 1.0, 0.0, 1.0)
    with pytest.raises(sg.errors.NotProved, match=r"beyond t = 0\.0 is"):  # 0/0, which Arb's series would cancel
        prove.ode(lambda y, t: sg.sin(t) / t + 0 * y, 1.0, 0.0, 1.0)
    with pytest.raises(sg.errors.ShapeError, match="f returns 3 numbers, but y has 2"):
        prove.ode(lambda y, t: sg.ones(3) * y.sum(), [1.0, 2.0], 0.0, 1.0)
    with pytest.raises(sg.errors.ArgumentError, match="Backwards, solve for -t"):
        prove.ode(oscillator, [1.0, 0.0], 1.0, 0.0)
    with pytest.raises(sg.errors.ArgumentError, match="order at least 2"):
        prove.ode(oscillator, [1.0, 0.0], 0.0, 1.0, order=1)
