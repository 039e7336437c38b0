"""Taylor coefficients of all orders in one pass: against the function nearby, nested derivatives, mpmath and JAX."""

import math

import numpy as np
import pytest
from checks import every
from elementwise_rows import ROWS
from scipy_rows import ROWS as SCIPY_ROWS

import symgrad as sg
from symgrad.errors import ArgumentError, ArgumentTypeError, NotDifferentiable, ShapeError
from symgrad.ops.protocol import Op

from cases import Case

SMOOTH = [Case(row, 0) for row in [*ROWS, *SCIPY_ROWS] if not row.discrete]
STEP = 1e-4


@every(SMOOTH)
def test_each_coefficient_of_a_scalar_function_is_the_slope_of_the_one_before(case):
    """The first is the value, and k·cₖ is the slope of cₖ₋₁ along the line: a fault in any order is seen."""
    f, points = case.function(sg, sg.tensor), case.points
    ways = [np.full(np.shape(x), 0.7 + 0.2 * k) for k, x in enumerate(points)]

    def line(t):
        return f(*[x + t * v for x, v in zip(points, ways)])

    at = {h: [np.asarray(c, float) for c in sg.taylor(line, h, 6)] for h in (0.0, STEP, -STEP)}
    np.testing.assert_array_equal(at[0.0][0], np.asarray(line(sg.tensor(0.0)).numpy(), float))
    for k in range(1, 7):
        slope = (at[STEP][k - 1] - at[-STEP][k - 1]) / (2 * STEP)
        size = 1 + sum(abs(c) for c in at[0.0])
        assert np.all(abs(k * at[0.0][k] - slope) <= 2e-4 * size), (k, case)


def _odeint(m, x):
    """Logistic growth: y' = xy(1 − y), y(0) = 0.3x."""
    if m is sg:
        ts = np.array([0.0, 1.0])
        return sg.odeint(lambda y, t, c: c * y * (1 - y), 0.3 * x, ts, x, rtol=1e-12, atol=1e-13)[1]
    return 1 / (1 + (1 / (m.mpf("0.3") * x) - 1) * m.exp(-x))


def _moving(m, x):
    """∫ exp(−x u²) du from sin x to 1 + x."""
    if m is sg:
        return sg.quad(lambda u, c: sg.exp(-c * u * u), sg.sin(x), 1 + x, x)
    root = m.sqrt(x)
    return m.sqrt(m.pi) / 2 / root * (m.erf(root * (1 + x)) - m.erf(root * m.sin(x)))


def _half_line(m, x):
    """∫ exp(−x u) du from x to infinity."""
    return sg.quad(lambda u, c: sg.exp(-c * u), x, np.inf, x) if m is sg else m.exp(-x * x) / x


@pytest.mark.parametrize(("f", "rtol"), [(_odeint, 1e-8), (_moving, 1e-9), (_half_line, 1e-9)])
def test_order_12_of_integrals_and_solutions_is_that_of_mpmath(f, rtol):
    pytest.importorskip("scipy", reason="integrates with SciPy")
    mpmath = pytest.importorskip("mpmath", reason="compares with mpmath")
    with mpmath.workdps(40):
        exact = [float(c) for c in mpmath.taylor(lambda x: f(mpmath, x), mpmath.mpf("0.7"), 12)]
    np.testing.assert_allclose(sg.taylor(lambda x: f(sg, x), 0.7, 12), exact, rtol=rtol, atol=1e-13)


def test_coefficients_of_loops_integrals_and_solutions_are_differentiated_and_compiled():
    pytest.importorskip("scipy", reason="integrates with SciPy")
    for f in (_odeint, _moving, _loop):

        def second(x, f=f):
            return sg.taylor(lambda t: f(sg, t), x, 2)[2]

        expected = 3 * sg.taylor(lambda t, f=f: f(sg, t), 0.7, 3)[3]
        assert sg.grad(second)(0.7) == pytest.approx(expected, rel=1e-8)
        assert sg.compile(second)(0.7) == pytest.approx(second(0.7), rel=1e-10)


