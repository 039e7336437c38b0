"""The NumPy kernels against mpmath at 50 digits, and at the points where torch fixes a convention."""

import math
import operator
import warnings
from fractions import Fraction

import mpmath
import numpy as np
import pytest

from symgrad.scalars import bessel, cancelling, normal, numerics, zeta
from symgrad.scalars.written import exact_product, exact_sum

INF, NAN, LN2 = math.inf, math.nan, math.log(2)
UNARY = ["erf", "erfc", "erfinv", "lgamma", "digamma", "sigmoid", "softplus", "logsigmoid"]
NORMAL = ["erfcx", "ndtr", "log_ndtr", "ndtri", "logit"]
BESSEL = ["i0", "i0e", "i1", "i1e", "sinc", "sinc_slope", "tanhshrink"]
ALL = [*UNARY, *NORMAL, *BESSEL, "entr"]


def kernel(name):
    return next(getattr(m, name) for m in (numerics, normal, bessel, cancelling) if hasattr(m, name))


def uniform(low, high, count=150):
    return np.random.default_rng(0).uniform(low, high, count)


def decades(low, high, count=150):
    """±10ᵉ, e uniform."""
    x = 10.0 ** uniform(low, high, count)
    return np.concatenate([x, -x])


def near(x, closest=-15):
    return x + decades(closest, -1)


def ulps(found, exact):
    """The distance of two sequences, each pair's in units of the last place of the exact value."""
    found, rounded = np.asarray(found, np.float64), np.array([float(e) for e in exact])
    assert np.isfinite(rounded).all()
    unit = np.spacing(np.abs(rounded))
    return np.array(
        [float(abs(mpmath.mpf(float(f)) - e) / mpmath.mpf(float(u))) for f, e, u in zip(found, exact, unit)]
    )


def log_abs_gamma(x):
    return mpmath.loggamma(x) if x > 0 else mpmath.log(abs(mpmath.gamma(x)))


def exact_softplus(x):
    return mpmath.log1p(mpmath.exp(x))


REFERENCE = {
    "erf": mpmath.erf,
    "erfc": mpmath.erfc,
    "erfinv": mpmath.erfinv,
    "lgamma": log_abs_gamma,
    "digamma": mpmath.digamma,
    "sigmoid": lambda x: 1 / (1 + mpmath.exp(-x)),
    "softplus": exact_softplus,
    "logsigmoid": lambda x: -exact_softplus(-x),
    "erfcx": lambda x: mpmath.exp(x * x) * mpmath.erfc(x),
    "ndtr": lambda x: mpmath.erfc(-x / mpmath.sqrt(2)) / 2,
    "log_ndtr": lambda x: (
        mpmath.log1p(-mpmath.erfc(x / mpmath.sqrt(2)) / 2) if x > -5 else mpmath.log(REFERENCE["ndtr"](x))
    ),
    "logit": lambda x: mpmath.log(x / (1 - x)),
    "i0": lambda x: mpmath.besseli(0, x),
    "i0e": lambda x: mpmath.exp(-abs(x)) * mpmath.besseli(0, x),
    "i1": lambda x: mpmath.besseli(1, x),
    "i1e": lambda x: mpmath.exp(-abs(x)) * mpmath.besseli(1, x),
    "sinc": lambda x: mpmath.sin(mpmath.pi * x) / (mpmath.pi * x),
    "sinc_slope": lambda x: (mpmath.cos(mpmath.pi * x) - mpmath.sin(mpmath.pi * x) / (mpmath.pi * x)) / x,
    "tanhshrink": lambda x: x - mpmath.tanh(x),
}

