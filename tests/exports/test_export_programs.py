"""Nonlinear programs in C: functions and patterns, compiled without a warning, with the numbers of Python."""

import ctypes
import re
import shutil
import subprocess

import numpy as np
import pytest

import symgrad as sg
from symgrad.compiler.loops.errors import ExportError
from symgrad.errors import ArgumentError

pytest.importorskip("scipy")
CC = shutil.which("gcc") or shutil.which("cc")
STRICT = ["-std=c99", "-O1", "-Wall", "-Wextra", "-Werror", "-pedantic", "-shared", "-fPIC"]


def library(problem, folder, name):
    """Return the compiled program."""
    sg.export(problem, target="c", path=folder / f"{name}.c", name=name)
    subprocess.run([CC, *STRICT, str(folder / f"{name}.c"), "-o", str(folder / f"{name}.so"), "-lm"], check=True)
    return ctypes.CDLL(str(folder / f"{name}.so"))


def called(function, size, *args):
    """Return what a function of the library writes."""
    out = np.empty(size)
    arrays = [np.array(a, np.float64) for a in args]
    given = [ctypes.c_double(float(a)) if a.ndim == 0 else a.ctypes.data_as(ctypes.c_void_p) for a in arrays]
    assert function(*given, out.ctypes.data_as(ctypes.c_void_p)) == 0
    return out


def matrix(lib, name, entries, shape):
    """Return compressed columns as a dense array."""
    starts = (ctypes.c_long * (shape[1] + 1)).in_dll(lib, f"{name}_columns")[:]
    rows = (ctypes.c_long * len(entries)).in_dll(lib, f"{name}_rows")[:]
    dense = np.zeros(shape)
    for j in range(shape[1]):
        for k in range(starts[j], starts[j + 1]):
            dense[rows[k], j] += entries[k]
    return dense


def regulator(stages):
    problem = sg.control.Problem(
        lambda x, u, t, p: [x["speed"], u["force"] - sg.sin(x["place"])], states={"place": None, "speed": None},
        controls={"force": (-1.0, 1.0)}, time=(0.0, 2.0), start={"place": 1.0, "speed": 0.0},
        running=lambda x, u, t, p: x["place"] ** 2 + 0.1 * u["force"] ** 2,
    )  # fmt: skip
    return problem.program(stages, method="trapezoidal")


@pytest.mark.skipif(CC is None, reason="there is no C compiler")
def test_a_program_in_c_has_the_numbers_and_patterns_of_python(tmp_path):
    program = regulator(4)
    lib, d, rng = library(program, tmp_path, "mpc"), program.derivatives, np.random.default_rng(0)
    z, multipliers = rng.normal(size=d.size), rng.normal(size=d.held)
    thetas = [np.asarray(t._value) for t in program._thetas]
    np.testing.assert_allclose(called(lib.mpc_objective, 1, z, *thetas), d.objective(z, thetas), rtol=1e-12)
    np.testing.assert_allclose(called(lib.mpc_gradient, d.size, z, *thetas), d.gradient(z, thetas), atol=1e-12)
    np.testing.assert_allclose(called(lib.mpc_constraints, d.held, z, *thetas), d.constraints(z, thetas), atol=1e-12)
    pattern = d.jacobian_pattern
    entries = called(lib.mpc_jacobian, len(pattern.rows), z, *thetas)
    expected = pattern.matrix(d.jacobian(z, thetas)).toarray()
    np.testing.assert_allclose(matrix(lib, "mpc_jacobian", entries, pattern.shape), expected, atol=1e-12)
    pattern = d.hessian_pattern
    entries = called(lib.mpc_hessian, len(pattern.rows), z, 0.5, multipliers, *thetas)
    expected = pattern.matrix(d.hessian(z, 0.5, multipliers, thetas)).toarray()
    np.testing.assert_allclose(matrix(lib, "mpc_hessian", entries, pattern.shape), expected, atol=1e-12)


def test_code_allocates_nothing_and_only_its_tables_grow():
    def lines(stages):
        text = sg.export(regulator(stages), target="c", name="mpc")
        assert "alloc(" not in text
        return [line for line in text.splitlines() if "const long" not in line and "const double c" not in line]

    assert len(lines(200)) <= len(lines(100)) + 5


def test_programs_are_written_in_c_only():
    program = sg.optim.NLP(lambda x: x @ x, np.ones(2))
    assert "hessian_rows[] = {0, 1}" in sg.export(program, target="c")
    with pytest.raises(ExportError, match=r"target='numpy' does not support nonlinear programs. Use target='c'"):
        sg.export(program, target="numpy")


