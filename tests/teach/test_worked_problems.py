"""Extrema under constraints and on intervals, rates, errors, fits and Newton's method, checked by values."""

import itertools
import pickle

import mpmath
import numpy as np
import pytest
import sympy as sp

import symgrad as sg
from symgrad.errors import SymgradError

NAMES = {n: getattr(mpmath, n) for n in ("exp", "sin", "cos", "log", "sqrt", "atan", "pi")} | {"abs": abs, "max": max}


def function(text, names):
    code = compile(text, text, "eval")
    return lambda *at: eval(code, dict(NAMES), dict(zip(names, map(mpmath.mpf, at), strict=True)))


def slopes(f, at):
    n = len(at)
    return np.array([float(mpmath.diff(f, tuple(at), tuple(int(j == k) for j in range(n)))) for k in range(n)])


# ------------------------------------------------------------------ constraints
CONSTRAINED = [
    ("x*y", ["x**2 + y**2 = 8"]),
    ("x + y", ["x**2 + y**2 = 1"]),
    ("x**2 + y**2", ["x*y = 1"]),
    ("x*y*z", ["x + y + z = 3"]),
    ("x**2 + y**2 + z**2", ["x + 2*y + 3*z = 14"]),
    ("x + y", ["x**4 + y**4 = 2"]),
    ("x**2*y", ["x**2 + y**2 = 3"]),
    ("x + 2*y", ["x**2 + 4*y**2 = 4"]),
    ("exp(x*y)", ["x**2 + y**2 = 2"]),
    ("x + y + z", ["x**2 + y**2 = 2", "x + z = 1"]),
    ("x**2 + 2*y**2", ["x + y = 3"]),
    ("x**2 - y**2", ["x**2 + y**2 = 1"]),
    ("x*y", ["x + y = 10"]),
    ("x**3 + y**3", ["x**2 + y**2 = 4"]),
    ("x + 3*y - z", ["x**2 + y**2 + z**2 = 11"]),
    ("y", ["x**2 + x*y + y**2 = 3"]),
    ("x**2 + y**2", ["x**3 = y**2"]),
    ("z", ["x**2 + y**2 + z**2 = 4", "x + y + z = 1"]),
    ("x - y", ["x**2 - y**2 = 3"]),
]


@pytest.mark.parametrize(("text", "constraints"), CONSTRAINED)
def test_extrema_under_constraints_hold_by_values(text, constraints):
    found = sg.lagrange_multipliers(text, constraints)
    names = found.names
    f = function(text, names)
    gs = [function("({}) - ({})".format(*c.split("=")), names) for c in constraints]
    assert found.complete
    for p in found.points:
        at = np.array([float(q) for q in p.at.values()])
        multipliers = [float(m) for m in p.multipliers.values()]
        J = np.array([slopes(g, at) for g in gs])
        assert all(abs(g(*at)) < 1e-9 for g in gs)
        assert np.allclose(slopes(f, at), J.T @ multipliers, atol=1e-8)
        assert abs(f(*at) - p.value.value) < 1e-9
        check_kind(f, gs, at, p.kind)
    if found.maximum is not None:
        values = [float(f(*q)) for q in on_constraint(gs, len(names))]
        assert max(values) <= float(found.maximum) + 1e-9
        assert min(values) >= float(found.minimum) - 1e-9
    assert found.latex()
    assert str(pickle.loads(pickle.dumps(found))) == str(found)


def projected(gs, x):
    """Return the point of the constraints near x, by steps of Gauss and Newton."""
    for _ in range(40):
        value = np.array([float(g(*x)) for g in gs])
        x = x - np.linalg.pinv(np.array([slopes(g, x) for g in gs])) @ value
        if np.abs(value).max() < 1e-14:
            return x
    return None


def on_constraint(gs, n):
    rng = np.random.default_rng(1)
    made = [projected(gs, x) for x in rng.normal(size=(12, n)) * 2]
    return [x for x in made if x is not None]


def check_kind(f, gs, at, kind):
    rng = np.random.default_rng(2)
    near = [projected(gs, at + 0.02 * w / np.linalg.norm(w)) for w in rng.normal(size=(12, len(at)))]
    signs = {int(np.sign(float(f(*x) - f(*at)))) for x in near if x is not None and np.abs(x - at).max() > 1e-4} - {0}
    allowed = {"local minimum": [{1}], "local maximum": [{-1}], "neither": [{1, -1}]}
    assert kind not in allowed or signs in allowed[kind]


