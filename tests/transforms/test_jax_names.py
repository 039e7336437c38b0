"""JAX's names beside JAX: branches and loops that depend on values, structures, lax, x.at."""

import re

import numpy as np
import pytest

import symgrad as sg
from symgrad.errors import ArgumentError, ArgumentTypeError, GraphError, NotYet, ShapeError

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
    with pytest.raises(GraphError, match="not over after max_steps=3"):
        f(3.5)
    compiled = sg.compile(f)
    assert compiled(2.5) == 3.0
    assert np.isnan(compiled(3.5))
    with pytest.raises(NotYet, match="Pass max_steps="):
        sg.compile(lambda a: sg.while_loop(lambda x: x < a, lambda x: x + 1, 0.0))(2.0)


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
    (lambda: sg.associative_scan(lambda a, b: a + b, 3.0), "elems holds a number"),
    (lambda: sg.lax.dynamic_slice(np.eye(3), (1,), (2,)), "got 1 places and 1 sizes for a tensor of shape [3, 3]"),
    (lambda: sg.lax.dynamic_slice(X, (1,), (7,)), "got sizes [7] for shape [3]"),
    (lambda: sg.tree.map(lambda a, b: a, {"a": 1}), "f(a, b) is called with 1 argument"),
    (lambda: sg.tree.reduce(lambda a, b: a, []), "has no leaves"),
    (lambda: sg.tree.transpose(sg.tree.structure([1, 2]), sg.tree.structure((1,)), [1]), "got 1 leaves. Expected 2"),
    (lambda: sg.tensor(X).at[0].set(1, 2), "Expected set(values)"),
    (lambda: sg.tensor(X).at[0].add("a"), "got values='a'"),
    (lambda: sg.tensor(X).at(0), "Write the index in brackets"),
    (lambda: sg.quad(lambda t, a: a * t, 0.0, 1.0), "f(t, a) is called with 1 argument. Pass what else it takes"),
    (lambda: sg.optim.minimize(lambda p, a: (p**2).sum(), X), "fun(p, a) is called with 1 argument"),
    (lambda: sg.odeint(lambda y: -y, 1.0, [0.0, 1.0]), "f(y) is called with 2 arguments"),
    (lambda: sg.solve_ivp(lambda t, y: -y, (0, 1, 2), [1.0]), "t_span has 3 times"),
    (lambda: sg.optim.curve_fit(lambda t, a: a * t, X, X, p0=[1.0, 2.0]), "p0 has 2 numbers. f(t, a) takes 1"),
    (lambda: sg.optim.curve_fit(lambda t, *p: t, X, X), "does not say how many parameters"),
    (lambda: sg.nn.Conv2d(3, 2), "Expected Conv2d(in_channels"),
    (lambda: sg.nn.Conv2d(3, 2, 3, stride=0), "stride must be at least 1"),
    (lambda: sg.nn.BatchNorm1d("a"), "BatchNorm1d: got sizes 'a'"),
    (lambda: sg.nn.MaxPool2d("a"), "got sizes 'a'"),
    (lambda: sg.nn.Linear(3, 2, device="cuda"), "there is no device 'cuda'"),
    (lambda: sg.nn.ConvTranspose1d(1, 1, 2, padding=4)(np.ones((1, 1, 3))), "Output size is too small"),
])  # fmt: skip
def test_calls_that_do_not_fit_are_answered_in_one_sentence(call, words):
    with pytest.raises((ArgumentError, ArgumentTypeError, ShapeError), match=re.escape(words)):
        call()
