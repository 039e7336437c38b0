"""Loops as one operation, against the same loops written out in Python, and against JAX where it is installed."""

import pickle
import signal
import sys
from collections import namedtuple
from types import SimpleNamespace

import numpy as np
import pytest
from checks import close

import symgrad as sg
from symgrad import errors
from symgrad.compiler.backends.c.compiler import command
from symgrad.compiler.backends.llvm import scan
from symgrad.core.node import Node, ancestors
from symgrad.ops.protocol import Op
from symgrad.transforms.loops.op import Scan
from symgrad.transforms.loops.trees import flatten, unflatten


# ------------------------------------------------------------------ the same function for three libraries
def written_out(f, init, xs=None, length=None, reverse=False):
    """What scan means, as a loop in Python."""
    slices = []
    tree = flatten(xs, slices, "xs")
    n = len(slices[0]) if slices else length
    carry, rows = init, []
    for t in reversed(range(n)) if reverse else range(n):
        carry, y = f(carry, unflatten(tree, iter([x[t] for x in slices])))
        rows.append([])
        y_tree = flatten(y, rows[-1], "y")
    rows = rows[::-1] if reverse else rows
    return carry, unflatten(y_tree, iter([sg.stack([sg.as_tensor(r[k]) for r in rows]) for k in range(len(rows[0]))]))


def counted(lower, upper, body, init):
    for i in range(lower, upper):
        init = body(i, init)
    return init


NAMES = ("tanh", "sin", "exp", "where", "ones", "stack")
SG = SimpleNamespace(**{n: getattr(sg, n) for n in NAMES}, scan=sg.scan, fori=sg.fori_loop, grad=sg.grad, vmap=sg.vmap)
PYTHON = SimpleNamespace(**{**vars(SG), "scan": written_out, "fori": counted})

rng = np.random.default_rng(7)
H, X, W = rng.uniform(-1, 1, 3), rng.uniform(-1, 1, (4, 3)), rng.uniform(-0.7, 0.7, (3, 3))


def recurrent(L, h, X, W):
    def step(h, x):
        h = L.tanh(W @ h + x)
        return h, (h * h).sum()

    h, ys = L.scan(step, h, X)
    return (ys**2).sum() + h.sum()


def from_the_end(L, h, X):
    h, ys = L.scan(lambda h, x: (L.sin(h) * x, h * x), h, X, reverse=True)
    return (ys * X).sum() + (h**2).sum()


def lstm(L, h, X, W):
    def step(carry, x):
        h, c = carry["h"], carry["c"]
        i, o = 1 / (1 + L.exp(-(W @ h + x))), 1 / (1 + L.exp(-(W.T @ h - x)))
        c = (1 - i) * c + i * L.tanh(x * h)
        return {"h": o * L.tanh(c), "c": c}, None

    end, _ = L.scan(step, {"h": h, "c": h * h}, X)
    return (end["h"] * end["c"]).sum()


def several_slices(L, h, X, W):
    end, (a, b) = L.scan(lambda c, x: (c + x[0] * x[1]["k"], (c * c, x[0])), h, (X, {"k": X * 2 + 1}))
    return (end @ W @ end) + (a * b * b).sum()


def no_slices(L, h, W):
    return L.scan(lambda c, _: (c - 0.1 * c**3 + 0.1 * (W @ c), None), h, None, length=5)[0].sum()


def branches(L, h, X):
    end, ys = L.scan(lambda c, x: (L.where(x > 0, c * x, c - x), L.where(c > x, c, x)), h, X)
    return (end**2).sum() + (ys**3).sum()


def in_a_loop(L, h, X, W):
    def outer(c, x):
        inner, ys = L.scan(lambda d, z: (d * z + c.sum(), d * d), c.sum(), W @ x)
        return L.sin(c) * inner + ys.sum(), inner

    end, ys = L.scan(outer, h, X[:3])
    return end.sum() + (ys**2).sum()


def gradient_inside(L, h, W):
    def energy(z):
        return ((W @ z) ** 2).sum() + (z**4).sum()

    return (L.scan(lambda c, _: (c - 0.1 * L.grad(energy)(c), energy(c)), h, None, length=3)[1] ** 2).sum()


