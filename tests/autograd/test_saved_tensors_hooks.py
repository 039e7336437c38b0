"""saved_tensors_hooks: what is saved goes through pack_hook, and comes back through unpack_hook."""

import numpy as np
import pytest

import symgrad as sg
from symgrad.autograd.graph import disable_saved_tensors_hooks, saved_tensors_hooks
from symgrad.errors import ArgumentTypeError, GraphError


class Squared(sg.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x * x

    @staticmethod
    def backward(ctx, g):
        (x,) = ctx.saved_tensors
        return 2 * x * g


@pytest.fixture
def x():
    return sg.tensor([1.0, 2.0], requires_grad=True)


def test_values_are_packed_once_and_unpacked_in_each_backward(x):
    log = []
    with saved_tensors_hooks(lambda t: log.append("pack") or t, lambda t: log.append("unpack") or t):
        y = x.exp()
    assert log == ["pack"]
    y.sum().backward(retain_graph=True)
    assert set(log[1:]) == {"unpack"}
    looks = len(log)
    y.sum().backward()
    assert set(log[looks:]) == {"unpack"}
    np.testing.assert_allclose(x.grad, 2 * np.exp([1.0, 2.0]))


@pytest.mark.parametrize("f", [lambda x: x * x, lambda x: Squared.apply(x), lambda x: x @ x, lambda x: x.sin() + x**2])
def test_derivatives_are_of_what_unpack_returns(x, f):
    with saved_tensors_hooks(lambda t: t.numpy().copy(), lambda a: sg.tensor(2 * a)):
        y = f(x).sum()
    (g,) = sg.autograd.grad(y, x)
    doubled = sg.tensor([2.0, 4.0], requires_grad=True)
    np.testing.assert_allclose(g, sg.autograd.grad(f(doubled).sum(), doubled)[0])


def test_second_derivatives_and_blocks_inside_blocks(x):
    with saved_tensors_hooks(lambda t: t, lambda t: 100 * t), saved_tensors_hooks(lambda t: t, lambda t: t):
        y = (x**3).sum()
    (g,) = sg.autograd.grad(y, x, create_graph=True)
    np.testing.assert_allclose(sg.autograd.grad(g.sum(), x)[0], [6.0, 12.0])
    y = (x**3).sum()  # outside of the blocks
    np.testing.assert_allclose(sg.autograd.grad(y, x)[0], [3.0, 12.0])


def test_what_is_no_tensor_and_hooks_that_are_disabled_are_refused(x):
    with saved_tensors_hooks(lambda t: t, lambda t: "no tensor"):
        y = x.exp().sum()
    with pytest.raises(ArgumentTypeError, match="expected to be a Tensor but got str"):
        y.backward()
    with disable_saved_tensors_hooks("not here"):
        with pytest.raises(GraphError, match="not here"), saved_tensors_hooks(lambda t: t, lambda t: t):
            pass
        x.exp().sum().backward()
    with (
        saved_tensors_hooks(lambda t: t, lambda t: t),
        pytest.raises(GraphError, match="in use"),
        disable_saved_tensors_hooks("in use"),
    ):
        pass


def test_anomaly_mode_and_hooks_are_on_together(x):
    with sg.autograd.set_detect_anomaly(True):
        with saved_tensors_hooks(lambda t: t, lambda t: t):
            y = x.exp().sum()
        y.backward()
    np.testing.assert_allclose(x.grad, np.exp([1.0, 2.0]))
