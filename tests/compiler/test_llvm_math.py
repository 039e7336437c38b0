"""Mathematical functions as LLVM IR: against mpmath at 50 digits, at the edges against NumPy, and as vector code."""

import ctypes
import functools
import math
import re

import mpmath
import numpy as np
import pytest

from symgrad.compiler.backends.llvm.instructions import Parameter, Recorder, pointers
from symgrad.compiler.backends.llvm.math import FUNCTIONS, LIMIT, definitions
from symgrad.compiler.backends.llvm.module import LOOPS, Module
from symgrad.compiler.backends.llvm.text import text
from symgrad.scalars import SCALARS

llvm = pytest.importorskip("llvmlite.binding")
INF, NAN = math.inf, math.nan
TYPES = {"f64": ("double", np.float64), "f32": ("float", np.float32)}
ULPS = 2.5
X86 = llvm.get_process_triple().startswith("x86_64")
ROUNDINGS = ["abs", "sign", "floor", "ceil", "trunc", "round", "relu", "low"]
BOUNDS = ["maximum", "minimum", "clamp_min", "clamp_max", "fmax", "fmin"]
SIGNS = ["copysign", "heaviside"]
QUOTIENTS = ["fmod", "remainder", "floor_divide"]
SUMS = ["bce_logits", "logaddexp", "logaddexp2"]  # which cancel


# ------------------------------------------------------------------ compiling a loop over arrays
def arity(name):
    """How many arguments a function takes; ".exact" behind its name changes nothing."""
    return FUNCTIONS[name.partition(".")[0]]


def loop(name, kind):
    """A loop that applies a function to arrays, all of whose pointers are distinct."""
    real, count = TYPES[kind][0], arity(name)
    arrays, code = [f"%a{i}" for i in range(count)], Recorder(label="entry")
    code.go("body")
    code.label("body")
    code.phi("i64", "0", "entry", "%next", "body", name="%i")
    xs = [code.load(real, code.place(real, a, "%i")) for a in arrays]
    y = code.call(real, f"@sg.{name}.{kind}", *[(real, x) for x in xs])
    code.store(real, y, code.place(real, "%out", "%i"))
    code.set("add", "i64", "%i", "1", name="%next")
    code.branch(code.set("icmp", "i64", "%next", "%n", flags=("slt",)), "body", "exit")
    code.label("exit")
    code.give()
    return code.function("loop", [Parameter("i64", "%n"), *pointers([*arrays, "%out"], alone=True)], internal=False)


def machine(cpu=None):
    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
    features = llvm.get_host_cpu_features().flatten() if cpu is None else ""
    target = llvm.Target.from_default_triple()
    return target.create_target_machine(cpu=cpu or llvm.get_host_cpu_name(), features=features, opt=3)


@functools.cache
def optimised(name, kind, cpu=None):
    """The module of a loop, vectorised for a CPU, the host by default."""
    module = llvm.parse_assembly(text(Module([*definitions([(name, kind)]), loop(name, kind)], LOOPS)))
    options = llvm.create_pipeline_tuning_options(speed_level=3)
    options.loop_vectorization = True
    builder = llvm.create_pass_builder(machine(cpu), options)
    builder.getModulePassManager().run(module, builder)
    return module


@functools.cache
def kernel(name, kind, cpu=None):
    """A function of arrays."""
    engine = llvm.create_mcjit_compiler(optimised(name, kind, cpu).clone(), machine(cpu))
    address = engine.get_function_address("loop")
    call = ctypes.CFUNCTYPE(None, ctypes.c_int64, *[ctypes.c_void_p] * (arity(name) + 1))(address)

    def run(*xs, keep=engine):
        xs = [np.ascontiguousarray(x, TYPES[kind][1]) for x in np.broadcast_arrays(*xs)]
        out = np.empty_like(xs[0])
        call(out.size, *(x.ctypes.data for x in [*xs, out]))
        return out

    return run


