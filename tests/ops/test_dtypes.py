"""One dtype per operation: the value says it, the trace knows it, and compiled and exported functions keep it."""

from __future__ import annotations

import importlib.util
import math
import re
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from exporting import loaded
from table import Case

import symgrad as sg
from symgrad.compiler.backends.backend import Unsuitable
from symgrad.core.promotion import kind_of, kind_of_number
from symgrad.engine import record
from symgrad.errors import ArgumentError, SymgradError, ValueNeeded
from symgrad.exports import ExportError

from cases import CASES

WHOLE = ["bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"]
DTYPES = [*WHOLE, "float16", "float32", "float64"]
BACKENDS = ["python", "numpy", "llvm"]
PEERS = {"jax": "jax", "torch": "torch"}
TARGETS = ["numpy", "python", *[pytest.param(t, marks=pytest.mark.slow) for t in ("c", "jax", "torch")]]

# What an identity such as x·1 = x, a Python number, or a narrow sum would spoil.
FUNCTIONS: dict[str, Callable[..., Any]] = {
    "(x 1.0)²": lambda x: (x * 1.0) ** 2,
    "-(x 1.0)": lambda x: -(x * 1.0),
    "x - 0.0": lambda x: x - 0.0,
    "x + 0.0": lambda x: x + 0.0,
    "x / 1.0": lambda x: x / 1.0,
    "x ** 1.0": lambda x: x**1.0,
    "x ** -1.0": lambda x: x**-1.0,
    "2.0 ** x": lambda x: 2.0**x,
    "x // 2.0": lambda x: x // 2.0,
    "x * 3": lambda x: x * 3,
    "x + x": lambda x: x + x,
    "x x": lambda x: x * x,
    "x²": lambda x: x**2,
    "x / 2": lambda x: x / 2,
    "x > 1": lambda x: x > 1,
    "x > 1.5": lambda x: x > 1.5,
    "|x|": abs,
    "sin": sg.sin,
    "sigmoid": sg.sigmoid,
    "exp(x) x": lambda x: sg.exp(x) * x,
    "maximum": lambda x: sg.maximum(x, 0.0),
    "clamp": lambda x: sg.clamp(x, 0.0, 3.0),
    "where": lambda x: sg.where(x > 1, x, 0.0),
    "where of integers": lambda x: sg.where(x > 1, x, 0),
    "sum": lambda x: x.sum(),
    "prod": lambda x: x.prod(),
    "mean": lambda x: x.mean(),
    "var": lambda x: x.var(),
    "cumsum": lambda x: x.cumsum(0),
    "cumprod": lambda x: x.cumprod(0),
    "softmax": lambda x: sg.softmax(x, 0),
    "logsumexp": lambda x: sg.logsumexp(x, 0),
    "norm": sg.linalg.norm,
    "x·x": lambda x: x @ x,
    "(x 1.0)·(x 1.0)": lambda x: (x * 1.0) @ (x * 1.0),
    "trace": lambda x: sg.trace(sg.outer(x, x)),
    "amax": lambda x: sg.amax(x),
    "sorted": lambda x: sg.sort(x).values,
    "argsort": lambda x: sg.argsort(x),
    "reshaped": lambda x: x.reshape(1, -1),
    "joined": lambda x: sg.cat([x, x * 1.0]),
    "stacked": lambda x: sg.stack([x[0], x[1] * 0.5]),
    "to float32": lambda x: x.to(sg.float32) * 2,
    "to int8": lambda x: x.to(sg.int8),
}
INPUTS = {
    "bool": [True, False, True], "int8": [100, 100, -7], "uint8": [200, 3, 100], "int16": [30000, 9, -30000],
    "uint16": [60000, 2, 60000], "int32": [2**31 - 1, 5, -9], "uint32": [2**32 - 1, 1, 7], "int64": [3, -2, 40],
    "uint64": [3, 2, 40], "float16": [1.5, -2.0, 300.0], "float32": [1.5, -2.0, 3e4], "float64": [1.5, -2.0, 3.0],
}  # fmt: skip


def eager(f: Callable[..., Any], *xs: Any) -> Any:
    """The array that a function returns in eager mode, or the error."""
    try:
        with np.errstate(all="ignore"):
            y = f(*[sg.tensor(x) for x in xs])
    except (SymgradError, ValueError, TypeError) as error:
        return error
    return np.asarray(y.numpy() if isinstance(y, sg.Tensor) else y)


