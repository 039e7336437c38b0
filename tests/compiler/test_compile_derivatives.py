"""Compiled functions inside transforms, backward, vmap, loops and each other; which mode Jacobians use."""

from __future__ import annotations

import numpy as np
import pytest
from checks import BACKENDS

import symgrad as sg
from symgrad.compiler.jacobians import operations
from symgrad.compiler.trace import trace
from symgrad.core import pickling
from symgrad.core.trees import LEAF, ContainerSpec
from symgrad.engine.program import Spec
from symgrad.errors import GraphError

backends = pytest.mark.parametrize("backend", BACKENDS)
RNG = np.random.default_rng(0)
X, W = RNG.normal(size=(2, 3)), RNG.normal(size=3)


def loss(x, w):
    return (sg.tanh(x @ w) ** 2).sum() + sg.sin(w[0] * x[0, 0])


def array(y):
    return np.asarray(y.detach().numpy() if isinstance(y, sg.Tensor) else y)


def agree(found, expected, rtol=1e-11):
    if isinstance(expected, (tuple, list)):
        assert len(found) == len(expected)
        for y, z in zip(found, expected, strict=True):
            agree(y, z, rtol)
    else:
        y, z = array(found), array(expected)
        assert (y.shape, y.dtype) == (z.shape, z.dtype)
        np.testing.assert_allclose(y, z, rtol=rtol, atol=1e-13)


TRANSFORMS = {
    "grad": lambda f: sg.grad(f, (0, 1)),
    "value_and_grad": lambda f: sg.value_and_grad(f, 1),
    "jacobian": lambda f: sg.jacobian(f, (1, 0)),
    "jacfwd": lambda f: sg.func.jacfwd(f, 1),
    "hessian": lambda f: sg.hessian(f, 1),
    "hessian of both": lambda f: sg.hessian(f, (0, 1)),
    "hvp": lambda f: lambda x, w: sg.hvp(f, (x, w), (2 * x, w)),
    "jvp": lambda f: lambda x, w: sg.jvp(f, (x, w), (x, 2 * w)),
    "vjp": lambda f: lambda x, w: sg.vjp(f, x, w)[1](2.0),
    "third order": lambda f: sg.grad(lambda x, w: sg.hessian(f, 1)(x, w).sum(), 1),
    "vmap": lambda f: lambda x, w: sg.vmap(f, in_axes=(0, None))(sg.stack([x, x + 1]), w),
    "vmap of grad": lambda f: lambda x, w: sg.vmap(sg.grad(f, 1), in_axes=(None, 0))(x, sg.stack([w, w + 1])),
    "grad of vmap": lambda f: sg.grad(lambda x, w: sg.vmap(f, in_axes=(0, None))(sg.stack([x, x * x]), w).sum()),
}


@backends
@pytest.mark.parametrize("name", TRANSFORMS)
def test_transforms_of_compiled_functions_are_those_of_the_functions(name, backend):
    make, fast = TRANSFORMS[name], sg.compile(loss, backend=backend)
    expected = make(loss)(sg.tensor(X), sg.tensor(W))
    agree(make(fast)(sg.tensor(X), sg.tensor(W)), expected)
    agree(sg.compile(make(fast), backend="auto" if backend == "python" else backend)(X, W), expected)


def two(p, n):
    """Two results and others, of a dict."""
    y = p["a"] * p["b"].sum() ** n
    return {"y": y, "n": y > 0, "s": (sg.exp(p["b"]), n)}


def through(f):
    """The gradients of gradients, by backward, through several results."""
    a, b = sg.tensor(X, requires_grad=True), sg.tensor(W, requires_grad=True)
    out = f({"a": a, "b": b}, 2)
    total = (out["y"] ** 2).sum() * out["s"][0].sum()
    gradients = sg.autograd.grad(total, [a, b], create_graph=True)
    sum((g * g).sum() for g in gradients).backward()
    assert not out["n"].requires_grad
    return [total, *gradients, a.grad, b.grad, out["n"], sg.tensor(out["s"][1])]


@backends
def test_backward_goes_through_several_results_and_to_second_order(backend):
    agree(through(sg.compile(two, backend=backend)), through(two))


