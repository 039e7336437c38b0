"""Derivatives of numbers by numbers, as a teacher writes them on the blackboard."""

import math

import numpy as np
import pytest
import sympy as sp
from reader_text import matrix_value

import symgrad as sg
from symgrad.forms.calculus.numbers import agrees
from symgrad.forms.calculus.search import shortest
from symgrad.forms.canon.numbers import number
from symgrad.forms.evaluate import evaluate
from symgrad.forms.evaluate_matrix import evaluate_matrix
from symgrad.forms.rewrites import identities
from symgrad.scalars import SCALARS

x, y, a, b, c, k, t = (sg.symbol(s) for s in "xyabckt")
p, q, g, L, A, K, N, al, s = (sg.symbol(n, positive=True) for n in ("p", "q", "g", "L", "A", "K", "N", "al", "s"))

POLYNOMIALS = [
    (x**3 - 3 * x**2 + 2, x, "3*x**2 - 6*x"),
    (x**4 / 4 - 2 * x**3 / 3 + x, x, "x**3 - 2*x**2 + 1"),
    ((x - 1) ** 3 * (x + 2) ** 2, x, "(x - 1)**2*(x + 2)*(5*x + 4)"),
    ((2 * x + 1) ** 5, x, "10*(2*x + 1)**4"),
    (a * x**3 + b * x**2 + c * x + 1, x, "3*a*x**2 + 2*b*x + c"),
    ((x**2 + 1) * (x**3 + 3 * x), x, "5*x**4 + 12*x**2 + 3"),
    (math.pi * p**2 * q + 2 * math.pi * p * q, p, "2*pi*q*(p + 1)"),
]
DECIMALS = [
    (0.5 * x**2, x, "x"),
    (0.1 * x**3, x, "0.3*x**2"),
    (0.1 * x**3 - 0.25 * x**2 + 0.3333 * x, x, "0.3*x**2 - 0.5*x + 0.3333"),
    (x**2 / 3 - x / 2, x, "2*x/3 - 1/2"),
    (p * sg.exp(-0.1 * p), p, "exp(-0.1*p)*(1 - 0.1*p)"),
    (A * K**0.3 * N**0.7, K, "0.3*A*N**0.7/K**0.7"),
    (p**0.5, p, "1/(2*sqrt(p))"),
    (2 * math.pi * sg.sqrt(L / g), L, "pi/sqrt(L*g)"),
    (sg.sin(x) / 2**0.5, x, "sqrt(2)*cos(x)/2"),
    (sg.sqrt(2 * 9.81 * p), p, "9.81/sqrt(19.62*p)"),
    (2.5 * sg.sqrt(1.5 * p), p, "1.875/sqrt(1.5*p)"),
    (2 * math.pi * sg.sqrt(p / 9.81), p, "pi/sqrt(9.81*p)"),
    (1 / sg.sqrt(2.5 * p), p, "-0.5/(p*sqrt(2.5*p))"),
    (p * sg.sqrt(0.8 * p), p, "sqrt(1.8*p)"),
    (6.02e23 * p**2, p, "1.204e+24*p"),
    (3.14159 * p**2.14159, p, "6.7279977281*p**1.14159"),
    (6.67e-11 * a * b / p**2, p, "-1.334e-10*a*b/p**3"),
    (100 * p / (p + 0.5), p, "50/(p + 0.5)**2"),
    ((0.1 * x + 2) / (x**2 + 0.5), x, "(-0.1*x**2 - 4*x + 0.05)/(x**2 + 0.5)**2"),
    (1 / (0.5 * p + 1), p, "-0.5/(0.5*p + 1)**2"),
    ((x + 0.1 * a * x) ** 2 / 2, x, "x*(0.1*a + 1)**2"),
    ((2 + 0.1 * a) * x**2, x, "2*x*(0.1*a + 2)"),
    (0.3 * x**2 * (a + 0.2), x, "0.6*x*(a + 0.2)"),
]
FRACTIONS = [
    (x / (x**2 + 1), x, "(1 - x**2)/(x**2 + 1)**2"),
    ((3 * x - 2) / (x**2 - 5 * x + 7), x, "(-3*x**2 + 4*x + 11)/(x**2 - 5*x + 7)**2"),
    (x**2 / (x + 1), x, "x*(x + 2)/(x + 1)**2"),
    (1 / x**2, x, "-2/x**3"),
    (((x + 1) / (x - 1)) ** 2, x, "4*(x + 1)/(1 - x)**3"),
    (sg.asin(x / a), x, "sign(a)/sqrt(a**2 - x**2)"),
    (1 / x + 1 / x**2, x, "-(x + 2)/x**3"),
    ((x**2 + x + 1) ** -3, x, "-3*(2*x + 1)/(x**2 + x + 1)**4"),
    (sg.log((1 + x) / (1 - x)) / 2, x, "1/(1 - x**2)"),
    (((x + 1) / (x - 1)) ** 3, x, "-6*(x + 1)**2/(x - 1)**4"),
    (1 / (1 + p) ** t, p, "-t/(p + 1)**(t + 1)"),
]
ROOTS = [
    (sg.asin(x / 2), x, "1/sqrt(4 - x**2)"),
    (sg.exp(x) * sg.sin(x) / x, x, "exp(x)*(x*cos(x) + sin(x)*(x - 1))/x**2"),
    (sg.sqrt(2 * g * L), g, "sqrt(L/(2*g))"),
    (x * sg.sqrt(1 - x**2), x, "(1 - 2*x**2)/sqrt(1 - x**2)"),
    (sg.acos(sg.sqrt(p)), p, "-1/(2*sqrt(p*(1 - p)))"),
    (sg.log(x + sg.sqrt(x**2 + 1)), x, "1/sqrt(x**2 + 1)"),
    (2 * math.pi * sg.sqrt(L / g), g, "-pi*sqrt(L/g)/g"),
    (sg.sqrt(x**2), x, "sign(x)"),
    (p * sg.asin(x / p), x, "p/sqrt(p**2 - x**2)"),
    (sg.sqrt(1 + sg.sqrt(p)), p, "1/(4*sqrt(p)*sqrt(sqrt(p) + 1))"),
]
POWERS = [
    (p**p, p, "p**p*(log(p) + 1)"),
    (p ** sg.sin(p), p, "p**sin(p)*(log(p)*cos(p) + sin(p)/p)"),
    (sg.sin(x) ** x, x, "sin(x)**x*(x*cos(x)/sin(x) + log(sin(x)))"),
    (p ** (p**p), p, "p**p*p**(p**p)*(log(p)*(log(p) + 1) + 1/p)"),
    (A * K**al * N ** (1 - al), K, "A*K**(al - 1)*N**(1 - al)*al"),
    (p**a * (1 - p) ** b, p, "p**(a - 1)*(1 - p)**(b - 1)*(a - p*(a + b))"),
    (p**k * (1 - p) ** (t - k), p, "p**(k - 1)*(1 - p)**(t - k - 1)*(k - p*t)"),
    ((1 + 1 / p) ** p, p, "(1 + 1/p)**p*(log(1 + 1/p) - 1/(p + 1))"),
]
TRIGONOMETRY = [
    (sg.sin(x) / (1 + sg.cos(x)), x, "1/(cos(x) + 1)"),
    (2 * sg.sin(x) * sg.cos(x), x, "2*cos(2*x)"),
    (sg.sin(x) ** 2, x, "sin(2*x)"),
    (sg.tan(x), x, "1/cos(x)**2"),
    (sg.tan(x) ** 2, x, "2*tan(x)/cos(x)**2"),
    (1 / sg.cos(x), x, "tan(x)/cos(x)"),
    (sg.sin(x) / (sg.sin(x) + sg.cos(x)), x, "1/(sin(2*x) + 1)"),
    (x * sg.sin(x) + sg.cos(x), x, "x*cos(x)"),
    (a - c * sg.sin(a), a, "1 - c*cos(a)"),
    (sg.sin(2 * x) / sg.cos(x), x, "2*cos(x)"),
    (sg.sinh(2 * x) / sg.cosh(x), x, "2*cosh(x)"),
    (sg.cos(2 * x) / (sg.cos(x) - sg.sin(x)), x, "cos(x) - sin(x)"),
]
SQUARES_BELOW_ROOTS = [
    (lambda x: sg.asin(2 * x / (1 + x**2)), "2*sign(1 - x**2)/(x**2 + 1)"),
    (lambda x: sg.acos((1 - x**2) / (1 + x**2)), "2*sign(x)/(x**2 + 1)"),
    (lambda x: sg.asin(x / sg.sqrt(1 + x**2)), "1/(x**2 + 1)"),
    (lambda x: sg.asin(2 * x * sg.sqrt(1 - x**2)), "2*sign(1 - 2*x**2)/sqrt(1 - x**2)"),
    (lambda x: sg.asin((x - 1) / (x + 1)), "1/(sqrt(x)*(x + 1))"),
    (lambda x: sg.asinh((x**2 - 1) / (2 * x)), "1/abs(x)"),
    (lambda x: sg.acos(1 / x), "1/(sqrt(x**2 - 1)*abs(x))"),
    (lambda x: sg.asin(x / -0.5), "-2/sqrt(1 - 4*x**2)"),
    (lambda x: sg.sqrt(x**2 - 2 * x + 1), "sign(x - 1)"),
    (lambda x: sg.sqrt(x**4 + 2 * x**2 + 1), "2*x"),
    (lambda x: sg.sqrt(x**2 * (x + 1)), "sign(x)*(3*x + 2)/(2*sqrt(x + 1))"),
    (lambda x: sg.sqrt((1 - x) / (1 + x)), "-1/(sqrt(1 - x**2)*(x + 1))"),
    (lambda x: sg.sqrt((1 + sg.sin(x)) / (1 - sg.sin(x))), "sign(cos(x))/(1 - sin(x))"),
]
EXPONENTIALS = [
    ((sg.exp(x) - sg.exp(-x)) / (sg.exp(x) + sg.exp(-x)), x, "1 - tanh(x)**2"),
    ((sg.exp(x) + sg.exp(-x)) / 2, x, "sinh(x)"),
    (sg.log(sg.cosh(x)), x, "tanh(x)"),
    (sg.exp(x) / (1 + sg.exp(x)), x, "σ(x)*(1 - σ(x))"),
    (sg.exp(x) * sg.sin(x), x, "exp(x)*(sin(x) + cos(x))"),
    (sg.exp(-a * x) * sg.sin(b * x), x, "exp(-a*x)*(b*cos(b*x) - a*sin(b*x))"),
    (p**2 * sg.log(p), p, "p*(2*log(p) + 1)"),
    (0.5 * (1 + sg.erf(x / 2**0.5)), x, "φ(x)"),
    (sg.erf(x), x, "2*exp(-x**2)/sqrt(pi)"),
    (sg.erf(x / 2**0.5), x, "sqrt(2/pi)*exp(-x**2/2)"),  # φ and Φ only where they are in the function
    (sg.log(1 + sg.erf(x)), x, "2*exp(-x**2)/(sqrt(pi)*(erf(x) + 1))"),
    (sg.log(1 + sg.erf(x / 2**0.5)), x, "φ(x)/Φ(x)"),
    (sg.atan(sg.exp(x)), x, "1/(2*cosh(x))"),
    (2 ** (x**2), x, "2*x*2**(x**2)*log(2)"),
    (x**2 * 2**x, x, "x*2**x*(x*log(2) + 2)"),
    (sg.sign(x) * sg.sqrt(sg.abs(x)), x, "1/(2*sqrt(abs(x)))"),
]
TABLE = [*POLYNOMIALS, *DECIMALS, *FRACTIONS, *ROOTS, *POWERS, *TRIGONOMETRY, *EXPONENTIALS]


