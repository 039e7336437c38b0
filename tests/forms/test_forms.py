"""Closed forms: what they print, what they are as SymPy expressions, and that they are the numeric gradient."""

import copy
import json
import os
import pickle
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
import sympy as sp
from checks import close
from sympy.core.symbol import Str

import symgrad as sg
from symgrad import errors
from symgrad.core.node import Leaf, ancestors
from symgrad.expression import markup
from symgrad.forms.nodes import elementwise, marks, printers
from symgrad.forms.nodes import matrices as nodes
from symgrad.forms.verify import index_value, matrix_value
from symgrad.ops.linalg.determinant import Det
from symgrad.ops.linalg.solving import Inverse
from symgrad.ops.reductions.scan import Cumsum
from symgrad.ops.reductions.softmax import Softmax
from symgrad.support import symbols as handed
from symgrad.support.budget import Budget
from symgrad.support.foreign import latex_name, plain_name

from identities import tokens

DATA = Path(__file__).parents[1] / "data"
GOLDEN = {g["name"]: g for g in json.loads((DATA / "golden_forms.json").read_text("utf-8"))}
bce = sg.nn.functional.binary_cross_entropy_with_logits


# ------------------------------------------------------------------ textbook forms


def layernorm(x, a):
    h = (x - x.mean()) / sg.sqrt(sg.var(x, correction=0) + 0.1)
    return (a * h).sum()


LOSSES = {  # name of the golden form: its leaves' sizes, and the loss
    "linear_bce_1d": ({"x": "p", "W": "pk", "b": "k", "y": "k"}, lambda x, W, b, y: bce(x @ W + b, y)),
    "linear_bce_batch": ({"X": "np", "W": "pk", "b": "k", "Y": "nk"}, lambda X, W, b, Y: bce(X @ W + b, Y)),
    "softmax_ce": (
        {"X": "np", "W": "pk", "b": "k", "Y": "nk"},
        lambda X, W, b, Y: -(Y * sg.log_softmax(X @ W + b, 1)).mean(),
    ),
    "least_squares": ({"X": "np", "w": "p", "y": "n"}, lambda X, w, y: ((X @ w - y) ** 2).sum()),
    "logdet": ({"X": "nn"}, lambda X: sg.logdet(X)),
    "quadratic_form": ({"x": "n", "A": "nn"}, lambda x, A: x @ A @ x),
    "matrix_factorisation": ({"X": "np", "U": "nk", "V": "kp"}, lambda X, U, V: ((X - U @ V) ** 2).sum()),
    "layernorm": ({"x": "n", "a": "n"}, layernorm),
    "gaussian_nll": (
        {"x": "n", "m": "n", "S": "nn"},
        lambda x, m, S: 0.5 * (x - m) @ sg.inverse(S) @ (x - m) + 0.5 * sg.logdet(S),
    ),
    "norm": ({"A": "np", "x": "p", "b": "n"}, lambda A, x, b: sg.norm(A @ x - b)),
    "rayleigh": ({"x": "n", "A": "nn"}, lambda x, A: (x @ A @ x) / (x @ x)),
    "kl_logits": ({"p": "n", "z": "n"}, lambda p, z: (p * (sg.log(p) - sg.log_softmax(z, 0))).sum()),
    "elementwise": (
        {"a": "n", "W": "np", "x": "p", "b": "n"},
        lambda a, W, x, b: (a * sg.tanh(W @ x + b)).sum(),
    ),
    "broadcast_sum": ({"X": "np", "b": "p", "A": "np"}, lambda X, b, A: ((X + b) * A).sum()),
}
EXACT = {  # those that already print as a textbook has them
    "least_squares": "wXy",
    "logdet": "X",
    "quadratic_form": "xA",
    "matrix_factorisation": "UV",
    "norm": "x",
    "broadcast_sum": "bX",
}
SIZES = [{"n": 4, "p": 3, "k": 2}, {"n": 2, "p": 5, "k": 3}, {"n": 1, "p": 2, "k": 1}]


def symbols(name, **sizes):
    shapes, f = LOSSES[name]
    leaves = {leaf: sg.symbol(leaf, [sizes.get(a, a) for a in axes]) for leaf, axes in shapes.items()}
    return leaves, f(*leaves.values())


def numbers(name, sizes):
    """Values for the leaves; square matrices are positive definite."""
    rng = np.random.default_rng(3)
    found = {}
    for leaf, axes in LOSSES[name][0].items():
        value = rng.uniform(0.2, 1.0, [sizes[a] for a in axes])
        found[leaf] = value + 3 * np.eye(len(value)) if axes == "nn" else value
    return found


def called(form, values):
    """The lambdified form at values by name."""
    return form.lambdify()(*[values[name] for name in form.args])


@pytest.mark.parametrize("sizes", SIZES, ids=str)
@pytest.mark.parametrize("name", LOSSES)
def test_form_with_named_sizes_is_the_gradient_at_every_size(name, sizes):
    leaves, loss = symbols(name)
    values = numbers(name, sizes)
    gradients = sg.grad(LOSSES[name][1], tuple(range(len(values))))(*values.values())
    for form, expected in zip(sg.derive(loss, list(leaves.values())), gradients, strict=True):
        close(called(form, values), expected, 1e-12)


@pytest.mark.parametrize(("name", "leaf"), [(name, leaf) for name, leaves in EXACT.items() for leaf in leaves])
def test_form_with_named_sizes_prints_as_a_textbook_has_it(name, leaf):
    leaves, loss = symbols(name)
    assert str(sg.derive(loss, leaves[leaf])) == GOLDEN[name]["matrix"][leaf]


MARKED = {
    "softmax_ce": {"Y": "onehot"},
    "gaussian_nll": {"S": "symmetric"},
    "kl_logits": {"p": "simplex"},
    "rayleigh": {"A": "symmetric"},
}


@pytest.mark.parametrize("name", LOSSES)
def test_form_of_marked_leaves_is_no_longer_than_a_textbooks(name):
    shapes, f = LOSSES[name]
    marks = MARKED.get(name, {})
    leaves = {k: sg.symbol(k, list(axes), **({marks[k]: True} if k in marks else {})) for k, axes in shapes.items()}
    found = [k for k in GOLDEN[name]["matrix"] if k in leaves]
    forms = sg.derive(f(*leaves.values()), [leaves[k] for k in found or leaves])
    for k, form, body in zip(found, forms, forms.bodies, strict=bool(found)):
        shortest = min(str(form), str(body), key=tokens)
        assert tokens(shortest) <= tokens(GOLDEN[name]["matrix"][k].replace("/n", "/(n*k)").replace("/(n k)", "/(n*k)"))


DRAWN_AS = {
    r"\tfrac": r"\frac",
    r"\left": "",
    r"\right": "",
    r"\,": "",
    r"\Bigl": "",
    r"\Bigr": "",
    r"\bigl": "",
    r"\bigr": "",
}


def signs(latex):
    """What is drawn: the signs of LaTeX without the sizes of brackets, spaces and braces."""
    for ours, plain_one in DRAWN_AS.items():
        latex = re.sub(rf"{re.escape(ours)}(?![a-z])", lambda _, new=plain_one: new, latex)
    return re.findall(r"\\[A-Za-z]+|\\.|[^\s{}]", latex)


