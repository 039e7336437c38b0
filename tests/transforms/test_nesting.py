"""Transforms of transforms in every order, eager and compiled, against an analytic truth and torch.func."""

from itertools import product

import numpy as np
import pytest
from checks import close

import symgrad as sg

X = np.array([0.5, -1.0, 1.5])
A = np.array([[2.0, -1.0, 0.5], [0.3, 1.5, -0.2], [0.1, 0.4, 3.0]])


def column(x):
    """x as a matrix of four rows, each of which the transforms that map are given."""
    return sg.stack([x, 2 * x, x * x, sg.sin(x)])


def whole(y):
    """A scalar that depends on all entries of a result."""
    return sum((t * t).sum() for t in leaves(y))


def leaves(y):
    parts = y.values() if isinstance(y, dict) else y
    return [t for v in parts for t in leaves(v)] if isinstance(y, (tuple, list, dict)) else [y]


TRANSFORMS = {  # of a scalar function f of a vector, to a scalar function of a vector
    "grad": lambda f: lambda x: whole(sg.grad(f)(x)),
    "value_and_grad": lambda f: lambda x: whole(sg.value_and_grad(f)(x)),
    "vjp": lambda f: lambda x: whole(sg.vjp(f, x)[1](f(x))),
    "jvp": lambda f: lambda x: whole(sg.jvp(f, (x,), (sg.cos(x),))),
    "linearize": lambda f: lambda x: whole(sg.linearize(f, x)[1](sg.cos(x))),
    "jacrev": lambda f: lambda x: whole(sg.jacrev(lambda x: sg.stack([f(x), f(2 * x)]))(x)),
    "jacfwd": lambda f: lambda x: whole(sg.jacfwd(lambda x: sg.stack([f(x), f(2 * x)]))(x)),
    "hessian": lambda f: lambda x: whole(sg.hessian(f)(x)),
    "hvp": lambda f: lambda x: whole(sg.hvp(f, x, sg.cos(x))),
    "vmap": lambda f: lambda x: whole(sg.vmap(f)(column(x))),
    "structured": lambda f: lambda x: whole(sg.grad(lambda p: f(p["x"] * p["c"][0]))({"x": x, "c": [2.0]})),
    "checkpoint": lambda f: sg.checkpoint(f),
    "compile": lambda f: sg.compile(f),
}


def torch_transforms(torch):
    F = torch.func

    def whole(y):
        return sum((t * t).sum() for t in leaves(y))

    def column(x):
        return torch.stack([x, 2 * x, x * x, torch.sin(x)])

    both = lambda f: lambda x: torch.stack([f(x), f(2 * x)])
    return {
        "grad": lambda f: lambda x: whole(F.grad(f)(x)),
        "value_and_grad": lambda f: lambda x: whole(F.grad_and_value(f)(x)),
        "vjp": lambda f: lambda x: whole(F.vjp(f, x)[1](f(x))),
        "jvp": lambda f: lambda x: whole(F.jvp(f, (x,), (torch.cos(x),))),
        "linearize": lambda f: lambda x: whole(F.jvp(f, (x,), (torch.cos(x),))[1]),
        "jacrev": lambda f: lambda x: whole(F.jacrev(both(f))(x)),
        "jacfwd": lambda f: lambda x: whole(F.jacfwd(both(f))(x)),
        "hessian": lambda f: lambda x: whole(F.hessian(f)(x)),
        "hvp": lambda f: lambda x: whole(F.jvp(F.grad(f), (x,), (torch.cos(x),))[1]),
        "vmap": lambda f: lambda x: whole(F.vmap(f)(column(x))),
        "structured": lambda f: (
            lambda x: whole(F.grad(lambda p: f(p["x"] * p["c"][0]))({"x": x, "c": [torch.tensor(2.0, dtype=x.dtype)]}))
        ),
        "checkpoint": lambda f: f,
        "compile": lambda f: f,
    }


def smooth(L):
    A_ = L.tensor(A)
    return lambda x: (L.sin(x) * (A_ @ x)).sum() / 4 + L.exp(-x[0] * x[1]) / 8


def nested(names, transforms, f):
    for name in reversed(names):  # the first is the outermost
        f = transforms[name](f)
    return f