@pytest.mark.parametrize(("f", "by", "text"), TABLE, ids=[text for *_, text in TABLE])
def test_derivative_of_a_number_is_written_so_and_right(f, by, text):
    form = sg.derive(f, by)
    assert str(form) == text
    given = {name: np.float64(0.3 + 0.15 * k) for k, name in enumerate(form.args)}
    assert matrix_value(text, (), given) == pytest.approx(float(form.lambdify()(**given)), rel=1e-12)


@pytest.mark.parametrize(("f", "text"), SQUARES_BELOW_ROOTS, ids=[text for _, text in SQUARES_BELOW_ROOTS])
def test_what_leaves_a_root_keeps_its_sign(f, text):
    form = sg.derive(f(x), x)
    assert str(form) == text
    places = [place for place in (-3.1, -0.8, -0.3, 0.3, 0.8, 3.1) if np.isfinite(float(f(sg.tensor(place))))]
    assert len(places) > 1
    for place in places:
        assert form.lambdify()(place) == pytest.approx(sg.grad(f)(place), rel=1e-12)


@pytest.mark.parametrize(
    ("f", "by", "text"),
    [
        (1 / (1 + x**2), x, "2*(3*x**2 - 1)/(x**2 + 1)**3"),
        (sg.sin(x) ** 2, x, "2*cos(2*x)"),
        (sg.exp(-(x**2) / 2), x, "exp(-x**2/2)*(x**2 - 1)"),
        (sg.tan(x), x, "2*tan(x)/cos(x)**2"),
        (sg.erf(x / 2**0.5), x, "-x*sqrt(2/pi)*exp(-x**2/2)"),
        (sg.asin(sg.sqrt(x)), x, "(2*x - 1)/(4*(x*(1 - x))**(3/2))"),
        (2 * sg.atan(sg.exp(x)), x, "-tanh(x)/cosh(x)"),
        (x**2 * sg.exp(x) / (1 + x**2), x, "exp(x)*(x**6 + 2*x**4 + 4*x**3 - 5*x**2 + 4*x + 2)/(x**2 + 1)**3"),
    ],
)
def test_second_derivative_of_a_number_is_written_so(f, by, text):
    assert str(sg.derive(f, by, order=2)) == text


