"""Forms as SymPy's users treat expressions: values put in, calls, arithmetic."""

import pickle

import numpy as np
import pytest
import sympy as sp
from checks import close

import symgrad as sg
from symgrad.errors import ArgumentError, ArgumentTypeError, FormError, ParseError, ShapeError

a, t = sg.symbol("a", ()), sg.symbol("t", ())
X, w, y = sg.symbol("X", ("n", "d")), sg.symbol("w", "d"), sg.symbol("y", "n")
v = sg.symbol("v", "d")
WAVE = sg.derive(t**2 * sg.sin(a * t), t)
LEAST = sg.derive(((X @ w - y) ** 2).sum(), w)
SLOPE = sg.derive(sg.softmax(w, 0), w)
DATA = np.arange(6.0).reshape(2, 3)


@pytest.mark.parametrize(
    ("form", "text"),
    [
        (WAVE.subs(a=2), "2*t*(t*cos(2*t) + sin(2*t))"),
        (WAVE.subs("a", 2), "2*t*(t*cos(2*t) + sin(2*t))"),
        (WAVE.subs({"a": 2}), "2*t*(t*cos(2*t) + sin(2*t))"),
        (WAVE.subs([("a", 2)]), "2*t*(t*cos(2*t) + sin(2*t))"),
        (WAVE.subs(a, 2), "2*t*(t*cos(2*t) + sin(2*t))"),
        (WAVE.subs(sp.Symbol("a"), 2), "2*t*(t*cos(2*t) + sin(2*t))"),
        (WAVE.subs(a=2).subs(t=3), "6*sin(6) + 18*cos(6)"),
        (WAVE.subs(a=1, t=sp.pi), "-pi**2"),
        (WAVE.subs(a=t, t=a), "a*(a*t*cos(a*t) + 2*sin(a*t))"),
        (WAVE.subs(a="t", t="a"), "a*(a*t*cos(a*t) + 2*sin(a*t))"),
        (WAVE.subs(a=sp.Symbol("z")), "t*(t*z*cos(t*z) + 2*sin(t*z))"),
        (WAVE.subs(a="b + 1", t=1), "cos(b + 1)*(b + 1) + 2*sin(b + 1)"),
        (WAVE.subs(a=sp.exp(sp.Symbol("t")), t=2), "4*(exp(t)*cos(2*exp(t)) + sin(2*exp(t)))"),
        (WAVE.subs(a=sg.derive(t**2 / 2, t)), "t*(t**2*cos(t**2) + 2*sin(t**2))"),
        (LEAST.subs(w="u"), "2*Xᵀ*(X*u - y)"),
        (WAVE.subs(), str(WAVE)),
        (LEAST.subs(X=DATA), "2*Xᵀ*(X*w - y)"),
        (LEAST.subs(w=v), "2*Xᵀ*(X*v - y)"),
        (LEAST.subs(w=w + v), "2*Xᵀ*(X*(w + v) - y)"),
        (LEAST.subs(n=2), "2*Xᵀ*(X*w - y)"),
        (SLOPE.subs(w=v), "diag(softmax(v)) - softmax(v)*softmax(v)ᵀ"),
    ],
    ids=lambda x: str(x),
)
def test_values_take_the_place_of_symbols(form, text):
    assert str(form) == text


def test_an_array_tells_sizes_and_needs_not_be_passed():
    form = LEAST.subs(X=DATA)
    assert form.shape == (3,)
    close(form(w=np.ones(3), y=np.zeros(2)), 2 * DATA.T @ DATA @ np.ones(3), 1e-12)
    assert sg.derive(LEAST, w).subs(n=2, d=3).shape == (3, 3)
    assert str(pickle.loads(pickle.dumps(form))) == str(form)


def test_a_form_is_differentiated_after_values_were_put_in():
    assert str(sg.derive(WAVE.subs(a=2), t)) == str(sg.derive(WAVE, t).subs(a=2))


