"""JAX's names beside JAX: branches and loops that depend on values, structures, lax, x.at."""

import importlib
import re

import numpy as np
import pytest

import symgrad as sg
from symgrad.errors import ArgumentError, ArgumentTypeError, GraphError, ShapeError
from symgrad.nn import jax_activations

X = np.array([0.5, -1.0, 2.0])

# What stands on the left is JAX's, on the right symgrad's.
LINES = {
    "lax.cond(x[0] > 0, jnp.sin, lambda z: z**2, x)": "sg.cond(x[0] > 0, sg.sin, lambda z: z**2, x)",
    "lax.cond(x[1] > 0, jnp.sin, lambda z: z**2, x)": "sg.lax.cond(x[1] > 0, sg.sin, lambda z: z**2, x)",
    "lax.switch(7, [jnp.sin, jnp.cos], x)": "sg.switch(7, [sg.sin, sg.cos], x)",
    "lax.switch(-3, [jnp.sin, jnp.cos], x)": "sg.switch(-3, [sg.sin, sg.cos], x)",
    "lax.while_loop(lambda z: (z**2).sum() < 9, lambda z: z * 1.5, x)":
        "sg.while_loop(lambda z: (z**2).sum() < 9, lambda z: z * 1.5, x)",
    "lax.associative_scan(jnp.maximum, x)": "sg.associative_scan(sg.maximum, x)",
    "lax.associative_scan(jnp.add, x, reverse=True)": "sg.lax.associative_scan(sg.add, x, reverse=True)",
    "jax.tree.map(lambda a, b: a + b, {'u': x, 'v': [x]}, {'u': x, 'v': [1.0]})['v'][0]":
        "sg.tree_map(lambda a, b: a + b, {'u': x, 'v': [x]}, {'u': x, 'v': [1.0]})['v'][0]",
    "jax.tree.leaves({'b': 1, 'a': (2, None, 3)})": "sg.tree.leaves({'a': (2, None, 3), 'b': 1})",
    "jax.tree.reduce(lambda a, b: a * b, [2, {'u': 3}], 1)": "sg.tree_reduce(lambda a, b: a * b, [2, {'u': 3}], 1)",
    "jax.tree.unflatten(jax.tree.structure({'u': 0, 'v': (0, 0)}), [1, 2, 3])['v']":
        "sg.tree_unflatten(sg.tree_structure({'u': 0, 'v': (0, 0)}), [1, 2, 3])['v']",
    "jax.tree.all([True, {'u': False}])": "sg.tree.all([True, {'u': False}])",
    "x.at[1].set(5.0)": "x.at[1].set(5.0)",
    "x.at[jnp.array([0, 0])].add(2.0)": "x.at[np.array([0, 0])].add(2.0)",
    "x.at[1:].multiply(x[:2])": "x.at[1:].multiply(x[:2])",
    "x.at[0].max(9.0) + x.at[0].min(0.1) + x.at[2].power(3) + x.at[0].divide(4.0)":
        "x.at[0].max(9.0) + x.at[0].min(0.1) + x.at[2].power(3) + x.at[0].divide(4.0)",
    "x.at[1].apply(jnp.exp) - x.at[0].get()": "x.at[1].apply(sg.exp) - x.at[0].get()",
    "lax.map(lambda z: z**2, x)": "sg.lax.map(lambda z: z**2, x)",
    "lax.dynamic_slice(x, (2,), (2,))": "sg.lax.dynamic_slice(x, (2,), (2,))",
    "lax.dynamic_update_slice(x, x[:2] * 3, (1,))": "sg.lax.dynamic_update_slice(x, x[:2] * 3, (1,))",
    "lax.clamp(-0.5, x, 1.0) + lax.logistic(x) + lax.rsqrt(x * x) + lax.rem(x, 0.3 + 0 * x)":
        "sg.lax.clamp(-0.5, x, 1.0) + sg.lax.logistic(x) + sg.lax.rsqrt(x * x) + sg.lax.rem(x, 0.3 + 0 * x)",
    "lax.concatenate([x, lax.rev(x, (0,))], 0)": "sg.lax.concatenate([x, sg.lax.rev(x, (0,))], 0)",
    "lax.top_k(x, 2)[0]": "sg.lax.top_k(x, 2)[0]",
    "lax.select(x > 0, x, -x)": "sg.lax.select(x > 0, x, -x)",
}  # fmt: skip