LATEX_OF = {"gaussian_nll": "S"}  # the leaf by which, where it is not the first


@pytest.mark.parametrize("name", LOSSES)
def test_latex_is_a_textbooks_or_has_no_more_signs(name):
    golden, shapes, marks = GOLDEN[name], LOSSES[name][0], MARKED.get(name, {})
    leaves = {k: sg.symbol(k, list(axes), **({marks[k]: True} if k in marks else {})) for k, axes in shapes.items()}
    some = [k for k in golden["matrix"] if k in leaves]
    forms = sg.derive(LOSSES[name][1](*leaves.values()), [leaves[k] for k in some])
    at = some.index(LATEX_OF.get(name, some[0]))
    ways = [forms[at].latex(), forms[at].latex("where")]
    if r",\quad" not in golden["latex"]:  # the names in it are defined beside it
        ways += [printers.latex(forms[at].body), printers.latex(forms.bodies[at])]
    mean = r"\\operatorname{mean}(\1\2)"  # which a bar would not say: it is read as the conjugate
    book = re.sub(r"\\overline\{([^{}]*)\}|\\bar (\w)", mean, golden["latex"])
    assert min(len(signs(way)) for way in ways) <= len(signs(book))


@pytest.mark.parametrize(("name", "leaf"), [("least_squares", "w"), ("quadratic_form", "x")])
def test_hessian_prints_as_a_textbook_has_it(name, leaf):
    leaves, loss = symbols(name)
    assert str(sg.derive(loss, leaves[leaf], order=2)) == GOLDEN[name]["hessian"][leaf]


def test_every_golden_form_is_computed_here():
    assert set(LOSSES) == set(GOLDEN)


@pytest.fixture
def layer():
    """The tutorial's leaves by name, and its loss."""
    x, W = sg.ones(5, name="x"), sg.tensor(np.arange(15.0).reshape(5, 3) / 9 - 1, requires_grad=True, name="W")
    b, y = sg.tensor([0.3, -0.2, 0.1], requires_grad=True, name="b"), sg.zeros(3, name="y")
    return {"x": x, "W": W, "b": b, "y": y}, bce(sg.matmul(x, W) + b, y)


def test_gradient_of_the_tutorials_loss(layer):
    leaves, loss = layer
    golden = GOLDEN["linear_bce_1d"]
    form = sg.derive(loss, leaves["W"])
    assert str(form) == golden["matrix"]["W"] == "x*(σ(Wᵀ*x + b) - y)ᵀ/3"
    assert str(form.index("i", "j")) == golden["index"] == "x_i*(σ(b_j + Sum_k W_kj*x_k) - y_j)/3"
    assert form.args == ("x", "W", "b", "y")
    assert form.shape == (5, 3)
    assert form.latex() == r"\frac{1}{3} x \left(\sigma\left(W^{\top} x + b\right) - y\right)^{\top}"
    assert form._repr_latex_() == rf"$\displaystyle {form.latex()}$"
    assert form.latex("index") == (
        r"\frac{x_{i} \left(\sigma\left(b_{j} + \sum_{k=0}^{4} W_{kj} x_{k}\right) - y_{j}\right)}{3}"
    )
    assert str(form.scalar()[1, 2]) == ("x_1*(σ(W_02*x_0 + W_12*x_1 + W_22*x_2 + W_32*x_3 + W_42*x_4 + b_2) - y_2)/3")
    assert repr(form) == "ClosedForm(x*(σ(Wᵀ*x + b) - y)ᵀ/3, args=('x', 'W', 'b', 'y'), shape=[5, 3])"


@pytest.mark.parametrize("leaf", ["W", "b", "x"])
def test_symbols_and_recorded_tensors_give_one_formula(layer, leaf):
    leaves, loss = layer
    twins = {name: sg.symbol(name, t.shape) for name, t in leaves.items()}
    x, W, b, y = twins.values()
    recorded, symbolic = sg.derive(loss, leaves[leaf]), sg.derive(bce(sg.matmul(x, W) + b, y), twins[leaf])
    assert str(recorded) == str(symbolic) == GOLDEN["linear_bce_1d"]["matrix"][leaf]
    assert recorded.expr == symbolic.expr
    assert recorded.index() == symbolic.index()
    assert recorded.args == symbolic.args


def test_logistic_regression_with_n_rows():
    X, w, b, y = sg.symbol("X", ("n", "d")), sg.symbol("w", "d"), sg.symbol("b"), sg.symbol("y", "n")
    by_w, by_b = sg.derive(bce(X @ w + b, y), [w, b])
    assert str(by_w) == "Xᵀ*(σ(X*w + b) - y)/n"
    assert by_w.latex() == r"\frac{1}{n} X^{\top} \left(\sigma\left(X w + b\right) - y\right)"
    assert str(by_b) == "mean(σ(X*w + b) - y)"
    assert by_w.args == by_b.args == ("X", "w", "b", "y")


def test_least_squares_in_index_notation():
    leaves, loss = symbols("least_squares")
    assert str(sg.derive(loss, leaves["w"]).index()) == GOLDEN["least_squares"]["index"]
    hessian = sg.derive(loss, leaves["w"], order=2)
    assert str(hessian.index("i", "j")) == "2*Sum_k X_ki*X_kj"
    assert hessian.args == ("X",)
    assert [str(n) for n in hessian.shape] == ["p", "p"]


x, a, X = sg.symbol("x", "n"), sg.symbol("a", "n"), sg.symbol("X", ("n", "d"))
B, t, w = sg.symbol("B", ("n", "n")), sg.symbol("t"), sg.symbol("w", "d")
C = sg.symbol("C", (3, 3))
PRINTED = [  # what, by what, in matrix and, where it is short, in index notation
    (sg.exp(x).sum(), x, "exp(x)", "exp(x_i)"),
    ((x**3).sum(), x, "3*x^⊙2", "3*x_i**2"),
    (sg.sin(x).sum(), x, "cos(x)", "cos(x_i)"),
    (sg.softplus(x).sum(), x, "σ(x)", "sigmoid(x_i)"),
    (sg.abs(x).sum(), x, "sign(x)", "sign(x_i)"),
    (x @ a, x, "a", "a_i"),
    ((a * sg.exp(x)).sum(), x, "a ⊙ exp(x)", "a_i*exp(x_i)"),
    ((X**2).sum(), X, "2*X", "2*X_ij"),
    (sg.norm(x) ** 2, x, "2*x", "2*x_i"),
    (((B @ B.T - sg.symbol("C", ("n", "n"))) ** 2).sum(), B, "2*(2*B*Bᵀ - C - Cᵀ)*B", None),
    (((C @ C.T - sg.eye(3)) ** 2).sum(), C, "4*(C*Cᵀ - I)*C", None),
    (sg.norm(x) ** 3, x, "3*‖x‖*x", "3*x_i*sqrt(Sum_k x_k**2)"),
    ((x @ x) ** 3, x, "6*‖x‖**4*x", "6*x_i*(Sum_k x_k**2)**2"),
    ((a @ x) * (x @ x), x, "2*(xᵀ*a)*x + ‖x‖²*a", "2*x_i*Sum_k a_k*x_k + a_i*Sum_k x_k**2"),
    (sg.inverse(B).sum(), B, "-B⁻ᵀ*1*1ᵀ*B⁻ᵀ", "-(Sum_k B⁻¹_jk)*Sum_k B⁻¹_ki"),
    (sg.det(B), B, "det(B)*B⁻ᵀ", "det(B)*B⁻¹_ji"),
    (x.mean(), x, "1/n", "1/n"),
    (sg.floor(X).sum(), X, "0", "0"),
    (sg.exp(-(x @ x) / 2), x, "-exp(-‖x‖²/2)*x", "-x_i*exp(-(Sum_k x_k**2)/2)"),
    (sg.exp(t) * t, t, "exp(t)*(t + 1)", "exp(t)*(t + 1)"),
    ((B * x[:, None]).sum(), x, "B*1", "Sum_k B_ik"),
]


