"""Linear algebra and reductions of complex matrices: values, gradients and second derivatives beside PyTorch's."""

import numpy as np
import pytest
from complex_linalg_rows import MATRICES, hermitian
from complex_rows import W, Z
from test_complex import derivatives, plain

import symgrad as sg


@pytest.mark.parametrize("name", MATRICES)
def test_values_and_derivatives_are_pytorchs(name):
    torch = pytest.importorskip("torch")
    ours = derivatives(sg, sg.autograd.grad, MATRICES[name], sg.tensor)
    theirs = derivatives(torch, torch.autograd.grad, MATRICES[name], torch.tensor)
    for mine, other in zip(ours, theirs, strict=True):
        assert mine.dtype == other.dtype
        np.testing.assert_allclose(mine, other, rtol=1e-8, atol=1e-8)


@pytest.mark.parametrize("name", MATRICES)
def test_forward_mode_is_the_slope_in_both_parts(name):
    y, t = sg.jvp(lambda z: MATRICES[name](sg, z), (Z,), (W,))
    up, down = (plain(MATRICES[name](sg, sg.tensor(Z + s * W))) for s in (1e-6, -1e-6))
    np.testing.assert_allclose(t, (up - down) / 2e-6, rtol=1e-5, atol=1e-5 * (1 + np.abs(y).max()))


@pytest.mark.parametrize(
    ("name", "loss"),
    [
        ("linalg_eigh_backward", lambda z: sg.linalg.eigh(hermitian(z)).eigenvectors.real.sum()),
        ("linalg_eig_backward", lambda z: sg.linalg.eig(z).eigenvectors.real.sum()),
        ("svd_backward", lambda z: sg.linalg.svd(z).U.real.sum()),
        ("svd_backward", lambda z: sg.linalg.svd(z).Vh.imag.sum()),
    ],
)
def test_losses_that_depend_on_phases_are_refused(name, loss):
    with pytest.raises(RuntimeError, match=f"{name}: The .*vectors in the complex case are specified up to"):
        loss(sg.tensor(Z, requires_grad=True)).backward()


def test_functions_of_numpy_take_complex_tensors():
    z = sg.tensor(Z)
    for f in (np.linalg.inv, np.linalg.det, np.linalg.eigvals, np.linalg.svdvals, np.linalg.norm, np.var, np.std):
        np.testing.assert_allclose(plain(f(z)), f(Z))
    np.testing.assert_allclose(plain(np.vdot(z, z)), np.vdot(Z, Z))
    np.testing.assert_allclose(
        plain(np.linalg.cholesky(z @ z.mH, upper=True)), np.linalg.cholesky(Z @ Z.conj().T).conj().T
    )


def test_statistics_of_numpy_take_complex_tensors():
    for f in (np.cov, np.corrcoef, np.nanvar, np.nanstd):
        np.testing.assert_allclose(plain(f(sg.tensor(Z))), f(Z), atol=1e-12)
    np.testing.assert_allclose(plain(np.correlate(sg.tensor(Z[0]), sg.tensor(Z[1]))), np.correlate(Z[0], Z[1]))


def test_single_precision_stays_single():
    z = sg.tensor(Z.astype(np.complex64))
    assert sg.linalg.svd(z).U.dtype == sg.linalg.pinv(z + z.mH, hermitian=True).dtype == sg.complex64
    assert sg.linalg.svdvals(z).dtype == sg.linalg.vector_norm(z).dtype == sg.float32
    assert sg.linalg.eigvals(z.real).dtype == sg.linalg.matrix_exp(z).dtype == sg.complex64


# ------------------------------------------------------------------ functions of matrices
RNG = np.random.default_rng(11)
A, B, C = RNG.normal(size=(3, 3, 3)) + 1j * RNG.normal(size=(3, 3, 3))
MATRIX_FUNCTIONS = {
    "sqrtm": (sg.linalg.sqrtm, (A,)),
    "logm": (sg.linalg.logm, (A,)),
    "solve_sylvester": (sg.linalg.solve_sylvester, (A, B, C)),
    "solve_continuous_lyapunov": (sg.linalg.solve_continuous_lyapunov, (A, C)),
    "solve_discrete_lyapunov": (sg.linalg.solve_discrete_lyapunov, (A / 9, C)),
}


@pytest.mark.parametrize("name", MATRIX_FUNCTIONS)
def test_functions_of_matrices_are_scipys(name):
    scipy_linalg = pytest.importorskip("scipy.linalg")
    f, given = MATRIX_FUNCTIONS[name]
    np.testing.assert_allclose(plain(f(*given)), getattr(scipy_linalg, name)(*given), atol=1e-12)
    assert sg.autograd.gradcheck(f, [sg.tensor(x, requires_grad=True) for x in given])


@pytest.mark.parametrize("name", ["sqrtm", "logm"])
def test_complex_matrices_may_have_eigenvalues_below_zero(name):
    f, undo = getattr(sg.linalg, name), {"sqrtm": lambda x: x @ x, "logm": sg.linalg.matrix_exp}[name]
    hermitian_, single = -(A @ A.conj().T), (A @ np.diag([-1.0, -2, 3]) @ np.linalg.inv(A)).astype(np.complex64)
    np.testing.assert_allclose(plain(undo(f(hermitian_))), hermitian_, atol=1e-12)
    np.testing.assert_allclose(plain(undo(f(single))), single, atol=1e-4)
    assert f(single).dtype == sg.complex64
    with pytest.raises(np.linalg.LinAlgError, match="or a complex matrix"):
        f(-np.eye(2))


def test_gradients_of_functions_of_matrices_in_formulas():
    Z = sg.symbol("Z", ("n", "n"), dtype=complex)
    assert str(sg.derive(sg.trace(sg.linalg.logm(Z)).real, Z)) == "Z⁻ᴴ"


@pytest.mark.parametrize("high", [0.0, 800.0, -900.0])
def test_sums_of_exponentials_with_factors_neither_overflow_nor_widen(high):
    z, b = np.array([1 + 2j, 3, -1j]) + high, np.array([1, -2, 0])
    expected = high + np.log(np.exp(1 + 2j) - 2 * np.exp(3))
    np.testing.assert_allclose(plain(sg.special.logsumexp(z, b=b)), expected)
    assert sg.autograd.gradcheck(lambda t: sg.special.logsumexp(t, b=b), (sg.tensor(z, requires_grad=True),))
    assert sg.special.logsumexp(z.astype(np.complex64), b=b.astype(np.float32)).dtype == sg.complex64
