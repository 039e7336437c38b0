"""Integrals: values and derivatives against mpmath at 30 digits, Leibniz's rule, fixed nodes, errors."""

from __future__ import annotations

import math

import mpmath as mp
import numpy as np
import pytest

import symgrad as sg
from symgrad.errors import ArgumentError, ArgumentTypeError, NotConverged, NotDifferentiable, ShapeError, ValueNeeded

pytest.importorskip("scipy")
inf = math.inf

# θ ↦ ∫ f: the integrand in (m, x, θ), where m has the functions, and the limits as functions of (m, θ).
PROBLEMS = {
    "exponential": (lambda m, x, t: m.exp(-t * x), 0.0, inf, 1.3),
    "gauss": (lambda m, x, t: m.exp(-t * x**2), -inf, inf, 0.7),
    "half line, from below": (lambda m, x, t: m.exp(x * t), -inf, lambda m, t: t, 0.7),
    "moving limits": (lambda m, x, t: m.sin(t * x) / (1 + x**2), lambda m, t: -t, lambda m, t: t**2, 1.2),
    "elliptic": (lambda m, x, t: 1 / m.sqrt(1 - t**2 * m.sin(x) ** 2), 0.0, math.pi / 2, 0.6),
    "Bessel": (lambda m, x, t: m.cos(t * m.sin(x)) / math.pi, 0.0, math.pi, 2.0),
    "beta": (lambda m, x, t: x ** (t - 1) * (1 - x) ** 1.5, 0.0, 1.0, 2.4),
    "singular at an end": (lambda m, x, t: m.cos(t * x) / m.sqrt(x), 0.0, 1.0, 0.9),
    "logarithm": (lambda m, x, t: m.log(x) * m.exp(-t * x), 0.0, 2.0, 0.9),
    "backwards": (lambda m, x, t: t * x**2, 1.0, lambda m, t: -t, 0.9),
    "Fresnel": (lambda m, x, t: m.cos(t * x**2), 0.0, 2.0, 1.1),
    "Laplace": (lambda m, x, t: m.exp(-t * x) * m.sin(x), 0.0, inf, 0.8),
}


def problem(name, m, quad):
    f, a, b, at = PROBLEMS[name]
    limit = lambda g, t: g(m, t) if callable(g) else g
    return (lambda t: quad(lambda x, t: f(m, x, t), limit(a, t), limit(b, t), t)), at


@pytest.mark.parametrize("name", PROBLEMS)
def test_values_and_two_derivatives_are_mpmaths(name):
    mpmath = pytest.importorskip("mpmath")
    g, at = problem(name, sg, sg.quad)
    with mpmath.workdps(30):
        exact, _ = problem(name, mpmath, lambda f, a, b, t: mpmath.quad(lambda x: f(x, t), [a, b]))
        expected = [float(exact(mpmath.mpf(at)))]
        h = mpmath.mpf("1e-6")  # of differences at points on both sides, of which mpmath knows 30 digits
        below, middle, above = (exact(mpmath.mpf(at) + k * h) for k in (-1, 0, 1))
        expected += [float((above - below) / (2 * h)), float((above - 2 * middle + below) / h**2)]
    assert sg.as_tensor(g(at)).item() == pytest.approx(expected[0], rel=1e-9, abs=1e-11)
    assert sg.grad(g)(at) == pytest.approx(expected[1], rel=1e-8, abs=1e-10)
    assert sg.jacfwd(g)(at) == pytest.approx(expected[1], rel=1e-8, abs=1e-10)
    assert sg.hessian(g)(at) == pytest.approx(expected[2], rel=1e-6, abs=1e-8)