v6, W6 = sg.symbol("v", 6), sg.symbol("W", (2, 6))
MOVED = [  # entries that are moved and moved back
    ((sg.cat([x, a]) ** 2).sum(), a, "2*a", "2*a_i"),
    (sg.exp(sg.cat([x, 2 * a])).sum(), x, "exp(x)", "exp(x_i)"),
    ((sg.stack([x, 2 * x]) ** 2).sum(), x, "10*x", "10*x_i"),
    ((v6.reshape(2, 3).reshape(6) ** 2).sum(), v6, "2*v", "2*v_i"),
    ((sg.cat([W6, W6 * W6], 1)[:, 6:] ** 2).sum(), W6, "4*W^⊙3", "4*W_ij**3"),
    (sg.stack([x, sg.exp(x)], 1)[:, 1].sum(), x, "exp(x)", "exp(x_i)"),
]


@pytest.mark.parametrize(("y", "by", "matrix", "index"), PRINTED + MOVED)
def test_notations_print_so(y, by, matrix, index):
    form = sg.derive(y, by)
    assert index is None or str(form.index()) == index
    assert form.has_matrix
    assert str(form) == matrix
    assert form.matrix() == form.expr


# ------------------------------------------------------------------ derive


def test_list_gives_a_tuple_in_its_order(layer):
    leaves, loss = layer
    forms = sg.derive(loss, [leaves["b"], leaves["W"]])
    assert [str(f) for f in forms] == [str(sg.derive(loss, leaves[k])) for k in "bW"]
    assert sg.derive(loss, []) == ()
    assert len(sg.derive(loss, (leaves["b"],))) == 1


def test_args_are_the_leaves_of_the_derivative_in_first_use_order():
    p, q, r = (sg.symbol(name, 3) for name in "pqr")
    y = (sg.exp(r) * q).sum() + (p * q).sum()
    assert sg.derive(y, q).args == ("r", "p")
    assert sg.derive(y, r).args == ("r", "q")
    assert sg.derive(y, p).args == ("q",)
    assert sg.derive(p.sum(), p).args == ()


@pytest.mark.parametrize(("out", "into"), [((), (2,)), ((3,), ()), ((3,), (2,)), ((2, 2), (3, 1)), ((2,), (2, 2))])
def test_jacobian_has_output_shape_then_input_shape(out, into):
    v = sg.tensor(np.arange(1.0, 1 + np.prod(into)).reshape(into), requires_grad=True, name="v")
    y = sg.sin(v.sum() * sg.tensor(np.ones(out), name="c")) + v.mean()
    form = sg.derive(y, v)
    assert form.shape == out + into
    assert len(form.index().free_symbols & {sp.Symbol(k, integer=True) for k in "ijkl"}) <= len(out + into)
    expected = sg.jacobian(lambda u: sg.sin(u.sum() * np.ones(out)) + u.mean())(v.detach().numpy())
    close(form.lambdify()(), expected, 1e-14)
    close(index_value(form), expected, 1e-14)


@pytest.mark.parametrize("name", LOSSES)
def test_second_order_is_the_hessian(name):
    leaves, loss = symbols(name, **SIZES[0])
    values = numbers(name, SIZES[0])
    for k, leaf in enumerate(leaves):
        form = sg.derive(loss, leaves[leaf], order=2)
        assert form.shape == leaves[leaf].shape * 2
        close(called(form, values), sg.hessian(LOSSES[name][1], k)(*values.values()), 1e-11)


def test_intermediate_result_can_be_differentiated_by():
    u = sg.tensor([0.2, 0.4], requires_grad=True, name="u")
    z = sg.exp(u)
    form = sg.derive((z**2).sum(), z)
    close(form.lambdify()(), 2 * np.exp([0.2, 0.4]), 1e-15)
    close(sg.derive(z, z).lambdify()(), np.eye(2), 0)


def test_form_outlives_the_graph_that_backward_freed():
    u = sg.tensor([0.5, 2.0], requires_grad=True, name="u")
    loss = (sg.exp(u) * u).sum()
    loss.backward()
    form = sg.derive(loss, u)
    assert str(form) == "exp(u) ⊙ (1 + u)"
    close(form.lambdify()(), u.grad.numpy(), 1e-15)


def test_leaf_changed_by_a_training_step_is_read_as_it_was():
    u = sg.tensor([0.5, 2.0], requires_grad=True, name="u")
    loss = (u**3).sum()
    with sg.no_grad():
        u -= 10.0
    form = sg.derive(loss, u)
    assert str(form) == "3*u^⊙2"
    close(form.lambdify()(), [0.75, 12.0], 1e-15)


def test_expression_of_a_tensor():
    leaves, loss = symbols("least_squares")
    v = leaves["X"] @ leaves["w"]
    assert str(v.expr) == "X*w"
    assert str(loss.expr) == "‖X*w - y‖²"
    assert isinstance(loss.expr, sp.Basic)
    assert str(leaves["w"].expr) == "w"


def test_symbolic_backward_fills_grad_expr_only(layer):
    leaves, loss = layer
    loss.backward(mode="symbolic")
    for name in "Wb":
        assert str(leaves[name].grad_expr) == GOLDEN["linear_bce_1d"]["matrix"][name]
        assert leaves[name].grad is None
    assert leaves["x"].grad_expr is None
    loss.backward()  # the graph is still there
    close(leaves["W"].grad_expr.lambdify()(), leaves["W"].grad.numpy(), 1e-14)


def test_symbolic_backward_reaches_the_named_inputs_only(layer):
    leaves, loss = layer
    loss.backward(mode="symbolic", inputs=[leaves["b"]])
    assert str(leaves["b"].grad_expr) == GOLDEN["linear_bce_1d"]["matrix"]["b"]
    assert leaves["W"].grad_expr is None


def sines(times, f):
    """sin(f)·f, nested."""
    for _ in range(times):
        f = sg.sin(f) * f
    return f