PAIRS = list(product(TRANSFORMS, repeat=2))
INNER = ["grad", "jvp", "vmap", "jacfwd", "linearize"]
TRIPLES = list(product(INNER, repeat=3))
MORE = [
    ("hessian", "vmap", "grad"), ("hvp", "vmap", "vjp"), ("vmap", "hessian", "checkpoint"), ("jacrev", "hvp", "vmap"),
    ("vmap", "vmap", "grad"), ("grad", "structured", "vmap"), ("hessian", "compile", "vmap"),
    ("vmap", "compile", "jacfwd"), ("compile", "hvp", "checkpoint"), ("grad", "checkpoint", "jvp"),
    ("jvp", "checkpoint", "vmap"), ("checkpoint", "hessian", "linearize"),
]  # fmt: skip


@pytest.fixture(scope="module")
def torch():
    return pytest.importorskip("torch", reason="compares with torch.func")


@pytest.mark.parametrize("names", [*PAIRS, *TRIPLES, *MORE], ids=" of ".join)
def test_nested_transforms_agree_with_torch(torch, names):
    found = nested(names, TRANSFORMS, smooth(sg))(sg.tensor(X))
    expected = nested(names, torch_transforms(torch), smooth(torch))(torch.tensor(X))
    close(float(found), float(expected), 1e-9)


@pytest.mark.parametrize("names", [*PAIRS, *MORE], ids=" of ".join)
def test_compiled_nested_transforms_are_the_eager_ones(names):
    f = nested(names, TRANSFORMS, smooth(sg))
    close(sg.compile(f)(X), float(f(sg.tensor(X))), 1e-9)


@pytest.mark.parametrize("names", PAIRS, ids=" of ".join)
def test_nested_transforms_leave_no_graph_behind(names):
    found = nested(names, TRANSFORMS, smooth(sg))(sg.tensor(X))
    assert not found.requires_grad


# ------------------------------------------------------------------ against formulas
# f(x) = (w·x)³ has the derivatives 3(w·x)² w, 6(w·x) wwᵀ and 6 www.

W = np.array([0.5, -0.2, 0.3])
S = W @ X


def cube(x):
    return (sg.tensor(W) @ x) ** 3


ORDERS = {
    1: [lambda f: sg.grad(f), lambda f: sg.jacfwd(f), lambda f: sg.jacrev(f)],
    2: [lambda f, a=a, b=b: a(b(f)) for a, b in product((sg.jacfwd, sg.jacrev), (sg.grad, sg.jacfwd, sg.jacrev))]
    + [sg.hessian],
    3: [lambda f, a=a, b=b, c=c: a(b(c(f))) for a, b, c in product((sg.jacfwd, sg.jacrev), repeat=3)]
    + [lambda f: sg.jacobian(sg.hessian(f))],
}
KNOWN = {
    1: 3 * S**2 * W,
    2: 6 * S * np.multiply.outer(W, W),
    3: 6 * np.multiply.outer(np.multiply.outer(W, W), W),
}


@pytest.mark.parametrize("compiled", [False, True], ids=["eager", "compiled"])
@pytest.mark.parametrize("order", ORDERS)
def test_every_order_of_modes_gives_the_derivative(order, compiled):
    for transform in ORDERS[order]:
        f = sg.compile(transform(cube)) if compiled else transform(cube)
        close(f(X), KNOWN[order], 1e-13)
        if not compiled:
            rows = sg.vmap(transform(cube))(np.stack([X, X]))
            close(rows, np.stack([KNOWN[order]] * 2), 1e-13)


@pytest.mark.parametrize("compiled", [False, True], ids=["eager", "compiled"])
def test_gradient_of_gradient_of_gradient_of_a_number(compiled):
    f = sg.grad(sg.grad(sg.grad(lambda x: sg.exp(2 * x) * x)))
    close((sg.compile(f) if compiled else f)(0.5), np.exp(1.0) * (8 * 0.5 + 12), 1e-13)


def test_linear_functions_nest_in_maps_and_derivatives():
    """Rows of a Jacobian as torch and JAX build it: the pullback mapped over a basis."""
    y, pull = sg.vjp(lambda x: sg.sin(sg.tensor(A) @ x), X)
    J = np.cos(A @ X)[:, None] * A
    close(sg.vmap(pull)(np.eye(3))[0], J, 1e-14)
    _, push = sg.linearize(lambda x: sg.sin(sg.tensor(A) @ x), X)
    close(sg.vmap(push, out_axes=1)(np.eye(3)), J, 1e-14)
    close(sg.jacrev(push)(X), J, 1e-14)
    close(sg.jacfwd(lambda v: pull(v)[0])(y), J.T, 1e-14)


def test_inner_transform_at_a_constant_under_compile():
    f = sg.compile(lambda a: sg.grad(lambda x: (a * x * x).sum())(np.ones(3)))
    close(f(X), 2 * X, 0)
    g = sg.compile(lambda a: sg.vmap(lambda x: a * x)(np.ones((2, 3))))
    close(g(X), np.stack([X, X]), 0)


