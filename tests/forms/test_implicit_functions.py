"""Derivatives of functions that equations define, against difference quotients of the solved equations."""

import mpmath
import pytest
import sympy as sp

import symgrad as sg
from symgrad.errors import ArgumentError, GraphError, ParseError

# an equation, a point of x, and about where y is there
CURVES = [
    ("x**2 + y**2 = 25", 3.0, 4.0),
    ("x**2 + y**2 = 25", 3.0, -4.0),
    ("x^3 + y^3 = 6x*y", 3.0, 3.0),
    ("sin(x*y) = x", 0.5, 1.0),
    ("exp(y) + x*y = exp(1)", 0.1, 1.0),
    ("x*cos(y) + y*cos(x) = 1", 0.5, 0.6),
    ("sqrt(x) + sqrt(y) = 2", 1.0, 1.0),
    ("(x**2 + y**2)**2 = 2*(x**2 - y**2)", 1.0, 0.3),
    ("x = y + exp(y)", 1.0, 0.0),
    ("x**y = y**x", 3.0, 2.4),
    ("log(x**2 + y**2) = atan(y/x)", 1.0, 0.1),
    ("y**5 + y = x", 2.0, 1.0),
    ("tan(x + y) = x", 0.3, 0.0),
]


def solved(equation, x, near):
    left, right = equation.replace("^", "**").replace("6x", "6*x").split(" = ")
    f = sp.lambdify(sp.symbols("x y"), sp.sympify(f"({left}) - ({right})"), "mpmath")
    return mpmath.findroot(lambda y: f(x, y), near)


@pytest.mark.parametrize(("equation", "x", "near"), CURVES)
@pytest.mark.parametrize("order", [1, 2, 3])
def test_slopes_of_curves_are_those_of_the_solved_equation(equation, x, near, order):
    with mpmath.workdps(40):
        y = solved(equation, x, near)
        expected = mpmath.diff(lambda t: solved(equation, t, y), x, order)
    form = sg.derive(equation, "y", "x", order=order)
    at = {"x": x, "y": float(y)}
    assert float(form.lambdify()(**{n: at[n] for n in form.args})) == pytest.approx(float(expected), rel=1e-6, abs=1e-9)


PRINTED = [
    ("x**2 + y**2 = 25", "y", "x", 1, "-x/y"),
    ("x**2 + y**2 = 25", "y", "x", 2, "-25/y**3"),
    ("x**2 + y**2 = 25", "x", "y", 1, "-y/x"),
    ("x**2/a**2 + y**2/b**2 = 1", "y", "x", 2, "-b**4/(a**2*y**3)"),
    ("y = x**x", "y", "x", 1, "x**x*(log(x) + 1)"),
    ("x = cos(t), y = sin(t)", "y", "x", 2, "-1/sin(t)**3"),
    ("x = t**2; y = t**3", "y", "x", 1, "3*t/2"),
    ("p*V = n*R*T", "V", "T", 1, "R*n/p"),
    ("2x + 3y = 6", "y", "x", 1, "-2/3"),
]


@pytest.mark.parametrize(("equation", "y", "x", "order", "printed"), PRINTED)
def test_slopes_print_in_their_short_form(equation, y, x, order, printed):
    assert str(sg.derive(equation, y, x, order=order)) == printed


@pytest.mark.parametrize("t", [0.4, 1.1, 2.5])
@pytest.mark.parametrize("r", ["1 + cos(θ)", "θ", "2*sin(3*θ)", "exp(θ/5)"])
def test_polar_curves_have_the_slope_of_their_points(r, t):
    letter, e = sp.Symbol("θ"), sp.sympify(r)
    x, y = e * sp.cos(letter), e * sp.sin(letter)
    expected = float((sp.diff(y, letter) / sp.diff(x, letter)).subs(letter, t))
    form = sg.derive(f"r = {r}", "y", "x")
    assert form.args == ("θ",)
    assert float(form.lambdify()(t)) == pytest.approx(expected, rel=1e-9)


def test_systems_are_solved_for_all_slopes():
    forms = sg.derive(["u + v = x**2", "u*v = x"], ["u", "v"], "x")
    x, u, v = 3.0, *sorted(map(float, sp.Poly("z**2 - 9*z + 3", sp.Symbol("z")).nroots()))
    values = [float(f.lambdify()(**{n: {"x": x, "u": u, "v": v}[n] for n in f.args})) for f in forms]
    assert sum(values) == pytest.approx(2 * x)
    assert values[0] * v + u * values[1] == pytest.approx(1)
    assert str(forms).startswith("du/dx = ")


def test_the_order_may_stand_third_as_before():
    assert str(sg.derive("x**3", "x", 2)) == str(sg.derive("x**3", "x", order=2)) == "6*x"
    with pytest.raises(ArgumentError, match="Expected 1 for the gradient"):
        sg.derive("x**3", "x", 0)


@pytest.mark.parametrize(
    ("equation", "y", "x", "error", "says"),
    [
        ("x**2 + y**2", "y", "x", ParseError, "no equals sign"),
        ("x = y = 2", "y", "x", ParseError, "2 equals signs"),
        ("x**2 = 4", "y", "x", GraphError, "the equations have no name 'y'"),
        ("x + 0*y = 4", "y", "x", GraphError, "the equations have no name 'y'"),
        (["x + y = 1", "2*x + 2*y = 2"], ["y"], "x", ArgumentError, "cannot define"),
        (["u + v = x", "2*u + 2*v = x"], ["u", "v"], "x", ArgumentError, "determinant"),
        ("x**2 + y**2 = 4", "x", "x", ArgumentError, "Expected the names of an equation"),
    ],
)
def test_what_defines_no_function_is_refused(equation, y, x, error, says):
    with pytest.raises(error, match=says):
        sg.derive(equation, y, x)


def test_tensors_take_no_name_third():
    with pytest.raises(TypeError, match="expected equations as text"):
        sg.derive(sg.symbol("x") ** 2, "x", "y")
    with pytest.raises(ArgumentError, match="without shapes"):
        sg.derive("x**2 + y**2 = 4", "y", "x", shapes={"x": "n"})


def test_parts_that_where_names_are_no_equations():
    assert str(sg.derive("x**2 + z**2 = 25 where z = y", "y", "x")) == str(sg.derive("x**2 + y**2 = 25", "y", "x"))
    assert str(sg.derive("x = t; y = t**2 + b where b = a*t, a = 3", "y", "x")) == "2*t + 3"
    assert str(sg.derive("$x^2 + y^2 = 25$", "y", "x")) == "-x/y"
    for of in ("x*z where z = x + 1", "f(x) = x*z where z = x + 1", "y = x*z where z = a + 1, a = x"):
        assert sg.grade("2x + 1", of=of, wrt="x").right
    assert sg.grade("-x/y", of="x**2 + z**2 = 25 where z = y", wrt="x").right
    assert sg.grade("[x > 0] + 2*exp(x)*[x <= 0]", of="elu(x, alpha=2)", wrt="x").right
