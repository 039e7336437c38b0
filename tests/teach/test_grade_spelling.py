"""``sg.grade`` reads answers as pupils write them, and marks the place where one is no formula."""

import mpmath
import pytest

import symgrad as sg
from symgrad.errors import ParseError
from symgrad.expression.printer import typed as text
from symgrad.teach.answers.problem import Problem


@pytest.mark.parametrize(
    ("answer", "of"),
    [
        ("Cos[x]", "sin(x)"),
        ("COS(x)", "sin(x)"),
        (
            r"\operatorname{erf}^{-1}\left(x\right) + x e^{\left(\operatorname{erf}^{-1}(x)\right)^{2}}\sqrt{\pi}/2",
            "x*erfinv(x)",
        ),
        ("(x − μ)/σ²", "(x − μ)²/(2σ²)"),
        ("A ω cos(ω x + φ)", "A sin(ω x + φ)"),
        ("np.cos(x)", "sin(x)"),
        ("2*math.pi*x", "pi*x**2"),
        ("numpy.exp(x)*(np.sin(x) + np.cos(x))", "exp(x)*sin(x)"),
        ("2[x + 1]", "(x + 1)**2"),
        ("2•x", "x**2"),
        ("z**x*(2*x**2/z + log(z)) where z = x**2 + 6", "(x**2 + 6)**x"),
        ("2u cos(v) where u = x + 1, v = u**2", "sin((x + 1)**2)"),
        ("２ｘ", "x**2"),
        ("2x = y'", "x**2"),
        ("log_2 x + 1/ln 2", "x*log(x)/log(2)"),
        ("(1 if x > 0 else -1)", "abs(x)"),
        ("2x(1 if x > 0 else -1)", "x*abs(x)"),
        ("x > 0 ? 1 : -1", "abs(x)"),
        ("{1, x > 0; -1, x < 0}", "abs(x)"),
        ("1 for x > 0, -1 for x < 0", "abs(x)"),
        ("1 when x > 0 and -1 when x < 0", "abs(x)"),
        ("{cos(x) if 0 < x < 3; max(x, 2*x)/x otherwise}", "where(x > 0, where(x < 3, sin(x), x*2), x)"),
        ("{1 if x > 3; 2x if x > 1; 5 otherwise}", "where(x > 3, x, where(x > 1, x**2, 5*x))"),
        ("x + x = 2x = y'", "x**2"),
        ("tanh^-1 x + x/(1 - x^2)", "x*atanh(x)"),
        ("log(x, 10) + 1/log(10)", "x*log(x)/log(10)"),
        (r"\begin{cases} 1 & \text{for } x > 0 \\ -1 & \text{otherwise} \end{cases}", "abs(x)"),
        (r"\begin{cases} 2x & x \geq 1 \\ 2 & x < 1 \end{cases}", "where(x >= 1, x**2, 2*x)"),
    ],
)
def test_a_pupils_spelling_is_understood(answer, of):
    assert sg.grade(answer, of=of, wrt="x").right


@pytest.mark.parametrize(
    ("answer", "place", "said"),
    [
        ("x + cos", "cos", "cos is a function: write its argument, as in cos(x)"),
        ("2(x + 1", "(x", "never closed"),
        ("2x + 1)", ")", "closes none"),
        ("2[x + 1)", ")", "[ is closed by ], and not by )"),
        ("1 ± x", "±", "write one for each case"),
        ("2,5x", ",", "decimals with a point"),
        ("2x, 3x", ",", "one formula"),
        ("2x or 3x", "or", "one answer, not two"),
        ("x² + 3·", "·", "missing behind ·"),
        ("* 2x", "*", "missing before *"),
        ("x!", "!", "factorial"),
        ("2x `", "`", "has no meaning"),
        ("2x'", "'", "no dash"),
        ("x + foo(x)", "foo", "foo is not a function"),
    ],
)
def test_what_is_no_formula_is_marked_in_the_pupils_own_text(answer, place, said):
    with pytest.raises(ParseError) as caught:
        sg.grade(answer, of="x**2", wrt="x")
    message, text, mark = str(caught.value).split("\n")
    assert said in message
    assert text.strip() == answer
    assert text[mark.index("^") :].startswith(place)


