"""Lessons of integrals whose limits or integrands move."""

import pickle

import pytest

import symgrad as sg

x, a = sg.symbol("x"), sg.symbol("a")


@pytest.mark.parametrize(
    ("integral", "lines"),
    [
        (
            sg.quad(lambda t: sg.exp(-(t**2)), 0, x**2),
            ("f(x) = ∫[0, x²] exp(−t²) dt", "g(b)·b′ with b = x²:", "f′(x) = exp(−(x²)²)·2x = 2x·exp(−x⁴)"),
        ),
        (
            sg.quad(lambda t: sg.cos(t**2), sg.sin(x), x**3),
            ("g(b)·b′ − g(a)·a′ with b = x³, a = sin(x):", "cos((x³)²)·3x² − cos(sin²(x))·cos(x)"),
        ),
        (sg.quad(lambda t: sg.log(t), x, 2), ("fundamental theorem of calculus, (∫ₐᵇ g dt)′ = −g(a)·a′", "= −log(x)")),
        (
            sg.quad(lambda t: sg.sin(x * t) / t, 1, x),
            ("Leibniz's rule, (∫ₐᵇ g dt)′ = g(b)·b′ + ∫ₐᵇ ∂g/∂x dt", "f′(x) = sin(x²)/x + ∫[1, x] t·cos(t·x)/t dt"),
        ),
        (
            sg.quad(lambda t: sg.sin(x * t) / t, x, x**2),
            (
                "with ∫ cos(t·x) dt = sin(t·x)/x:",
                "= (3·sin(x³) − 2·sin(x²))/x",
                "At t = 0 the integrand is continued by its limit x.",
            ),
        ),
    ],
)
def test_limits_and_integrands_that_move_are_differentiated_by_their_rule(integral, lines):
    text = " ".join(str(sg.explain(integral, x)).split())
    for line in lines:
        assert line in text


@pytest.mark.parametrize(
    ("integral", "condition"),
    [
        (sg.quad(lambda t: sg.sin(x * t) / t, x, x**2), "x ≠ 0"),
        (sg.quad(lambda t: sg.sin(t) / t, 0, x), "x ≠ 0"),
        (sg.quad(lambda t: 1 / (1 - t**2), 0, x), "|x| < 1"),
        (sg.quad(lambda t: 1 / t, x, x**3), "x ≠ 0"),
        (sg.quad(lambda t: 1 / t, x, x**2), "x > 0"),
        (sg.quad(lambda t: sg.log(t), x, 2), "x > 0"),
        (sg.quad(lambda t: 1 / sg.sqrt(t), 0, x), "x > 0"),
        (sg.quad(lambda t: sg.log(x * t), 1, 2), "x > 0"),
        (sg.quad(lambda t: 1 / (x + t), 1, x), "x < −1 or x > 0"),
        (sg.quad(lambda t: sg.exp(-(t**2)), 0, sg.sqrt(x)), "x > 0"),
        (sg.quad(lambda t: 1 / (t**2 - 4), 3, x), "x > 2"),
        (sg.quad(lambda t: sg.tan(t), 0, x), "|x| < π/2"),
        (sg.quad(lambda t: sg.exp(-(t**2)), 0, x), ""),
    ],
)
def test_the_integrand_is_defined_between_the_limits(integral, condition):
    first = str(sg.explain(integral, x)).splitlines()[0]
    assert first.rpartition("dt")[2].strip() == condition


def test_an_integral_of_two_names_is_differentiated_with_respect_to_each():
    e = sg.explain(sg.quad(lambda t: sg.exp(-a * t), 0, x), [a, x])
    assert "∂f/∂a = ∫[0, x] (−t·exp(−a·t)) dt" in str(e)
    assert "∂f/∂x = exp(−a·x)" in str(e)
    assert r"\int_{0}^{x}" in e.latex()
    assert str(pickle.loads(pickle.dumps(e))) == str(e)


def test_the_number_stands_at_the_end_where_the_limit_is_known():
    e = sg.explain(lambda x: sg.quad(lambda t: sg.exp(-(t**2)), 0, x**2), at=1.0)
    assert str(e).endswith("f′(1) = 0.735759")
    assert sg.explain(sg.quad(lambda t: sg.exp(-(t**2)), 0, x**2), x, order=2).form.expr is not None
