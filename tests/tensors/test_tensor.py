"""The tensor as a value: never aliased, rebound in place, copied, seen by NumPy and by Python, given weird input."""

import copy
import operator
import pickle
import warnings

import numpy as np
import pytest

import symgrad as sg
from symgrad.forms.derive import expression
from symgrad.ops.shape import Reshape


def parameter(*numbers, **known):
    return sg.tensor(list(numbers), requires_grad=True, **known)


def gradient_of(f, *numbers):
    """The gradient of the sum of f(x) as a list."""
    x = parameter(*numbers)
    f(x).sum().backward()
    return x.grad.tolist()


# ------------------------------------------------------------------ values never alias
FROM_ARRAY = {
    "tensor": sg.tensor,
    "asarray": sg.asarray,
    "as_tensor": sg.as_tensor,
    "from_numpy": sg.from_numpy,
    "operand": lambda a: sg.zeros(3) + a,
    "saved factor": lambda a: sg.ones(3, requires_grad=True) * a,
    "full": lambda a: sg.full_like(a, 1.0),
}


@pytest.mark.parametrize("name", FROM_ARRAY)
def test_an_array_that_a_tensor_was_made_of_can_be_overwritten(name):
    a = np.ones(3)
    t = FROM_ARRAY[name](a)
    a[:] = 9
    assert t.tolist() == [1.0, 1.0, 1.0]


def test_an_array_that_was_saved_for_backward_can_be_overwritten():
    x, a = parameter(1.0, 2.0), np.array([3.0, 4.0])
    y = (x * a).sum() + (x @ a)
    a[:] = 0
    y.backward()
    assert x.grad.tolist() == [6.0, 8.0]


@pytest.mark.parametrize("to_array", [np.array, lambda x: x.numpy().copy(), lambda x: np.array(x, np.float32)])
def test_an_array_made_of_a_tensor_can_be_overwritten(to_array):
    x = sg.ones(3)
    to_array(x)[:] = 9
    assert x.tolist() == [1.0, 1.0, 1.0]


@pytest.mark.parametrize("to_array", [sg.Tensor.numpy, np.asarray, lambda x: x.detach().numpy()])
def test_an_array_that_pytorch_shares_with_the_tensor_is_read_only(to_array):
    with pytest.raises(ValueError, match="read-only"):
        to_array(sg.ones(3))[0] = 9


VIEWS = {
    "row": lambda x: x[0],
    "column": lambda x: x[:, 0],
    "slice": lambda x: x[:1],
    "everything": lambda x: x[...],
    "transposed": lambda x: x.T,
    "reshaped": lambda x: x.reshape(4),
    "viewed": lambda x: x.view(4),
    "flat": lambda x: x.flatten(),
    "permuted": lambda x: x.permute(1, 0),
    "longer": lambda x: x.unsqueeze(0),
    "expanded": lambda x: x.expand(3, 2, 2),
    "diagonal": lambda x: x.diagonal(),
    "part": lambda x: x.split(1)[0],
    "unbound": lambda x: x.unbind()[0],
    "detached": lambda x: x.detach(),
    "data": lambda x: x.data,
    "copy": copy.copy,
    "clone": lambda x: x.clone(),
    "NumPy's copy": lambda x: x.copy(),
    "NumPy's astype": lambda x: x.astype(np.float64),
}


@pytest.mark.parametrize("name", VIEWS)
def test_a_view_keeps_its_entries_when_its_base_changes(name):
    x = sg.ones(2, 2)
    view = VIEWS[name](x)
    x[:] = 5
    assert set(view.flatten().tolist()) == {1.0}


@pytest.mark.parametrize("name", ["copy", "clone", "NumPy's copy", "NumPy's astype"])
def test_a_copy_changes_alone(name):
    x = sg.ones(2, 2)
    copied = VIEWS[name](x)
    copied += 1
    assert x.tolist() == [[1.0, 1.0], [1.0, 1.0]]


def test_gradients_share_no_memory_with_each_other_or_with_the_cotangent():
    x, y, v = parameter(1.0, 2.0), parameter(1.0, 2.0), sg.tensor([3.0, 4.0])
    (x + y).backward(v)
    x.grad.zero_()
    assert y.grad.tolist() == v.tolist() == [3.0, 4.0]
    v.zero_()
    assert y.grad.tolist() == [3.0, 4.0]


def test_a_gradient_taken_before_does_not_change_with_the_next_backward():
    x = parameter(1.0, 2.0)
    (x * x).sum().backward()
    before = x.grad
    (x * x).sum().backward()
    assert before.tolist() == [2.0, 4.0]
    assert x.grad.tolist() == [4.0, 8.0]


# ------------------------------------------------------------------ statements in place rebind
def setitem(key, value):
    def statement(x):
        x[key] = value
        return x

    return statement


