"""What is printed reads back as what it was: a reader of its own computes the printed text."""

from collections.abc import Callable, Iterable
from typing import Any

import numpy as np
import pytest
import reader_ascii
import reader_latex
import reader_mathml
import reader_text
import sympy as sp
from reader_trees import Untold
from written_forms import (
    IDENTITIES,
    TEXTBOOK,
    Written,
    is_settled,
    of_identity,
    of_jacobian,
    of_problem,
    of_seed,
    written,
)

import symgrad as sg
from symgrad.errors import FormError, SymgradError
from symgrad.forms.nodes import printers
from symgrad.forms.nodes.printers import inside
from symgrad.support.plain import ascii_text


def agrees(got, expected):
    """Whether two arrays are equal but for rounding, where both are finite, and mostly are."""
    got = np.broadcast_to(np.asarray(got, dtype=float), np.shape(expected))
    finite = np.isfinite(got) & np.isfinite(expected)
    scale = np.max(np.abs(expected), where=finite, initial=1e-3)
    return bool(np.all(np.abs(got - expected)[finite] <= 1e-7 * scale))


# ------------------------------------------------------------------ notations
def as_text(w: Written, text: str, matrix: bool, parser: Any = reader_text.Parser) -> Any:
    """Return the value of a text in matrix or index notation."""
    if matrix:
        return reader_text.matrix_value(text, w.shape, w.values, w.sizes, parser)
    return reader_text.index_value(text, indices(w), w.shape, w.values, w.sizes, parser)


def as_latex(w: Written, text: str, matrix: bool) -> Any:
    """Return the value of LaTeX in matrix or index notation."""
    if matrix:
        return reader_latex.matrix_value(text, w.shape, w.values, w.sizes)
    return reader_latex.index_value(text, indices(w), w.shape, w.values, w.sizes)


def indices(w: Written) -> list[str]:
    """Return the names of a form's axes."""
    return [k.name for k in w.form._free(())]


def shown(w: Written) -> tuple[str, bool]:
    """Return a form as it is shown, and whether it is in matrix notation."""
    text, where = str(w.form), w.form._where
    named = where is not None and text == where.text() and where.definitions
    return text, where.matrix if named else w.form.has_matrix


def of_where(w: Written) -> bool:
    """Whether there is a form with named intermediates."""
    return w.form._where is not None and bool(w.form._where.definitions)


def is_small(w: Written) -> bool:
    """Whether every entry can be written out in a line or two."""
    return not w.sizes and int(np.prod(w.shape)) <= 4 and len(printers.text(w.form.index())) < 100


def by_numpy(w: Written) -> tuple[str, Any]:
    """Return the source that SymPy makes of a form in matrix notation, and its value."""
    given = sorted(w.form.expr.free_symbols, key=lambda a: a.name)
    f = sp.lambdify(given, w.form.expr, modules="numpy")
    known = {**w.sizes, **w.values}
    with np.errstate(all="ignore"):
        return str(f.__doc__), f(*[known[a.name] for a in given])


Reading = tuple[str, Any]  # what is printed, and its value as it is read
NAMED = (r"\operatorname{scatter}", r"_{\mathrm{", r"\operatorname{block", r"\left[{e^", "}_{[")  # read in text only
PLACES = ("scatter(", "blocksum(", "[:", ":]", "]]")  # brackets that select are read in text only
LONG = 4000  # signs of MathML in indices beyond which reading takes seconds


def _latex(kind: str, matrix: Callable[[Written], bool]) -> Callable[[Written], Reading | None]:
    def read(w: Written) -> Reading | None:
        text = w.form.latex(kind)
        return None if any(sign in text for sign in NAMED) else (text, as_latex(w, text, matrix(w)))

    return read


def _text(write: Callable[[Written], str], matrix: bool) -> Callable[[Written], Reading | None]:
    return lambda w: (text := write(w), as_text(w, text, matrix))


def _shown(w: Written) -> Reading | None:
    text, matrix = shown(w)
    return text, as_text(w, text, matrix)


def _ascii(w: Written) -> Reading | None:
    text, matrix = shown(w)
    plain = ascii_text(text)
    ours = w._replace(values={ascii_text(k): v for k, v in w.values.items()})
    return plain, as_text(ours, plain, matrix, reader_ascii.Parser)


def _where(w: Written) -> Reading | None:
    text = w.form._where.text()
    return text, as_text(w, text, w.form._where.matrix)