u, big = sg.tensor([1.0, 2.0], requires_grad=True, name="u"), sg.symbol("v", (70, 70))
REFUSED = [
    (lambda: sg.derive(3.0, u), errors.ArgumentTypeError, "got float"),
    (lambda: sg.derive(u.sum(), [u, 3]), errors.ArgumentTypeError, r"wrt\[1\] must be a tensor, got int"),
    (lambda: sg.derive(lambda v: (v**3).sum(), u), errors.GraphError, r"Write derive\(f, 'v', shapes=\{'v': 2\}\)"),
    (lambda: sg.derive(lambda u: (u**3).sum(), sg.symbol("u", 2)), errors.GraphError, r"Write derive\(f, 'u', shapes="),
    (lambda: sg.derive("x**3", u), errors.GraphError, r"names of what it depends on: x. Write derive\('x\*\*3', 'x'"),
    (lambda: sg.derive(lambda v: v**3, 0), errors.ArgumentTypeError, r"Write derive\(f, 'v'\)"),
    (lambda: sg.derive(sg.tensor(1.0), u), errors.GraphError, "the output has no graph"),
    (lambda: sg.derive(u.sum(), sg.ones(2, requires_grad=True)), errors.GraphError, "not have been used in the graph"),
    (lambda: sg.derive(u.sum(), u, order=0), errors.ArgumentError, "got order=0"),
    (lambda: sg.derive(u.sum(), u, order=1.0), errors.ArgumentError, "got order=1.0"),
    (lambda: sg.derive(u.sum(), u, order=True), errors.ArgumentError, "got order=True"),
    (lambda: sg.derive(sg.derive(u * u, u), u, tangent=u), errors.ArgumentError, "the derivative of a Jacobian"),
    (lambda: sg.derive((u**2).sum(), u).latex("html"), errors.ArgumentError, "form='html' is unknown"),
    (lambda: sg.derive((u**2).sum(), u).index("i", "j"), errors.ArgumentError, "Expected 1 distinct names"),
    (lambda: sg.derive(u**2, u).index("i", "i"), errors.ArgumentError, "Expected 2 distinct names"),
    (lambda: sg.derive((u**2).sum(), u).index(""), errors.ArgumentError, "Expected 1 distinct names"),
    (lambda: sg.derive((u**2).sum(), u).index(0), errors.ArgumentError, "Expected 1 distinct names"),
    (lambda: sg.derive((x**2).sum(), x).index("n"), errors.ArgumentError, r"\['n'\] names a size"),
    (lambda: sg.derive((x**2).sum(), x).scalar(), errors.FormError, "sizes must be numbers"),
    (lambda: sg.derive((x**2).sum() * (c := sg.symbol("c")), c).scalar(), errors.FormError, "sizes must be numbers"),
    (lambda: sg.derive((big**2).sum(), big).scalar(), errors.FormError, "4900 entries are more than"),
    (lambda: sg.derive(sines(20, u).sum(), u).scalar(), errors.FormError, "the entries have .* operations, more than"),
    (lambda: (u**2).backward(mode="symbolic"), errors.GraphError, "only for scalar outputs"),
    (
        lambda: sg.derive(
            ((sg.tensor([[1.0, 2.0]]) @ sg.symbol("w", 2)) ** 2).sum() * (c := sg.symbol("c")), c, verify=True
        ),
        errors.FormError,
        r"needs a value of each leaf; \['w'\] have none",
    ),
    (lambda: sg.tensor(1.0).backward(mode="symbolic"), errors.GraphError, "does not require grad"),
    (lambda: u.sum().backward(mode="algebraic"), errors.ArgumentError, "Expected one of"),
    (lambda: sg.symbol("", ()), errors.ArgumentError, "non-empty string"),
    (lambda: sg.symbol("v" * 201, ()), errors.ArgumentError, "at most 200 characters"),
    (lambda: sg.ones(2, name=3), errors.ArgumentError, "non-empty string"),
]


@pytest.mark.parametrize(("statement", "kind", "message"), REFUSED)
def test_misuse_says_what_was_received(statement, kind, message):
    with pytest.raises(kind, match=message):
        statement()


# ------------------------------------------------------------------ the function


@pytest.fixture
def squares():
    """The gradient 2Aᵀ(Aw) with named sizes as a function, and arguments for it."""
    A, w = sg.symbol("A", ("n", "d")), sg.symbol("w", "d")
    return sg.derive(((A @ w) ** 2).sum(), w).lambdify(), np.arange(6.0).reshape(2, 3), np.array([1.0, -1.0, 0.5])


def test_function_takes_arguments_by_position_and_by_name(squares):
    f, A, w = squares
    expected = 2 * A.T @ A @ w
    for found in (f(A, w), f(A, w=w), f(w=w, A=A), f(A.tolist(), list(w)), f(sg.tensor(A), sg.tensor(w))):
        close(found, expected, 1e-15)
    assert f.__doc__.startswith("2*Aᵀ*A*w")


def test_function_keeps_single_precision_and_takes_integers(squares):
    f, A, w = squares
    assert f(A.astype(np.float32), w.astype(np.float32)).dtype == np.float32
    assert f(A.astype(np.float32), w).dtype == np.float64
    close(f(A.astype(int), [1, 0, 2]), 2 * A.T @ A @ [1, 0, 2], 1e-15)
    close(f(np.ones((0, 3)), w), np.zeros(3), 0)


@pytest.mark.parametrize(
    ("arguments", "named", "kind", "message"),
    [
        ((), {}, errors.ArgumentError, r"missing the argument 'A' of shape \[n, d\]"),
        ((np.ones((2, 3)),), {}, errors.ArgumentError, r"missing the argument 'w' of shape \[d\]"),
        ((np.ones((2, 3)), np.ones(3), 1.0), {}, errors.ArgumentError, "got 3 by position"),
        ((np.ones((2, 3)), np.ones(3)), {"b": 1.0}, errors.ArgumentError, r"\['b'\] by name"),
        ((np.ones((2, 3)),), {"A": np.ones((2, 3))}, errors.ArgumentError, r"\['A'\] twice"),
        ((np.ones(3), np.ones(3)), {}, errors.ShapeError, r"'A': got shape \[3\], expected \[n, d\]"),
        ((np.ones((2, 3)), np.ones(4)), {}, errors.ShapeError, "size d is 3 in one argument and 4 in another"),
        ((np.ones((2, 3)), "w"), {}, errors.ArgumentTypeError, "invalid data type 'str'"),
        ((np.ones((2, 3)), [1j, 0, 0]), {}, errors.ArgumentTypeError, "complex"),
        ((np.ones((2, 3)), np.array([None] * 3)), {}, errors.ArgumentTypeError, "object"),
        (([[1.0], [1.0, 2.0]], np.ones(3)), {}, errors.ArgumentError, "expected sequence of length 1"),
    ],
)
def test_function_refuses_wrong_arguments(squares, arguments, named, kind, message):
    with pytest.raises(kind, match=message):
        squares[0](*arguments, **named)


