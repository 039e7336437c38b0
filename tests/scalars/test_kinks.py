"""The conventions at kinks, by every way to compute a gradient."""

import numpy as np
import pytest

import symgrad as sg

from cases import KINKS


@pytest.fixture(autouse=True)
def silence():
    with np.errstate(all="ignore"):  # NumPy warns of the infinities that are asked for here
        yield


def of_each(kinks):
    return pytest.mark.parametrize("kink", kinks, ids=str)


def agree(found, expected, kink):
    assert np.shape(found) == np.shape(expected)
    assert kink.is_close(found, expected), f"{found}, expected {expected}"


@of_each(KINKS)
def test_gradient_at_a_kink_is_the_one_in_the_table(kink):
    leaves = [sg.tensor(x, requires_grad=True) for x in kink.inputs]
    kink.f(sg, *leaves).sum().backward()
    for leaf, expected in zip(leaves, kink.gradients, strict=True):
        agree(np.zeros(leaf.shape) if leaf.grad is None else leaf.grad.numpy(), expected, kink)


@of_each(KINKS)
def test_forward_mode_takes_the_same_side(kink):
    points = [np.array(x) for x in kink.inputs]

    def total(*xs):
        return kink.f(sg, *xs).sum()

    for k, expected in enumerate(kink.gradients):
        agree(sg.func.jacfwd(total, k)(*map(sg.as_tensor, points)).numpy(), expected, kink)


@of_each(KINKS)
def test_lambdified_closed_form_takes_the_same_side(kink):
    leaves = [sg.tensor(x, requires_grad=True) for x in kink.inputs]
    loss = kink.f(sg, *leaves).sum()
    for leaf, expected in zip(leaves, kink.gradients, strict=True):
        agree(sg.derive(loss, leaf).lambdify()(), expected, kink)


@of_each(KINKS)
def test_recorded_gradient_takes_the_same_side(kink):
    leaves = [sg.tensor(x, requires_grad=True) for x in kink.inputs]
    found = sg.autograd.grad(kink.f(sg, *leaves).sum(), leaves, create_graph=True, allow_unused=True)
    for g, leaf, expected in zip(found, leaves, kink.gradients, strict=True):
        agree(np.zeros(leaf.shape) if g is None else g.detach().numpy(), expected, kink)


def fits_single(kink):
    """Whether the inputs are numbers of single precision."""
    with np.errstate(over="ignore"):
        return all((np.float32(x) == np.asarray(x)).all() for x in kink.inputs)


@of_each([kink for kink in KINKS if fits_single(kink)])
def test_single_precision_takes_the_same_side(kink):
    leaves = [sg.tensor(np.array(x, np.float32), requires_grad=True) for x in kink.inputs]
    kink.f(sg, *leaves).sum().backward()
    for leaf, expected in zip(leaves, kink.gradients, strict=True):
        assert leaf.grad.dtype == np.float32
        rtol = max(1e-6, kink.rtol)
        np.testing.assert_allclose(leaf.grad.numpy(), np.asarray(expected, np.float32), rtol=rtol, atol=1e-30)