def vmap_inside(L, h, X, W):
    return L.scan(lambda c, x: (L.vmap(lambda w: L.tanh(w @ c) * x[0])(W), None), h, X)[0].sum()


def by_number(L, h, W):
    return (L.fori(1, 5, lambda i, c: L.sin(W @ c) * i + c / i, h) ** 2).sum()


LOOPS = {
    "recurrent": (recurrent, H, X, W),
    "from the end": (from_the_end, H, X),
    "dict of states": (lstm, H, X, W),
    "several slices": (several_slices, H, X, W),
    "no slices": (no_slices, H, W),
    "branches": (branches, H, X),
    "loop in a loop": (in_a_loop, H, X, W),
    "gradient inside": (gradient_inside, H, W),
    "vmap inside": (vmap_inside, H, X, W),
    "by number": (by_number, H, W),
}
loops = pytest.mark.parametrize("row", LOOPS.values(), ids=LOOPS)


def taken_apart(row):
    """The row on scan, on the loop written out, and its arguments."""
    f, *args = row
    return (lambda *xs: f(SG, *xs)), (lambda *xs: f(PYTHON, *xs)), args


def alike(found, expected, rtol=1e-11):
    if isinstance(expected, tuple):
        for one, other in zip(found, expected, strict=True):
            alike(one, other, rtol)
    else:
        close(array(found), array(expected), rtol)


def array(x):
    return x.detach().numpy() if isinstance(x, sg.Tensor) else np.asarray(x)


TRANSFORMS = {
    "value and gradient": lambda f, xs: sg.value_and_grad(f, tuple(range(len(xs))))(*xs),
    "hessian": lambda f, xs: sg.hessian(f, tuple(range(len(xs))))(*xs),
    "forward mode": lambda f, xs: sg.jvp(f, xs, [np.cos(x) for x in xs])[1],
    "forward mode in the last": lambda f, xs: sg.jvp(lambda x: f(*xs[:-1], x), xs[-1:], [np.cos(xs[-1])])[1],
    "forward over reverse": lambda f, xs: sg.hvp(f, tuple(xs), tuple(np.cos(x) for x in xs)),
    "third order": lambda f, xs: sg.grad(lambda h: (sg.hvp(lambda z: f(z, *xs[1:]), h, h * 0 + 1) ** 2).sum())(
        sg.as_tensor(xs[0])
    ),
    "compiled": lambda f, xs: sg.compile(sg.value_and_grad(f, tuple(range(len(xs)))))(*xs),
}


@loops
@pytest.mark.parametrize("transform", TRANSFORMS.values(), ids=TRANSFORMS)
def test_scan_is_the_loop_written_out(row, transform):
    f, plain, args = taken_apart(row)
    alike(transform(f, args), transform(plain, args))


@loops
@pytest.mark.parametrize("transform", [lambda f: f, sg.grad, sg.hessian], ids=["value", "gradient", "hessian"])
def test_vmap_of_a_loop_is_a_loop_over_slices(row, transform):
    """Over each argument by itself, so that the carry gets the batch from a slice or a constant too."""
    f, _, args = taken_apart(row)
    for k, x in enumerate(args):
        g = transform(lambda z, k=k: f(*args[:k], z, *args[k + 1 :]))
        batch = np.stack([x, 0.5 * x])
        alike(sg.vmap(g)(batch), np.stack([array(g(z)) for z in batch]))


@loops
def test_gradient_flows_through_vmap_of_a_loop(row):
    f, plain, args = taken_apart(row)
    batch = np.stack([args[0], 0.5 * args[0]])
    found, expected = (
        sg.grad(lambda B, x, g=g: (sg.vmap(lambda z: g(z, *args[1:-1], x))(B) ** 2).sum(), (0, 1))(batch, args[-1])
        for g in (f, plain)
    )
    alike(found, expected)