IN_PLACE = {  # statement -> [1, 4] afterwards
    "+=": (lambda x: operator.iadd(x, 1), [2.0, 5.0]),
    "-=": (lambda x: operator.isub(x, 1), [0.0, 3.0]),
    "*=": (lambda x: operator.imul(x, 2), [2.0, 8.0]),
    "/=": (lambda x: operator.itruediv(x, 2), [0.5, 2.0]),
    "%=": (lambda x: operator.imod(x, 3), [1.0, 1.0]),
    "//=": (lambda x: operator.ifloordiv(x, 3), [0.0, 1.0]),
    "**=": (lambda x: operator.ipow(x, 2), [1.0, 16.0]),
    "+= array": (lambda x: operator.iadd(x, np.array([1, 2])), [2.0, 6.0]),
    "*= tensor": (lambda x: operator.imul(x, sg.tensor(3.0)), [3.0, 12.0]),
    "x[0] =": (setitem(0, 7.0), [7.0, 4.0]),
    "x[-1] =": (setitem(-1, 7), [1.0, 7.0]),
    "x[:] =": (setitem(slice(None), 7.0), [7.0, 7.0]),
    "x[...] = array": (setitem(..., np.array([5.0, 6.0])), [5.0, 6.0]),
    "x[mask] =": (setitem(np.array([False, True]), 0.0), [1.0, 0.0]),
    "x[list] =": (setitem([1, 0], np.array([8.0, 9.0])), [9.0, 8.0]),
    "add_": (lambda x: x.add_(1, alpha=2), [3.0, 6.0]),
    "sub_": (lambda x: x.sub_(1), [0.0, 3.0]),
    "mul_": (lambda x: x.mul_(2), [2.0, 8.0]),
    "div_": (lambda x: x.div_(2), [0.5, 2.0]),
    "pow_": (lambda x: x.pow_(2), [1.0, 16.0]),
    "neg_": (lambda x: x.neg_(), [-1.0, -4.0]),
    "sqrt_": (lambda x: x.sqrt_(), [1.0, 2.0]),
    "relu_": (lambda x: x.relu_(), [1.0, 4.0]),
    "clamp_": (lambda x: x.clamp_(max=2), [1.0, 2.0]),
    "zero_": (lambda x: x.zero_(), [0.0, 0.0]),
    "fill_": (lambda x: x.fill_(3), [3.0, 3.0]),
    "copy_": (lambda x: x.copy_(sg.tensor(6)), [6.0, 6.0]),
}
every_statement = pytest.mark.parametrize("name", IN_PLACE)


@every_statement
def test_a_statement_in_place_changes_this_tensor_and_no_other(name):
    statement, after = IN_PLACE[name]
    x = sg.tensor([1.0, 4.0])
    same, other = x, x * 1
    assert statement(x) is x
    assert same.tolist() == after
    assert other.tolist() == [1.0, 4.0]


@every_statement
def test_a_statement_in_place_on_a_parameter_is_refused_while_recording(name):
    x = parameter(1.0, 4.0)
    with pytest.raises(RuntimeError, match="a leaf Variable that requires grad is being used in an in-place"):
        IN_PLACE[name][0](x)
    assert x.tolist() == [1.0, 4.0]


@every_statement
def test_a_statement_in_place_updates_a_parameter_under_no_grad(name):
    statement, after = IN_PLACE[name]
    x = parameter(1.0, 4.0, name="w")
    (x * x).sum().backward()
    with sg.no_grad():
        statement(x)
    assert (x.is_leaf, x.requires_grad, x.name) == (True, True, "w")
    assert x.tolist() == after
    assert x.grad.tolist() == [2.0, 8.0]
    (x * 3).sum().backward()
    assert x.grad.tolist() == [5.0, 11.0]


def assigned(x):
    y = sg.zeros(2)
    y[0] = x[1]
    y[1] = x[0] * x[1]
    return y * y


def in_its_own_terms(x):
    y = x * 2
    y[0] = y[1] * x[0]
    return y


def through_a_slice(x):
    y = x.clone()
    y[1:] += x[:-1]
    return y**2


def over_and_over(x):
    y = x.clone()
    for _ in range(3):
        y *= y
    return y


def added_twice(y):
    y[[0, 0]] += 1.5
    return y


# f, point, gradient of its sum
CHANGED = {
    "+=": (lambda x: operator.iadd(x * x, 1), (1.0, 2.0), [2.0, 4.0]),
    "*= by itself": (over_and_over, (1.0, 2.0), [8.0, 8 * 2.0**7]),
    "entries assigned": (assigned, (1.0, 2.0), [8.0, 8.0]),  # x1² + x0² x1²
    "entry of its own terms": (in_its_own_terms, (1.0, 2.0), [4.0, 4.0]),  # 2 x0 x1 + 2 x1
    "slice added to": (through_a_slice, (1.0, 2.0, 3.0), [8.0, 16.0, 10.0]),
    "entry overwritten": (lambda x: setitem(0, 5.0)(x * 3), (1.0, 2.0), [0.0, 3.0]),
    "entries masked": (lambda x: setitem(x.detach() > 1, 0.0)(x * 3), (1.0, 2.0), [3.0, 0.0]),
    "filled from an entry": (lambda x: (x * 2).fill_(x[0]), (1.0, 2.0), [2.0, 0.0]),
    "broadcast into": (lambda x: (x * 2).copy_(x[1]), (1.0, 2.0), [0.0, 2.0]),
    "zeroed": (lambda x: (x * 2).zero_() + x, (1.0, 2.0), [1.0, 1.0]),
    "place added to twice": (lambda x: added_twice(x * 1), (1.0, 2.0), [1.0, 1.0]),
    "place assigned twice": (lambda x: setitem([0, 0], x)(sg.ones(2)), (1.0, 2.0), [0.0, 1.0]),
    "zeroed and used": (lambda x: (x * 2).zero_(), (1.0, 2.0), [0.0, 0.0]),
    "filled": (lambda x: (x * 2).fill_(3.0), (1.0, 2.0), [0.0, 0.0]),
    "overwritten by a constant": (lambda x: (x * 2).copy_(sg.ones(2)), (1.0, 2.0), [0.0, 0.0]),
    "constant takes on a gradient": (lambda x: sg.ones(2).mul_(x).add_(1), (1.0, 2.0), [1.0, 1.0]),
}


