"""The nodes of matrix notation as SymPy expressions: NumPy source, pretty printing, LaTeX, SymPy's habits."""

import copy
import functools
import importlib
import inspect
import pickle
import pkgutil
from types import SimpleNamespace

import numpy as np
import pytest
import sympy as sp
from checks import close
from sympy.printing.numpy import NumPyPrinter
from test_forms import LOSSES, symbols

import symgrad as sg
import symgrad.forms.nodes
import symgrad.teach.steps
from symgrad import errors
from symgrad.forms.nodes import formulas
from symgrad.forms.nodes.entries import Entry
from symgrad.forms.nodes.indexed import PiProduct
from symgrad.forms.nodes.matrices import ArraySymbol
from symgrad.support.foreign import latex_name

bce = sg.nn.functional.binary_cross_entropy_with_logits
SIZES = {"n": 4, "d": 3}
RNG = np.random.default_rng(5)
VALUES = SIZES | {
    "X": RNG.uniform(0.2, 1, (4, 3)), "Y": RNG.uniform(0.2, 1, (4, 3)), "S": RNG.uniform(0.2, 1, (3, 3)),
    "A": RNG.uniform(0.2, 1, (4, 4)) + 3 * np.eye(4), "x": RNG.uniform(0.2, 1, 4), "y": RNG.uniform(0.2, 1, 4),
    "w": RNG.uniform(0.2, 1, 3), "v": RNG.uniform(0.2, 1, 3), "b": np.array(0.3), "c": np.array(1.7),
}  # fmt: skip
_shapes = {"X": "nd", "Y": "nd", "S": "dd", "A": "nn", "x": "n", "y": "n", "w": "d", "v": "d", "b": "", "c": ""}
s = SimpleNamespace(**{name: sg.symbol(name, tuple(axes)) for name, axes in _shapes.items()})
DERIVED = {  # name: what, by what, and the NumPy source
    "vector of a product": (s.w @ s.S @ s.v, s.w, "S @ v"),
    "quadratic form": (s.x @ s.A @ s.x, s.x, "(A + A.T) @ x"),
    "outer product": (s.x @ s.A @ s.y, s.A, "outer(x, y)"),
    "a product between rows and columns": (
        (s.x @ s.X @ s.S @ s.v) ** 2, s.X,
        "2*(x @ (X @ (S @ v)))*outer(x, v @ S.T)",
    ),
    "logistic regression": (
        bce(s.X @ s.w + s.b, s.y), s.w, "(X.T @ (sigmoid((X @ w) + b) - y))/n",
    ),
    "offset": (bce(s.X @ s.w + s.b, s.y), s.b, "mean(sigmoid((X @ w) + b) - y)"),
    "least squares": (((s.X @ s.w - s.y) ** 2).sum(), s.X, "2*outer((X @ w) - y, w)"),
    "batch": (
        ((s.X @ s.S + s.w - s.Y) ** 2).sum(), s.w, "2*(((X @ S) + outer(ones(n), w) - Y).T @ ones(n))",
    ),
    "inverse": (s.x @ sg.inverse(s.A) @ s.y, s.A, None),
    "determinant": (sg.det(s.A) * sg.logdet(s.A), s.A, None),
    "norm": (sg.norm(s.X @ s.w - s.y), s.w, "(X.T @ ((X @ w) - y))/norm((X @ w) - y)"),
    "norm of a matrix": (sg.norm(s.X) ** 3, s.X, None),
    "softmax": (sg.logsumexp(s.x * s.y, 0), s.x, "y*Softmax(axes=(0,))(x*y)"),
    "softmax of rows": (sg.logsumexp(s.X @ s.S, 1).sum(), s.S, None),
    "case": (sg.relu(s.x - s.y).sum(), s.x, None),
    "cases": (sg.where(s.x > s.y, s.x**2, s.y * s.x).sum(), s.x, None),
    "clamp": (sg.clamp(s.x, 0.3, 0.7).sum() ** 2, s.x, None),
    "maximum": (sg.maximum(s.x, s.y).sum() ** 2, s.x, None),
    "powers": ((s.x**-3.0 + sg.sqrt(s.x) + s.x**3 + 1 / sg.sqrt(s.x)).sum(), s.x, None),
    "quotient": ((s.y / (1 + s.x**2)).sum(), s.x, None),
    "number in every entry": (s.x.mean() * sg.exp(s.x.sum()), s.x, None),
    "softplus of a number": (sg.softplus(s.b) ** 2 * sg.logsigmoid(s.c), s.b, None),
    "gamma": (sg.lgamma(s.x).sum() + sg.digamma(s.x).sum() + sg.erf(s.x).sum(), s.x, None),
    "trace": (sg.trace(s.A @ s.A) * sg.exp(s.b), s.b, None),
    "diagonal": ((s.x * (s.A @ s.x)).sum() ** 2, s.A, None),
    "Gram matrix": (((s.X.T @ s.X) ** 2).sum(), s.X, None),
    "diagonal matrix": ((sg.inverse(s.A + sg.diag(s.x))).sum(), s.x, None),
}  # fmt: skip
HIGHER = {
    "Hessian of a norm": lambda: sg.derive(sg.norm(s.X @ s.w - s.y), s.w, order=2),
    "Hessian of softplus": lambda: sg.derive(sg.softplus(s.X @ s.w).sum(), s.w, order=2),
    "Hessian of a number": lambda: sg.derive(sg.tanh(s.b * s.c), s.b, order=2),
    "powers of transposes": lambda: sg.derive(((s.A.T**3).sum() + (sg.inverse(s.A) ** 3).sum()) ** 2, s.A),
}
FORMS = [*DERIVED, *HIGHER]


