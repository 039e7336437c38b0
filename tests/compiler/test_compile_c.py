"""The backend ``c``: the numbers of eager mode, and what happens with compilers that are missing, strange or broken."""

from __future__ import annotations

import ctypes
import gc
import math
import os
import shutil
import stat
import struct
import subprocess
import sys
import tempfile

import numpy as np
import pytest
from array_programs import Program
from checks import number

import symgrad as sg
from symgrad.compiler.backends.backend import Unsuitable
from symgrad.compiler.backends.c import compiler
from symgrad.compiler.backends.c.translate import translated
from symgrad.compiler.backends.llvm import pool
from symgrad.compiler.backends.llvm.code import ZERO
from symgrad.compiler.backends.llvm.instructions import Recorder, constant, pointers
from symgrad.compiler.backends.llvm.module import LOOPS, Level, Module
from symgrad.errors import MissingExtra
from symgrad.support import store

from cases import CASES

pytestmark = pytest.mark.skipif(compiler.command() is None, reason="no C compiler")
posix = pytest.mark.skipif(os.name == "nt", reason="no scripts that are programs")
X = np.array([0.5, 1.5, 2.5])


def arrays(result):
    """The arrays in nested tuples."""
    return [y for part in result for y in arrays(part)] if isinstance(result, tuple) else [np.asarray(result)]


def agree(found, expected, tolerance=1e-12):
    """Equal in shape and dtype, in nan and ∞, and to the tolerance of the largest entry."""
    for y, z in zip(arrays(found), arrays(expected), strict=True):
        assert (y.shape, y.dtype) == (z.shape, z.dtype)
        if z.dtype.kind != "f":
            np.testing.assert_array_equal(y, z)
            continue
        relative = max(tolerance, 30 * float(np.finfo(z.dtype).eps))
        scale = max(1.0, float(np.max(np.abs(z[np.isfinite(z)]), initial=0.0)))
        np.testing.assert_allclose(y, z, rtol=relative, atol=relative * scale)


def check(f, *xs, tolerance=1e-12):
    """Compare with eager, twice: what a call leaves behind is not read by the next."""
    with np.errstate(all="ignore"):
        found = f(*map(sg.as_tensor, xs))
    flat = found if isinstance(found, tuple) else (found,)
    expected = tuple(y.detach().numpy() if isinstance(y, sg.Tensor) else y for y in flat)
    fast = sg.compile(f, backend="c")
    for _ in range(2):
        agree(fast(*xs) if isinstance(found, tuple) else (fast(*xs),), expected, tolerance)
    assert fast.stats.backend == "c"
    return fast


# ------------------------------------------------------------------ numbers
def largest():
    """The largest sample of every row of the table."""
    found = {}
    for case in CASES:
        size = sum(a.size for a in case.arrays)
        if case.row.name not in found or size > found[case.row.name][0]:
            found[case.row.name] = size, case
    return [case for _, case in found.values()]


GROUP = 30  # rows in one program, which is compiled once
GROUPS = [largest()[k : k + GROUP] for k in range(0, len(largest()), GROUP)]


@pytest.mark.parametrize("group", range(len(GROUPS)))
def test_values_of_the_table_are_those_of_eager_mode(group):
    cases = GROUPS[group]
    starts = np.cumsum([0, *[len(case.points) for case in cases]])
    points = [float(x) if x.ndim == 0 and x.dtype == np.float64 else x for case in cases for x in case.points]

    def all_of_them(*xs):
        return tuple(number(case)(*xs[i:j]) for case, i, j in zip(cases, starts, starts[1:], strict=False))

    check(all_of_them, *points)


@pytest.mark.parametrize("seed", range(12))
def test_random_programs_have_the_values_and_gradients_of_eager_ones(seed):
    kinds = [{}, {"empty": True}, {"dtypes": (np.float32,)}, {"dtypes": (np.float32, np.float64)}]
    program = Program(seed, 4 + seed, **kinds[seed % 4])
    both = sg.value_and_grad(program.loss, tuple(range(len(program.points))), has_aux=True)
    with np.errstate(all="ignore"):
        expected = both(*program.points)
    agree(sg.compile(both, backend="c")(*program.points), expected, 1e-12 if seed % 4 < 2 else 1e-3)


