"""One reader: each spelling of a formula has the same value wherever it is read, and what is printed is read again."""

import contextlib
import json
import re

import numpy as np
import pytest

import symgrad as sg
from symgrad.cli.main import main
from symgrad.errors import ParseError
from symgrad.expression import grammar, tokens
from symgrad.expression.bounds import Bounds
from symgrad.expression.grammar import read
from symgrad.expression.paper import Paper
from symgrad.expression.reader import Expression
from symgrad.web.jobs import answered

SPELLINGS = {  # what is written, and the same for programs
    "2x": "2*x",
    "x²": "x**2",
    "x^2 sin(x)": "x**2*sin(x)",
    "3x sin x": "3*x*sin(x)",
    "ln x": "log(x)",
    "sin² x": "sin(x)**2",
    "sin^2 x cos x": "sin(x)**2*cos(x)",
    "sin 2x": "sin(2*x)",
    "|x − 3|": "abs(x - 3)",
    "ln |x|": "log(abs(x))",
    "√x": "sqrt(x)",
    "∛x": "cbrt(x)",
    "∜(x + 1)": "(x + 1)**0.25",
    "2∛x": "2*cbrt(x)",
    "W(x)": "lambertw(x)",
    "√(x + 1)": "sqrt(x + 1)",
    "e^(2x)": "exp(2*x)",
    "e^x": "exp(x)",
    "(x + 1)(x − 1)": "(x + 1)*(x - 1)",
    "x(x + 1)": "x*(x + 1)",
    "f(x) = x³ − 1": "x**3 - 1",
    "y = 2·x × 3": "2*x*3",
    "f′(x) = 2x": "2*x",
    "x⁻¹": "1/x",
    "½x": "x/2",
    "1/2 x": "x/2",
    "x.^2": "x**2",
    "np.exp(x)": "exp(x)",
    "x*z where z = x + 1": "x*(x + 1)",
    "{x for x > 1; 2 otherwise}": "where(x > 1, x, 2)",
    "{x² for x > 1 and x < 3; 3x otherwise}": "where(x > 1, where(x < 3, x**2, 3*x), 3*x)",
    "x for x > 2 and x^3 otherwise": "where(x > 2, x, x**3)",
    r"\frac{x}{1+x^2}": "x/(1 + x**2)",
    r"\frac12 x": "x/2",
    r"\sqrt{x}": "sqrt(x)",
    r"x^{2}": "x**2",
    r"\sin x": "sin(x)",
    r"\sin^{2} x": "sin(x)**2",
    r"2\cdot x": "2*x",
    r"\left( x + 1 \right)^2": "(x + 1)**2",
    r"\ln\left(x\right)": "log(x)",
    r"e^{2x}": "exp(2*x)",
    r"$x\,\mathrm{sin}(x)$": "x*sin(x)",
    r"\lvert x \rvert": "abs(x)",
    "ˆ".join("x2"): "x**2",
    "¾x³ — 1": "3*x**3/4 - 1",
    "x^⅔": "x**(2/3)",
    "\ufeffsin\u2061(x)\u2062x": "x*sin(x)",
    "log_3 x": "log(x)/log(3)",
    "max(x, 1)^2": "maximum(x, 1)**2",
    "log₅² x": "(log(x)/log(5))**2",
    "sin 2πx": "sin(2*pi*x)",
    r"\log_{3}(x)": "log(x)/log(3)",
    r"\log_{0.5} x": "log(x)/log(0.5)",
    "log_{x^2}(x + 3)": "log(x + 3)/log(x**2)",
    r"\log_{\frac{1}{2}}^2 x": "(log(x)/log(0.5))**2",
    r"\log_{2\pi} x": "log(x)/log(2*pi)",
    r"\frac x3": "x/3",
    r"\ln\bigl(x\Bigr)": "log(x)",
    r"\[ f\left(x\right) = x^3 \]": "x**3",
    r"$\frac{\mathrm{d}y}{\mathrm{d}x} = x^3$": "x**3",
    r"f^{\prime}(x) := x^3": "x**3",
    r"f(x) &= {\rm e}^x": "exp(x)",
    r"\binom{x}{2}": "x*(x - 1)/2",
    r"\sin \pi x": "sin(pi*x)",
    r"\sigma\left(x\right)": "sigmoid(x)",
    r"\sigma^{2}\left(x\right)": "sigmoid(x)**2",
    r"\Phi^{-1}\left(\frac{x}{2}\right)": "ndtri(x/2)",
    r"J_{1}\left(x\right)": "bessel_j1(x)",
    r"\left\lfloor x \right\rfloor x": "x*floor(x)",
    r"\begin{cases} x & x > 1 \\ 2 & \text{otherwise} \end{cases}": "where(x > 1, x, 2)",
}
AT = 1.7