@pytest.mark.parametrize(
    ("text", "constraint", "kinds"),
    [
        ("x + y", "exp(x) + y**2 = 3", {"local maximum"}),
        ("x + y + z", "exp(x) + y**2 + z**2 = 3", {"local maximum"}),
        ("x**2 + y**2", "exp(x*y) = 1", set()),
    ],
)
def test_constraints_that_are_no_polynomials_hold_by_values(text, constraint, kinds):
    found = sg.lagrange_multipliers(text, constraint)
    f, g = function(text, found.names), function("({}) - ({})".format(*constraint.split("=")), found.names)
    assert {p.kind for p in found.points} == kinds
    assert not found.complete
    for p in found.points:
        at = np.array([float(q) for q in p.at.values()])
        assert abs(g(*at)) < 1e-9
        assert np.allclose(slopes(f, at), float(p.multipliers["λ"]) * slopes(g, at), atol=1e-8)


def test_singular_points_of_a_constraint_are_told():
    found = sg.lagrange_multipliers("x**2 + y**2", "x**3 = y**2")
    assert (found.points, [str(q) for q in found.singular[0].values()]) == ([], ["0", "0"])
    assert found.maximum is None


def test_solutions_that_are_not_listed_or_were_not_found_are_no_proof_of_none():
    curve = str(sg.lagrange_multipliers("x**2 + y**2", "x**2 + y**2 = 2"))
    assert "all points with x² + y² − 2 = 0 solve the system" in curve
    assert "no real solution" not in curve
    assert "no solution that was found" in str(sg.lagrange_multipliers("exp(x) + y", "y = exp(x)"))
    assert "no real solution" in str(sg.lagrange_multipliers("x + y", "x**2 + y**2 = -1"))


def test_the_multiplier_is_the_rate_of_the_extreme_value():
    first, second = (sg.lagrange_multipliers("x*y", f"x**2 + y**2 = {c}").maximum for c in ("8", "8.0001"))
    rate = (second.value - first.value) / mpmath.mpf("0.0001")
    (best, *_) = [p for p in sg.lagrange_multipliers("x*y", "x**2 + y**2 = 8").points if p.kind == "local maximum"]
    assert abs(rate - best.multipliers["λ"].value) < 1e-4


# ------------------------------------------------------------------ intervals
INTERVALS = [
    ("x**3 - 3*x", 0, 3),
    ("sin(x) + cos(x)", 0, 6),
    ("abs(x - 1)", -1, 2),
    ("sqrt(x)", 0, 4),
    ("x*exp(-x)", 0, 5),
    ("x**4 - 2*x**2", -2, 2),
    ("log(x)/x", 1, 5),
    ("x + 1/x", 0.5, 3),
    ("sin(x)**2", 0, 7),
    ("x*sqrt(4 - x**2)", -2, 2),
    ("x - 2*sin(x)", 0, 12),
    ("exp(-x**2)", -1, 2),
    ("max(x, 1 - x)", 0, 2),
    ("5", 0, 1),
    ("x**2", -3, 1),
    ("cos(3*x)", -1, 4),
    ("x/(1 + x**2)", -3, 3),
    ("abs(x**2 - 1)", -2, 2),
    ("x*sin(x)", 0, 9),
    ("atan(x)", -1, 1),
]


@pytest.mark.parametrize(("text", "low", "high"), INTERVALS)
def test_the_greatest_and_least_values_on_an_interval_are_those_of_many_points(text, low, high):
    best = sg.closed_interval(text, low, high, "x")
    f = function(text, ["x"])
    xs = np.linspace(low, high, 700)
    values = [float(f(x)) for x in xs]
    assert float(best.maximum.y) >= max(values) - 1e-9
    assert float(best.minimum.y) <= min(values) + 1e-9
    assert all(abs(float(f(float(c.x))) - float(c.y)) < 1e-6 for c in best.candidates)
    assert str(best)


# ------------------------------------------------------------------ chains, rates, errors
CHAINS = [
    ("x**2*y", {"x": "cos(t)", "y": "t"}),
    ("exp(x*y)", {"x": "t**2", "y": "1/t"}),
    ("log(x**2 + y**2)", {"x": "t", "y": "exp(t)"}),
    ("x*y*z", {"x": "t", "y": "t**2", "z": "sin(t)"}),
    ("sqrt(x + y)", {"x": "t**2", "y": "3"}),
    ("x/y", {"x": "sin(t)", "y": "2 + cos(t)"}),
]


@pytest.mark.parametrize(("text", "path"), CHAINS)
def test_the_chain_rule_along_a_path_has_the_value_of_a_difference(text, path):
    rule = sg.chain_rule(text, **path)
    f, parts = function(text, list(path)), [function(p, ["t"]) for p in path.values()]
    got = rule.derivatives["t"].subs({s: 1.3 for s in rule.derivatives["t"].free_symbols})
    assert abs(float(got) - float(mpmath.diff(lambda t: f(*[p(t) for p in parts]), 1.3))) < 1e-8
    assert "the tree of dependence has the branches f → x → t" in str(rule)
    assert rule.latex()