@pytest.mark.parametrize("name", CHANGED)
def test_gradients_flow_through_statements_in_place(name):
    f, point, expected = CHANGED[name]
    assert gradient_of(f, *point) == expected


READ_BEFORE = {  # y is used, then changed: d(first use)/dy stays what it was
    "saved output": (lambda y: y.exp(), lambda y: y.add_(5), np.exp),
    "saved input": (lambda y: y.sin(), lambda y: y.zero_(), np.cos),
    "saved factor": (lambda y: y * y, setitem(0, 100.0), lambda y: 2 * y),
    "saved by a product": (lambda y: y @ y, lambda y: y.mul_(7), lambda y: 2 * y),
}


@pytest.mark.parametrize("name", READ_BEFORE)
def test_a_value_read_before_a_change_keeps_the_gradient_of_its_time(name):
    read, change, derivative = READ_BEFORE[name]
    x = parameter(0.5, 1.5)
    y = x * 1
    z = read(y).sum()
    change(y)
    z.backward()
    np.testing.assert_allclose(x.grad.numpy(), derivative(np.array([0.5, 1.5])), rtol=1e-14)


def test_a_result_changed_in_place_can_still_be_read_through_either_use():
    x = parameter(1.0, 2.0)
    y = x * x
    before = y * 3
    y += 1
    (before + y * y).sum().backward()  # 3 x² + (x² + 1)²
    assert x.grad.tolist() == [14.0, 52.0]


def test_a_parameter_updated_between_forward_and_backward_has_the_gradient_of_the_forward():
    x = parameter(1.0, 2.0)
    loss = (x * x).sum()
    with sg.no_grad():
        x *= 10
    loss.backward()
    assert x.grad.tolist() == [2.0, 4.0]
    x.data = sg.zeros(2)
    assert x.tolist() == [0.0, 0.0]
    assert x.grad.tolist() == [2.0, 4.0]


REFUSED = {
    "larger shape": (lambda x: x.add_(sg.ones(2, 2)), RuntimeError),
    "assignment of another size": (setitem(0, np.ones(3)), RuntimeError),
    "index outside": (setitem(5, 1.0), IndexError),
    "text assigned": (setitem(0, "a"), TypeError),
    "complex assigned": (setitem(0, 1j), TypeError),
    "text added": (lambda x: operator.iadd(x, "a"), TypeError),
}


@pytest.mark.parametrize("name", REFUSED)
def test_a_refused_statement_changes_nothing(name):
    statement, kind = REFUSED[name]
    x = sg.ones(3)
    with pytest.raises(kind):
        statement(x)
    assert x.tolist() == [1.0, 1.0, 1.0]


def test_a_statement_in_place_keeps_the_dtype():
    x = sg.ones(2, dtype=sg.float32)
    x += sg.ones(2)
    assert x.dtype == sg.float32
    n = sg.tensor([1, 2])
    n[0] = 2.7
    assert (n.tolist(), n.dtype) == ([2, 2], sg.int64)
    with pytest.raises(RuntimeError, match="result type Double can't be cast to the desired output type Long"):
        n /= 2


# ------------------------------------------------------------------ copying and pickling
def pickled(x):
    return pickle.loads(pickle.dumps(x))


TENSORS = {
    "number": lambda: sg.tensor(2.0),
    "vector": lambda: sg.tensor([1.0, 2.0]),
    "parameter": lambda: parameter(1.0, 2.0),
    "named": lambda: sg.ones(2, name="b"),
    "named parameter": lambda: sg.ones(2, 2, requires_grad=True, name="W"),
    "single precision": lambda: sg.ones(2, dtype=sg.float32, requires_grad=True),
    "single precision number": lambda: sg.tensor(2.0, dtype=sg.float32),
    "integers": lambda: sg.tensor([1, 2]),
    "booleans": lambda: sg.tensor([True, False]),
    "empty": lambda: sg.zeros(0, 3),
    "not a number": lambda: sg.tensor([np.nan, np.inf]),
}


@pytest.mark.parametrize("way", [pickled, copy.deepcopy, copy.copy])
@pytest.mark.parametrize("name", TENSORS)
def test_a_copy_is_a_tensor_of_its_own_with_the_same_properties(way, name):
    x = TENSORS[name]()
    y = way(x)
    assert y is not x
    np.testing.assert_array_equal(y.detach().numpy(), x.detach().numpy(), strict=True)
    for what in ("dtype", "shape", "requires_grad", "is_leaf", "name"):
        assert getattr(y, what) == getattr(x, what)
    with sg.no_grad():
        y.fill_(0)
    assert x.detach().numpy().any() or x.numel() == 0


@pytest.mark.parametrize("protocol", range(pickle.HIGHEST_PROTOCOL + 1))
def test_every_pickle_protocol_works(protocol):
    x = pickle.loads(pickle.dumps(parameter(1.0, 2.0), protocol))
    assert (x.tolist(), x.requires_grad) == ([1.0, 2.0], True)


def test_a_deep_copy_has_a_gradient_of_its_own():
    x = parameter(1.0, 2.0)
    (x * x).sum().backward()
    y = copy.deepcopy(x)
    assert y.grad.tolist() == [2.0, 4.0]
    y.grad.zero_()
    (y * 3).sum().backward()
    assert (x.grad.tolist(), y.grad.tolist()) == ([2.0, 4.0], [3.0, 3.0])