def at(form):
    """The value of a form at AT, constant or not."""
    return float(form(AT) if form.args else form())


@pytest.mark.parametrize("text", SPELLINGS)
def test_each_spelling_has_its_value_in_every_function_that_reads_formulas(text, capsys):
    strict = SPELLINGS[text]
    expected = sg.derive(strict, "x")
    assert float(sg.parse(text, {"x": ()}, syntax="paper")(AT)) == pytest.approx(float(sg.parse(strict, {"x": ()})(AT)))
    found = sg.derive(text, "x")
    assert at(found) == pytest.approx(at(expected))
    assert str(sg.explain(text, "x").form) == str(found)
    assert sg.grade(expected, of=text, wrt="x").right
    assert sg.table(text, [AT]).rows[0].value == pytest.approx(float(sg.parse(strict, {"x": ()})(AT)))
    assert main(["derive", text, "--wrt", "x"]) == 0
    assert capsys.readouterr().out.strip() == str(found)
    page = json.loads(answered(json.dumps({"job": "derive", "exercise": {"formula": text, "wrt": "x"}}).encode()))
    assert page["ok"]
    assert float(sg.parse(page["text"], {"x": ()}, syntax="paper")(AT)) == pytest.approx(at(expected))


@pytest.mark.parametrize(
    ("text", "strict", "shapes"),
    [
        (r"\mathbf{x}^\top A x", "x @ A @ x", {"x": 3, "A": (3, 3)}),
        ("xᵀAx", "x @ A @ x", {"x": 3, "A": (3, 3)}),
        ("x'*A*x", "x @ A @ x", {"x": 3, "A": (3, 3)}),
        ("x^T A x", "x @ A @ x", {"x": 3, "A": (3, 3)}),
        ("‖Ax − x‖²", "sum((A @ x - x)**2)", {"x": 3, "A": (3, 3)}),
        ("||A x||^2", "sum((A @ x)**2)", {"x": 3, "A": (3, 3)}),
        ("sum((X @ w - y)^2)", "sum((X @ w - y)**2)", {"X": (4, 3), "w": 3, "y": 4}),
        ("sum(x^2)", "sum(x**2)", {"x": 3}),
        ("tr(A⁻¹)", "trace(inv(A))", {"A": (3, 3)}),
        ("x'*A⁻ᵀ*x", "x @ inv(A).T @ x", {"x": 3, "A": (3, 3)}),
    ],
)
def test_spellings_of_arrays_have_their_values(text, strict, shapes):
    rng = np.random.default_rng(0)
    values = [rng.normal(size=s) + (3 * np.eye(3) if s == (3, 3) else 0) for s in shapes.values()]
    one, other = sg.parse(text, shapes, syntax="paper"), sg.parse(strict, shapes)
    np.testing.assert_allclose(one(*values).numpy(), other(*values).numpy(), rtol=1e-12)
    name = "w" if "w" in shapes else next(iter(shapes))
    assert str(sg.derive(text, name, shapes=shapes)) == str(sg.derive(strict, name, shapes=shapes))


