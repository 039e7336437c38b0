"""``sg.explore``: what the widget shows, with anywidget and without, and its page in a browser."""

import json
import re

import pytest

import symgrad as sg
from symgrad.errors import ArgumentError, MissingExtra
from tests.shared.browser import in_a_browser, shown


@pytest.fixture(scope="module")
def exploration():
    return sg.explore("x**2*sin(x)", over=(-2, 2))


def test_the_numbers_are_those_of_the_formula(exploration):
    data = exploration.data
    assert data["xs"][0] == -2
    assert data["xs"][-1] == 2
    k = data["xs"].index(0.5)
    assert data["rows"][0][k] == pytest.approx(0.25 * 0.479425538604203)
    assert data["rows"][1][k] == pytest.approx(0.479425538604203 + 0.25 * 0.8775825618903728)
    assert json.loads(json.dumps(data)) == data
    assert "product rule" in data["steps"]


def test_places_without_a_value_are_missing_and_a_constant_slope_is_a_line():
    data = sg.explore("1/x").data
    assert data["rows"][0][200] is None
    assert data["limits"][1] < 50
    assert set(sg.explore("2*x + 1").data["rows"][1]) == {2.0}
    assert sg.explore("log(x)").data["start"] > 200


def test_without_the_extra_there_is_a_page_and_an_error_that_names_the_extra(exploration, monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "anywidget", None)
    bundle = exploration._repr_mimebundle_()
    assert bundle["text/plain"] == "<Exploration: x**2*sin(x) for x from -2 to 2>"
    assert 'sandbox="allow-scripts"' in bundle["text/html"]
    with pytest.raises(MissingExtra, match="notebook"):
        exploration.widget  # noqa: B018


def test_with_the_extra_there_is_a_widget(exploration):
    anywidget = pytest.importorskip("anywidget")
    widget = exploration.widget
    assert isinstance(widget, anywidget.AnyWidget)
    assert widget.data == exploration.data
    assert "export default" in str(widget._esm)
    assert "application/vnd.jupyter.widget-view+json" in str(exploration._repr_mimebundle_())


def test_what_cannot_be_explored_is_refused():
    with pytest.raises(ArgumentError, match="formula of one number"):
        sg.explore("x*y")
    with pytest.raises(ArgumentError, match="lower one first"):
        sg.explore("x", over=(2, 1))
    with pytest.raises(ArgumentError, match="no values over"):
        sg.explore("log(x)", over=(-2, -1)).html()


@in_a_browser
def test_the_page_draws_the_curve_and_its_tangent(exploration, tmp_path):
    exploration.save(tmp_path / "page.html")
    elements, console = shown(tmp_path / "page.html")
    assert not console
    assert len(re.findall(r'<path d="M[-\d.]+,', elements)) == 2
    assert re.search(r'<line x1="[-\d.]+" y1="[-\d.]+"[^>]*class="tangent"', elements)
    assert "f′ = " in elements
    assert "<summary>Steps</summary>" in elements
