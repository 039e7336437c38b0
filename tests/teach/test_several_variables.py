"""Functions of several variables: each derivative, and each critical point, checked by values that mpmath computes."""

import itertools
import math
import pickle

import mpmath
import numpy as np
import pytest
from several_functions import SCALARS, SURFACES, VECTORS
from slow_tests import drawn, draws

import symgrad as sg
from symgrad.errors import ArgumentError

NAMES = {n: getattr(mpmath, n) for n in ("exp", "sin", "cos", "log", "sqrt", "atan", "tanh", "cosh", "sinh")}
POINT = (mpmath.mpf("0.71"), mpmath.mpf("1.32"), mpmath.mpf("0.57"))


def function(text, names):
    code = compile(text, text, "eval")
    return lambda *at: eval(code, dict(NAMES), dict(zip(names, map(mpmath.mpf, at), strict=True)))


def derivative(f, at, *by):
    return mpmath.diff(f, tuple(at), tuple(by))


def axis(n, k, times=1):
    return tuple(times if j == k else 0 for j in range(n))


def value(e, names, at):
    return mpmath.mpmathify(
        e.subs({s: v for s in e.free_symbols for n, v in zip(names, at, strict=True) if s.name == n})
    )


def is_near(a, b):
    return abs(a - b) < 1e-9 * (1 + abs(b))


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("x**2*y + y**2", "f rises along (0, 1) and falls along the parabola P + (t, −t²/2)"),
        ("(y - x**2)*(y - 2*x**2)", "f rises along (0, 1) and falls along the parabola P + (t, 3t²/2)"),
        ("x**4 - y**4", "f rises along (1, 0) and falls along (0, 1)"),
    ],
)
def test_a_degenerate_saddle_is_recognised_along_lines_and_parabolas(text, reason):
    [point] = sg.critical_points(text).points
    assert (point.kind, point.reason) == ("saddle point", reason)


@pytest.mark.parametrize("text", SCALARS)
def test_gradient_laplacian_and_hessian_have_the_values_of_differences(text):
    gradient, laplacian, hessian = sg.teach.gradient(text), sg.laplacian(text), sg.teach.hessian(text)
    names, n = gradient.names, len(gradient.names)
    f, at = function(text, names), POINT[:n]
    for k in range(n):
        assert is_near(value(gradient.expr[k], names, at), derivative(f, at, *axis(n, k)))
    second = [
        [derivative(f, at, *map(sum, zip(axis(n, i), axis(n, k), strict=True))) for k in range(n)] for i in range(n)
    ]
    assert is_near(value(laplacian.expr, names, at), sum(second[k][k] for k in range(n)))
    for i, k in itertools.product(range(n), repeat=2):
        assert is_near(value(hessian.expr[i, k], names, at), second[i][k])
    assert str(gradient)
    assert laplacian.latex()
    assert hessian.html()


@pytest.mark.parametrize("text", VECTORS)
def test_divergence_curl_and_determinant_have_the_values_of_differences(text):
    divergence, curl, determinant = sg.divergence(text), sg.curl(text), sg.jacobian_determinant(text)
    names = divergence.names
    n = len(names)
    parts, at = [function(p, names) for p in text[1:-1].split(", ")], POINT[:n]
    J = [[derivative(p, at, *axis(n, k)) for k in range(n)] for p in parts]
    assert is_near(value(divergence.expr, names, at), sum(J[k][k] for k in range(n)))
    pairs = [(0, 1)] if n == 2 else [(1, 2), (2, 0), (0, 1)]
    for e, (a, b) in zip(curl.entries, pairs, strict=True):
        assert is_near(value(e, names, at), J[b][a] - J[a][b])
    assert is_near(value(determinant.expr, names, at), mpmath.det(mpmath.matrix(J)))
    assert str(pickle.loads(pickle.dumps(curl))) == str(curl)
    assert divergence.latex()


CURVED = {
    "polar": (("r", "θ"), lambda r, t: (r * mpmath.cos(t), r * mpmath.sin(t))),
    "cylindrical": (("r", "θ", "z"), lambda r, t, z: (r * mpmath.cos(t), r * mpmath.sin(t), z)),
    "spherical": (
        ("r", "θ", "φ"),
        lambda r, t, p: (
            r * mpmath.sin(t) * mpmath.cos(p), r * mpmath.sin(t) * mpmath.sin(p), r * mpmath.cos(t)
        ),
    ),
}  # fmt: skip


