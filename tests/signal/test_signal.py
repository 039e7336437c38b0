"""scipy.signal's functions, interpolation and splines: SciPy's values, derivatives, formulas, batches, refusals."""

import itertools

import numpy as np
import pytest

import symgrad as sg
from symgrad.errors import ArgumentError, NotYet, ShapeError
from symgrad.ops.signal.convolving import Convolve

RNG = np.random.default_rng(7)
MODES = ("full", "same", "valid")


def same(found, expected):
    assert found.shape == np.shape(expected)
    np.testing.assert_allclose(np.asarray(found), expected, rtol=1e-9, atol=1e-10)


# ------------------------------------------------------------------ convolution
@pytest.mark.parametrize(
    "sizes", [((5,), (3,)), ((4,), (9,)), ((100,), (400,)), ((3, 4), (2, 2)), ((20, 21), (20, 11))]
)
@pytest.mark.parametrize("name", ["convolve", "correlate", "fftconvolve"])
def test_convolutions_are_scipys_in_every_mode(name, sizes):
    signal = pytest.importorskip("scipy.signal")
    x, h = (RNG.normal(size=s) for s in sizes)
    for mode in MODES:
        same(getattr(sg.signal, name)(x, h, mode), getattr(signal, name)(x, h, mode))


def test_fftconvolve_broadcasts_the_axes_that_it_does_not_run_along():
    signal = pytest.importorskip("scipy.signal")
    x, h = RNG.normal(size=(3, 40, 2)), RNG.normal(size=(1, 7, 2))
    same(sg.signal.fftconvolve(x, h, "same", axes=1), signal.fftconvolve(x, h, "same", axes=1))
    same(sg.signal.fftconvolve(x, h, axes=(0, -2)), signal.fftconvolve(x, h, axes=(0, -2)))


@pytest.mark.parametrize("name", ["convolve2d", "correlate2d"])
def test_matrices_are_continued_at_their_ends_as_in_scipy(name):
    signal = pytest.importorskip("scipy.signal")
    x, h = RNG.normal(size=(5, 6)), RNG.normal(size=(3, 2))
    for mode, boundary, (a, b) in itertools.product(MODES, ("fill", "wrap", "symm"), ((x, h), (h, x))):
        for value in (2.5, -1, 0) if boundary == "fill" and mode != "valid" else (0,):
            expected = getattr(signal, name)(a, b, mode, boundary, value)
            same(getattr(sg.signal, name)(a, b, mode, boundary, value), expected)


def test_convolutions_of_integers_are_exact():
    x = sg.signal.convolve(np.full(300, 10**8), np.full(300, 10**6))
    assert (x.dtype, int(x[299])) == (np.int64, 300 * 10**14)


@pytest.mark.parametrize("size", [4, 300])
def test_complex_signals_are_convolved_and_correlated_as_in_scipy(size):
    signal = pytest.importorskip("scipy.signal")
    x, h = (RNG.normal(size=size) + 1j * RNG.normal(size=size) for _ in range(2))
    same(sg.signal.convolve(x, h), signal.convolve(x, h))
    same(sg.signal.correlate(x, h, "same"), signal.correlate(x, h, "same"))
    t = sg.tensor(x, requires_grad=True)
    (sg.signal.convolve(t, h).abs() ** 2).sum().backward()
    same(t.grad, 2 * np.convolve(np.convolve(x, h), h[::-1].conj())[size - 1 : 2 * size - 1])


def test_gradients_of_long_convolutions_are_those_of_short_ones():
    x, h, v = RNG.normal(size=300), RNG.normal(size=280), RNG.normal(size=579)
    dx, dh = sg.grad(lambda x, h: (sg.signal.convolve(x, h) * v).sum(), argnums=(0, 1))(x, h)
    np.testing.assert_allclose(dx, np.correlate(v, h, "valid"), atol=1e-10)
    np.testing.assert_allclose(dh, np.correlate(v, x, "valid"), atol=1e-10)