# ------------------------------------------------------------------ Black and Scholes
S, rate, time = (sg.symbol(n, positive=True) for n in ("S", "r", "t"))
below = lambda z: 0.5 * (1 + sg.erf(z / 2**0.5))
d1 = (sg.log(S / K) + (rate + s**2 / 2) * time) / (s * sg.sqrt(time))
call = S * below(d1) - K * sg.exp(-rate * time) * below(d1 - s * sg.sqrt(time))
Z1 = "z = (t*(r + s**2/2) + log(S/K))/(s*sqrt(t))"
Z2 = "z = (t*(2*r - s**2) + 2*log(S/K))/(2*s*sqrt(t))"


@pytest.mark.parametrize(
    ("by", "order", "text"),
    [
        (S, 1, f"Φ(z) where {Z1}"),
        (K, 1, f"-exp(-r*t)*Φ(z) where {Z2}"),
        (s, 1, f"S*sqrt(t)*φ(z) where {Z1}"),
        (rate, 1, f"K*t*exp(-r*t)*Φ(z) where {Z2}"),
        (S, 2, f"φ(z)/(S*s*sqrt(t)) where {Z1}"),
    ],
)
def test_derivatives_of_an_option_price_are_those_of_the_books(by, order, text):
    form = sg.derive(call, by, order=order)
    assert str(form) == text
    given = {"S": 1.2, "K": 0.9, "r": 0.3, "s": 0.7, "t": 1.6}
    value = float(form.lambdify()(**{k: np.float64(given[k]) for k in form.args}))
    assert matrix_value(text, (), {k: np.float64(v) for k, v in given.items()}) == pytest.approx(value, rel=1e-9)