@pytest.mark.parametrize(
    "name", ["moving limits", "elliptic", "gauss", "half line, from below", "backwards", "Laplace"]
)
def test_fixed_nodes_and_compiled_functions_agree(name):
    f, at = problem(name, sg, sg.quad)
    fixed, _ = problem(name, sg, lambda *given: sg.quad(*given, order=120))
    expected = sg.value_and_grad(f)(at)
    np.testing.assert_allclose(sg.value_and_grad(fixed)(at), expected, rtol=1e-8)
    np.testing.assert_allclose(sg.compile(sg.value_and_grad(f), backend="numpy")(at), expected, rtol=1e-12)
    np.testing.assert_allclose(sg.compile(sg.value_and_grad(fixed))(at), expected, rtol=1e-8)
    points = np.array([at, at * 1.1])
    np.testing.assert_allclose(sg.vmap(sg.grad(f))(points), [sg.grad(f)(p) for p in points], rtol=1e-12)


def test_arrays_structures_and_what_is_taken_from_outside():
    outside = sg.tensor([0.3, 0.5], requires_grad=True)
    p = {"a": sg.tensor(1.2, requires_grad=True), "b": sg.tensor([0.7, 0.9], requires_grad=True)}

    def f(a, b, c):
        given = {"a": a, "b": b}
        return sg.quad(lambda x, p: sg.stack([sg.sin(p["a"] * x), x ** p["b"].sum()]) * c, 0.0, b[0], given)

    assert f(p["a"], p["b"], outside).shape == (2,)
    assert sg.autograd.gradcheck(f, (p["a"], p["b"], outside))
    assert sg.autograd.gradgradcheck(f, (p["a"], p["b"], outside))
    f(p["a"], p["b"], outside).sum().backward()
    assert outside.grad.shape == (2,)


def test_all_ways_to_the_derivative_agree():
    g = lambda a: sg.log(sg.quad(lambda x, a: sg.exp(-a * x**2), 0.0, a, a))
    sg.testing.crosscheck(g, 1.3)


def test_double_integrals():
    wedge = lambda t, **how: sg.dblquad(lambda y, x, t: sg.exp(t * x * y), 0.0, t, 0.0, lambda x: x, t, **how)
    assert sg.dblquad(lambda y, x: x * y, 0, 1, 0, lambda x: x).item() == pytest.approx(1 / 8)
    assert sg.grad(wedge)(0.8) == pytest.approx(sg.grad(lambda t: wedge(t, order=12))(0.8), rel=1e-9)
    with np.errstate(all="ignore"):
        h = 1e-5
        assert sg.grad(wedge)(0.8) == pytest.approx((wedge(0.8 + h) - wedge(0.8 - h)).item() / (2 * h), rel=1e-8)


def test_expectations():
    mean, cov = np.array([0.3, 0.2]), np.array([[1.0, 0.4], [0.4, 2.0]])
    value = lambda m, s: sg.expectation(lambda x: (x**2).sum() * x[0], m, s, order=4)
    # E x₀³ + E x₀ x₁² of a normal vector
    exact = lambda m, s: m[0] ** 3 + 3 * m[0] * s[0, 0] + m[0] * (m[1] ** 2 + s[1, 1]) + 2 * m[1] * s[0, 1]
    assert value(mean, cov).item() == pytest.approx(exact(mean, cov))
    slope = sg.grad(value, (0, 1))(mean, cov)
    np.testing.assert_allclose(slope[0], sg.grad(exact)(mean, cov), rtol=1e-12)
    by_s = sg.grad(exact, 1)(mean, cov)
    np.testing.assert_allclose(slope[1], (by_s + by_s.T) / 2, rtol=1e-12)
    assert sg.grad(lambda v: sg.expectation(sg.exp, 0.1, v))(0.5) == pytest.approx(math.exp(0.35) / 2, rel=1e-12)


A, B, W = sg.symbol("a", ()), sg.symbol("b", ()), sg.symbol("w", "n")
DECAY = sg.quad(lambda x, a: sg.exp(-a * x), 0.0, B, A)


@pytest.mark.parametrize(
    ("y", "x", "text"),
    [
        (DECAY, A, "∫(-x*exp(-a*x), x, 0, b)"),
        (DECAY, B, "exp(-a*b)"),
        (sg.log(DECAY), A, "∫(-x*exp(-a*x), x, 0, b)/∫(exp(-a*x), x, 0, b)"),
        (sg.quad(lambda a, c: c * a**2, 0.0, A, B), B, "∫(t**2, t, 0, a)"),
    ],
)
def test_leibniz_rule_is_printed(y, x, text):
    assert str(sg.derive(y, x)) == text