def _matrices(t):
    M = sg.tensor([[2.0, 0.3], [0.1, 1.5]]) + t * sg.tensor([[0.2, 1.0], [0.5, 0.4]])
    return [
        sg.linalg.inv(M), sg.linalg.det(M), sg.linalg.solve(M, sg.tensor([1.0, 2.0])), sg.linalg.cholesky(M @ M.T),
        sg.linalg.slogdet(M)[1], sg.linalg.eigvalsh(M + M.T), M @ M @ M, sg.softmax(M, -1), M.prod(), M.norm(),
    ]  # fmt: skip


def _nested(f, x, k):
    return f(x) if k == 0 else sg.jvp(lambda s: _nested(f, s, k - 1), (x,), (1.0,))[1]


def test_coefficients_of_matrices_are_those_of_nested_derivatives():
    found = sg.taylor(_matrices, 0.3, 3)
    for k in range(4):
        for c, d in zip(found[k], _nested(_matrices, 0.3, k), strict=True):
            np.testing.assert_allclose(np.asarray(c) * math.factorial(k), d, rtol=1e-9, atol=1e-11)


A, B = (
    np.array([[2.0, 0.3, 0.1], [0.1, 1.5, 0.2], [0.3, -0.2, 1.8]]),
    np.array([[0.2, 1, 0.3], [0.5, 0.4, -0.2], [0, 0.3, 0.6]]),
)
FEW = np.outer([1.0, 2, -1, 0.5, 3], [1.0, -1, 2, 0.5, 1])  # of rank 1, as the next one
WIDE = np.cos(np.arange(25.0)).reshape(5, 5)


def _loop(m, x):
    """Three steps of c ← c·t + sin c, and their sum."""
    if m is sg:
        c, ys = sg.scan(lambda c, u: (c * x * u + sg.sin(c), c * x), x * 2, sg.tensor([1.0, 0.5, -1.0]))
        return c + ys.sum()
    c, total = x * 2, 0
    for u in (1, m.mpf("0.5"), -1):
        c, total = c * x * u + m.sin(c), total + c * x
    return c + total


def _of_matrix(name, a=A, b=B):
    return lambda m, x: (
        getattr(sg.linalg, name)(sg.tensor(a) + sg.sin(x) * sg.tensor(b))
        if m is sg
        else getattr(m, {"matrix_exp": "expm"}.get(name, name))(m.matrix(a.tolist()) + m.sin(x) * m.matrix(b.tolist()))
    )


ORDER_20 = {
    "det": (_of_matrix("det"), 0.4),
    "det of few": (_of_matrix("det", FEW + FEW.T, WIDE), 0.0),
    "det of zero": (_of_matrix("det", 0 * A, B), 0.0),
    "matrix_exp": (_of_matrix("matrix_exp"), 0.4),
    "sqrtm": (_of_matrix("sqrtm", A[:2, :2], B[:2, :2]), 0.4),
    "logm": (_of_matrix("logm", A[:2, :2], B[:2, :2]), 0.4),
    "scan": (_loop, 0.4),
    "inv": (lambda m, x: _of_matrix("inv")(m, x) if m is sg else _of_matrix("det")(m, x) ** 0 * (
        m.matrix(A.tolist()) + m.sin(x) * m.matrix(B.tolist())) ** -1, 0.4),
}  # fmt: skip


