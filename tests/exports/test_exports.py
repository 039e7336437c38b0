"""Exported sources for arrays: every row of the table, on NumPy, JAX and PyTorch, against eager."""

from __future__ import annotations

import ast
import operator
import os
import re
import subprocess
import sys
from functools import lru_cache

import numpy as np
import pytest
from exporting import agree, documented, eager, exported, loaded, tolerance, value_and_gradient

import symgrad as sg
from symgrad.errors import ArgumentError, ArgumentTypeError
from symgrad.exports import ExportError
from symgrad.exports.arrays.dialect import Dialect
from symgrad.exports.embed import ARRAYS
from symgrad.exports.targets.jax import Jax
from symgrad.exports.targets.numpy import NumPy
from symgrad.exports.targets.torch import Torch
from symgrad.support.definitions import read

from cases import ROWS

BATCH = 30  # rows that JAX compiles at a time
PARTS = [ROWS[k : k + BATCH] for k in range(0, len(ROWS), BATCH)]


# ------------------------------------------------------------------ every row
@pytest.mark.parametrize("row", ROWS, ids=lambda r: r.name)
def test_numpy_source_agrees_with_eager(row):
    for case in row.cases:
        text = exported(case, "numpy")
        if text is not None:
            agree(loaded(text)(*case.points), eager(case))


@pytest.mark.parametrize("part", PARTS, ids=range(len(PARTS)))
def test_torch_source_agrees_with_eager(part):
    torch = pytest.importorskip("torch")
    for case in [case for row in part for case in row.cases]:
        text = exported(case, "torch")
        if text is not None:
            found = loaded(text)(*[torch.tensor(x) for x in case.points])
            agree([y.numpy() for y in found], eager(case), tolerance(case.row), dtypes=False)


@pytest.mark.parametrize("part", [ROWS[k::80] for k in (0, 40)], ids=["some", "others"])
def test_torch_source_computes_on_the_default_device(part):
    torch = pytest.importorskip("torch")
    for case in [row.cases[0] for row in part]:
        text = exported(case, "torch")
        if text is not None:
            with torch.device("meta"):  # which has shapes only, and refuses what is elsewhere
                found = loaded(text)(*[torch.tensor(x) for x in case.points])
            assert {y.device.type for y in found} == {"meta"}, case


@lru_cache(maxsize=1)
def jax():
    """JAX in double precision; compiling quickly matters more here than what is compiled."""
    os.environ.setdefault("XLA_FLAGS", "--xla_backend_optimization_level=0 --xla_llvm_disable_expensive_passes=true")
    found = pytest.importorskip("jax")
    found.config.update("jax_enable_x64", True)
    return found


@pytest.mark.parametrize("part", PARTS, ids=range(len(PARTS)))
def test_jax_source_agrees_with_eager_under_jit(part):
    jax()
    cases = [(row.cases[0], text) for row in part if (text := exported(row.cases[0], "jax"))]
    functions = [loaded(text) for _, text in cases]
    found = jax().jit(lambda points: [f(*xs) for f, xs in zip(functions, points)])([c.points for c, _ in cases])
    for (case, _), ys in zip(cases, found):
        agree(ys, eager(case), tolerance(case.row), dtypes=False)


# ------------------------------------------------------------------ functions that are put in front
@pytest.mark.parametrize("dialect", [NumPy, Torch, Jax], ids=lambda d: d.name)
def test_what_is_written_once_is_in_words_that_the_library_has(dialect):
    library = jax().numpy if dialect is Jax else pytest.importorskip(dialect.name)
    written = dialect(())
    for name in sorted(read(ARRAYS).defined.keys() - ({"erfinv", "polygamma"} if dialect is NumPy else set())):
        written.helper(name)
    nodes = [n for tree in written.embedded.trees for n in ast.walk(tree)]
    words = {ast.unparse(n) for n in nodes if isinstance(n, ast.Attribute)}
    mine = sorted(w for w in words if re.fullmatch(rf"{dialect.prefix}\.[\w.]+", w))
    assert len(mine) > 30
    assert [w for w in mine if not found_in(library, w.split(".")[1:])] == []
    assert not any(isinstance(n, ast.Name) and n.id == "xp" for n in nodes)


def found_in(library, names):
    try:
        return operator.attrgetter(".".join(names))(library) is not None
    except AttributeError:
        return False


def test_numpy_source_holds_the_kernel_of_the_operation():
    assert "np.add.accumulate" in sg.export(lambda x: sg.cumsum(x, 0), ([1.0, 2.0],), target="numpy", name="f")


# ------------------------------------------------------------------ what the libraries do with it
def regression(w, X, y):
    """Mean squared error."""
    return ((sg.tanh(X @ w) - y) ** 2).mean()


RNG = np.random.default_rng(5)
POINT = RNG.normal(size=2), RNG.normal(size=(3, 2)), RNG.normal(size=3)


