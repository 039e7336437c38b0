"""Tables of a function and its derivative: rows, errors, printing, and the picture."""

import sys
import xml.dom.minidom

import numpy as np
import pytest

import symgrad as sg
from symgrad.errors import ArgumentError, ArgumentTypeError, MissingExtra, ShapeError


def cube(x):
    return x**3


def test_table_is_aligned_below_its_formulas():
    lines = str(sg.table(cube, [-1, 0.5])).splitlines()
    assert lines[0] == "f(x) = x³,  f′(x) = 3·x²"
    assert len({len(line) for line in lines[2:]}) == 1
    assert lines[2].split()[:2] == ["x", "f(x)"]
    assert lines[3].split()[:4] == ["−1", "−1", "3", "3"]


@pytest.mark.parametrize(
    "f", [cube, sg.sin, lambda x: sg.exp(-(x**2)), lambda x: sg.where(x > 0, x**2, -x), lambda x: 0 * x + 3]
)
def test_rows_hold_the_three_derivatives_and_their_errors(f):
    points = [-1.5, 0.3, 2.0]
    for row, x in zip(sg.table(f, points).rows, points, strict=True):
        assert row.x == x
        assert row.value == pytest.approx(float(f(sg.tensor(x))))
        assert row.formula == pytest.approx(row.reverse, abs=1e-14)
        assert row.difference == pytest.approx(row.formula, abs=1e-8)
        assert row.reverse_error == abs(row.reverse - row.formula)
        assert row.difference_error == abs(row.difference - row.formula)


def test_function_that_asks_for_numbers_has_no_formula():
    found = sg.table(lambda x: x**2 if x > 0 else -x, np.array([-1.0, 3.0]))
    assert found.form is None
    assert [row.reverse for row in found.rows] == [-1.0, 6.0]
    assert all(np.isnan(row.formula) for row in found.rows)
    assert str(found).splitlines()[1].split()[2] == "—"


def test_notebook_shows_a_table():
    found = sg.table(cube, [1.0, 2.0])._repr_html_()
    tree = xml.dom.minidom.parseString(f"<div>{found}</div>")
    assert len(tree.getElementsByTagName("tr")) == 3
    assert len(tree.getElementsByTagName("math")) == 2


@pytest.mark.parametrize(
    ("call", "error", "says"),
    [
        (lambda: sg.table(3, [1]), ArgumentTypeError, "a function of one number"),
        (lambda: sg.table(cube, []), ArgumentError, "Expected a list of numbers"),
        (lambda: sg.table(cube, 3), ArgumentTypeError, "expected numbers"),
        (lambda: sg.table(cube, ["a"]), ArgumentTypeError, "expected numbers"),
        (lambda: sg.table(lambda x: sg.stack([x, x]), [1]), ShapeError, "Expected a number"),
    ],
)
def test_errors_say_what_to_do(call, error, says):
    with pytest.raises(error, match=says):
        call()


def test_plot_shows_function_derivative_and_tangent():
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("Agg")
    ax = sg.table(cube, [-1.0, 0.0, 1.0, 2.0]).plot(tangent=1.5)
    f, slope, tangent = [line for line in ax.lines if line.get_label().startswith(("f", "tangent"))]
    x = f.get_xdata()
    np.testing.assert_allclose(f.get_ydata(), x**3)
    np.testing.assert_allclose(slope.get_ydata(), 3 * x**2)
    np.testing.assert_allclose(tangent.get_ydata(), 1.5**3 + 3 * 1.5**2 * (x - 1.5))
    matplotlib.pyplot.close(ax.figure)


def test_plot_asks_for_matplotlib_where_it_is_missing(monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(MissingExtra, match="pip install"):
        sg.table(cube, [1.0]).plot()
