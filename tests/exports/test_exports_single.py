"""C in float32: rows of the table against eager, and what goes beside a source on request: tests, sizes, places."""

from __future__ import annotations

import ast
import ctypes
import re
import shutil
import subprocess

import numpy as np
import pytest
from exporting import eager, value_and_gradient

import symgrad as sg
from symgrad.compiler.loops.kernels import kernels
from symgrad.compiler.loops.programs import LIBRARIES
from symgrad.errors import ArgumentError, ArgumentTypeError
from symgrad.exports import ExportError, load_c
from symgrad.exports.translate import THRESHOLDS

from cases import ROWS

CC = shutil.which("gcc") or shutil.which("cc")
needs_cc = pytest.mark.skipif(CC is None, reason="no C compiler")
STRICT = ["-std=c99", "-O1", "-Wall", "-Wextra", "-Werror", "-pedantic", "-Wconversion", "-Wdouble-promotion"]
OTHER_LIMITS = ("nan_to_num",)  # whose result is the largest number of the dtype
EVERY = 8  # rows of which one is compiled


def written(case, name):
    points = tuple(np.asarray(x) for x in case.points)
    try:
        return sg.export(value_and_gradient(case), points, target="c", name=name, formula=False, dtype="float32")
    except ExportError:
        return None


def called(function, case):
    """Return the results of a function of float32 at a case's points."""
    outs = [np.full(y.shape, 7.25, single(y)) for y in eager(case)]
    points = [np.ascontiguousarray(x, single(np.asarray(x))) if np.ndim(x) or np.iscomplexobj(x) else
              ctypes.c_float(float(x)) for x in case.points]  # fmt: skip
    pointers = [x if isinstance(x, ctypes.c_float) else x.ctypes.data_as(ctypes.c_void_p) for x in [*points, *outs]]
    assert function(*pointers) == 0
    return outs


def single(array):
    return np.complex64 if array.dtype.kind == "c" else np.float32


def close(result, expected):
    """Assert that numbers agree to 1e-4 of the largest that is finite."""
    kind = complex if np.iscomplexobj(expected) else float
    finite = np.abs(expected[np.isfinite(expected)].astype(kind))
    np.testing.assert_allclose(
        result.astype(kind), expected.astype(kind), rtol=1e-4, atol=1e-4 * max(1.0, np.max(finite, initial=0.0))
    )