def agree(found: Any, expected: Any, *, kinds: bool = False, wide: bool = False) -> None:
    """Assert that two arrays have one dtype (or one kind of it), and the same entries as far as their dtype goes."""
    got = np.asarray(found)
    if kinds:
        assert got.dtype.kind.replace("u", "i") == expected.dtype.kind.replace("u", "i")
    else:
        assert got.dtype == expected.dtype
    assert got.shape == expected.shape
    if expected.dtype.kind != "f":
        np.testing.assert_array_equal(got.astype(object), expected.astype(object))
        return
    rtol = {2: 2e-3, 4: 1e-5, 8: 1e-4 if wide else 1e-9}[expected.dtype.itemsize]
    finite = np.abs(expected[np.isfinite(expected)].astype(float))
    np.testing.assert_allclose(got.astype(float), expected.astype(float), rtol, rtol * np.max(finite, initial=0.0))


# ------------------------------------------------------------------ compiled functions
@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("backend", ["python", "numpy", pytest.param("llvm", marks=pytest.mark.slow)])
def test_compiled_functions_have_the_values_and_dtypes_of_eager_mode(backend, dtype):
    if backend == "llvm":
        pytest.importorskip("llvmlite")
    x = np.array(INPUTS[dtype], dtype)
    for f in FUNCTIONS.values():
        compare_compiled(f, backend, x)


def test_machine_code_has_the_values_and_dtypes_of_eager_mode():
    pytest.importorskip("llvmlite")
    for n, f in enumerate(FUNCTIONS.values()):
        dtype = WHOLE[n % len(WHOLE)]
        compare_compiled(f, "llvm", np.array(INPUTS[dtype], dtype))


def compare_compiled(f: Callable[..., Any], backend: str, *xs: Any, wide: bool = False) -> None:
    """Assert that the compiled function agrees, unless eager mode or the backend refuses."""
    expected = eager(f, *xs)
    try:
        found = sg.compile(f, backend=backend)(*xs)
    except (Unsuitable, ValueNeeded):
        return
    except (SymgradError, ValueError, TypeError):
        assert isinstance(expected, Exception)
        return
    if not isinstance(expected, Exception):
        agree(found, expected, wide=wide)


@pytest.mark.parametrize("backend", ["numpy", "llvm"])
@pytest.mark.parametrize("a", ["bool", "int8", "uint8", "int64", "uint64", "float16", "float32", "float64"])
def test_dtypes_meet_as_in_eager_mode(a, backend):
    if backend == "llvm":
        pytest.importorskip("llvmlite")
    functions = [lambda x, z: x * z + x, lambda x, z: x / z, lambda x, z: sg.where(x > z, x, z), lambda x, z: x < z,
                 lambda x, z: x @ z, lambda x, z: sg.exp(x * 0.01) * z]  # fmt: skip
    x = np.array(INPUTS[a], a)
    for n, b in enumerate(DTYPES):
        z = np.array(INPUTS[b], b)[::-1].copy()
        picked = functions if backend == "numpy" else [functions[n % len(functions)]]
        for f in picked:
            compare_compiled(f, backend, x, z, wide=True)


@pytest.mark.parametrize("backend", BACKENDS)
def test_gradients_through_integers_are_those_of_eager_mode(backend):
    if backend == "llvm":
        pytest.importorskip("llvmlite")
    w = np.array([1.5, -0.5])
    for dtype in WHOLE:
        x = np.array(INPUTS[dtype][:2], dtype)
        for f in (lambda w, x: ((w * (x * 1.0)) ** 2).sum(), lambda w, x: (sg.exp(0.01 * w) * x).sum(),
                  lambda w, x: (w @ (x / 2.0)) ** 2, lambda w, x: (w * x.sum()).sum()):  # fmt: skip
            expected = sg.grad(f)(w, x)
            try:
                found = sg.compile(sg.grad(f), backend=backend)(w, x)
            except Unsuitable:
                continue
            agree(found, np.asarray(expected))


