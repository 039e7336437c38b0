"""Transforms of functions of nested dicts, lists, tuples and dataclasses, against JAX where it is installed."""

from collections import OrderedDict
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import pytest
from checks import close

import symgrad as sg
from symgrad import errors


class Pair(NamedTuple):
    w: Any
    b: Any


@dataclass(frozen=True)
class Layer:
    w: Any
    b: Any
    name: str = "layer"


W, B, X = np.array([[1.0, -0.5], [0.3, 2.0]]), np.array([0.1, -0.2]), np.array([0.7, 1.1])
# A structure around w and b, and how to read them out of it: what a library's own containers are does not matter.
STRUCTURES = {
    "tuple": ((W, B), lambda p: (p[0], p[1])),
    "list": ([W, B], lambda p: (p[0], p[1])),
    "dict": ({"w": W, "b": B}, lambda p: (p["w"], p["b"])),
    "ordered dict": (OrderedDict(w=W, b=B), lambda p: (p["w"], p["b"])),
    "named tuple": (Pair(W, B), lambda p: (p.w, p.b)),
    "nested": ({"first": [W, {"rest": (B,)}]}, lambda p: (p["first"][0], p["first"][1]["rest"][0])),
    "deep": ([[[W]], ((B,),)], lambda p: (p[0][0][0], p[1][0][0])),
    "none and empty": ({"w": W, "none": None, "empty": [], "no": {}, "b": B}, lambda p: (p["w"], p["b"])),
}
WITHOUT = {  # structures that JAX does not take as they are
    "dataclass": (Layer(W, B), lambda p: (p.w, p.b)),
    "dataclass in a list": ([Layer(W, 3.0), B], lambda p: (p[0].w, p[1])),
    "integers among floats": ({"w": W, "n": 3, "k": np.arange(2), "b": B}, lambda p: (p["w"], p["b"][p["k"]])),
    "numbers in a list": ({"w": W, "b": [0.1, -0.2]}, lambda p: (p["w"], p["b"])),
}
COMPILED = STRUCTURES | {"dataclass": WITHOUT["dataclass"]}  # there an index is no argument, and a list is a list


def table(structures):
    return pytest.mark.parametrize(("p", "read"), structures.values(), ids=structures)


def scalar(L, read):
    def f(p, x):
        w, b = read(p)
        return (L.tanh(w @ x + b) ** 2).sum()

    return f


def arrays(L, read):
    def f(p, x):
        w, b = read(p)
        return {"y": w @ x + b * b, "more": (L.sin(b).sum(), [w * x[0]])}

    return f


def flat(x):
    """The arrays and Nones in a structure with their paths; what a container is called does not matter."""
    if isinstance(x, dict):
        return [(f"[{k}]{p}", v) for k in sorted(x) for p, v in flat(x[k])]
    if isinstance(x, (list, tuple)):
        return [(f"[{k}]{p}", v) for k, y in enumerate(x) for p, v in flat(y)]
    if isinstance(x, Layer):
        return [(f".{k}{p}", v) for k in ("w", "b", "name") for p, v in flat(getattr(x, k))]
    return [("", x)]


def same(found, expected, rtol=1e-12):
    for (here, a), (there, b) in zip(flat(found), flat(expected), strict=True):
        assert here == there
        assert (a is None) == (b is None), here
        if b is not None:
            close(a, b, rtol)


def kinds(x):
    """The types of a structure's containers. A list of numbers is an array."""
    parts = x.values() if isinstance(x, dict) else x if isinstance(x, (list, tuple)) else ()
    parts = [y for y in parts if isinstance(y, (dict, list, tuple))]
    return type(x), [kinds(y) for y in parts if not y or not all(isinstance(v, float) for v in y)]


@pytest.fixture(scope="module")
def jax():
    jax = pytest.importorskip("jax", reason="compares with JAX")
    jax.config.update("jax_enable_x64", True)
    return jax


@table(STRUCTURES)
def test_transforms_of_structures_agree_with_jax(jax, p, read):
    np_ = jax.numpy
    f, g = scalar(sg, read), scalar(np_, read)
    same(sg.value_and_grad(f)(p, X), jax.value_and_grad(g)(p, X))
    same(sg.grad(f, (0, 1))(p, X), jax.grad(g, (0, 1))(p, X))
    same(sg.hessian(f, (1, 0))(p, X), jax.hessian(g, (1, 0))(p, X))
    f, g = arrays(sg, read), arrays(np_, read)
    for ours in (sg.jacobian, sg.jacrev, sg.jacfwd):
        same(ours(f, (0, 1))(p, X), jax.jacrev(g, (0, 1))(p, X))
    y, pull = sg.vjp(f, p, X)
    other, jax_pull = jax.vjp(g, p, X)
    same(y, other)
    same(pull(y), jax_pull(other))
    same(sg.jvp(f, (p, X), (p, X)), jax.jvp(g, (p, X), (p, X)))
    same(sg.linearize(f, p, X)[1](p, X), jax.jvp(g, (p, X), (p, X))[1])