# kernel, points, how many units of the last place the error may reach there
ACCURACY = {
    "erf, small": ("erf", decades(-320, 0), 1.5),
    "erf, to where it is 1": ("erf", uniform(-6.5, 6.5, 400), 1.5),
    "erfc, small": ("erfc", decades(-30, 0), 2.5),
    "erfc, negative": ("erfc", uniform(-6.5, 0), 1.5),
    "erfc, middle": ("erfc", uniform(0, 3, 400), 3),
    "erfc, tail": ("erfc", uniform(3, 27.3, 400), 3),
    "erfinv, small": ("erfinv", decades(-320, 0), 2),
    "erfinv, middle": ("erfinv", uniform(-1, 1, 400), 2.5),
    "erfinv, near 1": ("erfinv", 1 - 10.0 ** uniform(-15.9, -1), 2),
    "lgamma, small": ("lgamma", decades(-320, 0), 4),
    "lgamma, middle": ("lgamma", uniform(0, 10, 400), 4),
    "lgamma, large": ("lgamma", 10.0 ** uniform(1, 305), 3),
    "lgamma, near its zero 1": ("lgamma", near(1.0), 3),
    "lgamma, near its zero 2": ("lgamma", near(2.0), 3),
    "lgamma, negative before its zeros": ("lgamma", uniform(-2, 0), 5),
    "digamma, small": ("digamma", decades(-305, -0.5), 4),
    "digamma, middle": ("digamma", uniform(0, 10, 400), 4),
    "digamma, large": ("digamma", 10.0 ** uniform(1, 305), 2),
    "digamma, near its zero": ("digamma", near(1.4616321449683623), 4),
    "sigmoid, middle": ("sigmoid", uniform(-10, 10), 3),
    "sigmoid, tails": ("sigmoid", uniform(-745, 40), 3),
    "softplus, middle": ("softplus", uniform(-10, 10), 2.5),
    "softplus, tails": ("softplus", uniform(-745, 40), 2.5),
    "logsigmoid, middle": ("logsigmoid", uniform(-10, 10), 2.5),
    "logsigmoid, tails": ("logsigmoid", uniform(-40, 745), 2.5),
    "erfcx, negative": ("erfcx", uniform(-26, 0), 2.5),
    "erfcx, where its series begins": ("erfcx", uniform(20, 60), 2.5),
    "ndtr, tail": ("ndtr", uniform(-37, 0), 3),
    "log_ndtr, tail": ("log_ndtr", uniform(-1000, 0), 3),
    "log_ndtr, right": ("log_ndtr", uniform(0, 14), 4),
    "logit, near 1/2": ("logit", near(0.5), 2),
    "logit, small": ("logit", 10.0 ** uniform(-300, -1), 2),
    **{f"{n}, small": (n, decades(-15, 0), 3) for n in ("i0", "i0e", "i1", "i1e")},
    **{f"{n}, middle": (n, uniform(0, 20), 9) for n in ("i0", "i0e", "i1", "i1e")},
    **{f"{n}, large": (n, uniform(20, 712), 5) for n in ("i0", "i1")},
    "sinc, near its zeros": ("sinc", near(3.0), 3),
    "sinc, large": ("sinc", uniform(-1e6, 1e6), 3),
    "sinc_slope, near 0": ("sinc_slope", decades(-7, -0.5), 4),
    "tanhshrink, small": ("tanhshrink", decades(-10, 0), 5),
}


@pytest.fixture(autouse=True)
def fifty_digits():
    with mpmath.workdps(50):
        yield


@pytest.mark.parametrize("row", ACCURACY)
def test_kernel_is_right_to_few_units_of_the_last_place(row):
    name, x, bound = ACCURACY[row]
    error = ulps(kernel(name)(x), [REFERENCE[name](mpmath.mpf(float(v))) for v in x])
    assert error.max() <= bound, f"{error.max()} ulp at {x[error.argmax()]!r}"


def test_quantiles_far_out_have_the_probability_that_was_asked_for():
    p = 10.0 ** uniform(-307, -1)
    x = normal.ndtri(p)
    for q, v in zip(p, x, strict=True):
        v = mpmath.mpf(float(v))
        slope = mpmath.exp(-v * v / 2) / mpmath.sqrt(2 * mpmath.pi)
        assert abs((REFERENCE["ndtr"](v) - mpmath.mpf(float(q))) / slope) <= 4 * np.spacing(abs(float(v)))


