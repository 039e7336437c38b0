"""Exported formulas, for SymPy and LaTeX; and names that nobody should write, in every target."""

from __future__ import annotations

import ast
import io
import os
import re
import shutil
import subprocess
import sys
import tokenize

import numpy as np
import pytest
import sympy as sp
from exporting import agree, eager, exported, loaded, tolerance

import symgrad as sg
from symgrad.exports import TARGETS, ExportError

from cases import ROWS

LANGUAGES = ["python", "numpy", "jax", "torch", "sympy"]  # whose sources are Python


# ------------------------------------------------------------------ every row
@pytest.mark.parametrize("row", ROWS, ids=lambda r: r.name)
def test_sympy_source_builds_expressions_of_the_right_value(row):
    case = next((c for c in row.cases if sum(x.size for x in c.points) <= 6), None)
    text = exported(case, "sympy") if case is not None else None
    if text is None:
        return
    found = loaded(text)()
    names = [f"x_{k}" + "".join(f"_{i}" for i in at) for k, x in enumerate(case.points) for at in np.ndindex(x.shape)]
    numbers = [float(v) for x in case.points for v in np.ravel(x)]
    given = {sp.Symbol(n, real=True): sp.Float(v, 25) for n, v in zip(names, numbers, strict=True)}
    values = [np.array([_number(e, given) for e in np.ravel(y)]) for y in found]
    agree(
        [v.reshape(y.shape) for v, y in zip(values, eager(case))], eager(case), max(1e-7, tolerance(row)), dtypes=False
    )


def _number(e, given):
    """Return an entry's value; SymPy's booleans are numbers."""
    value = sp.sympify(e).xreplace(given)
    return float(bool(value)) if value in (sp.true, sp.false) else float(sp.re(sp.N(value, 20)))


@pytest.mark.parametrize("row", ROWS, ids=lambda r: r.name)
def test_latex_of_every_row_is_balanced(row):
    for case in row.cases[:1]:
        text = exported(case, "latex")
        if text is None:
            continue
        bare = re.sub(r"\\[\\{}%&]", "", text)
        assert bare.count("{") == bare.count("}")
        assert text.count(r"\left") - text.count(r"\leftarrow") == text.count(r"\right") - text.count(r"\rightarrow")
        assert text.count(r"\begin") == text.count(r"\end") > 0


# ------------------------------------------------------------------ the text
def test_expression_is_rebuilt_exactly():
    x = sp.Symbol("x", real=True)
    f = loaded(sg.export(lambda x: sg.sin(x) ** 2 / 3 + sg.exp(-x), (0.5,), target="sympy", name="f"))
    assert f() == sp.sin(x) ** 2 / 3 + sp.exp(-x)


def test_named_sizes_are_matrix_expressions():
    n, d = sp.symbols("n d")
    gradient = sg.grad(lambda w, X: ((X @ w) ** 2).sum())
    found = loaded(sg.export(gradient, shapes=[("d",), ("n", "d")], target="sympy", name="g"), "g")()
    X, w = sp.MatrixSymbol("X", n, d), sp.MatrixSymbol("w", d, 1)
    assert found == 2 * X.T * X * w
    with pytest.raises(ExportError, match="matrix notation"):
        sg.export(lambda x: sg.cumsum(x, 0), shapes=[("n",)], target="sympy")


def test_latex_has_a_row_for_each_result():
    text = sg.export(sg.value_and_grad(lambda w, X: ((X @ w) ** 2).sum()), shapes=[("d",), ("n", "d")], target="latex",
                     name="f")  # fmt: skip
    assert r"f_{0} &= \left\lVert X w \right\rVert^{2} \\" in text
    assert r"f_{1} &= 2 X^{\top} X w" in text


def test_formula_of_nothing_is_refused():
    with pytest.raises(ExportError, match="has none"):
        sg.export(lambda x: sg.ones(2), (1.0,), target="latex")


