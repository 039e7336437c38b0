"""``sg.grade`` of vectors, chains of equations, tangents and extrema, and partial credit."""

import json

import pytest

import symgrad as sg
from symgrad.errors import ArgumentError, ParseError
from symgrad.web.jobs import answered

VECTORS = [
    "(2x, 2y)", "(2x, 2y)^T", "∇f = (2x, 2y)", r"\nabla f = (2x, 2y)^{\top}", "<2x, 2y>", "⟨2x, 2y⟩", "[2x; 2y]",
    "2x, 2y",
    "2x i + 2y j", "2y j + 2x i", r"2x \mathbf{i} + 2y \mathbf{j}", r"2x\hat{i} + 2y\hat{j}", "2xî + 2yĵ",
    "2x*e_x + 2y*e_y",
    r"2x\,\vec{e}_1 + 2y\,\vec{e}_2", "f_x = 2x, f_y = 2y", "∂f/∂y = 2y, ∂f/∂x = 2x", "fx = 2x and fy = 2y",
    "df = 2x dx + 2y dy", r"\langle 2x, 2y \rangle", r"\left(2x, 2y\right)", r"\begin{bmatrix}2x\\2y\end{bmatrix}",
    r"\nabla f = \begin{pmatrix}2x & 2y\end{pmatrix}^T", "[[2x], [2y]]", "(2x,2y)'",
    "2(x i + y j)", "-(-2x) i + 2y j", r"2x\hat{\imath} + 2y\hat{\jmath}", r"2x\mathbf{e}_x + 2y\mathbf{e}_y",
    "(2x)î + (2y)ĵ",
]  # fmt: skip


@pytest.mark.parametrize("answer", VECTORS)
def test_a_gradient_is_read_in_every_spelling(answer):
    assert sg.grade(answer, of="x**2 + y**2", wrt=["x", "y"]).right


@pytest.mark.parametrize("answer", ["2x i + 3y j", "(2x, 3y)", "<2x, 3y>^T", "f_x = 2x, f_y = 3y"])
def test_a_wrong_component_is_named_and_the_other_counts(answer):
    grade = sg.grade(answer, of="x**2 + y**2", wrt=["x", "y"])
    assert (grade.right, grade.slip, grade.credit) == (False, "constant", 0.5)
    assert grade.hint.startswith("With respect to y: ")
    assert answer[slice(*grade.place)] == "3"


def test_letters_of_the_problem_are_no_unit_vectors():
    assert sg.grade("(j, i)", of="i*j", wrt=["i", "j"]).right
    assert sg.grade("y*z i + x*z j + x*y k", of="x*y*z", wrt=["x", "y", "z"]).right
    assert sg.grade("2x i", of="x**2 + 3", wrt=["x", "y"]).right


FIELDS = [
    "(x*y, y**2)", "[x*y; y^2]", "<x y, y²>", "⟨x y, y²⟩", "x y i + y² j", r"\begin{pmatrix}x y\\y^2\end{pmatrix}",
    "F(x, y) = (x y, y^2)", "x y e_x + y^2 e_y", r"x y\,\hat{i} + y^2\,\hat{j}", "[x y, y^2]^T", "-(-x y) i + y*y j",
    "(x i + y j) y",
]  # fmt: skip


@pytest.mark.parametrize("field", FIELDS)
def test_a_field_is_read_in_every_spelling_wherever_formulas_are(field):
    assert str(sg.derive(field, "x")) == "[y, 0]"
    assert sg.divergence(field).formula == "3y"
    assert sg.grade("(y, 0)", of=field, wrt="x").right
    assert sg.grade("y i", of=field, wrt="x").right
    assert not sg.grade("y j", of=field, wrt="x").right
    look = json.loads(answered(json.dumps({"job": "look", "exercise": {"formula": field}}).encode()))
    assert (look["shape"], [*look["names"]]) == (["2"], ["x", "y"])


