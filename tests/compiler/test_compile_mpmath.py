"""The backend that computes to any number of digits: values are those of eager mode, and right to the last digit."""

import mpmath
import numpy as np
import pytest
from checks import close, every, number, weighed

import symgrad as sg
from symgrad.compiler.backends.backend import Unsuitable
from symgrad.errors import ArgumentError, ArgumentTypeError, LinAlgError

from cases import CASES, SMOOTH

FIRST = [case for case in CASES if case.number == 0 and case.free]
BY_ARGUMENT = {"F.one_hot"}  # what is read from the arguments decides on shapes: nothing compiles it
REFUSED: set[str] = set()  # rows with an operation that has no meaning in mpmath


def exactly(f, digits=50):
    return sg.compile(f, backend="mpmath", digits=digits)


def check_value(case):
    found = sg.compile(number(case), backend="mpmath")(*case.points)
    expected = sg.compile(number(case), backend="numpy")(*case.points)
    close(np.asarray(found, dtype=float), np.asarray(expected, dtype=float), 1e-9)


def check_gradient(case):
    wrt = tuple(range(len(case.points)))
    found = sg.compile(sg.grad(weighed(case), wrt), backend="mpmath")(*case.points)
    expected = sg.compile(sg.grad(weighed(case), wrt), backend="numpy")(*case.points)
    for a, b in zip(found, expected, strict=True):
        close(a, b, 1e-9)


@every(FIRST[::23])
def test_values_are_those_of_arrays(case):
    check_value(case)


@every(SMOOTH[7::97])
def test_gradients_are_those_of_arrays(case):
    check_gradient(case)


@pytest.mark.slow
@every([case for case in FIRST if case.row.name not in BY_ARGUMENT])
def test_every_row_has_a_value(case):
    if case.row.name in REFUSED:
        with pytest.raises(Unsuitable, match="the operation"):
            check_value(case)
    else:
        check_value(case)


@pytest.mark.slow
@every([case for case in SMOOTH if case.number == 0 and case.free])
def test_every_row_has_a_gradient(case):
    check_gradient(case)


BESIDE_NAN = {"quantiles where some are nan", "nanmedian where some are nan", "index of mode"}


@every([case for case in FIRST if case.row.name in BESIDE_NAN])
def test_positions_are_found_by_the_order_of_the_entries(case):
    check_value(case)


def test_slopes_of_powers_and_of_single_entries_have_all_digits():
    second = exactly(sg.grad(sg.grad(lambda x: x**x)))(2.0)
    assert abs(second - (4 * (mpmath.log(2) + 1) ** 2 + 2)) < 1e-14
    entries = exactly(sg.grad(lambda x: x[0] ** 2 * x[1]))(np.array([1.5, 2.0]))
    assert entries.tolist() == [6, mpmath.mpf(2.25)]


# A declared family at an order, and places of a result written one number at a time
PLACED = {"special.erfcx", "linalg.cond None", "linalg.cond 2", "linalg.cond -2", "linalg.householder_product"}


@every([case for case in SMOOTH if case.number == 0 and case.free and case.row.name in PLACED])
def test_families_and_results_put_together_have_a_gradient(case):
    check_gradient(case)