# ------------------------------------------------------------------ accuracy
def scaled_erfc(x):
    """exp(x²) erfc x, on the right by the continued fraction's series: mpmath's erfc ends at 1e300."""
    if x < 1000:
        return mpmath.exp(x * x) * mpmath.erfc(x)
    return (1 - 1 / (2 * x * x) + 3 / (4 * x**4)) / (x * mpmath.sqrt(mpmath.pi))


def log_normal(x):
    """log Φ(x)."""
    z = x / mpmath.sqrt(2)
    return mpmath.log1p(-mpmath.erfc(min(z, 1000)) / 2) if x > 0 else mpmath.log(scaled_erfc(-z) / 2) - z * z


def sinc_slope(x):
    """The derivative of sin(πx)/(πx)."""
    z = mpmath.pi * x
    if abs(z) < 1e-9:
        return -mpmath.pi * z / 3 * (1 - z * z / 10)
    return (mpmath.cospi(x) - mpmath.sincpi(x)) / x


def shrunk(x):
    """x - tanh x."""
    return x - mpmath.tanh(x) if abs(x) > 1e-5 else x**3 / 3 - 2 * x**5 / 15 + 17 * x**7 / 315


def softplus(x):
    return mpmath.log1p(mpmath.exp(x))


EXACT = [*ROUNDINGS, *BOUNDS, *SIGNS, *SUMS, *QUOTIENTS, "clamp"]
REFERENCE = {name: getattr(mpmath, name, None) for name in FUNCTIONS if name not in EXACT}
REFERENCE |= {
    "exp2": lambda x: mpmath.power(2, x),
    "log2": lambda x: mpmath.log(x, 2),
    "sigmoid": lambda x: 1 / (1 + mpmath.exp(-x)),
    "softplus": softplus,
    "logsigmoid": lambda x: -softplus(-x),
    "erfc": lambda x: mpmath.erfc(min(x, 1000)),  # mpmath fails at 1e300
    "erfcx": lambda x: scaled_erfc(max(x, -1000)),
    "ndtr": lambda x: mpmath.erfc(min(-x / mpmath.sqrt(2), 1000)) / 2,
    "log_ndtr": log_normal,
    "rsqrt": lambda x: 1 / mpmath.sqrt(x),
    "logit": lambda p: mpmath.log(p / (1 - p)),
    "xlogy": lambda x, y: x * mpmath.log(y),
    "xlog1py": lambda x, y: x * mpmath.log1p(y),
    "entr": lambda x: -x * mpmath.log(x),
    "sinc": mpmath.sincpi,
    "sinc_slope": sinc_slope,
    "softsign": lambda x: x / (1 + abs(x)),
    "tanhshrink": shrunk,
    "pow": mpmath.power,
    "lgamma": lambda x: mpmath.loggamma(x).real,
    "sech2": lambda x: 1 / mpmath.cosh(min(abs(x), 1000)) ** 2,
    "ratio": lambda x, y: x / y,
    **{f"i{n}": functools.partial(mpmath.besseli, n) for n in (0, 1)},
    **{f"i{n}e": lambda x, n=n: mpmath.besseli(n, x) * mpmath.exp(-abs(x)) for n in (0, 1)},
    **{f"polygamma{n}": functools.partial(mpmath.polygamma, n) for n in range(4)},
}


def any_bits(count, kind):
    """Finite numbers of all exponents alike, denormals too."""
    real = TYPES[kind][1]
    word = np.uint64 if kind == "f64" else np.uint32
    x = np.random.default_rng(1).integers(0, np.iinfo(word).max, count, word).view(real)
    return np.concatenate([x[np.isfinite(x)], np.random.default_rng(2).integers(1, 1 << 20, 20, word).view(real)])


def spread(kind):
    """Numbers of every sort: small ones, near 1, near multiples of π/4, near where exp overflows, of all exponents."""
    rng = np.random.default_rng(3)
    edge = {"f64": 746, "f32": 104}[kind]
    return np.concatenate(
        [
            any_bits(400, kind),
            rng.uniform(-3, 3, 600),
            rng.uniform(-1, 1, 400),
            rng.uniform(-edge, edge, 200),
            rng.choice([-1, 1], 150) * 10.0 ** rng.uniform(-8, 8, 150),
            1 + rng.choice([-1, 1], 100) * 10.0 ** rng.uniform(-16, 0, 100),
            rng.integers(-(10**6), 10**6, 100) * (np.pi / 4),
            np.arange(-12, 13) * (np.pi / 4),
        ]
    ).astype(TYPES[kind][1])