# Of jax.lax and jax.nn, with equal dtypes; x has shape (2, 3), i and j are integers, b and c batches of matrices.
LAX = (
    "lax.sort(x)", "lax.sort((i, j, x[0]), num_keys=2)", "lax.sort_key_val(x, 3 * x, dimension=0)",
    "lax.cumsum(x)", "lax.cumsum(x, axis=1, reverse=True)", "lax.cumprod(x, 1)", "lax.cummax(x, 1, True)",
    "lax.cummin(x, axis=1)", "lax.cumlogsumexp(x, axis=1, reverse=True)", "lax.div(i, j)", "lax.div(x, 2.0)",
    "lax.expand_dims(x, (0,))", "lax.expand_dims(x, (0, -1))", "lax.squeeze(x[:, None], dimensions=(1,))",
    "lax.transpose(b, permutation=(2, 0, 1))", "lax.rev(x, dimensions=(0, 1))", "lax.reshape(x, (6,), (1, 0))",
    "lax.collapse(b, 0, 2)", "lax.broadcast(x, (2,))", "lax.broadcast_in_dim(x, (2, 4, 3), (0, 2))",
    "lax.full((2, 3), 7)", "lax.full_like(x, 3)", "lax.iota('int32', 4)", "lax.broadcasted_iota('int32', (2, 3), 1)",
    "lax.pad(x, 9.0, [(1, -1, 2), (-2, 1, 3)])", "lax.pad(x, 0.0, [(1, 0, 0), (0, 2, 1)])",
    "lax.reduce_sum(x, (0,))", "lax.reduce_prod(x, axes=(0, 1))", "lax.reduce_max(x, (1,))",
    "lax.reduce_min(x, (0, 1))", "lax.argmax(x, 1, 'int32')", "lax.argmin(x, axis=0, index_dtype='int64')",
    "lax.slice(x, (0, 0), (2, 3), (1, 2))", "lax.slice_in_dim(x, -2, None, axis=1)", "lax.index_in_dim(x, -1, 1)",
    "lax.dynamic_slice(x, (-1, -2), (1, 2))", "lax.dynamic_slice_in_dim(x, 1, 2, axis=1)",
    "lax.dynamic_index_in_dim(x, 1, 1, keepdims=False)", "lax.dynamic_update_slice_in_dim(x, x[:, :2] * 5, 1, 1)",
    "lax.dynamic_update_index_in_dim(x, x[:, 0] * 5, 1, 1)",
    "lax.dot_general(b, c, (((2,), (1,)), ((0,), (0,))))", "lax.dot_general(x, x, (((0, 1), (0, 1)), ((), ())))",
    "lax.dot_general(x, x[0], (((), ()), ((), ())))", "lax.dot_general(x, x, (((), ()), ((0, 1), (0, 1))))",
    "lax.batch_matmul(b, c)", "lax.integer_pow(x, -2)", "lax.select_n(x > 0, x, -x)",
    "lax.select_n(abs(i) - 5, x[0], x[1], 9 * x[0])", "lax.igamma(x[:, :1] ** 2, x**2)", "lax.bessel_i1e(x)",
    "lax.betainc(x[1:] ** 2, x[:1] ** 2, 0.3 + 0 * x[:1])", "lax.zeta(2 + x**2, 1 + x**2)",
    *[f"nn.{name}(x)" for name in jax_activations.__all__ if name not in ("glu", "one_hot")],
    "nn.glu(b[:, :, :2])", "nn.glu(c, axis=2)",
    "nn.softmax(x, axis=0)", "nn.logsumexp(x, axis=1, keepdims=True)", "nn.standardize(x, axis=(0, 1))",
    "nn.softplus(30 * x)", "nn.one_hot(abs(i) - 5, 2)", "nn.one_hot(abs(i) - 5, 4, axis=0)",
    "flatten_util.ravel_pytree({'a': x, 'b': (i, 2.0)})[0]",
    "flatten_util.ravel_pytree({'a': x, 'b': (i, 2.0)})[1](3.0 + 0 * nn.one_hot(i[0], 10))['b'][0]",
    "tree_util.tree_map(lambda a, b: a + b, {'u': x}, {'u': 1.0})['u']", "tree_util.tree_leaves([x, (i,)])",
    "remat(lambda a: a * x, static_argnums=())(x)", "block_until_ready(x)", "x.block_until_ready()",
)  # fmt: skip


