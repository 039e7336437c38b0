"""Named intermediates, several derivatives at once, products with a vector, and forms that check themselves."""

import numpy as np
import pytest
from checks import close

import symgrad as sg
from symgrad import errors
from symgrad.forms import canonical, names
from symgrad.forms.evaluate_matrix import evaluate_matrix

bce = sg.nn.functional.binary_cross_entropy_with_logits
X, Y = sg.symbol("X", ("n", "d")), sg.symbol("Y", ("n", "k"))
W1, b1 = sg.symbol("W1", ("d", "h")), sg.symbol("b1", "h")
W2, b2 = sg.symbol("W2", ("h", "k")), sg.symbol("b2", "k")
A, x, a = sg.symbol("A", ("n", "n")), sg.symbol("x", "n"), sg.symbol("a", "n")


def mlp():
    return ((sg.tanh(X @ W1 + b1) @ W2 + b2 - Y) ** 2).sum()


def rnn(steps):
    h = x
    for _ in range(steps):
        h = sg.tanh(A @ h)
    return (a * h).sum()


def nested(times):
    f = x
    for _ in range(times):
        f = sg.sin(f) * f
    return f.sum()


def layernorm():
    h = (x - x.mean()) / sg.sqrt(((x - x.mean()) ** 2).mean() + 0.1)
    return (a * h).sum()


def value(e, shape, arrays):
    """Evaluate a formula with the definitions before it."""
    return evaluate_matrix(e, shape, arrays)


def in_full(definitions, body, shape, arrays, sizes):
    """Evaluate the definitions in their order, then the body."""
    known = {**arrays, **sizes}
    for name, e in definitions:
        at = tuple(sizes[str(n)] for n in getattr(name, "shape", ()))
        known[str(name) if not at else name.name] = value(e, at, known)
    return value(body, shape, known)


@pytest.mark.parametrize(
    ("text", "form"),
    [
        (
            "exp(-2*(X @ w))*(X @ w) + exp(X @ w)*sin(exp(X @ w))",
            "diag(μ ⊙ (sin(μ) + μ ⊙ cos(μ)) + (1 - 2*X*w) ⊘ μ^⊙2)*X where μ = exp(X*w)",
        ),
        (
            "exp(X @ w - y)*y + exp(y - X @ w)*sin(exp(X @ w - y)) + cos(exp(X @ w - y))",
            "diag(cos(μ) - (sin(μ) ⊙ (μ + 1 ⊘ μ)) + y ⊙ μ)*X where μ = exp(X*w - y)",
        ),
    ],
)
def test_powers_of_an_exponential_are_powers_of_its_name(text, form):
    shapes = {"X": ("n", "d"), "w": ("d",), "y": ("n",)}
    formula = sg.parse(text, {name: shape for name, shape in shapes.items() if name in text})
    assert str(sg.derive(formula, "w")) == form


# ------------------------------------------------------------------ the where-form
@pytest.mark.parametrize(
    ("loss", "leaf", "text"),
    [
        (mlp(), W1, "2*Xᵀ*((1 - A^⊙2) ⊙ (A*W2 + 1*b2ᵀ - Y)*W2ᵀ) where A = tanh(X*W1 + 1*b1ᵀ)"),
        (mlp(), W2, "2*Aᵀ*(A*W2 + 1*b2ᵀ - Y) where A = tanh(X*W1 + 1*b1ᵀ)"),
        (layernorm(), x, "(a - mean(a ⊙ h)*h - mean(a))/σ where h = r/σ; σ = sqrt(0.1 + ‖r‖²/n); r = x - mean(x)"),
        ((x @ A @ x) / (x @ x), x, "((A + Aᵀ)*x - 2*r*x)/‖x‖² where r = (xᵀ*A*x)/‖x‖²"),
        (sg.norm(x - x.mean()), x, "r/‖r‖ where r = x - mean(x)"),
        (sg.norm(A @ x) * (a @ x), x, "σ*a + (xᵀ*a)*Aᵀ*A*x/σ where σ = ‖A*x‖"),
        (a @ sg.inverse(A @ A + A) @ x, A, "Δ + Δ*Aᵀ + Aᵀ*Δ where Δ = -Mᵀ*a*xᵀ*Mᵀ; M = (A² + A)⁻¹"),
        (rnn(2), x, "Aᵀ*((1 - h^⊙2) ⊙ Aᵀ*(a ⊙ (1 - tanh(A*h)^⊙2))) where h = tanh(A*x)"),
    ],
)
def test_where_form_prints_so(loss, leaf, text):
    form = sg.derive(loss, leaf)
    definitions = "; ".join(f"{d.name} = {d.expr}" for d in reversed(form.where))
    assert f"{form.body} where {definitions}" == text