# ------------------------------------------------------------------ hostile names
HOSTILE = [
    "__import__('os').system('touch HERE')", "x; system('touch HERE')", "a\nimport os\nos.abort()", '"""', "'''",
    "*/ int boom; /*", "</script><script>alert(1)</script>", r"\input{/etc/passwd}", r"\end{align*}\write18{ls}", "%",
    "class", "lambda", "while", "register", "None", "np", "math", "v1", "c1", "out0", "status", "sg_norm", "sympy",
    "хeval", "ａ", "x\u202ey", "x\u2028y", "", " ", "0", "x y", "x" * 190, "\\", "$x$", "a'b\"c", "{}", "%s", "??/",
    "#include <stdio.h>", "\x00", "𝐱", "return", "free", "malloc", "exp", "main", "f", "nan",
    "rand", "expf",
]  # fmt: skip
CANARY = re.compile(r"import os|touch HERE|script>|\\input|\\write|int boom|\x00|\u202e|\u2028|<stdio")


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("name", HOSTILE, ids=lambda n: ascii(n)[:30])
def test_hostile_names_stay_names(target, name, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    x = sg.tensor([0.5, 2.0], name=name or None, requires_grad=True)
    A = sg.tensor([[1.0, 2.0], [3.0, 4.0]], name=f"{name}{name[:3]}" or None)
    form = sg.derive(((A @ x) ** 2).sum() + sg.exp(x).prod(), x)
    text = sg.export(form, target=target, name=name or "f")
    check(text, target, tmp_path)
    n = name or "n"
    sized = sg.export(lambda x: 2 * x, shapes=[(n, 2)], target=target, name=name or "f")
    check(sized, target, tmp_path)
    assert list(tmp_path.iterdir()) == []


def check(text, target, folder):
    """Assert that a source has nothing of a name's but an identifier, and is whole."""
    found = CANARY.search(text)
    assert found is None or (target == "latex" and found[0] in ("import os", "touch HERE"))  # words are harmless there
    assert max(map(len, text.splitlines())) < 4000
    if target in LANGUAGES:
        tree = ast.parse(text)
        functions = [node for node in tree.body if isinstance(node, ast.FunctionDef)]
        assert functions[-1] is tree.body[-1]
        assert not any(isinstance(node, ast.Import) for node in ast.walk(functions[-1]))
        assert not [t for t in tokenize.generate_tokens(io.StringIO(text).readline) if t.type == tokenize.COMMENT]
    elif target == "c" and shutil.which("gcc"):
        flags = ["-std=c99", "-Wall", "-Wextra", "-Werror", "-fsyntax-only", "-x", "c", "-"]
        subprocess.run(["gcc", *flags], input=text, text=True, check=True, cwd=folder)
    elif target == "latex":
        bare = re.sub(r"\\[\\{}%&$#_]", "", text)
        assert bare.count("{") == bare.count("}")
        assert text.count(r"\end") == 1


@pytest.mark.parametrize("name", ["a\nb", "*/", "class", "x" * 500], ids=ascii)
def test_keys_and_parameters_that_are_hostile_are_sanitised(name):
    f = lambda p: {name: 2 * p[name]}
    for target in TARGETS:
        check(sg.export(f, {name: np.ones(2)}, target=target, name="f"), target, None)
    found = loaded(sg.export(f, {name: np.ones(2)}, target="numpy", name="f"))(np.ones(2))
    np.testing.assert_array_equal(found[name], [2.0, 2.0])


# ------------------------------------------------------------------ the same text always
def test_sources_are_the_same_in_every_run_and_under_every_hash_seed():
    program = (
        "import symgrad as sg, numpy as np\n"
        "f = lambda w, X, y: sg.nn.functional.cross_entropy(sg.tanh(X @ w), y) + (w**2).sum() + sg.lgamma(w[0, 0])\n"
        "a = np.ones((2, 3)), np.ones((4, 2)), np.array([[1.0, 0, 0]] * 4)\n"
        "from symgrad.exports import TARGETS\n"
        "for t in TARGETS: print(sg.export(sg.value_and_grad(f), a, target=t, name='f'))\n"
    )
    runs = [
        subprocess.run([sys.executable, "-c", program], env={**os.environ, "PYTHONHASHSEED": seed}, capture_output=True,
                       check=True).stdout
        for seed in ("1", "2")
    ]  # fmt: skip
    assert runs[0] == runs[1]
    assert len(runs[0]) > 5000


def test_an_identity_matrix_whose_size_is_a_letter_can_be_exported():
    f = sg.value_and_grad(lambda X: sg.trace(X) + sg.logdet(X))
    assert "= X⁻ᵀ + I" in sg.export(f, shapes=[("n", "n")], target="numpy")
    assert r"&= X^{-\top} + I" in sg.export(f, shapes=[("n", "n")], target="latex")
