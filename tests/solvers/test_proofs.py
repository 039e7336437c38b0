"""``prove=True``: what solvers return is certain, and what is not certain raises."""

import math

import numpy as np
import pytest

import symgrad as sg
from symgrad.errors import ArgumentError, NotProved

INSIDE = {"type": "ineq", "fun": lambda v: 1 - (v**2).sum()}


def cube_root(a):
    return sg.root(lambda x, a: x**3 - a, 1.0, a, prove=True)


def test_a_proved_root_has_its_value_and_derivatives_in_every_mode():
    assert cube_root(8.0).item() == 2.0
    assert sg.grad(cube_root)(8.0) == pytest.approx(1 / 12)
    np.testing.assert_allclose(sg.vmap(cube_root)(np.array([1.0, 8.0, 27.0])), [1, 2, 3])
    assert sg.compile(cube_root)(27.0) == pytest.approx(3)
    pair = sg.root(lambda v: [v[0] + v[1] - 3, v[0] * v[1] - 2], [0.5, 3.0], prove=True, method="hybr")
    np.testing.assert_allclose(pair.numpy(), [1, 2])


@pytest.mark.parametrize(
    ("f", "x0", "tol"),
    [
        (lambda x: (x - 1) ** 2, 1.0, 1e-10),  # a double root
        (lambda x: (x - 1) * (x - 1 - 1e-6), 0.9, 1e-5),  # two roots within tol
        (lambda x: abs(x) + x, 0.0, 1e-10),  # a kink
        (lambda x: x * x - 2, 1.0, 1e-18),  # no float is so near
        (lambda v: sg.stack([v[0] + v[1], 2 * v[0] + 2 * v[1]]), [1.0, -1.0], 1e-10),
    ],
)
@pytest.mark.filterwarnings("ignore:root. the conditions hold at all points around")
def test_a_root_that_is_not_certain_raises(f, x0, tol):
    with pytest.raises(NotProved, match="root: it is not certain that exactly one solution lies within"):
        sg.root(f, x0, tol=tol, prove=True)


@pytest.mark.parametrize(
    ("loss", "x0", "limits", "x"),
    [
        (lambda x: (x - 0.5) ** 2 + x**4, 0.0, {}, 0.3854584985),
        (lambda v: (1 - v[0]) ** 2 + 100 * (v[1] - v[0] ** 2) ** 2, [-1.2, 1.0], {}, [1, 1]),
        (lambda v: ((v - 2) ** 2).sum(), [0.1, 0.2], {"constraints": INSIDE}, [0.5**0.5] * 2),
        (lambda v: ((v - 0.3) ** 2).sum(), [0.1, 0.2], {"constraints": INSIDE}, [0.3, 0.3]),
        (lambda v: v[0] * v[1], [1.5, 1.0], {"constraints": [lambda v: v.sum() - 2], "bounds": (0.5, 9)}, [1.5, 0.5]),
        (lambda v: v[0] * v[1], [-1.1, 1.0], {"constraints": lambda v: (v**2).sum() - 2}, [-1, 1]),
        (lambda v: -(v**2).sum(), [0.1, 0.2], {"bounds": ([-1, -1], [2, 3])}, [-1, 3]),
        (lambda v: ((v - 2) ** 2).sum(), [0.1, 0.2], {"bounds": [(None, 1), (0, None)]}, [1, 2]),
    ],
)  # fmt: skip
def test_a_minimum_is_proved_where_it_is_strict(loss, x0, limits, x):
    answer = sg.argmin(loss, x0, prove=True, **limits)
    np.testing.assert_allclose(getattr(answer, "x", answer).numpy(), x, atol=1e-9)


@pytest.mark.parametrize(
    ("loss", "x0", "limits"),
    [
        (lambda v: (v[0] - v[1]) ** 2, [1.0, 1.0], {}),  # a valley
        (lambda x: x**4, 0.0, {}),
        (lambda x: x**2, 1.0, {"bounds": (0, 3)}),  # active by chance
    ],
)
@pytest.mark.filterwarnings("ignore:argmin. the conditions hold at all points around")
def test_a_minimum_that_is_not_certain_raises(loss, x0, limits):
    with pytest.raises(NotProved, match="argmin: it is not certain"):
        sg.argmin(loss, x0, prove=True, **limits)


def test_a_saddle_of_the_conditions_is_no_proved_minimum(monkeypatch):
    """The search is made to stop at a saddle point, which meets the conditions of first order."""
    monkeypatch.setattr("symgrad.solvers.descent.Minimiser._off_saddle", lambda *_: None)
    assert sg.argmin(lambda v: v[0] ** 2 - v[1] ** 2, [0.0, 0.0]).tolist() == [0, 0]
    with pytest.raises(NotProved, match=r"that the point near .* is a minimum"):
        sg.argmin(lambda v: v[0] ** 2 - v[1] ** 2, [0.0, 0.0], prove=True)


def test_a_proved_integral_is_within_its_tolerance():
    square = lambda a: sg.quad(lambda x, a: sg.exp(-a * x), 0.0, 1.0, a, prove=True)
    assert square(2.0).item() == pytest.approx((1 - math.exp(-2)) / 2, rel=1e-12)
    assert sg.grad(square)(2.0) == pytest.approx((3 * math.exp(-2) - 1) / 4)
    both = sg.quad(lambda x: sg.stack([x**2, sg.cos(x)]), 1.0, 0.0, prove=True)
    np.testing.assert_allclose(both.numpy(), [-1 / 3, -math.sin(1)], rtol=1e-12)
    tail = sg.quad(lambda x: sg.exp(-x) / sg.sqrt(x), math.inf, 0.0, prove=True)
    assert tail.item() == pytest.approx(-math.sqrt(math.pi), rel=1e-8)
    step = sg.quad(lambda x: sg.where(x > 0.3, 1.0, 0.0), 0.0, 1.0, points=[0.3], prove=True)
    assert step.item() == pytest.approx(0.7)


def test_an_integral_that_is_not_certain_raises(monkeypatch):
    with monkeypatch.context() as patch:
        patch.setattr("symgrad.implicit.integral._numbers", lambda *_: 1.7)
        assert sg.quad(sg.exp, 0.0, 1.0).item() == 1.7  # as a method without a proof may be wrong
        with pytest.raises(NotProved, match=r"certainly between 1\.718\d* and 1\.718\d*; that 1\.7 is right to"):
            sg.quad(sg.exp, 0.0, 1.0, prove=True)
    with pytest.raises(NotProved, match=r"from 0 to 0\.333333 .* that 0\.66666666\d* is right to .* is not certain"):
        sg.quad(lambda x: 1 / sg.sqrt(abs(3 * x - 1)), 0.0, 1.0, points=[1 / 3], prove=True)
    with pytest.raises(ArgumentError, match="Leave out order="):
        sg.quad(sg.sin, 0.0, 1.0, order=5, prove=True)
