"""``sg.grade``: right answers however they are written, slips by name, and what is said of shapes and of nonsense."""

import json
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
import sympy as sp

import symgrad as sg
from symgrad.errors import ArgumentError, ArgumentTypeError, ParseError
from symgrad.expression.grammar import read
from symgrad.expression.printer import typed as text
from symgrad.teach import SLIPS
from symgrad.teach.answers.products import with_powers_of_matrices
from symgrad.teach.answers.rules import Derivative
from symgrad.teach.answers.trees import value_of

ROWS = json.loads((Path(__file__).parents[1] / "data" / "graded_answers.json").read_text(encoding="utf-8"))
LEAST_SQUARES = {"of": "sum((X @ w - y)**2)", "wrt": "w", "shapes": {"X": ("n", "d"), "w": "d", "y": "n"}}


def named(row):
    return f"{row['answer']} for {row['of']}"


@pytest.mark.parametrize("row", ROWS, ids=named)
def test_answers_get_their_slip(row):
    row = dict(row)
    slip = row.pop("slip")
    found = sg.grade(**row)
    assert found.slip == slip
    assert found.right == (slip is None)
    assert (found.simplified is None) == (slip is not None)
    assert found.hint.endswith((".", "?"))


def test_every_slip_has_answers_of_several_problems():
    for slip in (*SLIPS, None):
        assert len({row["of"] for row in ROWS if row["slip"] == slip}) >= 3


@pytest.mark.parametrize("of", ["gelu(x)", "Φ(2*x)", "exp(-(x - 1)**2/2)/sqrt(2*pi)", "φ(x)"])
def test_printed_derivatives_with_the_normal_density_are_right(of):
    assert sg.grade(str(sg.derive(of, "x")), of, "x").right


def test_a_wrong_answer_comes_with_a_point_and_both_values():
    at = sg.grade("3*x**2", of="x**2", wrt="x").at
    assert at.point == {"x": 2}
    assert (at.answer, at.derivative) == (12.0, 4.0)


def test_the_point_lies_where_answer_and_derivative_differ():
    at = sg.grade("2", of="abs(x) + x", wrt="x").at
    assert at.point["x"] < 0
    assert (at.answer, at.derivative) == (2.0, 0.0)


@pytest.mark.parametrize(
    ("answer", "of", "place"),
    [
        ("3*(x**2 + 1)**2", "(x**2 + 1)**3", "x^2 + 1"),
        ("cos(cos(exp(x)))*exp(x)", "sin(cos(exp(x)))", "cos(exp(x))"),
        ("2*x*exp(x)*cos(x)", "x**2*exp(x)*sin(x)", "x^2*exp(x)*sin(x)"),
        ("3*x**2 + cos(5*x)", "x**3 + sin(5*x)", "5*x"),
    ],
)
def test_a_hint_names_the_place(answer, of, place):
    assert place in sg.grade(answer, of=of, wrt="x").hint


@pytest.mark.parametrize(
    ("answer", "simplified"),
    [
        ("x*(2*sin(x) + x*cos(x))", True),
        ("2*x*sin(x) + x**2*cos(x)", True),
        ("2*x**1*sin(x) + x**2*cos(x)", False),
        ("x*x*cos(x) + 2*x*sin(x)", False),
        ("x*sin(x) + x*sin(x) + x**2*cos(x)", False),
        ("3*x*sin(x) - x*sin(x) + x**2*cos(x)", False),
        ("x**2*cos(x) + 0 + 2*x*sin(x)", False),
    ],
)
def test_right_answers_may_be_simpler(answer, simplified):
    found = sg.grade(answer, of="x**2*sin(x)", wrt="x")
    assert found.right
    assert found.simplified is simplified
    assert simplified or "simpl" in found.hint or found.shorter


def test_a_shorter_form_is_shown():
    found = sg.grade("(2*x*(x**2 + 1) - (x**2 - 1)*2*x)/(x**2 + 1)**2", of="(x**2 - 1)/(x**2 + 1)", wrt="x")
    assert (found.right, found.simplified, found.shorter) == (True, False, "4*x/(x**2 + 1)**2")


def test_rewriting_proves_what_it_can_and_values_decide_the_rest():
    assert sg.grade("x*cos(x) + sin(x)", of="x*sin(x)", wrt="x").proof == "rewriting"
    assert sg.grade("sin(2*x)", of="sin(x)**2", wrt="x").proof in ("rewriting", "values")