@pytest.mark.parametrize("dtype", ["f8", "f4", "?", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8"])
def test_every_dtype_that_llvm_has(dtype):
    x = np.array([[0, 1, 3, 100], [7, 0, 2, 1]]).astype(dtype)

    def f(x):
        return x * x + x, x.sum(1), x > 1, x.to(sg.float32) / 3, sg.where(x > 2, x, x[0]), x.to(sg.int8), x.amax(0)

    check(f, x)


def test_half_precision_is_refused_by_name_and_taken_by_auto():
    x = X.astype(np.float16)
    with pytest.raises(Unsuitable, match="float16"):
        sg.compile(lambda x: x * 2, backend="c")(x)
    assert sg.compile(lambda x: x * 2)(x).dtype == np.float16


EXTREMES = {
    "the largest": lambda x: x.amax(1),
    "the smallest": lambda x: x.amin(1),
    "of all": lambda x: (x.max(), x.min(), x.sum()),
    "logsumexp": lambda x: sg.logsumexp(x, 1),
    "far": lambda x: (sg.sin(x * 1e9).sum(1), sg.cos(x)),
    "gradient": sg.grad(lambda x: (x.amax(1) * x.amin(1)).sum()),
    "comparisons": lambda x: (x == x, x != x, ~(x < 0), sg.maximum(x, 0.5), x.clamp(-1, 1), sg.sign(x)),
}


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_nan_infinities_and_zeros_come_out_as_in_eager_mode(dtype):
    x = np.random.default_rng(0).normal(size=(8, 70)).astype(dtype)
    for row, value in enumerate([np.nan, np.inf, -np.inf, 0.0, -0.0, 5e-324]):
        x[row, 10 * row + 3] = value
    x[6], x[7] = -np.inf, np.nan
    check(lambda x: tuple(y for f in EXTREMES.values() for y in arrays_of(f(x))), x, tolerance=1e-11)


def arrays_of(result):
    return result if isinstance(result, tuple) else (result,)


@pytest.mark.parametrize("n", [40, 5000])  # written out, and as a loop
def test_numbers_are_rounded_as_written(n):
    a, b = np.full(n, 1 + 2.0**-30), np.full(n, 1 - 2.0**-30)
    f = check(lambda a, b: a * b - 1.0, a, b)
    np.testing.assert_array_equal(f(a, b), a * b - 1.0)  # 0, and not what a fused product leaves


@pytest.mark.parametrize(("level", "speed"), [(LOOPS, "-O3"), (Level(0, 2), "-O1"), (Level(0, 0), "-O0")])
@pytest.mark.parametrize(
    ("machine", "own"),
    [("x86_64", ["-march=native"]), ("aarch64", ["-mcpu=native"]), ("arm64", ["-mcpu=native"]), ("riscv64", [])],
)
def test_the_compiler_is_told_to_round_as_written_and_to_trust_no_types(machine, own, level, speed, monkeypatch):
    name = compiler.command()[0]
    monkeypatch.setenv("CC", f"{name} -DMINE")
    monkeypatch.setattr(compiler.platform, "machine", lambda: machine)
    assert compiler._arguments(level) == [
        name, speed, *own, "-ffp-contract=off", "-fno-math-errno", "-fno-trapping-math", "-fno-strict-aliasing",
        "-fopenmp-simd", "-std=gnu11", "-shared", "-fPIC", "-fvisibility=hidden", "-w", "-DMINE",
    ]  # fmt: skip


def test_loops_and_operations_outside_of_machine_code():
    x = np.linspace(0, 1, 50)
    check(sg.value_and_grad(lambda x: sg.scan(lambda c, t: (sg.sin(c) * t + 1, c * c), x[0], x)[1].sum()), x)
    a = np.random.default_rng(0).normal(size=(40, 40)) + 9 * np.eye(40)
    check(lambda a: sg.linalg.solve(a, sg.tanh(a) @ a) + 1, a, tolerance=1e-10)


def test_a_sum_of_a_loop_may_be_taken_in_any_order_and_other_numbers_may_not():
    source = sg.compile(lambda x: (x.sum(), (x * 3).amax()), backend="c").lower(np.ones(5000)).source
    assert "#pragma omp simd reduction(+: " in source
    assert "reduction(max: " in source
    assert "fast-math" not in " ".join(compiler._EXACT)
    assert "for (int64_t i0 = 0; i0 < 5000; i0++) {" in source


def test_a_name_that_the_loop_leaves_behind_is_not_written_as_a_loop():
    def function(value):
        code = Recorder(label="start")
        code.go("loop0")
        code.label("loop0")
        code.phi("i64", "0", "start", "%i0.next", "end0", name="%i0")
        code.load("double", code.place("double", "%x0", "%i0"), name="%v2")
        code.go("end0")
        code.label("end0")
        code.set("add", "i64", "%i0", "1", flags=("nuw", "nsw"), name="%i0.next")
        code.branch(code.set("icmp", "i64", "%i0.next", "3", flags=("ult",)), "loop0", "out0")
        code.label("out0")
        code.give("double", value)
        return code.function("nest0", pointers(["%x0"], alone=True), type="double")

    assert "for (" not in translated(Module([function("%v2")], LOOPS))
    assert "for (" in translated(Module([function(ZERO)], LOOPS))


def test_derivatives_and_pickles_stay_with_the_backend():
    f = sg.compile(lambda x: (x**3).sum(), backend="c")
    x = sg.tensor(X, requires_grad=True)
    f(x).backward()
    np.testing.assert_allclose(x.grad.numpy(), 3 * X**2)
    assert "assembly" in f.lower(X).stages
    assert "symgrad_flat" in f.lower(X).stages["assembly"]


# ------------------------------------------------------------------ instructions
NAN, INF = float("nan"), float("inf")
INSTRUCTIONS = [  # the result's type; opcode, type and flags; operands; the value
    ("i8", ("add", "i8"), (100, 100), -56),
    ("i8", ("sub", "i8"), (-100, 100), 56),
    ("i8", ("mul", "i8"), (100, 3), 44),
    ("i16", ("mul", "i16"), (300, 300), 24464),
    ("i32", ("mul", "i32"), (65537, 65537), 131073),
    ("i64", ("mul", "i64"), (4294967297, 4294967297), 8589934593),
    ("i64", ("add", "i64", "nsw"), (5, 9), 14),
    ("i64", ("shl", "i64"), (3, 62), -(2**62)),
    ("i64", ("lshr", "i64"), (-8, 2), 2**62 - 2),
    ("i32", ("lshr", "i32"), (-8, 2), 2**30 - 2),
    ("i64", ("and", "i64"), (12, 10), 8),
    ("i64", ("or", "i64"), (12, 10), 14),
    ("i64", ("xor", "i64"), (12, 10), 6),
    ("i1", ("xor", "i1"), (True, True), 0),
    ("i1", ("and", "i1"), (True, False), 0),
    ("i1", ("or", "i1"), (True, False), 1),
    ("i1", ("icmp", "i64", "ult"), (-1, 1), 0),
    ("i1", ("icmp", "i8", "ugt"), (-1, 1), 1),
    ("i1", ("icmp", "i64", "slt"), (-1, 1), 1),
    ("i1", ("icmp", "i64", "sge"), (1, 1), 1),
    ("i1", ("icmp", "i8", "sle"), (1, 1), 1),
    ("i1", ("icmp", "i64", "sgt"), (1, 1), 0),
    ("i1", ("icmp", "i64", "eq"), (3, 3), 1),
    ("i1", ("icmp", "i64", "ne"), (3, 3), 0),
    ("i1", ("fcmp", "double", "olt"), (NAN, 1.0), 0),
    ("i1", ("fcmp", "double", "une"), (NAN, NAN), 1),
    ("i1", ("fcmp", "double", "oeq"), (NAN, NAN), 0),
    ("i1", ("fcmp", "double", "uno"), (NAN, 1.0), 1),
    ("i1", ("fcmp", "double", "uno"), (1.0, NAN), 1),
    ("i1", ("fcmp", "double", "uno"), (1.0, 2.0), 0),
    ("i1", ("fcmp", "double", "ogt"), (2.0, 1.0), 1),
    ("double", ("sitofp", "double", "i8"), (-3,), -3.0),
    ("double", ("uitofp", "double", "i8"), (-3,), 253.0),
    ("double", ("uitofp", "double", "i64"), (-1,), 2.0**64),
    ("float", ("uitofp", "float", "i1"), (True,), 1.0),
    ("i64", ("zext", "i64", "i8"), (-3,), 253),
    ("i64", ("sext", "i64", "i8"), (-3,), -3),
    ("i8", ("zext", "i8", "i1"), (True,), 1),
    ("i8", ("trunc", "i8", "i64"), (258,), 2),
    ("i1", ("trunc", "i1", "i64"), (2,), 0),
    ("i1", ("trunc", "i1", "i64"), (3,), 1),
    ("i64", ("fptosi", "i64", "double"), (-3.75,), -3),
    ("i64", ("fptoui", "i64", "double"), (1.0e19,), 10**19 - 2**64),
    ("float", ("fptrunc", "float", "double"), (0.1,), 0.10000000149011612),
    ("double", ("fpext", "double", "float"), (0.5,), 0.5),
    ("i64", ("bitcast", "i64", "double"), (1.0,), 1023 << 52),
    ("double", ("bitcast", "double", "i64"), (1023 << 52,), 1.0),
    ("i32", ("bitcast", "i32", "float"), (1.0,), 127 << 23),
    ("float", ("bitcast", "float", "i32"), (127 << 23,), 1.0),
    ("double", ("frem", "double"), (-1.0e300, 3.5), math.fmod(-1e300, 3.5)),
    ("float", ("frem", "float"), (5.5, 2.0), 1.5),
    ("double", ("fneg", "double"), (2.5e200,), -2.5e200),
    ("double", ("fsub", "double"), (2.5, 1.0e200), -1e200),
    ("double", ("fdiv", "double"), (3.0e200, 7.0), 3e200 / 7),
    ("double", ("select", "double"), (True, 1.5, 2.5), 1.5),
    ("double", ("select", "double"), (False, 1.5, 2.5), 2.5),
    ("double", ("fadd", "double"), (INF, 1.0), float("inf")),
    ("float", ("fneg", "float"), (INF,), -float("inf")),
    ("double", ("fadd", "double"), (-1.5, 0.25), -1.25),
    (
        "double",
        ("call", "double", "double", "double", "double"),
        ("@llvm.fma.f64", 134217729.0, 134217729.0, -18014398777917440.0),
        1.0,
    ),
    ("double", ("call", "double", "double", "double"), ("@llvm.copysign.f64", 3.0e200, -0.0), -3e200),
    ("double", ("call", "double", "double"), ("@llvm.floor.f64", -1073741825.5), -1073741826.0),
    ("float", ("call", "float", "float"), ("@llvm.ceil.f32", -2.5), -2.0),
    ("double", ("call", "double", "double"), ("@llvm.trunc.f64", -1073741825.75), -1073741825.0),
    ("double", ("call", "double", "double"), ("@llvm.rint.f64", 1073741824.5), 1073741824.0),
    ("double", ("call", "double", "double"), ("@llvm.sqrt.f64", 2.25e200), 1.5e100),
    ("float", ("call", "float", "float"), ("@llvm.fabs.f32", -2.5), 2.5),
    ("double", ("call", "double", "double", "double"), ("@llvm.maximum.f64", 1.0, 3.0e200), 3e200),
    ("double", ("call", "double", "double", "double"), ("@llvm.minimum.f64", 1.0e-200, 3.0), 1e-200),
    ("double", ("call", "double", "double", "double"), ("@llvm.maximum.f64", NAN, 3.0), float("nan")),
    ("float", ("call", "float", "float", "float"), ("@llvm.minimum.f32", 1.0, NAN), float("nan")),
]
FORMATS = {"i1": "?", "i8": "b", "i16": "h", "i32": "i", "i64": "q", "float": "f", "double": "d"}


def _operand(value):
    if isinstance(value, float):
        return constant(value, "f64")
    return value if isinstance(value, str) else str(value).lower()


@pytest.mark.parametrize("level", [Level(0, 0), LOOPS])
@pytest.mark.parametrize("backend", ["c", "llvm"])
def test_each_instruction_has_the_value_that_it_should(backend, level):
    machine = pytest.importorskip(f"symgrad.compiler.backends.{'c.compiler' if backend == 'c' else 'llvm.machine'}")
    code = Recorder()
    for k, (kind, (opcode, type, *flags), operands, _) in enumerate(INSTRUCTIONS):
        result = code.set(opcode, type, *map(_operand, operands), flags=tuple(flags))
        code.store(kind, result, code.place("i64", "%o", k))
    code.give()
    module = Module([code.function("run", pointers(["%o"]), internal=False)], level)
    made, memory = machine.assemble(module, None), ctypes.create_string_buffer(8 * len(INSTRUCTIONS))
    ctypes.CFUNCTYPE(None, ctypes.c_void_p)(made.address("run"))(ctypes.addressof(memory))
    for k, (kind, instruction, operands, expected) in enumerate(INSTRUCTIONS):
        (value,) = struct.unpack_from(FORMATS[kind], memory.raw, 8 * k)
        assert value == expected or (value != value and expected != expected), (instruction, operands)


# ------------------------------------------------------------------ threads
THREADS = """
import os, sys
sys.modules["llvmlite"] = None
import numpy as np, symgrad as sg
x = np.linspace(0, 1, 100_000)
loss = lambda x: (sg.softmax(x.reshape(200, 500), 1) * sg.sin(x.sum())).amax(1).sum()
f = sg.compile(sg.value_and_grad(loss), backend="c")
found = set()
for n in (1, 2, 5):
    sg.set_num_threads(n)
    value, slope = f(x)
    found.add((value, slope.tobytes()))
assert len(found) == 1 and "_chunk(" in f.source
child = os.fork()
if not child:
    os._exit(0 if f(x)[0] == value else 1)
assert os.waitpid(child, 0)[1] == 0 and f(x)[0] == value
print("done")
"""


@pytest.mark.skipif(not pool.available() or not hasattr(os, "fork"), reason="no threads, or no fork on this system")
def test_threads_share_large_loops_without_llvm_and_a_forked_child_computes_alone():
    run = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", THREADS], capture_output=True, text=True, check=False, timeout=120
    )
    assert run.stdout == "done\n", run.stderr


@pytest.mark.skipif(not pool.available(), reason="no threads on this system")
def test_large_loops_are_cut_and_small_ones_are_not():
    source = lambda n: sg.compile(lambda x: (sg.exp(x) * x).sum(), backend="c").lower((n,)).source
    assert "for (int64_t i0 = lo; i0 < hi; i0++) {" in source(100_000)
    assert "_chunk(" not in source(1000)


# ------------------------------------------------------------------ auto
AUTO = """
import sys
sys.modules["llvmlite"] = None
import numpy as np, symgrad as sg
few, many = sg.compile(lambda x: (x**2).sum()), sg.compile(lambda x: (x**2).sum())
print(few(np.ones(3)), few.stats.backend, many(np.ones(5000)), many.stats.backend)
"""


@pytest.mark.parametrize(("cc", "expected"), [(None, "c"), ("no such compiler", "numpy")], ids=["found", "missing"])
def test_auto_takes_c_where_there_is_no_llvm_and_numpy_where_there_is_no_compiler(cc, expected):
    environment = {k: v for k, v in os.environ.items() if k != "CC"} | ({} if cc is None else {"CC": cc})
    done = subprocess.run([sys.executable, "-c", AUTO], capture_output=True, text=True, check=True, env=environment)
    assert done.stdout.split() == ["3.0", "python", "5000.0", expected]


# ------------------------------------------------------------------ compilers
def script(folder, text):
    """A program that stands for a compiler."""
    made = folder / "a compiler"
    made.write_text(f"#!/bin/sh\n{text}\n")
    made.chmod(made.stat().st_mode | stat.S_IXUSR)
    return f'"{made}"'


def test_without_a_compiler_the_error_says_where_it_was_looked_for(monkeypatch):
    monkeypatch.setenv("CC", "no-such-compiler -O1")
    with pytest.raises(MissingExtra, match=r"CC='no-such-compiler -O1' names none.*Install gcc or clang"):
        sg.compile(lambda x: x, backend="c")(X)
    monkeypatch.delenv("CC")
    monkeypatch.setenv("PATH", "")
    with pytest.raises(MissingExtra, match="none of cc, gcc, clang is in PATH"):
        sg.compile(lambda x: x, backend="c")(X)


@pytest.mark.parametrize("text", ["'", "cc 'without an end"])
def test_a_name_that_cannot_be_split_is_no_compiler(text, monkeypatch):
    monkeypatch.setenv("CC", text)
    with pytest.raises(MissingExtra, match="names none"):
        sg.compile(lambda x: x, backend="c")(X)


@posix
def test_what_a_compiler_complains_of_is_told_and_auto_goes_on(tmp_path, monkeypatch):
    monkeypatch.setenv("CC", script(tmp_path, "echo 'kernel.c:1: too old for this' >&2; exit 3"))
    with pytest.raises(
        Unsuitable, match=r"a compiler failed\. Use backend='numpy'\. Its message is: kernel.c:1: too old"
    ):
        sg.compile(lambda x: x * 2, backend="c")(X)
    monkeypatch.setenv("CC", script(tmp_path, '(echo "$LC_ALL"; head -c 5000 /dev/zero | tr "\\0" x) >&2; exit 1'))
    with pytest.raises(Unsuitable) as caught:
        sg.compile(lambda x: x * 2, backend="c")(X)
    assert "Its message is: C\nxxx" in str(caught.value)  # in English
    assert 2000 <= len(str(caught.value)) < 2500
    monkeypatch.setenv("CC", script(tmp_path, "echo rubbish > kernel.out"))
    with pytest.raises(Unsuitable, match="cannot be loaded"):
        sg.compile(lambda x: x * 2, backend="c")(X)
    monkeypatch.setenv("CC", script(tmp_path, "exit 0"))
    with pytest.raises(Unsuitable, match=r"the C compiler .*a compiler wrote nothing"):
        sg.compile(lambda x: x * 2, backend="c")(X)
    (tmp_path / "a compiler").write_text("#!/there/is/no/such/interpreter\n")
    with pytest.raises(Unsuitable, match=r"the C compiler .*a compiler does not start: .* Use backend='numpy'"):
        sg.compile(lambda x: x * 2, backend="c")(X)


@posix
@pytest.mark.parametrize("hostile", ["cc; touch {}", "cc $(touch {})", "`touch {}`", "cc && touch {}", "cc | tee {}"])
def test_cc_is_no_text_of_a_shell(hostile, tmp_path, monkeypatch):
    mark = tmp_path / "mark"
    monkeypatch.setenv("CC", hostile.format(mark))
    with pytest.raises((MissingExtra, Unsuitable)):
        sg.compile(lambda x: x * 2, backend="c")(X)
    assert not mark.exists()


@posix
def test_arguments_in_cc_come_last_and_paths_may_have_spaces(tmp_path, monkeypatch):
    real, place = shutil.which(compiler.command()[0]), tmp_path / "temporary files"
    place.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(place))
    named = script(tmp_path, f'echo "$@" > ../told; exec {real} "$@"')
    monkeypatch.setenv("CC", f"{named} -DMINE='two words'")
    assert sg.compile(lambda x: x * 2, backend="c")(X).tolist() == [1.0, 3.0, 5.0]
    assert "-shared" in (place / "told").read_text().split("-DMINE=two words")[0]
    assert [p.name for p in place.iterdir()] == ["told"]  # nothing else is left


