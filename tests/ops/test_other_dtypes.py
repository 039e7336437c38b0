"""Integers, booleans, half and single precision in eager mode, against PyTorch's samples and by themselves."""

from __future__ import annotations

import numpy as np
import pytest

import symgrad as sg
from symgrad.errors import ArgumentError, DTypeError

F = sg.nn.functional


def tensor(values, dtype):
    return sg.tensor(np.array(values, dtype=dtype))


# ------------------------------------------------------------------ integers and booleans
FIVE, FOURS = tensor([5, 5], "int64"), tensor(np.full((2, 2), 4), "int64")
WINDOWS, ZEROS = tensor([[[1, 2, 4, -7]]], "int64"), tensor([0, 0, 0], "int64")
RESULTS = {
    "avg_pool1d": (lambda: F.avg_pool1d(WINDOWS, 2, 1), [[[1, 3, -1]]], "int64"),
    "avg_pool2d": (lambda: F.avg_pool2d(WINDOWS, (1, 2), 1), [[[1, 3, -1]]], "int64"),
    "avg_pool2d divisor": (lambda: F.avg_pool2d(WINDOWS, (1, 2), 1, divisor_override=3), [[[1, 2, -1]]], "int64"),
    "avg_pool1d, padding left out": (
        lambda: F.avg_pool1d(WINDOWS, 2, padding=1, count_include_pad=False), [[[1, 3, -7]]], "int64"),
    "addmm": (lambda: sg.addmm(FOURS, FOURS, FOURS, beta=2.9, alpha=-1.7), [[-24, -24], [-24, -24]], "int64"),
    "addmv": (lambda: sg.addmv(FIVE, FOURS, FIVE, beta=0.5), [40, 40], "int64"),
    "addbmm": (lambda: sg.addbmm(FOURS, FOURS[None], FOURS[None], alpha=1.5), [[36, 36], [36, 36]], "int64"),
    "baddbmm": (lambda: sg.baddbmm(FOURS[None], FOURS[None], FOURS[None], beta=0.2), [[[32, 32], [32, 32]]], "int64"),
    "addr of booleans": (
        lambda: sg.addr(tensor([[True]], bool), tensor([True], bool), tensor([True], bool), beta=3), [[True]], "bool"),
    "hardtanh": (lambda: F.hardtanh(FIVE, -0.5, 2.7), [2, 2], "int64"),
    "hardtanh of unsigned numbers": (lambda: F.hardtanh(FIVE.to(sg.uint8), 0, 2.7), [2, 2], "uint8"),
    "scatter add": (
        lambda: sg.scatter(ZEROS, 0, sg.tensor([1, 1]), sg.tensor([2, 3]), reduce="add"), [0, 5, 0], "int64"),
    "scatter multiply": (
        lambda: sg.scatter(ZEROS + 3, 0, sg.tensor([1, 0]), 2, reduce="multiply"), [6, 6, 3], "int64"),
    "scatter add of booleans": (
        lambda: sg.scatter(tensor([False] * 2, bool), 0, sg.tensor([1]), True, reduce="add"), [False, True], "bool"),
    "scatter_ in place": (lambda: sg.zeros(2).scatter_(0, sg.tensor([1]), 2.0, reduce="add"), [0.0, 2.0], "float64"),
    "scatter_reduce prod": (
        lambda: sg.scatter_reduce(tensor([2, 3], "uint8"), 0, sg.tensor([0]), tensor([4], "uint8"), "prod"),
        [8, 3], "uint8"),
    "avg_pool1d of unsigned numbers": (lambda: F.avg_pool1d(WINDOWS[..., :3].to(sg.uint8), 2, 1), [[[1, 3]]], "int64"),
    "sign of booleans": (lambda: sg.sign(tensor([True, False], bool)), [True, False], "bool"),
    "logsumexp of booleans": (
        lambda: sg.logsumexp(tensor([True, False], bool), 0), np.log(np.e + 1), "float64"),
    "logsumexp of unsigned numbers": (lambda: sg.logsumexp(tensor([1, 0], "uint8"), 0), np.log(np.e + 1), "float64"),
    "trapezoid of unsigned numbers": (
        lambda: sg.trapezoid(tensor([200, 100], "uint8"), tensor([5, 2], "uint8")), -450.0, "float64"),
    "vander": (lambda: sg.linalg.vander(tensor([100], "int8"), N=3), [[1, 100, 10000]], "int64"),
}  # fmt: skip