@loops
def test_single_precision_is_kept(row):
    f, _, args = taken_apart(row)
    which = tuple(range(len(args)))
    value, gradients = sg.value_and_grad(f, which)(*[x.astype(np.float32) for x in args])
    expected, exact = sg.value_and_grad(f, which)(*args)
    assert value.dtype == np.float32
    assert all(g.dtype == np.float32 for g in gradients)
    alike((value, *gradients), (expected, *exact), 1e-4)
    pushed = sg.jvp(f, [x.astype(np.float32) for x in args], [x.astype(np.float32) for x in args])[1]
    assert pushed.dtype == np.float32


@pytest.fixture(scope="module")
def jax():
    jax = pytest.importorskip("jax", reason="compares with jax.lax.scan")
    before = jax.config.jax_enable_x64
    jax.config.update("jax_enable_x64", True)
    yield jax
    jax.config.update("jax_enable_x64", before)


@loops
def test_scan_agrees_with_jax(row, jax):
    f, *args = row
    L = SimpleNamespace(
        **{n: getattr(jax.numpy, n) for n in NAMES},
        scan=jax.lax.scan, fori=jax.lax.fori_loop, grad=jax.grad, vmap=jax.vmap,
    )  # fmt: skip
    which = tuple(range(len(args)))
    value, gradients = jax.value_and_grad(lambda *xs: f(L, *xs), which)(*args)
    alike(
        sg.value_and_grad(lambda *xs: f(SG, *xs), which)(*args), (np.asarray(value), tuple(map(np.asarray, gradients)))
    )
    second = jax.hessian(lambda h: f(L, h, *args[1:]))(args[0])
    alike(sg.hessian(lambda h: f(SG, h, *args[1:]))(args[0]), second)


# ------------------------------------------------------------------ carries, slices and results
Pair = namedtuple("Pair", "a b")


def test_structures_come_back_as_they_were():
    init = {"z": Pair(1.0, None), "a": [2.0, (3.0,)]}
    end, ys = sg.scan(lambda c, x: ({"a": c["a"], "z": Pair(c["z"].a + x, None)}, [c["z"], {}]), init, np.ones(3))
    assert end == {"z": Pair(4.0, None), "a": [2.0, (3.0,)]}
    assert isinstance(end["z"], Pair)
    assert ys[1] == {}
    assert ys[0].a.tolist() == [1.0, 2.0, 3.0]


def test_integers_and_truth_values_are_carried_exactly():
    def step(c, x):
        return {"n": c["n"] + 1, "s": c["s"] + x * x * c["n"], "any": c["any"] | (x > 0).all()}, c["n"]

    init = {"n": 0, "s": sg.zeros(3), "any": sg.tensor(False)}
    end, ys = sg.scan(step, init, X)
    assert (end["n"].dtype, end["n"].item(), ys.dtype, ys.tolist()) == (np.int64, 4, np.int64, [0, 1, 2, 3])
    assert end["any"].dtype == np.bool_
    f = lambda X: sg.scan(step, init, X)[0]["s"].sum()
    alike(sg.grad(f)(X), 2 * X * np.arange(4)[:, None])
    alike(sg.jvp(f, (X,), (X,))[1], (2 * X * X * np.arange(4)[:, None]).sum())
    alike(sg.hvp(f, X, X), 2 * X * np.arange(4)[:, None])


def test_slices_of_few_bits_wrap_around_as_arrays_do():
    xs = np.array([12, 100, 120], np.int8)
    assert sg.scan(lambda c, x: (c, x * x < 0), 0.0, xs)[1].tolist() == [True, False, False]


def test_loop_whose_results_are_integers_cuts_gradients():
    x = sg.tensor([1.0, 2.0], requires_grad=True)
    count, seen = sg.scan(lambda c, x: (c + (x > 1.5).long(), c), 0, x)
    assert (count.requires_grad, count.item(), seen.tolist()) == (False, 1, [0, 0])
    alike(
        sg.grad(lambda x: sg.scan(lambda c, x: (c + (x > 1.5).long(), c), 0, x)[0] * x.sum())(H + 1),
        np.full(3, (H > 0.5).sum()),
    )