@table(STRUCTURES | WITHOUT)
def test_gradient_of_a_structure_is_the_gradient_of_its_arrays(p, read):
    w, b = (np.array(v) for v in read(p))
    value, gradient = sg.value_and_grad(scalar(sg, read))(p, X)
    expected = sg.grad(lambda w, b: scalar(sg, lambda p: p)((w, b), X), (0, 1))(w, b)
    assert kinds(gradient) == kinds(p)
    for found, known in zip(read(_selectable(gradient, p)), expected, strict=True):
        close(found, known, 1e-15)
    tangent = sg.jvp(lambda q: scalar(sg, read)(q, X), (p,), (gradient,))
    close(tangent[0], value, 0)
    close(tangent[1], sum((g**2).sum() for g in expected), 1e-12)
    close(sg.linearize(lambda q: scalar(sg, read)(q, X), p)[1](gradient), tangent[1], 1e-15)


def _selectable(gradient, p):
    """The gradient with the integers that index the parameters put back in."""
    return {**gradient, "k": p["k"]} if isinstance(p, dict) and "k" in p else gradient


@table(COMPILED)
def test_hvp_has_the_structure_of_the_point(p, read):
    def f(q):
        return scalar(sg, read)(q, X)

    v = sg.grad(f)(p)
    several = type(p) in (tuple, list)  # then they are the arguments
    found = sg.hvp(f, (p,), (v,))[0] if several else sg.hvp(f, p, v)
    assert kinds(found) == kinds(p)
    same(found, sg.jvp(sg.grad(f), (p,), (v,))[1])
    up, down = (sg.grad(f)(_moved(p, v, s)) for s in (1e-6, -1e-6))
    for (_, h), (_, a), (_, b) in zip(flat(found), flat(up), flat(down), strict=True):
        if h is not None:
            close(h, (np.array(a) - np.array(b)) / 2e-6, 1e-7)


def _moved(p, v, step):
    """Return p + step·v, in every array."""
    if isinstance(p, dict):
        return type(p)((k, _moved(p[k], v[k], step)) for k in p)
    if isinstance(p, Layer):
        return Layer(_moved(p.w, v.w, step), _moved(p.b, v.b, step))
    if isinstance(p, (list, tuple)):
        parts = [_moved(a, b, step) for a, b in zip(p, v, strict=True)]
        return type(p)(*parts) if hasattr(p, "_fields") else type(p)(parts)
    return p if v is None else p + step * v


@table(COMPILED)
def test_compiled_transform_of_a_structure_is_the_eager_one(p, read):
    for transform in (sg.grad, sg.value_and_grad):
        same(sg.compile(transform(scalar(sg, read)))(p, X), transform(scalar(sg, read))(p, X))


@table(STRUCTURES | WITHOUT)
def test_tensors_in_a_structure_give_tensors(p, read):
    w, b = (sg.tensor(np.array(v), requires_grad=True) for v in read(p))
    g = sg.grad(scalar(sg, lambda q: q))((w, b), X)
    assert all(isinstance(t, sg.Tensor) and t.requires_grad for t in g)
    (g[0] ** 2).sum().backward()
    assert w.grad.shape == (2, 2)
    assert b.grad.shape == (2,)


def test_what_has_no_derivative_is_none_in_the_gradient():
    p = {"x": 2.0, "n": 3, "flag": True, "text": "abc", "none": None, "ids": np.arange(2), "empty": (), "set": {1}}
    g = sg.grad(lambda p: p["x"] ** p["n"])({**p, "words": np.array(["a"])})
    assert g == {"x": 12.0, "empty": (), **dict.fromkeys(["n", "flag", "text", "none", "ids", "set", "words"])}


def test_rows_of_unequal_length_are_arrays_of_their_own():
    g = sg.grad(lambda p: (p[0] ** 2).sum() * p[1].sum())([[1.0, 2.0], [3.0]])
    assert isinstance(g, list)
    close(g[0], [6.0, 12.0], 0)
    close(g[1], [5.0], 0)