@pytest.mark.parametrize("backend", ["numpy", "llvm"])
@pytest.mark.parametrize("dtype", ["bool", "int8", "uint8", "uint64", "float32"])
def test_loops_and_vmap_keep_dtypes(dtype, backend):
    if backend == "llvm":
        pytest.importorskip("llvmlite")
    x = np.array([INPUTS[dtype], INPUTS[dtype][::-1]], dtype)
    compare_compiled(lambda x: sg.scan(lambda c, t: (c + t.sum() * 0.5, t * 2.0), 0.0, x)[1], backend, x, wide=True)
    compare_compiled(lambda x: sg.scan(lambda c, t: (c + t.sum() * 0.5, t * 2.0), 0.0, x)[0], backend, x, wide=True)
    compare_compiled(lambda x: sg.vmap(lambda r: (r * 1.0) ** 2 + r.sum())(x), backend, x)
    compare_compiled(lambda x: sg.fori_loop(0, 3, lambda i, c: c + (x * 1.0).sum(), 0.0), backend, x, wide=True)


def test_large_integers_are_exact_beside_numbers():
    x = np.array([3, 5])
    found = sg.compile(lambda x: x + (2**60 + 1), backend="numpy")(x)
    assert found.tolist() == [2**60 + 4, 2**60 + 6]
    assert sg.compile(lambda x: x * (2**62 + 1), backend="numpy")(x.astype(np.uint64))[0] == 3 * (2**62 + 1)


# ------------------------------------------------------------------ exported functions
def test_softmax_of_unsigned_integers_does_not_wrap():
    x = np.array([3, 2, 40], np.uint64)
    assert np.allclose(sg.softmax(sg.tensor(x), 0).numpy(), sg.softmax(sg.tensor(x.astype(float)), 0).numpy())


def run_export(target: str, f: Callable[..., Any], xs: list[Any], folder: Any) -> Any:
    """What the exported source returns; None where the target has no words for it."""
    try:
        if target == "c":
            return run_c(f, xs, folder)
        run = loaded(sg.export(f, tuple(xs), target=target, name="f", formula=False))
    except (ExportError, ValueNeeded):
        return None
    with np.errstate(all="ignore"):
        if target == "torch":
            import torch

            return run(*[torch.from_numpy(np.array(x)) for x in xs]).numpy()
        return np.asarray(run(*([x.tolist() for x in xs] if target == "python" else xs)))


@pytest.fixture
def precise() -> Iterator[None]:
    """JAX in double precision, where it is installed."""
    if importlib.util.find_spec("jax") is None:
        yield
        return
    import jax

    before = jax.config.jax_enable_x64
    jax.config.update("jax_enable_x64", True)
    yield
    jax.config.update("jax_enable_x64", before)


# Of the integers of one sign a row takes one width with each backend, the next row the next one.
WIDTHS = {f"{sign}{8 << k}": (k, 4) for sign in ("int", "uint") for k in range(4)}

# What a target's own functions refuse, or its dtypes do not have: loudly, when the source runs.
LACKING = {
    "torch": {"bool"},
    "jax": set(),
}


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("target", TARGETS)
def test_exported_functions_have_the_values_and_dtypes_of_eager_mode(target, dtype, tmp_path, precise):
    if target in PEERS:
        pytest.importorskip(PEERS[target])
    if target in ("c", "python") and dtype == "float16":
        pytest.skip("these targets compute in doubles, which do not overflow where half precision does")
    x = np.array(INPUTS[dtype], dtype)
    for n, (name, f) in enumerate(FUNCTIONS.items()):
        expected = eager(f, x)
        if isinstance(expected, Exception) or not is_due(dtype, n, 4 if target == "c" else 2 if target == "jax" else 1):
            continue
        (tmp_path / str(n)).mkdir()
        try:
            found = run_export(target, f, [x], tmp_path / str(n))
        except (RuntimeError, NotImplementedError, TypeError):
            assert dtype in LACKING.get(target, ()), name
            continue
        if found is not None:
            compare_exported(target, found, expected)


def is_due(dtype: str, n: int, turns: int) -> bool:
    """Whether the n-th function meets this width: integers of a sign take turns, as floats do where there are four."""
    width = DTYPES.index(dtype)
    return n % turns == width % turns or (turns == 2 and dtype not in WIDTHS)


def compare_exported(target: str, found: Any, expected: Any) -> None:
    """Assert that what a source computed is what eager mode has, in the dtypes that the target has."""
    if target == "c":
        agree(np.asarray(found), expected.astype(np.float64), wide=expected.dtype.itemsize < 8)
    else:
        agree(found, expected, kinds=target == "python", wide=True)


