"""Curves that are discussed: every statement is checked by values, over more than four hundred functions."""

import cProfile
import pickle

import pytest
from slow_tests import drawn, draws
from study_checker import Checker
from study_functions import ALL

import symgrad as sg
from symgrad.errors import ArgumentError

EXPECTED = {
    "x**3 - 3*x": {
        "zeros": ["−√3", "0", "√3"], "increasing": ["(−∞, −1]", "[1, ∞)"], "decreasing": ["[−1, 1]"],
        "convex": ["[0, ∞)"], "range": ["(−∞, ∞)"],
    },
    "(x**2 + 1)/(x - 1)": {"domain": ["(−∞, 1)", "(1, ∞)"], "zeros": [], "range": ["(−∞, 2 − 2·√2]", "[2 + 2·√2, ∞)"]},
    "x*exp(-x)": {"increasing": ["(−∞, 1]"], "concave": ["(−∞, 2]"], "range": ["(−∞, exp(−1)]"]},
    "sqrt(4 - x**2)": {"domain": ["[−2, 2]"], "zeros": ["−2", "2"], "range": ["[0, 2]"]},
    "log(x)/x": {"domain": ["(0, ∞)"], "zeros": ["1"], "increasing": ["(0, e]"]},
    "sin(x) + cos(2*x)": {"zeros": ["π/2", "7π/6", "11π/6"], "range": ["[−2, 9/8]"]},
    "exp(x) - 3*x": {"zeros": ["0.619061", "1.51213"], "decreasing": ["(−∞, log(3)]"]},
    "abs(x**2 - 4)": {"zeros": ["−2", "2"], "decreasing": ["(−∞, −2]", "[0, 2]"], "range": ["[0, ∞)"]},
    "x**x": {"domain": ["(0, ∞)"], "decreasing": ["(0, exp(−1)]"]},
    "1 - cos(x)": {"zeros": ["0"], "range": ["[0, 2]"]},
    "x**2 if x < 0 else sqrt(x)": {"domain": ["(−∞, ∞)"], "increasing": ["[0, ∞)"], "range": ["[0, ∞)"]},
    "sqrt(x)**2": {"domain": ["[0, ∞)"], "zeros": ["0"]},
    "cbrt(x**2 - 1)": {"domain": ["(−∞, ∞)"], "zeros": ["−1", "1"], "range": ["[−1, ∞)"]},
    "exp(-x)/(1 + exp(-x))**2": {"zeros": [], "convex": ["(−∞, log(2 − √3)]", "[log(2 + √3), ∞)"]},
    "1/cosh(x)": {"convex": ["(−∞, log(√2 − 1)]", "[log(1 + √2), ∞)"]},
    "log2(x**2 + 4)": {"range": ["[2, ∞)"]},
    "x*log(x**2)": {"increasing": ["(−∞, −exp(−1)]", "[exp(−1), ∞)"]},
}  # fmt: skip


@pytest.mark.parametrize("text", EXPECTED)
def test_what_is_found_is_exact_where_there_is_a_formula(text):
    study = sg.study(text)
    got = {what: [str(v) for v in getattr(study, what)] for what in EXPECTED[text]}
    assert got == EXPECTED[text]
    assert study.doubts == ()


def test_there_are_more_than_four_hundred_functions():
    assert len(set(ALL)) >= 400


@pytest.mark.parametrize("text", draws(ALL, first=80))
def test_nothing_false_is_said(text):
    study = sg.study(text)
    if drawn(text) % 3 == 0:  # writing takes as long as all the rest
        assert str(study)
    assert Checker(study, text).all() == []


def test_zeros_without_end_are_not_listed():
    study = sg.study("sin(1/x)")
    assert study.doubts == ("the zeros of f", "the zeros of f′", "the zeros of f″")
    assert study.zeros == []
    assert study.symmetry == "odd"


def test_a_hole_that_a_case_fills_is_none():
    study = sg.study("sin(x)/x if x != 0 else 1")
    assert "f is defined for all real numbers." in str(study)
    assert str(study).count("otherwise") == 1  # of a single place, whose derivative by its formula is none
    assert ("0", "1", False) in [(str(e.x), str(e.y), e.has_kink) for e in study.extrema]
    assert study.gaps == []


def test_where_a_periodic_function_is_defined_is_told_without_its_window():
    assert "f is defined on (3π/2, 5π/2) and where it repeats." in str(sg.study("log(cos(x))"))
    assert "f is not defined at x = π/2 + k·π." in str(sg.study("tan(x)"))


def test_asymptotes_and_gaps_are_told_with_their_limits():
    study = sg.study("(x**3 + 1)/(x**2 - 4)")
    assert [(a.kind, str(a.x)) for a in study.asymptotes[:2]] == [("vertical", "−2"), ("vertical", "2")]
    assert (str(study.asymptotes[2].slope), str(study.asymptotes[2].height)) == ("1", "0")
    (hole,) = sg.study("(x**2 - 1)/(x - 1)").gaps
    assert (str(hole.x), str(hole.below), str(hole.above)) == ("1", "2", "2")