def inverse(system, x, y, z=0):
    r, t = mpmath.hypot(x, y), mpmath.atan2(y, x)
    if system == "spherical":
        return mpmath.hypot(r, z), mpmath.atan2(r, z), t
    return (r, t) if system == "polar" else (r, t, z)


@pytest.mark.parametrize("system", CURVED)
@pytest.mark.parametrize("shape", ["r**2*sin(θ)", "r*cos(θ)**2 + 1/r", "exp(-r)", "log(r)*θ"])
def test_laplacians_of_curved_coordinates_are_those_of_cartesian_ones(system, shape):
    names, there = CURVED[system]
    text = shape + {"cylindrical": " + z**2*r", "spherical": " + r*sin(φ)", "polar": ""}[system]
    f, n = function(text, names), len(names)
    at = POINT[:n]
    plain = there(*at)
    expected = sum(derivative(lambda *c: f(*inverse(system, *c)), plain, *axis(n, k, 2)) for k in range(n))
    assert is_near(value(sg.laplacian(text, list(names), coordinates=system).expr, names, at), expected)


@pytest.mark.parametrize("system", CURVED)
def test_divergence_and_curl_of_a_gradient_are_laplacian_and_zero(system):
    names, _ = CURVED[system]
    f = {"polar": "r**3*sin(2*θ)", "cylindrical": "r**2*z*cos(θ)", "spherical": "r**2*sin(θ)*cos(φ)"}[system]
    gradient = [str(e) for e in sg.teach.gradient(f, list(names), coordinates=system).expr]
    assert {str(e) for e in sg.curl(gradient, list(names), coordinates=system).entries} == {"0"}
    divergence = sg.divergence(gradient, list(names), coordinates=system).expr
    laplacian = sg.laplacian(f, list(names), coordinates=system).expr
    assert is_near(value(divergence, names, POINT[: len(names)]), value(laplacian, names, POINT[: len(names)]))


def test_the_laplacian_of_the_inverse_distance_is_zero():
    v = sg.symbol("v", 3)
    assert sg.laplacian("1/norm(v)", "v", shapes={"v": 3}).expr == 0
    assert sg.laplacian(1 / sg.linalg.norm(v), v).expr == 0
    assert sg.divergence("v/norm(v)**3", "v", shapes={"v": 3}).expr == 0


def test_a_field_is_read_in_several_spellings():
    spellings = ["[x*y, y*z, z*x]", "(x*y, y*z, z*x)", "x*y i + y*z j + z*x k", ["x*y", "y*z", "z*x"]]
    assert {str(sg.divergence(s).expr) for s in spellings} == {"x + y + z"}
    assert str(sg.divergence(lambda x, y, z: sg.stack([x * y, y * z, z * x]), ["x", "y", "z"]).expr) == "x + y + z"


def test_a_divergence_is_written_with_its_partial_derivatives():
    assert str(sg.divergence("[x**2, x*y, z]")).splitlines() == [
        "F(x, y, z) = [x², x·y, z]",
        "  divergence ∇·F = ∂F₁/∂x + ∂F₂/∂y + ∂F₃/∂z:",
        "    ∂F₁/∂x = 2x",
        "    ∂F₂/∂y = x",
        "    ∂F₃/∂z = 1",
        "  ∇·F = 2x + x + 1 = 3x + 1",
    ]
    assert sg.curl("[-y, x, 0]").lesson[1].data()["operator"] == "curl"


@pytest.mark.parametrize(
    "call",
    [
        lambda: sg.divergence("x*y"),
        lambda: sg.divergence("[x, y]", ["x", "y", "z"]),
        lambda: sg.curl("[a, b, c, d]", ["a", "b", "c", "d"]),
        lambda: sg.laplacian("[x, y]"),
        lambda: sg.laplacian("r**2", coordinates="oblate"),
        lambda: sg.laplacian("r**2", ["r"], coordinates="polar"),
        lambda: sg.critical_points("a*x**2", "x"),
        lambda: sg.critical_points("3"),
        lambda: sg.tangent_plane("log(x*y)", x=0, y=1),
        lambda: sg.tangent_plane("x**2 + y**2", x=1),
        lambda: sg.tangent_plane("x**2 + y**2 + z**2 = 14", x=1, y=1, z=1),
        lambda: sg.tangent_plane("x**2 + y**2 - z**2 = 0", x=0, y=0, z=0),
        lambda: sg.directional_derivative("x*y", [0, 0], x=1, y=1),
        lambda: sg.directional_derivative("x*y", [1, 2, 3], x=1, y=1),
    ],
)
def test_what_has_no_answer_is_refused(call):
    with pytest.raises(ArgumentError, match=r"[Ee]xpected|Choose|there is no|Substitute"):
        call()