def test_a_form_is_called_with_numbers_by_name_or_position():
    expected = LEAST.lambdify()(DATA, np.ones(3), np.zeros(2))
    close(LEAST(DATA, np.ones(3), np.zeros(2)), expected, 0)
    close(LEAST(y=np.zeros(2), X=DATA, w=np.ones(3)), expected, 0)
    assert WAVE(t=2.0, a=0.5) == float(WAVE.subs(t=2, a=0.5))


@pytest.mark.parametrize(
    ("wrong", "kind", "message"),
    [
        (lambda: WAVE.subs(z=1), ArgumentError, "the function has no 'z'. It has: a, t"),
        (lambda: WAVE.subs(3), ArgumentError, r"Expected subs\(x=2\)"),
        (lambda: WAVE.subs(t=[1.0, 2.0]), ShapeError, r"'t' got shape \[2\], expected \[\]"),
        (lambda: LEAST.subs(w=y), ShapeError, r"'w' got shape \[n\], expected \[d\]"),
        (lambda: LEAST.subs(X=DATA, y=np.ones(5)), ShapeError, "size n is 2 in one argument and 5 in another"),
        (lambda: WAVE.subs(t=sp.I), ArgumentTypeError, "which is no real number"),
        (lambda: WAVE.subs(t="z +* 1"), ParseError, "this is not a formula"),
        (lambda: WAVE.subs(t=sp.MatrixSymbol("A", 2, 2)), ArgumentTypeError, "no real number"),
        (lambda: LEAST.subs(n="m"), ArgumentError, "'n' is a size, got 'm'"),
        (lambda: LEAST.expr.diff("w"), FormError, r"'w' is an array here. Use sg.derive\(form, 'w'\)"),
        (lambda: WAVE.diff(), ArgumentError, "Expected what to differentiate by"),
        (lambda: float(WAVE), ArgumentError, "missing the argument 't'"),
        (lambda: LEAST.expr.subs("w", 2), FormError, r"'w' is an array here.* form.subs\(w=…\)"),
        (lambda: LEAST.index().subs("w", 2), FormError, r"'w' is an array here.* form.subs\(w=…\)"),
        (lambda: SLOPE * SLOPE, FormError, "multiplied and divided by numbers"),
        (lambda: SLOPE @ w, FormError, "multiplied and divided by numbers"),
        (lambda: SLOPE + 1, FormError, "those of one shape are added"),
        (lambda: WAVE + "t", ArgumentTypeError, "Pass numbers"),
    ],
)
def test_what_cannot_be_put_in_or_combined_is_said(wrong, kind, message):
    with pytest.raises(kind, match=message):
        wrong()


def test_a_form_is_differentiated_as_sympys_expressions_are():
    assert str(WAVE.diff("t")) == str(WAVE.diff(sp.Symbol("t"))) == str(WAVE.diff(t)) == str(sg.derive(WAVE, t))
    assert str(WAVE.diff("t", 2, "a")) == str(sg.derive(sg.derive(WAVE, t, order=2), "a"))
    assert str(sg.derive("t**2", sp.Symbol("t"))) == "2*t"


s, u = sp.symbols("t a")
CUBIC = sg.derive("t**3 - 12*t", "t").expr
MEAN = sg.derive((X @ w).mean() ** 2, w)


