"""Slopes to order 2 of functions of two arguments, and of quotients, from 1e-300 to 1e300, against mpmath's."""

import mpmath
import numpy as np
import pytest
import sympy as sp

import symgrad as sg
from symgrad.forms.verify import index_value, matrix_value

a, b = sp.symbols("a b", positive=True)
F = sg.nn.functional
SIZES = (1e-300, 1e-200, 1e-160, 0.3, 2.5, 1e160, 1e200, 1e300)
FUNCTIONS = {
    "a / b": (lambda p, q: p / q, a / b),
    "a reciprocal b": (lambda p, q: p * sg.reciprocal(q), a / b),
    "a rsqrt b": (lambda p, q: p * sg.rsqrt(q), a / sp.sqrt(b)),
    "a sqrt b": (lambda p, q: p * sg.sqrt(q), a * sp.sqrt(b)),
    "a log b": (lambda p, q: p * sg.log(q), a * sp.log(b)),
    "a log1p b": (lambda p, q: p * sg.log1p(q), a * sp.log(1 + b)),
    "a softsign b": (lambda p, q: p * F.softsign(q), a * b / (1 + b)),
    "xlogy": (sg.xlogy, a * sp.log(b)),
    "xlog1py": (sg.special.xlog1py, a * sp.log(1 + b)),
    "atan2": (sg.atan2, sp.atan2(a, b)),
    "hypot": (sg.hypot, sp.sqrt(a**2 + b**2)),
    "logaddexp": (sg.logaddexp, (1 / (1 + sp.exp(b - a)), 1 / (1 + sp.exp(a - b)))),  # the slopes, which do not cancel
    "logaddexp2": (sg.logaddexp2, (1 / (1 + 2 ** (b - a)), 1 / (1 + 2 ** (a - b)))),
    "pow": (sg.pow, a**b),
}


def pairs(name):
    """Each size of a beside four of b; exponents below 1000 that leave the power a number."""
    found = [(p, q) for k, p in enumerate(SIZES) for j, q in enumerate(SIZES) if (k + j) % 2 == 0 or k == j]
    return [(p, q) for p, q in found if name != "pow" or (q < 1 and (p > 1e-100 or q == 0.3))]


def slopes(f, p, q):
    """The two first slopes and the four second ones."""
    xs = [sg.tensor(np.array(v), requires_grad=True) for v in (p, q)]
    first = sg.autograd.grad(f(*xs).sum(), xs, create_graph=True, allow_unused=True)
    found = list(first)
    for g in first:
        alone = g is None or not g.requires_grad
        found += [None, None] if alone else sg.autograd.grad(g.sum(), xs, retain_graph=True, allow_unused=True)
    return [np.zeros(len(p)) if g is None else g.detach().numpy() for g in found]


def exactly(formula, at, digits):
    """The formula's value at a pair, rounded."""
    with mpmath.workdps(digits):
        y = mpmath.mpmathify(formula(*map(mpmath.mpf, at)))
        return float(y) if abs(y) < mpmath.mpf(2) ** 1024 else float(mpmath.sign(y)) * np.inf


def check(found, formula, spots, what, digits=60):
    exact = np.array([exactly(formula, s, digits) for s in spots])
    with np.errstate(all="ignore"):
        off = np.where(found == exact, 0.0, np.abs(found - exact) / (1e-12 * np.abs(exact) + 1e-307))
    worst = int(np.argmax(np.where(np.isnan(off), np.inf, off)))
    assert off[worst] <= 1, (what, spots[worst], found[worst], exact[worst])


@pytest.mark.parametrize("name", FUNCTIONS)
def test_slopes_to_order_two_hold_from_one_end_of_the_range_to_the_other(name):
    f, exact = FUNCTIONS[name]
    spots = pairs(name)
    with np.errstate(all="ignore"):
        found = slopes(f, *zip(*spots, strict=True))
    first = exact if isinstance(exact, tuple) else (sp.diff(exact, a), sp.diff(exact, b))
    every = [*first, *(sp.diff(d, by) for d in first for by in (a, b))]
    for k, (values, formula) in enumerate(zip(found, every, strict=True)):
        digits = 60 if isinstance(exact, tuple) else 700
        check(values, sp.lambdify((a, b), formula, "mpmath"), spots, f"{name}, slope {k}", digits)