def test_jax_source_is_mapped_and_differentiated():
    jax()
    f = loaded(sg.export(regression, POINT, target="jax"), "regression")
    gradient = loaded(sg.export(sg.grad(regression), POINT, target="jax", name="g"), "g")
    many = np.stack([POINT[0], 2 * POINT[0]])
    found = jax().vmap(gradient, in_axes=(0, None, None))(many, *POINT[1:])
    agree([found], [np.stack([sg.grad(regression)(w, *POINT[1:]) for w in many])], dtypes=False)
    agree([jax().grad(f)(*map(jax().numpy.asarray, POINT))], [sg.grad(regression)(*POINT)], dtypes=False)


def test_torch_source_is_mapped_and_differentiated():
    torch = pytest.importorskip("torch")
    f = loaded(sg.export(regression, POINT, target="torch"), "regression")
    gradient = loaded(sg.export(sg.grad(regression), POINT, target="torch", name="g"), "g")
    w, X, y = map(torch.tensor, POINT)
    found = torch.func.vmap(gradient, in_dims=(0, None, None))(torch.stack([w, 2 * w]), X, y)
    agree([found.numpy()], [np.stack([sg.grad(regression)(v, *POINT[1:]) for v in (POINT[0], 2 * POINT[0])])])
    w.requires_grad_()
    f(w, X, y).backward()
    agree([w.grad.numpy()], [sg.grad(regression)(*POINT)])


def test_torch_source_compiles_without_a_break():
    torch = pytest.importorskip("torch")
    f = loaded(sg.export(sg.value_and_grad(regression), POINT, target="torch"), "regression")
    found = torch.compile(f, backend="eager", fullgraph=True)(*map(torch.tensor, POINT))
    agree([y.numpy() for y in found], [np.asarray(v) for v in sg.value_and_grad(regression)(*POINT)])


def test_torch_source_has_second_derivatives_of_a_matrix_exponential():
    torch = pytest.importorskip("torch")
    gradient = sg.grad(lambda a: (sg.linalg.matrix_exp(a) * 1.5).sum())
    f = sg.grad(lambda a: (gradient(a) ** 2).sum())  # whose direction is a transposed matrix
    a = 0.3 * RNG.normal(size=(2, 3, 3))
    agree([loaded(sg.export(f, (a,), target="torch", name="f"))(torch.tensor(a)).numpy()], [f(a)])


@pytest.mark.parametrize("target", ["numpy", "torch", "jax"])
def test_sizes_with_names_are_those_of_the_arguments(target):
    if target == "jax":
        jax()
    elif target == "torch":
        pytest.importorskip("torch")
    both = sg.value_and_grad(regression)
    f = loaded(sg.export(both, shapes={"w": ("d",), "X": ("n", "d"), "y": ("n",)}, target=target), "regression")
    for n, d in [(3, 2), (5, 4)]:
        point = RNG.normal(size=d), RNG.normal(size=(n, d)), RNG.normal(size=n)
        agree([np.asarray(v) for v in f(*point)], [np.asarray(v) for v in both(*point)], dtypes=False)


SIZED = {
    "slices": (lambda x: (100 * (x[1:] - x[:-1] ** 2) ** 2 + (1 - x[:-1]) ** 2).sum(), [("n",)]),
    "softmax": (lambda X: sg.log_softmax(X, -1)[:, 0].sum(), [("n", 3)]),
    "variance": (lambda X, w: sg.tanh(X @ w).var(), [("n", 2), (2,)]),
    "deviation": (lambda x: x[1:].std(), [("n",)]),
    "largest of columns": (lambda X: sg.max(X[:, 1:] ** 2, 0).values.sum(), [("n", "m")]),
    "mean of rows": (lambda X: (X - X.mean(0)).pow(4).mean(), [("n", "d")]),
    "logsumexp": (lambda x: sg.logsumexp(x, 0), [("n",)]),
    "joined": (lambda x, z: sg.cat([x, z * z]).prod(), [("n",), ("m",)]),
    "quadratic form": (lambda x, A: x @ A @ x + sg.outer(x, x).sum(), [("n",), ("n", "n")]),
}


@pytest.mark.parametrize("name", SIZED)
def test_operations_with_named_sizes_run_at_every_size(name):
    f, shapes = SIZED[name]
    gradient = sg.grad(f, argnums=tuple(range(len(shapes))))
    g = loaded(sg.export(gradient, shapes=shapes, target="numpy", name="g"), "g")
    for numbers in ({"n": 4, "d": 3, "m": 2}, {"n": 7, "d": 2, "m": 5}):
        point = [RNG.normal(size=[numbers.get(n, n) for n in s]) for s in shapes]
        agree(g(*point), [np.asarray(v) for v in gradient(*point)])