@pytest.mark.parametrize("number", [np.int64(1), np.int32(-1)])
def test_positions_may_be_numpys_integers(number):
    assert sg.grad(lambda x, y: x * y**2, number)(2.0, 3.0) == 12.0
    assert sg.grad(lambda x, y: x * y**2, (number,))(2.0, 3.0) == (12.0,)
    close(sg.vmap(lambda x: x.sum(), in_axes=number)(np.ones((2, 3))), [2.0, 2.0, 2.0], 0)


@pytest.mark.parametrize("empty", [{}, [], (), None])
def test_nothing_to_differentiate_by_gives_nothing(empty):
    assert sg.grad(lambda p, x: x.sum())(empty, X) == empty
    assert sg.value_and_grad(lambda p, x: x.sum(), (0, 1))(empty, X)[1][0] == empty


def test_none_in_a_result_stays_none():
    assert sg.vjp(lambda x: (x, None), 2.0)[0] == (2.0, None)
    assert sg.jvp(lambda x: {"a": x, "b": None}, (2.0,), (3.0,)) == ({"a": 2.0, "b": None}, {"a": 3.0, "b": None})
    assert sg.jacobian(lambda x: [x * x, None])(3.0) == [6.0, None]


@pytest.mark.parametrize("constant", [2.0, 2, np.float64(2), np.ones(3)])
def test_numbers_and_arrays_of_numpy_are_results(constant):
    y, t = sg.jvp(lambda x: (constant, x), (1.0,), (1.0,))
    np.testing.assert_array_equal(y[0], constant)
    assert not np.any(t[0])
    assert t[1] == 1.0


def test_argument_that_the_function_changes_stays_as_it_was():
    p, x = {"w": W.copy(), "list": [B]}, X.copy()

    def f(p, x):
        x *= 2
        p["w"] = p["w"] * 3
        p["list"].append(x)
        x[0] = x[1]
        return (p["w"] @ p["list"][-1]).sum()

    g = sg.grad(f, (0, 1))(p, x)
    close(g[0]["w"], 3 * np.full((2, 2), 2 * X[1]), 1e-15)
    close(g[1], [0.0, 6 * W.sum()], 1e-15)
    np.testing.assert_array_equal(x, X)
    assert list(p) == ["w", "list"]
    np.testing.assert_array_equal(p["w"], W)
    assert len(p["list"]) == 1


def test_order_of_keys_does_not_matter():
    _, pull = sg.vjp(lambda x: {"a": 2 * x, "b": 3 * x}, 1.0)
    assert pull({"b": 1.0, "a": 10.0}) == (23.0,)


def test_keyword_arguments_pass_as_they_are():
    def f(p, *, scale, data):
        return (p["a"] * scale * sum(data["x"])).sum()

    assert sg.grad(f)({"a": 2.0}, scale=3, data={"x": [1.0, 2.0]}) == {"a": 9.0}
    assert sg.jacobian(f)({"a": 2.0}, scale=3, data={"x": [1.0, 2.0]}) == {"a": 9.0}
    w = sg.tensor(2.0, requires_grad=True)
    sg.grad(lambda x, w: (w * x * x).sum())(X, w=w).sum().backward()
    assert w.grad.item() == pytest.approx(2 * X.sum())


def test_auxiliary_results_are_handed_out_as_numpy():
    aux = {"y": 0, "text": "abc"}
    f = lambda x: ((x**2).sum(), {**aux, "y": 3 * x})
    runs = {
        "grad": lambda x: sg.grad(f, has_aux=True)(x)[1],
        "value_and_grad": lambda x: sg.value_and_grad(f, has_aux=True)(x)[0][1],
        "grad_and_value": lambda x: sg.grad_and_value(f, has_aux=True)(x)[1][1],
        "vjp": lambda x: sg.vjp(f, x, has_aux=True)[2],
        "jvp": lambda x: sg.jvp(f, (x,), (x,), has_aux=True)[2],
        "linearize": lambda x: sg.linearize(f, x, has_aux=True)[2],
        "jacobian": lambda x: sg.jacobian(f, has_aux=True)(x)[1],
        "jacrev": lambda x: sg.jacrev(f, has_aux=True)(x)[1],
        "jacfwd": lambda x: sg.jacfwd(f, has_aux=True)(x)[1],
        "hessian": lambda x: sg.hessian(f, has_aux=True)(x)[1],
    }
    for name, run in runs.items():
        found = run(X)
        assert type(found["y"]) is np.ndarray, name
        close(found["y"], 3 * X, 0)
        assert found["text"] == "abc"
        assert isinstance(run(sg.tensor(X))["y"], sg.Tensor), name
        assert not run(sg.tensor(X))["y"].requires_grad, name