def test_several_derivatives_of_numbers_are_written_so():
    forms = sg.derive(K**0.3 * N**0.7 + sg.sin(p) ** 2, [K, N, p])
    assert str(forms) == "d/dK = 0.3*N**0.7/K**0.7\nd/dN = 0.7*K**0.3/N**0.3\nd/dp = sin(2*p)"


# ------------------------------------------------------------------ cases
CASES = [
    (sg.maximum(p**2, 2 * p), p, "{2*p if p > 2; 3 if p = 2; 2 otherwise}"),
    (sg.maximum(x**2, 2 * x), x, "{2 if 0 < x < 2; 1 if x = 0; 3 if x = 2; 2*x otherwise}"),
    (sg.where(x < 1, x**2, 2 * x - 1), x, "{2*x if x < 1; 2 otherwise}"),
    (sg.where(x > 0, sg.sin(x), x), x, "{cos(x) if x > 0; 1 otherwise}"),
    (sg.where(x < 0, 0, sg.where(x < 1, x**2, 2 * x - 1)), x, "{0 if x < 0; 2*x if x < 1; 2 otherwise}"),
    (sg.where(p < 100, 0.1 * p, 10 + 0.2 * (p - 100)), p, "{0.1 if p < 100; 0.2 otherwise}"),
    (sg.minimum(sg.maximum(x, -1), 1), x, "[-1 < x < 1]"),
    (sg.clamp(x, 0, 1), x, "[0 ≤ x ≤ 1]"),
    (sg.relu(x) ** 2, x, "2*relu(x)"),
    (sg.maximum(sg.exp(x), 1), x, "{exp(x) if x > 0; 1/2 if x = 0; 0 otherwise}"),
    (x * sg.abs(x), x, "2*abs(x)"),
    (sg.maximum(x, y), x, "[x > y]"),
    (sg.maximum(a * x, (a - 1) * x), x, "a - [x < 0]"),
    (sg.where(sg.abs(x) <= q, x**2 / 2, q * (sg.abs(x) - q / 2)), x, "clamp(x, -q, q)"),
    (sg.nn.functional.elu(x), x, "{1 if x > 0; exp(x) otherwise}"),
    (sg.where((x > 0) & (x < 1), x**3, 0), x, "3*x**2*[0 < x < 1]"),
    (sg.where(x != 0, sg.exp(x), 1), x, "{exp(x) if x ≠ 0; 0 otherwise}"),
    (sg.where(x == 0, 1, sg.sin(x) / x), x, "{0 if x = 0; (x*cos(x) - sin(x))/x**2 otherwise}"),
    (sg.relu(x - p) - sg.relu(x - q), x, "[x > p] - [x > q]"),
    (sg.relu(x * y - 1) + sg.abs(x - a), x, "y*[x*y > 1] + sign(x - a)"),
    (sg.maximum(x**2 - y, 0), x, "2*x*[x**2 > y]"),
    (sg.sign(x) * sg.relu(sg.abs(x) - p), x, "[abs(x) > p]"),
    (sg.minimum(sg.minimum(x, y), a), x, "[x < a and x < y]"),
    (sg.maximum(x, 1 - x), x, "{1 if x > 1/2; 0 if x = 1/2; -1 otherwise}"),
    (sg.minimum(x, 3 - 2 * x), x, "{-2 if x > 1; -1/2 if x = 1; 1 otherwise}"),
]


