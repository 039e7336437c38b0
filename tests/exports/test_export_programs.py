"""Nonlinear programs in C: functions and patterns, compiled without a warning, with the numbers of Python."""

import ctypes
import shutil
import subprocess

import numpy as np
import pytest

import symgrad as sg
from symgrad.compiler.loops.errors import ExportError

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
    with pytest.raises(ExportError, match=r"target='numpy' writes no programs. Use target='c'"):
        sg.export(program, target="numpy")
