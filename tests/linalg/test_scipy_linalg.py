"""scipy.linalg's functions by their names: SciPy's values, derivatives of two orders, formulas, and refusals."""

import numpy as np
import pytest

import symgrad as sg
from symgrad.errors import ArgumentError, LinAlgError, ShapeError

RNG = np.random.default_rng(5)
A = 2 * np.eye(4) + RNG.uniform(-0.6, 0.6, (4, 4))
B = 1.5 * np.eye(3) + RNG.uniform(-0.5, 0.5, (3, 3))
Z = A + 1j * A[::-1]
C, b = RNG.normal(size=(4, 3)), RNG.normal(size=4)
BAND = RNG.normal(size=(4, 6)) + 3

SAME = {  # f(library, sg.linalg or scipy.linalg)
    "sqrtm": lambda L: L.sqrtm(A),
    "sqrtm of a singular matrix": lambda L: L.sqrtm(np.array([[1.0, 2.0], [0.0, 0.0]])),
    "sqrtm of a rotation": lambda L: L.sqrtm(np.array([[0.0, -1.0], [1.0, 0.0]])),
    "logm": lambda L: L.logm(A),
    "logm of a Jordan block": lambda L: L.logm(np.array([[3.0, 1.0], [0.0, 3.0]])),
    "logm of large entries": lambda L: L.logm(1e6 * A),
    "expm": lambda L: L.expm(A),
    "expm_frechet": lambda L: L.expm_frechet(A, A.T @ A)[1],
    "expm_frechet alone": lambda L: L.expm_frechet(A, A.T, compute_expm=False),
    "solve_sylvester": lambda L: L.solve_sylvester(A, B, C),
    "solve_continuous_lyapunov": lambda L: L.solve_continuous_lyapunov(A, A @ A),
    "solve_discrete_lyapunov": lambda L: L.solve_discrete_lyapunov(A / 4, A @ A),
    "solve_continuous_are": lambda L: L.solve_continuous_are(A, C, A @ A.T, np.eye(3)),
    "solve_continuous_are of all": lambda L: L.solve_continuous_are(A, C, A @ A.T, 9 * np.eye(3), A + 9, C),
    "solve_discrete_are": lambda L: L.solve_discrete_are(A, C, A @ A.T, np.eye(3)),
    "solve_discrete_are of all": lambda L: L.solve_discrete_are(A, C, A @ A.T, 9 * np.eye(3), A + 9 * np.eye(4), C),
    "solve_triangular": lambda L: L.solve_triangular(A, b),
    "solve_triangular lower": lambda L: L.solve_triangular(A, C, lower=True),
    "solve_triangular trans": lambda L: L.solve_triangular(A, b, 1),
    "solve_triangular all": lambda L: L.solve_triangular(A, C, trans="T", lower=True, unit_diagonal=True),
    "solve_triangular of complex": lambda L: L.solve_triangular(A + 1j * A.T, b, trans="C"),
    "cho_solve": lambda L: L.cho_solve(L.cho_factor(A @ A.T), b),
    "cho_solve lower": lambda L: L.cho_solve(L.cho_factor(Z @ Z.conj().T, True), C),
    "lu_solve": lambda L: L.lu_solve(L.lu_factor(A), b),
    "lu_solve trans": lambda L: L.lu_solve(L.lu_factor(Z), C, trans=1),
    "lu_solve adjoint": lambda L: L.lu_solve(L.lu_factor(Z), b, trans=2, check_finite=False),
    "solve_banded": lambda L: L.solve_banded((1, 2), BAND, np.arange(6.0)),
    "solve_banded columns": lambda L: L.solve_banded((3, 0), BAND, np.arange(12.0).reshape(6, 2)),
    "solveh_banded": lambda L: L.solveh_banded(np.stack([b, b + 6]), b),
    "solveh_banded lower": lambda L: L.solveh_banded(np.stack([b + 6, b]), b, lower=True),
    "toeplitz": lambda L: L.toeplitz(b),
    "toeplitz of two": lambda L: L.toeplitz(b, C[0]),
    "khatri_rao": lambda L: L.khatri_rao(C, B),
    "block_diag": lambda L: L.block_diag(A, C, np.array([1.0, 2.0])),
}


@pytest.mark.filterwarnings("ignore")  # SciPy's, of what it may not be exact in
@pytest.mark.parametrize("name", SAME)
def test_value_is_scipys(name):
    linalg = pytest.importorskip("scipy.linalg")
    expected = SAME[name](linalg)
    np.testing.assert_allclose(SAME[name](sg.linalg).numpy(), expected, rtol=1e-9, atol=1e-11 * np.abs(expected).max())


def test_large_sylvester_equations_are_solved_by_eigenvectors_as_by_the_whole_system():
    A, B, C = (RNG.normal(size=s) for s in ((20, 20), (15, 15), (20, 15)))
    A = A + 8 * np.eye(20)
    X = sg.linalg.solve_sylvester(A, B, C).numpy()
    np.testing.assert_allclose(A @ X + X @ B, C, atol=1e-11)
    J = np.eye(14, k=1) + np.eye(14)  # has one eigenvector
    X = sg.linalg.solve_sylvester(J, J, np.ones((14, 14))).numpy()
    np.testing.assert_allclose(J @ X + X @ J, 1, atol=1e-9)