def test_a_shallow_copy_of_a_leaf_has_a_gradient_of_its_own():
    x = parameter(1.0, 2.0)
    (x * x).sum().backward()
    y = copy.copy(x)
    assert y.grad is None
    (y * 3).sum().backward()
    assert (x.grad.tolist(), y.grad.tolist()) == ([2.0, 4.0], [3.0, 3.0])


def test_a_pickle_leaves_the_gradient_behind_as_in_torch():
    x = parameter(1.0, 2.0)
    (x * x).sum().backward()
    assert pickled(x).grad is None
    assert pickled(x.grad).tolist() == copy.deepcopy(x.grad).tolist() == [2.0, 4.0]


@pytest.mark.parametrize("way", [pickled, copy.deepcopy])
def test_a_tensor_met_twice_is_copied_once(way):
    x = parameter(1.0, 2.0)
    first, second = way([x, x])
    assert first is second


def test_a_result_is_pickled_as_a_leaf_and_is_not_deep_copied():
    y = parameter(1.0, 2.0) * 2
    again = pickled(y)
    assert (again.tolist(), again.is_leaf, again.requires_grad) == ([2.0, 4.0], True, True)
    with pytest.raises(RuntimeError, match="Only Tensors created explicitly by the user"):
        copy.deepcopy(y)


def test_a_shallow_copy_of_a_result_keeps_its_history():
    x = parameter(1.0, 2.0)
    y = x * 3
    again = copy.copy(y)
    y.zero_()
    again.sum().backward()
    assert x.grad.tolist() == [3.0, 3.0]


def test_a_symbol_is_pickled_but_not_deep_copied():
    x = sg.symbol("x", 3)
    assert (pickled(x).name, pickled(x).shape) == ("x", (3,))
    with pytest.raises(sg.SymgradError, match="this tensor is a symbol"):
        copy.deepcopy(x)  # which would be another variable of the same name


# ------------------------------------------------------------------ NumPy
def test_numpy_sees_a_tensor_as_an_array():
    x = sg.tensor([[1.0, 2.0]])
    assert np.asarray(x).tolist() == [[1.0, 2.0]]
    assert np.asarray(x, dtype=np.float32).dtype == np.float32
    assert np.array(sg.tensor(2.0)).shape == ()
    assert np.array([sg.tensor(1.0), sg.tensor(2.0)]).tolist() == [1.0, 2.0]
    with pytest.raises(ValueError, match="copy=False is not possible"):
        np.asarray(x, copy=False)
    with pytest.raises(RuntimeError, match=r"Can't call numpy\(\) on Tensor that requires grad"):
        np.asarray(parameter(1.0))


# fmt: off
UNARY = [
    "negative", "absolute", "fabs", "positive", "exp", "expm1", "exp2", "log", "log1p", "log2", "log10", "sqrt",
    "square", "reciprocal", "sin", "cos", "tan", "arcsin", "arccos", "arctan", "sinh", "cosh", "tanh", "arcsinh",
    "arctanh", "sign", "floor", "ceil",
]
BINARY = [
    "add", "subtract", "multiply", "divide", "true_divide", "power", "float_power", "maximum", "minimum", "arctan2",
]
COMPARING = ["equal", "not_equal", "less", "less_equal", "greater", "greater_equal"]
# fmt: on


@pytest.mark.parametrize("name", UNARY)
def test_a_ufunc_of_one_argument_is_recorded(name):
    ufunc, x = getattr(np, name), parameter(0.3, 0.6)
    y = ufunc(x)
    assert y.requires_grad
    np.testing.assert_allclose(y.detach().numpy(), ufunc(np.array([0.3, 0.6])), rtol=1e-14)
    y.sum().backward()
    h = 1e-6
    slope = (ufunc(np.array([0.3, 0.6]) + h) - ufunc(np.array([0.3, 0.6]) - h)) / (2 * h)
    np.testing.assert_allclose(x.grad.numpy(), slope, rtol=1e-7, atol=1e-9)


OTHERS = {
    "Python number": 2.0,
    "NumPy number": np.float64(2.0),
    "integer": np.int64(2),
    "array": np.array([2.0, 0.5]),
    "array of integers": np.array([2, 3]),
    "matrix": np.array([[2.0, 0.5], [1.0, 3.0]]),
}


@pytest.mark.parametrize("other", OTHERS)
@pytest.mark.parametrize("name", BINARY + COMPARING)
def test_a_ufunc_of_two_arguments_takes_tensors_on_either_side(name, other):
    ufunc, z, x = getattr(np, name), OTHERS[other], parameter(0.3, 0.6)
    for found, expected in [
        (ufunc(x, z), ufunc(np.array([0.3, 0.6]), z)),
        (ufunc(z, x), ufunc(z, np.array([0.3, 0.6]))),
    ]:
        assert isinstance(found, sg.Tensor)
        assert found.requires_grad is (name in BINARY)
        np.testing.assert_allclose(found.detach().numpy(), expected, rtol=1e-14, strict=True)


OPERATORS = {
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "/": operator.truediv,
    "**": operator.pow,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
    "==": operator.eq,
    "!=": operator.ne,
    "%": operator.mod,
    "//": operator.floordiv,
}


@pytest.mark.parametrize("other", OTHERS)
@pytest.mark.parametrize("sign", OPERATORS)
def test_operators_take_numbers_and_arrays_on_either_side(sign, other):
    f, z, a = OPERATORS[sign], OTHERS[other], np.array([0.3, 2.0])
    x = sg.tensor(a)
    for found, expected in [(f(x, z), f(a, z)), (f(z, x), f(z, a))]:
        assert isinstance(found, sg.Tensor)
        np.testing.assert_allclose(found.numpy(), expected, rtol=1e-14, strict=True)