@functools.cache
def form_of(name):
    """Derive a form when the first test needs it."""
    return HIGHER[name]() if name in HIGHER else sg.derive(*DERIVED[name][:2])


def definitions(name):
    return [d.expr for d in form_of(name).where]


@pytest.fixture(params=FORMS)
def form(request):
    return form_of(request.param)


def every_expression(check):
    """Check the expression of each form, and those of its definitions."""

    @pytest.mark.parametrize("name", FORMS)
    def test(name):
        for e in (form_of(name).expr, *definitions(name)):
            check(e)

    test.__name__ = check.__name__
    return test


def test_every_form_here_has_matrix_notation():
    assert all(form_of(name).has_matrix for name in FORMS)
    assert sum(len(definitions(name)) for name in FORMS) > 3


# ------------------------------------------------------------------ NumPy source


def in_order(e):
    return sorted(e.free_symbols, key=lambda a: a.name)


def lambdified(e, **options):
    return sp.lambdify(in_order(e), e, **options)


@pytest.mark.parametrize("options", [{}, {"modules": "numpy"}, {"cse": True}, {"dummify": True}], ids=str)
def test_sympys_lambdify_computes_the_form(form, options):
    found = lambdified(form.expr, **options)(*[VALUES[a.name] for a in in_order(form.expr)])
    close(found, form.lambdify()(*[VALUES[name] for name in form.args]), 1e-12)


def test_common_subexpressions_compute_the_form(form):
    parts, (reduced,) = sp.cse(form.expr)
    known = {a: VALUES[a.name] for a in form.expr.free_symbols}
    for symbol, part in [*parts, (None, reduced)]:
        given = sorted(part.free_symbols, key=str)
        known[symbol] = sp.lambdify(given, part)(*[known[a] for a in given])
    close(known[None], form.lambdify()(*[VALUES[name] for name in form.args]), 1e-12)
    assert not any(isinstance(part, ArraySymbol) for _, part in parts)


@pytest.mark.parametrize("name", [name for name, row in DERIVED.items() if row[2]])
def test_source_is_what_one_would_write(name):
    source = inspect.getsource(lambdified(form_of(name).expr, modules="numpy"))
    text = source.split("return ")[1].strip()
    assert DERIVED[name][2] in (text, text[1:-1])


def test_source_calls_functions_by_their_full_names_where_it_stands_alone():
    source = sp.printing.numpy.NumPyPrinter().doprint(form_of("norm").expr)
    assert source == "((X.T @ ((X @ w) - y))/numpy.linalg.norm((X @ w) - y))"


@pytest.mark.parametrize("name", ["__import__('os').system('x')", "lambda", "a b", "x′", "‹x›", "1"])
def test_name_that_is_no_identifier_is_an_argument_and_never_source(name):
    v = sg.symbol(name, 2)
    form = sg.derive((v**3).sum(), v)
    close(lambdified(form.expr)(np.array([1.0, 2.0])), [3.0, 12.0], 1e-15)
    with pytest.raises(errors.FormError, match="is not an identifier"):
        sp.lambdify([], form.expr)


@pytest.mark.parametrize("sizes", [(0, 3), (4, 0), (1, 1)])
def test_source_computes_arrays_without_entries_and_with_one(sizes):
    n, d = sizes
    values = {"n": n, "d": d, "X": np.ones((n, d)), "w": np.ones(d), "y": np.ones(n)}
    for options in ({}, {"dummify": True}):
        e = form_of("least squares").expr
        found = lambdified(e, **options)(*[values[a.name] for a in in_order(e)])
        close(found, np.full((n, d), 2 * (d - 1.0)), 1e-15)