def test_names_of_functions_that_pupils_use_have_their_values():
    def inverse(f):
        return lambda x: f(1 / x)

    values = {
        "tg": mpmath.tan, "ctg": mpmath.cot, "cotg": mpmath.cot, "cotan": mpmath.cot, "cosec": mpmath.csc,
        "sen": mpmath.sin, "arctg": mpmath.atan, "arcctg": inverse(mpmath.atan), "arccot": inverse(mpmath.atan),
        "arcsec": inverse(mpmath.acos), "arccsc": inverse(mpmath.asin), "arctan": mpmath.atan, "sh": mpmath.sinh,
        "ch": mpmath.cosh, "th": mpmath.tanh, "cth": mpmath.coth, "arsinh": mpmath.asinh, "arcosh": mpmath.acosh,
        "arcsinh": mpmath.asinh, "arccosh": mpmath.acosh, "ln": mpmath.log, "lg": mpmath.log10,
        "lb": lambda x: mpmath.log(x, 2), "sgn": mpmath.sign, "Abs": abs, "absolute": abs,
    }  # fmt: skip
    for name, f in values.items():
        formula = text(Problem(f"{name}(x)", ["x"], {}).tree)
        assert float(sg.parse(formula, {"x": ()})(1.7)) == pytest.approx(float(f(1.7)), rel=1e-14), name
    for name, f in {
        "arcsin": mpmath.asin,
        "arccos": mpmath.acos,
        "artanh": mpmath.atanh,
        "arctanh": mpmath.atanh,
    }.items():
        formula = text(Problem(f"{name}(x)", ["x"], {}).tree)
        assert float(sg.parse(formula, {"x": ()})(0.3)) == pytest.approx(float(f(0.3)), rel=1e-14), name


def test_what_is_no_formula_is_marked_behind_the_spaces_before_it():
    with pytest.raises(ParseError, match="missing before") as caught:
        sg.grade("   * 2x", of="x**2", wrt="x")
    assert caught.value.place == (3, 4)


def test_a_comma_is_a_point_of_numbers_and_makes_a_pair_of_arrays():
    with pytest.raises(ParseError, match="Write decimals with a point"):
        sg.grade("(2*x, 5)", of="x*x", wrt="x")
    with pytest.raises(ParseError, match="this is a tuple"):
        sg.grade("(2*x, y)", of="x @ y", wrt="x", shapes={"x": "n", "y": "n"})


def test_an_answer_may_have_ten_thousand_signs_and_no_more():
    assert sg.grade("2x" + " " * 9_998, of="x**2", wrt="x").right
    with pytest.raises(ParseError, match="10001 characters"):
        sg.grade("2x" + " " * 9_999, of="x**2", wrt="x")


def test_brackets_that_are_there_are_not_missing():
    assert "Brackets" in sg.grade("e^2x", of="exp(2*x)/2", wrt="x").hint
    assert "Brackets" not in sg.grade("(e^2)x", of="exp(2*x)/2", wrt="x").hint


def test_an_empty_list_is_no_answer():
    with pytest.raises(ParseError, match="empty"):
        sg.grade("[]", of="x @ x", wrt="x", shapes={"x": "n"})


def test_a_differential_is_taken_off_and_said():
    found = sg.grade("dy = 2x dx", of="x**2", wrt="x")
    assert found.right
    assert found.hint == "Right. A derivative is written without dx."
    assert not sg.grade("3x dx", of="x**2", wrt="x").right
    assert not sg.grade("2x dt", of="x**2", wrt="x").right