@pytest.mark.parametrize(("f", "by", "text"), CASES, ids=[text for *_, text in CASES])
def test_cases_of_numbers_are_written_so_and_right_on_all_sides(f, by, text):
    form = sg.derive(f, by)
    assert str(form) == text
    assert r"\begin{cases}" in form.latex() or "otherwise" not in text
    values = form.lambdify()
    ties = (0.0, 0.5, 1.0, 2.0) if text.count(" if ") > 1 and by is not p else ()
    for place in (0.3, 1.5, 2.5, 150.0, *(() if by is p else (-3.0, -0.5)), *ties):
        given = {name: np.float64(place if name == by.name else 0.7) for name in form.args}
        expected = float(values(**given))
        assert matrix_value(text, (), given) == pytest.approx(expected, rel=1e-12)
        assert evaluate_matrix(form.expr, (), given) == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize(
    ("f", "at", "value"),
    [
        (lambda x: sg.maximum(x**2, 2 * x), 2.0, 3.0),
        (lambda x: sg.maximum(x, 0), 0.0, 0.5),
        (lambda x: sg.minimum(sg.maximum(x, -1), 1), 1.0, 0.5),
        (lambda x: sg.clamp(x, 0, 1), 1.0, 1.0),
        (lambda x: sg.where(x < 1, x**2, 3 * x), 1.0, 3.0),
        (lambda x: sg.abs(x) * 2 + sg.maximum(3 * x, x), 0.0, 2.0),
    ],
)
def test_expression_has_the_value_at_the_kink_that_its_text_leaves_out(f, at, value):
    form = sg.derive(f(x), x)
    assert float(evaluate_matrix(form.expr, (), {"x": np.float64(at)})) == value
    assert float(evaluate(form.index(), (), (), {"x": np.float64(at)})) == value
    assert float(form.lambdify()(at)) == value
    here = sg.tensor(at, requires_grad=True, name="x")
    assert float(sg.derive(f(here), here, verify=True).lambdify()()) == value