def test_a_study_is_written_pickled_and_charted():
    study = sg.study("x**3 - 3*x", "x")
    assert study.latex()
    assert study.html()
    assert study.data()
    assert str(pickle.loads(pickle.dumps(study))) == str(study)
    assert [row["f′"] for row in study.sign_chart()] == ["+", "+", "−", "−", "+", "+"]
    assert "local maximum at x = −1, f(x) = 2" in str(study)


def test_the_sign_chart_of_a_period_ends_at_places_of_the_function():
    study = sg.study("2*sin(2*pi*x/3)")
    assert [row["interval"] for row in study.sign_chart()] == ["(0, 3/4)", "(3/4, 3/2)", "(3/2, 9/4)", "(9/4, 3)"]
    assert "f(x) = 0 at x = 3k and x = 3/2 + 3k." in str(study)
    assert [row["f′"] for row in sg.study("sin(x)**2").sign_chart()] == ["+", "+", "−", "−"]


def test_the_sign_chart_is_written_and_holds_by_values():
    study = sg.study("x**3 - 3*x", "x")
    inside = {"(−∞, −√3)": -2.0, "(−√3, −1)": -1.5, "(−1, 0)": -0.5, "(0, 1)": 0.5, "(1, √3)": 1.5, "(√3, ∞)": 2.0}
    lines = str(study).split("Sign chart\n")[1].split("\n\n")[0].splitlines()
    for line, (interval, x) in zip(lines, inside.items(), strict=True):
        values = {"f": x**3 - 3 * x, "f′": 3 * x**2 - 3, "f″": 6 * x}
        said = ", ".join(f"{name} {'>' if v > 0 else '<'} 0" for name, v in values.items())
        assert line.strip() == f"on {interval}: {said}"


def test_symmetry_and_period():
    assert sg.study("x**3").symmetry == "odd"
    assert sg.study("cos(x)").symmetry == "even"
    assert sg.study("x**2 + x").symmetry is None
    assert str(sg.study("sin(x)**2").period) == "pi"


@pytest.mark.parametrize("text", ["gamma(x)", "floor(x)", "erf(x)"])
def test_what_cannot_be_studied_is_refused(text):
    with pytest.raises(ArgumentError, match="Expected"):
        sg.study(text)


@pytest.mark.parametrize("text", ["sqrt(-1 - x**2)", "log(-x**2)", "1/(x - x)"])
def test_what_is_defined_nowhere_is_refused(text):
    with pytest.raises(ArgumentError, match="no real value"):
        sg.study(text)


def test_the_picture_has_everything_marked():
    pytest.importorskip("matplotlib")
    ax = sg.study("x**3 - 3*x").plot()
    assert [line.get_label() for line in ax.lines][:4] == ["f", "zeros", "extrema", "inflection points"]


def test_tangents_normals_and_their_errors():
    line = sg.tangent("x**2", x=3)
    assert (line.formula, line.slope, line.normal) == ("6x − 9", 6, "y = 19/2 − x/6")
    assert line.error(0.1) == pytest.approx(0.01)
    assert sg.teach.normal("x**2", x=0) == sg.normal("x**2", x=0) == "x = 0"
    assert sg.tangent("sin(x)", x="pi/6").slope ** 2 * 4 == 3
    for text, at in (("abs(x)", 0), ("log(x)", 0), ("sqrt(x)", 0)):
        with pytest.raises(ArgumentError):
            sg.tangent(text, x=at)


@pytest.mark.parametrize(
    ("text", "order", "a", "h"), [("sin(x)", 3, 0, 0.5), ("exp(x)", 4, 1, 0.25), ("sqrt(x)", 2, 4, 1)]
)
def test_the_remainder_of_taylor_is_bounded(text, order, a, h):
    p = sg.taylor_polynomial(text, order, x=a)
    f, q = sg.parse(text, {"x": ()}), sg.from_sympy(p.expr, sorted(p.expr.free_symbols, key=str))
    worst = max(abs(float(f(a + h * k / 20) - q(a + h * k / 20))) for k in range(-20, 21))
    assert worst <= p.error(h) < 10 * worst


def test_a_study_can_be_profiled():
    profile = cProfile.Profile()
    assert profile.runcall(sg.study, "x**2 - 1").zeros
    assert profile.getstats()


@pytest.mark.parametrize(
    ("text", "limits"),
    [
        ("log(1 - x**2)/x", ("0", "0")), ("tanh(x)/x", ("1", "1")), ("1/(1 + exp(1/x))", ("1", "0")),
        ("(exp(x) - 1)/x", ("1", "1")), ("log(1 + x)/x", ("1", "1")), ("(1 - cos(x))/x**2", ("1/2", "1/2")),
        ("tanh(1/x)", ("−1", "1")), ("x/sinh(x)", ("1", "1")),
    ],
)  # fmt: skip
def test_at_a_hole_and_far_out_nothing_is_doubted(text, limits):
    study = sg.study(text)
    assert study.doubts == ()
    assert limits in [(str(g.below), str(g.above)) for g in study.gaps]


def test_a_derivative_has_no_value_where_the_pieces_of_a_curve_meet():
    assert "f′(x) = { 1 for x > 1/2;  −1 for x < 1/2 }" in str(sg.study("max(x, 1 - x)"))