@pytest.mark.parametrize("name", RESULTS)
def test_integers_and_truth_values_give_what_pytorch_gives(name):
    f, expected, dtype = RESULTS[name]
    found = f().numpy() if isinstance(f(), sg.Tensor) else f()
    np.testing.assert_allclose(found, expected, rtol=1e-15, atol=0)
    assert found.dtype == dtype


SUMS = {
    "sum": lambda x, **how: sg.sum(x, **how),
    "sum of rows": lambda x, **how: sg.sum(x[None], 1, keepdim=True, **how),
    "sum of a number": lambda x, **how: sg.sum(x[0], **how),
    "prod": lambda x, **how: sg.prod(x, **how),
    "cumsum": lambda x, **how: sg.cumsum(x, 0, **how),
    "cumprod": lambda x, **how: sg.cumprod(x, 0, **how),
}


@pytest.mark.parametrize("dtype", ["bool", "uint8", "int8", "int16", "uint32", "int32", "int64"])
@pytest.mark.parametrize("name", SUMS)
def test_sums_and_products_of_short_integers_are_long_or_of_the_dtype_asked_for(name, dtype):
    x = tensor([100, 100, 3], dtype)
    assert SUMS[name](x).dtype == sg.int64
    for asked in (sg.int16, sg.uint8, sg.float32):
        assert SUMS[name](x, dtype=asked).dtype == asked
    assert sg.trace(x[:, None]).dtype == sg.nansum(x).dtype == sg.int64
    if dtype != "bool":
        assert sg.sum(x).item() == 203


def test_limits_factors_and_reductions_that_do_not_fit_are_refused():
    with pytest.raises(DTypeError, match="unsigned type with negative limits"):
        F.hardtanh(FIVE.to(sg.uint8), -1, 2)
    with pytest.raises(DTypeError, match="Bool inputs not supported for hardtanh"):
        F.hardtanh(FIVE > 0)
    with pytest.raises(DTypeError, match="argument beta must not be a floating point number"):
        sg.addr(FOURS, FIVE, FIVE, beta=0.5)
    with pytest.raises(ArgumentError, match="must be either add or multiply"):
        sg.scatter(ZEROS, 0, sg.tensor([0]), 1, reduce="mean")


def test_scatter_with_a_reduction_is_differentiated():
    x, v = sg.tensor([2.0, 3.0], requires_grad=True), sg.tensor([4.0, 5.0], requires_grad=True)
    sg.scatter(x, 0, sg.tensor([0, 0]), v, reduce="multiply").sum().backward()
    np.testing.assert_array_equal(x.grad.numpy(), [20.0, 1.0])
    np.testing.assert_array_equal(v.grad.numpy(), [10.0, 8.0])


# ------------------------------------------------------------------ half and single precision
HALF = np.full((5000, 2), 300, np.float16)
HALVES = {
    "sum": (lambda x: (x / 300).sum(0), 5000.0),
    "mean of columns": (lambda x: x.mean(0), 300.0),
    "mean": (lambda x: x.mean(), 300.0),
    "rms_norm": (lambda x: F.rms_norm(x, (2,)), 1.0),
    "layer_norm": (lambda x: F.layer_norm(sg.cat([x, -x], 1), (4,))[:, 0], 1.0),
    "batch_norm": (lambda x: F.batch_norm(sg.cat([x, -x]), None, None, training=True)[0], 1.0),
    "mean squared error": (lambda x: F.mse_loss(x, x - 200), 40000.0),
    "softmax": (lambda x: sg.softmax(x, 0) * 5000, 1.0),
    "logsumexp": (lambda x: sg.logsumexp(x, 0), 300 + np.log(5000)),
    "cumsum": (lambda x: sg.cumsum(x[:, 0] / 300, 0)[-1], 5000.0),
    "std": (lambda x: sg.cat([x, -x]).std(0), 300.0),
}