M = sg.tensor(np.array([[2.0, 1.0], [0.5, 3.0]]), name="A", requires_grad=True)
V = sg.tensor([0.4, 1.2], name="b", requires_grad=True)
OF_MATRICES = {
    "product": (lambda s, A, b: sg.sin(A @ b * s).sum(), "b", "∫(s*Aᵀ*cos(s*A*b), s, 0, 1)"),
    "by the matrix": (lambda s, A, b: sg.sin(A @ b * s).sum(), "A", "∫(s*cos(s*A*b)*bᵀ, s, 0, 1)"),
    "from the left": (lambda s, A, b: sg.tanh(b @ A * s).sum(), "b", "∫(s*A*(1 ⊘ cosh(s*Aᵀ*b)^⊙2), s, 0, 1)"),
    "quadratic": (
        lambda s, A, b: sg.exp(-s * (b @ A @ b)), "b", "∫(-s*exp(-s*(bᵀ*A*b))*(A + Aᵀ)*b, s, 0, 1)"),
    "Jacobian": (lambda s, A, b: sg.exp(-s * (A @ b)), "b", "∫(-s*diag(exp(-s*A*b))*A, s, 0, 1)"),
    "clash": (lambda b, A, c: b**2 * (A @ c).sum(), "b", "∫(t**2*Aᵀ*1, t, 0, 1)"),
}  # fmt: skip


@pytest.mark.parametrize("name", OF_MATRICES)
def test_what_stands_inside_is_written_in_matrices(name):
    f, x, text = OF_MATRICES[name]
    wrt = {"A": M, "b": V}[x]
    form = sg.derive(sg.quad(f, 0.0, 1.0, M, V), wrt, verify=True)
    assert str(form) == text
    assert form.latex().startswith(r"\int_{0}^{1} ")
    assert "einsum" not in form._repr_html_()
    exact = sg.jacobian(lambda A, b: sg.quad(f, 0.0, 1.0, A, b), "Ab".index(x))(M.detach(), V.detach())
    np.testing.assert_allclose(form.lambdify()(A=M.detach().numpy(), b=V.detach().numpy()), exact, rtol=1e-9)


def test_second_derivatives_and_explanations_write_it_in_matrices():
    y = sg.quad(lambda s, A, b: sg.sin(A @ b * s).sum(), 0.0, 1.0, M, V)
    assert str(sg.derive(y, V, order=2, verify=True)) == "∫(-s**2*Aᵀ*diag(sin(s*A*b))*A, s, 0, 1)"
    assert "∫(s·Aᵀ·cos(s·A·b), s, 0, 1)" in str(sg.explain(y, V))


def test_formulas_have_the_value_and_latex():
    form = sg.derive(DECAY, A)
    assert form.lambdify()(a=1.0, b=2.0) == pytest.approx(3 * math.exp(-2) - 1)
    assert form.latex() == r"\int_{0}^{b} - x e^{- a x}\,dx"
    assert "Leibniz" in str(sg.explain(DECAY, A, style="backprop"))


def _step(c, **how):
    return sg.quad(lambda x, c: sg.where(x < c, x, 0.0), 0.0, 1.0, c, **how)


def _bend(c, **how):
    return sg.quad(lambda x, c: sg.abs(x - c), 0.0, 1.0, c, **how)


def test_the_area_of_a_disc_grows_by_its_rim():
    half = lambda R: (lambda x: -sg.sqrt(R * R - x * x), lambda x: sg.sqrt(R * R - x * x))
    area = lambda R: sg.dblquad(lambda y, x: 1.0 + 0 * x, -R, R, *half(R))  # slopes of the inner limits are infinite
    assert sg.grad(area)(1.5) == pytest.approx(3 * math.pi, rel=1e-9)