@pytest.mark.parametrize("far", ["1e-12", "1/10**30", "1e-40*x"])
def test_what_floats_cannot_tell_apart_is_wrong(far):
    assert not sg.grade(f"2*x + {far}", of="x**2", wrt="x").right


def test_an_answer_that_is_right_on_a_part_only_is_wrong():
    found = sg.grade("3*exp(2*log(x))", of="x**3", wrt="x")
    assert not found.right
    assert "Right where it is defined" in found.hint
    assert np.isnan(found.at.answer)


@pytest.mark.parametrize(
    ("of", "answer"),
    [
        ("log(x - 100)", "1/(x - 100)"),
        ("sqrt(x) + log(1 - x)", "1/(2*sqrt(x)) - 1/(1 - x)"),
        ("acosh(x)", "1/sqrt(x**2 - 1)"),
        ("log(log(x))", "1/(x*log(x))"),
        ("asin(2*x - 7)", "2/sqrt(1 - (2*x - 7)**2)"),
    ],
)
def test_points_lie_where_the_problem_is_defined(of, answer):
    assert sg.grade(answer, of=of, wrt="x").right
    assert not sg.grade(f"{answer} + 1", of=of, wrt="x").right


def test_rounded_numbers_are_said_to_be_rounded():
    assert "rounded" in sg.grade("0.333*x", of="x**2/6", wrt="x").hint
    assert "rounded" not in sg.grade("0.5*x", of="x**2/6", wrt="x").hint
    assert sg.grade("0.25*x", of="x**2/8", wrt="x").right


@pytest.mark.parametrize(
    ("answer", "of", "said"),
    [
        ("2*t", "x**2", "The answer has t"),
        ("x**3/3", "x**2", "antiderivative"),
        ("log(x)", "log(x)", "function itself"),
        ("2*x + C", "x**2", "no constant + C"),
    ],
)
def test_hints_say_what_else_an_answer_is(answer, of, said):
    assert said in sg.grade(answer, of=of, wrt="x").hint


def test_answers_may_be_written_in_latex():
    assert sg.grade(r"$\frac{1}{2\sqrt{x}}$", of="sqrt(x)", wrt="x").right
    assert sg.grade(r"\( 2x\cos(x) - x^{2} \sin x \)", of="x^2 cos x", wrt="x").right


@pytest.mark.parametrize("transposed", [r"X^\top", r"X^{\intercal}", r"X^{\mathsf{T}}", r"\mathbf{X}^{\mathrm{T}}"])
def test_transposes_may_be_written_in_latex(transposed):
    assert sg.grade(rf"2{transposed}(Xw - y)", **LEAST_SQUARES).right


def test_sizes_for_which_the_problem_has_no_meaning_are_left_out():
    problem = {"of": "logdet(A.T @ X @ A)", "wrt": "X", "shapes": {"A": ("n", "k"), "X": ("n", "n")}}
    assert sg.grade("A(A'X'A)^{-1}A'", **problem).right
    assert sg.grade("A(A'XA)^{-T}A'", **problem).right
    assert not sg.grade("A(A'XA)^{-1}A'", **problem).right


@pytest.mark.parametrize(
    ("answer", "of", "said"),
    [
        ("{2x for x > 2; -2x for x < 2}", "abs(x**2 - 4)", "Right at some points only: look at x = -"),
        ("2*x + 1e-30", "x**2", "off by very little"),
    ],
)
def test_what_agrees_at_most_points_is_no_slip_of_a_rule(answer, of, said):
    assert said in sg.grade(answer, of=of, wrt="x").hint


def test_cases_are_compared_beside_their_numbers():
    assert sg.grade("where(x > 2, 2*x, 2)", of="where(x > 2, x**2, 2*x)", wrt="x").right
    found = sg.grade("where(x < 12345, 2*x, 5)", of="x**2", wrt="x")
    assert not found.right
    assert found.at.point["x"] > 12345


def test_a_name_that_python_keeps_is_read_as_a_letter():
    assert sg.grade("2*lambda*x", of="lambda*x**2", wrt="x").right
    assert sg.grade("x^2", of="lambda*x**2", wrt="lambda").right


