"""Machine code and fused NumPy against eager: random programs, reductions, parts of arrays, extremes, long code."""

from __future__ import annotations

import math
import re

import numpy as np
import pytest
from array_programs import Program

import symgrad as sg
import symgrad.nn.functional as F
from symgrad.compiler.backends.llvm.code import KNOWN
from symgrad.compiler.backends.llvm.math import FUNCTIONS
from symgrad.compiler.backends.llvm.module import straight_level
from symgrad.ops.map import emap
from symgrad.scalars import SCALARS, X

llvm = pytest.importorskip("llvmlite.binding")
SINGLE, DOUBLE = np.float32, np.float64


def arrays(result):
    """The arrays in nested tuples."""
    if isinstance(result, tuple):
        return [y for part in result for y in arrays(part)]
    return [np.asarray(result.detach().numpy() if isinstance(result, sg.Tensor) else result)]


def agree(found, expected, tolerance=1e-12):
    """Equal in shape and dtype, in nan and ∞, and to the tolerance of the largest entry."""
    for y, z in zip(arrays(found), arrays(expected), strict=True):
        assert (y.shape, y.dtype) == (z.shape, z.dtype)
        if z.dtype.kind == "f":
            tolerance = max(tolerance, 30 * float(np.finfo(z.dtype).eps))
            scale = max(1.0, float(np.max(np.abs(z[np.isfinite(z)]), initial=0.0)))
            np.testing.assert_allclose(y, z, rtol=tolerance, atol=tolerance * scale)
        else:
            np.testing.assert_array_equal(y, z)


def check(f, *xs, tolerance=1e-12, backends=("llvm", "numpy")):
    """Compare with eager; write over the results, and compare with a second call."""
    with np.errstate(all="ignore"):
        expected = arrays(f(*map(sg.as_tensor, xs)))
    for backend in backends:
        fast = sg.compile(f, backend=backend)
        found = fast(*xs)
        agree(found, tuple(expected), tolerance)
        kept = [y for y in arrays(found) if y.ndim]
        for y in kept:
            y[...] = 1
        again = fast(*xs)
        agree(again, tuple(expected), tolerance)
        owned = [*kept, *[y for y in arrays(again) if y.ndim], *[x for x in xs if isinstance(x, np.ndarray)]]
        assert not any(np.shares_memory(y, z) for k, y in enumerate(owned) for z in owned[:k])


# ------------------------------------------------------------------ random programs
KINDS = {
    "float64": {},
    "empty axes": {"empty": True},
    "float32": {"dtypes": (SINGLE,)},
    "both": {"dtypes": (SINGLE, DOUBLE)},
}


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("seed", range(30))
def test_random_programs_have_the_values_and_gradients_of_eager_ones(seed, kind):
    program = Program(seed, 4 + seed % 12, **KINDS[kind])
    both = sg.value_and_grad(program.loss, tuple(range(len(program.points))), has_aux=True)
    check(both, *program.points, tolerance=1e-12 if "dtypes" not in KINDS[kind] else 1e-3)


# ------------------------------------------------------------------ reductions
def numbers(*shape, seed=0, dtype=DOUBLE):
    return np.random.default_rng(seed).normal(size=shape).astype(dtype)


def strange(x):
    """With nan, both infinities and both zeros in some places."""
    x = x.copy()
    for k, value in enumerate([np.nan, np.inf, -np.inf, 0.0, -0.0]):
        x.flat[k * 7 % x.size :: 31] = value
    return x


def every_reduction(x):
    """Sums, means and extremes along all sets of axes."""
    n = x.ndim
    sets = [tuple(a for a in range(n) if mask >> a & 1) for mask in range(1, 2**n)]
    names = ["sum", "mean", "amax", "amin"]
    return tuple(getattr(x * 1.25, name)(axes) for axes in sets for name in names)


@pytest.mark.parametrize("dtype", [DOUBLE, SINGLE])
@pytest.mark.parametrize(
    "shape", [(700,), (1, 700), (5, 300), (300, 5), (31, 33), (3, 70, 4), (40, 1, 20), (2, 3, 4, 30)]
)
def test_reductions_along_any_axes(shape, dtype):
    check(every_reduction, numbers(*shape, dtype=dtype))