def pairs(name, kind):
    """Arguments of the functions of two: wild ones, and near each other or with a finite power."""
    rng = np.random.default_rng(4)
    x, y = any_bits(300, kind), rng.permutation(any_bits(300, kind))
    base = np.exp(rng.uniform(-1, 1, 400) * 10.0 ** rng.uniform(-6, 2 if kind == "f64" else 1.5, 400))
    log = {"f64": 709, "f32": 88}[kind]
    u = base if name == "pow" else rng.normal(size=400)
    v = rng.uniform(-1.06, 1.06, 400) * log / np.log(base) if name == "pow" else rng.normal(size=400)
    return [np.concatenate(z).astype(TYPES[kind][1]) for z in ((x, u), (y, v))]


def arguments(name, kind):
    """What to test a function on: where its value is a real number."""
    if FUNCTIONS[name] == 2:
        x, y = pairs(name, kind)
        return (np.abs(x), y) if name == "pow" else (y, np.abs(x)) if name in ("xlogy", "xlog1py") else (x, y)
    x = spread(kind)
    low, high = {
        "log1p": (-1, INF),
        "acosh": (1, INF),
        "asin": (-1, 1),
        "acos": (-1, 1),
        "atanh": (-1, 1),
        "logit": (0, 1),
        "erfinv": (-1, 1),
        "lgamma": (0, INF),
        "sinc_slope": (-17, 17),
        **dict.fromkeys(("i0", "i0e", "i1", "i1e"), (-80, 80)),
        **dict.fromkeys([f"polygamma{n}" for n in range(4)], (0, 1e6)),
    }.get(name, (0 if name in ("log", "log2", "log10", "sqrt", "rsqrt", "entr") else -INF, INF))
    limit = LIMIT.get((name, kind), INF)
    inside = (x > low) & (x < high) & (np.abs(x) <= limit)
    return (x[inside],)


def error(found, exact, kind):
    """|found - exact| in units of the last place of exact; ∞ stands for the next power of two."""
    info = np.finfo(TYPES[kind][1])
    top = mpmath.mpf(2) ** int(info.maxexp)
    exact = max(min(exact, top), -top)
    found = mpmath.mpf(float(found)) if np.isfinite(found) else mpmath.sign(float(found)) * top
    place = max(int(mpmath.floor(mpmath.log(abs(exact), 2))) if exact else -9999, int(info.minexp))
    return float(abs(found - exact) / mpmath.mpf(2) ** (place - int(info.nmant)))


@pytest.mark.parametrize("kind", TYPES)
@pytest.mark.parametrize("name", REFERENCE)
def test_accurate_over_the_whole_range(name, kind):
    xs = arguments(name, kind)
    found = kernel(name, kind)(*xs)
    with mpmath.workdps(50):
        exact = (REFERENCE[name](*(mpmath.mpf(float(v)) for v in x)) for x in zip(*xs))
        errors = [error(y, e, kind) for y, e in zip(found, exact)]
    worst = int(np.argmax(errors))
    room = ULPS + name.startswith(("i0", "i1", "polygamma"))
    assert errors[worst] <= room, [float(x[worst]) for x in xs]


@pytest.mark.parametrize("kind", TYPES)
def test_bce_logits_is_as_accurate_as_its_terms(kind):
    rng = np.random.default_rng(5)
    z, t = rng.normal(0, 10, 3000).astype(TYPES[kind][1]), rng.uniform(0, 1, 3000).astype(TYPES[kind][1])
    exact = np.logaddexp(0.0, z.astype(np.float64)) - t.astype(np.float64) * z
    assert (np.abs(kernel("bce_logits", kind)(z, t) - exact) <= 4 * np.spacing(np.abs(z) + 1)).all()