@pytest.mark.parametrize("n", range(7))
def test_polygamma_is_accurate_on_the_positive_axis(n):
    x = np.concatenate([uniform(0, 20, 60), 10.0 ** uniform(-20, 20, 60)])
    error = ulps(numerics.polygamma(n, x), [mpmath.polygamma(n, mpmath.mpf(float(v))) for v in x])
    assert error.max() <= 7, f"{error.max()} ulp at {x[error.argmax()]!r}"


@pytest.mark.parametrize("n", range(7))
def test_polygamma_is_accurate_on_the_negative_axis_up_to_its_zeros(n):
    x = uniform(-20, 0, 100)
    exact = np.array([float(mpmath.polygamma(n, mpmath.mpf(float(v)))) for v in x])
    allowed = 4e-15 * np.maximum(np.abs(exact), math.factorial(n))
    assert (np.abs(numerics.polygamma(n, x) - exact) <= allowed).all()


def test_lgamma_is_accurate_on_the_negative_axis_up_to_its_zeros():
    x = uniform(-20, -2)
    exact = np.array([float(log_abs_gamma(mpmath.mpf(float(v)))) for v in x])
    np.testing.assert_allclose(numerics.lgamma(x), exact, rtol=3e-15, atol=3e-15)


def test_erfc_has_digits_left_where_it_underflows():
    assert numerics.erfc(26.0) == pytest.approx(5.663192408856143e-296, rel=1e-15)
    assert 0 < numerics.erfc(27.2) < 1e-320
    assert numerics.erfc(28.0) == 0


@pytest.mark.parametrize("name", ["xlogy", "xlog1py"])
def test_product_with_a_logarithm_is_accurate(name):
    y = 10.0 ** uniform(-10, 10)
    log = mpmath.log if name == "xlogy" else mpmath.log1p
    exact = [mpmath.mpf(0.3) * log(mpmath.mpf(float(v))) for v in y]
    assert ulps(getattr(numerics, name)(0.3, y), exact).max() <= 2.5


# what torch 2.13 gives, at -inf, -2, -1, -0, 0, 1, inf, nan; it makes nan of i1 at ±inf, and loses the sign of i1(-0)
POINTS = [-INF, -2.0, -1.0, -0.0, 0.0, 1.0, INF, NAN]
SPECIAL = {
    "erf": [-1, -math.erf(2), -math.erf(1), -0.0, 0.0, math.erf(1), 1, NAN],
    "erfc": [2, math.erfc(-2), math.erfc(-1), 1, 1, math.erfc(1), 0.0, NAN],
    "erfinv": [NAN, NAN, -INF, -0.0, 0.0, INF, NAN, NAN],
    "lgamma": [INF, INF, INF, INF, INF, 0.0, INF, NAN],
    "digamma": [NAN, NAN, NAN, INF, -INF, -0.5772156649015329, INF, NAN],
    "sigmoid": [0.0, 0.11920292202211757, 0.2689414213699951, 0.5, 0.5, 0.7310585786300049, 1, NAN],
    "softplus": [0.0, 0.1269280110429726, 0.3132616875182228, LN2, LN2, 1.3132616875182228, INF, NAN],
    "ndtr": [0.0, 0.022750131948179212, 0.15865525393145707, 0.5, 0.5, 0.8413447460685429, 1, NAN],
    "log_ndtr": [-INF, -3.7831843336820317, -1.8410216450092636, -LN2, -LN2, -0.17275377902344988, -0.0, NAN],
    "ndtri": [NAN, NAN, NAN, -INF, -INF, INF, NAN, NAN],
    "logit": [NAN, NAN, NAN, -INF, -INF, INF, NAN, NAN],
    "entr": [-INF, -INF, -INF, 0.0, 0.0, -0.0, -INF, NAN],
    "i0": [INF, 2.279585302336067, 1.2660658777520084, 1, 1, 1.2660658777520084, INF, NAN],
    "i1": [-INF, -1.5906368546373291, -0.565159103992485, -0.0, 0.0, 0.565159103992485, INF, NAN],
    "i0e": [0.0, 0.30850832255367105, 0.46575960759364043, 1, 1, 0.46575960759364043, 0.0, NAN],
    "i1e": [-0.0, -0.21526928924893765, -0.2079104153497085, -0.0, 0.0, 0.2079104153497085, 0.0, NAN],
    "tanhshrink": [-INF, -1.035972419924183, -0.2384058440442351, -0.0, 0.0, 0.2384058440442351, INF, NAN],
    "logsigmoid": [-INF, -2.1269280110429727, -1.3132616875182228, -LN2, -LN2, -0.3132616875182228, 0.0, NAN],
}


