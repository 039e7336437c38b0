"""Implicit curves: their lessons, and answers about them."""

import pickle

import pytest

import symgrad as sg
from symgrad.teach import lesson

CIRCLE = "x**2 + y**2 = 25"


def test_both_sides_are_differentiated_and_solved():
    e = sg.explain(CIRCLE, "y", "x", order=2)
    text = str(e)
    for line in ("2x + 2y·y′ = 0", "2y·y′ = −2x", "y′ = −x/y", "= −25/y³"):
        assert line in text
    rules = {lesson.DifferentiateBothSides, lesson.SolveForSlope, lesson.UseEquation, lesson.ClearFractions}
    assert {type(s) for s in e.steps} == rules
    assert e.form.expr.free_symbols == sg.derive(CIRCLE, "y", "x", order=2).expr.free_symbols
    assert str(pickle.loads(pickle.dumps(e))) == text


def test_lessons_of_curves_end_in_what_derive_prints():
    for equation in ("x^3 + y^3 = 6x*y", "x = cos(t), y = sin(t)", "r = 1 + cos(θ)", "x = y + exp(y)"):
        e = sg.explain(equation, "y", "x")
        assert str(e.form) == str(sg.derive(equation, "y", "x"))
        assert e.latex()
        assert e.html()
        assert e.data()


@pytest.mark.parametrize(
    ("equation", "condition"),
    [
        ("sqrt(x) + sqrt(y) = 4", "x > 0, y > 0"),
        ("x**(2/3) + y**(2/3) = 1", "x ≠ 0, y ≠ 0"),
        ("log(x*y) = x", "x·y > 0"),
        ("abs(x) + abs(y) = 1", "x ≠ 0, y ≠ 0"),
        ("x**2 + y**2 = 25", ""),
    ],
)
def test_an_equation_says_where_it_is_differentiated(equation, condition):
    text = str(sg.explain(equation, "y", "x"))
    assert text.splitlines()[0].partition("   ")[2].strip() == condition
    assert "solve for y′, where x is not 0" not in text or condition == "x·y > 0"


def test_an_explicit_function_is_differentiated_as_one():
    assert str(sg.explain("y = x**2*sin(x)", "y", "x")) == str(sg.explain("x**2*sin(x)", "x"))


RIGHT = [
    ("-x/y", CIRCLE, "x", 1),
    ("y' = -2x/(2y)", CIRCLE, "x", 1),
    ("-x/sqrt(25 - x^2)", CIRCLE, "x", 1),
    ("-(25 - y^2)/(x*y)", CIRCLE, "x", 1),
    ("-(x^2 + y^2)/y^3", CIRCLE, ("y", "x"), 2),
    ("(2y - x^2)/(y^2 - 2x)", "x^3 + y^3 = 6xy", "x", 1),
    ("-cot(t)", "x = cos(t), y = sin(t)", "x", 1),
    ("-x/y", "x = cos(t), y = sin(t)", "x", 1),
    ("1/(2y)", "x = y**2", "x", 1),
    ("2x", "y = x**2", "x", 1),
]
WRONG = [
    ("x/y", CIRCLE, "sign"),
    ("-y/x", CIRCLE, "quotient"),
    ("(25 - 2x)/(2y)", CIRCLE, "constant"),
    ("-x^2/(y^2 - 2x)", "x^3 + y^3 = 6xy", "product"),
    ("-2x", CIRCLE, "other"),
    ("-x/z", CIRCLE, "other"),
]


@pytest.mark.parametrize(("answer", "of", "wrt", "order"), RIGHT)
def test_answers_may_use_the_equation(answer, of, wrt, order):
    assert sg.grade(answer, of=of, wrt=wrt, order=order).right


@pytest.mark.parametrize(("answer", "of", "slip"), WRONG)
def test_slips_of_implicit_differentiation_are_named(answer, of, slip):
    graded = sg.grade(answer, of=of, wrt="x")
    assert not graded.right
    assert graded.slip == slip


def test_an_answer_on_one_branch_is_right_there():
    assert "y > 0" in sg.grade("-x/sqrt(25 - x^2)", of=CIRCLE, wrt="x").hint
    assert "y < 0" in sg.grade("x/sqrt(25 - x^2)", of=CIRCLE, wrt="x").hint


def test_derivatives_of_a_parametric_curve_are_in_the_parameter_alone():
    e = sg.explain("x = 3*t - t**3, y = 3*t**2", "y", "x", order=2)
    assert "= 2t/(1 − t²)" in str(e)
    assert "dy′/dt = (2·(1 − t²) − 2t·(−2t))/(1 − t²)²" in str(e)
    assert "y″ = (2t² + 2)/((1 − t²)²·(3 − 3t²))" in str(e)
    assert str(e).endswith("= 2·(t² + 1)/(3·(1 − t²)³)")
    assert {s.name for s in e.form.expr.free_symbols} == {"t"}