def _scalar(w: Written) -> Reading | None:
    text = printers.text(w.form.scalar())
    return text, reader_text.scalar_value(text, w.values)


def _sympys_latex(w: Written) -> Reading | None:
    text = sp.latex(w.form.expr)
    return None if any(sign in text for sign in NAMED) else (text, as_latex(w, text, True))


def _mathml(w: Written) -> Reading | None:
    if any(sign in printers.text(w.form.expr) for sign in PLACES):
        return None
    text = inside(w.form.expr)
    return text, reader_mathml.matrix_value(text, w.shape, w.values, w.sizes)


def _mathml_index(w: Written) -> Reading | None:
    text = inside(w.form.index())
    return None if len(text) > LONG else (text, reader_mathml.index_value(text, indices(w), w.shape, w.values, w.sizes))


def _mathml_entries(w: Written) -> Reading | None:
    text = inside(w.form.entries())
    return text, reader_mathml.index_value(text, indices(w), w.shape, w.values, w.sizes)


def is_table(w: Written) -> bool:
    """Whether a form is shown by its entries."""
    return w.form._table is not None


def _always(w: Written) -> bool:
    return True


def _has_matrix(w: Written) -> bool:
    return bool(w.form.has_matrix)


def _has_short_names(w: Written) -> bool:
    """Whether each name is one letter: those of several are factors in SymPy's LaTeX."""
    return bool(w.form.has_matrix) and all(len(a.name) == 1 for a in w.form.expr.free_symbols)


# Each notation: what has it, and how it is read.
NOTATIONS: dict[str, tuple[Callable[[Written], bool], Callable[[Written], Reading | None]]] = {
    "shown": (_always, _shown),
    "ASCII": (_always, _ascii),
    "matrix": (_has_matrix, _text(lambda w: printers.text(w.form.expr), True)),
    "SymPy's text": (_has_matrix, _text(lambda w: str(w.form.expr), True)),
    "where": (of_where, _where),
    "index": (_always, _text(lambda w: printers.text(w.form.index()), False)),
    "scalar": (is_small, _scalar),
    "LaTeX": (_has_matrix, _latex("matrix", _always)),
    "SymPy's LaTeX": (_has_short_names, _sympys_latex),
    "LaTeX where": (of_where, _latex("where", lambda w: w.form._where.matrix)),
    "LaTeX index": (_always, _latex("index", lambda w: False)),
    "MathML": (_has_matrix, _mathml),
    "MathML index": (_always, _mathml_index),
    "NumPy": (_has_matrix, by_numpy),
    "entries": (is_table, _text(lambda w: printers.text(w.form.entries()), False)),
    "LaTeX entries": (is_table, _latex("entries", lambda w: False)),
    "MathML entries": (is_table, _mathml_entries),
}


def check(w: Written, notations: Iterable[str] = NOTATIONS) -> None:
    """Read a form back in each of these notations."""
    for name in notations:
        has, read = NOTATIONS[name]
        try:
            found = read(w) if has(w) else None
        except np.linalg.LinAlgError:
            assert not is_settled(w), name
            continue
        if found is not None:
            assert agrees(found[1], w.expected) or not is_settled(w), f"{name}: {found[0]}"


@pytest.mark.parametrize("identity", IDENTITIES, ids=lambda i: i["name"])
def test_forms_of_identities_are_read_back(identity):
    check(of_identity(identity))


PROBLEMS = [p for p in TEXTBOOK if p["name"] != "tr_kron"]  # blocksum(X, I): nothing beside it tells the size of I


@pytest.mark.parametrize("problem", PROBLEMS, ids=lambda p: p["name"])
def test_forms_of_textbook_problems_are_read_back(problem):
    check(of_problem(problem))


def made(of, seed):
    """Return a random form; none where it does not depend on what it is derived by, or is singular."""
    try:
        w = of(seed)
    except (SymgradError, np.linalg.LinAlgError):
        return None
    return w if np.isfinite(w.expected).any() else None


def read_back(of, seeds, notations=None):
    """Read random forms back, in all notations or in the one of each seed's turn; return how many there were."""
    count = 0
    for seed in seeds:
        w = made(of, seed)
        if w is None:
            continue
        try:
            check(w, notations or [list(NOTATIONS)[seed % len(NOTATIONS)]])
        except (FormError, Untold):  # too long to be written as one expression, or see Untold
            continue
        count += 1
    return count