def test_number_that_starts_a_carry_takes_the_dtype_of_what_it_becomes():
    xs = sg.tensor(X, dtype=sg.float32)
    assert sg.scan(lambda c, x: (c + x.sum(), c), 0.0, xs)[1].dtype == np.float32
    assert sg.scan(lambda c, x: (c + x.sum(), c), 0, xs)[0].dtype == np.float32
    assert sg.scan(lambda c, x: (c + 1, None), 0, xs)[0].dtype == np.int64


def test_loop_of_no_steps_returns_init_and_empty_results():
    def f(a, W):
        end, (ys, none) = sg.scan(lambda c, x: (W @ c + x, ((c * c)[:2], None)), a, X[:0])
        assert (ys.shape, ys.dtype, none) == ((0, 2), np.float64, None)
        return (end**2).sum()

    alike(sg.value_and_grad(f, (0, 1))(H, W), ((H**2).sum(), (2 * H, 0 * W)))
    assert sg.fori_loop(3, 1, lambda i, c: c * i, 2.0).item() == 2.0


def test_results_that_no_slice_changes_are_repeated():
    end, ys = sg.scan(lambda c, _: (c, (1.0, sg.tensor(H))), None, length=2)
    assert end is None
    assert ys[0].tolist() == [1.0, 1.0]
    alike(ys[1], np.stack([H, H]))


def test_scalar_loop_overflows_as_arrays_do():
    with np.errstate(all="ignore"):
        end, ys = sg.scan(lambda c, _: (sg.exp(c), sg.log(-c)), 1.0, length=6)
    assert end.item() == np.inf
    assert np.isnan(ys.numpy()).all()


def test_fill_in_place_inside_a_body_is_a_value_of_its_own():
    def step(c, x):
        y = c + x
        y[0] = 7.0
        c.zero_()
        return y + c, y.sum()

    end, _ = sg.scan(step, sg.ones(3), X)
    alike(end, np.concatenate([[7.0], 1 + X[:, 1:].sum(0)]))


# ------------------------------------------------------------------ errors
def looks(c, x):
    return (c if x > 0 else -c), None


ERRORS = [
    (lambda: sg.scan(looks, 1.0, X[:, 0]), errors.ValueNeeded, r"^scan: .* sg\.where\(x > 0, a, b\)"),
    (lambda: sg.fori_loop(0, 3, lambda i, c: c * sg.tensor(H)[i], 1.0), errors.ValueNeeded, r"as x\[i\.long\(\)\]"),
    (lambda: sg.scan(lambda c, x: (c + x, c), 1.0, X), errors.ShapeError, r"comes as \[\] and is returned as \[3\]"),
    (lambda: sg.scan(lambda c, x: ((c[0], c[1] @ x), c), (1.0, W[0]), X), errors.ShapeError, "tensor 1 of the carry"),
    (lambda: sg.scan(lambda c, x: (c > x, c), H, X), errors.DTypeError, "comes as float64 and is returned as bool"),
    (lambda: sg.scan(lambda c, x: ((c, c), c), 1.0, X), errors.ArgumentTypeError, r"returned as \(tensor, tensor\)"),
    (lambda: sg.scan(lambda c, x: ({}, c), [1.0, None], X), errors.ArgumentTypeError, r"comes as \[tensor, None\]"),
    (lambda: sg.scan(lambda c, x: c, 1.0, X), errors.ArgumentTypeError, "returned a Tensor. Expected a pair"),
    (lambda: sg.scan(lambda c, x: (c, "y"), 1.0, X), errors.ArgumentTypeError, "contains a str"),
    (lambda: sg.scan(lambda c, x: (c, c), "init", X), errors.ArgumentTypeError, "init contains a str"),
    (lambda: sg.scan(lambda c, x: (c, c), 1.0, (X, H)), errors.ShapeError, r"sizes \[3, 4\]"),
    (lambda: sg.scan(lambda c, x: (c, c), 1.0, 2.0), errors.ShapeError, "the xs contain a number"),
    (lambda: sg.scan(lambda c, x: (c, c), 1.0, X, length=3), errors.ArgumentError, "length=3 and xs of 4 slices"),
    (lambda: sg.scan(lambda c, x: (c, c), 1.0), errors.ArgumentError, "xs and length are missing"),
    (lambda: sg.scan(lambda c, x: (c, c), 1.0, length=-1), errors.ArgumentError, "got length=-1"),
    (lambda: sg.scan(lambda c, x: (c, c), 1.0, length=1.5), errors.ArgumentTypeError, "length must be an integer"),
    (lambda: sg.fori_loop(0, 2.5, lambda i, c: c, 1.0), errors.ArgumentTypeError, "upper must be an integer"),
    (lambda: sg.scan(lambda c, x: (c, c), 1.0, sg.symbol("s", "n")), errors.NotYet, r"shape \[n\]"),
    (lambda: sg.scan(lambda c, _: ((c[0] * 2**20, c[1]), None), (1, 0.5), length=3), errors.ArgumentError, "integer"),
]


