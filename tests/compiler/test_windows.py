"""Windows in compiled programs: views that overlap, and sums over them, beside eager mode."""

import itertools
import random
from collections import Counter

import numpy as np
import pytest
from checks import close
from slow_tests import FURTHER

import symgrad as sg
from symgrad.compiler.backends.backend import Unsuitable
from symgrad.compiler.backends.llvm import native
from symgrad.compiler.backends.llvm.memory import Buffer
from symgrad.compiler.backends.llvm.steps import Nest, Outside, refuse_overlaps
from symgrad.compiler.primitives.views import View
from symgrad.errors import MissingExtra

F = sg.nn.functional
BACKENDS = ["numpy", "llvm"]
RNG = np.random.default_rng(3)
X1, X2 = RNG.normal(size=(2, 3, 11)), RNG.normal(size=(1, 4, 6, 5))
W1, W2 = RNG.normal(size=(5, 3, 3)), RNG.normal(size=(6, 4, 3, 2))
WIDE = RNG.normal(size=(40, 4, 3, 3))  # so many channels that several tiles read a window

PROGRAMS = {
    "mean": (lambda x: F.avg_pool2d(x, 2), X2),
    "mean, overlapping": (lambda x: F.avg_pool2d(x, 3, 2, 1), X2),
    "mean, beyond the end": (lambda x: F.avg_pool1d(x, 3, 2, ceil_mode=True), X1),
    "mean, apart": (lambda x: F.avg_pool1d(x, 2, 4), X1),
    "largest": (lambda x: F.max_pool2d(x, 2), X2),
    "largest, overlapping": (lambda x: F.max_pool2d(x, 3, 1, 1), X2),
    "largest, dilated": (lambda x: F.max_pool1d(x, 2, 3, dilation=2), X1),
    "columns": (lambda x: F.unfold(x, (2, 3)), X2),
    "columns, dilated, padded": (lambda x: F.unfold(x, 2, 2, 1, 2), X2),
    "columns added up": (lambda x: F.fold(F.unfold(x, 3), (6, 5), 3), X2),
    "windows of an axis": (lambda x: x.unfold(1, 2, 1), X1),
    "conv1d": (lambda x: F.conv1d(x, W1, stride=2, padding=1), X1),
    "conv1d, one window": (lambda x: F.conv1d(x, RNG.normal(size=(2, 3, 11)) * 0 + 1.5), X1),
    "conv2d": (lambda x: F.conv2d(x, W2), X2),
    "conv2d, dilated": (lambda x: F.conv2d(x, W2, dilation=(1, 2), padding=2), X2),
    "conv2d, groups": (lambda x: F.conv2d(x, W2[:, :2], groups=2), X2),
    "conv2d of many channels": (lambda x: F.conv2d(x, WIDE), X2),
    "conv2d twice": (lambda x: F.conv2d(sg.tanh(F.conv2d(x, W2, padding=1)), W2.swapaxes(0, 1)), X2),
    "conv_transpose2d": (lambda x: F.conv_transpose2d(x, W2.swapaxes(0, 1), stride=2), RNG.normal(size=(1, 4, 5, 4))),
    "weights": (lambda w: F.conv2d(X2, w, stride=2) ** 2, W2),
    "both": (lambda x: F.conv1d(x, x[:, :, :3]), X1),
    "windows read twice": (lambda x: F.unfold(x, 2)[:, :4] * F.avg_pool2d(x, 2, 1).reshape(1, 4, -1), X2),
    "positions at steps": (lambda x: x[:, :, np.arange(7, -1, -2)[:, None] + np.arange(3)], X1),
    "one position again and again": (lambda x: x[:, [2, 2, 2]] * np.arange(1.0, 4)[:, None], X1),
    "no window's entry": (lambda x: x[:, :, np.zeros((0, 3), int)].sum() + x, X1),
    "from the end": (lambda x: x[:, :, np.arange(-1, -12, -1)] * np.arange(11.0), X1),
    "a diagonal": (lambda x: x[:, np.arange(3), np.arange(3)] ** 2, X1),
}


@pytest.fixture(autouse=True)
def _in_loops(monkeypatch):
    """Small programs become loops, too."""
    monkeypatch.setattr(native, "_straight", lambda *given: None)


def compiled(f, backend):
    """The compiled function; the test is skipped where the backend has no compiler here."""

    def call(*args):
        try:
            return kernel(*args)
        except MissingExtra as error:
            pytest.skip(str(error))

    kernel = sg.compile(f, backend=backend)
    return call