MASKS = {
    "booleans": (np.array([True, False]), np.array([True, True])),
    "boolean": (np.array([True, False]), True),
    "integers": (np.array([6, -3]), np.array([3, 8])),
    "integer": (np.array([6, -3]), 5),
    "booleans and integers": (np.array([True, False]), np.array([3, 3])),
}


@pytest.mark.parametrize("sign", [operator.and_, operator.or_, operator.xor], ids=["&", "|", "^"])
@pytest.mark.parametrize("name", MASKS)
def test_operators_on_truth_values_and_bits_are_numpys(sign, name):
    a, z = MASKS[name]
    x = sg.tensor(a)
    for found in (sign(x, z), sign(z, x), sign(x, sg.tensor(z))):
        np.testing.assert_array_equal(found.numpy(), sign(a, z), strict=True)
    np.testing.assert_array_equal((~x).numpy(), ~a, strict=True)


NUMPYS = ["logical_and", "logical_or", "logical_xor", "logical_not", "isnan", "isinf", "isfinite", "rint", "trunc"]


@pytest.mark.parametrize("name", NUMPYS)
def test_ufuncs_without_derivative_work_on_tensors(name):
    ufunc, a = getattr(np, name), np.array([0.0, 1.5, -2.5])
    given = (a, a[::-1])[: ufunc.nin]
    found = ufunc(*map(sg.tensor, given))
    assert isinstance(found, sg.Tensor)
    np.testing.assert_array_equal(found.numpy(), ufunc(*given), strict=True)


def test_an_array_on_the_left_gets_the_right_gradient():
    a = np.array([[1.0, 2.0], [3.0, 4.0]])
    assert gradient_of(lambda x: a @ x, 1.0, 1.0) == [4.0, 6.0]
    assert gradient_of(lambda x: a - x, 1.0, 1.0) == [-2.0, -2.0]
    assert gradient_of(lambda x: np.float64(2.0) / x, 1.0, 2.0) == [-2.0, -0.5]
    assert gradient_of(lambda x: np.matmul(x, a), 1.0, 1.0) == [3.0, 7.0]


# ------------------------------------------------------------------ Python
def test_a_tensor_of_one_element_is_a_number_to_python():
    assert [bool(sg.tensor(v)) for v in (0.0, [[2]], False, [np.nan])] == [False, True, False, True]
    assert [int(sg.tensor(v)) for v in (2.7, -2.7, [3], True)] == [2, -2, 3, 1]
    assert [float(sg.tensor(v)) for v in (2, [0.5], [[True]])] == [2.0, 0.5, 1.0]
    assert complex(sg.tensor(2.0)) == 2 + 0j
    assert f"{sg.tensor(2.5):.2f}" == "2.50"
    assert ["a", "b", "c"][sg.tensor([2])] == "c"
    assert [type(sg.tensor(v).item()) for v in (1, 1.0, True)] == [int, float, bool]
    assert type(sg.ones(1, dtype=sg.float32).item()) is float


ONE_ELEMENT = {
    "bool of several": (lambda: bool(sg.ones(2)), RuntimeError, "more than one value is ambiguous"),
    "bool of none": (lambda: bool(sg.zeros(0)), RuntimeError, "no values is ambiguous"),
    "item of several": (lambda: sg.ones(2).item(), RuntimeError, "2 elements cannot be converted to Scalar"),
    "item of none": (lambda: sg.zeros(0).item(), RuntimeError, "0 elements cannot be converted to Scalar"),
    "float of several": (lambda: float(sg.ones(2)), RuntimeError, "cannot be converted to Scalar"),
    "int of several": (lambda: int(sg.ones(2)), RuntimeError, "cannot be converted to Scalar"),
    "float as index": (lambda: [1, 2][sg.tensor(1.0)], TypeError, "only integer tensors of a single element"),
    "several as index": (lambda: [1, 2][sg.tensor([0, 1])], TypeError, "only integer tensors of a single element"),
    "len of a number": (lambda: len(sg.tensor(1.0)), TypeError, "len.. of a 0-d tensor"),
    "iteration over a number": (lambda: iter(sg.tensor(1.0)), TypeError, "iteration over a 0-d tensor"),
    "format of several": (lambda: f"{sg.ones(2):.2f}", TypeError, "unsupported format string"),
}


@pytest.mark.parametrize("name", ONE_ELEMENT)
def test_what_needs_another_number_of_elements_is_refused(name):
    call, kind, text = ONE_ELEMENT[name]
    with pytest.raises(kind, match=text):
        call()


def test_a_number_taken_from_a_parameter_is_warned_of_unless_by_item():
    x = sg.tensor(2.0, requires_grad=True)
    for convert in (float, int):
        with pytest.warns(UserWarning, match="Converting a tensor with requires_grad=True to a scalar"):
            assert convert(x) == 2
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert (x.item(), x.tolist(), bool(x), float(x.detach())) == (2.0, 2.0, True, 2.0)


def test_iteration_gives_rows_with_their_history():
    x = parameter(1.0, 2.0)
    a, b = x
    (a * b).backward()
    assert x.grad.tolist() == [2.0, 1.0]
    assert [row.tolist() for row in sg.tensor([[1, 2], [3, 4]])] == [[1, 2], [3, 4]]
    assert list(sg.zeros(0, 2)) == []
    assert (len(sg.ones(4, 2)), len(sg.zeros(0))) == (4, 0)
    assert [t.tolist() for t in reversed(sg.tensor([1, 2]))] == [2, 1]