@backends
def test_results_without_gradient_are_plain(backend):
    x = sg.tensor(X, requires_grad=True)
    f = sg.compile(lambda x: (x * 2, x > 1, sg.ones(2), 3, None), backend=backend)
    doubled, large, ones, three, nothing = f(x)
    assert (doubled.requires_grad, large.requires_grad, three, nothing) == (True, False, 3, None)
    agree([doubled, large, ones], [X * 2, X > 1, np.ones(2)])
    with sg.no_grad():
        assert not f(x)[0].requires_grad
    assert not f(sg.tensor(X))[0].requires_grad
    sg.compile(lambda x: x.detach() * x, backend=backend)(x).sum().backward()
    agree(x.grad, X)


@pytest.mark.parametrize("backend", ["numpy", "llvm"])
def test_integers_beside_floats_carry_no_gradient(backend):
    def f(x, k, n):
        return (x**3 * k).sum() * n

    fast = sg.compile(f, backend=backend)
    k = np.array([1, 2, 3])
    agree(sg.grad(fast)(W, k, 2), sg.grad(f)(W, k, 2))
    x = sg.tensor(W, requires_grad=True)
    fast(x, k, 2).backward()
    agree(x.grad, 6 * W**2 * k)


@backends
def test_float32_stays_float32(backend):
    def f(x, w):
        return (x * w).sum(), x.exp()

    x32, w64 = X.astype(np.float32), sg.tensor(W, requires_grad=True)
    x = sg.tensor(x32, requires_grad=True)
    total, y = sg.compile(f, backend=backend)(x, w64)
    assert (total.dtype, y.dtype) == (np.float64, np.float32)
    (total + y.sum()).backward()
    assert (x.grad.dtype, w64.grad.dtype) == (np.float32, np.float64)
    agree(x.grad, (W + np.exp(x32)).astype(np.float32), 1e-6)


@backends
def test_compiled_functions_nest(backend):
    inner = sg.compile(lambda x: sg.tanh(x) * x, backend=backend)
    outer = sg.compile(lambda x, w: inner(x * w).sum() + inner(np.ones(3)).sum(), backend=backend)
    plain = lambda x, w: (sg.tanh(x * w) * x * w).sum() + 3 * np.tanh(1.0)
    agree(outer(X, W), plain(sg.tensor(X), sg.tensor(W)))
    agree(sg.grad(outer, (0, 1))(X, W), sg.grad(plain, (0, 1))(X, W))
    agree(sg.compile(sg.grad(sg.compile(outer, "auto")), backend)(X, W), sg.grad(plain)(X, W))


@backends
def test_loops_run_compiled_bodies(backend):
    def run(cell):
        return lambda h, xs: sg.scan(lambda h, x: (cell(h, x), h), h, xs)[1].sum()

    cell = lambda h, x: sg.tanh(h * x + h)
    fast = sg.compile(cell, backend=backend)
    agree(sg.grad(run(fast), (0, 1))(0.5, W), sg.grad(run(cell), (0, 1))(0.5, W))


def test_derivatives_are_compiled_once():
    traced = []

    @sg.compile
    def f(x):
        traced.append(x)
        return (x**3).sum()

    for k in range(1, 5):
        agree(sg.grad(f)(W * k), 3 * (W * k) ** 2)
    assert len(traced) == 2  # the function, and its pullback


def test_closed_forms_go_through_compiled_functions():
    x = sg.tensor(W, requires_grad=True, name="x")
    assert str(sg.derive(sg.compile(lambda v: (v**2).sum())(x), x)) == "2*x"


def test_derivatives_of_unpickled_lambdas_say_what_is_missing(monkeypatch):
    monkeypatch.setattr(pickling, "_WRITERS", ())  # another test may have loaded cloudpickle
    f = sg.compile(lambda x: (x**2).sum())
    f(W)
    restored = f.__reduce__()
    again = restored[0](*restored[1])
    assert again(W) == f(W)
    with pytest.raises(GraphError, match="unpickled without its source"):
        sg.grad(again)(W)


# ------------------------------------------------------------------ forward or reverse
def arm(q):
    """Where the hand of an arm with six joints is."""
    here, turn = sg.zeros(3), sg.eye(3)
    for k in range(6):
        c, s, zero = sg.cos(q[k]), sg.sin(q[k]), 0 * q[k]
        a, b = [(0.0, 1.0), (1.0, 0.0), (0.0, -1.0)][k % 3]
        rows = [[c, -s * b, s * a], [s, c * b, -c * a], [zero, zero + a, zero + b]]
        turn = turn @ sg.stack([sg.stack(r) for r in rows])
        here = here + turn @ sg.stack([zero + 0.3, zero + 0.1 * k, zero + 0.2])
    return here