def test_formula_prints_with_names_where_that_is_shorter():
    assert " where " in str(sg.derive(rnn(3), A))
    assert " where " not in str(sg.derive(bce(X @ W1, Y @ W2.T), W1))


@pytest.mark.parametrize(
    ("loss", "leaf"),
    [(mlp(), W1), (mlp(), W2), (mlp(), X), (rnn(3), A), (rnn(4), x), (nested(3), x), (layernorm(), x)],
)
def test_definitions_and_body_have_the_value_of_the_derivative(loss, leaf):
    rng = np.random.default_rng(0)
    sizes = {"n": 3, "d": 2, "h": 4, "k": 2}
    form = sg.derive(loss, leaf)
    arrays = {s.name: rng.normal(size=[sizes[str(n)] for n in s.shape]) for s in (X, Y, W1, b1, W2, b2, A, x, a)}
    shape = tuple(sizes[str(n)] for n in form.shape)
    expected = form.lambdify()(*[arrays[name] for name in form.args])
    found = in_full(form.where, form.body, shape, arrays, sizes)
    close(found, expected, 1e-12)


def test_definitions_use_only_names_before_them():
    form = sg.derive(rnn(6), A)
    seen: set = set()
    for name, e in form.where:
        own = {s.name for s in e.free_symbols if hasattr(s, "shape")} - {"A", "x", "a"}
        assert own <= seen
        seen.add(name.name)
    assert len(form.where) > 4


def test_names_avoid_the_users():
    z, h, p, δ = (sg.symbol(n, "n") for n in ("a", "h", "g", "δ"))
    y = (δ * sg.tanh(A @ sg.tanh(A @ z + h) + p)).sum()
    form = sg.derive(y, A)
    assert not {str(d.name) for d in form.where} & {"a", "h", "g", "δ", "A"}


def test_where_form_is_linear_in_the_graph():
    lengths = [len(sg.derive(nested(k), x)._where.text()) for k in (10, 20, 40)]
    assert lengths[2] - lengths[1] < 2.5 * (lengths[1] - lengths[0])
    with pytest.raises(errors.FormError, match=r"form\.where"):
        _ = sg.derive(nested(20), x).expr


def test_deep_network_is_two_thousand_signs():
    weights = [sg.symbol(f"W{k}", ("n", "n")) for k in range(32)]
    h = x
    for w in weights:
        h = sg.tanh(w @ h)
    assert len(str(sg.derive((h**2).sum(), weights[0]))) <= 2000


@pytest.mark.slow
def test_ten_thousand_operations_have_a_where_form():
    y = x
    for _ in range(5000):
        y = sg.sin(y * x)
    assert len(sg.derive(y.sum(), x).where) > 1000


def test_product_of_a_hundred_numbers_has_three_hundred_operations():
    v = sg.symbol("v", 100)
    p = v[0]
    for k in range(1, 100):
        p = p * v[k]
    form = sg.derive(p, v)
    assert form.body.count_ops() + sum(d.expr.count_ops() for d in form.where) <= 300


def test_jacobian_through_a_named_operation_has_no_definitions():
    v = sg.symbol("v", 5)
    form = sg.derive(((v[1:] - v[:-1]) ** 2).sum(), v, order=2)
    assert form.where == []
    assert form.body == form.expr
    assert form.latex("where") == form.latex("index")


# ------------------------------------------------------------------ several at once
def test_several_derivatives_share_their_definitions():
    assert str(sg.derive(mlp(), [W1, b1, W2, b2])).splitlines() == [
        "d/dW1 = Xᵀ*Δ",
        "d/db1 = Δᵀ*1",
        "d/dW2 = 2*Aᵀ*R",
        "d/db2 = 2*Rᵀ*1",
        "where Δ = 2*((1 - A^⊙2) ⊙ R*W2ᵀ)",
        "      R = A*W2 + 1*b2ᵀ - Y",
        "      A = tanh(X*W1 + 1*b1ᵀ)",
    ]