@pytest.mark.parametrize("data", [2.0, True, [1, 2], [[1.5], [2.5]], []])
def test_tolist_gives_back_what_the_tensor_was_made_of(data):
    found = sg.tensor(data).tolist()
    assert found == data
    assert type(found) is type(data)


def test_builtins_that_compare_and_add_work():
    x = sg.tensor([1.0, 3.0, 2.0])
    assert (max(x).item(), min(x).item(), sum(x).item()) == (3.0, 1.0, 6.0)
    assert [t.item() for t in sorted(x)] == [1.0, 2.0, 3.0]
    assert (3.0 in x, 4.0 in x, sg.tensor(2.0) in x) == (True, False, True)
    assert gradient_of(sum, 1.0, 2.0) == [1.0, 1.0]


def test_equality_is_by_entry_and_hash_by_identity():
    x, same = sg.tensor([1.0, 2.0]), sg.tensor([1.0, 2.0])
    assert (x == same).tolist() == [True, True]
    assert (x != sg.tensor([1.0, 3.0])).tolist() == [False, True]
    assert (sg.tensor([np.nan]) == sg.tensor([np.nan])).tolist() == [False]
    assert hash(x) != hash(same)
    before = hash(x)
    x += 1
    assert hash(x) == before
    assert {x: 1}[x] == 1
    assert len({x, same, x}) == 2


@pytest.mark.parametrize("other", [None, "a", {1.0, 2.0}, object()])
def test_a_tensor_never_equals_what_is_no_number(other):
    x = sg.tensor([1.0, 2.0])
    assert (x == other) is False
    assert (x != other) is True


# ------------------------------------------------------------------ dtypes
SINGLE, DOUBLE, WHOLE = ("float32", "float64", "int64")
PROMOTED = {  # of float32 unless said otherwise
    "Python float": (lambda: sg.ones(2, dtype=SINGLE) + 1.5, SINGLE),
    "Python integer": (lambda: 2 * sg.ones(2, dtype=SINGLE), SINGLE),
    "NumPy number": (lambda: np.float64(2.0) * sg.ones(2, dtype=SINGLE), SINGLE),
    "0-d tensor": (lambda: sg.tensor(2.0) * sg.ones(2, dtype=SINGLE), SINGLE),
    "tensor": (lambda: sg.ones(2, dtype=SINGLE) + sg.ones(2), DOUBLE),
    "array": (lambda: np.ones(2) + sg.ones(2, dtype=SINGLE), DOUBLE),
    "integers": (lambda: sg.ones(2, dtype=SINGLE) + sg.tensor([1, 2]), DOUBLE),
    "booleans": (lambda: sg.ones(2, dtype=SINGLE) * sg.tensor([True, False]), SINGLE),
    "small integers": (lambda: sg.ones(2, dtype=SINGLE) * sg.tensor([1, 2], dtype="int8"), SINGLE),
    "integers and a Python integer": (lambda: sg.tensor([1, 2]) + 1, WHOLE),
    "integers and a Python float": (lambda: sg.tensor([1, 2]) + 1.0, DOUBLE),
    "integers divided": (lambda: sg.tensor([1, 2]) / 2, DOUBLE),
    "booleans and a Python integer": (lambda: sg.tensor([True]) + 1, WHOLE),
    "sum of booleans": (lambda: sg.tensor([True, True]).sum(), WHOLE),
    "sum of small integers": (lambda: sg.tensor([1, 2], dtype="int32").sum(), WHOLE),
    "sum": (lambda: sg.ones(2, dtype=SINGLE).sum(), SINGLE),
    "exponential of integers": (lambda: sg.exp(sg.tensor([1, 2])), DOUBLE),
    "comparison": (lambda: sg.ones(2, dtype=SINGLE) > 0, "bool"),
    "other order of bytes": (lambda: sg.tensor(np.array([1.0, 2.0], ">f4")), SINGLE),
    "other order of bytes asked for": (lambda: sg.ones(2, dtype=">f8"), DOUBLE),
}


@pytest.mark.parametrize("name", PROMOTED)
def test_dtypes_promote_as_in_numpy_and_python_numbers_do_not(name):
    compute, expected = PROMOTED[name]
    found = compute().dtype
    assert found == np.dtype(expected)
    assert found.isnative


DTYPES = ["bool", "uint8", "int8", "short", "int16", "int", "int32", "long", "int64",
          "half", "float16", "float", "float32", "double", "float64"]  # fmt: skip


@pytest.mark.parametrize("name", DTYPES)
def test_torchs_names_of_dtypes_name_dtypes(name):
    x = sg.ones(2, dtype=getattr(sg, name))
    assert x.dtype == getattr(sg, name)
    torch = pytest.importorskip("torch")
    assert str(getattr(torch, name)) == f"torch.{x.dtype}"
    assert not hasattr(x, name) or getattr(sg.ones(2), name)().dtype == x.dtype


def test_a_gradient_has_the_dtype_of_its_leaf():
    for use in (lambda x: x * sg.ones(2), lambda x: x.double(), lambda x: x @ sg.ones(2)):
        x = sg.ones(2, dtype=sg.float32, requires_grad=True)
        use(x).sum().backward()
        assert x.grad.dtype == sg.float32


