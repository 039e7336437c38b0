"""Products, powers, cases and indices as papers and pupils write them."""

import re

import numpy as np
import pytest

import symgrad as sg
from symgrad.errors import ParseError
from symgrad.expression.printer import BOARD
from symgrad.forms.nodes.formulas import formula

VALUES = {
    "ω": 1.1,
    "φ": 0.3,
    "λ": 0.8,
    "β": 0.5,
    "γ": 1.4,
    "V_max": 2.4,
    "K_m": 0.6,
    "k_B": 0.9,
    "v": 0.7,
    "beta_1": 0.4,
}
X = 1.3


@pytest.mark.parametrize(
    ("text", "slope"),
    [
        ("sin(ωx + φ)", 1.1 * np.cos(1.1 * X + 0.3)),
        ("λe^{-λx}", -(0.8**2) * np.exp(-0.8 * X)),
        ("πe^x", np.pi * np.exp(X)),
        (r"\beta x^2 + \gamma x", X + 1.4),
        (r"\exp\left\{-\frac{x^2}{2}\right\}", -X * np.exp(-(X**2) / 2)),
        (r"\max\{0, x\}", 1.0),
        ("⌊x⌋x + ⌈x⌉x", 3.0),
        (r"\frac{V_{\max} x}{K_m + x}", 2.4 * 0.6 / (0.6 + X) ** 2),
        (r"V_{\text{max}} x + k_\mathrm{B} x", 2.4 + 0.9),
        (r"\textstyle\frac{x}{2}", 0.5),
        (r"\begin{cases} x^2, & \text{if } x > 1, \\ x, & \text{otherwise} \end{cases}", 2 * X),
        (r"f(x) = \begin{cases} x^2 & \text{for } x \geq 1,\\ x & \text{for } x < 1.\end{cases}", 2 * X),
        ("u² + v, where u = x², v = x³", 4 * X**3 + 3 * X**2),
        ("np.power(x, 3)", 3 * X**2),
        ("xᵛ", 0.7 * X ** (0.7 - 1)),
        (r"{\displaystyle \log _{2}x}", 1 / (X * np.log(2))),
        (r"\beta _{1}x + k _{B}x", 0.4 + 0.9),
        (r"\log_e x + log_e(x)^2", (1 + 2 * np.log(X)) / X),
        (r"\frac{x}{2}\left[1 + \sqrt{x}\right]", 0.5 + 0.75 * np.sqrt(X)),
        ("(x + 1)[x - 1]", 2 * X),
        ("np.sin(x) + lnx", np.cos(X) + 1 / X),
        ("1_000.5x", 1000.5),
    ],
)
def test_what_papers_write_has_its_value(text, slope):
    form = sg.derive(text, "x")
    values = {str(name): VALUES[str(name)] for name in form.args if str(name) != "x"}
    assert float(form.subs(values).lambdify("x")(X)) == pytest.approx(slope, rel=1e-12)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("Ae^{-2x}", r"write A\*e\^"),
        ("C_1e^x", r"write C_1\*e\^"),
        ("Ae⁻ˣ", r"write A\*e\^"),
        ("klnx", r"write k\*lnx"),
        ("kln x", r"write k\*ln"),
        ("asinx", r"write a\*sinx"),
        ("Asin(x)", r"write asin or A\*sin"),
        ("eᵏˣ", r"write k\*x"),
        ("ab^2 x", r"write a\*b\^"),
        ("mx^2/2", r"write m\*x"),
        ("mv^2 x", r"write m\*v\^"),
        (r"\frac{dx}{2}", r"write d\*x"),
    ],
)
def test_a_factor_that_runs_together_with_a_function_is_refused_with_both_ways(text, said):
    with pytest.raises(ParseError, match=f"is read in two ways; {said}"):
        sg.derive(text, "x")