@pytest.mark.parametrize(("dtype", "tolerance"), [("float64", 1e-12), ("float32", 1e-4)])
@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("name", PROGRAMS)
def test_windows_are_those_of_eager_mode(name, backend, dtype, tolerance):
    f, x = PROGRAMS[name]

    def loss(x):
        y = f(x)
        return (y * y * sg.cos(sg.arange(float(y.numel())).reshape(y.shape))).sum()

    given = x.astype(dtype)
    value, slope = compiled(sg.value_and_grad(loss), backend)(given)
    expected = sg.value_and_grad(loss)(given)
    assert slope.dtype == expected[1].dtype
    close(value, expected[0], tolerance)
    close(slope, expected[1], tolerance)


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("dtype", ["int64", "complex128", "bool"])
def test_windows_of_other_dtypes_are_those_of_eager_mode(dtype, backend):
    def f(x):
        return F.unfold(x, 2), sg.flip(x, (3,))[:, :, :, np.arange(0, 5, 2)]

    x = (X2 * 9).astype(dtype)
    for y, expected in zip(compiled(f, backend)(x), f(sg.tensor(x)), strict=True):
        assert y.dtype == expected.dtype
        np.testing.assert_array_equal(y, expected.numpy())


@pytest.mark.parametrize("backend", BACKENDS)
def test_the_first_largest_entry_has_the_gradient_also_of_infinities_and_nan(backend):
    x = np.array([[[1.0, 1.0, np.inf, np.inf, np.nan, 2.0, 3.0, np.nan, -np.inf, -np.inf, np.nan, np.nan]]])

    def f(x):
        return (F.max_pool1d(x, 2) * np.arange(1.0, 7)).sum()

    expected = sg.grad(f)(x)
    np.testing.assert_array_equal(compiled(sg.grad(f), backend)(x), expected)
    np.testing.assert_array_equal(expected.ravel(), [1, 0, 2, 0, 3, 0, 0, 4, 5, 0, 6, 0])


BIG, FILTERS = RNG.normal(size=(4, 4, 64, 64)), RNG.normal(size=(8, 4, 3, 3))
LARGE = {
    "avg_pool2d": lambda x: F.avg_pool2d(x, 3, 1),
    "max_pool2d": lambda x: F.max_pool2d(x, 2),
    "conv2d": lambda x: F.conv2d(x, FILTERS),
    "unfold": lambda x: F.unfold(x, 3),
}


def test_the_c_compiler_gets_the_same_loops():
    def loss(x):
        return (F.conv2d(F.max_pool2d(F.avg_pool2d(x, 2, 1), 2), FILTERS[:, :, :2, :2]) ** 2).sum()

    found = compiled(sg.value_and_grad(loss), "c")(X2)
    expected = sg.value_and_grad(loss)(X2)
    close(found[0], expected[0], 1e-12)
    close(found[1], expected[1], 1e-12)


@pytest.mark.parametrize("name", LARGE)
def test_large_windows_have_the_same_bytes_for_any_number_of_threads(name):
    def loss(x):
        return (LARGE[name](x) ** 2).sum()

    f, found, before = compiled(sg.value_and_grad(loss), "llvm"), set(), sg.get_num_threads()
    try:
        for n in (1, 2, 7):
            sg.set_num_threads(n)
            value, slope = f(BIG)
            found.add((value, slope.tobytes()))
    finally:
        sg.set_num_threads(before)
    expected = sg.value_and_grad(loss)(BIG)
    close(value, expected[0], 1e-12)
    close(slope, expected[1], 1e-9)
    assert len(found) == 1