@pytest.mark.parametrize(
    ("found", "text"),
    [
        (lambda e: e.subs("t", 2), "4*a*cos(2*a) + 4*sin(2*a)"),
        (lambda e: e.subs({s: 2}), "4*a*cos(2*a) + 4*sin(2*a)"),
        (lambda e: e.xreplace({s: sp.Integer(2), u: sp.Integer(0)}), "0"),
        (lambda e: e.diff(u), "t*(-a*t**2*sin(a*t) + 3*t*cos(a*t))"),
        (lambda e: sp.diff(e, "t", "t").subs({s: 0, u: 1}), "6"),
        (lambda e: sp.solve(CUBIC, s), "[-2, 2]"),
        (lambda e: sp.solve(CUBIC, "t"), "[-2, 2]"),
        (lambda e: sp.lambdify(s, CUBIC)(3), "15"),
        (lambda e: sp.integrate(CUBIC, (s, 0, 1)), "-11"),
        (lambda e: sp.limit(e / s, s, 0), "0"),
        (lambda e: sp.Poly(CUBIC, s).all_coeffs(), "[3, 0, -12]"),
        (lambda e: 3 * s**2 - 12 == CUBIC, "True"),
        (lambda e: MEAN.expr.subs("n", 4), "mean(X*w)*Xᵀ*1/2"),
        (lambda e: MEAN.index().subs(sp.Symbol("n"), 4).has(sp.Symbol("n")), "False"),
        (lambda e: sg.derive("sqrt(t**2 + 1)", "t").index().free_symbols, "{t}"),
        (lambda e: sg.derive(v @ v, v).subs(d=2).entries().free_symbols - {sp.Symbol("v_0")}, "{v_1}"),
        (lambda e: sg.derive(v @ v, v).subs(d=2).scalar()[1].diff(sp.Symbol("v_1")), "2"),
        (lambda e: sg.derive(sg.exp(t) ** 3, t).to_sympy().subs(s, 0), "3"),
    ],
)
def test_what_sympys_users_do_works_with_plain_symbols(found, text):
    assert str(found(WAVE.expr)) == text


def test_an_expression_of_plain_symbols_is_written_as_the_form_is():
    for form in (WAVE, LEAST, SLOPE, MEAN, sg.derive(sg.sqrt(t / a) / a**0.5, t), sg.derive(sg.abs(a * t), t)):
        assert str(form.expr) == str(form)
        assert form.latex() == sp.latex(form.expr)
    assert pickle.loads(pickle.dumps(WAVE.expr)) == WAVE.expr
    assert str(LEAST.index().subs("i", 0)).startswith("2*Sum_k X_k0*")


def test_forms_are_operands():
    F = a**2 + a * t + t**3
    slope = -sg.derive(F, a) / sg.derive(F, t)
    assert str(slope) == "-(2*a + t)/(a + 3*t**2)"
    second = sg.derive(slope, a) + sg.derive(slope, t) * slope
    f = second.lambdify("a", "t")
    step = 1e-5  # along the curve F = 0, Newton's method for t
    on = {k: _root(lambda t, k=k: (1 + k * step) ** 2 + (1 + k * step) * t + t**3 + 5) for k in (-1, 0, 1)}
    close(f(1.0, on[0]), (on[1] - 2 * on[0] + on[-1]) / step**2, 1e-4)


def test_a_name_in_forms_of_two_texts_is_one():
    F = "x**2 + x*y + y**3"
    slope = -sg.derive(F, "x") / sg.derive(F, "y")
    assert str(slope) == "-(2*x + y)/(x + 3*y**2)"
    assert slope.args == ("x", "y")
    other = sg.derive("sum(x**2)", "x", shapes={"x": "n"})
    assert str(other - sg.derive("sum(x)", "x", shapes={"x": "n"})) == "2*x - 1"


def _root(f, t=-2.0):
    for _ in range(60):
        t -= f(t) * 2e-6 / (f(t + 1e-6) - f(t - 1e-6))
    return t


@pytest.mark.parametrize(
    ("form", "text"),
    [
        (2 * LEAST - w, "4*Xᵀ*(X*w - y) - w"),
        (LEAST @ w, "2*((X*w - y)ᵀ*X*w)"),
        (1 / sg.derive(t**3, t) ** 2, "1/(9*t**4)"),
        (np.float64(2.0) * sg.derive(t**3, t), "6*t**2"),
        (SLOPE + SLOPE, "2*(diag(softmax(w)) - softmax(w)*softmax(w)ᵀ)"),
        (2 * SLOPE / a, "2*(diag(softmax(w)) - softmax(w)*softmax(w)ᵀ)/a"),
        (SLOPE - sg.derive(w**2, w), "diag(softmax(w) - 2*w) - softmax(w)*softmax(w)ᵀ"),
        (sg.derive(a * t, a) * sg.derive(w @ v, w), "t*v"),
        (1 - sg.derive(t**2, t), "1 - 2*t"),
    ],
    ids=lambda x: str(x),
)
def test_forms_are_combined(form, text):
    assert str(form) == text