def test_the_gradient_of_a_blurred_fit_is_a_convolution():
    x, h = sg.symbol("x", ("n",)), sg.symbol("h", ("m",))
    form = sg.derive((sg.signal.convolve(x, h) ** 2).sum(), x)
    assert str(form) == "convolve(2*convolve(x, h), flip(h))[m - 1:m + n - 1]"


def test_slices_of_a_batch_are_convolved_and_filtered_at_once():
    X, H = RNG.normal(size=(4, 6)), RNG.normal(size=(4, 3))
    both = sg.vmap(lambda x, h: sg.signal.convolve(x, h))(X, H)
    same(both, np.stack([np.convolve(x, h) for x, h in zip(X, H, strict=True)]))
    filtered = sg.vmap(lambda h, x: sg.signal.lfilter([1.0], sg.cat([sg.ones(1), h * 0.2]), x))(H, X)
    rows = [sg.signal.lfilter([1.0], [1.0, *0.2 * h], x).numpy() for h, x in zip(H, X, strict=True)]
    same(filtered, np.stack(rows))


@pytest.mark.parametrize(("dims", "p", "q"), [
    (1, (4,), (3,)), (1, (2, 4), (3,)), (1, (4,), (2, 3)), (1, (2, 1, 4), (1, 3, 2)), (1, (5, 3), (5, 4)),
    (2, (3, 4), (2, 2)), (2, (5, 3, 4), (2, 3)), (2, (2, 3), (3, 1, 4, 2)),
], ids=str)  # fmt: skip
def test_products_at_their_places_and_symbols_are_the_convolution(dims, p, q):
    x, h = RNG.integers(-4, 5, p), RNG.integers(-4, 5, q)
    op = Convolve(dims)
    expected = op.forward(x.astype(float), h.astype(float))
    same(op.decompose(sg.tensor(x.astype(float)), sg.tensor(h.astype(float))), expected)
    same(op.on_symbols(x.astype(object), h.astype(object)).astype(float), expected)
    same(sg.compile(lambda x, h: op(x, h))(x.astype(float), h.astype(float)), expected)


# ------------------------------------------------------------------ filters
@pytest.mark.parametrize(("p", "q"), [(1, 1), (1, 3), (4, 1), (3, 5), (1, 6)])
def test_filters_are_scipys_and_go_on_from_their_state(p, q):
    signal = pytest.importorskip("scipy.signal")
    b, a = RNG.normal(size=p), np.r_[1.7, RNG.uniform(-0.3, 0.3, q - 1)]
    for n in (2, 150):
        x, zi = RNG.normal(size=(2, n, 3)), RNG.normal(size=(2, max(p, q) - 1, 3))
        same(sg.signal.lfilter(b, a, x, axis=1), signal.lfilter(b, a, x, axis=1))
        if max(p, q) > 1:
            for found, expected in zip(sg.signal.lfilter(b, a, x, 1, zi), signal.lfilter(b, a, x, 1, zi), strict=True):
                same(found, expected)


def test_gradients_of_long_filters_agree_with_a_scan():
    x, c = RNG.normal(size=100), np.array([0.3, -0.4])

    def by_scan(c, x):
        return (sg.scan(lambda s, u: ((y := u - c[0] * s[0] - c[1] * s[1], s[0]), y), (0.0, 0.0), x)[1] ** 2).sum()

    def by_filter(c, x):
        return (sg.signal.lfilter([1.0], sg.cat([sg.ones(1), c]), x) ** 2).sum()

    for found, expected in zip(*(sg.grad(f, argnums=(0, 1))(c, x) for f in (by_filter, by_scan)), strict=True):
        np.testing.assert_allclose(found, expected, rtol=1e-9)
    np.testing.assert_allclose(sg.hessian(by_filter)(c, x[:9]), sg.hessian(by_scan)(c, x[:9]), rtol=1e-8)


