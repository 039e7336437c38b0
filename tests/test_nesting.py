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