def test_missing_brackets_below_a_bar_are_said():
    assert "1/(2*x) would be right" in sg.grade("1/2x", of="log(x)/2", wrt="x").hint
    assert sg.grade("(1/2)x^(1/2)", of="x**(1/2)", wrt="x").slip == "power"
    for answer in ("1/2x", "f'(x) = 1/2x"):
        with pytest.raises(ParseError, match=r"write \(1/2\)\*x or 1/\(2\*x\)"):
            sg.grade(answer, of="x**2/4", wrt="x")
    assert sg.grade("(1/2)x", of="x**2/4", wrt="x").right
    assert sg.grade("1/2 x", of="x**2/4", wrt="x").right


def test_derivatives_of_another_order_or_name_are_recognised():
    assert "once more" in sg.grade("3*x**2", of="x**3", wrt="x", order=2).hint
    assert "once too often" in sg.grade("6*x", of="x**3", wrt="x").hint
    assert "derivative with respect to y" in sg.grade("x**2", of="x**2*y", wrt="x").hint


def test_constants_and_exponents_that_no_float_holds_are_exact():
    assert sg.grade("pi*x^(pi - 1)", of="x**pi", wrt="x").right
    assert not sg.grade("3.141592653589793*x**2.141592653589793", of="x**pi", wrt="x").right
    assert sg.grade("1/10*x^(-9/10)", of="x**0.1", wrt="x").right


def test_modes_that_a_caller_has_set_do_not_matter():
    with sg.no_grad():
        assert sg.grade("2*pi*x", of="pi*x**2", wrt="x").simplified
    sg.set_default_dtype(sg.float32)
    try:
        assert sg.grade("pi*x", of="pi*x**2", wrt="x").slip == "power"
    finally:
        sg.set_default_dtype(sg.float64)


# ------------------------------------------------------------------ shapes
def test_a_shape_that_does_not_fit_is_said_first():
    found = sg.grade("2*X @ (X @ w - y)", **LEAST_SQUARES)
    assert found.hint.startswith("The shapes do not fit: 2*X [n, d] and X @ w - y [n]")
    assert found.slip == "transpose"
    assert found.at is None


def test_a_shape_that_cannot_be_the_derivatives_is_said_first():
    found = sg.grade("2*(X @ w - y)", **LEAST_SQUARES)
    assert found.hint.startswith(
        "The shape cannot be right: the derivative with respect to w has the shape [d], the answer [n]."
    )
    assert found.slip == "chain"


def test_products_of_matrices_that_are_written_as_products_of_entries_are_said():
    assert "@" in sg.grade("2*X.T*(X*w - y)", **LEAST_SQUARES).hint
    assert "multiplies entries" in sg.grade("2*X.T * (X @ w - y)", **LEAST_SQUARES).hint


MEANT = {  # what books and pupils write for a product or a transpose; the problem, the name, and what is wrong with it
    "2*X^T*(X*w - y)": (LEAST_SQUARES, None),
    "2*X^T*X*w - 2*X^T*y": (LEAST_SQUARES, None),
    "2*X^T*(y - X*w)": (LEAST_SQUARES, "sign"),
    "X^T*(X*w - y)": (LEAST_SQUARES, "factor-2"),
    "A*b": ({"of": "b @ A.T @ x", "wrt": "x", "shapes": {"A": ("n", "n"), "b": "n", "x": "n"}}, None),
    "A'*b": ({"of": "b @ A.T @ x", "wrt": "x", "shapes": {"A": ("n", "n"), "b": "n", "x": "n"}}, "transpose"),
    "a*b^T": ({"of": "a @ X @ b", "wrt": "X", "shapes": {"a": "n", "X": ("n", "m"), "b": "m"}}, None),
    "diag(softmax(x)) - softmax(x)*softmax(x)'": ({"of": "softmax(x, 0)", "wrt": "x", "shapes": {"x": "n"}}, None),
    "-(X⁻²)ᵀ": ({"of": "trace(inv(X))", "wrt": "X", "shapes": {"X": ("n", "n")}}, None),
    "-(X⁻²)": ({"of": "trace(inv(X))", "wrt": "X", "shapes": {"X": ("n", "n")}}, "transpose"),
    "3(X^2)'": ({"of": "trace(X @ X @ X)", "wrt": "X", "shapes": {"X": ("n", "n")}}, None),
    "X^2": ({"of": "sum(X**3)/3", "wrt": "X", "shapes": {"X": ("n", "n")}}, None),
    "-(X'\\a)*(X\\b)'": ({"of": "a @ inv(X) @ b", "wrt": "X", "shapes": {"a": "n", "X": ("n", "n"), "b": "n"}}, None),
}