# ------------------------------------------------------------------ torch.autograd's derivatives in transforms
# s(x) = Σ cₖ xₖ⁴ has the gradient 4c x³ and the Hessian diag(12c x²); each line below is a vector, and its slope.

F = sg.autograd.functional
C, V, T = np.array([0.7, -1.3, 2.1]), np.array([0.4, 1.7, -0.6]), np.array([0.9, -1.4, 0.35])
OUTSIDE = sg.tensor(T, requires_grad=True)
QUARTICS = sg.tensor(C) * OUTSIDE**4


def quartics(x):
    return sg.tensor(C) * x**4


def quartic(x):
    return quartics(x).sum()


def cubic(x):
    """A function whose derivative by what is given depends on x: Σ xₖ zₖ³."""
    return lambda z: (x * z**3).sum()


diagonal = sg.enable_grad()(sg.diagonal)
FORWARD = {"vectorize": True, "strategy": "forward-mode"}
FIRST, SECOND, MIXED = (lambda x: 4 * C * x**3, lambda x: 12 * C * x**2, lambda x: 3 * T**2 + 0 * x)
DERIVATIVES = {  # name: what is computed of x, its value, its slope
    "jacobian": (lambda x, **k: F.jacobian(quartic, x, **k), FIRST, SECOND),
    "jacobian forward": (lambda x, **k: diagonal(F.jacobian(quartics, x, **FORWARD, **k)), FIRST, SECOND),
    "hessian": (lambda x, **k: diagonal(F.hessian(quartic, x, **k)), SECOND, lambda x: 24 * C * x),
    "vjp": (lambda x, **k: F.vjp(quartics, x, sg.tensor(V), **k)[1], lambda x: V * FIRST(x), lambda x: V * SECOND(x)),
    "jvp": (lambda x, **k: F.jvp(quartics, x, sg.tensor(V), **k)[1], lambda x: V * FIRST(x), lambda x: V * SECOND(x)),
    "hvp": (lambda x, **k: F.hvp(quartic, x, sg.tensor(V), **k)[1], lambda x: V * SECOND(x), lambda x: 24 * C * V * x),
    "vhp": (lambda x, **k: F.vhp(quartic, x, sg.tensor(V), **k)[1], lambda x: V * SECOND(x), lambda x: 24 * C * V * x),
    "value of vjp": (lambda x, **k: F.vjp(quartics, x, sg.tensor(V), **k)[0], quartics, FIRST),
    "vjp of x": (
        lambda x, **k: F.vjp(quartics, sg.tensor(T), x, **k)[1], lambda x: FIRST(T) * x, lambda x: FIRST(T) + 0 * x
    ),
    "jvp of x": (
        lambda x, **k: F.jvp(quartics, sg.tensor(T), x, **k)[1], lambda x: FIRST(T) * x, lambda x: FIRST(T) + 0 * x
    ),
    "jacobian around x": (lambda x, **k: F.jacobian(cubic(x), sg.tensor(T), **k), lambda x: MIXED(x) * x, MIXED),
    "hvp around x": (
        lambda x, **k: F.hvp(cubic(x), sg.tensor(T), sg.tensor(V), **k)[1], lambda x: 6 * T * V * x,
        lambda x: 6 * T * V + 0 * x,
    ),
    "grad": (lambda x, **k: sg.autograd.grad(quartic(x), x, **k)[0], FIRST, SECOND),
    "grad of x outside": (
        lambda x, **k: sg.autograd.grad(QUARTICS, OUTSIDE, x, retain_graph=True, **k)[0], lambda x: FIRST(T) * x,
        lambda x: FIRST(T) + 0 * x,
    ),
    "grad around x": (
        lambda x, **k: (lambda z: sg.autograd.grad(cubic(x)(z), z, **k)[0])(sg.tensor(T, requires_grad=True)),
        lambda x: MIXED(x) * x, MIXED,
    ),
    "requires_grad_": (
        lambda x, **k: (lambda z: sg.autograd.grad(quartic(z), z, **k)[0])(x.clone().requires_grad_()), FIRST, SECOND,
    ),
}  # fmt: skip
NEEDS_LEAF = ("grad", "requires_grad_")  # which a slice of vmap is not
U = np.array([1.5, -0.8, 0.45])


def against(f):
    """A number whose gradient is that of f, weighted."""
    return lambda x: (sg.tensor(U) * f(x)).sum()


