"""Derivatives of derivatives: of any order, mixed, in blocks, of forms."""

import pickle

import numpy as np
import pytest
from checks import close
from test_reading import check
from written_forms import written

import symgrad as sg
from symgrad.errors import ArgumentError

x, y = sg.symbol("x", "n"), sg.symbol("y", "n")
A, s, t = sg.symbol("A", ("n", "n")), sg.symbol("s", ()), sg.symbol("t", ())
LEAVES = {"x": x, "y": y, "A": A, "s": s, "t": t}
_RNG = np.random.default_rng(4)
VALUES = {
    "x": _RNG.uniform(0.5, 1.5, 3), "y": _RNG.uniform(0.5, 1.5, 3), "A": _RNG.normal(size=(3, 3)) + 3 * np.eye(3),
    "s": np.array(0.7), "t": np.array(1.3),
}  # fmt: skip
FUNCTIONS = {
    "cubes": ("xy", lambda L, x, y: (x**3 * y).sum()),
    "a quadratic form": ("xA", lambda L, x, A: x @ A @ x),
    "a bilinear form in a logarithm": ("xAy", lambda L, x, A, y: L.log(1 + L.exp(x @ A @ y))),
    "numbers": ("st", lambda L, s, t: L.sin(s * t) * s**3 / t),
    "a number and a vector": ("sx", lambda L, s, x: ((x - s) ** 2).sum() / s),
    "softmax": ("xy", lambda L, x, y: (L.softmax(x * y, 0) * y).sum()),
    "an inverse": ("xA", lambda L, x, A: x @ L.linalg.inv(A) @ x),
    "running sums": ("xy", lambda L, x, y: (L.cumsum(x * x, 0) * y).sum()),
}
ORDERS = ["xx", "xy", "yx", "xA", "Ax", "AA", "st", "ss", "sx", "xs", "xyx", "xxx", "sts", "xAy", "xsx"]
CASES = [(name, by) for name, (of, _) in FUNCTIONS.items() for by in ORDERS if {*by} <= {*of}]


def expected(name, by):
    """The derivative by one leaf after the other, in torch."""
    torch = pytest.importorskip("torch", reason="compares with torch")
    of, f = FUNCTIONS[name]
    at = {k: torch.tensor(VALUES[k]) for k in of}

    def derived(by):
        if not by:
            return lambda given: f(torch, *given.values())
        inner = derived(by[:-1])

        def jacobian(given):
            return torch.autograd.functional.jacobian(
                lambda v: inner({**given, by[-1]: v}), given[by[-1]], create_graph=True
            )

        return jacobian

    return derived(by)(at).detach().numpy()


def form_of(name, by):
    of, f = FUNCTIONS[name]
    form = sg.derive(f(sg, *[LEAVES[k] for k in of]), LEAVES[by[0]])
    for k in by[1:]:
        form = sg.derive(form, LEAVES[k])
    return form


def values(form):
    return {k: VALUES[k] for k in form._called.names}


@pytest.mark.parametrize(("name", "by"), CASES, ids=lambda v: v)
def test_the_derivative_of_a_form_is_right_and_read_back(name, by):
    form, right = form_of(name, by), expected(name, by)
    w = written(form, values(form), {"n": 3}) if form.args != ("n",) else None
    found = form.lambdify()(n=3) if w is None else w.expected
    assert found.shape == right.shape
    close(found, right, 1e-9)
    if w is not None:
        check(w, ["shown", "LaTeX index"])


@pytest.mark.parametrize(
    ("form", "text"),
    [
        (sg.derive(sg.derive(x @ A @ y, x), y), "A"),
        (sg.derive(sg.derive(x @ A @ x, x), x), "A + Aᵀ"),
        (sg.derive(sg.derive((x**2 * y).sum(), y), x), "2*diag(x)"),
        (sg.derive(sg.derive(s**2 * (x @ y), s), x), "2*s*y"),
        (sg.derive((x**3).sum(), x, order=3), "6*δ_ij*δ_ik"),
        (sg.derive((x**3).sum(), x, order=4), "0"),
        (sg.derive(sg.derive(x**3, x), x), "6*x_i*δ_ij*δ_ik"),
        (sg.derive(s**5, s, order=3), "60*s**2"),
        (sg.derive(sg.derive(x @ A @ x, x), x, tangent=y), "(A + Aᵀ)*y"),
        (sg.derive(sg.derive(x @ A @ x, x), A, cotangent=y), "y*xᵀ + x*yᵀ"),
    ],
    ids=str,
)
def test_a_form_is_differentiated_once_more(form, text):
    assert str(form) == text


def test_a_jacobian_is_the_hessian_of_what_it_is_the_gradient_of():
    of = (sg.tanh(A @ x) ** 2).sum()
    assert str(sg.derive(sg.derive(of, x), x)) == str(sg.derive(of, x, order=2))