LETTERS = {
    "2hc^2 x": "2*h*c**2*x",
    r"\frac{2hc^2}{\lambda^5} x": "2*h*c**2/λ**5*x",
    r"\frac{1}{2}mx^2": "m*x**2/2",
    r"\frac{hc}{\lambda kTx}": "h*c/(λ*k*T*x)",
    r"e^{-\frac{hc}{\lambda kx}}": "exp(-h*c/(λ*k*x))",
    r"\sin(xy)": "sin(x*y)",
    "4pix^2": "4*pi*x**2",
    "2πxh": "2*pi*x*h",
    "2xyz": "2*x*y*z",
    r"\cos \frac{bx}{2}": "cos(b*x/2)",
    r"\mathrm{kT} \cdot x": "kT*x",
    "x*hc**2": "x*hc**2",
    "x1 + x": "x1 + x",
    "x2 + x1 + x": "x2 + x1 + x",
    r"\frac{rate}{2} x": "rate*x/2",
    r"\frac{sin x}{x}": "sin(x)/x",
}


@pytest.mark.parametrize("text", LETTERS)
def test_letters_that_run_together_in_latex_or_behind_a_number_are_factors(text):
    assert str(sg.derive(text, "x")) == str(sg.derive(LETTERS[text], "x"))


def test_letters_that_are_a_declared_name_stay_together():
    assert str(sg.derive(r"\frac{mx^2}{c} x", "x", shapes={"mx": ()})) == "mx**2/c"


@pytest.mark.parametrize("text", ["a**x", "x**y", "x**(n - 1)", "x**alpha", "b**(-x)"])
def test_letters_printed_as_exponents_are_read_again(text):
    form = sg.derive(text, "x")
    values = {str(leaf): 0.5 + 0.3 * k for k, leaf in enumerate(form.args)}
    again = sg.parse(BOARD.write(formula(form.expr)), dict.fromkeys(values, ()), syntax="paper")
    assert float(again(*map(np.array, values.values()))) == pytest.approx(float(form.lambdify()(**values)), rel=1e-12)


@pytest.mark.parametrize(
    ("text", "wrt", "product"),
    [
        ("1/2*mv^2", "v", "m*v"),
        ("½gt²", "t", "g*t"),
        ("mm^2", "m", "m*m"),
        ("tr", "t", "t*r"),
        ("a_1x² + a_0", "x", "a_1*x"),
        (r"\frac{R_1R_2}{R_1+R_2}", "R_1", "R_1*R_2"),
        ("x1x2", "x2", "x1*x2"),
    ],
)
def test_a_name_that_holds_a_known_letter_is_refused_though_a_function_is_called_so(text, wrt, product):
    with pytest.raises(ParseError, match=f"is read in two ways; write {re.escape(product)}"):
        sg.derive(text, wrt)


def test_a_products_names_are_declared_or_written_apart():
    assert str(sg.derive("m*v**2/2", "v")) == "m*v"
    assert str(sg.derive("mv*v", "v", shapes={"mv": (), "v": ()})) == "mv"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("x^2_1", "write the index first, as in x_1\\^2"),
        (r"\log^2_2 x", "write the index first"),
        (r"\sigma^2_x x", "write the index first"),
        (r"x \sin 30^\circ", r"\\circ is not read"),
        (r"\sin^\top x", "cannot be part of a formula"),
        ("D[x^2, x]", "'D' is not a function"),
        (r"\sum_i x_i", "index notation is not read"),
        (r"\prod _{i}x_i", "index notation is not read"),
    ],
)
def test_what_would_be_read_as_another_number_or_name_is_refused(text, said):
    with pytest.raises(ParseError, match=said):
        sg.derive(text, "x")


@pytest.mark.parametrize(("text", "product"), [("x^TAx", "x^T A x"), ("x^Tx", "x^T x"), ("(x + b)^Tb", r"\^T b")])
def test_a_transposes_mark_that_runs_together_with_an_array_is_refused(text, product):
    with pytest.raises(ParseError, match=rf"is read in two ways; write .*{product[-3:]}"):
        sg.derive(text, "x", shapes={"x": "n", "A": ("n", "n"), "b": "n"})
