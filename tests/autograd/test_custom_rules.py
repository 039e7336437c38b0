"""custom_vjp and custom_jvp, against the rules of the operations they stand for, and against JAX."""

import numpy as np
import pytest
from checks import close

import symgrad as sg
from symgrad import errors

X = np.array([0.4, -1.3, 2.0])
ROWS = np.array([[0.4, -1.3, 2.0], [1.1, 0.2, -0.7]])


def plain(x):
    return sg.sin(x) * x


@sg.custom_vjp
def reverse(x):
    """x sin x, with a reverse rule."""
    return sg.sin(x) * x


reverse.defvjp(lambda x: (sg.sin(x) * x, (x, sg.cos(x))), lambda r, g: (g * (r[1] * r[0] + sg.sin(r[0])),))


@sg.custom_vjp
def nested(x):
    """The same, whose rule uses another custom function, and residuals of all kinds."""
    return reverse(x)


nested.defvjp(
    lambda x: (nested(x), {"x": x, "n": 1, "text": "abc", "none": None}),
    lambda r, g: (g * sg.vjp(reverse, r["x"])[1](sg.ones_like(r["x"]))[0] ** r["n"],),
)


@sg.custom_jvp
def forward(x):
    """The same, with a forward rule."""
    return sg.sin(x) * x


@forward.defjvp
def _(primals, tangents):
    (x,), (t,) = primals, tangents
    return forward(x), t * (sg.cos(x) * x + sg.sin(x))


@sg.custom_jvp
def by_argument(x):
    """The same, with a forward rule for each argument."""
    return sg.sin(x) * x


by_argument.defjvps(lambda t, y, x: t * (sg.cos(x) * x + y / x))

FUNCTIONS = {"vjp": reverse, "nested vjp": nested, "jvp": forward, "jvp by argument": by_argument}
USES = {
    "value": lambda f: lambda x: sg.as_tensor(f(x)),
    "grad": lambda f: sg.grad(lambda x: f(x).sum()),
    "jacobian": lambda f: sg.jacobian(lambda x: f(x) * x[0]),
    "jacfwd": lambda f: sg.jacfwd(lambda x: f(x) * x[0]),
    "jvp": lambda f: lambda x: sg.jvp(f, (x,), (2 * x,))[1],
    "linearize": lambda f: lambda x: sg.linearize(f, x)[1](2 * x),
    "hessian": lambda f: sg.hessian(lambda x: (f(x) ** 2).sum()),
    "forward over forward": lambda f: sg.jacfwd(sg.jacfwd(lambda x: (f(x) ** 2).sum())),
    "reverse over forward": lambda f: sg.jacrev(sg.jacfwd(lambda x: (f(x) ** 2).sum())),
    "third order": lambda f: sg.grad(lambda x: sg.hessian(lambda x: (f(x) ** 2).sum())(x).sum()),
    "vmap": lambda f: lambda x: sg.vmap(f)(sg.stack([x, 2 * x])),
    "vmap of grad": lambda f: lambda x: sg.vmap(sg.grad(lambda r: f(r).sum()))(sg.stack([x, 2 * x])),
    "vmap of hessian": lambda f: lambda x: sg.vmap(sg.hessian(lambda r: f(r).sum()))(sg.stack([x, 2 * x])),
    "grad of vmap": lambda f: sg.grad(lambda x: (sg.vmap(f)(sg.stack([x, 2 * x])) ** 2).sum()),
    "in a loop": lambda f: sg.grad(lambda x: sg.scan(lambda c, r: (f(c * r), None), 1.0, x)[0]),
}


@pytest.mark.parametrize("compiled", [False, True], ids=["eager", "compiled"])
@pytest.mark.parametrize("use", USES.values(), ids=USES)
@pytest.mark.parametrize("f", FUNCTIONS.values(), ids=FUNCTIONS)
def test_right_rule_gives_the_derivatives_of_the_function(f, use, compiled):
    expected = use(plain)(sg.tensor(X)).numpy()
    if compiled:
        close(sg.compile(use(f))(X), expected, 1e-11)
    else:
        close(use(f)(sg.tensor(X)).numpy(), expected, 1e-11)


@sg.custom_vjp
def wrong_reverse(x):
    return x**2


wrong_reverse.defvjp(lambda x: (x**2, x), lambda x, g: (g * x**3,))


@sg.custom_jvp
def wrong_forward(x):
    return x**2


wrong_forward.defjvp(lambda primals, tangents: (primals[0] ** 2, tangents[0] * primals[0] ** 3))