def test_what_is_infinite_reaches_only_what_comes_after_it():
    x = np.r_[np.ones(70), np.inf, np.ones(3)]
    assert np.isfinite(sg.signal.lfilter([1.0], [1.0, -0.5], x).numpy()[:70]).all()


# ------------------------------------------------------------------ lines and splines
BOUNDS = ["not-a-knot", "natural", "clamped", "periodic", ((1, 0.3), (2, -0.7)), ("not-a-knot", (2, 1.0))]


@pytest.mark.parametrize("bc_type", BOUNDS, ids=str)
def test_splines_are_scipys(bc_type):
    interpolate = pytest.importorskip("scipy.interpolate")
    for n in (2, 3, 4, 7):
        x, y = np.cumsum(RNG.uniform(0.2, 1, n)), RNG.normal(size=n)
        y[-1] = y[0] if bc_type == "periodic" else y[-1]
        s, expected = sg.CubicSpline(x, y, bc_type=bc_type), interpolate.CubicSpline(x, y, bc_type=bc_type)
        t = np.linspace(x[0] - 0.5, x[-1] + 0.5, 10).reshape(2, 5)
        for nu in range(4):
            same(s(t, nu), expected(t, nu))
        same(s.derivative()(t), expected.derivative()(t))
        same(s.antiderivative()(t), expected.antiderivative()(t))
        same(s.integrate(x[0] - 0.3, x[-1] + 2.2), expected.integrate(x[0] - 0.3, x[-1] + 2.2))


def test_splines_of_arrays_take_an_axis_and_end_where_they_are_told():
    interpolate = pytest.importorskip("scipy.interpolate")
    x, y = np.arange(5.0), RNG.normal(size=(2, 5, 3))
    for t in (np.array([[-1.0, 0.5], [2.0, 4.5]]), np.array(1.5)):
        same(sg.CubicSpline(x, y, axis=1)(t), interpolate.CubicSpline(x, y, axis=1)(t))
    expected = interpolate.CubicSpline(x, y[0], extrapolate=False)([-1.0, 2.5])
    same(sg.CubicSpline(x, y[0], extrapolate=False)([-1.0, 2.5]), expected)


def test_splines_are_differentiated_in_knots_values_and_places():
    x, y, t = np.cumsum(RNG.uniform(0.4, 1, 4)), RNG.normal(size=4), np.array([1.1, 1.6])
    report = sg.testing.crosscheck(lambda x, y, t: (sg.CubicSpline(x, y)(t) ** 2).sum(), x, y, t)
    assert "all witnesses agree" in str(report)
    s = sg.CubicSpline(x, y)
    same(sg.vmap(sg.grad(lambda t: s(t)))(t), s(t, 1).numpy())
    same(sg.vmap(lambda y: sg.CubicSpline(x, y)(1.2))(np.stack([y, y + 1])), s(1.2).item() + np.arange(2.0))
    np.testing.assert_allclose(sg.compile(lambda t: s(t))(t), s(t).numpy())


@pytest.mark.parametrize("bc_type", BOUNDS, ids=str)
def test_gradients_of_splines_are_splines_of_units_and_differences_of_scipys(bc_type):
    interpolate = pytest.importorskip("scipy.interpolate")
    x, y, t, v = np.array([0.3, 1.0, 2.2, 2.9, 4.1]), RNG.normal(size=5), np.array([0.1, 1.7, 3.3]), RNG.normal(size=3)
    y[-1] = y[0] if bc_type == "periodic" else y[-1]

    def theirs(x, y):
        return v @ interpolate.CubicSpline(x, y, bc_type=bc_type)(t)

    along_x, along_y = sg.grad(lambda x, y: (sg.CubicSpline(x, y, bc_type=bc_type)(t) * v).sum(), (0, 1))(x, y)
    step = 1e-5 * np.eye(5)
    np.testing.assert_allclose(along_x, [(theirs(x + e, y) - theirs(x - e, y)) / 2e-5 for e in step], atol=1e-8)
    if bc_type == "periodic":  # both ends move together
        along_y[0] += along_y[-1]
        along_y, step = along_y[:-1], np.r_[step[:1] + step[-1:], step[1:-1]]
    np.testing.assert_allclose(along_y, [(theirs(x, y + e) - theirs(x, y)) / 1e-5 for e in step], atol=1e-8)