def test_a_result_on_the_way_is_called_by_its_formula():
    x = sg.symbol("x")
    v = sg.sin(x**2)
    forms = sg.derive(sg.exp(v), [v, x])
    assert str(forms).splitlines()[0] == "d/d(sin(x**2)) = exp(sin(x**2))"
    assert r"\partial (\sin\left(x^{2}\right))" in forms._repr_latex_()


def test_a_long_result_on_the_way_is_called_by_its_number():
    x = sg.symbol("x")
    v = sum(sg.sin(k * x) ** k for k in range(1, 6))
    assert str(sg.derive(v**2, [x, v])).splitlines()[1].startswith("d/d#1 = ")


def test_several_derivatives_are_a_tuple_of_forms():
    forms = sg.derive(mlp(), [W1, b1])
    assert isinstance(forms, tuple)
    assert [str(f.body) for f in forms] == [str(sg.derive(mlp(), w).body) for w in (W1, b1)]
    assert forms._repr_latex_().startswith("$\\displaystyle \\begin{aligned} \\frac{\\partial}{\\partial W_{1}} &= ")


def test_several_jacobians_print_one_below_the_other():
    assert str(sg.derive(sg.tanh(A @ x), [x, A])).startswith("d/dx = diag(1 - tanh(A*x)^⊙2)*A\nd/dA = ")


# ------------------------------------------------------------------ products with a vector
U = sg.symbol("U", ("n", "n"))


@pytest.mark.parametrize(
    ("y", "leaf", "given", "text"),
    [
        (sg.tanh(A @ x), x, {"cotangent": a}, "Aᵀ*(a ⊙ (1 - tanh(A*x)^⊙2))"),
        (sg.tanh(A @ x), x, {"tangent": a}, "(1 - tanh(A*x)^⊙2) ⊙ A*a"),
        (A @ A, A, {"tangent": U}, "A*U + U*A"),
        (sg.inverse(A), A, {"tangent": U}, "-A⁻¹*U*A⁻¹"),
        (sg.inverse(A), A, {"cotangent": U}, "-A⁻ᵀ*U*A⁻ᵀ"),
        (x @ A @ x, x, {"tangent": a}, "xᵀ*(A + Aᵀ)*a"),
    ],
)
def test_product_with_a_named_vector_prints_so(y, leaf, given, text):
    assert str(sg.derive(y, leaf, **given)) == text


def test_product_with_a_vector_is_jvp_and_vjp():
    rng = np.random.default_rng(1)
    m, v, u, w = rng.normal(size=(3, 4)), rng.normal(size=4), rng.normal(size=4), rng.normal(size=3)
    f = lambda t: sg.sin(sg.as_tensor(m) @ t)
    leaf = sg.tensor(v, requires_grad=True, name="v")
    close(sg.derive(f(leaf), leaf, tangent=u).lambdify()(), sg.jvp(f, (v,), (u,))[1], 1e-12)
    close(sg.derive(f(leaf), leaf, cotangent=w).lambdify()(), sg.vjp(f, v)[1](w)[0], 1e-12)


@pytest.mark.parametrize(
    ("given", "error"),
    [
        ({"tangent": U}, errors.ShapeError),
        ({"cotangent": U}, errors.ShapeError),
        ({"tangent": a, "cotangent": a}, errors.ArgumentError),
        ({"tangent": a, "order": 2}, errors.ArgumentError),
    ],
)
def test_product_with_a_wrong_vector_is_refused(given, error):
    with pytest.raises(error, match="derive"):
        sg.derive(A @ x, x, **given)


# ------------------------------------------------------------------ assumptions, and the check
def test_assumptions_simplify_and_are_not_used_before_a_derivative():
    S = sg.symbol("S", ("n", "n"), symmetric=True)
    T = sg.symbol("T", ("n", "k"), onehot=True)
    assert str(sg.derive(x @ S @ x, x)) == "2*S*x"
    assert str(sg.derive(x @ S @ x, S)) == "x*xᵀ"
    assert str(sg.derive(sg.trace(S @ A), S)) == "Aᵀ"
    assert str(sg.derive(-(T * sg.log_softmax(X @ W1 @ W2, 1)).sum(), W2)) == "W1ᵀ*Xᵀ*(softmax(X*W1*W2) - T)"