@posix
def test_a_compiler_may_be_named_from_the_working_folder(tmp_path, monkeypatch):
    script(tmp_path, f'exec {shutil.which(compiler.command()[0])} "$@"')
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("CC", '"./a compiler"')
    assert sg.compile(lambda x: x * 2, backend="c")(X).tolist() == [1.0, 3.0, 5.0]


@pytest.mark.skipif(not os.path.exists("/proc/self/maps"), reason="no list of what is in memory")
def test_a_library_is_freed_with_its_function():
    def libraries():
        gc.collect()
        with open("/proc/self/maps", encoding="utf-8") as maps:
            return {line.split()[5] for line in maps if "symgrad-" in line}

    before = libraries()
    f = sg.compile(lambda x: x * 2.5, backend="c")
    f(X)
    assert len(libraries() - before) == 1
    del f
    assert libraries() <= before


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork")
@pytest.mark.filterwarnings("ignore:This process:DeprecationWarning")
def test_a_child_runs_what_its_parent_compiled_and_compiles_more():
    f = sg.compile(lambda x: (x * 2).sum(), backend="c")
    f(X)
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        os.write(writing, f"{f(X)} {sg.compile(lambda x: (x * 3).sum(), backend='c')(X)}".encode())
        os._exit(0)
    os.close(writing)
    with os.fdopen(reading, "rb") as pipe:
        assert pipe.read() == b"9.0 13.5"
    os.waitpid(child, 0)