@pytest.mark.parametrize("name", SPECIAL)
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_special_points_are_torchs(name, dtype):
    found = kernel(name)(np.array(POINTS, dtype))
    expected = np.array(SPECIAL[name], dtype)
    np.testing.assert_allclose(found, expected, rtol=4 * np.finfo(dtype).eps)
    settled = expected[~np.isnan(expected)]
    np.testing.assert_array_equal(np.signbit(found[~np.isnan(expected)]), np.signbit(settled))


@pytest.mark.parametrize("n", range(1, 7))
def test_polygamma_at_its_poles_has_the_sign_of_the_positive_axis(n):
    sign = (-1) ** (n + 1)
    found = numerics.polygamma(n, np.array([0.0, -0.0, -1.0, -2.0, -1e300, INF, -INF, NAN]))
    np.testing.assert_array_equal(found, [sign * INF] * 5 + [0, NAN, NAN])


def test_polygamma_of_order_0_is_digamma():
    x = np.array([*POINTS, -0.3, 0.3, 5.0])
    np.testing.assert_array_equal(numerics.polygamma(0, x), numerics.digamma(x))


def test_a_zero_factor_wins_over_an_infinite_logarithm_but_not_over_nan():
    x, y = np.meshgrid([0.0, -0.0, 1.0, INF, NAN], [0.0, INF, -INF, -3.0, NAN])
    with np.errstate(all="ignore"):
        expected = np.where((x == 0) & ~np.isnan(y), 0.0, x * np.log(y))
        expected1p = np.where((x == 0) & ~np.isnan(y), 0.0, x * np.log1p(y))
    np.testing.assert_array_equal(numerics.xlogy(x, y), expected)
    np.testing.assert_array_equal(numerics.xlog1py(x, y), expected1p)
    assert numerics.xlogy(0.0, 0.0) == 0 == numerics.xlog1py(0.0, -1.0)


@pytest.mark.parametrize("name", ALL)
def test_float32_is_kept_and_rounds_the_float64_value(name):
    x = uniform(-0.99, 0.99).astype(np.float32)
    f = kernel(name)
    found = f(x)
    assert found.dtype == np.float32
    np.testing.assert_array_equal(found, f(x.astype(np.float64)).astype(np.float32))
    assert f(np.float32(0.5)).dtype == np.float32


def test_two_arguments_give_the_dtype_that_numpy_gives():
    half = np.full(3, 0.5, np.float32)
    assert numerics.xlogy(half, 2.0).dtype == np.float32
    assert numerics.xlogy(half, np.ones(3)).dtype == np.float64
    assert numerics.xlogy(2, half).dtype == np.float32
    assert numerics.polygamma(1, half).dtype == np.float32
    assert numerics.polygamma(np.array([0, 1, 2]), half).dtype == np.float32


@pytest.mark.parametrize("name", ALL)
def test_shape_and_kind_of_the_argument(name):
    f = kernel(name)
    assert isinstance(f(0.5), float)
    assert f(np.array([0, 1])).dtype == np.float64
    assert f(1) == f(1.0) == f(True)
    assert f(np.array(0.5)) == f(0.5)
    assert f(np.empty((0, 3), np.float32)).shape == (0, 3)
    assert f(np.empty((0, 3), np.float32)).dtype == np.float32
    grid = uniform(0.1, 0.9, 24).reshape(2, 3, 4)
    np.testing.assert_array_equal(f(grid.T), f(grid).T)
    np.testing.assert_array_equal(f(grid[:, ::-2, 1]), f(grid)[:, ::-2, 1])


