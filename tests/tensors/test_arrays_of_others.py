"""What stands beside tensors in programs written for NumPy: lists, pandas' Series, whatever has ``__array__``."""

from __future__ import annotations

import operator

import numpy as np
import pytest

import symgrad as sg

X, Y = np.array([3.0, 2.0]), [2.0, 4.0]
ARITHMETIC = ("add", "sub", "mul", "truediv", "floordiv", "mod", "pow", "matmul", "eq", "ne", "lt", "le", "gt", "ge")
STATEMENTS = ("iadd", "isub", "imul", "itruediv", "ifloordiv", "imod", "ipow")


class Foreign:
    """An array of some other library."""

    def __init__(self, data):
        self.data = np.asarray(data)

    def __array__(self, dtype=None, copy=None):
        return np.array(self.data, dtype=dtype)


def series(data):
    return pytest.importorskip("pandas").Series(data, index=list("ba"))


KINDS = {"list": list, "tuple": tuple, "foreign": Foreign, "series": series}


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("name", ARITHMETIC)
def test_operators_take_what_numpys_arrays_take(name, kind):
    operate, y = getattr(operator, name), KINDS[kind](Y)
    np.testing.assert_array_equal(operate(sg.tensor(X), y), operate(X, np.array(Y)))
    if (name, kind) != ("matmul", "series"):  # which pandas answers
        np.testing.assert_array_equal(operate(y, sg.tensor(X)), operate(np.array(Y), X))


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("name", STATEMENTS)
def test_statements_take_what_numpys_arrays_take(name, kind):
    statement = getattr(operator, name)
    np.testing.assert_array_equal(statement(sg.tensor(X), KINDS[kind](Y)), statement(X.copy(), np.array(Y)))


@pytest.mark.parametrize("name", ["and_", "or_", "xor", "iand", "ior", "ixor"])
def test_truth_values_are_combined_with_lists(name):
    operate, truth = getattr(operator, name), np.array([True, False])
    np.testing.assert_array_equal(operate(sg.tensor(truth), [True, True]), operate(truth.copy(), [True, True]))


def test_lists_carry_gradients():
    np.testing.assert_array_equal(sg.grad(lambda z: (z * [1, 2] - [z[1], 3.0]).sum())(X), [1.0, 1.0])
    np.testing.assert_array_equal(sg.grad(lambda z: ([1, 2] @ z) ** 2)(X), [14.0, 28.0])
    np.testing.assert_array_equal(sg.compile(lambda z: [1.0, 2.0] - z)(X), [-2.0, 0.0])


def test_what_is_no_number_is_no_operand():
    x = sg.tensor(X)
    assert [x == None, x != "text", x == {}] == [False, True, False]  # noqa: E711 - what is tested
    with pytest.raises(TypeError, match="unsupported operand"):
        x + {}
    with pytest.raises(TypeError, match="unsupported operand"):
        x += {}


def test_divmod_is_quotient_and_remainder():
    assert [t.tolist() for t in divmod(sg.tensor([7.0, -7.0]), 3)] == [[2.0, -3.0], [1.0, 2.0]]
    assert [t.tolist() for t in divmod(7, sg.tensor([3.0, -3.0]))] == [[2.0, -3.0], [1.0, -2.0]]


# ------------------------------------------------------------------ statements on numbers
def test_a_number_becomes_an_array_where_one_is_added():
    s = total = sg.tensor(1.0)
    s -= np.ones(3)
    assert s.tolist() == [0.0, 0.0, 0.0]
    assert total.item() == 1.0


@pytest.mark.parametrize("name", STATEMENTS)
def test_an_entry_of_a_variable_is_a_number_of_its_own(name):
    def f(z):
        s = z[0]
        s = getattr(operator, name)(s, z[1])
        s = getattr(operator, name)(s, np.ones(2))
        return s.sum()

    def pure(z):
        operate = getattr(operator, name[1:])
        return operate(operate(z[0], z[1]), np.ones(2)).sum()

    np.testing.assert_array_equal(sg.grad(f)(X), sg.grad(pure)(X))


def test_a_parameter_without_axes_keeps_its_shape():
    w = sg.tensor(1.0, requires_grad=True)
    with sg.no_grad(), pytest.raises(RuntimeError, match="doesn't match the broadcast shape"):
        w -= np.ones(3)
    assert w.item() == 1.0


# ------------------------------------------------------------------ arguments and indices
def square(z):
    return (z**2).sum()


CALLS = {
    "value_and_grad": lambda s: sg.value_and_grad(square)(s),
    "grad of a dict": lambda s: sg.grad(lambda p: square(p["s"]))({"s": s})["s"],
    "jacobian": lambda s: sg.jacobian(lambda z: z**2)(s),
    "hessian": lambda s: sg.hessian(square)(s),
    "jvp": lambda s: sg.jvp(square, (s,), (s,)),
    "vjp": lambda s: sg.vjp(square, s)[1](1.0)[0],
    "hvp": lambda s: sg.hvp(square, s, s),
    "vmap": lambda s: sg.vmap(lambda z: z * z)(s),
    "vmap beside": lambda s: sg.vmap(lambda k, z: (z * k).sum(), in_axes=(0, None))(np.ones(3), s),
    "compile": lambda s: sg.compile(lambda z: z * 3)(s),
    "compiled gradient": lambda s: sg.compile(sg.grad(square))(s),
    "compiled beside": lambda s: sg.compile(lambda w, z: (w * z).sum())(2.0, s),
    "grad beside": lambda s: sg.grad(lambda w, z: (z * w).sum())(2.0, s),
    "result": lambda s: sg.vjp(lambda z: s, X)[0],
    "scan": lambda s: sg.scan(lambda c, v: (c + v, c), 0.0, s)[0],
    "sum": lambda s: sg.sum(s),
    "asarray": lambda s: sg.asarray(s),
    "stack": lambda s: sg.stack([sg.tensor(X), s]),
    "where": lambda s: sg.where(sg.tensor(X) > 2, s, 0.0),
    "np.where": lambda s: np.where(sg.tensor(X) > 2, s, 0.0),
    "np.dot": lambda s: np.dot(s, sg.tensor(X)),
    "np.multiply": lambda s: np.multiply(s, sg.tensor(X)),
    "dot": lambda s: sg.tensor(X).dot(s),
    "loss": lambda s: sg.nn.functional.mse_loss(sg.tensor(X), s),
}  # fmt: skip