# ------------------------------------------------------------------ on disk
@posix
def test_the_key_of_a_library_has_all_that_its_code_depends_on(tmp_path, monkeypatch):
    macros = tmp_path / "macros"
    macros.write_text("")
    own = compiler._PROCESSOR.get(compiler.platform.machine(), "")
    monkeypatch.setenv("CC", script(tmp_path, f'case "$*" in *{own}*-dM*) cat "{macros}" ;; esac'))

    def key(text="int x;", level=LOOPS):
        compiler._told_of.cache_clear()  # as in another process
        return compiler._key(text, compiler._arguments(level))

    keys = [key()]
    assert keys[0] == key()
    keys += [key("int y;"), key(level=Level(0, 2))]
    macros.write_text("#define __AVX2__ 1")  # a processor with other instructions, of the same name
    keys.append(key())
    monkeypatch.setattr(compiler.sys, "platform", "another system")
    keys.append(key())
    monkeypatch.setattr(compiler.platform, "machine", lambda: "another machine")
    keys.append(key())
    compiler._told_of.cache_clear()
    assert len({str(k) for k in keys}) == len(keys)
    assert {k["backend"] for k in keys} == {"c"}  # LLVM's code has another interface


@posix
def test_a_library_for_another_processor_is_not_run(tmp_path, monkeypatch):
    monkeypatch.setenv(store.WHERE, str(tmp_path / "kept"))
    monkeypatch.delenv(store.SIZE, raising=False)
    real, macros = shutil.which(compiler.command()[0]), tmp_path / "macros"
    macros.write_text("")
    monkeypatch.setenv("CC", script(tmp_path, f'case "$*" in *-dM*) cat "{macros}" ;; esac; exec {real} "$@"'))

    def run(factor=2.0):
        compiler._told_of.cache_clear()
        f = sg.compile(lambda x: x * factor, backend="c")
        assert f(X).tolist() == (X * factor).tolist()
        return f.stats.cached

    assert [run(), run(), run(3.0), run(3.0)] == [False, True, False, True]
    macros.write_text("#define __AVX2__ 2")
    assert [run(), run()] == [False, True]
    compiler._told_of.cache_clear()


