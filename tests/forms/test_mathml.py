"""Formulas in MathML: every kind of node, nothing lost on the way, brackets where they are needed."""

import re
import xml.dom.minidom
from collections import Counter
from xml.etree import ElementTree

import pytest
import sympy as sp
from test_forms import LOSSES, symbols

import symgrad as sg
from symgrad.errors import FormError
from symgrad.expression.formula import Spelled
from symgrad.expression.markup import name
from symgrad.forms.nodes import formulas, printers
from symgrad.forms.nodes.printers import inside, mathml

from identities import IDENTITIES, derived


@pytest.fixture
def unknown(monkeypatch):
    """The kinds of nodes that were met and are not known."""
    found = []
    monkeypatch.setattr(formulas, "unknown", lambda e: found.append(type(e)) or Spelled("?", "?"))
    return found


def notations(form):
    """Every expression that a form is written with."""
    yield form.expr
    yield form.body
    for definition in form.where:
        yield from definition
    try:
        yield form.index()
    except FormError:
        return


def words(element):
    """The identifiers in MathML, those with a number below them without it."""
    return Counter(e.firstChild.data for e in element.getElementsByTagName("mi"))


def check(form, unknown):
    for e in notations(form):
        element = xml.dom.minidom.parseString(mathml(e))
        written = Counter(re.findall(r"[^\W\d_]\w*", re.sub("[_ᵀ⁻²³⁴⁵⁶]", " ", printers.text(e))))
        for leaf in form.args:
            assert words(element)[leaf] == written[leaf] or len(leaf) > 1, (leaf, e)
    assert unknown == []


@pytest.mark.parametrize("loss", LOSSES)
def test_golden_forms_have_mathml(loss, unknown):
    leaves, y = symbols(loss)
    for leaf in leaves.values():
        check(sg.derive(y, leaf), unknown)


@pytest.mark.parametrize("identity", IDENTITIES, ids=[i["name"] for i in IDENTITIES])
def test_identities_have_mathml(identity, unknown):
    check(derived(identity), unknown)


x, y = sp.symbols("x y")
A, B, v = sg.symbol("A", ("n", "n")), sg.symbol("B", ("n", "n")), sg.symbol("v", "n")
SUM = "<mrow><mo>(</mo><mrow><mi>{}</mi><mo>+</mo><mi>{}</mi></mrow><mo>)</mo></mrow>"
TIMES = "<mo>&#x2062;</mo>"


def bare(text):
    """MathML without brackets' attributes, to compare by eye."""
    return text.replace(' stretchy="true" fence="true"', "").replace(TIMES, "")


@pytest.mark.parametrize(
    ("e", "expected"),
    [
        (x - y, "<mrow><mi>x</mi><mo>−</mo><mi>y</mi></mrow>"),
        (-x / 2, "<mrow><mo>−</mo><mfrac><mi>x</mi><mn>2</mn></mfrac></mrow>"),
        (x * (x + y), f"<mrow><mi>x</mi>{SUM.format('x', 'y')}</mrow>"),
        (sp.sqrt(x), "<msqrt><mi>x</mi></msqrt>"),
        (sp.exp(-x), "<msup><mi>e</mi><mrow><mo>−</mo><mi>x</mi></mrow></msup>"),
        (sp.Abs(x), "<mrow><mo>|</mo><mi>x</mi><mo>|</mo></mrow>"),
        (sp.sin(x) ** 2, "<mrow><msup><mi>sin</mi><mn>2</mn></msup><mrow><mo>(</mo><mi>x</mi><mo>)</mo></mrow></mrow>"),
        (1 / x**2, "<mfrac><mn>1</mn><msup><mi>x</mi><mn>2</mn></msup></mfrac>"),
        (sp.Symbol("w_1"), "<msub><mi>w</mi><mn>1</mn></msub>"),
        (sp.Symbol("alpha"), "<mi>α</mi>"),
        (sp.Symbol("x′"), '<mrow><mi>x</mi><mo lspace="0" rspace="0">′</mo></mrow>'),
    ],
    ids=str,
)
def test_scalars_are_written_as_by_hand(e, expected):
    assert bare(inside(e)) == expected


