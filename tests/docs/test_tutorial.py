"""PyTorch's autograd tutorial and the basics of its notes, statement by statement, in symgrad and in torch alike.

Each test is written once, for a library L: what it says of symgrad it says of torch, where torch is installed.
"""

import importlib
import math
import re

import numpy as np
import pytest

ENDS_HERE = "does not require grad and does not have a grad_fn"
TWICE = "Trying to backward through the graph a second time"
NOT_SCALAR = "grad can be implicitly created only for scalar outputs"


@pytest.fixture(params=["symgrad", "torch"])
def L(request):
    if request.param == "symgrad":
        yield importlib.import_module("symgrad")
        return
    torch = pytest.importorskip("torch", reason="PyTorch is not installed (pip install --group peers)")
    before = torch.get_default_dtype()
    torch.set_default_dtype(torch.float64)  # as symgrad's
    yield torch
    torch.set_default_dtype(before)


def layer(L):
    """The tutorial's layer with fixed numbers: x, y, w, b."""
    w = L.tensor([[0.1, -0.2, 0.3]] * 5, requires_grad=True)
    b = L.tensor([0.5, 0.0, -0.5], requires_grad=True)
    return L.ones(5), L.zeros(3), w, b


def loss_of(L, x, y, w, b):
    return L.nn.functional.binary_cross_entropy_with_logits(L.matmul(x, w) + b, y)


def sigmoid(*zs):
    return [1 / (1 + math.exp(-z)) for z in zs]


def nodes_behind(fn):
    """The functions that the graph is made of, from the last to the first."""
    found, ahead = [], [fn]
    while ahead:
        fn = ahead.pop()
        found.append(fn)
        ahead += [f for f, _ in fn.next_functions if f is not None]
    return found


# ------------------------------------------------------------------ tensors
MADE = {
    "ones": (lambda L: L.ones(5), [1.0] * 5),
    "zeros": (lambda L: L.zeros(3), [0.0] * 3),
    "ones of two sizes": (lambda L: L.ones(2, 3), [[1.0] * 3] * 2),
    "zeros of a tuple": (lambda L: L.zeros((2, 1)), [[0.0], [0.0]]),
    "ones_like": (lambda L: L.ones_like(L.zeros(2, 2)), [[1.0, 1.0], [1.0, 1.0]]),
    "ones_like of integers": (lambda L: L.ones_like(L.tensor([3, 4])), [1, 1]),
    "zeros_like": (lambda L: L.zeros_like(L.ones(2)), [0.0, 0.0]),
    "oblong eye": (lambda L: L.eye(2, 3), [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0]]),
    "square eye": (lambda L: L.eye(2), [[1.0, 0.0], [0.0, 1.0]]),
    "nested lists": (lambda L: L.tensor([[1, 2], [3, 4]]), [[1, 2], [3, 4]]),
    "a number": (lambda L: L.tensor(3.5), 3.5),
    "an array": (lambda L: L.from_numpy(np.array([1.5, 2.5])), [1.5, 2.5]),
    "full": (lambda L: L.full((2,), 7.0), [7.0, 7.0]),
    "arange": (lambda L: L.arange(3), [0, 1, 2]),
}


@pytest.mark.parametrize("name", MADE)
def test_a_tensor_is_made_with_these_entries(L, name):
    make, expected = MADE[name]
    t = make(L)
    assert t.tolist() == expected
    assert tuple(t.shape) == np.shape(expected)
    assert t.dtype == (L.int64 if np.asarray(expected).dtype.kind == "i" else L.float64)
    assert t.is_leaf
    assert not t.requires_grad


@pytest.mark.parametrize("draw", ["rand", "randn"])
def test_random_tensors_have_the_size_asked_for_and_repeat_after_a_seed(L, draw):
    L.manual_seed(0)
    first, second = getattr(L, draw)(40, 3), getattr(L, draw)(40, 3)
    L.manual_seed(0)
    assert getattr(L, draw)(40, 3).tolist() == first.tolist() != second.tolist()
    assert tuple(first.shape) == (40, 3)
    numbers = first.numpy()
    if draw == "rand":
        assert 0 <= numbers.min() < 0.2
        assert 0.8 < numbers.max() < 1
    else:
        assert abs(numbers.mean()) < 0.5
        assert 0.7 < numbers.std() < 1.3


