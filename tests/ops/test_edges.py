"""Edges of dtypes, of ranges and of other libraries where an answer was wrong, or an error said nothing."""

import warnings

import numpy as np
import pytest
import sympy as sp
from exporting import loaded

import symgrad as sg
import symgrad.nn.functional as F

inf = np.inf
X16 = np.array([[0.5, 1.0, 2.0]], np.float16)
POOLS = {  # the windows, and the entries that get a gradient
    "padding before": (lambda x: F.max_pool1d(x[None], 3, padding=1), [-inf, -inf, 1.0, 2.0], [1, 0, 0, 1]),
    "padding after": (lambda x: F.max_pool1d(x[None], 2, padding=1), [1.0, 2.0, -inf], [1, 1, 0]),
    "a last window": (lambda x: F.max_pool1d(x[None], 2, ceil_mode=True), [1.0, 2.0, -inf], [0, 1, 1]),
    "two axes": (lambda x: F.max_pool2d(x.reshape(1, 2, 2), 2, padding=1), [-inf] * 4, [1, 1, 1, 1]),
    "nothing but padding": (lambda x: F.max_pool1d(x[None], 2, padding=2, dilation=3), [3.0], [0]),
}  # fmt: skip


@pytest.mark.parametrize("name", POOLS)
def test_a_window_of_padding_and_minus_infinity_passes_its_gradient_on(name):
    f, x, expected = POOLS[name]
    assert sg.grad(lambda x: f(x).sum())(np.array(x)).tolist() == expected


@pytest.mark.parametrize("dtype", ["bool", "int8", "uint8", "int16", "uint16", "int32", "uint64"])
@pytest.mark.parametrize("f", [sg.sin, sg.sqrt, lambda x: x / 2, lambda x: x**0.5, lambda x: sg.atan2(x, x)])
def test_functions_of_all_integers_give_double_precision(f, dtype):
    x = np.array([1, 0, 1], dtype)
    expected = f(sg.tensor(x))
    assert expected.dtype == sg.float64
    for backend in ("numpy", "auto"):
        assert sg.compile(f, backend=backend)(x).dtype == np.float64


@pytest.mark.parametrize(("dtype", "expected"), [("uint8", [255, 0]), ("int8", [-1, 0]), ("int32", [-1, 0])])
def test_a_number_times_alpha_takes_the_dtype_of_the_tensor(dtype, expected):
    x = sg.tensor(np.array([1, 2], dtype))
    for y in (sg.add(x, 2, alpha=-1), x.add(2, alpha=-1), x.clone().add_(2, alpha=-1)):
        assert y.tolist() == expected
        assert str(y.dtype) == dtype


@pytest.mark.parametrize("shape", [(), (1,), (2, 2)])
@pytest.mark.parametrize("y", [0.5, 1.5])
def test_a_power_of_minus_infinity_does_not_depend_on_the_shape_of_the_exponent(shape, y):
    x = np.full(shape, -inf)
    for run in (lambda f: f, sg.compile, lambda f: sg.compile(f, backend="numpy")):
        assert np.all(np.asarray(run(lambda x, y: sg.as_tensor(x) ** y)(x, sg.tensor(y).numpy())) == inf)
    exported = loaded(sg.export(lambda x, y: x**y, (x, 1.0), target="numpy", name="f"))
    assert np.all(exported(x, y) == inf)


@pytest.mark.parametrize(("x", "y"), [(1e-200, 2.0), (1e200, 1.6), (1e-200, 1.6), (2.0, 3.0)])
def test_the_mixed_derivative_of_a_power_is_that_of_either_order(x, y):
    by_y = sg.grad(lambda x, y: sg.grad(lambda y: x**y)(y), 0)(x, y)
    expected = x ** (y - 1) * (1 + y * np.log(x))
    assert by_y == pytest.approx(expected, rel=1e-14)


@pytest.mark.parametrize("backend", ["numpy", "python", "auto"])
def test_degrees_do_not_overflow_on_the_way(backend):
    assert sg.compile(sg.deg2rad, backend=backend)(1e308) == pytest.approx(np.deg2rad(1e308), rel=1e-15)
    assert "3.14159" not in sg.export(sg.deg2rad, (1.0,), target="c", name="f", formula=False)