@pytest.mark.parametrize(
    ("tensor", "expected"),
    [
        (A @ v, "<mrow><mi>A</mi><mi>v</mi></mrow>"),
        (A.T @ v, "<mrow><msup><mi>A</mi><mo>⊤</mo></msup><mi>v</mi></mrow>"),
        (sg.linalg.inv(A), "<msup><mi>A</mi><mrow><mo>−</mo><mn>1</mn></mrow></msup>"),
        (A * B, "<mrow><mi>A</mi><mo>⊙</mo><mi>B</mi></mrow>"),
        ((A + B) @ v, f"<mrow>{SUM.format('A', 'B')}<mi>v</mi></mrow>"),
        (sg.linalg.det(A), "<mrow><mi>det</mi><mrow><mo>(</mo><mi>A</mi><mo>)</mo></mrow></mrow>"),
        (A.trace(), "<mrow><mi>tr</mi><mrow><mo>(</mo><mi>A</mi><mo>)</mo></mrow></mrow>"),
    ],
    ids=lambda p: p if isinstance(p, str) else "",
)
def test_arrays_are_written_as_by_hand(tensor, expected):
    assert bare(inside(tensor.expr)) == expected


@pytest.mark.parametrize("text", ["<b>", "a&b", 'x"y', "\x00", "‹a›", "two words", "π", "w_ij", "x_1_2", "ꙮ0ꙮ"])
def test_names_are_text(text):
    element = xml.dom.minidom.parseString(f"<math>{name(text)}</math>").documentElement
    assert {e.tagName for e in element.getElementsByTagName("*")} <= {"mi", "mn", "mo", "mtext", "msub", "mrow"}


def test_a_name_like_a_place_holder_is_left_alone():
    X = sg.symbol("ꙮ1ꙮ", ("n", "n"))
    assert "ꙮ1ꙮ" in inside(sg.linalg.inv(X).expr)


def test_forms_show_themselves_in_html_without_scripts():
    X, w, y = sg.symbol("X", ("n", "d")), sg.symbol("w", "d"), sg.symbol("y", "n")
    loss = ((X @ w - y) ** 2).sum()
    one, several, blocks = sg.derive(loss, w), sg.derive(loss, [w, y]), sg.derive(loss, [w, y], order=2)
    for form, said in (
        (one, ["2*Xᵀ*(X*w - y)"]),
        (several, ["d/dw = 2*Xᵀ*r", "d/dy = -2*r", "r = X*w - y"]),
        (blocks, ["d²/dw² = 2*Xᵀ*X", "d²/dwdy = -2*Xᵀ", "d²/dydw = -2*X", "d²/dy² = 2*I"]),
    ):
        page = form._repr_html_()
        assert "<script" not in page
        tree = ElementTree.fromstring(f"<div>{page}</div>")
        assert [m.get("alttext") for m in tree.iter("math")] == said
    assert sg.derive(loss, w).mathml("index").startswith("<math")
    with pytest.raises(ValueError, match="form='html'"):
        one.mathml("html")


def test_names_in_html_are_escaped():
    x = sg.symbol("<b>x</b>")
    assert "<b>" not in sg.derive(x**3, x)._repr_html_()
    assert "<b>" not in sg.derive(x**3, [x])._repr_html_()


def test_an_entry_of_an_array_function_has_the_ones_of_an_axis_with_equal_entries():
    x = sg.symbol("x", "n")
    form = sg.derive(sg.linalg.svdvals(sg.exp(x).unsqueeze(1).expand(x.shape[0], x.shape[0]))[0], x)
    assert "svd_U(exp(x_k)*1_l)_i0" in printers.text(form.index())
    ones = (
        '<msub><mi>x</mi><mi>k</mi></msub></msup><mo>&#x2062;</mo><msub><mn mathvariant="bold">𝟏</mn><mi>l</mi></msub>'
    )
    assert ones in inside(form.index())