@needs_cc
@pytest.mark.parametrize("half", [0, 1])
def test_c_of_float32_agrees_with_eager(half, tmp_path):
    rows = [r for r in ROWS[half * EVERY // 2 :: EVERY] if not r.name.startswith(OTHER_LIMITS)]
    cases = [case for r in rows for case in r.cases]
    texts = {k: text for k, case in enumerate(cases) if (text := written(case, f"f_{k}")) is not None}
    assert len(texts) > 0.9 * len(cases)
    (tmp_path / "all.c").write_text("\n".join(texts.values()))
    subprocess.run([CC, *STRICT, "-shared", "-fPIC", "all.c", "-o", "all.so", "-lm"], cwd=tmp_path, check=True)
    library = ctypes.CDLL(str(tmp_path / "all.so"))
    for k in texts:
        for result, expected in zip(called(getattr(library, f"f_{k}"), cases[k]), eager(cases[k]), strict=True):
            close(result, expected)


def test_thresholds_of_the_library_that_float32_has_not_are_replaced():
    numbers = {
        n.value
        for module in LIBRARIES
        if module.startswith("symgrad.compiler.loops.library.")
        for node in kernels(module).defined.values()
        for n in ast.walk(node)
        if isinstance(n, ast.Constant) and isinstance(n.value, float) and n.value != 0.0
    }
    assert {x for x in numbers if abs(x) < 1e-8 or abs(x) > 1e16} == set(THRESHOLDS)


def loss(w, X, y):
    return ((sg.tanh(X @ w) - y) ** 2).mean()


POINT = np.array([0.3, 0.7]), np.array([[1.0, 2.0], [3.0, 4.0], [-1.0, 0.5]]), np.array([0.1, 0.2, 0.3])


@needs_cc
def test_loaded_functions_of_float32_take_and_return_float32(tmp_path):
    both = sg.value_and_grad(loss)
    text = sg.export(both, POINT, target="c", path=tmp_path / "f.c", dtype=np.float32)
    assert "int loss(const float *w, const float *X, const float *y, float *out0, float *out1)" in text
    assert not re.search(r"\bdouble\b", text)
    value, slope = load_c(tmp_path / "f.c")(*POINT)
    assert slope.dtype == np.float32
    close(np.asarray(value), np.asarray(both(*POINT)[0]))
    close(slope, np.asarray(both(*POINT)[1]))
    sg.export(lambda x, z: x * z, (2.0, np.array([1 + 2j])), target="c", path=tmp_path / "z.c", dtype="float32")
    assert load_c(tmp_path / "z.c")(3.0, np.array([1 + 2j])).tolist() == [3 + 6j]


@needs_cc
@pytest.mark.parametrize("make", [
    lambda: sg.derive(sg.exp(sg.tensor([1.0, 2.0], name="x")).sum(), "x"),
    lambda: sg.compile(lambda x: sg.exp(x).sum()),
])  # fmt: skip
def test_forms_and_compiled_functions_are_written_in_float32(make, tmp_path):
    f = make()
    if callable(f) and not hasattr(f, "latex"):
        f(np.array([1.0, 2.0]))
    text = sg.export(f, target="c", path=tmp_path / "f.c", dtype="float32", name="f")
    assert "expf(" in text
    close(np.asarray(load_c(tmp_path / "f.c")(np.ones(2))), np.exp(1.0) * (np.ones(2) if hasattr(f, "latex") else 2.0))


def test_numbers_beyond_float32_are_refused_or_compared_as_double_would():
    with pytest.raises(
        ExportError, match=r"the constant 1e\+300 is not a number of float32. Write it with dtype='float64"
    ):
        sg.export(lambda x: x * 1e300, np.ones(2), target="c", dtype="float32")
    text = sg.export(lambda x: sg.where(x < 1e300, x, 0.0), np.ones(2), target="c", dtype="float32")
    assert "<= 3.4028235e+38f" in text
    with pytest.raises(ExportError, match=r"dtype='float32' needs the numbers of a closed form's sizes"):
        sg.derive((sg.symbol("x", ("n",)) ** 2).sum(), "x").export(target="c", dtype="float32")


@pytest.mark.parametrize(("options", "message"), [
    ({"static": "x"}, "static must be True or False. Got 'x'"),
    ({"ascii": 1}, "ascii must be True or False. Got 1"),
    ({"test": None}, "test must be True or False. Got None"),
    ({"cmake": "no"}, "cmake must be True or False. Got 'no'"),
    ({"dtype": "float16"}, "dtype='float16' is not supported in C. Expected 'float64' or 'float32'"),
    ({"test": True}, "test=True writes a file next to the source"),
    ({"test": True, "target": "numpy"}, "test=True is an option of C. Got target='numpy'"),
    ({"ascii": True, "target": "numpy"}, "ascii=True is an option of C. Got target='numpy'"),
    ({"dtype": "float32", "target": "jax"}, "dtype='float32' is an option of C. Got target='jax'"),
])  # fmt: skip
def test_wrong_options_say_what_to_do(options, message):
    with pytest.raises((ArgumentError, ArgumentTypeError), match=re.escape(message)):
        sg.export(lambda x: x * 2, np.ones(2), **{"target": "c", **options})


# ------------------------------------------------------------------ test programs
def run(folder, name, *flags):
    """Compile a source with its test, and return how the program ends."""
    files = [f"{name}.c", f"{name}_test.c"]
    subprocess.run([CC, *STRICT, *flags, *files, "-o", name, "-lm"], cwd=folder, check=True)
    return subprocess.run([str(folder / name)], capture_output=True, text=True, check=False)


@needs_cc
@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_test_programs_pass_and_notice_a_wrong_source(dtype, tmp_path):
    path = tmp_path / "mine.c"
    text = sg.export(sg.value_and_grad(loss), POINT, target="c", path=path, name="loss", test=True, dtype=dtype)
    assert '#include "mine.h"' in (tmp_path / "mine_test.c").read_text()
    assert run(tmp_path, "mine").stdout == "passed\n"
    path.write_text(text.replace("/ 3.0", "/ 3.1"))
    ended = run(tmp_path, "mine")
    assert ended.returncode == 1
    assert "loss: out0[0] is" in ended.stdout
    assert run(tmp_path, "mine", "-DTOLERANCE=0.1").returncode == 0


@needs_cc
def test_test_programs_of_complex_numbers_labels_nan_and_singular_matrices(tmp_path):
    def f(z, k, A):
        return z[0] * z, A[k], sg.log(sg.sum(A) - 100.0)

    sg.export(f, (np.array([1 + 2j, 3j]), 1, np.eye(2)), target="c", path=tmp_path / "f.c", name="f", test=True)
    assert run(tmp_path, "f").stdout == "passed\n"
    sg.export(sg.linalg.inv, shapes=[(2, 2)], target="c", path=tmp_path / "g.c", name="g", test=True)
    assert run(tmp_path, "g").stdout == "passed\n"
    with pytest.raises(ExportError, match=r"test=True needs a number for each size. Got the names \['n'\]"):
        sg.export(lambda x: 2 * x, shapes=[("n",)], target="c", path=tmp_path / "h.c", test=True)
    assert not (tmp_path / "h.c").exists()


@pytest.mark.skipif(CC is None or shutil.which("cmake") is None, reason="there is no C compiler, or no CMake")
def test_cmake_runs_the_test_program(tmp_path):
    options = {"target": "c", "path": tmp_path / "f.c", "name": "f", "cmake": True, "test": True}
    sg.export(lambda x: sg.exp(x).sum(), np.ones(2), **options)
    for command in (["cmake", "-S", ".", "-B", "build"], ["cmake", "--build", "build"]):
        subprocess.run(command, check=True, capture_output=True, cwd=tmp_path)
    done = subprocess.run(["ctest"], check=True, capture_output=True, text=True, cwd=tmp_path / "build")
    assert "100% tests passed, 0 tests failed out of 1" in done.stdout


def test_comments_are_in_ascii_on_request(tmp_path):
    f = sg.value_and_grad(lambda x: sg.logaddexp(x, 2 * x).sum())
    options = {"target": "c", "path": tmp_path / "f.c", "name": "f", "test": True}
    assert not sg.export(f, np.ones(2), **options).isascii()
    text = sg.export(f, np.ones(2), **options, ascii=True)
    assert all((tmp_path / n).read_bytes().isascii() for n in ("f.c", "f.h", "f_test.c"))
    assert "sum" in text.lower()
    assert "??" not in text


# ------------------------------------------------------------------ sizes and sparse derivatives
def test_headers_have_the_sizes_of_arrays(tmp_path):
    sg.export(sg.value_and_grad(loss), POINT, target="c", path=tmp_path / "f.c")
    header = (tmp_path / "f.h").read_text()
    assert re.findall(r"loss_(\w+)_size = (\d+)", header) == [
        ("w", "2"), ("X", "6"), ("y", "3"), ("out0", "1"), ("out1", "2"),
    ]  # fmt: skip
    sg.export(lambda x: 2 * x, shapes=[("n",)], target="c", path=tmp_path / "f.c")
    assert "enum" not in (tmp_path / "f.h").read_text()


@needs_cc
@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_sparse_derivatives_are_written_by_columns(dtype, tmp_path):
    def f(x, scale):
        return x[1:] * x[:-1] * scale + x[0]

    x = np.array([1.0, 2.0, 3.0, 4.0])
    for k, (J, args) in enumerate([
        (sg.sparse_jacobian(f), (x, 2.0)),
        (sg.sparse_hessian(lambda x: (x[1:] * x[:-1] ** 2).sum(), lower=True), (x,)),
        (sg.sparse_jacobian(lambda x: sg.floor(x)), (x,)),
    ]):  # fmt: skip
        sg.export(J, args, target="c", path=tmp_path / f"j{k}.c", name="jac", test=True, dtype=dtype)
        assert run(tmp_path, f"j{k}").stdout == "passed\n"
        subprocess.run([CC, "-shared", "-fPIC", f"j{k}.c", "-o", f"j{k}.so", "-lm"], cwd=tmp_path, check=True)
        library, expected = ctypes.CDLL(str(tmp_path / f"j{k}.so")), J(*args).tocsc()
        starts = (ctypes.c_long * (expected.shape[1] + 1)).in_dll(library, "jac_columns")[:]
        rows = (ctypes.c_long * max(1, expected.nnz)).in_dll(library, "jac_rows")[: expected.nnz]
        entries = load_c(tmp_path / f"j{k}.c")(*args)
        assert (starts, rows) == (expected.indptr.tolist(), expected.indices.tolist())
        np.testing.assert_allclose(entries, expected.data, rtol=1e-6)
        header = (tmp_path / f"j{k}.h").read_text()
        assert f"jac_height = {expected.shape[0]},\n    jac_width = {expected.shape[1]}\n" in header
        assert f"jac_out0_size = {expected.nnz}" in header


def test_sparse_derivatives_need_only_shapes():
    J = sg.sparse_jacobian(lambda x, scale: x[1:] * x[:-1] * scale)
    expected = sg.export(J, (np.ones(4), 2.0), target="c", name="jac")
    assert sg.export(J, shapes={"x": (4,), "scale": ()}, target="c", name="jac") == expected
    assert "jac_columns[] = {0, 1, 3, 5, 6}" in expected


def test_sparse_derivatives_are_refused_where_they_mean_nothing():
    J = sg.sparse_jacobian(lambda x: x**2)
    with pytest.raises(ExportError, match="target='numpy' has no sparse matrices"):
        sg.export(J, np.ones(2), target="numpy")
    with pytest.raises(ArgumentTypeError, match="expected example arguments or shapes=, one of the two"):
        sg.export(J, target="c")
    with pytest.raises(ExportError, match=r"needs a number for each size. Got the names \['n'\]"):
        sg.export(J, shapes=[("n",)], target="c")
    with pytest.raises(ArgumentError, match="sparse_jacobian is written with respect to one array"):
        sg.export(sg.sparse_jacobian(lambda x, y: x * y, argnums=(0, 1)), (np.ones(2), np.ones(2)), target="c")


@needs_cc
def test_nonlinear_programs_have_tests_and_float32(tmp_path):
    program = sg.optim.NLP(lambda x: (x**4).sum(), np.array([1.0, 2.0]), constraints=lambda x: x[:1] * x[1])
    sg.export(program, target="c", path=tmp_path / "nlp.c", dtype="float32", test=True, ascii=True)
    assert run(tmp_path, "nlp").stdout == "passed\n"
    assert "nlp_jacobian_out0_size = 2" in (tmp_path / "nlp.h").read_text()