@pytest.mark.parametrize(("equation", "rule"), [(CIRCLE, " (quotient rule)"), ("x = y + exp(y)", "")])
def test_the_second_derivative_of_a_curve_names_its_rule(equation, rule):
    assert f" once more{rule}:" in str(sg.explain(equation, "y", "x", order=2))


def test_only_what_is_used_is_mentioned():
    text = str(sg.explain("sqrt(x) + sqrt(y) = 4", "y", "x", order=2))
    assert "x > 0, y > 0" in text  # which both sides are divided by
    assert "solve for y′:" in text
    assert "solve for y′:" in str(sg.explain("y**5 + y = x**2", "y", "x"))  # 5y⁴ + 1 is never 0
    assert "√a·√b = √(a·b):\n     = (√x + √y)/(2x^(3/2))\n  use the equation √x + √y = 4:\n     = 2/x^(3/2)" in text
    assert "= −(x² + y²)/y³\n  use the equation x² + y² = 25:\n" in str(sg.explain(CIRCLE, "y", "x", order=2))
    assert "= −(x² − y²)/y³\n  use the equation x² − y² = 9:" in str(sg.explain("x**2 - y**2 = 9", "y", "x", order=2))
    assert "use the equation" not in str(sg.explain("exp(y) = x*y", "y", "x", order=2))


def test_each_step_along_a_parameter_has_its_reason():
    cycloid = str(sg.explain("x = t - sin(t), y = 1 - cos(t)", "y", "x", order=2))
    assert "sin² + cos² = 1:\n         = (cos(t) − 1)/(1 − cos(t))²\n  cancel cos(t) − 1:" in cycloid
    assert "divide by dx/dt = 1 − cos(t):" in cycloid
    spiral = str(sg.explain("x = exp(t)*cos(t), y = exp(t)*sin(t)", "y", "x"))
    assert "cancel exp(t):\n        = (sin(t) + cos(t))/(cos(t) − sin(t))" in spiral
    decay = str(sg.explain("x = t**2, y = exp(-t)", "y", "x", order=2))
    assert decay.endswith("divide by dx/dt = 2t:\n  y″ = exp(−t)·(t + 1)/(4t³)")
    assert "4θ" not in str(sg.explain("r = 2*sin(3*θ)", "y", "x"))


def test_no_line_of_a_lesson_ends_within_a_name():
    text = str(sg.explain("r = 2*sin(3*θ)", "y", "x"))
    assert "cos(θ) −\n          2·sin(3θ)·sin(θ))" in text
    assert max(map(len, text.splitlines())) <= 80


@pytest.mark.parametrize(
    ("equation", "step"),
    [
        ("r = 4*sin(3*θ)", "cancel 4:"),
        ("x**3 + y**3 = 6*x*y", "where 2x − y² is not 0:\n  3·y′·(2x − y²) = 3·(x² − 2y)\n  y′ = (x² − 2y)/(2x − y²)"),
        ("x**2/a**2 + y**2/b**2 = 1", "solve for y′, where y is not 0:"),
        ("r = cos(2*θ)", "double angle cos(2θ) = 2·cos²(θ) − 1, sin(2θ) = 2·sin(θ)·cos(θ):"),
        ("r = cos(2*θ)", "sin² + cos² = 1, factor:"),
        ("r = sin(2*θ)", "tan = sin/cos, sin² + cos² = 1, factor:"),
        (
            "r = 1 + cos(θ)",
            "  expand:\n        = (cos(θ) + cos²(θ) − sin²(θ))/(−sin(θ) − 2·cos(θ)·sin(θ))\n  double angle:",
        ),
        ("r = 1 + cos(θ)", "r = 1 + cos(θ)\n  with x = r·cos(θ) and y = r·sin(θ):\nx = (1 + cos(θ))·cos(θ)"),
        ("r = exp(θ/2)", "cancel exp(θ/2)/2:\n        = (sin(θ) + 2·cos(θ))/(cos(θ) − 2·sin(θ))"),
        ("x = t + 1/t, y = t - 1/t", "clear the inner fractions:\n        = (t² + 1)/(t² − 1)"),
        ("x = a*cos(t)**3, y = a*sin(t)**3", "3a·sin²(t)·cos(t)/(−3a·cos²(t)·sin(t))\n        = −a·sin²(t)·cos(t)/"),
        ("x = t**2, y = t**3", "dy/dx = (dy/dt)/(dx/dt) ="),
    ],
)
def test_steps_of_curves_say_what_is_done(equation, step):
    text = str(sg.explain(equation, "y", "x"))
    assert step in text
    assert "simplify:" not in text