@pytest.mark.parametrize("kind", TYPES)
@pytest.mark.parametrize(("name", "base"), [("logaddexp", mpmath.e), ("logaddexp2", 2)])
def test_logaddexp_is_as_accurate_as_its_terms(name, base, kind):
    rng = np.random.default_rng(6)
    x, y = (rng.normal(0, 10, 300).astype(TYPES[kind][1]) for _ in "xy")
    with mpmath.workdps(30):
        exact = [mpmath.log(mpmath.power(base, float(a)) + mpmath.power(base, float(b)), base) for a, b in zip(x, y)]
    room = 2 * np.spacing(np.maximum(np.maximum(np.abs(x), np.abs(y)), TYPES[kind][1](1)))
    assert (np.abs(kernel(name, kind)(x, y).astype(object) - np.array(exact)) <= room).all()


# ------------------------------------------------------------------ edges
TINY = 5e-324
EDGES = [0.0, -0.0, 1.0, -1.0, 0.5, -0.5, 2.0, -2.0, 3.0, -2.5, 1e-300, TINY, -TINY, INF, -INF, NAN]


def numpy_function(name):
    """What NumPy, or the declared kernel, makes of it."""
    extra = {
        "sqrt": np.sqrt,
        "rsqrt": lambda x: 1 / np.sqrt(x),
        "pow": np.power,
        "ratio": np.divide,
        **{f"polygamma{n}": functools.partial(SCALARS["polygamma"].numpy, n) for n in range(4)},
        "sech2": lambda x: (1 / np.cosh(np.float64(x)) ** 2).astype(x.dtype),
    }
    return extra[name] if name in extra else SCALARS[name].numpy


def same_at_edges(found, expected):
    """Whether zeros, infinities and nans are where they should be, with their signs, and the rest of like size."""
    with np.errstate(invalid="ignore"):
        close = (found == expected) | (np.abs(found - expected) <= 3 * np.spacing(np.abs(expected)))
    return np.isnan(found) & np.isnan(expected) | close & (np.signbit(found) == np.signbit(expected))


@pytest.mark.parametrize("kind", TYPES)
@pytest.mark.parametrize("name", [n for n in FUNCTIONS if n not in [*SUMS, *QUOTIENTS]])
def test_zeros_infinities_and_nans_are_numpys(name, kind):
    grid = np.meshgrid(*[np.array(EDGES, TYPES[kind][1])] * FUNCTIONS[name])
    xs = [x.ravel() for x in grid]
    if name == "lgamma":  # on whose left there are zeros of the value
        xs = [x[~(x < -2)] for x in xs]
    with np.errstate(all="ignore"):
        expected = numpy_function(name)(*xs)
    found = kernel(name, kind)(*xs)
    if name in [*BOUNDS, "clamp", "relu", "low"]:
        found, expected = found + 0.0, expected + 0.0  # NumPy does not promise which of two zeros
    wrong = ~same_at_edges(found, expected)
    assert not wrong.any(), [(*(float(x[i]) for x in xs), found[i], expected[i]) for i in np.flatnonzero(wrong)[:5]]


@pytest.mark.parametrize("kind", TYPES)
@pytest.mark.parametrize("name", ["logaddexp", "logaddexp2"])
def test_edges_of_logaddexp_are_numpys(name, kind):
    x, y = (v.ravel() for v in np.meshgrid(*[np.array(EDGES, TYPES[kind][1])] * 2))
    with np.errstate(invalid="ignore"):
        expected = getattr(np, name)(x, y)
    np.testing.assert_allclose(kernel(name, kind)(x, y), expected, 0, 4 * np.finfo(TYPES[kind][1]).eps)


@pytest.mark.parametrize("kind", TYPES)
@pytest.mark.parametrize("name", [*ROUNDINGS, *BOUNDS, *SIGNS])
def test_exact_functions_equal_numpys(name, kind):
    x = spread(kind)
    xs = (x, np.random.default_rng(6).permutation(x))[: FUNCTIONS[name]]
    np.testing.assert_array_equal(kernel(name, kind)(*xs), SCALARS[name].numpy(*xs))


