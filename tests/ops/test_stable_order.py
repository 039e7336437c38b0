"""Long rows are sorted as integers, in the order that NumPy's stable sort gives."""

import numpy as np
import pytest

from symgrad.ops.sorting.stable_order import stable_order

RNG = np.random.default_rng(0)
N = 3000
SPECIAL = np.array([np.inf, -np.inf, np.nan, -np.nan, 0.0, -0.0, 1.0, 5e-324, -5e-324])
ROWS = {
    "normal": RNG.standard_normal(N),
    "with equal entries": RNG.integers(-500, 500, N) * 1.0,
    "differing in the last digits": -1 - RNG.integers(0, 50, N) * 2.0**-52,
    "infinite, nan and ±0": RNG.choice(SPECIAL, N),
    "in order": np.arange(N) * 1.0,
    "two rows": RNG.standard_normal((2, N)),
    "strided": RNG.standard_normal((N, 2)).T,
}


@pytest.mark.parametrize("row", ROWS.values(), ids=ROWS)
@pytest.mark.parametrize("dtype", [np.float64, np.float32, np.float16])
def test_long_rows_are_in_the_stable_order(row, dtype):
    with np.errstate(under="ignore"):
        x = row.astype(dtype)
    np.testing.assert_array_equal(stable_order(x), np.argsort(x, -1, kind="stable"))


def test_other_axes_are_in_the_stable_order():
    x = RNG.standard_normal((2, N, 3))
    np.testing.assert_array_equal(stable_order(x, 1), np.argsort(x, 1, kind="stable"))