def test_planes_and_directions():
    assert sg.tangent_plane("x**2 + y**2", x=1, y=2).formula == "z = 2x + 4y − 5"
    assert sg.tangent_plane("z = x*exp(x*y)", x=1, y=0).formula == "z = x + y"
    assert sg.tangent_plane("x**2 + y**2 + z**2 = 14", x=1, y=2, z=3).formula == "2x + 4y + 6z = 28"
    slope = sg.directional_derivative("x**2*y", [3, 4], x=1, y=2)
    assert (str(slope.expr), str(slope.steepest)) == ("16/5", "sqrt(17)")
    assert "∇f(1, 2) = [4, 1]" in str(slope)
    assert sg.teach.hessian("x**3*y", x=1, y=2).definiteness == "indefinite"


# ------------------------------------------------------------------ critical points
def test_there_are_more_than_a_hundred_surfaces():
    assert len(set(SURFACES)) >= 100


@pytest.mark.parametrize("text", draws(SURFACES, first=30))
def test_nothing_false_is_said_of_critical_points(text):
    study = sg.study(text)
    f, n = function(text, study.names), len(study.names)
    for p in study.points:
        at = [q.value for q in p.at.values()]
        assert all(abs(derivative(f, at, *axis(n, k))) < 1e-9 for k in range(n)), p
        assert is_near(f(*at), p.value.value)
        assert all(q.exact is None or abs(mpmath.mpmathify(q.exact.evalf(40)) - q.value) < 1e-30 for q in p.at.values())
        check_kind(f, at, p.kind)
    if study.complete:
        check_that_none_is_missing(f, n, [[float(q) for q in p.at.values()] for p in study.points])
    if drawn(text) % 3 == 0:
        assert str(study)
        assert study.latex()


def check_kind(f, at, kind):
    """Compare f with its values all around, at three distances."""
    with mpmath.workdps(40):
        centre = f(*at)
        rng = np.random.default_rng(3)
        signs = set()
        for h in (mpmath.mpf(10) ** -3, mpmath.mpf(10) ** -4, mpmath.mpf(10) ** -5):
            ways = [w for w in itertools.product((-1, 0, 1), repeat=len(at)) if any(w)]
            for way in [*ways, *rng.normal(size=(300, len(at)))]:
                signs.add(
                    int(mpmath.sign(f(*[a + h * mpmath.mpf(float(w)) for a, w in zip(at, way, strict=True)]) - centre))
                )
    signs.discard(0)
    if kind != "not decided":
        assert signs == {"local minimum": {1}, "local maximum": {-1}, "saddle point": {1, -1}}[kind]


def check_that_none_is_missing(f, n, points):
    """Look for zeros of the gradient by steps of Gauss and Newton from random starts."""
    rng = np.random.default_rng(5)
    for start in rng.uniform(-3, 3, (12, n)):
        x = start
        for _ in range(25):
            try:
                g = np.array([float(derivative(f, x, *axis(n, k))) for k in range(n)])
                H = [[float(derivative(f, x, *map(sum, zip(axis(n, i), axis(n, k), strict=True)))) for k in range(n)]
                     for i in range(n)]  # fmt: skip
                step = np.linalg.solve(np.array(H) + 1e-13 * np.eye(n), g)
            except (ArithmeticError, ValueError, TypeError, np.linalg.LinAlgError):
                break
            x = x - step / max(1, np.linalg.norm(step))
            if np.linalg.norm(step) < 1e-9:
                if np.linalg.norm(g) < 1e-10 and max(abs(x)) < 5:
                    assert any(math.dist(x, p) < 1e-3 for p in points), (x, points)
                break


EXPECTED = {
    "x**3 + y**3 - 3*x*y": ["saddle point at (0, 0), value 0", "local minimum at (1, 1), value −1"],
    "x*y + 8/x + 8/y": ["local minimum at (2, 2), value 12"],
    "x**4 + y**4": ["local minimum at (0, 0), value 0"],
    "x**3 - 3*x*y**2": ["saddle point at (0, 0), value 0"],
    "(y - x**2)*(y - 2*x**2)": ["saddle point at (0, 0), value 0"],
    "x**2 - y": [],
}


@pytest.mark.parametrize("text", EXPECTED)
def test_critical_points_are_exact_where_there_is_a_formula(text):
    study = sg.critical_points(text)
    assert [str(p) for p in study.points] == EXPECTED[text]
    assert study.complete