@pytest.mark.parametrize("shape", [(700,), (5, 300), (300, 5), (3, 70, 4)])
def test_nan_and_infinity_come_through_reductions(shape):
    check(lambda x: every_reduction(x)[2::4] + every_reduction(x)[3::4] + (x.sum(0),), strange(numbers(*shape)))


@pytest.mark.parametrize("shape", [(0,), (0, 5), (5, 0), (3, 0, 4)])
def test_sums_of_nothing_are_zero(shape):
    check(lambda x: (x.sum(), x.sum(0), (x * 2).sum(-1), x.T @ x if x.ndim == 2 else x), np.zeros(shape))


@pytest.mark.parametrize(("dtype", "digits"), [(DOUBLE, 1e-12), (SINGLE, 2e-6)])
@pytest.mark.parametrize("backend", ["llvm", "numpy"])
def test_long_sums_keep_their_digits(backend, dtype, digits):
    x = np.random.default_rng(1).uniform(0, 1, 10**6).astype(dtype)
    exact = math.fsum(x.tolist())
    wide = sg.compile(lambda x: (x.sum(), x.reshape(1000, 1000).sum(0).sum(), (x * 1.0).mean()), backend=backend)(x)
    np.testing.assert_allclose(wide, [exact, exact, exact / x.size], rtol=digits)


# ------------------------------------------------------------------ parts of joined arrays
def two_slices(first, second):
    """A gradient whose terms overlap, and the terms once more."""

    def f(x):
        a, b = sg.exp(x[first]), sg.exp(-x[second])
        g = sg.grad(lambda v: (v[first] * a).sum() + (v[second] * b).sum())(x)
        return g.sum() * a, g.sum() * b, (g * g).sum(1)

    return f


SLICES = [slice(1, None), slice(None, -1), slice(None, None, -1), slice(None, None, 2)]


@pytest.mark.parametrize("second", SLICES)
@pytest.mark.parametrize("first", SLICES)
def test_terms_of_a_sum_of_parts_stay_what_they_are(first, second):
    check(two_slices(first, second), numbers(40, 30))


JOINED = {
    "rows": lambda x: sg.cat([x.sum(1), x.amax(1), sg.sin(x).sum(1), x[:, 0], x.mean(0)]),
    "columns": lambda x: sg.stack([x.sum(1), x.amin(1), sg.cos(x).mean(1), x[:, 1] * 2], 1),
    "numbers": lambda x: sg.stack([x.sum(), x.amax(), sg.tanh(x).sum(), x[0, 0]]),
    "products": lambda x: sg.cat([x @ x.T, (x * x).sum(1, keepdim=True), x[:, ::-1]], 1),
    "nested": lambda x: sg.cat([sg.stack([x.sum(0), x.amax(0)]), sg.cat([x[:2], -x[3:5]]).flip(0)]).T,
    "itself": lambda x: (sg.cat([sg.exp(x), sg.exp(x)]), sg.stack([sg.exp(x)] * 2).sum(0), sg.exp(x)),
    "blocks": lambda x: sg.cat([sg.cat([sg.sin(x), x * 2], 1), sg.cat([x + 1, sg.cos(x)], 1)]),
}


@pytest.mark.parametrize("name", JOINED)
@pytest.mark.parametrize("dtype", [DOUBLE, SINGLE])
def test_results_are_written_where_they_are_joined(name, dtype):
    check(JOINED[name], numbers(40, 30, dtype=dtype))


# ------------------------------------------------------------------ large angles, extremes
ANGLES = [1e9, -1e9, 1e300, -3.7e15, math.inf, -math.inf, math.nan, 1e5, 0.0, 5e-324]


def far(shape, dtype):
    """Ordinary angles, and some for which the quick code has not enough digits of π."""
    x = numbers(*shape, dtype=dtype)
    with np.errstate(over="ignore"):
        x.flat[3 : 3 + 13 * len(ANGLES) : 13] = np.array(ANGLES).astype(dtype)
    return x