X, w, z, e, d = sg.symbol("X", ("n", "d")), sg.symbol("w", "d"), sg.symbol("z", "n"), sg.symbol("e", "n"), q
r1, r2 = X @ w - z, z - X @ w
ARRAYS = [
    (sg.where(sg.abs(r1) <= d, 0.5 * r1**2, d * (sg.abs(r1) - 0.5 * d)).sum(), w, "Xᵀ*clamp(X*w - z, -q, q)"),
    (sg.where(sg.abs(r1) < d, r1**2 / 2, d * sg.abs(r1) - d**2 / 2).mean(), w, "Xᵀ*clamp(X*w - z, -q, q)/n"),
    (sg.nn.functional.smooth_l1_loss(X @ w, z, reduction="sum"), w, "Xᵀ*clamp(X*w - z, -1, 1)"),
    (sg.maximum(a * r2, (a - 1) * r2).sum(), w, "Xᵀ*([z < X*w] - a)"),
    (sg.maximum(z, e).sum(), z, "[z > e]"),
    (sg.where(z > 0, z**2, -z).sum(), z, "{2*z if z > 0; -1 otherwise}"),
    (sg.where(z > 1, z, sg.where(z > 0, z**2, 0)).sum(), z, "{0 if z < 0; 2*z if z ≤ 1; 1 otherwise}"),
    (sg.nn.functional.elu(z).sum(), z, "{1 if z > 0; exp(z) otherwise}"),
]


@pytest.mark.parametrize(("f", "by", "text"), ARRAYS, ids=[text for *_, text in ARRAYS])
def test_cases_of_arrays_are_written_so_and_right(f, by, text):
    form = sg.derive(f, by)
    assert str(form) == text
    rng = np.random.default_rng(1)
    sizes = {"n": 5, "d": 3}
    given = {
        name: rng.normal(size=[sizes[str(n)] for n in leaf.shape]) if leaf.shape else np.float64(0.4)
        for leaf, name in zip(form._leaves, form.args, strict=True)
    }
    expected = form.lambdify()(**given)
    assert np.allclose(matrix_value(text, expected.shape, given, sizes), expected, atol=1e-12)
    assert np.allclose(evaluate_matrix(form.expr, expected.shape, {**given, **sizes}), expected, atol=1e-12)


