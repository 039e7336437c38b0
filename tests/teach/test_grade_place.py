"""``Grade.place``: where in a pupil's own text the slip is."""

import json

import pytest

import symgrad as sg
from symgrad.cli.main import main

LEAST_SQUARES = {"of": "sum((X @ w - y)**2)", "wrt": "w", "shapes": {"X": ("n", "d"), "w": "d", "y": "n"}}
QUADRATIC = {"of": "x @ A @ x", "wrt": "x", "shapes": {"A": ("n", "n"), "x": "n"}}


def underlined(marked, of, wrt="x", **words):
    """The answer without its guillemets, what is underlined in it, and what should be."""
    before, _, rest = marked.partition("«")
    part, _, behind = rest.partition("»")
    answer = before + part + behind
    found = sg.grade(answer, of=of, wrt=wrt, **words)
    assert not found.right
    assert found.place is not None
    start, end = found.place
    return f"{answer[:start]}«{answer[start:end]}»{answer[end:]}"


@pytest.mark.parametrize(
    ("answer", "of"),
    [
        ("4x^«4»", "x**4"),  # a number
        ("«5»x^3 + 1", "x**4 + x"),
        ("3x^2 + «2»", "x**3 + x**2"),
        ("5x^4 + 3x^2 + «1»", "x**5 + x**3 + 7"),
        ("2*x*sin(x) «- x^2*cos(x)»", "x**2*sin(x)"),  # a sign, with its term
        ("(x*cos(x) «+ sin(x)»)/x^2", "sin(x)/x"),
        ("«-cos(x)»", "sin(x)"),
        ("1 «+ 3x^2»", "x - x**3"),
        ("3x^2 + «4x»", "x**3 + 4*x"),
        ("2x sin x + x² «sin x»", "x**2*sin(x)"),  # a function
        ("f'(x) = 3x² + «sin x»", "x**3 + sin(x)"),
        ("2xsinx + x^2«sinx»", "x**2*sin(x)"),
        (r"\frac{1}{x} + «\cos x»", "log(x) + cos(x)"),
        ("cos(«2x»)*2x", "sin(x**2)"),  # what it is taken of
        ("e^x + 2«e^x»", "exp(x) + exp(2*x)"),
        ("1/(2«x»)", "sqrt(x)"),
        ("(x*cos(x) - sin(x))/«x»", "sin(x)/x"),  # below the bar
        ("2x + «cos(3x)»", "x**2 + sin(3*x)"),  # a term without a factor
        ("  «3*(x**2 + 1)**2» ", "(x**2 + 1)**3"),  # all of it, as a single term
        ("«2*x*cos(x)»", "x**2*sin(x)"),
        ("«1/2x» + 1", "log(x)/2 + x"),  # how it is written
        ("«0.33» x^2", "x**3/9"),
        ("2x + «z»", "x**2"),
    ],
)
def test_the_part_that_differs_is_found_in_the_text_as_it_was_typed(answer, of):
    assert underlined(answer, of) == answer


@pytest.mark.parametrize(
    "answer",
    ["2*«X» @ (X @ w - y)", "«X.T @ (X @ w - y)»", "2*X.T @ (X @ w «+ y»)", "2Xᵀ(Xw «+ y»)", "«3»*X.T @ (X @ w - y)"],
)
def test_a_part_of_an_answer_of_arrays_is_found(answer):
    assert underlined(answer, **LEAST_SQUARES) == answer


def test_where_shapes_do_not_fit_is_the_place():
    assert underlined("2*X.T @ (X @ «y» - y)", **LEAST_SQUARES) == "2*X.T @ (X @ «y» - y)"
    assert underlined("«2*A» @ x", **QUADRATIC) == "«2*A» @ x"
    assert sg.grade("X @ y + w @ y", **LEAST_SQUARES).hint.startswith("The shapes do not fit: X [n, d] and y [n]")


def test_of_several_answers_the_place_is_in_the_whole_text():
    assert underlined("[2xy, x^«3»]", "x**2*y", ["x", "y"]) == "[2xy, x^«3»]"
    assert underlined("[[2y, 2x], [«3»x, 0]]", "x**2*y", ["x", "y"], order=2) == "[[2y, 2x], [«3»x, 0]]"
    assert sg.grade(["2*x*y", "x^3"], of="x**2*y", wrt=["x", "y"]).place is None


def test_a_second_derivatives_slip_has_its_place():
    assert underlined("6x^«2»", "x**3", order=2) == "6x^«2»"


@pytest.mark.parametrize("answer", ["42*x^7 + tan(x)", "2*x", "x^2 sin(x) + 5"])
def test_there_is_no_place_where_no_part_is_to_blame(answer):
    found = sg.grade(answer, of="x**2*sin(x)", wrt="x")
    assert not found.right
    assert found.place is None


def test_of_several_rounded_numbers_none_is_to_blame():
    found = sg.grade("0.33x^2 + 0.67x^4", of="x**3/9 + 2*x**5/15", wrt="x")
    assert found.hint.startswith("The numbers are rounded")
    assert found.place is None


def test_a_right_answer_and_one_that_is_no_text_have_no_place():
    assert sg.grade("2*x", of="x**2", wrt="x").place is None
    x = sg.symbol("x")
    assert sg.grade(sg.derive(x**3, x), of="x**2", wrt="x").place is None


def test_the_command_tells_the_place(capsys):
    assert main(["grade", "3*x.^3", "--of", "x.^3", "--wrt", "x", "--syntax", "matlab", "--json"]) == 1
    assert json.loads(capsys.readouterr().out)["place"] == [5, 6]
