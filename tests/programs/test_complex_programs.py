"""Complex numbers in loops, optimisers, custom rules, random numbers, creation and conversion."""

import io
import pickle

import numpy as np
import pytest

import symgrad as sg

Z = np.array([1.0 + 2.0j, 3.0 - 1.0j])
RNG = np.random.default_rng(0)
A = 0.4 * (RNG.normal(size=(3, 3)) + 1j * RNG.normal(size=(3, 3)))
XS = RNG.normal(size=(4, 3)) + 1j * RNG.normal(size=(4, 3))
START = RNG.normal(size=3)


def scanned(a, xs, start):
    carry, sizes = sg.scan(lambda c, x: ((a @ c).tanh() + x, (abs(c) ** 2).sum()), start * (1 + 0j), xs)
    return (abs(carry) ** 2).sum() + (sizes**2).sum()


def unrolled(a, xs, start):
    carry, total = start * (1 + 0j), 0.0
    for k in range(len(XS)):
        total = total + (abs(carry) ** 2).sum() ** 2
        carry = (a @ carry).tanh() + xs[k]
    return total + (abs(carry) ** 2).sum()


def test_loops_carry_complex_numbers_to_second_order():
    def derivatives(f):
        leaves = [sg.tensor(v, requires_grad=True) for v in (A, XS, START)]
        first = sg.autograd.grad(f(*leaves), leaves, create_graph=True)
        total = sum((abs(g) ** 2).sum() for g in first)
        return [g.detach().numpy() for g in (*first, *sg.autograd.grad(total, leaves))]

    for mine, other in zip(derivatives(scanned), derivatives(unrolled), strict=True):
        assert mine.dtype == other.dtype
        np.testing.assert_allclose(mine, other, rtol=1e-10)
    point, along = (A, XS, START), (1j * A, XS, -START)
    np.testing.assert_allclose(sg.jvp(scanned, point, along), sg.jvp(unrolled, point, along))


def test_checkpoints_and_custom_rules_follow_pytorchs_convention():
    @sg.custom_vjp
    def square(z):
        return z * z

    square.defvjp(lambda z: (z * z, z), lambda z, g: (2 * z.conj() * g,))
    for f in (square, sg.checkpoint(lambda w: w * w)):
        z = sg.tensor(Z, requires_grad=True)
        (abs(f(z)) ** 2).sum().backward()
        np.testing.assert_allclose(z.grad.numpy(), 4 * abs(Z) ** 2 * Z)


@pytest.mark.parametrize("name", ["SGD", "Adam", "AdamW", "RMSprop", "Adagrad"])
def test_optimisers_step_as_pytorchs(name):
    torch = pytest.importorskip("torch")

    def after(m, tensor):
        z = tensor(Z, requires_grad=True)
        optimizer = getattr(m.optim, name)([z], lr=0.1)
        for _ in range(4):
            optimizer.zero_grad()
            (abs(z - (1 + 1j)) ** 3).sum().backward()
            optimizer.step()
        return z.detach().numpy()

    np.testing.assert_allclose(after(sg, sg.tensor), after(torch, torch.tensor), rtol=1e-12)


def test_minimisers_find_complex_points():
    def loss(z):
        return (abs(z - (1 + 1j)) ** 2).sum()

    np.testing.assert_allclose(sg.optim.minimize(loss, Z).x, [1 + 1j, 1 + 1j], atol=1e-6)
    found = sg.optim.minimize(lambda p: loss(p["a"]) + (p["b"] - 2) ** 2, {"a": 0j, "b": 0.0}).x
    assert found["a"] == pytest.approx(1 + 1j, abs=1e-6)
    assert found["b"] == pytest.approx(2, abs=1e-6)
    z = sg.tensor(Z, requires_grad=True)
    optimizer = sg.optim.LBFGS([z])

    def closure():
        optimizer.zero_grad()
        value = loss(z)
        value.backward()
        return value

    optimizer.step(closure)
    np.testing.assert_allclose(z.detach().numpy(), [1 + 1j, 1 + 1j], atol=1e-6)
    with pytest.raises(TypeError, match="Expected real numbers"):
        sg.optim.minimize(lambda z: (z * z).sum(), Z)


def test_random_numbers_have_two_parts():
    sg.manual_seed(0)
    z = sg.randn(20000, dtype=sg.complex64)
    assert z.dtype == sg.complex64
    for spread in (z.real.var(), z.imag.var(), sg.randn_like(z).imag.var(), sg.empty_like(z).normal_().imag.var()):
        assert spread.item() == pytest.approx(0.5, abs=0.02)
    assert sg.rand(1000, dtype=sg.complex128).imag.mean().item() == pytest.approx(0.5, abs=0.05)
    u = sg.empty_like(z).uniform_(-1, 3)
    for part in (u.real, u.imag):
        assert part.mean().item() == pytest.approx(1, abs=0.05)
        assert part.min().item() >= -1
        assert part.max().item() < 3
    with pytest.raises(TypeError, match="not implemented for complex"):
        sg.empty_like(z).bernoulli_(0.5)


def test_what_is_filled_with_complex_numbers_is_complex():
    assert sg.full((2,), 1j).tolist() == [1j, 1j]
    assert sg.linspace(0, 2j, 3).tolist() == [0, 1j, 2j]
    assert sg.tensor(Z).cfloat().dtype == sg.complex64
    assert sg.tensor([1.0]).cdouble().dtype == sg.complex128


def test_complex_tensors_are_saved_and_pickled():
    z, file = sg.tensor(Z, requires_grad=True), io.BytesIO()
    sg.save({"z": z}, file)
    file.seek(0)
    for again in (sg.load(file)["z"], pickle.loads(pickle.dumps(z))):
        assert again.requires_grad
        assert again.tolist() == z.tolist()