MISUSE = [
    (lambda: sg.grad(lambda p: p["w"])({"w": 1}), errors.DTypeError, r"Got int64 at argument 0\['w'\]; pass floats"),
    (lambda: sg.grad(lambda x, p: p[0], 1)(1.0, (np.arange(2),)), errors.DTypeError, r"argument 1\[0\]; pass floats"),
    (lambda: sg.grad(lambda p: p)("text"), errors.ArgumentTypeError, "invalid data type 'str'"),
    (
        lambda: sg.jvp(lambda p: p["w"], ({"w": 1.0},), ({"b": 1.0},)),
        errors.ArgumentTypeError,
        r"^jvp: tangent 0: got the keys \['b'\]. Expected \['w'\]",
    ),
    (
        lambda: sg.jvp(lambda p: p[0]["w"], (({"w": 1.0},),), (({"w": 1.0}, 2.0),)),
        errors.ArgumentTypeError,
        "^jvp: tangent 0: got 2 entries. Expected 1",
    ),
    (
        lambda: sg.vjp(lambda x: {"a": [x, x]}, 1.0)[1]({"a": 1.0}),
        errors.ArgumentTypeError,
        r"^vjp: the cotangent\['a'\]: got a float. Expected a list",
    ),
    (lambda: sg.vjp(lambda x: (x, x), X)[1]((X, 1.0)), errors.ShapeError, r"grad_output\[1\] has a shape"),
    (lambda: sg.jvp(lambda x: ({"a": "b"}, x), (1.0,), (1.0,)), errors.ArgumentTypeError, r"str at result\[0\]\['a'\]"),
    (lambda: sg.grad(lambda x: (x, x))(1.0), errors.ArgumentTypeError, "got tuple. Return one tensor, or pass has_aux"),
    (lambda: sg.vjp(lambda x: object(), 1.0), errors.ArgumentTypeError, "got object"),
    (lambda: sg.vjp(lambda x: x, 1.0, has_aux=True), errors.ArgumentTypeError, r"should be a tuple: \(output, aux\)"),
]


@pytest.mark.parametrize(("statement", "kind", "message"), MISUSE)
def test_wrong_structure_is_named_by_its_path(statement, kind, message):
    with pytest.raises(kind, match=message):
        statement()


def test_structure_that_contains_itself_is_refused():
    p = [1.0, {}]
    p.append(p)
    with pytest.raises(errors.ArgumentTypeError, match="contains itself"):
        sg.grad(lambda p: p[0])(p)


# ------------------------------------------------------------------ linearize


def test_linearize_runs_the_function_once():
    calls = []

    def f(x):
        calls.append(1)
        return sg.sin(x) * x[0]

    y, tangent = sg.linearize(f, X)
    J = sg.jacobian(lambda x: sg.sin(x) * x[0])(X)
    for t in np.eye(2):
        close(tangent(t), J @ t, 1e-15)
    close(y, np.sin(X) * X[0], 0)
    assert len(calls) == 1


@pytest.mark.parametrize("make", [lambda f: sg.linearize(f, X)[1], lambda f: lambda v: sg.vjp(f, X)[1](v)[0]])
def test_product_with_the_jacobian_at_a_fixed_point_is_a_function_like_any(make):
    linear = make(lambda x: sg.exp(x) * x.sum())
    M = np.stack([linear(e) for e in np.eye(2)], -1)
    close(sg.jacobian(linear)(B), M, 1e-12)
    close(sg.jacfwd(linear)(B), M, 1e-12)
    close(sg.vmap(linear)(W), W @ M.T, 1e-12)
    close(sg.grad(lambda t: (linear(t) ** 2).sum())(B), 2 * M.T @ M @ B, 1e-12)
    close(sg.compile(linear)(B), M @ B, 1e-12)
    assert not linear(sg.tensor(B)).requires_grad


@pytest.mark.parametrize("f", [sg.sin, lambda x: sg.linalg.norm(x) * x, lambda x: sg.cumsum(x * x, 0)])
def test_linearize_at_a_variable_is_differentiated_through(f):
    def along(x):
        return (sg.linearize(f, x)[1](B) ** 2).sum()

    def known(x):
        return (sg.jvp(f, (x,), (B,))[1] ** 2).sum()

    close(sg.grad(along)(X), sg.grad(known)(X), 1e-14)
    close(sg.hessian(along)(X), sg.hessian(known)(X), 1e-12)