# ------------------------------------------------------------------ the module
def test_numpy_module_imports_numpy_alone_and_is_pickled(tmp_path):
    text = sg.export(sg.value_and_grad(regression), POINT, target="numpy", path=tmp_path / "mine.py")
    assert (tmp_path / "mine.py").read_text(encoding="utf-8") == text
    program = (
        "import sys, pickle, doctest, mine\n"
        "assert pickle.loads(pickle.dumps(mine.regression)) is mine.regression\n"
        "assert doctest.testmod(mine).failed == 0 and doctest.testmod(mine).attempted == 3\n"
        "assert not {'symgrad', 'sympy'} & set(sys.modules)\n"
    )
    subprocess.run([sys.executable, "-W", "error", "-c", program], cwd=tmp_path, check=True, env={"PATH": ""})


def test_docstring_has_shapes_and_the_formula():
    doc = loaded(
        sg.export(sg.grad(lambda w, X, y: ((X @ w - y) ** 2).sum()), POINT, target="numpy", name="g"), "g"
    ).__doc__
    assert "w: (2,)" in doc
    assert "result: (2,) = 2*Xᵀ*(X*w - y)" in doc


def test_results_keep_their_structure():
    f = lambda p: {"sum": p["a"] + p["b"][0], "parts": [p["a"], (p["b"][1],)]}
    point = {"a": np.array([1.0, 2.0]), "b": (np.array([3.0, 4.0]), 5.0)}
    g = loaded(sg.export(f, point, target="numpy", name="g"), "g")
    found = g(p_a=[1.0, 2.0], p_b_0=[3.0, 4.0], p_b_1=5.0)
    np.testing.assert_array_equal(found["sum"], [4.0, 6.0])
    np.testing.assert_array_equal(found["parts"][0], [1.0, 2.0])
    assert found["parts"][1][0] == 5.0


def test_results_are_arrays_of_their_own():
    x = np.ones((2, 2))
    f = loaded(sg.export(lambda x: (x, x.T, x[0]), (x,), target="numpy", name="f"))
    for y in f(x):
        y[...] = 7.0
    np.testing.assert_array_equal(x, np.ones((2, 2)))


def test_results_are_tensors_of_their_own_on_torch():
    torch = pytest.importorskip("torch")
    x = torch.ones((2, 2), dtype=torch.float64)
    f = loaded(sg.export(lambda x: (x, x.T, x[0], sg.diagonal(x)), (np.ones((2, 2)),), target="torch", name="f"))
    for y in f(x):
        y[...] = 7.0
    assert torch.equal(x, torch.ones((2, 2), dtype=torch.float64))


def test_compiled_function_is_exported_as_it_was_called():
    f = sg.compile(sg.value_and_grad(regression))
    f(*POINT)
    g = loaded(sg.export(f, target="numpy"), "regression")
    agree([np.asarray(v) for v in g(*POINT)], [np.asarray(v) for v in f(*POINT)])


def test_closed_form_is_exported_as_a_function_of_its_leaves():
    x, A = sg.symbol("x", "n"), sg.symbol("A", ("n", "n"))
    form = sg.derive(((A @ x) ** 2).sum(), x)
    f = loaded(sg.export(form, target="numpy", name="g"), "g")
    point = {"A": RNG.normal(size=(3, 3)), "x": RNG.normal(size=3)}
    agree([f(**point)], [2 * point["A"].T @ point["A"] @ point["x"]])


def test_an_adaptive_method_names_the_fixed_one():
    with pytest.raises(ExportError, match=r"Integral \(.*; pass order= for a rule with fixed nodes\)"):
        sg.export(lambda a: sg.quad(lambda t: sg.exp(-a * t), 0, 1), np.array(1.0), target="c")


def test_jacobian_of_a_form_is_written_row_by_row():
    x = sg.tensor([0.3, 0.7], requires_grad=True, name="x")
    form = sg.derive(sg.sin(x) * x.sum(), x)
    found = loaded(sg.export(form, target="numpy", name="g"), "g")(np.array([0.1, 0.2]))
    agree([found], [sg.jacobian(lambda x: sg.sin(x) * x.sum())(np.array([0.1, 0.2]))])
    y = sg.symbol("y", "n")
    with pytest.raises(ExportError, match="sizes"):
        sg.export(sg.derive(sg.sin(y), y), target="numpy")


# ------------------------------------------------------------------ errors
def test_a_size_that_no_argument_has_is_named():
    c = sg.symbol("c")
    with pytest.raises(ExportError, match="no argument has the size n"):
        sg.export(sg.derive(sg.ones("n").sum() * c, c), target="numpy")


def test_a_size_that_is_all_a_form_needs_of_an_array_is_read_off_it():
    x = sg.symbol("x", "n")
    names = {}
    exec(sg.export(sg.derive(x.sum(), x), target="numpy", name="f"), names)
    assert names["f"](np.zeros(3)).tolist() == [1.0, 1.0, 1.0]