def test_what_is_a_vector_is_told_by_its_letters():
    assert sg.divergence("x*i + y*j").formula == "2"  # of a field products may have signs
    assert str(sg.derive("x*i + y*j", "x")) == "i"
    assert sg.curl("x*y i + z j").formula == "[−1, 0, −x]"  # z says that there are three coordinates
    assert str(sg.derive("2x i + y", "x")) == "2*i"
    with pytest.raises(ParseError, match="read in two ways; write a @ b"):
        sg.derive("⟨x, y⟩", "x", shapes={"x": "n", "y": "n"})
    with pytest.raises(ParseError, match="never closed"):
        sg.derive("<x, y", "x")
    with pytest.raises(ParseError, match="rows of a matrix have one length"):
        sg.derive("[x, y; 1]", "x")


def test_rows_are_those_of_second_derivatives():
    for answer in ("[2, 1; 1, 0]", r"\begin{pmatrix} 2 & 1 \\ 1 & 0\end{pmatrix}", "[[2, 1], [1, 0]]"):
        assert sg.grade(answer, of="x**2 + x*y", wrt=["x", "y"], order=2).right


@pytest.mark.parametrize(
    ("answer", "wrong"),
    [
        ("2x sin x + x² cos x = 2x + cos x", "2x + cos x"),
        ("f'(x) = 2x sin x + x² cos x = x(2 sin x + cos x)", None),
    ],
)
def test_a_chain_of_equations_is_wrong_from_its_first_wrong_side(answer, wrong):
    grade = sg.grade(answer, of="x**2*sin(x)", wrt="x")
    assert not grade.right
    assert grade.hint.startswith("Right up to 2x sin x + x² cos x; the step to ")
    assert grade.credit == 0.5
    assert [answer[slice(*p)].strip() for p in grade.right_parts] == ["2x sin x + x² cos x"]
    assert wrong is None or answer[slice(*grade.place)] == wrong


def test_a_chain_of_equal_sides_is_right_and_the_first_side_is_graded_as_an_answer():
    right = sg.grade("f'(x) = 2x sin x + x² cos x = x(2 sin x + x cos x)", of="x**2*sin(x)", wrt="x")
    assert (right.right, right.credit) == (True, 1.0)
    assert sg.grade("2x cos x = cos x * 2x", of="x**2*sin(x)", wrt="x").slip == "product"
    shapes = {"X": ("n", "d"), "w": "d", "y": "n"}
    assert sg.grade("2X'(Xw - y) = 2X'Xw - 2X'y", of="sum((X @ w - y)**2)", wrt="w", shapes=shapes).right


@pytest.mark.parametrize(
    ("answer", "of", "credit", "parts"),
    [
        ("2x sin x + x² sin x", "x**2*sin(x)", 0.5, ["2x sin x"]),
        ("3(x^2+1)^2", "(x**2 + 1)**3", 0.5, ["(x^2+1)^2"]),
        ("6x - 4", "3*x**2 - 5*x + 1", 0.5, ["6x"]),
        ("4x^3 + 2x + 7", "x**4 - x**2 + 7*x + 1", 2 / 3, ["4x^3", "7"]),
    ],
)
def test_partial_credit_is_the_share_of_the_derivative(answer, of, credit, parts):
    grade = sg.grade(answer, of=of, wrt="x")
    assert not grade.right
    assert grade.credit == pytest.approx(credit)
    assert [answer[slice(*p)] for p in grade.right_parts] == parts


@pytest.mark.parametrize(
    ("answer", "of", "slip"),
    [
        ("1/(x log(log(x)))", "log(log(x))", "chain"),
        ("1/log(log(x))", "log(log(x))", "chain"),
        ("sin(3x)", "cos(3*x)", "chain"),
        ("2cos(3x)sin(3x)", "cos(3*x)**2", "chain"),
        ("e^x sin x + x e^x sin x + x cos x", "x*exp(x)*sin(x)", "product"),
        ("sin x + x e^x sin x + x e^x cos x", "x*exp(x)*sin(x)", "product"),
    ],
)
def test_slips_of_logarithms_of_signs_beside_others_and_of_three_factors(answer, of, slip):
    assert sg.grade(answer, of=of, wrt="x").slip == slip


