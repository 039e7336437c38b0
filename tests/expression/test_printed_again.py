"""What formulas of numbers print as, in each alphabet of text, is read again with the same value."""

import numpy as np
import pytest

import symgrad as sg
from symgrad.expression.printer import BOARD, LATEX, TEXT
from symgrad.forms.nodes.formulas import formula

PROBLEMS = [
    "x**2*sin(x)", "exp(-x**2)/x", "log(1 + x**2)", "sqrt(x)*cos(2*x)", "x/(1 + x)", "tanh(x)**3", "abs(x - 2)**3",
    "2**x", "x**x", "sigmoid(3*x)", "maximum(x**2, 2*x)", "1/(1 + exp(-x))", "atan(x)/3", "(x**2 + 3)**5",
    "log(log(x + 3))", "x*Phi(x)", "x**2*floor(x)", "ceil(x)*erf(x)**3", "gamma(x)",
]  # fmt: skip


@pytest.mark.parametrize("logarithm", ["log", "ln"])
@pytest.mark.parametrize("alphabet", [TEXT, BOARD, LATEX], ids=["text", "board", "latex"])
@pytest.mark.parametrize("problem", PROBLEMS)
def test_derivative_is_read_again(problem, alphabet, logarithm):
    form = sg.derive(problem, "x")
    sg.set_printoptions(logarithm=logarithm)
    try:
        text = alphabet.write(formula(form.expr))
        again = sg.parse(text, {"x": ()}, syntax="paper")
    finally:
        sg.set_printoptions(profile="default")
    for x in (0.7, 1.3, 2.6):
        assert float(again(np.array(x))) == pytest.approx(float(form.lambdify()(x)), rel=1e-12)