# ------------------------------------------------------------------ the identities
u, v, w = sp.symbols("u v w", real=True)
r = sp.Symbol("r", positive=True)
σ, Φ = identities.SIGMOID, identities.NDTR
IDENTITIES = {
    identities.tangent: (sp.sin(u) ** 3 / sp.cos(u) ** 2 * v, sp.tan(u) ** 2 * sp.sin(u) * v),
    identities.hyperbolic_tangent: (sp.sinh(u) / sp.cosh(u) ** 2, sp.tanh(u) / sp.cosh(u)),
    identities.powers_of_one_base: (u**v * w / u, u ** (v - 1) * w),
    identities.power_into_a_sum: (r**v * (w / r - u), r ** (v - 1) * (w - r * u)),
    identities.sine_of_a_tangent: (sp.tan(u), sp.sin(u) / sp.cos(u)),
    identities.sinh_of_a_tanh: (sp.tanh(u), sp.sinh(u) / sp.cosh(u)),
    identities.exponential_of_a_logistic: (σ(u), sp.exp(u) / (1 + sp.exp(u))),
    identities.sine_of_the_double: (3 * sp.sin(u) * sp.cos(u), 3 * sp.sin(2 * u) / 2),
    identities.sinh_of_the_double: (sp.sinh(u) ** 2 * sp.cosh(u) ** 2, sp.sinh(2 * u) ** 2 / 4),
    identities.sign_times_its_argument: (u * sp.sign(u), sp.Abs(u)),
    identities.difference_of_squares: (w / sp.sqrt((1 - u) * (1 + u)), w / sp.sqrt(1 - u**2)),
    identities.square_of_two_terms: (u**2 + 2 * u * v + v**2 + w, (u + v) ** 2 + w),
    identities.number_into_a_root: (sp.sqrt(1 - u**2 / r**2), sp.sqrt(r**2 - u**2) / r),
    identities.squares_out_of_a_root: (
        sp.sqrt(1 - 4 * u**2 / (u**2 + 1) ** 2) / w,
        sp.Abs(u**2 - 1) / ((u**2 + 1) * w),
    ),
    identities.quotient_in_a_root: (sp.sqrt((1 - u) / (1 + u)), sp.sqrt(1 - u**2) / (1 + u)),
    identities.logarithm_to_a_base: (v * sp.log(2) * SCALARS["log2"].function(u), v * sp.log(u)),
    identities.factors_into_a_root: (u * (1 - u) * sp.sqrt(u * (1 - u)) * w, (u * (1 - u)) ** sp.Rational(3, 2) * w),
    identities.signs_of_factors: (sp.sign(u - 1) * sp.sign(u + 1) * v, sp.sign(u**2 - 1) * v),
    identities.one_over_hyperbolic_cosine: (w * sp.exp(u) / (sp.exp(2 * u) + 1), w / (2 * sp.cosh(u))),
    identities.one_over_hyperbolic_sine: (w * sp.exp(u) / (sp.exp(2 * u) - 1), w / (2 * sp.sinh(u))),
    identities.double_beside_its_angle: (sp.sin(2 * u) * sp.sin(u), 2 * sp.sin(u) ** 2 * sp.cos(u)),
    identities.pythagoras: (v * sp.sin(u) ** 2 + v * sp.cos(u) ** 2 + 1, v + 1),
    identities.pythagoras_of_the_sine: (3 - 2 * sp.sin(u) ** 2, 1 + 2 * sp.cos(u) ** 2),
    identities.pythagoras_of_the_cosine: (1 - sp.cos(u) ** 2, sp.sin(u) ** 2),
    identities.pythagoras_of_the_tangent: (2 + 2 * sp.tan(u) ** 2, 2 / sp.cos(u) ** 2),
    identities.hyperbolic_pythagoras: (1 + sp.sinh(u) ** 2, sp.cosh(u) ** 2),
    identities.hyperbolic_pythagoras_of_the_cosine: (sp.cosh(u) ** 2 - 1, sp.sinh(u) ** 2),
    identities.hyperbolic_pythagoras_of_both: (sp.cosh(u) ** 2 - sp.sinh(u) ** 2, sp.S.One),
    identities.hyperbolic_pythagoras_of_the_tangent: (1 - sp.tanh(u) ** 2, 1 / sp.cosh(u) ** 2),
    identities.cosine_of_the_double: (sp.cos(u) ** 2 - sp.sin(u) ** 2, sp.cos(2 * u)),
    identities.cosine_of_the_double_by_the_sine: (1 - 2 * sp.sin(u) ** 2, sp.cos(2 * u)),
    identities.cosine_of_the_double_by_the_cosine: (2 * sp.cos(u) ** 2 - 1, sp.cos(2 * u)),
    identities.cosh_of_the_double: (sp.cosh(u) ** 2 + sp.sinh(u) ** 2, sp.cosh(2 * u)),
    identities.hyperbolic_sine: (sp.exp(u) - sp.exp(-u), 2 * sp.sinh(u)),
    identities.hyperbolic_cosine: (v * sp.exp(u) + v * sp.exp(-u), 2 * v * sp.cosh(u)),
    identities.normal_distribution: (1 + sp.erf(u / sp.sqrt(2)), 2 * Φ(u)),
    identities.normal_distribution_of_the_complement: (sp.erfc(u / sp.sqrt(2)), 2 * Φ(-u)),
    identities.normal_density: (
        u * sp.exp(-(v**2) / (2 * r)) / sp.sqrt(2 * sp.pi * r),
        u * identities.DENSITY(v / sp.sqrt(r)) / sp.sqrt(r),
    ),
    identities.exponentials_meet: (
        u * sp.exp(-(v**2)) - w * identities.DENSITY(v) * sp.exp(-(v**2) / 2 + 2 * sp.log(r)),
        u * sp.exp(-(v**2)) - w * r**2 * sp.exp(-(v**2)) / sp.sqrt(2 * sp.pi),
    ),
    identities.logistic: (1 / (1 + sp.exp(u)) ** 2, (1 - σ(u)) ** 2),
    identities.exponential_times_a_logistic: (sp.exp(-u) * σ(u) * v, v * (1 - σ(u))),
    identities.sign_into_a_sum: (-(u - v) / w, (v - u) / w),
    identities.common_factor: (u * sp.exp(v) + w * sp.exp(v), sp.exp(v) * (u + w)),
    identities.two_terms_share: (u * sp.exp(v) + w * sp.exp(v) + 1, sp.exp(v) * (u + w) + 1),
}