def test_like_functions_take_size_and_dtype_but_not_requires_grad(L):
    w = L.ones(2, 3, dtype=L.float32, requires_grad=True)
    for like in (L.ones_like, L.zeros_like, L.rand_like, L.randn_like):
        assert (tuple(like(w).shape), like(w).dtype, like(w).requires_grad) == ((2, 3), L.float32, False)


def test_the_tensor_tutorial(L):
    t = L.ones(4, 4)
    assert t[0].tolist() == t[:, 0].tolist() == t[..., -1].tolist() == [1.0] * 4
    t[:, 1] = 0
    assert t.tolist() == [[1.0, 0.0, 1.0, 1.0]] * 4
    assert tuple(L.cat([t, t, t], dim=1).shape) == (4, 12)
    assert (t @ t.T).tolist() == t.matmul(t.T).tolist() == [[3.0] * 4] * 4
    assert (t * t).tolist() == t.mul(t).tolist() == t.tolist()
    assert t.sum().item() == 12.0
    assert t.add_(5) is t
    assert t.tolist() == [[6.0, 5.0, 6.0, 6.0]] * 4


def test_tensors_print_with_their_role_in_the_graph(L):
    x, y, w, b = layer(L)
    assert repr(x) == "tensor([1., 1., 1., 1., 1.])"
    assert repr(b) == "tensor([ 0.5000,  0.0000, -0.5000], requires_grad=True)"
    assert repr(L.matmul(x, w) + b) == "tensor([ 1., -1.,  1.], grad_fn=<AddBackward0>)"
    assert repr(loss_of(L, x, y, w, b)) == "tensor(0.9799, grad_fn=<BinaryCrossEntropyWithLogitsBackward0>)"


# ------------------------------------------------------------------ the graph
def test_requires_grad_can_be_set_when_made_or_later(L):
    w, b = L.randn(5, 3, requires_grad=True), L.randn(3)
    assert (w.requires_grad, b.requires_grad) == (True, False)
    assert b.requires_grad_() is b
    assert b.requires_grad
    b.requires_grad = False
    assert not b.requires_grad
    assert not w.requires_grad_(False).requires_grad


def test_a_vector_times_a_matrix_plus_a_vector_is_a_vector(L):
    x, _, w, b = layer(L)
    z = L.matmul(x, w) + b
    assert tuple(z.shape) == (3,)
    np.testing.assert_allclose(z.tolist(), [1.0, -1.0, 1.0])


def test_functions_of_the_graph_print_as_objects_of_their_kind(L):
    x, y, w, b = layer(L)
    z, loss = L.matmul(x, w) + b, loss_of(L, x, y, w, b)
    assert re.fullmatch(r"<AddBackward0 object at 0x[0-9a-f]+>", str(z.grad_fn))
    assert re.fullmatch(r"<BinaryCrossEntropyWithLogitsBackward0 object at 0x[0-9a-f]+>", repr(loss.grad_fn))
    assert loss.grad_fn.name() == "BinaryCrossEntropyWithLogitsBackward0"
    assert z.grad_fn.name() == "AddBackward0"


def test_leaves_have_no_grad_fn(L):
    x, _, w, b = layer(L)
    assert [t.grad_fn for t in (x, w, b, x * 2)] == [None] * 4


NAMES = {
    "AddBackward0": lambda x: x + x,
    "SubBackward0": lambda x: x - x,
    "MulBackward0": lambda x: x * 2,
    "DivBackward0": lambda x: x / 2,
    "PowBackward0": lambda x: x**2,
    "NegBackward0": lambda x: -x,
    "ExpBackward0": lambda x: x.exp(),
    "SumBackward0": lambda x: x.sum(),
    "MeanBackward0": lambda x: x.mean(),
    "TBackward0": lambda x: x.t(),
    "MmBackward0": lambda x: x @ x,
    "MvBackward0": lambda x: x @ x.detach()[0],
    "SelectBackward0": lambda x: x[0],
    "SigmoidBackward0": lambda x: x.sigmoid(),
    "ReluBackward0": lambda x: x.relu(),
    "CloneBackward0": lambda x: x.clone(),
}