def test_wrong_assumption_is_found_out():
    S = sg.tensor([[1.0, 2.0], [0.0, 3.0]], name="S")
    S._node.assumptions = frozenset({"symmetric"})
    v = sg.tensor([1.0, 2.0], requires_grad=True, name="v")
    form = sg.derive(v @ S @ v, v)
    with pytest.raises(errors.FormError, match="not what it was marked as"):
        str(form)
    close(form.lambdify()(), [6.0, 14.0], 1e-12)


def wrong(*_args):
    """A reading of leaves that doubles them."""
    right = canonical_reading(*_args)
    return lambda pool, leaf: pool.sum([(2, right(pool, leaf))], leaf.shape)


canonical_reading = canonical.leaf_reading


def test_wrong_formula_is_never_printed(monkeypatch):
    v = sg.tensor([1.0, 2.0], requires_grad=True, name="v")
    y = (v**3).sum()
    monkeypatch.setattr("symgrad.forms.closed.leaf_reading", wrong)
    with pytest.raises(errors.FormError, match="does not have the value"):
        sg.derive(y, v, verify=True)
    assert str(sg.derive(y, v, verify=False)) == "24*v^⊙2"
    with pytest.raises(errors.FormError, match="does not have the value"):
        _ = sg.derive(y, v).expr


@pytest.mark.parametrize("wrt", [0, [0]], ids=["one", "a list"])
@pytest.mark.parametrize("y", [lambda v: (sg.tanh(v) ** 3).sum(), lambda v: sg.outer(sg.tanh(v) ** 2, v)])
def test_wrong_formula_with_names_is_never_printed(monkeypatch, y, wrt):
    v = sg.tensor([1.0, 2.0], requires_grad=True, name="v")
    monkeypatch.setattr("symgrad.forms.where.leaf_reading", wrong)
    with pytest.raises(errors.FormError, match="does not have the value"):
        sg.derive(y(v), [v] if wrt else v, verify=True)


def test_deep_formula_is_verified_as_it_is_written_with_names():
    v = sg.tensor([0.1, 0.2], requires_grad=True, name="v")
    y = v
    for _ in range(200):
        y = sg.sin(y)
    assert sg.derive(y.sum(), v, verify=True).where


def test_verification_needs_values():
    with pytest.raises(errors.FormError, match="needs"):
        sg.derive(x @ x, x, verify=True)


def test_kinks_and_poles_do_not_disturb_the_check():
    v = sg.tensor([0.0, 0.0], requires_grad=True, name="v")
    assert str(sg.derive(sg.norm(v), v)) == "v/‖v‖"
    assert str(sg.derive(sg.linalg.det(sg.stack([v, v])), v, verify=True))


def test_graph_is_not_searched_again_for_each_of_many_derivatives(monkeypatch):
    xs = [sg.symbol(f"x{k}", ()) for k in range(40)]
    y = sum(x**2 for x in xs)
    searches = []
    plain = names.ancestors
    monkeypatch.setattr(names, "ancestors", lambda roots: searches.append(1) or plain(roots))
    assert "d/dx7 = 2*x7" in str(sg.derive(y, xs))
    assert 0 < len(searches) < len(xs)


def test_gradient_of_a_long_product_computes_nothing_twice():
    xs = [sg.symbol(f"x{k}", ()) for k in range(100)]
    y = xs[0]
    for x in xs[1:]:
        y = y * x
    forms = sg.derive(y, xs)
    products = sum(e.count_ops(visual=False) for e in [*forms.bodies, *[d.expr for d in forms.where]])
    assert products < 300


def test_shares_of_a_softmax_are_called_p():
    A, v, w = sg.symbol("A", (3, 3)), sg.symbol("v", 3), sg.symbol("w", 3)
    found = sg.derive((sg.softmax(A @ v, 0) @ w) ** 2, v).where
    assert str(found[0].name) == "p"
    assert str(found[0].expr) == "softmax(A*v)"


def test_the_formula_of_a_chain_of_distinctions_grows_with_its_length_only():
    x = sg.symbol("x")
    y = x
    for k in range(12):
        y = sg.where(y > 0.1 * k, y * 1.01, y - 0.01)
    text = str(sg.derive(y, x))
    assert text.startswith("0.01*α21*[x > 0] + α21 where α21 = 0.01*α20*[α1 > 0.1] + α20; ")
    assert text.count("; ") == 21
