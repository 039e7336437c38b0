"""Imaginary parts, masks and fractions of sizes: what no result could show is refused, or said to be lost."""

import numpy as np
import pytest
from scipy.interpolate import CubicSpline

import symgrad as sg

X, Y = np.array([0.0, 1.0, 2.5, 3.0]), np.array([1.0, 3.0 - 2.0j, 2.0j, 5.0 + 0.5j])
Z = np.array([1.0 + 2.0j, 3.0 - 1.0j])


def test_splines_and_lines_through_complex_values_are_those_of_scipy_and_numpy():
    at = np.array([0.3, 1.7, 2.9])
    for bc_type in ("not-a-knot", "natural", ((1, 1j), (2, 0.5))):
        ours, theirs = sg.CubicSpline(X, Y, bc_type=bc_type), CubicSpline(X, Y, bc_type=bc_type)
        np.testing.assert_allclose(ours(at), theirs(at), rtol=1e-12)
        np.testing.assert_allclose(ours.derivative()(at), theirs.derivative()(at), rtol=1e-12)
        np.testing.assert_allclose(ours.integrate(0.2, 2.8), theirs.integrate(0.2, 2.8), rtol=1e-12)
    np.testing.assert_allclose(sg.interp(at, X, Y), np.interp(at, X, Y), rtol=1e-14)
    np.testing.assert_allclose(np.interp(sg.tensor(at), X, Y, left=1j), np.interp(at, X, Y, left=1j), rtol=1e-14)


def test_derivatives_of_negative_order_are_integrals():
    ours, theirs = sg.CubicSpline(X, Y.imag), CubicSpline(X, Y.imag)
    for order in (-1, -2):
        np.testing.assert_allclose(ours.derivative(order)(2.1), theirs.derivative(order)(2.1), rtol=1e-12)
        np.testing.assert_allclose(ours(2.1, order), theirs.derivative(order)(2.1), rtol=1e-12)


def test_periods_are_those_of_numpy():
    at = np.array([5.5, -1.0, 0.7])
    for period in (-3.2, 3.2, 1.3):
        expected = np.interp(at, X, Y.real, period=period)
        np.testing.assert_allclose(sg.interp(at, X, Y.real, period=period), expected, rtol=1e-13)
    with pytest.raises(sg.errors.ArgumentError, match="period must be a non-zero value"):
        sg.interp(at, X, Y.real, period=0)


REFUSED = {
    "knots": lambda: sg.CubicSpline(X * (1 + 1j), X), "places": lambda: sg.CubicSpline(X, X)(1j),
    "knots of lines": lambda: sg.interp(1.0, X * 1j, X), "places on lines": lambda: sg.interp(1j, X, X),
    "period": lambda: sg.interp(1.0, X, X, period=2j),
    "array": lambda: sg.tensor(Z, dtype=sg.float64), "list": lambda: sg.tensor([1j], dtype=sg.float32),
    "tensor": lambda: sg.tensor(sg.tensor(Z), dtype=sg.float64), "integers": lambda: sg.tensor(Z, dtype=sg.int64),
    "leaf": lambda: sg.tensor(sg.tensor(Z), dtype=sg.float64, requires_grad=True),
    "full": lambda: sg.full((2,), 1j, dtype=sg.float64), "full_like": lambda: sg.full_like(sg.ones(2), 1j),
    "new_full": lambda: sg.ones(2).new_full((2,), 1j), "new_tensor": lambda: sg.ones(2).new_tensor(Z),
    "number": lambda: sg.zeros(2).__setitem__(0, 1j), "entries": lambda: sg.zeros(2).__setitem__(slice(None), Z),
    "entries of a tensor": lambda: sg.zeros(2).__setitem__(slice(None), sg.tensor(Z)),
    "copy_": lambda: sg.zeros(2).copy_(sg.tensor(Z)), "fill_": lambda: sg.zeros(2).fill_(1j),
    "constant_": lambda: sg.nn.init.constant_(sg.zeros(2), 1j), "normal_": lambda: sg.zeros(2).normal_(1j),
    "scatter": lambda: sg.zeros(2).scatter(0, sg.tensor([0, 1]), sg.tensor(Z)),
    "select_scatter": lambda: sg.zeros(2, 2).select_scatter(sg.tensor(Z), 0, 0),
    "buffer": lambda: sg.nn.BatchNorm1d(2).running_mean.copy_(sg.tensor(Z)),
    "weights": lambda: sg.nn.Linear(2, 1).load_state_dict({"weight": sg.tensor(Z[None]), "bias": sg.zeros(1)}),
}  # fmt: skip