@pytest.mark.parametrize("name", NAMES)
def test_functions_of_the_graph_are_named_after_the_operation(L, name):
    assert NAMES[name](L.ones(2, 2, requires_grad=True)).grad_fn.name() == name


def test_next_functions_lead_to_every_parameter_and_to_no_data(L):
    x, y, w, b = layer(L)
    loss = loss_of(L, x, y, w, b)
    assert loss.grad_fn.next_functions[0][0].name() == "AddBackward0"
    assert all(number == 0 for fn in nodes_behind(loss.grad_fn) for _, number in fn.next_functions)
    ends = [fn for fn in nodes_behind(loss.grad_fn) if not fn.next_functions]
    assert [str(fn).split()[0] for fn in ends] == ["<AccumulateGrad"] * 2


def test_data_has_no_function_among_the_next_ones(L):
    product = L.ones(2) * L.ones(2, requires_grad=True)
    assert product.grad_fn.next_functions[0] == (None, 0)
    assert product.grad_fn.next_functions[1][0] is not None


# ------------------------------------------------------------------ gradients
def test_backward_of_the_loss_fills_the_gradients_of_the_parameters(L):
    x, y, w, b = layer(L)
    assert loss_of(L, x, y, w, b).backward() is None
    expected = np.divide(sigmoid(1, -1, 1), 3)
    np.testing.assert_allclose(b.grad.tolist(), expected, rtol=1e-12)
    np.testing.assert_allclose(w.grad.tolist(), [expected] * 5, rtol=1e-12)
    assert repr(b.grad) == "tensor([0.2437, 0.0896, 0.2437])"
    assert not w.grad.requires_grad
    assert w.grad.is_leaf


def test_only_leaves_that_require_grad_have_one_after_backward(L):
    x, y, w, b = layer(L)
    frozen = L.ones(3)
    loss_of(L, x, y, w, b * frozen).backward()
    assert (x.grad, y.grad, frozen.grad) == (None, None, None)
    assert w.grad is not None
    assert b.grad is not None


def test_the_grad_of_a_result_is_none_with_a_warning_unless_it_is_retained(L):
    x, _, w, b = layer(L)
    z, kept = L.matmul(x, w), L.matmul(x, w) + b
    kept.retain_grad()
    (z.sum() + kept.sum()).backward()
    with pytest.warns(UserWarning, match=r"The \.grad attribute of a Tensor that is not a leaf Tensor is being"):
        assert z.grad is None
    assert kept.grad.tolist() == [1.0, 1.0, 1.0]
    assert [t.retains_grad for t in (z, kept, w)] == [False, True, False]


def test_retain_grad_sees_the_sum_over_all_uses(L):
    w = L.tensor([1.0, 2.0], requires_grad=True)
    z = w * 3
    z.retain_grad()
    (z * z + z).sum().backward()
    assert z.grad.tolist() == [7.0, 13.0]
    assert w.grad.tolist() == [21.0, 39.0]


@pytest.mark.parametrize("create_graph", [False, True])
@pytest.mark.filterwarnings("ignore:Using backward")
def test_every_gradient_is_a_tensor_of_its_own(L, create_graph):
    a, b, g = L.tensor([1.0], requires_grad=True), L.tensor([2.0], requires_grad=True), L.tensor([1.0])
    (a + b).backward(g, create_graph=create_graph)
    a.grad.mul_(5)
    assert (a.grad.tolist(), b.grad.tolist(), g.tolist()) == ([5.0], [1.0], [1.0])