@pytest.mark.parametrize("kind", ["foreign", "series"])
@pytest.mark.parametrize("name", CALLS)
def test_arrays_of_other_libraries_are_arguments_as_numpys_are(name, kind):
    found, expected = (CALLS[name](x) for x in (KINDS[kind](Y), np.array(Y)))
    for a, b in zip(*[x if isinstance(x, tuple) else (x,) for x in (found, expected)], strict=True):
        assert type(a) is type(b)
        np.testing.assert_array_equal(a, b)


def test_minimize_takes_series():
    pytest.importorskip("scipy")
    found = sg.optim.minimize(lambda z, y: ((z - y) ** 2).sum(), series([0.0, 0.0]), args=(series([1.0, 2.0]),))
    np.testing.assert_allclose(found.x, [1.0, 2.0], atol=1e-6)


INDICES = {
    "integers": ([1, 0, 1], {}),
    "booleans": ([True, False, True], {}),
    "nullable integers": ([1, 0, 1], {"dtype": "Int64"}),
    "nullable booleans": ([True, False, True], {"dtype": "boolean"}),
}


@pytest.mark.parametrize("name", INDICES)
def test_a_series_is_an_index(name):
    pandas = pytest.importorskip("pandas")
    data, options = INDICES[name]
    x, key = np.arange(6.0).reshape(3, 2), pandas.Series(data, index=[5, 4, 3], **options)
    np.testing.assert_array_equal(sg.tensor(x)[key], x[np.array(data)])
    y, z = sg.tensor(x), x.copy()
    y[key] = 7.0
    z[np.array(data)] = 7.0
    np.testing.assert_array_equal(y, z)


def test_an_index_is_anything_with_an_array():
    x = np.arange(6.0).reshape(3, 2)
    np.testing.assert_array_equal(sg.tensor(x)[Foreign([2, 0]), Foreign([1, 0])], x[[2, 0], [1, 0]])
    assert sg.tensor(x)[Foreign(1)].tolist() == [2.0, 3.0]
    with pytest.raises(IndexError, match="Got dtype float64"):
        sg.tensor(x)[Foreign([0.5])]


FRAMES = {
    "booleans beside numbers": ({"a": [1.0, 2.0], "b": [True, False]}, [[1.0, 1.0], [2.0, 0.0]]),
    "integers beside numbers": ({"a": [1.0, 2.0], "b": [3, 4]}, [[1.0, 3.0], [2.0, 4.0]]),
}


@pytest.mark.parametrize("name", FRAMES)
def test_a_frame_is_a_matrix(name):
    data, expected = FRAMES[name]
    frame = pytest.importorskip("pandas").DataFrame(data)
    np.testing.assert_array_equal(sg.tensor(frame), expected)
    np.testing.assert_array_equal(sg.grad(square)(frame), 2 * np.array(expected))
    np.testing.assert_array_equal(sg.compile(lambda z: 2 * z)(frame), 2 * np.array(expected))
    np.testing.assert_array_equal(sg.ones(2) @ frame, np.sum(expected, 0))
    np.testing.assert_array_equal(sg.ones(2) * frame, expected)
    np.testing.assert_array_equal(frame * sg.ones(2), expected)


def test_text_and_integers_are_refused():
    pandas = pytest.importorskip("pandas")
    for column in (["a", "b"], [1.0, {}]):
        with pytest.raises(TypeError, match=r"can't convert np\.ndarray of type"):
            sg.tensor(pandas.Series(column, dtype=object))
    with pytest.raises(RuntimeError, match="Got int64; pass floats"):
        sg.grad(square)(pandas.Series([1, 2]))


def test_a_series_of_tensors_is_stacked():
    pandas = pytest.importorskip("pandas")
    np.testing.assert_array_equal(
        sg.grad(lambda z: (sg.tensor(pandas.Series([1.0, 2.0]).apply(lambda v: v * z)) ** 2).sum())(3.0), 30.0
    )


# ------------------------------------------------------------------ lists that are meant
ONE_BY_ONE = {
    "cat": lambda x, y: sg.cat(x, y),
    "concat of arrays": lambda x, y: sg.concat(np.ones(2), np.ones(2)),
    "cat of a number": lambda x, y: sg.cat(1.0),
    "stack": lambda x, y: sg.stack(x, y),
    "hstack": lambda x, y: sg.hstack(x, y),
    "vstack": lambda x, y: sg.vstack(x, y),
    "column_stack": lambda x, y: sg.column_stack(x, y),
    "multi_dot": lambda x, y: sg.linalg.multi_dot(x, y),
}


@pytest.mark.parametrize("name", ONE_BY_ONE)
def test_tensors_one_by_one_are_refused_with_a_list(name):
    with pytest.raises(TypeError, match=r"must be tuple of Tensors, not \w+\. Pass a list: \w+\(\[x(, y)?\]\)"):
        ONE_BY_ONE[name](sg.ones(2), sg.ones(2))