def plain(x):
    return (
        [plain(v) for v in x] if isinstance(x, (list, tuple)) else np.asarray(x.detach() if hasattr(x, "detach") else x)
    )


@pytest.mark.parametrize("line", LINES)
def test_a_line_has_jaxs_value(line):
    jax = pytest.importorskip("jax")
    with jax.enable_x64(True):
        theirs = eval(line, {"jax": jax, "jnp": jax.numpy, "lax": jax.lax, "x": jax.numpy.array(X)})
    ours = eval(LINES[line], {"sg": sg, "np": np, "x": sg.tensor(X)})
    for a, b in zip(plain([ours]), plain([theirs]), strict=True):
        np.testing.assert_allclose(np.asarray(a), np.asarray(b), rtol=1e-12)


@pytest.mark.parametrize("line", LAX)
def test_a_line_of_lax_or_nn_has_jaxs_values_and_dtypes(line):
    jax = pytest.importorskip("jax")
    rng = np.random.default_rng(0)
    arrays = {
        "x": np.array([[0.5, -1.0, 2.0], [3.0, 1.0, -2.0]]), "i": np.array([7, -7, 6]), "j": np.array([2, 2, -3]),
        "b": rng.normal(size=(5, 2, 3)), "c": rng.normal(size=(5, 3, 4)),
    }  # fmt: skip
    with jax.enable_x64(True):
        importlib.import_module("jax.flatten_util")
        theirs = eval(line, {**vars(jax), **{k: jax.numpy.asarray(v) for k, v in arrays.items()}})
        names = ("lax", "nn", "flatten_util", "tree_util", "remat", "block_until_ready")
        ours = eval(line, {**{n: getattr(sg, n) for n in names}, **{k: sg.tensor(v) for k, v in arrays.items()}})
        pairs = list(zip(sg.tree.leaves(ours), jax.tree.leaves(theirs), strict=True))
    for a, b in pairs:
        assert (a.shape, a.dtype) == (b.shape, b.dtype)
        np.testing.assert_allclose(a.numpy(), np.asarray(b), rtol=1e-10, atol=1e-14)


def test_lax_has_derivatives_and_is_compiled():
    A = np.array([[0.5, -1.0, 2.0], [3.0, 1.0, -2.0]])
    lax = sg.lax
    f = lambda x: lax.pad(lax.dot_general(x, x, (((1,), (1,)), ((), ()))), 1.0, [(1, 0, 1), (0, 0, 0)]).prod()
    g = lambda x: (lax.cummax(lax.sort(x, 1), 1, True) * lax.dynamic_slice_in_dim(x, 1, 3, 1)).sum()
    for h in (f, g):
        np.testing.assert_allclose(sg.compile(sg.grad(h))(A), sg.grad(h)(A), rtol=1e-12)
        assert sg.testing.crosscheck(h, A).ok


def test_a_structure_is_one_vector_and_back():
    flat, unravel = sg.flatten_util.ravel_pytree({"w": np.eye(2), "b": [1.0, np.float32(2.0)]})
    assert flat.tolist() == [1.0, 0.0, 0.0, 1.0, 1.0, 2.0]
    assert unravel(flat)["b"][1].dtype == np.float32
    f = lambda v: (unravel(v)["w"] @ np.ones(2)).sum() * unravel(v)["b"][0]
    np.testing.assert_allclose(sg.grad(f)(flat), [1.0, 1.0, 1.0, 1.0, 2.0, 0.0])
    assert sg.ravel_pytree({})[1](sg.zeros(0)) == {}


def power(a):
    """The least a^k above 10, whose derivative is k a^(k-1)."""
    return sg.while_loop(
        lambda c: c["p"] < 10, lambda c: {"p": c["p"] * a, "k": c["k"] + 1}, {"p": a, "k": 1}, max_steps=40
    )