@pytest.mark.parametrize("f", [wrong_reverse, wrong_forward])
def test_derivative_is_the_rule_and_that_of_the_derivative_the_rules_own(f):
    first, second = sg.grad(lambda x: f(x).sum()), sg.hessian(lambda x: f(x).sum())
    for transform in (lambda f: f, sg.compile):
        close(transform(first)(X), X**3, 1e-15)
        close(transform(second)(X), np.diag(3 * X**2), 1e-14)
        close(transform(sg.vmap(first))(ROWS), ROWS**3, 1e-15)
        close(transform(sg.grad(lambda x: sg.vmap(f)(x).sum()))(ROWS), ROWS**3, 1e-15)
    close(sg.jvp(f, (X,), (X,))[1], X**4, 1e-15)


@pytest.mark.parametrize("name", ["wrong_reverse", "wrong_forward"])
def test_closed_form_names_the_function(name):
    x = sg.tensor(2.0, requires_grad=True, name="x")
    y = globals()[name](x)
    assert str(sg.derive(y * x, x)) == f"{name}(x) + x*{name}′(1, x)" or name in str(sg.derive(y * x, x))
    close(sg.derive(y * x, x).lambdify()(), 4.0 + 2 * 8.0, 1e-15)


def test_rule_that_compiles_is_written_out():
    f = sg.compile(sg.grad(lambda x: nested(x).sum()))
    f(X)
    assert "nested" not in str(f.lower(X))
    assert "reverse" not in str(f.lower(X))


def test_transforms_in_a_rule_are_differentiated_at_second_order():
    @sg.custom_vjp
    def f(x):
        return (x**4).sum()

    def fwd(x):
        return f(x), sg.grad(lambda x: (x**4).sum())(x)

    f.defvjp(fwd, lambda slope, g: (g * slope,))
    for x in (X, sg.tensor(X)):
        close(np.asarray(sg.hessian(f)(x)), np.diag(12 * X**2), 1e-14)
        close(np.asarray(sg.grad(lambda x: (sg.grad(f)(x) ** 2).sum())(x)), 2 * 4 * X**3 * 12 * X**2, 1e-14)


def test_function_that_looks_at_values_is_called():
    @sg.custom_vjp
    def absolute(x):
        return sg.tensor(np.abs(x.numpy()))

    absolute.defvjp(lambda x: (absolute(x), sg.sign(x)), lambda s, g: (g * s,))
    for f in (sg.grad(lambda x: (absolute(x) ** 3).sum()), sg.compile(sg.grad(lambda x: (absolute(x) ** 3).sum()))):
        close(f(X), 3 * X * np.abs(X), 1e-14)
    close(sg.vmap(sg.grad(lambda x: (absolute(sg.tensor(X)) * x).sum()))(ROWS), np.abs(np.stack([X, X])), 1e-14)


# ------------------------------------------------------------------ structures and arguments


def both(L, np_):
    """A function of structures with either rule, in either library."""

    def f(p, k, scale=2.0):
        return {"y": p["w"] * np_.sin(p["b"][0]) * scale, "n": (k * p["w"]).sum()}

    rule = lambda p, k, scale, t, ts: {
        "y": scale * (t["w"] * np_.sin(p["b"][0]) + p["w"] * np_.cos(p["b"][0]) * t["b"][0]) + 0 * ts,
        "n": (k * t["w"]).sum(),
    }
    jvp = L.custom_jvp(f, nondiff_argnums=(1,))
    jvp.defjvp(lambda k, ps, ts: (f(ps[0], k, ps[1]), rule(ps[0], k, ps[1], *ts)))

    def bwd(k, r, g):
        p, scale = r
        gy = g["y"] * scale
        d = {"w": gy * np_.sin(p["b"][0]) + k * g["n"], "b": [gy * p["w"] * np_.cos(p["b"][0])]}
        return d, scale * 0.0

    vjp = L.custom_vjp(f, nondiff_argnums=(1,))
    vjp.defvjp(lambda p, k, scale: (f(p, k, scale), (p, scale)), bwd)
    return vjp, jvp


P = {"w": X, "b": [np.array([1.0, 0.5, -0.3])]}