def test_function_of_recorded_tensors_fills_in_their_values_and_checks_their_shapes(layer):
    leaves, loss = layer
    f = sg.derive(loss, leaves["b"]).lambdify()
    loss.backward()
    close(f(), leaves["b"].grad.numpy(), 1e-14)
    assert not np.allclose(f(), f(b=np.ones(3)))
    with pytest.raises(errors.ShapeError, match=r"'b': got shape \[4\], expected \[3\]"):
        f(b=np.ones(4))


# ------------------------------------------------------------------ names are only names

HOSTILE = [
    "__import__('os').system('x')", "x; import os", "lambda", "Σ", "a b", " ", "w" * 200, "_", "__", "x__y", "a_b_c",
    r"_ ^ { } \ $ % & # ~", r"\input{/etc/passwd}", "}", "{", "$", r"\end{document}", "\n", "\x00", "a'b\"c", "1", "-1",
    "a*b", "x0", "W_1", "True", "None", "numpy", "\u202e", "ᵀ",
]  # fmt: skip
CLASHING = [
    "i", "j", "k", "l", "n", "d", "σ", "exp", "cosh", "tanh", "Sum", "sum", "I", "E", "S", "pi", "N", "Q", "O", "oo",
    "zoo", "δ", "sigmoid", "x_0", "x_1", "x′",
]  # fmt: skip


@pytest.fixture
def unparsed(monkeypatch):
    """No text is executed or parsed while the test runs."""

    def refuse(*args, **kwargs):
        raise AssertionError(f"executed or parsed {args[:1]}")

    monkeypatch.setattr("os.system", refuse)
    monkeypatch.setattr("sympy.parsing.sympy_parser.parse_expr", refuse)


def legal_tex(text):
    """Whether braces are balanced, no special sign is bare, and no base has two subscripts."""
    bare = re.sub(r"\\[{}$&#%_]", "", text)
    depth = 0
    for c in bare:
        depth += {"{": 1, "}": -1}.get(c, 0)
        if depth < 0:
            return False
    return depth == 0 and not re.search(r"[$#%~\x00-\x1f]", bare) and not re.search(r"_(\{[^{}]*\}|\w)_", bare)


@pytest.mark.parametrize("name", HOSTILE + CLASHING, ids=ascii)
def test_name_is_printed_and_never_parsed(unparsed, name):
    v = sg.tensor([1.0, 2.0], requires_grad=True, name="x")
    M = sg.tensor([[0.1, -0.2, 0.3], [0.4, 0.5, -0.6]], requires_grad=True, name=name)
    c = sg.tensor(0.7, requires_grad=True, name="c")
    loss = (sg.tanh(v @ M) ** 2).sum() * c
    form = sg.derive(loss, M)
    loss.backward()
    expected = M.grad.numpy()
    assert form.args == ("x", name, "c")
    hidden = {"\n": "‹␣A;›", "\x00": "‹␣0;›", "\u202e": "‹␣202E;›"}  # what no one sees is written by its number
    assert hidden.get(name, name) in str(form)
    assert hidden.get(name, name) in str(form.index())
    f, values = form.lambdify(), [t.detach().numpy() for t in (v, M, c)]
    for found in (f(), f(*values), f(**dict(zip(form.args, values, strict=True)))):
        close(found, expected, 1e-14)
    close(index_value(form), expected, 1e-13)
    close(matrix_value(form), expected, 1e-13)
    close(scalar_value(form), expected, 1e-12)
    assert legal_tex(form.latex())
    assert legal_tex(form.latex("index"))
    assert legal_tex(sp.latex(form.index()))


ALIKE = ["\n", "\x00", "\u202e", "␣", "␣A;", "␣0;", "U+000A", "\\n", "a b", "ab", "a  b", "a\nb", "a\x00b", "a", "‹a›",
         "›", "‹", "a›*‹b", "1", "‹1›", "1′", "\ud800", "\u200b", "\u00a0", " ", "  "]  # fmt: skip


def test_two_names_never_print_alike():
    for write in (plain_name, latex_name, markup.name):
        written = [write(name) for name in ALIKE]
        assert len(set(written)) == len(ALIKE)
        assert all(text.isprintable() and text.replace(r"\ ", "") != r"\mathrm{ }" for text in written)


@pytest.mark.parametrize("name", ["__import__('os').system('x')", "lambda", "I", "i", "k", "x", "Sum"])
def test_size_may_have_any_name_too(unparsed, name):
    v, w = sg.symbol("x", (name,)), sg.symbol("w", (name,))
    form = sg.derive(v.mean() ** 2 * (w @ w), v)
    p, q = np.array([1.0, 2.0, 4.0]), np.array([0.5, -1.0, 3.0])
    close(form.lambdify()(p, q), np.full(3, 2 * p.mean() * (q @ q) / 3), 1e-14)
    assert name in str(form)
    assert legal_tex(form.latex())
    assert legal_tex(form.latex("index"))


@pytest.mark.parametrize("name", ["i", "j", "k", "l"])
def test_index_letters_avoid_the_names_of_leaves(name):
    M, v = sg.symbol(name, ("n", "d")), sg.symbol("v", "d")
    entry = sg.derive(((M @ v) ** 2).sum(), M).index()
    letters = {s.name for s in entry.atoms(sp.Symbol) if s.is_integer and not s.is_positive}
    assert len(letters) == 3
    assert name not in letters


def test_two_leaves_of_one_name_are_told_apart():
    first = sg.tensor([2.0, 3.0], requires_grad=True, name="x")
    second = sg.tensor([5.0, 7.0], requires_grad=True, name="x")
    by_first, by_second = sg.derive((first**2 * second).sum(), [first, second])
    assert by_first.args == ("x", "x′")
    assert str(by_first.index()) == "2*x_i*x′_i"
    assert str(by_second) == "x^⊙2"
    close(by_first.lambdify()(), [20.0, 42.0], 0)
    close(by_first.lambdify()(**{"x": [1.0, 1.0], "x′": [1.0, 2.0]}), [2.0, 4.0], 0)
    assert str(list(by_first.scalar())) == "[2*x_0*x′_0, 2*x_1*x′_1]"


def test_number_called_as_an_entry_of_a_vector_is_not_that_entry():
    v, c = sg.tensor([2.0, 3.0], requires_grad=True, name="x"), sg.tensor(5.0, name="x_0")
    form = sg.derive((v**2 * c).sum(), v)
    assert form.args == ("x", "x_0")
    assert form.scalar()[0].free_symbols == {sp.Symbol("x_0"), sp.Symbol("x_0′")}
    close(scalar_value(form), [20.0, 30.0], 1e-15)


def test_leaf_called_as_a_size_keeps_apart_from_it():
    v = sg.symbol("n", "n")
    form = sg.derive(v.mean() ** 2, v)
    assert form.args == ("n′",)
    close(form.lambdify()([1.0, 2.0, 3.0]), np.full(3, 4 / 3), 1e-15)


def test_unnamed_leaves_are_given_letters_that_nobody_has():
    v, w = sg.tensor([1.0, 2.0], requires_grad=True), sg.tensor([3.0, 4.0], requires_grad=True, name="a")
    form = sg.derive((v * v * w).sum(), v)
    assert len(set(form.args)) == 2
    assert "a" in form.args
    close(form.lambdify()(), [6.0, 16.0], 0)