def test_blocks_stand_as_they_are_differentiated_by():
    blocks = sg.derive(x @ A @ x + s * (x @ y), [x, s], order=2)
    assert [[b.shape for b in row] for row in blocks] == [[(x.shape * 2), x.shape], [x.shape, ()]]
    assert str(blocks) == "d²/dx² = A + Aᵀ\nd²/dxds = y\nd²/dsdx = y\nd²/ds² = 0"
    assert r"\frac{\partial^{2}}{\partial x \, \partial s} &= y" in blocks._repr_latex_()
    assert str(pickle.loads(pickle.dumps(blocks))) == str(blocks)


def test_blocks_of_order_three_are_nested_once_more():
    blocks = sg.derive(s**2 * t**2, [s, t], order=3)
    assert str(blocks[0][1][0]) == str(blocks[1][0][0]) == "4*t"
    assert str(blocks).splitlines()[1] == "d³/ds²dt = 4*t"


def test_the_derivative_of_a_form_by_what_it_does_not_depend_on_is_zero():
    assert str(sg.derive(sg.derive(x @ x, x), y)) == "0"


def test_a_third_derivative_is_checked_at_the_values_of_its_leaves():
    u = sg.tensor([0.5, 2.0], requires_grad=True, name="u")
    assert str(sg.derive(sg.log(u).sum(), u, order=3, verify=True)) == "2*δ_ij*δ_ik/u_i**3"


B = sg.symbol("B", ("m", "n"))
LAYOUTS = {
    "a number by a matrix": (lambda: ((B @ x) ** 2).sum(), B, "2*B*x*xᵀ", "2*x*xᵀ*Bᵀ", "2*B*x*xᵀ"),
    "a number by a vector": (lambda: ((B @ x) ** 2).sum(), x, "2*Bᵀ*B*x", "2*Bᵀ*B*x", "2*Bᵀ*B*x"),
    "a vector by a vector": (lambda: B @ x, x, "B", "B", "Bᵀ"),
    "a function of a product": (
        lambda: sg.tanh(B @ x), x, "diag(1 - tanh(B*x)^⊙2)*B", "diag(1 - tanh(B*x)^⊙2)*B", "Bᵀ*diag(1 - tanh(B*x)^⊙2)",
    ),
    "a vector by a number": (lambda: s**2 * x, s, "2*s*x", "2*s*x", "2*s*x"),
    "a matrix by a number": (lambda: s**2 * B, s, "2*s*B", "2*s*B", "2*s*Bᵀ"),
}  # fmt: skip


@pytest.mark.parametrize("name", LAYOUTS)
@pytest.mark.parametrize("column", range(3))
def test_layouts_are_those_of_the_table(name, column):
    f, by, *texts = LAYOUTS[name]
    y = f()
    form = sg.derive(y, by, notation=(None, "numerator", "denominator")[column])
    assert str(form) == texts[column]
    turned = texts[column] != texts[0]
    assert form.shape == ((*y.shape, *by.shape)[::-1] if turned else (*y.shape, *by.shape))
    given = {**VALUES, "B": VALUES["A"][:2]}
    first = sg.derive(y, by)(**{k: given[k] for k in form.args})
    close(form(**{k: given[k] for k in form.args}), first.T if turned else first, 1e-12)


@pytest.mark.parametrize(
    ("y", "by", "options", "message"),
    [
        (x @ x, x, {"notation": "hessian"}, "'hessian' is unknown. Expected one of"),
        (x @ x, x, {"notation": "numerator", "order": 2}, "is for gradients and Jacobians"),
        (B @ x, B, {"notation": "numerator"}, r"Got shape \[m\], differentiated with respect to shape \[m, n\]"),
    ],
)
def test_what_has_no_layout_is_said(y, by, options, message):
    with pytest.raises(ArgumentError, match=message):
        sg.derive(y, by, **options)


@pytest.mark.parametrize("text", ["i1(x)", "x*i1(x)", "x**2*i1(x)"])
def test_a_sum_beside_a_value_at_zero_stays_a_sum(text):
    """The derivative is {0 if x = 0; a sum otherwise}: what is printed is computed with mpmath, and so is f″."""
    mpmath = pytest.importorskip("mpmath")
    names = {"i0": lambda x: mpmath.besseli(0, x), "i1": lambda x: mpmath.besseli(1, x)}
    shown = str(sg.derive(text, "x", 2)).rpartition("; ")[2].removesuffix(" otherwise}")
    expected = mpmath.diff(lambda x: eval(text, {**names, "x": x}), 0.6, 2)
    assert float(eval(shown, {**names, "x": mpmath.mpf(0.6)})) == pytest.approx(float(expected), rel=1e-9)