@pytest.mark.parametrize("backend", ["auto", "llvm", "numpy"])
def test_a_loop_that_depends_on_values_is_compiled_with_derivatives(backend):
    f = lambda a: power(a)["p"]
    for a, k in ((1.5, 6), (3.0, 3), (11.0, 1)):
        np.testing.assert_allclose(sg.grad(f)(a), k * a ** (k - 1), rtol=1e-12)
        np.testing.assert_allclose(sg.compile(f, backend=backend)(a), a**k, rtol=1e-12)
        np.testing.assert_allclose(sg.compile(sg.grad(f), backend=backend)(a), k * a ** (k - 1), rtol=1e-12)
        forward = sg.compile(lambda a: sg.jvp(f, (a,), (1.0,))[1], backend=backend)
        np.testing.assert_allclose(forward(a), k * a ** (k - 1), rtol=1e-12)
    np.testing.assert_allclose(sg.vmap(sg.grad(f))(np.array([1.5, 3.0, 11.0])), [6 * 1.5**5, 27.0, 1.0])


def test_steps_behind_the_end_of_a_loop_leave_derivatives_finite():
    f = lambda a: sg.while_loop(lambda c: c > 0, lambda c: c - sg.sqrt(c) * 0.5, a, max_steps=60)
    g = lambda a: sg.while_loop(lambda c: c < 4, lambda c: c + 1 / (4.5 - c), a, max_steps=30)
    assert np.isfinite(sg.compile(sg.grad(g))(1.0))
    np.testing.assert_allclose(sg.compile(sg.grad(g))(1.0), sg.grad(g)(1.0), rtol=1e-12)
    assert not np.isfinite(sg.compile(f)(np.inf))


def test_a_loop_that_is_not_over_is_an_error_or_nan():
    f = lambda a: sg.while_loop(lambda x: x < a, lambda x: x + 1, 0.0, max_steps=3)
    assert f(2.5).item() == 3.0
    with pytest.raises(GraphError, match="not ended after max_steps=3"):
        f(3.5)
    compiled = sg.compile(f)
    assert compiled(2.5) == 3.0
    assert np.isnan(compiled(3.5))


def test_branches_are_compiled_with_derivatives():
    f = lambda x: sg.cond(x > 0, lambda x: x**3, sg.cos, x)
    for x in (2.0, -2.0):
        slope = 12.0 if x > 0 else np.sin(2.0)
        assert sg.grad(f)(x) == pytest.approx(slope)
        assert sg.compile(sg.grad(f))(x) == pytest.approx(slope)
        assert sg.compile(lambda x: sg.jvp(f, (x,), (1.0,))[1])(x) == pytest.approx(slope)
    np.testing.assert_allclose(sg.vmap(sg.grad(f))(np.array([2.0, -2.0])), [12.0, np.sin(2.0)])
    g = sg.compile(lambda i, x: sg.switch(i, [sg.sin, sg.exp, lambda x: x], x))
    assert [g(np.array(i), 1.0) for i in (-1, 0, 1, 2, 9)] == pytest.approx([np.sin(1), np.sin(1), np.e, 1.0, 1.0])


def test_branches_and_structures_that_differ_are_refused():
    f = sg.compile(lambda x: sg.cond(x > 0, lambda x: (x, x), lambda x: x, x))
    with pytest.raises(ArgumentTypeError, match="structured differently"):
        f(1.0)
    with pytest.raises(ShapeError, match=r"shapes \[3\] and \[\]"):
        sg.compile(lambda x: sg.cond(x.sum() > 0, lambda x: x, lambda x: x.sum(), x))(X)
    with pytest.raises(ShapeError, match="Expected one truth value"):
        sg.cond(sg.tensor(X) > 0, sg.sin, sg.cos, 1.0)
    with pytest.raises(ArgumentError, match="no branches"):
        sg.switch(0, [], 1.0)
    with pytest.raises(ArgumentTypeError, match="structures differ"):
        sg.tree_map(lambda a, b: a, {"u": 1}, {"v": 1})
    with pytest.raises(ArgumentError, match=r"got 1 leaves\. Expected 2"):
        sg.tree.unflatten(sg.tree.structure((1, 2)), [3])
    with pytest.raises(ShapeError, match="one common size"):
        sg.associative_scan(lambda a, b: a, (sg.ones(2), sg.ones(3)))