def test_second_derivatives_of_a_square_root_are_those_of_its_eigenvalues():
    # of a diagonal matrix D: D² tr √(D + tE) = -¼ d^(-3/2) along a diagonal direction
    hessian = sg.hessian(lambda d: sg.trace(sg.linalg.sqrtm(sg.diag(d))))(np.array([1.0, 4.0]))
    np.testing.assert_allclose(hessian, np.diag([-1 / 4, -1 / 32]), atol=1e-12)


def test_gradients_hold_for_stacks_of_matrices_and_in_forward_mode():
    stack = np.stack([A, A.T @ A])
    f = lambda X: (sg.linalg.sqrtm(X) ** 2 + sg.linalg.logm(X)).sum()
    together = sg.grad(f)(stack)
    np.testing.assert_allclose(together, sg.vmap(sg.grad(f))(stack), rtol=1e-9)
    np.testing.assert_allclose(sg.jvp(f, (stack,), (stack,))[1], (together * stack).sum(), rtol=1e-9)


def test_formulas_of_traces_are_a_textbooks():
    X = sg.symbol("X", ("n", "n"))
    assert str(sg.derive(sg.trace(sg.linalg.logm(X)), X)) == "X⁻ᵀ"
    assert str(sg.derive(sg.trace(sg.linalg.sqrtm(X)), X)) == "sqrtm(X)⁻ᵀ/2"
    assert str(sg.derive(sg.linalg.logm(X).sum(), X)) == "dlogm(X, 1*1ᵀ)ᵀ"


def test_a_compiled_sylvester_equation_has_the_gradient():
    f = sg.grad(lambda A: (sg.linalg.solve_sylvester(A, A.T, A @ A) ** 2).sum())
    np.testing.assert_allclose(sg.compile(f)(A), f(A), rtol=1e-10)


@pytest.mark.parametrize(("call", "error", "says"), [
    (lambda L: L.sqrtm(-np.eye(2)), LinAlgError, "negative eigenvalue -1, so the principal value is not real"),
    (lambda L: L.sqrtm(np.array([[0.0, 1.0], [0.0, 0.0]])), LinAlgError, "and lacks eigenvectors"),
    (lambda L: sg.grad(lambda X: L.sqrtm(X).sum())(np.diag([1.0, 0.0])), LinAlgError, "no derivative at a singular"),
    (lambda L: L.logm(np.diag([1.0, 0.0])), LinAlgError, "no value at a singular matrix"),
    (lambda L: L.logm(np.stack([np.eye(2), np.diag([1.0, -3.0])])), LinAlgError, "Batch element 1.*eigenvalue -3"),
    (lambda L: L.solve_sylvester(np.eye(2), -np.eye(2), np.eye(2)), LinAlgError, "an eigenvalue in common"),
    (lambda L: L.solve_sylvester(A, B, A), ShapeError, "Expected C to be 4 by 3"),
    (lambda L: L.solve_banded((1, 1), BAND, np.ones(6)), ShapeError, "l . u . 1 = 3 does not equal"),
    (lambda L: L.solve_triangular(A, b, "X"), ArgumentError, "got trans='X'"),
    (lambda L: L.solve_triangular(A, C, upper=True, lower=True), ArgumentError, "contradict"),
    (lambda L: L.toeplitz(2.0), ShapeError, "must be vectors"),
    (lambda L: L.khatri_rao(A, B), ShapeError, "as many columns"),
])  # fmt: skip
def test_refusals_say_why(call, error, says):
    with pytest.raises(error, match=says):
        call(sg.linalg)


def test_riccatis_equations_are_of_matrices():
    with pytest.raises(sg.SymgradError, match="solve_discrete_are: b must have at least 2 dimensions"):
        sg.linalg.solve_discrete_are(np.eye(2), np.ones(2), np.eye(2), np.eye(1))


def test_factors_of_scipy_are_taken_and_their_pivots_are_not_confused():
    linalg = pytest.importorskip("scipy.linalg")
    factors = linalg.lu_factor(A[::-1])
    np.testing.assert_allclose(sg.linalg.lu_solve(factors, b), np.linalg.solve(A[::-1], b))
    np.testing.assert_allclose(sg.linalg.cho_solve(linalg.cho_factor(A @ A.T), b), np.linalg.solve(A @ A.T, b))
    with pytest.raises(ArgumentError, match="counted from 1"):
        sg.linalg.lu_solve(*factors, b[:, None])
    with pytest.raises(ArgumentError, match="counted from 1"):
        sg.linalg.lu_solve(tuple(map(np.asarray, sg.linalg.lu_factor(A))), b)
    with pytest.raises(ArgumentError, match=r"the pair \(lu, piv\)"):
        sg.linalg.lu_solve(A, b)


def test_gradient_of_solves_with_factors():
    def f(M, v):
        return (
            sg.linalg.cho_solve(sg.linalg.cho_factor(M @ M.T), v).sum()
            + sg.linalg.lu_solve(sg.linalg.lu_factor(M), v)[0]
        )

    def g(M, v):
        return sg.linalg.solve(M @ M.T, v).sum() + sg.linalg.solve(M, v)[0]

    for ours, expected in zip(sg.grad(f, (0, 1))(A, b), sg.grad(g, (0, 1))(A, b), strict=True):
        np.testing.assert_allclose(ours, expected, rtol=1e-9)