@pytest.mark.parametrize("dtype", [DOUBLE, SINGLE])
def test_angles_of_any_size(dtype):
    x = far((40, 20), dtype)
    check(lambda x: (sg.sin(x), sg.cos(x), sg.tan(x), sg.sin(3 * x) * sg.cos(x)), x)
    check(
        lambda x: (sg.sin(x).sum(1), sg.cos(x).amax(0), sg.tan(x).amin(), sg.where(abs(x) < 1, sg.sin(x), 0).sum()), x
    )


def test_angles_of_any_size_in_sums_that_are_parts_of_an_array():
    check(lambda x: sg.cat([sg.sin(x).sum(1), sg.cos(x).amin(0), sg.tan(x).amax(1), x[0]]), far((40, 20), DOUBLE))
    x = far((40, 20), DOUBLE)
    check(lambda x: sg.cat([sg.sin(x).sum(1), sg.cos(x).sum(0)]), np.where(np.isfinite(x), x, 1e10))


EXTREMES = [0.0, -0.0, 1.0, -1.0, 0.5, -0.5, 2.0, -2.5, 3.0, 1e-300, 5e-324, -5e-324, math.inf, -math.inf, math.nan,
            1e300, -1e300, 1e9, -750.0, 709.9, 88.8, -104.0, 1e5]  # fmt: skip


# what SciPy or kernels of ours compute outside of machine code, and (power_…) what code has the meaning of instead
WITHOUT = {"ndtri", "polygamma"}  # polygamma stands under the names of its orders
CANCEL = {"bce_logits", "logaddexp", "logaddexp2"}  # and keep the digits of their terms only
CHAINS = {
    "gelu": F.gelu, "elu": F.elu, "selu": F.selu, "celu": lambda x: F.celu(x, 1.3), "log_ndtr": sg.special.log_ndtr,
    "erfcx": sg.special.erfcx, "tanhshrink": F.tanhshrink, "softsign": F.softsign, "sinc": sg.sinc,
    "entr": sg.special.entr,
    "logaddexp": lambda x: sg.logaddexp(x, x * -0.5), "xlogy": lambda x: sg.xlogy(x, x * x + 1),
}  # fmt: skip


