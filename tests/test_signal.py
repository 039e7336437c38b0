"""scipy.signal's functions, interpolation and splines: SciPy's values, derivatives, formulas, batches, refusals."""

import itertools

import numpy as np
import pytest

import symgrad as sg
from symgrad.errors import ArgumentError, NotYet, ShapeError

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
        value = 2.5 if boundary == "fill" and mode != "valid" else 0
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


# ------------------------------------------------------------------ filters
@pytest.mark.parametrize(("p", "q"), [(1, 1), (1, 3), (4, 1), (3, 5)])
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
