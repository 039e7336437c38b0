"""torch.special's names of SciPy's functions: values, and derivatives that PyTorch has not."""

import numpy as np
import pytest

import symgrad as sg

POLYNOMIALS = sorted(n for n in dir(sg.special) if "_polynomial_" in n)
BESSEL = sorted(n for n in dir(sg.special) if "bessel_" in n or n == "airy_ai")
X = np.array([-0.9, -0.3, 0.2, 0.7])


@pytest.mark.parametrize("name", POLYNOMIALS)
def test_polynomials_are_torchs(name):
    torch = pytest.importorskip("torch")
    for n in (0, 1, 2, 5):
        expected = getattr(torch.special, name)(torch.tensor(X), n).numpy()
        np.testing.assert_allclose(getattr(sg.special, name)(X, n), expected, rtol=1e-9, atol=1e-12)
    x = sg.tensor(X[2:], requires_grad=True)
    assert sg.autograd.gradcheck(lambda x: getattr(sg.special, name)(x, 3), (x,))


@pytest.mark.parametrize("name", POLYNOMIALS)
def test_polynomials_of_integers_in_single_precision_and_of_many_degrees_are_torchs(name):
    torch = pytest.importorskip("torch")
    degrees = np.arange(8)[:, None]
    for x in (np.array([-3, 0, 1, 2]), X.astype(np.float32), X * 4):
        expected = getattr(torch.special, name)(torch.tensor(x), torch.tensor(degrees)).numpy()
        np.testing.assert_allclose(getattr(sg.special, name)(x, degrees), expected, rtol=2e-5, atol=1e-5)


@pytest.mark.parametrize("name", BESSEL)
def test_bessel_functions_are_torchs(name):
    torch = pytest.importorskip("torch")
    x = np.abs(X) + 0.5
    np.testing.assert_allclose(
        getattr(sg.special, name)(x), getattr(torch.special, name)(torch.tensor(x)).numpy(), rtol=1e-6
    )
    assert sg.autograd.gradcheck(getattr(sg.special, name), (sg.tensor(x, requires_grad=True),))
