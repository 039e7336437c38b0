"""Transforms of complex functions: holomorphic derivatives, Jacobians, forward mode, vmap, checks of gradients."""

import numpy as np
import pytest

import symgrad as sg

Z = np.array([1.0 + 2.0j, 3.0 - 1.0j])


def cube(z):
    return z**3


@pytest.mark.parametrize("jacobian", [sg.jacrev, sg.jacfwd, sg.jacobian])
def test_a_holomorphic_jacobian_has_the_plain_derivatives(jacobian):
    np.testing.assert_allclose(jacobian(cube, holomorphic=True)(Z), np.diag(3 * Z**2))


def test_holomorphic_derivatives_nest():
    slope = sg.grad(cube, holomorphic=True)
    assert slope(2j) == -12
    assert sg.grad(slope, holomorphic=True)(2j) == 12j
    assert sg.value_and_grad(cube, holomorphic=True)(2j) == (-8j, -12)
    hessian = sg.hessian(lambda z: (z**3).sum(), holomorphic=True)(Z)
    np.testing.assert_allclose(hessian, np.diag(6 * Z))


def test_holomorphic_derivatives_are_jaxs_and_gradients_their_conjugates():
    jax = pytest.importorskip("jax")
    jax.config.update("jax_enable_x64", True)

    def f(m, z):
        return m.exp(z) * m.sin(z) / (2 + z)

    ours = sg.vmap(sg.grad(lambda z: f(sg, z), holomorphic=True))(Z)
    theirs = jax.vmap(jax.grad(lambda z: f(jax.numpy, z), holomorphic=True))(Z)
    np.testing.assert_allclose(ours, np.asarray(theirs), rtol=1e-12)
    gradient = sg.grad(lambda z: (abs(f(sg, z)) ** 2).sum())(Z)
    conjugate = jax.grad(lambda z: (abs(f(jax.numpy, z)) ** 2).sum())(Z)
    np.testing.assert_allclose(gradient, np.conj(conjugate), rtol=1e-12)


def test_jacobians_take_the_mode_that_the_dtypes_allow():
    np.testing.assert_allclose(sg.jacobian(lambda z: abs(z) ** 2)(Z), np.diag(2 * Z))
    x = np.array([0.5, 2.0, 1.0])
    np.testing.assert_allclose(sg.jacobian(lambda x: sg.exp(1j * x))(x), np.diag(1j * np.exp(1j * x)))
    size = np.array([0.7, -1.2, 2.5])
    np.testing.assert_allclose(sg.jacobian(lambda z: abs(z[0]) ** 2 * size)(Z[:1]), 2 * size[:, None] * Z[:1])
    np.testing.assert_allclose(sg.jacobian(lambda x: sg.exp(1j * x).sum())(x), 1j * np.exp(1j * x))
    for jacobian, f, at in (
        (sg.jacfwd, lambda z: abs(z[0]) ** 2 * size, Z[:1]), (sg.jacrev, lambda x: sg.exp(1j * x).sum(), x)
    ):  # fmt: skip
        with pytest.raises(sg.errors.DTypeError, match="requires real-valued"):
            jacobian(f)(at)


@pytest.mark.parametrize(
    ("derivative", "point", "said"),
    [
        (sg.grad(cube), 1j, "grad requires real-valued outputs .* but got complex128"),
        (sg.jacrev(cube), Z, "jacrev requires real-valued outputs"),
        (sg.jacfwd(cube), Z, "jacfwd requires real-valued inputs"),
        (sg.hessian(lambda z: abs(z).sum()), Z, "hessian requires real-valued inputs"),
        (sg.grad(cube, holomorphic=True), 1.0, "grad with holomorphic=True requires inputs"),
        (sg.grad(abs, holomorphic=True), 1j, "grad with holomorphic=True requires outputs"),
    ],
)
def test_what_is_not_holomorphic_is_refused(derivative, point, said):
    with pytest.raises(TypeError, match=said):
        derivative(point)


def test_products_with_the_hessian_follow_pytorchs_convention():
    torch = pytest.importorskip("torch")

    def f(z):
        return (abs(z) ** 4).sum() + (z * z).real.sum()

    ours = sg.hvp(f, sg.tensor(Z), sg.tensor(1j * Z))
    theirs = torch.autograd.functional.hvp(f, torch.tensor(Z), torch.tensor(1j * Z))[1]
    np.testing.assert_allclose(ours.numpy(), theirs.numpy())


def test_vmap_goes_along_complex_arrays():
    stack = np.stack([np.eye(2) + 1j, 2 * np.eye(2) - 1j])
    np.testing.assert_allclose(sg.vmap(sg.linalg.inv)(stack), np.linalg.inv(stack))
    np.testing.assert_allclose(sg.vmap(sg.grad(lambda z: abs(z) ** 2))(Z), 2 * Z)


@pytest.mark.parametrize(
    "f", [lambda z: (abs(z) ** 2).sum(), lambda z: z.exp() * z.conj(), lambda z: sg.exp(1j * z.real), sg.angle]
)
def test_gradients_are_checked_in_both_parts(f):
    z = sg.tensor(Z, requires_grad=True)
    assert sg.autograd.gradcheck(f, z, check_forward_ad=True)
    assert sg.autograd.gradgradcheck(f, z)
    assert sg.testing.crosscheck(f, Z).ok


def test_checks_see_a_wrong_imaginary_part():
    @sg.custom_vjp
    def double(z):
        return 2 * z

    double.defvjp(lambda z: (2 * z, None), lambda rest, g: (2 * g.real + 2.1j * g.imag,))
    with pytest.raises(sg.autograd.GradcheckError):
        sg.autograd.gradcheck(double, sg.tensor(Z, requires_grad=True), check_symbolic=False)
    with pytest.raises(sg.errors.CrosscheckError):
        sg.testing.crosscheck(double, Z)
