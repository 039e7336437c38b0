"""SciPy's ufuncs in place of our kernels: the same values, with and without SciPy."""

import subprocess
import sys

import numpy as np
import pytest

from symgrad.scalars import normal, numerics, scipys

PAIRS = [(scipys.erf, numerics.erf), (scipys.erfinv, numerics.erfinv), (scipys.ndtri, normal.ndtri),
         (scipys.log_ndtr, normal.log_ndtr), (scipys.erfcx, normal.erfcx), (scipys.digamma, numerics.digamma),
         (scipys.erfc, numerics.erfc), (scipys.ndtr, normal.ndtr), (scipys.lgamma, numerics.lgamma)]  # fmt: skip
EDGES = [0.0, -0.0, 1.0, -1.0, -2.0, np.inf, -np.inf, np.nan, 1e300, -1e300, 1e-300, 0.5]


@pytest.mark.parametrize(("quick", "own"), PAIRS, ids=lambda k: k.__name__)
def test_long_arrays_have_the_values_of_short_ones(quick, own):
    x = np.concatenate(
        [np.random.default_rng(0).uniform(-3, 3, 10_000), np.random.default_rng(1).uniform(0, 1, 99), EDGES]
    )
    found, expected = quick(x), own(x)
    np.testing.assert_allclose(found, expected, rtol=2e-15, atol=1e-15)
    settled = ~np.isnan(expected)
    np.testing.assert_array_equal(np.signbit(found[settled]), np.signbit(expected[settled]))
    np.testing.assert_array_equal(quick(x[:5]), own(x[:5]))
    assert quick(x.astype(np.float32)).dtype == np.float32
    np.testing.assert_array_equal(quick(x.astype(np.float32)), quick(x.astype(np.float32).astype(float)).astype("f4"))
    assert quick(np.broadcast_to(x[:300], (2, 300))).shape == (2, 300)


@pytest.mark.parametrize(
    ("quick", "own", "low", "high"),
    [
        (scipys.erfc, numerics.erfc, -6, 27),
        (scipys.ndtr, normal.ndtr, -39, 9),
        (scipys.log_ndtr, normal.log_ndtr, -60, 38),
        (scipys.erfcx, normal.erfcx, -26.6, 60),
        (scipys.lgamma, numerics.lgamma, -2, 60),
    ],
    ids=["erfc", "ndtr", "log_ndtr", "erfcx", "lgamma"],
)
def test_tails_and_zeros_keep_their_digits_in_long_arrays(quick, own, low, high):
    x = np.linspace(low, high, 20_001)
    np.testing.assert_allclose(quick(x), own(x), rtol=1.5e-15, atol=1e-300)


def test_scipy_is_imported_by_the_first_long_array_only():
    code = (
        "import sys, numpy as np, symgrad as sg; x = sg.tensor([0.5]); sg.erf(x); sg.digamma(x);"
        "assert 'scipy' not in sys.modules; sg.erf(sg.tensor(np.ones(999))); print('scipy' in sys.modules)"
    )
    pytest.importorskip("scipy")
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "True\n"


def test_without_scipy_ours_compute(monkeypatch):
    monkeypatch.setattr(scipys, "_special", lambda: None)
    x = np.linspace(-3, 3, 1000)
    np.testing.assert_array_equal(scipys.erf(x), numerics.erf(x))


def test_lgamma_of_tiny_numbers_is_their_negative_logarithm_in_long_arrays():
    x = np.repeat([5e-324, -5e-324, 1e-310, -1e-305], 100)
    np.testing.assert_allclose(scipys.lgamma(x), -np.log(np.abs(x)), rtol=1e-15)
