"""Problems of the interval literature: enclosures beside naive evaluation, and published global minima.

Sources: Moore, Kearfott and Cloud 2009; Hansen and Walster 2003; Jamil and Yang 2013; Moré, Garbow and Hillstrom 1981.
"""

import numpy as np
import pytest

import symgrad as sg
from symgrad import prove


def levy(v):
    w = 1 + (v - 1) / 4
    inner = ((w[:-1] - 1) ** 2 * (1 + 10 * sg.sin(np.pi * w[:-1] + 1) ** 2)).sum()
    return sg.sin(np.pi * w[0]) ** 2 + inner + (w[-1] - 1) ** 2 * (1 + sg.sin(2 * np.pi * w[-1]) ** 2)


def zakharov(v):
    s = (0.5 * sg.arange(1, v.shape[0] + 1) * v).sum()
    return (v**2).sum() + s**2 + s**4


def goldstein(v):
    x, y = v[0], v[1]
    a = 19 - 14 * x + 3 * x**2 - 14 * y + 6 * x * y + 3 * y**2
    b = 18 - 32 * x + 12 * x**2 + 48 * y - 36 * x * y + 27 * y**2
    return (1 + (x + y + 1) ** 2 * a) * (30 + (2 * x - 3 * y) ** 2 * b)


def beale(v):
    x, y = v[0], v[1]
    return (1.5 - x + x * y) ** 2 + (2.25 - x + x * y**2) ** 2 + (2.625 - x + x * y**3) ** 2


def wood(v):
    a = 100 * (v[1] - v[0] ** 2) ** 2 + (1 - v[0]) ** 2 + 90 * (v[3] - v[2] ** 2) ** 2 + (1 - v[2]) ** 2
    return a + 10.1 * ((v[1] - 1) ** 2 + (v[3] - 1) ** 2) + 19.8 * (v[1] - 1) * (v[3] - 1)


def horner(x):
    return ((x - 10) * x + 35) * x * x - 50 * x + 24