@pytest.mark.parametrize("kind", TYPES)
@pytest.mark.parametrize("name", QUOTIENTS)
def test_remainders_are_numpys_to_the_last_bit(name, kind):
    real, rng = TYPES[kind][1], np.random.default_rng(7)
    x, y = (v.ravel() for v in np.meshgrid(*[np.array(EDGES, real)] * 2))
    tenths = [(rng.integers(-500, 500, 5000) * 0.1).astype(real) for _ in "xy"]
    wide = [spread(kind), rng.permutation(spread(kind))]
    x, y = np.concatenate([x, tenths[0], wide[0]]), np.concatenate([y, tenths[1], wide[1]])
    with np.errstate(all="ignore"):
        expected = getattr(np, name)(x, y)
        inside = ~(np.abs(x / y) > LIMIT[name, kind])
    found = kernel(name, kind)(x, y)
    whole = kernel(f"{name}.exact", kind)(x, y)
    for values, where in ((found, inside), (whole, slice(None))):
        np.testing.assert_array_equal(values[where], expected[where])
        number = ~np.isnan(expected[where])
        np.testing.assert_array_equal(np.signbit(values[where][number]), np.signbit(expected[where][number]))


@pytest.mark.parametrize("kind", TYPES)
def test_ratios_are_rounded_quotients(kind):
    real, rng = TYPES[kind][1], np.random.default_rng(8)
    x, y = (rng.normal(size=20_000).astype(real) for _ in "xy")
    found, expected = kernel("ratio", kind)(x, y), x / y
    assert (np.abs(found - expected) <= np.spacing(np.abs(expected))).all()
    assert (found != expected).sum() <= {"f64": 0, "f32": 2}[kind]
    n, m = (rng.integers(1, 1000, 5000).astype(real) for _ in "xy")
    np.testing.assert_array_equal(kernel("ratio", kind)(n * m, n), m)


EXACT_VALUES = [
    ("exp", (0,), 1), ("exp2", (10,), 1024), ("exp2", (-3,), 0.125), ("log", (1,), 0), ("log2", (8,), 3),
    ("log2", (2.0**-140,), -140), ("log10", (1000,), 3), ("cos", (0,), 1), ("cosh", (0,), 1), ("erfc", (0,), 1),
    ("sigmoid", (0,), 0.5), ("tanh", (30,), 1), ("erf", (-9,), -1), ("acos", (1,), 0), ("atanh", (1,), INF),
    ("pow", (3, 5), 243), ("pow", (-2, 3), -8), ("pow", (2, -1), 0.5), ("pow", (-8, 1 / 3), NAN), ("pow", (NAN, 0), 1),
    ("round", (2.5,), 2), ("round", (-1.5,), -2), ("log1p", (-1,), -INF), ("acosh", (0.5,), NAN), ("log", (-1,), NAN),
]  # fmt: skip


@pytest.mark.parametrize("kind", TYPES)
@pytest.mark.parametrize(("name", "xs", "value"), EXACT_VALUES)
def test_exact_where_the_value_is_representable(name, xs, value, kind):
    np.testing.assert_array_equal(kernel(name, kind)(*([x] for x in xs)), [value])


@pytest.mark.parametrize(("name", "kind"), [key for key in LIMIT if key[0] not in QUOTIENTS])
def test_finite_beyond_the_limit_and_nan_at_infinity(name, kind):
    x = any_bits(500, kind)
    assert np.isfinite(kernel(name, kind)(x)).all()
    assert np.isnan(kernel(name, kind)([INF, -INF, NAN])).all()


@pytest.mark.parametrize("kind", TYPES)
@pytest.mark.parametrize("name", ["sin", "cos", "tanh", "erf", "sigmoid"])
def test_never_above_one(name, kind):
    x = np.random.default_rng(7).integers(-(10**4), 10**4, 20000) * (np.pi / 2)
    x = np.concatenate([x, np.linspace(-40, 40, 20000)])
    assert np.abs(kernel(name, kind)(x)).max() <= 1


