"""Pickles: functions and transforms by name or through cloudpickle, symbols, forms and explanations as their graphs."""

import copy
import io
import multiprocessing
import operator
import pickle
import sys

import numpy as np
import pytest
import sympy as sp
from squares import square as found_square

import symgrad as sg
from symgrad.core import pickling
from symgrad.errors import GraphError, PickleError

X = np.array([1.0, 2.0, 3.0])


def square(x):
    return (x * x).sum()


@sg.grad
def slope(x):
    return (x**3).sum()


class Model:
    """A function with a parameter."""

    def __init__(self, a):
        self.a = a

    def loss(self, x):
        return (self.a * x).sum()


def again(x):
    return pickle.loads(pickle.dumps(x))


@pytest.fixture
def plain(monkeypatch):
    """A program that has not loaded cloudpickle."""
    monkeypatch.setattr(pickling, "_WRITERS", ())


# ------------------------------------------------------------------ functions
TRANSFORMS = {
    "grad": sg.grad,
    "value_and_grad": sg.value_and_grad,
    "grad_and_value": sg.func.grad_and_value,
    "jacobian": sg.jacobian,
    "jacrev": sg.func.jacrev,
    "jacfwd": sg.func.jacfwd,
    "hessian": sg.hessian,
    "grad of argnums": lambda f: sg.grad(f, argnums=(0,)),
    "grad of a grad": lambda f: sg.jacobian(sg.grad(f)),
    "vmap": lambda f: sg.vmap(doubled, in_axes=0),
    "sparse_hessian": sg.sparse_hessian,
}


def doubled(x):
    return x * 2


def dense(y):
    return [np.asarray(v.todense() if hasattr(v, "todense") else v) for v in (y if isinstance(y, tuple) else (y,))]


@pytest.mark.parametrize("compiled", [False, True])
@pytest.mark.parametrize("name", TRANSFORMS)
def test_transforms_of_a_module_s_function_are_pickled(name, compiled, plain):
    if name == "sparse_hessian":
        pytest.importorskip("scipy")
        f = TRANSFORMS[name](square)
    else:
        f = sg.compile(TRANSFORMS[name](square)) if compiled else TRANSFORMS[name](square)
    g = again(f)
    for here, there in zip(dense(f(X)), dense(g(X)), strict=True):
        np.testing.assert_array_equal(here, there)


def test_decorated_functions_are_found_again_by_name(plain):
    assert again(slope) is slope
    assert slope.__name__ == "slope"
    assert repr(slope) == "<grad of slope>"


def test_transforms_bind_as_methods():
    def scaled(self, x):
        return (self.a * x).sum()

    Model.scaled_slope = sg.grad(scaled, argnums=1)
    np.testing.assert_array_equal(Model(2.0).scaled_slope(X), [2.0, 2.0, 2.0])


def test_methods_are_pickled_with_their_instance(plain):
    f = again(sg.compile(sg.value_and_grad(Model(3.0).loss)))
    assert f(X)[0] == 18.0


@pytest.mark.parametrize("make", [sg.grad, sg.vmap, sg.jacobian, sg.compile, sg.sparse_jacobian])
def test_a_lambda_is_refused_with_what_to_do(make, plain):
    f = make(lambda x: x * x)
    with pytest.raises(PickleError, match=r"cannot pickle '.*<lambda>'.*Define it with def at the top level"):
        pickle.dumps(f)
    with pytest.raises(pickle.PicklingError):
        pickle.dumps(f)
    assert copy.deepcopy(f) is f


@pytest.mark.parametrize("make", [sg.grad, sg.value_and_grad, lambda f: sg.compile(sg.grad(f))])
def test_a_lambda_is_pickled_by_value_where_cloudpickle_is_loaded(make, monkeypatch):
    found = next((m for m in ("cloudpickle", "joblib.externals.cloudpickle") if m in sys.modules), None)
    if found is None:
        pytest.importorskip("joblib")
    f = make(lambda x: (x**4).sum())
    for here, there in zip(dense(f(X)), dense(again(f)(X)), strict=True):
        np.testing.assert_array_equal(here, there)


@pytest.mark.parametrize("make", [lambda: sg.vjp(square, X)[1], lambda: sg.linearize(square, X)[1]])
def test_functions_that_hold_a_graph_say_what_to_pickle(make):
    held = make()
    with pytest.raises(PickleError, match="Pickle f and the point, and call"):
        pickle.dumps(held)
    assert copy.deepcopy(held) is held


def test_joblib_runs_compiled_functions_and_gradients_of_lambdas():
    joblib = pytest.importorskip("joblib")
    work = [
        sg.compile(found_square), sg.compile(lambda x: (x * 3).sum()), sg.grad(lambda x: (x**2).sum()),
        sg.grad(found_square),
    ]  # fmt: skip
    found = joblib.Parallel(n_jobs=2)(joblib.delayed(f)(X) for f in work)
    assert found[:2] == [14.0, 18.0]
    np.testing.assert_array_equal(found[2:], [2 * X, 2 * X])


def test_multiprocessing_runs_gradients_and_says_why_a_lambda_cannot(plain):
    x = sg.symbol("x", "n")
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        np.testing.assert_array_equal(pool.map(sg.compile(sg.grad(abs_sum)), [X])[0], np.ones(3))
        form = pool.map(operator.attrgetter("args"), [sg.derive((x * x).sum(), x)])
        with pytest.raises(PickleError, match="Define it with def"):
            pool.map(sg.grad(lambda x: x.sum()), [X])
    assert form == [("x",)]