# ------------------------------------------------------------------ digits
WORK = mpmath.MPContext()
WORK.dps = 500
LOST = [  # the textbook expression loses all digits of floats: function, argument, its value in another way
    ("softplus", lambda x: sg.softplus(x), -800.0, lambda x: WORK.log1p(WORK.exp(x))),
    ("softplus, spelt out", lambda x: sg.log(1 + sg.exp(x)), -300.0, lambda x: WORK.log1p(WORK.exp(x))),
    ("log_ndtr", lambda x: sg.special.log_ndtr(x), -40.0, lambda x: WORK.log(WORK.ncdf(x))),
    ("log_ndtr on the right", lambda x: sg.special.log_ndtr(x), 30.0, lambda x: WORK.log1p(-WORK.ncdf(-x))),
    ("tanhshrink", lambda x: sg.nn.functional.tanhshrink(x), 1e-20, lambda x: x - WORK.tanh(x)),
    ("a cosine near 1", lambda x: 1 - sg.cos(x), 1e-30, lambda x: 2 * WORK.sin(x / 2) ** 2),
    ("a sine far out", lambda x: sg.sin(x), 1e22, lambda x: WORK.sin(x)),
    ("erfc far out", lambda x: sg.erfc(x), 27.0, lambda x: WORK.erfc(x)),
    ("lgamma near its zero", lambda x: sg.lgamma(x), 1 + 2**-50, lambda x: WORK.loggamma(x)),
    ("digamma left of 0", lambda x: sg.digamma(x), -2.5, lambda x: WORK.digamma(x)),
    ("expm1", lambda x: sg.exp(x) - 1, 1e-300, lambda x: WORK.expm1(x)),
    ("a power", lambda x: x**0.1, 3.0, lambda x: x ** WORK.mpf(0.1)),
    ("a Bessel function", lambda x: sg.special.i1e(x), 30.0, lambda x: WORK.exp(-x) * WORK.besseli(1, x)),
]  # fmt: skip


@pytest.mark.parametrize(("f", "x", "expected"), [c[1:] for c in LOST], ids=[c[0] for c in LOST])
def test_fifty_digits_are_right_where_the_textbook_expression_cancels(f, x, expected):
    found, expected = exactly(f)(x), expected(WORK.mpf(x))
    assert abs(WORK.convert(found) / expected - 1) < WORK.mpf(10) ** -49


def test_floats_are_the_nearest():
    assert sg.compile(lambda x: x.sum(), backend="mpmath")(np.array([1e16, 1.0, -1e16])) == 1.0
    assert sg.compile(lambda x: x * x * x - 1, backend="mpmath")(1 + 2.0**-40) == float(
        mpmath.mpf(3 * 2**80 + 3 * 2**40 + 1) / mpmath.mpf(2) ** 120
    )


def test_what_is_nothing_is_nothing():
    f = sg.compile(lambda x: (sg.sin(x) ** 2 + sg.cos(x) ** 2 - 1, sg.exp(sg.log(x)) - x), backend="mpmath")
    assert f(np.array([0.3, 2.0]))[0].tolist() == [0.0, 0.0]
    assert exactly(lambda x: sg.exp(sg.log(x)) - x)(3.0) == 0


def test_truth_values_and_integers_are_exact():
    f = exactly(lambda x: (sg.sqrt(x) ** 2 >= x, sg.argsort(x), sg.floor(sg.log10(x)), x.long()))
    truth, order, decade, whole = f(np.array([1000.0, 10.0, 2.5]))
    assert truth.tolist() == [True, True, True]
    assert order.tolist() == [2, 1, 0]
    assert decade.tolist() == [3, 1, 0]
    assert whole.tolist() == [1000, 10, 2]


def test_matrices_to_fifty_digits():
    hilbert = 1 / (np.arange(4)[:, None] + np.arange(4) + 1.0)
    exact = WORK.matrix([[WORK.mpf(float(v)) for v in row] for row in hilbert])
    near = WORK.mpf(10) ** -45
    assert abs(WORK.convert(exactly(sg.linalg.det)(hilbert)) / WORK.det(exact) - 1) < near
    inverse, expected = exactly(sg.linalg.inv)(hilbert), exact**-1
    assert all(abs(WORK.convert(inverse[i, j]) / expected[i, j] - 1) < near for i in range(4) for j in range(4))
    values = exactly(sg.linalg.eigvalsh)(hilbert)
    expected = WORK.eigsy(exact, eigvals_only=True)
    assert all(abs(WORK.convert(v) / e - 1) < near for v, e in zip(values, expected, strict=True))
    values, expected = exactly(sg.linalg.svdvals)(hilbert[:, :3]), WORK.svd_r(exact[:, :3], compute_uv=False)
    assert all(abs(WORK.convert(v) / e - 1) < near for v, e in zip(values, expected, strict=True))
    power, expected = exactly(sg.matrix_exp)(hilbert), WORK.expm(exact)
    assert all(abs(WORK.convert(power[i, j]) / expected[i, j] - 1) < near for i in range(4) for j in range(4))
    left = exactly(sg.linalg.cholesky)(hilbert)
    assert all(abs(WORK.convert((left @ left.T)[i, j]) - exact[i, j]) < 1e-15 for i in range(4) for j in range(4))