@pytest.mark.parametrize("kind", TYPES)
@pytest.mark.parametrize("name", ["sin", "tan", "tanh", "sinh", "expm1", "log1p", "asin", "atan", "asinh", "atanh"])
def test_tiny_arguments_come_back(name, kind):
    x = np.array([TINY, -7e-310, 3e-45, -1e-39, 1e-37], TYPES[kind][1])
    np.testing.assert_array_equal(kernel(name, kind)(x), x)


# ------------------------------------------------------------------ vector code
@pytest.mark.parametrize("kind", TYPES)
@pytest.mark.parametrize("name", FUNCTIONS)
def test_loops_over_it_are_vectorised_without_calls(name, kind):
    text = str(optimised(name, kind))
    widths = [int(n) for n in re.findall(r"<(\d+) x (?:double|float)>", text)]
    called = re.findall(r"call [^@\n]*@([\w.]+)", text)
    assert max(widths, default=1) >= 2
    assert [name for name in called if not name.startswith("llvm.")] == []


@pytest.mark.skipif(not X86, reason="names x86 processors")
@pytest.mark.parametrize("kind", TYPES)
@pytest.mark.parametrize("name", ["exp", "log", "sin", "tanh", "erfc", "atan2", "pow"])
def test_avx2_code_has_wide_registers_and_no_calls(name, kind):
    assembly = machine("x86-64-v3").emit_assembly(optimised(name, kind, "x86-64-v3"))
    assert "%ymm" in assembly
    assert not re.search(r"^\s*call", assembly, re.MULTILINE)


@pytest.mark.skipif(not X86, reason="names x86 processors")
@pytest.mark.parametrize("kind", TYPES)
@pytest.mark.parametrize("cpu", ["x86-64", "x86-64-v3"])
@pytest.mark.parametrize("name", ["exp", "log", "sin", "tanh", "erfc", "atan2", "pow"])
def test_every_instruction_set_gives_the_same_numbers(name, cpu, kind):
    if cpu != "x86-64" and not {"avx2", "fma"} <= {f for f, on in llvm.get_host_cpu_features().items() if on}:
        pytest.skip("the host has no AVX2")
    xs = arguments(name, kind)
    np.testing.assert_array_equal(kernel(name, kind, cpu)(*xs), kernel(name, kind)(*xs))


# ------------------------------------------------------------------ the functions
def test_definitions_come_once_in_one_order():
    functions = definitions([("sin", "f64"), ("exp", "f32"), ("exp", "f64"), ("sin", "f64")])
    assert functions == definitions([("exp", "f64"), ("exp", "f32"), ("sin", "f64")])
    assert [f.name for f in functions] == ["sg.exp.f32", "sg.exp.f64", "sg.sin.f64"]
    assert text(Module(functions, LOOPS)).count("declare double @llvm.fma.f64(double, double, double)") == 1


def test_no_instruction_may_be_rearranged():
    functions = definitions([(name, kind) for name in FUNCTIONS for kind in TYPES])
    instructions = [x for f in functions for b in f.blocks for x in b.instructions]
    assert {len(f.blocks) for f in functions} == {1}
    assert not {x.opcode for x in instructions} & {"br", "load", "fptosi", "sitofp"}
    assert not [x for x in instructions if x.flags and x.opcode in ("fadd", "fsub", "fmul", "fdiv", "fneg", "frem")]


def test_arities_are_those_of_the_declarations():
    extra = {"sqrt": 1, "rsqrt": 1, "pow": 2, "sech2": 1, "ratio": 2, **{f"polygamma{n}": 1 for n in range(4)}}
    assert {**{name: SCALARS[name].nargs for name in FUNCTIONS if name not in extra}, **extra} == FUNCTIONS


def test_an_unknown_name_is_a_key_error():
    with pytest.raises(KeyError, match="gamma"):
        definitions([("gamma", "f64")])