RATES = [
    ("x**2 + y**2 = 25", "y", {"x": 2}, {"x": 3, "y": 4}, -1.5),
    ("V = 4/3*pi*r**3", "r", {"V": 100}, {"r": 5}, 1 / np.pi),
    ("V = pi*r**2*h/3", "h", {"V": 2, "r": "1/2"}, {"r": 2, "h": 6}, 1.5 / np.pi - 3),
    ("A = x*y", "A", {"x": 1, "y": -2}, {"x": 3, "y": 4}, -2),
    ("x*y = z**2", "z", {"x": 1, "y": 1}, {"x": 4, "y": 1, "z": 2}, 1.25),
    ("p*v = n", "p", {"v": 3}, {"p": 2, "v": 5, "n": 10}, -1.2),
]


@pytest.mark.parametrize(("equation", "wanted", "rates", "at", "expected"), RATES)
def test_related_rates(equation, wanted, rates, at, expected):
    worked = sg.related_rates(equation, wanted, rates=rates, **at)
    assert abs(float(worked.rate) - expected) < 1e-12
    assert f"d{wanted}/dt = " in str(worked)
    assert worked.html()


def test_errors_propagate_by_derivatives():
    worked = sg.error_propagation("m*v**2/2", m=(2, 0.1), v=(3, 0.05))
    assert (str(worked.value), str(worked.maximal), str(worked.standard)) == ("9", "3/4", "3*sqrt(13)/20")
    worked = sg.error_propagation("a/b", a=(6, 0.3), b=(2, 0.1))
    assert float(worked.maximal) == pytest.approx(0.3 / 2 + 6 / 4 * 0.1)
    assert "Δf" in str(worked)


@pytest.mark.parametrize(("text", "p"), [("100 - 2*p", 20), ("5*p**(-2)", 3), ("exp(-p)", 2), ("log(p)", 3)])
def test_elasticities_are_percents_per_percent(text, p):
    f = function(text, ["p"])
    worked = sg.elasticity(text, p=p)
    assert float(worked.elasticities["p"]) == pytest.approx(float(p * mpmath.diff(f, p) / f(p)))
    assert "%" in str(worked)


@pytest.mark.parametrize(("text", "start"), [("x**2 - 2", 1), ("cos(x) - x", 1), ("exp(x) - 3*x", 0)])
def test_newtons_method_ends_at_a_zero(text, start):
    worked = sg.newton(text, x=start)
    f = function(text, ["x"])
    assert worked.converged
    assert abs(f(worked.root)) < 1e-12
    for a, b in itertools.pairwise(worked.iterates[:3]):
        assert abs(b - (a - f(a) / mpmath.diff(f, a))) < 1e-9
    assert "have not settled yet" in str(sg.newton("x**3 - 2*x + 2", x=0))


def test_normal_equations_fit_as_numpy_does():
    x, y = [0, 1, 2, 4], [1, 3, 4, 0.5]
    worked = sg.normal_equations("y = a + b*x + c*x**2", x=x, y=y)
    expected = np.polynomial.polynomial.polyfit(x, y, 2)
    assert np.allclose([float(worked.coefficients[n]) for n in "abc"], expected)
    rest = np.polynomial.polynomial.polyval(x, expected) - y
    assert float(worked.residual) == pytest.approx(float(rest @ rest))
    assert sg.normal_equations("y = a + b*x", x=[0, 1, 2], y=[1, 3, 4]).formula == "y = 3x/2 + 7/6"


@pytest.mark.parametrize(
    "call",
    [
        lambda: sg.lagrange_multipliers("x*y", ["x = 1", "y = 2"]),
        lambda: sg.lagrange_multipliers("a*x*y", "x + y = 1", ["x", "y"]),
        lambda: sg.closed_interval("1/x", -1, 1),
        lambda: sg.closed_interval("x", 2, 1),
        lambda: sg.closed_interval("sign(x)", -1, 1),
        lambda: sg.chain_rule("x*y"),
        lambda: sg.chain_rule("x*y", x="2", y="3"),
        lambda: sg.related_rates("x**2 + y**2 = 25", "y", rates={"x": 2}, x=3, y=5),
        lambda: sg.related_rates("x**2 + y**2 = 25", "y", rates={"x": 2}, x=5, y=0),
        lambda: sg.related_rates("x**2 + y**2", "y", rates={"x": 2}, x=3, y=5),
        lambda: sg.related_rates("x**2 + y**2 = 25", "y", rates={"x": 2}, x=3),
        lambda: sg.related_rates("x = y, y = z", "y", rates={"x": 2}, x=3, y=3),
        lambda: sg.error_propagation("a*b", a=(1, 0.1)),
        lambda: sg.error_propagation("a", a=3),
        lambda: sg.elasticity("p - 2", p=2),
        lambda: sg.newton("x**2 + 1", x=0),
        lambda: sg.newton("x**2 - 2", x=1, steps=0),
        lambda: sg.normal_equations("y = a*exp(b*x)", x=[0, 1], y=[1, 2]),
        lambda: sg.normal_equations("y = a + b*x", x=[1, 1], y=[1, 2]),
        lambda: sg.normal_equations("y = a, y = b", y=[1, 2]),
        lambda: sg.tangent_plane("x = y, y = z", x=3, y=3),
        lambda: sg.normal_equations("y = a + b*x", x=[1, 2, 3], y=[1, 2]),
    ],
)
def test_what_has_no_answer_is_refused(call):
    with pytest.raises(SymgradError, match=r"[Ee]xpected|Choose|Add|Substitute|does not determine|do not solve"):
        call()