# ------------------------------------------------------------------ weird input
WEIRD = {
    "object array": (lambda: sg.tensor(np.array([1.0, 2.0], dtype=object)), TypeError, "numpy.object_"),
    "structured array": (lambda: sg.tensor(np.zeros(2, [("a", float)])), TypeError, "can't convert np.ndarray"),
    "text": (lambda: sg.tensor("abc"), TypeError, "invalid data type 'str'"),
    "array of text": (lambda: sg.ones(2) * np.array(["a", "b"]), TypeError, "numpy.str"),
    "bits of floats": (lambda: sg.ones(2) & sg.ones(2), TypeError, "bitwise_and"),
    "bits of a float": (lambda: ~sg.tensor(1.0), TypeError, "invert"),
    "bits and text": (lambda: sg.tensor([True]) & "a", TypeError, "unsupported operand"),
    "unknown rounding": (lambda: sg.ones(2).div(2, rounding_mode="up"), ValueError, "None, 'trunc', or 'floor'"),
    "no argument": (lambda: sg.sum(dim=0), TypeError, 'sum.. missing 1 required positional arguments: "input"'),
    "complex as real": (lambda: sg.tensor([1 + 2j], dtype=float), TypeError, "must be real number, not complex"),
    "complex compared": (lambda: sg.ones(2) + 1j < 2, TypeError, "not implemented for complex numbers"),
    "ragged": (lambda: sg.tensor([[1.0], [2.0, 3.0]]), ValueError, "expected sequence of length 1 at dim 1"),
    "set": (lambda: sg.tensor({1, 2}), TypeError, "Could not infer dtype of set"),
    "iterator": (lambda: sg.tensor(iter([1.0])), TypeError, "Could not infer dtype of list_iterator"),
    "65 axes": (lambda: sg.ones([1] * 65), RuntimeError, "65 dimensions"),
    "too many bytes": (lambda: sg.zeros(2**61), RuntimeError, "Storage size calculation overflowed"),
    "requires_grad of text": (lambda: sg.ones(2, requires_grad="yes"), TypeError, "must be bool, not str"),
    "requires_grad of a number": (lambda: sg.tensor(1.0, requires_grad=1), TypeError, "must be bool, not int"),
    "requires_grad_ of text": (lambda: sg.ones(2).requires_grad_("no"), TypeError, "must be bool, not str"),
    "requires_grad set to text": (lambda: setattr(sg.ones(2), "requires_grad", "no"), TypeError, "must be bool"),
    "number out of range": (lambda: sg.tensor([1], dtype=sg.uint8) + 300, OverflowError, r"300 .* x.to\(sg.int64\)"),
    "negative number": (lambda: sg.tensor([1], dtype=sg.uint8).mul(-1), OverflowError, "-1 out of bounds for uint8"),
    "number out of range on the left": (lambda: 300 - sg.tensor([1], dtype=sg.int8), OverflowError, "out of bounds"),
    "number out of range for a function": (
        lambda: sg.maximum(sg.tensor([1], dtype=sg.int8), 300),
        OverflowError,
        "300",
    ),
    "number out of range in place": (lambda: sg.tensor([1], dtype=sg.uint8).add_(300), OverflowError, "300"),
    "long number": (lambda: sg.tensor([1]) + 10**30, OverflowError, "out of bounds"),
    "attribute": (lambda: setattr(sg.ones(2), "colour", 1), AttributeError, "colour"),
}


@pytest.mark.parametrize("name", WEIRD)
def test_weird_input_is_refused(name):
    call, kind, text = WEIRD[name]
    with pytest.raises(kind, match=text):
        call()


@pytest.mark.parametrize("shape", [(0,), (0, 3), (2, 0), ()])
def test_tensors_without_entries_or_axes_have_gradients_of_their_shape(shape):
    x = sg.ones(shape, requires_grad=True)
    (x * x + 1).sum().backward()
    np.testing.assert_array_equal(x.grad.numpy(), np.full(shape, 2.0), strict=True)


AXES = {
    "sum": lambda x: x.sum(),
    "sum over one": lambda x: x.sum(60),
    "sum over some, kept": lambda x: x.sum((0, 63), keepdim=True),
    "reversed": lambda x: x.T,
    "two swapped": lambda x: x.transpose(0, 60),
    "broadcast": lambda x: x[:1] * x,
    "matrix product": lambda x: x.transpose(62, 63) @ x,
    "ellipsis": lambda x: sg.einsum("i...j->j...i", x),
}


@pytest.mark.parametrize("name", AXES)
def test_64_axes_are_not_too_many(name):
    f, shape = AXES[name], [2, *[1] * 29, 3, *[1] * 29, 2, 1, 1, 2]
    rng = np.random.default_rng(0)
    point, direction = rng.normal(size=shape), rng.normal(size=shape)
    x = sg.tensor(point, requires_grad=True)
    f(x).sum().backward()
    ahead, behind = (f(sg.tensor(point + h * direction)).sum().item() for h in (1e-6, -1e-6))
    assert (x.grad.numpy() * direction).sum() == pytest.approx((ahead - behind) / 2e-6, rel=1e-6)


def test_what_is_no_number_passes_through():
    x = parameter(np.nan, np.inf, -np.inf, 0.0)
    y = x * 2
    assert str(y.detach()) == "tensor([nan, inf, -inf, 0.])"
    (y * y).sum().backward()
    np.testing.assert_array_equal(x.grad.numpy(), [np.nan, np.inf, -np.inf, 0.0])


def test_a_vector_is_gathered_at_a_number():
    assert sg.gather(sg.tensor([1.0, 2.0, 3.0]), 0, sg.tensor(1)).tolist() == 2.0