abs_sum = np.sum  # found in every process, as this module is not


# ------------------------------------------------------------------ symbols, forms, explanations
def texts(found):
    """All that a form or explanation says."""
    methods = ("latex", "html", "_repr_latex_", "_repr_markdown_")
    return [str(found), *[getattr(found, m)() for m in methods if hasattr(found, m)]]


def symbols():
    n = "n"
    return sg.symbol("x", n), sg.symbol("A", (n, n), symmetric=True), sg.symbol("b", n)


FOUND = {
    "gradient": lambda x, A, b: sg.derive(x @ A @ x, x),
    "gradients": lambda x, A, b: sg.derive((sg.tanh(A @ x) - b).pow(2).sum(), [x, A]),
    "Jacobian": lambda x, A, b: sg.derive(sg.softmax(x, 0), x),
    "Jacobians": lambda x, A, b: sg.derive(A @ x * b, [x, b]),
    "Hessian": lambda x, A, b: sg.derive(sg.exp(x @ b), x, order=2),
    "product": lambda x, A, b: sg.derive(sg.sin(A @ x), x, cotangent=b),
    "expression": lambda x, A, b: (A @ x).expr,
    "explanation": lambda x, A, b: sg.explain(sg.tanh(A @ x) @ b, [x, A]),
    "explanation of numbers": lambda x, A, b: sg.explain("x**2*sin(x)", "x", order=2),
    "explanation of a product": lambda x, A, b: sg.explain(A @ x, x, cotangent=b),
}


@pytest.mark.parametrize("name", FOUND)
def test_what_is_said_of_symbols_is_pickled(name):
    found = FOUND[name](*symbols())
    assert texts(again(found)) == texts(found)
    assert texts(again(again(found))) == texts(found)


def test_functions_of_forms_are_pickled():
    x, A, b = symbols()
    f = sg.derive((sg.tanh(A @ x) - b).pow(2).sum(), x).lambdify(b, A, x)
    g = again(f)
    assert g.args == f.args
    assert g.__doc__ == f.__doc__
    at = X, np.eye(3), X[::-1].copy()
    np.testing.assert_array_equal(g(*at), f(*at))
    w = sg.symbol("w", 2)
    f = sg.derive(((sg.tensor([[1.0, 2.0]]) @ w) ** 2).sum(), w).lambdify()  # with an array from outside
    np.testing.assert_array_equal(again(f)(X[:2]), f(X[:2]))


def test_sympy_s_expressions_as_functions_are_pickled():
    t = sp.Symbol("t")
    f = sg.from_sympy(sp.sin(t) * t, [t])
    assert again(f)(2.0) == f(2.0)


def test_reports_of_crosschecks_are_pickled():
    report = sg.testing.crosscheck(square, X)
    assert str(again(report)) == str(report)


def test_what_is_said_of_tensors_with_values_is_pickled(plain):
    x = sg.tensor(X, requires_grad=True, name="x")
    loss = sg.exp(x).sum()
    for found in (sg.derive(loss, x), sg.explain(loss, x)):
        assert texts(again(found)) == texts(found)
    page = sg.report(loss, path=None)
    assert again(page).page == page.page
    table = sg.table(sg.sin, [1.0, 2.0])
    assert str(again(table)) == str(table)


@pytest.mark.parametrize("f", [sg.sin, sg.special.erfc, sg.linalg.det, sg.nn.functional.relu], ids=lambda f: f.__name__)
def test_functions_of_symgrad_are_pickled_by_their_public_names(f, plain):
    assert pickle.loads(pickle.dumps(pickling.portable(f, "f"))) is f


def test_symbols_are_pickled_with_their_marks_and_are_derived_again():
    x, A, _ = symbols()
    assert again(A)._node.assumptions == A._node.assumptions
    y = again(x)
    assert str(sg.derive((y * y).sum(), y)) == "2*x"


def test_a_graph_of_any_depth_is_pickled():
    y = sg.symbol("x")
    for _ in range(20_000):
        y = sg.sin(y)
    assert again(y).shape == ()


# ------------------------------------------------------------------ NumPy's files
def test_numpy_writes_tensors_to_files(tmp_path):
    t = sg.tensor(X)
    np.savez(tmp_path / "a.npz", t, named=t, array=X)
    np.savez_compressed(tmp_path / "c.npz", named=t)
    np.save(tmp_path / "s.npy", t)
    np.savetxt(tmp_path / "t.txt", t)
    with np.load(tmp_path / "a.npz") as found:
        assert {k: v.tolist() for k, v in found.items()} == {k: X.tolist() for k in ("arr_0", "named", "array")}
    with np.load(tmp_path / "c.npz") as found:
        assert found["named"].tolist() == X.tolist()
    assert np.load(tmp_path / "s.npy").tolist() == np.loadtxt(tmp_path / "t.txt").tolist() == X.tolist()


@pytest.mark.parametrize("save", [np.save, np.savetxt, np.savez, np.savez_compressed])
def test_a_tensor_with_a_gradient_is_not_written(save):
    with pytest.raises(GraphError, match=r"Use tensor\.detach\(\)\.numpy\(\) instead"):
        save(io.BytesIO(), sg.tensor(X, requires_grad=True))