@pytest.mark.parametrize("create_graph", [False, True])
def test_retained_gradients_are_added_to_wherever_a_sweep_passes(L, create_graph):
    w = L.tensor([1.0, 2.0], requires_grad=True)
    z = w * w
    z.retain_grad()
    y = (z * z).sum()
    L.autograd.grad(y, w, retain_graph=True, create_graph=create_graph)
    assert z.grad.tolist() == [2.0, 8.0]
    L.autograd.grad(y, z, retain_graph=True, create_graph=create_graph)
    assert z.grad.tolist() == [4.0, 16.0]
    y.backward(inputs=[w])
    assert z.grad.tolist() == [6.0, 24.0]
    assert w.grad.tolist() == [4.0, 32.0]


def test_gradients_add_up_over_calls_until_they_are_reset(L):
    w = L.tensor([1.0, 2.0], requires_grad=True)
    for expected in ([2.0, 4.0], [4.0, 8.0], [6.0, 12.0]):
        (w * w).sum().backward()
        assert w.grad.tolist() == expected
    assert w.grad.zero_().tolist() == [0.0, 0.0]
    (w * w).sum().backward()
    assert w.grad.tolist() == [2.0, 4.0]
    w.grad = None
    (w * w).sum().backward()
    assert w.grad.tolist() == [2.0, 4.0]


def test_a_second_backward_is_refused_and_adds_nothing(L):
    w = L.tensor([1.0, 2.0], requires_grad=True)
    loss = w.exp().sum()
    loss.backward()
    before = w.grad.tolist()
    with pytest.raises(RuntimeError, match=TWICE):
        loss.backward()
    assert w.grad.tolist() == before


def test_a_second_backward_works_where_the_first_retains_the_graph(L):
    x, y, w, b = layer(L)
    loss = loss_of(L, x, y, w, b)
    loss.backward(retain_graph=True)
    once = np.array(b.grad.tolist())
    loss.backward()
    np.testing.assert_allclose(b.grad.tolist(), 2 * once)
    with pytest.raises(RuntimeError, match=TWICE):
        loss.backward()


def test_vector_jacobian_products_of_the_tutorial(L):
    inp = L.eye(4, 5, requires_grad=True)
    out = (inp + 1).pow(2).t()
    once = (2 * (np.eye(4, 5) + 1)).tolist()
    out.backward(L.ones_like(out), retain_graph=True)
    assert inp.grad.tolist() == once
    out.backward(L.ones_like(out), retain_graph=True)
    assert inp.grad.tolist() == (2 * np.array(once)).tolist()
    inp.grad.zero_()
    out.backward(L.ones_like(out), retain_graph=True)
    assert inp.grad.tolist() == once
    assert repr(inp.grad[0]) == "tensor([4., 2., 2., 2., 2.])"


def test_backward_of_an_array_needs_a_vector_and_weighs_with_it(L):
    w = L.tensor([1.0, 2.0, 3.0], requires_grad=True)
    y = w**2
    with pytest.raises(RuntimeError, match=NOT_SCALAR):
        y.backward()
    assert w.grad is None
    y.backward(L.tensor([1.0, 0.1, -1.0]))
    np.testing.assert_allclose(w.grad.tolist(), [2.0, 0.4, -6.0])


def test_one_element_needs_no_vector_whatever_its_axes(L):
    w = L.tensor([[2.0]], requires_grad=True)
    (w**3).backward()
    assert w.grad.tolist() == [[12.0]]


def test_the_gentle_introduction(L):
    a, b = L.tensor([2.0, 3.0], requires_grad=True), L.tensor([6.0, 4.0], requires_grad=True)
    q = 3 * a**3 - b**2
    q.backward(gradient=L.tensor([1.0, 1.0]))
    assert a.grad.tolist() == [36.0, 81.0]
    assert b.grad.tolist() == [-12.0, -8.0]


def test_backward_of_chosen_inputs_leaves_the_others_alone(L):
    a, b = L.tensor(2.0, requires_grad=True), L.tensor(3.0, requires_grad=True)
    (a * b).backward(inputs=[a])
    assert a.grad.item() == 3.0
    assert b.grad is None