def test_vectors_compared_by_their_angle_are_broadcast_before_they_are_scaled():
    rows = np.array([[1.0, 2.0, 2.0], [2.0, 1.0, -2.0]])
    found = sg.nn.functional.cosine_similarity(np.array([2.0, 1.0, 2.0]), rows, dim=1)
    assert found.tolist() == pytest.approx([8 / 9, 1 / 9])
    found = sg.nn.functional.cosine_similarity(np.array([[3.0], [-1.0]]), rows, dim=1)
    assert found.tolist() == pytest.approx([5 / 27**0.5, -1 / 27**0.5])


def test_what_a_product_is_added_to_has_no_more_axes():
    with pytest.raises(sg.errors.ShapeError, match=r"expand\(Tensor\{\[2, 2, 2\]\}, size=\[2, 2\]\)"):
        sg.addmm(np.ones((2, 2, 2)), np.ones((2, 2)), np.ones((2, 2)))


def test_third_derivative_of_a_determinant_of_size_three_is_six_determinants():
    B = np.array([[2.0, 1.0, 0.0], [1.0, 3.0, 1.0], [0.0, 1.0, 1.0]])
    assert sg.grad(sg.grad(sg.grad(lambda t: sg.linalg.det(t * B))))(0.0) == pytest.approx(6 * 3.0)


def test_a_chain_of_products_may_begin_or_end_with_a_vector():
    A, B, v = np.arange(6.0).reshape(2, 3), np.arange(12.0).reshape(3, 4), np.arange(4.0)
    assert sg.linalg.multi_dot([A, B, v]).tolist() == (A @ B @ v).tolist()
    assert sg.linalg.multi_dot([v, B.T, A.T]).tolist() == (A @ B @ v).tolist()


def test_the_singular_values_of_a_batch_are_each_compared_with_their_own_largest():
    found = sg.linalg.pinv(np.stack([np.eye(2), 1e-20 * np.eye(2)])).numpy()
    np.testing.assert_allclose(found, np.stack([np.eye(2), 1e20 * np.eye(2)]), rtol=1e-12)


def test_the_axis_of_a_logarithm_of_sums_can_be_kept_by_torchs_name():
    assert sg.logsumexp(np.ones((2, 3)), 1, keepdim=True).shape == (2, 1)


def test_the_most_frequent_entry_is_that_of_each_row_of_several_matrices():
    x = sg.tensor([[[1, 2, 2], [3, 3, 1]], [[5, 4, 5], [0, 0, 7]]])
    assert sg.mode(x, 2).values.tolist() == [[2, 3], [5, 0]]
    assert sg.mode(x.mT, 1).values.tolist() == [[2, 3], [5, 0]]


def test_entries_of_several_matrices_are_written_out_one_matrix_after_the_other():
    form = expression(sg.linalg.det(sg.symbol("A", (2, 2, 2))))
    assert str(form.scalar()) == "[A_000*A_011 - A_001*A_010, A_100*A_111 - A_101*A_110]"


def test_an_entry_of_a_result_is_written_with_the_indices_of_its_argument():
    x = sg.symbol("x", 3)
    assert str(expression(sg.signbit(x)).index("i")) == "[x_i < 0]"
    assert str(expression(sg.sin(x).reshape(1, 3)).index("i", "j")) == "sin(x_j)"
    assert Reshape((1, 3)).index(("i", "j"), Entry(3)) == ["j"]
    assert Reshape((3,)).index(("i",), Entry(3, 1)) == ["i", 0]


class Entry:
    """An argument of some shape, whose entries are their indices."""

    def __init__(self, *shape):
        self.shape = shape

    def __call__(self, idx):
        return list(idx)


def test_a_size_of_nought_hides_no_large_one():
    assert sg.zeros(2**40, 0).shape == (2**40, 0)
    assert sg.zeros(2**40, 0).sum().item() == 0.0


def test_nested_sequences_may_hold_tensors_and_numpy_numbers():
    x = sg.tensor([[sg.tensor(1.0), 2], (np.float64(3.0), True)])
    assert x.tolist() == [[1.0, 2.0], [3.0, 1.0]]
    assert x.dtype == sg.float64


def test_to_takes_what_torchs_takes():
    x = sg.tensor([1.0, 2.0], requires_grad=True)
    assert x.to("cpu") is x
    assert x.to(device="cpu:0") is x.cpu() is x.to(sg.float64, non_blocking=True) is x
    assert x.to(sg.tensor([1])).dtype == np.int64
    assert x.to("cpu", sg.float32, True, True).dtype == np.float32
    copied = x.to(other=x, copy=True)
    assert copied is not x
    assert sg.autograd.grad(copied.sum(), x)[0].tolist() == [1.0, 1.0]
    with pytest.raises(sg.errors.ArgumentError, match="the device 'cuda:0' does not exist"):
        x.to("cuda:0")


def test_linspace_of_tensors_is_that_of_their_values():
    assert sg.linspace(sg.tensor(0.0), sg.tensor(2), 3).tolist() == [0.0, 1.0, 2.0]


def test_numpys_copy_and_astype_pass_gradients_on():
    def f(x):
        y = x.copy()
        y[0] = 0.0
        return (y.astype(np.float32) ** 2).sum()

    np.testing.assert_array_equal(sg.grad(f)(np.array([1.0, 2.0])), [0.0, 4.0])


@pytest.mark.parametrize("dtype", [sg.int64, sg.float32], ids=str)
def test_an_assigned_gradient_has_the_dtype_of_its_tensor(dtype):
    x = sg.ones(2, requires_grad=True)
    with pytest.raises(RuntimeError, match=f"attempting to assign a gradient with dtype '{dtype}'"):
        x.grad = sg.ones(2, dtype=dtype)
    assert x.grad is None
