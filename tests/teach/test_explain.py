"""The sweep as a lesson: its texts as a teacher has them, its last step, its numbers, every operation."""

import functools
import re
import shutil
import subprocess
import xml.dom.minidom

import numpy as np
import pytest
from checks import every, leaves_of, weighed

import symgrad as sg
from symgrad.errors import ArgumentError, ArgumentTypeError, GraphError, ShapeError
from symgrad.expression.formula import Spelled
from symgrad.forms.nodes import formulas

from cases import SMOOTH

backprop = functools.partial(sg.explain, style="backprop")
FIRST = list({case.row.name: case for case in reversed(SMOOTH) if not case.empty}.values())
PRODUCT = """\
Wanted: dy/dx of y = x²·sin(x). At x = 2.

Forward
  1.   u = x² = 4
  2.   v = sin(x) = 0.909297
  3.   y = u·v = 3.63719

Backward
  4.   start with dy/dy = 1
     y = u·v — product rule: (a·b)′ = a·b′ + b·a′
  5.   dy/du = ∂y/∂u = v = sin(x) = 0.909297
  6.   dy/dv = ∂y/∂v = u = x² = 4
     v = sin(x) — chain rule through sin: sin′(z) = cos(z)
  7.   dv/dx = cos(x) and dy/dv = x²,
       so x receives through v, path 1 of 2: dy/dv·dv/dx = x²·cos(x) = −1.66459
     u = x² — power rule: (z²)′ = 2·z
  8.   du/dx = 2·x and dy/du = sin(x),
       so x receives through u, path 2 of 2: dy/du·du/dx = 2·x·sin(x) = 3.63719
  9.   add the paths: dy/dx = x²·cos(x) + 2·x·sin(x) = x·(x·cos(x) + 2·sin(x)) =
         1.9726

Result
     dy/dx = x·(x·cos(x) + 2·sin(x)) = 1.9726"""
SCALAR = {
    "a product": lambda x: x**2 * sg.sin(x),
    "a quotient": lambda x: sg.sin(x) / (1 + x**2),
    "a nested chain": lambda x: sg.exp(sg.sin(sg.sqrt(1 + x**2))),
    "one leaf twice": lambda x: x * x,
    "a case distinction": lambda x: sg.where(x > 0, x**3, -x),
    "the leaf itself": lambda x: x,
    "a derivative of zero": lambda x: sg.floor(x),
    "a variable exponent": lambda x: x**x,
}


def test_product_reads_as_on_a_blackboard():
    assert str(backprop(SCALAR["a product"], at=2.0)) == PRODUCT


@pytest.mark.parametrize(
    ("f", "rules"),
    [
        (lambda x: sg.sin(x) / x, ["quotient rule: (a/b)′ = (b·a′ − a·b′)/b²", "chain rule through sin"]),
        (lambda x: sg.tanh(3 * x), ["chain rule through tanh: tanh′(z) = 1 − tanh²(z)", "constant factor rule"]),
        (lambda x: x**3 + x, ["sum rule: (a + b)′ = a′ + b′", "power rule: (z³)′ = 3·z²"]),
        (lambda x: sg.exp(x) - x, ["difference rule: (a − b)′ = a′ − b′", "chain rule through exp"]),
        (lambda x: 2 / x, ["reciprocal rule: (2/z)′ = −2/z²"]),
        (lambda x: 2**x, ["exponential rule: (2ᶻ)′ = 2ᶻ·log(2)"]),
        (lambda x: sg.sqrt(x), ["chain rule through the square root: (√z)′ = 1/(2·√z)"]),
        (lambda x: sg.sigmoid(x), ["chain rule through sigmoid: σ′(z) = σ(z)·(1 − σ(z))"]),
        (lambda x: 5 - x, ["difference rule (a constant has derivative 0): (5 − z)′ = −1"]),
        (
            lambda x: sg.where(x > 0, x, 2 * x),
            ["case by case: ({a if c ≠ 0; b otherwise})′ = {a′ if c ≠ 0; b′ otherwise}"],
        ),
    ],
)
def test_rules_are_named_and_their_formulas_derived(f, rules):
    said = [str(step.rule) for step in backprop(f).steps if step.rule is not None]
    assert all(any(s.startswith(r) for s in said) for r in rules), said


def test_what_is_subtracted_stands_last_and_zeros_have_no_sign():
    assert "y = v − p = 28" in str(backprop(lambda x: 3 * x**4 - 5 * x**2, at=2.0))
    text = str(backprop(lambda x: sg.where(x > 0, x, -x).sum(), at=np.ones(2)))
    assert "= [0, 0]" in text
    assert "−0" not in text