@pytest.mark.parametrize(("call", "kind", "text"), ERRORS)
def test_misuse_is_refused_with_what_to_do(call, kind, text):
    with pytest.raises(kind, match=text):
        call()


@pytest.mark.parametrize("start", [0, 0.0, 0j, np.float64(0), np.complex128(0)])
def test_number_that_starts_a_carry_becomes_complex_with_it(start):
    def loop(xs):
        return sg.scan(lambda c, x: (c * 0.5 + x, c), start, xs)

    rows = np.array([1j, 2.0, 3.0 - 1j])
    end, before = loop(rows)
    assert (end.item(), before.tolist()) == (4.0 - 0.75j, [0j, 1j, 2.0 + 0.5j])
    assert sg.compile(loop)(rows)[0] == 4.0 - 0.75j
    slope = sg.grad(lambda xs: abs(loop(xs)[0]) ** 2)(rows)
    np.testing.assert_allclose(slope, np.array([0.25, 0.5, 1.0]) * 2 * (4.0 - 0.75j), rtol=1e-14)


def test_real_carry_that_becomes_complex_is_refused_with_what_to_do():
    with pytest.raises(errors.DTypeError, match=r"as float64 and is returned as complex128\. Convert init, as in init"):
        sg.scan(lambda c, x: (c + x, None), np.zeros(2), np.ones((3, 2)) * 1j)


def test_operation_without_a_derivative_may_be_used_where_none_is_asked_for():
    class Odd(Op):
        def forward(self, x):
            return x + 1

        def out_shape(self, s):
            return s

    x = sg.tensor(H, requires_grad=True)
    y = sg.scan(lambda c, _: (Odd()(c), None), x, length=2)[0]
    alike(y, H + 2)
    with pytest.raises(NotImplementedError):
        y.sum().backward()


# ------------------------------------------------------------------ how it is done
def scans(t):
    return [n for n in ancestors([t._node]) if isinstance(n, Node) and isinstance(n.op, Scan)]


def test_long_loop_is_one_node_and_needs_no_recursion():
    a = sg.tensor(0.999, requires_grad=True)
    before = sys.getrecursionlimit()
    sys.setrecursionlimit(200)
    try:
        end, _ = sg.scan(lambda c, x: (c * a + x, None), 1.0, np.zeros(10_000))
        (second,) = sg.autograd.grad(sg.autograd.grad(end, [a], create_graph=True), [a])
    finally:
        sys.setrecursionlimit(before)
    assert len(scans(end)) == 1
    close(second.item(), 1e4 * (1e4 - 1) * 0.999**9998, 1e-11)


def test_body_runs_once_whatever_is_asked_for():
    calls = []

    def step(c, x):
        calls.append(1)
        return sg.sin(c) * x, c

    sg.hessian(lambda h: sg.scan(step, h, X)[0].sum())(H)
    assert len(calls) == 1