@pytest.mark.parametrize("n", range(1, 10))
def test_an_associative_scan_is_the_running_combination(n):
    x = np.cos(np.arange(2.0 * n)).reshape(n, 2)
    for axis, y in ((0, x), (1, x.T)):
        found = sg.associative_scan(lambda a, b: a * b, sg.tensor(y), axis=axis)
        np.testing.assert_allclose(found.numpy(), np.cumprod(y, axis), rtol=1e-12)
    affine = lambda p, q: (p[0] * q[0], q[0] * p[1] + q[1])
    f = lambda x: sg.associative_scan(affine, (x, x))[1].sum()
    np.testing.assert_allclose(sg.compile(sg.grad(f))(x), sg.grad(f)(x), rtol=1e-12)
    g = lambda x: sg.scan(lambda c, a: (c * a + a, c * a + a), np.zeros(2), x)[1].sum()
    np.testing.assert_allclose(sg.grad(f)(x), sg.grad(g)(x), rtol=1e-12)


def test_constants_for_derivatives():
    assert sg.grad(lambda x: x * sg.stop_gradient({"x": x})["x"])(3.0) == 3.0
    np.testing.assert_array_equal(sg.grad(lambda x: (x.at[0].set(3.0) ** 2).sum())(X), [0.0, -2.0, 4.0])
    np.testing.assert_array_equal(sg.compile(sg.grad(lambda x: x.at[[1, 1]].add(x[0]).sum()))(X), [3.0, 1.0, 1.0])


def test_jit_is_compile():
    f = sg.jit(lambda x, n: x**n, static_argnums=1)
    assert f(3.0, 2) == 9.0
    assert sg.jit(static_argnames=("n",), donate_argnums=0)(lambda x, n=2: x * n)(np.ones(2)).tolist() == [2.0, 2.0]
    assert f.lower(sg.ShapeDtypeStruct((3,)), 2).cost_analysis()["results"] == 24


def test_script_and_trace_of_pytorchs_jit_are_compile():
    model = sg.nn.Linear(3, 2)
    x = sg.ones(4, 3)
    assert sg.jit.script(lambda x: x**2)(3.0) == 9.0
    assert sg.jit.trace(model, x)(x).tolist() == model(x).tolist()


@pytest.mark.parametrize("options", [
    {"mode": "reduce-overhead"}, {"dynamic": True}, {"options": {"triton.cudagraphs": True}}, {"nonsense": 1},
])  # fmt: skip
def test_options_of_torchs_compile_are_refused_with_a_sentence(options):
    (name,) = options
    with pytest.raises((ArgumentError, ArgumentTypeError), match=f"{name}"):
        sg.compile(sg.sin, **options)


def test_options_of_torchs_compile_that_change_nothing_are_taken():
    assert sg.compile(sg.sin, fullgraph=True, dynamic=False, mode="default", backend="inductor")(0.0) == 0.0
    assert sg.compile(sg.sin, disable=True) is sg.sin
    assert sg.compile(disable=True)(sg.sin) is sg.sin