@pytest.mark.parametrize("answer", MEANT)
def test_an_answer_is_right_if_one_of_its_readings_is(answer):
    problem, slip = MEANT[answer]
    found = sg.grade(answer, **problem)
    assert (found.right, found.slip) == (slip is None, slip)


def test_sizes_may_be_used_as_numbers():
    assert sg.grade("X.T @ (X @ w - y)*2/n", **{**LEAST_SQUARES, "of": "mean((X @ w - y)**2)"}).right
    assert sg.grade("ones(n)", of="sum(x)", wrt="x", shapes={"x": "n"}).right


def test_symmetric_matrices_are_those_that_are_declared_so():
    A = sg.symbol("A", ("n", "n"), symmetric=True)
    assert sg.grade("2*A @ x", of="x @ A @ x", wrt="x", shapes={"x": "n", "A": A}).right
    assert sg.grade("2*A @ x", of="x @ A @ x", wrt="x", shapes={"x": "n", "A": ("n", "n")}).slip == "symmetric"


# ------------------------------------------------------------------ what an answer may be
def test_expressions_of_sympy_are_answers():
    x = sp.Symbol("x")
    assert sg.grade(sp.diff(x**2 * sp.sin(x), x), of="x**2*sin(x)", wrt="x").right
    assert sg.grade(2 * x * sp.cos(x), of="x**2*sin(x)", wrt="x").slip == "product"
    assert sg.grade(sp.Piecewise((1, x > 0), (-1, True)), of="abs(x)", wrt="x").right
    n, d = sp.symbols("n d", integer=True)
    X, w, y = sp.MatrixSymbol("X", n, d), sp.MatrixSymbol("w", d, 1), sp.MatrixSymbol("y", n, 1)
    assert sg.grade(2 * X.T * (X * w - y), **LEAST_SQUARES).right
    assert not sg.grade(X.T * (X * w - y), **LEAST_SQUARES).right


def test_closed_forms_are_answers():
    X, w, y = (sg.symbol(name, LEAST_SQUARES["shapes"][name]) for name in "Xwy")
    form = sg.derive(((X @ w - y) ** 2).sum(), w)
    assert sg.grade(form, **LEAST_SQUARES).right
    assert not sg.grade(form, **{**LEAST_SQUARES, "of": "sum((X @ w + y)**2)"}).right
    x = sg.symbol("x")
    assert sg.grade(sg.derive(sg.sin(x) * x, x), of="x*sin(x)", wrt="x").right


def test_numbers_and_lists_are_answers():
    assert sg.grade(3, of="3*x", wrt="x").right
    assert sg.grade(["2*x", 1], of="x**2 + y", wrt=["x", "y"]).right
    assert sg.grade("[[2, 1], [1, 0]]", of="x**2 + x*y", wrt=["x", "y"], order=2).right
    wrong = sg.grade("[2*x, x]", of="x**2 + y", wrt=["x", "y"])
    assert wrong.hint.startswith("With respect to y: ")
    assert "has one" in sg.grade("2*x", of="x**2 + y", wrt=["x", "y"]).hint


@pytest.mark.parametrize(
    "answer",
    ["", "  ", "f'(x) =", "__import__('os').system('ls')", "x.__class__", "lambda x: x", "open('f')", "x + ", "((x)",
     "sin", "foo(x)", "2**(10**10)", "ones(100000, 100000)", "x if x else 1", "9" * 20_000, "(" * 500, "x\x00",
     "{x: 1}", "2,5*x"],
)  # fmt: skip
def test_what_is_no_formula_is_an_error(answer):
    with pytest.raises(ParseError):
        sg.grade(answer, of="x**2", wrt="x")


def test_wrong_arguments_are_errors():
    with pytest.raises(ArgumentTypeError, match="the answer is a dict"):
        sg.grade({}, of="x", wrt="x")
    with pytest.raises(ArgumentTypeError, match="Expected the function as text"):
        sg.grade("x", of=3, wrt="x")
    with pytest.raises(ArgumentError, match="order=0"):
        sg.grade("x", of="x", wrt="x", order=0)
    with pytest.raises(ParseError, match="is not a name"):
        sg.grade("x", of="x", wrt="x + 1")
    with pytest.raises(ArgumentError, match="no finite derivative"):
        sg.grade("x", of="log(-x**2 - 1)", wrt="x")
    with pytest.raises(ParseError):
        sg.grade("x", of="A @ w", wrt="w", shapes={"A": (2, 3), "w": 2})