def test_random_forms_are_read_back_in_every_notation():
    assert read_back(of_seed, range(40), NOTATIONS) > 30
    assert read_back(of_jacobian, range(30), NOTATIONS) > 20


def test_a_hundred_random_forms_are_read_back():
    assert read_back(of_seed, range(1000, 1100)) > 80


@pytest.mark.slow
@pytest.mark.parametrize("block", range(10))
def test_many_random_forms_are_read_back(block):
    assert read_back(of_seed, range(1300 + 50 * block, 1330 + 50 * block)) > 25
    assert read_back(of_jacobian, range(1300 + 50 * block, 1320 + 50 * block)) > 16


t, s = sg.symbol("t", ()), sg.symbol("s", ())
x, y = sg.symbol("x", "n"), sg.symbol("y", "n")
A = sg.symbol("A", ("n", "n"))


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (-t * (x @ y) / (x @ A @ y), "-xᵀ*y/(xᵀ*A*y)"),
        (-2 * t * (x @ y) / (x @ A @ y), "-2*xᵀ*y/(xᵀ*A*y)"),
        (-t / (x @ y), "-1/(xᵀ*y)"),
        (-t * s / (3 * (x @ y)), "-s/(3*xᵀ*y)"),
        (t * (x @ y) / (x @ A @ y), "xᵀ*y/(xᵀ*A*y)"),
    ],
)
def test_a_ratio_of_forms_has_brackets_below_its_bar(value, text):
    form = sg.derive(value, t)
    assert str(form) == text
    plain = str(form.expr)  # by SymPy's own printer, which has brackets around any product of arrays
    assert plain.replace("(xᵀ*y)", "xᵀ*y") == text.replace("(xᵀ*y)", "xᵀ*y")


def test_latex_asks_of_no_exponent_whether_it_is_constant(monkeypatch):
    def refuse(self, *wrt, **flags):
        raise AssertionError("SymPy may simplify for minutes to answer this")

    B = sg.symbol("B", shape=(4, 4))
    form = sg.derive(sg.exp(-1 / ((t * B.sum()) ** 2 + 1)), B)
    monkeypatch.setattr(sp.Expr, "is_constant", refuse)
    assert r"e^{-\frac{1}{t^{2} \left(\sum_{k=0}^{3} \sum_{l=0}^{3}" in form.latex("index")


@pytest.mark.parametrize("order", [1, 3, 1.5, float("inf")])
def test_a_norm_of_any_order_is_read_back_beside_a_ratio(order):
    form = sg.derive(t**2 * sg.norm(x, order) / 2, t)
    assert form.latex().endswith(r"\right\rVert_{\frac{3}{2}}") == (order == 1.5)
    check(written(form, {"t": np.array(3.0), "x": np.array([1.0, -2.0, 0.5])}, {"n": 3}), _OF_NORMS)


_OF_NORMS = ["shown", "ASCII", "matrix", "SymPy's text", "LaTeX"]


def test_no_intermediate_is_called_as_the_sigmoid_of_a_number():
    check(of_seed(645), ["where", "LaTeX where"])


def test_indices_with_a_number_stand_between_commas_in_latex():
    form = of_seed(1049).form
    assert r"\left[A^{-1}\right]_{u, l_{1}}" in form.latex("index")
    assert r"\left[A^{-1}\right]_{lk}" in form.latex("index")


def test_names_of_several_letters_are_no_factors_in_latex():
    L, m, Lm = sg.symbol("L", ()), sg.symbol("m", ()), sg.symbol("Lm", ())
    form = sg.derive(L * m * Lm**2, L)
    assert form.latex() == r"\mathrm{Lm}^{2} m"


def test_the_exponential_in_latex_is_no_power_of_the_users_e():
    e, z = sg.symbol("e", ()), sg.symbol("z", ())
    assert r"e^{z}" in sg.derive(sg.exp(z) * z, z).latex()
    assert r"e^{z}" not in sg.derive(e * sg.exp(z) * z, z).latex()


def test_the_exponential_on_a_page_is_no_power_of_the_users_e():
    e, z = sg.symbol("e", ()), sg.symbol("z", ())
    assert "<msup><mi>e</mi>" in inside(sg.derive(sg.exp(z) * z, z).expr)
    assert "<msup><mi>e</mi>" not in inside(sg.derive(e * sg.exp(z) * z, z).expr)