TWO_WAYS = {
    "1/2x": "write (1/2)*x or 1/(2*x)",
    "e^-x^2": "write e^(-x^2) or (e^-x)^2",
    "e^2x": "write e^2*x or e^(2*x)",
    "2^3^x": "write 2^(3^x) or (2^3)^x",
    "x/(x + 1)(x − 1)": "write (x/(x + 1))*(x - 1) or x/((x + 1)*(x - 1))",
    "sin x/2": "write sin(x)/2 or sin(x/2)",
    "sin 2*x": "write sin(2)*x or sin(2*x)",
    "sin^-1 x": "write asin(x) or 1/sin(x)",
    r"\operatorname{erf}^{-1}\left(x\right)": "write erfinv(x) or 1/erf(x)",
    "x^1/2": "write x^(1/2) or (x^1)/2",
    "sin x x": "write sin(x*x) or sin(x)*x",
    "sin² 2x x": "write sin(2*x*x)^2 or sin(2*x)^2*x",
    "ln x^2": "write log(x^2) or log(x)^2",
    r"\cos 3x^{2}": "write cos(3*x^2) or cos(3*x)^2",
    "x² ³": "write x^(2^3) or (x^2)^3",
    "√xx": "write √(x)*x or √(x*x)",
    r"2\frac13": "write 2 + 1/3 or 2*(1/3)",
    "√2x": "write √(2)*x or √(2*x)",
    "2e3x": "write 2e3*x or 2*e^(3*x)",
    "10% x": "write 10/100*x or 10 % x",
    "5% (x + 1)": "write 5/100*(x + 1) or 5 % (x + 1)",
    "20% + x": "write 20/100+x or 20 % (+x)",
}


@pytest.mark.parametrize("text", TWO_WAYS)
def test_what_people_read_in_two_ways_is_refused_with_both_which_are_read_and_differ(text):
    with pytest.raises(ParseError) as caught:
        sg.derive(text, "x")
    assert caught.value.reason.endswith(TWO_WAYS[text])
    one, other = re.fullmatch(r".* write (.*) or (.*)", caught.value.reason).groups()
    values = [float(sg.parse(way, {"x": ()}, syntax="paper")(0.4)) for way in (one, other)]
    assert values[0] != pytest.approx(values[1])
    with pytest.raises(ParseError, match="read in two ways"):
        sg.grade("1", of=text, wrt="x")
    assert main(["derive", text, "--wrt", "x"]) == 2


@pytest.mark.parametrize("text", ["10 % x", "10%x"])
def test_programs_keep_their_remainder(text):
    assert sg.parse(text, {"x": ()}, syntax="paper")(4.0).item() == 2.0


def test_parameters_stand_behind_a_semicolon():
    assert str(sg.derive("f(x; a, b) = a x^2 + b", "x")) == "2*a*x"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("log_0.5 x", r"write the base in braces, as in log_\{0.5\}\(x\)"),
        (r"\log_1 x", "a logarithm's base is positive and not 1; this is 1"),
        (r"\log_{-2} x", "a logarithm's base is positive and not 1; this is -2"),
        (r"\log_{} x", "'}' is not expected here"),
        (r"x_{\frac{1}{2}} x", "x_ is not read"),
    ],
)
def test_bases_and_indices_that_have_no_meaning_are_refused(text, said):
    with pytest.raises(ParseError, match=said):
        sg.derive(text, "x")


def test_degrees_are_refused_with_what_to_write():
    with pytest.raises(ParseError, match=r"write an angle in radians, as in 30\*pi/180"):
        sg.derive("x sin(30°)", "x")


def test_a_power_behind_a_root_without_brackets_is_refused():
    with pytest.raises(ParseError, match=r"write √\(x\)\^2 or √\(x\^2\),"):
        sg.derive("√x²", "x")


def test_words_are_taken_apart_where_their_names_are_known():
    assert str(sg.derive("xsinx", "x")) == "x*cos(x) + sin(x)"
    assert str(sg.derive("2xln2", "x")) == "2*log(2)"
    assert str(sg.derive("pie*x", "x")) == "pie"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("ax^2 + bx + c", "ax is read in two ways; write a*x, or give the name ax a shape"),
        ("xy", "write x*y, or give the name xy a shape"),
        ("erf x", "write erf(x) or erf*x"),
        ("gamma x", "write gamma(x) or gamma*x"),
        ("x mod 2", "write an operator for mod"),
        ("1.2.3x", "an operator is missing between 1.2 and .3"),
        ("2 3x", "an operator is missing between 2 and 3"),
        ("d/dx x^2", "write only what is differentiated"),
        (r"\frac{d}{dx} x^2", "write only what is differentiated"),
        ("x is 2", "a word of Python's|cannot be part of a formula"),
        ("x!", "factorials"),
        ("2x$", "cannot be part of a formula, at character 3"),
        ("x2 + 1", "write x^2 or x*2"),
        ("x, 2", "cannot be part of a formula"),
        ("2x = 4", "one side, or one side minus the other"),
        ("0,5x", "write 3.5 for 3,5"),
        ("(x", "was never closed"),
    ],
)
def test_what_may_be_meant_otherwise_is_no_number_but_an_error(text, said):
    with pytest.raises(ParseError, match=re.sub(r"([*^().])", r"\\\1", said)):
        sg.derive(text, "x")


