"""Integrals between bounds: published ones, those with unbounded integrands or limits, and bounds near an end."""

import json
import math
from fractions import Fraction

import numpy as np
import pytest

import symgrad as sg
from symgrad import prove
from symgrad.proved.enclosure import Flat
from symgrad.proved.ends import End
from symgrad.proved.interval import Interval, Undefined, flint

pytest.importorskip("flint")
ROOT = math.sqrt(math.pi)


def bumps(x):
    return sum(1 / sg.cosh(10.0**k * (x - 0.2 * k)) ** (2 * k) for k in (1, 2, 3))


SMOOTH = {  # f, limits, the published value
    "Rump": (lambda x: sg.sin(x + sg.exp(x)), (0.0, 8.0), 0.34740017265724780788),
    "Helfgott": (
        lambda x: abs(x**4 + 10 * x**3 + 19 * x**2 - 6 * x - 6) * sg.exp(x), (0.0, 1.0), 11.14731055005714,
    ),
    "Kahaner 21": (bumps, (0.0, 1.0), 0.21080273550054927738),
    "Ahmed": (lambda x: sg.atan(sg.sqrt(2 + x * x)) / (1 + x * x) / sg.sqrt(2 + x * x), (0.0, 1.0), 5 * np.pi**2 / 96),
    "Bailey 2": (lambda x: x * x * sg.atan(x), (0.0, 1.0), (np.pi - 2 + 2 * math.log(2)) / 12),
}  # fmt: skip
IMPROPER = {
    "x^-1/2": (lambda x: 1 / sg.sqrt(x), (0.0, 1.0), 2.0),
    "(1 - x)^-1/3": (lambda x: (1 - x) ** (-1 / 3), (0.0, 1.0), 1.5),
    "both ends": (lambda x: 1 / sg.sqrt(x * (1 - x)), (0.0, 1.0), np.pi),
    "inside": (lambda x: 1 / sg.sqrt(abs(x - 0.5)), (0.0, 1.0), 2 * math.sqrt(2)),
    "log²": (lambda x: sg.log(x) ** 2, (0.0, 1.0), 2.0),
    "√x log x": (lambda x: sg.sqrt(x) * sg.log(x), (0.0, 1.0), -4 / 9),
    "√x/√(1 - x²)": (
        lambda x: sg.sqrt(x) / sg.sqrt(1 - x * x), (0.0, 1.0), 2 * ROOT * math.gamma(0.75) / math.gamma(0.25),
    ),
    "sin x/x": (lambda x: sg.sin(x) / x, (0.0, 1.0), 0.94608307036718301494),
    "Gauss": (lambda x: sg.exp(-x * x), (-np.inf, np.inf), ROOT),
    "Cauchy": (lambda x: 1 / (1 + x * x), (-np.inf, 0.0), np.pi / 2),
    "e^-x/√x": (lambda x: sg.exp(-x) / sg.sqrt(x), (0.0, np.inf), ROOT),
    "e^-x cos x": (lambda x: sg.exp(-x) * sg.cos(x), (0.0, np.inf), 0.5),
    "log x/x²": (lambda x: sg.log(x) / x**2, (1.0, np.inf), 1.0),
    "1/cosh x": (lambda x: 1 / sg.cosh(x), (-np.inf, np.inf), np.pi),
    "x/(e^x - 1)": (lambda x: x / (sg.exp(x) - 1), (0.0, np.inf), np.pi**2 / 6),
    "erfc": (sg.special.erfc, (0.0, np.inf), 1 / ROOT),
    "log x e^-x": (lambda x: sg.log(x) * sg.exp(-x), (0.0, np.inf), -np.euler_gamma),
    "logistic density": (lambda x: sg.sigmoid(x) * (1 - sg.sigmoid(x)), (-np.inf, np.inf), 1.0),
    "a kink and a tail": (lambda x: sg.relu(x - 1) * sg.exp(-x), (0.0, np.inf), math.exp(-1)),
    "a tail of cases": (lambda x: sg.where(x > 2, x**-3.0, 1.0), (0.0, np.inf), 2 + 1 / 8),
}  # fmt: skip


@pytest.mark.parametrize(
    "name", [pytest.param(n, marks=[pytest.mark.slow] * (n == "Kahaner 21")) for n in (*SMOOTH, *IMPROPER)]
)
def test_known_integrals_lie_between_tight_bounds(name):
    f, limits, value = {**SMOOTH, **IMPROPER}[name]
    result = prove.integral(f, limits)
    slack = 4e-16 * abs(value)
    assert result.value.lower - slack <= value <= result.value.upper + slack
    assert result.value.width < 2e-10
    assert prove.check(json.loads(json.dumps(result.certificate)), f)
    assert not prove.check(result.certificate, lambda x: f(x) * 1.001)