def test_points_on_curves_that_newtons_method_comes_to_are_not_listed():
    study = sg.critical_points("sin(x*y)")
    assert [(*p.at,) for p in study.points] == [("x", "y")]
    assert [q.exact for q in study.points[0].at.values()] == [0, 0]
    assert study.points[0].kind == "saddle point"
    assert "All points with" in str(study)
    assert not [p for p in sg.lagrange_multipliers("x", "sin(x)*y = 0").points if p.multipliers]


@pytest.mark.parametrize(
    ("text", "count"), [("sin(x)**4 + y**4", 4), ("sin(x)**6 + y**2", 4), ("exp(x) - x - y**3", 1)]
)
def test_points_without_second_derivatives_are_listed_once_and_exactly(text, count):
    points = sg.critical_points(text).points
    assert len(points) == count
    assert all(q.exact is not None for p in points for q in p.at.values())
    assert "local maximum" not in [p.kind for p in points]


def test_slopes_that_vanish_far_out_are_no_points():
    study = sg.critical_points("exp(-x**2) + 1000000*y**2*(1 + sin(x)**2)")
    assert [p.kind for p in study.points] == ["saddle point"]
    assert "All points" not in str(study)


def test_what_is_not_proved_or_not_listed_is_told():
    assert "that there are no others is not proved" in " ".join(str(sg.critical_points("x**2 + exp(x) + y**2")).split())
    assert "All points with x + y = 0 are critical" in str(sg.critical_points("(x + y)**2"))
    assert "were not looked for" in " ".join(str(sg.critical_points("sqrt(x**2 + y**2)")).split())
    assert not sg.critical_points("abs(x) + y**2").complete
    assert "f has no critical point" in str(sg.study("x**2 - y"))


@pytest.mark.parametrize(
    ("f", "g", "point"),
    [
        ("2x + 3y", "sqrt(x) + sqrt(y) = 5", ["9", "4"]),
        ("x^(1/3) y^(2/3)", "2x + 3y = 90", ["15", "20"]),
        ("sqrt(x) + sqrt(y) + sqrt(z)", "x + y + z = 1", ["1/3"] * 3),
    ],
)
def test_all_solutions_of_systems_with_roots_are_found(f, g, point):
    study = sg.lagrange_multipliers(f, g)
    assert [[str(v) for v in p.at.values()] for p in study.points] == [point]
    assert study.complete


def test_a_multiplier_may_be_large():
    (point,) = sg.lagrange_multipliers("100*(x**2 + y**2)", "exp(x) + y = 3").points
    x, y = (float(v) for v in point.at.values())
    assert abs(x - y * np.exp(x)) < 1e-12  # the gradients are parallel
    assert abs(np.exp(x) + y - 3) < 1e-12


def test_a_path_is_differentiated_with_respect_to_its_names():
    both = sg.chain_rule("exp(u)*sin(v)", u="x*y", v="x**2")
    assert both.parameters == ["x", "y"]
    assert sg.chain_rule("x**2*y", x="cos(t)", y="a*t").parameters == ["t"]


def test_the_tangent_of_a_curve_is_told_as_one():
    line = sg.tangent_plane("x^2 + y^2 = 25", x=3, y=4)
    assert line.formula == "6x + 8y = 50"
    assert "at right angles to the curve, so that the tangent is" in " ".join(str(line).split())
    with pytest.raises(ArgumentError, match=r"Write sg\.tangent_plane\('x\^2 \+ y\^2 = 25', x=3, y=4\)"):
        sg.tangent("x^2 + y^2 = 25", x=3, y=4)
    with pytest.raises(ArgumentError, match=r"one name .* sg\.derive\('x\*y\*z = 1', 'z', 'x'\)"):
        sg.derive("x*y*z = 1", "z", ["x", "y"])


@pytest.mark.parametrize(
    ("text", "what"), [("cbrt(x)", "vertical"), ("abs(x)", "kink"), ("sqrt(abs(x))", "kink"), ("sign(x)", "jump")]
)
def test_why_a_curve_has_no_tangent_is_told(text, what):
    with pytest.raises(ArgumentError, match=what):
        sg.tangent(text, x=0)


def test_a_difference_of_squares_stays_one():
    assert "[[2·(y² − x²)/(x² + y²)², −4x·y/(x² + y²)²]" in str(sg.teach.hessian("log(x**2 + y**2)"))