@pytest.mark.parametrize("name", HALVES)
def test_half_precision_is_computed_in_single(name):
    f, expected = HALVES[name]
    x = sg.tensor(HALF, requires_grad=True)
    y = f(x)
    assert y.dtype == sg.float16
    np.testing.assert_allclose(y.detach().numpy().astype(float), expected, rtol=2e-3)
    y.sum().backward()
    assert x.grad.dtype == sg.float16
    assert np.isfinite(x.grad.numpy()).all()


def test_products_of_half_precision_overflow_at_the_end_only():
    assert sg.prod(tensor([300, 300, 0.01, 0.01], "float16")).item() == pytest.approx(9.0, rel=3e-3)


LONG = np.random.default_rng(0).uniform(0.5, 1.5, (20000, 3)).astype(np.float32)


def reversed_sums(x):
    """The sums of x and what is behind."""
    return x[::-1].cumsum(0)[::-1]


SINGLES = {
    "sum": (lambda x: x.sum(0), lambda x: x.sum(0)),
    "mean": (lambda x: x.mean(0), lambda x: x.mean(0)),
    "var": (lambda x: x.var(0), lambda x: x.var(0, ddof=1)),
    "cumsum": (lambda x: sg.cumsum(x, 0), lambda x: x.cumsum(0)),
    "slope of cumsum": (lambda x: sg.grad(lambda x: (sg.cumsum(x, 0) * LONG).sum())(x), reversed_sums),
    "logcumsumexp": (lambda x: sg.logcumsumexp(x, 0), lambda x: np.logaddexp.accumulate(x, 0)),
    "logsumexp": (lambda x: sg.logsumexp(x, 0), lambda x: np.log(np.exp(x).sum(0))),
    "softmax": (lambda x: sg.softmax(x, 0), lambda x: np.exp(x) / np.exp(x).sum(0)),
}


@pytest.mark.parametrize("backend", ["eager", "numpy", "llvm"])
@pytest.mark.parametrize("name", SINGLES)
def test_long_sums_in_single_precision_have_its_digits(name, backend):
    f, exact = SINGLES[name]
    found = f(sg.tensor(LONG)).numpy() if backend == "eager" else sg.compile(f, backend=backend)(LONG)
    assert found.dtype == np.float32
    np.testing.assert_allclose(found, exact(LONG.astype(np.float64)), rtol=6e-7)


def test_matrix_exp_and_running_products_in_single_precision_have_its_digits():
    A = (np.random.default_rng(1).normal(size=(20, 20)) * 3).astype(np.float32)
    exact = sg.linalg.matrix_exp(sg.tensor(A.astype(np.float64))).numpy()
    found = sg.linalg.matrix_exp(sg.tensor(A)).numpy()
    assert found.dtype == np.float32
    np.testing.assert_allclose(found, exact, rtol=1e-7, atol=1e-7 * np.abs(exact).max())
    x = (1 + (LONG - 1) / 2**10).astype(np.float32)
    np.testing.assert_allclose(sg.cumprod(sg.tensor(x), 0).numpy(), x.astype(float).cumprod(0), rtol=1e-7)
    fast = sg.compile(lambda x: sg.cumprod(x, 0), backend="llvm")
    np.testing.assert_allclose(fast(x), x.astype(float).cumprod(0), rtol=1e-7)


# ------------------------------------------------------------------ PyTorch's samples
@pytest.fixture
def opdb():
    """PyTorch's samples, in double precision by default, as symgrad."""
    torch = pytest.importorskip("torch", reason="PyTorch is not installed (pip install --group peers)")
    import opdb

    before = torch.get_default_dtype()
    torch.set_default_dtype(torch.float64)
    yield opdb
    torch.set_default_dtype(before)