_ENDLESS = {  # limits, and the integral of exp(−|x − a|) at a
    "up": ((0.0, inf), lambda m, a: 2 - m.exp(-a)),
    "down": ((inf, 0.0), lambda m, a: m.exp(-a) - 2),
    "from below": ((-inf, 0.0), lambda m, a: m.exp(-a)),
    "to below": ((0.0, -inf), lambda m, a: -m.exp(-a)),
    "all": ((-inf, inf), lambda m, a: 2 + 0 * a),
    "all, backwards": ((inf, -inf), lambda m, a: -2 + 0 * a),
}


@pytest.mark.parametrize("name", _ENDLESS)
def test_endless_ranges_are_split_and_go_either_way(name):
    (low, high), expected = _ENDLESS[name]
    decay = lambda a, **how: sg.quad(lambda x, a: sg.exp(-sg.abs(x - a)), low, high, a, points=[a], **how)
    for how in ({}, {"order": 80}):
        tol = 1e-5 if how else 1e-9
        assert decay(sg.tensor(0.7), **how).item() == pytest.approx(float(expected(mp, mp.mpf("0.7"))), rel=tol)
        slope = float(mp.diff(lambda a: expected(mp, a), mp.mpf("0.7")))
        assert sg.grad(lambda a, how=how: decay(a, **how))(0.7) == pytest.approx(slope, rel=tol, abs=tol)
    bell = sg.quad(lambda x: x * x * sg.exp(-x * x), low, high, order=60).item()
    whole = 1 if math.isinf(low) and math.isinf(high) else 0.5
    assert bell == pytest.approx(whole * math.sqrt(math.pi) / 2 * (1 if low < high else -1), rel=1e-7)


def test_points_outside_of_an_endless_range_are_ignored():
    for limits, at in (((-inf, 0.3), 5.0), ((0.3, inf), -5.0), ((inf, 0.3), -5.0), ((0.3, -inf), 5.0)):
        inward = float(np.sign(at))
        f = lambda x, inward=inward: sg.exp(-x * x) * sg.sqrt(inward * (0.3 - x))  # nan beyond
        found = sg.quad(f, *limits, points=[sg.tensor(at), sg.tensor(2.0 * np.sign(-at))]).item()
        assert found == pytest.approx(sg.quad(f, *limits).item(), rel=1e-9)


@pytest.mark.parametrize("forth", [True, False])
def test_series_with_limits_that_move_are_mpmaths(forth):
    ends = (lambda s: 0.3 + s, lambda s: 0.9 * (1 + s) ** 2)
    low, high = ends if forth else ends[::-1]
    f = lambda x, a: sg.exp(a * x * x) * sg.sin(x + a)
    found = sg.taylor(lambda s: sg.quad(f, low(s), high(s), 0.7 + s), 0.0, 4)
    g = lambda x, a: mp.exp(a * x * x) * mp.sin(x + a)
    expected = mp.taylor(lambda s: mp.quad(lambda x: g(x, mp.mpf("0.7") + s), [low(s), high(s)]), 0, 4)
    assert [float(c) for c in found] == pytest.approx([float(c) for c in expected], rel=1e-9)


def test_a_range_is_split_at_points_that_move():
    assert sg.grad(lambda c: _step(c, points=[c]))(0.3) == pytest.approx(0.3)
    assert sg.hessian(lambda c: _step(c, points=[c]))(0.3) == pytest.approx(1)
    assert sg.compile(sg.grad(lambda c: _step(c, points=[c])))(0.3) == pytest.approx(0.3)
    assert sg.grad(_bend)(0.3) == pytest.approx(-0.4)
    assert sg.hessian(lambda c: _bend(c, points=[c]))(0.3) == pytest.approx(2)
    assert float(_bend(0.3, order=5, points=[0.3])) == pytest.approx(0.29)
    assert float(sg.quad(lambda x: sg.exp(-sg.abs(x - 1)), 0, math.inf, points=[1.0])) == pytest.approx(
        2 - math.exp(-1)
    )
    assert sg.grad(lambda a: sg.quad(lambda x, a: a * sg.where(x < 0.5, 1.0, 0.0), 0, 1, a))(2.0) == pytest.approx(0.5)