def test_values_at_the_ends_of_a_spline_have_gradients():
    x, y = np.array([0.3, 1.0, 2.2, 2.9]), np.array([1.0, -0.5, 2.0, 0.3])
    ends = sg.grad(lambda a, b: sg.CubicSpline(x, y, bc_type=((1, a), (2, b)))(1.4), (0, 1))
    interpolate = pytest.importorskip("scipy.interpolate")
    units = [interpolate.CubicSpline(x, 0 * y, bc_type=((1, a), (2, 1.0 - a)))(1.4) for a in (1.0, 0.0)]
    np.testing.assert_allclose(ends(0.7, -1.1), units, rtol=1e-12)


def test_integrals_of_periodic_splines_go_round():
    interpolate = pytest.importorskip("scipy.interpolate")
    x, y = np.array([0.5, 1.1, 2.0, 3.2]), np.array([1.0, -0.5, 2.0, 1.0])
    mine, other = (S(x, y, bc_type="periodic") for S in (sg.CubicSpline, interpolate.CubicSpline))
    for a, b in ((0.7, 2.9), (-7.0, 11.3), (9.1, -4.4), (2.0, 2.0)):
        same(mine.integrate(a, b), other.integrate(a, b))
    same(mine(np.array([-7.3, 9.9])), other([-7.3, 9.9]))
    np.testing.assert_allclose(sg.grad(lambda b: mine.integrate(-7.0, b))(11.3), other(11.3), rtol=1e-12)


def test_filters_keep_single_precision_and_take_complex_numerators():
    signal = pytest.importorskip("scipy.signal")
    b, a, x = np.array([0.7, 0.2]), np.array([1.3, 0.4, -0.2, 0.1]), RNG.normal(size=(2, 70))
    y = sg.signal.lfilter(*(v.astype(np.float32) for v in (b, a, x)))
    assert y.dtype == np.float32
    np.testing.assert_allclose(y, signal.lfilter(b, a, x), atol=1e-6)
    same(sg.signal.lfilter(b - 0.5j, a[:1], x), signal.lfilter(b - 0.5j, a[:1], x))


def test_forward_mode_of_filters_is_reverse_modes_transpose():
    b, a, x, zi = (
        RNG.normal(size=3),
        np.array([1.7, 0.3, -0.2, 0.15]),
        RNG.normal(size=(2, 40)),
        RNG.normal(size=(2, 3)),
    )
    f = lambda *args: sg.signal.lfilter(*args[:3], -1, args[3])
    args, ts = (b, a, x, zi), [RNG.normal(size=np.shape(v)) for v in (b, a, x, zi)]
    out, moved = sg.jvp(f, args, tuple(ts))
    step = 1e-6
    signal = pytest.importorskip("scipy.signal")
    ends = [signal.lfilter(*[v + s * t for v, t in zip(args[:3], ts, strict=False)], -1, zi + s * ts[3])
            for s in (step, -step)]  # fmt: skip
    for m, up, down in zip(moved, *ends, strict=True):
        np.testing.assert_allclose(m, (up - down) / (2 * step), atol=1e-8)
    vs = [RNG.normal(size=np.shape(v)) for v in out]
    pulled = sg.vjp(f, *args)[1](tuple(vs))
    same(sum(np.sum(v * m) for v, m in zip(vs, moved, strict=True)),
         sum(np.sum(p * t) for p, t in zip(pulled, ts, strict=True)))  # fmt: skip