def test_a_grade_is_printed_with_its_point():
    assert str(sg.grade("2*x", of="x**2", wrt="x")) == "Right."
    assert str(sg.grade("-2*x", of="x**2", wrt="x")).splitlines() == [
        "Wrong (sign): Check the sign of the whole answer.",
        "At x = 2: the answer is -4, the derivative 4.",
    ]


@pytest.mark.parametrize(
    ("answer", "of"),
    [
        ("lnx + 1", "x*log(x)"),
        ("2xsinx + x^2cosx", "x**2*sin(x)"),
        ("(xcosx - sinx)/x^2", "sin(x)/x"),
        ("cosxsinx", "sin(x)**2/2"),
    ],
)
def test_functions_may_be_written_without_a_space(answer, of):
    assert sg.grade(answer, of=of, wrt="x").right


@pytest.mark.parametrize(
    ("answer", "of", "slip"),
    [
        ("{1 if x > 0; 0 otherwise}", "maximum(x, 0)", None),
        ("1 if x > 0 else 0", "maximum(x, 0)", None),
        ("[x > 0]", "maximum(x, 0)", None),
        ("[-1 ≤ x ≤ 1]", "clip(x, -1, 1)", None),
        ("f'(x) = {1 for x > 3; −1 for x < 3}", "abs(x - 3)", None),
        ("{1 for x > 3; 1 for x < 3}", "abs(x - 3)", "chain"),
        ("[x > 1]", "maximum(x, 0)", "other"),
    ],
)
def test_cases_are_answers_as_they_are_printed(answer, of, slip):
    assert sg.grade(answer, of=of, wrt="x").slip == slip


def test_an_answer_need_not_have_our_value_at_a_kink():
    """|x - 3| has no derivative at 3: 3 is among the points that are tried, and says nothing."""
    assert sg.grade("where(x > 3, 1, -1)", of="abs(x - 3)", wrt="x").right
    assert sg.grade("where(x < 1/2, 1, -1)", of="minimum(x, 1 - x)", wrt="x").right


def test_a_constant_of_the_problem_is_no_constant_of_integration():
    found = sg.grade("2ax + b + c", of="a*x**2 + b*x + c", wrt="x")
    assert (found.right, found.slip) == (False, "constant")


@pytest.mark.parametrize(
    ("answer", "of", "wrt", "slip"),
    [
        ("(A + A^T)x", "x @ A @ x", "x", None),
        ("(A + A')x", "x @ A @ x", "x", None),
        ("xx^T", "x @ A @ x", "A", None),
        ("bx'", "b @ A @ x", "A", None),
        ("xb'", "b @ A @ x", "A", "transpose"),
        ("A^{-T}", "logdet(A)", "A", None),
        ("(A^T)^{-1}", "logdet(A)", "A", None),
        ("A^{-1}", "logdet(A)", "A", "transpose"),
        ("4(x'x)x", "(x @ x)**2", "x", None),
        ("ones(n)/n", "mean(x)", "x", None),
        ("-A^{-T}bx'A^{-T}", "b @ inv(A) @ x", "A", None),
    ],
)
def test_matrices_may_be_written_as_on_paper(answer, of, wrt, slip):
    names = {"A": ("n", "n"), "x": "n", "b": "n"}
    shapes = {name: s for name, s in names.items() if name in of}
    assert sg.grade(answer, of=of, wrt=wrt, shapes=shapes).slip == slip


def test_arrays_of_numbers_are_graded_entry_by_entry():
    assert sg.grade("[2*x, y]", "[x*x, x*y]", "x").right
    assert sg.grade("[2*x, 0]", "[x*x, y]", "x").right
    wrong = sg.grade("[x, 0]", "[x*x, y]", "x")
    assert wrong.slip == "product"
    assert sg.grade("2*x", "[x, y]", "x").hint.startswith("The shape cannot be right")


