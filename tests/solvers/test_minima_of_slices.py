"""Minima under ``vmap``: all at once where they are those of convex quadratics, their derivatives by one solve."""

from __future__ import annotations

import numpy as np
import pytest

import symgrad as sg
from symgrad.errors import NotDifferentiable
from symgrad.implicit.conditions import OperatorSolve
from symgrad.solvers.descent import Minimiser

pytest.importorskip("scipy", reason="minima under constraints start with SciPy's methods")

Q = np.array([[2.0, 0.3, 0.1], [0.3, 1.5, -0.2], [0.1, -0.2, 1.0]])
POINTS = np.array([[0.3, 0.2, 0.9], [1.5, -0.4, 0.2], [-0.8, 0.1, 2.0], [0.2, 0.9, -0.6], [3.0, 0.1, 0.2]])


def quadratic(x, c):
    return x @ sg.tensor(Q) @ x / 2 - c @ x


def quartic(x, c):
    return ((x - c) ** 4).sum() + (x**2).sum()


def budget(x, c):
    return x.sum() - 1


BALL = {"type": "ineq", "fun": lambda x, c: 1 - (x**2).sum()}
HALF = {"type": "ineq", "fun": lambda x, c: 1 - x.sum()}
PROBLEMS = {  # with the most slices that a solver is asked for
    "equation": (lambda c: sg.argmin(quadratic, np.ones(3), c, constraints=budget).x, 0),
    "multiplier": (lambda c: sg.argmin(quadratic, np.ones(3), c, constraints=budget).multipliers, 0),
    "half space": (lambda c: sg.argmin(quadratic, np.ones(3), c, constraints=HALF).x, 0),
    "bounds": (lambda c: sg.argmin(quadratic, np.full(3, 0.5), c, bounds=(0, 1)), 2),
    "simplex": (lambda c: sg.argmin(quadratic, np.ones(3) / 3, c, bounds=(0, None), constraints=budget).x, 2),
    "ball": (lambda c: sg.argmin(quartic, np.full(3, 0.25), c, constraints=BALL).x, 5),
    "free": (lambda c: sg.argmin(quartic, np.full(3, 0.25), c), 5),
    "moving bounds": (lambda c: sg.argmin(quadratic, np.full(3, 0.5), np.ones(3), bounds=(c - 1, c)), 2),
}


def counted(monkeypatch, owner, name):
    calls = []
    own = getattr(owner, name)
    monkeypatch.setattr(owner, name, lambda *args: (calls.append(args), own(*args))[1])
    return calls


@pytest.mark.parametrize("name", PROBLEMS)
def test_minima_of_slices_and_their_derivatives_are_those_of_each(monkeypatch, name):
    f, most = PROBLEMS[name]
    weights = sg.tensor([1.0, -2.0, 0.5])

    def loss(c):
        y = f(c)
        return (y * weights).sum() if y.ndim else y * 1.0

    expected = [np.array([np.asarray(g(c)) for c in POINTS]) for g in (f, sg.grad(loss), sg.hessian(loss))]
    searched = counted(monkeypatch, Minimiser, "__call__")
    np.testing.assert_allclose(sg.vmap(f)(POINTS), expected[0], rtol=1e-9, atol=1e-10)
    assert len(searched) <= most
    solved = counted(monkeypatch, OperatorSolve, "forward")
    np.testing.assert_allclose(sg.vmap(sg.grad(loss))(POINTS), expected[1], rtol=1e-8, atol=1e-9)
    assert len(solved) == 1
    np.testing.assert_allclose(sg.vmap(sg.hessian(loss))(POINTS), expected[2], rtol=1e-6, atol=1e-7)


def test_a_kinked_or_concave_loss_is_not_taken_for_a_convex_quadratic(monkeypatch):
    searched = counted(monkeypatch, Minimiser, "__call__")
    kinked = sg.vmap(lambda c: sg.argmin(lambda x, c: (x - c).abs() ** 2 + x**2, 0.5, c, bounds=(-1, 1)))
    np.testing.assert_allclose(kinked(np.array([0.2, 1.0])), [0.1, 0.5], atol=1e-9)
    assert len(searched) == 2
    concave = sg.vmap(lambda c: sg.argmin(lambda x, c: c * x - x**2, 0.5, c, bounds=(-1, 1)))
    np.testing.assert_allclose(concave(np.array([0.2, 2.0])), [1.0, -1.0], atol=1e-9)
    assert len(searched) == 4


def test_a_bound_active_by_chance_in_one_slice_has_no_derivative():
    f = sg.vmap(sg.grad(lambda c: sg.argmin(lambda x, c: (x - c) ** 2, 0.5, c, bounds=(0, 1))))
    np.testing.assert_allclose(f(np.array([0.2, 1.5, 0.3])), [1.0, 0.0, 1.0])
    with pytest.raises(NotDifferentiable, match="active by chance"):
        f(np.array([0.2, 1.0, 0.3]))


def test_slices_of_slices_are_those_of_each():
    f, _ = PROBLEMS["simplex"]
    found = sg.vmap(sg.vmap(f))(POINTS[:4].reshape(2, 2, 3))
    np.testing.assert_allclose(np.reshape(found, (4, 3)), [np.asarray(f(c)) for c in POINTS[:4]], atol=1e-9)
