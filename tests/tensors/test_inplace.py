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
    "arccosh": (), "arctan2": (2.0,), "clamp_max": (0.3,), "clamp_min": (0.3,), "divide": (3.0,), "float_power": (2.0,),
    "true_divide": (3.0,), "multiply": (3.0,), "subtract": (3.0,), "xlogy": (2.0,), "heaviside": ([[0.5, 0.5]],),
    "ldexp": ([1, 2],), "mvlgamma": (1,), "polygamma": (1,), "renorm": (2, 0, 0.5), "put": ([0, 3], [9.0, 8.0]),
    "index_copy": (0, [1], [[9.0, 8.0]]), "index_fill": (0, [1], 7.0), "index_put": (([0, 1], [1, 1]), [9.0, 8.0]),
    "index_reduce": (0, [1, 1], X, "prod"), "scatter_reduce": (0, [[0, 1]], [[9.0, 8.0]], "sum"),
    "masked_scatter": ([[True, False], [False, True]], X), "addr": ([1.0, 2.0], [3.0, 4.0]),
    "addbmm": ([X, X], [X, X]), "transpose": (0, 1),
    "swapaxes": (0, 1), "swapdims": (0, 1), "unsqueeze": (1,), "logical_not": (), "logical_and": (X,),
    "logical_or": (X,), "logical_xor": (X,),
} | dict.fromkeys(
    ("eq", "ne", "not_equal", "ge", "gt", "greater", "greater_equal", "le", "less", "less_equal", "lt"), (0.5,)
)  # fmt: skip
APART = {
    "add", "addmv", "baddbmm", "bitwise_and", "bitwise_left_shift", "bitwise_not", "bitwise_or", "bitwise_right_shift",
    "bitwise_xor", "copy", "detach", "div", "fill", "gcd", "lcm", "mul", "requires_grad", "sub", "zero",
}  # fmt: skip  # tested elsewhere
RANDOM = {"bernoulli", "cauchy", "exponential", "geometric", "log_normal", "normal", "random", "uniform"}
IN_PLACE = {n[:-1] for n in dir(sg.Tensor) if n.endswith("_") and not n.startswith("_")}
NAMES = sorted(IN_PLACE - APART - RANDOM)


def tensors(args):
    return [tensors(a) if isinstance(a, tuple) else sg.tensor(a) if isinstance(a, list) else a for a in args]


@pytest.mark.parametrize("name", NAMES)
def test_a_method_in_place_rebinds_to_what_the_method_returns(name):
    shift = 1.0 if name in ("acosh", "arccosh") else 0.0
    leaf = sg.tensor(X, requires_grad=True)
    args = tensors(OTHERS.get(name, ()))
    x = leaf + shift
    expected = getattr(leaf + shift, name)(*args)
    assert getattr(x, name + "_")(*args) is x
    np.testing.assert_array_equal(x.detach().numpy(), expected.detach().numpy().astype(float))
    if not expected.requires_grad:  # a boolean
        return
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


def test_integers_and_stacks_change_in_place():
    n, m = np.array([5, 6, 12]), np.array([3, 10, 6])
    for name, expected in {
        "bitwise_and": n & m, "bitwise_or": n | m, "bitwise_xor": n ^ m, "bitwise_left_shift": n << m,
        "bitwise_right_shift": n >> m, "gcd": np.gcd(n, m), "lcm": np.lcm(n, m),
    }.items():  # fmt: skip
        x = sg.tensor(n)
        getattr(x, name + "_")(sg.tensor(m))
        np.testing.assert_array_equal(x.numpy(), expected)
    x = sg.tensor(n)
    np.testing.assert_array_equal(x.bitwise_not_().numpy(), ~n)
    np.testing.assert_array_equal(sg.tensor([1.0, 2.0]).addmv_(sg.tensor(X), sg.tensor([3.0, 4.0])), [3.75, 4.75])
    stack = sg.tensor([X, X])
    np.testing.assert_array_equal(stack.baddbmm_(stack, stack).numpy(), np.array([X, X]) + np.array([X, X]) @ X)


def test_a_shape_changes_in_place_of_leaves_without_recording_and_not_of_views():
    w = sg.tensor([[1.0, 2.0, 3.0]], requires_grad=True)
    with pytest.raises(RuntimeError, match="leaf Variable"):
        w.t_()
    with sg.no_grad():
        w.t_()
    assert (w.shape, w.requires_grad, w.is_leaf) == ((3, 1), True, True)
    base = sg.tensor([[1.0, 2.0], [3.0, 4.0]])
    row = base[0]
    with pytest.raises(RuntimeError, match=r"unsqueeze_: this tensor is a view.* Write x = x\.unsqueeze"):
        row.unsqueeze_(0)


def test_functions_that_write_to_their_tensor():
    x = sg.tensor([-1.0, 4.0])
    assert sg.sqrt_(sg.relu_(x)) is x
    assert x.tolist() == [0.0, 2.0]
    sg.clamp_(x, 0.5, 1.0)
    assert x.tolist() == [0.5, 1.0]
    y = sg.nn.functional.leaky_relu_(sg.tensor([-1.0, 4.0]), 0.5)
    assert y.tolist() == [-0.5, 4.0]
    root = sg.tensor([-1.0, 4.0], requires_grad=True)
    sg.nn.functional.elu_(2 * root).sum().backward()
    np.testing.assert_allclose(root.grad, [2 * np.exp(-2.0), 2.0])
    for function in (sg.sin_, sg.nn.functional.relu_):
        with pytest.raises(TypeError, match="writes to it"):
            function(3.0)
    with pytest.raises(AttributeError):
        getattr(sg, "unknown_")  # noqa: B009