@pytest.mark.parametrize(
    ("answer", "of", "said", "place"),
    [
        ("3.0003*x**2", "x**3", "a constant times the derivative", (0, 6)),
        ("3.00000003*x**2", "x**3", "The numbers are rounded", (0, 10)),
        ("3.0000000000003*x**2", "x**3", "off by very little", (0, 15)),
        ("3*x**2 + 1e-30", "x**3", "off by very little", (9, 14)),
        ("0.333333*x^(-2/3)", "x**(1/3)", "The numbers are rounded", (0, 8)),
    ],
)
def test_an_answer_that_is_nearly_right_is_wrong(answer, of, said, place):
    found = sg.grade(answer, of=of, wrt="x")
    assert (found.right, found.place) == (False, place)
    assert said in found.hint


@pytest.mark.parametrize(
    ("answer", "wrong", "of"),
    [
        ("7/3*x^(4/3) + 5/11 x^(-6/11)", "7/3*x^(4/3) + 5/11 x^(-5/11)", "x**(7/3) + x**(5/11)"),
        ("2.6x^1.6", "2.6x^1.61", "x**(13/5)"),
        ("17/6 x^(11/6)", "17/6 x^(12/6)", "x**(17/6)"),
        ("-3/7*x^(-10/7)", "-3/7*x^(-9/7)", "x**(-3/7)"),
        ("0.0625*x^(-15/16)", "0.0625*x^(-14/16)", "x**(1/16)"),
        ("pi*x^(pi-1)*2^(1/3)", "pi*x^(pi-1)*2^(1/4)", "2**(1/3)*x**pi"),
    ],
)
def test_fractional_exponents_are_compared_to_the_last(answer, wrong, of):
    assert sg.grade(answer, of=of, wrt="x").right
    assert not sg.grade(wrong, of=of, wrt="x").right


def test_by_several_names_the_grade_is_of_the_entry_that_is_wrong():
    of = "x**3*y**2"
    assert sg.grade("6*x**2*y", of=of, wrt=["x", "y"], order=2).right
    assert not sg.grade("6*x*y**2", of=of, wrt=["x", "y"], order=2).right
    assert sg.grade("[[6*x*y**2, 6*x**2*y], [6*x**2*y, 2*x**3]]", of=of, wrt=["x", "y"], order=2).right
    wrong = sg.grade("[[6*x*y**2, 6*x**2*y], [6*x**2*y, 3*x**3]]", of=of, wrt=["x", "y"], order=2)
    assert wrong.hint.startswith("With respect to y and y: ")
    assert wrong.place == (34, 35)
    swapped = sg.grade("[2*x**3*y, 3*x**2*y**2]", of=of, wrt=["x", "y"])
    assert swapped.hint.startswith("With respect to x: This is the derivative with respect to y")
    right = [sg.grade(a, of="x**5", wrt="x", order=k).right for a, k in (("60x^2", 3), ("120x", 4), ("120x", 3))]
    assert right == [True, True, False]


def test_the_letter_e_of_an_identity_is_not_eulers_number():
    assert "The identity is written I" in sg.grade("2*E*x", of="x@x", wrt="x", shapes={"x": "n"}).hint
    assert sg.grade("2*E*x", of="E*x**2", wrt="x").right


# ------------------------------------------------------------------ what is said of a slip, word for word
SQUARED = "Check the sign within the derivative of "
APART = "Do not differentiate the numerator and the denominator separately."
SAID = [  # answer, problem, what the hint begins with
    ("2(1 - tan(2x)^2)", "tan(2*x)", SQUARED),
    ("2(1 + tanh(2x)^2)", "tanh(2*x)", SQUARED),
    ("2/(1 - 4x^2)", "atan(2*x)", SQUARED),
    ("2/(1 + 4x^2)", "atanh(2*x)", SQUARED),
    ("2/sqrt(1 + 4x^2)", "asin(2*x)", SQUARED),
    ("-2/sqrt(1 + 4x^2)", "acos(2*x)", SQUARED),
    ("1/sqrt(1 - x^2)", "asinh(x)", SQUARED),
    ("3/sqrt(1 - 9x^2)", "asinh(3*x)", "At x = 2 the answer has no value"),  # at most points it has none
    ("(x^2*cos(x) - 2x*sin(x))/(2x)^2", "sin(x)/x**2", APART),
    ("-2x*sin(x)/x^4", "sin(x)/x**2", APART),
    ("cos(x)/x^2", "sin(x)/x**2", APART),
    ("cos(x^2) + 2x", "sin(x**2)", "The inner derivative of sin(x^2) is a factor, and not a term."),
    ("2x + 25cos(x)", "x**2 + 5*sin(x)", "The constant factor 5 stays as it is in the derivative of 5*sin(x)."),
    ("6x^3*(x^3 + 1)^2", "(x**3 + 1)**2", "The power rule for (x^3 + 1)^2"),  # within each other, both times
    ("cos(2x) + cos(3x)", "sin(2*x) + sin(3*x)", "The inner function 2*x"),  # beside each other
    ("3*x/10**8", "x**2/10**8", "The answer is a constant times"),  # small numbers do not agree because they are small
    ("0.1*x", "0.085*x**2", "The answer is a constant times"),  # 0.17 is not rounded to 0.1
]