def test_an_array_longer_than_a_block_is_computed_whole():
    x = uniform(-5, 5, 20_001)
    np.testing.assert_allclose(numerics.erf(x), [math.erf(v) for v in x], rtol=1e-15)


def test_orders_of_polygamma_broadcast():
    n, x = np.arange(5)[:, None], uniform(-3, 3, 7)
    found = numerics.polygamma(n, x)
    np.testing.assert_array_equal(found, [numerics.polygamma(k, x) for k in range(5)])
    assert numerics.polygamma(2.0, 3.0) == numerics.polygamma(2, 3.0)


@pytest.mark.parametrize("n", [-1, 0.5, 101, NAN, np.array([1, -2])])
def test_polygamma_refuses_other_orders(n):
    with pytest.raises(ValueError, match=r"polygamma: expected n in 0, 1, …, 100, got n = "):
        numerics.polygamma(n, 1.0)


@pytest.mark.parametrize("n", [0, 1, 2, 5])
def test_bessel_functions_of_any_order_hold_near_and_far(n):
    x = np.array([-40.0, -0.5, 0.5, 3.0, 30.0, 1000.0])
    exact = [float(mpmath.besselj(n, v)) for v in x]
    np.testing.assert_allclose(bessel.besselj(n, x), exact, rtol=0, atol=1e-15)


@pytest.mark.parametrize(("f", "exactly"), [(exact_sum, operator.add), (exact_product, operator.mul)])
def test_what_rounding_loses_is_returned_beside_the_result(f, exactly):
    for a, b in uniform(-3, 3).reshape(-1, 2):
        assert sum(map(Fraction, f(a, b))) == exactly(Fraction(a), Fraction(b))


def test_complex_numbers_are_refused():
    with pytest.raises(TypeError, match="erf: expected real numbers, got dtype complex128"):
        numerics.erf(1j)


def test_no_kernel_warns():
    x = np.concatenate([decades(-320, 308, 400), uniform(-30, 30, 400), POINTS])
    with np.errstate(all="ignore"):
        single = x.astype(np.float32)
    with warnings.catch_warnings(), np.errstate(all="warn"):
        warnings.simplefilter("error")
        for name in ALL:
            kernel(name)(x)
            kernel(name)(single)
        for n in (0, 1, 6):
            numerics.polygamma(n, x)
        numerics.xlogy(x, x)
        numerics.xlog1py(x, x)
        numerics.lgamma(np.float32(3e38))


@pytest.mark.parametrize("name", ["sigmoid", "softplus", "logsigmoid"])
def test_the_float_version_agrees_with_the_array_kernel(name):
    f, kernel = getattr(numerics, f"{name}_float"), getattr(numerics, name)
    for x in [*POINTS, -1e4, 1e4, -745.0, -40.0, 40.0, *map(float, uniform(-50, 50, 50))]:
        assert type(f(x)) is float
        np.testing.assert_allclose(f(x), kernel(x), rtol=1e-15)


# ------------------------------------------------------------------ zeta below 0
@pytest.mark.parametrize("s", [2, 3, 5, 8])
@pytest.mark.parametrize("q", [-1e-5, -0.5, -1.5, -2.25, -7.3, -1234.625])
def test_zeta_adds_terms_below_zero(s, q):
    count = math.ceil(-q)
    with mpmath.workdps(40):
        below = sum((mpmath.mpf(q) + k) ** -s for k in range(count))
        expected = float(below + mpmath.zeta(s, mpmath.mpf(q) + count))
    np.testing.assert_allclose(float(zeta.zeta(float(s), q)), expected, rtol=1e-13)


FAR = [(2.0, -1e9 - 0.5, math.pi**2), (2.5, -1e9 - 0.5, NAN), (2.0, -INF, INF), (2.0, -1e300, INF), (3.0, 0.0, INF)]


@pytest.mark.parametrize(("s", "q", "expected"), FAR)
def test_zeta_far_below_zero_comes_to_an_end(s, q, expected):
    np.testing.assert_allclose(float(zeta.zeta(s, q)), expected, rtol=1e-8)