@pytest.mark.parametrize("f", SCALAR.values(), ids=SCALAR)
@pytest.mark.parametrize("at", [None, 1.7])
def test_last_step_is_what_derive_returns(f, at):
    x = sg.symbol("x") if at is None else sg.tensor(at, requires_grad=True, name="x")
    y = f(x)
    found = backprop(y, wrt=x)
    assert found.steps[-1].result is found.form
    assert type(found.form) is type(sg.derive(y, x))
    assert found.form.expr == sg.derive(y, x).expr


def test_steps_are_numbered_and_forward_comes_first():
    steps = backprop(SCALAR["a quotient"]).steps
    assert [s.number for s in steps] == list(range(1, len(steps) + 1))
    kinds = [s.kind for s in steps]
    assert kinds == sorted(kinds, reverse=True)
    assert set(kinds) == {"forward", "backward"}


def test_local_derivative_times_adjoint_is_the_result():
    steps = backprop(SCALAR["a nested chain"], at=0.8).steps
    known = {str(s.name): s.value for s in steps} | {"x": 0.8}
    pulled = [s for s in steps if s.local is not None]
    assert len(pulled) == 5
    for s in pulled:
        local = float(s.local.subs({name: known[name.name] for name in s.local.free_symbols}))
        assert local * known[str(s.inputs[-1][0])] == pytest.approx(s.value)


def test_matrix_calculus_keeps_a_ledger_of_shapes():
    X, w, y = sg.symbol("X", ("n", "d")), sg.symbol("w", "d"), sg.symbol("y", "n")
    text = str(backprop(((X @ w - y) ** 2).sum(), wrt=w))
    assert text.splitlines()[3].split() == ["1.", "u", "=", "X·w", "|", "X", "[n,", "d],", "w", "[d]", "→", "[n]"]
    assert "∂L/∂w = Xᵀ·∂L/∂u = 2·Xᵀ·(X·w − y)" in text
    assert "X [n, d], ∂L/∂u [n] → [d]" in text
    assert "matrix times vector: the matrix receives an outer product" in text


def test_several_tensors_are_derived_in_one_sweep():
    x, z = sg.symbol("x"), sg.symbol("z")
    found = backprop(x * z + sg.sin(z), wrt=[x, z])
    assert [str(form) for form in found.forms] == ["z", "x + cos(z)"]
    assert {str(s.name) for s in found.steps if s.kind == "backward"} >= {"∂y/∂x", "∂y/∂z"}


def test_derivatives_by_one_of_several_variables_are_partial():
    text = str(backprop(lambda a, b: a**2 * b, wrt="a"))
    assert "∂y/∂u = b" in text
    assert "∂y/∂a = 2·a·b" in text
    assert "∂y/∂u = ∂y/∂u" not in text


def test_cotangent_starts_the_derivation_of_an_array():
    w, g = sg.symbol("w", "d"), sg.symbol("g", "d")
    found = backprop(sg.tanh(w), wrt=w, cotangent=g)
    assert str(found.form) == str(sg.derive(sg.tanh(w), w, cotangent=g))
    assert "start with the cotangent: ∂L/∂L = g" in str(found)


def test_long_graph_is_explained_without_its_long_formulas():
    x = y = sg.tensor(0.3, requires_grad=True, name="x")
    for _ in range(100):
        y = sg.sin(y)
    found = backprop(y)
    assert len(found.steps) == 201
    assert max(len(line) for line in str(found).splitlines()) <= 120
    y.backward()
    assert found.steps[-1].value == pytest.approx(x.grad.item())