def test_autograd_grad_returns_gradients_and_stores_none(L):
    a, b = L.tensor(2.0, requires_grad=True), L.tensor(3.0, requires_grad=True)
    assert [g.item() for g in L.autograd.grad(a * a * b, [a, b])] == [12.0, 4.0]
    assert a.grad is None
    assert b.grad is None


def test_the_gradient_of_a_gradient(L):
    x = L.tensor(2.0, requires_grad=True)
    (first,) = L.autograd.grad(x**3, x, create_graph=True)
    (second,) = L.autograd.grad(first, x, create_graph=True)
    (third,) = L.autograd.grad(second, x)
    assert [first.item(), second.item(), third.item()] == [12.0, 12.0, 6.0]


# ------------------------------------------------------------------ without gradients
def test_a_result_requires_grad_if_an_input_does(L):
    x, y, z = L.rand(5, 5), L.rand(5, 5), L.rand(5, 5, requires_grad=True)
    assert [(x + y).requires_grad, (x + z).requires_grad, (z > x).requires_grad] == [False, True, False]


LEAVES = {
    "data": (lambda L: L.rand(10), True),
    "parameter": (lambda L: L.rand(10, requires_grad=True), True),
    "result of data": (lambda L: L.rand(10) + 2, True),
    "result of a parameter": (lambda L: L.rand(10, requires_grad=True) + 2, False),
    "result that requires grad afterwards": (lambda L: (L.rand(10) + 2).requires_grad_(), True),
    "detached result": (lambda L: (L.rand(10, requires_grad=True) + 2).detach(), True),
    "integers": (lambda L: L.arange(3), True),
}


@pytest.mark.parametrize("name", LEAVES)
def test_a_leaf_is_what_no_recorded_operation_made(L, name):
    make, expected = LEAVES[name]
    assert make(L).is_leaf is expected


# the context, and whether a result computed in it requires grad
MODES = {
    "no_grad": (lambda L: L.no_grad(), False),
    "enable_grad": (lambda L: L.enable_grad(), True),
    "set_grad_enabled(False)": (lambda L: L.set_grad_enabled(False), False),
    "set_grad_enabled(True)": (lambda L: L.set_grad_enabled(True), True),
    "inference_mode": (lambda L: L.inference_mode(), False),
    "inference_mode(False)": (lambda L: L.inference_mode(False), True),
}


@pytest.mark.parametrize("name", MODES)
def test_a_mode_holds_inside_its_block(L, name):
    make, records = MODES[name]
    w = L.ones(2, requires_grad=True)
    with make(L):
        assert (w * 2).requires_grad is records
        assert L.is_grad_enabled() is records
        assert L.is_inference_mode_enabled() is (name == "inference_mode")
    assert (w * 2).requires_grad
    assert not L.is_inference_mode_enabled()


@pytest.mark.parametrize("name", MODES)
def test_a_mode_decorates_a_function(L, name):
    make, records = MODES[name]

    @make(L)
    def double(w):
        """Return 2 w."""
        return w * 2

    w = L.ones(2, requires_grad=True)
    assert [double(w).requires_grad for _ in range(2)] == [records] * 2
    assert L.is_grad_enabled()
    assert (double.__name__, double.__doc__) == ("double", "Return 2 w.")


@pytest.mark.parametrize("name", ["no_grad", "enable_grad", "inference_mode"])
def test_a_mode_decorates_without_brackets(L, name):
    w = L.ones(2, requires_grad=True)
    assert getattr(L, name)(lambda: w * 2)().requires_grad is (name == "enable_grad")


def test_modes_nest_and_the_innermost_counts(L):
    w = L.ones(2, requires_grad=True)
    with L.no_grad():
        with L.enable_grad():
            inside = w * 2
            with L.set_grad_enabled(False):
                innermost = w * 2
            after = w * 2
        outside = w * 2
    assert [t.requires_grad for t in (inside, innermost, after, outside)] == [True, False, True, False]