@pytest.mark.parametrize(("call", "words"), [
    (lambda: sg.while_loop(lambda a, b: a < 3, lambda a, b: (a, b), (0.0, 1.0)),
     "while_loop: cond_fun(a, b) is called with 1 argument. Several values come as one: write f(c)"),
    (lambda: sg.while_loop(lambda c: c[0] < 3, lambda a, b: (a, b), (0.0, 1.0)), "body_fun(a, b) is called with 1"),
    (lambda: sg.while_loop(lambda c: c[0] < 3, lambda c: c[0] + 1, (0.0, 1.0)), "comes as (tensor, tensor) and is"),
    (lambda: sg.cond(True, lambda a: a, lambda a: a), "true_fun(a) is called with 0 arguments. Pass what"),
    (lambda: sg.switch(0, [lambda a, b: a], X), "branches(a, b) is called with 1 argument"),
    (lambda: sg.fori_loop(0, 3, lambda c: c, 0.0), "body(c) is called with 2 arguments. Write it with as many"),
    (lambda: sg.associative_scan(lambda a, b: a + b, 3.0), "elems contains a number"),
    (lambda: sg.lax.dynamic_slice(np.eye(3), (1,), (2,)), "got 1 places and 1 sizes for a tensor of shape [3, 3]"),
    (lambda: sg.lax.dynamic_slice(X, (1,), (7,)), "got sizes [7] for shape [3]"),
    (lambda: sg.lax.slice(X, (1,), (7,)), "got [1, 7) along an axis of size 3"),
    (lambda: sg.lax.slice(X, (1, 1), (2, 2)), "got 2 starts, 2 limits and 1 strides for a tensor of shape [3]"),
    (lambda: sg.lax.squeeze(X, (0,)), "got axes [0] of shape [3]. Expected axes of size 1"),
    (lambda: sg.lax.broadcast_in_dim(X, (2, 3), (0, 1)), "got axes [0, 1] for [3] in [2, 3]"),
    (lambda: sg.lax.pad(X, 0.0, [(0, 0, -1)]), "Expected (before, after, between)"),
    (lambda: sg.lax.sort((X, X), num_keys=3), "got num_keys=3 for 2 arrays"),
    (lambda: sg.lax.dot_general(X, np.eye(2), (((0,), (0,)), ((), ()))), "do not pair axes of [3] with axes of [2, 2]"),
    (lambda: sg.lax.select_n(sg.tensor(X > 0), X, X, X), "got 3 cases for which=bool"),
    (lambda: sg.ravel_pytree({"a": "b"}), "got the entry 'b'. Expected numbers and arrays"),
    (lambda: sg.ravel_pytree({"a": X})[1](X[1:]), "got shape [2]. Expected [3]"),
    (lambda: sg.tree.map(lambda a, b: a, {"a": 1}), "f(a, b) is called with 1 argument"),
    (lambda: sg.tree.reduce(lambda a, b: a, []), "has no leaves"),
    (lambda: sg.tree.transpose(sg.tree.structure([1, 2]), sg.tree.structure((1,)), [1]), "got 1 leaves. Expected 2"),
    (lambda: sg.tensor(X).at[0].set(1, 2), "Expected set(values)"),
    (lambda: sg.tensor(X).at[0].add("a"), "got values='a'"),
    (lambda: sg.tensor(X).at(0), "Write the index in brackets"),
    (lambda: sg.quad(lambda t, a: a * t, 0.0, 1.0), "f(t, a) is called with 1 argument. Pass what else it takes"),
    (lambda: sg.optim.minimize(lambda p, a: (p**2).sum(), X), "fun(p, a) is called with 1 argument"),
    (lambda: sg.odeint(lambda y: -y, 1.0, [0.0, 1.0]), "f(y) is called with 2 arguments"),
    (lambda: sg.odeint(lambda t, y: sg.stack([y[1], -y[0]]), [1.0, 0.0], [0.0, 1.0]),
     "odeint: f(t, y) is called with the state first. Write f(y, t), or use sg.solve_ivp, whose functions are f(t, y)"),
    (lambda: sg.odeint(lambda time, z, k: -k * z, X, [0.0, 1.0], 2.0), "Write f(z, time)"),
    (lambda: sg.solve_ivp(lambda t, y: -y, (0, 1, 2), [1.0]), "t_span has 3 times"),
    (lambda: sg.optim.curve_fit(lambda t, a: a * t, X, X, p0=[1.0, 2.0]), "p0 has 2 numbers. f(t, a) takes 1"),
    (lambda: sg.optim.curve_fit(lambda t, *p: t, X, X), "does not determine the number of parameters"),
    (lambda: sg.nn.Conv2d(3, 2), "Expected Conv2d(in_channels"),
    (lambda: sg.nn.Conv2d(3, 2, 3, stride=0), "stride must be at least 1"),
    (lambda: sg.nn.BatchNorm1d("a"), "BatchNorm1d: got sizes 'a'"),
    (lambda: sg.nn.MaxPool2d("a"), "got sizes 'a'"),
    (lambda: sg.nn.Linear(3, 2, device="cuda"), "the device 'cuda' does not exist"),
    (lambda: sg.nn.ConvTranspose1d(1, 1, 2, padding=4)(np.ones((1, 1, 3))), "Output size is too small"),
])  # fmt: skip
def test_calls_that_do_not_fit_are_answered_in_one_sentence(call, words):
    with pytest.raises((ArgumentError, ArgumentTypeError, ShapeError), match=re.escape(words)):
        call()