@pytest.mark.parametrize("answer", ["y = 6x - 9", "6x - 9", "6x - y = 9", "y - 9 = 6(x - 3)", "T(x) = 6x - 9"])
def test_a_tangent_is_right_in_every_form(answer):
    assert sg.grade(answer, of="x**2", wrt="x", ask="tangent", at=3).right


@pytest.mark.parametrize(
    ("answer", "slip", "credit", "hint"),
    [
        ("6", "other", 0, "the slope alone"),
        ("y = 9 + 6x", "constant", 0, "write x - a"),
        ("y = 6x", "constant", 0, "through the origin"),
        ("y = 9 + 2x(x - 3)", "other", 0, "put x = 3 into the derivative"),
        ("y = -x/6 + 19/2", "quotient", 0, "This is the normal"),
        ("y = 6x - 8", "constant", 0.5, "The slope is right"),
        ("y = 5x - 6", "other", 0.5, "through the point"),
    ],
)
def test_what_is_wrong_about_a_tangent(answer, slip, credit, hint):
    grade = sg.grade(answer, of="x**2", wrt="x", ask="tangent", at=3)
    assert (grade.right, grade.slip, grade.credit) == (False, slip, credit)
    assert hint in grade.hint


@pytest.mark.parametrize(
    "answer",
    [
        "max at x = -1, min at x = 1", "maximum (-1, 2), minimum (1, -2)", "max at -1, min at 1",
        "max: (-1|2), min: (1|-2)",
        "(-1, 2) is a local maximum and (1, -2) is a local minimum",
        "f(-1) = 2 is a local max and f(1) = -2 is a local min",
    ],
)  # fmt: skip
def test_extrema_are_read_as_pupils_state_them(answer):
    assert sg.grade(answer, of="x**3 - 3*x", wrt="x", ask="extrema").right


@pytest.mark.parametrize(
    ("answer", "slip", "credit"),
    [
        ("min at x = -1, max at x = 1", "sign", 0),
        ("maximum at x = -1", "other", 0.5),
        ("min (1, 2), max (-1, 2)", "other", 0.5),
        ("max at x = -1, min at x = 1, min at x = 0", "other", 2 / 3),
        ("none", "other", 0),
    ],
)
def test_what_is_wrong_about_extrema(answer, slip, credit):
    grade = sg.grade(answer, of="x**3 - 3*x", wrt="x", ask="extrema")
    assert (grade.right, grade.slip, grade.credit) == (False, slip, pytest.approx(credit))


def test_extrema_may_be_rounded_where_they_are_not_rational_and_there_may_be_none():
    for answer in ("minimum at x = 0.9086", "minimum at x = (3/4)^(1/3)"):
        assert sg.grade(answer, of="x**4 - 3*x + 1", wrt="x", ask="extrema").right
    assert sg.grade("none", of="x**3", wrt="x", ask="extrema").right


def test_questions_that_are_none_are_refused():
    with pytest.raises(ArgumentError, match="ask='slope'"):
        sg.grade("2", of="x**2", wrt="x", ask="slope")
    with pytest.raises(ArgumentError, match="at= for a tangent"):
        sg.grade("2", of="x**2", wrt="x", at=1)
    with pytest.raises(ArgumentError, match="one name as text"):
        sg.grade("2", of="x**2", wrt=["x"], ask="extrema")
    with pytest.raises(ParseError, match="expected extrema"):
        sg.grade("two", of="x**2", wrt="x", ask="extrema")
    with pytest.raises(ParseError, match="one equation of a line"):
        sg.grade("y = x = 2", of="x**2", wrt="x", ask="tangent", at=1)
    with pytest.raises(ParseError, match="the answer has z"):
        sg.grade("z = 3", of="x**2", wrt="x", ask="tangent", at=1)


@pytest.mark.parametrize(
    ("answer", "right"),
    [("[2x 2y]", True), ("∇f = [2x 2y]^T", True), ("[2x -2y]", False), ("[2x + 2y]", False), ("[2x 3y]", False)],
)
def test_blanks_between_entries_in_square_brackets_make_a_vector(answer, right):
    assert sg.grade(answer, of="x**2 + y**2", wrt=["x", "y"]).right is right