@pytest.mark.parametrize(
    ("call", "name"),
    [
        (lambda: sg.newton("x**2 - 2", x0=1), "x0"),
        (lambda: sg.taylor_polynomial("sin(x)", a=0), "a"),
        (lambda: sg.study("x**2", "t"), "t"),
    ],
)
def test_a_name_that_the_formula_has_not_is_refused_with_the_one_it_has(call, name):
    with pytest.raises(SymgradError, match=f"Write x in place of {name}: x=1 as an argument"):
        call()


def test_sentences_about_extreme_values_and_taylor_coefficients_are_complete():
    text = " ".join(str(sg.lagrange_multipliers("x + 2*y + 2*z", "x**2 + y**2 + z**2 = 9")).split())
    assert "so that f has a greatest and a least value: f = 9 and f = −9." in text
    assert "multiplied by (x − a)ᵏ:" in str(sg.taylor_polynomial("log(1 + 2*x)", 3, x=0))


@pytest.mark.parametrize("high", ["pi", "π"])
def test_a_constant_alone_is_exact_as_the_end_of_an_interval(high):
    best = sg.closed_interval("x - 2*sin(x)", 0, high)
    assert [str(c.x) for c in best.candidates] == ["0", "π/3", "π"]
    assert str(best.maximum.y) == "π"
    assert sg.tangent("cos(x)", x="-pi").formula == "−1"


# ------------------------------------------------------------------ equations with parts
CONE = "V = pi*r**2*h/3, r = h/2"


@pytest.mark.parametrize("text", [CONE, "r = h/2; V = pi*r**2*h/3", "V = pi*r**2*h/3 where r = h/2"])
def test_other_equations_are_put_into_the_one_of_the_rates(text):
    filled = sg.related_rates(text, "h", rates={"V": 2}, h=3)
    assert filled.rate == 8 / (9 * sp.pi)
    assert "substitute h = 3, dV/dt = 2" in str(filled)
    assert pickle.loads(pickle.dumps(filled)).rate == filled.rate


def test_what_was_put_in_may_have_its_value_only():
    assert sg.related_rates(CONE, "h", rates={"V": 2}, h=3, r="3/2").rate == 8 / (9 * sp.pi)
    with pytest.raises(SymgradError, match="r = 2 does not solve the equations"):
        sg.related_rates(CONE, "h", rates={"V": 2}, h=3, r=2)
    with pytest.raises(SymgradError, match="has 2 equations"):
        sg.related_rates("x**2 + y**2 = 25, x + y = 7", "y", rates={"x": 2}, x=3, y=4)


def test_parts_of_an_equation_are_parts_of_both_sides():
    circle = "x**2 + u = 5 where u = y**2"
    assert sg.tangent_plane(circle, x=1, y=2).formula == "2x + 4y = 10"
    assert sg.tangent_plane("z = x**2 + u where u = y**2", x=1, y=2).formula == "z = 2x + 4y − 5"
    assert {p.value.exact for p in sg.lagrange_multipliers("x*y", "x**2 + u = 8 where u = y**2").points} == {4, -4}
    assert sg.normal_equations("y = a + b*u where u = x**2", x=[0, 1, 2], y=[1, 3, 9]).formula == "y = 2x² + 1"


@pytest.mark.parametrize(
    ("text", "order", "a", "formula"),
    [
        ("sqrt(x)", 2, 4, "2 + (x − 4)/4 − (x − 4)²/64"),
        ("1/x", 2, 2, "1/2 − (x − 2)/4 + (x − 2)²/8"),
        ("log(1 + x)", 3, 0, "x − x²/2 + x³/3"),
    ],
)
def test_taylor_polynomials_stand_in_powers_of_x_minus_a(text, order, a, formula):
    assert sg.taylor_polynomial(text, order, x=a).formula == formula