_MATRIX = lambda d: sg.stack([sg.stack([d, 0 * d]), sg.stack([0 * d, 1 + d * d])])
_JUMPS = {  # of d, which is 0 at the jump, to what comes of it
    "quotient": lambda d: sg.abs(d) / d,
    "root of a square": lambda d: sg.sqrt(d**2) / d,
    "hypot": lambda d: d / sg.hypot(d, 0 * d),
    "rsqrt": lambda d: d * sg.rsqrt(d**2),
    "normalize": lambda d: sg.nn.functional.normalize(sg.stack([d, 0 * d]), dim=0)[0],
    "atan of a pole": lambda d: sg.atan(1 / d),
    "tanh of a pole": lambda d: sg.tanh(1 / d),
    "erf of a pole": lambda d: sg.erf(1 / d),
    "sigmoid of a pole": lambda d: sg.sigmoid(1 / d),
    "coth": lambda d: sg.tanh(1 / sg.tanh(d)),
    "digamma": lambda d: sg.atan(sg.digamma(d / 3)),
    "determinant": lambda d: sg.linalg.slogdet(_MATRIX(d))[0],
    "tan": lambda d: sg.atan(sg.tan(d + math.pi / 2)),
    "atan2": lambda d: sg.atan2(d, -1 + 0 * d),
    "angle": lambda d: sg.angle(sg.complex(-1 + 0 * d, d)),
    "heaviside": lambda d: sg.heaviside(d, 0 * d),
    "remainder": lambda d: sg.remainder(d, 5.0),
    "round": lambda d: sg.round(d / 4 + 0.5),
    "rint": lambda d: np.rint(0.5 - d / 4),
    "one of several": lambda d: sg.stack([d, sg.atan(1 / d)]),
    "beside large slopes": lambda d: 100 * sg.sin(9 * d) - 0.01 * d / sg.sqrt(d**2),
}


@pytest.mark.parametrize("name", _JUMPS)
def test_a_jump_that_moves_is_refused_and_right_when_it_is_a_point(name):
    jumping, fixed = _JUMPS[name], math.pi / 10
    integral = lambda t, **how: sg.quad(lambda x, t: jumping(x - t), -1.0, 1.0, t, **how).sum()
    with pytest.raises(NotDifferentiable, match=r"jump of the integrand.* at 0.314"):
        sg.grad(integral)(fixed)
    with pytest.raises(NotDifferentiable, match=r"jump of the integrand.* at 0.314"):
        sg.grad(lambda t: sg.quad(lambda x, t: jumping(x - t), 1.0, -1.0, t).sum())(fixed)
    # ∫ f(x − t) dx from −1 to 1 has the slope f(−1 − t) − f(1 − t)
    ends = [float(jumping(sg.tensor(x - fixed)).sum()) for x in (-1.0, 1.0)]
    assert sg.grad(lambda t: integral(t, points=[t]))(fixed) == pytest.approx(ends[0] - ends[1], rel=1e-8, abs=1e-10)


def _bell(x, m, s):
    return sg.exp(-(((x - m) / s) ** 2) / 2) / (s * math.sqrt(2 * math.pi))


@pytest.mark.parametrize(("low", "high", "s"), [(-10.0, 10.0, 0.01), (10.0, -10.0, 0.01), (-900.0, 100.0, 1.0)])
def test_a_peak_that_no_node_sees_is_looked_for(low, high, s):
    sign = 1.0 if low < high else -1.0
    assert sg.quad(lambda x: _bell(x, 0.37, s), low, high).item() == pytest.approx(sign, rel=1e-9)


def test_a_peak_of_an_array_that_no_node_sees_is_looked_for():
    both = sg.quad(lambda x: sg.stack([x * _bell(x, 0.37, 1.0), _bell(x, 0.37, 1.0)]), 100.0, -900.0)
    assert both.tolist() == pytest.approx([-0.37, -1.0], rel=1e-9)