MINIMA = {  # function, box, published minimum
    "dixon-price": (lambda v: (v[0] - 1) ** 2 + 2 * (2 * v[1] ** 2 - v[0]) ** 2, ([-10.0] * 2, [10.0] * 2), 0.0),
    "booth": (lambda v: (v[0] + 2 * v[1] - 7) ** 2 + (2 * v[0] + v[1] - 5) ** 2, ([-10.0] * 2, [10.0] * 2), 0.0),
    "beale": (beale, ([-4.5] * 2, [4.5] * 2), 0.0),
    "matyas": (lambda v: 0.26 * (v**2).sum() - 0.48 * v[0] * v[1], ([-10.0] * 2, [10.0] * 2), 0.0),
    "mccormick": (
        lambda v: sg.sin(v[0] + v[1]) + (v[0] - v[1]) ** 2 - 1.5 * v[0] + 2.5 * v[1] + 1,
        ([-1.5, -3.0], [4.0, 4.0]),
        -1.9132229549810367,
    ),
    "levy": (levy, ([-10.0] * 2, [10.0] * 2), 0.0),
    "three-hump": (
        lambda v: 2 * v[0] ** 2 - 1.05 * v[0] ** 4 + v[0] ** 6 / 6 + v[0] * v[1] + v[1] ** 2,
        ([-5.0] * 2, [5.0] * 2),
        0.0,
    ),
    "trid": (lambda v: ((v - 1) ** 2).sum() - (v[1:] * v[:-1]).sum(), ([-9.0] * 3, [9.0] * 3), -7.0),
    "zakharov": (zakharov, ([-5.0] * 2, [10.0] * 2), 0.0),
    "easom": (
        lambda v: -sg.cos(v[0]) * sg.cos(v[1]) * sg.exp(-((v[0] - np.pi) ** 2) - (v[1] - np.pi) ** 2),
        ([-3.0] * 2, [7.0] * 2),
        -1.0,
    ),
    "sphere": (lambda v: (v**2).sum(), ([-5.0] * 4, [6.0] * 4), 0.0),
    "styblinski-tang": (lambda v: 0.5 * (v**4 - 16 * v**2 + 5 * v).sum(), ([-5.0] * 2, [5.0] * 2), -78.33233140754282),
}
NUMBERS = {
    "x² - 2x": (lambda x: x * x - 2 * x, (0.0, 3.0)),
    "x (1 - x)": (lambda x: x * (1 - x), (0.0, 1.0)),
    "x / (1 + x²)": (lambda x: x / (1 + x * x), (0.5, 1.0)),
    "sin x - x cos x": (lambda x: sg.sin(x) - x * sg.cos(x), (0.0, 1.0)),
    "x³ - 3x": (lambda x: x**3 - 3 * x, (1.0, 2.0)),
    "x e⁻ˣ": (lambda x: x * sg.exp(-x), (0.0, 0.5)),
    "log(1 + x) - x": (lambda x: sg.log(1 + x) - x, (0.0, 1.0)),
    "(x + 1) / (x - 1)": (lambda x: (x + 1) / (x - 1), (2.0, 3.0)),
    "Horner, degree 4": (horner, (1.0, 2.0)),
    "√(1 + x) - √x": (lambda x: sg.sqrt(1 + x) - sg.sqrt(x), (4.0, 6.0)),
    "x tanh x - x²/2": (lambda x: x * sg.tanh(x) - x * x / 2, (0.0, 0.7)),
    "cosh x - e^x": (lambda x: sg.cosh(x) - sg.exp(x), (0.0, 1.0)),
    "atan x - x/(1+x²)": (lambda x: sg.atan(x) - x / (1 + x * x), (0.2, 1.0)),
    "sin² x + cos² x": (lambda x: sg.sin(x) ** 2 + sg.cos(x) ** 2, (0.0, 1.0)),
    "xˣ - x": (lambda x: x**x - x, (1.0, 2.0)),
    "erf x - x": (lambda x: sg.special.erf(x) - x, (0.0, 0.8)),
}
VECTORS = {
    **{name: (f, ([0.4] * len(box[0]), [0.8] * len(box[0]))) for name, (f, box, _) in MINIMA.items()},
    "goldstein-price": (goldstein, ([0.1, -0.9], [0.3, -0.7])),
    "rosenbrock": (lambda v: 100 * (v[1] - v[0] ** 2) ** 2 + (1 - v[0]) ** 2, ([0.8, 0.7], [1.0, 0.9])),
    "wood": (wood, ([0.9] * 4, [1.1] * 4)),
    "powell": (
        lambda v: (v[0] + 10 * v[1]) ** 2 + 5 * (v[2] - v[3]) ** 2 + (v[1] - 2 * v[2]) ** 4 + 10 * (v[0] - v[3]) ** 4,
        ([0.5] * 4, [0.7] * 4),
    ),
    "kowalik": (lambda v: v[0] * (4 + 2 * v[1]) / (4 + 2 * v[2] + v[3]) - 0.1735, ([0.1] * 4, [0.2] * 4)),
    "rastrigin": (lambda v: 20 + (v**2 - 10 * sg.cos(2 * np.pi * v)).sum(), ([0.3] * 2, [0.4] * 2)),
    "griewank": (lambda v: (v**2).sum() / 4000 - sg.cos(v[0]) * sg.cos(v[1] / 2**0.5) + 1, ([0.5] * 2, [1.5] * 2)),
    "ackley": (
        lambda v: -20 * sg.exp(-0.2 * sg.sqrt((v**2).mean())) - sg.exp(sg.cos(2 * np.pi * v).mean()) + 20 + np.e,
        ([0.6] * 2, [0.8] * 2),
    ),
    "log-sum-exp": (lambda v: sg.log(sg.exp(v).sum()) - v.mean(), ([-0.5] * 3, [0.5] * 3)),
    "determinant": (lambda v: sg.linalg.det(v.reshape(3, 3)), (np.eye(3).ravel() - 0.1, np.eye(3).ravel() + 0.1)),
    "quadratic form": (lambda v: v @ sg.linalg.solve(sg.tensor([[2.0, 1.0], [1.0, 3.0]]), v), ([1.0] * 2, [1.2] * 2)),
    "two-link arm": (lambda v: sg.cos(v[0]) + sg.cos(v[0] + v[1]), ([0.2, 0.3], [0.5, 0.6])),
}
PROBLEMS = {**NUMBERS, **VECTORS}


def widths(f, box):
    """Of naive evaluation, of the Taylor form, and of that on 16 pieces."""
    options = [{}, {"order": 2}, {"order": 2, "pieces": 16}]
    return np.array([sg.enclose(f, box, **o).width for o in options])


@pytest.mark.parametrize(
    ("problems", "taylor", "pieces"),
    [(NUMBERS, 0.5, 0.25), pytest.param(PROBLEMS, 0.8, 0.55, marks=pytest.mark.slow)],
    ids=["numbers", "all forty"],
)
def test_taylor_forms_are_tighter_than_naive_evaluation(problems, taylor, pieces):
    table = np.array([widths(f, box) for f, box in problems.values()])
    assert (table[:, 1] <= table[:, 0]).all()
    assert (table[:, 2] <= table[:, 0]).all()
    assert np.median(table[:, 1] / table[:, 0]) < taylor
    assert np.median(table[:, 2] / table[:, 0]) < pieces


SLOW = ("beale", "three-hump", "levy", "styblinski-tang")


@pytest.mark.parametrize("name", [pytest.param(n, marks=[pytest.mark.slow] * (n in SLOW)) for n in MINIMA])
def test_published_minima_are_proved(name):
    f, box, value = MINIMA[name]
    least = prove.minimum(f, box)
    slack = 1e-14 * (1 + abs(value))
    assert least.value.lower - slack <= value <= least.value.upper + slack
    assert least.value.width < 1e-9
    assert prove.check(least.certificate, f)