@pytest.mark.parametrize(("answer", "of", "said"), SAID)
def test_a_slip_is_told_by_its_own_words(answer, of, said):
    found = sg.grade(answer, of=of, wrt="x")
    assert not found.right
    assert found.hint.startswith(said)


def test_a_second_derivative_has_slips_of_the_first_one_as_it_is_printed():
    """The derivative of x²eˣ prints as x(x + 2)eˣ; 1 · 1 · eˣ is the product of its factors' derivatives."""
    assert sg.grade("exp(x)", of="x**2*exp(x)", wrt="x", order=2).slip == "product"


A_x = {"A": ("n", "d"), "x": "d", "b": "n"}
SAID_OF_ARRAYS = [
    ("4*X.T @ (X @ w - y)", LEAST_SQUARES, "factor-2", "The square (X @ w - y)^2 brings one factor 2 down."),
    ("4*X.T @ X @ w - 2*X.T @ y", LEAST_SQUARES, "factor-2", "Check the factor 2 at 4*X.T @ X @ w"),
    ("2*x - 2*b", {"of": "sum((x + b)**2)", "wrt": "x", "shapes": {"x": "n", "b": "n"}}, "sign", "of 2*b."),
    ("-2*x - 2*b", {"of": "sum((b - x)**2)", "wrt": "x", "shapes": {"x": "n", "b": "n"}}, "sign", "of -2*x."),
    ("A.T @ ones(d)", {"of": "sum(A @ x)", "wrt": "x", "shapes": A_x}, "transpose", "right if all sizes were equal."),
    (
        "6*A.T @ (A @ x - b)**3",
        {"of": "sum((A @ x - b)**3)", "wrt": "x", "shapes": A_x},
        "power",
        "Also: There is a factor 2 too many.",
    ),
    ("sum(t*x)/norm(t*x)", {"of": "norm(t*x)", "wrt": "t", "shapes": {"x": "n"}}, "chain", "multiply by it."),
]


@pytest.mark.parametrize(("answer", "problem", "slip", "said"), SAID_OF_ARRAYS, ids=[row[0] for row in SAID_OF_ARRAYS])
def test_a_slip_of_arrays_is_told_by_its_own_words(answer, problem, slip, said):
    found = sg.grade(answer, **problem)
    assert (found.right, found.slip) == (False, slip)
    assert said in found.hint


def test_an_answer_must_be_right_for_all_sizes():
    """With n = 3, two thirds would be 2/n; and 1 is no matrix of ones, of whatever shape."""
    mean = {**LEAST_SQUARES, "of": "mean((X @ w - y)**2)"}
    assert "written @" in sg.grade("2/n*X.T*(X @ w - y)", **mean).hint
    assert "written @" not in sg.grade("2/3*X.T*(X @ w - y)", **mean).hint
    found = sg.grade("1", of="sum(A*B)", wrt="A", shapes={"A": ("n", "m"), "B": ("n", "m")})
    assert found.hint.startswith("The shape cannot be right")


@pytest.mark.parametrize(
    ("answer", "of", "wrt", "shapes"),
    [
        ("0", "y @ y", "x", {"x": "n", "y": "n"}),
        ("x @ x.T", "t*(x @ x)", "t", {"x": "n"}),  # of vectors, in Python
        ("softmax(A)", "sum(logsumexp(A, 1))", "A", {"A": ("n", "m")}),
        ("I_n X I_d", "sum(X*X)/2", "X", {"X": ("n", "d")}),
        ("softmax(x) - y", "-y @ log_softmax(x, 0)", "x", {"x": "n", "y": sg.symbol("y", "n", onehot=True)}),
        ("softmax(x) - y", "-y @ log_softmax(x, 0)", "x", {"x": "n", "y": sg.symbol("y", "n", simplex=True)}),
        ("2*p", "p*abs(p)", "p", {"p": sg.symbol("p", positive=True)}),
        ("inv(X)", "logdet(X)", "X", {"X": sg.symbol("X", ("n", "n"), symmetric=True)}),
    ],
)
def test_an_answer_is_right_as_far_as_the_problems_names_reach(answer, of, wrt, shapes):
    assert sg.grade(answer, of=of, wrt=wrt, shapes=shapes).right
    assert answer == "0" or not sg.grade(f"1.001*({answer})", of=of, wrt=wrt, shapes=shapes).right