@pytest.mark.parametrize("text", ["x₁x + x", "x_1 x + x", "x1*x + x", "x + x*x₁"])
def test_a_letter_with_a_low_digit_is_a_name_beside_the_letter(text):
    assert str(sg.derive(text, "x")).replace("_", "") == "x1 + 1"


@pytest.mark.parametrize(
    "text",
    [
        r"\frac{d^2}{dx^2} x^3",
        r"\frac{\mathrm d}{\mathrm dx} x^2",
        r"\frac{\mathrm{d}}{\mathrm{d}x} \sin x",
        r"2 \dfrac{d x^2}{d x}",
        r"\frac{dy}{dx}",
        r"\frac{\partial^2 f}{\partial x \partial y}",
        r"\frac d{dx} x",
        "1 + d/dx x^2",
        "d²y/dx²",
        "(d/dx)(x^2)",
        "∂f/∂x",
    ],
)
def test_a_sign_for_the_derivative_is_refused_wherever_it_stands(text):
    with pytest.raises(ParseError, match="only what is differentiated; with respect to x is said beside"):
        sg.derive(text, "x")


@pytest.mark.parametrize(
    ("text", "derivative"),
    [("d/delta*x", "d/delta"), (r"\frac{d}{x}", "-d/x**2"), ("x d/dist", "d/dist"), (r"\frac{df}{dx} = 2x", "2")],
)
def test_a_quotient_of_names_is_no_derivative(text, derivative):
    assert str(sg.derive(text, "x")) == derivative


def test_a_name_of_two_letters_may_be_declared():
    assert str(sg.derive("ax*x", "x", shapes={"ax": ()})) == "ax"


@pytest.mark.parametrize(
    ("text", "place"),
    [(r"2\foo x", 1), (r"\hat{x} - x", 0), (r"x \over 2", 2), (r"\dot{x}", 0), (r"3x_{n+1}", 1), (r"x^\circ", 2)],
)
def test_commands_of_latex_that_are_no_part_of_a_formula_are_no_names(text, place):
    with pytest.raises(ParseError, match="is not read") as caught:
        sg.derive(text, "x")
    assert caught.value.place[0] == place


@pytest.mark.parametrize(
    ("text", "derivative"),
    [
        ("eta*t*a", "a*eta"),
        ("t/σ", "1/σ"),
        ("φ t²", "2*t*φ"),
        (r"\alpha t + α t + alpha t", "3*alpha"),
        ("Σ_1 t*Sigma1", "Σ_1**2"),
        (r"\sigma(t + 1)/\sigma", "1"),
    ],
)
def test_greek_letters_are_names(text, derivative):
    assert str(sg.derive(text, "t")) == derivative


@pytest.mark.parametrize("text", ["α", r"\alpha", "alpha"])
@pytest.mark.parametrize("name", ["α", "alpha"])
def test_a_greek_letter_has_the_name_that_is_declared(text, name):
    assert sg.derive(f"{text} t²", "t", shapes={name: ()}).args == ("t", name)
    assert str(sg.derive(f"{text} t² + elu(t, alpha={text})", name)) == "t**2 + expm1(min(0, t))"
    assert sg.grade(rf"\frac{{1}}{{{text}}}", f"t/{name}", "t").right


def test_an_equation_for_what_is_differentiated_by_is_no_formula():
    with pytest.raises(ParseError, match="= cannot be part"):
        sg.derive("x = 2", "x")


def test_a_table_is_of_formulas_of_one_name():
    assert sg.table("xe^x", [1.0]).rows[0].value == pytest.approx(np.e)
    assert sg.table("tsint", [1.0]).rows[0].value == pytest.approx(np.sin(1.0))
    assert sg.table("xmax**2", [3.0]).rows[0].value == 9.0
    assert sg.table("x == 1", [1.0]).rows[0].formula == 0
    for text in ("x*y", "2", "xz"):
        with pytest.raises(sg.errors.ArgumentError, match="formula of one number"):
            sg.table(text, [1.0])