AROUND = {  # name: (transform of f at T, its value made of f's value and slope)
    "grad": (lambda f: sg.grad(against(f))(sg.tensor(T)), lambda y, dy: U * dy(T)),
    "grad of arrays": (lambda f: sg.grad(against(f))(T), lambda y, dy: U * dy(T)),
    "vjp": (lambda f: sg.vjp(f, sg.tensor(T))[1](sg.tensor(U))[0], lambda y, dy: U * dy(T)),
    "jvp": (lambda f: sg.jvp(f, (sg.tensor(T),), (sg.tensor(U),))[1], lambda y, dy: U * dy(T)),
    "linearize": (lambda f: sg.linearize(f, T)[1](U), lambda y, dy: U * dy(T)),
    "jacrev": (lambda f: sg.diagonal(sg.jacrev(f)(sg.tensor(T))), lambda y, dy: dy(T)),
    "jacfwd": (lambda f: sg.diagonal(sg.jacfwd(f)(sg.tensor(T))), lambda y, dy: dy(T)),
    "checkpoint": (lambda f: sg.jvp(sg.checkpoint(f), (T,), (U,))[1], lambda y, dy: U * dy(T)),
    "functional.jacobian": (lambda f: sg.diagonal(F.jacobian(f, sg.tensor(T))), lambda y, dy: dy(T)),
    "functional.jvp": (lambda f: F.jvp(f, sg.tensor(T), sg.tensor(U))[1], lambda y, dy: U * dy(T)),
    "functional.vjp": (lambda f: F.vjp(f, sg.tensor(T), sg.tensor(U))[1], lambda y, dy: U * dy(T)),
}
MAPPED = {
    "vmap": (lambda f: sg.vmap(f)(np.stack([T, U]))[1], lambda y, dy: y(U)),
    "chunks": (lambda f: sg.vmap(f, chunk_size=1)(sg.tensor(np.stack([T, U])))[1], lambda y, dy: y(U)),
    "vmap of grad": (lambda f: sg.vmap(sg.grad(against(f)))(np.stack([T, V]))[1], lambda y, dy: U * dy(V)),
    "jvp of vmap": (lambda f: sg.jvp(sg.vmap(f), (np.stack([T, V]),), (np.stack([V, U]),))[1][1],
                    lambda y, dy: U * dy(V)),
    "scan": (lambda f: sg.scan(lambda c, x: (c, f(x)), 0.0, np.stack([T, U]))[1][1], lambda y, dy: y(U)),
}  # fmt: skip
COMPILED = {
    "compile": (lambda f: sg.compile(f)(T), lambda y, dy: y(T)),
    "compile of grad": (lambda f: sg.compile(sg.grad(against(f)))(T), lambda y, dy: U * dy(T)),
    "grad of compile": (lambda f: sg.grad(against(sg.compile(f)))(T), lambda y, dy: U * dy(T)),
}
MODES = {"recording": sg.enable_grad, "no_grad": sg.no_grad, "inference_mode": sg.inference_mode}


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("create_graph", [False, True], ids=["", "create_graph"])
@pytest.mark.parametrize("name", DERIVATIVES)
def test_derivatives_taken_by_autograd_are_differentiated_and_mapped(name, create_graph, mode):
    inner, value, slope = DERIVATIVES[name]
    places = AROUND if name in NEEDS_LEAF else AROUND | MAPPED
    if mode == "recording" and name not in (*NEEDS_LEAF, "grad around x", "grad of x outside"):
        places = places | COMPILED  # which refuses captured tensors that require grad
    for transform, expected in places.values():
        with MODES[mode]():
            found = transform(lambda x: inner(x, create_graph=create_graph))
        close(sg.as_tensor(found).detach(), expected(value, slope), 1e-12)


@pytest.mark.parametrize("name", [n for n in DERIVATIVES if n not in (*NEEDS_LEAF, "grad around x")])
def test_autograd_functional_has_values_and_graphs_without_grad_mode(name):
    inner, value, slope = DERIVATIVES[name]
    x = sg.tensor(T, requires_grad=True)
    with sg.no_grad():
        close(inner(x).detach(), value(T), 1e-14)
        assert not inner(x).requires_grad
        y = inner(x, create_graph=True)
    close(sg.autograd.grad(y, x, sg.tensor(U))[0], U * slope(T), 1e-13)


def test_no_grad_within_a_transform_makes_constants_and_around_it_changes_nothing():
    def f(x):
        with sg.no_grad():
            fixed = sg.grad(quartic)(x) + F.jacobian(quartic, x)
        return (fixed * x).sum()

    close(sg.grad(f)(T), 2 * FIRST(T), 1e-14)
    with sg.no_grad():
        found = sg.grad(quartic)(sg.tensor(T, requires_grad=True))
    close(found, FIRST(T), 1e-14)
    assert not found.requires_grad