@pytest.mark.parametrize(("low", "high"), [(-inf, inf), (0.0, inf), (inf, 0.0), (-5e8, 2e8)])
@pytest.mark.parametrize(("m", "s"), [(0.3, 1e-6), (53.1, 1e-3), (1e4, 1.0), (1e6, 1.0), (1e8, 10.0)])
def test_densities_are_found_wherever_they_are_and_however_narrow(low, high, m, s):
    sign = 1.0 if low < high else -1.0
    assert sg.quad(lambda x: _bell(x, m, s), low, high).item() == pytest.approx(sign, rel=1e-9)
    logistic = lambda x: sg.sigmoid(x) * sg.sigmoid(-x)
    both = sg.quad(lambda x: sg.stack([_bell(x, m, s), logistic(x) + _bell(x, m, s)]), low, high)
    smooth = {-inf: 1.0, -5e8: 1.0}.get(low, 0.5)
    assert both.tolist() == pytest.approx([sign, sign * (smooth + 1)], rel=1e-9)


_DENSITIES = {
    "normal": (lambda x: sg.stats.norm.pdf(x, 1e4, 1.0), -inf, inf),
    "gamma": (lambda x: sg.stats.gamma.pdf(x, 1e6), 0.0, inf),
    "beta": (lambda x: sg.stats.beta.pdf(x, 1e6, 3e6), 0.0, 1.0),
    "of a polynomial": (lambda x: sg.exp(-x * x / 2 + 1e4 * x - 0.5e8) / math.sqrt(2 * math.pi), -inf, inf),
    "of a logarithm": (lambda x: _bell(sg.log(x), 7.0, 1e-4) / x, 0.0, inf),
    "at an end": (lambda x: sg.exp(-x / 1e-7) / 1e-7, 0.0, 10.0),
    "of wide tails": (lambda x: 1e-6 / math.pi / (1e-12 + (x - 0.3) ** 2), -inf, inf),
    "of a condition": (lambda x: sg.where((x > 3.7) & (x < 3.7001), 1e4, 0.0), -100.0, 900.0),
}


@pytest.mark.parametrize("name", _DENSITIES)
def test_peaks_of_any_make_are_found(name):
    f, low, high = _DENSITIES[name]
    assert sg.quad(f, low, high).item() == pytest.approx(1.0, rel=1e-7)


@pytest.mark.parametrize("k", [1e2, 1e5, 1e7])
def test_derivatives_whose_own_integrand_is_a_peak_are_found(k):
    # ∫ s(k(x − t)) dx over 0 ≤ x ≤ 1 has the slope s(−kt) − s(k(1 − t))
    for step, rise in ((sg.tanh, 2.0), (sg.sigmoid, 1.0)):
        integral = lambda t, step=step: sg.quad(lambda x, t: step(k * (x - t)), 0.0, 1.0, t)
        assert sg.grad(integral)(0.3) == pytest.approx(-rise, rel=1e-9)
        assert sg.jvp(integral, (0.3,), (1.0,))[1] == pytest.approx(-rise, rel=1e-9)


def test_expectations_that_the_nodes_do_not_see_are_warned_of():
    for s in (1e-5, 1e-2):
        with pytest.warns(UserWarning, match=r"expectation: f is 0 at all 32 nodes, or one node .* larger order="):
            sg.expectation(lambda x, s=s: _bell(x, 0.17, s), 0.0, 1.0)
    assert sg.expectation(lambda x: _bell(x, 0.0, 0.7), 0.0, 1.0).item() == pytest.approx(0.3268, rel=1e-3)


@pytest.mark.parametrize(("low", "high"), [(-100.0, 100.0), (100.0, -100.0)])
def test_a_warning_says_that_nothing_is_seen_or_not_all(low, high):
    comb = lambda x: _bell(sg.sin(x + 0.7) * 1e9, 0.5, 1e-6)
    with pytest.warns(UserWarning, match=r"f has narrow peaks, and may have more .*\. For each, put points="):
        sg.quad(lambda x: comb(x) + _bell(x, 0.3, 1e-4), low, high)
    with pytest.warns(UserWarning, match=r"f is less than 1e-12 at all .* narrow peak, put points=\[c - w, c \+ w\]"):
        assert sg.quad(comb, low, high).item() == pytest.approx(0)
    # neither integrals that are 0, nor derivatives, nor integrals in integrals are remarked on
    assert sg.quad(lambda x: sg.sin(x), -3.0, 3.0).item() == pytest.approx(0, abs=1e-12)
    assert sg.grad(lambda a: sg.quad(lambda x, a: sg.where(x < 5, x, a * x), 0.0, 1.0, a))(2.0) == 0
    bell = sg.dblquad(lambda y, x: sg.exp(-x * x - y * y), -inf, inf, -inf, inf)
    assert bell.item() == pytest.approx(math.pi)