# ------------------------------------------------------------------ text

PRETTY = {
    "least squares": "2*(X*w - y)*wᵀ",
    "quadratic form": "(A + Aᵀ)*x",
    "a product between rows and columns": "2*(xᵀ*X*S*v)*x*vᵀ*Sᵀ",
    "inverse": "-A⁻ᵀ*x*yᵀ*A⁻ᵀ",
}


@pytest.mark.parametrize(("name", "text"), PRETTY.items())
def test_pretty_printing_is_the_text(name, text):
    assert sp.pretty(form_of(name).expr) == text


def test_pretty_printing_brackets_sums_and_products_that_are_raised_or_multiplied():
    e = (s.x @ s.A @ s.y).expr
    assert sp.pretty(e**2, use_unicode=True).splitlines() == ["        2", "(xᵀ*A*y) "]
    assert sp.pretty(e * sp.Symbol("t")).replace("⋅", "*").replace(" ", "") in ("t*xᵀ*A*y", "t*(xᵀ*A*y)")


LATEX = {
    "a product between rows and columns": r"2 \left(x^{\top} X S v\right) x v^{\top} S^{\top}",
    "diagonal matrix": r"-\left(\left(A + \operatorname{diag}\left(x\right)\right)^{-\top} \mathbf{1} \odot "
    r"\left(A + \operatorname{diag}\left(x\right)\right)^{-1} \mathbf{1}\right)",
    "Hessian of softplus": r"X^{\top} \operatorname{diag}\left(\sigma\left(-X w\right) \odot "
    r"\sigma\left(X w\right)\right) X",
}


@pytest.mark.parametrize("name", [" ", "\n", "\x00", "ᵀ", "_"])
def test_name_that_takes_no_index_is_put_in_braces(name):
    text = latex_name(name)
    assert text.startswith((r"\mathrm{", "\\_"))
    assert text.endswith(("}", "\\_"))


def test_name_that_begins_with_a_digit_is_no_number_times_a_name():
    assert latex_name("2A") == r"\mathrm{2A}"


@pytest.mark.parametrize(("name", "text"), LATEX.items())
def test_latex_is_the_formula(name, text):
    assert form_of(name).latex() == sp.latex(form_of(name).expr) == text


NAMED_OTHERWISE = {  # what mathtext lacks, and the same by another name
    r"\left\lVert": r"\left\|", r"\right\rVert": r"\right\|",
}  # fmt: skip


def drawn_by_mathtext(text):
    mathtext = pytest.importorskip("matplotlib.mathtext")
    if r"\begin{cases}" in text:  # mathtext has no environments
        return
    for ours, theirs in NAMED_OTHERWISE.items():
        text = text.replace(ours, theirs)
    width, height, *_ = mathtext.MathTextParser("path").parse(f"${text}$")
    assert width > 0
    assert height > 0


@every_expression
def test_latex_is_drawn_by_mathtext(e):
    drawn_by_mathtext(sp.latex(e))


@pytest.mark.parametrize("name", LOSSES)
def test_latex_of_losses_is_drawn_by_mathtext(name):
    leaves, loss = symbols(name)
    for form in sg.derive(loss, list(leaves.values())):
        for notation in ("matrix", "index", "where"):
            drawn_by_mathtext(form.latex(notation))


# ------------------------------------------------------------------ SymPy's habits


@every_expression
def test_expression_has_its_symbols_and_operations(e):
    assert e.free_symbols
    assert all(e.has(a) for a in e.free_symbols - {n for a in e.atoms(ArraySymbol) for n in a.free_symbols})
    assert e.atoms(ArraySymbol) <= e.free_symbols
    assert not e.has(sp.Symbol("nobody"))


@every_expression
def test_expression_is_equal_to_its_copies(e):
    for twin in (pickle.loads(pickle.dumps(e)), copy.copy(e), copy.deepcopy(e), e.func(*e.args) if e.args else e):
        assert twin == e
        assert hash(twin) == hash(e)
        assert sp.srepr(twin) == sp.srepr(e)
        assert twin.is_commutative == e.is_commutative