def windows_of(x, w, stride, padding, dilation, groups):
    """Every product of a convolution: the places of its result, of the padded argument and of the weights."""
    sizes, taps = x.shape[2:], w.shape[2:]
    counts = [(n + 2 * padding - dilation * (k - 1) - 1) // stride + 1 for n, k in zip(sizes, taps, strict=True)]
    filters, channels = w.shape[0] // groups, w.shape[1]
    for b, o, c in itertools.product(range(x.shape[0]), range(w.shape[0]), range(channels)):
        for at, tap in itertools.product(np.ndindex(*counts), np.ndindex(*taps)):
            place = [stride * i + dilation * k for i, k in zip(at, tap, strict=True)]
            yield (b, o, *at), (b, o // filters * channels + c, *place), (o, c, *tap)


def slopes_by_definition(x, w, **options):
    """The slopes of Σ y², with y the convolution, in x and w."""
    beside = [(0, 0), (0, 0), *[(options["padding"],) * 2] * (x.ndim - 2)]
    wide, y = np.pad(x, beside), Counter()
    for i, j, k in windows_of(x, w, **options):
        y[i] += wide[j] * w[k]
    in_x, in_w = np.zeros_like(wide), np.zeros_like(w)
    for i, j, k in windows_of(x, w, **options):
        in_x[j] += 2 * y[i] * w[k]
        in_w[k] += 2 * y[i] * wide[j]
    return in_x[tuple(slice(a, n - a) for (a, _), n in zip(beside, wide.shape, strict=True))], in_w


def drawn_convolution(seed):
    """Arrays and options of a convolution; lengths of 1 are common on every axis."""
    draw = random.Random(seed).choice
    taps = [draw([1, 1, 2, 3]) for _ in range(draw([1, 1, 2]))]
    options = {"stride": draw([1, 2, 3]), "padding": draw([0, 1, 2]), "dilation": draw([1, 2]), "groups": draw([1, 2])}
    least = [max(1, options["dilation"] * (k - 1) + 1 - 2 * options["padding"]) for k in taps]
    filters, channels = options["groups"] * draw([1, 2]), draw([1, 2])
    x = (draw([1, 1, 3]), options["groups"] * channels, *[n + draw([0, 1, 4]) for n in least])
    rng = np.random.default_rng(seed)
    return rng.normal(size=x), rng.normal(size=(filters, channels, *taps)), options


def around(f, way):
    """The gradient of f in both arguments: by itself, of each of two by vmap, or in each step of a loop."""
    g = sg.grad(f, argnums=(0, 1))
    if way == "vmap":
        return lambda x, w: [y[0] for y in sg.vmap(g, in_dims=(0, None))(sg.stack([x, 2 * x]), w)]
    if way == "scan":
        return lambda x, w: [y[1] for y in sg.scan(lambda c, x: (c, g(x, w)), 0.0, sg.stack([2 * x, x]))[1]]
    return g


CONVOLUTIONS = [
    *[pytest.param(seed, "llvm", ("plain", "vmap", "scan")[seed % 3], id=f"llvm-{seed}") for seed in range(30)],
    *[pytest.param(seed, b, "plain", id=f"{b}-{seed}") for b in ("c", "numpy") for seed in range(4)],
    *[pytest.param(seed, "llvm", "plain", id=f"llvm-{seed}", marks=FURTHER) for seed in range(30, 250)],
    *[pytest.param(seed, "c", "plain", id=f"c-{seed}", marks=FURTHER) for seed in range(30, 50)],
]


@pytest.mark.parametrize(("seed", "backend", "way"), CONVOLUTIONS)
def test_slopes_of_convolutions_are_those_of_their_definition(seed, backend, way):
    x, w, options = drawn_convolution(seed)
    conv = F.conv1d if x.ndim == 3 else F.conv2d
    f = compiled(around(lambda x, w: (conv(x, w, **options) ** 2).sum(), way), backend)
    expected = slopes_by_definition(x, w, **options)
    for dtype, tolerance in (("float64", 1e-12), ("float32", 1e-4)):
        for slope, y in zip(f(x.astype(dtype), w.astype(dtype)), expected, strict=True):
            assert slope.dtype == dtype
            close(slope, y, tolerance * max(1.0, abs(y).max()))


def test_an_axis_of_length_one_has_no_step_in_comparisons():
    home = Buffer("w", 0, 12, np.dtype("float64"))
    a = View(home, 2, (12, 1, 1), (1, 1, 3))
    assert a.is_same(View(home, 2, (3, 7, 1), (1, 1, 3)))
    assert not a.is_same(View(home, 2, (12, 1, 2), (1, 1, 3)))
    assert not a.is_same(View(home, 3, (12, 1, 1), (1, 1, 3)))
    assert not a.is_same(View(Buffer("w", 1, 12, np.dtype("float64")), 2, (12, 1, 1), (1, 1, 3)))


def test_a_step_that_reads_what_it_writes_is_refused():
    home = Buffer("w", 0, 12, np.dtype("float64"))
    rows, other = View(home, 0, (4, 1), (3, 2)), View(home, 2, (4, 1), (3, 2))  # columns 0, 1 and columns 2, 3
    refuse_overlaps(Nest(rows.shape, {-1: rows}, stores=[(-1, rows)]))
    refuse_overlaps(Nest(rows.shape, {-1: rows}, stores=[(-1, other)]))
    refuse_overlaps(Nest(rows.shape, {-1: rows}, sums=[("sum onto", -1, other)]))
    for step in (
        Nest(rows.shape, {-1: rows}, stores=[(-1, View(home, 1, (4, 1), (3, 2)))]),
        Nest(rows.shape, {-1: rows}, sums=[("sum onto", -1, rows)]),
        Nest(rows.shape, {-1: rows, -2: other}, stores=[(-1, other)], at={-1: -2}),
        Outside(None, [rows], View(home, 5, (2,), (3,))),
    ):
        with pytest.raises(Unsuitable, match="read entries that it writes"):
            refuse_overlaps(step)