@pytest.mark.parametrize("dtype", ["uint16", "uint32", "uint64"])
def test_pytorchs_lack_of_arithmetic_is_said_when_a_source_is_written(dtype):
    x = np.array([1, 2], dtype)
    for f in (lambda x: x + x, lambda x: sg.flip(x, 0), lambda x: x > 1):
        with pytest.raises(ExportError, match=f"PyTorch has no arithmetic of {dtype}"):
            sg.export(f, (x,), target="torch", name="f", formula=False)
    assert "torch.reshape" in sg.export(lambda x: x.reshape(2, 1), (x,), target="torch", name="f", formula=False)


@pytest.mark.slow
@pytest.mark.parametrize("target", ["jax", "torch"])
def test_peers_have_what_they_lack_for_truth_values_and_half_precision(target, tmp_path, precise):
    pytest.importorskip(target)
    flags, halves = np.array([[True, False], [False, True]]), np.array([0.5, -1.0], np.float16)
    for f, x in [(lambda x: sg.cummax(x, 0)[1], flags), (lambda x: sg.argmax(x, 0), flags), (sg.digamma, flags),
                 (lambda x: sg.nn.functional.fold(x.reshape(1, 4, 1), (2, 2), (2, 2)), flags),
                 (sg.special.ndtr, halves), (sg.special.log_ndtr, halves), (sg.special.erfcx, halves)]:  # fmt: skip
        compare_exported(target, run_export(target, f, [x], tmp_path), eager(f, x))


@pytest.mark.slow
def test_jax_in_single_precision_is_right_or_says_so():
    jax = pytest.importorskip("jax")
    before = jax.config.jax_enable_x64
    jax.config.update("jax_enable_x64", False)
    try:
        for name in ("sin", "softmax", "sum", "x·x"):
            found = run_export("jax", FUNCTIONS[name], [np.array([0.5, 2.0])], None)
            np.testing.assert_allclose(found, eager(FUNCTIONS[name], np.array([0.5, 2.0])), rtol=1e-6)
        with pytest.raises(ValueError, match="jax_enable_x64"):
            run_export("jax", lambda x: x + np.array([2**40, 1]), [np.arange(2)], None)
    finally:
        jax.config.update("jax_enable_x64", before)