def test_gradients_of_convolutions_of_matrices_are_differences_of_scipys():
    signal = pytest.importorskip("scipy.signal")
    x, h = RNG.normal(size=(4, 5)), RNG.normal(size=(3, 2))
    units = [np.eye(z.size).reshape(-1, *z.shape) for z in (x, h)]
    for name, *options in itertools.product(("convolve2d", "correlate2d"), MODES, ("fill", "wrap", "symm")):
        mine, other = getattr(sg.signal, name), getattr(signal, name)
        v = RNG.normal(size=other(x, h, *options).shape)
        y, pull = sg.vjp(lambda x, h, f=mine, o=options: f(x, h, *o), x, h)
        same(y, other(x, h, *options))
        for found, expected in zip(pull(v), ([other(e, h, *options) for e in units[0]],
                                             [other(x, e, *options) for e in units[1]]), strict=True):  # fmt: skip
            np.testing.assert_allclose(found.ravel(), np.tensordot(expected, v, 2), atol=1e-12)


def test_interp_is_numpys_under_both_names():
    x, y, t = np.cumsum(RNG.uniform(0.2, 1, 5)), RNG.normal(size=5), np.linspace(-1, 6, 9)
    for options in ({}, {"left": 7.0, "right": -1.0}, {"period": 2.0}):
        same(sg.interp(t, x, y, **options), np.interp(t, x, y, **options))
        same(np.interp(sg.tensor(t), x, y, **options), np.interp(t, x, y, **options))
    np.testing.assert_allclose(sg.grad(lambda y: sg.interp(0.25, [0.0, 1.0], y))(np.array([3.0, 4.0])), [0.75, 0.25])


@pytest.mark.parametrize(("call", "error", "says"), [
    (lambda: sg.signal.convolve(np.ones(3), np.ones(2), "some"), ArgumentError, "Acceptable modes are 'valid'"),
    (lambda: sg.signal.convolve(np.ones(3), np.ones(2), method="slow"), ArgumentError, "Acceptable methods"),
    (lambda: sg.signal.convolve(np.ones(3), np.ones((2, 2))), ShapeError, "should have the same dimensionality"),
    (lambda: sg.signal.convolve(np.ones(0), np.ones(2)), ShapeError, "inputs cannot be empty"),
    (lambda: sg.signal.convolve(np.ones((3, 1)), np.ones((1, 3)), "valid"), ShapeError, "at least as large"),
    (lambda: sg.signal.convolve2d(np.ones(3), np.ones(3)), ShapeError, "must both be 2-D"),
    (lambda: sg.signal.convolve2d(np.ones((2, 2)), np.ones((2, 2)), boundary="x"), ArgumentError, "boundary='x'"),
    (lambda: sg.signal.lfilter([1.0], [0.0, 1.0], np.ones(3)), ArgumentError, "a.0. is 0"),
    (lambda: sg.signal.lfilter([1.0], [1.0, 1.0], np.ones(3), zi=np.ones(2)), ShapeError, "= 1 entries"),
    (lambda: sg.CubicSpline([0.0, 2.0, 1.0], np.ones(3)), ArgumentError, "strictly increasing"),
    (lambda: sg.CubicSpline([0.0, 1.0], np.ones(3)), ShapeError, "a value for each"),
    (lambda: sg.CubicSpline([0.0, 1.0], np.ones(2), bc_type="free"), ArgumentError, "got bc_type='free'"),
    (lambda: sg.CubicSpline([0.0, 1.0], [1.0, 2.0], bc_type="periodic"), ArgumentError, "must be identical"),
    (lambda: sg.CubicSpline(sg.symbol("x", ("n",)), sg.symbol("y", ("n",))), NotYet, "needs its number"),
    (lambda: sg.interp(1.0, [0.0, 1.0], [1.0]), ShapeError, "not of the same length"),
])  # fmt: skip
def test_refusals_say_why(call, error, says):
    with pytest.raises(error, match=says):
        call()