QUOTIENTS = {
    "div": (lambda q: 1e160 / q, lambda q: -1e160 / q**2),
    "sum of divs": (lambda q: (1e160 / q).sum(), lambda q: -1e160 / q**2),
    "rsqrt": (lambda q: 1e160 * sg.rsqrt(q), lambda q: -1e160 / 2 / (q * mpmath.sqrt(q))),
    "xlogy": (lambda q: sg.xlogy(sg.tensor(1e160), q), lambda q: 1e160 / q),
}
SPOTS = np.array([1e-70, 3.0, 1e160, 1e200])


def _backward(f):
    def slope(q):
        x = sg.tensor(q, requires_grad=True)
        f(x).sum().backward()
        return x.grad

    return slope


def _formula(evaluated):
    def way(f):
        def slope(q):
            x = sg.tensor(q, requires_grad=True, name="q")
            return evaluated(sg.derive(f(x).sum(), wrt=x, verify=False))

        return slope

    return way


WAYS = {
    "backward": _backward,
    "grad": lambda f: sg.grad(lambda q: f(q).sum()),
    "forward": lambda f: lambda q: sg.jvp(f, (q,), (np.ones_like(q),))[1],
    "numpy": lambda f: sg.compile(sg.grad(lambda q: f(q).sum()), backend="numpy"),
    "python": lambda f: sg.compile(sg.grad(lambda q: f(q).sum()), backend="python"),
    "form": _formula(lambda form: form.lambdify()(SPOTS)),
    "index form": _formula(index_value),
    "llvm": lambda f: sg.compile(sg.grad(lambda q: f(q).sum()), backend="llvm"),
}


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("name", QUOTIENTS)
def test_every_way_to_a_quotients_slope_keeps_it_where_a_square_overflows(name, way):
    pytest.importorskip("llvmlite") if way == "llvm" else None
    f, exact = QUOTIENTS[name]
    with np.errstate(all="ignore"):
        found = np.asarray(WAYS[way](f)(SPOTS))
    if name == "sum of divs" and way == "forward":
        found, exact = np.atleast_1d(found), lambda q, one=exact: sum(map(one, map(mpmath.mpf, SPOTS)))
        check(found, exact, [(SPOTS[0],)], way)
    else:
        check(found, exact, [(s,) for s in SPOTS], way)


def test_a_matrix_form_divides_in_turn():
    p, q = (sg.tensor(v, requires_grad=True, name=n) for n, v in (("p", SPOTS), ("q", SPOTS)))
    form = sg.derive((p / q).sum(), wrt=q)
    assert str(form) == "-(p ⊘ q^⊙2)"
    np.testing.assert_allclose(matrix_value(form), -1 / SPOTS, rtol=1e-15)


def _nested(f, route):
    for k in route:
        f = (lambda g, k: sg.grad(lambda x, y: g(x, y).sum(), argnums=k))(f, k)
    return f


ROUTES = [(0,), (1,), (0, 0), (0, 1), (1, 0), (1, 1), (0, 0, 1), (0, 1, 1), (1, 0, 0), (1, 1, 0)]


@pytest.mark.parametrize("route", ROUTES, ids=lambda r: "".join("xy"[k] for k in r))
def test_powers_have_their_mixed_derivatives_where_the_exponent_is_a_whole_number(route):
    spots = [(x, y) for x in (0.3, 1.0, 2.5) for y in (0.0, 1.0, 2.0, 3.0, 0.5, -1.0)]
    p, q = np.array(spots).T
    formula = a**b
    for k in route:
        formula = sp.diff(formula, (a, b)[k])
    f = _nested(lambda x, y: x**y, route)
    for way in (f, sg.compile(f, backend="numpy")) if len(route) == 2 else (f,):
        exact = [exactly(sp.lambdify((a, b), formula, "mpmath"), s, 60) for s in spots]
        np.testing.assert_allclose(np.asarray(way(p, q)), exact, rtol=1e-14, atol=1e-40)


def test_a_power_of_itself_has_three_derivatives():
    f, found = lambda t: t**t, []
    for _ in range(3):
        f = sg.grad(f)
        found.append(float(f(1.0)))
    assert found == [1.0, 2.0, 3.0]


def test_slopes_of_powers_at_zero_are_those_of_torch():
    y = np.array([0.0, 1.0, 2.0, 3.0, 0.5, 1.5])
    with np.errstate(all="ignore"):
        slope, bend, other = (_nested(lambda x, y: x**y, r)(np.zeros(6), y) for r in ((0,), (0, 0), (1,)))
    np.testing.assert_array_equal(slope, [0.0, 1.0, 0.0, 0.0, np.inf, 0.0])
    np.testing.assert_array_equal(bend, [0.0, 0.0, 2.0, 0.0, -np.inf, np.inf])
    np.testing.assert_array_equal(other, np.zeros(6))
