"""Arguments that functions take beyond PyTorch's: factors of logsumexp, lists of axes of einsum, empty batches."""

import numpy as np
import pytest

import symgrad as sg

_INF = np.inf
FACTORS = {
    "matrix": ([[1.0, -2.0, 3.0], [0.5, 4.0, 2.0]], [[0.5, 2.0, 1.0], [1.5, 0.1, 3.0]]),
    "row": ([[1.0, -2.0, 3.0], [0.5, 4.0, 2.0]], [0.5, -2.0, 1.0]),
    "wider factors": ([1.0, -2.0], [[1.0, 2.0], [3.0, 4.0]]),
    "a number": ([1.0, 2.0], 2.5),
    "masks": ([1e4, 1.0, 2.0], [False, True, True]),
    "integers": ([1.0, 2.0], [3, 0]),
    "no overflow": ([1000.0, 1.0, -1000.0], [0.0, 1.0, 1.0]),
    "masked infinity": ([_INF, 1.0], [0.0, 1.0]),
    "infinity": ([_INF, 1.0], [-1.0, 1.0]),
    "nothing": ([-_INF, -_INF], [1.0, 2.0]),
    "zero": ([1.0, 1.0], [1.0, -1.0]),
    "negative": ([1.0, 2.0], [1.0, -1.0]),
    "all masked": ([1.0, 2.0], [0.0, 0.0]),
}


@pytest.mark.parametrize("return_sign", [False, True], ids=["", "sign"])
@pytest.mark.parametrize("kwargs", [{}, {"axis": -1}, {"axis": 0, "keepdims": True}], ids=str)
@pytest.mark.parametrize(("a", "b"), FACTORS.values(), ids=FACTORS)
def test_logsumexp_with_factors_is_scipys(a, b, kwargs, return_sign):
    special = pytest.importorskip("scipy.special")
    with np.errstate(all="ignore"):
        expected = special.logsumexp(a, b=b, return_sign=return_sign, **kwargs)
    found = sg.special.logsumexp(sg.tensor(a), b=b, return_sign=return_sign, **kwargs)
    for f, e in zip(found, expected, strict=True) if return_sign else [(found, expected)]:
        assert f.shape == np.shape(e)
        np.testing.assert_allclose(f.numpy(), e, rtol=1e-13, atol=1e-13)


def test_the_slope_of_logsumexp_in_a_factor_of_zero_is_right():
    found = sg.grad(lambda b: sg.logsumexp(np.array([1.0, 2.0]), b=b))(np.array([0.0, 1.0]))
    np.testing.assert_allclose(found, [np.exp(-1.0), 1.0], rtol=1e-14)


@pytest.mark.parametrize(
    ("lists", "text"),
    [
        (([0, 60],), "not within the valid range"),
        (([0, -1],), "not within the valid range"),
        (([0, "x"],), "an axis must be an integer or Ellipsis"),
        (([0, 0, 1],), "does not match the number of dimensions"),
        (([0, 1], [0, 5]), "does not appear in the equation"),
        ((3,), "expected a list of axes' numbers"),
        ((), "must specify the equation string"),
    ],
    ids=str,
)
def test_einsum_says_what_is_wrong_with_lists_of_axes(lists, text):
    with pytest.raises(sg.errors.SymgradError, match=text):
        sg.einsum(sg.ones(2, 3), *lists)


def test_numpys_einsum_takes_lists_of_axes():
    x, y = np.arange(6.0).reshape(2, 3), np.arange(12.0).reshape(3, 4)
    found = np.einsum(sg.tensor(x), [0, 1], y, [1, 2], [2, 0])
    np.testing.assert_array_equal(found.numpy(), (x @ y).T)


def test_a_batch_without_entries_leaves_running_statistics_alone():
    mean, var = sg.tensor([1.0, 2.0]), sg.tensor([3.0, 4.0])
    sg.nn.functional.batch_norm(sg.zeros(0, 2), mean, var, training=True)
    assert (mean.tolist(), var.tolist()) == ([1.0, 2.0], [3.0, 4.0])