# ------------------------------------------------------------------ SymPy's habits

EXPRESSIONS = {
    "layer": sg.derive(
        bce(sg.symbol("x", 5) @ (W := sg.symbol("W", (5, 3))) + sg.symbol("b", 3), sg.symbol("y", 3)), W
    ),
    "least squares": sg.derive(((X @ (w := sg.symbol("w", "d")) - a) ** 2).sum(), w),
    "inverse": sg.derive((a @ sg.inverse(B) @ a) * sg.exp(t), B),
    "determinant": sg.derive(sg.det(B) ** 2 * sg.norm(x), B),
    "norm": sg.derive(sg.norm(X @ w - a), w),
    "elementwise": sg.derive((a * sg.tanh(x) ** 3 + 2 * x).sum(), x),
    "scalar": sg.derive(sg.exp(t * (x @ a)) / t, t),
    "logsumexp": sg.derive(sg.logsumexp(x * t, 0), x),
    "clamp": sg.derive(sg.clamp(x, -1.0, 1.0).sum() ** 2, x),
    "running sum": sg.derive((sg.cumsum(x, 0) ** 2).sum(), x),
}
READINGS = {
    f"{name}, {kind}": e for name, f in EXPRESSIONS.items() for kind, e in (("matrix", f.expr), ("index", f.index()))
}
both = pytest.mark.parametrize("e", READINGS.values(), ids=READINGS)


@both
def test_expression_is_equal_to_its_copies_and_hashes_as_they_do(e):
    assert isinstance(e, sp.Basic)
    for twin in (pickle.loads(pickle.dumps(e)), copy.copy(e), copy.deepcopy(e)):
        assert twin == e
        assert hash(twin) == hash(e)
        assert str(twin) == str(e)


@both
def test_expression_survives_sympys_rebuilding(e):
    q = sp.Symbol("q")
    for rebuilt in (e.xreplace({q: q + 1}), e.subs(q, 2), e.replace(q, 2)):
        assert rebuilt == e
    parts, (reduced,) = sp.cse(e)
    for symbol, part in reversed(parts):
        reduced = reduced.xreplace({symbol: part})
    assert plain(reduced) == plain(e)
    assert sp.latex(e)
    assert sp.pretty(e)


def plain(e):
    """The expression with SymPy's own products and sums for those that print by themselves."""
    if not e.args:
        return e
    kind = sp.Mul if e.is_Mul else sp.Add if e.is_Add else e.func
    return kind(*map(plain, e.args))


@pytest.mark.parametrize("form", [f for f in EXPRESSIONS.values() if f.has_matrix])
def test_representation_of_matrix_notation_can_be_read_back(form):
    known = {**vars(sp), **{k: c for k, c in vars(nodes).items() if isinstance(c, type)}}
    known |= {k: c for module in (elementwise, marks) for k, c in vars(module).items() if isinstance(c, type)}
    known |= {"Str": Str, "Inverse": Inverse, "Det": Det, "Softmax": Softmax, "Cumsum": Cumsum}
    assert eval(sp.srepr(form.expr), known) == form.expr


def test_arrays_in_matrix_notation_can_be_replaced():
    e = EXPRESSIONS["least squares"].expr
    found = {s.name: s for s in e.free_symbols if isinstance(s, nodes.ArraySymbol)}
    assert set(found) == {"X", "w", "a"}
    other = nodes.ArraySymbol.of("v", found["w"].shape)
    assert str(e.xreplace({found["w"]: other})) == str(e.subs(found["w"], other)) == "2*Xᵀ*(X*v - a)"
    (size,) = [n for n in e.free_symbols if n.is_Symbol and n.name == "n"]
    assert {s.shape[0] for s in e.xreplace({size: sp.Integer(7)}).atoms(nodes.ArraySymbol) if s.name != "w"} == {7}


def test_index_notation_is_made_of_indexed_and_sum():
    e = EXPRESSIONS["least squares"].index("i")
    assert e.has(sp.Indexed)
    assert e.has(sp.Sum)
    assert {str(s.base.label) for s in e.atoms(sp.Indexed)} == {"X", "w", "a"}
    assert sp.Symbol("i", integer=True) in e.free_symbols
    k, *_ = e.atoms(sp.Sum).pop().limits[0]
    assert k not in e.free_symbols
    assert str(e.xreplace({sp.Symbol("i", integer=True): sp.Integer(2)})) == "2*Sum_k X_k2*(Sum_l X_kl*w_l - a_k)"


def test_sympy_differentiates_a_scalar_form():
    c = sp.Symbol("t")
    first = sg.derive(sg.exp(t) * t + sg.tanh(t), t)
    second = sg.derive(sg.exp(t) * t + sg.tanh(t), t, order=2)
    assert sp.simplify(sp.diff(first.expr, c) - second.expr).rewrite(sp.exp).simplify() == 0


def test_entries_written_out_are_a_sympy_array():
    v = sg.symbol("v", 2)
    entries = sg.derive(sg.exp(v) * v.sum(), v).scalar()
    assert isinstance(entries, sp.ImmutableDenseNDimArray)
    v0, v1 = sp.symbols("v_0 v_1")
    common = sp.exp(v0), sp.exp(v1)
    expected = [common[0] * (v0 + v1 + 1), common[0], common[1], common[1] * (v0 + v1 + 1)]
    assert [sp.simplify(e - f) for e, f in zip(sp.flatten(entries), expected, strict=True)] == [0] * 4


def python(source, **env):
    """What a fresh interpreter prints."""
    done = subprocess.run(
        [sys.executable, "-c", source], capture_output=True, text=True, encoding="utf-8", check=True,
        env={**os.environ, "PYTHONIOENCODING": "utf-8", **env},
    )  # fmt: skip
    return done.stdout


def test_expression_pickled_here_is_read_elsewhere(tmp_path):
    forms = [f for f in EXPRESSIONS.values() if f.has_matrix]
    path = tmp_path / "forms.pickle"
    path.write_bytes(pickle.dumps([f.expr for f in forms] + [f.index() for f in forms]))
    source = f"import pickle; print(*pickle.load(open({str(path)!r}, 'rb')), sep='\\n', end='')"
    assert python(source).split("\n") == [str(f.expr) for f in forms] + [str(f.index()) for f in forms]


PRINTS = """
import symgrad as sg
X, w, a, t = sg.symbol("X", ("n", "d")), sg.symbol("w", "d"), sg.symbol("a", "n"), sg.symbol("t")
y = (sg.tanh(X @ w + a) ** 2).sum() * sg.exp(t) + sg.logsumexp(X @ w * t, 0) + sg.norm(X @ w) * (w @ w)
for form in sg.derive(y, [X, w, a, t]):
    print(form, form.index(), form.latex(), form.latex("index"), form.args)
v = sg.symbol("v", (2, 2))
print(sg.derive(sg.det(v) * sg.exp(v).sum() + v[0, 1] * v[1, 0], v).scalar())
"""