def test_a_size_that_no_target_can_write_is_named():
    with pytest.raises(ExportError, match=r"a size of ceiling\(n/2\) cannot be written. Give the sizes"):
        sg.export(sg.grad(lambda x: (x[::2] ** 2).sum()), shapes=[("n",)], target="numpy")


def test_a_formula_is_written_unless_it_is_refused():
    for formula in (True, False):
        for f, text in ((lambda x: 2 * x, "2*x"), (lambda x: x, "x")):
            source = sg.export(f, shapes=[(3,)], target="numpy", formula=formula)
            assert (f"result: (3,) = {text}\n" in source) == formula


def test_nested_lists_are_read_once():
    source = sg.export(lambda x: 2 * x, shapes=[(3, 4)], target="python")
    assert "v1 = [float(e2) for e1 in x for e2 in e1]\n" in source


def test_entries_are_read_backwards_and_along_a_diagonal_where_they_are():
    x = np.arange(600.0).reshape(20, 30)  # more than are written one by one
    cases = [
        (lambda x: sg.flip(x, (1,)) * 2, 2 * x[:, ::-1]),
        (lambda x: x[:, 10:] + sg.diagonal(sg.square(x), 1), x[:, 10:] + x[range(20), range(1, 21)] ** 2),
    ]
    for f, expected in cases:
        names = {}
        exec(sg.export(f, (x,), target="python", name="f"), names)
        np.testing.assert_array_equal(names["f"](x.tolist()), expected)
    assert "part(" in sg.export(lambda x: x[::-1], (x,), target="torch")  # PyTorch's slices do not go backwards


def test_largest_and_smallest_entries_are_those_of_the_argument():
    names, x = {}, np.array([[1, 5], [4, 2]])
    exec(sg.export(lambda x: sg.amax(x, 0) - 2 * sg.amin(x, 0), (x,), target="numpy", name="f"), names)
    np.testing.assert_array_equal(names["f"](x), [2, 1])


def test_examples_have_few_digits_and_integers_stay_integers():
    source = sg.export(lambda x: (x / 3, x.to(sg.int64)), (1.0,), target="numpy")
    assert "np.allclose(y[0], 0.333333333333))" in source
    assert "np.allclose(y[1], 1))" in source


def test_a_size_is_a_number_that_promotes_no_array():
    source = sg.export(lambda x: x.to(sg.float16) / x.shape[0], shapes=[("n",)], target="numpy")
    assert "v2 / n" in source
    assert "(n, dtype" not in source


def test_pytorch_makes_tensors_of_numbers_and_copies_none():
    source = sg.export(lambda x: x.to(sg.float32) * x.shape[0], shapes=[("n",)], target="torch")
    assert "torch.tensor(n, " in source
    assert "torch.tensor(v" not in source


def test_slices_in_a_formula_are_put_together_at_once():
    v = sg.symbol("v", 5)
    source = sg.export(sg.derive((v[1:] * v[:-1]).sum(), v), target="numpy")
    assert "= assembled([v2, v3]" in source
    assert "= placed(" not in source


def test_wrong_requests_say_what_to_do():
    with pytest.raises(ArgumentError, match="Expected one of 'c'"):
        sg.export(regression, POINT, target="fortran")
    with pytest.raises(ArgumentTypeError, match="example arguments or shapes"):
        sg.export(regression, target="numpy")
    with pytest.raises(ArgumentError, match="parameters are"):
        sg.export(regression, shapes={"v": (2,)}, target="numpy")
    with pytest.raises(ArgumentError, match="integer or a name"):
        sg.export(regression, shapes=[(-1,)], target="numpy")
    with pytest.raises(ArgumentTypeError, match="expected a function"):
        sg.export(3.0, target="numpy")


@pytest.mark.parametrize("operation", documented())
def test_what_the_page_says_a_target_lacks_it_lacks(operation):
    name, targets = documented()[operation]
    cases = next(row for row in ROWS if row.name == name).cases
    for target in targets:
        errors = []
        for case in cases:
            points = tuple(np.asarray(x) for x in case.points)
            try:
                sg.export(value_and_gradient(case), points, target=target, formula=False)
            except ExportError as error:
                errors.append(str(error))
        assert any(f"operation {operation}" in text for text in errors), target


@pytest.mark.parametrize("target", ["torch", "jax"])
@pytest.mark.parametrize("f", [sg.special.erfinv, sg.digamma])
def test_a_function_that_means_itself_is_not_written_in_its_own_words(f, target, monkeypatch):
    monkeypatch.setattr(Dialect, "has", lambda self, name: False)
    assert f.__name__ in sg.export(f, (np.array([0.3, 0.6]),), target=target, name="g", formula=False)