@pytest.mark.parametrize("dtype", [DOUBLE, SINGLE])
@pytest.mark.parametrize("name", [n for n in FUNCTIONS if n in SCALARS and n not in CANCEL])
def test_functions_at_extremes_within_loops_are_numpys(name, dtype):
    declared = SCALARS[name]
    with np.errstate(all="ignore"):
        grid = np.meshgrid(*[np.tile(np.array(EXTREMES).astype(dtype), 32 // declared.nargs**4)] * declared.nargs)
        expected = declared.numpy(*grid)
    found = sg.compile(lambda *xs: emap(declared.function(*X[: declared.nargs]), *xs), backend="llvm")(*grid)
    room = 1e-16 if name == "lgamma" else np.finfo(dtype).smallest_subnormal  # which cancels at -2.5
    np.testing.assert_allclose(found, expected, rtol=4 * np.finfo(dtype).eps, atol=room)


@pytest.mark.parametrize("dtype", [DOUBLE, SINGLE])
@pytest.mark.parametrize("n", range(4))
def test_polygamma_within_loops_is_numpys(n, dtype):
    x = np.array([*EXTREMES, 1.4616321449683623, -0.5040830082644554, -30.8, 10.0, 11.5, -3.0]).astype(dtype)
    f = sg.compile(lambda x: sg.polygamma(n, x), backend="llvm")
    assert not f.lower(x).cost["outside"]
    with np.errstate(all="ignore"):
        expected = sg.polygamma(n, sg.tensor(x)).numpy()
    np.testing.assert_allclose(f(x), expected, rtol=8 * np.finfo(dtype).eps, atol=1e-16)


@pytest.mark.parametrize("backend", ["llvm", "c"])
def test_remainders_of_large_quotients_are_numpys(backend):
    rng = np.random.default_rng(0)
    x, y = (rng.normal(size=2000) * 10.0 ** rng.uniform(-30, 30, 2000) for _ in "xy")
    f = sg.compile(lambda x, y: (x % y, x // y, sg.fmod(x, y)), backend=backend)
    exact = np.remainder(x, y), np.floor_divide(x, y), np.fmod(x, y)
    for found, alone, expected in zip(f(x, y), f(x[0], y[0]), exact, strict=True):
        np.testing.assert_array_equal(found, expected)
        assert alone == expected[0]


@pytest.mark.parametrize("backend", ["llvm", "c"])
@pytest.mark.parametrize("dtype", [DOUBLE, SINGLE])
def test_rows_are_divided_by_one_number_as_entry_by_entry(dtype, backend):
    below = np.array([3, -7, 1, 0, -0.0, np.inf, np.nan, 1e-320, -1e-308, 1.7e308, 1e-40, 3e38], DOUBLE)
    with np.errstate(all="ignore"):
        scale = np.where(np.isfinite(below), below, 1)[:, None]
        x = np.random.default_rng(1).integers(-50, 50, (12, 100)) * scale
        x[:, :2] = np.inf, 0
        x, below = x.astype(dtype), below.astype(dtype)[:, None]
        expected = x / below, x / dtype(3)
    f = sg.compile(lambda x, y: (x / y, x / 3), backend=backend)
    for found, exact in zip(f(x, below), expected, strict=True):
        tiny = np.abs(exact) < np.finfo(dtype).tiny * 2.0**60  # where half a number is none
        np.testing.assert_array_equal(found[~tiny], exact[~tiny])
        np.testing.assert_array_max_ulp(found[tiny], exact[tiny], 1, dtype)


@pytest.mark.skipif(not llvm.get_process_triple().startswith("x86_64"), reason="names an instruction")
@pytest.mark.parametrize("n", [16, 24, 48])
def test_short_rows_are_vectors(n):
    x, below = np.arange(500.0 * n).reshape(500, n), np.arange(1.0, 501)[:, None]
    f = sg.compile(lambda x, y: x / y, backend="llvm")
    np.testing.assert_array_equal(f(x, below), x / below)
    assert len(re.findall("divsd", f.lower(x, below).stages["assembly"])) < n / 2


def test_few_functions_have_no_machine_code():
    own = {name for name, scalar in SCALARS.items() if scalar.computed is None and not scalar.library}
    # Compilers write out formulas of one line, and functions of complex numbers as two of real ones.
    own = {name for name in own if not SCALARS[name].inline and not name.startswith("complex_")}
    assert own - KNOWN == WITHOUT


@pytest.mark.parametrize("dtype", [DOUBLE, SINGLE])
@pytest.mark.parametrize("name", CHAINS)
def test_whole_activations_and_their_slopes_are_one_loop(name, dtype):
    f = CHAINS[name]
    both = sg.compile(sg.value_and_grad(lambda x: (x * f(x)).sum()), backend="llvm")
    x = np.append(numbers(1000, dtype=dtype), np.array([0.0, -0.0, 30.0, -30.0, 1e-3], dtype))
    assert "Outside" not in both.lower(x).stages["nests"]
    agree(both(x), tuple(arrays(sg.value_and_grad(lambda x: (x * f(x)).sum())(sg.as_tensor(x)))))


def test_float32_is_compared_with_numbers_in_single_precision():
    for count in (3, 700):
        check(lambda x: (x < 0.1, x <= 0.1, x == 0.1, sg.where(x >= 0.1, x, -x)), np.full(count, 0.1, SINGLE))


# ------------------------------------------------------------------ straight-line programs
def long_program(steps):
    """A function of three numbers in so many steps, which look at values from long before and at conditions."""

    def f(a, b, c):
        values, marks = [a, b, c], [a > b, b > c]
        for k in range(steps // 5):
            x, y, early = values[-1], values[-2], values[k * 7 // 10]
            marks.append(x * 0.5 > early)
            chosen = sg.where(marks[k // 2], x - early, y * 0.75)
            values.append(chosen * 0.9 + 0.1 * (k % 7))
        return values[-1], values[len(values) // 2] + values[3], marks[-1], marks[len(marks) // 3]

    return f


@pytest.mark.parametrize("steps", [100, 5_000, 40_000])
def test_long_straight_line_programs_are_those_of_python(steps):
    xs = 0.3, -1.2, 0.7
    expected = sg.compile(long_program(steps), backend="python")(*xs)
    compiled = sg.compile(long_program(steps), backend="llvm")
    agree(compiled(*xs), expected)
    assert (compiled.source.count("@part") > 2) == (steps > 100)


# ------------------------------------------------------------------ other processors
PROCESSORS = ["x86-64", "x86-64-v3"]
X86 = llvm.get_process_triple().startswith("x86_64")


@pytest.mark.parametrize("rows", [100, 40_000], ids=["small", "shared among threads"])
def test_what_an_unrolled_loop_repeats_is_compiled_once(rows):
    rng = np.random.default_rng(0)
    w, x = rng.normal(size=(3, 3)) / 3, rng.normal(size=(rows, 3))

    def unrolled(steps):
        def f(w, x):
            h = x
            for _ in range(steps):
                h = (h / (1 + h * h)) @ w + x
            return h

        return f

    fast = [sg.compile(unrolled(steps), backend="llvm") for steps in (3, 6)]
    counts = [len(re.findall(r"^define internal void @nest", f.lower(w, x).source, re.MULTILINE)) for f in fast]
    assert 0 < counts[0] == counts[1]
    agree(fast[1](w, x), unrolled(6)(sg.tensor(w), sg.tensor(x)))


@pytest.mark.skipif(not X86, reason="names x86 processors")
@pytest.mark.parametrize("processor", PROCESSORS)
@pytest.mark.parametrize("seed", range(2))
def test_code_for_other_processors_gives_the_same_results(seed, processor, monkeypatch):
    if processor != "x86-64" and not {"avx2", "fma"} <= {f for f, on in llvm.get_host_cpu_features().items() if on}:
        pytest.skip("the host has no AVX2")
    monkeypatch.setenv("SYMGRAD_LLVM_CPU", processor)
    program = Program(seed, 15)
    check(program, *program.points, backends=["llvm"])
    check(every_reduction, numbers(31, 33), backends=["llvm"])
    check(lambda x: (sg.sin(x), sg.exp(x), sg.erf(x), x**0.3), far((40, 20), DOUBLE), backends=["llvm"])


@pytest.mark.skipif(not X86, reason="names x86 processors")
def test_the_processor_named_is_compiled_for(monkeypatch):
    def registers():
        found = sg.compile(lambda x: (x * x).sum(), backend="llvm").lower(np.ones(1000)).stages["assembly"]
        return max("xyz".index(name) for name in re.findall(r"%([xyz])mm", found))

    monkeypatch.setenv("SYMGRAD_LLVM_CPU", "x86-64")
    assert registers() == 0
    monkeypatch.setenv("SYMGRAD_LLVM_CPU", "x86-64-v3")
    assert registers() == 1


def test_straight_line_code_between_many_arrays_takes_those_that_each_part_uses():
    def f(*xs):
        return tuple([sg.sin(x) * x + 1.0 for x in xs])

    xs = [np.float64(0.01 * k) for k in range(700)]
    kernel = sg.compile(f, backend="llvm")
    for y, x in zip(kernel(*xs), xs, strict=True):
        np.testing.assert_allclose(y, np.sin(x) * x + 1, rtol=1e-14)
    parts = re.findall(r"define internal void @part\d+\((.*)\)", kernel.source)
    assert len(parts) > 1
    assert max(part.count("ptr") for part in parts) < 1000
    assert straight_level(1, 2000).generator == 0


@pytest.mark.parametrize("join", [sg.stack, lambda xs: sg.cat([x[None] for x in xs])], ids=["stack", "cat"])
def test_many_parts_are_joined_by_one_call(join):
    x = np.arange(7.0)
    kernel = sg.compile(lambda x: join([x[k % 7] for k in range(12_500)]).reshape(-1, 10).sum(0), backend="llvm")
    np.testing.assert_array_equal(kernel(x), x[np.arange(12_500) % 7].reshape(-1, 10).sum(0))
    assert kernel.stats.kernels < 10