@pytest.mark.filterwarnings("error::numpy.exceptions.ComplexWarning", "ignore:To copy construct")
@pytest.mark.parametrize("name", REFUSED)
def test_complex_numbers_are_not_written_into_real_ones(name):
    with pytest.raises(sg.errors.SymgradError, match=r"z\.real|complex numbers|complex values"):
        REFUSED[name]()


CONVERTED = {
    "to": lambda z: z.to(sg.float64), "double": lambda z: z.double(), "long": lambda z: z.long(),
    "type": lambda z: z.type(sg.float32), "sum": lambda z: sg.sum(z, dtype=sg.float64),
    "cumsum": lambda z: sg.cumsum(z, 0, dtype=sg.float64), "softmax": lambda z: sg.softmax(z, 0, dtype=sg.float64),
    "compiled": lambda z: sg.compile(lambda z: z.to(sg.float64))(Z),
}  # fmt: skip


@pytest.mark.parametrize("name", CONVERTED)
def test_conversions_say_that_imaginary_parts_are_lost(name):
    with pytest.warns(np.exceptions.ComplexWarning, match="Casting complex values to real discards the imaginary part"):
        CONVERTED[name](sg.tensor(Z))


@pytest.mark.filterwarnings("error")
def test_a_truth_value_says_whether_any_part_is_there():
    z = np.array([0.0, 1.0, 1j, 0j])
    for found in (sg.tensor(z).bool(), sg.compile(lambda z: z.bool())(z), sg.tensor(z, dtype=sg.bool)):
        np.testing.assert_array_equal(found, [False, True, True, False])


MASKED = np.ma.masked_array([1.0, 2.0], [False, True])


def test_masks_are_not_dropped(tmp_path):
    uses = [
        lambda: sg.save({"a": [MASKED]}, tmp_path / "x.zip"), lambda: sg.tensor(MASKED),
        lambda: sg.grad(lambda x: x.sum())(MASKED), lambda: sg.compile(lambda x: 2 * x)(MASKED),
        lambda: sg.testing.assert_close(MASKED, MASKED),
    ]  # fmt: skip
    for use in uses:
        with pytest.raises(sg.errors.ArgumentTypeError, match=r"tensors have no mask\. Got a masked array"):
            use()
    assert not list(tmp_path.iterdir())


WHOLE = {
    "irfft": lambda n: sg.fft.irfft(X, n), "irfftn": lambda n: sg.fft.irfftn(X, (n,)),
    "hfft": lambda n: sg.fft.hfft(X, n), "rfft": lambda n: sg.fft.rfft(X, n), "fftn": lambda n: sg.fft.fftn(X, (n,)),
    "NumPy's irfft": lambda n: np.fft.irfft(sg.tensor(X), n), "tril": lambda n: sg.tril(sg.ones(3, 3), n),
    "triu": lambda n: sg.triu(sg.ones(3, 3), n), "rot90": lambda n: sg.rot90(sg.ones(2, 2), n),
    "one_hot": lambda n: sg.nn.functional.one_hot(sg.tensor([1, 2]), n), "hann_window": lambda n: sg.hann_window(n),
    "kaiser_window": lambda n: sg.kaiser_window(n), "linspace": lambda n: np.linspace(sg.tensor(0.0), 1.0, n),
    "order of a spline": lambda n: sg.CubicSpline(X, X).derivative(n),
}  # fmt: skip


@pytest.mark.parametrize("name", WHOLE)
def test_sizes_and_numbers_of_steps_are_whole(name):
    WHOLE[name](5)
    for n in (5.7, 5.0):
        with pytest.raises(sg.errors.ArgumentTypeError, match="Got"):
            WHOLE[name](n)