@pytest.mark.parametrize(
    ("f", "limits"),
    [
        (lambda x: 1 / x, (0.0, 1.0)),
        (lambda x: 1 / x, (1.0, np.inf)),
        (lambda x: 1 / x**2, (-1.0, 1.0)),
        (lambda x: 1 / (x * sg.log(x)), (2.0, np.inf)),
        (lambda x: sg.sin(x) / x, (1.0, np.inf)),  # which converges, but not absolutely
        (sg.exp, (0.0, np.inf)),
        (lambda x: sg.exp(1 / x), (0.0, 1.0)),
        (sg.cos, (0.0, np.inf)),
        (lambda x: 1 / sg.sqrt(abs(3 * x - 1)), (0.0, 1.0)),  # where no division ends
    ],
)
def test_integrals_that_may_not_exist_are_refused(f, limits):
    with pytest.raises(sg.errors.NotProved, match="or has no integral there"):
        prove.integral(f, limits, pieces=60)


def test_a_certificate_with_too_few_pieces_does_not_hold():
    gauss = prove.integral(lambda x: sg.exp(-x * x), (-np.inf, np.inf)).certificate
    assert gauss["cuts"][0] == -np.inf
    for change in ({"cuts": [-np.inf, np.inf]}, {"cuts": gauss["cuts"][1:]}, {"value": [1.0, 1.1]}):
        assert not prove.check({**gauss, **change}, lambda x: sg.exp(-x * x))


# ------------------------------------------------------------------ bounds near an end
UNARY = [
    *(sg.sqrt, sg.log, sg.exp, sg.sin, sg.tanh, abs, lambda x: 1 / x, lambda x: x**-0.5, lambda x: x * x),
    *(lambda x: 1 - x, lambda x: 2 * x, lambda x: sg.where(x > 0.3, x, 1.0), sg.log1p, lambda x: x**3),
    *(sg.cosh, sg.sinh, sg.special.erfc, lambda x: sg.sigmoid(-x), lambda x: 1 / (1 + sg.exp(x)), lambda x: x**-0.3),
]
BINARY = [lambda a, b: a + b, lambda a, b: a - b, lambda a, b: a * b, sg.maximum, lambda a, b: a / (2 + b * b)]


def random_function(rng):
    steps = [(rng.integers(3), rng.integers(99), rng.integers(99, size=2)) for _ in range(5)]

    def f(x):
        values = [x]
        for kind, which, places in steps:
            a, b = (values[p % len(values)] for p in places)
            values.append(UNARY[which % len(UNARY)](a) if kind else BINARY[which % len(BINARY)](a, b))
        return values[-1] + values[-2] * 0.5

    return f


def of_distance(rng, f):
    """Where x is at a distance s of an end, the largest s, and bounds of f there."""
    start, slope = float(rng.choice([0.0, 0.0, 1.0, -0.5])), int(rng.choice([-1, 1]))
    infinite, width = rng.random() < 0.3, float(rng.choice([0.01, 0.5, 2.0]))
    at = (lambda s: slope / s) if infinite else (lambda s: start + slope * s)
    p = Fraction(-1 if infinite else 1)
    end = End(Interval.of(width))
    x = end.near(Interval.of(0.0 if infinite else start), p, Interval.of(slope))
    return at, width, end.run(Flat(f, (0.0, 1.0)).tape(0), x)


def test_values_near_an_end_lie_between_their_bounds():
    count = 0
    for seed in range(100):
        rng = np.random.default_rng(seed)
        f = random_function(rng)
        with flint().ctx.workprec(128):
            try:
                at, width, y = of_distance(rng, f)
            except Undefined:
                continue
        count += 1
        constant, rest = y.constant.floats(), y.rest.floats()
        for s in width * np.concatenate([[1.0], rng.random(10), 10.0 ** rng.uniform(-9, 0, 10)]):
            value, size = float(f(sg.tensor(at(s)))), s ** float(y.power)
            if not np.isfinite([value, size]).all() or size == 0:
                continue
            slack = 1e-6 * (1 + abs(value) + size)
            assert constant[0] + size * rest[0] - slack <= value <= constant[1] + size * rest[1] + slack, (seed, s)
    assert count > 50
