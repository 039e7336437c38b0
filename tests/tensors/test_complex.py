"""Complex tensors: values, gradients and second derivatives beside PyTorch's, dtypes, printing, refusals."""

import numpy as np
import pytest
from complex_rows import PROGRAMS, W, Z

import symgrad as sg


def plain(t):
    return t.detach().resolve_conj().resolve_neg().numpy()


def derivatives(m, grad, program, tensor):
    """The value, the gradient for a cotangent, and the gradient of Re Σ w·gradient."""
    z = tensor(Z, requires_grad=True)
    y = program(m, z)
    rng = np.random.default_rng(1)
    seed = rng.normal(size=tuple(y.shape)) + (1j * rng.normal(size=tuple(y.shape)) if y.is_complex() else 0)
    (g,) = grad([y], [z], [tensor(seed)], create_graph=True)
    total = (g * tensor(W)).real.sum()
    (h,) = grad([total], [z], [None], allow_unused=True) if total.requires_grad else (None,)
    return plain(y), plain(g), np.zeros_like(Z) if h is None else plain(h)


@pytest.mark.parametrize("name", PROGRAMS)
def test_values_and_derivatives_are_pytorchs(name):
    torch = pytest.importorskip("torch")
    ours = derivatives(sg, sg.autograd.grad, PROGRAMS[name], sg.tensor)
    theirs = derivatives(torch, torch.autograd.grad, PROGRAMS[name], torch.tensor)
    for mine, other in zip(ours, theirs, strict=True):
        assert mine.dtype == other.dtype
        np.testing.assert_allclose(mine, other, rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("name", PROGRAMS)
def test_gradients_are_the_slopes_in_both_parts(name):
    def loss(z):
        y = PROGRAMS[name](sg, z)
        return (abs(y + 0.3) ** 2).sum()

    z = sg.tensor(Z, requires_grad=True)
    loss(z).backward()
    step = 1e-6
    for direction in (1, 1j):
        d = step * direction * W.real
        slope = (loss(sg.tensor(Z + d)).item() - loss(sg.tensor(Z - d)).item()) / (2 * step)
        assert slope == pytest.approx((z.grad.numpy() * np.conj(direction * W.real)).real.sum(), rel=1e-4)


def test_real_inputs_of_complex_programs_get_real_gradients():
    x = sg.tensor([1.0, -2.0], requires_grad=True)
    (abs(x * (1 + 2j) + 1j) ** 2).sum().backward()
    assert x.grad.dtype == sg.float64
    np.testing.assert_allclose(x.grad.numpy(), 10 * x.detach().numpy() + 4)


def test_minus_the_gradient_descends():
    z = sg.tensor(2.0 + 1.0j, requires_grad=True)
    (abs(z - (1 - 1j)) ** 2).backward()
    np.testing.assert_allclose(z.grad.numpy(), 2 * (z.detach().numpy() - (1 - 1j)))


@pytest.mark.parametrize(
    ("make", "dtype"),
    [
        (lambda: sg.tensor(1j), "complex128"),
        (lambda: sg.tensor([1, 2j]), "complex128"),
        (lambda: sg.tensor(np.ones(2, np.complex64)), "complex64"),
        (lambda: sg.ones(2, dtype=sg.complex64) * 2j, "complex64"),
        (lambda: sg.ones(2, dtype=sg.float32) * 2j, "complex64"),
        (lambda: sg.ones(2, dtype=sg.float32) * sg.tensor(2j), "complex64"),
        (lambda: sg.tensor([1, 2]) * 1j, "complex128"),
        (lambda: sg.tensor(np.array(1j, np.complex64)) * 1j, "complex64"),
        (lambda: sg.tensor(np.array(1.0, np.float32)) * 1j, "complex64"),
        (lambda: abs(sg.ones(2, dtype=sg.complex64)), "float32"),
        (lambda: sg.complex(sg.ones(2, dtype=sg.float32), sg.zeros(2, dtype=sg.float32)), "complex64"),
        (lambda: sg.tensor([sg.tensor(1.0), 2j]), "complex128"),
    ],
)
def test_dtypes(make, dtype):
    t = make()
    assert str(t.dtype) == dtype
    assert t.is_complex() == dtype.startswith("complex")


def test_printing():
    assert str(sg.tensor([1 + 2j, -0.5 - 1j])) == "tensor([ 1.0000+2.j, -0.5000-1.j])"


@pytest.mark.parametrize("name", ["floor", "erfinv", "relu", "sort", "max", "lgamma"])
def test_functions_of_real_numbers_refuse(name):
    with pytest.raises(TypeError, match="not implemented for complex numbers"):
        getattr(sg.tensor([1j, 2.0]), name)()


def test_a_complex_result_has_no_gradient_of_its_own():
    with pytest.raises(RuntimeError, match="real scalar outputs"):
        sg.tensor(1j, requires_grad=True).exp().backward()


def test_hooks_and_functions_see_pytorchs_convention():
    class Double(sg.autograd.Function):
        @staticmethod
        def forward(ctx, z):
            return z * 2j

        @staticmethod
        def backward(ctx, g):
            return g * -2j

    z, seen = sg.tensor(1.0 + 1j, requires_grad=True), []
    y = z * 1
    y.register_hook(lambda g: seen.append(g.numpy()))
    (abs(Double.apply(y)) ** 2).backward()
    np.testing.assert_allclose(seen[0], 8 * (1 + 1j))
    np.testing.assert_allclose(z.grad.numpy(), 8 * (1 + 1j))
