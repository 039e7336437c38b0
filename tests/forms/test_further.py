"""Higher derivatives of numbers: each from the short formula of the one before."""

import copy
import pickle

import numpy as np
import pytest
import sympy as sp

import symgrad as sg
from symgrad.forms import closed
from symgrad.forms.calculus.higher_order import derivative

t = sp.Symbol("t", real=True)

HIGHER = {  # function and order: how it is printed
    ("x**2*exp(x)/(1 + x**2)", 3): (
        "exp(x)*(x**8 + 3*x**6 + 6*x**5 - 15*x**4 + 36*x**3 - 11*x**2 - 18*x + 6)/(x**2 + 1)**4"
    ),
    ("atan(x/(1 - x))", 3): "4*(6*x**2 - 6*x + 1)/(2*x**2 - 2*x + 1)**3",
    ("log(sigmoid(x))", 3): "σ(x)*(1 - σ(x))*(2*σ(x) - 1)",
    ("(1 + tan(x))/(1 - tan(x))", 2): "4*cos(2*x)/(1 - sin(2*x))**2",
}  # fmt: skip


@pytest.mark.parametrize(("text", "order"), HIGHER)
def test_a_higher_derivative_is_as_short_as_by_hand(text, order):
    assert str(sg.derive(text, "x", order=order)) == HIGHER[text, order]


@pytest.mark.parametrize("text", ["sin(x)*exp(-a*x)", "sigmoid(a*x)", "sqrt(1 + x**2)", "2**x*log(x)"])
def test_the_formula_has_the_value_of_the_function(text):
    form = sg.derive(text, "x", order=3)
    assert form._further is not None
    names = sorted(form._further.short.free_symbols, key=str)
    logistic = {"sigmoid": lambda z: 1 / (1 + np.exp(-z))}
    values = {s.name: 0.7 + k for k, s in enumerate(names)}
    value = sp.lambdify(names, form._further.short, [logistic, "numpy"])(*values.values())
    assert value == pytest.approx(float(form(**values)), rel=1e-9)


def test_each_further_derivative_starts_from_the_short_formula(monkeypatch):
    read = []
    further = closed.further
    monkeypatch.setattr(closed, "further", lambda e, *rest: read.append(e.short.count_ops()) or further(e, *rest))
    str(sg.derive("x**2*exp(x)/(1 + x**2)", "x", order=4))
    assert len(read) == 3
    assert max(read) < 40


def test_what_has_cases_is_left_to_the_graph():
    assert derivative(sp.Piecewise((t, t > 0), (0, True)), t) is None


def test_a_form_that_is_derived_again_is_that_of_the_higher_order():
    once = sg.derive("x**2*exp(x)/(1 + x**2)", "x")
    assert str(sg.derive(sg.derive(once, "x"), "x")) == HIGHER["x**2*exp(x)/(1 + x**2)", 3]


def test_a_copy_and_a_form_with_a_number_in_it_keep_the_way():
    form = sg.derive("a*atan(x/(1 - x))", "x", order=3)
    for other in (pickle.loads(pickle.dumps(form)), copy.copy(form)):
        assert str(other) == str(form)
    assert str(form.subs(a=1)) == HIGHER["atan(x/(1 - x))", 3]
    assert float(form.subs(a=1, x=2)) == pytest.approx(float(form(a=1.0, x=2.0)))


def test_mixed_derivatives_go_on_by_the_other_name():
    x, y = sg.symbol("x", ()), sg.symbol("y", ())
    blocks = sg.derive(sg.exp(x * y) / (1 + x), [x, y], order=2)
    assert str(blocks[0][1]) == str(sg.derive(sg.derive(sg.exp(x * y) / (1 + x), x), y))
    assert float(blocks[0][1](x=0.5, y=0.3)) == pytest.approx(float(blocks[1][0](x=0.5, y=0.3)))