@pytest.mark.parametrize("which", [0, 1], ids=["vjp", "jvp"])
def test_structures_and_nondiff_argnums_agree_with_jax(which):
    jax = pytest.importorskip("jax", reason="compares with JAX")
    jax.config.update("jax_enable_x64", True)
    ours, other = both(sg, sg)[which], both(jax, jax.numpy)[which]

    def loss(f):
        return lambda p: (f(p, 3)["y"] ** 2).sum() + f(p, k=3, scale=1.5)["n"]

    value, found = sg.value_and_grad(loss(ours))(P)
    expected = jax.value_and_grad(loss(other))(P)
    close(value, expected[0], 1e-14)
    for v, e in zip((found["w"], found["b"][0]), (expected[1]["w"], expected[1]["b"][0]), strict=True):
        close(v, e, 1e-14)
    H, K = sg.hessian(loss(ours))(P), jax.jacrev(jax.jacrev(loss(other)))(P)
    close(H["w"]["b"][0], K["w"]["b"][0], 1e-13)
    close(sg.compile(sg.grad(loss(ours)))(P)["b"][0], expected[1]["b"][0], 1e-13)


def test_none_is_a_cotangent_of_zero_and_integers_have_none():
    @sg.custom_vjp
    def f(x, y, n):
        return x * y * n

    f.defvjp(lambda x, y, n: (x * y * n, (y, n)), lambda r, g: (g * r[0] * r[1], None, None))
    assert sg.grad(lambda x, y: f(x, y, np.array(2)), (0, 1))(3.0, 5.0) == (10.0, 0.0)


def test_floats_in_without_a_transform_run_the_function_itself():
    @sg.custom_vjp
    def f(x):
        return x * 2

    assert f(3.0) == 6.0
    assert f.__name__ == "f"


def test_bound_method_passes_the_instance():
    class Model:
        scale = 3.0

        def apply(self, x):
            return self.scale * x**2

    apply = sg.custom_jvp(Model.apply, nondiff_argnums=0)
    apply.defjvp(lambda self, ps, ts: (self.apply(ps[0]), ts[0] * self.scale))
    Model.run = apply
    assert sg.grad(Model().run)(5.0) == 3.0


def no_rule(kind):
    return sg.grad(getattr(sg, kind)(lambda x: x))(1.0)


def misuse_vjp(fwd, bwd):
    f = sg.custom_vjp(lambda x: x)
    f.defvjp(fwd, bwd)
    return sg.grad(f)(1.0)


def misuse_jvp(rule):
    f = sg.custom_jvp(lambda x: x)
    f.defjvp(rule)
    return sg.grad(f)(1.0)


uneven = sg.custom_vjp(lambda x: x.sum())
uneven.defvjp(lambda x: (x.sum(), None), lambda r, g: (sg.ones(3),))
MISUSE = [
    (lambda: no_rule("custom_vjp"), errors.GraphError, "No VJP defined for custom_vjp function lambda using defvjp"),
    (lambda: no_rule("custom_jvp"), errors.GraphError, "No JVP defined for custom_jvp function lambda using defjvp"),
    (lambda: sg.custom_vjp(1.0), errors.ArgumentTypeError, "custom_vjp: expected a function, got float"),
    (lambda: misuse_vjp(1, 2), errors.ArgumentTypeError, "defvjp: expected a function, got int"),
    (lambda: misuse_vjp(lambda x: x, lambda r, g: (g,)), errors.ArgumentTypeError, "must produce a pair"),
    (lambda: misuse_vjp(lambda x: (x, 0), lambda r, g: g), errors.ArgumentTypeError, "one cotangent per argument"),
    (lambda: misuse_vjp(lambda x: (x, 0), lambda r, g: (g, g)), errors.ArgumentTypeError, r"\(1\), got 2"),
    (lambda: sg.grad(uneven)(sg.ones(2)), errors.ShapeError, r"got \[3\] but expected shape compatible with \[2\]"),
    (lambda: misuse_jvp(lambda ps, ts: ts[0]), errors.ArgumentTypeError, "must produce a pair"),
    (lambda: misuse_jvp(lambda ps, ts: (ps[0], {"a": ts[0]})), errors.SymgradError, "Pass|invalid|data|float"),
    (lambda: sg.custom_jvp(abs, nondiff_argnums=0).defjvps(None), errors.ArgumentError, "Use defjvp"),
    (lambda: sg.custom_vjp(lambda x, *, k: x)(sg.ones(2), k=1), errors.ArgumentTypeError, "resolved to positions: k"),
]


@pytest.mark.parametrize(("statement", "kind", "message"), MISUSE)
def test_misuse_says_what_was_received(statement, kind, message):
    with pytest.raises(kind, match=message):
        statement()