@pytest.mark.parametrize("rule", IDENTITIES, ids=lambda rule: rule.says)
def test_rule_is_an_identity(rule):
    before, after = IDENTITIES[rule]
    assert identities.everywhere(before, rule) == after
    assert agrees(before, after, {"r"})
    assert rule(u) is None


def test_every_rule_is_tested():
    assert set(identities.RULES) <= set(IDENTITIES)


@pytest.mark.parametrize(
    "e",
    [sp.log(u * v), sp.sqrt(u**2 * v), sp.cos(u) / sp.sin(u), sp.log(u**2), sp.Abs(u) * sp.sign(v)],
    ids=str,
)
def test_what_has_another_domain_is_left(e):
    assert shortest(e) == e


def test_a_formula_of_another_value_does_not_agree():
    assert not agrees(sp.sqrt(u**2), u, set())
    assert not agrees(u**2, u**2 + 1e-4, set())
    assert not agrees(sp.cos(u), sp.log(u) - sp.log(u) + sp.sqrt(1 - sp.sin(u) ** 2), set())


@pytest.mark.parametrize(
    ("value", "found"),
    [
        (2**0.5, sp.sqrt(2)), (0.7071067811865475, sp.sqrt(2) / 2), (math.pi / 180, sp.pi / 180),
        (1 / math.sqrt(2 * math.pi), 1 / sp.sqrt(2 * sp.pi)), (-math.log(10), -sp.log(10)),
        (1 / 12, sp.Rational(1, 12)), (0.1, sp.Rational(1, 10)), (0.70710678, sp.Float(0.70710678)),
        (1e300, sp.Float(1e300)), (math.inf, sp.oo),
    ],
)  # fmt: skip
def test_numbers_that_a_program_computed_are_recognised(value, found):
    assert number(value) == found