def test_forms_do_not_depend_on_the_hash_seed():
    texts = {python(PRINTS, PYTHONHASHSEED=seed) for seed in ("0", "1", "42")}
    assert len(texts) == 1
    assert len(texts.pop().splitlines()) == 5


# ------------------------------------------------------------------ deep graphs


def chain(n):
    leaf = sg.tensor([0.1, 0.2], requires_grad=True, name="v")
    y = leaf
    for _ in range(n):
        y = sg.sin(y)
    return leaf, y


@pytest.mark.parametrize("notation", ["expr", "matrix", "index", "scalar", "latex"])
def test_deep_form_is_refused_without_a_recursion_error(notation):
    leaf, y = chain(3000)
    form = sg.derive(y.sum(), leaf)
    with pytest.raises(errors.FormError, match="operations in a row"):
        getattr(form, notation)()
    with pytest.raises(errors.FormError, match="operations in a row"):
        _ = y.expr


def test_deep_form_is_still_a_function():
    leaf, y = chain(3000)
    y.sum().backward()
    form = sg.derive(y.sum(), leaf)
    close(form.lambdify()(), leaf.grad.numpy(), 1e-12)
    assert repr(form) == "ClosedForm(…, args=('v',), shape=[2])"
    assert not form.has_matrix


def test_deep_form_prints_with_its_intermediates_named():
    leaf, y = chain(3000)
    form = sg.derive(y.sum(), leaf)
    assert " where " in str(form)
    assert len(str(form)) < 60 * 3000
    assert form._repr_latex_().startswith("$\\displaystyle ")


def test_form_of_medium_depth_prints():
    assert str(chain(140)[1].expr) == "sin(" * 140 + "v" + ")" * 140
    leaf, y = chain(60)
    assert str(sg.derive(y.sum(), leaf)).count("cos") == 60


# ------------------------------------------------------------------ random compositions

SMOOTH = [
    sg.sin, sg.tanh, sg.sigmoid, sg.softplus, sg.atan, lambda p: sg.exp(sg.sin(p)), lambda p: p * p,
    lambda p: sg.sqrt(1 + p * p), lambda p: sg.log(2 + sg.cos(p)), lambda p: 1 / (1 + p**2), lambda p: 3 - 0.5 * p,
]  # fmt: skip
REDUCING = [
    lambda p: p.sum(), lambda p: p.mean(), sg.norm, lambda p: sg.logsumexp(p, p.ndim - 1), lambda p: p.sum(0),
    lambda p: p.mean(p.ndim - 1), lambda p: p[0], lambda p: p[..., -1],
]  # fmt: skip
KEEPING = [lambda p: sg.softmax(p, p.ndim - 1), lambda p: sg.flip(p, (0,)), lambda p: p[[1, 0]], lambda p: p[::1]]
SQUARE = [
    lambda p: sg.inverse(sg.tanh(p) + 3 * sg.eye(2)), sg.trace, lambda p: p.T, lambda p: sg.det(p + sg.eye(2)),
    lambda p: p @ p, sg.diagonal, lambda p: sg.tril(p),
]  # fmt: skip
JOINING = [lambda p, q: p * q, lambda p, q: p + q, lambda p, q: p - q / (2 + sg.sin(q))]


def step(rng, values):
    """One operation drawn for values drawn, or None where they do not fit it."""
    p, q = (values[rng.integers(len(values))] for _ in range(2))
    fitting = [lambda: pick(rng, SMOOTH)(p)]
    if p.ndim:
        fitting += [lambda: pick(rng, REDUCING)(p)]
    if p.ndim and p.shape[0] == 2:
        fitting += [lambda: pick(rng, KEEPING)(p)]
    if p.shape == (2, 2):
        fitting += [lambda: pick(rng, SQUARE)(p)] * 2
    if p.ndim and q.ndim and p.shape[-1] == q.shape[0]:
        fitting += [lambda: p @ q] * 2
    if () in (p.shape, q.shape) or p.shape == q.shape or p.shape[-1:] == q.shape:
        fitting += [lambda: pick(rng, JOINING)(p, q)]
    if p.ndim == q.ndim == 1:
        fitting += [lambda: sg.outer(p, q)]
    return pick(rng, fitting)()


def pick(rng, options):
    return options[rng.integers(len(options))]


def composite(seed, length=6):
    """A function of a number, a vector and two matrices that composes operations drawn by the seed."""

    def f(t, v, M, S):
        rng = np.random.default_rng(seed)
        values = [t, v, M, S]
        for _ in range(length):
            values.append(step(rng, values[-5:]))
        used = values[4:]
        return used[-1] if seed % 4 == 0 else sum(y.mean() for y in used)

    return f


def scalar_value(form):
    """The entries written out, at the leaves' values, by SymPy's arithmetic."""
    env = {}
    for symbols_, leaf in zip(form._symbols(), form._leaves, strict=True):
        env.update(
            zip(map(handed.plain, np.ravel(symbols_)), map(sp.Float, np.ravel(leaf.value).astype(float)), strict=True)
        )
    entries = form.scalar()
    flat = [entries] if isinstance(entries, sp.Expr) else sp.flatten(entries)
    return np.array([float(e.xreplace(env).evalf()) for e in flat]).reshape(form.shape)


POINT = [
    np.array(0.7), np.array([0.4, -0.8]), np.array([[0.5, -0.3, 0.9], [0.2, 0.8, -0.6]]),
    np.array([[0.9, -0.4], [0.3, 0.7]]),
]  # fmt: skip


@pytest.mark.parametrize("seed", range(40))
def test_every_notation_of_a_random_composition_is_its_derivative(seed):
    report = sg.testing.crosscheck(composite(seed), *POINT)
    reverse = {w.input: w.value for w in report.witnesses if w.name == "reverse mode"}
    assert any(form is not None for form in report.forms)
    for w in report.witnesses:
        assert not w.missing, report
        assert w.error < (1e-6 if w.name == "finite differences" else 1e-9), report
    for k, form in enumerate(report.forms):
        if form is not None:
            close(scalar_value(form), reverse[k], 1e-9)


def test_random_compositions_use_matrix_notation_and_many_operations():
    seen, matrix = set(), 0
    for seed in range(40):
        leaves = [sg.tensor(p, requires_grad=True, name=n) for p, n in zip(POINT, "tvMS", strict=True)]
        y = composite(seed)(*leaves)
        seen |= {type(n.op).__name__ for n in ancestors([y._node]) if not isinstance(n, Leaf)}
        used = [leaf for leaf in leaves if any(n is leaf._node for n in ancestors([y._node]))]
        matrix += sum(form.has_matrix for form in sg.derive(y, used))
    assert {"Map", "Einsum", "Inverse", "Det", "Softmax", "LogSumExp", "Norm", "Slice", "Flip"} <= seen
    assert matrix >= 10


def test_form_takes_no_derivative_of_what_is_detached():
    x = sg.symbol("x", shape=("n",))
    loss = (x.detach() ** 2 * x).sum()
    assert (str(sg.derive(loss, x)), str(sg.derive(loss, x, order=2))) == ("x^⊙2", "0")
    with sg.no_grad():
        unrecorded = (x**2).sum()
    assert str(sg.derive(unrecorded * x.sum(), x)) == "‖x‖²*1"