@pytest.mark.parametrize(
    ("answer", "of", "meant"),
    [
        ("2e^2x", "exp(2*x)", "2*e^(2*x)"),
        ("1/2x^-1/2", "sqrt(x)", "1/2*x^(-1/2)"),
        ("1/x ln 10", "log(x)/log(10)", "1/(x*log(10))"),
    ],
)
def test_missing_brackets_are_written_out(answer, of, meant):
    found = sg.grade(answer, of=of, wrt="x")
    assert (found.right, found.hint) == (False, f"Brackets are missing: {meant} would be right.")


def test_a_name_with_a_number_behind_is_no_power():
    assert "x^2" in sg.grade("x2", of="x**2", wrt="x").hint


# ------------------------------------------------------------------ arrays without a size
@pytest.mark.parametrize(
    ("answer", "of", "wrt", "right"),
    [
        ("I", "trace(A)", "A", True),
        ("I_n", "trace(A)", "A", True),
        ("-2*I", "-2*trace(A)", "A", True),
        ("A'", "trace(A)", "A", False),
        ("ones/n", "mean(x)", "x", True),
        ("ones", "mean(x)", "x", False),
        ("(A + A^T + 2I) x", "x @ A @ x + x @ x", "x", True),
    ],
)
def test_identity_and_ones_take_the_size_that_fits(answer, of, wrt, right):
    shapes = {name: s for name, s in {"A": ("n", "n"), "x": "n"}.items() if name in of}
    assert sg.grade(answer, of=of, wrt=wrt, shapes=shapes).right == right


def test_names_of_the_problem_keep_their_meaning():
    assert sg.grade("I", of="trace(A @ I)", wrt="A", shapes={"A": ("n", "n"), "I": ("n", "n")}).slip == "transpose"


@pytest.mark.parametrize(
    ("answer", "of", "shapes", "write"),
    [
        ("1/n", "mean(x)", {"x": "n"}, "write 1/n*ones(n)."),
        ("1", "sum(A)", {"A": ("n", "m")}, "write ones(n, m)."),
        ("1", "trace(A)", {"A": ("n", "n")}, "write eye(n)."),
    ],
)
def test_a_number_for_every_entry_is_said_to_be_an_array(answer, of, shapes, write):
    found = sg.grade(answer, of=of, wrt=next(iter(shapes)), shapes=shapes)
    assert (found.right, found.slip) == (False, "other")
    assert found.hint.endswith(write)


# ------------------------------------------------------------------ two slips
@pytest.mark.parametrize(
    ("answer", "of", "slip", "hints"),
    [
        ("-cos(x^2)", "sin(x**2)", "chain", ("inner function x^2", "sign of the whole answer")),
        ("3x^2 + cos(x)", "x**3/3 + sin(5*x)", "chain", ("sin(5*x)", "constant 3")),
        ("2x + e^(2x)", "x**2 + 7*x + exp(2*x)", "chain", ("inner function 2*x", "The term 7*x")),
    ],
)
def test_two_slips_in_one_answer_are_both_told(answer, of, slip, hints):
    found = sg.grade(answer, of=of, wrt="x")
    assert (found.right, found.slip) == (False, slip)
    assert found.hint.startswith("There are two mistakes here.")
    assert all(hint in found.hint for hint in hints)


def test_a_transpose_and_a_factor_are_both_told():
    shapes = {"X": ("n", "d"), "w": "d", "y": "n"}
    found = sg.grade("X(Xw - y)", of="sum((X @ w - y)**2)", wrt="w", shapes=shapes)
    assert found.slip == "transpose"
    assert "transposed, at X" in found.hint
    assert "factor 2 is missing" in found.hint


@pytest.mark.parametrize(
    ("answer", "of"), [("5", "x**3"), ("tan(x)", "x**2*sin(x)"), ("x^2", "sin(x)"), ("x + 1", "x**2")]
)
def test_what_no_two_slips_explain_is_none(answer, of):
    assert sg.grade(answer, of=of, wrt="x").slip == "other"


def test_a_factor_that_every_entry_lacks_is_said():
    found = sg.grade("inv(A).T", of="det(A)", wrt="A", shapes={"A": ("n", "n")})
    assert found.hint.startswith("Every entry is off by the same factor")