def test_custom_function_is_named():
    class Cube(sg.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            ctx.save_for_backward(x)
            return x**3

        @staticmethod
        def backward(ctx, g):
            (x,) = ctx.saved_tensors
            return 3 * x**2 * g

    x = sg.tensor(2.0, requires_grad=True, name="x")
    found = backprop(sg.sin(Cube.apply(x)))
    assert "the backward that Cube declares" in str(found)
    assert found.steps[-1].value == pytest.approx(12 * np.cos(8))


def test_entries_are_named_where_there_is_no_matrix_notation():
    T = sg.symbol("T", (2, 3, 4))
    text = str(backprop((T**2).sum(0).sum()))
    assert "(∂L/∂u)_ijk" in text or "_ijk = " in text


@pytest.mark.parametrize(
    ("call", "error", "says"),
    [
        (lambda: sg.explain(3.0), ArgumentTypeError, "expected a tensor or a function, got float"),
        (lambda: sg.explain(sg.tensor(3.0)), GraphError, "requires_grad=True"),
        (lambda: backprop(sg.symbol("x", 3)), ShapeError, "scalar outputs"),
        (lambda: sg.explain(sg.symbol("x"), at=1), ArgumentError, "and a tensor"),
        (lambda: sg.explain(lambda x: x, wrt="z"), ArgumentError, "does not take"),
        (lambda: sg.explain(lambda x: 2.0, at=1.0), GraphError, "does not depend"),
        (lambda: sg.explain(sg.symbol("x") ** 2, wrt=2.0), ArgumentTypeError, "expected a tensor"),
    ],
)
def test_errors_say_what_to_do(call, error, says):
    with pytest.raises(error, match=says):
        call()


@every(FIRST[::4])  # whatever the order of the table is, a row of each kind
def test_operations_of_the_table_are_explained_in_every_notation(case, monkeypatch):
    unknown = []
    monkeypatch.setattr(formulas, "unknown", lambda e: unknown.append(type(e)) or Spelled("?", "?"))
    leaves = leaves_of(case)
    found = backprop(weighed(case)(*leaves), wrt=leaves)
    assert len(str(found).splitlines()) > 6
    assert len(found.latex()) > 100 < len(found._repr_markdown_())
    xml.dom.minidom.parseString(found.html())
    assert unknown == []
    weighed(case)(*leaves).backward()
    for leaf, node, form in zip(leaves, found._derivation.targets, found.forms, strict=True):
        value = found._derivation.value(form._root)
        np.testing.assert_allclose(np.broadcast_to(value, node.shape), leaf.grad.numpy(), rtol=1e-7, atol=1e-9)


# ------------------------------------------------------------------ what must not be read as markup
HOSTILE = ["</script><script>alert(1)</script>", "<img src=x onerror=alert(1)>", "\"&'", r"\input{x}$%_^", "a`|*[b](c)"]


@pytest.mark.skipif(shutil.which("pdflatex") is None, reason="no pdflatex to set the derivations with")
def test_latex_is_set_without_complaint(tmp_path):
    X, w = sg.symbol("X", ("n", "d")), sg.symbol("w", "d")
    found = [sg.explain(f, at=1.5, style=s) for f in SCALAR.values() for s in ("calculus", "backprop")]
    found += [
        sg.explain(sg.logdet(X.T @ X) + sg.logsumexp(X @ w, 0) + sg.linalg.norm(w)),
        sg.explain((X**2).sum(0).prod()),
    ]
    found += [
        sg.explain((sg.sin(sg.symbol(name, 3)) ** 2).sum()) for name in [*HOSTILE, "a}b{c", "#~", "x_1_2", "w_ij"]
    ]
    body = "\n\\newpage\n".join(e.latex() for e in found)
    start = r"\documentclass{article}\usepackage{amsmath,amssymb}\begin{document}"
    (tmp_path / "page.tex").write_text(f"{start}{body}\\end{{document}}", "utf-8")
    command = ["pdflatex", "-interaction=nonstopmode", "-halt-on-error", "-no-shell-escape", "page.tex"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=600, errors="replace")
    assert done.returncode == 0, [line for line in done.stdout.splitlines() if line.startswith(("!", "l."))]


@pytest.mark.parametrize("name", HOSTILE)
@pytest.mark.parametrize("style", ["calculus", "backprop"])
def test_hostile_names_are_text_in_every_format(name, style):
    found = sg.explain(sg.sin(sg.symbol(name)) ** 2, style=style)
    tree = xml.dom.minidom.parseString(found.html())
    assert not {e.tagName for e in tree.getElementsByTagName("*")} & {"script", "img"}
    latex = found.latex()
    assert r"\input" not in latex
    assert not {"<script", "</script", "<img"} & set(
        re.findall(r"</?\w+", found._repr_markdown_() + found._repr_latex_())
    )


WIDE = [
    ("sum(softmax(X @ W, 1) * Y)", {"X": ["samples", "features"], "W": ["features", "classes"],
                                    "Y": ["samples", "classes"]}, "W"),
    ("sum(sigmoid(W @ tanh(V @ x)))", {"W": "kh", "V": "hd", "x": "d"}, "V"),
    ("x**2*sin(x)*exp(-x**2)*log(1 + x**2)", {"x": ()}, "x"),
]  # fmt: skip


@pytest.mark.parametrize("style", ["backprop", None])
@pytest.mark.parametrize(("text", "shapes", "by"), WIDE, ids=range(len(WIDE)))
def test_a_line_has_80_signs_at_most(text, shapes, by, style):
    shapes = {name: tuple(s) for name, s in shapes.items()}
    lines = str(sg.explain(text, by, shapes=shapes, style=style)).splitlines()
    assert max(map(len, lines)) <= 80
    assert len(lines) > 5


@pytest.mark.parametrize("wrt", [0.7, 3])
def test_of_a_function_wrt_are_names(wrt):
    with pytest.raises(ArgumentTypeError, match=r"wrt is .* numbers go into at="):
        sg.explain(lambda t: t**2, wrt)