def _by_circle(mpmath, f, x, order):
    """Cauchy's integral over a circle of radius 1/4, by the trapezoidal rule; f is real, so half of it is enough."""
    count, radius = 48, mpmath.mpf("0.25")
    around = [mpmath.expjpi(mpmath.mpf(2 * k) / count) for k in range(count // 2 + 1)]
    values = [f(mpmath, x + radius * z) for z in around]
    values = [list(v) if isinstance(v, mpmath.matrix) else [v] for v in values]
    share = [mpmath.mpf(1 if k % (count // 2) == 0 else 2) / count for k in range(len(around))]
    weights = [[w * z**-k / radius**k for z, w in zip(around, share)] for k in range(order + 1)]
    return [
        [float(mpmath.re(sum(w * v[e] for w, v in zip(ws, values)))) for e in range(len(values[0]))] for ws in weights
    ]


@pytest.mark.parametrize("name", ORDER_20)
def test_order_20_of_matrices_and_loops_is_that_of_mpmath(name):
    mpmath = pytest.importorskip("mpmath", reason="compares with mpmath")
    f, x = ORDER_20[name]
    with mpmath.workdps(32):
        exact = _by_circle(mpmath, f, mpmath.mpf(x), 20)
    for found, wanted in zip(sg.taylor(lambda t: f(sg, t), x, 20), exact, strict=True):
        np.testing.assert_allclose(np.ravel(found), wanted, rtol=1e-10, atol=1e-10 * np.abs(wanted).max() + 1e-13)


@pytest.mark.parametrize("name", ORDER_20)
def test_the_number_of_operations_grows_with_the_square_of_the_order(monkeypatch, name):
    f, x = ORDER_20[name]
    calls = 0

    def counted(op, *args, call=Op.__call__):
        nonlocal calls
        calls += 1
        return call(op, *args)

    monkeypatch.setattr(Op, "__call__", counted)
    counts = []
    for order in (5, 10, 20):
        sg.taylor(lambda t: f(sg, t), x, order)
        counts.append(calls)
        calls = 0
    assert counts[2] <= 4.5 * counts[1]
    assert counts[2] < 2000, counts


C, D = WIDE[:4, :4] + 2 * np.eye(4), WIDE[1:, 1:]
GRADIENTS = {
    "det": (lambda X: sg.linalg.det(X), A, B),
    "det of four rows": (lambda X: sg.linalg.det(X), C, D),
    "matrix_exp": (lambda X: (sg.linalg.matrix_exp(X) ** 2).sum(), A, B),
    "sqrtm": (lambda X: sg.linalg.sqrtm(X).sum(), A[:2, :2], B[:2, :2]),
    "logm": (lambda X: sg.linalg.logm(X).sum(), A[:2, :2], B[:2, :2]),
    "scan": (lambda X: sg.fori_loop(0, 3, lambda i, c: sg.sin(c) @ X, X).sum(), A, B),
}


@pytest.mark.parametrize("name", GRADIENTS)
@pytest.mark.parametrize("of", [sg.grad, sg.hessian], ids=["gradient", "hessian"])
def test_coefficients_of_gradients_are_those_of_nested_derivatives_and_of_bounded_cost(monkeypatch, name, of):
    f, a, b = GRADIENTS[name]
    line = lambda t: of(f)(sg.tensor(a) + sg.sin(t) * sg.tensor(b))
    found = sg.taylor(line, 0.2, 2)
    for k in range(3):
        np.testing.assert_allclose(found[k] * math.factorial(k), _nested(line, 0.2, k), rtol=1e-8, atol=1e-9)
    calls = []
    monkeypatch.setattr(Op, "__call__", lambda op, *args, call=Op.__call__: (calls.append(op), call(op, *args))[1])
    last = sg.taylor(line, 0.2, 9)[9]
    assert len(calls) < 6000
    near = [sg.taylor(line, 0.2 + h, 9)[8] for h in (STEP, -STEP)]
    allowed = 1e-4 * np.abs(last).max() + 1e-9
    np.testing.assert_allclose(9 * last, (near[0] - near[1]) / (2 * STEP), rtol=1e-4, atol=allowed)


def test_coefficients_of_solutions_whose_times_move():
    """y' = −c·y² from 1 is 1/(1 + c·(t − t₀)), here with c = x, t₀ = x/2 and t = x, 1 + x²."""
    mpmath = pytest.importorskip("mpmath", reason="compares with mpmath")

    def f(x):
        ts = sg.stack([x / 2, x, 1 + x * x])
        return sg.odeint(lambda y, t, c: -c * y * y, 1.0, ts, x, rtol=1e-12, atol=1e-13)[1:]

    found = np.array([np.asarray(c) for c in sg.taylor(f, 0.7, 8)])
    for k, exact in enumerate((lambda x: 1 / (1 + x * x / 2), lambda x: 1 / (1 + x * (1 + x * x - x / 2)))):
        np.testing.assert_allclose(found[:, k], [float(c) for c in mpmath.taylor(exact, 0.7, 8)], rtol=1e-8)


def test_coefficients_of_an_events_time():
    def when(k):
        event = lambda y, t, k: y - 0.3
        return sg.odeint_event(lambda y, t, k: -k * y, 1.0, 0.0, k, event=event, t_max=9.0, rtol=1e-11, atol=1e-12)[0]

    exact = [-math.log(0.3) * (-1) ** k / 0.7 ** (k + 1) for k in range(3)]
    np.testing.assert_allclose(sg.taylor(when, 0.7, 2), exact, rtol=1e-8)


def test_coefficients_of_the_gradient_of_a_solution():
    def slope(t):
        ts = np.array([0.0, 1.0])
        return sg.grad(lambda c: sg.odeint(lambda y, s, c: -c * y, 1.0, ts, c, rtol=1e-10, atol=1e-11)[1])(t)

    exact = [(-1) ** (k + 1) * math.exp(-0.7) / math.factorial(k) for k in range(6)]
    np.testing.assert_allclose(sg.taylor(slope, 0.7, 5), exact, rtol=1e-7)


def test_order_20_is_that_of_mpmath_at_30_digits():
    mpmath = pytest.importorskip("mpmath", reason="compares with mpmath")

    def f(m, x):
        return m.exp(m.sin(x)) * m.log(1 + x**2) / m.sqrt(2 + x) + m.atan(x) ** 2.5 + m.erf(x)

    sg_names = type("names", (), {**{n: staticmethod(getattr(sg, n)) for n in ("exp", "sin", "log", "sqrt", "atan")},
                                  "erf": staticmethod(sg.special.erf)})  # fmt: skip
    with mpmath.workdps(30):
        exact = [float(c) for c in mpmath.taylor(lambda x: f(mpmath, x), mpmath.mpf("0.75"), 20)]
    np.testing.assert_allclose(sg.taylor(lambda x: f(sg_names, x), 0.75, 20), exact, rtol=1e-11, atol=1e-13)


def test_jet_has_the_conventions_of_jax():
    jax = pytest.importorskip("jax", reason="compares with JAX")
    jets = pytest.importorskip("jax.experimental.jet", reason="compares with JAX")
    xs, series = (0.5, 2.0), ([1.0, 0.5, -0.2], [0.3, 1.0, 0.7])
    for scaled in (True, False):
        ours = sg.jet(lambda x, y: sg.exp(x) * y, xs, series, factorial_scaled=scaled)
        theirs = jets.jet(lambda x, y: jax.numpy.exp(x) * y, xs, series, factorial_scaled=scaled)
        np.testing.assert_allclose(ours[0], theirs[0], rtol=1e-6)
        np.testing.assert_allclose(ours[1], theirs[1], rtol=1e-5)


def test_coefficients_are_differentiated_mapped_and_compiled():
    def third(x):
        return sg.taylor(sg.sin, x, 3)[3]

    assert sg.grad(third)(0.5) == pytest.approx(math.sin(0.5) / 6)
    assert sg.compile(third)(0.5) == pytest.approx(-math.cos(0.5) / 6)
    np.testing.assert_allclose(sg.vmap(third)(np.array([0.5, 0.7])), -np.cos([0.5, 0.7]) / 6)


class Both(sg.autograd.Function):
    """exp and sin, with the rule of their derivatives."""

    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return sg.exp(x), sg.sin(x)

    @staticmethod
    def backward(ctx, g, h):
        (x,) = ctx.saved_tensors
        return g * sg.exp(x) + h * sg.cos(x)


REPLAYED = {
    "checkpoint": sg.checkpoint(lambda x: sg.exp(x) * sg.sin(x)),
    "checkpoint of two results": lambda x: sg.mul(*sg.checkpoint(lambda x: (sg.exp(x), sg.sin(x)))(x)),
    "checkpoint inside": sg.checkpoint(lambda x: sg.checkpoint(sg.exp)(x) * sg.sin(x)),
    "two outputs of a Function": lambda x: sg.mul(*Both.apply(x)),
}


@pytest.mark.parametrize("name", REPLAYED)
def test_coefficients_go_through_checkpoints_and_custom_functions(name):
    mpmath = pytest.importorskip("mpmath", reason="compares with mpmath")
    with mpmath.workdps(30):
        want = [float(c) for c in mpmath.taylor(lambda t: mpmath.exp(t) * mpmath.sin(t), mpmath.mpf("0.3"), 4)]
    f = REPLAYED[name]
    np.testing.assert_allclose(sg.taylor(f, 0.3, 4), want, rtol=1e-13)
    np.testing.assert_allclose(sg.compile(lambda x: sg.taylor(f, x, 4))(0.3), want, rtol=1e-13)
    assert abs(sg.grad(lambda x: sg.taylor(f, x, 4)[3])(0.3) - 4 * want[4]) < 1e-13


KNOTS = np.array([0.0, 0.7, 1.3, 2.4, 3.1])
VALUES = np.array([0.4, 1.7, -0.6, 0.9, 2.3])


@pytest.mark.parametrize("name", ["line", "periodic line", "spline"])
def test_coefficients_between_knots_are_those_of_the_piece_when_compiled_too(name):
    spline = pytest.importorskip("scipy.interpolate").CubicSpline(KNOTS, VALUES)
    slope = (VALUES[2] - VALUES[1]) / (KNOTS[2] - KNOTS[1])
    line = [VALUES[1] + slope * (1.1 - KNOTS[1]), slope, 0.0, 0.0]
    cubic = [spline(1.1, nu) / math.factorial(nu) for nu in range(4)]
    f, want = {
        "line": (lambda x: sg.interp(x, KNOTS, VALUES), line),
        "periodic line": (lambda x: sg.interp(x, KNOTS, VALUES, period=3.5), line),
        "spline": (sg.CubicSpline(KNOTS, VALUES), cubic),
    }[name]
    for found in (
        sg.taylor(f, 1.1, 3),
        sg.compile(lambda x: sg.taylor(f, x, 3))(1.1),
        sg.taylor(sg.compile(f), 1.1, 3),
    ):
        np.testing.assert_allclose(found, want, rtol=1e-12, atol=1e-12)


def test_pieces_are_those_of_the_branch_that_holds():
    found = sg.taylor(lambda x: sg.where(x > 0, sg.log(x), x**2), np.array([1.0, -1.0]), 3)
    np.testing.assert_allclose(found, [[0, 1], [1, -2], [-1 / 2, 1], [1 / 3, 0]])


@pytest.mark.parametrize(
    ("call", "error", "word"),
    [
        (lambda: sg.taylor(sg.sin, 0.5, -1), ArgumentError, "integer"),
        (lambda: sg.taylor(sg.sin, 0.5, 2.5), ArgumentError, "integer"),
        (lambda: sg.taylor(sg.sin, np.ones(2), 2, np.ones(3)), ShapeError, "Shape each like its primal"),
        (lambda: sg.jet(sg.sin, (0.5,), ([1.0], [1.0])), ArgumentError, "one series per primal"),
        (lambda: sg.jet(sg.mul, (0.5, 1.0), ([1.0], [1.0, 2.0])), ArgumentError, "equal length"),
        (lambda: sg.jet(sg.sin, 0.5, 1.0), ArgumentTypeError, "tuple"),
    ],
    ids=["negative", "fraction", "shape", "count", "lengths", "types"],
)
def test_bad_input_is_said(call, error, word):
    with pytest.raises(error, match=word):
        call()


@pytest.mark.parametrize(
    ("given", "series"),
    [
        (("x", 0, 6), "1 + b*x + b**2*x**2/2 + b**3*x**3/6 + b**4*x**4/24 + b**5*x**5/120 + O(x**6)"),
        (("b", 0, 2), "1 + b*x + O(b**2)"),
        (("x", 1, 2), "exp(b) + b*(x - 1)*exp(b) + O((x - 1)**2, (x, 1))"),
    ],
    ids=["at 0", "other letter", "at 1"],
)
def test_closed_form_has_a_series_in_each_letter_about_any_point(given, series):
    assert str(sg.derive("a*exp(b*x)", "a").series(*given)) == series


@pytest.mark.parametrize(
    ("given", "word"),
    [(("q",), "no symbol 'q'"), (("x", 0, 0), "from 1 to"), (("x", "x**2"), "the point")],
    ids=["letter", "order", "point"],
)
def test_series_says_what_it_does_not_take(given, word):
    with pytest.raises(ArgumentError, match=word):
        sg.derive("a*x", "a").series(*given)


KINKED = {
    "abs": (sg.abs, 0.0), "abs of a square": (lambda x: sg.abs(x * x), 0.0), "relu": (sg.relu, 0.0),
    "clamp": (lambda x: sg.clamp(x, -1.0, 1.0), 1.0), "elu": (sg.nn.functional.elu, 0.0), "floor": (sg.floor, 2.0),
    "an entry": (lambda x: sg.abs(x - np.array([1.0, 2.0])), np.array([3.0, 2.0])), "sign": (sg.sign, 0.0),
    "maximum": (lambda x: sg.maximum(x, 2 * x), 0.0), "amax": (lambda x: sg.amax(sg.stack([x, 3 - x]), 0), 1.5),
    "sort": (lambda x: sg.sort(sg.stack([x, -x]))[0][1], 0.0), "where": (lambda x: sg.where(x > 1, 2 * x, x + 1), 1.0),
    "leaky_relu": (sg.nn.functional.leaky_relu, 0.0), "frac": (sg.frac, -1.0),
}  # fmt: skip


@pytest.mark.parametrize("name", KINKED)
def test_kinks_and_jumps_have_no_series(name):
    f, x = KINKED[name]
    with pytest.raises(sg.errors.NotDifferentiable, match="a kink or a jump here, and no Taylor series"):
        sg.taylor(f, x, 2)
    assert np.isfinite(sg.taylor(f, x + 0.3, 2)[2]).all()


def test_constants_at_kinks_do_not_count_and_first_orders_follow_the_gradient():
    assert sg.taylor(lambda x: sg.abs(0.0 * x) + x, 0.0, 2) == [0.0, 1.0, 0.0]
    assert sg.taylor(sg.abs, 0.0, 1) == [0.0, 0.0]


def test_powers_that_leave_0_with_a_varying_exponent_have_no_series():
    for f, order in ((lambda x: x**x, 1), (lambda x: x ** (sg.sin(x) + 2), 3)):
        with pytest.raises(NotDifferentiable, match="base 0 and an exponent that varies"):
            sg.taylor(f, np.array([0.5, 0.0]), order)
    assert sg.taylor(lambda x: x ** (sg.sin(x) + 2), 0.0, 2) == [0.0, 0.0, 1.0]
    assert sg.taylor(lambda x: (0 * x) ** (x + 2), 0.0, 3) == [0.0] * 4
    found = sg.taylor(lambda x: x**x, 0.5, 1)
    assert found[1] == pytest.approx(math.sqrt(0.5) * (1 + math.log(0.5)), rel=1e-14)


@pytest.mark.parametrize("f", [lambda x: sg.tensor(3.0), lambda x: 1 / x, sg.atan])
def test_an_infinite_point_has_no_series(f):
    with pytest.raises(ArgumentError, match="infinite point"):
        sg.taylor(f, math.inf, 2)
    with pytest.raises(ArgumentError, match="jet: got an infinite point"):
        sg.jet(f, (np.array([1.0, -math.inf]),), ([np.ones(2)],))


# ------------------------------------------------------------------ of several arguments, along curves
XS, YS = [0.3, 0.7, -0.4, 1.1, 0.25, -0.6], [1.9, -0.8, 0.35, 0.15, -1.2, 0.45]
OF_TWO = {
    "product and power": lambda m, x, y: m.exp(x) * y**1.7 + x**3 / (y + 2),
    "squares": lambda m, x, y: m.sin(x * y) ** 2 - (x - 3 * y) ** 4 / 7,
    "logarithm": lambda m, x, y: m.log(x * x + y) / (1 + m.exp(-y * x)),
    "roots": lambda m, x, y: m.sqrt(x + 2 * y) * m.atan(x / y) - 1 / (x * x + 0.5),
    "exponent": lambda m, x, y: y**x * m.cosh(x - y),
}


@pytest.mark.parametrize("name", OF_TWO)
def test_series_along_curves_are_those_of_mpmath(name):
    mpmath, f = pytest.importorskip("mpmath"), OF_TWO[name]
    with mpmath.workdps(40):
        curve = lambda cs, t: sum(mpmath.mpf(c) * t**k for k, c in enumerate(cs))
        exact = [float(c) for c in mpmath.taylor(lambda t: f(mpmath, curve(XS, t), curve(YS, t)), 0, 5)]
    y, cs = sg.jet(lambda x, y: f(sg, x, y), (XS[0], YS[0]), (XS[1:], YS[1:]), factorial_scaled=False)
    np.testing.assert_allclose([y, *cs], exact, rtol=1e-12)
    scale = [math.factorial(k) for k in range(6)]
    ways = [[c * s for c, s in zip(v[1:], scale[1:], strict=True)] for v in (XS, YS)]
    y, ds = sg.jet(lambda x, y: f(sg, x, y), (XS[0], YS[0]), ways)
    np.testing.assert_allclose([y, *ds], np.multiply(exact, scale), rtol=1e-12)
    ours = sg.taylor(lambda t: f(sg, t, 1.3 - 0.4 * t), 0.8, 5)
    with mpmath.workdps(40):
        exact = [float(c) for c in mpmath.taylor(lambda t: f(mpmath, t, 1.3 - mpmath.mpf(0.4) * t), 0.8, 5)]
    np.testing.assert_allclose(ours, exact, rtol=1e-9)


def test_series_of_products_of_arrays_share_the_order_out():
    rng = np.random.default_rng(5)
    terms = [[rng.normal(size=s) for _ in range(4)] for s in ((2, 3), (3, 4), (4,))]
    f = lambda A, B, c: sg.einsum("ij,jk,k->i", A, B, c)
    y, cs = sg.jet(f, tuple(t[0] for t in terms), tuple(t[1:] for t in terms), factorial_scaled=False)
    for n, found in enumerate([y, *cs]):
        expected = sum(terms[0][i] @ terms[1][j] @ terms[2][n - i - j] for i in range(n + 1) for j in range(n + 1 - i))
        np.testing.assert_allclose(found, expected, rtol=1e-12)


def test_directions_and_structures_keep_their_places():
    x, v = np.array([0.4, -1.3]), np.array([2.0, 0.5])
    found = sg.taylor(lambda x: {"a": x**3, "b": [x[0] * x[1] ** 2, 7.0]}, x, 2, v)
    np.testing.assert_allclose(found[1]["a"], 3 * x**2 * v, rtol=1e-14)
    np.testing.assert_allclose(found[2]["a"], 3 * x * v**2, rtol=1e-14)
    np.testing.assert_allclose(found[1]["b"][0], v[0] * x[1] ** 2 + 2 * x[0] * x[1] * v[1], rtol=1e-14)
    np.testing.assert_allclose(found[2]["b"][0], 2 * v[0] * x[1] * v[1] + x[0] * v[1] ** 2, rtol=1e-14)
    assert [c["b"][1] for c in found] == [7.0, 0.0, 0.0]
    single = sg.taylor(lambda x: sg.exp(2 * x), np.float32(0.5) * np.ones(2, np.float32), 3)
    assert {c.dtype for c in single} == {np.dtype(np.float32)}


NEAR_KINKS = {
    "a product that vanishes twice": (lambda x: sg.abs(x - 1.5) * (x - 1.5), 1.5),
    "parts of different speed": (lambda x: sg.maximum(3 * x, x * x + 2 * x), 0.0),
    "a condition on a square": (lambda x: sg.where(x * x > 0, x, 2 * x), 0.0),
    "float32": (lambda x: sg.relu(x - 2), np.float32(2)),
}


@pytest.mark.parametrize("name", NEAR_KINKS)
def test_kinks_are_seen_along_the_series(name):
    f, x = NEAR_KINKS[name]
    with pytest.raises(NotDifferentiable, match="a kink or a jump here"):
        sg.taylor(f, np.asarray(x), 2)


def test_beside_a_kink_there_is_a_series():
    for d in (1e-9, -1e-9):
        assert sg.taylor(lambda x: sg.abs(x - 2) + x**2, 2 + d, 2) == pytest.approx([4, 4 + np.sign(d), 1], abs=1e-8)
    assert [c[1] for c in sg.taylor(sg.abs, np.array([np.nan, 1.5]), 2)] == [1.5, 1.0, 0.0]  # nan is no jump
    assert sg.taylor(lambda x: sg.where(sg.tensor(True), x * x, x), 0.0, 2) == [0.0, 0.0, 1.0]
    assert sg.taylor(lambda x: sg.floor(x.detach()) * x, 2.0, 2) == [4.0, 2.0, 0.0]


WITHOUT_SERIES = {
    "a remainder": (lambda x: x % 1.0, 2.0),
    "fmod": (lambda x: sg.fmod(x, 1.0), 2.0),
    "heaviside": (lambda x: sg.heaviside(x, sg.tensor(0.5)), 0.0),
    "copysign": (lambda x: sg.copysign(sg.tensor(2.0), x), 0.0),
    "the cut of atan2": (lambda x: sg.atan2(x, x * 0 - 1), 0.0),
    "atan2 at the origin": (lambda x: sg.atan2(x, 2 * x), 0.0),
    "hypot at the origin": (lambda x: sg.hypot(x, 2 * x), 0.0),
    "an angle at the origin": (lambda x: sg.angle(sg.complex(x, x * 0)), 0.0),
    "the cut of an angle": (lambda x: sg.angle(sg.complex(x * 0 - 1, x)), 0.0),
    "a complex absolute value": (lambda x: sg.abs(sg.complex(x, x)), 0.0),
    "the root of a square": (lambda x: sg.sqrt(x * x), 0.0),
    "a root of a fourth power": (lambda x: sg.sqrt(x**4), 0.0),
    "a norm": (lambda x: sg.stack([x, 2 * x]).norm(), 0.0),
    "a root": (sg.sqrt, 0.0),
    "a power": (lambda x: x**2.5, 0.0),
    "a logarithm": (sg.log, 0.0),
    "a pole": (lambda x: 1 / x, 0.0),
    "a branch point": (sg.acos, 1.0),
}


@pytest.mark.parametrize("name", WITHOUT_SERIES)
def test_points_without_a_series_are_refused(name):
    f, x = WITHOUT_SERIES[name]
    with pytest.raises(NotDifferentiable, match=r"no Taylor series.*Move the point\.|Move the point\."):
        sg.taylor(f, x, 3)
    with pytest.raises(NotDifferentiable, match=r"Move the point"):
        sg.jet(f, (x,), ([1.0, 0.0, 0.0],))
    sg.taylor(f, x, 1)  # the first order alone follows the gradient
    beside = sg.taylor(f, x + 0.3 if name != "a branch point" else 0.3, 3)
    assert all(np.isfinite(c) for c in beside)


def test_steep_functions_with_a_series_have_it():
    for f in (
        lambda x: sg.atan2(x, sg.tensor(1e-9)),
        lambda x: sg.hypot(x, sg.tensor(1e-9)),
        lambda x: sg.tanh(1e12 * x),
    ):
        assert len(sg.taylor(f, 0.0, 3)) == 4