def test_cotangents_are_shaped_like_the_inputs_and_none_is_made_for_integers():
    h, x, w = (sg.tensor(a, requires_grad=True) for a in (H, X, W))
    (node,) = scans(sg.scan(lambda c, x: (w @ c * x, c.sum()), h, x)[0])
    values = {(3,): H, (4, 3): X, (3, 3): W}
    xs = [values[p.shape] for p in node.inputs]
    found = node.op.vjps(range(len(xs)), np.ones(node.shape), node.op(*xs), *xs)
    assert [np.shape(g) for g in found] == [np.shape(a) for a in xs]
    (node,) = scans(sg.scan(lambda c, x: (c + (x > 0).long(), None), 0, x[:, 0])[0])
    assert node.op.vjps((1,), np.ones(1), np.ones(1), np.array(0), X[:, 0]) == [None]


def test_equal_loops_share_one_operation():
    ops = [scans(sg.scan(lambda c, x: (c * x + 1, c), sg.tensor(H, requires_grad=True), X)[0])[0].op for _ in range(2)]
    assert ops[0] is ops[1]
    other = scans(sg.scan(lambda c, x: (c * x + 1.0, c), sg.tensor(H, requires_grad=True), X)[0])[0].op
    assert other is not ops[0]  # of integers, 1 and 1.0 make different things


@pytest.mark.parametrize(
    ("step", "kept"),
    [
        (lambda c, x: ((c[0] + c[1], c[1] + x), c[0]), ()),
        (lambda c, x: ((c[0] * x, sg.sin(c[1])), None), (0, 1)),
        (lambda c, x: ((c[0] + c[1] ** 2, c[1] * 2), None), (1,)),
    ],
    ids=["linear", "both", "second"],
)
def test_carries_are_kept_only_where_the_derivative_reads_them(step, kept):
    x = sg.tensor(X, requires_grad=True)
    (node,) = scans(sum(t.sum() for t in sg.scan(step, (sg.tensor(H), sg.tensor(H)), x)[0]))
    assert node.op.kept == kept
    with sg.no_grad():
        assert sg.scan(step, (x[0], x[0]), x)[0][0]._node is None


def test_constant_from_outside_is_an_input_and_what_depends_on_it_alone_runs_once():
    w = sg.tensor(W, requires_grad=True)
    (node,) = scans(sg.scan(lambda c, x: (sg.exp(w) @ c + x, None), H, X)[0])
    op = node.op
    assert (op.carries, op.xs, op.consts) == (1, 1, 1)
    assert [type(op.body.values[k].op).__name__ for k in op.body.steps()] == ["Einsum", "Map"]  # exp came from outside


def test_operation_pickles():
    (node,) = scans(sg.scan(lambda c, x: (sg.sin(c) * x, c.sum()), sg.tensor(H, requires_grad=True), X)[0])
    again = pickle.loads(pickle.dumps(node.op))
    np.testing.assert_array_equal(again(H, X), node.op(H, X))
    assert (again.pieces, again.kept, again.length) == (node.op.pieces, node.op.kept, 4)


def test_formula_of_a_loop_is_a_recurrence_and_has_its_value():
    c, x = sg.tensor(0.3, requires_grad=True, name="c"), sg.tensor(X[:, 0], name="x")
    y = sg.scan(lambda c, x: (c * x + x, None), c, x)[0]
    form = sg.derive(y, c)
    assert str(form) == "λ[0] where λ[t] = x[t]*λ[t+1]; λ[4] = 1"
    assert "scan(" in str(form.index())
    close(form.lambdify()(*[{"c": 0.3, "x": X[:, 0]}[a] for a in form.args]), np.prod(X[:, 0]), 1e-12)