def count(f, *xs):
    """Scalar operations of a traced function."""
    tree = ContainerSpec(tuple, (), (ContainerSpec(tuple, (), (LEAF,) * len(xs)), ContainerSpec(dict, (), ())))
    return operations(trace(f, tree, [Spec(x.shape, x.dtype) for x in xs], "compile").program)


def deep(x):
    """Three numbers to four, by way of one: forward mode is shorter."""
    s = sg.sin(sg.exp(x).sum())
    return sg.stack([s, s * s, sg.tanh(s), sg.exp(s)])


def wide(x):
    """Four numbers to three, each of all: reverse mode is shorter."""
    return sg.stack([sg.exp(sg.sin(x).prod()), sg.tanh(x).sum(), (x * x).sum()])


@pytest.mark.parametrize(
    ("f", "n"), [(arm, 6), (deep, 3), (wide, 4), (lambda x: sg.cumprod(x, 0), 5), (lambda x: x**2, 4)]
)
def test_jacobians_keep_the_shorter_mode(f, n):
    x = np.linspace(0.3, 1.2, n)
    lengths = {m: count(m(f), x) for m in (sg.jacobian, sg.func.jacrev, sg.func.jacfwd)}
    assert lengths[sg.jacobian] == min(lengths.values())
    agree(sg.compile(sg.jacobian(f))(x), sg.jacobian(f)(x), 1e-10)


def test_modes_differ_and_both_are_chosen_somewhere():
    n = {
        f: (count(sg.func.jacfwd(f), np.ones(k)), count(sg.func.jacrev(f), np.ones(k)))
        for f, k in ((arm, 6), (deep, 3))
    }
    assert n[arm][0] > n[arm][1]
    assert n[deep][0] < n[deep][1]


@pytest.mark.parametrize("f", [lambda x: x.prod(), lambda x: sg.logsumexp(x, 0), lambda x: (arm(x) ** 2).sum()])
def test_hessians_keep_the_shorter_mode(f):
    x = np.linspace(0.3, 1.2, 6)
    over = [count(outer(sg.grad(f)), x) for outer in (sg.func.jacrev, sg.func.jacfwd)]
    assert count(sg.hessian(f), x) == min(over)
    agree(sg.compile(sg.hessian(f))(x), sg.hessian(f)(x), 1e-10)


def test_modes_are_not_compared_where_the_number_of_sweeps_decides():
    traced = []

    def f(x):
        traced.append(x)
        return x.sum().expand(40)

    sg.compile(sg.jacobian(f))(np.ones(3))
    assert len(traced) == 1
    sg.compile(sg.jacobian(lambda x: f(x)[:3]))(np.ones(3))
    assert len(traced) == 3


POINT, ROWS = np.linspace(-1, 1, 20), np.cos(np.arange(800.0)).reshape(40, 20)
AT_ONCE = {
    "hessian": (sg.hessian(lambda w: sg.log(1 + sg.exp(sg.tensor(ROWS) @ w)).mean()), POINT),
    "jacfwd": (sg.func.jacfwd(lambda w, x: sg.tanh(x @ w.reshape(4, 5).mT).sum(0)), POINT, ROWS[:, :5]),
    "jacrev": (sg.func.jacrev(lambda w, x: (sg.tanh(x @ w), w[0] * x[0])), POINT, ROWS),
    "loop": (sg.hessian(lambda w: sg.scan(lambda c, _: (sg.sin(c) * w, None), w, length=5)[0].sum()), POINT),
    "several": (sg.hessian(lambda w, b, x: sg.tanh(x @ w + b).sum(), (0, 1)), POINT, ROWS[:, 0], ROWS),
    "complex": (sg.func.jacrev(lambda z: sg.fft.fft(z) ** 2, holomorphic=True), np.exp(1j * ROWS[:2].ravel())),
}


@pytest.mark.parametrize("name", AT_ONCE)
def test_sweeps_in_arrays_run_at_once(name):
    f, *xs = AT_ONCE[name]
    fast = sg.compile(f, backend="numpy")
    agree(fast(*xs), f(*xs), 1e-10)
    assert len(fast.lower(*xs).stages["program"].splitlines()) < 80


def test_a_negated_zero_is_left_out_like_any_zero():
    f = sg.compile(sg.grad(lambda q: sg.cos(q) * (1.0 - 0.0 * q) + sg.sin(q) * -(0.0 * q)), backend="python")
    assert f(0.5) == pytest.approx(-np.sin(0.5))
    assert "0.0" not in f.source