def test_a_library_is_kept_on_disk_for_its_compiler(tmp_path, monkeypatch):
    monkeypatch.setenv(store.WHERE, str(tmp_path / "kept"))
    monkeypatch.delenv(store.SIZE, raising=False)
    real, count = compiler.compiled, []
    monkeypatch.setattr(compiler, "compiled", lambda *given: count.append(given) or real(*given))

    def run():
        f = sg.compile(lambda x: sg.sin(x) * 2 + np.arange(3.0), backend="c")
        np.testing.assert_allclose(f(X), np.sin(X) * 2 + np.arange(3.0))
        return f.stats.cached

    assert [run(), run()] == [False, True]
    (entry,) = (tmp_path / "kept").glob("*.entry")
    good = entry.read_bytes()
    entry.write_bytes(good[:-1])
    assert [run(), run()] == [False, True]
    monkeypatch.setenv("CC", f"{compiler.command()[0]} -DMINE")
    assert not run()
    assert len(count) == 3


COMPLEX = {"product": lambda a, b: a * b, "quotient": lambda a, b: a / b, "power": lambda a, b: a**3,
           "tangent": lambda a, b: sg.tan(a) * b}  # fmt: skip


@pytest.mark.parametrize("name", COMPLEX)
def test_complex_numbers_have_the_bytes_of_llvm(name):
    pytest.importorskip("llvmlite")
    a, b = np.random.default_rng(0).normal(size=(2, 3000)).view(np.complex128)
    expected, found = (np.asarray(sg.compile(COMPLEX[name], backend=backend)(a, b)) for backend in ("llvm", "c"))
    np.testing.assert_array_equal(found.view(np.float64), expected.view(np.float64))