@pytest.mark.parametrize("target", ["numpy", "jax", "torch"])
def test_sources_hold_no_number_that_half_precision_lacks(target):
    f = lambda x: sg.logsumexp(x, 1, b=np.ones(3, np.float16))
    assert "7976931348623" not in sg.export(f, (X16,), target=target, name="f")


def test_a_tensor_is_no_expression_of_sympys():
    z = sg.tensor(2.0, requires_grad=True)
    for wrong in (z, sg.tensor([1.0, 2.0]), sg.symbol("w")):
        with pytest.raises(TypeError, match=r"sg\.sin\(x\)"):
            sp.sin(wrong)
    assert sp.sin(sg.tensor(2.0)) == sp.sin(sp.Float(2.0))
    assert (sp.pi * z).item() == pytest.approx(2 * np.pi)


@pytest.mark.parametrize("text", ["a", b"a"])
def test_a_text_is_no_factor(text):
    for product in (lambda z: z * text, lambda z: text * z):
        with pytest.raises(TypeError, match="unsupported operand"):
            product(sg.tensor(2.0))
    assert sg.tensor(2) * text == 2 * text  # an integer is an index, as in PyTorch


def test_crosscheck_reads_labels_inside_a_function_as_positions():
    check = sg.testing.crosscheck(lambda x: F.multi_margin_loss(x[None], sg.tensor([1])), np.array([0.1, 0.5, 0.9]))
    assert check.ok


def test_crosscheck_is_silent_at_the_end_of_the_axis():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for f, *point in ((lambda x: x * x, 1e308), (lambda x, y: x**y, -inf, 0.5)):
            assert not sg.testing.crosscheck(f, *point, raise_exception=False).ok


@pytest.mark.parametrize("p", [1.0, 2.0, 3.0])
def test_whole_numbers_to_the_power_of_a_float_are_floats(p):
    x = np.array([100000, 3], np.int32)
    t = sg.tensor(x)
    for y in (t**p, sg.pow(t, p), t.pow(p), np.power(t, p), sg.compile(lambda t: t**p)(x)):
        assert y.dtype == np.float64
        assert y.tolist() == [100000.0**p, 3.0**p]
    assert loaded(sg.export(lambda t: t**p, (x,), target="numpy", name="f"))(x).tolist() == [100000.0**p, 3.0**p]
    assert (sg.tensor(3) ** p).dtype == (sg.tensor([True]) ** p).dtype == sg.float64
    assert sg.grad(lambda z: (z * t**p).sum())(2.0) == 100000.0**p + 3.0**p
    with pytest.raises(sg.errors.DTypeError, match="can't be cast"):
        t **= p


@pytest.mark.parametrize("name", ["add", "sub", "mul", "pow", "div", "maximum", "remainder", "floor_divide", "atan2"])
@pytest.mark.parametrize("dtype", ["float16", "float32", "int8", "uint8"])
def test_a_number_in_front_takes_the_dtype_of_the_tensor(name, dtype):
    x = sg.tensor(np.array([1, 2], dtype))
    f = getattr(sg, name)
    y, expected = f(3, x), f(sg.tensor(np.array([3, 3], dtype)), x)
    assert y.dtype == expected.dtype
    assert y.tolist() == expected.tolist()


I8, U8 = sg.tensor(np.array([2, 3], np.int8)), sg.tensor(np.array([2, 0], np.uint8))