def test_graphs_from_outside_are_pulled_back_for_every_slice():
    x = sg.tensor(T, requires_grad=True)
    h = sg.sin(x)
    y = sg.linalg.inv(sg.diag(h))
    rows = sg.vmap(lambda v: sg.autograd.grad(y @ v, x, 2 * v, retain_graph=True)[0])(np.eye(3))
    close(rows.detach(), np.diag(-2 * np.cos(T) / np.sin(T) ** 2), 1e-13)
    rows = sg.vmap(lambda v: sg.autograd.grad(((h * v) ** 3).sum(), x)[0], chunk_size=2)(2 * np.eye(3))
    close(rows.detach(), np.diag(24 * np.sin(T) ** 2 * np.cos(T)), 1e-13)


LOST = {
    "starts": lambda x: quartic(x.detach().requires_grad_()),
    "sets": lambda x: (lambda z: setattr(z, "requires_grad", True) or quartic(z))(x.detach()),
    "runs backward": lambda x: (lambda z: (quartic(z).backward(), z.grad.sum())[1])(x + 0.0),
    "runs backward towards a leaf": lambda x: (lambda z: (cubic(x)(z).backward(), z.grad.sum())[1])(
        sg.tensor(T, requires_grad=True)
    ),
    "passes a cotangent": lambda x: (lambda z: ((z**3).backward(x), z.grad.sum())[1])(sg.tensor(T, requires_grad=True)),
    "makes a parameter": lambda x: quartic(sg.nn.Parameter(x)),
}


@pytest.mark.parametrize("transform", ["grad", "jacfwd", "hessian", "vmap", "compile"])
@pytest.mark.parametrize("name", LOST)
def test_what_a_transform_would_take_for_a_constant_is_refused(name, transform):
    words = r"requires_grad_\(\): it was called|you can only change|backward\(\) was called|needs values|no value"
    words += r"|does not require grad|nn.Parameter|adds to the \.grad of a tensor that requires grad"
    with pytest.raises(sg.errors.SymgradError, match=words):
        getattr(sg, transform)(LOST[name])(T if transform != "vmap" else np.stack([T, T]))
    with pytest.raises(sg.errors.GraphError, match="it was called in a function that a transform"):
        sg.grad(lambda x: quartic(x.requires_grad_(False)))(T)


def test_leaves_of_a_function_of_its_own_are_trained_in_transforms():
    def fitted(x):
        w = sg.tensor(0.5, requires_grad=True)
        (w**3).backward()
        return x * w.grad

    assert sg.grad(fitted)(2.0) == 0.75


def test_results_of_checkpoints_without_a_graph_are_constants():
    x = sg.tensor(T, requires_grad=True)
    y, z = sg.checkpoint(lambda x: (F.jacobian(quartic, x), 2 * x))(x)
    assert (y.requires_grad, z.requires_grad) == (False, True)
    close(y, FIRST(T), 1e-14)
    (z * y).sum().backward()
    close(x.grad, 2 * FIRST(T), 1e-14)


def test_chunks_larger_than_the_batch_and_batches_of_nothing():
    x = np.arange(6.0).reshape(3, 2)
    for size in (1, 2, 3, 7):
        close(
            sg.vmap(lambda a, b: a.sum() * b, in_dims=(0, None), out_dims=1, chunk_size=size)(x, T),
            np.outer(T, x.sum(1)),
            0,
        )
        assert sg.vmap(sg.sin, chunk_size=size)(np.zeros((0, 2))).shape == (0, 2)


def test_random_numbers_are_the_same_in_all_chunks():
    for size in (1, 2, 5):
        rows = sg.vmap(lambda x: x + sg.rand(3), randomness="same", chunk_size=size)(np.zeros((5, 3)))
        assert (rows == rows[0]).all()
        assert len(set(rows[0])) == 3


def test_out_dims_none_is_a_result_that_all_slices_share():
    assert sg.vmap(lambda x: sg.ones(2), out_dims=None)(np.ones(3)).shape == (2,)
    with pytest.raises(sg.errors.ArgumentError, match="out_axes None for a result that differs from slice to slice"):
        sg.vmap(lambda x: 2 * x, out_dims=None)(np.ones(3))
    with pytest.raises(sg.errors.ShapeError, match="Map at least one argument"):
        sg.vmap(lambda x: x, in_dims=None)(np.ones(3))