@pytest.mark.parametrize("text", ["x'", "2x' + 1", r"x^\prime"])
def test_a_dash_of_a_number_is_a_derivative_and_is_refused(text):
    with pytest.raises(ParseError, match="derivative"):
        sg.derive(text, "x")
    with pytest.raises(ParseError, match="derivative"):
        sg.grade("1", of=text, wrt="x")


@pytest.mark.parametrize("text", ["|x|", "sum(x*|x|)", "exp(|x|)"])
def test_bars_around_an_array_are_refused(text):
    with pytest.raises(ParseError, match="bars around an array"):
        sg.derive(text, "x", shapes={"x": "n"})


@pytest.mark.parametrize("text", ["sum(|x|)", r"\operatorname{sum}\left(\left|x\right|\right)", "sum(|x|) + 0*x'*x"])
def test_bars_in_a_sum_are_around_each_entry(text):
    assert str(sg.derive(text, "x", shapes={"x": "n"})) == "sign(x)"


# ------------------------------------------------------------------ what is printed is read again
def last_side(line):
    """The last side of an equation, with what names its parts: where z = x + 1."""
    equation, *parts = re.split(r"(?= where \w+ = )", line, maxsplit=1)
    return "".join([equation.split(" = ")[-1], *parts])


def values_of(text, names, at):
    return float(sg.parse(text, dict.fromkeys(names, ()), syntax="paper")(*[at[n] for n in names]))


@pytest.mark.parametrize("topic", sg.teach.TOPICS)
def test_what_an_exercise_prints_is_read_again_with_its_value(topic):
    at = {"x": 0.7, "y": 1.3, "k": 1.1, "b": 0.6, "c": 0.9}
    for level in (1, 2, 3):
        for e in sg.exercises(topic, level=level, seed=3, count=1):
            if e.is_curve or e.is_gradient:
                assert e.grade(e.answer).right
                continue
            printed = re.search(r"of f = (.*) with respect to ", e.problem)[1]
            shapes = {n: s for n, s in e.shapes.items()}
            names = {n: shapes.get(n, ()) for n in e._problem.names}
            one, other = sg.parse(printed, names, syntax="paper"), sg.parse(e.of, names)
            assert str(sg.derive(one, next(iter(names)))) == str(sg.derive(other, next(iter(names))))
            if shapes:
                continue
            known = [n for n in names if n in at]
            solution = e.solution
            expected = float(solution(**{n: at[n] for n in solution.args}))
            for text in (str(solution), str(solution.expr)):
                assert values_of(text, known, at) == pytest.approx(expected, rel=1e-12)
            last = str(e.steps).splitlines()[-1]
            remark = ":" in last or "derivative" in last
            if e.order == 1 and "′" not in last.partition("=")[2] and not remark and " = " in last:
                assert values_of(last_side(last), known, at) == pytest.approx(expected, rel=1e-9)
            assert sg.grade(str(solution), of=printed, wrt=e.wrt, order=e.order).right


@pytest.mark.parametrize(
    "text",
    [
        "x*erf(x)", "x*erfinv(x/2)", "x*ndtr(x)", "gelu(x)", "log_ndtr(x)*x", "x*gamma(x)", "x*digamma(x)",
        "x*sigmoid(x)", "softplus(x)", "x*exprel(x)", "bessel_j1(x)", "sec(x)*x", "cbrt(x)", "x*abs(x)",
        "max(x, 2)*x", "where(x > 1, x, x**2)", "x**x", "log(x, 2)", "x*asin(x/2)", "x*atanh(x/2)",
        "exp(-x**2/2)/sqrt(2*pi)",
        "1/(1 + exp(-x))", "x**(1/3)", "2**(x**2)", "(x**2 + 1)**(x + 1)", "2*e**x + pi*x**2",
    ],
)  # fmt: skip
def test_a_form_and_the_last_line_of_its_steps_are_read_again_with_their_value(text):
    form = sg.derive(text, "x")
    assert values_of(str(form), ["x"], {"x": 0.6}) == pytest.approx(float(form(0.6)), rel=1e-12)
    second = sg.derive(text, "x", 2)
    assert values_of(str(second), ["x"], {"x": 0.6}) == pytest.approx(float(second(0.6)), rel=1e-12)
    assert float(sg.derive(str(form), "x")(0.6)) == pytest.approx(float(second(0.6)), rel=1e-9)
    *_, last = str(sg.explain(text, "x")).splitlines()
    result = last.partition("= ")[2] if "{" in last else last_side(last.lstrip(" ="))
    if last.lstrip().startswith(("f′", "=")) and "′" not in result:
        assert values_of(result, ["x"], {"x": 0.6}) == pytest.approx(float(form(0.6)), rel=1e-9)