def test_set_grad_enabled_is_a_statement_too(L):
    w = L.ones(2, requires_grad=True)
    try:
        L.set_grad_enabled(False)
        off = w * 2
    finally:
        L.set_grad_enabled(True)
    assert not off.requires_grad
    assert (w * 2).requires_grad


def test_tensors_made_under_no_grad_can_require_it(L):
    with L.no_grad():
        w = L.ones(2, requires_grad=True)
    (w * 3).sum().backward()
    assert w.grad.tolist() == [3.0, 3.0]


@pytest.mark.parametrize("mode", ["no_grad", "inference_mode"])
def test_backward_of_what_was_not_recorded_is_refused(L, mode):
    w = L.ones(2, requires_grad=True)
    with getattr(L, mode)():
        loss = w.sum()
    with pytest.raises(RuntimeError, match=ENDS_HERE):
        loss.backward()
    assert w.grad is None


def test_detach_keeps_the_value_and_ends_the_gradient(L):
    w = L.tensor([1.0, 2.0], requires_grad=True)
    z = w * w
    d = z.detach()
    assert d.tolist() == z.tolist()
    assert (d.requires_grad, d.is_leaf, d.grad_fn, z.requires_grad) == (False, True, None, True)
    (z.detach() * w).sum().backward()
    assert w.grad.tolist() == [1.0, 4.0]


def test_a_frozen_parameter_gets_no_gradient(L):
    x, y, w, b = layer(L)
    w.requires_grad = False
    loss_of(L, x, y, w, b).backward()
    assert w.grad is None
    np.testing.assert_allclose(b.grad.tolist(), np.divide(sigmoid(1, -1, 1), 3))


REFUSED = {
    "integers that require grad": (
        lambda L: L.tensor([1, 2], requires_grad=True),
        "Only Tensors of floating point",
    ),
    "in place on a parameter": (
        lambda L: L.ones(2, requires_grad=True).add_(1),
        "a leaf Variable that requires grad is being used in an in-place operation",
    ),
    "flag of a result": (
        lambda L: (L.ones(2, requires_grad=True) * 2).requires_grad_(False),
        "you can only change requires_grad flags of leaf variables",
    ),
    "backward of data": (lambda L: L.ones(2).sum().backward(), ENDS_HERE),
    "vector of another size": (
        lambda L: L.ones(2, requires_grad=True).backward(L.ones(3)),
        "Mismatch in shape: grad_output",
    ),
    "array of a parameter": (lambda L: L.ones(2, requires_grad=True).numpy(), "Can't call numpy.. on Tensor that"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_the_notes_forbid_is_refused(L, name):
    statement, text = REFUSED[name]
    with pytest.raises(RuntimeError, match=text):
        statement(L)


# ------------------------------------------------------------------ graphs are dynamic
def test_each_iteration_builds_a_graph_of_its_own_shapes(L):
    w = L.tensor([1.0, -1.0], requires_grad=True)
    for n in (1, 4, 2, 7):
        x = L.ones(n, 2) * n
        loss = (L.matmul(x, w) + 1).pow(2).sum()
        w.grad = None
        loss.backward()
        assert w.grad.tolist() == [2.0 * n * n] * 2


def test_python_decides_what_is_recorded(L):
    w = L.tensor(0.5, requires_grad=True)
    y, doublings = w, 0
    while y.item() < 10:
        y = y * 2 if y > 1 else y * 4
        doublings += 1
    y.backward()
    assert (y.item(), doublings, w.grad.item()) == (16.0, 4, 32.0)


def test_training_by_hand_updates_the_parameters_in_place(L):
    x, y, w, b = layer(L)
    before, losses = (w, b), []
    for _ in range(50):
        loss = loss_of(L, x, y, w, b)
        losses.append(loss.item())
        loss.backward()
        with L.no_grad():
            w -= 0.5 * w.grad
            b -= 0.5 * b.grad
        w.grad.zero_()
        b.grad.zero_()
    assert losses == sorted(losses, reverse=True)
    assert losses[-1] < 0.05
    assert w is before[0]
    assert b is before[1]
    assert [t.is_leaf and t.requires_grad for t in (w, b)] == [True, True]
