"""Linear regulators: SciPy's solutions of Riccati's equations, derivatives, and what cannot be made stable."""

import numpy as np
import pytest

import symgrad as sg
from symgrad.errors import ArgumentTypeError, DTypeError, LinAlgError, ShapeError

RNG = np.random.default_rng(0)
A, B = RNG.normal(size=(4, 4)), RNG.normal(size=(4, 2))
Q, R = np.diag([1.0, 0.0, 2.0, 0.5]), np.array([[2.0, 0.5], [0.5, 1.0]])


@pytest.mark.parametrize("discrete", [False, True])
def test_riccatis_equation_is_solved_as_scipy_does(discrete):
    linalg = pytest.importorskip("scipy.linalg")
    solve = linalg.solve_discrete_are if discrete else linalg.solve_continuous_are
    K, X = sg.control.lqr(A, B, Q, R, discrete)
    expected = solve(A, B, Q, R)
    np.testing.assert_allclose(X, expected, rtol=1e-8, atol=1e-9)
    gain = (R + B.T @ expected @ B, B.T @ expected @ A) if discrete else (R, B.T @ expected)
    np.testing.assert_allclose(K, np.linalg.solve(*gain), rtol=1e-8, atol=1e-9)


@pytest.mark.parametrize("discrete", [False, True])
def test_regulators_are_differentiable_twice(discrete):
    """Along a line of problems, against differences."""

    def cost(s):
        K, X = sg.control.lqr(A + s * 0.1 * Q, B * (1 + 0.2 * s), Q * (1 + s), R * (1 - 0.3 * s), discrete)
        return (X * Q).sum() + (K**2).sum()

    at = lambda s: float(cost(sg.tensor(s)))
    h = 1e-4
    np.testing.assert_allclose(sg.grad(cost)(0.1), (at(0.1 + h) - at(0.1 - h)) / (2 * h), rtol=1e-6)
    slopes = [sg.grad(cost)(0.1 + s) for s in (h, -h)]
    np.testing.assert_allclose(sg.grad(sg.grad(cost))(0.1), (slopes[0] - slopes[1]) / (2 * h), rtol=1e-6)


def test_a_singular_system_in_discrete_time_is_no_obstacle():
    K, X = sg.control.lqr(np.zeros((2, 2)), np.eye(2), np.eye(2), np.eye(2), discrete=True)
    np.testing.assert_allclose(X, np.eye(2))
    np.testing.assert_allclose(K, np.zeros((2, 2)), atol=1e-15)


@pytest.mark.parametrize("discrete", [False, True])
def test_what_cannot_be_stable_or_does_not_fit_is_refused(discrete):
    growing = np.diag([2.0, 0.5])
    with pytest.raises(LinAlgError, match="no feedback stabilises the loop"):
        sg.control.lqr(growing, np.array([[0.0], [1.0]]), np.eye(2), np.eye(1), discrete)
    with pytest.raises(LinAlgError, match="singular"):
        sg.control.lqr(growing, np.eye(2), np.eye(2), np.zeros((2, 2)), discrete)
    with pytest.raises(ShapeError, match=r"lqr: A, B, Q and R have shapes .* Expected \[n, n\]"):
        sg.control.lqr(growing, np.ones((3, 1)), np.eye(2), np.eye(1), discrete)


def test_complex_matrices_are_refused():
    with pytest.raises(DTypeError, match='"riccati" not implemented for complex numbers'):
        sg.control.lqr(1j * np.eye(2), np.eye(2), np.eye(2), np.eye(2))
    with pytest.raises(ArgumentTypeError, match="got discrete='zoh'"):
        sg.control.lqr(np.eye(2), np.eye(2), np.eye(2), np.eye(2), "zoh")