@pytest.mark.parametrize(
    "f",
    [
        lambda: sg.full((2,), 300, dtype=sg.int8), lambda: sg.full((2,), -1, dtype=sg.uint8),
        lambda: sg.full((2,), np.nan, dtype=sg.int8), lambda: sg.full_like(I8, 300), lambda: I8.new_full((2,), 300),
        lambda: sg.tensor([300], dtype=sg.int8), lambda: sg.arange(0, 300, 100, dtype=sg.int8),
        lambda: sg.randint(0, 300, (2,), dtype=sg.int8), lambda: I8.clone().fill_(300),
        lambda: I8.clone().copy_(300), lambda: I8.clone().__setitem__(0, 300),
        lambda: I8.clone().__setitem__(0, 300.0), lambda: I8.clone().__setitem__(slice(None), [300, 1]),
        lambda: I8.masked_fill(I8 > 1, 300), lambda: I8.index_fill(0, sg.tensor([0]), 300),
        lambda: F.threshold(I8, 2, 300), lambda: F.pad(U8, (1, 1), value=-1), lambda: sg.where(U8 > 1, U8, 300),
        lambda: sg.compile(lambda x: sg.where(x > 1, x, -1))(U8.numpy()),
        lambda: sg.export(lambda x: sg.where(x > 1, x, -1), (U8.numpy(),), target="python"),
        lambda: sg.export(lambda x: sg.where(x > 1, x, 300), (U8.numpy(),), target="c"),
    ],
)  # fmt: skip
def test_a_number_that_the_dtype_does_not_hold_is_refused(f):
    with pytest.raises(OverflowError, match=r"out of bounds for u?int8"):
        f()


def _set(a, z):
    a[0] = z[0] ** 2
    return a


@pytest.mark.parametrize(
    "write",
    [
        _set, lambda a, z: a.copy_(z), lambda a, z: a.fill_(z[0]), lambda a, z: a.put(sg.tensor([0]), z[:1]),
        lambda a, z: a.index_put((sg.tensor([0]),), z[0]), lambda a, z: a.scatter(0, sg.tensor([0]), z[:1]),
        lambda a, z: a.select_scatter(z[0], 0, 0),
    ],
)  # fmt: skip
def test_no_gradient_is_written_into_integers(write):
    z = np.array([3.0, 2.0])
    with pytest.raises(sg.errors.DTypeError, match="Make the tensor floating"):
        sg.grad(lambda z: write(sg.zeros(2, dtype=sg.int64), z).sum())(z)
    assert sg.grad(lambda z: write(sg.zeros(2), z).sum())(z).any()
    with sg.no_grad():
        assert write(sg.zeros(2, dtype=sg.int64), sg.tensor(z, requires_grad=True)).dtype == sg.int64


IN_ORDER = np.random.default_rng(5).integers(-9, 9, (2, 40, 50)) / 2.0  # many are equal


@pytest.mark.parametrize("special", [0.0, -0.0, inf, -inf, np.nan])
@pytest.mark.parametrize("axis", [0, 1])
def test_selection_finds_the_entries_that_a_stable_sort_puts_there(special, axis):
    x = IN_ORDER[axis].copy()
    x[3, ::7] = x[31, 2:9] = special
    order, n = np.argsort(x, axis, kind="stable"), x.shape[axis]
    middle = order.take((n - 1) // 2, axis)
    some = np.isnan(x).any(axis)
    expected = np.where(some, np.isnan(x).argmax(axis), middle)
    for f in (sg.median, *(sg.compile(sg.median, backend=b) for b in ("numpy", "auto"))):
        values, indices = f(x, axis)
        assert np.asarray(indices).tolist() == expected.tolist()
        assert np.array_equal(values, _at(x, expected, axis), equal_nan=True)
    last = np.maximum((~np.isnan(x)).sum(axis, keepdims=True) - 1, 0) // 2
    assert np.array_equal(sg.nanmedian(x, axis, keepdim=True)[1], np.take_along_axis(order, last, axis))
    lower = sg.grad(lambda x: sg.quantile(x, 0.3, axis, interpolation="lower").sum())(x)
    expected = np.where(some, np.isnan(x).argmax(axis), order.take(int(0.3 * (n - 1)), axis))
    assert np.array_equal(np.asarray(lower).argmax(axis), expected)


@pytest.mark.parametrize("special", [0.0, inf, -inf, np.nan])
def test_the_median_of_all_is_that_of_a_sort(special):
    x = np.where(IN_ORDER[0] == 1.5, special, IN_ORDER[0])
    expected = np.nan if np.isnan(special) else np.sort(x, None)[(x.size - 1) // 2]
    for f in (sg.median, *(sg.compile(sg.median, backend=b) for b in ("numpy", "auto"))):
        assert np.array_equal(f(x), expected, equal_nan=True)


def _at(x, positions, axis):
    return np.take_along_axis(x, np.expand_dims(positions, axis), axis).squeeze(axis)