@every_expression
def test_arrays_are_replaced_one_by_one_and_back(e):
    arrays = sorted(e.atoms(ArraySymbol), key=lambda a: a.name)
    others = [ArraySymbol.of(f"{a.name}_other", a.shape) for a in arrays]
    for replace in (e.subs, e.xreplace):
        there = replace(dict(zip(arrays, others, strict=True)))
        assert not there.has(*arrays) or not arrays
        assert there.atoms(ArraySymbol) == set(others)
        assert there.xreplace(dict(zip(others, arrays, strict=True))) == e


@every_expression
def test_number_put_for_a_symbol_is_in_the_value(e):
    number = sp.Symbol("b")
    given = [a for a in in_order(e) if a != number]
    values = [VALUES.get(a.name) for a in given]
    if any(v is None for v in values):  # a name from a where-form
        values = [RNG.uniform(0.2, 1, [SIZES[str(n)] for n in getattr(a, "shape", ())]) for a in given]
    found = sp.lambdify(given, e.subs(number, sp.Rational(3, 10)))(*values)
    expected = sp.lambdify([number, *given], e)(0.3, *values)
    close(found, expected, 1e-12)


def test_size_put_for_a_symbol_is_the_size_of_every_array():
    n = next(a for a in form_of("batch").expr.free_symbols if a.name == "n" and a.is_Symbol)
    e = form_of("batch").expr.subs(n, 4)
    assert n not in e.free_symbols
    assert {a.shape[0] for a in e.atoms(ArraySymbol) if a.name in "XY"} == {4}


def test_arrays_of_one_name_and_other_shapes_differ():
    first, second = ArraySymbol.of("x", (3,)), ArraySymbol.of("x", (4,))
    assert first != second
    assert first == ArraySymbol.of("x", (sp.Integer(3),))
    assert len({first, second, ArraySymbol.of("x", (3,), symmetric=True)}) == 3


def test_definitions_put_for_their_names_give_the_form_itself():
    z = s.X @ s.w + s.b
    form = sg.derive((sg.sigmoid(z) * sg.exp(sg.tanh(z))).sum() * sg.norm(z), s.w)
    assert form.where
    e, values = form.body, VALUES
    for d in reversed(form.where):
        assert e.has(d.name)
        e = e.xreplace({d.name: d.expr})
    close(
        lambdified(e)(*[values[a.name] for a in in_order(e)]), form.lambdify()(*[values[k] for k in form.args]), 1e-12
    )


# ------------------------------------------------------------------ a notation is complete in its class
PARTS = {
    "ArrayExpr",
    "Operation",
    "Integrand",
    "Raised",
    "Branch",
}  # a base, and what occurs inside what other nodes write


def node_classes():
    """Every class of expressions that formulas and their explanations consist of."""
    for package in (symgrad.forms.nodes, symgrad.teach.steps):
        for found in pkgutil.iter_modules(package.__path__):
            module = importlib.import_module(f"{package.__name__}.{found.name}")
            for kind in vars(module).values():
                if inspect.isclass(kind) and issubclass(kind, sp.Basic) and kind.__module__ == module.__name__:
                    yield kind


def is_known(kind, printer):
    """Whether a class is a kind of SymPy's that the printer knows."""
    known = (b for b in kind.__mro__ if b.__module__.startswith("sympy.") and b not in (sp.Basic, sp.Expr, sp.Atom))
    return any(hasattr(printer, f"_print_{b.__name__}") for b in known)


def test_every_node_is_a_formula():
    wanted = [k for k in node_classes() if k.__name__ not in PARTS]
    assert len(wanted) > 20
    known = {kind for kind in formulas._RULES if kind not in (sp.Basic, sp.Expr)}
    assert [k.__name__ for k in wanted if not hasattr(k, "formula") and not known & {*k.__mro__}] == []


def test_every_node_is_numpy_source():
    # explanations are read, not computed, as are entries of named functions and states of loops
    read = ("symgrad.teach", "symgrad.forms.nodes.moments")
    wanted = [k for k in node_classes() if k.__name__ not in PARTS and not k.__module__.startswith(read)]
    missing = [k for k in wanted if not hasattr(k, "_numpycode") and not is_known(k, NumPyPrinter)]
    assert missing == [Entry]


def test_product_over_an_index_has_numpy_source():
    form = sg.derive(sg.prod(s.x), s.x).index()
    assert form.has(PiProduct)
    (base,) = {a.base for a in form.atoms(sp.Indexed)}
    names = sorted(form.free_symbols - {base.label} - form.atoms(sp.Indexed), key=str)
    function = sp.lambdify([base, *names], form, "numpy")
    assert [str(k) for k in names] == ["i", "n"]
    close(function(VALUES["x"], 1, 4), np.prod(VALUES["x"][[0, 2, 3]]), 1e-15)