# ------------------------------------------------------------------ checkpoints
@pytest.mark.parametrize("reverse", [False, True], ids=["forwards", "backwards"])
@pytest.mark.parametrize(("n", "every"), [(12, 3), (13, 5), (7, 2), (6, 1), (5, 5), (4, 9), (1, 3)])
def test_chunks_change_nothing_but_memory(n, every, reverse):
    rng = np.random.default_rng(n)
    xs = {"a": rng.normal(size=(n, 3)), "b": rng.normal(size=n)}

    def total(checkpoint_every):
        def f(w, xs):
            def step(c, x):
                return (sg.tanh(w @ c[0] + x["a"]), c[1] + x["b"]), (c[0] * x["b"], c[1])

            c, ys = sg.scan(step, (np.ones(3), 0), xs, reverse=reverse, checkpoint_every=checkpoint_every)
            return (c[0] ** 2).sum() + c[1] ** 2 + (ys[0] ** 3).sum() + sg.sin(ys[1]).sum()

        return f

    expected = sg.value_and_grad(total(None), argnums=(0, 1))(W3, xs)
    for run in (sg.value_and_grad(total(every), argnums=(0, 1)), sg.compile(sg.value_and_grad(total(every), (0, 1)))):
        value, (slope, slopes) = run(W3, xs)
        close(value, expected[0], 1e-13)
        close(slope, expected[1][0], 1e-12)
        close(slopes["a"], expected[1][1]["a"], 1e-12)
    close(sg.hessian(total(every))(W3, xs), sg.hessian(total(None))(W3, xs), 1e-10)


W3 = np.random.default_rng(5).normal(size=(3, 3)) / 2


def test_chunks_keep_the_carries_between_them():
    n, d = 400, 10
    xs = np.random.default_rng(0).normal(size=(n, d))

    def bytes_of(every):
        def f(a):
            return sg.scan(lambda c, x: (sg.tanh(a * c + x), None), np.ones(d), xs, checkpoint_every=every)[0].sum()

        return sg.compile(sg.grad(f)).lower(0.5).stats.bytes

    carries = 8 * n * d
    assert bytes_of(None) > carries
    assert bytes_of(20) < carries / 3


@pytest.mark.parametrize(("every", "error"), [(0, errors.ArgumentError), ("2", errors.ArgumentTypeError)])
def test_chunks_of_no_length(every, error):
    with pytest.raises(error, match="checkpoint_every"):
        sg.scan(lambda c, x: (c, None), 1.0, length=4, checkpoint_every=every)


# ------------------------------------------------------------------ Ctrl-C
@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="no timers that signal on this system")
@pytest.mark.parametrize("backend", ["llvm", "c"])
@pytest.mark.parametrize("outside", [False, True], ids=["alone", "between calls of NumPy"])
def test_a_signal_ends_a_loop_that_would_take_long(backend, outside):
    if backend == "llvm":
        pytest.importorskip("llvmlite")
    elif command() is None:
        pytest.skip("no C compiler")

    def f(x):
        once = lambda i, c: sg.sin(c) + x
        y = sg.fori_loop(0, 50_000, lambda i, c: sg.fori_loop(0, 50_000, once, c), x)
        return y.sum() + (sg.linalg.inv(sg.diag(x)).sum() if outside else 0.0)

    def interrupted(*_):
        raise KeyboardInterrupt

    x = np.linspace(0.1, 1, 20)
    kernel = sg.compile(f, backend=backend)
    kernel.lower(x)
    before = signal.signal(signal.SIGVTALRM, interrupted)
    signal.setitimer(signal.ITIMER_VIRTUAL, 0.02)  # of this process's own time
    try:
        with pytest.raises(KeyboardInterrupt):
            kernel(x)
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.signal(signal.SIGVTALRM, before)


def test_loops_that_ask_for_signals_give_the_same_numbers(monkeypatch):
    pytest.importorskip("llvmlite")
    f = sg.value_and_grad(lambda x: sg.fori_loop(0, 100, lambda i, c: sg.sin(c) * x + i, x))
    expected = sg.compile(f, backend="llvm")(0.5)
    monkeypatch.setattr(scan, "ASKS", 8)
    asks = sg.compile(f, backend="llvm")
    assert asks(0.5) == expected
    assert "ask:" in asks.source


def test_a_derivative_in_a_loop_that_reads_no_variable_has_its_value():
    def gradients(xs):
        return sg.scan(lambda c, x: (c, sg.grad(lambda a: sg.trace(a @ a.mT))(x)), 0.0, xs)[1]

    xs = np.array([[[0.3, -0.7]], [[1.1, 0.2]]])
    for f in (gradients, sg.compile(gradients)):
        np.testing.assert_allclose(np.asarray(f(xs)), 2 * xs, rtol=1e-15)