# Integers divided by zero are 0, as NumPy has them; PyTorch raises, XLA has -1.
DIVISIONS = {
    "//": lambda x, z: x // z,
    "%": lambda x, z: x % z,
    "fmod": sg.fmod,
    "by a number": lambda x, z: x // 0 + x % 0 + z,
    "of a number": lambda x, z: (3 // z) * (3 % z) + x,
    "floor": lambda x, z: sg.div(x, z, rounding_mode="floor"),
    "trunc": lambda x, z: sg.div(x, z, rounding_mode="trunc"),
}


@pytest.mark.parametrize("target", ["numpy", "python", "c", "jax", "torch"])
def test_exported_integers_divided_by_zero_are_zero(target, tmp_path, precise):
    if target in PEERS:
        pytest.importorskip(PEERS[target])
    for dtype in ["bool", "int8"] if target in ("jax", "python") else ["uint8"]:
        xs = [np.array([3, 1, 0, 5], dtype), np.array([0, 0, 0, 2], dtype)]
        expected = [eager(f, *xs) for f in DIVISIONS.values()]
        if target == "c":  # one compilation for all
            found = run_c(lambda *ts: tuple(f(*ts) for f in DIVISIONS.values()), xs, tmp_path)
        else:
            found = [run_export(target, f, xs, tmp_path) for f in DIVISIONS.values()]
        for y, want in zip(found, expected, strict=True):
            compare_exported(target, y, want)


def test_exported_c_wraps_integers_as_eager_mode_does(tmp_path):
    for dtype in ("int32", "uint8"):
        x, fs = np.array(INPUTS[dtype], dtype), [lambda x: x * x + x, lambda x: x.sum(), lambda x: -x, lambda x: x**2]
        (tmp_path / dtype).mkdir()
        for y, f in zip(run_c(lambda x, fs=fs: tuple(f(x) for f in fs), [x], tmp_path / dtype), fs, strict=True):
            compare_exported("c", y, eager(f, x))


def run_c(f: Callable[..., Any], xs: list[Any], folder: Any) -> Any:
    """What the function's source in C returns, compiled here."""
    if shutil.which("cc") is None:
        pytest.skip("no C compiler")
    sg.export(f, tuple(xs), target="c", name="f", path=folder / "f.c", formula=False)
    return sg.exports.load_c(folder / "f.c")(*xs)


def test_what_exported_c_calls_is_in_c():
    library = importlib.util.find_spec("symgrad.compiler.loops.library.python")
    names = set(re.findall(r"^def (\w+)", Path(library.origin).read_text(encoding="utf-8"), re.MULTILINE))
    own = {"div", "single", "nested"}  # signs of C, and lists of lists, which C has not
    assert own < names
    in_c = {"fmax", "fmin", "tgamma"}  # under names that math has not
    assert all(hasattr(math, name) or name in in_c for name in names - own)


@pytest.mark.parametrize("dtype", ["float16", "float32"])
@pytest.mark.parametrize("target", ["numpy", "jax", "torch"])
def test_numbers_in_an_exported_source_take_the_dtype_of_the_function(target, dtype, tmp_path, precise):
    if target in PEERS:
        pytest.importorskip(PEERS[target])
    x = np.array([[1.0, 2.0, 3.0]], dtype)
    for f in (lambda x: sg.logsumexp(x, ()), lambda x: sg.logsumexp(x, (0, 1)), lambda x: sg.logsumexp(x[0, 0], 0),
              lambda x: 2.0 ** x[0, 0], lambda x: x[0, 0] ** 2.5, sg.grad(lambda x: sg.relu(x).sum()),
              lambda x: sg.where(x > 1, 1.0, 0.0)):  # fmt: skip
        compare_exported(target, run_export(target, f, [x], tmp_path), eager(f, x))


# ------------------------------------------------------------------ all rows
def with_dtype(case: Case, dtype: str) -> list[Any]:
    """The inputs of a row, their floating-point numbers as ones of this dtype."""
    found = []
    for a in case.arrays:
        if a.dtype.kind != "f":
            found.append(a)
        elif dtype == "bool":
            found.append(a > np.median(a))
        elif np.dtype(dtype).kind in "iu":
            whole = np.rint(np.where(np.isfinite(a), a, 1) * (3 if a.size < 9 else 2))
            whole = np.abs(whole) + 1 if np.dtype(dtype).kind == "u" else np.where(whole == 0, 1, whole)
            found.append(whole.astype(dtype))
        else:
            found.append(a.astype(dtype))
    return found


def rows() -> Iterator[Case]:
    """One case of each row that has floating-point inputs."""
    seen = set()
    for case in CASES:
        if not case.empty and case.row.name not in seen and any(a.dtype.kind == "f" for a in case.arrays):
            seen.add(case.row.name)
            yield case


# Differences of large numbers that cancel: what is left depends on the order of summation.
OF_ONE_ENTRY = {"linalg.eigvalsh", "linalg.eigvalsh upper"}  # which Python's source returns as it is: False for 0.0
CANCELS = {"F.triplet_margin_loss mean", "erfinv and sinc", "special.erfinv"}


def sweep_compiled(backend: str, dtype: str, start: int, step: int) -> None:
    """Compare rows from ``start`` on, each ``step``-th of them."""
    for case in list(rows())[start::step]:
        xs = with_dtype(case, dtype)
        expected = eager(lambda *ts, case=case: case.row.f(sg, *ts), *xs)
        if isinstance(expected, Exception) or case.row.name in CANCELS:
            continue
        try:
            with np.errstate(all="ignore"):
                found = sg.compile(lambda *ts, case=case: case.row.f(sg, *ts), backend=backend)(*xs)
        except (Unsuitable, ValueNeeded):
            continue
        loose = dtype in ("float16", "float32")
        got = np.asarray(found)
        assert (got.dtype, got.shape) == (expected.dtype, expected.shape), (case.row.name, dtype, backend)
        if expected.dtype.kind == "f" and not loose:
            scale = np.max(np.abs(expected[np.isfinite(expected)].astype(float)), initial=1.0)
            rtol = 1e-7 if expected.dtype == np.float64 else 1e-5  # of what is computed in single precision
            np.testing.assert_allclose(got, expected, rtol, rtol * scale / 100, err_msg=str((case.row.name, dtype)))
        elif not loose:
            np.testing.assert_array_equal(got, expected, err_msg=str((case.row.name, dtype, backend)))


@pytest.mark.parametrize("k", range(len(DTYPES)))
@pytest.mark.parametrize("backend", ["python", "numpy"])
def test_rows_compile_to_the_dtypes_of_eager_mode(backend, k):
    sweep_compiled(backend, DTYPES[k], k, len(DTYPES))


@pytest.mark.slow
@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("backend", BACKENDS)
def test_all_rows_compile_to_the_dtypes_of_eager_mode(backend, dtype):
    if backend == "llvm":
        pytest.importorskip("llvmlite")
    start, step = WIDTHS.get(dtype, (0, 1))
    sweep_compiled(backend, dtype, (start + BACKENDS.index(backend)) % step, step)


@pytest.mark.slow
@pytest.mark.parametrize("dtype", ["bool", "int8", "uint8", "int64", "uint64"])
@pytest.mark.parametrize("target", ["numpy", "python"])
def test_all_rows_are_exported_with_the_dtypes_of_eager_mode(target, dtype, tmp_path):
    for n, case in enumerate(rows()):
        if not is_due(dtype, n, 2):  # of int8 and int64, and of uint8 and uint64, a row takes one
            continue
        xs = with_dtype(case, dtype)
        f = lambda *ts, case=case: case.row.f(sg, *ts)
        expected = eager(f, *xs)
        if isinstance(expected, Exception) or case.row.name in CANCELS:
            continue
        found = run_export(target, f, xs, tmp_path)
        if target == "python" and dtype == "bool" and case.row.name in OF_ONE_ENTRY:
            continue
        if found is not None and (target == "numpy" or dtype in ("bool", "int8", "uint8")):
            compare_exported(target, found, expected)


@pytest.mark.parametrize("dtype", ["int64", "uint64"])
def test_means_of_large_integers_do_not_wrap(dtype):
    x = np.array([2**62, 2**62, 2**62, 2**62], dtype)
    loss = lambda x: sg.nn.functional.l1_loss(x, x - x)
    run = loaded(sg.export(loss, (x,), target="numpy", name="f", formula=False))
    for found in (eager(loss, x), sg.compile(loss)(x), run(x)):
        assert float(found) == 2.0**62


# ------------------------------------------------------------------ what operations answer
@pytest.mark.parametrize("dtype", ["bool", "int8", "uint8", "uint64", "float16", "float32", "float64"])
def test_operations_answer_with_the_dtype_of_their_value(dtype, monkeypatch):
    wrong = set()
    compute = record._compute

    def watched(op: Any, values: Any) -> Any:
        y = compute(op, values)
        if y is not None and (type(y) is float or y.dtype != object):
            kinds = [kind_of(v.shape, v.dtype) if isinstance(v, np.ndarray) else kind_of_number(v) for v in values]
            if np.asarray(y).dtype != op.dtype(*kinds):
                wrong.add((op.label, tuple(map(str, kinds)), np.asarray(y).dtype.name, op.dtype(*kinds).name))
        return y

    monkeypatch.setattr(record, "_compute", watched)
    for case in list(rows())[:: 1 if dtype == "uint8" else 3]:
        eager(lambda *ts, case=case: case.row.f(sg, *ts), *with_dtype(case, dtype))
    assert not wrong


def test_no_reader_asks_an_operation_for_its_class_to_learn_its_dtype():
    from symgrad.engine import dtypes

    assert not [name for name in vars(dtypes) if name in ("Cast", "Stack", "Eye", "MapTotal", "Bits", "Map")]


# ------------------------------------------------------------------ errors
REFUSED = {
    "a power": (lambda x, z: x**z, "int32", "Pow: Integers to negative integer powers"),
    "a product": (lambda x, z: x * -2, "uint8", "Mul: Python integer -2 out of bounds for uint8"),
    "a sum": (lambda x, z: x + 300, "int8", "Add: Python integer 300 out of bounds for int8"),
    "bounds": (lambda x, z: sg.clamp(x, -1, 5), "uint8", "Clamp: Python integer -1 out of bounds for uint8"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_compiled_functions_refuse_integers_in_the_words_of_eager_mode(name):
    f, dtype, words = REFUSED[name]
    x, z = np.array([2, 3], dtype), np.array([-1, 2], np.int8)
    with pytest.raises(sg.SymgradError, match=words) as eagerly:
        f(sg.tensor(x), sg.tensor(z))
    for backend in ["numpy", "auto", *(["llvm"] if importlib.util.find_spec("llvmlite") else [])]:
        with pytest.raises(type(eagerly.value)) as compiled:
            sg.compile(f, backend=backend)(x, z)
        assert str(compiled.value) == str(eagerly.value)


WHOLE_POWERS_REFUSED = r"Integers to negative integer powers are not allowed\. Pass floats, as in 2\.0\*\*x"
WHOLE_POWERS = {
    "of a number": lambda p: 2**p,
    "pow": lambda p: sg.pow(3, p),
    "NumPy's power": lambda p: np.power(2, p),
    "of themselves": lambda p: p**p,
    "of booleans": lambda p: (p > 0) ** p,
    "of 0-d tensors": lambda p: p[0] ** p[1],
}


@pytest.mark.parametrize("name", WHOLE_POWERS)
def test_powers_of_integers_are_integers_whatever_the_exponents_are(name):
    f = WHOLE_POWERS[name]
    assert f(sg.tensor([3, 2])).dtype == np.int64
    readings = [(f, [3, -2]), (sg.vmap(f), [[3, -2]])]
    readings += [(sg.compile(f, backend=b), [3, -2]) for b in ("auto", "numpy")]
    for reading, p in readings:
        with pytest.raises(ArgumentError, match=WHOLE_POWERS_REFUSED):
            reading(sg.tensor(p) if reading is f else np.array(p))


def test_float_power_of_integers_is_of_floats_by_any_name():
    x, p = np.array([2, 3]), np.array([1, -1])
    for f in (sg.float_power, np.float_power):
        found = f(sg.tensor(x), sg.tensor(p))
        assert found.dtype == np.float64
        np.testing.assert_array_equal(found, np.float_power(x, p))
    assert np.float_power(sg.tensor(x), 2).dtype == np.float64


def test_sources_refuse_powers_of_integers_which_they_could_not_refuse_when_they_run():
    for target in ("torch", "jax", "python", "c"):
        with pytest.raises(ExportError, match=r"negative integer powers of integers.*Write a power of floats"):
            sg.export(lambda p: 2**p, (np.array([3, 2]),), target=target)
        assert sg.export(lambda p: p**17, (np.array([3, 2]),), target=target)
    source = loaded(sg.export(lambda p: 2**p, (np.array([3, 2]),), target="numpy", name="f"))
    np.testing.assert_array_equal(source(np.array([3, 2])), [8, 4])
    with pytest.raises(ValueError, match=WHOLE_POWERS_REFUSED):
        source(np.array([3, -2]))


def divided_in_place(x: Any, z: Any) -> Any:
    """x /= z of a copy."""
    x = x + 0
    x /= z
    return x


def test_in_place_operations_keep_the_dtype_in_compiled_functions():
    whole = np.array([1, 2]), np.array([2, 2])
    with pytest.raises(sg.errors.DTypeError, match="can't be cast"):
        divided_in_place(*map(sg.tensor, whole))
    with pytest.raises(sg.errors.DTypeError, match="can't be cast"):
        sg.compile(divided_in_place, backend="numpy")(*whole)
    mixed = np.array([1, 2], np.float32), np.array([3.0, 7.0])
    agree(sg.compile(divided_in_place, backend="numpy")(*mixed), eager(divided_in_place, *mixed))
    assert sg.compile(divided_in_place, backend="numpy")(*mixed).dtype == np.float32


# ------------------------------------------------------------------ bits
BITS = {
    "~x": lambda x: ~x,
    "bitwise_not": sg.bitwise_not,
    "np.invert": np.invert,
    "x & 3": lambda x: x & 3,
    "3 | x": lambda x: 3 | x,
    "x ^ 5": lambda x: x ^ 5,
    "x & True": lambda x: x & True,
    "x & (x + 1)": lambda x: x & (x + 1),
    "~(x > 1)": lambda x: ~(x > 1),
    "(x > 1) | x": lambda x: (x > 1) | x,
    "np.bitwise_and": lambda x: np.bitwise_and(x, 3),
}


@pytest.mark.parametrize("dtype", ["bool", "int8", "uint8", "int32", "int64"])
@pytest.mark.parametrize("name", BITS)
def test_bits_of_integers_are_eager_mode_s_compiled_and_exported(name, dtype):
    x = np.array([1, 2, 0]).astype(dtype)
    expected = BITS[name](sg.tensor(x)).numpy()
    for backend in ("numpy", "llvm"):
        found = np.asarray(sg.compile(BITS[name], backend=backend)(x))
        assert found.dtype == expected.dtype
        np.testing.assert_array_equal(found, expected)
    for target in ("numpy", "python"):
        space = {}
        exec(sg.export(BITS[name], x, target=target, name="fn"), space)
        found = np.asarray(space["fn"](x if target == "numpy" else x.tolist()))
        assert target == "python" or found.dtype == expected.dtype
        np.testing.assert_array_equal(found, expected)


def assigned(x: Any) -> Any:
    """A copy with a number in it."""
    y = x.clone()
    y[0] = 2.7
    return y


CONSTANTS = {
    "tril": sg.tril,
    "full_like": lambda x: sg.full_like(x, 2),
    "an assignment": assigned,
    "cat": lambda x: sg.cat([x, sg.tensor([[1, 2]], dtype=sg.int16)]),
    "pad": lambda x: sg.nn.functional.pad(x, (1, 1), value=3),
    "masked_fill": lambda x: x.masked_fill(x > 1, 7),
    "stack": lambda x: sg.stack([x, sg.zeros_like(x)]),
}


@pytest.mark.parametrize("dtype", ["bool", "int8", "uint8", "int16", "uint32", "int32", "int64", "uint64"])
@pytest.mark.parametrize("name", CONSTANTS)
def test_machine_code_writes_constants_among_integers(name, dtype):
    pytest.importorskip("llvmlite")
    x = np.arange(4).reshape(2, 2).astype(dtype)
    agree(sg.compile(CONSTANTS[name], backend="llvm")(x), eager(CONSTANTS[name], x))


# ------------------------------------------------------------------ half precision
MANY = np.resize(np.array([0.5, 1.5, 0.25], np.float16), 90_000)  # more than the largest number of half precision
LABELS = np.resize(np.array([0.0, 1.0], np.float16), 90_000)
MEANS = {
    "mean": lambda x: x.mean(),
    "mean of squares": lambda x: (x**2).mean(),
    "mean along axes": lambda x: x.reshape(9, -1).mean((0, 1)),
    "nanmean": sg.nanmean,
    "var": lambda x: x.var(),
    "std": lambda x: x.std(),
    "std_mean": lambda x: sum(sg.std_mean(x)),
    "mse_loss": lambda x: sg.nn.functional.mse_loss(x, LABELS),
    "weighted mse_loss": lambda x: sg.nn.functional.mse_loss(x, LABELS, weight=LABELS),
    "l1_loss": lambda x: sg.nn.functional.l1_loss(x, LABELS),
    "smooth_l1_loss": lambda x: sg.nn.functional.smooth_l1_loss(x, LABELS),
    "bce with logits": lambda x: sg.nn.functional.binary_cross_entropy_with_logits(x, LABELS),
    "cross_entropy": lambda x: sg.nn.functional.cross_entropy(x.reshape(-1, 2), LABELS[:45_000].astype(int)),
    "kl_div": lambda x: sg.nn.functional.kl_div(-x, LABELS, reduction="batchmean"),
    "poisson_nll_loss": lambda x: sg.nn.functional.poisson_nll_loss(x, LABELS),
    "gaussian_nll_loss": lambda x: sg.nn.functional.gaussian_nll_loss(x, LABELS, sg.ones_like(x)),
}


@pytest.mark.parametrize("how", ["eager", "compiled", "by vmap"])
@pytest.mark.parametrize("name", MEANS)
def test_means_of_more_entries_than_half_precision_counts_have_gradients(name, how):
    f = MEANS[name]
    g = {"eager": sg.grad(f), "compiled": sg.compile(sg.grad(f)), "by vmap": lambda x: sg.vmap(sg.grad(f))(x[None])[0]}
    found, expected = g[how](MANY), sg.grad(f)(MANY.astype(np.float64))
    assert found.dtype == np.float16
    assert np.abs(expected).max() > 1e-6
    np.testing.assert_allclose(found, expected, rtol=0.01, atol=1.3e-7)  # two of half precision's smallest steps


@pytest.mark.parametrize("name", MEANS)
def test_means_of_half_precision_have_the_names_of_others(name):
    ys = [MEANS[name](sg.tensor(MANY.astype(d), requires_grad=True)) for d in (np.float16, np.float32)]
    assert ys[0].grad_fn.name() == ys[1].grad_fn.name()