def test_what_jumps_at_a_fixed_place_or_not_at_all_has_its_derivative():
    fixed = sg.grad(lambda t: sg.quad(lambda x, t: t * t * sg.atan(1 / (x - 0.3)), -1.0, 1.0, t, points=[0.3]))
    assert fixed(0.7) == pytest.approx(1.4 * (_mean_of_atan(0.7) - _mean_of_atan(1.3)))
    assert sg.grad(lambda t: sg.quad(lambda x, t: t * t * sg.atan(1 / (x - 0.3)), -1.0, 1.0, t))(0.7) == (
        pytest.approx(fixed(0.7))
    )
    turned = sg.grad(lambda t: sg.quad(lambda x, t: sg.atan(t / (x - 0.3)), -1.0, 1.0, t))
    assert turned(0.7) == pytest.approx((math.log(0.7**2 + 0.49) - math.log(1.3**2 + 0.49)) / 2)
    flat = sg.grad(lambda t: sg.quad(lambda x, t: sg.exp(-1 / (x - t) ** 2), -1.0, 1.0, t))
    assert flat(0.37) == pytest.approx(math.exp(-1 / 1.37**2) - math.exp(-1 / 0.63**2))


@pytest.mark.parametrize("forth", [True, False])
@pytest.mark.parametrize(
    "jumping",
    [
        lambda x, t: sg.sign(x - t),
        lambda x, t: sg.atan2(x - t, -1 - x),
        lambda x, t: sg.where(x >= t, 2.0, x),
        lambda x, t: sg.where(x > t, 2.0, x),
    ],
)
def test_a_jump_at_a_limit_that_moves_with_it_is_refused(jumping, forth):
    def area(t, **how):
        return sg.quad(jumping, *((0.2, t) if forth else (t, 0.2)), t, **how)

    with pytest.raises(NotDifferentiable, match=r"jump of the integrand.* at 0\.7"):
        sg.grad(area)(0.7)
    h = 1e-5
    expected = (area(0.7 + h, points=[0.7 + h]).item() - area(0.7 - h, points=[0.7 - h]).item()) / (2 * h)
    assert sg.grad(lambda t: area(t, points=[t]))(0.7) == pytest.approx(expected, rel=1e-8)


def test_a_pole_at_a_limit_that_moves_with_it_is_refused():
    for low, high in ((0.2, None), (None, 0.2)):
        area = lambda t, ends=(low, high): sg.quad(
            lambda x, t: sg.atan(1 / (x - t)), *(t if e is None else e for e in ends), t
        )
        with pytest.raises(NotDifferentiable, match=r"jump of the integrand.* at 0\.7"):
            sg.grad(area)(0.7)


@pytest.mark.parametrize("forth", [True, False])
def test_a_kink_at_a_limit_that_moves_with_it_is_refused_in_the_second_derivative(forth):
    def area(t, **how):  # −½ (t − 0.2)² back, ½ (t − 0.2)² forth, times t
        return sg.quad(lambda x, t: t * sg.abs(x - t), *((0.2, t) if forth else (t, 0.2)), t, **how)

    sign, d = (1 if forth else -1), 0.7 - 0.2
    assert sg.grad(area)(0.7) == pytest.approx(sign * (d * d / 2 + 0.7 * d))
    with pytest.raises(NotDifferentiable, match=r"jump of the integrand.* at 0\.7"):
        sg.hessian(area)(0.7)
    assert sg.hessian(lambda t: area(t, points=[t]))(0.7) == pytest.approx(sign * (2 * d + 0.7))


