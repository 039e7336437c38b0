"""One SQP step in C, with the solver that OSQP generates: its iterates end at the solution of the program."""

import ctypes
import shutil
import subprocess

import numpy as np
import pytest

import symgrad as sg
from symgrad.errors import ArgumentError, MissingExtra
from symgrad.support.extras import is_installed

pytest.importorskip("scipy")
GENERATES = pytest.mark.skipif(
    not is_installed("osqp") or shutil.which("gcc") is None, reason="OSQP or GCC is not installed"
)


def ring(p=(2.0, 3.0)):
    """Two constraints, one of them an inequality, and bounds of three variables."""
    return sg.optim.NLP(
        lambda x, p: (x[0] - p[0]) ** 2 + sg.exp(x[1]) + 0.1 * x[0] * x[1] + x[2] ** 2, np.ones(3), np.array(p),
        constraints=lambda x, p: {"ring": x[0] ** 2 + x[1] ** 2 - p[1], "line": x[2] + x[0]},
        lb={"line": 0.5}, ub={"line": np.inf}, bounds=([-np.inf, -2.0, -1.0], 3.0),
    )  # fmt: skip


def stepper(problem, folder):
    """Return the exported step as a function of x, parameters, multipliers and shift: its status, step and prices."""
    sg.export(problem, target="c", path=folder / "mpc.c", name="mpc", qp="osqp")
    osqp, out = folder / "mpc_osqp", folder / "mpc.so"
    sources = [folder / "mpc.c", folder / "mpc_step.c", osqp / "mpc_qp_workspace.c", *(osqp / "src").glob("*.c")]
    include = [f"-I{d}" for d in (folder, osqp, osqp / "inc" / "public", osqp / "inc" / "private")]
    subprocess.run(["gcc", "-std=c99", "-O1", "-shared", "-fPIC", "-o", out, *sources, *include, "-lm"], check=True)
    library = ctypes.CDLL(str(out))
    n, rows = problem.derivatives.size, len(problem.ends()[0])

    def step(x, *parameters, multipliers, shift=0.0):
        d, prices = np.zeros(n), np.zeros(rows)
        given = [
            p if isinstance(p, ctypes.c_double) else np.array(p, np.float64) for p in (x, *parameters, multipliers)
        ]
        passed = [
            p if isinstance(p, ctypes.c_double) else p.ctypes for p in (*given, ctypes.c_double(shift), d, prices)
        ]
        return library.mpc_step(*passed), d, prices

    return step


@GENERATES
def test_steps_in_c_end_at_the_solution(tmp_path):
    problem = ring()
    step, x, prices = stepper(problem, tmp_path), np.ones(3), np.zeros(5)
    for _ in range(10):
        status, d, prices = step(x, [2.0, 3.0], multipliers=prices[:2])
        assert status == 0
        x = x + d
    solution = problem.solve(solver="slsqp")
    np.testing.assert_allclose(x, solution.x, atol=1e-5)
    np.testing.assert_allclose(-prices[0], solution.multipliers["ring"], atol=1e-5)


@GENERATES
def test_a_linear_program_takes_one_step(tmp_path):
    problem = sg.optim.NLP(
        lambda x: x[0] + x[1], np.ones(2), constraints=lambda x: x[0] + 2 * x[1], lb=1.0, ub=np.inf, bounds=(0.0, 3.0)
    )
    status, d, prices = stepper(problem, tmp_path)(np.ones(2), multipliers=np.zeros(1))
    assert status == 0
    np.testing.assert_allclose(1 + d, [0.0, 0.5], atol=1e-4)
    np.testing.assert_allclose(-prices[0], 0.5, atol=1e-4)


@GENERATES
def test_a_program_without_constraints_needs_a_shift_where_it_is_not_convex(tmp_path):
    problem = sg.optim.NLP(lambda x: sg.cos(x).sum() + 0.1 * x[0] * x[1], np.array([0.5, 0.6]))
    step = stepper(problem, tmp_path)
    assert step(np.array([0.5, 0.6]), multipliers=np.zeros(0))[0] == 2
    x = np.array([0.5, 0.6])
    for _ in range(60):
        status, d, _ = step(x, multipliers=np.zeros(0), shift=2.0)
        assert status == 0
        x = x + d
    np.testing.assert_allclose(-np.sin(x) + 0.1 * x[::-1], 0.0, atol=1e-5)


@GENERATES
def test_an_infeasible_step_is_a_status(tmp_path):
    problem = sg.optim.NLP(
        lambda x: x @ x, np.ones(2), constraints=lambda x: {"a": x.sum() - 1, "b": x.sum() - 3}, bounds=(-9.0, 9.0)
    )
    assert stepper(problem, tmp_path)(np.ones(2), multipliers=np.zeros(2))[0] == 2


@GENERATES
def test_a_control_problem_is_solved_by_steps_in_c(tmp_path):
    problem = sg.control.Problem(
        lambda x, u, t, p: {"x": u["u"] - x["x"] ** 3}, states={"x": None}, controls={"u": (-0.8, 0.8)},
        time=(0.0, 1.0), start={"x": 1.0}, end={"x": 0.1}, running=lambda x, u, t, p: u["u"] ** 2 + x["x"] ** 2,
    ).program(6, method="trapezoidal")  # fmt: skip
    parameters = [ctypes.c_double(float(v)) for v in problem._numbers(())[1]]
    step, x, prices = stepper(problem, tmp_path), problem._vector.start, np.zeros(len(problem.ends()[0]))
    for _ in range(10):
        status, d, prices = step(x, *parameters, multipliers=prices[: problem.rows.size])
        assert status == 0
        x = x + d
    np.testing.assert_allclose(x, problem.solve(solver="slsqp").z, atol=1e-4)
    first = {f: f.read_text() for f in tmp_path.rglob("*.[ch]")}
    sg.export(problem, target="c", path=tmp_path / "mpc.c", name="mpc", qp="osqp", cmake=True)
    assert {f: f.read_text() for f in tmp_path.rglob("*.[ch]")} == first  # the same in every run
    cmake = (tmp_path / "CMakeLists.txt").read_text()
    assert "[==[mpc_osqp/src/osqp_api.c]==]" in cmake
    build = tmp_path / "build"
    if shutil.which("cmake"):
        subprocess.run(["cmake", "-S", tmp_path, "-B", build], check=True, capture_output=True)
        subprocess.run(["cmake", "--build", build], check=True, capture_output=True)
        assert list(build.glob("*mpc_c*"))


def test_what_qp_expects_is_said(tmp_path, monkeypatch):
    problem, path = ring(), tmp_path / "mpc.c"
    with pytest.raises(ArgumentError, match=r"qp='ipopt' is unknown. Expected 'osqp'"):
        sg.export(problem, target="c", path=path, qp="ipopt")
    with pytest.raises(ArgumentError, match=r"Pass an NLP, and path=\."):
        sg.export(problem, target="c", qp="osqp")
    with pytest.raises(ArgumentError, match=r"next to that of a sg\.optim\.NLP"):
        sg.export(lambda x: x, shapes=[(2,)], target="c", path=path, qp="osqp")
    with pytest.raises(ArgumentError, match=r"computes in double precision\. Omit dtype='float32'"):
        sg.export(problem, target="c", path=path, qp="osqp", dtype="float32")
    monkeypatch.setitem(__import__("sys").modules, "osqp", None)
    with pytest.raises(MissingExtra, match=r"export: qp='osqp' needs osqp.*extra 'osqp'"):
        sg.export(problem, target="c", path=path, qp="osqp")
    assert not path.exists()