KINDS = ["float32", "float16", "int64", "uint8", "int32", "bool"]


def sampled(opdb, dtype, most, every=1, start=0):
    """What differs, by function."""
    found = {}
    for op, f in opdb.functions()[start::every]:
        with np.errstate(all="ignore"):
            texts = [opdb.difference(op, f, sample) for sample in opdb.samples(op, dtype, most)]
        if any(texts):
            found[opdb.label(op)] = next(filter(None, texts))
    return found


@pytest.mark.parametrize("k", range(len(KINDS)))
def test_a_few_of_pytorchs_samples_give_its_values_and_dtypes(opdb, k):
    found = sampled(opdb, KINDS[k], most=1, every=3 * len(KINDS), start=k)
    assert set(found) <= KNOWN.get(KINDS[k], set()), found


# In PyTorch the loss of uint8 wraps. Functions of int16 have NumPy's dtype, and are left out.
KNOWN = {
    "uint8": {"nn.functional.margin_ranking_loss", "full_like"},  # PyTorch wraps -9, NumPy and symgrad refuse it
    "int64": {"nn.functional.local_response_norm"},  # PyTorch cuts the means of squares off
}


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:(std|var)")
@pytest.mark.parametrize("dtype", [*KINDS, "float64", "int8"])
def test_pytorchs_samples_give_its_values_and_dtypes(opdb, dtype):
    found = sampled(opdb, dtype, most=12)
    assert set(found) <= KNOWN.get(dtype, set()), found


# ------------------------------------------------------------------ factors of integers
U8 = sg.tensor(np.array([1, 2, 3], np.uint8))
FACTORS = {
    "add": lambda x: sg.add(x, x, alpha=-3),
    "method": lambda x: x.sub(x, alpha=-3),
    "in place": lambda x: x.clone().add_(x, alpha=-3),
    "rsub": lambda x: sg.rsub(x, x, alpha=-3),
    "index_add": lambda x: sg.index_add(x, 0, sg.tensor([0, 1, 2]), x, alpha=-2),
}
WRAPPED = {"add": [254, 252, 250], "method": [4, 8, 12], "in place": [254, 252, 250], "rsub": [4, 8, 12],
           "index_add": [255, 254, 253]}  # fmt: skip


@pytest.mark.parametrize("name", FACTORS)
def test_negative_factors_of_unsigned_integers_wrap(name):
    y = FACTORS[name](U8)
    assert y.dtype == np.uint8
    assert y.tolist() == WRAPPED[name]


def test_weighted_counts_of_unsigned_integers():
    assert sg.bincount(U8, weights=sg.tensor([0.5, 1.0, 2.0])).tolist() == [0.0, 0.5, 1.0, 2.0]


def test_factors_of_truth_values_are_truth_values():
    x = sg.tensor([True, False])
    assert sg.add(x, x, alpha=2).tolist() == [True, False]
    assert sg.add(x, x, alpha=2).dtype == np.bool_


def test_fractional_factors_of_integers_are_refused():
    x = sg.tensor([1, 2])
    for f in (lambda: sg.add(x, x, alpha=0.5), lambda: x.sub(x, alpha=1.5), lambda: x.clone().add_(x, alpha=0.5),
              lambda: sg.addcmul(x, x, x, value=0.5), lambda: sg.index_add(x, 0, x - 1, x, alpha=0.5)):  # fmt: skip
        with pytest.raises(DTypeError, match="must not be a floating point number"):
            f()
    with pytest.raises(DTypeError, match="addcdiv"):
        sg.addcdiv(x, x, x)
    with pytest.raises(DTypeError, match="lerp"):
        sg.lerp(x, x, 0.5)
    with pytest.raises(DTypeError, match="Boolean alpha"):
        sg.add(x, x, alpha=True)
    assert sg.add(x.double(), x, alpha=0.5).tolist() == [1.5, 3.0]
