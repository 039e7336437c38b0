"""Recurrences of Bessel functions shorten derivatives, and formulas call these by the names of MATLAB and SymPy."""

import numpy as np
import pytest
import sympy as sp

import symgrad as sg

pytest.importorskip("scipy")
DERIVATIVES = [
    ("besselj(0, x)", "-J1(x)"), ("bessely(0, x)", "-y1(x)"), ("besseli(0, x)", "i1(x)"), ("besselk(0, x)", "-k1(x)"),
    ("x*besselj(1, x)", "x*J0(x)"), ("x*bessely(1, x)", "x*y0(x)"), ("x*besseli(1, x)", "x*i0(x)"),
    ("x*besselk(1, x)", "-x*k0(x)"), ("besselj(1, x)/x", "-J2(x)/x"), ("x**2*besselj(2, x)", "x**2*J1(x)"),
    ("x**3*besselk(3, x)", "-x**3*kv(2, x)"), ("besselj(1, x)", "(J0(x) - J2(x))/2"),
    ("a*x*besselj(1, a*x)", "a**2*x*J0(a*x)"), ("besselj(0, x)**2 + besselj(1, x)**2", "-2*J1(x)**2/x"),
    ("J2(x)", "(J1(x) - J3(x))/2"), ("besseli(1, x)/x", "(x*i0(x) - 2*i1(x))/x**2"),
]  # fmt: skip


def test_bessel_functions_of_sympy_are_read():
    x, v = sp.symbols("x v")
    for e in (sp.besselj(2, x), sp.bessely(1, x), sp.besseli(0, x), sp.besselk(3, x), x * sp.besselj(v, x)):
        f = sg.from_sympy(e, [v, x])
        assert float(f(0.5, 1.5)) == pytest.approx(float(e.subs({v: 0.5, x: 1.5})), rel=1e-12)
    form = sg.derive(sg.from_sympy(sp.besselj(1, x), [x])(sg.symbol("x")), "x")
    assert str(form) == "(J0(x) - J2(x))/2"


def test_the_order_of_a_bessel_function_stands_below_in_every_notation():
    form = sg.derive("J2(x)", "x")
    assert form.latex() == r"\frac{J_{1}\left(x\right) - J_{3}\left(x\right)}{2}"
    assert form.mathml().count("<msub><mi>J</mi>") == 2
    assert str(sg.explain("J2(x)", "x")).startswith("f(x) = J2(x)")
    assert str(sg.derive("jv(v, x)", "x")) == "(jv(v - 1, x) - jv(v + 1, x))/2"


@pytest.mark.parametrize(("f", "derivative"), DERIVATIVES)
def test_recurrences_shorten_derivatives(f, derivative):
    form = sg.derive(f, "x")
    assert str(form) == derivative
    values = {"a": 1.3} if "a*" in f else {}
    x, h = 1.7, 1e-5
    number = sg.parse(f, dict.fromkeys([*values, "x"], ()))
    above, below = (float(number(*values.values(), np.float64(v)).numpy()) for v in (x + h, x - h))
    assert form(x=x, **values) == pytest.approx((above - below) / (2 * h), rel=1e-8)


def test_recurrences_shorten_derivatives_of_arrays_too():
    x = sg.symbol("x", "n")
    form = sg.derive((x * sg.special.bessel_j1(x)).sum(), x)
    assert str(form) == "x ⊙ J0(x)"
    at = np.linspace(0.3, 4.0, 5)
    gradient = sg.grad(lambda x: (x * sg.special.bessel_j1(x)).sum())(at)
    np.testing.assert_allclose(form(x=at), gradient, rtol=1e-12)


def test_a_case_at_a_point_has_its_number_and_goes_where_the_rest_has_it():
    assert str(sg.derive("besseli(1, x)", "x")) == "{1/2 if x = 0; i0(x) - i1(x)/x otherwise}"
    assert str(sg.derive("where(x == 0, x + y, y)*x", "y")) == "x"
    assert "if x = 0" in str(sg.derive("where(x == 0, xlogy(x, x) + y, 2*y)", "y"))