def test_a_cmake_project_stands_beside_the_source(tmp_path):
    path = tmp_path / "my file.c"
    sg.export(lambda x: (x**2).sum(), np.ones(2), target="c", path=path, name="f", cmake=True)
    text = (tmp_path / "CMakeLists.txt").read_text()
    assert "add_library(f_c STATIC [==[my file.c]==])" in text
    sg.export(regulator(2), target="c", path=path, name="mpc", cmake=True)  # in place of its own
    assert "add_library(mpc_c" in (tmp_path / "CMakeLists.txt").read_text()
    (tmp_path / "CMakeLists.txt").write_text("project(mine)\n")
    with pytest.raises(ArgumentError, match=r"CMakeLists.txt, which belongs to my file.c, exists"):
        sg.export(regulator(2), target="c", path=path, cmake=True)
    with pytest.raises(ArgumentError, match=r"cmake=True is an option of C. Got target='numpy'"):
        sg.export(regulator(2), cmake=True, target="numpy", path=path)
    with pytest.raises(ArgumentError, match=r"cmake=True writes a file next to the source. Pass the path"):
        sg.export(regulator(2), cmake=True, target="c")


@pytest.mark.skipif(CC is None or shutil.which("cmake") is None, reason="there is no C compiler, or no CMake")
def test_the_cmake_project_builds_a_program_that_calls_it(tmp_path):
    library = tmp_path / "library"
    library.mkdir()
    sg.export(lambda x: sg.exp(x).sum(), np.ones(2), target="c", path=library / "f.c", name="f", cmake=True)
    (tmp_path / "main.c").write_text(
        '#include <stdio.h>\n#include "f.h"\nint main(void) { double x[2] = {0.0, 1.0}, y[1]; f(x, y); '
        'printf("%.15g", y[0]); return 0; }\n'
    )
    (tmp_path / "CMakeLists.txt").write_text(
        "cmake_minimum_required(VERSION 3.10)\nproject(main C)\nadd_subdirectory(library)\nadd_executable(run main.c)\n"
        "target_link_libraries(run f_c)\n"
    )
    for command in (["cmake", "-S", tmp_path, "-B", tmp_path / "build"], ["cmake", "--build", tmp_path / "build"]):
        subprocess.run(command, check=True, capture_output=True)
    printed = subprocess.run([tmp_path / "build" / "run"], check=True, capture_output=True, text=True).stdout
    assert float(printed) == pytest.approx(1 + np.e, rel=1e-14)


def test_a_long_program_of_numbers_and_its_gradient_are_written_without_loops():
    def f(x):
        a, b = x[0], x[1]
        for k in range(200):
            a, b = a * b + k, sg.sin(a) - b
        return a + b

    assert "for (" not in sg.export(sg.grad(f), np.ones(2), target="c", formula=False)
    assert "for (" in sg.export(sg.grad(lambda x: (sg.sin(x) * x).sum()), np.ones(500), target="c", formula=False)


def test_static_source_allocates_nothing_and_computes_the_same(tmp_path):
    def f(x):
        return sg.sin(sg.cumsum(x, 0)) * x

    x = np.linspace(0.1, 1.0, 5000)
    assert "calloc" in sg.export(f, x, target="c", name="f")
    path = tmp_path / "f.c"
    text = sg.export(f, x, target="c", path=path, name="f", static=True)
    assert "static double" in text
    assert not re.search(r"\b(calloc|malloc|alloca|free)\b|stdlib", text)
    if CC is not None:
        compiled = sg.exports.load_c(path)
        for point in (x, -x, x):  # static memory keeps nothing of the last call
            np.testing.assert_allclose(compiled(point), f(sg.tensor(point)).numpy(), rtol=1e-12)


def test_static_is_refused_where_it_means_nothing():
    with pytest.raises(ArgumentError, match="static=True is an option of C"):
        sg.export(lambda x: x, np.ones(2), target="numpy", static=True)
    with pytest.raises(ExportError, match=r"static=True needs a number for each size. Got the names \['n'\]"):
        sg.export(lambda x: 2 * x, shapes=[("n",)], target="c", static=True)


def test_c_includes_only_the_headers_that_it_uses():
    assert "#include" not in sg.export(lambda x: x * 2, np.ones(2), target="c")
    text = sg.export(lambda x: sg.exp(x), np.ones(2), target="c")
    assert re.findall("#include .*", text) == ["#include <math.h>"]