def test_size_that_only_a_quotient_has_is_a_size():
    X, u = sg.symbol("X", ("n", "d")), sg.symbol("u")
    form = sg.derive(u**2 / X.shape[0], u)
    assert str(form) == "2*u/n"
    with pytest.raises(sg.SymgradError, match=r"sizes \['n'\] are unknown"):
        form.lambdify()(2.0)


@pytest.mark.parametrize("wrt", [0, [0, 1]])
def test_a_notebook_is_given_no_tag(wrt):
    leaves = [sg.symbol("<img src=x onerror=alert(1)>"), sg.symbol("</script>")]
    y = sg.where(leaves[0] < 1, leaves[0] * leaves[1], leaves[1])
    form = sg.derive(y, leaves[0] if wrt == 0 else leaves)
    assert not set("<>") & set(form._repr_latex_())


@pytest.mark.filterwarnings("ignore:var")
@pytest.mark.parametrize("shape", [(0, 3), (3, 0), (0,), (1, 3)])
@pytest.mark.parametrize("f", [lambda x: sg.var(x, 0).sum(), lambda x: x.mean(), lambda x: sg.logsumexp(x, 0).sum()])
def test_forms_of_arrays_without_entries_and_of_nan_come_to_an_end(f, shape):
    x = sg.symbol("x", shape)
    form = sg.derive(f(x), x)
    assert form.shape == shape
    found = form.lambdify(x)(np.ones(shape))
    np.testing.assert_array_equal(found, sg.grad(f)(np.ones(shape)))


def test_the_budget_counts_the_operations_of_an_expression_as_a_tree():
    a, b = sp.symbols("a b")
    assert Budget().size(a * (b + 1)) == 5
    assert Budget().size(a * (b + 1) + b * (b + 1) ** 2) == 13


def test_a_size_may_be_nought():
    v = sg.symbol("v", "n")
    assert sg.derive((2 * v).sum(), v).lambdify()(n=0).shape == (0,)


def test_every_entry_is_written_out_only_where_all_sizes_are_numbers():
    X, a = sg.symbol("X", ("n", 3)), sg.symbol("a", 3)
    with pytest.raises(errors.FormError, match=r"scalar: sizes must be numbers, got \[3\]"):
        sg.derive((X @ a).sum(), a).scalar()


def test_brackets_stand_in_the_order_of_their_texts():
    a, b, c = (sg.symbol(name, 3) for name in "abc")
    assert str(sg.derive(((a + b) * (b + c) * c).sum(), c).index("i")) == "(2*c_i + b_i)*(a_i + b_i)"


def test_indices_of_a_delta_are_told_apart_by_a_comma_where_one_is_long():
    x = sg.symbol("x", 3)
    hessian = sg.derive((x**3).sum(), x, order=2)
    written = printers.text
    assert written(hessian.index("i", "j")) == "6*x_i*δ_ij"
    assert written(hessian.index("i", "j10")) == "6*x_i*δ[i, j10]"


@pytest.mark.parametrize(
    ("f", "by", "form"),
    [
        (lambda p, z, x: -(p * sg.log(p)).sum(), "z", "softmax(z) ⊙ (zᵀ*softmax(z) - z)"),
        (
            lambda p, z, x: (p * sg.log(p / x)).sum(),
            "z",
            "p ⊙ (u - pᵀ*u) where u = log(p ⊘ x); p = softmax(z)",
        ),
        (lambda p, z, x: (p * (x - p @ x) ** 2).sum(), "x", "2*(softmax(z) ⊙ (x - xᵀ*softmax(z)))"),
    ],
    ids=["entropy", "divergence", "variance"],
)
def test_constants_cancel_in_what_a_mean_is_taken_off(f, by, form):
    z, x = sg.symbol("z", "n"), sg.symbol("x", "n")
    assert str(sg.derive(f(sg.softmax(z, 0), z, x), by)) == form


def test_number_stands_in_front_of_a_sum():
    x, a = sg.symbol("x", "n"), sg.symbol("a")
    assert str(sg.derive((a**2 - a * sg.log(x)).sum(), a)) == "2*a*n - sum(log(x))"


@pytest.mark.parametrize(
    ("correction", "text", "latex"),
    [
        (1, "std(x)", r"x\right)"),
        (0, "std(x, correction=0)", r"x, \mathrm{correction}=0\right)"),
        (2.5, "std(x, correction=2.5)", "=2.5"),
    ],
)
def test_a_spread_with_another_divisor_is_written_with_it(correction, text, latex):
    x = sg.symbol("x", 7)
    y = x.std(correction=correction)
    assert str(y.expr) == text
    assert latex in sg.derive(y, x).latex()
    assert str(x.var(correction=correction).expr) == text.replace("std", "var")
    values = np.arange(7.0) ** 2
    assert float(sg.parse(text, {"x": 7})(values)) == pytest.approx(np.std(values, ddof=correction), rel=1e-14)


def test_arrays_of_many_axes_have_forms_up_to_numpys_number_of_axes():
    x = sg.symbol("x", (2, *(1,) * 39))
    entries = np.array(sg.derive((x**3).sum(), x).scalar(), dtype=object).reshape(-1)
    assert [str(e)[:4] for e in entries] == ["3*x_", "3*x_"]
    with pytest.raises(sg.errors.ShapeError, match="has 80 axes"):
        sg.derive((x**3).sum(), x, 2)


@pytest.mark.parametrize(
    ("f", "by", "order"),
    [
        (lambda A, x, t: sg.trace(A @ A @ sg.outer(x, x)), "A", 1),  # a gradient
        (lambda A, x, t: A @ sg.exp(x), "x", 1),  # a Jacobian
        (lambda A, x, t: t**2 * A @ A, "t", 1),  # a matrix by a number
        (lambda A, x, t: sg.exp(A @ x).sum() + x[0] ** 2 * x[1], "x", 2),  # a Hessian
    ],
)
def test_transposed_form_has_the_transposed_array(f, by, order):
    names = {"A": sg.symbol("A", (3, 3)), "x": sg.symbol("x", 3), "t": sg.symbol("t")}
    form = sg.derive(f(**names), names[by], order)
    values = {"A": np.arange(9.0).reshape(3, 3) / 9, "x": np.array([0.3, -0.2, 0.5]), "t": 1.5}
    given = {name: values[name] for name in form.args}
    np.testing.assert_allclose(form.T(**given), np.asarray(form(**given)).T)
    np.testing.assert_allclose(form.T.T(**given), form(**given))


def test_transposes_of_forms_are_forms():
    A, x = sg.symbol("A", ("n", "m")), sg.symbol("x", "m")
    jacobian = sg.derive(A @ sg.exp(x), x)
    assert (str(jacobian), str(jacobian.T)) == ("A*diag(exp(x))", "diag(exp(x))*Aᵀ")
    gradient = sg.derive((A @ x).sum(), x)
    assert gradient.T is gradient
    with pytest.raises(errors.FormError, match="T: expected a matrix, got one of shape"):
        _ = sg.derive(sg.outer(x, x), x).T