def test_a_shorter_form_and_a_hint_are_read_again():
    found = sg.grade("(2*x*(x + 1) + 0)/(x + 1)", of="x^2", wrt="x")
    assert values_of(found.shorter, ["x"], {"x": 3.0}) == 6
    hint = sg.grade("2e^2x", of="e^(2x)", wrt="x").hint
    assert values_of(re.search(r"missing: (.*) would", hint)[1], ["x"], {"x": 0.5}) == pytest.approx(2 * np.e)


# ------------------------------------------------------------------ once
def test_a_formula_of_the_page_is_read_and_evaluated_once_until_its_steps_show(monkeypatch):
    counts = {"read": 0, "evaluated": 0}
    whole, evaluated = grammar._Parser.whole, Expression._evaluated

    def counted(name, f):
        def call(*args, **words):
            counts[name] += 1
            return f(*args, **words)

        return call

    monkeypatch.setattr(grammar._Parser, "whole", counted("read", whole))
    monkeypatch.setattr(Expression, "_evaluated", counted("evaluated", evaluated))
    exercise = {"formula": "x^2 sin(x) + 4x"}
    for job in ("look", "derive", "steps"):
        assert json.loads(answered(json.dumps({"job": job, "exercise": exercise}).encode()))["ok"]
    assert counts == {"read": 1, "evaluated": 1}
    counts.update(read=0, evaluated=0)
    exercise = {"formula": "sum((X @ w - 3y)**2)"}
    for job in ("look", "derive", "steps"):
        assert json.loads(answered(json.dumps({"job": job, "exercise": exercise}).encode()))["ok"]
    assert counts == {"read": 1, "evaluated": 1}


def test_reading_costs_no_more_than_bounds_allow():
    for text in (
        "|" * 200,
        "{" * 61,
        "x" * 10_001,
        "√" * 300,
        "sin " * 300,
        "-" * 300 + "x",
        "x^" * 300 + "x",
        "(" * 61,
    ):
        with pytest.raises(ParseError):
            read(text, "paper")
    assert Bounds().spent == 0


def test_a_text_of_a_million_signs_is_refused_before_it_is_taken_apart(monkeypatch):
    monkeypatch.setattr(tokens, "_TOKEN", None)
    with pytest.raises(ParseError, match="1000001 characters"):
        tokens.tokens("-" * 1_000_000 + "x", True)


@pytest.mark.parametrize("text", [" " * 3000 + "x", "y" + " " * 3000 + "= x", "x" * 9000, "a" * 50 + "c"])
def test_labels_and_words_are_looked_for_in_time_that_grows_with_the_text(text, monkeypatch):
    tried = []
    apart = Paper._taken_apart
    monkeypatch.setattr(Paper, "_taken_apart", lambda self, word: tried.append(word) or apart(self, word))
    with pytest.raises(ParseError) if text[-1] == "c" or len(text) == 9000 else contextlib.nullcontext():
        sg.parse(text, {"x": (), "a": (), "aa": ()}, syntax="paper")
    assert len(tried) < 100


def test_problems_too_deep_to_be_graded_are_refused():
    with pytest.raises(ParseError, match="more than 25 deep"):
        sg.grade("1", of="sin(" * 30 + "x" + ")" * 30, wrt="x")


@pytest.mark.parametrize(("text", "place"), [("sin xz", (4, 6)), ("2 ln ax", (5, 7)), ("xyz", (0, 3))])
def test_letters_in_a_row_may_be_a_product(text, place):
    with pytest.raises(ParseError, match="read in two ways; write") as caught:
        sg.derive(text, "x")
    assert caught.value.place == place