def test_a_power_of_a_matrix_is_the_one_that_is_written():
    written = {"X**3": "X @ X @ X", "X**-2": "inv(X) @ inv(X)", "X**6": " @ ".join("XXXXXX"), "X**7": "X^7"}
    for power, product in written.items():
        assert text(with_powers_of_matrices(read(power).tree, {"X": 2})) == product


def test_a_constant_of_integration_is_said_of_arrays_too():
    found = sg.grade("2Xᵀ(Xw - y) + C", **LEAST_SQUARES)
    assert (found.right, found.hint) == (True, "Right. A derivative has no constant + C.")


def test_cases_are_compared_on_both_sides_of_zero():
    found = sg.grade("where(x > -12345, 2*x, 5)", of="x**2", wrt="x")
    assert (found.right, found.at.point["x"] < -12345) == (False, True)


def test_a_row_that_is_too_short_is_no_row_of_second_derivatives():
    with pytest.raises(ArgumentError, match="requires a matrix of answers"):
        sg.grade("[[6*x*y**2, 6*x**2*y], [6*x**2*y]]", of="x**3*y**2", wrt=["x", "y"], order=2)


def test_of_several_right_answers_the_one_that_is_not_simplified_is_told():
    found = sg.grade("[2*y*x, x*x + 0]", of="x**2*y", wrt=["x", "y"])
    assert (found.right, found.simplified) == (True, False)
    assert found.hint.startswith("With respect to y: Right. It can be simplified: a term of x*x + 0 is 0.")


@pytest.mark.parametrize(
    ("answer", "of", "undone"),
    [
        ("--2*x", "x**2", "--2 has two signs"),
        ("4*x/2", "x**2", "the numbers in 4*x/2 can be divided"),
        ("x^0", "x", "x^0 is 1"),
        ("2*x^1", "x**2", "x^1 is x"),
    ],
)
def test_what_is_left_to_do_is_said(answer, of, undone):
    found = sg.grade(answer, of=of, wrt="x")
    assert (found.right, found.simplified) == (True, False)
    assert found.hint == f"Right. It can be simplified: {undone}."


def test_terms_that_are_not_alike_and_a_sign_more_are_simple_enough():
    assert sg.grade("x*y/z + x/(y*z)", of="x*y*t/z + x*t/(y*z)", wrt="t").simplified
    assert sg.grade("+2*x", of="x**2", wrt="x").simplified
    longer = "x*((x^2 + 1)^2)^2*((x^3 + 2)^2)^3*(31*x^3 + 21*x + 20)"  # than the shortest, by less than a fifth
    assert sg.grade(longer, of="(x**2 + 1)**5*(x**3 + 2)**7", wrt="x").simplified


def test_rewriting_proves_powers_up_to_the_twelfth():
    assert sg.grade("12*x^11", of="x**12", wrt="x").proof == "rewriting"
    assert sg.grade("14*x^13", of="x**14", wrt="x").proof == "values"


@pytest.mark.parametrize("text", ["7 - 3*2", "-(3 - 5)/4 + 1", "2/3 - 0.25"])
def test_a_tree_of_numbers_stands_for_their_value(text):
    assert value_of(read(text).tree) == Fraction(sp.Rational(sp.sympify(text, rational=True)))


@pytest.mark.parametrize(
    "f", ["x**2*(1 + x)**3", "(1 + 2*x)/(1 + x**2)", "1/x**3", "x**x", "2**(3*x)", "(x - 3)**4 - x/7"]
)
def test_grading_differentiates_by_the_rules_of_lessons(f):
    right = Derivative("x", None).right(read(f).tree)
    function, answer = (sg.parse(formula, {"x": ()}, syntax="paper") for formula in (f, text(right)))
    assert np.isclose(answer(1.3).numpy(), sg.grad(lambda x: function(x))(1.3))
    assert sg.grade(text(right), f, "x").right