@pytest.mark.parametrize(("low", "high"), [(-inf, 0.3), (0.3, -inf), (-inf, inf), (-9.0, inf)])
def test_jumps_far_out_on_endless_ranges_are_seen(low, high):
    tail = lambda t: sg.quad(lambda x, t: sg.where(x < t, 0.0, sg.exp(-x * x / 9)), low, high, t)
    with pytest.raises(NotDifferentiable, match=r"at -5\.7"):
        sg.grad(tail)(-5.7)


def _mean_of_atan(c):
    """∫₀ᶜ atan(1/u) du."""
    return c * math.atan(1 / c) + math.log1p(c * c) / 2


@pytest.mark.parametrize(
    ("call", "error", "said"),
    [
        (lambda: sg.quad(lambda x: 1 / x, 0.0, 1.0), NotConverged, "may diverge"),
        (lambda: sg.quad(lambda x: sg.stack([1 / x, x]), 0.0, 1.0), NotConverged, "may diverge"),
        (lambda: sg.quad(lambda x: x, 0.0, inf), NotConverged, "divergent"),
        (lambda: sg.quad(lambda x: sg.sqrt(x - 0.5), 0.0, 1.0), NotConverged, "not a number somewhere"),
        (lambda: sg.grad(lambda t: sg.quad(lambda x, t: x**-t, 0, 1, t))(1.5), NotConverged, "diverge"),
        (lambda: sg.quad(lambda x: x, 0.0, math.nan), NotConverged, "limit is nan"),
        (lambda: sg.quad(lambda x: x, 0.0, [1.0, 2.0]), ShapeError, r"the limit b has shape \[2\]"),
        (lambda: sg.quad(3.0, 0.0, 1.0), ArgumentTypeError, "expected a function"),
        (lambda: sg.quad(lambda x: x if x > 0 else -x, -1, 1), ValueNeeded, "sg.where"),
        (lambda: sg.quad(lambda x: (x, x), 0, 1), ArgumentTypeError, "returned 2 tensors"),
        (lambda: sg.quad(lambda x: sg.exp(1j * x), 0, 1), ArgumentTypeError, "complex"),
        (lambda: sg.quad(lambda x: x, 0, 1, order=-2), ArgumentError, "order=-2"),
        (lambda: sg.quad(lambda x: x, inf, inf, order=3), ArgumentError, "same infinity"),
        (lambda: sg.quad(lambda x: sg.exp(-x), 0, inf, points=[inf]), ArgumentError, "a point is infinite"),
        (lambda: sg.expectation(lambda x: x[0], np.zeros(2), np.array([[1, 0.9], [0, 1]])), ArgumentError, "symmetric"),
        (lambda: sg.expectation(sg.log, 0.0, 1.0), NotConverged, "not finite at some"),
        (lambda: sg.quad(lambda x: x / (1 + x * x), -inf, inf), NotConverged, "diverge"),
        (lambda: sg.quad(lambda x: x**3, -inf, inf), NotConverged, "diverge"),
        (lambda: sg.grad(_step)(0.3), NotDifferentiable, r"a jump of the integrand.* at 0.3.* points=\[c\]"),
        (lambda: sg.hessian(_bend)(0.3), NotDifferentiable, "at 0.3"),
        (lambda: sg.quad(lambda x: x, 0, 1, order=2.5), ArgumentError, r"order=2.5. Expected a positive integer"),
        (lambda: sg.quad(lambda x: x, 0, 1, limit=0.5), ArgumentError, r"limit=0.5. Expected a positive integer"),
        (lambda: sg.expectation(lambda x: x, [0.0, 1.0], 2.0), ShapeError, r"\(d, d\)"),
        (lambda: sg.expectation(lambda x: x.sum(), np.zeros(9), np.eye(9)), ArgumentError, "nodes are more than"),
        (lambda: sg.expectation(lambda x: x, 0.0, -1.0), ArgumentError, "variance"),
    ],
)
def test_bad_input_is_named(call, error, said):
    with pytest.raises(error, match=said):
        call()