@pytest.mark.parametrize("p", [np.inf, -np.inf, np.nan, 0.0, 1e308, -1e308, 5e-324])
def test_ends_of_the_axis_are_those_of_eager_mode(p):
    def f(x):
        return x + 1, x * 2, sg.exp(x), sg.tanh(x), sg.sigmoid(x), sg.softplus(x), sg.maximum(x, 0.0), sg.atan(x), x > 1

    with np.errstate(all="ignore"):
        expected = [np.asarray(y.numpy(), dtype=float) for y in f(sg.tensor(p))]
    for a, b in zip(sg.compile(f, backend="mpmath")(p), expected, strict=True):
        np.testing.assert_allclose(float(a), b, rtol=1e-15)


# ------------------------------------------------------------------ refusals
class Foreign(sg.autograd.Function):
    """Computes in NumPy, with floats."""

    @staticmethod
    def forward(ctx, x):
        return sg.tensor(np.arctan(x.detach().numpy()))

    @staticmethod
    def backward(ctx, g):
        return g


REFUSALS = [
    ("a function that computes with floats", Foreign.apply, np.ones(2), "the operation Foreign"),
    ("eigenvectors of a double eigenvalue", lambda a: sg.linalg.eigh(a).eigenvectors, np.eye(2), "Eigenvectors"),
    ("any basis", lambda a: sg.linalg.svd(a).U, np.array([[1.0], [2.0]]), "SingularVectors.*full_matrices=False"),
    ("more than there is", lambda x: sg.exp(sg.exp(sg.exp(x))), 1000.0, "beyond.*Scale the inputs"),
]


@pytest.mark.parametrize(("f", "x", "message"), [c[1:] for c in REFUSALS], ids=[c[0] for c in REFUSALS])
def test_what_has_no_meaning_is_named(f, x, message):
    with pytest.raises(Unsuitable, match=message):
        sg.compile(f, backend="mpmath")(x)


def test_singular_matrices_are_refused_as_in_eager_mode():
    with pytest.raises(LinAlgError, match="singular"):
        sg.compile(sg.linalg.inv, backend="mpmath")(np.ones((2, 2)))
    with pytest.raises(LinAlgError, match="positive-definite"):
        sg.compile(sg.linalg.cholesky, backend="mpmath")(-np.eye(2))
    assert sg.compile(sg.linalg.det, backend="mpmath")(np.ones((3, 3)) / 3) == 0.0


def test_digits_are_a_whole_number_for_this_backend():
    for options in ({"digits": 20}, {"backend": "numpy", "digits": 20}):
        with pytest.raises(ArgumentError, match="backend='mpmath'"):
            sg.compile(sg.sin, **options)
    assert [exactly(sg.exp, digits)(0.0) for digits in (1, 1000)] == [1, 1]
    for digits in (0, -3, 10**6):
        with pytest.raises(ArgumentError, match="Expected 1 to 1000"):
            exactly(sg.sin, digits)
    with pytest.raises(ArgumentTypeError, match="integer"):
        exactly(sg.sin, 2.5)
    with pytest.raises(ArgumentTypeError, match="no tensor holds"):
        exactly(sg.sin)(sg.tensor(1.0))


def test_tensors_have_gradients_through_it():
    x = sg.tensor([1.0, 2.0], requires_grad=True)
    sg.compile(lambda x: (x**3).sum(), backend="mpmath")(x).backward()
    assert x.grad.tolist() == [3.0, 12.0]
