"""Methods that work in place do what the methods of the same name do."""

import numpy as np
import pytest

import symgrad as sg

X = [[0.25, 0.5], [0.75, 0.125]]
OTHERS = {
    "atan2": (2.0,), "copysign": (-2.0,), "floor_divide": (0.3,), "fmod": (0.3,), "hypot": (1.0,), "remainder": (0.3,),
    "lerp": (2.0, 0.25), "addcmul": (2.0, 3.0), "addcdiv": (2.0, 4.0), "addmm": (X, X), "cumsum": (0,), "cumprod": (1,),
    "masked_fill": ([[True, False], [False, True]], 9.0), "index_add": (0, [1, 1], X), "scatter": (1, [[0], [1]], 5.0),
    "scatter_add": (1, [[0], [1]], [[5.0], [6.0]]), "clamp": (0.2, 0.6), "clip": (0.2, 0.6), "pow": (3,), "acosh": (),
}  # fmt: skip
APART = {"detach", "requires_grad", "zero", "fill", "copy", "add", "sub", "mul", "div"}  # tested beside their operators
RANDOM = {"bernoulli", "exponential", "normal", "random", "uniform"}
IN_PLACE = {n[:-1] for n in dir(sg.Tensor) if n.endswith("_") and not n.startswith("_")}
NAMES = sorted(IN_PLACE - APART - RANDOM)


def tensors(args):
    return [sg.tensor(a) if isinstance(a, list) else a for a in args]


@pytest.mark.parametrize("name", NAMES)
def test_a_method_in_place_rebinds_to_what_the_method_returns(name):
    shift = 1.0 if name == "acosh" else 0.0
    leaf = sg.tensor(X, requires_grad=True)
    args = tensors(OTHERS.get(name, ()))
    x = leaf + shift
    expected = getattr(leaf + shift, name)(*args)
    assert getattr(x, name + "_")(*args) is x
    np.testing.assert_array_equal(x.detach().numpy(), expected.detach().numpy())
    found, wanted = (sg.autograd.grad((y * y).sum(), leaf)[0] for y in (x, expected))
    np.testing.assert_array_equal(found.numpy(), wanted.numpy())


@pytest.mark.parametrize("name", ["abs", "index_add", "masked_fill"])
def test_a_leaf_is_not_changed_in_place(name):
    x = sg.tensor(X, requires_grad=True)
    with pytest.raises(sg.errors.GraphError, match="a leaf Variable that requires grad"):
        getattr(x, name + "_")(*tensors(OTHERS.get(name, ())))
    with sg.no_grad():
        getattr(x, name + "_")(*tensors(OTHERS.get(name, ())))
    assert x.is_leaf
    assert x.requires_grad


def test_a_result_of_another_shape_is_refused():
    with pytest.raises(sg.errors.ShapeError, match="doesn't match the broadcast shape"):
        sg.ones(2).atan2_(sg.ones(3, 2))
